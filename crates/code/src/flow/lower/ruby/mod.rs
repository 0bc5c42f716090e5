//! Ruby: everything has a value, a name is a variable from where it is first written, `def` sees nothing from around.
//! A block is a function that sees everything around; given to `each` and its kin, as a statement, it is a loop.

mod control;
mod expr;
mod name;

use super::place::{Grammar, PlaceExpr, all, member, through};
use super::{Draft, Lower, children, line};
use crate::flow::ir::{FuncId, Handler, Jump, Loop, Origin, Role, Step, Stmt, Touch, Try, Unit, VarId};
use tree_sitter::Node;

struct Ruby;

impl Grammar for Ruby {
    fn place_expr(node: Node<'_>) -> PlaceExpr<'_> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "identifier" | "constant" | "instance_variable" | "class_variable" | "global_variable"
            | "self" => PlaceExpr::Name,
            "call" if field("arguments").is_none() && field("block").is_none() => {
                member(node, "receiver", "method")
            }
            "element_reference" => match field("object") {
                Some(base) => {
                    let index = children(node).into_iter().filter(|child| *child != base).collect();
                    PlaceExpr::Element(base, index)
                }
                None => PlaceExpr::None,
            },
            "parenthesized_statements" if node.named_child_count() == 1 => through(node),
            _ => PlaceExpr::None,
        }
    }

    fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
        expr::expression(l, node, d);
    }
}

/// What is done with the value of the last statement.
#[derive(Clone, Copy)]
enum Tail {
    /// Nothing.
    Nothing,
    /// It is what the function gives.
    Return,
    /// It goes to a variable.
    Give(VarId),
}

/// Methods whose block, when nobody wants their value, is the body of a loop.
const LOOPS: &[&str] = &[
    "downto", "each", "each_byte", "each_char", "each_cons", "each_entry", "each_index", "each_key",
    "each_line", "each_pair", "each_slice", "each_value", "each_with_index", "each_with_object", "loop",
    "reverse_each", "step", "times", "upto",
];

/// The block of a call, as a statement, is a loop.
fn is_loop_call(text: &str, call: Node<'_>) -> bool {
    call.child_by_field_name("block").is_some()
        && call.child_by_field_name("method").is_some_and(|method| {
            let name = text.get(method.byte_range()).unwrap_or("");
            LOOPS.contains(&name) && (name == "loop") == call.child_by_field_name("receiver").is_none()
        })
}

/// The block of a call is a loop: by the call's method, and because what is around the call makes it a statement.
pub(super) fn is_loop(text: &str, call: Node<'_>, around: Node<'_>) -> bool {
    let statement = match around.kind() {
        "program"
        | "body_statement"
        | "block_body"
        | "then"
        | "else"
        | "do"
        | "begin"
        | "ensure"
        | "parenthesized_statements"
        | "begin_block"
        | "end_block" => true,
        "if_modifier" | "unless_modifier" | "while_modifier" | "until_modifier" => {
            around.child_by_field_name("body") == Some(call)
        }
        _ => false,
    };
    statement && is_loop_call(text, call)
}

pub(super) fn unit(mut l: Lower<'_>, node: Node<'_>, name: &str) -> Unit {
    if node.kind() == "program" {
        l.function(node, name, |l, _| statements(l, node, Tail::Nothing));
    } else {
        define(&mut l, node, name);
    }
    l.done()
}

/// A method, a lambda or a block.
fn define(l: &mut Lower<'_>, node: Node<'_>, name: &str) -> FuncId {
    let levels = std::mem::take(&mut l.levels);
    let func = l.function(node, name, |l, entry| {
        if matches!(node.kind(), "method" | "singleton_method") {
            l.close_scope();
        }
        let params = node.child_by_field_name("parameters");
        for param in params.map(children).unwrap_or_default() {
            l.param(entry, param, |l, d| name::param(l, param, Origin::Param, d));
        }
        let Some(mut body) = node.child_by_field_name("body") else { return };
        if node.kind() == "lambda" {
            body = body.child_by_field_name("body").unwrap_or(body);
        }
        if params.is_none() {
            name::numbered(l, body, entry);
        }
        redo_label(l, body, node);
        rescued(l, body, None, Tail::Return);
    });
    l.levels = levels;
    func
}

/// The name of the place that `redo` goes to.
fn redo_at(node: Node<'_>) -> String {
    format!("redo at {}", node.start_byte())
}

fn redo_label(l: &mut Lower<'_>, body: Node<'_>, of: Node<'_>) {
    if l.text(body).contains("redo") {
        l.emit(Stmt::Label(redo_at(of)));
    }
}

