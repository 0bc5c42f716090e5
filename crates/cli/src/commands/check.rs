//! `sprag check`: faults of the user's and the project's configuration, and what an untrusted project does not get.

use crate::commands::project_at;
use serde_json::json;
use sprag_config::host::Host;
use sprag_config::plan::{Mode, Runner};
use sprag_config::resolve::line_of;
use sprag_config::schema::LlmBackend;
use sprag_config::settings::Choice as _;
use sprag_config::spec::{Bundle, Preset};
use sprag_config::trust::Trust;
use sprag_config::{ConfigError, Layer, Loaded, meant};
use sprag_hooks::guard::command_guard::{self, CommandGuardSettings};
use sprag_project::Project;
use sprag_shell::PACKS;
use sprag_terminal::{Out, Tone};
use std::path::{Path, PathBuf};
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
    errors.extend(loaded.layers.iter().flat_map(exceptions));
    errors.extend(disabled(host, project, &loaded));
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

/// Packs, rules and dates of command-guard's exceptions that mean nothing.
fn exceptions(layer: &Layer) -> Vec<ConfigError> {
    let Some(settings) = layer.hook(command_guard::HOOK.spec.name) else { return Vec::new() };
    let settings: CommandGuardSettings<'_> = settings.read();
    let rules: Vec<&str> = sprag_shell::all_rules().map(|rule| rule.id).collect();
    let mut errors = Vec::new();
    let mut fault = |name: &str, what: String, hint: String| {
        errors.push(ConfigError { file: layer.file.clone(), line: line_of(&layer.file, name), what, hint });
    };
    let listed = "`sprag guard rules` lists them";
    for name in settings.disabled_packs.iter().filter(|name| !PACKS.contains(name)) {
        fault(name, format!("there is no pack `{name}`"), meant(name, PACKS.iter().copied(), listed));
    }
    let allowed = settings.allow.iter().filter_map(|table| table.rule);
    for name in settings.disabled_rules.iter().chain(allowed).filter(|name| !rules.contains(name)) {
        fault(name, format!("there is no rule `{name}`"), meant(name, rules.iter().copied(), listed));
    }
    for table in settings.allow.iter() {
        if let Some(date) = table.expires.filter(|date| command_guard::expiry(date).is_none()) {
            let what = format!("`{date}` is no date, so the exception does not count");
            fault(date, what, "write expires = \"2026-12-31\"".to_owned());
        }
        if table.exact.is_none() && table.prefix.is_none() && table.rule.is_none() {
            let what = "an exception without exact, prefix or rule allows nothing".to_owned();
            fault("command-guard", what, "say what it allows".to_owned());
        }
    }
    errors
}

/// Names in `SPRAG_DISABLE` that mean nothing.
fn disabled(host: &Host, project: &Project, loaded: &Loaded) -> Vec<ConfigError> {
    let text = host.env.get("SPRAG_DISABLE").unwrap_or_default();
    let hooks: Vec<String> =
        super::hooks::states(host, project.clone()).into_iter().map(|(name, _, _)| name).collect();
    let chains = loaded.resolved.chains.iter().flat_map(|(_, chain)| chain);
    let known: Vec<&str> = ["all"]
        .into_iter()
        .chain(Bundle::WORDS.iter().copied())
        .chain(hooks.iter().map(String::as_str))
        .chain(chains.map(|hook| hook.hook.name.as_str()))
        .collect();
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty() && !known.contains(word));
    let fault = |word: &str| ConfigError {
        file: PathBuf::from("SPRAG_DISABLE"),
        line: 1,
        what: format!("there is no hook and no bundle `{word}`, so the name switches nothing off"),
        hint: meant(word, known.iter().copied(), "`sprag hooks list` shows the names"),
    };
    words.map(fault).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_config::settings::Value;
    use sprag_protocol::EventKind;
    use std::fs;

    /// A policy of the machine and a user's configuration, as they come out together.
    fn loaded(policy: &str, user: &str, env: &[(&str, &str)]) -> Loaded {
        let dir = tempfile::tempdir().unwrap();
        let mut host = Host { hooks: &sprag_hooks::SPECS, ..Host::in_home(dir.path(), env) };
        host.paths.policy = Some(dir.path().join("policy.toml"));
        fs::write(dir.path().join("policy.toml"), policy).unwrap();
        fs::create_dir_all(&host.paths.config).unwrap();
        fs::write(host.paths.config_file(), user).unwrap();
        sprag_config::load(&host, &Project::default())
    }

    fn planned(loaded: &Loaded, name: &str) -> Option<(Mode, bool)> {
        let mut chain = loaded.resolved.chain(EventKind::PreToolUse);
        chain.find(|hook| hook.hook.name == name).map(|hook| (hook.hook.mode, hook.hook.required))
    }

    #[test]
    fn a_user_cannot_loosen_what_the_policy_requires() {
        let by_name = "[hook.command-guard]\n[hook.privacy-block]\n";
        let by_bundle = "enable = [\"guards\"]\n";
        for user in [
            "disable = [\"command-guard\"]\n",
            "disable = [\"guards\"]\n",
            "trial = \"7d\"\n",
            "[hook.command-guard]\nmode = \"off\"\n",
            "[hook.command-guard]\nenabled = false\n",
            "[hook.command-guard]\nmode = \"shadow\"\n",
            "[hook.command-guard]\nmatcher = \"Nothing\"\n",
            "[hooks.pre_tool_use]\nscripts = []\n",
            "disable = [\"command-guard\"]\n",
            "disable = [\"guards\"]\n[hooks.pre_tool_use]\nscripts = []\n",
        ] {
            for policy in [by_name, by_bundle] {
                let loaded = loaded(policy, user, &[("SPRAG_PRESET", "minimal")]);
                assert_eq!(loaded.errors, [], "{user}");
                assert_eq!(planned(&loaded, "command-guard"), Some((Mode::Enforce, true)), "{user}");
                let chain = loaded.resolved.chain(EventKind::PreToolUse);
                let guard = chain.into_iter().find(|hook| hook.hook.name == "command-guard").unwrap();
                assert!(guard.hook.matcher.matches("Bash"), "{user}");
            }
        }
    }

    #[test]
    fn a_policy_only_tightens_and_says_what_does_not_count() {
        let loaded = loaded(
            "preset = \"minimal\"\n[hook.tool-loop]\nblock_at = 100000\nmode = \"off\"\n[hook.mine]\ncommand = [\"x\"]\n[llm]\nbackend = \"claude\"\n",
            "[hook.tool-loop]\nblock_at = 3\n",
            &[],
        );
        let ignored = loaded.policy.ignored.join("; ");
        for part in ["preset", "block_at", "mode", "[hook.mine]", "[llm]"] {
            assert!(ignored.contains(part), "{part}: {ignored}");
        }
        let chain = loaded.resolved.chain(EventKind::PreToolUse);
        let hook = chain.into_iter().find(|hook| hook.hook.name == "tool-loop").unwrap();
        assert_eq!(hook.hook.settings.get("block_at"), Some(&Value::Int(3)), "a user may tighten");
        assert_eq!(loaded.policy.overruled, Vec::<String>::new());
    }
}
