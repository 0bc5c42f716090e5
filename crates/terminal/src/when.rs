//! Times as people read and write them: local, relative, and spans like `7d`.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use sprag_base::time::Stamp;
use std::time::Duration;

/// A point in time on the user's clock.
fn zoned(stamp: Stamp) -> Option<Zoned> {
    let micros = i64::try_from(stamp.0).ok()?;
    Some(Timestamp::from_microsecond(micros).ok()?.to_zoned(TimeZone::system()))
}

/// A point in time on the user's clock: `2026-10-05 12:03:04`.
pub fn local(stamp: Stamp) -> String {
    zoned(stamp).map_or_else(|| stamp.to_string(), |time| time.strftime("%Y-%m-%d %H:%M:%S").to_string())
}

/// When the user's day began.
pub fn midnight(now: Stamp) -> Stamp {
    zoned(now)
        .and_then(|time| time.start_of_day().ok())
        .and_then(|start| u64::try_from(start.timestamp().as_microsecond()).ok())
        .map_or_else(|| now.before(Duration::from_secs(86_400)), Stamp)
}

/// When something was, as people say it: `2 minutes ago`, `yesterday 14:02`, `Monday 09:30`, `5 Oct 12:03`, `2025-12-31`.
pub fn ago(now: Stamp, then: Stamp) -> String {
    match (zoned(now), zoned(then)) {
        (Some(now), Some(then)) => between(&now, &then),
        _ => format!("{} ago", span(Duration::from_micros(now.0.saturating_sub(then.0)))),
    }
}

fn between(now: &Zoned, then: &Zoned) -> String {
    let seconds = now.timestamp().as_second() - then.timestamp().as_second();
    let days = now.date().since(then.date()).map_or(i32::MAX, |span| span.get_days());
    let format = match (seconds, days) {
        (..5, _) => return "just now".to_owned(),
        (..86_400, 0) | (..3_600, _) => {
            return format!("{} ago", span(Duration::from_secs(seconds.unsigned_abs())));
        }
        (_, 1) => "yesterday %H:%M",
        (_, 2..7) => "%A %H:%M",
        _ if now.year() == then.year() => "%-d %b %H:%M",
        _ => "%Y-%m-%d",
    };
    then.strftime(format).to_string()
}

/// A duration in one unit.
pub fn span(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (count, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3_600 => (seconds / 60, "minute"),
        3_600..172_800 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// Microseconds as a person reads them.
pub fn micros(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..100_000 => format!("{:.1} ms", us as f64 / 1_000.0),
        100_000..1_000_000 => format!("{} ms", us / 1_000),
        _ => format!("{:.1} s", us as f64 / 1_000_000.0),
    }
}

/// A text that is not a duration.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid duration `{0}`: write a number and a unit: 90s, 30m, 12h, 7d or 2w")]
pub struct InvalidDuration(String);

/// Reads `30m`, `12h`, `7d`, `2w`.
pub fn parse_span(text: &str) -> Result<Duration, InvalidDuration> {
    sprag_base::time::parse_span(text).ok_or_else(|| InvalidDuration(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_and_said() {
        assert_eq!(parse_span("7d"), Ok(Duration::from_secs(604_800)));
        assert_eq!(parse_span("30m"), Ok(Duration::from_secs(1_800)));
        for wrong in ["", "d", "7", "7 d", "-1d", "seven", "99999999999999999999d", "7é"] {
            assert!(parse_span(wrong).is_err(), "{wrong}");
        }
        assert_eq!(
            (micros(7), micros(1_234), micros(250_000)),
            ("7 µs".into(), "1.2 ms".into(), "250 ms".into())
        );
    }

    #[test]
    fn a_day_begins_before_now() {
        let now = Stamp(1_790_000_000_000_000);
        let start = midnight(now);
        assert!(start <= now && now.0 - start.0 <= 90_000_000_000);
    }

    #[test]
    fn times_are_said_as_people_say_them() {
        let time = |text: &str| -> Zoned { format!("{text}[UTC]").parse().unwrap() };
        let now = time("2026-10-05T12:00:00+00:00");
        for (then, said) in [
            ("2026-10-05T12:00:01", "just now"),
            ("2026-10-05T11:59:58", "just now"),
            ("2026-10-05T11:59:20", "40 seconds ago"),
            ("2026-10-05T11:58:00", "2 minutes ago"),
            ("2026-10-05T00:30:00", "11 hours ago"),
            ("2026-10-04T23:59:00", "yesterday 23:59"),
            ("2026-10-04T14:02:00", "yesterday 14:02"),
            ("2026-10-01T09:30:00", "Thursday 09:30"),
            ("2026-09-28T12:03:00", "28 Sep 12:03"),
            ("2025-12-31T12:03:00", "2025-12-31"),
        ] {
            assert_eq!(between(&now, &time(&format!("{then}+00:00"))), said, "{then}");
        }
        let midnight = time("2026-10-05T00:10:00+00:00");
        assert_eq!(between(&midnight, &time("2026-10-04T23:50:00+00:00")), "20 minutes ago");
    }
}
