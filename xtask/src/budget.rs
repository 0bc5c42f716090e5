//! `cargo xtask budget`: instructions and system calls of the hot path, event by event, against `bench/budget.toml`.
//!
//! Wall time says little on a shared machine; these counts are the same on every run. Each figure is the second run
//! of an event in a fresh home: the configuration is compiled, the session is known. The figures belong to one build
//! (profile `installed`, which `.ci/run` installs) and to one C library, because start-up costs differ between them.
//!
//! Page faults decide most of the wall time, but the kernel and the state of its cache decide their number: they are printed, not compared. Their
//! cause in the program, how many windows of its code an event touches, is the same everywhere.

use crate::{has, measure, root, sh, which};
use anyhow::Context as _;
use sprag_protocol::recordings;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Recorded payloads of Claude Code, in the order of a session.
const EVENTS: [&str; 14] = [
    "SessionStart.startup", "UserPromptSubmit", "PreToolUse.Bash", "PreToolUse.Read", "PreToolUse.Edit",
    "PreToolUse.Grep", "PostToolUse.Bash", "PostToolUse.Read", "PostToolUse.Edit", "PostToolUseFailure.Bash",
    "SubagentStop", "PreCompact.manual", "Stop", "SessionEnd.other",
];
/// The profile that the figures belong to.
const PROFILE: &str = "installed";
/// More than this above the budget is a failure.
const TOLERANCE_PERCENT: u64 = 3;
/// The same for windows of code, whose number depends on where the compiler's pieces of a crate end up. Functions of the event
/// path that are no longer side by side (`cargo xtask order`) multiply it.
const WINDOWS_TOLERANCE_PERCENT: u64 = 50;
/// The kernel maps this much of a file around the first touch (`fault_around_bytes`).
const WINDOW_BYTES: u64 = 64 * 1024;
/// The least of a few runs: hash seeds differ from run to run.
const ROUNDS: usize = 3;
/// System calls whose number depends on how threads are scheduled.
const UNSTEADY: [&str; 6] =
    ["futex", "sched_yield", "restart_syscall", "nanosleep", "clock_nanosleep", "madvise"];

/// What one event costs; `None` where the tool that counts is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cost {
    instructions: Option<u64>,
    system_calls: Option<u64>,
    /// Windows of the program's code that are executed.
    code_windows: Option<u64>,
    /// Printed only.
    page_faults: Option<u64>,
}

/// The figures of one build, by event.
type Figures = BTreeMap<String, Cost>;

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let given = args.iter().position(|arg| arg == "--bin").and_then(|at| args.get(at + 1));
    let (check, write) = (args.iter().any(|arg| arg == "--check"), args.iter().any(|arg| arg == "--write"));
    for tool in ["valgrind", "strace"].into_iter().filter(|tool| !has(tool)) {
        println!("xtask budget: skipped: {tool} is not installed, so its figures are not compared");
    }
    if !cfg!(target_os = "linux") || (!has("valgrind") && !has("strace")) {
        println!("xtask budget: skipped: it needs Linux, and valgrind or strace");
        return Ok(());
    }
    // The length of paths is a part of the cost: not in the system's folder for temporary files, which varies.
    let scratch = tempfile::Builder::new().prefix("sprag-budget-").rand_bytes(6).tempdir_in("/tmp")?;
    let bin = if let Some(path) = given {
        PathBuf::from(path)
    } else {
        sh(Command::new(root().join("install"))
            .args(["--profile", PROFILE, "--prefix"])
            .arg(scratch.path().join("installed")))?;
        scratch.path().join("installed/bin/sprag")
    };
    let program = scratch.path().join("sprag");
    std::fs::copy(&bin, &program).with_context(|| bin.display().to_string())?;
    let build = build(&std::fs::read(&program)?);

    let file = root().join("bench/budget.toml");
    let mut budgets = parse(&std::fs::read_to_string(&file).unwrap_or_default())?;
    let mut figures = Figures::new();
    for event in EVENTS {
        figures.insert(event.to_owned(), measure_event(scratch.path(), &program, event)?);
    }
    let known = budgets.get(&build).cloned().unwrap_or_default();
    println!("{}", table(&build, &known, &figures));
    if write {
        budgets.insert(build, figures);
        std::fs::write(&file, render(&budgets))?;
        println!("written to bench/budget.toml");
    } else if check && known.is_empty() {
        println!(
            "xtask budget: skipped: bench/budget.toml has no figures for {build} (`cargo xtask budget --write`)"
        );
    } else if check {
        let over = over(&known, &figures);
        anyhow::ensure!(
            over.is_empty(),
            "over the budget by more than {TOLERANCE_PERCENT} % (windows of code: {WINDOWS_TOLERANCE_PERCENT} %)\n  {}\n  find the cause (windows of code: cargo xtask order); when it is worth it: cargo xtask budget --write, and say why",
            over.join("\n  ")
        );
        for cheaper in over_budget_of(&figures, &known) {
            println!("xtask budget: cheaper than the budget: {cheaper}; record it with --write");
        }
    }
    Ok(())
}

