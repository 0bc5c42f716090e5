//! The shape of source code: languages, outlines, calls, flow, the symbol index.

pub mod answer;
pub mod extract;
pub mod facts;
pub mod flow;
pub mod graph;
pub mod index;
pub mod known;
pub mod language;
pub mod modules;
pub mod parse;
mod pool;
pub mod query;
pub mod search_context;
pub mod shape;
pub mod skim;
pub mod source;
pub mod tokens;

pub use facts::{Call, Facts, Import, Kind, On, Symbol};
pub use language::{Language, Layer, Support};
pub use parse::{Limits, NoTree, Parsed};
