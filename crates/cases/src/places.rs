//! The case's world is `/home/dev` with the project `/home/dev/shop`, wherever it really lies.
//! Texts that go in are mapped to the real place, texts that come out are mapped back.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// The home that cases speak of.
pub(crate) const HOME: &str = "/home/dev";
/// The project that cases speak of.
pub(crate) const PROJECT: &str = "/home/dev/shop";

/// The real place of a case's world.
#[derive(Clone, Debug)]
pub struct Places {
    home: PathBuf,
    text: String,
}

impl Places {
    pub fn new(home: &Path) -> Self {
        Self { home: home.to_path_buf(), text: home.to_string_lossy().into_owned() }
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    pub fn project(&self) -> PathBuf {
        self.home.join("shop")
    }

    /// A path of a case: `~/…` and `/home/dev/…` in the home, anything else in the project.
    pub fn path(&self, text: &str) -> PathBuf {
        if let Some(rest) = text.strip_prefix("~/") {
            return self.home.join(rest);
        }
        let real = self.inward(text);
        // `join` keeps an absolute path as it is.
        self.project().join(real)
    }

    /// A text of the case with real paths.
    pub fn inward(&self, text: &str) -> String {
        replace_path(text, HOME, &self.text)
    }

    /// A text from the run with the case's paths.
    pub fn outward(&self, text: &str) -> String {
        replace_path(text, &self.text, HOME)
    }

    /// [`Places::inward`] for every text of a value.
    pub fn value_inward(&self, value: &mut Value) {
        each_text(value, &|text| self.inward(text));
    }

    /// [`Places::outward`] for every text of a value.
    pub fn value_outward(&self, value: &mut Value) {
        each_text(value, &|text| self.outward(text));
    }
}

/// Applies a change to every text in a value. Keys stay.
pub fn each_text(value: &mut Value, change: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, change)),
        Value::Object(map) => map.values_mut().for_each(|item| each_text(item, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Replaces a path where it is one: `/home/dev`, not the start of `/home/developer` or the end of `/x/home/dev`.
pub fn replace_path(text: &str, from: &str, to: &str) -> String {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(from) {
        out.push_str(before);
        let inside = out.chars().next_back().is_some_and(word) || after.chars().next().is_some_and(word);
        out.push_str(if inside { from } else { to });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_in_and_come_back() {
        let places = Places::new(Path::new("/tmp/x1/home"));
        let real = places.inward("cat /home/dev/shop/.env /home/developer '/home/dev' /x/home/dev");
        assert_eq!(real, "cat /tmp/x1/home/shop/.env /home/developer '/tmp/x1/home' /x/home/dev");
        assert_eq!(places.outward("at /tmp/x1/home/shop."), "at /home/dev/shop.");
        assert_eq!(places.path("src/a.rs"), Path::new("/tmp/x1/home/shop/src/a.rs"));
        assert_eq!(places.path("~/.bashrc"), Path::new("/tmp/x1/home/.bashrc"));
        assert_eq!(places.path("/home/dev/b"), Path::new("/tmp/x1/home/b"));
    }
}
