//! The hooks in `examples/` pass their cases, and their configuration is one that `sprag check` accepts.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail, and says what it skips")]

mod common;

use common::{Home, has};
use std::path::PathBuf;

fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn cases_pass(hook: &str, program: &str) {
    if !has(program) {
        println!("skipped: there is no {program}");
        return;
    }
    let file = examples().join("hooks").join(format!("{hook}.hook.toml"));
    let ran = Home::new().run(&["test", file.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.ends_with(" passed, 0 failed, 0 skipped\n"), "{}", ran.out);
}

#[test]
fn a_shell_script_stops_a_call() {
    cases_pass("use-uv", "sh");
}

#[test]
fn a_python_script_adds_context() {
    cases_pass("release-freeze", "python3");
}

#[test]
fn a_node_script_changes_the_input() {
    cases_pass("exact-versions", "node");
}

#[test]
fn a_check_in_words_is_answered_by_a_model() {
    cases_pass("tests-ran", "sh");
}

/// Every hook that has cases is in the configuration, and the configuration is accepted with the hooks beside it.
#[test]
fn the_configuration_is_accepted() {
    let home = Home::new();
    let config = std::fs::read_to_string(examples().join("config.toml")).unwrap();
    home.write(".config/sprag/config.toml", &config);
    for entry in std::fs::read_dir(examples().join("hooks")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if let Some(hook) = name.strip_suffix(".hook.toml") {
            assert!(config.contains(&format!("\"{hook}\"")), "{hook} is in no chain of examples/config.toml");
        } else {
            // Copied with its mode: a hook must be executable.
            std::fs::create_dir_all(home.path(".config/sprag/hooks")).unwrap();
            std::fs::copy(&path, home.path(".config/sprag/hooks").join(name)).unwrap();
        }
    }
    let checked = home.run(&["check"]);
    assert_eq!(checked.code, 0, "{}{}", checked.out, checked.err);
    let order = home.run(&["hooks", "order", "--event", "pre_tool_use"]);
    let (uv, exact) = (order.out.find("use-uv"), order.out.find("exact-versions"));
    assert!(uv.is_some() && uv < exact, "{}", order.out);
}
