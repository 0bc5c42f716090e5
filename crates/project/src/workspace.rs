//! What a project is: type, package manager, framework, languages, pinned toolchain. Read from its files;
//! no process is started.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Facts about a project. Empty means unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Workspace {
    /// `monorepo`, `library` or `single-repo`.
    pub project_type: String,
    /// npm, pnpm, cargo, uv, …
    pub package_manager: String,
    /// next, django, rails, …
    pub framework: String,
    /// The languages that its manifests speak of, sorted.
    pub languages: Vec<String>,
    /// Versions that it pins: `node 20`, `rust 1.95`.
    pub toolchain: Vec<String>,
    /// A Python environment in the project.
    pub venv: String,
}

/// Lock files and manifests by package manager, most telling first.
const MANAGERS: [(&str, &str); 20] = [
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("package-lock.json", "npm"),
    ("npm-shrinkwrap.json", "npm"),
    ("deno.lock", "deno"),
    ("uv.lock", "uv"),
    ("poetry.lock", "poetry"),
    ("pdm.lock", "pdm"),
    ("Pipfile.lock", "pipenv"),
    ("Cargo.toml", "cargo"),
    ("go.mod", "go"),
    ("Gemfile.lock", "bundler"),
    ("composer.lock", "composer"),
    ("build.gradle", "gradle"),
    ("build.gradle.kts", "gradle"),
    ("pom.xml", "maven"),
    ("mix.lock", "mix"),
    ("requirements.txt", "pip"),
];

/// Frameworks by their package name, in the order of preference.
const JS_FRAMEWORKS: [(&str, &str); 15] = [
    ("next", "next"),
    ("nuxt", "nuxt"),
    ("astro", "astro"),
    ("@remix-run/react", "remix"),
    ("remix", "remix"),
    ("@sveltejs/kit", "svelte"),
    ("svelte", "svelte"),
    ("@angular/core", "angular"),
    ("vue", "vue"),
    ("react", "react"),
    ("express", "express"),
    ("fastify", "fastify"),
    ("hono", "hono"),
    ("elysia", "elysia"),
    ("@nestjs/core", "nest"),
];

/// Frameworks that a manifest of another language names.
const OTHER_FRAMEWORKS: [(&str, &str, &str); 9] = [
    ("pyproject.toml", "django", "django"),
    ("pyproject.toml", "fastapi", "fastapi"),
    ("pyproject.toml", "flask", "flask"),
    ("requirements.txt", "django", "django"),
    ("requirements.txt", "fastapi", "fastapi"),
    ("requirements.txt", "flask", "flask"),
    ("Gemfile", "'rails'", "rails"),
    ("Gemfile", "\"rails\"", "rails"),
    ("composer.json", "laravel/framework", "laravel"),
];

/// Manifests by language.
const LANGUAGES: [(&str, &str); 17] = [
    ("Cargo.toml", "Rust"),
    ("tsconfig.json", "TypeScript"),
    ("package.json", "JavaScript"),
    ("deno.json", "TypeScript"),
    ("pyproject.toml", "Python"),
    ("requirements.txt", "Python"),
    ("setup.py", "Python"),
    ("Pipfile", "Python"),
    ("go.mod", "Go"),
    ("pom.xml", "Java"),
    ("build.gradle", "Java"),
    ("build.gradle.kts", "Kotlin"),
    ("Gemfile", "Ruby"),
    ("composer.json", "PHP"),
    ("mix.exs", "Elixir"),
    ("CMakeLists.txt", "C/C++"),
    ("Package.swift", "Swift"),
];

/// Files that say that a folder holds several packages.
const MONOREPO: [&str; 6] =
    ["pnpm-workspace.yaml", "lerna.json", "nx.json", "turbo.json", "go.work", "rush.json"];

impl Workspace {
    /// Reads the project at `root`; where the agent started in a part of it, `cwd` adds what that part is.
    pub fn read(root: &Path, cwd: &Path) -> Self {
        let whole = Self::of_folder(root);
        if cwd == root || !cwd.starts_with(root) {
            return whole;
        }
        let part = Self::of_folder(cwd);
        let pick = |part: String, whole: String| if part.is_empty() { whole } else { part };
        let languages: BTreeSet<String> = whole.languages.into_iter().chain(part.languages).collect();
        let toolchain: BTreeSet<String> = whole.toolchain.into_iter().chain(part.toolchain).collect();
        Self {
            project_type: pick(whole.project_type, part.project_type),
            package_manager: pick(part.package_manager, whole.package_manager),
            framework: pick(part.framework, whole.framework),
            languages: languages.into_iter().collect(),
            toolchain: toolchain.into_iter().collect(),
            venv: pick(part.venv, whole.venv),
        }
    }

