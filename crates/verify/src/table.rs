//! The checkers that sprag knows: what they look at, how they are called, what they print, and whether they run code
//! of the project.

use crate::parse::Format;
use std::sync::LazyLock;

/// What a checker is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Compiles or checks types: its errors mean that the program does not work.
    Build,
    /// Reads one file and says whether it can be read at all, in a moment.
    Syntax,
    /// Looks for mistakes and style.
    Lint,
}

/// What a checker takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The project as a whole. A file name appended to such a command fails or ignores the configuration.
    Project,
    /// The files that changed: `{files}` in its arguments.
    Files,
    /// One file a call: `{file}` in its arguments.
    EachFile,
}

/// What a checker may set off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// It reads.
    ReadsOnly,
    /// It runs code of the project: a build script, a plugin, a configuration that is a program.
    RunsProjectCode,
}

/// A checker.
#[derive(Clone, Debug)]
pub struct Checker {
    /// Its name in reports and in the configuration.
    pub name: String,
    /// The language, for hooks that are about some.
    pub language: String,
    /// Endings of the files it is about; empty is every file.
    pub endings: Vec<String>,
    /// One of these must lie in the file's folder or above it; `name#text` wants the text in it, `*.x` any such file.
    /// Empty: it is run at the root.
    pub markers: Vec<String>,
    /// The outermost folder with one of these is preferred over the nearest with a marker.
    pub outer: Vec<String>,
    /// The program and its arguments. `{files}`, `{file}`, `{cache}` and `{manager}` stand for what they say.
    pub command: Vec<String>,
    /// What it takes.
    pub scope: Scope,
    /// What it is for.
    pub role: Role,
    /// What it prints.
    pub format: Format,
    /// What it may set off.
    pub execution: Execution,
    /// Of several in one group the first that is there is run.
    pub group: String,
    /// A person put it into the configuration.
    pub own: bool,
    /// Too slow, or too far-reaching, for every edit: it is run before a turn ends.
    pub only_at_stop: bool,
}

impl Checker {
    /// True for a command of the project's own: its exit code counts, also when nobody can read what it prints.
    pub fn is_script(&self) -> bool {
        let program = self.command.first().map(String::as_str);
        self.own || matches!(program, Some("{manager}" | "make" | "just" | "task"))
    }
}

macro_rules! texts {
    ($($text:expr),* $(,)?) => { vec![$($text.to_owned()),*] };
}

/// A row with what most have in common.
fn row(name: &'static str, language: &'static str, role: Role, format: Format) -> Checker {
    Checker {
        name: name.to_owned(),
        language: language.to_owned(),
        endings: Vec::new(),
        markers: Vec::new(),
        outer: Vec::new(),
        command: Vec::new(),
        scope: Scope::Project,
        role,
        format,
        execution: Execution::RunsProjectCode,
        group: String::new(),
        own: false,
        only_at_stop: false,
    }
}

const TS: &str = ".ts .tsx .mts .cts";
const SCRIPTS: &str = ".ts .tsx .mts .cts .js .jsx .mjs .cjs";
const PY: &str = ".py .pyi";

/// Compiles each file without running or importing anything, in isolated mode.
const PYTHON_SYNTAX: &str = "import sys\nfor p in sys.argv[1:]:\n try:\n  compile(open(p,'rb').read(),p,'exec',dont_inherit=True)\n except SyntaxError as e:\n  print(f'{p}:{e.lineno or 0}:{e.offset or 0}: error: {e.msg} [syntax]')\n except ValueError as e:\n  print(f'{p}:1:1: error: {e} [syntax]')\n";

