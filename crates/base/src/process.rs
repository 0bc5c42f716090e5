//! Runs a user's executable: payload in, answer out, in its own process group, within a deadline.

use crate::env::Env;
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// The most that a hook may print.
pub const MAX_STDOUT: usize = 1 << 20;
const MAX_STDERR: usize = 64 << 10;
/// How long a finished hook's pipes may still give bytes. A child that keeps them open holds nothing up.
const DRAIN: Duration = Duration::from_millis(50);

/// What to run.
pub struct Spec<'a> {
    /// Program and arguments.
    pub argv: &'a [String],
    /// The payload.
    pub stdin: &'a [u8],
    /// Where.
    pub cwd: &'a Path,
    /// The environment to inherit.
    pub inherit: &'a Env,
    /// Variables on top.
    pub env: &'a [(String, String)],
    /// The longest it may take.
    pub timeout: Duration,
}

/// How it ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Finished {
    /// The exit code; killed by a signal is -1.
    pub code: i32,
    /// What it printed.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It could not be started.
    #[error("cannot start {program}: {error}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        error: io::Error,
    },
    /// It took too long; the whole process group was killed.
    #[error("cut off after {0} ms")]
    Deadline(u128),
    /// It printed too much.
    #[error("printed more than {MAX_STDOUT} bytes")]
    Flood,
    /// Nobody waits for it any more; the whole process group was killed.
    #[error("stopped")]
    Stopped,
    /// It printed something that is not UTF-8.
    #[error("printed text that is not UTF-8")]
    NotUtf8,
}

/// Bytes collected by a reader thread, up to a limit.
#[derive(Default)]
struct Sink {
    bytes: Mutex<(Vec<u8>, bool)>,
}

impl Sink {
    fn take(&self) -> (Vec<u8>, bool) {
        self.bytes.lock().map(|mut held| (std::mem::take(&mut held.0), held.1)).unwrap_or_default()
    }
}

/// Reads a pipe into a sink; past the limit bytes are thrown away so that the writer does not block.
fn drain(mut pipe: impl Read + Send + 'static, sink: Arc<Sink>, limit: usize, done: mpsc::Sender<()>) {
    thread::spawn(move || {
        let mut chunk = [0; 8192];
        while let Ok(count @ 1..) = pipe.read(&mut chunk) {
            let Ok(mut held) = sink.bytes.lock() else { break };
            let room = limit.saturating_sub(held.0.len());
            held.0.extend_from_slice(chunk.get(..count.min(room)).unwrap_or_default());
            held.1 |= count > room;
        }
        drop(done);
    });
}

/// What a run is bound to beside its deadline.
pub struct Bounds<'a> {
    /// The most that it may print.
    pub stdout: usize,
    /// Asked again and again while it runs: true stops it.
    pub stop: &'a dyn Fn() -> bool,
    /// Told the process group when there is one.
    pub started: &'a dyn Fn(u32),
    /// Nothing of its process group stays behind, also when it ends by itself.
    pub sweep: bool,
}

/// How often a run is asked whether it should go on.
const LOOK: Duration = Duration::from_millis(50);

/// Runs a hook to its end or its deadline.
pub fn run(spec: &Spec<'_>) -> Result<Finished, RunError> {
    run_within(spec, &Bounds { stdout: MAX_STDOUT, stop: &|| false, started: &|_| {}, sweep: false })
}

/// Runs a program to its end, its deadline, or until nobody wants it any more.
pub fn run_within(spec: &Spec<'_>, bounds: &Bounds<'_>) -> Result<Finished, RunError> {
    let started = Instant::now();
    let Some((program, args)) = spec.argv.split_first() else {
        return Err(RunError::Start { program: String::new(), error: io::ErrorKind::InvalidInput.into() });
    };
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if spec.cwd.is_dir() {
        command.current_dir(spec.cwd);
    }
    if let Env::Fixed(map) = spec.inherit {
        command.env_clear().envs(map);
    }
    command.envs(spec.env.iter().map(|(key, value)| (key, value)));
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|error| RunError::Start { program: program.clone(), error })?;
    let id = child.id();
    (bounds.started)(id);

    if let Some(mut stdin) = child.stdin.take() {
        let payload = spec.stdin.to_vec();
        // A hook need not read its input: writing must not wait for it, and a closed pipe is not an error.
        thread::spawn(move || drop(stdin.write_all(&payload)));
    }
    let (stdout, stderr) = (Arc::new(Sink::default()), Arc::new(Sink::default()));
    let (done, pipes_closed) = mpsc::channel();
    if let Some(pipe) = child.stdout.take() {
        drain(pipe, Arc::clone(&stdout), bounds.stdout, done.clone());
    }
    if let Some(pipe) = child.stderr.take() {
        drain(pipe, Arc::clone(&stderr), MAX_STDERR, done.clone());
    }
    drop(done);
    let (exit, exited) = mpsc::channel();
    thread::spawn(move || drop(exit.send(child.wait())));

    let code = loop {
        let left = spec.timeout.saturating_sub(started.elapsed());
        match exited.recv_timeout(left.min(LOOK)) {
            Ok(Ok(status)) => break status.code().unwrap_or(-1),
            Ok(Err(error)) => return Err(RunError::Start { program: program.clone(), error }),
            Err(RecvTimeoutError::Timeout) if (bounds.stop)() => {
                kill_group(id);
                return Err(RunError::Stopped);
            }
            Err(RecvTimeoutError::Timeout) if started.elapsed() < spec.timeout => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                kill_group(id);
                return Err(RunError::Deadline(started.elapsed().as_millis()));
            }
        }
    };
    if bounds.sweep {
        kill_group(id);
    }
    // Both readers hold a sender: the channel closes when both pipes are at their end.
    let _ = pipes_closed.recv_timeout(DRAIN);
    let (bytes, flood) = stdout.take();
    if flood {
        return Err(RunError::Flood);
    }
    let stdout = String::from_utf8(bytes).map_err(|_| RunError::NotUtf8)?;
    let stderr = String::from_utf8_lossy(&stderr.take().0).into_owned();
    Ok(Finished { code, stdout, stderr })
}

