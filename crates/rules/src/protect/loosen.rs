//! Commands of sprag that loosen the guards, however the program is named and whatever carries the words.

use super::{BINARY, COPY, LOOSEN, LOOSEN_UNKNOWN, full, protected_path, push};
use crate::Hit;
use sprag_shell::{Analysis, Arg, Cmd, Context, HOLE, base_name, glob_match, has_glob};

/// Programs that run words or text which the analysis may not see as a command: in another terminal, at another time, on
/// the same machine again, or by a language.
const CARRIERS: [&str; 49] = [
    "at", "batch", "crontab", "tmux", "screen", "zellij", "dtach", "abduco", "systemd-run", "launchctl",
    "expect", "unbuffer", "script", "xdotool", "ydotool", "wtype", "osascript", "ssh", "su", "runuser",
    "perl", "ruby", "php", "lua", "tclsh", "wish", "gdb", "make", "just", "gnome-terminal", "xterm",
    "konsole", "alacritty", "kitty", "wezterm", "foot", "emacs", "vim", "nvim", "socat", "ncat", "busybox",
    "parallel", "deno", "bun", "node", "dbus-send", "flatpak-spawn", "schtasks",
];

/// Carriers that take their text from their input as well.
const FROM_INPUT: [&str; 9] = ["at", "batch", "crontab", "expect", "tclsh", "gdb", "make", "xdotool", "ssh"];

pub(super) fn check(i: usize, cmd: &Cmd, analysis: &Analysis, ctx: &Context, out: &mut Vec<Hit>) {
    let words: Vec<&str> = cmd.args.iter().map(|a| a.text.as_str()).collect();
    match named(cmd, analysis, ctx) {
        Named::Sprag if loosens(&words) => return push(out, &LOOSEN, i, shown(&words)),
        Named::Unknown if loosens(&words) && may_be_sprag(&words) => {
            return push(out, &LOOSEN_UNKNOWN, i, format!("‹?› {}", shown(&words)));
        }
        Named::Sprag | Named::Unknown => return,
        Named::Other => {}
    }
    if carries(cmd) {
        let own = cmd.args.iter().any(|a| in_text(&a.text));
        let given = (FROM_INPUT.contains(&cmd.name.as_str()) || reads_code(cmd)) && in_text(&analysis.line);
        if own || given || in_text(&words.join(" ")) {
            return push(out, &LOOSEN, i, cmd.name.as_str());
        }
    }
    // `make SHELL=sprag approve`: the variable names the program that gets the words.
    let shell = words.iter().any(|word| {
        word.split_once('=').is_some_and(|(name, value)| {
            matches!(name, "SHELL" | "MAKE" | "GIT_EDITOR" | "EDITOR") && is_sprag(base_name(value))
        })
    });
    let by_env = cmd.env.iter().any(|(name, value)| name.ends_with("SHELL") && is_sprag(base_name(value)));
    if shell || by_env {
        return push(out, &LOOSEN, i, cmd.name.as_str());
    }
    // Given to a loader or a launcher that is not known: `ld.so /path/sprag approve`.
    let given = words.iter().position(|word| is_sprag(base_name(word)) && word.contains('/'));
    if let Some(at) = given
        && !cmd.wrapper
        && loosens(words.get(at + 1..).unwrap_or_default())
    {
        return push(out, &LOOSEN, i, cmd.name.as_str());
    }
    copies(i, cmd, ctx, out);
}

/// A copy or a link of the program under another name.
fn copies(i: usize, cmd: &Cmd, ctx: &Context, out: &mut Vec<Hit>) {
    if !matches!(
        cmd.name.as_str(),
        "cp" | "gcp" | "ln" | "gln" | "install" | "link" | "dd" | "rsync" | "ditto"
    ) {
        return;
    }
    let is_program = |a: &&Arg| {
        let word = a.text.strip_prefix("if=").unwrap_or(&a.text);
        protected_path(&full(word, cmd, ctx), ctx) == Some(&BINARY)
    };
    let Some((last, sources)) = cmd.args.split_last() else { return };
    if let Some(source) = sources.iter().find(is_program)
        && base_name(last.text.trim_end_matches('/')) != "sprag"
    {
        push(out, &COPY, i, source.text.as_str());
    }
}

enum Named {
    Sprag,
    /// What the program is, is known when it runs.
    Unknown,
    Other,
}

fn named(cmd: &Cmd, analysis: &Analysis, ctx: &Context) -> Named {
    let name = base_name(&cmd.name);
    if is_sprag(name) || renamed(name, analysis, ctx) {
        return Named::Sprag;
    }
    if name.contains(HOLE) || name == "{}" {
        return Named::Unknown;
    }
    Named::Other
}

fn is_sprag(name: &str) -> bool {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    name.eq_ignore_ascii_case("sprag")
        || has_glob(name) && name.contains(|c: char| c.is_ascii_alphabetic()) && glob_match(name, "sprag")
}

/// The line gives sprag this name: a link, a copy, an entry of the shell's table of programs.
fn renamed(name: &str, analysis: &Analysis, ctx: &Context) -> bool {
    analysis.commands.iter().any(|cmd| {
        let makes = matches!(
            cmd.name.as_str(),
            "cp" | "gcp" | "ln" | "gln" | "install" | "mv" | "hash" | "dd" | "link"
        );
        let names_it = |a: &Arg| base_name(a.text.trim_start_matches("of=").trim_end_matches('/')) == name;
        let of_sprag = |a: &Arg| {
            let word = a.text.strip_prefix("if=").unwrap_or(&a.text);
            is_sprag(base_name(word)) || protected_path(&full(word, cmd, ctx), ctx) == Some(&BINARY)
        };
        makes && cmd.args.last().is_some_and(names_it) && cmd.args.iter().any(of_sprag)
    })
}

