//! Which paths hold secrets: a curated table, by file name and place.

use crate::model::{Analysis, Arg, Context, EffectKind, PathRef};
use crate::paths::{self, glob_match, has_glob};

/// What kind of secret a path holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SensitiveKind {
    /// A stable name (`env-file`, `private-key` …).
    pub id: &'static str,
    /// One sentence: what it holds.
    pub reason: &'static str,
}

const fn kind(id: &'static str, reason: &'static str) -> SensitiveKind {
    SensitiveKind { id, reason }
}

const ENV: SensitiveKind = kind("env-file", "environment files hold passwords and API keys");
const KEY: SensitiveKind = kind("private-key", "this is the name of a private key");
const KEYSTORE: SensitiveKind = kind("keystore", "key stores hold private keys");
const SSH: SensitiveKind = kind("ssh", "the ssh directory holds private keys");
const GPG: SensitiveKind = kind("gnupg", "the GnuPG directory holds private keys");
const CLOUD: SensitiveKind =
    kind("cloud-credentials", "this file holds credentials for a cloud or a cluster");
const TOKEN: SensitiveKind =
    kind("registry-token", "this file holds a token or password for a registry or host");
const DATABASE: SensitiveKind = kind("database-password", "this file holds a database password");
const HISTORY: SensitiveKind = kind("history", "shell and client histories hold typed passwords and tokens");
const BROWSER: SensitiveKind = kind("browser", "browser profiles hold cookies and saved passwords");
const VAULT: SensitiveKind = kind("password-store", "this is a password store or keychain");
const WALLET: SensitiveKind = kind("wallet", "this is a wallet");
const SECRETS: SensitiveKind = kind("secrets-file", "by its name this file holds secrets");
const ACCOUNT: SensitiveKind = kind("service-account", "service-account files hold a private key");
const SYSTEM: SensitiveKind = kind("system-secrets", "this system file holds password hashes or keys");
const AGENT: SensitiveKind = kind("agent-credentials", "this file holds the agent's own login");
const STATE: SensitiveKind = kind("terraform-state", "Terraform state holds secrets in plain text");

/// Whole file names.
static NAMES: &[(&str, SensitiveKind)] = &[
    (".envrc", ENV),
    ("id_rsa", KEY),
    ("id_dsa", KEY),
    ("id_ecdsa", KEY),
    ("id_ed25519", KEY),
    ("id_ecdsa_sk", KEY),
    ("id_ed25519_sk", KEY),
    ("id_xmss", KEY),
    ("private.key", KEY),
    ("privkey.pem", KEY),
    ("master.key", KEY),
    ("identity", KEY),
    ("secring.gpg", GPG),
    ("trustdb.gpg", GPG),
    (".netrc", TOKEN),
    ("_netrc", TOKEN),
    (".npmrc", TOKEN),
    (".yarnrc.yml", TOKEN),
    (".pypirc", TOKEN),
    (".git-credentials", TOKEN),
    (".gitcredentials", TOKEN),
    (".dockercfg", TOKEN),
    (".dockerconfigjson", TOKEN),
    (".htpasswd", TOKEN),
    (".vault-token", TOKEN),
    (".terraformrc", TOKEN),
    ("terraform.rc", TOKEN),
    ("credentials.tfrc.json", TOKEN),
    (".databrickscfg", CLOUD),
    (".boto", CLOUD),
    (".s3cfg", CLOUD),
    (".passwd-s3fs", CLOUD),
    ("kubeconfig", CLOUD),
    ("kubeconfig.yaml", CLOUD),
    ("kubeconfig.yml", CLOUD),
    (".kubeconfig", CLOUD),
    ("rclone.conf", CLOUD),
    (".rclone.conf", CLOUD),
    ("accesstokens.json", CLOUD),
    ("application_default_credentials.json", CLOUD),
    ("access_tokens.db", CLOUD),
    (".pgpass", DATABASE),
    ("pgpass.conf", DATABASE),
    (".my.cnf", DATABASE),
    (".mylogin.cnf", DATABASE),
    (".mongorc.js", DATABASE),
    (".dbshell", DATABASE),
    (".bash_history", HISTORY),
    (".zsh_history", HISTORY),
    (".zhistory", HISTORY),
    (".sh_history", HISTORY),
    (".ash_history", HISTORY),
    (".ksh_history", HISTORY),
    (".history", HISTORY),
    ("fish_history", HISTORY),
    (".python_history", HISTORY),
    (".node_repl_history", HISTORY),
    (".mysql_history", HISTORY),
    (".psql_history", HISTORY),
    (".sqlite_history", HISTORY),
    (".rediscli_history", HISTORY),
    (".irb_history", HISTORY),
    (".mongo_history", HISTORY),
    ("consolehost_history.txt", HISTORY),
    ("login data", BROWSER),
    ("cookies.sqlite", BROWSER),
    ("logins.json", BROWSER),
    ("key3.db", BROWSER),
    ("key4.db", BROWSER),
    ("signons.sqlite", BROWSER),
    ("cookies.binarycookies", BROWSER),
    ("wallet.dat", WALLET),
    ("wallet.json", WALLET),
    ("keystore.json", WALLET),
    ("keyfile.json", ACCOUNT),
    ("serviceaccountkey.json", ACCOUNT),
    (".secrets", SECRETS),
    (".secret", SECRETS),
    (".credentials", SECRETS),
    (".credentials.json", AGENT),
    ("oauth_creds.json", AGENT),
    ("secret_key_base", SECRETS),
    ("token.json", SECRETS),
    ("tokens.json", SECRETS),
    ("token.txt", SECRETS),
    ("tokens.txt", SECRETS),
    ("token.pickle", SECRETS),
    (".token", SECRETS),
    (".tokens", SECRETS),
    ("auth.json", TOKEN),
    ("shadow", SYSTEM),
    ("shadow-", SYSTEM),
    ("gshadow", SYSTEM),
    ("master.passwd", SYSTEM),
    ("sudoers", SYSTEM),
    ("ssh_host_rsa_key", KEY),
    ("ssh_host_ed25519_key", KEY),
    ("ssh_host_ecdsa_key", KEY),
    ("terraform.tfstate", STATE),
    ("terraform.tfstate.backup", STATE),
];

