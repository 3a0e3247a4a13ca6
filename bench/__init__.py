"""Benchmarks and scores; what several of them share can be imported from the root."""
