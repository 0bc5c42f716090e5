//! How values move through a file of Python.

use super::build::{Around, Builder, ScopeKind, children, fields};
use super::{Arg, ArgKind, CallForm, Class, Function, FunctionKind, Op, Values};
use crate::facts::Facts;
use crate::parse::Parsed;
use tree_sitter::Node;

pub(super) fn read(parsed: &Parsed, facts: &Facts) -> Values {
    // A function that assigns to variables around it may do so between any two lines.
    let text = &parsed.source.text;
    let straight = !text.contains("global ") && !text.contains("nonlocal ");
    let mut reader = Reader { b: Builder::new(parsed, facts), straight, may_be_straight: straight };
    let root = parsed.tree.root_node();
    reader.b.enter(ScopeKind::Lexical);
    reader.declare_names(root);
    reader.block(root);
    for (name, node) in reader.b.scope() {
        let name = reader.b.name(&name);
        reader.b.values.exports.push((name, node));
    }
    reader.b.values
}

pub(super) struct Reader<'p> {
    pub(super) b: Builder<'p>,
    /// What is read is run once, in the order of the text.
    pub(super) straight: bool,
    may_be_straight: bool,
}

impl<'p> Reader<'p> {
    // What a scope declares.

    /// Declares the names that a body assigns, without those of functions and classes inside it.
    fn declare_names(&mut self, body: Node<'p>) {
        let (mut names, mut elsewhere) = (Vec::new(), Vec::new());
        let mut left = children(body);
        while let Some(node) = left.pop() {
            match node.kind() {
                "function_definition" | "class_definition" => names.extend(node.child_by_field_name("name")),
                "lambda"
                | "list_comprehension"
                | "set_comprehension"
                | "dictionary_comprehension"
                | "generator_expression" => {}
                "global_statement" | "nonlocal_statement" => {
                    let global = node.kind() == "global_statement";
                    elsewhere.extend(children(node).into_iter().map(|name| (self.b.text(name), global)));
                }
                "assignment" | "for_statement" | "augmented_assignment" => {
                    targets(node.child_by_field_name("left"), &mut names);
                    left.extend(children(node));
                }
                "named_expression" => {
                    names.extend(node.child_by_field_name("name"));
                    left.extend(children(node));
                }
                "as_pattern_target" => targets(node.named_child(0), &mut names),
                "import_statement" | "import_from_statement" => {
                    for (_, alias, _) in self.imported(node) {
                        self.b.declare(alias);
                    }
                }
                _ => left.extend(children(node)),
            }
        }
        for name in names {
            let text = self.b.text(name);
            if elsewhere.iter().all(|(other, _)| *other != text) {
                self.b.declare(text);
            }
        }
        for (name, global) in elsewhere {
            let node = if global { self.b.declare_global(name) } else { self.b.resolve(name) };
            self.b.declare_as(name, node);
        }
    }

    /// What an import statement imports, the names that it gives, and whether they are others than the module's.
    fn imported(&self, node: Node<'p>) -> Vec<(&'p str, &'p str, bool)> {
        fields(node, "name")
            .into_iter()
            .map(|name| {
                if let Some(alias) = name.child_by_field_name("alias") {
                    let module = name.child_by_field_name("name").map_or("", |name| self.b.text(name));
                    return (module, self.b.text(alias), true);
                }
                let text = self.b.text(name);
                // `import a.b` makes `a` known.
                (text, text.split('.').next().unwrap_or(text), false)
            })
            .collect()
    }

    // Statements.

    fn block(&mut self, node: Node<'p>) {
        for child in children(node) {
            self.statement(child);
        }
    }

    pub(super) fn statement(&mut self, node: Node<'p>) {
        let compound = matches!(
            node.kind(),
            "if_statement"
                | "for_statement"
                | "while_statement"
                | "try_statement"
                | "match_statement"
                | "with_statement"
        );
        let outer = self.straight;
        if compound {
            self.straight = false;
            self.b.holds_anything();
        }
        if self.b.deeper() {
            self.statement_inner(node);
        }
        self.b.shallower();
        self.straight = outer;
    }

