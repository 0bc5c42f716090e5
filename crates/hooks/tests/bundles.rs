//! Bundles and presets: what is on, what switches it, and that nothing is out of reach.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use sprag_base::env::Env;
use sprag_base::paths::Paths;
use sprag_base::time::Clock;
use sprag_config::host::Host;
use sprag_config::plan::Mode;
use sprag_config::spec::{Bundle, HookSpec, Preset};
use sprag_config::{Loaded, load};
use sprag_hooks::SPECS;
use sprag_project::Project;
use std::collections::BTreeSet;
use std::path::Path;

struct Home {
    dir: tempfile::TempDir,
    host: Host,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let env = Env::Fixed([("HOME".to_owned(), dir.path().join("home").display().to_string())].into());
        let paths = Paths::from_env(&env);
        std::fs::create_dir_all(&paths.config).unwrap();
        std::fs::create_dir_all(dir.path().join("shop/.git")).unwrap();
        Self { dir, host: Host { env, paths, clock: Clock::System, hooks: &SPECS, exe: None } }
    }

    fn load(&self, config: &str) -> Loaded {
        std::fs::write(self.host.paths.config_file(), config).unwrap();
        let shop = self.dir.path().join("shop");
        load(&self.host, &Project::find(shop.to_str().unwrap(), &self.host.env, &self.host.paths.home))
    }

    /// The hooks that a configuration without a fault has on.
    #[track_caller]
    fn on(&self, config: &str) -> BTreeSet<String> {
        let loaded = self.load(config);
        assert!(loaded.errors.is_empty(), "{config}: {:?}", loaded.errors);
        let hooks = loaded.resolved.chains.iter().flat_map(|(_, chain)| chain).map(|hook| &hook.hook);
        hooks.filter(|hook| hook.mode != Mode::Off).map(|hook| hook.name.clone()).collect()
    }
}

fn names(of: impl Fn(&HookSpec) -> bool) -> BTreeSet<String> {
    SPECS.iter().filter(|hook| of(hook)).map(|hook| hook.name.to_owned()).collect()
}

#[test]
fn nothing_is_lost_every_builtin_is_switchable_and_documented() {
    let home = Home::new();
    for hook in SPECS.iter().filter(|hook| hook.name != "prompt-hook") {
        let name = hook.name;
        assert!(home.on(&format!("preset = \"minimal\"\nenable = [\"{name}\"]")).contains(name), "{name} on");
        for preset in Preset::NAMES {
            let off =
                format!("preset = \"{preset}\"\nenable = [\"advice\", \"team\"]\ndisable = [\"{name}\"]");
            assert!(!home.on(&off).contains(name), "{name} off in {preset}");
        }
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/hooks/{name}.md"));
        let page = std::fs::read_to_string(page).unwrap();
        assert!(page.contains(&format!("| bundle | {} |", hook.bundle.name())), "{name}: cargo xtask docs");
    }
}

#[test]
fn a_preset_is_its_bundles_and_standard_has_file_claims_of_the_team() {
    let home = Home::new();
    for preset in Preset::ALL {
        let on = home.on(&format!("preset = \"{preset}\""));
        assert_eq!(on, names(|hook| hook.is_in(preset)), "{preset}");
        let others = names(|hook| hook.is_in(preset) && !preset.bundles().contains(&hook.bundle));
        let wanted: &[&str] =
            if matches!(preset, Preset::Standard | Preset::Strict) { &["file-claims"] } else { &[] };
        assert_eq!(others.iter().map(String::as_str).collect::<Vec<_>>(), wanted, "{preset}");
        for bundle in preset.bundles() {
            assert!(
                on.iter().any(|name| home.host.hook(name).unwrap().bundle == *bundle),
                "{preset} {bundle:?}"
            );
        }
    }
    assert!(home.on("").contains("injection-scan"));
    assert_eq!(home.on(""), home.on("preset = \"standard\""));
}

#[test]
fn the_advice_is_in_no_preset_and_one_word_away() {
    let advice = [
        "descriptive-name", "dev-rules-reminder", "enforce-doc-rules", "plan-reminder",
        "post-edit-simplify-reminder", "premortem-suggest", "token-efficiency-reminder",
    ];
    let in_bundle = names(|hook| hook.bundle == Bundle::Advice);
    assert_eq!(in_bundle.iter().map(String::as_str).collect::<Vec<_>>(), advice);
    let home = Home::new();
    for preset in Preset::ALL {
        let text = format!("preset = \"{preset}\"\n");
        let (without, with) = (home.on(&text), home.on(&format!("{text}enable = \"advice\"")));
        assert_eq!(&with - &without, in_bundle, "{preset}");
    }
}

