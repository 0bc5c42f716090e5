//! `sprag task`: what is to be done, who does it, how far it is.

mod plan;

use crate::access::{self, Caller, short, stamp};
use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_config::host::project_at;
use sprag_coord::member;
use sprag_coord::tasks::{self, kept};
use sprag_store::{AttemptState, NewTask, NotCreated, Refusal, Store, TaskChange, TaskRow, TaskState};
use sprag_terminal::explained;
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Table, Tone};
use std::process::ExitCode;

/// What `sprag task` takes.
#[derive(clap::Args)]
pub struct TaskArgs {
    #[command(subcommand)]
    command: TaskCommand,
}

#[derive(clap::Args)]
struct Which {
    /// The task, or the first characters of its id; without it, the task of this session
    id: Option<String>,
    /// The session that works on it; without it, the one around this process
    #[arg(long)]
    session: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct CreateArgs {
    /// One line
    title: String,
    /// What shall be true when it is done
    #[arg(long, default_value = "")]
    goal: String,
    /// The task that it is a part of
    #[arg(long)]
    parent: Option<String>,
    /// A task that must be done before it; several times for several
    #[arg(long)]
    after: Vec<String>,
    /// A higher one is done first
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    priority: i64,
    /// The agent that shall do it
    #[arg(long, default_value = "")]
    assign: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum TaskCommand {
    /// Make a task
    #[command(
        alias = "add",
        after_help = "Examples:\n  sprag task create 'Port the parser' --goal 'cargo test passes without the old one'\n  sprag task create 'Write its tests' --parent t0a1b2c3d4e --assign ada\n  sprag task add 'Delete the old one' --after t0a1b2c3d4e --priority 2"
    )]
    Create(CreateArgs),
    /// Tasks that can be started now, in the order in which a dispatcher takes them
    #[command(after_help = "Examples:\n  sprag task ready\n  sprag task ready --all-projects --json")]
    Ready(plan::ListArgs),
    /// Unfinished tasks and what each waits for
    #[command(after_help = "Example:\n  sprag task graph")]
    Graph(plan::ListArgs),
    /// Make an open task wait for another one
    #[command(
        after_help = "Examples:\n  sprag task after t0a1b2c3d4e t1b2c3d4e5f\n  sprag task after t0a1b2c3d4e t1b2c3d4e5f --remove"
    )]
    After(plan::AfterArgs),
    /// Make a new task in the place of one that failed or was cancelled
    #[command(
        after_help = "Example:\n  sprag task retry t0a1b2c3d4e\n\nWhat waits for the old task waits for the new one."
    )]
    Retry(plan::RetryArgs),
    /// Make tasks from a Markdown list, or from issues of GitHub as JSON
    #[command(
        after_help = "Examples:\n  sprag task import PLAN.md\n  sprag task import issues.json\n\nA Markdown list: items are tasks, items below an item its parts, text below an item its goal.\nAt the end of an item: (after: 1, 2) names numbered items, (priority: 2), (for: ada).\nIssues: `gh issue list --json number,title,body,labels,state`; `Depends on #12` in a text is\nwhat an issue waits for. Importing twice makes no task twice."
    )]
    Import(plan::ImportArgs),
    /// Tasks that are not finished
    #[command(after_help = "Examples:\n  sprag task list\n  sprag task list --all --assignee ada --json")]
    List {
        /// The finished ones too
        #[arg(long)]
        all: bool,
        /// Only those in this state: open, running, done, failed, cancelled
        #[arg(long, value_parser = state)]
        state: Option<TaskState>,
        /// Only those of this agent
        #[arg(long)]
        assignee: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// One task with its parts
    #[command(after_help = "Example:\n  sprag task show t0a1b2c3d4e")]
    Show(Which),
    /// Begin to work on a task: from now on this session is the one that does it
    #[command(
        after_help = "Examples:\n  sprag task start t0a1b2c3d4e\n  sprag task start t0a1b2c3d4e --take     from the session that has it"
    )]
    Start {
        #[command(flatten)]
        which: Which,
        /// Take it from the session that has it, or the agent it is for
        #[arg(long)]
        take: bool,
    },
    /// Say how far it is; after a compaction the agent is reminded of it
    #[command(after_help = "Example:\n  sprag task progress t0a1b2c3d4e 'lexer done, parser half'")]
    Progress {
        /// The task (left out: the task of this session), then how far it is
        #[arg(required = true, num_args = 1..=2, value_names = ["ID", "TEXT"])]
        words: Vec<String>,
        /// The session that works on it; without it, the one around this process
        #[arg(long)]
        session: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Cancel a task with its parts; whoever works on it is stopped
    #[command(after_help = "Example:\n  sprag task cancel t0a1b2c3d4e --reason 'the customer left'")]
    Cancel {
        #[command(flatten)]
        which: Which,
        /// Why; the agent is told
        #[arg(long, default_value = "")]
        reason: String,
    },
    /// Finish a task
    #[command(after_help = "Example:\n  sprag task done t0a1b2c3d4e --result 'merged as 4f2a'")]
    Done {
        #[command(flatten)]
        which: Which,
        /// What came out
        #[arg(long, default_value = "")]
        result: String,
    },
    /// Mark a task as failed; its parts are cancelled
    #[command(after_help = "Example:\n  sprag task fail t0a1b2c3d4e --reason 'the API is gone'")]
    Fail {
        #[command(flatten)]
        which: Which,
        /// Why
        #[arg(long, default_value = "")]
        reason: String,
    },
    /// The session works on no task any more; the task stays as it is
    #[command(after_help = "Example:\n  sprag task leave --session 1a2b3c4d")]
    Leave {
        /// The session; without it, the one around this process
        #[arg(long)]
        session: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

fn state(text: &str) -> Result<TaskState, String> {
    let names: Vec<&str> = TaskState::ALL.iter().map(|state| state.name()).collect();
    TaskState::of(text).ok_or_else(|| format!("one of: {}", names.join(", ")))
}

/// Runs `sprag task`.
pub fn run(args: &TaskArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    match &args.command {
        TaskCommand::Create(args) => create(host, out, args)?,
        TaskCommand::Ready(args) => plan::ready(host, out, args)?,
        TaskCommand::Graph(args) => plan::graph(host, out, args)?,
        TaskCommand::After(args) => plan::after(host, out, args)?,
        TaskCommand::Retry(args) => plan::retry(host, out, args)?,
        TaskCommand::Import(args) => plan::import(host, out, args)?,
        TaskCommand::List { all, state, assignee, json } => {
            let wanted = |task: &TaskRow| {
                state.is_none_or(|state| task.state == state)
                    && assignee.as_ref().is_none_or(|name| task.assignee == *name)
            };
            list(host, out, *all || state.is_some_and(TaskState::is_end), &wanted, *json)?;
        }
        TaskCommand::Show(which) => show(host, out, which)?,
        TaskCommand::Start { which, take } => start(host, out, which, *take)?,
        TaskCommand::Progress { words, session, json } => {
            let (id, text) = match words.as_slice() {
                [id, text] => (Some(id.clone()), text.clone()),
                [text] => (None, text.clone()),
                _ => bail!(Problem::new("say how far it is", "sprag task progress ID TEXT")),
            };
            let which = Which { id, session: session.clone(), json: *json };
            change(host, out, &which, &TaskChange::Progress(kept(&text)))?;
        }
        TaskCommand::Cancel { which, reason } => change(host, out, which, &TaskChange::Cancel(kept(reason)))?,
        TaskCommand::Done { which, result } => change(host, out, which, &TaskChange::Done(kept(result)))?,
        TaskCommand::Fail { which, reason } => change(host, out, which, &TaskChange::Fail(kept(reason)))?,
        TaskCommand::Leave { session, json } => leave(host, out, session.as_deref(), *json)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn row(task: &TaskRow) -> Value {
    json!({
        "id": task.id, "parent": task.parent, "title": task.title, "goal": task.goal,
        "state": task.state.name(), "creator": task.creator, "assignee": task.assignee, "agent": task.agent,
        "session": task.session, "project": task.project, "progress": task.progress, "outcome": task.outcome,
        "priority": task.priority,
        "created": stamp(task.created), "updated": stamp(task.updated), "started": task.started.map(stamp),
        "finished": task.finished.map(stamp),
    })
}

fn create(host: &Host, out: &Out, args: &CreateArgs) -> anyhow::Result<()> {
    let title = kept(&args.title);
    anyhow::ensure!(
        !title.is_empty(),
        Problem::new("a task needs a title", "sprag task create 'Port the parser'")
    );
    let assign = &args.assign;
    let named = assign.is_empty() || member::is_name(assign);
    anyhow::ensure!(
        named,
        Problem::new(format!("unknown agent `{assign}`"), "`sprag agent list` names them")
    );
    let mut store = access::open(host)?;
    let parent = args.parent.as_ref().map(|id| one(&mut store, id)).transpose()?.map(|task| task.id);
    let mut after = Vec::new();
    for id in &args.after {
        after.push(one(&mut store, id)?.id);
    }
    if let Some(parent) = &parent {
        anyhow::ensure!(
            !after.contains(parent),
            Problem::new("a part cannot wait for its whole", "leave out --after or --parent")
        );
    }
    let caller = access::caller(&mut store, host, None)?;
    let new = NewTask {
        title,
        goal: kept(&args.goal),
        creator: caller.name,
        assignee: assign.clone(),
        project: project_at(host, None).key(&host.machine()),
        parent,
        priority: args.priority,
        after,
        source: None,
    };
    let made = store.create_task(&new, access::now(host)).map_err(explained)?;
    let task = made.map_err(|why| match why {
        NotCreated::After(id) => {
            anyhow::anyhow!(Problem::new(format!("no task `{id}`"), "`sprag task list --all` names them"))
        }
        NotCreated::Parent | NotCreated::Known(_) => anyhow::anyhow!(Problem::new(
            "the task it is a part of is finished",
            "name one that is open or running"
        )),
    })?;
    if args.json {
        out.json(&row(&task));
    } else {
        out.line(&format!("{}  {}", out.paint(Tone::Strong, &task.id), task.title));
    }
    Ok(())
}

/// The tasks that are not finished; `sprag status tasks` shows the same.
pub fn list_default(host: &Host, out: &Out, as_json: bool) -> anyhow::Result<()> {
    list(host, out, false, &|_| true, as_json)
}

fn list(
    host: &Host,
    out: &Out,
    all: bool,
    wanted: &dyn Fn(&TaskRow) -> bool,
    as_json: bool,
) -> anyhow::Result<()> {
    let found = match access::look(host)? {
        Some(mut store) => store.tasks(all).map_err(explained)?,
        None => Vec::new(),
    };
    let found: Vec<TaskRow> = found.into_iter().filter(wanted).collect();
    if as_json {
        out.json(&json!({ "tasks": found.iter().map(row).collect::<Vec<_>>() }));
        return Ok(());
    }
    if found.is_empty() {
        out.line("No task.");
        return Ok(());
    }
    out.table(&table(host, &found));
    Ok(())
}

fn table(host: &Host, tasks: &[TaskRow]) -> Table {
    let mut table = Table::new(&["task", "state", "agent", "session", "changed", "title"]);
    for task in tasks {
        table.row(vec![
            (Tone::Strong, task.id.clone()),
            (tone(task.state), task.state.name().to_owned()),
            (Tone::Plain, task.assignee.clone()),
            (Tone::Plain, short(&task.session)),
            (Tone::Plain, when::ago(host.clock.now(), Stamp(task.updated as u64))),
            (Tone::Plain, task.title.clone()),
        ]);
    }
    table
}

fn tone(state: TaskState) -> Tone {
    match state {
        TaskState::Open => Tone::Plain,
        TaskState::Running | TaskState::Done => Tone::Good,
        TaskState::Failed => Tone::Bad,
        TaskState::Cancelled => Tone::Dim,
    }
}

/// The one task whose id begins like this.
fn one(store: &mut Store, id: &str) -> anyhow::Result<TaskRow> {
    let found = store.tasks_like(id).map_err(explained)?;
    match found.as_slice() {
        [task] => Ok(task.clone()),
        [] => bail!(Problem::new(format!("no task `{id}`"), "`sprag task list --all` names them")),
        many => {
            let ids: Vec<&str> = many.iter().map(|task| task.id.as_str()).collect();
            bail!(Problem::new(format!("`{id}` may be several tasks"), format!("one of: {}", ids.join(", "))))
        }
    }
}

/// The task that is meant: by its id, or the one of the session.
fn meant(store: &mut Store, host: &Host, which: &Which, caller: &Caller) -> anyhow::Result<TaskRow> {
    if let Some(id) = &which.id {
        return one(store, id);
    }
    let bound = caller.state(host).and_then(|session| tasks::bound(host, &session));
    let bound = bound.context(Problem::new("which task?", "name its id: `sprag task list`"))?;
    one(store, &bound.id)
}

fn show(host: &Host, out: &Out, which: &Which) -> anyhow::Result<()> {
    let mut store = access::open(host)?;
    let caller = access::caller(&mut store, host, which.session.as_deref())?;
    let task = meant(&mut store, host, which, &caller)?;
    let parts = store.task_parts(&task.id).map_err(explained)?;
    let after = store.dependencies_of(&task.id).map_err(explained)?;
    let attempts = store.attempts_of(&task.id).map_err(explained)?;
    if which.json {
        let mut value = row(&task);
        if let Some(map) = value.as_object_mut() {
            map.insert("parts".to_owned(), parts.iter().map(row).collect());
            map.insert("after".to_owned(), after.iter().map(plan::dependency).collect());
            map.insert("attempts".to_owned(), attempts.iter().map(crate::run::attempt).collect());
        }
        out.json(&value);
        return Ok(());
    }
    let state = out.paint(tone(task.state), task.state.name());
    out.line(&format!("{}  {state}  {}", out.paint(Tone::Strong, &task.id), task.title));
    let by = if task.session.is_empty() { String::new() } else { format!(" ({})", short(&task.session)) };
    for (label, text) in [
        ("goal", task.goal.clone()),
        ("progress", task.progress.clone()),
        ("outcome", task.outcome.clone()),
        ("agent", format!("{}{by}", task.assignee)),
        ("made by", task.creator.clone()),
        ("part of", task.parent.clone().unwrap_or_default()),
        ("after", after.iter().map(plan::named).collect::<Vec<_>>().join(", ")),
        ("attempts", attempts.iter().map(crate::run::named).collect::<Vec<_>>().join("; ")),
    ] {
        if !text.is_empty() {
            out.line(&format!("  {label:<9} {text}"));
        }
    }
    if !parts.is_empty() {
        out.table(&table(host, &parts));
    }
    Ok(())
}

/// Why a task was not changed, in words.
fn refused(refusal: Refusal) -> anyhow::Error {
    match refusal {
        Refusal::Unknown => {
            anyhow::anyhow!(Problem::new("there is no such task", "`sprag task list --all` names them"))
        }
        Refusal::State(task) if task.state == TaskState::Open => {
            anyhow::anyhow!(Problem::new(
                format!("task {} has not been started", task.id),
                format!("sprag task start {}", task.id)
            ))
        }
        Refusal::State(task) => anyhow::anyhow!(Problem::new(
            format!(
                "task {} is {} already{}",
                task.id,
                task.state.name(),
                if task.outcome.is_empty() { String::new() } else { format!(" ({})", task.outcome) }
            ),
            "make a new one: sprag task create"
        )),
        Refusal::Assigned(task) => {
            anyhow::anyhow!(Problem::new(
                format!("task {} is for {}", task.id, task.assignee),
                "--take takes it from there"
            ))
        }
        Refusal::Taken(task) => anyhow::anyhow!(Problem::new(
            format!("task {} is being done by {} {}", task.id, task.agent, short(&task.session)),
            "--take takes it from there, and stops that session"
        )),
        Refusal::Parts(count) => {
            anyhow::anyhow!(Problem::new(
                format!("{count} of its parts are not finished"),
                "finish or cancel them first: sprag task show"
            ))
        }
    }
}

fn start(host: &Host, out: &Out, which: &Which, take: bool) -> anyhow::Result<()> {
    let mut store = access::open(host)?;
    let caller = access::caller(&mut store, host, which.session.as_deref())?;
    let before = meant(&mut store, host, which, &caller)?;
    let (agent, session, name) = (caller.agent.clone(), caller.session.clone(), caller.name.clone());
    let change = TaskChange::Start { agent, session, name, take };
    let task =
        store.change_task(&before.id, &change, access::now(host)).map_err(explained)?.map_err(refused)?;
    tasks::started(host, &caller, &before, &task)?;
    said(out, &task, which.json);
    Ok(())
}

fn change(host: &Host, out: &Out, which: &Which, change: &TaskChange) -> anyhow::Result<()> {
    let mut store = access::open(host)?;
    let caller = access::caller(&mut store, host, which.session.as_deref())?;
    let before = meant(&mut store, host, which, &caller)?;
    refuse_if_taken_over(host, &mut store, &before)?;
    let task =
        store.change_task(&before.id, change, access::now(host)).map_err(explained)?.map_err(refused)?;
    let parts = store.task_parts(&task.id).map_err(explained)?;
    tasks::changed(host, &caller, change, &task, &parts)?;
    said(out, &task, which.json);
    if matches!(change, TaskChange::Cancel(_)) && !before.session.is_empty() {
        access::say_if_off(host, out, &["cancel-check"], "the session that works on it is not stopped");
    }
    Ok(())
}

/// An agent whose attempt was given up reports no more: another one has the task.
fn refuse_if_taken_over(host: &Host, store: &mut Store, task: &TaskRow) -> anyhow::Result<()> {
    let own =
        host.env.get("SPRAG_TASK").filter(|id| *id == task.id).and_then(|_| host.env.get(tasks::ATTEMPT));
    let Some(attempt) = own.map(|id| store.attempt(&id)).transpose().map_err(explained)?.flatten() else {
        return Ok(());
    };
    anyhow::ensure!(
        attempt.state == AttemptState::Running,
        Problem::new(
            format!("attempt {} at task {} is {}", attempt.number, task.id, attempt.state.name()),
            "stop working on it: another agent has the task"
        )
    );
    Ok(())
}

fn said(out: &Out, task: &TaskRow, as_json: bool) {
    if as_json {
        out.json(&row(task));
    } else {
        let state = out.paint(tone(task.state), task.state.name());
        out.line(&format!("{}  {state}  {}", out.paint(Tone::Strong, &task.id), task.title));
    }
}

fn leave(host: &Host, out: &Out, named: Option<&str>, as_json: bool) -> anyhow::Result<()> {
    let mut store = access::open(host)?;
    let caller = access::caller(&mut store, host, named)?;
    let session = caller
        .state(host)
        .context(Problem::new("which session?", "--session ID: `sprag status sessions`"))?;
    let left = tasks::bound(host, &session);
    if let Some(left) = &left {
        let task = store.task(&left.id).map_err(explained)?;
        if task.is_some_and(|task| matches!(task.state, TaskState::Cancelled | TaskState::Failed)) {
            // A session that was stopped does not let itself go.
            sprag_terminal::person::refuse_inside_agent(host)?;
        }
    }
    tasks::leave(&session)?;
    if as_json {
        out.json(&json!({ "session": caller.session, "left": left.map(|left| left.id) }));
    } else {
        out.line(&format!("session {} works on no task", short(&caller.session)));
    }
    Ok(())
}
