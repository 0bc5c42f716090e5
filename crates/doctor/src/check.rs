//! Faults of the configuration that applies to a project, beyond what its own reader finds.

use sprag_config::host::Host;
use sprag_config::inventory::Inventory;
use sprag_config::plan::{Mode, Runner};
use sprag_config::resolve::line_of;
use sprag_config::schema::LlmBackend;
use sprag_config::settings::Choice as _;
use sprag_config::spec::{Bundle, Preset};
use sprag_config::{ConfigError, Layer, Loaded, meant};
use sprag_hooks::guard::command_guard::{self, CommandGuardSettings};
use sprag_project::Project;
use sprag_rules::PACKS;
use std::path::PathBuf;

/// What is wrong with the configuration that applies here.
#[derive(Debug)]
pub struct Checked {
    /// What it says.
    pub loaded: Loaded,
    /// The faults, by file and line.
    pub errors: Vec<ConfigError>,
    /// What is not an error, and worth knowing.
    pub notes: Vec<String>,
}

/// Reads the configuration that applies to a project, with the faults of the environment.
pub fn check(host: &Host, project: &Project) -> Checked {
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
    errors.extend(without_address(host, &loaded));
    // What is wrong with a hook may be found by its definition and by its place in a chain.
    let mut told: Vec<ConfigError> = Vec::new();
    errors.retain(|error| {
        let is_new = !told.iter().any(|known| known.file == error.file && known.what == error.what);
        if is_new {
            told.push(error.clone());
        }
        is_new
    });
    let notes = unanswered(&loaded);
    Checked { loaded, errors, notes }
}

/// Packs, rules and dates of command-guard's exceptions that mean nothing.
fn exceptions(layer: &Layer) -> Vec<ConfigError> {
    let Some(settings) = layer.hook(command_guard::HOOK.spec.name) else { return Vec::new() };
    let settings: CommandGuardSettings<'_> = settings.read();
    let rules: Vec<&str> = sprag_rules::all_rules().map(|rule| rule.id).collect();
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
        Inventory::new(host, project.clone()).all().into_iter().map(|known| known.name).collect();
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

/// An endpoint without an address: every question would fail.
fn without_address(host: &Host, loaded: &Loaded) -> Option<ConfigError> {
    let llm = loaded.resolved.sections.llm();
    (llm.backend == LlmBackend::Openai && llm.url.is_empty()).then(|| {
        let file = host.paths.config_file();
        let line = line_of(&file, "backend");
        let what = "[llm] has the backend openai and no url, so no model is asked".to_owned();
        let hint = "write url = \"http://localhost:11434/v1\" and model under [llm], or backend = \"none\""
            .to_owned();
        ConfigError { file, line, what, hint }
    })
}

/// Hooks that ask a model when there is none.
fn unanswered(loaded: &Loaded) -> Vec<String> {
    if loaded.resolved.sections.llm().backend != LlmBackend::None {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests set up files")]
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
