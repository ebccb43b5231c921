"""Answers from memory, as the database would give them: caches that are rebuilt from it."""
