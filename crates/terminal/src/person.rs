//! Self-protection: what loosens the guards is interactive only, and refused inside an agent.
//! An agent shows in the environment, as a process among the ancestors and in their environment, or as a process on the
//! same terminal. Without a terminal it counts only while no agent works for this user.

use crate::Problem;
use crate::activity;
use crate::processes::{self, Process};
use anyhow::bail;
use sprag_base::env::Env;
use sprag_config::host::Host;
use sprag_protocol::agents::AGENTS;
use std::io::IsTerminal as _;

/// Variables of agents that sprag has no dialect for, and of its own making.
const OTHER_VARIABLES: [(&str, &str); 5] = [
    ("CURSOR_AGENT", "Cursor's agent"),
    ("AUGMENT_AGENT", "Augment"),
    ("AI_AGENT", "an agent"),
    // A user's hook, and a model call of the background worker.
    ("SPRAG_AGENT", "an agent's hook"),
    ("SPRAG_NESTED", "a model call of sprag"),
];

/// Variables that only a program started by an agent has, and the agent.
pub(crate) fn variables() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_agents =
        AGENTS.iter().flat_map(|agent| agent.process.variables.iter().map(|name| (*name, agent.title)));
    of_agents.chain(OTHER_VARIABLES)
}

/// Refuses inside an agent.
pub fn refuse_inside_agent(host: &Host) -> anyhow::Result<()> {
    match agent_around(&host.env) {
        Some(found) => bail!(Problem::new(
            format!("this command is interactive only, and sprag runs inside an agent: {found}"),
            "run it yourself, in a terminal of your own that no agent started; nothing was changed"
        )),
        None => Ok(()),
    }
}

/// Wants a person: a terminal on both sides that is nobody else's, or `--yes` while no agent works for this user.
pub fn require_person(host: &Host, yes: bool) -> anyhow::Result<()> {
    refuse_inside_agent(host)?;
    if !yes && !at_terminal() {
        bail!(Problem::new(
            "this needs a person's yes, and there is no terminal to ask on",
            "add --yes to say it in a script"
        ));
    }
    require_terminal_or_quiet(host)
}

/// For what loosens the guards and asks nothing: a person's terminal, or no agent that works for this user.
pub fn require_terminal_or_quiet(host: &Host) -> anyhow::Result<()> {
    refuse_inside_agent(host)?;
    if !at_terminal() || !processes::has_terminal() {
        return match activity::of_agents(host) {
            Some(found) => bail!(Problem::new(
                format!("this loosens the guards without a terminal, while an agent works here: {found}"),
                "run it yourself, in a terminal of your own; nothing was changed"
            )),
            None => Ok(()),
        };
    }
    if let Some(agent) = processes::agent_on_terminal() {
        bail!(Problem::new(
            format!("this is the terminal of an agent: {agent}"),
            "run it yourself, in a terminal of your own that no agent uses; nothing was changed"
        ));
    }
    Ok(())
}

/// True when a person can be asked.
pub fn at_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// The agent whose variable is set; that of a process above does not count.
pub fn agent_variable(env: &Env) -> Option<&'static str> {
    variables().find(|(name, _)| env.get(name).is_some()).map(|(_, agent)| agent)
}

/// What shows that sprag runs inside an agent; `None` when nothing does.
pub fn agent_around(env: &Env) -> Option<String> {
    let by_variable = variables().find(|(name, _)| env.get(name).is_some());
    if let Some((name, agent)) = by_variable {
        return Some(format!("{agent} ({name} is set)"));
    }
    processes::ancestors().iter().find_map(|process: &Process| {
        let agent = process.agent().or_else(|| process.variable())?;
        Some(format!("{agent} (process {} above this one)", process.id))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_is_enough_alone_and_an_empty_one_is_none() {
        for (name, agent) in variables() {
            let env = Env::Fixed([(name.to_owned(), "1".to_owned())].into());
            let found = agent_around(&env).unwrap();
            assert!(found.contains(name) && found.contains(agent), "{found}");
        }
    }
}
