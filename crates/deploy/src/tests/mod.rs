//! Tests of deploy: the editor on texts, then the same on a real disk.
//! Shared here: plans, and the checks that hold for every file.

mod blocks;
mod commands;
mod disk;
mod golden;
mod paths;
mod props;
mod refusals;
mod shapes;

use super::*;

const EXE: &str = "/opt/sprag/bin/sprag";

fn agent(name: &str) -> &'static AgentFiles {
    AgentFiles::find(name).unwrap()
}

fn env(home: &str) -> AgentEnv {
    AgentEnv::new(Some(home.into()), Some(format!("{home}/project").into()), |_| None)
}

fn registration(event: &str, matcher: Option<&str>, timeout: u64) -> Registration {
    Registration { event: event.into(), matcher: matcher.map(Into::into), timeout, gate: false }
}

fn plan(name: &str, registrations: Vec<Registration>) -> Plan {
    Plan::new(agent(name), Scope::User, &env("/home/u"), EXE, registrations).unwrap()
}

fn removal(plan: &Plan) -> Removal<'_> {
    Removal {
        agent: plan.agent,
        path: &plan.file,
        exe: Some(EXE.as_ref()),
        remembered: &plan.remembered,
        every_status_line: false,
    }
}

/// Two events, one of them with a matcher.
fn usual(name: &str) -> Plan {
    plan(name, vec![registration("PreToolUse", Some("Bash|Edit"), 65), registration("Stop", None, 30)])
}

fn applied(plan: &Plan, text: &str) -> String {
    apply(plan, text, Origin::Text(text)).unwrap().text
}

/// What must hold for every file: applying is idempotent, and stripping restores the file byte for byte.
fn check_round_trip(plan: &Plan, text: &str) -> String {
    let once = applied(plan, text);
    let twice = apply(plan, &once, Origin::Text(text)).unwrap().text;
    assert_eq!(once, twice, "applying twice changed the file");
    let back = strip(plan.agent, Some(EXE.as_ref()), &once, Origin::Text(text)).unwrap().text;
    assert_eq!(back, text, "stripping did not give the bytes back");
    let found = entries(plan.agent, Some(EXE.as_ref()), &once).unwrap();
    assert_eq!(found.len(), plan.registrations.len());
    once
}
