//! Go: blocks have scopes, `:=` makes what is new in its scope, cases do not fall, `defer` runs at the end of the function.

mod expr;

use super::place::{Grammar, PlaceExpr, element, member, through};
use super::{Draft, Lower, child_of_kind, children, children_of, line};
use crate::flow::ir::{
    Arm, Body, Case, FuncId, If, Jump, Loop, Origin, Role, Step, Stmt, Switch, Touch, Try, Unit,
};
use expr::{assign, expression};
use tree_sitter::Node;

struct Go;

impl Grammar for Go {
    fn place_expr(node: Node<'_>) -> PlaceExpr<'_> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "identifier" => PlaceExpr::Name,
            "selector_expression" => member(node, "operand", "field"),
            "index_expression" => element(node, "operand", "index"),
            "unary_expression" if field("operator").is_some_and(|operator| operator.kind() == "*") => {
                field("operand").map_or(PlaceExpr::None, PlaceExpr::Through)
            }
            "parenthesized_expression" => through(node),
            _ => PlaceExpr::None,
        }
    }

    fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
        expression(l, node, d);
    }
}

pub(super) fn unit(mut l: Lower<'_>, node: Node<'_>, name: &str) -> Unit {
    define(&mut l, node, name);
    l.done()
}

fn define(l: &mut Lower<'_>, node: Node<'_>, name: &str) -> FuncId {
    let mut results = Vec::new();
    let func = l.function(node, name, |l, entry| {
        for list in ["receiver", "parameters"].into_iter().filter_map(|list| node.child_by_field_name(list)) {
            for param in children(list) {
                l.param(entry, param, |l, d| {
                    for name in children_of(param, "name") {
                        l.declare_param(d, name);
                    }
                });
            }
        }
        // Named results begin as zero and are what a function gives.
        for result in node.child_by_field_name("result").map(children).unwrap_or_default() {
            for name in children_of(result, "name") {
                let var = l.declare(l.text(name), Origin::Local, line(name));
                l.write_var(entry, var, line(name));
                results.push(var);
            }
        }
        l.deferred.push(Vec::new());
        let Some(body) = node.child_by_field_name("body") else { return };
        let body = l.nested(|l| statements(l, body, &results));
        let deferred = l.deferred.pop().unwrap_or_default();
        if deferred.is_empty() {
            l.emit_before(body);
            return;
        }
        // The last one first, and each only if control came by.
        let last = deferred.into_iter().rev().map(|step| Stmt::Perhaps(vec![Stmt::Step(step)])).collect();
        let head = Step::empty(Role::Try);
        l.emit(Stmt::Try(Try { head, body, handlers: Vec::new(), other: Vec::new(), last: Some(last) }));
    });
    l.unit.functions[func].results = results;
    func
}

type Results<'r> = &'r [u32];

fn statements(l: &mut Lower<'_>, node: Node<'_>, results: Results<'_>) {
    for child in children(node) {
        if child.kind() == "statement_list" {
            statements(l, child, results);
        } else {
            stmt(l, child, results);
        }
    }
}

fn block(l: &mut Lower<'_>, node: Option<Node<'_>>, results: Results<'_>) -> Body {
    l.nested(|l| {
        if let Some(node) = node {
            l.scoped(|l| statements(l, node, results));
        }
    })
}

fn stmt(l: &mut Lower<'_>, node: Node<'_>, results: Results<'_>) {
    if !l.enter(node) {
        l.one_step(node);
        return;
    }
    statement(l, node, None, results);
    l.leave();
}

fn label(l: &Lower<'_>, node: Node<'_>) -> Option<String> {
    child_of_kind(node, "label_name").map(|label| l.text(label).to_owned())
}

fn step(l: &mut Lower<'_>, node: Node<'_>, role: Role) -> Step {
    let mut draft = l.draft(node, role);
    Go::expr(l, node, &mut draft);
    l.finish(draft)
}

fn bare(l: &mut Lower<'_>, node: Node<'_>, role: Role) -> Step {
    let draft = l.draft(node, role);
    l.finish(draft)
}

