//! Calls in an inline program that delete, run, read, write or fetch.

use crate::model::{Arg, CodeFrom, EffectKind, HOLE, WriteHow};
use crate::text::items;
use crate::walk::{Flow, Walk};

use super::Lang;
use super::lex::Tok;
use super::names::{Runs, deletes, resolved, runs};
use super::values::{
    Value, arguments, inner_literal, is_decoder, is_fetcher, last, split_args, statement_end, value,
};

const READ_CALLS: &[&str] = &[
    "open", "io.open", "codecs.open", ".read_text", ".read_bytes", ".open", "readFileSync", "readFile",
    "createReadStream", "File.read", "File.open", "IO.read", "IO.readlines", "File.readlines",
    "file_get_contents", "fopen", "file", "readfile", "slurp", "np.loadtxt", "pd.read_csv", "json.load",
    "yaml.safe_load", "Deno.readTextFile", "Deno.readTextFileSync", "Deno.readFile", "Bun.file", "require",
    "io.lines", "dofile", "copyFileSync", "shutil.copy", "shutil.copyfile", "shutil.copy2", "read_file",
    "linecache.getlines", "fileinput.input", "readLines", "show_source", "highlight_file", "getline",
    "os.open", "File.foreach", "File.new", "Path.read_text", ".read",
];

pub(super) fn walk(w: &mut Walk<'_>, tokens: &[Tok], lang: Lang) {
    let mut vars: Vec<(String, Value)> = Vec::new();
    let mut recent: Option<String> = None;
    let own;
    let tokens = match resolved(tokens, lang) {
        Some(renamed) => {
            own = renamed;
            own.as_slice()
        }
        None => tokens,
    };
    network_shell(w, tokens);
    sensitive_reads(w, tokens);
    if lang == Lang::Js {
        evaluates_fetched(w, tokens);
    }
    for (i, token) in tokens.iter().enumerate() {
        match token {
            Tok::Shell(code) => {
                w.run_shell(code, "backticks", &None);
            }
            Tok::Str(s) => {
                recent = Some(s.clone());
                if lang == Lang::Awk {
                    awk_pipe(w, tokens, i, s);
                }
            }
            Tok::Name(name) => {
                let next = tokens.get(i + 1);
                if lang == Lang::Awk
                    && let Some((_, value)) = vars.iter().rev().find(|(n, _)| n == name)
                    && let Some(text) = value.text.clone()
                {
                    awk_pipe(w, tokens, i, &text);
                }
                // A variable that stands for a function.
                let alias = vars.iter().rev().find(|(n, _)| n == name).and_then(|(_, v)| v.function(lang));
                let name = alias.as_ref().unwrap_or(name);
                if next == Some(&Tok::Punct('=')) && tokens.get(i + 2) != Some(&Tok::Punct('=')) {
                    let end = statement_end(tokens, i + 2);
                    let assigned = items(tokens, i + 2..end);
                    let mut v = value(assigned, &vars);
                    if let [Tok::Punct('('), inner @ .., Tok::Punct(')')] = assigned
                        && lang == Lang::Perl
                        && name.starts_with('@')
                    {
                        let words = split_args(inner);
                        let list = words.iter().map(|a| value(a, &vars).text.unwrap_or_default());
                        v.list = Some(list.collect());
                    }
                    if let [Tok::Name(function)] = assigned {
                        v.name = Some(function.clone());
                    }
                    vars.push((name.clone(), v));
                    continue;
                }
                if lang == Lang::Js
                    && next == Some(&Tok::Punct(':'))
                    && let Some(Tok::Name(local)) = tokens.get(i + 2)
                    && runs(name, lang, tokens).is_some()
                {
                    // `const { execSync: e } = require(…)`
                    let v = Value { name: Some(name.clone()), ..Value::default() };
                    vars.push((local.clone(), v));
                    continue;
                }
                if name == "getattr" && lang == Lang::Python {
                    got_attribute(w, tokens, i, &vars);
                    continue;
                }
                let args = if next == Some(&Tok::Punct('(')) {
                    arguments(tokens, i + 2)
                } else if matches!(lang, Lang::Perl | Lang::Ruby | Lang::Php)
                    && matches!(next, Some(Tok::Str(_) | Tok::Shell(_)))
                    || (lang == Lang::Perl
                        && matches!(next, Some(Tok::Name(n)) if n.starts_with(['$', '@']) || is_decoder(n)))
                    || (matches!(lang, Lang::Perl | Lang::Ruby)
                        && matches!(next, Some(Tok::Name(_)))
                        && (deletes(name, lang).is_some() || runs(name, lang, tokens).is_some()))
                {
                    let end = statement_end(tokens, i + 1);
                    split_args(items(tokens, i + 1..end))
                } else if lang == Lang::Perl && matches!(name.as_str(), "unlink" | "rmdir") {
                    // Without words it deletes what the line at hand names.
                    delete_input(w, name);
                    continue;
                } else {
                    continue;
                };
                if lang == Lang::Perl
                    && name == "eval"
                    && args.iter().any(|a| matches!(a, [Tok::Name(n)] if n == "$_"))
                {
                    let code = w.records.clone().unwrap_or_default();
                    w.within_via("eval", |w| super::walk(w, &code, lang));
                    continue;
                }
                if lang == Lang::Perl
                    && deletes(name, lang).is_some()
                    && args.iter().any(|a| matches!(a, [Tok::Name(n)] if n == "$_"))
                {
                    delete_input(w, name);
                    continue;
                }
                let shadowed =
                    vars.iter().any(|(n, _)| name.split('.').next() == Some(n) && name.contains('.'));
                if shadowed && lang == Lang::Python {
                    continue;
                }
                call(w, name, &args, &vars, recent.as_deref(), tokens, lang);
            }
            _ => {}
        }
    }
}

