//! Calls in an inline program that delete, run, read, write or fetch.

use crate::model::{Arg, CodeFrom, EffectKind, HOLE, Taint, WriteHow};
use crate::text::items;
use crate::walk::{Flow, Walk};

use super::Lang;
use super::lex::Tok;
use super::values::{Value, arguments, inner_literal, is_decoder, last, split_args, statement_end, value};

const READ_CALLS: &[&str] = &[
    "open", "io.open", "codecs.open", ".read_text", ".read_bytes", ".open", "readFileSync", "readFile",
    "createReadStream", "File.read", "File.open", "IO.read", "IO.readlines", "File.readlines",
    "file_get_contents", "fopen", "file", "readfile", "slurp", "np.loadtxt", "pd.read_csv", "json.load",
    "yaml.safe_load", "Deno.readTextFile", "Deno.readTextFileSync", "Deno.readFile", "Bun.file", "require",
    "io.lines", "dofile", "copyFileSync", "shutil.copy", "shutil.copyfile", "shutil.copy2", "read_file",
    "linecache.getlines", "fileinput.input", "readLines", "show_source", "highlight_file", "getline",
    "os.open", "File.foreach", "File.new", "Path.read_text", ".read",
];

/// Whether a call deletes, and if so whole trees.
fn deletes(name: &str, lang: Lang) -> Option<bool> {
    let tail = last(name);
    let tree = match tail {
        "rmtree"
        | "remove_tree"
        | "rm_rf"
        | "rm_r"
        | "remove_dir"
        | "remove_entry"
        | "remove_entry_secure"
        | "rimraf"
        | "rimrafSync"
        | "emptyDirSync"
        | "emptyDir"
        | "deltree"
        | "removedirs" => true,
        "removeSync" | "remove" if lang == Lang::Js => {
            name.starts_with("fs") || name.contains("Deno") || name.starts_with("fse")
        }
        _ => false,
    };
    if tree {
        return Some(true);
    }
    let plain = match lang {
        Lang::Python => {
            matches!(name, "os.remove" | "os.unlink" | "os.rmdir" | ".unlink" | ".rmdir")
                || name.ends_with(").unlink")
        }
        Lang::Js => matches!(tail, "rm" | "rmSync" | "unlink" | "unlinkSync" | "rmdir" | "rmdirSync"),
        Lang::Ruby => matches!(
            name,
            "File.delete"
                | "File.unlink"
                | "Dir.rmdir"
                | "Dir.delete"
                | "Dir.unlink"
                | "FileUtils.rm"
                | "FileUtils.rm_f"
                | "FileUtils.rmdir"
        ),
        Lang::Perl => matches!(tail, "unlink" | "rmdir"),
        Lang::Php => matches!(name, "unlink" | "rmdir"),
        Lang::Lua => name == "os.remove",
        Lang::R => matches!(name, "unlink" | "file.remove"),
        Lang::Awk => false,
    };
    plain.then_some(false)
}

/// How a call runs a command.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Runs {
    /// Its first argument is a shell line.
    Shell,
    /// Its arguments are a program and its words.
    Words,
    /// Its first argument is code of the same language.
    Code,
}

