-- Our webhook subscription in Outline: one at most. The secret is kept in clear, because it signs
-- what comes; the file is its owner's alone.

CREATE TABLE webhook (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  secret TEXT NOT NULL,
  created_at TEXT NOT NULL,
  last_delivery_at TEXT,
  last_event TEXT
) STRICT;
