//! Command-line clients of services that no table names: what `CLIENT THING delete` says by its words, whatever the client
//! is called, and programs that open a way into this machine.

use sprag_protocol::agents::AGENTS;
use sprag_shell::{Analysis, Cmd, Words, within};

use crate::persist::foreign_index;
use crate::{Hit, Rule, Verdict};

static SERVICE_DELETE: Rule = Rule {
    id: "cloud:delete-by-client",
    verdict: Verdict::Ask,
    reason: "By its words this deletes something that a service keeps.",
    safer: "List it first and let a person delete it.",
};
static POWER: Rule = Rule {
    id: "system:remote-power",
    verdict: Verdict::Ask,
    reason: "This switches a machine off or restarts it from outside.",
    safer: "Let a person do it.",
};
static TUNNEL: Rule = Rule {
    id: "remote-execution:tunnel-program",
    verdict: Verdict::Ask,
    reason: "This makes a service of this machine reachable from elsewhere.",
    safer: "Let a person open tunnels.",
};

static FETCHED_RUN: Rule = Rule {
    id: "remote-execution:fetched-run",
    verdict: Verdict::Ask,
    reason: "The line runs a program that it has just fetched and nobody has read.",
    safer: "Fetch it, read it, then run it in a call of its own.",
};

/// A program or script below a folder that an earlier command of the line cloned from a host that is none of the well-known
/// ones. An archive that is unpacked and built (`curl … | tar xz && cd x && ./configure`) is ordinary work.
pub(crate) fn runs_fetched(analysis: &Analysis, out: &mut Vec<Hit>) {
    let mut folders: Vec<(usize, String)> = Vec::new();
    for (i, cmd) in analysis.commands.iter().enumerate().filter(|(_, cmd)| cmd.name == "git") {
        let words: Vec<&str> =
            cmd.args.iter().map(|a| a.text.as_str()).filter(|a| !a.starts_with('-')).collect();
        if let ["clone", address, .., folder] = words.as_slice()
            && address.contains("://")
            && foreign_index(address)
            && folder.starts_with('/')
        {
            folders.push((i, (*folder).to_owned()));
        }
    }
    if folders.is_empty() {
        return;
    }
    for (i, cmd) in analysis.commands.iter().enumerate() {
        let script = matches!(
            cmd.name.as_str(),
            "sh" | "bash" | "zsh" | "dash" | "python" | "python3" | "node" | "perl" | "ruby"
        )
        .then(|| cmd.args.iter().find(|a| !a.text.starts_with('-')))
        .flatten()
        .map(|a| a.text.as_str())
        .filter(|text| text.starts_with('/'));
        let Some(program) = cmd.by_path.as_deref().or(script) else { continue };
        let below = |folder: &str| {
            within(program, folder.trim_end_matches('/'))
                && !program.starts_with("/usr/")
                && !program.starts_with("/bin/")
        };
        if folders.iter().any(|(at, folder)| *at < i && below(folder)) {
            return out.push(Hit { rule: &FETCHED_RUN, cmd: i, what: program.to_owned() });
        }
    }
}

/// All rules of this file.
pub(crate) static RULES: &[&Rule] = &[&SERVICE_DELETE, &POWER, &TUNNEL, &PRIVILEGED, &FETCHED_RUN];

