-- Several agents at one piece of work. The rows are facts; readers derive the status of a run from them.
CREATE TABLE sprag.pattern_runs (
  project  TEXT NOT NULL,
  id       TEXT NOT NULL,
  kind     TEXT NOT NULL,
  session  TEXT NOT NULL,
  total    BIGINT NOT NULL,
  settings TEXT NOT NULL,
  state    TEXT NOT NULL,
  told     BIGINT NOT NULL,
  posts    BIGINT NOT NULL,
  base     BIGINT NOT NULL,
  since    BIGINT NOT NULL,
  created  BIGINT NOT NULL,
  updated  BIGINT NOT NULL,
  PRIMARY KEY (project, id)
);

CREATE TABLE sprag.pattern_members (
  project TEXT NOT NULL,
  run     TEXT NOT NULL,
  member  TEXT NOT NULL,
  role    TEXT NOT NULL,
  seat    BIGINT NOT NULL,
  session TEXT NOT NULL,
  state   TEXT NOT NULL,
  vote    TEXT NOT NULL,
  output  TEXT NOT NULL,
  joined  BIGINT NOT NULL,
  ended   BIGINT,
  PRIMARY KEY (project, run, member)
);

CREATE TABLE sprag.pattern_posts (
  project TEXT NOT NULL,
  run     TEXT NOT NULL,
  seq     BIGINT NOT NULL,
  author  TEXT NOT NULL,
  role    TEXT NOT NULL,
  topic   TEXT NOT NULL,
  text    TEXT NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (project, run, seq)
);

-- Every version of an agent's own documents.
CREATE TABLE sprag.identity_versions (
  agent   TEXT NOT NULL,
  doc     TEXT NOT NULL,
  version BIGINT NOT NULL,
  hash    TEXT NOT NULL,
  text    TEXT NOT NULL,
  source  TEXT NOT NULL,
  session TEXT NOT NULL,
  host    TEXT NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (agent, doc, version)
);
