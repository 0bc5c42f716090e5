//! Which paths hold secrets: a curated table, by file name and place.

mod table;

use crate::model::{Analysis, Arg, Context, EffectKind, PathRef};
use crate::paths::{self, glob_match, has_glob};
use crate::text::items;
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

/// Whether this path holds secrets. `path` is absolute or relative to `ctx.cwd`; it may have globs.
pub fn sensitive_path(path: &str, ctx: &Context) -> Option<SensitiveKind> {
    let text = path.trim().strip_prefix("file://").unwrap_or(path.trim());
    of_text(text, ctx)
}

pub(crate) fn of_text(text: &str, ctx: &Context) -> Option<SensitiveKind> {
    let decoded = percent_decode(text);
    let arg = Arg { glob: has_glob(&decoded), ..Arg::new(decoded) };
    of_path(&paths::path_ref(&arg, Some(&ctx.cwd), ctx), ctx)
}

fn percent_decode(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut bytes = text.bytes().peekable();
    let mut rest = text.as_bytes();
    while let Some(c) = bytes.next() {
        rest = items(rest, 1..);
        let hex = rest
            .get(..2)
            .and_then(|h| std::str::from_utf8(h).ok())
            .and_then(|h| u8::from_str_radix(h, 16).ok());
        match (c, hex) {
            (b'%', Some(v)) => {
                out.push(v);
                bytes.next();
                bytes.next();
                rest = items(rest, 2..);
            }
            _ => out.push(c),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

pub(crate) fn of_path(path: &PathRef, ctx: &Context) -> Option<SensitiveKind> {
    let full = path.full.to_lowercase();
    let name = full.rsplit('/').next().unwrap_or(&full);
    if name.is_empty() || name == "." {
        return None;
    }
    let _ = ctx;
    let probed = probe(&full, name);
    if probed.is_some() {
        return probed;
    }
    if path.glob && has_glob(name) {
        let dir = full.rsplit_once('/').map_or("", |(d, _)| d);
        if name == "*"
            && let Some((_, kind)) = DIRECTORIES.iter().find(|(d, _)| dir.ends_with(d))
        {
            return Some(*kind);
        }
        return glob_hits(name);
    }
    None
}

fn is_template(name: &str) -> bool {
    TEMPLATES.iter().any(|t| name.ends_with(t))
        || name.contains(".example.")
        || name.contains(".sample.")
        || name.contains(".template.")
}

fn in_fixtures(full: &str) -> bool {
    full.split('/').any(|p| {
        matches!(
            p,
            "fixtures"
                | "fixture"
                | "__fixtures__"
                | "testdata"
                | "test-data"
                | "test_data"
                | "test-fixtures"
                | "__mocks__"
                | "mocks"
                | "examples"
        )
    })
}

fn probe(full: &str, name: &str) -> Option<SensitiveKind> {
    if is_template(name) {
        return None;
    }
    let public = crate::ends(name, ".pub")
        || name.ends_with(".pub.pem")
        || name.starts_with("public")
        || crate::ends(name, ".pubkey");
    if let Some(kind) = ssh(full, name) {
        return if public { None } else { kind };
    }
    if public {
        return None;
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
            && !crate::ends(name, ".ts")
            && !crate::ends(name, ".js")
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
    let gpg = crate::ends(name, ".gpg")
        || crate::ends(name, ".asc") && (name.contains("private") || name.contains("secret"));
    if gpg && !full.starts_with("/usr/") && !full.starts_with("/etc/apt/") {
        return Some(GPG);
    }
    if let Some((_, kind)) = NAMES.iter().find(|(n, _)| *n == name) {
        let system_only = *kind == SYSTEM && !full.starts_with("/etc/") && !full.starts_with("/var/");
        let bare = name == "identity" && !full.contains("/.");
        return (!system_only && !bare).then_some(*kind);
    }
    if let Some((_, kind)) = ENDINGS.iter().find(|(e, _)| name.ends_with(e) && name.len() > e.len()) {
        let stem = name.rsplit_once('.').map_or(name, |(s, _)| s);
        let certificate = crate::ends(name, ".pem")
            && (matches!(
                stem,
                "ca" | "cacert"
                    | "fullchain"
                    | "chain"
                    | "ca-bundle"
                    | "cabundle"
                    | "roots"
                    | "bundle"
                    | "ca-cert"
                    | "ca-certificates"
                    | "root-ca"
                    | "dhparam"
            ) || stem.ends_with("_pub")
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
    let harmless = matches!(
        name,
        "config"
            | "known_hosts"
            | "known_hosts.old"
            | "authorized_keys"
            | "rc"
            | "environment"
            | "allowed_signers"
    ) || full.contains("/authorized_keys")
        || full.contains("/config.d/")
        || crate::ends(name, ".pub")
        || crate::ends(name, ".md");
    Some((!harmless).then_some(SSH))
}

/// Names that say what is inside, with an extension of data.
fn named(name: &str) -> Option<SensitiveKind> {
    let (stem, extension) = match name.rsplit_once('.') {
        Some((s, e)) if !s.is_empty() => (s, e),
        _ => (name.trim_start_matches('.'), ""),
    };
    let data = matches!(
        extension,
        "" | "json"
            | "yml"
            | "yaml"
            | "toml"
            | "ini"
            | "cfg"
            | "conf"
            | "xml"
            | "properties"
            | "csv"
            | "plist"
            | "txt"
            | "bak"
            | "old"
            | "db"
            | "sqlite"
            | "enc"
            | "backup"
            | "tfvars"
            | "kdbx"
    );
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
fn glob_hits(pattern: &str) -> Option<SensitiveKind> {
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
        if glob_match(pattern, sample) {
            // A pattern whose only letters are a common extension or one letter says nothing.
            if !hidden && literal < 2 {
                continue;
            }
            return probe(&format!("/{sample}"), sample);
        }
    }
    None
}

/// A sensitive path that a command reads, sends or stages.
#[derive(Debug, Clone)]
pub struct SensitiveRead {
    /// The command, as an index into [`Analysis::commands`].
    pub cmd: usize,
    /// The path.
    pub path: PathRef,
    /// What it holds.
    pub kind: SensitiveKind,
    /// Only put under version control, not shown: for a person to decide.
    pub staged: bool,
}

/// The sensitive paths whose content a command would show, copy or send. Creating, deleting and `chmod` are not
/// among them.
pub fn sensitive_reads(analysis: &Analysis, ctx: &Context) -> Vec<SensitiveRead> {
    let mut out = Vec::new();
    for e in &analysis.effects {
        let (path, staged) = match &e.kind {
            EffectKind::Read(p) => (p, false),
            EffectKind::Stage(p) => (p, true),
            _ => continue,
        };
        if let Some(kind) = of_path(path, ctx) {
            out.push(SensitiveRead { cmd: e.cmd, path: path.clone(), kind, staged });
        }
    }
    out
}
