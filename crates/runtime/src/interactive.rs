//! The agent above this process: which process it is, and whether somebody is there to be asked: an agent that is run for one prompt may wait for ever for an answer to `ask`.

#[cfg(target_os = "linux")]
use sprag_base::pid;
use sprag_protocol::agents::spec::Process;

/// Ancestors that are looked at; deeper trees do not happen.
#[cfg(target_os = "linux")]
const MAX_ANCESTORS: usize = 16;
/// What tells a program: it stands at the beginning, and a command line may hold a whole script.
#[cfg(target_os = "linux")]
const BEGINNING: u64 = 4_096;
/// The longest command line of an agent that is read.
#[cfg(target_os = "linux")]
const MAX_COMMAND_LINE: u64 = 4 << 20;

/// The agent's process above this one, and the words it was started with.
#[cfg(target_os = "linux")]
fn above(agent: &Process) -> Option<(u32, Vec<String>)> {
    let mut id = pid::parent_id();
    for _ in 0..MAX_ANCESTORS {
        let beginning = pid::argv(id, BEGINNING)?;
        if is_agent(agent, &beginning.iter().map(String::as_str).collect::<Vec<_>>()) {
            return Some((id, pid::argv(id, MAX_COMMAND_LINE)?));
        }
        id = pid::stat(id).map(|stat| stat.parent).filter(|parent| *parent > 1)?;
    }
    None
}

/// The agent's process, as it can be known again; `None` when it is not among the ancestors.
#[cfg(target_os = "linux")]
pub fn agent_process(agent: &Process) -> Option<sprag_base::pid::Process> {
    above(agent).and_then(|(id, _)| sprag_base::pid::Process::find(id))
}

/// Elsewhere nobody looks.
#[cfg(not(target_os = "linux"))]
pub fn agent_process(_agent: &Process) -> Option<sprag_base::pid::Process> {
    None
}

/// True unless the agent above this process was started for one prompt or without a terminal.
#[cfg(target_os = "linux")]
pub fn is_interactive(agent: &Process) -> bool {
    let Some((id, words)) = above(agent) else { return true };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    has_terminal(id) && !agent.is_for_one_prompt(&words)
}

/// True when the agent above this process has nobody whom it could ask.
#[cfg(target_os = "linux")]
pub fn asks_nobody(agent: &Process) -> bool {
    above(agent).is_some_and(|(id, words)| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        agent.asks_nobody(&words, has_terminal(id))
    })
}

/// Elsewhere nothing says so.
#[cfg(not(target_os = "linux"))]
pub fn asks_nobody(_agent: &Process) -> bool {
    false
}

/// Whether a process reads from a terminal.
#[cfg(target_os = "linux")]
fn has_terminal(id: u32) -> bool {
    let stdin = std::fs::read_link(format!("/proc/{id}/fd/0")).unwrap_or_default();
    ["/dev/pts/", "/dev/tty"].iter().any(|dev| stdin.to_string_lossy().starts_with(dev))
}

/// Elsewhere nothing says otherwise.
#[cfg(not(target_os = "linux"))]
pub fn is_interactive(_agent: &Process) -> bool {
    true
}

/// The program itself, or the script that an interpreter runs.
#[cfg(target_os = "linux")]
fn is_agent(agent: &Process, words: &[&str]) -> bool {
    let named = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        agent.is_program(name.split('.').next().unwrap_or(name))
    };
    let in_package = |word: &str| {
        let inside = |(before, after): (&str, &str)| before.ends_with('/') && after.starts_with('/');
        agent.packages.iter().any(|package| word.split_once(package).is_some_and(inside))
    };
    let script = words.iter().skip(1).find(|word| !word.starts_with('-'));
    words.first().into_iter().chain(script).any(|word| named(word) || in_package(word))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use sprag_protocol::AgentId;

    fn is_agent(words: &[&str]) -> bool {
        super::is_agent(&AgentId::Gemini.spec().process, words)
    }

    #[test]
    fn the_agent_is_known_by_its_program_or_script() {
        assert!(is_agent(&["/usr/bin/gemini", ""]));
        assert!(is_agent(&["node", "--max-old-space-size=4096", "/x/node_modules/.bin/gemini", "-p", "hi"]));
        assert!(is_agent(&["node", "/x/node_modules/@google/gemini-cli/bundle/index.js"]));
        assert!(!is_agent(&["bash", "-c", "sprag hook --agent gemini"]));
        assert!(!is_agent(&["/usr/local/bin/sprag", "hook", "--agent", "gemini"]));
        assert!(!is_agent(&[""]));
    }

    #[test]
    fn nobody_is_asked_by_an_agent_that_runs_one_prompt() {
        let claude = &AgentId::Claude.spec().process;
        assert!(claude.asks_nobody(&["claude", "-p", "fix it"], false));
        assert!(claude.asks_nobody(&["claude", "--print", "fix it"], true));
        assert!(!claude.asks_nobody(&["claude"], true));
        assert!(!claude.asks_nobody(&["claude", "-p", "--permission-prompt-tool", "mcp__a__b"], false));
        assert!(!claude.asks_nobody(&["claude", "-p", "--input-format=stream-json"], false));
        let gemini = &AgentId::Gemini.spec().process;
        assert!(gemini.asks_nobody(&["gemini"], false) && !gemini.asks_nobody(&["gemini"], true));
        assert!(!AgentId::Codex.spec().process.asks_nobody(&["codex", "exec"], false), "it says so itself");
    }

    #[test]
    fn one_prompt_is_known_by_its_flag() {
        let for_one_prompt = |words: &[&str]| AgentId::Gemini.spec().process.is_for_one_prompt(words);
        assert!(for_one_prompt(&["gemini", "-p", "hi"]) && for_one_prompt(&["gemini", "--prompt=hi"]));
        assert!(!for_one_prompt(&["gemini", "--prompt-interactive", "hi"]));
        assert!(!for_one_prompt(&["gemini", "-i", "hi"]));
    }
}
