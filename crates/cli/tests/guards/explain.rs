//! `sprag guard explain`: how a command is understood, and what every guard says to it with the active configuration.

use crate::cli_home::{Home, has_keys};

const CONFIG: &str = "preset = \"strict\"\n\
    [hook.command-guard]\nallow = [{ rule = \"git:clean\", reason = \"made again\" }]\n\
    [hook.permission-policy]\nrules = [\n\
    { decision = \"deny\", commands = [\"npm publish\"], reason = \"Only CI publishes.\" },\n\
    { decision = \"allow\", commands = [\"npm test\"], reason = \"Tests may run.\" },\n]\n";

const TEXT: &str = "\
commands
   1  cat .env
   2  sudo git reset --hard   (no effect of its own)
   3  git reset --hard   [sudo]
   4  git clean -fdx
   5  npm publish
effects
   1  reads ~/shop/.env (Project)
   3  git state of ~/shop: Reset
   3  git ResetHard: git reset --hard
   4  git state of ~/shop: Discard
   4  git Clean: git clean -fdx
rules
   3  ask git:reset-hard: This throws away changes that are not committed.
   4  ask git:clean: This deletes untracked files for good.
   5  ask packages:publish: This publishes or withdraws a package for everyone.
   1  sensitive env-file: .env (environment files hold passwords and API keys)
guards, with the active configuration
  command-guard      deny by git:reset-hard
                       This throws away changes that are not committed. Use `git stash`, or `git reset --soft`/`--mixed`.
  privacy-block      deny by privacy:env-file
                       This would read .env: environment files hold passwords and API keys. A command may use it unseen: `set -a; . FILE; set +a; COMMAND`. Its names alone: `cut -d= -f1 FILE`. Ask the user, and do not look for another way to the content. To open it for a while: `sprag approve ~/shop/.env`.
  session-taint      pass
  strict-rules       pass
  scout-block        pass
  permission-policy  deny by policy
                       Only CI publishes.
answer: deny by command-guard
when an agent was stopped: `sprag allow last` lets exactly that call through, `sprag why last` explains it
";

#[test]
fn every_guard_says_its_part() {
    let home = Home::new();
    home.write(".config/sprag/config.toml", CONFIG);
    let command = "cat .env; sudo git reset --hard\ngit clean -fdx && npm publish";
    let text = home.run(&["guard", "explain", command]).ok();
    let text = text.replace(&home.path().display().to_string(), "~");
    assert_eq!(text, TEXT);
}

#[test]
fn what_is_off_in_the_shadow_allowed_or_approved_shows() {
    let home = Home::new();
    home.write(".config/sprag/config.toml", CONFIG);
    let text = home.run(&["guard", "explain", "npm test"]).ok();
    assert!(
        text.contains("permission-policy  allow\n") && text.ends_with("answer: allow by permission-policy\n"),
        "{text}"
    );
    let text = home.run(&["guard", "explain", "git clean -fdx"]).ok();
    assert!(text.ends_with("answer: pass: the agent's own permissions decide\n"), "{text}");
    home.write(
        ".config/sprag/config.toml",
        "preset = \"minimal\"\n[hook.command-guard]\nmode = \"shadow\"\n",
    );
    let text = home.run(&["guard", "explain", "rm -rf /"]).ok();
    assert!(
        text.contains("command-guard      deny by filesystem:rm-root (in shadow mode: it changes nothing)"),
        "{text}"
    );
    assert!(text.contains("scout-block        off\n") && text.contains("answer: pass"), "{text}");
    home.outside(&["approve", ".env", "--yes"]).ok();
    let text = home.run(&["guard", "explain", "cat .env"]).ok();
    assert!(
        text.contains("privacy-block      pass\n") && text.contains("may be read, by an approval"),
        "{text}"
    );
}

#[test]
fn the_same_as_json() {
    let home = Home::new();
    let said = home.run(&["guard", "explain", "--json", "rm -rf /"]).json();
    has_keys(&said, &["verdict", "rule", "reason", "hooks", "explanation"]);
    assert_eq!(said["verdict"], "deny");
    assert_eq!(said["rule"], "filesystem:rm-root");
    has_keys(&said["hooks"][0], &["hook", "verdict", "rule", "reason", "shadow"]);
    assert_eq!(home.run(&["guard", "explain", "--json", "ls"]).json()["verdict"], "allow");
}
