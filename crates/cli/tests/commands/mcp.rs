//! `sprag mcp`, `deploy --mcp`, `plugin` and what a plugin's hooks leave to the settings, with the built binary.
#![cfg(unix)]

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("project/.git")).unwrap();
        Self(dir)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sprag"));
        command.args(args).env_clear().env("HOME", self.0.path()).env("PATH", "/usr/bin:/bin");
        command.env("SPRAG_WORKER", "off").current_dir(self.path("project"));
        command
    }

    #[track_caller]
    fn ok(&self, args: &[&str]) -> String {
        let out = self.command(args).output().unwrap();
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    }

    fn hook(&self, args: &[&str], payload: &Value) -> Output {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }
}

/// Every file below a folder with its bytes, but for sprag's own.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir).unwrap().flatten() {
            let path = entry.path();
            if path.ends_with(".local") || path.ends_with(".config/sprag") {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_path_buf(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// A server and its client's end.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    fn start(home: &Home, args: &[&str], env: &[(&str, &str)]) -> Self {
        let mut command = home.command(args);
        command.envs(env.iter().copied()).current_dir(home.0.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut server = Self { child, input, output, next: 0 };
        let client = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "codex-mcp-client", "version": "1"}});
        let info = server.ask("initialize", &client);
        assert_eq!(info["result"]["serverInfo"]["name"], "sprag", "{info}");
        writeln!(server.input, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .unwrap();
        server
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        writeln!(
            self.input,
            "{}",
            json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params})
        )
        .unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": name, "arguments": arguments}))["result"].clone()
    }

    /// It ends when its client leaves.
    fn end(self) {
        let Self { mut child, input, output, .. } = self;
        drop((input, output));
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn the_list_on_the_wire_costs_at_most_2000_tokens_and_can_be_narrowed() {
    let home = Home::new();
    let mut server = Server::start(&home, &["mcp"], &[]);
    let tools = server.ask("tools/list", &json!({}))["result"]["tools"].clone();
    server.end();
    assert_eq!(tools.as_array().unwrap().len(), 13);
    let tokens = sprag_code_tokens(&tools.to_string());
    println!("tools/list: {tokens} tokens");
    assert!(tokens <= 2_000, "{tokens}");
    let mut server = Server::start(&home, &["mcp", "--tools", "guard"], &[]);
    let tools = server.ask("tools/list", &json!({}))["result"]["tools"].clone();
    server.end();
    assert_eq!(tools[0]["name"], "guard_explain");
    assert_eq!(tools.as_array().unwrap().len(), 1);
}

/// The project's own estimate.
fn sprag_code_tokens(text: &str) -> u64 {
    sprag_code::tokens::estimate(text)
}

#[test]
fn what_a_model_adds_stays_in_its_project_and_another_project_does_not_see_it() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("other/.git")).unwrap();
    let at = |name: &str| home.path(name).display().to_string();
    let mut here = Server::start(&home, &["mcp", "--project", &at("project")], &[]);
    let added = here.call("memory_add", &json!({"text": "Herons nest behind the mill"}));
    let id = added["structuredContent"]["id"].as_str().unwrap().to_owned();
    let found = here.call("memory_recall", &json!({"query": "where do herons nest"}));
    assert!(found.to_string().contains("behind the mill"), "{found}");
    let outside = here.call("memory_recall", &json!({"query": "herons", "project": at("other")}));
    assert!(
        outside["isError"] == true && outside.to_string().contains("no project of this session"),
        "{outside}"
    );
    here.end();
    // The agent's variable names the project, the working directory does not.
    let mut there = Server::start(&home, &["mcp"], &[("CLAUDE_PROJECT_DIR", &at("other"))]);
    let found = there.call("memory_recall", &json!({"query": "where do herons nest"}));
    assert_eq!(found["structuredContent"]["memories"], json!([]), "{found}");
    let shown = there.call("memory_show", &json!({"id": id}));
    assert!(shown["isError"] == true && shown.to_string().contains("another project"), "{shown}");
    there.end();
    let kept: Value = serde_json::from_str(&home.ok(&["memory", "list", "--json"])).unwrap();
    assert_eq!(kept["memories"][0]["source"], "agent", "{kept}");
    assert_eq!(kept["memories"][0]["agent"], "codex", "{kept}");
}

