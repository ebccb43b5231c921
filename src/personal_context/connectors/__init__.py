"""Foreign content, brought in: each connector reads one kind of source."""
