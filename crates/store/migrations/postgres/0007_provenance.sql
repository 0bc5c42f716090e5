-- Who made a memory and where; from when until when it holds, and what took its place; why it is not shown.
-- All with defaults: rows of before are valid, of an unknown maker.
ALTER TABLE sprag.memories ADD COLUMN source        TEXT NOT NULL DEFAULT '';
ALTER TABLE sprag.memories ADD COLUMN project       TEXT NOT NULL DEFAULT '';
ALTER TABLE sprag.memories ADD COLUMN valid_from    BIGINT;
ALTER TABLE sprag.memories ADD COLUMN valid_until   BIGINT;
ALTER TABLE sprag.memories ADD COLUMN superseded_by TEXT NOT NULL DEFAULT '';
ALTER TABLE sprag.memories ADD COLUMN quarantine    TEXT NOT NULL DEFAULT '';
CREATE INDEX memories_quarantine ON sprag.memories (quarantine) WHERE quarantine <> '';
