"""How often lower bounds are above the truth, and tests reject."""
