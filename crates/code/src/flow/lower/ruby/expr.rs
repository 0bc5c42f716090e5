//! Ruby's expressions: what they read, write and change; blocks and lambdas as functions inside.

use super::{Ruby, Tail, define, stmt};
use super::{control, name};
use crate::flow::ir::Touch;
use crate::flow::lower::place::{Grammar, PlaceExpr, all};
use crate::flow::lower::{Draft, Lower, children, last_row, line};
use tree_sitter::Node;

/// Methods that change what they are called on, besides those with `!`.
const CHANGES: &[&str] = &[
    "add", "append", "clear", "concat", "delete", "delete_at", "delete_if", "fill", "insert", "keep_if",
    "pop", "prepend", "push", "replace", "shift", "store", "unshift", "update", "write",
];
/// Methods that only read, besides those with `?` and those that are the same in every language.
const READS: &[&str] = &[
    "call", "chars", "compact", "dig", "drop", "each_slice", "each_with_object", "fetch", "flat_map",
    "group_by", "gsub", "inject", "instance_variable_get", "is_a?", "ljust", "max_by", "merge", "method",
    "min_by", "public_send", "reject", "reverse", "rjust", "sample", "scan", "select", "send", "sort",
    "sort_by", "strftime", "sub", "sum", "take", "tr", "uniq", "unpack", "values_at", "with_index",
];

/// A block, a lambda or a method inside, made by this step.
fn make(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    if let Some(body) = node.child_by_field_name("body") {
        l.hole(d, body);
    }
    let name = node.child_by_field_name("name").map_or("", |name| l.text(name));
    let func = define(l, node, name);
    d.step.makes.push(func);
}

/// A block leaves the method around it by `return`.
fn returns(block: Node<'_>) -> bool {
    let mut open = vec![block];
    while let Some(node) = open.pop() {
        match node.kind() {
            "return" => return true,
            "lambda" | "method" | "singleton_method" => {}
            _ => open.extend(children(node)),
        }
    }
    false
}

/// The text of a heredoc, which stands behind its statement.
fn heredoc(beginning: Node<'_>) -> Option<Node<'_>> {
    let mut at = beginning;
    loop {
        let mut next = at.next_sibling();
        while let Some(sibling) = next {
            if sibling.kind() == "heredoc_body" {
                return Some(sibling);
            }
            next = sibling.next_sibling();
        }
        at = at.parent()?;
    }
}

pub(super) fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        kind if control::has_value(kind) => {
            let var = l.value_var(node);
            let body = l.nested(|l| stmt(l, node, Tail::Give(var)));
            l.emit_before(body);
            l.read_var(d, var, line(node));
            // The statements are steps of their own.
            let (first, last) = (node.start_position().row, last_row(node));
            if first < last {
                d.holes.push((first + 1, last));
            }
        }
        // A name that was never written is a method.
        "identifier" if l.known(l.text(node)).is_none() => {
            d.step.throws = true;
            called(l, node, d);
        }
        "identifier" | "constant" | "instance_variable" | "class_variable" | "global_variable" | "self" => {
            l.read(d, node);
        }
        "scope_resolution" => {
            if let Some(scope) = field("scope") {
                Ruby::expr(l, scope, d);
            }
        }
        "comment" | "simple_symbol" | "hash_key_symbol" | "string_content" => {}
        "heredoc_beginning" => {
            if let Some(body) = heredoc(node) {
                d.rows.1 = d.rows.1.max(last_row(body));
                all::<Ruby>(l, body, d);
            }
        }
        "assignment" | "operator_assignment" => assignment(l, node, d),
        "binary" => binary(l, node, d),
        "conditional" => decision(l, node, "condition", &["consequence", "alternative"], d),
        "if_modifier" | "unless_modifier" | "while_modifier" | "until_modifier" => {
            decision(l, node, "condition", &["body"], d);
        }
        "rescue_modifier" => decision(l, node, "body", &["handler"], d),
        "match_pattern" | "test_pattern" => {
            if let Some(value) = field("value") {
                Ruby::expr(l, value, d);
            }
            d.step.throws |= node.kind() == "match_pattern";
            if let Some(pattern) = field("pattern") {
                if node.kind() == "test_pattern" {
                    l.perhaps(d, |l, d| name::pattern(l, pattern, d));
                } else {
                    name::pattern(l, pattern, d);
                }
            }
        }
        "call" => call(l, node, d),
        "element_reference" => {
            l.read_place::<Ruby>(node, d);
        }
        "pair" => {
            if let Some(key) = field("key") {
                match field("value") {
                    // `{x:}` reads `x`.
                    None => l.read_known(d, key),
                    Some(_) => Ruby::expr(l, key, d),
                }
            }
            if let Some(value) = field("value") {
                Ruby::expr(l, value, d);
            }
        }
        "lambda" | "block" | "do_block" | "method" | "singleton_method" => make(l, node, d),
        "yield" | "super" => {
            d.step.throws = true;
            all::<Ruby>(l, node, d);
        }
        "return" | "next" | "break" | "redo" | "retry" => {
            d.step.leaves |= node.kind() == "return";
            all::<Ruby>(l, node, d);
        }
        "class" | "module" | "singleton_class" => {
            l.unread(node, "a type inside of an expression is not followed");
        }
        "undef" | "alias" => {}
        "ERROR" => l.flat(d, node),
        _ => all::<Ruby>(l, node, d),
    }
}

