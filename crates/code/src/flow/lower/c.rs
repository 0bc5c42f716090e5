//! C: `case` falls, `goto` goes anywhere, who has an address may change what is there. The preprocessor is not run: both
//! sides of an `#if` are taken as possible, and that is told.

use super::curly::{self, Curly, bare, jump};
use super::place::{Grammar, PlaceExpr, all, element, member, through};
use super::{Draft, Lower, children, children_of, line};
use crate::flow::ir::{FuncId, Jump, Origin, Role, Stmt, Touch, Unit};
use tree_sitter::Node;

struct C;

impl Grammar for C {
    fn place_expr(node: Node<'_>) -> PlaceExpr<'_> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "identifier" => PlaceExpr::Name,
            "field_expression" => member(node, "argument", "field"),
            "subscript_expression" => element(node, "argument", "index"),
            "pointer_expression" if field("operator").is_some_and(|operator| operator.kind() == "*") => {
                field("argument").map_or(PlaceExpr::None, PlaceExpr::Through)
            }
            "parenthesized_expression" => through(node),
            _ => PlaceExpr::None,
        }
    }

    fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
        expression::<Self>(l, node, d);
    }
}

impl Curly for C {
    fn statement(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>) {
        statement::<Self>(l, node, label);
    }
}

pub(super) fn unit(mut l: Lower<'_>, node: Node<'_>, name: &str) -> Unit {
    define::<C>(&mut l, node, name);
    l.done()
}

/// The name that a declarator declares.
pub(super) fn declared(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    loop {
        if at.kind() == "identifier" {
            return Some(at);
        }
        at = at.child_by_field_name("declarator").or_else(|| at.named_child(0))?;
    }
}

fn define<G: Curly>(l: &mut Lower<'_>, node: Node<'_>, name: &str) -> FuncId {
    l.function(node, name, |l, entry| {
        let mut at = node.child_by_field_name("declarator");
        while let Some(declarator) = at.filter(|declarator| declarator.kind() != "function_declarator") {
            at = declarator.child_by_field_name("declarator");
        }
        let list = at.and_then(|declarator| declarator.child_by_field_name("parameters"));
        for param in list.map(children).unwrap_or_default() {
            l.param(entry, param, |l, d| {
                if let Some(name) = param.child_by_field_name("declarator").and_then(declared) {
                    l.declare_param(d, name);
                }
            });
        }
        for child in node.child_by_field_name("body").map(children).unwrap_or_default() {
            G::stmt(l, child, None);
        }
    })
}

pub(super) fn statement<G: Curly>(l: &mut Lower<'_>, node: Node<'_>, name: Option<String>) {
    match node.kind() {
        "comment" | "preproc_def" | "preproc_include" | "preproc_call" | "type_definition" => {}
        "compound_statement" => l.scoped(|l| {
            for child in children(node) {
                G::stmt(l, child, None);
            }
        }),
        "if_statement" => curly::conditional::<G>(l, node),
        "while_statement" | "do_statement" => curly::repeated::<G>(l, node, name),
        "for_statement" => curly::counted::<G>(l, node, name),
        "switch_statement" => l.scoped(|l| switch::<G>(l, node)),
        "labeled_statement" => {
            let label = node.child_by_field_name("label").map_or("", |label| l.text(label)).to_owned();
            l.emit(Stmt::Label(label));
            if let Some(inner) = node.named_child(1) {
                G::stmt(l, inner, None);
            }
        }
        "goto_statement" => {
            let label = node.child_by_field_name("label").map_or("", |label| l.text(label)).to_owned();
            let step = bare(l, node, Role::Goto);
            l.emit(Stmt::Jump(step, Jump::Goto(label)));
        }
        "return_statement" => jump::<G>(l, node, Role::Return, Jump::Return),
        "break_statement" => jump::<G>(l, node, Role::Break, Jump::Break(None)),
        "continue_statement" => jump::<G>(l, node, Role::Continue, Jump::Continue(None)),
        "expression_statement" if ends(l, node) => jump::<G>(l, node, Role::Throw, Jump::Throw),
        "preproc_if" | "preproc_ifdef" | "preproc_elif" | "preproc_elifdef" | "preproc_else" => {
            conditional_text::<G>(l, node);
        }
        "case_statement" => {
            l.unread(node, "a case outside of the braces of its switch is taken as it stands");
            for child in children(node) {
                G::stmt(l, child, None);
            }
        }
        "ERROR" => l.one_step(node),
        _ => {
            let mut draft = l.draft(node, Role::Plain);
            G::expr(l, node, &mut draft);
            l.emit_step(draft);
        }
    }
}

