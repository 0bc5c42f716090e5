//! Registers sprag's MCP server in an agent's own settings and takes it out, byte for byte. An entry of that name that starts
//! something else is its owner's and left alone.

use super::doc::{Doc, PathStep};
use super::error::DeployError;
use super::json::{SettingsError, refuse};
use super::sandbox::{Added, SandboxReport, merge, rewrite, take_out, value_of};
use super::{Mode, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::paths::Paths;
use sprag_protocol::AgentId;
use sprag_protocol::agents::files::JsonSyntax;
use sprag_protocol::agents::mcp::{McpFiles, McpFormat, SERVER, is_own};
use std::path::{Path, PathBuf};

/// What happened to one file.
pub use super::sandbox::SandboxReport as McpReport;

const SERVERS: &str = "mcpServers";
const BEGIN: &str = "# sprag mcp: begin (`sprag undeploy` removes these lines)\n";
const END: &str = "# sprag mcp: end\n";

/// What was written into one file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Record {
    /// The file was made.
    #[serde(default)]
    created: bool,
    /// The members that were added.
    #[serde(default)]
    added: Vec<Added>,
    /// The text before, where taking the members out would not give it back; and what the text was changed to.
    #[serde(default)]
    original: Option<(String, String)>,
}

/// A registration that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpRegistration {
    /// The agent.
    pub agent: AgentId,
    /// The scope's name.
    pub scope: String,
    /// The file.
    pub file: PathBuf,
}

/// Registers `exe mcp` in a file.
pub fn register(
    paths: &Paths,
    how: &McpFiles,
    registration: &McpRegistration,
    exe: &str,
    mode: Mode,
) -> Result<McpReport, DeployError> {
    let file = &registration.file;
    let mut record = load(paths, file);
    let mut notes = Vec::new();
    let report = rewrite(file, mode, |text| {
        notes.clear();
        let mut now = Record { created: record.created || text.is_none(), ..record.clone() };
        let before = text.unwrap_or_default();
        let after = match how.format {
            McpFormat::Json { syntax, .. } => {
                with_entry(before, syntax, &how.entry(exe), &mut now.added, &mut notes)?
            }
            McpFormat::Toml => with_table(before, &McpFiles::table(exe), &mut notes)?,
        };
        if after == before {
            return Ok(text.map(str::to_owned));
        }
        // The state before the first registration is what undeploy has to give back.
        let first = is_absent(how, before);
        if first {
            now.original = None;
            let back = without(how, &after, &now)?;
            if back.as_deref() != text {
                now.original = Some((short_hash(after.as_bytes()), before.to_owned()));
            }
        } else if let Some((changed, _)) = &mut now.original {
            *changed = short_hash(after.as_bytes());
        }
        record = now;
        Ok(Some(after))
    })?;
    if mode == Mode::Write && report.outcome != Outcome::Unchanged {
        save(paths, registration, &record)?;
    }
    Ok(SandboxReport { notes, ..report })
}

/// Takes sprag's server out of a file.
pub fn unregister(paths: &Paths, how: &McpFiles, file: &Path, mode: Mode) -> Result<McpReport, DeployError> {
    let record = load(paths, file);
    let report = rewrite(file, mode, |text| match text {
        None => Ok(None),
        Some(text) if is_absent(how, text) => Ok(Some(text.to_owned())),
        Some(text) => without(how, text, &record),
    })?;
    if mode == Mode::Write {
        let _ = files::remove(record_file(paths, file));
        forget(paths, file)?;
    }
    Ok(report)
}

/// True when the agent's file names sprag's server.
pub fn is_registered(how: &McpFiles, file: &Path) -> bool {
    files::read_text(file, files::STATE).is_ok_and(|text| !is_absent(how, &text))
}

/// True for a text without an entry of ours.
fn is_absent(how: &McpFiles, text: &str) -> bool {
    match how.format {
        McpFormat::Toml => block(text).is_none(),
        McpFormat::Json { syntax, .. } => {
            let path = [PathStep::Key(SERVERS), PathStep::Key(SERVER)];
            !Doc::open(text, syntax)
                .is_ok_and(|doc| doc.at(&path).is_some_and(|node| is_own(&value_of(&doc, node))))
        }
    }
}

fn without(how: &McpFiles, text: &str, record: &Record) -> Result<Option<String>, SettingsError> {
    if let Some((changed, original)) = &record.original
        && *changed == short_hash(text.as_bytes())
    {
        return Ok(Some(original.clone()));
    }
    let rest = match how.format {
        McpFormat::Toml => without_table(text),
        McpFormat::Json { syntax, .. } => {
            let mut doc = Doc::open(text, syntax)?;
            let whole = [Added { path: vec![SERVERS.to_owned(), SERVER.to_owned()], item: None }];
            // What was added around the entry goes with it, unless others use it now.
            let others = doc.at(&[PathStep::Key(SERVERS)]).and_then(|node| Some(node.members()?.len() > 1));
            let added =
                if record.added.is_empty() || others == Some(true) { &whole[..] } else { &record.added[..] };
            for one in added.iter().rev() {
                take_out(&mut doc, one)?;
            }
            doc.into_text()
        }
    };
    let is_empty = match how.format {
        McpFormat::Toml => rest.is_empty(),
        McpFormat::Json { syntax, .. } => {
            Doc::open(&rest, syntax).is_ok_and(|doc| doc.root().is_empty_container())
        }
    };
    Ok(Some(rest).filter(|_| !(record.created && is_empty)))
}

