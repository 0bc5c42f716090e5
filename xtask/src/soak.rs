//! `cargo xtask soak --hours N`: sessions of every agent that was recorded, for hours, in one home. Every event is the real program in a
//! process of its own. What each part of the state takes, and what processes need, is measured and plotted.
//! With libfaketime days pass in seconds, so that what is removed after days is removed.

use crate::bench::replace_marked;
use crate::measure;
use crate::root;
use anyhow::{Context as _, bail, ensure};
use serde_json::{Value, json};
use sprag_protocol::{AgentId, Event, EventKind, decode, recordings};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// Sessions that are open at a time.
const OPEN: usize = 3;
/// Sessions after which a project is left for a new one.
const SESSIONS_PER_PROJECT: u64 = 12;
/// Rows of the table.
const ROWS: usize = 12;

struct Options {
    seconds: f64,
    bin: PathBuf,
    /// Seconds in which a day passes; 0: time is not changed.
    day_s: f64,
    seed: u64,
    write: bool,
    budget_mb: u64,
}

/// A generator of numbers (splitmix64): the same seed gives the same sessions.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }
}

/// A recorded payload, and what it is.
struct Payload {
    text: &'static str,
    event: Event,
}

/// The recordings of one agent.
struct Dialect {
    agent: AgentId,
    start: Vec<Payload>,
    prompt: Vec<Payload>,
    tools: Vec<Payload>,
    stop: Vec<Payload>,
    end: Vec<Payload>,
}

fn dialects() -> Vec<Dialect> {
    let of = |agent: AgentId| {
        let mut dialect = Dialect {
            agent,
            start: Vec::new(),
            prompt: Vec::new(),
            tools: Vec::new(),
            stop: Vec::new(),
            end: Vec::new(),
        };
        for recording in recordings::ALL {
            if !recording.name.starts_with(&format!("{}/", agent.name())) {
                continue;
            }
            let Ok(event) = decode::decode(recording.text.as_bytes(), Some(agent), &|_| None) else {
                continue;
            };
            let kind = match event.kind {
                EventKind::SessionStart => &mut dialect.start,
                EventKind::UserPromptSubmit => &mut dialect.prompt,
                EventKind::Stop => &mut dialect.stop,
                EventKind::SessionEnd => &mut dialect.end,
                _ => &mut dialect.tools,
            };
            kind.push(Payload { text: recording.text, event });
        }
        dialect
    };
    AgentId::ALL.into_iter().map(of).filter(|dialect| !dialect.tools.is_empty()).collect()
}

/// A session that goes on.
struct Session {
    dialect: usize,
    id: String,
    project: PathBuf,
    transcript: PathBuf,
    left: usize,
    lines: u64,
}

/// What was measured up to a moment.
#[derive(Clone, Debug, Default)]
struct Sample {
    minutes: f64,
    day: f64,
    sessions: u64,
    events: u64,
    /// Bytes of each part.
    parts: BTreeMap<String, u64>,
    hook_rss_mb: f64,
    worker_rss_mb: f64,
    start_ms: f64,
    waiting: usize,
}

impl Sample {
    fn total(&self) -> u64 {
        self.parts.values().sum()
    }
}

