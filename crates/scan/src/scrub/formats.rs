//! Public token formats: a prefix, and what the rest is made of. Grouped by their first byte, so that one
//! look at a byte says which rows are worth comparing. Prefixes, lengths and alphabets are what providers document.

use super::part::items;
use super::value;
use std::ops::Range;

/// What the rest of a token is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Set {
    /// Letters and digits.
    Alnum,
    /// Capitals and digits.
    Upper,
    /// Hexadecimal.
    Hex,
    /// Letters, digits, `_`, `-`.
    Word,
    /// The same and `.`.
    Dotted,
    /// Base64 in either alphabet.
    Base64,
}

impl Set {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-' | b'.')
            }
        }
    }
}

/// One row. `most` 0: the run may be longer. `dots`: as many separators must be in it.
struct Format {
    kind: &'static str,
    prefix: &'static str,
    set: Set,
    least: usize,
    most: usize,
    dots: usize,
    /// What the rest must look like besides.
    check: Option<fn(&str) -> bool>,
}

const fn f(kind: &'static str, prefix: &'static str, set: Set, least: usize, most: usize) -> Format {
    Format { kind, prefix, set, least, most, dots: 0, check: None }
}

/// A row with a check of the rest's structure.
const fn c(
    kind: &'static str,
    prefix: &'static str,
    set: Set,
    least: usize,
    most: usize,
    check: fn(&str) -> bool,
) -> Format {
    Format { kind, prefix, set, least, most, dots: 0, check: Some(check) }
}

const fn d(kind: &'static str, prefix: &'static str, least: usize, dots: usize) -> Format {
    Format { kind, prefix, set: Set::Dotted, least, most: 0, dots, check: None }
}

use Set::{Alnum, Base64, Dotted, Hex, Upper, Word};

