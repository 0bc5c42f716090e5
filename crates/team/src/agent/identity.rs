//! `sprag agent identity`: the versions of an agent's own documents.

use serde_json::{Value, json};
use sprag_base::files;
use sprag_config::host::Host;
use sprag_config::settings::Settings;
use sprag_coord::identity::decide::Mark;
use sprag_coord::identity::{Doc, DocState, IdentitySettings, agent_name, docs, hash, look, marks};
use sprag_coord::store::{Setup, micros};
use sprag_hooks::team::identity_sync::HOOK;
use sprag_protocol::{AgentId, EventKind};
use sprag_scan::scrub;
use sprag_store::{Error, IdentityDraft, IdentityOutcome, IdentityVersion, Opening, Store};
use sprag_terminal::explained;
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Table, Tone};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(super) struct IdentityArgs {
    #[command(subcommand)]
    command: IdentityCommand,
    /// Whose documents; without it, the agent of this home (SPRAG_AGENT_NAME, or the setting `agent`)
    #[arg(long, global = true)]
    agent: Option<String>,
    /// Which program's folder: claude, codex, gemini, qwen, …
    #[arg(long, global = true, default_value = AgentId::CANONICAL.name())]
    program: String,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum IdentityCommand {
    /// The versions, the newest first: when, how, from which session
    #[command(after_help = "Example:\n  sprag agent identity log SOUL.md -n 5")]
    Log {
        /// The document; without it, all
        doc: Option<String>,
        /// The most lines
        #[arg(short = 'n', default_value_t = 20)]
        most: i64,
    },
    /// What differs between two versions, or between the last one and the file
    #[command(after_help = "Example:\n  sprag agent identity diff SOUL.md --from 2 --to 3")]
    Diff {
        /// The document
        doc: String,
        /// The older version; without it, the last one
        #[arg(long)]
        from: Option<i64>,
        /// The newer version; without it, the file
        #[arg(long)]
        to: Option<i64>,
    },
    /// Make an older version the newest, and write it to the file where the file is as sprag left it
    #[command(after_help = "Example:\n  sprag agent identity restore SOUL.md 2")]
    Restore {
        /// The document
        doc: String,
        /// The version; without it, the last one (to settle a conflict for the store)
        version: Option<i64>,
        /// Write it over a file of somebody's own; that file is kept beside it
        #[arg(long)]
        replace: bool,
    },
    /// Store the file as it is as the newest version (to settle a conflict for the file)
    #[command(after_help = "Example:\n  sprag agent identity save SOUL.md")]
    Save {
        /// The document
        doc: String,
    },
}

struct Context<'a> {
    host: &'a Host,
    out: &'a Out,
    agent: String,
    docs: Vec<Doc>,
    json: bool,
}

