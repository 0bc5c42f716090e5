//! The shape of source code: languages, outlines, calls, flow, the symbol index.

pub mod extract;
pub mod facts;
pub mod functions;
pub mod language;
pub mod parse;
pub mod source;

pub use facts::{Call, Facts, Import, Kind, On, Symbol};
pub use language::{Language, Layer, Support};
pub use parse::{Limits, NoTree, Parsed};
