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
    form!(["doppler"], ["secrets", "download|get"], any [], unless []),
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
