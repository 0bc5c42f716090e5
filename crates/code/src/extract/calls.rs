//! What a node calls, and on what.

use crate::language::Language;
use crate::parse::Parsed;
use tree_sitter::Node;

/// What a call is made on, before values are looked up.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReceiverExpr {
    Nothing,
    Own,
    Super,
    /// A name: a value, a module, a type.
    Name(String),
    /// A field of the object itself, or of a value: `self.cart.add()`, `shop.cart.add()`.
    Field(Option<String>, String),
    /// What was made right here.
    Made(String),
    Unknown,
}

/// A call: its name, where the name is, what it is on.
pub(super) struct Called<'t> {
    pub name: String,
    pub at: Node<'t>,
    pub on: ReceiverExpr,
}

/// The call that a node makes.
pub(super) fn of<'t>(parsed: &Parsed, node: Node<'t>, parent: Option<Node<'t>>) -> Option<Called<'t>> {
    let field = |name: &str| node.child_by_field_name(name);
    match parsed.language {
        Language::Ruby if node.kind() == "identifier" => {
            // A bare word that stands as a statement is a call when it is no variable; which it is, nobody says.
            let parent = parent?;
            let statement = matches!(
                parent.kind(),
                "body_statement" | "program" | "then" | "else" | "do" | "block_body" | "ensure" | "begin"
            );
            statement.then(|| call(parsed, node, ReceiverExpr::Nothing))
        }
        Language::Ruby => {
            let name = field("method")?;
            let on = field("receiver").map_or(ReceiverExpr::Nothing, |receiver| on(parsed, receiver));
            let text = parsed.text(name);
            match (&on, text) {
                (ReceiverExpr::Name(class), "new") => Some(Called {
                    name: class.rsplit("::").next().unwrap_or(class).to_owned(),
                    at: name,
                    on: ReceiverExpr::Nothing,
                }),
                _ => Some(call(parsed, name, on)),
            }
        }
        Language::Bash => {
            let name = field("name")?;
            let text = parsed.text(name);
            let plain = !text.is_empty()
                && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.'));
            plain.then(|| call(parsed, name, ReceiverExpr::Nothing))
        }
        Language::Lua => {
            let called = field("name")?;
            let part = |name: &str| called.child_by_field_name(name);
            match called.kind() {
                "identifier" => Some(call(parsed, called, ReceiverExpr::Nothing)),
                "method_index_expression" => Some(call(parsed, part("method")?, on(parsed, part("table")?))),
                "dot_index_expression" => Some(call(parsed, part("field")?, on(parsed, part("table")?))),
                _ => None,
            }
        }
        Language::Java | Language::CSharp | Language::Php | Language::Cpp
            if matches!(node.kind(), "object_creation_expression" | "new_expression") =>
        {
            let made = field("type").or_else(|| node.named_child(0))?;
            let name = super::types::base(parsed.text(made));
            (!name.is_empty()).then_some(Called { name, at: made, on: ReceiverExpr::Nothing })
        }
        Language::Java => {
            let on = field("object").map_or(ReceiverExpr::Nothing, |object| on(parsed, object));
            Some(call(parsed, field("name")?, on))
        }
        Language::Php => match node.kind() {
            "function_call_expression" => function(parsed, field("function")?),
            "scoped_call_expression" => {
                let scope = field("scope").map_or(ReceiverExpr::Unknown, |scope| on(parsed, scope));
                Some(call(parsed, field("name")?, scope))
            }
            _ => {
                let object = field("object").map_or(ReceiverExpr::Unknown, |object| on(parsed, object));
                Some(call(parsed, field("name")?, object))
            }
        },
        Language::Rust if node.kind() == "macro_invocation" => {
            let name = field("macro")?;
            let last =
                if name.kind() == "scoped_identifier" { name.child_by_field_name("name")? } else { name };
            Some(call(parsed, last, ReceiverExpr::Nothing))
        }
        _ if node.kind() == "decorator" => {
            // `@cache` calls too; `@cache()` is seen as the call that it holds.
            let inner = node.named_child(0).filter(|inner| !inner.kind().starts_with("call"))?;
            function(parsed, inner)
        }
        _ => match node.kind() {
            "new_expression" => function(parsed, field("constructor")?),
            "jsx_self_closing_element" | "jsx_opening_element" => {
                let name = field("name")?;
                // Small letters are elements of HTML.
                let own = parsed.text(name).chars().next().is_some_and(char::is_uppercase);
                own.then(|| function(parsed, name)).flatten()
            }
            _ => function(parsed, field("function")?),
        },
    }
}

fn call<'t>(parsed: &Parsed, at: Node<'t>, on: ReceiverExpr) -> Called<'t> {
    Called { name: parsed.text(at).to_owned(), at, on }
}

