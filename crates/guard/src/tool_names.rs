//! What the name of a server's tool says that its values do not: the program behind it, and that it destroys something.

use serde_json::{Map, Value};
use sprag_protocol::tool::quoted;

/// Programs that servers stand for, and how the server or the first word of the tool is called.
const PROGRAMS: [(&str, &str); 12] = [
    ("git", "git"),
    ("kubectl", "kubectl"),
    ("kubernetes", "kubectl"),
    ("k8s", "kubectl"),
    ("terraform", "terraform"),
    ("tofu", "tofu"),
    ("aws", "aws"),
    ("gcloud", "gcloud"),
    ("docker", "docker"),
    ("helm", "helm"),
    ("redis", "redis-cli"),
    ("psql", "psql"),
];

/// The command that a tool of a known program stands for: `git_push {"force": true}` is `git push --force`.
pub fn as_command(tool: &str, input: &Value) -> Option<String> {
    let lower = tool.to_ascii_lowercase();
    let mut parts = lower.strip_prefix("mcp__")?.splitn(2, "__");
    let (server, name) = (parts.next()?, parts.next()?);
    let words: Vec<&str> = name.split(['_', '-']).filter(|word| !word.is_empty()).collect();
    let named = |word: &str| PROGRAMS.iter().find(|(known, _)| *known == word).map(|(_, program)| *program);
    let (program, verb) = match words.split_first() {
        Some((first, rest)) if named(first).is_some() => (named(first)?, rest),
        _ => (named(server)?, words.as_slice()),
    };
    let input = input.as_object()?;
    let given = ["command", "cmd", "args", "arguments", "argv", "params"];
    if let Some(line) = given.iter().filter_map(|key| input.get(*key)).find_map(line) {
        let runs = matches!(verb, [] | ["run" | "call" | "exec" | "execute" | "command" | "cli" | "raw"]);
        let line = if runs { line } else { format!("{} {line}", verb.join(" ")) };
        return Some(if line.starts_with(program) { line } else { format!("{program} {line}") });
    }
    (!verb.is_empty()).then(|| format!("{program} {} {}", verb.join("-"), options(program, verb, input)))
}

fn line(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Array(words) => {
            let words: Vec<String> = words.iter().filter_map(Value::as_str).map(quoted).collect();
            (!words.is_empty()).then(|| words.join(" "))
        }
        _ => None,
    }
}

/// The members of an input as options and operands.
fn options(program: &str, verb: &[&str], input: &Map<String, Value>) -> String {
    const FIRST: [&str; 7] =
        ["resourceType", "resource_type", "resource", "kind", "type", "remote", "repository"];
    const PLACES: [&str; 9] = [
        "repo_path", "repopath", "path", "cwd", "working_dir", "workingdirectory", "message", "description",
        "context",
    ];
    let mut flags: Vec<String> = Vec::new();
    let mut operands: Vec<(usize, String)> = Vec::new();
    for (key, value) in input {
        match value {
            Value::Bool(true) => flags.push(format!("--{}", key.replace('_', "-"))),
            Value::String(text) if key == "mode" => flags.push(format!("--{text}")),
            Value::String(text)
                if !PLACES.contains(&key.to_ascii_lowercase().as_str()) && text.len() < 200 =>
            {
                let rank = FIRST.iter().position(|first| first == key).unwrap_or(FIRST.len());
                operands.push((rank, quoted(text)));
            }
            _ => {}
        }
    }
    if program == "git" && verb == ["push"] && !input.contains_key("remote") && !operands.is_empty() {
        operands.push((0, "origin".to_owned()));
    }
    operands.sort_by_key(|(rank, _)| *rank);
    flags.into_iter().chain(operands.into_iter().map(|(_, word)| word)).collect::<Vec<_>>().join(" ")
}

