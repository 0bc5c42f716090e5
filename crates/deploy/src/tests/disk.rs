//! The same on a real disk: links, permissions, backups, other writers, and being killed.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tempfile::TempDir;

use super::*;
use crate::file::Staged;
use crate::memory::beside;

const MINE: &str = "{\n    \"model\": \"opus\",\n    \"n\": 1.0\n}";

struct Home {
    dir: TempDir,
}

impl Home {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn env(&self) -> AgentEnv {
        env(self.dir.path().to_str().unwrap())
    }

    fn plan(&self, name: &str) -> Plan {
        Plan::new(agent(name), Scope::User, &self.env(), EXE, usual(name).registrations).unwrap()
    }

    /// A plan whose file is there already.
    fn with(&self, name: &str, text: &str) -> Plan {
        let plan = self.plan(name);
        fs::create_dir_all(plan.file.parent().unwrap()).unwrap();
        fs::write(&plan.file, text).unwrap();
        plan
    }

    /// Every file and folder below the home.
    fn listing(&self) -> Vec<String> {
        fn walk(dir: &Path, top: &Path, out: &mut Vec<String>) {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                out.push(path.strip_prefix(top).unwrap().to_str().unwrap().to_owned());
                if path.is_dir() && !path.is_symlink() {
                    walk(&path, top, out);
                }
            }
        }
        let mut all = Vec::new();
        walk(self.dir.path(), self.dir.path(), &mut all);
        all.sort();
        all
    }
}

fn go(plan: &Plan) -> Report {
    deploy(plan, Mode::Write).unwrap()
}

