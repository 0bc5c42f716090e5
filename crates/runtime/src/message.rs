//! The words of a stop, for people and models alike: sprag's name, the rule, the reason, and the command that changes it.
//! The one place where they are put together; hooks give rule, reason and alternative as data. Pure.

use crate::hook::Reply;
use crate::merge::Said;
use sprag_base::id::short_hash;
use sprag_protocol::{Decision, EventKind};

/// A stop that is to be put into words.
pub struct Stopped<'a> {
    /// The event.
    pub kind: EventKind,
    /// Ask, deny or block.
    pub decision: Decision,
    /// Who said so.
    pub said: &'a [Said],
    /// Its short id.
    pub id: &'a str,
    /// A person can let it through.
    pub can_allow: bool,
    /// Why a question became a denial.
    pub unasked: Option<&'a str>,
}

/// A short id that a person can type; it never reads `last`.
pub fn short_id(of: &str) -> String {
    const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let hash = short_hash(of.as_bytes());
    let number = hash.get(..5).and_then(|hex| usize::from_str_radix(hex, 16).ok()).unwrap_or_default();
    [15, 10, 5, 0]
        .iter()
        .filter_map(|bits| LETTERS.get(number >> bits & 31))
        .map(|c| char::from(*c))
        .collect()
}

/// The command that switches a hook off.
pub fn switch_off(hook: &str) -> String {
    format!("sprag disable {hook}")
}

impl Said {
    /// What the stop goes by: the rule, or the hook.
    pub fn label(&self) -> &str {
        self.grounds.rule.as_deref().unwrap_or(&self.hook)
    }
}

/// The reason of a reply with what would be lost and what to do instead: what the journal keeps.
pub fn grounds(reply: &Reply) -> Option<String> {
    reply.reason.as_deref().map(|reason| sentences(reason, &reply.grounds))
}

pub(crate) fn sentences(reason: &str, grounds: &crate::hook::Grounds) -> String {
    let mut text = reason.trim().to_owned();
    for next in [&grounds.loss, &grounds.instead].into_iter().flatten() {
        next_sentence(&mut text);
        text.push_str(next);
    }
    text
}

/// Goes on after a sentence; after several lines, on a line of its own.
fn next_sentence(text: &mut String) {
    if text.contains('\n') {
        text.push('\n');
        return;
    }
    if text.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | '`' | '"' | '\'')) {
        text.push('.');
    }
    text.push(' ');
}

/// The whole text.
pub fn stop(stop: &Stopped<'_>) -> String {
    let mut labels: Vec<&str> = stop.said.iter().map(Said::label).collect();
    labels.dedup();
    let answers = !stop.said.is_empty() && stop.said.iter().all(|said| said.grounds.answers);
    let tool = matches!(stop.kind, EventKind::PreToolUse | EventKind::PermissionRequest);
    let (head, allow) = match stop.kind {
        _ if answers => ("sprag answered this", ""),
        _ if stop.decision == Decision::Ask => ("sprag asks before this runs", "stop asking"),
        EventKind::PreToolUse | EventKind::PermissionRequest => ("sprag blocked this", "allow once"),
        EventKind::Stop | EventKind::SubagentStop => ("sprag holds this turn", "end it anyway"),
        EventKind::UserPromptSubmit => ("sprag holds this prompt", "send it anyway"),
        EventKind::PreCompact => ("sprag holds this compaction", "compact anyway"),
        kind if kind.has_tool() => ("sprag reports", ""),
        _ => ("sprag stopped this", ""),
    };
    let id = stop.id;
    if !answers {
        labels.push(id);
    }
    // Agents cut a long reason: the command that changes it stands in front.
    let change = if answers {
        let hook = stop.said.first().map(|said| said.hook.as_str()).unwrap_or_default();
        format!("; not an error; off: {}", switch_off(hook))
    } else if stop.can_allow && !allow.is_empty() {
        let session = if stop.decision == Decision::Ask { " --session" } else { "" };
        format!("; {allow}: sprag allow {id}{session}")
    } else {
        String::new()
    };
    let mut text = format!("{head} ({}{change})", labels.join(", "));
    if let Some(why) = stop.unasked {
        text.push_str(&format!(", because {why}"));
    }
    text.push(':');
    let body: Vec<String> = stop.said.iter().map(|said| sentences(&said.reason, &said.grounds)).collect();
    let body = body.join("\n");
    text.push(if body.starts_with('#') { '\n' } else { ' ' });
    // "it deletes …", but "This variable …".
    let verb =
        |rest: &&str| rest.split(' ').next().is_some_and(|word| word.ends_with('s') || word == "would");
    match body.strip_prefix("This ").filter(|_| tool).filter(verb) {
        Some(rest) => text.push_str(&format!("it {rest}")),
        None if body.is_empty() => text.push_str("the hook gave no reason"),
        None => text.push_str(&body),
    }
    if !answers {
        next_sentence(&mut text);
        let who = if change.is_empty() { "" } else { " (only a person can allow)" };
        text.push_str(&format!("Why: sprag why {id}{who}"));
    }
    text
}

