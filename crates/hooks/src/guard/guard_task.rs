//! guard-task: which subagents may start: by type, how many in a session, how many at once, how deep, how large a prompt.
//! Types that nobody listed are asked about where a person can answer. It stops or asks; it never approves.

use serde_json::Value;
use sprag_base::env::Env;
use sprag_base::glob;
use sprag_config::settings::Texts;
use sprag_config::{setting_choice, settings};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::calls::{agent_of, id_of, short};
use sprag_runtime::history::SUBAGENTS;
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_runtime::interactive;

setting_choice! {
    /// What happens to a type that is on no list.
    enum OtherTypes {
        Auto = "auto",
        Ask = "ask",
        Pass = "pass",
        Deny = "deny",
    }
}

settings! {
    struct GuardTaskSettings<'a> {
        /// types that start without a question; `*` is any text
        allow_types: Texts = ["Explore", "Plan"];
        /// types that never start
        deny_types: Texts, tighten Add;
        /// what happens to all other types: auto (ask, but pass in the preset swarm and where nobody can answer), ask, pass (the agent's own rules decide) or deny
        other_types: OtherTypes;
        /// subagents in one session
        max_per_session: usize = 50, tighten Lower;
        /// subagents at once
        max_running: usize = 8, tighten Lower;
        /// 1: only the session itself starts subagents; 2: their subagents too
        max_depth: usize = 1, tighten Lower;
        /// characters of the prompt
        max_prompt_chars: usize = 24_000, min 1, tighten Lower;
        /// a subagent whose end was never reported counts as running for so long
        stale_minutes: u64 = 60, min 1, tighten Raise;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "guard-task",
        family: Family::Guard,
        bundle: Bundle::Guards,
        summary: "asks before a subagent of an unlisted type starts; limits number, concurrency, depth and prompt size",
        sees: &[
            Sees { kind: EventKind::PreToolUse, matcher: "Agent|Task" },
            Sees { kind: EventKind::PostToolUse, matcher: "Agent|Task" },
            Sees { kind: EventKind::PostToolUseFailure, matcher: "Agent|Task" },
            Sees { kind: EventKind::SubagentStart, matcher: "" },
            Sees { kind: EventKind::SubagentStop, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Strict, Preset::Swarm]),
        settings: GuardTaskSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let now = cx.host.clock.now().seconds();
    match event.kind {
        EventKind::PreToolUse => return before(event, cx, now),
        EventKind::SubagentStart => {
            if let Some(agent) = &event.agent_id {
                let kind = event.agent_type.as_deref().unwrap_or_default();
                SUBAGENTS.add(cx, &format!("b {} {} {now}", short(agent), tag(kind)))?;
            }
        }
        EventKind::SubagentStop => {
            if let Some(agent) = event.agent_id.as_deref().filter(|_| SUBAGENTS.exists(cx)) {
                SUBAGENTS.add(cx, &format!("e {}", short(agent)))?;
            }
        }
        EventKind::PostToolUse | EventKind::PostToolUseFailure => {
            let response = event.tool_response();
            let text = |key: &str| response.and_then(|it| it.get(key)).and_then(Value::as_str);
            // A subagent in the background goes on when the call returns.
            let goes_on = text("status").is_some_and(|status| status.ends_with("launched"));
            let agent = text("agentId").map_or_else(|| "-".to_owned(), short);
            let state = if goes_on { "on" } else { "over" };
            SUBAGENTS.add(cx, &format!("p {} {agent} {state}", id_of(event)))?;
        }
        _ => {}
    }
    Ok(Reply::pass())
}

fn tag(kind: &str) -> String {
    let mut hash = short(kind);
    hash.truncate(10);
    hash
}

/// What a call asks for.
struct Wanted<'a> {
    kind: &'a str,
    about: &'a str,
    prompt: usize,
}

/// Agents name the parts differently; nothing that can be read is `None`.
fn wanted(input: Option<&Value>) -> Option<Wanted<'_>> {
    let input = input?.as_object().filter(|input| !input.is_empty())?;
    let text = |keys: &[&str]| keys.iter().find_map(|key| input.get(*key).and_then(Value::as_str));
    let prompt = text(&["prompt", "message", "task", "input"])?;
    // Without a type the agent takes its general one.
    let kind = text(&["subagent_type", "agent_type", "type"]).filter(|kind| !kind.is_empty());
    Some(Wanted {
        kind: kind.unwrap_or("general-purpose"),
        about: text(&["description", "name"]).unwrap_or_default(),
        prompt: prompt.chars().count(),
    })
}

