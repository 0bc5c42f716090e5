//! What holds for every input: no panic, the same answer twice, bounded work, no way to hide a command by wrapping it.

use crate::context as ctx;
use proptest::prelude::*;
use sprag_rules::{GuardConfig, explain, fuzz_one, judge};
use sprag_shell::{Note, analyse};

fn stops(command: &str) -> bool {
    judge(&analyse(command, &ctx()), &ctx(), &GuardConfig::default()).stops()
}

fn corpus() -> Vec<String> {
    include_str!("../../corpus/commands.jsonl")
        .lines()
        .filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok())
        .filter_map(|r| r["command"].as_str().map(str::to_owned))
        .collect()
}

/// Pieces that shells give a meaning to.
const PIECES: &[&str] = &[
    "rm", " -rf ", "/", "~", "$", "$(", ")", "`", "'", "\"", "\\", "\n", ";", "&", "|", "<<", "EOF", "<<<",
    "<(", ">(", "{", "}", "((", "))", "[[", "]]", "if ", "then ", "fi", "for ", "in ", "do ", "done",
    "while ", "case ", "esac", ";;", "function ", "()", "eval ", "bash -c ", "git ", "reset ", "--hard",
    "x=", "${", ":-", "*", "?", "[", "]", "#", "\u{E000}", "é", "\0", "\t", "xargs ", "find . -exec ",
    "{} \\;", "python3 -c ", "os.system(", ">", ">>", "2>&1", "/dev/fd/3", "exec ", "3<", "@", "!", "%", ",",
    "..",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_taken(text in any::<String>()) {
        fuzz_one(text.as_bytes());
    }

    #[test]
    fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        fuzz_one(&bytes);
    }

    #[test]
    fn any_heap_of_shell_pieces_is_taken(picks in proptest::collection::vec(0..PIECES.len(), 0..60)) {
        let text: String = picks.iter().map(|i| PIECES[*i]).collect();
        fuzz_one(text.as_bytes());
    }

    #[test]
    fn a_mutated_command_is_taken_and_gives_the_same_answer_twice(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        piece in 0..PIECES.len(),
        cut in any::<bool>(),
    ) {
        let all = corpus();
        let mut chars: Vec<char> = all[which.index(all.len())].chars().collect();
        let at = at.index(chars.len() + 1);
        if cut && at < chars.len() {
            chars.remove(at);
        } else {
            for (i, c) in PIECES[piece].chars().enumerate() {
                chars.insert(at + i, c);
            }
        }
        let text: String = chars.into_iter().collect();
        let one = explain(&text, &ctx(), &GuardConfig::default()).to_string();
        let two = explain(&text, &ctx(), &GuardConfig::default()).to_string();
        prop_assert_eq!(one, two);
    }

    #[test]
    fn wrapping_never_hides_a_command(
        words in proptest::collection::vec(0..PREFIXES.len(), 0..4),
        picks in proptest::collection::vec(0..WRAPS.len(), 0..4),
        what in prop::sample::select(vec!["rm -rf /etc", "git reset --hard", "mkfs.ext4 /dev/sda1", "rm -rf ~", "dd if=x of=/dev/sda"]),
    ) {
        let mut line = what.to_owned();
        for i in words {
            line = format!("{} {line}", PREFIXES[i]);
        }
        for i in picks {
            // A delimiter inside a heredoc of the same name would end the outer one.
            if WRAPS[i].contains("EOF") && line.contains("EOF") {
                continue;
            }
            line = WRAPS[i].replace("QQ", &line.replace('\'', "'\\''")).replace("WW", &line);
        }
        prop_assert!(stops(&line), "{}", line);
    }
}

/// Behind `&&` the outer and the inner definition may both be in effect; only the outer one was looked at.
#[test]
fn a_function_that_redefines_itself_behind_and_hides_nothing() {
    assert!(stops("f() { ls && f() { rm -rf /etc\n}; f\n}; f"));
    assert!(stops("f() { ls || f() { rm -rf /etc; }; f; }; f"));
    assert!(!stops("f() { ls && f() { echo done; }; f; }; f"));
}

/// Words in front of a simple command that run it.
const PREFIXES: &[&str] = &[
    "sudo", "sudo -u root", "doas", "env -i A=b", "env -u X", "nohup", "time", "timeout 5s",
    "timeout -k 1 5", "nice -n 5", "ionice -c 2", "command", "exec", "setsid", "stdbuf -oL", "\\command",
    "busybox", "strace -f", "systemd-run --scope", "chroot /mnt", "flock /tmp/l", "unbuffer", "caffeinate",
];

