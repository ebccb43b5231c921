"""The store: SQLite through apsw, vectors through sqlite-vec."""
