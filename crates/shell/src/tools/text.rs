//! Tools that read files and pass text on: what they read, and what comes out.

use crate::model::{Arg, Cmd, EffectKind, Taint, WriteHow};
use crate::walk::{Flow, Stdin, Walk};

use super::{flag, looks_like_path, split, write};

/// Every operand is a file whose content comes out.
const READERS: &[&str] = &[
    "cat", "tac", "nl", "bat", "batcat", "less", "more", "most", "head", "tail", "sort", "uniq", "cut",
    "paste", "column", "fold", "fmt", "rev", "strings", "hexdump", "hd", "od", "xxd", "base32", "iconv",
    "dos2unix", "expand", "unexpand", "pr", "tsort", "comm", "join", "diff", "cmp", "diff3", "sdiff",
    "colordiff", "vimdiff", "view", "vim", "vi", "nvim", "nano", "emacs", "ed", "pico", "micro", "hx",
    "code", "subl", "open", "xdg-open", "glow", "mdcat", "pygmentize", "highlight", "zcat", "bzcat", "xzcat",
    "zless", "gzcat", "lz4cat", "readarray", "look", "ptx", "uuencode", "qpdf", "pdftotext", "catdoc",
    "tojson", "dasel", "csvlook", "miller", "mlr", "jless", "fx", "Get-Content", "gc", "ccat", "lolcat",
    "pbcopy", "xclip", "xsel", "wl-copy", "clip", "openssl", "envsubst",
];

/// Whether a program prints what is in the files that it is given.
pub(crate) fn prints_files(name: &str) -> bool {
    const FURTHER: [&str; 7] = ["sed", "gsed", "jq", "yq", "base64", "awk", "gawk"];
    READERS.contains(&name) || GREPS.contains(&name) || FURTHER.contains(&name)
}

/// Whether it prints a part only, by its nature or its options.
pub(crate) fn selects(cmd: &Cmd) -> bool {
    const PARTS: [&str; 13] =
        ["head", "tail", "jq", "yq", "awk", "gawk", "cut", "diff", "cmp", "comm", "uniq", "wc", "look"];
    let has = |short: char| {
        cmd.args
            .iter()
            .any(|a| a.text.starts_with('-') && !a.text.starts_with("--") && a.text.contains(short))
    };
    match cmd.name.as_str() {
        "sed" | "gsed" => has('n'),
        name => PARTS.contains(&name) || GREPS.contains(&name),
    }
}

/// Whether the end of a pipe hands on what it is given, more or less as it is.
pub(crate) fn passes_on(cmd: &Cmd) -> bool {
    const FILTERS: [&str; 14] = [
        "cat", "tac", "nl", "bat", "sort", "uniq", "tee", "tr", "cut", "column", "fold", "less", "more",
        "awk",
    ];
    let few = |a: &Arg| {
        let short = a.text.starts_with('-') && !a.text.starts_with("--");
        short && a.text.contains(['c', 'q', 'm', 'l']) || matches!(a.text.as_str(), "--count" | "--quiet")
    };
    match cmd.name.as_str() {
        "sed" | "gsed" => !selects(cmd),
        name if GREPS.contains(&name) => !cmd.args.iter().any(few),
        name => FILTERS.contains(&name),
    }
}

