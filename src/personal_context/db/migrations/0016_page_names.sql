-- The names that web pages go by: hashes of their addresses, because an address may hold a secret.
-- A content in the trash keeps its rows, until the page is added anew.
CREATE TABLE page_names (
  name TEXT PRIMARY KEY,
  content_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_page_names_content ON page_names (content_id);
