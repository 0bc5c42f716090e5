//! Where knowledge is kept, which project it belongs to, and whose it is.

use super::text;
use sprag_base::id::short_hash;
use sprag_base::paths::from_home;
use sprag_config::host::Host;
use sprag_config::schema::ProfileSettings;
use sprag_project::Project;
use std::path::{Path, PathBuf};

/// The knowledge folder of this user, and what the configuration says about it.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// The folder.
    pub root: PathBuf,
    /// Where learnings go.
    pub learnings: PathBuf,
    /// What is derived from the folder and may be thrown away, and where each session stands.
    pub state: PathBuf,
    /// This machine's name.
    pub machine: String,
    /// Sessions without a person count too.
    pub headless: bool,
    home: PathBuf,
    rules: Vec<Rule>,
    profiles: Vec<Profile>,
    compass: Option<PathBuf>,
}

#[derive(Clone, Debug)]
struct Rule {
    pattern: String,
    profile: String,
    session_type: String,
}

#[derive(Clone, Debug)]
struct Profile {
    name: String,
    roots: Vec<PathBuf>,
    compass: Option<PathBuf>,
    config_dir: Option<PathBuf>,
}

/// What a session is, by its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Whose: personal, work, …
    pub profile: String,
    /// What kind.
    pub session_type: String,
}

impl Knowledge {
    /// What the user's configuration says. A project has no say in where a user's words go.
    pub fn open(host: &Host) -> Self {
        let sections = sprag_config::cache::sections(host);
        let section = sections.knowledge();
        let home = host.paths.home.clone();
        let root = match section.path {
            "" => host.paths.data.clone(),
            path => from_home(path, &home, &home),
        };
        let rules = section.classify_rules.iter().map(|rule| Rule {
            pattern: rule.pattern.to_lowercase(),
            profile: rule.profile.to_owned(),
            session_type: rule.session_type.to_owned(),
        });
        let document = |path: &str| (!path.is_empty()).then(|| from_home(path, &home, &home));
        let profiles = sections.profiles.iter().map(|(name, settings)| {
            let profile: ProfileSettings<'_> = settings.read();
            Profile {
                name: name.clone(),
                roots: profile.roots.iter().map(|root| from_home(root, &home, &home)).collect(),
                compass: document(profile.compass),
                config_dir: document(profile.config_dir),
            }
        });
        let learnings = match host.env.get("LCT_LEARNINGS_DIR") {
            Some(path) => from_home(&path, &home, &home),
            None => root.join("learnings"),
        };
        Self {
            learnings,
            state: host.paths.state.join("knowledge"),
            machine: host.machine(),
            headless: section.headless,
            rules: rules.filter(|rule| !rule.pattern.is_empty()).collect(),
            profiles: profiles.collect(),
            compass: document(section.compass),
            home,
            root,
        }
    }

    /// The folders that profiles name as the agent's own.
    pub fn config_dirs(&self) -> impl Iterator<Item = &Path> {
        self.profiles.iter().filter_map(|profile| profile.config_dir.as_deref())
    }

    /// The same with learnings in another folder below the root, when the environment names none.
    #[must_use]
    pub fn with_learnings(mut self, subdir: &str) -> Self {
        let plain = Path::new(subdir);
        let inside = plain.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if self.learnings == self.root.join("learnings") && inside && !subdir.is_empty() {
            self.learnings = self.root.join(plain);
        }
        self
    }

    /// Exported sessions.
    pub fn sessions(&self) -> PathBuf {
        self.root.join("sessions")
    }

    /// Memory of all projects.
    pub fn memories(&self) -> PathBuf {
        self.root.join("memory")
    }

    /// Copies of transcripts from before a compaction.
    pub fn backups(&self) -> PathBuf {
        self.root.join("compact-backups")
    }

    /// The memory of a project.
    pub fn memory(&self, project: &Project) -> ProjectMemory {
        let key = project_key(project, &self.machine);
        ProjectMemory { dir: self.memories().join(&key), key, project: project_name(project) }
    }

    /// Whose a session is. Rules first, then the profile whose agent folder holds its transcript, then the one with the
    /// longest root around the folder.
    pub fn class(&self, cwd: &str, transcript: &Path) -> Class {
        let lower = cwd.to_lowercase();
        if let Some(rule) = self.rules.iter().find(|rule| lower.contains(&rule.pattern)) {
            let or_other = |text: &str| if text.is_empty() { "other".to_owned() } else { text.to_owned() };
            return Class { profile: or_other(&rule.profile), session_type: or_other(&rule.session_type) };
        }
        let name = self.profile(Path::new(cwd), transcript).map_or("other", |profile| profile.name.as_str());
        Class { profile: name.to_owned(), session_type: name.to_owned() }
    }

