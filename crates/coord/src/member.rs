//! Who a session is in its team: the agent's name and role, as its environment says.

use sprag_config::host::Host;
use sprag_store::Role;

/// The agent's name: `SPRAG_AGENT_NAME`, else the program's.
pub fn name(host: &Host, program: &str) -> String {
    host.env.get("SPRAG_AGENT_NAME").filter(|name| is_name(name)).unwrap_or_else(|| program.to_owned())
}

/// The role from the environment: `SPRAG_AGENT_ROLE`; `None` leaves what the store knows.
pub fn role(host: &Host) -> Option<Role> {
    Role::of(&host.env.get("SPRAG_AGENT_ROLE")?)
}

/// What may be a name: letters, digits, `-`, `_`, `.`, at most 64.
pub fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 64
        && !name.starts_with('-')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}