/// What is only there under a condition of the preprocessor.
fn conditional_text<G: Curly>(l: &mut Lower<'_>, node: Node<'_>) {
    l.unread(node, "the preprocessor is not run; both sides of `#if` are taken as possible");
    let skipped = [node.child_by_field_name("condition"), node.child_by_field_name("name")];
    let alternative = node.child_by_field_name("alternative");
    let inside = l.nested(|l| {
        for child in children(node) {
            if !skipped.contains(&Some(child)) && Some(child) != alternative {
                G::stmt(l, child, None);
            }
        }
    });
    l.emit(Stmt::Perhaps(inside));
    if let Some(alternative) = alternative {
        G::stmt(l, alternative, None);
    }
}

/// A call that does not come back.
pub(super) fn ends(l: &Lower<'_>, node: Node<'_>) -> bool {
    let function = node.named_child(0).and_then(|call| call.child_by_field_name("function"));
    function.is_some_and(|function| {
        matches!(l.text(function), "exit" | "abort" | "_exit" | "longjmp" | "__builtin_unreachable")
    })
}

fn switch<G: Curly>(l: &mut Lower<'_>, node: Node<'_>) {
    let Some(value) = node.child_by_field_name("condition") else { return };
    let (subject, var) = curly::subject::<G>(l, node, value);
    let mut cases = Vec::new();
    for clause in node.child_by_field_name("body").map(children).unwrap_or_default() {
        if clause.kind() != "case_statement" {
            if clause.kind() != "comment" {
                l.unread(clause, "what stands before the cases of a switch is never reached");
            }
            continue;
        }
        let value = clause.child_by_field_name("value");
        let test = value.map(|value| {
            let mut draft = l.draft_of(clause, value, Role::Case);
            l.read_var(&mut draft, var, line(clause));
            G::expr(l, value, &mut draft);
            l.finish(draft)
        });
        let list = children(clause).into_iter().filter(|child| Some(*child) != value).collect();
        cases.push(curly::case::<G>(l, test, list));
    }
    curly::switch(l, subject, cases, false, None);
}

pub(super) fn expression<G: Curly>(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let field = |name: &str| node.child_by_field_name(name);
    if curly::lazy::<G>(l, node, d) {
        return;
    }
    match node.kind() {
        "identifier" => l.read(d, node),
        "field_expression" | "subscript_expression" => {
            l.read_place::<G>(node, d);
        }
        "type_identifier" | "primitive_type" | "type_descriptor" | "comment" | "string_literal"
        | "field_identifier" | "struct_specifier" | "enum_specifier" | "union_specifier" => {}
        "declaration" => {
            for declarator in children_of(node, "declarator") {
                let value = declarator.child_by_field_name("value");
                if let Some(value) = value {
                    G::expr(l, value, d);
                }
                let Some(name) = declared(declarator) else { continue };
                if declarator.kind() == "function_declarator" {
                    continue;
                }
                let var = l.declare(l.text(name), Origin::Local, line(name));
                if value.is_some() || declarator.kind() == "array_declarator" {
                    l.write_var(d, var, line(name));
                }
            }
        }
        "assignment_expression" => curly::assignment::<G>(l, node, d),
        "update_expression" => {
            if let Some(place) = field("argument") {
                l.write_place::<G>(place, Touch::Update, d);
            }
        }
        "pointer_expression" if field("operator").is_some_and(|operator| operator.kind() == "&") => {
            // Who has its address may change it.
            match field("argument") {
                Some(place) if matches!(G::place_expr(place), PlaceExpr::None) => G::expr(l, place, d),
                Some(place) => l.change_place::<G>(place, d),
                None => {}
            }
        }
        "call_expression" => {
            d.step.throws = true;
            if let Some(function) = field("function") {
                match G::place_expr(function) {
                    PlaceExpr::Name => l.read_known(d, function),
                    _ => G::expr(l, function, d),
                }
            }
            if let Some(arguments) = field("arguments") {
                all::<G>(l, arguments, d);
            }
        }
        "cast_expression" | "initializer_pair" => {
            if let Some(value) = field("value") {
                G::expr(l, value, d);
            }
        }
        "sizeof_expression" => {}
        "ERROR" => l.flat(d, node),
        _ => all::<G>(l, node, d),
    }
}
