//! Database clients: which statements they are given.

use crate::model::{Arg, Cmd, EffectKind, HOLE, Statement};
use crate::paths::PathZone;
use crate::walk::{Flow, Stdin, Walk};

use super::connection::Connection;
use super::split;

/// How a client takes statements.
struct ClientOptions {
    /// Letters that take a value.
    short: &'static str,
    /// Long options that take a value.
    long: &'static [&'static str],
    /// Those whose value is a statement.
    code: &'static [&'static str],
}

/// The options of a database client; none when `name` is not one.
fn client_options(name: &str) -> Option<ClientOptions> {
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
        "influx" => {
            ("", &["-execute", "--execute", "-database", "-host", "-port"], &["-execute", "--execute"])
        }
        "mongosh" | "mongo" => ("", &["--eval", "--host", "--port", "--username", "--password"], &["--eval"]),
        "redis-cli" | "valkey-cli" | "keydb-cli" => ("hpansi", &["--user", "--pass", "-u"], &[]),
        _ => return None,
    };
    Some(ClientOptions { short, long, code })
}

/// The effects of a database client; none when `name` is not one.
pub(crate) fn effects(w: &mut Walk<'_>, name: &str, args: &[Arg], stdin: &Stdin) -> Option<Flow> {
    let Some(options) = client_options(name) else { return other_client(w, name, args) };
    let s = split(args, options.short, options.long);
    let connection = connection(w, name, &s);
    let mut texts: Vec<String> = Vec::new();
    let mut passing = false;
    for (k, v) in &s.values {
        if options.code.contains(&k.as_str()) {
            texts.push(v.text.clone());
        } else if matches!(k.as_str(), "-f" | "--file") {
            let flow = w.read_file(&v.clone(), true);
            texts.extend(flow.text);
        }
    }
    match name {
        "redis-cli" | "valkey-cli" | "keydb-cli" => {
            redis(w, &s.operands.iter().map(|a| a.text.clone()).collect::<Vec<_>>(), &connection);
            if let Some(t) = stdin.as_ref().and_then(|f| f.text.clone()) {
                for line in t.lines() {
                    redis(w, &line.split_whitespace().map(str::to_owned).collect::<Vec<_>>(), &connection);
                }
            }
            return Some(Flow::default());
        }
        "mongosh" | "mongo" => {
            texts.extend(stdin.as_ref().and_then(|f| f.text.clone()));
            for t in texts {
                mongo(w, &t, &connection);
            }
            return Some(Flow::default());
        }
        // The statements follow the file's name.
        "sqlite3" | "sqlite" | "duckdb" => {
            // A database in memory, or of a temporary folder, is nobody's.
            let file = s.operands.first().map_or("", |a| a.text.as_str());
            passing = file == ":memory:"
                || file.is_empty()
                || file.starts_with("file::memory:")
                || file.starts_with("/tmp/");
            // The cookies of a browser, a wallet: a database that is a secret.
            if let Some(file) = s.operands.first().map(|a| (*a).clone())
                && w.path(&file).sensitive().is_some()
            {
                w.read_file(&file, true);
            }
            texts.extend(s.operands.iter().skip(1).map(|a| a.text.clone()));
            texts.extend(s.values.iter().filter(|(k, _)| k == "-cmd").map(|(_, v)| v.text.clone()));
        }
        "bq" | "trino" => texts.extend(s.operands.iter().map(|a| a.text.clone())),
        _ => {}
    }
    if let Some(t) = stdin.as_ref().and_then(|f| f.text.clone()) {
        texts.push(t);
    }
    let before = w.out.effects.len();
    let mut temporary = Vec::new();
    for t in texts {
        if passing {
            // Its own commands (`.shell`) reach further than the database.
            let commands: Vec<&str> = t.lines().filter(|l| l.trim_start().starts_with('.')).collect();
            sql(w, &commands.join("\n"), &connection);
        } else {
            sql_of_session(w, &t, &connection, &mut temporary);
        }
    }
    let embedded = matches!(name, "sqlite3" | "sqlite" | "duckdb");
    if let Some(file) = s.operands.first().filter(|_| embedded).map(|file| (*file).clone())
        && (file.text == ":memory:" || w.path(&file).place == PathZone::Temp)
    {
        // A temporary database; what a shell is told to do in between is not about it.
        let about_rows = |kind: &EffectKind| matches!(kind, EffectKind::Database { statement, .. } if *statement != Statement::Shell);
        let mut at = 0;
        w.out.effects.retain(|effect| {
            at += 1;
            at <= before || !about_rows(&effect.kind)
        });
    }
    Some(Flow::default())
}

