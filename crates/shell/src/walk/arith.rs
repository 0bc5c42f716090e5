//! Arithmetic: `$(( … ))`, `(( … ))`, `let`, indices and substring positions.

use crate::model::{Arg, HOLE};

use super::Walk;

/// Parentheses inside parentheses.
const MAX_NESTING: u32 = 24;

/// Operators and their ranks, the longest first.
const OPERATORS: &[(&str, u32)] = &[
    ("||", 0),
    ("&&", 1),
    ("==", 5),
    ("!=", 5),
    ("<=", 6),
    (">=", 6),
    ("<<", 7),
    (">>", 7),
    ("|", 2),
    ("^", 3),
    ("&", 4),
    ("<", 6),
    (">", 6),
    ("+", 8),
    ("-", 8),
    ("*", 9),
    ("/", 9),
    ("%", 9),
];

impl Walk<'_> {
    /// The value of an arithmetic expression; none when it is not known. Assignments in it are made.
    pub(super) fn arithmetic(&mut self, text: &str) -> Option<i64> {
        if text.contains(HOLE) || text.len() > 4096 || self.depth > super::MAX_DEPTH || !self.step() {
            return None;
        }
        if text.trim().is_empty() {
            return Some(0);
        }
        // A value may be an expression with names whose values are expressions.
        self.depth += 1;
        let mut reader = Reader { walk: self, text: text.as_bytes(), at: 0, depth: 0, off: false };
        let value = reader.list();
        reader.blanks();
        let whole = reader.at == reader.text.len();
        self.depth -= 1;
        value.filter(|_| whole)
    }
}

struct Reader<'w, 'a, 't> {
    walk: &'w mut Walk<'a>,
    text: &'t [u8],
    at: usize,
    depth: u32,
    /// Behind `0 &&`: nothing is assigned.
    off: bool,
}

