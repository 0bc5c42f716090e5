//! What a value of Python shares with variables, and what its calls are given.

use super::Python;
use crate::flow::effects::native;
use crate::flow::ir::{Argument, CallSite, Relation, ValueKind, VarId};
use crate::flow::lower::place::{Grammar, PlaceExpr};
use crate::flow::lower::reads::is_self;
use crate::flow::lower::{Draft, Lower, children, line};
use tree_sitter::Node;

/// What the value of an expression is, is in, or holds.
pub(super) fn sources(l: &mut Lower<'_>, node: Node<'_>) -> Vec<(Relation, VarId)> {
    let mut found = Vec::new();
    // Deeper than an expression is read, it shares nothing that is known.
    if l.descend() {
        collect(l, node, &mut found);
        l.ascend();
    }
    found
}

fn collect(l: &mut Lower<'_>, node: Node<'_>, found: &mut Vec<(Relation, VarId)>) {
    if let Some(result) = l.results.get(&node.id()) {
        found.push((Relation::Same, *result));
        return;
    }
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "identifier" => {
            let var = l.resolve(l.text(node));
            found.push((Relation::Same, var));
        }
        "attribute" | "subscript" => {
            let base = field(if node.kind() == "attribute" { "object" } else { "value" });
            let from = base.map(|base| sources(l, base)).unwrap_or_default();
            found.extend(from.into_iter().map(|(relation, var)| match relation {
                Relation::Holds => (Relation::Same, var),
                _ => (Relation::Part, var),
            }));
        }
        "parenthesized_expression"
        | "await"
        | "list_splat"
        | "dictionary_splat"
        | "as_pattern"
        | "as_pattern_target"
        | "expression_list" => children(node).into_iter().for_each(|child| found.extend(sources(l, child))),
        "assignment" => field("right").into_iter().for_each(|right| found.extend(sources(l, right))),
        "named_expression" => field("value").into_iter().for_each(|value| found.extend(sources(l, value))),
        "conditional_expression" => {
            for (place, child) in children(node).into_iter().enumerate() {
                if place != 1 {
                    found.extend(sources(l, child));
                }
            }
        }
        "boolean_operator" => {
            for side in [field("left"), field("right")].into_iter().flatten() {
                found.extend(sources(l, side));
            }
        }
        "binary_operator" if !matches!(kind(l, node), ValueKind::Scalar) => {
            for side in [field("left"), field("right")].into_iter().flatten() {
                found.extend(sources(l, side));
            }
        }
        "list"
        | "tuple"
        | "set"
        | "dictionary"
        | "pair"
        | "list_comprehension"
        | "set_comprehension"
        | "dictionary_comprehension"
        | "generator_expression" => {
            for child in children(node) {
                let is_clause = matches!(child.kind(), "for_in_clause" | "if_clause");
                let from = if is_clause { Vec::new() } else { sources(l, child) };
                found.extend(from.into_iter().map(|(relation, var)| match relation {
                    Relation::Part => (Relation::Same, var),
                    _ => (Relation::Holds, var),
                }));
            }
            if node.kind() == "generator_expression" {
                captured(l, node, found);
            }
        }
        _ => {}
    }
}

/// A generator runs later: it holds everything that it names.
fn captured(l: &mut Lower<'_>, node: Node<'_>, found: &mut Vec<(Relation, VarId)>) {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if node.kind() == "identifier"
            && let Some(var) = l.known(l.text(node))
        {
            found.push((Relation::Holds, var));
        }
        open.extend(children(node));
    }
}

/// What a value is: something that cannot change, or anything.
pub(super) fn kind(l: &mut Lower<'_>, node: Node<'_>) -> ValueKind {
    if !l.descend() {
        return ValueKind::Other;
    }
    let found = kind_of(l, node);
    l.ascend();
    found
}

