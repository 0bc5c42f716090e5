//! `sprag serve` in a real browser, beside the real agent: what happens is on the page at once, and what a person answers there
//! reaches exactly the call that waits.

use serde_json::{Value, json};
use sprag_e2e::World;
use sprag_testkit::{Agent, Browser, Cmd, Running, Sandbox, or_skip, skip, sprag_bin, text};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const STANDARD: &str = "version = 1\npreset = \"standard\"\n";
const REMOTE: &str = "version = 1\npreset = \"standard\"\n[approvals]\nremote = true\nwait = \"5m\"\n";
const SCREENS: [&str; 9] =
    ["/", "/events", "/guards", "/approvals", "/memory", "/lessons", "/tasks", "/cost", "/health"];

/// A server that runs, with what it printed.
pub(crate) struct Page {
    _running: Running,
    link: String,
    code: String,
}

impl Page {
    /// Starts `sprag serve` as a person would, before any agent is at work.
    pub(crate) fn start(sandbox: &Sandbox, args: &str) -> Self {
        let said = sandbox.fresh_path("serve");
        let command = format!("exec '{}' serve {args} >'{}' 2>&1", sprag_bin().display(), said.display());
        let running = Cmd::new("sh")
            .args(["-c", &command])
            .envs(sandbox.env())
            .cwd(sandbox.project())
            .timeout(Duration::from_secs(600))
            .spawn();
        let wanted = if args.contains("--allow-actions") { "through: " } else { "/?t=" };
        let end = Instant::now() + Duration::from_secs(60);
        let said = loop {
            let text = std::fs::read_to_string(&said).unwrap_or_default();
            if text.contains(wanted) && text.ends_with('\n') {
                break text;
            }
            assert!(Instant::now() < end, "the page does not start: {text}");
            std::thread::sleep(Duration::from_millis(20));
        };
        let word = |after: &str| {
            let (_, rest) = said.split_once(after).unwrap_or_default();
            rest.split_whitespace().next().unwrap_or_default().to_owned()
        };
        Self { _running: running, link: format!("http://{}", word("http://")), code: word("through: ") }
    }

    pub(crate) fn address(&self, path: &str) -> String {
        format!("{}{path}", self.link.split("/?t=").next().unwrap())
    }
}

fn browser() -> Option<Browser> {
    let browser = or_skip(Browser::start())?;
    browser.size(1280, 900);
    Some(browser)
}

#[test]
fn a_denied_command_appears_on_an_open_page_without_a_reload() {
    let Some(browser) = browser() else { return };
    let Some(world) = World::deployed(Agent::Claude, STANDARD, &[]) else { return };
    let page = Page::start(&world.sandbox, "");
    browser.open(&page.link);
    assert!(!browser.address().contains("t="), "the token is gone from the address");
    browser.open(&page.address("/events"));
    browser.wait_for("No events yet");
    browser.wait_for("live");
    browser.script(
        "window.here = true; window.seen = 0; new MutationObserver(() => { if (!window.seen && document.body.innerText.includes('precious')) window.seen = Date.now(); }).observe(document.body, {subtree: true, childList: true});",
        &[],
    );
    world.sandbox.write_home("precious/photo.txt", "mine");
    let _ = world.say("please").step(world.agent().shell("rm -rf ~/precious ~")).step(text("done")).go().ok();
    let shown = browser.wait_for("rm -rf ~/precious");
    assert!(shown.contains("deny") && shown.contains("filesystem:"), "{shown}");
    assert_eq!(browser.script("return window.here", &[]), true, "the page was not loaded again");
    assert_eq!(world.sandbox.read_home("precious/photo.txt"), "mine");
    let seen = browser.script("return window.seen", &[]).as_i64().unwrap();
    assert!(seen > 0, "it was there by itself");
    eprintln!("journaled {}, on the page {seen} ms since 1970", world.event("PreToolUse")["t"]);
}

#[test]
fn an_approval_in_the_browser_lets_exactly_that_call_run() {
    let Some(browser) = browser() else { return };
    let Some(world) = World::deployed(Agent::Claude, REMOTE, &[]) else { return };
    let page = Page::start(&world.sandbox, "--allow-actions");
    browser.open(&page.link);
    browser.open(&page.address("/approvals"));
    browser.wait_for("No agent waits");
    world.sandbox.write("README.md", "# Changed and not committed\n");
    world.sandbox.write("other.md", "untracked\n");
    let turn = world
        .say("please")
        .step(world.agent().shell("git reset --hard"))
        .step(world.agent().shell("git clean -fd"))
        .step(text("done"))
        .start();
    let asked = browser.wait_for("git reset --hard");
    assert!(asked.contains("git:reset-hard"), "{asked}");
    assert!(world.sandbox.read("README.md").contains("Changed"), "it waits");
    browser.type_into("input[name=code]", "000000x");
    browser.click("button.go");
    browser.wait_for("code from the terminal");
    assert!(world.sandbox.read("README.md").contains("Changed"), "a wrong code lets nothing through");
    browser.open(&page.address("/approvals"));
    browser.wait_for("git reset --hard");
    browser.type_into("input[name=code]", &page.code);
    browser.click("button.go");
    browser.wait_for("Done, and written to the journal");
    browser.wait_for("git clean -fd");
    assert!(!world.sandbox.read("README.md").contains("Changed"), "the first call ran");
    browser.click("button.no");
    let outcome = turn.wait().ok();
    assert_eq!(world.sandbox.read("other.md"), "untracked\n", "the second did not");
    let told: Vec<String> = outcome.tool_results().iter().map(|result| result.text.clone()).collect();
    assert!(told.last().unwrap().contains("A person denied this"), "{told:?}");
    let calls = world.events("PreToolUse");
    let verdicts: Vec<&Value> = calls.iter().map(|entry| &entry["verdict"]).collect();
    assert_eq!(verdicts, ["allow", "deny"]);
}