/// The table. Within a group the longer prefix comes first: it names the kind better.
const FORMATS: &[Format] = &[
    f("Google refresh token", "1//0", Word, 30, 0),
    f("Zoho token", "1000.", Dotted, 60, 0),
    f("age secret key", "AGE-SECRET-KEY-1", Upper, 50, 0),
    c("Adyen key", "AQE", Base64, 90, 0, |rest| rest.matches('-').count() >= 2),
    f("Tencent secret id", "AKID", Alnum, 32, 32),
    f("Aiven password", "AVNS_", Word, 16, 26),
    f("Trello token", "ATTA", Alnum, 60, 80),
    f("Amazon Bedrock key", "ABSK", Base64, 100, 0),
    f("Artifactory key", "AKCp", Alnum, 60, 0),
    f("AWS access key", "AKIA", Upper, 16, 16),
    f("AWS access key", "ASIA", Upper, 16, 16),
    f("AWS access key", "ABIA", Upper, 16, 16),
    f("AWS access key", "ACCA", Upper, 16, 16),
    f("AWS access key", "A3T", Upper, 17, 17),
    f("1Password secret key", "A3-", Word, 30, 40),
    f("Google API key", "AIza", Word, 30, 42),
    f("Atlassian API token", "ATATT3", Base64, 80, 0),
    f("Bitbucket app password", "ATBB", Alnum, 28, 40),
    f("Bitbucket token", "ATCTT3", Base64, 80, 0),
    f("Yandex API key", "AQVN", Word, 35, 40),
    f("Octopus API key", "API-", Upper, 26, 30),
    f("Brave Search key", "BSA", Word, 24, 34),
    f("Contentful token", "CFPAT-", Word, 40, 0),
    f("CircleCI token", "CCIPAT_", Word, 40, 0),
    f("CircleCI token", "CCIPRJ_", Word, 40, 0),
    f("Clojars token", "CLOJARS_", Alnum, 50, 0),
    f("Exoscale key", "EXO", Hex, 24, 24),
    f("Facebook access token", "EAAC", Alnum, 90, 0),
    f("Facebook access token", "EAAM", Alnum, 90, 0),
    f("Facebook access token", "EAAB", Alnum, 90, 0),
    f("Facebook access token", "EAA", Alnum, 100, 0),
    f("Square access token", "EAAA", Word, 56, 0),
    f("EasyPost key", "EZAK", Alnum, 50, 0),
    f("EasyPost key", "EZTK", Alnum, 50, 0),
    f("Flutterwave key", "FLWSECK_TEST-", Word, 12, 0),
    f("Flutterwave key", "FLWSECK-", Word, 30, 0),
    f("Flutterwave key", "FLWPUBK_TEST-", Word, 30, 0),
    f("Google OAuth secret", "GOCSPX-", Word, 24, 0),
    f("GitLab runner token", "GR1348941", Word, 18, 0),
    f("Heroku API key", "HRKU-", Word, 36, 0),
    f("Backblaze key", "K00", Base64, 28, 28),
    f("Alibaba access key", "LTAI", Alnum, 16, 26),
    f("New Relic key", "NRAK-", Alnum, 24, 0),
    f("New Relic key", "NRII-", Word, 28, 0),
    f("New Relic key", "NRJS-", Hex, 18, 0),
    f("New Relic key", "NRRA-", Hex, 36, 0),
    f("Nightfall key", "NF-", Alnum, 32, 32),
    f("Postman API key", "PMAK-", Word, 50, 0),
    f("Datadog key", "ddapi_", Alnum, 32, 0),
    d("SendGrid key", "SG.", 40, 1),
    f("Scaleway access key", "SCW", Upper, 17, 17),
    f("Okta token", "SSWS 00", Word, 40, 40),
    f("Twilio API key", "SK", Hex, 32, 32),
    f("Yandex cloud key", "YCAJE", Word, 20, 0),
    f("Yandex cloud key", "YCM", Word, 36, 38),
    f("Yandex cloud key", "YCP", Word, 36, 38),
    f("access token", "access-sandbox-", Word, 30, 0),
    f("access token", "access-production-", Word, 30, 0),
    f("access token", "access-development-", Word, 30, 0),
    f("access token", "access_token$production$", Word, 16, 0),
    f("Hugging Face org token", "api_org_", Alnum, 30, 0),
    f("Asana token", "aaat_", Word, 30, 0),
    f("Apify token", "apify_api_", Alnum, 30, 0),
    c("LaunchDarkly key", "api-", Word, 36, 36, value::uuid),
    f("Modal secret", "as-", Alnum, 22, 22),
    f("Aptible token", "apt_", Hex, 40, 0),
    f("Buildkite token", "bkua_", Hex, 40, 0),
    f("Buildkite token", "bkct_", Word, 40, 0),
    f("Bedrock key", "bedrock-api-key-", Base64, 40, 0),
    f("Cal.com key", "cal_live_", Hex, 30, 0),
    f("crates.io token", "cio", Alnum, 32, 32),
    f("Cloudflare token", "cfut_", Alnum, 40, 0),
    f("Cloudflare token", "cfat_", Alnum, 40, 0),
    f("Cloudflare key", "cfk_", Alnum, 40, 0),
    f("Artifactory token", "cmVmdGtuOj", Base64, 50, 80),
    f("Cerebras key", "csk-", Alnum, 32, 0),
    f("Clerk key", "clrk_", Word, 30, 0),
    f("Databricks token", "dapi", Hex, 32, 34),
    f("DigitalOcean token", "dop_v1_", Hex, 40, 0),
    f("DigitalOcean token", "doo_v1_", Hex, 40, 0),
    f("DigitalOcean token", "dor_v1_", Hex, 40, 0),
    f("Docker access token", "dckr_pat_", Word, 24, 0),
    f("Docker access token", "dckr_oat_", Word, 24, 0),
    d("Doppler token", "dp.", 40, 1),
    d("Dynatrace token", "dt0c01.", 60, 1),
    d("Dynatrace token", "dt0s01.", 60, 1),
    f("Intercom token", "dG9rO", Base64, 36, 90),
    f("Duffel token", "duffel_test_", Word, 40, 0),
    f("Duffel token", "duffel_live_", Word, 40, 0),
    f("Databento key", "db-", Alnum, 28, 32),
    f("Grafana API key", "eyJrIjoi", Base64, 60, 0),
    d("JSON Web Token", "eyJ", 30, 2),
    f("Figma token", "figd_", Word, 36, 0),
    f("Elastic key", "essu_", Base64, 40, 0),
    f("Anyscale key", "esecret_", Alnum, 24, 44),
    f("Figma token", "figo_", Word, 36, 0),
    f("Figma token", "figor_", Word, 36, 0),
    f("Frame.io token", "fio-u-", Word, 60, 0),
    f("Fly.io token", "fo1_", Word, 40, 0),
    f("Fly.io token", "fm1a_", Base64, 60, 0),
    f("Fly.io token", "fm1r_", Base64, 60, 0),
    f("Fly.io token", "fm2_", Base64, 60, 0),
    f("Firecrawl key", "fc-", Hex, 32, 32),
    f("Fireworks key", "fw_", Alnum, 22, 30),
    f("GitHub token", "ghp_", Alnum, 30, 0),
    f("GitHub token", "gho_", Alnum, 30, 0),
    f("GitHub token", "ghu_", Alnum, 30, 0),
    f("GitHub token", "ghs_", Word, 30, 0),
    f("GitHub token", "ghr_", Alnum, 30, 0),
    f("GitHub token", "github_pat_", Word, 22, 0),
    f("GitLab token", "glpat-", Dotted, 20, 0),
    f("GitLab token", "gldt-", Word, 20, 0),
    f("GitLab token", "glft-", Word, 20, 0),
    f("GitLab token", "glffct-", Word, 20, 0),
    f("GitLab token", "glsoat-", Word, 20, 0),
    f("GitLab token", "glimt-", Word, 20, 0),
    f("GitLab token", "glagent-", Word, 40, 0),
    f("GitLab token", "gloas-", Word, 40, 0),
    f("GitLab token", "glcbt-", Word, 20, 0),
    f("GitLab token", "glptt-", Word, 30, 0),
    f("GitLab token", "glrtr-", Word, 20, 0),
    f("GitLab token", "glrt-", Dotted, 20, 0),
    f("GitLab token", "glwt-", Word, 20, 0),
    f("Grafana cloud token", "glc_", Base64, 32, 0),
    f("Grafana service token", "glsa_", Word, 36, 0),
    f("Groq key", "gsk_", Alnum, 40, 0),
    f("Hugging Face token", "hf_", Alnum, 30, 0),
    f("Honeycomb key", "hcaik_", Alnum, 50, 0),
    f("Honeycomb key", "hcxik_", Alnum, 50, 0),
    f("Honeycomb key", "hcalk_", Alnum, 50, 0),
    f("Honeycomb key", "hcxlk_", Alnum, 50, 0),
    f("Vault token", "hvs.", Word, 24, 0),
    f("Vault token", "hvb.", Word, 60, 0),
    f("Infracost key", "ico-", Alnum, 32, 0),
    f("Jina key", "jina_", Word, 40, 0),
    f("Mailgun key", "key-", Hex, 32, 32),
    f("Linear key", "lin_api_", Alnum, 36, 0),
    f("Linear key", "lin_oauth_", Alnum, 36, 0),
    f("LangSmith key", "lsv2_pt_", Word, 40, 0),
    f("LangSmith key", "lsv2_sk_", Word, 40, 0),
    f("LangSmith key", "ls__", Alnum, 30, 0),
    f("live key", "live_", Word, 30, 0),
    f("Mandrill key", "md-", Word, 22, 22),
    f("Mercury token", "mercury_production_", Word, 30, 0),
    c("LaunchDarkly key", "mob-", Word, 36, 36, value::uuid),
    f("Neon key", "napi_", Alnum, 40, 0),
    f("Nostr private key", "nsec1", Alnum, 58, 58),
    f("npm token", "npm_", Alnum, 30, 0),
    f("NVIDIA key", "nvapi-", Word, 50, 0),
    f("Notion token", "ntn_", Alnum, 40, 0),
    f("Netlify token", "nfp_", Alnum, 36, 0),
    f("ngrok token", "ngrok_", Word, 36, 0),
    f("NuGet key", "oy2", Alnum, 43, 43),
    f("1Password service token", "ops_eyJ", Base64, 100, 0),
    f("OpenShift token", "sha256~", Word, 43, 43),
    f("Voyage key", "pa-", Word, 43, 43),
    f("Adobe secret", "p8e-", Alnum, 32, 32),
    f("Packagist token", "packagist_", Word, 60, 0),
    c("ClickUp token", "pk_", Word, 36, 44, clickup),
    d("Airtable token", "pat", 70, 1),
    d("Harness token", "pat.", 60, 2),
    f("HubSpot token", "pat-na1-", Word, 30, 0),
    f("HubSpot token", "pat-eu1-", Word, 30, 0),
    f("Perplexity key", "pplx-", Alnum, 40, 0),
    f("Pinecone key", "pcsk_", Word, 50, 0),
    f("PlanetScale token", "pscale_tkn_", Dotted, 30, 0),
    f("PlanetScale password", "pscale_pw_", Dotted, 30, 0),
    f("PlanetScale token", "pscale_oauth_", Dotted, 30, 0),
    f("PostHog key", "phx_", Alnum, 40, 0),
    f("Prefect key", "pnu_", Alnum, 36, 0),
    f("Pulumi token", "pul-", Hex, 40, 0),
    f("PyPI token", "pypi-", Word, 40, 0),
    f("PagerDuty key", "pdus+", Word, 20, 0),
    d("Mapbox token", "pk.eyJ", 60, 1),
    f("Paystack key", "psk_", Alnum, 40, 0),
    f("Replicate token", "r8_", Alnum, 36, 0),
    f("ReadMe key", "rdme_", Alnum, 60, 0),
    f("Rootly token", "rootly_", Hex, 60, 0),
    f("RubyGems key", "rubygems_", Hex, 40, 0),
    f("Resend key", "re_", Word, 30, 40),
    f("Stripe key", "rk_live_", Alnum, 16, 0),
    f("Stripe key", "rk_test_", Alnum, 16, 0),
    f("Stripe key", "rk_prod_", Alnum, 16, 0),
    f("Razorpay key", "rzp_live_", Alnum, 14, 0),
    f("Razorpay key", "rzp_test_", Alnum, 14, 0),
    f("Render key", "rnd_", Alnum, 28, 0),
    d("Harness token", "sat.", 60, 2),
    f("Supabase token", "sbp_", Hex, 40, 0),
    f("Supabase key", "sb_secret_", Word, 20, 0),
    f("Notion secret", "secret_", Alnum, 43, 43),
    f("Sourcegraph token", "sgp_", Word, 40, 0),
    f("Shippo token", "shippo_live_", Hex, 32, 0),
    f("Shippo token", "shippo_test_", Hex, 32, 0),
    f("Shopify token", "shpat_", Hex, 32, 0),
    f("Shopify token", "shpca_", Hex, 32, 0),
    f("Shopify token", "shppa_", Hex, 32, 0),
    f("Shopify token", "shpss_", Hex, 32, 0),
    f("Anthropic key", "sk-ant-", Word, 20, 0),
    f("OpenAI key", "sk-proj-", Word, 20, 0),
    f("OpenAI key", "sk-svcacct-", Word, 20, 0),
    f("OpenAI key", "sk-admin-", Word, 20, 0),
    f("OpenRouter key", "sk-or-v1-", Hex, 40, 0),
    f("Langfuse key", "sk-lf-", Word, 30, 0),
    f("Stripe key", "sk_live_", Alnum, 16, 0),
    f("Stripe key", "sk_test_", Alnum, 16, 0),
    f("Stripe key", "sk_prod_", Alnum, 16, 0),
    d("Mapbox token", "sk.eyJ", 60, 1),
    f("API key", "sk-", Word, 32, 0),
    f("API key", "sk_", Alnum, 29, 0),
    c("API key", "sk_", Word, 36, 36, value::uuid),
    c("LaunchDarkly key", "sdk-", Word, 36, 36, value::uuid),
    d("Infisical token", "st.", 90, 2),
    f("Inngest key", "signkey-prod-", Hex, 40, 0),
    d("Dropbox token", "sl.", 60, 0),
    f("SettleMint token", "sm_aat_", Alnum, 16, 0),
    f("SettleMint token", "sm_pat_", Alnum, 16, 0),
    f("SettleMint token", "sm_sat_", Alnum, 16, 0),
    f("Sentry token", "sntrys_", Base64, 40, 0),
    f("Sentry token", "sntryu_", Hex, 40, 0),
    f("Square token", "sq0atp-", Word, 20, 0),
    f("Square secret", "sq0csp-", Word, 30, 0),
    f("SonarQube token", "squ_", Hex, 36, 0),
    f("SonarQube token", "sqp_", Hex, 36, 0),
    f("SonarQube token", "sqa_", Hex, 36, 0),
    f("Snyk token", "snyk_uat.", Dotted, 30, 0),
    f("Intra42 secret", "s-s4t2ud-", Hex, 60, 0),
    f("Intra42 secret", "s-s4t2af-", Hex, 60, 0),
    f("Typeform token", "tfp_", Dotted, 50, 0),
    f("Together key", "tgp_v1_", Word, 40, 0),
    f("Scalingo token", "tk-us-", Word, 40, 0),
    f("Tailscale key", "tskey-", Word, 24, 0),
    f("Tavily key", "tvly-", Word, 24, 0),
    f("Trigger.dev key", "tr_prod_", Alnum, 16, 0),
    f("Trigger.dev key", "tr_dev_", Alnum, 16, 0),
    f("Yandex token", "t1.", Base64, 80, 0),
    f("Uploadthing key", "ut_live_", Alnum, 32, 0),
    f("Cloudflare origin key", "v1.0-", Word, 100, 0),
    f("Vercel token", "vercel_", Word, 24, 0),
    f("Vercel token", "vck_", Word, 24, 0),
    f("Vercel token", "vcp_", Alnum, 24, 0),
    f("Vercel token", "vca_", Alnum, 24, 0),
    f("Vercel token", "vci_", Alnum, 24, 0),
    f("Vercel token", "vcr_", Alnum, 24, 0),
    f("Val Town token", "vtwn_", Alnum, 24, 0),
    f("Vercel blob token", "vercel_blob_rw_", Word, 30, 0),
    f("WakaTime key", "waka_", Word, 36, 0),
    f("webhook secret", "whsec_", Base64, 24, 0),
    f("Slack token", "xoxb-", Word, 20, 0),
    f("Slack token", "xoxp-", Word, 20, 0),
    f("Slack token", "xoxa-", Word, 20, 0),
    f("Slack token", "xoxr-", Word, 20, 0),
    f("Slack token", "xoxs-", Word, 20, 0),
    f("Slack token", "xoxo-", Word, 20, 0),
    f("Slack token", "xoxc-", Word, 20, 0),
    f("Slack token", "xoxd-", Base64, 20, 0),
    f("Slack token", "xoxe.xox", Word, 40, 0),
    f("Slack token", "xoxe-", Word, 40, 0),
    f("Slack token", "xapp-", Word, 20, 0),
    f("extended private key", "xprv", Alnum, 100, 0),
    f("Brevo key", "xkeysib-", Word, 60, 0),
    f("Brevo key", "xsmtpsib-", Word, 60, 0),
    f("xAI key", "xai-", Alnum, 60, 0),
    f("Google OAuth token", "ya29.", Word, 20, 0),
    f("Yandex OAuth token", "y0_", Word, 40, 0),
    f("encoded JSON Web Token", "ZXlK", Base64, 70, 0),
];