/// Ways to run any line; `WW` is the line, `QQ` the same inside single quotes.
const WRAPS: &[&str] = &[
    "( WW )",
    "{ WW\n}",
    "if true; then WW\nfi",
    "for i in 1; do WW\ndone",
    "while true; do WW\nbreak; done",
    "echo $( WW )",
    "echo \"x $( WW )\"",
    "bash -c 'QQ'",
    "sh -lc 'QQ'",
    "eval 'QQ'",
    "echo 'QQ' | sh",
    "bash <<< 'QQ'",
    "ls && WW",
    "ls; WW",
    "ls | { WW\n}",
    "f() { WW\n}; f",
    "case x in x) WW\n;; esac",
    "trap 'QQ' EXIT",
    "ssh host 'QQ'",
    "xargs -I% bash -c 'QQ' <<< x",
    "find . -exec bash -c 'QQ' \\;",
    "cat <(WW)",
    "docker exec c sh -c 'QQ'",
    "X='QQ'; eval \"$X\"",
    "su -c 'QQ'",
    "cat <<'EOF' | bash\nWW\nEOF\n",
    "bash <<'EOF'\nWW\nEOF\n",
];

#[test]
fn a_megabyte_returns() {
    let whole = ["a".repeat(1 << 20), "ls;".repeat((1 << 20) / 3)];
    // The rest at a quarter of the size: enough to show that the work grows with the length only.
    let mb = 1 << 18;
    let inputs = [
        "a ".repeat(mb / 2),
        "a".repeat(mb),
        "ls;".repeat(mb / 3),
        "ls|".repeat(mb / 3),
        "(".repeat(mb),
        "$(".repeat(mb / 2),
        "$((".repeat(mb / 3),
        "{ ".repeat(mb / 2),
        "`".repeat(mb),
        "\"$(".repeat(mb / 3),
        "${a:-".repeat(mb / 5),
        "if x; then ".repeat(mb / 11),
        "<<A ".repeat(mb / 4),
        "cat <<A\n".repeat(mb / 8),
        "x=$x$x;".repeat(mb / 7),
        "f(){ f|f& };f;".repeat(mb / 14),
        "for i in a b c d; do ".repeat(mb / 21),
        "eval \"$x\";".repeat(mb / 10),
        "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b};".repeat(mb / 37),
        format!("python3 -c '{}'", "os.system(".repeat(mb / 10)),
        format!("python3 -c '{}'", "a=a+a;".repeat(mb / 6)),
        format!("cat <<EOF\n{}\nEOF\nrm -rf /etc", "x\n".repeat(mb / 4)),
        "\\\n".repeat(mb / 2),
        "[[ ".repeat(mb / 3),
        "case x in ".repeat(mb / 10),
        "a=(".repeat(mb / 3),
        "$[".repeat(mb / 2),
        "a[".repeat(mb / 2),
        "?(".repeat(mb / 2),
    ];
    for text in inputs.into_iter().chain(whole) {
        let start = &text[..text.len().min(20)];
        let a = analyse(&text, &ctx());
        assert!(a.commands.len() <= 25_000, "{start}");
    }
}

#[test]
fn what_is_not_read_is_asked_about() {
    let deep = format!("{}rm -rf /{}", "( ".repeat(200), " )".repeat(200));
    let a = analyse(&deep, &ctx());
    assert!(a.notes.contains(&Note::TooMuch));
    assert!(stops(&deep));
    let long = format!("echo {}; rm -rf /", "a ".repeat(1 << 20));
    assert!(stops(&long));
    let many = "ls;".repeat(50_000);
    assert!(stops(&many));
}

/// Loops and branches over a state that holds much text end, and are asked about.
#[test]
fn copies_of_much_text_are_counted() {
    let grow: String =
        (0..60).map(|i| format!("v{i}=aaaaaaaa;for i in {{1..13}};do v{i}=$v{i}$v{i};done;")).collect();
    let text = format!("{grow} {}", "true1 && ls;".repeat(5000));
    assert!(analyse(&text, &ctx()).notes.contains(&Note::TooMuch));
    let nested = format!("{grow} {} ls {}", "for i in {1..64}; do ".repeat(6), "; done".repeat(6));
    assert!(analyse(&nested, &ctx()).notes.contains(&Note::TooMuch));
}

#[test]
fn the_same_verdict_in_parallel() {
    let all = corpus();
    let expected: Vec<bool> = all.iter().map(|c| stops(c)).collect();
    for threads in [4, 12] {
        let run = || all.iter().map(|c| stops(c)).collect::<Vec<_>>();
        let results = std::thread::scope(|s| {
            let handles: Vec<_> = (0..threads).map(|_| s.spawn(run)).collect();
            handles.into_iter().map(|h| h.join().unwrap()).collect::<Vec<_>>()
        });
        for r in results {
            assert_eq!(r, expected);
        }
    }
}
