-- What was learned. `data` is the whole lesson as JSON; the other columns are for queries.
CREATE TABLE lessons (
  id         TEXT PRIMARY KEY,
  slug       TEXT NOT NULL UNIQUE,
  status     TEXT NOT NULL,
  kind       TEXT NOT NULL,
  priority   INTEGER NOT NULL,
  confidence INTEGER NOT NULL,
  hash       TEXT NOT NULL,
  data       TEXT NOT NULL,
  created    INTEGER NOT NULL,
  updated    INTEGER NOT NULL
) STRICT;
CREATE INDEX lessons_status ON lessons (status, priority);
CREATE INDEX lessons_hash ON lessons (hash);

-- Where a lesson was seen in transcripts: one row per position, so that a second scan counts nothing twice.
CREATE TABLE lesson_sightings (
  lesson  TEXT NOT NULL,
  session TEXT NOT NULL,
  place   TEXT NOT NULL,
  project TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (lesson, session, place)
) STRICT;

-- How often a lesson was shown in a session, and whether the mistake was made there anyway.
CREATE TABLE lesson_fires (
  lesson  TEXT NOT NULL,
  session TEXT NOT NULL,
  shown   INTEGER NOT NULL,
  denied  INTEGER NOT NULL,
  ignored INTEGER NOT NULL,
  last    INTEGER NOT NULL,
  PRIMARY KEY (lesson, session)
) STRICT;

-- Who changed what: promotions, archivals, edits, imports.
CREATE TABLE lesson_reviews (
  id     TEXT PRIMARY KEY,
  at     INTEGER NOT NULL,
  action TEXT NOT NULL,
  lesson TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