/// Programs whose words are looked at elsewhere, are files, packages or text, or belong to the project.
const KNOWN: &[&str] = &[
    "git", "gh", "glab", "hub", "hg", "svn", "jj", "p4", "sl", "docker", "podman", "nerdctl",
    "docker-compose", "kubectl", "oc", "k", "helm", "terraform", "tofu", "terragrunt", "pulumi", "npm",
    "pnpm", "yarn", "bun", "bunx", "npx", "pnpx", "pip", "pip3", "pipx", "uv", "uvx", "poetry", "pdm", "rye",
    "conda", "mamba", "micromamba", "cargo", "rustup", "go", "gem", "bundle", "composer", "mix", "cabal",
    "stack", "opam", "dotnet", "nuget", "apt", "apt-get", "dnf", "yum", "apk", "pacman", "brew", "snap",
    "flatpak", "winget", "choco", "scoop", "port", "nix", "guix", "asdf", "mise", "rbenv", "pyenv", "nvm",
    "volta", "fnm", "sdk", "rails", "rake", "ember", "ng", "nx", "turbo", "gradle", "gradlew", "mvn", "mvnw",
    "make", "just", "task", "cmake", "bazel", "echo", "printf", "print", "grep", "rg", "ag", "sed", "awk",
    "jq", "yq", "cat", "man", "tldr", "test", "[", "[[", "find", "fd", "rm", "del", "unlink", "sprag",
    "code", "vim", "nvim", "emacs", "tmux", "screen", "python", "python3", "node", "ruby", "perl", "php",
    "deno", "bash", "sh", "zsh", "psql", "mysql", "sqlite3", "redis-cli", "ip", "systemctl", "pytest",
    "jest", "vitest", "curl", "wget", "http", "xcrun", "adb", "flutter", "dart", "pod", "swift",
    "xcodebuild", "ollama", "dvc", "direnv", "pre-commit", "husky", "lefthook", "kind", "k3d", "minikube",
    "minishift", "jupyter", "task-master", "bd", "linear", "jira", "acli", "obsidian", "ssh", "mosh",
    "ansible", "export", "alias", "read", "local", "declare", "set", "trap", "type", "which", "console",
    "artisan", "symfony", "cake", "phinx", "craft", "typeorm", "sequelize", "sequelize-cli", "knex",
    "prisma", "drizzle-kit", "alembic", "flyway", "liquibase", "dbmate", "goose", "atlas", "sqlx", "diesel",
    "migrate", "hasura", "manage.py", "django-admin", "flask", "dotnet-ef", "ef", "strapi", "vault",
    "consul", "nats", "wp", "drush", "virtualenv", "workon", "mkvirtualenv", "rmvirtualenv",
];

const VERBS: &[&str] = &[
    "delete", "destroy", "purge", "terminate", "wipe", "obliterate", "erase", "drop", "rm", "remove", "del",
    "decommission", "deprovision", "unregister",
];

/// Verbs that leave no doubt, even without a thing.
const HARD: &[&str] = &["destroy", "terminate", "purge", "wipe", "obliterate", "erase", "deprovision"];

/// What services keep.
const THINGS: &[&str] = &[
    "database", "db", "cluster", "project", "app", "application", "instance", "server", "bucket", "volume",
    "vm", "machine", "node", "namespace", "stack", "environment", "account", "zone", "domain", "topic",
    "queue", "table", "keyspace", "repo", "repository", "backup", "snapshot", "site", "service", "user",
    "org", "organization", "organisation", "tenant", "collection", "dataset", "schema", "deployment",
    "function", "droplet", "container", "pod", "stream", "disk", "dns", "record", "space", "workload",
    "vault", "role", "registry", "network", "firewall", "subscription", "kv", "d1", "r2", "store", "catalog",
    "warehouse", "pipeline", "fleet", "group", "host",
];

fn is_thing(word: &str) -> bool {
    let word = word.strip_suffix('s').filter(|rest| rest.len() > 1).unwrap_or(word);
    let word = if word == "repositorie" { "repository" } else { word };
    THINGS.contains(&word) || word.strip_suffix("ie").is_some_and(|stem| stem == "registr")
}

/// The parts of a word: `apps:destroy`, `delete-cluster`, `db_drop`.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split([':', '-', '_', '.'])
}

static PRIVILEGED: Rule = Rule {
    id: "kubernetes:privileged-spec",
    verdict: Verdict::Ask,
    reason: "This starts a pod with rights over its node.",
    safer: "Run it without them.",
};

