//! Line formats: `file:line:col: …`, `file(line,col): …`, Maven's and PHP's.

use crate::diagnostic::{Diagnostic, Severity};

/// `file:line:col: error: message [code]`, with column, severity and code each optional; Go's `vet: ` before it.
pub(super) fn gnu(line: &str) -> Option<Diagnostic> {
    let line = line.trim().strip_prefix("vet: ").unwrap_or(line.trim());
    // A Windows drive letter is no file name of its own.
    let from = if line.as_bytes().get(1) == Some(&b':') { 2 } else { 0 };
    let at = from + line.get(from..)?.find(':')?;
    let (file, rest) = (line.get(..at)?, line.get(at + 1..)?);
    let is_number = file.bytes().all(|byte| byte.is_ascii_digit());
    if is_number || file.len() > 400 || file.contains(['"', '\'', '`', '<', '>', '|']) {
        return None;
    }
    let (number, rest) = digits(rest)?;
    let rest = rest.strip_prefix(':')?;
    let (col, rest) = match digits(rest) {
        Some((col, after)) if after.starts_with(':') => (col, after.strip_prefix(':')?),
        _ => (0, rest),
    };
    let rest = rest.trim();
    let (severity, message) = severity(rest).unwrap_or((Severity::Error, rest));
    if message.is_empty() || is_note(rest) {
        return None;
    }
    let (message, code) = trailing_code(message);
    Some(Diagnostic::new(strip_dot(file), number, col, code, message, severity))
}

/// `file(line,col): error TS2322: message`.
pub(super) fn paren(line: &str) -> Option<Diagnostic> {
    let line = line.trim();
    let open = line.match_indices('(').map(|(at, _)| at).find(|at| {
        line.get(at + 1..)
            .and_then(digits)
            .is_some_and(|(_, rest)| rest.starts_with(',') || rest.starts_with(')'))
    })?;
    let file = line.get(..open)?.trim();
    let (number, rest) = digits(line.get(open + 1..)?)?;
    let (col, rest) = match rest.strip_prefix(',').and_then(digits) {
        Some((col, rest)) => (col, rest),
        None => (0, rest),
    };
    let rest = rest.split_once("):")?.1.trim();
    let (severity, rest) = severity_word(rest)?;
    let (code, message) = rest.split_once(':')?;
    let code = code.trim();
    if file.is_empty() || code.contains(' ') {
        return None;
    }
    // MSBuild names the project after the message.
    let message = message.trim();
    let message = match message.rsplit_once(" [") {
        Some((before, project)) if project.ends_with("proj]") => before,
        _ => message,
    };
    Some(Diagnostic::new(strip_dot(file), number, col, code, message, severity))
}

/// `[ERROR] /path/File.java:[12,5] message`.
pub(super) fn maven(line: &str) -> Option<Diagnostic> {
    let (severity, rest) = match line.trim().strip_prefix("[ERROR] ") {
        Some(rest) => (Severity::Error, rest),
        None => (Severity::Warning, line.trim().strip_prefix("[WARNING] ")?),
    };
    let (file, rest) = rest.split_once(":[")?;
    let (number, rest) = digits(rest)?;
    let (col, rest) = rest.strip_prefix(',').and_then(digits).unwrap_or((0, rest));
    let message = rest.strip_prefix(']')?.trim();
    (!message.is_empty()).then(|| Diagnostic::new(file, number, col, "", message, severity))
}

/// `PHP Parse error:  syntax error, unexpected … in /path/a.php on line 3`.
pub(super) fn php(line: &str) -> Option<Diagnostic> {
    let line = line.trim();
    let line = line.strip_prefix("PHP ").unwrap_or(line);
    let (kind, rest) = line.split_once(':')?;
    if !matches!(kind, "Parse error" | "Fatal error" | "Warning" | "Deprecated") {
        return None;
    }
    let (rest, number) = rest.rsplit_once(" on line ")?;
    let (message, file) = rest.rsplit_once(" in ")?;
    let severity = if kind.ends_with("error") { Severity::Error } else { Severity::Warning };
    let (number, _) = digits(number)?;
    Some(Diagnostic::new(file, number, 0, "", message.trim(), severity))
}

/// `/path/a.js:3`, the line, a mark, `SyntaxError: message`. What only says that the file is a module, or holds JSX, is none:
/// the project's own tools read it.
pub(super) fn node(text: &str) -> Vec<Diagnostic> {
    const OTHER_DIALECT: [&str; 6] = [
        "Cannot use import statement outside a module",
        "Cannot use 'import.meta' outside a module",
        "Unexpected token 'export'",
        "await is only valid in",
        "Unexpected token '<'",
        "Unexpected token ':'",
    ];
    let mut found = Vec::new();
    let mut place: Option<(&str, u32)> = None;
    for line in text.lines() {
        if let Some(message) = line.strip_prefix("SyntaxError: ") {
            let other = OTHER_DIALECT.iter().any(|start| message.starts_with(start));
            if let Some((file, number)) = place.take().filter(|_| !other) {
                found.push(Diagnostic::new(strip_dot(file), number, 0, "", message, Severity::Error));
            }
        } else if let Some((file, number)) = line.rsplit_once(':')
            && !line.starts_with(char::is_whitespace)
            && let Some((number, "")) = digits(number)
        {
            place = Some((file, number));
        }
    }
    found
}

/// ``./a.sh: line 3: syntax error near unexpected token `fi'``; the next line only shows the text.
pub(super) fn bash(line: &str) -> Option<Diagnostic> {
    let (file, rest) = line.trim().split_once(": line ")?;
    let (number, rest) = digits(rest)?;
    let message = rest.strip_prefix(':')?.trim();
    let told = message.contains("syntax error") || message.contains("unexpected EOF");
    told.then(|| Diagnostic::new(strip_dot(file), number, 0, "", message, Severity::Error))
}

