-- What was learned. `data` is the whole lesson as JSON; the other columns are for queries.
CREATE TABLE sprag.lessons (
  id         TEXT PRIMARY KEY,
  slug       TEXT NOT NULL UNIQUE,
  status     TEXT NOT NULL,
  kind       TEXT NOT NULL,
  priority   BIGINT NOT NULL,
  confidence BIGINT NOT NULL,
  hash       TEXT NOT NULL,
  data       TEXT NOT NULL,
  created    BIGINT NOT NULL,
  updated    BIGINT NOT NULL
);
CREATE INDEX lessons_status ON sprag.lessons (status, priority);
CREATE INDEX lessons_hash ON sprag.lessons (hash);

-- Where a lesson was seen in transcripts: one row per position, so that a second scan counts nothing twice.
CREATE TABLE sprag.lesson_sightings (
  lesson  TEXT NOT NULL,
  session TEXT NOT NULL,
  place   TEXT NOT NULL,
  project TEXT NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (lesson, session, place)
);

-- How often a lesson was shown in a session, and whether the mistake was made there anyway.
CREATE TABLE sprag.lesson_fires (
  lesson  TEXT NOT NULL,
  session TEXT NOT NULL,
  shown   BIGINT NOT NULL,
  denied  BIGINT NOT NULL,
  ignored BIGINT NOT NULL,
  last    BIGINT NOT NULL,
  PRIMARY KEY (lesson, session)
);

-- Who changed what: promotions, archivals, edits, imports.
CREATE TABLE sprag.lesson_reviews (
  id     TEXT PRIMARY KEY,
  at     BIGINT NOT NULL,
  action TEXT NOT NULL,
  lesson TEXT NOT NULL,
  detail TEXT NOT NULL
);
