//! What a member is shown of what others posted: each post once, and only what its role may see. Pure.

use super::kind::PatternKind;
use super::part::Part;
use super::status::cut;
use sprag_store::PostRow;

/// Posts that are shown at once.
const MAX_POSTS: usize = 10;

/// True when a member in this part may see a post.
pub(super) fn visible(kind: PatternKind, part: &Part, post: &PostRow) -> bool {
    if post.author == part.member {
        return false;
    }
    let listed = || part.reads.is_empty() || part.reads.iter().any(|name| *name == post.topic || name == "*");
    match kind {
        PatternKind::Swarm => true,
        // Nobody sees a vote before all are in; then the coordinator tells them.
        PatternKind::Jury => false,
        PatternKind::Pipeline => stage(&post.topic).is_some_and(|stage| Some(stage) < part.seat),
        PatternKind::GeneratorCritic | PatternKind::Adversarial => post.role != part.role,
        PatternKind::Hierarchical | PatternKind::MapReduce => post.topic == "broadcast",
        PatternKind::Blackboard | PatternKind::EventDriven => post.topic != "output" && listed(),
        PatternKind::CircuitBreaker => part.role == "fallback" && post.topic == "failure",
        PatternKind::ChainOfResponsibility => post.topic == "escalated",
    }
}

/// The topic of a stage's output.
pub(super) fn stage_topic(seat: i64) -> String {
    format!("stage {}", seat + 1)
}

fn stage(topic: &str) -> Option<i64> {
    topic.strip_prefix("stage ")?.parse::<i64>().ok().map(|number| number - 1)
}

/// The text with what is new after `seen`, and how far it goes.
pub(super) fn since(kind: PatternKind, part: &Part, posts: &[PostRow], seen: i64) -> (Option<String>, i64) {
    let new: Vec<&PostRow> =
        posts.iter().filter(|post| post.seq > seen && visible(kind, part, post)).take(MAX_POSTS).collect();
    let last = match new.last() {
        // More may follow: the next look goes on from here.
        Some(post) if new.len() == MAX_POSTS => post.seq,
        _ => posts.last().map_or(seen, |post| post.seq.max(seen)),
    };
    if new.is_empty() {
        return (None, last);
    }
    let each = (7_000 / new.len()).min(4_000);
    let lines: Vec<String> =
        new.iter().map(|post| format!("- {}: {}", label(kind, post), cut(&post.text, each))).collect();
    (Some(format!("From the others in `{}`:\n{}", part.run, lines.join("\n"))), last)
}

fn label(kind: PatternKind, post: &PostRow) -> String {
    match kind {
        PatternKind::Pipeline => post.topic.clone(),
        PatternKind::Blackboard | PatternKind::EventDriven => post.topic.clone(),
        PatternKind::GeneratorCritic | PatternKind::Adversarial => format!("{} ({})", post.role, post.topic),
        _ if post.topic == "broadcast" || post.topic.is_empty() => post.author.clone(),
        _ => format!("{} ({})", post.author, post.topic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(kind: PatternKind, role: &str, seat: i64) -> Part {
        Part {
            kind: kind.name().into(),
            project: "p".into(),
            run: "r".into(),
            member: "me".into(),
            role: role.into(),
            seat: Some(seat),
            total: 3,
            ..Part::default()
        }
    }

    fn post(seq: i64, author: &str, role: &str, topic: &str) -> PostRow {
        let text = format!("text {seq}");
        PostRow { seq, author: author.into(), role: role.into(), topic: topic.into(), text, at: 0 }
    }

    #[test]
    fn a_juror_sees_nothing_and_a_stage_sees_what_is_before_it() {
        let posts = [
            post(1, "a", "juror", "vote"),
            post(2, "b", "stage", "stage 1"),
            post(3, "c", "stage", "stage 2"),
        ];
        assert_eq!(since(PatternKind::Jury, &part(PatternKind::Jury, "juror", 1), &posts, 0), (None, 3));
        let (text, _) = since(PatternKind::Pipeline, &part(PatternKind::Pipeline, "stage", 1), &posts, 0);
        let text = text.unwrap();
        assert!(text.contains("text 2") && !text.contains("text 3"), "{text}");
    }

    /// Fault of the reference: events were never consumed, so each call showed the same ten again.
    #[test]
    fn fault_events_are_shown_once_and_all_of_them_in_order() {
        let posts: Vec<PostRow> = (1..=25).map(|seq| post(seq, "a", "coordinator", "build")).collect();
        let subscriber =
            Part { reads: vec!["build".into()], ..part(PatternKind::EventDriven, "subscriber", 0) };
        let mut seen = 0;
        let mut shown = Vec::new();
        for _ in 0..4 {
            let (text, last) = since(PatternKind::EventDriven, &subscriber, &posts, seen);
            shown.extend(text.into_iter().flat_map(|text| {
                text.lines()
                    .filter_map(|line| line.rsplit(' ').next()?.parse::<i64>().ok())
                    .collect::<Vec<_>>()
            }));
            seen = last;
        }
        assert_eq!(shown, (1..=25).collect::<Vec<i64>>());
        let deaf = Part { reads: vec!["deploy".into()], ..subscriber };
        assert_eq!(since(PatternKind::EventDriven, &deaf, &posts, 0).0, None);
    }
}
