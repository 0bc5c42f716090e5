//! The newest release: its list of files, and an archive that is the one that the list names.

use crate::UpdateError;
use serde_json::Value;
use sha2::Digest as _;
use std::fmt;
use std::time::Duration;

/// The list of a release's files.
const INDEX: &str = "release.json";
/// The largest list and the largest archive.
const MAX_INDEX: u64 = 1 << 20;
const MAX_ARCHIVE: u64 = 128 << 20;
/// The longest that a connection, and a whole download, may take.
const CONNECT: Duration = Duration::from_secs(10);
const DOWNLOAD: Duration = Duration::from_secs(600);

/// A version: three numbers. One with a suffix (`1.0.0-rc.1`) is before the one without.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    numbers: [u64; 3],
    is_final: bool,
    suffix: String,
}

impl Version {
    /// Reads one, with or without a `v` in front.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches('v');
        let (numbers, suffix) = text.split_once('-').unwrap_or((text, ""));
        let mut parts = numbers.split('.').map(|part| part.parse().ok());
        let mut next = || parts.next().flatten();
        let numbers = [next()?, next()?, next()?];
        (parts.next().is_none()).then(|| Self {
            numbers,
            is_final: suffix.is_empty(),
            suffix: suffix.to_owned(),
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(f, "{major}.{minor}.{patch}")?;
        if self.is_final { Ok(()) } else { write!(f, "-{}", self.suffix) }
    }
}

/// A release and where its files are.
#[derive(Debug)]
pub struct Release {
    /// Its version.
    pub version: Version,
    base: String,
    index: Value,
}

impl Release {
    /// The release whose files are below an address.
    pub fn newest(base: &str) -> Result<Self, UpdateError> {
        let base = base.trim_end_matches('/').to_owned();
        let bytes = fetch(&format!("{base}/{INDEX}"), MAX_INDEX)?;
        let index: Value =
            serde_json::from_slice(&bytes).map_err(|error| UpdateError::Index(error.to_string()))?;
        let version = index.get("version").and_then(Value::as_str).and_then(Version::parse);
        let version = version.ok_or_else(|| UpdateError::Index("it names no version".to_owned()))?;
        Ok(Self { version, base, index })
    }

    /// The archive for a platform, after its checksum was compared.
    pub fn archive(&self, target: &str) -> Result<Vec<u8>, UpdateError> {
        let none = || UpdateError::Platform { version: self.version.clone(), target: target.to_owned() };
        let files = self.index.get("files").and_then(Value::as_array).ok_or_else(none)?;
        let is_wanted = |file: &&Value| file.get("target").and_then(Value::as_str) == Some(target);
        let file = files.iter().find(is_wanted).ok_or_else(none)?;
        let word = |key: &str| file.get(key).and_then(Value::as_str).ok_or_else(none);
        let (name, wanted) = (word("name")?, word("sha256")?);
        // A name, not a way to another place.
        if name.contains(['/', '\\', '?', '#', ':']) {
            return Err(UpdateError::Index(format!("{name} is not a file name")));
        }
        let bytes = fetch(&format!("{}/{name}", self.base), MAX_ARCHIVE)?;
        let found: String = sha2::Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        if found == wanted.to_ascii_lowercase() {
            Ok(bytes)
        } else {
            Err(UpdateError::Checksum { name: name.to_owned(), found, wanted: wanted.to_owned() })
        }
    }
}

/// The bytes at an address: encrypted, or from this machine.
fn fetch(url: &str, most: u64) -> Result<Vec<u8>, UpdateError> {
    let encrypted = url.starts_with("https://");
    if !encrypted && !["http://127.0.0.1:", "http://localhost:"].iter().any(|local| url.starts_with(local)) {
        return Err(UpdateError::Address(url.to_owned()));
    }
    let mut config =
        ureq::Agent::config_builder().timeout_global(Some(DOWNLOAD)).timeout_connect(Some(CONNECT));
    if encrypted {
        // Redirections too.
        config = config.https_only(true).tls_config(sprag_http::tls());
    } else {
        config = config.max_redirects(0);
    }
    let failed = |error: ureq::Error| UpdateError::Fetch { url: url.to_owned(), why: error.to_string() };
    let mut response = config.build().new_agent().get(url).call().map_err(failed)?;
    response.body_mut().with_config().limit(most).read_to_vec().map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use sprag_testkit::http::{Reply, Server};

    #[test]
    fn versions_are_ordered_by_number_and_previews_come_first() {
        let version = |text: &str| Version::parse(text).unwrap();
        assert!(version("0.10.0") > version("0.9.9"));
        assert!(version("1.0.0-rc.1") < version("1.0.0"));
        assert_eq!(version("v1.2.3").to_string(), "1.2.3");
        assert_eq!(version("1.2.3-rc.1").to_string(), "1.2.3-rc.1");
        for broken in ["", "1.2", "1.2.3.4", "a.b.c", "1.2.x"] {
            assert_eq!(Version::parse(broken), None, "{broken}");
        }
    }

    fn release(index: Value, archive: &'static [u8]) -> Result<(Release, Server), UpdateError> {
        let server = Server::start(move |request| match request.path.as_str() {
            "/v9/release.json" => Reply::json(200, &index),
            "/v9/a.tar.gz" => Reply { status: 200, kind: "application/gzip", body: archive.to_vec() },
            _ => Reply::json(404, &json!({})),
        })
        .unwrap();
        Ok((Release::newest(&format!("http://{}/v9/", server.address()))?, server))
    }

    #[test]
    fn an_archive_is_taken_only_with_its_checksum() {
        let sum = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
        let index = |sum: &str| json!({"version": "9.0.0", "files": [{"name": "a.tar.gz", "target": "t", "sha256": sum}, {"name": "../x", "target": "u", "sha256": sum}, {"name": "b", "target": "w", "sha256": sum}]});
        let (found, _server) = release(index(sum), b"hello").unwrap();
        assert_eq!(found.version.to_string(), "9.0.0");
        assert_eq!(found.archive("t").unwrap(), b"hello");
        assert!(matches!(found.archive("v"), Err(UpdateError::Platform { .. })));
        assert!(matches!(found.archive("u"), Err(UpdateError::Index(_))));
        assert!(matches!(found.archive("w"), Err(UpdateError::Fetch { .. })), "it is not there");
        let (changed, _server) = release(index(sum), b"hello!").unwrap();
        assert!(matches!(changed.archive("t"), Err(UpdateError::Checksum { .. })));
    }

    #[test]
    fn what_is_no_release_is_refused() {
        assert!(matches!(release(json!({}), b""), Err(UpdateError::Index(_))));
        assert!(matches!(release(json!({"version": "latest"}), b""), Err(UpdateError::Index(_))));
        assert!(matches!(Release::newest("http://example.org/x"), Err(UpdateError::Address(_))));
        assert!(matches!(Release::newest("file:///etc"), Err(UpdateError::Address(_))));
    }
}