impl Reader<'_, '_, '_> {
    fn blanks(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn eat(&mut self, token: &str) -> bool {
        self.blanks();
        let hit = self.rest().starts_with(token.as_bytes());
        if hit {
            self.at += token.len();
        }
        hit
    }

    fn list(&mut self) -> Option<i64> {
        let mut value = self.choice();
        while self.eat(",") {
            value = self.choice();
        }
        value
    }

    fn choice(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            self.at = self.text.len();
            return None;
        }
        let condition = self.binary(0);
        let value = if self.eat("?") {
            let outer = self.off;
            self.off = outer || condition == Some(0);
            let yes = self.choice();
            self.eat(":");
            self.off = outer || condition.is_some_and(|c| c != 0);
            let no = self.choice();
            self.off = outer;
            match condition {
                Some(0) => no,
                Some(_) => yes,
                None => None,
            }
        } else {
            condition
        };
        self.depth -= 1;
        value
    }

    /// Operators of this rank and above.
    fn binary(&mut self, least: u32) -> Option<i64> {
        let mut left = self.power();
        loop {
            self.blanks();
            let rest = self.rest();
            let found = OPERATORS.iter().find(|(op, _)| rest.starts_with(op.as_bytes()));
            let Some((op, rank)) = found.filter(|(_, rank)| *rank >= least) else { return left };
            // `+=` and the like stand behind a name and are read there.
            if rest.get(op.len()) == Some(&b'=') && !matches!(*rank, 5 | 6) {
                return left;
            }
            self.at += op.len();
            let outer = self.off;
            match *op {
                "&&" => self.off |= left == Some(0),
                "||" => self.off |= left.is_some_and(|l| l != 0),
                _ => {}
            }
            let right = self.binary(rank + 1);
            self.off = outer;
            left = apply(op, left, right);
        }
    }

    fn power(&mut self) -> Option<i64> {
        let base = self.unary();
        if self.eat("**") {
            let exponent = self.power();
            return Some(base?.wrapping_pow(u32::try_from(exponent?).ok().filter(|e| *e < 64)?));
        }
        base
    }

    fn unary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            self.at = self.text.len();
            return None;
        }
        let value = if self.eat("++") {
            self.step_name(1)
        } else if self.eat("--") {
            self.step_name(-1)
        } else if self.eat("!") {
            self.unary().map(|v| i64::from(v == 0))
        } else if self.eat("~") {
            self.unary().map(|v| !v)
        } else if self.eat("-") {
            self.unary().map(i64::wrapping_neg)
        } else if self.eat("+") {
            self.unary()
        } else {
            self.primary()
        };
        self.depth -= 1;
        value
    }

    /// `++name` and `--name`.
    fn step_name(&mut self, by: i64) -> Option<i64> {
        let (name, index) = self.name()?;
        let value = self.read(&name, index.as_deref()).map(|v| v.wrapping_add(by));
        self.write(&name, index.as_deref(), value);
        value
    }

    fn primary(&mut self) -> Option<i64> {
        if self.eat("(") {
            let value = self.list();
            return if self.eat(")") { value } else { None };
        }
        self.blanks();
        let first = *self.rest().first()?;
        if first.is_ascii_digit() {
            return self.number();
        }
        let (name, index) = self.name()?;
        let index = index.as_deref();
        if self.eat("++") {
            let old = self.read(&name, index);
            self.write(&name, index, old.map(|v| v.wrapping_add(1)));
            return old;
        }
        if self.eat("--") {
            let old = self.read(&name, index);
            self.write(&name, index, old.map(|v| v.wrapping_sub(1)));
            return old;
        }
        self.blanks();
        let rest = self.rest();
        let equal = rest.first() == Some(&b'=') && rest.get(1) != Some(&b'=');
        let op = ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"]
            .into_iter()
            .find(|op| rest.strip_prefix(op.as_bytes()).is_some_and(|r| r.first() == Some(&b'=')));
        if equal {
            self.at += 1;
            let value = self.choice();
            self.write(&name, index, value);
            return value;
        }
        let Some(op) = op else { return self.read(&name, index) };
        self.at += op.len() + 1;
        let right = self.choice();
        let value = apply(op, self.read(&name, index), right);
        self.write(&name, index, value);
        value
    }

    fn number(&mut self) -> Option<i64> {
        let len = self.rest().iter().take_while(|c| c.is_ascii_alphanumeric() || **c == b'#').count();
        let text = String::from_utf8_lossy(self.rest().get(..len)?).into_owned();
        self.at += len;
        if let Some((base, digits)) = text.split_once('#') {
            let base: u32 = base.parse().ok().filter(|b| (2..=36).contains(b))?;
            return i64::from_str_radix(digits, base).ok();
        }
        if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            return i64::from_str_radix(hex, 16).ok();
        }
        match text.strip_prefix('0') {
            Some(octal) if !octal.is_empty() => i64::from_str_radix(octal, 8).ok(),
            _ => text.parse().ok(),
        }
    }

    /// A name and what stands in brackets behind it.
    fn name(&mut self) -> Option<(String, Option<String>)> {
        self.blanks();
        let len = self.rest().iter().take_while(|c| c.is_ascii_alphanumeric() || **c == b'_').count();
        if len == 0 {
            self.at = self.text.len() + 1;
            return None;
        }
        let name = String::from_utf8_lossy(self.rest().get(..len)?).into_owned();
        self.at += len;
        if self.rest().first() != Some(&b'[') {
            return Some((name, None));
        }
        let mut open = 0u32;
        let close = self.rest().iter().position(|c| {
            match c {
                b'[' => open += 1,
                b']' => open -= 1,
                _ => {}
            }
            open == 0
        })?;
        let index = String::from_utf8_lossy(self.rest().get(1..close)?).into_owned();
        self.at += close + 1;
        Some((name, Some(index)))
    }

    fn read(&mut self, name: &str, index: Option<&str>) -> Option<i64> {
        if self.off {
            return Some(0);
        }
        let value = match index {
            Some(index) => {
                let key = self.walk.key_of(name, index)?;
                match self.walk.st.var(name) {
                    Some(var) => var.item(&key),
                    None => return None,
                }
            }
            None => match self.walk.lookup(name) {
                None if name.bytes().all(|c| c.is_ascii_uppercase() || c == b'_') => return None,
                found => found,
            },
        };
        let Some(value) = value else { return Some(0) };
        let text = value.text.trim();
        if text.is_empty() {
            return Some(0);
        }
        match text.parse() {
            Ok(number) if !text.starts_with('0') || text == "0" => Some(number),
            // A value is an expression again, and its indices are expanded.
            _ => self.walk.arithmetic(text),
        }
    }

    fn write(&mut self, name: &str, index: Option<&str>, value: Option<i64>) {
        if self.off {
            return;
        }
        let value = Arg::new(value.map_or_else(|| HOLE.to_string(), |v| v.to_string()));
        match index {
            Some(index) => {
                if let Some(key) = self.walk.key_of(name, index) {
                    self.walk.st.with_var(name, |v| v.put_item(&key, value, false));
                }
            }
            None => self.walk.st.set(name, value),
        }
    }
}

