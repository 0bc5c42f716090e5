//! What a command is meant to do: its program, the subcommand and what it is done to. Two commands of the same intent are two
//! tries at the same thing.

use sprag_shell::{Analysis, Cmd, Context, analyse};

/// One command of a line that does something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Action {
    /// The program, by its usual name.
    pub program: String,
    /// The subcommand, the script or the target of a build.
    pub sub: String,
    /// The other words that are no options.
    pub targets: Vec<String>,
    /// Its program is in the line itself (`python -c`, `node -e`).
    pub inline: bool,
    /// It asks for help or a version, or whether something is there.
    pub probe: bool,
}

/// A line, as what it does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intent {
    /// What does something, in order.
    pub actions: Vec<Action>,
}

/// Programs with subcommands.
const FAMILIES: [&str; 48] = [
    "git", "npm", "pnpm", "yarn", "bun", "cargo", "go", "docker", "kubectl", "pip", "uv", "poetry", "make",
    "terraform", "tofu", "aws", "gh", "glab", "systemctl", "gradle", "mvn", "bundle", "gem", "rails", "rake",
    "mix", "dotnet", "helm", "composer", "artisan", "manage.py", "podman", "brew", "apt-get", "apt", "dnf",
    "rustup", "conda", "flutter", "dart", "swift", "zig", "stack", "cabal", "just", "task", "gcloud", "az",
];

/// Programs whose exit code answers a question, or that only show something.
const QUESTIONS: [&str; 40] = [
    "grep", "rg", "ag", "ack", "egrep", "fgrep", "diff", "cmp", "colordiff", "test", "[", "[[", "which",
    "type", "whereis", "ls", "cat", "head", "tail", "less", "more", "stat", "file", "find", "fd", "wc",
    "pgrep", "ps", "lsof", "pg_isready", "ping", "nc", "curl", "wget", "tree", "du", "df", "realpath",
    "readlink", "jq",
];

/// Plumbing around what a line does.
const PLUMBING: [&str; 26] = [
    "cd", "pushd", "popd", "echo", "printf", "export", "set", "unset", "source", ".", "true", "false", ":",
    "sleep", "tee", "sort", "uniq", "xargs", "cut", "tr", "pwd", "wait", "exit", "trap", "local", "read",
];

/// Tests and checks: a narrower one says nothing about the whole.
const TESTERS: [&str; 34] = [
    "pytest", "jest", "vitest", "mocha", "rspec", "phpunit", "phpstan", "tox", "nox", "unittest", "mypy",
    "ruff", "eslint", "tsc", "playwright", "cypress", "ctest", "pest", "psalm", "rubocop", "flake8",
    "pylint", "test", "check", "clippy", "build", "vet", "verify", "lint", "spec", "compile", "nextest", "t",
    "analyse",
];

/// Checks of form whose failure is an answer.
const FORMATTERS: [&str; 11] = [
    "prettier", "black", "gofmt", "rustfmt", "clang-format", "isort", "stylua", "shfmt", "fmt", "format",
    "ruff",
];

/// Words after which the program of a line is in the line.
const INLINE: [(&str, &str); 9] = [
    ("python", "-c"),
    ("node", "-e"),
    ("node", "-p"),
    ("ruby", "-e"),
    ("perl", "-e"),
    ("php", "-r"),
    ("deno", "eval"),
    ("bun", "-e"),
    ("node", "--eval"),
];

impl Intent {
    /// Reads a line.
    pub fn of(command: &str) -> Self {
        Self::read(
            &analyse(command, &Context { cwd: "/p".into(), home: "/h".into(), project_root: "/p".into() }),
            0,
        )
    }

    /// Takes it from a line that is read.
    pub fn from_analysis(line: &Analysis) -> Self {
        Self::read(line, 0)
    }

    fn read(line: &Analysis, depth: usize) -> Self {
        let mut actions = Vec::new();
        // `corepack enable` looks like a wrapper of a program `enable`.
        for cmd in line.local_commands().filter(|cmd| !cmd.wrapper || cmd.name == "corepack") {
            // `sg docker -c '…'`, `nix-shell --run '…'`: the words are a line of their own.
            let inner = cmd.args.iter().zip(cmd.args.iter().skip(1)).find_map(|(flag, words)| {
                let runs = matches!(
                    (cmd.name.as_str(), flag.text.as_str()),
                    ("sg" | "su" | "runuser" | "nix", "-c" | "--command") | ("nix-shell", "--run")
                );
                runs.then_some(words.text.as_str())
            });
            match inner {
                Some(words) if depth < 3 => {
                    let context = Context { cwd: "/p".into(), home: "/h".into(), project_root: "/p".into() };
                    actions.extend(Self::read(&analyse(words, &context), depth + 1).actions);
                }
                _ => actions.extend(action(cmd)),
            }
        }
        Self { actions }
    }

    /// What the line is for: the last thing that it does, rather than what shortens its output.
    pub fn main(&self) -> Option<&Action> {
        let does = |action: &&Action| !QUESTIONS.contains(&action.program.as_str());
        self.actions.iter().rev().find(does).or_else(|| self.actions.last())
    }

