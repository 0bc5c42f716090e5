//! C#: blocks have scopes, cases do not fall, `out` and `ref` write what they are given, `using` leaves what it entered.

use super::curly::{self, Curly, bare, body, first_line, jump};
use super::place::{Grammar, PlaceExpr, all, element, member, through};
use super::{Draft, Lower, child_of_kind, children, has_word, line};
use crate::flow::ir::{
    Case, FuncId, Handler, Jump, Loop, Origin, Role, Stmt, Switch, Touch, Try, Unit, VarId, With,
};
use tree_sitter::Node;

struct CSharp;

impl Grammar for CSharp {
    fn place_expr(node: Node<'_>) -> PlaceExpr<'_> {
        match node.kind() {
            "identifier" | "this" | "base" => PlaceExpr::Name,
            "member_access_expression" => member(node, "expression", "name"),
            "element_access_expression" => element(node, "expression", "subscript"),
            "parenthesized_expression" => through(node),
            _ => PlaceExpr::None,
        }
    }

    fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
        expression(l, node, d);
    }
}

impl Curly for CSharp {
    fn statement(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>) {
        statement(l, node, label);
    }
}

pub(super) fn unit(mut l: Lower<'_>, node: Node<'_>, name: &str) -> Unit {
    define(&mut l, node, name);
    l.done()
}

fn define(l: &mut Lower<'_>, node: Node<'_>, name: &str) -> FuncId {
    l.function(node, name, |l, entry| {
        if let Some(list) = node.child_by_field_name("parameters") {
            if list.kind() != "parameter_list" {
                l.declare_param(entry, list);
            }
            // `params` has no node of its own: its name is a child of the list.
            let mut cursor = list.walk();
            let loose: Vec<Node<'_>> = list.children_by_field_name("name", &mut cursor).collect();
            for name in loose {
                l.param(entry, name, |l, d| l.declare_param(d, name));
            }
            for param in children(list).into_iter().filter(|param| param.kind() == "parameter") {
                if let Some(name) = param.child_by_field_name("name") {
                    l.param(entry, param, |l, d| l.declare_param(d, name));
                }
            }
        }
        if node.kind() == "accessor_declaration" && !l.text(node).starts_with("get") {
            let var = l.declare("value", Origin::Param, line(node));
            l.write_var(entry, var, line(node));
        }
        let Some(body) = node.child_by_field_name("body") else { return };
        match body.kind() {
            "block" => statements(l, body),
            "arrow_expression_clause" => {
                if let Some(value) = body.named_child(0) {
                    gives(l, value);
                }
            }
            _ => gives(l, body),
        }
    })
}

fn gives(l: &mut Lower<'_>, value: Node<'_>) {
    let mut draft = l.draft(value, Role::Return);
    CSharp::expr(l, value, &mut draft);
    let step = l.finish(draft);
    l.emit(Stmt::Jump(step, Jump::Return));
}

/// The statements of a block. What `using` declares is left at the end of the block.
fn statements(l: &mut Lower<'_>, node: Node<'_>) {
    let list = children(node);
    for child in &list {
        if child.kind() == "local_function_statement"
            && let Some(name) = child.child_by_field_name("name")
        {
            let mut draft = l.draft(*child, Role::Declared);
            let var = l.declare(l.text(name), Origin::Local, line(name));
            make(l, *child, &mut draft);
            l.write_var(&mut draft, var, line(name));
            l.emit_step(draft);
        }
    }
    rest(l, &list);
}

fn rest(l: &mut Lower<'_>, list: &[Node<'_>]) {
    for (number, child) in list.iter().enumerate() {
        if child.kind() == "local_declaration_statement" && has_word(*child, "using") {
            let mut draft = l.draft(*child, Role::Enter);
            draft.step.throws = true;
            all::<CSharp>(l, *child, &mut draft);
            let enter = l.finish(draft);
            let after = list.get(number + 1..).unwrap_or(&[]);
            let body = l.nested(|l| rest(l, after));
            l.emit(Stmt::With(With { enter, body, swallows: false }));
            return;
        }
        CSharp::stmt(l, *child, None);
    }
}

