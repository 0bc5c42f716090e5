//! What tasks wait for, attempts of dispatchers and messages, on both backends.

use crate::common::{on_each, postgres, sqlite};
use sprag_store::{
    AttemptEnd, AttemptState, ClaimKey, Claimant, DependencyRefusal, Dispatcher, Listener, NewMessage,
    NewTask, OnKnown, Op, OpKind, Opening, Reader, Registration, Spent, Store, TaskChange, TaskRow,
    TaskState,
};
use std::collections::BTreeSet;
use std::time::Duration;

const SECOND: i64 = 1_000_000;
const T0: i64 = 1_794_768_642_000_000;

fn create(store: &mut Store, title: &str, after: &[&str], priority: i64) -> TaskRow {
    let new = NewTask {
        title: title.into(),
        project: "shop".into(),
        after: after.iter().map(|id| (*id).to_owned()).collect(),
        priority,
        ..NewTask::default()
    };
    store.create_task(&new, T0).unwrap().unwrap()
}

fn dispatcher(id: &str) -> Dispatcher {
    Dispatcher {
        id: id.into(),
        project: "shop".into(),
        agent: "claude".into(),
        home: "home-1".into(),
        host: "box".into(),
        lease: 30 * SECOND,
        max_attempts: 2,
        only: String::new(),
    }
}

fn end(state: AttemptState, result: &str) -> AttemptEnd {
    let spent = Spent { cost_micros: Some(1_500), output_tokens: 7, ..Spent::default() };
    AttemptEnd { state, result: result.into(), spent, session: "s".into() }
}

fn titles(tasks: &[TaskRow]) -> Vec<&str> {
    tasks.iter().map(|task| task.title.as_str()).collect()
}

#[test]
fn tasks_wait_for_others_in_the_order_of_their_priorities_and_circles_are_refused() {
    on_each(|place| {
        let mut store = place.open();
        let lexer = create(&mut store, "lexer", &[], 0).id;
        let parser = create(&mut store, "parser", &[&lexer], 0).id;
        let docs = create(&mut store, "docs", &[], 5).id;
        assert_eq!(titles(&store.ready_tasks(Some("shop")).unwrap()), ["docs", "lexer"], "{}", place.name);
        assert_eq!(store.ready_tasks(Some("other")).unwrap(), []);
        let circle = store.add_dependency(&lexer, &parser).unwrap();
        assert_eq!(circle, Err(DependencyRefusal::Cycle(vec![parser.clone(), lexer.clone()])));
        assert!(matches!(store.add_dependency(&lexer, &lexer).unwrap(), Err(DependencyRefusal::Cycle(_))));
        assert_eq!(store.add_dependency(&lexer, "t0").unwrap(), Err(DependencyRefusal::Unknown("t0".into())));
        store.add_dependency(&parser, &docs).unwrap().unwrap();
        let start = |session: &str| TaskChange::Start {
            agent: "claude".into(),
            session: session.into(),
            name: String::new(),
            take: false,
        };
        for id in [&lexer, &docs] {
            store.change_task(id, &start("s1"), T0).unwrap().unwrap();
        }
        store.change_task(&lexer, &TaskChange::Done(String::new()), T0).unwrap().unwrap();
        assert_eq!(store.ready_tasks(None).unwrap(), [], "docs runs");
        store.change_task(&docs, &TaskChange::Fail("no time".into()), T0).unwrap().unwrap();
        assert_eq!(store.ready_tasks(None).unwrap(), [], "what comes after a failure does not start");
        let again = store.retry_task(&docs, "ada", T0).unwrap().unwrap();
        assert_eq!((again.title.as_str(), again.priority), ("docs", 5));
        assert!(store.retry_task(&lexer, "ada", T0).unwrap().is_none(), "what is done is not tried again");
        store.change_task(&again.id, &start("s1"), T0).unwrap().unwrap();
        store.change_task(&again.id, &TaskChange::Done(String::new()), T0).unwrap().unwrap();
        assert_eq!(titles(&store.ready_tasks(None).unwrap()), ["parser"], "it waits for the new one");
        assert!(store.remove_dependency(&parser, &lexer).unwrap());
        let late = store.add_dependency(&again.id, &parser).unwrap();
        assert!(matches!(late, Err(DependencyRefusal::Started(_))));
    });
}

