//! Patterns as people write them in settings: `mcp__*__poll*` for names, `docs/**/*.md` for paths.
//! No regular expression, nothing is compiled; at most pattern length times text length steps.

/// True when a name is what the pattern says: `*` is any run of characters, `?` is one.
pub(crate) fn name(pattern: &str, text: &str) -> bool {
    stars(pattern.as_bytes(), text.as_bytes(), |p| *p == b'*', |p, t| *p == b'?' || p == t)
}

/// True when a path is what the pattern says: `*` stays within one folder, `**` does not. A pattern without
/// a slash is about the last part of the path, as in an ignore file.
pub(crate) fn path(pattern: &str, path: &str) -> bool {
    let path = path.trim_start_matches("./");
    if !pattern.contains('/') {
        return name(pattern, path.rsplit('/').next().unwrap_or(path));
    }
    let pattern: Vec<&str> = pattern.trim_start_matches('/').split('/').collect();
    let parts: Vec<&str> = path.split('/').collect();
    stars(&pattern, &parts, |p| *p == "**", |p, t| name(p, t))
}

/// Wildcards over anything that comes in a row. Going back to the last star alone is enough.
fn stars<P, T>(
    pattern: &[P],
    text: &[T],
    is_star: impl Fn(&P) -> bool,
    same: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while let Some(this) = text.get(t) {
        match pattern.get(p) {
            Some(star) if is_star(star) => {
                back = Some((p, t));
                p += 1;
            }
            Some(one) if same(one, this) => {
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
    pattern.get(p..).is_some_and(|rest| rest.iter().all(is_star))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names() {
        assert!(name("mcp__*__poll*", "mcp__ci__poll_run"));
        assert!(name("*", "") && name("a?c", "abc") && name("Bash", "Bash"));
        assert!(!name("Bash", "BashOutput") && !name("a?c", "ac") && !name("", "a"));
        assert!(name("*status*", "get_status_of") && name("**x", "x"));
    }

    #[test]
    fn paths() {
        assert!(path("docs/**/*.md", "docs/a.md") && path("docs/**/*.md", "docs/a/b/c.md"));
        assert!(!path("docs/**/*.md", "src/docs/a.md") && !path("docs/*.md", "docs/a/b.md"));
        assert!(path("*.md", "a/b/c.md") && !path("*.md", "a/b.md/c"));
        assert!(path("**/docs/**", "x/docs/a") && path("/docs/**", "./docs/a"));
    }

    proptest! {
        #[test]
        fn a_text_matches_itself_and_any_star(text in "[a-z/_.]{0,30}") {
            prop_assert!(name(&text, &text));
            prop_assert!(name("*", &text));
            prop_assert!(path("**/*", &text) || !text.is_empty());
        }

        #[test]
        fn any_pattern_is_answered(pattern in "[ab*?/]{0,40}", text in "[ab/]{0,200}") {
            let _ = (name(&pattern, &text), path(&pattern, &text));
        }
    }
}
