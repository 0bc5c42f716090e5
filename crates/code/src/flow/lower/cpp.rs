//! C++: what C has, and exceptions, lambdas that take along copies or references, conditions with a first part, loops over
//! what something holds. What is given by reference is seen by whoever gave it.

use super::curly::{Curly, body, first_line, jump};
use super::place::{Grammar, PlaceExpr, all, member, through};
use super::{Draft, Lower, c, child_of_kind, children, children_of, has_word, line};
use crate::flow::ir::{FuncId, Handler, Jump, Loop, Origin, Role, Stmt, Touch, Try, Unit};
use tree_sitter::Node;

struct Cpp;

impl Grammar for Cpp {
    fn place_expr(node: Node<'_>) -> PlaceExpr<'_> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "identifier" | "this" => PlaceExpr::Name,
            "field_expression" => member(node, "argument", "field"),
            "subscript_expression" => match (field("argument"), field("indices")) {
                (Some(base), Some(indices)) => PlaceExpr::Element(base, children(indices)),
                _ => PlaceExpr::None,
            },
            "pointer_expression" if field("operator").is_some_and(|operator| operator.kind() == "*") => {
                field("argument").map_or(PlaceExpr::None, PlaceExpr::Through)
            }
            "parenthesized_expression" => through(node),
            _ => PlaceExpr::None,
        }
    }

    fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
        expression(l, node, d);
    }
}

impl Curly for Cpp {
    fn statement(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>) {
        statement(l, node, label);
    }
}

pub(super) fn unit(mut l: Lower<'_>, node: Node<'_>, name: &str) -> Unit {
    define(&mut l, node, name, &[]);
    l.done()
}

/// Defines a function; of what a lambda takes along, it has a copy.
fn define(l: &mut Lower<'_>, node: Node<'_>, name: &str, copies: &[(String, u32)]) -> FuncId {
    l.function(node, name, |l, entry| {
        let mut at = node.child_by_field_name("declarator");
        while let Some(declarator) =
            at.filter(|declarator| !declarator.kind().ends_with("function_declarator"))
        {
            at = declarator.child_by_field_name("declarator").or_else(|| declarator.named_child(0));
        }
        let list = at.and_then(|declarator| declarator.child_by_field_name("parameters"));
        for param in list.map(children).unwrap_or_default() {
            l.param(entry, param, |l, d| parameter(l, param, d));
        }
        for (name, line) in copies {
            let var = l.declare(name, Origin::Param, *line);
            l.write_var(entry, var, *line);
        }
        let Some(body) = node.child_by_field_name("body") else { return };
        if body.kind() == "try_statement" {
            Cpp::stmt(l, body, None);
        } else {
            for child in children(body) {
                Cpp::stmt(l, child, None);
            }
        }
    })
}

fn is_reference(node: Node<'_>) -> bool {
    let declarator = node.child_by_field_name("declarator");
    declarator.is_some_and(|declarator| declarator.kind() == "reference_declarator")
}

fn is_const(l: &Lower<'_>, node: Node<'_>) -> bool {
    child_of_kind(node, "type_qualifier").is_some_and(|word| l.text(word) == "const")
}

fn parameter(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let Some(name) = node.child_by_field_name("declarator").and_then(c::declared) else { return };
    if let Some(value) = node.child_by_field_name("default_value") {
        l.perhaps(d, |l, d| Cpp::expr(l, value, d));
    }
    let var = l.declare(l.text(name), Origin::Param, line(name));
    l.write_var(d, var, line(name));
    if is_reference(node) && !is_const(l, node) {
        let func = l.func;
        l.unit.functions[func].results.push(var);
    }
}

fn statement(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>) {
    match node.kind() {
        "for_range_loop" => l.scoped(|l| each(l, node)),
        "try_statement" => attempt(l, node),
        "throw_statement" => jump::<Cpp>(l, node, Role::Throw, Jump::Throw),
        "co_return_statement" => jump::<Cpp>(l, node, Role::Return, Jump::Return),
        "attributed_statement" | "init_statement" => {
            for child in children(node).into_iter().filter(|child| child.kind() != "attribute_declaration") {
                Cpp::stmt(l, child, label.clone());
            }
        }
        "using_declaration" | "alias_declaration" | "static_assert_declaration" => {}
        _ => c::statement::<Cpp>(l, node, label),
    }
}