    fn of_folder(root: &Path) -> Self {
        let has = |name: &str| root.join(name).exists();
        let package = json_file(&root.join("package.json"));
        let languages: BTreeSet<&str> =
            LANGUAGES.iter().filter(|(file, _)| has(file)).map(|(_, language)| *language).collect();
        let manager = package
            .get("packageManager")
            .and_then(Value::as_str)
            .and_then(|text| text.split('@').next())
            .filter(|name| !name.is_empty())
            .or_else(|| MANAGERS.iter().find(|(file, _)| has(file)).map(|(_, manager)| *manager));
        Self {
            project_type: project_type(root, &package).to_owned(),
            package_manager: manager.unwrap_or_default().to_owned(),
            framework: framework(root, &package).to_owned(),
            languages: languages.into_iter().map(str::to_owned).collect(),
            toolchain: toolchain(root, &package),
            venv: [".venv", "venv"]
                .into_iter()
                .find(|dir| root.join(dir).join("pyvenv.cfg").exists())
                .map(|dir| root.join(dir).display().to_string())
                .unwrap_or_default(),
        }
    }

    /// The facts for the session's state.
    pub fn to_json(&self) -> Value {
        json!({
            "project_type": self.project_type, "package_manager": self.package_manager,
            "framework": self.framework, "languages": self.languages, "toolchain": self.toolchain,
            "venv": self.venv,
        })
    }
}

/// The start of a text file; nothing when it is not there. Manifests are small, and a large one is cut.
fn text_file(path: &Path) -> String {
    sprag_base::files::read_limited(path, 1 << 20)
        .ok()
        .flatten()
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default()
}

fn json_file(path: &Path) -> Value {
    serde_json::from_str(&text_file(path)).unwrap_or(Value::Null)
}

fn project_type(root: &Path, package: &Value) -> &'static str {
    let cargo = text_file(&root.join("Cargo.toml"));
    let several = MONOREPO.iter().any(|file| root.join(file).exists())
        || package.get("workspaces").is_some()
        || cargo.lines().any(|line| line.trim() == "[workspace]");
    if several {
        return "monorepo";
    }
    let library = package.get("main").is_some()
        || package.get("exports").is_some()
        || (!cargo.is_empty() && root.join("src/lib.rs").exists() && !root.join("src/main.rs").exists());
    if library {
        "library"
    } else if root.is_dir() {
        "single-repo"
    } else {
        ""
    }
}

fn framework(root: &Path, package: &Value) -> &'static str {
    let depends = |name: &str| {
        ["dependencies", "devDependencies", "peerDependencies"]
            .iter()
            .any(|group| package.get(group).and_then(|group| group.get(name)).is_some())
    };
    if let Some((_, framework)) = JS_FRAMEWORKS.iter().find(|(name, _)| depends(name)) {
        return framework;
    }
    OTHER_FRAMEWORKS
        .iter()
        .find(|(file, word, _)| {
            let text = text_file(&root.join(file)).to_lowercase();
            text.split(|c: char| !(c.is_alphanumeric() || "-_/'\"".contains(c)))
                .any(|found| found == *word || found.trim_matches(['"', '\'']) == *word)
        })
        .map_or("", |(_, _, framework)| framework)
}

