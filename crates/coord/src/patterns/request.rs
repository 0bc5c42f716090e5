//! Which pattern a prompt asks for: "run a jury of three subagents on this diff". Pure.
//!
//! Two questions. Is this about agents that the model is to start, or about a program that has agents, juries or pipelines?
//! And which pattern do its words speak for? Both are sums over short phrases; a prompt that does not clearly answer both is none.

mod cues;

use super::kind::PatternKind;
use cues::{CUES, NOT_A_REQUEST, TO_START};

/// A prompt is read up to here: what is wanted is said at its beginning.
const MAX_WORDS: usize = 120;
/// Evidence that agents are to be started, and for one pattern. Where one of them is strong, the other may be weaker.
const ENOUGH: [(i32, i32); 2] = [(3, 3), (2, 7)];

/// What a prompt asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The pattern.
    pub kind: PatternKind,
    /// How many agents, when it says so.
    pub members: Option<i64>,
    /// How many rounds, when it says so.
    pub rounds: Option<i64>,
}

/// The pattern that a prompt asks for; `None` for nearly all prompts.
pub fn requested(prompt: &str) -> Option<Request> {
    let words = words(prompt);
    let agents = agents(&words);
    let needed = ENOUGH.iter().filter(|(enough, _)| agents >= *enough).map(|(_, pattern)| *pattern).min()?;
    let mut best: Option<(i32, PatternKind)> = None;
    for (kind, cues) in CUES {
        let score = sum(&words, cues);
        if score >= needed && best.is_none_or(|(most, _)| score > most) {
            best = Some((score, *kind));
        }
    }
    let (_, kind) = best?;
    Some(Request { kind, members: members(&words, kind), rounds: rounds(&words) })
}

impl Request {
    /// The command that starts it; seats are for the model to fill in.
    pub fn command(&self) -> String {
        let mut command = format!("sprag pattern start {}", self.kind.name().replace('_', "-"));
        let seat = match self.kind {
            PatternKind::Pipeline => Some("WHAT THE STAGE DOES"),
            PatternKind::Blackboard => Some("KEY"),
            PatternKind::EventDriven => Some("EVENT"),
            _ => None,
        };
        match (seat, self.members) {
            (Some(seat), count) => {
                for number in 1..=count.unwrap_or(2) {
                    command.push_str(&format!(" --seat '{seat} {number}'"));
                }
            }
            (None, Some(count)) => command.push_str(&format!(" --members {count}")),
            (None, None) => {}
        }
        if let Some(rounds) = self.rounds.filter(|_| self.takes_turns()) {
            command.push_str(&format!(" --rounds {rounds}"));
        }
        command.push_str(" --task 'WHAT IT IS ABOUT'");
        command
    }

    fn takes_turns(&self) -> bool {
        matches!(self.kind, PatternKind::GeneratorCritic | PatternKind::Adversarial)
    }

    /// What to do after the command.
    pub fn next_step(&self) -> &'static str {
        match self.kind {
            PatternKind::Swarm => {
                "start the subagents at once, in one message; each sees what the others post"
            }
            PatternKind::Jury => {
                "start the jurors at once, in one message, each with the same question; you are told the votes when all are in"
            }
            PatternKind::Pipeline => {
                "start the first stage; each next one when sprag says so: it is given the output of the one before"
            }
            PatternKind::GeneratorCritic => {
                "start the generator, then the critic, in turns, until you are told that it is approved"
            }
            PatternKind::Hierarchical => {
                "start a subagent for each part; you are told when all have reported"
            }
            PatternKind::MapReduce => {
                "start a subagent for each part at once, in one message; you are told their outputs to put together"
            }
            PatternKind::Blackboard => {
                "start a subagent for each key; you are told when the board is complete"
            }
            PatternKind::CircuitBreaker => {
                "start the primary; start the fallback only when you are told that the circuit is open"
            }
            PatternKind::ChainOfResponsibility => {
                "start the first handler; the next one only when you are told that it escalated"
            }
            PatternKind::Adversarial => {
                "start the advocate, then the adversary, in turns; decide when you are told that both have argued"
            }
            PatternKind::EventDriven => {
                "start a subagent for each event type, then publish: `sprag pattern post RUN --topic EVENT 'what happened'`"
            }
        }
    }
}

/// The words of a prompt in lower case: letters and digits, and a mark `,` where a clause ends.
fn words(prompt: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for piece in prompt.split_whitespace() {
        for part in piece.split_inclusive(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’') {
            let word: String =
                part.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
            if !word.is_empty() {
                words.push(word);
            }
            // `swarm.py` and `a/b` are names, no ends of a clause.
            let ends = part.ends_with([',', '.', ';', ':', '?', '!', '(', ')']) && piece.ends_with(part);
            if ends && words.last().is_some_and(|last| last != ",") {
                words.push(",".to_owned());
            }
        }
        if words.len() >= MAX_WORDS {
            break;
        }
    }
    words
}

