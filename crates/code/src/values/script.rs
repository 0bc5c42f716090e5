//! How values move through a file of JavaScript or TypeScript: statements, functions, classes, modules.

use super::build::{Around, Builder, ScopeKind, children, has};
use super::{Class, Function, FunctionKind, Op, Values};
use crate::facts::Facts;
use crate::parse::Parsed;
use tree_sitter::Node;

pub(super) fn read(parsed: &Parsed, facts: &Facts) -> Values {
    let mut reader = Reader { b: Builder::new(parsed, facts), wrapped: None, exports: 0 };
    let root = parsed.tree.root_node();
    reader.b.enter(ScopeKind::Lexical);
    reader.declare_vars(root);
    reader.declare_block(root);
    reader.block(root);
    reader.b.values
}

pub(super) struct Reader<'p> {
    pub(super) b: Builder<'p>,
    /// A function that is wrapped in a call, and the symbol that it has.
    pub(super) wrapped: Option<(usize, u32)>,
    /// The node of `exports`.
    exports: u32,
}

pub(super) fn is_function(kind: &str) -> bool {
    matches!(
        kind,
        "arrow_function"
            | "function_expression"
            | "generator_function"
            | "function"
            | "function_declaration"
            | "generator_function_declaration"
            | "method_definition"
    )
}

impl<'p> Reader<'p> {
    // What a scope declares.

    /// `var` belongs to the function around it.
    fn declare_vars(&mut self, body: Node<'p>) {
        let mut left = children(body);
        while let Some(node) = left.pop() {
            match node.kind() {
                "variable_declaration" => self.declare_variables(node),
                kind if is_function(kind) || kind.contains("class") || kind.ends_with("expression") => {}
                _ => left.extend(children(node)),
            }
        }
    }

    fn declare_variables(&mut self, node: Node<'p>) {
        for declarator in children(node) {
            if let Some(name) = declarator.child_by_field_name("name") {
                self.declare_pattern(name);
            }
        }
    }

    /// What the statements of a block declare.
    pub(super) fn declare_block(&mut self, block: Node<'p>) {
        for statement in children(block) {
            self.declare_statement(statement);
        }
    }

    fn declare_statement(&mut self, node: Node<'p>) {
        match node.kind() {
            "lexical_declaration" => self.declare_variables(node),
            "function_declaration"
            | "generator_function_declaration"
            | "class_declaration"
            | "abstract_class_declaration"
            | "enum_declaration" => {
                if let Some(name) = node.child_by_field_name("name") {
                    self.b.declare(self.b.text(name));
                }
            }
            "export_statement" => {
                if let Some(inner) = node.child_by_field_name("declaration") {
                    self.declare_statement(inner);
                }
            }
            "import_statement" => {
                for (_, alias) in self.imported(node) {
                    self.b.declare(alias);
                }
            }
            _ => {}
        }
    }

    /// What an import statement imports, and the names that it gives; empty for the module itself.
    fn imported(&self, node: Node<'p>) -> Vec<(&'p str, &'p str)> {
        let mut found = Vec::new();
        let mut left = children(node);
        while let Some(part) = left.pop() {
            match part.kind() {
                "import_clause" | "named_imports" => left.extend(children(part)),
                "identifier" => found.push(("default", self.b.text(part))),
                "namespace_import" => {
                    found.extend(part.named_child(0).map(|alias| ("", self.b.text(alias))));
                }
                "import_specifier" => found.extend(self.specifier(part)),
                _ => {}
            }
        }
        found
    }

    /// `name as alias`
    fn specifier(&self, node: Node<'p>) -> Option<(&'p str, &'p str)> {
        let name = unquoted(self.b.text(node.child_by_field_name("name")?));
        let alias = node.child_by_field_name("alias");
        Some((name, alias.map_or(name, |alias| unquoted(self.b.text(alias)))))
    }

    // Statements.

    pub(super) fn block(&mut self, node: Node<'p>) {
        for child in children(node) {
            self.statement(child);
        }
    }

    fn scoped_block(&mut self, node: Node<'p>) {
        self.b.enter(ScopeKind::Lexical);
        self.declare_block(node);
        self.block(node);
        self.b.leave();
    }

    pub(super) fn statement(&mut self, node: Node<'p>) {
        if self.b.deeper() {
            self.statement_inner(node);
        }
        self.b.shallower();
    }

