-- Who holds what: a file of a repository and branch, the git state of a checkout, a settings file of this machine.
CREATE TABLE sprag.claims (
  repo    TEXT NOT NULL,
  branch  TEXT NOT NULL,
  path    TEXT NOT NULL,
  agent   TEXT NOT NULL,
  session TEXT NOT NULL,
  host    TEXT NOT NULL,
  root    TEXT NOT NULL,
  since   BIGINT NOT NULL,
  renewed BIGINT NOT NULL,
  expires BIGINT NOT NULL,
  PRIMARY KEY (repo, branch, path)
);
CREATE INDEX claims_holder ON sprag.claims (agent, session);
CREATE INDEX claims_checkout ON sprag.claims (host, root);

CREATE TABLE sprag.tasks (
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
  created  BIGINT NOT NULL,
  updated  BIGINT NOT NULL,
  started  BIGINT,
  finished BIGINT,
  CHECK ((finished IS NOT NULL) = (state IN ('done', 'failed', 'cancelled')))
);
CREATE INDEX tasks_parent ON sprag.tasks (parent);
CREATE INDEX tasks_state ON sprag.tasks (state, updated);
CREATE INDEX tasks_session ON sprag.tasks (agent, session);

-- Finished tasks are final; only open tasks can start.
CREATE FUNCTION sprag.tasks_transition() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF NEW.state <> OLD.state AND NOT (
    (OLD.state = 'open' AND NEW.state IN ('running', 'cancelled', 'failed'))
    OR (OLD.state = 'running' AND NEW.state IN ('done', 'failed', 'cancelled'))
  ) THEN
    RAISE EXCEPTION 'a task cannot change its state like that';
  END IF;
  RETURN NEW;
END
$body$;
CREATE TRIGGER tasks_transition BEFORE UPDATE OF state ON sprag.tasks
  FOR EACH ROW EXECUTE FUNCTION sprag.tasks_transition();

-- A session as a member of the team: its agent's name, and what it did last.
CREATE TABLE sprag.members (
  agent   TEXT NOT NULL,
  session TEXT NOT NULL,
  home    TEXT NOT NULL,
  name    TEXT NOT NULL,
  doing   TEXT NOT NULL,
  active  BIGINT NOT NULL,
  offline BIGINT,
  PRIMARY KEY (agent, session)
);
CREATE INDEX members_name ON sprag.members (home, name);