/// File name endings.
static ENDINGS: &[(&str, SensitiveKind)] = &[
    (".pem", KEY),
    (".key", KEY),
    (".p12", KEYSTORE),
    (".pfx", KEYSTORE),
    (".p8", KEY),
    (".pkcs12", KEYSTORE),
    (".pkcs8", KEY),
    (".jks", KEYSTORE),
    (".keystore", KEYSTORE),
    (".bks", KEYSTORE),
    (".ppk", KEY),
    (".kdbx", VAULT),
    (".kdb", VAULT),
    (".psafe3", VAULT),
    (".1pif", VAULT),
    (".opvault", VAULT),
    (".agilekeychain", VAULT),
    (".keychain", VAULT),
    (".keychain-db", VAULT),
    (".wallet", WALLET),
    (".ovpn", KEY),
    (".secret", SECRETS),
    (".secrets", SECRETS),
    (".credentials", SECRETS),
    (".mobileprovision", KEY),
    (".tfstate", STATE),
    (".age-key", KEY),
    (".gpg-key", KEY),
    ("_rsa", KEY),
    ("_ed25519", KEY),
    ("_ecdsa", KEY),
    ("_dsa", KEY),
    (".env", ENV),
];

/// Parts of the path: `dir/file`, or `dir/` for everything below.
static PLACES: &[(&str, SensitiveKind)] = &[
    ("/.aws/credentials", CLOUD),
    ("/.aws/config", CLOUD),
    ("/.aws/sso/", CLOUD),
    ("/.aws/cli/cache/", CLOUD),
    ("/.docker/config.json", TOKEN),
    ("/.kube/config", CLOUD),
    ("/.kube/cache/", CLOUD),
    ("/etc/kubernetes/admin.conf", CLOUD),
    ("/var/run/secrets/", CLOUD),
    ("/run/secrets/", SECRETS),
    ("/.config/gh/hosts.yml", TOKEN),
    ("/.config/hub", TOKEN),
    ("/.config/glab-cli/config.yml", TOKEN),
    ("/.config/gcloud/", CLOUD),
    ("/.azure/", CLOUD),
    ("/.oci/", CLOUD),
    ("/.config/doctl/", CLOUD),
    ("/.config/hcloud/", CLOUD),
    ("/.fly/config.yml", CLOUD),
    ("/.config/stripe/", CLOUD),
    ("/.config/op/", VAULT),
    ("/.config/sops/", KEY),
    ("/.cargo/credentials", TOKEN),
    ("/.gem/credentials", TOKEN),
    ("/.m2/settings.xml", TOKEN),
    ("/.m2/settings-security.xml", TOKEN),
    ("/.gradle/gradle.properties", TOKEN),
    ("/.nuget/nuget.config", TOKEN),
    ("/.composer/auth.json", TOKEN),
    ("/.config/composer/auth.json", TOKEN),
    ("/.config/pip/pip.conf", TOKEN),
    ("/.pip/pip.conf", TOKEN),
    ("/.hex/hex.config", TOKEN),
    ("/.snowsql/config", DATABASE),
    ("/.config/configstore/", TOKEN),
    ("/.config/netlify/", TOKEN),
    ("/.vercel/auth.json", TOKEN),
    ("/.wrangler/config/", TOKEN),
    ("/.gnupg/", GPG),
    ("/.password-store/", VAULT),
    ("/.local/share/keyrings/", VAULT),
    ("/.local/share/kwalletd/", VAULT),
    ("/library/keychains/", VAULT),
    ("/.config/keepassxc/", VAULT),
    ("/.config/bitwarden", VAULT),
    ("/.mozilla/firefox/", BROWSER),
    ("/.config/google-chrome/", BROWSER),
    ("/.config/chromium/", BROWSER),
    ("/.config/bravesoftware/", BROWSER),
    ("/library/application support/google/chrome/", BROWSER),
    ("/library/application support/firefox/", BROWSER),
    ("/library/cookies/", BROWSER),
    ("/.electrum/", WALLET),
    ("/.bitcoin/", WALLET),
    ("/.ethereum/", WALLET),
    ("/.config/solana/", WALLET),
    ("/.monero/", WALLET),
    ("/.litecoin/", WALLET),
    ("/.claude/.credentials.json", AGENT),
    ("/.codex/auth.json", AGENT),
    ("/.gemini/oauth_creds.json", AGENT),
    ("/.config/github-copilot/", AGENT),
    ("/etc/ssl/private/", SYSTEM),
    ("/etc/sudoers.d/", SYSTEM),
    ("/etc/shadow", SYSTEM),
    ("/etc/gshadow", SYSTEM),
    ("/etc/krb5.keytab", SYSTEM),
    ("/etc/wireguard/", SYSTEM),
    ("/etc/letsencrypt/live/", KEY),
    ("/etc/letsencrypt/archive/", KEY),
];

