//! How values move through a file of Python: assignments and expressions.

use super::build::{ScopeKind, children, fields};
use super::python::{Reader, targets};
use super::{Arg, ArgKind, CallForm, ContainerKind, FunctionKind, Key, Op};
use tree_sitter::Node;

impl<'p> Reader<'p> {
    // Assignments.

    fn assignment(&mut self, node: Node<'p>) -> u32 {
        let Some(left) = node.child_by_field_name("left") else { return 0 };
        let outer = self.b.around.caller;
        // A value of the file is a symbol, and calls are in it.
        if left.kind() == "identifier" && self.b.around.function.is_none() {
            self.b.around.caller = self.b.symbol(left).or(outer);
        }
        let value = node.child_by_field_name("right").map_or(0, |right| self.expr(right));
        self.b.around.caller = outer;
        if let Some(of) = node.child_by_field_name("type")
            && left.kind() == "identifier"
        {
            let to = self.b.resolve(self.b.text(left));
            self.typed(of, to);
        }
        self.assign(left, value);
        let is_typed = node.child_by_field_name("type").is_some();
        if left.kind() == "identifier" && self.straight && value != 0 && !is_typed {
            self.b.holds_now(self.b.text(left), value);
        }
        value
    }

    pub(super) fn assign(&mut self, target: Node<'p>, value: u32) {
        match target.kind() {
            "identifier" => self.bind_name(Some(target), value),
            "attribute" => {
                let of = target.child_by_field_name("object").map_or(0, |object| self.expr(object));
                let name = target.child_by_field_name("attribute").map_or("", |name| self.b.text(name));
                self.b.set(of, name, value);
            }
            "subscript" => {
                let of = target.child_by_field_name("value").map_or(0, |object| self.expr(object));
                let key = self.subscript_key(target);
                if of != 0 && value != 0 {
                    self.b.op(Op::SetItem { of, key, from: value });
                }
            }
            "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list" | "expression_list" => {
                let parts = children(target);
                let star = parts.iter().position(|part| part.kind().starts_with("list_splat"));
                for (at, part) in parts.iter().enumerate() {
                    let index = match star {
                        Some(star) if at > star => at as i32 - parts.len() as i32,
                        _ => at as i32,
                    };
                    if Some(at) == star {
                        let to = self.b.node();
                        if value != 0 {
                            self.b.op(Op::Slice { of: value, start: Some(at as u32), to });
                        }
                        if let Some(inner) = part.named_child(0) {
                            self.assign(inner, to);
                        }
                        continue;
                    }
                    let item = self.b.item(value, Key::Index(index));
                    self.assign(*part, item);
                }
            }
            "parenthesized_expression" => {
                if let Some(inner) = target.named_child(0) {
                    self.assign(inner, value);
                }
            }
            _ => {}
        }
    }

    fn subscript_key(&mut self, node: Node<'p>) -> Key {
        let keys = fields(node, "subscript");
        match keys.as_slice() {
            [one] if one.kind() != "slice" => {
                let key = self.expr(*one);
                self.b.key(key)
            }
            _ => Key::Any,
        }
    }

    // Expressions.

    pub(super) fn expr(&mut self, node: Node<'p>) -> u32 {
        let value = if self.b.deeper() { self.expr_inner(node) } else { 0 };
        self.b.shallower();
        value
    }

    fn all(&mut self, node: Node<'p>) -> u32 {
        for child in children(node) {
            self.expr(child);
        }
        self.b.plain()
    }