const fn is_clause(kind: &str) -> bool {
    matches!(kind.as_bytes(), b"rescue" | b"ensure")
}

/// The statements of something that may have `rescue` and `ensure`.
fn rescued(l: &mut Lower<'_>, node: Node<'_>, word: Option<Node<'_>>, tail: Tail) {
    let list = children(node);
    if !list.iter().any(|child| is_clause(child.kind())) {
        return statements(l, node, tail);
    }
    let retry = format!("retry at {}", node.start_byte());
    let again = l.text(node).contains("retry");
    if again {
        l.emit(Stmt::Label(retry.clone()));
    }
    let head = match word {
        Some(word) => {
            let draft = super::curly::first_line(l, word, Role::Try, 5);
            l.finish(draft)
        }
        None => Step::empty(Role::Try),
    };
    // What follows a value is not left out: the value is given by going on.
    let tail = if matches!(tail, Tail::Return) { Tail::Nothing } else { tail };
    let plain: Vec<Node<'_>> =
        list.iter().copied().filter(|child| !is_clause(child.kind()) && child.kind() != "else").collect();
    let has_else = list.iter().any(|child| child.kind() == "else");
    let inside = if has_else { Tail::Nothing } else { tail };
    let tried = l.nested(|l| sequence(l, &plain, inside));
    let mut handlers = Vec::new();
    let (mut other, mut last) = (Vec::new(), None);
    for clause in list {
        match clause.kind() {
            "rescue" => {
                let (kinds, var) =
                    (clause.child_by_field_name("exceptions"), clause.child_by_field_name("variable"));
                let mut draft = match var.or(kinds) {
                    Some(end) => l.draft_of(clause, end, Role::Catch),
                    None => super::curly::first_line(l, clause, Role::Catch, 6),
                };
                let mut catches_all = false;
                if let Some(kinds) = kinds {
                    catches_all = l.text(kinds).split([',', ' ']).any(|kind| kind == "Exception");
                    all::<Ruby>(l, kinds, &mut draft);
                }
                for target in var.map(children).unwrap_or_default() {
                    name::bind(l, target, Touch::Def, &mut draft);
                }
                let head = l.finish(draft);
                l.retries.push(retry.clone());
                let body = nested(l, clause.child_by_field_name("body"), tail);
                l.retries.pop();
                handlers.push(Handler { head, all: catches_all, body });
            }
            "else" => other = nested(l, Some(clause), tail),
            "ensure" => last = Some(nested(l, Some(clause), Tail::Nothing)),
            _ => {}
        }
    }
    l.emit(Stmt::Try(Try { head, body: tried, handlers, other, last }));
}

fn nested(l: &mut Lower<'_>, node: Option<Node<'_>>, tail: Tail) -> crate::flow::ir::Body {
    l.nested(|l| node.into_iter().for_each(|node| statements(l, node, tail)))
}

fn statements(l: &mut Lower<'_>, node: Node<'_>, tail: Tail) {
    sequence(l, &children(node), tail);
}

fn sequence(l: &mut Lower<'_>, list: &[Node<'_>], tail: Tail) {
    for (number, child) in list.iter().enumerate() {
        stmt(l, *child, if number + 1 == list.len() { tail } else { Tail::Nothing });
    }
}

fn stmt(l: &mut Lower<'_>, node: Node<'_>, tail: Tail) {
    if !l.enter(node) {
        l.one_step(node);
        return;
    }
    statement(l, node, tail);
    l.leave();
}

/// A call that does not come back.
fn is_throw(l: &Lower<'_>, node: Node<'_>) -> bool {
    let name = match node.kind() {
        "identifier" => Some(node),
        "call" if node.child_by_field_name("receiver").is_none() => node.child_by_field_name("method"),
        _ => None,
    };
    name.is_some_and(|name| matches!(l.text(name), "raise" | "fail" | "exit" | "abort" | "throw" | "exit!"))
}

fn is_jump(l: &Lower<'_>, node: Node<'_>) -> bool {
    matches!(node.kind(), "return" | "next" | "break" | "redo" | "retry") || is_throw(l, node)
}

