//! Compound commands: groups, branches, loops, cases, functions.

use std::rc::Rc;

use super::ast::{Command, CommandKind, Item, Pipeline, Script};
use super::parse::Parser;

impl Parser<'_> {
    pub(super) fn compound(&mut self) -> Option<CommandKind> {
        let c = self.peek()?;
        if c == b'(' {
            if self.starts("((")
                && let Some(end) = self.arithmetic_end(self.pos + 2)
            {
                let inner = self.quoted_span(self.pos + 2, end);
                self.pos = end + 2;
                return Some(CommandKind::Arith(inner));
            }
            if !self.enter() {
                return None;
            }
            self.pos += 1;
            let body = self.list_to_paren();
            self.depth -= 1;
            return Some(CommandKind::Subshell(body));
        }
        let kw = self.keyword().to_owned();
        match kw.as_str() {
            "{" | "if" | "while" | "until" | "for" | "select" | "case" | "function" | "coproc" | "[[" => {}
            _ => return self.function_definition(),
        }
        if !self.enter() {
            return None;
        }
        self.pos += kw.len();
        let kind = match kw.as_str() {
            "{" => {
                let body = self.list(&["}"]);
                self.expect("}");
                CommandKind::Group(body)
            }
            "if" => self.if_clause(),
            "while" | "until" => {
                let cond = self.list(&["do"]);
                let body = self.do_group();
                CommandKind::Loop { until: kw == "until", cond, body }
            }
            "for" | "select" => self.for_clause(),
            "case" => self.case_clause(),
            "[[" => {
                let mut words = Vec::new();
                loop {
                    self.gap();
                    if self.eat("]]") || self.peek().is_none() {
                        break;
                    }
                    match self.word() {
                        Some(w) => words.push(w),
                        None => self.skip_token(),
                    }
                }
                CommandKind::Test(words)
            }
            "coproc" => {
                self.blanks();
                // `coproc NAME { … }`: the name is not a command when a compound follows.
                let save = self.pos;
                let name = self.word();
                self.blanks();
                let grouped = name.is_some() && matches!(self.peek(), Some(b'{' | b'('));
                if !grouped {
                    self.pos = save;
                }
                match self.command() {
                    Some(c) => CommandKind::Group(single(c)),
                    None => CommandKind::Group(Script::default()),
                }
            }
            _ => {
                self.blanks();
                let name = self.word().map(|w| w.raw.to_string()).unwrap_or_default();
                self.blanks();
                if self.peek() == Some(b'(') {
                    self.pos += 1;
                    self.blanks();
                    if self.peek() == Some(b')') {
                        self.pos += 1;
                    }
                }
                self.function_body(name)
            }
        };
        self.depth -= 1;
        Some(kind)
    }

    fn expect(&mut self, kw: &str) {
        self.gap();
        if self.keyword() == kw {
            self.pos += kw.len();
        } else {
            self.broken = true;
        }
    }

    fn do_group(&mut self) -> Script {
        self.gap();
        if self.peek() == Some(b';') {
            self.pos += 1;
            self.gap();
        }
        if self.keyword() == "{" {
            self.pos += 1;
            let body = self.list(&["}"]);
            self.expect("}");
            return body;
        }
        self.expect("do");
        let body = self.list(&["done"]);
        self.expect("done");
        body
    }

    fn if_clause(&mut self) -> CommandKind {
        let mut arms = Vec::new();
        let mut otherwise = None;
        loop {
            let cond = self.list(&["then"]);
            self.expect("then");
            let body = self.list(&["elif", "else", "fi"]);
            arms.push((cond, body));
            match self.keyword() {
                "elif" => self.pos += 4,
                "else" => {
                    self.pos += 4;
                    otherwise = Some(self.list(&["fi"]));
                    break;
                }
                _ => break,
            }
        }
        self.expect("fi");
        CommandKind::If { arms, otherwise }
    }

    fn for_clause(&mut self) -> CommandKind {
        self.blanks();
        if self.starts("((")
            && let Some(end) = self.arithmetic_end(self.pos + 2)
        {
            let endless = {
                let mut parts = self.slice(self.pos + 2, end).split(';');
                parts.nth(1).is_some_and(|c| matches!(c.trim(), "" | "1"))
            };
            let exprs = self.quoted_span(self.pos + 2, end);
            self.pos = end + 2;
            self.blanks();
            let body = self.do_group();
            return CommandKind::ArithFor { exprs, endless, body };
        }
        let var = self.word().map(|w| w.raw.to_string()).unwrap_or_default();
        self.gap();
        let mut words = None;
        if self.keyword() == "in" {
            self.pos += 2;
            let mut list = Vec::new();
            loop {
                self.blanks();
                match self.word() {
                    Some(w) => list.push(w),
                    None => break,
                }
            }
            words = Some(list);
        }
        let body = self.do_group();
        CommandKind::For { var, words, body }
    }

    fn case_clause(&mut self) -> CommandKind {
        self.blanks();
        let subject = self.word().unwrap_or_default();
        self.expect("in");
        let mut arms = Vec::new();
        loop {
            self.gap();
            if self.keyword() == "esac" || self.peek().is_none() {
                break;
            }
            if self.peek() == Some(b'(') {
                self.pos += 1;
            }
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                match self.word() {
                    Some(w) => patterns.push(w),
                    None => {
                        if !matches!(self.peek(), Some(b'|' | b')')) {
                            self.broken = true;
                        }
                    }
                }
                self.blanks();
                if self.peek() != Some(b'|') {
                    break;
                }
                self.pos += 1;
            }
            if self.peek() == Some(b')') {
                self.pos += 1;
            } else {
                self.broken = true;
            }
            let before = self.pos;
            let body = self.list(&[";;", "esac"]);
            arms.push((patterns, body));
            if !(self.eat(";;&") || self.eat(";;") || self.eat(";&")) && self.keyword() != "esac" {
                self.broken = true;
                if self.pos == before {
                    self.skip_token();
                }
            }
        }
        self.expect("esac");
        CommandKind::Case { subject, arms }
    }

    /// `name () …`, when that is what stands here.
    fn function_definition(&mut self) -> Option<CommandKind> {
        let save = self.pos;
        let mut end = self.pos;
        while self.b.get(end).is_some_and(|c| {
            c.is_ascii_alphanumeric()
                || matches!(c, b'_' | b'-' | b'.' | b':' | b'+' | b'@' | b'/' | b'%' | b',')
        }) {
            end += 1;
        }
        if end == self.pos {
            return None;
        }
        let mut after = end;
        while matches!(self.b.get(after), Some(b' ' | b'\t')) {
            after += 1;
        }
        if self.b.get(after) != Some(&b'(') {
            return None;
        }
        after += 1;
        while matches!(self.b.get(after), Some(b' ' | b'\t')) {
            after += 1;
        }
        if self.b.get(after) != Some(&b')') {
            return None;
        }
        let name = self.slice(save, end).to_owned();
        self.pos = after + 1;
        if !self.enter() {
            return None;
        }
        let kind = self.function_body(name);
        self.depth -= 1;
        Some(kind)
    }

    fn function_body(&mut self, name: String) -> CommandKind {
        self.gap();
        if let Some(body) = self.command() {
            CommandKind::Function { name, body: Rc::new(body) }
        } else {
            self.broken = true;
            CommandKind::Group(Script::default())
        }
    }
}

fn single(command: Command) -> Script {
    let first = Pipeline { negated: false, stages: vec![command] };
    Script { items: vec![Item { first, rest: Vec::new(), background: false }] }
}