fn with_entry(
    text: &str,
    syntax: JsonSyntax,
    entry: &Value,
    added: &mut Vec<Added>,
    notes: &mut Vec<String>,
) -> Result<String, SettingsError> {
    let mut doc = Doc::open(text, syntax)?;
    if doc.root().members().is_none() {
        return Err(refuse(
            text,
            0,
            "the file must contain a JSON object",
            "correct it, then run the command again",
        ));
    }
    let path = [PathStep::Key(SERVERS), PathStep::Key(SERVER)];
    let there = doc.at(&path).map(|node| value_of(&doc, node));
    match there {
        Some(there) if there == *entry => return Ok(text.to_owned()),
        Some(there) if is_own(&there) => doc.replace(&path, entry)?,
        Some(_) => {
            notes.push(format!("`{SERVERS}.{SERVER}` starts something else and was left alone"));
            return Ok(text.to_owned());
        }
        None => {
            added.clear();
            merge(&mut doc, &mut Vec::new(), &json!({ SERVERS: { SERVER: entry } }), added, notes)?;
            if added.is_empty() {
                notes.push(format!("`{SERVERS}` is no object: nothing was registered"));
                return Ok(text.to_owned());
            }
        }
    }
    Ok(doc.into_text())
}

/// Our lines of a TOML file.
fn block(text: &str) -> Option<std::ops::Range<usize>> {
    let from = text.find(BEGIN)?;
    let end = text.get(from..)?.find(END)?;
    Some(from..from + end + END.len())
}

fn without_table(text: &str) -> String {
    let mut rest = text.to_owned();
    if let Some(range) = block(text) {
        rest.replace_range(range, "");
    }
    rest
}

fn with_table(text: &str, table: &str, notes: &mut Vec<String>) -> Result<String, SettingsError> {
    let parse = |text: &str| {
        toml::from_str::<toml::Table>(text).map_err(|error| {
            let message = format!("it is not valid TOML: {}", error.message());
            refuse(text, 0, message, "correct it, then run the command again")
        })
    };
    let own = without_table(text);
    let servers = parse(&own)?.remove("mcp_servers");
    if servers.is_some_and(|servers| servers.get(SERVER).is_some()) {
        notes.push(format!("`mcp_servers.{SERVER}` is there already and was left alone"));
        return Ok(text.to_owned());
    }
    let lines = format!("{BEGIN}{table}{END}");
    let new = match block(text) {
        Some(range) => {
            let mut new = text.to_owned();
            new.replace_range(range, &lines);
            new
        }
        None if own.is_empty() || own.ends_with('\n') => format!("{own}{lines}"),
        None => format!("{own}\n{lines}"),
    };
    parse(&new).map(|_| new)
}

fn record_file(paths: &Paths, file: &Path) -> PathBuf {
    paths.state.join("deployed").join(format!("mcp-{}.json", short_hash(file.as_os_str().as_encoded_bytes())))
}

