//! One process with given input, a deadline and captured output.
//! At the deadline it ends with its group and all its descendants, by id; nobody else's are touched.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};

/// How long a process may take to end itself, children and all, when its time is up.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);
/// How long the pipes may stay open after the process itself ended.
const PIPE_TIMEOUT: Duration = Duration::from_millis(500);

/// A process to run: the environment is exactly what is given here, nothing is inherited.
#[derive(Debug, Clone)]
pub struct Cmd {
    program: OsString,
    args: Vec<OsString>,
    env: BTreeMap<OsString, OsString>,
    cwd: Option<PathBuf>,
    stdin: Vec<u8>,
    timeout: Duration,
}

impl Cmd {
    /// A process with no arguments, an empty environment, empty input and a deadline of 60 seconds.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
            stdin: Vec::new(),
            timeout: Duration::from_secs(60),
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets one variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Sets several variables.
    #[must_use]
    pub fn envs(mut self, all: impl IntoIterator<Item = (impl Into<OsString>, impl Into<OsString>)>) -> Self {
        self.env.extend(all.into_iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// Takes over the variables of this process, `SPRAG_*` excepted: for build tools, not for agents.
    #[must_use]
    pub fn inherit_env(self) -> Self {
        let outer = std::env::vars_os().filter(|(name, _)| !name.to_string_lossy().starts_with("SPRAG_"));
        self.envs(outer)
    }

    /// Sets the working folder.
    #[must_use]
    pub fn cwd(mut self, folder: impl AsRef<Path>) -> Self {
        self.cwd = Some(folder.as_ref().to_owned());
        self
    }

    /// Sets what the process reads; then its input ends.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Sets the deadline.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Runs it to its end or its deadline; panics when it cannot start.
    pub fn run(self) -> Output {
        self.spawn().wait()
    }

    /// Starts it in a process group of its own; panics when it cannot start.
    pub fn spawn(self) -> Running {
        self.try_spawn().unwrap_or_else(|error| panic!("cannot start a process: {error}"))
    }

    /// Starts it in a process group of its own.
    pub fn try_spawn(self) -> std::io::Result<Running> {
        let mut command = Command::new(&self.program);
        command.args(&self.args).env_clear().envs(&self.env).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        let started = Instant::now();
        let mut child = command
            .spawn()
            .map_err(|e| std::io::Error::new(e.kind(), format!("{}: {e}", self.program.to_string_lossy())))?;
        let (send, news) = channel();
        let mut stdin = child.stdin.take().expect("stdin is a pipe");
        // A process that does not read its input is not an error.
        std::thread::spawn(move || drop(stdin.write_all(&self.stdin)));
        listen(child.stdout.take().expect("stdout is a pipe"), send.clone(), ProcessEvent::Out);
        listen(child.stderr.take().expect("stderr is a pipe"), send.clone(), ProcessEvent::Err);
        let pid = Pid::from_child(&child);
        std::thread::spawn(move || {
            // Without reaping: until `Running` does, the id cannot belong to anyone else.
            while let Err(rustix::io::Errno::INTR) =
                waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
            {}
            let _ = send.send(ProcessEvent::Ended);
        });
        Ok(Running { child, pid, news, started, deadline: started + self.timeout, reaped: false })
    }
}

enum ProcessEvent {
    Out(Option<Vec<u8>>),
    Err(Option<Vec<u8>>),
    Ended,
}

fn listen(
    mut pipe: impl Read + Send + 'static,
    to: Sender<ProcessEvent>,
    wrap: fn(Option<Vec<u8>>) -> ProcessEvent,
) {
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(n @ 1..) = pipe.read(&mut buffer) {
            if to.send(wrap(Some(buffer[..n].to_vec()))).is_err() {
                return;
            }
        }
        let _ = to.send(wrap(None));
    });
}

/// A started process; dropped before its end, it and its group are killed.
#[derive(Debug)]
pub struct Running {
    child: Child,
    pid: Pid,
    news: Receiver<ProcessEvent>,
    started: Instant,
    deadline: Instant,
    reaped: bool,
}

impl std::fmt::Debug for ProcessEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ProcessEvent")
    }
}

