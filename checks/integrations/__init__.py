"""calipers inside other packages, each in an environment of its own: `make integrations`."""