fn call(
    w: &mut Walk<'_>,
    name: &str,
    args: &[&[Tok]],
    vars: &[(String, Value)],
    recent: Option<&str>,
    tokens: &[Tok],
    lang: Lang,
) {
    let first = args.first().map(|a| value(a, vars)).unwrap_or_default();
    if let Some(tree) = deletes(name, lang) {
        let whole = args.iter().flat_map(|a| a.iter());
        let recursive = tree
            || name == "vim.fn.delete" && args.get(1).is_some_and(|a| value(a, vars).text.is_some())
            || whole.clone().any(|t| matches!(t, Tok::Name(n) if n.trim_end_matches(':') == "recursive"));
        let paths = deleted_paths(name, args, vars, recent, tokens, lang);
        w.record(name, &paths.iter().map(Arg::new).collect::<Vec<_>>(), false);
        for p in paths {
            let glob = crate::paths::has_glob(&p);
            let path = w.path(&Arg { text: p, glob, ..Arg::default() });
            w.effect(EffectKind::Delete { path, recursive, force: true, regenerable: false });
        }
        return;
    }
    // `array_map("unlink", glob("*"))`
    if lang == Lang::Php
        && matches!(name, "array_map" | "array_walk")
        && first.text.as_deref().is_some_and(|text| matches!(text, "unlink" | "rmdir"))
        && let Some(pattern) = args.get(1).and_then(|a| inner_literal(a))
    {
        w.record(name, &[Arg::new(pattern.clone())], false);
        let path = w.path(&Arg { glob: crate::paths::has_glob(&pattern), ..Arg::new(pattern) });
        w.effect(EffectKind::Delete { path, recursive: false, force: true, regenerable: false });
        return;
    }
    if lang == Lang::Perl && name == "open" {
        return open_pipe(w, args, vars);
    }
    if let Some(kind) = runs(name, lang, tokens) {
        let shell_true = args.iter().any(|a| {
            a.windows(3).any(|t| {
                matches!(t, [Tok::Name(n), Tok::Punct('=' | ':'), Tok::Name(v)] if n == "shell" && v.eq_ignore_ascii_case("true"))
            })
        });
        let runs_text = kind != Runs::Words || shell_true || lang != Lang::Python;
        let fetched = kind == Runs::Code && args.first().is_some_and(|a| names_address(a));
        let from = if fetched { Some(CodeFrom::Network) } else { first.taint.code_from() };
        if let Some(from) = from.filter(|_| runs_text) {
            w.record(name, &[], false);
            w.effect(EffectKind::Code { from, by: name.to_owned() });
        }
        match kind {
            Runs::Shell if first.list.is_some() => run_words(w, name, args, vars, &first),
            Runs::Shell => {
                if let Some(text) = first.text.or_else(|| args.first().and_then(|a| inner_literal(a))) {
                    w.run_shell(&text, "inline call", &None);
                }
            }
            Runs::Words => run_words(w, name, args, vars, &first),
            Runs::Code => {
                if let Some(text) = first.text {
                    w.within_via("eval", |w| super::walk(w, &text, lang));
                }
            }
        }
        return;
    }
    if is_fetcher(name)
        && let Some(from) = first.text.clone().filter(|url| url.contains("://") && !url.starts_with(HOLE))
    {
        w.effect(EffectKind::Fetch { from });
    }
    if [
        "print", "puts", "console.log", "console.error", "sys.stdout.write", "process.stdout.write",
        "var_dump",
    ]
    .contains(&name)
        && let Some(what) = args.iter().find_map(|arg| printed_token(arg, vars))
    {
        w.effect(EffectKind::Secret { what, shown: true });
    }
    if matches!(name, "os.rename" | "shutil.move" | "os.replace")
        || matches!(last(name), "renameSync" | "rename")
    {
        let second = args.get(1).map(|a| value(a, vars)).unwrap_or_default();
        if let (Some(a), Some(b)) = (first.text, second.text) {
            w.record(name, &[], false);
            let (from, to) = (w.path(&Arg::new(a)), w.path(&Arg::new(b)));
            w.effect(EffectKind::Move { from, to: to.clone() });
            w.effect(EffectKind::Write(to, WriteHow::Overwrite));
        }
        return;
    }
    writes(w, name, args, vars, &first, recent);
}