const GREPS: [&str; 9] = ["grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "ggrep", "ugrep"];

/// Words that print the names of an environment file's variables and no value.
const NAMES_FORMS: [(&str, &[&str]); 12] = [
    ("cut", &["-d=", "-f1"]),
    ("cut", &["-d", "=", "-f1"]),
    ("cut", &["-d", "=", "-f", "1"]),
    ("cut", &["-f1", "-d="]),
    ("cut", &["-f1", "-d", "="]),
    ("sed", &["s/=.*//"]),
    ("sed", &["s/=.*/=/"]),
    ("sed", &["-n", "s/=.*//p"]),
    ("sed", &["-E", "s/=.*//"]),
    ("grep", &["-o", "^[^=]*"]),
    ("grep", &["-o", "^[A-Z_]*"]),
    ("grep", &["-oE", "^[A-Z_]+"]),
];

/// How many words in front are a form that prints the names of variables and no value.
fn names_form(name: &str, args: &[Arg]) -> Option<usize> {
    let texts: Vec<&str> = args.iter().take(4).map(|a| a.text.as_str()).collect();
    let known = NAMES_FORMS.iter().filter(|(program, _)| *program == name);
    let listed = known.map(|(_, words)| *words).find(|words| texts.starts_with(words)).map(<[_]>::len);
    listed.or(match (name, texts.as_slice()) {
        ("sed" | "gsed", ["-E" | "-r", script, ..]) if masks_values(script) => Some(2),
        ("sed" | "gsed", [script, ..]) if masks_values(script) => Some(1),
        ("grep" | "egrep" | "rg", ["-o" | "-oE" | "-oP" | "-Eo", pattern, ..])
            if is_name_pattern(pattern) =>
        {
            Some(2)
        }
        ("awk" | "gawk" | "mawk", ["-F=", program, ..]) if prints_first(program) => Some(2),
        ("awk" | "gawk" | "mawk", ["-F", "=", program, ..]) if prints_first(program) => Some(3),
        _ => None,
    })
}

/// Whether a command prints the names of variables of the files behind its form, and nothing else of them.
pub(crate) fn prints_names(name: &str, args: &[Arg]) -> bool {
    let files = names_form(name, args).and_then(|form| args.get(form..));
    files.is_some_and(|files| !files.iter().any(|a| a.text.starts_with('-')))
}

/// `s/=.*/=***/`: nothing of a value is left.
fn masks_values(script: &str) -> bool {
    let Some(rest) = script.strip_prefix("s/=.*/") else { return false };
    let Some((literal, flags)) = rest.split_once('/') else { return false };
    !literal.contains(['&', '\\', '\n']) && matches!(flags, "" | "g")
}

/// `^[A-Z_]*=`: a pattern that matches the name at the beginning of a line and nothing of its value.
fn is_name_pattern(pattern: &str) -> bool {
    let Some(rest) = pattern.strip_prefix('^') else { return false };
    let class = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((class, rest)) => {
            matches!(class, "^=" | "A-Z_" | "A-Z0-9_" | "A-Za-z_" | "A-Za-z0-9_" | "a-zA-Z_").then_some(rest)
        }
        None => rest.strip_prefix("\\w"),
    };
    class.is_some_and(|rest| matches!(rest, "*" | "+" | "\\+" | "*=" | "+=" | "\\+="))
}

/// `{print $1 "=" length($2)}`: the first column, texts, lengths, and a choice by them; also of the lines with a name.
fn prints_first(program: &str) -> bool {
    let program = program.trim();
    let named = program.strip_prefix('/').and_then(|rest| rest.split_once('/'));
    let action = named.map_or(program, |(_, action)| action).trim();
    let Some(inner) = action.strip_prefix("{print ").and_then(|rest| rest.strip_suffix('}')) else {
        return false;
    };
    // Texts in quotes are none of the file's.
    let code: String = inner.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let code = (1..=9).fold(code, |code, column| code.replace(&format!("length(${column})"), "NR"));
    !inner.contains('\\')
        && inner.matches('"').count() % 2 == 0
        && code
            .split(|c: char| c.is_whitespace() || ",()?:".contains(c))
            .all(|word| matches!(word, "" | "$1" | "NR" | "NF"))
}

/// `grep -E '^(PORT|DB_HOST)=' .env`: only lines of settings that are no secret come out.
fn finds_settings(args: &[Arg]) -> Option<&[Arg]> {
    let letters = |a: &Arg| {
        a.text
            .strip_prefix('-')
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| "EPFGnowhHas".contains(c)))
    };
    let at = args.iter().position(|a| !letters(a))?;
    let (pattern, files) = args.get(at..)?.split_first()?;
    let text = pattern.text.trim_start_matches('^').trim_start_matches('(').replace("\\|", "|");
    let name = |part: &str| {
        let part = part.trim_start_matches('^').trim_start_matches("\\b").trim_end_matches(".*");
        let part = part.trim_end_matches('=').trim_end_matches("\\b").trim_end_matches(')');
        part.len() >= 3 && sprag_sensitive::is_setting_name(part)
    };
    let inner = text.trim_end_matches(".*").trim_end_matches('=').trim_end_matches(')');
    let plain = !pattern.glob && !files.iter().any(|a| a.text.starts_with('-'));
    (plain && inner.split('|').all(name)).then_some(files)
}