fn kind_of(l: &mut Lower<'_>, node: Node<'_>) -> ValueKind {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "integer"
        | "float"
        | "string"
        | "concatenated_string"
        | "true"
        | "false"
        | "none"
        | "comparison_operator"
        | "not_operator" => ValueKind::Scalar,
        "unary_operator" => field("argument").map_or(ValueKind::Scalar, |inner| kind(l, inner)),
        "parenthesized_expression" => node.named_child(0).map_or(ValueKind::Other, |inner| kind(l, inner)),
        "identifier" => match l.known(l.text(node)) {
            Some(var) => ValueKind::Like(vec![var]),
            None => ValueKind::Other,
        },
        "conditional_expression" => {
            let parts = children(node);
            let [yes, _, no] = parts.as_slice() else { return ValueKind::Other };
            let (yes, no) = (kind(l, *yes), kind(l, *no));
            yes.and(no)
        }
        "binary_operator" => {
            let (Some(left), Some(right)) = (field("left"), field("right")) else { return ValueKind::Other };
            let operator = field("operator").map_or("", |operator| l.text(operator));
            let (left, right) = (kind(l, left), kind(l, right));
            // `[0] * 3` is a list; `x + 1` is a number.
            match operator {
                "*" => left.and(right),
                "%" | "-" | "/" | "//" | "**" | "+"
                    if left == ValueKind::Scalar || right == ValueKind::Scalar =>
                {
                    ValueKind::Scalar
                }
                _ => left.and(right),
            }
        }
        "assignment" => field("right").map_or(ValueKind::Other, |right| kind(l, right)),
        "call" => {
            let function = field("function");
            let name = function.and_then(|function| match function.kind() {
                "identifier" => Some(function),
                _ => function.child_by_field_name("attribute"),
            });
            let gives = name.is_some_and(|name| native::gives_scalar(true, l.text(name)));
            if gives { ValueKind::Scalar } else { ValueKind::Other }
        }
        _ => ValueKind::Other,
    }
}

/// A target gets a value.
pub(super) fn assigned(l: &mut Lower<'_>, left: Node<'_>, right: Node<'_>) {
    let (names, values) = (parts(left), parts(right));
    if let (Some(names), Some(values)) = (names, values)
        && names.len() == values.len()
        && !names.iter().chain(&values).any(|part| matches!(part.kind(), "list_splat" | "list_splat_pattern"))
    {
        for (name, value) in names.into_iter().zip(values) {
            assigned(l, name, value);
        }
        return;
    }
    let what = kind(l, right);
    let from = sources(l, right);
    target(l, left, &from, &what, false);
}