/// `eval(file_get_contents("https://…"))`: an address among what is run.
fn names_address(arg: &[Tok]) -> bool {
    let address = |t: &Tok| matches!(t, Tok::Str(s) if (s.starts_with("http://") || s.starts_with("https://")) && !crate::paths::is_local(s));
    arg.len() > 1 && arg.iter().any(address)
}

/// `fetch("https://…").then(eval)`: a function that runs code is given to what is fetched.
fn evaluates_fetched(w: &mut Walk<'_>, tokens: &[Tok]) {
    let given = tokens.windows(3).any(|t| {
        matches!(t, [Tok::Punct('(' | '>'), Tok::Name(name), Tok::Punct(')' | '(')] if matches!(name.as_str(), "eval" | "Function"))
    });
    let chained = tokens.iter().any(|t| matches!(t, Tok::Name(name) if last(name) == "then"));
    let fetches = tokens.windows(3).any(|t| {
        matches!(t, [Tok::Name(name), Tok::Punct('('), Tok::Str(url)] if is_fetcher(name) && url.contains("://") && !crate::paths::is_local(url))
    });
    if given && chained && fetches {
        w.record("eval", &[], false);
        w.effect(EffectKind::Code { from: CodeFrom::Network, by: "eval".to_owned() });
    }
}

