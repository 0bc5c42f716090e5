//! The constructs that generated programs have: loops, errors, choices, functions inside.

use super::{VARS, Writer};
use sprag_code::language::Language;

impl Writer {
    pub(super) fn fresh(&mut self, kind: &str) -> String {
        self.names += 1;
        format!("{kind}{}", self.names)
    }

    pub(super) fn label(&mut self) -> String {
        let label = self.is(Language::JavaScript) && self.dice.roll(2) == 0;
        if label { self.fresh("label") } else { String::new() }
    }

    pub(super) fn looping(&mut self, depth: usize, label: String) {
        self.loops.push(label);
        self.block(depth - 1);
        self.loops.pop();
    }

    pub(super) fn otherwise(&mut self, depth: usize) {
        if self.is(Language::Python) && self.dice.roll(3) == 0 {
            self.line("else:", "");
            self.block(depth - 1);
        }
    }

    pub(super) fn counted(&mut self, depth: usize) {
        let (name, count, label) = (self.fresh("i"), self.dice.roll(4), self.label());
        let line = self.here();
        let colon = if label.is_empty() { String::new() } else { format!("{label}: ") };
        match self.language {
            Language::Python => self.line(&format!("for {name} in range({count}):"), ""),
            Language::Ruby => self.line(
                &format!("upto({count}).each do |{name}|"),
                &format!("traced(f, {line}, {count}).each do |{name}|"),
            ),
            Language::Php => self.line(
                &format!("foreach (upto({count}) as {name}) {{"),
                &format!("foreach (traced(F, {line}, {count}) as {name}) {{"),
            ),
            _ => self.line(
                &format!("{colon}for (const {name} of upto({count})) {{"),
                &format!("{colon}for (const {name} of traced(F, {line}, {count})) {{"),
            ),
        }
        self.indent += 1;
        let text = format!("{} = {name}", self.one_of(VARS));
        self.simple(&text);
        self.indent -= 1;
        self.looping(depth, label);
        self.otherwise(depth);
        self.end();
    }

    pub(super) fn fuelled(&mut self, depth: usize) {
        let label = self.label();
        let line = self.here();
        let colon = if label.is_empty() { String::new() } else { format!("{label}: ") };
        match self.language {
            Language::Python => self.line("while fuel():", ""),
            Language::Ruby => self.line("while fuel()", &format!("while T(f, {line}) && fuel()")),
            _ => self.line(
                &format!("{colon}while (fuel()) {{"),
                &format!("{colon}while (T(F, {line}) && fuel()) {{"),
            ),
        }
        self.looping(depth, label);
        self.otherwise(depth);
        self.end();
    }

    pub(super) fn at_least_once(&mut self, depth: usize) {
        let label = self.label();
        let colon = if label.is_empty() { String::new() } else { format!("{label}: ") };
        self.line(&format!("{colon}do {{"), &format!("{colon}do {{"));
        self.looping(depth, label);
        let line = self.here();
        self.line("} while (fuel());", &format!("}} while (T(F, {line}) && fuel());"));
    }

    pub(super) fn attempt(&mut self, depth: usize) {
        let line = self.here();
        match self.language {
            Language::Python => self.line("try:", ""),
            Language::Ruby => self.line("begin", &format!("T(f, {line}); begin")),
            _ => self.line("try {", &format!("T(F, {line}); try {{")),
        }
        self.block(depth - 1);
        let handler = self.dice.roll(4) != 0;
        if handler {
            let line = self.here();
            match self.language {
                Language::Python => {
                    let what = self.one_of(&["ValueError", "ZeroDivisionError", "Exception"]);
                    self.line(&format!("except {what} as e:"), "");
                }
                Language::Ruby => {
                    // Errors of the tracing itself are none of these.
                    let what = self.one_of(&["ArgumentError", "ZeroDivisionError", "StandardError"]);
                    let text = format!("rescue {what} => e");
                    self.line(&text, &format!("{text}; T(f, {line}); D(f, {line})"));
                }
                Language::Php => {
                    let what = self.one_of(&["ValueError", "ArithmeticError", "Throwable"]);
                    let text = format!("}} catch ({what} e) {{");
                    self.line(&text, &format!("{text} T(F, {line}); D(F, {line});"));
                }
                _ => self.line("} catch (e) {", &format!("}} catch (e) {{ T(F, {line}); D(F, {line});")),
            }
            self.indent += 1;
            let text = self.of(
                "a = len(str(e)) % 3", "a = String(e).length % 3", "a = e.to_s.length % 3",
                "a = strlen(get_class(e)) % 3",
            );
            self.simple(text);
            self.indent -= 1;
            self.block(depth - 1);
            if matches!(self.language, Language::Python | Language::Ruby) && self.dice.roll(3) == 0 {
                let text = self.of("else:", "", "else", "");
                self.line(text, text);
                self.block(depth - 1);
            }
        }
        if !handler || self.dice.roll(2) == 0 {
            let text = self.of("finally:", "} finally {", "ensure", "} finally {");
            self.line(text, text);
            // PHP has no jumps out of a `finally` but `return`.
            let loops = self.loops.clone();
            if self.is(Language::Php) {
                self.loops.clear();
            }
            self.block(depth - 1);
            self.loops = loops;
        }
        self.end();
    }

