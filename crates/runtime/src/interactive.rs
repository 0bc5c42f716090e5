//! Whether somebody is there to be asked: Gemini CLI, run for one prompt, waits for ever for an answer to `ask`.

/// The names of an agent's program or script, without folder and extension.
const AGENTS: [&str; 1] = ["gemini"];

/// True unless the agent above this process was started for one prompt or without a terminal.
#[cfg(target_os = "linux")]
pub fn is_interactive() -> bool {
    const MOST_ANCESTORS: usize = 16;
    let mut id = std::os::unix::process::parent_id();
    for _ in 0..MOST_ANCESTORS {
        let Ok(line) = sprag_base::files::read(format!("/proc/{id}/cmdline"), 4 << 20) else { break };
        let line = String::from_utf8_lossy(&line).into_owned();
        let words: Vec<&str> = line.split('\0').collect();
        if is_agent(&words) {
            let stdin = std::fs::read_link(format!("/proc/{id}/fd/0")).unwrap_or_default();
            let terminal =
                ["/dev/pts/", "/dev/tty"].iter().any(|dev| stdin.to_string_lossy().starts_with(dev));
            return terminal && !for_one_prompt(&words);
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
pub fn is_interactive() -> bool {
    true
}

/// The program itself, or the script that an interpreter runs.
#[cfg(target_os = "linux")]
fn is_agent(words: &[&str]) -> bool {
    let stem = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        name.split('.').next().unwrap_or(name).to_owned()
    };
    let script = words.iter().skip(1).find(|word| !word.starts_with('-'));
    words
        .first()
        .into_iter()
        .chain(script)
        .any(|word| AGENTS.contains(&stem(word).as_str()) || word.contains("/@google/gemini-cli/"))
}

#[cfg(target_os = "linux")]
fn for_one_prompt(words: &[&str]) -> bool {
    words.iter().any(|word| matches!(*word, "-p" | "--prompt") || word.starts_with("--prompt="))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

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
        assert!(for_one_prompt(&["gemini", "-p", "hi"]) && for_one_prompt(&["gemini", "--prompt=hi"]));
        assert!(!for_one_prompt(&["gemini", "-i", "hi"]));
    }
}
