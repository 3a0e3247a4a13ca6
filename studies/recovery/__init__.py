"""How much of the error recalibrators recover on real predictions."""
