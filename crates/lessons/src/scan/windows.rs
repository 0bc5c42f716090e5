//! An error, and within the next turns its correction: by the model, with a call after it, or by the user.

use super::FoundLesson;
use super::signals::Signals;
use crate::model::Source;

/// Turns that are looked at together.
pub(super) const WINDOW: usize = 8;
/// The most characters of a problem or a solution.
const MAX_TEXT_CHARS: usize = 1_500;
/// Tools whose errors teach little: a file that is not there, a text that is not found.
const QUIET: [&str; 5] = ["Read", "Write", "Edit", "Glob", "LS"];

/// What a turn is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnKind {
    /// The user spoke.
    User,
    /// The model spoke.
    Assistant,
    /// The model called a tool: its name, and the command or the path.
    Call(String, String),
    /// A tool answered: its name, and whether it says that it failed.
    Result(String, bool),
}

/// One turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// What it is.
    pub kind: TurnKind,
    /// Its text.
    pub text: String,
    /// What tells it from others of the session.
    pub place: String,
    /// When, in microseconds.
    pub at: i64,
    /// Where its line begins.
    pub offset: u64,
}

/// The errors that were followed by a correction, each once.
pub fn find(turns: &[Turn]) -> Vec<FoundLesson> {
    let signals = Signals::get();
    let mut found = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        let TurnKind::Result(tool, failed) = &turn.kind else { continue };
        if QUIET.contains(&tool.as_str()) {
            continue;
        }
        let errors = signals.errors(&turn.text) + usize::from(*failed);
        if errors == 0 {
            continue;
        }
        let window = turns.get(at + 1..(at + WINDOW).min(turns.len())).unwrap_or_default();
        if let Some((correction, by_user)) = correction(window, signals) {
            let before = turns.get(at.saturating_sub(WINDOW)..at).unwrap_or_default();
            found.push(candidate(turn, tool, errors, correction, by_user, before, signals));
        }
    }
    found
}

/// The turn that corrects, and whether the user asked for it.
fn correction<'a>(window: &'a [Turn], signals: &Signals) -> Option<(&'a Turn, bool)> {
    for (at, turn) in window.iter().enumerate() {
        match turn.kind {
            TurnKind::Assistant if signals.corrections(&turn.text) > 0 => {
                let acted = window
                    .get(at + 1..)
                    .unwrap_or_default()
                    .iter()
                    .any(|turn| matches!(turn.kind, TurnKind::Call(..)));
                return acted.then_some((turn, false));
            }
            TurnKind::User if signals.user_corrections(&turn.text) > 0 => {
                let next = window.get(at + 1).filter(|next| next.kind == TurnKind::Assistant);
                return next.map(|_| (turn, true));
            }
            _ => {}
        }
    }
    None
}

fn candidate(
    error: &Turn,
    tool: &str,
    errors: usize,
    correction: &Turn,
    by_user: bool,
    before: &[Turn],
    signals: &Signals,
) -> FoundLesson {
    let trigger = before.iter().rev().find_map(|turn| match &turn.kind {
        TurnKind::Call(name, what) if name == tool && !what.is_empty() => Some(what.clone()),
        _ => None,
    });
    let mut tags = tags_of(tool, trigger.as_deref().unwrap_or_default());
    if signals.is_hang(&error.text) {
        tags.push("severity:hang".to_owned());
    }
    if signals.is_crash(&error.text) {
        tags.push("severity:crash".to_owned());
    }
    let mut confidence: f64 = 0.4;
    let mut priority = 3;
    if by_user {
        confidence += 0.15;
        priority += 1;
    }
    if errors >= 2 {
        confidence += 0.1;
    }
    if signals.corrections(&correction.text) >= 2 {
        confidence += 0.05;
    }
    let cut = |text: &str| text.trim().chars().take(MAX_TEXT_CHARS).collect::<String>();
    FoundLesson {
        source: Source::Heuristic,
        tool: Some(tool.to_owned()).filter(|tool| !tool.is_empty()),
        trigger,
        problem: cut(&error.text),
        solution: cut(&correction.text),
        priority: priority + severe(&tags),
        tags,
        confidence,
        place: error.place.clone(),
        at: error.at,
        ..FoundLesson::default()
    }
}

