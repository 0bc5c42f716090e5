//! What a node declares: its name, its kind, the type it belongs to, where its head ends.

use super::gather::Enclosing;
use crate::facts::SymbolKind;
use crate::language::Language;
use crate::parse::Parsed;
use tree_sitter::Node;

/// A declaration.
pub(super) struct Declared<'t> {
    /// Its name.
    pub name: String,
    /// The node of the name: its line is the symbol's line.
    pub at: Node<'t>,
    /// What it is.
    pub kind: SymbolKind,
    /// The type that it says it belongs to, when it is not written inside it.
    pub container: Option<String>,
    /// The byte where its head ends.
    pub head_end: usize,
}

/// What the node declares. More than one only where one statement names several.
pub(super) fn of<'t>(parsed: &Parsed, node: Node<'t>, enclosing: Enclosing) -> Vec<Declared<'t>> {
    let one = match parsed.language {
        Language::Python => python(parsed, node, enclosing),
        Language::TypeScript | Language::Tsx | Language::JavaScript => script(parsed, node, enclosing),
        Language::Rust => rust(parsed, node, enclosing),
        Language::Go => return go(parsed, node, enclosing),
        Language::Java => java(parsed, node),
        Language::C | Language::Cpp => c(parsed, node, enclosing),
        Language::CSharp => csharp(parsed, node),
        Language::Ruby => ruby(parsed, node, enclosing),
        Language::Php => php(parsed, node),
        Language::Bash => named(parsed, node, SymbolKind::Function),
        Language::Lua => lua(parsed, node, enclosing),
        Language::Kotlin | Language::Swift | Language::Scala | Language::Elixir | Language::Zig => None,
    };
    one.into_iter().collect()
}

/// A declaration with the usual fields.
fn named<'t>(parsed: &Parsed, node: Node<'t>, kind: SymbolKind) -> Option<Declared<'t>> {
    let at = node.child_by_field_name("name")?;
    Some(declared(parsed, node, at, kind))
}

fn declared<'t>(parsed: &Parsed, node: Node<'t>, at: Node<'t>, kind: SymbolKind) -> Declared<'t> {
    Declared {
        name: clean(parsed.text(at)),
        at,
        kind,
        container: None,
        head_end: node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte()),
    }
}

/// A name without quotes, on one line.
pub(crate) fn clean(name: &str) -> String {
    let name = name.trim_matches(['"', '\'', '`']);
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A value of a module; in upper case it is a constant.
pub(crate) fn value(name: &str) -> SymbolKind {
    let upper = name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(|c| c.is_ascii_lowercase());
    if upper { SymbolKind::Constant } else { SymbolKind::Variable }
}

fn python<'t>(parsed: &Parsed, node: Node<'t>, enclosing: Enclosing) -> Option<Declared<'t>> {
    match node.kind() {
        "function_definition" => named(parsed, node, SymbolKind::Function),
        "class_definition" => named(parsed, node, SymbolKind::Class),
        "type_alias_statement" => {
            // `type(self).limit = 3` looks like one to the grammar.
            let at = node
                .child_by_field_name("left")
                .filter(|left| !parsed.text(*left).starts_with(['(', '[']))?;
            Some(declared(parsed, node, at, SymbolKind::Type))
        }
        _ => {
            let at = node.child_by_field_name("left").filter(|left| left.kind() == "identifier")?;
            if enclosing.in_function || enclosing.in_type {
                return None;
            }
            let right = node.child_by_field_name("right");
            let lambda = right.filter(|right| right.kind() == "lambda");
            match lambda {
                Some(lambda) => {
                    let mut made = declared(parsed, node, at, SymbolKind::Function);
                    made.head_end =
                        lambda.child_by_field_name("body").map_or(made.head_end, |body| body.start_byte());
                    Some(made)
                }
                None => Some(declared(parsed, node, at, value(parsed.text(at)))),
            }
        }
    }
}

