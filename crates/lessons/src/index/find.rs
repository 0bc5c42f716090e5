//! Which lessons a call matches. Pure: the index, the call and the place of the project in, ranks out.

use super::{Block, Field, Index, Rule, gram};
use sprag_pattern::{MatchResult, Pattern};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// A call as lessons see it.
pub struct Call<'a> {
    /// The names under which a lesson may mean the tool.
    pub names: Vec<&'a str>,
    /// The command, for tools that run one.
    pub command: &'a str,
    /// The paths that it names.
    pub paths: Vec<String>,
    /// What it writes or asks.
    pub content: String,
    /// The command as the shell would run it.
    pub executable: &'a dyn Fn() -> String,
    /// Where it is made.
    pub places: Places<'a>,
}

/// The names of the project that a call is made in. The costly one is found only when it is asked for.
pub struct Places<'a> {
    /// Paths: the working directory, the project's root.
    pub paths: Vec<String>,
    /// `host/owner/repo`.
    pub remote: &'a dyn Fn() -> Option<String>,
}

impl Places<'_> {
    /// Whether a lesson's scope means this project. Paths are compared as the agents name their folders by them:
    /// everything but letters and digits is a dash, and one at the beginning makes no difference.
    pub fn is_here(&self, scope: Option<&str>) -> bool {
        let Some(scope) = scope.map(str::trim).filter(|scope| !scope.is_empty()) else { return true };
        let wanted = folder(scope);
        self.paths.iter().any(|path| !path.is_empty() && folder(path) == wanted)
            || (scope.contains('/') && (self.remote)().is_some_and(|remote| remote == scope))
    }
}

fn folder(path: &str) -> String {
    let dashed: String = path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    dashed.trim_matches('-').to_owned()
}

/// How much work a call may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Steps that one pattern may take on a short text; a long one gets more, by its length.
    pub steps: u32,
    /// Rules that are looked at for one call.
    pub rules: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 50_000, rules: 4_000 }
    }
}

/// What a call matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// The ranks of guards, best first.
    pub guards: Vec<u32>,
    /// The ranks of hints, best first.
    pub hints: Vec<u32>,
    /// Patterns that were given up, by the rank of a lesson that has one. They count as not matching.
    pub given_up: Vec<u32>,
}

impl Index {
    /// The lessons that a call matches.
    pub fn find(&self, call: &Call<'_>, limits: Limits) -> Matches {
        let mut found = Matches::default();
        let mut blocks = Vec::new();
        for name in &call.names {
            self.blocks(name, &mut blocks);
        }
        if blocks.is_empty() {
            return found;
        }
        let mut numbers = BTreeSet::new();
        let command = !call.command.is_empty();
        let lower = |text: &str| text.as_bytes().to_ascii_lowercase();
        let text = lower(if command { call.command } else { &call.content });
        let paths: Vec<Vec<u8>> =
            if command { Vec::new() } else { call.paths.iter().map(|p| lower(p)).collect() };
        for block in &blocks {
            numbers.extend(block.always.get(usize::from(!command)).into_iter().flatten());
            self.leads(block, &text, Field::Text, &mut numbers);
            for path in &paths {
                self.leads(block, path, Field::Path, &mut numbers);
            }
        }
        let texts = Texts { call, limits, executable: OnceCell::new() };
        for number in numbers.into_iter().take(limits.rules) {
            let Some(rule) = self.rule(number) else { continue };
            if !call.places.is_here(rule.scope.as_deref()) {
                continue;
            }
            match texts.matches(&rule) {
                MatchResult::Yes if rule.guard => found.guards.extend(&rule.lessons),
                MatchResult::Yes => found.hints.extend(&rule.lessons),
                MatchResult::No => {}
                MatchResult::StepLimit => found.given_up.extend(rule.lessons.first()),
            }
        }
        found.guards.sort_unstable();
        found.hints.sort_unstable();
        found
    }

