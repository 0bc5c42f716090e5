//! Which files an analysis of values takes in, and what its answers say about calls. A question about a name starts from the
//! files that know the name, and goes on to what they import and what imports them, up to a bound.

use super::{Certainty, Edge, Graph};
use crate::facts::{Call, SymbolKind};
use crate::index::{CallId, SymbolId};
use crate::language::Language;
use crate::modules;
use crate::points::{self, Imported, Project, ResolvedSite};
use crate::values::{self, Values};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// Packed bytes of values that one analysis takes in, for a person and for a hook. A line of code has about twelve.
const SOLVED_BYTES: [usize; 2] = [256 << 10, 48 << 10];
/// The analyses of one question take in so many times as much.
const ANALYSES: usize = 8;
/// Bytes of text that are parsed for the values of files that do not contain the name, for a person and for a hook.
const PARSED_BYTES: [usize; 2] = [128 << 10, 32 << 10];
/// Files that are asked whether they import a module.
const IMPORTERS: usize = 40;

/// The analyses of one question.
#[derive(Default)]
pub(super) struct Follow {
    done: RefCell<Vec<Rc<Followed>>>,
    solved_bytes: Cell<usize>,
    parsed_bytes: Cell<usize>,
    left_out: Cell<usize>,
    values: RefCell<HashMap<u32, Option<Rc<Values>>>>,
}

/// Calls as one analysis resolved them.
pub(super) struct Followed {
    sites: HashMap<u32, Vec<ResolvedSite>>,
    /// Sites by file, line and name.
    by_name: HashMap<(u32, u32), Vec<usize>>,
}

impl Followed {
    fn new(solution: points::Solution) -> Self {
        let mut by_name: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
        for (file, sites) in &solution.files {
            for (number, site) in sites.iter().enumerate().filter(|(_, site)| !site.name.is_empty()) {
                by_name.entry((*file, site.line)).or_default().push(number);
            }
        }
        Self { sites: solution.files, by_name }
    }

    fn has(&self, file: u32) -> bool {
        self.sites.contains_key(&file)
    }

    /// The values say what a call calls.
    pub(super) fn knows(&self, file: u32, call: &Call) -> bool {
        let sites = self.sites.get(&file).map_or(&[][..], Vec::as_slice);
        let numbers = self.by_name.get(&(file, call.line)).into_iter().flatten();
        let mut named =
            numbers.filter_map(|number| sites.get(*number)).filter(|site| site.name == call.name).peekable();
        named.peek().is_some() && named.all(|site| site.known || !site.targets.is_empty())
    }
}

impl Project for Graph<'_> {
    fn module(&self, from: u32, module: &str) -> Imported {
        let files = Graph::module(self, from, module);
        // Of several files with the same name, the nearest is meant.
        let path = self.index.path(from);
        let shared = |file: &u32| {
            let other = self.index.path(*file);
            let depth = other.matches('/').count();
            let same = path.split('/').zip(other.split('/')).take_while(|(a, b)| a == b).count();
            (std::cmp::Reverse(same), depth, other.len())
        };
        files.iter().min_by_key(|file| shared(file)).map_or(Imported::External, |file| Imported::File(*file))
    }

    fn is_script(&self, file: u32) -> bool {
        self.index.language(file) != Some(Language::Python)
    }
}

