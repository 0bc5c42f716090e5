//! Whether somebody is there to be asked: an agent that is run for one prompt may wait for ever for an answer to `ask`.

use sprag_protocol::agents::spec::Process;

/// True unless the agent above this process was started for one prompt or without a terminal.
#[cfg(target_os = "linux")]
pub fn is_interactive(agent: &Process) -> bool {
    const MOST_ANCESTORS: usize = 16;
    let mut id = std::os::unix::process::parent_id();
    for _ in 0..MOST_ANCESTORS {
        let Ok(line) = sprag_base::files::read(format!("/proc/{id}/cmdline"), 4 << 20) else { break };
        let line = String::from_utf8_lossy(&line).into_owned();
        let words: Vec<&str> = line.split('\0').collect();
        if is_agent(agent, &words) {
            let stdin = std::fs::read_link(format!("/proc/{id}/fd/0")).unwrap_or_default();
            let terminal =
                ["/dev/pts/", "/dev/tty"].iter().any(|dev| stdin.to_string_lossy().starts_with(dev));
            return terminal && !agent.is_for_one_prompt(&words);
        }
        let stat = sprag_base::files::read_text(format!("/proc/{id}/stat"), sprag_base::files::SMALL)
            .unwrap_or_default();
        // The name in brackets may hold anything; the parent is the second field after it.
        let after = stat.rsplit_once(')').map(|(_, after)| after).unwrap_or_default();
        match after.split_whitespace().nth(1).and_then(|parent| parent.parse().ok()) {
            Some(parent) if parent > 1 => id = parent,
            _ => break,
        }
    }
    true
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
    fn one_prompt_is_known_by_its_flag() {
        let for_one_prompt = |words: &[&str]| AgentId::Gemini.spec().process.is_for_one_prompt(words);
        assert!(for_one_prompt(&["gemini", "-p", "hi"]) && for_one_prompt(&["gemini", "--prompt=hi"]));
        assert!(!for_one_prompt(&["gemini", "--prompt-interactive", "hi"]));
        assert!(!for_one_prompt(&["gemini", "-i", "hi"]));
    }
}
