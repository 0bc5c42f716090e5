//! The archives, the lists beside them, and the bill of materials.

use crate::{artefact, clean, dist, needs, ok, works};
use serde_json::Value;
use std::process::Command;

fn json(path: &std::path::Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn the_archive_has_the_binary_where_binstall_looks() {
    let home = tempfile::tempdir().unwrap();
    ok(Command::new("tar")
        .arg("-xzf")
        .arg(artefact("-unknown-linux-musl.tar.gz"))
        .arg("-C")
        .arg(home.path()));
    works(|| clean(home.path().join("sprag"), home.path()));
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "share/man/man1/sprag.1"] {
        assert!(home.path().join(file).is_file(), "{file}");
    }
}

#[test]
fn the_checksums_are_those_of_the_files() {
    if needs("sha256sum") {
        ok(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(dist()));
    }
    let index = json(&dist().join("release.json"));
    let listed = index["files"].as_array().unwrap();
    let archive = listed.iter().find(|file| file["target"].is_string()).unwrap();
    assert!(archive["name"].as_str().unwrap().ends_with("-linux-musl.tar.gz"), "{archive}");
    ok(Command::new(env!("CARGO_BIN_EXE_xtask")).args(["release", "--dry-run", "--dist"]).arg(dist()));
}

#[test]
fn the_extension_has_its_manifest_at_the_root_and_starts_its_own_binary() {
    let home = tempfile::tempdir().unwrap();
    let archive = artefact(".sprag.tar.gz");
    let name = archive.file_name().unwrap().to_string_lossy().into_owned();
    assert!(["linux.x64.sprag.tar.gz", "linux.arm64.sprag.tar.gz"].contains(&name.as_str()), "{name}");
    ok(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(home.path()));
    assert_eq!(json(&home.path().join("gemini-extension.json"))["version"], env!("CARGO_PKG_VERSION"));
    let hooks = json(&home.path().join("hooks/hooks.json"));
    let events = hooks["hooks"].as_object().unwrap();
    assert!(events.contains_key("BeforeTool") && events.contains_key("SessionStart"), "{hooks:#}");
    for groups in events.values() {
        assert_eq!(groups[0]["hooks"][0]["command"], "\"${extensionPath}${/}sprag\" hook --agent gemini");
    }
    assert!(home.path().join("sprag").is_file());
}

#[test]
fn the_bill_of_materials_lists_the_libraries() {
    let bill = json(&artefact(".cdx.json"));
    assert_eq!((&bill["bomFormat"], &bill["specVersion"]), (&"CycloneDX".into(), &"1.5".into()));
    let components = bill["components"].as_array().unwrap();
    let names: Vec<&str> = components.iter().map(|component| component["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"serde_json") && names.contains(&"rusqlite"), "{names:?}");
    assert!(!names.contains(&"proptest") && !names.contains(&"sprag-base"), "{names:?}");
    assert!(
        components.iter().all(|component| component["hashes"][0]["content"].as_str().unwrap().len() == 64)
    );
}

#[test]
fn the_same_binary_gives_the_same_bytes() {
    let again = tempfile::tempdir().unwrap();
    ok(Command::new(env!("CARGO_BIN_EXE_xtask")).args(["dist", "--assemble"]).arg(again.path()));
    let launcher = |folder: &std::path::Path| {
        std::fs::read(folder.join(format!("sprag-cli-{}.tgz", env!("CARGO_PKG_VERSION")))).unwrap()
    };
    assert_eq!(launcher(dist()), launcher(again.path()));
}

/// Where a container runtime is there: the image is the binary alone.
#[test]
fn the_image_runs() {
    let runs = |program: &str| {
        Command::new(program).arg("info").output().is_ok_and(|output| output.status.success())
    };
    let engine = ["docker", "podman"].into_iter().find(|program| runs(program));
    if engine.is_none() && !crate::needs("buildah") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    ok(Command::new("tar")
        .arg("-xzf")
        .arg(artefact("-unknown-linux-musl.tar.gz"))
        .arg("-C")
        .arg(home.path()));
    // A program of development wants a C library, which an empty image has not.
    if !is_static(&home.path().join("sprag")) {
        return sprag_testkit::skip("the program under test is not static: SPRAG_BIN names one that is");
    }
    let Some(engine) = engine else { return by_buildah(home.path()) };
    let tag = format!("sprag-test:{}", std::process::id());
    ok(Command::new(engine)
        .args(["build", "--quiet", "--tag", &tag, "--file"])
        .arg(dist().join("Dockerfile"))
        .arg(home.path()));
    let demo = ok(Command::new(engine).args(["run", "--rm", "--network=none", &tag, "demo"]));
    ok(Command::new(engine).args(["rmi", &tag]));
    assert!(demo.contains("filesystem:rm-home"), "{demo}");
}

fn is_static(program: &std::path::Path) -> bool {
    let output = Command::new("ldd").arg(program).output().unwrap();
    !output.status.success() || String::from_utf8_lossy(&output.stdout).contains("statically linked")
}

/// The image without a daemon and without a runtime: its folders are the root of one process.
fn by_buildah(folder: &std::path::Path) {
    let store = tempfile::tempdir().unwrap();
    let buildah = || {
        let mut buildah = Command::new("buildah");
        buildah.args(["--storage-driver", "vfs", "--root"]).arg(store.path().join("root"));
        buildah.arg("--runroot").arg(store.path().join("run"));
        buildah
    };
    let isolated = ["--isolation", "chroot"];
    ok(buildah()
        .arg("bud")
        .args(isolated)
        .args(["--tag", "sprag", "--file"])
        .arg(dist().join("Dockerfile"))
        .arg(folder));
    let container = ok(buildah().args(["from", "--pull-never", "sprag"]));
    let demo = ok(buildah().arg("run").args(isolated).args([
        container.trim(),
        "--",
        "/usr/local/bin/sprag",
        "demo",
    ]));
    assert!(demo.contains("filesystem:rm-home"), "{demo}");
}
