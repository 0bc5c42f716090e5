//! Which commands a shell line runs, as words: enough to know a test run or a poll when one is there.
//! Advice and counters use it. What must not be deceived is judged by the shell's real grammar elsewhere.

use sprag_base::glob;

/// One command of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The program's name without its folder, then its words as the program gets them.
    pub words: Vec<String>,
    /// Its exit code is the line's own: nothing later in the line can hide that it failed.
    pub decides: bool,
}

/// Longer lines (a heredoc with a whole file) are looked at up to here.
const MOST: usize = 32 * 1024;

/// What ends a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    And,
    Pipe,
    Other,
    Background,
    Line,
}

/// The commands of a line, in order, wrappers and assignments taken off.
pub fn commands(line: &str) -> Vec<Command> {
    let mut found = Vec::new();
    collect(line, 0, &mut found);
    found
}

fn collect(line: &str, depth: usize, found: &mut Vec<Command>) {
    let pieces = split(line);
    let pipefail = line.contains("pipefail");
    // A failure is the line's own when only `&&` follows; `;`, `||` and a pipe hide it.
    let mut decides = true;
    let mut reversed = Vec::new();
    for (words, end) in pieces.into_iter().rev() {
        decides = match end {
            End::Line => true,
            End::And => decides,
            End::Pipe => decides && pipefail,
            End::Other | End::Background => false,
        };
        reversed.push((words, decides));
    }
    for (words, decides) in reversed.into_iter().rev() {
        let words = unwrapped(words);
        let shell = words.first().is_some_and(|program| matches!(program.as_str(), "sh" | "bash" | "zsh"));
        let script = words.iter().position(|word| word.starts_with('-') && word.ends_with('c'));
        match script.and_then(|at| words.get(at + 1)).filter(|_| shell && depth < 3) {
            Some(inner) => {
                let from = found.len();
                collect(inner, depth + 1, found);
                for command in found.iter_mut().skip(from) {
                    command.decides &= decides;
                }
            }
            None if !words.is_empty() => found.push(Command { words, decides }),
            None => {}
        }
    }
}

/// Words of the shell that are no command, and programs that run the command behind them.
const KEYWORDS: [&str; 12] =
    ["if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "{", "!"];
const WRAPPERS: [&str; 14] = [
    "sudo", "env", "time", "nice", "nohup", "command", "exec", "timeout", "npx", "bunx", "stdbuf",
    "xvfb-run", "builtin", "ionice",
];
/// Programs with a word that makes them run the command behind it.
const RUNNERS: [(&str, &str); 8] = [
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("hatch", "run"),
    ("pnpm", "exec"),
    ("bundle", "exec"),
    ("rye", "run"),
    ("pdm", "run"),
];

fn unwrapped(words: Vec<String>) -> Vec<String> {
    let mut words: std::collections::VecDeque<String> = words.into();
    while let Some(first) = words.front() {
        let program = base(first).to_owned();
        let runner = words.get(1).is_some_and(|word| RUNNERS.contains(&(program.as_str(), word.as_str())));
        if KEYWORDS.contains(&program.as_str()) || is_assignment(first) {
            words.pop_front();
        } else if runner {
            words.drain(..2);
            drop_options(&mut words);
        } else if WRAPPERS.contains(&program.as_str()) && words.len() > 1 {
            words.pop_front();
            drop_options(&mut words);
            // `timeout 60 cargo test`, `nice -n 5 make`.
            while words.front().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit())) {
                words.pop_front();
            }
        } else {
            if program != *first
                && let Some(first) = words.front_mut()
            {
                *first = program;
            }
            break;
        }
    }
    words.into()
}

fn drop_options(words: &mut std::collections::VecDeque<String>) {
    while words.front().is_some_and(|word| word.starts_with('-') && word.len() > 1) {
        words.pop_front();
    }
}

