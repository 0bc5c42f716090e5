//! Rust: everything is an expression. A branch with a value writes it to a variable of its own, which the step around
//! reads; the last expression of a function is its return; a new `let` hides the old one; `?` may leave.

mod bind;
mod expr;

use super::place::{Grammar, PlaceExpr, through};
use super::{Draft, Lower, child_of_kind, children, has_word, line};
use crate::flow::ir::{Arm, Body, Case, FuncId, If, Jump, Loop, Origin, Role, Stmt, Switch, Unit, VarId};
use bind::{bind, fix};
use expr::expression;
use tree_sitter::Node;

struct Rust;

impl Grammar for Rust {
    fn place_expr(node: Node<'_>) -> PlaceExpr<'_> {
        match node.kind() {
            "identifier" | "self" => PlaceExpr::Name,
            "field_expression" => {
                match (node.child_by_field_name("value"), node.child_by_field_name("field")) {
                    (Some(base), Some(name)) => PlaceExpr::Field(base, name),
                    _ => PlaceExpr::None,
                }
            }
            "index_expression" => match children(node).as_slice() {
                [base, index] => PlaceExpr::Element(*base, vec![*index]),
                _ => PlaceExpr::None,
            },
            "unary_expression" if has_word(node, "*") => through(node),
            "parenthesized_expression" => through(node),
            _ => PlaceExpr::None,
        }
    }

    fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
        expression(l, node, d);
    }
}

/// Where the value of an expression goes.
#[derive(Clone, Copy)]
enum Sink {
    Nowhere,
    Var(VarId),
    Return,
}

pub(super) fn unit(mut l: Lower<'_>, node: Node<'_>, name: &str) -> Unit {
    define(&mut l, node, name);
    l.done()
}

fn define(l: &mut Lower<'_>, node: Node<'_>, name: &str) -> FuncId {
    let values = std::mem::take(&mut l.values);
    let func = l.function(node, name, |l, entry| {
        for param in node.child_by_field_name("parameters").map(children).unwrap_or_default() {
            l.param(entry, param, |l, d| match param.kind() {
                "self_parameter" => {
                    if let Some(name) = child_of_kind(param, "self") {
                        l.declare_param(d, name);
                    }
                }
                "parameter" => {
                    if let Some(pattern) = param.child_by_field_name("pattern") {
                        bind(l, pattern, d, Origin::Param);
                        fix(l, pattern, l.text(param));
                    }
                }
                _ => bind(l, param, d, Origin::Param),
            });
        }
        if let Some(body) = node.child_by_field_name("body").or_else(|| child_of_kind(node, "block")) {
            value(l, body, Sink::Return);
        }
    });
    l.values = values;
    func
}

fn is_control(kind: &str) -> bool {
    matches!(
        kind,
        "block"
            | "unsafe_block"
            | "try_block"
            | "const_block"
            | "if_expression"
            | "match_expression"
            | "loop_expression"
            | "while_expression"
            | "for_expression"
            | "return_expression"
            | "break_expression"
            | "continue_expression"
    )
}

/// Evaluates something as a statement, its value going to the sink.
fn value(l: &mut Lower<'_>, node: Node<'_>, sink: Sink) {
    if !l.enter(node) {
        l.one_step(node);
        return;
    }
    statement(l, node, sink);
    l.leave();
}

fn label(l: &Lower<'_>, node: Node<'_>) -> Option<String> {
    child_of_kind(node, "label")
        .map(|label| l.text(label).trim_start_matches('\'').trim_end_matches(':').to_owned())
}