    fn expr_inner(&mut self, node: Node<'p>) -> u32 {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "identifier" => {
                let name = self.b.text(node);
                self.b.find_now(name).unwrap_or_else(|| self.b.resolve(name))
            }
            "attribute" => {
                let of = field("object").map_or(0, |object| self.expr(object));
                let Some(name) = field("attribute") else { return 0 };
                self.b.get(of, self.b.text(name), name)
            }
            "call" => self.call(node),
            "assignment" => self.assignment(node),
            "augmented_assignment" => {
                let right = field("right").map_or(0, |right| self.expr(right));
                let Some(left) = field("left") else { return 0 };
                let of = self.expr(left);
                // `list += other`
                let items = self.b.iterate(right, left);
                if of != 0 && items != 0 {
                    self.b.op(Op::SetItem { of, key: Key::Any, from: items });
                }
                // `i += 1`: it is no constant any more.
                if left.kind() == "identifier" {
                    let plain = self.b.plain();
                    self.bind_name(Some(left), plain);
                }
                of
            }
            "subscript" => self.subscript(node),
            "string" => self.string(node),
            "concatenated_string" => self.all(node),
            "integer" => self.b.number(self.b.text(node)),
            "list" | "tuple" | "set" | "expression_list" => self.list(node),
            "dictionary" => self.dictionary(node),
            "list_comprehension" | "set_comprehension" | "generator_expression" => {
                self.b.enter(ScopeKind::Lexical);
                let clauses = children(node);
                self.clauses(&clauses);
                let value = field("body").map_or(0, |body| self.expr(body));
                self.b.leave();
                self.b.items(ContainerKind::List, vec![(Key::Any, value)], Vec::new())
            }
            "dictionary_comprehension" => {
                self.b.enter(ScopeKind::Lexical);
                let clauses = children(node);
                self.clauses(&clauses);
                let value = field("body").and_then(|body| {
                    body.child_by_field_name("key").map(|key| self.expr(key));
                    body.child_by_field_name("value").map(|value| self.expr(value))
                });
                self.b.leave();
                self.b.items(ContainerKind::Dict, vec![(Key::Any, value.unwrap_or(0))], Vec::new())
            }
            "lambda" => self.function(node, FunctionKind::Plain),
            "conditional_expression" => {
                let parts = children(node);
                let values: Vec<u32> = parts.iter().map(|part| self.expr(*part)).collect();
                let chosen: Vec<u32> =
                    values.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, value)| *value).collect();
                self.b.join(&chosen)
            }
            "boolean_operator" => {
                let left = field("left").map_or(0, |left| self.expr(left));
                let right = field("right").map_or(0, |right| self.expr(right));
                self.b.join(&[left, right])
            }
            "binary_operator" => {
                let left = field("left").map_or(0, |left| self.expr(left));
                let right = field("right").map_or(0, |right| self.expr(right));
                // Lists and dictionaries are joined.
                match field("operator").map(|operator| operator.kind()) {
                    Some("+" | "|") => self.b.join(&[left, right]),
                    _ => self.b.plain(),
                }
            }
            "named_expression" => {
                let value = field("value").map_or(0, |value| self.expr(value));
                self.bind_name(field("name"), value);
                value
            }
            "await" => {
                let of = node.named_child(0).map_or(0, |value| self.expr(value));
                self.b.await_on(of)
            }
            "yield" => self.yields(node),
            "parenthesized_expression" | "type" | "list_splat" | "as_pattern" => {
                node.named_child(0).map_or(0, |inner| self.expr(inner))
            }
            "keyword_argument" => field("value").map_or(0, |value| self.expr(value)),
            "function_definition" | "class_definition" | "decorated_definition" => {
                self.statement(node);
                0
            }
            _ => self.all(node),
        }
    }

    fn yields(&mut self, node: Node<'p>) -> u32 {
        let from = node.child(1).is_some_and(|word| word.kind() == "from");
        let mut value = node.named_child(0).map_or(0, |value| self.expr(value));
        if from {
            value = self.b.iterate(value, node);
        }
        let yields = self.b.current().map_or(0, |function| {
            function.generator = true;
            function.yields
        });
        self.b.copy(value, yields);
        0
    }

    fn string(&mut self, node: Node<'p>) -> u32 {
        let parts = children(node);
        let plain = parts.iter().all(|part| !matches!(part.kind(), "interpolation" | "escape_sequence"));
        for part in parts.iter().filter(|part| part.kind() == "interpolation") {
            self.all(*part);
        }
        let content = parts.iter().find(|part| part.kind() == "string_content");
        match content {
            Some(content) if plain => self.b.constant(self.b.text(*content)),
            _ => self.b.plain(),
        }
    }

    fn list(&mut self, node: Node<'p>) -> u32 {
        let (mut items, mut spread) = (Vec::new(), Vec::new());
        for (at, child) in children(node).into_iter().enumerate() {
            let value = self.expr(child);
            if child.kind() == "list_splat" {
                spread.push(value);
            } else {
                items.push((if spread.is_empty() { Key::Index(at as i32) } else { Key::Any }, value));
            }
        }
        self.b.items(ContainerKind::List, items, spread)
    }

    fn dictionary(&mut self, node: Node<'p>) -> u32 {
        let (mut items, mut spread) = (Vec::new(), Vec::new());
        for child in children(node) {
            if let (Some(key), Some(value)) =
                (child.child_by_field_name("key"), child.child_by_field_name("value"))
            {
                let (key, value) = (self.expr(key), self.expr(value));
                items.push((self.b.key(key), value));
            } else if let Some(inner) = child.named_child(0) {
                spread.push(self.expr(inner));
            }
        }
        self.b.items(ContainerKind::Dict, items, spread)
    }

    fn clauses(&mut self, parts: &[Node<'p>]) {
        for part in parts {
            match part.kind() {
                "for_in_clause" => {
                    let mut names = Vec::new();
                    let left = part.child_by_field_name("left");
                    let of: Vec<u32> =
                        fields(*part, "right").into_iter().map(|right| self.expr(right)).collect();
                    targets(left, &mut names);
                    for name in names {
                        let node = self.b.node();
                        self.b.declare_as(self.b.text(name), node);
                    }
                    let value = self.b.iterate(of.first().copied().unwrap_or(0), *part);
                    if let Some(left) = left {
                        self.assign(left, value);
                    }
                }
                "if_clause" => {
                    self.all(*part);
                }
                _ => {}
            }
        }
    }

    fn subscript(&mut self, node: Node<'p>) -> u32 {
        let of = node.child_by_field_name("value").map_or(0, |value| self.expr(value));
        let keys = fields(node, "subscript");
        if let [slice] = keys.as_slice()
            && slice.kind() == "slice"
        {
            let first = slice.child(0).filter(|first| first.kind() == "integer");
            let whole = slice.child(0).is_some_and(|first| first.kind() == ":");
            let start = first.and_then(|first| self.b.text(first).parse().ok());
            if of == 0 {
                return 0;
            }
            let to = self.b.node();
            self.b.op(Op::Slice { of, start: if whole { Some(0) } else { start }, to });
            return to;
        }
        let key = self.subscript_key(node);
        self.b.item(of, key)
    }

    /// Where a call with this callee is, by the name that is called.
    pub(super) fn call_site(&mut self, mut callee: Node<'p>) -> u32 {
        for _ in 0..4 {
            match callee.kind() {
                "parenthesized_expression" | "list_splat" => match callee.named_child(0) {
                    Some(inner) => callee = inner,
                    None => break,
                },
                "attribute" => match callee.child_by_field_name("attribute") {
                    Some(name) => return self.b.site(name, self.b.text(name)),
                    None => break,
                },
                "identifier" => return self.b.site(callee, self.b.text(callee)),
                _ => break,
            }
        }
        self.b.site(callee, "")
    }

    fn call(&mut self, node: Node<'p>) -> u32 {
        let Some(function) = node.child_by_field_name("function") else { return 0 };
        if function.kind() == "identifier" && self.b.text(function) == "super" {
            return self.super_call(node);
        }
        let callee = self.expr(function);
        let args = node.child_by_field_name("arguments").map_or_else(Vec::new, |list| self.arguments(list));
        let site = self.call_site(function);
        self.b.call(callee, args, site, CallForm::Plain)
    }

    fn super_call(&mut self, node: Node<'p>) -> u32 {
        let given = node.child_by_field_name("arguments").map(children).unwrap_or_default();
        for argument in given {
            self.expr(argument);
        }
        let Some(class) = self.b.around.class else { return 0 };
        let (this, to) = (self.b.around.this, self.b.node());
        self.b.op(Op::Super { class, this, to });
        to
    }

    fn arguments(&mut self, list: Node<'p>) -> Vec<Arg> {
        if list.kind() == "generator_expression" {
            return vec![Arg { kind: ArgKind::Positional, node: self.expr(list) }];
        }
        let mut args = Vec::new();
        for part in children(list) {
            let kind = match part.kind() {
                "keyword_argument" => {
                    let name = part.child_by_field_name("name").map_or("", |name| self.b.text(name));
                    ArgKind::Named(self.b.name(name))
                }
                "list_splat" => ArgKind::Spread,
                "dictionary_splat" => ArgKind::SpreadNamed,
                _ => ArgKind::Positional,
            };
            let value = match part.kind() {
                "dictionary_splat" => part.named_child(0).map_or(0, |inner| self.expr(inner)),
                _ => self.expr(part),
            };
            args.push(Arg { kind, node: value });
        }
        args
    }
}