fn statement(l: &mut Lower<'_>, node: Node<'_>, name: Option<String>) {
    match node.kind() {
        "comment" | "empty_statement" | "local_function_statement" => {}
        "block" => l.scoped(|l| statements(l, node)),
        "checked_statement" | "unsafe_statement" | "fixed_statement" => {
            for child in children(node) {
                CSharp::stmt(l, child, None);
            }
        }
        "if_statement" => curly::conditional::<CSharp>(l, node),
        "while_statement" | "do_statement" => curly::repeated::<CSharp>(l, node, name),
        "for_statement" => curly::counted::<CSharp>(l, node, name),
        "foreach_statement" => l.scoped(|l| each(l, node, name)),
        "switch_statement" => l.scoped(|l| switch(l, node)),
        "try_statement" => attempt(l, node),
        "using_statement" | "lock_statement" => l.scoped(|l| {
            let inside = node.child_by_field_name("body").or_else(|| child_of_kind(node, "block"));
            let mut draft = first_line(l, node, Role::Enter, 5);
            draft.step.throws = true;
            for child in children(node).into_iter().filter(|child| Some(*child) != inside) {
                CSharp::expr(l, child, &mut draft);
            }
            let enter = l.finish(draft);
            let body = body::<CSharp>(l, inside);
            l.emit(Stmt::With(With { enter, body, swallows: false }));
        }),
        "labeled_statement" => {
            let label = child_of_kind(node, "identifier").map_or("", |label| l.text(label)).to_owned();
            l.emit(Stmt::Label(label));
            if let Some(inner) = node.named_child(1) {
                CSharp::stmt(l, inner, None);
            }
        }
        "goto_statement" => {
            let step = bare(l, node, Role::Goto);
            let text = l.text(node).trim_start_matches("goto").trim_end_matches(';').trim();
            let label = if has_word(node, "case") || has_word(node, "default") {
                format!("{text} of the switch")
            } else {
                text.to_owned()
            };
            l.emit(Stmt::Jump(step, Jump::Goto(label)));
        }
        "return_statement" => jump::<CSharp>(l, node, Role::Return, Jump::Return),
        "throw_statement" => jump::<CSharp>(l, node, Role::Throw, Jump::Throw),
        "break_statement" => jump::<CSharp>(l, node, Role::Break, Jump::Break(None)),
        "continue_statement" => jump::<CSharp>(l, node, Role::Continue, Jump::Continue(None)),
        "yield_statement" if has_word(node, "break") => jump::<CSharp>(l, node, Role::Return, Jump::Return),
        "ERROR" => l.one_step(node),
        _ => {
            let mut draft = l.draft(node, Role::Plain);
            CSharp::expr(l, node, &mut draft);
            l.emit_step(draft);
        }
    }
}

fn each(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
    else {
        return;
    };
    let mut draft = l.draft_of(node, right, Role::Each);
    draft.step.throws = true;
    CSharp::expr(l, right, &mut draft);
    names(l, left, &mut draft);
    let head = l.finish(draft);
    let body = body::<CSharp>(l, node.child_by_field_name("body"));
    l.emit(Stmt::Loop(Loop { label, ..Loop::new(head, body) }));
}

/// Declares a name, or the names of a tuple.
fn names(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if node.kind() == "identifier" {
        let var = l.declare(l.text(node), Origin::Local, line(node));
        l.touch(d, var, crate::flow::ir::WHOLE, Touch::Def, line(node));
        return;
    }
    for child in children(node) {
        names(l, child, d);
    }
}

fn is_pattern(kind: &str) -> bool {
    kind.ends_with("_pattern") || kind == "discard"
}

/// Declares what a pattern binds and reads the values that it compares with.
fn bind(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if let Some(name) =
        node.child_by_field_name("name").filter(|name| name.kind() == "identifier" && is_pattern(node.kind()))
    {
        names(l, name, d);
        return;
    }
    if node.kind() == "constant_pattern" {
        return all::<CSharp>(l, node, d);
    }
    for child in children(node) {
        bind(l, child, d);
    }
}

