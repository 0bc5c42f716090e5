//! Globs as `.gitignore` has them, matched without compiling anything: `*`, `?`, `[…]`, `**`.
//! Bounded in steps, so that no pattern of a cloned repository can hang a hook.

/// The most steps that one comparison takes; past it the pattern does not match.
const STEPS: usize = 20_000;

/// The most steps that all rules of a file take on one path; past it the rest does not match.
const FILE_STEPS: usize = 400_000;

/// True when a path (with `/`) matches a pattern from its first to its last character.
pub fn matches(pattern: &str, path: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let path: Vec<char> = path.chars().collect();
    walk(&pattern, &path, true, &mut Steps { left: STEPS })
}

/// What a comparison may still cost.
struct Steps {
    left: usize,
}

impl Steps {
    /// One step; false when there are none left.
    fn take(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}

/// `boundary`: the pattern stands at the start of a name, the only place where `**` is more than `*`.
fn walk(pattern: &[char], path: &[char], boundary: bool, steps: &mut Steps) -> bool {
    if !steps.take() {
        return false;
    }
    match pattern {
        [] => path.is_empty(),
        // `**/` is any number of folders, also none; `/**` at the end is everything below.
        ['*', '*', '/', rest @ ..] if boundary => {
            let mut at = path;
            loop {
                if walk(rest, at, true, steps) {
                    return true;
                }
                match at.iter().position(|c| *c == '/') {
                    Some(slash) => at = at.get(slash + 1..).unwrap_or_default(),
                    None => return false,
                }
            }
        }
        ['*', '*'] if boundary => !path.is_empty(),
        ['*', rest @ ..] => {
            let stars = rest.iter().take_while(|c| **c == '*').count();
            let rest = rest.get(stars..).unwrap_or_default();
            let reach = path.iter().position(|c| *c == '/').unwrap_or(path.len());
            (0..=reach).any(|skip| walk(rest, path.get(skip..).unwrap_or_default(), false, steps))
        }
        ['?', rest @ ..] => matches!(path, [c, tail @ ..] if *c != '/' && walk(rest, tail, false, steps)),
        ['[', rest @ ..] => match (class(rest), path) {
            (Some((class, rest)), [c, tail @ ..]) => {
                *c != '/' && class.has(*c) && walk(rest, tail, false, steps)
            }
            (Some(_), []) => false,
            // A bracket that is never closed is a bracket.
            (None, [c, tail @ ..]) => *c == '[' && walk(rest, tail, false, steps),
            (None, []) => false,
        },
        ['\\', literal, rest @ ..] => {
            matches!(path, [c, tail @ ..] if c == literal && walk(rest, tail, *literal == '/', steps))
        }
        [literal, rest @ ..] => {
            matches!(path, [c, tail @ ..] if c == literal && walk(rest, tail, *literal == '/', steps))
        }
    }
}

/// True when a name is what the pattern says: `*` is any run of characters, a slash too, and `?` is one.
pub fn name(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    // Going back to the last star alone is enough.
    let mut back: Option<(usize, usize)> = None;
    while let Some(this) = text.get(t) {
        match pattern.get(p) {
            Some(b'*') => {
                back = Some((p, t));
                p += 1;
            }
            Some(one) if *one == b'?' || one == this => {
                p += 1;
                t += 1;
            }
            _ => match back {
                Some((star, from)) => {
                    back = Some((star, from + 1));
                    p = star + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern.get(p..).is_some_and(|rest| rest.iter().all(|c| *c == b'*'))
}

/// True when a path is what the pattern says. A pattern without a slash is about the last part of the path, as in
/// an ignore file.
pub fn path(pattern: &str, path: &str) -> bool {
    let path = path.trim_start_matches("./");
    if pattern.contains('/') {
        matches(pattern.trim_start_matches('/'), path)
    } else {
        matches(pattern, path.rsplit('/').next().unwrap_or(path))
    }
}

/// A set of characters in brackets.
struct Class {
    negated: bool,
    ranges: Vec<(char, char)>,
}

impl Class {
    fn has(&self, c: char) -> bool {
        self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != self.negated
    }
}

/// Reads the set behind an opening bracket, and what follows it.
fn class(text: &[char]) -> Option<(Class, &[char])> {
    let (negated, mut rest) = match text {
        ['!' | '^', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mut ranges = Vec::new();
    let mut first = true;
    loop {
        rest = match rest {
            [']', tail @ ..] if !first => return Some((Class { negated, ranges }, tail)),
            ['\\', c, tail @ ..] => {
                ranges.push((*c, *c));
                tail
            }
            [from, '-', to, tail @ ..] if *to != ']' => {
                ranges.push((*from, *to));
                tail
            }
            [c, tail @ ..] => {
                ranges.push((*c, *c));
                tail
            }
            [] => return None,
        };
        first = false;
    }
}

/// The verdict of ignore rules on a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// No rule speaks of it.
    No,
    /// This rule excludes it.
    By(String),
    /// This rule lets it through again.
    Allowed(String),
}

/// Rules of one ignore file, for paths below its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IgnoreRules {
    rules: Vec<IgnoreRule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct IgnoreRule {
    line: String,
    pattern: Vec<char>,
    negated: bool,
    folder_only: bool,
}

impl IgnoreRules {
    /// Reads the lines of an ignore file.
    pub fn parse(text: &str) -> Self {
        Self { rules: text.lines().filter_map(IgnoreRule::parse).collect() }
    }

    /// True when the file has no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The verdict on a path relative to the file's folder. The last rule that speaks of the path or of a folder
    /// above it wins; unlike git's, a rule that lets something through counts below an excluded folder too.
    pub fn check(&self, path: &str, is_folder: bool) -> Ignored {
        let path: Vec<char> = path.trim_matches('/').chars().collect();
        let mut left = FILE_STEPS;
        let last = self.rules.iter().rev().find(|rule| rule.covers(&path, is_folder, &mut left));
        match last {
            None => Ignored::No,
            Some(rule) if rule.negated => Ignored::Allowed(rule.line.clone()),
            Some(rule) => Ignored::By(rule.line.clone()),
        }
    }
}

impl IgnoreRule {
    fn parse(line: &str) -> Option<Self> {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.starts_with('#') {
            return None;
        }
        let trimmed = line.trim_end_matches(' ');
        // A blank behind a backslash is part of the name.
        let text = if trimmed.ends_with('\\') && trimmed.len() < line.len() {
            line.get(..=trimmed.len()).unwrap_or(trimmed)
        } else {
            trimmed
        };
        let (negated, text) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
        let (folder_only, text) = text.strip_suffix('/').map_or((false, text), |rest| (true, rest));
        if text.is_empty() {
            return None;
        }
        let anchored = text.contains('/');
        let text = text.strip_prefix('/').unwrap_or(text);
        let any_depth = if anchored { "" } else { "**/" };
        let pattern = any_depth.chars().chain(text.chars()).collect();
        Some(Self { line: line.trim().to_owned(), pattern, negated, folder_only })
    }

    /// True when the rule matches the path, or a folder above it.
    fn covers(&self, path: &[char], is_folder: bool, left: &mut usize) -> bool {
        let mut matches = |path: &[char]| {
            let all = STEPS.min(*left);
            let mut steps = Steps { left: all };
            let found = walk(&self.pattern, path, true, &mut steps);
            *left -= all - steps.left;
            found
        };
        if (!self.folder_only || is_folder) && matches(path) {
            return true;
        }
        let folders = path.iter().enumerate().filter(|(_, c)| **c == '/');
        folders.map(|(at, _)| at).any(|at| path.get(..at).is_some_and(&mut matches))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn globs() {
        let table = [
            ("*.rs", "a.rs", true),
            ("*.rs", "a/b.rs", false),
            ("**/*.rs", "a/b.rs", true),
            ("**/*.rs", "b.rs", true),
            ("src/**", "src/a/b", true),
            ("src/**", "src", false),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]]", "]", true),
            ("a[", "a[", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("", "", true),
            ("*", "", true),
            ("**", "a", true),
            ("é*", "éa", true),
        ];
        for (pattern, path, want) in table {
            assert_eq!(matches(pattern, path), want, "{pattern} on {path}");
        }
    }

    #[test]
    fn names() {
        assert!(name("mcp__*__poll*", "mcp__ci__poll_run"));
        assert!(name("*", "") && name("a?c", "abc") && name("Bash", "Bash"));
        assert!(!name("Bash", "BashOutput") && !name("a?c", "ac") && !name("", "a"));
        assert!(name("*status*", "get_status_of") && name("**x", "x") && name("http*/x", "https://h/x"));
    }

    #[test]
    fn paths() {
        assert!(path("docs/**/*.md", "docs/a.md") && path("docs/**/*.md", "docs/a/b/c.md"));
        assert!(!path("docs/**/*.md", "src/docs/a.md") && !path("docs/*.md", "docs/a/b.md"));
        assert!(path("*.md", "a/b/c.md") && !path("*.md", "a/b.md/c"));
        assert!(path("**/docs/**", "x/docs/a") && path("/docs/**", "./docs/a"));
    }

    #[test]
    fn a_hostile_pattern_ends() {
        assert!(!matches(&"*a".repeat(200), &"a".repeat(2_000).replace("aa", "ab")));
    }

    fn check(text: &str, path: &str) -> bool {
        matches!(IgnoreRules::parse(text).check(path, false), Ignored::By(_))
    }

    #[test]
    fn rules_as_git_has_them() {
        assert!(check("build", "build/x") && check("build", "a/build/x") && check("/build", "build/x"));
        assert!(!check("/build", "a/build/x") && !check("build", "rebuild/x") && !check("# build", "build"));
        assert!(check("*.log", "a/b.log") && check("a/*.log", "a/b.log") && !check("a/*.log", "c/a/b.log"));
        assert!(check("logs/", "logs/x") && !check("logs/", "logs"), "a folder rule does not hit a file");
        assert!(!check("*.log\n!keep.log", "keep.log"));
        assert!(check("!x\nx", "x"), "the last rule wins");
    }

    /// The reference could not let a part of an excluded folder through.
    #[test]
    fn a_part_of_an_excluded_folder_can_be_let_through() {
        let rules = "node_modules\n!node_modules/mylib";
        assert!(check(rules, "node_modules/other/x.js"));
        assert!(!check(rules, "node_modules/mylib/src/x.js"));
    }

    proptest! {
        #[test]
        fn never_panics(pattern in "[*?/\\[\\]!a-c\\\\-]{0,12}", path in "[a-c/]{0,12}") {
            matches(&pattern, &path);
            IgnoreRules::parse(&pattern).check(&path, false);
        }

        /// Without negation, the same verdict as the `ignore` crate has.
        #[test]
        fn agrees_with_ignore(lines in prop::collection::vec("/?([a-c]|\\*|\\?|\\*\\*/|[a-c]/){1,3}[a-c]/?", 1..4), path in "[a-c](/[a-c]){0,3}") {
            let mut builder = ignore::gitignore::GitignoreBuilder::new("/r");
            for line in &lines {
                builder.add_line(None, line).unwrap();
            }
            let theirs = builder.build().unwrap().matched_path_or_any_parents(std::path::Path::new(&path), false).is_ignore();
            let ours = matches!(IgnoreRules::parse(&lines.join("\n")).check(&path, false), Ignored::By(_));
            prop_assert_eq!(ours, theirs, "{:?} on {}", lines, path);
        }
    }
}