fn before(event: &Event, cx: &Cx<'_>, now: u64) -> HookResult {
    let settings: GuardTaskSettings<'_> = cx.settings.read();
    let Some(wanted) = wanted(event.tool_input()) else {
        let what = "a subagent is to start, and the call does not say which or what for.";
        return Ok(match settings.other_types {
            OtherTypes::Deny => Reply::deny(what),
            _ if asks(event, cx) => Reply::ask(what),
            _ => Reply::pass(),
        });
    };
    if cx.recheck {
        // Seen and counted before; only what a rewrite may have changed is looked at again.
        return Ok(by_type(event, cx, &wanted, "").unwrap_or_default());
    }
    let (id, caller) = (id_of(event), agent_of(event));
    // Written before it is read: of parallel calls, each counts those that came before it.
    SUBAGENTS.add(cx, &format!("s {id} {caller} {now} {}", tag(wanted.kind)))?;
    let text = SUBAGENTS.read(cx)?;
    let found = count(&text, &id, &caller, now, settings.stale_minutes * 60);
    let reply = judge(event, cx, &wanted, &found);
    if reply.decision.stops() {
        SUBAGENTS.add(cx, &format!("d {id}"))?;
    }
    Ok(reply)
}

/// Whether types that are on no list are asked about: not where a question would be a refusal.
fn asks(event: &Event, cx: &Cx<'_>) -> bool {
    match cx.settings.read::<GuardTaskSettings<'_>>().other_types {
        OtherTypes::Ask => true,
        OtherTypes::Pass | OtherTypes::Deny => false,
        OtherTypes::Auto if cx.preset == Preset::Swarm => false,
        // Cases have an environment of their own: what is above the test runner says nothing about them.
        OtherTypes::Auto => {
            matches!(cx.host.env, Env::Fixed(_)) || interactive::is_interactive(&event.agent.spec().process)
        }
    }
}

fn judge(event: &Event, cx: &Cx<'_>, wanted: &Wanted<'_>, found: &SubagentCount) -> Reply {
    let settings: GuardTaskSettings<'_> = cx.settings.read();
    let kind = wanted.kind;
    if found.depth > settings.max_depth {
        return Reply::deny(format!(
            "subagent `{kind}`: it would be {} deep, the limit is {} (max_depth). \
             Do this part yourself and give the rest back to whoever started you.",
            found.depth, settings.max_depth
        ));
    }
    if found.started + 1 > settings.max_per_session {
        return Reply::deny(format!(
            "subagent `{kind}`: this session has started {}, the limit is {} (max_per_session). Do the rest yourself, or ask the user to raise it.",
            found.started, settings.max_per_session
        ));
    }
    if found.running + 1 > settings.max_running {
        return Reply::deny(format!(
            "subagent `{kind}`: {} are running, the limit is {} (max_running). Wait \
             for one of them, or do this part yourself.",
            found.running, settings.max_running
        ));
    }
    if wanted.prompt > settings.max_prompt_chars {
        return Reply::deny(format!(
            "subagent `{kind}`: its prompt has {} characters, the limit is {} (max_prompt_chars). Write the material to a file and name the file in the prompt.",
            wanted.prompt, settings.max_prompt_chars
        ));
    }
    let state = format!(" {} started in this session, {} running.", found.started, found.running);
    by_type(event, cx, wanted, &state).unwrap_or_default()
}

/// The verdict on a type; `None` passes.
fn by_type(event: &Event, cx: &Cx<'_>, wanted: &Wanted<'_>, state: &str) -> Option<Reply> {
    let settings: GuardTaskSettings<'_> = cx.settings.read();
    let kind = wanted.kind;
    let listed = |types: Texts<'_>| types.iter().any(|pattern| glob::name(pattern, kind));
    if listed(settings.deny_types) {
        return Some(
            Reply::deny(format!("subagent `{kind}`: its type is on the list deny_types."))
                .instead("Use another type or do this part yourself.")
                .about(kind),
        );
    }
    if listed(settings.allow_types) {
        return None;
    }
    let about: String = wanted.about.chars().filter(|c| !c.is_control()).take(80).collect();
    let about = if about.is_empty() { String::new() } else { format!(" ({about})") };
    let what = format!("subagent `{kind}`{about}, prompt of {} characters.{state}", wanted.prompt);
    if settings.other_types == OtherTypes::Deny {
        return Some(Reply::deny(format!("{what} Its type is not on the list allow_types.")).about(kind));
    }
    asks(event, cx).then(|| Reply::ask(format!("it starts a {what}")).about(kind))
}

