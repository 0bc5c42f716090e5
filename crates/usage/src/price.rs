//! What tokens cost: list prices with the day from which they hold, and the user's own. A model that is on neither list has
//! no price; its tokens are counted all the same.

use crate::tokens::Tokens;
use serde_json::Value;
use sprag_base::files;
use sprag_base::paths::Paths;
use sprag_protocol::transcript::Usage;
use std::path::PathBuf;

/// The month in which the list was last compared. Prices change: what a user sees names this month, and `prices.json` overrides.
pub const AS_OF: &str = "2026-11";

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

/// Name, first day (empty: as long as there is the model), input, cached, cache write, output. The figures are those of the PyPI
/// packages litellm 1.109.1 and genai-prices 0.2.2 on 2026-11-18 (some models were in one of them only); older models that they no longer
/// have are from 2025-11.
const LIST: &[(&str, &str, f64, f64, f64, f64)] = &[
    ("claude-fable-5-2", "", 8.0, 0.2, 10.0, 40.0),
    ("claude-fable-5-1", "", 10.0, 0.25, 12.5, 50.0),
    ("claude-fable-5", "", 10.0, 1.0, 12.5, 50.0),
    ("claude-mythos-5-2", "", 8.0, 0.2, 10.0, 40.0),
    ("claude-mythos-5-1", "", 10.0, 0.25, 12.5, 50.0),
    ("claude-mythos-5", "", 10.0, 1.0, 12.5, 50.0),
    ("claude-opus-5-5", "", 4.0, 0.2, 5.0, 20.0),
    ("claude-opus-5", "", 5.0, 0.5, 6.25, 25.0),
    ("claude-opus-4-8", "", 5.0, 0.5, 6.25, 25.0),
    ("claude-opus-4-7", "2026-04-16", 5.0, 0.5, 6.25, 25.0),
    ("claude-opus-4-6", "2026-02-05", 5.0, 0.5, 6.25, 25.0),
    ("claude-opus-4-5", "2025-11-01", 5.0, 0.5, 6.25, 25.0),
    ("claude-opus-4-1", "2025-08-05", 15.0, 1.5, 18.75, 75.0),
    ("claude-opus-4", "2025-05-22", 15.0, 1.5, 18.75, 75.0),
    ("claude-sonnet-5-5", "", 2.0, 0.1, 2.5, 10.0),
    ("claude-sonnet-5", "", 2.0, 0.2, 2.5, 10.0),
    ("claude-sonnet-4-6", "", 3.0, 0.3, 3.75, 15.0),
    ("claude-sonnet-4-5", "2025-09-29", 3.0, 0.3, 3.75, 15.0),
    ("claude-sonnet-4", "2025-05-22", 3.0, 0.3, 3.75, 15.0),
    ("claude-haiku-5-5", "", 0.1, 0.01, 0.125, 0.5),
    ("claude-haiku-4-5", "2025-10-01", 1.0, 0.1, 1.25, 5.0),
    ("claude-3-7-sonnet", "2025-02-24", 3.0, 0.3, 3.75, 15.0),
    ("claude-3-5-haiku", "2024-11-04", 0.8, 0.08, 1.0, 4.0),
    ("gpt-5.6-sol", "", 5.0, 0.5, 6.25, 30.0),
    ("gpt-5.6-sol", "2026-08-21", 4.0, 0.4, 5.0, 20.0),
    ("gpt-5.6-terra", "", 2.5, 0.25, 3.125, 15.0),
    ("gpt-5.6-terra", "2026-07-30", 2.0, 0.2, 2.5, 12.0),
    ("gpt-5.6-luna", "", 1.0, 0.1, 1.25, 6.0),
    ("gpt-5.6-luna", "2026-07-30", 0.2, 0.02, 0.25, 1.2),
    ("gpt-5.5", "2026-04-23", 5.0, 0.5, 5.0, 30.0),
    ("gpt-5.4", "2026-03-05", 2.5, 0.25, 2.5, 15.0),
    ("gpt-5.4-mini", "2026-03-17", 0.75, 0.075, 0.75, 4.5),
    ("gpt-5.4-nano", "2026-03-17", 0.2, 0.02, 0.2, 1.25),
    ("gpt-5.3-codex", "", 1.75, 0.175, 1.75, 14.0),
    ("gpt-5.2", "2025-12-11", 1.75, 0.175, 1.75, 14.0),
    ("gpt-5.2-codex", "", 1.75, 0.175, 1.75, 14.0),
    ("gpt-5.1", "2025-11-13", 1.25, 0.125, 1.25, 10.0),
    ("gpt-5.1-codex", "", 1.25, 0.125, 1.25, 10.0),
    ("gpt-5.1-codex-max", "", 1.25, 0.125, 1.25, 10.0),
    ("gpt-5.1-codex-mini", "", 0.25, 0.025, 0.25, 2.0),
    ("gpt-5", "2025-08-07", 1.25, 0.125, 1.25, 10.0),
    ("gpt-5-codex", "2025-09-15", 1.25, 0.125, 1.25, 10.0),
    ("gpt-5-mini", "2025-08-07", 0.25, 0.025, 0.25, 2.0),
    ("gpt-5-nano", "2025-08-07", 0.05, 0.005, 0.05, 0.4),
    ("gpt-4.1", "2025-04-14", 2.0, 0.5, 2.0, 8.0),
    ("gpt-4.1-mini", "2025-04-14", 0.4, 0.1, 0.4, 1.6),
    ("o3", "2025-06-10", 2.0, 0.5, 2.0, 8.0),
    ("o4-mini", "2025-04-16", 1.1, 0.275, 1.1, 4.4),
    ("gemini-3.8-flash", "", 0.75, 0.075, 0.75, 3.75),
    ("gemini-3.7-flash", "", 0.75, 0.075, 0.75, 3.75),
    ("gemini-3.6-flash", "", 0.75, 0.075, 0.75, 3.75),
    ("gemini-3.5-flash", "", 1.5, 0.15, 1.5, 9.0),
    ("gemini-3.5-flash-lite", "", 0.3, 0.03, 0.3, 2.5),
    ("gemini-3.1-pro-preview", "", 2.0, 0.2, 2.0, 12.0),
    ("gemini-3.1-flash-lite", "", 0.25, 0.025, 0.25, 1.5),
    ("gemini-3-flash-preview", "", 0.5, 0.05, 0.5, 3.0),
    ("gemini-2.5-pro", "2025-06-17", 1.25, 0.125, 1.25, 10.0),
    ("gemini-2.5-flash", "2025-06-17", 0.3, 0.03, 0.3, 2.5),
    ("gemini-2.5-flash-lite", "", 0.1, 0.01, 0.1, 0.4),
];

