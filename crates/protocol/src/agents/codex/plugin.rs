//! Its plugin, in a marketplace of one: manifest, hooks file of its own, MCP server, a skill. A manifest of the vendor-neutral format
//! beside it would win, and its hooks would not run (seen with 0.166).

use crate::agents::plugin::{
    ABOUT, KEYWORDS, LICENSE, NAME, PluginFile, PluginParts, readme, servers, skill,
};
use serde_json::json;

/// Where the plugin is in the marketplace.
const FOLDER: &str = "plugins/sprag";

pub(super) fn files(parts: &PluginParts<'_>) -> Vec<PluginFile> {
    let inner = [
        PluginFile::json(
            ".codex-plugin/plugin.json",
            &json!({
                "name": NAME, "version": parts.version, "description": ABOUT, "author": { "name": "The sprag developers" },
                "license": LICENSE, "keywords": KEYWORDS, "skills": "./skills/", "mcpServers": "./.mcp.json",
                "hooks": "./hooks/codex-hooks.json",
                "interface": {
                    "displayName": NAME, "shortDescription": "Guardrails, checks and memory", "developerName": "The sprag developers",
                    "category": "Developer Tools",
                },
            }),
        ),
        // Only these two keys: one more, and it reads no hook at all.
        PluginFile::json("hooks/codex-hooks.json", &json!({ "description": "sprag", "hooks": parts.hooks })),
        PluginFile::json(".mcp.json", &servers(parts, Some("stdio"))),
        skill(),
        readme(),
    ];
    let mut files: Vec<PluginFile> = inner
        .into_iter()
        .map(|file| PluginFile { path: format!("{FOLDER}/{}", file.path), ..file })
        .collect();
    files.push(PluginFile::json(
        ".agents/plugins/marketplace.json",
        &json!({
            "name": NAME, "interface": { "displayName": NAME },
            "plugins": [{
                "name": NAME, "source": { "source": "local", "path": format!("./{FOLDER}") },
                "policy": { "installation": "AVAILABLE", "authentication": "ON_INSTALL" }, "category": "Developer Tools",
            }],
        }),
    ));
    files
}
