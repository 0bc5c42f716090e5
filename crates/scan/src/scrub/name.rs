//! Does a name say that its value is a secret: `DB_PASSWORD`, `clientSecret`, `x-api-key`; not `token_count`. Pure.

use super::part::items;

/// What kind of value a name announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameClass {
    /// Nothing secret.
    Nothing,
    /// A service's name stands in it: only a random value counts.
    Service,
    /// A token, key or secret: made by a machine.
    Token,
    /// A password: made by a person.
    Password,
}

/// The maximum length of a name.
pub(super) const MAX_NAME_BYTES: usize = 72;

const PASSWORDS: &str = "password passwd pwd pass passphrase passcode passwort kennwort contrasena motdepasse psw pswd senha \
    secret secrets pgpassword userpass dbpass passwords psk wpapsk storepass keypass";

const TOKENS: &str = "token tokens apikey apikeys credential credentials creds cred bearer jwt accesskey secretkey \
    privatekey authkey auth authorization signature sig dsn pat authtoken accountkey sessionid sid \
    cookie mnemonic xapikey apisecret appsecret";

/// What stands before `key` when it is a secret one.
const KEYS: &str = "api access secret private priv encryption encrypt encrypted decryption signing sign master auth \
    account storage license service session app application shared aes rsa hmac jwt cipher client admin \
    server root deploy ssh integration ingest ingestion write rest bot consumer webhook security \
    subscription crypto host function instrumentation developer dev live prod production staging tls ssl \
    vapid";

/// Ends of names that describe a secret and do not hold one.
const DESCRIBES: &str = "id ids name names type types url uri path paths file files filename dir len length count counts size \
    limit limits ttl expiry expires expiration hash hashes hashed digest checksum sha sha1 sha256 sha512 \
    md5 fingerprint field fields label placeholder hint policy rule rules regex pattern patterns format \
    version index ref refs arn env var header headers prefix suffix column param params class endpoint \
    provider manager resolver validator min max strength input element selector title message error \
    errors description algorithm alg method mode enabled required visible at date time timestamp usage \
    used budget price cost kind status state scope scopes issuer audience plugin backend source sources \
    location number rotation age encoding charset lifetime duration window stream kid attempts reset \
    helper store seconds minutes days ms timeout rate rates in out total valid invalid commit revision \
    rev branch tag image port host hostname region domain mgr handler";

/// Words anywhere in a name that make it harmless.
const HARMLESS: &str = "public pub cache primary foreign sort partition hash tokenizer csrf xsrf page pagination cursor \
    continuation sync publishable etag nonce integrity checksum max prompt completion eos bos pad unk \
    mask special stop num idempotency dedup lookup translation i18n locale next prev lock fixture \
    sitekey resolved antiforgery module bypass compass passenger passing passed keyboard keystone sha \
    sha256 commit digest";

/// Services whose keys have no prefix of their own.
const SERVICES: &str = "adafruit adobe airtable algolia alibaba amplitude asana atlassian auth0 aws azure beamer bitbucket \
    bitly bittrex braintree bugsnag clickhouse clickup cloudflare cloudinary codacy codecov cohere \
    coinbase confluence confluent contentful coveralls datadog databricks deepseek digitalocean discord \
    docusign droneci dropbox elastic elevenlabs etsy facebook fastly finicity finnhub firebase flickr \
    freshbooks freshdesk gitea giphy github gitlab gitter gocardless grafana heroku hubspot intercom \
    ipinfo ipstack jenkins jfrog jira kraken kucoin launchdarkly line linear linkedin lob looker \
    mailchimp mailgun mailjet mapbox mattermost messagebird mistral mixpanel nasa netlify newrelic \
    nytimes okta openai opsgenie pagerduty paypal plaid plivo postmark pusher rapidapi recaptcha rollbar \
    salesforce scaleway segment sendbird sendgrid sentry shodan shopify snyk sonar spotify square \
    squarespace stripe sumologic supabase telegram together travis trello twilio twitch twitter typeform \
    unsplash vault vonage nexmo wakatime weatherapi openweather webex yandex youtube zendesk zoom wandb \
    replicate";

const PASSWORD: u8 = 1;
const TOKEN: u8 = 2;
const KEY: u8 = 4;
const DESCRIBE: u8 = 8;
const HARMLESS_WORD: u8 = 16;
const SERVICE: u8 = 32;

const LISTS: [(u8, &str); 6] = [
    (PASSWORD, PASSWORDS),
    (TOKEN, TOKENS),
    (KEY, KEYS),
    (DESCRIBE, DESCRIBES),
    (HARMLESS_WORD, HARMLESS),
    (SERVICE, SERVICES),
];

const SLOTS: usize = 2048;

