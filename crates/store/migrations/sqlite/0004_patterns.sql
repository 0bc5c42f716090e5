-- Several agents at one piece of work. The rows are facts; readers derive the status of a run from them.
CREATE TABLE pattern_runs (
  project  TEXT NOT NULL,
  id       TEXT NOT NULL,
  kind     TEXT NOT NULL,
  session  TEXT NOT NULL,
  total    INTEGER NOT NULL,
  settings TEXT NOT NULL,
  state    TEXT NOT NULL,
  told     INTEGER NOT NULL,
  posts    INTEGER NOT NULL,
  base     INTEGER NOT NULL,
  since    INTEGER NOT NULL,
  created  INTEGER NOT NULL,
  updated  INTEGER NOT NULL,
  PRIMARY KEY (project, id)
) STRICT;

CREATE TABLE pattern_members (
  project TEXT NOT NULL,
  run     TEXT NOT NULL,
  member  TEXT NOT NULL,
  role    TEXT NOT NULL,
  seat    INTEGER NOT NULL,
  session TEXT NOT NULL,
  state   TEXT NOT NULL,
  vote    TEXT NOT NULL,
  output  TEXT NOT NULL,
  joined  INTEGER NOT NULL,
  ended   INTEGER,
  PRIMARY KEY (project, run, member)
) STRICT;

CREATE TABLE pattern_posts (
  project TEXT NOT NULL,
  run     TEXT NOT NULL,
  seq     INTEGER NOT NULL,
  author  TEXT NOT NULL,
  role    TEXT NOT NULL,
  topic   TEXT NOT NULL,
  text    TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (project, run, seq)
) STRICT;

-- Every version of an agent's own documents.
CREATE TABLE identity_versions (
  agent   TEXT NOT NULL,
  doc     TEXT NOT NULL,
  version INTEGER NOT NULL,
  hash    TEXT NOT NULL,
  text    TEXT NOT NULL,
  source  TEXT NOT NULL,
  session TEXT NOT NULL,
  host    TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (agent, doc, version)
) STRICT;
