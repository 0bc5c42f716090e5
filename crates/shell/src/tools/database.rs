//! Database clients: which statements they are given.

use crate::model::{Arg, EffectKind, Statement};
use crate::walk::{Flow, Stdin, Walk};

use super::split;

/// The effects of a database client; none when `name` is not one.
pub(crate) fn effects(w: &mut Walk<'_>, name: &str, args: &[Arg], stdin: &Stdin) -> Option<Flow> {
    let (short, long, code): (&str, &[&str], &[&str]) = match name {
        "psql" | "pgcli" | "cockroach" => (
            "cdfhpUvLoFRTPe",
            &[
                "--command", "--dbname", "--file", "--host", "--port", "--username", "--variable",
                "--output", "--execute", "--url",
            ],
            &["-c", "--command", "-e", "--execute"],
        ),
        "mysql" | "mariadb" | "mycli" => (
            "ehuPDS",
            &["--execute", "--host", "--user", "--port", "--database", "--socket"],
            &["-e", "--execute"],
        ),
        "sqlite3" | "sqlite" | "duckdb" | "litecli" => ("", &["-cmd", "-init", "-separator"], &[]),
        "sqlcmd" | "bcp" => ("QqSUPdi", &[], &["-Q", "-q"]),
        "clickhouse-client" | "clickhouse" => {
            ("qhudd", &["--query", "--host", "--user", "--password", "--database"], &["-q", "--query"])
        }
        "bq" | "snowsql" | "trino" | "presto" | "hive" | "beeline" | "impala-shell" | "usql" | "cqlsh" => {
            ("qefc", &["--query", "--execute", "--file"], &["-q", "-e", "--query", "--execute", "-c"])
        }
        "mongosh" | "mongo" => ("", &["--eval", "--host", "--port", "--username", "--password"], &["--eval"]),
        "redis-cli" | "valkey-cli" | "keydb-cli" => ("hpansi", &["--user", "--pass", "-u"], &[]),
        "dropdb" | "dropuser" | "mysqladmin" => {
            let verb = args.iter().find(|a| !a.text.starts_with('-')).map(|a| a.text.as_str());
            if name != "mysqladmin" || args.iter().any(|a| a.text == "drop") {
                let text = format!("{name} {}", verb.unwrap_or_default());
                w.effect(EffectKind::Database { statement: Statement::Drop, text });
            }
            return Some(Flow::default());
        }
        _ => return None,
    };
    let s = split(args, short, long);
    let mut texts: Vec<String> = Vec::new();
    for (k, v) in &s.values {
        if code.contains(&k.as_str()) {
            texts.push(v.text.clone());
        } else if matches!(k.as_str(), "-f" | "--file") {
            let flow = w.read_file(&v.clone(), true);
            texts.extend(flow.text);
        }
    }
    match name {
        "redis-cli" | "valkey-cli" | "keydb-cli" => {
            redis(w, &s.operands.iter().map(|a| a.text.clone()).collect::<Vec<_>>());
            if let Some(t) = stdin.as_ref().and_then(|f| f.text.clone()) {
                for line in t.lines() {
                    redis(w, &line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
                }
            }
            return Some(Flow::default());
        }
        "mongosh" | "mongo" => {
            texts.extend(stdin.as_ref().and_then(|f| f.text.clone()));
            for t in texts {
                mongo(w, &t);
            }
            return Some(Flow::default());
        }
        // The statements follow the file's name.
        "sqlite3" | "sqlite" | "duckdb" => {
            texts.extend(s.operands.iter().skip(1).map(|a| a.text.clone()));
            texts.extend(s.values.iter().filter(|(k, _)| k == "-cmd").map(|(_, v)| v.text.clone()));
        }
        "bq" | "trino" => texts.extend(s.operands.iter().map(|a| a.text.clone())),
        _ => {}
    }
    if let Some(t) = stdin.as_ref().and_then(|f| f.text.clone()) {
        texts.push(t);
    }
    for t in texts {
        sql(w, &t);
    }
    Some(Flow::default())
}

fn redis(w: &mut Walk<'_>, words: &[String]) {
    if let Some(first) = words.first()
        && (first.eq_ignore_ascii_case("flushall") || first.eq_ignore_ascii_case("flushdb"))
    {
        w.effect(EffectKind::Database { statement: Statement::Flush, text: words.join(" ") });
    }
}

fn mongo(w: &mut Walk<'_>, text: &str) {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let hit = ["dropDatabase(", ".drop()", "deleteMany({})", ".remove({})", "dropCollection("];
    if hit.iter().any(|h| compact.contains(h)) {
        w.effect(EffectKind::Database { statement: Statement::DropCollection, text: cut(text) });
    }
}

fn cut(text: &str) -> String {
    text.trim().chars().take(120).collect()
}

/// SQL text → what its statements lose.
pub(crate) fn sql(w: &mut Walk<'_>, text: &str) {
    for statement in statements(text) {
        let words: Vec<String> = statement
            .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','))
            .filter(|x| !x.is_empty())
            .take(400)
            .map(str::to_ascii_uppercase)
            .collect();
        let at = |i: usize| words.get(i).map_or("", String::as_str);
        let has = |x: &str| words.iter().any(|y| y == x);
        // A common table expression or an explain comes before the verb.
        let verb = words
            .iter()
            .position(|x| matches!(x.as_str(), "DELETE" | "UPDATE"))
            .filter(|_| matches!(at(0), "WITH"));
        let v = verb.unwrap_or(0);
        let kind = match at(v) {
            "DROP"
                if matches!(
                    at(v + 1),
                    "TABLE"
                        | "DATABASE"
                        | "SCHEMA"
                        | "KEYSPACE"
                        | "TABLESPACE"
                        | "ROLE"
                        | "USER"
                        | "MATERIALIZED"
                        | "VIEW"
                        | "COLUMN"
                        | "OWNED"
                        | "COLLECTION"
                        | "TYPE"
                        | "SEQUENCE"
                        | "INDEX"
                        | "FUNCTION"
                ) =>
            {
                let light =
                    matches!(at(v + 1), "VIEW" | "INDEX" | "FUNCTION" | "MATERIALIZED" | "TYPE" | "SEQUENCE");
                (!light || has("CASCADE")).then_some(Statement::Drop)
            }
            "TRUNCATE" => Some(Statement::Truncate),
            "DELETE" if !has("WHERE") => Some(Statement::DeleteAll),
            "UPDATE" if has("SET") && !has("WHERE") => Some(Statement::UpdateAll),
            "ALTER" if at(1) == "TABLE" && has("DROP") && (has("COLUMN") || has("PARTITION")) => {
                Some(Statement::AlterDrop)
            }
            "\\!" => Some(Statement::Shell),
            _ => None,
        };
        if at(0) == "\\!"
            || statement.trim_start().starts_with("\\!")
            || statement.trim_start().starts_with(".shell")
            || statement.trim_start().starts_with(".system")
        {
            let code = statement
                .trim_start()
                .trim_start_matches("\\!")
                .trim_start_matches(".shell")
                .trim_start_matches(".system")
                .to_owned();
            w.run_shell(&code, "sql shell", &None);
            continue;
        }
        if let Some(statement_kind) = kind {
            w.effect(EffectKind::Database { statement: statement_kind, text: cut(&statement) });
        }
    }
}

/// Split at `;` outside of quotes, without comments.
fn statements(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut current = String::new();
    let mut chars = text.chars().peekable();
    let mut quote: Option<char> = None;
    while let Some(c) = chars.next() {
        if let Some(q) = quote {
            if c == q {
                quote = None;
            }
            current.push('x');
            continue;
        }
        match c {
            '\'' | '"' | '`' => {
                quote = Some(c);
                current.push('x');
            }
            '-' if chars.peek() == Some(&'-') => {
                for n in chars.by_ref() {
                    if n == '\n' {
                        break;
                    }
                }
                current.push(' ');
            }
            '/' if chars.peek() == Some(&'*') => {
                let mut last = ' ';
                for n in chars.by_ref() {
                    if last == '*' && n == '/' {
                        break;
                    }
                    last = n;
                }
                current.push(' ');
            }
            ';' => out.push(std::mem::take(&mut current)),
            _ => current.push(c),
        }
    }
    out.push(current);
    out.retain(|s| !s.trim().is_empty());
    out
}
