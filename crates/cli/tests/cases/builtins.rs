//! The builtins' own cases, run in this process: every `*.hook.toml` under `crates/hooks` passes.

use sprag_cases::pool::{Request, run_all};
use sprag_cases::report::{self, Totals};
use sprag_cases::run::Options;
use sprag_cases::world::Registry;
use sprag_protocol::{AgentId, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Family, HookSpec, Preset, Presets, Reply, Sees};
use std::path::PathBuf;

fn run(agent: Option<AgentId>) -> Totals {
    let hooks = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../hooks");
    let files = sprag_cases::find::find(&[hooks.join("src"), hooks.join("tests")]).unwrap();
    assert!(files.len() >= 2, "{files:?}");
    let registry =
        Registry { hooks: &sprag_hooks::SPECS, builtins: sprag_hooks::BUILTINS, jobs: sprag_worker::handle };
    let env = sprag_base::env::Env::Process;
    let base = sprag_cases::base::base(&env, &sprag_base::paths::Paths::from_env(&env).home);
    let reports = run_all(&Request {
        files: &files,
        filter: None,
        agent,
        threads: 2,
        options: Options { registry, base: &base, update: false },
    });
    let totals = Totals::of(&reports);
    assert_eq!(
        totals.failed,
        0,
        "\n{}\n{}",
        report::text(&reports, |path| path.display().to_string()).join("\n"),
        totals.line()
    );
    totals
}

/// Each case runs as the agents that it lists. (`--agent` sends any case through another dialect, which shows much
/// but cannot know what a result would look like there.)
#[test]
fn all_pass() {
    assert!(run(None).passed >= 300);
}

#[test]
fn as_claude_code_all_pass() {
    assert!(run(Some(AgentId::Claude)).passed >= 200);
}

/// A hook that panics fails its case and no other one.
#[test]
fn a_panic_is_a_failure_of_its_case() {
    static HOOKS: [Builtin; 1] = [Builtin {
        spec: HookSpec {
            name: "bomb",
            family: Family::Guard,
            bundle: Bundle::Guards,
            summary: "",
            sees: &[Sees { kind: EventKind::Stop, matcher: "" }],
            presets: Presets::of(&[Preset::Standard]),
            settings: &[],
            timeout_ms: 1_000,
        },
        run: |event, _| if event.flag("stop_hook_active") { panic!("boom") } else { Ok(Reply::pass()) },
    }];
    static SPECS: [&HookSpec; 1] = [&HOOKS[0].spec];
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("bomb.hook.toml");
    let case = |name: &str, active: bool| {
        format!(
            "[[case]]\nname = \"{name}\"\nevent = \"Stop\"\npayload.stop_hook_active = {active}\nexpect.silent = true\n"
        )
    };
    let text = format!("hook = \"bomb\"\n{}{}", case("one", true), case("two", false));
    std::fs::write(&file, text).unwrap();
    let reports = run_all(&Request {
        files: &[file],
        filter: None,
        agent: None,
        threads: 2,
        options: Options {
            registry: Registry { hooks: &SPECS, builtins: &HOOKS, jobs: sprag_worker::handle },
            base: dir.path(),
            update: false,
        },
    });
    assert_eq!(Totals::of(&reports), Totals { passed: 1, failed: 1, skipped: 0 });
    let shown = report::text(&reports, |_| "bomb".to_owned()).join("\n");
    assert!(shown.contains("a hook failed") && shown.contains("boom"), "{shown}");
}