    /// The line only asks, looks or compares: that it ends with another code than 0 is an answer.
    pub fn is_question(&self) -> bool {
        self.actions.iter().all(|action| {
            action.probe || QUESTIONS.contains(&action.program.as_str()) || is_form_check(action)
        })
    }

    /// Whether something of the line may change what a later call does.
    pub fn changes(&self) -> bool {
        self.actions.iter().any(|action| {
            let program = action.program.as_str();
            let shows = match program {
                "git" => matches!(
                    action.sub.as_str(),
                    "status"
                        | "log"
                        | "diff"
                        | "show"
                        | "branch"
                        | "blame"
                        | "add"
                        | "commit"
                        | "grep"
                        | "ls-files"
                        | "remote"
                ),
                "kubectl" => matches!(action.sub.as_str(), "get" | "describe" | "logs" | "top"),
                "docker" | "podman" => {
                    matches!(
                        action.sub.as_str(),
                        "ps" | "logs" | "images" | "inspect" | "info" | "compose ps" | "compose logs"
                    )
                }
                "helm" | "npm" | "pip" | "gem" | "brew" => {
                    matches!(
                        action.sub.as_str(),
                        "list" | "ls" | "show" | "status" | "view" | "freeze" | "outdated"
                    )
                }
                "cargo" => matches!(action.sub.as_str(), "tree" | "metadata" | "search"),
                "go" => matches!(action.sub.as_str(), "env" | "list" | "version" | "doc"),
                "terraform" => matches!(action.sub.as_str(), "show" | "output" | "validate"),
                "sed" | "awk" => false,
                _ => QUESTIONS.contains(&program),
            };
            !shows && !action.probe && !action.inline
        })
    }

    /// Whether this call, which worked, is another try at what `failed` was for.
    pub fn is_try_of(&self, failed: &Self) -> bool {
        failed.main().is_some_and(|wanted| self.actions.iter().any(|action| same(action, wanted)))
    }
}

fn is_form_check(action: &Action) -> bool {
    let program = action.program.as_str();
    let formats = FORMATTERS.contains(&program) || FORMATTERS.contains(&action.sub.as_str());
    formats
        && action
            .targets
            .iter()
            .any(|word| matches!(word.as_str(), "--check" | "-l" | "--diff" | "-c" | "--list-different"))
}

/// Reads one command; `None` for plumbing.
fn action(cmd: &Cmd) -> Option<Action> {
    if PLUMBING.contains(&cmd.name.as_str()) {
        return None;
    }
    let mut words: Vec<&str> = cmd.args.iter().map(|arg| arg.text.as_str()).collect();
    let mut program = usual_name(&cmd.name);
    let mut inline = INLINE.iter().any(|(name, flag)| *name == program && words.contains(flag));
    if program == "python" {
        if let Some(at) = words.iter().position(|word| *word == "-m") {
            program = words.get(at + 1).map_or(program, |module| (*module).to_owned());
            words.drain(..(at + 2).min(words.len()));
        } else if words.first().is_none_or(|word| *word == "-") {
            inline = true;
        } else if words.first().is_some_and(|word| word.ends_with("manage.py")) {
            "manage.py".clone_into(&mut program);
            words.remove(0);
        }
    }
    if program == "php" && words.first() == Some(&"artisan") {
        "artisan".clone_into(&mut program);
        words.remove(0);
    }
    // `-h` before a word is a host.
    let last = words.last().copied().unwrap_or_default();
    let probe = (cmd.inert && cmd.name != "corepack")
        || cmd.name == "command"
        || (matches!(last, "-h" | "-V" | "help" | "-help") || (last.starts_with("-V") && last.len() <= 3))
        || words.iter().any(|word| word.starts_with("--help") || word.starts_with("--version"));
    let plain = |word: &&&str| !word.starts_with('-') && !word.contains('=');
    let mut sub = String::new();
    if FAMILIES.contains(&program.as_str()) {
        let mut rest = words.iter().filter(plain);
        let first = rest.next().copied().unwrap_or_default();
        let nested = matches!(
            (program.as_str(), first),
            ("docker" | "podman", "compose") | ("npm" | "pnpm" | "yarn" | "bun", "run")
        ) || matches!(program.as_str(), "aws" | "gcloud" | "az");
        sub = match rest.next().filter(|_| nested) {
            Some(second) if first == "run" => (*second).to_owned(),
            Some(second) => format!("{first} {second}"),
            None => first.to_owned(),
        };
    }
    let of_sub: Vec<&str> = sub.split(' ').collect();
    let form = FORMATTERS.contains(&program.as_str()) || FORMATTERS.contains(&sub.as_str());
    let targets = words
        .iter()
        .filter(|word| {
            (plain(word) && !of_sub.contains(word) && **word != "run") || (form && word.starts_with('-'))
        })
        .map(|word| (*word).to_owned())
        .collect();
    Some(Action { program, sub, targets, inline, probe })
}