/// Directories that are sensitive as a whole.
static DIRECTORIES: &[(&str, SensitiveKind)] = &[
    ("/.ssh", SSH),
    ("/.gnupg", GPG),
    ("/.aws", CLOUD),
    ("/.kube", CLOUD),
    ("/.azure", CLOUD),
    ("/.config/gcloud", CLOUD),
    ("/.password-store", VAULT),
    ("/.mozilla", BROWSER),
    ("/library/keychains", VAULT),
    ("/etc/ssl/private", SYSTEM),
];

/// Names a glob is tried against.
static GLOB_SAMPLES: &[&str] = &[
    ".env",
    ".env.local",
    ".env.production",
    ".envrc",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".pgpass",
    ".bash_history",
    ".zsh_history",
    ".my.cnf",
    ".boto",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "server.key",
    "private.key",
    "key.pem",
    "server.pem",
    "cert.p12",
    "cert.pfx",
    "store.jks",
    "release.keystore",
    "passwords.kdbx",
    "credentials.json",
    "credentials",
    "secrets.yml",
    "secrets.yaml",
    "secrets.json",
    "prod.env",
    "service-account.json",
    "terraform.tfstate",
    "wallet.dat",
    "app.secret",
];

const TEMPLATES: &[&str] = &[
    ".example",
    ".sample",
    ".template",
    ".dist",
    ".tmpl",
    ".tpl",
    ".defaults",
    ".default",
    ".schema",
    ".md",
    ".d.ts",
    ".j2",
    "-example",
    "-sample",
    "-template",
    "_example",
    "_sample",
    "_template",
    ".stub",
    ".skel",
    ".erb",
];

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
        rest = rest.get(1..).unwrap_or_default();
        let hex = rest
            .get(..2)
            .and_then(|h| std::str::from_utf8(h).ok())
            .and_then(|h| u8::from_str_radix(h, 16).ok());
        match (c, hex) {
            (b'%', Some(v)) => {
                out.push(v);
                bytes.next();
                bytes.next();
                rest = rest.get(2..).unwrap_or_default();
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
    if let Some((_, kind)) = NAMES.iter().find(|(n, _)| *n == name) {
        let system_only = *kind == SYSTEM && !full.starts_with("/etc/") && !full.starts_with("/var/");
        let bare = matches!(name, "identity" | "auth.json") && !full.contains("/.");
        return (!system_only && !bare).then_some(*kind);
    }
    if let Some((_, kind)) = ENDINGS.iter().find(|(e, _)| name.ends_with(e) && name.len() > e.len()) {
        let stem = name.rsplit_once('.').map_or(name, |(s, _)| s);
        let certificate = name.ends_with(".pem")
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
        "secret",
        "secrets",
        "credential",
        "credentials",
        "passwords",
        "private_key",
        "private-key",
        "privatekey",
        "api_keys",
        "api-keys",
        "apikeys",
        "api_key",
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
