//! An endpoint over TLS with a certificate of our own: encrypted, and only to the one whose certificate is known.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail, sets up files, and speaks to its parent"
)]

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use sprag_llm::{Backend, Llm, http};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// A certificate for this name, signed by itself, and its key.
fn certificate(dir: &Path, name: &str) -> Option<(PathBuf, PathBuf)> {
    let (cert, key) = (dir.join(format!("{name}.crt")), dir.join(format!("{name}.key")));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"])
        .args(["-days", "2", "-subj", &format!("/CN={name}")])
        .args(["-addext", &format!("subjectAltName=IP:{name}")])
        .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&cert)
        .output()
        .ok()?;
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Some((cert, key))
}

/// A server that answers every question over TLS; gives its port.
fn serve(cert: &Path, key: &Path) -> u16 {
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_file(cert).unwrap()],
            PrivateKeyDer::from_pem_file(key).unwrap(),
        )
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let Ok(connection) = ServerConnection::new(Arc::clone(&config)) else { continue };
            let mut stream = StreamOwned::new(connection, stream);
            let mut asked = Vec::new();
            let mut part = [0; 4096];
            // A client that does not know the certificate hangs up here.
            while let Ok(count) = stream.read(&mut part) {
                asked.extend_from_slice(part.get(..count).unwrap_or_default());
                let text = String::from_utf8_lossy(&asked);
                let whole = text.split_once("\r\n\r\n").is_some_and(|(_, body)| body.ends_with('}'));
                if count == 0 || whole {
                    break;
                }
            }
            let body = r#"{"choices":[{"message":{"content":"42"}}]}"#;
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            let _ = stream.write_all(format!("{head}{body}").as_bytes());
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
    });
    port
}

/// Not a test: what the test below starts as a process of its own, because the known certificates are the process's.
#[test]
#[ignore = "started by another test"]
fn child() {
    let Ok(url) = std::env::var("CHILD_URL") else { return };
    let llm = Llm {
        backend: Backend::None,
        model: "m".into(),
        timeout: Duration::from_secs(20),
        command: Vec::new(),
    };
    match http::ask(&llm, &url, Some("key".into()), "why?") {
        Ok(answer) => println!("ANSWER {answer}"),
        Err(error) => println!("ERROR {error}"),
    }
}

fn asked(url: &str, known: &Path) -> String {
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env("CHILD_URL", url)
        .env("SSL_CERT_FILE", known)
        .env_remove("SSL_CERT_DIR")
        .output()
        .unwrap();
    String::from_utf8_lossy(&done.stdout).into_owned()
}

#[test]
fn an_endpoint_over_tls_is_asked_when_its_certificate_is_known() {
    let dir = tempfile::tempdir().unwrap();
    let Some((cert, key)) = certificate(dir.path(), "127.0.0.1") else {
        return sprag_testkit::skip("no openssl here to make certificates");
    };
    let (other, _) = certificate(dir.path(), "127.0.0.2").unwrap();
    let url = format!("https://127.0.0.1:{}/v1", serve(&cert, &key));
    let said = asked(&url, &cert);
    assert!(said.contains("ANSWER 42"), "{said}");
    let said = asked(&url, &other);
    assert!(said.contains("ERROR") && said.contains("certificate"), "{said}");
}
