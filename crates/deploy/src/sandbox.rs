//! Writes an agent's own sandbox settings and takes them back. Only what is missing is added: values that are there stay
//! as they are and are named. What was added is remembered, so that it can be removed byte by byte.

use super::doc::{Doc, PathStep};
use super::error::DeployError;
use super::file::{self, Staged};
use super::json::{Node, SettingsError, refuse};
use super::run::diff;
use super::{Mode, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::paths::Paths;
use sprag_protocol::agents::files::JsonSyntax;
use sprag_protocol::agents::sandbox::SandboxPart;
use std::path::{Path, PathBuf};

/// What happened to one file.
#[derive(Debug, Clone)]
pub struct SandboxReport {
    /// The file.
    pub file: PathBuf,
    /// What was done, or would be.
    pub outcome: Outcome,
    /// The change as a unified diff.
    pub diff: String,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// A value that was added: the keys that lead to it, and for an item of a list the item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Added {
    pub(crate) path: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) item: Option<Value>,
}

const BEGIN: &str = "# sprag sandbox: begin (`sprag policy sandbox --undo` removes these lines)\n";
const END: &str = "# sprag sandbox: end\n";

/// An agent's own sandbox: what is written, and where.
#[derive(Debug)]
pub struct Sandbox<'a> {
    /// Where sprag keeps what it wrote.
    pub paths: &'a Paths,
    /// The agent's settings file.
    pub settings: &'a Path,
    /// How that is written.
    pub syntax: JsonSyntax,
    /// What the sandbox consists of.
    pub parts: &'a [SandboxPart],
}

impl Sandbox<'_> {
    /// Writes the parts.
    pub fn confine(&self, mode: Mode) -> Result<Vec<SandboxReport>, DeployError> {
        let Self { paths, settings, syntax, parts } = *self;
        parts
            .iter()
            .map(|part| match part {
                SandboxPart::Merge(wanted) => {
                    let mut added = Vec::new();
                    let mut notes = Vec::new();
                    let report = rewrite(settings, mode, |text| {
                        (added, notes) = (Vec::new(), Vec::new());
                        let mut doc = Doc::open(text.unwrap_or_default(), syntax)?;
                        merge(&mut doc, &mut Vec::new(), wanted, &mut added, &mut notes)?;
                        Ok(if added.is_empty() { text.map(str::to_owned) } else { Some(doc.into_text()) })
                    })?;
                    if mode == Mode::Write && !added.is_empty() {
                        remember(paths, settings, &added)?;
                    }
                    Ok(SandboxReport { notes, ..report })
                }
                SandboxPart::Block { file, top, bottom, conflicts } => {
                    let target = settings.with_file_name(file);
                    rewrite(&target, mode, |text| {
                        with_block(text.unwrap_or_default(), top, bottom, conflicts).map(Some)
                    })
                }
                SandboxPart::Own { file, text } => {
                    rewrite(&beside(settings, file), mode, |_| Ok(Some(text.clone())))
                }
            })
            .collect()
    }

    /// Takes back what [`Self::confine`] wrote.
    pub fn release(&self, mode: Mode) -> Result<Vec<SandboxReport>, DeployError> {
        let Self { paths, settings, syntax, parts } = *self;
        parts
            .iter()
            .map(|part| match part {
                SandboxPart::Merge(_) => {
                    let added = remembered(paths, settings)?;
                    let report = rewrite(settings, mode, |text| match text {
                        Some(text) if !added.is_empty() => {
                            let mut doc = Doc::open(text, syntax)?;
                            for one in added.iter().rev() {
                                take_out(&mut doc, one)?;
                            }
                            Ok(Some(doc.into_text()))
                        }
                        other => Ok(other.map(str::to_owned)),
                    })?;
                    if mode == Mode::Write {
                        let _ = files::remove(record(paths, settings));
                    }
                    Ok(report)
                }
                SandboxPart::Block { file, .. } => {
                    rewrite(&settings.with_file_name(file), mode, |text| {
                        // A file that held nothing else was made by `confine`.
                        Ok(text.map(without_block).filter(|rest| !rest.is_empty()))
                    })
                }
                SandboxPart::Own { file, .. } => rewrite(&beside(settings, file), mode, |_| Ok(None)),
            })
            .collect()
    }
}

