//! `skill-rules.json` as it is found in projects: keywords and patterns per skill, and which of them a prompt meets. Pure.

use serde_json::Value;
use sprag_pattern::{Flags, MatchResult, Pattern};

/// How strongly a skill is recommended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    Low,
    Medium,
    High,
    Critical,
}

/// A skill or agent that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) strength: Strength,
    pub(super) blocks: bool,
    pub(super) is_agent: bool,
    /// The word that was found is one of many meanings, and nothing around it says which.
    pub(super) unsure: bool,
    /// What was found.
    pub(super) word: String,
}

impl Match {
    /// Its name with what it is for.
    pub(super) fn named(&self) -> String {
        if self.description.is_empty() {
            return self.name.clone();
        }
        let about: String = self.description.chars().take(80).collect();
        format!("{} ({about})", self.name)
    }
}

/// Words of many meanings, and those beside which they mean work on code.
const AMBIGUOUS: [(&str, &[&str]); 21] = [
    ("commit", &["git", "changes", "files", "message", "push", "repository", "branch", "staged"]),
    ("push", &["git", "remote", "origin", "branch", "repository", "upstream"]),
    ("pull", &["git", "remote", "origin", "branch", "merge", "rebase", "request"]),
    ("merge", &["git", "branch", "conflict", "pull request", "pr"]),
    ("branch", &["git", "checkout", "create", "switch", "feature"]),
    ("checkout", &["git", "branch", "file", "commit", "head"]),
    ("debug", &["error", "bug", "issue", "logs", "stack trace", "exception", "crash", "breakpoint"]),
    ("build", &["npm", "yarn", "cargo", "make", "compile", "webpack", "bundle", "project"]),
    ("implement", &["code", "feature", "function", "class", "method", "api", "interface", "module"]),
    ("plan", &["implementation", "phase", "architecture", "design", "roadmap", "milestone"]),
    ("research", &["api", "library", "documentation", "docs", "best practices", "pattern", "codebase"]),
    ("deploy", &["server", "production", "staging", "kubernetes", "docker", "cloud", "ci/cd"]),
    ("release", &["version", "tag", "changelog", "npm", "package", "publish"]),
    ("fix", &["bug", "error", "issue", "broken", "failing", "test", "regression"]),
    ("test", &["unit", "integration", "e2e", "coverage", "spec", "jest", "pytest", "vitest"]),
    ("validate", &["input", "schema", "data", "form", "field", "type"]),
    ("review", &["code", "pr", "pull request", "changes", "diff"]),
    ("analyze", &["code", "codebase", "performance", "metrics", "logs"]),
    ("document", &["api", "readme", "docs", "jsdoc", "docstring", "comments"]),
    ("refactor", &["code", "function", "class", "module", "clean up", "simplify"]),
    ("optimize", &["performance", "speed", "memory", "query", "algorithm"]),
];

/// The rules of a file.
pub(super) struct Rules {
    skills: Vec<(String, Value, bool)>,
}

impl Rules {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        let file: Value = serde_json::from_slice(bytes)?;
        let mut skills = Vec::new();
        for (key, is_agent) in [("skills", false), ("agents", true)] {
            let rules = file.get(key).and_then(Value::as_object).into_iter().flatten();
            skills.extend(rules.map(|(name, rule)| (name.clone(), rule.clone(), is_agent)));
        }
        Ok(Self { skills })
    }

    /// The skills and agents that a prompt meets, in the order of the file.
    pub(super) fn matching(&self, prompt: &str) -> Vec<Match> {
        // A prompt with a file pasted in says in its beginning what it is about.
        let prompt: String = prompt.chars().take(4_000).collect();
        let lower = prompt.to_lowercase();
        self.skills
            .iter()
            .filter_map(|(name, rule, is_agent)| matching(name, rule, *is_agent, &prompt, &lower))
            .collect()
    }
}