/// Every checker, the preferred one of a group first.
pub static CHECKERS: LazyLock<Vec<Checker>> = LazyLock::new(|| {
    vec![
        // Rust
        Checker {
            endings: words(".rs Cargo.toml"),
            markers: words("Cargo.toml"),
            outer: words("Cargo.toml#[workspace"),
            command: words("cargo check --quiet --offline --all-targets --message-format=json"),
            ..row("cargo", "rust", Role::Build, Format::Cargo)
        },
        Checker {
            endings: words(".rs"),
            markers: words("clippy.toml .clippy.toml Cargo.toml#clippy"),
            outer: words("Cargo.toml#[workspace"),
            command: words("cargo clippy --quiet --offline --all-targets --message-format=json"),
            ..row("clippy", "rust", Role::Lint, Format::Cargo)
        },
        // TypeScript and JavaScript
        Checker {
            endings: words(TS),
            markers: texts!["tsconfig.json#\"references\""],
            command: words("tsc --build --noEmit --pretty false"),
            group: "typescript".to_owned(),
            ..row("tsc-build", "typescript", Role::Build, Format::Paren)
        },
        Checker {
            endings: words(TS),
            markers: words("tsconfig.json"),
            command: words(
                "tsc --noEmit --pretty false --incremental --tsBuildInfoFile {cache}/tsc.tsbuildinfo -p .",
            ),
            execution: Execution::ReadsOnly,
            group: "typescript".to_owned(),
            ..row("tsc", "typescript", Role::Build, Format::Paren)
        },
        Checker {
            endings: words(SCRIPTS),
            markers: texts!["package.json#\"typecheck\":"],
            command: words("{manager} run typecheck"),
            group: "typescript".to_owned(),
            ..row("typecheck", "typescript", Role::Build, Format::Paren)
        },
        Checker {
            endings: words(SCRIPTS),
            markers: words("package.json#\"build\":"),
            command: words("{manager} run build"),
            group: "typescript".to_owned(),
            only_at_stop: true,
            ..row("npm-build", "typescript", Role::Build, Format::Gnu)
        },
        Checker {
            endings: words(".js .mjs .cjs"),
            command: words("node --check {file}"),
            scope: Scope::EachFile,
            execution: Execution::ReadsOnly,
            ..row("node", "javascript", Role::Syntax, Format::Node)
        },
        // Shell. Patterns that a script switches on must be known before: nothing of it is run.
        Checker {
            endings: words(".sh .bash"),
            command: words("bash -O extglob -n {file}"),
            scope: Scope::EachFile,
            execution: Execution::ReadsOnly,
            ..row("bash", "shell", Role::Syntax, Format::Bash)
        },
        Checker {
            endings: words(SCRIPTS),
            markers: words("biome.json biome.jsonc"),
            command: words("biome lint --reporter=gitlab {files}"),
            scope: Scope::Files,
            execution: Execution::ReadsOnly,
            group: "script-lint".to_owned(),
            ..row("biome", "typescript", Role::Lint, Format::Gitlab)
        },
        Checker {
            endings: words(SCRIPTS),
            markers: texts![
                "eslint.config.js",
                "eslint.config.mjs",
                "eslint.config.cjs",
                "eslint.config.ts",
                ".eslintrc",
                ".eslintrc.js",
                ".eslintrc.cjs",
                ".eslintrc.json",
                ".eslintrc.yml",
                ".eslintrc.yaml",
                "package.json#\"eslintConfig\""
            ],
            command: words("eslint --format json --no-error-on-unmatched-pattern {files}"),
            scope: Scope::Files,
            group: "script-lint".to_owned(),
            ..row("eslint", "typescript", Role::Lint, Format::Eslint)
        },
        // Go
        Checker {
            endings: words(".go"),
            command: words("gofmt -e -l {files}"),
            scope: Scope::Files,
            execution: Execution::ReadsOnly,
            ..row("gofmt", "go", Role::Syntax, Format::Gnu)
        },
        Checker {
            endings: words(".go go.mod"),
            markers: words("go.mod"),
            command: words("go build -o /dev/null ./..."),
            ..row("go", "go", Role::Build, Format::Gnu)
        },
        Checker {
            endings: words(".go"),
            markers: words("go.mod"),
            command: words("go vet ./..."),
            ..row("go-vet", "go", Role::Lint, Format::Gnu)
        },
        // Python
        Checker {
            endings: words(PY),
            markers: words("ruff.toml .ruff.toml pyproject.toml#[tool.ruff"),
            command: words("ruff check --output-format json --no-cache --force-exclude {files}"),
            scope: Scope::Files,
            execution: Execution::ReadsOnly,
            group: "python-lint".to_owned(),
            ..row("ruff", "python", Role::Lint, Format::Ruff)
        },
        Checker {
            endings: words(PY),
            markers: words(".flake8 setup.cfg#[flake8 tox.ini#[flake8"),
            command: words("flake8 {files}"),
            scope: Scope::Files,
            group: "python-lint".to_owned(),
            ..row("flake8", "python", Role::Lint, Format::Gnu)
        },
        Checker {
            endings: words(PY),
            command: words(
                "ruff check --isolated --no-cache --select E9,F63,F7,F82 --output-format json {files}",
            ),
            scope: Scope::Files,
            execution: Execution::ReadsOnly,
            group: "python-lint".to_owned(),
            ..row("ruff-errors", "python", Role::Lint, Format::Ruff)
        },
        Checker {
            endings: words(PY),
            command: texts!["python3", "-I", "-S", "-c", PYTHON_SYNTAX, "{files}"],
            scope: Scope::Files,
            execution: Execution::ReadsOnly,
            group: "python-lint".to_owned(),
            ..row("python", "python", Role::Syntax, Format::Gnu)
        },
        Checker {
            endings: words(PY),
            markers: words("mypy.ini .mypy.ini pyproject.toml#[tool.mypy setup.cfg#[mypy"),
            command: words("mypy --output json --no-error-summary {files}"),
            scope: Scope::Files,
            group: "python-types".to_owned(),
            ..row("mypy", "python", Role::Build, Format::Mypy)
        },
        Checker {
            endings: words(PY),
            markers: words("pyrightconfig.json pyproject.toml#[tool.pyright"),
            command: words("pyright --outputjson {files}"),
            scope: Scope::Files,
            execution: Execution::ReadsOnly,
            group: "python-types".to_owned(),
            ..row("pyright", "python", Role::Build, Format::Pyright)
        },
        // Java, Kotlin
        Checker {
            endings: words(".java .kt .groovy .scala"),
            markers: words("build.gradle build.gradle.kts"),
            outer: words("settings.gradle settings.gradle.kts"),
            command: words("gradle --offline --no-daemon --quiet --console=plain testClasses"),
            group: "java".to_owned(),
            ..row("gradle", "java", Role::Build, Format::Gnu)
        },
        Checker {
            endings: words(".java .kt .scala"),
            markers: words("pom.xml"),
            outer: words("pom.xml#<modules>"),
            command: words("mvn --offline --quiet --batch-mode test-compile"),
            group: "java".to_owned(),
            ..row("maven", "java", Role::Build, Format::Maven)
        },
        // .NET
        Checker {
            endings: words(".cs .fs .vb"),
            markers: words("*.csproj *.fsproj *.vbproj"),
            outer: words("*.sln *.slnx"),
            command: words(
                "dotnet build --no-restore -nologo -v q -nodeReuse:false -p:UseSharedCompilation=false",
            ),
            ..row("dotnet", "dotnet", Role::Build, Format::Paren)
        },
        // PHP
        Checker {
            endings: words(".php"),
            command: words("php -n -l {file}"),
            scope: Scope::EachFile,
            execution: Execution::ReadsOnly,
            ..row("php", "php", Role::Syntax, Format::Php)
        },
        Checker {
            endings: words(".php"),
            markers: words("phpstan.neon phpstan.neon.dist phpstan.dist.neon"),
            command: words("phpstan analyse --no-progress --error-format=json {files}"),
            scope: Scope::Files,
            ..row("phpstan", "php", Role::Lint, Format::Phpstan)
        },
        // Ruby
        Checker {
            endings: words(".rb"),
            command: words("ruby -c {file}"),
            scope: Scope::EachFile,
            execution: Execution::ReadsOnly,
            ..row("ruby", "ruby", Role::Syntax, Format::Gnu)
        },
        Checker {
            endings: words(".rb"),
            markers: words(".rubocop.yml"),
            command: words("rubocop --format json --force-exclusion {files}"),
            scope: Scope::Files,
            ..row("rubocop", "ruby", Role::Lint, Format::Rubocop)
        },
        // A check that the project itself names, for languages without a row of their own.
        Checker {
            endings: words(NATIVE),
            markers: texts!["Makefile#\ncheck:", "makefile#\ncheck:", "GNUmakefile#\ncheck:"],
            command: words("make -s check"),
            group: "named".to_owned(),
            ..row("make", "native", Role::Build, Format::Gnu)
        },
        Checker {
            endings: words(NATIVE),
            markers: texts!["justfile#\ncheck:", "Justfile#\ncheck:", ".justfile#\ncheck:"],
            command: words("just check"),
            group: "named".to_owned(),
            ..row("just", "native", Role::Build, Format::Gnu)
        },
        Checker {
            endings: words(NATIVE),
            markers: texts!["Taskfile.yml#\n  check:", "Taskfile.yaml#\n  check:"],
            command: words("task --silent check"),
            group: "named".to_owned(),
            ..row("task", "native", Role::Build, Format::Gnu)
        },
        // qlty runs the linters that the project chose
        Checker {
            markers: words(".qlty/qlty.toml"),
            command: words("qlty check --no-progress --sarif {files}"),
            scope: Scope::Files,
            ..row("qlty", "", Role::Lint, Format::Sarif)
        },
    ]
});

