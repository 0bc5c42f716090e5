//! Conditions: `test`, `[ … ]` and `[[ … ]]` over values that are known.

use crate::model::{Arg, HOLE};
use crate::syntax::ast::{TestItem, Word};

use super::{Status, Walk};

/// Parentheses and negations inside each other.
const MAX_NESTING: u32 = 24;

fn status(value: Option<bool>) -> Status {
    match value {
        Some(true) => Status::True,
        Some(false) => Status::False,
        None => Status::Unknown,
    }
}

fn not(value: Option<bool>) -> Option<bool> {
    value.map(|v| !v)
}

fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn either(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    not(both(not(a), not(b)))
}

fn numbers(op: &str, l: i64, r: i64) -> Option<bool> {
    Some(match op {
        "-eq" => l == r,
        "-ne" => l != r,
        "-lt" => l < r,
        "-le" => l <= r,
        "-gt" => l > r,
        "-ge" => l >= r,
        _ => return None,
    })
}

impl Walk<'_> {
    /// `test` and `[`.
    pub(super) fn test(&mut self, name: &str, args: &[Arg]) -> Status {
        let args = match args {
            [inner @ .., last] if name == "[" && last.text == "]" => inner,
            // Without its bracket it is an error.
            _ if name == "[" => return Status::Unknown,
            _ => args,
        };
        let simple = args.len() <= 8 && args.iter().all(|a| !a.glob);
        status(if simple { self.test_words(args, 0) } else { None })
    }

    fn test_words(&mut self, args: &[Arg], depth: u32) -> Option<bool> {
        if depth > MAX_NESTING {
            return None;
        }
        let text = |arg: &Arg| (!arg.has_hole()).then(|| arg.text.clone());
        match args {
            [] => Some(false),
            [one] => match text(one) {
                Some(t) => Some(!t.is_empty()),
                // A text with a known part is not empty.
                None => one.text.chars().any(|c| c != HOLE).then_some(true),
            },
            [bang, rest @ ..] if bang.text == "!" && args.len() != 3 => not(self.test_words(rest, depth + 1)),
            [op, value] => match op.text.as_str() {
                "-n" => self.test_words(std::slice::from_ref(value), depth + 1),
                "-z" => not(self.test_words(std::slice::from_ref(value), depth + 1)),
                "-v" => self.is_set(&value.text),
                _ => None,
            },
            [left, op, right] => {
                let found = match op.text.as_str() {
                    "=" | "==" => Some(text(left)? == text(right)?),
                    "!=" => Some(text(left)? != text(right)?),
                    "<" => Some(text(left)? < text(right)?),
                    ">" => Some(text(left)? > text(right)?),
                    "-a" => both(
                        self.test_words(std::slice::from_ref(left), depth + 1),
                        self.test_words(std::slice::from_ref(right), depth + 1),
                    ),
                    "-o" => either(
                        self.test_words(std::slice::from_ref(left), depth + 1),
                        self.test_words(std::slice::from_ref(right), depth + 1),
                    ),
                    op => {
                        let l = text(left)?.trim().parse().ok()?;
                        numbers(op, l, text(right)?.trim().parse().ok()?)
                    }
                };
                match (found, left.text.as_str(), right.text.as_str()) {
                    (None, "!", _) => not(self.test_words(args.get(1..)?, depth + 1)),
                    (None, "(", ")") => self.test_words(std::slice::from_ref(op), depth + 1),
                    (found, ..) => found,
                }
            }
            _ => {
                let at = args.iter().position(|a| a.text == "-o").or_else(|| {
                    let and = args.iter().position(|a| a.text == "-a");
                    and.filter(|at| *at > 0)
                })?;
                let op = args.get(at)?.text.clone();
                let left = self.test_words(args.get(..at)?, depth + 1);
                let right = self.test_words(args.get(at + 1..)?, depth + 1);
                if op == "-o" { either(left, right) } else { both(left, right) }
            }
        }
    }

    /// Whether a variable is set; none when the environment may have it.
    fn is_set(&mut self, name: &str) -> Option<bool> {
        self.expand_index_of(name);
        if name.contains('[') {
            return None;
        }
        self.st.var(name).map(|var| !var.values.is_empty() || var.array.is_some())
    }

    /// `[[ … ]]`.
    pub(super) fn double_test(&mut self, items: &[TestItem]) -> Status {
        let known = self.st.choices() == 1;
        let mut reader = DoubleTest { walk: self, items, at: 0, depth: 0 };
        let value = reader.alternatives();
        let whole = reader.at == items.len();
        if !whole {
            // Its substitutions run all the same.
            for item in items.get(reader.at..).unwrap_or_default() {
                if let TestItem::Word(word) = item {
                    reader.walk.expand_one(word);
                }
            }
        }
        status(value.filter(|_| whole && known))
    }
}

