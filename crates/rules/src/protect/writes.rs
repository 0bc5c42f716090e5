//! Commands that could replace or write a file which guards the agent: by its name among their words, or by copying,
//! unpacking or fetching into its folder. A command is asked about unless it is known to read only.

use super::names::{is_agent_folder, is_hook_place, is_hooks_folder};
use super::{CONFIG, HOOKS, MAY_CHANGE, PROJECT, full, protected_path, push};
use crate::{Hit, Rule};
use sprag_protocol::agents::{AGENTS, AgentSpec};
use sprag_shell::{
    Analysis, Arg, Cmd, Context, HOLE, PathZone, Split, base_name, flag, has_glob, split, zone_of,
};

/// Programs that read the files that they are given, and nothing else. Those whose effects are known word by word
/// (`rm`, `chmod`, `tee` …) are here too: the effects decide.
const READERS: &[&str] = &[
    "cat", "tac", "nl", "head", "tail", "less", "more", "most", "bat", "batcat", "ls", "ll", "exa", "eza",
    "lsd", "tree", "stat", "file", "wc", "du", "df", "cut", "tr", "paste", "column", "fold", "fmt", "rev",
    "grep", "egrep", "fgrep", "zgrep", "ggrep", "ugrep", "rg", "ag", "ack", "jq", "gojq", "jaq", "xq",
    "tomlq", "diff", "colordiff", "delta", "difft", "cmp", "comm", "diff3", "md5sum", "md5", "sha1sum",
    "sha224sum", "sha256sum", "sha384sum", "sha512sum", "shasum", "b2sum", "b3sum", "cksum", "sum", "od",
    "hexdump", "hd", "strings", "realpath", "readlink", "basename", "dirname", "test", "[", "[[", "echo",
    "printf", "pwd", "cd", "pushd", "popd", "chdir", "type", "which", "command", "whereis", "hash", "source",
    ".", "true", "false", ":", "export", "declare", "typeset", "local", "readonly", "set", "unset", "read",
    "mapfile", "readarray", "base64", "base32", "gh", "glab", "man", "info", "help", "history", "expr",
    "seq", "sleep", "date", "env", "printenv", "id", "whoami", "lsof", "fuser", "ps", "pgrep", "kill",
    "code", "cursor", "subl", "open", "xdg-open", "zed", "idea", "glow", "mdcat", "pygmentize", "highlight",
    "jless", "shellcheck", "jsonlint", "yamllint", "editorconfig-checker", "lsattr", "getfacl", "getfattr",
    "namei", "locate", "fzf", "sk", "wl-copy", "pbcopy", "xclip", "xsel", "sprag", "touch", "rm", "grm",
    "rmdir", "unlink", "chmod", "chown", "chgrp", "tee", "truncate", "shred", "mkdir", "mktemp", "zcat",
    "xzcat", "bzcat", "join", "look", "tsort", "pr", "expand", "unexpand", "vimdiff", "nvimdiff", "meld",
    "hyperfine", "ssh", "sftp", "notify-send", "logger", "wait", "jobs", "trap", "alias", "{", "", ">",
    "$()", "exec", "if", "return", "exit", "tput",
];

/// A program that reads only, or whose effects are known; an agent answers for its own calls.
fn is_reader(name: &str) -> bool {
    READERS.contains(&name) || AGENTS.iter().any(|agent| agent.process.programs.contains(&name))
}

/// Programs whose words of code may name files.
const WITH_CODE: &[&str] = &[
    "sqlite3", "vim", "nvim", "vi", "ex", "emacs", "ed", "psql", "mysql", "gdb", "lldb", "expect", "tclsh",
    "busybox", "awk", "gawk", "mawk", "nawk", "sed", "gsed", "perl", "ruby", "php", "lua", "osascript",
    "duckdb",
];

