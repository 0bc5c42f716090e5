//! Which process a number means. Numbers are given again: after a while, after a restart, and in every container, which
//! may share the home with its host. So a process is known by its number, its start, and the space that numbers it.

use serde::{Deserialize, Serialize};
#[cfg(target_os = "linux")]
use std::sync::OnceLock;

/// A process that can be told from every other one with the same number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its number.
    #[serde(rename = "pid", alias = "id")]
    pub id: u32,
    /// When it started, in the kernel's ticks; 0 where that is not known.
    #[serde(default)]
    pub started: u64,
    /// The boot and the pid namespace that its number is from; 0 where that is not known.
    #[serde(default)]
    pub space: u64,
}

/// Programs that only stand between an agent and its hook.
#[cfg(target_os = "linux")]
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "fish", "env", "timeout", "ash"];

impl Process {
    /// The process with this number, as it can be known again; `None` when there is none.
    #[cfg(target_os = "linux")]
    pub fn find(id: u32) -> Option<Self> {
        stat(id).map(|stat| Self { id, started: stat.started, space: space() })
    }

    /// The process with this number.
    #[cfg(not(target_os = "linux"))]
    pub fn find(id: u32) -> Option<Self> {
        let process = Self { id, ..Self::default() };
        (process.is_alive() != Some(false)).then_some(process)
    }

    /// The process that called this one.
    pub fn parent() -> Self {
        let id = parent_id();
        Self::find(id).unwrap_or(Self { id, ..Self::default() })
    }

    /// The process that called: the nearest above this one that is no shell.
    #[cfg(target_os = "linux")]
    pub fn caller() -> Option<Self> {
        static CALLER: OnceLock<Option<Process>> = OnceLock::new();
        *CALLER.get_or_init(|| {
            let mut id = parent_id();
            for _ in 0..8 {
                let stat = stat(id)?;
                if !SHELLS.contains(&stat.name.as_str()) {
                    return (id > 1).then(|| Self { id, started: stat.started, space: space() });
                }
                id = stat.parent;
            }
            None
        })
    }

    /// Elsewhere the parent, by its number alone.
    #[cfg(not(target_os = "linux"))]
    pub fn caller() -> Option<Self> {
        Some(Self::parent()).filter(|process| process.id > 1)
    }

    /// Whether it lives; `None` when that cannot be known from here, because its number is from another boot, machine or
    /// container.
    #[cfg(target_os = "linux")]
    pub fn is_alive(self) -> Option<bool> {
        if self.space != 0 && self.space != space() {
            return None;
        }
        Some(stat(self.id).is_some_and(|stat| self.started == 0 || stat.started == self.started))
    }

    /// Whether some process has its number.
    #[cfg(all(unix, not(target_os = "linux")))]
    pub fn is_alive(self) -> Option<bool> {
        let id = i32::try_from(self.id).ok().and_then(rustix::process::Pid::from_raw)?;
        // Somebody else's process is alive too.
        Some(!matches!(rustix::process::test_kill_process(id), Err(rustix::io::Errno::SRCH)))
    }

    /// Nothing is known.
    #[cfg(not(unix))]
    pub fn is_alive(self) -> Option<bool> {
        None
    }
}

/// The number of the process that called this one; 0 where that is not known.
pub fn parent_id() -> u32 {
    #[cfg(unix)]
    let id = std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    let id = 0;
    id
}

/// What numbers processes here: this boot of this machine, and the pid namespace.
#[cfg(target_os = "linux")]
pub fn space() -> u64 {
    use std::hash::{DefaultHasher, Hasher as _};
    use std::os::unix::fs::MetadataExt as _;
    static SPACE: OnceLock<u64> = OnceLock::new();
    *SPACE.get_or_init(|| {
        let boot = crate::files::read("/proc/sys/kernel/random/boot_id", crate::files::SMALL);
        let mut hasher = DefaultHasher::new();
        hasher.write(&boot.unwrap_or_default());
        hasher.write_u64(std::fs::metadata("/proc/self/ns/pid").map_or(0, |meta| meta.ino()));
        hasher.finish().max(1)
    })
}

/// What the kernel tells of a process in one line.
#[cfg(target_os = "linux")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The short name of its program.
    pub name: String,
    /// The number of its parent.
    pub parent: u32,
    /// The number of its controlling terminal; 0 when it has none.
    pub terminal: i64,
    /// When it started, in the kernel's ticks.
    pub started: u64,
}

/// The kernel's line on a process; `None` when it is gone, also when only its exit code is left of it.
#[cfg(target_os = "linux")]
pub fn stat(id: u32) -> Option<Stat> {
    let text = crate::files::read_text(format!("/proc/{id}/stat"), crate::files::SMALL).ok()?;
    // The name in brackets may hold anything; state, parent, group, session and terminal come after it.
    let (before, after) = text.rsplit_once(')')?;
    let name = before.split_once('(')?.1.to_owned();
    let mut fields = after.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let terminal = fields.nth(2)?.parse().ok()?;
    let started = fields.nth(14)?.parse().ok()?;
    (state != "Z" && state != "X").then_some(Stat { name, parent, terminal, started })
}

/// The words that a process was started with, as far as they are within `limit` bytes; `None` when they cannot be seen.
#[cfg(target_os = "linux")]
pub fn argv(id: u32, limit: u64) -> Option<Vec<String>> {
    let path = format!("/proc/{id}/cmdline");
    let line = crate::files::read_limited(std::path::Path::new(&path), limit).ok()??;
    let line = line.strip_suffix(b"\0").unwrap_or(&line);
    Some(line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_alive_until_it_is_gone() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let known = Process::find(child.id()).unwrap();
        assert!(known.started > 0 && known.is_alive() == Some(true));
        let later = Process { started: known.started + 1, ..known };
        assert_eq!(later.is_alive(), Some(false), "another one with its number");
        let elsewhere = Process { space: known.space ^ 1, ..known };
        assert_eq!(elsewhere.is_alive(), None, "the number of another boot or container says nothing here");
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!((known.is_alive(), Process::find(known.id)), (Some(false), None));
        assert_eq!(Process::caller().unwrap().is_alive(), Some(true));
    }

    #[test]
    fn a_long_command_line_is_read_up_to_the_limit() {
        let mut child =
            std::process::Command::new("sleep").args(["1000", &"0".repeat(9_000)]).spawn().unwrap();
        // Until it has become `sleep` it has the words of this program.
        let words = loop {
            let words = argv(child.id(), 64 << 10).unwrap();
            if words.first().is_some_and(|word| word == "sleep") {
                break words;
            }
            std::thread::yield_now();
        };
        assert_eq!(words.iter().map(String::len).collect::<Vec<_>>(), [5, 4, 9_000]);
        let cut = argv(child.id(), 4_096).unwrap();
        assert_eq!(cut.iter().map(String::len).sum::<usize>(), 4_096 - 2, "two ends of words are no text");
        assert_eq!(stat(child.id()).unwrap().parent, std::process::id());
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// A home that a container shares: its processes must not be taken for the host's. Needs the right to make a namespace.
    #[test]
    fn a_container_has_numbers_of_its_own() {
        let script = "stat -Lc %i /proc/self/ns/pid";
        let run = |argv: &[&str]| {
            let (program, args) = argv.split_first()?;
            let output = std::process::Command::new(program).args(args).output().ok()?;
            output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        };
        let here = run(&["sh", "-c", script]).unwrap();
        let Some(there) = run(&["unshare", "-r", "-p", "-f", "--mount-proc", "sh", "-c", script]) else {
            return;
        };
        assert_ne!(here, there);
    }
}