fn back(plan: &Plan) -> Report {
    undeploy(&removal(plan), Mode::Write).unwrap()
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_file_that_was_not_there() {
    for name in ["claude", "codex", "gemini", "qwen"] {
        let home = Home::new();
        let plan = home.plan(name);
        let report = go(&plan);
        assert_eq!(report.outcome, Outcome::Created);
        assert_eq!(report.backup, None);
        assert!(report.diff.starts_with("--- /dev/null\n"), "{}", report.diff);
        assert_eq!(mode(&plan.file), 0o600);
        assert_eq!(mode(plan.file.parent().unwrap()), 0o700);
        assert_eq!(go(&plan).outcome, Outcome::Unchanged);
        let report = back(&plan);
        assert_eq!(report.outcome, Outcome::Removed);
        assert_eq!(home.listing(), Vec::<String>::new(), "the folder that deploy made is gone too");
        assert_eq!(back(&plan).outcome, Outcome::Unchanged);
    }
}

#[test]
fn a_file_that_was_there() {
    for name in ["claude", "codex", "gemini", "qwen"] {
        for before in [
            MINE,
            "",
            " \n",
            "{}",
            "{\"hooks\": {\"Stop\": [ ]}}\r\n",
            "{\"hooksConfig\":{\"enabled\":false}}",
        ] {
            let home = Home::new();
            let plan = home.with(name, before);
            fs::set_permissions(&plan.file, fs::Permissions::from_mode(0o644)).unwrap();
            let report = go(&plan);
            assert_eq!(report.outcome, Outcome::Updated);
            assert_eq!(report.backup.as_deref(), Some(&*plan.remembered.backup(&plan.file)));
            assert_eq!(text(&plan.remembered.backup(&plan.file)), before);
            assert_eq!((mode(&plan.file), mode(&plan.remembered.backup(&plan.file))), (0o644, 0o644));
            let inode = fs::metadata(&plan.file).unwrap().ino();
            assert_eq!(go(&plan).outcome, Outcome::Unchanged);
            assert_eq!(fs::metadata(&plan.file).unwrap().ino(), inode, "nothing to do, nothing written");
            let report = back(&plan);
            assert_eq!(report.outcome, Outcome::Restored);
            assert_eq!(text(&plan.file), before);
            assert_eq!(mode(&plan.file), 0o644);
            assert_eq!(home.listing().len(), 2, "no backup, marker or temporary file is left");
        }
    }
}

#[test]
fn reformatted_by_the_agent_and_still_restored() {
    let home = Home::new();
    let plan = home.with("claude", MINE);
    go(&plan);
    let value: serde_json::Value = serde_json::from_str(&text(&plan.file)).unwrap();
    fs::write(&plan.file, serde_json::to_string(&value).unwrap().replace("1.0", "1")).unwrap();
    assert_eq!(go(&plan).outcome, Outcome::Unchanged, "the same data is up to date in any layout");
    assert_eq!(back(&plan).outcome, Outcome::Restored);
    assert_eq!(text(&plan.file), MINE);
}

#[test]
fn edited_by_the_user_in_between() {
    let home = Home::new();
    let plan = home.with("claude", MINE);
    go(&plan);
    fs::write(&plan.file, text(&plan.file).replace("opus", "sonnet")).unwrap();
    let report = back(&plan);
    assert_eq!(report.outcome, Outcome::Updated);
    let edited = MINE.replace("opus", "sonnet");
    assert_eq!(text(&plan.file), edited);
    assert_eq!(text(&plan.remembered.backup(&plan.file)), MINE, "the old state is kept: the file is not it");
    // The next deploy starts from what is there now.
    go(&plan);
    assert_eq!(text(&plan.remembered.backup(&plan.file)), edited);
    assert_eq!(back(&plan).outcome, Outcome::Restored);
    assert_eq!(text(&plan.file), edited);
}

#[test]
fn a_comment_added_in_between_is_not_lost() {
    let home = Home::new();
    let plan = home.with("gemini", MINE);
    go(&plan);
    fs::write(&plan.file, text(&plan.file).replace("1.0,", "1.0, // one")).unwrap();
    assert_eq!(back(&plan).outcome, Outcome::Updated);
    assert_eq!(text(&plan.file), MINE.replace("1.0", "1.0 // one"));
}

#[test]
fn the_backup_is_taken_once() {
    let home = Home::new();
    let plan = home.with("claude", MINE);
    go(&plan);
    for timeout in 1..4 {
        let mut other = plan.clone();
        other.registrations[0].timeout = timeout;
        go(&other);
        assert_eq!(text(&plan.remembered.backup(&plan.file)), MINE);
    }
    let none = Plan { registrations: vec![], ..plan.clone() };
    assert_eq!(go(&none).outcome, Outcome::Updated);
    assert_eq!(text(&plan.file), MINE, "a plan for nothing leaves nothing");
    go(&plan);
    assert_eq!(text(&plan.remembered.backup(&plan.file)), MINE);
}

#[test]
fn a_file_of_ours_that_the_user_added_to() {
    let home = Home::new();
    let plan = home.plan("gemini");
    go(&plan);
    let added = text(&plan.file).replacen('{', "{\n  \"theme\": \"Dark\", // mine", 1);
    fs::write(&plan.file, added).unwrap();
    assert_eq!(back(&plan).outcome, Outcome::Updated);
    assert_eq!(text(&plan.file), "{\n  \"theme\": \"Dark\" // mine\n}\n");
    assert!(!plan.remembered.marker(&plan.file).exists());
}

#[test]
fn a_file_that_vanished() {
    let home = Home::new();
    let plan = home.with("claude", MINE);
    go(&plan);
    fs::remove_file(&plan.file).unwrap();
    assert_eq!(back(&plan).outcome, Outcome::Unchanged);
    assert_eq!(go(&plan).outcome, Outcome::Created);
    assert_eq!(back(&plan).outcome, Outcome::Removed);
    assert_eq!(text(&plan.remembered.backup(&plan.file)), MINE, "the user's only copy");
}

#[test]
fn nothing_to_register_makes_no_file() {
    let home = Home::new();
    let plan = Plan { registrations: vec![], ..home.plan("claude") };
    assert_eq!(go(&plan).outcome, Outcome::Unchanged);
    assert_eq!(home.listing(), Vec::<String>::new());
}

#[test]
fn dry_runs_touch_nothing() {
    let home = Home::new();
    let plan = home.plan("claude");
    let report = deploy(&plan, Mode::DryRun).unwrap();
    assert_eq!(report.outcome, Outcome::Created);
    assert!(report.diff.contains("+    \"Stop\": ["), "{}", report.diff);
    assert_eq!(home.listing(), Vec::<String>::new());

    let plan = home.with("claude", MINE);
    let listing = home.listing();
    let report = deploy(&plan, Mode::DryRun).unwrap();
    assert_eq!(report.outcome, Outcome::Updated);
    assert!(report.diff.contains("-    \"n\": 1.0\n+    \"n\": 1.0,\n"), "{}", report.diff);
    assert_eq!((text(&plan.file), home.listing()), (MINE.to_owned(), listing));

    go(&plan);
    let (now, listing) = (text(&plan.file), home.listing());
    let report = undeploy(&removal(&plan), Mode::DryRun).unwrap();
    assert_eq!(report.outcome, Outcome::Restored);
    assert!(report.diff.contains("-    \"hooks\": {"), "{}", report.diff);
    assert_eq!((text(&plan.file), home.listing()), (now, listing));
}

#[test]
fn links_are_followed_not_replaced() {
    let home = Home::new();
    let dotfiles = home.dir.path().join("dotfiles");
    fs::create_dir_all(&dotfiles).unwrap();
    fs::write(dotfiles.join("claude.json"), MINE).unwrap();
    let plan = home.plan("claude");
    fs::create_dir_all(plan.file.parent().unwrap()).unwrap();
    symlink("hop.json", &plan.file).unwrap();
    symlink("../dotfiles/claude.json", plan.file.with_file_name("hop.json")).unwrap();
    go(&plan);
    assert!(plan.file.is_symlink());
    assert!(text(&dotfiles.join("claude.json")).contains("sprag"));
    assert_eq!(fs::read_dir(&dotfiles).unwrap().count(), 1, "the backup is not in the dotfiles");
    assert_eq!(text(&plan.remembered.backup(&plan.file)), MINE);
    assert_eq!(back(&plan).outcome, Outcome::Restored);
    assert!(plan.file.is_symlink());
    assert_eq!(text(&dotfiles.join("claude.json")), MINE);
}

#[test]
fn links_to_nothing_and_in_circles() {
    let home = Home::new();
    let plan = home.plan("claude");
    let dir = plan.file.parent().unwrap();
    fs::create_dir_all(dir).unwrap();
    symlink("real.json", &plan.file).unwrap();
    assert_eq!(go(&plan).outcome, Outcome::Created);
    assert!(plan.file.is_symlink() && dir.join("real.json").is_file());
    assert_eq!(back(&plan).outcome, Outcome::Removed);
    assert!(plan.file.is_symlink() && !dir.join("real.json").exists());

    symlink("settings.json", dir.join("real.json")).unwrap();
    let error = deploy(&plan, Mode::Write).unwrap_err();
    assert!(matches!(error, DeployError::LinkLoop { .. }), "{error}");
}

#[test]
fn refused_files_are_not_touched() {
    for broken in ["{\n  // mine\n}", "{\"a\": }", "[]", "\u{feff}{}"] {
        let home = Home::new();
        let plan = home.with("claude", broken);
        let listing = home.listing();
        for result in
            [deploy(&plan, Mode::Write), deploy(&plan, Mode::DryRun), undeploy(&removal(&plan), Mode::Write)]
        {
            let error = result.unwrap_err();
            let message = error.to_string();
            assert!(message.starts_with(&format!("{}:", plan.file.display())), "{message}");
            assert!(!message.contains('\n') && !error.hint().is_empty(), "{message}");
        }
        assert!(status(plan.agent, &plan.file, None).is_err());
        assert_eq!((text(&plan.file), home.listing()), (broken.to_owned(), listing));
    }
    let home = Home::new();
    let plan = home.with("claude", "");
    fs::write(&plan.file, b"{\n\"a\": \"\xff\"}").unwrap();
    let message = deploy(&plan, Mode::Write).unwrap_err().to_string();
    assert!(message.contains(":2:7: not valid UTF-8"), "{message}");
}

#[test]
fn things_in_the_way() {
    let home = Home::new();
    let plan = home.plan("claude");
    fs::create_dir_all(&plan.file).unwrap();
    assert!(matches!(deploy(&plan, Mode::Write), Err(DeployError::NotAFile { .. })));

    let home = Home::new();
    let plan = home.plan("claude");
    fs::write(plan.file.parent().unwrap(), "a file").unwrap();
    let hint = deploy(&plan, Mode::Write).unwrap_err().hint();
    assert!(hint.contains("must be a folder"), "{hint}");
}

#[test]
fn no_permission_is_said_clearly() {
    let root = fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0);
    let home = Home::new();
    let mut plan = home.with("claude", MINE);
    let dir = plan.file.parent().unwrap().to_owned();
    if root {
        // Permission bits do not bind root; the kernel's own file system does.
        plan.file = PathBuf::from("/sys/kernel/settings.json");
    } else {
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o555)).unwrap();
    }
    let error = deploy(&plan, Mode::Write).unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, DeployError::Io { .. }), "{message}");
    assert!(!message.contains('\n'), "{message}");
    assert!(error.hint().contains("use another --scope"), "{}", error.hint());
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(text(&dir.join("settings.json")), MINE);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
}

