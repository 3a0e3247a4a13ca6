"""Tests of what build systems use."""
