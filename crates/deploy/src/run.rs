//! Deploy, undeploy and status: connects the pure editor to the disk.
//! Each run reads, edits, checks that nobody wrote in between, and replaces the file atomically.

use std::path::{Path, PathBuf};

use super::command::{Command, Form};
use super::edit::{self, Edited, Origin, Warning};
use super::error::DeployError;
use super::file::{self, Staged};
use super::json::{SettingsError, same_content};
use super::memory::{Remembered, SavedOriginal};
use super::modes;
use super::own::Entry;
use super::plan::Plan;
use super::toml_hooks::{TomlHooks, toml_hooks};
use sprag_protocol::agents::files::{AgentFiles, Layout, Scope};
use sprag_protocol::dialects;

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

/// A file that is to be edited.
struct Target<'a> {
    agent: &'a AgentFiles,
    path: &'a Path,
    exe: Option<&'a Path>,
    remembered: &'a Remembered,
    /// Folders that are made for it are for their owner alone.
    private: bool,
}

/// What undeploy removes.
#[derive(Debug, Clone, Copy)]
pub struct Removal<'a> {
    /// The agent.
    pub agent: &'a AgentFiles,
    /// Its file.
    pub path: &'a Path,
    /// The program, if it may have another name than sprag.
    pub exe: Option<&'a Path>,
    /// What is remembered about the file.
    pub remembered: &'a Remembered,
    /// A status line of sprag that was there before its hooks goes too.
    pub every_status_line: bool,
}

/// The files behind an agent's path: the path itself, or one for each event.
fn files_of(agent: &AgentFiles, path: &Path) -> Option<Vec<(&'static str, PathBuf)>> {
    let Layout::Block(layout) = &agent.layout else { return None };
    let rows = dialects::of(agent.agent).rows;
    layout.script_per_event.then(|| rows.iter().map(|row| (row.native, path.join(row.native))).collect())
}

/// One report of several files.
fn together(path: &Path, reports: Vec<Report>) -> Report {
    let mut all = Report::new(path, Outcome::Unchanged);
    for report in reports {
        if all.outcome == Outcome::Unchanged {
            all.outcome = report.outcome;
        }
        all.diff.push_str(&report.diff);
        all.warnings.extend(report.warnings);
        all.advice = all.advice.or(report.advice);
        all.backup = all.backup.or(report.backup);
    }
    all
}

/// Brings the agent's file in line with the plan.
pub fn deploy(plan: &Plan, mode: Mode) -> Result<Report, DeployError> {
    if let Some(files) = files_of(plan.agent, &plan.file) {
        let mut reports = Vec::new();
        for (event, file) in files {
            let registrations: Vec<_> =
                plan.registrations.iter().filter(|entry| entry.event == event).cloned().collect();
            let one = Plan { file: file.clone(), registrations, ..plan.clone() };
            reports.push(if one.registrations.is_empty() {
                let exe = Some(plan.command.exe.as_path());
                let removal = Removal {
                    agent: plan.agent,
                    path: &file,
                    exe,
                    remembered: &plan.remembered,
                    every_status_line: false,
                };
                undeploy_file(&removal, mode)?
            } else {
                deploy_file(&one, mode)?
            });
        }
        return Ok(together(&plan.file, reports));
    }
    deploy_file(plan, mode)
}

fn deploy_file(plan: &Plan, mode: Mode) -> Result<Report, DeployError> {
    let exe = Some(plan.command.exe.as_path());
    let target = Target {
        agent: plan.agent,
        path: &plan.file,
        exe,
        remembered: &plan.remembered,
        private: plan.scope == Scope::User,
    };
    let (toml, warnings) = hooks_in_toml(plan.agent, &plan.file, exe);
    if !toml.ours.is_empty() && !plan.registrations.is_empty() {
        let text = file::read(&file::resolve(&plan.file)?)?.unwrap_or_default();
        if edit::entries(plan.agent, exe, &text).map_err(DeployError::refused(&plan.file))?.is_empty() {
            return Ok(Report { warnings, ..Report::new(&plan.file, Outcome::Elsewhere) });
        }
    }
    let mut report = target.rewrite(mode, |text, origin| edit::apply(plan, text, origin))?;
    report.warnings.splice(..0, warnings);
    if report.outcome != Outcome::Unchanged {
        report.advice = plan.agent.advice.filter(|_| !plan.registrations.is_empty());
    }
    Ok(report)
}

