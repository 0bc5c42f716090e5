//! Java: blocks have scopes, fields are names from outside, `switch` is a statement that falls or an expression that gives.

use super::curly::{self, Curly, bare, body, first_line, jump};
use super::place::{Grammar, PlaceExpr, all, element, member, through};
use super::{Draft, Lower, child_of_kind, children, children_of, line};
use crate::flow::ir::{
    Case, FuncId, Handler, Jump, Loop, Origin, Role, Stmt, Switch, Touch, Try, Unit, VarId, With,
};
use tree_sitter::Node;

struct Java;

impl Grammar for Java {
    fn place_expr(node: Node<'_>) -> PlaceExpr<'_> {
        match node.kind() {
            "identifier" | "this" | "super" => PlaceExpr::Name,
            "field_access" => member(node, "object", "field"),
            "array_access" => element(node, "array", "index"),
            "parenthesized_expression" => through(node),
            _ => PlaceExpr::None,
        }
    }

    fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
        expression(l, node, d);
    }
}

impl Curly for Java {
    fn statement(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>) {
        statement(l, node, label);
    }
}

pub(super) fn unit(mut l: Lower<'_>, node: Node<'_>, name: &str) -> Unit {
    define(&mut l, node, name);
    l.done()
}

fn define(l: &mut Lower<'_>, node: Node<'_>, name: &str) -> FuncId {
    let values = std::mem::take(&mut l.values);
    let func = l.function(node, name, |l, entry| {
        let params = node.child_by_field_name("parameters");
        match params {
            Some(single) if single.kind() == "identifier" => l.declare_param(entry, single),
            Some(list) => {
                for param in children(list) {
                    l.param(entry, param, |l, d| {
                        let inner = child_of_kind(param, "variable_declarator").unwrap_or(param);
                        let name = inner.child_by_field_name("name").unwrap_or(inner);
                        if name.kind() == "identifier" {
                            l.declare_param(d, name);
                        }
                    });
                }
            }
            None => {}
        }
        let Some(body) = node.child_by_field_name("body") else { return };
        if matches!(body.kind(), "block" | "constructor_body") {
            for child in children(body) {
                Java::stmt(l, child, None);
            }
        } else {
            let mut draft = l.draft(body, Role::Return);
            Java::expr(l, body, &mut draft);
            let step = l.finish(draft);
            l.emit(Stmt::Jump(step, Jump::Return));
        }
    });
    l.values = values;
    func
}

fn label(l: &Lower<'_>, node: Node<'_>) -> Option<String> {
    child_of_kind(node, "identifier").map(|label| l.text(label).to_owned())
}

fn statement(l: &mut Lower<'_>, node: Node<'_>, name: Option<String>) {
    match node.kind() {
        "line_comment" | "block_comment" | ";" => {}
        "block" => l.scoped(|l| {
            for child in children(node) {
                Java::stmt(l, child, None);
            }
        }),
        "labeled_statement" => {
            let name = label(l, node);
            let Some(inner) = node.named_child(1) else { return };
            if inner.kind().ends_with("block") || inner.kind() == "if_statement" {
                let body = body::<Java>(l, Some(inner));
                l.emit(Stmt::Block(name.unwrap_or_default(), body));
            } else {
                Java::stmt(l, inner, name);
            }
        }
        "if_statement" => curly::conditional::<Java>(l, node),
        "while_statement" | "do_statement" => curly::repeated::<Java>(l, node, name),
        "for_statement" => curly::counted::<Java>(l, node, name),
        "enhanced_for_statement" => l.scoped(|l| each(l, node, name)),
        "switch_expression" | "switch_statement" => l.scoped(|l| switch(l, node, name, None)),
        "try_statement" | "try_with_resources_statement" => attempt(l, node),
        "synchronized_statement" => {
            let inner = node.child_by_field_name("body");
            let mut draft = first_line(l, node, Role::Enter, 12);
            if let Some(lock) = child_of_kind(node, "parenthesized_expression") {
                Java::expr(l, lock, &mut draft);
            }
            let enter = l.finish(draft);
            let body = body::<Java>(l, inner);
            l.emit(Stmt::With(With { enter, body, swallows: false }));
        }
        "return_statement" => jump::<Java>(l, node, Role::Return, Jump::Return),
        "throw_statement" => jump::<Java>(l, node, Role::Throw, Jump::Throw),
        "yield_statement" => {
            let target = l.values.last().and_then(|around| around.1);
            let mut draft = l.draft(node, Role::Break);
            all::<Java>(l, node, &mut draft);
            if let Some(target) = target {
                l.write_var(&mut draft, target, line(node));
            }
            let step = l.finish(draft);
            let name = l.values.last().and_then(|around| around.0.clone());
            l.emit(Stmt::Jump(step, Jump::Break(name)));
        }
        "break_statement" => {
            let (step, name) = (bare(l, node, Role::Break), label(l, node));
            l.emit(Stmt::Jump(step, Jump::Break(name)));
        }
        "continue_statement" => {
            let (step, name) = (bare(l, node, Role::Continue), label(l, node));
            l.emit(Stmt::Jump(step, Jump::Continue(name)));
        }
        "expression_statement"
            if node.named_child(0).is_some_and(|inner| inner.kind() == "switch_expression") =>
        {
            if let Some(inner) = node.named_child(0) {
                l.scoped(|l| switch(l, inner, name, None));
            }
        }
        "ERROR" => l.one_step(node),
        _ => {
            let mut draft = l.draft(node, Role::Plain);
            Java::expr(l, node, &mut draft);
            l.emit_step(draft);
        }
    }
}