    /// The document that a session is given: its profile's, else the one of all.
    pub fn compass(&self, cwd: &Path, transcript: &Path) -> Option<&Path> {
        let own = self.profile(cwd, transcript).and_then(|profile| profile.compass.as_deref());
        own.or(self.compass.as_deref())
    }

    fn profile(&self, cwd: &Path, transcript: &Path) -> Option<&Profile> {
        let keeps = |profile: &&Profile| {
            profile.config_dir.as_ref().is_some_and(|folder| transcript.starts_with(folder))
        };
        if let Some(profile) = self.profiles.iter().find(keeps) {
            return Some(profile);
        }
        // By whole components: `/x/rep` is not around `/x/repo`.
        let depth = |profile: &Profile| {
            let around = profile.roots.iter().filter(|root| cwd.starts_with(root));
            around.map(|root| root.components().count()).max()
        };
        self.profiles.iter().filter(|profile| depth(profile).is_some()).max_by_key(|profile| depth(profile))
    }

    /// A path as a person would write it.
    pub fn shown(&self, path: &Path) -> String {
        sprag_base::paths::with_tilde(path, &self.home)
    }
}

/// What a project remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectMemory {
    /// Its folder.
    pub dir: PathBuf,
    /// What tells it from others: `host/owner/repo`, or `local/<machine>/<path>`.
    pub key: String,
    /// Its short name.
    pub project: String,
}

impl ProjectMemory {
    /// Choices that were made.
    pub fn decisions(&self) -> PathBuf {
        self.dir.join("decisions.jsonl")
    }

    /// Errors that could have been avoided.
    pub fn failures(&self) -> PathBuf {
        self.dir.join("failures.jsonl")
    }

    /// How sessions went.
    pub fn grades(&self) -> PathBuf {
        self.dir.join("grades.jsonl")
    }

    /// What is open.
    pub fn handoff(&self) -> PathBuf {
        self.dir.join("handoff.md")
    }

    /// What became of handoffs.
    pub fn outcomes(&self) -> PathBuf {
        self.dir.join("outcomes.jsonl")
    }

    /// What mattered before the last compaction.
    pub fn summary(&self) -> PathBuf {
        self.dir.join("pre-compact-summary.md")
    }
}

/// The folder that stands for a repository: worktrees share the one with the git folder.
fn main_root(project: &Project) -> PathBuf {
    let common = project.git_common_dir().and_then(|dir| dir.canonicalize().ok());
    let shared =
        common.filter(|dir| dir.ends_with(".git")).and_then(|dir| dir.parent().map(Path::to_path_buf));
    shared.unwrap_or_else(|| project.root.canonicalize().unwrap_or_else(|_| project.root.clone()))
}

/// What tells a project from others, as a relative path that is safe to use.
pub fn project_key(project: &Project, machine: &str) -> String {
    let parts: Vec<String> = if let Some(key) = project.remote_key() {
        // Hosts take `Acme/Repo` and `acme/repo` for one, and so do many file systems.
        key.to_lowercase().split('/').map(part).collect()
    } else {
        let root = main_root(project);
        let path = root.to_string_lossy().into_owned();
        let below = path.split(['/', '\\']).filter(|part| !part.is_empty()).map(part);
        ["local".to_owned(), part(machine)].into_iter().chain(below).collect()
    };
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}