#[test]
fn leftovers_of_a_killed_run_are_cleaned() {
    let home = Home::new();
    let plan = home.with("claude", MINE);
    let temp = beside(&plan.file, ".", ".sprag-tmp");
    for run in [go as fn(&Plan) -> Report, go, back] {
        fs::write(&temp, "{\"half").unwrap();
        run(&plan);
        assert!(!temp.exists());
    }
    assert_eq!(text(&plan.file), MINE);
    // A hostile link under that name is removed, not written through.
    let victim = home.dir.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    symlink(&victim, &temp).unwrap();
    go(&plan);
    assert_eq!(text(&victim), "precious");
    assert!(!temp.is_symlink() && !plan.file.is_symlink());
}

#[test]
fn another_writer_is_noticed() {
    let home = Home::new();
    let plan = home.with("claude", MINE);
    let mut staged = Staged::lock(&plan.file).unwrap();
    fs::write(&plan.file, "{\"theirs\": 1}").unwrap();
    assert!(!staged.commit(Some(MINE), "{}", 0o600).unwrap());
    assert_eq!(text(&plan.file), "{\"theirs\": 1}");
    assert!(!staged.delete(MINE).unwrap());
    assert!(plan.file.exists());
    drop(staged);
    assert_eq!(home.listing().len(), 2);
}

