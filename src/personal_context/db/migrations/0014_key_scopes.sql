-- What Outline lets the API key do, as it was found out last: a status need not ask.
CREATE TABLE key_scopes (
  endpoint TEXT PRIMARY KEY,
  allowed INTEGER NOT NULL CHECK (allowed IN (0, 1)),
  checked_at TEXT NOT NULL
) STRICT;
