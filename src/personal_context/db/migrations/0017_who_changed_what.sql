-- Who changed a document in Outline, and the last line of each content, for lists of changes.
ALTER TABLE sync_log ADD COLUMN actor TEXT NOT NULL DEFAULT '';

CREATE INDEX idx_sync_log_content ON sync_log (content_id, id);