/// A user's number, `_`, 32 capitals and digits; Stripe's publishable keys begin alike.
fn clickup(rest: &str) -> bool {
    rest.split_once('_').is_some_and(|(number, token)| {
        number.bytes().all(|b| b.is_ascii_digit())
            && token.len() == 32
            && token.bytes().all(|b| Set::Upper.has(b))
    })
}

/// Where the rows of each first byte stand in [`ORDER`].
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const STARTS: [u16; 257] = {
    let mut starts = [0_u16; 257];
    let mut byte = 0;
    while byte < 256 {
        let mut count = 0;
        let mut at = 0;
        while at < FORMATS.len() {
            if FORMATS[at].prefix.as_bytes()[0] as usize == byte {
                count += 1;
            }
            at += 1;
        }
        starts[byte + 1] = starts[byte] + count;
        byte += 1;
    }
    starts
};

/// The rows by first byte, in the order of the table.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const ORDER: [u16; FORMATS.len()] = {
    let mut order = [0_u16; FORMATS.len()];
    let mut next = STARTS;
    let mut at = 0;
    while at < FORMATS.len() {
        let byte = FORMATS[at].prefix.as_bytes()[0] as usize;
        order[next[byte] as usize] = at as u16;
        next[byte] += 1;
        at += 1;
    }
    order
};