/// The parts of a tuple or list that is written out.
fn parts(node: Node<'_>) -> Option<Vec<Node<'_>>> {
    matches!(
        node.kind(),
        "pattern_list" | "tuple_pattern" | "list_pattern" | "expression_list" | "tuple" | "list"
    )
    .then(|| children(node))
}

/// A target gets a value with these sources, or a part of it.
pub(super) fn target(
    l: &mut Lower<'_>,
    node: Node<'_>,
    from: &[(Relation, VarId)],
    what: &ValueKind,
    as_part: bool,
) {
    match Python::place_expr(node) {
        PlaceExpr::Name => {
            let var = l.resolve(l.text(node));
            l.given(var, from, what.clone(), as_part);
        }
        PlaceExpr::Field(..) | PlaceExpr::Element(..) => {
            let into = sources(l, node);
            l.stored(&into, from);
        }
        _ => {
            for child in children(node) {
                target(l, child, from, &ValueKind::Other, true);
            }
        }
    }
}

/// Remembers a call: what it is given, and a variable for what it gives.
pub(super) fn call(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let Some(function) = node.child_by_field_name("function") else { return };
    let (name, base) = match function.kind() {
        "identifier" => (Some(function), None),
        _ => (function.child_by_field_name("attribute"), function.child_by_field_name("object")),
    };
    let name = name.map_or("", |name| l.text(name));
    let mut args = Vec::new();
    let arguments = node.child_by_field_name("arguments");
    let list = match arguments {
        Some(arguments) if arguments.kind() == "argument_list" => children(arguments),
        other => other.into_iter().collect(),
    };
    for argument in list {
        let keyword =
            (argument.kind() == "keyword_argument").then(|| argument.child_by_field_name("name")).flatten();
        let value = keyword.and_then(|_| argument.child_by_field_name("value")).unwrap_or(argument);
        args.push(Argument {
            name: keyword.map(|keyword| l.text(keyword).to_owned()),
            from: sources(l, value),
            splat: matches!(argument.kind(), "list_splat" | "dictionary_splat"),
        });
    }
    let receiver = base.map(|base| sources(l, base)).unwrap_or_default();
    let callee = if function.kind() == "identifier" { l.known(name) } else { None };
    let scalar_base = base.filter(|base| base.kind() == "identifier" && native::is_text_method(name));
    if let Some(var) =
        scalar_base.and_then(|base| l.known(l.text(base))).filter(|_| name != "join" && name != "split")
    {
        l.unit.used_as_scalar.insert(var);
    }
    if name == "range" {
        for (relation, var) in args.iter().flat_map(|argument| &argument.from) {
            if *relation == Relation::Same {
                l.unit.used_as_scalar.insert(*var);
            }
        }
    }
    let on_self = base.is_some_and(|base| base.kind() == "identifier" && is_self(l.text(base)));
    let result = l.value_var(node);
    l.results.insert(node.id(), result);
    d.step.calls.push(CallSite {
        name: name.to_owned(),
        callee,
        is_method: base.is_some(),
        on_self,
        is_loop: false,
        makes: false,
        receiver,
        args,
        result,
        line: line(node),
    });
}

/// A loop takes values from something: each is a part of it, and an iterator is read up.
pub(super) fn iterates(l: &mut Lower<'_>, left: Node<'_>, right: Node<'_>, d: &mut Draft) {
    let from = sources(l, right);
    target(l, left, &from, &ValueKind::Other, true);
    let result = l.value_var(right);
    d.step.calls.push(CallSite {
        name: "for".to_owned(),
        callee: None,
        is_method: false,
        on_self: false,
        is_loop: true,
        makes: false,
        receiver: Vec::new(),
        args: vec![Argument { name: None, from, splat: false }],
        result,
        line: line(right),
    });
}

/// `x += y` changes a list in place, and takes over what is in the other.
pub(super) fn augmented(l: &mut Lower<'_>, left: Node<'_>, right: Node<'_>, d: &mut Draft) {
    if matches!(kind(l, right), ValueKind::Scalar) {
        return;
    }
    let into = sources(l, left);
    let from = sources(l, right);
    l.stored(&into, &from);
    if let (PlaceExpr::Name, Some((Relation::Same, var))) = (Python::place_expr(left), into.first()) {
        let what = kind(l, right);
        l.unit.kinds.push((*var, what));
        d.step.changes.push((*var, false, line(left)));
    }
}

/// A parameter with the type of a number or a text.
pub(super) fn annotated(l: &mut Lower<'_>, name: Node<'_>, param: Node<'_>) {
    let Some(of) = param.child_by_field_name("type") else { return };
    if matches!(l.text(of), "int" | "float" | "str" | "bool" | "bytes" | "complex")
        && let Some(var) = l.known(l.text(name))
    {
        l.unit.used_as_scalar.insert(var);
    }
}

/// Operands beside a number are numbers.
pub(super) fn operands(l: &mut Lower<'_>, node: Node<'_>) {
    let parts = children(node);
    let is_number = |node: &Node<'_>| matches!(node.kind(), "integer" | "float");
    if !parts.iter().any(is_number) || node.kind() == "binary_operator" && l.text(node).contains('*') {
        return;
    }
    let compares = node.kind() != "comparison_operator" || l.text(node).contains(['<', '>']);
    for part in parts.into_iter().filter(|part| compares && part.kind() == "identifier") {
        if let Some(var) = l.known(l.text(part)) {
            l.unit.used_as_scalar.insert(var);
        }
    }
}

/// A function gives back a value.
pub(super) fn given_back(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    let from = sources(l, node);
    d.step.gives.extend(from);
    if d.step.gives.is_empty() {
        // A value that nothing shares.
        let value = l.value_var(node);
        d.step.gives.push((Relation::Same, value));
    }
}
