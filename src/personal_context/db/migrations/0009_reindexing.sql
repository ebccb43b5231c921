-- How the building of a generation goes, for every process to see, and whether a person paused it.
ALTER TABLE generations ADD COLUMN held INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1));
ALTER TABLE generations ADD COLUMN trouble TEXT;
ALTER TABLE generations ADD COLUMN rate REAL NOT NULL DEFAULT 0;
