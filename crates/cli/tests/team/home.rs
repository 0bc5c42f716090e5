//! A home in which the built program runs, with a configuration of its own and a project `shop`.

use serde_json::{Value, json};
use sprag_store::testing::Server;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

pub(crate) struct Home {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) backend: &'static str,
    pub(crate) server: Option<Arc<Server>>,
}

impl Home {
    /// A home with the preset swarm and this configuration.
    pub(crate) fn swarm(config: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join(".config/sprag");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), format!("preset = \"swarm\"\n{config}")).unwrap();
        std::fs::create_dir_all(dir.path().join("shop")).unwrap();
        Self { dir, env: Vec::new(), backend: "sqlite", server: None }
    }

    pub(crate) fn shop(&self) -> PathBuf {
        self.dir.path().join("shop")
    }

    pub(crate) fn run(&self, args: &[&str], env: &[(&str, &str)], input: &str) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sprag"))
            .args(args)
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .env("HOME", self.dir.path())
            .env("SPRAG_WORKER", "off")
            .envs(env.iter().copied())
            .current_dir(self.shop())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args, &[], "");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(args)).unwrap()
    }

    /// One event of a session, with these variables; the answer.
    pub(crate) fn event(&self, name: &str, session: &str, env: &[(&str, &str)], more: &Value) -> Value {
        let mut payload = json!({ "hook_event_name": name, "session_id": session, "cwd": self.shop() });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let output = self.run(&["hook", "--agent", "claude"], env, &payload.to_string());
        assert_eq!(output.status.code(), Some(0));
        if output.stdout.is_empty() { Value::Null } else { serde_json::from_slice(&output.stdout).unwrap() }
    }
}
