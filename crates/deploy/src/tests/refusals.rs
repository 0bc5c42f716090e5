//! Files that are refused: with position and hint, and never half edited.

use super::*;

fn refused(name: &str, text: &str) -> SettingsError {
    let error = apply(&usual(name), text, Origin::Text(text)).unwrap_err();
    for line in [&error.message, &error.hint] {
        assert!(!line.is_empty() && !line.contains('\n'), "{error:?}");
    }
    if !error.message.contains("matcher") {
        let same = strip(agent(name), None, text, Origin::Unknown).unwrap_err();
        assert_eq!(same, error, "undeploy refuses the same files");
    }
    error
}

#[test]
fn each_with_line_and_column() {
    for (name, text, line, column, message) in [
        ("claude", "{\n  // mine\n  \"a\": 1\n}", 2, 3, "comment"),
        ("claude", "{\"a\": 1 /* x */}", 1, 9, "comment"),
        ("codex", "{}\n// end", 2, 1, "comment"),
        ("claude", "{\n  \"a\": [1, 2,],\n}", 2, 13, "trailing comma"),
        ("claude", "{\n  \"a\": 1,\n}", 2, 9, "trailing comma"),
        ("gemini", "{\n  \"a\": 1, // x\n}", 2, 9, "trailing comma"),
        ("claude", "{\"a\": 1", 1, 8, "end of the file"),
        ("claude", "{\"a\" 1}", 1, 6, "expected `:`"),
        ("claude", "{'a': 1}", 1, 2, "a key in double quotes"),
        ("claude", "{\"a\": 01}", 1, 8, "expected `,` or `}`"),
        ("claude", "{\"a\": .5}", 1, 7, "expected a value"),
        ("claude", "{\"a\": 1.}", 1, 9, "expected a digit"),
        ("claude", "{\"a\": NaN}", 1, 7, "expected a value"),
        ("claude", "{\"ä\": tru}", 1, 7, "expected a value"),
        ("claude", "{\"a\": \"x\ny\"}", 1, 9, "control character"),
        ("claude", "{\"a\": \"x}", 1, 7, "an unterminated string"),
        ("claude", "{\"a\": \"\\x\"}", 1, 8, "unknown escape"),
        ("claude", "{\"a\": \"\\u12g4\"}", 1, 8, "four hexadecimal digits"),
        ("claude", "{\"a\": \"\\u+123\"}", 1, 8, "four hexadecimal digits"),
        ("claude", "{} {}", 1, 4, "after the end"),
        ("gemini", "{} /* x", 1, 4, "an unterminated comment"),
        ("gemini", "{} /*/", 1, 4, "an unterminated comment"),
        ("gemini", "{ / }", 1, 3, "expected a value"),
        ("claude", "{\n\"a\":1,\n\"b\":{\"c\":1,\"c\":2}}", 3, 12, "duplicate key \"c\""),
        ("claude", "{\"hooks\":{},\"h\\u006foks\":{}}", 1, 13, "duplicate key \"hooks\""),
        ("claude", "\u{feff}{}", 1, 1, "byte order mark"),
        ("claude", "[]", 1, 1, "not an array"),
        ("claude", "\n null", 2, 2, "not null"),
        ("claude", "{\n  \"hooks\": []}", 2, 12, "\"hooks\" must be an object, not an array"),
        ("claude", "{\"hooks\": null}", 1, 11, "must be an object, not null"),
        ("claude", "{\"hooks\": {\n\"Stop\": {}}}", 2, 9, "\"hooks.Stop\" must be an array"),
        ("claude", "{\"hooks\": {\"Foreign\": true}}", 1, 23, "\"hooks.Foreign\" must be an array"),
        ("claude", "{\"hooks\":{\"Stop\":[{\"matcher\":5,\"hooks\":[]}]}}", 1, 30, "matcher"),
        ("claude", "{\"hooks\":{\"Stop\":[{\"matcher\":[\"a\"],\"hooks\":[]}]}}", 1, 30, "is an array"),
        ("gemini", "{\"hooksConfig\": true}", 1, 17, "\"hooksConfig\" must be an object"),
        ("gemini", "{\"hooksConfig\": {\"enabled\": 1}}", 1, 29, "must be true or false"),
    ] {
        let error = refused(name, text);
        assert!(error.message.contains(message), "{text:?}: {error:?}");
        assert_eq!((error.line, error.column), (line, column), "{text:?}: {error:?}");
    }
}

#[test]
fn nesting_has_an_end() {
    let deep = |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
    check_round_trip(&usual("claude"), &deep(100));
    assert!(refused("claude", &deep(100_000)).message.contains("levels deep"));
}

#[test]
fn the_message_names_file_and_position_and_the_hint_is_apart() {
    let text = "{\n  \"a\": 1,\n}";
    let problem = refused("claude", text);
    let error = DeployError::Refused { file: "/h/settings.json".into(), problem };
    assert_eq!(error.to_string(), "/h/settings.json:2:9: a trailing comma, which the agent does not accept");
    assert_eq!(error.hint(), "remove the comma, then run the command again");
}
