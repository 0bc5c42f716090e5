//! The Debian package: installed by dpkg into an empty root, run from there, and removed.

use crate::{artefact, clean, needs, ok, works};
use std::process::Command;

#[test]
fn dpkg_installs_and_removes_it() {
    if !needs("dpkg") || !needs("dpkg-deb") {
        return;
    }
    let package = artefact(".deb");
    let fields = ok(Command::new("dpkg-deb").arg("--field").arg(&package));
    assert!(fields.contains("Package: sprag\n") && !fields.contains("Depends:"), "{fields}");
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("root");
    for folder in ["var/lib/dpkg/updates", "var/lib/dpkg/info", "var/log", "tmp"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    for file in ["status", "available"] {
        std::fs::write(root.join("var/lib/dpkg").join(file), "").unwrap();
    }
    let dpkg = || {
        let mut dpkg = clean("dpkg", home.path());
        dpkg.arg(format!("--root={}", root.display()))
            .args(["--force-not-root", "--force-bad-path", "--force-script-chrootless"]);
        dpkg
    };
    ok(dpkg().arg("--install").arg(&package));
    let sprag = root.join("usr/bin/sprag");
    works(|| clean(&sprag, home.path()));
    for file in
        ["share/man/man1/sprag.1", "share/bash-completion/completions/sprag", "share/doc/sprag/copyright"]
    {
        assert!(root.join("usr").join(file).is_file(), "{file}");
    }
    let listed = ok(dpkg().args(["--listfiles", "sprag"]));
    assert!(listed.lines().any(|line| line == "/usr/bin/sprag"), "{listed}");
    ok(dpkg().args(["--purge", "sprag"]));
    assert!(!sprag.exists());
}