pub(super) fn check(i: usize, cmd: &Cmd, analysis: &Analysis, ctx: &Context, out: &mut Vec<Hit>) {
    if cmd.inert || cmd.wrapper || cmd.reached.iter().any(|via| matches!(*via, "ssh" | "ssh input")) {
        return;
    }
    let found = match cmd.name.as_str() {
        "cp" | "gcp" | "mv" | "gmv" | "install" | "ginstall" | "ditto" | "ln" | "gln" | "rsync" | "scp"
        | "rclone" | "gsutil" | "aws" | "gcloud" | "s3cmd" | "mc" | "Copy-Item" | "Move-Item" => {
            copy(cmd, ctx)
        }
        "tar" | "gtar" | "bsdtar" | "unzip" | "7z" | "7za" | "7zz" | "unrar" | "cpio" | "pax" | "jar" => {
            unpack(cmd, ctx)
        }
        "git" | "hub" => git(cmd, analysis, ctx),
        "curl" | "wget" | "wget2" | "aria2c" => fetch(cmd, ctx),
        "find" | "gfind" | "fd" | "fdfind" => search(cmd, ctx),
        "docker" | "podman" if cmd.args.first().is_some_and(|a| a.text == "cp") => copy(cmd, ctx),
        "docker" | "podman" | "nerdctl" | "docker-compose" => container(cmd, ctx),
        // They put another folder in its place, or fill it.
        "bindfs" | "sshfs" | "stow" | "bwrap" | "restic" | "borg" => over_folder(cmd, ctx),
        name if name.starts_with("python") && unpacks(cmd) => over_folder(cmd, ctx),
        "mount" | "umount" => {
            cmd.args.iter().find(|a| covers(&full(&a.text, cmd, ctx), ctx)).map(|a| a.text.clone())
        }
        "mkfifo" | "mknod" => named(cmd, ctx),
        "mkdir" => named(cmd, ctx).filter(|path| path.contains('.')),
        "patch" => named(cmd, ctx).or_else(|| by_patch(cmd, analysis, ctx)),
        "cargo" | "brew" | "mise" | "rtx" | "asdf" | "npm" | "pnpm" | "yarn" | "bun" | "pip" | "pip3"
        | "pipx" | "uv" | "apt" | "apt-get" | "dpkg" | "dnf" | "yum" | "rpm" | "pacman" | "apk"
        | "zypper" | "nix" | "nix-env" | "scoop" | "winget" | "choco" | "snap" | "port" => {
            program(cmd).or_else(|| by_words(cmd, analysis, ctx))
        }
        _ => by_words(cmd, analysis, ctx),
    };
    if let Some(what) = found.or_else(|| from_list(cmd, analysis, ctx)) {
        push(out, &MAY_CHANGE, i, what);
    }
}

/// Such a folder among the words.
fn over_folder(cmd: &Cmd, ctx: &Context) -> Option<String> {
    let words = || cmd.args.iter().flat_map(candidates);
    words().find(|word| covers(&full(word, cmd, ctx), ctx)).map(str::to_owned)
}

/// `python3 -m zipfile -e ARCHIVE FOLDER`
fn unpacks(cmd: &Cmd) -> bool {
    let module = |a: &Arg| matches!(a.text.as_str(), "zipfile" | "tarfile");
    cmd.args.iter().take(2).any(module)
}

/// A file that a command may not change; the project's own configuration is asked about where it is written.
fn kept(full: &str, ctx: &Context) -> Option<&'static Rule> {
    let rule = protected_path(full, ctx).filter(|rule| **rule != PROJECT)?;
    (!is_hooks_folder(full)).then_some(rule)
}

/// A folder that holds such files: what is put into it by the name of a pattern may be one.
fn covers(full: &str, ctx: &Context) -> bool {
    is_agent_folder(full)
        || is_hook_place(full)
        || protected_path(full, ctx).is_some_and(|rule| *rule == CONFIG || *rule == HOOKS)
}

/// Whether a folder, or a place of which nothing is known, is one in which nothing is guarded.
fn is_scratch(full: &str, ctx: &Context) -> bool {
    full.contains(HOLE) || matches!(zone_of(full, false, ctx), PathZone::Temp | PathZone::TempRoot)
}

