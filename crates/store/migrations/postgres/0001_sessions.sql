CREATE SCHEMA IF NOT EXISTS sprag;
CREATE TABLE sprag.schema_version (
  version BIGINT PRIMARY KEY,
  applied BIGINT NOT NULL
);

-- Times are microseconds since 1970 in UTC, ids are UUIDv7.
CREATE TABLE sprag.agents (
  id         TEXT PRIMARY KEY,
  home       TEXT NOT NULL,
  name       TEXT NOT NULL,
  host       TEXT NOT NULL,
  role       TEXT NOT NULL,
  first_seen BIGINT NOT NULL,
  last_seen  BIGINT NOT NULL,
  UNIQUE (home, name)
);

CREATE TABLE sprag.sessions (
  id          TEXT PRIMARY KEY,
  agent       TEXT NOT NULL,
  session     TEXT NOT NULL,
  home        TEXT NOT NULL,
  host        TEXT NOT NULL,
  pid         BIGINT NOT NULL,
  project     TEXT NOT NULL,
  root        TEXT NOT NULL,
  branch      TEXT NOT NULL,
  source      TEXT NOT NULL,
  started     BIGINT NOT NULL,
  registered  BIGINT NOT NULL,
  seen        BIGINT NOT NULL,
  lease_until BIGINT NOT NULL,
  ended       BIGINT,
  UNIQUE (agent, session)
);
CREATE INDEX sessions_live ON sprag.sessions (project, lease_until);

CREATE TABLE sprag.kv (
  space   TEXT NOT NULL,
  name    TEXT NOT NULL,
  value   TEXT NOT NULL,
  version BIGINT NOT NULL,
  updated BIGINT NOT NULL,
  expires BIGINT,
  PRIMARY KEY (space, name)
);

-- The ids of applied changes: a change that is sent twice is applied once.
CREATE TABLE sprag.applied (
  id TEXT PRIMARY KEY,
  at BIGINT NOT NULL
);
