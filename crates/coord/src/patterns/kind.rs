//! The patterns by name: who coordinates, which role sits in which seat. Pure.

/// A way for several agents to work on one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PatternKind {
    /// Equals that see each other's broadcasts.
    Swarm,
    /// Votes that nobody sees before all are in.
    Jury,
    /// Stages, each on the output of the one before.
    Pipeline,
    /// One makes, one reviews, until it is approved.
    GeneratorCritic,
    /// One divides the work, specialists do it.
    Hierarchical,
    /// Parts at the same time, then one that puts them together.
    MapReduce,
    /// Values under keys that members write and read.
    Blackboard,
    /// A primary until it fails too often, then a fallback.
    CircuitBreaker,
    /// Handlers in order, each resolves or passes on.
    ChainOfResponsibility,
    /// For and against, then a judge.
    Adversarial,
    /// Subscribers that are given the events they asked for.
    EventDriven,
}

impl PatternKind {
    /// Every pattern.
    pub const ALL: [Self; 11] = [
        Self::Swarm,
        Self::Jury,
        Self::Pipeline,
        Self::GeneratorCritic,
        Self::Hierarchical,
        Self::MapReduce,
        Self::Blackboard,
        Self::CircuitBreaker,
        Self::ChainOfResponsibility,
        Self::Adversarial,
        Self::EventDriven,
    ];

    /// Its name, as `PATTERN_TYPE` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Swarm => "swarm",
            Self::Jury => "jury",
            Self::Pipeline => "pipeline",
            Self::GeneratorCritic => "generator_critic",
            Self::Hierarchical => "hierarchical",
            Self::MapReduce => "map_reduce",
            Self::Blackboard => "blackboard",
            Self::CircuitBreaker => "circuit_breaker",
            Self::ChainOfResponsibility => "chain_of_responsibility",
            Self::Adversarial => "adversarial",
            Self::EventDriven => "event_driven",
        }
    }

    /// The pattern with this name; `-` is as good as `_`.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase().replace('-', "_");
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The role of whoever coordinates.
    pub const fn lead(self) -> &'static str {
        match self {
            Self::MapReduce => "reducer",
            Self::Blackboard => "controller",
            Self::Adversarial => "judge",
            _ => "coordinator",
        }
    }

    /// The role of a member by its seat, when nothing else says it.
    pub const fn role(self, seat: i64) -> &'static str {
        let first = seat % 2 == 0;
        match self {
            Self::Swarm => "agent",
            Self::Jury => "juror",
            Self::Pipeline => "stage",
            Self::GeneratorCritic if first => "generator",
            Self::GeneratorCritic => "critic",
            Self::Hierarchical | Self::Blackboard => "specialist",
            Self::MapReduce => "mapper",
            Self::CircuitBreaker if first => "primary",
            Self::CircuitBreaker => "fallback",
            Self::ChainOfResponsibility => "handler",
            Self::Adversarial if first => "advocate",
            Self::Adversarial => "adversary",
            Self::EventDriven => "subscriber",
        }
    }

    /// The seats of a run for which nobody named a number; 0 is as many as come.
    pub const fn seats(self, rounds: i64) -> i64 {
        match self {
            Self::Jury | Self::ChainOfResponsibility => 3,
            Self::Pipeline | Self::MapReduce | Self::CircuitBreaker => 2,
            Self::GeneratorCritic | Self::Adversarial => 2 * rounds,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_found_by_both_spellings() {
        for kind in PatternKind::ALL {
            assert_eq!(PatternKind::parse(kind.name()), Some(kind));
            assert_eq!(PatternKind::parse(&kind.name().replace('_', "-").to_uppercase()), Some(kind));
        }
        assert_eq!(PatternKind::parse("task"), None);
    }

    #[test]
    fn seats_alternate_where_two_take_turns() {
        let roles: Vec<&str> = (0..4).map(|seat| PatternKind::Adversarial.role(seat)).collect();
        assert_eq!(roles, ["advocate", "adversary", "advocate", "adversary"]);
        assert_eq!(
            (PatternKind::GeneratorCritic.role(0), PatternKind::GeneratorCritic.role(1)),
            ("generator", "critic")
        );
    }
}
