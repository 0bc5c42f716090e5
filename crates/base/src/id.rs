//! Ids: from text that somebody else wrote to a name that is safe to use, and short hashes.

/// A payload's id as a file name: kept when it is harmless, else replaced by its hash.
pub fn safe_name(id: &str) -> String {
    let harmless = !id.is_empty()
        && id.len() <= 64
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        && !id.starts_with('-');
    if harmless { id.to_owned() } else { format!("x{}", short_hash(id.as_bytes())) }
}

/// 128 bits of a hash as text.
pub fn short_hash(bytes: &[u8]) -> String {
    let hash = blake3::hash(bytes).to_hex();
    hash.get(..32).unwrap_or_default().to_owned()
}

/// A hash as text, whole: for what must not be forged, where [`short_hash`] only tells things apart.
pub fn full_hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// A hash that only who has the key can make.
pub fn keyed_hash(key: &[u8; 32], bytes: &[u8]) -> String {
    blake3::keyed_hash(key, bytes).to_hex().to_string()
}

/// A key that nobody can guess: the standard library seeds its hashers with 128 random bits of the operating system.
pub fn random_key() -> [u8; 32] {
    use std::hash::{BuildHasher as _, Hasher as _, RandomState};
    let mut seed = Vec::with_capacity(64);
    for _ in 0..8 {
        seed.extend(RandomState::new().build_hasher().finish().to_le_bytes());
    }
    *blake3::hash(&seed).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_never_leaves_its_folder() {
        for id in ["../../etc", "a/b", "", ".", "..", "a\0b", &"x".repeat(200), "-rf", "é"] {
            let name = safe_name(id);
            assert!(name.starts_with('x') && name.len() == 33, "{id:?} -> {name}");
            assert!(!name.contains(['/', '.', '\0']));
        }
        assert_eq!(safe_name("d42fd80c-f318-4c21-8d81-95853a8e12c2"), "d42fd80c-f318-4c21-8d81-95853a8e12c2");
        assert_ne!(safe_name("a/b"), safe_name("a/c"));
    }

    #[test]
    fn a_keyed_hash_depends_on_its_key() {
        let (one, two) = (random_key(), random_key());
        assert_ne!(one, two);
        assert_eq!(keyed_hash(&one, b"x"), keyed_hash(&one, b"x"));
        assert_ne!(keyed_hash(&one, b"x"), keyed_hash(&two, b"x"));
        assert_eq!(full_hash(b"x").len(), 64);
    }
}
