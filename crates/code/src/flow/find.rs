//! The functions of a file: where they are and what they are called.

use crate::language::Language;
use crate::parse::Parsed;
use tree_sitter::Node;

/// A function and where it is.
#[derive(Clone, Debug)]
pub struct FunctionRef<'t> {
    /// Its own name.
    pub name: String,
    /// With the types and functions around it: `Type.name`.
    pub qualified: String,
    /// First and last line.
    pub lines: (u32, u32),
    /// Its node.
    pub node: Node<'t>,
    /// The function around it, as a place in the list.
    pub around: Option<usize>,
}

/// Why a function was not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FunctionError {
    /// No function has the name.
    #[error("no function `{name}` here; there are {}", list(.known))]
    NoName {
        /// The name.
        name: String,
        /// What is there.
        known: Vec<String>,
    },
    /// Several have.
    #[error("`{name}` is here more than once: {}; name the type or a line", .places.join(", "))]
    Several {
        /// The name.
        name: String,
        /// Where.
        places: Vec<String>,
    },
    /// The line is in no function.
    #[error("line {0} is in no function")]
    NoFunction(u32),
    /// The file is not so long.
    #[error("the file has {lines} lines; there is no line {line}")]
    NoLine {
        /// The line.
        line: u32,
        /// How many there are.
        lines: u32,
    },
    /// No lowering.
    #[error("control flow and data flow are not known for {0}")]
    NotSupported(&'static str),
    /// Inside of something that was not read.
    #[error("`{0}` is inside something that is not read (a macro, or code that does not parse)")]
    NotRead(String),
}

fn list(known: &[String]) -> String {
    const MAX_LISTED: usize = 12;
    match known.len() {
        0 => "none".to_owned(),
        count if count > MAX_LISTED => {
            let first: Vec<&str> = known.iter().take(MAX_LISTED).map(String::as_str).collect();
            format!("{} and {} more", first.join(", "), count - MAX_LISTED)
        }
        _ => known.join(", "),
    }
}

/// Every function of a file with its place, in the order of the text. Functions without a name are there too.
pub fn functions(parsed: &Parsed) -> Vec<FunctionRef<'_>> {
    let mut places = Vec::new();
    let mut path: Vec<Node<'_>> = Vec::new();
    // (node, depth, names around, function around)
    let mut open: Vec<(Node<'_>, usize, String, Option<usize>)> =
        vec![(parsed.tree.root_node(), 0, String::new(), None)];
    while let Some((node, depth, mut around, mut func)) = open.pop() {
        path.truncate(depth);
        if is_function(parsed, node, &path) {
            let name = name_of(parsed, node, &path).unwrap_or_else(|| "anonymous".to_owned());
            let qualified =
                join(&around, &receiver(parsed, node).map_or(name.clone(), |of| format!("{of}.{name}")));
            let lines = (node.start_position().row as u32 + 1, node.end_position().row as u32 + 1);
            places.push(FunctionRef { name, qualified: qualified.clone(), lines, node, around: func });
            func = Some(places.len() - 1);
            around = qualified;
        } else if let Some(name) = container(parsed, node) {
            around = join(&around, &name);
        }
        path.push(node);
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        open.extend(children.into_iter().rev().map(|child| (child, depth + 1, around.clone(), func)));
    }
    places
}

fn join(around: &str, name: &str) -> String {
    if around.is_empty() { name.to_owned() } else { format!("{around}.{name}") }
}

pub(super) fn by_name<'p, 't>(
    places: &'p [FunctionRef<'t>],
    name: &str,
) -> Result<&'p FunctionRef<'t>, FunctionError> {
    if let Ok(line) = name.parse::<u32>() {
        let inside = places.iter().filter(|place| (place.lines.0..=place.lines.1).contains(&line));
        return inside
            .min_by_key(|place| place.node.byte_range().len())
            .ok_or(FunctionError::NoFunction(line));
    }
    let wanted = name.replace("::", ".").replace('#', ".");
    let whole: Vec<&FunctionRef<'_>> = places.iter().filter(|place| place.qualified == wanted).collect();
    let ending = format!(".{wanted}");
    let mut found = if whole.is_empty() {
        places.iter().filter(|place| place.name == wanted || place.qualified.ends_with(&ending)).collect()
    } else {
        whole
    };
    match found.as_slice() {
        [one] => Ok(one),
        [] => {
            let known =
                places.iter().filter(|place| place.name != "anonymous").map(|place| place.qualified.clone());
            Err(FunctionError::NoName { name: name.to_owned(), known: known.collect() })
        }
        _ => {
            // Signatures and overloads may be there besides one that is outermost.
            found.sort_by_key(|place| place.lines);
            let places = found.iter().map(|place| format!("{} (line {})", place.qualified, place.lines.0));
            Err(FunctionError::Several { name: name.to_owned(), places: places.collect() })
        }
    }
}

