//! The environment as data, so that a test case can have its own.

use std::collections::BTreeMap;
use std::sync::OnceLock;

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

    /// A variable that may be set to nothing: then it is the empty text.
    pub fn set(&self, name: &str) -> Option<String> {
        match self {
            Self::Process => std::env::var(name).ok(),
            Self::Fixed(map) => map.get(name).cloned(),
        }
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

    /// True when some variable of sprag's own is set: hardly ever, and to look for each one costs more than this.
    pub fn has_own(&self) -> bool {
        const PREFIX: &str = "SPRAG_";
        static PROCESS: OnceLock<bool> = OnceLock::new();
        match self {
            Self::Process => *PROCESS.get_or_init(|| {
                std::env::vars_os().any(|(name, _)| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()))
            }),
            Self::Fixed(map) => map.keys().any(|name| name.starts_with(PREFIX)),
        }
    }

    /// True for a switch that is set to something other than `0`, `false`, `no` or `off`.
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| !matches!(value.as_str(), "0" | "false" | "no" | "off"))
    }
}
