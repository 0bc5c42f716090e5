//! The project that an event is about: its root, its git facts, its `.sprag` folder. No process is started.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

pub mod git;
pub mod loss;
pub mod plan;
pub mod rules;
pub mod workspace;

use sprag_base::env::Env;
use std::path::{Path, PathBuf};

/// A project on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// The root: the nearest folder with `.sprag` or `.git` above the working directory, else that directory.
    pub root: PathBuf,
    /// The `.git` folder or file, when there is one.
    pub git: Option<PathBuf>,
    /// The project's `.sprag` folder, when there is one.
    pub sprag: Option<PathBuf>,
    /// Where the agent is.
    pub cwd: PathBuf,
}

impl Project {
    /// Finds the project around `cwd`. The user's home is never a project by its own `.sprag` or `.git`
    /// being there alone: folders below it would all be one project.
    pub fn find(cwd: &str, env: &Env, home: &Path) -> Self {
        let cwd = match cwd {
            "" => env.get("CLAUDE_PROJECT_DIR").map_or_else(PathBuf::new, PathBuf::from),
            cwd => PathBuf::from(cwd),
        };
        // A relative path is ignored: it would be resolved against this process's working directory.
        let cwd = if cwd.is_absolute() { cwd } else { PathBuf::new() };
        let mut project = Self { root: cwd.clone(), cwd: cwd.clone(), git: None, sprag: None };
        for dir in cwd.ancestors().filter(|dir| dir.is_absolute()) {
            let at_home = dir == home;
            let sprag = dir.join(".sprag");
            if !at_home && project.sprag.is_none() && sprag.is_dir() {
                project.root = dir.to_path_buf();
                project.sprag = Some(sprag);
            }
            let git = dir.join(".git");
            if git.exists() {
                if !at_home || dir == cwd {
                    if project.sprag.is_none() {
                        project.root = dir.to_path_buf();
                    }
                    project.git = Some(git);
                }
                break;
            }
        }
        project
    }

    /// True when the folder can be a project: not the home, not the root of a disk, not a parent of the home.
    pub fn is_codebase(&self, home: &Path) -> bool {
        let root = &self.root;
        root.is_absolute()
            && root.parent().is_some()
            && !home.starts_with(root)
            && (self.git.is_some() || self.sprag.is_some() || has_marker(root))
    }

    /// The folder that holds git's own files: follows the `.git` file of worktrees and submodules.
    pub fn git_dir(&self) -> Option<PathBuf> {
        let git = self.git.as_ref()?;
        if git.is_dir() {
            return Some(git.clone());
        }
        let text = sprag_base::files::read_text(git, sprag_base::files::SMALL).ok()?;
        let target = text.trim().strip_prefix("gitdir:")?.trim();
        Some(git.parent()?.join(target))
    }

    /// The folder with the configuration and refs that all worktrees share.
    pub fn git_common_dir(&self) -> Option<PathBuf> {
        let dir = self.git_dir()?;
        match sprag_base::files::read_text(dir.join("commondir"), sprag_base::files::SMALL) {
            Ok(text) => Some(dir.join(text.trim())),
            Err(_) => Some(dir),
        }
    }

    /// The folder that `.git` stands in.
    pub fn git_root(&self) -> Option<&Path> {
        self.git.as_deref().and_then(Path::parent)
    }

    /// The branch, or the first characters of a detached commit.
    pub fn branch(&self) -> Option<String> {
        let head =
            sprag_base::files::read_text(self.git_dir()?.join("HEAD"), sprag_base::files::SMALL).ok()?;
        let head = head.trim();
        match head.strip_prefix("ref: refs/heads/") {
            Some(branch) => Some(branch.to_owned()),
            None => head.get(..12).map(|short| format!("detached {short}")),
        }
    }

    /// What tells this project from others on every machine: its remote, so that clones and worktrees share it;
    /// without one its folder on this machine.
    pub fn key(&self, machine: &str) -> String {
        self.remote_key().unwrap_or_else(|| {
            let root = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
            format!("{machine}:{}", root.display())
        })
    }

    /// `host/owner/repo` of the remote.
    pub fn remote_key(&self) -> Option<String> {
        remote_key(&self.remote()?)
    }

    /// The address of `origin`, else of the first remote, without a password.
    pub fn remote(&self) -> Option<String> {
        let config = sprag_base::files::read_text(self.git_common_dir()?.join("config"), 4 << 20).ok()?;
        let mut section = String::new();
        let mut first = None;
        for line in config.lines().map(str::trim) {
            if line.starts_with('[') {
                line.clone_into(&mut section);
            } else if section.starts_with("[remote ")
                && let Some((key, url)) = line.split_once('=')
                && key.trim() == "url"
            {
                let url = without_password(url.trim());
                if section == "[remote \"origin\"]" {
                    return Some(url);
                }
                first.get_or_insert(url);
            }
        }
        first
    }
}

