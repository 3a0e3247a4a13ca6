"""Everything that calipers is measured by, and the pages that come of it: `python -m studies`."""
