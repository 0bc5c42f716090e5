//! Secrets that a `git commit` would put into the history: tokens of known services and private keys, in files that the
//! commit takes. Files for tests and examples are left alone.

use sprag_base::env::Env;
use sprag_base::files::read_limited;
use sprag_project::Project;
use sprag_project::loss::{self, Budget, Which};
use sprag_sensitive::{is_sample, literal};
use sprag_shell::{Analysis, Cmd, HOLE, normalise};
use std::path::{Path, PathBuf};

/// A secret that would be committed.
#[derive(Debug, PartialEq, Eq)]
pub struct Committed {
    /// The file, from the root of the repository.
    pub path: String,
    /// The file, from the root of the disk.
    pub full: String,
    /// Its line, from 1.
    pub line: usize,
    /// What it is: `a GitHub token`.
    pub what: &'static str,
}

/// Files of git's index that are looked at, files that are read, and the bytes of each.
const MAX_STEPS: usize = 20_000;
const MAX_FILES: usize = 200;
const MAX_BYTES: u64 = 256 << 10;

/// The first secret that a command of the line would commit. Nothing is read unless one commits.
pub fn first_secret(analysis: &Analysis, cwd: &str, env: &Env, home: &Path) -> Option<Committed> {
    let of_git = |verb: &'static str| {
        analysis.local_commands().filter(move |cmd| {
            cmd.name == "git" && !cmd.inert && cmd.args.first().is_some_and(|arg| arg.text == verb)
        })
    };
    let commit = of_git("commit").next()?;
    if commit.args.iter().any(|arg| arg.text == "--dry-run") {
        return None;
    }
    let at = commit.dir.clone().filter(|dir| !dir.contains(HOLE)).unwrap_or_else(|| cwd.to_owned());
    let project = Project::find(&at, env, home);
    let root = project.git_root()?.to_path_buf();
    let short = |arg: &str, letter: char| {
        arg.starts_with('-') && !arg.starts_with("--") && arg.contains(letter) && !arg.contains('m')
            || letter == 'a' && (arg == "-am" || arg == "--all")
    };
    let all_tracked = commit.args.iter().any(|arg| short(&arg.text, 'a'));
    let adds: Vec<&Cmd> = of_git("add").chain(of_git("stage")).collect();
    let (named, everything) = added(&adds, &at, &root);
    let mut budget = Budget::of_steps(MAX_STEPS);
    let mut files: Vec<String> = Vec::new();
    loss::each_uncommitted(&project, &[], &mut budget, |path, _, staged| {
        if staged || all_tracked || everything || is_below(path, &named) {
            files.push(path.to_owned());
        }
    });
    if everything || !named.is_empty() {
        loss::each_untracked(&project, &named, Which::Plain, true, &mut budget, |path, _| {
            files.push(path.to_owned());
        });
    }
    let mut read = files.iter().filter(|path| !is_sample(path)).take(MAX_FILES);
    read.find_map(|path| {
        let full = root.join(path);
        let text = String::from_utf8(read_limited(&full, MAX_BYTES).ok()??).ok()?;
        let (line, what) = in_text(&text)?;
        Some(Committed { path: path.clone(), full: full.display().to_string(), line, what })
    })
}

/// What `git add` names, from the root, and whether it takes everything.
fn added(adds: &[&Cmd], at: &str, root: &Path) -> (Vec<PathBuf>, bool) {
    let mut named = Vec::new();
    let mut everything = false;
    for arg in adds.iter().flat_map(|cmd| cmd.args.iter().skip(1)) {
        match arg.text.as_str() {
            "-A" | "--all" | "." | "*" | "-u" | "--update" => everything = true,
            option if option.starts_with('-') => {}
            path => {
                named.extend(Path::new(&normalise(path, at)).strip_prefix(root).ok().map(Path::to_path_buf));
            }
        }
    }
    if everything {
        named.clear();
    }
    (named, everything)
}

fn is_below(path: &str, named: &[PathBuf]) -> bool {
    named.iter().any(|of| Path::new(path).starts_with(of))
}

/// The first secret of a text: its line, and what it is. A line may say that it is none, as the usual scanners read it.
fn in_text(text: &str) -> Option<(usize, &'static str)> {
    let lines: Vec<&str> = text.lines().collect();
    lines.iter().enumerate().find_map(|(at, line)| {
        let said = ["gitleaks:allow", "allowlist secret", "nosecret", "noqa: S105"]
            .iter()
            .any(|mark| line.contains(mark));
        if said || line.len() > 10_000 {
            return None;
        }
        if let Some(found) = literal(line) {
            return Some((at + 1, found.what));
        }
        // A whole key: the line alone stands in documentation and in code that reads keys.
        let key = line.trim_start().starts_with("-----BEGIN ") && line.contains("PRIVATE KEY-----");
        let body = |line: &&&str| {
            line.len() >= 40
                && line.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='))
        };
        (key && lines.get(at + 1..).unwrap_or_default().iter().take(4).any(|line| body(&line)))
            .then_some((at + 1, "a private key"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_whole_keys_are_found_and_examples_are_not() {
        let body = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW";
        assert_eq!(
            in_text("a\nT = 'ghp_R7kQ2mZx9LpV4tBn8WcY3sHd6JfG1aTqUeKi'\n"),
            Some((2, "a GitHub token"))
        );
        let key = format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{body}\n-----END OPENSSH PRIVATE KEY-----\n");
        assert_eq!(in_text(&key), Some((1, "a private key")));
        for text in [
            "if text.startswith('-----BEGIN OPENSSH PRIVATE KEY-----'):\n    pass\n",
            "-----BEGIN RSA PRIVATE KEY-----\n...\n",
            "T = 'ghp_R7kQ2mZx9LpV4tBn8WcY3sHd6JfG1aTqUeKi'  # gitleaks:allow\n",
            "AKIAIOSFODNN7EXAMPLE\n",
        ] {
            assert_eq!(in_text(text), None, "{text}");
        }
    }
}