struct Soak {
    options: Options,
    home: PathBuf,
    scratch: PathBuf,
    faketime: Option<PathBuf>,
    random: Random,
    dialects: Vec<Dialect>,
    began: Instant,
    sessions: u64,
    events: u64,
    agents: BTreeMap<&'static str, u64>,
    denials: u64,
    faults: Vec<String>,
    now: Sample,
}

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let options = parse(args)?;
    let dir = tempfile::Builder::new().prefix("sprag-soak-").tempdir()?;
    let faketime = (options.day_s > 0.0).then(faketime).flatten();
    if options.day_s > 0.0 && faketime.is_none() {
        println!(
            "xtask soak: libfaketime is missing (Debian: libfaketime; or SPRAG_FAKETIME=PATH): time is not changed"
        );
    }
    let mut soak = Soak {
        home: dir.path().join("home"),
        scratch: dir.path().to_path_buf(),
        faketime,
        random: Random(options.seed),
        dialects: dialects(),
        began: Instant::now(),
        sessions: 0,
        events: 0,
        agents: BTreeMap::new(),
        denials: 0,
        faults: Vec::new(),
        now: Sample::default(),
        options,
    };
    ensure!(soak.dialects.len() >= 4, "only {} agents are recorded", soak.dialects.len());
    let samples = soak.go()?;
    let report = soak.report(&samples);
    println!("{report}");
    if soak.options.write {
        let page = root().join("docs/reliability.md");
        fs::write(&page, replace_marked(&fs::read_to_string(&page)?, "soak measured", &report))?;
        fs::write(root().join("docs/images/plot-soak.svg"), plot(&samples))?;
        println!("written to docs/reliability.md and docs/images/plot-soak.svg");
    }
    ensure!(soak.faults.is_empty(), "{} faults", soak.faults.len());
    Ok(())
}

fn parse(args: &[String]) -> anyhow::Result<Options> {
    let mut options = Options {
        seconds: 600.0,
        bin: root().join("target/debug/sprag"),
        day_s: 20.0,
        seed: 1,
        write: false,
        budget_mb: 0,
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().with_context(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--hours" => options.seconds = value()?.parse::<f64>()? * 3_600.0,
            "--minutes" => options.seconds = value()?.parse::<f64>()? * 60.0,
            "--bin" => options.bin = PathBuf::from(value()?),
            "--day" => options.day_s = value()?.parse()?,
            "--seed" => options.seed = value()?.parse()?,
            "--budget-mb" => options.budget_mb = value()?.parse()?,
            "--write" => options.write = true,
            other => bail!(
                "unknown argument {other}: --hours N, --minutes N, --bin PATH, --day SECONDS, --seed N, --budget-mb N, --write"
            ),
        }
    }
    ensure!(
        options.bin.is_file(),
        "{} is missing: cargo build -p sprag, or --bin PATH",
        options.bin.display()
    );
    Ok(options)
}

/// The library that changes what a process takes for the time.
fn faketime() -> Option<PathBuf> {
    let told = std::env::var_os("SPRAG_FAKETIME").map(PathBuf::from);
    let usual = [
        "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
        "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
    ];
    told.into_iter().chain(usual.map(PathBuf::from)).find(|path| path.is_file())
}

impl Soak {
    fn go(&mut self) -> anyhow::Result<Vec<Sample>> {
        fs::create_dir_all(self.home.join(".config/sprag"))?;
        let budget = match self.options.budget_mb {
            0 => String::new(),
            mb => format!("\n[disk]\nbudget_mb = {mb}\n"),
        };
        fs::write(self.home.join(".config/sprag/config.toml"), format!("preset = \"strict\"\n{budget}"))?;
        fs::write(self.scratch.join("empty"), "")?;
        let mut open: Vec<Session> = Vec::new();
        let mut samples = Vec::new();
        let every = Duration::from_secs_f64((self.options.seconds / 60.0).clamp(5.0, 120.0));
        let mut next = every;
        while self.began.elapsed().as_secs_f64() < self.options.seconds {
            if open.len() < OPEN {
                let session = self.begin()?;
                open.push(session);
                continue;
            }
            let at = self.random.below(open.len());
            let Some(session) = open.get_mut(at) else { continue };
            if session.left == 0 {
                let mut session = open.swap_remove(at);
                self.end(&mut session)?;
            } else {
                session.left -= 1;
                self.step(session)?;
            }
            if self.began.elapsed() >= next {
                next += every;
                samples.push(self.sample());
            }
        }
        samples.push(self.sample());
        Ok(samples)
    }

    /// Seconds that the processes are ahead of the clock.
    fn ahead(&self) -> f64 {
        match self.faketime {
            Some(_) => self.began.elapsed().as_secs_f64() / self.options.day_s * 86_400.0,
            None => 0.0,
        }
    }