/// The words of a command that may be paths: operands, and what stands behind `=` or a short option.
fn candidates(arg: &Arg) -> impl Iterator<Item = &str> {
    let text = arg.text.as_str();
    let option = text.starts_with('-');
    let value = text.split_once('=').map(|(_, value)| value);
    let glued =
        (option && !text.starts_with("--")).then(|| text.find(['/', '~']).and_then(|at| text.get(at..)));
    let operand = (!option && !text.contains('\n')).then_some(text);
    operand.into_iter().chain(value).chain(glued.flatten())
}

/// A command that is not known to read only, with such a file among its words.
fn by_words(cmd: &Cmd, analysis: &Analysis, ctx: &Context) -> Option<String> {
    if reads_only(cmd) {
        return None;
    }
    if let Some(found) = code(cmd, analysis) {
        return Some(found);
    }
    named(cmd, ctx)
}

fn named(cmd: &Cmd, ctx: &Context) -> Option<String> {
    let in_code = WITH_CODE.contains(&base_name(&cmd.name));
    cmd.args.iter().find_map(|arg| {
        let whole = candidates(arg).find(|word| kept(&full(word, cmd, ctx), ctx).is_some());
        let inside = || {
            let part = |c: char| c.is_whitespace() || "\"'`;()<>,=|".contains(c);
            arg.text
                .split(part)
                .filter(|word| word.contains('/'))
                .find(|word| kept(&full(word, cmd, ctx), ctx).is_some())
        };
        whole.or_else(|| inside().filter(|_| in_code)).map(str::to_owned)
    })
}

fn has(cmd: &Cmd, short: char, long: &str) -> bool {
    cmd.args.iter().any(|a| flag(a, short, long))
}

/// Programs that read only, by their name or by their words.
fn reads_only(cmd: &Cmd) -> bool {
    let words = || cmd.args.iter().map(|a| a.text.as_str());
    let operands = || words().filter(|word| !word.starts_with('-')).count();
    let text = |part: &str| words().any(|word| word.contains(part));
    match cmd.name.as_str() {
        "sort" => !has(cmd, 'o', "output"),
        "uniq" => operands() < 2,
        "xxd" => !words().any(|word| word.starts_with("-r") || word == "-revert") && operands() < 2,
        "yq" | "dasel" => {
            !words().any(|word| word.starts_with("-i") || matches!(word, "--inplace" | "put" | "delete"))
        }
        "openssl" => !words().any(|word| word == "-out"),
        "gpg" | "gpg2" | "age" => !has(cmd, 'o', "output"),
        "awk" | "gawk" | "mawk" | "nawk" => {
            !(text(">") || text("system") || text("|") || words().any(|word| word.starts_with("-i")))
        }
        "sed" | "gsed" => !has(cmd, 'i', "in-place") && !writes_by_sed(cmd),
        "prettier" | "biome" | "eslint" | "taplo" | "dprint" | "jsonc" | "ajv" | "check-jsonschema" => {
            !(text("--write") || text("--fix") || words().any(|word| matches!(word, "fmt" | "format" | "-w")))
        }
        "node" | "deno" | "bun" | "ruby" | "perl" | "php" | "lua" | "osascript" => inline_reads(cmd),
        name if name.starts_with("python") => match words().next() {
            Some("-m") => text("json.tool") && operands() < 3,
            _ => inline_reads(cmd),
        },
        "zip" | "gtar" => true,
        name => is_reader(name),
    }
}

fn writes_by_sed(cmd: &Cmd) -> bool {
    cmd.args.iter().any(|a| {
        a.text.starts_with("w ") || a.text.contains("w /") || a.text.contains(" w ") || a.text.contains("/w ")
    })
}

/// Code in the words that has nothing with which it could change a file.
fn inline_reads(cmd: &Cmd) -> bool {
    let inline = |a: &Arg| {
        matches!(a.text.as_str(), "-c" | "-e" | "-p" | "-r" | "-E" | "--eval" | "eval" | "-ne" | "--print")
    };
    let in_place = cmd
        .args
        .iter()
        .any(|a| a.text.starts_with("-i") || a.text.starts_with("-pi") || a.text.starts_with("-ni"));
    cmd.args.iter().any(inline) && !in_place && !cmd.args.iter().any(|a| may_write(&a.text))
}

