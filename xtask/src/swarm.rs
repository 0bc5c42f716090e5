//! `cargo xtask swarm --agents 1000`: the event load of many agents against one PostgreSQL on this machine.
//! Every event is the real program in a process of its own, as an agent calls it; only the agents are simulated.

use crate::bench::{install, machine, replace_between};
use crate::measure::quantile;
use crate::root;
use crate::swarm_load::{self, Load};
use anyhow::{Context as _, ensure};
use sprag_store::testing::Server;
use std::collections::{BTreeMap, BinaryHeap};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

/// What is simulated.
struct Plan {
    agents: usize,
    seconds: u64,
    /// Homes, each with its own state folder and worker, as machines have.
    machines: usize,
    /// Mean seconds between two tool calls of one agent.
    period: f64,
    /// Events that are in flight at once, at most.
    drivers: usize,
    /// The longest that a hook waits for the server.
    budget_ms: u64,
    bin: Option<PathBuf>,
    write: bool,
    /// Tasks that simulated dispatchers take; with `messages`, in place of the events.
    tasks: usize,
    messages: usize,
    store_only: bool,
}

impl Plan {
    fn read(args: &[String]) -> anyhow::Result<Self> {
        let mut plan = Self {
            agents: 1_000,
            seconds: 60,
            machines: 10,
            period: 20.0,
            drivers: 32,
            budget_ms: 100,
            bin: None,
            write: false,
            tasks: 10_000,
            messages: 100_000,
            store_only: false,
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().with_context(|| format!("{arg} needs a value"));
            match arg.as_str() {
                "--agents" => plan.agents = value()?.parse()?,
                "--seconds" => plan.seconds = value()?.parse()?,
                "--machines" => plan.machines = value()?.parse()?,
                "--period" => plan.period = value()?.parse()?,
                "--drivers" => plan.drivers = value()?.parse()?,
                "--budget-ms" => plan.budget_ms = value()?.parse()?,
                "--bin" => plan.bin = Some(value()?.into()),
                "--write" => plan.write = true,
                "--tasks" => plan.tasks = value()?.parse()?,
                "--messages" => plan.messages = value()?.parse()?,
                "--store-only" => plan.store_only = true,
                _ => anyhow::bail!(
                    "`{arg}`: one of --agents, --seconds, --machines, --period, --drivers, --budget-ms, --bin, --write, \
                     --store-only, --tasks, --messages"
                ),
            }
        }
        ensure!(plan.agents > 0 && plan.machines > 0 && plan.drivers > 0, "nothing to simulate");
        Ok(plan)
    }
}

/// One simulated machine: a home and a clone of the project.
struct Machine {
    home: PathBuf,
    project: PathBuf,
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A pause of this mean, as calls that do not know of each other have.
    fn pause(&mut self, mean: f64) -> Duration {
        Duration::from_secs_f64(-mean * (1.0 - self.next()).max(1e-9).ln())
    }
}

