//! The words that people type: help, version, completions, and what is said to words that make no sense.

use crate::cli_home::Home;

#[test]
fn the_version_is_the_packages() {
    assert_eq!(Home::new().run(&["--version"]).ok(), format!("sprag {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_top_level_help_is_as_written_down() {
    let help = Home::new().run(&["--help"]).ok();
    let golden = include_str!("../golden/help.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/help.txt"), &help).unwrap();
        return;
    }
    assert_eq!(help, golden, "UPDATE_GOLDEN=1 rewrites it");
}

#[test]
fn every_command_has_help_with_an_example() {
    let home = Home::new();
    let help = home.run(&["--help"]).ok();
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let (commands, _) = commands.split_once("\n\n").unwrap();
    let names: Vec<&str> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names.into_iter().filter(|name| *name != "help") {
        let help = home.run(&[name, "--help"]).ok();
        assert!(help.contains("Example"), "{name}: {help}");
    }
    for name in ["list", "show", "run", "enable", "disable", "order"] {
        let help = home.run(&["hooks", name, "--help"]).ok();
        assert!(help.contains("Example"), "hooks {name}: {help}");
    }
}

#[test]
fn completions_are_there_for_the_shells() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = home.run(&["completions", shell]).ok();
        assert!(text.contains("doctor") && text.contains("disable"), "{shell}");
    }
}

#[test]
fn words_that_make_no_sense_are_usage_errors() {
    let home = Home::new();
    for words in [
        &["stauts"][..],
        &["hooks", "run", "tool-loop", "--event", "PreToolUs"],
        &["stats", "--since", "soon"],
        &["status", "weather"],
        &["completions", "cobol"],
        &["trust", "--list", "--revoke"],
    ] {
        let ran = home.run(words);
        assert_eq!(ran.code, 2, "{words:?} {ran:?}");
        assert!(ran.out.is_empty() && ran.err.starts_with("error:"), "{ran:?}");
    }
    let near = home.run(&["hooks", "order", "--event", "PreToolUs"]);
    assert!(near.err.contains("did you mean `PreToolUse`?"), "{near:?}");
}
