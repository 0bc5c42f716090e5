//! Wall time, processor time, memory and instructions of a process.
//! The one module of this package with `unsafe` (docs/adr/0005): only `wait4` tells one child's own use.

use crate::which;
use anyhow::Context as _;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// One run of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) wall_ms: f64,
    pub(crate) cpu_ms: f64,
    pub(crate) rss_kb: i64,
    /// Those that needed no disk.
    pub(crate) page_faults: u64,
}

/// Runs a command with a file as standard input.
pub(crate) fn run(command: &mut Command, stdin: &Path) -> anyhow::Result<Run> {
    run_into(command, stdin, Stdio::null())
}

/// The same; what it prints goes somewhere.
pub(crate) fn run_into(command: &mut Command, stdin: &Path, stdout: Stdio) -> anyhow::Result<Run> {
    let input = File::open(stdin).with_context(|| stdin.display().to_string())?;
    command.stdin(input).stdout(stdout).stderr(Stdio::null());
    let started = Instant::now();
    let child = command.spawn().with_context(|| format!("{command:?}"))?;
    let usage = wait(child.id() as i32)?;
    let wall_ms = started.elapsed().as_secs_f64() * 1_000.0;
    let ms = |time: libc::timeval| time.tv_sec as f64 * 1_000.0 + time.tv_usec as f64 / 1_000.0;
    let cpu_ms = ms(usage.ru_utime) + ms(usage.ru_stime);
    Ok(Run { wall_ms, cpu_ms, rss_kb: usage.ru_maxrss, page_faults: usage.ru_minflt.unsigned_abs() })
}

#[allow(unsafe_code, reason = "std's wait gives no resource usage; see docs/adr/0005")]
fn wait(pid: i32) -> anyhow::Result<libc::rusage> {
    let mut status = 0;
    // SAFETY: `rusage` is plain data that wait4 fills; the pid is a child of ours that nobody else waits for.
    let (waited, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(pid, &raw mut status, 0, &raw mut usage), usage)
    };
    anyhow::ensure!(waited == pid && status == 0, "the process ended with status {status}");
    Ok(usage)
}

/// Instructions that a command executes, by callgrind; `None` where valgrind is not installed.
pub(crate) fn instructions(
    program: &Path,
    args: &[&str],
    env: &[(&str, String)],
    stdin: &Path,
) -> Option<u64> {
    // The variables may hold a PATH on which valgrind is not.
    let mut valgrind = orphan(&which("valgrind")?)?;
    let valgrind = valgrind
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(args)
        .env_clear()
        .envs(env.iter().map(|(key, value)| (*key, value.as_str())))
        .stdin(File::open(stdin).ok()?)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    // Up to the end of its output, which is its own end: who started it is gone long before.
    let output = valgrind.spawn().ok()?.wait_with_output().ok()?;
    collected(&String::from_utf8_lossy(&output.stderr))
}

/// A program whose parent is gone before it does anything: what a hook sees above it is then the same in every shell, test
/// runner and container. `None` where `setsid` is not installed.
pub(crate) fn orphan(program: &Path) -> Option<Command> {
    let mut command = Command::new(which("setsid")?);
    command.arg("--fork").arg(program);
    Some(command)
}

/// The count of the first process in what callgrind prints. A fork that finds no program to become counts what its parent did
/// up to then and prints it too, in an order that the scheduler decides.
fn collected(text: &str) -> Option<u64> {
    let first =
        text.lines().find_map(|line| line.strip_prefix("==")?.split_once("==")).map(|(pid, _)| pid)?;
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("=={first}== Collected :")))?;
    line.trim().parse().ok()
}

/// The value below which this share of the numbers lies.
pub(crate) fn quantile(numbers: &[f64], share: f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = ((sorted.len().saturating_sub(1)) as f64 * share).round() as usize;
    sorted.get(at).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_does_not_count_for_its_parent() {
        let text = "==9== Callgrind, a call-graph generating cache profiler\n==12== Events    : Ir\n==12== Collected : 3287353\n\
                    ==13== Collected : 3308384\n==9== Collected : 3620023\n";
        assert_eq!(collected(text), Some(3_620_023));
        assert_eq!(collected("valgrind: cannot run\n"), None);
    }
}
