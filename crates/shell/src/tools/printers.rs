//! Programs that print secrets of their own: which sub-command with which options.

use crate::model::Arg;
use crate::words::{Form, Words};

macro_rules! form {
    ([$($p:literal),+], [$($w:literal),*], any [$($a:literal),*], unless [$($u:literal),*]) => {
        Form { programs: &[$($p),+], words: &[$($w),*], any: &[$($a),*], unless: &[$($u),*] }
    };
}

/// The forms that print a secret. Listings of names, statuses and descriptions are not among them.
static PRINTERS: &[Form] = &[
    form!(["gh", "glab"], ["auth", "token"], any [], unless []),
    form!(["gh", "glab"], ["auth", "status"], any ["--show-token", "-t"], unless []),
    form!(["glab"], ["config", "get", "token"], any [], unless []),
    form!(["aws"], ["configure", "export-credentials"], any [], unless []),
    form!(["aws"], ["configure", "get", "aws_secret_access_key|aws_session_token|*.aws_secret_access_key"], any [], unless []),
    form!(["aws"], ["sts", "get-session-token|assume-role|assume-role-with-web-identity|assume-role-with-saml|get-federation-token"], any [], unless []),
    form!(["aws"], ["secretsmanager", "get-secret-value|batch-get-secret-value|get-random-password"], any [], unless []),
    form!(["aws"], ["ssm", "get-parameter|get-parameters|get-parameters-by-path"], any ["--with-decryption"], unless []),
    form!(["aws"], ["ecr", "get-login-password|get-authorization-token|get-login"], any [], unless []),
    form!(["aws"], ["codeartifact", "get-authorization-token"], any [], unless []),
    form!(["aws"], ["iam", "create-access-key|create-service-specific-credential"], any [], unless []),
    form!(["aws"], ["sso", "get-role-credentials"], any [], unless []),
    form!(["aws"], ["rds", "generate-db-auth-token"], any [], unless []),
    form!(["gcloud"], ["auth", "print-access-token|print-identity-token|print-refresh-token"], any [], unless []),
    form!(["gcloud"], ["auth", "application-default", "print-access-token"], any [], unless []),
    form!(["gcloud"], ["secrets", "versions", "access"], any [], unless []),
    form!(["gcloud"], ["iam", "service-accounts", "keys", "create"], any [], unless []),
    form!(["az"], ["keyvault", "secret|key|certificate", "show|download|backup"], any [], unless []),
    form!(["az"], ["account", "get-access-token"], any [], unless []),
    form!(["az"], ["ad", "sp|app", "create-for-rbac|credential"], any [], unless ["list", "delete"]),
    form!(["az"], ["storage|cosmosdb|redis|servicebus|eventhubs", "account|keys|list-keys|*", "keys|list|show-connection-string|*"], any ["keys", "list-keys", "show-connection-string"], unless ["renew"]),
    form!(["az"], ["acr", "credential", "show"], any [], unless []),
    form!(["vault"], ["kv", "get"], any [], unless ["metadata"]),
    form!(["vault"], ["read|print|unwrap"], any [], unless []),
    form!(["vault"], ["token", "create|lookup"], any [], unless []),
    form!(["kubectl", "oc", "k"], ["create", "token"], any [], unless []),
    form!(["oc"], ["whoami"], any ["-t", "--show-token"], unless []),
    form!(["oc"], ["sa|serviceaccounts", "get-token"], any [], unless []),
    form!(["kubectl", "oc", "k"], ["config", "view"], any ["--raw"], unless []),
    form!(["security"], ["find-generic-password|find-internet-password"], any ["-w", "-g"], unless []),
    form!(["security"], ["dump-keychain"], any ["-d"], unless []),
    form!(["security"], ["export"], any [], unless []),
    form!(["pass", "gopass"], ["show"], any [], unless []),
    form!(["gopass"], ["cat"], any [], unless []),
    form!(["op"], ["read"], any [], unless []),
    form!(["op"], ["signin"], any ["--raw"], unless []),
    form!(["op"], ["item", "get"], any ["--reveal", "--fields", "--format", "--field"], unless []),
    form!(["op"], ["document", "get"], any [], unless []),
    form!(["secret-tool"], ["lookup|search"], any [], unless []),
    form!(["keyctl"], ["print|pipe|read"], any [], unless []),
    form!(["gpg", "gpg2"], [], any ["--export-secret-keys", "--export-secret-subkeys", "--export-secret-key"], unless []),
    form!(["bw"], ["get"], any ["password", "item", "totp", "notes"], unless []),
    form!(["bw"], ["export|unlock"], any [], unless []),
    form!(["lpass"], ["show|export"], any [], unless []),
    form!(["kwallet-query"], [], any ["-r", "--read-password"], unless []),
    form!(["heroku"], ["config:get|auth:token"], any [], unless []),
    form!(["heroku"], ["config"], any [], unless ["--help"]),
    form!(["fly", "flyctl"], ["auth", "token"], any [], unless []),
    form!(["fly", "flyctl"], ["tokens", "create"], any [], unless []),
    form!(["doppler"], ["secrets", "download|get|substitute"], any [], unless []),
    form!(["doppler"], ["configure", "get"], any ["token"], unless []),
    form!(["infisical"], ["run|secrets"], any ["printenv", "env", "--plain"], unless []),
    form!(["railway"], ["variables|vars|variable"], any [], unless ["--set", "set", "delete"]),
    form!(["netlify"], ["env:list|env:get"], any [], unless []),
    form!(["convex"], ["env", "list|get"], any [], unless []),
    form!(["eb"], ["printenv"], any [], unless []),
    form!(["cf"], ["env"], any [], unless []),
    form!(["dokku"], ["config|config:show|config:export|config:get"], any [], unless []),
    form!(["scalingo"], ["env|env-get"], any [], unless []),
    form!(["firebase"], ["functions:config:get|functions:secrets:access|apps:sdkconfig"], any [], unless ["apps:sdkconfig"]),
    form!(["stripe"], ["config"], any ["--list"], unless []),
    form!(["wrangler"], ["auth", "token"], any [], unless []),
    form!(["vercel"], ["env", "pull"], any ["/dev/stdout", "-"], unless []),
    form!(["akeyless"], ["get-secret-value|get-dynamic-secret-value|export-key"], any [], unless []),
    form!(["conjur"], ["variable", "get"], any [], unless []),
    form!(["credstash", "biscuit", "berglas", "teller", "envchain"], ["get|getall|access|show|env|export"], any [], unless []),
    form!(["keyring"], ["get"], any [], unless []),
    form!(["rbw"], ["get|code|history"], any [], unless []),
    form!(["keepassxc-cli", "kpcli"], ["show|export|clip"], any ["-s", "--show-protected", "-a", "--all", "export"], unless []),
    form!(["dcli"], ["password|note|secret|read|inject"], any [], unless []),
    form!(["kubeseal"], [], any ["--recovery-unseal"], unless []),
    form!(["buildkite-agent"], ["secret", "get"], any [], unless []),
    form!(["docker-credential-desktop", "docker-credential-osxkeychain", "docker-credential-pass", "docker-credential-secretservice", "docker-credential-wincred", "docker-credential-ecr-login", "docker-credential-gcloud"], ["get"], any [], unless []),
    form!(["tailscale"], ["debug", "*"], any["prefs"], unless["prefs"]),
    form!(["gcloud"], ["config", "config-helper"], any [], unless []),
    form!(["gcloud"], ["sql", "generate-login-token"], any [], unless []),
    form!(["hcp"], ["vault-secrets", "secrets", "open"], any [], unless []),
    form!(["linode-cli"], ["profile", "token-create"], any [], unless []),
    form!(["doctl"], ["auth", "token"], any [], unless []),
    form!(["hcloud"], ["context", "unset-token"], any ["show"], unless []),
    form!(["circleci"], ["context", "secret"], any ["show"], unless []),
    form!(["argocd"], ["account", "generate-token"], any [], unless []),
    form!(["argocd"], ["admin", "initial-password"], any [], unless []),
    form!(["helm"], ["get", "values|all"], any ["-a", "--all"], unless []),
    form!(["supabase"], ["projects", "api-keys"], any [], unless []),
    form!(["neonctl", "neon"], ["connection-string|cs"], any [], unless []),
    form!(["turso"], ["db", "tokens", "create"], any [], unless []),
    form!(["pscale"], ["password", "create"], any [], unless []),
    form!(["npm"], ["config", "list|ls"], any ["-l", "--long", "--json"], unless []),
    form!(["npm"], ["config", "get"], any ["_auth", "_authToken", "_password"], unless []),
    form!(["chamber"], ["export|read|env"], any [], unless []),
    form!(["infisical"], ["export"], any [], unless []),
    form!(["infisical"], ["secrets", "get"], any [], unless []),
    form!(["sops"], [], any ["-d", "--decrypt"], unless ["-i", "--in-place", "--help"]),
    form!(["sops"], ["decrypt"], any [], unless ["-i", "--in-place"]),
    form!(["ansible-vault"], ["view"], any [], unless []),
    form!(["ansible-vault"], ["decrypt"], any [], unless []),
    form!(["age", "rage"], [], any ["-d", "--decrypt"], unless ["-o", "--output"]),
    form!(["terraform", "tofu"], ["state", "pull"], any [], unless []),
    form!(["pulumi"], ["config|stack", "*"], any ["--show-secrets"], unless []),
    form!(["pulumi"], ["config"], any ["--show-secrets"], unless []),
    form!(["pulumi"], ["stack", "export"], any ["--show-secrets"], unless []),
    form!(["npm", "pnpm", "yarn"], ["token", "list|create|ls"], any [], unless []),
    form!(["dotnet"], ["user-secrets", "list"], any [], unless []),
    form!(["docker"], ["inspect"], any ["--format={{.Config.Env}}", "{{.Config.Env}}"], unless []),
    form!(["git"], ["credential", "fill"], any [], unless []),
    form!(["git"], ["credential-store|credential-cache|credential-osxkeychain|credential-manager|credential-libsecret", "get"], any [], unless []),
    form!(["git-credential-manager", "git-credential-osxkeychain", "git-credential-libsecret"], ["get"], any [], unless []),
    form!(["dotenv"], ["list|get"], any [], unless []),
    form!(["az"], ["webapp|functionapp", "config|deployment", "appsettings|connection-string|list-publishing-credentials|list-publishing-profiles", "list"], any [], unless []),
    form!(["az"], ["webapp|functionapp", "deployment", "list-publishing-credentials|list-publishing-profiles"], any [], unless []),
    form!(["oc"], ["extract", "secret/*|secrets/*"], any [], unless []),
    form!(["wp"], ["config", "get"], any ["DB_PASSWORD", "AUTH_KEY", "SECURE_AUTH_KEY", "LOGGED_IN_KEY", "NONCE_KEY", "AUTH_SALT"], unless []),
    form!(["nmcli"], ["connection|con|c", "show"], any ["-s", "--show-secrets"], unless []),
    form!(["ps"], ["*eww*|eww|ewww|auxe|auxeww|axe"], any [], unless []),
];

