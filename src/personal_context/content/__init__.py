"""Adding and reading contents, for every door."""