const fn hash(word: &[u8]) -> usize {
    let mut hash = 0x811c_9dc5_u32;
    let mut rest = word;
    while let [first, tail @ ..] = rest {
        hash = (hash ^ *first as u32).wrapping_mul(0x0100_0193);
        rest = tail;
    }
    (hash ^ (hash >> 15)) as usize % SLOTS
}

/// Every word of the lists by its hash: names are looked at once per sign of a text.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static TABLE: [(&[u8], u8); SLOTS] = {
    let mut table: [(&[u8], u8); SLOTS] = [(b"", 0); SLOTS];
    let mut list = 0;
    while list < LISTS.len() {
        let (bit, words) = LISTS[list];
        let mut rest = words.as_bytes();
        while !rest.is_empty() {
            let mut len = 0;
            while len < rest.len() && rest[len] != b' ' {
                len += 1;
            }
            let (word, tail) = rest.split_at(len);
            let mut slot = hash(word);
            while table[slot].1 != 0 {
                slot = (slot + 1) % SLOTS;
            }
            table[slot] = (word, bit);
            rest = if let [_, tail @ ..] = tail { tail } else { tail };
        }
        list += 1;
    }
    table
};

/// The lists that a word is in.
fn lists(word: &str) -> u8 {
    let mut slot = hash(word.as_bytes());
    let mut bits = 0;
    while let Some((known, bit)) = TABLE.get(slot).filter(|(_, bit)| *bit != 0) {
        if *known == word.as_bytes() {
            bits |= bit;
        }
        slot = (slot + 1) % SLOTS;
    }
    bits
}

/// Reads a name.
pub(super) fn says(name: &str) -> NameClass {
    if name.len() < 2 || name.len() > MAX_NAME_BYTES || !name.is_ascii() {
        return NameClass::Nothing;
    }
    let mut buffer = [0_u8; MAX_NAME_BYTES * 2];
    let words = words_of(name, &mut buffer);
    let mut found = NameClass::Nothing;
    let (mut before, mut last) = (0, 0);
    for word in words.split(' ').filter(|word| !word.is_empty()) {
        let bits = lists(word);
        if bits & HARMLESS_WORD != 0 {
            return NameClass::Nothing;
        }
        let says =
            if bits & PASSWORD != 0 || word.len() > 8 && glued(word, &["password", "passwd", "passphrase"]) {
                NameClass::Password
            } else if bits & TOKEN != 0
                || word.len() > 6
                    && glued(
                        word,
                        &["token", "secret", "apikey", "accesskey", "secretkey", "privatekey", "credential"],
                    )
                || matches!(word, "key" | "keys") && before & (KEY | SERVICE) != 0
            {
                NameClass::Token
            } else if bits & SERVICE != 0 {
                NameClass::Service
            } else {
                NameClass::Nothing
            };
        found = found.max(says);
        (before, last) = (bits, bits);
    }
    if last & DESCRIBE != 0 { NameClass::Nothing } else { found }
}

/// The word begins or ends with one of these: `dbpassword`, `secretvalue`.
fn glued(word: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| word.ends_with(part) || word.strip_suffix('s').is_some_and(|w| w.ends_with(part)))
}

/// A name as lower-case words: at separators and where a capital follows a small letter.
fn words_of<'a>(name: &str, buffer: &'a mut [u8; MAX_NAME_BYTES * 2]) -> &'a str {
    let mut len = 0;
    let mut push = |byte: u8| {
        if let Some(slot) = buffer.get_mut(len) {
            *slot = byte;
            len += 1;
        }
    };
    let mut last = b' ';
    let mut bytes = name.bytes().peekable();
    while let Some(byte) = bytes.next() {
        let camel = byte.is_ascii_uppercase()
            && (last.is_ascii_lowercase()
                || last.is_ascii_digit()
                || last.is_ascii_uppercase() && bytes.peek().is_some_and(u8::is_ascii_lowercase));
        if camel {
            push(b' ');
        }
        push(if byte.is_ascii_alphanumeric() { byte.to_ascii_lowercase() } else { b' ' });
        last = byte;
    }
    std::str::from_utf8(items(buffer, ..len)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_they_hold() {
        for name in [
            "DB_PASSWORD", "password", "dbPassword", "spring.datasource.password", "client_secret",
            "userpassword",
        ] {
            assert_eq!(says(name), NameClass::Password, "{name}");
        }
        for name in [
            "API_KEY", "x-api-key", "accessToken", "authorization", "AWSSecretAccessKey", "azure_storage_key",
        ] {
            assert!(says(name) >= NameClass::Token, "{name}");
        }
        assert_eq!(says("datadog"), NameClass::Service);
        for name in [
            "token_count", "max_tokens", "password_hash", "passwordField", "public_key", "cache_key",
            "tokenizer", "secretName", "key", "monkey", "next_page_token", "compass", "author",
            "password_reset_url", "integrity",
        ] {
            assert_eq!(says(name), NameClass::Nothing, "{name}");
        }
    }
}