/// Words of the languages with which a file is changed or another program started.
fn may_write(code: &str) -> bool {
    const WORDS: [&str; 30] = [
        "write", "'w", "\"w", "'a'", "\"a\"", "'r+", "unlink", "remove", "rename", "replace(", "rmtree",
        "rm(", "rmSync", "copy", "move", "link(", "truncate", "dump(", "system", "exec", "spawn",
        "subprocess", "open(F", "chmod", "file_put", "FileUtils", "\">\"", "'>'", "os.open", "rmdir",
    ];
    WORDS.iter().any(|word| code.contains(word))
}

/// Code that writes, and whose pieces name such a file: `'.cl' + 'aude'`, `path.join(home, '.claude', 'settings.json')`.
fn code(cmd: &Cmd, analysis: &Analysis) -> Option<String> {
    let interpreter = cmd.name.starts_with("python")
        || matches!(
            cmd.name.as_str(),
            "node" | "deno" | "bun" | "ruby" | "perl" | "php" | "lua" | "tclsh" | "osascript"
        );
    if !interpreter {
        return None;
    }
    let from_input = cmd.args.iter().all(|a| a.text == "-" || a.text.starts_with("-u"));
    let mut texts =
        cmd.args.iter().map(|a| a.text.as_str()).chain(from_input.then_some(analysis.line.as_str()));
    texts.find_map(|text| {
        let joined: String =
            text.chars().filter(|c| !c.is_whitespace() && !"'\"+,()\\[]".contains(*c)).collect();
        let joined = joined.to_ascii_lowercase();
        let has = |part: &str| joined.contains(part);
        let agent = AGENTS.iter().any(|agent| {
            let mut files =
                agent.settings.hook_files().filter(|(folder, _)| *folder == agent.settings.folder);
            // A folder of hook programs has no extension: its name alone says little in a program's text.
            has(agent.settings.folder)
                && files
                    .any(|(_, name)| name.split_once('.').is_some_and(|(stem, ext)| has(stem) && has(ext)))
        });
        let own = has("config/sprag") || has("state/sprag") || has("share/sprag") || has(".configsprag");
        ((agent || own) && may_write(text)).then(|| if own { "sprag" } else { "settings" }.to_owned())
    })
}

/// The operands and the destination of a copy.
fn copied(cmd: &Cmd) -> (Vec<Arg>, Option<Arg>) {
    let (short, long): (&str, &[&str]) = match cmd.name.as_str() {
        "install" | "ginstall" => {
            ("mogtS", &["--target-directory", "--mode", "--owner", "--group", "--suffix"])
        }
        "rsync" => {
            ("efBTM", &["--rsh", "--exclude", "--include", "--filter", "--files-from", "--chmod", "--port"])
        }
        "scp" => ("cDFiJloPSX", &[]),
        "rclone" | "gsutil" | "aws" | "gcloud" | "s3cmd" | "mc" => {
            ("", &["--config", "--include", "--exclude", "--profile", "--region", "--project", "--filter"])
        }
        _ => ("tS", &["--target-directory", "--suffix"]),
    };
    let s: Split<'_> = split(&cmd.args, short, long);
    let verbs = match cmd.name.as_str() {
        "rclone" | "gsutil" | "s3cmd" | "mc" | "docker" | "podman" => 1,
        "aws" | "gcloud" => 2,
        _ => 0,
    };
    let mut operands: Vec<Arg> = s.operands.iter().skip(verbs).map(|a| (*a).clone()).collect();
    let target = match s.value(&["-t", "--target-directory"]).cloned() {
        Some(target) => Some(target),
        None if operands.len() > 1 => operands.pop(),
        None => None,
    };
    (operands, target)
}

