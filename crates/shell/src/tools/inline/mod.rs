//! Programs of other languages on the command line, read lexically: which calls with which literal arguments.

mod calls;
mod lex;
mod names;
mod values;

use crate::model::Arg;
use crate::text::slice;
use crate::walk::Walk;

/// The languages whose inline programs are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lang {
    Python,
    Js,
    Perl,
    Ruby,
    Php,
    Lua,
    Awk,
    R,
}

impl Lang {
    /// The language of an interpreter's name.
    pub(crate) fn of(name: &str) -> Option<Lang> {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        Some(match stem {
            "python" | "pypy" | "ipython" | "jython" => Lang::Python,
            "node" | "nodejs" | "deno" | "bun" | "tsx" | "ts-node" => Lang::Js,
            "perl" => Lang::Perl,
            "ruby" | "irb" | "jruby" => Lang::Ruby,
            "php" => Lang::Php,
            "lua" | "luajit" => Lang::Lua,
            "awk" | "gawk" | "mawk" | "nawk" | "goawk" => Lang::Awk,
            "Rscript" => Lang::R,
            _ => return None,
        })
    }

    /// Whether the words behind an inline program are files that it reads.
    pub(crate) fn reads_operands(self, args: &[Arg]) -> bool {
        match self {
            Lang::Awk => true,
            Lang::Perl | Lang::Ruby => args.iter().any(|a| {
                a.text.starts_with('-')
                    && !a.text.starts_with("--")
                    && a.text.bytes().take(5).any(|c| c == b'n' || c == b'p')
            }),
            _ => false,
        }
    }
}

/// An interpreter's words taken apart.
#[derive(Default)]
pub(crate) struct Spec {
    pub(crate) code: Vec<(Arg, &'static str)>,
    pub(crate) files: Vec<Arg>,
    /// Files with the program itself (`awk -f`).
    pub(crate) programs: Vec<Arg>,
    pub(crate) module: bool,
    pub(crate) in_place: bool,
}

/// Which words are code and which are files.
pub(crate) fn split(lang: Lang, name: &str, args: &[Arg]) -> Spec {
    let mut spec = Spec::default();
    let mut i = 0;
    while let Some(a) = args.get(i) {
        i += 1;
        let t = a.text.as_str();
        let take = |spec: &mut Spec, via: &'static str, i: &mut usize| {
            if let Some(code) = args.get(*i) {
                spec.code.push((code.clone(), via));
            }
            *i += 1;
        };
        if t == "--" {
            continue;
        }
        if !t.starts_with('-') || t == "-" {
            if lang == Lang::Awk && spec.code.is_empty() && !spec.module {
                spec.code.push((a.clone(), "awk program"));
                continue;
            }
            if lang == Lang::Js && matches!(name, "deno" | "bun") {
                if t == "eval" {
                    take(&mut spec, "eval", &mut i);
                } else {
                    spec.module = true;
                }
                continue;
            }
            spec.files.push(a.clone());
            if spec.code.is_empty() && lang != Lang::Awk {
                // Behind the script's name all words are its own.
                break;
            }
            continue;
        }
        let cluster = t.trim_start_matches('-');
        let short = !t.starts_with("--");
        match lang {
            Lang::Python => {
                if short && cluster.ends_with('c') {
                    take(&mut spec, "python -c", &mut i);
                    break;
                } else if short && cluster.starts_with('c') && cluster.len() > 1 {
                    spec.code.push((Arg { text: slice(cluster, 1..).to_owned(), ..a.clone() }, "python -c"));
                    break;
                } else if short && cluster.ends_with('m') {
                    spec.module = true;
                    break;
                } else if matches!(t, "-W" | "-X") {
                    i += 1;
                }
            }
            Lang::Js => {
                if matches!(t, "-e" | "--eval" | "-p" | "--print" | "-pe") {
                    take(&mut spec, "node -e", &mut i);
                } else if let Some(code) = t.strip_prefix("--eval=").or_else(|| t.strip_prefix("--print=")) {
                    spec.code.push((Arg { text: code.to_owned(), ..a.clone() }, "node -e"));
                } else if [
                    "-r", "--require", "--import", "--loader", "-C", "--env-file", "--env-file-if-exists",
                ]
                .contains(&t)
                {
                    i += 1;
                }
            }
            Lang::Perl | Lang::Ruby => {
                if short {
                    // `-pi`, `-0pi.bak`, `-lni`: switches without a value may stand in front.
                    let switches = |c: char| c.is_ascii_digit() || "aplnswWtTUuxX".contains(c);
                    spec.in_place |= cluster.trim_start_matches(switches).starts_with('i');
                    if cluster.starts_with(['M', 'I', 'm']) {
                        continue;
                    }
                    if cluster.ends_with(['e', 'E']) && !cluster.starts_with(['r', 'W']) {
                        take(&mut spec, "-e", &mut i);
                    } else if let Some(at) = cluster.find('e').filter(|at| *at <= 2 && cluster.len() > at + 2)
                    {
                        let code = slice(cluster, at + 1..).to_owned();
                        if code.contains(|c: char| !c.is_alphanumeric()) {
                            spec.code.push((Arg { text: code, ..a.clone() }, "-e"));
                        }
                    }
                }
            }
            Lang::Php => {
                if matches!(t, "-r" | "--run" | "-B" | "-R" | "-E") {
                    take(&mut spec, "php -r", &mut i);
                } else if matches!(t, "-d" | "-c" | "-S" | "-t") {
                    i += 1;
                }
            }
            Lang::Lua | Lang::R => {
                if t == "-e" {
                    take(&mut spec, "-e", &mut i);
                } else if t == "-l" {
                    i += 1;
                }
            }
            Lang::Awk => match t {
                "-f" | "--file" => {
                    spec.module = true;
                    spec.programs.extend(args.get(i).cloned());
                    i += 1;
                }
                "-i" | "--include" => {
                    spec.in_place |= args.get(i).is_some_and(|a| a.text == "inplace");
                    i += 1;
                }
                "-iinplace" | "--include=inplace" => spec.in_place = true,
                "-v" | "-F" => i += 1,
                "-e" | "--source" => take(&mut spec, "awk program", &mut i),
                _ => {}
            },
        }
    }
    spec
}

/// Whether a program looks at values of the environment: what it does with them may show them.
pub(crate) fn looks_at_environment(text: &str, lang: Lang) -> bool {
    const ACCESS: [&str; 8] =
        ["environ", "getenv", "process.env", "Deno.env", "Bun.env", "ENV", "env::var", "$_SERVER"];
    let accesses: usize = ACCESS.iter().map(|word| text.matches(word).count()).sum();
    if accesses == 0 {
        return false;
    }
    let tokens = lex::tokens(text, lang);
    let named = |token: &lex::Tok| matches!(token, lex::Tok::Name(name) if ACCESS.iter().any(|word| name.contains(word)));
    let places = tokens.iter().enumerate().filter(|(_, token)| named(token));
    // One that is no name to the tokens, as inside of a text, counts as shown.
    accesses > places.filter(|(at, _)| calls::is_only_tested(&tokens, *at)).count()
}

/// Walk an inline program.
pub(crate) fn walk(w: &mut Walk<'_>, text: &str, lang: Lang) {
    let tokens = lex::tokens(text, lang);
    calls::walk(w, &tokens, lang);
}
