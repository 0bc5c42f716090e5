//! Tasks and agents on both backends: legal changes only, one winner, ends that spread to the parts.

use crate::common::on_each;
use sprag_store::{
    AgentState, Batch, Heartbeat, NewTask, NotCreated, Op, OpKind, Position, Refusal, Registration, Role,
    Store, TaskChange, TaskRow, TaskState,
};

const MINUTE: i64 = 60_000_000;
const T0: i64 = 1_794_768_642_000_000;

fn create(store: &mut Store, title: &str, parent: Option<&str>, assignee: &str) -> TaskRow {
    let new = NewTask {
        title: title.into(),
        parent: parent.map(str::to_owned),
        assignee: assignee.into(),
        ..NewTask::default()
    };
    store.create_task(&new, T0).unwrap().unwrap()
}

fn start(session: &str, name: &str, take: bool) -> TaskChange {
    TaskChange::Start { agent: "claude".into(), session: session.into(), name: name.into(), take }
}

fn state(store: &mut Store, id: &str) -> &'static str {
    store.task(id).unwrap().unwrap().state.name()
}

#[test]
fn a_task_goes_its_way_and_the_first_end_is_its_end() {
    on_each(|place| {
        let mut store = place.open();
        let id = create(&mut store, "write the parser", None, "").id;
        let mut change = |change: TaskChange, at| store.change_task(&id, &change, at).unwrap();
        let early = change(TaskChange::Progress("x".into()), T0).unwrap_err();
        assert!(matches!(early, Refusal::State(task) if task.state == TaskState::Open), "{}", place.name);
        assert!(change(TaskChange::Done(String::new()), T0).is_err(), "what nobody began is not done");
        let task = change(start("s1", "ada", false), T0 + 1).unwrap();
        assert_eq!(
            (task.state, task.session.as_str(), task.assignee.as_str()),
            (TaskState::Running, "s1", "ada")
        );
        assert!(matches!(change(start("s2", "bob", false), T0 + 2), Err(Refusal::Taken(_))));
        assert!(change(start("s1", "ada", false), T0 + 2).is_ok(), "its own once more");
        assert_eq!(change(TaskChange::Progress("half".into()), T0 + 3).unwrap().progress, "half");
        assert_eq!(change(TaskChange::Done("all".into()), T0 + 4).unwrap().finished, Some(T0 + 4));
        let again = change(TaskChange::Done("other words".into()), T0 + 5).unwrap();
        assert_eq!((again.outcome.as_str(), again.finished), ("all", Some(T0 + 4)), "the first end counts");
        for late in [TaskChange::Cancel("x".into()), TaskChange::Fail("x".into()), start("s1", "ada", true)] {
            assert!(matches!(change(late, T0 + 6), Err(Refusal::State(_))));
        }
        assert_eq!(
            store.change_task("t0", &TaskChange::Cancel(String::new()), T0).unwrap(),
            Err(Refusal::Unknown)
        );
    });
}

#[test]
fn a_task_is_for_its_agent_unless_somebody_takes_it() {
    on_each(|place| {
        let mut store = place.open();
        let id = create(&mut store, "deploy", None, "ada").id;
        let refused = store.change_task(&id, &start("s2", "bob", false), T0).unwrap();
        assert!(matches!(refused, Err(Refusal::Assigned(_))), "{}", place.name);
        let taken = store.change_task(&id, &start("s2", "bob", true), T0).unwrap().unwrap();
        assert_eq!((taken.assignee.as_str(), taken.session.as_str()), ("bob", "s2"));
    });
}

#[test]
fn parts_end_with_their_whole_and_the_whole_is_not_done_before_them() {
    on_each(|place| {
        let mut store = place.open();
        let whole = create(&mut store, "whole", None, "").id;
        let part = create(&mut store, "part", Some(&whole), "").id;
        let deep = create(&mut store, "deep", Some(&part), "").id;
        let done = create(&mut store, "done", Some(&whole), "").id;
        for id in [&whole, &deep, &done] {
            store.change_task(id, &start("s", "ada", false), T0).unwrap().unwrap();
        }
        store.change_task(&done, &TaskChange::Done(String::new()), T0).unwrap().unwrap();
        let early = store.change_task(&whole, &TaskChange::Done(String::new()), T0).unwrap();
        assert_eq!(early, Err(Refusal::Parts(1)), "{}", place.name);
        store.change_task(&whole, &TaskChange::Cancel("no budget".into()), T0 + 1).unwrap().unwrap();
        let states: Vec<&str> = [&whole, &part, &deep, &done].map(|id| state(&mut store, id)).to_vec();
        assert_eq!(states, ["cancelled", "cancelled", "cancelled", "done"]);
        assert_eq!(store.task_parts(&whole).unwrap().len(), 2);
        let orphan = NewTask { parent: Some(whole), title: "late".into(), ..NewTask::default() };
        assert_eq!(
            store.create_task(&orphan, T0).unwrap(),
            Err(NotCreated::Parent),
            "nothing is added to what is over"
        );
        let lost = NewTask { parent: Some("t-none".into()), ..NewTask::default() };
        assert_eq!(store.create_task(&lost, T0).unwrap(), Err(NotCreated::Parent));
        assert!(store.tasks(false).unwrap().is_empty() && store.tasks(true).unwrap().len() == 4);
        assert_eq!(store.tasks_like(part.get(..9).unwrap()).unwrap().len(), 1);
    });
}

