//! One headless turn of a real agent: a prompt in, the outcome and every model request out.
//! The agent starts in a sandbox, against its own scripted model, with a deadline.

use std::ffi::OsString;
use std::time::Duration;

use crate::agents::{Agent, Installed};
use crate::cmd::{Cmd, Running};
use crate::home::{Env, KEY, Sandbox};
use crate::model::{Model, Request, Role, Step};
use crate::wire::ToolResult;

/// A run in the making.
#[derive(Debug, Clone)]
pub struct Run<'a> {
    pub(crate) installed: &'a Installed,
    pub(crate) sandbox: &'a Sandbox,
    pub(crate) prompt: Option<String>,
    pub(crate) steps: Vec<Step>,
    pub(crate) aux: Option<Step>,
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Env,
    timeout: Duration,
    resume: bool,
    bare: bool,
}

impl<'a> Run<'a> {
    /// A run with no prompt, an empty script and a deadline of two minutes.
    pub fn new(installed: &'a Installed, sandbox: &'a Sandbox) -> Self {
        Self {
            installed,
            sandbox,
            prompt: None,
            steps: Vec::new(),
            aux: None,
            args: Vec::new(),
            env: Env::new(),
            timeout: Duration::from_secs(120),
            resume: false,
            bare: false,
        }
    }

    /// What the user says.
    #[must_use]
    pub fn prompt(mut self, prompt: impl Into<String>) -> Self {
        self.prompt = Some(prompt.into());
        self
    }

    /// Adds a step to the script.
    #[must_use]
    pub fn step(mut self, step: impl Into<Step>) -> Self {
        self.steps.push(step.into());
        self
    }

    /// Adds steps to the script.
    #[must_use]
    pub fn script(mut self, steps: impl IntoIterator<Item = impl Into<Step>>) -> Self {
        self.steps.extend(steps.into_iter().map(Into::into));
        self
    }

    /// Sets the answer to model calls that offer no tools.
    #[must_use]
    pub fn aux(mut self, step: impl Into<Step>) -> Self {
        self.aux = Some(step.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable on top of the sandbox's.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Sets the deadline.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Goes on with the last session in this project, as the agent's own flag for that does.
    #[must_use]
    pub fn resume(mut self) -> Self {
        self.resume = true;
        self
    }

    /// Leaves out the arguments that let tools run unasked.
    #[must_use]
    pub fn asking(mut self) -> Self {
        self.bare = true;
        self
    }

    /// Runs to the end or the deadline.
    #[track_caller]
    pub fn go(self) -> Outcome {
        self.start().wait()
    }

    /// Starts, so that the model's requests can be watched while the agent works.
    pub fn start(self) -> Turn {
        self.sandbox.prepare(self.installed.agent());
        let model = self.model();
        let url = model.url();
        self.sandbox.prepare_further(self.installed.agent(), &url);
        let [program, first @ ..] = self.installed.argv() else { panic!("an agent has a program") };
        let running = Cmd::new(program)
            .args(first)
            .args(self.arguments(&url))
            .envs(self.environment(&url))
            .cwd(self.sandbox.project())
            .timeout(self.timeout)
            .spawn();
        Turn { running, model }
    }

    pub(crate) fn model(&self) -> Model {
        let model = Model::start(self.steps.clone());
        if let Some(aux) = &self.aux {
            model.answer_aux(aux.clone());
        }
        model
    }

    pub(crate) fn environment(&self, url: &str) -> Env {
        let mut env = self.sandbox.agent_env(self.installed.agent(), url);
        env.extend(self.env.clone());
        env
    }

    fn arguments(&self, url: &str) -> Vec<OsString> {
        let prompt = self.prompt.clone().unwrap_or_default();
        let mut line: Vec<String> = Vec::new();
        let mut add = |args: &[&str]| line.extend(args.iter().map(|&arg| arg.to_owned()));
        match self.installed.agent() {
            Agent::Claude => {
                add(&["-p", &prompt]);
                if self.resume {
                    add(&["--continue"]);
                }
                if !self.bare {
                    add(&["--allowedTools", "Bash,Write,Read,Edit,Grep,Glob,Task,Agent"]);
                }
            }
            Agent::Codex => {
                add(&["exec"]);
                if self.resume {
                    add(&["resume", "--last"]);
                }
                for setting in codex_settings(url) {
                    add(&["-c", &setting]);
                }
                add(&["--skip-git-repo-check", "--dangerously-bypass-hook-trust"]);
                if !self.bare {
                    add(&["--dangerously-bypass-approvals-and-sandbox"]);
                }
            }
            Agent::Gemini => {
                add(&["-p", &prompt, "-m", "gemini-2.5-pro"]);
                if self.resume {
                    add(&["--resume", "latest"]);
                }
                if !self.bare {
                    add(&["--approval-mode", "yolo"]);
                }
            }
            Agent::Qwen => {
                add(&["-p", &prompt, "--auth-type", "openai"]);
                if self.resume {
                    add(&["--continue"]);
                }
                if !self.bare {
                    add(&["--approval-mode", "yolo"]);
                }
            }
            other => line = (other.further().arguments)(self.sandbox, &prompt),
        }
        let mut line: Vec<OsString> = line.into_iter().map(Into::into).collect();
        line.extend(self.args.iter().cloned());
        if self.installed.agent() == Agent::Codex {
            line.push(prompt.into());
        }
        line
    }
}

impl Installed {
    /// Puts the agent under its own name into a folder for a search path: what starts it by name starts it with the
    /// arguments that lead it to a model, and with the permission to run its tools.
    pub fn link_into(&self, folder: &std::path::Path, url: &str) {
        let mut line: Vec<String> =
            self.argv().iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let mut last: Vec<&str> = Vec::new();
        match self.agent() {
            Agent::Claude => last.extend(["--allowedTools", "Bash,Write,Read,Edit"]),
            Agent::Codex => {
                line.extend(codex_settings(url).into_iter().flat_map(|setting| ["-c".to_owned(), setting]));
                let flags = ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"];
                line.extend(flags.map(str::to_owned));
            }
            Agent::Gemini => last.extend(["-m", "gemini-2.5-pro", "--approval-mode", "yolo"]),
            Agent::Qwen => last.extend(["--auth-type", "openai", "--approval-mode", "yolo"]),
            Agent::Copilot => last.extend(["--allow-all", "--no-auto-update", "--stream", "off"]),
            Agent::Opencode | Agent::Kilo => last.extend(["--model", "scripted/scripted", "--auto"]),
            Agent::Grok => last.extend(["--model", "scripted", "--always-approve", "--disable-web-search"]),
            Agent::Droid => last.extend(["--model", "custom:scripted-0", "--skip-permissions-unsafe"]),
            Agent::Cline => {
                let flags = ["--provider", "openai-compatible", "--key", KEY, "--model", "scripted"];
                line.extend(flags.map(str::to_owned));
            }
            Agent::Hermes => {
                let flags = ["--provider", "custom", "--model", "scripted", "--yolo", "--accept-hooks"];
                line.extend(flags.map(str::to_owned));
            }
            Agent::Pi => line.extend(["--provider", "scripted", "--model", "scripted"].map(str::to_owned)),
            Agent::Kimi | Agent::Auggie | Agent::Goose => {}
        }
        let quoted = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
        let words: Vec<String> = line.iter().map(|word| quoted(word)).collect();
        let last: Vec<String> = last.into_iter().map(quoted).collect();
        let script = format!("#!/bin/sh\nexec {} \"$@\" {}\n", words.join(" "), last.join(" "));
        std::fs::create_dir_all(folder).expect("a folder for programs");
        let file = folder.join(self.agent().name());
        std::fs::write(&file, script).expect("a script");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&file, mode).expect("a program");
    }
}

/// The model Codex is told it talks to: one it knows, for the tools that come with it.
const CODEX_MODEL: &str = "gpt-5.5";

fn codex_settings(url: &str) -> [String; 8] {
    [
        format!("model=\"{CODEX_MODEL}\""),
        "model_provider=\"scripted\"".into(),
        "model_providers.scripted.name=\"scripted\"".into(),
        format!("model_providers.scripted.base_url=\"{url}/v1\""),
        "model_providers.scripted.wire_api=\"responses\"".into(),
        "model_providers.scripted.env_key=\"MOCK_KEY\"".into(),
        "analytics.enabled=false".into(),
        "check_for_update_on_startup=false".into(),
    ]
}

/// A run under way; dropped, it is killed.
#[derive(Debug)]
pub struct Turn {
    running: Running,
    model: Model,
}

impl Turn {
    /// The model it talks to.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The agent's process.
    pub fn process(&self) -> &Running {
        &self.running
    }

