//! The store behind the built program: what must hold when it is unavailable, slow, full, damaged or read-only, when
//! many write at once, and when a process dies in the middle.

use serde_json::{Value, json};
use sprag_store::testing::{self, Server};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A home of its own with a store's address.
struct Home {
    dir: tempfile::TempDir,
    env: Vec<(&'static str, String)>,
}

impl Home {
    fn new(url: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join(".config/sprag");
        std::fs::create_dir_all(&config).unwrap();
        std::fs::write(config.join("config.toml"), format!("[store]\nurl = \"{url}\"\n")).unwrap();
        std::fs::create_dir_all(dir.path().join("shop")).unwrap();
        Self { dir, env: Vec::new() }
    }

    fn state(&self) -> PathBuf {
        self.dir.path().join(".local/state/sprag")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sprag"));
        command.args(args).env_clear().env("HOME", self.dir.path()).env("SPRAG_WORKER", "off");
        command.envs(self.env.iter().map(|(name, value)| (*name, value.as_str())));
        command
            .current_dir(self.dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut child = self.command(args).spawn().unwrap();
        drop(child.stdin.take());
        child.wait_with_output().unwrap()
    }

    fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(args)).unwrap()
    }

    fn payload(&self, event: &str, session: &str) -> String {
        let cwd = self.dir.path().join("shop");
        json!({
            "hook_event_name": event, "session_id": session, "cwd": cwd, "source": "startup",
            "tool_name": "Bash", "tool_input": { "command": "ls" }, "prompt": "hello",
        })
        .to_string()
    }

    fn begin(&self, event: &str, session: &str) -> Child {
        use std::io::Write as _;
        let mut child = self.command(&["hook", "--agent", "claude"]).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(self.payload(event, session).as_bytes());
        child
    }

    /// Sends an event; the answer is nothing or one object, whatever the store does. It comes: a store that is not
    /// waited for may take as long as it likes.
    fn event(&self, event: &str, session: &str) -> Value {
        let mut child = self.begin(event, session);
        wait("the answer to an event", || child.try_wait().unwrap());
        answer(&child.wait_with_output().unwrap())
    }

    fn spooled(&self) -> usize {
        let spool = std::fs::read_dir(self.state().join("spool"));
        spool.map_or(0, |dir| dir.flatten().filter(|entry| entry.path().is_file()).count())
    }

    fn sessions(&self) -> Vec<Value> {
        self.json(&["status", "sessions", "--json"])["sessions"].as_array().unwrap().clone()
    }

    fn doctor(&self) -> Vec<Value> {
        let output = self.run(&["doctor", "--json"]);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let all = found["findings"].as_array().unwrap().iter();
        all.filter(|finding| finding["area"] == "store").cloned().collect()
    }
}

/// Looks until there is something.
#[track_caller]
fn wait<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(120);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "not seen: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn answer(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    if output.stdout.is_empty() { Value::Null } else { serde_json::from_slice(&output.stdout).unwrap() }
}

fn message(answer: &Value) -> &str {
    answer["systemMessage"].as_str().unwrap_or_default()
}

#[test]
fn a_tool_call_opens_no_store() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let home = Home::new(&format!("postgres://me@127.0.0.1:{port}/db?sslmode=disable"));
    for event in ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionEnd"] {
        home.event(event, "s1");
        assert!(listener.accept().is_err(), "{event} reached for the store");
    }
    home.event("SessionStart", "s1");
    assert!(listener.accept().is_ok(), "a session's start does");
    let home = Home::new("sqlite");
    home.event("PreToolUse", "s1");
    assert!(!home.state().join("sprag.db").exists());
    home.event("SessionStart", "s1");
    assert!(home.state().join("sprag.db").exists());
    if Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_err() {
        return sprag_testkit::skip("in part: no strace here, so system calls were not looked at");
    }
    use std::io::Write as _;
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq", "-e", "trace=file,network", "--"]).arg(env!("CARGO_BIN_EXE_sprag"));
    traced
        .args(["hook", "--agent", "claude"])
        .env_clear()
        .env("HOME", home.dir.path())
        .env("SPRAG_WORKER", "off");
    let mut child =
        traced.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(home.payload("PreToolUse", "s1").as_bytes()).unwrap();
    let calls = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    assert!(calls.contains("journal.jsonl"), "{calls}");
    assert!(!calls.contains("sprag.db") && !calls.contains("connect("), "{calls}");
}

