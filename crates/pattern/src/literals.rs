//! What can be said about every match without running the pattern: strings it must contain, and where it can
//! begin. Both only ever rule texts out, so "nothing known" is always a correct answer.

use super::ast::{Assertion, Node};
use super::charset::CharSet;
use super::parse::Parsed;
use super::program::{Ascii, Start};

/// The most strings in a list of required ones.
const MAX_STRINGS: usize = 32;

/// The longest required string that is built, in bytes.
const MAX_LEN: usize = 64;

/// The largest class that is spelled out.
const MAX_CLASS: u32 = 8;

/// What is known about the texts a node matches.
struct KnownStrings {
    /// The node matches nothing but these.
    exact: Option<Vec<String>>,
    /// Every text in which the node matches contains one of these.
    required: Option<Vec<String>>,
}

impl KnownStrings {
    const NOTHING: KnownStrings = KnownStrings { exact: None, required: None };

    fn empty() -> Self {
        KnownStrings { exact: Some(vec![String::new()]), required: None }
    }

    /// The more telling of the two lists.
    fn best(self) -> Option<Vec<String>> {
        let mut best = self.required;
        consider(&mut best, self.exact);
        best
    }
}

/// The strings of which every match contains one; none if nothing is known.
pub(super) fn required(root: &Node) -> Vec<String> {
    let best = known(root).best().unwrap_or_default();
    // Where a shorter string occurs in a longer one, the shorter one says it all.
    let mut strings: Vec<String> = Vec::new();
    for (index, string) in best.iter().enumerate() {
        let implied = |(other, short): (usize, &String)| {
            string.contains(short.as_str()) && (short.len() < string.len() || other < index)
        };
        if !best.iter().enumerate().any(implied) {
            strings.push(string.clone());
        }
    }
    strings
}

/// Keeps the better list: the one whose shortest string is longer, then the one with fewer strings.
fn consider(best: &mut Option<Vec<String>>, candidate: Option<Vec<String>>) {
    let score = |list: &[String]| {
        let shortest = list.iter().map(String::len).min().unwrap_or(0);
        (shortest, MAX_STRINGS.saturating_sub(list.len()))
    };
    let Some(candidate) = candidate else { return };
    let new = score(&candidate);
    if new.0 > 0 && candidate.len() <= MAX_STRINGS && best.as_deref().is_none_or(|old| score(old) < new) {
        *best = Some(candidate);
    }
}

/// Every string of `heads` followed by every string of `tails`, unless that becomes too much.
fn product(heads: &[String], tails: &[String]) -> Option<Vec<String>> {
    if heads.len() * tails.len() > MAX_STRINGS {
        return None;
    }
    let joined: Vec<String> =
        heads.iter().flat_map(|head| tails.iter().map(move |tail| format!("{head}{tail}"))).collect();
    joined.iter().all(|string| string.len() <= MAX_LEN).then_some(joined)
}

fn known(node: &Node) -> KnownStrings {
    let exactly = |strings: Vec<String>| KnownStrings { exact: Some(strings), required: None };
    match node {
        // Zero-width tests only ever make matches rarer.
        Node::Empty | Node::Assert(_) | Node::Look { negate: true, .. } => KnownStrings::empty(),
        Node::Char { char, fold: false } => exactly(vec![char.to_string()]),
        Node::Char { char, fold: true } if char.is_ascii() => {
            exactly(vec![char.to_ascii_lowercase().to_string(), char.to_ascii_uppercase().to_string()])
        }
        Node::Set(set) if (1..=MAX_CLASS).contains(&set.count()) => {
            let codes = set.ranges().iter().flat_map(|&(low, high)| low..=high);
            let strings: Vec<String> = codes.filter_map(char::from_u32).map(String::from).collect();
            if strings.is_empty() { KnownStrings::NOTHING } else { exactly(strings) }
        }
        Node::Char { .. } | Node::Set(_) | Node::BackRef { .. } => KnownStrings::NOTHING,
        Node::Group { body, .. } => known(body),
        // What it looks at is part of the text, though not of the match.
        Node::Look { body, .. } => KnownStrings { required: known(body).best(), ..KnownStrings::empty() },
        Node::Concat(items) => concat(items),
        Node::Alternate(branches) => alternate(branches),
        Node::Repeat(repeat) => {
            let body = known(&repeat.body);
            match (repeat.min, repeat.max) {
                (_, Some(0)) => KnownStrings::empty(),
                (0, Some(1)) => {
                    let mut exact = body.exact.filter(|strings| strings.len() < MAX_STRINGS);
                    if let Some(strings) = &mut exact {
                        strings.push(String::new());
                    }
                    KnownStrings { exact, required: None }
                }
                (0, _) => KnownStrings::NOTHING,
                (1, Some(1)) => body,
                _ => KnownStrings { exact: None, required: body.best() },
            }
        }
    }
}

