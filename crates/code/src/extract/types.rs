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

/// The name of a type without what wraps it: `&mut Vec<shop::Cart>` is `Vec`, `Option<Box<Cart>>` is `Cart`.
pub(crate) fn base(text: &str) -> String {
    const WRAPPERS: [&str; 15] = [
        "Option", "Optional", "Box", "Rc", "Arc", "RefCell", "Mutex", "RwLock", "unique_ptr", "shared_ptr",
        "Promise", "Readonly", "Partial", "Final", "ClassVar",
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
    let mut reader = TypeReader { parsed, node, in_type, found: Vec::new() };
    // `None` is a node that says no type.
    let _ = match parsed.language {
        Language::Python => reader.python(),
        Language::TypeScript | Language::Tsx | Language::JavaScript => reader.script(),
        Language::Rust => reader.rust(),
        Language::Go => reader.go(),
        Language::Java => reader.java(),
        Language::CSharp => reader.c_sharp(),
        Language::C | Language::Cpp => reader.c(),
        Language::Ruby => reader.ruby(),
        Language::Php => reader.php(),
        _ => None,
    };
    reader.found
}

/// A node, and the typed values that were found in it.
struct TypeReader<'p, 't> {
    parsed: &'p Parsed,
    node: Node<'t>,
    in_type: bool,
    found: Vec<Typed>,
}

impl<'t> TypeReader<'_, 't> {
    fn field(&self, name: &str) -> Option<Node<'t>> {
        self.node.child_by_field_name(name)
    }

    fn text(&self, node: Node<'_>) -> String {
        self.parsed.text(node).to_owned()
    }

    fn add(&mut self, name: &str, of: String, field: bool) {
        if !name.is_empty() && !of.is_empty() {
            self.found.push(Typed { name: name.to_owned(), of, field });
        }
    }

    /// The annotated type.
    fn annotated(&self) -> Option<String> {
        self.field("type").map(|of| base(self.parsed.text(of)))
    }

    /// The annotated type, or that of the value in this field.
    fn annotated_or_made(&self, value: &str) -> Option<String> {
        self.annotated().or_else(|| made(self.parsed, self.field(value)?))
    }

    /// A declaration with the usual fields.
    fn named(&mut self, is_field: bool) -> Option<()> {
        let (name, of) = (self.text(self.field("name")?), self.annotated()?);
        self.add(&name, of, is_field);
        Some(())
    }

    fn python(&mut self) -> Option<()> {
        match self.node.kind() {
            "typed_parameter" => {
                let name = self.text(self.node.named_child(0)?);
                let of = self.annotated()?;
                self.add(&name, of, false);
                return Some(());
            }
            "typed_default_parameter" => return self.named(false),
            _ => {}
        }
        let left = self.field("left")?;
        let of = self.annotated_or_made("right")?;
        match left.kind() {
            "identifier" => self.add(&self.text(left), of, self.in_type),
            "attribute" => {
                left.child_by_field_name("object").filter(|object| self.parsed.text(*object) == "self")?;
                self.add(&self.text(left.child_by_field_name("attribute")?), of, true);
            }
            _ => {}
        }
        Some(())
    }

    fn script(&mut self) -> Option<()> {
        match self.node.kind() {
            "required_parameter" | "optional_parameter" => {
                let (name, of) = (self.text(self.field("pattern")?), self.annotated()?);
                self.add(&name, of.clone(), false);
                // `constructor(private cart: Cart)` declares a field, too.
                let first = self.node.named_child(0)?;
                if first.kind() == "accessibility_modifier" {
                    self.add(&name, of, true);
                }
            }
            "assignment_expression" => {
                let left = self.field("left").filter(|left| left.kind() == "member_expression")?;
                left.child_by_field_name("object").filter(|object| object.kind() == "this")?;
                let of = made(self.parsed, self.field("right")?)?;
                self.add(&self.text(left.child_by_field_name("property")?), of, true);
            }
            "variable_declarator" | "public_field_definition" | "field_definition" => {
                let name = self.field("name").or_else(|| self.field("property"))?;
                let of = self.annotated_or_made("value")?;
                self.add(&self.text(name), of, self.node.kind() != "variable_declarator");
            }
            _ => {}
        }
        Some(())
    }

    fn rust(&mut self) -> Option<()> {
        let name = self.text(self.field("pattern").or_else(|| self.field("name"))?);
        let of = self.annotated_or_made("value")?;
        self.add(name.trim_start_matches("mut "), of, self.node.kind() == "field_declaration");
        Some(())
    }

    fn go(&mut self) -> Option<()> {
        if self.node.kind() == "short_var_declaration" {
            let name = self.field("left")?.named_child(0)?;
            let of = made(self.parsed, self.field("right")?.named_child(0)?)?;
            self.add(&self.text(name), of, false);
            return Some(());
        }
        let value = || self.field("value").and_then(|list| list.named_child(0));
        let of = self.annotated().or_else(|| made(self.parsed, value()?)).unwrap_or_default();
        let node = self.node;
        let mut cursor = node.walk();
        for name in node.children_by_field_name("name", &mut cursor) {
            self.add(&self.text(name), of.clone(), node.kind() == "field_declaration");
        }
        Some(())
    }

    fn java(&mut self) -> Option<()> {
        if !matches!(self.node.kind(), "local_variable_declaration" | "field_declaration") {
            return self.named(false);
        }
        let declarator = self.field("declarator")?;
        let name = declarator.child_by_field_name("name")?;
        let of = match self.parsed.text(self.field("type")?) {
            "var" => made(self.parsed, declarator.child_by_field_name("value")?)?,
            of => base(of),
        };
        self.add(&self.text(name), of, self.node.kind() == "field_declaration");
        Some(())
    }

    fn c_sharp(&mut self) -> Option<()> {
        let node = self.node;
        if node.kind() != "variable_declaration" {
            return self.named(node.kind() == "property_declaration");
        }
        let annotated = self.field("type")?;
        let mut cursor = node.walk();
        for declarator in node.named_children(&mut cursor).filter(|c| c.kind() == "variable_declarator") {
            let Some(name) = declarator.child_by_field_name("name") else { continue };
            let of = match self.parsed.text(annotated) {
                "var" => {
                    let last = declarator.named_child_count().saturating_sub(1) as u32;
                    let value = declarator.named_child(last);
                    value.and_then(|value| made(self.parsed, value)).unwrap_or_default()
                }
                of => base(of),
            };
            self.add(&self.text(name), of, self.in_type);
        }
        Some(())
    }

    fn c(&mut self) -> Option<()> {
        let of = self.annotated()?;
        let mut inner = self.field("declarator")?;
        for _ in 0..8 {
            inner = match inner.kind() {
                "identifier" | "field_identifier" => break,
                "function_declarator" => return None,
                "reference_declarator" => inner.named_child(0)?,
                _ => inner.child_by_field_name("declarator")?,
            };
        }
        self.add(&self.text(inner), of, self.node.kind() == "field_declaration");
        Some(())
    }

    fn ruby(&mut self) -> Option<()> {
        let (left, of) = (self.field("left")?, made(self.parsed, self.field("right")?)?);
        let is_field = left.kind() == "instance_variable";
        self.add(self.text(left).trim_start_matches('@'), of, is_field);
        Some(())
    }

    fn php(&mut self) -> Option<()> {
        let node = self.node;
        match node.kind() {
            "assignment_expression" => {
                let (left, of) = (self.field("left")?, made(self.parsed, self.field("right")?)?);
                match left.kind() {
                    "variable_name" => self.add(self.text(left).trim_start_matches('$'), of, false),
                    "member_access_expression" => {
                        self.add(&self.text(left.child_by_field_name("name")?), of, true);
                    }
                    _ => {}
                }
            }
            "property_declaration" => {
                let mut cursor = node.walk();
                let element =
                    node.named_children(&mut cursor).find(|child| child.kind() == "property_element")?;
                let (name, of) = (self.text(element.named_child(0)?), self.annotated()?);
                self.add(name.trim_start_matches('$'), of, true);
            }
            kind => {
                let (name, of) = (self.text(self.field("name")?), self.annotated()?);
                let name = name.trim_start_matches('$');
                self.add(name, of.clone(), false);
                if kind == "property_promotion_parameter" {
                    self.add(name, of, true);
                }
            }
        }
        Some(())
    }
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