fn runs(name: &str, lang: Lang, tokens: &[Tok]) -> Option<Runs> {
    let tail = last(name);
    match lang {
        Lang::Python => match name {
            "os.system"
            | "os.popen"
            | "subprocess.getoutput"
            | "subprocess.getstatusoutput"
            | "commands.getoutput"
            | "asyncio.create_subprocess_shell" => Some(Runs::Shell),
            "subprocess.run"
            | "subprocess.call"
            | "subprocess.Popen"
            | "subprocess.check_call"
            | "subprocess.check_output"
            | "pty.spawn"
            | "asyncio.create_subprocess_exec" => Some(Runs::Words),
            "exec" | "eval" | "compile" | "builtins.exec" => Some(Runs::Code),
            "system" | "popen" | "getoutput" if imports(tokens, "os") || imports(tokens, "subprocess") => {
                Some(Runs::Shell)
            }
            "run" | "call" | "Popen" | "check_call" | "check_output" if imports(tokens, "subprocess") => {
                Some(Runs::Words)
            }
            _ if name.starts_with("os.exec")
                || name.starts_with("os.spawn")
                || name.starts_with("os.posix_spawn") =>
            {
                Some(Runs::Words)
            }
            _ if name.starts_with("__import__") || name == ".system" || name == ".popen" => Some(Runs::Shell),
            _ => None,
        },
        Lang::Js => match tail {
            "exec" | "execSync"
                if name != "regex.exec" && (name.len() > 4 || has_word(tokens, "child_process")) =>
            {
                has_word(tokens, "child_process").then_some(Runs::Shell)
            }
            "spawn" | "spawnSync" | "execFile" | "execFileSync" | "fork" => has_word(tokens, "child_process")
                .then_some(Runs::Words)
                .or(if name.starts_with("Bun.") { Some(Runs::Words) } else { None }),
            "execa" | "execaSync" => Some(Runs::Words),
            "execaCommand" | "execaCommandSync" => Some(Runs::Shell),
            "Command" if name.starts_with("Deno") => Some(Runs::Words),
            "run" if name.starts_with("Deno") => Some(Runs::Words),
            "eval" | "Function" | "runInNewContext" | "runInThisContext" => Some(Runs::Code),
            _ => None,
        },
        Lang::Perl => match tail {
            "system" | "exec" => Some(Runs::Words),
            "eval" => Some(Runs::Code),
            _ => None,
        },
        Lang::Ruby => match name {
            "system" | "exec" | "spawn" | "Kernel.system" | "Kernel.exec" | "Kernel.spawn"
            | "Process.spawn" | "IO.popen" | "Open3.capture2" | "Open3.capture3" | "Open3.capture2e"
            | "Open3.popen3" | "PTY.spawn" => Some(Runs::Words),
            "eval" | "instance_eval" | "Kernel.eval" => Some(Runs::Code),
            _ => None,
        },
        Lang::Php => match name {
            "system" | "exec" | "shell_exec" | "passthru" | "popen" | "proc_open" | "pcntl_exec" => {
                Some(Runs::Shell)
            }
            "eval" | "assert" | "create_function" => Some(Runs::Code),
            _ => None,
        },
        Lang::Lua => match name {
            "os.execute" | "io.popen" => Some(Runs::Shell),
            "load" | "loadstring" => Some(Runs::Code),
            _ => None,
        },
        Lang::Awk => (name == "system").then_some(Runs::Shell),
        Lang::R => matches!(name, "system" | "system2" | "shell").then_some(Runs::Shell),
    }
}

/// The tokens with `import x as y` undone: `y.run` becomes `x.run`.
fn resolved(tokens: &[Tok], lang: Lang) -> Option<Vec<Tok>> {
    if lang != Lang::Python {
        return None;
    }
    let mut aliases: Vec<(&str, String)> = Vec::new();
    let mut from = "";
    for window in tokens.windows(4) {
        match window {
            [Tok::Name(a), Tok::Name(m), Tok::Name(i), _] if a == "from" && i == "import" => from = m,
            [_, Tok::Name(m), Tok::Name(a), Tok::Name(y)] if a == "as" => {
                let full = if from.is_empty() { m.clone() } else { format!("{from}.{m}") };
                aliases.push((y, full));
            }
            [Tok::End, ..] => from = "",
            _ => {}
        }
    }
    if aliases.is_empty() {
        return None;
    }
    let rename = |n: &String| {
        let (root, rest) = n.split_once('.').unwrap_or((n.as_str(), ""));
        let full = aliases.iter().find(|(a, _)| *a == root).map(|(_, f)| f)?;
        Some(if rest.is_empty() { full.clone() } else { format!("{full}.{rest}") })
    };
    Some(
        tokens
            .iter()
            .map(|t| match t {
                Tok::Name(n) => Tok::Name(rename(n).unwrap_or_else(|| n.clone())),
                other => other.clone(),
            })
            .collect(),
    )
}

fn has_word(tokens: &[Tok], word: &str) -> bool {
    tokens.iter().any(
        |t| matches!(t, Tok::Str(s) | Tok::Name(s) if s == word || s.strip_prefix("node:") == Some(word)),
    )
}

