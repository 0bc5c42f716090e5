//! What a call would lose or show, by what is there: an environment file that no repository has, a file that is named like a
//! secret and holds none, an environment with tokens in it. Looked at only when a call is about one of them.

use sprag_base::env::Env;
use sprag_base::files::read_limited;
use sprag_sensitive::{SensitiveKind, is_sample, is_token_name, literal};
use sprag_shell::{Analysis, Cmd, EffectKind, PathRef, PathZone, WriteHow};
use std::path::Path;

/// The largest file that is looked at.
const MAX_BYTES: u64 = 256 << 10;

/// The path as the record of a session names a file that the session made.
pub fn file_key(full: &str) -> String {
    format!("file {full}")
}

/// Whether a path is that of an environment file, which repositories leave out.
pub fn is_env_file(full: &str) -> bool {
    let name = full.rsplit('/').next().unwrap_or(full);
    (name == ".env" || name.starts_with(".env.")) && !is_sample(full)
}

/// The first environment file that is there and that a command would delete or write over. `made`: what the session made
/// itself.
pub fn lost_env_file<'a>(analysis: &'a Analysis, made: impl Fn() -> Vec<String>) -> Option<&'a str> {
    let path = |effect: &'a sprag_shell::Effect| match &effect.kind {
        EffectKind::Delete { path, .. } | EffectKind::Write(path, WriteHow::Overwrite) => {
            (!keeps_what_is_there(analysis.commands.get(effect.cmd))).then_some(path)
        }
        EffectKind::Move { to, .. } => Some(to),
        _ => None,
    };
    let mut lost = analysis.effects.iter().filter_map(path).filter(|path| is_lost(path)).peekable();
    lost.peek()?;
    let made = made();
    lost.find(|path| !made.contains(&file_key(&path.full))).map(|path| path.written.as_str())
}

/// `cp -n`, `mv -n`
fn keeps_what_is_there(cmd: Option<&Cmd>) -> bool {
    let option = |text: &str| {
        text == "--no-clobber" || text.starts_with('-') && !text.starts_with("--") && text.contains('n')
    };
    cmd.is_some_and(|cmd| {
        matches!(cmd.name.as_str(), "cp" | "mv" | "install") && cmd.args.iter().any(|arg| option(&arg.text))
    })
}

/// Whether a file tool that writes this file would write over an environment file.
pub fn is_lost(path: &PathRef) -> bool {
    !path.glob
        && is_env_file(&path.full)
        && !matches!(path.place, PathZone::Temp)
        && Path::new(&path.full).metadata().is_ok_and(|file| file.is_file() && file.len() > 0)
}

/// Whether the file at this path has the name of a secret of this kind and holds none: a registry's settings without a token, a
/// certificate without its key, the variables of an environment for tests or development, which repositories have.
pub fn holds_no_secret(full: &str, kind: SensitiveKind) -> bool {
    let harmless: fn(&str) -> bool = match kind.id {
        "env-file" if is_env_for_development(full) => {
            if !Path::new(full).exists() {
                return true;
            }
            has_no_secret_value
        }
        "registry-token" => has_no_token,
        "private-key" if Path::new(full).extension().is_some_and(|end| end.eq_ignore_ascii_case("pem")) => {
            is_public
        }
        _ => return false,
    };
    let text = read_limited(Path::new(full), MAX_BYTES)
        .ok()
        .flatten()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    text.is_some_and(|text| !text.trim().is_empty() && harmless(&text))
}

/// `.env.development`, `.env.test`: frameworks load them by these names, and want them in the repository.
fn is_env_for_development(full: &str) -> bool {
    let name = full.rsplit('/').next().unwrap_or(full);
    let of = name.strip_prefix(".env.");
    of.is_some_and(|of| matches!(of, "development" | "dev" | "test" | "testing" | "ci" | "e2e"))
}

