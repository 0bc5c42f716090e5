//! Tokens of known services by their public format, as they stand in a text, and the hosts that each is made for.

use std::ops::Range;

/// A token that stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// Its bytes.
    pub range: Range<usize>,
    /// What it is: `a GitHub token`.
    pub what: &'static str,
    hosts: &'static [&'static str],
}

/// What a token begins with, how long the rest is at least, what it is, and the hosts that take it. Keys that are public by
/// design (of a web page, or for tests) are not here.
const FORMATS: &[(&str, usize, &str, &[&str])] = &[
    ("ghp_", 30, "a GitHub token", GITHUB),
    ("gho_", 30, "a GitHub token", GITHUB),
    ("ghu_", 30, "a GitHub token", GITHUB),
    ("ghs_", 30, "a GitHub token", GITHUB),
    ("ghr_", 30, "a GitHub token", GITHUB),
    ("github_pat_", 40, "a GitHub token", GITHUB),
    ("glpat-", 18, "a GitLab token", &["gitlab.com"]),
    ("sk-ant-", 40, "an Anthropic key", &["anthropic.com", "claude.ai", "claude.com"]),
    ("sk-proj-", 40, "an OpenAI key", &["openai.com", "openai.azure.com"]),
    ("sk-svcacct-", 40, "an OpenAI key", &["openai.com", "openai.azure.com"]),
    ("xoxb-", 30, "a Slack token", &["slack.com"]),
    ("xoxp-", 30, "a Slack token", &["slack.com"]),
    ("AKIA", 16, "an AWS access key", &["amazonaws.com", "aws.amazon.com", "api.aws"]),
    ("npm_", 36, "an npm token", &["npmjs.org", "npmjs.com"]),
    ("hf_", 30, "a Hugging Face token", &["huggingface.co", "hf.co"]),
    ("sk_live_", 20, "a Stripe key", &["stripe.com"]),
    ("rk_live_", 20, "a Stripe key", &["stripe.com"]),
    ("dop_v1_", 60, "a DigitalOcean token", &["digitalocean.com"]),
    ("shpat_", 30, "a Shopify token", &["myshopify.com", "shopify.com"]),
    ("pypi-AgEIcHlwaS5vcmc", 40, "a PyPI token", &["pypi.org"]),
    ("dckr_pat_", 20, "a Docker token", &["docker.com", "docker.io"]),
];

const GITHUB: &[&str] = &[
    "github.com",
    "githubusercontent.com",
    "ghcr.io",
    "githubcopilot.com",
    "github.dev",
    "ghe.com",
    "models.inference.ai.azure.com",
];

impl Literal {
    /// Whether a host is one that the token is not made for.
    pub fn is_foreign(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let own =
            |known: &str| host == known || host.strip_suffix(known).is_some_and(|rest| rest.ends_with('.'));
        !self.hosts.iter().any(|known| own(known))
    }
}

/// The first token of a known service in a text. What is written to be replaced or known as an example is none.
pub fn literal(text: &str) -> Option<Literal> {
    FORMATS.iter().filter_map(|format| of_format(text, format)).min_by_key(|found| found.range.start)
}

fn of_format(text: &str, format: &(&str, usize, &'static str, &'static [&'static str])) -> Option<Literal> {
    let (prefix, least, what, hosts) = format;
    text.match_indices(prefix).find_map(|(at, _)| {
        let before = text.get(..at)?.bytes().next_back();
        if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return None;
        }
        let rest = text.get(at + prefix.len()..)?;
        let end = rest.bytes().position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')));
        let body = rest.get(..end.unwrap_or(rest.len()))?;
        (body.len() >= *least && !is_made_up(body)).then(|| Literal {
            range: at..at + prefix.len() + body.len(),
            what,
            hosts,
        })
    })
}

/// Written as an example: a word says so, a run of the alphabet, or few letters repeated.
fn is_made_up(body: &str) -> bool {
    let lower = body.to_ascii_lowercase();
    let words = [
        "example", "xxxx", "your", "fake", "dummy", "placeholder", "redacted", "1234567", "abcdef", "0000",
        "aaaa",
    ];
    let mut letters: Vec<u8> = lower.bytes().collect();
    letters.sort_unstable();
    letters.dedup();
    words.iter().any(|word| lower.contains(word)) || letters.len() < 8
}

#[cfg(test)]
mod tests {
    use super::*;

    const GH: &str = "ghp_R7kQ2mZx9LpV4tBn8WcY3sHd6JfG1aTqUeKi";

    #[test]
    fn a_token_is_known_by_its_format_and_goes_to_its_own_service() {
        let found = literal(&format!("Authorization: Bearer {GH}")).unwrap();
        assert_eq!((found.what, found.range.start), ("a GitHub token", 22));
        assert!(
            !found.is_foreign("api.github.com")
                && found.is_foreign("evilgithub.com")
                && found.is_foreign("x.io")
        );
        for text in [
            "token=AKIAIOSFODNN7EXAMPLE",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            "ghp_short",
            "my_npm_configuration_of_the_whole_long_workspace_folder",
            "sk_test_R7kQ2mZx9LpV4tBn8WcY3sHd",
            "",
        ] {
            assert_eq!(literal(text), None, "{text}");
        }
    }
}
