//! Ledgers and handoffs of other programs that lie in a repository: `thoughts/ledgers/CONTINUITY_*.md`,
//! `thoughts/shared/handoffs/**` (Markdown and YAML). Bounded in entries and depth: a session's start waits for it.

use super::{front, text};
use sprag_base::files;
use sprag_base::time::Stamp;
use std::path::{Path, PathBuf};

/// Entries of all folders that are looked at.
const MAX_ENTRIES: usize = 400;
/// `handoffs/<session>/<date>.yaml`
const MAX_DEPTH: usize = 2;
const MAX_FILE: u64 = 256 << 10;

/// A document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its file.
    pub path: PathBuf,
    /// When it was written: by the date in its name, which survives a clone; else by the file's time.
    pub at: Stamp,
}

/// The newest document in these folders below the root.
pub fn newest<'a>(root: &Path, folders: impl Iterator<Item = &'a str>) -> Option<Document> {
    all(root, folders).into_iter().max_by(|a, b| a.at.cmp(&b.at).then_with(|| a.path.cmp(&b.path)))
}

/// Every document in these folders below the root.
pub fn all<'a>(root: &Path, folders: impl Iterator<Item = &'a str>) -> Vec<Document> {
    let inside = folders.filter(|folder| {
        Path::new(folder).components().all(|part| matches!(part, std::path::Component::Normal(_)))
    });
    let mut open: Vec<(PathBuf, usize)> = inside.map(|folder| (root.join(folder), 0)).collect();
    let (mut found, mut looked) = (Vec::new(), 0);
    while let Some((folder, depth)) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            looked += 1;
            if looked > MAX_ENTRIES {
                return found;
            }
            // Not through links: they may lead out of the repository.
            let Ok(meta) = entry.metadata() else { continue };
            let path = entry.path();
            if meta.is_dir() && depth < MAX_DEPTH {
                open.push((path, depth + 1));
            } else if meta.is_file() && is_document(&path) {
                let named = entry.file_name().to_str().and_then(date_in);
                let at = named.or_else(|| meta.modified().ok().map(Stamp::from));
                found.extend(at.map(|at| Document { path, at }));
            }
        }
    }
    found
}

fn is_document(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let in_ledgers = path.parent().is_some_and(|folder| folder.ends_with("ledgers"));
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("md") => !in_ledgers || name.starts_with("CONTINUITY"),
        Some("yaml" | "yml") => !in_ledgers,
        _ => false,
    }
}

/// The date in a name: `2026-11-03_14-20_csv-export.yaml`, `2026-11-03-x.md`.
fn date_in(name: &str) -> Option<Stamp> {
    let start = name.as_bytes().windows(10).position(|part| {
        part.iter()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() })
    })?;
    let day = name.get(start..start + 10)?;
    let clock = name.get(start + 10..start + 16).unwrap_or_default();
    let digits: String = clock.chars().filter(char::is_ascii_digit).collect();
    let (hour, minute) = match (digits.len(), clock.starts_with(['_', 'T', '-'])) {
        (4, true) => digits.split_at(2),
        _ => ("00", "00"),
    };
    Stamp::parse(&format!("{day}T{hour}:{minute}:00Z")).or_else(|| Stamp::parse(&format!("{day}T00:00:00Z")))
}

impl Document {
    /// Its text without the front matter; `None` when there is none.
    pub fn read(&self) -> Option<String> {
        let bytes = files::read_limited(&self.path, MAX_FILE).ok().flatten()?;
        let whole = String::from_utf8_lossy(&bytes);
        let body = front::read(&whole).map_or(whole.as_ref(), |(_, body)| body).trim();
        (!body.is_empty()).then(|| body.to_owned())
    }

    /// Its path below the root, in one line.
    pub fn shown(&self, root: &Path) -> String {
        let path = self.path.strip_prefix(root).unwrap_or(&self.path).to_string_lossy().into_owned();
        let plain: String = path.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        text::cut(&text::one_line(&plain), 160)
    }

    /// The day.
    pub fn date(&self) -> String {
        let (year, month, day, ..) = self.at.civil();
        format!("{year:04}-{month:02}-{day:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_newest_by_its_name_not_by_the_time_of_the_clone() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "thoughts/shared/handoffs/cart/2026-11-03_14-20_export.yaml",
            "---\nsession: cart\n---\ngoal: new\n",
        );
        write("thoughts/shared/handoffs/cart/2026-11-03_09-05_export.yaml", "goal: old\n");
        write("thoughts/shared/handoffs/notes.txt", "no");
        write("thoughts/ledgers/README.md", "no ledger");
        let folders = || ["thoughts/ledgers", "thoughts/shared/handoffs", "../elsewhere"].into_iter();
        let found = newest(dir.path(), folders()).unwrap();
        assert_eq!(found.read().as_deref(), Some("goal: new"));
        assert_eq!(found.shown(dir.path()), "thoughts/shared/handoffs/cart/2026-11-03_14-20_export.yaml");
        assert_eq!(found.date(), "2026-11-03");
        assert_eq!(all(dir.path(), folders()).len(), 2);
        write("thoughts/ledgers/CONTINUITY_CLAUDE-auth.md", "# Ledger");
        assert!(
            newest(dir.path(), folders()).unwrap().path.ends_with("CONTINUITY_CLAUDE-auth.md"),
            "written today"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_repository_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("repo/thoughts/ledgers")).unwrap();
        fs::write(dir.path().join("secret.md"), "mine").unwrap();
        std::os::unix::fs::symlink(
            dir.path().join("secret.md"),
            dir.path().join("repo/thoughts/ledgers/CONTINUITY_x.md"),
        )
        .unwrap();
        assert_eq!(newest(&dir.path().join("repo"), ["thoughts/ledgers"].into_iter()), None);
    }

    #[test]
    fn dates_of_names() {
        let at = |name: &str| date_in(name).map(|at| at.to_string());
        assert_eq!(
            at("2026-11-03_14-20_x.yaml").as_deref(),
            Stamp::parse("2026-11-03T14:20:00Z").map(|s| s.to_string()).as_deref()
        );
        assert_eq!(at("auto-handoff-2026-11-03T14-20-05.yaml"), at("2026-11-03_14-20.md"));
        assert_eq!(at("2026-11-03-csv.md"), at("2026-11-03.md"));
        assert_eq!(at("2026-13-99-csv.md"), None);
        assert_eq!(at("CONTINUITY_CLAUDE-x.md"), None);
    }
}
