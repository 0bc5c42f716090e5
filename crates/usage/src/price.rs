//! What tokens cost: list prices with the day from which they hold, and the user's own. A model that is on neither list has
//! no price; its tokens are counted all the same.

use serde_json::Value;
use sprag_base::files;
use sprag_base::paths::Paths;
use sprag_protocol::transcript::Usage;
use std::path::PathBuf;

/// The month of the newest list price here. Prices change: what a user sees names this month, and `prices.json` overrides.
pub const AS_OF: &str = "2025-11";

/// A model's prices, in dollars per million tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// The model's name, without the date of its release.
    pub model: String,
    /// The first day on which it holds: `2025-08-07`; empty holds for ever.
    pub since: String,
    /// Tokens read.
    pub input: f64,
    /// Tokens read from the cache.
    pub cached: f64,
    /// Tokens put into the cache.
    pub cache_write: f64,
    /// Tokens written.
    pub output: f64,
}

/// Name, first day, input, cached, cache write, output.
const LIST: &[(&str, &str, f64, f64, f64, f64)] = &[
    ("claude-opus-4-5", "2025-11-24", 5.0, 0.5, 6.25, 25.0),
    ("claude-opus-4-1", "2025-08-05", 15.0, 1.5, 18.75, 75.0),
    ("claude-opus-4", "2025-05-22", 15.0, 1.5, 18.75, 75.0),
    ("claude-sonnet-4-5", "2025-09-29", 3.0, 0.3, 3.75, 15.0),
    ("claude-sonnet-4", "2025-05-22", 3.0, 0.3, 3.75, 15.0),
    ("claude-haiku-4-5", "2025-10-15", 1.0, 0.1, 1.25, 5.0),
    ("claude-3-7-sonnet", "2025-02-24", 3.0, 0.3, 3.75, 15.0),
    ("claude-3-5-haiku", "2024-11-04", 0.8, 0.08, 1.0, 4.0),
    ("gpt-5", "2025-08-07", 1.25, 0.125, 1.25, 10.0),
    ("gpt-5-codex", "2025-09-15", 1.25, 0.125, 1.25, 10.0),
    ("gpt-5-mini", "2025-08-07", 0.25, 0.025, 0.25, 2.0),
    ("gpt-5-nano", "2025-08-07", 0.05, 0.005, 0.05, 0.4),
    ("gemini-2.5-pro", "2025-06-17", 1.25, 0.31, 1.25, 10.0),
    ("gemini-2.5-flash", "2025-06-17", 0.3, 0.075, 0.3, 2.5),
];

/// The prices that hold here: the user's before those of the list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    own: Vec<Price>,
}

/// The user's file of prices.
pub fn file(paths: &Paths) -> PathBuf {
    paths.config.join("prices.json")
}

impl Prices {
    /// Reads the user's prices: `{"model": {"input": 2, "cached": 0.2, "output": 12, "since": "2026-10-01"}}`, in dollars per
    /// million tokens. `Err` is what is wrong with the file.
    pub fn read(paths: &Paths) -> Result<Self, String> {
        let path = file(paths);
        match files::read_text(&path, files::STATE) {
            Ok(text) => Self::parse(&text).map_err(|why| format!("{}: {why}", path.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(format!("{}: {error}", path.display())),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let models = value.as_object().ok_or("not an object of models")?;
        let mut own = Vec::new();
        for (model, price) in models {
            let number = |key: &str| price.get(key).and_then(Value::as_f64).filter(|number| *number >= 0.0);
            let needed = |key: &str| number(key).ok_or_else(|| format!("`{model}` needs `{key}` in dollars"));
            let (input, output) = (needed("input")?, needed("output")?);
            own.push(Price {
                model: model.clone(),
                since: price.get("since").and_then(Value::as_str).unwrap_or_default().to_owned(),
                input,
                cached: number("cached").unwrap_or(input),
                cache_write: number("cache_write").unwrap_or(input),
                output,
            });
        }
        Ok(Self { own })
    }

    /// The price of a model on a day (`2026-11-15`).
    pub fn of(&self, model: &str, day: &str) -> Option<Price> {
        let fits = |name: &str| model == name || model.strip_prefix(name).is_some_and(is_release);
        let own = self.own.iter().filter(|price| fits(&price.model) && price.since.as_str() <= day);
        if let Some(price) = own.max_by(|one, other| one.since.cmp(&other.since)) {
            return Some(price.clone());
        }
        let listed = LIST.iter().filter(|(name, since, ..)| fits(name) && *since <= day);
        listed.max_by_key(|(_, since, ..)| *since).map(|(name, since, input, cached, cache_write, output)| {
            Price {
                model: (*name).to_owned(),
                since: (*since).to_owned(),
                input: *input,
                cached: *cached,
                cache_write: *cache_write,
                output: *output,
            }
        })
    }

    /// What tokens of a model cost on a day, in millionths of a dollar; `None` when the model has no price.
    pub fn cost_micros(&self, model: &str, day: &str, used: &Usage) -> Option<i64> {
        let price = self.of(model, day)?;
        // Dollars per million tokens are millionths of a dollar per token.
        let micros = used.input as f64 * price.input
            + used.cache_read as f64 * price.cached
            + used.cache_write as f64 * price.cache_write
            + used.output as f64 * price.output;
        Some(micros.round() as i64)
    }
}

/// True for what follows a model's name when only the date of its release does: `-20250929`, `-2025-08-07`, `-latest`.
fn is_release(rest: &str) -> bool {
    rest == "-latest"
        || rest.strip_prefix("-20").is_some_and(|date| date.bytes().all(|b| b.is_ascii_digit() || b == b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_of_exactly_one_model_and_holds_from_its_day() {
        let prices = Prices::default();
        let used =
            Usage { input: 1_000, output: 100, cache_read: 10_000, cache_write: 0, ..Usage::default() };
        let cost = |model: &str, day: &str| prices.cost_micros(model, day, &used);
        assert_eq!(cost("claude-sonnet-4-5-20250929", "2026-01-01"), Some(3_000 + 3_000 + 1_500));
        assert_eq!(cost("gpt-5.5", "2026-01-01"), None, "another model, though its name begins alike");
        assert_eq!(cost("gpt-5", "2025-01-01"), None, "before it was there");
        let output =
            |prices: &Prices, model: &str, day: &str| prices.of(model, day).unwrap().output.to_string();
        assert_eq!(output(&prices, "gpt-5-mini", "2026-01-01"), "2");
    }

    #[test]
    fn the_users_prices_come_first_and_the_latest_of_them_counts() {
        let own = Prices::parse(
            r#"{"gpt-5": {"input": 1, "output": 2, "since": "2026-01-01"}, "mine": {"input": 4, "output": 8}}"#,
        );
        let own = own.unwrap();
        let output = |model: &str, day: &str| own.of(model, day).unwrap().output.to_string();
        assert_eq!(output("gpt-5", "2026-02-01"), "2");
        assert_eq!(output("gpt-5", "2025-12-01"), "10", "before that the list holds");
        assert_eq!(own.of("mine", "2026-02-01").unwrap().cached.to_string(), "4");
        assert!(Prices::parse(r#"{"mine": {"input": 4}}"#).unwrap_err().contains("needs `output`"));
    }

    #[test]
    fn the_list_names_real_days() {
        for (name, since, input, cached, _, output) in LIST {
            assert!(since.len() == 10 && cached <= input && input < output, "{name}");
        }
    }
}
