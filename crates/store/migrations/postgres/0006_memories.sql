-- Memories. `seq` is the number of a memory's last change: a changed text gets a new one, none is used twice.
CREATE TABLE sprag.memories (
  seq        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  kind       TEXT NOT NULL,
  scope      TEXT NOT NULL,
  place      TEXT NOT NULL,
  text       TEXT NOT NULL,
  text_hash  TEXT NOT NULL,
  tags       TEXT NOT NULL,
  agent      TEXT NOT NULL,
  session    TEXT NOT NULL,
  origin     TEXT NOT NULL,
  importance BIGINT NOT NULL,
  created    BIGINT NOT NULL,
  updated    BIGINT NOT NULL,
  expires    BIGINT,
  version    BIGINT NOT NULL,
  uses       BIGINT NOT NULL,
  used       BIGINT,
  words      TSVECTOR GENERATED ALWAYS AS (to_tsvector('english', text || ' ' || tags)) STORED,
  UNIQUE (scope, place, text_hash)
);
CREATE INDEX memories_words ON sprag.memories USING GIN (words);
CREATE INDEX memories_origin ON sprag.memories (origin) WHERE origin <> '';
CREATE INDEX memories_expires ON sprag.memories (expires) WHERE expires IS NOT NULL;

-- Previous versions of texts.
CREATE TABLE sprag.memory_versions (
  id      TEXT NOT NULL,
  version BIGINT NOT NULL,
  text    TEXT NOT NULL,
  until   BIGINT NOT NULL,
  PRIMARY KEY (id, version)
);

CREATE TABLE sprag.memory_links (
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  kind   TEXT NOT NULL,
  PRIMARY KEY (source, target, kind)
);

-- Vectors by model. `number` grows: a derived file is updated with the numbers after its last.
CREATE TABLE sprag.memory_vectors (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  seq    BIGINT NOT NULL REFERENCES sprag.memories (seq) ON DELETE CASCADE,
  model  TEXT NOT NULL,
  scale  BIGINT NOT NULL,
  vector BYTEA NOT NULL,
  UNIQUE (seq, model)
);

-- The id of this database, so that files derived from another one are recognized.
CREATE TABLE sprag.memory_store (id TEXT NOT NULL);
INSERT INTO sprag.memory_store (id) VALUES (md5(random()::TEXT || clock_timestamp()::TEXT));
