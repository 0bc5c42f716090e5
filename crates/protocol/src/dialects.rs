//! The dialect of an agent, by its id or by what only it sends.

use crate::agents::{AGENTS, AgentId, AgentSpec};
use crate::decode::Env;
use crate::dialect::Dialect;
use serde_json::{Map, Value};

/// The dialect of an agent.
pub const fn of(agent: AgentId) -> &'static Dialect {
    agent.spec().dialect
}

/// The host behind a payload, by what only it sends. One project's settings file is executed by several
/// programs, so the registration alone does not say; the canonical agent is what remains.
pub fn detect(raw: &Map<String, Value>, env: Env<'_>) -> &'static Dialect {
    (0..=u8::MAX)
        .take(AGENTS.len())
        .flat_map(|order| {
            AGENTS.into_iter().map(|agent| agent.dialect).filter(move |d| d.detection_order == order)
        })
        .find(|dialect| (dialect.is_host)(raw, env))
        .unwrap_or_else(|| of(AgentId::CANONICAL))
}

/// The dialect of a payload that was sent to a registration of `agent`. Other agents run the canonical agent's files
/// too: what they send says so.
pub fn caller(agent: AgentId, raw: &Map<String, Value>, env: Env<'_>) -> &'static Dialect {
    if agent != AgentId::CANONICAL {
        return of(agent);
    }
    readers()
        .map(|spec| spec.dialect)
        .find(|dialect| (dialect.is_host)(raw, env))
        .unwrap_or_else(|| of(agent))
}

/// The agents that run the canonical agent's files too.
pub fn readers() -> impl Iterator<Item = &'static AgentSpec> {
    AGENTS.into_iter().filter(|spec| spec.settings.reads_canonical_files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_has_its_place_in_the_order_of_detection() {
        let mut orders: Vec<usize> =
            AgentId::ALL.iter().map(|agent| usize::from(of(*agent).detection_order)).collect();
        orders.sort_unstable();
        assert_eq!(orders, (0..AGENTS.len()).collect::<Vec<_>>());
    }
}
