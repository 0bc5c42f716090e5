//! identity-sync: an agent's own documents follow it from session to session and home to home, in versions.
//! A file is written only where it is absent or as we left it; whatever else is there is somebody's own and stays.

use sprag_base::files;
use sprag_coord::identity::decide::{Mark, Start, refusal, start};
use sprag_coord::identity::marks::{self, Baseline, Seen};
use sprag_coord::identity::{Doc, DocState, IdentitySettings, agent_name, docs, hash, is_read_by, shown};
use sprag_coord::store::{Setup, micros, spool};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::heartbeat;
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};
use sprag_store::{Error, IdentityDraft, IdentityOutcome, IdentityVersion, Op, OpKind};

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "identity-sync",
        family: Family::Team,
        bundle: Bundle::Team,
        summary: "keeps the agent's own documents (SOUL.md, IDENTITY.md, TOOLS.md, CLAUDE.md) in the store, in versions, and gives them to the model",
        sees: &[
            Sees { kind: EventKind::SessionStart, matcher: "" },
            Sees {
                kind: EventKind::PostToolUse,
                matcher: "Bash|Edit|Write|MultiEdit|NotebookEdit|apply_patch",
            },
            Sees { kind: EventKind::Stop, matcher: "" },
            Sees { kind: EventKind::SessionEnd, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Swarm]),
        settings: IdentitySettings::SETTINGS,
        timeout_ms: 3_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    // A subagent writes the same files; whose event it is does not matter, but only a session has a start.
    let program = event.agent.name();
    let docs = docs(cx.host, &cx.settings.read(), program);
    match event.kind {
        EventKind::SessionStart if event.text("source") != Some("compact") => begin(event, cx, &docs),
        EventKind::SessionStart => {
            let reply = changed(event, cx, &docs, "session_sync")?;
            Ok(tell(event, cx, &docs, reply))
        }
        EventKind::SessionEnd => end(event, cx, &docs),
        EventKind::PostToolUse => changed(event, cx, &docs, "self_edit"),
        _ => changed(event, cx, &docs, "session_sync"),
    }
}

/// Whose documents, and where from.
struct Sync<'a> {
    cx: &'a Cx<'a>,
    agent: String,
    session: String,
}

impl<'a> Sync<'a> {
    fn new(event: &Event, cx: &'a Cx<'a>) -> Self {
        let agent = agent_name(cx.host, &cx.settings.read(), event.agent.name());
        Self { cx, agent, session: event.session_id.clone() }
    }

    fn draft(&self, doc: &Doc, seen: i64, text: &str, source: &str) -> IdentityDraft {
        IdentityDraft {
            agent: self.agent.clone(),
            doc: doc.name.clone(),
            seen,
            hash: hash(text),
            text: text.to_owned(),
            source: source.to_owned(),
            session: self.session.clone(),
            host: self.cx.host.machine(),
        }
    }

    fn mark(&self, doc: &Doc) -> Option<Mark> {
        marks::mark(&self.cx.host.paths, &self.agent, doc)
    }

    fn set_mark(&self, doc: &Doc, version: i64, hash: &str) -> std::io::Result<()> {
        marks::set_mark(&self.cx.host.paths, &self.agent, doc, &Mark { version, hash: hash.to_owned() })
    }

    /// The last versions in the store.
    fn stored(&self) -> Result<Vec<IdentityVersion>, Error> {
        let agent = self.agent.clone();
        Setup::read(self.cx.host)?.ask(move |store| store.identities(&agent))
    }

    /// Stores an edit on top of the version that this home saw last.
    fn add(&self, draft: IdentityDraft) -> Result<IdentityOutcome, Error> {
        let now = micros(self.cx.host.clock.now());
        Setup::read(self.cx.host)?.ask(move |store| store.add_identity(&draft, now))
    }

