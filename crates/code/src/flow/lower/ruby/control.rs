//! Ruby's branches, loops and cases: as statements, behind a statement, or for their value.

use super::name;
use super::{Ruby, Tail, is_jump, nested, redo_at, redo_label, statements, stmt};
use crate::flow::ir::{Arm, Body, Case, If, Jump, Loop, Role, Step, Stmt, Switch, Touch};
use crate::flow::lower::curly;
use crate::flow::lower::place::{Grammar, all};
use crate::flow::lower::{Draft, Lower, children, children_of, line};
use tree_sitter::Node;

/// True for what has control flow in it, whoever wants its value.
pub(super) const fn has_value(kind: &str) -> bool {
    matches!(
        kind.as_bytes(),
        b"if" | b"unless" | b"case" | b"case_match" | b"begin" | b"while" | b"until" | b"for"
    )
}

/// Lowers a statement that decides something; false when it is none.
pub(super) fn statement(l: &mut Lower<'_>, node: Node<'_>, tail: Tail) -> bool {
    match node.kind() {
        "if" | "unless" => conditional(l, node, tail),
        "if_modifier" | "unless_modifier" => behind(l, node, tail),
        "while" | "until" => repeated(l, node, node.child_by_field_name("body"), false),
        "while_modifier" | "until_modifier" => {
            let body = node.child_by_field_name("body");
            // Only `begin … end while` runs once before it asks.
            let at_end = body.is_some_and(|body| body.kind() == "begin");
            repeated(l, node, body, at_end);
        }
        "for" => each(l, node),
        "case" => cases(l, node, tail),
        "case_match" => patterns(l, node, tail),
        "binary" => return short(l, node),
        _ => return false,
    }
    true
}

