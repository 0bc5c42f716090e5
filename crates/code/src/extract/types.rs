//! The types of values, where the text says them: annotations, and what is made in sight.

use crate::language::Language;
use crate::parse::Parsed;
use tree_sitter::Node;

/// A value of which the type is known.
pub(super) struct Typed {
    /// The value's name.
    pub name: String,
    /// It is a field of the type around it, not a variable.
    pub field: bool,
    /// The type's name.
    pub of: String,
}

/// The name of a type without what is around it: `&mut Vec<shop::Cart>` is `Vec`, `Option<Box<Cart>>` is `Cart`.
pub(crate) fn base(text: &str) -> String {
    const WRAPPERS: [&str; 15] = [
        "Option",
        "Optional",
        "Box",
        "Rc",
        "Arc",
        "RefCell",
        "Mutex",
        "RwLock",
        "unique_ptr",
        "shared_ptr",
        "Promise",
        "Readonly",
        "Partial",
        "Final",
        "ClassVar",
    ];
    let mut text = text.trim();
    for _ in 0..8 {
        text = text.trim_start_matches([':', '&', '*', '?', ' ', '"', '(', '$']);
        for word in ["mut ", "const ", "dyn ", "impl ", "readonly ", "struct ", "final ", "typing."] {
            text = text.strip_prefix(word).unwrap_or(text);
        }
        if let Some(rest) = text.strip_prefix('\'') {
            // A lifetime, or a type in quotes.
            text = match rest.split_once(' ') {
                Some((lifetime, rest)) if !lifetime.contains('\'') => rest,
                _ => rest,
            };
            continue;
        }
        // `Cart | None`
        if let Some(some) =
            text.split('|').map(str::trim).find(|part| !matches!(*part, "None" | "null" | "undefined" | ""))
            && !text.contains(['<', '['])
        {
            text = some;
        }
        let open = text.find(['<', '[']);
        let head = open.map_or(text, |open| text.get(..open).unwrap_or(text));
        let last = head.rsplit(['.', ':', '\\']).next().unwrap_or(head).trim();
        let inner = open.and_then(|open| text.get(open + 1..)).and_then(|rest| {
            let end = rest.rfind(['>', ']'])?;
            rest.get(..end)
        });
        match inner {
            Some(inner) if WRAPPERS.contains(&last) => text = inner.trim(),
            _ => {
                return last
                    .trim_end_matches(['*', '&', ' ', '?', '"', '\'', ')', '!', ',', ';'])
                    .split_whitespace()
                    .next()
                    .unwrap_or("")
                    .to_owned();
            }
        }
    }
    String::new()
}

