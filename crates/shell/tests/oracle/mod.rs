//! The analysis against real bash: a script is run with a folder of recorders as its only `PATH`, and the commands that it
//! ran are compared with those that the analysis lists.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "bash is run, in a folder of its own"
)]

pub(crate) mod cases;
pub(crate) mod generate;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sprag_shell::{Context, HOLE, analyse};

/// Commands that only record how they were called.
pub(crate) const RECORDERS: [&str; 4] = ["alpha", "beta", "gamma", "delta"];

/// Real programs that scripts may use; none of them changes a file that it is not told to.
const REAL: [&str; 4] = ["bash", "cat", "env", "xargs"];

/// A call of a recorder: its name and its words.
pub(crate) type Call = Vec<String>;

/// An empty folder with the recorders.
pub(crate) struct Bash {
    folder: PathBuf,
    program: PathBuf,
}

/// What came of one script.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The same calls with the same words.
    Same,
    /// All calls of bash are there, and a word or more is not known.
    Unknown(String),
    /// All calls of bash are there, and some that it did not make.
    More(String),
    /// A call that bash made is missing.
    Missing(String),
    /// Bash did not accept the script or did not end.
    Broken,
}

impl Bash {
    /// None when there is no bash.
    pub(crate) fn find(folder: &Path) -> Option<Bash> {
        let place = |name: &str| {
            ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
                .iter()
                .map(|dir| Path::new(dir).join(name))
                .find(|path| path.exists())
        };
        let program = place("bash")?;
        let bin = folder.join("bin");
        std::fs::create_dir_all(&bin).ok()?;
        std::fs::create_dir_all(folder.join("empty")).ok()?;
        let record = folder.join("record");
        for name in RECORDERS {
            let text = format!(
                "#!{}\nr={name}\nfor a; do r=\"$r\x1f$a\"; done\nprintf '%s\\036' \"$r\" >>'{}'\n",
                program.display(),
                record.display()
            );
            let file = bin.join(name);
            std::fs::write(&file, text).ok()?;
            make_executable(&file)?;
        }
        for name in REAL {
            let _ = std::fs::remove_file(bin.join(name));
            std::os::unix::fs::symlink(place(name)?, bin.join(name)).ok()?;
        }
        Some(Bash { folder: folder.to_owned(), program })
    }

    /// The calls that bash makes; none when it rejects the script or takes too long.
    fn run(&self, script: &str) -> Option<Vec<Call>> {
        let record = self.folder.join("record");
        std::fs::write(&record, "").ok()?;
        // No program but the recorders, no input, little time, small files, an empty folder.
        let limited = format!("ulimit -t 5 -f 64\n{script}");
        let checked =
            Command::new(&self.program).args(["-n", "-c", script]).stderr(Stdio::null()).status().ok()?;
        if !checked.success() {
            return None;
        }
        Command::new(&self.program)
            .args(["--norc", "--noprofile", "-c", &limited])
            .current_dir(self.folder.join("empty"))
            .env_clear()
            .env("PATH", self.folder.join("bin"))
            .env("HOME", "/nowhere")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .ok()?;
        let text = String::from_utf8_lossy(&std::fs::read(&record).ok()?).into_owned();
        let calls = text.split_terminator('\x1e');
        Some(calls.map(|call| call.split('\x1f').map(str::to_owned).collect()).collect())
    }

    /// Compare one script.
    pub(crate) fn compare(&self, script: &str) -> Outcome {
        let Some(ran) = self.run(script) else { return Outcome::Broken };
        compare(script, &ran, &self.said(script))
    }

    /// The calls that the analysis lists.
    fn said(&self, script: &str) -> Vec<Call> {
        let cwd = self.folder.join("empty").display().to_string();
        let context = Context { cwd: cwd.clone(), home: "/nowhere".into(), project_root: cwd };
        let analysis = analyse(script, &context);
        let calls = analysis.commands.iter().filter(|c| RECORDERS.contains(&c.name.as_str()));
        calls
            .map(|c| std::iter::once(c.name.clone()).chain(c.args.iter().map(|a| a.text.clone())).collect())
            .collect()
    }
}

fn make_executable(file: &Path) -> Option<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).ok()
}

/// Every call of bash must be among those of the analysis, each as often.
fn compare(script: &str, ran: &[Call], said: &[Call]) -> Outcome {
    let has_hole = |call: &Call| call.iter().any(|word| word.contains(HOLE));
    let mut left: Vec<&Call> = said.iter().collect();
    let mut missing = Vec::new();
    for call in ran {
        match left.iter().position(|c| *c == call) {
            Some(at) => {
                left.swap_remove(at);
            }
            None => missing.push(call),
        }
    }
    // A call with a word that is not known stands for any call of that command, as often as it is needed.
    let covers = |call: &Call| said.iter().any(|c| has_hole(c) && c.first() == call.first());
    missing.retain(|call| !covers(call));
    let show = || {
        let mut text = format!("{script}\n--- bash");
        for call in ran {
            let _ = write!(text, "\n  {call:?}");
        }
        text.push_str("\n--- analysis");
        for call in said {
            let _ = write!(text, "\n  {call:?}");
        }
        text
    };
    let unknown = said.iter().any(has_hole);
    match (missing.is_empty(), unknown, left.is_empty()) {
        (false, ..) => Outcome::Missing(show()),
        (true, true, _) => Outcome::Unknown(show()),
        (true, false, false) => Outcome::More(show()),
        (true, false, true) => Outcome::Same,
    }
}

/// How many scripts came to what.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) same: usize,
    pub(crate) unknown: Vec<String>,
    pub(crate) broken: usize,
    pub(crate) more: Vec<String>,
    pub(crate) missing: Vec<String>,
}

impl Tally {
    pub(crate) fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Same => self.same += 1,
            Outcome::Unknown(text) => self.unknown.push(text),
            Outcome::Broken => self.broken += 1,
            Outcome::More(text) => self.more.push(text),
            Outcome::Missing(text) => self.missing.push(text),
        }
    }

    /// Scripts that bash accepted.
    pub(crate) fn compared(&self) -> usize {
        self.same + self.unknown.len() + self.more.len() + self.missing.len()
    }
}
