//! `sprag serve` in a real browser, beside the real agent: what happens is on the page at once, and what a person answers there
//! reaches exactly the call that waits.

use serde_json::{Value, json};
use sprag_e2e::World;
use sprag_store::testing;
use sprag_testkit::{Agent, Browser, Cmd, Running, Sandbox, or_skip, skip, sprag_bin, text};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const STANDARD: &str = "version = 1\npreset = \"standard\"\n";
const REMOTE: &str = "version = 1\npreset = \"standard\"\n[approvals]\nremote = true\nwait = \"5m\"\n";
const SCREENS: [&str; 10] =
    ["/", "/events", "/guards", "/approvals", "/memory", "/lessons", "/tasks", "/code", "/cost", "/health"];

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

/// The dialog of the agent itself: a call that no guard minds, which Claude Code would ask about or refuse.
#[test]
fn the_agents_own_permission_dialog_is_answered_in_the_browser() {
    let Some(browser) = browser() else { return };
    let Some(world) = World::deployed(Agent::Claude, REMOTE, &[]) else { return };
    let page = Page::start(&world.sandbox, "--allow-actions");
    browser.open(&page.link);
    browser.open(&page.address("/approvals"));
    browser.wait_for("No agent waits");
    let turn = world
        .say("please")
        .asking()
        .args(["--permission-mode", "default"])
        .step(world.agent().shell("touch wanted.txt"))
        .step(world.agent().shell("touch unwanted.txt"))
        .step(text("done"))
        .start();
    browser.wait_for("touch wanted.txt");
    assert!(!world.sandbox.project().join("wanted.txt").exists(), "it waits");
    browser.type_into("input[name=code]", &page.code);
    browser.click("button.go");
    browser.wait_for("Done, and written to the journal");
    browser.wait_for("touch unwanted.txt");
    assert!(world.sandbox.project().join("wanted.txt").exists(), "exactly that call ran");
    browser.click("button.no");
    let _ = turn.wait().ok();
    assert!(!world.sandbox.project().join("unwanted.txt").exists(), "the second did not");
    let asked = world.events("PermissionRequest");
    let verdicts: Vec<&Value> = asked.iter().map(|entry| &entry["verdict"]).collect();
    assert_eq!(verdicts, ["allow", "deny"], "{asked:#?}");
}

