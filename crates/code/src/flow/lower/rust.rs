//! Rust: everything is an expression. A branch with a value writes it to a variable of its own, which the step around
//! reads; the last expression of a function is its return; a new `let` hides the old one; `?` may leave.

use super::place::{Grammar, Shape};
use super::{Draft, Lower, child_of_kind, children, has_word, line};
use crate::flow::ir::{
    Arm, Body, Case, FuncId, If, Jump, Loop, Origin, Role, Stmt, Switch, Touch, Unit, VarId,
};
use tree_sitter::Node;

struct Rust;

impl Grammar for Rust {
    fn shape(node: Node<'_>) -> Shape<'_> {
        match node.kind() {
            "identifier" | "self" => Shape::Name,
            "field_expression" => {
                match (node.child_by_field_name("value"), node.child_by_field_name("field")) {
                    (Some(base), Some(name)) => Shape::Field(base, name),
                    _ => Shape::None,
                }
            }
            "index_expression" => match children(node).as_slice() {
                [base, index] => Shape::Element(*base, vec![*index]),
                _ => Shape::None,
            },
            "unary_expression" if has_word(node, "*") => {
                node.named_child(0).map_or(Shape::None, Shape::Through)
            }
            "parenthesized_expression" => node.named_child(0).map_or(Shape::None, Shape::Through),
            _ => Shape::None,
        }
    }

    fn expr(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
        expr(l, node, d);
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

fn is_binding(name: &str) -> bool {
    name.chars().next().is_some_and(|first| first == '_' || first.is_lowercase())
}

/// Declares and writes what a pattern binds.
fn bind(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft, origin: Origin) {
    match node.kind() {
        "identifier" | "shorthand_field_identifier" => {
            let name = l.text(node);
            if is_binding(name) {
                let var = l.declare(name, origin, line(node));
                l.write_var(d, var, line(node));
            }
        }
        "or_pattern" => {
            for (number, child) in children(node).into_iter().enumerate() {
                if number == 0 {
                    bind(l, child, d, origin);
                } else {
                    rebind(l, child, d);
                }
            }
        }
        "field_pattern" => {
            let inner = node.child_by_field_name("pattern").or_else(|| node.child_by_field_name("name"));
            if let Some(inner) = inner {
                bind(l, inner, d, origin);
            }
        }
        "scoped_identifier"
        | "scoped_type_identifier"
        | "type_identifier"
        | "range_pattern"
        | "macro_invocation"
        | "const_block" => {}
        _ => {
            let skipped = [node.child_by_field_name("type"), node.child_by_field_name("condition")];
            for child in children(node) {
                if !skipped.contains(&Some(child)) {
                    bind(l, child, d, origin);
                }
            }
        }
    }
}

/// A name that is not `mut`, and that holds nothing that looks like a way to change what it refers to: no method
/// changes it.
fn fix(l: &mut Lower<'_>, pattern: Node<'_>, comes_from: &str) {
    const CHANGES: [&str; 8] = ["mut", "Cell", "Mutex", "RwLock", "Atomic", "lock(", "borrow", "entry("];
    if pattern.kind() == "identifier"
        && !CHANGES.iter().any(|word| comes_from.contains(word))
        && let Some(var) = l.known(l.text(pattern))
    {
        l.fixed.insert(var);
    }
}

/// The other sides of an or-pattern bind the same names.
fn rebind(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    match node.kind() {
        "identifier" | "shorthand_field_identifier" => {
            if is_binding(l.text(node))
                && let Some(var) = l.known(l.text(node))
            {
                l.write_var(d, var, line(node));
            }
        }
        _ => {
            let skipped = node.child_by_field_name("type");
            for child in children(node) {
                if skipped != Some(child) {
                    rebind(l, child, d);
                }
            }
        }
    }
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
                expr(l, value, &mut draft);
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
        expr(l, node, &mut draft);
    } else {
        for child in children(node).into_iter().filter(|child| child.kind() != "label") {
            expr(l, child, &mut draft);
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
    expr(l, node, &mut draft);
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
        expr(l, given, &mut draft);
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
        let before = l.nested(|l| expr(l, condition, &mut draft));
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
    expr(l, given, &mut draft);
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
            let before = l.nested(|l| expr(l, condition, &mut draft));
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
                    expr(l, given, &mut draft);
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
                    before = l.nested(|l| expr(l, condition, &mut draft));
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
        l.emit(Stmt::Loop(Loop {
            label: name,
            before,
            head,
            endless,
            at_end: false,
            body,
            update: Vec::new(),
            other: Vec::new(),
        }));
    });
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
                expr(l, given, d);
            }
            if let Some(pattern) = field("pattern") {
                bind(l, pattern, d, Origin::Local);
            }
        }
        "binary_expression" => {
            let lazy = field("operator").is_some_and(|operator| matches!(operator.kind(), "&&" | "||"));
            if let Some(left) = field("left") {
                expr(l, left, d);
            }
            if let Some(right) = field("right") {
                if lazy {
                    d.step.decisions += 1;
                    l.perhaps(d, |l, d| expr(l, right, d));
                } else {
                    expr(l, right, d);
                }
            }
        }
        "let_chain" => {
            d.step.decisions += (node.named_child_count() as u32).saturating_sub(1);
            all(l, node, d);
        }
        "assignment_expression" => {
            if let Some(right) = field("right") {
                expr(l, right, d);
            }
            if let Some(left) = field("left") {
                assign(l, left, d);
            }
        }
        "compound_assignment_expr" => {
            if let Some(right) = field("right") {
                expr(l, right, d);
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
            all(l, node, d);
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
                expr(l, given, d);
            }
        }
        "type_cast_expression" => {
            if let Some(given) = field("value") {
                expr(l, given, d);
            }
        }
        "struct_expression" => {
            if let Some(body) = field("body") {
                all(l, body, d);
            }
        }
        "ERROR" => l.flat(d, node),
        _ => all(l, node, d),
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
    if let Shape::Field(base, name) = Rust::shape(function) {
        if let Some(arguments) = arguments {
            all(l, arguments, d);
        }
        l.call_method::<Rust>(base, l.text(name), d);
        return;
    }
    expr(l, function, d);
    if let Some(arguments) = arguments {
        all(l, arguments, d);
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
