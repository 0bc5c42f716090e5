//! An agent run once: the question on its standard input, the answer on its standard output.
//! In a folder of its own, without its tools, hooks and session files, and with `SPRAG_NESTED` set.

use super::{Llm, LlmError};
use sprag_base::env::Env;
use sprag_base::files;
use sprag_base::process::{self, RunError, Spec};
use sprag_config::host::Host;
use sprag_protocol::AgentId;
use sprag_protocol::agents::{AGENTS, is_session_variable};
use std::collections::BTreeMap;

pub(super) fn ask(llm: &Llm, agent: AgentId, host: &Host, question: &str) -> Result<String, LlmError> {
    let cwd = host.paths.state.join("llm");
    files::make_dir(&cwd).map_err(|error| LlmError::Unavailable(format!("{}: {error}", cwd.display())))?;
    let argv = command_line(llm, agent)
        .ok_or_else(|| LlmError::Unavailable(format!("{agent} is not a backend of [llm]")))?;
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

/// The variables without what an agent around us set for its own children. With it, the one that is started here would
/// take itself for a part of that session.
fn environment(env: &Env) -> BTreeMap<String, String> {
    env.with_prefix("").into_iter().filter(|(name, _)| !is_session_variable(name)).collect()
}

fn command_line(llm: &Llm, agent: AgentId) -> Option<Vec<String>> {
    let headless = agent.spec().headless.as_ref()?;
    let model = llm.model.as_str();
    // The default model's name is one agent's; others then use their own default.
    let foreign = AGENTS.iter().any(|other| {
        other.id != agent && other.headless.as_ref().is_some_and(|other| other.default_model == Some(model))
    });
    let mut argv = if llm.command.is_empty() { vec![agent.name().to_owned()] } else { llm.command.clone() };
    argv.extend(headless.arguments((!foreign).then_some(model)).into_iter().map(str::to_owned));
    Some(argv)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::Backend;
    use sprag_config::schema::{LlmBackend, LlmSection};
    use sprag_config::settings::{Choice as _, SettingKind};
    use std::path::Path;
    use std::time::Duration;

    fn host(dir: &Path) -> Host {
        let path = std::env::var("PATH").unwrap_or_default();
        Host::in_home(dir, &[("PATH", &path), ("CLAUDECODE", "1")])
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
    fn the_backends_are_the_agents_that_can_be_run_for_one_answer() {
        let agents = AGENTS.iter().filter(|agent| agent.headless.is_some()).map(|agent| agent.id.name());
        let backends: Vec<&str> = ["none"].into_iter().chain(agents).chain(["openai"]).collect();
        assert_eq!(LlmBackend::WORDS, backends);
        let default = AGENTS.iter().find_map(|agent| agent.headless.as_ref()?.default_model);
        let model = LlmSection::SETTINGS.iter().find(|setting| setting.key == "model").unwrap();
        assert!(matches!(model.kind, SettingKind::Text(model) if Some(model) == default));
    }

    #[test]
    fn a_model_of_one_agent_is_not_asked_of_another() {
        let llm = Llm { command: Vec::new(), model: "haiku".to_owned(), ..shell("", LONG) };
        let line = |agent| command_line(&llm, agent).unwrap().join(" ");
        assert!(line(AgentId::Claude).starts_with("claude -p --model haiku --output-format text --tools "));
        assert_eq!(
            line(AgentId::Codex),
            "codex exec --skip-git-repo-check --ephemeral --sandbox read-only --color never -"
        );
        let other = Llm { model: "m".to_owned(), ..llm };
        assert!(
            command_line(&other, AgentId::Gemini)
                .unwrap()
                .join(" ")
                .starts_with("gemini --model m --skip-trust")
        );
        assert_eq!(command_line(&other, AgentId::Qwen), None);
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
