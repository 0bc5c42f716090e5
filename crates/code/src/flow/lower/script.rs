//! TypeScript and JavaScript: `let` and `const` live in blocks, `var` and functions in the function from its beginning.

use super::place::{Grammar, Shape};
use super::{Draft, Lower, child_of_kind, children, has_word, line};
use crate::flow::ir::{
    Arm, Body, Case, FuncId, Handler, If, Jump, Loop, Origin, Role, Step, Stmt, Switch, Touch, Try, Unit,
};
use tree_sitter::Node;

struct Script;

impl Grammar for Script {
    fn shape(node: Node<'_>) -> Shape<'_> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "identifier"
            | "this"
            | "shorthand_property_identifier"
            | "shorthand_property_identifier_pattern" => Shape::Name,
            "member_expression" => match (field("object"), field("property")) {
                (Some(base), Some(name)) => Shape::Field(base, name),
                _ => Shape::None,
            },
            "subscript_expression" => match (field("object"), field("index")) {
                (Some(base), Some(index)) => Shape::Element(base, vec![index]),
                _ => Shape::None,
            },
            "parenthesized_expression" | "non_null_expression" | "as_expression" | "satisfies_expression" => {
                node.named_child(0).map_or(Shape::None, Shape::Through)
            }
            _ => Shape::None,
        }
    }

    fn expr(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
        expr(l, node, d);
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
            expr(l, body, &mut draft);
            let step = l.finish(draft);
            l.emit(Stmt::Jump(step, Jump::Return));
        }
    })
}

fn parameter(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let pattern = node.child_by_field_name("pattern").unwrap_or(node);
    if let Some(value) = node.child_by_field_name("value") {
        l.perhaps(d, |l, d| expr(l, value, d));
    }
    pattern_names(pattern, &mut |name| {
        l.declare(l.text(name), Origin::Param, line(name));
    });
    bind(l, pattern, d);
}

/// The names that a pattern binds.
fn pattern_names<'n>(node: Node<'n>, found: &mut impl FnMut(Node<'n>)) {
    match node.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => found(node),
        "pair_pattern" => {
            if let Some(value) = node.child_by_field_name("value") {
                pattern_names(value, found);
            }
        }
        "assignment_pattern" | "object_assignment_pattern" => {
            if let Some(left) = node.child_by_field_name("left") {
                pattern_names(left, found);
            }
        }
        "object_pattern" | "array_pattern" | "rest_pattern" => {
            for child in children(node) {
                pattern_names(child, found);
            }
        }
        _ => {}
    }
}

