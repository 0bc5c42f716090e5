//! Which part an agent has in a pattern, from `PATTERN_TYPE` and its role variables. Pure.

use super::kind::PatternKind;
use serde::{Deserialize, Serialize};

/// What a run is set to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Conf {
    /// Jury: members are kept from what others wrote.
    pub strict: bool,
    /// Rounds of those that take turns.
    pub rounds: i64,
    /// Jury: more than this share of the votes decides, in percent.
    pub threshold: i64,
    /// Failures in a row that open the circuit.
    pub failures: i64,
    /// What it is about, for the members.
    pub task: String,
    /// By seat: the stage's work, the key to write, the events to get.
    pub seats: Vec<String>,
}

impl Default for Conf {
    fn default() -> Self {
        Self { strict: false, rounds: 3, threshold: 50, failures: 3, task: String::new(), seats: Vec::new() }
    }
}

/// An agent's part in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The pattern.
    pub kind: String,
    /// The project.
    pub project: String,
    /// The run's id.
    pub run: String,
    /// The one key of this member, at its start and at its end; empty for whoever coordinates.
    pub member: String,
    /// Its role.
    pub role: String,
    /// Its place; `None` until the store gave one.
    pub seat: Option<i64>,
    /// How many members there will be; 0 is not known.
    pub total: i64,
    /// Keys or events that it may read; empty is all.
    #[serde(default)]
    pub reads: Vec<String>,
    /// Keys that it may write; empty is all.
    #[serde(default)]
    pub writes: Vec<String>,
    /// Whom it reports to.
    #[serde(default)]
    pub reports_to: String,
    /// Depth in a hierarchy, or the round.
    #[serde(default)]
    pub level: i64,
    /// What the environment says beforehand: escalate, resolved, the circuit's state.
    #[serde(default)]
    pub given: String,
    /// It came from the environment: the name may be used again.
    #[serde(default)]
    pub from_env: bool,
    /// What the run is set to.
    #[serde(default)]
    pub conf: Conf,
}

impl Part {
    /// The pattern.
    pub fn kind(&self) -> Option<PatternKind> {
        PatternKind::parse(&self.kind)
    }

    /// True for whoever coordinates.
    pub fn leads(&self) -> bool {
        self.member.is_empty()
    }
}

/// A name that may become a key: letters, digits, `_` and `-`, at most 64.
pub fn is_safe(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// The variable that names the run.
pub(super) const fn id_variable(kind: PatternKind) -> &'static str {
    match kind {
        PatternKind::Swarm => "SWARM_ID",
        PatternKind::Jury => "JURY_ID",
        PatternKind::Pipeline => "PIPELINE_ID",
        PatternKind::GeneratorCritic => "GC_ID",
        PatternKind::Hierarchical => "HIERARCHY_ID",
        PatternKind::MapReduce => "MR_ID",
        PatternKind::Blackboard => "BLACKBOARD_ID",
        PatternKind::CircuitBreaker => "CB_ID",
        PatternKind::ChainOfResponsibility => "COR_ID",
        PatternKind::Adversarial => "ADV_ID",
        PatternKind::EventDriven => "EVENT_BUS_ID",
    }
}

/// Why the environment gives no part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartError {
    /// The pattern's name is unknown.
    #[error("PATTERN_TYPE: unknown pattern `{0}`")]
    UnknownPattern(String),
    /// The variable that names the run is not set.
    #[error("PATTERN_TYPE={pattern} needs {variable}")]
    NoRun {
        /// The pattern.
        pattern: String,
        /// The variable.
        variable: &'static str,
    },
    /// The run's name cannot be a key.
    #[error("{0} may hold letters, digits, `_` and `-`, at most 64")]
    UnsafeRun(&'static str),
}

/// The part that the environment gives: `None` without a pattern, an error when it does not add up.
pub fn from_env(get: &dyn Fn(&str) -> Option<String>, project: &str) -> Result<Option<Part>, PartError> {
    let Some(name) = get("PATTERN_TYPE").filter(|name| name != "task") else { return Ok(None) };
    let kind = PatternKind::parse(&name).ok_or_else(|| PartError::UnknownPattern(name.clone()))?;
    let variable = id_variable(kind);
    let id = get(variable).ok_or(PartError::NoRun { pattern: name, variable })?;
    if !is_safe(&id) {
        return Err(PartError::UnsafeRun(variable));
    }
    let number = |name: &str| get(name).and_then(|text| text.trim().parse::<i64>().ok()).filter(|n| *n >= 0);
    let list = |name: &str| get(name).map(|text| names(&text)).unwrap_or_default();
    let (seat, total) = match kind {
        PatternKind::Jury => (number("JUROR_INDEX"), number("TOTAL_JURORS")),
        PatternKind::Pipeline => (number("PIPELINE_STAGE_INDEX"), number("PIPELINE_TOTAL_STAGES")),
        PatternKind::MapReduce => (number("MAPPER_INDEX"), number("TOTAL_MAPPERS")),
        PatternKind::ChainOfResponsibility => (number("HANDLER_PRIORITY"), number("CHAIN_LENGTH")),
        _ => (None, None),
    };
    let own = get("AGENT_ID").filter(|id| is_safe(id));
    let role = get("AGENT_ROLE").map(|role| role.trim().to_ascii_lowercase());
    let leads = match (kind, role.as_deref()) {
        (_, Some("coordinator" | "lead")) => true,
        (PatternKind::Swarm, _) => own.is_none(),
        (PatternKind::Jury | PatternKind::Pipeline | PatternKind::ChainOfResponsibility, _) => seat.is_none(),
        (_, role) => role.is_none_or(|role| role == kind.lead()),
    };
    let role = match role {
        _ if leads => kind.lead().to_owned(),
        Some(role) if is_safe(&role) => role,
        _ => kind.role(seat.unwrap_or(0)).to_owned(),
    };
    let member = match (leads, own, seat) {
        (true, ..) => String::new(),
        (_, Some(own), None) => own,
        (_, _, Some(seat)) => format!("{role}-{seat}"),
        (_, None, None) => role.clone(),
    };
    let conf = Conf {
        strict: get("JURY_ISOLATION").is_some_and(|mode| mode == "strict"),
        rounds: number("GC_MAX_ROUNDS").or_else(|| number("ADVERSARIAL_MAX_ROUNDS")).unwrap_or(3).max(1),
        ..Conf::default()
    };
    let level =
        number("HIERARCHY_LEVEL").or_else(|| number("GC_ITERATION")).or_else(|| number("ADVERSARIAL_ROUND"));
    let given = if get("COR_RESOLVED").is_some_and(|text| text == "true" || text == "1") {
        "resolved".to_owned()
    } else if get("COR_ESCALATE").is_some_and(|text| text == "true" || text == "1") {
        "escalated".to_owned()
    } else {
        get("CIRCUIT_STATE").unwrap_or_default()
    };
    let reads = list(if kind == PatternKind::EventDriven {
        "SUBSCRIBER_EVENT_TYPES"
    } else {
        "BLACKBOARD_READS_FROM"
    });
    Ok(Some(Part {
        kind: kind.name().to_owned(),
        project: project.to_owned(),
        run: id,
        member,
        role,
        seat,
        total: total.unwrap_or(0),
        reads,
        writes: list("BLACKBOARD_WRITES_TO"),
        reports_to: get("COORDINATOR_ID").filter(|id| is_safe(id)).unwrap_or_default(),
        level: level.unwrap_or(0),
        given,
        from_env: true,
        conf,
    }))
}