#[test]
fn many_at_once() {
    let home = Home::new();
    let plan = home.with("claude", MINE);
    std::thread::scope(|scope| {
        for timeout in 1..=8 {
            let mut plan = plan.clone();
            plan.registrations[0].timeout = timeout;
            scope.spawn(move || {
                for _ in 0..10 {
                    go(&plan);
                }
            });
        }
    });
    assert_eq!(status(plan.agent, &plan.file, None).unwrap().entries.len(), 2);
    assert_eq!(text(&plan.remembered.backup(&plan.file)), MINE);
    assert_eq!(back(&plan).outcome, Outcome::Restored);
    assert_eq!(text(&plan.file), MINE);
    assert_eq!(home.listing().len(), 2);
}

/// Not a test of its own: with the variable set it is the process that `killed_at_any_time` kills.
#[test]
fn child_that_deploys_forever() {
    let Ok(dir) = std::env::var("SPRAG_TEST_HOME") else { return };
    let plan =
        Plan::new(agent("claude"), Scope::User, &env(&dir), EXE, usual("claude").registrations).unwrap();
    for timeout in 1.. {
        std::io::stdout().write_all(format!("round {timeout}\n").as_bytes()).unwrap();
        let mut plan = plan.clone();
        plan.registrations[0].timeout = timeout % 9;
        drop(deploy(&plan, Mode::Write));
        if timeout % 5 == 0 {
            drop(undeploy(&removal(&plan), Mode::Write));
        }
    }
}

