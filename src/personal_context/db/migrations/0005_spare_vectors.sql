-- Vectors whose section went: an undone edit or the same words elsewhere need no new one. They are
-- forgotten when the trash is emptied of what is as old.
CREATE TABLE spare_vectors (
  generation_id INTEGER NOT NULL REFERENCES generations (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  kept_at TEXT NOT NULL,
  embedding BLOB NOT NULL,
  PRIMARY KEY (generation_id, hash)
) STRICT;

CREATE INDEX idx_spare_vectors_kept_at ON spare_vectors (kept_at);
CREATE INDEX idx_spare_vectors_hash ON spare_vectors (hash);
CREATE INDEX idx_trash_sections_hash ON trash_sections (hash);
