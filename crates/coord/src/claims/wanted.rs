//! What a tool call is about to change: files by their tools, by shell redirections, `sed -i`, `mv`, patches; and the
//! git state that all sessions of a checkout share. Pure reading; nothing is asked of a database here.

use super::place::{self, ClaimTarget};
use sprag_base::glob;
use sprag_base::links;
use sprag_guard::shell;
use sprag_protocol::{Access, Event, ToolKind};
use sprag_runtime::hook::Cx;
use sprag_shell::{EffectKind, GitChange, HOLE, PathRef, PathZone as Where, WriteHow};
use std::path::{Path, PathBuf};

/// More files than this in one call are not looked at.
const MAX_TARGETS: usize = 64;

/// What a call is about to change.
#[derive(Debug, Default)]
pub struct Wanted {
    /// Files.
    pub files: Vec<ClaimTarget>,
    /// Folders that go or move with everything in them.
    pub folders: Vec<ClaimTarget>,
    /// Checkouts whose shared state changes.
    pub checkouts: Vec<(GitChange, PathBuf)>,
    /// Checkouts in which a commit is made.
    pub commits: Vec<PathBuf>,
}

impl Wanted {
    /// True when nothing that others could hold is changed.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty() && self.checkouts.is_empty()
    }

    /// Adds a file; with `whole`, a folder counts as all that is in it.
    fn add(&mut self, path: &Path, whole: bool, cx: &Cx<'_>) {
        let Some(place) = place::of(path, cx) else { return };
        let folder = place.real.is_dir();
        if folder && !whole {
            return;
        }
        let list = if folder { &mut self.folders } else { &mut self.files };
        if list.len() < MAX_TARGETS && !list.iter().any(|known| known.key == place.key) {
            list.push(place);
        }
    }
}

/// What the call of an event is about to change.
pub fn of(event: &Event, cx: &Cx<'_>) -> Wanted {
    let mut wanted = Wanted::default();
    let Some(tool) = &event.tool else { return wanted };
    match tool.kind {
        ToolKind::Shell => in_command(event, cx, &mut wanted),
        ToolKind::Read | ToolKind::Grep | ToolKind::Glob | ToolKind::Fetch | ToolKind::Agent => {}
        ToolKind::Write | ToolKind::Edit | ToolKind::Patch | ToolKind::Mcp | ToolKind::Other => {
            let written = tool.paths.iter().filter(|used| used.access != Access::Read);
            if tool.paths.is_empty() {
                return wanted;
            }
            let context = shell::context(event, cx);
            for used in written {
                wanted.add(Path::new(&shell::full(&used.path, &context)), false, cx);
            }
        }
    }
    wanted
}

fn in_command(event: &Event, cx: &Cx<'_>, wanted: &mut Wanted) {
    let Some((analysis, context)) = shell::analysis(event, cx) else { return };
    for effect in &analysis.effects {
        match &effect.kind {
            EffectKind::Write(path, how) if *how != WriteHow::Create => named(path, false, cx, wanted),
            EffectKind::Delete { path, regenerable: false, .. } => named(path, true, cx, wanted),
            EffectKind::Move { from, to } => {
                named(from, true, cx, wanted);
                named(to, false, cx, wanted);
            }
            EffectKind::Checkout { change, at } => {
                let at = if at.contains(HOLE) { &context.cwd } else { at };
                let root =
                    links::real(Path::new(at)).and_then(|at| place::git_root(&at, &cx.host.paths.home));
                match (root, change) {
                    (Some(root), GitChange::Commit) => wanted.commits.push(root),
                    (Some(root), change) => wanted.checkouts.push((*change, root)),
                    (None, _) => {}
                }
            }
            _ => {}
        }
    }
}

/// A path of a command; one with a pattern in its last part is the files that it matches now.
fn named(path: &PathRef, whole: bool, cx: &Cx<'_>, wanted: &mut Wanted) {
    if path.place == Where::Sink || path.full.contains(HOLE) {
        return;
    }
    if !path.glob {
        return wanted.add(Path::new(&path.full), whole, cx);
    }
    let Some((folder, pattern)) =
        path.full.rsplit_once('/').filter(|(folder, _)| !folder.contains(['*', '?', '[']))
    else {
        return;
    };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten().take(10_000) {
        let name = entry.file_name();
        if glob::name(pattern, &name.to_string_lossy()) && !name.to_string_lossy().starts_with('.') {
            wanted.add(&entry.path(), whole, cx);
        }
    }
}
