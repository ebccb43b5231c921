-- By what a content is known again when somebody adds it once more. Hashes of its title's words and
-- of its text. They are those of the text as it was added: Outline returns it in its own spelling.
-- A content in the trash keeps its row. Contents from before get theirs when they change.
CREATE TABLE content_keys (
  content_id TEXT PRIMARY KEY,
  title_key TEXT NOT NULL,
  text_key TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_content_keys_title ON content_keys (title_key);
CREATE INDEX idx_content_keys_text ON content_keys (text_key);