fn beside(settings: &Path, file: &str) -> PathBuf {
    settings.parent().unwrap_or(Path::new("")).join(file)
}

/// Reads, edits and replaces a file; `None` from `edit` removes it.
pub(crate) fn rewrite(
    path: &Path,
    mode: Mode,
    mut edit: impl FnMut(Option<&str>) -> Result<Option<String>, SettingsError>,
) -> Result<SandboxReport, DeployError> {
    let target = file::resolve(path)?;
    let mut lock: Option<Staged> = None;
    for _ in 0..6 {
        let before = file::read(&target)?;
        let after = edit(before.as_deref()).map_err(DeployError::refused(path))?;
        let outcome = match (&before, &after) {
            (None, None) => Outcome::Unchanged,
            (Some(before), Some(after)) if before == after => Outcome::Unchanged,
            (None, Some(_)) => Outcome::Created,
            (Some(_), None) => Outcome::Removed,
            (Some(_), Some(_)) => Outcome::Updated,
        };
        let report = SandboxReport {
            file: path.to_owned(),
            outcome,
            diff: diff(path, before.as_deref(), after.as_deref()),
            notes: Vec::new(),
        };
        if mode == Mode::DryRun || outcome == Outcome::Unchanged {
            return Ok(report);
        }
        let Some(staged) = &mut lock else {
            file::create_parents(&target, true)?;
            lock = Some(Staged::lock(&target)?);
            continue;
        };
        let written = match (&before, &after) {
            (_, Some(after)) => staged.commit(before.as_deref(), after, crate::modes::PRIVATE)?,
            (Some(before), None) => staged.delete(before)?,
            (None, None) => true,
        };
        if written {
            return Ok(report);
        }
    }
    Err(DeployError::Busy { file: path.to_owned() })
}

/// Adds to the value at `path` what it lacks of `wanted`.
pub(crate) fn merge(
    doc: &mut Doc,
    path: &mut Vec<String>,
    wanted: &Value,
    added: &mut Vec<Added>,
    notes: &mut Vec<String>,
) -> Result<(), SettingsError> {
    let Value::Object(fields) = wanted else { return Ok(()) };
    for (key, value) in fields {
        path.push(key.clone());
        let steps: Vec<PathStep<'_>> = path.iter().map(|key| PathStep::Key(key)).collect();
        let there = doc.at(&steps);
        match (there, value) {
            (None, _) => {
                let parent: Vec<PathStep<'_>> = steps.get(..steps.len() - 1).unwrap_or_default().to_vec();
                doc.insert(&parent, Some(key), value)?;
                added.push(Added { path: path.clone(), item: None });
            }
            (Some(node), Value::Array(items)) if node.elements().is_some() => {
                let have: Vec<Value> =
                    node.elements().unwrap_or_default().iter().map(|item| value_of(doc, item)).collect();
                for item in items.iter().filter(|item| !have.contains(item)) {
                    doc.insert(&steps, None, item)?;
                    added.push(Added { path: path.clone(), item: Some(item.clone()) });
                }
            }
            (Some(node), Value::Object(_)) if node.members().is_some() => {
                merge(doc, path, value, added, notes)?;
            }
            (Some(node), value) => {
                if value_of(doc, node) != *value {
                    notes.push(format!("`{}` is {} there and was left alone", path.join("."), doc.raw(node)));
                }
            }
        }
        path.pop();
    }
    Ok(())
}

pub(crate) fn value_of(doc: &Doc, node: &Node) -> Value {
    serde_json::from_str(doc.raw(node)).unwrap_or_default()
}

