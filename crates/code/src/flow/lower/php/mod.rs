//! PHP: each function has names of its own and sees none from around but what it takes along; `break` and `continue`
//! count the loops and switches that they leave.

mod expr;

use super::curly::{self, Curly, bare, body, first_line, jump};
use super::place::{Grammar, PlaceExpr, all, through};
use super::{Draft, Lower, child_of_kind, children, children_of, line};
use crate::flow::ir::{
    Arm, Body, Case, FuncId, Handler, If, Jump, Loop, Origin, Role, Step, Stmt, Switch, Touch, Try, Unit,
    VarId,
};
use tree_sitter::Node;

struct Php;

impl Grammar for Php {
    fn place_expr(node: Node<'_>) -> PlaceExpr<'_> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "variable_name" | "scoped_property_access_expression" => PlaceExpr::Name,
            "member_access_expression" | "nullsafe_member_access_expression" => {
                match (field("object"), field("name")) {
                    (Some(base), Some(name)) if name.kind() == "name" => PlaceExpr::Field(base, name),
                    (Some(base), Some(name)) => PlaceExpr::Element(base, vec![name]),
                    _ => PlaceExpr::None,
                }
            }
            "subscript_expression" => match node.named_child(0) {
                Some(base) => PlaceExpr::Element(base, children(node).into_iter().skip(1).collect()),
                None => PlaceExpr::None,
            },
            "parenthesized_expression" => through(node),
            _ => PlaceExpr::None,
        }
    }

    fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
        expr::expression(l, node, d);
    }
}

impl Curly for Php {
    fn statement(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>) {
        statement(l, node, label);
    }
}

pub(super) fn unit(mut l: Lower<'_>, node: Node<'_>, name: &str) -> Unit {
    if node.kind() == "program" {
        l.function(node, name, |l, _| {
            hoist(l, node);
            // Functions of a file are there before it runs.
            let (functions, others): (Vec<_>, Vec<_>) =
                children(node).into_iter().partition(|child| child.kind() == "function_definition");
            for function in &functions {
                if let Some(name) = function.child_by_field_name("name") {
                    l.declare_function(l.text(name), line(name));
                }
            }
            functions.into_iter().for_each(|function| function_of_name(l, function, Role::Declared));
            others.into_iter().for_each(|child| Php::stmt(l, child, None));
        });
    } else {
        define(&mut l, node, name, &[]);
    }
    l.done()
}

/// A name that a function takes along: a copy of its value, or the variable itself.
struct Taken {
    name: String,
    var: VarId,
    shared: bool,
    line: u32,
}

fn define(l: &mut Lower<'_>, node: Node<'_>, name: &str, taken: &[Taken]) -> FuncId {
    let levels = std::mem::take(&mut l.levels);
    let func = l.function(node, name, |l, entry| {
        l.close_scope();
        for param in node.child_by_field_name("parameters").map(children).unwrap_or_default() {
            l.param(entry, param, |l, d| parameter(l, param, d));
        }
        for Taken { name, var, shared, line } in taken {
            if *shared {
                l.bind(name, *var);
            } else if l.known(name).is_none() {
                let own = l.declare(name, Origin::Param, *line);
                l.write_var(entry, own, *line);
            }
        }
        let Some(body) = node.child_by_field_name("body") else { return };
        hoist(l, body);
        if body.kind() == "compound_statement" {
            statements(l, body);
        } else {
            let mut draft = l.draft(body, Role::Return);
            Php::expr(l, body, &mut draft);
            let step = l.finish(draft);
            l.emit(Stmt::Jump(step, Jump::Return));
        }
    });
    l.levels = levels;
    func
}

fn parameter(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let name = if name.kind() == "by_ref" { name.named_child(0).unwrap_or(name) } else { name };
    let var = l.declare(l.text(name), Origin::Param, line(name));
    l.write_var(d, var, line(name));
    if node.child_by_field_name("reference_modifier").is_some() {
        // Whoever called sees what is written.
        let func = l.func;
        l.unit.functions[func].results.push(var);
    }
}

const fn is_function(kind: &str) -> bool {
    matches!(
        kind.as_bytes(),
        b"function_definition" | b"method_declaration" | b"anonymous_function" | b"arrow_function"
    )
}

