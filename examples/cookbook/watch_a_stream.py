"""How do I watch a model in production without false alarms?

A p-value that is computed every day crosses 5 % sooner or later by chance. A `Monitor` holds an
e-value instead: looked at as often as one likes, it reaches 20 for a calibrated model with a
probability of at most 5 %.
"""

import calipers

monitor = calipers.Monitor()
false_alarms = 0
for day in range(100):
    y_true, y_prob = calipers.simulate("binary-calibrated", 100, seed=day)
    monitor.observe(y_true, y_prob)
    today = calipers.calibration_error(y_true, y_prob, best=False)
    false_alarms += today.p_value <= 0.05
print("100 days on which the model is calibrated:")
print(f"  a test a day gives {false_alarms} false alarms")
print(f"  the e-value has never been above {monitor.largest:.1f}")

# Yesterday's state is a short text: keep it wherever the job keeps its files.
monitor = calipers.Monitor.from_json(monitor.to_json())
drifted = 0
while monitor.e_value < 20:
    monitor.observe(*calipers.simulate("binary-overconfident", 100, seed=1000 + drifted))
    drifted += 1
print(f"After the drift the alarm comes on day {drifted}, at an e-value of {monitor.e_value:.0f}.")
