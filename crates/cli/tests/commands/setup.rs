//! init, check and trust in throw-away homes.

use crate::cli_home::{Home, has_keys};
use serde_json::json;
use std::fs;

#[test]
fn init_writes_a_file_that_passes_check_and_leaves_it_alone_afterwards() {
    let home = Home::new();
    let said = home.run_with(&["init", "--yes"], &[("PATH", "/nowhere")]).ok();
    assert!(said.contains("none found") && said.contains("written"), "{said}");
    let text = fs::read_to_string(home.config()).unwrap();
    for part in
        ["version = 1", "[llm]", "#backend = \"none\"", "[hook.tool-loop]", "#warn_at = 8", "#[hooks."]
    {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(home.run(&["check"]).ok().contains("no errors"));
    fs::write(home.config(), "# mine\n").unwrap();
    let said = home.run(&["init", "--yes"]).ok();
    assert!(said.contains("left alone"), "{said}");
    assert_eq!(fs::read_to_string(home.config()).unwrap(), "# mine\n");
}

#[test]
fn init_finds_agents_by_program_and_by_folder() {
    let home = Home::new();
    fs::create_dir_all(home.path().join(".codex")).unwrap();
    home.script("bin/claude", "#!/bin/sh\n");
    let path = home.path().join("bin");
    let value = home.run_with(&["init", "--json"], &[("PATH", path.to_str().unwrap())]).json();
    has_keys(&value, &["config", "agents", "project"]);
    has_keys(&value["config"], &["path", "written"]);
    assert_eq!(value["config"]["written"], true);
    let agents = value["agents"].as_array().unwrap();
    assert_eq!((&agents[0]["agent"], &agents[1]["agent"]), (&json!("claude"), &json!("codex")));
    has_keys(&agents[0], &["agent", "program", "folder"]);
    assert!(agents[0]["folder"].is_null() && agents[1]["program"].is_null());
    has_keys(&value["project"], &["root", "git", "sprag"]);
}

#[test]
fn init_that_cannot_write_says_so() {
    let home = Home::new();
    home.write(".config/sprag", "a file where a folder should be");
    assert!(home.run(&["init", "--yes"]).failed().contains("SPRAG_CONFIG_DIR"));
}

#[cfg(target_os = "linux")]
#[test]
fn init_asks_on_a_terminal() {
    let home = Home::new();
    let command = format!("{} init", crate::cli_home::SPRAG);
    let ran = home.outside_program(&["script", "-qec", &command, "/dev/null"], "strict\n2\n");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("Which hooks are on?"), "{ran:?}");
    let text = fs::read_to_string(home.config()).unwrap();
    assert!(text.contains("\npreset = \"strict\"\n") && text.contains("\nbackend = \"claude\"\n"), "{text}");
    home.run(&["check"]).ok();
}