/// What a call deletes: the values of its arguments, or for a method without any, what it is a method of.
fn deleted_paths(
    name: &str,
    args: &[&[Tok]],
    vars: &[(String, Value)],
    recent: Option<&str>,
    tokens: &[Tok],
    lang: Lang,
) -> Vec<String> {
    let no_args = args.iter().all(|a| a.is_empty());
    if name.starts_with('.') && no_args {
        return recent.map(str::to_owned).into_iter().collect();
    }
    if lang == Lang::Python && no_args && !matches!(name, "os.unlink" | "os.rmdir") {
        // A method of a variable.
        let owner = name.rsplit_once('.').map_or(name, |(owner, _)| owner);
        let own = vars.iter().rev().find(|(n, _)| n == owner).and_then(|(_, v)| v.text.clone());
        return own.or_else(|| swept(tokens)).into_iter().collect();
    }
    let many = matches!(lang, Lang::Perl | Lang::Ruby);
    let mut paths = Vec::new();
    for a in args.iter().take(if many { 8 } else { 1 }) {
        // `unlink glob "*"`
        if let [Tok::Name(function), Tok::Str(pattern)] = a
            && function == "glob"
        {
            paths.push(pattern.clone());
            continue;
        }
        if let [Tok::Name(function), Tok::Punct('('), Tok::Str(patterns), Tok::Punct(')')] = a
            && function == "glob"
        {
            paths.extend(patterns.split_whitespace().map(str::to_owned));
            continue;
        }
        let v = value(a, vars);
        if let Some(list) = v.list {
            paths.extend(list);
            continue;
        }
        let named = v.text.filter(|t| t.chars().any(|c| c != HOLE));
        let found = named.or_else(|| inner_literal(a)).or_else(|| swept(tokens));
        paths.push(found.unwrap_or_else(|| HOLE.to_string()));
    }
    paths
}

/// Perl's `open` of a pipe: `open F, "cmd |"`, `open(F, "-|", "cmd")`.
fn open_pipe(w: &mut Walk<'_>, args: &[&[Tok]], vars: &[(String, Value)]) {
    let mode = args.get(1).and_then(|mode| value(mode, vars).text);
    let three = mode.is_some_and(|mode| mode.contains('|') && mode.len() <= 2);
    for a in args.iter().skip(1) {
        let text = value(a, vars).text.unwrap_or_default();
        let code = text.strip_prefix('|').or_else(|| text.strip_suffix('|'));
        let code = code.filter(|code| !matches!(*code, "" | "-"));
        if let Some(code) = code.or_else(|| (three && !text.contains('|')).then_some(text.as_str())) {
            w.run_shell(code, "open", &None);
        }
    }
}

/// The token of the environment that an argument of a print is. Whether there is one is none: `X ? 'set' : 'unset'`.
fn printed_token(arg: &[Tok], vars: &[(String, Value)]) -> Option<String> {
    let access = |t: &Tok| matches!(t, Tok::Name(n) if n.contains("environ") || n.contains("getenv") || n.contains("process.env") || n == "ENV");
    let places = arg.iter().enumerate().filter(|(_, t)| access(t)).map(|(at, _)| at);
    places.filter(|at| !is_only_tested(arg, *at)).find_map(|at| token_at(arg, at, vars))
}

/// True when of the value at this place only whether it is there is printed: `!X`, `bool(X)`, `X ? a : b`, `X is None`,
/// `"NAME" in X`.
pub(super) fn is_only_tested(arg: &[Tok], at: usize) -> bool {
    let token = |at: Option<usize>| at.and_then(|at| arg.get(at));
    let before = token(at.checked_sub(1));
    let converted = matches!(token(at.checked_sub(2)), Some(Tok::Name(n)) if matches!(n.as_str(), "bool" | "Boolean" | "len"));
    if before == Some(&Tok::Punct('!')) || before == Some(&Tok::Punct('(')) && converted {
        return true;
    }
    let in_it = matches!(before, Some(Tok::Name(word)) if word == "in")
        && matches!(token(at.checked_sub(2)), Some(Tok::Str(_)))
        && matches!(arg.get(at), Some(Tok::Name(name)) if name == "os.environ" || name == "process.env")
        && !matches!(arg.get(at + 1), Some(Tok::Punct('[' | '.')));
    if in_it {
        return true;
    }
    let opens = matches!(arg.get(at + 1), Some(Tok::Punct('(' | '[')));
    let close = items(arg, at + 1..).iter().position(|t| matches!(t, Tok::Punct(')' | ']')));
    let next = if opens { close.map(|close| at + close + 2) } else { Some(at + 1) };
    let after = token(next.map(|next| next + 1));
    match token(next) {
        // Not `X ?? Y` and not `X?.y`.
        Some(Tok::Punct('?')) => !matches!(after, Some(Tok::Punct('?' | '.'))),
        Some(Tok::Punct('=' | '!')) => true,
        Some(Tok::Name(word)) => matches!(word.as_str(), "is"),
        _ => false,
    }
}

