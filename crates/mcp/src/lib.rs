//! sprag over the Model Context Protocol: what a model may ask by itself. Tools, resources and prompts over the same functions
//! that the commands call. [`Server`] knows no transport: [`serve_stdio`] is one, a web server can mount it as another.
//! Nothing here loosens a guard: approving, trusting, switching off and uninstalling are a person's commands.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

mod arguments;
mod caller;
mod error;
mod http;
mod page;
mod projects;
mod prompts;
mod resources;
mod server;
mod table;
mod tools;

pub use http::{HttpService, http_service};
pub use server::Server;
pub use table::{Group, tool_names};

use rmcp::ServiceExt as _;
use sprag_config::host::Host;
use std::path::PathBuf;

/// What a server offers, and where.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only these groups of tools; none: all of them.
    pub groups: Vec<Group>,
    /// The project, where the client does not say it.
    pub project: Option<PathBuf>,
    /// Clients are not started by who started this: where it runs says nothing about their project.
    pub remote: bool,
}

/// Why the server ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// There is no runtime.
    #[error("no runtime can be made: {0}")]
    Runtime(#[from] std::io::Error),
    /// The client did not begin as the protocol says.
    #[error("the client did not begin as the protocol says: {0}")]
    Handshake(String),
    /// A task failed.
    #[error("the server failed: {0}")]
    Task(String),
}

/// Serves one client on standard input and output until it leaves.
pub fn serve_stdio(host: &Host, options: Options) -> Result<(), ServeError> {
    let server = Server::new(host.clone(), options);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let running = match server.serve(rmcp::transport::io::stdio_pipes()).await {
            Ok(running) => running,
            // A client that leaves before it said anything is none.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(ServeError::Handshake(error.to_string())),
        };
        running.waiting().await.map(|_| ()).map_err(|error| ServeError::Task(error.to_string()))
    });
    // A question that is still being answered has nobody to go to.
    runtime.shutdown_background();
    served
}
