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
        ("/code", "No project is known"),
        ("/cost", "No transcript has tokens yet"),
        ("/cost", "No costs of hooks yet"),
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

fn learning(text: &str) -> NewMemory {
    NewMemory {
        kind: "learning".into(),
        scope: "user".into(),
        text_hash: sprag_base::id::full_hash(text.as_bytes()),
        text: text.to_owned(),
        ..NewMemory::default()
    }
}

#[test]
fn what_the_store_has_is_shown_and_can_be_changed() {
    let server = Server::start(true);
    let now = micros(server.host.clock.now());
    let mut store = Store::open(&Setup::read(&server.host).unwrap().target, Opening::WORKER).unwrap();
    store.add_memory(&learning("Staging answers inside the VPN only"), now).unwrap();
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

/// A project with two files, in which an agent was at work.
fn shop(server: &Server) -> String {
    let root = server.home.path().join("shop");
    std::fs::create_dir_all(root.join("src")).unwrap();
    std::fs::write(root.join("pyproject.toml"), "[project]\nname = \"shop\"\n").unwrap();
    let cart = "from tax import rate\n\n\nclass Cart:\n    def pay(self, coupon):\n        total = self.sum()\n        \
                if coupon:\n            total -= 5\n        while total > 100:\n            total -= 1\n        return total * rate(total)\n\n    \
                def sum(self):\n        return 3\n\n\ndef checkout(cart):\n    return cart.pay(None)\n";
    std::fs::write(root.join("src/cart.py"), cart).unwrap();
    let tax = "TOKEN = \"ghp_0123456789abcdefghijABCDEFGHIJ012345\"\n\n\ndef rate(total):\n    \
               key = \"ghp_0123456789abcdefghijABCDEFGHIJ012345\"\n    return 1.2 if total > 10 else 1.1\n";
    std::fs::write(root.join("src/tax.py"), tax).unwrap();
    let root = root.to_string_lossy().into_owned();
    server.deny_in(&root, "git reset --hard");
    root
}

/// The page, once the project is read.
fn read_page(server: &Server, cookie: &str, path: &str) -> String {
    let end = std::time::Instant::now() + Duration::from_secs(120);
    loop {
        let page = server.page(cookie, path);
        if !page.contains("The project is read") {
            return page;
        }
        assert!(std::time::Instant::now() < end, "the project is never read");
    }
}

#[test]
fn the_code_of_a_project_is_a_map_a_graph_and_a_flow() {
    let server = Server::start(false);
    let root = shop(&server);
    let cookie = server.enter();
    let map = read_page(&server, &cookie, "/code");
    for text in ["src/cart.py", "src/tax.py", "class=\"map\"", "Most used files", "python files"] {
        assert!(map.to_lowercase().contains(&text.to_lowercase()), "{text}: {map}");
    }
    let pay = server.page(&cookie, &format!("/code?root={root}&q=Cart.pay"));
    for text in [
        "Who calls it and what it calls",
        "checkout",
        "src/tax.py:4",
        "Control flow of Cart.pay",
        "while total &gt; 100:",
        "Where its values go",
        "coupon",
    ] {
        assert!(pay.contains(text), "{text}: {pay}");
    }
    assert!(server.page(&cookie, "/code?q=pa").contains("Names with this in them"));
    let rate = server.page(&cookie, "/code?q=rate");
    assert!(rate.contains("return 1.2") && !rate.contains("ghp_0123456789"), "secrets are not shown: {rate}");
}

#[test]
fn only_projects_where_agents_were_at_work_are_read() {
    let server = Server::start(false);
    shop(&server);
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("pyproject.toml"), "[project]\nname = \"other\"\n").unwrap();
    std::fs::write(outside.path().join("private.py"), "def hidden_thing():\n    pass\n").unwrap();
    let cookie = server.enter();
    for root in [outside.path().to_string_lossy().as_ref(), "/etc", "/", "../..", "%2e%2e"] {
        let page = read_page(&server, &cookie, &format!("/code?root={root}"));
        assert!(page.contains("src/cart.py") && !page.contains("private.py"), "{root}");
        let page = server.page(&cookie, &format!("/code?root={root}&q=private.py:1"));
        assert!(!page.contains("hidden_thing"), "{root}");
    }
}

#[test]
fn names_of_files_and_symbols_are_text() {
    let server = Server::start(false);
    let root = shop(&server);
    let name = "</text><script>alert(1)<!--.py";
    let folder = std::path::Path::new(&root);
    if std::fs::write(
        folder.join(name.replace('/', "")),
        "def evil(x):\n    s = '</pre><script>alert(2)</script>'\n    return s\n",
    )
    .is_err()
    {
        return;
    }
    let cookie = server.enter();
    let map = read_page(&server, &cookie, "/code");
    assert!(map.contains("&lt;script&gt;alert(1)") && !map.contains("<script>alert"), "{map}");
    let evil = server.page(&cookie, "/code?q=evil");
    assert!(evil.contains("&lt;script&gt;alert(2)") && !evil.contains("<script>alert"), "{evil}");
}

