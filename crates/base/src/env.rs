//! The environment as data, so that a test case can have its own.

use std::borrow::Cow;
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
                .filter(|(name, _)| name.as_encoded_bytes().starts_with(prefix.as_bytes()))
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
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

    /// The variables of sprag's own that are set to something, sorted: hardly ever any. One look at all variables costs less than
    /// to ask for each name that there could be.
    pub fn own(&self) -> Cow<'_, [(String, String)]> {
        const PREFIX: &str = "SPRAG_";
        static PROCESS: OnceLock<Vec<(String, String)>> = OnceLock::new();
        let find = || {
            let mut found = self.with_prefix(PREFIX);
            found.retain(|(_, value)| !value.is_empty());
            found
        };
        match self {
            Self::Process => Cow::Borrowed(PROCESS.get_or_init(find)),
            Self::Fixed(_) => Cow::Owned(find()),
        }
    }

    /// True for a switch that is set to something other than `0`, `false`, `no` or `off`.
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| !matches!(value.as_str(), "0" | "false" | "no" | "off"))
    }
}
