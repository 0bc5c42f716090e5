//! An agent run once: the question on its standard input, the answer on its standard output.
//! In a folder of its own, without its tools, hooks and session files, and with `SPRAG_NESTED` set.

use super::{Llm, LlmError};
use sprag_base::env::Env;
use sprag_base::files;
use sprag_base::process::{self, RunError, Spec};
use sprag_config::host::Host;
use sprag_protocol::AgentId;
use std::collections::BTreeMap;

/// The default model's name is one of Claude's; other agents then use their own default.
const CLAUDES_DEFAULT: &str = "haiku";

/// What an agent around us set for its own children. With it, the one that is started here would take itself
/// for a part of that session.
const INHERITED: [&str; 8] = [
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_ENV_FILE",
    "CODEX_THREAD_ID",
    "GEMINI_CLI",
    "GEMINI_SESSION_ID",
];

pub(super) fn ask(llm: &Llm, agent: AgentId, host: &Host, question: &str) -> Result<String, LlmError> {
    let cwd = host.paths.state.join("llm");
    files::make_dir(&cwd).map_err(|error| LlmError::Unavailable(format!("{}: {error}", cwd.display())))?;
    let argv = command_line(llm, agent);
    let finished = process::run(&Spec {
        argv: &argv,
        stdin: question.as_bytes(),
        cwd: &cwd,
        inherit: &Env::Fixed(environment(&host.env)),
        env: &[("SPRAG_NESTED".to_owned(), "1".to_owned())],
        timeout: llm.timeout,
    });
    match finished {
        Ok(finished) if finished.code == 0 => Ok(finished.stdout),
        Ok(finished) => {
            // An agent says why on either of the two.
            let said = [finished.stderr.trim(), finished.stdout.trim()]
                .into_iter()
                .find(|text| !text.is_empty())
                .unwrap_or("no word");
            let start: String = said.chars().take(300).collect();
            Err(LlmError::Failed(format!("{agent} ended with {}: {start}", finished.code)))
        }
        Err(RunError::Deadline(_)) => Err(LlmError::Timeout(llm.timeout.as_secs())),
        Err(error) => Err(LlmError::Unavailable(error.to_string())),
    }
}

fn environment(env: &Env) -> BTreeMap<String, String> {
    env.with_prefix("").into_iter().filter(|(name, _)| !INHERITED.contains(&name.as_str())).collect()
}

fn command_line(llm: &Llm, agent: AgentId) -> Vec<String> {
    let mut argv = if llm.command.is_empty() { vec![agent.name().to_owned()] } else { llm.command.clone() };
    let mut add = |args: &[&str]| argv.extend(args.iter().map(|arg| (*arg).to_owned()));
    let model = llm.model.as_str();
    match agent {
        AgentId::Codex => {
            add(&[
                "exec",
                "--skip-git-repo-check",
                "--ephemeral",
                "--sandbox",
                "read-only",
                "--color",
                "never",
            ]);
            if model != CLAUDES_DEFAULT {
                add(&["--model", model]);
            }
            add(&["-"]);
        }
        AgentId::Gemini | AgentId::Qwen => {
            if model != CLAUDES_DEFAULT {
                add(&["--model", model]);
            }
            add(&["--skip-trust", "--output-format", "text", "--prompt", "Do what is asked above."]);
        }
        AgentId::Claude => {
            add(&["-p", "--model", model, "--output-format", "text", "--tools", "", "--strict-mcp-config"]);
            add(&["--no-session-persistence", "--settings", r#"{"disableAllHooks":true}"#]);
            // The agent's own prompt and skills are thousands of tokens that this question does not need.
            add(&[
                "--disable-slash-commands",
                "--system-prompt",
                "You answer with what is asked for and nothing else.",
            ]);
        }
    }
    argv
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::Backend;
    use sprag_base::paths::Paths;
    use sprag_base::time::Clock;
    use std::path::Path;
    use std::time::Duration;

    fn host(dir: &Path) -> Host {
        let vars = [
            ("HOME".to_owned(), dir.display().to_string()),
            ("PATH".to_owned(), std::env::var("PATH").unwrap_or_default()),
            ("CLAUDECODE".to_owned(), "1".to_owned()),
        ];
        let env = Env::Fixed(vars.into());
        let paths = Paths::from_env(&env);
        Host { env, paths, clock: Clock::System, hooks: &[], exe: None }
    }

    fn shell(script: &str, timeout: Duration) -> Llm {
        // The agent's own arguments come behind the script and are its parameters.
        let command = ["sh", "-c", script].map(str::to_owned).to_vec();
        Llm { backend: Backend::Program(AgentId::Claude), model: "m".to_owned(), timeout, command }
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn the_question_goes_in_scrubbed_and_the_nested_mark_is_set() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path());
        let llm = shell("cat; echo \" $SPRAG_NESTED [$CLAUDECODE] $PWD $*\"", LONG);
        let key = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0".repeat(2).get(..36).unwrap());
        let got = llm.ask(&host, &format!("what? {key}")).unwrap();
        assert!(got.starts_with("what? [secret removed] 1 []"), "{got}");
        assert!(got.contains(&host.paths.state.join("llm").display().to_string()), "{got}");
        assert!(got.contains("--no-session-persistence") && got.contains("disableAllHooks"), "{got}");
    }

    #[test]
    fn failures_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path());
        let failed = shell("echo quota >&2; exit 4", LONG).ask(&host, "q").unwrap_err();
        assert!(failed.to_string().contains("ended with 4: quota"), "{failed}");
        assert!(matches!(shell("exit 0", LONG).ask(&host, "q"), Err(LlmError::Empty)));
        assert!(matches!(
            shell("sleep 60", Duration::from_millis(200)).ask(&host, "q"),
            Err(LlmError::Timeout(_))
        ));
        let missing = Llm { command: vec!["/no/such/agent".to_owned()], ..shell("", LONG) };
        assert!(matches!(missing.ask(&host, "q"), Err(LlmError::Unavailable(_))));
        let off = Llm { backend: Backend::None, ..shell("echo x", LONG) };
        assert!(matches!(off.ask(&host, "q"), Err(LlmError::Off)));
    }
}
