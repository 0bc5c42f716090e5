//! What languages with braces have in common: conditions, loops and switches whose parts have the same names.

use super::place::{Grammar, all};
use super::{Draft, Lower, children_of, line};
use crate::flow::ir::{Arm, Body, Case, If, Jump, Loop, Role, Step, Stmt, Switch, Touch, VarId};
use tree_sitter::Node;

/// A language with braces.
pub(super) trait Curly: Grammar {
    /// What a statement does; the name is that of the label before it.
    fn statement(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>);

    /// Lowers a statement, unless it is nested too deeply.
    fn stmt(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>) {
        if l.enter(node) {
            Self::statement(l, node, label);
            l.leave();
        } else {
            l.one_step(node);
        }
    }
}

/// `a = b`, `a += b`.
pub(super) fn assignment<G: Grammar>(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let field = |name: &str| node.child_by_field_name(name);
    if let Some(right) = field("right") {
        G::expr(l, right, d);
    }
    let plain = field("operator").is_none_or(|operator| operator.kind() == "=");
    if let Some(left) = field("left") {
        l.write_place::<G>(left, if plain { Touch::Def } else { Touch::Update }, d);
    }
}

pub(super) fn body<G: Curly>(l: &mut Lower<'_>, node: Option<Node<'_>>) -> Body {
    l.nested(|l| {
        if let Some(node) = node {
            l.scoped(|l| G::stmt(l, node, None));
        }
    })
}

/// A step of a node with everything in it read.
pub(super) fn step<G: Grammar>(l: &mut Lower<'_>, node: Node<'_>, role: Role) -> Step {
    let mut draft = l.draft(node, role);
    all::<G>(l, node, &mut draft);
    l.finish(draft)
}

/// A step whose words are names of labels, or nothing.
pub(super) fn bare(l: &mut Lower<'_>, node: Node<'_>, role: Role) -> Step {
    let draft = l.draft(node, role);
    l.finish(draft)
}

/// Only the first line of something: `try {`, `switch {`.
pub(super) fn first_line(l: &mut Lower<'_>, node: Node<'_>, role: Role, word: u32) -> Draft {
    let mut draft = l.draft(node, role);
    draft.rows.1 = draft.rows.0;
    draft.step.span.1 = draft.step.span.0 + word;
    draft
}

/// `if`, with whatever is after `else`.
pub(super) fn conditional<G: Curly>(l: &mut Lower<'_>, node: Node<'_>) {
    let mut arms = Vec::new();
    let mut other = Vec::new();
    let mut at = Some(node);
    let mut scopes = 0;
    while let Some(branch) = at.take() {
        let Some(condition) = branch.child_by_field_name("condition") else { break };
        // What a pattern binds is known in both branches.
        l.push_scope();
        scopes += 1;
        let mut draft = l.draft_of(branch, condition, Role::Test);
        let before = l.nested(|l| G::expr(l, condition, &mut draft));
        let test = l.finish(draft);
        let then = branch.child_by_field_name("consequence").or_else(|| branch.child_by_field_name("body"));
        let body_of = body::<G>(l, then);
        arms.push(Arm { before, test, body: body_of });
        let alternative = branch.child_by_field_name("alternative").map(|clause| {
            if clause.kind() == "else_clause" { clause.named_child(0).unwrap_or(clause) } else { clause }
        });
        match alternative {
            Some(next) if next.kind() == "if_statement" => at = Some(next),
            rest => other = body::<G>(l, rest),
        }
    }
    for _ in 0..scopes {
        l.pop_scope();
    }
    l.emit(Stmt::If(If { arms, other }));
}

/// `while` and `do`.
pub(super) fn repeated<G: Curly>(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>) {
    let at_end = node.kind() == "do_statement";
    let Some(condition) = node.child_by_field_name("condition") else { return };
    let mut draft =
        if at_end { l.draft(condition, Role::Test) } else { l.draft_of(node, condition, Role::Test) };
    let before = l.nested(|l| G::expr(l, condition, &mut draft));
    let head = l.finish(draft);
    let endless = matches!(l.text(condition).trim_matches(['(', ')', ' ']), "true" | "1" | "TRUE" | "True");
    let body = body::<G>(l, node.child_by_field_name("body"));
    l.emit(Stmt::Loop(Loop { label, before, endless, at_end, ..Loop::new(head, body) }));
}