/// Removes one added value, where it still is.
pub(crate) fn take_out(doc: &mut Doc, one: &Added) -> Result<(), SettingsError> {
    let steps: Vec<PathStep<'_>> = one.path.iter().map(|key| PathStep::Key(key)).collect();
    let Some(node) = doc.at(&steps) else { return Ok(()) };
    let Some(item) = &one.item else { return doc.remove(&steps) };
    let place = node.elements().and_then(|all| all.iter().position(|known| value_of(doc, known) == *item));
    match place {
        Some(place) => doc.remove(&[steps, vec![PathStep::Item(place)]].concat()),
        None => Ok(()),
    }
}

fn record(paths: &Paths, settings: &Path) -> PathBuf {
    let name = short_hash(settings.as_os_str().as_encoded_bytes());
    paths.state.join("deployed").join(format!("sandbox-{name}.json"))
}

fn remembered(paths: &Paths, settings: &Path) -> Result<Vec<Added>, DeployError> {
    let file = record(paths, settings);
    let bytes = files::read_whole(&file, files::STATE).map_err(DeployError::io("read", &file))?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
}

fn remember(paths: &Paths, settings: &Path, added: &[Added]) -> Result<(), DeployError> {
    let file = record(paths, settings);
    let mut all = remembered(paths, settings)?;
    all.extend(added.iter().filter(|one| !all.contains(one)).cloned().collect::<Vec<_>>());
    let bytes = serde_json::to_vec(&all).unwrap_or_default();
    files::write_durable(&file, &bytes).map_err(DeployError::io("write", &file))
}

/// The text with our lines at its beginning and at its end, in place of those that were there.
fn with_block(text: &str, top: &str, bottom: &str, conflicts: &[&str]) -> Result<String, SettingsError> {
    let own = without_block(text);
    let wrong = |what: String, hint: &str| refuse(text, 0, &what, hint);
    let parsed: toml::Table = toml::from_str(&own)
        .map_err(|error| wrong(format!("it is not valid TOML: {}", error.message()), "correct it first"))?;
    if let Some(key) = conflicts.iter().find(|key| parsed.contains_key(**key)) {
        return Err(wrong(
            format!("`{key}` chooses another sandbox"),
            "remove it to use the one of sprag; nothing was written",
        ));
    }
    let line = if own.is_empty() || own.ends_with('\n') { "" } else { "\n" };
    let new = format!("{BEGIN}{top}{END}{own}{line}{BEGIN}{bottom}{END}");
    toml::from_str::<toml::Table>(&new).map(|_| new.clone()).map_err(|error| {
        let hint = "with hosts, `network_proxy = true` has to stand in your own [features]";
        wrong(format!("it would not be valid TOML any more: {}", error.message()), hint)
    })
}

