//! What the facts of a run add up to: complete or not, who is missed, what comes next, and what its coordinator is told.
//! Pure: the same facts give the same answer in every process.

use super::kind::PatternKind;
use super::part::Conf;
use super::texts::title;
use sprag_store::{MemberRow, PatternView, PostRow};
use std::collections::BTreeMap;

/// What a run has come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Everybody has done their part.
    pub complete: bool,
    /// Members whose part is over.
    pub done: usize,
    /// Members that are needed in all.
    pub needed: usize,
    /// Who is missed, in words.
    pub waiting: Vec<String>,
    /// What the coordinator does next, when it is not complete.
    pub next: Option<String>,
    /// The result, when it is complete.
    pub result: Vec<String>,
}

/// A member's state as of now: one that never reported is lost after a while.
pub fn state_of(member: &MemberRow, now: i64, stale: i64) -> &str {
    if member.state == "running" && member.joined + stale < now { "lost" } else { &member.state }
}

/// A member's role: its own, or its seat's.
pub fn role_of(kind: PatternKind, member: &MemberRow) -> &str {
    if member.role.is_empty() { kind.role(member.seat) } else { &member.role }
}

/// A member in words: `juror 2`.
pub fn name_of(kind: PatternKind, member: &MemberRow) -> String {
    format!("{} {}", role_of(kind, member), member.seat + 1)
}

/// The circuit of a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Circuit {
    /// All is well.
    Closed,
    /// It failed too often.
    Open,
    /// One trial.
    HalfOpen,
}

/// Follows successes and failures in their order.
pub fn circuit(posts: &[PostRow], given: &str, limit: i64) -> Circuit {
    let start = match given {
        "open" => Circuit::Open,
        "half_open" => Circuit::HalfOpen,
        _ => Circuit::Closed,
    };
    let mut failures = 0;
    posts.iter().fold(start, |state, post| match (post.topic.as_str(), state) {
        ("success", Circuit::Open) => Circuit::Open,
        ("success", _) => {
            failures = 0;
            Circuit::Closed
        }
        ("failure", Circuit::HalfOpen) => Circuit::Open,
        ("failure", _) => {
            failures += 1;
            if failures >= limit { Circuit::Open } else { state }
        }
        ("half_open", _) => Circuit::HalfOpen,
        _ => state,
    })
}

/// The settings of a run.
pub fn conf_of(view: &PatternView) -> Conf {
    serde_json::from_str(&view.run.settings).unwrap_or_default()
}

/// Reads a run.
pub fn status(view: &PatternView, now: i64, stale: i64) -> Status {
    let Some(kind) = PatternKind::parse(&view.run.kind) else { return Status::default() };
    let conf = conf_of(view);
    let over = |member: &&MemberRow| state_of(member, now, stale) != "running";
    let needed =
        usize::try_from(view.run.total).ok().filter(|total| *total > 0).unwrap_or(view.members.len());
    let done = view.members.iter().filter(over).count();
    let all_in = needed > 0 && done >= needed && done == view.members.len();
    let mut waiting: Vec<String> =
        view.members.iter().filter(|member| !over(member)).map(|member| name_of(kind, member)).collect();
    let not_started = needed.saturating_sub(view.members.len());
    let posts_of = |role: &str| view.posts.iter().filter(|post| post.role == role).count() as i64;
    let mut next = None;
    let complete = match kind {
        PatternKind::GeneratorCritic => {
            let approved = view.posts.iter().any(|post| post.role == "critic" && post.topic == "approved");
            let rounds = posts_of("critic");
            if !approved && rounds < conf.rounds && waiting.is_empty() {
                let who = if posts_of("generator") > rounds { "critic" } else { "generator" };
                next = Some(format!("start the {who} (round {} of {})", rounds + 1, conf.rounds));
            }
            approved || rounds >= conf.rounds
        }
        PatternKind::CircuitBreaker => {
            let open = circuit(&view.posts, "", conf.failures) == Circuit::Open;
            let ended = |role: &str, word: &str| {
                view.members.iter().any(|m| role_of(kind, m) == role && state_of(m, now, stale) == word)
            };
            let over = |role: &str| {
                view.members.iter().any(|m| role_of(kind, m) == role && state_of(m, now, stale) != "running")
            };
            let primary_failed = open || (over("primary") && !ended("primary", "done"));
            if primary_failed && !view.members.iter().any(|m| role_of(kind, m) == "fallback") {
                next = Some("the circuit is open: start the fallback".to_owned());
            }
            over("fallback") || (ended("primary", "done") && !open)
        }
        PatternKind::ChainOfResponsibility => {
            let resolved = view.members.iter().any(|m| matches!(m.state.as_str(), "resolved" | "done"));
            if !resolved && !all_in && waiting.is_empty() {
                next = Some(format!("start handler {} of {needed}", done + 1));
            }
            resolved || all_in
        }
        PatternKind::Adversarial => {
            let (pro, con) = (posts_of("advocate"), posts_of("adversary"));
            if waiting.is_empty() && pro.min(con) < conf.rounds {
                let who = if pro > con { "adversary" } else { "advocate" };
                next = Some(format!("start the {who} (round {} of {})", pro.min(con) + 1, conf.rounds));
            }
            pro.min(con) >= conf.rounds
        }
        PatternKind::Pipeline => {
            if waiting.is_empty() && done < needed {
                next = Some(format!("start stage {} of {needed}", done + 1));
            }
            all_in
        }
        PatternKind::Jury => all_in && view.members.iter().all(|m| !m.vote.is_empty() || m.state != "done"),
        _ => all_in,
    };
    let turns = matches!(
        kind,
        PatternKind::GeneratorCritic
            | PatternKind::Adversarial
            | PatternKind::CircuitBreaker
            | PatternKind::ChainOfResponsibility
    );
    if not_started > 0 && !turns {
        waiting.push(format!("{not_started} not started"));
    }
    let result = if complete { result(kind, view, &conf, now, stale) } else { Vec::new() };
    Status { complete, done, needed, waiting, next, result }
}