/// Programs that are given a whole database, or a statement among other things.
fn other_client(w: &mut Walk<'_>, name: &str, args: &[Arg]) -> Option<Flow> {
    match name {
        // `fly postgres connect -c …`, `heroku pg:psql -c …`
        "fly" | "flyctl" | "heroku" => {
            let opens = args.iter().any(|a| matches!(a.text.as_str(), "connect" | "pg:psql"));
            let s = split(args, "ca", &["--command", "--app"]);
            for code in s.values.iter().filter(|(key, _)| opens && matches!(key.as_str(), "-c" | "--command"))
            {
                sql(w, &code.1.text, &Connection::elsewhere());
            }
            None
        }
        "createdb" | "dropdb" | "dropuser" | "mysqladmin" => {
            whole(w, name, args);
            Some(Flow::default())
        }
        _ => {
            given_statements(w, name, args);
            None
        }
    }
}

/// Statements that a client of another name is given in an option: `wrangler d1 execute --remote --command 'DROP …'`.
fn given_statements(w: &mut Walk<'_>, name: &str, args: &[Arg]) {
    const OPTIONS: [&str; 10] = [
        "--command", "--sql", "--query", "--execute", "--statement", "--sql-query", "--cql",
        "--query-string", "-q", "-e",
    ];
    const LOSE: [&str; 5] = ["drop ", "truncate ", "delete from ", "alter table ", "update "];
    if args.len() < 2 || matches!(name, "gh" | "glab" | "git" | "echo" | "printf" | "grep" | "rg" | "docker")
    {
        return;
    }
    // What runs here, in a try or in a test, is the developer's own.
    let here = args.iter().any(|a| matches!(a.text.as_str(), "--local" | "--preview" | "--dry-run"));
    for (i, arg) in args.iter().enumerate().filter(|_| !here) {
        let value = match arg.text.split_once('=') {
            Some((option, value)) if OPTIONS.contains(&option) => Some(value),
            None if OPTIONS.contains(&arg.text.as_str()) => args.get(i + 1).map(|next| next.text.as_str()),
            _ => None,
        };
        let loses = |text: &&str| {
            let start: String = text.trim_start().chars().take(12).collect::<String>().to_ascii_lowercase();
            LOSE.iter().any(|word| start.starts_with(word))
        };
        if let Some(text) = value.filter(loses).map(str::to_owned) {
            sql(w, &text, &Connection::elsewhere());
        }
    }
}

/// The connection of a client, with the variables that the line sets for it.
fn connection(w: &Walk<'_>, name: &str, s: &super::Split<'_>) -> Connection {
    if is_elsewhere(w) {
        return Connection::elsewhere();
    }
    Connection::of(name, s, |variable| {
        let own = w.out.commands.last().and_then(|cmd| cmd.env.iter().rev().find(|(key, _)| key == variable));
        let set = || w.st.var(variable).and_then(|var| var.values.first()).map(|value| value.text.clone());
        own.map(|(_, value)| value.clone()).or_else(set)
    })
}

/// Over ssh, or in a pod, this machine is another one.
fn is_elsewhere(w: &Walk<'_>) -> bool {
    let reached = w.out.commands.last().map(|cmd| cmd.reached.as_slice()).unwrap_or_default();
    let enters_pod = |cmd: &Cmd| {
        matches!(cmd.name.as_str(), "kubectl" | "oc" | "k") && cmd.args.iter().any(|arg| arg.text == "exec")
    };
    reached.iter().any(|via| matches!(*via, "ssh" | "ssh input" | "fleet"))
        || reached.contains(&"container") && w.out.commands.iter().any(enters_pod)
}

/// `createdb shop`, `dropdb shop`, `mysqladmin drop shop`.
fn whole(w: &mut Walk<'_>, name: &str, args: &[Arg]) {
    let long = [
        "--host", "--port", "--username", "--user", "--maintenance-db", "--owner", "--template",
        "--encoding", "--tablespace", "--locale",
    ];
    let s = split(args, if name == "createdb" { "hpUOTEDl" } else { "hpUuPS" }, &long);
    let connection = connection(w, name, &s);
    let at = usize::from(name == "mysqladmin");
    let what = s.operands.get(at).map(|a| a.text.clone()).unwrap_or_default();
    let known = !what.is_empty() && !what.contains(HOLE);
    let verb = s.operands.first().map_or("", |a| a.text.as_str());
    if name == "createdb" || name == "mysqladmin" && verb == "create" {
        if known {
            w.effect(EffectKind::Make(connection.database_key(&what)));
        }
        return;
    }
    let passing = name != "dropuser" && known && connection.has_for_development(&what);
    if !passing && (name != "mysqladmin" || verb == "drop") {
        let takes =
            if known && name != "dropuser" { vec![connection.database_key(&what)] } else { Vec::new() };
        let text = format!("{name} {what}");
        w.effect(EffectKind::Database { statement: Statement::Drop, text, takes, within: None });
    }
}