/// Programs that print a count or a digest, which says nothing about what is inside.
const DIGESTS: [&str; 11] =
    ["wc", "md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum", "b3sum", "md5", "shasum", "b2sum", "sum"];

/// What a command prints of its input when it does not print the input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prints {
    /// A count or a digest.
    Counts,
    /// What stands before `=`: the names of an environment file's variables, and all of another file.
    Names,
}

/// What a command prints instead of its input, by its exact words.
pub(crate) fn prints_instead(name: &str, args: &[Arg]) -> Option<Prints> {
    // A list of files to count or to check is printed where one of them is not there.
    let takes_list = |a: &Arg| flag(a, 'c', "--check") && name != "wc" || a.text.starts_with("--files0");
    let counts = |a: &Arg| match a.text.strip_prefix('-') {
        Some("-count" | "-quiet") => true,
        Some(letters) => letters.contains(['c', 'q']) && letters.chars().all(|c| "cqivwxEFP".contains(c)),
        None => false,
    };
    let patterns_file = |a: &Arg| a.text.starts_with("-f") || a.text.starts_with("--file");
    if DIGESTS.contains(&name) {
        return (!args.iter().any(takes_list)).then_some(Prints::Counts);
    }
    if GREPS.contains(&name) && args.iter().any(counts) {
        return (!args.iter().any(patterns_file)).then_some(Prints::Counts);
    }
    if name == "jq" {
        let s = split(args, "fLI", &JQ_VALUES);
        return (s.operands.len() == 1 && shows_structure(&s)).then_some(Prints::Counts);
    }
    let settings = || GREPS.contains(&name) && finds_settings(args).is_some_and(<[_]>::is_empty);
    (names_form(name, args) == Some(args.len()) || settings()).then_some(Prints::Names)
}

/// The environment files, and properties (`key.properties`), of which a command prints the names of the variables and no
/// value, by its exact words.
fn names_only<'a>(name: &str, args: &'a [Arg]) -> Option<&'a [Arg]> {
    let is_env = |arg: &Arg| {
        let file = arg.text.rsplit('/').next().unwrap_or_default();
        file.starts_with(".env")
            || file.rsplit_once('.').is_some_and(|(_, ending)| matches!(ending, "env" | "properties"))
    };
    let files = match names_form(name, args) {
        Some(form) => args.get(form..)?,
        None if GREPS.contains(&name) => finds_settings(args)?,
        None => return None,
    };
    (!files.is_empty() && files.iter().all(is_env)).then_some(files)
}

