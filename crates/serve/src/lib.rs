//! `sprag serve`: a local page that shows what the agents do, what was stopped and why, what was learned and who waits.
//! Rendered here, live by server-sent events. It reads the journal and the store, and starts no program.

mod act;
mod app;
mod chart;
mod drawing;
mod gate;
mod index;
mod maps;
mod pages;
mod password;
mod server;
mod spending;
mod view;

pub use password::{MIN_PASSWORD, set_password, token_file};
pub use server::{Keys, Listening, Options, ServeError, bind};
