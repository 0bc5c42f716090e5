//! Searches in a shell command: `rg`, `grep -r`, `git grep`, `ag`, `find -name`, with what they are limited to.

use super::filter::Filter;
use sprag_shell::{Cmd, HOLE};

/// What a command looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Lines with a pattern.
    Lines(String),
    /// Files with such a name.
    Files(String),
}

/// A search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShellSearch {
    pub(super) target: Target,
    /// Paths as they are written.
    pub(super) paths: Vec<String>,
    pub(super) filter: Filter,
}

/// A command may hold a search: asked before anything is parsed.
pub(super) fn may_search(command: &str) -> bool {
    ["rg ", "grep ", "find ", "ag "].iter().any(|word| command.contains(word))
}

/// The search of a command; `None` when it is none, or looks into something else than files.
pub(super) fn read(cmd: &Cmd) -> Option<ShellSearch> {
    let words: Vec<&str> = cmd.args.iter().map(|arg| arg.text.as_str()).collect();
    let found = match cmd.name.as_str() {
        "rg" | "ag" => grep(&words, false),
        "grep" | "egrep" | "fgrep" => grep(&words, true),
        "git" => {
            let at = words.iter().position(|word| *word == "grep")?;
            // `git -C elsewhere grep` is not followed.
            (at == 0).then(|| grep(words.get(1..)?, false)).flatten()
        }
        "find" | "fd" | "fdfind" => find(&words, cmd.name == "find"),
        _ => None,
    }?;
    let text = match &found.target {
        Target::Lines(text) | Target::Files(text) => text,
    };
    (!text.contains(HOLE) && !found.paths.iter().any(|path| path.contains(HOLE))).then_some(found)
}

/// Short options with a value, of any of the programs.
const WITH_VALUE: &str = "ABCmMjdrO";
/// Long options whose value may be a word of its own.
const LONG_WITH_VALUE: &[&str] = &[
    "--after-context", "--before-context", "--context", "--max-count", "--max-columns", "--threads",
    "--sort", "--sortr", "--color", "--colors", "--encoding", "--max-depth", "--max-filesize", "--replace",
    "--engine", "--context-separator", "--path-separator", "--binary-files", "--label", "--depth", "--iglob",
];

fn grep(words: &[&str], needs_recursion: bool) -> Option<ShellSearch> {
    let mut filter = Filter::default();
    let mut pattern: Option<String> = None;
    let mut rest: Vec<String> = Vec::new();
    let mut recursive = !needs_recursion;
    let mut words = words.iter().copied();
    let mut only_operands = false;
    while let Some(word) = words.next() {
        if only_operands || !word.starts_with('-') || word == "-" {
            rest.push(word.to_owned());
        } else if word == "--" {
            only_operands = true;
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let mut value_of = || value.map(str::to_owned).or_else(|| words.next().map(str::to_owned));
            match name {
                "regexp" => pattern = Some(value_of()?),
                "glob" | "include" => filter.globs.push(value_of()?),
                "exclude" => filter.globs.push(format!("!{}", value_of()?)),
                "exclude-dir" => filter.globs.push(format!("!**/{}/**", value_of()?)),
                "type" => filter.types.push(value_of()?),
                "type-not" => filter.types.push(format!("!{}", value_of()?)),
                "recursive" | "dereference-recursive" => recursive = true,
                "file" | "files" | "invert-match" | "type-list" | "version" | "help" => return None,
                "ignore-case" => filter.ignores_case = true,
                _ if value.is_none() && LONG_WITH_VALUE.contains(&word) => {
                    words.next()?;
                }
                _ => {}
            }
        } else {
            short(word, &mut words, &mut filter, &mut pattern, &mut recursive)?;
        }
    }
    let pattern = match pattern {
        Some(pattern) => pattern,
        None if rest.is_empty() => return None,
        None => rest.remove(0),
    };
    // Without files, `grep` reads what is piped into it.
    if !recursive && rest.is_empty() {
        return None;
    }
    let (globs, paths) = rest.into_iter().partition(|path| path.contains('*'));
    filter.globs.extend::<Vec<String>>(globs);
    Some(ShellSearch { target: Target::Lines(pattern), paths, filter })
}