/// What kind of name a type has where names are free.
pub(crate) fn capital(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

/// The class that is called by this text, where its name says that it is one: `shop.Cart`, not `Cart(a[0]).pay`.
pub(crate) fn class(text: &str) -> Option<String> {
    let name = base(text);
    let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (capital(&name) && plain).then_some(name)
}

/// The values whose types a node says.
pub(super) fn of(parsed: &Parsed, node: Node<'_>, in_type: bool) -> Vec<Typed> {
    let mut found = Vec::new();
    let text = |node: Node<'_>| parsed.text(node).to_owned();
    let field = |name: &str| node.child_by_field_name(name);
    let mut say = |name: String, of: String, is_field: bool| {
        if !name.is_empty() && !of.is_empty() {
            found.push(Typed { name, of, field: is_field });
        }
    };
    match (parsed.language, node.kind()) {
        (Language::Python, "typed_parameter") => {
            if let (Some(name), Some(of)) = (node.named_child(0), field("type")) {
                say(text(name), base(&text(of)), false);
            }
        }
        (Language::Python, "typed_default_parameter") => {
            if let (Some(name), Some(of)) = (field("name"), field("type")) {
                say(text(name), base(&text(of)), false);
            }
        }
        (Language::Python, _) => {
            let Some(left) = field("left") else { return found };
            let of = field("type").map(|of| base(&text(of))).or_else(|| made(parsed, field("right")?));
            let Some(of) = of else { return found };
            match left.kind() {
                "identifier" => say(text(left), of, in_type),
                "attribute" => {
                    let own = left.child_by_field_name("object").is_some_and(|o| parsed.text(o) == "self");
                    if let Some(name) = left.child_by_field_name("attribute").filter(|_| own) {
                        say(text(name), of, true);
                    }
                }
                _ => {}
            }
        }
        (_, "required_parameter" | "optional_parameter") => {
            if let (Some(name), Some(of)) = (field("pattern"), field("type")) {
                let is_field =
                    node.named_child(0).is_some_and(|first| first.kind() == "accessibility_modifier");
                say(text(name), base(&text(of)), false);
                if is_field {
                    say(text(name), base(&text(of)), true);
                }
            }
        }
        (Language::TypeScript | Language::Tsx | Language::JavaScript, "assignment_expression") => {
            let left = field("left").filter(|left| left.kind() == "member_expression");
            let own =
                left.and_then(|left| left.child_by_field_name("object")).is_some_and(|o| o.kind() == "this");
            if let (Some(left), Some(right), true) = (left, field("right"), own)
                && let (Some(name), Some(of)) = (left.child_by_field_name("property"), made(parsed, right))
            {
                say(text(name), of, true);
            }
        }
        (
            Language::TypeScript | Language::Tsx | Language::JavaScript,
            "variable_declarator" | "public_field_definition" | "field_definition",
        ) => {
            let name = field("name").or_else(|| field("property"));
            let of = field("type").map(|of| base(&text(of))).or_else(|| made(parsed, field("value")?));
            if let (Some(name), Some(of)) = (name, of) {
                say(text(name), of, node.kind() != "variable_declarator");
            }
        }
        (Language::Rust, kind) => {
            let name = field("pattern").or_else(|| field("name"));
            let of = field("type").map(|of| base(&text(of))).or_else(|| made(parsed, field("value")?));
            if let (Some(name), Some(of)) = (name, of) {
                say(text(name).trim_start_matches("mut ").to_owned(), of, kind == "field_declaration");
            }
        }
        (Language::Go, "short_var_declaration") => {
            let left = field("left").filter(|left| left.named_child_count() >= 1);
            let right = field("right").and_then(|right| right.named_child(0));
            if let (Some(name), Some(right)) = (left.and_then(|left| left.named_child(0)), right)
                && let Some(of) = made(parsed, right)
            {
                say(text(name), of, false);
            }
        }
        (Language::Go, kind) => {
            let value = || field("value").and_then(|list| list.named_child(0));
            let of = field("type").map(|of| base(&text(of))).or_else(|| made(parsed, value()?));
            let mut cursor = node.walk();
            for name in node.children_by_field_name("name", &mut cursor) {
                say(text(name), of.clone().unwrap_or_default(), kind == "field_declaration");
            }
        }
        (Language::Java, "local_variable_declaration" | "field_declaration") => {
            let name = field("declarator").and_then(|declarator| declarator.child_by_field_name("name"));
            let value = || field("declarator")?.child_by_field_name("value");
            if let (Some(name), Some(of)) = (name, field("type")) {
                let of = match parsed.text(of) {
                    "var" => value().and_then(|value| made(parsed, value)).unwrap_or_default(),
                    of => base(of),
                };
                say(text(name), of, node.kind() == "field_declaration");
            }
        }
        (Language::CSharp, "variable_declaration") => {
            let Some(of) = field("type") else { return found };
            let mut cursor = node.walk();
            for declarator in node.named_children(&mut cursor).filter(|c| c.kind() == "variable_declarator") {
                let Some(name) = declarator.child_by_field_name("name") else { continue };
                let of = match parsed.text(of) {
                    "var" => {
                        let count = declarator.named_child_count();
                        let last = declarator.named_child(count.saturating_sub(1) as u32);
                        last.and_then(|value| made(parsed, value)).unwrap_or_default()
                    }
                    of => base(of),
                };
                say(text(name), of, in_type);
            }
        }
        (Language::C | Language::Cpp, kind) => {
            let Some(of) = field("type").map(|of| base(&text(of))) else { return found };
            let mut inner = field("declarator");
            for _ in 0..8 {
                match inner.map(|inner| inner.kind()) {
                    Some("identifier" | "field_identifier") => break,
                    Some("function_declarator") | None => return found,
                    Some("reference_declarator") => inner = inner.and_then(|inner| inner.named_child(0)),
                    Some(_) => inner = inner.and_then(|inner| inner.child_by_field_name("declarator")),
                }
            }
            if let Some(name) = inner {
                say(text(name), of, kind == "field_declaration");
            }
        }
        (Language::Ruby, _) => {
            if let (Some(left), Some(right)) = (field("left"), field("right"))
                && let Some(of) = made(parsed, right)
            {
                let is_field = left.kind() == "instance_variable";
                say(text(left).trim_start_matches('@').to_owned(), of, is_field);
            }
        }
        (Language::Php, "assignment_expression") => {
            let (Some(left), Some(right)) = (field("left"), field("right")) else { return found };
            let Some(of) = made(parsed, right) else { return found };
            match left.kind() {
                "variable_name" => say(text(left).trim_start_matches('$').to_owned(), of, false),
                "member_access_expression" => {
                    if let Some(name) = left.child_by_field_name("name") {
                        say(text(name), of, true);
                    }
                }
                _ => {}
            }
        }
        (Language::Php, "property_declaration") => {
            let mut cursor = node.walk();
            let element = node.named_children(&mut cursor).find(|child| child.kind() == "property_element");
            if let (Some(of), Some(name)) =
                (field("type"), element.and_then(|element| element.named_child(0)))
            {
                say(text(name).trim_start_matches('$').to_owned(), base(&text(of)), true);
            }
        }
        (Language::Php, kind) => {
            if let (Some(name), Some(of)) = (field("name"), field("type")) {
                let name = text(name).trim_start_matches('$').to_owned();
                say(name.clone(), base(&text(of)), false);
                if kind == "property_promotion_parameter" {
                    say(name, base(&text(of)), true);
                }
            }
        }
        (_, kind) => {
            if let (Some(name), Some(of)) = (field("name"), field("type")) {
                say(text(name), base(&text(of)), kind == "property_declaration");
            }
        }
    }
    found
}

/// The type of what an expression makes: `Cart()`, `new Cart()`, `Cart::new()`, `&Cart{}`, `NewCart()`, `Cart.new`.
pub(super) fn made(parsed: &Parsed, mut value: Node<'_>) -> Option<String> {
    for _ in 0..4 {
        value = match value.kind() {
            "await"
            | "await_expression"
            | "try_expression"
            | "unary_expression"
            | "reference_expression"
            | "parenthesized_expression"
            | "non_null_expression"
            | "as_expression" => value.named_child(0)?,
            _ => break,
        };
    }
    let name = match (parsed.language, value.kind()) {
        (Language::Python, "call") => {
            return class(parsed.text(value.child_by_field_name("function")?));
        }
        (Language::TypeScript | Language::Tsx | Language::JavaScript, "new_expression") => {
            value.child_by_field_name("constructor")?
        }
        (Language::Rust, "call_expression") => {
            let function = value.child_by_field_name("function")?;
            let path =
                Some(function).filter(|f| f.kind() == "scoped_identifier")?.child_by_field_name("path")?;
            let name = base(parsed.text(path));
            return capital(&name).then_some(name).filter(|name| name != "Self");
        }
        (Language::Rust, "struct_expression") => value.child_by_field_name("name")?,
        (Language::Go, "composite_literal") => value.child_by_field_name("type")?,
        (Language::Go, "call_expression") => {
            return made_by(parsed.text(value.child_by_field_name("function")?));
        }
        (
            Language::Java | Language::CSharp | Language::Cpp,
            "object_creation_expression" | "new_expression",
        ) => value.child_by_field_name("type")?,
        (Language::Ruby, "call") => {
            value.child_by_field_name("method").filter(|method| parsed.text(*method) == "new")?;
            value.child_by_field_name("receiver")?
        }
        (Language::Php, "object_creation_expression") => value.named_child(0)?,
        _ => return None,
    };
    Some(base(parsed.text(name))).filter(|name| !name.is_empty())
}

/// The type of what a function of Go makes, by its name: `shop.NewCart` makes a `Cart`.
pub(crate) fn made_by(function: &str) -> Option<String> {
    let function = base(function);
    let name = function.strip_prefix("New")?;
    capital(name).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{base, class};

    #[test]
    fn what_is_called_on_something_made_is_no_class() {
        assert_eq!(class("shop.Cart"), Some("Cart".to_owned()));
        assert_eq!(class("Cart(a[0]).pay"), None);
        assert_eq!(class("cart"), None);
    }

    #[test]
    fn the_base_of_a_type() {
        for (text, wanted) in [
            ("Cart", "Cart"),
            (": Cart", "Cart"),
            ("&'a mut shop::Cart<'a>", "Cart"),
            ("Option<Box<dyn Cart>>", "Cart"),
            ("Optional[Cart]", "Cart"),
            ("Cart | None", "Cart"),
            ("*Cart", "Cart"),
            ("list[Cart]", "list"),
            ("\"Cart\"", "Cart"),
            ("\\App\\Cart", "Cart"),
            ("std::unique_ptr<Cart>", "Cart"),
            ("Cart?", "Cart"),
            ("", ""),
        ] {
            assert_eq!(base(text), wanted, "{text}");
        }
    }
}