#[test]
fn killed_at_any_time() {
    let home = Home::new();
    let plan = home.with("claude", MINE);
    let (_crate_name, module) = module_path!().split_once("::").unwrap();
    let child_test = format!("{module}::child_that_deploys_forever");
    for round in 0..12 {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args([child_test.as_str(), "--exact", "--nocapture"])
            .env("SPRAG_TEST_HOME", home.dir.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
        // While it reads on, the child writes: the kill falls somewhere in the round after that.
        let last = format!("round {}", 1 + 2 * round);
        while !lines.next().unwrap().unwrap().ends_with(&last) {}
        child.kill().unwrap();
        child.wait().unwrap();
        let now = text(&plan.file);
        let stripped = strip(plan.agent, None, &now, Origin::Text(MINE)).unwrap().text;
        assert_eq!(stripped, MINE, "whatever was running, the file is whole");
    }
    go(&plan);
    assert_eq!(back(&plan).outcome, Outcome::Restored);
    assert_eq!(text(&plan.file), MINE);
    assert_eq!(home.listing().len(), 2);
}

#[test]
fn project_folders_follow_the_umask_and_go_away() {
    let home = Home::new();
    let mut env = home.env();
    env.project = Some(home.dir.path().to_owned());
    let state = tempfile::tempdir().unwrap();
    let plan = |scope| {
        let plan = Plan::new(agent("claude"), scope, &env, EXE, usual("claude").registrations).unwrap();
        let folder = Some(state.path().join("deployed"));
        plan.with_remembered(Remembered { folder, ..Remembered::default() })
    };
    let (project, local) = (plan(Scope::Project), plan(Scope::Local));
    go(&project);
    go(&local);
    assert_eq!(mode(&project.file), 0o600);
    assert_eq!(home.listing(), [".claude", ".claude/settings.json", ".claude/settings.local.json"]);
    assert_eq!(back(&local).outcome, Outcome::Removed);
    assert_eq!(back(&project).outcome, Outcome::Removed);
    assert_eq!(home.listing(), Vec::<String>::new());
}

#[test]
fn codex_hooks_kept_in_config_toml() {
    let home = Home::new();
    let plan = home.plan("codex");
    let toml = plan.file.with_file_name("config.toml");
    fs::create_dir_all(toml.parent().unwrap()).unwrap();
    let entry = |command: &str| format!("[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = \"{command}\"\n");

    fs::write(&toml, entry("guard")).unwrap();
    let report = go(&plan);
    assert_eq!(report.outcome, Outcome::Created);
    assert!(report.warnings[0].text.contains("both files"), "{:?}", report.warnings);
    assert!(report.advice.unwrap().contains("/hooks"));
    assert_eq!(go(&plan).advice, None);
    back(&plan);

    fs::write(&toml, entry("sprag hook --agent codex")).unwrap();
    let report = go(&plan);
    assert_eq!(report.outcome, Outcome::Elsewhere);
    assert!(!plan.file.exists());
    assert_eq!(status(plan.agent, &plan.file, None).unwrap().elsewhere, ["Stop"]);
    let report = back(&plan);
    assert!(report.warnings.iter().any(|warning| warning.text.contains("remove them there")));
    assert_eq!(text(&toml), entry("sprag hook --agent codex"));

    fs::write(&toml, "x = \n").unwrap();
    let report = go(&plan);
    assert!(report.warnings[0].text.contains("not valid TOML"), "{:?}", report.warnings);
}

#[test]
fn codex_commands_are_the_same_text_every_time() {
    let home = Home::new();
    let foreign = "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}";
    let plan = home.with("codex", foreign);
    go(&plan);
    let first = text(&plan.file);
    back(&plan);
    go(&plan);
    assert_eq!(text(&plan.file), first);
}

#[test]
fn what_doctor_sees() {
    let home = Home::new();
    let exe = home.dir.path().join("sprag");
    let plan =
        Plan::new(agent("claude"), Scope::User, &home.env(), &exe, usual("claude").registrations).unwrap();
    let nothing = status(plan.agent, &plan.file, Some(&plan.command)).unwrap();
    assert!(!nothing.exists && nothing.entries.is_empty() && !nothing.stale && nothing.exe.is_none());

    go(&plan);
    let seen = |expected| status(plan.agent, &plan.file, expected).unwrap();
    assert!(seen(None).stale, "the program is not there");
    fs::write(&exe, "#!/bin/sh\n").unwrap();
    assert!(seen(None).stale, "the program cannot be started");
    fs::set_permissions(&exe, fs::Permissions::from_mode(0o755)).unwrap();
    let good = seen(Some(&plan.command));
    assert!(good.exists && !good.stale);
    assert_eq!((good.exe, good.form), (Some(exe), Some(Form::Exec)));
    let events: Vec<_> = good.entries.iter().map(|e| (&*e.event, e.matcher.as_deref(), e.timeout)).collect();
    assert_eq!(events, [("PreToolUse", Some("Bash|Edit"), Some(65)), ("Stop", None, Some(30))]);
    assert!(seen(Some(&Command::hook("/elsewhere/sprag", "claude"))).stale, "another program is expected");
}

/// A file with hooks, and those of them that are imported.
fn importing(home: &Home, name: &str, before: &str, which: &[(&str, Option<&str>, &str)]) -> Plan {
    let plan = home.with(name, before);
    let imported = which.iter().map(|(event, matcher, handler)| ImportedHook {
        agent: plan.agent.agent,
        file: plan.file.clone(),
        event: (*event).to_owned(),
        matcher: matcher.map(str::to_owned),
        handler: serde_json::from_str(handler).unwrap(),
        hook: "mine".to_owned(),
    });
    let imported = imported.collect();
    plan.with_remembered(Remembered { imported, ..Remembered::default() })
}

/// A group with two hooks, one that is imported alone, an event that sprag does not register.
const HOOKED: &str = "{ \"n\": 1.0,\n\t\"hooks\": {\"Stop\":[ {\"hooks\":[{\"command\":\"a\"},{\"command\":\"b\"}]} ],\n\
                      \t\"SessionEnd\": [{\"matcher\":\"x\",\"hooks\":[{ \"command\": \"c\", \"timeout\": 5 }]}]}}";
const TAKEN: [(&str, Option<&str>, &str); 2] =
    [("Stop", None, r#"{"command":"a"}"#), ("SessionEnd", Some("x"), r#"{"timeout":5,"command":"c"}"#)];

#[test]
fn imported_hooks_leave_with_deploy_and_return_byte_for_byte() {
    for name in ["claude", "codex", "qwen"] {
        let home = Home::new();
        let plan = importing(&home, name, HOOKED, &TAKEN);
        for _ in 0..2 {
            assert_eq!(go(&plan).outcome, Outcome::Updated);
            let now = text(&plan.file);
            assert!(!now.contains(r#""a""#) && !now.contains(r#""c""#) && now.contains(r#""b""#), "{now}");
            assert_eq!(go(&plan).outcome, Outcome::Unchanged);
            assert_eq!(back(&plan).outcome, Outcome::Restored);
            assert_eq!(text(&plan.file), HOOKED);
        }
        assert_eq!(back(&plan).outcome, Outcome::Unchanged);
        assert_eq!(home.listing().len(), 2);
    }
}

#[test]
fn imported_hooks_return_to_a_file_that_was_edited() {
    let home = Home::new();
    let plan = importing(&home, "claude", HOOKED, &TAKEN);
    go(&plan);
    fs::write(&plan.file, text(&plan.file).replace("1.0", "2.0")).unwrap();
    assert_eq!(back(&plan).outcome, Outcome::Updated);
    let now = text(&plan.file);
    let foreign = foreign(plan.agent, None, &now).unwrap();
    assert_eq!(foreign.len(), 3, "{now}");
    for (event, matcher, handler) in TAKEN {
        let handler: serde_json::Value = serde_json::from_str(handler).unwrap();
        assert!(foreign.contains(&(event.to_owned(), matcher.map(str::to_owned), handler)), "{now}");
    }
}

/// Imported after the first deploy: the copy of the file from before does not have the hook.
#[test]
fn a_hook_that_the_backup_does_not_have_returns_too() {
    let home = Home::new();
    let bare = home.with("claude", MINE);
    go(&bare);
    let added = text(&bare.file).replacen("\"Stop\": [", "\"Stop\": [{\"hooks\":[{\"command\":\"a\"}]},", 1);
    let plan = importing(&home, "claude", &added, &TAKEN[..1]);
    go(&plan);
    assert!(!text(&plan.file).contains("\"a\""));
    back(&plan);
    assert!(text(&plan.file).contains("\"a\"") && text(&plan.file).contains("opus"));
}

#[test]
fn a_status_line_of_ours_is_written_once_and_goes_with_undeploy() {
    let home = Home::new();
    let plan = home.with("claude", MINE);
    let set = || set_status_line(plan.agent, &plan.file, "/x/sprag statusline", Mode::Write).unwrap().outcome;
    assert_eq!(status_line(plan.agent, &plan.file, None), None);
    assert_eq!((set(), set()), (Outcome::Updated, Outcome::Unchanged));
    assert_eq!(status_line(plan.agent, &plan.file, None), Some(true));
    go(&plan);
    assert_eq!(back(&plan).outcome, Outcome::Restored);
    assert_eq!(text(&plan.file), MINE);
    fs::write(&plan.file, "{\"statusLine\": {\"command\": \"mine\"}}").unwrap();
    assert_eq!((set(), status_line(plan.agent, &plan.file, None)), (Outcome::Unchanged, Some(false)));
}
