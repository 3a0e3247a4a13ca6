"""Errors given features, beside those of MCGrad."""
