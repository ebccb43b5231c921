-- A collection that the settings name, and that Outline calls otherwise by now.
ALTER TABLE sync_state ADD COLUMN former_name TEXT NOT NULL DEFAULT '';
