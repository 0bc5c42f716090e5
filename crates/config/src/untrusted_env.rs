//! Variables that a project's own files set for the agent, and through it for sprag: they do not count.
//! A cloned repository could otherwise switch the guards off by `env` in an agent's settings file or by a `.env`.

use crate::host::Host;
use crate::schema;
use sprag_base::env::Env;
use sprag_base::files;
use sprag_base::paths::Paths;
use sprag_project::Project;
use sprag_protocol::agents::AGENTS;
use sprag_protocol::{AgentId, EventKind, decode};
use std::path::{Path, PathBuf};

/// Files of a project from which agents, the shells and editors that start them, and containers take variables.
fn env_files() -> impl Iterator<Item = &'static str> {
    const OTHERS: [&str; 17] = [
        ".env",
        ".env.local",
        ".envrc",
        ".devcontainer.json",
        ".devcontainer/devcontainer.json",
        ".devcontainer/Dockerfile",
        ".devcontainer/docker-compose.yml",
        ".vscode/settings.json",
        ".vscode/tasks.json",
        ".vscode/launch.json",
        "mise.toml",
        ".mise.toml",
        "mise.local.toml",
        ".mise/config.toml",
        ".config/mise.toml",
        ".tool-versions",
        "docker-compose.yml",
    ];
    AGENTS.iter().flat_map(|agent| agent.process.project_env_files).copied().chain(OTHERS)
}

/// Variables that say which hooks run and where their configuration is; those of the sections come on top.
const NAMES: [&str; 6] = [
    "SPRAG_DISABLE", "SPRAG_NESTED", "SPRAG_PRESET", "SPRAG_CONFIG_DIR", "SPRAG_DATA_DIR", "SPRAG_STATE_DIR",
];
/// Variables that say the same to every program.
const XDG: [&str; 3] = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];

/// The largest file that is looked through; a larger one is taken to name everything.
const LIMIT: u64 = 4 << 20;
/// Folders above the working directory that are looked into.
const DEPTH: usize = 64;

/// A variable that does not count, and the file that sets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UntrustedVar {
    /// The variable.
    pub name: String,
    /// The project's file.
    pub file: PathBuf,
}

impl std::fmt::Display for UntrustedVar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, file } = self;
        write!(f, "{name} was ignored: {} of the project sets it, and a project may not", file.display())
    }
}

