//! What the guards share: the command of an event, analysed once; the files that nobody but a person may change; what a
//! destructive command would lose.

pub mod agent_settings;
pub mod commit;
pub mod links;
pub mod loss;
pub mod manifest;
pub mod protected;
pub mod scripts;
pub mod session_record;
pub mod shell;
pub mod values;
