//! Tasks as a plan: what waits for what, what can start, and lists that become tasks.

use super::{kept, one, row, tone};
use crate::access;
use anyhow::Context as _;
use serde_json::{Value, json};
use sprag_base::files;
use sprag_config::host::Host;
use sprag_config::host::project_at;
use sprag_coord::member;
use sprag_coord::tasks::graph::{Readiness, ordered, readiness};
use sprag_coord::tasks::list::{self, ListError, ListedTask};
use sprag_store::{Dependency, DependencyRefusal, NewTask, NotCreated, TaskRow, TaskState};
use sprag_terminal::explained;
use sprag_terminal::{Out, Problem, Table, Tone};
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct ListArgs {
    /// Tasks of every project, not only of this one
    #[arg(long)]
    all_projects: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(super) struct AfterArgs {
    /// The task that waits
    task: String,
    /// The task that must be done before it
    other: String,
    /// It waits no longer
    #[arg(long)]
    remove: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(super) struct RetryArgs {
    /// The task that failed or was cancelled
    id: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(super) struct ImportArgs {
    /// A Markdown file, or issues as JSON; `-` is standard input
    file: PathBuf,
    /// Show what would be made
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A dependency for JSON.
pub(super) fn dependency(one: &Dependency) -> Value {
    json!({ "id": one.after, "state": one.state.name(), "outcome": one.outcome })
}

/// A dependency in a line.
pub(super) fn named(one: &Dependency) -> String {
    format!("{} ({})", one.after, one.state.name())
}

fn project(host: &Host, all: bool) -> Option<String> {
    (!all).then(|| project_at(host, None).key(&host.machine()))
}

pub(super) fn ready(host: &Host, out: &Out, args: &ListArgs) -> anyhow::Result<()> {
    let project = project(host, args.all_projects);
    let found = match access::look(host)? {
        Some(mut store) => store.ready_tasks(project.as_deref()).map_err(explained)?,
        None => Vec::new(),
    };
    if args.json {
        out.json(&json!({ "tasks": found.iter().map(row).collect::<Vec<_>>() }));
    } else if found.is_empty() {
        out.line("No task can start. `sprag task graph` shows what waits for what.");
    } else {
        let mut table = Table::new(&["task", ">priority", "for", "title"]);
        for task in &found {
            table.row(vec![
                (Tone::Strong, task.id.clone()),
                (Tone::Plain, task.priority.to_string()),
                (Tone::Plain, task.assignee.clone()),
                (Tone::Plain, task.title.clone()),
            ]);
        }
        out.table(&table);
    }
    Ok(())
}

/// The state of an unfinished task as a reader of the plan wants it, and why.
fn planned(task: &TaskRow, readiness: &BTreeMap<String, Readiness>) -> (&'static str, Tone, String) {
    match readiness.get(&task.id) {
        Some(Readiness::Ready) => ("ready", Tone::Good, String::new()),
        Some(Readiness::Waits(others)) => ("waits", Tone::Plain, format!("for {}", others.join(", "))),
        Some(Readiness::Blocked(by, why)) => ("blocked", Tone::Bad, format!("{by} {why}")),
        None => (task.state.name(), tone(task.state), String::new()),
    }
}

pub(super) fn graph(host: &Host, out: &Out, args: &ListArgs) -> anyhow::Result<()> {
    let project = project(host, args.all_projects);
    let (mut tasks, dependencies) = match access::look(host)? {
        Some(mut store) => (
            store.tasks(false).map_err(explained)?,
            store.dependencies(project.as_deref()).map_err(explained)?,
        ),
        None => Default::default(),
    };
    tasks.retain(|task| project.as_ref().is_none_or(|project| task.project == *project));
    tasks.sort_by(|one, other| {
        (-one.priority, one.created, &one.id).cmp(&(-other.priority, other.created, &other.id))
    });
    let readiness = readiness(&tasks, &dependencies);
    let all = ordered(&tasks, &dependencies);
    if args.json {
        let nodes: Vec<Value> = all
            .iter()
            .map(|task| {
                let (state, _, why) = planned(task, &readiness);
                let after: Vec<Value> =
                    dependencies.iter().filter(|one| one.task == task.id).map(dependency).collect();
                json!({
                    "id": task.id, "title": task.title, "state": state, "why": why, "priority": task.priority,
                    "parent": task.parent, "assignee": task.assignee, "after": after,
                })
            })
            .collect();
        out.json(&json!({ "tasks": nodes }));
        return Ok(());
    }
    if all.is_empty() {
        out.line("No task.");
        return Ok(());
    }
    let mut table = Table::new(&["task", "state", "title", "why"]);
    for task in all {
        let (state, tone, why) = planned(task, &readiness);
        table.row(vec![
            (Tone::Strong, task.id.clone()),
            (tone, state.to_owned()),
            (Tone::Plain, task.title.clone()),
            (Tone::Plain, why),
        ]);
    }
    out.table(&table);
    Ok(())
}

pub(super) fn after(host: &Host, out: &Out, args: &AfterArgs) -> anyhow::Result<()> {
    let mut store = access::open(host)?;
    let (task, other) = (one(&mut store, &args.task)?, one(&mut store, &args.other)?);
    if args.remove {
        let removed = store.remove_dependency(&task.id, &other.id).map_err(explained)?;
        anyhow::ensure!(
            removed,
            Problem::new(
                format!("{} does not wait for {}", task.id, other.id),
                "`sprag task show` says for what"
            )
        );
    } else {
        store.add_dependency(&task.id, &other.id).map_err(explained)?.map_err(refused)?;
    }
    if args.json {
        let after = store.dependencies_of(&task.id).map_err(explained)?;
        out.json(&json!({ "id": task.id, "after": after.iter().map(dependency).collect::<Vec<_>>() }));
    } else {
        let verb = if args.remove { "no longer waits" } else { "waits" };
        out.line(&format!("{} {verb} for {}  {}", task.id, other.id, other.title));
    }
    Ok(())
}

fn refused(why: DependencyRefusal) -> anyhow::Error {
    anyhow::anyhow!(match why {
        DependencyRefusal::Unknown(id) =>
            Problem::new(format!("no task `{id}`"), "`sprag task list --all` names them"),
        DependencyRefusal::Started(task) => Problem::new(
            format!("task {} is {} already", task.id, task.state.name()),
            "only open tasks can wait for others"
        ),
        DependencyRefusal::Cycle(way) => Problem::new(
            format!("the tasks would wait for each other: {}", way.join(" waits for ")),
            "`sprag task graph` shows what waits for what"
        ),
    })
}

pub(super) fn retry(host: &Host, out: &Out, args: &RetryArgs) -> anyhow::Result<()> {
    let mut store = access::open(host)?;
    let old = one(&mut store, &args.id)?;
    let caller = access::caller(&mut store, host, None)?;
    let made = store.retry_task(&old.id, &caller.name, access::now(host)).map_err(explained)?;
    let task = made.context(Problem::new(
        format!("task {} is {}", old.id, old.state.name()),
        "only a task that failed or was cancelled can be tried again",
    ))?;
    if args.json {
        out.json(&row(&task));
    } else {
        out.line(&format!("{}  {} (was {})", out.paint(Tone::Strong, &task.id), task.title, old.id));
    }
    Ok(())
}

/// The tasks of a file, whatever form it has.
fn listed(text: &str) -> Result<Vec<ListedTask>, ListError> {
    if text.trim_start().starts_with(['[', '{']) && !text.trim_start().starts_with("[ ]") {
        let value = serde_json::from_str(text).map_err(|error| ListError::Json(error.to_string()))?;
        return list::github(&value);
    }
    list::markdown(text)
}

pub(super) fn import(host: &Host, out: &Out, args: &ImportArgs) -> anyhow::Result<()> {
    const MAX_BYTES: u64 = 16 << 20;
    let text = if args.file.as_os_str() == "-" {
        std::io::read_to_string(std::io::stdin().lock())?
    } else {
        files::read_text(&args.file, MAX_BYTES).with_context(|| {
            Problem::new(format!("cannot read {}", args.file.display()), "name a text file")
        })?
    };
    let found = listed(&text).map_err(|error| {
        anyhow::anyhow!(Problem::new(format!("{}: {error}", args.file.display()), "sprag task import --help"))
    })?;
    if let Some(bad) = found.iter().find(|task| !task.assignee.is_empty() && !member::is_name(&task.assignee))
    {
        anyhow::bail!(Problem::new(
            format!("invalid agent name `{}`", bad.assignee),
            "letters, digits, `-`, `_`, `.`"
        ));
    }
    if args.dry_run {
        for task in &found {
            out.line(&task.title);
        }
        return Ok(());
    }
    let (made, known) = import_all(host, &found)?;
    if args.json {
        out.json(&json!({ "made": made.iter().map(row).collect::<Vec<_>>(), "known": known }));
        return Ok(());
    }
    for task in &made {
        out.line(&format!("{}  {}", out.paint(Tone::Strong, &task.id), task.title));
    }
    if known > 0 {
        out.line(&format!("{known} were there already"));
    }
    Ok(())
}

/// Makes the tasks, then what waits for what: a list may name what comes later in it.
fn import_all(host: &Host, found: &[ListedTask]) -> anyhow::Result<(Vec<TaskRow>, usize)> {
    let mut store = access::open(host)?;
    let caller = access::caller(&mut store, host, None)?;
    let project = project_at(host, None).key(&host.machine());
    let mut rows: Vec<(TaskRow, bool)> = Vec::new();
    for task in found {
        let parent = task.parent.and_then(|place| rows.get(place)).map(|(row, _)| row);
        let new = NewTask {
            parent: parent.filter(|row| !row.state.is_end()).map(|row| row.id.clone()),
            title: kept(&task.title).lines().next().unwrap_or_default().to_owned(),
            goal: kept(&task.goal),
            creator: caller.name.clone(),
            assignee: task.assignee.clone(),
            project: project.clone(),
            priority: task.priority,
            after: Vec::new(),
            source: Some(task.source.clone()),
        };
        rows.push(match store.create_task(&new, access::now(host)).map_err(explained)? {
            Ok(made) => (made, true),
            Err(NotCreated::Known(known)) => (*known, false),
            Err(NotCreated::Parent | NotCreated::After(_)) => {
                anyhow::bail!(Problem::new(
                    format!("`{}`: the task it is a part of is finished", task.title),
                    "tick it off in the list"
                ))
            }
        });
    }
    for (task, (row, new)) in found.iter().zip(&rows) {
        for key in task.after.iter().filter(|_| *new && row.state == TaskState::Open) {
            let before = found.iter().zip(&rows).find(|(other, _)| other.key == *key);
            if let Some((_, (before, _))) = before {
                store.add_dependency(&row.id, &before.id).map_err(explained)?.map_err(refused)?;
            }
        }
    }
    let known = rows.iter().filter(|(_, new)| !new).count();
    Ok((rows.into_iter().filter(|(_, new)| *new).map(|(row, _)| row).collect(), known))
}
