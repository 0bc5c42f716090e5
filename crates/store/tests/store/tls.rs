//! TLS to a real server: encrypted, and only to the one that the certificate names.

use sprag_store::testing::Server;
use sprag_store::{Error, Opening, Store, Target};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A certificate for this name, signed by itself: its file, its text, its key.
fn certificate(dir: &Path, name: &str) -> Option<(PathBuf, String, String)> {
    let (cert, key) = (dir.join(format!("{name}.crt")), dir.join(format!("{name}.key")));
    let made = Command::new("openssl")
        .args([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2",
        ])
        .args(["-subj", &format!("/CN={name}"), "-addext", &format!("subjectAltName=IP:{name}")])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&cert)
        .output()
        .ok()?;
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let text = |path: &Path| std::fs::read_to_string(path).unwrap();
    Some((cert.clone(), text(&cert), text(&key)))
}

#[test]
fn a_connection_is_encrypted_and_the_certificate_is_checked() {
    let dir = tempfile::tempdir().unwrap();
    let Some((good, cert, key)) = certificate(dir.path(), "127.0.0.1") else {
        return sprag_testkit::skip("no openssl here to make certificates");
    };
    let (other, other_cert, other_key) = certificate(dir.path(), "127.0.0.2").unwrap();
    let Some(server) = Server::new() else { return };
    server.require_tls(&cert, &key);
    let open = |query: &str| {
        let url = format!("postgres://sprag@127.0.0.1:{}/postgres?{query}", server.port());
        Store::open(&Target::parse(&url, Path::new("")).unwrap(), Opening::WORKER)
    };
    open(&format!("sslmode=require&sslrootcert={}", good.display())).unwrap();
    open(&format!("sslmode=verify-full&sslrootcert={}", good.display())).unwrap();
    open(&format!("sslrootcert={}", good.display())).unwrap();
    assert!(matches!(open("sslmode=disable"), Err(Error::Refused(_))), "the server wants TLS");
    for query in ["sslmode=require".to_owned(), format!("sslmode=require&sslrootcert={}", other.display())] {
        let error = open(&query).err().unwrap();
        assert!(error.to_string().contains("certificate"), "{error}");
    }
    let error = open("sslmode=require&sslrootcert=/nowhere/ca.pem").err().unwrap();
    assert!(matches!(error, Error::Url(_)), "{error}");
    drop(server);
    // A certificate that is known, but for another name.
    let server = Server::new().unwrap();
    server.require_tls(&other_cert, &other_key);
    let url = format!(
        "postgres://sprag@127.0.0.1:{}/postgres?sslmode=require&sslrootcert={}",
        server.port(),
        other.display()
    );
    let error = Store::open(&Target::parse(&url, Path::new("")).unwrap(), Opening::WORKER).err().unwrap();
    assert!(error.to_string().contains("not valid for name"), "{error}");
}