fn statement(l: &mut Lower<'_>, node: Node<'_>, name: Option<String>, results: Results<'_>) {
    match node.kind() {
        "comment" | "empty_statement" | "type_declaration" => {}
        "block" => l.scoped(|l| statements(l, node, results)),
        "labeled_statement" => {
            let name = label(l, node);
            l.emit(Stmt::Label(name.clone().unwrap_or_default()));
            if let Some(inner) = children(node).into_iter().find(|child| child.kind() != "label_name") {
                statement(l, inner, name, results);
            }
        }
        "if_statement" => l.scoped(|l| conditional(l, node, results)),
        "for_statement" => l.scoped(|l| looping(l, node, name, results)),
        "expression_switch_statement" | "type_switch_statement" | "select_statement" => {
            l.scoped(|l| switch(l, node, name, results));
        }
        "return_statement" => {
            let mut draft = l.draft(node, Role::Return);
            let gives = children(node);
            for child in &gives {
                Go::expr(l, *child, &mut draft);
            }
            for var in results {
                if gives.is_empty() {
                    l.read_var(&mut draft, *var, line(node));
                } else {
                    l.write_var(&mut draft, *var, line(node));
                }
            }
            let step = l.finish(draft);
            l.emit(Stmt::Jump(step, Jump::Return));
        }
        "break_statement" => {
            let (step, name) = (bare(l, node, Role::Break), label(l, node));
            l.emit(Stmt::Jump(step, Jump::Break(name)));
        }
        "continue_statement" => {
            let (step, name) = (bare(l, node, Role::Continue), label(l, node));
            l.emit(Stmt::Jump(step, Jump::Continue(name)));
        }
        "goto_statement" => {
            let (step, name) = (bare(l, node, Role::Goto), label(l, node));
            l.emit(Stmt::Jump(step, Jump::Goto(name.unwrap_or_default())));
        }
        "fallthrough_statement" => {
            let step = bare(l, node, Role::Plain);
            l.emit(Stmt::Step(step));
        }
        "defer_statement" => defer(l, node),
        "expression_statement" if ends(l, node) => {
            let step = step(l, node, Role::Throw);
            l.emit(Stmt::Jump(step, Jump::Throw));
        }
        "ERROR" => l.one_step(node),
        _ => {
            let step = step(l, node, Role::Plain);
            l.emit(Stmt::Step(step));
        }
    }
}

/// A call that does not come back.
fn ends(l: &Lower<'_>, node: Node<'_>) -> bool {
    let function = node.named_child(0).and_then(|call| call.child_by_field_name("function"));
    function.is_some_and(|function| {
        matches!(
            l.text(function),
            "panic" | "os.Exit" | "log.Fatal" | "log.Fatalf" | "log.Fatalln" | "log.Panic"
        )
    })
}

/// The arguments are evaluated here, the call is made at the end.
fn defer(l: &mut Lower<'_>, node: Node<'_>) {
    let Some(call) = node.named_child(0) else { return };
    let mut here = l.draft(node, Role::Plain);
    let mut later = l.draft(node, Role::Deferred);
    later.rows.1 = later.rows.0;
    if let Some(arguments) = call.child_by_field_name("arguments") {
        for child in children(arguments) {
            Go::expr(l, child, &mut here);
        }
    }
    if let Some(function) = call.child_by_field_name("function") {
        match Go::place_expr(function) {
            PlaceExpr::Field(base, name) => {
                let name = l.text(name);
                Go::expr(l, base, &mut here);
                l.call_method::<Go>(base, name, &mut later);
            }
            _ => Go::expr(l, function, &mut here),
        }
    }
    l.emit_step(here);
    let later = l.finish(later);
    if let Some(list) = l.deferred.last_mut() {
        list.push(later);
    }
}

fn conditional(l: &mut Lower<'_>, node: Node<'_>, results: Results<'_>) {
    let mut arms = Vec::new();
    let mut other = Vec::new();
    let mut at = Some(node);
    let mut scopes = 0;
    while let Some(branch) = at.take() {
        l.push_scope();
        scopes += 1;
        let before = l.nested(|l| {
            if let Some(first) = branch.child_by_field_name("initializer") {
                stmt(l, first, results);
            }
        });
        let Some(condition) = branch.child_by_field_name("condition") else { break };
        let mut draft = l.draft_of(branch, condition, Role::Test);
        Go::expr(l, condition, &mut draft);
        let test = l.finish(draft);
        let body = block(l, branch.child_by_field_name("consequence"), results);
        arms.push(Arm { before, test, body });
        match branch.child_by_field_name("alternative") {
            Some(next) if next.kind() == "if_statement" => at = Some(next),
            rest => other = block(l, rest, results),
        }
    }
    for _ in 0..scopes {
        l.pop_scope();
    }
    l.emit(Stmt::If(If { arms, other }));
}