fn statement(l: &mut Lower<'_>, node: Node<'_>, tail: Tail) {
    if control::statement(l, node, tail) {
        return;
    }
    match node.kind() {
        "comment" | "empty_statement" | "uninterpreted" => {}
        "parenthesized_statements" | "begin_block" | "end_block" => statements(l, node, tail),
        "begin" => rescued(l, node, Some(node), tail),
        "return" => jump(l, node, Role::Return, Jump::Return),
        "next" => {
            let target = if l.levels.is_empty() { Jump::Return } else { Jump::Continue(None) };
            let role = if l.levels.is_empty() { Role::Return } else { Role::Continue };
            jump(l, node, role, target);
        }
        "break" => {
            let target = if l.levels.is_empty() { Jump::Return } else { Jump::Break(None) };
            jump(l, node, Role::Break, target);
        }
        "redo" => {
            let label = match l.levels.last() {
                Some((label, _)) => label.clone(),
                None => format!("redo at {}", l.unit.functions[l.func].span.0),
            };
            jump(l, node, Role::Goto, Jump::Goto(label));
        }
        "retry" => {
            let label = l.retries.last().cloned().unwrap_or_default();
            jump(l, node, Role::Goto, Jump::Goto(label));
        }
        "call" | "identifier" if is_throw(l, node) => {
            let mut draft = l.draft(node, Role::Throw);
            if let Some(arguments) = node.child_by_field_name("arguments") {
                all::<Ruby>(l, arguments, &mut draft);
            }
            let step = l.finish(draft);
            l.emit(Stmt::Jump(step, Jump::Throw));
        }
        "call" if is_loop_call(l.text, node) => each(l, node, tail),
        "class" | "module" | "singleton_class" => {
            l.push_scope();
            l.close_scope();
            node.child_by_field_name("body").into_iter().for_each(|body| statements(l, body, Tail::Nothing));
            l.pop_scope();
        }
        "method" => {
            let mut draft = l.draft(node, Role::Plain);
            let name = node.child_by_field_name("name");
            let var = name.map(|name| l.declare_function(l.text(name), line(name)));
            Ruby::expr(l, node, &mut draft);
            if let Some(var) = var {
                l.write_var(&mut draft, var, line(node));
            }
            l.emit_step(draft);
        }
        "ERROR" => l.one_step(node),
        _ => simple(l, node, tail),
    }
}

/// A statement without control flow in it.
fn simple(l: &mut Lower<'_>, node: Node<'_>, tail: Tail) {
    let role = if matches!(tail, Tail::Return) { Role::Return } else { Role::Plain };
    let mut draft = l.draft(node, role);
    Ruby::expr(l, node, &mut draft);
    if let Tail::Give(var) = tail {
        l.write_var(&mut draft, var, line(node));
    }
    let step = l.finish(draft);
    let returns = matches!(tail, Tail::Return);
    l.emit(if returns { Stmt::Jump(step, Jump::Return) } else { Stmt::Step(step) });
}

fn jump(l: &mut Lower<'_>, node: Node<'_>, role: Role, jump: Jump) {
    let mut draft = l.draft(node, role);
    all::<Ruby>(l, node, &mut draft);
    let step = l.finish(draft);
    l.emit(Stmt::Jump(step, jump));
}

/// A call whose block is the body of a loop.
fn each(l: &mut Lower<'_>, node: Node<'_>, tail: Tail) {
    let Some(block) = node.child_by_field_name("block") else { return };
    let params = block.child_by_field_name("parameters");
    let endless = node.child_by_field_name("receiver").is_none();
    let end = params.or_else(|| block.child(0)).unwrap_or(block);
    let mut draft = l.draft_of(node, end, if endless { Role::Test } else { Role::Each });
    draft.step.throws = !endless;
    for part in ["receiver", "arguments"].into_iter().filter_map(|part| node.child_by_field_name(part)) {
        if part.kind() == "argument_list" {
            all::<Ruby>(l, part, &mut draft);
        } else {
            Ruby::expr(l, part, &mut draft);
        }
    }
    l.push_scope();
    for param in params.map(children).unwrap_or_default() {
        name::param(l, param, Origin::Local, &mut draft);
    }
    let inside = block.child_by_field_name("body");
    if let (None, Some(inside)) = (params, inside) {
        name::numbered(l, inside, &mut draft);
    }
    let head = l.finish(draft);
    l.levels.push((redo_at(node), false));
    let body = l.nested(|l| {
        if let Some(inside) = inside {
            redo_label(l, inside, node);
            rescued(l, inside, None, Tail::Nothing);
        }
    });
    l.levels.pop();
    l.pop_scope();
    l.emit(Stmt::Loop(Loop { endless, ..Loop::new(head, body) }));
    if let Tail::Give(var) = tail {
        let mut step = Step::empty(Role::Plain);
        let access = crate::flow::ir::Access {
            var,
            field: crate::flow::ir::WHOLE,
            touch: Touch::Def,
            line: line(node),
        };
        step.accesses.push(access);
        l.emit(Stmt::Step(step));
    }
}
