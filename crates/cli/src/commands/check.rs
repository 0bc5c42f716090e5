//! `sprag check`: faults of the user's and the project's configuration, and what an untrusted project does not get.

use crate::commands::project_at;
use serde_json::json;
use sprag_config::Loaded;
use sprag_config::host::Host;
use sprag_config::trust::Trust;
use sprag_doctor::{Checked, check};
use sprag_project::Project;
use sprag_terminal::{Out, Tone};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct CheckArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
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
    files.extend(host.paths.policy.clone().filter(|file| file.is_file()).map(|file| ("policy", file)));
    let unused = unused_configs(&project);
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
            "root": project.root,
            "unused": unused,
            "policy": {
                "required": loaded.policy.required, "ignored": loaded.policy.ignored,
                "overruled": loaded.policy.overruled,
            },
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
    for path in &unused {
        let why = out.paint(Tone::Dim, " (not used: the nearest folder with .sprag counts)");
        out.line(&format!("         {}{why}", host.paths.tilde(path)));
    }
    out.line(&format!("root     {}", host.paths.tilde(&project.root)));
    out.line(&format!("preset   {}", loaded.resolved.preset));
    policy_text(&loaded, out);
    if let Some(trial) = loaded.resolved.trial {
        let state = if trial.is_on(host.clock.now()) { "until" } else { "over since" };
        out.line(&format!("trial    {state} {} (`sprag trial`)", trial.last_day()));
    }
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
    } else if !errors.is_empty() {
        out.line("      until it is fixed, events use the configuration without what these lines say");
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

/// Configurations of folders around the project that do not count: in a monorepo, the nearest one does.
fn unused_configs(project: &Project) -> Vec<PathBuf> {
    let top = project.git.as_deref().and_then(Path::parent).unwrap_or(&project.root);
    let around = project.root.ancestors().skip(1).take_while(|folder| folder.starts_with(top));
    around.map(|folder| folder.join(".sprag/config.toml")).filter(|file| file.is_file()).collect()
}

/// What the organisation requires, and what that overrules.
fn policy_text(loaded: &Loaded, out: &Out) {
    let policy = &loaded.policy;
    if !policy.required.is_empty() {
        out.line(&format!("policy   requires {}", policy.required.join(", ")));
    }
    let note = out.paint(Tone::Warn, "note");
    for what in &policy.overruled {
        out.line(&format!("{note} the policy of this machine overrules {what}"));
    }
    for what in &policy.ignored {
        out.line(&format!("{note} the policy can only tighten, so this does not count: {what}"));
    }
}
