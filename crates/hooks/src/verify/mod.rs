//! Is it right: hooks that run a project's own compilers and linters, and the one mechanism under them.
//!
//! A hook leaves a request in the project's folder of the state ([`ask`]), the background worker takes all that wait,
//! runs what they call for once ([`run`]), and leaves what is new in each session's state, where the next event finds
//! it. A hook that expects a quick answer waits for it.

pub mod ask;
mod changes;
mod config;
mod disk;
mod host_process;
pub mod place;
pub mod run;
mod start;

pub mod build_sensor;
pub mod compiler_in_the_loop;
pub mod import_validator;
pub mod stop_verify;
pub mod typescript_preflight;
