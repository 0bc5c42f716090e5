//! Points in time: microseconds since 1970 in UTC, and their RFC 3339 text.
//! Pure: no clock (held by `clippy.toml`); whoever needs the time of day asks `sprag_base::time::Clock`.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A point in time, in microseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Stamp(pub u64);

#[expect(clippy::disallowed_types, reason = "the time of a file is converted; no clock is read")]
impl From<std::time::SystemTime> for Stamp {
    fn from(time: std::time::SystemTime) -> Self {
        let since = time.duration_since(std::time::SystemTime::UNIX_EPOCH);
        Self(since.map_or(0, |since| since.as_micros() as u64))
    }
}

impl Stamp {
    /// Whole seconds since 1970.
    pub const fn seconds(self) -> u64 {
        self.0 / 1_000_000
    }

    /// Whole milliseconds since 1970.
    pub const fn millis(self) -> u64 {
        self.0 / 1_000
    }

    /// This much earlier; not before 1970.
    #[must_use]
    pub fn before(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(duration.as_micros() as u64))
    }

    /// This much later.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration.as_micros() as u64))
    }

    /// Year, month, day, hour, minute, second in UTC.
    pub fn civil(self) -> (i64, u64, u64, u64, u64, u64) {
        let seconds = self.seconds();
        let (days, rest) = (seconds / 86_400, seconds % 86_400);
        // Days to a date, counted in 400-year eras that begin on 1 March of year 0.
        let shifted = days as i64 + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u64;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 } as u64;
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        (year, month, day, rest / 3_600, rest % 3_600 / 60, rest % 60)
    }

    /// Reads what [`Stamp`]'s `Display` writes; any number of digits of a second.
    pub fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
        let mut date = date.splitn(3, '-').map(str::parse::<i64>);
        let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
        let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
        let mut clock = clock.splitn(3, ':').map(str::parse::<i64>);
        let (hour, minute, second) = (clock.next()?.ok()?, clock.next()?.ok()?, clock.next()?.ok()?);
        let in_range = (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && (0..24).contains(&hour)
            && (0..60).contains(&minute)
            && (0..=60).contains(&second);
        if !in_range || !fraction.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let shifted_year = if month <= 2 { year - 1 } else { year };
        let era = shifted_year.div_euclid(400);
        let year_of_era = shifted_year.rem_euclid(400);
        let month_from_march = if month > 2 { month - 3 } else { month + 9 };
        let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        let days = era * 146_097 + day_of_era - 719_468;
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second;
        let mut micros = 0;
        for digit in fraction.bytes().chain(std::iter::repeat(b'0')).take(6) {
            micros = micros * 10 + i64::from(digit - b'0');
        }
        u64::try_from(seconds * 1_000_000 + micros).ok().map(Self)
    }
}

/// Reads a duration as people write it: `90s`, `30m`, `12h`, `7d`, `2w`.
pub fn parse_span(text: &str) -> Option<Duration> {
    let unit = text.chars().next_back()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return None,
    };
    let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
    number.checked_mul(seconds).map(Duration::from_secs)
}

impl std::fmt::Display for Stamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (year, month, day, hour, minute, second) = self.civil();
        let micros = self.0 % 1_000_000;
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_dates() {
        assert_eq!(Stamp(0).to_string(), "1970-01-01T00:00:00.000000Z");
        assert_eq!(Stamp(951_782_400_000_000).to_string(), "2000-02-29T00:00:00.000000Z");
        assert_eq!(Stamp(1_794_768_642_123_456).to_string(), "2026-11-15T18:50:42.123456Z");
        assert_eq!(Stamp::parse("2026-11-15T18:50:42Z"), Some(Stamp(1_794_768_642_000_000)));
        assert_eq!(Stamp::parse("2026-13-15T18:50:42Z"), None);
        assert_eq!(Stamp::parse("yesterday"), None);
    }

    proptest! {
        #[test]
        fn text_reads_back(micros in 0u64..4_102_444_800_000_000) {
            prop_assert_eq!(Stamp::parse(&Stamp(micros).to_string()), Some(Stamp(micros)));
        }
    }
}
