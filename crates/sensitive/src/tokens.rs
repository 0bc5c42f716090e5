//! Variables that hold tokens, by their names, and the hosts that each token is made for.

/// Where in a request a token stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A header, or the user and password.
    Header,
    /// The body.
    Body,
    /// The address.
    Address,
}

/// Names that end like a token's and are none.
const NO_TOKENS: &[&str] = &[
    "NEXT_TOKEN", "PAGE_TOKEN", "NEXT_PAGE_TOKEN", "CONTINUATION_TOKEN", "CSRF_TOKEN", "XSRF_TOKEN",
    "SYNC_TOKEN", "STOP_TOKEN", "EOS_TOKEN", "BOS_TOKEN", "PAD_TOKEN", "UNK_TOKEN", "MASK_TOKEN",
    "ASK_PASSWORD",
];

/// What the names of tokens end in.
const ENDINGS: &[&str] = &[
    "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "API_KEY", "APIKEY", "ACCESS_KEY", "SECRET_KEY",
    "PRIVATE_KEY", "SIGNING_KEY", "ENCRYPTION_KEY", "CREDENTIALS", "PAT", "AUTH_KEY", "SERVICE_KEY",
    "MASTER_KEY", "SECRET_KEY_BASE", "CLIENT_SECRET",
];

/// Whether a variable of the environment is named like one that holds a token.
pub fn is_token_name(name: &str) -> bool {
    let plain = |c: u8| c.is_ascii_uppercase() || c.is_ascii_digit() || c == b'_';
    if name.len() < 3 || !name.bytes().all(plain) || NO_TOKENS.contains(&name) {
        return false;
    }
    ENDINGS.iter().any(|end| {
        name.strip_suffix(end).is_some_and(|rest| rest.is_empty() && end.len() > 3 || rest.ends_with('_'))
    })
}

/// What frameworks hand out to every visitor of a page, by how the variable's name begins.
const PUBLIC: &[&str] =
    &["NEXT_PUBLIC_", "VITE_", "REACT_APP_", "EXPO_PUBLIC_", "NUXT_PUBLIC_", "PUBLIC_", "GATSBY_"];

/// What the names of settings end in that are no secret. `URL` is none of them: it may hold a password.
const SETTINGS: &[&str] = &[
    "PORT", "HOST", "HOSTNAME", "ENV", "ENVIRONMENT", "DEBUG", "LEVEL", "MODE", "NAME", "REGION", "ZONE",
    "DRIVER", "CONNECTION", "TZ", "TIMEZONE", "LOCALE", "LANG", "ENABLED", "DISABLED", "VERSION", "TIMEOUT",
    "DIR", "FOLDER", "MODEL", "PROVIDER", "BACKEND", "ENGINE", "SIZE", "LIMIT", "COUNT", "WORKERS",
    "THREADS", "PREFIX", "BUCKET", "DOMAIN", "SCHEMA", "DATABASE", "TITLE", "FORMAT", "CHANNEL",
];

/// Whether a variable is named like a setting that is no secret: `PORT`, `DB_HOST`, `NEXT_PUBLIC_API_URL`.
pub fn is_setting_name(name: &str) -> bool {
    let plain = |c: u8| c.is_ascii_uppercase() || c.is_ascii_digit() || c == b'_';
    let last = name.trim_end_matches('_').rsplit('_').next().unwrap_or(name);
    name.bytes().all(plain)
        && !is_token_name(name)
        && (PUBLIC.iter().any(|start| name.starts_with(start) || format!("{name}_") == *start)
            || SETTINGS.contains(&last))
}

/// Whether a word takes its values from variables that are named like tokens, and from nothing else.
pub fn holds_tokens_only(word: &str) -> bool {
    let names = || variables(word).map(|(_, name)| name);
    !word.contains('`')
        && word.matches('$').count() == names().count()
        && names().next().is_some()
        && names().all(is_token_name)
}

/// The variable that an address begins with: `$API_URL/users`.
pub fn base_variable(address: &str) -> Option<&str> {
    variables(address)
        .next()
        .filter(|(before, _)| before.trim_start_matches(['"', '\'']).is_empty())
        .map(|(_, name)| name)
}