pub(crate) fn effects(w: &mut Walk<'_>, name: &str, args: &[Arg], stdin: &Stdin) -> Option<Flow> {
    if let Some(files) = names_only(name, args) {
        for file in files {
            let path = w.path(file);
            w.effect(EffectKind::List(path));
        }
        return Some(Flow::default());
    }
    let inherited = stdin.as_ref().map(|f| f.taint).unwrap_or_default();
    // `dotnet user-secrets list | cut -d= -f1`: what such a program prints are names and values.
    let lists = |cmd: &crate::model::Cmd| matches!(cmd.name.as_str(), "dotnet" | "heroku");
    if names_form(name, args) == Some(args.len()) && w.out.commands.iter().rev().nth(1).is_some_and(lists) {
        return Some(Flow::unknown(inherited.without_token()));
    }
    match name {
        "cat" | "tac" | "bat" if args.iter().all(|a| a.text == "-") => {
            return Some(stdin.clone().unwrap_or_default());
        }
        _ if GREPS.contains(&name) => return Some(grep(w, name, args, stdin)),
        "sed" | "gsed" => return Some(sed(w, args, stdin)),
        "awk" => {}
        "jq" | "yq" | "gojq" | "xq" | "tomlq" | "jaq" => return Some(jq(w, name, args, inherited)),
        "base64" | "gbase64" | "base32" | "basenc" => return Some(base64(w, args, stdin)),
        "uudecode" | "base64decode" => return Some(Flow::unknown(inherited.and(Taint::DECODED))),
        "xxd" | "openssl" => return Some(decoder(w, name, args, inherited)),
        "tr" => {
            let text = stdin.as_ref().and_then(|f| f.text.clone());
            return Some(Flow { text: text.and_then(|t| translate(&t, args)), taint: inherited });
        }
        "rev" if args.is_empty() => {
            let text = stdin.as_ref().and_then(|f| f.text.clone());
            let text = text.map(|t| t.lines().map(|l| l.chars().rev().collect::<String>() + "\n").collect());
            return Some(Flow { text, taint: inherited });
        }
        _ if DIGESTS.contains(&name) => return Some(Flow::default()),
        "history" | "fc" => {
            return Some(Flow::unknown(Taint::NONE));
        }
        "ex" | "vim" | "vi" | "nvim" | "ed" => super::editor::commands(w, args, stdin),
        "less" | "more" => {
            let plus: Vec<Arg> = args.iter().filter(|a| a.text.starts_with("+!")).cloned().collect();
            super::editor::commands(w, &plus, &None);
        }

        "printenv" if args.is_empty() => return Some(w.whole_environment()),
        "printenv" => {
            let mut flow = w.environment();
            for a in args {
                flow.taint = flow.taint.and(w.token(&a.text));
            }
            return Some(flow);
        }
        "envsubst" => return Some(w.environment()),
        "yes" | "seq" | "date" | "hostname" | "whoami" | "id" | "uname" => {
            return Some(Flow::default());
        }
        // Decrypts them with this key and prints them.
        "rails" if args.iter().any(|a| matches!(a.text.as_str(), "credentials:show" | "encrypted:show")) => {
            return Some(w.read_file(&Arg::new("config/master.key"), true));
        }
        "xargs" => return Some(Flow::unknown(inherited)),
        "crontab" => {
            if args.first().is_some_and(|a| a.text == "-")
                && let Some(f) = stdin
            {
                w.run_flow(f, "text", "crontab", "crontab");
            }
            return None;
        }
        _ if READERS.contains(&name) => {}
        _ => return None,
    }
    Some(read_operands(w, name, args, stdin))
}

/// `jq` and its kin: the files behind the filter come out.
/// A count or the names of keys say nothing about what is inside.
fn shows_structure(s: &super::Split<'_>) -> bool {
    /// What prints something on the way.
    const ASIDE: [&str; 4] = ["debug", "stderr", "error", "input"];
    let filter = s.operands.first().map_or("", |filter| filter.text.as_str());
    let last = filter.rsplit('|').next().unwrap_or_default().trim();
    s.value(&["-f", "--from-file"]).is_none()
        && matches!(last, "length" | "keys" | "keys_unsorted" | "type")
        && !ASIDE.iter().any(|word| filter.contains(word))
}

/// The options of jq that take a value.
const JQ_VALUES: [&str; 6] = ["--from-file", "--arg", "--argjson", "--slurpfile", "--rawfile", "--indent"];

fn jq(w: &mut Walk<'_>, name: &str, args: &[Arg], inherited: Taint) -> Flow {
    let s = split(args, "fLI", &JQ_VALUES);
    if name == "jq" && shows_structure(&s) {
        return Flow::default();
    }
    let mut taint = args.iter().fold(inherited, |t, a| t.and(a.taint));
    if args.iter().any(|a| a.text == "env" || a.text.contains("$ENV") || a.text.starts_with("env.")) {
        taint = taint.and(w.environment().taint);
    }
    let from_file = s.value(&["-f", "--from-file"]).is_some();
    for a in s.operands.iter().skip(usize::from(!from_file)) {
        taint = taint.and(w.read_file(a, true).taint);
    }
    if name != "jq" && s.has('i', "in-place") {
        for a in s.operands.iter().skip(1) {
            write(w, a, WriteHow::InPlace, Flow::default());
        }
    }
    Flow::unknown(taint)
}