#[derive(Debug, PartialEq, Eq)]
struct SubagentCount {
    /// How deep the new one would be: 1 is started by the session itself.
    depth: usize,
    /// How many were started before it.
    started: usize,
    /// How many of them are running.
    running: usize,
}

/// A subagent, from its call to its end.
#[derive(Clone, Copy, Debug)]
struct Sub<'a> {
    /// The call; none when only its start was seen.
    call: Option<&'a str>,
    /// Its own id; none until its start was seen.
    agent: Option<&'a str>,
    caller: &'a str,
    kind: &'a str,
    at: u64,
    ended: bool,
}

/// A call may wait for the user's word for so long before it counts as refused.
const PENDING: u64 = 120;

/// Counts what was started before a call. Pure.
fn count(text: &str, call: &str, caller: &str, now: u64, stale: u64) -> SubagentCount {
    let (subs, reported) = subagents(text);
    let before = subs.iter().position(|sub| sub.call == Some(call)).unwrap_or(subs.len());
    // Where starts are reported, a call without one was refused, once there was time to say so.
    let started = |sub: &&Sub<'_>| {
        sub.agent.is_some() || sub.ended || !reported || now.saturating_sub(sub.at) < PENDING
    };
    let earlier: Vec<&Sub<'_>> = subs.iter().take(before).filter(started).collect();
    let running = earlier.iter().filter(|sub| !sub.ended && now.saturating_sub(sub.at) < stale).count();
    let mut depth = 1;
    let mut who = caller;
    // A chain longer than this is none.
    while who != "main" && depth < 16 {
        depth += 1;
        who = subs.iter().find(|sub| sub.agent == Some(who)).map_or("main", |sub| sub.caller);
    }
    SubagentCount { depth, started: earlier.len(), running }
}