/// Short options, several in one word; `None` when they make it another kind of search.
fn short<'w>(
    word: &'w str,
    words: &mut impl Iterator<Item = &'w str>,
    filter: &mut Filter,
    pattern: &mut Option<String>,
    recursive: &mut bool,
) -> Option<()> {
    let mut letters = word.get(1..)?.chars();
    while let Some(letter) = letters.next() {
        let mut value = || {
            let own = letters.as_str().to_owned();
            if own.is_empty() { words.next().map(str::to_owned) } else { Some(own) }
        };
        match letter {
            'e' => *pattern = Some(value()?),
            'g' => filter.globs.push(value()?),
            't' => filter.types.push(value()?),
            'T' => filter.types.push(format!("!{}", value()?)),
            'f' | 'v' | 'L' => return None,
            'i' => {
                filter.ignores_case = true;
                continue;
            }
            // Alone it is grep's `-r`; with a value it is rg's replacement.
            'r' | 'R' => {
                *recursive = true;
                continue;
            }
            letter if WITH_VALUE.contains(letter) => {
                value()?;
            }
            _ => continue,
        }
        return Some(());
    }
    Some(())
}

fn find(words: &[&str], names_paths_first: bool) -> Option<ShellSearch> {
    let filter = Filter::default();
    if !names_paths_first {
        let mut rest = words.iter().filter(|word| !word.starts_with('-')).map(|word| (*word).to_owned());
        let name = rest.next()?;
        return Some(ShellSearch {
            target: Target::Files(format!("*{name}*")),
            paths: rest.collect(),
            filter,
        });
    }
    let paths: Vec<String> = words
        .iter()
        .take_while(|word| !word.starts_with(['-', '(', '!']))
        .map(|word| (*word).to_owned())
        .collect();
    let mut options = words.iter();
    let name = options.find(|word| matches!(**word, "-name" | "-iname")).and_then(|_| options.next())?;
    let acts = ["-exec", "-delete", "-not", "!", "-o", "-or"];
    if words.iter().any(|word| acts.contains(word)) {
        return None;
    }
    Some(ShellSearch { target: Target::Files((*name).to_owned()), paths, filter })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_shell::Context;

    fn searches(line: &str) -> Vec<ShellSearch> {
        let context = Context { cwd: "/p".into(), home: "/h".into(), project_root: "/p".into() };
        sprag_shell::analyse(line, &context).local_commands().filter_map(read).collect()
    }

    fn lines(line: &str) -> (String, Vec<String>, Vec<String>, Vec<String>) {
        let found = searches(line);
        assert_eq!(found.len(), 1, "{line}: {found:?}");
        let found = found.into_iter().next().unwrap();
        let Target::Lines(pattern) = found.target else { panic!("{line}") };
        (pattern, found.paths, found.filter.globs, found.filter.types)
    }

    #[test]
    fn searches_of_shell_commands() {
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let of = |pattern: &str, paths: &[&str], globs: &[&str], types: &[&str]| {
            (pattern.to_owned(), list(paths), list(globs), list(types))
        };
        for (line, wanted) in [
            ("rg 'def pay'", of("def pay", &[], &[], &[])),
            ("rg -n -t py -g '!tests/**' pay src", of("pay", &["src"], &["!tests/**"], &["py"])),
            ("rg -tpy -A3 -e pay", of("pay", &[], &[], &["py"])),
            ("rg --type=rust --glob '*.rs' 'fn main' | head -5", of("fn main", &[], &["*.rs"], &["rust"])),
            ("grep -rn pay src/", of("pay", &["src/"], &[], &[])),
            (
                "grep -rn --include='*.py' --exclude-dir=tests pay .",
                of("pay", &["."], &["*.py", "!**/tests/**"], &[]),
            ),
            ("grep -n pay src/cart.py", of("pay", &["src/cart.py"], &[], &[])),
            ("cd src && git grep -n pay -- '*.py'", of("pay", &[], &["*.py"], &[])),
            ("grep -rnE 'class Cart' . 2>/dev/null", of("class Cart", &["."], &[], &[])),
        ] {
            assert_eq!(lines(line), wanted, "{line}");
        }
        for line in [
            "ps aux | grep pay", "rg --files", "grep -rv pay .", "rg \"$PATTERN\"", "grep -f list.txt a.py",
            "echo rg pay",
        ] {
            assert_eq!(searches(line), Vec::new(), "{line}");
        }
    }

    #[test]
    fn files_by_name() {
        let of = |line: &str| searches(line).into_iter().next().map(|found| (found.target, found.paths));
        let files = |name: &str, paths: &[&str]| {
            Some((
                Target::Files(name.to_owned()),
                paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>(),
            ))
        };
        assert_eq!(of("find . -name 'cart*.py'"), files("cart*.py", &["."]));
        assert_eq!(of("find src lib -type f -iname cart.py"), files("cart.py", &["src", "lib"]));
        assert_eq!(of("find . -name '*.pyc' -delete"), None);
        assert_eq!(of("find . -type d"), None);
    }
}
