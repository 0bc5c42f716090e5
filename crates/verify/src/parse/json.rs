//! Machine-readable outputs: cargo, ESLint, ruff, mypy, pyright, RuboCop, PHPStan, SARIF, language servers.

use crate::diagnostic::{Diagnostic, Severity};
use serde_json::Value;

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, pointer: &str) -> u32 {
    value.pointer(pointer).and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok()).unwrap_or(0)
}

fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// The whole text as JSON; tools that print a line before it are forgiven.
fn document(stdout: &str) -> Value {
    serde_json::from_str(stdout.trim()).unwrap_or_else(|_| {
        let start = stdout.find(['{', '[']).unwrap_or(stdout.len());
        let text = stdout.get(start..).unwrap_or_default();
        // Something after the document (a summary, a farewell) is none of our business either.
        serde_json::Deserializer::from_str(text)
            .into_iter()
            .next()
            .and_then(Result::ok)
            .unwrap_or(Value::Null)
    })
}

fn lines(stdout: &str) -> impl Iterator<Item = Value> {
    let objects = stdout.lines().filter(|line| line.starts_with('{'));
    objects.filter_map(|line| serde_json::from_str(line).ok())
}

fn severity(word: &str) -> Severity {
    match word {
        "error" | "fatal" | "failure" | "Error" => Severity::Error,
        word if word.starts_with("error") => Severity::Error,
        _ => Severity::Warning,
    }
}

pub(super) fn cargo(stdout: &str) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for line in lines(stdout) {
        let Some(message) = line.get("message").filter(|_| text(&line, "reason") == "compiler-message")
        else {
            continue;
        };
        let severity = match text(message, "level") {
            "warning" => Severity::Warning,
            level if level.starts_with("error") => Severity::Error,
            _ => continue,
        };
        let primary = |span: &&Value| span.get("is_primary") == Some(&Value::Bool(true));
        let Some(span) = items(message, "spans").find(primary) else { continue };
        let code = message.pointer("/code/code").and_then(Value::as_str).unwrap_or_default();
        let label = text(span, "label");
        let mut said = text(message, "message").to_owned();
        if !label.is_empty() && !said.contains(label) {
            said = format!("{said}: {label}");
        }
        let one = Diagnostic::new(
            text(span, "file_name"),
            number(span, "/line_start"),
            number(span, "/column_start"),
            code,
            &said,
            severity,
        );
        // Once per target: the library, its tests, its examples.
        if !found.contains(&one) && !one.message.is_empty() {
            found.push(one);
        }
    }
    found
}

pub(super) fn eslint(stdout: &str) -> Vec<Diagnostic> {
    let document = document(stdout);
    let mut found = Vec::new();
    for file in document.as_array().into_iter().flatten() {
        for message in items(file, "messages") {
            let fatal = message.get("fatal") == Some(&Value::Bool(true));
            let severity =
                if fatal || number(message, "/severity") == 2 { Severity::Error } else { Severity::Warning };
            found.push(Diagnostic::new(
                text(file, "filePath"),
                number(message, "/line"),
                number(message, "/column"),
                text(message, "ruleId"),
                text(message, "message"),
                severity,
            ));
        }
    }
    said(found)
}

/// ruff calls everything an error; what keeps a program from running is one.
pub(super) fn ruff(stdout: &str) -> Vec<Diagnostic> {
    let document = document(stdout);
    let breaks = |code: &str| {
        code.is_empty()
            || code == "invalid-syntax"
            || ["E9", "F63", "F7", "F82"].iter().any(|c| code.starts_with(c))
    };
    let found = document.as_array().into_iter().flatten().map(|item| {
        let code = text(item, "code");
        Diagnostic::new(
            text(item, "filename"),
            number(item, "/location/row"),
            number(item, "/location/column"),
            code,
            text(item, "message"),
            if breaks(code) { Severity::Error } else { Severity::Warning },
        )
    });
    said(found.collect())
}

pub(super) fn mypy(stdout: &str) -> Vec<Diagnostic> {
    let found = lines(stdout).filter(|line| text(line, "severity") != "note").map(|line| {
        Diagnostic::new(
            text(&line, "file"),
            number(&line, "/line"),
            number(&line, "/column").saturating_add(1),
            text(&line, "code"),
            text(&line, "message"),
            severity(text(&line, "severity")),
        )
    });
    said(found.collect())
}

pub(super) fn pyright(stdout: &str) -> Vec<Diagnostic> {
    let document = document(stdout);
    let found = items(&document, "generalDiagnostics")
        .filter(|item| text(item, "severity") != "information")
        .map(|item| {
            Diagnostic::new(
                text(item, "file"),
                number(item, "/range/start/line").saturating_add(1),
                number(item, "/range/start/character").saturating_add(1),
                text(item, "rule"),
                text(item, "message"),
                severity(text(item, "severity")),
            )
        });
    said(found.collect())
}

