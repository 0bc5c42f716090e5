//! What holds secrets, by its name: files and folders (a curated table), and variables with the hosts that each token is
//! made for. Names are only compared; nothing is looked at.
#![expect(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "names are compared as written or lower-cased before; a path is text here"
)]

mod literal;
mod table;
mod tokens;

pub use literal::{Literal, literal};
pub use tokens::{Part, base_variable, holds_tokens_only, is_setting_name, is_token_name, leaves};

use table::{
    ACCOUNT, DIRECTORIES, ENDINGS, ENV, GLOB_SAMPLES, GPG, KEY, NAMES, PLACES, SECRETS, SSH, SYSTEM,
    TEMPLATES,
};

/// What kind of secret a path holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SensitiveKind {
    /// A stable name (`env-file`, `private-key` …).
    pub id: &'static str,
    /// One sentence: what it holds.
    pub reason: &'static str,
}

/// Places (`~/…`, `/…`) and names (`**/…`) that hold secrets, for an agent's own sandbox. Names that a folder of sources
/// could have are left out: a sandbox cannot look twice.
pub fn patterns() -> Vec<String> {
    let places = DIRECTORIES.iter().chain(PLACES).map(|(place, _)| place.trim_end_matches('/'));
    let mut found: Vec<String> = places
        .filter(|place| !place.contains("/library/"))
        .map(|place| if place.starts_with("/.") { format!("~{place}") } else { (*place).to_owned() })
        .collect();
    let hidden =
        NAMES.iter().map(|(name, _)| *name).filter(|name| name.starts_with('.') || name.starts_with("id_"));
    found.extend(hidden.chain([".env", ".env.local", ".env.production"]).map(|name| format!("**/{name}")));
    found.sort();
    found.dedup();
    found
}

/// What an absolute path holds, when that is secret. `glob`: it is a pattern, which `matches` compares with a name.
pub fn of_path(full: &str, glob: bool, matches: fn(&str, &str) -> bool) -> Option<SensitiveKind> {
    let full = full.to_lowercase();
    let name = full.rsplit('/').next().unwrap_or(&full);
    if name.is_empty() || name == "." {
        return None;
    }
    let probed = probe(&full, name);
    if probed.is_some() {
        return probed;
    }
    if glob && name.contains(['*', '?', '[']) {
        let dir = full.rsplit_once('/').map_or("", |(d, _)| d);
        if name == "*"
            && let Some((_, kind)) = DIRECTORIES.iter().find(|(d, _)| dir.ends_with(d))
        {
            return Some(*kind);
        }
        return glob_hits(name, matches);
    }
    None
}

/// Whether a file is there to be copied or tried with: what looks like a secret in it is none.
pub fn is_sample(path: &str) -> bool {
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let tests = |part: &str| {
        matches!(part, "test" | "tests" | "__tests__" | "spec" | "specs" | "e2e" | "example" | "docs" | "doc")
    };
    let by_name = ["_test.", ".test.", ".spec.", "_spec.", "test_", ".md", ".rst", ".lock"];
    is_template(name)
        || in_fixtures(&path)
        || path.split('/').any(tests)
        || by_name.iter().any(|part| name.contains(part))
}

fn is_template(name: &str) -> bool {
    TEMPLATES.iter().any(|t| name.ends_with(t))
        || name.contains(".example.")
        || name.contains(".sample.")
        || name.contains(".template.")
}

fn in_fixtures(full: &str) -> bool {
    full.split('/').any(|p| {
        [
            "fixtures", "fixture", "__fixtures__", "testdata", "test-data", "test_data", "test-fixtures",
            "__mocks__", "mocks", "examples", "golden", "goldens", "__snapshots__",
        ]
        .contains(&p)
    })
}

fn probe(full: &str, name: &str) -> Option<SensitiveKind> {
    if is_template(name) {
        return None;
    }
    let public = name.ends_with(".pub")
        || name.ends_with(".pub.pem")
        || name.starts_with("public")
        || name.ends_with(".pubkey");
    if let Some(kind) = ssh(full, name) {
        return if public { None } else { kind };
    }
    if public {
        return None;
    }
    // Public keys, settings and templates in folders and under names of secrets.
    let gnupg = full.contains("/.gnupg/")
        && matches!(name, "pubring.kbx" | "pubring.gpg" | "gpg.conf" | "gpg-agent.conf" | "dirmngr.conf");
    let chart = full.contains("/templates/") && (name.ends_with(".yaml") || name.ends_with(".tpl"));
    if gnupg || chart && !name.starts_with('.') {
        return None;
    }
    // `~/.secrets.zsh`, which a shell loads.
    if name.starts_with(".secrets.") {
        return Some(SECRETS);
    }
    for (part, kind) in PLACES {
        let hit = if part.ends_with('/') {
            full.contains(part)
        } else {
            full.ends_with(part) || (*part == "/.cargo/credentials" && full.contains(part))
        };
        if hit {
            return Some(*kind);
        }
    }
    for (dir, kind) in DIRECTORIES {
        if full.ends_with(dir) {
            return Some(*kind);
        }
    }
    if full.starts_with("/proc/") && full.ends_with("/environ") {
        return Some(ENV);
    }
    if in_fixtures(full) {
        return None;
    }
    if name == ".env"
        || (name.starts_with(".env.") || name.starts_with(".env-") || name.starts_with(".env_"))
            && !name.ends_with(".ts")
            && !name.ends_with(".js")
    {
        return Some(ENV);
    }
    if name.starts_with(".env") && name.get(4..).is_some_and(|r| r.starts_with(['~', '*', '?', '['])) {
        return Some(ENV);
    }
    // Copies of a key keep its name (`id_rsa.bak`); keyrings of the package manager are public.
    if ["id_rsa.", "id_dsa.", "id_ecdsa.", "id_ed25519.", "id_rsa_", "id_ed25519_"]
        .iter()
        .any(|p| name.starts_with(p))
    {
        return Some(KEY);
    }
    let gpg = name.ends_with(".gpg")
        || name.ends_with(".asc") && (name.contains("private") || name.contains("secret"));
    if gpg && !full.starts_with("/usr/") && !full.starts_with("/etc/apt/") {
        return Some(GPG);
    }
    if let Some((_, kind)) = NAMES.iter().find(|(n, _)| *n == name) {
        let system_only = *kind == SYSTEM && !full.starts_with("/etc/") && !full.starts_with("/var/");
        let bare = name == "identity" && !full.contains("/.");
        return (!system_only && !bare).then_some(*kind);
    }
    // Where React Native finds node; every project has it in the repository.
    if name == ".xcode.env" {
        return None;
    }
    if let Some((_, kind)) = ENDINGS.iter().find(|(e, _)| name.ends_with(e) && name.len() > e.len()) {
        let stem = name.rsplit_once('.').map_or(name, |(s, _)| s);
        let certificate = name.ends_with(".pem")
            && ([
                "ca", "cacert", "fullchain", "chain", "ca-bundle", "cabundle", "roots", "bundle", "ca-cert",
                "ca-certificates", "root-ca", "dhparam", "pub", "pubkey", "pub_key", "pub-key",
            ]
            .contains(&stem)
                || stem.ends_with("_pub")
                || stem.ends_with("-pub")
                || stem.ends_with("public"));
        return (!certificate).then_some(*kind);
    }
    named(name)
}

