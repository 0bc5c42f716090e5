//! What the calls of a program do, by their names.

use super::Lang;
use super::lex::Tok;
use super::values::last;

/// Whether a call deletes, and if so whole trees.
pub(super) fn deletes(name: &str, lang: Lang) -> Option<bool> {
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
                || matches!(tail, "unlink" | "rmdir") && name.contains('.')
        }
        Lang::Js => matches!(tail, "rm" | "rmSync" | "unlink" | "unlinkSync" | "rmdir" | "rmdirSync"),
        Lang::Ruby => [
            "File.delete", "File.unlink", "Dir.rmdir", "Dir.delete", "Dir.unlink", "FileUtils.rm",
            "FileUtils.rm_f", "FileUtils.rmdir",
        ]
        .contains(&name),
        Lang::Perl => matches!(tail, "unlink" | "rmdir"),
        Lang::Php => matches!(name, "unlink" | "rmdir"),
        Lang::Lua => matches!(name, "os.remove" | "vim.fn.delete" | "vim.fs.rm"),
        Lang::R => matches!(name, "unlink" | "file.remove"),
        Lang::Awk => false,
    };
    plain.then_some(false)
}

/// How a call runs a command.
#[derive(PartialEq, Eq, Clone, Copy)]
pub(super) enum Runs {
    /// Its first argument is a shell line.
    Shell,
    /// Its arguments are a program and its words.
    Words,
    /// Its first argument is code of the same language.
    Code,
}

pub(super) fn runs(name: &str, lang: Lang, tokens: &[Tok]) -> Option<Runs> {
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
            "os.execute" | "io.popen" | "vim.fn.system" | "vim.fn.systemlist" | "vim.system" => {
                Some(Runs::Shell)
            }
            "load" | "loadstring" => Some(Runs::Code),
            _ => None,
        },
        Lang::Awk => (name == "system").then_some(Runs::Shell),
        Lang::R => matches!(name, "system" | "system2" | "shell").then_some(Runs::Shell),
    }
}

/// The tokens with `import x as y` undone: `y.run` becomes `x.run`.
pub(super) fn resolved(tokens: &[Tok], lang: Lang) -> Option<Vec<Tok>> {
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
