//! Claims as hooks use them: what a call is about to change, who else works on it, and what is told of that.

pub mod committed;
pub mod fresh;
pub mod place;
pub mod wanted;
pub mod words;

use sprag_protocol::Event;
use sprag_runtime::heartbeat;
use sprag_runtime::hook::Cx;
use sprag_store::Claimant;

/// A session that holds no lease (session-register is off) has claims of this many seconds.
const LEASE: u64 = 600;

/// This session, as the store knows those that claim.
pub fn claimant(event: &Event, cx: &Cx<'_>) -> Claimant {
    let lease = cx.session.read(heartbeat::LEASE).trim().parse().unwrap_or(LEASE);
    Claimant {
        agent: event.agent.name().to_owned(),
        session: event.session_id.clone(),
        host: cx.host.machine(),
        lease: (lease * 1_000_000) as i64,
    }
}