/// Names in a list: a JSON array, or separated by commas.
fn names(text: &str) -> Vec<String> {
    serde_json::from_str::<Vec<String>>(text).unwrap_or_else(|_| {
        text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(vars: &[(&str, &str)]) -> Result<Option<Part>, PartError> {
        let get =
            |name: &str| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        from_env(&get, "shop")
    }

    #[test]
    fn roles_come_from_the_variables_of_each_pattern() {
        for (vars, role, member, seat) in [
            (&[("PATTERN_TYPE", "swarm"), ("SWARM_ID", "x"), ("AGENT_ID", "a1")][..], "agent", "a1", None),
            (&[("PATTERN_TYPE", "swarm"), ("SWARM_ID", "x")], "coordinator", "", None),
            (
                &[("PATTERN_TYPE", "jury"), ("JURY_ID", "x"), ("JUROR_INDEX", "1")],
                "juror",
                "juror-1",
                Some(1),
            ),
            (&[("PATTERN_TYPE", "jury"), ("JURY_ID", "x")], "coordinator", "", None),
            (
                &[
                    ("PATTERN_TYPE", "map_reduce"),
                    ("MR_ID", "x"),
                    ("AGENT_ROLE", "mapper"),
                    ("MAPPER_INDEX", "2"),
                ],
                "mapper",
                "mapper-2",
                Some(2),
            ),
            (
                &[("PATTERN_TYPE", "map-reduce"), ("MR_ID", "x"), ("AGENT_ROLE", "reducer")],
                "reducer",
                "",
                None,
            ),
            (
                &[
                    ("PATTERN_TYPE", "hierarchical"),
                    ("HIERARCHY_ID", "x"),
                    ("AGENT_ROLE", "specialist"),
                    ("AGENT_ID", "s1"),
                ],
                "specialist",
                "s1",
                None,
            ),
            (
                &[("PATTERN_TYPE", "generator_critic"), ("GC_ID", "x"), ("AGENT_ROLE", "critic")],
                "critic",
                "critic",
                None,
            ),
            (&[("PATTERN_TYPE", "adversarial"), ("ADV_ID", "x"), ("AGENT_ROLE", "judge")], "judge", "", None),
            (
                &[("PATTERN_TYPE", "blackboard"), ("BLACKBOARD_ID", "x"), ("AGENT_ROLE", "controller")],
                "controller",
                "",
                None,
            ),
            (
                &[("PATTERN_TYPE", "chain_of_responsibility"), ("COR_ID", "x"), ("HANDLER_PRIORITY", "0")],
                "handler",
                "handler-0",
                Some(0),
            ),
        ] {
            let part = part(vars).unwrap().unwrap();
            let got = (part.role.as_str(), part.member.as_str(), part.seat);
            assert_eq!(got, (role, member, seat), "{vars:?}");
        }
    }

    #[test]
    fn what_does_not_add_up_is_said_and_nothing_else_is_a_pattern() {
        assert_eq!(part(&[]), Ok(None));
        assert_eq!(part(&[("PATTERN_TYPE", "task")]), Ok(None));
        assert!(part(&[("PATTERN_TYPE", "jurry"), ("JURY_ID", "x")]).is_err());
        assert!(part(&[("PATTERN_TYPE", "jury")]).unwrap_err().to_string().contains("JURY_ID"));
        assert!(part(&[("PATTERN_TYPE", "jury"), ("JURY_ID", "../x")]).is_err());
    }

    #[test]
    fn event_types_are_a_json_array() {
        let vars = [
            ("PATTERN_TYPE", "event_driven"),
            ("EVENT_BUS_ID", "b"),
            ("AGENT_ROLE", "subscriber"),
            ("SUBSCRIBER_EVENT_TYPES", "[\"build\", \"*\"]"),
        ];
        assert_eq!(part(&vars).unwrap().unwrap().reads, ["build", "*"]);
    }
}
