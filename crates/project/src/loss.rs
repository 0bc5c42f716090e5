//! What a destructive command would take away: changes that are not committed, commits that are on no remote, stashes,
//! the size of a tree. Read from git's own files without starting it, and given up when the time is over.

use crate::Project;
use sprag_base::files;
use sprag_base::glob::{IgnoreRules, Ignored};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long one may look, and at how much.
pub struct Budget {
    end: Option<Instant>,
    steps: usize,
}

impl Budget {
    /// So long and so many files, whichever is over first.
    pub fn new(time: Duration, steps: usize) -> Self {
        Self { end: Some(Instant::now() + time), steps }
    }

    /// So many files, however long it takes: what a verdict depends on must not depend on the machine's load.
    pub fn of_steps(steps: usize) -> Self {
        Self { end: None, steps }
    }

    /// True while there is something left; takes one step.
    fn goes_on(&mut self) -> bool {
        // The clock is asked now and then: it costs more than a step.
        let late = self.steps.is_multiple_of(16) && self.end.is_some_and(|end| Instant::now() >= end);
        self.steps = if late { 0 } else { self.steps.saturating_sub(1) };
        self.steps > 0
    }
}

/// Files that would be lost.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LostFiles {
    /// How many.
    pub count: usize,
    /// Their bytes.
    pub bytes: u64,
    /// The first few, from the root that was asked about.
    pub names: Vec<String>,
    /// False when there may be more: the time was over.
    pub complete: bool,
}

impl LostFiles {
    const NAMED: usize = 3;

    fn add(&mut self, name: &str, bytes: u64) {
        self.count += 1;
        self.bytes += bytes;
        if self.names.len() < Self::NAMED {
            self.names.push(name.to_owned());
        }
    }
}

/// One file of git's index.
struct Tracked<'a> {
    path: &'a [u8],
    /// When its content or its attributes last changed.
    changed: (u32, u32),
    modified: (u32, u32),
    size: u32,
    /// A submodule, or a file that git was told not to look at.
    skip: bool,
    submodule: bool,
}