fn copy(cmd: &Cmd, ctx: &Context) -> Option<String> {
    let (sources, target) = copied(cmd);
    let target = target?;
    let folder = full(&target.text, cmd, ctx);
    let whole = match cmd.name.as_str() {
        "rclone" | "gsutil" | "aws" | "gcloud" => cmd
            .args
            .iter()
            .any(|a| matches!(a.text.as_str(), "sync" | "rsync" | "copy" | "--recursive" | "-r")),
        _ => false,
    };
    // A link or a folder in the place of the agent's own.
    let replaces = matches!(cmd.name.as_str(), "ln" | "gln" | "mv" | "gmv")
        && (has(cmd, 'n', "no-dereference") || has(cmd, 'T', "no-target-directory"));
    if is_agent_folder(&folder) && replaces || kept(&folder, ctx).is_some() {
        return Some(target.text);
    }
    sources.iter().find_map(|source| {
        let text = source.text.as_str();
        let name = text.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
        let contents = whole
            || matches!(name, "" | "." | ".." | "*")
            || name.contains(HOLE)
            || has_glob(name) && source.glob && kept(&format!("{folder}/{name}"), ctx).is_some()
            || cmd.name == "rsync" && text.ends_with('/');
        if contents {
            return covers(&folder, ctx).then(|| target.text.clone());
        }
        let with_folders = cmd.name == "rsync" && has(cmd, 'R', "relative") || has(cmd, '\0', "parents");
        let name = if with_folders { text.trim_start_matches("./") } else { name };
        let inside = format!("{}/{name}", folder.trim_end_matches('/'));
        let replaced = is_agent_folder(&inside) && !is_scratch(&folder, ctx) && !is_agent_folder(&folder);
        (kept(&inside, ctx).is_some() && !is_scratch(&folder, ctx) || replaced).then_some(inside)
    })
}

fn unpack(cmd: &Cmd, ctx: &Context) -> Option<String> {
    let words = || cmd.args.iter().map(|a| a.text.as_str());
    let first = words().next().unwrap_or_default();
    let (short, long): (&str, &[&str]) = match cmd.name.as_str() {
        "unzip" => ("dxP", &[]),
        "cpio" => ("DFHE", &["--directory", "--file"]),
        "7z" | "7za" | "7zz" | "unrar" | "jar" => ("", &[]),
        _ => ("fCTXIb", &["--file", "--directory", "--exclude", "--strip-components", "--transform"]),
    };
    let extracts = match cmd.name.as_str() {
        "unzip" => !has(cmd, 'l', "list") && !words().any(|word| matches!(word, "-p" | "-t" | "-Z" | "-v")),
        "7z" | "7za" | "7zz" | "unrar" => matches!(first, "x" | "e"),
        "cpio" => has(cmd, 'i', "extract"),
        "pax" => has(cmd, 'r', "read"),
        "jar" => first.contains('x'),
        _ => {
            has(cmd, 'x', "extract")
                || has(cmd, '\0', "get")
                || !first.starts_with('-') && first.contains('x')
        }
    };
    if !extracts {
        return None;
    }
    let s = split(&cmd.args, short, long);
    let glued = words()
        .find_map(|word| word.strip_prefix("-o").filter(|dir| !dir.is_empty() && cmd.name.starts_with('7')));
    let dir = s
        .value(&["-C", "--directory", "-d", "-D"])
        .map(|a| a.text.clone())
        .or_else(|| glued.map(str::to_owned));
    let dir = dir.unwrap_or_else(|| ".".to_owned());
    let folder = full(&dir, cmd, ctx);
    let own = match cmd.name.as_str() {
        "unzip" | "unrar" | "7z" | "7za" | "7zz" | "jar" => 1 + usize::from(cmd.name != "unzip"),
        _ => usize::from(!first.starts_with('-')) * 2,
    };
    let mut members = s.operands.iter().skip(own).map(|a| a.text.as_str()).peekable();
    if members.peek().is_none() {
        return covers(&folder, ctx).then_some(dir);
    }
    members.find(|name| kept(&full(&format!("{folder}/{name}"), cmd, ctx), ctx).is_some()).map(str::to_owned)
}

