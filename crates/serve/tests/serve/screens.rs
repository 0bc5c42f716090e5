//! What the screens show, with an empty home and with a filled one.

use super::client::Server;
use sprag_coord::store::{Setup, micros};
use sprag_runtime::pending;
use sprag_store::{NewMemory, NewTask, Opening, Store};
use std::time::Duration;

#[test]
fn an_empty_home_says_what_will_be_here() {
    let server = Server::start(false);
    let cookie = server.enter();
    for (path, text) in [
        ("/", "No agent is at work"),
        ("/", "Nothing waits for you"),
        ("/events", "No events yet"),
        ("/guards", "No rule spoke yet"),
        ("/approvals", "No agent waits"),
        ("/memory", "Nothing is remembered yet"),
        ("/lessons", "No lesson is active"),
        ("/tasks", "No tasks"),
        ("/cost", "No costs yet"),
        ("/health", "The queue is empty"),
    ] {
        assert!(server.page(&cookie, path).contains(text), "{path}: {text}");
    }
    assert_eq!(server.get("/nothing", &[("Cookie", &cookie)]).status, 404);
    let state = server.home.path().join(".local/state/sprag");
    assert!(
        !state.join("sprag.db").exists() && !state.join("journal.jsonl").exists(),
        "looking changes nothing"
    );
}

#[test]
fn a_stop_is_on_every_screen_that_is_about_it() {
    let server = Server::start(false);
    let cookie = server.enter();
    server.deny("git reset --hard HEAD~3");
    for path in [
        "/",
        "/events",
        "/guards",
        "/approvals",
        "/events?verdict=deny&hook=command-guard&session=session-one",
    ] {
        let page = server.page(&cookie, path);
        assert!(page.contains("git reset --hard HEAD~3") && page.contains("git:reset-hard"), "{path}");
    }
    assert!(server.page(&cookie, "/events?verdict=ask").contains("No event fits"));
    assert!(server.page(&cookie, "/cost").contains("command-guard"));
    let list = server.page(&cookie, "/events");
    let event = list.split("href=\"/events/").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let page = server.page(&cookie, &format!("/events/{event}"));
    for text in [
        "What each hook said",
        "It throws away changes.",
        "sprag allow 7f3a",
        "With today&#39;s configuration",
        "Journal line",
    ] {
        assert!(page.contains(text) || page.contains(&text.replace("&#39;", "'")), "{text}");
    }
}

#[test]
fn what_the_store_has_is_shown_and_can_be_changed() {
    let server = Server::start(true);
    let now = micros(server.host.clock.now());
    let mut store = Store::open(&Setup::read(&server.host).unwrap().target, Opening::WORKER).unwrap();
    let text = "Staging answers inside the VPN only".to_owned();
    let memory = NewMemory {
        kind: "learning".into(),
        scope: "user".into(),
        text_hash: sprag_base::id::full_hash(text.as_bytes()),
        text,
        ..NewMemory::default()
    };
    store.add_memory(&memory, now).unwrap();
    let task =
        NewTask { title: "Port the parser".into(), goal: "the old one is gone".into(), ..NewTask::default() };
    let task = store.create_task(&task, now).unwrap().unwrap();
    let cookie = server.enter();
    let page = server.page(&cookie, "/memory");
    assert!(page.contains("Staging answers inside the VPN only"));
    assert!(server.page(&cookie, "/memory?q=VPN").contains("Staging answers"));
    assert!(server.page(&cookie, "/tasks").contains("Port the parser"));
    let csrf = Server::csrf(&page);
    let cancel = server.post(&cookie, &format!("csrf={csrf}&action=cancel-task&id={}&back=/tasks", task.id));
    assert_eq!(cancel.header("location"), Some("/tasks?done=yes"));
    assert_eq!(store.task(&task.id).unwrap().unwrap().state, sprag_store::TaskState::Cancelled);
    let id = page.split("href=\"/memory/").nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_owned();
    assert!(server.page(&cookie, &format!("/memory/{id}")).contains("What is known of it"));
    let forget = server.post(&cookie, &format!("csrf={csrf}&action=forget-memory&id={id}&back=/memory"));
    assert_eq!(forget.header("location"), Some("/memory?done=yes"));
    assert!(server.page(&cookie, "/memory").contains("Nothing is remembered yet"));
    assert!(server.page(&cookie, "/events").contains(">page<"), "the journal says who changed it");
}

#[test]
fn a_question_is_answered_on_the_page() {
    let server = Server::start(true);
    let cookie = server.enter();
    let question = pending::Question {
        session: "s".into(),
        agent: "claude".into(),
        tool: "Bash".into(),
        shown: "git push --force".into(),
        rules: vec!["git:force-push".into()],
        reason: "It replaces commits.".into(),
        ..pending::Question::default()
    };
    std::thread::scope(|scope| {
        let asking =
            scope.spawn(|| pending::ask(&server.host, question, Duration::from_secs(120), |_| ()).unwrap());
        let page = loop {
            let page = server.page(&cookie, "/approvals");
            if page.contains("git push --force") {
                break page;
            }
        };
        assert!(page.contains("It replaces commits.") && page.contains("git:force-push"));
        let id = pending::list(&server.host).pop().unwrap().id;
        let (csrf, code) = (Server::csrf(&page), server.keys.code().unwrap());
        let without =
            server.post(&cookie, &format!("csrf={csrf}&action=answer-allow&id={id}&back=/approvals"));
        assert_eq!(without.status, 403, "letting it through needs the code");
        let with = server
            .post(&cookie, &format!("csrf={csrf}&action=answer-allow&id={id}&back=/approvals&code={code}"));
        assert_eq!(with.header("location"), Some("/approvals?done=yes"));
        let answered = asking.join().unwrap().unwrap();
        assert!(answered.allow && answered.by == "page");
    });
}

#[test]
fn the_numbers_have_no_paths_and_every_one_of_the_dashboard_exists() {
    let server = Server::start(false);
    let cookie = server.enter();
    server.page(&cookie, "/");
    server.deny("cat /home/ada/secret.txt");
    let setup = Setup::read(&server.host).unwrap();
    drop(Store::open(&setup.target, Opening::WORKER).unwrap());
    let text = server.page(&cookie, "/metrics");
    for line in [
        "sprag_hook_runs_total{agent=\"claude\",event=\"PreToolUse\",hook=\"command-guard\",outcome=\"stop\"} 1",
        "sprag_guard_verdicts_total{hook=\"command-guard\",rule=\"git:reset-hard\",verdict=\"deny\",action=\"block\",mode=\"enforce\"} 1",
        "sprag_hook_duration_seconds_bucket{hook=\"command-guard\",le=\"0.0005\"} 1",
        "sprag_hook_duration_seconds_count{hook=\"command-guard\"} 1",
        "sprag_approvals_pending 0",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    for private in ["secret.txt", "session-one", "/p\"", "/home"] {
        assert!(!text.contains(private), "{private}");
    }
    let dashboard = include_str!("../../../../contrib/grafana/sprag.json");
    let names = dashboard.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    for name in names.filter(|name| name.starts_with("sprag_")) {
        let name = name.trim_end_matches("_bucket");
        assert!(text.contains(&format!("# TYPE {name} ")), "{name}");
    }
    assert_eq!(server.get("/metrics", &[]).status, 401, "a cookie is needed unless it was opened");
}