/// Reads the entries of an index of version 2, 3 or 4, and the folders in which something is staged. `None`: it is none.
fn read_index(bytes: &[u8], mut each: impl FnMut(&Tracked<'_>) -> bool) -> Option<BTreeSet<Vec<u8>>> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    if bytes.get(..4)? != b"DIRC" {
        return None;
    }
    let (version, count) = (number(4)?, number(8)?);
    let mut at = 12;
    let mut path: Vec<u8> = Vec::new();
    for _ in 0..count {
        let start = at;
        let (modified, mode, size) =
            ((number(at + 8)?, number(at + 12)?), number(at + 24)?, number(at + 36)?);
        let changed = (number(at)?, number(at + 4)?);
        let flags = number(at + 58)? & 0xffff;
        let extended = flags & 0x4000 != 0;
        let more = if extended { number(at + 60)? & 0xffff } else { 0 };
        at += if extended { 64 } else { 62 };
        if version == 4 {
            let (cut, used) = varint(bytes.get(at..)?)?;
            at += used;
            path.truncate(path.len().checked_sub(cut)?);
        } else {
            path.clear();
        }
        let rest = bytes.get(at..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        path.extend_from_slice(rest.get(..end)?);
        at += end + 1;
        if version != 4 {
            at = start + (at - start).next_multiple_of(8);
        }
        let submodule = mode >> 12 == 0o16;
        let skip = submodule || flags & 0x8000 != 0 || more & 0x4000 != 0;
        if !each(&Tracked { path: &path, changed, modified, size, skip, submodule }) {
            return Some(BTreeSet::new());
        }
    }
    while let (Some(name), Some(size)) = (bytes.get(at..at + 4), number(at + 4)) {
        let body = bytes.get(at + 8..at + 8 + size as usize)?;
        if name == b"TREE" {
            return Some(staged_folders(body));
        }
        at += 8 + size as usize;
    }
    Some(BTreeSet::new())
}

fn varint(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().enumerate().take(8) {
        value = value << 7 | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
        value += 1;
    }
    None
}

/// The folders whose tree is not written yet: something in them was staged since the last commit.
fn staged_folders(mut body: &[u8]) -> BTreeSet<Vec<u8>> {
    let mut found = BTreeSet::new();
    // The folders that are open, with how many of their subfolders are still to come.
    let mut open: Vec<(Vec<u8>, usize)> = Vec::new();
    while let Some(nul) = body.iter().position(|byte| *byte == 0) {
        let (name, rest) = (body.get(..nul).unwrap_or_default(), body.get(nul + 1..).unwrap_or_default());
        let Some(line) = rest.iter().position(|byte| *byte == b'\n') else { break };
        let head = String::from_utf8_lossy(rest.get(..line).unwrap_or_default()).into_owned();
        let Some((entries, folders)) = head.split_once(' ') else { break };
        let mut path = open.last().map(|(path, _)| path.clone()).unwrap_or_default();
        path.extend_from_slice(name);
        if !path.is_empty() {
            path.push(b'/');
        }
        let valid = !entries.starts_with('-');
        body = rest.get(line + 1 + if valid { 20 } else { 0 }..).unwrap_or_default();
        if let Some((_, left)) = open.last_mut() {
            *left = left.saturating_sub(1);
        }
        if !valid {
            found.insert(path.clone());
        }
        open.push((path, folders.parse().unwrap_or(0)));
        while open.last().is_some_and(|(_, left)| *left == 0) {
            open.pop();
        }
    }
    found
}

fn index_of(project: &Project) -> Option<Vec<u8>> {
    files::read(project.git_dir()?.join("index"), files::STATE).ok()
}

fn parent(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').and_then(|at| path.get(..=at)).unwrap_or_default()
}

/// True when a path from the root is one of these, or below one; no paths are all.
fn within(path: &str, only: &[PathBuf]) -> bool {
    only.is_empty() || only.iter().any(|of| Path::new(path).starts_with(of))
}

/// Tracked files whose content is in no commit: changed, deleted, or staged.
pub fn uncommitted(project: &Project, only: &[PathBuf], budget: &mut Budget) -> Option<LostFiles> {
    let mut lost = LostFiles { complete: true, ..LostFiles::default() };
    lost.complete = each_uncommitted(project, only, budget, |path, bytes, _| lost.add(path, bytes))?;
    Some(lost)
}

/// The same one by one: path, bytes, and whether it is staged as it is. False when there may be more.
pub fn each_uncommitted(
    project: &Project,
    only: &[PathBuf],
    budget: &mut Budget,
    mut each: impl FnMut(&str, u64, bool),
) -> Option<bool> {
    let root = project.git_root()?;
    let index = index_of(project)?;
    // A file that was staged after the last commit was written after it.
    let committed = last_move(project);
    let mut recent: Vec<(String, u64)> = Vec::new();
    let mut complete = true;
    let folders = read_index(&index, |file| {
        if !budget.goes_on() {
            complete = false;
            return false;
        }
        let path = String::from_utf8_lossy(file.path);
        if file.skip || !within(&path, only) {
            return true;
        }
        let meta = root.join(&*path).symlink_metadata();
        if meta.as_ref().is_ok_and(|meta| is_as_staged(file, meta)) {
            if committed.is_none_or(|at| u64::from(file.modified.0) >= at) {
                recent.push((path.into_owned(), u64::from(file.size)));
            }
        } else {
            each(&path, meta.map_or(0, |meta| meta.len()), false);
        }
        true
    })?;
    let unborn = committed.is_none();
    for (path, size) in recent {
        if unborn || folders.contains(parent(path.as_bytes())) {
            each(&path, size, true);
        }
    }
    Some(complete)
}

/// True when it is certain that the files of the work tree are as git's index has them, or not there at all: nothing is
/// lost when they are written again from the index. By the same attributes as git; where git would read the file, it is
/// not certain.
pub fn is_as_in_index(project: &Project, only: &[PathBuf], budget: &mut Budget) -> bool {
    let (Some(root), Some(git)) = (project.git_root(), project.git_dir()) else { return false };
    let (Some(index), Ok(written)) = (index_of(project), git.join("index").metadata()) else { return false };
    let mut certain = true;
    let read = read_index(&index, |file| {
        let path = String::from_utf8_lossy(file.path);
        if file.submodule || !within(&path, only) {
            certain &= budget.goes_on();
            return certain;
        }
        let same = match root.join(&*path).symlink_metadata() {
            Ok(meta) => !file.skip && is_untouched(file, &meta, &written),
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        };
        certain &= same && budget.goes_on();
        certain
    });
    read.is_some() && certain
}

/// Every attribute that git looks at, and older than the index: a file that was changed within the tick in which the index
/// was written looks the same.
#[cfg(unix)]
fn is_untouched(file: &Tracked<'_>, meta: &std::fs::Metadata, index: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let same = |kept: (u32, u32), seconds: i64, nanos: i64| {
        kept.0 == seconds as u32 && (kept.1 == 0 || kept.1 == nanos as u32)
    };
    is_as_staged(file, meta)
        && same(file.changed, meta.ctime(), meta.ctime_nsec())
        && (meta.mtime(), meta.mtime_nsec()) < (index.mtime(), index.mtime_nsec())
}