/// Writes what a pattern binds.
fn bind(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if l.write_place::<Script>(node, Touch::Def, d) {
        return;
    }
    match node.kind() {
        "pair_pattern" => {
            if let Some(key) =
                node.child_by_field_name("key").filter(|key| key.kind() == "computed_property_name")
            {
                all(l, key, d);
            }
            if let Some(value) = node.child_by_field_name("value") {
                bind(l, value, d);
            }
        }
        "assignment_pattern" | "object_assignment_pattern" => {
            if let Some(right) = node.child_by_field_name("right") {
                l.perhaps(d, |l, d| expr(l, right, d));
            }
            if let Some(left) = node.child_by_field_name("left") {
                bind(l, left, d);
            }
        }
        _ => {
            d.step.throws = true;
            for child in children(node) {
                bind(l, child, d);
            }
        }
    }
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

/// `var` belongs to the whole function.
fn hoist(l: &mut Lower<'_>, body: Node<'_>) {
    let mut open = children(body);
    let mut names: Vec<Node<'_>> = Vec::new();
    while let Some(node) = open.pop() {
        match node.kind() {
            kind if is_function(kind) || kind == "class_body" => continue,
            "variable_declaration" => {
                for declarator in children(node) {
                    if let Some(name) = declarator.child_by_field_name("name") {
                        pattern_names(name, &mut |name| names.push(name));
                    }
                }
            }
            "for_in_statement"
                if node.child_by_field_name("kind").is_some_and(|kind| kind.kind() == "var") =>
            {
                if let Some(left) = node.child_by_field_name("left") {
                    pattern_names(left, &mut |name| names.push(name));
                }
            }
            _ => {}
        }
        open.extend(children(node));
    }
    names.sort_by_key(Node::start_byte);
    for name in names {
        l.declare_in_function(l.text(name), line(name));
    }
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

fn import<'n>(node: Node<'n>, found: &mut impl FnMut(Node<'n>)) {
    match node.kind() {
        "identifier" => found(node),
        "import_specifier" => {
            let name = node.child_by_field_name("alias").or_else(|| node.child_by_field_name("name"));
            if let Some(name) = name {
                found(name);
            }
        }
        _ => {
            for child in children(node) {
                import(child, found);
            }
        }
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
    all(l, node, &mut draft);
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
            expr(l, condition, &mut draft);
            let head = l.finish(draft);
            let endless = matches!(l.text(condition), "(true)" | "(1)");
            let body = body(l, node.child_by_field_name("body"));
            let (before, update, other) = (Vec::new(), Vec::new(), Vec::new());
            l.emit(Stmt::Loop(Loop { label: name, before, head, endless, at_end, body, update, other }));
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
            expr(l, node, &mut draft);
            l.emit_step(draft);
        }
    }
}

fn conditional(l: &mut Lower<'_>, node: Node<'_>) {
    let mut arms = Vec::new();
    let mut other = Vec::new();
    let mut at = Some(node);
    while let Some(branch) = at.take() {
        let Some(condition) = branch.child_by_field_name("condition") else { break };
        let mut draft = l.draft_of(branch, condition, Role::Test);
        expr(l, condition, &mut draft);
        let test = l.finish(draft);
        let then = body(l, branch.child_by_field_name("consequence"));
        arms.push(Arm { before: Vec::new(), test, body: then });
        let otherwise = branch.child_by_field_name("alternative").and_then(|clause| clause.named_child(0));
        match otherwise {
            Some(next) if next.kind() == "if_statement" => at = Some(next),
            rest => other = body(l, rest),
        }
    }
    l.emit(Stmt::If(If { arms, other }));
}

fn declared_here(l: &mut Lower<'_>, node: Node<'_>) {
    for declarator in children(node) {
        if let Some(name) = declarator.child_by_field_name("name") {
            pattern_names(name, &mut |name| {
                l.declare(l.text(name), Origin::Local, line(name));
            });
        }
    }
}

fn counted(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>) {
    if let Some(first) =
        node.child_by_field_name("initializer").filter(|first| first.kind() != "empty_statement")
    {
        if first.kind() == "lexical_declaration" {
            declared_here(l, first);
        }
        let mut draft = l.draft(first, Role::Plain);
        expr(l, first, &mut draft);
        l.emit_step(draft);
    }
    let condition = node
        .child_by_field_name("condition")
        .filter(|node| node.is_named() && node.kind() != "empty_statement");
    let mut draft = l.draft(condition.unwrap_or(node), Role::Test);
    if let Some(condition) = condition {
        expr(l, condition, &mut draft);
    } else {
        draft.rows.1 = draft.rows.0;
        draft.step.span.1 = draft.step.span.0 + 3;
    }
    let head = l.finish(draft);
    let inside = body(l, node.child_by_field_name("body"));
    let update = l.nested(|l| {
        if let Some(increment) = node.child_by_field_name("increment") {
            let mut draft = l.draft(increment, Role::Plain);
            expr(l, increment, &mut draft);
            l.emit_step(draft);
        }
    });
    let endless = condition.is_none();
    l.emit(Stmt::Loop(Loop {
        label,
        before: Vec::new(),
        head,
        endless,
        at_end: false,
        body: inside,
        update,
        other: Vec::new(),
    }));
}

fn each(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
    else {
        return;
    };
    let mut draft = l.draft_of(node, right, Role::Each);
    draft.step.throws = true;
    expr(l, right, &mut draft);
    if node.child_by_field_name("kind").is_some_and(|kind| kind.kind() != "var") {
        pattern_names(left, &mut |name| {
            l.declare(l.text(name), Origin::Local, line(name));
        });
    }
    bind(l, left, &mut draft);
    let head = l.finish(draft);
    let body = body(l, node.child_by_field_name("body"));
    l.emit(Stmt::Loop(Loop {
        label,
        before: Vec::new(),
        head,
        endless: false,
        at_end: false,
        body,
        update: Vec::new(),
        other: Vec::new(),
    }));
}

fn switch(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>) {
    let Some(value) = node.child_by_field_name("value") else { return };
    let mut draft = l.draft_of(node, value, Role::Subject);
    expr(l, value, &mut draft);
    let var = l.value_var(node);
    l.write_var(&mut draft, var, line(node));
    let subject = l.finish(draft);
    let clauses = node.child_by_field_name("body").map(children).unwrap_or_default();
    // One scope for all cases.
    for clause in &clauses {
        for child in children(*clause) {
            if child.kind() == "lexical_declaration" {
                declared_here(l, child);
            }
        }
    }
    let mut cases = Vec::new();
    for clause in clauses {
        let value = clause.child_by_field_name("value");
        let test = match (clause.kind(), value) {
            ("switch_case", Some(value)) => {
                let mut draft = l.draft_of(clause, value, Role::Case);
                l.read_var(&mut draft, var, line(clause));
                expr(l, value, &mut draft);
                Some(l.finish(draft))
            }
            ("switch_default", _) => None,
            _ => continue,
        };
        let mut list: Vec<Node<'_>> =
            children(clause).into_iter().filter(|child| Some(*child) != value).collect();
        // `case 1: { … break; }` is written by many.
        let last = list
            .last()
            .copied()
            .filter(|last| last.kind() == "break_statement" && last.named_child_count() == 0);
        if last.is_some() {
            list.pop();
        }
        let body = l.nested(|l| {
            for child in list {
                stmt(l, child);
            }
            if let Some(last) = last {
                let draft = l.draft(last, Role::Break);
                l.emit_step(draft);
            }
        });
        cases.push(Case { test, guard: None, body, falls: last.is_none() });
    }
    l.emit(Stmt::Switch(Switch { label, subject, cases, exhaustive: false, breaks: true }));
}

fn attempt(l: &mut Lower<'_>, node: Node<'_>) {
    let mut head = l.draft(node, Role::Try);
    head.rows.1 = head.rows.0;
    let head = l.finish(head);
    let tried = body(l, node.child_by_field_name("body"));
    let mut handlers = Vec::new();
    if let Some(clause) = node.child_by_field_name("handler") {
        l.scoped(|l| {
            let parameter = clause.child_by_field_name("parameter");
            let mut draft = l.draft_of(clause, parameter.unwrap_or(clause), Role::Catch);
            if let Some(parameter) = parameter {
                pattern_names(parameter, &mut |name| {
                    l.declare(l.text(name), Origin::Local, line(name));
                });
                bind(l, parameter, &mut draft);
            } else {
                draft.rows.1 = draft.rows.0;
                draft.step.span.1 = draft.step.span.0 + 5;
            }
            let head = l.finish(draft);
            let body = body(l, clause.child_by_field_name("body"));
            handlers.push(Handler { head, all: true, body });
        });
    }
    let last =
        node.child_by_field_name("finalizer").map(|clause| body(l, clause.child_by_field_name("body")));
    l.emit(Stmt::Try(Try { head, body: tried, handlers, other: Vec::new(), last }));
}

/// A function inside, made by this step.
fn make(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let name = node.child_by_field_name("name").map_or("", |name| l.text(name));
    if let Some(body) = node.child_by_field_name("body") {
        l.hole(d, body);
    }
    let func = if node.kind() == "function_expression" && !name.is_empty() {
        // The name of a function expression is known inside of it alone.
        l.scoped(|l| {
            l.declare(name, Origin::Local, line(node));
            define(l, node, name)
        })
    } else {
        define(l, node, name)
    };
    d.step.makes.push(func);
}

fn class(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if let Some(heritage) = child_of_kind(node, "class_heritage") {
        all(l, heritage, d);
    }
    for member in node.child_by_field_name("body").map(children).unwrap_or_default() {
        match member.kind() {
            "method_definition" => make(l, member, d),
            "class_static_block" => all(l, member, d),
            _ => {
                if let Some(value) = member.child_by_field_name("value") {
                    expr(l, value, d);
                }
            }
        }
    }
    if matches!(node.kind(), "class_declaration" | "abstract_class_declaration")
        && let Some(name) = node.child_by_field_name("name")
    {
        l.write(d, name);
    }
}

fn expr(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if !l.enter(node) {
        l.flat(d, node);
        return;
    }
    expression(l, node, d);
    l.leave();
}

fn all(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    for child in children(node) {
        expr(l, child, d);
    }
}

fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        kind if is_function(kind) => make(l, node, d),
        "comment"
        | "type_annotation"
        | "type_arguments"
        | "type_identifier"
        | "predefined_type"
        | "property_identifier"
        | "string"
        | "number"
        | "regex"
        | "statement_identifier" => {}
        "identifier" | "this" | "shorthand_property_identifier" => {
            d.step.throws = true;
            if l.text(node) != "undefined" {
                l.read(d, node);
            }
        }
        "member_expression" | "subscript_expression" => {
            l.read_place::<Script>(node, d);
        }
        "as_expression" | "satisfies_expression" | "non_null_expression" => {
            if let Some(inner) = node.named_child(0) {
                expr(l, inner, d);
            }
        }
        "lexical_declaration" | "variable_declaration" => {
            for declarator in children(node) {
                let (name, value) =
                    (declarator.child_by_field_name("name"), declarator.child_by_field_name("value"));
                if let Some(value) = value {
                    expr(l, value, d);
                }
                // `var x;` writes nothing; `let x;` makes it undefined.
                if let Some(name) = name
                    && (value.is_some() || node.kind() == "lexical_declaration")
                {
                    bind(l, name, d);
                }
            }
        }
        "assignment_expression" => {
            let Some(left) = field("left") else { return };
            if let Some(right) = field("right") {
                expr(l, right, d);
            }
            bind(l, left, d);
        }
        "augmented_assignment_expression" => {
            let operator = field("operator").map_or("", |operator| l.text(operator));
            let short = matches!(operator, "&&=" | "||=" | "??=");
            d.step.decisions += u32::from(short);
            if let Some(right) = field("right") {
                if short {
                    l.perhaps(d, |l, d| expr(l, right, d));
                } else {
                    expr(l, right, d);
                }
            }
            if let Some(left) = field("left") {
                d.step.throws = true;
                l.write_place::<Script>(left, Touch::Update, d);
            }
        }
        "update_expression" => {
            d.step.throws = true;
            if let Some(argument) = field("argument") {
                l.write_place::<Script>(argument, Touch::Update, d);
            }
        }
        "unary_expression" if has_word(node, "delete") => {
            if let Some(argument) = field("argument") {
                l.change_place::<Script>(argument, d);
            }
        }
        "binary_expression" => {
            let operator = field("operator").map_or("", |operator| operator.kind());
            if let Some(left) = field("left") {
                expr(l, left, d);
            }
            if let Some(right) = field("right") {
                if matches!(operator, "&&" | "||" | "??") {
                    d.step.decisions += 1;
                    l.perhaps(d, |l, d| expr(l, right, d));
                } else {
                    expr(l, right, d);
                }
            }
        }
        "ternary_expression" => {
            d.step.decisions += 1;
            if let Some(condition) = field("condition") {
                expr(l, condition, d);
            }
            l.perhaps(d, |l, d| {
                for part in [field("consequence"), field("alternative")].into_iter().flatten() {
                    expr(l, part, d);
                }
            });
        }
        "call_expression" | "new_expression" => call(l, node, d),
        "class" | "class_declaration" | "abstract_class_declaration" => class(l, node, d),
        "pair" => {
            if let Some(key) = field("key").filter(|key| key.kind() == "computed_property_name") {
                all(l, key, d);
            }
            if let Some(value) = field("value") {
                expr(l, value, d);
            }
        }
        "import_statement" => import(node, &mut |name| l.write(d, name)),
        "enum_declaration" => {
            if let Some(name) = field("name") {
                l.write(d, name);
            }
        }
        "await_expression" | "yield_expression" => {
            d.step.throws = true;
            all(l, node, d);
        }
        "jsx_attribute" => {
            for child in children(node).into_iter().skip(1) {
                expr(l, child, d);
            }
        }
        "jsx_opening_element" | "jsx_self_closing_element" => {
            for child in children(node) {
                if child.kind() == "identifier" {
                    l.read_known(d, child);
                } else {
                    expr(l, child, d);
                }
            }
        }
        "jsx_closing_element" | "jsx_text" => {}
        "ERROR" => l.flat(d, node),
        _ => all(l, node, d),
    }
}

fn call(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    d.step.throws = true;
    let Some(function) =
        node.child_by_field_name("function").or_else(|| node.child_by_field_name("constructor"))
    else {
        return all(l, node, d);
    };
    let is_new = node.kind() == "new_expression";
    match Script::shape(function) {
        Shape::Name => l.read_known(d, function),
        Shape::Field(..) if !is_new => {}
        _ => expr(l, function, d),
    }
    if let Some(arguments) = node.child_by_field_name("arguments") {
        all(l, arguments, d);
    }
    if let Shape::Field(base, name) = Script::shape(function)
        && !is_new
    {
        l.call_method::<Script>(base, l.text(name), d);
    }
}