    fn last(&self, doc: &Doc) -> Result<Option<IdentityVersion>, Error> {
        let (agent, name) = (self.agent.clone(), doc.name.clone());
        Setup::read(self.cx.host)?.ask(move |store| store.identity(&agent, &name))
    }
}

/// A session starts: what is stored goes into files that are absent or ours.
fn begin(event: &Event, cx: &Cx<'_>, docs: &[Doc]) -> HookResult {
    let sync = Sync::new(event, cx);
    let stored = sync.stored();
    let mut told: Vec<String> = Vec::new();
    let mut baseline = Baseline::new();
    for doc in docs {
        if let Ok(stored) = &stored {
            let version = stored.iter().find(|version| version.doc == doc.name);
            told.extend(settle(&sync, doc, version)?);
        }
        baseline.insert(doc.name.clone(), marks::see(doc).0);
    }
    marks::set_baseline(cx.session, &baseline)?;
    let mut reply = Reply::pass();
    if let Err(error) = stored
        && !matches!(error, Error::Outdated { .. } | Error::Busy(_))
    {
        told.push(format!("{error}; documents are left as they are"));
    }
    if !told.is_empty() {
        reply = reply.with_message(format!("sprag: identity of {}: {}.", sync.agent, told.join("; ")));
    }
    Ok(tell(event, cx, docs, reply))
}

/// Gives the model its documents: those that it does not read by itself, within the budget.
fn tell(event: &Event, cx: &Cx<'_>, docs: &[Doc], reply: Reply) -> Reply {
    let settings: IdentitySettings<'_> = cx.settings.read();
    let mut texts = Vec::new();
    for doc in docs.iter().filter(|doc| !is_read_by(event.agent.name(), doc)) {
        if let DocState::Text(text) = marks::see(doc).1
            && !text.trim().is_empty()
        {
            texts.push((cx.host.paths.tilde(&doc.path), text));
        }
    }
    if texts.is_empty() {
        return reply;
    }
    let paths: Vec<&str> = texts.iter().map(|(path, _)| path.as_str()).collect();
    let mut text = format!("Your own documents are {}; your edits of them are kept.", paths.join(", "));
    if settings.show_chars > 0 {
        text.push_str(&format!("\n\n{}", shown(&texts, settings.show_chars)));
    }
    reply.with_note("identity-sync", priority::FACTS, text)
}

/// Brings one document in step; what a person must know of it.
fn settle(
    sync: &Sync<'_>,
    doc: &Doc,
    stored: Option<&IdentityVersion>,
) -> Result<Option<String>, std::io::Error> {
    let found = marks::see(doc).1;
    let mark = sync.mark(doc);
    let last = stored.map(|version| (version.version, version.hash.as_str()));
    let Some(version) = stored else { return Ok(None) };
    let number = version.version;
    Ok(match start(&found, last, mark.as_ref()) {
        Start::Leave => None,
        Start::Agree => {
            sync.set_mark(doc, number, &version.hash)?;
            None
        }
        Start::Write => {
            files::write_atomic(&doc.path, version.text.as_bytes())?;
            sync.set_mark(doc, number, &version.hash)?;
            Some(format!("{} is version {number}", doc.name))
        }
        Start::Store => {
            let DocState::Text(text) = found else { return Ok(None) };
            store_edit(sync, doc, &text, "session_sync", Some(version)).err()
        }
        Start::Conflict => Some(format!(
            "{} here is not what is stored (version {number}) and was left as it is: `sprag agent identity diff {}`",
            doc.name, doc.name
        )),
    })
}

