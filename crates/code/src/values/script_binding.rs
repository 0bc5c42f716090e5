//! How values move through a file of JavaScript or TypeScript: patterns and expressions.

use super::build::{children, fields};
use super::script::{Reader, is_function, unquoted};
use super::{Arg, ArgKind, CallForm, ContainerKind, FunctionKind, Key, Op};
use tree_sitter::Node;

impl<'p> Reader<'p> {
    // Patterns.

    /// The names that a pattern gives.
    pub(super) fn names_in(&self, pattern: Node<'p>) -> Vec<&'p str> {
        let mut names = Vec::new();
        let mut left = vec![pattern];
        while let Some(node) = left.pop() {
            match node.kind() {
                "identifier" | "shorthand_property_identifier_pattern" => names.push(self.b.text(node)),
                "pair_pattern" => left.extend(node.child_by_field_name("value")),
                "assignment_pattern" | "object_assignment_pattern" => {
                    left.extend(node.child_by_field_name("left"));
                }
                "object_pattern" | "array_pattern" | "rest_pattern" => left.extend(children(node)),
                _ => {}
            }
        }
        names
    }

    pub(super) fn declare_pattern(&mut self, pattern: Node<'p>) {
        for name in self.names_in(pattern) {
            self.b.declare(name);
        }
    }

    /// A pattern, or what stands on the left of an assignment, takes a value.
    pub(super) fn assign(&mut self, target: Node<'p>, value: u32) {
        if self.b.deeper() {
            self.assign_inner(target, value);
        }
        self.b.shallower();
    }

    fn assign_inner(&mut self, target: Node<'p>, value: u32) {
        match target.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => {
                let to = self.b.resolve(self.b.text(target));
                self.b.copy(value, to);
            }
            "member_expression" => {
                let of = target.child_by_field_name("object").map_or(0, |object| self.expr(object));
                let name = target.child_by_field_name("property").map_or("", |name| self.b.text(name));
                self.b.set(of, name, value);
            }
            "subscript_expression" => {
                let of = target.child_by_field_name("object").map_or(0, |object| self.expr(object));
                let key = target.child_by_field_name("index").map_or(0, |index| self.expr(index));
                let key = self.b.key(key);
                if of != 0 && value != 0 {
                    self.b.op(Op::SetItem { of, key, from: value });
                }
            }
            "assignment_pattern" | "object_assignment_pattern" => {
                let default = target.child_by_field_name("right").map_or(0, |right| self.expr(right));
                let Some(left) = target.child_by_field_name("left") else { return };
                let of = match left.kind() {
                    "shorthand_property_identifier_pattern" => self.b.get(value, self.b.text(left), left),
                    _ => value,
                };
                let both = self.b.join(&[of, default]);
                self.assign(left, both);
            }
            "object_pattern" => {
                for part in children(target) {
                    match part.kind() {
                        "shorthand_property_identifier_pattern" => {
                            let item = self.b.get(value, self.b.text(part), part);
                            self.assign(part, item);
                        }
                        "pair_pattern" => {
                            let key = part.child_by_field_name("key").map_or("", |key| self.b.text(key));
                            let item = self.b.get(value, unquoted(key), part);
                            if let Some(inner) = part.child_by_field_name("value") {
                                self.assign(inner, item);
                            }
                        }
                        "rest_pattern" => {
                            let rest = self.b.items(ContainerKind::Object, Vec::new(), vec![value]);
                            if let Some(inner) = part.named_child(0) {
                                self.assign(inner, rest);
                            }
                        }
                        _ => self.assign(part, value),
                    }
                }
            }
            "array_pattern" => self.array_pattern(target, value),
            "parenthesized_expression" | "non_null_expression" => {
                if let Some(inner) = target.named_child(0) {
                    self.assign(inner, value);
                }
            }
            _ => {}
        }
    }

