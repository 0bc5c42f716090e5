//! The agent's process: what a check runs for. When it is gone, so is the reason.

/// A process that can be told from a later one with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Process {
    /// Its number.
    pub id: u32,
    /// When it started, in the kernel's ticks; 0 where that is not known.
    pub started: u64,
}

/// Programs that only stand between the agent and its hook.
#[cfg(target_os = "linux")]
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "fish", "env", "timeout", "ash"];

/// The process that called: the nearest above this one that is no shell.
#[cfg(target_os = "linux")]
pub(crate) fn caller() -> Option<Process> {
    let mut id = std::os::unix::process::parent_id();
    for _ in 0..8 {
        let (name, parent, started) = stat(id)?;
        if !SHELLS.contains(&name.as_str()) {
            return (id > 1).then_some(Process { id, started });
        }
        id = parent;
    }
    None
}

/// Elsewhere the parent, by its number alone.
#[cfg(not(target_os = "linux"))]
pub fn caller() -> Option<Process> {
    #[cfg(unix)]
    let found = Some(std::os::unix::process::parent_id()).filter(|id| *id > 1);
    #[cfg(not(unix))]
    let found = None;
    found.map(|id| Process { id, started: 0 })
}

impl Process {
    /// True while it lives.
    #[cfg(target_os = "linux")]
    pub fn is_alive(self) -> bool {
        stat(self.id).is_some_and(|(_, _, started)| self.started == 0 || started == self.started)
    }

    /// True while some process has its number.
    #[cfg(all(unix, not(target_os = "linux")))]
    pub fn is_alive(self) -> bool {
        let pid = i32::try_from(self.id).ok().and_then(rustix::process::Pid::from_raw);
        pid.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
    }

    /// Nothing says otherwise.
    #[cfg(not(unix))]
    pub fn is_alive(self) -> bool {
        true
    }

    /// This process as it can be known again.
    pub fn known(id: u32) -> Self {
        #[cfg(target_os = "linux")]
        let started = stat(id).map_or(0, |(_, _, started)| started);
        #[cfg(not(target_os = "linux"))]
        let started = 0;
        Self { id, started }
    }
}

/// Name, parent and start of a process; `None` when it is gone, also when only its exit code is left of it.
#[cfg(target_os = "linux")]
fn stat(id: u32) -> Option<(String, u32, u64)> {
    let text = sprag_base::files::read_text(format!("/proc/{id}/stat"), sprag_base::files::SMALL).ok()?;
    let (before, after) = text.rsplit_once(')')?;
    let name = before.split_once('(')?.1.to_owned();
    let mut fields = after.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    (state != "Z" && state != "X").then_some((name, parent, started))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_alive_until_it_is_gone() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let known = Process::known(child.id());
        assert!(known.started > 0 && known.is_alive());
        assert!(!Process { started: known.started + 1, ..known }.is_alive(), "another one with its number");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!known.is_alive());
        assert!(caller().unwrap().is_alive());
    }
}
