//! One index over everything kept: learnings, decisions, failures, handoffs, exported sessions and lessons become
//! memories too, each with its kind, its date and the file it comes from, so that one ranking finds them. The files stay
//! the truth: one that changed is read again, one that is gone is forgotten. In the background, a bounded number at a time.

use crate::knowledge::index::{self, Doc, Index};
use crate::knowledge::{Knowledge, front, text};
use crate::memories;
use crate::recall::chunks::chunks;
use crate::recall::{Draft, Error, INSTRUCTION, Library, Maker};
use sprag_base::files;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_coord::store::micros;
use sprag_project::Project;
use sprag_runtime::job::{Job, JobError, Work};
use sprag_runtime::queue;
use sprag_runtime::work::Collection;
use sprag_store::{LessonRow, Opening};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Files that one job reads; the rest is the next job's.
const MAX_FILES: usize = 200;
/// The newest exported sessions of a project that are found.
const MAX_SESSIONS: usize = 2_000;
/// As much of an exported session is a memory: what it was about.
const SESSION_CHARS: usize = 700;
/// Files of this size and more are no notes.
const MAX_TEXT: u64 = 256 << 10;
/// The most parts of one file.
const MAX_PARTS: usize = 40;
/// Text that no file has: lessons are rows of the store.
const LESSON: &str = "lesson:";

/// The job that takes in what is new for a project. One per project waits at a time.
pub fn job(wanted: Collection) -> Job {
    let key = format!("memory-collect:{}", wanted.cwd);
    Job::new(Work::MemoryCollect(wanted)).keyed(key)
}

/// Where a file's memories come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SourceKind {
    /// The knowledge folder.
    Knowledge,
    /// What an agent's program noted about the project.
    Note,
    /// What agents are told about the project anyway.
    Instruction,
}

/// What was read: each file's size and time of change.
struct Seen {
    path: PathBuf,
    files: BTreeMap<String, String>,
}

impl Seen {
    fn load(host: &Host) -> Self {
        let path = host.paths.state.join("memory").join("collected");
        let text = files::read_text(&path, 64 << 20).unwrap_or_default();
        let line =
            |line: &str| line.split_once('\t').map(|(stamp, file)| (file.to_owned(), stamp.to_owned()));
        Self { path, files: text.lines().filter_map(line).collect() }
    }

    fn save(&self) -> std::io::Result<()> {
        let lines: String = self.files.iter().map(|(file, stamp)| format!("{stamp}\t{file}\n")).collect();
        files::write_atomic(&self.path, lines.as_bytes())
    }

    /// True when a name was read with this stamp.
    fn has(&self, name: &str, stamp: &str) -> bool {
        self.files.get(name).is_some_and(|seen| seen == stamp)
    }
}

fn stamp(path: &Path) -> Option<String> {
    let meta = path.metadata().ok()?;
    let changed = meta.modified().map(Stamp::from).unwrap_or_default();
    Some(format!("{}.{}", meta.len(), changed.0))
}

/// Takes in what is new: the user's learnings and lessons, and what is kept of the project of a folder.
pub fn run(host: &Host, wanted: &Collection) -> Result<(), JobError> {
    let more = collect(host, wanted).map_err(|error| JobError::about("memories of what is kept", error))?;
    if more {
        queue::push(&host.paths, &job(wanted.clone()), host.clock.now())?;
    }
    Ok(())
}

fn collect(host: &Host, wanted: &Collection) -> Result<bool, Error> {
    let knowledge = Knowledge::open(host);
    let project = Project::find(&wanted.cwd, &host.env, &host.paths.home);
    let mut seen = Seen::load(host);
    let mut changed: Vec<(PathBuf, SourceKind)> = Vec::new();
    for (path, kind) in sources(&knowledge, &project, wanted) {
        let name = path.display().to_string();
        if stamp(&path).is_some_and(|now| !seen.has(&name, &now)) {
            changed.push((path, kind));
        }
    }
    let gone: Vec<String> = seen
        .files
        .keys()
        .filter(|name| !name.starts_with(LESSON) && !Path::new(name).exists())
        .cloned()
        .collect();
    // A store is made only when there is something to keep.
    let create = !changed.is_empty();
    let opened = memories::open(host, Opening { create, ..Opening::WORKER });
    let mut library = match opened {
        Err(Error::Store(sprag_store::Error::Missing)) => return Ok(false),
        other => other?,
    };
    let now = micros(host.clock.now());
    let more = changed.len() > MAX_FILES;
    for (path, kind) in changed.into_iter().take(MAX_FILES) {
        let name = path.display().to_string();
        // Taken before the file is read: what is written meanwhile is read the next time.
        let before = stamp(&path).unwrap_or_default();
        let place = project.key(&host.machine());
        let drafts = match kind {
            SourceKind::Knowledge => drafts(&knowledge, &place, &path),
            SourceKind::Note => plain(&path, "note", &place),
            SourceKind::Instruction => plain(&path, INSTRUCTION, &place),
        };
        library.keep_parts(&name, drafts, now)?;
        seen.files.insert(name, before);
    }
    for name in gone {
        library.keep_parts(&name, Vec::new(), now)?;
        seen.files.remove(&name);
    }
    lessons(&mut library, &mut seen, now)?;
    library.tidy()?;
    seen.save()?;
    Ok(more)
}