    fn array_pattern(&mut self, target: Node<'p>, value: u32) {
        let mut at = 0;
        let mut cursor = target.walk();
        for part in target.children(&mut cursor).collect::<Vec<_>>() {
            match part.kind() {
                "," => at += 1,
                "rest_pattern" => {
                    let to = self.b.node();
                    if value != 0 {
                        self.b.op(Op::Slice { of: value, start: Some(at as u32), to });
                    }
                    if let Some(inner) = part.named_child(0) {
                        self.assign(inner, to);
                    }
                }
                _ if part.is_named() && !part.is_extra() => {
                    let item = self.b.item(value, Key::Index(at));
                    self.assign(part, item);
                }
                _ => {}
            }
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
            "identifier" | "shorthand_property_identifier" => match self.b.text(node) {
                "exports" if self.b.find("exports").is_none() => self.exports(),
                "undefined" => self.b.plain(),
                "arguments" if self.b.find("arguments").is_none() => self.all_arguments(),
                name => self.b.resolve(name),
            },
            "this" => self.b.around.this,
            "member_expression" => self.member(node),
            "subscript_expression" => {
                let of = field("object").map_or(0, |object| self.expr(object));
                let key = field("index").map_or(0, |index| self.expr(index));
                let key = self.b.key(key);
                self.b.item(of, key)
            }
            "call_expression" => self.call(node),
            "new_expression" => {
                let Some(constructor) = field("constructor") else { return 0 };
                let callee = self.expr(constructor);
                let args = field("arguments").map_or_else(Vec::new, |list| self.arguments(list));
                let site = self.call_site(constructor);
                self.b.call(callee, args, site, CallForm::New)
            }
            "assignment_expression" => self.assignment(node),
            "augmented_assignment_expression" => {
                let value = field("right").map_or(0, |right| self.expr(right));
                let Some(left) = field("left") else { return 0 };
                let before = self.expr(left);
                let chooses =
                    matches!(field("operator").map(|word| word.kind()), Some("||=" | "&&=" | "??="));
                if chooses {
                    self.assign(left, value);
                    return self.b.join(&[before, value]);
                }
                let plain = self.b.plain();
                self.assign(left, plain);
                plain
            }
            // `i++`: it is no constant any more.
            "update_expression" => {
                let plain = self.b.plain();
                if let Some(argument) = field("argument") {
                    self.assign(argument, plain);
                }
                plain
            }
            "string" => {
                let text = unquoted(self.b.text(node));
                self.b.constant(text)
            }
            "number" => self.b.number(self.b.text(node)),
            "array" => self.array(node),
            "object" => self.object(node),
            kind if is_function(kind) => {
                let wrapped = self.wrapped.filter(|(id, _)| *id == node.id()).map(|(_, symbol)| symbol);
                self.function(node, wrapped, FunctionKind::Plain)
            }
            "class" => self.class(node, None),
            "ternary_expression" => {
                field("condition").map(|condition| self.expr(condition));
                let first = field("consequence").map_or(0, |value| self.expr(value));
                let second = field("alternative").map_or(0, |value| self.expr(value));
                self.b.join(&[first, second])
            }
            "binary_expression" => {
                let left = field("left").map_or(0, |left| self.expr(left));
                let right = field("right").map_or(0, |right| self.expr(right));
                match field("operator").map(|operator| operator.kind()) {
                    Some("||" | "&&" | "??") => self.b.join(&[left, right]),
                    _ => self.b.plain(),
                }
            }
            "await_expression" => {
                let of = node.named_child(0).map_or(0, |value| self.expr(value));
                self.b.await_on(of)
            }
            "yield_expression" => self.yields(node),
            "sequence_expression" => {
                let mut last = 0;
                for child in children(node) {
                    last = self.expr(child);
                }
                last
            }
            "parenthesized_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression"
            | "spread_element"
            | "expression_statement" => node.named_child(0).map_or(0, |inner| self.expr(inner)),
            "type_assertion" => children(node).last().map_or(0, |inner| self.expr(*inner)),
            "jsx_self_closing_element" | "jsx_opening_element" => self.element(node),
            "statement_block" => {
                self.statement(node);
                0
            }
            kind if kind.contains("type") || kind == "comment" => 0,
            _ => self.all(node),
        }
    }

    /// The arguments that are no parameters.
    fn all_arguments(&mut self) -> u32 {
        let rest = self.b.node();
        self.b.current().map_or(0, |function| {
            if function.rest == 0 {
                function.rest = rest;
            }
            function.rest
        })
    }

    fn member(&mut self, node: Node<'p>) -> u32 {
        let (Some(object), Some(property)) =
            (node.child_by_field_name("object"), node.child_by_field_name("property"))
        else {
            return 0;
        };
        if self.b.text(node) == "module.exports" && self.b.find("module").is_none() {
            return self.exports();
        }
        let of = if object.kind() == "super" { self.super_object() } else { self.expr(object) };
        self.b.get(of, self.b.text(property), property)
    }

    fn super_object(&mut self) -> u32 {
        let Some(class) = self.b.around.class else { return 0 };
        let (this, to) = (self.b.around.this, self.b.node());
        self.b.op(Op::Super { class, this, to });
        to
    }