/// The words of a text.
fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

const NATIVE: &str = ".c .h .cc .cpp .cxx .hpp .zig .swift .hs .ml .ex .exs .nim";

/// What keeps a checker from the network and from what only people need.
pub const ENVIRONMENT: [(&str, &str); 13] = [
    // Messages are read in English.
    ("LC_ALL", "C.UTF-8"),
    ("CARGO_NET_OFFLINE", "true"),
    ("CARGO_TERM_COLOR", "never"),
    ("GOPROXY", "off"),
    ("GOTOOLCHAIN", "local"),
    ("GOFLAGS", "-mod=readonly"),
    ("NO_COLOR", "1"),
    ("CI", "1"),
    ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"),
    ("DOTNET_NOLOGO", "1"),
    ("NPM_CONFIG_OFFLINE", "true"),
    ("NPM_CONFIG_UPDATE_NOTIFIER", "false"),
    // A call of sprag's own inside a build is none of an agent.
    ("SPRAG_NESTED", "1"),
];

/// Folders whose files are made or fetched, not written.
const MADE: [&str; 17] = [
    "node_modules", "target", "dist", "build", "vendor", ".venv", "venv", "__pycache__", ".git", ".next",
    ".nuxt", "coverage", "obj", ".gradle", ".tox", ".mypy_cache", ".sprag",
];

