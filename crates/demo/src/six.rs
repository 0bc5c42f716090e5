//! Six scenes in 25 lines: what an agent tries, and what sprag answers.

use super::scene::Scene;
use super::script::{Step, step};
use super::{Played, event};
use serde_json::{Value, json};
use sprag_coord::store::micros;
use sprag_memory::memories;
use sprag_memory::recall::Draft;
use sprag_protocol::Decision;
use sprag_store::Opening;
use sprag_terminal::when;
use sprag_terminal::{Out, Tone, cut};

/// A scene that was played.
pub(super) struct Shot {
    title: &'static str,
    who: &'static str,
    tries: &'static str,
    /// Says which line of the answer is the point.
    point: &'static str,
    events: Vec<Played>,
}

/// One event of a scene, and a file that is written before it.
struct Act {
    step: Step,
    file: Option<(&'static str, &'static str)>,
}

fn act(step: Step) -> Act {
    Act { step, file: None }
}

fn bash(id: &str, command: &str) -> Act {
    let input = json!({ "command": command });
    act(step("claude/PreToolUse.Bash").with("tool_input", input).with("tool_use_id", id))
}

const MEMORY: &str = "Staging only answers inside the VPN: `vpn up blue` first.";
const BROKEN: &str = "def total(items):\n    return sum(i.price * i.qty for i in items\n";
const PATCH: &str = "*** Begin Patch\n*** Update File: src/cart.py\n@@\n-def total(items):\n+def total(cart):\n*** End Patch\n";

/// Plays the scenes, one after the other, in one home.
pub(super) fn play(scene: &Scene) -> anyhow::Result<Vec<Shot>> {
    let now = micros(scene.host.clock.now());
    let draft = Draft { text: MEMORY.to_owned(), scope: "user".to_owned(), ..Draft::default() };
    memories::open(&scene.host, Opening::WORKER)?.remember(&draft, now)?;
    let edit = |name: &'static str| step(name).with("tool_use_id", "toolu_edit");
    let prompt = |text: &str| act(step("claude/UserPromptSubmit").with("prompt", text));
    let scenes: [(&str, &str, &str, &str, Vec<Act>); 6] = [
        (
            "A home directory survives a stray space",
            "claude",
            "$ rm -rf ~/ .cache/build",
            "home",
            vec![act(step("claude/SessionStart.startup")), bash("toolu_1", "rm -rf ~/ .cache/build")],
        ),
        (
            "A secret stays out of the conversation",
            "claude",
            "$ cat .env",
            ".env",
            vec![bash("toolu_2", "cat .env")],
        ),
        ("A mistake is made once", "claude", "$ git stash", "git stash", vec![bash("toolu_3", "git stash")]),
        (
            "\"Done\" has to compile",
            "claude",
            "edits src/cart.py, then: \"Done, the total is fixed.\"",
            "src/cart.py:",
            vec![
                prompt("fix the total of the cart"),
                Act { step: edit("claude/PostToolUse.Edit"), file: Some(("src/cart.py", BROKEN)) },
                act(step("claude/Stop")),
            ],
        ),
        (
            "What was learned last month is there today",
            "user",
            "\"why is the staging server not reachable?\"",
            "VPN",
            vec![prompt("why is the staging server not reachable?")],
        ),
        (
            "Two agents do not overwrite each other",
            "codex",
            "wants to patch src/cart.py while claude edits it",
            "src/cart.py",
            vec![
                act(edit("claude/PreToolUse.Edit")),
                act(step("codex/SessionStart.startup")),
                act(step("codex/PreToolUse.apply_patch").with("tool_input", json!({ "command": PATCH }))),
            ],
        ),
    ];
    let mut shots = Vec::new();
    for (title, who, tries, point, acts) in scenes {
        let mut events = Vec::new();
        for act in acts {
            if let Some((name, text)) = act.file {
                scene.write(name, text)?;
            }
            events.push(event(scene, &act.step, 1));
        }
        shots.push(Shot { title, who, tries, point, events });
    }
    Ok(shots)
}

impl Shot {
    /// What sprag said in the end: the hook, the verdict in a word, the text.
    fn answer(&self, scene: &Scene) -> (String, &'static str, String) {
        let Some(Played { answer, .. }) = self.events.last() else { return Default::default() };
        let verdict = &answer.verdict;
        let word = match verdict.decision {
            Decision::Deny => "denied",
            Decision::Ask => "asks you",
            Decision::Block => "held the turn",
            _ if verdict.context.is_some() => "told the model",
            _ => "passed",
        };
        let said = |run: &&sprag_runtime::journal::Run| run.verdict != "pass" || run.chars > 0;
        let hook = answer.entry.runs.iter().rev().find(said).map_or_else(String::new, |run| run.hook.clone());
        let text = verdict.reason.as_ref().or(verdict.context.as_ref()).cloned().unwrap_or_default();
        (hook, word, scene.plain(&text))
    }

    fn us(&self) -> u64 {
        self.events.last().map_or(0, |played| played.answer.entry.us)
    }

    pub(super) fn json(&self, scene: &Scene) -> Value {
        let (hook, word, text) = self.answer(scene);
        json!({
            "title": self.title, "who": self.who, "tries": self.tries, "hook": hook, "answer": word, "text": text,
            "us": self.us(),
        })
    }
}

pub(super) fn show(scene: &Scene, shots: &[Shot], out: &Out) {
    out.heading("sprag demo: six scenes in a scratch home. No agent, no key, no network.");
    let room = out.width().min(110);
    for (number, shot) in shots.iter().enumerate() {
        let (hook, word, text) = shot.answer(scene);
        let tone = if matches!(word, "denied" | "held the turn") { Tone::Bad } else { Tone::Warn };
        let by = out.paint(Tone::Dim, &format!("({hook}, {})", when::micros(shot.us())));
        out.line(&format!("{}  {by}", out.paint(Tone::Strong, &format!("{}  {}", number + 1, shot.title))));
        out.line(&format!("   {:<8}{}", shot.who, shot.tries));
        let line =
            text.lines().find(|line| line.contains(shot.point)).or(text.lines().next()).unwrap_or_default();
        let line = cut(line.trim().trim_start_matches("- "), room.saturating_sub(word.len() + 13));
        out.line(&format!("   {:<8}{}: {line}", "sprag", out.paint(tone, word)));
    }
    let mut times: Vec<u64> =
        shots.iter().flat_map(|shot| &shot.events).map(|played| played.answer.entry.us).collect();
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    out.line("");
    out.line(&format!(
        "{} events, median {}. The scratch home is gone; yours was not touched.",
        times.len(),
        when::micros(median)
    ));
    out.line(&out.paint(Tone::Dim, "A whole session with every hook, text and file: sprag demo --verbose"));
    out.line("Next: sprag init, then start your agent.");
}