/// The token that is read from the environment at this place.
fn token_at(arg: &[Tok], at: usize, vars: &[(String, Value)]) -> Option<String> {
    let Some(Tok::Name(access)) = arg.get(at) else { return None };
    // `process.env.NAME`, or a name in brackets, also from pieces.
    let direct = access.rsplit('.').next().filter(|name| sprag_sensitive::is_token_name(name));
    let inner: Vec<Tok> = items(arg, at + 1..)
        .iter()
        .skip(1)
        .take_while(|t| !matches!(t, Tok::Punct(']' | ')' | ',')))
        .cloned()
        .collect();
    let named = value(&inner, vars).text.filter(|name| sprag_sensitive::is_token_name(name));
    direct.map(str::to_owned).or(named)
}

/// `perl -ne 'unlink'`: each line of the input names a file that is deleted.
fn delete_input(w: &mut Walk<'_>, name: &str) {
    let input = w.records.clone().unwrap_or_default();
    let paths: Vec<Arg> = input.lines().take(16).map(Arg::new).collect();
    w.record(name, &paths, false);
    for path in &paths {
        let path = w.path(path);
        w.effect(EffectKind::Delete { path, recursive: false, force: true, regenerable: false });
    }
}

/// `getattr(os, "system")("…")`: the call of a function by its name.
fn got_attribute(w: &mut Walk<'_>, tokens: &[Tok], at: usize, vars: &[(String, Value)]) {
    let Some(open) = tokens.get(at + 1).filter(|t| **t == Tok::Punct('(')).map(|_| at + 2) else { return };
    let own = arguments(tokens, open);
    let Some(function) = own.get(1).and_then(|a| value(a, vars).text) else { return };
    let module = own.first().map(|a| {
        a.iter()
            .find_map(|t| match t {
                Tok::Str(s) => Some(s.clone()),
                Tok::Name(n) if n != "__import__" => Some(n.clone()),
                _ => None,
            })
            .unwrap_or_default()
    });
    let used: usize = own.iter().map(|a| a.len()).sum::<usize>() + own.len();
    // Behind the closing parenthesis the call's own words follow.
    let start = open + used;
    if tokens.get(start) == Some(&Tok::Punct('(')) {
        let name = format!("{}.{function}", module.unwrap_or_default());
        let args = arguments(tokens, start + 1);
        call(w, &name, &args, vars, None, tokens, Lang::Python);
    }
}

/// `for p in Path("x").rglob("*"): p.unlink()`: everything below a folder.
fn swept(tokens: &[Tok]) -> Option<String> {
    let walks = |t: &Tok| {
        let listing = ["rglob", "glob", "iterdir", "walk", "scandir", "listdir", "readdir", "children"];
        matches!(t, Tok::Name(n) if listing.contains(&last(n)))
    };
    // The call, rather than the name of the module.
    let call = tokens.windows(2).position(|pair| matches!(pair, [t, Tok::Punct('(')] if walks(t)));
    let at = call.or_else(|| tokens.iter().position(walks))?;
    // `glob("/etc/*")`: the pattern is its first word.
    if let Some(Tok::Str(pattern)) = tokens.get(at + 2)
        && (pattern.starts_with(['/', '~']) || matches!(pattern.as_str(), "*" | "./*" | "**" | "**/*"))
    {
        let whole = crate::paths::has_glob(pattern);
        return Some(if whole { pattern.clone() } else { format!("{}/*", pattern.trim_end_matches('/')) });
    }
    let before = items(tokens, ..at);
    let home = before.iter().any(|t| matches!(t, Tok::Name(n) if n.ends_with("Path.home")))
        || matches!(tokens.get(at), Some(Tok::Name(n)) if n.contains("Path.home"));
    let base = before.iter().rev().find_map(|t| match t {
        Tok::Str(s) => Some(s.clone()),
        _ => None,
    });
    match (home, base) {
        (true, _) => Some("~/*".to_owned()),
        (false, Some(base)) => Some(format!("{}/*", base.trim_end_matches('/'))),
        _ => None,
    }
}