/// What the coordinator is told at the end.
fn result(kind: PatternKind, view: &PatternView, conf: &Conf, now: i64, stale: i64) -> Vec<String> {
    let run = &view.run.id;
    let count = view.members.len();
    let mut lines = vec![match kind {
        PatternKind::Swarm => {
            format!("All {count} agents of the swarm `{run}` are done. Put their results together.")
        }
        PatternKind::Jury => format!("All {count} jurors of `{run}` have voted: {}.", verdict(view, conf)),
        PatternKind::Pipeline => {
            format!("The pipeline `{run}` is complete: {count} stages. The last output is the result.")
        }
        PatternKind::GeneratorCritic => {
            let approved = view.posts.iter().any(|post| post.role == "critic" && post.topic == "approved");
            let rounds = view.posts.iter().filter(|post| post.role == "critic").count();
            if approved {
                format!("The critic of `{run}` approved in round {rounds}.")
            } else {
                format!(
                    "`{run}` ended after {rounds} rounds without approval. Decide with the last feedback."
                )
            }
        }
        PatternKind::Hierarchical => {
            format!("All {count} specialists of `{run}` have reported. Put their results together.")
        }
        PatternKind::MapReduce => {
            format!("All {count} mappers of `{run}` are done. Reduce their outputs now.")
        }
        PatternKind::Blackboard => format!(
            "All {count} specialists at the blackboard `{run}` are done. Approve it, or say what is missing."
        ),
        PatternKind::CircuitBreaker => {
            let open = circuit(&view.posts, "", conf.failures) == Circuit::Open;
            let failures = view.posts.iter().filter(|post| post.topic == "failure").count();
            let state = if open { "open, the fallback answered" } else { "closed" };
            format!("`{run}` is over: {failures} failures, the circuit is {state}.")
        }
        PatternKind::ChainOfResponsibility => {
            match view.members.iter().find(|m| matches!(m.state.as_str(), "resolved" | "done")) {
                Some(member) => format!("The chain `{run}` is resolved by {}.", name_of(kind, member)),
                None => format!("All {count} handlers of the chain `{run}` escalated: nobody resolved it."),
            }
        }
        PatternKind::Adversarial => {
            format!("Both sides of `{run}` have argued for {} rounds. Decide.", conf.rounds)
        }
        PatternKind::EventDriven => {
            let events = view.posts.iter().filter(|post| post.topic != "output").count();
            format!("All {count} subscribers of `{run}` are done; {events} events were published.")
        }
    }];
    if kind == PatternKind::Blackboard {
        lines.extend(board(view).iter().map(|(key, post)| format!("- {key}: {}", cut(&post.text, 600))));
    }
    let each = (6_000 / count.max(1)).clamp(120, 1_500);
    for member in &view.members {
        let state = match state_of(member, now, stale) {
            "done" | "resolved" => String::new(),
            other => format!(" [{other}]"),
        };
        let vote = if member.vote.is_empty() { String::new() } else { format!(" {}:", member.vote) };
        let output = if member.output.is_empty() { "(no output)" } else { &member.output };
        lines.push(format!("- {}{state}:{vote} {}", name_of(kind, member), cut(output, each)));
    }
    lines
}

/// The last value under each key.
pub fn board(view: &PatternView) -> BTreeMap<&str, &PostRow> {
    let values = view.posts.iter().filter(|post| post.topic != "output");
    values.map(|post| (post.topic.as_str(), post)).collect()
}

/// The votes counted, and what they decide.
fn verdict(view: &PatternView, conf: &Conf) -> String {
    let mut tally: BTreeMap<&str, i64> = BTreeMap::new();
    for member in view.members.iter().filter(|member| !member.vote.is_empty() && member.vote != "abstain") {
        *tally.entry(&member.vote).or_default() += 1;
    }
    let cast: i64 = tally.values().sum();
    let mut order: Vec<(&str, i64)> = tally.into_iter().collect();
    order.sort_by_key(|(_, votes)| std::cmp::Reverse(*votes));
    let counts: Vec<String> = order.iter().map(|(vote, votes)| format!("{vote} {votes}")).collect();
    match order.first() {
        Some((vote, votes)) if votes * 100 > cast * conf.threshold => {
            format!("{}. The verdict is {vote} (more than {} % of {cast})", counts.join(", "), conf.threshold)
        }
        Some(_) => format!("{}. No option has more than {} % of {cast}", counts.join(", "), conf.threshold),
        None => "nobody cast a vote".to_owned(),
    }
}

/// A text cut to a length, on one line.
pub fn cut(text: &str, max: usize) -> String {
    sprag_base::text::cut(&sprag_base::text::one_line(text), max)
}

/// What is said to whoever coordinates a run that is not complete.
pub fn progress(view: &PatternView, status: &Status) -> String {
    let kind = PatternKind::parse(&view.run.kind).map(title).unwrap_or_default();
    let mut text =
        format!("The {kind} `{}` is not complete: {} of {} done", view.run.id, status.done, status.needed);
    if !status.waiting.is_empty() {
        text.push_str(&format!(", waiting for {}", status.waiting.join(", ")));
    }
    if let Some(next) = &status.next {
        text.push_str(&format!(". Next: {next}"));
    }
    text.push('.');
    text
}
