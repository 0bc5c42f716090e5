//! An error, and within the next turns a user who says what to do instead.

use super::FoundLesson;
use super::signals::Signals;
use crate::fixes::episode::one_line;
use crate::fixes::error_text;
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

/// The errors after which the user said what to do instead, each once.
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
        if let Some(correction) = correction(window, signals) {
            let before = turns.get(at.saturating_sub(WINDOW)..at).unwrap_or_default();
            found.extend(candidate(turn, tool, errors, correction, before, signals));
        }
    }
    found
}

/// The turn in which the user corrects, when the model then answered.
fn correction<'a>(window: &'a [Turn], signals: &Signals) -> Option<&'a Turn> {
    let (at, turn) = window
        .iter()
        .enumerate()
        .find(|(_, turn)| turn.kind == TurnKind::User && signals.user_corrections(&turn.text) > 0)?;
    window.get(at + 1).filter(|next| next.kind == TurnKind::Assistant).map(|_| turn)
}

fn candidate(
    error: &Turn,
    tool: &str,
    errors: usize,
    correction: &Turn,
    before: &[Turn],
    signals: &Signals,
) -> Option<FoundLesson> {
    let trigger = before.iter().rev().find_map(|turn| match &turn.kind {
        TurnKind::Call(name, what) if name == tool && !what.is_empty() => Some(what.clone()),
        _ => None,
    })?;
    let told = error_text::read(&error.text)?;
    let mut tags = tags_of(tool, &trigger);
    if signals.is_hang(&error.text) {
        tags.push("severity:hang".to_owned());
    }
    if signals.is_crash(&error.text) {
        tags.push("severity:crash".to_owned());
    }
    let confidence = if errors >= 2 { 0.65 } else { 0.55 };
    let cut = |text: &str| text.trim().chars().take(MAX_TEXT_CHARS).collect::<String>();
    Some(FoundLesson {
        source: Source::Heuristic,
        tool: Some(tool.to_owned()).filter(|tool| !tool.is_empty()),
        problem: format!("`{}` went wrong: {}", one_line(&trigger), told.line),
        trigger: Some(trigger),
        solution: cut(&correction.text),
        priority: 4 + severe(&tags),
        tags,
        confidence,
        project_only: true,
        place: error.place.clone(),
        at: error.at,
        ..FoundLesson::default()
    })
}

/// What a tag says about how bad it was.
pub(super) fn severe(tags: &[String]) -> u8 {
    let has = |words: &[&str]| tags.iter().any(|tag| words.iter().any(|word| tag.contains(word)));
    u8::from(has(&["severity:hang", "severity:timeout"]))
        + u8::from(has(&["severity:data-loss", "severity:silent"]))
}

pub(crate) fn tags_of(tool: &str, trigger: &str) -> Vec<String> {
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

    fn user(text: &str) -> Turn {
        turn(TurnKind::User, text)
    }

    #[test]
    fn fault_27_one_error_is_one_candidate_however_far_the_window_slides() {
        let mut turns = vec![
            call("pytest -x"),
            result("Error: no module named shop\nExit code 2"),
            user("No, you need to set PYTHONPATH=. before that"),
            says("I see."),
            call("PYTHONPATH=. pytest -x"),
            result("ok"),
        ];
        turns.extend((0..12).map(|n| says(&format!("going on {n}"))));
        let found = find(&turns);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert_eq!(
            found[0].problem, "`pytest -x` went wrong: Error: no module named shop",
            "not `Exit code 2`"
        );
        assert_eq!(found[0].tags, ["tool:pytest", "lang:python"]);
        assert!((found[0].confidence - 0.65).abs() < 1e-9 && found[0].priority == 4);
    }

    #[test]
    fn a_correction_counts_when_the_user_gave_it_and_the_model_took_it() {
        assert!(
            find(&[call("x"), result("error: it is wrong"), says("let me fix it"), call("y")]).is_empty()
        );
        let turns = [call("x"), result("error: timeout of it"), user("no, don't use x")];
        assert!(find(&turns).is_empty(), "nobody answered yet");
        let found = find(&[turns.as_slice(), &[says("right")]].concat());
        assert_eq!((found.len(), found[0].solution.as_str(), found[0].priority), (1, "no, don't use x", 5));
    }

    #[test]
    fn files_that_are_not_there_teach_nothing() {
        let quiet = turn(TurnKind::Result("Read".into(), true), "Error: No such file or directory");
        assert!(find(&[quiet, user("don't use that"), says("right")]).is_empty());
        assert!(find(&[call("x"), result("0 errors"), user("don't use that"), says("right")]).is_empty());
    }

    #[test]
    fn a_correction_too_far_away_is_not_one() {
        let mut turns = vec![call("x"), result("error: it is wrong")];
        turns.extend((0..8).map(|n| says(&format!("talk {n}"))));
        turns.extend([user("don't use x"), says("right")]);
        assert!(find(&turns).is_empty());
    }
}
