//! What is known of one file: its symbols, what it imports, and the calls in it.

use crate::values::Values;
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SymbolKind {
    /// A function.
    Function,
    /// A function of a type.
    Method,
    /// A class.
    Class,
    /// A struct, a union, a record.
    Struct,
    /// An enumeration.
    Enum,
    /// An interface or protocol.
    Interface,
    /// A trait, a concept, a mixin.
    Trait,
    /// An alias of a type.
    Type,
    /// What is implemented for a type.
    Impl,
    /// A module or namespace.
    Module,
    /// A macro.
    Macro,
    /// A property with its own code.
    Property,
    /// A constant.
    Constant,
    /// A variable of a module.
    Variable,
}

impl SymbolKind {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Interface => "interface",
            Self::Trait => "trait",
            Self::Type => "type",
            Self::Impl => "impl",
            Self::Module => "module",
            Self::Macro => "macro",
            Self::Property => "property",
            Self::Constant => "constant",
            Self::Variable => "variable",
        }
    }

    /// Every kind.
    pub const ALL: [Self; 14] = [
        Self::Function,
        Self::Method,
        Self::Class,
        Self::Struct,
        Self::Enum,
        Self::Interface,
        Self::Trait,
        Self::Type,
        Self::Impl,
        Self::Module,
        Self::Macro,
        Self::Property,
        Self::Constant,
        Self::Variable,
    ];

    /// Code that can be called.
    pub const fn is_function(self) -> bool {
        matches!(self, Self::Function | Self::Method)
    }

    /// Methods belong to one of these.
    pub const fn is_type(self) -> bool {
        matches!(self, Self::Class | Self::Struct | Self::Enum | Self::Interface | Self::Trait | Self::Impl)
    }

    /// A value with a name.
    pub const fn is_value(self) -> bool {
        matches!(self, Self::Constant | Self::Variable)
    }
}

/// A thing with a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The line of its name, from 1.
    pub line: u32,
    /// Its last line.
    pub end_line: u32,
    /// The symbol that it is written in, by its place in the list; parents come before children.
    pub parent: Option<u32>,
    /// The type that it belongs to; empty when to none.
    pub container: String,
    /// Its head, in its own language, on one line.
    pub signature: String,
    /// The first line of what is written about it.
    pub doc: String,
    /// What a type inherits from.
    pub bases: Vec<String>,
}

/// A name that a file imports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// From where, as it is written.
    pub module: String,
    /// What; empty for the module itself, `*` for everything.
    pub name: String,
    /// Under which name it is known here; empty for `*` and for what gives no name.
    pub alias: String,
    /// The line.
    pub line: u32,
    /// It is re-exported to those who import this file.
    pub public: bool,
}

/// What a call is made on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Receiver {
    /// On nothing: `f()`.
    Nothing,
    /// On the object or type itself: `self.f()`.
    Own,
    /// On what the type inherits from.
    Super,
    /// On a name: a module, a type, a value of unknown type.
    Name(String),
    /// On a value of this type.
    Type(String),
    /// On something that is not read.
    Unknown,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// What is called.
    pub name: String,
    /// On what.
    pub on: Receiver,
    /// The line, from 1.
    pub line: u32,
    /// The function, type or value that it is written in.
    pub caller: Option<u32>,
}

/// What is known of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The symbols, in the order of the text.
    pub symbols: Vec<Symbol>,
    /// The imports, in the order of the text.
    pub imports: Vec<Import>,
    /// How many lines.
    pub lines: u32,
    /// What is partial or odd.
    pub notes: Vec<String>,
    /// The calls, in the order of the text. They are most of what is kept, and come last, so that an outline need not read them.
    pub calls: Vec<Call>,
    /// How values move, packed: only the analysis of values unpacks it.
    pub values: PackedValues,
}

/// The values as they are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackedValues(Vec<u8>);

impl PackedValues {
    pub(crate) fn new(values: &Values) -> Self {
        Self(postcard::to_stdvec(values).unwrap_or_default())
    }

    /// The values; `None` when the file has none.
    pub(crate) fn unpack(&self) -> Option<Values> {
        postcard::from_bytes(&self.0).ok()
    }

    /// How many bytes.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Serialize for PackedValues {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for PackedValues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = PackedValues;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<PackedValues, E> {
                Ok(PackedValues(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

impl Facts {
    /// Reads kept facts up to the calls, which an outline does not need.
    pub(crate) fn head(kept: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Head {
            symbols: Vec<Symbol>,
            imports: Vec<Import>,
            lines: u32,
            notes: Vec<String>,
        }
        let (Head { symbols, imports, lines, notes }, _) = postcard::take_from_bytes(kept).ok()?;
        Some(Self { symbols, imports, lines, notes, ..Self::default() })
    }

    /// The innermost symbol at a line.
    pub fn at_line(&self, line: u32) -> Option<u32> {
        let holds = |symbol: &Symbol| symbol.line <= line && line <= symbol.end_line;
        let mut best: Option<(u32, &Symbol)> = None;
        for (number, symbol) in self.symbols.iter().enumerate().filter(|(_, symbol)| holds(symbol)) {
            if best.is_none_or(|(_, other)| symbol.end_line - symbol.line <= other.end_line - other.line) {
                best = Some((number as u32, symbol));
            }
        }
        best.map(|(number, _)| number)
    }

    /// A symbol by its place in the list.
    pub fn symbol(&self, number: u32) -> Option<&Symbol> {
        self.symbols.get(number as usize)
    }

    /// A symbol's name with the types and functions around it: `Shop.add`.
    pub fn path(&self, number: u32) -> String {
        let Some(symbol) = self.symbol(number) else { return String::new() };
        let mut parts = vec![symbol.name.as_str()];
        if !symbol.container.is_empty() && symbol.kind != SymbolKind::Impl {
            parts.push(&symbol.container);
        }
        let mut up = symbol.parent;
        while let Some(parent) = up.and_then(|up| self.symbol(up)) {
            let said = parts.last() == Some(&parent.name.as_str());
            if !said && !matches!(parent.kind, SymbolKind::Impl | SymbolKind::Module) {
                parts.push(&parent.name);
            }
            up = parent.parent;
        }
        parts.reverse();
        parts.join(".")
    }
}
