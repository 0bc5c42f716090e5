//! The processes around this one: which of them are agents, which terminal each has.

use crate::person::variables;
#[cfg(target_os = "linux")]
use sprag_base::env::Env;
#[cfg(target_os = "linux")]
use sprag_base::files;
#[cfg(target_os = "linux")]
use sprag_base::paths::Paths;
#[cfg(target_os = "linux")]
use sprag_base::pid;
use sprag_protocol::agents::AGENTS;
use std::path::Path;

/// Programs that run a script named by their first argument.
const INTERPRETERS: [&str; 10] =
    ["node", "nodejs", "bun", "deno", "sh", "bash", "dash", "zsh", "python3", "python"];

/// Ancestors that are looked at; deeper trees do not happen.
#[cfg(unix)]
const MAX_ANCESTORS: usize = 64;

/// A process, as far as it can be seen.
#[derive(Debug, Default)]
pub(crate) struct Process {
    pub(crate) id: u32,
    /// Its names: the kernel's short one, and the file that it runs.
    names: Vec<String>,
    /// Its words.
    argv: Vec<String>,
    /// The names of its variables that [`variables`] knows.
    variables: Vec<String>,
    /// Its controlling terminal; empty when it has none.
    terminal: String,
}

impl Process {
    /// The agent that this process is.
    pub(crate) fn agent(&self) -> Option<&'static str> {
        let first = self.argv.first();
        let by_name = self.names.iter().chain(first).find_map(|name| program(name));
        by_name.or_else(|| {
            let interpreter = self
                .names
                .iter()
                .chain(first)
                .any(|name| INTERPRETERS.contains(&stem(name).trim_start_matches('-')));
            let script = script(&self.argv).filter(|_| interpreter)?;
            program(script).or_else(|| {
                let path = script.replace('\\', "/");
                AGENTS.iter().find(|agent| agent.process.is_package(&path)).map(|agent| agent.title)
            })
        })
    }

    /// The agent that started this process, by what it was given.
    pub(crate) fn variable(&self) -> Option<&'static str> {
        let known = |name: &String| variables().find(|(variable, _)| variable == name);
        self.variables.iter().find_map(known).map(|(_, agent)| agent)
    }
}

/// The script that an interpreter was started with; text after `-c` or `-e` is none.
fn script(argv: &[String]) -> Option<&String> {
    for word in argv.iter().skip(1) {
        if !word.starts_with('-') {
            return Some(word);
        }
        let inline = !word.starts_with("--") && word.ends_with(['c', 'e', 'p', 'm']) || word == "--eval";
        if inline {
            return None;
        }
    }
    None
}

/// The last part of a path without its extension.
fn stem(path: &str) -> &str {
    let base = path.rsplit(['/', '\\']).next().unwrap_or(path);
    match base.rsplit_once('.') {
        Some((stem, "exe" | "js" | "mjs" | "cjs" | "sh" | "cmd" | "py")) => stem,
        _ => base,
    }
}

/// The agent that a path names.
fn program(path: &str) -> Option<&'static str> {
    // A login shell's first word starts with a dash.
    let name = stem(path).trim_start_matches('-');
    AGENTS.iter().find(|agent| agent.process.is_program(name)).map(|agent| agent.title)
}

/// The process with this number, and the number of its parent.
#[cfg(target_os = "linux")]
fn look(id: u32) -> (Process, u32) {
    let file = |name: &str| {
        let path = format!("/proc/{id}/{name}");
        files::read_limited(Path::new(&path), 4 << 20).ok().flatten().unwrap_or_default()
    };
    let mut names = vec![String::from_utf8_lossy(&file("comm")).trim().to_owned()];
    if let Ok(exe) = std::fs::read_link(format!("/proc/{id}/exe")) {
        names.push(exe.to_string_lossy().trim_end_matches(" (deleted)").to_owned());
    }
    // Only the names of variables are looked at: an agent's environment holds secrets.
    let variables = words(&file("environ"))
        .into_iter()
        .filter_map(|pair| pair.split_once('=').map(|(name, _)| name.to_owned()))
        .filter(|name| variables().any(|(variable, _)| variable == name))
        .collect();
    let (parent, terminal) = parent_and_terminal(id);
    let argv = pid::argv(id, 4 << 20).unwrap_or_default();
    let argv = argv.into_iter().filter(|word| !word.is_empty()).collect();
    (Process { id, names, argv, variables, terminal }, parent)
}

