//! What a session declared ends with it, and nothing else does: real processes, a PM2 of our own.

use crate::home::Home;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Child, Command};

/// A process that is ended with the test, even when it fails.
struct Sleeper(Child);

impl Sleeper {
    fn new() -> Self {
        Self(Command::new("sleep").arg("1000").spawn().unwrap())
    }

    fn pid(&self) -> String {
        self.0.id().to_string()
    }

    fn lives(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A home in which programs are found as in this process.
fn home(config: &str) -> Home {
    Home { env: vec![("PATH".to_owned(), std::env::var("PATH").unwrap())], ..Home::swarm(config) }
}

impl Home {
    fn begin_or_end(&self, name: &str, session: &str) {
        self.event(name, session, &[], &json!({ "source": "startup", "reason": "other" }));
    }

    fn end(&self, session: &str) {
        self.begin_or_end("SessionEnd", session);
        self.ok(&["worker", "--once"]);
    }

    fn stopped(&self) -> Vec<String> {
        let list: Value = serde_json::from_str(&self.ok(&["artifact", "list", "--json"])).unwrap();
        let sessions = list["sessions"].as_array().unwrap().iter();
        let all = sessions.flat_map(|session| session["stopped"].as_array().unwrap());
        all.map(|artifact| artifact["name"].as_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn a_declared_process_ends_with_its_session_and_others_live_on() {
    let home = home("");
    let (mut tunnel, mut of_other, mut stranger) = (Sleeper::new(), Sleeper::new(), Sleeper::new());
    home.ok(&["artifact", "add", "tunnel", "--pid", &tunnel.pid(), "--session", "s1"]);
    home.ok(&["artifact", "add", "other", "--pid", &of_other.pid(), "--session", "s2"]);
    // The id of a process that is gone and was given to another one.
    let file = home.dir.path().join(".local/state/sprag/sessions/s1/artifacts");
    let stale = json!({ "name": "stale", "how": "process", "pid": stranger.0.id(), "start": "another boot/1",
        "command": [], "cwd": "" });
    let mut text = std::fs::read_to_string(&file).unwrap();
    text.push_str(&format!("{stale}\nnot json\n"));
    std::fs::write(&file, text).unwrap();
    home.begin_or_end("Stop", "s1");
    home.ok(&["worker", "--once"]);
    assert!(tunnel.lives(), "the end of a turn ends nothing");
    home.end("s1");
    assert!(!tunnel.lives() && of_other.lives() && stranger.lives());
    assert_eq!(home.stopped(), ["tunnel"]);
    assert!(home.ok(&["artifact", "list"]).contains("&& sleep 1000"));
}

#[test]
fn a_pid_file_counts_only_when_it_was_written_in_the_session_by_a_process_that_was_there() {
    let home = home(
        "[hook.artifact-cleanup]\npid_files = [\"old.pid\", \"new.pid\", \"reused.pid\", \"junk.pid\"]\n",
    );
    let shop = home.shop();
    let (mut old, mut new, mut reused) = (Sleeper::new(), Sleeper::new(), Sleeper::new());
    let dated = |name: &str, pid: &str, seconds_ago: u64| {
        std::fs::write(shop.join(name), pid).unwrap();
        let time = std::time::SystemTime::now() - std::time::Duration::from_secs(seconds_ago);
        std::fs::File::options().append(true).open(shop.join(name)).unwrap().set_modified(time).unwrap();
    };
    dated("old.pid", &old.pid(), 3_600);
    home.begin_or_end("SessionStart", "s1");
    // As if the session had begun long ago.
    std::fs::write(home.dir.path().join(".local/state/sprag/sessions/s1/artifacts.began"), began(1_800))
        .unwrap();
    std::fs::write(shop.join("new.pid"), new.pid()).unwrap();
    // Its process is younger than the file: the one that wrote it is gone.
    dated("reused.pid", &reused.pid(), 600);
    std::fs::write(shop.join("junk.pid"), "-1").unwrap();
    home.end("s1");
    assert!(!new.lives(), "{:?}", home.stopped());
    assert!(old.lives() && reused.lives());
    assert_eq!(home.stopped(), ["new"]);
}

fn began(seconds_ago: u64) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    (now - seconds_ago).to_string()
}

#[test]
fn pm2_loses_the_sessions_own_and_keeps_everybody_elses() {
    let mut home = home("");
    let bin = home.dir.path().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::create_dir_all(home.dir.path().join(".pm2")).unwrap();
    std::fs::write(home.dir.path().join(".pm2/pm2.pid"), "1").unwrap();
    let process = |id: i64, name: &str, session: &str| {
        json!({ "pm_id": id, "name": name, "pm2_env": { "pm_exec_path": "/bin/serve", "pm_cwd": "/srv",
            "CLAUDE_CODE_SESSION_ID": session } })
    };
    let list =
        json!([process(0, "artifact-web", "s1"), process(1, "artifact-api", "s2"), process(2, "db", "s1")]);
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> {calls}\ncase $1 in jlist) echo '[PM2] a notice'; echo '{list}';; esac\n",
        calls = home.dir.path().join("calls").display()
    );
    executable(&bin.join("pm2"), &script);
    home.env = vec![("PATH".to_owned(), format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()))];
    home.end("s1");
    assert_eq!(std::fs::read_to_string(home.dir.path().join("calls")).unwrap(), "jlist\ndelete 0\n");
    assert_eq!(home.stopped(), ["artifact-web"]);
}

fn executable(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_cannot_be_declared_is_said() {
    let home = home("");
    let refused = |args: &[&str]| {
        let output = home.run(args, &[], "");
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let own = std::process::id().to_string();
    assert!(
        refused(&["artifact", "add", "x", "--pid", &own, "--session", "s1"]).contains("around this command")
    );
    assert!(refused(&["artifact", "add", "x", "--pid", "1", "--session", "s1"]).contains("no process 1"));
    assert!(refused(&["artifact", "add", "x", "--pid", "2"]).contains("not running inside a session"));
}