fn matching(name: &str, rule: &Value, is_agent: bool, prompt: &str, lower: &str) -> Option<Match> {
    // A prompt that names the skill needs no reminder of it.
    if has_word(lower, &format!("/{}", name.to_lowercase())) {
        return None;
    }
    let texts = |key: &str| {
        let list = rule.pointer(&format!("/promptTriggers/{key}")).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str)
    };
    let text = |key: &str| rule.get(key).and_then(Value::as_str).unwrap_or_default();
    let blocks = text("enforcement") == "block";
    let keywords: Vec<String> = texts("keywords").map(str::to_lowercase).collect();
    let mut hits = keywords.iter().filter(|word| has_word(lower, word));
    // One clear word is enough; a word of many meanings counts only when there is no other.
    let clear = hits.clone().find(|word| !is_unsure(lower, word));
    let found = clear.or_else(|| hits.next()).cloned();
    let by_pattern = || texts("intentPatterns").find(|source| meets(source, prompt)).map(str::to_owned);
    let (word, unsure) = match found {
        Some(word) if clear.is_none() && !blocks => match by_pattern() {
            Some(pattern) => (pattern, false),
            None => (word, true),
        },
        Some(word) => (word, false),
        None => (by_pattern()?, false),
    };
    let strength = match text("priority") {
        "critical" => Strength::Critical,
        "high" => Strength::High,
        "low" => Strength::Low,
        _ => Strength::Medium,
    };
    let description = text("description").to_owned();
    Some(Match { name: name.to_owned(), description, strength, blocks, is_agent, unsure, word })
}

/// True when a word or phrase stands in a text as such, not inside another word.
fn has_word(text: &str, word: &str) -> bool {
    if word.trim().is_empty() {
        return false;
    }
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word).any(|(at, found)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|tail| tail.chars().next());
        // A plural is the same word.
        let after = if after == Some('s') {
            text.get(at + found.len() + 1..).and_then(|t| t.chars().next())
        } else {
            after
        };
        let starts = word.chars().next().is_none_or(|c| !c.is_alphanumeric()) || !joins(before);
        let ends = word.chars().next_back().is_none_or(|c| !c.is_alphanumeric()) || !joins(after);
        starts && ends
    })
}

fn is_unsure(lower: &str, word: &str) -> bool {
    let meanings = AMBIGUOUS.iter().find(|(known, _)| known == &word);
    meanings.is_some_and(|(_, beside)| !beside.iter().any(|near| has_word(lower, near)))
}

/// True when a pattern of the file meets the prompt. A pattern that cannot be read, or runs too long, does not.
fn meets(source: &str, prompt: &str) -> bool {
    let flags = Flags { ignore_case: true, ..Flags::default() };
    Pattern::compile_with(source, flags).is_ok_and(|pattern| pattern.is_match(prompt) == MatchResult::Yes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FILE: &str = r#"{"version":"1.0","skills":{
        "motion":{"priority":"high","promptTriggers":{"keywords":["mot","animation"],"intentPatterns":["(slide|fade).*?(in|out)"]}},
        "commit":{"priority":"medium","promptTriggers":{"keywords":["commit"]}},
        "broken":{"promptTriggers":{"intentPatterns":["(((", "deploy.*?staging"]}}},
        "agents":{"scout":{"type":"exploration","promptTriggers":{"keywords":["find where"]}}}}"#;

    fn names(prompt: &str) -> Vec<(String, bool)> {
        let rules = Rules::parse(FILE.as_bytes()).unwrap();
        rules.matching(prompt).into_iter().map(|found| (found.name, found.unsure)).collect()
    }

    #[test]
    fn fault_of_the_reference_a_keyword_inside_another_word_is_none() {
        assert!(names("our motto is short").is_empty());
        assert_eq!(names("add animations to the page"), [("motion".to_owned(), false)]);
    }

    #[test]
    fn words_of_many_meanings_need_company() {
        assert_eq!(names("I commit to finishing early"), [("commit".to_owned(), true)]);
        assert_eq!(names("commit the staged files"), [("commit".to_owned(), false)]);
    }

    #[test]
    fn patterns_broken_ones_and_agents() {
        assert_eq!(names("make the panel fade slowly out"), [("motion".to_owned(), false)]);
        assert_eq!(names("Deploy it to STAGING"), [("broken".to_owned(), false)]);
        assert_eq!(names("find where totals are computed"), [("scout".to_owned(), false)]);
        assert!(names("use /commit for this commit of files").is_empty(), "it is named already");
    }

    proptest! {
        #[test]
        fn any_file_and_any_prompt_are_safe(file in any::<String>(), prompt in any::<String>()) {
            if let Ok(rules) = Rules::parse(file.as_bytes()) {
                rules.matching(&prompt);
            }
            Rules::parse(FILE.as_bytes()).unwrap().matching(&prompt);
        }
    }
}
