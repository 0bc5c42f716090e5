//! The imports of a file, one entry for each name.

use crate::facts::Import;
use crate::language::Language;
use crate::parse::Parsed;
use tree_sitter::Node;

/// The names that a node imports.
pub(super) fn of(parsed: &Parsed, node: Node<'_>) -> Vec<Import> {
    match parsed.language {
        Language::Python => python(parsed, node),
        Language::TypeScript | Language::Tsx | Language::JavaScript => script(parsed, node),
        Language::Rust => rust(parsed, node),
        Language::Go => go(parsed, node),
        Language::Java => java(parsed, node),
        Language::C | Language::Cpp => include(parsed, node),
        Language::CSharp => csharp(parsed, node),
        Language::Php => php(parsed, node),
        _ => Vec::new(),
    }
}

/// The most bytes of a module's name.
const LONGEST: usize = 1_000;

/// A module's name, within bounds: it is kept once for every name that comes from it.
pub(crate) fn module(name: &str) -> &str {
    if name.len() <= LONGEST {
        return name;
    }
    let end = (0..=LONGEST).rev().find(|end| name.is_char_boundary(*end)).unwrap_or(0);
    name.get(..end).unwrap_or_default()
}

fn import(node: Node<'_>, from: &str, name: &str, alias: &str) -> Import {
    Import {
        module: module(from).to_owned(),
        name: name.to_owned(),
        alias: alias.to_owned(),
        line: node.start_position().row as u32 + 1,
        public: false,
    }
}

fn unquoted<'a>(parsed: &'a Parsed, node: Node<'_>) -> &'a str {
    parsed.text(node).trim_matches(['"', '\'', '`', '<', '>'])
}

fn python(parsed: &Parsed, node: Node<'_>) -> Vec<Import> {
    let mut cursor = node.walk();
    let named = |name: Node<'_>| -> (String, String) {
        match name.child_by_field_name("alias") {
            Some(alias) => (
                name.child_by_field_name("name").map_or("", |name| parsed.text(name)).to_owned(),
                parsed.text(alias).to_owned(),
            ),
            None => (parsed.text(name).to_owned(), String::new()),
        }
    };
    let Some(module) = node.child_by_field_name("module_name") else {
        return node
            .children_by_field_name("name", &mut cursor)
            .map(|name| {
                let (module, alias) = named(name);
                let alias = if alias.is_empty() { module.clone() } else { alias };
                import(node, &module, "", &alias)
            })
            .collect();
    };
    let module = parsed.text(module).replace(char::is_whitespace, "");
    let mut found: Vec<Import> = node
        .children_by_field_name("name", &mut cursor)
        .map(|name| {
            let (name, alias) = named(name);
            let alias = if alias.is_empty() { name.clone() } else { alias };
            // What a package's own file imports, it re-exports.
            Import { public: true, ..import(node, &module, &name, &alias) }
        })
        .collect();
    let mut cursor = node.walk();
    if node.named_children(&mut cursor).any(|child| child.kind() == "wildcard_import") {
        found.push(Import { public: true, ..import(node, &module, "*", "") });
    }
    found
}

fn script(parsed: &Parsed, node: Node<'_>) -> Vec<Import> {
    let Some(source) = node.child_by_field_name("source") else { return Vec::new() };
    let module = unquoted(parsed, source);
    let mut found = Vec::new();
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        let mut inner = child.walk();
        match child.kind() {
            "import_clause" => {
                for part in child.named_children(&mut inner) {
                    match part.kind() {
                        "identifier" => found.push(import(node, module, "default", parsed.text(part))),
                        "namespace_import" => {
                            let alias = part.named_child(0).map_or("", |alias| parsed.text(alias));
                            found.push(import(node, module, "", alias));
                        }
                        _ => {
                            let mut list = part.walk();
                            for one in part.named_children(&mut list) {
                                found.extend(specifier(parsed, node, module, one, false));
                            }
                        }
                    }
                }
            }
            "export_clause" => {
                for one in child.named_children(&mut inner) {
                    found.extend(specifier(parsed, node, module, one, true));
                }
            }
            "namespace_export" => {
                let alias = child.named_child(0).map_or("", |alias| parsed.text(alias));
                found.push(Import { public: true, ..import(node, module, "", alias) });
            }
            _ => {}
        }
    }
    if found.is_empty() {
        let public = node.kind() == "export_statement";
        let name = if public { "*" } else { "" };
        found.push(Import { public, ..import(node, module, name, "") });
    }
    found
}