    fn command(&self, args: &[&str], cwd: &Path) -> Command {
        let mut command = Command::new(&self.options.bin);
        command.args(args).env_clear().current_dir(cwd).envs([
            ("HOME", self.home.display().to_string()),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("SPRAG_WORKER", "off".to_owned()),
        ]);
        if let Some(library) = &self.faketime {
            command.env("LD_PRELOAD", library);
            command.env("FAKETIME", format!("+{:.0}", self.ahead()));
            command.env("NO_FAKE_STAT", "1");
        }
        command
    }

    fn begin(&mut self) -> anyhow::Result<Session> {
        let dialect = self.random.below(self.dialects.len());
        let project = self.home.join(format!("work/shop{}", self.sessions / SESSIONS_PER_PROJECT));
        if !project.is_dir() {
            fs::create_dir_all(project.join("src"))?;
            for number in 0..40 {
                let body =
                    format!("def total{number}(items):\n    return sum(items) * {number}\n").repeat(30);
                fs::write(project.join(format!("src/cart{number}.py")), body)?;
            }
            let git = "git init -q . && git add -A && git -c user.name=t -c user.email=t@example.invalid commit -qm x";
            ensure!(Command::new("sh").args(["-c", git]).current_dir(&project).status()?.success(), "git");
        }
        let (high, low) = (self.random.next(), self.random.next());
        let id = format!(
            "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
            high as u32,
            low & 0xffff,
            low >> 16 & 0xfff,
            low >> 32 & 0xfff,
            high >> 16
        );
        self.sessions += 1;
        let transcript = self.home.join(format!(".claude/projects/shop/{id}.jsonl"));
        let left = 4 + self.random.below(30);
        let mut session = Session { dialect, id, project, transcript, left, lines: 0 };
        self.say(&mut session)?;
        self.event(&session, |dialect| &dialect.start)?;
        self.event(&session, |dialect| &dialect.prompt)?;
        Ok(session)
    }

    fn step(&mut self, session: &mut Session) -> anyhow::Result<()> {
        self.say(session)?;
        match self.random.below(12) {
            0 => self.event(session, |dialect| &dialect.stop)?,
            1 => self.event(session, |dialect| &dialect.prompt)?,
            _ => self.event(session, |dialect| &dialect.tools)?,
        }
        Ok(())
    }

    fn end(&mut self, session: &mut Session) -> anyhow::Result<()> {
        self.event(session, |dialect| &dialect.stop)?;
        // One in ten is killed and never says that it ends.
        if self.random.below(10) > 0 {
            self.event(session, |dialect| &dialect.end)?;
        }
        self.move_times()?;
        let mut worker = self.command(&["worker", "--once"], &session.project);
        match measure::run(&mut worker, &self.scratch.join("empty")) {
            Ok(run) => self.now.worker_rss_mb = self.now.worker_rss_mb.max(run.rss_kb as f64 / 1_024.0),
            Err(error) => self.fault(format!("worker: {error}")),
        }
        self.move_times()
    }