/// True when a change of this file is nothing that a checker should look at: made, fetched, minified, locked.
pub fn is_made(path: &str) -> bool {
    let path = path.replace('\\', "/");
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let made = folders.split('/').any(|folder| MADE.contains(&folder));
    made || name.contains(".min.")
        || name.rsplit_once('.').is_some_and(|(_, ending)| ending == "lock")
        || name.contains("-lock.")
        || name.ends_with(".d.ts.map")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fault of the reference: `cargo check f.rs`, `go build ./... f.go`, `tsc f.ts` always fail or ignore the project.
    #[test]
    fn no_file_name_is_appended_to_a_command_for_the_project() {
        for checker in CHECKERS.iter() {
            let has = |word: &str| checker.command.iter().any(|arg| arg == word);
            let expected = match checker.scope {
                Scope::Project => !has("{files}") && !has("{file}"),
                Scope::Files => has("{files}"),
                Scope::EachFile => has("{file}"),
            };
            assert!(expected, "{}", checker.name);
        }
    }

    #[test]
    fn names_are_unique_and_what_runs_code_is_said_to() {
        let mut names: Vec<&str> = CHECKERS.iter().map(|checker| checker.name.as_ref()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CHECKERS.len());
        for name in [
            "cargo", "clippy", "eslint", "go", "mypy", "gradle", "maven", "dotnet", "make", "qlty", "rubocop",
        ] {
            let checker = CHECKERS.iter().find(|checker| checker.name == name).unwrap();
            assert_eq!(checker.execution, Execution::RunsProjectCode, "{name}");
        }
    }

    #[test]
    fn what_is_made_is_not_checked() {
        for path in [
            "node_modules/a/b.js", "target/debug/x.rs", "a/.venv/lib/x.py", "a.min.js", "Cargo.lock",
            "package-lock.json",
        ] {
            assert!(is_made(path), "{path}");
        }
        for path in ["src/a.rs", "src/bin/tool.rs", "builder/a.ts", "targets.py", "a/minute.js"] {
            assert!(!is_made(path), "{path}");
        }
    }
}