/// Pairs of first bytes, one bit each: most words of a text end here.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static PAIRS: [u64; 1024] = {
    let mut pairs = [0_u64; 1024];
    let mut at = 0;
    while at < FORMATS.len() {
        let bytes = FORMATS[at].prefix.as_bytes();
        let pair = bytes[0] as usize * 256 + bytes[1] as usize;
        pairs[pair / 64] |= 1 << (pair % 64);
        at += 1;
    }
    pairs
};

/// The rows that begin with a byte.
fn rows(first: u8) -> impl Iterator<Item = &'static Format> {
    let place = |at: usize| STARTS.get(at).copied().map_or(0, usize::from);
    let order = items(&ORDER, place(usize::from(first))..place(usize::from(first) + 1));
    order.iter().filter_map(|row| FORMATS.get(usize::from(*row)))
}

/// The token that begins at `at`, by its prefix.
pub(super) fn at(text: &str, at: usize) -> Option<(Range<usize>, &'static str)> {
    let rest = text.as_bytes().get(at..)?;
    let first = rest.first()?;
    let second = rest.get(1)?;
    let pair = usize::from(*first) * 256 + usize::from(*second);
    if PAIRS.get(pair / 64)? & (1 << (pair % 64)) == 0 {
        return None;
    }
    for format in rows(*first) {
        let prefix = format.prefix.as_bytes();
        if !rest.starts_with(prefix) {
            continue;
        }
        let body = items(rest, prefix.len()..);
        let mut len = body.iter().take_while(|b| format.set.has(**b)).count();
        // A sentence's dot, a dash before the next word and padding's end are not the token's.
        while len > 0 && matches!(body.get(len - 1), Some(b'.' | b'-')) {
            len -= 1;
        }
        let fits = len >= format.least && (format.most == 0 || len <= format.most);
        if !fits {
            continue;
        }
        let token = text.get(at + prefix.len()..at + prefix.len() + len)?;
        if format.dots > token.bytes().filter(|b| *b == b'.').count() {
            continue;
        }
        if format.check.is_some_and(|check| !check(token)) {
            continue;
        }
        if value::mixed(token) && !value::placeholder(token) {
            return Some((at..at + prefix.len() + len, format.kind));
        }
    }
    None
}

