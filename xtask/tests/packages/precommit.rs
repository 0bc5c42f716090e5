//! pre-commit: the hooks of `.pre-commit-hooks.yaml`, run by the real program in a project that names this repository.

use crate::{artefact, both, clean, needs, ok, run};
use std::path::Path;
use std::process::Command;

fn git(home: &Path, folder: &Path, args: &[&str]) {
    let who = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "init.defaultBranch=main"];
    ok(clean("git", home).current_dir(folder).args(who).args(args));
}

/// pre-commit over the whole project, with the sprag of an archive on the PATH.
fn commit_hooks(home: &Path, project: &Path) -> Command {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = clean("pre-commit", home);
    command.args(["run", "--all-files", "--verbose"]).current_dir(project);
    command.env("PATH", format!("{}:{path}", home.join("bin").display()));
    command
}

#[test]
fn the_hooks_run_and_stop_a_broken_configuration() {
    if !needs("pre-commit") || !needs("git") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let folder = |name: &str| {
        let path = home.join(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    };
    let bin = folder("bin");
    let archive = artefact("linux-musl.tar.gz");
    ok(clean("tar", home).arg("-xzf").arg(archive).arg("-C").arg(&bin).arg("sprag"));
    // The repository that brings the hooks, with nothing else of it.
    let source = folder("source");
    let hooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.pre-commit-hooks.yaml");
    std::fs::copy(hooks, source.join(".pre-commit-hooks.yaml")).unwrap();
    git(home, &source, &["init", "-q"]);
    git(home, &source, &["add", "."]);
    git(home, &source, &["commit", "-qm", "hooks"]);
    git(home, &source, &["tag", "v1"]);
    let project = folder("project");
    std::fs::create_dir_all(project.join(".sprag/tests")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(project.join(name), text).unwrap();
    write(".sprag/config.toml", "version = 1\ndisable = [\"descriptive-name\"]\n");
    write(
        ".sprag/tests/guard.hook.toml",
        "hook = \"command-guard\"\n[[case]]\nname = \"a home is not deleted\"\nsteps = [\n  { event = \"PreToolUse\", \
         payload = { tool_name = \"Bash\", tool_input = { command = \"rm -rf ~\" } }, expect = { verdict = \"deny\" } },\n]\n",
    );
    let config = format!(
        "repos:\n  - repo: {}\n    rev: v1\n    hooks:\n      - id: sprag-check\n      - id: sprag-test\n",
        source.display()
    );
    write(".pre-commit-config.yaml", &config);
    git(home, &project, &["init", "-q"]);
    git(home, &project, &["add", "."]);
    let passed = run(&mut commit_hooks(home, &project));
    let said = both(&passed);
    assert!(passed.status.success() && said.matches("Passed").count() == 2, "{said}");
    write(".sprag/config.toml", "version = 1\ndisable = \"descriptive-name\n");
    git(home, &project, &["add", "."]);
    let stopped = run(&mut commit_hooks(home, &project));
    assert!(!stopped.status.success() && both(&stopped).contains("Failed"), "{}", both(&stopped));
}
