//! What opens the page from another machine: a password, of which a file has the argon2 hash; and the token of MCP clients.

use argon2::{Algorithm, Argon2, Params, Version};
use sprag_base::files;
use sprag_base::id::{full_hash, random_key};
use sprag_config::host::Host;
use std::io;
use std::path::PathBuf;

/// A shorter password is refused.
pub const MIN_PASSWORD: usize = 10;
/// Memory in KiB, passes and lanes of the hash.
const COST: (u32, u32, u32) = (19_456, 2, 1);

/// A password that is known by its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Password {
    salt: [u8; 32],
    hash: [u8; 32],
}

fn hashed(password: &str, salt: &[u8]) -> Option<[u8; 32]> {
    let params = Params::new(COST.0, COST.1, COST.2, Some(32)).ok()?;
    let mut hash = [0; 32];
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    argon.hash_password_into(password.as_bytes(), salt, &mut hash).ok().map(|()| hash)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Option<[u8; 32]> {
    let mut found = [0; 32];
    for (at, byte) in found.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    (hex.len() == 64).then_some(found)
}

impl Password {
    /// A password as it is kept.
    fn new(password: &str) -> Option<Self> {
        let salt = random_key();
        Some(Self { salt, hash: hashed(password, &salt)? })
    }

    /// True for the password.
    pub(crate) fn matches(&self, given: &str) -> bool {
        // Hashed once more before it is compared: how long that takes says nothing.
        hashed(given, &self.salt).is_some_and(|hash| full_hash(&hash) == full_hash(&self.hash))
    }

    fn text(&self) -> String {
        format!("argon2id v1 {} {}\n", hex(&self.salt), hex(&self.hash))
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.trim().strip_prefix("argon2id v1 ")?.split(' ');
        Some(Self { salt: bytes(words.next()?)?, hash: bytes(words.next()?)? })
    }
}

fn password_file(host: &Host) -> PathBuf {
    host.paths.state.join("page-password")
}

/// The password that a person set; `None` when there is none.
pub(crate) fn read(host: &Host) -> Option<Password> {
    Password::parse(&files::read_text(password_file(host), files::SMALL).ok()?)
}

/// Keeps the hash of a password, readable by the owner alone.
pub fn set_password(host: &Host, password: &str) -> io::Result<()> {
    let known = Password::new(password).ok_or_else(|| io::Error::other("it cannot be hashed"))?;
    files::write_durable(&password_file(host), known.text().as_bytes())
}

/// Where the token of MCP clients is.
pub fn token_file(host: &Host) -> PathBuf {
    host.paths.state.join("mcp-token")
}

/// The token of MCP clients, made when there is none: readable by the owner alone.
pub(crate) fn token(host: &Host) -> io::Result<String> {
    let file = token_file(host);
    if let Ok(text) = files::read_text(&file, files::SMALL)
        && bytes(text.trim()).is_some()
    {
        return Ok(text.trim().to_owned());
    }
    let token = hex(&random_key());
    files::write_durable(&file, format!("{token}\n").as_bytes())?;
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_known_by_its_hash_alone() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::in_home(dir.path(), &[]);
        assert_eq!(read(&host), None);
        set_password(&host, "correct horse").unwrap();
        let text = files::read_text(password_file(&host), files::SMALL).unwrap();
        assert!(text.starts_with("argon2id") && !text.contains("horse"), "{text}");
        let known = read(&host).unwrap();
        assert!(known.matches("correct horse") && !known.matches("correct horsf") && !known.matches(""));
        for broken in ["", "argon2id v1", "argon2id v1 00 00", "plain correct horse"] {
            assert_eq!(Password::parse(broken), None, "{broken}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            token(&host).unwrap();
            for file in [password_file(&host), token_file(&host)] {
                assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            }
        }
        assert_eq!(token(&host).unwrap(), token(&host).unwrap());
    }
}
