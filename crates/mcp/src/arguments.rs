//! The arguments of a call, read as the tool's schema says. What does not fit is told with what would.

use crate::error::ToolError;
use serde_json::{Map, Value};

/// The arguments of one call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Checks names and required ones against an input schema.
    pub(crate) fn checked(given: Map<String, Value>, schema: &Map<String, Value>) -> Result<Self, ToolError> {
        let known = schema.get("properties").and_then(Value::as_object);
        let names =
            || known.into_iter().flatten().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        if let Some(name) = given.keys().find(|name| !known.is_some_and(|known| known.contains_key(*name))) {
            return Err(ToolError::new(format!("unknown argument `{name}`"), format!("Known: {}.", names())));
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let missing = required
            .filter_map(Value::as_str)
            .find(|name| given.get(*name).is_none_or(|value| value.is_null() || value.as_str() == Some("")));
        match missing {
            Some(name) => Err(ToolError::new(format!("`{name}` is missing"), "Give it and call again.")),
            None => Ok(Self(given)),
        }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn wrong(name: &str, wanted: &str) -> ToolError {
        ToolError::new(format!("`{name}` must be {wanted}"), "Correct it and call again.")
    }

    /// A text; empty when it is not given.
    pub(crate) fn text(&self, name: &str) -> Result<&str, ToolError> {
        match self.get(name) {
            None => Ok(""),
            Some(value) => value.as_str().ok_or_else(|| Self::wrong(name, "a string")),
        }
    }

    /// A text, when it is given and not empty.
    pub(crate) fn given(&self, name: &str) -> Result<Option<&str>, ToolError> {
        self.text(name).map(|text| Some(text).filter(|text| !text.is_empty()))
    }

    /// A number within bounds. Models write numbers as texts now and then.
    pub(crate) fn number(&self, name: &str, default: u64, most: u64) -> Result<u64, ToolError> {
        let number = match self.get(name) {
            None => Some(default),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(value) => value.as_u64(),
        };
        number.map(|number| number.min(most)).ok_or_else(|| Self::wrong(name, "a whole number, 0 or more"))
    }

    /// Yes or no.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, ToolError> {
        match self.get(name) {
            None => Ok(false),
            Some(value) => value.as_bool().ok_or_else(|| Self::wrong(name, "true or false")),
        }
    }

    /// One of several words.
    pub(crate) fn one_of(
        &self,
        name: &str,
        words: &[&'static str],
    ) -> Result<Option<&'static str>, ToolError> {
        let Some(given) = self.given(name)? else { return Ok(None) };
        let found = words.iter().copied().find(|word| *word == given);
        found.map(Some).ok_or_else(|| Self::wrong(name, &format!("one of: {}", words.join(", "))))
    }

    /// A list of texts.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<String>, ToolError> {
        let wrong = || Self::wrong(name, "a list of strings");
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => {
                items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
            }
            Some(_) => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(given: Value) -> Result<Arguments, ToolError> {
        let schema = json!({"properties": {"query": {}, "limit": {}}, "required": ["query"]});
        Arguments::checked(given.as_object().unwrap().clone(), schema.as_object().unwrap())
    }

    #[test]
    fn what_does_not_fit_is_told_with_what_would() {
        let said = |given| read(given).unwrap_err().to_string();
        assert_eq!(said(json!({"limit": 3})), "sprag: `query` is missing. Give it and call again.");
        assert_eq!(
            said(json!({"query": "x", "max": 3})),
            "sprag: unknown argument `max`. Known: query, limit."
        );
        let read = read(json!({"query": "x", "limit": "7"})).unwrap();
        assert_eq!(read.number("limit", 5, 40).unwrap(), 7);
        assert!(read.number("query", 5, 40).is_err());
        assert_eq!(read.given("other").unwrap(), None);
    }
}