/// `xxd` and `openssl`: files that come out, decoded or not.
fn decoder(w: &mut Walk<'_>, name: &str, args: &[Arg], inherited: Taint) -> Flow {
    let text: Vec<&str> = args.iter().map(|a| a.text.as_str()).collect();
    let decodes = match name {
        "xxd" => args.iter().any(|a| flag(a, 'r', "revert")),
        "openssl" => {
            text.iter().any(|t| matches!(*t, "-d" | "-decode"))
                && text.iter().any(|t| matches!(*t, "enc" | "base64") || t.starts_with("aes"))
        }
        _ => false,
    };
    let mut taint = inherited;
    if name == "openssl" {
        if let Some(at) = text.iter().position(|t| matches!(*t, "-in" | "-inkey" | "-key"))
            && let Some(file) = args.get(at + 1)
        {
            let shows = text
                .iter()
                .any(|t| matches!(*t, "rsa" | "ec" | "pkey" | "pkcs8" | "pkcs12" | "enc" | "base64" | "dsa"));
            if shows {
                taint = taint.and(w.read_file(file, true).taint);
            }
        }
    } else if name == "xxd" {
        for a in &split(args, "cglosR", &[]).operands {
            taint = taint.and(w.read_file(a, true).taint);
        }
    }
    Flow::unknown(if decodes { taint.and(Taint::DECODED) } else { taint })
}

/// A reader: its operands come out, or its input when it has none.
fn read_operands(w: &mut Walk<'_>, name: &str, args: &[Arg], stdin: &Stdin) -> Flow {
    let mut flow = Flow::empty();
    let mut any = false;
    let valued = match name {
        "head" | "tail" => "nc",
        "sort" => "koSTt",
        "cut" => "dfbc",
        "less" => "jkopPtTxyz",
        "nl" => "bdfhilnsvw",
        "fold" | "fmt" | "pr" => "w",
        "od" | "hexdump" | "strings" => "nNsjAtew",
        "bat" | "batcat" => "lrHmp",
        _ => "",
    };
    let s = split(
        args,
        valued,
        &[
            "--lines", "--bytes", "--language", "--theme", "--style", "--line-range", "--key",
            "--field-separator",
        ],
    );
    for (k, v) in s.values.clone() {
        // `less -k file`, `sort -o file`.
        if name == "sort" && (k == "-o" || k == "--output") {
            write(w, &v, WriteHow::Overwrite, Flow::default());
        } else if looks_like_path(&v.text) && w.path(&v).sensitive().is_some() {
            w.read_file(&v, true);
        }
    }
    for a in &s.operands {
        if a.text == "-" {
            flow.push(stdin.clone().unwrap_or_default());
        } else {
            flow.push(w.read_file(a, true));
        }
        any = true;
    }
    if !any {
        flow = stdin.clone().unwrap_or_default();
    }
    if name != "cat" {
        flow.text = match (name, flow.text) {
            // Whole short texts survive these; their selection is not computed.
            ("head" | "tail" | "tac" | "nl" | "less" | "more" | "bat" | "sort" | "uniq" | "batcat", t)
                if args.is_empty() =>
            {
                t
            }
            _ => None,
        };
    }
    flow
}

fn grep(w: &mut Walk<'_>, name: &str, args: &[Arg], stdin: &Stdin) -> Flow {
    let s = split(
        args,
        "efmABCDdgtTjM",
        &[
            "--regexp", "--file", "--max-count", "--after-context", "--before-context", "--context",
            "--include", "--exclude", "--exclude-dir", "--glob", "--type", "--type-not", "--color",
            "--max-depth", "--threads", "--iglob", "--replace",
        ],
    );
    let has_pattern = s.value(&["-e", "--regexp", "-f", "--file"]).is_some() || s.has('\0', "files");
    let mut taint = stdin.as_ref().map(|f| f.taint).unwrap_or_default();
    if let Some(f) = s.value(&["-f", "--file"]).cloned() {
        w.read_file(&f, true);
    }
    let quiet = s.options.iter().any(|a| !a.text.starts_with("--") && a.text.contains('q') && name != "rg")
        || s.has('\0', "quiet");
    let counts = s
        .options
        .iter()
        .any(|a| matches!(a.text.as_str(), "-c" | "-l" | "-L" | "--count" | "--files-with-matches"));
    for a in s.operands.iter().skip(usize::from(!has_pattern)) {
        let path = w.path(a);
        if quiet || counts {
            w.effect(EffectKind::List(path));
            continue;
        }
        taint = taint.and(w.read_file(a, true).taint);
    }
    // `--include=.env -r`: the glob names what is read.
    for (k, v) in s.values.clone() {
        if matches!(k.as_str(), "--include" | "-g" | "--glob" | "--iglob") && !v.text.starts_with('!') {
            let path = w.path(&Arg { glob: crate::paths::has_glob(&v.text), ..v.clone() });
            if !path.expanded.starts_with('*') && path.sensitive().is_some() {
                w.effect(EffectKind::Read(path));
            }
        }
    }
    if quiet || counts { Flow::default() } else { Flow::unknown(taint) }
}

