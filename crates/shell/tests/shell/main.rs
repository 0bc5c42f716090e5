//! Shell text: single constructs, the corpus, and what holds for every input.

mod constructs;
mod corpus;
mod git_state;
mod properties;
