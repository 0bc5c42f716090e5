//! What a person elsewhere is told of an event, and what telemetry takes from it: a job for the background, only where the
//! configuration wants that. Nothing is sent here.

use crate::job::{Job, Work};
use crate::journal::{self, Entry};
use crate::pending::Question;
use crate::queue;
use crate::work::Notice;
use sprag_base::text::{cut, one_line};
use sprag_config::host::Host;
use sprag_config::plan::EventPlan;
use sprag_config::schema::NoticeKind;
use sprag_protocol::dialect::Lost;
use sprag_protocol::{Event, EventKind};

/// The most characters of a call that are told.
const SHOWN: usize = 200;
/// Notifications wait for no other work.
const NOTIFY_LANE: &str = "notify";
/// Telemetry waits for no other work.
const TELEMETRY_LANE: &str = "telemetry";

/// Adds the jobs of an event that was answered.
pub(crate) fn offer(host: &Host, plan: &EventPlan, event: &Event, entry: &Entry, jobs: &mut Vec<Job>) {
    if plan.notify != 0 {
        jobs.extend(told(plan, event, entry).into_iter().map(|notice| job(stamped(host, notice))));
        if event.kind == EventKind::Stop && plan.notify & NoticeKind::Limit.bit() != 0 {
            jobs.push(job(stamped(host, of_event(NoticeKind::Limit, event, entry, String::new()))));
        }
    }
    if plan.telemetry_s != 0 {
        let mut job = Job::new(Work::Telemetry {}).keyed("").patient().in_lane(TELEMETRY_LANE);
        job.delay_s = u64::from(plan.telemetry_s);
        // A newer one would put off the one that waits, event after event.
        if queue::waiting_like(&host.paths, &job).is_none() {
            jobs.push(job);
        }
    }
}

/// Queues that an agent waits for an answer from elsewhere, before it waits.
pub(crate) fn question(host: &Host, plan: &EventPlan, question: &Question) {
    if plan.notify & NoticeKind::Waits.bit() == 0 {
        return;
    }
    let notice = Notice {
        what: NoticeKind::Waits,
        agent: question.agent.clone(),
        session: question.session.clone(),
        project: question.project.clone(),
        text: cut(&one_line(&question.shown), SHOWN),
        rule: question.rules.first().cloned().unwrap_or_default(),
        question: question.id.clone(),
        ended: false,
        at: 0,
        only: None,
    };
    if queue::push(&host.paths, &job(stamped(host, notice)), host.clock.now()).is_ok() {
        queue::wake(host);
    }
}

/// The job that tells it. One of the same session about the same replaces another that still waits; a question does not.
pub fn job(notice: Notice) -> Job {
    let key = [notice.what.name(), &notice.session, &notice.question, notice.only.as_deref().unwrap_or("")];
    let key = key.join("\0");
    Job::new(Work::Notify(notice)).keyed(key).in_lane(NOTIFY_LANE)
}

fn stamped(host: &Host, mut notice: Notice) -> Notice {
    notice.at = host.clock.now().0;
    notice
}

fn of_event(what: NoticeKind, event: &Event, entry: &Entry, text: String) -> Notice {
    let project = entry.stop.as_ref().map(|stop| stop.project.clone()).filter(|root| !root.is_empty());
    let decided = entry.runs.iter().rev().find(|run| !run.shadow && run.rule.is_some());
    Notice {
        what,
        agent: event.agent.name().to_owned(),
        session: event.session_id.clone(),
        project: project.unwrap_or_else(|| event.cwd.clone()),
        text,
        rule: decided.and_then(|run| run.rule.clone()).unwrap_or_default(),
        question: String::new(),
        ended: event.kind == EventKind::SessionEnd,
        at: 0,
        only: None,
    }
}

