//! Steps while a function is lowered: their lines, without those of what lies inside, and where they go.

use super::{Lower, last_row};
use crate::flow::ir::{Body, Role, Step, Stmt};
use crate::language::Language;
use tree_sitter::Node;

/// A step being written.
pub(super) struct Draft {
    pub(super) step: Step,
    pub(super) rows: (usize, usize),
    /// Rows that belong to statements inside of it.
    pub(super) holes: Vec<(usize, usize)>,
}

impl<'t> Lower<'t> {
    pub(super) fn draft(&self, node: Node<'_>, role: Role) -> Draft {
        self.draft_of(node, node, role)
    }

    /// A step from the beginning of one node to the end of another.
    pub(super) fn draft_of(&self, from: Node<'_>, to: Node<'_>, role: Role) -> Draft {
        let mut step = Step::empty(role);
        step.span = (from.start_byte() as u32, to.end_byte() as u32);
        Draft { step, rows: (from.start_position().row, last_row(to)), holes: Vec::new() }
    }

    /// Leaves out the rows of a body inside of a step.
    pub(super) fn hole(&self, draft: &mut Draft, body: Node<'_>) {
        let (first, last) = (body.start_position().row, last_row(body));
        let begins_line = self.line_before(body).trim().is_empty();
        let braced = body.child(0).is_some_and(|child| matches!(child.kind(), "{" | "do" | "begin"));
        let from = if begins_line && !braced { first } else { first + 1 };
        let to = if braced && last > first { last - 1 } else { last };
        if from <= to {
            draft.holes.push((from, to));
        }
    }

    pub(super) fn line_before(&self, node: Node<'_>) -> &'t str {
        let start = node.start_byte();
        self.text.get(start - node.start_position().column.min(start)..start).unwrap_or("x")
    }

    pub(super) fn finish(&self, draft: Draft) -> Step {
        let Draft { mut step, rows: (first, last), mut holes } = draft;
        holes.sort_unstable();
        let mut holes = holes.into_iter().peekable();
        let mut behind = 0;
        let says = |row: usize| {
            let text = self.parsed.source.line(row as u32 + 1).trim_start();
            !is_comment(text)
                && (self.parsed.language != Language::Ruby || !is_end(text))
                && text.chars().any(|c| c.is_alphanumeric() || matches!(c, '"' | '\'' | '`' | '_'))
        };
        let mut lines: Vec<(u32, u32)> = Vec::new();
        for row in first..=last {
            while let Some((_, to)) = holes.next_if(|(from, _)| *from <= row) {
                behind = behind.max(to + 1);
            }
            if row != first && (row < behind || !says(row)) {
                continue;
            }
            let number = row as u32 + 1;
            match lines.last_mut() {
                Some((_, end)) if *end + 1 == number => *end = number,
                _ => lines.push((number, number)),
            }
        }
        step.lines = lines;
        step
    }

    pub(super) fn emit(&mut self, stmt: Stmt) {
        if let Some(body) = self.bodies.last_mut() {
            body.push(stmt);
        }
    }

    pub(super) fn emit_step(&mut self, draft: Draft) {
        let step = self.finish(draft);
        self.emit(Stmt::Step(step));
    }

    /// Emits what an expression does before its step: perhaps, where the expression is not always evaluated.
    pub(super) fn emit_before(&mut self, body: Body) {
        if self.maybe > 0 {
            self.emit(Stmt::Perhaps(body));
        } else if let Some(current) = self.bodies.last_mut() {
            current.extend(body);
        }
    }

    /// Collects what is emitted.
    pub(super) fn nested(&mut self, run: impl FnOnce(&mut Self)) -> Body {
        self.bodies.push(Vec::new());
        let maybe = std::mem::take(&mut self.maybe);
        run(self);
        self.maybe = maybe;
        self.bodies.pop().unwrap_or_default()
    }
}

fn is_comment(text: &str) -> bool {
    ["//", "/*", "* ", "*/"].iter().any(|mark| text.starts_with(mark))
        || (text.starts_with('#') && !text.starts_with("#[") && !text.starts_with("#!"))
}

/// Only the word that closes something.
fn is_end(text: &str) -> bool {
    text.strip_prefix("end").is_some_and(|rest| !rest.contains(|c: char| c.is_alphanumeric() || c == '_'))
}
