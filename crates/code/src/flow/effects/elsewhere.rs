//! Functions of other files of a project: found on the disk by what an import says, parsed when a call asks for them, each once.

use super::summary::{Known, Summary};
use crate::facts::Import;
use crate::flow::find;
use crate::language::Language;
use crate::parse::{self, Limits, Parsed};
use sprag_base::files;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// Files that are parsed for one answer.
const MAX_FILES: usize = 16;
/// The largest file that is parsed.
const MAX_BYTES: u64 = 512 << 10;
/// Files between a function and one that is looked into for it.
const MAX_HOPS: usize = 6;
/// Folders above a file in which an absolute import of Python is looked for.
const MAX_FOLDERS: usize = 8;

/// What functions do, by file and name; nothing for one that is not known or still looked at.
type Summaries = HashMap<(PathBuf, String), Option<Rc<Summary>>>;

/// A file and those around it, for slices that follow calls into other files.
pub struct Project {
    path: PathBuf,
    files: RefCell<HashMap<PathBuf, Option<Rc<Parsed>>>>,
    found: RefCell<Summaries>,
    hops: Cell<usize>,
}

impl Project {
    /// Around the file at this path.
    pub fn new(path: &Path) -> Self {
        let (files, found, hops) = Default::default();
        Self { path: normal(path), files, found, hops }
    }

    /// The file that was asked about.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What a function of another file does; `None` when it is not found or not of the project.
    pub(super) fn summary(
        &self,
        from: &Path,
        language: Language,
        module: &str,
        name: &str,
    ) -> Option<Rc<Summary>> {
        if self.hops.get() >= MAX_HOPS {
            return None;
        }
        let (path, parsed) = self.file(from, language, module)?;
        let name = if matches!(name, "" | "default") { exported(&parsed)? } else { name.to_owned() };
        let key = (path.clone(), name.clone());
        if let Some(known) = self.found.borrow().get(&key) {
            return known.clone();
        }
        // One that calls itself through other files: while it is looked at, it may do everything.
        self.found.borrow_mut().insert(key.clone(), None);
        self.hops.set(self.hops.get() + 1);
        let places = find::functions(&parsed);
        let summary = Known::new(&parsed, &places, "").within(self, path).named(&name);
        self.hops.set(self.hops.get() - 1);
        self.found.borrow_mut().insert(key, summary.clone());
        summary
    }

    /// The file of a module, parsed.
    fn file(&self, from: &Path, language: Language, module: &str) -> Option<(PathBuf, Rc<Parsed>)> {
        candidates(from, language, module).into_iter().find_map(|path| {
            if let Some(known) = self.files.borrow().get(&path) {
                return known.clone().map(|parsed| (path.clone(), parsed));
            }
            let parsed = self.parse(&path).map(Rc::new);
            self.files.borrow_mut().insert(path.clone(), parsed.clone());
            parsed.map(|parsed| (path, parsed))
        })
    }

    fn parse(&self, path: &Path) -> Option<Parsed> {
        let parsed = self.files.borrow().values().flatten().count();
        if parsed >= MAX_FILES || path == self.path {
            return None;
        }
        let bytes = files::read_whole(path, MAX_BYTES).ok()??;
        parse::file(path, &bytes, Limits::QUICK).ok()
    }
}

/// The import that a call goes through: the module, and the name in it. `on` is the name that the call is made on.
pub(super) fn imported(
    imports: &[Import],
    language: Language,
    name: &str,
    on: Option<&str>,
) -> Option<(String, String)> {
    let import = imports.iter().find(|import| import.alias == on.unwrap_or(name))?;
    let module = import.module.clone();
    match (on, import.name.as_str()) {
        (None, inside) => Some((module, inside.to_owned())),
        (Some(_), "" | "*") => Some((module, name.to_owned())),
        // `from shop import cart; cart.pay()`
        (Some(_), inside) if language == Language::Python => {
            let dot = if module.is_empty() || module.ends_with('.') { "" } else { "." };
            Some((format!("{module}{dot}{inside}"), name.to_owned()))
        }
        _ => None,
    }
}

/// Where the file of a module may be.
fn candidates(from: &Path, language: Language, module: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Some(folder) = from.parent() else { return found };
    if language == Language::Python {
        let dots = module.bytes().take_while(|byte| *byte == b'.').count();
        let inside = module.get(dots..).unwrap_or("").replace('.', "/");
        let bases: Vec<&Path> = match dots {
            0 => folder.ancestors().take(MAX_FOLDERS).collect(),
            dots => folder.ancestors().nth(dots - 1).into_iter().collect(),
        };
        for base in bases {
            if !inside.is_empty() {
                found.push(base.join(format!("{inside}.py")));
            }
            found.push(base.join(&inside).join("__init__.py"));
        }
        return found;
    }
    if !module.starts_with('.') {
        return found;
    }
    let path = normal(&folder.join(module));
    let text = path.to_string_lossy().into_owned();
    // `./cart.js` may be written for `cart.ts`.
    let stem = text.strip_suffix(".js").or_else(|| text.strip_suffix(".mjs")).unwrap_or(&text);
    found.push(path.clone());
    for ending in ["ts", "tsx", "js", "mjs", "cjs", "jsx"] {
        found.push(PathBuf::from(format!("{stem}.{ending}")));
    }
    for ending in ["ts", "tsx", "js"] {
        found.push(path.join(format!("index.{ending}")));
    }
    found.retain(|path| path.extension().is_some());
    found
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut made = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if made.file_name().is_some() => {
                made.pop();
            }
            part => made.push(part),
        }
    }
    made
}

/// The name of what a file of JavaScript exports as a whole: `export default pay`, `module.exports = pay`.
fn exported(parsed: &Parsed) -> Option<String> {
    let root = parsed.tree.root_node();
    let mut cursor = root.walk();
    let mut name = None;
    for node in root.named_children(&mut cursor) {
        let found = match node.kind() {
            "export_statement" if parsed.text(node).starts_with("export default") => {
                let declared = node.child_by_field_name("declaration");
                declared
                    .and_then(|of| of.child_by_field_name("name"))
                    .or_else(|| node.child_by_field_name("value"))
            }
            "expression_statement" => node.named_child(0).and_then(|assigned| {
                let left = assigned.child_by_field_name("left")?;
                let value = assigned.child_by_field_name("right")?;
                (parsed.text(left) == "module.exports").then_some(value)
            }),
            _ => None,
        };
        name = found
            .filter(|found| found.kind() == "identifier")
            .map(|found| parsed.text(found).to_owned())
            .or(name);
    }
    name
}
