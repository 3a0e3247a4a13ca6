"""How other measures of calibration behave where the truth is known, and how long they take."""