#[cfg(target_os = "linux")]
fn words(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.split('\0').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The parent of a process, and its controlling terminal.
#[cfg(target_os = "linux")]
fn parent_and_terminal(id: u32) -> (u32, String) {
    let Some(stat) = pid::stat(id) else { return (0, String::new()) };
    (stat.parent, if stat.terminal == 0 { String::new() } else { stat.terminal.to_string() })
}

/// The processes above this one, nearest first.
#[cfg(target_os = "linux")]
pub(crate) fn ancestors() -> Vec<Process> {
    let mut found = Vec::new();
    let mut id = std::os::unix::process::parent_id();
    while id > 0 && found.len() < MAX_ANCESTORS {
        let (process, parent) = look(id);
        found.push(process);
        id = parent;
    }
    found
}

/// Every process of this user but this one.
#[cfg(target_os = "linux")]
pub(crate) fn all() -> Vec<Process> {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let own = std::fs::metadata("/proc/self").map(|meta| meta.uid()).ok();
    let of_user = entries.flatten().filter(|entry| entry.metadata().map(|meta| meta.uid()).ok() == own);
    let ids = of_user.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| *id != std::process::id()).map(|id| look(id).0).collect()
}

/// True when this process would use this folder for sprag's state, or may: its environment cannot be seen.
#[cfg(target_os = "linux")]
pub(crate) fn uses_state(process: &Process, state: &Path) -> bool {
    let file = |name: &str| {
        let path = format!("/proc/{}/{name}", process.id);
        files::read_limited(Path::new(&path), 4 << 20).ok().flatten().unwrap_or_default()
    };
    let environ = file("environ");
    if environ.is_empty() {
        // One that has ended, and only waits to be counted, has no words either.
        return !file("cmdline").is_empty();
    }
    let variables = words(&environ).into_iter().filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        let places = matches!(name, "HOME" | "XDG_STATE_HOME" | "SPRAG_STATE_DIR");
        places.then(|| (name.to_owned(), value.to_owned()))
    });
    is_same(&Paths::from_env(&Env::Fixed(variables.collect())).state, state)
}

/// The same folder, whatever it is called.
#[cfg(target_os = "linux")]
fn is_same(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

#[cfg(target_os = "linux")]
fn own_terminal() -> String {
    parent_and_terminal(std::process::id()).1
}

/// The processes of this machine, as `ps` lists them, each with its parent.
#[cfg(all(unix, not(target_os = "linux")))]
fn listed() -> Vec<(Process, u32)> {
    let output = std::process::Command::new("/bin/ps").args(["-A", "-o", "pid=,ppid=,tty=,args="]).output();
    let Ok(output) = output else { return Vec::new() };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let (id, parent) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let terminal = words.next().filter(|name| !name.starts_with('?')).unwrap_or_default().to_owned();
        Some((
            Process { id, argv: words.map(str::to_owned).collect(), terminal, ..Process::default() },
            parent,
        ))
    };
    text.lines().filter_map(row).collect()
}

/// The processes above this one, nearest first.
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) fn ancestors() -> Vec<Process> {
    let mut rows = listed();
    let mut found = Vec::new();
    let mut id = std::os::unix::process::parent_id();
    while found.len() < MAX_ANCESTORS {
        let Some(at) = rows.iter().position(|(process, _)| process.id == id) else { break };
        let (process, parent) = rows.swap_remove(at);
        found.push(process);
        id = parent;
    }
    found
}

