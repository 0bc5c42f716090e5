//! A server that stops answering: every wait ends, whatever it had already said.

use sprag_store::testing::{self, Server};
use sprag_store::{Error, Opening, Store, Target};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const QUICK: Opening =
    Opening { wait: Duration::from_millis(300), connect: Duration::from_millis(300), ..Opening::WORKER };

fn target(port: u16, query: &str) -> Target {
    database(port, "postgres", query)
}

fn database(port: u16, name: &str, query: &str) -> Target {
    Target::parse(&format!("postgres://sprag@127.0.0.1:{port}/{name}?{query}"), Path::new("")).unwrap()
}

#[track_caller]
fn is_late(error: &Error) {
    assert!(matches!(error, Error::Unreachable(text) if text.contains("no answer within")), "{error}");
}

#[test]
fn a_server_that_accepts_and_says_nothing_is_given_up() {
    // The queue of a listener accepts by itself; nobody ever reads from it.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for query in ["sslmode=disable", "sslmode=require"] {
        is_late(&Store::open(&target(port, query), QUICK).err().unwrap());
    }
}

#[test]
fn encryption_that_never_comes_about_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut request = [0; 8];
        client.read_exact(&mut request).unwrap();
        // "Yes, encrypted", and then no greeting.
        client.write_all(b"S").unwrap();
        // Until the client gives up.
        let _ = client.read_to_end(&mut Vec::new());
    });
    is_late(&Store::open(&target(port, "sslmode=require"), QUICK).err().unwrap());
    server.join().unwrap();
}

/// A login that succeeds, and a server that answers nothing after it: also who waits long for a statement, as a
/// migration does, gives up soon.
#[test]
fn a_server_that_answers_no_statement_is_given_up_before_the_wait_for_a_statement() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let _ = client.read(&mut [0; 4096]).unwrap();
        // Authenticated; ready for a statement.
        client.write_all(b"R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\0\x01\0\0\0\x01Z\0\0\0\x05I").unwrap();
        let _ = client.read_to_end(&mut Vec::new());
    });
    let patient = Opening { wait: Duration::from_secs(3600), ..QUICK };
    is_late(&Store::open(&target(port, "sslmode=disable"), patient).err().unwrap());
    server.join().unwrap();
}

/// Hands on what both sides say, until it is told to keep the server's answers to itself.
fn proxy(server: &Server) -> (u16, Arc<AtomicBool>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (own, port) = (listener.local_addr().unwrap().port(), server.port());
    let silent = Arc::new(AtomicBool::new(false));
    let mute = Arc::clone(&silent);
    std::thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let server = TcpStream::connect(("127.0.0.1", port)).unwrap();
            for (mut from, mut to, mute) in [
                (client.try_clone().unwrap(), server.try_clone().unwrap(), None),
                (server, client, Some(Arc::clone(&mute))),
            ] {
                std::thread::spawn(move || {
                    let mut bytes = [0; 4096];
                    while let Ok(count @ 1..) = from.read(&mut bytes) {
                        let heard = !mute.as_ref().is_some_and(|mute| mute.load(Ordering::SeqCst));
                        if heard && to.write_all(&bytes[..count]).is_err() {
                            break;
                        }
                    }
                });
            }
        }
    });
    (own, silent)
}

#[test]
fn a_statement_without_an_answer_is_given_up_and_its_late_answer_is_nobodys() {
    let Some(server) = testing::server() else { return };
    let (port, silent) = proxy(&server);
    let url = server.database();
    let name = url.rsplit('/').next().and_then(|end| end.split('?').next()).unwrap();
    let target = database(port, name, "sslmode=disable");
    let patient = Opening { connect: Duration::from_secs(2), ..QUICK };
    let mut store = Store::open(&target, patient).unwrap();
    assert!(store.schema().is_ok());
    silent.store(true, Ordering::SeqCst);
    is_late(&store.schema().unwrap_err());
    // Its answer may come now, but not for this question.
    silent.store(false, Ordering::SeqCst);
    is_late(&store.schema().unwrap_err());
    assert!(Store::open(&target, patient).unwrap().schema().is_ok());
}
