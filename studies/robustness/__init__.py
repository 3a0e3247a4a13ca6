"""What was done to break calipers, and what came of it."""
