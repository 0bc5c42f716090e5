//! Its plugin: manifest, hooks, MCP server, slash commands, a skill; and the marketplace that installs it. When that is wanted,
//! a module of function hooks ("mod").

use crate::agents::plugin::{
    ABOUT, COMMANDS, KEYWORDS, LICENSE, NAME, PluginFile, PluginParts, SlashCommand, readme, servers, skill,
};
use serde_json::{Value, json};

/// The module. It decides nothing: it gives what the other hooks answered in forms that only a module can give.
const MODULE: &str = include_str!("mod.mjs");

pub(super) fn files(parts: &PluginParts<'_>) -> Vec<PluginFile> {
    let mut files = vec![
        PluginFile::json(
            ".claude-plugin/plugin.json",
            &json!({
                "name": NAME, "version": parts.version, "description": ABOUT, "author": { "name": "The sprag developers" },
                "license": LICENSE, "keywords": KEYWORDS,
            }),
        ),
        hooks(parts),
        PluginFile::json(".mcp.json", &servers(parts, Some("stdio"))),
        skill(),
        readme(),
    ];
    if parts.mods {
        files.push(module(parts));
    }
    files.extend(COMMANDS.iter().map(|command| slash(parts, command)));
    files
}

fn hooks(parts: &PluginParts<'_>) -> PluginFile {
    let description = "sprag answers every event it has hooks for";
    let all = if parts.mods {
        json!({ "description": description, "hooks": parts.hooks, "modules": ["./sprag.mjs"] })
    } else {
        json!({ "description": description, "hooks": parts.hooks })
    };
    PluginFile::json("hooks/hooks.json", &all)
}

/// The module, which starts this program.
fn module(parts: &PluginParts<'_>) -> PluginFile {
    // A text of JSON is one of JavaScript.
    let program = Value::from(parts.exe).to_string();
    PluginFile::new("hooks/sprag.mjs", format!("const PROGRAM = {program};\n{MODULE}"))
}

/// The marketplace of a folder that holds the plugin at its root.
pub(super) fn marketplace(parts: &PluginParts<'_>) -> PluginFile {
    PluginFile::json(
        ".claude-plugin/marketplace.json",
        &json!({
            "name": NAME, "owner": { "name": "The sprag developers" }, "description": ABOUT,
            "plugins": [{ "name": NAME, "source": "./", "description": ABOUT, "version": parts.version, "category": "security" }],
        }),
    )
}

fn slash(parts: &PluginParts<'_>, command: &SlashCommand) -> PluginFile {
    let SlashCommand { name, about, words, then } = command;
    let call = format!("{} {words}", parts.word);
    // A command that has nothing to say fails; the model is told why instead of the person getting an error.
    PluginFile::new(
        format!("commands/{name}.md"),
        format!(
            "---\ndescription: {about}\nallowed-tools: Bash({call}:*)\n---\n\nThe output of `sprag {words}`:\n\n!`{call} 2>&1 || true`\n\n{then}\n"
        ),
    )
}
