-- A collection is also known by its address, which ends in its urlId: people name it so in the
-- settings, and it must be found while Outline is down.
ALTER TABLE sync_state ADD COLUMN url_id TEXT NOT NULL DEFAULT '';
