//! TypeScript and JavaScript: `let` and `const` live in blocks, `var` and functions in the function from its beginning.

mod control;
mod expr;
mod names;
mod share;

use super::place::{Grammar, PlaceExpr, all, element, member, through};
use super::{Draft, Lower, children, line};
use crate::flow::ir::{Body, FuncId, Jump, Loop, Origin, Role, Step, Stmt, Unit};
use control::{attempt, conditional, counted, each, switch};
use expr::{expression, make};
use names::{bind, hoist, import, pattern_names};
use tree_sitter::Node;

struct Script;

impl Grammar for Script {
    fn place_expr(node: Node<'_>) -> PlaceExpr<'_> {
        match node.kind() {
            "identifier"
            | "this"
            | "shorthand_property_identifier"
            | "shorthand_property_identifier_pattern" => PlaceExpr::Name,
            "member_expression" => member(node, "object", "property"),
            "subscript_expression" => element(node, "object", "index"),
            "parenthesized_expression" | "non_null_expression" | "as_expression" | "satisfies_expression" => {
                through(node)
            }
            _ => PlaceExpr::None,
        }
    }

    fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
        expression(l, node, d);
    }
}

pub(super) fn unit(mut l: Lower<'_>, node: Node<'_>, name: &str) -> Unit {
    if node.kind() == "program" {
        l.function(node, name, |l, _| {
            hoist(l, node);
            statements(l, node);
        });
    } else {
        define(&mut l, node, name);
    }
    l.done()
}

fn define(l: &mut Lower<'_>, node: Node<'_>, name: &str) -> FuncId {
    l.function(node, name, |l, entry| {
        let list = node.child_by_field_name("parameters").map(children).unwrap_or_default();
        for param in node.child_by_field_name("parameter").into_iter().chain(list) {
            l.param(entry, param, |l, d| parameter(l, param, d));
        }
        let Some(body) = node.child_by_field_name("body") else { return };
        if body.kind() == "statement_block" {
            hoist(l, body);
            statements(l, body);
        } else {
            let mut draft = l.draft(body, Role::Return);
            Script::expr(l, body, &mut draft);
            share::given_back(l, body, &mut draft);
            let step = l.finish(draft);
            l.emit(Stmt::Jump(step, Jump::Return));
        }
    })
}

fn parameter(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let pattern = node.child_by_field_name("pattern").unwrap_or(node);
    if let Some(value) = node.child_by_field_name("value") {
        l.perhaps(d, |l, d| Script::expr(l, value, d));
    }
    pattern_names(pattern, &mut |name| {
        l.declare(l.text(name), Origin::Param, line(name));
    });
    bind(l, pattern, d);
}

const fn is_function(kind: &str) -> bool {
    matches!(
        kind.as_bytes(),
        b"function_declaration"
            | b"generator_function_declaration"
            | b"function_expression"
            | b"generator_function"
            | b"arrow_function"
            | b"method_definition"
    )
}

/// What a block declares is known from its beginning; functions are made there.
fn statements(l: &mut Lower<'_>, node: Node<'_>) {
    let list = children(node);
    for child in &list {
        let child = inner(*child);
        match child.kind() {
            "lexical_declaration" => {
                for declarator in children(child) {
                    if let Some(name) = declarator.child_by_field_name("name") {
                        pattern_names(name, &mut |name| {
                            l.declare(l.text(name), Origin::Local, line(name));
                        });
                    }
                }
            }
            "function_declaration"
            | "generator_function_declaration"
            | "class_declaration"
            | "abstract_class_declaration"
            | "enum_declaration" => {
                if let Some(name) = child.child_by_field_name("name") {
                    l.declare(l.text(name), Origin::Local, line(name));
                }
            }
            "import_statement" => import(child, &mut |name| {
                l.declare(l.text(name), Origin::Local, line(name));
            }),
            _ => {}
        }
    }
    for child in &list {
        let child = inner(*child);
        if matches!(child.kind(), "function_declaration" | "generator_function_declaration") {
            let mut draft = l.draft(child, Role::Declared);
            make(l, child, &mut draft);
            if let Some(name) = child.child_by_field_name("name") {
                l.write(&mut draft, name);
            }
            l.emit_step(draft);
        }
    }
    for child in list {
        stmt(l, child);
    }
}

