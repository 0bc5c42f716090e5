//! Its tools.

use crate::agents::fields::{ToolRow, tool};

const RUN: &[(&str, &str)] = &[("CommandLine", "command")];
const FILE: &[(&str, &str)] = &[("AbsolutePath", "file_path"), ("TargetFile", "file_path")];
const WRITE: &[(&str, &str)] = &[("TargetFile", "file_path"), ("CodeContent", "content")];
const EDIT: &[(&str, &str)] =
    &[("TargetFile", "file_path"), ("TargetContent", "old_string"), ("ReplacementContent", "new_string")];
const SEARCH: &[(&str, &str)] = &[("SearchPath", "path"), ("Query", "pattern")];

pub(super) static TABLE: [ToolRow; 9] = [
    tool("run_command", "Bash", RUN),
    tool("view_file", "Read", FILE),
    tool("write_to_file", "Write", WRITE),
    tool("replace_file_content", "Edit", EDIT),
    tool("multi_replace_file_content", "MultiEdit", EDIT),
    tool("grep_search", "Grep", SEARCH),
    tool("find_by_name", "Glob", &[("SearchDirectory", "path"), ("Pattern", "pattern")]),
    tool("list_dir", "LS", &[("DirectoryPath", "path")]),
    tool("read_url_content", "WebFetch", &[("Url", "url")]),
];
