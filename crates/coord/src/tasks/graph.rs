//! What tasks wait for, as a whole: which are ready, which wait, and which can never start because something before them
//! failed. Pure.

use sprag_store::{Dependency, TaskRow, TaskState};
use std::collections::{BTreeMap, BTreeSet};

/// Whether a task can start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Nothing is before it.
    Ready,
    /// It waits for these tasks.
    Waits(Vec<String>),
    /// This task before it failed or was cancelled: the task and why.
    Blocked(String, String),
}

/// Whether the open tasks can start. `tasks` are all that are not finished.
pub fn readiness(tasks: &[TaskRow], dependencies: &[Dependency]) -> BTreeMap<String, Readiness> {
    let mut before: BTreeMap<&str, Vec<&Dependency>> = BTreeMap::new();
    for dependency in dependencies {
        before.entry(&dependency.task).or_default().push(dependency);
    }
    let mut found = BTreeMap::new();
    for task in tasks.iter().filter(|task| task.state == TaskState::Open) {
        let _ = of_task(&task.id, &before, &mut found, &mut BTreeSet::new());
    }
    let unfinished_parts = |id: &str| -> Vec<String> {
        tasks.iter().filter(|part| part.parent.as_deref() == Some(id)).map(|part| part.id.clone()).collect()
    };
    for (id, readiness) in &mut found {
        let parts = unfinished_parts(id);
        match readiness {
            Readiness::Ready if !parts.is_empty() => *readiness = Readiness::Waits(parts),
            Readiness::Waits(others) => others.extend(parts),
            Readiness::Ready | Readiness::Blocked(..) => {}
        }
    }
    // What is not open is not asked about, though it was visited on the way.
    found.retain(|id, _| tasks.iter().any(|task| task.id == *id && task.state == TaskState::Open));
    found
}

fn of_task<'a>(
    id: &'a str,
    before: &BTreeMap<&str, Vec<&'a Dependency>>,
    found: &mut BTreeMap<String, Readiness>,
    visiting: &mut BTreeSet<&'a str>,
) -> Readiness {
    if let Some(known) = found.get(id) {
        return known.clone();
    }
    if !visiting.insert(id) {
        // The store refuses circles; a damaged one must not end the program.
        return Readiness::Waits(vec![id.to_owned()]);
    }
    let mut waits = Vec::new();
    let mut blocked = None;
    for dependency in before.get(id).into_iter().flatten() {
        match dependency.state {
            TaskState::Done => {}
            TaskState::Failed | TaskState::Cancelled => {
                let mut why = dependency.state.name().to_owned();
                if !dependency.outcome.is_empty() {
                    why = format!("{why}: {}", dependency.outcome);
                }
                blocked.get_or_insert((dependency.after.clone(), why));
            }
            TaskState::Open | TaskState::Running => {
                if let Readiness::Blocked(by, why) = of_task(&dependency.after, before, found, visiting) {
                    blocked.get_or_insert((by, why));
                }
                waits.push(dependency.after.clone());
            }
        }
    }
    visiting.remove(id);
    let readiness = match blocked {
        Some((by, why)) => Readiness::Blocked(by, why),
        None if waits.is_empty() => Readiness::Ready,
        None => Readiness::Waits(waits),
    };
    found.insert(id.to_owned(), readiness.clone());
    readiness
}

/// Tasks so that each comes after what it waits for, otherwise in the order they are given.
pub fn ordered<'a>(tasks: &'a [TaskRow], dependencies: &[Dependency]) -> Vec<&'a TaskRow> {
    fn visit<'a>(
        task: &'a TaskRow,
        tasks: &'a [TaskRow],
        dependencies: &[Dependency],
        seen: &mut BTreeSet<&'a str>,
        out: &mut Vec<&'a TaskRow>,
    ) {
        if !seen.insert(&task.id) {
            return;
        }
        for dependency in dependencies.iter().filter(|dependency| dependency.task == task.id) {
            if let Some(before) = tasks.iter().find(|before| before.id == dependency.after) {
                visit(before, tasks, dependencies, seen, out);
            }
        }
        out.push(task);
    }
    let (mut seen, mut out) = (BTreeSet::new(), Vec::new());
    for task in tasks {
        visit(task, tasks, dependencies, &mut seen, &mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: &str, parent: Option<&str>) -> TaskRow {
        TaskRow {
            id: id.to_owned(),
            parent: parent.map(str::to_owned),
            title: String::new(),
            goal: String::new(),
            state: TaskState::Open,
            creator: String::new(),
            assignee: String::new(),
            agent: String::new(),
            session: String::new(),
            project: String::new(),
            progress: String::new(),
            outcome: String::new(),
            priority: 0,
            created: 0,
            updated: 0,
            started: None,
            finished: None,
            source: None,
        }
    }

    fn after(task: &str, after: &str, state: TaskState) -> Dependency {
        let outcome = if state == TaskState::Failed { "the API is gone" } else { "" };
        Dependency { task: task.to_owned(), after: after.to_owned(), state, outcome: outcome.to_owned() }
    }

    #[test]
    fn a_failure_blocks_everything_after_it_with_its_reason() {
        let tasks = ["a", "b", "c", "d"].map(|id| task(id, None));
        let dependencies = [
            after("a", "gone", TaskState::Failed),
            after("b", "a", TaskState::Open),
            after("c", "old", TaskState::Done),
            after("d", "c", TaskState::Open),
        ];
        let found = readiness(&tasks, &dependencies);
        let blocked = Readiness::Blocked("gone".into(), "failed: the API is gone".into());
        assert_eq!((&found["a"], &found["b"]), (&blocked, &blocked), "b waits for a, which never starts");
        assert_eq!(found["c"], Readiness::Ready);
        assert_eq!(found["d"], Readiness::Waits(vec!["c".into()]));
    }

    #[test]
    fn a_whole_waits_for_its_parts() {
        let tasks = [task("whole", None), task("part", Some("whole"))];
        let found = readiness(&tasks, &[]);
        assert_eq!(found["whole"], Readiness::Waits(vec!["part".into()]));
        assert_eq!(found["part"], Readiness::Ready);
    }

    #[test]
    fn a_damaged_circle_ends() {
        let tasks = ["a", "b"].map(|id| task(id, None));
        let circle = [after("a", "b", TaskState::Open), after("b", "a", TaskState::Open)];
        assert!(readiness(&tasks, &circle).values().all(|one| matches!(one, Readiness::Waits(_))));
        assert_eq!(ordered(&tasks, &circle).len(), 2);
    }

    #[test]
    fn each_comes_after_what_it_waits_for() {
        let tasks = ["a", "b", "c"].map(|id| task(id, None));
        let dependencies = [after("a", "b", TaskState::Open), after("b", "c", TaskState::Open)];
        let ids: Vec<&str> = ordered(&tasks, &dependencies).iter().map(|task| task.id.as_str()).collect();
        assert_eq!(ids, ["c", "b", "a"]);
    }
}
