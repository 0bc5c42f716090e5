//! What is kept from session to session: memories, lessons, handoffs, and the models that are asked for them.

#[path = "../cli_home/mod.rs"]
mod cli_home;

mod embedding;
mod knowledge;
mod lessons;
mod memory;
mod model_path;