fn without_block(text: &str) -> String {
    let mut rest = text.to_owned();
    while let Some(from) = rest.find(BEGIN) {
        let Some(len) = rest.get(from..).and_then(|tail| tail.find(END)) else { break };
        rest.replace_range(from..from + len + END.len(), "");
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use sprag_base::env::Env;

    fn world() -> (tempfile::TempDir, Paths, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let paths =
            Paths::from_env(&Env::Fixed([("HOME".to_owned(), dir.path().display().to_string())].into()));
        let settings = dir.path().join(".agent/settings.json");
        std::fs::create_dir(dir.path().join(".agent")).unwrap();
        (dir, paths, settings)
    }

    fn sandbox<'a>(paths: &'a Paths, settings: &'a Path, parts: &'a [SandboxPart]) -> Sandbox<'a> {
        Sandbox { paths, settings, syntax: JsonSyntax::Strict, parts }
    }

    const MINE: &str =
        "{\n    \"model\": \"opus\",\n    \"permissions\": {\"deny\": [\"Read(./x)\"], \"allow\": []}\n}\n";

    #[test]
    fn what_is_there_stays_and_comes_back_byte_by_byte() {
        let (_dir, paths, settings) = world();
        std::fs::write(&settings, MINE).unwrap();
        let wanted =
            json!({"permissions": {"deny": ["Read(./x)", "Read(~/.ssh)"]}, "sandbox": {"enabled": true}});
        let parts = [SandboxPart::Merge(wanted)];
        let seen = sandbox(&paths, &settings, &parts).confine(Mode::DryRun).unwrap();
        assert!(seen[0].diff.contains('+') && std::fs::read_to_string(&settings).unwrap() == MINE);
        for round in 0..2 {
            let done = sandbox(&paths, &settings, &parts).confine(Mode::Write).unwrap();
            assert_eq!(done[0].outcome == Outcome::Unchanged, round == 1, "a second run changes nothing");
        }
        let now: Value = serde_json::from_str(&std::fs::read_to_string(&settings).unwrap()).unwrap();
        assert_eq!(now["permissions"]["deny"], json!(["Read(./x)", "Read(~/.ssh)"]));
        assert_eq!((&now["sandbox"]["enabled"], &now["model"]), (&json!(true), &json!("opus")));
        sandbox(&paths, &settings, &parts).release(Mode::Write).unwrap();
        assert_eq!(std::fs::read_to_string(&settings).unwrap(), MINE);
    }

    #[test]
    fn a_value_of_the_user_is_named_and_left_alone() {
        let (_dir, paths, settings) = world();
        std::fs::write(&settings, "{\"sandbox\": {\"enabled\": false}}").unwrap();
        let parts = [SandboxPart::Merge(json!({"sandbox": {"enabled": true}}))];
        let done = sandbox(&paths, &settings, &parts).confine(Mode::Write).unwrap();
        assert_eq!(done[0].outcome, Outcome::Unchanged);
        assert!(done[0].notes[0].contains("sandbox.enabled"), "{:?}", done[0].notes);
    }

    fn block(top: &str) -> [SandboxPart; 1] {
        let (top, bottom) = (top.to_owned(), "[permissions.sprag]\nextends = \":workspace\"\n".to_owned());
        [SandboxPart::Block { file: "config.toml", top, bottom, conflicts: &["sandbox_mode"] }]
    }

    #[test]
    fn lines_of_a_toml_file_come_and_go() {
        let (dir, paths, settings) = world();
        let config = dir.path().join(".agent/config.toml");
        let mine = "model = \"x\" # mine\n\n[features]\nhooks = true\n";
        std::fs::write(&config, mine).unwrap();
        for _ in 0..2 {
            let parts = block("default_permissions = \"sprag\"\n");
            sandbox(&paths, &settings, &parts).confine(Mode::Write).unwrap();
        }
        let text = std::fs::read_to_string(&config).unwrap();
        let parsed: toml::Table = toml::from_str(&text).unwrap();
        assert_eq!(parsed["default_permissions"].as_str(), Some("sprag"));
        assert_eq!(text.matches("sandbox: begin").count(), 2, "{text}");
        sandbox(&paths, &settings, &block("")).release(Mode::Write).unwrap();
        assert_eq!(std::fs::read_to_string(&config).unwrap(), mine);
    }

    #[test]
    fn another_sandbox_or_a_broken_file_is_refused() {
        let (dir, paths, settings) = world();
        let config = dir.path().join(".agent/config.toml");
        for text in ["sandbox_mode = \"read-only\"\n", "model = \n", "[features]\nx = true\n"] {
            std::fs::write(&config, text).unwrap();
            let top = if text.starts_with("[features") { "features.network_proxy = true\n" } else { "" };
            assert!(sandbox(&paths, &settings, &block(top)).confine(Mode::Write).is_err(), "{text}");
            assert_eq!(std::fs::read_to_string(&config).unwrap(), text);
        }
    }

    #[test]
    fn a_file_of_its_own_is_made_and_removed() {
        let (dir, paths, settings) = world();
        let parts = [SandboxPart::Own { file: "policies/sprag-sandbox.toml", text: "a = 1\n".to_owned() }];
        sandbox(&paths, &settings, &parts).confine(Mode::Write).unwrap();
        let own = dir.path().join(".agent/policies/sprag-sandbox.toml");
        assert_eq!(std::fs::read_to_string(&own).unwrap(), "a = 1\n");
        sandbox(&paths, &settings, &parts).release(Mode::Write).unwrap();
        assert!(!own.exists());
    }
}