fn looping(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>, results: Results<'_>) {
    let body = node.child_by_field_name("body");
    let clause = children(node).into_iter().find(|child| Some(*child) != body);
    let mut update = Vec::new();
    let mut endless = false;
    let head = match clause.map(|clause| (clause, clause.kind())) {
        Some((clause, "for_clause")) => {
            if let Some(first) = clause.child_by_field_name("initializer") {
                stmt(l, first, results);
            }
            let condition = clause.child_by_field_name("condition");
            endless = condition.is_none();
            let mut draft = l.draft(condition.unwrap_or(clause), Role::Test);
            if let Some(condition) = condition {
                Go::expr(l, condition, &mut draft);
            }
            let head = l.finish(draft);
            update = l.nested(|l| {
                if let Some(next) = clause.child_by_field_name("update") {
                    stmt(l, next, results);
                }
            });
            head
        }
        Some((clause, "range_clause")) => {
            let mut draft = l.draft_of(node, clause, Role::Each);
            if let Some(right) = clause.child_by_field_name("right") {
                Go::expr(l, right, &mut draft);
            }
            if let Some(left) = clause.child_by_field_name("left") {
                let mut cursor = clause.walk();
                let new = clause.children(&mut cursor).any(|child| child.kind() == ":=");
                assign(l, left, new, Touch::Def, &mut draft);
            }
            l.finish(draft)
        }
        Some((condition, _)) => {
            let mut draft = l.draft_of(node, condition, Role::Test);
            Go::expr(l, condition, &mut draft);
            l.finish(draft)
        }
        None => {
            endless = true;
            let mut draft = l.draft(node, Role::Test);
            draft.rows.1 = draft.rows.0;
            draft.step.span.1 = draft.step.span.0 + 3;
            l.finish(draft)
        }
    };
    let body = block(l, body, results);
    l.emit(Stmt::Loop(Loop { label, endless, update, ..Loop::new(head, body) }));
}

fn switch(l: &mut Lower<'_>, node: Node<'_>, label: Option<String>, results: Results<'_>) {
    if let Some(first) = node.child_by_field_name("initializer") {
        stmt(l, first, results);
    }
    let given = node.child_by_field_name("value");
    let mut draft = l.draft_of(node, given.unwrap_or(node), Role::Subject);
    if given.is_none() {
        draft.rows.1 = draft.rows.0;
        draft.step.span.1 = draft.step.span.0 + 6;
    }
    if let Some(given) = given {
        Go::expr(l, given, &mut draft);
    }
    let var = l.value_var(node);
    l.write_var(&mut draft, var, line(node));
    let alias = node.child_by_field_name("alias").and_then(|alias| alias.named_child(0));
    let subject = l.finish(draft);
    let mut cases = Vec::new();
    for clause in children(node) {
        if !matches!(clause.kind(), "expression_case" | "type_case" | "communication_case" | "default_case") {
            continue;
        }
        l.push_scope();
        let what = children_of(clause, "value")
            .into_iter()
            .chain(children_of(clause, "type"))
            .chain(children_of(clause, "communication"))
            .collect::<Vec<_>>();
        let test = what.last().copied().map(|last| {
            let mut draft = l.draft_of(clause, last, Role::Case);
            l.read_var(&mut draft, var, line(clause));
            for part in &what {
                if clause.kind() != "type_case" {
                    Go::expr(l, *part, &mut draft);
                }
            }
            if let Some(alias) = alias {
                let bound = l.declare(l.text(alias), Origin::Local, line(clause));
                l.write_var(&mut draft, bound, line(clause));
            }
            l.finish(draft)
        });
        let list = child_of_kind(clause, "statement_list");
        let falls = list
            .and_then(|list| children(list).into_iter().next_back())
            .is_some_and(|last| last.kind() == "fallthrough_statement");
        let body = l.nested(|l| {
            if test.is_none()
                && let Some(alias) = alias
            {
                let mut draft = l.draft(clause, Role::Plain);
                draft.rows.1 = draft.rows.0;
                let bound = l.declare(l.text(alias), Origin::Local, line(clause));
                l.read_var(&mut draft, var, line(clause));
                l.write_var(&mut draft, bound, line(clause));
                l.emit_step(draft);
            }
            if let Some(list) = list {
                statements(l, list, results);
            }
        });
        l.pop_scope();
        cases.push(Case { test, guard: None, body, falls });
    }
    // A select waits until one of its cases can be taken.
    let exhaustive = node.kind() == "select_statement";
    l.emit(Stmt::Switch(Switch { label, subject, cases, exhaustive, breaks: true }));
}
