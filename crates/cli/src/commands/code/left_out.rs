//! What an answer about a name with many definitions leaves out.

use serde_json::{Value, json};
use sprag_code::index::{Index, SymbolId};
use sprag_terminal::Out;
use std::collections::BTreeMap;

/// Definitions that are not shown, by folder.
pub(super) struct LeftOut {
    definitions: usize,
    files: usize,
    folders: Vec<(String, usize)>,
}

/// The most folders that are named.
const FOLDERS: usize = 10;

impl LeftOut {
    /// The first so many, all for 0; and what is left out of the rest.
    pub(super) fn cut<'p>(index: &Index, places: &'p [SymbolId], limit: usize) -> (&'p [SymbolId], Self) {
        let shown = if limit == 0 { places.len() } else { limit.min(places.len()) };
        let (shown, rest) = places.split_at(shown);
        (shown, Self::new(index, rest))
    }

    fn new(index: &Index, places: &[SymbolId]) -> Self {
        let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
        let mut files: Vec<u32> = places.iter().map(|place| place.file).collect();
        for file in &files {
            *folders
                .entry(index.path(*file).rsplit_once('/').map_or("", |(folder, _)| folder))
                .or_default() += 1;
        }
        files.sort_unstable();
        files.dedup();
        let mut folders: Vec<(String, usize)> =
            folders.into_iter().map(|(folder, count)| (format!("{folder}/"), count)).collect();
        folders.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Self { definitions: places.len(), files: files.len(), folders }
    }

    pub(super) fn json(&self) -> Option<Value> {
        let folders: Vec<Value> = self
            .folders
            .iter()
            .map(|(folder, count)| json!({"folder": folder, "definitions": count}))
            .collect();
        (self.definitions > 0)
            .then(|| json!({"left_out": self.definitions, "files": self.files, "folders": folders}))
    }

    /// Says it, with how to see more.
    pub(super) fn tell(&self, more: &str, out: &Out) {
        if self.definitions > 0 {
            out.line(&format!("{} more definitions in {} files:", self.definitions, self.files));
            for (folder, count) in self.folders.iter().take(FOLDERS) {
                out.line(&format!("  {count} in {folder}"));
            }
            if self.folders.len() > FOLDERS {
                out.line(&format!("  the rest in {} more folders", self.folders.len() - FOLDERS));
            }
            out.note(more);
        }
    }
}