fn sed(w: &mut Walk<'_>, args: &[Arg], stdin: &Stdin) -> Flow {
    let mut scripts: Vec<String> = Vec::new();
    let mut files: Vec<&Arg> = Vec::new();
    let mut in_place = false;
    let mut explicit = false;
    let mut i = 0;
    while let Some(a) = args.get(i) {
        i += 1;
        let t = a.text.as_str();
        match t {
            "-e" | "--expression" => {
                explicit = true;
                scripts.extend(args.get(i).map(|v| v.text.clone()));
                i += 1;
            }
            "-f" | "--file" => {
                explicit = true;
                if let Some(file) = args.get(i) {
                    let own = matches!(file.text.as_str(), "-" | "/dev/stdin");
                    let flow = if own { stdin.clone().unwrap_or_default() } else { w.read_file(file, true) };
                    scripts.extend(flow.text);
                }
                i += 1;
            }
            "-i" => in_place = true,
            // The BSD form: an empty suffix as its own word.
            "" if in_place => {}
            _ if t.starts_with("--in-place") => in_place = true,
            _ if t.starts_with("--expression=") => {
                explicit = true;
                scripts.push(t.trim_start_matches("--expression=").to_owned());
            }
            _ if t.starts_with('-') && t.len() > 1 => {
                in_place |= !t.starts_with("--") && t.contains('i');
                if !t.starts_with("--") && t.ends_with('e') {
                    explicit = true;
                    scripts.extend(args.get(i).map(|v| v.text.clone()));
                    i += 1;
                }
            }
            _ => files.push(a),
        }
    }
    if !explicit && !files.is_empty() {
        scripts.push(files.remove(0).text.clone());
    }
    for s in &scripts {
        sed_script(w, s);
    }
    let mut taint = stdin.as_ref().map(|f| f.taint).unwrap_or_default();
    // An edit in place prints nothing, unless its script says so.
    let silent = in_place && scripts.iter().all(|script| edits_only(script));
    for f in files {
        let flow = w.read_file(f, !silent);
        taint = taint.and(flow.taint);
        if in_place {
            write(w, f, WriteHow::InPlace, flow);
        }
    }
    if silent { Flow::empty() } else { Flow::unknown(taint) }
}

/// Whether a script is one plain substitution or deletion, which neither runs nor writes anything else.
fn edits_only(script: &str) -> bool {
    let substitutes = script.strip_prefix('s').and_then(|rest| {
        let mut fields = rest.split(rest.chars().next()?).skip(3);
        Some(fields.next()?.bytes().all(|c| b"gIi0123456789".contains(&c)) && fields.next().is_none())
    });
    substitutes.unwrap_or_else(|| script.starts_with('/') && script.ends_with("/d"))
}

