//! Whether a project's own manifests and lock files name a package or a server.

use sprag_base::files::read_limited;
use sprag_rules::Judgement;
use std::path::Path;

/// Where a project says what it depends on and where that comes from.
const FILES: [&str; 19] = [
    "package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", ".npmrc", ".yarnrc.yml",
    "Cargo.toml", "Cargo.lock", ".cargo/config.toml", "pyproject.toml", "requirements.txt",
    "requirements-dev.txt", "poetry.lock", "uv.lock", "Pipfile", "pip.conf", "Gemfile", "Gemfile.lock",
];

/// The largest file that is looked at.
const MAX_BYTES: u64 = 4 << 20;

/// The rules about packages that do not hold here: the project's own files have every name that they are about.
pub fn rules_that_do_not_hold(judged: &Judgement, root: &Path) -> Vec<&'static str> {
    let mut rules: Vec<&'static str> = Vec::new();
    for id in ["packages:near-name", "packages:foreign-index"] {
        let mut about = judged.all_hits.iter().filter(|hit| hit.rule.id == id).peekable();
        if about.peek().is_some() && about.all(|hit| is_known(&hit.what, root)) {
            rules.push(id);
        }
    }
    rules
}

/// What a rule is about: `name, for other?`, `name==1.0` or an address.
fn is_known(what: &str, root: &Path) -> bool {
    let name = what.split([',', '=', '@', '<', '>', '[']).next().unwrap_or(what);
    let server = what.split_once("://").map(|(_, rest)| rest.split(['/', ':']).next().unwrap_or(rest));
    names(root, server.unwrap_or(name))
}

/// Whether one of the files below `root` has this word.
fn names(root: &Path, word: &str) -> bool {
    !word.is_empty()
        && FILES.iter().any(|file| {
            let bytes = read_limited(&root.join(file), MAX_BYTES).ok().flatten();
            bytes.is_some_and(|bytes| has_word(&String::from_utf8_lossy(&bytes), word))
        })
}

/// Whether the text has the word with nothing of a name beside it.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_the_manifest_and_not_a_part_of_one() {
        assert!(has_word("\"loadsh\": \"1.0\"", "loadsh"));
        assert!(!has_word("\"loadsh-extra\": \"1.0\"", "loadsh"));
        assert!(has_word("index = \"https://pypi.corp.example/simple\"", "pypi.corp.example"));
        assert!(!has_word("", "x"));
    }
}