    fn statement_inner(&mut self, node: Node<'p>) {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "function_declaration" | "generator_function_declaration" => {
                let symbol = field("name").and_then(|name| self.b.symbol(name));
                let value = self.function(node, symbol, FunctionKind::Plain);
                self.bind_name(field("name"), value);
            }
            "class_declaration" | "abstract_class_declaration" => {
                let symbol = field("name").and_then(|name| self.b.symbol(name));
                let value = self.class(node, symbol);
                self.bind_name(field("name"), value);
            }
            "enum_declaration" => {
                let value = self.b.plain();
                self.bind_name(field("name"), value);
            }
            "lexical_declaration" | "variable_declaration" => {
                for declarator in children(node) {
                    self.declarator(declarator);
                }
            }
            "return_statement" => {
                let value = node.named_child(0).map_or(0, |value| self.expr(value));
                let returns = self.b.current().map_or(0, |function| function.returns);
                self.b.copy(value, returns);
            }
            "for_in_statement" => self.for_in(node),
            "for_statement" | "statement_block" | "switch_body" | "class_static_block" => {
                self.scoped_block(node);
            }
            "catch_clause" => {
                self.b.enter(ScopeKind::Lexical);
                if let Some(parameter) = field("parameter") {
                    self.declare_pattern(parameter);
                }
                if let Some(body) = field("body") {
                    self.statement(body);
                }
                self.b.leave();
            }
            "import_statement" => self.import(node),
            "export_statement" => self.export(node),
            "interface_declaration"
            | "type_alias_declaration"
            | "ambient_declaration"
            | "function_signature"
            | "comment"
            | "empty_statement"
            | "statement_identifier" => {}
            "internal_module" | "module" => {
                if let Some(body) = field("body") {
                    self.scoped_block(body);
                }
            }
            kind if kind.ends_with("statement") || kind.ends_with("clause") || is_part(kind) => {
                self.block(node);
            }
            _ => {
                self.expr(node);
            }
        }
    }

    fn bind_name(&mut self, name: Option<Node<'p>>, value: u32) {
        if let Some(name) = name {
            let to = self.b.resolve(self.b.text(name));
            self.b.copy(value, to);
        }
    }

    fn declarator(&mut self, node: Node<'p>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let value = node.child_by_field_name("value");
        let found = value.map_or(0, |value| self.value_named(value, name));
        if let Some(of) = node.child_by_field_name("type")
            && name.kind() == "identifier"
        {
            let to = self.b.resolve(self.b.text(name));
            self.typed(of, to);
        }
        self.assign(name, found);
    }

    /// A value that has a name: a function or class takes the symbol of the name, calls are in it.
    pub(super) fn value_named(&mut self, value: Node<'p>, name: Node<'p>) -> u32 {
        let symbol = self.b.symbol(name).or_else(|| self.b.symbol_named(name, unquoted(self.b.text(name))));
        let Some(number) = symbol else { return self.expr(value) };
        if is_function(value.kind()) {
            return self.function(value, symbol, FunctionKind::Plain);
        }
        if value.kind() == "class" {
            return self.class(value, symbol);
        }
        // `memo(() => …)`: what is wrapped is what is meant.
        if value.kind() == "call_expression"
            && let Some(list) = value.child_by_field_name("arguments")
            && let Some(first) = children(list).first()
            && matches!(first.kind(), "arrow_function" | "function_expression")
        {
            self.wrapped = Some((first.id(), number));
        }
        let outer = self.b.around.caller;
        self.b.around.caller = symbol;
        let found = self.expr(value);
        self.b.around.caller = outer;
        found
    }

    fn for_in(&mut self, node: Node<'p>) {
        self.b.enter(ScopeKind::Lexical);
        if let (Some(left), Some(right)) =
            (node.child_by_field_name("left"), node.child_by_field_name("right"))
        {
            let of = self.expr(right);
            if node.child_by_field_name("kind").is_some() {
                self.declare_pattern(left);
            }
            let over_values = node.child_by_field_name("operator").is_none_or(|word| word.kind() == "of");
            let value = if over_values { self.b.iterate(of, right) } else { self.b.plain() };
            let value = self.b.await_on(value);
            self.assign(left, value);
        }
        if let Some(body) = node.child_by_field_name("body") {
            self.statement(body);
        }
        self.b.leave();
    }

    // Modules.

    fn module_of(&mut self, node: Node<'p>) -> u32 {
        let source = node.child_by_field_name("source").map_or("", |source| self.b.text(source));
        self.b.name(unquoted(source))
    }

    fn import(&mut self, node: Node<'p>) {
        let module = self.module_of(node);
        for (name, alias) in self.imported(node) {
            let (name, to) = (self.b.name(name), self.b.resolve(alias));
            self.b.op(Op::Import { module, name, to });
        }
    }

    fn give(&mut self, name: &str, node: u32) {
        let name = self.b.name(name);
        if node != 0 {
            self.b.values.exports.push((name, node));
        }
    }

    fn export(&mut self, node: Node<'p>) {
        let default = has(node, "default");
        let from_elsewhere = node.child_by_field_name("source").is_some();
        if let Some(declaration) = node.child_by_field_name("declaration") {
            self.statement(declaration);
            let mut names = Vec::new();
            match declaration.kind() {
                "lexical_declaration" | "variable_declaration" => {
                    for declarator in children(declaration) {
                        names.extend(declarator.child_by_field_name("name").map(|name| self.names_in(name)));
                    }
                }
                _ => {
                    names.extend(declaration.child_by_field_name("name").map(|name| vec![self.b.text(name)]));
                }
            }
            for name in names.into_iter().flatten() {
                let value = self.b.resolve(name);
                self.give(if default { "default" } else { name }, value);
            }
            return;
        }
        if let Some(value) = node.child_by_field_name("value") {
            let symbol = self.b.symbol_named(value, "default");
            let found = match (symbol, value.kind()) {
                (Some(_), kind) if is_function(kind) => self.function(value, symbol, FunctionKind::Plain),
                (Some(_), "class") => self.class(value, symbol),
                _ => self.expr(value),
            };
            self.give("default", found);
            return;
        }
        let module = self.module_of(node);
        let mut whole = from_elsewhere;
        for part in children(node) {
            match part.kind() {
                "export_clause" => {
                    whole = false;
                    for one in children(part) {
                        let Some((name, alias)) = self.specifier(one) else { continue };
                        let value = if from_elsewhere {
                            let (name, to) = (self.b.name(name), self.b.node());
                            self.b.op(Op::Import { module, name, to });
                            to
                        } else {
                            self.b.resolve(name)
                        };
                        self.give(alias, value);
                    }
                }
                "namespace_export" => {
                    whole = false;
                    let to = self.b.node();
                    self.b.op(Op::Import { module, name: 0, to });
                    let alias = part.named_child(0).map_or("", |alias| self.b.text(alias));
                    self.give(alias, to);
                }
                _ => {}
            }
        }
        if whole {
            self.b.op(Op::ExportAll { module });
        }
    }

    /// The object of everything that this file exports.
    pub(super) fn exports(&mut self) -> u32 {
        if self.exports == 0 {
            self.exports = self.b.node();
            self.b.op(Op::Exports { to: self.exports });
        }
        self.exports
    }

    // Functions and classes.

    pub(super) fn function(&mut self, node: Node<'p>, symbol: Option<u32>, kind: FunctionKind) -> u32 {
        let field = |name: &str| node.child_by_field_name(name);
        let arrow = node.kind() == "arrow_function";
        let outer = self.b.around;
        let (returns, yields) = (self.b.node(), self.b.node());
        let this = if arrow { outer.this } else { self.b.node() };
        let method = node.kind() == "method_definition";
        let made = Function {
            symbol,
            kind,
            generator: node.kind().starts_with("generator") || method && has(node, "*"),
            is_async: has(node, "async"),
            class: outer.class.filter(|_| method && outer.function.is_none()),
            returns,
            yields,
            this: if arrow { 0 } else { this },
            ..Function::default()
        };
        let (number, value) = self.b.function(made);
        self.b.enter(ScopeKind::Lexical);
        self.b.around = Around {
            caller: symbol.or(outer.caller),
            function: Some(number),
            class: outer.class,
            this,
            depth: outer.depth,
        };
        if node.kind().ends_with("expression")
            && let Some(name) = field("name")
        {
            self.b.declare_as(self.b.text(name), value);
        }
        if let Some(of) = field("return_type") {
            self.typed(of, returns);
        }
        if let Some(one) = field("parameter") {
            self.parameter(number, one);
        }
        for one in field("parameters").map(children).unwrap_or_default() {
            self.parameter(number, one);
        }
        if let Some(body) = field("body") {
            if body.kind() == "statement_block" {
                self.declare_vars(body);
                self.declare_block(body);
                self.block(body);
            } else {
                let value = self.expr(body);
                self.b.copy(value, returns);
            }
        }
        self.b.leave();
        self.b.around = outer;
        value
    }

    fn parameter(&mut self, number: u32, node: Node<'p>) {
        // `constructor(private readonly cart: Cart)`
        let is_field = children(node).iter().any(|part| part.kind() == "accessibility_modifier");
        let mut pattern = node.child_by_field_name("pattern").unwrap_or(node);
        let mut default = node.child_by_field_name("value");
        if pattern.kind() == "assignment_pattern" {
            default = pattern.child_by_field_name("right");
            pattern = pattern.child_by_field_name("left").unwrap_or(pattern);
        }
        let rest = pattern.kind() == "rest_pattern";
        if rest {
            pattern = pattern.named_child(0).unwrap_or(pattern);
        }
        if !matches!(pattern.kind(), "identifier" | "object_pattern" | "array_pattern" | "this") {
            return;
        }
        let to = self.b.node();
        let text = self.b.text(pattern);
        let name = if pattern.kind() == "identifier" { text } else { "" };
        if let Some(default) = default {
            let default = self.expr(default);
            self.b.copy(default, to);
        }
        if let Some(of) = node.child_by_field_name("type") {
            self.typed(of, to);
        }
        if name.is_empty() {
            self.declare_pattern(pattern);
            self.assign(pattern, to);
        } else {
            self.b.declare_as(name, to);
        }
        if is_field {
            let this = self.b.around.this;
            self.b.set(this, name, to);
        }
        let name = self.b.name(name);
        if let Some(function) = self.b.function_mut(number) {
            if rest {
                function.rest = to;
            } else {
                function.params.push((name, to));
            }
        }
    }

    pub(super) fn class(&mut self, node: Node<'p>, symbol: Option<u32>) -> u32 {
        let mut bases = Vec::new();
        for part in children(node) {
            match part.kind() {
                "class_heritage" => {
                    for inner in children(part) {
                        match inner.kind() {
                            "extends_clause" => {
                                let base = inner.child_by_field_name("value");
                                bases.extend(base.map(|base| self.expr(base)));
                            }
                            "implements_clause" => {}
                            _ => bases.push(self.expr(inner)),
                        }
                    }
                }
                "decorator" => {
                    part.named_child(0).map(|inner| self.expr(inner));
                }
                _ => {}
            }
        }
        let (number, value) = self.b.class(Class { symbol, bases, ..Class::default() });
        let outer = self.b.around;
        let this = self.b.node();
        self.b.op(Op::Typed { of: value, declared: false, to: this });
        self.b.around = Around {
            caller: symbol.or(outer.caller),
            function: None,
            class: Some(number),
            this,
            depth: outer.depth,
        };
        self.b.enter(ScopeKind::Lexical);
        if let Some(name) = node.child_by_field_name("name") {
            self.b.declare_as(self.b.text(name), value);
        }
        for part in node.child_by_field_name("body").map(children).unwrap_or_default() {
            self.class_member(number, value, part);
        }
        self.b.leave();
        self.b.around = outer;
        value
    }

    fn class_member(&mut self, class: u32, of: u32, node: Node<'p>) {
        let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("property"));
        let (value, name) = match (node.kind(), name) {
            ("method_definition", Some(name)) => {
                let kind = match (has(node, "static"), has(node, "get")) {
                    (true, _) => FunctionKind::OfClass,
                    (false, true) => FunctionKind::Getter,
                    _ => FunctionKind::Plain,
                };
                let symbol = self.b.symbol(name);
                let value = self.function(node, symbol, kind);
                if has(node, "set") {
                    let setter = format!("set {}", self.b.text(name));
                    let setter = self.b.name(&setter);
                    if let Some(class) = self.b.class_mut(class) {
                        class.members.push((setter, value));
                    }
                    return;
                }
                (value, name)
            }
            ("field_definition" | "public_field_definition", Some(name)) => {
                let outer = self.b.around.this;
                if has(node, "static") {
                    self.b.around.this = of;
                }
                let mut value =
                    node.child_by_field_name("value").map_or(0, |value| self.value_named(value, name));
                self.b.around.this = outer;
                if let Some(of) = node.child_by_field_name("type") {
                    value = self.b.join(&[value]);
                    self.typed(of, value);
                }
                (value, name)
            }
            ("decorator", _) => {
                node.named_child(0).map(|inner| self.expr(inner));
                return;
            }
            _ => return self.statement(node),
        };
        let name = self.b.name(unquoted(self.b.text(name)));
        if value == 0 {
            return;
        }
        if let Some(class) = self.b.class_mut(class) {
            if has(node, "static") {
                class.statics.push((name, value));
            } else {
                class.members.push((name, value));
            }
        }
    }

    /// A declared type: the class, or the classes of a union.
    pub(super) fn typed(&mut self, of: Node<'p>, to: u32) {
        let mut left = vec![of];
        while let Some(node) = left.pop() {
            match node.kind() {
                "type_annotation" | "union_type" | "parenthesized_type" | "readonly_type" => {
                    left.extend(children(node));
                }
                "type_identifier" => {
                    if let Some(of) = self.b.find(self.b.text(node)) {
                        self.b.op(Op::Typed { of, declared: true, to });
                    }
                }
                "generic_type" => left.extend(node.child_by_field_name("name")),
                _ => {}
            }
        }
    }
}

/// A part of a statement that holds others.
fn is_part(kind: &str) -> bool {
    matches!(kind, "switch_case" | "switch_default" | "class_body" | "program")
}

pub(super) fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`'])
}