/// Writes a status line that runs `command` into the agent's settings for the user, unless they have one.
pub fn set_status_line(
    agent: &AgentFiles,
    path: &Path,
    command: &str,
    mode: Mode,
) -> Result<Report, DeployError> {
    let target = Target { agent, path, exe: None, remembered: &Remembered::default(), private: true };
    target.rewrite(mode, |text, origin| edit::with_status_line(agent, None, text, origin, command))
}

/// Whether the agent's file has a status line, and whether it is one of sprag.
pub fn status_line(agent: &AgentFiles, path: &Path, exe: Option<&Path>) -> Option<bool> {
    let text = file::read(&file::resolve(path).ok()?).ok()??;
    edit::status_line(agent, exe, &text)
}

impl Target<'_> {
    /// Edits the file, after saving its state when that is the one before sprag.
    fn rewrite(
        &self,
        mode: Mode,
        edit: impl Fn(&str, Origin<'_>) -> Result<Edited, SettingsError>,
    ) -> Result<Report, DeployError> {
        let (agent, path) = (self.agent, self.path);
        let target = file::resolve(path)?;
        let refused = DeployError::refused(path);
        self.sweep(&target, mode);
        let mut made = 0;
        let mut lock = None;
        for _ in 0..ATTEMPTS {
            let before = file::read(&target)?;
            let text = before.as_deref().unwrap_or_default();
            let saved = file::load_original(self.remembered, path);
            let present = !edit::entries(agent, self.exe, text).map_err(&refused)?.is_empty()
                || edit::status_line(agent, self.exe, text) == Some(true);
            let first = is_first(agent, &saved, before.as_deref(), present);
            let mut origin = match (&before, first) {
                (_, false) => saved.clone(),
                (Some(text), true) => SavedOriginal::Text(text.clone()),
                (None, true) => SavedOriginal::Absent { folders: 0 },
            };
            let Edited { text: after, warnings } = edit(text, origin.origin()).map_err(&refused)?;
            let mut report = Report { warnings, ..Report::new(path, Outcome::Unchanged) };
            report.backup =
                Some(self.remembered.backup(path)).filter(|_| matches!(origin, SavedOriginal::Text(_)));
            if after == text {
                report.backup = report.backup.filter(|_| !first);
                return Ok(report);
            }
            report.outcome = if before.is_some() { Outcome::Updated } else { Outcome::Created };
            report.diff = diff(path, before.as_deref(), Some(&after));
            if mode == Mode::DryRun {
                return Ok(report);
            }
            let Some(staged) = &mut lock else {
                // Once more with the lock held: from then on only another program can write in between.
                made += file::create_parents(&target, self.private)?;
                lock = Some(Staged::lock(&target)?);
                continue;
            };
            if first {
                if let SavedOriginal::Absent { folders } = &mut origin {
                    *folders = made;
                }
                file::save_original(&origin, self.remembered, path, &target)?;
            }
            if staged.commit(before.as_deref(), &after, self.new_mode())? {
                return Ok(report);
            }
        }
        Err(DeployError::Busy { file: path.to_owned() })
    }

    /// The mode of a file that deploy makes.
    fn new_mode(&self) -> u32 {
        match &self.agent.layout {
            Layout::Block(layout) if layout.script_per_event => modes::SCRIPT,
            _ => modes::PRIVATE,
        }
    }

    fn sweep(&self, target: &Path, mode: Mode) {
        if mode == Mode::Write {
            for file in [target, &self.remembered.backup(self.path), &self.remembered.marker(self.path)] {
                file::sweep(file);
            }
        }
    }
}

/// Removes our entries from the agent's file, returns to it the hooks that were imported, and restores its state before
/// the first deploy.
pub fn undeploy(removal: &Removal<'_>, mode: Mode) -> Result<Report, DeployError> {
    let Some(files) = files_of(removal.agent, removal.path) else { return undeploy_file(removal, mode) };
    // The first file's marker knows the folders that were made, so it goes last.
    let each = files.iter().rev().map(|(_, file)| undeploy_file(&Removal { path: file, ..*removal }, mode));
    Ok(together(removal.path, each.collect::<Result<_, _>>()?))
}