/// Whether sprag, given these words, would loosen the guards.
fn loosens(all: &[&str]) -> bool {
    if all.iter().any(|word| matches!(*word, "--help" | "-h")) {
        return false;
    }
    let words: Vec<&str> = all.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let has = |option: &str| all.contains(&option);
    let dry = has("--dry-run");
    match words.as_slice() {
        ["allow" | "approve", ..] => !has("--list"),
        ["trust", ..] => !(has("--list") || has("--show")),
        ["undeploy" | "uninstall", ..] => !dry,
        ["init", ..] => has("--import"),
        ["hooks", "disable" | "order" | "enable", ..] | ["disable" | "enable", ..] => true,
        ["trial", "start" | "end", ..] => true,
        ["config", "set" | "unset" | "edit", ..] => true,
        ["store", "migrate" | "import", ..] => !dry,
        // What a model may do is propose (`lessons add`); what counts is a person's to say.
        ["lessons" | "lesson", "edit" | "promote" | "archive" | "import", ..] => true,
        ["data", "delete", ..] => true,
        ["serve", ..] => {
            has("--allow-actions")
                || has("--set-password")
                || all.iter().any(|word| word.starts_with("--listen") || word.starts_with("--name"))
        }
        ["approvals", "answer", ..] => true,
        ["preset" | "bundles", "set" | "use" | "disable", ..] => true,
        _ => false,
    }
}

/// Whether sprag would take these words at all: `helm uninstall NAME` and `direnv allow .` are not its own.
fn may_be_sprag(all: &[&str]) -> bool {
    let words: Vec<&str> = all.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let known = |word: &&&str| !word.contains(HOLE);
    match words.as_slice() {
        ["undeploy", ..] => true,
        ["uninstall", rest @ ..] => rest.iter().all(|word| word.contains(HOLE)),
        ["allow", rest @ ..] => rest
            .iter()
            .filter(known)
            .all(|word| *word == "last" || word.len() >= 4 && word.bytes().all(|c| c.is_ascii_hexdigit())),
        // Its names are words with hyphens.
        ["disable" | "enable", rest @ ..] => {
            !rest.is_empty()
                && rest
                    .iter()
                    .filter(known)
                    .all(|word| word.bytes().all(|c| c.is_ascii_lowercase() || c == b'-'))
        }
        ["trust", rest @ ..] => rest.iter().filter(known).all(|word| word.contains(['/', '.'])),
        _ => true,
    }
}

fn shown(words: &[&str]) -> String {
    words.join(" ")
}

fn carries(cmd: &Cmd) -> bool {
    CARRIERS.contains(&cmd.name.as_str()) || cmd.name.starts_with("python") || cmd.name.starts_with("ld-")
}

/// An interpreter without a script of its own reads its input.
fn reads_code(cmd: &Cmd) -> bool {
    (cmd.name.starts_with("python")
        || matches!(cmd.name.as_str(), "node" | "perl" | "ruby" | "php" | "deno" | "bun"))
        && cmd.args.iter().all(|a| a.text == "-")
}

/// Whether a text, read as words, has sprag with words that loosen: `['sprag', 'approve', …]`.
fn in_text(text: &str) -> bool {
    // Pieces that the code joins: `"spr" . "ag"`.
    let joined: String;
    let text = if text.contains(['+', '.']) {
        let close = text.replace(" + ", "+").replace(" . ", ".");
        joined = ["'+'", "\"+\"", "'.'", "\".\""].iter().fold(close, |text, seam| text.replace(seam, ""));
        joined.as_str()
    } else {
        text
    };
    if !text.contains("sprag") {
        return false;
    }
    let part = |c: char| c.is_alphanumeric() || "._/-".contains(c);
    let words: Vec<&str> =
        text.split(|c: char| !part(c)).filter(|word| !word.is_empty()).take(4096).collect();
    words.iter().enumerate().any(|(at, word)| {
        let rest = words.get(at + 1..).unwrap_or_default();
        is_sprag(base_name(word)) && loosens(rest.get(..rest.len().min(6)).unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_text() {
        assert!(in_text("subprocess.run(['/usr/bin/sprag', 'approve', '.env', '--yes'])"));
        assert!(in_text("spawn sprag allow last"));
        assert!(in_text("system(join(' ', 'spr' . 'ag', 'approve'))"));
        assert!(!in_text("sprag status; direnv allow"));
        assert!(!in_text("sprag-shell approve"));
    }

    #[test]
    fn words_that_are_not_its_own() {
        for words in
            [&["uninstall", "rel"][..], &["allow", "."], &["disable", "foo.service"], &["trust", "list"]]
        {
            assert!(!may_be_sprag(words), "{words:?}");
        }
        for words in [
            &["approve", ".env", "--yes"][..],
            &["allow", "last"],
            &["disable", "command-guard"],
            &["undeploy"],
        ] {
            assert!(may_be_sprag(words) && loosens(words), "{words:?}");
        }
    }
}