impl Running {
    /// The process id, which is also the id of its group.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends SIGINT to the group, as Ctrl-C in a terminal would.
    pub fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    /// Sends SIGTERM to the group.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    fn signal(&self, signal: Signal) {
        if !self.reaped {
            // Fails only when the whole group is gone already.
            let _ = kill_process_group(self.pid, signal);
        }
    }

    /// Kills the group and the given processes; does nothing without them.
    fn kill(&self, descendants: Option<Vec<Pid>>) {
        let Some(descendants) = descendants else { return };
        self.signal(Signal::KILL);
        for pid in descendants {
            let _ = kill_process(pid, Signal::KILL);
        }
    }

    /// The processes below this one, whatever their group.
    fn descendants(&self) -> Vec<Pid> {
        let listed = Command::new("ps").args(["-A", "-o", "pid=,ppid="]).output();
        let listed = listed.map(|ps| String::from_utf8_lossy(&ps.stdout).into_owned()).unwrap_or_default();
        let pairs: Vec<(i32, i32)> = listed
            .lines()
            .filter_map(|line| line.trim().split_once(char::is_whitespace))
            .filter_map(|(pid, parent)| Some((pid.parse().ok()?, parent.trim().parse().ok()?)))
            .collect();
        let mut family = vec![self.pid.as_raw_nonzero().get()];
        let mut next = 0;
        while let Some(&parent) = family.get(next) {
            family.extend(pairs.iter().filter(|pair| pair.1 == parent).map(|pair| pair.0));
            next += 1;
        }
        family.into_iter().skip(1).filter_map(Pid::from_raw).collect()
    }

    /// Waits for the end, or for the deadline and then ends it: asked first, for an agent's tools are in
    /// sessions of their own and only the agent knows them all, then killed with all descendants.
    ///
    /// A survivor that still holds the pipes half a second after the process ended is left alone and
    /// reported as [`Output::left_open`].
    pub fn wait(mut self) -> Output {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let (mut open, mut ended, mut timed_out) = (2, false, false);
        let (mut deadline, mut descendants) = (self.deadline, None);
        while open > 0 || !ended {
            match self.news.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(ProcessEvent::Out(Some(bytes))) => out.extend(bytes),
                Ok(ProcessEvent::Err(Some(bytes))) => err.extend(bytes),
                Ok(ProcessEvent::Out(None) | ProcessEvent::Err(None)) => open -= 1,
                Ok(ProcessEvent::Ended) => {
                    ended = true;
                    deadline = Instant::now() + PIPE_TIMEOUT;
                }
                Err(RecvTimeoutError::Timeout) if !ended && !timed_out => {
                    timed_out = true;
                    descendants = Some(self.descendants());
                    self.signal(Signal::TERM);
                    deadline = Instant::now() + EXIT_TIMEOUT;
                }
                Err(RecvTimeoutError::Timeout) if descendants.is_some() => {
                    self.kill(descendants.take());
                    deadline = Instant::now() + PIPE_TIMEOUT;
                }
                Err(_) => break,
            }
        }
        self.kill(descendants);
        let took = self.started.elapsed();
        let status = self.child.wait().expect("a child can be waited for");
        self.reaped = true;
        Output {
            code: status.code(),
            signal: status.signal(),
            stdout: String::from_utf8_lossy(&out).into_owned(),
            stderr: String::from_utf8_lossy(&err).into_owned(),
            took,
            timed_out,
            left_open: open > 0,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.reaped {
            self.kill(Some(self.descendants()));
            let _ = self.child.wait();
        }
    }
}

/// What a process left behind.
#[derive(Debug, Clone)]
pub struct Output {
    /// The exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// What it wrote to stdout, made valid UTF-8.
    pub stdout: String,
    /// What it wrote to stderr, made valid UTF-8.
    pub stderr: String,
    /// From the start to the end of the process and its pipes.
    pub took: Duration,
    /// The deadline passed and the group was killed.
    pub timed_out: bool,
    /// Something else still held stdout or stderr after the process had ended.
    pub left_open: bool,
}

impl Output {
    /// This output if the exit code is 0; otherwise panics and shows everything.
    #[track_caller]
    #[must_use]
    pub fn ok(self) -> Self {
        assert!(self.code == Some(0), "the process failed: {self:#?}");
        self
    }

    /// Stdout as JSON; panics and shows everything when it is not.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("not JSON: {error}: {self:#?}"))
    }
}

/// Where the search path finds a program.
pub fn which(program: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(OsStr::new(program)))
        .find(|path| path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Cmd {
        Cmd::new("/bin/sh").args(["-c", script]).env("PATH", "/usr/bin:/bin")
    }

    #[test]
    fn input_output_and_code_come_through() {
        let big = vec![b'x'; 1 << 20];
        let output = sh("cat; echo no >&2; exit 3").stdin(big.clone()).run();
        assert_eq!(output.code, Some(3));
        assert_eq!(output.stdout.as_bytes(), big);
        assert_eq!(output.stderr, "no\n");
        assert!(!output.timed_out && !output.left_open);
    }

    #[test]
    fn unread_input_is_no_error() {
        let output = sh("exit 0").stdin(vec![b'x'; 1 << 20]).run().ok();
        assert_eq!(output.stdout, "");
    }

    #[test]
    fn the_environment_is_empty() {
        let output = Cmd::new("/usr/bin/env").env("ONE", "1").run().ok();
        assert_eq!(output.stdout, "ONE=1\n");
    }

    #[test]
    fn the_deadline_ends_grandchildren_too() {
        let output = sh("sleep 600 & wait").timeout(Duration::from_millis(200)).run();
        // The pipes are closed: nobody is left to hold them.
        assert!(output.timed_out && !output.left_open, "{output:?}");
        assert!(output.took < EXIT_TIMEOUT, "{output:?}");
    }

    #[test]
    fn the_deadline_ends_what_ignores_it_and_what_has_its_own_group() {
        let script = "trap '' TERM; set -m; sleep 600 & set +m; while :; do sleep 0.1; done";
        let output = sh(script).timeout(Duration::from_millis(200)).run();
        assert!(output.timed_out && !output.left_open, "{output:?}");
        assert_eq!(output.signal, Some(9));
    }

    #[test]
    fn a_survivor_holding_the_pipe_does_not_hold_us_up() {
        let output = sh("sleep 600 & echo $!").run();
        assert!(output.left_open && !output.timed_out, "{output:?}");
        assert_eq!(output.code, Some(0));
        let survivor = Pid::from_raw(output.stdout.trim().parse().unwrap()).unwrap();
        rustix::process::kill_process(survivor, Signal::KILL).unwrap();
    }

    #[test]
    fn an_interrupt_reaches_the_group() {
        // Not a shell's trap: what runs in the background of a script was told to ignore it, and a shell keeps to that.
        let caught = "exec perl -e '$| = 1; $SIG{INT} = sub { print qq(caught\\n); exit 7 }; print qq(ready\\n); \
                      sleep 1 while 1'";
        let running = sh(caught).spawn();
        // The first line says that the handler is set.
        let Ok(ProcessEvent::Out(Some(first))) = running.news.recv() else { panic!("no output") };
        assert_eq!(first, b"ready\n");
        running.interrupt();
        let output = running.wait();
        assert_eq!((output.code, output.stdout.as_str()), (Some(7), "caught\n"));
    }
}
