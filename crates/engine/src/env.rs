//! The environment as data, so that a test case can have its own.

use std::collections::BTreeMap;

/// Where environment variables are read from.
#[derive(Clone, Debug, Default)]
pub enum Env {
    /// The process's own.
    #[default]
    Process,
    /// These and no others.
    Fixed(BTreeMap<String, String>),
}

impl Env {
    /// A variable; unset, empty and not UTF-8 are `None`.
    pub fn get(&self, name: &str) -> Option<String> {
        match self {
            Self::Process => std::env::var(name).ok(),
            Self::Fixed(map) => map.get(name).cloned(),
        }
        .filter(|value| !value.is_empty())
    }

    /// Every variable whose name starts with `prefix`, sorted.
    pub fn with_prefix(&self, prefix: &str) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = match self {
            Self::Process => std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
                .filter(|(name, _)| name.starts_with(prefix))
                .collect(),
            Self::Fixed(map) => map
                .iter()
                .filter(|(name, _)| name.starts_with(prefix))
                .map(|(n, v)| (n.clone(), v.clone()))
                .collect(),
        };
        found.sort();
        found
    }

    /// True for a switch that is set to something other than `0`, `false`, `no` or `off`.
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| !matches!(value.as_str(), "0" | "false" | "no" | "off"))
    }
}
