//! The seats of a run as tasks, for a dispatcher that starts an agent for each: which can start now, what its environment is,
//! and what it is told. Pure.

use super::kind::PatternKind;
use super::part::{Conf, Part, from_env, id_variable};
use super::status::{Status, conf_of};
use super::texts;
use sprag_store::PatternView;

/// A seat that a task is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The run.
    pub run: String,
    /// Its pattern.
    pub kind: PatternKind,
    /// From 0.
    pub number: i64,
    /// How many there are; 0 when that is open.
    pub total: i64,
    /// What the run is set to.
    pub conf: Conf,
}

/// What the sources of all tasks of a run begin with.
pub fn source_of(run: &str) -> String {
    format!("pattern:{run}:")
}

/// The run and the seat that a task is for, by its source.
pub fn seat_of(source: &str) -> Option<(&str, i64)> {
    let (run, seat) = source.strip_prefix("pattern:")?.rsplit_once(':')?;
    Some((run, seat.parse().ok()?))
}

/// True for patterns whose members work one after another.
pub const fn in_order(kind: PatternKind) -> bool {
    matches!(
        kind,
        PatternKind::Pipeline
            | PatternKind::GeneratorCritic
            | PatternKind::CircuitBreaker
            | PatternKind::ChainOfResponsibility
            | PatternKind::Adversarial
    )
}

/// The seats that can start now, when nobody of this run is at work.
pub fn startable(view: &PatternView, status: &Status) -> Vec<Seat> {
    let Some(kind) = PatternKind::parse(&view.run.kind) else { return Vec::new() };
    let taken = i64::try_from(view.members.len()).unwrap_or(0);
    let numbers = match (status.complete, in_order(kind)) {
        (true, _) => 0..0,
        (false, false) => 0..view.run.total,
        (false, true) if taken == 0 || status.next.is_some() => taken..taken + 1,
        (false, true) => 0..0,
    };
    let seat =
        |number| Seat { run: view.run.id.clone(), kind, number, total: view.run.total, conf: conf_of(view) };
    numbers.map(seat).collect()
}

impl Seat {
    /// The seat of a run with this number.
    pub fn of(view: &PatternView, number: i64) -> Option<Self> {
        let kind = PatternKind::parse(&view.run.kind)?;
        Some(Self { run: view.run.id.clone(), kind, number, total: view.run.total, conf: conf_of(view) })
    }

    /// Where its task comes from.
    pub fn source(&self) -> String {
        format!("{}{}", source_of(&self.run), self.number)
    }

    /// The task's one line: `juror 2 of jury-1f8e2a`.
    pub fn title(&self) -> String {
        format!("{} {} of {}", self.kind.role(self.number), self.number + 1, self.run)
    }

