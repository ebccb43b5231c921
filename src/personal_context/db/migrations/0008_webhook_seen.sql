-- How our subscription was when Outline was last asked, so that a status need not ask.

ALTER TABLE webhook ADD COLUMN state TEXT;
ALTER TABLE webhook ADD COLUMN problem TEXT;
ALTER TABLE webhook ADD COLUMN checked_at TEXT;
