//! The worked example of CONTRIBUTING: a builtin hook, its cases, and the page that shows both.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test may fail")]

#[path = "../../../docs/examples/new-builtin/no_wip_commits.rs"]
#[allow(unreachable_pub, reason = "a hook of the crate is public there")]
mod no_wip_commits;

use sprag_cases::pool::{Request, run_all};
use sprag_cases::report::{self, Totals};
use sprag_cases::run::Options;
use sprag_cases::world::Registry;
use sprag_runtime::hook::{Builtin, HookSpec};
use std::path::{Path, PathBuf};

static HOOKS: [Builtin; 1] = [no_wip_commits::HOOK];
static SPECS: [&HookSpec; 1] = [&HOOKS[0].spec];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_cases_of_the_example_pass() {
    let dir = tempfile::tempdir().unwrap();
    let reports = run_all(&Request {
        files: &[root().join("docs/examples/new-builtin/no_wip_commits.hook.toml")],
        filter: None,
        agent: None,
        threads: 1,
        options: Options {
            registry: Registry { hooks: &SPECS, builtins: &HOOKS, jobs: |_, _| Ok(()) },
            base: dir.path(),
            update: false,
        },
    });
    let shown = report::text(&reports, |path| path.display().to_string()).join("\n");
    assert_eq!(Totals::of(&reports), Totals { passed: 4, failed: 0, skipped: 0 }, "{shown}");
}

#[test]
fn contributing_shows_the_example_as_it_is() {
    let page = std::fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    for file in ["no_wip_commits.rs", "no_wip_commits.hook.toml"] {
        let text = std::fs::read_to_string(root().join("docs/examples/new-builtin").join(file)).unwrap();
        assert!(page.contains(&text), "CONTRIBUTING.md does not show {file}");
    }
}