fn each(l: &mut Lower<'_>, node: Node<'_>) {
    let (Some(target), Some(over)) =
        (node.child_by_field_name("declarator"), node.child_by_field_name("right"))
    else {
        return;
    };
    if let Some(first) = node.child_by_field_name("initializer") {
        Cpp::stmt(l, first, None);
    }
    let mut draft = l.draft_of(node, over, Role::Each);
    draft.step.throws = true;
    if is_reference(node) && !is_const(l, node) && !matches!(Cpp::place_expr(over), PlaceExpr::None) {
        l.change_place::<Cpp>(over, &mut draft);
    } else {
        Cpp::expr(l, over, &mut draft);
    }
    bind(l, target, &mut draft);
    let head = l.finish(draft);
    let body = body::<Cpp>(l, node.child_by_field_name("body"));
    l.emit(Stmt::Loop(Loop::new(head, body)));
}

fn attempt(l: &mut Lower<'_>, node: Node<'_>) {
    let draft = first_line(l, node, Role::Try, 3);
    let head = l.finish(draft);
    let tried = body::<Cpp>(l, node.child_by_field_name("body"));
    let mut handlers = Vec::new();
    for clause in children(node).into_iter().filter(|clause| clause.kind() == "catch_clause") {
        l.scoped(|l| {
            let list = clause.child_by_field_name("parameters");
            let mut draft = l.draft_of(clause, list.unwrap_or(clause), Role::Catch);
            for param in list.map(children).unwrap_or_default() {
                if let Some(target) = param.child_by_field_name("declarator") {
                    bind(l, target, &mut draft);
                }
            }
            let all = list.is_some_and(|list| l.text(list).contains("..."));
            let head = l.finish(draft);
            let body = body::<Cpp>(l, clause.child_by_field_name("body"));
            handlers.push(Handler { head, all, body });
        });
    }
    l.emit(Stmt::Try(Try { head, body: tried, handlers, other: Vec::new(), last: None }));
}

/// Declares what a declarator names, with a value.
fn bind(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if let Some(list) = structured(node) {
        for name in children(list) {
            let var = l.declare(l.text(name), Origin::Local, line(name));
            l.write_var(d, var, line(name));
        }
    } else if let Some(name) = c::declared(node) {
        let var = l.declare(l.text(name), Origin::Local, line(name));
        l.write_var(d, var, line(name));
    }
}

/// `[a, b]` in a declarator.
fn structured(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "structured_binding_declarator" => Some(node),
        "reference_declarator" | "init_declarator" => structured(node.named_child(0)?),
        _ => None,
    }
}

fn declaration(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    // In a condition the value stands beside the declarator.
    let own = node.child_by_field_name("value");
    for declarator in children_of(node, "declarator") {
        let value = declarator.child_by_field_name("value").or(own);
        let reference = declarator.kind() == "reference_declarator" || is_reference(declarator);
        match value {
            // Who has the reference may change it.
            Some(value)
                if reference && !is_const(l, node) && !matches!(Cpp::place_expr(value), PlaceExpr::None) =>
            {
                l.change_place::<Cpp>(value, d);
            }
            Some(value) => Cpp::expr(l, value, d),
            None => {}
        }
        if declarator.kind() == "function_declarator" {
            continue;
        }
        // An object is made even when nothing is written: only numbers and pointers are not.
        let made = node.child_by_field_name("type").is_some_and(|kind| kind.kind() != "primitive_type")
            && declarator.kind() == "identifier";
        if value.is_some() || made || declarator.kind() == "array_declarator" {
            d.step.throws |= made;
            bind(l, declarator, d);
        } else if let Some(name) = c::declared(declarator) {
            l.declare(l.text(name), Origin::Local, line(name));
        }
    }
}

