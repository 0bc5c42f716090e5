//! `sprag check`: faults of the user's and the project's configuration, and what an untrusted project does not get.

use crate::commands::project_at;
use crate::ui::{Out, Tone};
use serde_json::json;
use sprag_config::host::Host;
use sprag_config::plan::{Mode, Runner};
use sprag_config::schema::LlmBackend;
use sprag_config::spec::Preset;
use sprag_config::trust::Trust;
use sprag_config::{ConfigError, Loaded};
use sprag_project::Project;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct CheckArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is wrong with the configuration that applies here.
pub(crate) struct Checked {
    pub(crate) loaded: Loaded,
    pub(crate) errors: Vec<ConfigError>,
    /// What is not an error, and worth knowing.
    pub(crate) notes: Vec<String>,
}

/// Reads the configuration that applies to a project, with the faults of the environment.
pub(crate) fn check(host: &Host, project: &Project) -> Checked {
    let loaded = sprag_config::load(host, project);
    let mut errors = loaded.errors.clone();
    if let Some(preset) = host.env.get("SPRAG_PRESET").filter(|name| Preset::from_name(name).is_none()) {
        errors.push(ConfigError {
            file: PathBuf::from("SPRAG_PRESET"),
            line: 1,
            what: format!("unknown preset `{preset}`, so the variable does not count"),
            hint: format!("one of: {}", Preset::NAMES.join(", ")),
        });
    }
    let notes = unanswered(&loaded);
    Checked { loaded, errors, notes }
}

/// Hooks that ask a model when there is none.
fn unanswered(loaded: &Loaded) -> Vec<String> {
    if loaded.resolved.llm().backend != LlmBackend::None {
        return Vec::new();
    }
    let hooks = loaded.resolved.chains.iter().flat_map(|(_, chain)| chain).map(|hook| &hook.hook);
    let asking = hooks.filter(|hook| hook.mode != Mode::Off && matches!(hook.runner, Runner::As { .. }));
    let mut names: Vec<&str> = asking.map(|hook| hook.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let note = |name| format!("no model is configured, so `{name}` is skipped ([llm] backend)");
    names.into_iter().map(note).collect()
}

/// The word for a project's trust.
pub(crate) fn trust_word(trust: &Trust) -> &'static str {
    match trust {
        Trust::Nothing => "nothing",
        Trust::Trusted => "trusted",
        Trust::Untrusted => "untrusted",
        Trust::Changed(_) => "changed",
    }
}

pub(crate) fn run(args: &CheckArgs, host: &Host, out: &Out) -> ExitCode {
    let project = project_at(host, None);
    let Checked { loaded, errors, notes } = check(host, &project);
    let mut files = vec![("user", host.paths.config_file())];
    files.extend(project.sprag.as_ref().map(|sprag| ("project", sprag.join("config.toml"))));
    let code = if errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if args.json {
        out.json(&json!({
            "ok": errors.is_empty(),
            "preset": loaded.resolved.preset.name(),
            "files": files.iter().map(|(scope, path)| json!({
                "scope": scope, "path": path, "exists": path.is_file(),
            })).collect::<Vec<_>>(),
            "errors": errors.iter().map(|error| json!({
                "file": error.file, "line": error.line, "what": error.what, "hint": error.hint,
            })).collect::<Vec<_>>(),
            "trust": trust_word(&loaded.trust),
            "ignored": loaded.ignored,
            "notes": notes,
        }));
        return code;
    }
    for (scope, path) in &files {
        let state = if path.is_file() { "" } else { " (not there: defaults)" };
        out.line(&format!("{scope:<8} {}{}", host.paths.tilde(path), out.paint(Tone::Dim, state)));
    }
    out.line(&format!("preset   {}", loaded.resolved.preset));
    for error in &errors {
        let place = format!("{}:{}:", host.paths.tilde(&error.file), error.line);
        out.line(&format!("{} {place} {}", out.paint(Tone::Bad, "error"), error.what));
        if !error.hint.is_empty() {
            out.line(&format!("      {}", error.hint));
        }
    }
    for note in &notes {
        out.line(&format!("{} {note}", out.paint(Tone::Warn, "note")));
    }
    if loaded.user_broken {
        out.line("      until it is fixed, events use the last good configuration");
    }
    if !loaded.ignored.is_empty() {
        let why = match &loaded.trust {
            Trust::Changed(files) => format!("changed since it was trusted: {}", files.join(", ")),
            _ => "not trusted".to_owned(),
        };
        out.line(&format!(
            "{} this project is {why}; it may only tighten, so this does not count:",
            out.paint(Tone::Warn, "note")
        ));
        for key in &loaded.ignored {
            out.line(&format!("      {key}"));
        }
        out.line("      `sprag trust` shows it and asks you");
    }
    match errors.len() {
        0 => out.line(&out.paint(Tone::Good, "no errors")),
        1 => out.line("1 error"),
        count => out.line(&format!("{count} errors")),
    }
    code
}