    /// The variables that make an agent this member.
    pub fn env(&self) -> Vec<(String, String)> {
        let (number, total) = (self.number.to_string(), self.total.to_string());
        let role = self.kind.role(self.number);
        let own = usize::try_from(self.number).ok().and_then(|at| self.conf.seats.get(at)).cloned();
        let round = (self.number / 2 + 1).to_string();
        let rounds = self.conf.rounds.to_string();
        let named = ("AGENT_ID", format!("{role}-{}", self.number));
        let mut vars =
            vec![("PATTERN_TYPE", self.kind.name().to_owned()), (id_variable(self.kind), self.run.clone())];
        match self.kind {
            PatternKind::Swarm => vars.push(named),
            PatternKind::Jury => {
                vars.extend([("JUROR_INDEX", number), ("TOTAL_JURORS", total)]);
                if self.conf.strict {
                    vars.push(("JURY_ISOLATION", "strict".to_owned()));
                }
            }
            PatternKind::Pipeline => {
                vars.extend([("PIPELINE_STAGE_INDEX", number), ("PIPELINE_TOTAL_STAGES", total)]);
            }
            PatternKind::MapReduce => {
                vars.extend([
                    ("AGENT_ROLE", role.to_owned()),
                    ("MAPPER_INDEX", number),
                    ("TOTAL_MAPPERS", total),
                ]);
            }
            PatternKind::ChainOfResponsibility => {
                vars.extend([("HANDLER_PRIORITY", number), ("CHAIN_LENGTH", total)]);
            }
            PatternKind::GeneratorCritic => {
                vars.extend([
                    ("AGENT_ROLE", role.to_owned()),
                    named,
                    ("GC_ITERATION", round),
                    ("GC_MAX_ROUNDS", rounds),
                ]);
            }
            PatternKind::Adversarial => vars.extend([
                ("AGENT_ROLE", role.to_owned()),
                named,
                ("ADVERSARIAL_ROUND", round),
                ("ADVERSARIAL_MAX_ROUNDS", rounds),
            ]),
            PatternKind::Hierarchical | PatternKind::CircuitBreaker => {
                vars.extend([("AGENT_ROLE", role.to_owned()), named]);
            }
            PatternKind::Blackboard => {
                vars.extend([("AGENT_ROLE", role.to_owned()), named]);
                vars.extend(own.map(|key| ("BLACKBOARD_WRITES_TO", key)));
            }
            PatternKind::EventDriven => {
                vars.extend([("AGENT_ROLE", role.to_owned()), named]);
                vars.extend(own.map(|event| ("SUBSCRIBER_EVENT_TYPES", event)));
            }
        }
        vars.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The part that these variables give, in this project.
    pub fn part(&self, project: &str) -> Option<Part> {
        let env = self.env();
        let get = |name: &str| env.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        let part = from_env(&get, project).ok().flatten()?;
        Some(Part { seat: Some(self.number), total: self.total, conf: self.conf.clone(), ..part })
    }

    /// What its agent is told.
    pub fn goal(&self, project: &str) -> String {
        self.part(project).and_then(|part| texts::start(&part)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_store::{MemberRow, RunRow};

    fn view(kind: PatternKind, total: i64, members: &[(&str, &str)]) -> PatternView {
        let run = RunRow { id: "r1".into(), kind: kind.name().into(), total, ..RunRow::default() };
        let row = |(at, (member, state)): (usize, &(&str, &str))| MemberRow {
            member: (*member).into(),
            seat: at as i64,
            state: (*state).into(),
            ..MemberRow::default()
        };
        PatternView { run, members: members.iter().enumerate().map(row).collect(), posts: Vec::new() }
    }

    fn numbers(view: &PatternView) -> Vec<i64> {
        let status = super::super::status::status(view, 0, 1);
        startable(view, &status).into_iter().map(|seat| seat.number).collect()
    }

    #[test]
    fn jurors_start_together_and_stages_one_after_another() {
        assert_eq!(numbers(&view(PatternKind::Jury, 3, &[])), [0, 1, 2]);
        assert_eq!(numbers(&view(PatternKind::Pipeline, 3, &[])), [0]);
        assert_eq!(numbers(&view(PatternKind::Pipeline, 3, &[("stage-0", "done")])), [1]);
        let all = [("stage-0", "done"), ("stage-1", "done")];
        assert_eq!(numbers(&view(PatternKind::Pipeline, 2, &all)), Vec::<i64>::new());
    }

    #[test]
    fn a_fallback_and_the_next_handler_start_only_when_they_are_needed() {
        assert_eq!(numbers(&view(PatternKind::CircuitBreaker, 2, &[])), [0]);
        assert!(numbers(&view(PatternKind::CircuitBreaker, 2, &[("primary-0", "done")])).is_empty());
        assert_eq!(numbers(&view(PatternKind::CircuitBreaker, 2, &[("primary-0", "failed")])), [1]);
        assert_eq!(numbers(&view(PatternKind::ChainOfResponsibility, 3, &[("handler-0", "escalated")])), [1]);
        assert!(
            numbers(&view(PatternKind::ChainOfResponsibility, 3, &[("handler-0", "resolved")])).is_empty()
        );
    }

    /// Whatever the variables say is what the hooks of the started agent read.
    #[test]
    fn every_seat_of_every_pattern_is_a_member_of_its_own() {
        for kind in PatternKind::ALL {
            let conf = Conf { seats: vec!["schema".into(), "api".into()], ..Conf::default() };
            let seats =
                (0..4).map(|number| Seat { run: "r1".into(), kind, number, total: 4, conf: conf.clone() });
            let parts: Vec<Part> = seats.clone().map(|seat| seat.part("shop").unwrap()).collect();
            let mut names: Vec<&str> = parts.iter().map(|part| part.member.as_str()).collect();
            names.dedup();
            assert!(names.len() == 4 && parts.iter().all(|part| !part.leads()), "{kind:?} {names:?}");
            for (seat, part) in seats.zip(&parts) {
                assert_eq!(part.role, kind.role(seat.number), "{kind:?}");
                assert!(seat.goal("shop").contains("r1"), "{kind:?}");
                assert_eq!(seat_of(&seat.source()), Some(("r1", seat.number)));
            }
        }
    }
}