fn imports(tokens: &[Tok], module: &str) -> bool {
    tokens.windows(2).any(|w| matches!(w, [Tok::Name(a), Tok::Name(b)] if a == "from" && b == module))
}

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
                if next == Some(&Tok::Punct('=')) && tokens.get(i + 2) != Some(&Tok::Punct('=')) {
                    let end = statement_end(tokens, i + 2);
                    let v = value(items(tokens, i + 2..end), &vars);
                    vars.push((name.clone(), v));
                    continue;
                }
                let args = if next == Some(&Tok::Punct('(')) {
                    arguments(tokens, i + 2)
                } else if matches!(lang, Lang::Perl | Lang::Ruby | Lang::Php)
                    && matches!(next, Some(Tok::Str(_) | Tok::Shell(_)))
                    || (lang == Lang::Perl
                        && matches!(next, Some(Tok::Name(n)) if n.starts_with(['$', '@']) || is_decoder(n)))
                {
                    let end = statement_end(tokens, i + 1);
                    split_args(items(tokens, i + 1..end))
                } else {
                    continue;
                };
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
            || whole.clone().any(|t| matches!(t, Tok::Name(n) if n.trim_end_matches(':') == "recursive"));
        let mut paths: Vec<String> = Vec::new();
        if name.starts_with('.') && args.iter().all(|a| a.is_empty()) {
            paths.extend(recent.map(str::to_owned));
        } else {
            let many = matches!(lang, Lang::Perl | Lang::Ruby);
            for a in args.iter().take(if many { 8 } else { 1 }) {
                let v = value(a, vars);
                match v.list {
                    Some(list) => paths.extend(list),
                    None => {
                        paths.push(v.text.or_else(|| inner_literal(a)).unwrap_or_else(|| HOLE.to_string()));
                    }
                }
            }
        }
        w.record(name, &paths.iter().map(Arg::new).collect::<Vec<_>>(), false);
        for p in paths {
            let glob = crate::paths::has_glob(&p);
            let path = w.path(&Arg { text: p, glob, ..Arg::default() });
            w.effect(EffectKind::Delete { path, recursive, force: true, regenerable: false });
        }
        return;
    }
    if lang == Lang::Perl && name == "open" {
        for a in args.iter().skip(1) {
            let text = value(a, vars).text.unwrap_or_default();
            let code =
                text.strip_prefix('|').or_else(|| text.strip_suffix('|')).filter(|c| !matches!(*c, "" | "-"));
            let three = args
                .get(1)
                .and_then(|m| value(m, vars).text)
                .is_some_and(|m| m.contains('|') && m.len() <= 2);
            if let Some(code) = code.or(if three && !text.contains('|') { Some(text.as_str()) } else { None })
            {
                w.run_shell(code, "open", &None);
            }
        }
        return;
    }
    if let Some(kind) = runs(name, lang, tokens) {
        let shell_true = args.iter().any(|a| {
            a.windows(3).any(|t| {
                matches!(t, [Tok::Name(n), Tok::Punct('=' | ':'), Tok::Name(v)] if n == "shell" && v.eq_ignore_ascii_case("true"))
            })
        });
        let tainted = first.taint.has(Taint::DECODED) || first.taint.has(Taint::REMOTE);
        if tainted && (kind != Runs::Words || shell_true || lang != Lang::Python) {
            w.record(name, &[], false);
            let from = if first.taint.has(Taint::REMOTE) { CodeFrom::Network } else { CodeFrom::Decoded };
            w.effect(EffectKind::Code { from, by: name.to_owned() });
        }
        match kind {
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

fn writes(
    w: &mut Walk<'_>,
    name: &str,
    args: &[&[Tok]],
    vars: &[(String, Value)],
    first: &Value,
    recent: Option<&str>,
) {
    let second = args.get(1).map(|a| value(a, vars)).unwrap_or_default();
    let target = match last(name) {
        "writeFileSync" | "writeFile" | "appendFileSync" | "appendFile" | "createWriteStream"
        | "truncateSync" | "file_put_contents" | "writeTextFile" | "writeTextFileSync" => first.text.clone(),
        "write" if matches!(name, "File.write" | "IO.write" | "Bun.write") => first.text.clone(),
        "write_text" | "write_bytes" | "touch" => recent.map(str::to_owned).filter(|_| name.starts_with('.')),
        "truncate" if name == "os.truncate" => first.text.clone(),
        "open" | "fopen" => {
            let mode = second.text.as_deref().unwrap_or("r");
            if mode.starts_with(['w', 'a', 'x', '>']) { first.text.clone() } else { None }
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
    } else if before == Some(&Tok::Punct('<'))
        && matches!(i.checked_sub(2).and_then(|p| tokens.get(p)), Some(Tok::Name(n)) if n == "getline")
    {
        w.read_file(&Arg::new(s), true);
    }
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
            if crate::sensitive::of_path(&w.path(&arg), w.ctx).is_some() {
                w.read_file(&arg, true);
            }
        }
    }
}
