//! Where a session is replayed: a throw-away home, with the folder in which the session was, or with a project that stands
//! in for it and holds what the transcript says about its files.

use anyhow::Context as _;
use serde_json::{Map, Value};
use sprag_base::env::Env;
use sprag_base::files;
use sprag_base::paths::Paths;
use sprag_base::time::Clock;
use sprag_cases::{each_text, replace_path};
use sprag_config::host::Host;
use sprag_config::spec::HookSpec;
use sprag_protocol::edits::{self, Change};
use sprag_protocol::transcript::{Call, Facts, Record};
use sprag_protocol::{AgentId, Event, ToolKind, decode, dialects};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A throw-away home. Dropping it removes it.
pub(super) struct World {
    root: tempfile::TempDir,
    pub(super) host: Host,
    /// Where the session's events happen.
    pub(super) cwd: PathBuf,
    /// A path of the transcript and what stands for it; `None`: the session's own folder is there.
    mapped: Option<(String, String)>,
}

impl World {
    pub(super) fn new(
        base: &Path,
        hooks: &'static [&'static HookSpec],
        facts: &Facts,
        records: &[Record],
    ) -> std::io::Result<Self> {
        let root = tempfile::Builder::new().prefix(sprag_cases::base::PREFIX).tempdir_in(base)?;
        let home = root.path().canonicalize()?.join("home");
        let recorded = if facts.cwd.is_empty() { common_folder(records) } else { facts.cwd.clone() };
        let (mapped, cwd) = if Path::new(&recorded).is_dir() {
            (None, PathBuf::from(recorded))
        } else {
            let (from, to) = stand_in(&recorded, &home);
            let cwd = PathBuf::from(replace_path(&recorded, &from, &to));
            (Some((from, to)), cwd)
        };
        let text = |path: &Path| path.to_string_lossy().into_owned();
        // No program is found, no worker is started.
        let vars = [
            ("HOME", text(&home)),
            ("PATH", text(&home.join("no-programs"))),
            ("TZ", "UTC".to_owned()),
            ("SPRAG_WORKER", "off".to_owned()),
            ("SPRAG_REPLAY", "1".to_owned()),
        ];
        let env = Env::Fixed(vars.map(|(name, value)| (name.to_owned(), value)).into());
        let paths = Paths::from_env(&env);
        files::make_dir(&home)?;
        let host = Host { env, paths, clock: Clock::System, hooks, exe: None };
        let world = Self { root, host, cwd, mapped };
        if world.is_stand_in() {
            world.furnish(facts, records)?;
        }
        Ok(world)
    }

    pub(super) const fn is_stand_in(&self) -> bool {
        self.mapped.is_some()
    }

    /// The user's configuration in this home.
    pub(super) fn configure(
        &mut self,
        text: &str,
        hooks: Option<&Path>,
        disabled: &str,
    ) -> anyhow::Result<()> {
        files::write_atomic(&self.host.paths.config_file(), text.as_bytes())
            .context("the throw-away home cannot be written")?;
        #[cfg(unix)]
        if let Some(hooks) = hooks {
            std::os::unix::fs::symlink(hooks.canonicalize()?, self.host.paths.hooks_dir())?;
        }
        if let Env::Fixed(map) = &mut self.host.env {
            map.insert("SPRAG_DISABLE".to_owned(), disabled.to_owned());
        }
        Ok(())
    }

    /// Where the agent would keep the session's transcript.
    pub(super) fn transcript(&self, agent: AgentId, session: &str) -> PathBuf {
        let folder = agent.spec().transcript.sample_folder.trim_matches('/');
        let name = sprag_base::id::safe_name(session);
        self.host.paths.home.join(folder).join(format!("{name}.jsonl"))
    }

    /// Every text with the paths of this home.
    pub(super) fn inward(&self, value: &mut Value) {
        if let Some((from, to)) = &self.mapped {
            each_text(value, &|text| replace_path(text, from, to));
        }
    }

    /// A text with the paths of the transcript.
    pub(super) fn outward(&self, text: &str) -> String {
        match &self.mapped {
            Some((from, to)) => replace_path(text, to, from),
            None => text.to_owned(),
        }
    }

    /// The project as it was before the session, as far as the transcript tells: files that were read, and what edits
    /// replaced. What could not be read is not there.
    fn furnish(&self, facts: &Facts, records: &[Record]) -> std::io::Result<()> {
        let branch = if facts.branch.is_empty() { "main" } else { facts.branch.as_str() };
        files::make_dir(&self.cwd.join(".git/objects"))?;
        files::make_dir(&self.cwd.join(".git/refs/heads"))?;
        files::write_plain(&self.cwd.join(".git/HEAD"), format!("ref: refs/heads/{branch}\n").as_bytes())?;
        let mut calls: BTreeMap<&str, &Call> = BTreeMap::new();
        let mut known: BTreeSet<PathBuf> = BTreeSet::new();
        for record in records {
            calls.extend(record.calls.iter().map(|call| (call.id.as_str(), call)));
            for result in &record.results {
                let Some(call) = calls.get(result.id.as_str()) else { continue };
                if call.tool.kind == ToolKind::Read {
                    let path = call.tool.paths.first().and_then(|used| self.place(&used.path));
                    if let Some(path) = path.filter(|path| known.insert(path.clone()) && !result.error) {
                        self.put(&path, &unnumbered(&result.text));
                    }
                    continue;
                }
                for edit in edits::of(&self.event(call)) {
                    let Some(path) = self.place(&edit.path).filter(|path| known.insert(path.clone())) else {
                        continue;
                    };
                    if let Change::Parts(parts) = &edit.change {
                        let old: Vec<&str> = parts.iter().map(|part| part.old.as_ref()).collect();
                        self.put(&path, &format!("{}\n", old.join("\n")));
                    }
                }
            }
        }
        Ok(())
    }

    /// Does to the project what a call did.
    pub(super) fn apply(&self, call: &Call) {
        if !self.is_stand_in() {
            return;
        }
        for edit in edits::of(&self.event(call)) {
            let Some(path) = self.place(&edit.path) else { continue };
            let before = files::read_text(&path, files::STATE).unwrap_or_default();
            match edit.change.text_after(&before) {
                Some(after) => self.put(&path, &after),
                None => drop(files::remove(&path)),
            }
        }
    }

    /// A merge stopped at a conflict.
    pub(super) fn merge_waits(&self) {
        if self.is_stand_in() {
            self.put(&self.cwd.join(".git/MERGE_HEAD"), "");
        }
    }

    /// A call with the paths of this home, as an event.
    fn event(&self, call: &Call) -> Event {
        let mut input = call.input.clone();
        self.inward(&mut input);
        let mut raw = Map::new();
        raw.insert("tool_name".to_owned(), call.tool.name.as_str().into());
        raw.insert("tool_input".to_owned(), input);
        decode::read(raw, dialects::of(AgentId::CANONICAL))
    }

    /// A path of a call, when it lies in this home.
    fn place(&self, path: &str) -> Option<PathBuf> {
        let (from, to) = self.mapped.as_ref()?;
        let path = edits::absolute(&replace_path(path, from, to), &self.cwd);
        path.starts_with(self.root.path().canonicalize().ok()?).then_some(path)
    }

    fn put(&self, path: &Path, text: &str) {
        // A folder in its place, or no space: the hooks see what is there.
        let _ = path.parent().map(files::make_dir);
        let _ = files::write_plain(path, text.as_bytes());
    }
}