/// The project's short name.
pub fn project_name(project: &Project) -> String {
    let root = main_root(project);
    root.file_name().map_or_else(|| "root".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// One component of a key as a folder name. Changed ones get a hash, so that two never become one.
fn part(name: &str) -> String {
    let kept: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '~' | '+') { c } else { '_' })
        .take(80)
        .collect();
    let dots = kept.chars().all(|c| c == '.');
    if kept == name && !dots {
        return kept;
    }
    let hash = short_hash(name.as_bytes());
    format!("{}-{}", kept.trim_matches('.'), text::start(&hash, 8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sprag_base::env::Env;
    use std::collections::BTreeMap;
    use std::fs;

    fn project(dir: &Path) -> Project {
        Project::find(dir.to_str().unwrap(), &Env::Fixed(BTreeMap::new()), Path::new("/nobody"))
    }

    fn knowledge(profiles: Vec<Profile>, rules: Vec<Rule>) -> Knowledge {
        Knowledge {
            root: "/k".into(),
            learnings: "/k/learnings".into(),
            state: "/s".into(),
            machine: "m".into(),
            headless: false,
            home: "/home/dev".into(),
            rules,
            profiles,
            compass: None,
        }
    }

    #[test]
    fn clones_and_worktrees_of_one_remote_share_a_memory() {
        let dir = tempfile::tempdir().unwrap();
        let (main, tree, clone) =
            (dir.path().join("main"), dir.path().join("tree"), dir.path().join("clone"));
        let own = main.join(".git/worktrees/tree");
        for folder in [&own, &tree, &clone.join(".git")] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        let keys = || [&main, &tree, &clone].map(|dir| project_key(&project(dir), "host"));
        let [a, b, c] = keys();
        assert_eq!(a, b, "a worktree without a remote");
        assert!(a.starts_with("local/host/") && a.ends_with("/main"), "{a}");
        assert_ne!(a, c);
        assert_eq!(project_name(&project(&tree)), "main");
        fs::write(main.join(".git/config"), "[remote \"origin\"]\n url = git@Git.example:Dev/Shop.git\n")
            .unwrap();
        fs::write(clone.join(".git/config"), "[remote \"origin\"]\n url = https://git.example/dev/shop\n")
            .unwrap();
        assert_eq!(keys(), ["git.example/dev/shop"; 3].map(str::to_owned));
    }

    /// Fault B6 of the reference: the identity of a submodule depended on where the process stood.
    #[test]
    fn a_submodule_is_a_project_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let sub = dir.path().join("super/lib");
        let modules = dir.path().join("super/.git/modules/lib");
        fs::create_dir_all(&sub).unwrap();
        fs::create_dir_all(&modules).unwrap();
        fs::write(sub.join(".git"), "gitdir: ../.git/modules/lib\n").unwrap();
        let key = project_key(&project(&sub), "host");
        assert!(key.ends_with("/super/lib"), "{key}");
        fs::write(modules.join("config"), "[remote \"origin\"]\n url = https://h.example/o/lib.git\n")
            .unwrap();
        assert_eq!(project_key(&project(&sub), "host"), "h.example/o/lib");
    }

    /// Fault B3 of the reference: profile roots were compared as text.
    #[test]
    fn a_profile_root_is_compared_by_components() {
        let profile = |name: &str, root: &str| Profile {
            name: name.into(),
            roots: vec![root.into()],
            compass: Some(format!("{root}/COMPASS.md").into()),
            config_dir: Some(format!("/home/dev/.agent-{name}").into()),
        };
        let none = Path::new("");
        let k = knowledge(vec![profile("work", "/x/rep"), profile("deep", "/x/rep/sub")], Vec::new());
        assert_eq!(k.class("/x/repo", none).profile, "other");
        assert_eq!(k.class("/x/rep/a", none).profile, "work");
        assert_eq!(k.class("/x/rep/sub/a", none).profile, "deep");
        assert_eq!(k.compass(Path::new("/x/repo"), none), None);
        // The folder of the agent says whose it is, wherever the session works.
        let transcript = Path::new("/home/dev/.agent-work/projects/x/s.jsonl");
        assert_eq!(k.class("/x/rep/sub/a", transcript).profile, "work");
        assert_eq!(k.compass(Path::new("/y"), transcript), Some(Path::new("/x/rep/COMPASS.md")));
        let all = Knowledge { compass: Some("/all.md".into()), ..k };
        assert_eq!(all.compass(Path::new("/x/repo"), none), Some(Path::new("/all.md")));
        assert_eq!(all.compass(Path::new("/x/rep/a"), none), Some(Path::new("/x/rep/COMPASS.md")));
        let rule = Rule { pattern: "vault".into(), profile: "personal".into(), session_type: "notes".into() };
        let k = knowledge(vec![profile("work", "/x")], vec![rule]);
        assert_eq!(k.class("/x/My-Vault", none).session_type, "notes");
        assert_eq!(k.class("/x/other", none).session_type, "work");
    }

    proptest! {
        #[test]
        fn a_key_never_leaves_its_folder(name in "\\PC{0,100}") {
            let part = part(&name);
            prop_assert!(!part.contains(['/', '\\', '\0']) && part != ".." && part != ".");
        }
    }
}