    /// The transcript goes on as Claude Code writes it.
    fn say(&mut self, session: &mut Session) -> anyhow::Result<()> {
        use std::io::Write as _;
        let topics = [
            "the totals are rounded wrongly",
            "the release branch is cut on Thursdays",
            "staging needs the VPN",
            "we decided to use SQLite",
        ];
        let topic = self.random.pick(&topics).copied().unwrap_or_default();
        let folder = session.transcript.parent().context("no folder")?;
        fs::create_dir_all(folder)?;
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&session.transcript)?;
        for role in ["user", "assistant"] {
            session.lines += 1;
            let text = format!("Number {}: {topic}. {}", session.lines, "More about it. ".repeat(20));
            let line = json!({"type": role, "uuid": format!("{}-{}", session.id, session.lines), "sessionId": session.id, "cwd": session.project,
                "timestamp": "2026-11-18T08:00:00.000Z", "message": {"role": role, "content": [{"type": "text", "text": text}],
                "usage": {"input_tokens": 1_000, "output_tokens": 50}}});
            writeln!(file, "{line}")?;
        }
        Ok(())
    }

    fn event(&mut self, session: &Session, kind: fn(&Dialect) -> &Vec<Payload>) -> anyhow::Result<()> {
        let Some(dialect) = self.dialects.get(session.dialect) else { return Ok(()) };
        let Some(payload) = self.random.pick(kind(dialect)) else { return Ok(()) };
        let agent = dialect.agent;
        let commands = [
            "cargo test", "git status", "npm run build", "ls -la src", "rm -rf ~",
            "git push --force origin main", "echo done",
        ];
        let command = match self.random.below(3) {
            0 => format!("echo {}", self.random.next()),
            _ => (*self.random.pick(&commands).unwrap_or(&"true")).to_owned(),
        };
        let number = self.random.below(40);
        let project = session.project.display().to_string();
        let mut text = payload
            .text
            .replace("/home/dev/shop", &project)
            .replace("/home/dev", &self.home.display().to_string());
        text = text.replace("cart.py", &format!("cart{number}.py"));
        if !payload.event.session_id.is_empty() {
            text = text.replace(&payload.event.session_id, &session.id);
        }
        let mut value: Value = serde_json::from_str(&text)?;
        let denied = set_command(&mut value, &command) && command == "rm -rf ~";
        if let Some(path) = value.get_mut("transcript_path").filter(|path| path.is_string()) {
            *path = json!(session.transcript);
        }
        let input = self.scratch.join("payload.json");
        let output = self.scratch.join("answer");
        fs::write(&input, value.to_string())?;
        let mut command = self.command(&["hook", "--agent", agent.name()], &session.project);
        let run = measure::run_into(&mut command, &input, Stdio::from(File::create(&output)?));
        self.events += 1;
        *self.agents.entry(agent.name()).or_default() += 1;
        let answer = fs::read_to_string(&output).unwrap_or_default();
        let what = format!("{} {:?}", agent.name(), payload.event.kind);
        let mut faults = Vec::new();
        match run {
            Ok(run) => {
                self.now.hook_rss_mb = self.now.hook_rss_mb.max(run.rss_kb as f64 / 1_024.0);
                if payload.event.kind == EventKind::SessionStart {
                    self.now.start_ms = self.now.start_ms.max(run.cpu_ms);
                }
            }
            // Only an agent that reads no answer is denied by the exit code.
            Err(error) if !error.to_string().contains("status 512") => {
                faults.push(format!("{what}: {error}"));
            }
            Err(_) => self.denials += 1,
        }
        // Some agents take context as plain text; it begins with the hook's name in brackets.
        if !answer.trim().is_empty()
            && !answer.trim_start().starts_with(['{', '['])
            && payload.event.kind != EventKind::PreCompact
        {
            faults.push(format!("{what}: no JSON: {answer}"));
        }
        if denied && agent == AgentId::CANONICAL && payload.event.kind == EventKind::PreToolUse {
            if answer.contains("deny") {
                self.denials += 1;
            } else {
                faults.push(format!("{what}: rm -rf ~ was not denied: {answer}"));
            }
        }
        faults.into_iter().for_each(|fault| self.fault(fault));
        Ok(())
    }

    fn fault(&mut self, what: String) {
        println!("fault: {what}");
        self.faults.push(what);
    }

    /// Files that were just written get the time that their writers saw.
    fn move_times(&self) -> anyhow::Result<()> {
        if self.faketime.is_none() {
            return Ok(());
        }
        let ahead = Duration::from_secs_f64(self.ahead());
        let now = SystemTime::now() + Duration::from_secs(2);
        let then = now + ahead;
        each_file(&self.home, &mut |path, meta| {
            // Those from before are ahead of the clock already.
            if meta.modified().is_ok_and(|at| at <= now)
                && let Ok(file) = File::options().write(true).open(path)
            {
                let _ = file.set_modified(then);
            }
        });
        Ok(())
    }

    fn sample(&mut self) -> Sample {
        let state = self.home.join(".local/state/sprag");
        let mut sample = std::mem::take(&mut self.now);
        sample.minutes = self.began.elapsed().as_secs_f64() / 60.0;
        sample.day = self.ahead() / 86_400.0;
        (sample.sessions, sample.events) = (self.sessions, self.events);
        for (folder, prefix) in [(state.clone(), ""), (self.home.join(".local/share/sprag"), "knowledge/")] {
            each_file(&folder, &mut |path, meta| {
                let below = path.strip_prefix(&folder).unwrap_or(path);
                let first =
                    below.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
                let name = first.unwrap_or_default();
                let name = if name.starts_with("journal") { "journal".to_owned() } else { name };
                let name = name.trim_end_matches("-wal").trim_end_matches("-shm").to_owned();
                *sample.parts.entry(format!("{prefix}{name}")).or_default() += meta.len();
            });
        }
        sample.waiting = fs::read_dir(state.join("queue/waiting")).map_or(0, Iterator::count);
        println!(
            "{:.1} min, day {:.0}, {} sessions, {} events: {} KB, hooks {:.0} MB, worker {:.0} MB, start {:.0} ms, {} jobs wait, {} faults; {:?}",
            sample.minutes,
            sample.day,
            sample.sessions,
            sample.events,
            sample.total() / 1024,
            sample.hook_rss_mb,
            sample.worker_rss_mb,
            sample.start_ms,
            sample.waiting,
            self.faults.len(),
            sample.parts,
        );
        sample
    }

    fn report(&self, samples: &[Sample]) -> String {
        let mut out = String::new();
        let last = samples.last().cloned().unwrap_or_default();
        let agents: Vec<String> =
            self.agents.iter().map(|(agent, count)| format!("{agent} {count}")).collect();
        let _ = writeln!(
            out,
            "{:.0} minutes, {:.0} days as the processes saw it, seed {}: {} sessions in {} projects, {} events ({}). {} dangerous commands were \
             denied; {} faults.\n",
            last.minutes,
            last.day,
            self.options.seed,
            last.sessions,
            last.sessions / SESSIONS_PER_PROJECT + 1,
            last.events,
            agents.join(", "),
            self.denials,
            self.faults.len(),
        );
        let mut largest: Vec<(&String, &u64)> = last.parts.iter().collect();
        largest.sort_by_key(|(_, bytes)| std::cmp::Reverse(**bytes));
        let names: Vec<&String> = largest.iter().take(8).map(|(name, _)| *name).collect();
        let _ = write!(out, "| day | sessions | state, KB |");
        for name in &names {
            let _ = write!(out, " {name} |");
        }
        let _ = writeln!(out, " jobs | hook, MB | worker, MB | start, ms |");
        let _ = writeln!(out, "|---:|{}", "---:|".repeat(names.len() + 6));
        let step = samples.len().div_ceil(ROWS).max(1);
        for (number, sample) in samples.iter().enumerate() {
            if number % step != step - 1 && number + 1 != samples.len() {
                continue;
            }
            let _ = write!(out, "| {:.0} | {} | {} |", sample.day, sample.sessions, sample.total() / 1024);
            for name in &names {
                let _ = write!(out, " {} |", sample.parts.get(*name).unwrap_or(&0) / 1024);
            }
            let _ = writeln!(
                out,
                " {} | {:.0} | {:.0} | {:.0} |",
                sample.waiting, sample.hook_rss_mb, sample.worker_rss_mb, sample.start_ms
            );
        }
        out
    }
}

