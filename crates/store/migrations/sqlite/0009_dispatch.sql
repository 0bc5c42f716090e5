-- A higher number is done first. NULL is 0: rows of an older export have none.
ALTER TABLE tasks ADD COLUMN priority INTEGER;
-- Where a task was imported from: the same source is imported once.
ALTER TABLE tasks ADD COLUMN source TEXT;
CREATE UNIQUE INDEX tasks_source ON tasks (project, source) WHERE source IS NOT NULL;
CREATE INDEX tasks_ready ON tasks (project, state);

-- A task waits for others.
CREATE TABLE task_deps (
  task  TEXT NOT NULL,
  after TEXT NOT NULL,
  PRIMARY KEY (task, after)
) STRICT;
CREATE INDEX task_deps_after ON task_deps (after);

-- A task's runs by dispatchers, each with a lease.
CREATE TABLE attempts (
  id            TEXT PRIMARY KEY,
  task          TEXT NOT NULL,
  project       TEXT NOT NULL,
  number        INTEGER NOT NULL,
  dispatcher    TEXT NOT NULL,
  agent         TEXT NOT NULL,
  name          TEXT NOT NULL,
  home          TEXT NOT NULL,
  host          TEXT NOT NULL,
  process       TEXT NOT NULL,
  folder        TEXT NOT NULL,
  branch        TEXT NOT NULL,
  session       TEXT NOT NULL,
  log           TEXT NOT NULL,
  state         TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed', 'lost', 'stopped')),
  result        TEXT NOT NULL,
  model         TEXT NOT NULL,
  input_tokens  INTEGER NOT NULL,
  cached_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_micros   INTEGER,
  started       INTEGER NOT NULL,
  lease_until   INTEGER NOT NULL,
  ended         INTEGER,
  UNIQUE (task, number),
  CHECK ((ended IS NULL) = (state = 'running'))
) STRICT;
-- No task runs twice at once, whoever starts it.
CREATE UNIQUE INDEX attempts_running ON attempts (task) WHERE state = 'running';
CREATE INDEX attempts_dispatcher ON attempts (dispatcher, state);
CREATE INDEX attempts_lease ON attempts (state, lease_until);

-- Messages to an agent (`name`), to a role (`role:lead`), to all (`all`) or to one session (`session:ID`).
CREATE TABLE messages (
  id        TEXT PRIMARY KEY,
  project   TEXT NOT NULL,
  sender    TEXT NOT NULL,
  session   TEXT NOT NULL,
  recipient TEXT NOT NULL,
  text      TEXT NOT NULL,
  at        INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_recipient ON messages (recipient, at);
CREATE INDEX messages_sender ON messages (sender, at);

-- Who was given a message. Confirmed by the receiver's next event; before that a lost answer is given again.
CREATE TABLE message_reads (
  message   TEXT NOT NULL,
  reader    TEXT NOT NULL,
  agent     TEXT NOT NULL,
  session   TEXT NOT NULL,
  at        INTEGER NOT NULL,
  confirmed INTEGER,
  PRIMARY KEY (message, reader)
) STRICT;
CREATE INDEX message_reads_session ON message_reads (agent, session);