/// What is replaced in texts, and by what: the user's home when the folder is in one, or the folder itself.
fn stand_in(cwd: &str, home: &Path) -> (String, String) {
    let parts: Vec<&str> = cwd.trim_end_matches('/').split('/').collect();
    let home = home.to_string_lossy();
    match parts.as_slice() {
        ["", homes @ ("home" | "Users"), user, _, ..] => (format!("/{homes}/{user}"), home.into_owned()),
        [.., name] => (parts.join("/"), format!("{home}/{}", sprag_base::id::safe_name(name))),
        [] => (cwd.to_owned(), home.into_owned()),
    }
}

/// The folder in which all files of the calls lie, for an agent that does not say where it was.
fn common_folder(records: &[Record]) -> String {
    let paths = records.iter().flat_map(|record| &record.calls).flat_map(|call| &call.tool.paths);
    let absolute = paths.map(|used| Path::new(&used.path)).filter(|path| path.is_absolute());
    let mut folders = absolute.filter(|path| !path.starts_with("/tmp")).filter_map(Path::parent);
    let Some(first) = folders.next() else { return "/home/user/project".to_owned() };
    let common = folders.fold(first.to_owned(), |common, folder| {
        common.ancestors().find(|above| folder.starts_with(above)).unwrap_or(folder).to_owned()
    });
    common.to_string_lossy().into_owned()
}

/// A file's text without the line numbers that an agent shows beside it (`   12→text`).
pub(super) fn unnumbered(text: &str) -> String {
    let strip = |line: &'_ str| -> Option<String> {
        let (number, rest) = line.split_once(['→', '\t'])?;
        number.trim().bytes().all(|b| b.is_ascii_digit()).then(|| rest.to_owned())
    };
    let lines: Option<Vec<String>> = text.lines().map(strip).collect();
    lines.map_or_else(|| text.to_owned(), |lines| lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_or_the_folder_itself_is_replaced() {
        let home = Path::new("/x/home");
        assert_eq!(stand_in("/home/ada/shop", home), ("/home/ada".into(), "/x/home".into()));
        assert_eq!(stand_in("/Users/ada/a/b", home), ("/Users/ada".into(), "/x/home".into()));
        assert_eq!(stand_in("/workspace/app/", home), ("/workspace/app".into(), "/x/home/app".into()));
    }

    #[test]
    fn line_numbers_go_and_other_texts_stay() {
        assert_eq!(unnumbered("     1→use a;\n     2→fn b() {}"), "use a;\nfn b() {}\n");
        assert_eq!(unnumbered("1\tx\n2\ty"), "x\ny\n");
        assert_eq!(unnumbered("plain → text\nmore"), "plain → text\nmore");
    }
}
