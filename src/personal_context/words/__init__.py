"""Text to terms: one analysis for the index, for queries, and for what is marked in answers."""

VERSION = 2
"""Raised when the same text gives other terms than before: the index is made anew then."""