pub(super) fn outermost<'p, 't>(
    places: &'p [FunctionRef<'t>],
    place: &'p FunctionRef<'t>,
) -> &'p FunctionRef<'t> {
    let mut at = place;
    while let Some(outer) = at.around.and_then(|around| places.get(around)) {
        at = outer;
    }
    at
}

pub(super) fn outermost_at<'p, 't>(places: &'p [FunctionRef<'t>], line: u32) -> Option<&'p FunctionRef<'t>> {
    let holds = |place: &&FunctionRef<'_>| (place.lines.0..=place.lines.1).contains(&line);
    places.iter().filter(|place| place.around.is_none()).find(holds)
}

/// The file as a whole, where a language runs it from top to bottom.
pub(super) fn whole(parsed: &Parsed) -> Option<FunctionRef<'_>> {
    let runs = matches!(
        parsed.language,
        Language::Python
            | Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Ruby
            | Language::Php
    );
    runs.then(|| FunctionRef {
        name: "<file>".to_owned(),
        qualified: "<file>".to_owned(),
        lines: (1, parsed.source.lines()),
        node: parsed.tree.root_node(),
        around: None,
    })
}

/// The path are the nodes around, from outside to inside.
fn is_function(parsed: &Parsed, node: Node<'_>, path: &[Node<'_>]) -> bool {
    let kind = node.kind();
    match parsed.language {
        Language::Python => matches!(kind, "function_definition" | "lambda"),
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            matches!(
                kind,
                "function_declaration"
                    | "generator_function_declaration"
                    | "function_expression"
                    | "generator_function"
                    | "arrow_function"
                    | "method_definition"
            )
        }
        Language::Rust => matches!(kind, "function_item" | "closure_expression"),
        Language::Go => matches!(kind, "function_declaration" | "method_declaration" | "func_literal"),
        Language::Java => matches!(
            kind,
            "method_declaration"
                | "constructor_declaration"
                | "compact_constructor_declaration"
                | "lambda_expression"
        ),
        Language::C => kind == "function_definition",
        Language::CSharp => matches!(
            kind,
            "method_declaration"
                | "constructor_declaration"
                | "destructor_declaration"
                | "operator_declaration"
                | "local_function_statement"
                | "accessor_declaration"
                | "lambda_expression"
                | "anonymous_method_expression"
        ),
        // The block of a lambda is its body.
        Language::Ruby => match kind {
            "method" | "singleton_method" | "lambda" => true,
            "block" | "do_block" => {
                let mut outer = path.iter().rev().copied();
                let (call, around) = (outer.next(), outer.next());
                call.is_none_or(|call| call.kind() != "lambda")
                    && !super::lower::is_loop_block(parsed, node, call, around)
            }
            _ => false,
        },
        Language::Php => {
            matches!(
                kind,
                "function_definition" | "method_declaration" | "anonymous_function" | "arrow_function"
            )
        }
        Language::Cpp => matches!(kind, "function_definition" | "lambda_expression"),
        Language::Bash
        | Language::Lua
        | Language::Kotlin
        | Language::Swift
        | Language::Scala
        | Language::Elixir
        | Language::Zig => false,
    }
}

fn text(parsed: &Parsed, node: Node<'_>) -> String {
    parsed.text(node).to_owned()
}

fn name_of(parsed: &Parsed, node: Node<'_>, path: &[Node<'_>]) -> Option<String> {
    if let Some(name) = node.child_by_field_name("name") {
        return Some(text(parsed, name));
    }
    if matches!(parsed.language, Language::C | Language::Cpp) && node.kind() == "function_definition" {
        return Some(text(parsed, named(node)?).rsplit("::").next()?.trim().to_owned());
    }
    // A function that gets its name from where it goes.
    let parent = path.iter().rev().find(|outer| {
        !matches!(
            outer.kind(),
            "parenthesized_expression" | "await_expression" | "expression_list" | "equals_value_clause"
        )
    })?;
    let field = match parent.kind() {
        "init_declarator" => parent.child_by_field_name("declarator"),
        "variable_declarator" | "public_field_definition" | "field_definition" | "let_declaration" => {
            ["name", "property", "pattern"].iter().find_map(|field| parent.child_by_field_name(field))
        }
        "pair" => parent.child_by_field_name("key"),
        "assignment" | "assignment_expression" | "short_var_declaration" => {
            parent.child_by_field_name("left")
        }
        _ => None,
    };
    field
        .map(|name| text(parsed, name).trim_start_matches('$').to_owned())
        .filter(|name| name.len() < 80 && !name.contains('\n'))
}

