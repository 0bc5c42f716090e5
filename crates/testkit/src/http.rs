//! A small HTTP/1.1 server on loopback: one thread per connection, one request per connection.
//! Just enough for the agents' clients; it takes fixed-length and chunked bodies and always closes.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a client may stay silent before its connection is given up.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a stopping server waits for answers under way.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// One request, read in full.
pub struct Incoming {
    /// `GET`, `POST` and so on.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// Names in lower case; of a repeated header the last one counts.
    pub headers: BTreeMap<String, String>,
    /// The bytes after the headers.
    pub body: Vec<u8>,
}

/// One answer.
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// The content type.
    pub kind: &'static str,
    /// The bytes.
    pub body: Vec<u8>,
}

impl Reply {
    /// An answer in JSON.
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self { status, kind: "application/json", body: body.to_string().into_bytes() }
    }
}

type Handler = dyn Fn(Incoming) -> Option<Reply> + Send + Sync;

#[derive(Default)]
struct OpenConnections {
    streams: Mutex<BTreeMap<u64, TcpStream>>,
    closed: Condvar,
}

impl OpenConnections {
    fn streams(&self) -> MutexGuard<'_, BTreeMap<u64, TcpStream>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running server; dropping it frees the port, cuts open connections and joins the accepting thread.
pub struct Server {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    open: Arc<OpenConnections>,
    accepting: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts one that answers with what the handler returns; where that is `None`, it says nothing until the client
    /// hangs up.
    pub fn start<R: Into<Option<Reply>>>(
        handler: impl Fn(Incoming) -> R + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let (stop, open) = (Arc::new(AtomicBool::new(false)), Arc::new(OpenConnections::default()));
        let handler: Arc<Handler> = Arc::new(move |incoming| handler(incoming).into());
        let accepting = {
            let (stop, open) = (Arc::clone(&stop), Arc::clone(&open));
            std::thread::Builder::new()
                .name("model".into())
                .spawn(move || accept(&listener, &stop, &open, &handler))?
        };
        Ok(Self { address, stop, open, accepting: Some(accepting) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the accepting thread; when this fails the listener is already gone.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.accepting.take() {
            let _ = thread.join();
        }
        let streams = self.open.streams();
        for stream in streams.values() {
            let _ = stream.shutdown(Shutdown::Read);
        }
        // Not a join: a step of the script may block for as long as it likes.
        let (streams, _) = self
            .open
            .closed
            .wait_timeout_while(streams, SHUTDOWN_TIMEOUT, |streams| !streams.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        for stream in streams.values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn accept(listener: &TcpListener, stop: &AtomicBool, open: &Arc<OpenConnections>, handler: &Arc<Handler>) {
    for id in 0.. {
        let Ok((stream, _)) = listener.accept() else { continue };
        if stop.load(Ordering::SeqCst) {
            return;
        }
        let Ok(twin) = stream.try_clone() else { continue };
        open.streams().insert(id, twin);
        let (open, handler) = (Arc::clone(open), Arc::clone(handler));
        std::thread::spawn(move || {
            let _gone = ConnectionGuard { id, open };
            // A client that disconnects early is not an error of the server.
            let _ = serve(&stream, &*handler);
            let _ = stream.shutdown(Shutdown::Both);
        });
    }
}

/// Takes a connection off the list when its thread ends, however it ends.
struct ConnectionGuard {
    id: u64,
    open: Arc<OpenConnections>,
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.open.streams().remove(&self.id);
        self.open.closed.notify_all();
    }
}

fn serve(stream: &TcpStream, handler: &Handler) -> io::Result<()> {
    stream.set_read_timeout(Some(IDLE_TIMEOUT))?;
    let mut writer = stream;
    let Some(request) = read(&mut BufReader::new(stream), &mut writer)? else { return Ok(()) };
    let head = request.method == "HEAD";
    let Some(Reply { status, kind, body }) = handler(request) else {
        return io::copy(&mut &*stream, &mut io::sink()).map(drop);
    };
    let start = format!(
        "HTTP/1.1 {status} {}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        if status < 400 { "OK" } else { "Error" },
        body.len()
    );
    writer.write_all(start.as_bytes())?;
    if !head {
        writer.write_all(&body)?;
    }
    writer.flush()
}

fn read(from: &mut impl BufRead, back: &mut impl Write) -> io::Result<Option<Incoming>> {
    let first = line(from)?;
    let mut words = first.split_whitespace();
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
    let (method, path) = (method.to_owned(), path.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let header = line(from)?;
        if header.is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':') {
            headers.insert(name.trim().to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    let has = |name: &str, value: &str| headers.get(name).is_some_and(|v| v.eq_ignore_ascii_case(value));
    if has("expect", "100-continue") {
        back.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let body = if has("transfer-encoding", "chunked") {
        chunks(from)?
    } else {
        let length = headers.get("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        from.read_exact(&mut body)?;
        body
    };
    Ok(Some(Incoming { method, path, headers, body }))
}

fn chunks(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = line(from)?;
        let size = size.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16).map_err(io::Error::other)?;
        if size == 0 {
            while !line(from)?.is_empty() {}
            return Ok(body);
        }
        if from.take(size).read_to_end(&mut body)? < size as usize {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        line(from)?;
    }
}

fn line(from: &mut impl BufRead) -> io::Result<String> {
    let mut bytes = Vec::new();
    from.read_until(b'\n', &mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(server: &Server, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.write_all(request).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn echo() -> Server {
        Server::start(|request| Reply { status: 200, kind: "text/plain", body: request.body }).unwrap()
    }

    #[test]
    fn fixed_length_and_chunked_bodies_arrive_whole() {
        let server = echo();
        let fixed = exchange(&server, b"POST /x HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello");
        assert!(fixed.ends_with("\r\n\r\nhello"), "{fixed}");
        let chunked = exchange(
            &server,
            b"POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nt: r\r\n\r\n",
        );
        assert!(chunked.ends_with("\r\n\r\nhello"), "{chunked}");
    }

    #[test]
    fn head_has_no_body_and_expectations_are_met() {
        let server =
            Server::start(|_| Reply { status: 200, kind: "text/plain", body: b"body".to_vec() }).unwrap();
        let head = exchange(&server, b"HEAD / HTTP/1.1\r\n\r\n");
        assert!(head.contains("content-length: 4") && head.ends_with("\r\n\r\n"), "{head}");
        let expect =
            exchange(&server, b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx");
        assert!(expect.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200"), "{expect}");
    }

    #[test]
    fn a_request_without_a_reply_stays_open_until_the_client_goes() {
        let server = Server::start(|_| None::<Reply>).unwrap();
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(answer, "");
    }

    #[test]
    fn an_idle_connection_holds_up_neither_others_nor_the_end() {
        let server = echo();
        let idle = TcpStream::connect(server.address()).unwrap();
        assert!(exchange(&server, b"GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200"));
        let address = server.address();
        drop(server);
        assert!(TcpStream::connect(address).is_err());
        drop(idle);
    }
}
