//! Which projects a person trusts, pinned by the content of what they run and say.
//! A cloned repository is not trusted: its `.sprag` may only tighten.

use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::paths::Paths;
use sprag_base::time::Stamp;
use sprag_project::git;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// What a project's folder is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// There is nothing to trust.
    Nothing,
    /// A person trusted exactly this content.
    Trusted,
    /// Nobody trusted it.
    Untrusted,
    /// It was trusted, and these files changed since.
    Changed(Vec<String>),
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Register {
    projects: BTreeMap<String, Pin>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Pin {
    at: String,
    files: BTreeMap<String, String>,
}

/// The largest configuration that is looked through for programs; a larger one does not count anyway.
const CONFIG_LIMIT: u64 = 1 << 20;
/// The largest file whose content can be pinned.
const FILE_LIMIT: u64 = 64 << 20;
/// Stands for the content of a larger one, which is never trusted.
const TOO_LARGE: &str = "too large";

/// The files of a project that trust covers: its configuration, its hooks, lessons for the start of a session, and
/// files of the project that the configuration starts.
pub fn covered_files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let config = root.join(".sprag/config.toml");
    if config.is_file() {
        found.push(config);
    }
    collect(&root.join(".sprag/hooks"), 0, &mut found);
    lessons(&root.join(".sprag/lessons"), &mut found);
    if let Ok(Some(bytes)) = files::read_limited(&root.join(".sprag/config.toml"), CONFIG_LIMIT)
        && let Ok(text) = std::str::from_utf8(&bytes)
        && let Ok(document) = text.parse::<toml_edit::DocumentMut>()
    {
        for command in commands(&document) {
            let words = command
                .as_array()
                .map(|array| array.iter().filter_map(|value| value.as_str()).collect::<Vec<_>>())
                .or_else(|| command.as_str().map(|word| vec![word]))
                .unwrap_or_default();
            for word in words {
                let path = root.join(word);
                if path.is_file() && path.starts_with(root) {
                    found.push(path);
                }
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The commands that a configuration starts: its hooks', and its checkers'.
fn commands(document: &toml_edit::DocumentMut) -> Vec<toml_edit::Item> {
    let hooks = document.get("hook").and_then(|item| item.as_table_like());
    let mut found: Vec<toml_edit::Item> = hooks
        .into_iter()
        .flat_map(|hooks| hooks.iter())
        .filter_map(|(_, hook)| hook.get("command").cloned())
        .collect();
    let checkers = document.get("verify").and_then(|verify| verify.get("checkers"));
    let tables = checkers.and_then(|item| item.as_array_of_tables()).into_iter().flatten();
    found.extend(tables.filter_map(|table| table.get("command").cloned()));
    let inline = checkers.and_then(|item| item.as_array()).into_iter().flatten();
    let command = |value: &toml_edit::Value| value.as_inline_table()?.get("command").cloned();
    found.extend(inline.filter_map(command).map(toml_edit::Item::Value));
    found
}

/// A project's lessons that speak at the start of every session. Hints and guards count without trust, and a change of
/// one of them takes none away.
fn lessons(dir: &Path, found: &mut Vec<PathBuf>) {
    let mut all = Vec::new();
    collect(dir, 8, &mut all);
    found.extend(all.into_iter().filter(|path| {
        let text = files::read_limited(path, CONFIG_LIMIT).ok().flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        text.contains("directive") || text.contains("protocol") || text.contains("sessionStart")
    }));
}

/// Cases and their snapshots run in throw-away homes and change no verdict.
fn is_test(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.ends_with(".hook.toml") || text.contains(".snap/")
}

fn collect(dir: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    const MAX_FILES: usize = 2_000;
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if found.len() >= MAX_FILES {
            return;
        }
        if path.is_dir() && depth < 8 {
            collect(&path, depth + 1, found);
        } else if path.is_file() && !is_test(&path) {
            found.push(path);
        }
    }
}

/// The covered files with the hash of their content: what a person looks at before they trust it.
pub fn contents(root: &Path) -> BTreeMap<String, String> {
    covered_files(root)
        .into_iter()
        .filter_map(|path| {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            let hash = match files::read_whole(&path, FILE_LIMIT) {
                Ok(bytes) => short_hash(&bytes?),
                Err(error) if error.kind() == io::ErrorKind::FileTooLarge => TOO_LARGE.to_owned(),
                Err(_) => return None,
            };
            Some((name, hash))
        })
        .collect()
}

fn load(paths: &Paths) -> Register {
    files::read(paths.trust_file(), files::STATE)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default()
}

fn key(root: &Path) -> String {
    root.canonicalize().unwrap_or_else(|_| root.to_path_buf()).to_string_lossy().into_owned()
}

/// What a person trusted: this folder, or the checkout that it is a linked worktree of. Agents make worktrees by themselves, and a
/// branch that is checked out there could be checked out in the trusted folder as well; what is pinned must be the same.
fn pin<'r>(register: &'r Register, root: &Path) -> Option<&'r Pin> {
    let projects = &register.projects;
    let main = || git::main_checkout(root).and_then(|main| projects.get(&key(&main)));
    projects.get(&key(root)).or_else(|| if projects.is_empty() { None } else { main() })
}

/// What the project's `.sprag` is worth today.
pub fn state(paths: &Paths, root: &Path) -> Trust {
    let now = contents(root);
    let register = load(paths);
    let Some(pin) = pin(&register, root) else {
        return if now.is_empty() { Trust::Nothing } else { Trust::Untrusted };
    };
    let changed: Vec<String> = now
        .iter()
        .filter(|(name, hash)| pin.files.get(*name) != Some(hash) || *hash == TOO_LARGE)
        .map(|(name, _)| name)
        // A file that is gone is a change too: it may have been a guard.
        .chain(pin.files.keys().filter(|name| !now.contains_key(*name)))
        .cloned()
        .collect();
    if changed.is_empty() { Trust::Trusted } else { Trust::Changed(changed) }
}

/// Trusts the project as it is now; gives the files that this pins.
pub fn grant(paths: &Paths, root: &Path, now: Stamp) -> io::Result<Vec<String>> {
    grant_seen(paths, root, contents(root), now)
}

/// Trusts exactly what a person was shown; what changed since is not covered.
pub fn grant_seen(
    paths: &Paths,
    root: &Path,
    files: BTreeMap<String, String>,
    now: Stamp,
) -> io::Result<Vec<String>> {
    let names = files.keys().cloned().collect();
    change(paths, |register| {
        register.projects.insert(key(root), Pin { at: now.to_string(), files });
    })?;
    Ok(names)
}

/// Takes trust back. True when there was any.
pub fn revoke(paths: &Paths, root: &Path) -> io::Result<bool> {
    let mut had = false;
    change(paths, |register| had = register.projects.remove(&key(root)).is_some())?;
    Ok(had)
}

/// The trusted projects with the time of their trust.
pub fn list(paths: &Paths) -> Vec<(String, String)> {
    load(paths).projects.into_iter().map(|(root, pin)| (root, pin.at)).collect()
}

fn change(paths: &Paths, change: impl FnOnce(&mut Register)) -> io::Result<()> {
    let lock = files::open_lock(&paths.state.join("trust.lock"))?;
    lock.lock()?;
    let mut register = load(paths);
    change(&mut register);
    let text = serde_json::to_vec_pretty(&register).map_err(io::Error::other)?;
    files::write_durable(&paths.trust_file(), &text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_base::env::Env;
    use std::fs;

    #[test]
    fn a_worktree_has_the_trust_of_its_checkout_for_the_same_content() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().display().to_string();
        let paths = Paths::from_env(&Env::Fixed([("HOME".to_owned(), home)].into()));
        let (main, tree) = (dir.path().join("main"), dir.path().join("tree"));
        let own = main.join(".git/worktrees/tree");
        for root in [&main, &tree] {
            fs::create_dir_all(root.join(".sprag")).unwrap();
            fs::write(root.join(".sprag/config.toml"), "version = 1\n").unwrap();
        }
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::write(own.join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        assert_eq!(state(&paths, &tree), Trust::Untrusted);
        grant(&paths, &main, Stamp(0)).unwrap();
        assert_eq!(state(&paths, &tree), Trust::Trusted);
        fs::write(tree.join(".sprag/config.toml"), "version = 1\npreset = \"minimal\"\n").unwrap();
        assert_eq!(state(&paths, &tree), Trust::Changed(vec![".sprag/config.toml".into()]));
        fs::write(tree.join(".sprag/config.toml"), "version = 1\n").unwrap();
        // Git keeps where its worktree is: a folder that only says so is none.
        fs::write(own.join("gitdir"), "/elsewhere/.git\n").unwrap();
        assert_eq!(state(&paths, &tree), Trust::Untrusted);
        let fake = dir.path().join("fake");
        fs::create_dir_all(&fake).unwrap();
        fs::write(fake.join("commondir"), format!("{}\n", main.join(".git").display())).unwrap();
        fs::write(fake.join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", fake.display())).unwrap();
        assert_eq!(state(&paths, &tree), Trust::Untrusted);
    }

    #[test]
    fn what_checkers_start_is_pinned_too() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(".sprag")).unwrap();
        for name in ["a.sh", "b.sh"] {
            fs::write(dir.path().join(name), "true\n").unwrap();
        }
        for config in [
            "[[verify.checkers]]\nname = \"x\"\ncommand = [\"sh\", \"a.sh\"]\n[[verify.checkers]]\ncommand = [\"./b.sh\"]\n",
            "[verify]\ncheckers = [{ command = [\"sh\", \"a.sh\"] }, { name = \"y\", command = [\"./b.sh\"] }]\n",
        ] {
            fs::write(dir.path().join(".sprag/config.toml"), config).unwrap();
            assert_eq!(covered_files(dir.path()).len(), 3, "{config}");
        }
    }

    #[test]
    fn lessons_for_the_start_of_a_session_are_covered_and_hints_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let lessons = dir.path().join(".sprag/lessons");
        fs::create_dir_all(&lessons).unwrap();
        fs::write(lessons.join("hint.toml"), "summary = \"x\"\n").unwrap();
        assert!(covered_files(dir.path()).is_empty());
        fs::write(lessons.join("start.toml"), "type = \"directive\"\n").unwrap();
        assert_eq!(covered_files(dir.path()), [lessons.join("start.toml")]);
    }

    #[test]
    fn trust_is_for_one_content() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        let paths = Paths::from_env(&Env::Fixed([("HOME".to_owned(), home.display().to_string())].into()));
        let root = dir.path().join("repo");
        assert_eq!(state(&paths, &root), Trust::Nothing);
        fs::create_dir_all(root.join(".sprag/hooks")).unwrap();
        fs::create_dir_all(root.join("tools")).unwrap();
        fs::write(root.join(".sprag/config.toml"), "[hook.lint]\ncommand = [\"sh\", \"tools/lint.sh\"]\n")
            .unwrap();
        fs::write(root.join("tools/lint.sh"), "true\n").unwrap();
        assert_eq!(state(&paths, &root), Trust::Untrusted);
        let pinned = grant(&paths, &root, Stamp(0)).unwrap();
        assert_eq!(pinned, [".sprag/config.toml", "tools/lint.sh"]);
        assert_eq!(state(&paths, &root), Trust::Trusted);
        fs::write(root.join("tools/lint.sh"), "rm -rf ~\n").unwrap();
        assert_eq!(
            state(&paths, &root),
            Trust::Changed(vec!["tools/lint.sh".into()]),
            "what it starts is pinned too"
        );
        fs::write(root.join("tools/lint.sh"), "true\n").unwrap();
        fs::write(root.join(".sprag/hooks/new.sh"), "true\n").unwrap();
        assert_eq!(state(&paths, &root), Trust::Changed(vec![".sprag/hooks/new.sh".into()]));
        fs::remove_file(root.join(".sprag/hooks/new.sh")).unwrap();
        assert_eq!(state(&paths, &root), Trust::Trusted);
        fs::remove_file(root.join("tools/lint.sh")).unwrap();
        assert_eq!(state(&paths, &root), Trust::Changed(vec!["tools/lint.sh".into()]), "a file that is gone");
        assert!(revoke(&paths, &root).unwrap());
        assert_eq!(state(&paths, &root), Trust::Untrusted);
    }
}