/// git commands that change the work tree, in an agent's folder or on such a file.
fn git(cmd: &Cmd, analysis: &Analysis, ctx: &Context) -> Option<String> {
    let s =
        split(&cmd.args, "Cc", &["--git-dir", "--work-tree", "--depth", "--branch", "--source", "--message"]);
    let mut operands = s.operands.iter().map(|a| a.text.as_str());
    let verb = operands.next().unwrap_or_default();
    let at =
        s.value(&["-C", "--work-tree"]).map_or_else(|| full(".", cmd, ctx), |dir| full(&dir.text, cmd, ctx));
    let join = |path: &str| {
        if path.starts_with(['/', '~']) {
            full(path, cmd, ctx)
        } else {
            full(&format!("{at}/{path}"), cmd, ctx)
        }
    };
    match verb {
        "apply" | "checkout-index"
            if s.value(&["--directory", "--prefix"]).is_some_and(|dir| covers(&join(&dir.text), ctx)) =>
        {
            Some(verb.to_owned())
        }
        "apply" if by_patch(cmd, analysis, ctx).is_some() => by_patch(cmd, analysis, ctx),
        "clone" | "worktree" | "submodule" => {
            operands.find(|path| covers(&join(path), ctx)).map(str::to_owned)
        }
        "pull" | "reset" | "merge" | "rebase" | "switch" | "am" | "apply" | "cherry-pick" | "revert"
            if is_agent_folder(&at) =>
        {
            Some(at)
        }
        "checkout" | "restore" | "rm" | "mv" => {
            let named = operands.find(|path| kept(&join(path), ctx).is_some()).map(str::to_owned);
            named.or_else(|| (is_agent_folder(&at) && verb != "mv").then_some(at))
        }
        _ => None,
    }
}

/// A download whose name is the address's own.
fn fetch(cmd: &Cmd, ctx: &Context) -> Option<String> {
    let s =
        split(&cmd.args, "oPdHXAeuT", &["--output-dir", "--directory-prefix", "--dir", "--out", "--output"]);
    let dir = s
        .value(&["--output-dir", "-P", "--directory-prefix", "-d", "--dir"])
        .map_or(".", |a| a.text.as_str());
    let named = s.value(&["-o", "--out", "--output"]).map(|a| a.text.as_str());
    let addresses = s.operands.iter().map(|a| a.text.split(['?', '#']).next().unwrap_or_default());
    let mut names = addresses.filter_map(|url| url.rsplit('/').next()).chain(named);
    names
        .find(|name| kept(&full(&format!("{dir}/{name}"), cmd, ctx), ctx).is_some())
        .map(|name| format!("{dir}/{name}"))
}

/// A search that deletes or runs something on what it finds.
fn search(cmd: &Cmd, ctx: &Context) -> Option<String> {
    let words: Vec<&str> = cmd.args.iter().map(|a| a.text.as_str()).collect();
    let runs = words.iter().position(|word| {
        matches!(*word, "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch")
    });
    let run = runs.and_then(|at| words.get(at + 1)).map(|program| base_name(program));
    let acts = words.contains(&"-delete")
        || run.is_some_and(|run| {
            !is_reader(run) || matches!(run, "rm" | "tee" | "truncate" | "shred" | "unlink" | "chmod")
        });
    if !acts {
        return None;
    }
    let search = words.get(..runs.unwrap_or(words.len())).unwrap_or_default();
    let after = |flags: &[&str]| {
        let at = search.iter().position(|word| flags.contains(word))?;
        search.get(at + 1).copied()
    };
    let name = after(&["-name", "-iname"])
        .or_else(|| search.first().copied().filter(|_| cmd.name.starts_with("fd")));
    let finds = |folder: &str| match name {
        Some(name) => kept(&format!("{folder}/{name}"), ctx).is_some(),
        None => true,
    };
    let by_path = after(&["-path", "-ipath", "-wholename", "-regex"]);
    let path = by_path.filter(|path| {
        let agent = |agent: &&AgentSpec| {
            path.contains(agent.settings.folder)
                || agent.settings.other_hook_files.iter().any(|(dir, _)| path.contains(dir))
        };
        path.contains("sprag") || AGENTS.iter().any(agent)
    });
    if path.is_some() && AGENTS.iter().any(|agent| finds(agent.settings.folder)) {
        return path.map(str::to_owned);
    }
    search
        .iter()
        .filter(|word| !word.starts_with('-'))
        .map(|word| full(word, cmd, ctx))
        .find(|root| covers(root, ctx) && finds(root))
}