fn switch(l: &mut Lower<'_>, node: Node<'_>) {
    let Some(value) = node.child_by_field_name("value") else { return };
    let (subject, var) = curly::subject::<CSharp>(l, node, value);
    let mut cases = Vec::new();
    for section in node.child_by_field_name("body").map(children).unwrap_or_default() {
        let parts = children(section);
        let labels: Vec<Node<'_>> = parts.iter().copied().filter(|part| is_pattern(part.kind())).collect();
        let when = parts.iter().copied().find(|part| part.kind() == "when_clause");
        let list: Vec<Node<'_>> = parts
            .into_iter()
            .filter(|part| !is_pattern(part.kind()) && part.kind() != "when_clause")
            .collect();
        l.push_scope();
        let test = labels.last().map(|last| {
            let mut draft = l.draft_of(section, *last, Role::Case);
            l.read_var(&mut draft, var, line(section));
            for label in &labels {
                bind(l, *label, &mut draft);
            }
            l.finish(draft)
        });
        let guard = guard(l, when);
        let empty = list.is_empty();
        let mut case = curly::case::<CSharp>(l, test, list);
        // `goto case 1` looks for a place before what is done there.
        let text = l.text(section);
        let head = text.split_once(':').map_or(text, |(head, _)| head).trim();
        case.body.insert(0, Stmt::Label(format!("{head} of the switch")));
        l.pop_scope();
        cases.push(Case { guard, falls: empty, ..case });
    }
    curly::switch(l, subject, cases, false, None);
}

fn guard(l: &mut Lower<'_>, when: Option<Node<'_>>) -> Option<(Vec<Stmt>, crate::flow::ir::Step)> {
    when.map(|when| {
        let mut draft = l.draft(when, Role::Test);
        let before = l.nested(|l| all::<CSharp>(l, when, &mut draft));
        (before, l.finish(draft))
    })
}

/// A switch that gives a value.
fn choose(l: &mut Lower<'_>, node: Node<'_>, target: VarId) {
    let parts = children(node);
    let Some(value) = parts.first().copied() else { return };
    let (subject, var) = curly::subject::<CSharp>(l, node, value);
    let mut cases = Vec::new();
    for arm in parts.into_iter().filter(|part| part.kind() == "switch_expression_arm") {
        let inside = children(arm);
        let (Some(pattern), Some(result)) = (inside.first().copied(), inside.last().copied()) else {
            continue;
        };
        l.push_scope();
        let mut draft = l.draft(pattern, Role::Case);
        l.read_var(&mut draft, var, line(arm));
        bind(l, pattern, &mut draft);
        let test = l.finish(draft);
        let guard = guard(l, child_of_kind(arm, "when_clause"));
        let body = l.nested(|l| {
            if result.kind() == "throw_expression" {
                return jump::<CSharp>(l, result, Role::Throw, Jump::Throw);
            }
            let mut draft = l.draft(result, Role::Plain);
            CSharp::expr(l, result, &mut draft);
            l.write_var(&mut draft, target, line(result));
            l.emit_step(draft);
        });
        l.pop_scope();
        cases.push(Case { test: Some(test), guard, body, falls: false });
    }
    l.emit(Stmt::Switch(Switch { label: None, subject, cases, exhaustive: true, breaks: false }));
}

