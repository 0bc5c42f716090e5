//! Times as people read and write them: local, relative, and spans like `7d`.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use sprag_base::time::Stamp;
use std::time::Duration;

/// A point in time on the user's clock: `2026-10-05 12:03:04`.
pub(crate) fn local(stamp: Stamp) -> String {
    let micros = i64::try_from(stamp.0).unwrap_or(i64::MAX);
    match Timestamp::from_microsecond(micros) {
        Ok(time) => time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => stamp.to_string(),
    }
}

/// When the user's day began.
pub(crate) fn midnight(now: Stamp) -> Stamp {
    let micros = i64::try_from(now.0).unwrap_or(i64::MAX);
    Timestamp::from_microsecond(micros)
        .ok()
        .and_then(|time| time.to_zoned(TimeZone::system()).start_of_day().ok())
        .and_then(|start| u64::try_from(start.timestamp().as_microsecond()).ok())
        .map_or_else(|| now.before(Duration::from_secs(86_400)), Stamp)
}

/// How long ago something was, in one unit.
pub(crate) fn ago(now: Stamp, then: Stamp) -> String {
    format!("{} ago", span(Duration::from_micros(now.0.saturating_sub(then.0))))
}

/// A duration in one unit.
pub(crate) fn span(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// Microseconds as a person reads them.
pub(crate) fn micros(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..100_000 => format!("{:.1} ms", us as f64 / 1_000.0),
        100_000..1_000_000 => format!("{} ms", us / 1_000),
        _ => format!("{:.1} s", us as f64 / 1_000_000.0),
    }
}

/// Reads `30m`, `12h`, `7d`, `2w`.
pub(crate) fn parse_span(text: &str) -> Result<Duration, String> {
    let wrong = || format!("invalid duration `{text}`: write a number and a unit: 90s, 30m, 12h, 7d or 2w");
    let unit = text.chars().next_back().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return Err(wrong()),
    };
    let number: u64 = text.strip_suffix(unit).and_then(|number| number.parse().ok()).ok_or_else(wrong)?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(wrong)
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
        assert_eq!(ago(Stamp(90_000_000), Stamp(0)), "1 min ago");
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
}