#[cfg(not(unix))]
fn is_untouched(_: &Tracked<'_>, _: &std::fs::Metadata, _: &std::fs::Metadata) -> bool {
    false
}

/// True when it is certain that there is no branch of this name.
pub fn has_no_branch(project: &Project, branch: &str) -> bool {
    // Refs in a database of their own are not read.
    let files = project.git_common_dir().filter(|common| !common.join("reftable").exists());
    files.is_some_and(|common| common.join("refs/heads").is_dir())
        // Where not even another branch is found, the branches are somewhere else.
        && refs(project).is_some_and(|refs| {
            refs.keys().any(|name| name.starts_with("refs/heads/"))
                && !refs.contains_key(&format!("refs/heads/{branch}"))
        })
}

#[cfg(unix)]
fn is_as_staged(file: &Tracked<'_>, meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let (seconds, nanos) = file.modified;
    // Git keeps the low 32 bits.
    meta.size() as u32 == file.size
        && meta.mtime() as u32 == seconds
        && (nanos == 0 || meta.mtime_nsec() as u32 == nanos)
}

#[cfg(not(unix))]
fn is_as_staged(file: &Tracked<'_>, meta: &std::fs::Metadata) -> bool {
    meta.len() as u32 == file.size
}

/// When HEAD last moved, in seconds since 1970; `None` before the first commit.
fn last_move(project: &Project) -> Option<u64> {
    let log = files::read_text(project.git_dir()?.join("logs/HEAD"), files::STATE).ok()?;
    log.lines().next_back()?.split_once('>')?.1.split_whitespace().next()?.parse().ok()
}

/// Which of the files that git does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those that it does not ignore.
    Plain,
    /// Those that it ignores too.
    All,
    /// Only those that it ignores.
    Ignored,
}

/// Files that git does not know, with folders that hold nothing it knows, when asked.
pub fn untracked(
    project: &Project,
    only: &[PathBuf],
    which: Which,
    folders_too: bool,
    budget: &mut Budget,
) -> Option<LostFiles> {
    let mut lost = LostFiles { complete: true, ..LostFiles::default() };
    lost.complete =
        each_untracked(project, only, which, folders_too, budget, |path, bytes| lost.add(path, bytes))?;
    Some(lost)
}

/// The same one by one: path and bytes. False when there may be more.
pub fn each_untracked(
    project: &Project,
    only: &[PathBuf],
    which: Which,
    folders_too: bool,
    budget: &mut Budget,
    mut each: impl FnMut(&str, u64),
) -> Option<bool> {
    let root = project.git_root()?;
    let mut known: HashSet<Vec<u8>> = HashSet::new();
    read_index(&index_of(project)?, |file| {
        known.insert(file.path.to_vec());
        let mut folder = parent(file.path);
        while !folder.is_empty() && known.insert(folder.to_vec()) {
            folder = parent(folder.get(..folder.len() - 1).unwrap_or_default());
        }
        true
    })?;
    let rules = |file: PathBuf| {
        let text = files::read_text(file, files::STATE).unwrap_or_default();
        IgnoreRules::parse(if which == Which::All { "" } else { &text })
    };
    let mut complete = true;
    let exclude = project.git_common_dir().map(|dir| rules(dir.join("info/exclude"))).unwrap_or_default();
    let mut stack = vec![(String::new(), vec![(String::new(), exclude)], false)];
    while let Some((folder, above, inside)) = stack.pop() {
        let mut here = above;
        let own = rules(root.join(&folder).join(".gitignore"));
        if !own.is_empty() {
            here.push((folder.clone(), own));
        }
        let Ok(entries) = std::fs::read_dir(root.join(&folder)) else {
            complete = false;
            continue;
        };
        for entry in entries.flatten() {
            if !budget.goes_on() {
                return Some(false);
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{folder}{name}");
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let ignored = here.iter().rev().find_map(|(base, rules)| {
                match rules.check(path.strip_prefix(base.as_str())?, is_folder) {
                    Ignored::No => None,
                    said => Some(matches!(said, Ignored::By(_))),
                }
            });
            // What is in a folder that is ignored is ignored.
            let ignored = inside || ignored == Some(true);
            if name == ".git" || ignored && which == Which::Plain {
                continue;
            }
            let wanted_kind = ignored || which != Which::Ignored;
            if is_folder {
                let path = format!("{path}/");
                let wanted = only.is_empty()
                    || only.iter().any(|of| Path::new(&path).starts_with(of) || of.starts_with(&path));
                if wanted && (folders_too || known.contains(path.as_bytes())) {
                    stack.push((path, here.clone(), ignored));
                }
            } else if wanted_kind && within(&path, only) && !known.contains(path.as_bytes()) {
                each(&path, entry.metadata().map_or(0, |meta| meta.len()));
            }
        }
    }
    Some(complete)
}

/// The files below a path, or the file itself. Links are not followed.
pub fn tree(path: &Path, budget: &mut Budget) -> Option<LostFiles> {
    let meta = path.symlink_metadata().ok()?;
    let mut lost = LostFiles { complete: true, ..LostFiles::default() };
    if !meta.is_dir() {
        lost.add("", meta.len());
        return Some(lost);
    }
    let mut stack = vec![path.to_path_buf()];
    while let Some(folder) = stack.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if !budget.goes_on() {
                lost.complete = false;
                return Some(lost);
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => stack.push(entry.path()),
                _ => lost.add("", entry.metadata().map_or(0, |meta| meta.len())),
            }
        }
    }
    Some(lost)
}