/// The versions that the project pins, as it wrote them.
fn toolchain(root: &Path, package: &Value) -> Vec<String> {
    let mut pins: BTreeSet<String> = BTreeSet::new();
    let mut pin = |tool: &str, version: &str| {
        let version = version.trim().trim_start_matches('v');
        if !version.is_empty() && version.len() <= 40 && !version.contains(['\n', '\r']) {
            pins.insert(format!("{tool} {version}"));
        }
    };
    let first = |file: &str| text_file(&root.join(file)).lines().next().unwrap_or_default().to_owned();
    pin(
        "node",
        &[first(".nvmrc"), first(".node-version")].into_iter().find(|v| !v.is_empty()).unwrap_or_default(),
    );
    if let Some(node) = package.get("engines").and_then(|engines| engines.get("node")).and_then(Value::as_str)
    {
        pin("node", node);
    }
    pin("python", &first(".python-version"));
    pin("ruby", &first(".ruby-version"));
    let value = |text: &str, key: &str| {
        text.lines().find_map(|line| {
            let (name, value) = line.split_once('=')?;
            (name.trim() == key).then(|| value.trim().trim_matches(['"', '\'']).to_owned())
        })
    };
    for file in ["rust-toolchain.toml", "rust-toolchain"] {
        let text = text_file(&root.join(file));
        match value(&text, "channel") {
            Some(channel) => pin("rust", &channel),
            None => pin("rust", text.lines().next().unwrap_or_default()),
        }
    }
    if let Some(version) = value(&text_file(&root.join("Cargo.toml")), "rust-version") {
        pin("rust", &version);
    }
    if let Some(version) = value(&text_file(&root.join("pyproject.toml")), "requires-python") {
        pin("python", &version);
    }
    if let Some(line) = text_file(&root.join("go.mod")).lines().find(|line| line.starts_with("go ")) {
        pin("go", line.trim_start_matches("go "));
    }
    for line in text_file(&root.join(".tool-versions")).lines() {
        if let Some((tool, version)) = line.split_once(' ') {
            pin(tool.trim_end_matches("js"), version);
        }
    }
    pins.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    fn read(files: &[(&str, &str)]) -> Workspace {
        let dir = project(files);
        Workspace::read(dir.path(), dir.path())
    }

    #[test]
    fn node_projects() {
        let got = read(&[
            ("package.json", r#"{"dependencies":{"react":"1","next":"2"},"engines":{"node":">=20"}}"#),
            ("pnpm-lock.yaml", ""),
            ("tsconfig.json", "{}"),
        ]);
        assert_eq!((got.project_type.as_str(), got.package_manager.as_str()), ("single-repo", "pnpm"));
        assert_eq!(got.framework, "next");
        assert_eq!(got.languages, ["JavaScript", "TypeScript"]);
        assert_eq!(got.toolchain, ["node >=20"]);
        assert_eq!(read(&[("package.json", r#"{"workspaces":["a"]}"#)]).project_type, "monorepo");
        assert_eq!(read(&[("package.json", r#"{"main":"x.js"}"#)]).project_type, "library");
        assert_eq!(read(&[("package.json", r#"{"packageManager":"yarn@4.1.0"}"#)]).package_manager, "yarn");
    }

    /// The reference knew no text lock file of bun, no uv, poetry, cargo or go.
    #[test]
    fn managers_that_the_reference_did_not_know() {
        for (file, manager) in [
            ("bun.lock", "bun"),
            ("uv.lock", "uv"),
            ("poetry.lock", "poetry"),
            ("Cargo.toml", "cargo"),
            ("go.mod", "go"),
        ] {
            assert_eq!(read(&[(file, "")]).package_manager, manager, "{file}");
        }
    }

    #[test]
    fn other_languages() {
        let rust = read(&[("Cargo.toml", "[package]\nrust-version = \"1.89\"\n"), ("src/lib.rs", "")]);
        assert_eq!((rust.project_type.as_str(), rust.toolchain), ("library", vec!["rust 1.89".to_owned()]));
        assert_eq!(read(&[("Cargo.toml", "[workspace]\n")]).project_type, "monorepo");
        let python = read(&[(
            "pyproject.toml",
            "[project]\ndependencies = [\"FastAPI>=0.1\"]\nrequires-python = \">=3.11\"\n",
        )]);
        assert_eq!(
            (python.framework.as_str(), python.toolchain),
            ("fastapi", vec!["python >=3.11".to_owned()])
        );
        assert_eq!(read(&[("Gemfile", "gem 'rails', '~> 7'\n")]).framework, "rails");
        assert_eq!(read(&[("pyproject.toml", "# not-django-at-all\n")]).framework, "");
    }

    /// The reference looked at the working directory alone.
    #[test]
    fn a_part_of_a_monorepo_is_both() {
        let dir = project(&[
            ("pnpm-workspace.yaml", ""),
            ("pnpm-lock.yaml", ""),
            ("package.json", "{}"),
            ("api/pyproject.toml", "[project]\ndependencies=[\"django\"]\n"),
        ]);
        let got = Workspace::read(dir.path(), &dir.path().join("api"));
        assert_eq!((got.project_type.as_str(), got.package_manager.as_str()), ("monorepo", "pnpm"));
        assert_eq!(got.framework, "django");
        assert_eq!(got.languages, ["JavaScript", "Python"]);
    }

    #[test]
    fn broken_manifests_are_no_manifests() {
        let got = read(&[("package.json", "{broken"), ("Cargo.toml", "\u{0}\u{ff}")]);
        assert_eq!(got.framework, "");
        assert_eq!(read(&[(".nvmrc", "v20.1.0\n")]).toolchain, ["node 20.1.0"]);
    }
}