/// Tokens of known services: how the variable's name begins, and the hosts that take it.
const SERVICES: &[(&[&str], &[&str])] = &[
    (
        &["GITHUB_", "GH_"],
        &[
            "github.com",
            "githubusercontent.com",
            "ghcr.io",
            "githubcopilot.com",
            "github.dev",
            "ghe.com",
            "models.inference.ai.azure.com",
        ],
    ),
    (&["NPM_", "NODE_AUTH_"], &["npmjs.org", "npmjs.com", "npm.pkg.github.com"]),
    (&["ANTHROPIC_", "CLAUDE_"], &["anthropic.com", "claude.ai", "claude.com"]),
    (&["OPENAI_"], &["openai.com", "openai.azure.com"]),
    (
        &["GEMINI_", "GOOGLE_", "GCP_", "GCLOUD_"],
        &["googleapis.com", "google.com", "run.app", "cloudfunctions.net"],
    ),
    (&["AWS_"], &["amazonaws.com", "aws.amazon.com", "api.aws"]),
    (&["AZURE_", "ARM_"], &["azure.com", "azure.net", "windows.net", "microsoft.com", "microsoftonline.com"]),
    (&["SLACK_"], &["slack.com"]),
    (&["STRIPE_"], &["stripe.com"]),
    (&["HF_", "HUGGINGFACE_", "HUGGING_FACE_"], &["huggingface.co", "hf.co"]),
    (&["CLOUDFLARE_", "CF_"], &["cloudflare.com", "workers.dev"]),
    (&["DIGITALOCEAN_"], &["digitalocean.com"]),
    (&["HEROKU_"], &["heroku.com", "herokuapp.com"]),
    (&["VERCEL_"], &["vercel.com"]),
    (&["NETLIFY_"], &["netlify.com"]),
    (&["DOCKER_", "DOCKERHUB_"], &["docker.com", "docker.io"]),
    (&["PYPI_", "TWINE_"], &["pypi.org"]),
    (&["CARGO_REGISTRY_"], &["crates.io"]),
    (&["SENTRY_"], &["sentry.io"]),
    (&["DISCORD_"], &["discord.com"]),
    (&["TELEGRAM_"], &["telegram.org"]),
    (&["TWILIO_"], &["twilio.com"]),
    (&["SENDGRID_"], &["sendgrid.com"]),
    (&["LINEAR_"], &["linear.app"]),
    (&["NOTION_"], &["notion.com", "notion.so"]),
    (&["MISTRAL_"], &["mistral.ai"]),
    (&["GROQ_"], &["groq.com"]),
    (&["OPENROUTER_"], &["openrouter.ai"]),
    (&["SSH_"], &[]),
];

/// Services that companies run themselves: in a header, their tokens may go to any host.
const SELF_HOSTED: &[&str] = &["NPM_", "NODE_AUTH_", "DOCKER_", "DOCKERHUB_", "SENTRY_"];

/// Whether a token leaves for a host that it is not made for. `word` is the word as written, `host` the host of the request.
/// A token of a service goes to that service; any other token may be what the host asks for, where it stands like one.
pub fn leaves(word: &str, part: Part, host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let mut generic = false;
    let mut any = false;
    for (before, name) in variables(word) {
        if !is_token_name(name) {
            continue;
        }
        any = true;
        if part == Part::Header && SELF_HOSTED.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        match SERVICES.iter().find(|(starts, _)| starts.iter().any(|s| name.starts_with(s))) {
            Some((_, hosts)) => {
                let own = |h: &str| host == h || host.strip_suffix(h).is_some_and(|rest| rest.ends_with('.'));
                if !hosts.iter().any(|h| own(h)) {
                    return true;
                }
            }
            None if name.contains("PRIVATE_KEY") => return true,
            None => generic |= part != Part::Header && !stands_like_a_key(before),
        }
    }
    // A value that came to this word by another name.
    generic || !any && part != Part::Header
}

