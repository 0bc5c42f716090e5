//! Python: one scope for each function, names that are written anywhere in it are its own; comprehensions have theirs.

use super::place::{Grammar, Shape};
use super::{Draft, Lower, child_of_kind, children, children_of, line};
use crate::flow::ir::{
    Arm, Body, Case, FuncId, Handler, If, Jump, Loop, Origin, Role, Step, Stmt, Switch, Touch, Try, Unit,
    With,
};
use tree_sitter::Node;

struct Python;

impl Grammar for Python {
    fn shape(node: Node<'_>) -> Shape<'_> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "identifier" => Shape::Name,
            "attribute" => match (field("object"), field("attribute")) {
                (Some(base), Some(name)) => Shape::Field(base, name),
                _ => Shape::None,
            },
            "subscript" => match field("value") {
                Some(base) => Shape::Element(base, children_of(node, "subscript")),
                None => Shape::None,
            },
            _ => Shape::None,
        }
    }

    fn expr(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
        expr(l, node, d);
    }
}

pub(super) fn unit(mut l: Lower<'_>, node: Node<'_>, name: &str) -> Unit {
    match node.kind() {
        "module" => {
            l.function(node, name, |l, _| {
                hoist(l, node);
                for child in children(node) {
                    stmt(l, child);
                }
            });
        }
        _ => {
            define(&mut l, node, name);
        }
    }
    l.done()
}

/// A `def` or a `lambda`.
fn define(l: &mut Lower<'_>, node: Node<'_>, name: &str) -> FuncId {
    l.function(node, name, |l, entry| {
        for child in node.child_by_field_name("parameters").map(children).unwrap_or_default() {
            l.param(entry, child, |l, d| param(l, child, d));
        }
        let Some(body) = node.child_by_field_name("body") else { return };
        if node.kind() == "lambda" {
            let mut draft = l.draft(body, Role::Return);
            expr(l, body, &mut draft);
            let step = l.finish(draft);
            l.emit(Stmt::Jump(step, Jump::Return));
        } else {
            hoist(l, body);
            block(l, body);
        }
    })
}

fn param(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    match node.kind() {
        "identifier" => l.declare_param(d, node),
        "default_parameter" | "typed_default_parameter" => {
            if let Some(name) = node.child_by_field_name("name") {
                param(l, name, d);
            }
        }
        "typed_parameter" | "list_splat_pattern" | "dictionary_splat_pattern" | "tuple_pattern" => {
            for child in children(node).into_iter().filter(|child| child.kind() != "type") {
                param(l, child, d);
            }
        }
        _ => {}
    }
}

/// Declares every name that a body writes: in Python they belong to the function from its beginning.
fn hoist(l: &mut Lower<'_>, body: Node<'_>) {
    let mut foreign: Vec<(String, bool)> = Vec::new();
    let mut names: Vec<(String, u32)> = Vec::new();
    let mut open = vec![body];
    while let Some(node) = open.pop() {
        match node.kind() {
            "global_statement" | "nonlocal_statement" => {
                let global = node.kind() == "global_statement";
                foreign.extend(children(node).into_iter().map(|name| (l.text(name).to_owned(), global)));
            }
            "function_definition" | "class_definition" => {
                if let Some(name) = node.child_by_field_name("name") {
                    names.push((l.text(name).to_owned(), line(name)));
                }
                continue;
            }
            "lambda" => continue,
            "list_comprehension"
            | "set_comprehension"
            | "dictionary_comprehension"
            | "generator_expression" => {
                // Only `:=` gets out of a comprehension.
                walrus(l, node, &mut names);
                continue;
            }
            "assignment" | "augmented_assignment" | "for_statement" => {
                if let Some(left) = node.child_by_field_name("left") {
                    targets(l, left, &mut names);
                }
            }
            "named_expression" => {
                if let Some(name) = node.child_by_field_name("name") {
                    names.push((l.text(name).to_owned(), line(name)));
                }
            }
            "as_pattern_target" => {
                for child in children(node) {
                    targets(l, child, &mut names);
                }
            }
            "case_clause" => {
                for pattern in children(node).into_iter().filter(|child| child.kind() == "case_pattern") {
                    captures(pattern, &mut |name| names.push((l.text(name).to_owned(), line(name))));
                }
            }
            "import_statement" | "import_from_statement" => {
                for name in imported(node) {
                    names.push((l.text(name).to_owned(), line(name)));
                }
                continue;
            }
            _ => {}
        }
        open.extend(children(node));
    }
    for (name, global) in &foreign {
        let var = if *global { l.outside(name) } else { l.resolve(name) };
        l.bind(name, var);
    }
    names.sort_by_key(|(_, line)| *line);
    for (name, line) in names {
        if !foreign.iter().any(|(other, _)| *other == name) {
            l.declare_in_function(&name, line);
        }
    }
}

