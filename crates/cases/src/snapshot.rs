//! Answers kept beside the case file: `<file>.snap/<case>.txt`. Ids that differ from run to run are made alike.

use super::diff;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// What became of a comparison.
pub(crate) enum Compared {
    Same,
    Differs(Vec<String>),
    Missing,
}

/// The snapshot's file.
pub(crate) fn place(case_file: &Path, name: &str) -> PathBuf {
    let file = case_file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = file.strip_suffix(super::find::SUFFIX).unwrap_or(&file);
    case_file.with_file_name(format!("{stem}.snap")).join(format!("{name}.txt"))
}

/// A case's name as a file name.
pub(crate) fn slug(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !out.ends_with('-') && !out.is_empty() {
            out.push('-');
        }
    }
    out.trim_end_matches('-').to_owned()
}

/// The text of a snapshot: the answer over several lines.
pub(crate) fn text(answer: &Value) -> String {
    without_ids(&diff::pretty(answer))
}

/// Compares with the file, or writes it.
pub(crate) fn compare(file: &Path, answer: &Value, update: bool) -> std::io::Result<Compared> {
    let got = text(answer);
    let known = match sprag_base::files::read_text(file, sprag_base::files::STATE) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if known.as_deref() == Some(&got) {
        return Ok(Compared::Same);
    }
    if update {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        sprag_base::files::write_plain(file, got.as_bytes())?;
        return Ok(Compared::Same);
    }
    Ok(known.map_or(Compared::Missing, |known| Compared::Differs(diff::lines(&known, &got))))
}

/// UUIDs are made alike: most of them are new in every run.
fn without_ids(text: &str) -> String {
    const SHAPE: [usize; 5] = [8, 4, 4, 4, 12];
    let mut out = String::with_capacity(text.len());
    let mut word = String::new();
    let flush = |word: &mut String, out: &mut String| {
        let parts: Vec<&str> = word.split('-').collect();
        let id = parts.len() == 5
            && parts
                .iter()
                .zip(SHAPE)
                .all(|(part, len)| part.len() == len && part.bytes().all(|b| b.is_ascii_hexdigit()));
        out.push_str(if id { "<uuid>" } else { word });
        word.clear();
    };
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || c == '-' {
            word.push(c);
        } else {
            flush(&mut word, &mut out);
            out.push(c);
        }
    }
    flush(&mut word, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids() {
        assert_eq!(slug("Warns at 8 calls (not 7)!"), "warns-at-8-calls-not-7");
        assert_eq!(place(Path::new("/x/tool_loop.hook.toml"), "a"), Path::new("/x/tool_loop.snap/a.txt"));
        assert_eq!(
            without_ids("session d42fd80c-f318-4c21-8d81-95853a8e12c2, not d42fd80c-f318"),
            "session <uuid>, not d42fd80c-f318"
        );
    }
}
