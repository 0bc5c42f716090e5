//! The HTTP side: a loopback socket, the checks of the gate on every request, headers, and the stream of changes.

use crate::app::{App, Ask};
use crate::gate::{Asked, Gate, Refused};
use crate::{act, pages, password, view};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get, post};
use futures_util::stream::{self, Stream};
use sprag_config::host::Host;
use sprag_mcp::HttpService;
use sprag_project::Project;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// The largest form.
const MAX_FORM: usize = 64 << 10;
/// How often the journal is looked at while somebody watches.
const POLL: Duration = Duration::from_millis(250);

/// What `sprag serve` was asked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The port; 0 is any that is free.
    pub port: u16,
    /// Actions are possible.
    pub actions: bool,
    /// `/metrics` is open to every program of this machine.
    pub metrics: bool,
    /// MCP clients are served at `/mcp`.
    pub mcp: bool,
    /// Another interface than loopback; it needs a password.
    pub listen: Option<IpAddr>,
    /// Names that lead here from elsewhere, with a port where it is not the usual one.
    pub names: Vec<String>,
}

/// Why the page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The port is taken, or there is no loopback.
    #[error("cannot listen on {address}:{port}: {error}")]
    Bind {
        /// The interface.
        address: IpAddr,
        /// The port.
        port: u16,
        /// Why.
        error: std::io::Error,
    },
    /// Another interface needs a password.
    #[error("listening on {0} lets other machines reach the page, and there is no password")]
    NoPassword(IpAddr),
    /// The token of MCP clients cannot be kept.
    #[error("the token for MCP clients cannot be kept: {0}")]
    Token(std::io::Error),
    /// The server ended.
    #[error("the server ended: {0}")]
    Ended(std::io::Error),
}

/// A server that has its port and does not answer yet.
pub struct Listening {
    runtime: tokio::runtime::Runtime,
    listener: TcpListener,
    address: SocketAddr,
    app: Arc<App>,
    open_metrics: bool,
    mcp: Option<HttpService>,
}

/// Takes a port: on loopback, or on another interface when there is a password.
pub fn bind(host: Host, project: Project, options: &Options) -> Result<Listening, ServeError> {
    let interface = options.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let elsewhere = !interface.is_loopback() || !options.names.is_empty();
    let known = if elsewhere { password::read(&host) } else { None };
    if elsewhere && known.is_none() {
        return Err(ServeError::NoPassword(interface));
    }
    let token = if options.mcp { Some(password::token(&host).map_err(ServeError::Token)?) } else { None };
    let failed = |error| ServeError::Bind { address: interface, port: options.port, error };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(8)
        .build()
        .map_err(failed)?;
    let listener = runtime.block_on(TcpListener::bind((interface, options.port))).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let hosts = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{}", address.port()));
    let mut hosts = hosts.to_vec();
    if !interface.is_unspecified() && !interface.is_loopback() {
        hosts.push(address.to_string());
    }
    let mcp = options.mcp.then(|| {
        let named: Vec<String> = hosts.iter().chain(&options.names).cloned().collect();
        sprag_mcp::http_service(&host, sprag_mcp::Options::default(), &named)
    });
    let gate = Gate::new(hosts, options.actions)
        .with_token(token.as_deref())
        .with_password(options.names.clone(), known);
    let app = Arc::new(App::new(host, project, gate));
    Ok(Listening { runtime, listener, address, app, open_metrics: options.metrics, mcp })
}

/// What makes links and codes: for the terminal alone.
#[derive(Clone)]
pub struct Keys {
    app: Arc<App>,
    address: SocketAddr,
}

impl Keys {
    /// A link that opens the page once.
    pub fn link(&self) -> String {
        format!("http://{}/?t={}", self.address, self.app.gate.new_link())
    }

    /// The code of actions that loosen; `None` when there are no actions.
    pub fn code(&self) -> Option<String> {
        self.app.gate.actions().then(|| self.app.gate.code())
    }
}

impl Listening {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What makes links and codes.
    pub fn keys(&self) -> Keys {
        Keys { app: Arc::clone(&self.app), address: self.address }
    }

    /// Serves until the process ends.
    pub fn run(self) -> Result<(), ServeError> {
        let Self { runtime, listener, app, open_metrics, mcp, .. } = self;
        let reader = Arc::clone(&app);
        // What is older than the newest lines is read while people already look.
        std::thread::spawn(move || {
            drop(reader.index.look());
            while reader.index.read_older() {}
        });
        runtime.block_on(async move {
            let (changed, watching) = watch::channel(0);
            tokio::spawn(watch_for_changes(Arc::clone(&app), changed));
            let state = Served { app, open_metrics, watching, mcp };
            let router = Router::new()
                .route("/live", get(live))
                .route("/metrics", get(metrics))
                .route("/login", post(log_in))
                .route("/mcp", any(mcp_client))
                .fallback(answer)
                .layer(middleware::from_fn_with_state(state.clone(), guarded))
                .with_state(state);
            axum::serve(listener, router).await.map_err(ServeError::Ended)
        })
    }
}

