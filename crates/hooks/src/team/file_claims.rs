//! file-claims: who works on which file, and on the git state of a shared checkout. What another live session holds is
//! warned about, or denied. A call that changes nothing that others could hold asks no database.

use sprag_base::links;
use sprag_base::time::Stamp;
use sprag_config::settings;
use sprag_coord::claims::fresh::{Holder, Within};
use sprag_coord::claims::place::{self, ClaimTarget, GIT_STATE};
use sprag_coord::claims::wanted::{self, Wanted};
use sprag_coord::claims::{claimant, committed, fresh, words};
use sprag_coord::liveness;
use sprag_coord::store::{Setup, micros, spool};
use sprag_protocol::{Decision, Event, EventKind};
use sprag_runtime::heartbeat;
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookError, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};
use sprag_shell::GitChange;
use sprag_store::{ClaimKey, ClaimRow, Claimant, Error, Op, OpKind, SessionWork, Store};
use std::fmt::Write as _;
use std::path::PathBuf;

const WRITERS: &str = "Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell|mcp__.*";

settings! {
    struct FileClaimsSettings {
        /// what another session holds is denied, not only warned about
        deny: bool = false, tighten ToTrue;
        /// watch the git state of shared checkouts too
        git_state: bool = true;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "file-claims",
        family: Family::Team,
        bundle: Bundle::Team,
        summary: "claims files and a checkout's git state for this session; warns about (or denies) what another live session holds",
        sees: &[
            Sees { kind: EventKind::PreToolUse, matcher: WRITERS },
            Sees { kind: EventKind::PostToolUse, matcher: "Bash|PowerShell" },
            Sees { kind: EventKind::SubagentStop, matcher: "" },
            Sees { kind: EventKind::SessionEnd, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: FileClaimsSettings::SETTINGS,
        timeout_ms: 3_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    if event.session_id.is_empty() {
        return Ok(Reply::pass());
    }
    match event.kind {
        EventKind::PreToolUse => before(event, cx),
        EventKind::PostToolUse => Ok(after(event, cx)),
        EventKind::SubagentStop => {
            if let Some(ended) = event.agent_id.as_deref().filter(|_| fresh::any(cx.session)) {
                fresh::release(cx.session, ended);
            }
            Ok(Reply::pass())
        }
        _ => end(event, cx),
    }
}

/// What is needed of the store, sent to the thread that asks it.
struct Question {
    files: Vec<(ClaimKey, String)>,
    folders: Vec<ClaimKey>,
    /// The change, the checkout, its git state and its project.
    checkouts: Vec<(GitChange, PathBuf, ClaimTarget, String)>,
    by: Claimant,
    now: i64,
    all: bool,
}

/// What others hold of it.
#[derive(Default)]
struct Conflicts {
    files: Vec<ClaimRow>,
    /// Keys that are this session's now.
    own: Vec<ClaimKey>,
    checkouts: Vec<(GitChange, Vec<ClaimRow>)>,
    /// Sessions that share a checkout and hold nothing in it.
    beside: Vec<(GitChange, SessionWork)>,
}

impl Conflicts {
    fn is_empty(&self) -> bool {
        self.files.is_empty() && self.checkouts.is_empty() && self.beside.is_empty()
    }
}

fn before(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: FileClaimsSettings = cx.settings.read();
    let mut wanted = wanted::of(event, cx);
    if !settings.git_state {
        wanted.checkouts.clear();
    }
    let now = cx.host.clock.now();
    let (by, me, deny) = (claimant(event, cx), event.agent_id.as_deref(), settings.deny);
    let mut within = Vec::new();
    wanted.files.retain(|place| match fresh::look(cx.session, &place.key, me, now, by.lease) {
        Within::Unknown => true,
        Within::Own => false,
        Within::Other(holder, believed) => {
            within.push((place.key.path.clone(), holder));
            !believed
        }
    });
    let beside = subagents(&within, deny, me);
    if wanted.is_empty() || beside.decision == Decision::Deny {
        return Ok(beside);
    }
    let question = question(wanted, by, micros(now), deny, cx);
    let lease = question.by.lease;
    let setup = Setup::quick(cx.host).map_err(unknown)?;
    let host = cx.host.clone();
    let later = OpKind::Claim { by: question.by.clone(), keys: question.files.clone() };
    let asked = setup.ask_lightly(cx.host, move |store| {
        let found = ask(store, &question)?;
        // Somebody holds it: a session whose agent is gone holds nothing.
        if found.is_empty() || liveness::end_gone(&host, store, question.now)? == 0 {
            return Ok(found);
        }
        ask(store, &question)
    });
    let found = match asked {
        Ok(found) => found,
        Err(error) => return Err(claim_later(cx, me, later, &error, now, lease)),
    };
    for key in &found.own {
        fresh::remember(cx.session, key, me, now, lease);
    }
    let mut reply = reply(&found, deny, cx);
    reply.notes.extend(beside.notes);
    Ok(if setup.needs_tidying() { reply.with_job(heartbeat::sync_job()) } else { reply })
}

/// Files that another subagent of this session works on. Who started it is told, never stopped: it may wait for that subagent, or know
/// better.
fn subagents(within: &[(String, Holder)], deny: bool, me: Option<&str>) -> Reply {
    let Some((_, first)) = within.first() else { return Reply::pass() };
    let paths = words::few(within.iter().map(|(path, _)| path.as_str()), 5);
    let (_, _, _, hour, minute, _) = first.since.civil();
    let id: String = first.id.chars().take(8).collect();
    let text = format!(
        "{paths}: another subagent of this session ({id}) works on it since {hour:02}:{minute:02} UTC. Your change and its may \
         overwrite each other: leave it to that one, or wait until it ends."
    );
    if deny && me.is_some() {
        return Reply::deny(text);
    }
    Reply::note(format!("file-claims:within:{paths}:{}", first.id), priority::WARNING, text)
}

/// The store does not answer: what is changed now is claimed when it is back, as of now.
fn claim_later(
    cx: &Cx<'_>,
    me: Option<&str>,
    claim: OpKind,
    error: &Error,
    now: Stamp,
    lease: i64,
) -> HookError {
    let keys: Vec<ClaimKey> = match &claim {
        OpKind::Claim { keys, .. } => keys.iter().map(|(key, _)| key.clone()).collect(),
        _ => Vec::new(),
    };
    if keys.is_empty() || !error.is_transient() {
        return format!("{error}; nothing was claimed").into();
    }
    match spool::keep(&cx.host.paths, &Op::new(micros(now), claim)) {
        Ok(()) => {
            // Not once more with each edit of the same file.
            for key in &keys {
                fresh::remember(cx.session, key, me, now, lease);
            }
            format!("{error}; {} files are claimed when it is back", keys.len()).into()
        }
        Err(kept) => format!("{error}; nothing was claimed ({kept})").into(),
    }
}

fn unknown(error: Error) -> HookError {
    format!("{error}; nothing was claimed").into()
}

fn question(wanted: Wanted, by: Claimant, now: i64, all: bool, cx: &Cx<'_>) -> Question {
    let machine = cx.host.machine();
    Question {
        files: wanted.files.into_iter().map(|place| (place.key, place.root)).collect(),
        folders: wanted.folders.into_iter().map(|place| place.key).collect(),
        checkouts: wanted
            .checkouts
            .into_iter()
            .map(|(change, root)| {
                let (state, project) = (place::git_state(&root, cx), place::checkout(&root).key(&machine));
                (change, root, state, project)
            })
            .collect(),
        by,
        now,
        all,
    }
}

fn ask(store: &mut Store, question: &Question) -> Result<Conflicts, Error> {
    let Question { by, now, .. } = question;
    let mut found = Conflicts::default();
    for folder in &question.folders {
        let below = format!("{}/", folder.path);
        let held = store.claims_on(&folder.repo, &folder.branch, by, *now)?;
        found.files.extend(held.into_iter().filter(|row| row.key.path.starts_with(&below)));
    }
    for (change, root, state, project) in &question.checkouts {
        let held = store.claims_in(&state.root, by, *now)?;
        if held.is_empty() {
            let work = store.work(Some(project), *now)?;
            let other = work.into_iter().find(|other| {
                let same = other.agent == by.agent && other.session == by.session;
                let here = links::real(other.root.as_ref()).is_some_and(|other| other.starts_with(root));
                !same && other.host == by.host && here
            });
            found.beside.extend(other.map(|other| (*change, other)));
        } else {
            found.checkouts.push((*change, held));
        }
    }
    let stopped = question.all && !(found.files.is_empty() && found.checkouts.is_empty());
    if stopped {
        return Ok(found);
    }
    let mut keys = question.files.clone();
    keys.extend(question.checkouts.iter().map(|(_, _, state, _)| (state.key.clone(), state.root.clone())));
    keys.dedup();
    if keys.is_empty() {
        return Ok(found);
    }
    let held = store.claim(&keys, by, *now, question.all)?;
    let none_taken = question.all && held.iter().any(Option::is_some);
    for ((key, _), held) in keys.into_iter().zip(held) {
        match held {
            Some(row) if row.key.path == GIT_STATE => {
                let change = question.checkouts.first().map_or(GitChange::Switch, |(change, ..)| *change);
                if !found.checkouts.iter().any(|(_, rows)| rows.iter().any(|known| known.key == row.key)) {
                    found.checkouts.push((change, vec![row]));
                }
            }
            Some(row) => found.files.push(row),
            None if !none_taken => found.own.push(key),
            None => {}
        }
    }
    Ok(found)
}

fn reply(found: &Conflicts, deny: bool, cx: &Cx<'_>) -> Reply {
    let machine = cx.host.machine();
    let root = cx.project.git_root().unwrap_or(&cx.project.root);
    let root = links::real(root).unwrap_or_else(|| root.to_path_buf()).display().to_string();
    let mut said: Vec<String> =
        found.files.iter().take(5).map(|row| words::file(row, &machine, &root)).collect();
    if found.files.len() > 5 {
        said.push(format!("And {} more files.", found.files.len() - 5));
    }
    for (change, held) in &found.checkouts {
        let here = held.first().map_or(root.as_str(), |row| row.root.as_str());
        said.push(words::checkout(*change, held, &machine, here));
    }
    if !said.is_empty() {
        let mut text = said.join("\n");
        text.push_str(if found.checkouts.is_empty() {
            "\nYour change and theirs may overwrite each other. Work on something else, agree with them first, or use a worktree of your own (sprag worktree new TASK)"
        } else {
            "\nName only your own files, commit them, or use a worktree of your own (sprag worktree new TASK)"
        });
        let _ = write!(text, " (`sprag claims list` shows who holds what).");
        return if deny { Reply::deny(text) } else { Reply::note(note_key(found), priority::WARNING, text) };
    }
    let mut reply = Reply::pass();
    for (change, other) in found.beside.iter().take(1) {
        let id: String = other.session.chars().take(8).collect();
        let text = format!(
            "This {} another session that is at work in this checkout: {} {id}. Nothing of it is known to be \
             uncommitted; look before you go on, or use a worktree of your own (sprag worktree new TASK).",
            words::harm(*change),
            other.agent
        );
        reply = reply.with_note(format!("file-claims:beside:{id}"), priority::WARNING, text);
    }
    reply
}

/// The same conflict is said once, until the conversation is compacted.
fn note_key(found: &Conflicts) -> String {
    let rows = found.files.iter().chain(found.checkouts.iter().flat_map(|(_, rows)| rows));
    let keys: Vec<String> = rows.take(5).map(|row| format!("{}:{}", row.key.path, row.session)).collect();
    format!("file-claims:{}", keys.join(","))
}

/// A commit: what is in it has nothing to lose any more. Which files those are, git says in the background.
fn after(event: &Event, cx: &Cx<'_>) -> Reply {
    if !fresh::any(cx.session) {
        return Reply::pass();
    }
    let wanted = wanted::of(event, cx);
    let mut reply = Reply::pass();
    let (by, now) = (claimant(event, cx), cx.host.clock.now());
    for root in &wanted.commits {
        fresh::forget(cx.session);
        reply = reply.with_job(committed::job(&by, root, now));
    }
    reply
}

/// The session ends: what it holds is free as soon as the background says so to the store.
fn end(event: &Event, cx: &Cx<'_>) -> HookResult {
    if !fresh::any(cx.session) {
        return Ok(Reply::pass());
    }
    fresh::forget(cx.session);
    let (agent, session) = (event.agent.name().to_owned(), event.session_id.clone());
    let op = Op::new(micros(cx.host.clock.now()), OpKind::Free { agent, session });
    spool::keep(&cx.host.paths, &op)?;
    Ok(Reply::pass().with_job(heartbeat::sync_job()))
}