/// The stashes, the latest first, by what git says of them.
pub fn stashes(project: &Project) -> Option<Vec<String>> {
    let log = files::read_text(project.git_common_dir()?.join("logs/refs/stash"), files::STATE).ok()?;
    Some(
        log.lines()
            .rev()
            .filter_map(|line| line.split_once('\t'))
            .map(|(_, about)| about.to_owned())
            .collect(),
    )
}

/// What a branch has that no remote has.
#[derive(Debug, PartialEq, Eq)]
pub enum Unpushed {
    /// So many commits; false when there may be more.
    Commits(usize, bool),
    /// There is no remote.
    NoRemote,
    /// Another ref holds the same commit.
    SameAs(String),
}

/// Looks in the record of a branch for the last commit that a remote has.
pub fn unpushed(project: &Project, branch: &str) -> Option<Unpushed> {
    let refs = refs(project)?;
    let own = format!("refs/heads/{branch}");
    let tip = refs.get(&own)?;
    if let Some((name, _)) = refs.iter().find(|(name, at)| *at == tip && **name != own) {
        let short =
            name.trim_start_matches("refs/").trim_start_matches("heads/").trim_start_matches("remotes/");
        return Some(Unpushed::SameAs(short.to_owned()));
    }
    let on_remotes: BTreeSet<&String> =
        refs.iter().filter(|(name, _)| name.starts_with("refs/remotes/")).map(|(_, at)| at).collect();
    if on_remotes.is_empty() {
        return Some(Unpushed::NoRemote);
    }
    let log = files::read_text(project.git_common_dir()?.join("logs").join(own), files::STATE).ok()?;
    let mut commits = 0;
    for line in log.lines().rev() {
        let (ids, about) = line.split_once('\t')?;
        let new = ids.split(' ').nth(1)?;
        if on_remotes.iter().any(|id| *id == new) {
            return Some(Unpushed::Commits(commits, true));
        }
        match about {
            // It replaces the one before it.
            about if about.starts_with("commit (amend)") => {}
            about if about.starts_with("commit") || about.starts_with("cherry-pick") => commits += 1,
            _ => return Some(Unpushed::Commits(commits, false)),
        }
    }
    Some(Unpushed::Commits(commits, false))
}

/// The branches and remote branches with the commits they are at.
fn refs(project: &Project) -> Option<BTreeMap<String, String>> {
    let common = project.git_common_dir()?;
    let packed = files::read_text(common.join("packed-refs"), files::STATE).unwrap_or_default();
    let lines = packed.lines().filter_map(|line| line.split_once(' '));
    let mut found: BTreeMap<String, String> = lines
        .filter(|(_, name)| name.starts_with("refs/heads/") || name.starts_with("refs/remotes/"))
        .map(|(id, name)| (name.to_owned(), id.to_owned()))
        .collect();
    let mut stack = vec!["refs/heads".to_owned(), "refs/remotes".to_owned()];
    while let Some(folder) = stack.pop() {
        for entry in std::fs::read_dir(common.join(&folder)).into_iter().flatten().flatten().take(10_000) {
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                stack.push(name);
            } else if let Ok(id) = files::read_text(entry.path(), files::SMALL)
                && !id.starts_with("ref:")
            {
                found.insert(name, id.trim().to_owned());
            }
        }
    }
    Some(found)
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "helpers of tests are not seen as tests")]
mod tests {
    use super::*;
    use sprag_base::env::Env;
    use std::fs;
    use std::process::Command;

