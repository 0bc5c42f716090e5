//! How an agent is started for a task: its command line, what it is told, and its environment.

use sprag_base::env::Env;
use sprag_config::host::Host;
use sprag_coord::tasks::ATTEMPT;
use sprag_deploy::installed::on_path;
use sprag_deploy::registered;
use sprag_project::Project;
use sprag_protocol::agents::is_session_variable;
use sprag_protocol::agents::spec::WorkerMode;
use sprag_protocol::{AgentId, EventKind};
use sprag_store::{AttemptRow, TaskRow};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Why an agent cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The dispatcher does not know how.
    #[error("{0} has no headless mode: it cannot be started for a task")]
    NoMode(&'static str),
    /// It is not installed.
    #[error("there is no program `{0}` on the PATH")]
    Missing(&'static str),
    /// It would work without the guards.
    #[error("sprag's guards are not registered with {0}")]
    Unguarded(&'static str),
}

/// An agent that can be started.
#[derive(Clone)]
pub struct Launcher {
    /// Which.
    pub agent: AgentId,
    /// How.
    pub mode: &'static WorkerMode,
    program: PathBuf,
}

/// Makes sure that an agent can be started, and that it would work with sprag's guards.
pub fn check(host: &Host, project: &Project, agent: AgentId) -> Result<Launcher, LaunchError> {
    let mode = agent.spec().worker.as_ref().ok_or(LaunchError::NoMode(agent.title()))?;
    let program = on_path(host, mode.program).ok_or(LaunchError::Missing(mode.program))?;
    let guarded = registered(host, project).iter().any(|file| {
        file.agent == agent && file.fault.is_none() && file.events.contains(&EventKind::PreToolUse.name())
    });
    if guarded { Ok(Launcher { agent, mode, program }) } else { Err(LaunchError::Unguarded(agent.title())) }
}

/// The agents that have a headless mode.
pub fn startable() -> impl Iterator<Item = AgentId> {
    AgentId::ALL.into_iter().filter(|agent| agent.spec().worker.is_some())
}

/// What an agent is told of the place where it works.
pub(crate) struct Workplace<'a> {
    /// The branch that was made for the task; `None`: the user's own checkout.
    pub branch: Option<&'a str>,
    /// Branches whose work the task needs and that do not merge.
    pub conflicts: &'a [String],
    /// Results of the tasks before this one.
    pub before: &'a [String],
}

impl Launcher {
    /// Program and arguments.
    pub fn argv(&self, task: &str, own: &[String], budget_micros: Option<i64>) -> Vec<String> {
        let mut argv = vec![self.program.display().to_string()];
        argv.extend(self.mode.arguments(task, own, budget_micros));
        argv
    }
}

/// The variables of an agent: the user's, without those of an agent around us, and with what it works on.
pub(crate) fn environment(
    host: &Host,
    task: &TaskRow,
    attempt: &AttemptRow,
    seat: &[(String, String)],
) -> Env {
    let mut map: BTreeMap<String, String> =
        host.env.with_prefix("").into_iter().filter(|(name, _)| !is_session_variable(name)).collect();
    let own = [
        ("SPRAG_TASK", task.id.as_str()),
        (ATTEMPT, attempt.id.as_str()),
        ("SPRAG_AGENT_NAME", attempt.name.as_str()),
        ("SPRAG_AGENT_ROLE", "worker"),
    ];
    map.extend(own.map(|(name, value)| (name.to_owned(), value.to_owned())));
    map.extend(seat.iter().cloned());
    map.remove("SPRAG_SESSION_ID");
    Env::Fixed(map)
}

/// What an agent is told to do.
pub(crate) fn prompt(task: &TaskRow, place: &Workplace<'_>) -> String {
    let mut text = format!("Do this task ({}): {}\n", task.id, task.title);
    if !task.goal.is_empty() {
        text.push_str(&format!("\n{}\n", task.goal));
    }
    if !task.progress.is_empty() {
        text.push_str(&format!("\nAn earlier attempt got this far: {}\n", task.progress));
    }
    for one in place.before {
        text.push_str(&format!("\n{one}\n"));
    }
    match place.branch {
        Some(branch) => text.push_str(&format!(
            "\nThis folder is a git worktree of its own, on branch {branch}. Commit your work there; do not push, merge \
             or switch branches."
        )),
        None => text.push_str("\nOther agents may work in this folder at the same time: change only what the task needs."),
    }
    for branch in place.conflicts {
        text.push_str(&format!(
            "\nThe task builds on branch {branch}, which conflicts with this one: begin with `git merge {branch}`."
        ));
    }
    text.push_str(
        "\nNobody answers questions: decide, and say in your last message what was done and what was not. If the task \
         cannot be done, run `sprag task fail --reason 'WHY'`.",
    );
    text
}
