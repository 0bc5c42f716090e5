//! A hostile repository cannot turn a denial into an approval, and a hostile model cannot switch a guard off.

use crate::cli_home::{Home, SPRAG};
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// What the hook answers to a tool call: the decision and the reason.
fn call(home: &Home, tool: &str, input: Value, env: &[(&str, &str)]) -> (String, String) {
    let payload = home.event("PreToolUse", json!({"tool_name": tool, "tool_input": input}));
    let mut command = home.program(SPRAG, &["hook", "--agent", "claude"]);
    command.envs(env.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    // A hook that hangs would be killed, and a killed guard stops nothing.
    let end = Instant::now() + Duration::from_secs(120);
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < end, "{tool} is not answered");
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    if output.stdout.is_empty() {
        return ("pass".to_owned(), String::new());
    }
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let said = &answer["hookSpecificOutput"];
    let text = |key: &str| said[key].as_str().unwrap_or_default().to_owned();
    (text("permissionDecision"), text("permissionDecisionReason"))
}

fn bash(home: &Home, command: &str, env: &[(&str, &str)]) -> (String, String) {
    call(home, "Bash", json!({"command": command}), env)
}

/// The guards stand: a deletion, a secret and self-protection are denied, and nothing is approved.
#[track_caller]
fn guards_stand(home: &Home, env: &[(&str, &str)], what: &str) {
    for (command, rule) in [
        ("rm -rf /", "(filesystem:rm-root, "),
        ("cat .env", "(privacy:env-file, "),
        ("sprag trust --yes", "(self-protection:loosen, "),
    ] {
        let (decision, reason) = bash(home, command, env);
        assert_eq!(decision, "deny", "{what}: {command}: {reason}");
        assert!(reason.contains(rule), "{what}: {reason}");
    }
    let (decision, reason) = bash(home, "ls", env);
    assert_eq!(decision, "pass", "{what}: {reason}");
}

#[test]
fn a_repositorys_configuration_only_tightens() {
    for (what, config) in [
        ("guards off", "[hook.command-guard]\nmode = \"off\"\n[hook.privacy-block]\nenabled = false\n"),
        (
            "guards in the shadow",
            "[hook.command-guard]\nmode = \"shadow\"\n[hook.privacy-block]\nmode = \"shadow\"\n",
        ),
        (
            "exceptions",
            "[hook.command-guard]\nallow = [{ rule = \"filesystem:rm-root\" }, { prefix = \"sprag\" }]\n\
             disabled_packs = [\"filesystem\", \"self-protection\"]\ndisabled_rules = [\"filesystem:rm-root\"]\n\
             [hook.privacy-block]\nallow = [\"**\", \".env\"]\nanswer = \"ask\"\n",
        ),
        (
            "matchers that match nothing",
            "[hook.command-guard]\nmatcher = \"Nothing\"\n[hook.privacy-block]\nmatcher = \"x\"\n",
        ),
        ("an empty chain", "[hooks.pre_tool_use]\nscripts = []\n"),
        ("another chain", "[hooks.pre_tool_use]\nscripts = [\"tool-loop\"]\n"),
        ("a smaller preset", "preset = \"minimal\"\n"),
        ("asking counts as passing", "[agents]\nask_fallback = \"pass\"\n"),
        (
            "approvals",
            "preset = \"strict\"\n[hook.permission-policy]\nmode = \"enforce\"\n\
             rules = [{ decision = \"allow\", tools = [\".*\"] }, { decision = \"allow\", commands = [\"ls\", \"rm\", \"cat\"] }]\n",
        ),
        (
            "a program of its own",
            "[hooks.pre_tool_use]\nprepend = [\"evil\"]\n[hook.evil]\ncommand = [\"sh\", \"-c\", \"touch ran; echo {}\"]\n",
        ),
        ("no TOML", "preset = \nthis is not = toml ]["),
        ("unknown keys", "[hook.command-guard]\nwhatever = true\nmode = \"off\"\n"),
    ] {
        let home = Home::new();
        home.write("shop/.sprag/config.toml", config);
        home.write("shop/.sprag/hooks/command-guard.sh", "#!/bin/sh\ntouch ran\necho '{}'\n");
        guards_stand(&home, &[], what);
        assert!(!home.project().join("ran").exists(), "{what}: a program of the repository ran");
    }
}