fn statement(l: &mut Lower<'_>, node: Node<'_>, sink: Sink) {
    match node.kind() {
        "line_comment"
        | "block_comment"
        | "empty_statement"
        | "attribute_item"
        | "inner_attribute_item"
        | "use_declaration"
        | "struct_item"
        | "enum_item"
        | "union_item"
        | "type_item"
        | "trait_item"
        | "mod_item"
        | "macro_definition"
        | "extern_crate_declaration"
        | "label" => {}
        "expression_statement" => {
            let role = if has_word(node, ";") { Sink::Nowhere } else { sink };
            match node.named_child(0) {
                Some(inner) if is_control(inner.kind()) || panics(l, inner) => value(l, inner, role),
                Some(_) => step(l, node, role),
                None => {}
            }
        }
        "block" => match label(l, node) {
            None => l.scoped(|l| block(l, node, sink)),
            Some(name) => with_value(l, node, sink, |l, target| {
                l.values.push((Some(name.clone()), target));
                let body =
                    l.nested(|l| l.scoped(|l| block(l, node, target.map_or(Sink::Nowhere, Sink::Var))));
                l.values.pop();
                l.emit(Stmt::Block(name, body));
            }),
        },
        "unsafe_block" | "const_block" | "try_block" => {
            if let Some(inner) = child_of_kind(node, "block") {
                value(l, inner, sink);
            }
        }
        "let_declaration" => binding(l, node),
        "if_expression" => conditional(l, node, sink),
        "match_expression" => matching(l, node, sink),
        "loop_expression" | "while_expression" | "for_expression" => looping(l, node, sink),
        "return_expression" => jump(l, node, Role::Return, Jump::Return, None),
        "break_expression" => {
            let name = label(l, node);
            let fits = |around: &&(Option<String>, Option<VarId>)| name.is_none() || around.0 == name;
            let target = l.values.iter().rev().find(fits).and_then(|around| around.1);
            jump(l, node, Role::Break, Jump::Break(name), target);
        }
        "continue_expression" => {
            let name = label(l, node);
            jump(l, node, Role::Continue, Jump::Continue(name), None);
        }
        "function_item" => {
            let mut draft = l.draft(node, Role::Declared);
            if let Some(body) = node.child_by_field_name("body") {
                l.hole(&mut draft, body);
            }
            let name = node.child_by_field_name("name").map_or("", |name| l.text(name));
            // It sees nothing of the function around.
            let scopes = std::mem::take(&mut l.scopes);
            let func = define(l, node, name);
            l.scopes = scopes;
            draft.step.makes.push(func);
            l.emit_step(draft);
        }
        "impl_item" => l.unread(node, "an `impl` inside a function is not followed"),
        "const_item" | "static_item" => {
            let mut draft = l.draft(node, Role::Plain);
            if let Some(value) = node.child_by_field_name("value") {
                Rust::expr(l, value, &mut draft);
            }
            if let Some(name) = node.child_by_field_name("name") {
                let var = l.declare(l.text(name), Origin::Local, line(name));
                l.write_var(&mut draft, var, line(name));
            }
            l.emit_step(draft);
        }
        "ERROR" => l.one_step(node),
        "macro_invocation" if panics(l, node) => jump(l, node, Role::Throw, Jump::Throw, None),
        _ => step(l, node, sink),
    }
}

fn panics(l: &Lower<'_>, node: Node<'_>) -> bool {
    node.kind() == "macro_invocation"
        && node.child_by_field_name("macro").is_some_and(|name| {
            matches!(
                l.text(name),
                "panic" | "unreachable" | "todo" | "unimplemented" | "bail" | "anyhow::bail"
            )
        })
}

fn jump(l: &mut Lower<'_>, node: Node<'_>, role: Role, jump: Jump, target: Option<VarId>) {
    let mut draft = l.draft(node, role);
    if node.kind() == "macro_invocation" {
        Rust::expr(l, node, &mut draft);
    } else {
        for child in children(node).into_iter().filter(|child| child.kind() != "label") {
            Rust::expr(l, child, &mut draft);
        }
    }
    if let Some(target) = target {
        l.write_var(&mut draft, target, line(node));
    }
    let step = l.finish(draft);
    l.emit(Stmt::Jump(step, jump));
}

/// One step whose value goes to the sink.
fn step(l: &mut Lower<'_>, node: Node<'_>, sink: Sink) {
    let role = if matches!(sink, Sink::Return) { Role::Return } else { Role::Plain };
    let mut draft = l.draft(node, role);
    Rust::expr(l, node, &mut draft);
    if let Sink::Var(var) = sink {
        l.write_var(&mut draft, var, line(node));
    }
    let step = l.finish(draft);
    match sink {
        Sink::Return => l.emit(Stmt::Jump(step, Jump::Return)),
        _ => l.emit(Stmt::Step(step)),
    }
}

/// The statements of a block; the last one without a semicolon is its value.
fn block(l: &mut Lower<'_>, node: Node<'_>, sink: Sink) {
    let list: Vec<Node<'_>> = children(node).into_iter().filter(|child| child.kind() != "label").collect();
    let count = list.len();
    for (number, child) in list.into_iter().enumerate() {
        value(l, child, if number + 1 == count { sink } else { Sink::Nowhere });
    }
}

