"""A document as a person reads it."""