fn writes(
    w: &mut Walk<'_>,
    name: &str,
    args: &[&[Tok]],
    vars: &[(String, Value)],
    first: &Value,
    recent: Option<&str>,
) {
    let second = args.get(1).map(|a| value(a, vars)).unwrap_or_default();
    // `open(os.path.expanduser("~/x"), "a")`
    let named = || first.text.clone().or_else(|| args.first().and_then(|a| inner_literal(a)));
    let target = match last(name) {
        "writeFileSync" | "writeFile" | "appendFileSync" | "appendFile" | "createWriteStream"
        | "truncateSync" | "file_put_contents" | "writeTextFile" | "writeTextFileSync" => named(),
        "write" if matches!(name, "File.write" | "IO.write" | "Bun.write") => first.text.clone(),
        "write_text" | "write_bytes" | "touch" => recent.map(str::to_owned).filter(|_| name.starts_with('.')),
        "truncate" if name == "os.truncate" => first.text.clone(),
        "open" | "fopen" => {
            let mode = second.text.as_deref().unwrap_or("r");
            if mode.starts_with(['w', 'a', 'x', '>']) { named() } else { None }
        }
        _ => None,
    };
    if let Some(t) = target {
        w.record(name, &[Arg::new(t.clone())], false);
        super::super::write(w, &Arg::new(t), WriteHow::Overwrite, Flow::default());
    }
}

fn run_words(w: &mut Walk<'_>, name: &str, args: &[&[Tok]], vars: &[(String, Value)], first: &Value) {
    if let Some(list) = &first.list {
        let argv: Vec<Arg> = list.iter().map(Arg::new).collect();
        w.within_via("inline call", |w| w.exec(argv, None));
        return;
    }
    let Some(head) = &first.text else { return };
    let mut words = vec![Arg::new(head.clone())];
    for a in args.iter().skip(1) {
        // Options (`shell=True`, `{ stdio: … }`) are not words.
        if matches!(a, [Tok::Name(_), Tok::Punct('='), ..]) {
            continue;
        }
        let inner = match a {
            [Tok::Punct('{'), ..] => bracketed(a),
            _ => a,
        };
        let v = value(inner, vars);
        match (v.list, v.text) {
            (Some(list), _) => words.extend(list.iter().map(Arg::new)),
            (None, Some(t)) => words.push(Arg::new(t)),
            _ => {}
        }
    }
    if name.starts_with("os.exec") || name.starts_with("os.spawn") || name.starts_with("os.posix_spawn") {
        // The first word is given twice: as the file and as its own name.
        if words.len() > 1 {
            words.remove(1);
        }
    }
    if words.len() == 1 {
        w.run_shell(head, "inline call", &None);
    } else {
        w.within_via("inline call", |w| w.exec(words, None));
    }
}

/// The list in an options object: `{ args: ["-rf", "/"] }`.
fn bracketed(tokens: &[Tok]) -> &[Tok] {
    let open = tokens.iter().position(|t| *t == Tok::Punct('['));
    let close = tokens.iter().rposition(|t| *t == Tok::Punct(']'));
    match (open, close) {
        (Some(a), Some(b)) if a <= b => items(tokens, a..=b),
        _ => &[],
    }
}

