//! Claude Code's sandbox for Bash, and its permission rules for the file tools.

use crate::agents::sandbox::{Confinement, SandboxPart, is_place};
use serde_json::{Value, json};

/// The members of its settings file. `Read(…)` rules also count for the sandbox of Bash.
pub(crate) fn parts(confinement: &Confinement) -> Vec<SandboxPart> {
    let rules = |tool: &str, paths: &[String]| -> Vec<Value> {
        paths.iter().map(|path| json!(format!("{tool}({})", rule_path(path)))).collect()
    };
    let mut deny = rules("Read", &confinement.deny_read);
    deny.extend(rules("Edit", &confinement.deny_write));
    let places = |paths: &[String]| paths.iter().filter(|path| is_place(path)).cloned().collect::<Vec<_>>();
    let mut filesystem = json!({
        "denyRead": places(&confinement.deny_read),
        "denyWrite": places(&confinement.deny_write),
    });
    if !confinement.allow_write.is_empty()
        && let Some(fields) = filesystem.as_object_mut()
    {
        fields.insert("allowWrite".to_owned(), json!(confinement.allow_write));
    }
    let mut sandbox = json!({"enabled": true, "allowUnsandboxedCommands": false, "filesystem": filesystem});
    if !confinement.hosts.is_empty()
        && let Some(fields) = sandbox.as_object_mut()
    {
        fields.insert("network".to_owned(), json!({"allowedDomains": confinement.hosts}));
    }
    vec![SandboxPart::Merge(json!({"permissions": {"deny": deny}, "sandbox": sandbox}))]
}

/// A path as a permission rule writes it: `//` begins one from the root of the disk.
fn rule_path(path: &str) -> String {
    match path.strip_prefix('/') {
        Some(rest) => format!("//{rest}"),
        None => path.to_owned(),
    }
}
