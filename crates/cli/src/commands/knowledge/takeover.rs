//! `sprag knowledge import`: what other programs remember.

use super::ImportSource;
use crate::commands::memory;
use crate::commands::memory::import::{as_value, in_words, keep_all};
use crate::commands::project_at;
use anyhow::{Context as _, bail};
use serde_json::json;
use sprag_config::host::Host;
use sprag_memory::knowledge::{Knowledge, import as taking, project_name, work};
use sprag_memory::recall::{Draft, Maker};
use sprag_memory::takeover::{Base, json as exported, ledgers, notes, observations};
use sprag_protocol::AgentId;
use sprag_protocol::agents::files::AgentEnv;
use sprag_terminal::{Out, Problem};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(super) fn import(
    host: &Host,
    out: &Out,
    from: Option<ImportSource>,
    path: Option<&Path>,
    here: bool,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let Some(from) = from else {
        bail!(Problem::new("say what to take over", "`sprag knowledge import --help` lists what there is"));
    };
    let path = path.map(std::path::absolute).transpose()?;
    match from {
        ImportSource::LazyHarness => {
            let dir =
                path.context(Problem::new("the folder is missing", "give the folder that holds them"))?;
            lazy_harness(host, out, &dir, as_json)
        }
        ImportSource::Ledgers => repository(host, out, path.as_deref(), as_json),
        ImportSource::ClaudeMem => {
            let file = path.unwrap_or_else(|| host.paths.home.join(".claude-mem/claude-mem.db"));
            observed(host, out, &file, as_json)
        }
        ImportSource::ClaudeMemory => {
            let folder = path.unwrap_or_else(|| agent_memory(host));
            let drafts = notes::drafts(&folder, &base(host, "claude-memory", true));
            remember(host, out, &folder, &drafts, as_json)
        }
        ImportSource::BasicMemory | ImportSource::Mempalace => {
            let (name, usual) = match from {
                ImportSource::BasicMemory => ("basic-memory", "basic-memory"),
                _ => ("mempalace", ".mempalace"),
            };
            let folder = path.unwrap_or_else(|| host.paths.home.join(usual));
            let drafts = notes::drafts(&folder, &base(host, name, here));
            remember(host, out, &folder, &drafts, as_json)
        }
        ImportSource::Mem0 => {
            let file = path.context(Problem::new(
                "the file is missing",
                "give the export: `… --from mem0 export.json`",
            ))?;
            let text = sprag_base::files::read_argument_text(&file).with_context(|| {
                Problem::new(format!("{} cannot be read", file.display()), "name a text file")
            })?;
            let base = base(host, "mem0", here);
            let draft = Draft {
                scope: base.scope,
                place: base.place,
                project: base.project,
                tags: vec![base.program],
                maker: base.maker,
                ..Draft::default()
            };
            remember(host, out, &file, &exported::drafts(&text, &draft), as_json)
        }
    }
}

/// What every memory of an import has. What an agent imports is kept for its project.
fn base(host: &Host, program: &str, here: bool) -> Base {
    let maker = memory::maker(host);
    let project = project_at(host, None).key(&host.machine());
    let here = here || maker == Maker::Agent;
    Base {
        scope: if here { "project" } else { "user" }.to_owned(),
        place: if here { project.clone() } else { String::new() },
        project,
        program: program.to_owned(),
        maker: if maker == Maker::Agent { Maker::Agent } else { Maker::Import },
    }
}

/// Where the agent keeps what it remembers of this project: its folder is named after the project's path.
fn agent_memory(host: &Host) -> PathBuf {
    let spec = AgentId::CANONICAL.spec();
    let root = project_at(host, None).root;
    let name: String =
        root.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let env = AgentEnv::new(None, None, |name| host.env.get(name).map(PathBuf::from));
    let folder =
        spec.settings.moved_folder(&env).unwrap_or_else(|| host.paths.home.join(spec.settings.folder));
    folder.join(spec.transcript.folder).join(name).join("memory")
}

fn remember(
    host: &Host,
    out: &Out,
    place: &Path,
    drafts: &[Draft],
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        !drafts.is_empty(),
        Problem::new(
            format!("nothing was found in {}", place.display()),
            "give the folder or file that holds it"
        )
    );
    let done = keep_all(host, out, drafts)?;
    if as_json {
        out.json(&as_value(&done));
    } else {
        out.line(&in_words(&done));
    }
    Ok(ExitCode::SUCCESS)
}

fn observed(host: &Host, out: &Out, file: &Path, as_json: bool) -> anyhow::Result<ExitCode> {
    let project = project_name(&project_at(host, None));
    let base = base(host, "claude-mem", true);
    let found = observations::read(file, &project, &base).with_context(|| {
        Problem::new(
            format!("{} cannot be read", file.display()),
            "give the database: `… --from claude-mem FILE`",
        )
    })?;
    let done = keep_all(host, out, &found.drafts)?;
    if as_json {
        let mut value = as_value(&done);
        if let Some(map) = value.as_object_mut() {
            map.insert("elsewhere".to_owned(), json!(found.elsewhere));
        }
        out.json(&value);
        return Ok(ExitCode::SUCCESS);
    }
    out.line(&in_words(&done));
    if found.elsewhere > 0 {
        out.line(&format!("{} are of other projects; run it there to take them over", found.elsewhere));
    }
    Ok(ExitCode::SUCCESS)
}

fn repository(host: &Host, out: &Out, root: Option<&Path>, as_json: bool) -> anyhow::Result<ExitCode> {
    let knowledge = Knowledge::open(host);
    let project = project_at(host, root);
    let memory = knowledge.memory(&project);
    let done = ledgers::take(&knowledge, &memory, &project.root, host.clock.now())?;
    anyhow::ensure!(
        done.documents > 0,
        Problem::new(
            format!("{} has no ledgers or handoffs", project.root.display()),
            format!("they are looked for in {}", ledgers::FOLDERS.join(" and "))
        )
    );
    if as_json {
        out.json(&json!({
            "documents": done.documents, "decisions": done.decisions, "failures": done.failures,
            "handoff": done.handoff,
        }));
    } else {
        out.line(&format!(
            "taken over: {} documents, {} decisions, {} failures",
            done.documents, done.decisions, done.failures
        ));
        match &done.handoff {
            Some(name) => out.line(&format!("{name} is the handoff now (`sprag knowledge show handoff`)")),
            None => out.line("The handoff that is here is newer and stays."),
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn lazy_harness(host: &Host, out: &Out, dir: &Path, as_json: bool) -> anyhow::Result<ExitCode> {
    let knowledge = Knowledge::open(host);
    let done = taking::lazy_harness(&knowledge, &std::path::absolute(dir)?)
        .map_err(|error| anyhow::anyhow!(Problem::new(&error, "give the folder that holds them")))?;
    let indexed = work::sync(&knowledge)?;
    if as_json {
        out.json(&json!({
            "sessions": done.sessions, "learnings": done.learnings, "entries": done.entries, "files": done.files,
            "known": done.known, "indexed": indexed,
        }));
    } else {
        out.line(&format!(
            "taken over: {} sessions, {} learnings, {} decisions and failures, {} other files; {} were here already",
            done.sessions, done.learnings, done.entries, done.files, done.known
        ));
    }
    Ok(ExitCode::SUCCESS)
}
