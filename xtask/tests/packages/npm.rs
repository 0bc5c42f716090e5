//! npm: the launcher and the package of this platform, from a registry on loopback.

use crate::{artefact, clean, needs, ok, registered, run, works};
use serde_json::json;
use sprag_testkit::http::{Reply, Server};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A registry with the two packages, and with nothing else: the packages of other platforms are unknown to it.
fn registry() -> Server {
    let address: std::sync::Arc<OnceLock<String>> = std::sync::Arc::default();
    let asked = std::sync::Arc::clone(&address);
    let server = Server::start(move |request| {
        let path = request.path.replace("%2f", "/").replace("%2F", "/");
        let path = path.trim_start_matches('/');
        if let Some(name) = path.strip_prefix("files/") {
            let body = std::fs::read(artefact(name)).unwrap();
            return Reply { status: 200, kind: "application/octet-stream", body };
        }
        let manifest = |file: &str| {
            let file = artefact(file);
            let text = ok(Command::new("tar").args(["--occurrence=1", "-xzOf"]).arg(&file).arg("package/package.json"));
            let mut manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            manifest["dist"] = json!({"tarball": format!("{}/files/{name}", asked.get().unwrap())});
            json!({"name": manifest["name"], "dist-tags": {"latest": VERSION}, "versions": {VERSION: manifest}})
        };
        match path {
            "@sprag/cli" => Reply::json(200, &manifest(&format!("sprag-cli-{VERSION}.tgz"))),
            "@sprag/cli-linux-x64" | "@sprag/cli-linux-arm64" => {
                let file = format!("sprag-{}-{VERSION}.tgz", path.trim_start_matches("@sprag/"));
                if crate::dist().join(&file).is_file() {
                    Reply::json(200, &manifest(&file))
                } else {
                    Reply::json(404, &json!({"error": "not found"}))
                }
            }
            _ => Reply::json(404, &json!({"error": "not found"})),
        }
    })
    .unwrap();
    address.set(format!("http://{}", server.address())).unwrap();
    server
}

fn npm(program: &str, home: &Path, server: &Server) -> Command {
    let mut command = clean(program, home);
    command
        .env("npm_config_registry", format!("http://{}", server.address()))
        .env("npm_config_audit", "false")
        .env("npm_config_fund", "false")
        .env("npm_config_update_notifier", "false")
        .env("npm_config_fetch_retries", "0");
    command
}

#[test]
fn npx_runs_it_and_deploy_registers_the_native_binary() {
    if !needs("npm") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let server = registry();
    let demo = ok(npm("npx", home.path(), &server).args(["--yes", "@sprag/cli", "demo"]));
    assert!(demo.contains("filesystem:rm-home"), "{demo}");

    let prefix = home.path().join("prefix");
    ok(npm("npm", home.path(), &server)
        .args(["install", "--silent", "--global", "@sprag/cli", "--prefix"])
        .arg(&prefix));
    drop(server);
    let launcher = prefix.join("bin/sprag");
    works(|| clean(&launcher, home.path()));
    let commands = registered(clean(&launcher, home.path()), home.path());
    assert!(!commands.is_empty());
    for command in &commands {
        let native =
            command.contains("@sprag/cli-linux-") && !command.contains(".js") && !command.contains("node ");
        assert!(native, "{command}");
    }

    // The launcher passes on how the program ended.
    let failed = run(clean(&launcher, home.path()).arg("no-such-command"));
    assert_eq!(failed.status.code(), Some(2));
    let killer = home.path().join("killer");
    std::fs::write(&killer, "#!/bin/sh\nkill -TERM $$\n").unwrap();
    std::fs::set_permissions(&killer, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let killed = run(clean(&launcher, home.path()).env("SPRAG_BINARY", &killer));
    assert_eq!(killed.status.code(), Some(128 + 15));
}

#[test]
fn the_launcher_alone_says_what_is_missing() {
    if !needs("node") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    ok(Command::new("tar")
        .arg("-xzf")
        .arg(artefact(&format!("sprag-cli-{VERSION}.tgz")))
        .arg("-C")
        .arg(home.path()));
    let script: PathBuf = home.path().join("package/bin/sprag.js");
    let output = run(clean("node", home.path()).arg(script).arg("demo"));
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.starts_with("error: the package @sprag/cli-linux-") && said.contains("--omit=optional"),
        "{said}"
    );
}

/// No script runs while installing: agents' plugins and careful users install with `--ignore-scripts`.
#[test]
fn no_package_has_a_script() {
    for end in [format!("sprag-cli-{VERSION}.tgz"), format!("64-{VERSION}.tgz")] {
        let text = ok(Command::new("tar")
            .args(["--occurrence=1", "-xzOf"])
            .arg(artefact(&end))
            .arg("package/package.json"));
        let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(manifest.get("scripts").is_none() && manifest.get("dependencies").is_none(), "{text}");
        assert_eq!(manifest["version"], VERSION);
    }
}
