//! Rust's expressions: what they read, write and change; macros as far as their words say it.

use super::bind::bind;
use super::{Rust, Sink, define, is_control, value};
use crate::flow::ir::{Origin, Touch};
use crate::flow::lower::place::{Grammar, PlaceExpr, all};
use crate::flow::lower::{Draft, Lower, child_of_kind, children, line};
use tree_sitter::Node;

pub(super) fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        kind if is_control(kind) => {
            // What it does comes before the step that uses its value.
            let var = l.value_var(node);
            let body = l.nested(|l| value(l, node, Sink::Var(var)));
            l.emit_before(body);
            l.read_var(d, var, line(node));
            l.hole(d, node);
        }
        "identifier" | "self" => l.read_known(d, node),
        "field_expression" | "index_expression" => {
            l.read_place::<Rust>(node, d);
        }
        "type_identifier" | "primitive_type" | "scoped_identifier" | "type_arguments" | "generic_type"
        | "string_literal" | "integer_literal" | "line_comment" | "block_comment" | "field_identifier" => {}
        "let_condition" => {
            if let Some(given) = field("value") {
                Rust::expr(l, given, d);
            }
            if let Some(pattern) = field("pattern") {
                bind(l, pattern, d, Origin::Local);
            }
        }
        "binary_expression" => {
            let lazy = field("operator").is_some_and(|operator| matches!(operator.kind(), "&&" | "||"));
            if let Some(left) = field("left") {
                Rust::expr(l, left, d);
            }
            if let Some(right) = field("right") {
                if lazy {
                    d.step.decisions += 1;
                    l.perhaps(d, |l, d| Rust::expr(l, right, d));
                } else {
                    Rust::expr(l, right, d);
                }
            }
        }
        "let_chain" => {
            d.step.decisions += (node.named_child_count() as u32).saturating_sub(1);
            all::<Rust>(l, node, d);
        }
        "assignment_expression" => {
            if let Some(right) = field("right") {
                Rust::expr(l, right, d);
            }
            if let Some(left) = field("left") {
                assign(l, left, d);
            }
        }
        "compound_assignment_expr" => {
            if let Some(right) = field("right") {
                Rust::expr(l, right, d);
            }
            if let Some(left) = field("left") {
                l.write_place::<Rust>(left, Touch::Update, d);
            }
        }
        "reference_expression" if child_of_kind(node, "mutable_specifier").is_some() => {
            if let Some(given) = field("value") {
                l.change_place::<Rust>(given, d);
            }
        }
        "try_expression" => {
            all::<Rust>(l, node, d);
            d.step.leaves = true;
        }
        "call_expression" => call(l, node, d),
        "closure_expression" | "async_block" => {
            if let Some(body) = field("body").or_else(|| child_of_kind(node, "block")) {
                l.hole(d, body);
            }
            let func = define(l, node, "closure");
            d.step.makes.push(func);
        }
        "macro_invocation" => macros(l, node, d),
        "field_initializer" => {
            if let Some(given) = field("value") {
                Rust::expr(l, given, d);
            }
        }
        "type_cast_expression" => {
            if let Some(given) = field("value") {
                Rust::expr(l, given, d);
            }
        }
        "struct_expression" => {
            if let Some(body) = field("body") {
                all::<Rust>(l, body, d);
            }
        }
        "ERROR" => l.flat(d, node),
        _ => all::<Rust>(l, node, d),
    }
}

fn assign(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if !l.write_place::<Rust>(node, Touch::Def, d) {
        for child in children(node) {
            assign(l, child, d);
        }
    }
}

fn call(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let Some(mut function) = node.child_by_field_name("function") else { return };
    if function.kind() == "generic_function"
        && let Some(inner) = function.child_by_field_name("function")
    {
        function = inner;
    }
    let arguments = node.child_by_field_name("arguments");
    if let PlaceExpr::Field(base, name) = Rust::place_expr(function) {
        if let Some(arguments) = arguments {
            all::<Rust>(l, arguments, d);
        }
        l.call_method::<Rust>(base, l.text(name), d);
        return;
    }
    Rust::expr(l, function, d);
    if let Some(arguments) = arguments {
        all::<Rust>(l, arguments, d);
    }
}

/// A macro's words: names that are known are read, also those inside a format string.
fn macros(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let name = node.child_by_field_name("macro").map_or("", |name| l.text(name));
    let Some(tree) = child_of_kind(node, "token_tree") else { return };
    let writes = matches!(name, "write" | "writeln");
    let mut first = true;
    let mut open = vec![tree];
    while let Some(at) = open.pop() {
        match at.kind() {
            "identifier" | "self" => {
                let is_field = l.text.get(..at.start_byte()).is_some_and(|before| {
                    before.trim_end().ends_with('.') && !before.trim_end().ends_with("..")
                });
                if !is_field && writes && std::mem::take(&mut first) && l.known(l.text(at)).is_some() {
                    l.change(d, at);
                } else if !is_field {
                    l.read_known(d, at);
                }
            }
            "string_literal" | "raw_string_literal" => in_format(l, at, d),
            "return" | "break" | "continue" => {
                l.unread(at, &format!("`{}` inside the macro {name}! is not followed", at.kind()));
            }
            "?" => d.step.leaves = true,
            "=>" if matches!(name, "select" | "tokio::select" | "cfg_if" | "cfg_if::cfg_if") => {
                l.unread(node, &format!("the branches of the macro {name}! are read as one step"));
            }
            _ => {
                let mut cursor = at.walk();
                let inside: Vec<Node<'_>> = at.children(&mut cursor).collect();
                open.extend(inside.into_iter().rev());
            }
        }
    }
}

fn in_format(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let mut rest = l.text(node);
    while let Some((_, after)) = rest.split_once('{') {
        rest = after;
        if let Some(escaped) = rest.strip_prefix('{') {
            rest = escaped;
            continue;
        }
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or("");
        if let Some(var) = l.known(name) {
            l.read_var(d, var, line(node));
        }
    }
}
