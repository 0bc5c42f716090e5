//! Its tools: those of the extension that every installation has. Versions before 1.50 put its name in front.

use crate::agents::fields::{ToolRow, same, tool};

const FILE: &[(&str, &str)] = &[("path", "file_path")];
const EDIT: &[(&str, &str)] = &[("path", "file_path"), ("before", "old_string"), ("after", "new_string")];

pub(super) static TABLE: [ToolRow; 9] = [
    same("shell", "Bash"),
    tool("write", "Write", FILE),
    tool("edit", "Edit", EDIT),
    tool("tree", "LS", FILE),
    same("developer__shell", "Bash"),
    tool("developer__write", "Write", FILE),
    tool("developer__edit", "Edit", EDIT),
    tool("developer__text_editor", "Edit", FILE),
    tool("developer__tree", "LS", FILE),
];