fn digits(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at_checked(end)?;
    Some((number.parse().ok()?, rest))
}

/// `error: message` or `warning: message`.
fn severity(text: &str) -> Option<(Severity, &str)> {
    let (word, rest) = text.split_once(':')?;
    let (severity, code) = severity_word(word)?;
    // `error[E1]:`, `error TS1:` keep their code with the message.
    code.trim().is_empty().then_some((severity, rest.trim()))
}

fn severity_word(text: &str) -> Option<(Severity, &str)> {
    const WORDS: [(&str, Severity); 7] = [
        ("fatal error", Severity::Error),
        ("error", Severity::Error),
        ("warning", Severity::Warning),
        ("Error", Severity::Error),
        ("Warning", Severity::Warning),
        ("warn", Severity::Warning),
        ("info", Severity::Warning),
    ];
    WORDS.iter().find_map(|(word, severity)| Some((*severity, text.trim().strip_prefix(word)?)))
}

/// What only explains the finding before it.
fn is_note(text: &str) -> bool {
    ["note:", "hint:", "help:", "Note:"].iter().any(|word| text.starts_with(word))
}

/// `message  [code]`, as mypy, clang and many linters end a line.
fn trailing_code(message: &str) -> (&str, &str) {
    if let Some((before, code)) = message.strip_suffix(']').and_then(|rest| rest.rsplit_once(" ["))
        && !code.is_empty()
        && code.len() < 60
        && !code.contains(' ')
    {
        return (before.trim(), code);
    }
    (message, "")
}

fn strip_dot(file: &str) -> &str {
    file.strip_prefix("./").unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syntax_errors_of_scripts() {
        let text = "/p/a.js:2\nconst x = ;\n          ^\n\nSyntaxError: Unexpected token ';'\n    at wrapSafe (node:internal/modules/cjs/loader:1378:20)\n";
        assert_eq!(node(text)[0].shown(), "/p/a.js:2: error: Unexpected token ';'");
        let module = "/p/b.js:1\nimport a from 'a'\n^^^^^^\n\nSyntaxError: Cannot use import statement outside a module\n";
        assert_eq!(node(&format!("{module}{text}")).len(), 1);
        assert!(node("/p/c.js:4\n  return <b/>\n         ^\nSyntaxError: Unexpected token '<'\n").is_empty());
        let found = bash("./a.sh: line 3: syntax error near unexpected token `fi'").unwrap();
        assert_eq!(found.shown(), "a.sh:3: error: syntax error near unexpected token `fi'");
        assert!(bash("./a.sh: line 3: `fi'").is_none());
        assert!(bash("a.sh: line 9: unexpected EOF while looking for matching `\"'").is_some());
    }

    fn shown(found: Option<Diagnostic>) -> String {
        found.map(|found| found.shown()).unwrap_or_default()
    }

    #[test]
    fn lines_of_compilers() {
        for (line, expected) in [
            ("./main.go:6:6: declared and not used: x", "main.go:6:6: error: declared and not used: x"),
            ("vet: ./main.go:6:14: cannot use \"a\"", "main.go:6:14: error: cannot use \"a\""),
            (
                "a.py:3: error: Name \"x\" is not defined  [name-defined]",
                "a.py:3: error[name-defined]: Name \"x\" is not defined",
            ),
            ("src/App.java:4: error: ';' expected", "src/App.java:4: error: ';' expected"),
            (
                "a.c:1:2: warning: unused variable 'x' [-Wunused]",
                "a.c:1:2: warning[-Wunused]: unused variable 'x'",
            ),
            ("C:\\src\\a.c:1:2: error: bad", "C:\\src\\a.c:1:2: error: bad"),
            ("t.rb:3: syntax error, unexpected end", "t.rb:3: error: syntax error, unexpected end"),
            ("a.c:1:2: note: declared here", ""),
            ("# shop", ""),
            ("12:30:05: started", ""),
            ("note: run with RUST_BACKTRACE=1", ""),
            ("FAIL: 3:1: x", ""),
        ] {
            assert_eq!(shown(gnu(line)), expected, "{line}");
        }
    }

    #[test]
    fn tsc_and_msbuild() {
        assert_eq!(
            shown(paren("a.ts(1,14): error TS2322: Type 'string' is not assignable to type 'number'.")),
            "a.ts:1:14: error[TS2322]: Type 'string' is not assignable to type 'number'."
        );
        assert_eq!(
            shown(paren("/p/A.cs(3,9): error CS0029: Cannot convert [/p/a.csproj]")),
            "/p/A.cs:3:9: error[CS0029]: Cannot convert"
        );
        assert_eq!(
            shown(paren("src/(group)/page.tsx(2,3): error TS1: bad: worse")),
            "src/(group)/page.tsx:2:3: error[TS1]: bad: worse"
        );
        assert_eq!(paren("Found 2 errors (0,1)"), None);
        assert_eq!(paren("  Type 'a' is not b."), None);
    }

    #[test]
    fn maven_and_php() {
        assert_eq!(
            shown(maven("[ERROR] /p/src/App.java:[12,5] cannot find symbol")),
            "/p/src/App.java:12:5: error: cannot find symbol"
        );
        assert_eq!(maven("[ERROR] Failed to execute goal"), None);
        assert_eq!(
            shown(php("PHP Parse error:  syntax error, unexpected token \"}\" in /p/a.php on line 3")),
            "/p/a.php:3: error: syntax error, unexpected token \"}\""
        );
        assert_eq!(php("Errors parsing a.php"), None);
    }
}