/// Formats that are told by something in their middle: looked for where that byte stands.
pub(super) fn around(text: &str, anchor: usize) -> Option<(Range<usize>, &'static str)> {
    let bytes = text.as_bytes();
    let left = |set: fn(u8) -> bool, most: usize| {
        let before = items(bytes, anchor.saturating_sub(most + 1)..anchor);
        before.iter().rev().take_while(|b| set(**b)).count()
    };
    let right = |from: usize, set: fn(u8) -> bool, most: usize| {
        let after = bytes.get(from..).unwrap_or_default();
        after.iter().take(most + 1).take_while(|b| set(**b)).count()
    };
    let word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let digit = |b: u8| b.is_ascii_digit();
    let hex = |b: u8| b.is_ascii_digit() || matches!(b, b'a'..=b'f');
    match bytes.get(anchor)? {
        // A Ghost key: 24 hexadecimal digits, a colon, 64. Asana: the user's number, a colon, 32.
        b':' if bytes.get(anchor + 1) != Some(&b'A') => {
            let (head, tail) = (left(hex, 24), right(anchor + 1, hex, 64));
            if head == 24 && tail == 64 {
                return Some((anchor - head..anchor + 1 + tail, "Ghost key"));
            }
            let number = left(digit, 17);
            let slash = anchor.checked_sub(number + 1).and_then(|at| bytes.get(at)) == Some(&b'/');
            (slash && (13..=17).contains(&number) && tail == 32)
                .then_some((anchor - number..anchor + 1 + tail, "Asana token"))
        }
        // A Telegram bot: its number, a colon, 35 characters that begin with `A`.
        b':' => {
            let number = left(digit, 16);
            let tail = right(anchor + 1, word, 60);
            let begins = bytes.get(anchor + 1) == Some(&b'A');
            let token = text.get(anchor + 1..anchor + 1 + tail)?;
            ((5..=16).contains(&number) && begins && (33..=36).contains(&tail) && value::mixed(token))
                .then_some((anchor - number..anchor + 1 + tail, "Telegram bot token"))
        }
        // An Azure client secret: three characters, a digit, `Q~`, 31 to 34 more.
        b'~' => {
            let head = left(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'~'), 8);
            let tail = right(
                anchor + 1,
                |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'~'),
                60,
            );
            let marked = bytes.get(anchor.checked_sub(2)?)?.is_ascii_digit()
                && bytes.get(anchor.checked_sub(1)?) == Some(&b'Q');
            (head >= 5 && marked && (28..=40).contains(&tail))
                .then_some((anchor - head.min(5)..anchor + 1 + tail, "Azure client secret"))
        }
        // A Mailchimp key: 32 hexadecimal digits, `-us`, the data centre.
        b'-' => {
            let head = left(hex, 40);
            let place = bytes.get(anchor + 1..anchor + 3) == Some(b"us");
            let tail = right(anchor + 3, digit, 3);
            (head == 32 && place && (1..=2).contains(&tail))
                .then_some((anchor - head..anchor + 3 + tail, "Mailchimp key"))
        }
        // ngrok: 27 characters, `_`, 21.
        b'_' => {
            let alnum = |b: u8| b.is_ascii_alphanumeric();
            let (head, tail) = (left(alnum, 27), right(anchor + 1, alnum, 21));
            let token = text.get(anchor.checked_sub(head)?..anchor + 1 + tail)?;
            let begins = token.starts_with(|c: char| c.is_ascii_digit());
            (head == 27 && tail == 21 && begins && value::mixed(token))
                .then_some((anchor - head..anchor + 1 + tail, "ngrok token"))
        }
        // A bearer token of X: zeros in base64, and percent signs.
        b'%' => {
            let head = left(|b| b.is_ascii_alphanumeric(), 60);
            let tail = right(anchor, |b| b.is_ascii_alphanumeric() || b == b'%', 90);
            let token = text.get(anchor.checked_sub(head)?..anchor + tail)?;
            (token.starts_with("AAAAAAAAAAAAAAAAAAAA") && (90..=140).contains(&token.len()))
                .then_some((anchor - head..anchor + tail, "X bearer token"))
        }
        // Terraform Cloud: 14 characters, `.atlasv1.`, 60 and more. Discord: three parts.
        b'.' => {
            let head = left(word, 40);
            let body = items(bytes, anchor..);
            if head == 14 && body.starts_with(b".atlasv1.") {
                let tail =
                    right(anchor + 9, |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'='), 90);
                return (tail >= 40).then_some((anchor - head..anchor + 9 + tail, "Terraform Cloud token"));
            }
            let first = bytes.get(anchor.checked_sub(head)?)?;
            if !(23..=28).contains(&head) || !matches!(first, b'M' | b'N' | b'O') {
                return None;
            }
            let middle = right(anchor + 1, word, 8);
            let second = anchor + 1 + middle;
            if !(5..=7).contains(&middle) || bytes.get(second) != Some(&b'.') {
                return None;
            }
            let tail = right(second + 1, word, 50);
            let token = text.get(anchor - head..second + 1 + tail)?;
            ((26..=44).contains(&tail) && value::mixed(token))
                .then_some((anchor - head..second + 1 + tail, "Discord bot token"))
        }
        _ => None,
    }
}

