//! What the guards share: the command of an event, analysed once; the files that nobody but a person may change;
//! what a person approved.

pub mod agent_settings;
pub mod approvals;
pub mod links;
pub mod message;
pub mod protected;
pub mod shell;
