//! Symbols, calls and the index, in every language.

mod hostile;
mod languages;
mod projects;
mod scanner;
