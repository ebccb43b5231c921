-- One process may ask the one that owns the sync to let a collection go: a JSON object then.
ALTER TABLE sync_requests ADD COLUMN let_go TEXT CHECK (json_valid(let_go));