#[test]
fn a_repositorys_files_of_an_odd_kind_hold_nobody_up() {
    let big = "#".repeat(2 << 20);
    let patterns = "*a*a*a*a*a*a*a*b\n".repeat(20_000);
    let rules = format!(
        "[hook.permission-policy]\nmode = \"enforce\"\nrules = [\n{}]\n",
        "{ decision = \"deny\", paths = [\"*a*a*a*a*a*a*a*b\"] },\n".repeat(4_000)
    );
    type Make<'a> = &'a dyn Fn(&Home);
    let kinds: [(&str, Make<'_>); 9] = [
        ("a huge configuration", &|home| {
            home.write("shop/.sprag/config.toml", &big);
        }),
        ("a link to a device", &|home| {
            fs::create_dir_all(home.project().join(".sprag")).unwrap();
            symlink("/dev/zero", home.project().join(".sprag/config.toml")).unwrap();
        }),
        ("a pipe as configuration", &|home| {
            fs::create_dir_all(home.project().join(".sprag")).unwrap();
            pipe(home, "shop/.sprag/config.toml");
        }),
        ("pipes as ignore files and agents' settings", &|home| {
            fs::create_dir_all(home.project().join(".claude")).unwrap();
            for name in [".spragignore", ".ckignore", ".env", ".claude/settings.json", ".claude/.ckignore"] {
                pipe(home, &format!("shop/{name}"));
            }
        }),
        ("a link to a file that switches off", &|home| {
            home.write("elsewhere.toml", "[hook.command-guard]\nmode = \"off\"\n");
            fs::create_dir_all(home.project().join(".sprag")).unwrap();
            symlink(home.path().join("elsewhere.toml"), home.project().join(".sprag/config.toml")).unwrap();
        }),
        ("a link as the whole folder", &|home| {
            home.write("elsewhere/config.toml", "[hook.command-guard]\nmode = \"off\"\n");
            symlink(home.path().join("elsewhere"), home.project().join(".sprag")).unwrap();
        }),
        ("a link in a circle", &|home| {
            fs::create_dir_all(home.project().join(".sprag")).unwrap();
            symlink("config.toml", home.project().join(".sprag/config.toml")).unwrap();
        }),
        ("ignore rules without end", &|home| {
            home.write("shop/.spragignore", &patterns);
        }),
        ("stops without end", &|home| {
            home.write("shop/.sprag/config.toml", &rules);
        }),
    ];
    for (what, make) in kinds {
        let home = Home::new();
        make(&home);
        guards_stand(&home, &[], what);
        let deep = format!("{}/x.ts", "a".repeat(60)).repeat(8);
        call(&home, "Read", json!({"file_path": deep}), &[]);
    }
}

fn pipe(home: &Home, name: &str) {
    assert!(home.program("mkfifo", &[home.path().join(name).to_str().unwrap()]).status().unwrap().success());
}

/// Variables that would loosen; the agents hand the project's own on to hooks.
const LOOSENING: [(&str, &str); 8] = [
    ("SPRAG_DISABLE", "all"),
    ("SPRAG_DISABLE", "command-guard,privacy-block"),
    ("SPRAG_NESTED", "1"),
    ("SPRAG_PRESET", "minimal"),
    ("SPRAG_CONFIG_DIR", "@evil/config"),
    ("SPRAG_STATE_DIR", "@evil/state"),
    ("XDG_CONFIG_HOME", "@evil/xdg"),
    ("HOME", "@evil/home"),
];

#[test]
fn a_repositorys_settings_for_the_agent_switch_nothing_off() {
    for (name, value) in LOOSENING {
        for file in [
            ".claude/settings.json",
            ".claude/settings.local.json",
            ".gemini/.env",
            ".env",
            ".env.local",
            ".envrc",
            "mise.toml",
            ".vscode/settings.json",
            ".devcontainer/devcontainer.json",
        ] {
            let home = Home::new();
            let value = value.replace('@', &format!("{}/", home.project().display()));
            let text = if file.contains("settings") {
                json!({"env": {name: value}}).to_string()
            } else {
                format!("{name}={value}\n")
            };
            home.write(&format!("shop/{file}"), &text);
            let off = "[hook.command-guard]\nmode = \"off\"\n[hook.privacy-block]\nmode = \"off\"\n";
            for place in ["config", "xdg/sprag", "home/.config/sprag"] {
                home.write(&format!("shop/evil/{place}/config.toml"), off);
            }
            if name == "HOME" {
                // The home of whoever runs this test is not known; that the guards are on is enough.
                let (decision, reason) = bash(&home, "sprag trust --yes", &[(name, &value)]);
                assert_eq!(decision, "deny", "{name} in {file}: {reason}");
            } else {
                guards_stand(&home, &[(name, &value)], &format!("{name} in {file}"));
                let journal = home.read(".local/state/sprag/journal.jsonl");
                assert!(journal.contains(&format!("{name} was ignored")), "{name} in {file}: {journal}");
            }
        }
    }
}

#[test]
fn a_home_that_is_no_absolute_path_does_not_hide_the_home() {
    let home = Home::new();
    let dir = |name: &str| home.path().join(name).display().to_string();
    let (config, data, state) = (dir("config"), dir("data"), dir("state"));
    for odd in ["", ".", "./x", "x", "~", "x\ny"] {
        let env = [
            ("HOME", odd),
            ("SPRAG_CONFIG_DIR", &config),
            ("SPRAG_DATA_DIR", &data),
            ("SPRAG_STATE_DIR", &state),
        ];
        for command in ["rm -rf ~", "rm -rf $HOME", "rm -rf \"$HOME\"/*", "rm -rf ~/"] {
            assert_eq!(bash(&home, command, &env).0, "deny", "HOME={odd:?}: {command}");
        }
    }
}

#[test]
fn what_the_user_sets_still_counts() {
    let home = Home::new();
    assert_eq!(bash(&home, "rm -rf /", &[("SPRAG_DISABLE", "all")]).0, "pass");
    assert_eq!(bash(&home, "rm -rf /", &[("SPRAG_NESTED", "1")]).0, "pass");
    home.write(".claude/settings.json", "{\"env\": {\"SPRAG_DISABLE\": \"command-guard\"}}");
    assert_eq!(bash(&home, "rm -rf /", &[("SPRAG_DISABLE", "command-guard")]).0, "pass");
}

#[test]
fn the_user_is_told_of_a_variable_that_did_not_count() {
    let home = Home::new();
    home.write("shop/.claude/settings.json", "{\"env\": {\"SPRAG_DISABLE\": \"all\"}}");
    let payload = home.event("SessionStart", json!({"source": "startup"}));
    let mut command = home.program(SPRAG, &["hook", "--agent", "claude"]);
    let mut child =
        command.env("SPRAG_DISABLE", "all").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    let said = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(said.contains("SPRAG_DISABLE was ignored"), "{said}");
}

#[test]
fn a_trusted_project_that_changes_is_not_trusted() {
    let home = Home::new();
    home.write("shop/.sprag/config.toml", "[hook.command-guard]\nallow = [{ rule = \"git:reset-hard\" }]\n");
    assert_eq!(bash(&home, "git reset --hard", &[]).0, "ask");
    home.nobody_works();
    home.outside(&["trust", "--yes"]).ok();
    assert_eq!(bash(&home, "git reset --hard", &[]).0, "pass");
    home.write(
        "shop/.sprag/config.toml",
        "[hook.command-guard]\nallow = [{ rule = \"git:reset-hard\" }, { rule = \"filesystem:rm-root\" }]\n",
    );
    assert_eq!(bash(&home, "git reset --hard", &[]).0, "ask");
    guards_stand(&home, &[], "changed after it was trusted");
}

/// What a model might try, each through the hook as the agent would.
#[test]
fn a_model_cannot_switch_a_guard_off() {
    let home = Home::new();
    let binary = SPRAG;
    for command in [
        "sprag hooks disable command-guard",
        "sprag hooks order pre_tool_use tool-loop",
        "sprag approve .env --for 1d",
        "sprag approve .env --yes",
        "sprag trust --yes",
        "sprag undeploy",
        "yes | sprag trust",
        "bash -lc 'sprag trust --yes'",
        "env -u CLAUDECODE sprag trust --yes",
        "setsid -f sprag trust --yes",
        "nohup sprag trust --yes &",
        "script -qec 'sprag trust' /dev/null",
        "python3 -c \"import os; os.system('sprag trust --yes')\"",
        "eval \"$(echo sprag trust --yes)\"",
        "echo 'sprag trust --yes' | at now",
        "find . -maxdepth 0 -exec sprag trust --yes \\;",
        "SPRAG_DISABLE=all claude -p 'rm -rf ~'",
        "env SPRAG_DISABLE=all codex exec x",
        "export SPRAG_NESTED=1",
        "SPRAG_CONFIG_DIR=/tmp/c gemini -p x",
        "claude -p x --settings '{\"disableAllHooks\": true}'",
        "echo 'preset = \"minimal\"' > ~/.config/sprag/config.toml",
        "cp /tmp/c.toml ~/.config/sprag/config.toml",
        "install -m 600 /tmp/c.toml ~/.config/sprag/config.toml",
        "ln -sfn /tmp/c ~/.config/sprag",
        "python3 -c \"open('$HOME/.config/sprag/config.toml', 'w').write('')\"",
        "rm -rf ~/.config/sprag ~/.local/state/sprag",
        "mv ~/.config/sprag ~/.config/old",
        "dd if=/tmp/p of=$HOME/.local/state/sprag/cache/0.plan",
        "cp /tmp/p ~/.local/state/sprag/cache/0.plan",
        "echo '{}' >> ~/.local/state/sprag/approvals.jsonl",
        "echo '{}' > ~/.local/state/sprag/trust.json",
        "truncate -s 0 ~/.local/state/sprag/journal.jsonl",
        "pkill -9 sprag",
        "killall sprag",
        "kill $(pgrep -f 'sprag worker')",
        "ps aux | grep sprag | awk '{print $2}' | xargs kill",
        "sed -i 's/sprag/true/' ~/.claude/settings.json",
        "jq 'del(.hooks)' ~/.claude/settings.json | tee ~/.claude/settings.json",
        "rm -rf ~/.claude",
        "rm ~/.codex/hooks.json",
        "echo '[features]' >> .codex/config.toml",
        "echo '{}' > ~/.gemini/settings.json",
        "rm -f ~/.local/bin/sprag",
        "cp /bin/true ~/.local/bin/sprag",
        &format!("rm {binary}"),
        &format!("cp /bin/true {binary}"),
    ] {
        let (decision, reason) = bash(&home, command, &[]);
        assert_eq!(decision, "deny", "{command}: {reason}");
    }
    let at = |name: &str| home.path().join(name).display().to_string();
    for (tool, input) in [
        ("Write", json!({"file_path": at(".config/sprag/config.toml"), "content": ""})),
        ("Write", json!({"file_path": at(".local/state/sprag/cache/0.plan"), "content": ""})),
        ("Write", json!({"file_path": at(".local/state/sprag/approvals.jsonl"), "content": ""})),
        ("Write", json!({"file_path": "~/.config/sprag/config.toml", "content": ""})),
        ("Write", json!({"file_path": "../.config/sprag/config.toml", "content": ""})),
        ("mcp__fs__write_file", json!({"path": at(".codex/config.toml"), "content": ""})),
        ("Write", json!({"file_path": binary, "content": ""})),
    ] {
        let (decision, reason) = call(&home, tool, input.clone(), &[]);
        assert_eq!(decision, "deny", "{tool} {input}: {reason}");
    }
    // An agent may edit its own settings, but for what guards it.
    home.write(".claude/settings.json", r#"{"hooks": {"Stop": [{"hooks": [{"command": "sprag hook"}]}]}}"#);
    let settings = at(".claude/settings.json");
    for (tool, input) in [
        ("Edit", json!({"file_path": settings, "old_string": "sprag hook", "new_string": "true"})),
        ("Edit", json!({"file_path": settings, "old_string": "not there", "new_string": ""})),
        ("Write", json!({"file_path": settings, "content": ""})),
        (
            "Write",
            json!({"file_path": at("shop/.claude/settings.local.json"), "content": "{\"disableAllHooks\": true}"}),
        ),
    ] {
        let (decision, reason) = call(&home, tool, input.clone(), &[]);
        assert_eq!(decision, "ask", "{tool} {input}: {reason}");
    }
}

/// The same for the commands themselves, should one run after all: with an agent around they refuse.
#[test]
fn approving_is_for_a_person() {
    let home = Home::new();
    for words in
        [&["approve", ".env"][..], &["approve", ".env", "--yes"], &["hooks", "disable", "command-guard"]]
    {
        let error = home.run_with(words, &[("CLAUDECODE", "1")]).failed();
        assert!(error.contains("runs inside an agent"), "{error}");
    }
    assert_eq!(bash(&home, "cat .env", &[]).0, "deny");
    home.nobody_works();
    home.outside(&["approve", ".env", "--yes", "--for", "10m"]).ok();
    assert_eq!(bash(&home, "cat .env", &[]).0, "pass");
    assert_eq!(bash(&home, "cat sub/.env", &[]).0, "deny");
    let journal = home.read(".local/state/sprag/journal.jsonl");
    assert!(
        journal.contains("a person approved") && journal.contains("may be read, by an approval"),
        "{journal}"
    );
}

/// `env -i … setsid -f sprag approve .env --yes`, should it run after all: an orphan without an agent's environment.
#[test]
fn without_a_terminal_nothing_is_loosened_while_an_agent_works() {
    let home = Home::new();
    let tries = [
        &["approve", ".env", "--yes"][..],
        &["trust", "--yes"],
        &["disable", "guards"],
        &["undeploy"],
        &["trial", "start", "7d"],
    ];
    assert_eq!(bash(&home, "cat .env", &[]).0, "deny");
    for words in tries {
        let error = home.outside(words).failed();
        assert!(error.contains("an agent works here: the last event of claude"), "{words:?}: {error}");
    }
    assert_eq!(bash(&home, "cat .env", &[]).0, "deny");
    // A Dockerfile, or the next day.
    home.nobody_works();
    for words in tries {
        home.outside(words).ok();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_terminal_nothing_is_loosened_while_an_agent_runs() {
    let home = Home::new();
    let other = Home::new();
    let claude = home.script("bin/claude", "#!/bin/sh\nread line\n");
    // Through its interpreter: a file that was just written may be busy for a process of another test.
    let mut agent =
        home.program("/bin/sh", &[claude.to_str().unwrap()]).stdin(Stdio::piped()).spawn().unwrap();
    // Until it is a shell that runs the script.
    let line = format!("/proc/{}/cmdline", agent.id());
    while !fs::read_to_string(&line).unwrap_or_default().contains("bin/claude") {
        std::thread::yield_now();
    }
    let error = home.outside(&["trust", "--yes"]).failed();
    assert!(error.contains("Claude Code (process ") && error.contains(") runs"), "{error}");
    // Who works with other guards has nothing to do with these.
    other.outside(&["trust", "--yes"]).ok();
    drop(agent.stdin.take());
    agent.wait().unwrap();
    home.outside(&["trust", "--yes"]).ok();
}

/// The terminal of the agent, by a process that it does not show above any more.
#[cfg(target_os = "linux")]
#[test]
fn the_terminal_of_an_agent_is_no_persons() {
    let home = Home::new();
    let claude = home.script("bin/claude", "#!/bin/sh\ntouch go\nread line\n");
    // The agent waits on the terminal of `script`; beside it, and not below, is a process that has the terminal too.
    let beside = format!(
        "(until [ -e go ]; do sleep 0.01; done; {SPRAG} trust --yes </dev/tty >/dev/tty 2>&1; touch done)"
    );
    let command = format!("sh -c '{beside} & {} </dev/tty'", claude.display());
    let steps =
        format!("(until [ -e done ]; do sleep 0.01; done; echo) | script -qec \"{command}\" /dev/null");
    let ran = home.outside_program(&["sh", "-c", &steps], "");
    assert!(ran.out.contains("the terminal of an agent: Claude Code"), "{ran:?}");
    assert!(!home.path().join(".local/state/sprag/trust.json").exists());
}

/// 126 nested arrays were more than the parser takes, and the call passed.
#[test]
fn nested_arrays_do_not_switch_the_guards_off() {
    let home = Home::new();
    for (agent, event, tool) in [
        ("claude", "PreToolUse", "Bash"),
        ("codex", "PreToolUse", "Bash"),
        ("gemini", "BeforeTool", "run_shell_command"),
        ("qwen", "PreToolUse", "run_shell_command"),
    ] {
        for depth in [126, 5_000] {
            for (command, rule) in [("rm -rf /", "filesystem:rm-root"), ("ls", "limits")] {
                let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
                let cwd = home.project();
                let payload = format!(
                    r#"{{"hook_event_name":"{event}","session_id":"s","cwd":{cwd:?},"tool_name":"{tool}","tool_input":{{"x":{deep},"command":"{command}"}}}}"#
                );
                let mut child = home.program(SPRAG, &["hook", "--agent", agent]);
                let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
                child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
                let said = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
                let stops = ["\"ask\"", "\"deny\"", "\"block\""].iter().any(|word| said.contains(word));
                assert!(stops && said.contains(rule), "{agent}, {depth} deep, {command}: {said}");
            }
        }
    }
}

#[test]
fn terminal_escapes_of_a_command_reach_nobodys_screen() {
    let home = Home::new();
    bash(&home, "rm -rf / # \u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}", &[]);
    for words in [
        &["logs"][..],
        &["why", "last"],
        &["stats"],
        &["status"],
        &["logs", "--json"],
        &["guard", "explain", "echo \u{1b}[2J\u{9b}x"],
    ] {
        let ran = home.run_with(words, &[("CLICOLOR_FORCE", "1")]);
        assert!(!ran.out.contains(['\u{7}', '\u{9b}', '\u{202e}']), "{words:?}: {:?}", ran.out);
        assert!(!ran.out.contains("\u{1b}]") && !ran.out.contains("\u{1b}[2J"), "{words:?}: {:?}", ran.out);
    }
}

/// The address of a server may hold a password: it has one place, and the compiled configuration is not it.
#[test]
fn the_stores_password_is_in_no_file_of_the_state() {
    let home = Home::new();
    let url = "postgres://me:w0rd-of-the-store@127.0.0.1:1/db?connect_timeout=1";
    bash(&home, "ls", &[("SPRAG_STORE_URL", url)]);
    let mut folders = vec![home.path().join(".local/state/sprag")];
    let mut plans = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            plans += usize::from(path.extension().is_some_and(|end| end == "plan"));
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            assert!(!text.contains("w0rd-of-the-store"), "{}", path.display());
        }
    }
    assert!(plans > 0, "a configuration was compiled");
}
