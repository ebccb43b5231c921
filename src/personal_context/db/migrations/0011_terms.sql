-- Search by words, over sections, by terms that the program makes of texts (see words/): FTS5's own
-- tokenizers find nothing inside Japanese or Thai, and know endings of English words only.

DROP TRIGGER content_fts_insert;
DROP TRIGGER content_fts_delete;
DROP TRIGGER content_fts_update;
DROP TABLE content_fts;

-- The rowid is the section's. All columns hold terms with blanks between; `names` holds what is
-- more than its words, whole: foo.bar, v1.9.2, c++.
CREATE VIRTUAL TABLE content_fts USING fts5 (
  title,
  headings,
  body,
  names,
  content = '',
  contentless_delete = 1,
  tokenize = 'ascii tokenchars ''#$%&+-./:=@\^_~'''
);

INSERT INTO content_fts (content_fts, rank) VALUES ('rank', 'bm25(2.0, 1.0, 1.0, 1.0)');

CREATE TRIGGER sections_terms_delete AFTER DELETE ON sections BEGIN
  DELETE FROM content_fts WHERE rowid = old.id;
END;

-- Titles as they are compared with a query that is nothing but a title.
CREATE TABLE content_titles (
  content_id TEXT PRIMARY KEY REFERENCES content (id) ON DELETE CASCADE,
  title TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_content_titles ON content_titles (title);

-- Which rules made the terms, and whether all sections have theirs.
CREATE TABLE terms_state (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  version INTEGER NOT NULL,
  complete INTEGER NOT NULL CHECK (complete IN (0, 1))
) STRICT;

INSERT INTO terms_state VALUES (1, 0, 0);

-- A search by nothing but filters shows what changed last.
CREATE INDEX idx_content_updated ON content (updated_at);