/// The second run of an event in a fresh home, counted by each tool on its own. The first runs under the same tool: a hook
/// remembers the process that called it.
fn measure_event(scratch: &Path, program: &Path, event: &str) -> anyhow::Result<Cost> {
    let mut least = Cost::default();
    let lower = |least: &mut Option<u64>, count: Option<u64>| {
        *least = [*least, count].into_iter().flatten().min();
    };
    for _ in 0..ROUNDS {
        if has("valgrind") {
            let world = World::new(scratch, program, event)?;
            world.instructions();
            lower(&mut least.instructions, world.instructions());
            lower(&mut least.code_windows, world.code_windows());
        }
        if has("strace") {
            let world = World::new(scratch, program, event)?;
            world.system_calls()?;
            lower(&mut least.system_calls, world.system_calls()?);
        }
        let world = World::new(scratch, program, event)?;
        world.page_faults()?;
        lower(&mut least.page_faults, Some(world.page_faults()?));
    }
    Ok(least)
}

/// A home and a project of an event.
pub(crate) struct World<'a> {
    dir: PathBuf,
    program: &'a Path,
    payload: PathBuf,
}

impl<'a> World<'a> {
    pub(crate) fn new(scratch: &Path, program: &'a Path, event: &str) -> anyhow::Result<Self> {
        let dir = scratch.join("world");
        if dir.exists() {
            std::fs::remove_dir_all(&dir)?;
        }
        let write = |path: &str, text: &str| -> anyhow::Result<PathBuf> {
            let path = dir.join(path);
            std::fs::create_dir_all(path.parent().context("a path without a folder")?)?;
            std::fs::write(&path, text)?;
            Ok(path)
        };
        // No program is found in there: what other programs are installed must not count.
        std::fs::create_dir_all(dir.join("bin"))?;
        write("dev/.config/sprag/config.toml", "version = 1\npreset = \"standard\"\n")?;
        write("dev/shop/.git/HEAD", "ref: refs/heads/main\n")?;
        write("dev/shop/src/cart.py", "def total(items):\n    return sum(items)\n")?;
        let recording = recordings::get(&format!("claude/{event}"))
            .with_context(|| format!("there is no recording claude/{event}"))?;
        let home = dir.join("dev").display().to_string();
        let payload = write("payload.json", &recording.text.replace("/home/dev", &home))?;
        Ok(Self { dir, program, payload })
    }

