//! Gemini CLI's policy engine. Its sandbox is a container or macOS's seatbelt, which is chosen when it is started
//! (`gemini --sandbox`): without one of them installed it would not start, so that is left to the user.

use crate::agents::sandbox::{Confinement, SandboxPart, toml_string};
use std::fmt::Write as _;

/// A policy file of its own: calls that name a private file are denied.
pub(crate) fn parts(confinement: &Confinement) -> Vec<SandboxPart> {
    let mut text = String::from(
        "# Written by `sprag policy sandbox`; `sprag policy sandbox --agent gemini --undo` removes it.\n",
    );
    let read = r#"["read_file", "read_many_files", "search_file_content", "grep_search", "run_shell_command", "write_file", "replace"]"#;
    let write = r#"["run_shell_command", "write_file", "replace"]"#;
    for (tools, paths, said) in [
        (read, &confinement.deny_read, "holds secrets"),
        (write, &confinement.deny_write, "belongs to the guards"),
    ] {
        for path in paths {
            let _ = write!(
                text,
                "\n[[rule]]\ntoolName = {tools}\nargsPattern = {}\ndecision = \"deny\"\npriority = 900\ndenyMessage = {}\n",
                toml_string(&pattern(path)),
                toml_string(&format!(
                    "sprag: {path} {said}. Ask the user; `sprag approve` does not open it here."
                )),
            );
        }
    }
    vec![SandboxPart::Own { file: "policies/sprag-sandbox.toml", text }]
}

/// A regular expression for a path in the JSON of a call's arguments: behind a sign or a slash, and not the beginning
/// of a longer name.
fn pattern(path: &str) -> String {
    let plain = path.trim_start_matches("~/").trim_start_matches("**/").trim_end_matches("/**");
    let mut out = String::from("(^|[/\"' =:])");
    for c in plain.chars() {
        match c {
            '*' => out.push_str("[^/\"' ]*"),
            c if c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-') => out.push(c),
            c => {
                out.push('\\');
                out.push(c);
            }
        }
    }
    out.push_str("($|[^A-Za-z0-9_.-])");
    out
}
