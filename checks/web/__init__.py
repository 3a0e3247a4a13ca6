"""The page in a browser, as `make web` puts it together."""