fn specifier(parsed: &Parsed, node: Node<'_>, module: &str, one: Node<'_>, public: bool) -> Option<Import> {
    let name = unquoted(parsed, one.child_by_field_name("name")?);
    let alias = one.child_by_field_name("alias").map_or(name, |alias| unquoted(parsed, alias));
    Some(Import { public, ..import(node, module, name, alias) })
}

/// `const { pay } = require("./cart")`, `const cart = require("./cart")`.
pub(super) fn required(parsed: &Parsed, node: Node<'_>) -> Vec<Import> {
    let required = || {
        let value = node.child_by_field_name("value").filter(|value| value.kind() == "call_expression")?;
        let function = value.child_by_field_name("function")?;
        let argument = value.child_by_field_name("arguments")?.named_child(0)?;
        (parsed.text(function) == "require" && argument.kind() == "string")
            .then(|| unquoted(parsed, argument))
    };
    let (Some(module), Some(name)) = (required(), node.child_by_field_name("name")) else {
        return Vec::new();
    };
    if name.kind() == "identifier" {
        return vec![import(node, module, "", parsed.text(name))];
    }
    let mut cursor = name.walk();
    name.named_children(&mut cursor)
        .filter_map(|part| match part.kind() {
            "shorthand_property_identifier_pattern" => {
                Some(import(node, module, parsed.text(part), parsed.text(part)))
            }
            "pair_pattern" => Some(import(
                node,
                module,
                parsed.text(part.child_by_field_name("key")?),
                parsed.text(part.child_by_field_name("value")?),
            )),
            _ => None,
        })
        .collect()
}

fn rust(parsed: &Parsed, node: Node<'_>) -> Vec<Import> {
    let Some(argument) = node.child_by_field_name("argument") else { return Vec::new() };
    let public = node.named_child(0).is_some_and(|first| first.kind() == "visibility_modifier");
    let mut found = Vec::new();
    // A tree of names, walked with a list of what is left.
    let mut left = vec![(String::new(), argument)];
    while let Some((path, node)) = left.pop() {
        if found.len() + left.len() > 10_000 {
            break;
        }
        let join = |tail: &str| match (path.as_str(), tail) {
            ("", tail) => tail.to_owned(),
            // `cart::{*}`
            (path, "") => path.to_owned(),
            (path, tail) => format!("{path}::{tail}"),
        };
        let mut cursor = node.walk();
        match node.kind() {
            "use_list" => {
                // A comment between the names is none of them.
                let children: Vec<Node<'_>> =
                    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect();
                left.extend(children.into_iter().rev().map(|child| (path.clone(), child)));
            }
            "scoped_use_list" => {
                let head = node.child_by_field_name("path").map_or("", |head| parsed.text(head));
                if let Some(list) = node.child_by_field_name("list") {
                    left.push((module(&join(head)).to_owned(), list));
                }
            }
            "use_wildcard" => {
                let head = node.named_child(0).map_or("", |head| parsed.text(head));
                found.push(Import { public, ..import(node, &join(head), "*", "") });
            }
            "use_as_clause" => {
                let whole = node.child_by_field_name("path").map_or("", |whole| parsed.text(whole));
                let alias = node.child_by_field_name("alias").map_or("", |alias| parsed.text(alias));
                // `cart::{self as shop}`
                let whole = if whole == "self" && !path.is_empty() { path } else { join(whole) };
                let (module, name) = whole.rsplit_once("::").unwrap_or(("", &whole));
                found.push(Import { public, ..import(node, module, name, alias) });
            }
            "self" => {
                let (module, name) = path.rsplit_once("::").unwrap_or(("", &path));
                found.push(Import { public, ..import(node, module, name, name) });
            }
            _ => {
                let whole = join(parsed.text(node));
                let (module, name) = whole.rsplit_once("::").unwrap_or(("", &whole));
                found.push(Import { public, ..import(node, module, name, name) });
            }
        }
    }
    found
}

