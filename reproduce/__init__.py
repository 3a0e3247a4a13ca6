"""The paper's figures and tables, computed again with calipers: `python3 -m reproduce`."""