    fn env(&self) -> [(&'static str, String); 3] {
        [
            ("HOME", self.dir.join("dev").display().to_string()),
            ("PATH", self.dir.join("bin").display().to_string()),
            ("SPRAG_WORKER", "off".to_owned()),
        ]
    }

    /// The symbols of all functions that the program executes; `None` where valgrind cannot run it.
    pub(crate) fn functions(&self) -> Option<BTreeSet<String>> {
        let functions: BTreeSet<String> = self
            .profile(&["--demangle=no", "--compress-strings=no"])?
            .lines()
            .filter_map(|line| line.strip_prefix("fn="))
            // A recursive call has its depth behind a quote; code without a symbol has an address.
            .filter_map(|name| name.split('\'').next())
            .filter(|name| {
                !name.starts_with("0x")
                    && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.$".contains(c))
            })
            .map(str::to_owned)
            .collect();
        (!functions.is_empty()).then_some(functions)
    }

    /// How many windows of code are executed; `None` where valgrind cannot run it.
    fn code_windows(&self) -> Option<u64> {
        let profile = self.profile(&["--dump-instr=yes", "--compress-pos=no"])?;
        Some(windows(&profile)).filter(|count| *count > 0)
    }

    /// What callgrind writes about one run.
    fn profile(&self, options: &[&str]) -> Option<String> {
        let profile = self.dir.join("profile");
        let mut valgrind = measure::orphan(&which("valgrind")?)?;
        valgrind
            .arg("--tool=callgrind")
            .args(options)
            .arg(format!("--callgrind-out-file={}", profile.display()))
            .arg(self.program)
            .args(["hook", "--agent", "claude"])
            .env_clear()
            .envs(self.env())
            .stdin(File::open(&self.payload).ok()?)
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        valgrind.spawn().ok()?.wait_with_output().ok()?;
        Some(String::from_utf8_lossy(&std::fs::read(&profile).ok()?).into_owned())
    }

    /// Minor page faults of one run.
    fn page_faults(&self) -> anyhow::Result<u64> {
        let mut command = Command::new(self.program);
        command.args(["hook", "--agent", "claude"]).env_clear().envs(self.env());
        Ok(measure::run(&mut command, &self.payload)?.page_faults)
    }

    /// `None` where valgrind cannot run it.
    fn instructions(&self) -> Option<u64> {
        measure::instructions(self.program, &["hook", "--agent", "claude"], &self.env(), &self.payload)
    }

    /// `None` where strace may not trace.
    fn system_calls(&self) -> anyhow::Result<Option<u64>> {
        let trace = self.dir.join("trace");
        let Some(mut strace) = which("strace").and_then(|strace| measure::orphan(&strace)) else {
            return Ok(None);
        };
        strace.args(["-f", "-qq", "-o"]).arg(&trace).arg(self.program).args(["hook", "--agent", "claude"]);
        strace.env_clear().envs(self.env());
        // The end of its output is its end: nobody waits for an orphan.
        let output = strace.stdin(File::open(&self.payload)?).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = output.spawn()?.wait_with_output()?;
        let trace = std::fs::read_to_string(&trace).unwrap_or_default();
        if !trace.contains("exit_group(0)") {
            let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            println!("xtask budget: skipped: strace may not trace here ({why})");
            return Ok(None);
        }
        Ok(Some(count_calls(&trace)))
    }
}

/// Windows of code in a profile with addresses: a line of costs starts with one.
fn windows(profile: &str) -> u64 {
    let address =
        |line: &str| u64::from_str_radix(line.strip_prefix("0x")?.split_whitespace().next()?, 16).ok();
    let windows: BTreeSet<u64> =
        profile.lines().filter_map(address).map(|address| address / WINDOW_BYTES).collect();
    windows.len() as u64
}

/// System calls in the output of `strace -f`: of the program and its threads, not of programs that it starts.
fn count_calls(trace: &str) -> u64 {
    let lines = || trace.lines().filter_map(|line| line.trim_start().split_once(' '));
    let first = lines().next().map_or("", |(pid, _)| pid);
    let others: BTreeSet<&str> = lines()
        .filter(|(pid, call)| *pid != first && call.trim_start().starts_with("execve("))
        .map(|(pid, _)| pid)
        .collect();
    lines()
        .filter(|(pid, _)| !others.contains(pid))
        .filter_map(|(_, call)| call.trim_start().split_once('('))
        // Signals, exits and the second halves of calls that another thread interrupted start with no name.
        .filter(|(name, _)| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
        .filter(|(name, _)| !UNSTEADY.contains(name))
        .count() as u64
}

/// Processor and C library of a program, which decide what its start costs.
fn build(program: &[u8]) -> String {
    // The note by which glibc's start files say which kernel they need; musl has none.
    const GLIBC_NOTE: [u8; 20] = *b"\x04\0\0\0\x10\0\0\0\x01\0\0\0GNU\0\0\0\0\0";
    let head = program.get(..4096).unwrap_or(program);
    let holds = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    let libc = if !holds(head, &GLIBC_NOTE) {
        "musl"
    } else if holds(head, b"/ld-linux") {
        "gnu-dynamic"
    } else {
        "gnu"
    };
    format!("{}-{libc}", std::env::consts::ARCH)
}

/// Events that cost more than their budget allows, and events without one.
fn over(budget: &Figures, figures: &Figures) -> Vec<String> {
    let mut over = over_budget_of(budget, figures);
    over.extend(
        figures
            .keys()
            .filter(|event| !budget.contains_key(*event))
            .map(|event| format!("{event}: no budget")),
    );
    over
}

fn over_budget_of(budget: &Figures, figures: &Figures) -> Vec<String> {
    let mut over = Vec::new();
    for (event, cost) in figures {
        let Some(allowed) = budget.get(event) else { continue };
        for (what, allowed, count, tolerance) in [
            ("instructions", allowed.instructions, cost.instructions, TOLERANCE_PERCENT),
            ("system calls", allowed.system_calls, cost.system_calls, TOLERANCE_PERCENT),
            ("windows of code", allowed.code_windows, cost.code_windows, WINDOWS_TOLERANCE_PERCENT),
        ] {
            if let (Some(allowed), Some(count)) = (allowed, count)
                && count * 100 > allowed * (100 + tolerance)
            {
                over.push(format!("{event}: {count} {what}, {} than {allowed}", change(allowed, count)));
            }
        }
    }
    over
}

fn change(from: u64, to: u64) -> String {
    let percent = (to as f64 / from.max(1) as f64 - 1.0) * 100.0;
    if percent < 0.0 { format!("{:.1} % less", -percent) } else { format!("{percent:.1} % more") }
}

fn table(build: &str, budget: &Figures, figures: &Figures) -> String {
    let cell = |count: Option<u64>| count.map_or_else(|| "–".to_owned(), |count| count.to_string());
    let against = |allowed: Option<u64>, count: Option<u64>| match (allowed, count) {
        (Some(allowed), Some(count)) => {
            format!("{:+.1} %", (count as f64 / allowed.max(1) as f64 - 1.0) * 100.0)
        }
        _ => String::new(),
    };
    let mut out = format!("{build}, profile {PROFILE}\n");
    let _ = writeln!(
        out,
        "{:<24} {:>12} {:>8} {:>12} {:>8} {:>12} {:>8} {:>11}",
        "event", "instructions", "", "system calls", "", "code windows", "", "page faults"
    );
    for event in EVENTS {
        let (cost, allowed) = (figures.get(event).copied(), budget.get(event).copied());
        let (cost, allowed) = (cost.unwrap_or_default(), allowed.unwrap_or_default());
        let _ = writeln!(
            out,
            "{event:<24} {:>12} {:>8} {:>12} {:>8} {:>12} {:>8} {:>11}",
            cell(cost.instructions),
            against(allowed.instructions, cost.instructions),
            cell(cost.system_calls),
            against(allowed.system_calls, cost.system_calls),
            cell(cost.code_windows),
            against(allowed.code_windows, cost.code_windows),
            cell(cost.page_faults),
        );
    }
    out
}

fn parse(text: &str) -> anyhow::Result<BTreeMap<String, Figures>> {
    let table: toml::Table = text.parse().context("bench/budget.toml")?;
    let mut budgets = BTreeMap::new();
    for (build, events) in table.iter().filter_map(|(build, events)| Some((build, events.as_table()?))) {
        let mut figures = Figures::new();
        for (event, cost) in events {
            let count = |key: &str| cost.get(key).and_then(toml::Value::as_integer)?.try_into().ok();
            let cost = Cost {
                instructions: count("instructions"),
                system_calls: count("system_calls"),
                code_windows: count("code_windows"),
                page_faults: None,
            };
            figures.insert(event.clone(), cost);
        }
        budgets.insert(build.clone(), figures);
    }
    Ok(budgets)
}

fn render(budgets: &BTreeMap<String, Figures>) -> String {
    let mut out = format!(
        "# What an event may cost, compared by `cargo xtask budget --check` (in `.ci/run`), written by `--write`.\n\
         # Instructions by callgrind, system calls by strace, windows of 64 KB of code that are executed; the second run of a recorded event in a fresh home, no worker.\n\
         profile = \"{PROFILE}\"\npreset = \"standard\"\ntolerance_percent = {TOLERANCE_PERCENT}\n"
    );
    for (build, figures) in budgets {
        let _ = writeln!(out, "\n[{build}]");
        for (event, cost) in EVENTS.iter().filter_map(|event| Some((event, figures.get(*event)?))) {
            let mut parts = Vec::new();
            parts.extend(cost.instructions.map(|count| format!("instructions = {count}")));
            parts.extend(cost.system_calls.map(|count| format!("system_calls = {count}")));
            parts.extend(cost.code_windows.map(|count| format!("code_windows = {count}")));
            let _ = writeln!(out, "\"{event}\" = {{ {} }}", parts.join(", "));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(instructions: u64, system_calls: u64) -> Figures {
        let cost = Cost {
            instructions: Some(instructions),
            system_calls: Some(system_calls),
            code_windows: Some(system_calls),
            page_faults: None,
        };
        BTreeMap::from([("Stop".to_owned(), cost)])
    }

    #[test]
    fn three_per_cent_more_is_allowed_and_no_more() {
        let budget = figures(1_000_000, 100);
        assert_eq!(over(&budget, &figures(1_030_000, 103)), Vec::<String>::new());
        assert_eq!(over(&budget, &figures(1_030_001, 104)).len(), 2);
        assert_eq!(over(&budget, &figures(1_000_000, 151)).len(), 2, "windows of code too");
        assert_eq!(over(&budget, &figures(500_000, 50)), Vec::<String>::new());
        assert_eq!(over_budget_of(&figures(500_000, 100), &budget).len(), 1, "it is cheaper");
        assert_eq!(over(&Figures::new(), &budget), ["Stop: no budget"]);
    }

    #[test]
    fn a_window_counts_once() {
        let profile = "fn=(1)\n0x401000 12 1\n0x40ffff 13 7\ncalls=1 0x990000\n0x410000 13 9\n+3 4\n";
        assert_eq!(windows(profile), 2);
    }

    #[test]
    fn page_faults_fail_no_check() {
        let mut slow = figures(1, 1);
        for cost in slow.values_mut() {
            cost.page_faults = Some(9_999);
        }
        assert_eq!(over(&figures(1, 1), &slow), Vec::<String>::new());
    }

    #[test]
    fn what_has_no_count_is_not_compared() {
        let unknown = BTreeMap::from([("Stop".to_owned(), Cost::default())]);
        assert_eq!(over(&figures(1, 1), &unknown), Vec::<String>::new());
    }

    #[test]
    fn the_file_reads_back_as_it_was_written() {
        let budgets = BTreeMap::from([
            ("x86_64-musl".to_owned(), figures(7, 3)),
            ("x86_64-gnu".to_owned(), figures(8, 4)),
        ]);
        assert_eq!(parse(&render(&budgets)).unwrap(), budgets);
    }

    #[test]
    fn calls_of_threads_count_and_those_of_other_programs_do_not() {
        let trace = "\
10 execve(\"/sprag\", [\"sprag\"], 0x1 /* 3 vars */) = 0
10 clone3({flags=CLONE_VM|CLONE_THREAD} => {parent_tid=[11]}, 88) = 11
10 futex(0x1, FUTEX_WAIT, 1, NULL <unfinished ...>
11 openat(AT_FDCWD, \"/a (b)\", O_RDONLY <unfinished ...>
10 vfork( <unfinished ...>
12 dup2(3, 0) = 0
12 execve(\"/bin/git\", [\"git\"], 0x1) = -1 ENOENT (No such file or directory)
12 exit_group(127) = ?
10 <... vfork resumed>) = 12
11 <... openat resumed>) = 3
10 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED} ---
11 +++ exited with 0 +++
10 exit_group(0) = ?
";
        assert_eq!(count_calls(trace), 5);
    }

    #[test]
    fn the_c_library_is_told_from_the_program() {
        let note = b"\x7fELF....\x04\0\0\0\x10\0\0\0\x01\0\0\0GNU\0\0\0\0\0\x03".to_vec();
        let dynamic = [note.as_slice(), b"/lib64/ld-linux-x86-64.so.2\0"].concat();
        assert!(build(b"\x7fELF").ends_with("-musl"));
        assert!(build(&note).ends_with("-gnu"));
        assert!(build(&dynamic).ends_with("-gnu-dynamic"));
    }
}