/// Kills a process group that sprag made.
#[cfg(unix)]
pub fn kill_group(id: u32) {
    signal_group(id, rustix::process::Signal::KILL);
}

/// Asks a process group that sprag made to end.
#[cfg(unix)]
pub fn end_group(id: u32) {
    signal_group(id, rustix::process::Signal::TERM);
}

#[cfg(unix)]
fn signal_group(id: u32, signal: rustix::process::Signal) {
    if let Some(pid) = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(pid, signal);
    }
}

/// Ends a process and its children.
#[cfg(not(unix))]
pub fn end_group(id: u32) {
    kill_group(id);
}

/// Kills a process and its children.
#[cfg(not(unix))]
pub fn kill_group(id: u32) {
    let _ = Command::new("taskkill").args(["/T", "/F", "/PID", &id.to_string()]).output();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str, timeout_ms: u64) -> Result<Finished, RunError> {
        let argv = ["sh".to_owned(), "-c".to_owned(), script.to_owned()];
        run(&Spec {
            argv: &argv,
            stdin: b"{\"a\":1}",
            cwd: Path::new("/"),
            inherit: &Env::Process,
            env: &[("SPRAG_AGENT".to_owned(), "claude".to_owned())],
            timeout: Duration::from_millis(timeout_ms),
        })
    }

    #[test]
    fn input_output_code_and_environment() {
        let got = sh("cat; echo \" $SPRAG_AGENT\"; echo bad >&2; exit 3", 10_000).unwrap();
        assert_eq!((got.code, got.stdout.as_str(), got.stderr.as_str()), (3, "{\"a\":1} claude\n", "bad\n"));
    }

    #[test]
    fn a_hanging_hook_and_its_children_are_killed() {
        let dir = tempfile::tempdir().unwrap();
        let pid_file = dir.path().join("pid");
        let script = format!("sleep 1000 & echo $! > {}; wait", pid_file.display());
        assert!(matches!(sh(&script, 300), Err(RunError::Deadline(_))));
        let pid: i32 = std::fs::read_to_string(&pid_file).unwrap().trim().parse().unwrap();
        // The group got SIGKILL; the grandchild goes with it (init reaps it in a moment).
        let gone = (0..200).any(|_| {
            let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let dead = state.is_empty() || state.contains(") Z ");
            if !dead {
                thread::sleep(Duration::from_millis(10));
            }
            dead
        });
        assert!(gone, "the grandchild {pid} is still there");
    }

    /// The grandchild's id, once it has written it.
    fn gone(pid_file: &Path) -> bool {
        (0..500).any(|_| {
            let pid = std::fs::read_to_string(pid_file).unwrap_or_default();
            let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
            let dead = !pid.trim().is_empty() && (state.is_empty() || state.contains(") Z "));
            if !dead {
                thread::sleep(Duration::from_millis(10));
            }
            dead
        })
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn one_that_nobody_wants_any_more_is_killed_with_its_children_and_a_sweep_leaves_none() {
        let dir = tempfile::tempdir().unwrap();
        let pid_file = dir.path().join("pid");
        let run_it = |end: &str, stop: &dyn Fn() -> bool| {
            let script = format!("sleep 1000 & echo $! > {}; {end}", pid_file.display());
            let argv = ["sh".to_owned(), "-c".to_owned(), script];
            let spec = Spec {
                argv: &argv,
                stdin: b"",
                cwd: Path::new("/"),
                inherit: &Env::Process,
                env: &[],
                timeout: Duration::from_secs(60),
            };
            run_within(&spec, &Bounds { stdout: 1024, stop, started: &|_| {}, sweep: true })
        };
        let written = || std::fs::metadata(&pid_file).is_ok_and(|meta| meta.len() > 0);
        assert!(matches!(run_it("wait", &written), Err(RunError::Stopped)));
        assert!(gone(&pid_file));
        assert_eq!(run_it("exit 3", &|| false).unwrap().code, 3);
        assert!(gone(&pid_file));
    }

    #[test]
    fn a_child_that_keeps_the_pipe_open_does_not_hold_the_chain() {
        let started = Instant::now();
        let got = sh("sleep 5 & echo answer", 4_000).unwrap();
        assert_eq!(got.stdout, "answer\n");
        assert!(started.elapsed() < Duration::from_secs(3));
    }

    #[test]
    fn one_that_does_not_read_or_cannot_start_or_floods() {
        assert_eq!(sh("exit 0", 10_000).unwrap().code, 0);
        let argv = ["/no/such/program".to_owned()];
        let spec = Spec {
            argv: &argv,
            stdin: &vec![b'x'; 1 << 20],
            cwd: Path::new("/"),
            inherit: &Env::Process,
            env: &[],
            timeout: Duration::from_secs(5),
        };
        assert!(run(&spec).unwrap_err().to_string().contains("/no/such/program"));
        assert!(matches!(sh("yes | head -c 3000000", 20_000), Err(RunError::Flood)));
        assert!(matches!(sh("printf '\\377'", 10_000), Err(RunError::NotUtf8)));
    }
}