#[test]
fn a_task_goes_from_open_to_done() {
    let home = Home::new();
    let project = home.path("project").display().to_string();
    let mut server =
        Server::start(&home, &["mcp", "--project", &project], &[("CODEX_THREAD_ID", "session-1")]);
    let mut update = |arguments: Value| server.call("task_update", &arguments);
    let id = update(json!({"action": "create", "text": "Port the pond"}))["structuredContent"]["id"].clone();
    assert!(update(json!({"action": "done"}))["isError"] == true, "no task of this session yet");
    assert_eq!(update(json!({"action": "start", "id": id}))["structuredContent"]["state"], "running");
    assert_eq!(
        update(json!({"action": "progress", "text": "half"}))["structuredContent"]["progress"],
        "half"
    );
    let done = update(json!({"action": "done", "text": "merged"}));
    assert_eq!(done["structuredContent"]["state"], "done", "{done}");
    let again = update(json!({"action": "start", "id": id}));
    assert!(again["isError"] == true && again.to_string().contains("final"), "{again}");
    server.end();
}

#[test]
fn deploy_registers_the_server_and_undeploy_gives_every_byte_back() {
    let home = Home::new();
    home.write(
        ".claude.json",
        "{\n  \"numStartups\": 7,\n  \"mcpServers\": { \"mine\": {\"command\": \"x\"} }\n}",
    );
    home.write(".codex/config.toml", "model = \"x\" # mine\n\n[mcp_servers.mine]\ncommand = \"y\"");
    home.write(".gemini/settings.json", "// mine\n{ \"theme\": \"dark\" }\n");
    home.write(".qwen/settings.json", "{}");
    let before = files(home.0.path());
    let agents = ["--agent", "claude", "--agent", "codex", "--agent", "gemini", "--agent", "qwen"];
    let with = |first: &[&'static str]| [first, &agents[..]].concat();
    let seen = home.ok(&with(&["deploy", "--mcp", "--dry-run"]));
    assert!(seen.contains("mcpServers") && files(home.0.path()) == before, "{seen}");
    home.ok(&with(&["deploy", "--mcp"]));
    let first = files(home.0.path());
    home.ok(&with(&["deploy", "--mcp"]));
    assert_eq!(first, files(home.0.path()), "a second run changes nothing");
    for (file, part) in [
        (".claude.json", "\"type\": \"stdio\""),
        (".codex/config.toml", "[mcp_servers.sprag]"),
        (".gemini/settings.json", "\"mcp\""),
        (".qwen/settings.json", "\"mcp\""),
    ] {
        let text = std::fs::read_to_string(home.path(file)).unwrap();
        assert!(text.contains(part) && text.contains(env!("CARGO_BIN_EXE_sprag")), "{file}: {text}");
    }
    home.ok(&with(&["undeploy"]));
    let after = files(home.0.path());
    for (file, bytes) in &before {
        let now = after.get(file).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert_eq!(now.as_deref(), Some(&*String::from_utf8_lossy(bytes)), "{}", file.display());
    }
    assert_eq!(after.len(), before.len(), "nothing is left over: {:?}", after.keys());
}

#[test]
fn uninstall_takes_the_server_out_of_shared_files_too() {
    let home = Home::new();
    home.ok(&["deploy", "--mcp", "--agent", "claude", "--scope", "project"]);
    let text = std::fs::read_to_string(home.path("project/.mcp.json")).unwrap();
    assert!(text.contains("\"command\": \"sprag\""), "a shared file names no path of this machine: {text}");
    home.ok(&["uninstall", "--yes"]);
    assert!(!home.path("project/.mcp.json").exists());
}

#[test]
fn a_plugins_hook_leaves_an_event_to_the_settings() {
    let home = Home::new();
    let cwd = home.path("project");
    let payload = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": cwd, "tool_name": "Bash",
        "tool_input": {"command": "rm -rf ~/"}});
    let plugin = ["hook", "--agent", "claude", "--scope", "plugin"];
    let alone = home.hook(&plugin, &payload);
    assert!(String::from_utf8_lossy(&alone.stdout).contains("deny"), "{alone:?}");
    for scope in ["user", "project", "local"] {
        home.ok(&["deploy", "--agent", "claude", "--scope", scope]);
        let beside = home.hook(&plugin, &payload);
        assert!(
            beside.status.success() && beside.stdout.is_empty() != (scope == "project"),
            "{scope}: {beside:?}"
        );
        std::fs::remove_file(home.path("project/.claude/settings.json")).ok();
        std::fs::remove_file(home.path("project/.claude/settings.local.json")).ok();
        std::fs::remove_file(home.path(".claude/settings.json")).ok();
    }
}