/// One store for two machines: the page of one shows the sessions, memories and tasks of both, and changes them.
#[test]
fn with_postgresql_the_page_shows_every_machine() {
    let Some(server) = testing::server() else { return };
    let Some(browser) = browser() else { return };
    let config = format!("{STANDARD}[store]\nurl = \"{}\"\nbudget_ms = 20000\n", server.database());
    let (near, far) = (Sandbox::with_git(), Sandbox::with_git());
    for sandbox in [&near, &far] {
        sandbox.write_home(".config/sprag/config.toml", &config);
    }
    let on_far =
        |args: &[&str]| sprag_testkit::sprag(&far, args.iter().copied()).env("SPRAG_HOST", "far-machine");
    let _ = on_far(&["store", "migrate"]).run().ok();
    let page = Page::start(&near, "--allow-actions");
    let file = far.project().join("cart.txt").display().to_string();
    let session = json!({"session_id": "0f0f0f0f-1111-4a3b-9c8d-0123456789ab", "cwd": far.project().display().to_string()});
    let start = json!({"hook_event_name": "SessionStart", "source": "startup"});
    let call = json!({"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_use_id": "toolu_1",
        "tool_input": {"file_path": file, "content": "x"}});
    for mut event in [start, call] {
        event.as_object_mut().unwrap().extend(session.as_object().unwrap().clone());
        let _ = on_far(&["hook", "--agent", "claude"]).stdin(event.to_string()).run().ok();
    }
    let _ = on_far(&["worker", "--once"]).run().ok();
    let _ = on_far(&["memory", "add", "The build machine has 96 GB."]).run().ok();
    let _ = on_far(&["task", "create", "Move the build"]).run().ok();
    let claims = on_far(&["claims", "list", "--json"]).run().ok().stdout;
    assert!(claims.contains("cart.txt"), "{claims} {}", far.read_home(".local/state/sprag/journal.jsonl"));
    browser.open(&page.link);
    browser.wait_for("on far-machine");
    for (screen, text) in [
        ("/tasks", "Move the build"),
        ("/health", "PostgreSQL"),
        ("/lessons", "To review"),
        ("/memory", "The build machine has 96 GB."),
    ] {
        browser.open(&page.address(screen));
        let shown = browser.wait_for(text);
        assert!(!shown.contains("cannot be read"), "{screen}: {shown}");
    }
    submit(&browser, "#memories form:has(button.no)", &[]);
    browser.wait_for("Done, and written to the journal");
    let left = on_far(&["memory", "list", "--json"]).run().ok().stdout;
    assert!(!left.contains("96 GB"), "forgotten on both: {left}");
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
        let narrow = std::env::var_os("SPRAG_SCREENSHOTS_ALL").map(PathBuf::from);
        // A window has a least width; a frame in it has none.
        for width in [400, 2000] {
            browser.size(width.max(500), 900);
            let wide = browser.script(
                "document.body.style.width = arguments[0] + 'px'; return document.documentElement.scrollWidth - Math.max(arguments[0], innerWidth)",
                &[width.into()],
            );
            assert!(wide.as_i64().unwrap_or(0) <= 0, "{screen} at {width}: {wide} px too wide");
            if let Some(folder) = &narrow {
                let name = if screen == "/" { "now" } else { screen.trim_start_matches('/') };
                browser.picture(&folder.join(format!("{name}-{theme}-{width}.png")));
            }
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
    // The first look reads the project and the transcripts.
    browser.open(&page.link);
    for (screen, text) in [("/code", "Most used files"), ("/cost", "Money by day")] {
        browser.open(&page.address(screen));
        browser.wait_for(text);
    }
    let page = Page { link: page.address(""), ..page };
    look(&browser, &page, "dark", axe.as_deref(), None);
    look(&browser, &page, "light", axe.as_deref(), pictures.as_deref());
    look_at_code(&browser, &page, axe.as_deref(), pictures.as_deref());
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

/// A symbol: who calls it as a picture, and how it goes.
fn look_at_code(browser: &Browser, page: &Page, axe: Option<&str>, pictures: Option<&Path>) {
    for theme in ["dark", "light"] {
        browser.script("localStorage.setItem('sprag-theme', arguments[0])", &[theme.into()]);
        browser.size(1280, 900);
        browser.open(&page.address("/code?q=Cart.pay"));
        let shown = browser.wait_for("Where its values go");
        assert!(shown.contains("checkout") && shown.contains("while total > 100"), "{shown}");
        let errors = axe.map(|axe| findings(browser, axe)).unwrap_or_default();
        assert!(errors.is_empty(), "a symbol, {theme}: {errors:#?}");
    }
    if let Some(folder) = pictures {
        browser.picture(&folder.join("page-code-symbol.png"));
    }
    // A box of the picture leads to its symbol, by the keyboard too.
    browser.script("document.querySelector('.calls a[href$=rate]').focus()", &[]);
    browser.script("document.activeElement.dispatchEvent(new MouseEvent('click', {bubbles: true}))", &[]);
    browser.wait_for("src/tax.py:1");
}

/// Fills in a form and sends it, as a browser does when its button is pressed: what a field does not take is not sent. In one step, so
/// that an update of the page does not come in between.
fn submit(browser: &Browser, form: &str, fields: &[(&str, &str)]) {
    let fields: serde_json::Map<String, Value> =
        fields.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    browser.script(
        "const form = document.querySelector(arguments[0]); for (const [name, value] of Object.entries(arguments[1])) form.elements[name].value = value; form.requestSubmit()",
        &[form.into(), fields.into()],
    );
}

#[test]
fn what_a_person_changes_on_the_page_is_changed() {
    let Some(browser) = browser() else { return };
    let sandbox = Sandbox::with_git();
    // Before an agent is at work: afterwards the page with actions needs a terminal.
    let page = Page::start(&sandbox, "--allow-actions");
    fill(&sandbox);
    browser.open(&page.link);
    browser.open(&page.address("/memory"));
    browser.script("document.querySelector('#memories a.mono').click()", &[]);
    browser.wait_for("What is known of it");
    let words = "Totals are rounded once, by Cart.pay.";
    submit(&browser, "#edit form", &[("text", words), ("code", &page.code)]);
    let shown = browser.wait_for("Previous versions");
    assert!(shown.contains(words) && shown.contains("Done"), "{shown}");
    browser.open(&page.address("/tasks"));
    browser.wait_for("Port the parser");
    let message = [("text", "commit before you go on"), ("code", page.code.as_str())];
    submit(&browser, "form[aria-label='Send a message']", &message);
    browser.wait_for("commit before you go on");
    browser.open(&page.address("/health"));
    browser.wait_for("Switch on");
    submit(&browser, "form:has(input[value=enable-bundle])", &[("code", &page.code)]);
    browser.wait_for("Done, and written to the journal");
    let config = sandbox.read_home(".config/sprag/config.toml");
    assert!(config.contains("enable = ["), "{config}");
    let logs = sprag_testkit::sprag(&sandbox, ["logs", "--json"]).run().ok().stdout;
    for text in ["changed memory", "sent a message to all", "switched bundle"] {
        assert!(logs.contains(text), "{text}: {logs}");
    }
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
    let made = ["task", "create", "Port the parser", "--goal", "the old one is gone", "--json"];
    let made = sprag_testkit::sprag(sandbox, made).run().ok().stdout;
    let made: Value = serde_json::from_str(&made).unwrap_or_default();
    run(&["task", "create", "Write the migration guide", "--after", made["id"].as_str().unwrap_or_default()]);
    run(&["say", "all", "The parser is mine until noon."]);
    code(sandbox);
    transcripts(sandbox);
}

/// A small project.
fn code(sandbox: &Sandbox) {
    sandbox.write("pyproject.toml", "[project]\nname = \"shop\"\n");
    sandbox.write(
        "src/tax.py",
        "def rate(total):\n    \"\"\"The tax on a total.\"\"\"\n    return 1.2 if total > 10 else 1.1\n",
    );
    sandbox.write(
        "src/cart.py",
        "from tax import rate\n\n\nclass Cart:\n    def __init__(self, items):\n        self.items = items\n\n    def pay(self, coupon):\n        \
         \"\"\"What is to be paid.\"\"\"\n        total = self.sum()\n        if coupon:\n            total -= coupon.value\n        \
         while total > 100:\n            total -= discount(total)\n        return round(total * rate(total), 2)\n\n    def sum(self):\n        \
         return sum(item.price for item in self.items)\n\n\ndef discount(total):\n    if total > 500:\n        return 10\n    return 1\n",
    );
    sandbox.write(
        "src/shop.py",
        "from cart import Cart\nfrom report import print_bill\n\n\ndef checkout(items, coupon=None):\n    cart = Cart(items)\n    \
         amount = cart.pay(coupon)\n    print_bill(amount)\n    return amount\n\n\ndef main():\n    checkout([])\n\n\nmain()\n",
    );
    sandbox.write(
        "src/report.py",
        "from tax import rate\n\n\ndef print_bill(amount):\n    print(line(amount, rate(amount)))\n\n\ndef line(amount, tax):\n    \
         return f\"{amount:.2f} (tax {tax})\"\n",
    );
    sandbox.write(
        "tests/test_cart.py",
        "from cart import Cart\n\n\ndef test_pay():\n    assert Cart([]).pay(None) == 0\n",
    );
    sandbox.write(
        "web/cart.ts",
        "export function badge(count: number): string {\n  return count > 9 ? '9+' : String(count);\n}\n",
    );
}

/// Two weeks of sessions, as Claude Code keeps them.
fn transcripts(sandbox: &Sandbox) {
    const DAY: u64 = 86_400;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let cwd = sandbox.project().display().to_string();
    for back in 0..14_u64 {
        let at = sprag_base::time::Stamp((now - back * DAY) * 1_000_000).to_string();
        let lines: Vec<String> = (0..3 + (back * 7) % 5)
            .map(|number| {
                let model = if number % 3 == 2 { "claude-haiku-4-5" } else { "claude-opus-4-8" };
                json!({"type": "assistant", "sessionId": format!("s{back}"), "cwd": cwd, "timestamp": at, "uuid": format!("u{back}-{number}"),
                    "gitBranch": if back % 3 == 0 { "fix/totals" } else { "main" },
                    "message": {"id": format!("m{back}-{number}"), "model": model, "role": "assistant", "content": [{"type": "text", "text": "done"}],
                        "usage": {"input_tokens": 4_000 + 900 * number, "cache_read_input_tokens": 160_000, "cache_creation_input_tokens": 9_000,
                            "output_tokens": 2_500 + 400 * ((back * 3 + number) % 7)}}})
                .to_string()
            })
            .collect();
        sandbox.write_home(format!(".claude/projects/shop/s{back}.jsonl"), &(lines.join("\n") + "\n"));
    }
}
