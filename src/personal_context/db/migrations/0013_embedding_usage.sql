-- What embedding servers were asked for, by model, since the first request.
CREATE TABLE embedding_usage (
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  requests INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  since TEXT NOT NULL,
  PRIMARY KEY (provider, model)
) STRICT, WITHOUT ROWID;