    pub(super) fn choice(&mut self, depth: usize) {
        let var = self.one_of(VARS);
        let line = self.here();
        let count = 1 + self.dice.roll(3);
        if self.is(Language::Ruby) {
            return self.choice_of_ruby(var, count, depth);
        }
        if self.is(Language::Python) {
            self.line(&format!("match {var} % 4:"), "");
            self.indent += 1;
            for number in 0..count {
                if self.dice.roll(4) == 0 {
                    // The guard sees what the pattern bound: that is no use of what was before.
                    let (other, bound) = if self.dice.roll(2) == 0 { ("a", "b") } else { ("c", "d") };
                    self.line(&format!("case {bound} if {other} > 2:"), "");
                } else {
                    self.line(&format!("case {number}:"), "");
                }
                self.block(depth - 1);
            }
            if self.dice.roll(2) == 0 {
                self.line("case _:", "");
                self.block(depth - 1);
            }
            self.indent -= 1;
            return;
        }
        self.line(&format!("switch ({var} % 4) {{"), &format!("switch (V(F, {line}, {var} % 4)) {{"));
        self.indent += 1;
        let default_at = self.dice.roll(count + 2);
        for number in 0..count {
            if number == default_at {
                self.line("default:", "default:");
            } else {
                let line = self.here();
                self.line(&format!("case {number}:"), &format!("case V(F, {line}, {number}):"));
            }
            // A bare `continue` in a switch is the loop's; a bare `break` is the switch's. In PHP a switch is a level.
            self.loops.push(String::new());
            if self.loops.len() == 1 && !self.is(Language::Php) {
                self.loops.clear();
                self.block(depth - 1);
            } else {
                self.block(depth - 1);
                self.loops.pop();
            }
            if self.dice.roll(3) != 0 {
                self.indent += 1;
                self.jump("break");
                self.indent -= 1;
            }
        }
        self.indent -= 1;
        self.end();
    }

    pub(super) fn with(&mut self, depth: usize) {
        let manager = self.one_of(&["quiet", "loud"]);
        let var = self.one_of(VARS);
        self.line(&format!("with {manager}({}) as {var}:", self.dice.0 % 5), "");
        self.block(depth - 1);
    }

    /// A function inside that reads and writes the variables around it, and a call of it.
    pub(super) fn function(&mut self) {
        let (name, param) = (self.fresh("f"), self.fresh("p"));
        let written = self.one_of(VARS);
        let loops = std::mem::take(&mut self.loops);
        self.inner = true;
        let line = self.here();
        match self.language {
            Language::Python => {
                self.line(&format!("def {name}({param}):"), "");
                self.indent += 1;
                self.line(&format!("nonlocal {}", VARS.join(", ")), "");
                self.indent -= 1;
            }
            Language::Ruby => self.line(
                &format!("{name} = lambda do |{param}|"),
                &format!("T(f, {line}); D(f, {line}); {name} = lambda do |{param}; f| f = enter({line})"),
            ),
            Language::Php => {
                let text = format!("{name} = function ({param}) use (&a, &b, &c, &d, &xs) {{");
                self.line(&text, &format!("T(F, {line}); D(F, {line}); {text} F = enter({line});"));
            }
            _ => self.line(
                &format!("const {name} = ({param}) => {{"),
                &format!("T(F, {line}); D(F, {line}); const {name} = ({param}) => {{ const F = enter();"),
            ),
        }
        self.indent += 1;
        let text = format!("{written} = ({param} + {}) % 9", self.one_of(VARS));
        self.simple(&text);
        self.indent -= 1;
        self.block(1);
        self.indent += 1;
        let text = format!("return {}", self.one_of(VARS));
        self.jump(&text);
        self.indent -= 1;
        match self.language {
            Language::Python => {}
            Language::Ruby => self.line("end", "end"),
            _ => self.line("};", "};"),
        }
        self.inner = false;
        self.loops = loops;
        // Change something between making and calling.
        let text = format!("{} = {}", self.one_of(VARS), self.dice.roll(9));
        self.simple(&text);
        let call = if self.is(Language::Ruby) { ".call" } else { "" };
        let text = format!("{} = {name}{call}({})", self.one_of(VARS), self.one_of(VARS));
        self.simple(&text);
    }

    pub(super) fn choice_of_ruby(&mut self, var: &str, count: usize, depth: usize) {
        let line = self.here();
        self.line(&format!("case {var} % 4"), &format!("case V(f, {line}, {var} % 4)"));
        for number in 0..count {
            let line = self.here();
            self.line(&format!("when {number}"), &format!("when V(f, {line}, {number})"));
            self.block(depth - 1);
        }
        if self.dice.roll(2) == 0 {
            self.line("else", "else");
            self.block(depth - 1);
        }
        self.line("end", "end");
    }
}
