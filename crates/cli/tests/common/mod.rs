//! A throw-away home in which the built program is run.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(dead_code, clippy::unwrap_used, reason = "every test file uses a part; a test may fail")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A home of its own.
pub(crate) struct Home {
    dir: tempfile::TempDir,
}

/// What a run printed.
pub(crate) struct Ran {
    /// The exit code.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Home {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// A path in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A file's text.
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs the program in it.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"", self.dir.path())
    }

    /// Runs the program with an input and a working directory.
    pub(crate) fn run_with(&self, args: &[&str], input: &[u8], cwd: &Path) -> Ran {
        use std::io::Write as _;
        let mut command = Command::new(env!("CARGO_BIN_EXE_sprag"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.dir.path())
            .env("SPRAG_WORKER", "off")
            .current_dir(cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let rustup = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".rustup"));
        for (name, default) in [("PATH", None), ("RUSTUP_HOME", rustup), ("RUSTUP_TOOLCHAIN", None)] {
            if let Some(value) = std::env::var_os(name).or_else(|| default.map(Into::into)) {
                command.env(name, value);
            }
        }
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// True when a program can be started.
pub(crate) fn has(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}