/// axe-core, from npm.
fn axe() -> Option<String> {
    let tools = std::env::var_os("SPRAG_TOOLS_DIR").map(PathBuf::from)?;
    std::fs::read_to_string(tools.join("node_modules/axe-core/axe.min.js")).ok()
}

/// Serious findings of axe-core on the page that is open.
fn findings(browser: &Browser, axe: &str) -> Vec<String> {
    browser.script(axe, &[]);
    let found = browser.script_later(
        "const done = arguments[arguments.length - 1]; axe.run().then(r => done(r.violations.map(v => [v.impact, v.id, v.nodes.map(n => n.html).join(' ').slice(0, 300)])))",
        &[],
    );
    let rows = found.as_array().cloned().unwrap_or_default();
    let serious = rows.iter().filter(|row| row[0] == "serious" || row[0] == "critical");
    serious.map(|row| format!("{} {}: {}", row[0], row[1], row[2])).collect()
}

/// Each screen: nothing is wider than the page, whatever its width, and nobody is shut out. With `SPRAG_SCREENSHOTS` pictures
/// are written there, for the documentation.
fn look(browser: &Browser, page: &Page, theme: &str, axe: Option<&str>, pictures: Option<&Path>) {
    browser.open(&page.link);
    browser.script("localStorage.setItem('sprag-theme', arguments[0])", &[theme.into()]);
    for screen in SCREENS {
        browser.size(1280, 900);
        browser.open(&page.address(screen));
        browser.wait_for("sprag");
        let errors = axe.map(|axe| findings(browser, axe)).unwrap_or_default();
        assert!(errors.is_empty(), "{screen}, {theme}: {errors:#?}");
        if let Some(folder) = pictures {
            let name = if screen == "/" { "now" } else { screen.trim_start_matches('/') };
            browser.picture(&folder.join(format!("page-{name}.png")));
        }
        // A window has a least width; a frame in it has none.
        for width in [400, 2000] {
            browser.size(width.max(500), 900);
            let wide = browser.script(
                "document.body.style.width = arguments[0] + 'px'; return document.documentElement.scrollWidth - Math.max(arguments[0], innerWidth)",
                &[width.into()],
            );
            assert!(wide.as_i64().unwrap_or(0) <= 0, "{screen} at {width}: {wide} px too wide");
        }
    }
}

#[test]
fn every_screen_fits_and_is_accessible_empty_and_filled() {
    let Some(browser) = browser() else { return };
    let axe = axe();
    if axe.is_none() {
        skip("no axe-core: accessibility is not looked at");
    }
    let empty = Sandbox::with_git();
    look(&browser, &Page::start(&empty, ""), "dark", axe.as_deref(), None);
    let filled = Sandbox::with_git();
    fill(&filled);
    let pictures = std::env::var_os("SPRAG_SCREENSHOTS").map(PathBuf::from);
    let page = Page::start(&filled, "");
    look(&browser, &page, "light", axe.as_deref(), pictures.as_deref());
    browser.size(1280, 900);
    browser.open(&page.address("/"));
    browser.keys("ge");
    browser.wait_for("Timeline");
    assert!(browser.address().ends_with("/events"), "keys lead to a screen");
    browser.click("#events tbody td.time a");
    browser.wait_for("What each hook said");
    let errors = axe.as_deref().map(|axe| findings(&browser, axe)).unwrap_or_default();
    assert!(errors.is_empty(), "an event: {errors:#?}");
    browser.open(&page.address("/guards?command=rm+-rf+~"));
    browser.wait_for("filesystem:rm-home");
}

/// Something of everything, made by the program itself.
fn fill(sandbox: &Sandbox) {
    let run = |args: &[&str]| {
        let _ = sprag_testkit::sprag(sandbox, args.iter().copied()).run().ok();
    };
    run(&["init", "--yes"]);
    let cwd = sandbox.project().display().to_string();
    let commands = [
        "cargo test", "git status", "rm -rf ~/", "cat .env", "git push --force", "git reset --hard", "ls -la",
    ];
    for (number, command) in commands.iter().cycle().take(21).enumerate() {
        let session = format!("0a1b2c3d-{:04}-4a3b-9c8d-0123456789ab", number / 7);
        let call = json!({"hook_event_name": "PreToolUse", "session_id": session, "cwd": cwd, "tool_name": "Bash",
            "tool_use_id": format!("toolu_{number}"), "tool_input": {"command": command}});
        let hook = sprag_testkit::sprag(sandbox, ["hook", "--agent", "claude"]);
        let _ = hook.stdin(call.to_string()).run();
    }
    run(&["memory", "add", "Staging only answers inside the VPN: `vpn up blue` first.", "--tag", "deploy"]);
    run(&["memory", "add", "Totals are rounded once, at the end of the cart.", "--kind", "decision"]);
    run(&["task", "create", "Port the parser", "--goal", "the old one is gone"]);
    run(&["task", "create", "Write the migration guide"]);
}
