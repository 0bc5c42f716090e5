//! A command line as a shell would run it: quoted text and here-documents are data, `sh -c` is not.

use sprag_shell::Context;

/// The line without quoted text and here-documents, and then, line by line, the commands that it hands to another
/// shell, runs in a substitution or in a wrapper.
pub fn executable(command: &str, context: &Context) -> String {
    let mut text = without_quotes(&without_here_documents(command));
    for inner in sprag_shell::analyse(command, context).commands {
        if inner.reached.is_empty() {
            continue;
        }
        text.push('\n');
        text.push_str(&inner.name);
        for arg in &inner.args {
            text.push(' ');
            let quoted = arg.raw.as_deref().is_some_and(|raw| raw.starts_with(['"', '\'']));
            text.push_str(if quoted { "\"\"" } else { &arg.text });
        }
    }
    text
}

/// Quoted spans become `""` and `''`; a backslash keeps the next character from ending one.
fn without_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' | '\'' => {
                out.push(c);
                out.push(c);
                while let Some(inside) = chars.next() {
                    if inside == c {
                        break;
                    }
                    // A shell knows no escapes between single quotes.
                    if inside == '\\' && c == '"' {
                        let _ = chars.next();
                    }
                }
            }
            '\\' => {
                out.push(c);
                out.extend(chars.next());
            }
            c => out.push(c),
        }
    }
    out
}

/// The line without the bodies of here-documents.
fn without_here_documents(text: &str) -> String {
    if !text.contains("<<") {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut ends: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(end) = ends.first() {
            if line.trim() == end {
                ends.remove(0);
            }
            continue;
        }
        out.push_str(line);
        ends.extend(delimiters(line));
    }
    out
}

/// The words that end the here-documents which begin on a line.
fn delimiters(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = line;
    let mut quote: Option<char> = None;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '<') if rest.starts_with("<<<") => {
                rest = rest.get(3..).unwrap_or_default();
                continue;
            }
            (None, '<') if rest.starts_with("<<") => {
                let word = rest.get(2..).unwrap_or_default().trim_start_matches('-').trim_start();
                let end: String = word
                    .trim_start_matches(['"', '\'', '\\'])
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '-' || *c == '.')
                    .collect();
                if !end.is_empty() {
                    found.push(end);
                }
                rest = rest.get(2..).unwrap_or_default();
                continue;
            }
            _ => {}
        }
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(command: &str) -> String {
        let context = Context { cwd: "/p".into(), home: "/h".into(), project_root: "/p".into() };
        executable(command, &context)
    }

    #[test]
    fn fault_15_quoting_does_not_hide_a_command_and_a_here_document_is_none() {
        for shown in [
            "pytest -x",
            "bash -c \"pytest -x\"",
            "sh -c 'cd a && pytest'",
            "echo \"$(pytest)\"",
            "sudo pytest",
            "bash <<EOF\npytest\nEOF",
        ] {
            assert!(run(shown).contains("pytest"), "{shown}: {}", run(shown));
        }
        for hidden in [
            "echo \"run pytest\"",
            "git commit -m 'fix pytest \\'",
            "cat > x <<'EOF'\npytest\nEOF",
            "cat <<-END >f && ls\n\tpytest\n\tEND\nls",
            "echo \"a \\\" pytest\"",
        ] {
            assert!(!run(hidden).contains("pytest"), "{hidden}: {}", run(hidden));
        }
        assert!(run("cat <<A\nx\nA\npytest").contains("pytest"), "after the document the line goes on");
        assert_eq!(run("git commit -m 'x' | tail -3"), "git commit -m '' | tail -3");
    }
}