/// The variables of a word, each with what stands before it.
fn variables(word: &str) -> impl Iterator<Item = (&str, &str)> {
    word.match_indices('$').filter_map(|(at, _)| {
        let before = word.get(..at)?;
        let rest = word.get(at + 1..)?.trim_start_matches('{');
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let name = rest.get(..end).filter(|name| !name.is_empty())?;
        Some((before, name))
    })
}

/// `…?api_key=$X`, `"token": "$X"`: the value has a name that says what it is, as an interface asks for it.
fn stands_like_a_key(before: &str) -> bool {
    const KEYS: &[&str] =
        &["key", "token", "appid", "secret", "password", "passwd", "auth", "apikey", "sig", "pat", "pass"];
    let before = before.trim_end_matches(['"', '\'', ' ', '\\', '{']);
    let Some(name) = before.strip_suffix(['=', ':']) else { return false };
    let name = name.trim_end_matches(['"', '\'', ' ', '\\']).to_ascii_lowercase();
    KEYS.iter().any(|key| name.ends_with(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_settings() {
        for name in ["PORT", "DB_HOST", "APP_ENV", "NEXT_PUBLIC_API_URL", "NEXT_PUBLIC", "LOG_LEVEL"] {
            assert!(is_setting_name(name), "{name}");
        }
        for name in ["DATABASE_URL", "API_KEY", "VITE_API_KEY", "STRIPE", "port", "AWS", "DB_USER", "", "KEY"]
        {
            assert!(!is_setting_name(name), "{name}");
        }
    }

    #[test]
    fn words_of_tokens_alone() {
        for word in ["Authorization: Bearer $API_KEY", "x: ${A_TOKEN}", "$A_TOKEN:$B_SECRET"] {
            assert!(holds_tokens_only(word), "{word}");
        }
        for word in
            ["x: $NAME $API_KEY", "x: $(cat .env)$API_KEY", "plain", "`cat .env` $API_KEY", "x: $1$API_KEY"]
        {
            assert!(!holds_tokens_only(word), "{word}");
        }
        assert_eq!(base_variable("$API_URL/rest?x=$KEY"), Some("API_URL"));
        assert_eq!(base_variable("\"${API_URL}/rest\""), Some("API_URL"));
        assert_eq!(base_variable("https://evil.example/$API_URL"), None);
    }

    #[test]
    fn names_of_tokens() {
        for name in ["GITHUB_TOKEN", "API_KEY", "AWS_SECRET_ACCESS_KEY", "TOKEN", "DB_PASSWORD", "CR_PAT"] {
            assert!(is_token_name(name), "{name}");
        }
        for name in ["PATH", "MAX_TOKENS", "NEXT_TOKEN", "token", "PAT", "CACHE_KEY", "TOKENIZER", "COMPAT"] {
            assert!(!is_token_name(name), "{name}");
        }
    }

    #[test]
    fn a_token_goes_to_its_own_service() {
        assert!(!leaves("Authorization: Bearer $GITHUB_TOKEN", Part::Header, "api.github.com"));
        assert!(leaves("Authorization: Bearer $GITHUB_TOKEN", Part::Header, "example.net"));
        assert!(leaves("Authorization: Bearer $GITHUB_TOKEN", Part::Header, "evilgithub.com"));
        assert!(!leaves("Authorization: Bearer ${API_TOKEN}", Part::Header, "api.example.com"));
        assert!(!leaves("Authorization: Bearer $NPM_TOKEN", Part::Header, "npm.corp.example"));
        assert!(leaves("https://x.example.com/?t=$NPM_TOKEN", Part::Address, "x.example.com"));
        assert!(!leaves("https://x.example.com/?appid=$API_KEY", Part::Address, "x.example.com"));
        assert!(leaves("https://x.example.com/$API_KEY", Part::Address, "x.example.com"));
        assert!(leaves("$DEPLOY_TOKEN", Part::Body, "x.example.com"));
        assert!(!leaves("{\"token\": \"$DEPLOY_TOKEN\"}", Part::Body, "x.example.com"));
    }
}
