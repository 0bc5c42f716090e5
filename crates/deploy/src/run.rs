//! Deploy, undeploy and status: the pure editor joined to the disk.
//! Each run reads, edits, checks that nobody wrote in between, and replaces the file whole.

use std::path::{Path, PathBuf};

use super::agents::{AgentFiles, Scope};
use super::codex_toml::{TomlHooks, toml_hooks};
use super::command::{Command, Form};
use super::edit::{self, Edited, Warning};
use super::error::DeployError;
use super::file::{self, Staged};
use super::json::same_content;
use super::memory::{Memory, backup_path, marker_path};
use super::own::Entry;
use super::plan::Plan;

/// How often a file may change under our hands before we give up.
const ATTEMPTS: usize = 6;

/// Whether to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Do it.
    Write,
    /// Only say what would be done: no file, folder or backup is touched.
    DryRun,
}

/// What a run did to a file, or would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is as it should be; nothing was written.
    Unchanged,
    /// It did not exist.
    Created,
    /// It was edited.
    Updated,
    /// It is byte for byte what it was before the first deploy.
    Restored,
    /// We had made it and nothing else was in it.
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
    /// It is there.
    pub exists: bool,
    /// Our entries.
    pub entries: Vec<Entry>,
    /// The program of the first entry.
    pub exe: Option<PathBuf>,
    /// The form of the first entry.
    pub form: Option<Form>,
    /// An entry starts a program that is not there, or not the expected command: deploy again.
    pub stale: bool,
    /// Events whose entry of ours is in the user's `config.toml` (Codex).
    pub elsewhere: Vec<String>,
}

/// Makes the agent's file agree with the plan.
pub fn deploy(plan: &Plan, mode: Mode) -> Result<Report, DeployError> {
    let exe = Some(plan.command.exe.as_path());
    let target = file::resolve(&plan.file)?;
    let refused = |refusal| DeployError::refused(&plan.file, refusal);
    sweep(&plan.file, &target, mode);
    let mut made = 0;
    let mut lock = None;
    for _ in 0..ATTEMPTS {
        let before = file::read(&target)?;
        let text = before.as_deref().unwrap_or_default();
        let memory = Memory::load(&plan.file);
        let present = !edit::entries(plan.agent, exe, text).map_err(refused)?.is_empty();
        let (toml, mut warnings) = beside(plan.agent, &plan.file, exe);
        if !toml.ours.is_empty() && !present && !plan.registrations.is_empty() {
            let mut report = Report::new(&plan.file, Outcome::Elsewhere);
            report.warnings = warnings;
            return Ok(report);
        }
        let first = is_first(plan.agent, &memory, before.as_deref(), present);
        let mut origin = match (&before, first) {
            (_, false) => memory.clone(),
            (Some(text), true) => Memory::Text(text.clone()),
            (None, true) => Memory::Absent { folders: 0 },
        };
        let Edited { text: after, warnings: found } =
            edit::apply(plan, text, origin.origin()).map_err(refused)?;
        warnings.extend(found);
        let mut report = Report::new(&plan.file, Outcome::Unchanged);
        report.warnings = warnings;
        report.backup = Some(backup_path(&plan.file)).filter(|_| matches!(origin, Memory::Text(_)));
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
            // Once more with the lock held: from then on only a foreign writer can get in between.
            made += file::create_parents(&target, plan.scope == Scope::User)?;
            lock = Some(Staged::lock(&target)?);
            continue;
        };
        if first {
            if let Memory::Absent { folders } = &mut origin {
                *folders = made;
            }
            origin.save(&plan.file, &target)?;
        }
        if staged.commit(before.as_deref(), &after)? {
            return Ok(report);
        }
    }
    Err(DeployError::Busy { file: plan.file.clone() })
}

/// Takes our entries out of the agent's file, and brings back what was there before the first deploy.
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
        let (toml, warnings) = beside(agent, path, exe);
        report.warnings = warnings;
        if !toml.ours.is_empty() {
            let text =
                format!("config.toml has entries of sprag for {}: remove them there", toml.ours.join(", "));
            report.warnings.push(Warning { line: None, text });
        }
        let memory = Memory::load(path);
        let Some(before) = file::read(&target)? else {
            if mode == Mode::Write {
                file::remove(&marker_path(path))?;
            }
            return Ok(report);
        };
        let Edited { text: stripped, warnings } = edit::strip(agent, exe, &before, memory.origin())
            .map_err(|refusal| DeployError::refused(path, refusal))?;
        report.warnings.extend(warnings);
        let after = match &memory {
            Memory::Absent { .. } if same_content(&stripped, "{}", agent.syntax) => None,
            Memory::Text(text) if same_content(&stripped, text, agent.syntax) => Some(text.clone()),
            _ => Some(stripped),
        };
        let restored = matches!((&memory, &after), (Memory::Text(text), Some(after)) if text == after);
        report.outcome = match &after {
            None => Outcome::Removed,
            Some(after) if *after == before => Outcome::Unchanged,
            Some(_) if restored => Outcome::Restored,
            Some(_) => Outcome::Updated,
        };
        report.diff = diff(path, Some(&before), after.as_deref());
        report.backup = Some(backup_path(path)).filter(|_| matches!(memory, Memory::Text(_)) && !restored);
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
        // The copy has served when the file is the copy again; otherwise it is the user's only old state.
        file::remove(&marker_path(path))?;
        if restored {
            file::remove(&backup_path(path))?;
        }
        drop(lock.take());
        if let (Memory::Absent { folders }, None) = (&memory, &after) {
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
    let entries = edit::entries(agent, exe, text.as_deref().unwrap_or_default())
        .map_err(|refusal| DeployError::refused(path, refusal))?;
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
        elsewhere: beside(agent, path, exe).0.ours,
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

/// True when the file as it is now is its state before us: nothing is remembered, or what is remembered is out of date.
fn is_first(agent: &AgentFiles, memory: &Memory, before: Option<&str>, present: bool) -> bool {
    match (memory, before) {
        (Memory::Nothing, _) => true,
        (Memory::Absent { .. }, None) => false,
        (Memory::Text(_), None) => true,
        (Memory::Absent { .. }, Some(text)) => !present && !same_content(text, "{}", agent.syntax),
        (Memory::Text(old), Some(text)) => !present && !same_content(text, old, agent.syntax),
    }
}

/// What Codex's TOML file beside `path` says about hooks.
fn beside(agent: &AgentFiles, path: &Path, exe: Option<&Path>) -> (TomlHooks, Vec<Warning>) {
    let mut warnings = Vec::new();
    let mut warn = |text: &str| warnings.push(Warning { line: None, text: text.to_owned() });
    let Some(toml) = agent.toml_beside(path) else { return Default::default() };
    let text = match file::read(&toml) {
        Ok(Some(text)) => text,
        Ok(None) => return Default::default(),
        Err(error) => {
            warn(error.to_string().lines().next().unwrap_or_default());
            return (TomlHooks::default(), warnings);
        }
    };
    match toml_hooks(&text, exe) {
        Ok(found) => {
            if found.off {
                warn(
                    "config.toml switches hooks off (features.hooks = false): Codex runs none until you remove it",
                );
            }
            if !found.ours.is_empty() {
                warn("config.toml has entries of sprag: keep them in one place, config.toml or hooks.json");
            } else if found.foreign {
                warn("config.toml has hooks too: Codex runs both files and says so at its start");
            }
            (found, warnings)
        }
        Err(error) => {
            warn(&format!("config.toml is not valid TOML ({}): Codex will not start", error.trim()));
            (TomlHooks::default(), warnings)
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