/// The files that concern the user and this project.
fn sources(knowledge: &Knowledge, project: &Project, wanted: &Collection) -> Vec<(PathBuf, SourceKind)> {
    let mut found = index::all_files(knowledge);
    let memory = knowledge.memory(project);
    found.retain(|path| {
        path.starts_with(&memory.dir)
            || (path.starts_with(&knowledge.learnings) && !path.starts_with(knowledge.sessions()))
    });
    if let Some(index) = Index::look(knowledge) {
        let filter = index::Filter { kind: Some("session"), project_key: Some(&memory.key) };
        let newest = index.newest(&filter, MAX_SESSIONS).unwrap_or_default();
        found.extend(newest.into_iter().map(|doc| doc.path));
    }
    let mut found: Vec<_> = found.into_iter().map(|path| (path, SourceKind::Knowledge)).collect();
    for folder in &wanted.notes {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_FILES);
        let mut notes: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| is_text(path)).collect();
        notes.sort();
        found.extend(notes.into_iter().map(|path| (path, SourceKind::Note)));
    }
    let told = with_imports(&project.root, &wanted.instructions);
    found.extend(told.into_iter().map(|path| (path, SourceKind::Instruction)));
    found
}

fn is_text(path: &Path) -> bool {
    path.extension().is_some_and(|ext| ext == "md" || ext == "txt" || ext == "mdc")
}

/// Instructions and the files of the project that they import with `@path`. What lies elsewhere is not read.
fn with_imports(root: &Path, instructions: &[PathBuf]) -> Vec<PathBuf> {
    const MAX_IMPORTS: usize = 30;
    let Ok(root) = root.canonicalize() else { return Vec::new() };
    let mut found: Vec<PathBuf> = Vec::new();
    let mut open: Vec<PathBuf> = instructions.to_vec();
    while let Some(path) = open.pop() {
        let inside = path.canonicalize().ok().filter(|path| path.starts_with(&root) && is_text(path));
        let Some(path) = inside.filter(|path| !found.contains(path)) else { continue };
        if found.len() == MAX_IMPORTS {
            break;
        }
        let text = files::read_text(&path, MAX_TEXT).unwrap_or_default();
        let folder = path.parent().unwrap_or(&root);
        open.extend(imports(&text).map(|name| folder.join(name)));
        found.push(path);
    }
    found.sort();
    found
}

/// The paths that a text imports: words that begin with `@`, outside of code.
fn imports(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    let lines = text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    });
    lines
        .flat_map(str::split_whitespace)
        .filter_map(|word| word.strip_prefix('@'))
        .filter(|name| !name.is_empty())
}

/// The memories of a plain file.
fn plain(path: &Path, kind: &str, place: &str) -> Vec<Draft> {
    let text = files::read_text(path, MAX_TEXT).unwrap_or_default();
    let body = front::read(&text).map_or(text.as_str(), |(_, body)| body);
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let draft = |part: String| Draft {
        text: part,
        kind: kind.to_owned(),
        scope: "project".to_owned(),
        place: place.to_owned(),
        tags: vec![name.clone()],
        ..Draft::default()
    };
    chunks(body).into_iter().take(MAX_PARTS).map(draft).collect()
}

/// The memories of a file.
fn drafts(knowledge: &Knowledge, place: &str, path: &Path) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (doc, body) in index::documents(knowledge, path) {
        // A learning holds outside of its project; the rest is the project's.
        let (scope, place) = if doc.kind == "learning" { ("user", "") } else { ("project", place) };
        for part in parts(&doc, &body) {
            drafts.push(Draft {
                text: part,
                kind: doc.kind.clone(),
                scope: scope.to_owned(),
                place: place.to_owned(),
                tags: vec![date_tag(&doc)],
                session: doc.session.clone(),
                valid_from: Stamp::parse(&format!("{}T00:00:00Z", date_tag(&doc))).map(|at| at.0 as i64),
                // What a session learned may be what a page told it; a conversation is quoted as one.
                maker: if matches!(doc.kind.as_str(), "session" | "handoff") {
                    Maker::Person
                } else {
                    Maker::Transcript
                },
                ..Draft::default()
            });
        }
    }
    drafts.truncate(MAX_PARTS);
    drafts
}

