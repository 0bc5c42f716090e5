//! Codex's permission profiles: the operating system enforces them for every command.

use crate::agents::sandbox::{Confinement, SandboxPart, is_place, toml_string};
use std::fmt::Write as _;

/// Settings that select a sandbox in another way; they do not go together with a profile.
const CONFLICTS: &[&str] = &["default_permissions", "sandbox_mode", "sandbox_workspace_write"];

/// A profile on top of `:workspace`, and its choice. What must not be written is outside of the workspace, and read-only
/// there already.
pub(crate) fn parts(confinement: &Confinement) -> Vec<SandboxPart> {
    let mut top = String::from("default_permissions = \"sprag\"\n");
    let mut bottom =
        String::from("[permissions.sprag]\nextends = \":workspace\"\n\n[permissions.sprag.filesystem]\n");
    // How deep globs are followed on Linux.
    bottom.push_str("glob_scan_max_depth = 4\n");
    let rule = |bottom: &mut String, path: &'_ str, access: &str| {
        let _ = writeln!(bottom, "{} = \"{access}\"", toml_string(path));
    };
    for path in confinement.deny_read.iter().filter(|path| is_place(path)) {
        rule(&mut bottom, path, "deny");
    }
    for path in &confinement.allow_write {
        rule(&mut bottom, path, "write");
    }
    bottom.push_str("\n[permissions.sprag.filesystem.\":workspace_roots\"]\n");
    for (path, access) in [(".", "write"), (".git", "read"), (".codex", "read"), (".agents", "read")] {
        rule(&mut bottom, path, access);
    }
    for path in confinement.deny_read.iter().filter(|path| !is_place(path)) {
        rule(&mut bottom, path, "deny");
    }
    if !confinement.hosts.is_empty() {
        // Without its proxy Codex does not look at domains.
        top.push_str("features.network_proxy = true\n");
        bottom.push_str(
            "\n[permissions.sprag.network]\nenabled = true\n\n[permissions.sprag.network.domains]\n",
        );
        for host in &confinement.hosts {
            rule(&mut bottom, host, "allow");
        }
    }
    vec![SandboxPart::Block { file: "config.toml", top, bottom, conflicts: CONFLICTS }]
}
