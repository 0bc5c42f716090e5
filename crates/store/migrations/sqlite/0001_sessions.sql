-- Times are microseconds since 1970 in UTC, ids are UUIDv7.
CREATE TABLE agents (
  id         TEXT PRIMARY KEY,
  home       TEXT NOT NULL,
  name       TEXT NOT NULL,
  host       TEXT NOT NULL,
  role       TEXT NOT NULL,
  first_seen INTEGER NOT NULL,
  last_seen  INTEGER NOT NULL,
  UNIQUE (home, name)
) STRICT;

CREATE TABLE sessions (
  id          TEXT PRIMARY KEY,
  agent       TEXT NOT NULL,
  session     TEXT NOT NULL,
  home        TEXT NOT NULL,
  host        TEXT NOT NULL,
  pid         INTEGER NOT NULL,
  project     TEXT NOT NULL,
  root        TEXT NOT NULL,
  branch      TEXT NOT NULL,
  source      TEXT NOT NULL,
  started     INTEGER NOT NULL,
  registered  INTEGER NOT NULL,
  seen        INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  ended       INTEGER,
  UNIQUE (agent, session)
) STRICT;
CREATE INDEX sessions_live ON sessions (project, lease_until);

CREATE TABLE kv (
  space   TEXT NOT NULL,
  name    TEXT NOT NULL,
  value   TEXT NOT NULL,
  version INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  expires INTEGER,
  PRIMARY KEY (space, name)
) STRICT;

-- The ids of applied changes: a change that is sent twice is applied once.
CREATE TABLE applied (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT;