fn load(paths: &Paths, file: &Path) -> Record {
    let bytes = files::read(record_file(paths, file), files::STATE).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn save(paths: &Paths, registration: &McpRegistration, record: &Record) -> Result<(), DeployError> {
    let file = record_file(paths, &registration.file);
    let bytes = serde_json::to_vec(record).unwrap_or_default();
    files::write_durable(&file, &bytes).map_err(DeployError::io("write", &file))?;
    let mut all = registrations(paths);
    if !all.contains(registration) {
        all.push(registration.clone());
        write_registrations(paths, &all)?;
    }
    Ok(())
}

fn registrations_file(paths: &Paths) -> PathBuf {
    paths.state.join("deployed").join("mcp.json")
}

/// The registrations that were made and not taken back.
pub fn registrations(paths: &Paths) -> Vec<McpRegistration> {
    let bytes = files::read(registrations_file(paths), files::STATE).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn write_registrations(paths: &Paths, all: &[McpRegistration]) -> Result<(), DeployError> {
    let file = registrations_file(paths);
    let bytes = serde_json::to_vec(all).unwrap_or_default();
    files::write_durable(&file, &bytes).map_err(DeployError::io("write", &file))
}

fn forget(paths: &Paths, file: &Path) -> Result<(), DeployError> {
    let mut all = registrations(paths);
    let before = all.len();
    all.retain(|known| known.file != file);
    if all.len() == before { Ok(()) } else { write_registrations(paths, &all) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_base::env::Env;

    fn world(agent: AgentId, text: Option<&str>) -> (tempfile::TempDir, Paths, McpFiles, McpRegistration) {
        let dir = tempfile::tempdir().unwrap();
        let paths =
            Paths::from_env(&Env::Fixed([("HOME".to_owned(), dir.path().display().to_string())].into()));
        let file = dir.path().join("settings");
        if let Some(text) = text {
            std::fs::write(&file, text).unwrap();
        }
        let how = agent.spec().settings.mcp.unwrap();
        (dir, paths, how, McpRegistration { agent, scope: "user".to_owned(), file })
    }

    fn json_agents() -> impl Iterator<Item = AgentId> {
        AgentId::ALL.into_iter().filter(|agent| {
            matches!(agent.spec().settings.mcp, Some(McpFiles { format: McpFormat::Json { .. }, .. }))
        })
    }

    fn toml_agents() -> impl Iterator<Item = AgentId> {
        AgentId::ALL.into_iter().filter(|agent| {
            matches!(agent.spec().settings.mcp, Some(McpFiles { format: McpFormat::Toml, .. }))
        })
    }

    /// Registers twice (another program the second time), takes it out, and compares.
    fn there_and_back(agent: AgentId, text: Option<&str>) {
        let (_dir, paths, how, registration) = world(agent, text);
        let read = || std::fs::read_to_string(&registration.file).ok();
        let seen = register(&paths, &how, &registration, "/opt/sprag", Mode::DryRun).unwrap();
        assert!(seen.diff.contains('+') && read().as_deref() == text, "{}", seen.diff);
        for (exe, outcome) in [
            ("/opt/sprag", None),
            ("/opt/sprag", Some(Outcome::Unchanged)),
            ("/usr/bin/sprag", Some(Outcome::Updated)),
        ] {
            let done = register(&paths, &how, &registration, exe, Mode::Write).unwrap();
            assert!(outcome.is_none_or(|outcome| outcome == done.outcome), "{agent}: {:?}", done.outcome);
            assert!(read().unwrap().contains(exe));
        }
        assert!(is_registered(&how, &registration.file));
        assert_eq!(registrations(&paths), std::slice::from_ref(&registration));
        unregister(&paths, &how, &registration.file, Mode::Write).unwrap();
        assert_eq!(read().as_deref(), text, "{agent}");
        assert!(registrations(&paths).is_empty());
    }

    #[test]
    fn json_files_come_back_byte_by_byte() {
        for agent in json_agents() {
            for text in [
                None,
                Some(""),
                Some("{}"),
                Some("{ }\n"),
                Some("{\"mcpServers\": { }}\n"),
                Some("{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\": \"x\"}\n\t}\n}"),
                Some("{\n  \"projects\": {},\r\n  \"n\": 1\n}\n"),
            ] {
                there_and_back(agent, text);
            }
        }
    }

    #[test]
    fn toml_files_come_back_byte_by_byte() {
        for agent in toml_agents() {
            for text in [
                None,
                Some(""),
                Some("model = \"x\""),
                Some("# mine\n[mcp_servers.other]\ncommand = \"y\"\n\n"),
            ] {
                there_and_back(agent, text);
            }
        }
    }

    #[test]
    fn what_the_agent_wrote_meanwhile_stays() {
        for agent in json_agents() {
            let (_dir, paths, how, registration) = world(agent, Some("{\"a\": 1}"));
            register(&paths, &how, &registration, "/opt/sprag", Mode::Write).unwrap();
            let mut now: Value =
                serde_json::from_str(&std::fs::read_to_string(&registration.file).unwrap()).unwrap();
            now["mcpServers"]["theirs"] = json!({"command": "z"});
            now["b"] = json!(2);
            std::fs::write(&registration.file, serde_json::to_string_pretty(&now).unwrap()).unwrap();
            unregister(&paths, &how, &registration.file, Mode::Write).unwrap();
            let left: Value =
                serde_json::from_str(&std::fs::read_to_string(&registration.file).unwrap()).unwrap();
            assert_eq!(left, json!({"a": 1, "b": 2, "mcpServers": {"theirs": {"command": "z"}}}));
        }
    }

    #[test]
    fn an_entry_of_somebody_else_is_left_alone() {
        let text = "{\"mcpServers\": {\"sprag\": {\"command\": \"docker\", \"args\": [\"run\"]}}}";
        let (_dir, paths, how, registration) = world(AgentId::CANONICAL, Some(text));
        let done = register(&paths, &how, &registration, "/opt/sprag", Mode::Write).unwrap();
        assert!(
            done.outcome == Outcome::Unchanged && done.notes[0].contains("left alone"),
            "{:?}",
            done.notes
        );
        unregister(&paths, &how, &registration.file, Mode::Write).unwrap();
        assert_eq!(std::fs::read_to_string(&registration.file).unwrap(), text);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_refused() {
        for (agent, text) in
            json_agents().map(|agent| (agent, "{")).chain(toml_agents().map(|agent| (agent, "a = ")))
        {
            let (_dir, paths, how, registration) = world(agent, Some(text));
            assert!(register(&paths, &how, &registration, "/opt/sprag", Mode::Write).is_err());
            assert_eq!(std::fs::read_to_string(&registration.file).unwrap(), text);
        }
    }
}
