//! A throw-away home and project in which the built binary runs, with an environment of its own.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(missing_docs, dead_code, unreachable_pub, reason = "each test program uses its part")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The built binary.
pub const SPRAG: &str = env!("CARGO_BIN_EXE_sprag");

pub struct Home {
    dir: tempfile::TempDir,
}

/// How a run ended.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The output of a run that succeeded.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.out
    }

    /// The error of a run that failed: one line what, then what to do.
    #[track_caller]
    pub fn failed(self) -> String {
        assert_eq!(self.code, 1, "{self:?}");
        assert!(self.err.starts_with("error: ") && self.err.trim_end().contains("\n  "), "{self:?}");
        self.err
    }

    #[track_caller]
    pub fn json(self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Home {
    pub fn new() -> Self {
        let home = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(home.path()).unwrap();
        fs::create_dir_all(home.project().join(".git")).unwrap();
        home
    }

    pub fn path(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub fn project(&self) -> PathBuf {
        self.path().join("shop")
    }

    pub fn config(&self) -> PathBuf {
        self.path().join(".config/sprag/config.toml")
    }

    pub fn state(&self) -> PathBuf {
        self.path().join(".local/state/sprag")
    }

    /// Writes a file below the home.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_default()
    }

    /// A program in this home, with nothing of the tester's environment.
    pub fn program(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .env_clear()
            .env("HOME", self.path())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("TZ", "UTC")
            // On a terminal, no sentence that a test looks for is broken.
            .env("COLUMNS", "500")
            .env("SPRAG_WORKER", "off")
            .current_dir(self.project())
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::of(&self.program(SPRAG, args).output().unwrap())
    }

    pub fn run_with(&self, args: &[&str], env: &[(&str, &str)]) -> Ran {
        Ran::of(&self.program(SPRAG, args).envs(env.iter().copied()).output().unwrap())
    }

    /// Feeds one payload to `sprag hook`.
    pub fn hook(&self, payload: &Value) -> String {
        self.hook_with(payload, &[])
    }

    /// The same with variables.
    pub fn hook_with(&self, payload: &Value, env: &[(&str, &str)]) -> String {
        let mut command = self.program(SPRAG, &["hook", "--agent", "claude"]);
        command.envs(env.iter().copied());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// An event of one session in the project.
    pub fn event(&self, name: &str, fields: Value) -> Value {
        let mut payload = serde_json::json!({
            "session_id": "11111111-2222-4333-8444-555555555555",
            "cwd": self.project(),
            "hook_event_name": name,
        });
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        payload
    }

    /// The agents' events are of another day: without a terminal, what loosens the guards is refused while one works.
    pub fn nobody_works(&self) {
        let journal = self.path().join(".local/state/sprag/journal.jsonl");
        let text = fs::read_to_string(&journal).unwrap();
        let earlier = |line: &str| match line.split_once("\"t\":\"") {
            Some((before, time)) => {
                format!("{before}\"t\":\"2020{}\n", time.trim_start_matches(|c: char| c.is_ascii_digit()))
            }
            None => format!("{line}\n"),
        };
        fs::write(&journal, text.lines().map(earlier).collect::<String>()).unwrap();
    }

    /// A run as a person's: without the ancestors of this test, which an agent may have started.
    /// A shell starts it in the background and ends; only then does it begin, an orphan.
    pub fn outside(&self, args: &[&str]) -> Ran {
        let mut all = vec![SPRAG];
        all.extend(args);
        self.outside_program(&all, "")
    }

    pub fn outside_program(&self, argv: &[&str], stdin: &str) -> Ran {
        let scratch = tempfile::tempdir().unwrap();
        let file = |name: &str| scratch.path().join(name);
        fs::write(file("in"), stdin).unwrap();
        // `script` waits two seconds after the end of its input: it gets a pipe that stays open for as long as it runs, or for
        // the three seconds after which somebody who is asked more often than expected gives no answer.
        let script = "( until [ -e \"$T/go\" ]; do sleep 0.01; done; \
                        case \"$1\" in \
                        script) { cat \"$T/in\"; n=0; until [ -e \"$T/c\" ] || [ $n = 300 ]; do sleep 0.01; n=$((n + 1)); done; } | \
                          { \"$@\" >\"$T/out\" 2>\"$T/err\"; echo $? >\"$T/c\"; } ;; \
                        *) \"$@\" <\"$T/in\" >\"$T/out\" 2>\"$T/err\"; echo $? >\"$T/c\" ;; \
                        esac; mv \"$T/c\" \"$T/code\" \
                      ) </dev/null >/dev/null 2>&1 &";
        let mut words = vec!["-c", script, "sh"];
        words.extend(argv);
        let status = self.program("/bin/sh", &words).env("T", scratch.path()).status().unwrap();
        assert!(status.success());
        fs::write(file("go"), "").unwrap();
        let end = Instant::now() + Duration::from_secs(60);
        while !file("code").exists() {
            assert!(Instant::now() < end, "{argv:?} did not end");
            std::thread::sleep(Duration::from_millis(5));
        }
        let text = |name: &str| String::from_utf8_lossy(&fs::read(file(name)).unwrap()).into_owned();
        Ran { code: text("code").trim().parse().unwrap(), out: text("out"), err: text("err") }
    }

    /// Makes an executable script.
    pub fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.write(name, text);
        executable(&path);
        path
    }
}

pub fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Asserts that an object has exactly these keys: the schema that scripts rely on.
#[track_caller]
pub fn has_keys(value: &Value, keys: &[&str]) {
    let mut found: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    let mut wanted = keys.to_vec();
    found.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
}
