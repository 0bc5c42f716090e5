//! Self-protection: what loosens the guards is interactive only, and refused inside an agent.
//! An agent shows in the environment, or as a process among the ancestors and in their environment.

use crate::Problem;
use anyhow::bail;
use sprag_base::env::Env;
use sprag_config::host::Host;
use sprag_protocol::agents::AGENTS;
use std::io::IsTerminal as _;

/// Variables of agents that sprag has no dialect for, and of its own making.
const OTHER_VARIABLES: [(&str, &str); 6] = [
    ("CURSOR_AGENT", "Cursor's agent"),
    ("OPENCODE", "OpenCode"),
    ("AUGMENT_AGENT", "Augment"),
    ("AI_AGENT", "an agent"),
    // A user's hook, and a model call of the background worker.
    ("SPRAG_AGENT", "an agent's hook"),
    ("SPRAG_NESTED", "a model call of sprag"),
];

/// Variables that only a program started by an agent has, and the agent.
fn variables() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_agents =
        AGENTS.iter().flat_map(|agent| agent.process.variables.iter().map(|name| (*name, agent.title)));
    of_agents.chain(OTHER_VARIABLES)
}

/// Programs that run a script named by their first argument.
const INTERPRETERS: [&str; 10] =
    ["node", "nodejs", "bun", "deno", "sh", "bash", "dash", "zsh", "python3", "python"];

/// Ancestors that are looked at; deeper trees do not happen.
#[cfg(unix)]
const MOST_ANCESTORS: usize = 64;

/// Refuses inside an agent.
pub fn refuse_inside_agent(host: &Host) -> anyhow::Result<()> {
    match agent_around(&host.env) {
        Some(found) => bail!(Problem::new(
            format!("this command is interactive only, and sprag runs inside an agent: {found}"),
            "run it yourself, in a terminal of your own that no agent started; nothing was changed"
        )),
        None => Ok(()),
    }
}

/// Wants a person: a terminal on both sides, or `--yes` outside any agent.
pub fn require_person(host: &Host, yes: bool) -> anyhow::Result<()> {
    refuse_inside_agent(host)?;
    if !yes && !at_terminal() {
        bail!(Problem::new(
            "this needs a person's yes, and there is no terminal to ask on",
            "add --yes to say it in a script"
        ));
    }
    Ok(())
}

/// True when a person can be asked.
pub fn at_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// The agent whose variable is set; that of a process above does not count.
pub fn agent_variable(env: &Env) -> Option<&'static str> {
    variables().find(|(name, _)| env.get(name).is_some()).map(|(_, agent)| agent)
}

/// What shows that sprag runs inside an agent; `None` when nothing does.
pub fn agent_around(env: &Env) -> Option<String> {
    let by_variable = variables().find(|(name, _)| env.get(name).is_some());
    if let Some((name, agent)) = by_variable {
        return Some(format!("{agent} ({name} is set)"));
    }
    ancestors().iter().find_map(|process| {
        let agent = process.agent().or_else(|| process.variable())?;
        Some(format!("{agent} (process {} above this one)", process.id))
    })
}

/// A process above this one, as far as it can be seen.
#[derive(Debug, Default)]
struct Process {
    id: u32,
    /// Its names: the kernel's short one, and the file that it runs.
    names: Vec<String>,
    /// Its words.
    argv: Vec<String>,
    /// The names of its variables that [`variables`] knows.
    variables: Vec<String>,
}

impl Process {
    /// The agent that this process is.
    fn agent(&self) -> Option<&'static str> {
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
    fn variable(&self) -> Option<&'static str> {
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

/// The processes above this one, nearest first.
#[cfg(target_os = "linux")]
fn ancestors() -> Vec<Process> {
    let mut found = Vec::new();
    let mut id = std::os::unix::process::parent_id();
    while id > 0 && found.len() < MOST_ANCESTORS {
        let file = |name: &str| {
            let path = format!("/proc/{id}/{name}");
            sprag_base::files::read_limited(std::path::Path::new(&path), 4 << 20)
                .ok()
                .flatten()
                .unwrap_or_default()
        };
        let words = |bytes: Vec<u8>| -> Vec<String> {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            text.split('\0').filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        let mut names = vec![String::from_utf8_lossy(&file("comm")).trim().to_owned()];
        if let Ok(exe) = std::fs::read_link(format!("/proc/{id}/exe")) {
            names.push(exe.to_string_lossy().trim_end_matches(" (deleted)").to_owned());
        }
        // Only the names of variables are looked at: an agent's environment holds secrets.
        let variables = words(file("environ"))
            .into_iter()
            .filter_map(|pair| pair.split_once('=').map(|(name, _)| name.to_owned()))
            .filter(|name| variables().any(|(variable, _)| variable == name))
            .collect();
        found.push(Process { id, names, argv: words(file("cmdline")), variables });
        let status = String::from_utf8_lossy(&file("status")).into_owned();
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok());
        id = parent.unwrap_or(0);
    }
    found
}

/// The processes above this one, nearest first, as `ps` lists them.
#[cfg(all(unix, not(target_os = "linux")))]
fn ancestors() -> Vec<Process> {
    let output = std::process::Command::new("/bin/ps").args(["-A", "-o", "pid=,ppid=,args="]).output();
    let Ok(output) = output else { return Vec::new() };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rows: Vec<(u32, u32, Vec<String>)> = text
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (id, parent) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            Some((id, parent, words.map(str::to_owned).collect()))
        })
        .collect();
    let mut found = Vec::new();
    let mut id = std::os::unix::process::parent_id();
    while found.len() < MOST_ANCESTORS {
        let Some((_, parent, argv)) = rows.iter().find(|(known, _, _)| *known == id) else { break };
        found.push(Process { id, argv: argv.clone(), ..Process::default() });
        if *parent == 0 || *parent == id {
            break;
        }
        id = *parent;
    }
    found
}

/// Where processes cannot be looked at, the environment has to do.
#[cfg(not(unix))]
fn ancestors() -> Vec<Process> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(names: &[&str], argv: &[&str]) -> Process {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Process { id: 7, names: owned(names), argv: owned(argv), variables: Vec::new() }
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
    fn every_variable_is_enough_alone_and_an_empty_one_is_none() {
        for (name, agent) in variables() {
            let env = Env::Fixed([(name.to_owned(), "1".to_owned())].into());
            let found = agent_around(&env).unwrap();
            assert!(found.contains(name) && found.contains(agent), "{found}");
        }
        let shell = Process { variables: vec!["CLAUDECODE".into()], ..process(&["sh"], &["sh"]) };
        assert_eq!(shell.variable(), Some("Claude Code"), "`env -u CLAUDECODE` hides nothing");
    }
}
