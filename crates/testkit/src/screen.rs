//! The interactive Claude Code in a real terminal (tmux), as a person sees and types it.
//! Each screen has a tmux server of its own, on a socket in the sandbox, and ends only that one.

use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::agents::{Agent, Unavailable};
use crate::cmd::{Cmd, Output, which};
use crate::home::Env;
use crate::model::{Model, Request};
use crate::run::Run;

/// How often the screen is looked at while waiting: a terminal tells nobody when it changes.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How long pressed keys may take to show an effect before they are pressed again.
const KEY_TIMEOUT: Duration = Duration::from_secs(2);
/// How long typed text may take to appear.
const ECHO_TIMEOUT: Duration = Duration::from_secs(20);
/// Columns and rows.
const SIZE: (&str, &str) = ("140", "45");

/// A terminal with Claude Code in it; dropped, both are gone.
pub struct Screen {
    tmux: PathBuf,
    socket: PathBuf,
    status: PathBuf,
    env: Env,
    model: Model,
}

/// What to wait for on a screen: a piece of text, or a closure over all of it.
pub trait ScreenCondition {
    /// Whether it is there.
    fn seen(&self, screen: &str) -> bool;
    /// What to call it in a failure.
    fn name(&self) -> String;
}

impl ScreenCondition for &str {
    fn seen(&self, screen: &str) -> bool {
        screen.contains(self)
    }

    fn name(&self) -> String {
        format!("{self:?}")
    }
}

impl ScreenCondition for String {
    fn seen(&self, screen: &str) -> bool {
        screen.contains(self.as_str())
    }

    fn name(&self) -> String {
        format!("{self:?}")
    }
}

impl<F: Fn(&str) -> bool> ScreenCondition for F {
    fn seen(&self, screen: &str) -> bool {
        self(screen)
    }

    fn name(&self) -> String {
        "what the closure looks for".into()
    }
}

impl Screen {
    /// Starts the program of a run interactively, with its script, environment, arguments and prompt.
    ///
    /// The first-run questions are answered beforehand. Only Claude Code is known here.
    pub fn start(run: &Run<'_>) -> Result<Self, Unavailable> {
        Self::start_with_columns(run, SIZE.0)
    }

