-- What makes the mirror one that can be trusted: a trash, failures that outlive a restart, tokens
-- that shut out an owner who overslept, and syncs that one process asks of another.

-- A trashed content stands here and no longer in `content` and `sections`, so that whatever reads
-- those needs to know nothing of the trash. Columns are those of the tables that they come from;
-- a column that is added there is added here.
CREATE TABLE trash (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  trashed_at TEXT NOT NULL,
  reason TEXT NOT NULL,
  source_type TEXT NOT NULL,
  source_id TEXT,
  source_url TEXT,
  title TEXT NOT NULL,
  url_id TEXT,
  outline_doc_id TEXT,
  outline_url TEXT,
  outline_updated_at TEXT,
  revision INTEGER,
  collection_id TEXT,
  parent_id TEXT,
  position INTEGER NOT NULL,
  hash TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  metadata TEXT NOT NULL CHECK (json_valid(metadata)),
  content TEXT NOT NULL,
  readable TEXT NOT NULL
) STRICT;

CREATE INDEX idx_trash_trashed_at ON trash (trashed_at);

CREATE TABLE trash_tags (
  content_id TEXT NOT NULL REFERENCES trash (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  PRIMARY KEY (content_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE trash_links (
  id INTEGER PRIMARY KEY,
  source_id TEXT NOT NULL REFERENCES trash (id) ON DELETE CASCADE,
  target TEXT NOT NULL,
  type TEXT NOT NULL,
  origin TEXT NOT NULL,
  confidence REAL NOT NULL,
  context TEXT NOT NULL
) STRICT;

CREATE INDEX idx_trash_links_source ON trash_links (source_id);

-- The id is the section's row, to which it goes back.
CREATE TABLE trash_sections (
  id INTEGER PRIMARY KEY,
  content_id TEXT NOT NULL REFERENCES trash (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  heading_path TEXT NOT NULL CHECK (json_valid(heading_path)),
  start_char INTEGER NOT NULL,
  end_char INTEGER NOT NULL,
  line_start INTEGER NOT NULL,
  line_end INTEGER NOT NULL,
  token_count INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;

CREATE INDEX idx_trash_sections_content ON trash_sections (content_id);

-- Out of the vec0 tables, which compare every row that they hold.
CREATE TABLE trash_vectors (
  generation_id INTEGER NOT NULL REFERENCES generations (id) ON DELETE CASCADE,
  section_id INTEGER NOT NULL REFERENCES trash_sections (id) ON DELETE CASCADE,
  embedding BLOB NOT NULL,
  PRIMARY KEY (generation_id, section_id)
) STRICT;

CREATE INDEX idx_trash_vectors_section ON trash_vectors (section_id);

-- Documents that could not be stored; they may be in `content`, in the trash, or nowhere yet.
CREATE TABLE sync_failures (
  content_id TEXT PRIMARY KEY,
  collection_id TEXT NOT NULL,
  title TEXT NOT NULL,
  error TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_try_at TEXT NOT NULL
) STRICT;

CREATE INDEX idx_sync_failures_collection ON sync_failures (collection_id, next_try_at);

-- The token grows with each change of owner. A lease that was given back keeps its row, and with it
-- its token; its owner is '' then.
ALTER TABLE leases ADD COLUMN token INTEGER NOT NULL DEFAULT 1;

ALTER TABLE sync_state ADD COLUMN last_sweep_at TEXT;
ALTER TABLE sync_state ADD COLUMN next_try_at TEXT;
ALTER TABLE sync_state ADD COLUMN pending_removals INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sync_state ADD COLUMN failed_passes INTEGER NOT NULL DEFAULT 0;

CREATE TABLE sync_requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  full INTEGER NOT NULL CHECK (full IN (0, 1)),
  confirm_removals TEXT NOT NULL CHECK (json_valid(confirm_removals)),
  requested_at TEXT NOT NULL,
  answered_at TEXT,
  answer TEXT
) STRICT;

CREATE INDEX idx_sync_requests_open ON sync_requests (id) WHERE answer IS NULL;
CREATE INDEX idx_sync_requests_answered ON sync_requests (answered_at) WHERE answer IS NOT NULL;