fn base(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// What is being read of a line.
#[derive(Default)]
struct Reading {
    done: Vec<(Vec<String>, End)>,
    words: Vec<String>,
    word: Option<String>,
    /// The next word is the target of a redirection.
    target: bool,
}

impl Reading {
    fn letter(&mut self, c: char) {
        self.text().push(c);
    }

    fn text(&mut self) -> &mut String {
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take()
            && !std::mem::take(&mut self.target)
        {
            self.words.push(word);
        }
    }

    /// An operator with nothing before it (a line end behind `a &&`) changes nothing.
    fn end_command(&mut self, end: End) {
        self.end_word();
        self.target = false;
        if !self.words.is_empty() {
            self.done.push((std::mem::take(&mut self.words), end));
        }
    }
}

/// Splits a line at its operators, outside quotes; redirections, comments and heredoc bodies are left out.
fn split(line: &str) -> Vec<(Vec<String>, End)> {
    let mut reading = Reading::default();
    let mut heredocs: Vec<String> = Vec::new();
    let mut chars = line.char_indices().take_while(|(at, _)| *at < MOST).map(|(_, c)| c).peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let quoted: String = chars.by_ref().take_while(|c| *c != '\'').collect();
                reading.text().push_str(&quoted);
            }
            '"' => {
                reading.text();
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    let c = if c == '\\' { chars.next() } else { Some(c) };
                    reading.text().extend(c);
                }
            }
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(c) => reading.letter(c),
            },
            '#' if reading.word.is_none() => while chars.next_if(|c| *c != '\n').is_some() {},
            ' ' | '\t' | '\r' => reading.end_word(),
            '\n' => {
                reading.end_command(End::Other);
                for delimiter in heredocs.drain(..) {
                    skip_body(&mut chars, &delimiter);
                }
            }
            ';' | '(' | ')' => reading.end_command(End::Other),
            '|' => {
                let or = chars.next_if_eq(&'|').is_some();
                chars.next_if_eq(&'&');
                reading.end_command(if or { End::Other } else { End::Pipe });
            }
            '&' if chars.next_if_eq(&'&').is_some() => reading.end_command(End::And),
            '&' if chars.peek() == Some(&'>') => reading.end_word(),
            '&' => reading.end_command(End::Background),
            '>' | '<' => {
                // The number before a redirection belongs to it.
                let number = |text: &String| text.bytes().all(|b| b.is_ascii_digit());
                reading.word = reading.word.take().filter(|word| !number(word));
                reading.end_word();
                let here = c == '<' && chars.next_if_eq(&'<').is_some();
                if here && chars.next_if_eq(&'<').is_none() {
                    chars.next_if_eq(&'-');
                    heredocs.push(delimiter(&mut chars));
                } else {
                    chars.next_if(|c| matches!(c, '>' | '&' | '|'));
                    reading.target = true;
                }
            }
            c => reading.letter(c),
        }
    }
    reading.end_command(End::Line);
    // A line end or `;` behind the last command hides nothing.
    if let Some((_, end @ End::Other)) = reading.done.last_mut() {
        *end = End::Line;
    }
    reading.done
}

fn delimiter(chars: &mut std::iter::Peekable<impl Iterator<Item = char>>) -> String {
    while chars.next_if(|c| *c == ' ').is_some() {}
    let mut text = String::new();
    while let Some(c) = chars.next_if(|c| !c.is_whitespace() && !matches!(c, ';' | '|' | '&' | ')')) {
        if !matches!(c, '\'' | '"' | '\\') {
            text.push(c);
        }
    }
    text
}

fn skip_body(chars: &mut impl Iterator<Item = char>, delimiter: &str) {
    let mut line = String::new();
    for c in chars {
        if c == '\n' {
            if line.trim() == delimiter {
                return;
            }
            line.clear();
        } else {
            line.push(c);
        }
    }
}

/// False when none of the patterns can be a command of the line, without taking the line apart.
pub fn may_hold(line: &str, patterns: &[&str]) -> bool {
    patterns.iter().any(|pattern| {
        let programs = pattern.split(' ').next().unwrap_or_default();
        programs.split('|').any(|program| program.contains(['*', '?']) || line.contains(program))
    })
}