struct DoubleTest<'w, 'a, 'i> {
    walk: &'w mut Walk<'a>,
    items: &'i [TestItem],
    at: usize,
    depth: u32,
}

impl<'i> DoubleTest<'_, '_, 'i> {
    fn op(&mut self, op: &str) -> bool {
        let hit = matches!(self.items.get(self.at), Some(TestItem::Op(o)) if *o == op);
        self.at += usize::from(hit);
        hit
    }

    fn word(&mut self) -> Option<&'i Word> {
        match self.items.get(self.at) {
            Some(TestItem::Word(word)) => {
                self.at += 1;
                Some(word)
            }
            _ => None,
        }
    }

    /// The word at hand, as it is written, when it is plain.
    fn plain(&self, ahead: usize) -> &'i str {
        match self.items.get(self.at + ahead) {
            Some(TestItem::Word(word)) => &word.raw,
            Some(TestItem::Op(op)) => op,
            None => "",
        }
    }

    fn alternatives(&mut self) -> Option<bool> {
        let mut value = self.conjunction();
        while self.op("||") {
            let right = self.conjunction();
            value = either(value, right);
        }
        value
    }

    fn conjunction(&mut self) -> Option<bool> {
        let mut value = self.single();
        while self.op("&&") {
            let right = self.single();
            value = both(value, right);
        }
        value
    }

    fn single(&mut self) -> Option<bool> {
        self.depth += 1;
        let value = if self.depth > MAX_NESTING { None } else { self.primary() };
        self.depth -= 1;
        value
    }

    fn primary(&mut self) -> Option<bool> {
        if self.plain(0) == "!" {
            self.at += 1;
            return not(self.single());
        }
        if self.op("(") {
            let value = self.alternatives();
            return if self.op(")") { value } else { None };
        }
        let unary = self.plain(0);
        let binary = self.plain(1);
        let compares =
            ["=", "==", "!=", "=~", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"]
                .contains(&binary);
        if !compares && unary.len() == 2 && unary.starts_with('-') {
            self.at += 1;
            let word = self.word()?;
            let value = self.walk.expand_one(word);
            return match unary {
                "-n" => known(&value).map(|t| !t.is_empty()),
                "-z" => known(&value).map(|t| t.is_empty()),
                "-v" => self.walk.is_set(&value.text),
                _ => None,
            };
        }
        let left = self.word()?;
        let left = self.walk.expand_one(left);
        if !compares {
            return known(&left).map(|t| !t.is_empty());
        }
        self.at += 1;
        let right = self.word()?;
        self.compare(binary, &left, right)
    }

    fn compare(&mut self, op: &str, left: &Arg, right: &Word) -> Option<bool> {
        match op {
            "=" | "==" | "!=" => {
                let pattern = self.walk.pattern(right);
                let hit = pattern?.matches(&known(left)?);
                if op == "!=" { not(hit) } else { hit }
            }
            "<" | ">" => {
                let right = self.walk.expand_one(right);
                let (l, r) = (known(left)?, known(&right)?);
                Some(if op == "<" { l < r } else { l > r })
            }
            "=~" | "-nt" | "-ot" | "-ef" => {
                self.walk.expand_one(right);
                None
            }
            _ => {
                let right = self.walk.expand_one(right);
                let l = self.walk.arithmetic(&left.text)?;
                numbers(op, l, self.walk.arithmetic(&right.text)?)
            }
        }
    }
}

fn known(arg: &Arg) -> Option<String> {
    (!arg.has_hole()).then(|| arg.text.clone())
}