fn attempt(l: &mut Lower<'_>, node: Node<'_>) {
    let draft = first_line(l, node, Role::Try, 3);
    let head = l.finish(draft);
    let tried = body::<CSharp>(l, node.child_by_field_name("body"));
    let mut handlers = Vec::new();
    let mut last = None;
    for clause in children(node) {
        match clause.kind() {
            "catch_clause" => l.scoped(|l| {
                let declaration = child_of_kind(clause, "catch_declaration");
                let filter = child_of_kind(clause, "catch_filter_clause");
                let mut draft = match filter.or(declaration) {
                    Some(end) => l.draft_of(clause, end, Role::Catch),
                    None => first_line(l, clause, Role::Catch, 5),
                };
                if let Some(name) =
                    declaration.and_then(|declaration| declaration.child_by_field_name("name"))
                {
                    names(l, name, &mut draft);
                }
                if let Some(filter) = filter {
                    all::<CSharp>(l, filter, &mut draft);
                }
                let head = l.finish(draft);
                let body = body::<CSharp>(l, clause.child_by_field_name("body"));
                let all = filter.is_none() && declaration.is_none();
                handlers.push(Handler { head, all, body });
            }),
            "finally_clause" => last = Some(body::<CSharp>(l, child_of_kind(clause, "block"))),
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
    if curly::lazy::<CSharp>(l, node, d) {
        return;
    }
    match node.kind() {
        "identifier" | "this" => l.read(d, node),
        "member_access_expression" | "element_access_expression" => {
            l.read_place::<CSharp>(node, d);
        }
        "predefined_type" | "implicit_type" | "generic_name" | "type_argument_list" | "string_literal"
        | "comment" | "nullable_type" | "array_type" | "qualified_name" | "base" => {}
        "variable_declaration" => {
            for declarator in children(node).into_iter().filter(|child| child.kind() == "variable_declarator")
            {
                let name = declarator.child_by_field_name("name").or_else(|| declarator.named_child(0));
                let value = children(declarator).into_iter().next_back().filter(|value| Some(*value) != name);
                if let Some(value) = value {
                    CSharp::expr(l, value, d);
                }
                if let Some(name) = name {
                    if value.is_some() {
                        names(l, name, d);
                    } else {
                        l.declare(l.text(name), Origin::Local, line(name));
                    }
                }
            }
        }
        "assignment_expression" => {
            let operator = field("operator").map_or("=", |operator| operator.kind());
            if let Some(right) = field("right") {
                CSharp::expr(l, right, d);
            }
            let touch = if operator == "=" { Touch::Def } else { Touch::Update };
            if let Some(left) = field("left") {
                assign(l, left, touch, d);
            }
        }
        "postfix_unary_expression" | "prefix_unary_expression" => {
            let changes = has_word(node, "++") || has_word(node, "--");
            match node.named_child(0) {
                Some(place) if changes => {
                    l.write_place::<CSharp>(place, Touch::Update, d);
                }
                _ => all::<CSharp>(l, node, d),
            }
        }
        "argument" if has_word(node, "out") || has_word(node, "ref") => {
            let touch = if has_word(node, "out") { Touch::Def } else { Touch::Update };
            if let Some(place) = node.named_child(0) {
                assign(l, place, touch, d);
            }
        }
        "is_pattern_expression" => {
            if let Some(value) = field("expression") {
                CSharp::expr(l, value, d);
            }
            if let Some(pattern) = field("pattern") {
                bind(l, pattern, d);
            }
        }
        "switch_expression" => {
            let var = l.value_var(node);
            let body = l.nested(|l| l.scoped(|l| choose(l, node, var)));
            l.emit_before(body);
            l.read_var(d, var, line(node));
            let first = node.start_position().row;
            if super::last_row(node) > first {
                d.holes.push((first + 1, super::last_row(node)));
            }
        }
        "invocation_expression" => {
            d.step.throws = true;
            if let Some(arguments) = field("arguments") {
                all::<CSharp>(l, arguments, d);
            }
            if let Some(function) = field("function") {
                match CSharp::place_expr(function) {
                    PlaceExpr::Name => l.read_known(d, function),
                    PlaceExpr::Field(base, name) => l.call_method::<CSharp>(base, l.text(name), d),
                    _ => CSharp::expr(l, function, d),
                }
            }
        }
        "conditional_access_expression" => {
            d.step.decisions += 1;
            all::<CSharp>(l, node, d);
        }
        "member_binding_expression" => {}
        "object_creation_expression" | "cast_expression" | "typeof_expression" | "as_expression" => {
            d.step.throws = true;
            let skipped = field("type");
            for child in children(node).into_iter().filter(|child| Some(*child) != skipped) {
                CSharp::expr(l, child, d);
            }
        }
        "lambda_expression" | "anonymous_method_expression" => make(l, node, d),
        "await_expression" | "yield_statement" | "throw_expression" => {
            d.step.throws = true;
            all::<CSharp>(l, node, d);
        }
        "ERROR" => l.flat(d, node),
        _ => all::<CSharp>(l, node, d),
    }
}

fn assign(l: &mut Lower<'_>, node: Node<'_>, touch: Touch, d: &mut Draft) {
    if l.write_place::<CSharp>(node, touch, d) {
        return;
    }
    if node.kind() == "declaration_expression" {
        if let Some(name) = node.child_by_field_name("name") {
            names(l, name, d);
        }
        return;
    }
    for child in children(node) {
        assign(l, child, touch, d);
    }
}
