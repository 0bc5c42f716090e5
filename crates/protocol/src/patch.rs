//! The paths that a Codex `apply_patch` text touches, with what is done to each.

use crate::tool::{Access, PathUse};

/// Reads the file headers of a patch text, in order. Text that is no patch gives nothing.
pub fn paths(text: &str) -> Vec<PathUse> {
    let mut found: Vec<PathUse> = Vec::new();
    let mut push = |path: &str, access| {
        let path = path.trim();
        if !path.is_empty() {
            found.push(PathUse { path: path.to_owned(), access });
        }
    };
    for line in text.lines() {
        let line = line.trim_start();
        let Some(header) = line.strip_prefix("*** ") else { continue };
        if let Some(path) = header.strip_prefix("Add File:").or_else(|| header.strip_prefix("Update File:")) {
            push(path, Access::Write);
        } else if let Some(path) = header.strip_prefix("Delete File:") {
            push(path, Access::Delete);
        } else if let Some(path) = header.strip_prefix("Move to:") {
            push(path, Access::Write);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_four_headers() {
        let text = "*** Begin Patch\n*** Update File: src/a.rs\n*** Move to: src/b.rs\n@@\n-x\n+y\n\
                    *** Add File: c d.txt\n+new\n*** Delete File: old.txt\n*** End Patch\n";
        let got: Vec<_> = paths(text).into_iter().map(|p| (p.path, p.access)).collect();
        assert_eq!(
            got,
            [
                ("src/a.rs".to_owned(), Access::Write),
                ("src/b.rs".to_owned(), Access::Write),
                ("c d.txt".to_owned(), Access::Write),
                ("old.txt".to_owned(), Access::Delete),
            ]
        );
    }

    #[test]
    fn content_lines_are_not_headers() {
        assert!(paths("+*** Delete File: x\n-*** Add File: y").is_empty());
    }
}