    /// Waits for the end or the deadline.
    #[track_caller]
    pub fn wait(self) -> Outcome {
        let output = self.running.wait();
        self.model.check();
        Outcome {
            code: output.code,
            stdout: output.stdout,
            stderr: output.stderr,
            took: output.took,
            timed_out: output.timed_out,
            requests: self.model.requests(),
        }
    }
}

/// What a run left behind.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// What the agent wrote to stdout.
    pub stdout: String,
    /// What the agent wrote to stderr.
    pub stderr: String,
    /// How long it took.
    pub took: Duration,
    /// The deadline passed and it was killed.
    pub timed_out: bool,
    /// All requests it made, in order.
    pub requests: Vec<Request>,
}

impl Outcome {
    /// This outcome if the agent ended with 0; otherwise panics and shows what it said.
    #[track_caller]
    #[must_use]
    pub fn ok(self) -> Self {
        assert!(self.code == Some(0), "the agent failed: {}", self.summary());
        self
    }

    /// The requests that took a step of the script.
    pub fn main(&self) -> Vec<&Request> {
        self.requests.iter().filter(|request| request.role == Role::Main).collect()
    }

    /// The model calls that took none, for they offered no tools.
    pub fn aux(&self) -> Vec<&Request> {
        self.requests.iter().filter(|request| request.role == Role::Aux).collect()
    }

    /// The i-th main request; panics and shows what the agent said when there is none.
    #[track_caller]
    pub fn request(&self, i: usize) -> &Request {
        let main = self.main();
        assert!(i < main.len(), "no main request {i}: {}", self.summary());
        main[i]
    }

    /// The last main request; panics when there is none.
    #[track_caller]
    pub fn last_request(&self) -> &Request {
        self.request(self.main().len().saturating_sub(1))
    }

    /// All text of the i-th main request: the system prompt and the messages.
    #[track_caller]
    pub fn request_text(&self, i: usize) -> String {
        self.request(i).text()
    }

    /// All text of the last main request.
    #[track_caller]
    pub fn last_request_text(&self) -> String {
        self.last_request().text()
    }

    /// The tool results in the last main request: those of the whole conversation.
    #[track_caller]
    pub fn tool_results(&self) -> Vec<ToolResult> {
        self.last_request().tool_results()
    }

    /// Whether the model is told this in any main request; its own words do not count.
    pub fn reaches_model(&self, needle: &str) -> bool {
        self.main().iter().any(|request| request.told().contains(needle))
    }

    fn summary(&self) -> String {
        let paths: Vec<_> = self.requests.iter().map(|r| (&r.method, &r.path, r.role)).collect();
        format!(
            "code {:?}, timed out: {}, requests {paths:?}\nstdout: {}\nstderr: {}",
            self.code, self.timed_out, self.stdout, self.stderr
        )
    }
}
