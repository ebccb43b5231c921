-- The terms of each section as numbers, see words/packing.py: what the index of words in memory is
-- read from. They are written with the terms of content_fts, and made anew with them.
CREATE TABLE section_terms (
  section_id INTEGER PRIMARY KEY REFERENCES sections (id) ON DELETE CASCADE,
  terms BLOB NOT NULL
) STRICT;

CREATE TRIGGER section_terms_changes AFTER INSERT ON section_terms BEGIN
  INSERT INTO index_changes (section_id) VALUES (new.section_id);
END;