/// How long events of each kind took, in milliseconds.
type Times = BTreeMap<&'static str, Vec<f64>>;

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let plan = Plan::read(args)?;
    if plan.store_only {
        return store_only(&plan, args);
    }
    let dir = tempfile::tempdir()?;
    let bin = match &plan.bin {
        Some(bin) => std::path::absolute(bin)?,
        None => install(dir.path())?,
    };
    let server =
        Server::new().context("no PostgreSQL on this machine: install one, or set SPRAG_TEST_PG_BIN")?;
    let url = server.database();
    let database = url.rsplit('/').next().and_then(|name| name.split('?').next()).context("no name")?;
    let machines = machines(&plan, dir.path(), &url)?;
    let first = machines.first().context("no machine")?;
    let migrated = command(&bin, first, &["store", "migrate"]).stdout(Stdio::null()).status()?;
    ensure!(migrated.success(), "the store could not be made");
    println!(
        "{} agents on {} machines, {} s, a call every {} s each",
        plan.agents, plan.machines, plan.seconds, plan.period
    );

    let (most, over) = (AtomicI64::new(0), AtomicBool::new(false));
    let (starts, started, times, wall) = std::thread::scope(|scope| -> anyhow::Result<_> {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let sql = "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'sprag'";
                if let Ok(now) = server.number(database, sql) {
                    most.fetch_max(now, Ordering::Relaxed);
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        let begin = Instant::now();
        let starts = drive(&plan, &machines, &bin, Phase::Start);
        let started = begin.elapsed();
        let begin = Instant::now();
        let times = drive(&plan, &machines, &bin, Phase::Work);
        let wall = begin.elapsed();
        over.store(true, Ordering::Relaxed);
        Ok((starts?, started, times?, wall))
    })?;
    for machine in &machines {
        // The worker that hooks started must be gone before its home is.
        let _ = command(&bin, machine, &["worker", "--once"]).stdout(Stdio::null()).status();
    }
    let opened = server
        .number(database, &format!("SELECT sessions FROM pg_stat_database WHERE datname = '{database}'"))?;
    let claims = server.number(database, "SELECT COUNT(*) FROM sprag.claims")?;
    let live = server.number(database, "SELECT COUNT(*) FROM sprag.sessions")?;
    let errors = errors(&machines);
    let report = report(
        &plan,
        &starts,
        started,
        &times,
        wall,
        most.load(Ordering::Relaxed),
        opened,
        live,
        claims,
        errors,
    )?;
    println!("{report}");
    if plan.write {
        let page = root().join("docs/scaling.md");
        let old = std::fs::read_to_string(&page).unwrap_or_default();
        std::fs::write(&page, replace_between(&old, &report))?;
        println!("written to docs/scaling.md");
    }
    Ok(())
}

/// Tasks and messages without events: growing numbers of agents, up to the plan's.
fn store_only(plan: &Plan, args: &[String]) -> anyhow::Result<()> {
    let server =
        Server::new().context("no PostgreSQL on this machine: install one, or set SPRAG_TEST_PG_BIN")?;
    let mut rows = Vec::new();
    for agents in [10, 100, plan.agents] {
        // The smaller ones only show the growth.
        let share = if agents == plan.agents { 1 } else { 10 };
        let load = Load {
            agents,
            tasks: plan.tasks / share,
            messages: plan.messages / share,
            drivers: plan.drivers.min(agents),
        };
        println!("{agents} agents: {} tasks, {} messages", load.tasks, load.messages);
        let outcome = swarm_load::run(&server.database(), load)?;
        ensure!(outcome.double_starts == 0, "{} tasks were started twice", outcome.double_starts);
        ensure!(outcome.lost == 0, "{} messages were lost", outcome.lost);
        rows.push((load, outcome));
    }
    let command = format!("`cargo xtask swarm {}`", args.join(" "));
    let report = format!(
        "{command}: one PostgreSQL on the same computer. {}\n\n{}",
        machine(),
        swarm_load::report(&rows)
    );
    println!("{report}");
    if plan.write {
        let page = root().join("docs/scaling.md");
        let old = std::fs::read_to_string(&page).unwrap_or_default();
        let (begin, end) = ("<!-- tasks and messages: begin -->", "<!-- tasks and messages: end -->");
        let (head, rest) = old.split_once(begin).context("docs/scaling.md has no place for it")?;
        let (_, tail) = rest.split_once(end).context("docs/scaling.md has no end of that place")?;
        std::fs::write(&page, format!("{head}{begin}\n\n{report}\n{end}{tail}"))?;
        println!("written to docs/scaling.md");
    }
    Ok(())
}

