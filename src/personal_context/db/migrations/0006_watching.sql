-- What a person sees of a sync: which kind of trouble a collection is in, and how far a pass is that
-- runs in another process.

ALTER TABLE sync_state ADD COLUMN trouble TEXT;

-- One row for each pass under way. Saving the state that a pass ends with removes its row, so that a
-- pass that was killed is forgotten with the next one at the latest.
CREATE TABLE sync_passes (
  collection_id TEXT PRIMARY KEY,
  done INTEGER NOT NULL,
  total INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  told_at TEXT NOT NULL
) STRICT;
