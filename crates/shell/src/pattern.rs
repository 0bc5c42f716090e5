//! Patterns of commands: a program, then words that occur among its words in this order.

use crate::model::Cmd;
use crate::paths::glob_match;

/// False when none of the patterns can match a command of the line; decided without parsing the line.
pub fn may_match<'a>(line: &str, patterns: impl IntoIterator<Item = &'a str>) -> bool {
    patterns.into_iter().any(|pattern| {
        let programs = pattern.split(' ').next().unwrap_or_default();
        programs.split('|').any(|program| program.contains(['*', '?', '[']) || line.contains(program))
    })
}

impl Cmd {
    /// Whether the command is what a pattern says. The first word is the program; the others occur among the command's
    /// words, in order, whatever options stand between them. `a|b` is either, `*` is anything, and a last `$` says that
    /// no other word but options follows: `make $` is `make -j4`, not `make clean`.
    pub fn matches(&self, pattern: &str) -> bool {
        let mut wanted = pattern.split_whitespace();
        if !wanted.next().is_some_and(|program| matches_either(program, &self.name)) {
            return false;
        }
        let mut rest = self.args.iter().map(|arg| arg.text.as_str());
        for want in wanted {
            if want == "$" {
                return rest.all(|word| word.starts_with('-'));
            }
            if !rest.any(|word| matches_either(want, word)) {
                return false;
            }
        }
        true
    }
}

fn matches_either(pattern: &str, word: &str) -> bool {
    pattern.split('|').any(|one| one == word || one.contains(['*', '?', '[']) && glob_match(one, word))
}