/// The value of a declarator that is a function or a class.
fn function_value(value: Option<Node<'_>>) -> Option<(Node<'_>, SymbolKind)> {
    let mut value = value?;
    // `memo(() => …)`, `useCallback(async () => …)`: what is wrapped is what is meant.
    if value.kind() == "call_expression"
        && let Some(list) = value.child_by_field_name("arguments")
        && let Some(first) = list.named_children(&mut list.walk()).find(|child| !child.is_extra())
        && matches!(first.kind(), "arrow_function" | "function_expression")
    {
        value = first;
    }
    match value.kind() {
        "arrow_function" | "function_expression" | "generator_function" | "function" => {
            Some((value, SymbolKind::Function))
        }
        "class" => Some((value, SymbolKind::Class)),
        _ => None,
    }
}

fn script<'t>(parsed: &Parsed, node: Node<'t>, enclosing: Enclosing) -> Option<Declared<'t>> {
    let with_value = |at: Node<'t>, field: &str| {
        let (value, kind) = function_value(node.child_by_field_name(field))?;
        let mut made = declared(parsed, node, at, kind);
        made.head_end = value.child_by_field_name("body").map_or(made.head_end, |body| body.start_byte());
        Some(made)
    };
    match node.kind() {
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            named(parsed, node, SymbolKind::Function)
        }
        "class_declaration" | "abstract_class_declaration" => named(parsed, node, SymbolKind::Class),
        "method_definition" | "method_signature" | "abstract_method_signature" => {
            named(parsed, node, SymbolKind::Method)
        }
        "interface_declaration" => named(parsed, node, SymbolKind::Interface),
        "type_alias_declaration" => {
            let mut made = named(parsed, node, SymbolKind::Type)?;
            made.head_end =
                node.child_by_field_name("value").map_or(made.head_end, |value| value.start_byte());
            Some(made)
        }
        "enum_declaration" => named(parsed, node, SymbolKind::Enum),
        "internal_module" | "module" => named(parsed, node, SymbolKind::Module),
        "variable_declarator" => {
            let at = node.child_by_field_name("name").filter(|name| name.kind() == "identifier")?;
            with_value(at, "value").or_else(|| {
                (!enclosing.in_function && !enclosing.in_type)
                    .then(|| declared(parsed, node, at, value(parsed.text(at))))
            })
        }
        // A field is part of what a type offers; one that holds a function is a function.
        "public_field_definition" | "field_definition" => {
            let at = node.child_by_field_name("name").or_else(|| node.child_by_field_name("property"))?;
            with_value(at, "value").or_else(|| Some(declared(parsed, node, at, value(parsed.text(at)))))
        }
        "pair" => {
            let key = node.child_by_field_name("key").filter(|key| key.kind() != "computed_property_name")?;
            with_value(key, "value")
        }
        // `exports.pay = function`, `Cart.prototype.pay = …`
        "assignment_expression" => {
            let left = node.child_by_field_name("left")?;
            let at = match left.kind() {
                "member_expression" => left.child_by_field_name("property")?,
                "identifier" => left,
                _ => return None,
            };
            let mut made = with_value(at, "right")?;
            let object = left.child_by_field_name("object").map_or("", |object| parsed.text(object));
            made.container = object.strip_suffix(".prototype").map(str::to_owned);
            Some(made)
        }
        // `export default function () {}`
        _ => {
            let value = node.child_by_field_name("value")?;
            let (value, kind) = function_value(Some(value))?;
            Some(Declared {
                name: "default".to_owned(),
                at: value,
                kind,
                container: None,
                head_end: value
                    .child_by_field_name("body")
                    .map_or(value.end_byte(), |body| body.start_byte()),
            })
        }
    }
}

fn rust<'t>(parsed: &Parsed, node: Node<'t>, enclosing: Enclosing) -> Option<Declared<'t>> {
    let kind = match node.kind() {
        "function_item" | "function_signature_item" => SymbolKind::Function,
        "struct_item" | "union_item" => SymbolKind::Struct,
        "enum_item" => SymbolKind::Enum,
        "trait_item" => SymbolKind::Trait,
        "mod_item" => {
            // `mod name;` is where a file is named, not what is in it.
            node.child_by_field_name("body")?;
            SymbolKind::Module
        }
        "const_item" | "static_item" => {
            if enclosing.in_function {
                return None;
            }
            SymbolKind::Constant
        }
        "type_item" | "associated_type" => SymbolKind::Type,
        "macro_definition" => SymbolKind::Macro,
        _ => {
            let at = node.child_by_field_name("type")?;
            let mut made = declared(parsed, node, at, SymbolKind::Impl);
            made.name = super::types::base(parsed.text(at));
            return Some(made);
        }
    };
    let mut made = named(parsed, node, kind)?;
    if kind == SymbolKind::Macro {
        made.head_end = made.at.end_byte();
    }
    Some(made)
}

