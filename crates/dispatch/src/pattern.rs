//! A pattern's seats as tasks: those that can start become tasks, which are worked off like others; when all of them are over, the
//! next ones follow, until the run is complete.

use sprag_coord::patterns::seats::{Seat, seat_of, source_of, startable};
use sprag_coord::patterns::status::{Status, progress, status};
use sprag_store::{Error, Join, NewTask, Op, OpKind, PatternState, PatternView, Store, TaskRow, TaskState};

/// A member that did not report for so long counts as lost: longer than any agent may take.
const STALE: i64 = 86_400_000_000;

/// What a run that a dispatcher carries out has come to.
pub(crate) enum Step {
    /// Its agents are at work, or can be started.
    Working,
    /// It is complete: the lines of its result.
    Complete(Vec<String>),
    /// It cannot go on.
    Stuck(String),
}

/// Looks at a run, and makes tasks of the seats that can start now.
pub(crate) fn advance(store: &mut Store, project: &str, run: &str, now: i64) -> Result<Step, Error> {
    let Some(view) = store.pattern(project, run)? else {
        return Ok(Step::Stuck(format!("there is no run `{run}` in this project")));
    };
    if view.run.state != PatternState::Running {
        return Ok(Step::Stuck(format!("`{run}` was stopped")));
    }
    let tasks = store.tasks_from(project, &source_of(run))?;
    if tasks.iter().any(|task| !task.state.is_end()) {
        return Ok(Step::Working);
    }
    let view = without_failed(store, view, &tasks, project, now)?;
    let found = status(&view, now, STALE);
    if found.complete {
        store.pattern_told(project, run, now)?;
        return Ok(Step::Complete(found.result));
    }
    let seats = startable(&view, &found);
    let mut made = 0;
    for seat in &seats {
        made += i32::from(make(store, project, seat, now)?);
    }
    if made > 0 { Ok(Step::Working) } else { Ok(Step::Stuck(why_stuck(&view, &found, &tasks))) }
}

/// Members whose task failed have failed, also where their agent did not live to say so.
fn without_failed(
    store: &mut Store,
    view: PatternView,
    tasks: &[TaskRow],
    project: &str,
    now: i64,
) -> Result<PatternView, Error> {
    let mut changed = false;
    for task in tasks.iter().filter(|task| task.state != TaskState::Done) {
        let Some((_, number)) = task.source.as_deref().and_then(seat_of) else { continue };
        let Some(part) = Seat::of(&view, number).and_then(|seat| seat.part(project)) else { continue };
        let known = view.members.iter().find(|member| member.member == part.member);
        if known.is_some_and(|member| member.state != "running") {
            continue;
        }
        changed = true;
        let join = Join {
            project: project.to_owned(),
            run: view.run.id.clone(),
            kind: view.run.kind.clone(),
            total: view.run.total,
            settings: view.run.settings.clone(),
            member: part.member,
            role: part.role,
            seat: part.seat,
            session: known.map(|member| member.session.clone()).unwrap_or_default(),
            reopen: false,
        };
        let failed = OpKind::PatternDone {
            join: join.clone(),
            state: "failed".to_owned(),
            vote: String::new(),
            output: task.outcome.clone(),
            topic: String::new(),
        };
        for kind in [OpKind::PatternJoin(join), failed] {
            store.apply(&Op::new(now, kind))?;
        }
    }
    if !changed {
        return Ok(view);
    }
    Ok(store.pattern(project, &view.run.id)?.unwrap_or(view))
}

/// Makes the task of a seat; false when there is one already.
fn make(store: &mut Store, project: &str, seat: &Seat, now: i64) -> Result<bool, Error> {
    let task = NewTask {
        parent: None,
        title: seat.title(),
        goal: seat.goal(project),
        creator: String::new(),
        assignee: String::new(),
        project: project.to_owned(),
        priority: 0,
        after: Vec::new(),
        source: Some(seat.source()),
    };
    Ok(store.create_task(&task, now)?.is_ok())
}

fn why_stuck(view: &PatternView, status: &Status, tasks: &[TaskRow]) -> String {
    let failed = tasks.iter().find(|task| task.state != TaskState::Done);
    match failed {
        Some(task) => format!("{} ended: {}", task.title, task.outcome),
        None if view.run.total == 0 => {
            format!("`{}` does not say how many members it has: start it with --members", view.run.id)
        }
        None => progress(view, status),
    }
}

/// The variables of a task that is a seat of a run; none for other tasks.
pub(crate) fn variables(store: &mut Store, task: &TaskRow) -> Result<Vec<(String, String)>, Error> {
    let Some((run, number)) = task.source.as_deref().and_then(seat_of) else { return Ok(Vec::new()) };
    let view = store.pattern(&task.project, run)?;
    Ok(view.and_then(|view| Seat::of(&view, number)).map(|seat| seat.env()).unwrap_or_default())
}