/// Puts a command into the payload of a tool that runs one.
fn set_command(value: &mut Value, command: &str) -> bool {
    match value {
        Value::Object(map) => {
            let mut set = false;
            for (name, value) in map.iter_mut() {
                if name == "command" && value.is_string() {
                    *value = json!(command);
                    set = true;
                } else {
                    set |= set_command(value, command);
                }
            }
            set
        }
        _ => false,
    }
}

fn each_file(folder: &Path, each: &mut dyn FnMut(&Path, &fs::Metadata)) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(meta) = entry.metadata() else { continue };
        if meta.is_dir() {
            if entry.file_name() != ".git" {
                each_file(&entry.path(), each);
            }
        } else {
            each(&entry.path(), &meta);
        }
    }
}

/// Lines of the largest parts over time.
fn plot(samples: &[Sample]) -> String {
    const COLORS: [&str; 6] = ["#3b82c4", "#d1495b", "#4d9078", "#edae49", "#7b5ea7", "#6b7280"];
    let last = samples.last().cloned().unwrap_or_default();
    let mut largest: Vec<(&String, u64)> = last.parts.iter().map(|(name, bytes)| (name, *bytes)).collect();
    largest.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let most = samples.iter().map(Sample::total).max().unwrap_or(1).max(1) as f64;
    let end = last.sessions.max(1) as f64;
    let title = "State by sessions, MB: the whole, and its largest parts";
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 320\" width=\"800\" height=\"320\" role=\"img\" aria-label=\"{title}\">\n\
         <rect width=\"800\" height=\"320\" rx=\"8\" fill=\"#ffffff\"/>\n\
         <g font-family=\"system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif\" font-size=\"12\" fill=\"#1f2530\">\n\
         <text x=\"16\" y=\"24\" font-weight=\"bold\">{title}</text>\n\
         <line x1=\"50\" y1=\"280\" x2=\"600\" y2=\"280\" stroke=\"#9aa5b1\"/><line x1=\"50\" y1=\"40\" x2=\"50\" y2=\"280\" stroke=\"#9aa5b1\"/>\n\
         <text x=\"44\" y=\"50\" text-anchor=\"end\">{:.0}</text><text x=\"44\" y=\"284\" text-anchor=\"end\">0</text>\
         <text x=\"600\" y=\"298\" text-anchor=\"end\">{end} sessions, {:.0} days</text>\n",
        most / 1_048_576.0,
        last.day,
    );
    let names = std::iter::once(None).chain(largest.iter().take(5).map(|(name, _)| Some(*name)));
    for ((number, name), color) in names.enumerate().zip(COLORS) {
        let of = |sample: &Sample| {
            name.map_or_else(|| sample.total(), |name| sample.parts.get(name).copied().unwrap_or(0)) as f64
        };
        let points: Vec<String> = samples
            .iter()
            .map(|sample| {
                format!(
                    "{:.0},{:.0}",
                    50.0 + sample.sessions as f64 / end * 550.0,
                    280.0 - of(sample) / most * 235.0
                )
            })
            .collect();
        let label = name.map_or("all", String::as_str);
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/><text x=\"620\" y=\"{}\" fill=\"{color}\">{label} {:.1}</text>",
            points.join(" "),
            50 + number * 20,
            of(&last) / 1_048_576.0,
        );
    }
    out.push_str("</g>\n</svg>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recorded_agent_has_a_session() {
        let dialects = dialects();
        let names: Vec<&str> = dialects.iter().map(|dialect| dialect.agent.name()).collect();
        assert!(dialects.len() >= 8, "{names:?}");
        for dialect in &dialects {
            assert!(!dialect.tools.is_empty(), "{}", dialect.agent.name());
        }
    }

    #[test]
    fn a_command_is_put_where_one_is() {
        let mut value = json!({"tool_input": {"command": "ls"}, "command": ["x"]});
        assert!(set_command(&mut value, "rm -rf ~"));
        assert_eq!(value["tool_input"]["command"], "rm -rf ~");
        assert!(!set_command(&mut json!({"prompt": "x"}), "ls"));
    }

    #[test]
    fn the_plot_shows_the_whole_and_its_parts() {
        let parts = BTreeMap::from([("journal".to_owned(), 4 << 20), ("cache".to_owned(), 1 << 20)]);
        let samples = [Sample::default(), Sample { sessions: 10, parts, ..Sample::default() }];
        let plot = plot(&samples);
        assert!(
            plot.contains(">all 5.0<") && plot.contains(">journal 4.0<") && plot.contains("600,45"),
            "{plot}"
        );
    }
}