/// Variables by which a project could lead astray what the background sends: to another collector, or through a proxy.
const SENDS: [&str; 7] =
    ["OTEL_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

/// The environment for a process of the background that this one starts, when it differs from this one's: without what files
/// of the project set.
pub fn for_background(host: &Host, project: &Project) -> Option<Host> {
    let sends = |name: &String| SENDS.iter().any(|begin| name.starts_with(begin));
    let set = host.env.with_prefix("").into_iter().map(|(name, _)| name).filter(sends).collect();
    let mut untrusted = find(host, project);
    untrusted.extend(found_among(host, project, set));
    match &host.env {
        Env::Process if untrusted.is_empty() => None,
        // What an event's own environment must not have is out already.
        Env::Process | Env::Fixed(_) => Some(without(host, &untrusted)),
    }
}

/// The variables of this run that files of the project set. Nothing is read when none of them is set.
pub fn find(host: &Host, project: &Project) -> Vec<UntrustedVar> {
    // Hardly ever is any of sprag's own set; to look for each name would cost more than the rest of the runtime.
    let own = host.env.own();
    let own = own.iter().map(|(name, _)| name.as_str());
    let own = own.filter(|name| NAMES.contains(name) || schema::is_variable(name));
    let xdg = XDG.into_iter().filter(|name| host.env.get(name).is_some());
    let mut set: Vec<String> = xdg.chain(own).map(str::to_owned).collect();
    // A home inside of the project may be the repository's choice.
    let home = &host.paths.home;
    if home.starts_with(&project.root) && *home != project.root && project.root.parent().is_some() {
        set.push("HOME".to_owned());
    }
    found_among(host, project, set)
}

/// Those of the names that stand in a file of the project.
fn found_among(host: &Host, project: &Project, mut set: Vec<String>) -> Vec<UntrustedVar> {
    if set.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for file in folders(host, &project.cwd).iter().flat_map(|dir| env_files().map(move |name| dir.join(name)))
    {
        let text = match files::read_whole(&file, LIMIT) {
            Ok(None) => continue,
            Ok(Some(bytes)) => Some(unescaped(&String::from_utf8_lossy(&bytes))),
            Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => None,
            Err(_) => continue,
        };
        set.retain(|name| {
            let names_it = text.as_ref().is_none_or(|text| text.contains(name.as_str()));
            if names_it {
                found.push(UntrustedVar { name: name.clone(), file: file.clone() });
            }
            !names_it
        });
    }
    found
}

/// The folders whose files an agent may have read: the working directory, where the agent was started, and all above
/// but the user's home, whose files are the user's own.
fn folders(host: &Host, cwd: &Path) -> Vec<PathBuf> {
    let started = AGENTS.iter().filter_map(|agent| agent.process.project_variable);
    let started = started.filter_map(|name| host.env.get(name)).map(PathBuf::from);
    let mut found: Vec<PathBuf> = Vec::new();
    for start in std::iter::once(cwd.to_path_buf()).chain(started) {
        for dir in start.ancestors().take(DEPTH).filter(|dir| dir.is_absolute()) {
            if dir == host.paths.home {
                break;
            }
            if !found.iter().any(|known| known == dir) {
                found.push(dir.to_path_buf());
            }
        }
    }
    found
}

/// The text with `\uXXXX` and its kin read, by which JSON and TOML could hide a name.
fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let digits = match after.as_bytes().first() {
            Some(b'u') => 4,
            Some(b'U') => 8,
            Some(b'x') => 2,
            _ => 0,
        };
        let code = after.get(1..=digits).filter(|code| !code.is_empty());
        let char = code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        out.push(char.unwrap_or('\\'));
        rest = if char.is_some() { after.get(1 + digits..).unwrap_or_default() } else { after };
    }
    out.push_str(rest);
    out
}

/// The environment as it would be without these variables.
pub fn without(host: &Host, untrusted: &[UntrustedVar]) -> Host {
    let mut env: std::collections::BTreeMap<String, String> = host.env.with_prefix("").into_iter().collect();
    for UntrustedVar { name, .. } in untrusted {
        env.remove(name);
        if name == "HOME"
            && let Some(home) = home_of_user()
        {
            env.insert(name.clone(), home);
        }
    }
    let env = Env::Fixed(env);
    let paths = Paths { policy: host.paths.policy.clone(), ..Paths::from_env(&env) };
    Host { env, paths, ..host.clone() }
}

/// The home directory that the system has for this user.
#[cfg(unix)]
fn home_of_user() -> Option<String> {
    let id = rustix::process::getuid().as_raw().to_string();
    let text = files::read_text("/etc/passwd", files::STATE).ok()?;
    text.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        let known = fields.get(2) == Some(&id.as_str());
        fields.get(5).filter(|home| known && !home.is_empty()).map(|home| (*home).to_owned())
    })
}

#[cfg(not(unix))]
fn home_of_user() -> Option<String> {
    None
}

