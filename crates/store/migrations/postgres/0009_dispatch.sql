-- A higher number is done first. NULL is 0: rows of an older export have none.
ALTER TABLE sprag.tasks ADD COLUMN priority BIGINT;
-- Where a task was imported from: the same source is imported once.
ALTER TABLE sprag.tasks ADD COLUMN source TEXT;
CREATE UNIQUE INDEX tasks_source ON sprag.tasks (project, source) WHERE source IS NOT NULL;
CREATE INDEX tasks_ready ON sprag.tasks (project, state);

-- A task waits for others.
CREATE TABLE sprag.task_deps (
  task  TEXT NOT NULL,
  after TEXT NOT NULL,
  PRIMARY KEY (task, after)
);
CREATE INDEX task_deps_after ON sprag.task_deps (after);

-- A task's runs by dispatchers, each with a lease.
CREATE TABLE sprag.attempts (
  id            TEXT PRIMARY KEY,
  task          TEXT NOT NULL,
  project       TEXT NOT NULL,
  number        BIGINT NOT NULL,
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
  input_tokens  BIGINT NOT NULL,
  cached_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cost_micros   BIGINT,
  started       BIGINT NOT NULL,
  lease_until   BIGINT NOT NULL,
  ended         BIGINT,
  UNIQUE (task, number),
  CHECK ((ended IS NULL) = (state = 'running'))
);
-- No task runs twice at once, whoever starts it.
CREATE UNIQUE INDEX attempts_running ON sprag.attempts (task) WHERE state = 'running';
CREATE INDEX attempts_dispatcher ON sprag.attempts (dispatcher, state);
CREATE INDEX attempts_lease ON sprag.attempts (state, lease_until);

-- Messages to an agent (`name`), to a role (`role:lead`), to all (`all`) or to one session (`session:ID`).
CREATE TABLE sprag.messages (
  id        TEXT PRIMARY KEY,
  project   TEXT NOT NULL,
  sender    TEXT NOT NULL,
  session   TEXT NOT NULL,
  recipient TEXT NOT NULL,
  text      TEXT NOT NULL,
  at        BIGINT NOT NULL
);
CREATE INDEX messages_recipient ON sprag.messages (recipient, at);
CREATE INDEX messages_sender ON sprag.messages (sender, at);

-- Who was given a message. Confirmed by the receiver's next event; before that a lost answer is given again.
CREATE TABLE sprag.message_reads (
  message   TEXT NOT NULL,
  reader    TEXT NOT NULL,
  agent     TEXT NOT NULL,
  session   TEXT NOT NULL,
  at        BIGINT NOT NULL,
  confirmed BIGINT,
  PRIMARY KEY (message, reader)
);
CREATE INDEX message_reads_session ON sprag.message_reads (agent, session);