/// What a definition of C or C++ defines.
fn named(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node.child_by_field_name("declarator")?;
    while at.kind() != "qualified_identifier" {
        let inner = at.child_by_field_name("declarator");
        let through = || at.named_child(0).filter(|_| at.kind() == "reference_declarator");
        let Some(inner) = inner.or_else(through) else { break };
        at = inner;
    }
    Some(at)
}

/// The type that a method is written for, where that is not around it.
fn receiver(parsed: &Parsed, node: Node<'_>) -> Option<String> {
    match parsed.language {
        Language::Go => {
            let mut at = node.child_by_field_name("receiver")?.named_child(0)?.child_by_field_name("type")?;
            while at.kind() != "type_identifier" {
                at = at.named_child(0)?;
            }
            Some(text(parsed, at))
        }
        Language::Cpp if node.kind() == "function_definition" => {
            let (scope, _) = parsed.text(named(node)?).rsplit_once("::")?;
            Some(scope.trim().replace("::", "."))
        }
        _ => None,
    }
}

fn container(parsed: &Parsed, node: Node<'_>) -> Option<String> {
    let name = match node.kind() {
        "class_definition"
        | "class_declaration"
        | "class"
        | "abstract_class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "class_specifier"
        | "struct_specifier"
        | "namespace_definition"
        | "struct_declaration"
        | "trait_item"
        | "mod_item"
        | "module"
        | "trait_declaration" => node.child_by_field_name("name")?,
        "impl_item" => {
            let of = node.child_by_field_name("type")?;
            of.child_by_field_name("type").unwrap_or(of)
        }
        _ => return None,
    };
    Some(text(parsed, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{self, Limits};

    const TEXT: &str = "class Shop:\n    def add(self):\n        def inner():\n            pass\n        return 1\n\ndef add(x):\n    return x\n";

    #[test]
    fn by_name_with_or_without_what_is_around() {
        let parsed = parse::text(Language::Python, TEXT, Limits::QUICK).unwrap();
        let places = functions(&parsed);
        let line = |name: &str| by_name(&places, name).map(|place| place.lines.0);
        assert_eq!(line("Shop.add"), Ok(2));
        assert_eq!(line("Shop::add"), Ok(2));
        assert_eq!(line("add.inner"), Ok(3));
        assert_eq!(line("add"), Ok(7), "the whole name is meant before the end of another");
        assert!(matches!(line("none"), Err(FunctionError::NoName { .. })));
    }

    #[test]
    fn by_line_the_innermost() {
        let parsed = parse::text(Language::Python, TEXT, Limits::QUICK).unwrap();
        let places = functions(&parsed);
        let name = |line: &str| by_name(&places, line).map(|place| place.qualified.clone());
        assert_eq!(name("4").as_deref(), Ok("Shop.add.inner"));
        assert_eq!(name("5").as_deref(), Ok("Shop.add"));
        assert_eq!(name("8").as_deref(), Ok("add"));
        assert_eq!(name("1"), Err(FunctionError::NoFunction(1)));
    }

    /// What the lowering makes a loop is no function, whatever stands around it; the rest is one.
    #[test]
    fn blocks_of_ruby_are_loops_or_functions() {
        let text = "def f(a)\n  a.each { |x| p x }\n  a.each { |x| p x } if a\n  b = a.map { |x| x }\n  c = ->(x) { x }\n  loop do\n    d = a.each { |y| y }\n  end\nend\n";
        let parsed = parse::text(Language::Ruby, text, Limits::QUICK).unwrap();
        let places = functions(&parsed);
        let lines: Vec<u32> = places.iter().map(|place| place.lines.0).collect();
        assert_eq!(lines, [1, 4, 5, 7]);
        for place in &places {
            let found = super::super::function(&parsed, &place.lines.0.to_string()).unwrap();
            assert_eq!(found.name, place.qualified);
        }
    }
}
