//! Python's names: what belongs to a function because it is written anywhere in it.

use crate::flow::lower::{Lower, children, children_of, line};
use tree_sitter::Node;

/// Declares every name that a body writes: in Python they belong to the function from its beginning.
pub(super) fn hoist(l: &mut Lower<'_>, body: Node<'_>) {
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
pub(super) fn targets(l: &Lower<'_>, node: Node<'_>, names: &mut Vec<(String, u32)>) {
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
pub(super) fn imported(node: Node<'_>) -> Vec<Node<'_>> {
    children_of(node, "name")
        .into_iter()
        .filter_map(|name| match name.kind() {
            "aliased_import" => name.child_by_field_name("alias"),
            _ => name.named_child(0),
        })
        .collect()
}

/// The names that a pattern binds.
pub(super) fn captures<'n>(node: Node<'n>, found: &mut impl FnMut(Node<'n>)) {
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