fn undeploy_file(removal: &Removal<'_>, mode: Mode) -> Result<Report, DeployError> {
    let Removal { agent, path, exe, remembered, every_status_line } = *removal;
    let refused = DeployError::refused(path);
    let (backup, marker) = (remembered.backup(path), remembered.marker(path));
    let target = file::resolve(path)?;
    Target { agent, path, exe, remembered, private: false }.sweep(&target, mode);
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
        let saved = file::load_original(remembered, path);
        let Some(before) = file::read(&target)? else {
            if mode == Mode::Write {
                file::remove(&marker)?;
            }
            return Ok(report);
        };
        let Edited { text: stripped, warnings } =
            edit::strip_entries(agent, exe, &before, saved.origin(), every_status_line).map_err(&refused)?;
        report.warnings.extend(warnings);
        let whole = edit::put_back(agent, &stripped, &remembered.imported).map_err(&refused)?;
        let (restored, after) = match &saved {
            SavedOriginal::Text(text)
                if same(agent, &whole, text)
                    || edit::is_original(agent, exe, &stripped, text, &remembered.imported) =>
            {
                (true, Some(text.clone()))
            }
            SavedOriginal::Absent { .. } if is_blank(agent, &whole) => (false, None),
            _ => (false, Some(whole)),
        };
        report.outcome = match &after {
            None => Outcome::Removed,
            Some(after) if *after == before => Outcome::Unchanged,
            Some(_) if restored => Outcome::Restored,
            Some(_) => Outcome::Updated,
        };
        report.diff = diff(path, Some(&before), after.as_deref());
        report.backup = Some(backup.clone()).filter(|_| matches!(saved, SavedOriginal::Text(_)) && !restored);
        if mode == Mode::DryRun {
            return Ok(report);
        }
        let same = report.outcome == Outcome::Unchanged;
        if lock.is_none() && !same {
            lock = Some(Staged::lock(&target)?);
            continue;
        }
        let written = match (&mut lock, &after) {
            (Some(staged), Some(after)) if !same => staged.commit(Some(&before), after, modes::PRIVATE)?,
            (Some(staged), None) => staged.delete(&before)?,
            _ => true,
        };
        if !written {
            continue;
        }
        // The copy is no longer needed when the file equals it; otherwise it is the user's only old version.
        file::remove(&marker)?;
        if restored {
            file::remove(&backup)?;
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
    let files = files_of(agent, path);
    let paths = files
        .map_or_else(|| vec![path.to_owned()], |files| files.into_iter().map(|(_, file)| file).collect());
    let (mut exists, mut entries) = (false, Vec::new());
    for file in paths {
        let text = file::read(&file::resolve(&file)?)?;
        exists |= text.is_some();
        entries.extend(
            edit::entries(agent, exe, text.as_deref().unwrap_or_default())
                .map_err(DeployError::refused(&file))?,
        );
    }
    let stale = entries.iter().any(|entry| {
        let other = expected.is_some_and(|command| command.exe != entry.exe || command.args != entry.args);
        other || (entry.exe.is_absolute() && !file::is_executable(&entry.exe))
    });
    let first = entries.first();
    Ok(Registered {
        file: path.to_owned(),
        exists,
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

/// True when the current file is the state before sprag: nothing was saved, or what was saved is out of date.
fn is_first(agent: &AgentFiles, saved: &SavedOriginal, before: Option<&str>, present: bool) -> bool {
    match (saved, before) {
        (SavedOriginal::Nothing, _) => true,
        (SavedOriginal::Absent { .. }, None) => false,
        (SavedOriginal::Text(_), None) => true,
        (SavedOriginal::Absent { .. }, Some(text)) => !present && !is_blank(agent, text),
        (SavedOriginal::Text(old), Some(text)) => !present && !same(agent, text, old),
    }
}

/// True when two texts of the agent's file say the same.
fn same(agent: &AgentFiles, one: &str, other: &str) -> bool {
    match agent.layout {
        Layout::Groups | Layout::Flat(_) | Layout::Member(_) => same_content(one, other, agent.syntax),
        Layout::Block(_) => one == other,
    }
}

/// True for a text that says nothing.
fn is_blank(agent: &AgentFiles, text: &str) -> bool {
    match agent.layout {
        Layout::Groups | Layout::Flat(_) | Layout::Member(_) => same_content(text, "{}", agent.syntax),
        Layout::Block(_) => text.trim().is_empty(),
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

pub(super) fn diff(file: &Path, before: Option<&str>, after: Option<&str>) -> String {
    let name = file.display().to_string();
    let side = |text: Option<&str>| text.map_or_else(|| "/dev/null".to_owned(), |_| name.clone());
    similar::TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default())
        .unified_diff()
        .context_radius(3)
        .header(&side(before), &side(after))
        .to_string()
}