/// For loops and labelled blocks, whose value comes by `break`: a variable, and at the end the sink.
fn with_value(
    l: &mut Lower<'_>,
    node: Node<'_>,
    sink: Sink,
    run: impl FnOnce(&mut Lower<'_>, Option<VarId>),
) {
    match sink {
        Sink::Nowhere => run(l, None),
        Sink::Var(var) => run(l, Some(var)),
        Sink::Return => {
            let var = l.value_var(node);
            run(l, Some(var));
            let mut draft = l.draft(node, Role::Return);
            draft.rows.1 = draft.rows.0;
            l.read_var(&mut draft, var, line(node));
            let step = l.finish(draft);
            l.emit(Stmt::Jump(step, Jump::Return));
        }
    }
}

fn binding(l: &mut Lower<'_>, node: Node<'_>) {
    let Some(pattern) = node.child_by_field_name("pattern") else { return };
    let alternative = node.child_by_field_name("alternative");
    let role = if alternative.is_some() { Role::Test } else { Role::Plain };
    let mut draft = l.draft(node, role);
    let given = node.child_by_field_name("value");
    if let Some(given) = given {
        Rust::expr(l, given, &mut draft);
    }
    let Some(alternative) = alternative else {
        if given.is_some() {
            bind(l, pattern, &mut draft, Origin::Local);
            fix(l, pattern, l.text(node));
        } else if pattern.kind() == "identifier" {
            l.declare(l.text(pattern), Origin::Local, line(pattern));
        }
        l.emit_step(draft);
        return;
    };
    l.hole(&mut draft, alternative);
    if let Some(given) = given {
        draft.step.span.1 = given.end_byte() as u32;
    }
    // What is bound is not known in the `else`.
    let other = l.nested(|l| value(l, alternative, Sink::Nowhere));
    bind(l, pattern, &mut draft, Origin::Local);
    let test = l.finish(draft);
    l.emit(Stmt::If(If { arms: vec![Arm { before: Vec::new(), test, body: Vec::new() }], other }));
}

fn conditional(l: &mut Lower<'_>, node: Node<'_>, sink: Sink) {
    let mut arms = Vec::new();
    let mut other = Vec::new();
    let mut at = Some(node);
    while let Some(branch) = at.take() {
        let Some(condition) = branch.child_by_field_name("condition") else { break };
        l.push_scope();
        let mut draft = l.draft_of(branch, condition, Role::Test);
        let before = l.nested(|l| Rust::expr(l, condition, &mut draft));
        let test = l.finish(draft);
        let then = branch.child_by_field_name("consequence");
        let body = l.nested(|l| {
            if let Some(then) = then {
                value(l, then, sink);
            }
        });
        l.pop_scope();
        arms.push(Arm { before, test, body });
        match branch.child_by_field_name("alternative").and_then(|clause| clause.named_child(0)) {
            Some(next) if next.kind() == "if_expression" => at = Some(next),
            Some(rest) => other = l.nested(|l| value(l, rest, sink)),
            None => {}
        }
    }
    l.emit(Stmt::If(If { arms, other }));
}

fn matching(l: &mut Lower<'_>, node: Node<'_>, sink: Sink) {
    let Some(given) = node.child_by_field_name("value") else { return };
    let mut draft = l.draft_of(node, given, Role::Subject);
    Rust::expr(l, given, &mut draft);
    let var = l.value_var(node);
    l.write_var(&mut draft, var, line(node));
    let subject = l.finish(draft);
    let mut cases = Vec::new();
    for arm in node.child_by_field_name("body").map(children).unwrap_or_default() {
        if arm.kind() != "match_arm" {
            continue;
        }
        let Some(pattern) = arm.child_by_field_name("pattern") else { continue };
        l.push_scope();
        let condition = pattern.child_by_field_name("condition");
        let mut draft = l.draft(pattern, Role::Case);
        if let Some(last) = children(pattern).into_iter().rfind(|child| Some(*child) != condition) {
            draft = l.draft_of(pattern, last, Role::Case);
        }
        l.read_var(&mut draft, var, line(arm));
        bind(l, pattern, &mut draft, Origin::Local);
        let test = l.finish(draft);
        let guard = condition.map(|condition| {
            let mut draft = l.draft(condition, Role::Test);
            let before = l.nested(|l| Rust::expr(l, condition, &mut draft));
            (before, l.finish(draft))
        });
        let body = l.nested(|l| {
            if let Some(inner) = arm.child_by_field_name("value") {
                value(l, inner, sink);
            }
        });
        l.pop_scope();
        cases.push(Case { test: Some(test), guard, body, falls: false });
    }
    l.emit(Stmt::Switch(Switch { label: None, subject, cases, exhaustive: true, breaks: false }));
}

fn looping(l: &mut Lower<'_>, node: Node<'_>, sink: Sink) {
    let name = label(l, node);
    with_value(l, node, sink, |l, target| {
        l.push_scope();
        let mut before: Body = Vec::new();
        let mut endless = false;
        let head = match node.kind() {
            "for_expression" => {
                let given = node.child_by_field_name("value");
                let mut draft = l.draft_of(node, given.unwrap_or(node), Role::Each);
                if let Some(given) = given {
                    Rust::expr(l, given, &mut draft);
                }
                if let Some(pattern) = node.child_by_field_name("pattern") {
                    bind(l, pattern, &mut draft, Origin::Local);
                }
                l.finish(draft)
            }
            "while_expression" => {
                let condition = node.child_by_field_name("condition");
                let mut draft = l.draft_of(node, condition.unwrap_or(node), Role::Test);
                if let Some(condition) = condition {
                    endless = l.text(condition) == "true";
                    before = l.nested(|l| Rust::expr(l, condition, &mut draft));
                }
                l.finish(draft)
            }
            _ => {
                endless = true;
                let mut draft = l.draft(node, Role::Test);
                draft.rows.1 = draft.rows.0;
                draft.step.span.1 = draft.step.span.0 + 4;
                l.finish(draft)
            }
        };
        l.values.push((name.clone(), target));
        let body = l.nested(|l| {
            if let Some(body) = node.child_by_field_name("body") {
                value(l, body, Sink::Nowhere);
            }
        });
        l.values.pop();
        l.pop_scope();
        l.emit(Stmt::Loop(Loop { label: name, before, endless, ..Loop::new(head, body) }));
    });
}
