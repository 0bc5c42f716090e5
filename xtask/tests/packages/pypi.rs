//! PyPI: the wheel, installed by pip into an empty environment from a simple index on loopback.

use crate::{artefact, clean, needs, ok, registered, works};

#[test]
fn pip_installs_the_wheel_and_uninstalls_it() {
    if !needs("python3") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let venv = home.path().join("venv");
    if !clean("python3", home.path()).args(["-m", "venv"]).arg(&venv).output().unwrap().status.success() {
        return sprag_testkit::skip("python3 has no venv");
    }
    let wheel = artefact(".whl");
    let name = wheel.file_name().unwrap().to_string_lossy().into_owned();
    let index = home.path().join("index");
    std::fs::create_dir_all(index.join("simple/sprag-cli")).unwrap();
    std::fs::copy(&wheel, index.join(&name)).unwrap();
    let page = format!("<!DOCTYPE html><a href=\"/{name}\">{name}</a>");
    std::fs::write(index.join("simple/sprag-cli/index.html"), page).unwrap();
    let files = serve_index(index);
    let url = format!("http://{}/simple", files.address());
    let pip = || {
        let mut pip = clean(venv.join("bin/python"), home.path());
        pip.args(["-m", "pip", "--disable-pip-version-check", "--quiet"]);
        pip
    };
    ok(pip().args(["install", "--no-cache-dir", "--index-url", &url, "sprag-cli"]));
    let sprag = venv.join("bin/sprag");
    works(|| clean(&sprag, home.path()));
    let commands = registered(clean(&sprag, home.path()), home.path());
    assert!(commands.iter().all(|command| command.contains("venv/bin/sprag")), "{commands:?}");
    // Every file was recorded, so that nothing stays.
    ok(pip().args(["check"]));
    ok(pip().args(["uninstall", "--yes", "sprag-cli"]));
    assert!(!sprag.exists());
}

/// Folders answer with their page.
fn serve_index(folder: std::path::PathBuf) -> sprag_testkit::http::Server {
    use sprag_testkit::http::{Reply, Server};
    Server::start(move |request| {
        let path = folder.join(request.path.trim_start_matches('/'));
        let file = if path.is_dir() { path.join("index.html") } else { path };
        match std::fs::read(&file) {
            Ok(body) => Reply { status: 200, kind: "text/html", body },
            Err(_) => Reply { status: 404, kind: "text/plain", body: Vec::new() },
        }
    })
    .unwrap()
}

/// What `uvx --from sprag-cli sprag` does, where uv is there.
#[test]
fn uvx_runs_it() {
    if !needs("uv") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let demo = ok(clean("uv", home.path())
        .args(["tool", "run", "--offline", "--no-index", "--from"])
        .arg(artefact(".whl"))
        .args(["sprag", "demo"]));
    assert!(demo.contains("filesystem:rm-home"), "{demo}");
}

/// What `pipx install sprag-cli` does, where pipx is there: a program on the PATH, which deploy registers by its own path.
#[test]
fn pipx_installs_it_and_uninstalls_it() {
    if !needs("pipx") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    // What pipx itself needs is not fetched: the packages beside it serve.
    let pipx = || {
        let mut pipx = clean("pipx", home.path());
        pipx.env("PIP_NO_INDEX", "1").env("UV_OFFLINE", "1").env("UV_NO_INDEX", "1");
        pipx
    };
    ok(pipx().arg("install").arg(artefact(".whl")));
    let sprag = home.path().join(".local/bin/sprag");
    works(|| clean(&sprag, home.path()));
    ok(pipx().args(["uninstall", "sprag-cli"]));
    assert!(!sprag.exists());
}