#[test]
fn the_password_and_the_address_come_from_the_files_of_postgresql() {
    use std::os::unix::fs::PermissionsExt as _;
    let Some(server) = Server::new() else { return };
    server.require_password("quite-secret");
    let home = Home::new("service=shop");
    let put = |name: &str, text: String, mode: u32| {
        let path = home.dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let port = server.port();
    put(
        ".pg_service.conf",
        format!("[shop]\nhost=127.0.0.1\nport={port}\ndbname=postgres\nuser=sprag\nsslmode=disable\n"),
        0o644,
    );
    let login = format!("127.0.0.1:{port}:*:sprag:quite-secret\n");
    put(".pgpass", login.clone(), 0o644);
    let refused = home.run(&["store", "migrate"]);
    assert!(!refused.status.success(), "PostgreSQL's programs take nothing from a file that others may read");
    assert!(String::from_utf8_lossy(&refused.stderr).contains(".pgpass with mode 0600"));
    put(".pgpass", login, 0o600);
    home.ok(&["store", "migrate"]);
    home.event("SessionStart", "s1");
    assert_eq!(home.sessions().len(), 1);
    let shown = home.ok(&["store", "status"]);
    assert!(shown.contains("service=shop") && !shown.contains("quite-secret"), "{shown}");
}

#[test]
fn a_server_that_does_not_answer_is_not_waited_for() {
    // Accepts, and says nothing for as long as the test runs.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let home = Home::new(&format!("postgres://me@127.0.0.1:{port}/db?sslmode=disable"));
    let said = home.event("SessionStart", "s1");
    assert!(message(&said).contains("cannot be reached"), "{said}");
    assert_eq!(home.spooled(), 1);
    home.event("PreToolUse", "s1");
    // Whoever asked has hung up: the connection is at its end after the question.
    let (mut asked, _) = listener.accept().unwrap();
    std::io::Read::read_to_end(&mut asked, &mut Vec::new()).unwrap();
}

fn server() -> Option<Server> {
    Server::new()
}

#[test]
fn a_server_that_is_stopped_and_comes_back_gets_everything_once_and_in_order() {
    let Some(server) = server() else { return };
    let mut home = Home::new(&server.database());
    home.ok(&["store", "migrate"]);
    home.env.push(("SPRAG_STORE_BUDGET_MS", "20000".to_owned()));
    for number in 0..3 {
        home.event("SessionStart", &format!("s{number}"));
    }
    assert_eq!(home.spooled(), 0);
    home.env.clear();
    server.stop(true);
    for number in 3..6 {
        let said = home.event("SessionStart", &format!("s{number}"));
        assert!(message(&said).contains("cannot be reached"), "{said}");
    }
    home.event("SessionEnd", "s3");
    assert_eq!(home.spooled(), 4);
    let failing = home.run(&["worker", "--once"]);
    assert!(String::from_utf8_lossy(&failing.stdout).contains("failed"));
    assert_eq!(home.spooled(), 4, "nothing is lost while it is unavailable");
    let found = home.doctor();
    assert_eq!(found[0]["level"], "fail", "{found:?}");
    assert!(found[0]["what"].as_str().unwrap().contains("cannot be reached"), "{found:?}");
    assert!(found[1]["what"].as_str().unwrap().contains("4 changes wait"), "{found:?}");
    server.start();
    home.ok(&["worker", "--once"]);
    home.ok(&["worker", "--once"]);
    assert_eq!(home.spooled(), 0);
    let sessions = home.sessions();
    assert_eq!(sessions.len(), 6, "{sessions:?}");
    let ended: Vec<&str> = sessions
        .iter()
        .filter(|row| !row["ended"].is_null())
        .map(|row| row["session"].as_str().unwrap())
        .collect();
    assert_eq!(ended, ["s3"], "its start was sent before its end");
    assert_eq!(home.doctor()[0]["level"], "ok");
}

#[test]
fn a_statement_that_does_not_end_costs_the_budget_and_is_sent_later() {
    let Some(server) = testing::server() else { return };
    let url = server.database();
    let home = Home::new(&url);
    home.ok(&["store", "migrate"]);
    let name = url.rsplit('/').next().unwrap().split('?').next().unwrap().to_owned();
    let holders = "FROM pg_locks WHERE relation = 'sprag.sessions'::regclass AND granted \
                   AND mode = 'AccessExclusiveLock'";
    let held = || server.number(&name, &format!("SELECT count(*) {holders}")).unwrap() == 1;
    let holder = {
        let (server, name) = (server.clone(), name.clone());
        let sql = "BEGIN; LOCK TABLE sprag.sessions IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(3600)";
        // It ends with an error: it is ended by its id, below.
        std::thread::spawn(move || drop(server.sql(&name, sql)))
    };
    wait("the lock is held", || held().then_some(()));
    home.event("SessionStart", "s1");
    assert!(held(), "the hook did not wait for the lock");
    assert_eq!(home.spooled(), 1);
    server.sql(&name, &format!("SELECT pg_terminate_backend(pid) {holders}")).unwrap();
    holder.join().unwrap();
    home.ok(&["worker", "--once"]);
    assert_eq!((home.spooled(), home.sessions().len()), (0, 1));
}

#[test]
fn a_server_whose_disk_is_full_gets_it_later() {
    let Some(server) = testing::server() else { return };
    let url = server.database();
    let mut home = Home::new(&url);
    home.ok(&["store", "migrate"]);
    home.env.push(("SPRAG_STORE_BUDGET_MS", "20000".to_owned()));
    let name = url.rsplit('/').next().unwrap().split('?').next().unwrap();
    // What the server says when it has no room, without filling a disk.
    let full = "CREATE FUNCTION sprag.no_room() RETURNS trigger LANGUAGE plpgsql AS \
                $$BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END$$; \
                CREATE TRIGGER no_room BEFORE INSERT ON sprag.sessions EXECUTE FUNCTION sprag.no_room()";
    server.sql(name, full).unwrap();
    let said = home.event("SessionStart", "s1");
    assert!(message(&said).contains("disk is full"), "{said}");
    assert!(String::from_utf8_lossy(&home.run(&["worker", "--once"]).stdout).contains("failed"));
    assert_eq!(home.spooled(), 1);
    server.sql(name, "DROP TRIGGER no_room ON sprag.sessions").unwrap();
    home.ok(&["worker", "--once"]);
    assert_eq!((home.spooled(), home.sessions().len()), (0, 1));
}

fn many(home: &Home) {
    let children: Vec<Child> =
        (0..64).map(|number| home.begin("SessionStart", &format!("session-{number}"))).collect();
    for child in children {
        answer(&child.wait_with_output().unwrap());
    }
    let late = home.spooled();
    let children: Vec<Child> =
        (0..64).map(|number| home.begin("SessionEnd", &format!("session-{number}"))).collect();
    for child in children {
        answer(&child.wait_with_output().unwrap());
    }
    home.ok(&["worker", "--once"]);
    let sessions = home.sessions();
    let mut names: Vec<&str> = sessions.iter().map(|row| row["session"].as_str().unwrap()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!((sessions.len(), names.len(), home.spooled()), (64, 64, 0));
    assert!(sessions.iter().all(|row| !row["ended"].is_null()));
    let stats = home.json(&["store", "status", "--json"]);
    assert_eq!(stats["rows"]["applied"], 128, "every change once: {stats}");
    eprintln!("64 at once: {late} went through the spool");
}

#[test]
fn sixty_four_hooks_at_once_on_sqlite() {
    many(&Home::new("sqlite"));
}

#[test]
fn sixty_four_hooks_at_once_on_postgres() {
    let Some(server) = testing::server() else { return };
    // The first hooks find no schema: theirs is sent later, and nobody notices.
    many(&Home::new(&server.database()));
    // And with a schema and time, all write directly.
    let mut home = Home::new(&server.database());
    home.ok(&["store", "migrate"]);
    home.env.push(("SPRAG_STORE_BUDGET_MS", "30000".to_owned()));
    many(&home);
}

#[test]
fn a_full_disk_loses_nothing() {
    let mut home = Home::new("sqlite");
    home.event("SessionStart", "s0");
    home.env.push(("SPRAG_TEST_MAX_PAGES", "1".to_owned()));
    let mut told = false;
    for number in 1..=120 {
        let session = format!("s{number}-{}", "x".repeat(60));
        let said = home.event("SessionStart", &session);
        told |= message(&said).contains("full");
        if home.spooled() > 3 {
            break;
        }
    }
    assert!(told && home.spooled() > 3);
    let failing = home.run(&["worker", "--once"]);
    assert!(String::from_utf8_lossy(&failing.stdout).contains("failed"));
    let waiting = home.spooled();
    assert!(waiting > 0);
    home.env.clear();
    home.ok(&["worker", "--once"]);
    assert_eq!(home.spooled(), 0);
    let status = home.json(&["store", "status", "--json"]);
    assert_eq!(status["rows"]["sessions"], status["rows"]["applied"], "{status}");
    assert!(status["rows"]["sessions"].as_i64().unwrap() as usize > waiting);
}

#[test]
fn a_damaged_file_is_named_by_the_doctor_and_a_new_one_takes_what_waited() {
    let home = Home::new("sqlite");
    home.event("SessionStart", "s1");
    home.ok(&["worker", "--once"]);
    let file = home.state().join("sprag.db");
    for more in ["sprag.db-wal", "sprag.db-shm"] {
        let _ = std::fs::remove_file(home.state().join(more));
    }
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[..2_000].fill(0x5a);
    std::fs::write(&file, bytes).unwrap();
    let said = home.event("SessionStart", "s2");
    assert!(message(&said).contains("damaged"), "{said}");
    let found = home.doctor();
    assert_eq!(found[0]["level"], "fail");
    assert!(found[0]["what"].as_str().unwrap().contains("damaged"), "{found:?}");
    assert!(found[0]["do"].as_str().unwrap().contains("move the file away"), "{found:?}");
    std::fs::rename(&file, file.with_extension("broken")).unwrap();
    home.ok(&["worker", "--once"]);
    assert_eq!((home.spooled(), home.sessions().len()), (0, 1));
    assert_eq!(home.doctor()[0]["level"], "ok");
}

#[test]
fn a_home_that_cannot_be_written_still_gets_answers() {
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    let home = Home::new("sqlite");
    let exe = home.dir.path().join("sprag");
    std::fs::copy(env!("CARGO_BIN_EXE_sprag"), &exe).unwrap();
    let root =
        std::fs::metadata("/proc/self").is_ok_and(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0);
    std::fs::set_permissions(home.dir.path(), std::fs::Permissions::from_mode(0o555)).unwrap();
    for event in ["SessionStart", "PreToolUse", "SessionEnd"] {
        let mut command = Command::new(&exe);
        command.args(["hook", "--agent", "claude"]).env_clear().env("HOME", home.dir.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if root {
            // Root may write everywhere.
            command.uid(65_534).gid(65_534);
        }
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(home.payload(event, "s1").as_bytes()).unwrap();
        let said = answer(&child.wait_with_output().unwrap());
        if event == "SessionStart" {
            assert!(message(&said).contains("cannot be written"), "{said}");
        }
    }
    std::fs::set_permissions(home.dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn journal_lines(from: usize, count: usize) -> String {
    (from..from + count)
        .map(|number| {
            let minute = number / 60 % 60;
            let entry = json!({
                "t": format!("2026-11-01T10:{minute:02}:{:02}.{:06}Z", number % 60, number),
                "agent": "claude", "session": "s", "event": "PreToolUse", "verdict": "pass", "us": 100 + number % 50,
                "runs": [{ "hook": "tool-loop", "verdict": if number % 10 == 0 { "deny" } else { "pass" }, "us": 40 }],
            });
            format!("{entry}\n")
        })
        .collect()
}

#[test]
fn an_ingest_that_is_killed_at_any_point_counts_every_line_once() {
    let pg = testing::server();
    let urls = [Some("sqlite".to_owned()), pg.as_ref().map(|server| server.database())];
    for url in urls.into_iter().flatten() {
        let mut home = Home::new(&url);
        home.ok(&["store", "migrate"]);
        const LINES: usize = 30_000;
        std::fs::write(home.state().join("journal.jsonl"), journal_lines(0, LINES)).unwrap();
        for round in 0..15 {
            home.env.clear();
            home.event("SessionStart", "s");
            home.event("SessionEnd", "s");
            assert!(home.spooled() > 0, "{url}: an end is always sent later");
            let (point, number) = (["before-fold", "after-fold", "delivered"][round % 3], round / 3 % 2 + 1);
            let stopped = home.dir.path().join(format!("stopped-{round}"));
            home.env = vec![
                ("SPRAG_TEST_STOP_AT", format!("{point}:{number}")),
                ("SPRAG_TEST_STOP_FILE", stopped.display().to_string()),
            ];
            let mut child = home.command(&["worker", "--once"]).spawn().unwrap();
            let ended = wait("the worker is at the point or at its end", || {
                let ended = child.try_wait().unwrap().is_some();
                (ended || stopped.exists()).then_some(ended)
            });
            // Every round leaves something to send and to count; not every round twice.
            assert!(!ended || number > 1, "{url}: {point} was not reached");
            let _ = child.kill();
            let _ = child.wait();
        }
        home.env.clear();
        home.event("SessionStart", "s");
        home.ok(&["worker", "--once"]);
        assert_eq!(home.spooled(), 0);
        // The files are gone, as after rotations; the store has the numbers.
        let text = std::fs::read_to_string(home.state().join("journal.jsonl")).unwrap();
        let own = text.lines().count() - LINES;
        std::fs::remove_file(home.state().join("journal.jsonl")).unwrap();
        let stats = home.json(&["stats", "--since", "52w", "--json"]);
        assert_eq!(stats["source"], "store", "{url}");
        let row = |kind: &str, key: &str, name: &str| {
            stats[kind].as_array().unwrap().iter().find(|row| row[key] == name).unwrap().clone()
        };
        let hook = row("hooks", "hook", "tool-loop");
        assert_eq!((&hook["fires"], &hook["deny"]), (&json!(LINES), &json!(LINES / 10)), "{url}");
        assert_eq!(stats["entries"], LINES + own, "{url}");
        assert!((hook["p50_ms"].as_f64().unwrap() - 0.04).abs() < 0.002);
    }
}

#[test]
fn rotation_and_half_a_line_lose_and_double_nothing() {
    let home = Home::new("sqlite");
    home.ok(&["store", "migrate"]);
    let journal = home.state().join("journal.jsonl");
    let old = home.state().join("journal-00000000000000000001.jsonl");
    let lines = |file: &Path, text: &str| {
        use std::io::Write as _;
        std::fs::File::options()
            .append(true)
            .create(true)
            .open(file)
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
    };
    let counted = || {
        let done = home.json(&["store", "migrate", "--json"]);
        (done["lines"].as_i64().unwrap(), done["broken_lines"].as_i64().unwrap())
    };
    let (first, rest) = (journal_lines(0, 1), journal_lines(1, 1));
    let (half, other) = rest.split_at(40);
    lines(&journal, &format!("{first}{half}"));
    assert_eq!(counted(), (1, 0), "half a line waits");
    lines(&journal, other);
    assert_eq!(counted(), (1, 0));
    std::fs::rename(&journal, &old).unwrap();
    lines(&journal, &journal_lines(10, 3));
    lines(&old, &journal_lines(2, 1));
    assert_eq!(counted(), (4, 0), "the renamed file goes on where it was, also for a late writer");
    lines(&journal, "torn by a full disk\n\n");
    assert_eq!(counted(), (0, 1));
    assert_eq!(counted(), (0, 0));
    std::fs::remove_file(&old).unwrap();
    std::fs::write(&journal, journal_lines(50, 2)).unwrap();
    assert_eq!(counted(), (2, 0), "another file under the same name is another file");
}

#[test]
fn the_command_moves_a_store_to_the_other_backend_and_back() {
    let Some(server) = testing::server() else { return };
    let home = Home::new("sqlite");
    for number in 0..5 {
        home.event("SessionStart", &format!("s{number}"));
        home.event("PreToolUse", &format!("s{number}"));
    }
    home.ok(&["worker", "--once"]);
    let file = home.dir.path().join("all.jsonl");
    let name = file.to_str().unwrap();
    let rows = home.json(&["store", "export", name, "--json"])["rows"].as_u64().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let mut other = Home::new(&server.database());
    assert_eq!(
        other.json(&["store", "import", name, "--json"]),
        json!({ "added": rows, "known": 0, "replaced": 0 })
    );
    assert_eq!(
        other.json(&["store", "import", name, "--json"]),
        json!({ "added": 0, "known": rows, "replaced": 0 })
    );
    assert_eq!(other.ok(&["store", "export"]), text);
    let status = other.json(&["store", "status", "--json"]);
    assert_eq!(
        (&status["backend"], &status["ok"], &status["schema"]),
        (&json!("postgres"), &json!(true), &json!(sprag_store::LATEST))
    );
    assert!(status["place"].as_str().unwrap().starts_with("postgres://sprag@127.0.0.1"));
    other.env.push(("SPRAG_STORE_URL", "sqlite".to_owned()));
    other.ok(&["store", "import", name]);
    assert_eq!(other.ok(&["store", "export"]), text);
    let pruned = other.json(&["store", "prune", "--older-than", "0s", "--json"]);
    assert!(pruned["removed"]["runs"].as_i64().is_some(), "{pruned}");
}

#[test]
fn two_homes_that_share_a_server_see_each_other() {
    let Some(server) = testing::server() else { return };
    let url = server.database();
    let (mut one, mut two) = (Home::new(&url), Home::new(&url));
    // A busy machine may be slower than an agent would wait.
    one.env.push(("SPRAG_STORE_BUDGET_MS", "20000".to_owned()));
    two.env.push(("SPRAG_STORE_BUDGET_MS", "20000".to_owned()));
    one.ok(&["store", "migrate"]);
    for (home, machine) in [(&mut one, "north"), (&mut two, "south")] {
        home.env.push(("SPRAG_HOST", machine.to_owned()));
        let git = home.dir.path().join("shop/.git");
        std::fs::create_dir_all(&git).unwrap();
        std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(git.join("config"), "[remote \"origin\"]\n url = git@git.example:dev/shop.git\n")
            .unwrap();
    }
    one.event("SessionStart", "aaaaaaaa-1");
    let said = two.event("SessionStart", "bbbbbbbb-2");
    let context = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
    assert!(context.contains("aaaaaaaa, branch main") && context.contains("on north"), "{said}");
    one.event("SessionEnd", "aaaaaaaa-1");
    one.ok(&["worker", "--once"]);
    let said = two.event("SessionStart", "cccccccc-3");
    assert!(!said.to_string().contains("aaaaaaaa"), "{said}");
    assert!(said.to_string().contains("bbbbbbbb"), "{said}");
}

/// It worked without the store, and the journal said nothing of it.
#[test]
fn a_store_that_a_newer_version_migrated_is_named_at_the_start_in_doctor_and_in_the_journal() {
    let home = Home::new("sqlite");
    let _ = home.ok(&["store", "migrate"]);
    let file = home.state().join("sprag.db");
    let mut bytes = std::fs::read(&file).unwrap();
    // The version of the schema in SQLite's header.
    bytes[60..64].copy_from_slice(&99u32.to_be_bytes());
    std::fs::write(&file, bytes).unwrap();
    let said = home.event("SessionStart", "s1");
    assert!(message(&said).contains("has schema 99") && message(&said).contains("newer sprag"), "{said}");
    let found = home.doctor();
    assert!(found.iter().any(|finding| finding.to_string().contains("install that version")), "{found:?}");
    let journal = std::fs::read_to_string(home.state().join("journal.jsonl")).unwrap();
    let line: Value = serde_json::from_str(journal.lines().next().unwrap()).unwrap();
    let register = line["runs"].as_array().unwrap().iter().find(|run| run["hook"] == "session-register");
    assert!(register.unwrap()["reason"].to_string().contains("has schema 99"), "{line}");
}