/// The call of what an expression names.
fn function<'t>(parsed: &Parsed, node: Node<'t>) -> Option<Called<'t>> {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "identifier" | "name" | "type_identifier" => Some(call(parsed, node, ReceiverExpr::Nothing)),
        "qualified_name" | "relative_name" => {
            let text = parsed.text(node);
            let name = text.rsplit('\\').next().unwrap_or(text).to_owned();
            Some(Called { name, at: node, on: ReceiverExpr::Nothing })
        }
        // Python
        "attribute" => Some(call(parsed, field("attribute")?, on(parsed, field("object")?))),
        // JavaScript, TypeScript
        "member_expression" => Some(call(parsed, field("property")?, on(parsed, field("object")?))),
        "super" => Some(Called { name: "constructor".to_owned(), at: node, on: ReceiverExpr::Super }),
        // Rust, C, C++
        "field_expression" => {
            let object = field("value").or_else(|| field("argument"))?;
            let name = field("field")?;
            let name = name.child_by_field_name("name").unwrap_or(name);
            Some(call(parsed, name, on(parsed, object)))
        }
        "scoped_identifier" => {
            let on = field("path").map_or(ReceiverExpr::Nothing, |path| on(parsed, path));
            Some(call(parsed, field("name")?, on))
        }
        "qualified_identifier" => {
            let mut name = field("name")?;
            let mut scope = field("scope");
            for _ in 0..16 {
                if name.kind() != "qualified_identifier" {
                    break;
                }
                scope = name.child_by_field_name("scope");
                name = name.child_by_field_name("name")?;
            }
            let name = name.child_by_field_name("name").unwrap_or(name);
            let on = scope.map_or(ReceiverExpr::Nothing, |scope| on(parsed, scope));
            Some(call(parsed, name, on))
        }
        "generic_function" | "template_function" => {
            function(parsed, field("function").or_else(|| field("name"))?)
        }
        // Go
        "selector_expression" => Some(call(parsed, field("field")?, on(parsed, field("operand")?))),
        // C#
        "member_access_expression" => {
            let name = field("name")?;
            let name = if name.kind() == "generic_name" { name.named_child(0)? } else { name };
            Some(call(parsed, name, on(parsed, field("expression")?)))
        }
        "conditional_access_expression" => {
            let object = node.named_child(0)?;
            let binding = node.named_child(1).filter(|b| b.kind() == "member_binding_expression")?;
            Some(call(parsed, binding.child_by_field_name("name")?, on(parsed, object)))
        }
        "generic_name" => Some(call(parsed, node.named_child(0)?, ReceiverExpr::Nothing)),
        // `[*f()]`: the grammar of Python takes the star for a part of what is called.
        "parenthesized_expression" | "non_null_expression" | "list_splat" => {
            function(parsed, node.named_child(0)?)
        }
        _ => None,
    }
}

/// What an expression is, as something that is called on.
pub(super) fn on(parsed: &Parsed, node: Node<'_>) -> ReceiverExpr {
    let text = parsed.text(node);
    match text {
        "self" | "this" | "cls" | "$this" | "Self" | "static" => return ReceiverExpr::Own,
        "super" | "base" | "parent" | "super()" => return ReceiverExpr::Super,
        _ => {}
    }
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "identifier"
        | "constant"
        | "name"
        | "type_identifier"
        | "namespace_identifier"
        | "scoped_identifier"
        | "scope_resolution"
        | "qualified_name"
        | "package_identifier"
        | "crate"
        | "generic_type"
        | "template_type"
        | "scoped_type_identifier" => ReceiverExpr::Name(text.to_owned()),
        "variable_name" => ReceiverExpr::Name(text.trim_start_matches('$').to_owned()),
        "instance_variable" => ReceiverExpr::Field(None, text.trim_start_matches('@').to_owned()),
        "parenthesized_expression"
        | "non_null_expression"
        | "await"
        | "await_expression"
        | "try_expression"
        | "pointer_expression"
        | "unary_expression"
        | "list_splat" => node.named_child(0).map_or(ReceiverExpr::Unknown, |inner| on(parsed, inner)),
        "call" | "new_expression" | "call_expression" | "object_creation_expression" => {
            let superclass = field("function")
                .is_some_and(|function| parsed.text(function).trim_start_matches(['*', ' ']) == "super");
            if superclass {
                return ReceiverExpr::Super;
            }
            super::types::made(parsed, node).map_or(ReceiverExpr::Unknown, ReceiverExpr::Made)
        }
        "attribute"
        | "member_expression"
        | "field_expression"
        | "selector_expression"
        | "field_access"
        | "member_access_expression" => {
            let object =
                ["object", "value", "argument", "operand", "expression"].iter().find_map(|n| field(n));
            let name = ["attribute", "property", "field", "name"].iter().find_map(|n| field(n));
            match (object.map(|object| on(parsed, object)), name) {
                (Some(ReceiverExpr::Own), Some(name)) => {
                    ReceiverExpr::Field(None, parsed.text(name).to_owned())
                }
                (Some(ReceiverExpr::Name(of)), Some(name)) => {
                    ReceiverExpr::Field(Some(of), parsed.text(name).to_owned())
                }
                _ => ReceiverExpr::Unknown,
            }
        }
        _ => ReceiverExpr::Unknown,
    }
}