    struct Repo(tempfile::TempDir);

    impl Repo {
        fn new() -> Self {
            let repo = Self(tempfile::tempdir().unwrap());
            repo.git(&["init", "-q", "-b", "main"]);
            repo.git(&["config", "user.email", "a@b.example"]);
            repo.git(&["config", "user.name", "a"]);
            repo
        }

        fn git(&self, args: &[&str]) {
            let git =
                Command::new("git").args(args).current_dir(self.0.path()).env("HOME", self.0.path()).output();
            let output = git.unwrap();
            assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.0.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        /// Commits everything, as if long ago: what is written next is later.
        fn commit(&self) {
            self.git(&["add", "-A"]);
            self.git(&["commit", "-qm", "c"]);
        }

        fn project(&self) -> Project {
            let env = Env::Fixed(std::collections::BTreeMap::new());
            Project::find(self.0.path().to_str().unwrap(), &env, Path::new("/nowhere"))
        }

        fn uncommitted(&self, only: &[&str]) -> LostFiles {
            let only: Vec<PathBuf> = only.iter().map(PathBuf::from).collect();
            uncommitted(&self.project(), &only, &mut budget()).unwrap()
        }
    }

    fn budget() -> Budget {
        Budget::new(Duration::from_secs(60), 10_000)
    }

    #[test]
    fn changed_deleted_and_staged_files_count_in_every_version_of_the_index() {
        for version in ["2", "4"] {
            let repo = Repo::new();
            for name in ["a.txt", "src/b.txt", "src/deep/c.txt", "src/deep/d.txt", "z"] {
                repo.write(name, "one");
            }
            repo.commit();
            repo.git(&["update-index", "--index-version", version]);
            assert_eq!(repo.uncommitted(&[]).count, 0, "version {version}");
            repo.write("src/b.txt", "one and two");
            fs::remove_file(repo.0.path().join("z")).unwrap();
            let lost = repo.uncommitted(&[]);
            assert_eq!(
                (lost.count, lost.names, lost.complete),
                (2, vec!["src/b.txt".into(), "z".into()], true)
            );
            assert_eq!(repo.uncommitted(&["src"]).count, 1);
            repo.write("src/deep/new.txt", "new");
            assert_eq!(repo.uncommitted(&[]).count, 2, "git does not know it");
            repo.git(&["add", "src/deep/new.txt"]);
            assert_eq!(repo.uncommitted(&["src/deep/new.txt"]).count, 1, "it is staged");
        }
    }

    #[test]
    fn what_git_ignores_is_untracked_only_when_asked_for() {
        let repo = Repo::new();
        repo.write(".gitignore", "out/\n*.log\n!keep.log\n");
        repo.write("a.txt", "one");
        repo.commit();
        for name in ["new.txt", "out/big.bin", "x.log", "keep.log", "fresh/one.txt", "fresh/two.txt"] {
            repo.write(name, "12345");
        }
        let count = |only: &[PathBuf], which: Which, folders: bool| {
            untracked(&repo.project(), only, which, folders, &mut budget()).unwrap().count
        };
        use Which::{All, Ignored, Plain};
        assert_eq!((count(&[], Plain, false), count(&[], Plain, true), count(&[], All, true)), (2, 4, 6));
        let only = untracked(&repo.project(), &[], Ignored, true, &mut budget()).unwrap();
        assert_eq!(only.count, 2, "`git clean -X` keeps what is not ignored: {:?}", only.names);
        assert_eq!(count(&[PathBuf::from("fresh/one.txt")], Plain, true), 1);
        repo.write("a/b/c/tracked.txt", "one");
        repo.git(&["add", "a"]);
        repo.write("a/loose.txt", "one");
        assert_eq!(
            count(&[PathBuf::from("a")], Plain, false),
            1,
            "a folder above a tracked one is looked into"
        );
        let few = untracked(&repo.project(), &[], All, true, &mut Budget::new(Duration::from_secs(60), 3));
        assert!(few.is_some_and(|lost| !lost.complete && lost.count <= 3));
        let whole = tree(&repo.0.path().join("fresh"), &mut budget()).unwrap();
        assert_eq!((whole.count, whole.bytes, whole.complete), (2, 10, true));
    }