/// Inside `.ssh`: `Some(None)` is "ssh, but harmless".
#[expect(clippy::option_option, reason = "not ssh, harmless ssh, and secret ssh are three answers")]
fn ssh(full: &str, name: &str) -> Option<Option<SensitiveKind>> {
    if !full.contains("/.ssh/") {
        return None;
    }
    let harmless = [
        "config", "known_hosts", "known_hosts.old", "authorized_keys", "rc", "environment", "allowed_signers",
    ]
    .contains(&name)
        || full.contains("/authorized_keys")
        || full.contains("/config.d/")
        || name.ends_with(".pub")
        || name.ends_with(".md");
    Some((!harmless).then_some(SSH))
}

/// Names that say what is inside, with an extension of data.
fn named(name: &str) -> Option<SensitiveKind> {
    let (stem, extension) = match name.rsplit_once('.') {
        Some((s, e)) if !s.is_empty() => (s, e),
        _ => (name.trim_start_matches('.'), ""),
    };
    let data = [
        "", "json", "yml", "yaml", "toml", "ini", "cfg", "conf", "xml", "properties", "csv", "plist", "txt",
        "bak", "old", "db", "sqlite", "enc", "backup", "tfvars", "kdbx",
    ]
    .contains(&extension);
    if !data {
        return None;
    }
    let stem = stem.trim_start_matches('.');
    let is = |w: &str| {
        stem == w
            || stem.strip_prefix(w).is_some_and(|r| r.starts_with(['.', '-', '_']))
            || stem.strip_suffix(w).is_some_and(|r| r.ends_with(['.', '-', '_']))
    };
    if extension == "json"
        && (stem.contains("service-account")
            || stem.contains("service_account")
            || stem.contains("serviceaccount")
            || stem.contains("firebase-adminsdk")
            || stem.starts_with("gcp-key")
            || stem.starts_with("gcloud-key")
            || stem.starts_with("client_secret")
            || stem.starts_with("client-secret"))
    {
        return Some(ACCOUNT);
    }
    if matches!(extension, "txt" | "csv")
        && !(is("passwords")
            || is("password")
            || is("credentials")
            || is("secrets")
            || is("secret")
            || is("api_keys")
            || is("apikeys")
            || is("api-keys")
            || is("api_key")
            || is("recovery-codes")
            || is("seed-phrase"))
    {
        return None;
    }
    let secret = [
        "secret", "secrets", "credential", "credentials", "passwords", "private_key", "private-key",
        "privatekey", "api_keys", "api-keys", "apikeys", "api_key",
    ];
    // A bare word without an extension is more often a command or a directory.
    let bare =
        extension.is_empty() && !matches!(stem, "credentials" | "secrets" | "private_key" | "private-key");
    (secret.iter().any(|w| is(w)) && !bare)
        .then_some(SECRETS)
        .or_else(|| (matches!(extension, "txt" | "csv") && is("password")).then_some(SECRETS))
}

/// Whether a glob would take a sensitive name.
fn glob_hits(pattern: &str, matches: fn(&str, &str) -> bool) -> Option<SensitiveKind> {
    let literal = pattern.chars().filter(|c| c.is_alphanumeric()).count();
    // `*`, `*.*`, `*.json` say nothing about secrets; `.*` takes every dot file.
    let generic = matches!(
        pattern,
        "*" | "**" | "*.*" | "?*" | "*.json" | "*.yml" | "*.yaml" | "*.toml" | "*.dat" | "*.txt"
    );
    if generic || (literal == 0 && !pattern.starts_with('.')) {
        return None;
    }
    for sample in GLOB_SAMPLES {
        let hidden = sample.starts_with('.');
        if hidden && !pattern.starts_with('.') {
            continue;
        }
        if matches(pattern, sample) {
            // A pattern whose only letters are a common extension or one letter says nothing.
            if !hidden && literal < 2 {
                continue;
            }
            return probe(&format!("/{sample}"), sample);
        }
    }
    None
}
