"""Tests of what the studies compute themselves."""
