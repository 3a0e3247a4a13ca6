"""Estimates, trees and measures, computed a second time in the most obvious way: see README.md."""
