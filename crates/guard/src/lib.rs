//! What the guards share: the command of an event, analysed once; the files that nobody but a person may change; what a
//! destructive command would lose.

pub mod agent_settings;
pub mod links;
pub mod loss;
pub mod protected;
pub mod shell;
