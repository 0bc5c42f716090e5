//! Who may post under which name: a seat as itself only. Pure.

use super::part::Part;
use sprag_store::PatternView;

/// The name of whoever coordinates.
pub const COORDINATOR: &str = "coordinator";

/// Why a post is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotYours {
    /// The caller has a seat of its own.
    #[error("you are `{0}` in this run")]
    Seated(String),
    /// The seat belongs to another session, or the caller is a person.
    #[error("the seat `{0}` belongs to another agent")]
    Another(String),
    /// Inside an agent, only members and the coordinator post.
    #[error("there is no member `{0}` in this run")]
    Unknown(String),
}

/// The name under which a post is made. `own` is the caller's part by its environment, `session` the one around it; a person has
/// neither. Subagents share a session: their hooks tell them apart (`may_post`).
pub fn author(
    view: &PatternView,
    wanted: Option<&str>,
    own: Option<&Part>,
    session: Option<&str>,
) -> Result<String, NotYours> {
    if let Some(part) = own.filter(|part| part.run == view.run.id) {
        let own = if part.leads() { COORDINATOR } else { &part.member };
        return match wanted {
            Some(wanted) if wanted != own => Err(NotYours::Seated(own.to_owned())),
            _ => Ok(own.to_owned()),
        };
    }
    let Some(wanted) = wanted.filter(|wanted| *wanted != COORDINATOR) else {
        return Ok(COORDINATOR.to_owned());
    };
    match (view.members.iter().find(|member| member.member == wanted), session) {
        (Some(member), Some(session)) if member.session == session => Ok(wanted.to_owned()),
        (Some(_), _) => Err(NotYours::Another(wanted.to_owned())),
        (None, Some(_)) => Err(NotYours::Unknown(wanted.to_owned())),
        (None, None) => Ok(wanted.to_owned()),
    }
}

/// Whether an agent whose part is this one may post to a run under a name. `None` is an agent without a part, such as the
/// session that coordinates: it does not speak for its subagents.
pub fn may_post(own: Option<&Part>, run: &str, wanted: Option<&str>) -> Result<(), NotYours> {
    match (own.filter(|part| part.run == run), wanted) {
        (Some(part), wanted) if wanted != Some(part.member.as_str()) => {
            Err(NotYours::Seated(part.member.clone()))
        }
        (None, Some(wanted)) if wanted != COORDINATOR => Err(NotYours::Another(wanted.to_owned())),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_store::{MemberRow, RunRow};

    fn view() -> PatternView {
        let run = RunRow { id: "r".into(), ..RunRow::default() };
        let member = MemberRow { member: "a1".into(), session: "s1".into(), ..MemberRow::default() };
        PatternView { run, members: vec![member], posts: Vec::new() }
    }

    fn part(member: &str) -> Part {
        Part { run: "r".into(), member: member.into(), ..Part::default() }
    }

    #[test]
    fn a_seat_posts_as_itself_and_as_nobody_else() {
        let own = part("a1");
        assert_eq!(author(&view(), None, Some(&own), Some("s1")), Ok("a1".into()));
        assert_eq!(author(&view(), Some("a2"), Some(&own), Some("s1")), Err(NotYours::Seated("a1".into())));
        assert_eq!(author(&view(), Some("a1"), None, Some("s1")), Ok("a1".into()));
        assert_eq!(author(&view(), Some("a1"), None, Some("s2")), Err(NotYours::Another("a1".into())));
        assert_eq!(author(&view(), Some("a1"), None, None), Err(NotYours::Another("a1".into())), "a person");
        assert_eq!(author(&view(), Some("ada"), None, None), Ok("ada".into()));
        assert_eq!(author(&view(), Some("ada"), None, Some("s1")), Err(NotYours::Unknown("ada".into())));
        assert_eq!(author(&view(), None, None, Some("s1")), Ok(COORDINATOR.into()));
    }

    #[test]
    fn subagents_of_one_session_are_told_apart() {
        let own = part("a1");
        assert!(may_post(Some(&own), "r", Some("a1")).is_ok());
        assert!(may_post(Some(&own), "r", Some("a2")).is_err());
        assert!(may_post(Some(&own), "r", None).is_err(), "it is no coordinator");
        assert!(may_post(None, "r", Some("a1")).is_err());
        assert!(may_post(None, "r", None).is_ok() && may_post(None, "r", Some(COORDINATOR)).is_ok());
    }
}