impl Command {
    /// True when the command is what a pattern says. The first word is the program; the others occur among
    /// the command's words, in order, whatever options stand between them. `a|b` is either, `*` is anything,
    /// and a last `$` says that no other word but options follows: `make $` is `make -j4`, not `make clean`.
    pub fn is(&self, pattern: &str) -> bool {
        let mut wanted = pattern.split_whitespace();
        let Some((program, rest)) = self.words.split_first() else { return false };
        let either = |pattern: &str, word: &str| pattern.split('|').any(|one| glob::name(one, word));
        if !wanted.next().is_some_and(|first| either(first, program)) {
            return false;
        }
        let mut rest = rest.iter();
        for want in wanted {
            if want == "$" {
                return rest.all(|word| word.starts_with('-'));
            }
            if !rest.any(|word| either(want, word)) {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(line: &str) -> Vec<String> {
        commands(line).into_iter().map(|command| command.words.join(" ")).collect()
    }

    fn decides(line: &str) -> Vec<bool> {
        commands(line).into_iter().map(|command| command.decides).collect()
    }

    #[test]
    fn a_line_is_its_commands() {
        assert_eq!(words("cd a && cargo test -p x 2>&1 | tail -5"), ["cd a", "cargo test -p x", "tail -5"]);
        assert_eq!(words("CI=1 sudo -E env A=b timeout 60 /usr/bin/make -j4"), ["make -j4"]);
        assert_eq!(words("bash -lc 'sleep 5; gh run view 7'"), ["sleep 5", "gh run view 7"]);
        assert_eq!(words("echo 'cargo test' # && make"), ["echo cargo test"]);
        assert_eq!(words("uv run pytest -q; npx tsc --noEmit"), ["pytest -q", "tsc --noEmit"]);
        assert_eq!(words("cat <<'EOF' > f\ncargo test\nEOF\nls"), ["cat", "ls"]);
        assert_eq!(words("while ! curl -s http://x; do sleep 1; done"), ["curl -s http://x", "sleep 1"]);
        assert_eq!(words("a >out 2>/dev/null b <in"), ["a b"]);
        assert_eq!(words("git commit -m \"a; b && c\""), ["git commit -m a; b && c"]);
        assert!(words("").is_empty() && words("# only a comment").is_empty());
    }

    /// The exit code of `cargo test | tail` is tail's.
    #[test]
    fn whose_exit_code_it_is() {
        assert_eq!(decides("cargo test"), [true]);
        assert_eq!(decides("cargo test\n"), [true]);
        assert_eq!(decides("cd a && cargo test && echo ok"), [true, true, true]);
        assert_eq!(decides("cargo test | tail"), [false, true]);
        assert_eq!(decides("set -o pipefail; cargo test | tail"), [false, true, true]);
        assert_eq!(decides("cargo test || true"), [false, true]);
        assert_eq!(decides("cargo test; echo done"), [false, true]);
        assert_eq!(decides("cargo test &"), [false]);
        assert_eq!(decides("bash -lc 'cargo test' | tail"), [false, true]);
    }

    #[test]
    fn patterns() {
        let is = |line: &str, pattern: &str| commands(line).iter().any(|command| command.is(pattern));
        assert!(is("kubectl -n prod get pods", "kubectl get"));
        assert!(is("gh -R o/r run view 5", "gh run view"));
        assert!(is("npm run test:unit", "npm|pnpm run *test*"));
        assert!(is("make -j4", "make $") && !is("make clean", "make $"));
        assert!(!is("echo cargo test", "cargo test") && !is("cargo fmt", "cargo test|check"));
        assert!(!is("kubectl", "kubectl get"));
    }

    proptest! {
        #[test]
        fn any_line_is_split(line in "[a-z'\"\\\\|&;<>()#$ \n{}!=-]{0,80}|\\PC{0,60}") {
            let _ = commands(&line);
        }
    }
}