    #[test]
    fn a_file_is_as_in_the_index_only_when_that_is_certain() {
        let repo = Repo::new();
        for name in ["a.txt", "src/b.txt", "src/c.txt"] {
            repo.write(name, "one");
        }
        let certain = |only: &[&str]| {
            let only: Vec<PathBuf> = only.iter().map(PathBuf::from).collect();
            is_as_in_index(&repo.project(), &only, &mut budget())
        };
        assert!(!certain(&[]), "there is no index");
        repo.commit();
        // The index is written again later than the files: before, they look changed in the same tick.
        let old = std::time::SystemTime::now() - Duration::from_secs(100);
        for name in ["a.txt", "src/b.txt", "src/c.txt"] {
            fs::File::options()
                .write(true)
                .open(repo.0.path().join(name))
                .unwrap()
                .set_modified(old)
                .unwrap();
        }
        repo.git(&["update-index", "--refresh"]);
        assert!(certain(&[]));
        repo.write("src/b.txt", "two");
        assert!(!certain(&[]) && !certain(&["src"]) && certain(&["a.txt"]) && certain(&["src/c.txt"]));
        fs::remove_file(repo.0.path().join("src/b.txt")).unwrap();
        assert!(certain(&[]), "a file that is not there has nothing to lose");
        repo.git(&["update-index", "--assume-unchanged", "a.txt"]);
        assert!(!certain(&[]), "git was told not to look");
        let budget = &mut Budget::new(Duration::from_secs(60), 2);
        assert!(!is_as_in_index(&repo.project(), &[PathBuf::from("src")], budget), "not all was looked at");
        assert!(has_no_branch(&repo.project(), "fix/old") && !has_no_branch(&repo.project(), "main"));
        repo.git(&["pack-refs", "--all"]);
        assert!(!has_no_branch(&repo.project(), "main"));
    }

    #[test]
    fn commits_that_are_on_no_remote_are_counted_by_the_record_of_the_branch() {
        let repo = Repo::new();
        repo.write("a.txt", "one");
        repo.commit();
        assert_eq!(unpushed(&repo.project(), "main"), Some(Unpushed::NoRemote));
        repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
        assert_eq!(unpushed(&repo.project(), "main"), Some(Unpushed::SameAs("origin/main".into())));
        for text in ["two", "three"] {
            repo.write("a.txt", text);
            repo.commit();
        }
        repo.git(&["commit", "-q", "--amend", "-m", "better"]);
        assert_eq!(unpushed(&repo.project(), "main"), Some(Unpushed::Commits(2, true)));
        repo.git(&["pack-refs", "--all"]);
        assert_eq!(unpushed(&repo.project(), "main"), Some(Unpushed::Commits(2, true)));
        repo.git(&["branch", "side"]);
        assert_eq!(unpushed(&repo.project(), "side"), Some(Unpushed::SameAs("main".into())));
        assert_eq!(unpushed(&repo.project(), "other"), None);
    }

    #[test]
    fn stashes_are_listed_the_latest_first() {
        let repo = Repo::new();
        repo.write("a.txt", "one");
        repo.commit();
        assert_eq!(stashes(&repo.project()), None);
        for name in ["first", "second"] {
            repo.write("a.txt", name);
            repo.git(&["stash", "push", "-qm", name]);
        }
        assert_eq!(stashes(&repo.project()).unwrap(), ["On main: second", "On main: first"]);
    }

    #[test]
    fn a_broken_index_is_none() {
        for bytes in [&b""[..], b"DIRC", b"DIRC\0\0\0\x02\0\0\0\x01", b"nope\0\0\0\x02\0\0\0\0", &[255; 200]]
        {
            assert!(read_index(bytes, |_| true).is_none(), "{bytes:?}");
        }
        let mut long = b"DIRC\0\0\0\x04\0\0\0\x09".to_vec();
        long.extend([255; 300]);
        assert!(read_index(&long, |_| true).is_none());
        assert!(staged_folders(&[b'a', 0, b'-', b'1', b' ', b'9', b'\n', 0]).len() <= 2);
    }
}
