//! The matcher grammar: which texts are lists and which are expressions, printing, and joining.

use crate::{Matcher, Pattern};

fn parse(text: &str) -> Matcher {
    Matcher::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn exact(names: &[&str]) -> Matcher {
    Matcher::Exact(names.iter().map(|name| (*name).to_owned()).collect())
}

fn regex(source: &str) -> Matcher {
    Matcher::Regex { source: source.to_owned(), pattern: Pattern::compile(source).unwrap() }
}

#[test]
fn everything() {
    assert_eq!(parse(""), Matcher::All);
    assert_eq!(parse("*"), Matcher::All);
    assert_eq!(Matcher::parse_narrow("*").unwrap(), Matcher::All);
    assert_eq!(Matcher::default(), Matcher::All);
    assert!(Matcher::All.matches("") && Matcher::All.matches("Bash"));
}

#[test]
fn names() {
    assert_eq!(parse("Bash"), exact(&["Bash"]));
    assert_eq!(parse("Edit|Write"), exact(&["Edit", "Write"]));
    assert_eq!(parse(" Edit , Write | Read,Edit"), exact(&["Edit", "Write", "Read"]));
    assert_eq!(parse("my-agent|two words"), exact(&["my-agent", "two words"]));
    let matcher = parse("Edit|Write");
    assert!(matcher.matches("Edit") && matcher.matches("Write"));
    for other in ["edit", "MultiEdit", "Edit|Write", "", " Edit"] {
        assert!(!matcher.matches(other), "{other}");
    }
}

#[test]
fn expressions() {
    assert_eq!(parse("mcp__.*"), regex("mcp__.*"));
    assert!(parse("mcp__.*").matches("mcp__fs__read"));
    assert!(parse("Note.*").matches("MyNotebook"), "not anchored");
    assert!(!parse("^Note").matches("note"), "case-sensitive");
    assert!(parse("Édit").matches("Édition"), "only ASCII letters make a list");
    assert!(Matcher::parse("(").is_err());
}

#[test]
fn the_narrow_grammar() {
    assert_eq!(Matcher::parse_narrow("a_1|b").unwrap(), exact(&["a_1", "b"]));
    for source in ["a,b", "a-b", "a b", ".env"] {
        assert_eq!(Matcher::parse_narrow(source).unwrap(), regex(source), "{source}");
    }
    assert!(Matcher::parse_narrow("a-b").unwrap().matches("xa-bx"));
}

#[test]
fn giving_up_counts_as_a_match() {
    let matcher = parse("^(?:a|a)*[^a]$");
    assert!(matcher.matches(&"a".repeat(1000)));
    assert!(!matcher.matches("aa"));
}

#[test]
fn printing_reads_back() {
    for text in ["*", "Bash", "Edit|Write", "a-b|c d", "mcp__.*", "^$", "(?!)", "|", "Edit|"] {
        let matcher = parse(text);
        let again = parse(&matcher.source());
        for value in ["", "Bash", "Edit", "Write", "a-b", "c d", "mcp__x", "|"] {
            assert_eq!(matcher.matches(value), again.matches(value), "{text} on {value}");
        }
    }
    for odd in [exact(&[]), exact(&[""]), exact(&["a.b", "c|d"]), exact(&[" a"]), exact(&["", "*"])] {
        let again = parse(&odd.source());
        for value in ["", "a.b", "axb", "c|d", "c", " a", "a", "*"] {
            assert_eq!(odd.matches(value), again.matches(value), "{odd:?} on {value}");
        }
    }
    assert_eq!(parse("Edit, Write").source(), "Edit|Write");
}

#[test]
fn joining() {
    let union = |texts: &[&str]| {
        let matchers: Vec<Matcher> = texts.iter().map(|text| parse(text)).collect();
        Matcher::union(&matchers.iter().collect::<Vec<_>>()).source().into_owned()
    };
    assert_eq!(union(&["Bash", "*"]), "*");
    assert_eq!(union(&[]), "*");
    assert_eq!(union(&["Bash", "Edit|Bash", "Write"]), "Bash|Edit|Write");
    assert_eq!(union(&["mcp__.*"]), "mcp__.*");
    assert_eq!(union(&["mcp__.*", "mcp__.*"]), "mcp__.*");
    assert_eq!(union(&["Bash|Edit", "mcp__.*"]), "^(?:Bash|Edit)$|(?:mcp__.*)");
    assert_eq!(union(&["^a", "Bash", "b$"]), "^(?:Bash)$|(?:^a)|(?:b$)");
    // One expression keeps its numbering; several would not.
    assert_eq!(union(&["(a)\\1", "Bash"]), "^(?:Bash)$|(?:(a)\\1)");
    assert_eq!(union(&["(a)\\1", "b."]), "*");
    assert_eq!(union(&["(?<x>a)", "(?<x>b)"]), "*");
    // The agent's engine may not know these.
    assert_eq!(union(&["(?i)bash"]), "*");
    assert_eq!(union(&["(?i:b)ash", "Edit"]), "*");
    assert_eq!(union(&["\\u{61}"]), "*");
    assert_eq!(union(&["[😀]"]), "*");
    // Too long together.
    let long = format!("{}.", "a".repeat(5000));
    assert_eq!(union(&[&long, &format!("b{long}")]), "*");
}

#[test]
fn joining_escapes_names() {
    let joined = Matcher::union(&[&exact(&["a.b", "c"]), &regex("^x")]);
    assert_eq!(joined.source(), "^(?:a\\.b|c)$|(?:^x)");
    assert!(joined.matches("a.b") && joined.matches("xy") && !joined.matches("a-b") && !joined.matches("cc"));
}

#[test]
fn stored_and_read_back() {
    for text in ["*", "Edit|Write", "^mcp__(?!fs).*__\\w+$"] {
        let matcher = parse(text);
        let bytes = postcard::to_stdvec(&matcher).unwrap();
        assert_eq!(postcard::from_bytes::<Matcher>(&bytes).unwrap(), matcher);
        assert!(bytes.len() < 200, "{text}: {}", bytes.len());
    }
}