/// No variable has a value that is worth hiding: a token, or the password of a server that is not this machine.
fn has_no_secret_value(text: &str) -> bool {
    const PLACEHOLDERS: [&str; 13] = [
        "test", "dev", "local", "example", "change", "secret", "dummy", "xxx", "password", "placeholder",
        "fake", "your", "sample",
    ];
    let holds = |line: &str| {
        let line = line.trim().trim_start_matches("export ").trim_start();
        let Some((name, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) else {
            return false;
        };
        let value = value.trim().trim_matches(['"', '\'']);
        let lower = value.to_ascii_lowercase();
        let made_up = value.len() < 8 || PLACEHOLDERS.iter().any(|word| lower.contains(word));
        let password = || {
            let place = value.split_once("://").map(|(_, rest)| rest.split('/').next().unwrap_or(rest));
            place.and_then(|place| place.rsplit_once('@')).is_some_and(|(user, host)| {
                user.contains(':') && host.contains('.') && !sprag_shell::is_this_machine(host)
            })
        };
        let name = name.trim().to_ascii_uppercase();
        !made_up && (is_token_name(&name) || name.ends_with("KEY")) || password() || literal(value).is_some()
    };
    !text.lines().any(holds)
}

/// No line gives a token or a password; one that is a variable's name is none.
fn has_no_token(text: &str) -> bool {
    const WORDS: [&str; 8] =
        ["token", "_auth", "password", "passwd", "secret", "credential", "apikey", "api_key"];
    let holds = |line: &str| {
        let line = line.trim().to_ascii_lowercase();
        let Some(at) = WORDS.iter().filter_map(|word| line.find(word)).min() else {
            return line.contains('@');
        };
        let rest = line.get(at..).unwrap_or_default();
        let value = rest.split_once(['=', ':', ' ']).map_or("", |(_, value)| value);
        let value = value.trim_start_matches([' ', '=', ':', '"', '\'']);
        !(value.is_empty()
            || value.starts_with("${")
            || value.starts_with('$')
            || matches!(value, "true" | "false"))
    };
    // A scope (`@acme:registry=…`) is no address of a user.
    let scope = |line: &&str| !line.trim_start().starts_with(['@', '#', ';']);
    !text.lines().filter(scope).any(holds)
}

/// Certificates and public keys, and no private key.
fn is_public(text: &str) -> bool {
    let begins = |what: &str| text.contains(&format!("-----BEGIN {what}"));
    !text.contains("PRIVATE")
        && (begins("CERTIFICATE") || begins("PUBLIC KEY") || begins("TRUSTED CERTIFICATE"))
}

/// Whether a command shows the whole environment, and the environment has a token in it. Gives the name of one.
pub fn shown_environment(analysis: &Analysis, env: &Env) -> Option<String> {
    let shows = |cmd: &Cmd| {
        let words: Vec<&str> = cmd.args.iter().map(|arg| arg.text.as_str()).collect();
        match cmd.name.as_str() {
            "printenv" | "env" => words.is_empty(),
            "export" => words == ["-p"],
            _ => false,
        }
    };
    // In full: to the screen, or sorted.
    let whole = !analysis.line.contains('>')
        && analysis
            .local_commands()
            .all(|cmd| shows(cmd) || matches!(cmd.name.as_str(), "sort" | "cat" | "less" | "more"));
    let shown = analysis
        .local_commands()
        .any(|cmd| shows(cmd) && (whole || cmd.shown && !analysis.line.contains(['|', '>'])));
    let tokens =
        || env.with_prefix("").into_iter().find(|(name, value)| is_token_name(name) && value.len() >= 8);
    if shown { tokens().map(|(name, _)| name) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_shell::{Context, analyse};

    #[test]
    fn an_environment_for_tests_is_no_secret_unless_it_holds_one() {
        let kind = SensitiveKind { id: "env-file", reason: "" };
        assert!(holds_no_secret("/nowhere/.env.test", kind));
        for name in [".env", ".env.local", ".env.production", ".env.test.local", ".env.staging"] {
            assert!(!holds_no_secret(&format!("/nowhere/{name}"), kind), "{name}");
        }
        for text in [
            "DATABASE_URL=postgres://app:app@localhost:5432/shop_test\nPORT=3001\n",
            "SECRET_KEY=test-secret-key\nAPI_KEY=\n# TOKEN=abcdefghijklmnop\n",
            "REDIS_URL=redis://redis:6379\nexport NODE_ENV=test\n",
        ] {
            assert!(has_no_secret_value(text), "{text}");
        }
        for text in [
            "API_KEY=9f8a7b6c5d4e3f2a1b0c\n",
            "export STRIPE_SECRET='q7Rt5Zp2Lm9Xc4Vb'\n",
            "DATABASE_URL=postgres://app:pw@db.acme.io/shop\n",
        ] {
            assert!(!has_no_secret_value(text), "{text}");
        }
    }

    #[test]
    fn a_registry_s_settings_without_a_token_are_no_secret() {
        for text in [
            "registry=https://registry.npmjs.org/\nauto-install-peers=true\n",
            "@acme:registry=https://npm.acme.example\n//npm.acme.example/:_authToken=${NPM_TOKEN}\n",
            "nodeLinker: node-modules\nnpmAuthToken: \"${NPM_TOKEN}\"\n",
            "# password = none\nsave-exact=true\nalways-auth=true\n",
        ] {
            assert!(has_no_token(text), "{text}");
        }
        for text in [
            "//registry.npmjs.org/:_authToken=npm_0123456789\n",
            "machine git.example login me password hunter22\n",
            "[pypi]\nusername = __token__\npassword = pypi-AgEI\n",
            "_auth = bWU6cHc=\n",
            "registry=https://me:pw@npm.acme.example/\n",
        ] {
            assert!(!has_no_token(text), "{text}");
        }
    }

    #[test]
    fn a_certificate_is_public_and_its_key_is_not() {
        assert!(is_public("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"));
        assert!(!is_public("-----BEGIN CERTIFICATE-----\nMIIB\n-----BEGIN PRIVATE KEY-----\nMIIE\n"));
        assert!(!is_public("MIIEvQIBADANBg\n"));
    }

    #[test]
    fn an_environment_file_is_lost_only_when_it_is_there() {
        let dir = tempfile::Builder::new()
            .prefix("guard")
            .tempdir_in(env!("CARGO_MANIFEST_DIR"))
            .expect("a folder");
        let root = dir.path().to_string_lossy().into_owned();
        let context = Context { cwd: root.clone(), home: "/home/dev".into(), project_root: root.clone() };
        let lost =
            |line: &str, made: &[String]| lost_env_file(&analyse(line, &context), || made.to_vec()).is_some();
        let lines = ["rm .env", "cp .env.example .env", "mv new .env", "echo A=1 > .env", "rm -f ./.env"];
        for line in lines {
            assert!(!lost(line, &[]), "{line}");
        }
        #[expect(clippy::disallowed_methods, reason = "a test sets up files")]
        std::fs::write(dir.path().join(".env"), "A=1\n").expect("a file");
        for line in lines {
            assert!(lost(line, &[]), "{line}");
            assert!(!lost(line, &[file_key(&format!("{root}/.env"))]), "{line}");
        }
        for line in [
            "cp -n .env.example .env", "echo B=2 >> .env", "rm .env.example", "mv .env .env.old",
            "touch .env",
        ] {
            assert!(!lost(line, &[]), "{line}");
        }
    }

    #[test]
    fn an_environment_with_a_token_is_not_shown_in_full() {
        let context = Context { cwd: "/p".into(), home: "/home/dev".into(), project_root: "/p".into() };
        let fixed = |name: &str| Env::Fixed([(name.to_owned(), "0123456789".to_owned())].into());
        let shown =
            |line: &str, name: &str| shown_environment(&analyse(line, &context), &fixed(name)).is_some();
        for line in ["env", "printenv", "env | sort", "export -p", "cd x && env"] {
            assert!(shown(line, "GITHUB_TOKEN"), "{line}");
            assert!(!shown(line, "EDITOR"), "{line}");
        }
        for line in
            ["env | grep NODE", "printenv PATH", "env | cut -d= -f1", "env FOO=1 make", "env > /dev/null"]
        {
            assert!(!shown(line, "GITHUB_TOKEN"), "{line}");
        }
    }
}
