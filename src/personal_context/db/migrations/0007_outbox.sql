-- The outbox tells Outline not only of new contents, but of edits, and of contents that go to the
-- trash and come back. One row for each content; what is changed here while it waits is merged
-- into it. A content in the trash may have one too, so its id is no foreign key any more.
CREATE TABLE new_outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  content_id TEXT NOT NULL UNIQUE,
  operation TEXT NOT NULL CHECK (operation IN ('create', 'update', 'trash', 'restore')),
  state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'conflict', 'failed')),
  collection_id TEXT NOT NULL,
  queued_at TEXT NOT NULL,
  next_try_at TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  sent_version INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  owner TEXT,
  claimed_until TEXT,
  token INTEGER NOT NULL DEFAULT 0,
  -- Of what Outline is known to have: the document in a conflict, else what the edits began with.
  known_hash TEXT,
  base_title TEXT,
  sent_title TEXT,
  edits TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(edits)),
  base_text TEXT,
  sent_text TEXT,
  remote TEXT CHECK (json_valid(remote))
) STRICT;

-- A create that failed before may have arrived all the same.
INSERT INTO new_outbox (id, content_id, operation, state, collection_id, queued_at, next_try_at,
                        sent_version, attempts, error)
  SELECT o.id, o.content_id, 'create', o.state, o.collection_id, c.created_at, o.next_try_at,
         min(o.attempts, 1), o.attempts, o.error
  FROM outbox AS o JOIN content AS c ON c.id = o.content_id;

DROP TABLE outbox;
ALTER TABLE new_outbox RENAME TO outbox;

CREATE INDEX idx_outbox_due ON outbox (state, next_try_at);

-- What a content said before, the newest few: whoever changes it on the ground of an older reading
-- is shown what has changed since.
CREATE TABLE versions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  content_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  replaced_at TEXT NOT NULL,
  title TEXT NOT NULL,
  content TEXT NOT NULL,
  UNIQUE (content_id, hash)
) STRICT;

CREATE TRIGGER content_versions AFTER UPDATE OF hash ON content WHEN old.hash <> new.hash BEGIN
  INSERT OR REPLACE INTO versions (content_id, hash, replaced_at, title, content)
  VALUES (old.id, old.hash, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), old.title, old.content);
  DELETE FROM versions WHERE content_id = old.id AND id NOT IN (
    SELECT id FROM versions WHERE content_id = old.id ORDER BY id DESC LIMIT 10
  );
END;