fn go<'t>(parsed: &Parsed, node: Node<'t>, enclosing: Enclosing) -> Vec<Declared<'t>> {
    let kind = match node.kind() {
        "function_declaration" => SymbolKind::Function,
        "method_declaration" | "method_elem" => SymbolKind::Method,
        "type_alias" => SymbolKind::Type,
        "type_spec" => match node.child_by_field_name("type").map(|inner| inner.kind()) {
            Some("struct_type") => SymbolKind::Struct,
            Some("interface_type") => SymbolKind::Interface,
            _ => SymbolKind::Type,
        },
        kind => {
            if enclosing.in_function {
                return Vec::new();
            }
            let kind = if kind == "const_spec" { SymbolKind::Constant } else { SymbolKind::Variable };
            let mut cursor = node.walk();
            return node
                .children_by_field_name("name", &mut cursor)
                .filter(|name| name.kind() == "identifier" && parsed.text(*name) != "_")
                .map(|at| declared(parsed, node, at, kind))
                .collect();
        }
    };
    let Some(mut made) = named(parsed, node, kind) else { return Vec::new() };
    if node.kind() == "type_spec"
        && let Some(inner) = node.child_by_field_name("type")
        && matches!(inner.kind(), "struct_type" | "interface_type")
    {
        made.head_end = inner.start_byte() + inner.kind().trim_end_matches("_type").len();
    }
    if let Some(receiver) = node.child_by_field_name("receiver") {
        let of = receiver.named_child(0).and_then(|receiver| receiver.child_by_field_name("type"));
        made.container = of.map(|of| super::types::base(parsed.text(of)));
    }
    vec![made]
}

fn java<'t>(parsed: &Parsed, node: Node<'t>) -> Option<Declared<'t>> {
    let kind = match node.kind() {
        "class_declaration" => SymbolKind::Class,
        "interface_declaration" | "annotation_type_declaration" => SymbolKind::Interface,
        "enum_declaration" => SymbolKind::Enum,
        "record_declaration" => SymbolKind::Struct,
        "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => {
            SymbolKind::Method
        }
        kind => {
            let modifiers = node.named_child(0).filter(|child| child.kind() == "modifiers");
            let modifiers = modifiers.map_or("", |modifiers| parsed.text(modifiers));
            let constant = modifiers.contains("static") && modifiers.contains("final");
            if !constant && kind == "field_declaration" {
                return None;
            }
            let at = node.child_by_field_name("declarator")?.child_by_field_name("name")?;
            return Some(declared(parsed, node, at, SymbolKind::Constant));
        }
    };
    named(parsed, node, kind)
}

/// The name at the end of a chain of declarators, and whether it is that of a function.
fn declarator(mut node: Node<'_>) -> Option<(Node<'_>, bool)> {
    let mut function = false;
    // A chain is as long as the stars and brackets of a type.
    for _ in 0..64 {
        match node.kind() {
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "destructor_name"
            | "operator_name"
            | "operator_cast" => return Some((node, function)),
            "function_declarator" => {
                let inner = node.child_by_field_name("declarator")?;
                // `int (*name)(void)` is a variable.
                if inner.kind() == "parenthesized_declarator" {
                    return None;
                }
                function = true;
                node = inner;
            }
            "template_function" | "template_method" => node = node.child_by_field_name("name")?,
            _ => {
                node = node.child_by_field_name("declarator").or_else(|| {
                    let mut cursor = node.walk();
                    let mut found = None;
                    for child in node.named_children(&mut cursor) {
                        if child.kind().ends_with("declarator") || child.kind().ends_with("identifier") {
                            found = Some(child);
                        }
                    }
                    found
                })?;
            }
        }
    }
    None
}