    /// The same in a terminal of this width.
    pub fn start_with_columns(run: &Run<'_>, columns: &str) -> Result<Self, Unavailable> {
        let agent = run.installed.agent();
        assert!(agent == Agent::Claude, "only Claude Code has a screen, not {}", agent.name());
        let tmux = which("tmux").ok_or_else(|| Unavailable::new("tmux", "not on the search path"))?;
        run.sandbox.answer_first_run();
        let model = run.model();
        let mut inside = run.environment(&model.url());
        if !run.env.contains_key("TERM") {
            inside.insert("TERM".into(), "xterm-256color".into());
        }
        let screen = Self {
            tmux,
            socket: run.sandbox.fresh_path("tmux"),
            status: run.sandbox.fresh_path("status"),
            env: run.sandbox.env(),
            model,
        };
        let project = run.sandbox.project().to_str().expect("a readable path");
        let mut command = screen
            .command()
            .args(["-f", "/dev/null", "start-server", ";", "set-option", "-g", "remain-on-exit", "on", ";"])
            .args(["set-option", "-g", "history-limit", "5000", ";"])
            .args(["new-session", "-d", "-x", columns, "-y", SIZE.1, "-c", project])
            // tmux now and then forgets how a program ended, so a shell notes it.
            .args(["/bin/sh", "-c", r#""$@"; echo $? >"$0""#])
            .arg(&screen.status)
            .args(["env", "-i"])
            .args(inside.iter().map(|(name, value)| format!("{name}={value}")))
            .args(run.installed.argv())
            .args(&run.args);
        if let Some(prompt) = &run.prompt {
            command = command.arg(prompt);
        }
        let started = command.run();
        if started.code != Some(0) {
            return Err(Unavailable::new(
                "tmux",
                format!("cannot start a session: {}", started.stderr.trim()),
            ));
        }
        Ok(screen)
    }

    fn command(&self) -> Cmd {
        Cmd::new(&self.tmux).envs(&self.env).arg("-S").arg(&self.socket).timeout(Duration::from_secs(20))
    }

    fn tmux(&self, args: &[&str]) -> Output {
        self.command().args(args).run()
    }

    /// The model the program talks to.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.model.requests()
    }

    /// What is on the screen, with what has scrolled off it.
    pub fn text(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-S", "-"]).stdout
    }

    /// What is on the screen now, with its colours, as an SVG: without most of its empty lines, and with other names for places
    /// that differ from run to run.
    pub fn picture(&self, title: &str, names: &[(&str, &str)]) -> String {
        let mut shown = self.tmux(&["capture-pane", "-p", "-e"]).stdout;
        for (from, to) in names {
            shown = shown.replace(from, to);
        }
        let mut kept: Vec<&str> = Vec::new();
        for line in shown.lines() {
            let is_empty = |line: &str| crate::picture::plain(line).trim().is_empty();
            if !is_empty(line) || kept.last().is_some_and(|last| !is_empty(last)) {
                kept.push(line);
            }
        }
        crate::picture::svg(title, &kept.join("\n"))
    }

    /// Waits until something is on the screen and returns the screen; panics with it when time is up.
    #[track_caller]
    pub fn wait(&self, sight: impl ScreenCondition, within: Duration) -> String {
        let end = Instant::now() + within;
        loop {
            let text = self.text();
            if sight.seen(&text) {
                return text;
            }
            assert!(Instant::now() < end, "not seen within {within:?}: {}\n{text}", sight.name());
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Waits until the program takes input.
    #[track_caller]
    pub fn wait_ready(&self, within: Duration) -> String {
        self.wait(|screen: &str| screen.lines().any(|line| line.trim_start().starts_with('❯')), within)
    }

    /// Types a line, waits until it is on the screen, then presses Enter.
    #[track_caller]
    pub fn type_line(&self, line: &str) {
        let squeeze = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let wanted = squeeze(line);
        let count = |screen: &str| squeeze(screen).matches(wanted.as_str()).count();
        let before = count(&self.text());
        self.tmux(&["send-keys", "-l", "--", line]);
        self.wait(|screen: &str| count(screen) > before, ECHO_TIMEOUT);
        self.keys(&["Enter"]);
    }

    /// Presses keys by their tmux names: `Enter`, `Escape`, `C-c`, `Up`, `BTab`.
    pub fn keys(&self, keys: &[&str]) {
        let _ = self.command().arg("send-keys").args(keys).run().ok();
    }

    /// Presses keys until something is on the screen: a dialog ignores keys that come too soon after it.
    #[track_caller]
    pub fn press_until(&self, keys: &[&str], sight: impl ScreenCondition, within: Duration) -> String {
        let end = Instant::now() + within;
        loop {
            self.keys(keys);
            let next = (Instant::now() + KEY_TIMEOUT).min(end);
            while Instant::now() < next {
                let text = self.text();
                if sight.seen(&text) {
                    return text;
                }
                std::thread::sleep(POLL_INTERVAL);
            }
            assert!(Instant::now() < end, "not seen within {within:?}: {}\n{}", sight.name(), self.text());
        }
    }

    /// The program's exit code, once it has ended; 128 and more when a signal ended it.
    pub fn exited(&self) -> Option<i32> {
        let noted = std::fs::read_to_string(&self.status).ok()?;
        noted.strip_suffix('\n')?.parse().ok()
    }

    /// Waits until the program has ended and returns its exit code; panics with the screen when time is up.
    #[track_caller]
    pub fn wait_exit(&self, within: Duration) -> i32 {
        let end = Instant::now() + within;
        loop {
            if let Some(code) = self.exited() {
                return code;
            }
            assert!(Instant::now() < end, "still running after {within:?}:\n{}", self.text());
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Ends the terminal and returns all requests.
    #[track_caller]
    pub fn close(self) -> Vec<Request> {
        self.model.check();
        self.model.requests()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Already gone is as good.
        let _ = self.tmux(&["kill-server"]);
    }
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Screen({})", self.socket.display())
    }
}