#[derive(Clone)]
struct Served {
    app: Arc<App>,
    open_metrics: bool,
    watching: watch::Receiver<u64>,
    mcp: Option<HttpService>,
}

/// Looks for changes while somebody watches; nobody pays when nobody does.
async fn watch_for_changes(app: Arc<App>, changed: watch::Sender<u64>) {
    let mut seen = 0;
    loop {
        tokio::time::sleep(POLL).await;
        // The server's own receiver is one of them.
        if changed.receiver_count() <= 1 {
            continue;
        }
        let looking = Arc::clone(&app);
        let version = tokio::task::spawn_blocking(move || {
            let pending = sprag_runtime::pending::version(&looking.host);
            let more = pending.wrapping_add(looking.background_version().wrapping_mul(7_919));
            looking.index.look().version.wrapping_mul(1_000_003).wrapping_add(more)
        });
        if let Ok(version) = version.await
            && version != seen
        {
            seen = version;
            let _ = changed.send(version);
        }
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

fn cookie_name(address_port: &str) -> String {
    format!("sprag-{}", address_port.rsplit(':').next().unwrap_or_default())
}

fn asked(request: &Request) -> Asked {
    let headers = request.headers();
    // Two names are as good as none: the one that is checked may not be the one that is used.
    let host = text(headers, header::HOST).filter(|_| headers.get_all(header::HOST).iter().count() == 1);
    let name = cookie_name(host.as_deref().unwrap_or_default());
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let cookie = cookies
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(known, _)| *known == name)
        .map(|(_, value)| value.to_owned());
    Asked {
        changes: !matches!(*request.method(), Method::GET | Method::HEAD),
        origin: text(headers, header::ORIGIN),
        site: text(headers, HeaderName::from_static("sec-fetch-site")),
        mode: text(headers, HeaderName::from_static("sec-fetch-mode")),
        bearer: text(headers, header::AUTHORIZATION)
            .and_then(|value| value.strip_prefix("Bearer ").map(|token| token.trim().to_owned())),
        host,
        cookie,
    }
}

/// The checks before anything else, and the headers of every answer.
async fn guarded(State(served): State<Served>, request: Request, next: Next) -> Response {
    let asked = asked(&request);
    let mut response = match enter(&served.app.gate, served.open_metrics, &asked, &request) {
        Ok(None) => next.run(request).await,
        Ok(Some(response)) => response,
        Err(Refused::Unknown) if served.app.gate.has_password() && !asked.changes => {
            log_in_page(StatusCode::UNAUTHORIZED, &own_path(request.uri()), None)
        }
        Err(refused) => refuse(refused),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (
            "content-security-policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        // With `no-referrer` a browser hides the origin of its own forms too.
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Lets a request in, answers it at once, or refuses it.
fn enter(
    gate: &Gate,
    open_metrics: bool,
    asked: &Asked,
    request: &Request,
) -> Result<Option<Response>, Refused> {
    let path = request.uri().path();
    if path == "/mcp" && gate.has_token() {
        return gate.admit_client(asked).map(|()| None);
    }
    gate.admit(asked)?;
    if let Some(asset) = pages::asset(path) {
        return Ok(Some(asset));
    }
    let token = params(request.uri().query().unwrap_or_default()).into_iter().find(|(name, _)| name == "t");
    if let Some((_, token)) = token.filter(|_| !asked.changes) {
        return Ok(Some(entered(asked, &gate.enter(&token)?, path)));
    }
    if path == "/login" && gate.has_password() && asked.changes {
        return Ok(None);
    }
    // A scraper has no cookie: who wants one says so when the server is started.
    if !(path == "/metrics" && open_metrics) {
        gate.visitor(asked)?;
    }
    Ok(None)
}

/// Leads a visitor to a path with the cookie that makes them one.
fn entered(asked: &Asked, cookie: &str, to: &str) -> Response {
    let name = cookie_name(asked.host.as_deref().unwrap_or_default());
    let encrypted = asked.origin.as_deref().is_some_and(|origin| origin.starts_with("https://"));
    let secure = if encrypted { "; Secure" } else { "" };
    let cookie = format!("{name}={cookie}; Path=/; HttpOnly; SameSite=Strict{secure}");
    (StatusCode::SEE_OTHER, [(header::LOCATION, to.to_owned()), (header::SET_COOKIE, cookie)]).into_response()
}

/// The path and query of an address of this page, for a way back.
fn own_path(uri: &Uri) -> String {
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    if path.starts_with("//") || path.contains('\\') { "/".to_owned() } else { path.to_owned() }
}

fn log_in_page(status: StatusCode, next: &str, wrong: Option<&str>) -> Response {
    html(status, view::log_in(next, wrong).into_string())
}

/// Takes the password of somebody on another machine.
async fn log_in(State(served): State<Served>, request: Request) -> Response {
    let asked = asked(&request);
    let given = form(request.into_body()).await;
    let field = |name: &str| {
        given.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let next: Uri = field("next").parse().unwrap_or_default();
    let next = own_path(&next);
    let (app, password) = (Arc::clone(&served.app), field("password"));
    let checked = tokio::task::spawn_blocking(move || app.gate.log_in(&password)).await;
    match checked.unwrap_or(Err(Refused::Password)) {
        Ok(cookie) => entered(&asked, &cookie, &next),
        Err(Refused::Locked) => refuse(Refused::Locked),
        Err(refused) => log_in_page(StatusCode::UNAUTHORIZED, &next, Some(&refused.to_string())),
    }
}

/// Answers an MCP client, whose token was checked.
async fn mcp_client(State(served): State<Served>, request: Request) -> Response {
    match &served.mcp {
        Some(service) => service.handle(request).await.map(Body::new),
        None => html(
            StatusCode::NOT_FOUND,
            view::refusal("Nothing is here", "Start it with `sprag serve --mcp`.").into_string(),
        ),
    }
}

fn refuse(refused: Refused) -> Response {
    let (status, title) = match refused {
        Refused::Host => (StatusCode::MISDIRECTED_REQUEST, "Not served under this name"),
        Refused::Unknown => (StatusCode::UNAUTHORIZED, "Open the link from the terminal"),
        Refused::Locked => (StatusCode::TOO_MANY_REQUESTS, "Too many attempts"),
        Refused::Token | Refused::Password => (StatusCode::UNAUTHORIZED, "Refused"),
        Refused::Foreign | Refused::Form | Refused::Code | Refused::ReadOnly => {
            (StatusCode::FORBIDDEN, "Refused")
        }
    };
    html(status, view::refusal(title, &refused.to_string()).into_string())
}

fn html(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response()
}

fn params(text: &str) -> Vec<(String, String)> {
    serde_urlencoded::from_str(text).unwrap_or_default()
}

/// Every screen and every action.
async fn answer(State(served): State<Served>, request: Request) -> Response {
    let visitor = match served.app.gate.visitor(&asked(&request)) {
        Ok(visitor) => visitor,
        Err(refused) => return refuse(refused),
    };
    let (parts, body) = request.into_parts();
    let acts = parts.method == Method::POST;
    if !acts && !matches!(parts.method, Method::GET | Method::HEAD) {
        return html(
            StatusCode::METHOD_NOT_ALLOWED,
            view::refusal("Refused", "Nothing is done this way.").into_string(),
        );
    }
    let query = parts.uri.query().unwrap_or_default().to_owned();
    let given = if acts { form(body).await } else { params(&query) };
    let app = Arc::clone(&served.app);
    let rendered = tokio::task::spawn_blocking(move || {
        let path = parts.uri.path();
        let ask = Ask { app: &app, visitor: &visitor, path, params: given, now: app.host.clock.now() };
        if acts { act::answer(&ask) } else { pages::answer(&ask) }
    });
    match rendered.await {
        Ok(Ok(pages::Answer::Html(status, markup))) => html(status, markup.into_string()),
        Ok(Ok(pages::Answer::Go(to))) => (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response(),
        Ok(Err(refused)) => refuse(refused),
        Err(_) => {
            let page = view::refusal(
                "This screen failed",
                "Another screen may work; `sprag doctor` looks for the cause.",
            );
            html(StatusCode::INTERNAL_SERVER_ERROR, page.into_string())
        }
    }
}

/// Numbers for Prometheus: with a cookie, or open when the server was started so.
async fn metrics(State(served): State<Served>) -> Response {
    let app = Arc::clone(&served.app);
    match tokio::task::spawn_blocking(move || sprag_telemetry::text(&app.host)).await {
        Ok(Ok(text)) => ([(header::CONTENT_TYPE, sprag_telemetry::KIND)], text).into_response(),
        Ok(Err(_)) | Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn form(body: Body) -> Vec<(String, String)> {
    let bytes = to_bytes(body, MAX_FORM).await.unwrap_or_default();
    serde_urlencoded::from_bytes(&bytes).unwrap_or_default()
}

/// The stream of changes: a number for each; the page then asks for what it shows.
async fn live(State(served): State<Served>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let mut watching = served.watching.clone();
    watching.mark_unchanged();
    let changes = stream::unfold(watching, |mut watching| async move {
        watching.changed().await.ok()?;
        let version = *watching.borrow_and_update();
        Some((Ok(Event::default().event("changed").data(version.to_string())), watching))
    });
    Sse::new(changes).keep_alive(KeepAlive::new().interval(Duration::from_secs(20)))
}
