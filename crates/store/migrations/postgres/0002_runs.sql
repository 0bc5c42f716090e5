-- Counts from the journal, per hour. `hook` is empty in the rows of an event as a whole.
CREATE TABLE sprag.runs (
  hour         BIGINT NOT NULL,
  home         TEXT NOT NULL,
  agent        TEXT NOT NULL,
  event        TEXT NOT NULL,
  hook         TEXT NOT NULL,
  fires        BIGINT NOT NULL,
  deny         BIGINT NOT NULL,
  block        BIGINT NOT NULL,
  ask          BIGINT NOT NULL,
  chars        BIGINT NOT NULL,
  errors       BIGINT NOT NULL,
  skips        BIGINT NOT NULL,
  shadow       BIGINT NOT NULL,
  last         BIGINT NOT NULL,
  last_verdict TEXT NOT NULL,
  last_error   TEXT,
  PRIMARY KEY (hour, home, agent, event, hook)
);

-- How long runs took: counts per slot of a logarithmic scale, for the percentiles.
CREATE TABLE sprag.run_times (
  hour  BIGINT NOT NULL,
  home  TEXT NOT NULL,
  agent TEXT NOT NULL,
  event TEXT NOT NULL,
  hook  TEXT NOT NULL,
  slot  BIGINT NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (hour, home, agent, event, hook, slot)
);

-- How far each file was ingested.
CREATE TABLE sprag.ingest (
  source   TEXT PRIMARY KEY,
  position BIGINT NOT NULL,
  lines    BIGINT NOT NULL,
  broken   BIGINT NOT NULL,
  updated  BIGINT NOT NULL
);
