//! Notes in Markdown: one memory per observation (`- [category] text #tag`), else the note in parts.

use super::Base;
use crate::knowledge::front;
use crate::recall::Draft;
use crate::recall::chunks::chunks;
use sprag_base::files;
use std::path::{Path, PathBuf};

const MAX_FILE: u64 = 1 << 20;
const MAX_FILES: usize = 20_000;
const MAX_DEPTH: usize = 12;

/// The memories of every note below a folder, or of one file.
pub fn drafts(place: &Path, base: &Base) -> Vec<Draft> {
    let mut all = Vec::new();
    for path in files_below(place) {
        let Some(bytes) = files::read_limited(&path, MAX_FILE).ok().flatten() else { continue };
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        all.extend(of_note(&String::from_utf8_lossy(&bytes), &name, base));
    }
    all
}

fn files_below(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_path_buf()];
    }
    let mut found = Vec::new();
    let mut open = vec![(place.to_path_buf(), 0)];
    while let Some((folder, depth)) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !hidden && depth < MAX_DEPTH => {
                    open.push((entry.path(), depth + 1));
                }
                Ok(kind)
                    if kind.is_file() && entry.path().extension().is_some_and(|ending| ending == "md") =>
                {
                    found.push(entry.path());
                }
                _ => {}
            }
        }
        if found.len() >= MAX_FILES {
            break;
        }
    }
    found.sort();
    found
}

fn of_note(whole: &str, name: &str, base: &Base) -> Vec<Draft> {
    let (pairs, body) = front::read(whole).unwrap_or((Vec::new(), whole));
    let get = |key: &str| front::get(&pairs, key).filter(|value| !value.is_empty() && *value != "null");
    let title = get("title").or_else(|| get("name")).unwrap_or(name).to_owned();
    let tags: Vec<String> = get("tags")
        .unwrap_or_default()
        .split(['[', ']', ',', ' ', '"'])
        .filter(|tag| !tag.is_empty())
        .map(str::to_owned)
        .collect();
    let since =
        ["created", "created_at", "date", "updated"].into_iter().find_map(|key| super::time_of(get(key)?));
    let observations: Vec<(String, String, Vec<String>)> = body.lines().filter_map(observation).collect();
    let mut out: Vec<Draft> = if observations.is_empty() {
        let parts = chunks(body).into_iter();
        // A part of a note says nothing without its title.
        let with_title = |part: String| {
            if part.to_lowercase().contains(&title.to_lowercase()) {
                part
            } else {
                format!("{title}\n{part}")
            }
        };
        parts.map(|part| base.draft(with_title(part), "note", tags.clone())).collect()
    } else {
        let one = |(kind, text, own): (String, String, Vec<String>)| {
            let tags = tags.iter().cloned().chain(own).collect();
            base.draft(format!("{title}: {text}"), &kind, tags)
        };
        observations.into_iter().map(one).collect()
    };
    for draft in &mut out {
        draft.valid_from = since;
    }
    out
}

/// `- [category] text #tag (context)`; a task's box is none.
fn observation(line: &str) -> Option<(String, String, Vec<String>)> {
    let rest = line.trim_start().strip_prefix("- [")?;
    let (category, text) = rest.split_once(']')?;
    let plain = category.chars().count() > 1
        && category.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    let text = text.strip_prefix(' ')?.trim();
    if !plain || text.is_empty() || rest.starts_with('[') {
        return None;
    }
    let tags =
        text.split_whitespace().filter_map(|word| word.strip_prefix('#')).filter(|tag| !tag.is_empty());
    Some((
        category.trim().to_lowercase().replace(' ', "-"),
        text.to_owned(),
        tags.map(str::to_owned).collect(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observations_of_a_note() {
        let note = "---\ntitle: Auth\ntags: [auth, security]\ncreated: 2026-03-01\n---\n# Auth\n\n- [decision] Use JWT #tokens\n- [ ] a task\n- [x] done\n- depends_on [[Users]]\n";
        let base = Base { program: "basic-memory".into(), ..Base::default() };
        let got = of_note(note, "auth", &base);
        assert_eq!(got.len(), 1);
        assert_eq!((got[0].kind.as_str(), got[0].text.as_str()), ("decision", "Auth: Use JWT #tokens"));
        assert_eq!(got[0].tags, ["auth", "security", "tokens", "basic-memory"]);
        assert!(got[0].valid_from.is_some());
    }

    #[test]
    fn a_note_without_observations_is_kept_in_parts_with_its_title() {
        let got = of_note("The build needs Node 22, or the bundler crashes.", "toolchain", &Base::default());
        assert_eq!(got.len(), 1);
        assert!(got[0].text.starts_with("toolchain\nThe build needs"), "{}", got[0].text);
    }
}