/// `kubectl run --overrides='{"spec":{"hostPID":true…'`: the rights stand in the text of the object.
pub(crate) fn kubectl(cmd: &Cmd) -> Option<&'static Rule> {
    const RIGHTS: [&str; 6] = [
        "\"privileged\":true",
        "\"hostpid\":true",
        "\"hostnetwork\":true",
        "\"hostipc\":true",
        "\"hostpath\":{\"path\":\"/\"",
        "\"hostpath\":{\"path\":\"/etc\"",
    ];
    let grants = cmd.args.iter().filter(|a| a.text.contains('{')).any(|a| {
        let text: String =
            a.text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
        RIGHTS.iter().any(|right| text.contains(right))
    });
    (grants
        && cmd.args.first().is_some_and(|a| matches!(a.text.as_str(), "run" | "patch" | "create" | "debug")))
    .then_some(&PRIVILEGED)
}

pub(crate) fn check(cmd: &Cmd, words: &Words<'_>) -> Option<&'static Rule> {
    tunnel(cmd, words).or_else(|| power(cmd, words)).or_else(|| deletes(cmd, words))
}

fn deletes(cmd: &Cmd, words: &Words<'_>) -> Option<&'static Rule> {
    let plain = |word: &&&str| {
        word.len() < 40 && word.bytes().all(|c| c.is_ascii_alphanumeric() || b":-_.".contains(&c))
    };
    let first = words.operands.get(..words.operands.len().min(4)).unwrap_or_default();
    let at = first.iter().take_while(plain).position(|word| {
        parts(word).any(|part| VERBS.contains(&part)) && parts(word).all(|part| part.len() > 1)
    })?;
    let name = cmd.name.as_str();
    // A program of the project is its own matter, and a local try costs nothing.
    // `awslocal`, `tflocal`: the client of an emulator on this machine.
    let own = name.ends_with("local")
        || cmd.by_path.is_some()
        || name.contains('/')
        || name.ends_with(".sh")
        || name.ends_with(".py");
    let tries = |o: &&str| {
        matches!(*o, "--help" | "-h" | "--list" | "--check" | "--local" | "--what-if" | "--preview")
            || o.starts_with("--dry")
            || o.starts_with("--no-act")
    };
    let is_agent = || AGENTS.iter().any(|agent| agent.process.is_program(name));
    if name.is_empty() || own || KNOWN.contains(&name) || is_agent() || words.options.iter().any(tries) {
        return None;
    }
    let verb = first.get(at)?;
    let thing_beside = parts(verb).any(is_thing)
        || at.checked_sub(1).and_then(|before| first.get(before)).is_some_and(|word| is_thing(word))
        || first.get(at + 1).is_some_and(|word| at == 0 && is_thing(word));
    let sure = words.options.iter().any(|o| {
        matches!(
            *o,
            "--force"
                | "-f"
                | "--yes"
                | "-y"
                | "--confirm"
                | "--auto-approve"
                | "-auto-approve"
                | "--no-prompt"
                | "--all"
                | "--cascade"
                | "--quiet"
                | "--non-interactive"
        )
    });
    let hard = at == 0 && HARD.contains(verb) && sure;
    // `CLIENT app rm` wants something that it names, or everything.
    let names = words.operands.len() > at + 1 || sure;
    (thing_beside && names || hard).then_some(&SERVICE_DELETE)
}

/// Boards that switch a machine off from outside.
fn power(cmd: &Cmd, words: &Words<'_>) -> Option<&'static Rule> {
    let off = |o: &&str| {
        matches!(
            o.to_ascii_lowercase().as_str(),
            "off" | "reset" | "cycle" | "soft" | "powerdown" | "hardreset" | "powercycle"
        )
    };
    let asks = matches!(cmd.name.as_str(), "ipmitool" | "ipmi-chassis-control" | "racadm" | "ipmipower")
        && (words.operands.iter().any(off)
            || words.options.iter().any(|o| matches!(*o, "--off" | "--reset" | "--cycle")));
    asks.then_some(&POWER)
}

/// Programs that give somebody elsewhere a port of this machine. A page of a development server (`ngrok http 3000`) is what
/// they are for.
fn tunnel(cmd: &Cmd, words: &Words<'_>) -> Option<&'static Rule> {
    const LOGINS: [&str; 7] = ["22", "3389", "5900", "5985", "2375", "2376", "445"];
    let login = |word: &str| {
        let port = word.rsplit(':').next().unwrap_or(word).trim_end_matches('/');
        LOGINS.contains(&port) || word.starts_with("ssh://") || word.starts_with("rdp://")
    };
    let any_login = || cmd.args.iter().any(|a| login(a.text.rsplit('=').next().unwrap_or(&a.text)));
    let opens = match cmd.name.as_str() {
        "chisel" => {
            words.operands.first() == Some(&"client") && words.operands.iter().any(|o| o.starts_with("R:"))
        }
        "ngrok" | "bore" | "lt" | "localtunnel" | "cloudflared" | "zrok" | "pagekite" | "tunnelto"
        | "loophole" | "frpc" | "rathole" | "expose" => {
            any_login() || matches!(words.operands.first(), Some(&("tcp" | "tls"))) && cmd.name == "ngrok"
        }
        "tailscale" => {
            words.operands.first() == Some(&"funnel") && any_login()
                || words.operands.first() == Some(&"up")
                    && words.options.iter().any(|o| matches!(*o, "--ssh" | "--ssh=true"))
        }
        // A shell as a page.
        "ttyd" | "gotty" | "shellinaboxd" | "wetty" | "sshx" | "tmate" | "upterm" => {
            !words.options.iter().any(|o| matches!(*o, "--help" | "-h" | "--version" | "-v" | "-V"))
        }
        "code" | "code-insiders" | "cursor" => {
            words.operands.first() == Some(&"tunnel") && !words.has("--help")
        }
        "ztcp" => true,
        "gs-netcat" | "gsocket" | "sliver" | "sliver-client" | "msfconsole" | "msfvenom" | "pwncat"
        | "pwncat-cs" | "evil-winrm" => !cmd.inert,
        _ => false,
    };
    opens.then_some(&TUNNEL)
}

#[cfg(test)]
mod tests {
    use crate::{GuardConfig, judge};
    use sprag_shell::{Context, analyse};

    fn rule(line: &str) -> Option<&'static str> {
        let ctx = Context {
            cwd: "/home/dev/p".into(),
            home: "/home/dev".into(),
            project_root: "/home/dev/p".into(),
        };
        judge(&analyse(line, &ctx), &ctx, &GuardConfig::default()).rule
    }

    #[test]
    fn a_client_that_nobody_knows_deletes_by_its_words() {
        for line in [
            "acmectl database delete main",
            "acmectl projects:destroy shop",
            "acme delete cluster prod",
            "acmectl destroy --yes",
            "acmectl delete-cluster prod",
            "acmectl apps rm shop",
        ] {
            assert_eq!(rule(line), Some("cloud:delete-by-client"), "{line}");
        }
        for line in [
            "acmectl database list",
            "acmectl database delete --dry-run main",
            "acmectl cache delete",
            "./acmectl database delete main",
            "acmectl delete --help",
            "poetry remove app",
            "ollama rm llama3",
            "acmectl remove entry 4",
            "rails destroy model app",
            "awslocal lambda delete-function --function-name f",
            "tflocal destroy -auto-approve",
            "APP_ENV=test php bin/console doctrine:database:drop --force",
        ] {
            assert_eq!(rule(line), None, "{line}");
        }
    }

    #[test]
    fn a_way_into_this_machine_is_asked_about_and_a_page_is_not() {
        assert_eq!(rule("chisel client h:8080 R:socks"), Some("remote-execution:tunnel-program"));
        assert_eq!(rule("bore local 22 --to b.example"), Some("remote-execution:tunnel-program"));
        assert_eq!(rule("ngrok http 3000"), None);
        assert_eq!(rule("tailscale up --ssh=false"), None);
        assert_eq!(rule("ipmitool -H h chassis power off"), Some("system:remote-power"));
        assert_eq!(rule("ipmitool -H h chassis status"), None);
    }
}