fn go(parsed: &Parsed, node: Node<'_>) -> Vec<Import> {
    let Some(path) = node.child_by_field_name("path") else { return Vec::new() };
    let alias = node.child_by_field_name("name").map(|name| parsed.text(name));
    vec![go_path(node.start_position().row as u32 + 1, parsed.text(path), alias)]
}

/// What Go imports with a path in its quotes, under the name that is written before it.
pub(crate) fn go_path(line: u32, path: &str, alias: Option<&str>) -> Import {
    let module = path.trim_matches(['"', '\'', '`', '<', '>']);
    let last = || module.rsplit('/').find(|part| !is_version(part)).unwrap_or(module);
    let (name, alias) = match alias {
        Some(".") => ("*", ""),
        Some("_") => ("", ""),
        Some(alias) => ("", alias),
        None => ("", last()),
    };
    Import { module: module.to_owned(), name: name.to_owned(), alias: alias.to_owned(), line, public: false }
}

/// `v2` at the end of a path is no name of a package.
fn is_version(part: &str) -> bool {
    part.strip_prefix('v')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

fn java(parsed: &Parsed, node: Node<'_>) -> Vec<Import> {
    let mut cursor = node.walk();
    let mut path = "";
    let mut all = false;
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "asterisk" => all = true,
            _ => path = parsed.text(child),
        }
    }
    if all {
        return vec![import(node, path, "*", "")];
    }
    let (module, name) = path.rsplit_once('.').unwrap_or(("", path));
    vec![import(node, module, name, name)]
}

fn include(parsed: &Parsed, node: Node<'_>) -> Vec<Import> {
    node.child_by_field_name("path")
        .map(|path| import(node, unquoted(parsed, path), "*", ""))
        .into_iter()
        .collect()
}

fn csharp(parsed: &Parsed, node: Node<'_>) -> Vec<Import> {
    let mut cursor = node.walk();
    let last = node.named_children(&mut cursor).last().map_or("", |last| parsed.text(last));
    match node.child_by_field_name("name") {
        Some(alias) => vec![import(node, last, "", parsed.text(alias))],
        None => vec![import(node, last, "*", "")],
    }
}

fn php(parsed: &Parsed, node: Node<'_>) -> Vec<Import> {
    let Some(path) = node.named_child(0).map(|path| parsed.text(path)) else { return Vec::new() };
    let (module, name) = path.rsplit_once('\\').unwrap_or(("", path));
    let alias = node.child_by_field_name("alias").map_or(name, |alias| parsed.text(alias));
    vec![import(node, module, name, alias)]
}

/// `require "x"`, `require_relative "x"`, `source x`, `. x`: calls that bring a file in.
pub(super) fn by_call(parsed: &Parsed, node: Node<'_>, called: &str) -> Option<Import> {
    let argument = match (parsed.language, called) {
        (Language::Ruby, "require" | "require_relative" | "load" | "autoload") => {
            node.child_by_field_name("arguments")?.named_child(0)?
        }
        (Language::Bash, "source" | ".") => node.child_by_field_name("argument")?,
        // `local stock = require("shop.stock")`: the name is that of the variable.
        (Language::Lua, "require") => {
            let argument = node.child_by_field_name("arguments")?.named_child(0)?;
            let assigned =
                node.parent().and_then(|list| list.parent()).filter(|up| up.kind() == "assignment_statement");
            let name =
                assigned.and_then(|up| up.named_child(0)).and_then(|list| list.child_by_field_name("name"));
            let alias = name.map_or("", |name| parsed.text(name));
            return Some(import(node, unquoted(parsed, argument), "", alias));
        }
        _ => return None,
    };
    Some(import(node, unquoted(parsed, argument), "*", ""))
}