/// Every process but this one.
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) fn all() -> Vec<Process> {
    let own = std::process::id();
    listed().into_iter().map(|(process, _)| process).filter(|process| process.id != own).collect()
}

/// Where environments cannot be seen, every agent may be this user's.
#[cfg(not(target_os = "linux"))]
pub(crate) fn uses_state(_process: &Process, _state: &Path) -> bool {
    true
}

#[cfg(all(unix, not(target_os = "linux")))]
fn own_terminal() -> String {
    let own = std::process::id();
    listed()
        .into_iter()
        .find(|(process, _)| process.id == own)
        .map(|(process, _)| process.terminal)
        .unwrap_or_default()
}

/// Where processes cannot be looked at, the environment has to do.
#[cfg(not(unix))]
pub(crate) fn ancestors() -> Vec<Process> {
    Vec::new()
}

#[cfg(not(unix))]
pub(crate) fn all() -> Vec<Process> {
    Vec::new()
}

#[cfg(not(unix))]
fn own_terminal() -> String {
    "console".to_owned()
}

/// True when this process has a controlling terminal: one that it was only handed as a file is another's.
pub(crate) fn has_terminal() -> bool {
    !own_terminal().is_empty()
}

/// An agent that runs on the same terminal.
pub(crate) fn agent_on_terminal() -> Option<String> {
    let terminal = own_terminal();
    if terminal.is_empty() {
        return None;
    }
    all().iter().filter(|process| process.terminal == terminal).find_map(|process| {
        let agent = process.agent()?;
        Some(format!("{agent} (process {})", process.id))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(names: &[&str], argv: &[&str]) -> Process {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Process { id: 7, names: owned(names), argv: owned(argv), ..Process::default() }
    }

    #[test]
    fn agents_are_known_by_program_script_and_package() {
        for (names, argv, agent) in [
            (&["claude", "/home/u/.local/share/claude/versions/2.1.325"][..], &["claude"][..], "Claude Code"),
            (
                &["MainThread", "/usr/bin/node"],
                &["node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"],
                "Claude Code",
            ),
            (&["node"], &["/usr/bin/node", "--no-warnings", "/usr/local/bin/gemini"], "Gemini CLI"),
            (&["node"], &["node", "/n/@google/gemini-cli/dist/index.js"], "Gemini CLI"),
            (&["codex"], &["codex", "exec"], "Codex"),
            (&["codex-x86_64-un"], &["/n/vendor/codex-x86_64-unknown-linux-musl"], "Codex"),
            (&["sh"], &["/bin/sh", "/opt/claude"], "Claude Code"),
            (&[], &["C:\\tools\\claude.exe"], "Claude Code"),
            (&["bun"], &["bun", "/n/@qwen-code/qwen-code/cli.js"], "Qwen Code"),
        ] {
            assert_eq!(process(names, argv).agent(), Some(agent), "{names:?} {argv:?}");
        }
    }

    #[test]
    fn a_person_at_work_on_an_agents_files_is_no_agent() {
        for (names, argv) in [
            (&["bash", "/usr/bin/bash"][..], &["-bash"][..]),
            (&["vim"], &["vim", "/home/u/claude"]),
            (&["bash"], &["bash", "-lc", "cat /usr/bin/claude"]),
            (&["sshd"], &["sshd: claude@pts/0"]),
            (&["node"], &["node", "/srv/claude-dashboard/server.js"]),
            (&["tmux: server"], &["tmux", "new", "-s", "codex"]),
        ] {
            assert_eq!(process(names, argv).agent(), None, "{names:?} {argv:?}");
        }
    }

    #[test]
    fn a_variable_of_an_agent_above_is_seen() {
        let shell = Process { variables: vec!["CLAUDECODE".into()], ..process(&["sh"], &["sh"]) };
        assert_eq!(shell.variable(), Some("Claude Code"), "`env -u CLAUDECODE` hides nothing");
    }
}