#[test]
fn check_names_file_line_and_nearest_key() {
    let home = Home::new();
    home.write(".config/sprag/config.toml", "preset = \"standard\"\n[hook.tool-loop]\nwarn_att = 3\n");
    home.write("shop/.sprag/config.toml", "[stoer]\n");
    let ran = home.run(&["check"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.out.contains("~/.config/sprag/config.toml:3: ") && ran.out.contains("`warn_at`?"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("~/shop/.sprag/config.toml:1: ") && ran.out.contains("`store`?"), "{}", ran.out);
    let value = home.run(&["check", "--json"]).json();
    has_keys(
        &value,
        &["ok", "preset", "root", "files", "unused", "policy", "errors", "trust", "ignored", "notes"],
    );
    assert_eq!(value["ok"], false);
    has_keys(&value["errors"][0], &["file", "line", "what", "hint"]);
    assert_eq!(value["errors"][0]["line"], 3);
    has_keys(&value["files"][0], &["scope", "path", "exists"]);
}

#[test]
fn check_finds_a_hook_that_is_not_there_and_a_preset_in_the_environment() {
    let home = Home::new();
    home.write(".config/sprag/config.toml", "version = 1\n\n[hooks.session_stop]\nappend = [\"nothere\"]\n");
    let ran = home.run(&["check"]);
    assert!(ran.code == 1 && ran.out.contains("config.toml:4: there is no hook `nothere`"), "{ran:?}");
    fs::remove_file(home.config()).unwrap();
    let ran = home.run_with(&["check"], &[("SPRAG_PRESET", "loose")]);
    assert!(ran.code == 1 && ran.out.contains("unknown preset `loose`"), "{ran:?}");
}

/// A project that wants a program and a weaker preset.
fn wishful(home: &Home) {
    home.write(
        "shop/.sprag/config.toml",
        "preset = \"minimal\"\n[hooks.pre_tool_use]\nappend = [\"lint\"]\n[hook.lint]\ncommand = [\"sh\", \"tools/lint.sh\"]\n",
    );
    home.write("shop/tools/lint.sh", "exit 0\n");
    home.write("shop/.sprag/hooks/extra.sh", "exit 0\n");
}

#[test]
fn an_untrusted_project_is_told_what_does_not_count() {
    let home = Home::new();
    wishful(&home);
    let said = home.run(&["check"]).ok();
    assert!(said.contains("not trusted") && said.contains("sprag trust"), "{said}");
    let value = home.run(&["check", "--json"]).json();
    assert_eq!((&value["trust"], &value["preset"]), (&json!("untrusted"), &json!("standard")));
    assert_eq!(value["ignored"].as_array().unwrap().len(), 3);
}

#[test]
fn trust_shows_then_pins_and_a_change_undoes_it() {
    let home = Home::new();
    wishful(&home);
    let ran = home.outside(&["trust"]);
    assert!(ran.code == 1 && ran.err.contains("--yes"), "no terminal, no word: {ran:?}");
    assert!(!home.state().join("trust.json").exists());
    let value = home.run(&["trust", "--json"]).json();
    has_keys(&value, &["project", "state", "changed", "files", "commands", "loosens"]);
    assert_eq!(value["state"], "untrusted");
    let files: Vec<&str> =
        value["files"].as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap()).collect();
    assert_eq!(files, [".sprag/config.toml", ".sprag/hooks/extra.sh", "tools/lint.sh"]);
    assert_eq!(value["commands"][0], json!({ "hook": "lint", "command": "sh tools/lint.sh" }));

    let said = home.outside(&["trust", "--yes"]).ok();
    assert!(said.contains("sh tools/lint.sh") && said.contains("it turns hooks off"), "{said}");
    let value = home.run(&["check", "--json"]).json();
    assert_eq!((&value["trust"], &value["preset"]), (&json!("trusted"), &json!("minimal")));
    let list = home.run(&["trust", "--list", "--json"]).json();
    has_keys(&list["projects"][0], &["project", "trusted_at", "state"]);
    assert_eq!(list["projects"][0]["state"], "trusted");

    home.write("shop/tools/lint.sh", "exit 1\n");
    let value = home.run(&["trust", "--json"]).json();
    assert_eq!((&value["state"], &value["changed"]), (&json!("changed"), &json!(["tools/lint.sh"])));
    let value = home.outside(&["trust", "--revoke", "--json"]).json();
    assert_eq!(value["revoked"], true);
    assert_eq!(home.run(&["trust", "--json"]).json()["state"], "untrusted");
}

#[cfg(target_os = "linux")]
#[test]
fn trust_asks_on_a_terminal_and_takes_only_a_yes() {
    let home = Home::new();
    wishful(&home);
    let command = format!("{} trust", crate::cli_home::SPRAG);
    let argv = ["script", "-qec", command.as_str(), "/dev/null"];
    let ran = home.outside_program(&argv, "\n");
    assert!(ran.code == 1 && ran.out.contains("Trust exactly this? [y/N]"), "{ran:?}");
    assert_eq!(home.run(&["trust", "--json"]).json()["state"], "untrusted");
    let ran = home.outside_program(&argv, "y\n");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(home.run(&["trust", "--json"]).json()["state"], "trusted");
}

#[test]
fn a_project_without_wishes_has_nothing_to_trust() {
    assert!(Home::new().run(&["trust"]).failed().contains("nothing to trust"));
}
