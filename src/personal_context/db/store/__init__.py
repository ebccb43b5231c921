"""The store, part by part."""