    fn assignment(&mut self, node: Node<'p>) -> u32 {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        else {
            return 0;
        };
        let name = match left.kind() {
            "member_expression" => left.child_by_field_name("property"),
            "identifier" => Some(left),
            _ => None,
        };
        let named = is_function(right.kind()) || right.kind() == "class";
        let value = match name.filter(|_| named) {
            Some(name) => self.value_named(right, name),
            None => self.expr(right),
        };
        if self.b.text(left) == "module.exports" && self.b.find("module").is_none() {
            self.b.op(Op::ExportWhole { from: value });
        } else {
            self.assign(left, value);
        }
        value
    }

    fn yields(&mut self, node: Node<'p>) -> u32 {
        let all = node.child(1).is_some_and(|word| word.kind() == "*");
        let mut value = node.named_child(0).map_or(0, |value| self.expr(value));
        if all {
            value = self.b.iterate(value, node);
        }
        let yields = self.b.current().map_or(0, |function| function.yields);
        self.b.copy(value, yields);
        0
    }

    fn array(&mut self, node: Node<'p>) -> u32 {
        let (mut items, mut spread) = (Vec::new(), Vec::new());
        for (at, child) in children(node).into_iter().enumerate() {
            let value = self.expr(child);
            if child.kind() == "spread_element" {
                spread.push(value);
            } else {
                items.push((if spread.is_empty() { Key::Index(at as i32) } else { Key::Any }, value));
            }
        }
        self.b.items(ContainerKind::List, items, spread)
    }

    fn object(&mut self, node: Node<'p>) -> u32 {
        let (mut items, mut spread) = (Vec::new(), Vec::new());
        // `this` is the object in its methods, not the class around it.
        for child in children(node) {
            match child.kind() {
                "spread_element" => spread.push(self.expr(child)),
                "shorthand_property_identifier" => {
                    let name = self.b.name(self.b.text(child));
                    items.push((Key::Name(name), self.expr(child)));
                }
                "pair" => {
                    let (Some(key), Some(value)) =
                        (child.child_by_field_name("key"), child.child_by_field_name("value"))
                    else {
                        continue;
                    };
                    let value = if is_function(value.kind()) {
                        self.value_named(value, key)
                    } else {
                        self.expr(value)
                    };
                    items.push((self.property_key(key), value));
                }
                "method_definition" => {
                    let Some(name) = child.child_by_field_name("name") else { continue };
                    let first = child.child(0).map_or("", |first| first.kind());
                    let kind = if first == "get" { FunctionKind::Getter } else { FunctionKind::Plain };
                    let symbol = self.b.symbol(name);
                    let class = self.b.around.class.take();
                    let value = self.function(child, symbol, kind);
                    self.b.around.class = class;
                    if first != "set" {
                        items.push((self.property_key(name), value));
                    }
                }
                _ => {}
            }
        }
        self.b.items(ContainerKind::Object, items, spread)
    }

    fn property_key(&mut self, key: Node<'p>) -> Key {
        if key.kind() == "computed_property_name" {
            if let Some(inner) = key.named_child(0)
                && inner.kind() != "member_expression"
            {
                let inner = self.expr(inner);
                return self.b.key(inner);
            }
            return Key::Name(self.b.name(self.b.text(key)));
        }
        match self.b.text(key).parse::<i32>() {
            Ok(number) => Key::Index(number),
            Err(_) => Key::Name(self.b.name(unquoted(self.b.text(key)))),
        }
    }

    // Calls.

    fn call_site(&mut self, mut callee: Node<'p>) -> u32 {
        for _ in 0..4 {
            match callee.kind() {
                "parenthesized_expression" | "non_null_expression" => match callee.named_child(0) {
                    Some(inner) => callee = inner,
                    None => break,
                },
                "member_expression" => match callee.child_by_field_name("property") {
                    Some(name) => return self.b.site(name, self.b.text(name)),
                    None => break,
                },
                "identifier" => return self.b.site(callee, self.b.text(callee)),
                "super" => return self.b.site(callee, "constructor"),
                _ => break,
            }
        }
        self.b.site(callee, "")
    }

    fn call(&mut self, node: Node<'p>) -> u32 {
        let Some(function) = node.child_by_field_name("function") else { return 0 };
        let list = node.child_by_field_name("arguments");
        if matches!(self.b.text(function), "require" | "import")
            && let Some(module) = list.and_then(|list| list.named_child(0)).filter(|m| m.kind() == "string")
            && self.b.find("require").is_none()
        {
            let (module, to) = (self.b.name(unquoted(self.b.text(module))), self.b.node());
            self.b.op(Op::Import { module, name: 0, to });
            return to;
        }
        let callee = if function.kind() == "super" {
            let of = self.super_object();
            self.b.get(of, "constructor", function)
        } else {
            self.expr(function)
        };
        let args = list.map_or_else(Vec::new, |list| self.arguments(list));
        let site = self.call_site(function);
        self.b.call(callee, args, site, CallForm::Plain)
    }

    fn arguments(&mut self, list: Node<'p>) -> Vec<Arg> {
        if list.kind() == "template_string" {
            self.all(list);
            return Vec::new();
        }
        let mut args = Vec::new();
        for part in children(list) {
            let kind = if part.kind() == "spread_element" { ArgKind::Spread } else { ArgKind::Positional };
            args.push(Arg { kind, node: self.expr(part) });
        }
        args
    }

    /// `<Cart items={…} />` calls `Cart` with an object of its attributes.
    fn element(&mut self, node: Node<'p>) -> u32 {
        let mut items = Vec::new();
        for attribute in fields(node, "attribute") {
            let value = attribute.named_child(1).map_or(0, |value| self.expr(value));
            let name = attribute.named_child(0).map_or("", |name| self.b.text(name));
            let name = self.b.name(name);
            items.push((Key::Name(name), value));
        }
        let Some(name) = node.child_by_field_name("name") else { return 0 };
        if !self.b.text(name).starts_with(char::is_uppercase) {
            return self.b.plain();
        }
        let callee = self.expr(name);
        let props = self.b.items(ContainerKind::Object, items, Vec::new());
        let site = self.call_site(name);
        self.b.call(callee, vec![Arg { kind: ArgKind::Positional, node: props }], site, CallForm::Plain)
    }
}