#[test]
fn a_bundle_is_switched_whole_and_by_the_standard_column() {
    let home = Home::new();
    let standard = home.on("");
    for bundle in Bundle::ALL {
        let of = names(|hook| hook.bundle == bundle);
        let off = home.on(&format!("disable = [\"{}\"]", bundle.name()));
        assert_eq!(off, &standard - &of, "{}", bundle.name());
        let on = home.on(&format!("preset = \"minimal\"\nenable = [\"{}\"]", bundle.name()));
        let comes = names(|hook| hook.bundle == bundle && hook.comes_with_bundle());
        assert_eq!(on, &home.on("preset = \"minimal\"") | &comes, "{}", bundle.name());
    }
}

#[test]
fn a_hook_wins_over_its_bundle_and_off_over_on() {
    let home = Home::new();
    let on = |config: &str, name: &str| home.on(config).contains(name);
    assert!(on("disable = [\"guards\"]\nenable = [\"command-guard\"]", "command-guard"));
    assert!(!on("disable = [\"guards\"]\nenable = [\"command-guard\"]", "tool-loop"));
    assert!(!on("enable = [\"tool-loop\", \"guards\"]\ndisable = [\"tool-loop\"]", "tool-loop"));
    assert!(!on("enable = [\"heartbeat\"]\n[hook.heartbeat]\nenabled = false", "heartbeat"));
    assert!(!on("disable = [\"tool-loop\"]\n[hook.tool-loop]\nmode = \"shadow\"", "tool-loop"));
    assert!(on("disable = [\"guards\"]\n[hook.tool-loop]\nmode = \"shadow\"", "tool-loop"));
    assert!(on("[hook.heartbeat]\nenabled = true", "heartbeat"));
}

#[test]
fn an_untrusted_project_switches_guards_on_and_nothing_else() {
    let home = Home::new();
    let project = home.dir.path().join("shop/.sprag");
    std::fs::create_dir_all(&project).unwrap();
    let config = "enable = [\"guards\", \"guard-task\", \"team\", \"heartbeat\"]\ndisable = [\"lessons\"]\ntrial = \"7d\"\n";
    std::fs::write(project.join("config.toml"), config).unwrap();
    let loaded = home.load("preset = \"minimal\"");
    assert_eq!(
        loaded.ignored,
        ["`team` in enable", "`heartbeat` in enable", "`lessons` in disable", "trial = \"7d\""]
    );
    let on = home.on("preset = \"minimal\"");
    assert!(on.contains("tool-loop") && on.contains("guard-task") && !on.contains("heartbeat"));
    assert!(loaded.resolved.trial.is_none());
}

#[test]
fn names_that_mean_nothing_are_faults_with_the_nearest_name() {
    let home = Home::new();
    for (config, line, what, hint) in [
        ("\n[hook.comand-guard]\n", 2, "there is no hook `comand-guard`", "`command-guard`?"),
        ("enable = [\"advise\"]", 1, "there is no bundle and no hook `advise`", "`advice`?"),
        ("disable = [\"tool-lop\"]", 1, "no hook `tool-lop`", "`tool-loop`?"),
        (
            "version = 1\n[hooks.session_start]\nappend = [\"command-guard\"]",
            3,
            "`command-guard` does nothing on SessionStart",
            "it runs on PreToolUse, PermissionRequest",
        ),
        ("trial = \"soon\"", 1, "`trial` must be a duration", "\"7d\""),
        ("enable = 3", 1, "`enable` must be a list", "sprag bundles"),
        ("trail = \"7d\"", 1, "unknown key `trail`", "`trial`?"),
    ] {
        let loaded = home.load(config);
        let [error] = loaded.errors.as_slice() else { panic!("{config}: {:?}", loaded.errors) };
        assert_eq!(error.line, line, "{config}");
        assert!(error.what.contains(what) && error.hint.contains(hint), "{config}: {error}");
    }
    let own = "[hook.mine]\ncommand = [\"true\"]\n[hooks.session_stop]\nappend = [\"mine\"]\n";
    assert!(home.load(&format!("disable = [\"mine\"]\n{own}")).errors.is_empty());
}

#[test]
fn a_trial_without_a_start_begins_when_it_is_first_read() {
    let home = Home::new();
    let first = home.load("trial = \"7d\"").resolved.trial.unwrap();
    assert_eq!(first.end.0 - first.start.0, 7 * 86_400 * 1_000_000);
    assert_eq!(home.load("trial = \"7d\"").resolved.trial, Some(first), "and stays there");
    assert_ne!(home.load("trial = \"8d\"").resolved.trial.unwrap().start, first.start);
    assert_eq!(home.load("").resolved.trial, None);
    assert!(!home.host.paths.state.join("trial").exists(), "the next one has its own start");
}
