//! A question of a guard that goes to a person elsewhere: put into the queue, waited for, and taken for the verdict.
//! Only where the configuration says so, and only as long as the agent was told to wait for this hook: an agent that gives
//! up on a hook makes the call.

use crate::approvals;
use crate::chain::Outcome;
use crate::hook::Grounds;
use crate::journal::{self, Run};
use crate::merge::Said;
use crate::message;
use crate::notices;
use crate::pending::{self, Question};
use crate::session::Session;
use sprag_base::files;
use sprag_config::host::Host;
use sprag_config::plan::EventPlan;
use sprag_project::Project;
use sprag_protocol::{AgentId, Decision, Event, EventKind};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Who speaks in the journal.
const HOOK: &str = "approvals";

fn registered_file(host: &Host, agent: AgentId) -> PathBuf {
    host.paths.state.join("approvals-wait").join(agent.name())
}

/// Remembers how long an agent was told to wait for a hook that asks a person elsewhere; zero forgets it.
pub fn note_registered(host: &Host, agent: AgentId, wait: Duration) -> io::Result<()> {
    let file = registered_file(host, agent);
    if wait.is_zero() {
        return match files::remove(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    }
    files::write_atomic(&file, wait.as_secs().to_string().as_bytes())
}

/// How long the agent waits for such a hook; zero when it was not told to.
pub fn registered(host: &Host, agent: AgentId) -> Duration {
    let seconds = files::read_text(registered_file(host, agent), files::SMALL).ok();
    Duration::from_secs(seconds.and_then(|text| text.trim().parse().ok()).unwrap_or(0))
}

/// Asks a person elsewhere when the chain asks and the configuration wants that. The time that it took is given back, so
/// that the journal does not count it as the hooks'.
pub(crate) fn ask(
    host: &Host,
    plan: &EventPlan,
    event: &Event,
    (session, project): (&Session, &Project),
    outcome: &mut Outcome,
) -> Duration {
    let own_dialog = event.kind == EventKind::PermissionRequest && outcome.verdict.decision == Decision::Pass;
    let firm = outcome.said.iter().any(|said| said.grounds.firm);
    if plan.approvals_wait_s == 0 || firm || !(own_dialog || outcome.verdict.decision == Decision::Ask) {
        return Duration::ZERO;
    }
    let wait = Duration::from_secs(u64::from(plan.approvals_wait_s)).min(registered(host, event.agent));
    if wait.is_zero() {
        return Duration::ZERO;
    }
    let started = Instant::now();
    let told = |question: &Question| notices::question(host, plan, question);
    let answered = pending::ask(host, question(event, project, outcome), wait, told);
    let took = started.elapsed();
    let (decision, text) = match &answered {
        Ok(Some(answer)) if answer.allow => {
            approvals::let_through(session, event);
            (Decision::Allow, format!("a person allowed this, by {}", answer.by))
        }
        Ok(Some(answer)) => (Decision::Deny, format!("a person denied this, by {}", answer.by)),
        // What the agent itself asks, and what shall be asked there, is left to it.
        _ if own_dialog || plan.unanswered_asks => {
            note(outcome, took, "", "nobody answered: the agent asks");
            return took;
        }
        _ => (Decision::Deny, "nobody answered in time".to_owned()),
    };
    note(outcome, took, decision.name(), &text);
    outcome.verdict.decision = decision;
    if decision == Decision::Deny {
        let reason = format!(
            "{}{}",
            capital(&text),
            outcome.said.first().map(|said| format!(": {}", said.reason)).unwrap_or_default()
        );
        let rule = outcome.said.first().and_then(|said| said.grounds.rule.clone());
        let grounds = Grounds { rule, ..Grounds::default() };
        outcome.said = vec![Said { hook: HOOK.to_owned(), reason, grounds }];
    } else {
        outcome.said.clear();
        outcome.verdict.reason = None;
    }
    took
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn note(outcome: &mut Outcome, took: Duration, verdict: &str, reason: &str) {
    let seconds = took.as_secs();
    outcome.runs.push(Run {
        hook: HOOK.to_owned(),
        verdict: if verdict.is_empty() { "pass" } else { verdict }.to_owned(),
        reason: Some(journal::keep(&format!("{reason}, after {seconds} s"))),
        ..Run::default()
    });
}

fn question(event: &Event, project: &Project, outcome: &Outcome) -> Question {
    let (shown, whole) = crate::dispatch::shown(event);
    let mut rules: Vec<String> = outcome.said.iter().map(|said| said.label().to_owned()).collect();
    rules.dedup();
    let reasons = outcome.said.iter().map(|said| message::sentences(&said.reason, &said.grounds));
    let mut reason = sprag_scan::scrub::scrub(&reasons.collect::<Vec<_>>().join("\n")).into_owned();
    if rules.is_empty() {
        rules.push("permission".to_owned());
        reason = format!("{} asks for your permission.", event.agent.spec().title);
    }
    Question {
        agent: event.agent.name().to_owned(),
        session: event.session_id.clone(),
        cwd: event.cwd.clone(),
        project: project.root.to_string_lossy().into_owned(),
        event: event.kind.name().to_owned(),
        tool: event.tool.as_ref().map(|tool| journal::keep(&tool.name)).unwrap_or_default(),
        shown,
        whole,
        rules,
        reason,
        ..Question::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::{Answer, dispatch};
    use crate::hook::{Builtin, Bundle, Family, HookSpec, Presets, Reply, Sees};
    use serde_json::json;

    /// Asks about every call; with another command nothing lifts it.
    static ASKS: [Builtin; 1] = [Builtin {
        spec: HookSpec {
            name: "asks",
            family: Family::Guard,
            bundle: Bundle::Guards,
            summary: "",
            sees: &[Sees { kind: EventKind::PreToolUse, matcher: "" }],
            presets: Presets::ALL,
            settings: &[],
            timeout_ms: 100,
        },
        run: |event, _| {
            let mut reply = Reply::ask("This loses work").rule("test:asks");
            let command = event.tool.as_ref().and_then(|tool| tool.command.as_deref());
            reply.grounds.firm = command == Some("loosen");
            Ok(reply)
        },
    }];

    static ASKS_SPEC: [&HookSpec; 1] = [&ASKS[0].spec];

    fn host(dir: &std::path::Path, approvals: &str) -> Host {
        let host = Host { hooks: &ASKS_SPEC, ..Host::in_home(dir, &[]) };
        let config = format!("version = 1\n[approvals]\n{approvals}\n");
        files::write_atomic(&host.paths.config_file(), config.as_bytes()).unwrap();
        host
    }

    fn call(host: &Host, command: &str) -> Answer {
        let payload = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/",
            "tool_name": "Bash", "tool_input": {"command": command}});
        dispatch(host, &ASKS, payload.to_string().as_bytes(), Some(AgentId::Claude))
    }

    /// Answers the question that comes.
    fn answered(host: &Host, allow: bool) -> Answer {
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| call(host, "make clean"));
            let question = loop {
                match pending::list(host).pop() {
                    Some(question) => break question,
                    None => std::thread::yield_now(),
                }
            };
            assert_eq!(
                (question.shown.as_str(), question.rules.as_slice()),
                ("make clean", &["test:asks".to_owned()][..])
            );
            pending::answer(host, &question.id, allow, "terminal").unwrap().unwrap();
            asking.join().unwrap()
        })
    }

    #[test]
    fn by_default_and_without_a_deploy_nothing_waits() {
        for (config, registered) in [("remote = false", 60), ("remote = true", 0)] {
            let dir = tempfile::tempdir().unwrap();
            let host = host(dir.path(), config);
            note_registered(&host, AgentId::Claude, Duration::from_secs(registered)).unwrap();
            let answer = call(&host, "make clean");
            assert!(answer.stdout.unwrap().contains("\"ask\""), "{config}");
            assert_eq!(answer.entry.verdict, "ask");
        }
    }

    #[test]
    fn an_answer_is_the_verdict_and_the_journal_says_whose() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path(), "remote = true");
        note_registered(&host, AgentId::Claude, Duration::from_secs(600)).unwrap();
        let allowed = answered(&host, true);
        assert!(allowed.stdout.unwrap().contains("\"allow\""));
        let run = allowed.entry.runs.last().unwrap();
        assert_eq!((allowed.entry.verdict.as_str(), run.hook.as_str()), ("allow", HOOK));
        assert!(run.reason.as_ref().unwrap().starts_with("a person allowed this, by terminal"));
        let denied = answered(&host, false);
        let said = denied.stdout.unwrap();
        assert!(
            said.contains("\"deny\"") && said.contains("A person denied this, by terminal: This loses work"),
            "{said}"
        );
        assert!(approvals::valid(&host).is_empty(), "nothing is left for a later call");
        note_registered(&host, AgentId::Claude, Duration::ZERO).unwrap();
        assert_eq!(registered(&host, AgentId::Claude), Duration::ZERO);
    }

    #[test]
    fn without_an_answer_it_is_denied_or_asked_and_what_no_approval_lifts_is_not_asked() {
        for (config, verdict) in [("", "\"deny\""), ("unanswered = \"ask\"", "\"ask\"")] {
            let dir = tempfile::tempdir().unwrap();
            let host = host(dir.path(), &format!("remote = true\nwait = \"1s\"\n{config}"));
            note_registered(&host, AgentId::Claude, Duration::from_secs(600)).unwrap();
            let said = call(&host, "make clean").stdout.unwrap();
            assert!(said.contains(verdict), "{said}");
            assert!(call(&host, "loosen").stdout.unwrap().contains("\"ask\""), "at once, by the agent");
        }
    }
}
