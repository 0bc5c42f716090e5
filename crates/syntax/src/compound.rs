//! Compound commands: groups, branches, loops, cases, functions.

use std::rc::Rc;

use super::ast::{CaseArm, CaseEnd, Command, CommandKind, Item, Pipeline, Script, TestItem};
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
                let open = self.pos;
                let body = self.list(&["}"]);
                self.close_brace(open);
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
            "[[" => self.test_clause(),
            "coproc" => self.coproc_clause(),
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

    /// The closing word of a construct. No shell runs a line where it is missing.
    fn expect(&mut self, kw: &str) {
        if !self.take(kw) {
            self.reject();
        }
    }

    /// The word `kw`, if it stands here.
    fn take(&mut self, kw: &str) -> bool {
        self.gap();
        let hit = self.keyword() == kw;
        if hit {
            self.pos += kw.len();
        } else {
            self.broken = true;
        }
        hit
    }

    fn test_clause(&mut self) -> CommandKind {
        const OPERATORS: [&str; 6] = ["&&", "||", "(", ")", "<", ">"];
        let mut items = Vec::new();
        loop {
            self.gap();
            if self.peek().is_none() {
                // A command to a shell without `[[`.
                self.broken = true;
                self.open_test = true;
                break;
            }
            if self.keyword() == "]]" {
                self.pos += 2;
                break;
            }
            if self.after_match(&items) {
                items.push(TestItem::Word(self.regex_word()));
                continue;
            }
            let operator =
                OPERATORS.iter().find(|op| self.starts(op) && !self.starts("<(") && !self.starts(">("));
            if let Some(op) = operator {
                self.pos += op.len();
                items.push(TestItem::Op(op));
                continue;
            }
            match self.word() {
                Some(w) => items.push(TestItem::Word(w)),
                None => self.skip_token(),
            }
        }
        CommandKind::Test(items)
    }

    /// Whether the last item is `=~`: what follows is a regular expression, where `(` and `|` are no operators.
    fn after_match(&self, items: &[TestItem]) -> bool {
        matches!(items.last(), Some(TestItem::Word(w)) if &*w.raw == "=~")
    }

    fn coproc_clause(&mut self) -> CommandKind {
        self.blanks();
        // `coproc NAME { … }`: the name is not a command when a compound follows.
        let save = self.pos;
        let name = self.word();
        self.blanks();
        let compound = matches!(self.peek(), Some(b'('))
            || matches!(self.keyword(), "{" | "if" | "while" | "until" | "for" | "case" | "[[");
        let name = match name {
            Some(name) if compound && &*name.raw != "{" => name.raw.to_string(),
            _ => {
                self.pos = save;
                "COPROC".to_owned()
            }
        };
        let body = self.command().map(single).unwrap_or_default();
        CommandKind::Coproc { name, body: Rc::new(body) }
    }

    /// The `}` of the group that opened before `open`. zsh takes one that bash reads as an ordinary word.
    fn close_brace(&mut self, open: usize) {
        if !self.take("}") {
            if self.b.get(open..).is_some_and(|rest| rest.contains(&b'}')) {
                self.zsh_braces = true;
            } else {
                self.reject();
            }
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
            let open = self.pos;
            let body = self.list(&["}"]);
            self.close_brace(open);
            return body;
        }
        // zsh takes a single command without `do`, but then no `done` may follow.
        let opened = self.take("do");
        let body = self.list(&["done"]);
        if self.keyword() == "done" {
            self.pos += 4;
            if !opened {
                self.reject();
            }
        } else if opened {
            self.broken = true;
            self.reject();
        }
        body
    }

    fn if_clause(&mut self) -> CommandKind {
        let mut arms = Vec::new();
        let mut otherwise = None;
        loop {
            let cond = self.list(&["then"]);
            if !self.take("then") {
                if ends_in_group(&cond) {
                    // zsh: `if condition { … }`.
                    arms.push((cond, Script::default()));
                    return CommandKind::If { arms, otherwise };
                }
                self.reject();
            }
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
            let mut starts = self.pos + 2;
            let exprs = [(), (), ()].map(|()| {
                let rest = self.b.get(starts..end).unwrap_or_default();
                let stop = rest.iter().position(|c| *c == b';').map_or(end, |at| starts + at);
                let word = self.quoted_span(starts, stop);
                starts = (stop + 1).min(end);
                word
            });
            self.pos = end + 2;
            self.blanks();
            let body = self.do_group();
            return CommandKind::ArithFor { exprs, body };
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
        let braced = !self.take("in") && self.keyword() == "{";
        let mut arms = Vec::new();
        loop {
            self.gap();
            if self.keyword() == "esac" || self.peek().is_none() {
                break;
            }
            if braced && self.keyword() == "}" {
                self.pos += 1;
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
            let mut end = CaseEnd::Stop;
            if self.eat(";;&") {
                end = CaseEnd::Test;
            } else if self.eat(";&") {
                end = CaseEnd::Next;
            } else if !self.eat(";;") && self.keyword() != "esac" {
                self.broken = true;
                if self.pos == before {
                    self.skip_token();
                }
            }
            arms.push(CaseArm { patterns, body, end });
        }
        if braced {
            // zsh: `case word { … }`.
            self.broken = true;
        } else {
            self.expect("esac");
        }
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

fn ends_in_group(script: &Script) -> bool {
    let last = script.items.last().and_then(|item| item.first.stages.last());
    matches!(last, Some(Command { kind: CommandKind::Group(_), .. }))
}

fn single(command: Command) -> Script {
    let first = Pipeline { negated: false, stages: vec![command] };
    Script { items: vec![Item { first, rest: Vec::new(), background: false }] }
}