/// A statement about rows and tables of the database that the client is connected to.
fn stays_inside(words: &[String]) -> bool {
    let is = |at: usize, among: &[&str]| words.get(at).is_some_and(|word| among.contains(&word.as_str()));
    !(is(0, &["DROP"]) && is(1, &["DATABASE", "ROLE", "USER", "TABLESPACE", "OWNED", "KEYSPACE"]))
}

fn redis(w: &mut Walk<'_>, words: &[String], connection: &Connection) {
    let upper: Vec<String> = words.iter().take(8).map(|word| word.to_ascii_uppercase()).collect();
    let word = |at: usize| upper.get(at).map_or("", String::as_str);
    let here = connection.is_for_development();
    let hit = match word(0) {
        "FLUSHALL" | "FLUSHDB" => !here,
        "EVAL" | "EVAL_RO" => {
            let code: String = word(1).chars().filter(|c| !c.is_whitespace()).collect();
            code.contains("FLUSHALL")
                || code.contains("FLUSHDB")
                || (code.contains("'KEYS'") || code.contains("\"KEYS\"") || code.contains("'SCAN'"))
                    && (code.contains("'DEL'") || code.contains("\"DEL\"") || code.contains("'UNLINK'"))
        }
        // Where the server writes its data is where an attacker writes a key.
        "CONFIG" => word(1) == "SET" && matches!(word(2), "DIR" | "DBFILENAME"),
        "SHUTDOWN" => word(1) == "NOSAVE" || word(1) == "NOW",
        "DEBUG" => matches!(word(1), "SEGFAULT" | "CRASH-AND-RECOVER" | "FLUSHALL"),
        // The names come from another command: every key that it lists.
        "DEL" | "UNLINK" => {
            let through = w.out.commands.last().is_some_and(|cmd| cmd.reached.contains(&"xargs"));
            through && !here && words.iter().skip(1).all(|key| key.contains(crate::model::HOLE))
        }
        _ => false,
    };
    if hit {
        let text = cut(&words.join(" "));
        let within = connection.within();
        w.effect(EffectKind::Database { statement: Statement::Flush, text, takes: Vec::new(), within });
    }
}

fn mongo(w: &mut Walk<'_>, text: &str, connection: &Connection) {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let hit = ["dropDatabase(", ".drop()", "deleteMany({})", ".remove({})", "dropCollection("];
    // Another database or server may be opened in between.
    let stays = !["getSiblingDB(", "connect(", "Mongo("].iter().any(|word| compact.contains(word));
    if hit.iter().any(|h| compact.contains(h)) && !(stays && connection.is_for_development()) {
        let within = connection.within().filter(|_| stays);
        let (statement, text) = (Statement::DropCollection, cut(text));
        w.effect(EffectKind::Database { statement, text, takes: Vec::new(), within });
    }
}

fn cut(text: &str) -> String {
    text.trim().chars().take(120).collect()
}

/// SQL text → what its statements lose.
fn sql(w: &mut Walk<'_>, text: &str, connection: &Connection) {
    sql_of_session(w, text, connection, &mut Vec::new());
}

/// The kind of object that a statement is about, and the names: `DROP TABLE IF EXISTS a, b CASCADE`, `TRUNCATE a`.
fn objects(words: &[String]) -> Option<(&'static str, Vec<&str>)> {
    let mut rest = words.iter().map(String::as_str).peekable();
    let kind = match (rest.next()?, rest.peek().copied()?) {
        ("DROP" | "CREATE", "DATABASE") => "database",
        ("DROP" | "CREATE", "SCHEMA") => "schema",
        ("DROP" | "CREATE" | "TRUNCATE", "TABLE") => "table",
        ("CREATE", "UNLOGGED") if words.get(2).is_some_and(|word| word == "TABLE") => "table",
        ("TRUNCATE", _) => "table",
        ("DELETE", "FROM") => "table",
        _ => return None,
    };
    let filler = |word: &&str| {
        matches!(*word, "DATABASE" | "SCHEMA" | "TABLE" | "UNLOGGED" | "FROM" | "IF" | "EXISTS" | "ONLY")
    };
    let end = |word: &&str| {
        !matches!(
            *word,
            "CASCADE" | "RESTRICT" | "RESTART" | "CONTINUE" | "WITH" | "AS" | "LIKE" | "TEMPLATE" | "OWNER"
        )
    };
    let names: Vec<&str> = rest.skip_while(filler).take_while(end).collect();
    Some((kind, names))
}

