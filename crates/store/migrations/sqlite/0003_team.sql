-- Who holds what: a file of a repository and branch, the git state of a checkout, a settings file of this machine.
CREATE TABLE claims (
  repo    TEXT NOT NULL,
  branch  TEXT NOT NULL,
  path    TEXT NOT NULL,
  agent   TEXT NOT NULL,
  session TEXT NOT NULL,
  host    TEXT NOT NULL,
  root    TEXT NOT NULL,
  since   INTEGER NOT NULL,
  renewed INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  PRIMARY KEY (repo, branch, path)
) STRICT;
CREATE INDEX claims_holder ON claims (agent, session);
CREATE INDEX claims_checkout ON claims (host, root);

CREATE TABLE tasks (
  id       TEXT PRIMARY KEY,
  parent   TEXT,
  title    TEXT NOT NULL,
  goal     TEXT NOT NULL,
  state    TEXT NOT NULL CHECK (state IN ('open', 'running', 'done', 'failed', 'cancelled')),
  creator  TEXT NOT NULL,
  assignee TEXT NOT NULL,
  agent    TEXT NOT NULL,
  session  TEXT NOT NULL,
  project  TEXT NOT NULL,
  progress TEXT NOT NULL,
  outcome  TEXT NOT NULL,
  created  INTEGER NOT NULL,
  updated  INTEGER NOT NULL,
  started  INTEGER,
  finished INTEGER,
  CHECK ((finished IS NOT NULL) = (state IN ('done', 'failed', 'cancelled')))
) STRICT;
CREATE INDEX tasks_parent ON tasks (parent);
CREATE INDEX tasks_state ON tasks (state, updated);
CREATE INDEX tasks_session ON tasks (agent, session);

-- Finished tasks are final; only open tasks can start.
CREATE TRIGGER tasks_transition BEFORE UPDATE OF state ON tasks
WHEN NEW.state <> OLD.state AND NOT (
  (OLD.state = 'open' AND NEW.state IN ('running', 'cancelled', 'failed'))
  OR (OLD.state = 'running' AND NEW.state IN ('done', 'failed', 'cancelled'))
)
BEGIN
  SELECT RAISE(ABORT, 'a task cannot change its state like that');
END;

-- A session as a member of the team: its agent's name, and what it did last.
CREATE TABLE members (
  agent   TEXT NOT NULL,
  session TEXT NOT NULL,
  home    TEXT NOT NULL,
  name    TEXT NOT NULL,
  doing   TEXT NOT NULL,
  active  INTEGER NOT NULL,
  offline INTEGER,
  PRIMARY KEY (agent, session)
) STRICT;
CREATE INDEX members_name ON members (home, name);
