-- When scarce endpoints of Outline were asked: the processes of one store share their limits.
CREATE TABLE upstream_requests (
  endpoint TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT;

CREATE INDEX upstream_requests_by_time ON upstream_requests (endpoint, at);