/// How clearly agents are to be started.
fn agents(words: &[String]) -> i32 {
    sum(words, TO_START) - first_words(words)
}

/// How clearly the beginning asks for something else: a change of code, or an answer.
fn first_words(words: &[String]) -> i32 {
    NOT_A_REQUEST.iter().filter(|(cue, _)| matches_at(words, cue)).map(|(_, weight)| *weight).sum()
}

fn sum(words: &[String], cues: &[(&str, i32)]) -> i32 {
    cues.iter().filter(|(cue, _)| found(words, cue)).map(|(_, weight)| *weight).sum()
}

fn found(words: &[String], cue: &str) -> bool {
    (0..words.len()).any(|at| words.get(at..).is_some_and(|rest| matches_at(rest, cue)))
}

/// Whether a phrase stands at the beginning of these words. Its parts: `a|b` one of several words, `ab~` a word that begins so,
/// `*` up to four words of the same clause, `?a` a word that may be missing.
fn matches_at(words: &[String], cue: &str) -> bool {
    let (part, rest) = cue.split_once(' ').unwrap_or((cue, ""));
    if part.is_empty() {
        return true;
    }
    if part == "*" {
        return (0..=4).any(|skip| {
            words.get(..skip).is_some_and(|gap| gap.iter().all(|word| word != ","))
                && words.get(skip..).is_some_and(|words| matches_at(words, rest))
        });
    }
    let (optional, part) = part.strip_prefix('?').map_or((false, part), |part| (true, part));
    let is = |word: &String| {
        part.split('|').any(|one| match one.strip_suffix('~') {
            Some(beginning) => word.starts_with(beginning),
            None => word == one,
        })
    };
    let taken = words.split_first().is_some_and(|(first, others)| is(first) && matches_at(others, rest));
    taken || (optional && matches_at(words, rest))
}

/// A number as it is written.
fn number(word: &str) -> Option<i64> {
    const NAMES: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let named = NAMES.iter().position(|name| *name == word).map(|at| at as i64 + 1);
    named.or_else(|| word.parse().ok()).filter(|count| (1..=20).contains(count))
}

/// `three subagents`, `4 equal agents`, `a jury of 5`: the number before the noun, or after `of`.
fn members(words: &[String], kind: PatternKind) -> Option<i64> {
    let counts = matches!(
        kind,
        PatternKind::Swarm
            | PatternKind::Jury
            | PatternKind::Pipeline
            | PatternKind::MapReduce
            | PatternKind::Blackboard
            | PatternKind::ChainOfResponsibility
            | PatternKind::EventDriven
    );
    if !counts {
        return None;
    }
    let nouns =
        ["agents", "subagents", "sub", "jurors", "judges", "reviewers", "specialists", "mappers", "handlers"];
    (0..words.len()).find_map(|at| {
        let count = number(words.get(at)?).filter(|count| *count > 1)?;
        let near = words.get(at + 1..words.len().min(at + 4))?;
        let before = at.checked_sub(2).and_then(|from| words.get(from..at)).unwrap_or_default();
        let of_them = before.iter().map(String::as_str).eq(["jury", "of"])
            || before.iter().map(String::as_str).eq(["swarm", "of"]);
        (of_them || near.iter().take_while(|word| *word != ",").any(|word| nouns.contains(&word.as_str())))
            .then_some(count)
    })
}

/// `4 rounds`, `max 3 iterations`.
fn rounds(words: &[String]) -> Option<i64> {
    words.windows(2).find_map(|pair| match pair {
        [count, noun] if noun.starts_with("round") || noun.starts_with("iteration") => number(count),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_becomes_a_command_with_its_numbers() {
        let jury = requested("run a jury of three subagents on this diff").unwrap();
        assert_eq!(jury.command(), "sprag pattern start jury --members 3 --task 'WHAT IT IS ABOUT'");
        let debate =
            requested("let two agents debate whether to keep it, one for and one against, 2 rounds").unwrap();
        assert_eq!(debate.command(), "sprag pattern start adversarial --rounds 2 --task 'WHAT IT IS ABOUT'");
        let stages =
            requested("chain three agents so each one works on the output of the one before").unwrap();
        assert!(stages.command().contains("--seat 'WHAT THE STAGE DOES 3'"), "{}", stages.command());
    }

    #[test]
    fn phrases_match_words_and_not_parts_of_them() {
        let text = words("Pass it on to the next agent, please: swarm.py");
        assert!(
            found(&text, "pass|passes it on|along")
                && found(&text, "pass * next")
                && !found(&text, "pass * please")
        );
        assert!(found(&text, "pass ?that it") && !found(&text, "as it") && found(&text, "ag~"));
        assert_eq!(words("a, b"), ["a", ",", "b"]);
    }
}