/// Whether a tool deletes something whole that no file brings back, by its name: a repository, a database, a cluster.
pub fn destroys(tool: &str) -> bool {
    const VERBS: [&str; 8] = ["delete", "drop", "destroy", "purge", "truncate", "flush", "wipe", "terminate"];
    const THINGS: [&str; 40] = [
        "repository", "repo", "database", "db", "collection", "table", "bucket", "namespace", "cluster",
        "instance", "volume", "stack", "project", "organization", "dataset", "keyspace", "vm", "droplet",
        "schema", "all", "zone", "domain", "site", "app", "application", "service", "deployment", "account",
        "server", "machine", "topic", "queue", "stream", "backup", "snapshot", "function", "environment",
        "tenant", "workspace", "user",
    ];
    if !tool.starts_with("mcp__") {
        return false;
    }
    let name = words_of(tool.rsplit("__").next().unwrap_or_default());
    let words: Vec<&str> = name.split(['_', '-', '.']).collect();
    let has = |known: &[&str]| {
        words
            .iter()
            .any(|word| known.contains(word) || word.strip_suffix('s').is_some_and(|w| known.contains(&w)))
    };
    has(&VERBS) && has(&THINGS)
}

/// A name in lower case with its words apart: `deleteTable` is `delete_table`.
fn words_of(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut small = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && small {
            out.push('_');
        }
        small = c.is_ascii_lowercase();
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The command that a tool stands for which moves or copies one path to another.
pub fn as_transfer(tool: &str, input: &Value) -> Option<String> {
    let name = words_of(tool.rsplit("__").next().unwrap_or_default());
    let program = name.split(['_', '-', '.']).find_map(|word| match word {
        "move" | "rename" | "mv" => Some("mv"),
        "copy" | "cp" | "duplicate" => Some("cp"),
        _ => None,
    })?;
    let path = |keys: &[&str]| {
        keys.iter().find_map(|key| input.get(*key)?.as_str()).filter(|p| p.contains(['/', '.']))
    };
    let from = path(&["source", "src", "from", "old_path", "oldPath", "source_path", "sourcePath", "path"])?;
    let to = path(&[
        "destination", "dest", "dst", "to", "new_path", "newPath", "target", "destinationPath", "dest_path",
    ])?;
    Some(format!("{program} {} {}", quoted(from), quoted(to)))
}

/// Whether a tool hands its values to somebody else, by its name.
pub fn sends(tool: &str) -> bool {
    const WORDS: [&str; 14] = [
        "http", "post", "message", "mail", "gist", "comment", "navigate", "send", "publish", "webhook",
        "slack", "request", "upload", "issue",
    ];
    let lower = tool.to_ascii_lowercase();
    lower.starts_with("mcp__") && WORDS.iter().any(|word| lower.contains(word))
}

/// The texts of an input, but for those under keys where a token belongs.
pub fn texts(input: &Value) -> Vec<&str> {
    const OWN: [&str; 6] = ["authorization", "token", "apikey", "api_key", "x-api-key", "password"];
    let mut found = Vec::new();
    let mut waiting = vec![input];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Object(object) => waiting.extend(
                object
                    .iter()
                    .filter(|(key, _)| !OWN.contains(&key.to_ascii_lowercase().as_str()))
                    .map(|(_, value)| value),
            ),
            Value::Array(items) => waiting.extend(items),
            Value::String(text) => found.push(text.as_str()),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_tool_of_a_known_program_is_its_command() {
        for (tool, input, line) in [
            ("mcp__git__git_push", json!({"force": true, "branch": "main"}), "git push --force origin main"),
            ("mcp__git__git_reset", json!({"repo_path": "/p", "mode": "hard"}), "git reset --hard"),
            ("mcp__git__git", json!({"args": ["push", "--force"]}), "git push --force"),
            ("mcp__kubernetes__kubectl", json!({"command": "delete ns prod"}), "kubectl delete ns prod"),
            (
                "mcp__k8s__kubectl_delete",
                json!({"name": "prod", "resourceType": "namespace"}),
                "kubectl delete namespace prod",
            ),
            ("mcp__redis__call", json!({"command": "FLUSHALL"}), "redis-cli FLUSHALL"),
        ] {
            assert_eq!(as_command(tool, &input).as_deref().map(str::trim), Some(line), "{tool}");
        }
        assert_eq!(as_command("mcp__notes__add", &json!({"command": "x"})), None);
    }

    #[test]
    fn tools_that_destroy_something_whole() {
        for tool in
            ["mcp__github__delete_repository", "mcp__mongodb__drop-collection", "mcp__x__destroy_stack"]
        {
            assert!(destroys(tool), "{tool}");
        }
        for tool in [
            "mcp__fs__delete_file", "mcp__memory__delete_entities", "mcp__github__delete_branch",
            "mcp__db__list_tables", "delete_repository", "mcp__jira__delete_comment",
        ] {
            assert!(!destroys(tool), "{tool}");
        }
    }
}
