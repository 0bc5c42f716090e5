//! Deploy, undeploy and status: connects the pure editor to the disk.
//! Each run reads, edits, checks that nobody wrote in between, and replaces the file atomically.

use std::path::{Path, PathBuf};

use super::command::{Command, Form};
use super::edit::{self, Edited, Warning};
use super::error::DeployError;
use super::file::{self, Staged};
use super::json::same_content;
use super::memory::{SavedOriginal, backup_path, marker_path};
use super::own::Entry;
use super::plan::Plan;
use super::toml_hooks::{TomlHooks, toml_hooks};
use sprag_protocol::agents::files::{AgentFiles, Scope};

/// How often a file may change during a run before it gives up.
const ATTEMPTS: usize = 6;

/// Whether to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Write the changes.
    Write,
    /// Only report what would be done: no file, folder or backup is touched.
    DryRun,
}

/// What a run did to a file, or would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is up to date; nothing was written.
    Unchanged,
    /// It did not exist.
    Created,
    /// It was edited.
    Updated,
    /// It is byte for byte what it was before the first deploy.
    Restored,
    /// Deploy had created it and nothing else was in it.
    Removed,
    /// Our entries are in another file that the user keeps, so this one was left alone.
    Elsewhere,
}

/// The result of one deploy or undeploy.
#[derive(Debug, Clone)]
pub struct Report {
    /// The agent's file.
    pub file: PathBuf,
    /// What happened to it.
    pub outcome: Outcome,
    /// The change as a unified diff; empty when there is none.
    pub diff: String,
    /// What its owner should know.
    pub warnings: Vec<Warning>,
    /// What the user has to do now.
    pub advice: Option<&'static str>,
    /// Where the state before the first deploy is kept, if it was a file.
    pub backup: Option<PathBuf>,
}

/// What is registered in a file.
#[derive(Debug, Clone)]
pub struct Registered {
    /// The agent's file.
    pub file: PathBuf,
    /// The file exists.
    pub exists: bool,
    /// Our entries.
    pub entries: Vec<Entry>,
    /// The program of the first entry.
    pub exe: Option<PathBuf>,
    /// The form of the first entry.
    pub form: Option<Form>,
    /// An entry starts a program that does not exist, or not the expected command: deploy again.
    pub stale: bool,
    /// Events whose entry of ours is in the TOML file that the agent reads too.
    pub elsewhere: Vec<String>,
}

/// Brings the agent's file in line with the plan.
pub fn deploy(plan: &Plan, mode: Mode) -> Result<Report, DeployError> {
    let exe = Some(plan.command.exe.as_path());
    let target = file::resolve(&plan.file)?;
    let refused = DeployError::refused(&plan.file);
    sweep(&plan.file, &target, mode);
    let mut made = 0;
    let mut lock = None;
    for _ in 0..ATTEMPTS {
        let before = file::read(&target)?;
        let text = before.as_deref().unwrap_or_default();
        let saved = file::load_original(&plan.file);
        let present = !edit::entries(plan.agent, exe, text).map_err(&refused)?.is_empty();
        let (toml, mut warnings) = hooks_in_toml(plan.agent, &plan.file, exe);
        if !toml.ours.is_empty() && !present && !plan.registrations.is_empty() {
            let mut report = Report::new(&plan.file, Outcome::Elsewhere);
            report.warnings = warnings;
            return Ok(report);
        }
        let first = is_first(plan.agent, &saved, before.as_deref(), present);
        let mut origin = match (&before, first) {
            (_, false) => saved.clone(),
            (Some(text), true) => SavedOriginal::Text(text.clone()),
            (None, true) => SavedOriginal::Absent { folders: 0 },
        };
        let Edited { text: after, warnings: added } =
            edit::apply(plan, text, origin.origin()).map_err(&refused)?;
        warnings.extend(added);
        let mut report = Report::new(&plan.file, Outcome::Unchanged);
        report.warnings = warnings;
        report.backup = Some(backup_path(&plan.file)).filter(|_| matches!(origin, SavedOriginal::Text(_)));
        if after == text {
            report.backup = report.backup.filter(|_| !first);
            return Ok(report);
        }
        report.outcome = if before.is_some() { Outcome::Updated } else { Outcome::Created };
        report.diff = diff(&plan.file, before.as_deref(), Some(&after));
        report.advice = plan.agent.advice.filter(|_| !plan.registrations.is_empty());
        if mode == Mode::DryRun {
            return Ok(report);
        }
        let Some(staged) = &mut lock else {
            // Once more with the lock held: from then on only another program can write in between.
            made += file::create_parents(&target, plan.scope == Scope::User)?;
            lock = Some(Staged::lock(&target)?);
            continue;
        };
        if first {
            if let SavedOriginal::Absent { folders } = &mut origin {
                *folders = made;
            }
            file::save_original(&origin, &plan.file, &target)?;
        }
        if staged.commit(before.as_deref(), &after)? {
            return Ok(report);
        }
    }
    Err(DeployError::Busy { file: plan.file.clone() })
}