fn each(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>) {
    let (Some(name), Some(value)) = (node.child_by_field_name("name"), node.child_by_field_name("value"))
    else {
        return;
    };
    let mut draft = l.draft_of(node, value, Role::Each);
    draft.step.throws = true;
    Java::expr(l, value, &mut draft);
    let var = l.declare(l.text(name), Origin::Local, line(name));
    l.write_var(&mut draft, var, line(name));
    let head = l.finish(draft);
    let body = body::<Java>(l, node.child_by_field_name("body"));
    l.emit(Stmt::Loop(Loop { label, ..Loop::new(head, body) }));
}

/// A switch, with the variable that its value goes to when it is an expression.
fn switch(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>, target: Option<VarId>) {
    let Some(value) = node.child_by_field_name("condition") else { return };
    let (subject, var) = curly::subject::<Java>(l, node, value);
    let own = target.is_some().then(|| format!("switch at {}", node.start_byte()));
    l.values.push((own.clone(), target));
    let mut cases = Vec::new();
    for group in node.child_by_field_name("body").map(children).unwrap_or_default() {
        let labels: Vec<Node<'_>> =
            children(group).into_iter().filter(|child| child.kind() == "switch_label").collect();
        let rest: Vec<Node<'_>> =
            children(group).into_iter().filter(|child| child.kind() != "switch_label").collect();
        let arrow = group.kind() == "switch_rule";
        l.push_scope();
        let mut guard = None;
        let default = labels.iter().all(|label| label.named_child_count() == 0);
        let test = (!default).then(|| {
            let mut draft = l.draft_of(group, labels.last().copied().unwrap_or(group), Role::Case);
            l.read_var(&mut draft, var, line(group));
            for label in &labels {
                for part in children(*label) {
                    match part.kind() {
                        "guard" => guard = Some(part),
                        "pattern" => bind(l, part, &mut draft),
                        _ => Java::expr(l, part, &mut draft),
                    }
                }
            }
            l.finish(draft)
        });
        let guard = guard.map(|guard| {
            let mut draft = l.draft(guard, Role::Test);
            let before = l.nested(|l| all::<Java>(l, guard, &mut draft));
            (before, l.finish(draft))
        });
        let case = if arrow {
            let body = l.nested(|l| {
                for child in rest {
                    give(l, child, target);
                }
            });
            Case { test, guard, body, falls: false }
        } else {
            Case { guard, ..curly::case::<Java>(l, test, rest) }
        };
        l.pop_scope();
        cases.push(case);
    }
    l.values.pop();
    // A switch that gives a value must have one for everything.
    let exhaustive = target.is_some();
    let label = own.or(label);
    l.emit(Stmt::Switch(Switch { label, subject, cases, exhaustive, breaks: target.is_none() }));
}

/// What stands behind an arrow.
fn give(l: &mut Lower<'_>, node: Node<'_>, target: Option<VarId>) {
    match (node.kind(), target) {
        ("expression_statement", Some(target)) => {
            let mut draft = l.draft(node, Role::Plain);
            all::<Java>(l, node, &mut draft);
            l.write_var(&mut draft, target, line(node));
            l.emit_step(draft);
        }
        _ => Java::stmt(l, node, None),
    }
}

/// Declares what a pattern binds.
fn bind(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    match node.kind() {
        "type_pattern" | "record_pattern_component" => {
            if let Some(name) = children(node).into_iter().rfind(|child| child.kind() == "identifier") {
                let var = l.declare(l.text(name), Origin::Local, line(name));
                l.write_var(d, var, line(name));
                return;
            }
            for child in children(node) {
                bind(l, child, d);
            }
        }
        _ => {
            for child in children(node) {
                bind(l, child, d);
            }
        }
    }
}