impl Graph<'_> {
    /// Files whose calls are not known yet and that were not read for this question, because they are too many.
    pub fn left_out(&self) -> usize {
        self.follow.left_out.get()
    }

    fn is_followed(&self, file: u32) -> bool {
        self.index.language(file).is_some_and(values::is_followed)
    }

    /// The analysis for a name and these calls of it.
    pub(super) fn follow_name(&self, name: &str, calls: &[CallId]) -> Option<Rc<Followed>> {
        let mut seeds: Vec<u32> = self.index.definitions(name).iter().map(|id| id.file).collect();
        seeds.dedup();
        let defined: HashSet<u32> = seeds.iter().copied().collect();
        let mut others: Vec<u32> = calls.iter().map(|call| call.file).collect();
        others.extend(self.index.files_about(name).into_iter().filter(|file| self.mentions(*file, name)));
        others.sort_by(|a, b| self.index.path(*a).cmp(self.index.path(*b)));
        others.dedup();
        seeds.extend(others.into_iter().filter(|file| !defined.contains(file)));
        self.follow(seeds)
    }

    /// The analysis for a file.
    pub(super) fn follow_file(&self, file: u32) -> Option<Rc<Followed>> {
        let known = self.follow.done.borrow().iter().find(|followed| followed.has(file)).cloned();
        known.or_else(|| self.follow(vec![file]))
    }

    /// A file that was read has a name among what its values are about.
    fn mentions(&self, file: u32, name: &str) -> bool {
        self.values(file).is_some_and(|values| values.names.iter().any(|known| known == name))
    }

    fn values(&self, file: u32) -> Option<Rc<Values>> {
        if let Some(known) = self.follow.values.borrow().get(&file) {
            return known.clone();
        }
        let values = self.index.facts(file).and_then(|facts| facts.values.unpack()).map(Rc::new);
        self.follow.values.borrow_mut().insert(file, values.clone());
        values
    }

    fn follow(&self, mut seeds: Vec<u32>) -> Option<Rc<Followed>> {
        seeds.retain(|file| self.is_followed(*file));
        if seeds.is_empty() {
            return None;
        }
        let has_all = |followed: &&Rc<Followed>| seeds.iter().all(|file| followed.has(*file));
        if let Some(known) = self.follow.done.borrow().iter().find(has_all) {
            return Some(known.clone());
        }
        let files = self.around(seeds);
        let solved = Followed::new(points::solve(self, &files));
        let solved = Rc::new(solved);
        self.follow.done.borrow_mut().push(solved.clone());
        Some(solved)
    }

    /// The files to take in: these, then level by level what they import and what imports them.
    fn around(&self, seeds: Vec<u32>) -> Vec<(u32, Rc<Values>)> {
        let most = self.bound(SOLVED_BYTES);
        let mut room = most.min((most * ANALYSES).saturating_sub(self.follow.solved_bytes.get()));
        let (mut taken, mut seen): (Vec<(u32, Rc<Values>)>, HashSet<u32>) = (Vec::new(), HashSet::new());
        let mut level = seeds;
        while !level.is_empty() {
            level.retain(|file| seen.insert(*file) && self.is_followed(*file));
            self.read(&level);
            let mut full = false;
            let before = taken.len();
            for file in &level {
                let Some(facts) = self.index.facts(*file) else { continue };
                let Some(left) = room.checked_sub(facts.values.len()) else {
                    full = true;
                    continue;
                };
                let Some(values) = self.values(*file) else { continue };
                room = left;
                self.follow.solved_bytes.set(self.follow.solved_bytes.get() + facts.values.len());
                taken.push((*file, values));
            }
            if full {
                break;
            }
            let new: Vec<u32> = taken.iter().skip(before).map(|(file, _)| *file).collect();
            level = self.neighbours(&new);
        }
        taken
    }

    /// A bound: a hook may parse only so much, and does not take long.
    fn bound(&self, [person, hook]: [usize; 2]) -> usize {
        if self.index.parse_bytes() == usize::MAX { person } else { hook }
    }

    /// Parses files that were only scanned.
    fn read(&self, files: &[u32]) {
        let used = self.follow.parsed_bytes.get();
        let room = self.bound(PARSED_BYTES).saturating_sub(used);
        let (left, left_out) = self.index.read_calls_of_all(files, room);
        self.follow.parsed_bytes.set(used + (room - left));
        self.follow.left_out.set(self.follow.left_out.get() + left_out);
    }

    /// What these files import, and what imports them.
    fn neighbours(&self, files: &[u32]) -> Vec<u32> {
        let mut found: BTreeSet<(String, u32)> = BTreeSet::new();
        for file in files {
            let Some(facts) = self.index.facts(*file) else { continue };
            for import in &facts.imports {
                let inside = join(&import.module, &import.name);
                for module in [&import.module, &inside] {
                    if let Imported::File(other) = Project::module(self, *file, module) {
                        found.insert((self.index.path(other).to_owned(), other));
                    }
                }
            }
            let Some(stem) = modules::stem(self.index.path(*file)) else { continue };
            // A name that many modules have says little, and asking all of them takes long.
            let about = self.index.files_about(stem);
            for other in about.iter().take(IMPORTERS).filter(|_| about.len() <= IMPORTERS) {
                if self.imports(*other, *file, stem) {
                    found.insert((self.index.path(*other).to_owned(), *other));
                }
            }
        }
        found.into_iter().map(|(_, file)| file).collect()
    }

    fn imports(&self, from: u32, file: u32, stem: &str) -> bool {
        let Some(facts) = self.index.facts(from).filter(|_| from != file) else { return false };
        let target = self.index.path(file);
        let (Some(language), path) = (self.index.language(from), self.index.path(from)) else { return false };
        facts.imports.iter().any(|import| {
            let inside = import.name == stem;
            (inside || modules::last_word(&import.module) == Some(stem))
                && (modules::means(language, path, &import.module, target)
                    || inside && modules::means(language, path, &join(&import.module, &import.name), target))
        })
    }

    /// The calls of a name that an analysis found.
    pub(super) fn followed_to(&self, followed: &Followed, name: &str) -> Vec<Edge> {
        let mut edges = Vec::new();
        for file in followed.sites.keys() {
            edges.extend(self.followed_from(followed, *file));
        }
        edges.retain(|edge| {
            let facts = self.index.facts(edge.to.file);
            facts.is_some_and(|facts| facts.symbol(edge.to.symbol).is_some_and(|symbol| symbol.name == name))
        });
        edges
    }

    /// The calls of a file that an analysis resolved.
    pub(super) fn followed_from(&self, followed: &Followed, file: u32) -> Vec<Edge> {
        let sites = followed.sites.get(&file).into_iter().flatten();
        sites.flat_map(|site| self.edges_of(file, site)).collect()
    }

    fn edges_of(&self, file: u32, site: &ResolvedSite) -> Vec<Edge> {
        // A class and what makes its objects are one target.
        let functions = site.targets.iter().filter(|to| !self.is_class(**to)).count();
        let how = if functions <= 1 && site.targets.len() - functions <= 1 {
            Certainty::Resolved
        } else {
            Certainty::May
        };
        let from = site.caller.map(|symbol| SymbolId { file, symbol });
        site.targets.iter().map(|to| Edge { file, from, to: *to, line: site.line, how }).collect()
    }

    fn is_class(&self, id: SymbolId) -> bool {
        let kind = self.index.facts(id.file).and_then(|facts| facts.symbol(id.symbol).map(|s| s.kind));
        kind == Some(SymbolKind::Class)
    }
}

/// A name inside a module, as a module.
fn join(module: &str, name: &str) -> String {
    let dot = if module.ends_with(['.', '/']) || name.is_empty() { "" } else { "." };
    format!("{module}{dot}{name}")
}