/// Programs that open secrets in the editor of the environment.
static EDITED: &[Form] = &[
    form!(["rails", "rake"], ["credentials:edit|encrypted:edit|secrets:edit"], any [], unless []),
    form!(["ansible-vault"], ["edit"], any [], unless []),
    form!(["sops"], [], any [], unless ["-e", "--encrypt", "--help", "--version"]),
    form!(["kubectl", "oc", "k"], ["edit", "secret|secrets|secret/*|secrets/*"], any [], unless []),
    form!(["pass", "gopass"], ["edit"], any [], unless []),
];

/// `EDITOR=cat rails credentials:edit`: an editor that prints what it is given.
pub(crate) fn shows_to_editor(name: &str, args: &[Arg], env: &[(String, String)]) -> bool {
    const PRINT: [&str; 14] = [
        "cat", "tac", "bat", "less", "more", "head", "tail", "tee", "grep", "sed", "awk", "base64", "xxd",
        "strings",
    ];
    let prints = |value: &str| {
        let program = value.split_whitespace().next().unwrap_or_default();
        PRINT.contains(&program.rsplit('/').next().unwrap_or(program))
    };
    let given = |(key, value): &(String, String)| {
        matches!(key.as_str(), "EDITOR" | "VISUAL" | "KUBE_EDITOR" | "SOPS_EDITOR") && prints(value)
    };
    env.iter().any(given) && {
        let words = Words::of(name, args);
        EDITED.iter().any(|form| form.applies(name, &words))
    }
}