fn attempt(l: &mut Lower<'_>, node: Node<'_>) {
    let draft = first_line(l, node, Role::Try, 3);
    let head = l.finish(draft);
    let resources = node.child_by_field_name("resources");
    let inside = node.child_by_field_name("body");
    let tried = match resources {
        None => body::<Java>(l, inside),
        Some(resources) => l.nested(|l| {
            l.scoped(|l| {
                let mut draft = l.draft(resources, Role::Enter);
                draft.step.throws = true;
                for resource in children(resources) {
                    if let Some(value) = resource.child_by_field_name("value") {
                        Java::expr(l, value, &mut draft);
                    }
                    match resource.child_by_field_name("name") {
                        Some(name) => {
                            let var = l.declare(l.text(name), Origin::Local, line(name));
                            l.write_var(&mut draft, var, line(name));
                        }
                        None => all::<Java>(l, resource, &mut draft),
                    }
                }
                let enter = l.finish(draft);
                let body = body::<Java>(l, inside);
                l.emit(Stmt::With(With { enter, body, swallows: false }));
            });
        }),
    };
    let mut handlers = Vec::new();
    let mut last = None;
    for clause in children(node) {
        match clause.kind() {
            "catch_clause" => l.scoped(|l| {
                let param = child_of_kind(clause, "catch_formal_parameter");
                let mut draft = l.draft_of(clause, param.unwrap_or(clause), Role::Catch);
                let mut all_errors = false;
                if let Some(param) = param {
                    all_errors = l.text(param).contains("Throwable");
                    if let Some(name) = param.child_by_field_name("name") {
                        let var = l.declare(l.text(name), Origin::Local, line(name));
                        l.write_var(&mut draft, var, line(name));
                    }
                }
                let head = l.finish(draft);
                let body = body::<Java>(l, clause.child_by_field_name("body"));
                handlers.push(Handler { head, all: all_errors, body });
            }),
            "finally_clause" => last = Some(body::<Java>(l, child_of_kind(clause, "block"))),
            _ => {}
        }
    }
    l.emit(Stmt::Try(Try { head, body: tried, handlers, other: Vec::new(), last }));
}

fn make(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if let Some(body) = node.child_by_field_name("body") {
        l.hole(d, body);
    }
    let name = node.child_by_field_name("name").map_or("lambda", |name| l.text(name));
    let func = define(l, node, name);
    d.step.makes.push(func);
}

fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let field = |name: &str| node.child_by_field_name(name);
    if curly::lazy::<Java>(l, node, d) {
        return;
    }
    match node.kind() {
        "identifier" | "this" => l.read(d, node),
        "field_access" | "array_access" => {
            l.read_place::<Java>(node, d);
        }
        "type_identifier"
        | "generic_type"
        | "scoped_type_identifier"
        | "integral_type"
        | "string_literal"
        | "line_comment"
        | "block_comment"
        | "method_reference"
        | "modifiers"
        | "super" => {}
        "local_variable_declaration" | "field_declaration" => {
            for declarator in children_of(node, "declarator") {
                if let Some(value) = declarator.child_by_field_name("value") {
                    Java::expr(l, value, d);
                }
                if let Some(name) = declarator.child_by_field_name("name") {
                    let var = l.declare(l.text(name), Origin::Local, line(name));
                    if declarator.child_by_field_name("value").is_some() {
                        l.write_var(d, var, line(name));
                    }
                }
            }
        }
        "assignment_expression" => curly::assignment::<Java>(l, node, d),
        "update_expression" => {
            if let Some(place) = node.named_child(0) {
                l.write_place::<Java>(place, Touch::Update, d);
            }
        }
        "instanceof_expression" => {
            if let Some(left) = field("left") {
                Java::expr(l, left, d);
            }
            if let Some(name) = field("name") {
                let var = l.declare(l.text(name), Origin::Local, line(name));
                l.touch(d, var, crate::flow::ir::WHOLE, Touch::Def, line(name));
            }
            if let Some(pattern) = field("pattern") {
                bind(l, pattern, d);
            }
        }
        "switch_expression" => {
            let var = l.value_var(node);
            let body = l.nested(|l| l.scoped(|l| switch(l, node, None, Some(var))));
            l.emit_before(body);
            l.read_var(d, var, line(node));
            l.hole(d, node.child_by_field_name("body").unwrap_or(node));
        }
        "method_invocation" => {
            d.step.throws = true;
            if let Some(arguments) = field("arguments") {
                all::<Java>(l, arguments, d);
            }
            if let (Some(base), Some(name)) = (field("object"), field("name")) {
                l.call_method::<Java>(base, l.text(name), d);
            }
        }
        "object_creation_expression" => {
            d.step.throws = true;
            if let Some(arguments) = field("arguments") {
                all::<Java>(l, arguments, d);
            }
            if let Some(inside) = child_of_kind(node, "class_body") {
                for member in
                    children(inside).into_iter().filter(|member| member.kind() == "method_declaration")
                {
                    make(l, member, d);
                }
            }
        }
        "lambda_expression" => make(l, node, d),
        "cast_expression" => {
            d.step.throws = true;
            if let Some(value) = field("value") {
                Java::expr(l, value, d);
            }
        }
        "class_declaration" | "record_declaration" | "interface_declaration" | "enum_declaration" => {
            l.unread(node, "a type inside a function is not followed");
        }
        "ERROR" => l.flat(d, node),
        _ => all::<Java>(l, node, d),
    }
}
