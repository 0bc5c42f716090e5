//! The account's limits, in the payload of its status line.

use crate::transcript::Limit;
use serde_json::Value;

/// The limits in the payload of a status line.
pub(super) fn of_status_line(payload: &Value) -> Vec<Limit> {
    let Some(Value::Object(limits)) = payload.get("rate_limits") else { return Vec::new() };
    let one = |(name, value): (&String, &Value)| {
        let name = match name.as_str() {
            "five_hour" => "5-hour".to_owned(),
            "seven_day" => "7-day".to_owned(),
            other => other.replace('_', " "),
        };
        Limit::read(name, value.get("used_percentage")?, value.get("resets_at"))
    };
    limits.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use sprag_time::Stamp;

    #[test]
    fn named_for_people_with_their_reset() {
        let told = of_status_line(&json!({"rate_limits": {
            "five_hour": {"used_percentage": 72.6, "resets_at": 1_794_740_400},
            "seven_day": {"used_percentage": 12, "resets_at": "2026-11-20T09:00:00Z"},
            "spend_limit": {"used_percentage": null},
        }}));
        let named: Vec<(&str, u64)> = told.iter().map(|limit| (limit.name.as_str(), limit.percent)).collect();
        assert_eq!(named, [("5-hour", 72), ("7-day", 12)]);
        assert_eq!(told[0].resets, Some(Stamp(1_794_740_400_000_000)));
        assert_eq!(told[1].resets, Stamp::parse("2026-11-20T09:00:00Z"));
        assert_eq!(of_status_line(&json!({"model": "x"})), []);
    }
}
