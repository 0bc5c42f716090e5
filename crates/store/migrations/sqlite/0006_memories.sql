-- Memories. `seq` is the number of a memory's last change: a changed text gets a new one, none is used twice.
CREATE TABLE memories (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
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
  importance INTEGER NOT NULL,
  created    INTEGER NOT NULL,
  updated    INTEGER NOT NULL,
  expires    INTEGER,
  version    INTEGER NOT NULL,
  uses       INTEGER NOT NULL,
  used       INTEGER,
  UNIQUE (scope, place, text_hash)
) STRICT;
CREATE INDEX memories_origin ON memories (origin) WHERE origin <> '';
CREATE INDEX memories_expires ON memories (expires) WHERE expires IS NOT NULL;

-- Previous versions of texts.
CREATE TABLE memory_versions (
  id      TEXT NOT NULL,
  version INTEGER NOT NULL,
  text    TEXT NOT NULL,
  until   INTEGER NOT NULL,
  PRIMARY KEY (id, version)
) STRICT;

CREATE TABLE memory_links (
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  kind   TEXT NOT NULL,
  PRIMARY KEY (source, target, kind)
) STRICT;

-- Vectors by model. `number` grows: a derived file is updated with the numbers after its last.
CREATE TABLE memory_vectors (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  seq    INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
  model  TEXT NOT NULL,
  scale  INTEGER NOT NULL,
  vector BLOB NOT NULL,
  UNIQUE (seq, model)
) STRICT;

-- The id of this database, so that files derived from another one are recognized.
CREATE TABLE memory_store (id TEXT NOT NULL) STRICT;
INSERT INTO memory_store (id) VALUES (lower(hex(randomblob(16))));

CREATE VIRTUAL TABLE memory_words USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER memory_words_add AFTER INSERT ON memories BEGIN
  INSERT INTO memory_words (rowid, text) VALUES (new.seq, new.text || ' ' || new.tags);
END;
CREATE TRIGGER memory_words_remove AFTER DELETE ON memories BEGIN
  DELETE FROM memory_words WHERE rowid = old.seq;
END;