/// Models whose long requests cost more: the tokens read from which a request is long, and how many times as much its input and its
/// output then cost. From the same packages.
const LONG: &[(&str, u64, f64, f64)] = &[
    ("claude-haiku-5-5", 100_000, 5.0, 5.0),
    ("gpt-5.6-sol", 272_000, 2.0, 1.5),
    ("gpt-5.6-terra", 272_000, 2.0, 1.5),
    ("gpt-5.6-luna", 272_000, 2.0, 1.5),
    ("gpt-5.5", 272_000, 2.0, 1.5),
    ("gpt-5.4", 272_000, 2.0, 1.5),
    ("gemini-3.1-pro-preview", 200_000, 2.0, 1.5),
    ("gemini-2.5-pro", 200_000, 2.0, 1.5),
];

/// Whether a request of a model that reads so many tokens is long.
pub fn is_long(model: &str, read: u64) -> bool {
    LONG.iter().any(|(name, from, ..)| read > *from && fits(model, name))
}

/// Whether a model is the one with this name, with or without the date of its release.
fn fits(model: &str, name: &str) -> bool {
    model == name || model.strip_prefix(name).is_some_and(is_release)
}

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
        let own = self.own.iter().filter(|price| fits(model, &price.model) && price.since.as_str() <= day);
        if let Some(price) = own.max_by(|one, other| one.since.cmp(&other.since)) {
            return Some(price.clone());
        }
        let listed = LIST.iter().filter(|(name, since, ..)| fits(model, name) && *since <= day);
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

    /// What the tokens of a model cost on a day, those of long requests with what they cost more.
    pub fn of_tokens(&self, model: &str, day: &str, used: &Tokens) -> Option<i64> {
        let all = self.cost_micros(model, day, &used.all)?;
        // The user's own price is meant as it is written.
        let more = LONG.iter().find(|(name, ..)| fits(model, name) && !self.is_own(model, day));
        let Some((_, _, input, output)) = more else { return Some(all) };
        let (read, written) = (
            Usage { output: 0, ..used.long.clone() },
            Usage { output: used.long.output, ..Usage::default() },
        );
        let cost = |part: &Usage| self.cost_micros(model, day, part).unwrap_or_default() as f64;
        Some(all + (cost(&read) * (input - 1.0) + cost(&written) * (output - 1.0)).round() as i64)
    }

    fn is_own(&self, model: &str, day: &str) -> bool {
        self.own.iter().any(|price| fits(model, &price.model) && price.since.as_str() <= day)
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
        assert_eq!(cost("gpt-5.57", "2026-11-01"), None, "another model, though its name begins alike");
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
            assert!(matches!(since.len(), 0 | 10) && cached <= input && input < output, "{name}");
        }
        for (name, ..) in LONG {
            assert!(LIST.iter().any(|(listed, ..)| listed == name), "{name}");
        }
    }

    #[test]
    fn long_requests_cost_more_and_prices_change_with_the_day() {
        let prices = Prices::default();
        let one = Usage { input: 200_000, output: 1_000, ..Usage::default() };
        assert!(is_long("claude-haiku-5-5", 200_000) && !is_long("claude-haiku-5-5", 100_000));
        let cost = |long: &Usage| {
            prices.of_tokens(
                "claude-haiku-5-5",
                "2026-11-01",
                &Tokens { all: one.clone(), long: long.clone() },
            )
        };
        assert_eq!(cost(&Usage::default()), Some(20_000 + 500));
        assert_eq!(cost(&one), Some(5 * (20_000 + 500)));
        let sol = |day: &str| prices.of("gpt-5.6-sol", day).unwrap().input.to_string();
        assert_eq!((sol("2026-08-01"), sol("2026-09-01")), ("5".to_owned(), "4".to_owned()));
    }
}