fn machines(plan: &Plan, dir: &Path, url: &str) -> anyhow::Result<Vec<Machine>> {
    (0..plan.machines)
        .map(|number| {
            let home = dir.join(format!("machine-{number}"));
            let project = home.join("shop");
            std::fs::create_dir_all(project.join(".git"))?;
            std::fs::create_dir_all(home.join(".config/sprag"))?;
            let config =
                format!("preset = \"swarm\"\n[store]\nurl = \"{url}\"\nbudget_ms = {}\n", plan.budget_ms);
            std::fs::write(home.join(".config/sprag/config.toml"), config)?;
            std::fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n")?;
            let remote = "[remote \"origin\"]\n\turl = https://git.example/dev/shop.git\n";
            std::fs::write(project.join(".git/config"), remote)?;
            Ok(Machine { home, project })
        })
        .collect()
}

fn command(bin: &Path, machine: &Machine, args: &[&str]) -> Command {
    let mut command = Command::new(bin);
    command
        .args(args)
        .env_clear()
        .env("HOME", &machine.home)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("SPRAG_HOST", machine.home.file_name().unwrap_or_default())
        .current_dir(&machine.project)
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Every agent starts, as fast as the machine allows.
    Start,
    /// Every agent works, at its own pace.
    Work,
}

/// Runs one phase with all drivers; each drives its own agents.
fn drive(plan: &Plan, machines: &[Machine], bin: &Path, phase: Phase) -> anyhow::Result<Times> {
    std::thread::scope(|scope| {
        let drivers: Vec<_> = (0..plan.drivers)
            .map(|driver| {
                scope.spawn(move || -> anyhow::Result<Times> {
                    let own = (0..plan.agents).filter(|agent| agent % plan.drivers == driver);
                    match phase {
                        Phase::Start => start(own, machines, bin),
                        Phase::Work => work(own, plan, machines, bin),
                    }
                })
            })
            .collect();
        let mut all = Times::new();
        for driver in drivers {
            let times = driver.join().map_err(|_| anyhow::anyhow!("a driver died"))??;
            for (kind, mut one) in times {
                all.entry(kind).or_default().append(&mut one);
            }
        }
        Ok(all)
    })
}

fn start(own: impl Iterator<Item = usize>, machines: &[Machine], bin: &Path) -> anyhow::Result<Times> {
    let mut times = Times::new();
    for agent in own {
        event(agent, machines, bin, "SessionStart", "\"source\":\"startup\"", "SessionStart", &mut times)?;
    }
    Ok(times)
}

fn work(
    own: impl Iterator<Item = usize>,
    plan: &Plan,
    machines: &[Machine],
    bin: &Path,
) -> anyhow::Result<Times> {
    let mut times = Times::new();
    let begin = Instant::now();
    let end = begin + Duration::from_secs(plan.seconds);
    let mut due = BinaryHeap::new();
    let mut dice: BTreeMap<usize, Dice> = BTreeMap::new();
    for agent in own {
        let mut own = Dice(0x9e37_79b9_7f4a_7c15 ^ (agent as u64 + 1).wrapping_mul(0xd134_2543_de82_ef95));
        own.next();
        due.push(std::cmp::Reverse((begin + own.pause(plan.period), agent)));
        dice.insert(agent, own);
    }
    while let Some(std::cmp::Reverse((at, agent))) = due.pop() {
        if at >= end {
            break;
        }
        std::thread::sleep(at.saturating_duration_since(Instant::now()));
        let Some(dice) = dice.get_mut(&agent) else { continue };
        let (kind, tool) = call(agent, plan.agents, dice);
        event(agent, machines, bin, "PreToolUse", &tool, kind, &mut times)?;
        let after = format!("{tool},\"tool_response\":{{\"stdout\":\"\"}}");
        event(agent, machines, bin, "PostToolUse", &after, "PostToolUse", &mut times)?;
        due.push(std::cmp::Reverse((Instant::now() + dice.pause(plan.period), agent)));
    }
    Ok(times)
}

