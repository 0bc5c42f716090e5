//! Which lines of which files a diff changed: `git diff -U0` read as ranges.

use std::collections::BTreeMap;

/// Changed lines by file, as they are numbered now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedLines {
    files: BTreeMap<String, Vec<(u32, u32)>>,
}

impl ChangedLines {
    /// Reads `git diff -U0 --no-color` with `a/`, `b/` prefixes.
    pub fn parse(diff: &str) -> Self {
        let mut changed = Self::default();
        let mut file: Option<String> = None;
        for line in diff.lines() {
            if let Some(name) = line.strip_prefix("+++ ") {
                file = name.strip_prefix("b/").map(|name| name.trim_end_matches('\t').to_owned());
                if let Some(file) = &file {
                    changed.files.entry(file.clone()).or_default();
                }
            } else if let (Some(file), Some(range)) = (&file, line.strip_prefix("@@ ").and_then(new_range)) {
                changed.files.entry(file.clone()).or_default().push(range);
            }
        }
        changed
    }

    /// Every line of a file counts: it is new.
    pub fn add_whole(&mut self, file: &str) {
        self.files.insert(file.to_owned(), vec![(1, u32::MAX)]);
    }

    /// The files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// True when the file is among the changed ones.
    pub fn has(&self, file: &str) -> bool {
        self.files.contains_key(file)
    }

    /// True when a line of a file was changed. A finding about the whole file counts when any line was.
    pub fn touches(&self, file: &str, line: u32) -> bool {
        self.files
            .get(file)
            .is_some_and(|ranges| line == 0 || ranges.iter().any(|(from, to)| (*from..=*to).contains(&line)))
    }

    /// How many lines of a file are new or changed; a file that is wholly new has no number.
    pub fn count(&self, file: &str) -> Option<u32> {
        let ranges = self.files.get(file)?;
        ranges.iter().try_fold(0_u32, |sum, (from, to)| {
            (*to != u32::MAX).then(|| sum.saturating_add(to.saturating_sub(*from).saturating_add(1)))
        })
    }
}

/// The lines on the new side of `-1,2 +3,4 @@`. A deletion touches the lines around it.
fn new_range(hunk: &str) -> Option<(u32, u32)> {
    let plus = hunk.split(' ').find_map(|word| word.strip_prefix('+'))?;
    let (start, count) = plus.split_once(',').unwrap_or((plus, "1"));
    let (start, count): (u32, u32) = (start.parse().ok()?, count.parse().ok()?);
    Some(match count {
        0 => (start.max(1), start.saturating_add(1)),
        count => (start, start.saturating_add(count - 1)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_a_diff() {
        let diff = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,0 +2,3 @@ def f\n+a\n@@ -9 +12 @@\n-a\n+b\n\
                    @@ -20,2 +22,0 @@\n-gone\ndiff --git a/y b/y\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n";
        let mut changed = ChangedLines::parse(diff);
        assert_eq!(changed.files().collect::<Vec<_>>(), ["x.py"]);
        for line in [2, 4, 12, 22, 23, 0] {
            assert!(changed.touches("x.py", line), "{line}");
        }
        for line in [1, 5, 11, 13, 24] {
            assert!(!changed.touches("x.py", line), "{line}");
        }
        assert!(!changed.touches("y", 1));
        assert_eq!(changed.count("x.py"), Some(6));
        changed.add_whole("new.py");
        assert!(changed.touches("new.py", 9_999));
        assert_eq!(changed.count("new.py"), None);
    }
}
