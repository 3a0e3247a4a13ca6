"""How other measures of calibration behave where the truth is known."""
