"""The paper's figures and tables, computed again with calipers."""