/// The word `if`, `unless`, `while`, `until` of what stands behind a statement.
fn word(node: Node<'_>) -> Node<'_> {
    let mut cursor = node.walk();
    let word = node.children(&mut cursor).find(|child| !child.is_named());
    word.unwrap_or(node)
}

/// A test with what is done to know it.
fn test(l: &mut Lower<'_>, from: Node<'_>, condition: Node<'_>) -> (Body, Step) {
    let mut draft = l.draft_of(from, condition, Role::Test);
    let before = l.nested(|l| Ruby::expr(l, condition, &mut draft));
    (before, l.finish(draft))
}

fn conditional(l: &mut Lower<'_>, node: Node<'_>, tail: Tail) {
    let mut arms = Vec::new();
    let mut other = Vec::new();
    let mut at = Some(node);
    while let Some(branch) = at.take() {
        let Some(condition) = branch.child_by_field_name("condition") else {
            other = nested(l, Some(branch), tail);
            break;
        };
        let (before, test) = test(l, branch, condition);
        let body = nested(l, branch.child_by_field_name("consequence"), tail);
        arms.push(Arm { before, test, body });
        at = branch.child_by_field_name("alternative");
    }
    l.emit(Stmt::If(If { arms, other }));
}

/// `do_it if this`.
fn behind(l: &mut Lower<'_>, node: Node<'_>, tail: Tail) {
    let (Some(inside), Some(condition)) =
        (node.child_by_field_name("body"), node.child_by_field_name("condition"))
    else {
        return;
    };
    let (before, test) = test(l, word(node), condition);
    let body = l.nested(|l| stmt(l, inside, tail));
    l.emit(Stmt::If(If { arms: vec![Arm { before, test, body }], other: Vec::new() }));
}

/// `this or return`.
fn short(l: &mut Lower<'_>, node: Node<'_>) -> bool {
    let field = |name: &str| node.child_by_field_name(name);
    let (Some(left), Some(right), Some(operator)) = (field("left"), field("right"), field("operator")) else {
        return false;
    };
    if !matches!(operator.kind(), "and" | "or" | "&&" | "||") || !is_jump(l, right) {
        return false;
    }
    let (before, test) = test(l, left, left);
    let body = l.nested(|l| stmt(l, right, Tail::Nothing));
    l.emit(Stmt::If(If { arms: vec![Arm { before, test, body }], other: Vec::new() }));
    true
}

fn repeated(l: &mut Lower<'_>, node: Node<'_>, inside: Option<Node<'_>>, at_end: bool) {
    let Some(condition) = node.child_by_field_name("condition") else { return };
    let from = match node.kind() {
        _ if at_end => condition,
        "while" | "until" => node,
        _ => word(node),
    };
    let (before, head) = test(l, from, condition);
    let until = node.kind().starts_with("until");
    let endless = l.text(condition) == if until { "false" } else { "true" };
    l.levels.push((redo_at(node), false));
    let body = l.nested(|l| {
        if let Some(inside) = inside {
            redo_label(l, inside, node);
            match inside.kind() {
                "do" => statements(l, inside, Tail::Nothing),
                "begin" => super::rescued(l, inside, None, Tail::Nothing),
                _ => stmt(l, inside, Tail::Nothing),
            }
        }
    });
    l.levels.pop();
    l.emit(Stmt::Loop(Loop { before, endless, at_end, ..Loop::new(head, body) }));
}

fn each(l: &mut Lower<'_>, node: Node<'_>) {
    let (Some(pattern), Some(value)) =
        (node.child_by_field_name("pattern"), node.child_by_field_name("value"))
    else {
        return;
    };
    let mut draft = l.draft_of(node, value, Role::Each);
    draft.step.throws = true;
    all::<Ruby>(l, value, &mut draft);
    name::bind(l, pattern, Touch::Def, &mut draft);
    let head = l.finish(draft);
    l.levels.push((redo_at(node), false));
    let inside = node.child_by_field_name("body");
    let body = l.nested(|l| {
        if let Some(inside) = inside {
            redo_label(l, inside, node);
            statements(l, inside, Tail::Nothing);
        }
    });
    l.levels.pop();
    l.emit(Stmt::Loop(Loop::new(head, body)));
}

/// `case` with `when`. Without a value each `when` is a condition.
fn cases(l: &mut Lower<'_>, node: Node<'_>, tail: Tail) {
    let value = node.child_by_field_name("value");
    let (subject, var) = if let Some(value) = value {
        let (subject, var) = curly::subject::<Ruby>(l, node, value);
        (subject, Some(var))
    } else {
        let draft = curly::first_line(l, node, Role::Subject, 4);
        (l.finish(draft), None)
    };
    let mut cases = Vec::new();
    for clause in children(node) {
        match clause.kind() {
            "when" => {
                let patterns = children_of(clause, "pattern");
                let mut draft = l.draft_of(clause, patterns.last().copied().unwrap_or(clause), Role::Case);
                if let Some(var) = var {
                    l.read_var(&mut draft, var, line(clause));
                }
                for pattern in patterns {
                    all::<Ruby>(l, pattern, &mut draft);
                }
                let test = Some(l.finish(draft));
                let body = nested(l, clause.child_by_field_name("body"), tail);
                cases.push(Case { test, guard: None, body, falls: false });
            }
            "else" => {
                let body = nested(l, Some(clause), tail);
                cases.push(Case { test: None, guard: None, body, falls: false });
            }
            _ => {}
        }
    }
    l.emit(Stmt::Switch(Switch { label: None, subject, cases, exhaustive: false, breaks: false }));
}

/// `case` with `in`: patterns that bind names, and an error when none fits.
fn patterns(l: &mut Lower<'_>, node: Node<'_>, tail: Tail) {
    let Some(value) = node.child_by_field_name("value") else { return };
    let (subject, var) = curly::subject::<Ruby>(l, node, value);
    let mut cases = Vec::new();
    for clause in children_of(node, "clauses") {
        let Some(pattern) = clause.child_by_field_name("pattern") else { continue };
        let mut draft: Draft = l.draft_of(clause, pattern, Role::Case);
        l.read_var(&mut draft, var, line(clause));
        name::pattern(l, pattern, &mut draft);
        let test = Some(l.finish(draft));
        let guard = clause.child_by_field_name("guard").and_then(|guard| {
            let condition = guard.child_by_field_name("condition")?;
            Some(self::test(l, guard, condition))
        });
        let body = nested(l, clause.child_by_field_name("body"), tail);
        cases.push(Case { test, guard, body, falls: false });
    }
    let body = match node.child_by_field_name("else") {
        Some(other) => nested(l, Some(other), tail),
        None => vec![Stmt::Jump(Step::empty(Role::Throw), Jump::Throw)],
    };
    cases.push(Case { test: None, guard: None, body, falls: false });
    l.emit(Stmt::Switch(Switch { label: None, subject, cases, exhaustive: true, breaks: false }));
}