fn walrus(l: &Lower<'_>, node: Node<'_>, names: &mut Vec<(String, u32)>) {
    let mut open = children(node);
    while let Some(node) = open.pop() {
        if node.kind() == "named_expression"
            && let Some(name) = node.child_by_field_name("name")
        {
            names.push((l.text(name).to_owned(), line(name)));
        }
        if node.kind() != "lambda" {
            open.extend(children(node));
        }
    }
}

/// The names that a target writes.
fn targets(l: &Lower<'_>, node: Node<'_>, names: &mut Vec<(String, u32)>) {
    match node.kind() {
        "identifier" => names.push((l.text(node).to_owned(), line(node))),
        "attribute" | "subscript" => {}
        _ => {
            for child in children(node) {
                targets(l, child, names);
            }
        }
    }
}

/// The name that an import makes.
fn imported(node: Node<'_>) -> Vec<Node<'_>> {
    children_of(node, "name")
        .into_iter()
        .filter_map(|name| match name.kind() {
            "aliased_import" => name.child_by_field_name("alias"),
            _ => name.named_child(0),
        })
        .collect()
}

/// The names that a pattern binds.
fn captures<'n>(node: Node<'n>, found: &mut impl FnMut(Node<'n>)) {
    match node.kind() {
        "dotted_name" => {
            if node.named_child_count() == 1
                && let Some(name) = node.named_child(0)
            {
                found(name);
            }
        }
        "identifier" => found(node),
        "class_pattern" => {
            for child in children(node).into_iter().filter(|child| child.kind() == "case_pattern") {
                captures(child, found);
            }
        }
        "keyword_pattern" => {
            for child in children(node).into_iter().skip(1) {
                captures(child, found);
            }
        }
        _ => {
            for child in children(node) {
                captures(child, found);
            }
        }
    }
}

fn block(l: &mut Lower<'_>, node: Node<'_>) {
    for child in children(node) {
        stmt(l, child);
    }
}

fn body(l: &mut Lower<'_>, node: Option<Node<'_>>) -> Body {
    l.nested(|l| {
        if let Some(node) = node {
            block(l, node);
        }
    })
}

/// The block of a clause, however the grammar names it.
fn block_of(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("body")
        .or_else(|| node.child_by_field_name("consequence"))
        .or_else(|| child_of_kind(node, "block"))
}

/// One step with an expression, or several, in it.
fn step(l: &mut Lower<'_>, node: Node<'_>, role: Role) -> Step {
    let mut draft = l.draft(node, role);
    expr(l, node, &mut draft);
    l.finish(draft)
}

fn stmt(l: &mut Lower<'_>, node: Node<'_>) {
    if !l.enter(node) {
        l.one_step(node);
        return;
    }
    statement(l, node);
    l.leave();
}

fn statement(l: &mut Lower<'_>, node: Node<'_>) {
    match node.kind() {
        "comment" | "global_statement" | "nonlocal_statement" => {}
        "block" | "module" => block(l, node),
        "if_statement" => conditional(l, node),
        "for_statement" => each(l, node),
        "while_statement" => {
            let mut endless = false;
            let mut draft = l.draft(node, Role::Test);
            if let Some(condition) = node.child_by_field_name("condition") {
                draft = l.draft_of(node, condition, Role::Test);
                endless = matches!(l.text(condition), "True" | "1");
                expr(l, condition, &mut draft);
            }
            let head = l.finish(draft);
            let inside = body(l, node.child_by_field_name("body"));
            let other = otherwise(l, node);
            l.emit(Stmt::Loop(Loop {
                label: None,
                before: Vec::new(),
                head,
                endless,
                at_end: false,
                body: inside,
                update: Vec::new(),
                other,
            }));
        }
        "try_statement" => attempt(l, node),
        "with_statement" => with(l, node),
        "match_statement" => matching(l, node),
        "return_statement" => {
            let step = step_of_children(l, node, Role::Return);
            l.emit(Stmt::Jump(step, Jump::Return));
        }
        "raise_statement" => {
            let step = step_of_children(l, node, Role::Throw);
            l.emit(Stmt::Jump(step, Jump::Throw));
        }
        "break_statement" => {
            let step = step(l, node, Role::Break);
            l.emit(Stmt::Jump(step, Jump::Break(None)));
        }
        "continue_statement" => {
            let step = step(l, node, Role::Continue);
            l.emit(Stmt::Jump(step, Jump::Continue(None)));
        }
        "ERROR" => l.one_step(node),
        _ => {
            let step = step(l, node, Role::Plain);
            l.emit(Stmt::Step(step));
        }
    }
}

fn step_of_children(l: &mut Lower<'_>, node: Node<'_>, role: Role) -> Step {
    let mut draft = l.draft(node, role);
    for child in children(node) {
        expr(l, child, &mut draft);
    }
    l.finish(draft)
}

fn otherwise(l: &mut Lower<'_>, node: Node<'_>) -> Body {
    let clause = node.child_by_field_name("alternative");
    body(l, clause.and_then(block_of))
}

fn conditional(l: &mut Lower<'_>, node: Node<'_>) {
    let mut arms = Vec::new();
    let mut other = Vec::new();
    let clauses = children_of(node, "alternative");
    for clause in std::iter::once(node).chain(clauses) {
        if clause.kind() == "else_clause" {
            other = body(l, block_of(clause));
            continue;
        }
        let Some(condition) = clause.child_by_field_name("condition") else { continue };
        let mut draft = l.draft_of(clause, condition, Role::Test);
        expr(l, condition, &mut draft);
        let test = l.finish(draft);
        let body = body(l, clause.child_by_field_name("consequence"));
        arms.push(Arm { before: Vec::new(), test, body });
    }
    l.emit(Stmt::If(If { arms, other }));
}

fn each(l: &mut Lower<'_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
    else {
        return;
    };
    let mut draft = l.draft_of(node, right, Role::Each);
    expr(l, right, &mut draft);
    target(l, left, &mut draft);
    draft.step.throws = true;
    let head = l.finish(draft);
    let inside = body(l, node.child_by_field_name("body"));
    let other = otherwise(l, node);
    l.emit(Stmt::Loop(Loop {
        label: None,
        before: Vec::new(),
        head,
        endless: false,
        at_end: false,
        body: inside,
        update: Vec::new(),
        other,
    }));
}

fn attempt(l: &mut Lower<'_>, node: Node<'_>) {
    let mut head = l.draft(node, Role::Try);
    head.rows.1 = head.rows.0;
    let head = l.finish(head);
    let tried = body(l, node.child_by_field_name("body"));
    let mut handlers = Vec::new();
    let mut other = Vec::new();
    let mut last = None;
    for clause in children(node) {
        match clause.kind() {
            "except_clause" | "except_group_clause" => {
                let value = clause.child_by_field_name("value");
                let mut draft = l.draft_of(clause, value.unwrap_or(clause), Role::Catch);
                if value.is_none() {
                    draft.rows.1 = draft.rows.0;
                }
                let all = value.is_none_or(|value| l.text(value).starts_with("BaseException"));
                if let Some(value) = value {
                    expr(l, value, &mut draft);
                }
                if let Some(alias) = clause.child_by_field_name("alias") {
                    target(l, alias, &mut draft);
                }
                let head = l.finish(draft);
                let body = body(l, block_of(clause));
                handlers.push(Handler { head, all, body });
            }
            "else_clause" => other = body(l, block_of(clause)),
            "finally_clause" => last = Some(body(l, block_of(clause))),
            _ => {}
        }
    }
    l.emit(Stmt::Try(Try { head, body: tried, handlers, other, last }));
}

fn with(l: &mut Lower<'_>, node: Node<'_>) {
    let Some(clause) = child_of_kind(node, "with_clause") else { return };
    let mut draft = l.draft_of(node, clause, Role::Enter);
    draft.step.throws = true;
    for item in children(clause) {
        if let Some(value) = item.child_by_field_name("value") {
            expr(l, value, &mut draft);
        }
    }
    let enter = l.finish(draft);
    let body = body(l, node.child_by_field_name("body"));
    l.emit(Stmt::With(With { enter, body, swallows: true }));
}

fn matching(l: &mut Lower<'_>, node: Node<'_>) {
    let subjects = children_of(node, "subject");
    let Some(last) = subjects.last().copied() else { return };
    let mut draft = l.draft_of(node, last, Role::Subject);
    for subject in subjects {
        expr(l, subject, &mut draft);
    }
    let var = l.value_var(node);
    l.write_var(&mut draft, var, line(node));
    let subject = l.finish(draft);
    let mut cases = Vec::new();
    let mut exhaustive = false;
    for clause in node.child_by_field_name("body").map(children).unwrap_or_default() {
        if clause.kind() != "case_clause" {
            continue;
        }
        let patterns: Vec<Node<'_>> =
            children(clause).into_iter().filter(|child| child.kind() == "case_pattern").collect();
        let Some(pattern) = patterns.last().copied() else { continue };
        let mut draft = l.draft_of(clause, pattern, Role::Case);
        // A pattern looks at the value, even where it binds nothing.
        l.read_var(&mut draft, var, line(clause));
        for pattern in &patterns {
            values(l, *pattern, &mut draft);
            captures(*pattern, &mut |name| l.write(&mut draft, name));
        }
        draft.step.throws = true;
        let test = l.finish(draft);
        let guard = clause.child_by_field_name("guard");
        exhaustive |= guard.is_none() && patterns.len() == 1 && is_anything(l, pattern);
        let guard = guard.map(|guard| (Vec::new(), step_of_children(l, guard, Role::Test)));
        let body = body(l, clause.child_by_field_name("consequence"));
        cases.push(Case { test: Some(test), guard, body, falls: false });
    }
    l.emit(Stmt::Switch(Switch { label: None, subject, cases, exhaustive, breaks: false }));
}

/// `_`, or a bare name.
fn is_anything(l: &Lower<'_>, pattern: Node<'_>) -> bool {
    let text = l.text(pattern);
    text == "_"
        || (text.chars().all(|c| c.is_alphanumeric() || c == '_') && {
            pattern.named_child(0).is_some_and(|child| child.kind() == "dotted_name")
        })
}

/// The values and classes that a pattern reads.
fn values(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    match node.kind() {
        "dotted_name" if node.named_child_count() > 1 => {
            if let (Some(base), Some(name)) = (node.named_child(0), node.named_child(1)) {
                l.read_field(d, base, l.text(name));
            }
        }
        "dotted_name" => {}
        _ => {
            for child in children(node) {
                values(l, child, d);
            }
        }
    }
}

/// A function or a class inside.
fn definition(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let name = node.child_by_field_name("name");
    let text = name.map_or("", |name| l.text(name));
    if let Some(params) = node.child_by_field_name("parameters") {
        // Defaults are evaluated where the function is made.
        for param in children(params) {
            if let Some(value) = param.child_by_field_name("value") {
                expr(l, value, d);
            }
        }
    }
    if let Some(body) = node.child_by_field_name("body") {
        l.hole(d, body);
    }
    let func = define(l, node, text);
    d.step.makes.push(func);
    if let Some(name) = name {
        l.write(d, name);
    }
}

fn class(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if let Some(bases) = node.child_by_field_name("superclasses") {
        expr(l, bases, d);
    }
    if let Some(inside) = node.child_by_field_name("body") {
        let mut open = children(inside);
        open.reverse();
        while let Some(child) = open.pop() {
            match child.kind() {
                "decorated_definition" => open.extend(child.child_by_field_name("definition")),
                "function_definition" => {
                    if let Some(body) = child.child_by_field_name("body") {
                        l.hole(d, body);
                    }
                    let name = child.child_by_field_name("name").map_or("", |name| l.text(name));
                    let func = define(l, child, name);
                    d.step.makes.push(func);
                }
                "expression_statement" => {
                    for assignment in children(child) {
                        if let Some(right) = assignment.child_by_field_name("right") {
                            expr(l, right, d);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    if let Some(name) = node.child_by_field_name("name") {
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
    match node.kind() {
        "identifier" | "attribute" | "subscript" => {
            // A name may not be bound yet.
            d.step.throws = true;
            l.read_place::<Python>(node, d);
        }
        "type" | "comment" | "string_content" | "escape_sequence" | "type_conversion" | "integer"
        | "float" => {}
        "assignment" => assign(l, node, d),
        "augmented_assignment" => {
            d.step.throws = true;
            if let Some(right) = node.child_by_field_name("right") {
                expr(l, right, d);
            }
            if let Some(left) = node.child_by_field_name("left") {
                l.write_place::<Python>(left, Touch::Update, d);
            }
        }
        "named_expression" => {
            if let Some(value) = node.child_by_field_name("value") {
                expr(l, value, d);
            }
            if let Some(name) = node.child_by_field_name("name") {
                l.write(d, name);
            }
        }
        "call" => call(l, node, d),
        "boolean_operator" => {
            d.step.decisions += 1;
            if let Some(left) = node.child_by_field_name("left") {
                expr(l, left, d);
            }
            if let Some(right) = node.child_by_field_name("right") {
                l.perhaps(d, |l, d| expr(l, right, d));
            }
        }
        "conditional_expression" => {
            d.step.decisions += 1;
            let parts = children(node);
            if let [yes, test, no] = parts.as_slice() {
                expr(l, *test, d);
                l.perhaps(d, |l, d| {
                    expr(l, *yes, d);
                    expr(l, *no, d);
                });
            }
        }
        "list_comprehension" | "set_comprehension" | "dictionary_comprehension" | "generator_expression" => {
            comprehension(l, node, d);
        }
        "lambda" => {
            for param in node.child_by_field_name("parameters").map(children).unwrap_or_default() {
                if let Some(value) = param.child_by_field_name("value") {
                    expr(l, value, d);
                }
            }
            if let Some(body) = node.child_by_field_name("body") {
                l.hole(d, body);
            }
            let func = define(l, node, "lambda");
            d.step.makes.push(func);
        }
        "function_definition" => definition(l, node, d),
        "class_definition" => class(l, node, d),
        "decorated_definition" => {
            for child in children(node) {
                expr(l, child, d);
            }
        }
        "keyword_argument" => {
            if let Some(value) = node.child_by_field_name("value") {
                expr(l, value, d);
            }
        }
        "as_pattern" => {
            for child in children(node) {
                if child.kind() == "as_pattern_target" {
                    target(l, child, d);
                } else {
                    expr(l, child, d);
                }
            }
        }
        "delete_statement" => {
            d.step.throws = true;
            for child in children(node) {
                delete(l, child, d);
            }
        }
        "import_statement" | "import_from_statement" | "future_import_statement" => {
            d.step.throws = true;
            for name in imported(node) {
                l.write(d, name);
            }
        }
        "await"
        | "yield"
        | "assert_statement"
        | "binary_operator"
        | "unary_operator"
        | "comparison_operator"
        | "interpolation"
        | "list_splat"
        | "dictionary_splat" => {
            d.step.throws = true;
            all(l, node, d);
        }
        "ERROR" => l.flat(d, node),
        _ => all(l, node, d),
    }
}

fn assign(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let Some(right) = node.child_by_field_name("right") else { return };
    expr(l, right, d);
    if let Some(left) = node.child_by_field_name("left") {
        target(l, left, d);
    }
}

/// Writes to a target.
fn target(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if !l.write_place::<Python>(node, Touch::Def, d) {
        // Taking apart may fail.
        d.step.throws = true;
        for child in children(node) {
            target(l, child, d);
        }
    }
}

fn delete(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if !l.write_place::<Python>(node, Touch::Update, d) {
        for child in children(node) {
            delete(l, child, d);
        }
    }
}

fn call(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    d.step.throws = true;
    let arguments = node.child_by_field_name("arguments");
    let Some(function) = node.child_by_field_name("function") else { return };
    match Python::shape(function) {
        Shape::Name => l.read_known(d, function),
        Shape::Field(..) => {}
        _ => expr(l, function, d),
    }
    if let Some(arguments) = arguments {
        expr(l, arguments, d);
    }
    if let Shape::Field(base, name) = Python::shape(function) {
        l.call_method::<Python>(base, l.text(name), d);
    }
}

fn comprehension(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    d.step.throws = true;
    l.scoped(|l| {
        let clauses: Vec<Node<'_>> = children(node).into_iter().skip(1).collect();
        for clause in clauses {
            if clause.kind() != "for_in_clause" {
                d.step.decisions += 1;
                l.perhaps(d, |l, d| all(l, clause, d));
                continue;
            }
            if let Some(right) = clause.child_by_field_name("right") {
                expr(l, right, d);
            }
            if let Some(left) = clause.child_by_field_name("left") {
                let mut names = Vec::new();
                targets(l, left, &mut names);
                for (name, line) in names {
                    l.declare(&name, Origin::Local, line);
                }
                target(l, left, d);
            }
        }
        if let Some(body) = node.child_by_field_name("body") {
            l.perhaps(d, |l, d| expr(l, body, d));
        }
    });
}
