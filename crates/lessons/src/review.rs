//! What a person's yes or no makes of a lesson.

use crate::model::{Lesson, Status};
use sprag_scan::scrub::scrub;

/// The least confidence of a lesson that a person looked at: what the scanner was unsure about no longer counts against it.
const LOOKED_AT: f64 = 0.7;

/// A changed lesson as it is kept: without secrets, newer than before, with everything that follows from its texts.
pub fn ready(mut lesson: Lesson, now: i64) -> Lesson {
    for text in [&mut lesson.summary, &mut lesson.problem, &mut lesson.solution] {
        *text = scrub(text).into_owned();
    }
    lesson.updated = now.max(lesson.updated + 1);
    lesson.settled(sprag_store::new_id)
}

/// The lesson, active.
pub fn accepted(lesson: Lesson, now: i64) -> Lesson {
    let confidence = lesson.confidence.max(LOOKED_AT);
    let status = Status::Active;
    ready(Lesson { status, reviewed: Some(now), archive_reason: None, confidence, ..lesson }, now)
}

/// The lesson, kept for the record.
pub fn archived(lesson: Lesson, reason: &str, now: i64) -> Lesson {
    let reason = Some(reason.to_owned()).filter(|reason| !reason.is_empty());
    ready(Lesson { status: Status::Archived, archive_reason: reason, ..lesson }, now)
}