fn usual_name(name: &str) -> String {
    let versioned = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match versioned {
        "python" | "pip" | "ruby" | "node" | "php" | "pytest" => versioned.to_owned(),
        _ => match name {
            "gradlew" => "gradle".to_owned(),
            "mvnw" => "mvn".to_owned(),
            "nodejs" => "node".to_owned(),
            other => other.to_owned(),
        },
    }
}

fn same(worked: &Action, failed: &Action) -> bool {
    if worked.program != failed.program {
        return replaced(worked, failed);
    }
    if worked.sub != failed.sub || worked.probe {
        return false;
    }
    let narrow = TESTERS.contains(&failed.program.as_str()) || TESTERS.contains(&failed.sub.as_str());
    match (failed.targets.is_empty(), worked.targets.is_empty()) {
        (_, true) => true,
        (true, false) => !narrow,
        (false, false) => failed.targets.iter().any(|a| worked.targets.iter().any(|b| alike(a, b))),
    }
}

/// `docker-compose up` and `docker compose up`, `fd` and `fdfind`: the same thing under another name.
fn replaced(worked: &Action, failed: &Action) -> bool {
    let first = worked.sub.split(' ').next().unwrap_or_default();
    let joined = format!("{}-{first}", worked.program);
    let longer = worked.program.starts_with(&failed.program) && failed.program.len() >= 2;
    joined == failed.program || (longer && worked.sub == failed.sub)
}

/// Two words for the same thing: with another version, an extra, a path before it, or a longer name.
fn alike(a: &str, b: &str) -> bool {
    let stem = |word: &str| {
        let word = word.trim_matches(['\'', '"']);
        let name = word.split(['=', '<', '>', '@', '[', '~', '^']).next().unwrap_or(word);
        if name.is_empty() { word.to_lowercase() } else { name.trim_end_matches('/').to_lowercase() }
    };
    let (a, b) = (stem(a), stem(b));
    let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    a == b || (short.len() >= 4 && long.contains(short.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tries(worked: &str, failed: &str) -> bool {
        Intent::of(worked).is_try_of(&Intent::of(failed))
    }

    #[test]
    fn another_try_is_known_by_program_subcommand_and_target() {
        for (worked, failed) in [
            ("PYTHONPATH=src pytest -q", "pytest -q"),
            ("uv run pytest", "python -m pytest"),
            (".venv/bin/pip install -r requirements.txt", "pip install -r requirements.txt"),
            ("pip install psycopg2-binary", "pip install psycopg2"),
            ("sg docker -c 'docker compose up -d'", "docker compose up -d"),
            ("docker compose up -d", "docker-compose up -d"),
            ("cd web && npm run build 2>&1 | tail -5", "npm run build"),
            ("cargo test -p shop-cart", "cargo test -p cart"),
            ("git push -u origin fix/x", "git push"),
            ("JAVA_HOME=/j ./gradlew build", "./gradlew build"),
            ("python3 manage.py runserver 8000", "python manage.py runserver"),
            ("export KUBECONFIG=$PWD/k && kubectl get pods -n shop", "kubectl get pods -n shop"),
            ("cargo test --workspace", "cargo test -p cart"),
            ("make deploy", "make deploy 2>&1 | tail -3"),
        ] {
            assert!(
                tries(worked, failed),
                "{worked} / {failed}: {:?} {:?}",
                Intent::of(worked),
                Intent::of(failed)
            );
        }
        for (worked, failed) in [
            ("git log -1", "cargo build"),
            ("pytest tests/test_a.py", "pytest"),
            ("pytest tests/test_b.py", "pytest tests/test_a.py"),
            ("pip install flask", "pip install psycopg2"),
            ("git checkout release", "git checkout main"),
            ("go vet ./internal/cart", "go build ./..."),
            ("cargo test --help", "cargo test"),
            ("python b.py", "python a.py"),
            ("npm run lint", "npm run build"),
        ] {
            assert!(!tries(worked, failed), "{worked} / {failed}");
        }
    }

    #[test]
    fn questions_are_no_failures_and_looks_change_nothing() {
        for line in [
            "grep -rn x src", "diff -u a b", "test -f .env && echo yes", "[ -d x ]", "which uv",
            "command -v docker", "golangci-lint --help-all", "cargo fmt --check", "npx prettier --check .",
            "curl -sf http://x", "ls a | head",
        ] {
            assert!(Intent::of(line).is_question(), "{line}: {:?}", Intent::of(line));
        }
        for line in ["cargo build", "npm ci", "make", "pytest -q", "psql -c 'select 1'"] {
            assert!(!Intent::of(line).is_question(), "{line}");
        }
        for line in
            ["ls", "git status", "cat a", "kubectl get pods", "git commit -m x", "cd src", "docker ps"]
        {
            assert!(!Intent::of(line).changes(), "{line}");
        }
        for line in [
            "apt-get install -y x", "rm -rf build", "chmod +x gradlew", "docker network create x",
            "corepack enable",
        ] {
            assert!(Intent::of(line).changes(), "{line}");
        }
    }
}
