//! A project's git state: a repository without history is written as files, one with history is made by `git`.

use super::model::Git;
use super::places::Places;
use super::world::{NotRun, make_dir, write};
use sprag_base::time::Stamp;
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

/// Makes the repository of a project.
pub(crate) fn make(git: &Git, places: &Places, now: Stamp) -> Result<(), NotRun> {
    let project = places.project();
    let real = !git.commits.is_empty() || !git.dirty.is_empty();
    let branch = git.branch.as_deref().unwrap_or("main");
    if real {
        run(&project, places, now, &["init", "--quiet", "--template="])?;
    }
    skeleton(
        &project.join(".git"),
        git.commits.first().and_then(|c| c.branch.as_deref()).unwrap_or(branch),
        git,
    )?;
    for (number, commit) in git.commits.iter().enumerate() {
        if let Some(name) = commit.branch.as_deref().filter(|_| number > 0) {
            run(&project, places, now, &["checkout", "--quiet", "-b", name])?;
        }
        for (path, text) in &commit.files {
            write(&places.path(path), places.inward(text).as_bytes())?;
        }
        run(&project, places, now, &["add", "--all"])?;
        run(&project, places, now, &["commit", "--quiet", "--allow-empty", "--message", &commit.message])?;
    }
    if let Some(branch) = git.branch.as_deref().filter(|_| git.commits.iter().any(|c| c.branch.is_some())) {
        let _ = run(&project, places, now, &["checkout", "--quiet", branch]);
    }
    for (path, text) in &git.dirty {
        write(&places.path(path), places.inward(text).as_bytes())?;
    }
    Ok(())
}

/// `HEAD` and `config`, and the folders without which it is no repository.
fn skeleton(dir: &Path, branch: &str, git: &Git) -> Result<(), NotRun> {
    for folder in ["objects", "refs/heads"] {
        make_dir(&dir.join(folder))?;
    }
    write(&dir.join("HEAD"), format!("ref: refs/heads/{branch}\n").as_bytes())?;
    let mut config = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n".to_owned();
    if let Some(url) = &git.remote {
        let _ = write!(
            config,
            "[remote \"origin\"]\n\turl = {url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
        );
    }
    write(&dir.join("config"), config.as_bytes())
}

fn run(project: &Path, places: &Places, now: Stamp, args: &[&str]) -> Result<(), NotRun> {
    let mut command = Command::new("git");
    // Nothing of the surrounding repository or of the user's own configuration may reach the case.
    command.env_clear();
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    let date = format!("{} +0000", now.seconds());
    command
        .env("HOME", places.home())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs([("GIT_AUTHOR_NAME", "Dev"), ("GIT_COMMITTER_NAME", "Dev")])
        .envs([("GIT_AUTHOR_EMAIL", "dev@example.com"), ("GIT_COMMITTER_EMAIL", "dev@example.com")])
        .envs([("GIT_AUTHOR_DATE", &date), ("GIT_COMMITTER_DATE", &date)])
        .args(["-c", "gc.auto=0", "-c", "commit.gpgsign=false", "-c", "core.fsync=none"])
        .args(args)
        .current_dir(project)
        .stdin(Stdio::null());
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(NotRun::Broken(format!(
            "git {}: {}",
            args.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        ))),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(NotRun::Skipped("it needs commits, and there is no `git` on the PATH".to_owned()))
        }
        Err(error) => Err(NotRun::Broken(format!("git: {error}"))),
    }
}
