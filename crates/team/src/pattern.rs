//! `sprag pattern`: several agents at one piece of work. Starting a run makes the subagents of a session its members.

use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_config::host::project_at;
use sprag_coord::patterns::author::{self, COORDINATOR};
use sprag_coord::patterns::kind::PatternKind;
use sprag_coord::patterns::part::{Conf, Part, from_env, is_safe};
use sprag_coord::patterns::status::{Status, name_of, state_of, status};
use sprag_coord::patterns::{claim_file, remember_lead};
use sprag_coord::store::{Setup, micros};
use sprag_runtime::session::Session;
use sprag_scan::scrub::scrub;
use sprag_store::{Error, Join, Op, OpKind, Opening, PatternState, PatternView, RunRow, Store};
use sprag_terminal::explained;
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Table, Tone};
use std::process::ExitCode;

/// What a person sees of a member that has not reported for so long is `lost`.
const STALE: i64 = 3_600_000_000;

/// What `sprag pattern` takes.
#[derive(clap::Args)]
pub struct PatternArgs {
    #[command(subcommand)]
    command: PatternCommand,
}

#[derive(clap::Subcommand)]
enum PatternCommand {
    /// Start a run: the next subagents take its seats, in the order in which they start
    #[command(after_help = "Example:\n  sprag pattern start jury --members 3 --task 'may this be released?'")]
    Start(StartArgs),
    /// What a run has come to: members, what is missing, the result
    #[command(after_help = "Example:\n  sprag pattern status jury-1a2b3c --json")]
    Status {
        /// The run
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// The runs of this project
    #[command(after_help = "Example:\n  sprag pattern list --all")]
    List {
        /// Of all projects
        #[arg(long)]
        all: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Stop a run: nobody joins it any more, and its coordinator is not held
    #[command(after_help = "Example:\n  sprag pattern stop jury-1a2b3c")]
    Stop {
        /// The run
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Post a text to the members: a broadcast, a value on the blackboard, an event
    #[command(after_help = "Example:\n  sprag pattern post jury-1a2b3c 'the tests are green'")]
    Post {
        /// The run
        id: String,
        /// The text
        text: String,
        /// The key of the blackboard, or the type of the event
        #[arg(long, default_value = "broadcast")]
        topic: String,
        /// Who says it: a member as itself; without it, whoever this is, or the coordinator
        #[arg(long = "as")]
        author: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(clap::Args)]
struct StartArgs {
    /// swarm, jury, pipeline, generator-critic, hierarchical, map-reduce, blackboard, circuit-breaker,
    /// chain-of-responsibility, adversarial, event-driven
    #[arg(value_parser = kind)]
    kind: PatternKind,
    /// How many members; 0 is as many as come
    #[arg(long)]
    members: Option<i64>,
    /// A name for the run; without it one is made
    #[arg(long)]
    id: Option<String>,
    /// What it is about; members are told
    #[arg(long, default_value = "")]
    task: String,
    /// What a seat is for: the stage's work, the key to write, the event to get. Once per seat, in order
    #[arg(long = "seat")]
    seats: Vec<String>,
    /// Rounds of those that take turns (generator-critic, adversarial)
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(i64).range(1..=20))]
    rounds: i64,
    /// More than this share of the votes decides, in percent (jury)
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(i64).range(0..=99))]
    threshold: i64,
    /// Jurors may not read what others wrote, nor talk to them
    #[arg(long)]
    strict: bool,
    /// The session that coordinates; without it the one around this command, or the next to start a subagent here
    #[arg(long)]
    session: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn kind(text: &str) -> Result<PatternKind, String> {
    PatternKind::parse(text).ok_or_else(|| {
        let names: Vec<String> = PatternKind::ALL.iter().map(|kind| kind.name().replace('_', "-")).collect();
        format!("one of: {}", names.join(", "))
    })
}

/// Runs `sprag pattern`.
pub fn run(args: &PatternArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let setup = Setup::read(host).map_err(explained)?;
    match &args.command {
        PatternCommand::Start(args) => start(args, host, &setup, out)?,
        PatternCommand::Status { id, json } => show(id, *json, host, &setup, out)?,
        PatternCommand::List { all, json } => list(*all, *json, host, &setup, out)?,
        PatternCommand::Stop { id, json } => {
            let mut store = open(&setup)?;
            let view = find(&mut store, host, id)?;
            let now = micros(host.clock.now());
            let stopped = store.stop_pattern(&view.run.project, id, now).map_err(explained)?;
            let _ = sprag_base::files::remove(claim_file(&host.paths, &project_at(host, None).root));
            if *json {
                out.json(&json!({ "id": id, "stopped": stopped }));
            } else {
                let text = if stopped { "is stopped" } else { "was stopped before" };
                out.line(&format!("{id} {text}"));
            }
        }
        PatternCommand::Post { id, text, topic, author, json } => {
            let mut store = open(&setup)?;
            let view = find(&mut store, host, id)?;
            let project = project_at(host, None).key(&host.machine());
            let own = from_env(&|name| host.env.get(name), &project).ok().flatten();
            let session = crate::access::calling_session(host).map(|(id, _)| id);
            let author = author::author(&view, author.as_deref(), own.as_ref(), session.as_deref()).map_err(
                |why| anyhow::anyhow!(Problem::new(why, "post under your own name, or without --as")),
            )?;
            let role = view.members.iter().find(|member| member.member == author);
            let role = role.map_or(COORDINATOR, |member| member.role.as_str()).to_owned();
            let post = OpKind::PatternPost {
                project: view.run.project,
                run: id.clone(),
                author,
                role,
                topic: topic.clone(),
                text: scrub(text).into_owned(),
            };
            store.apply(&Op::new(micros(host.clock.now()), post)).map_err(explained)?;
            if *json {
                out.json(&json!({ "id": id, "topic": topic, "posts": view.run.posts + 1 }));
            } else {
                out.line(&format!("posted to {id} under {topic}"));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn open(setup: &Setup) -> anyhow::Result<Store> {
    Store::open(&setup.target, Opening::WORKER).map_err(explained)
}

/// The run of this project with this id; else the only one anywhere.
fn find(store: &mut Store, host: &Host, id: &str) -> anyhow::Result<PatternView> {
    let project = project_at(host, None).key(&host.machine());
    if let Some(view) = store.pattern(&project, id).map_err(explained)? {
        return Ok(view);
    }
    let all = store.patterns("", 1_000).map_err(explained)?;
    let found: Vec<&RunRow> = all.iter().filter(|run| run.id == id).collect();
    if let [run] = found.as_slice()
        && let Some(view) = store.pattern(&run.project, id).map_err(explained)?
    {
        return Ok(view);
    }
    anyhow::bail!(Problem::new(
        format!("there is no run `{id}` in this project"),
        "`sprag pattern list --all` shows every run"
    ))
}

fn start(args: &StartArgs, host: &Host, setup: &Setup, out: &Out) -> anyhow::Result<()> {
    let now = host.clock.now();
    let id = args.id.clone().unwrap_or_else(|| {
        let unique = sprag_store::new_id().replace('-', "");
        format!("{}-{}", args.kind.name().replace('_', "-"), unique.get(26..).unwrap_or_default())
    });
    if !is_safe(&id) {
        anyhow::bail!(Problem::new(
            format!("`{id}` cannot be the name of a run"),
            "letters, digits, `_` and `-`, at most 64"
        ));
    }
    let seats = i64::try_from(args.seats.len()).unwrap_or(0);
    let total = args.members.unwrap_or(if seats > 0 { seats } else { args.kind.seats(args.rounds) });
    let conf = Conf {
        strict: args.strict,
        rounds: args.rounds,
        threshold: args.threshold,
        task: scrub(&args.task).into_owned(),
        seats: args.seats.clone(),
        ..Conf::default()
    };
    let project = project_at(host, None);
    let session = args.session.clone().or_else(|| crate::access::calling_session(host).map(|(id, _)| id));
    let part = Part {
        kind: args.kind.name().to_owned(),
        project: project.key(&host.machine()),
        run: id.clone(),
        role: args.kind.lead().to_owned(),
        total,
        conf,
        ..Part::default()
    };
    let mut store = open(setup)?;
    if store.pattern(&part.project, &id).map_err(explained)?.is_some() {
        anyhow::bail!(Problem::new(
            format!("there is a run `{id}` already"),
            format!("take another name, or look: `sprag pattern status {id}`")
        ));
    }
    let join = Join {
        project: part.project.clone(),
        run: id.clone(),
        kind: part.kind.clone(),
        total,
        settings: serde_json::to_string(&part.conf)?,
        session: session.clone().unwrap_or_default(),
        ..Join::default()
    };
    store.apply(&Op::new(micros(now), OpKind::PatternJoin(join))).map_err(explained)?;
    if let Some(session) = &session {
        remember_lead(&Session::new(&host.paths, session), &part)?;
    } else {
        let file = claim_file(&host.paths, &project.root);
        sprag_base::files::write_atomic(&file, serde_json::to_string(&part)?.as_bytes())?;
    }
    if args.json {
        out.json(&json!({ "id": id, "kind": part.kind, "members": total, "session": session }));
    } else {
        let members =
            if total > 0 { format!("{total} members") } else { "as many members as come".to_owned() };
        out.line(&format!("{id}: {members}; the next subagents take its seats"));
        if session.is_none() {
            out.note(&format!("or as agents of their own: sprag team run --pattern {id}"));
        }
    }
    crate::access::say_if_off(
        host,
        out,
        &["subagent-start", "subagent-stop"],
        "subagents are not told their part, and nothing is counted",
    );
    Ok(())
}

/// Votes and outputs of a jury stay closed until all are in, for everybody.
fn sealed(view: &PatternView, now: &Status) -> bool {
    PatternKind::parse(&view.run.kind) == Some(PatternKind::Jury) && !now.complete
}

fn show(id: &str, as_json: bool, host: &Host, setup: &Setup, out: &Out) -> anyhow::Result<()> {
    let mut store = Store::open(&setup.target, Opening::LOOK).map_err(explained)?;
    let view = find(&mut store, host, id)?;
    let now = micros(host.clock.now());
    let found = status(&view, now, STALE);
    let closed = sealed(&view, &found);
    if as_json {
        let members: Vec<Value> = view
            .members
            .iter()
            .map(|member| {
                let kept = |text: &str| if closed { Value::Null } else { json!(text) };
                json!({
                    "member": member.member, "seat": member.seat, "role": role(&view, member),
                    "state": state_of(member, now, STALE), "vote": kept(&member.vote), "output": kept(&member.output),
                })
            })
            .collect();
        let posts: Vec<Value> = view.posts.iter().filter(|_| !closed).map(|post| json!(post)).collect();
        out.json(&json!({
            "id": id, "kind": view.run.kind, "state": view.run.state, "complete": found.complete,
            "told": view.run.told, "done": found.done, "needed": found.needed, "waiting": found.waiting,
            "next": found.next, "result": found.result, "members": members, "posts": posts,
        }));
        return Ok(());
    }
    let word = if found.complete { "complete" } else { view.run.state.name() };
    out.line(&format!(
        "{}  {}, {word}, {} of {} done",
        out.paint(Tone::Strong, id),
        view.run.kind,
        found.done,
        found.needed
    ));
    let mut table = Table::new(&["member", "state", "vote", "agent"]);
    for member in &view.members {
        let vote = if closed && !member.vote.is_empty() { "(sealed)" } else { &member.vote };
        let name = PatternKind::parse(&view.run.kind).map(|kind| name_of(kind, member)).unwrap_or_default();
        table.row(vec![
            (Tone::Plain, name),
            (Tone::Plain, state_of(member, now, STALE).to_owned()),
            (Tone::Plain, vote.to_owned()),
            (Tone::Dim, member.member.clone()),
        ]);
    }
    if !view.members.is_empty() {
        out.table(&table);
    }
    if !found.waiting.is_empty() {
        out.line(&format!("waiting for {}", found.waiting.join(", ")));
    }
    if let Some(next) = &found.next {
        out.line(&format!("next: {next}"));
    }
    found.result.iter().for_each(|line| out.line(line));
    Ok(())
}

fn role(view: &PatternView, member: &sprag_store::MemberRow) -> String {
    let kind = PatternKind::parse(&view.run.kind);
    kind.map(|kind| sprag_coord::patterns::status::role_of(kind, member).to_owned()).unwrap_or_default()
}

fn list(all: bool, as_json: bool, host: &Host, setup: &Setup, out: &Out) -> anyhow::Result<()> {
    let project = if all { String::new() } else { project_at(host, None).key(&host.machine()) };
    let runs = match Store::open(&setup.target, Opening::LOOK) {
        Err(Error::Missing) => Vec::new(),
        store => {
            let mut store = store.map_err(explained)?;
            let runs = store.patterns(&project, 200).map_err(explained)?;
            let mut views = Vec::new();
            for run in runs {
                views.extend(store.pattern(&run.project, &run.id).map_err(explained)?);
            }
            views
        }
    };
    let now = host.clock.now();
    let rows: Vec<(&PatternView, Status)> =
        runs.iter().map(|view| (view, status(view, micros(now), STALE))).collect();
    if as_json {
        let runs: Vec<Value> = rows
            .iter()
            .map(|(view, found)| {
                json!({
                    "id": view.run.id, "kind": view.run.kind, "project": view.run.project, "state": view.run.state,
                    "complete": found.complete, "told": view.run.told, "done": found.done, "needed": found.needed,
                    "created": view.run.created,
                })
            })
            .collect();
        out.json(&json!({ "patterns": runs }));
        return Ok(());
    }
    if rows.is_empty() {
        out.line("no runs; `sprag pattern start jury --members 3` starts one");
        return Ok(());
    }
    let mut table = Table::new(&["run", "pattern", "state", ">done", "started"]);
    for (view, found) in &rows {
        let (tone, word) = match (found.complete, view.run.state) {
            (true, _) => (Tone::Good, "complete"),
            (_, PatternState::Running) => (Tone::Plain, "running"),
            (_, PatternState::Stopped) => (Tone::Dim, "stopped"),
        };
        let created = Stamp(u64::try_from(view.run.created).unwrap_or(0));
        table.row(vec![
            (Tone::Plain, view.run.id.clone()),
            (Tone::Plain, view.run.kind.clone()),
            (tone, word.to_owned()),
            (Tone::Plain, format!("{}/{}", found.done, found.needed)),
            (Tone::Dim, when::ago(now, created)),
        ]);
    }
    out.table(&table);
    Ok(())
}
