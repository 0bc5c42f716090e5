//! sprag: one binary, one process per event. `hook` is decided before any argument parser is built.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

mod args;
mod commands;

use std::process::ExitCode;

#[global_allocator]
static ARENA: sprag_arena::Arena = sprag_arena::Arena::new();

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    match words.next() {
        None => return commands::home::main(),
        Some(word) if word == "hook" => {
            let rest: Vec<_> = words.collect();
            if let Some(code) = commands::hook::main(&rest) {
                return code;
            }
        }
        Some(_) => {}
    }
    commands::run()
}
