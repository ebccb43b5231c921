"""Outline over its API, and a stand-in for it."""