/// What is told of an event, when that is wanted.
fn told(plan: &EventPlan, event: &Event, entry: &Entry) -> Option<Notice> {
    let stop = entry.stop.as_ref();
    let shown = || stop.map(|stop| cut(&one_line(&stop.shown), SHOWN)).unwrap_or_default();
    // A subagent's end is not the agent's, and a signature in a terminal needs nobody.
    let (what, text) = match event.kind {
        EventKind::Notification if event.text("notification_type") != Some("auth_success") => {
            (NoticeKind::Waits, journal::keep(event.text("message").unwrap_or_default()))
        }
        // A turn that a hook sends on is not over.
        EventKind::Stop if stop.is_none() && event.agent_id.is_none() => (NoticeKind::Done, String::new()),
        EventKind::SessionEnd if !matches!(event.text("reason"), Some("clear" | "resume")) => {
            (NoticeKind::Done, String::new())
        }
        EventKind::PreToolUse | EventKind::PermissionRequest | EventKind::UserPromptSubmit => {
            let asks = entry.verdict == "ask" && !entry.lost.iter().any(|lost| lost == Lost::Ask.name());
            stop?;
            (if asks { NoticeKind::Waits } else { NoticeKind::Stopped }, shown())
        }
        _ => return None,
    };
    (plan.notify & what.bit() != 0).then(|| of_event(what, event, entry, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::dispatch;
    use crate::hook::{Builtin, Bundle, Family, HookSpec, Presets, Reply, Sees};
    use crate::queue::JobState;
    use serde_json::{Value, json};
    use sprag_base::files;
    use sprag_protocol::AgentId;

    /// Stops one command.
    static STOPS: [Builtin; 1] = [Builtin {
        spec: HookSpec {
            name: "stops",
            family: Family::Guard,
            bundle: Bundle::Guards,
            summary: "",
            sees: &[Sees { kind: EventKind::PreToolUse, matcher: "" }],
            presets: Presets::ALL,
            settings: &[],
            timeout_ms: 100,
        },
        run: |event, _| {
            let command = event.tool.as_ref().and_then(|tool| tool.command.as_deref());
            Ok(match command {
                Some(command) if command.starts_with("rm") => Reply::deny("no").rule("test:rm"),
                _ => Reply::pass(),
            })
        },
    }];
    static STOPS_SPEC: [&HookSpec; 1] = [&STOPS[0].spec];

    fn queued(config: &str, payload: &Value) -> Vec<Job> {
        let dir = tempfile::tempdir().unwrap();
        let host = Host { hooks: &STOPS_SPEC, ..Host::in_home(dir.path(), &[]) };
        let config = format!("version = 1\n{config}\n");
        files::write_atomic(&host.paths.config_file(), config.as_bytes()).unwrap();
        for _ in 0..2 {
            dispatch(&host, &STOPS, payload.to_string().as_bytes(), Some(AgentId::Claude));
        }
        queue::list(&host.paths, JobState::Waiting).into_iter().map(|(_, stored)| stored.job).collect()
    }

    fn notice(config: &str, payload: &Value) -> Option<Notice> {
        queued(config, payload).into_iter().find_map(|job| match job.work {
            Work::Notify(notice) => Some(notice),
            _ => None,
        })
    }

    fn event(name: &str, more: Value) -> Value {
        let mut payload = json!({"hook_event_name": name, "session_id": "s", "cwd": "/p"});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        payload
    }

    fn call(command: &str) -> Value {
        event("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": command}}))
    }

    #[test]
    fn a_stop_a_wait_and_an_end_are_told_and_ordinary_calls_are_not() {
        const ON: &str = "[notify]\ndesktop = true";
        let stopped = notice(ON, &call("rm -rf ghp_0123456789abcdefghijABCDEFGHIJ012345")).unwrap();
        assert_eq!((stopped.what, stopped.rule.as_str()), (NoticeKind::Stopped, "test:rm"));
        assert!(stopped.text.starts_with("rm -rf") && !stopped.text.contains("ghp_0"), "{}", stopped.text);
        assert_eq!(notice(ON, &call("ls")), None);
        let waits = notice(ON, &event("Notification", json!({"message": "needs your permission"}))).unwrap();
        assert_eq!((waits.what, waits.text.as_str()), (NoticeKind::Waits, "needs your permission"));
        let quiet = json!({"message": "hello", "notification_type": "auth_success"});
        assert_eq!(notice(ON, &event("Notification", quiet)), None);
        let ended = queued(ON, &event("Stop", json!({})));
        let kinds: Vec<&str> = ended.iter().map(|job| job.work.kind()).collect();
        assert_eq!(kinds, ["notify", "notify"], "done, and a look at the limits; each once");
        assert!(notice(ON, &event("SessionEnd", json!({"reason": "other"}))).unwrap().ended);
        assert_eq!(notice(ON, &event("SessionEnd", json!({"reason": "clear"}))), None);
    }

    #[test]
    fn nothing_is_queued_unless_it_is_wanted() {
        for config in ["", "[notify]\non = [\"done\"]", "[notify]\ndesktop = true\non = [\"done\"]"] {
            assert_eq!(queued(config, &call("rm x")), [], "{config}");
        }
        let jobs = queued("[telemetry]\notlp = true", &call("ls"));
        assert_eq!(jobs.iter().map(|job| job.work.kind()).collect::<Vec<_>>(), ["telemetry"]);
    }
}
