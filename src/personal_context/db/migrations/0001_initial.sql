-- The mirror and the search index. Times are ISO 8601 UTC text with milliseconds and Z, so that
-- they sort as they follow each other. Big columns stand last: what is left of them is read
-- without walking through them.

PRAGMA application_id = 0x50435458; -- "PCTX": tells our file from another program's

CREATE TABLE content (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  source_type TEXT NOT NULL CHECK (source_type <> ''),
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
  position INTEGER NOT NULL DEFAULT 0,
  hash TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  metadata TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata)),
  content TEXT NOT NULL,
  readable TEXT NOT NULL
) STRICT;

CREATE INDEX idx_content_source ON content (source_type, source_id);
CREATE INDEX idx_content_outline_doc ON content (outline_doc_id);
CREATE INDEX idx_content_created ON content (created_at);
CREATE INDEX idx_content_url_id ON content (url_id);
CREATE INDEX idx_content_collection ON content (collection_id, position, id);

CREATE VIRTUAL TABLE content_fts USING fts5 (
  title,
  readable,
  content = 'content',
  content_rowid = 'rowid',
  tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TRIGGER content_fts_insert AFTER INSERT ON content BEGIN
  INSERT INTO content_fts (rowid, title, readable) VALUES (new.rowid, new.title, new.readable);
END;

CREATE TRIGGER content_fts_delete AFTER DELETE ON content BEGIN
  INSERT INTO content_fts (content_fts, rowid, title, readable)
  VALUES ('delete', old.rowid, old.title, old.readable);
END;

CREATE TRIGGER content_fts_update AFTER UPDATE OF title, readable ON content
WHEN old.title <> new.title OR old.readable <> new.readable BEGIN
  INSERT INTO content_fts (content_fts, rowid, title, readable)
  VALUES ('delete', old.rowid, old.title, old.readable);
  INSERT INTO content_fts (rowid, title, readable) VALUES (new.rowid, new.title, new.readable);
END;

CREATE TABLE tags (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE content_tags (
  content_id TEXT NOT NULL REFERENCES content (id) ON DELETE CASCADE,
  tag_id INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  PRIMARY KEY (content_id, tag_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_content_tags_tag ON content_tags (tag_id);

-- A row stands for one hash and never changes it; AUTOINCREMENT keeps a removed row's id from
-- coming back under another text while somebody still embeds the old one.
CREATE TABLE sections (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  content_id TEXT NOT NULL REFERENCES content (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  heading_path TEXT NOT NULL CHECK (json_valid(heading_path)),
  start_char INTEGER NOT NULL,
  end_char INTEGER NOT NULL,
  line_start INTEGER NOT NULL,
  line_end INTEGER NOT NULL,
  token_count INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;

CREATE INDEX idx_sections_content ON sections (content_id, ordinal);
CREATE INDEX idx_sections_hash ON sections (hash);

CREATE TABLE links (
  id INTEGER PRIMARY KEY,
  source_id TEXT NOT NULL REFERENCES content (id) ON DELETE CASCADE,
  target TEXT NOT NULL,
  target_id TEXT REFERENCES content (id) ON DELETE SET NULL,
  type TEXT NOT NULL,
  origin TEXT NOT NULL,
  confidence REAL NOT NULL,
  context TEXT NOT NULL
) STRICT;

CREATE INDEX idx_links_source ON links (source_id);
CREATE INDEX idx_links_target ON links (target);
CREATE INDEX idx_links_target_id ON links (target_id);

CREATE TABLE sync_state (
  collection_id TEXT PRIMARY KEY,
  name TEXT NOT NULL DEFAULT '',
  last_pull_at TEXT,
  status TEXT NOT NULL DEFAULT 'idle' CHECK (status IN ('idle', 'syncing', 'error')),
  error_message TEXT,
  finished_at TEXT
) STRICT;

CREATE TABLE sync_log (
  id INTEGER PRIMARY KEY,
  collection_id TEXT,
  operation TEXT NOT NULL,
  content_id TEXT,
  outline_doc_id TEXT,
  details TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX idx_sync_log_collection ON sync_log (collection_id, created_at);

CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  content_id TEXT NOT NULL UNIQUE REFERENCES content (id) ON DELETE CASCADE,
  collection_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  next_try_at TEXT NOT NULL,
  error TEXT
) STRICT;

CREATE INDEX idx_outbox_due ON outbox (state, next_try_at);

CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;

CREATE TABLE generations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  state TEXT NOT NULL UNIQUE CHECK (state IN ('building', 'active'))
) STRICT;

-- Sections that a generation has no vector for; with an error, it was refused for good.
CREATE TABLE backlog (
  generation_id INTEGER NOT NULL REFERENCES generations (id) ON DELETE CASCADE,
  section_id INTEGER NOT NULL REFERENCES sections (id) ON DELETE CASCADE,
  error TEXT,
  PRIMARY KEY (generation_id, section_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_backlog_section ON backlog (section_id);
CREATE INDEX idx_backlog_open ON backlog (generation_id, section_id) WHERE error IS NULL;
CREATE INDEX idx_backlog_failed ON backlog (generation_id) WHERE error IS NOT NULL;

CREATE TRIGGER sections_backlog AFTER INSERT ON sections BEGIN
  INSERT INTO backlog (generation_id, section_id) SELECT id, new.id FROM generations;
END;

-- Each generation has a table content_vec_<id> of its own; this name stands for the active one.
CREATE VIEW content_vec (section_id, embedding) AS SELECT NULL, NULL WHERE 0;
