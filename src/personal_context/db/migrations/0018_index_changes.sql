-- What is kept in memory beside the index follows it, also what other processes write: each change
-- of a section, its terms or its vector has a number, given in the transaction that makes it.
-- generation_id is 0 for a change of the text. The newest 100,000 are kept: whoever is further
-- behind reads all anew.
CREATE TABLE index_changes (
  seq INTEGER PRIMARY KEY,
  section_id INTEGER NOT NULL,
  generation_id INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TRIGGER index_changes_trim AFTER INSERT ON index_changes WHEN new.seq % 1000 = 0 BEGIN
  DELETE FROM index_changes WHERE seq <= new.seq - 100000;
END;

CREATE TRIGGER sections_changes_delete AFTER DELETE ON sections BEGIN
  INSERT INTO index_changes (section_id) VALUES (old.id);
END;
