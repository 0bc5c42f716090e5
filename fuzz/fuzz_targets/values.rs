//! The input of a tool that only its server knows: its values, and the verdict on every command among them.
#![no_main]

use sprag_protocol::ToolCall;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(input) = serde_json::from_slice::<serde_json::Value>(data) else { return };
    for name in ["mcp__x__do", "mcp__term__send", "mcp__pg__query", "WebFetch"] {
        let values = sprag_guard::values::of(&ToolCall::new(name, name, &input), &input);
        for command in values.commands.iter().take(8) {
            sprag_rules::fuzz_one(command.as_bytes());
        }
    }
});
