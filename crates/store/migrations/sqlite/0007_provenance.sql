-- Who made a memory and where; from when until when it holds, and what took its place; why it is not shown.
-- All with defaults: rows of before are valid, of an unknown maker.
ALTER TABLE memories ADD COLUMN source        TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN project       TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN valid_from    INTEGER;
ALTER TABLE memories ADD COLUMN valid_until   INTEGER;
ALTER TABLE memories ADD COLUMN superseded_by TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN quarantine    TEXT NOT NULL DEFAULT '';
CREATE INDEX memories_quarantine ON memories (quarantine) WHERE quarantine <> '';