#[test]
fn of_many_that_start_one_task_at_once_one_has_it() {
    on_each(|place| {
        let id = create(&mut place.open(), "contended", None, "").id;
        let won: usize = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..16)
                .map(|number| {
                    let id = &id;
                    scope.spawn(move || {
                        let change = start(&format!("s{number}"), "x", false);
                        let name = format!("n{number}");
                        let change = match change {
                            TaskChange::Start { agent, session, take, .. } => {
                                TaskChange::Start { agent, session, name, take }
                            }
                            other => other,
                        };
                        usize::from(place.open().change_task(id, &change, T0).unwrap().is_ok())
                    })
                })
                .collect();
            tries.into_iter().map(|one| one.join().unwrap()).sum()
        });
        assert_eq!(won, 1, "{}", place.name);
    });
}

fn register(store: &mut Store, session: &str, name: &str, role: &str, at: i64) {
    let new = Registration {
        agent: "claude".into(),
        session: session.into(),
        home: "h".into(),
        host: "box".into(),
        name: name.into(),
        role: Role::of(role),
        project: "shop".into(),
        root: "/work/shop".into(),
        lease: 10 * MINUTE,
        ..Registration::default()
    };
    store.apply(&Op::new(at, OpKind::Register(new))).unwrap();
}

#[test]
fn an_agent_is_active_then_stalled_then_offline_by_its_lease() {
    on_each(|place| {
        let mut store = place.open();
        register(&mut store, "s1", "ada", "", T0);
        let mut now = |at: i64| {
            let agent = store.agents(at).unwrap().remove(0);
            (agent.name.clone(), agent.state(at, 5 * MINUTE))
        };
        assert_eq!(now(T0 + MINUTE), ("ada".into(), AgentState::Active), "{}", place.name);
        assert_eq!(now(T0 + 5 * MINUTE).1, AgentState::Stalled);
        assert_eq!(now(T0 + 10 * MINUTE).1, AgentState::Offline);
        let last = Heartbeat { at: T0 + 9 * MINUTE, lease: 10 * MINUTE, doing: "Edit a.rs".into() };
        let heartbeats = [(("claude".to_owned(), "s1".to_owned()), last)].into();
        let end = Position { position: 10, lines: 1, broken: 0 };
        store.ingest("h", "b", 0, &Batch { heartbeats, end, ..Batch::default() }, T0).unwrap();
        let agent = store.agents(T0 + 10 * MINUTE).unwrap().remove(0);
        assert_eq!(agent.state(T0 + 10 * MINUTE, 5 * MINUTE), AgentState::Active);
        assert_eq!(store.work(Some("shop"), T0 + 10 * MINUTE).unwrap()[0].doing, "Edit a.rs");
        assert!(store.work(Some("other"), T0 + 10 * MINUTE).unwrap().is_empty());
    });
}

/// Fault of the reference: any hook call, or a late one, brought an agent that went back to life as idle.
#[test]
fn an_agent_that_went_stays_gone_until_it_does_something_newer() {
    on_each(|place| {
        let mut store = place.open();
        register(&mut store, "s1", "ada", "lead", T0);
        register(&mut store, "s2", "ada", "", T0 + 1);
        assert_eq!(store.role("h", "ada").unwrap(), Some(Role::Lead), "{}: a role stays", place.name);
        let off = |session: &str, at| {
            Op::new(at, OpKind::Offline { agent: "claude".into(), session: session.into() })
        };
        store.apply(&off("s1", T0 + MINUTE)).unwrap();
        let agent = store.agents(T0 + MINUTE).unwrap().remove(0);
        assert_eq!((agent.live, agent.state(T0 + MINUTE, 5 * MINUTE)), (1, AgentState::Active), "s2 goes on");
        store.apply(&off("s2", T0 + 2 * MINUTE)).unwrap();
        let agent = store.agents(T0 + 2 * MINUTE).unwrap().remove(0);
        assert_eq!(agent.state(T0 + 2 * MINUTE, 5 * MINUTE), AgentState::Offline);
        assert_eq!(agent.offline, Some(T0 + 2 * MINUTE));
        register(&mut store, "s2", "ada", "", T0 + 3 * MINUTE);
        store.apply(&off("s2", T0 + 2 * MINUTE + 1)).unwrap();
        let agent = store.agents(T0 + 3 * MINUTE).unwrap().remove(0);
        assert_eq!(
            agent.state(T0 + 3 * MINUTE, 5 * MINUTE),
            AgentState::Active,
            "a late word changes nothing"
        );
    });
}