/// Removes our entries from the agent's file and restores its state before the first deploy.
pub fn undeploy(
    agent: &AgentFiles,
    path: &Path,
    exe: Option<&Path>,
    mode: Mode,
) -> Result<Report, DeployError> {
    let target = file::resolve(path)?;
    sweep(path, &target, mode);
    let mut lock = None;
    for _ in 0..ATTEMPTS {
        let mut report = Report::new(path, Outcome::Unchanged);
        let (toml, warnings) = hooks_in_toml(agent, path, exe);
        report.warnings = warnings;
        if !toml.ours.is_empty() {
            let text =
                format!("config.toml has entries of sprag for {}: remove them there", toml.ours.join(", "));
            report.warnings.push(Warning { line: None, text });
        }
        let saved = file::load_original(path);
        let Some(before) = file::read(&target)? else {
            if mode == Mode::Write {
                file::remove(&marker_path(path))?;
            }
            return Ok(report);
        };
        let Edited { text: stripped, warnings } =
            edit::strip(agent, exe, &before, saved.origin()).map_err(DeployError::refused(path))?;
        report.warnings.extend(warnings);
        let after = match &saved {
            SavedOriginal::Absent { .. } if same_content(&stripped, "{}", agent.syntax) => None,
            SavedOriginal::Text(text) if same_content(&stripped, text, agent.syntax) => Some(text.clone()),
            _ => Some(stripped),
        };
        let restored = matches!((&saved, &after), (SavedOriginal::Text(text), Some(after)) if text == after);
        report.outcome = match &after {
            None => Outcome::Removed,
            Some(after) if *after == before => Outcome::Unchanged,
            Some(_) if restored => Outcome::Restored,
            Some(_) => Outcome::Updated,
        };
        report.diff = diff(path, Some(&before), after.as_deref());
        report.backup =
            Some(backup_path(path)).filter(|_| matches!(saved, SavedOriginal::Text(_)) && !restored);
        if mode == Mode::DryRun {
            return Ok(report);
        }
        let same = report.outcome == Outcome::Unchanged;
        if lock.is_none() && !same {
            lock = Some(Staged::lock(&target)?);
            continue;
        }
        let written = match (&mut lock, &after) {
            (Some(staged), Some(after)) if !same => staged.commit(Some(&before), after)?,
            (Some(staged), None) => staged.delete(&before)?,
            _ => true,
        };
        if !written {
            continue;
        }
        // The copy is no longer needed when the file equals it; otherwise it is the user's only old version.
        file::remove(&marker_path(path))?;
        if restored {
            file::remove(&backup_path(path))?;
        }
        drop(lock.take());
        if let (SavedOriginal::Absent { folders }, None) = (&saved, &after) {
            file::remove_parents(&target, *folders);
        }
        return Ok(report);
    }
    Err(DeployError::Busy { file: path.to_owned() })
}

/// What is registered in the agent's file; `expected` is what deploy would register now.
pub fn status(
    agent: &AgentFiles,
    path: &Path,
    expected: Option<&Command>,
) -> Result<Registered, DeployError> {
    let exe = expected.map(|command| command.exe.as_path());
    let text = file::read(&file::resolve(path)?)?;
    let entries =
        edit::entries(agent, exe, text.as_deref().unwrap_or_default()).map_err(DeployError::refused(path))?;
    let stale = entries.iter().any(|entry| {
        let other = expected.is_some_and(|command| command.exe != entry.exe || command.args != entry.args);
        other || (entry.exe.is_absolute() && !file::is_executable(&entry.exe))
    });
    let first = entries.first();
    Ok(Registered {
        file: path.to_owned(),
        exists: text.is_some(),
        exe: first.map(|entry| entry.exe.clone()),
        form: first.map(|entry| entry.form),
        stale,
        elsewhere: hooks_in_toml(agent, path, exe).0.ours,
        entries,
    })
}

impl Report {
    fn new(file: &Path, outcome: Outcome) -> Self {
        Self {
            file: file.to_owned(),
            outcome,
            diff: String::new(),
            warnings: Vec::new(),
            advice: None,
            backup: None,
        }
    }
}

fn sweep(path: &Path, target: &Path, mode: Mode) {
    if mode == Mode::Write {
        for file in [target, &backup_path(path), &marker_path(path)] {
            file::sweep(file);
        }
    }
}

/// True when the current file is the state before sprag: nothing was saved, or what was saved is out of date.
fn is_first(agent: &AgentFiles, saved: &SavedOriginal, before: Option<&str>, present: bool) -> bool {
    match (saved, before) {
        (SavedOriginal::Nothing, _) => true,
        (SavedOriginal::Absent { .. }, None) => false,
        (SavedOriginal::Text(_), None) => true,
        (SavedOriginal::Absent { .. }, Some(text)) => !present && !same_content(text, "{}", agent.syntax),
        (SavedOriginal::Text(old), Some(text)) => !present && !same_content(text, old, agent.syntax),
    }
}

/// What the agent's TOML file beside `path` says about hooks, with warnings for its owner.
fn hooks_in_toml(agent: &AgentFiles, path: &Path, exe: Option<&Path>) -> (TomlHooks, Vec<Warning>) {
    let warning = |text: String| Warning { line: None, text };
    let (Some(toml), Some(known)) = (agent.toml_path(path), agent.toml_file) else {
        return Default::default();
    };
    let text = match file::read(&toml) {
        Ok(Some(text)) => text,
        Ok(None) => return Default::default(),
        Err(error) => return (TomlHooks::default(), vec![warning(error.to_string())]),
    };
    let is_ours = |command: &str| Command::recognise(command, None, exe).is_some();
    match toml_hooks(&text, known, is_ours) {
        Ok(hooks) => {
            let warnings = hooks.warnings(agent, known, path).into_iter().map(warning).collect();
            (hooks, warnings)
        }
        Err(error) => {
            let text = format!("{error}: {} will not start", agent.title());
            (TomlHooks::default(), vec![warning(text)])
        }
    }
}

fn diff(file: &Path, before: Option<&str>, after: Option<&str>) -> String {
    let name = file.display().to_string();
    let side = |text: Option<&str>| text.map_or_else(|| "/dev/null".to_owned(), |_| name.clone());
    similar::TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default())
        .unified_diff()
        .context_radius(3)
        .header(&side(before), &side(after))
        .to_string()
}