fn assignment(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let field = |name: &str| node.child_by_field_name(name);
    let short = field("operator").is_some_and(|operator| matches!(operator.kind(), "||=" | "&&="));
    d.step.decisions += u32::from(short);
    if let Some(right) = field("right") {
        if short {
            l.perhaps(d, |l, d| Ruby::expr(l, right, d));
        } else {
            Ruby::expr(l, right, d);
        }
    }
    if let Some(left) = field("left") {
        let touch = if node.kind() == "assignment" { Touch::Def } else { Touch::Update };
        name::bind(l, left, touch, d);
    }
}

/// A part that is always evaluated, and those that it decides about.
fn decision(l: &mut Lower<'_>, node: Node<'_>, always: &str, parts: &[&str], d: &mut Draft) {
    d.step.decisions += 1;
    if let Some(always) = node.child_by_field_name(always) {
        Ruby::expr(l, always, d);
    }
    l.perhaps(d, |l, d| {
        for part in parts.iter().filter_map(|part| node.child_by_field_name(part)) {
            Ruby::expr(l, part, d);
        }
    });
}

/// A method of the file, called by its name alone.
fn called(l: &mut Lower<'_>, name: Node<'_>, d: &mut Draft) {
    if let Some(var) = l.known_function(l.text(name)) {
        l.read_var(d, var, line(name));
    }
}

fn binary(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let field = |name: &str| node.child_by_field_name(name);
    let operator = field("operator").map_or("", |operator| operator.kind());
    let (Some(left), Some(right)) = (field("left"), field("right")) else { return all::<Ruby>(l, node, d) };
    match operator {
        "and" | "or" | "&&" | "||" => {
            Ruby::expr(l, left, d);
            d.step.decisions += 1;
            l.perhaps(d, |l, d| Ruby::expr(l, right, d));
        }
        // Adds to what is on the left.
        "<<" => {
            Ruby::expr(l, right, d);
            let variable = left.kind() != "identifier" || l.known(l.text(left)).is_some();
            if variable && !matches!(Ruby::place_expr(left), PlaceExpr::None) {
                l.change_place::<Ruby>(left, d);
            } else {
                Ruby::expr(l, left, d);
            }
        }
        _ => {
            Ruby::expr(l, left, d);
            Ruby::expr(l, right, d);
            d.step.throws |= matches!(operator, "/" | "%");
        }
    }
}

fn call(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let field = |name: &str| node.child_by_field_name(name);
    d.step.throws = true;
    let method = field("method").map_or("", |method| l.text(method));
    let (arguments, block) = (field("arguments"), field("block"));
    if let Some(arguments) = arguments {
        all::<Ruby>(l, arguments, d);
    }
    if let (None, Some(name)) = (field("receiver"), field("method")) {
        called(l, name, d);
    }
    if let Some(base) = field("receiver") {
        let changes = method.ends_with('!') || CHANGES.contains(&method);
        let reads = method.ends_with('?') || READS.contains(&method);
        let named = matches!(Ruby::place_expr(base), PlaceExpr::Name);
        if changes || (arguments.is_some() && !reads) {
            l.call_method::<Ruby>(base, method, d);
        } else if named && l.known(l.text(base)).is_some() && block.is_some() {
            l.read(d, base);
        } else if named {
            // Without arguments it is most often an attribute.
            l.read_field(d, base, method);
        } else {
            Ruby::expr(l, base, d);
        }
    }
    if let Some(block) = block {
        d.step.leaves |= method != "lambda" && returns(block);
        make(l, block, d);
    }
}
