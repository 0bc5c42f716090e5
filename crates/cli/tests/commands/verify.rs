//! Verification as an agent meets it: hooks and the background worker as processes of their own. What runs, how often, and
//! that none of it outlives its session or its deadline.
#![cfg(target_os = "linux")]

use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long something may take that must happen.
const SOON: Duration = Duration::from_secs(60);

struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    /// A home whose projects are built by this script. Other hooks have nothing to say here.
    fn new(script: &str, verify: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = Self { dir };
        fs::create_dir_all(home.project()).unwrap();
        fs::create_dir_all(home.dir.path().join(".config/sprag")).unwrap();
        let config = format!(
            "[hooks.post_tool_use]\nscripts = [\"build-sensor\"]\n[hooks.user_prompt_submit]\nscripts = [\"build-sensor\"]\n\
             [hooks.session_end]\nscripts = [\"build-sensor\"]\n[hook.build-sensor]\nwait_ms = 0\n[verify]\n{verify}\n[[verify.checkers]]\nname = \"house\"\n\
             command = [\"sh\", \"./build.sh\"]\nendings = [\".foo\"]\nrole = \"build\"\n"
        );
        fs::write(home.dir.path().join(".config/sprag/config.toml"), config).unwrap();
        fs::write(home.project().join("build.sh"), script).unwrap();
        home
    }

    fn project(&self) -> PathBuf {
        self.dir.path().join("shop")
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sprag"));
        command.args(["hook", "--agent", "claude"]).env_clear().env("HOME", self.dir.path());
        command.env("PATH", std::env::var_os("PATH").unwrap()).current_dir(self.project());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn start(&self, payload: &Value) -> Child {
        let mut child = self.command().spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        child
    }

    fn hook(&self, payload: &Value) -> String {
        let output = self.start(payload).wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    }

    fn event(&self, name: &str, more: Value) -> Value {
        let mut event = json!({"session_id": "s1", "cwd": self.project(), "hook_event_name": name});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    }

    /// An edit that happened.
    fn edit(&self, name: &str) -> Value {
        let file = self.project().join(name);
        fs::write(&file, "x").unwrap();
        self.event(
            "PostToolUse",
            json!({"tool_name": "Write", "tool_input": {"file_path": file, "content": "x"}, "tool_response": {}}),
        )
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.project().join(name)).unwrap_or_default()
    }

    /// True when nothing waits, nothing runs and no worker is there.
    fn is_idle(&self) -> bool {
        let queue = self.dir.path().join(".local/state/sprag/queue");
        let empty = |name: &str| fs::read_dir(queue.join(name)).map_or(true, |mut dir| dir.next().is_none());
        let lock = fs::File::open(queue.join("worker.lock")).unwrap();
        empty("waiting") && empty("running") && lock.try_lock().is_ok()
    }
}