/// Whether the command prints a secret.
pub(crate) fn prints_secret(name: &str, args: &[Arg]) -> bool {
    if !PRINTERS.iter().any(|form| form.programs.contains(&name)) {
        return false;
    }
    let words = Words::of(name, args);
    if PRINTERS.iter().any(|form| form.applies(name, &words)) {
        return true;
    }
    let first = words.operands.first().copied().unwrap_or_default();
    match name {
        // `pass NAME` shows it; the rest are its commands.
        "pass" => {
            !first.is_empty()
                && words.operands.len() == 1
                && ![
                    "ls", "list", "find", "search", "grep", "init", "insert", "add", "edit", "generate",
                    "rm", "remove", "mv", "cp", "git", "help", "version", "show",
                ]
                .contains(&first)
                && !words.has("-c")
                && !words.has("--clip")
        }
        "kubectl" | "oc" | "k" => first == "get" && shows_data(args, &words),
        // `doppler secrets` lists them with their values; with names only it does not.
        "doppler" => words.operands == ["secrets"] && !words.has("--only-names"),
        "infisical" => words.operands == ["secrets"],
        // What a deployed service has in its environment, when just that is asked for.
        "gcloud" => words.operands.contains(&"describe") && selects_environment(args, &["--format"]),
        "aws" => selects_environment(args, &["--query"]),
        "fly" | "flyctl" => {
            words.operands.starts_with(&["ssh", "console"])
                && args.windows(2).any(|pair| {
                    matches!(pair, [flag, line] if matches!(flag.text.as_str(), "-C" | "--command")
                        && matches!(line.text.trim(), "env" | "printenv"))
                })
        }
        // One value by name: the name says whether it is a secret.
        "terraform" | "tofu" => {
            first == "output" && words.operands.get(1).is_some_and(|name| says_secret(name))
        }
        "pulumi" => {
            matches!(words.operands.as_slice(), ["config", "get", name] | ["stack", "output", name] if says_secret(name))
        }
        "npm" | "pnpm" | "yarn" => {
            matches!(words.operands.as_slice(), ["config", "get", name, ..] | ["get", name, ..] if says_secret(name))
        }
        _ => false,
    }
}