pub(super) fn run(args: &IdentityArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let setup = Setup::read(host).map_err(explained)?;
    let loaded = sprag_config::load(host, &sprag_config::host::project_at(host, None));
    let chain = loaded.resolved.chain(EventKind::SessionStart);
    let values = chain.map(|planned| &planned.hook).find(|hook| hook.name == HOOK.spec.name);
    let values = values.map_or_else(Settings::empty, |hook| hook.settings.clone());
    let settings: IdentitySettings<'_> = values.read();
    let agent = args.agent.clone().unwrap_or_else(|| agent_name(host, &settings, &args.program));
    let cx = Context { host, out, agent, docs: docs(host, &settings, &args.program), json: args.json };
    let mut store = match Store::open(&setup.target, Opening { create: false, ..Opening::WORKER }) {
        Err(Error::Missing) => {
            anyhow::bail!(Problem::new(
                "nothing is stored yet",
                "documents are stored by the hook identity-sync"
            ))
        }
        store => store.map_err(explained)?,
    };
    match &args.command {
        IdentityCommand::Log { doc, most } => {
            log(&cx, &mut store, doc.as_deref().unwrap_or_default(), *most)?;
        }
        IdentityCommand::Diff { doc, from, to } => diff(&cx, &mut store, doc, *from, *to)?,
        IdentityCommand::Restore { doc, version, replace } => {
            restore(&cx, &mut store, doc, *version, *replace)?;
        }
        IdentityCommand::Save { doc } => save(&cx, &mut store, doc)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn log(cx: &Context<'_>, store: &mut Store, doc: &str, most: i64) -> anyhow::Result<()> {
    let versions = store.identity_log(&cx.agent, doc, most.max(1)).map_err(explained)?;
    if cx.json {
        let versions: Vec<Value> = versions
            .iter()
            .map(|version| {
                json!({
                    "doc": version.doc, "version": version.version, "source": version.source, "at": version.at,
                    "session": version.session, "host": version.host, "hash": version.hash,
                    "chars": version.text.chars().count(),
                })
            })
            .collect();
        cx.out.json(&json!({ "agent": cx.agent, "versions": versions }));
        return Ok(());
    }
    if versions.is_empty() {
        let others = store.identity_agents().map_err(explained)?;
        cx.out.line(&format!("nothing is stored for {}", cx.agent));
        if !others.is_empty() {
            cx.out.line(&format!("agents with documents: {} (--agent NAME)", others.join(", ")));
        }
        return Ok(());
    }
    let mut table = Table::new(&["document", ">version", "how", "when", ">chars", "session", "host"]);
    for version in &versions {
        let at = sprag_base::time::Stamp(u64::try_from(version.at).unwrap_or(0));
        table.row(vec![
            (Tone::Plain, version.doc.clone()),
            (Tone::Plain, version.version.to_string()),
            (Tone::Plain, version.source.clone()),
            (Tone::Dim, when::ago(cx.host.clock.now(), at)),
            (Tone::Plain, version.text.chars().count().to_string()),
            (Tone::Dim, version.session.chars().take(8).collect()),
            (Tone::Dim, version.host.clone()),
        ]);
    }
    cx.out.table(&table);
    Ok(())
}

fn one(
    cx: &Context<'_>,
    store: &mut Store,
    doc: &str,
    version: Option<i64>,
) -> anyhow::Result<IdentityVersion> {
    let found = match version {
        Some(version) => store.identity_version(&cx.agent, doc, version),
        None => store.identity(&cx.agent, doc),
    };
    let what = version.map_or_else(String::new, |version| format!(", version {version}"));
    found.map_err(explained)?.ok_or_else(|| {
        anyhow::anyhow!(Problem::new(
            format!("{doc}{what} of {} is not stored", cx.agent),
            "`sprag agent identity log` shows what is"
        ))
    })
}

fn file_of<'a>(cx: &'a Context<'_>, doc: &str) -> anyhow::Result<&'a Doc> {
    cx.docs.iter().find(|known| known.name == doc).ok_or_else(|| {
        let names: Vec<&str> = cx.docs.iter().map(|doc| doc.name.as_str()).collect();
        anyhow::anyhow!(Problem::new(
            format!("{doc} is not one of the documents"),
            format!("one of: {}", names.join(", "))
        ))
    })
}

fn diff(
    cx: &Context<'_>,
    store: &mut Store,
    doc: &str,
    from: Option<i64>,
    to: Option<i64>,
) -> anyhow::Result<()> {
    let old = one(cx, store, doc, from)?;
    let (name, new) = if let Some(version) = to {
        (format!("version {version}"), one(cx, store, doc, Some(version))?.text)
    } else {
        let doc = file_of(cx, doc)?;
        let text = match look(&doc.path) {
            DocState::Text(text) => text,
            DocState::Absent => String::new(),
            DocState::Other => {
                anyhow::bail!(Problem::new(
                    format!("{} cannot be compared: it is not a text file", doc.path.display()),
                    "look at it"
                ))
            }
        };
        (cx.host.paths.tilde(&doc.path), text)
    };
    let text = similar::TextDiff::from_lines(&old.text, &new)
        .unified_diff()
        .header(&format!("{doc} version {}", old.version), &name)
        .to_string();
    if cx.json {
        cx.out.json(
            &json!({ "doc": doc, "from": old.version, "to": to, "same": old.text == new, "diff": text }),
        );
    } else if text.is_empty() {
        cx.out.line("no difference");
    } else {
        cx.out.diff(&text);
    }
    Ok(())
}

fn add(cx: &Context<'_>, store: &mut Store, doc: &str, text: &str, source: &str) -> anyhow::Result<i64> {
    let seen = store.identity(&cx.agent, doc).map_err(explained)?.map_or(0, |version| version.version);
    let draft = IdentityDraft {
        agent: cx.agent.clone(),
        doc: doc.to_owned(),
        seen,
        hash: hash(text),
        text: text.to_owned(),
        source: source.to_owned(),
        session: String::new(),
        host: cx.host.machine(),
    };
    match store.add_identity(&draft, micros(cx.host.clock.now())).map_err(explained)? {
        IdentityOutcome::Added(version) | IdentityOutcome::Same(version) => Ok(version),
        IdentityOutcome::Conflict(last) => anyhow::bail!(Problem::new(
            format!("version {} was stored at the same moment", last.version),
            format!("look at it: `sprag agent identity diff {doc}`, then try again")
        )),
    }
}

fn restore(
    cx: &Context<'_>,
    store: &mut Store,
    name: &str,
    version: Option<i64>,
    replace: bool,
) -> anyhow::Result<()> {
    let old = one(cx, store, name, version)?;
    let doc = file_of(cx, name)?.clone();
    let number = add(cx, store, name, &old.text, "restore")?;
    let mark = marks::mark(&cx.host.paths, &cx.agent, &doc);
    let ours = match look(&doc.path) {
        DocState::Absent => true,
        DocState::Text(text) => text == old.text || mark.is_some_and(|mark| mark.hash == hash(&text)),
        DocState::Other => false,
    };
    let mut kept = None;
    if !ours && replace {
        let stamp = cx.host.clock.now().seconds();
        let aside = doc.path.with_file_name(format!("{}.before-{stamp}", file_name(&doc)));
        files::rename(&doc.path, &aside)?;
        kept = Some(aside);
    }
    let written = ours || replace;
    if written {
        files::write_durable(&doc.path, old.text.as_bytes())?;
        let mark = Mark { version: number, hash: old.hash.clone() };
        marks::set_mark(&cx.host.paths, &cx.agent, &doc, &mark)?;
    }
    if cx.json {
        cx.out.json(&json!({
            "doc": name, "restored": old.version, "version": number, "written": written, "kept": kept,
        }));
        return Ok(());
    }
    cx.out.line(&format!("{name}: version {} is version {number} now", old.version));
    let path = cx.host.paths.tilde(&doc.path);
    match (written, kept) {
        (true, Some(kept)) => {
            cx.out.line(&format!("{path} is written; what was there is {}", cx.host.paths.tilde(&kept)));
        }
        (true, None) => cx.out.line(&format!("{path} is written")),
        _ => cx
            .out
            .line(&format!("{path} is not as sprag left it and stays; --replace writes it all the same")),
    }
    Ok(())
}

fn file_name(doc: &Doc) -> String {
    doc.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn save(cx: &Context<'_>, store: &mut Store, name: &str) -> anyhow::Result<()> {
    let doc = file_of(cx, name)?.clone();
    let DocState::Text(text) = look(&doc.path) else {
        anyhow::bail!(Problem::new(
            format!("{} cannot be stored: it is not a text file", doc.path.display()),
            "write it first"
        ))
    };
    if !scrub::find(&text).is_empty() {
        anyhow::bail!(Problem::new(
            format!("{} holds what looks like a secret", doc.path.display()),
            "take it out: what is stored is read by every home"
        ));
    }
    let number = add(cx, store, name, &text, "save")?;
    marks::set_mark(&cx.host.paths, &cx.agent, &doc, &Mark { version: number, hash: hash(&text) })?;
    if cx.json {
        cx.out.json(&json!({ "doc": name, "version": number }));
    } else {
        cx.out.line(&format!("{name} is stored as version {number}"));
    }
    Ok(())
}