/// A document's texts: a line of a list is one, a session is what it was about, everything else is cut at its headings.
fn parts(doc: &Doc, body: &str) -> Vec<String> {
    let title = doc.title.trim();
    let titled = |part: &str| match part.trim() {
        "" => title.to_owned(),
        part if title.is_empty() || part.contains(title) => part.to_owned(),
        part => format!("{title}\n{part}"),
    };
    let parts = match doc.kind.as_str() {
        "session" => {
            let said = body.split_once("\n## User\n").map_or(body, |(_, rest)| rest);
            vec![titled(&text::one_line(text::start(said.trim(), SESSION_CHARS)))]
        }
        _ if doc.line > 0 => vec![titled(&text::one_line(&untagged(body)))],
        _ => chunks(body).iter().map(|part| titled(part)).collect(),
    };
    parts.into_iter().filter(|part| !part.trim().is_empty()).collect()
}

/// The body of a record without its list of tags, which stands at the end.
fn untagged(body: &str) -> String {
    body.rsplit_once(" [").map_or(body, |(text, _)| text).to_owned()
}

/// The date that people search by: `2026-11-03`.
fn date_tag(doc: &Doc) -> String {
    doc.date.chars().take(10).collect()
}

/// Lessons that somebody accepted: problem and solution.
fn lessons(library: &mut Library, seen: &mut Seen, now: i64) -> Result<(), Error> {
    let rows = library.store().lessons()?;
    let active: Vec<&LessonRow> = rows.iter().filter(|row| row.status == "active").collect();
    let known: Vec<String> = seen.files.keys().filter(|name| name.starts_with(LESSON)).cloned().collect();
    for row in &active {
        let name = format!("{LESSON}{}", row.id);
        if !seen.has(&name, &row.hash) {
            library.keep_parts(&name, lesson(row).into_iter().collect(), now)?;
            seen.files.insert(name, row.hash.clone());
        }
    }
    for name in known {
        if !active.iter().any(|row| name.strip_prefix(LESSON) == Some(&row.id)) {
            library.keep_parts(&name, Vec::new(), now)?;
            seen.files.remove(&name);
        }
    }
    Ok(())
}

/// A lesson as a memory; `None` for one of a single project, whose name is not the store's.
fn lesson(row: &LessonRow) -> Option<Draft> {
    let data: serde_json::Value = serde_json::from_str(&row.data).ok()?;
    let field =
        |key: &str| data.get(key).and_then(serde_json::Value::as_str).unwrap_or_default().trim().to_owned();
    if !field("scope").is_empty() {
        return None;
    }
    let texts: Vec<String> = [field("summary"), field("problem"), field("solution")]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect();
    (!texts.is_empty()).then(|| Draft {
        text: text::start(&texts.join("\n"), 4_000).to_owned(),
        kind: "lesson".to_owned(),
        scope: "user".to_owned(),
        tags: vec![row.slug.clone()],
        importance: row.priority,
        ..Draft::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_stand_outside_of_code_and_inside_of_the_project() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("shop");
        std::fs::create_dir_all(root.join("docs")).unwrap();
        std::fs::write(dir.path().join("outside.md"), "secret").unwrap();
        std::fs::write(root.join("docs/a.md"), "see @b.md").unwrap();
        std::fs::write(root.join("docs/b.md"), "see @a.md, @/etc/hosts and mail@example.org").unwrap();
        let text = "Rules: @docs/a.md @../outside.md @docs/none.md\n```\n@docs/code.md\n```\n";
        std::fs::write(root.join("CLAUDE.md"), text).unwrap();
        let found = with_imports(&root, &[root.join("CLAUDE.md"), root.join("AGENTS.md")]);
        let names: Vec<String> = found
            .iter()
            .map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned())
            .collect();
        assert_eq!(names, ["CLAUDE.md", "a.md", "b.md"]);
    }

    #[test]
    fn a_decision_is_one_text_without_its_tags_and_a_session_is_what_it_was_about() {
        let doc = |kind: &str, line: usize| Doc {
            path: "x".into(),
            line,
            kind: kind.into(),
            project: String::new(),
            project_key: String::new(),
            session: String::new(),
            title: "Use pnpm".into(),
            date: "2026-11-03 09:02".into(),
            messages: 0,
        };
        assert_eq!(
            parts(&doc("decision", 1), " npm breaks the lockfile [\"tools\"]"),
            ["Use pnpm\nnpm breaks the lockfile"]
        );
        let session =
            parts(&doc("session", 0), "# Session\n\n## User\n\nUse pnpm\nin CI\n\n## Claude\n\nDone.");
        assert_eq!(session, ["Use pnpm in CI ## Claude Done."]);
        assert_eq!(date_tag(&doc("decision", 1)), "2026-11-03");
    }
}