/// The subagents of a record, in the order of their calls, and whether starts are reported at all.
fn subagents(text: &str) -> (Vec<Sub<'_>>, bool) {
    let mut subs: Vec<Sub<'_>> = Vec::new();
    let mut reported = false;
    for line in text.lines() {
        let mut words = line.split(' ');
        let (Some(what), Some(id)) = (words.next(), words.next()) else { continue };
        let mut word = || words.next().filter(|word| !word.is_empty());
        match what {
            "s" => {
                let (Some(caller), Some(at), Some(kind)) = (word(), word(), word()) else { continue };
                let Ok(at) = at.parse() else { continue };
                subs.push(Sub { call: Some(id), agent: None, caller, kind, at, ended: false });
            }
            "d" => subs.retain(|sub| sub.call != Some(id)),
            "b" => {
                reported = true;
                let (Some(kind), Some(at)) = (word(), word()) else { continue };
                let Ok(at) = at.parse() else { continue };
                // A subagent that is spoken to again starts again; it is no new one.
                let known = subs.iter().position(|sub| sub.agent == Some(id));
                let waits = |sub: &Sub<'_>| sub.agent.is_none() && !sub.ended && sub.kind == kind;
                match known.or_else(|| subs.iter().position(waits)).and_then(|at| subs.get_mut(at)) {
                    Some(sub) => (sub.agent, sub.at, sub.ended) = (Some(id), at, false),
                    None => {
                        subs.push(Sub {
                            call: None,
                            agent: Some(id),
                            caller: "main",
                            kind,
                            at,
                            ended: false,
                        });
                    }
                }
            }
            "e" => subs.iter_mut().filter(|sub| sub.agent == Some(id)).for_each(|sub| sub.ended = true),
            "p" => {
                let (agent, state) = (word().filter(|agent| *agent != "-"), word());
                let by_agent = subs.iter().position(|sub| agent.is_some() && sub.agent == agent);
                let at = by_agent.or_else(|| subs.iter().position(|sub| sub.call == Some(id)));
                if let Some(sub) = at.and_then(|at| subs.get_mut(at)) {
                    sub.agent = sub.agent.or(agent);
                    sub.ended |= state == Some("over");
                }
            }
            _ => {}
        }
    }
    (subs, reported)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn at(text: &str, call: &str, caller: &str, now: u64) -> (usize, usize, usize) {
        let found = count(text, call, caller, now, 3_600);
        (found.depth, found.started, found.running)
    }

    #[test]
    fn started_and_stopped() {
        let text = "s c1 main 10 k\nb a1 k 11\ns c2 main 12 k\nb a2 k 13\ne a1\ns c3 main 20 k\n";
        assert_eq!(at(text, "c3", "main", 20), (1, 2, 1));
    }

    /// The end of a subagent may never be reported: the call's return says it, or its age.
    #[test]
    fn a_missing_end_does_not_block_for_ever() {
        let text = "s c1 main 10 k\nb a1 k 11\np c1 a1 over\ns c2 main 20 k\nb a2 k 21\ns c3 main 30 k\n";
        assert_eq!(at(text, "c3", "main", 30), (1, 2, 1));
        assert_eq!(at(text, "c3", "main", 21 + 3_600), (1, 2, 0), "too old to be running");
        let background = "s c1 main 10 k\nb a1 k 11\np c1 a1 on\ns c2 main 20 k\n";
        assert_eq!(at(background, "c2", "main", 20), (1, 1, 1), "the call returned, the subagent goes on");
    }

    #[test]
    fn a_refused_call_does_not_count_and_a_denied_one_neither() {
        let text = "s c0 main 5 k\nb a0 k 6\ns c1 main 10 k\ns c2 main 500 k\n";
        assert_eq!(at(text, "c2", "main", 500), (1, 1, 1));
        assert_eq!(
            at(&text.replace("s c2 main 500", "s c2 main 60"), "c2", "main", 60),
            (1, 2, 2),
            "not yet"
        );
        assert_eq!(at("s c1 main 1 k\nd c1\ns c2 main 2 k\n", "c2", "main", 2), (1, 0, 0));
        let silent = "s c1 main 10 k\ns c2 main 500 k\n";
        assert_eq!(at(silent, "c2", "main", 500), (1, 1, 1), "an agent that reports no starts");
    }

    #[test]
    fn of_parallel_calls_each_counts_those_before_it() {
        let text: String = (0..10).map(|n| ["s c", &n.to_string(), " main 10 k\n"].concat()).collect();
        assert_eq!(at(&text, "c0", "main", 10).2, 0);
        assert_eq!(at(&text, "c9", "main", 10).2, 9);
    }

    #[test]
    fn depth_follows_who_started_whom() {
        let text = "s c1 main 1 k\nb a1 k 2\ns c2 a1 3 k\nb a2 k 4\ns c3 a2 5 k\n";
        assert_eq!(at(text, "c3", "a2", 5).0, 3);
        assert_eq!(at(text, "c3", "unknown", 5).0, 2, "whoever it is, it is a subagent");
        let ring = "s c1 a1 1 k\nb a1 k 2\n";
        assert_eq!(at(ring, "c9", "a1", 5).0, 16, "a ring ends");
    }

    #[test]
    fn a_subagent_that_is_spoken_to_again_is_no_new_one() {
        let text = "s c1 main 1 k\nb a1 k 2\ne a1\nb a1 k 50\ns c2 main 60 k\n";
        assert_eq!(at(text, "c2", "main", 60), (1, 1, 1));
    }

    #[test]
    fn what_is_wanted() {
        let input = json!({"description": "d", "prompt": "päper", "subagent_type": "x"});
        let got = wanted(Some(&input)).unwrap();
        assert_eq!((got.kind, got.about, got.prompt), ("x", "d", 5));
        assert_eq!(wanted(Some(&json!({"message": "m"}))).unwrap().kind, "general-purpose");
        for odd in [json!(null), json!({}), json!([]), json!({"prompt": 3}), json!("x")] {
            assert!(wanted(Some(&odd)).is_none());
        }
    }

    proptest! {
        #[test]
        fn any_record_is_readable(text in "([sdbep] ?([a-c0-9-]{0,2} ?){0,5}\n|\\PC{0,10}\n){0,40}", now in 0u64..1_000) {
            let found = count(&text, "a", "b", now, 60);
            prop_assert!(found.running <= found.started && found.depth <= 16);
        }
    }
}
