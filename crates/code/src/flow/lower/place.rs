//! Places that hold values: names, fields, elements. What reading, writing and changing them means is the same in every
//! language; a language only says which of its nodes is which.

use super::reads::{is_self, only_reads};
use super::{Draft, Lower, children, line};
use crate::flow::ir::{Touch, WHOLE};
use tree_sitter::Node;

/// What kind of place an expression is.
pub(super) enum Shape<'n> {
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
    fn shape(node: Node<'_>) -> Shape<'_>;
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
pub(super) fn member<'n>(node: Node<'n>, base: &str, name: &str) -> Shape<'n> {
    match (node.child_by_field_name(base), node.child_by_field_name(name)) {
        (Some(base), Some(name)) => Shape::Field(base, name),
        _ => Shape::None,
    }
}

/// An element, by the names that the grammar has for what it is of and for its index.
pub(super) fn element<'n>(node: Node<'n>, base: &str, index: &str) -> Shape<'n> {
    match (node.child_by_field_name(base), node.child_by_field_name(index)) {
        (Some(base), Some(index)) => Shape::Element(base, vec![index]),
        _ => Shape::None,
    }
}

/// The same place in other words: in parentheses, with a type.
pub(super) fn through(node: Node<'_>) -> Shape<'_> {
    node.named_child(0).map_or(Shape::None, Shape::Through)
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
        match G::shape(node) {
            Shape::Name => self.read(d, node),
            Shape::Field(base, name) if matches!(G::shape(base), Shape::Name) => {
                d.step.throws = true;
                self.read_field(d, base, self.text(name));
            }
            Shape::Field(base, _) => {
                d.step.throws = true;
                G::expr(self, base, d);
            }
            Shape::Element(base, index) => {
                d.step.throws = true;
                G::expr(self, base, d);
                for index in index {
                    G::expr(self, index, d);
                }
            }
            Shape::Through(inner) => G::expr(self, inner, d),
            Shape::None => return false,
        }
        true
    }

    /// Writes to a place, or changes it by what it was; false when it is none.
    pub(super) fn write_place<G: Grammar>(&mut self, node: Node<'_>, touch: Touch, d: &mut Draft) -> bool {
        match G::shape(node) {
            Shape::Name => {
                let var = self.resolve(self.text(node));
                self.touch(d, var, WHOLE, touch, line(node));
            }
            Shape::Field(base, name) => {
                d.step.throws = true;
                if matches!(G::shape(base), Shape::Name) {
                    self.write_field(d, base, self.text(name), touch);
                } else {
                    self.change_place::<G>(base, d);
                }
            }
            Shape::Element(base, index) => {
                d.step.throws = true;
                for index in index {
                    G::expr(self, index, d);
                }
                self.change_place::<G>(base, d);
            }
            Shape::Through(inner) => self.change_place::<G>(inner, d),
            Shape::None => return false,
        }
        true
    }

    /// Changes a part of what an expression gives.
    pub(super) fn change_place<G: Grammar>(&mut self, node: Node<'_>, d: &mut Draft) {
        match G::shape(node) {
            Shape::Name => self.change(d, node),
            Shape::Field(base, name) if matches!(G::shape(base), Shape::Name) => {
                self.write_field(d, base, self.text(name), Touch::Update);
            }
            Shape::Field(base, _) | Shape::Through(base) => self.change_place::<G>(base, d),
            Shape::Element(base, index) => {
                for index in index {
                    G::expr(self, index, d);
                }
                self.change_place::<G>(base, d);
            }
            Shape::None => G::expr(self, node, d),
        }
    }

    /// A method is called on an expression.
    pub(super) fn call_method<G: Grammar>(&mut self, base: Node<'_>, method: &str, d: &mut Draft) {
        d.step.throws = true;
        match G::shape(base) {
            Shape::Name => self.call_on(d, base, method),
            Shape::Through(inner) => self.call_method::<G>(inner, method, d),
            Shape::Field(..) | Shape::Element(..) if !only_reads(method) && self.is_rooted::<G>(base) => {
                self.change_place::<G>(base, d);
            }
            _ => G::expr(self, base, d),
        }
    }

    /// A path that begins at a variable of the unit, or at the object itself.
    fn is_rooted<G: Grammar>(&self, node: Node<'_>) -> bool {
        let mut at = node;
        loop {
            at = match G::shape(at) {
                Shape::Field(base, _) | Shape::Element(base, _) | Shape::Through(base) => base,
                Shape::Name => return self.known(self.text(at)).is_some() || is_self(self.text(at)),
                Shape::None => return false,
            };
        }
    }
}
