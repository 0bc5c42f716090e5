//! What the guards share: the command of an event, analysed once; the files that nobody but a person may change; what a
//! destructive command would lose.

pub mod agent_settings;
pub mod auto_run;
pub mod cluster;
pub mod commit;
pub mod links;
pub mod loss;
pub mod manifest;
pub mod on_disk;
pub mod protected;
pub mod scripts;
pub mod session_record;
pub mod shell;
pub mod tool_names;
pub mod values;

/// The hooks that judge a command, by their names, in the order of their chain.
pub const COMMAND_GUARDS: [&str; 6] =
    ["command-guard", "privacy-block", "session-taint", "strict-rules", "scout-block", "permission-policy"];
