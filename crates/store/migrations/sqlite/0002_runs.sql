-- Counts from the journal, per hour. `hook` is empty in the rows of an event as a whole.
CREATE TABLE runs (
  hour         INTEGER NOT NULL,
  home         TEXT NOT NULL,
  agent        TEXT NOT NULL,
  event        TEXT NOT NULL,
  hook         TEXT NOT NULL,
  fires        INTEGER NOT NULL,
  deny         INTEGER NOT NULL,
  block        INTEGER NOT NULL,
  ask          INTEGER NOT NULL,
  chars        INTEGER NOT NULL,
  errors       INTEGER NOT NULL,
  skips        INTEGER NOT NULL,
  shadow       INTEGER NOT NULL,
  last         INTEGER NOT NULL,
  last_verdict TEXT NOT NULL,
  last_error   TEXT,
  PRIMARY KEY (hour, home, agent, event, hook)
) STRICT;

-- How long runs took: counts per slot of a logarithmic scale, for the percentiles.
CREATE TABLE run_times (
  hour  INTEGER NOT NULL,
  home  TEXT NOT NULL,
  agent TEXT NOT NULL,
  event TEXT NOT NULL,
  hook  TEXT NOT NULL,
  slot  INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (hour, home, agent, event, hook, slot)
) STRICT;

-- How far each file was ingested.
CREATE TABLE ingest (
  source   TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  lines    INTEGER NOT NULL,
  broken   INTEGER NOT NULL,
  updated  INTEGER NOT NULL
) STRICT;
