//! The same server over HTTP: for a web server that has checked who asks.

use crate::{Options, Server};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use sprag_config::host::Host;
use std::sync::Arc;

/// Answers requests of the streamable HTTP transport; each client that begins with a handshake has a session of its own.
pub type HttpService = StreamableHttpService<Server, LocalSessionManager>;

/// The largest request.
const MAX_REQUEST: usize = 1 << 20;

/// The service for clients that name one of these hosts. Who may ask is for the web server to know.
pub fn http_service(host: &Host, options: Options, hosts: &[String]) -> HttpService {
    let host = host.clone();
    let options = Options { remote: true, ..options };
    let mut config = StreamableHttpServerConfig::default().with_allowed_hosts(hosts.to_vec());
    config.max_request_body_bytes = MAX_REQUEST;
    StreamableHttpService::new(
        move || Ok(Server::new(host.clone(), options.clone())),
        Arc::new(LocalSessionManager::default()),
        config,
    )
}