/// The plugin in the vendor-neutral format: skills and servers, no hooks.
fn neutral(skill: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let schema = |name: &str| format!("https://agent-plugins.org/schemas/1.0.0/{name}.schema.json");
    let json = |value: Value| format!("{}\n", serde_json::to_string_pretty(&value).unwrap()).into_bytes();
    let manifest = json!({
        "$schema": schema("plugin"), "name": "sprag", "version": env!("CARGO_PKG_VERSION"),
        "description": "Memory, lessons, code and team of a project for coding agents; its hooks are registered by `sprag deploy`",
        "author": {"name": "The sprag developers"}, "license": "MIT OR Apache-2.0", "keywords": ["memory", "code", "guardrails"],
    });
    let server = json!({"type": "stdio", "command": "sprag", "args": ["mcp"]});
    let servers = json!({"$schema": schema("mcp"), "mcpServers": {"sprag": server}});
    vec![
        ("plugin.json", json(manifest)),
        ("mcp.json", json(servers)),
        ("skills/project-memory/SKILL.md", skill.to_vec()),
    ]
}

#[test]
fn the_repositorys_plugins_are_what_the_program_writes() {
    let home = Home::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut wanted: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    for (agent, below) in [("claude", "plugins/sprag"), ("codex", ""), ("gemini", "plugins/gemini")] {
        let out = home.path(agent);
        home.ok(&["plugin", "dir", "--agent", agent, "--shared", "--out", out.to_str().unwrap()]);
        for (path, bytes) in files(&out) {
            let market = Path::new(".claude-plugin/marketplace.json");
            if path == market {
                // The folder's own marketplace holds the plugin at its root, the repository's below it.
                let text = String::from_utf8(bytes)
                    .unwrap()
                    .replace("\"source\": \"./\"", "\"source\": \"./plugins/sprag\"");
                wanted.insert(market.to_path_buf(), text.into_bytes());
                continue;
            }
            let path = Path::new(below).join(path);
            let known = wanted.insert(path.clone(), bytes.clone());
            assert!(known.is_none_or(|known| known == bytes), "two agents want another {}", path.display());
        }
    }
    let skill = "skills/project-memory/SKILL.md";
    for (path, bytes) in neutral(&wanted[&Path::new("plugins/sprag").join(skill)]) {
        wanted.insert(Path::new("packaging/agent-plugin").join(path), bytes);
    }
    for (path, bytes) in wanted {
        let file = root.join(&path);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, &bytes).unwrap();
        }
        let there = std::fs::read(&file).unwrap_or_default();
        let (there, bytes) = (String::from_utf8_lossy(&there), String::from_utf8_lossy(&bytes));
        assert_eq!(there, bytes, "{}: UPDATE_GOLDEN=1 rewrites it", path.display());
    }
}
