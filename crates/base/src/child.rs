//! A program that runs beside this one for a long time: its input is given to it, its lines are handed on as they come,
//! and it is ended with everything that it started.

use crate::env::Env;
use crate::process::{end_group, kill_group};
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The longest line that is handed on; what comes after that is cut.
const MAX_LINE: u64 = 8 << 20;

/// How long the pipes of an ended program may still give lines.
const DRAIN: Duration = Duration::from_secs(2);

/// What to run.
pub struct ChildSpec<'a> {
    /// Program and arguments.
    pub argv: &'a [String],
    /// Its input.
    pub stdin: &'a [u8],
    /// Where.
    pub cwd: &'a Path,
    /// Its whole environment.
    pub env: &'a Env,
}

/// Takes the lines of one of its outputs.
pub type Lines = Box<dyn FnMut(&str) + Send>;

/// A program that runs.
#[derive(Debug)]
pub struct Child {
    child: std::process::Child,
    readers: Vec<JoinHandle<()>>,
}

impl Child {
    /// Starts a program in a process group of its own.
    pub fn start(spec: &ChildSpec<'_>, stdout: Lines, stderr: Lines) -> io::Result<Self> {
        let (program, args) = spec.argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.current_dir(spec.cwd);
        if let Env::Fixed(map) = spec.env {
            command.env_clear().envs(map);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            let input = spec.stdin.to_vec();
            thread::spawn(move || drop(stdin.write_all(&input)));
        }
        let mut readers = Vec::new();
        if let Some(pipe) = child.stdout.take() {
            readers.push(read_lines(pipe, stdout));
        }
        if let Some(pipe) = child.stderr.take() {
            readers.push(read_lines(pipe, stderr));
        }
        Ok(Self { child, readers })
    }

    /// The number of its process and of its process group.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How it ended; `None` while it runs. What it started and left behind is killed.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        let ended = self.child.try_wait()?;
        if ended.is_some() {
            kill_group(self.child.id());
            let until = Instant::now() + DRAIN;
            for reader in self.readers.drain(..) {
                while !reader.is_finished() && Instant::now() < until {
                    thread::sleep(Duration::from_millis(5));
                }
                if reader.is_finished() {
                    let _ = reader.join();
                }
            }
        }
        Ok(ended)
    }

    /// Asks it and everything it started to end.
    pub fn end(&self) {
        end_group(self.child.id());
    }

    /// Kills it and everything it started.
    pub fn kill(&self) {
        kill_group(self.child.id());
    }
}

impl Drop for Child {
    /// Nobody watches it any more.
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            kill_group(self.child.id());
            let _ = self.child.wait();
        }
    }
}

fn read_lines(pipe: impl Read + Send + 'static, mut each: Lines) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut reader = BufReader::new(pipe);
        let mut line = Vec::new();
        loop {
            line.clear();
            match reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) => each(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r'])),
            }
        }
    })
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "helpers of tests are not seen as tests")]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn start(script: &str, lines: mpsc::Sender<String>) -> Child {
        let argv = ["sh".to_owned(), "-c".to_owned(), script.to_owned()];
        let spec = ChildSpec { argv: &argv, stdin: b"heron\n", cwd: Path::new("/"), env: &Env::Process };
        let each = move |line: &str| drop(lines.send(line.to_owned()));
        Child::start(&spec, Box::new(each), Box::new(|_| {})).unwrap()
    }

    fn wait(child: &mut Child) -> ExitStatus {
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                return status;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn input_and_lines_and_the_code() {
        let (send, lines) = mpsc::channel();
        let mut child = start("read word; echo \"$word waded\"; printf last; exit 3", send);
        assert_eq!(wait(&mut child).code(), Some(3));
        assert_eq!(lines.iter().collect::<Vec<_>>(), ["heron waded", "last"]);
    }

    #[test]
    fn one_that_is_asked_to_end_may_tidy_up() {
        let (send, lines) = mpsc::channel();
        let mut child = start("trap 'echo tidied; exit 0' TERM; echo up; while :; do sleep 0.05; done", send);
        assert_eq!(lines.recv().unwrap(), "up");
        child.end();
        assert_eq!(wait(&mut child).code(), Some(0));
        assert_eq!(lines.recv().unwrap(), "tidied");
    }
}