/// Stores an edit; `Err` is what a person must know, `Ok(false)` that the store was unavailable.
fn store_edit(
    sync: &Sync<'_>,
    doc: &Doc,
    text: &str,
    source: &str,
    stored: Option<&IdentityVersion>,
) -> Result<bool, String> {
    let most = sync.cx.settings.read::<IdentitySettings<'_>>().max_chars;
    if let Some(why) = refusal(text, stored.map(|version| version.text.as_str()), most) {
        return Err(format!("{} was not stored: {why}", doc.name));
    }
    let seen = sync.mark(doc).map_or(0, |mark| mark.version);
    match sync.add(sync.draft(doc, seen, text, source)) {
        Ok(IdentityOutcome::Added(version) | IdentityOutcome::Same(version)) => {
            sync.set_mark(doc, version, &hash(text)).map_err(|error| format!("{}: {error}", doc.name))?;
            Ok(true)
        }
        Ok(IdentityOutcome::Conflict(last)) => Err(format!(
            "{} was not stored: version {} was stored in the meantime ({}). `sprag agent identity diff {}`",
            doc.name, last.version, last.source, doc.name
        )),
        Err(_) => Ok(false),
    }
}

/// Looks for edits, whichever way they were made, and stores them.
fn changed(event: &Event, cx: &Cx<'_>, docs: &[Doc], source: &str) -> HookResult {
    let Some(mut baseline) = marks::baseline(cx.session) else {
        // Its start was not seen: what is there now is what it begins with.
        let seen: Baseline = docs.iter().map(|doc| (doc.name.clone(), marks::see(doc).0)).collect();
        marks::set_baseline(cx.session, &seen)?;
        return Ok(Reply::pass());
    };
    let suspects: Vec<&Doc> =
        docs.iter().filter(|doc| marks::may_differ(baseline.get(&doc.name), doc)).collect();
    if suspects.is_empty() {
        return Ok(Reply::pass());
    }
    let sync = Sync::new(event, cx);
    let mut told = Vec::new();
    for doc in suspects {
        let (mut now, found) = marks::see(doc);
        let before = baseline.get(&doc.name);
        let differs = before.is_none_or(|seen: &Seen| seen.pending || seen.hash != now.hash);
        // A file that is gone is not an empty document: it is written again at the next start.
        if let (true, DocState::Text(text)) = (differs, &found) {
            match sync.last(doc) {
                Ok(last) => match store_edit(&sync, doc, text, source, last.as_ref()) {
                    Ok(stored) => now.pending = !stored,
                    Err(why) => told.push(why),
                },
                Err(_) => now.pending = true,
            }
        }
        baseline.insert(doc.name.clone(), now);
    }
    marks::set_baseline(cx.session, &baseline)?;
    if told.is_empty() {
        return Ok(Reply::pass());
    }
    let text = format!("identity-sync: {}", told.join("; "));
    let reply = if event.kind == EventKind::PostToolUse {
        Reply::warn("identity-sync", text.clone())
    } else {
        Reply::pass()
    };
    Ok(reply.with_message(format!("sprag: {text}")))
}

/// A session ends: what is not stored yet goes through the spool, which waits for no database.
fn end(event: &Event, cx: &Cx<'_>, docs: &[Doc]) -> HookResult {
    let Some(baseline) = marks::baseline(cx.session) else { return Ok(Reply::pass()) };
    let sync = Sync::new(event, cx);
    let mut kept = false;
    for doc in docs.iter().filter(|doc| marks::may_differ(baseline.get(&doc.name), doc)) {
        let (now, found) = marks::see(doc);
        let differs = baseline.get(&doc.name).is_none_or(|seen| seen.pending || seen.hash != now.hash);
        let DocState::Text(text) = found else { continue };
        let seen = sync.mark(doc).map_or(0, |mark| mark.version);
        if differs && refusal(&text, None, cx.settings.read::<IdentitySettings<'_>>().max_chars).is_none() {
            let draft = sync.draft(doc, seen, &text, "session_sync");
            spool::keep(&cx.host.paths, &Op::new(micros(cx.host.clock.now()), OpKind::Identity(draft)))?;
            kept = true;
        }
    }
    Ok(if kept { Reply::pass().with_job(heartbeat::sync_job()) } else { Reply::pass() })
}
