//! The outline instead of the text: code that is large, searched for or called.

pub mod session_symbol_index;
pub mod signature_helper;
pub mod smart_search_router;
pub mod tldr_read_enforcer;