/// What an `export` exports.
fn inner(node: Node<'_>) -> Node<'_> {
    if node.kind() == "export_statement" {
        node.child_by_field_name("declaration").unwrap_or(node)
    } else {
        node
    }
}

fn stmt(l: &mut Lower<'_>, node: Node<'_>) {
    if !l.enter(node) {
        l.one_step(node);
        return;
    }
    statement(l, node, None);
    l.leave();
}

fn body(l: &mut Lower<'_>, node: Option<Node<'_>>) -> Body {
    l.nested(|l| {
        if let Some(node) = node {
            stmt(l, node);
        }
    })
}

fn simple(l: &mut Lower<'_>, node: Node<'_>, role: Role) -> Step {
    let mut draft = l.draft(node, role);
    all::<Script>(l, node, &mut draft);
    if role == Role::Return {
        for child in children(node) {
            share::given_back(l, child, &mut draft);
        }
    }
    l.finish(draft)
}

fn label(l: &Lower<'_>, node: Node<'_>) -> Option<String> {
    node.child_by_field_name("label").map(|label| l.text(label).to_owned())
}

fn statement(l: &mut Lower<'_>, node: Node<'_>, name: Option<String>) {
    match node.kind() {
        "comment"
        | "empty_statement"
        | "function_declaration"
        | "generator_function_declaration"
        | "interface_declaration"
        | "type_alias_declaration"
        | "hash_bang_line" => {}
        "statement_block" => l.scoped(|l| statements(l, node)),
        "export_statement" => {
            let inner = inner(node);
            if inner == node {
                let step = simple(l, node, Role::Plain);
                l.emit(Stmt::Step(step));
            } else {
                statement(l, inner, None);
            }
        }
        "labeled_statement" => {
            let name = label(l, node);
            let Some(inside) = node.child_by_field_name("body") else { return };
            if matches!(
                inside.kind(),
                "for_statement"
                    | "for_in_statement"
                    | "while_statement"
                    | "do_statement"
                    | "switch_statement"
            ) {
                statement(l, inside, name);
            } else {
                let body = body(l, Some(inside));
                l.emit(Stmt::Block(name.unwrap_or_default(), body));
            }
        }
        "if_statement" => conditional(l, node),
        "for_statement" => l.scoped(|l| counted(l, node, name)),
        "for_in_statement" => l.scoped(|l| each(l, node, name)),
        "while_statement" | "do_statement" => {
            let at_end = node.kind() == "do_statement";
            let Some(condition) = node.child_by_field_name("condition") else { return };
            let mut draft =
                if at_end { l.draft(condition, Role::Test) } else { l.draft_of(node, condition, Role::Test) };
            Script::expr(l, condition, &mut draft);
            let head = l.finish(draft);
            let endless = matches!(l.text(condition), "(true)" | "(1)");
            let body = body(l, node.child_by_field_name("body"));
            l.emit(Stmt::Loop(Loop { label: name, endless, at_end, ..Loop::new(head, body) }));
        }
        "switch_statement" => l.scoped(|l| switch(l, node, name)),
        "try_statement" => attempt(l, node),
        "return_statement" => {
            let step = simple(l, node, Role::Return);
            l.emit(Stmt::Jump(step, Jump::Return));
        }
        "throw_statement" => {
            let step = simple(l, node, Role::Throw);
            l.emit(Stmt::Jump(step, Jump::Throw));
        }
        "break_statement" => {
            let draft = l.draft(node, Role::Break);
            let step = l.finish(draft);
            let label = label(l, node);
            l.emit(Stmt::Jump(step, Jump::Break(label)));
        }
        "continue_statement" => {
            let draft = l.draft(node, Role::Continue);
            let step = l.finish(draft);
            let label = label(l, node);
            l.emit(Stmt::Jump(step, Jump::Continue(label)));
        }
        "with_statement" => {
            l.unread(node, "`with` makes names unknown; they are taken as they stand");
            let step = simple(l, node, Role::Plain);
            l.emit(Stmt::Step(step));
        }
        "ERROR" => l.one_step(node),
        _ => {
            let mut draft = l.draft(node, Role::Plain);
            Script::expr(l, node, &mut draft);
            l.emit_step(draft);
        }
    }
}
