//! `install.sh`: from a release on loopback.

use crate::{both, clean, dist, needs, ok, run, serve, works};
use std::path::{Path, PathBuf};
use std::process::Command;

fn install(home: &Path, url: &str) -> Command {
    let mut command = clean("sh", home);
    command.arg(dist().join("install.sh")).env("SPRAG_BASE_URL", url);
    command
}

#[test]
fn it_installs_what_the_checksums_name() {
    if !needs("curl") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let server = serve(dist().to_path_buf());
    let url = format!("http://{}", server.address());
    let said = ok(&mut install(home.path(), &url));
    assert!(said.contains("next: sprag init") && said.contains(".local/bin is not on PATH"), "{said}");
    works(|| clean(home.path().join(".local/bin/sprag"), home.path()));
    let receipt = std::fs::read_to_string(home.path().join(".local/share/sprag/installed.json")).unwrap();
    let receipt: serde_json::Value = serde_json::from_str(&receipt).unwrap();
    assert_eq!((&receipt["channel"], &receipt["base"]), (&"script".into(), &url.into()));
}

#[test]
fn a_file_with_another_checksum_is_not_installed() {
    if !needs("curl") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let release: PathBuf = home.path().join("release");
    std::fs::create_dir(&release).unwrap();
    let archive = format!("sprag-{}-unknown-linux-musl.tar.gz", std::env::consts::ARCH);
    std::fs::copy(dist().join("SHA256SUMS"), release.join("SHA256SUMS")).unwrap();
    std::fs::write(release.join(archive), "something else").unwrap();
    let server = serve(release);
    let output = run(&mut install(home.path(), &format!("http://{}", server.address())));
    let said = both(&output);
    assert!(!output.status.success() && said.contains("error: the checksum of"), "{said}");
    assert!(!home.path().join(".local").exists());
}

#[test]
fn a_server_that_is_not_there_or_not_encrypted_is_refused() {
    if !needs("curl") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let plain = run(&mut install(home.path(), "http://example.org/sprag"));
    assert!(both(&plain).contains("is not an https address"), "{}", both(&plain));
    let server = serve(home.path().to_path_buf());
    let empty = run(&mut install(home.path(), &format!("http://{}", server.address())));
    assert!(!empty.status.success() && both(&empty).contains("could not be fetched"), "{}", both(&empty));
    assert!(!home.path().join(".local").exists());
}
