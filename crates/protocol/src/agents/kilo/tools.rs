//! Its tools are OpenCode's.

pub(super) use crate::agents::opencode::{TABLE, TOOLS};
