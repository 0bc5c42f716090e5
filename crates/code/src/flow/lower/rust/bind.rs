//! Rust's patterns: what they declare, and what no method can change.

use crate::flow::ir::Origin;
use crate::flow::lower::{Draft, Lower, children, line};
use tree_sitter::Node;

fn is_binding(name: &str) -> bool {
    name.chars().next().is_some_and(|first| first == '_' || first.is_lowercase())
}

/// Declares and writes what a pattern binds.
pub(super) fn bind(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft, origin: Origin) {
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
pub(super) fn fix(l: &mut Lower<'_>, pattern: Node<'_>, comes_from: &str) {
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