pub(super) fn rubocop(stdout: &str) -> Vec<Diagnostic> {
    let document = document(stdout);
    let mut found = Vec::new();
    for file in items(&document, "files") {
        for offense in items(file, "offenses") {
            found.push(Diagnostic::new(
                text(file, "path"),
                number(offense, "/location/line"),
                number(offense, "/location/column"),
                text(offense, "cop_name"),
                text(offense, "message"),
                severity(text(offense, "severity")),
            ));
        }
    }
    said(found)
}

pub(super) fn phpstan(stdout: &str) -> Vec<Diagnostic> {
    let document = document(stdout);
    let mut found = Vec::new();
    for (file, entry) in document.get("files").and_then(Value::as_object).into_iter().flatten() {
        for message in items(entry, "messages") {
            let code = text(message, "identifier");
            found.push(Diagnostic::new(
                file,
                number(message, "/line"),
                0,
                code,
                text(message, "message"),
                Severity::Error,
            ));
        }
    }
    said(found)
}

pub(super) fn sarif(stdout: &str) -> Vec<Diagnostic> {
    let document = document(stdout);
    let mut found = Vec::new();
    for run in items(&document, "runs") {
        for result in items(run, "results") {
            let place = result.pointer("/locations/0/physicalLocation").unwrap_or(&Value::Null);
            let uri = place.pointer("/artifactLocation/uri").and_then(Value::as_str).unwrap_or_default();
            let message = result.pointer("/message/text").and_then(Value::as_str).unwrap_or_default();
            found.push(Diagnostic::new(
                &path_of(uri),
                number(place, "/region/startLine"),
                number(place, "/region/startColumn"),
                text(result, "ruleId"),
                message,
                // Without a level SARIF means a warning.
                severity(text(result, "level")),
            ));
        }
    }
    said(found)
}

pub(super) fn gitlab(stdout: &str) -> Vec<Diagnostic> {
    let document = document(stdout);
    let found = document.as_array().into_iter().flatten().map(|item| {
        let place = item.get("location").unwrap_or(&Value::Null);
        let line = number(place, "/lines/begin").max(number(place, "/positions/begin/line"));
        let severity = match text(item, "severity") {
            "info" | "minor" => Severity::Warning,
            _ => Severity::Error,
        };
        let column = number(place, "/positions/begin/column");
        Diagnostic::new(
            text(place, "path"),
            line,
            column,
            text(item, "check_name"),
            text(item, "description"),
            severity,
        )
    });
    said(found.collect())
}

pub(super) fn lsp(stdout: &str) -> Vec<Diagnostic> {
    let whole = document(stdout);
    let mut objects: Vec<Value> = match whole {
        Value::Array(objects) => objects,
        other => vec![other],
    };
    objects.extend(lines(stdout).skip(1));
    let mut found = Vec::new();
    for object in &objects {
        let published = object.get("params").unwrap_or(object);
        for item in items(published, "diagnostics") {
            let code = match item.get("code") {
                Some(Value::String(code)) => code.clone(),
                Some(Value::Number(code)) => code.to_string(),
                _ => String::new(),
            };
            let level = number(item, "/severity");
            if level > 2 {
                continue;
            }
            found.push(Diagnostic::new(
                &path_of(text(published, "uri")),
                number(item, "/range/start/line").saturating_add(1),
                number(item, "/range/start/character").saturating_add(1),
                &code,
                text(item, "message"),
                // Without a number it is up to the reader, and readers take it for an error.
                if level == 2 { Severity::Warning } else { Severity::Error },
            ));
        }
    }
    said(found)
}

