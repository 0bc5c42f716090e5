//! `sprag test` as a person sees it: what fails is shown, what is wrong in a file is named.

use crate::common::{Home, has};
use serde_json::Value;

const DENIED_AT_TWO: &str = r#"
hook = "tool-loop"
world.config.hook.tool-loop = { warn_at = 2, block_at = 3 }

[[case]]
name = "wrong everywhere"
recorded = "claude/PreToolUse.Bash"
repeat = 2
[case.expect]
verdict = "deny"
reason = "no such reason"
context_not = "2 times"
output = { hookSpecificOutput = { hookEventName = "PreToolUse", additionalContext = "another text" } }
files = { "made.txt" = "x", "there.txt" = { equals = "one\nTWO\nthree\n" } }
jobs = ["prune"]
max_chars = 3
[case.world.files]
"there.txt" = "one\ntwo\nthree\n"
"#;

#[test]
fn a_wrong_expectation_is_shown_as_a_readable_diff() {
    let home = Home::new();
    home.write("wrong.hook.toml", DENIED_AT_TWO);
    let ran = home.run(&["test", "wrong.hook.toml"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    let expected = r#"FAIL wrong.hook.toml:9: wrong everywhere (claude, round 2 of 2)
  verdict
    expected  deny
    got       pass
  reason
    expected  contains "no such reason"
    got       nothing
  context
    expected  does not contain "2 times"
    got       "[sprag:tool-loop] Bash (the same call 2 times with the same result). If nothing changed, try another way or say what is missing."
  output
    - expected, + got
      {
        "hookSpecificOutput": {
          "hookEventName": "PreToolUse",
    -     "additionalContext": "another text"
    +     "additionalContext": "[sprag:tool-loop] Bash (the same call 2 times with the same result). If nothing changed, try another way or say what is missing."
        }
      }
  size
    expected  at most 3 characters
    got       128
  jobs
    expected  prune
    got       nothing
  file made.txt
    expected  is there
    got       is not there; /home/dev/shop has there.txt
  file there.txt
    - expected, + got
      one
    - TWO
    + two
      three
  journal: tool-loop: pass; 128 characters

0 passed, 1 failed, 0 skipped
"#;
    assert_eq!(ran.out, expected, "{}", ran.out);
}

#[test]
fn a_scripted_model_answers_in_order_and_what_it_was_asked_is_compared() {
    let home = Home::new();
    home.write(
        "model.hook.toml",
        r#"
hook = "polite"
world.config.hook.polite = { type = "prompt", prompt = "Is it polite?", cache_s = 0 }
world.model = ['{"ok": false, "reason": "rude"}', '{"ok": true}']
[[case]]
name = "right"
steps = [
  { event = "UserPromptSubmit", payload = { prompt = "do it" }, expect = { verdict = "block", reason = "rude", asked = "do it", asks = 1 } },
  { event = "UserPromptSubmit", payload = { prompt = "please" }, repeat = 2, expect_each = { verdict = "pass", asks = 1 } },
]
[[case]]
name = "wrong"
event = "UserPromptSubmit"
payload = { prompt = "do it" }
expect = { asks = 2, asked = "something else", asked_not = "Is it polite?" }
"#,
    );
    let ran = home.run(&["test", "model.hook.toml"]);
    assert!(ran.out.ends_with("1 passed, 1 failed, 0 skipped\n"), "{}", ran.out);
    for part in [
        "  asks\n    expected  2\n    got       1\n",
        "contains \"something else\"",
        "does not contain \"Is it polite?\"",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
}

#[test]
fn a_bad_file_is_named_and_the_others_still_run() {
    let home = Home::new();
    home.write("t/bad.hook.toml", "hook = \"tool-loop\"\n\n[[case]]\nname = \"x\"\nevent = \"Stop\"\n[case.expect]\nverdct = \"pass\"\n");
    home.write("t/broken.hook.toml", "hook = \"tool-loop\"\n[[case]\n");
    home.write(
        "t/good.hook.toml",
        "hook = \"tool-loop\"\n[[case]]\nname = \"x\"\nevent = \"PreToolUse\"\nexpect.silent = true\n",
    );
    let ran = home.run(&["test", "t"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.out.contains(
            "FAIL t/bad.hook.toml:7: unknown key in [case.expect] `verdct`\n  did you mean `verdict`?"
        ),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("FAIL t/broken.hook.toml:2: not valid TOML"), "{}", ran.out);
    assert!(ran.out.ends_with("\n1 passed, 2 failed, 0 skipped\n"), "{}", ran.out);
}

#[test]
fn snapshots_are_compared_and_rewritten_on_request() {
    let home = Home::new();
    let text = "hook = \"tool-loop\"\n[[case]]\nname = \"Second call\"\nevent = \"PreToolUse\"\n\
        payload = { tool_name = \"Bash\", tool_input = { command = \"ls\" } }\nrepeat = 2\n\
        world.config.hook.tool-loop = { warn_at = 2 }\nexpect = { snapshot = true }\n";
    home.write("a.hook.toml", text);
    let missing = home.run(&["test", "a.hook.toml"]);
    assert_eq!(missing.code, 1);
    assert!(missing.out.contains("snapshot a.snap/second-call.txt is not there"), "{}", missing.out);
    assert!(missing.out.contains("`sprag test --update`"), "{}", missing.out);
    assert_eq!(home.run(&["test", "a.hook.toml", "--update"]).code, 0);
    assert!(
        home.read("a.snap/second-call.txt")
            .contains("\"additionalContext\": \"[sprag:tool-loop] Bash (the same call 2 times")
    );
    assert_eq!(home.run(&["test", "a.hook.toml"]).code, 0);
    home.write("a.snap/second-call.txt", "{\n  \"old\": true\n}\n");
    let differs = home.run(&["test", "a.hook.toml"]);
    assert_eq!(differs.code, 1);
    assert!(differs.out.contains("    -   \"old\": true"), "{}", differs.out);
}

#[test]
fn an_agent_that_cannot_is_skipped_and_one_that_can_answers_in_its_own_words() {
    let home = Home::new();
    let text = "hook = \"tool-loop\"\n\
        [[case]]\nname = \"a subagent\"\nevent = \"SubagentStart\"\nexpect.silent = true\n\
        [[case]]\nname = \"a denial\"\nevent = \"PreToolUse\"\nrepeat = 3\n\
        payload = { tool_name = \"Bash\", tool_input = { command = \"ls\" } }\n\
        world.config.hook.tool-loop = { warn_at = 2, block_at = 3 }\n\
        [case.expect]\nverdict = \"deny\"\n\
        on.gemini.output = { decision = \"deny\", reason = \"wrong\" }\n";
    home.write("a.hook.toml", text);
    let ran = home.run(&["test", "a.hook.toml", "--agent", "gemini"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.out.contains("a subagent (gemini): the agent cannot: gemini has no event SubagentStart"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("-   \"reason\": \"wrong\"")
            && ran.out.contains("+   \"reason\": \"sprag blocked this (tool-loop, ID;"),
        "{}",
        ran.out
    );
    assert!(ran.out.ends_with("0 passed, 1 failed, 1 skipped\n"), "{}", ran.out);
    let codex = home.run(&["test", "a.hook.toml", "--agent", "codex"]);
    assert_eq!((codex.code, codex.out.lines().last()), (0, Some("2 passed, 0 failed, 0 skipped")));
    assert_eq!(home.run(&["test", "a.hook.toml", "--agent", "nobody"]).code, 2);
}

#[test]
fn external_hooks_in_any_language_lie_beside_their_cases() {
    let home = Home::new();
    home.write(
        "h/guard.sh",
        "case \"$(cat)\" in *secret*) echo \"no secrets in $SPRAG_AGENT\" >&2; exit 2;; esac\n\
         echo \"$SPRAG_EVENT $PWD $MODE\" >> \"$HOME/seen\"\n",
    );
    home.write("h/crash.sh", "echo boom >&2; exit 3\n");
    home.write("h/own.txt", "cat > /dev/null; echo '{\"systemMessage\":\"hello\"}'\n");
    home.write(
        "h/all.hook.toml",
        r#"
hook = "guard"

[[case]]
name = "exit code 2 is a denial, in every agent's spelling"
agents = ["claude", "codex", "gemini"]
event = "PreToolUse"
payload = { tool_name = "Bash", tool_input = { command = "cat secret" } }
expect = { verdict = "deny", reason_matches = "^sprag blocked this .guard, ID; allow once: sprag allow ID.: no secrets in (claude|codex|gemini)[.] " }

[[case]]
name = "it sees the case's world"
event = "PreToolUse"
payload = { tool_name = "Bash", tool_input = { command = "ls" } }
world.env = { MODE = "strict" }
expect = { silent = true, files = { "~/seen" = { equals = "PreToolUse /home/dev/shop strict\n" } } }

[[case]]
name = "a crash is a failure unless it is expected"
hook = "crash"
event = "Stop"
expect = { verdict = "pass", journal = ["crash: pass", "exit code 3: boom"] }

[[case]]
name = "a crash that nobody expects"
hook = "crash"
event = "Stop"
expect = { verdict = "pass" }

[[case]]
name = "a command with files beside the case file"
hook = "mine"
world.config.hook.mine = { command = ["sh", "own.txt"] }
event = "Stop"
expect = { message = "hello" }

[[case]]
name = "a hook that is not there"
hook = "tool-lop"
event = "Stop"
expect = { silent = true }
"#,
    );
    let ran = home.run(&["test", "h"]);
    assert!(
        ran.out
            .contains("a crash that nobody expects (claude)\n  a hook failed\n    crash: exit code 3: boom"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("there is no hook `tool-lop`; did you mean `tool-loop`?"), "{}", ran.out);
    assert!(ran.out.ends_with("6 passed, 2 failed, 0 skipped\n"), "{}", ran.out);
}

#[test]
fn the_world_is_what_the_case_says() {
    let home = Home::new();
    home.write(
        "h/look.sh",
        "cat > /dev/null\ncd \"$CLAUDE_PROJECT_DIR\" || exit 1\n\
         { cat a.txt; readlink b; stat -c %a run.sh; git log --format=%s:%an:%cI 2>/dev/null; \
           git status --porcelain 2>/dev/null; git branch --show-current 2>/dev/null; echo \"$SPRAG_NOW\"; } > out\n",
    );
    home.write("h/fixture.txt", "from /home/dev/shop\n");
    let git = has("git");
    let text = r#"
hook = "look"
[[case]]
name = "files, links, modes, times and history"
steps = [
  { event = "Stop" },
  { event = "Stop", advance = "61s", files = { "a.txt" = "later\n" } },
]
[case.world]
clock = 2026-11-15T09:00:00Z
[case.world.files]
"a.txt" = { from = "fixture.txt" }
"b" = { link = "/home/dev/elsewhere" }
"run.sh" = { text = "x", mode = 0o751 }
[case.world.git]
branch = "feature"
commits = [{ message = "first", files = { "c.txt" = "1" } }, { message = "second", files = { "c.txt" = "2" } }]
dirty = { "c.txt" = "3" }
[case.expect.files]
"b" = { link = "/home/dev/elsewhere" }
"nothing" = { absent = true }
"out" = { contains = ["later\n/home/dev/elsewhere\n751\n", "second:Dev:2026-11-15T09:00:00", "first:Dev", " M c.txt", "feature\n", "2026-11-15T09:01:01"] }
"#;
    home.write("h/a.hook.toml", text);
    let ran = home.run(&["test", "h"]);
    if git {
        assert_eq!(ran.code, 0, "{}", ran.out);
    } else {
        assert!(ran.out.contains("no `git` on the PATH"), "{}", ran.out);
    }
}

#[test]
fn bytes_that_are_no_payload_can_be_sent() {
    let home = Home::new();
    home.write(
        "a.hook.toml",
        "hook = \"tool-loop\"\n[[case]]\nname = \"x\"\nstdin = \"{ broken\"\nexpect = { silent = true, journal = \"not JSON\" }\n\
         [[case]]\nname = \"y\"\nevent = \"PreToolUse\"\npayload = '{\"tool_name\": null, \"cwd\": null}'\nremove = [\"session_id\"]\nexpect.silent = true\n",
    );
    let ran = home.run(&["test", "a.hook.toml"]);
    assert_eq!(ran.out, "2 passed, 0 failed, 0 skipped\n");
}

#[test]
fn reports_for_machines() {
    let home = Home::new();
    home.write("wrong.hook.toml", DENIED_AT_TWO.replace("no such reason", "<&\\\"'\\u0007>").as_str());
    home.write("bad.hook.toml", "nothing = 1\n");
    home.write("ok.hook.toml", "hook = \"tool-loop\"\n[[case]]\nname = \"<ok> & \\\"fine\\\"\"\nevent = \"SubagentStart\"\nagents = [\"claude\", \"gemini\"]\nexpect.silent = true\n");
    let ran = home.run(&["test", ".", "--junit", "report.xml", "--json", "-j", "3"]);
    assert_eq!(ran.code, 1);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&report["passed"], &report["failed"], &report["skipped"]), (&1.into(), &2.into(), &1.into()));
    assert_eq!(report["faults"][0]["line"], 1);
    let case = report["cases"].as_array().unwrap().iter().find(|case| case["status"] == "failed").unwrap();
    assert_eq!((&case["name"], &case["agent"]), (&"wrong everywhere".into(), &"claude".into()));
    assert_eq!(case["failures"][0]["mismatches"][0]["what"], "verdict");
    let xml = home.read("report.xml");
    well_formed(&xml);
    assert!(xml.contains("tests=\"4\" failures=\"2\" skipped=\"1\""), "{xml}");
}

/// Tags are closed in order, attributes are quoted, and nothing but known entities stands between.
fn well_formed(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = xml.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>").unwrap();
    while let Some(at) = rest.find('<') {
        text(&rest[..at]);
        // `>` never stands in an attribute: it is escaped there.
        let end = at + rest[at..].find('>').unwrap();
        let tag = &rest[at + 1..end];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else {
            let own = tag.ends_with('/');
            let tag = tag.trim_end_matches('/');
            let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
            assert_eq!(attributes.matches('"').count() % 2, 0, "{tag}");
            text(attributes);
            if !own {
                open.push(name);
            }
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest:?}");

    fn text(text: &str) {
        assert!(
            !text.contains('<') && !text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'),
            "{text:?}"
        );
        for part in text.split('&').skip(1) {
            assert!(["amp;", "lt;", "gt;", "quot;"].iter().any(|known| part.starts_with(known)), "{part}");
        }
    }
}

#[test]
fn a_thousand_cases() {
    let home = Home::new();
    let mut text = "hook = \"tool-loop\"\n".to_owned();
    for number in 0..1000 {
        text.push_str(&match number % 4 {
            0 => format!("[[case]]\nname = \"call {number}\"\nevent = \"PreToolUse\"\npayload = {{ tool_name = \"Bash\", tool_input = {{ command = \"ls {number}\" }} }}\nexpect.silent = true\n"),
            1 => format!("[[case]]\nname = \"loop {number}\"\nrecorded = \"claude/PreToolUse.Bash\"\nrepeat = 15\nexpect = {{ verdict = \"deny\", reason = \"15 times\" }}\n"),
            2 => format!("[[case]]\nname = \"preset {number}\"\nhooks = [\"preset\"]\nrecorded = \"claude/PreToolUse.Edit\"\nworld.files = {{ \"src/cart.py\" = \"x = {number}\" }}\nworld.git = {{ branch = \"b{number}\" }}\nexpect.verdict = \"pass\"\n"),
            _ => format!("[[case]]\nname = \"configured {number}\"\nrecorded = \"gemini/BeforeTool.run_shell_command\"\nworld.config.hook.tool-loop = {{ warn_at = 2 }}\nrepeat = 2\nexpect = {{ context = \"2 times\", lost = [\"context waits\"] }}\n"),
        });
    }
    home.write("many.hook.toml", &text);
    let started = std::time::Instant::now();
    let ran = home.run(&["test", "many.hook.toml"]);
    println!("1,000 cases in {:?}", started.elapsed());
    assert_eq!(ran.out, "1000 passed, 0 failed, 0 skipped\n");
}

#[test]
fn the_places_that_are_looked_at_and_what_is_said_when_there_is_nothing() {
    let home = Home::new();
    let ran = home.run(&["test"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("sprag hooks new NAME"), "{}", ran.err);
    assert!(home.run(&["test", "nowhere"]).err.contains("nowhere is not there"));
    let case = "hook = \"tool-loop\"\n[[case]]\nname = \"x\"\nevent = \"PreToolUse\"\nexpect.silent = true\n";
    home.write("shop/.sprag/tests/deep/a.hook.toml", case);
    home.write("shop/.sprag/hooks/b.hook.toml", case);
    home.write(".config/sprag/hooks/c.hook.toml", case);
    let ran = home.run_with(&["test"], b"", &home.path("shop"));
    assert_eq!(ran.out, "3 passed, 0 failed, 0 skipped\n", "{}", ran.err);
    let ran = home.run_with(&["test", "--filter", "deep"], b"", &home.path("shop"));
    assert_eq!(ran.out, "1 passed, 0 failed, 0 skipped\n");
    assert!(
        home.run_with(&["test", "--filter", "zzz"], b"", &home.path("shop"))
            .err
            .contains("no case has `zzz`")
    );
    assert!(home.run(&["test", "--recordings"]).out.contains("\nclaude/PreToolUse.Bash\n"));
}

/// The example of the documentation runs as it stands there.
#[test]
fn the_documented_example_passes() {
    let home = Home::new();
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/testing.md");
    let text = std::fs::read_to_string(docs).unwrap();
    let example = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    home.write("h/no_force_push.hook.toml", example);
    home.write(
        "h/no_force_push.sh",
        "case \"$(cat)\" in *\"push --force\"*) ;; *) exit 0;; esac\n\
         branch=$(sed -n 's,ref: refs/heads/,,p' .git/HEAD)\n\
         [ \"$branch\" = main ] && { echo \"$branch is shared: no forced push\" >&2; exit 2; }\n",
    );
    let ran = home.run(&["test", "h"]);
    assert_eq!(ran.out, "4 passed, 0 failed, 0 skipped\n");
}