/// The names of what a statement takes away or makes, in the record of a session. A name in quotes is not read.
fn keys(words: &[String], connection: &Connection) -> Vec<String> {
    let Some((kind, names)) = objects(words) else { return Vec::new() };
    if names.iter().any(|name| name.bytes().all(|b| b == b'X') || name.contains(HOLE)) {
        return Vec::new();
    }
    let key = |name: &&str| match kind {
        "database" => connection.database_key(name),
        _ => connection.object_key(kind, name),
    };
    names.iter().map(key).collect()
}

/// The tables that a statement drops.
fn dropped(words: &[String]) -> impl Iterator<Item = &String> {
    let is_drop = matches!(words, [verb, what, ..] if verb == "DROP" && what == "TABLE");
    let names = words.iter().skip(2).filter(move |_| is_drop);
    names.filter(|word| !matches!(word.as_str(), "IF" | "EXISTS" | "CASCADE" | "RESTRICT"))
}

/// The tables that `pgbench -i` makes.
const BENCHMARK: [&str; 4] = ["PGBENCH_ACCOUNTS", "PGBENCH_BRANCHES", "PGBENCH_HISTORY", "PGBENCH_TELLERS"];

/// The name of a table that a statement makes and that calls itself a passing one: `CREATE UNLOGGED TABLE scratch_ids`.
fn scratch_table(words: &[String]) -> Option<&String> {
    let mut words = words.iter().filter(|word| *word != "UNLOGGED");
    let made = words.next()? == "CREATE" && words.next()? == "TABLE";
    let passing = |name: &&String| {
        name.split('_').any(|part| matches!(part, "SCRATCH" | "TMP" | "TEMP")) && !name.contains(['.', '$'])
    };
    words.next().filter(|_| made).filter(passing)
}

/// The name of the temporary table that a statement makes: `CREATE OR REPLACE LOCAL TEMPORARY TABLE IF NOT EXISTS t`.
fn temporary_table(words: &[String]) -> Option<&String> {
    let filler = |word: &&String| matches!(word.as_str(), "OR" | "REPLACE" | "LOCAL" | "GLOBAL");
    let mut words = words.iter().filter(|word| !filler(word)).map(|word| (word, word.as_str()));
    let made = words.next()?.1 == "CREATE"
        && matches!(words.next()?.1, "TEMP" | "TEMPORARY")
        && words.next()?.1 == "TABLE";
    words.find(|(_, word)| !matches!(*word, "IF" | "NOT" | "EXISTS")).filter(|_| made).map(|(word, _)| word)
}

/// Stands among the passing tables for a connection that went to another database.
const MOVED: &str = "\\connect";

/// The same, where tables that earlier texts of the connection made for a moment are known.
fn sql_of_session(w: &mut Walk<'_>, text: &str, connection: &Connection, temporary: &mut Vec<String>) {
    // `\c shop` and `use shop` go to another database.
    let moves = |word: &str| matches!(word, "\\C" | "\\CONNECT" | "USE");
    let mut stays = !temporary.iter().any(|name| name == MOVED);
    for statement in statements(text) {
        let words: Vec<String> = statement
            .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','))
            .filter(|x| !x.is_empty())
            .take(400)
            .map(str::to_ascii_uppercase)
            .collect();
        let at = |i: usize| words.get(i).map_or("", String::as_str);
        if moves(at(0)) {
            stays = false;
            temporary.push(MOVED.to_owned());
        }
        let has = |x: &str| words.iter().any(|y| y == x);
        temporary.extend(temporary_table(&words).or_else(|| scratch_table(&words)).cloned());
        // A name in quotes is not read, stands here as a row of `X`, and is none of them.
        let passing = |name: &String| {
            temporary.contains(name) && name.chars().any(|c| c != 'X') || BENCHMARK.contains(&name.as_str())
        };
        if dropped(&words).next().is_some() && dropped(&words).all(passing) {
            continue;
        }
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
        if at(0) == "CREATE" && !has("IF") && !has("OR") {
            // The first name; what follows are its columns.
            if let Some(key) = keys(&words, connection).into_iter().next() {
                w.effect(EffectKind::Make(key));
            }
        }
        let Some(statement_kind) = kind else { continue };
        let whole = matches!(objects(&words), Some(("database", _)));
        let development = match objects(&words) {
            // A name in quotes is not read.
            Some(("database", names)) => names
                .iter()
                .all(|name| name.bytes().any(|b| b != b'X') && connection.has_for_development(name)),
            _ => stays && stays_inside(&words) && connection.is_for_development(),
        };
        if !development || statement_kind == Statement::Shell {
            w.effect(EffectKind::Database {
                statement: statement_kind,
                text: cut(&statement),
                takes: if stays || whole { keys(&words, connection) } else { Vec::new() },
                within: connection.within().filter(|_| stays && stays_inside(&words)),
            });
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