/// A mount that lets a container write such a folder.
fn container(cmd: &Cmd, ctx: &Context) -> Option<String> {
    let words: Vec<&str> = cmd.args.iter().map(|a| a.text.as_str()).collect();
    let home = ctx.home.trim_end_matches('/');
    words.iter().enumerate().find_map(|(at, word)| {
        let next = || words.get(at + 1).copied().unwrap_or_default();
        let mount = match *word {
            "-v" | "--volume" | "--mount" => next(),
            _ => word.strip_prefix("--volume=").or_else(|| word.strip_prefix("--mount="))?,
        };
        if mount.split([':', ',']).any(|part| matches!(part, "ro" | "readonly")) {
            return None;
        }
        let by_key = || {
            mount
                .split(',')
                .find_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")))
        };
        let source = if mount.contains('=') { by_key()? } else { mount.split(':').next()? };
        let folder = full(source, cmd, ctx);
        (covers(&folder, ctx) || folder == home && !home.is_empty()).then(|| source.to_owned())
    })
}

/// A patch in the line itself, by its headers.
fn by_patch(cmd: &Cmd, analysis: &Analysis, ctx: &Context) -> Option<String> {
    let header =
        |line: &'_ str| ["+++ ", "--- "].iter().find_map(|start| line.strip_prefix(start)).map(str::to_owned);
    let files = analysis.line.lines().filter_map(header);
    let mut names =
        files.filter_map(|file| file.split_whitespace().next().map(str::to_owned)).flat_map(|file| {
            let below = file.split_once('/').map(|(_, rest)| rest.to_owned());
            std::iter::once(file).chain(below)
        });
    names.find(|name| kept(&full(name, cmd, ctx), ctx).is_some())
}

/// Package managers that remove or replace the program.
fn program(cmd: &Cmd) -> Option<String> {
    let words = || cmd.args.iter().map(|a| a.text.as_str());
    let removes = |word: &str| {
        matches!(
            word,
            "uninstall"
                | "remove"
                | "unlink"
                | "purge"
                | "erase"
                | "rm"
                | "un"
                | "autoremove"
                | "del"
                | "unuse"
                | "-e"
                | "--erase"
                | "-R"
                | "-Rs"
                | "-Rns"
                | "-r"
                | "-P"
                | "--purge"
                | "--remove"
                | "--uninstall"
        ) || matches!(cmd.name.as_str(), "cargo" | "brew") && word == "install"
    };
    let is_it = |word: &str| matches!(word, "sprag" | "@sprag/cli") || word.starts_with("sprag@");
    (words().take(3).any(removes) && words().any(is_it)).then(|| "sprag".to_owned())
}

/// `ls ~/.claude/settings* | xargs rm`: what another command of the line lists.
fn from_list(cmd: &Cmd, analysis: &Analysis, ctx: &Context) -> Option<String> {
    let driven = cmd.reached.contains(&"xargs") && cmd.args.iter().any(Arg::has_hole);
    let writes = !reads_only(cmd)
        || matches!(cmd.name.as_str(), "rm" | "tee" | "truncate" | "shred" | "chmod" | "unlink");
    if !driven || !writes {
        return None;
    }
    analysis.commands.iter().filter(|other| is_reader(other.name.as_str()) || other.name == "find").find_map(
        |other| {
            let named = other.args.iter().find(|a| kept(&full(&a.text, other, ctx), ctx).is_some());
            named.map(|a| a.text.clone())
        },
    )
}