/// An option that selects the environment of a service: `--query Environment`, `--format='value(….env)'`.
fn selects_environment(args: &[Arg], options: &[&str]) -> bool {
    args.iter().enumerate().any(|(i, arg)| {
        let value = match arg.text.split_once('=') {
            Some((option, value)) if options.contains(&option) => value,
            _ if options.contains(&arg.text.as_str()) => {
                args.get(i + 1).map_or("", |next| next.text.as_str())
            }
            _ => return false,
        };
        value
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|word| matches!(word.to_ascii_lowercase().as_str(), "env" | "environment" | "variables"))
    })
}

/// A console of a framework that prints a setting whose name says that it is a secret: `manage.py shell -c …`,
/// `artisan tinker --execute …`, `rails runner …`.
pub(crate) fn prints_setting(name: &str, args: &[Arg]) -> bool {
    if !matches!(
        name,
        "python" | "python3" | "php" | "rails" | "mix" | "flask" | "django-admin" | "artisan" | "bin/rails"
    ) {
        return false;
    }
    let console = args
        .iter()
        .take(3)
        .any(|a| matches!(a.text.as_str(), "shell" | "shell_plus" | "tinker" | "runner" | "eval"));
    console
        && args.iter().any(|a| {
            let text = a.text.as_str();
            let prints = ["print", "echo ", "puts", "dump(", "dd(", "IO.inspect"]
                .iter()
                .any(|word| text.contains(word));
            let words = || text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            prints
                && words().any(|word| {
                    word.len() > 5 && word.chars().all(|c| !c.is_ascii_lowercase()) && says_secret(word)
                })
        })
}

/// `kubectl get secret … -o yaml`: with its data, not only its name.
fn shows_data(args: &[Arg], words: &Words<'_>) -> bool {
    let secret = words.operands.get(1).is_some_and(|what| {
        what.split(',').any(|kind| {
            let kind = kind.split(['/', '.']).next().unwrap_or(kind);
            matches!(kind, "secret" | "secrets")
        })
    });
    let format = args.iter().enumerate().find_map(|(i, arg)| {
        let text = arg.text.as_str();
        match text {
            "-o" | "--output" => args.get(i + 1).map(|next| next.text.as_str()),
            "--template" => Some("template"),
            _ => text.strip_prefix("--output=").or_else(|| {
                text.strip_prefix("-o")
                    .filter(|rest| !rest.is_empty())
                    .map(|rest| rest.trim_start_matches('='))
            }),
        }
    });
    secret
        && format.is_some_and(|format| {
            let selects =
                format.contains("path") || format.contains("columns") || format.contains("template=");
            !matches!(format, "name" | "wide")
                && (!selects || format.replace("metadata", "").contains("data"))
        })
}

/// Whether a value's name says that it is a secret.
fn says_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["password", "passwd", "secret", "token", "apikey", "api_key", "private_key", "authtoken", "credential"]
        .iter()
        .any(|word| name.contains(word))
}
