//! Places that hold values: names, fields, elements. What reading, writing and changing them means is the same in every
//! language; a language only says which of its nodes is which.

use super::reads::{is_self, only_reads};
use super::{Draft, Lower, children, line};
use crate::flow::ir::{Touch, WHOLE};
use tree_sitter::Node;

/// The kind of place that an expression is.
pub(super) enum PlaceExpr<'n> {
    /// A name.
    Name,
    /// A field of something.
    Field(Node<'n>, Node<'n>),
    /// An element of something.
    Element(Node<'n>, Vec<Node<'n>>),
    /// What something points to, or the same thing in other words (parentheses, casts).
    Through(Node<'n>),
    /// Not a place.
    None,
}

/// What a language says about its places.
pub(super) trait Grammar {
    /// The kind of place that a node is.
    fn place_expr(node: Node<'_>) -> PlaceExpr<'_>;
    /// What an expression reads, writes and changes.
    fn expression(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft);

    /// Reads an expression, unless it is nested too deeply.
    fn expr(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
        if l.enter(node) {
            Self::expression(l, node, d);
            l.leave();
        } else {
            l.flat(d, node);
        }
    }
}

/// A field, by the names that the grammar has for what it is of and for its name.
pub(super) fn member<'n>(node: Node<'n>, base: &str, name: &str) -> PlaceExpr<'n> {
    match (node.child_by_field_name(base), node.child_by_field_name(name)) {
        (Some(base), Some(name)) => PlaceExpr::Field(base, name),
        _ => PlaceExpr::None,
    }
}

/// An element, by the names that the grammar has for what it is of and for its index.
pub(super) fn element<'n>(node: Node<'n>, base: &str, index: &str) -> PlaceExpr<'n> {
    match (node.child_by_field_name(base), node.child_by_field_name(index)) {
        (Some(base), Some(index)) => PlaceExpr::Element(base, vec![index]),
        _ => PlaceExpr::None,
    }
}

/// The same place in other words: in parentheses, with a type.
pub(super) fn through(node: Node<'_>) -> PlaceExpr<'_> {
    node.named_child(0).map_or(PlaceExpr::None, PlaceExpr::Through)
}

/// The children, as reads.
pub(super) fn all<G: Grammar>(l: &mut Lower<'_>, node: Node<'_>, d: &mut Draft) {
    for child in children(node) {
        G::expr(l, child, d);
    }
}

impl Lower<'_> {
    /// Reads a place; false when it is none.
    pub(super) fn read_place<G: Grammar>(&mut self, node: Node<'_>, d: &mut Draft) -> bool {
        match G::place_expr(node) {
            PlaceExpr::Name => self.read(d, node),
            PlaceExpr::Field(base, name) if matches!(G::place_expr(base), PlaceExpr::Name) => {
                d.step.throws = true;
                self.read_field(d, base, self.text(name));
            }
            PlaceExpr::Field(base, _) => {
                d.step.throws = true;
                G::expr(self, base, d);
            }
            PlaceExpr::Element(base, index) => {
                d.step.throws = true;
                G::expr(self, base, d);
                for index in index {
                    G::expr(self, index, d);
                }
            }
            PlaceExpr::Through(inner) => G::expr(self, inner, d),
            PlaceExpr::None => return false,
        }
        true
    }

    /// Writes to a place, or changes it by what it was; false when it is none.
    pub(super) fn write_place<G: Grammar>(&mut self, node: Node<'_>, touch: Touch, d: &mut Draft) -> bool {
        match G::place_expr(node) {
            PlaceExpr::Name => {
                let var = self.resolve(self.text(node));
                self.touch(d, var, WHOLE, touch, line(node));
            }
            PlaceExpr::Field(base, name) => {
                d.step.throws = true;
                self.changed_in_place::<G>(base, d);
                if matches!(G::place_expr(base), PlaceExpr::Name) {
                    self.write_field(d, base, self.text(name), touch);
                } else {
                    self.change_place::<G>(base, d);
                }
            }
            PlaceExpr::Element(base, index) => {
                d.step.throws = true;
                for index in index {
                    G::expr(self, index, d);
                }
                self.changed_in_place::<G>(base, d);
                self.change_place::<G>(base, d);
            }
            PlaceExpr::Through(inner) => self.change_place::<G>(inner, d),
            PlaceExpr::None => return false,
        }
        true
    }

    /// Changes a part of what an expression gives.
    pub(super) fn change_place<G: Grammar>(&mut self, node: Node<'_>, d: &mut Draft) {
        match G::place_expr(node) {
            PlaceExpr::Name => self.change(d, node),
            PlaceExpr::Field(base, name) if matches!(G::place_expr(base), PlaceExpr::Name) => {
                self.write_field(d, base, self.text(name), Touch::Update);
            }
            PlaceExpr::Field(base, _) | PlaceExpr::Through(base) => self.change_place::<G>(base, d),
            PlaceExpr::Element(base, index) => {
                for index in index {
                    G::expr(self, index, d);
                }
                self.change_place::<G>(base, d);
            }
            PlaceExpr::None => G::expr(self, node, d),
        }
    }

    /// A method is called on an expression.
    pub(super) fn call_method<G: Grammar>(&mut self, base: Node<'_>, method: &str, d: &mut Draft) {
        d.step.throws = true;
        match G::place_expr(base) {
            PlaceExpr::Name => self.call_on(d, base, method),
            PlaceExpr::Through(inner) => self.call_method::<G>(inner, method, d),
            PlaceExpr::Field(..) | PlaceExpr::Element(..)
                if !only_reads(method) && self.is_rooted::<G>(base) =>
            {
                self.change_place::<G>(base, d);
            }
            _ => G::expr(self, base, d),
        }
    }

    /// Remembers that a part of what an expression gives gets another value.
    pub(super) fn changed_in_place<G: Grammar>(&mut self, base: Node<'_>, d: &mut Draft) {
        let (mut at, mut deep) = (base, false);
        loop {
            at = match G::place_expr(at) {
                PlaceExpr::Field(base, _) | PlaceExpr::Element(base, _) => {
                    deep = true;
                    base
                }
                PlaceExpr::Through(base) => base,
                PlaceExpr::Name => {
                    let var = self.resolve(self.text(at));
                    d.step.changes.push((var, deep, line(at)));
                    return;
                }
                PlaceExpr::None => {
                    // What a call gave is changed.
                    if let Some(var) = self.results.get(&at.id()) {
                        d.step.changes.push((*var, true, line(at)));
                    }
                    return;
                }
            };
        }
    }

    /// A path that begins at a variable of the unit, or at the object itself.
    fn is_rooted<G: Grammar>(&self, node: Node<'_>) -> bool {
        let mut at = node;
        loop {
            at = match G::place_expr(at) {
                PlaceExpr::Field(base, _) | PlaceExpr::Element(base, _) | PlaceExpr::Through(base) => base,
                PlaceExpr::Name => return self.known(self.text(at)).is_some() || is_self(self.text(at)),
                PlaceExpr::None => return false,
            };
        }
    }
}
