//! The real agents, driven by a scripted model, with sprag between them and what they do.

mod agents;
mod claude;
mod code;
mod contract;
mod guards;
mod knowledge;
mod lessons;
mod patterns;
mod prompt;
mod recall;
mod rig;
mod team;
mod verify;