fn c<'t>(parsed: &Parsed, node: Node<'t>, enclosing: Enclosing) -> Option<Declared<'t>> {
    let kind = match node.kind() {
        "function_definition" | "declaration" | "field_declaration" => {
            let (at, function) = declarator(node.child_by_field_name("declarator")?)?;
            if !function || (enclosing.in_function && node.kind() != "function_definition") {
                return None;
            }
            let mut made = declared(parsed, node, at, SymbolKind::Function);
            if let Some((container, name)) = made.name.clone().rsplit_once("::") {
                made.container = container.rsplit("::").next().map(super::types::base);
                name.clone_into(&mut made.name);
                made.kind = SymbolKind::Method;
            }
            // `Cart() : total(0) {}`: what is set there is no part of the head.
            let mut cursor = node.walk();
            if let Some(list) =
                node.named_children(&mut cursor).find(|c| c.kind() == "field_initializer_list")
            {
                made.head_end = list.start_byte();
            }
            return Some(made);
        }
        "struct_specifier" | "union_specifier" => SymbolKind::Struct,
        "enum_specifier" => SymbolKind::Enum,
        "class_specifier" => SymbolKind::Class,
        "type_definition" => {
            let inner = node.child_by_field_name("declarator")?;
            let (at, _) = declarator(inner)?;
            let mut made = declared(parsed, node, at, SymbolKind::Type);
            if let Some(body) = node.child_by_field_name("type").and_then(|t| t.child_by_field_name("body")) {
                made.head_end = body.start_byte();
            }
            return Some(made);
        }
        "alias_declaration" => SymbolKind::Type,
        "concept_definition" => SymbolKind::Trait,
        "namespace_definition" => SymbolKind::Module,
        "preproc_def" => {
            // `#define GUARD_H` has no value: it is how a header keeps itself from being read twice.
            node.child_by_field_name("value")?;
            SymbolKind::Constant
        }
        _ => SymbolKind::Macro,
    };
    if matches!(kind, SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Class) {
        // Without a body it is only spoken of.
        node.child_by_field_name("body")?;
    }
    let mut made = named(parsed, node, kind)?;
    if kind == SymbolKind::Macro {
        made.head_end = node.child_by_field_name("parameters").map_or(made.head_end, |list| list.end_byte());
    }
    Some(made)
}

fn csharp<'t>(parsed: &Parsed, node: Node<'t>) -> Option<Declared<'t>> {
    let kind = match node.kind() {
        "class_declaration" => SymbolKind::Class,
        "interface_declaration" => SymbolKind::Interface,
        "struct_declaration" | "record_declaration" => SymbolKind::Struct,
        "enum_declaration" => SymbolKind::Enum,
        "delegate_declaration" => SymbolKind::Type,
        "method_declaration" | "constructor_declaration" | "destructor_declaration" => SymbolKind::Method,
        "local_function_statement" => SymbolKind::Function,
        "namespace_declaration" | "file_scoped_namespace_declaration" => SymbolKind::Module,
        "property_declaration" => {
            let mut made = named(parsed, node, SymbolKind::Property)?;
            let body = node.child_by_field_name("accessors").or_else(|| node.child_by_field_name("value"));
            made.head_end = body.map_or(made.head_end, |body| body.start_byte());
            return Some(made);
        }
        "operator_declaration" | "conversion_operator_declaration" => {
            let at = node.child_by_field_name("operator").or_else(|| node.child_by_field_name("type"))?;
            let mut made = declared(parsed, node, at, SymbolKind::Method);
            made.name = format!("operator {}", made.name);
            return Some(made);
        }
        "indexer_declaration" => {
            let mut made =
                declared(parsed, node, node.child_by_field_name("parameters")?, SymbolKind::Property);
            "this[]".clone_into(&mut made.name);
            made.head_end = made.at.end_byte();
            return Some(made);
        }
        _ => {
            let mut cursor = node.walk();
            let words: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
            let constant =
                words.iter().any(|word| word.kind() == "modifier" && parsed.text(*word) == "const")
                    || ["static", "readonly"].iter().all(|wanted| {
                        words.iter().any(|word| word.kind() == "modifier" && parsed.text(*word) == *wanted)
                    });
            if !constant {
                return None;
            }
            let declaration = words.iter().find(|word| word.kind() == "variable_declaration")?;
            let mut cursor = declaration.walk();
            let declarator = declaration
                .named_children(&mut cursor)
                .find(|child| child.kind() == "variable_declarator")?;
            return Some(declared(
                parsed,
                node,
                declarator.child_by_field_name("name")?,
                SymbolKind::Constant,
            ));
        }
    };
    let mut made = named(parsed, node, kind)?;
    if node.kind() == "destructor_declaration" {
        made.name.insert(0, '~');
    }
    Some(made)
}