/// The `e` command and flag of GNU sed run a shell; `w` writes a file.
fn sed_script(w: &mut Walk<'_>, script: &str) {
    for line in script.split(['\n', ';']) {
        let body = sed_command(line);
        if let Some(code) = body.strip_prefix("e ") {
            w.run_shell(code, "sed e", &None);
        }
        if let Some(file) = body.strip_prefix("w ").or_else(|| body.strip_prefix("W ")) {
            write(w, &Arg::new(file.trim()), WriteHow::Overwrite, Flow::default());
        }
        let Some(rest) = body.strip_prefix('s') else { continue };
        let Some(delimiter) = rest.chars().next().filter(|c| !c.is_alphanumeric() && !c.is_whitespace())
        else {
            continue;
        };
        let fields = sed_fields(rest, delimiter);
        let [_, text, flags] = fields.as_slice() else { continue };
        let (flags, file) = match flags.split_once(['w', 'W']) {
            Some((flags, file)) => (flags, Some(file.trim())),
            None => (flags.as_str(), None),
        };
        if let Some(file) = file.filter(|f| !f.is_empty()) {
            write(w, &Arg::new(file), WriteHow::Overwrite, Flow::default());
        }
        if flags.contains('e') && flags.bytes().all(|c| c.is_ascii_alphanumeric()) {
            w.run_shell(text, "sed s///e", &None);
        }
    }
}

/// A command of sed without its address.
fn sed_command(line: &str) -> &str {
    let mut body = line.trim_start_matches([' ', '\t', '{']);
    if let Some(rest) = body.strip_prefix('/')
        && let Some(end) = rest.find('/')
    {
        body = rest.get(end + 1..).unwrap_or_default();
    }
    body.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '$' | ',' | ' ' | '~' | '!' | '{'))
}

/// The three fields of `s/a/b/flags`; a delimiter behind a backslash is text.
fn sed_fields(rest: &str, delimiter: char) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut chars = rest.chars().skip(1);
    while let Some(c) = chars.next() {
        if c == delimiter && fields.len() < 3 {
            fields.push(String::new());
            continue;
        }
        let Some(field) = fields.last_mut() else { break };
        if c == '\\' {
            match chars.next() {
                Some(n) if n == delimiter => field.push(n),
                Some(n) => {
                    field.push('\\');
                    field.push(n);
                }
                None => {}
            }
        } else {
            field.push(c);
        }
    }
    fields
}

fn base64(w: &mut Walk<'_>, args: &[Arg], stdin: &Stdin) -> Flow {
    let s = split(args, "wib", &["--wrap", "--input"]);
    let decode = s.options.iter().any(|a| flag(a, 'd', "decode") || flag(a, 'D', "decode"));
    let mut flow = stdin.clone().unwrap_or_default();
    for a in &s.operands {
        flow = w.read_file(a, true);
    }
    if !decode {
        return Flow::unknown(flow.taint);
    }
    let text = flow.text.as_deref().and_then(decode_base64);
    Flow { text, taint: flow.taint.and(Taint::DECODED) }
}

pub(crate) fn decode_base64(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut acc = 0u32;
    let mut bits = 0u32;
    for c in text.bytes() {
        let v = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' | b'\n' | b'\r' | b' ' => continue,
            _ => return None,
        };
        acc = (acc << 6) | u32::from(v);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((acc >> bits) as u8);
            acc &= (1 << bits) - 1;
        }
    }
    String::from_utf8(out).ok()
}

/// `tr a-z n-za-m` and friends on a short known text.
fn translate(text: &str, args: &[Arg]) -> Option<String> {
    let [from, to] = args else { return None };
    if from.text.starts_with('-') || from.text.contains("[:") || to.text.contains("[:") {
        return None;
    }
    let from = ranges(&crate::tools::text::unescaped(&from.text));
    let to = ranges(&crate::tools::text::unescaped(&to.text));
    let last = *to.last()?;
    Some(
        text.chars()
            .map(|c| match from.iter().position(|f| *f == c) {
                Some(i) => to.get(i).copied().unwrap_or(last),
                None => c,
            })
            .collect(),
    )
}

pub(crate) fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t")
}

fn ranges(set: &str) -> Vec<char> {
    let chars: Vec<char> = set.chars().collect();
    let mut out = Vec::new();
    let mut i = 0;
    while let Some(&c) = chars.get(i) {
        if let (Some('-'), Some(&e)) = (chars.get(i + 1), chars.get(i + 2))
            && c <= e
        {
            out.extend((c..=e).take(512));
            i += 3;
        } else {
            out.push(c);
            i += 1;
        }
    }
    out
}