fn apply(op: &str, left: Option<i64>, right: Option<i64>) -> Option<i64> {
    match (op, left, right) {
        ("&&", Some(0), _) | ("&&", _, Some(0)) => return Some(0),
        ("||", Some(l), _) if l != 0 => return Some(1),
        ("||", _, Some(r)) if r != 0 => return Some(1),
        _ => {}
    }
    let (l, r) = (left?, right?);
    Some(match op {
        "||" => i64::from(l != 0 || r != 0),
        "&&" => i64::from(l != 0 && r != 0),
        "|" => l | r,
        "^" => l ^ r,
        "&" => l & r,
        "==" => i64::from(l == r),
        "!=" => i64::from(l != r),
        "<=" => i64::from(l <= r),
        ">=" => i64::from(l >= r),
        "<" => i64::from(l < r),
        ">" => i64::from(l > r),
        "<<" => l.wrapping_shl(u32::try_from(r).ok()?),
        ">>" => l.wrapping_shr(u32::try_from(r).ok()?),
        "+" => l.wrapping_add(r),
        "-" => l.wrapping_sub(r),
        "*" => l.wrapping_mul(r),
        "/" => l.checked_div(r)?,
        "%" => l.checked_rem(r)?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::model::{Arg, Context};
    use crate::walk::Walk;

    fn context() -> Context {
        Context { cwd: "/p".into(), home: "/h".into(), project_root: "/p".into() }
    }

    #[test]
    fn expressions_are_computed() {
        let ctx = context();
        let mut walk = Walk::new(&ctx);
        for (text, value) in [
            ("1 + 2 * 3", 7),
            ("(1 + 2) * 3", 9),
            ("2 ** 3 ** 2", 512),
            ("7 / 2 % 2", 1),
            ("1 << 4 | 1", 17),
            ("-3 + +1", -2),
            ("!0 && 1", 1),
            ("0 ? 5 : 6", 6),
            ("0x1f + 010 + 2#101", 44),
            ("x = 4, x += 2, x++ + x", 13),
            ("x > 6 && x <= 7", 1),
            ("0 && (x = 99), x", 7),
            ("y", 0),
            ("1 - -1", 2),
        ] {
            assert_eq!(walk.arithmetic(text), Some(value), "{text}");
        }
        for unknown in ["SOME_VARIABLE + 1", "1 +", "1 / 0", "a b", "\u{E000}"] {
            assert_eq!(walk.arithmetic(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn values_that_name_each_other_end() {
        let ctx = context();
        let mut walk = Walk::new(&ctx);
        walk.st.set("a", Arg::new("a[a]"));
        assert_eq!(walk.arithmetic("a"), None);
        let mut walk = Walk::new(&ctx);
        for (name, next) in [("b", "c+c"), ("c", "d+d"), ("d", "b+b")] {
            walk.st.set(name, Arg::new(next));
        }
        assert_eq!(walk.arithmetic("b"), None);
    }
}