/// A message for the user, or a note for the model, with its source when it does not begin with sprag's name: a command
/// of sprag's somewhere in it does not say who speaks.
pub fn with_source(hook: &str, text: &str) -> String {
    match text {
        text if text.trim_start_matches(['#', '*', '[', '<', '`', ' ']).starts_with("sprag") => {
            text.to_owned()
        }
        text if text.contains('\n') => format!("[sprag:{hook}]\n{text}"),
        text => format!("[sprag:{hook}] {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::Grounds;

    fn said(rule: Option<&str>, reason: &str, loss: Option<&str>, instead: &str) -> Said {
        let grounds = Grounds {
            rule: rule.map(str::to_owned),
            loss: loss.map(str::to_owned),
            instead: Some(instead.to_owned()).filter(|text| !text.is_empty()),
            ..Grounds::default()
        };
        Said { hook: "mine".to_owned(), reason: reason.to_owned(), grounds }
    }

    fn words(kind: EventKind, decision: Decision, said: &[Said], unasked: Option<&str>) -> String {
        stop(&Stopped { kind, decision, said, id: "7f3a", can_allow: true, unasked })
    }

    #[test]
    fn one_line_says_who_which_rule_why_and_how_to_change_it() {
        let reset = [said(
            Some("git:reset-hard"),
            "This throws away changes that are not committed",
            Some("Would be lost: 3 files with uncommitted changes."),
            "Use `git stash`.",
        )];
        assert_eq!(
            words(EventKind::PreToolUse, Decision::Deny, &reset, None),
            "sprag blocked this (git:reset-hard, 7f3a; allow once: sprag allow 7f3a): it throws away changes that are not \
             committed. Would be lost: 3 files with uncommitted changes. Use `git stash`. Why: sprag why 7f3a (only a \
             person can allow)"
        );
        let asked = words(EventKind::PreToolUse, Decision::Ask, &reset, None);
        assert!(
            asked.starts_with(
                "sprag asks before this runs (git:reset-hard, 7f3a; stop asking: sprag allow 7f3a --session): it throws"
            ),
            "{asked}"
        );
        let denied = words(EventKind::PreToolUse, Decision::Deny, &reset, Some("Codex cannot ask"));
        assert!(
            denied.starts_with(
                "sprag blocked this (git:reset-hard, 7f3a; allow once: sprag allow 7f3a), because Codex cannot ask: it throws"
            )
        );
    }

    #[test]
    fn a_held_turn_and_reasons_of_several_lines() {
        let held = [said(None, "It does not compile:\n  a.rs:1", None, ""), said(None, "And that", None, "")];
        assert_eq!(
            words(EventKind::Stop, Decision::Block, &held, None),
            "sprag holds this turn (mine, 7f3a; end it anyway: sprag allow 7f3a): It does not compile:\n  a.rs:1\nAnd \
             that\nWhy: sprag why 7f3a (only a person can allow)"
        );
        let firm = Stopped {
            kind: EventKind::PreToolUse,
            decision: Decision::Deny,
            said: &[],
            id: "7f3a",
            can_allow: false,
            unasked: None,
        };
        assert_eq!(stop(&firm), "sprag blocked this (7f3a): the hook gave no reason. Why: sprag why 7f3a");
    }

    #[test]
    fn an_answer_is_no_refusal() {
        let mut outline = said(None, "The outline:\nfn a", None, "");
        outline.grounds.answers = true;
        let text = words(EventKind::PreToolUse, Decision::Deny, &[outline], None);
        assert_eq!(
            text,
            "sprag answered this (mine; not an error; off: sprag disable mine): The outline:\nfn a"
        );
    }

    #[test]
    fn ids_are_short_and_never_a_word_of_the_command_line() {
        for number in 0..2_000 {
            let id = short_id(&number.to_string());
            assert!(id.len() == 4 && id.bytes().all(|b| b.is_ascii_alphanumeric() && b != b'l'), "{id}");
        }
        assert_ne!(short_id("a"), short_id("b"));
    }

    #[test]
    fn a_text_without_sprag_in_it_gets_its_source() {
        assert_eq!(with_source("h", "one"), "[sprag:h] one");
        assert_eq!(with_source("h", "# a\nb"), "[sprag:h]\n# a\nb");
        assert_eq!(with_source("h", "sprag: one"), "sprag: one");
        assert_eq!(with_source("h", "## sprag: one\ntwo"), "## sprag: one\ntwo");
        assert_eq!(with_source("h", "[sprag:x] one"), "[sprag:x] one");
        assert_eq!(with_source("h", "see `sprag logs`"), "[sprag:h] see `sprag logs`");
        assert_eq!(with_source("h", "one\n`sprag logs`"), "[sprag:h]\none\n`sprag logs`");
        assert_eq!(with_source("h", "see .sprag/rules"), "[sprag:h] see .sprag/rules");
    }
}