fn awk_pipe(w: &mut Walk<'_>, tokens: &[Tok], i: usize, s: &str) {
    let before = i.checked_sub(1).and_then(|p| tokens.get(p));
    let after = tokens.get(i + 1);
    let getline =
        after == Some(&Tok::Punct('|')) && matches!(tokens.get(i + 2), Some(Tok::Name(n)) if n == "getline");
    if getline {
        w.run_shell(s, "awk getline", &None);
    } else if before == Some(&Tok::Punct('|')) && !s.is_empty() {
        let head = s.split_whitespace().next().unwrap_or_default();
        if crate::walk::shell_name(head) {
            if let Some(Tok::Str(code)) = i.checked_sub(2).and_then(|p| tokens.get(p)) {
                w.run_shell(code, "awk pipe", &None);
            }
        } else {
            w.run_shell(s, "awk pipe", &None);
        }
    } else if before == Some(&Tok::Punct('>')) && prints(items(tokens, ..i)) {
        let appends = i >= 2 && tokens.get(i - 2) == Some(&Tok::Punct('>'));
        let how = if appends { WriteHow::Append } else { WriteHow::Overwrite };
        super::super::write(w, &Arg::new(s), how, Flow::default());
    } else if before == Some(&Tok::Punct('<'))
        && matches!(i.checked_sub(2).and_then(|p| tokens.get(p)), Some(Tok::Name(n)) if n == "getline")
    {
        w.read_file(&Arg::new(s), true);
    }
}

/// Whether the statement that ends here prints.
fn prints(tokens: &[Tok]) -> bool {
    let statement = tokens.iter().rev().take_while(|t| !matches!(t, Tok::End | Tok::Punct('{' | '}')));
    statement.into_iter().any(|t| matches!(t, Tok::Name(n) if matches!(n.as_str(), "print" | "printf")))
}

/// A socket and a shell in one program.
fn network_shell(w: &mut Walk<'_>, tokens: &[Tok]) {
    let mut socket = false;
    let mut shell = false;
    let mut fork = 0;
    for t in tokens {
        match t {
            Tok::Name(n) => {
                let low = last(n);
                socket |= n.contains("socket.socket")
                    || matches!(low, "fsockopen" | "Socket" | "create_connection")
                    || n.contains("TCPSocket")
                    || n.starts_with("net.")
                    || n.contains("IO::Socket")
                    || n == "socket"
                    || n.contains("socket.tcp");
                fork += u32::from(matches!(n.as_str(), "os.fork" | "fork"));
            }
            Tok::Str(s) | Tok::Shell(s) => {
                shell |= matches!(
                    s.as_str(),
                    "/bin/sh" | "/bin/bash" | "sh" | "bash" | "cmd.exe" | "/bin/zsh" | "/bin/dash"
                ) || s.starts_with("/bin/sh -i")
                    || s.starts_with("/bin/bash -i")
                    || s.starts_with("sh -i")
                    || s.starts_with("exec /bin/sh")
                    || s.contains("/bin/sh -i");
            }
            _ => {}
        }
    }
    if socket && shell {
        w.effect(EffectKind::Code { from: CodeFrom::NetworkShell, by: "inline code".into() });
    }
    let looped = tokens
        .iter()
        .any(|t| matches!(t, Tok::Name(n) if matches!(n.as_str(), "while" | "loop" | "forever")));
    if fork > 0 && looped {
        w.effect(EffectKind::ForkBomb);
    }
}

/// Literals that name sensitive files, in a program that reads files.
fn sensitive_reads(w: &mut Walk<'_>, tokens: &[Tok]) {
    let reads = tokens.iter().any(|t| {
        matches!(t, Tok::Name(n) if READ_CALLS.iter().any(|r| n == r || (n.len() > r.len() && n.ends_with(r) && (r.starts_with('.') || n.contains('.')))))
    });
    if !reads {
        return;
    }
    for t in tokens {
        if let Tok::Str(s) = t
            && super::super::looks_like_path(s)
        {
            let arg = Arg { glob: crate::paths::has_glob(s), ..Arg::new(s.clone()) };
            if w.path(&arg).sensitive().is_some() {
                w.read_file(&arg, true);
            }
        }
    }
}