    fn statement_inner(&mut self, node: Node<'p>) {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "function_definition" => {
                let value = self.function(node, FunctionKind::Plain);
                self.bind_name(field("name"), value);
            }
            "class_definition" => {
                let value = self.class(node);
                self.bind_name(field("name"), value);
            }
            "decorated_definition" => self.decorated(node),
            "return_statement" => {
                let value = node.named_child(0).map_or(0, |value| self.expr(value));
                let returns = self.b.current().map_or(0, |function| function.returns);
                self.b.copy(value, returns);
            }
            "for_statement" => {
                if let (Some(left), Some(right)) = (field("left"), field("right")) {
                    let of = self.expr(right);
                    let value = self.b.iterate(of, right);
                    self.assign(left, value);
                }
                for part in ["body", "alternative"].iter().filter_map(|name| field(name)) {
                    self.statement(part);
                }
            }
            "with_statement" => {
                for part in children(node) {
                    match part.kind() {
                        "with_clause" => {
                            for item in children(part) {
                                self.with_item(item);
                            }
                        }
                        _ => self.statement(part),
                    }
                }
            }
            "except_clause" | "except_group_clause" => self.except(node),
            "raise_statement" => {
                for (at, part) in children(node).into_iter().enumerate() {
                    let value = self.expr(part);
                    if at == 0 && part.kind() != "call" {
                        let site = self.b.site(part, "");
                        self.b.call(value, Vec::new(), site, CallForm::New);
                    }
                }
            }
            "import_statement" => {
                for (module, alias, renamed) in self.imported(node) {
                    let to = self.b.resolve(alias);
                    self.b.forget(alias);
                    let (module, name) = (self.b.name(if renamed { module } else { alias }), 0);
                    self.b.op(Op::Import { module, name, to });
                }
            }
            "import_from_statement" => self.import_from(node),
            "global_statement" | "nonlocal_statement" | "comment" => {}
            "type_alias_statement" => {}
            kind if EXPRESSIONS.contains(&kind) => {
                self.expr(node);
            }
            _ => self.block(node),
        }
    }

    fn import_from(&mut self, node: Node<'p>) {
        let module = node.child_by_field_name("module_name").map_or("", |module| self.b.text(module));
        let module = module.replace(char::is_whitespace, "");
        let module = self.b.name(&module);
        for (name, alias, _) in self.imported(node) {
            let (name, to) = (self.b.name(name), self.b.resolve(alias));
            self.b.forget(alias);
            self.b.op(Op::Import { module, name, to });
        }
        if children(node).iter().any(|child| child.kind() == "wildcard_import") {
            self.b.op(Op::ImportAll { module });
        }
    }

    /// `with value as name`: what is entered is what the name stands for.
    fn with_item(&mut self, item: Node<'p>) {
        let Some(mut value) = item.child_by_field_name("value").or_else(|| item.named_child(0)) else {
            return;
        };
        let mut alias = None;
        if value.kind() == "as_pattern" {
            alias = value.child_by_field_name("alias");
            let Some(inner) = value.named_child(0) else { return };
            value = inner;
        }
        let of = self.expr(value);
        let mut entered = 0;
        for (enter, exit) in [("__enter__", "__exit__"), ("__aenter__", "__aexit__")] {
            let method = self.b.get(of, enter, value);
            let site = self.b.site(value, "");
            let result = self.b.call(method, Vec::new(), site, CallForm::Plain);
            let result = self.b.await_on(result);
            entered = self.b.join(&[entered, result]);
            let method = self.b.get(of, exit, value);
            self.b.call(method, Vec::new(), site, CallForm::Plain);
        }
        if let Some(target) = alias.and_then(|alias| alias.named_child(0)) {
            self.assign(target, entered);
        }
    }

    fn except(&mut self, node: Node<'p>) {
        for part in children(node) {
            if part.kind() != "as_pattern" {
                self.statement(part);
                continue;
            }
            let Some(class) = part.named_child(0) else { continue };
            let of = match class.kind() {
                "tuple" => {
                    let all: Vec<u32> = children(class).into_iter().map(|class| self.expr(class)).collect();
                    self.b.join(&all)
                }
                _ => self.expr(class),
            };
            let to = self.b.node();
            self.b.op(Op::Typed { of, declared: false, to });
            if let Some(target) = part.child_by_field_name("alias").and_then(|alias| alias.named_child(0)) {
                self.assign(target, to);
            }
        }
    }

    pub(super) fn bind_name(&mut self, name: Option<Node<'p>>, value: u32) {
        if let Some(name) = name {
            let name = self.b.text(name);
            let to = self.b.resolve(name);
            self.b.copy(value, to);
            self.b.forget(name);
        }
    }

    fn decorated(&mut self, node: Node<'p>) {
        let Some(definition) = node.child_by_field_name("definition") else { return };
        let mut decorators = children(node);
        decorators.retain(|child| child.kind() == "decorator");
        let mut kind = FunctionKind::Plain;
        let mut called = Vec::new();
        for decorator in decorators {
            let Some(inner) = decorator.named_child(0) else { continue };
            match self.b.text(inner) {
                "staticmethod" => kind = FunctionKind::Static,
                "classmethod" => kind = FunctionKind::OfClass,
                "property" | "cached_property" | "functools.cached_property" | "abc.abstractproperty" => {
                    kind = FunctionKind::Getter;
                }
                // `@name.setter`: the name is the getter.
                text if text.ends_with(".setter") || text.ends_with(".deleter") => {
                    self.function(definition, FunctionKind::Plain);
                    return;
                }
                _ => {
                    let callee = self.expr(inner);
                    let site =
                        if inner.kind() == "call" { self.b.site(inner, "") } else { self.call_site(inner) };
                    called.push((callee, site));
                }
            }
        }
        let mut value = if definition.kind() == "class_definition" {
            self.class(definition)
        } else {
            self.function(definition, kind)
        };
        for (callee, site) in called.into_iter().rev() {
            let args = vec![Arg { kind: ArgKind::Positional, node: value }];
            let result = self.b.call(callee, args, site, CallForm::Decorator);
            value = if result == 0 { value } else { result };
        }
        self.bind_name(definition.child_by_field_name("name"), value);
    }

    pub(super) fn function(&mut self, node: Node<'p>, kind: FunctionKind) -> u32 {
        let name = node.child_by_field_name("name");
        let symbol = name.and_then(|name| self.b.symbol(name));
        let is_async = node.child(0).is_some_and(|first| first.kind() == "async");
        let class = self.b.around.class.filter(|_| self.b.around.function.is_none());
        let (returns, yields) = (self.b.node(), self.b.node());
        let made = Function { symbol, kind, is_async, class, returns, yields, ..Function::default() };
        let (number, value) = self.b.function(made);
        if let Some(of) = node.child_by_field_name("return_type") {
            self.typed(of, returns);
        }
        // A function inside a method sees the class for `super()`.
        let outer = self.b.around;
        let parameters = node.child_by_field_name("parameters");
        let mut given = parameters.map_or_else(Vec::new, |list| self.defaults(list));
        self.b.enter(ScopeKind::Lexical);
        for (name, kind, default, of) in given.drain(..) {
            let to = self.b.declare(name);
            self.b.copy(default, to);
            let name = self.b.name(name);
            if let Some(of) = of {
                self.typed(of, to);
            }
            let Some(function) = self.b.function_mut(number) else { continue };
            match kind {
                "list_splat_pattern" => function.rest = to,
                "dictionary_splat_pattern" => function.keywords = to,
                _ => function.params.push((name, to)),
            }
        }
        let first = self.b.function_mut(number).and_then(|f| f.params.first().map(|(_, node)| *node));
        let this = if class.is_some() { first.unwrap_or(0) } else { outer.this };
        self.b.around = Around {
            caller: symbol.or(outer.caller),
            function: Some(number),
            class: outer.class,
            this,
            depth: outer.depth,
        };
        if let Some(body) = node.child_by_field_name("body") {
            let straight = std::mem::replace(&mut self.straight, self.may_be_straight);
            if node.kind() == "lambda" {
                let value = self.expr(body);
                self.b.copy(value, returns);
            } else {
                self.declare_names(body);
                self.block(body);
            }
            self.straight = straight;
        }
        self.b.leave();
        self.b.around = outer;
        value
    }

    /// The parameters of a list: name, kind, the node of the default, the declared type.
    fn defaults(&mut self, list: Node<'p>) -> Vec<(&'p str, &'static str, u32, Option<Node<'p>>)> {
        let mut found = Vec::new();
        for part in children(list) {
            let default = part.child_by_field_name("value").map_or(0, |value| self.expr(value));
            let of = part.child_by_field_name("type");
            let inner = part.child_by_field_name("name").or_else(|| match part.kind() {
                "identifier" => Some(part),
                _ => part.named_child(0),
            });
            let Some(mut name) = inner else { continue };
            let mut kind = part.kind();
            if matches!(name.kind(), "list_splat_pattern" | "dictionary_splat_pattern") {
                kind = name.kind();
                name = name.named_child(0).unwrap_or(name);
            }
            if name.kind() == "identifier" {
                found.push((self.b.text(name), kind, default, of));
            }
        }
        found
    }

    fn class(&mut self, node: Node<'p>) -> u32 {
        let symbol = node.child_by_field_name("name").and_then(|name| self.b.symbol(name));
        let mut bases = Vec::new();
        for base in node.child_by_field_name("superclasses").map(children).unwrap_or_default() {
            match base.kind() {
                "keyword_argument" => {
                    base.child_by_field_name("value").map(|value| self.expr(value));
                }
                // `Generic[T]`
                "subscript" => {
                    bases.push(base.child_by_field_name("value").map_or(0, |value| self.expr(value)));
                }
                _ => bases.push(self.expr(base)),
            }
        }
        let (number, value) = self.b.class(Class { symbol, bases, ..Class::default() });
        let outer = self.b.around;
        self.b.around = Around {
            caller: symbol.or(outer.caller),
            function: None,
            class: Some(number),
            this: 0,
            depth: outer.depth,
        };
        self.b.enter(ScopeKind::Class);
        if let Some(body) = node.child_by_field_name("body") {
            self.declare_names(body);
            self.block(body);
        }
        for (name, member) in self.b.scope() {
            let name = self.b.name(&name);
            if let Some(class) = self.b.class_mut(number) {
                class.members.push((name, member));
            }
        }
        self.b.leave();
        self.b.around = outer;
        value
    }

    /// A declared type: the class, or the classes of a union. What holds others says nothing.
    pub(super) fn typed(&mut self, of: Node<'p>, to: u32) {
        let mut left = vec![of];
        while let Some(node) = left.pop() {
            match node.kind() {
                "type" => left.extend(children(node)),
                "identifier" | "attribute" => {
                    let of = self.expr(node);
                    self.b.op(Op::Typed { of, declared: true, to });
                }
                "string" => {
                    let text = self.b.text(node).trim_matches(['"', '\'']);
                    if !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_') {
                        let of = self.b.resolve(text);
                        self.b.op(Op::Typed { of, declared: true, to });
                    }
                }
                "binary_operator" | "union_type" => left.extend(children(node)),
                "generic_type" | "subscript" => {
                    let parts = children(node);
                    let head = parts.first().map_or("", |head| self.b.text(*head));
                    if matches!(head.rsplit('.').next(), Some("Optional" | "Union" | "Annotated")) {
                        left.extend(parts.into_iter().skip(1));
                    } else {
                        left.extend(parts.into_iter().take(1));
                    }
                }
                "type_parameter" => left.extend(children(node)),
                _ => {}
            }
        }
    }
}

/// The names in a target of an assignment.
pub(super) fn targets<'t>(target: Option<Node<'t>>, names: &mut Vec<Node<'t>>) {
    let mut left: Vec<Node<'t>> = target.into_iter().collect();
    while let Some(node) = left.pop() {
        match node.kind() {
            "identifier" => names.push(node),
            "attribute" | "subscript" => {}
            _ => left.extend(children(node)),
        }
    }
}

/// Kinds of nodes that are values.
const EXPRESSIONS: [&str; 30] = [
    "identifier", "attribute", "call", "assignment", "augmented_assignment", "subscript", "string",
    "concatenated_string", "integer", "list", "tuple", "set", "expression_list", "dictionary",
    "list_comprehension", "set_comprehension", "generator_expression", "dictionary_comprehension", "lambda",
    "conditional_expression", "boolean_operator", "binary_operator", "unary_operator", "not_operator",
    "comparison_operator", "named_expression", "await", "yield", "parenthesized_expression", "list_splat",
];