#[track_caller]
fn wait(what: &str, until: impl Fn() -> bool) {
    let end = Instant::now() + SOON;
    while !until() {
        assert!(Instant::now() < end, "not seen within {SOON:?}: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// True when a process runs; one of which only the exit code is left does not.
fn runs(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

/// A build that never ends, with a child; it says who they are.
const ENDLESS: &str = "sleep 1000 & echo $! > child\necho $$ > pid\nwait\n";

fn is_running(home: &Home) -> bool {
    !home.read("pid").trim().is_empty() && runs(&home.read("pid")) && runs(&home.read("child"))
}

fn is_gone(home: &Home) -> bool {
    !runs(&home.read("pid")) && !runs(&home.read("child"))
}

#[test]
fn twenty_quick_edits_start_at_most_two_builds() {
    let home = Home::new("echo x >> starts\nsleep 0.5\n", "");
    let edits: Vec<Child> = (0..20).map(|n| home.start(&home.edit(&format!("f{n}.foo")))).collect();
    for edit in edits {
        assert_eq!(edit.wait_with_output().unwrap().stdout, b"", "nothing is known yet");
    }
    wait("the builds are done", || !home.read("starts").is_empty() && home.is_idle());
    let starts = home.read("starts").lines().count();
    assert!((1..=2).contains(&starts), "{starts} builds");
}

#[test]
fn the_result_of_the_background_comes_with_the_next_event_and_a_repaired_one_is_silent() {
    let home = Home::new("grep -q BUG a.foo && echo 'a.foo:1:1: error: BUG'\ntrue\n", "settle_ms = 0\n");
    assert_eq!(home.hook(&home.edit("a.foo")), "");
    wait("the build is done", || home.is_idle());
    let edit = home.edit("a.foo");
    fs::write(home.project().join("a.foo"), "BUG").unwrap();
    assert_eq!(home.hook(&edit), "");
    wait("the build is done", || home.is_idle());
    let bash = home.event(
        "PostToolUse",
        json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {}}),
    );
    assert!(home.hook(&bash).contains("a.foo:1:1: error: BUG"));
    assert_eq!(home.hook(&bash), "", "once");
    assert_eq!(home.hook(&home.edit("a.foo")), "");
    wait("the build is done", || home.is_idle());
    assert_eq!(home.hook(&bash), "", "repaired");
}

#[test]
fn no_build_survives_its_session() {
    let home = Home::new(ENDLESS, "settle_ms = 0\n");
    home.hook(&home.edit("a.foo"));
    wait("the build runs", || is_running(&home));
    home.hook(&home.event("SessionEnd", json!({"reason": "other"})));
    wait("the build is gone", || is_gone(&home));
    wait("the worker is gone", || home.is_idle());
}

#[test]
fn no_build_survives_an_agent_that_was_killed() {
    let home = Home::new(ENDLESS, "settle_ms = 0\n");
    // A program of its own name stands for the agent: it calls the hook and goes on.
    let agent = home.dir.path().join("agent");
    fs::copy("/bin/sh", &agent).unwrap();
    let payload = home.dir.path().join("payload.json");
    fs::write(&payload, home.edit("a.foo").to_string()).unwrap();
    let script = format!(
        "'{}' hook --agent claude < '{}'; while :; do sleep 1; done",
        env!("CARGO_BIN_EXE_sprag"),
        payload.display()
    );
    let mut command = Command::new(&agent);
    command
        .args(["-c", &script])
        .env_clear()
        .env("HOME", home.dir.path())
        .env("PATH", std::env::var_os("PATH").unwrap());
    let mut agent = command.current_dir(home.project()).stdout(Stdio::null()).spawn().unwrap();
    wait("the build runs", || is_running(&home));
    agent.kill().unwrap();
    agent.wait().unwrap();
    wait("the build is gone", || is_gone(&home));
    wait("the worker is gone", || home.is_idle());
}

#[test]
fn no_build_survives_its_deadline() {
    let home = Home::new(ENDLESS, "settle_ms = 0\ndeadline_s = 1\n");
    home.hook(&home.edit("a.foo"));
    wait("the build began", || !home.read("pid").trim().is_empty());
    wait("the build is gone", || is_gone(&home));
    wait("the worker is gone", || home.is_idle());
    let prompt = home.event("UserPromptSubmit", json!({"prompt": "go on"}));
    assert!(home.hook(&prompt).contains("house cut off after"));
}

#[test]
fn what_a_killed_worker_left_is_ended_by_the_next() {
    let home = Home::new(ENDLESS, "settle_ms = 0\n");
    home.hook(&home.edit("a.foo"));
    wait("the build runs", || is_running(&home));
    let first = (home.read("pid"), home.read("child"));
    // A worker that dies before it has written down what it started leaves it to itself.
    wait("the worker has written down what it started", || is_written_down(&home));
    kill(&parent(&first.0));
    wait("the worker is gone", || {
        let lock = home.dir.path().join(".local/state/sprag/queue/worker.lock");
        fs::File::open(lock).unwrap().try_lock().is_ok()
    });
    assert!(runs(&first.0), "the build is left behind");
    fs::remove_file(home.project().join("pid")).unwrap();
    home.hook(&home.edit("b.foo"));
    wait("the next build runs", || is_running(&home));
    wait("the first is gone", || !runs(&first.0) && !runs(&first.1));
    home.hook(&home.event("SessionEnd", json!({"reason": "other"})));
    wait("the build is gone", || is_gone(&home));
}

/// The worker that started a build.
fn parent(pid: &str) -> String {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat")).unwrap();
    stat.rsplit_once(')').unwrap().1.split_whitespace().nth(1).unwrap().to_owned()
}

fn is_written_down(home: &Home) -> bool {
    let folder = home.dir.path().join(".local/state/sprag/verify");
    fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| entry.path().join("running").exists())
}

fn kill(pid: &str) {
    assert!(Command::new("kill").args(["-9", pid]).status().unwrap().success());
}

impl Home {
    /// A project with these scripts, the standard preset, and a word from the user.
    fn node(scripts: &Value) -> Option<Self> {
        let found = |name: &str| {
            std::env::split_paths(&std::env::var_os("PATH").unwrap()).any(|dir| dir.join(name).is_file())
        };
        if !["node", "npm", "bash"].into_iter().all(found) {
            sprag_testkit::skip("node, npm or bash is not installed");
            return None;
        }
        let home = Self::new("", "");
        fs::write(home.dir.path().join(".config/sprag/config.toml"), "preset = \"standard\"\n").unwrap();
        let manifest = json!({"name": "shop", "scripts": scripts}).to_string();
        fs::write(home.project().join("package.json"), manifest).unwrap();
        home.hook(&home.event("UserPromptSubmit", json!({"prompt": "fix the cart"})));
        Some(home)
    }

    fn trust(&self) {
        let home = self.dir.path().display().to_string();
        let env = sprag_base::env::Env::Fixed([("HOME".to_owned(), home)].into());
        let paths = sprag_base::paths::Paths::from_env(&env);
        sprag_config::trust::grant(&paths, &self.project(), sprag_base::time::Stamp(0)).unwrap();
    }

    /// The reason for which the end of the turn is held.
    fn held(&self) -> String {
        let reason = std::cell::RefCell::new(String::new());
        wait("the turn is held", || {
            let answer = self.hook(&self.event("Stop", json!({"stop_hook_active": false})));
            let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
            answer["reason"].as_str().unwrap_or_default().clone_into(&mut reason.borrow_mut());
            answer["decision"] == "block"
        });
        reason.into_inner()
    }
}

/// Fault: `sprag trust` was refused without `.sprag`, and what no parser understood was told to nobody.
#[test]
fn a_check_whose_output_nobody_can_read_is_told_and_holds_the_turn_once() {
    let Some(home) = Home::node(&json!({"typecheck": "node check.cjs"})) else { return };
    let script = "for (let n = 1; n <= 30; n++) console.log('line ' + n);\nprocess.exit(2);\n";
    fs::write(home.project().join("check.cjs"), script).unwrap();
    home.hook(&home.edit("cart.js"));
    let before = home.hook(&home.event("Stop", json!({"stop_hook_active": false})));
    assert!(!before.contains("block"), "code of an untrusted project is not run: {before}");
    home.trust();
    home.hook(&home.edit("cart.js"));
    let reason = home.held();
    assert!(reason.contains("`npm run typecheck` failed with exit code 2"), "{reason}");
    assert!(reason.contains("    line 30") && reason.contains("    line 11"), "{reason}");
    assert!(!reason.contains("line 10\n"), "20 lines at most: {reason}");
    let again = home.hook(&home.event("Stop", json!({"stop_hook_active": true})));
    assert!(!again.contains("\"decision\""), "it lets go: {again}");
}

/// Fault: a broken `npm run build`, plain JavaScript and shell scripts were not checked at all.
#[test]
fn builds_and_syntax_errors_of_javascript_and_shell_hold_the_turn() {
    let Some(home) = Home::node(&json!({"build": "node build.cjs"})) else { return };
    fs::write(home.project().join("build.cjs"), "console.error('no entry'); process.exit(1);\n").unwrap();
    let edit = |name: &str, text: &str| {
        let event = home.edit(name);
        fs::write(home.project().join(name), text).unwrap();
        home.hook(&event);
    };
    edit("cart.js", "const total = ;\n");
    edit("module.js", "import fs from 'node:fs';\nexport default fs;\n");
    edit("deploy.sh", "if true; then\n  echo hi\n");
    let reason = home.held();
    assert!(reason.contains("cart.js:1: error: Unexpected token ';'"), "{reason}");
    assert!(reason.contains("deploy.sh:3: error: syntax error"), "{reason}");
    assert!(!reason.contains("module.js") && !reason.contains("npm run build"), "{reason}");
    home.trust();
    edit("cart.js", "const total = 1;\n");
    edit("deploy.sh", "shopt -s extglob\nls !(a)\n");
    let reason = home.held();
    assert!(
        reason.contains("`npm run build` failed with exit code 1") && reason.contains("no entry"),
        "{reason}"
    );
    assert!(!reason.contains("cart.js") && !reason.contains("deploy.sh"), "{reason}");
}