/// A file's path out of a `file://` address; percent escapes undone.
fn path_of(uri: &str) -> String {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    let mut out = Vec::with_capacity(path.len());
    let mut bytes = path.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let pair: Vec<u8> = bytes.by_ref().take(2).collect();
        let read = std::str::from_utf8(&pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
        if let Some(byte) = read {
            out.push(byte);
        } else {
            out.push(b'%');
            out.extend(pair);
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Findings that say something.
fn said(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    found.retain(|found| !found.message.is_empty() && !found.file.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(found: Vec<Diagnostic>) -> Vec<String> {
        found.iter().map(Diagnostic::shown).collect()
    }

    /// As cargo 1.95 printed it, shortened; the second is the same for the crate's tests.
    #[test]
    fn cargo_says_each_thing_once() {
        let line = r#"{"reason":"compiler-message","message":{"rendered":"…","level":"error","message":"mismatched types","spans":[{"file_name":"src/main.rs","is_primary":false,"line_start":2,"column_start":12,"label":"expected due to this"},{"file_name":"src/main.rs","is_primary":true,"line_start":2,"column_start":18,"label":"expected `u32`, found `&str`"}],"code":{"code":"E0308","explanation":"…"}}}"#;
        let other = r#"{"reason":"compiler-artifact","message":null}"#;
        let summary = r#"{"reason":"compiler-message","message":{"level":"error","message":"aborting due to 1 previous error","spans":[],"code":null}}"#;
        let got = shown(cargo(&format!("{line}\n{other}\n{line}\n{summary}\nnot json\n")));
        assert_eq!(got, ["src/main.rs:2:18: error[E0308]: mismatched types: expected `u32`, found `&str`"]);
    }

    #[test]
    fn linters_of_scripts() {
        let eslint_out = r#"[{"filePath":"/p/a.js","messages":[{"ruleId":"no-unused-vars","severity":2,"message":"'x' is defined but never used.","line":1,"column":7},{"ruleId":null,"fatal":true,"severity":2,"message":"Parsing error: Unexpected token","line":3,"column":1}]}]"#;
        assert_eq!(
            shown(eslint(eslint_out)),
            [
                "/p/a.js:1:7: error[no-unused-vars]: 'x' is defined but never used.",
                "/p/a.js:3:1: error: Parsing error: Unexpected token"
            ]
        );
        let ruff_out = r#"[{"cell":null,"code":"F401","filename":"/p/b.py","location":{"column":8,"row":1},"message":"`os` imported but unused","severity":"error"},{"code":"invalid-syntax","filename":"/p/a.py","location":{"column":7,"row":3},"message":"Expected a parameter"},{"code":null,"filename":"/p/a.py","location":{"column":1,"row":3},"message":"SyntaxError: x"}]"#;
        assert_eq!(
            shown(ruff(ruff_out)),
            [
                "/p/b.py:1:8: warning[F401]: `os` imported but unused",
                "/p/a.py:3:7: error[invalid-syntax]: Expected a parameter",
                "/p/a.py:3:1: error: SyntaxError: x"
            ]
        );
        let mypy_out = "{\"file\": \"b.py\", \"line\": 4, \"column\": 11, \"message\": \"Name \\\"x\\\" is not defined\", \"hint\": null, \"code\": \"name-defined\", \"severity\": \"error\"}\nFound 1 error\n";
        assert_eq!(shown(mypy(mypy_out)), ["b.py:4:12: error[name-defined]: Name \"x\" is not defined"]);
        let pyright_out = r#"{"version":"1","generalDiagnostics":[{"file":"/p/a.py","severity":"error","message":"\"x\" is not defined","range":{"start":{"line":3,"character":11}},"rule":"reportUndefinedVariable"},{"file":"/p/a.py","severity":"information","message":"fyi"}]}"#;
        assert_eq!(
            shown(pyright(pyright_out)),
            ["/p/a.py:4:12: error[reportUndefinedVariable]: \"x\" is not defined"]
        );
        let rubocop_out = r#"{"files":[{"path":"a.rb","offenses":[{"severity":"convention","message":"Use !empty?","cop_name":"Style/X","location":{"line":1,"column":2}}]}]}"#;
        assert_eq!(shown(rubocop(rubocop_out)), ["a.rb:1:2: warning[Style/X]: Use !empty?"]);
        let phpstan_out = r#"{"files":{"/p/a.php":{"errors":1,"messages":[{"message":"Undefined variable: $x","line":3,"identifier":"variable.undefined"}]}}}"#;
        assert_eq!(
            shown(phpstan(phpstan_out)),
            ["/p/a.php:3: error[variable.undefined]: Undefined variable: $x"]
        );
    }

    #[test]
    fn sarif_and_language_servers() {
        let sarif_out = r#"{"version":"2.1.0","runs":[{"results":[{"ruleId":"lint/x","level":"error","message":{"text":"bad"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"file:///p/a%20b.ts"},"region":{"startLine":2,"startColumn":3}}}]},{"ruleId":"y","message":{"text":"hm"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"c.ts"}}}]}]}]}"#;
        assert_eq!(shown(sarif(sarif_out)), ["/p/a b.ts:2:3: error[lint/x]: bad", "c.ts: warning[y]: hm"]);
        let lsp_out = r#"{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"file:///p/a.rs","diagnostics":[{"range":{"start":{"line":0,"character":4}},"severity":1,"code":308,"message":"no"},{"range":{"start":{"line":0,"character":4}},"severity":4,"message":"hint"}]}}"#;
        assert_eq!(shown(lsp(lsp_out)), ["/p/a.rs:1:5: error[308]: no"]);
        let gitlab_out = r#"[{"description":"This variable is unused.","check_name":"lint/x","severity":"major","location":{"path":"a.ts","lines":{"begin":4}}}]"#;
        assert_eq!(shown(gitlab(gitlab_out)), ["a.ts:4: error[lint/x]: This variable is unused."]);
        assert_eq!(shown(eslint(&format!("npm notice\n{}\nDone.", "[]"))), Vec::<String>::new());
    }
}
