//! The GitHub Action: the steps of `action.yml` as a runner starts them, with a release on loopback.

use crate::{both, clean, dist, needs, run, serve};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// One step: its variables and its script, with the expressions as they stand.
#[derive(Default)]
struct Step {
    env: Vec<(String, String)>,
    script: String,
    only_with_args: bool,
}

/// The steps of the file. It is read by its indentation: four spaces begin a step, eight are its variables and its script.
fn steps() -> Vec<Step> {
    let text = std::fs::read_to_string(repository().join("action.yml")).unwrap();
    let (_, text) = text.split_once("  steps:\n").unwrap();
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = "";
    for line in text.lines() {
        if line.starts_with("    - ") {
            steps.push(Step { only_with_args: line.contains("if: inputs.args != ''"), ..Step::default() });
            inside = "";
        } else if let Some(key) = line.strip_prefix("      ").filter(|key| !key.starts_with(' ')) {
            inside = if key == "env:" {
                "env"
            } else if key == "run: |" {
                "run"
            } else {
                ""
            };
        } else if let (Some(line), Some(step)) = (line.strip_prefix("        "), steps.last_mut()) {
            match inside {
                "env" => {
                    let (name, value) = line.split_once(": ").unwrap();
                    step.env.push((name.to_owned(), value.to_owned()));
                }
                "run" => step.script.push_str(&format!("{line}\n")),
                _ => {}
            }
        }
    }
    steps
}

/// What a runner does with the action: each step in `bash -e`, with the expressions replaced.
fn act(home: &Path, inputs: &[(&str, &str)]) -> Result<Vec<Output>, Output> {
    let temp = home.join("temp");
    std::fs::create_dir_all(&temp).unwrap();
    let mut known: BTreeMap<String, String> =
        inputs.iter().map(|(name, value)| (format!("inputs.{name}"), (*value).to_owned())).collect();
    known.insert("runner.temp".to_owned(), temp.display().to_string());
    known.insert("github.server_url".to_owned(), "https://example.invalid".to_owned());
    known.insert("github.action_repository".to_owned(), "owner/sprag".to_owned());
    let expand = |value: &str| {
        let mut value = value.to_owned();
        for (name, text) in &known {
            value = value.replace(&format!("${{{{ {name} }}}}"), text);
        }
        assert!(!value.contains("${{"), "an expression that this runner does not know: {value}");
        value
    };
    let mut done = Vec::new();
    for step in steps() {
        if step.only_with_args && known["inputs.args"].is_empty() {
            continue;
        }
        let mut bash = clean("bash", home);
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &step.script]);
        bash.envs(step.env.iter().map(|(name, value)| (name.clone(), expand(value))));
        bash.env("RUNNER_TEMP", &temp).env("GITHUB_ACTION_PATH", repository());
        bash.env("GITHUB_PATH", home.join("path")).env("GITHUB_OUTPUT", home.join("output"));
        let output = run(&mut bash);
        if !output.status.success() {
            return Err(output);
        }
        done.push(output);
    }
    Ok(done)
}

#[test]
fn the_action_installs_a_release_and_runs_a_check() {
    if !needs("curl") || !needs("bash") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let server = serve(dist().to_path_buf());
    let url = format!("http://{}", server.address());
    let done = act(home.path(), &[("version", "latest"), ("args", "--version"), ("base-url", &url)]);
    let done = done.unwrap_or_else(|output| panic!("{}", both(&output)));
    let [_, checked] = done.as_slice() else { panic!("two steps") };
    assert_eq!(both(checked).trim(), format!("sprag {}", env!("CARGO_PKG_VERSION")));
    let read = |name: &str| std::fs::read_to_string(home.path().join(name)).unwrap();
    assert_eq!(read("output").trim(), format!("version={}", env!("CARGO_PKG_VERSION")));
    assert!(read("path").trim().ends_with("temp/sprag/bin"));
    // Its words are arguments, never a script.
    let hostile =
        act(home.path(), &[("version", "latest"), ("args", "check; touch owned"), ("base-url", &url)]);
    assert!(hostile.is_err() && !home.path().join("owned").exists());
    let installs_only = act(home.path(), &[("version", "latest"), ("args", ""), ("base-url", &url)]);
    assert_eq!(installs_only.map_or(0, |done| done.len()), 1);
}
