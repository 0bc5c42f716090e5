use super::*;
use proptest::prelude::*;

#[test]
fn public_token_formats_go() {
    for secret in [
        "ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "AKIAQ3EGRIWPLM5N7XTA",
        "sk-ant-api03-0123456789abcdefghij",
        "xoxb-123456789012-abcdefghijkl",
        "glpat-0123456789abcdefghij",
    ] {
        for text in [
            format!("curl -H 'X: {secret}' h"),
            format!("K={secret}"),
            secret.to_owned(),
            format!("\"a\\n{secret}\""),
            format!("https://h/?k%3D{secret}&x=1"),
        ] {
            let clean = scrub(&text);
            assert!(!clean.contains(secret) && clean.contains(MASK), "{text} -> {clean}");
        }
    }
}

#[test]
fn keys_assignments_and_urls_go() {
    let key = "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb";
    assert_eq!(scrub(key), format!("a\n{MASK}\nb"));
    assert_eq!(scrub("export DB_PASSWORD=hunter2hunter2"), format!("export DB_PASSWORD={MASK}"));
    assert_eq!(scrub("\"token\": \"a1b2c3d4e5\""), format!("\"token\": \"{MASK}\""));
    assert_eq!(scrub("postgres://u:s3cr3t@h/db"), format!("postgres://u:{MASK}@h/db"));
}

/// Found by fuzzing: a torn end of a key before characters of several bytes lost the text behind it.
#[test]
fn a_torn_key_keeps_the_text_behind_it() {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\n-----END ";
    let text = format!("{key}{} the end", "é".repeat(60));
    assert!(scrub(&text).ends_with(" the end"), "{}", scrub(&text));
    let text = format!("{key}x{} the end", "é".repeat(60));
    assert!(scrub(&text).ends_with(" the end"), "{}", scrub(&text));
}

#[test]
fn ordinary_text_stays() {
    for text in [
        "ls src",
        "git log --oneline d42fd80c-f318-4c21-8d81-95853a8e12c2",
        "token = get_token()",
        "password: $PASSWORD",
        "https://host/path?x=1",
        "class sk-button-primary-large-outlined-wide",
        "the secret: nothing",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        // The keys of AWS's documentation are public and open nothing.
        "AKIAIOSFODNN7EXAMPLE",
    ] {
        assert_eq!(scrub(text), text);
    }
}

proptest! {
    #[test]
    fn never_panics_and_settles(text in "\\PC{0,200}") {
        let once = scrub(&text).into_owned();
        prop_assert_eq!(scrub(&once).into_owned(), once);
    }

    #[test]
    fn settles_on_texts_that_are_full_of_signs(parts in prop::collection::vec(prop::sample::select(vec![
        "password", "token", "=", ":", " ", "\"", "'", "ghp_0123456789abcdefghijABCDEFGHIJ012345", "://", "@", "u:p4ssw0rd",
        "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "MIIEpAIBAAKCAQEA7", "\n", "api_key", "a1b2c3d4e5f6",
        "[secret removed]", "--secret", "-u ", "Basic ", "<", ">", "é", "AKIAQ3EGRIWPLM5N7XTA", "hunter2", ",", "(", "\\n", "is ",
    ]), 0..24)) {
        let text = parts.concat();
        let once = scrub(&text).into_owned();
        prop_assert_eq!(scrub(&once).into_owned(), once, "{}", text);
    }
}