/// What a tag says about how bad it was.
pub(super) fn severe(tags: &[String]) -> u8 {
    let has = |words: &[&str]| tags.iter().any(|tag| words.iter().any(|word| tag.contains(word)));
    u8::from(has(&["severity:hang", "severity:timeout"]))
        + u8::from(has(&["severity:data-loss", "severity:silent"]))
}

fn tags_of(tool: &str, trigger: &str) -> Vec<String> {
    let mut tags = Vec::new();
    let first = trigger.split_whitespace().next().unwrap_or_default();
    if tool == "Bash"
        && !first.is_empty()
        && first.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
    {
        tags.push(format!("tool:{}", first.to_lowercase()));
    }
    const LANGUAGES: [(&str, &[&str]); 5] = [
        ("python", &["python", "pytest", "pip", "uv "]),
        ("javascript", &["node", "npm", "npx", "yarn", "pnpm", "vitest", "tsc"]),
        ("ruby", &["ruby", "bundle", "rake", "gem "]),
        ("go", &["go build", "go test", "go run", "go mod"]),
        ("rust", &["cargo", "rustc"]),
    ];
    for (language, words) in LANGUAGES {
        if words.iter().any(|word| trigger.contains(word)) {
            tags.push(format!("lang:{language}"));
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(kind: TurnKind, text: &str) -> Turn {
        Turn { kind, text: text.into(), place: text.into(), at: 1, offset: 0 }
    }

    fn call(command: &str) -> Turn {
        turn(TurnKind::Call("Bash".into(), command.into()), command)
    }

    fn result(text: &str) -> Turn {
        turn(TurnKind::Result("Bash".into(), false), text)
    }

    fn says(text: &str) -> Turn {
        turn(TurnKind::Assistant, text)
    }

    #[test]
    fn fault_27_one_error_is_one_candidate_however_far_the_window_slides() {
        let mut turns = vec![
            call("pytest -x"),
            result("Error: no module named shop\nExit code 2"),
            says("I see the problem: the path is wrong. Let me fix it"),
            call("PYTHONPATH=. pytest -x"),
            result("ok"),
        ];
        turns.extend((0..12).map(|n| says(&format!("going on {n}"))));
        let found = find(&turns);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert_eq!(found[0].trigger.as_deref(), Some("pytest -x"), "the trigger is not lost");
        assert_eq!(found[0].tags, ["tool:pytest", "lang:python"]);
        assert!((found[0].confidence - 0.55).abs() < 1e-9 && found[0].priority == 3);
    }

    #[test]
    fn a_correction_without_an_act_is_none_yet() {
        let turns = [call("x"), result("error"), says("let me fix it")];
        assert!(find(&turns).is_empty());
        let user =
            [call("x"), result("error: timeout"), turn(TurnKind::User, "no, don't use x"), says("right")];
        let found = find(&user);
        assert_eq!((found.len(), found[0].solution.as_str(), found[0].priority), (1, "no, don't use x", 5));
    }

    #[test]
    fn files_that_are_not_there_teach_nothing() {
        let quiet = turn(TurnKind::Result("Read".into(), true), "Error: No such file or directory");
        assert!(find(&[quiet, says("let me try another"), call("ls")]).is_empty());
        assert!(find(&[result("0 errors"), says("let me fix"), call("ls")]).is_empty());
    }

    #[test]
    fn a_correction_too_far_away_is_not_one() {
        let mut turns = vec![call("x"), result("error")];
        turns.extend((0..8).map(|n| says(&format!("talk {n}"))));
        turns.extend([says("let me fix it"), call("y")]);
        assert!(find(&turns).is_empty());
    }
}
