//! Code intelligence: languages, outlines, calls, control and data flow, the symbol index.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

pub mod answer;
pub mod extract;
pub mod facts;
pub mod facts_cache;
pub mod flow;
pub mod graph;
pub mod index;
pub mod language;
pub mod map;
pub mod modules;
pub mod outline;
pub mod parse;
mod parser_memory;
mod points;
pub mod query;
pub mod scanner;
pub mod search_context;
pub mod source;
pub mod tokens;
mod values;

pub use facts::{Call, Facts, Import, Receiver, Symbol, SymbolKind};
pub use language::{Language, Layer, Support};
pub use parse::{Limits, ParseError, Parsed};