/// A folder without git that is a project all the same.
fn has_marker(root: &Path) -> bool {
    const MARKERS: [&str; 10] = [
        "package.json", "pyproject.toml", "setup.py", "Cargo.toml", "go.mod", "pom.xml", "build.gradle",
        "CMakeLists.txt", "composer.json", "Gemfile",
    ];
    MARKERS.iter().any(|name| root.join(name).is_file())
}

/// A remote's address without user name and password.
fn without_password(url: &str) -> String {
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            let host = host.rsplit('@').next().unwrap_or(host);
            format!("{scheme}://{host}/{path}").trim_end_matches('/').to_owned()
        }
        None => url.to_owned(),
    }
}

/// `https://h/o/r.git` and `git@h:o/r` are the same repository. A path on a disk is none.
fn remote_key(url: &str) -> Option<String> {
    let rest = match url.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.to_owned(),
        None => {
            let (host, path) = url.split_once(':')?;
            if host.contains('/') {
                return None;
            }
            format!("{host}/{path}")
        }
    };
    let (host, path) = rest.split_once('/')?;
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = host.split(':').next().unwrap_or(host).to_ascii_lowercase();
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    (!host.is_empty() && !path.is_empty()).then(|| format!("{host}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn env() -> Env {
        Env::Fixed(std::collections::BTreeMap::new())
    }

    #[test]
    fn the_nearest_marker_is_the_root() {
        let dir = tempfile::tempdir().unwrap();
        let repo = dir.path().join("repo");
        let deep = repo.join("a/b");
        fs::create_dir_all(&deep).unwrap();
        fs::create_dir_all(repo.join(".git")).unwrap();
        fs::write(repo.join(".git/HEAD"), "ref: refs/heads/feature/x\n").unwrap();
        fs::write(
            repo.join(".git/config"),
            "[remote \"fork\"]\n\turl = https://u:p@h.example/f.git\n[remote \"origin\"]\n\turl = https://u:p@h.example/o.git\n",
        )
        .unwrap();
        let project = Project::find(deep.to_str().unwrap(), &env(), dir.path());
        assert_eq!(project.root, repo);
        assert_eq!(project.branch().as_deref(), Some("feature/x"));
        assert_eq!(project.remote().as_deref(), Some("https://h.example/o.git"));
        fs::create_dir_all(repo.join("a/.sprag")).unwrap();
        let project = Project::find(deep.to_str().unwrap(), &env(), dir.path());
        assert_eq!((project.root, project.git), (repo.join("a"), Some(repo.join(".git"))));
    }

    #[test]
    fn a_worktree_has_its_own_branch_and_shares_the_remote() {
        let dir = tempfile::tempdir().unwrap();
        let (main, tree) = (dir.path().join("main"), dir.path().join("tree"));
        let own = main.join(".git/worktrees/tree");
        fs::create_dir_all(&own).unwrap();
        fs::create_dir_all(&tree).unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        fs::write(own.join("HEAD"), "ref: refs/heads/side\n").unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::write(main.join(".git/config"), "[remote \"origin\"]\n url = git@h:o/r.git\n").unwrap();
        let project = Project::find(tree.to_str().unwrap(), &env(), dir.path());
        assert_eq!(project.branch().as_deref(), Some("side"));
        assert_eq!(project.remote().as_deref(), Some("git@h:o/r.git"));
    }

    #[test]
    fn the_home_is_not_a_project_for_what_lies_below() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join(".git")).unwrap();
        let work = home.path().join("work");
        fs::create_dir_all(&work).unwrap();
        let project = Project::find(work.to_str().unwrap(), &env(), home.path());
        assert_eq!((project.root, project.git), (work, None));
    }

    #[test]
    fn a_relative_directory_is_none() {
        assert_eq!(Project::find("src", &env(), Path::new("/h")), Project::default());
        assert_eq!(Project::find("", &env(), Path::new("/h")), Project::default());
    }

    #[test]
    fn a_directory_that_is_not_there_is_its_own_root() {
        let project = Project::find("/nowhere/at/all", &env(), Path::new("/h"));
        assert_eq!(project.root, Path::new("/nowhere/at/all"));
    }

    #[test]
    fn spellings_of_one_remote_are_one_project() {
        for url in [
            "https://git.example/dev/shop.git",
            "git@git.example:dev/shop.git",
            "ssh://git@Git.Example:2222/dev/shop/",
            "https://user:pass@git.example/dev/shop",
        ] {
            assert_eq!(remote_key(url).as_deref(), Some("git.example/dev/shop"), "{url}");
        }
        for url in ["/srv/git/shop.git", "file:///srv/git/shop.git", "../shop", "./a:b", ""] {
            assert_eq!(remote_key(url), None, "{url}");
        }
    }
}