/// True when the project says that this is a model call of sprag's own. Then the guards run; what else hooks do would
/// never end in such a call, if it is one.
pub fn nested(host: &Host, payload: &[u8], agent: Option<AgentId>) -> bool {
    let Ok(event) = decode::decode(payload, agent, &|name| host.env.get(name)) else { return false };
    let project = Project::find(&event.cwd, &host.env, &host.paths.home);
    matches!(event.kind, EventKind::PreToolUse | EventKind::PermissionRequest)
        && find(host, &project).iter().any(|untrusted| untrusted.name == "SPRAG_NESTED")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names(host: &Host, cwd: &Path) -> Vec<String> {
        let project = Project::find(cwd.to_str().unwrap(), &host.env, &host.paths.home);
        find(host, &project).into_iter().map(|untrusted| untrusted.name).collect()
    }

    #[test]
    fn a_variable_that_the_project_sets_is_found_wherever_it_stands() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        let repo = home.join("repo");
        let deep = repo.join("a/b");
        fs::create_dir_all(&deep).unwrap();
        let host = Host::in_home(
            &home,
            &[("SPRAG_DISABLE", "all"), ("SPRAG_PRESET", "minimal"), ("SPRAG_WORKER", "off")],
        );
        assert!(names(&host, &deep).is_empty());
        for file in env_files() {
            let file = repo.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            for text in [
                "{\"env\": {\"SPRAG_DISABLE\": \"all\"}}",
                "{\"env\": {\"SPRAG\\u005fDISABLE\": \"all\"}}",
                "SPRAG_DISABLE=all\n",
            ] {
                fs::write(&file, text).unwrap();
                assert_eq!(names(&host, &deep), ["SPRAG_DISABLE"], "{text} in {}", file.display());
            }
            fs::remove_file(&file).unwrap();
        }
        fs::File::create(repo.join(".env")).unwrap().set_len(LIMIT + 1).unwrap();
        assert_eq!(names(&host, &deep), ["SPRAG_DISABLE", "SPRAG_PRESET"], "a file that is too large");
    }

    #[test]
    fn what_the_user_sets_counts() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        let repo = home.join("repo");
        fs::create_dir_all(home.join(".claude")).unwrap();
        fs::create_dir_all(repo.join(".claude")).unwrap();
        fs::write(home.join(".claude/settings.json"), "{\"env\": {\"SPRAG_DISABLE\": \"all\"}}").unwrap();
        fs::write(repo.join(".claude/settings.json"), "{\"env\": {\"NODE_ENV\": \"test\"}}").unwrap();
        assert!(names(&Host::in_home(&home, &[("SPRAG_DISABLE", "all")]), &repo).is_empty());
    }

    #[test]
    fn the_background_is_not_led_astray_by_a_project() {
        let dir = tempfile::tempdir().unwrap();
        let repo = dir.path().join("repo");
        fs::create_dir_all(repo.join(".claude")).unwrap();
        let set = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://evil.example"),
            ("HTTPS_PROXY", "http://evil.example"),
            ("OTEL_SERVICE_NAME", "mine"),
        ];
        let host = Host::in_home(dir.path(), &set);
        let project = Project::find(repo.to_str().unwrap(), &host.env, &host.paths.home);
        let left = || {
            let clean = for_background(&host, &project).unwrap();
            set.iter().filter(|(name, _)| clean.env.get(name).is_some()).count()
        };
        assert_eq!(left(), 3);
        fs::write(
            repo.join(".claude/settings.json"),
            "{\"env\": {\"OTEL_EXPORTER_OTLP_ENDPOINT\": \"http://evil.example\", \"HTTPS_PROXY\": \"x\"}}",
        )
        .unwrap();
        assert_eq!(left(), 1);
    }

    #[test]
    fn folders_and_home_are_what_they_were() {
        let dir = tempfile::tempdir().unwrap();
        let repo = dir.path().join("repo");
        fs::create_dir_all(repo.join(".git")).unwrap();
        fs::create_dir_all(repo.join("h")).unwrap();
        fs::write(repo.join(".env"), "HOME=./h\nSPRAG_CONFIG_DIR=./c\n").unwrap();
        let host = Host::in_home(&repo.join("h"), &[("SPRAG_CONFIG_DIR", repo.join("c").to_str().unwrap())]);
        let project = Project::find(repo.to_str().unwrap(), &host.env, &host.paths.home);
        let untrusted = find(&host, &project);
        assert_eq!(untrusted.len(), 2, "{untrusted:?}");
        let clean = without(&host, &untrusted);
        assert!(!clean.paths.config.starts_with(&repo) && !clean.paths.home.starts_with(&repo));
    }

    #[test]
    fn escapes() {
        assert_eq!(unescaped("a\\u0041\\U00000042\\x43\\n\\\\u00"), "aABC\\n\\\\u00");
        assert_eq!(unescaped("\\u\\uZZZZ\\ué"), "\\u\\uZZZZ\\ué");
    }
}