#[test]
fn a_whole_is_not_ready_before_its_parts_and_a_part_cannot_wait_for_it() {
    on_each(|place| {
        let mut store = place.open();
        let whole = create(&mut store, "whole", &[], 0).id;
        let part = NewTask {
            title: "part".into(),
            project: "shop".into(),
            parent: Some(whole.clone()),
            ..NewTask::default()
        };
        let part = store.create_task(&part, T0).unwrap().unwrap().id;
        assert_eq!(titles(&store.ready_tasks(None).unwrap()), ["part"], "{}", place.name);
        assert!(matches!(store.add_dependency(&part, &whole).unwrap(), Err(DependencyRefusal::Cycle(_))));
    });
}

#[test]
fn dispatchers_that_ask_at_once_take_every_task_once() {
    on_each(|place| {
        let mut store = place.open();
        for number in 0..40 {
            create(&mut store, &format!("task {number}"), &[], 0);
        }
        let taken: Vec<String> = std::thread::scope(|scope| {
            let take_all = |name: String| {
                move || {
                    let (mut store, by) = (place.open(), dispatcher(&name));
                    let mut taken = Vec::new();
                    let mut empty = 0;
                    // Where many ask at once, one may find the others' rows locked and nothing else.
                    while empty < 3 {
                        match store.take_task(&by, "worker", T0).unwrap() {
                            Some((task, attempt)) => {
                                assert_eq!(task.pending_attempt(), Some(attempt.id.as_str()));
                                store
                                    .end_attempt(&attempt.id, &end(AttemptState::Done, "ok"), 2, T0)
                                    .unwrap()
                                    .unwrap();
                                taken.push(task.id);
                                empty = 0;
                            }
                            None => empty += 1,
                        }
                    }
                    taken
                }
            };
            let threads: Vec<_> = (0..4).map(|n| scope.spawn(take_all(format!("d{n}")))).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(taken.len(), 40, "{}", place.name);
        assert_eq!(taken.iter().collect::<BTreeSet<_>>().len(), 40, "none twice");
        assert!(store.tasks(true).unwrap().iter().all(|task| task.state == TaskState::Done));
        assert_eq!(store.attempts_cost("shop", T0).unwrap(), 40 * 1_500);
    });
}

#[test]
fn a_lost_attempt_is_taken_over_after_its_lease_and_its_first_owner_changes_nothing_any_more() {
    on_each(|place| {
        let mut store = place.open();
        create(&mut store, "parser", &[], 0);
        let (first, second) = (dispatcher("d1"), dispatcher("d2"));
        let (task, lost) = store.take_task(&first, "w1", T0).unwrap().unwrap();
        assert_eq!(
            (task.state, task.assignee.as_str(), lost.name.as_str()),
            (TaskState::Running, "w1", "w1")
        );
        assert_eq!(store.take_task(&second, "w2", T0).unwrap(), None, "{}", place.name);
        assert_eq!(store.renew_attempts(&first, T0 + 20 * SECOND).unwrap().len(), 1);
        assert_eq!(store.reap_attempts(&second, T0 + 40 * SECOND).unwrap(), [], "the lease was renewed");
        let reaped = store.reap_attempts(&second, T0 + 51 * SECOND).unwrap();
        assert_eq!(reaped.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), [lost.id.as_str()]);
        let (task, again) = store.take_task(&second, "w2", T0 + 51 * SECOND).unwrap().unwrap();
        assert_eq!((again.number, again.name.as_str()), (2, "w1"), "the name stays with the task");
        assert_eq!(store.renew_attempts(&first, T0 + 52 * SECOND).unwrap(), [], "it is not its own any more");
        let late =
            store.end_attempt(&lost.id, &end(AttemptState::Done, "late"), 2, T0 + 53 * SECOND).unwrap();
        assert_eq!(late, None);
        assert_eq!(store.task(&task.id).unwrap().unwrap().state, TaskState::Running);
        let done =
            store.end_attempt(&again.id, &end(AttemptState::Done, "mine"), 2, T0 + 54 * SECOND).unwrap();
        assert_eq!(done.unwrap().outcome, "mine");
    });
}

#[test]
fn a_task_fails_when_its_attempts_are_used_up_but_not_by_a_stop() {
    on_each(|place| {
        let mut store = place.open();
        let id = create(&mut store, "parser", &[], 0).id;
        let by = dispatcher("d1");
        for (state, expected) in [
            (AttemptState::Stopped, TaskState::Running),
            (AttemptState::Failed, TaskState::Running),
            (AttemptState::Failed, TaskState::Failed),
        ] {
            let (_, attempt) = store.take_task(&by, "w", T0).unwrap().unwrap();
            let task = store.end_attempt(&attempt.id, &end(state, "no luck"), 2, T0).unwrap().unwrap();
            assert_eq!(task.state, expected, "{}", place.name);
        }
        assert_eq!(store.task(&id).unwrap().unwrap().outcome, "no luck");
        assert_eq!(store.take_task(&by, "w", T0).unwrap(), None);
        assert_eq!(store.attempts_of(&id).unwrap().len(), 3);
    });
}

#[test]
fn a_whole_that_was_worked_on_before_its_parts_ends_after_them() {
    on_each(|place| {
        let mut store = place.open();
        let whole = create(&mut store, "whole", &[], 0).id;
        let by = dispatcher("d1");
        let (_, attempt) = store.take_task(&by, "w", T0).unwrap().unwrap();
        let part = NewTask {
            title: "part".into(),
            project: "shop".into(),
            parent: Some(whole.clone()),
            ..NewTask::default()
        };
        store.create_task(&part, T0).unwrap().unwrap();
        let task = store.end_attempt(&attempt.id, &end(AttemptState::Done, "split"), 2, T0).unwrap().unwrap();
        assert_eq!(task.state, TaskState::Running, "{}: a part is open", place.name);
        assert_eq!(store.finish_wholes("shop", T0).unwrap(), 0);
        let (_, attempt) = store.take_task(&by, "w", T0).unwrap().unwrap();
        store.end_attempt(&attempt.id, &end(AttemptState::Done, "part"), 2, T0).unwrap().unwrap();
        assert_eq!(store.finish_wholes("shop", T0).unwrap(), 1);
        let whole = store.task(&whole).unwrap().unwrap();
        assert_eq!((whole.state, whole.outcome.as_str()), (TaskState::Done, "split"));
    });
}

fn session(store: &mut Store, id: &str, name: &str, home: &str) -> Reader {
    let new = Registration {
        agent: "claude".into(),
        session: id.into(),
        home: home.into(),
        name: name.into(),
        project: "shop".into(),
        lease: 600 * SECOND,
        ..Registration::default()
    };
    store.apply(&Op::new(T0, OpKind::Register(new))).unwrap();
    Reader {
        agent: "claude".into(),
        session: id.into(),
        name: name.into(),
        role: "worker".into(),
        project: "shop".into(),
        since: T0,
    }
}

fn say(store: &mut Store, to: &str, text: &str, at: i64) {
    let new = NewMessage {
        project: "shop".into(),
        sender: "lead".into(),
        session: "s-lead".into(),
        recipient: to.into(),
        text: text.into(),
    };
    store.send_message(&new, 100, 0, at).unwrap().unwrap();
}

fn given(store: &mut Store, reader: &Reader, at: i64) -> Vec<String> {
    let (messages, _) = store.give_messages(reader, at, |_| true).unwrap();
    messages.into_iter().map(|message| message.text).collect()
}

#[test]
fn a_message_reaches_its_reader_once_and_again_when_the_session_died_with_it() {
    on_each(|place| {
        let mut store = place.open();
        let ada = session(&mut store, "s1", "ada", "home-1");
        let bob = session(&mut store, "s2", "bob", "home-2");
        say(&mut store, "ada", "to ada", T0 + 1);
        say(&mut store, "all", "to all", T0 + 2);
        say(&mut store, "role:lead", "to leads", T0 + 3);
        say(&mut store, "session:s2", "to s2", T0 + 4);
        assert!(store.has_messages(&bob, T0 + 5).unwrap());
        assert_eq!(given(&mut store, &bob, T0 + 5), ["to all", "to s2"], "{}", place.name);
        let (messages, more) = store.give_messages(&ada, T0 + 5, |message| message.text == "to ada").unwrap();
        assert_eq!((messages.len(), more), (1, true), "the rest waits");
        assert_eq!(given(&mut store, &ada, T0 + 5), ["to all"]);
        assert_eq!(
            given(&mut store, &ada, T0 + 6),
            [] as [&str; 0],
            "given, not confirmed, and the session lives"
        );
        let ids = vec![messages[0].id.clone()];
        assert_eq!(store.confirm_messages("claude", "s1", &ids, T0 + 7).unwrap(), 1);
        // It dies before its next event: what it did not confirm goes to the next session of that name.
        let gone = OpKind::Offline { agent: "claude".into(), session: "s1".into() };
        store.apply(&Op::new(T0 + 8, gone)).unwrap();
        let next = session(&mut store, "s3", "ada", "home-1");
        assert_eq!(given(&mut store, &next, T0 + 9), ["to all"]);
        let mail = store.messages(Some("ada"), T0).unwrap();
        let to_ada = mail.iter().find(|mail| mail.message.text == "to ada").unwrap();
        assert_eq!(to_ada.readers, ["ada"]);
    });
}

#[test]
fn a_message_to_a_name_goes_to_one_of_its_sessions_and_not_back_to_its_sender() {
    on_each(|place| {
        let mut store = place.open();
        let readers = ["s1", "s2", "s3"].map(|id| session(&mut store, id, "ada", "home-1"));
        for number in 0..30 {
            say(&mut store, "ada", &format!("m{number}"), T0 + number);
        }
        let mut all: Vec<String> = std::thread::scope(|scope| {
            let read = |reader: &Reader| {
                let reader = reader.clone();
                move || given(&mut place.open(), &reader, T0 + 100)
            };
            let threads: Vec<_> = readers.iter().map(|reader| scope.spawn(read(reader))).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        all.sort();
        let mut expected: Vec<String> = (0..30).map(|number| format!("m{number}")).collect();
        expected.sort();
        assert_eq!(all, expected, "{}", place.name);
        let own = NewMessage { session: "s1".into(), recipient: "all".into(), ..NewMessage::default() };
        store.send_message(&own, 100, 0, T0 + 200).unwrap().unwrap();
        assert_eq!(given(&mut store, &readers[0], T0 + 201).len(), 0);
    });
}

#[test]
fn a_sender_is_limited() {
    on_each(|place| {
        let mut store = place.open();
        let new = NewMessage { sender: "ada".into(), recipient: "all".into(), ..NewMessage::default() };
        for at in 0..3 {
            assert!(store.send_message(&new, 3, T0 - 60 * SECOND, T0 + at).unwrap().is_some());
        }
        assert!(store.send_message(&new, 3, T0 - 60 * SECOND, T0 + 4).unwrap().is_none(), "{}", place.name);
        assert!(store.send_message(&new, 3, T0 + 60 * SECOND, T0 + 120 * SECOND).unwrap().is_some());
    });
}

#[test]
fn an_import_keeps_known_rows_or_replaces_them() {
    on_each(|place| {
        let mut store = place.open();
        let task = create(&mut store, "parser", &[], 0);
        let mut file = Vec::new();
        store.export(&mut file).unwrap();
        let changed = String::from_utf8(file).unwrap().replace("parser", "lexer");
        let kept = store.import(&mut changed.as_bytes(), OnKnown::Keep).unwrap();
        assert_eq!((kept.added, kept.known, kept.replaced), (0, 1, 0), "{}", place.name);
        assert_eq!(store.task(&task.id).unwrap().unwrap().title, "parser");
        let replaced = store.import(&mut changed.as_bytes(), OnKnown::Replace).unwrap();
        assert_eq!((replaced.added, replaced.known, replaced.replaced), (0, 0, 1));
        assert_eq!(store.task(&task.id).unwrap().unwrap().title, "lexer");
    });
}

#[test]
fn claims_that_were_made_without_the_store_come_later_and_both_are_told_of_a_conflict() {
    on_each(|place| {
        let mut store = place.open();
        let (one, two) =
            (session(&mut store, "s1", "ada", "home-1"), session(&mut store, "s2", "bob", "home-2"));
        let by = |id: &str| Claimant {
            agent: "claude".into(),
            session: id.into(),
            host: "box".into(),
            lease: 600 * SECOND,
        };
        let key = |path: &str| {
            (
                ClaimKey { repo: "shop".into(), branch: "main".into(), path: path.into() },
                "/work/shop".to_owned(),
            )
        };
        let claim =
            |id: &str, path: &str, at: i64| Op::new(at, OpKind::Claim { by: by(id), keys: vec![key(path)] });
        let first = claim("s1", "a.rs", T0 + 1);
        store.apply(&first).unwrap();
        store.apply(&first).unwrap();
        store.apply(&claim("s2", "b.rs", T0 + 2)).unwrap();
        store.apply(&claim("s2", "a.rs", T0 + 3)).unwrap();
        let held: Vec<(String, String, i64)> = store
            .claims(T0 + 4)
            .unwrap()
            .into_iter()
            .map(|row| (row.key.path, row.session, row.since))
            .collect();
        let expected =
            [("a.rs".to_owned(), "s1".to_owned(), T0 + 1), ("b.rs".to_owned(), "s2".to_owned(), T0 + 2)];
        assert_eq!(held, expected, "{}", place.name);
        assert!(given(&mut store, &one, T0 + 5)[0].contains("a.rs was changed by you and by session s2"));
        assert!(given(&mut store, &two, T0 + 5)[0].contains("a.rs was changed by you and by session s1"));
    });
}

/// A dispatcher need not ask again and again: the server says when a task can be started or is over.
#[test]
fn a_listener_hears_of_tasks_of_its_project_and_of_no_others() {
    assert!(
        Listener::open(&sqlite().target, "shop", Opening::WORKER).unwrap().is_none(),
        "a file tells nobody"
    );
    let Some(place) = postgres() else { return };
    let (long, none) = (Duration::from_secs(60), Duration::from_millis(200));
    let mut store = place.open();
    let mut shop = Listener::open(&place.target, "shop", Opening::WORKER).unwrap().unwrap();
    let mut other = Listener::open(&place.target, "other", Opening::WORKER).unwrap().unwrap();
    let task = create(&mut store, "lexer", &[], 0);
    assert!(shop.wait(long).unwrap(), "a new task");
    assert!(!shop.wait(none).unwrap(), "said once");
    let (_, attempt) = store.take_task(&dispatcher("d1"), "claude-1", T0).unwrap().unwrap();
    assert!(!shop.wait(none).unwrap(), "what starts frees nobody");
    let done = end(AttemptState::Done, "all done");
    assert_eq!(store.end_attempt(&attempt.id, &done, 2, T0 + 1).unwrap().unwrap().id, task.id);
    assert!(shop.wait(long).unwrap(), "what waits for it can start");
    let next = create(&mut store, "parser", &[], 0);
    assert!(shop.wait(long).unwrap());
    store.change_task(&next.id, &TaskChange::Cancel("no".into()), T0 + 2).unwrap().unwrap();
    assert!(shop.wait(long).unwrap(), "a person cancelled it");
    assert!(!other.wait(none).unwrap(), "another project");
}