fn ruby<'t>(parsed: &Parsed, node: Node<'t>, enclosing: Enclosing) -> Option<Declared<'t>> {
    match node.kind() {
        "method" => {
            let mut made = named(parsed, node, SymbolKind::Function)?;
            made.head_end =
                node.child_by_field_name("parameters").map_or(made.at.end_byte(), |list| list.end_byte());
            Some(made)
        }
        "singleton_method" => {
            let mut made = named(parsed, node, SymbolKind::Method)?;
            made.head_end =
                node.child_by_field_name("parameters").map_or(made.at.end_byte(), |list| list.end_byte());
            Some(made)
        }
        "class" => {
            let mut made = named(parsed, node, SymbolKind::Class)?;
            made.head_end =
                node.child_by_field_name("superclass").map_or(made.at.end_byte(), |list| list.end_byte());
            Some(made)
        }
        "module" => {
            let mut made = named(parsed, node, SymbolKind::Module)?;
            made.head_end = made.at.end_byte();
            Some(made)
        }
        _ => {
            let at = node.child_by_field_name("left").filter(|left| left.kind() == "constant")?;
            (!enclosing.in_function).then(|| declared(parsed, node, at, SymbolKind::Constant))
        }
    }
}

fn php<'t>(parsed: &Parsed, node: Node<'t>) -> Option<Declared<'t>> {
    let kind = match node.kind() {
        "function_definition" => SymbolKind::Function,
        "method_declaration" => SymbolKind::Method,
        "class_declaration" => SymbolKind::Class,
        "interface_declaration" => SymbolKind::Interface,
        "trait_declaration" => SymbolKind::Trait,
        "enum_declaration" => SymbolKind::Enum,
        "namespace_definition" => SymbolKind::Module,
        _ => {
            let at = node.named_child(0).filter(|child| child.kind() == "name")?;
            return Some(declared(parsed, node, at, SymbolKind::Constant));
        }
    };
    named(parsed, node, kind)
}

/// `function Cart:add()`, `local function pay()`, `Cart.pay = function()`, `LIMIT = 10`, `{ pay = function() }`.
fn lua<'t>(parsed: &Parsed, node: Node<'t>, enclosing: Enclosing) -> Option<Declared<'t>> {
    let head = |function: Node<'t>| {
        let list = function.child_by_field_name("parameters");
        list.map_or(function.start_byte(), |list| list.end_byte())
    };
    match node.kind() {
        "function_declaration" => {
            let mut made = lua_name(parsed, node, node.child_by_field_name("name")?);
            made.head_end = head(node);
            Some(made)
        }
        "field" => {
            let value = node.child_by_field_name("value").filter(|v| v.kind() == "function_definition")?;
            let at = node.child_by_field_name("name").filter(|name| name.kind() == "identifier")?;
            let mut made = declared(parsed, node, at, SymbolKind::Function);
            made.head_end = head(value);
            Some(made)
        }
        _ => {
            let mut cursor = node.walk();
            let mut lists = node.named_children(&mut cursor);
            let name = lists.next()?.child_by_field_name("name")?;
            let value = lists.next().and_then(|list| list.child_by_field_name("value"));
            if let Some(function) = value.filter(|value| value.kind() == "function_definition") {
                let mut made = lua_name(parsed, node, name);
                made.head_end = head(function);
                return Some(made);
            }
            let top = !enclosing.in_function && name.kind() == "identifier";
            top.then(|| declared(parsed, node, name, self::value(parsed.text(name))))
        }
    }
}

/// A function by its name: `Cart.pay` and `Cart:pay` belong to `Cart`.
fn lua_name<'t>(parsed: &Parsed, node: Node<'t>, name: Node<'t>) -> Declared<'t> {
    let last = name.child_by_field_name("method").or_else(|| name.child_by_field_name("field"));
    let mut made = declared(parsed, node, last.unwrap_or(name), SymbolKind::Function);
    if let Some(table) = last.and_then(|_| name.child_by_field_name("table")) {
        made.kind = SymbolKind::Method;
        made.container = Some(super::types::base(parsed.text(table)));
    }
    made
}