/// Formats that are told by their length and their end: the word of letters and digits at `from..to`.
pub(super) fn word(text: &str, from: usize, to: usize) -> Option<(Range<usize>, &'static str)> {
    let (word, len) = (text.get(from..to)?, to - from);
    let all = |set: fn(u8) -> bool| word.bytes().all(set);
    let base32 = |b: u8| b.is_ascii_uppercase() || matches!(b, b'2'..=b'7');
    let base58 = |b: u8| b.is_ascii_alphanumeric() && !matches!(b, b'0' | b'O' | b'I' | b'l');
    let second = word.as_bytes().get(1).copied().unwrap_or_default();
    let kind = match len {
        3 if word == "mmk" => return maxmind(text, from, to),
        40..=44 if word.ends_with("NRAL") => "New Relic licence key",
        52 if word.starts_with(['K', 'L']) && all(base58) => "Bitcoin private key",
        56 if word.starts_with('S') && matches!(second, b'A'..=b'D') && all(base32) => "Stellar secret seed",
        83..=84 if word.get(75..).is_some_and(|end| end.contains("AZDO")) => "Azure DevOps token",
        _ => return None,
    };
    (value::mixed(word) && !value::placeholder(word)).then_some((from..to, kind))
}

/// `xxxxxx_…_mmk`: 40 characters.
fn maxmind(text: &str, from: usize, to: usize) -> Option<(Range<usize>, &'static str)> {
    let start = to.checked_sub(40)?;
    let token = text.get(start..from)?;
    let word = token.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (word && token.as_bytes().get(6) == Some(&b'_') && value::mixed(token))
        .then_some((start..to, "MaxMind licence key"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_prefix_of_two_bytes_and_a_reachable_length() {
        for format in FORMATS {
            assert!(format.prefix.len() >= 2 && format.prefix.is_ascii(), "{}", format.kind);
            assert!(format.most == 0 || format.most >= format.least, "{}", format.kind);
        }
    }
}