fn concat(items: &[Node]) -> KnownStrings {
    let mut required = None;
    let mut all_exact = true;
    // What the items since the last unknown one must spell.
    let mut run = vec![String::new()];
    for item in items {
        let item = known(item);
        consider(&mut required, item.required);
        let Some(exact) = item.exact else {
            consider(&mut required, Some(std::mem::replace(&mut run, vec![String::new()])));
            all_exact = false;
            continue;
        };
        if let Some(longer) = product(&run, &exact) {
            run = longer;
        } else {
            consider(&mut required, Some(std::mem::replace(&mut run, exact)));
            all_exact = false;
        }
    }
    if all_exact {
        return KnownStrings { exact: Some(run), required };
    }
    consider(&mut required, Some(run));
    KnownStrings { exact: None, required }
}

fn alternate(branches: &[Node]) -> KnownStrings {
    let branches: Vec<KnownStrings> = branches.iter().map(known).collect();
    let fits = |strings: &Vec<String>| strings.len() <= MAX_STRINGS;
    let exact: Option<Vec<Vec<String>>> = branches.iter().map(|branch| branch.exact.clone()).collect();
    let exact = exact.map(|lists| lists.concat()).filter(fits);
    let required: Option<Vec<Vec<String>>> = branches.into_iter().map(KnownStrings::best).collect();
    let required = required.map(|lists| lists.concat()).filter(fits);
    KnownStrings { exact, required }
}

/// Where a match can begin.
pub(super) fn start(parsed: &Parsed) -> Start {
    let root = &parsed.root;
    if anchored(root) {
        return Start::Text;
    }
    // A reference to the text of a leading `.*` makes the length of that text matter.
    if parsed.referenced.is_empty()
        && let Some(dot_all) = leading_dots(root)
    {
        return if dot_all { Start::Text } else { Start::Line };
    }
    let mut first = FirstChars { ascii: Ascii::default(), other: false };
    match first.add(root) {
        Some(false) => Start::At { ascii: first.ascii, other: first.other },
        _ => Start::Anywhere,
    }
}

/// Whether every match begins at the start of the text.
fn anchored(node: &Node) -> bool {
    match node {
        Node::Assert(Assertion::TextStart) => true,
        Node::Group { body, .. } => anchored(body),
        Node::Concat(items) => items.first().is_some_and(anchored),
        Node::Alternate(branches) => branches.iter().all(anchored),
        Node::Repeat(repeat) => repeat.min > 0 && anchored(&repeat.body),
        _ => false,
    }
}

/// Whether the pattern begins with `.*`, and whether that crosses lines. A match that begins within a line can
/// then as well begin where the line does.
fn leading_dots(node: &Node) -> Option<bool> {
    match node {
        Node::Group { body, .. } => leading_dots(body),
        Node::Concat(items) => items.first().and_then(leading_dots),
        Node::Repeat(repeat) if repeat.min == 0 && repeat.max.is_none() => match &repeat.body {
            Node::Set(set) if *set == CharSet::dot(true) => Some(true),
            Node::Set(set) if *set == CharSet::dot(false) => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// The characters a match can begin with.
struct FirstChars {
    ascii: Ascii,
    other: bool,
}

impl FirstChars {
    /// Adds the first characters of a node. Says whether the node may consume nothing, or `None` if it could
    /// begin with anything.
    fn add(&mut self, node: &Node) -> Option<bool> {
        match node {
            Node::Empty | Node::Assert(_) | Node::Look { .. } => Some(true),
            Node::BackRef { .. } => None,
            Node::Char { char, fold } => {
                match u8::try_from(*char) {
                    Ok(byte) if byte < 0x80 => {
                        self.ascii.insert(byte);
                        if *fold {
                            self.ascii.insert(byte.to_ascii_lowercase());
                            self.ascii.insert(byte.to_ascii_uppercase());
                        }
                    }
                    _ => self.other = true,
                }
                Some(false)
            }
            Node::Set(set) => {
                for byte in (0..0x80u8).filter(|&byte| set.contains(u32::from(byte))) {
                    self.ascii.insert(byte);
                }
                self.other |= set.ranges().last().is_some_and(|range| range.1 >= 0x80);
                Some(false)
            }
            Node::Group { body, .. } => self.add(body),
            Node::Concat(items) => {
                for item in items {
                    if !self.add(item)? {
                        return Some(false);
                    }
                }
                Some(true)
            }
            Node::Alternate(branches) => {
                let mut empty = false;
                for branch in branches {
                    empty |= self.add(branch)?;
                }
                Some(empty)
            }
            Node::Repeat(repeat) if repeat.max == Some(0) => Some(true),
            Node::Repeat(repeat) => Some(self.add(&repeat.body)? || repeat.min == 0),
        }
    }
}
