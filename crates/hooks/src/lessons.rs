//! What the hooks about lessons share: a call as lessons see it, where it is made, and the work of the background.

pub mod call;
pub mod jobs;
pub mod speak;
pub mod strip;