fn is_global(name: &str) -> bool {
    name == "$this" || name == "$GLOBALS" || name.starts_with("$_") && name.to_uppercase() == name
}

/// The variables that a body names itself, in order, and whether it says that they are global: not those of functions
/// inside, but those that they take along.
fn names_in(body: Node<'_>, arrows: bool) -> Vec<(Node<'_>, bool)> {
    let mut names: Vec<(Node<'_>, bool)> = Vec::new();
    let mut open = vec![body];
    while let Some(node) = open.pop() {
        match node.kind() {
            "variable_name" => names.push((node, false)),
            "global_declaration" => names.extend(children(node).into_iter().map(|name| (name, true))),
            "anonymous_function" => open.extend(child_of_kind(node, "anonymous_function_use_clause")),
            "arrow_function" if arrows => open.extend(node.child_by_field_name("body")),
            "scoped_property_access_expression" => open.extend(node.child_by_field_name("scope")),
            kind if node != body && (is_function(kind) || kind == "declaration_list") => {}
            _ => open.extend(children(node)),
        }
    }
    names.sort_by_key(|(name, _)| name.start_byte());
    names
}

/// Every variable of a body belongs to its function, unless it says `global`.
fn hoist(l: &mut Lower<'_>, body: Node<'_>) {
    for (name, global) in names_in(body, false) {
        let text = l.text(name);
        if global && body.kind() != "program" {
            let var = l.global(text);
            l.bind(text, var);
        } else if !is_global(text) && l.known(text).is_none() {
            l.declare_in_function(text, line(name));
        }
    }
}

fn statements(l: &mut Lower<'_>, node: Node<'_>) {
    for child in children(node) {
        Php::stmt(l, child, None);
    }
}

/// Lowers what is inside of a loop or a switch: one level more for `break 2`.
fn level<T>(
    l: &mut Lower<'_>,
    node: Node<'_>,
    switch: bool,
    run: impl FnOnce(&mut Lower<'_>, String) -> T,
) -> T {
    let label = format!("level at {}", node.start_byte());
    l.levels.push((label.clone(), switch));
    let value = run(l, label);
    l.levels.pop();
    value
}

fn statement(l: &mut Lower<'_>, node: Node<'_>, _: Option<String>) {
    match node.kind() {
        "comment"
        | "empty_statement"
        | "php_tag"
        | "php_end_tag"
        | "text"
        | "text_interpolation"
        | "namespace_use_declaration"
        | "const_declaration"
        | "interface_declaration" => {}
        "compound_statement" | "colon_block" => statements(l, node),
        "namespace_definition" | "declare_statement" => {
            for part in children(node).into_iter().filter(|part| part.kind() == "compound_statement") {
                statements(l, part);
            }
        }
        "if_statement" => conditional(l, node),
        "while_statement" | "do_statement" => {
            level(l, node, false, |l, label| curly::repeated::<Php>(l, node, Some(label)));
        }
        "for_statement" => counted(l, node),
        "foreach_statement" => each(l, node),
        "switch_statement" => switch(l, node),
        "try_statement" => attempt(l, node),
        "return_statement" => jump::<Php>(l, node, Role::Return, Jump::Return),
        "exit_statement" => jump::<Php>(l, node, Role::Return, Jump::Return),
        "break_statement" | "continue_statement" => leave(l, node),
        "goto_statement" => {
            let label = node.named_child(0).map_or("", |label| l.text(label)).to_owned();
            let step = bare(l, node, Role::Goto);
            l.emit(Stmt::Jump(step, Jump::Goto(label)));
        }
        "named_label_statement" => {
            let label = node.named_child(0).map_or("", |label| l.text(label)).to_owned();
            l.emit(Stmt::Label(label));
        }
        "expression_statement"
            if node.named_child(0).is_some_and(|inner| inner.kind() == "throw_expression") =>
        {
            if let Some(inner) = node.named_child(0) {
                jump::<Php>(l, inner, Role::Throw, Jump::Throw);
            }
        }
        "global_declaration" => {
            let draft = l.draft(node, Role::Plain);
            l.emit_step(draft);
        }
        "function_definition" => function_of_name(l, node, Role::Plain),
        "class_declaration" | "trait_declaration" | "enum_declaration" => {
            let mut draft = l.draft(node, Role::Plain);
            expr::members(l, node, &mut draft);
            l.emit_step(draft);
        }
        "ERROR" => l.one_step(node),
        _ => {
            let mut draft = l.draft(node, Role::Plain);
            Php::expr(l, node, &mut draft);
            l.emit_step(draft);
        }
    }
}

/// A function inside that is called by its name.
fn function_of_name(l: &mut Lower<'_>, node: Node<'_>, role: Role) {
    let mut draft = l.draft(node, role);
    let name = node.child_by_field_name("name");
    let var = name.map(|name| {
        l.known_function(l.text(name)).unwrap_or_else(|| l.declare_function(l.text(name), line(name)))
    });
    expr::make(l, node, &mut draft);
    if let Some(var) = var {
        l.write_var(&mut draft, var, line(node));
    }
    l.emit_step(draft);
}

/// `break` and `continue`, with the number of levels that they leave. To a switch, `continue` is a `break`.
fn leave(l: &mut Lower<'_>, node: Node<'_>) {
    let round = node.kind() == "continue_statement";
    let count = node.named_child(0).and_then(|count| l.text(count).parse::<usize>().ok()).unwrap_or(1);
    let target = l.levels.len().checked_sub(count.max(1)).and_then(|at| l.levels.get(at)).cloned();
    let step = bare(l, node, if round { Role::Continue } else { Role::Break });
    let label = target.as_ref().map(|(label, _)| label.clone());
    let stays = target.is_some_and(|(_, switch)| switch);
    let jump = if round && !stays { Jump::Continue(label) } else { Jump::Break(label) };
    l.emit(Stmt::Jump(step, jump));
}

fn conditional(l: &mut Lower<'_>, node: Node<'_>) {
    let mut arms = Vec::new();
    let mut other: Body = Vec::new();
    let mut open = vec![node];
    while let Some(branch) = open.pop() {
        if let Some(condition) = branch.child_by_field_name("condition") {
            let mut draft = l.draft_of(branch, condition, Role::Test);
            let before = l.nested(|l| Php::expr(l, condition, &mut draft));
            let test = l.finish(draft);
            let body = body::<Php>(l, branch.child_by_field_name("body"));
            arms.push(Arm { before, test, body });
        } else {
            let inside = branch.child_by_field_name("body");
            match inside {
                // `else if`, in two words.
                Some(inside) if inside.kind() == "if_statement" => open.push(inside),
                _ => other = body::<Php>(l, inside),
            }
        }
        open.extend(children_of(branch, "alternative").into_iter().rev());
    }
    l.emit(Stmt::If(If { arms, other }));
}

fn counted(l: &mut Lower<'_>, node: Node<'_>) {
    let plain = |l: &mut Lower<'_>, part: Node<'_>| {
        let mut draft = l.draft(part, Role::Plain);
        Php::expr(l, part, &mut draft);
        l.emit_step(draft);
    };
    for first in children_of(node, "initialize") {
        plain(l, first);
    }
    let condition = node.child_by_field_name("condition");
    let mut draft = match condition {
        Some(condition) => l.draft(condition, Role::Test),
        None => first_line(l, node, Role::Test, 3),
    };
    let before = l.nested(|l| condition.into_iter().for_each(|part| Php::expr(l, part, &mut draft)));
    let head = l.finish(draft);
    level(l, node, false, |l, label| {
        let body = l.nested(|l| {
            for part in children_of(node, "body") {
                Php::stmt(l, part, None);
            }
        });
        let update = l.nested(|l| children_of(node, "update").into_iter().for_each(|part| plain(l, part)));
        let (label, endless) = (Some(label), condition.is_none());
        l.emit(Stmt::Loop(Loop { label, before, endless, update, ..Loop::new(head, body) }));
    });
}

fn each(l: &mut Lower<'_>, node: Node<'_>) {
    let inside = node.child_by_field_name("body");
    let parts: Vec<Node<'_>> = children(node).into_iter().filter(|part| Some(*part) != inside).collect();
    let (Some(over), Some(target)) = (parts.first().copied(), parts.get(1).copied()) else { return };
    let mut draft = l.draft_of(node, target, Role::Each);
    draft.step.throws = true;
    let targets = if target.kind() == "pair" { children(target) } else { vec![target] };
    if targets.iter().any(|target| target.kind() == "by_ref") {
        l.change_place::<Php>(over, &mut draft);
    } else {
        Php::expr(l, over, &mut draft);
    }
    for target in targets {
        expr::bind(l, target, &mut draft);
    }
    let head = l.finish(draft);
    level(l, node, false, |l, label| {
        let body = body::<Php>(l, inside);
        let label = Some(label);
        l.emit(Stmt::Loop(Loop { label, ..Loop::new(head, body) }));
    });
}

fn switch(l: &mut Lower<'_>, node: Node<'_>) {
    let Some(value) = node.child_by_field_name("condition") else { return };
    let (subject, var) = curly::subject::<Php>(l, node, value);
    level(l, node, true, |l, label| {
        let mut cases = Vec::new();
        for clause in node.child_by_field_name("body").map(children).unwrap_or_default() {
            let value = clause.child_by_field_name("value");
            let test = value.map(|value| {
                let mut draft = l.draft_of(clause, value, Role::Case);
                l.read_var(&mut draft, var, line(clause));
                Php::expr(l, value, &mut draft);
                l.finish(draft)
            });
            let list = children(clause).into_iter().filter(|child| Some(*child) != value).collect();
            cases.push(curly::case::<Php>(l, test, list));
        }
        curly::switch(l, subject, cases, false, Some(label));
    });
}

/// `match`: one arm, or an error. Each arm's value goes to the variable.
fn matched(l: &mut Lower<'_>, node: Node<'_>, target: VarId) {
    let Some(value) = node.child_by_field_name("condition") else { return };
    let (subject, var) = curly::subject::<Php>(l, node, value);
    let mut cases = Vec::new();
    let mut default = false;
    for arm in node.child_by_field_name("body").map(children).unwrap_or_default() {
        let conditions = arm.child_by_field_name("conditional_expressions");
        default |= arm.kind() == "match_default_expression";
        let test = conditions.map(|conditions| {
            let mut draft = l.draft(conditions, Role::Case);
            l.read_var(&mut draft, var, line(conditions));
            all::<Php>(l, conditions, &mut draft);
            l.finish(draft)
        });
        let Some(value) = arm.child_by_field_name("return_expression") else { continue };
        let body = l.nested(|l| {
            if value.kind() == "throw_expression" {
                jump::<Php>(l, value, Role::Throw, Jump::Throw);
            } else {
                let mut draft = l.draft(value, Role::Plain);
                Php::expr(l, value, &mut draft);
                l.write_var(&mut draft, target, line(value));
                l.emit_step(draft);
            }
        });
        cases.push(Case { test, guard: None, body, falls: false });
    }
    if !default {
        let body = vec![Stmt::Jump(Step::empty(Role::Throw), Jump::Throw)];
        cases.push(Case { test: None, guard: None, body, falls: false });
    }
    l.emit(Stmt::Switch(Switch { label: None, subject, cases, exhaustive: true, breaks: false }));
}

fn attempt(l: &mut Lower<'_>, node: Node<'_>) {
    let draft = first_line(l, node, Role::Try, 3);
    let head = l.finish(draft);
    let tried = body::<Php>(l, node.child_by_field_name("body"));
    let mut handlers = Vec::new();
    let mut last = None;
    for clause in children(node) {
        match clause.kind() {
            "catch_clause" => {
                let (kind, name) = (clause.child_by_field_name("type"), clause.child_by_field_name("name"));
                let mut draft = l.draft_of(clause, name.or(kind).unwrap_or(clause), Role::Catch);
                if let Some(name) = name {
                    l.write_place::<Php>(name, Touch::Def, &mut draft);
                }
                let all = kind.is_some_and(|kind| l.text(kind).contains("Throwable"));
                let head = l.finish(draft);
                let body = body::<Php>(l, clause.child_by_field_name("body"));
                handlers.push(Handler { head, all, body });
            }
            "finally_clause" => last = Some(body::<Php>(l, clause.child_by_field_name("body"))),
            _ => {}
        }
    }
    l.emit(Stmt::Try(Try { head, body: tried, handlers, other: Vec::new(), last }));
}