#[test]
fn money_of_the_transcripts_is_shown_by_day_project_and_model() {
    let server = Server::start(false);
    let folder = server.home.path().join(".claude/projects/shop");
    std::fs::create_dir_all(&folder).unwrap();
    let now = server.host.clock.now().to_string();
    let answer = |id: &str, model: &str, output: u32| {
        format!(
            r#"{{"type":"assistant","sessionId":"s1","cwd":"/work/shop","gitBranch":"fix/totals","timestamp":"{now}","uuid":"{id}","message":{{"id":"{id}","model":"{model}","role":"assistant","content":[{{"type":"text","text":"hi"}}],"usage":{{"input_tokens":1000,"cache_read_input_tokens":3000,"output_tokens":{output}}}}}}}"#
        )
    };
    let text =
        format!("{}\n{}\n", answer("m1", "claude-opus-4-8", 2_000), answer("m2", "nobody-knows-this", 10));
    std::fs::write(folder.join("s1.jsonl"), text).unwrap();
    let cookie = server.enter();
    let page = loop {
        let page = server.page(&cookie, "/cost");
        if !page.contains("Reading the agents") && !page.contains("No transcript") {
            break page;
        }
    };
    // 1,000 read at 5, 3,000 from the cache at 0.5, 2,000 written at 25 dollars per million.
    for text in
        ["$0.06", "fix/totals", "/work/shop", "claude-opus-4-8", "No price is known for nobody-knows-this"]
    {
        assert!(page.contains(text), "{text}: {page}");
    }
}

#[test]
fn what_speaks_for_a_person_needs_the_code_and_is_journaled() {
    let server = Server::start(true);
    let now = micros(server.host.clock.now());
    let mut store = Store::open(&Setup::read(&server.host).unwrap().target, Opening::WORKER).unwrap();
    store.add_memory(&learning("Staging answers inside the VPN only"), now).unwrap();
    let cookie = server.enter();
    let list = server.page(&cookie, "/memory");
    let (csrf, code) = (Server::csrf(&list), server.keys.code().unwrap());
    let id = list.split("href=\"/memory/").nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_owned();
    assert!(server.page(&cookie, &format!("/memory/{id}")).contains("Change the text"));
    let forms = [
        format!("action=edit-memory&id={id}&version=1&text=Staging+needs+%60vpn+up%60&back=/memory/{id}"),
        "action=send-message&to=all&text=stop+and+commit&back=/tasks".to_owned(),
        "action=enable-bundle&id=team&back=/health".to_owned(),
        "action=disable-bundle&id=team&back=/health".to_owned(),
    ];
    for form in &forms {
        let without = server.post(&cookie, &format!("csrf={csrf}&{form}"));
        assert_eq!(without.status, 403, "{form}");
    }
    assert_eq!(store.memory_versions(&id).unwrap().len(), 0, "nothing was changed");
    for form in &forms {
        let with = server.post(&cookie, &format!("csrf={csrf}&{form}&code={code}"));
        assert!(with.header("location").is_some_and(|to| to.ends_with("?done=yes")), "{form}: {}", with.head);
    }
    let changed = server.page(&cookie, &format!("/memory/{id}"));
    assert!(changed.contains("Staging needs `vpn up`") && changed.contains("Previous versions"), "{changed}");
    // Somebody else changed it since the form was made.
    let stale = server.post(&cookie, &format!("csrf={csrf}&{}&code={code}", forms[0]));
    assert!(stale.header("location").is_some_and(|to| to.ends_with("?done=gone")), "{}", stale.head);
    let sent = store.messages(None, 0).unwrap();
    assert_eq!(
        (sent[0].message.sender.as_str(), sent[0].message.text.as_str()),
        ("person", "stop and commit")
    );
    assert!(server.page(&cookie, "/tasks").contains("stop and commit"));
    let config = std::fs::read_to_string(server.host.paths.config_file()).unwrap();
    assert!(!config.contains("team"), "on and off again: {config}");
    let mut said = String::new();
    for event in server.page(&cookie, "/events").split("href=\"/events/").skip(1) {
        said.push_str(&server.page(&cookie, &format!("/events/{}", event.split('"').next().unwrap())));
    }
    for text in
        ["changed memory", "sent a message to all", "switched bundle team on", "switched bundle team off"]
    {
        assert!(said.contains(text), "{text}");
    }
}
