"""How long calipers takes, beside others and beside what it is given."""
