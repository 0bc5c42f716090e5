//! Editors that are given commands, and Lisp one-liners: what they run, delete and write.

use crate::model::{Arg, EffectKind, WriteHow};
use crate::walk::{Flow, Stdin, Walk};

use super::inline::{self, Lang};
use super::write;

/// `vim -c CMD`, `ex -s CMD`, `ed <<<CMD`.
pub(super) fn commands(w: &mut Walk<'_>, args: &[Arg], stdin: &Stdin) {
    let mut after_c = false;
    let mut after_s = false;
    let mut saves = false;
    let mut files: Vec<&Arg> = Vec::new();
    for a in args {
        if std::mem::take(&mut after_s) {
            let text = w.read_file(a, true).text.unwrap_or_default();
            for line in text.lines().take(256) {
                ex(w, line, 0);
            }
            continue;
        }
        after_s = a.text == "-S";
        let joined = ["-c", "--cmd="].iter().find_map(|p| a.text.strip_prefix(p)).filter(|c| !c.is_empty());
        let code = if after_c { Some(a.text.as_str()) } else { a.text.strip_prefix('+').or(joined) };
        after_c = matches!(a.text.as_str(), "-c" | "--cmd" | "-sc" | "-esc" | "-Esc");
        if let Some(code) = code {
            saves |= writes_back(code);
            ex(w, code, 0);
        } else if !a.text.starts_with('-') {
            files.push(a);
        }
    }
    if let Some(text) = stdin.as_ref().and_then(|f| f.text.clone()) {
        for line in text.lines().take(256) {
            saves |= writes_back(line);
            ex(w, line, 0);
        }
    }
    for file in files.into_iter().filter(|_| saves) {
        write(w, file, WriteHow::InPlace, Flow::default());
    }
}

/// Whether a command writes the file back that is being edited.
fn writes_back(code: &str) -> bool {
    code.split('|').any(|c| {
        let c = c.trim().trim_start_matches(':').trim_end_matches('!');
        matches!(c, "w" | "wq" | "x" | "wa" | "wqa" | "xa" | "write" | "update" | "up" | "xit" | "wall")
    })
}

/// One command of `ex` and its descendants.
fn ex(w: &mut Walk<'_>, code: &str, depth: u32) {
    let mut code = code.trim().trim_start_matches(':').trim_start();
    while let Some(rest) = ["silent! ", "silent ", "sil! ", "sil ", "noautocmd ", "keepjumps "]
        .iter()
        .find_map(|prefix| code.strip_prefix(prefix))
    {
        code = rest.trim_start_matches([':', ' ']);
    }
    let command = code.trim_start_matches(|c: char| c.is_ascii_digit() || "%.$,'<>+-".contains(c));
    if let Some(shell) = command.strip_prefix('!') {
        w.run_shell(shell, "editor", &None);
        return;
    }
    for verb in ["read", "r", "write", "w"] {
        if let Some(rest) = command.strip_prefix(verb)
            && let Some(shell) = rest.trim_start().strip_prefix('!')
            && (rest.starts_with(' ') || verb.starts_with('r'))
        {
            w.run_shell(shell, "editor", &None);
            return;
        }
    }
    for (verb, lang) in [
        ("lua ", Lang::Lua),
        ("python3 ", Lang::Python),
        ("python ", Lang::Python),
        ("py3 ", Lang::Python),
        ("py ", Lang::Python),
        ("perl ", Lang::Perl),
        ("ruby ", Lang::Ruby),
    ] {
        if let Some(code) = command.strip_prefix(verb) {
            w.within_via("editor", |w| inline::walk(w, code, lang));
            return;
        }
    }
    if let Some(inner) = command.strip_prefix("execute ").or_else(|| command.strip_prefix("exe "))
        && depth < 4
    {
        for text in quoted(inner) {
            ex(w, &text, depth + 1);
        }
        return;
    }
    for call in ["system(", "systemlist("] {
        if let Some((_, rest)) = command.split_once(call)
            && let Some(shell) = quoted(rest).first()
        {
            w.run_shell(shell, "editor", &None);
        }
    }
    if let Some((_, rest)) = command.split_once("delete(")
        && command.starts_with("call")
    {
        let words = quoted(rest);
        if let Some(path) = words.first() {
            let recursive = words.get(1).is_some_and(|flags| flags.contains('r'));
            delete(w, "delete", path, recursive);
        }
    }
    let target = ["write! ", "write ", "w! ", "w ", "wq! ", "wq ", "saveas! ", "saveas ", "sav! "]
        .iter()
        .find_map(|verb| command.strip_prefix(verb));
    if let Some(file) = target.map(|t| t.trim().trim_start_matches(">>").trim())
        && !file.is_empty()
    {
        write(
            w,
            &Arg::new(file.split('|').next().unwrap_or(file).trim()),
            WriteHow::Overwrite,
            Flow::default(),
        );
    }
}

/// The calls of a Lisp program that run, delete or write, each with its literal texts.
pub(crate) fn lisp(w: &mut Walk<'_>, code: &str) {
    for call in code.split('(').skip(1).take(256) {
        let end = call.find(|c: char| c.is_whitespace() || c == ')').unwrap_or(call.len());
        let (name, rest) = call.split_at(end);
        let words = quoted(rest);
        let Some(first) = words.first() else { continue };
        match name {
            "system"
            | "shell-command"
            | "shell-command-to-string"
            | "async-shell-command"
            | "compile"
            | "uiop:run-program"
            | "ext:shell"
            | "ext:run-shell-command"
            | "shell" => {
                w.run_shell(first, "lisp", &None);
            }
            "system*" | "call-process" | "start-process" | "process-file" | "make-process"
            | "run-program" | "process-lines" | "sb-ext:run-program" => {
                // The buffers between the program and its words are not texts.
                let skip = usize::from(name == "start-process");
                let argv: Vec<Arg> = words.iter().skip(skip).map(Arg::new).collect();
                w.within_via("lisp", |w| w.exec(argv, None));
            }
            "delete-directory" | "delete-file-recursively" => delete(w, name, first, true),
            "delete-file" | "unlink" => delete(w, name, first, false),
            "write-file" | "write-region" | "append-to-file" => {
                w.record(name, &[Arg::new(first)], false);
                write(w, &Arg::new(words.last().unwrap_or(first)), WriteHow::Overwrite, Flow::default());
            }
            "insert-file-contents" | "find-file" | "load" | "load-file" => {
                w.read_file(&Arg::new(first), true);
            }
            _ => {}
        }
    }
}

fn delete(w: &mut Walk<'_>, name: &str, path: &str, recursive: bool) {
    w.record(name, &[Arg::new(path)], false);
    let path = w.path(&Arg { glob: crate::paths::has_glob(path), ..Arg::new(path) });
    w.effect(EffectKind::Delete { path, recursive, force: true, regenerable: false });
}

/// The texts in quotes, up to the end of the call.
fn quoted(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut chars = text.chars();
    let mut open: Option<(char, String)> = None;
    while let Some(c) = chars.next() {
        match open.take() {
            None if matches!(c, '"' | '\'') => open = Some((c, String::new())),
            None if c == ')' => break,
            None => {}
            Some((quote, inner)) if c == quote => out.push(inner),
            Some((quote, mut inner)) => {
                if c == '\\' && quote == '"' {
                    inner.extend(chars.next());
                } else {
                    inner.push(c);
                }
                open = Some((quote, inner));
            }
        }
        if out.len() > 64 {
            break;
        }
    }
    out
}