    /// The rules behind the words of the table that a text has.
    fn leads(&self, block: &Block, text: &[u8], field: Field, numbers: &mut BTreeSet<u32>) {
        let lengths = block.lengths.get(field as usize).copied().unwrap_or(0);
        if lengths == 0 || text.is_empty() || !block.slots.is_power_of_two() {
            return;
        }
        let Some(prints) = self.bytes(block.prints) else { return };
        let mask = block.slots as usize - 1;
        let print_at = |slot: usize| {
            let pair = prints.get(slot * 2..slot * 2 + 2).and_then(|pair| pair.first_chunk::<2>());
            pair.map_or(0, |pair| u16::from_le_bytes(*pair))
        };
        let classes: Vec<usize> =
            (0..gram::LENGTHS.len()).filter(|class| lengths & (1 << class) != 0).collect();
        let mut asked = BTreeSet::new();
        for at in 0..text.len() {
            let window = gram::window(text, at);
            for class in &classes {
                let hash = gram::hash(window, *class, field);
                let wanted = gram::print(hash);
                let mut slot = hash as usize & mask;
                for _ in 0..=mask {
                    let print = print_at(slot);
                    if print == 0 {
                        break;
                    }
                    if print == wanted && !asked.contains(&slot) {
                        match self.lead(block, slot, text, at, field, numbers) {
                            // The word is there: no need to ask again.
                            Some(true) | None => drop(asked.insert(slot)),
                            Some(false) => {}
                        }
                    }
                    slot = (slot + 1) & mask;
                }
            }
        }
    }

    /// Takes the rules of a slot when its word stands at a place of the text.
    fn lead(
        &self,
        block: &Block,
        slot: usize,
        text: &[u8],
        at: usize,
        field: Field,
        numbers: &mut BTreeSet<u32>,
    ) -> Option<bool> {
        let bytes = self.bytes(self.span(block.places, u32::try_from(slot).ok()?)?)?;
        let (head, rest) = bytes.split_first_chunk::<4>()?;
        let [of_field, _, low, high] = *head;
        let (word, rules) = rest.split_at_checked(u16::from_le_bytes([low, high]) as usize)?;
        let there = of_field == field as u8 && text.get(at..).is_some_and(|rest| rest.starts_with(word));
        if there {
            numbers.extend(
                rules
                    .chunks_exact(4)
                    .filter_map(|number| number.first_chunk::<4>())
                    .map(|number| u32::from_le_bytes(*number)),
            );
        }
        Some(there)
    }
}

/// The texts of a call, as the rules want them.
struct Texts<'a> {
    call: &'a Call<'a>,
    limits: Limits,
    executable: OnceCell<String>,
}

impl Texts<'_> {
    fn matches(&self, rule: &Rule) -> MatchResult {
        let call = self.call;
        let content = if rule.content.is_empty() { &rule.command } else { &rule.content };
        let free = rule.command.is_empty() && rule.path.is_empty() && rule.content.is_empty();
        let first = if free {
            MatchResult::Yes
        } else if !call.command.is_empty() {
            let text = if rule.executable { self.executable() } else { call.command };
            self.any(&rule.command, text)
        } else if !call.paths.is_empty() || (rule.path.is_empty() && !call.content.is_empty()) {
            let path = if rule.path.is_empty() { MatchResult::Yes } else { self.any_path(&rule.path) };
            let written = if content.is_empty() {
                MatchResult::Yes
            } else if call.content.is_empty() {
                MatchResult::No
            } else {
                self.any(content, &call.content)
            };
            both(path, written)
        } else {
            MatchResult::No
        };
        if first == MatchResult::No || rule.model.is_empty() {
            return first;
        }
        let path = call.paths.first().map_or("", String::as_str);
        let text = [call.command, &call.content, path].into_iter().find(|text| !text.is_empty());
        both(first, self.any(&rule.model, text.unwrap_or_default()))
    }

    fn executable(&self) -> &str {
        self.executable.get_or_init(|| (self.call.executable)())
    }

    fn any_path(&self, patterns: &[Pattern]) -> MatchResult {
        let results = self.call.paths.iter().map(|path| self.any(patterns, path));
        best(results)
    }

    fn any(&self, patterns: &[Pattern], text: &str) -> MatchResult {
        // A pattern that walks along the text gets through a text of any length; one that goes back and forth does
        // not. So padding a command does not lead past a guard, and no pattern holds a call up.
        let steps =
            self.limits.steps.saturating_add(u32::try_from(text.len()).unwrap_or(u32::MAX).saturating_mul(4));
        best(patterns.iter().map(|pattern| pattern.is_match_within(text, steps)))
    }
}

fn best(results: impl Iterator<Item = MatchResult>) -> MatchResult {
    let mut worst = MatchResult::No;
    for result in results {
        match result {
            MatchResult::Yes => return MatchResult::Yes,
            MatchResult::StepLimit => worst = MatchResult::StepLimit,
            MatchResult::No => {}
        }
    }
    worst
}

fn both(a: MatchResult, b: MatchResult) -> MatchResult {
    match (a, b) {
        (MatchResult::No, _) | (_, MatchResult::No) => MatchResult::No,
        (MatchResult::StepLimit, _) | (_, MatchResult::StepLimit) => MatchResult::StepLimit,
        _ => MatchResult::Yes,
    }
}
