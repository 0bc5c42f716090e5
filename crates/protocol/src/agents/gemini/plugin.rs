//! Its extension: manifest, hooks, MCP server, commands, a skill.

use crate::agents::plugin::{
    ABOUT, COMMANDS, NAME, PluginFile, PluginParts, SlashCommand, readme, servers, skill,
};
use crate::agents::sandbox::toml_string;
use serde_json::json;

pub(super) fn files(parts: &PluginParts<'_>) -> Vec<PluginFile> {
    let mut manifest = servers(parts, None);
    if let Some(map) = manifest.as_object_mut() {
        map.insert("name".to_owned(), json!(NAME));
        map.insert("version".to_owned(), json!(parts.version));
        map.insert("description".to_owned(), json!(ABOUT));
    }
    let mut files = vec![
        PluginFile::json("gemini-extension.json", &manifest),
        PluginFile::json("hooks/hooks.json", &json!({ "hooks": parts.hooks })),
        skill(),
        readme(),
    ];
    files.extend(COMMANDS.iter().map(|command| slash(parts, command)));
    files
}

fn slash(parts: &PluginParts<'_>, command: &SlashCommand) -> PluginFile {
    let SlashCommand { name, about, words, then } = command;
    let text =
        format!("The output of `sprag {words}`:\n\n!{{{} {words} 2>&1 || true}}\n\n{then}\n", parts.word);
    PluginFile::new(
        format!("commands/{NAME}/{name}.toml"),
        format!("description = {}\nprompt = \"\"\"\n{text}\"\"\"\n", toml_string(about)),
    )
}