/// A lambda: what it takes along by value is a copy from where it is made; the rest it shares.
fn make(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let inside = node.child_by_field_name("body");
    if let Some(inside) = inside {
        l.hole(d, inside);
    }
    let mut copies: Vec<(String, u32)> = Vec::new();
    let mut shared: Vec<&str> = Vec::new();
    let mut everything = false;
    let captures = node.child_by_field_name("captures");
    let mut cursor = node.walk();
    let mut by_reference = false;
    for part in captures.iter().flat_map(|list| list.children(&mut cursor).collect::<Vec<_>>()) {
        match part.kind() {
            "lambda_default_capture" => everything = l.text(part) == "=",
            "identifier" if by_reference => shared.push(l.text(part)),
            "identifier" => {
                l.read_known(d, part);
                copies.push((l.text(part).to_owned(), line(part)));
            }
            "lambda_capture_initializer" => {
                let name = part.child_by_field_name("left").or_else(|| part.named_child(0));
                if let Some(value) = part.child_by_field_name("right") {
                    Cpp::expr(l, value, d);
                }
                copies.extend(name.map(|name| (l.text(name).to_owned(), line(name))));
            }
            _ => {}
        }
        by_reference = part.kind() == "&";
    }
    if everything {
        let mut open: Vec<Node<'_>> = inside.into_iter().collect();
        while let Some(at) = open.pop() {
            let name = l.text(at);
            let new = !shared.contains(&name) && !copies.iter().any(|(copy, _)| copy == name);
            if at.kind() == "identifier" && new && l.known(name).is_some() {
                l.read_known(d, at);
                copies.push((name.to_owned(), line(at)));
            }
            open.extend(children(at).into_iter().rev());
        }
    }
    let func = define(l, node, "", &copies);
    d.step.makes.push(func);
}

fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "this" => l.read(d, node),
        "qualified_identifier"
        | "template_function"
        | "template_type"
        | "placeholder_type_specifier"
        | "auto"
        | "namespace_identifier" => {}
        "subscript_expression" => {
            l.read_place::<Cpp>(node, d);
        }
        "condition_clause" => {
            if let Some(first) = field("initializer") {
                Cpp::stmt(l, first, None);
            }
            if let Some(value) = field("value") {
                Cpp::expr(l, value, d);
            }
        }
        "declaration" => declaration(l, node, d),
        "lambda_expression" => make(l, node, d),
        "call_expression" => {
            d.step.throws = true;
            if let Some(arguments) = field("arguments") {
                all::<Cpp>(l, arguments, d);
            }
            match field("function") {
                Some(function) if function.kind() == "identifier" => l.read_known(d, function),
                Some(function) if function.kind() == "field_expression" => {
                    let (base, name) =
                        (function.child_by_field_name("argument"), function.child_by_field_name("field"));
                    if let (Some(base), Some(name)) = (base, name) {
                        l.call_method::<Cpp>(base, l.text(name), d);
                    }
                }
                Some(function) => Cpp::expr(l, function, d),
                None => {}
            }
        }
        "new_expression" => {
            d.step.throws = true;
            for part in ["placement", "arguments"].into_iter().filter_map(field) {
                all::<Cpp>(l, part, d);
            }
        }
        // `>>` out of a stream writes what is on its right; out of a number it does not, and nobody can tell.
        "binary_expression"
            if has_word(node, ">>") && field("right").is_some_and(|right| right.kind() == "identifier") =>
        {
            if let Some(left) = field("left") {
                Cpp::expr(l, left, d);
            }
            if let Some(right) = field("right") {
                l.write_place::<Cpp>(right, Touch::Update, d);
            }
        }
        "co_await_expression" | "co_yield_statement" => {
            d.step.throws = true;
            all::<Cpp>(l, node, d);
        }
        "class_specifier" => l.unread(node, "a type inside a function is not followed"),
        _ => c::expression::<Cpp>(l, node, d),
    }
}