/// What an agent does next: it looks around, reads, and every fifth time changes a file, mostly one of its own.
fn call(agent: usize, agents: usize, dice: &mut Dice) -> (&'static str, String) {
    let what = dice.next();
    if what < 0.6 {
        let line = format!(
            "\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":\"ls src/{}\"}}",
            (dice.next() * 1e6) as u64
        );
        return ("PreToolUse Bash", line);
    }
    let whose = if dice.next() < 0.95 { agent } else { (dice.next() * agents as f64) as usize };
    let path = format!("src/m{whose}/f{}.rs", (dice.next() * 8.0) as u64);
    if what < 0.8 {
        return (
            "PreToolUse Read",
            format!("\"tool_name\":\"Read\",\"tool_input\":{{\"file_path\":\"{path}\"}}"),
        );
    }
    let line = format!(
        "\"tool_name\":\"Edit\",\"tool_input\":{{\"file_path\":\"{path}\",\"old_string\":\"a{}\",\"new_string\":\"b\"}}",
        (dice.next() * 1e6) as u64
    );
    ("PreToolUse Edit", line)
}

/// One event: the program with its payload, from its start to its end.
fn event(
    agent: usize,
    machines: &[Machine],
    bin: &Path,
    name: &str,
    fields: &str,
    kind: &'static str,
    times: &mut Times,
) -> anyhow::Result<()> {
    let machine = machines.get(agent % machines.len()).context("no machine")?;
    let payload = format!(
        "{{\"session_id\":\"agent-{agent:06}\",\"cwd\":\"{}\",\"hook_event_name\":\"{name}\",{fields}}}",
        machine.project.display()
    );
    let mut command = command(bin, machine, &["hook", "--agent", "claude"]);
    command.env("SPRAG_AGENT_NAME", format!("agent-{agent}")).stdin(Stdio::piped()).stdout(Stdio::null());
    let begin = Instant::now();
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(payload.as_bytes())?;
    }
    ensure!(child.wait()?.success(), "the hook failed");
    times.entry(kind).or_default().push(begin.elapsed().as_secs_f64() * 1e3);
    Ok(())
}

/// Hooks that could not do their work, by the journals.
fn errors(machines: &[Machine]) -> usize {
    machines
        .iter()
        .map(|machine| {
            let journal = machine.home.join(".local/state/sprag/journal.jsonl");
            let text = std::fs::read_to_string(journal).unwrap_or_default();
            text.lines().filter(|line| line.contains("\"error\":\"")).count()
        })
        .sum()
}

#[expect(clippy::too_many_arguments, reason = "one report of one run")]
fn report(
    plan: &Plan,
    starts: &Times,
    started: Duration,
    times: &Times,
    wall: Duration,
    most: i64,
    opened: i64,
    live: i64,
    claims: i64,
    errors: usize,
) -> anyhow::Result<String> {
    let count: usize = times.values().map(Vec::len).sum();
    let all: Vec<f64> = times.values().flatten().copied().collect();
    let offered = plan.agents as f64 / plan.period * 2.0;
    let mut out = format!(
        "`cargo xtask swarm --agents {} --seconds {} --period {} --budget-ms {}`: {} machines, one PostgreSQL, all on one \
         computer.\n\n",
        plan.agents, plan.seconds, plan.period, plan.budget_ms, plan.machines
    );
    out.push_str("| event | count | p50 ms | p95 ms | p99 ms |\n|---|---:|---:|---:|---:|\n");
    for (kind, times) in starts.iter().chain(times) {
        writeln!(
            out,
            "| {kind} | {} | {:.1} | {:.1} | {:.1} |",
            times.len(),
            quantile(times, 0.5),
            quantile(times, 0.95),
            quantile(times, 0.99)
        )?;
    }
    writeln!(
        out,
        "\n- events/s: {:.0} (offered: {offered:.0}); all starts took {:.1} s ({:.0}/s)\n\
         - p99 added latency over all events of the work: {:.1} ms\n\
         - connections: {most} at once at most, {opened} opened in all\n\
         - in the store afterwards: {live} sessions, {claims} claims; events with an error: {errors}\n\
         - machine: {}",
        count as f64 / wall.as_secs_f64(),
        started.as_secs_f64(),
        plan.agents as f64 / started.as_secs_f64(),
        quantile(&all, 0.99),
        machine()
    )?;
    Ok(out)
}
