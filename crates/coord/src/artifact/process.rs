//! A process and what tells it from a later one with the same id. Only ids that were recorded with their start are ended.

use std::time::{Duration, Instant};

/// What tells a running process from a later one with the same id, or one of another container; `None` when there is none.
#[cfg(target_os = "linux")]
pub fn start_of(pid: i64) -> Option<String> {
    let process = sprag_base::pid::Process::find(u32::try_from(pid).ok()?)?;
    Some(format!("{:x}/{}", process.space, process.started))
}

/// What tells a running process from a later one with the same id; `None` when there is none.
#[cfg(not(target_os = "linux"))]
pub fn start_of(pid: i64) -> Option<String> {
    let output = std::process::Command::new("ps")
        .args(["-o", "stat=,lstart=", "-p", &pid.to_string()])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let (state, start) = text.split_once(' ')?;
    (!state.starts_with('Z')).then(|| start.trim().to_owned())
}

/// How long a process has been running, in seconds.
pub fn age_of(pid: i64) -> Option<u64> {
    let output =
        std::process::Command::new("ps").args(["-o", "etime=", "-p", &pid.to_string()]).output().ok()?;
    elapsed(String::from_utf8_lossy(&output.stdout).trim())
}

/// `[[days-]hours:]minutes:seconds`.
fn elapsed(text: &str) -> Option<u64> {
    let (days, rest) = text.split_once('-').unwrap_or(("0", text));
    let parts: Vec<u64> = rest.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
    let seconds = parts.iter().fold(0, |sum, part| sum * 60 + part);
    (parts.len() >= 2).then_some(days.parse::<u64>().ok()? * 86_400 + seconds)
}

/// How a process was started, and where.
pub fn command_of(pid: i64) -> (Vec<String>, String) {
    #[cfg(target_os = "linux")]
    {
        let words = u32::try_from(pid).ok().and_then(|pid| sprag_base::pid::argv(pid, 4 << 20));
        let cwd = std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default();
        (words.unwrap_or_default(), cwd.display().to_string())
    }
    #[cfg(not(target_os = "linux"))]
    {
        let output =
            std::process::Command::new("ps").args(["-o", "command=", "-p", &pid.to_string()]).output();
        let text = output
            .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
            .unwrap_or_default();
        (text.split_whitespace().map(str::to_owned).collect(), String::new())
    }
}

#[cfg(target_os = "linux")]
fn parent_of(pid: i64) -> Option<i64> {
    sprag_base::pid::stat(u32::try_from(pid).ok()?).map(|stat| i64::from(stat.parent))
}

#[cfg(not(target_os = "linux"))]
fn parent_of(pid: i64) -> Option<i64> {
    let output =
        std::process::Command::new("ps").args(["-o", "ppid=", "-p", &pid.to_string()]).output().ok()?;
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

/// True when the process is this one or started it: an agent must not be declared as its own tunnel.
pub fn is_around(pid: i64) -> bool {
    let mut id = i64::from(std::process::id());
    for _ in 0..64 {
        if id == pid {
            return true;
        }
        match parent_of(id) {
            Some(parent) if parent > 1 => id = parent,
            _ => return false,
        }
    }
    false
}

/// How an end went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It is gone.
    Gone,
    /// It was not there any more, or is another process now.
    NotThere,
    /// It is still there: not ours to end, or it does not go.
    Stays,
}

/// Ends a process by its id when it is still the one that was recorded: asks first, insists after `grace`.
pub fn end(pid: i64, start: &str, grace: Duration) -> Ended {
    let same = || start_of(pid).is_some_and(|now| now == start);
    if pid <= 1 || !same() {
        return Ended::NotThere;
    }
    for insist in [false, true] {
        if !signal(pid, insist) {
            return if same() { Ended::Stays } else { Ended::Gone };
        }
        let until = Instant::now() + grace;
        while Instant::now() < until {
            if !same() {
                return Ended::Gone;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    if same() { Ended::Stays } else { Ended::Gone }
}

#[cfg(unix)]
fn signal(pid: i64, insist: bool) -> bool {
    use rustix::process::{Pid, Signal, kill_process};
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
    kill_process(pid, if insist { Signal::KILL } else { Signal::TERM }).is_ok()
}

#[cfg(not(unix))]
fn signal(_pid: i64, _insist: bool) -> bool {
    false
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "helpers of tests are not seen as tests")]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    fn sleeper() -> Child {
        Command::new("sleep").arg("1000").spawn().unwrap()
    }

    #[test]
    fn a_recorded_process_is_ended_and_one_with_another_start_is_not() {
        let mut child = sleeper();
        let pid = i64::from(child.id());
        let start = start_of(pid).unwrap();
        assert_eq!(end(pid, "another boot/1", Duration::from_millis(50)), Ended::NotThere);
        assert!(child.try_wait().unwrap().is_none(), "another process with this id lives on");
        assert_eq!(end(pid, &start, Duration::from_secs(20)), Ended::Gone);
        assert!(child.wait().unwrap().code().is_none(), "by a signal");
        assert_eq!(start_of(pid), None);
    }

    #[test]
    fn one_that_does_not_listen_is_ended_too() {
        let mut child = Command::new("sh")
            .args(["-c", "trap '' TERM; echo ready; while :; do sleep 1; done"])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line)
            .unwrap();
        let pid = i64::from(child.id());
        assert_eq!(end(pid, &start_of(pid).unwrap(), Duration::from_millis(300)), Ended::Gone);
        child.wait().unwrap();
    }

    #[test]
    fn nothing_that_is_not_a_child_of_a_record_is_touched() {
        for pid in [0, 1, -1, i64::MAX] {
            assert_eq!(end(pid, "x", Duration::from_millis(1)), Ended::NotThere);
        }
        assert!(
            is_around(i64::from(std::process::id()))
                && is_around(i64::from(std::os::unix::process::parent_id()))
        );
        let mut child = sleeper();
        assert!(!is_around(i64::from(child.id())));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn ages() {
        assert_eq!(elapsed("02:05"), Some(125));
        assert_eq!(elapsed("1-01:00:00"), Some(90_000));
        assert_eq!(elapsed(""), None);
        assert!(age_of(i64::from(std::process::id())).is_some());
    }
}