/// `for (a; b; c)`.
pub(super) fn counted<G: Curly>(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>) {
    l.scoped(|l| {
        for first in children_of(node, "init")
            .into_iter()
            .chain(children_of(node, "initializer"))
            .chain(children_of(node, "initialize"))
        {
            let mut draft = l.draft(first, Role::Plain);
            G::expr(l, first, &mut draft);
            l.emit_step(draft);
        }
        let condition = node.child_by_field_name("condition").filter(Node::is_named);
        let mut draft = match condition {
            Some(condition) => l.draft(condition, Role::Test),
            None => first_line(l, node, Role::Test, 3),
        };
        let mut before = Vec::new();
        if let Some(condition) = condition {
            before = l.nested(|l| G::expr(l, condition, &mut draft));
        }
        let head = l.finish(draft);
        let inside = body::<G>(l, node.child_by_field_name("body"));
        let update = l.nested(|l| {
            for next in children_of(node, "update") {
                let mut draft = l.draft(next, Role::Plain);
                G::expr(l, next, &mut draft);
                l.emit_step(draft);
            }
        });
        let endless = condition.is_none();
        l.emit(Stmt::Loop(Loop { label, before, endless, update, ..Loop::new(head, inside) }));
    });
}

/// The subject of a switch: a step, and the variable that its cases look at.
pub(super) fn subject<G: Grammar>(l: &mut Lower<'_>, node: Node<'_>, value: Node<'_>) -> (Step, VarId) {
    let mut draft = l.draft_of(node, value, Role::Subject);
    G::expr(l, value, &mut draft);
    let var = l.value_var(node);
    l.write_var(&mut draft, var, line(node));
    (l.finish(draft), var)
}

/// One case with the statements under it; a `break` at its end only says that it does not fall.
pub(super) fn case<G: Curly>(l: &mut Lower<'_>, test: Option<Step>, mut list: Vec<Node<'_>>) -> Case {
    let last =
        list.last().copied().filter(|last| last.kind() == "break_statement" && last.named_child_count() == 0);
    if last.is_some() {
        list.pop();
    }
    let body = l.nested(|l| {
        for child in list {
            G::stmt(l, child, None);
        }
        if let Some(last) = last {
            let step = bare(l, last, Role::Break);
            l.emit(Stmt::Step(step));
        }
    });
    Case { test, guard: None, body, falls: last.is_none() }
}

pub(super) fn switch(
    l: &mut Lower<'_>,
    subject: Step,
    cases: Vec<Case>,
    exhaustive: bool,
    label: Option<String>,
) {
    l.emit(Stmt::Switch(Switch { label, subject, cases, exhaustive, breaks: true }));
}

/// A step after which control is elsewhere.
pub(super) fn jump<G: Grammar>(l: &mut Lower<'_>, node: Node<'_>, role: Role, jump: Jump) {
    let step = step::<G>(l, node, role);
    l.emit(Stmt::Jump(step, jump));
}

/// Short circuits and conditional expressions: what is not always evaluated. True when it was one.
pub(super) fn lazy<G: Grammar>(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) -> bool {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "binary_expression" => {
            let operator = field("operator").map_or("", |operator| operator.kind());
            if let Some(left) = field("left") {
                G::expr(l, left, d);
            }
            if let Some(right) = field("right") {
                if matches!(operator, "&&" | "||" | "??" | "and" | "or") {
                    d.step.decisions += 1;
                    l.perhaps(d, |l, d| G::expr(l, right, d));
                } else {
                    G::expr(l, right, d);
                }
            }
            // Divisions.
            d.step.throws |= matches!(operator, "/" | "%");
            true
        }
        "ternary_expression" | "conditional_expression" => {
            d.step.decisions += 1;
            if let Some(condition) = field("condition") {
                G::expr(l, condition, d);
            }
            l.perhaps(d, |l, d| {
                for part in ["consequence", "body", "alternative"].into_iter().filter_map(field) {
                    G::expr(l, part, d);
                }
            });
            true
        }
        _ => false,
    }
}
