"""The pages of `calipers report` in a browser without a window."""
