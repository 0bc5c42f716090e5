//! Who calls whom in a project. A call of Python or a script is linked to a definition by the values that reach it; any
//! other, and one of which the values are not known, by what the language says: the scope, the imports, the type of what
//! it is made on. What only the name says is marked so.

mod builtin;
mod follow;
mod link;

use crate::facts::{Call, Facts, Import, SymbolKind};
use crate::index::{CallId, Index, SymbolId, called};
use crate::language::Language;
use crate::modules;
use follow::Followed;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// How sure a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// The text says so.
    Resolved,
    /// It is one of several that the values in the text allow.
    May,
    /// The name alone says so.
    ByName,
}

impl Certainty {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::May => "may",
            Self::ByName => "by-name",
        }
    }

    /// How it is marked in a text.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Resolved => "",
            Self::May => "~",
            Self::ByName => "?",
        }
    }
}

/// A call that is linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The file of the call.
    pub file: u32,
    /// The symbol that it is in; `None` for the file itself.
    pub from: Option<SymbolId>,
    /// What is called.
    pub to: SymbolId,
    /// The line of the call.
    pub line: u32,
    /// How sure.
    pub how: Certainty,
}

/// A name that more definitions have than this is not linked by name alone.
const BY_NAME: usize = 4;
/// How many re-exports are followed.
const REEXPORT_HOPS: usize = 4;
/// How far up a type's ancestors are followed.
const ANCESTORS: usize = 12;

/// The files of a module's name: by the file that says it.
type Modules<K> = RefCell<HashMap<(u32, K), Rc<Vec<u32>>>>;
/// The calls of a name, by what they mean.
type Callers = Rc<HashMap<SymbolId, Vec<Edge>>>;

/// Answers about calls, over an index. What was found out for one call is kept for the next: of a name with many
/// definitions and many calls, each is looked at once.
pub struct Graph<'i> {
    index: &'i Index,
    modules: Modules<String>,
    /// Of a module and a name in it.
    exporters: Modules<(String, String)>,
    stems: RefCell<Option<HashMap<String, Vec<u32>>>>,
    bases: RefCell<HashMap<String, Rc<Vec<String>>>>,
    ancestors: RefCell<HashMap<String, Rc<HashSet<String>>>>,
    definitions: RefCell<HashMap<(String, Language), Rc<Definitions>>>,
    callers: RefCell<HashMap<String, Callers>>,
    follow: follow::Follow,
}

/// The definitions of one name that calls of one language may mean, in order.
#[derive(Default)]
struct Definitions {
    all: Vec<Definition>,
    /// Numbers of those that are methods.
    methods: Vec<usize>,
    /// Numbers of those that are functions, types, macros and are known outside of a function.
    global: Vec<usize>,
    by_file: HashMap<u32, Vec<usize>>,
    by_folder: HashMap<String, Vec<usize>>,
    /// Methods and properties, by the type that they belong to.
    by_container: HashMap<String, Vec<usize>>,
    /// The types in `by_container`, by what they inherit from; known when it was asked for.
    below: OnceCell<HashMap<String, Vec<String>>>,
}

/// A definition, with what linking a call needs.
struct Definition {
    id: SymbolId,
    kind: SymbolKind,
    container: String,
    /// The symbol that it is written in, and its name when that is no function.
    parent: Option<u32>,
    parent_name: String,
    /// It is written in a function and known there only.
    local: bool,
}

impl<'i> Graph<'i> {
    /// Over this index.
    pub fn new(index: &'i Index) -> Self {
        Self {
            index,
            modules: RefCell::default(),
            exporters: RefCell::default(),
            stems: RefCell::default(),
            bases: RefCell::default(),
            ancestors: RefCell::default(),
            definitions: RefCell::default(),
            callers: RefCell::default(),
            follow: follow::Follow::default(),
        }
    }

    /// The calls of a definition, in the order of files and lines.
    pub fn callers(&self, to: SymbolId) -> Vec<Edge> {
        let Some(facts) = self.index.facts(to.file) else { return Vec::new() };
        let Some(symbol) = facts.symbol(to.symbol) else { return Vec::new() };
        self.callers_of(&symbol.name).get(&to).cloned().unwrap_or_default()
    }

    /// The calls of every definition of a name.
    fn callers_of(&self, name: &str) -> Callers {
        if let Some(known) = self.callers.borrow().get(name) {
            return known.clone();
        }
        let mut edges: HashMap<SymbolId, Vec<Edge>> = HashMap::new();
        let calls = self.index.calls_of(name);
        let solution = self.follow_name(name, &calls);
        for edge in solution.iter().flat_map(|solution| self.followed_to(solution, name)) {
            edges.entry(edge.to).or_default().push(edge);
        }
        for site in calls {
            for edge in self.linked(site, solution.as_deref()) {
                edges.entry(edge.to).or_default().push(edge);
            }
        }
        for list in edges.values_mut() {
            list.sort_by(|a, b| {
                self.index.path(a.file).cmp(self.index.path(b.file)).then(a.line.cmp(&b.line))
            });
        }
        let edges = Rc::new(edges);
        self.callers.borrow_mut().insert(name.to_owned(), edges.clone());
        edges
    }

    /// What a definition calls, in the order of the text.
    pub fn callees(&self, from: SymbolId) -> Vec<Edge> {
        let mut edges = self.of_file(from.file);
        let Some(facts) = self.index.facts(from.file) else { return Vec::new() };
        edges.retain(|edge| edge.from.is_some_and(|caller| within(&facts, caller.symbol, from.symbol)));
        edges
    }

    /// Every link of a file, in the order of the text.
    pub fn of_file(&self, file: u32) -> Vec<Edge> {
        self.index.read_calls_of(file);
        let solution = self.follow_file(file);
        let mut edges = Vec::new();
        if let Some(solution) = &solution {
            edges.extend(self.followed_from(solution, file));
        }
        let count = self.index.facts(file).map_or(0, |facts| facts.calls.len());
        for call in 0..count as u32 {
            edges.extend(self.linked(CallId { file, call }, solution.as_deref()));
        }
        edges.sort_by_key(|edge| edge.line);
        edges
    }

    /// The links of a call of which the values say nothing.
    fn linked(&self, site: CallId, solution: Option<&Followed>) -> Vec<Edge> {
        let Some(facts) = self.index.facts(site.file) else { return Vec::new() };
        let Some(call) = facts.calls.get(site.call as usize) else { return Vec::new() };
        if solution.is_some_and(|solution| solution.knows(site.file, call)) {
            return Vec::new();
        }
        let from = call.caller.map(|symbol| SymbolId { file: site.file, symbol });
        let targets = self.targets_of(site.file, &facts, call).into_iter();
        targets.map(|(to, how)| Edge { file: site.file, from, to, line: call.line, how }).collect()
    }

    /// Everything that calls a definition, directly or through others: each with its distance and the call that leads
    /// on. Breadth first, so that the shortest path is the one that is reported.
    /// What only the name says is followed when it is asked for.
    pub fn impact(&self, of: SymbolId, depth: usize, most: usize, by_name: bool) -> Impact {
        let mut seen: HashSet<SymbolId> = HashSet::from([of]);
        let mut files: BTreeSet<u32> = BTreeSet::new();
        let mut impact = Impact::default();
        let mut front = vec![of];
        for distance in 1..=depth {
            let mut next = Vec::new();
            for to in front {
                for edge in self.callers(to) {
                    if edge.how == Certainty::ByName && !by_name {
                        impact.by_name += 1;
                        continue;
                    }
                    files.insert(edge.file);
                    let new = edge.from.is_none_or(|from| seen.insert(from));
                    if !new {
                        continue;
                    }
                    if impact.reached.len() >= most {
                        impact.more += 1;
                        continue;
                    }
                    next.extend(edge.from);
                    impact.reached.push((distance, edge));
                }
            }
            front = next;
            if front.is_empty() {
                break;
            }
        }
        let counts = |edge: &Edge| by_name || edge.how != Certainty::ByName;
        impact.beyond = front.iter().any(|id| self.callers(*id).iter().any(counts));
        impact.files = files.len();
        impact
    }

    /// What a call of a file as it may become means, without its values: a text that is not yet in it. When something is
    /// sure, what is not is not told.
    pub fn targets_of(&self, file: u32, facts: &Facts, call: &Call) -> Vec<(SymbolId, Certainty)> {
        let Some(language) = self.index.language(file) else { return Vec::new() };
        let definitions = self.definitions(called(facts, call), language);
        if definitions.all.is_empty() {
            return Vec::new();
        }
        let mut link = link::Link {
            graph: self,
            file,
            language,
            facts,
            call,
            of: &definitions,
            sure: Vec::new(),
            by_name: Vec::new(),
        };
        link.find();
        let link::Link { mut sure, by_name, .. } = link;
        let (numbers, how) = match (sure.is_empty(), by_name.len()) {
            (false, _) => {
                sure.sort_unstable();
                sure.dedup();
                (sure, Certainty::Resolved)
            }
            (true, 0..=BY_NAME) if !builtin::is_method(language, &call.name) => (by_name, Certainty::ByName),
            _ => return Vec::new(),
        };
        numbers.into_iter().filter_map(|number| Some((definitions.all.get(number)?.id, how))).collect()
    }

    /// The definitions of a name that a call in this language may mean.
    fn definitions(&self, name: &str, language: Language) -> Rc<Definitions> {
        let key = (name.to_owned(), language);
        if let Some(known) = self.definitions.borrow().get(&key) {
            return known.clone();
        }
        let mut found = Definitions::default();
        for id in self.index.definitions(name) {
            let kin = self.index.language(id.file).is_some_and(|theirs| language.kin(theirs));
            let Some(facts) = self.index.facts(id.file).filter(|_| kin) else { continue };
            let Some(symbol) = facts.symbol(id.symbol) else { continue };
            if matches!(symbol.kind, SymbolKind::Impl | SymbolKind::Module) || symbol.kind.is_value() {
                continue;
            }
            let parent = symbol.parent.and_then(|parent| facts.symbol(parent));
            let local = parent.is_some_and(|parent| parent.kind.is_function());
            let number = found.all.len();
            found.by_file.entry(id.file).or_default().push(number);
            let folder = folder(self.index.path(id.file)).to_owned();
            found.by_folder.entry(folder).or_default().push(number);
            match symbol.kind {
                SymbolKind::Method => found.methods.push(number),
                _ if !local => found.global.push(number),
                _ => {}
            }
            if matches!(symbol.kind, SymbolKind::Method | SymbolKind::Property) {
                found.by_container.entry(symbol.container.clone()).or_default().push(number);
            }
            found.all.push(Definition {
                id,
                kind: symbol.kind,
                container: symbol.container.clone(),
                parent: symbol.parent,
                parent_name: parent.map(|parent| parent.name.clone()).unwrap_or_default(),
                local,
            });
        }
        let found = Rc::new(found);
        self.definitions.borrow_mut().insert(key, found.clone());
        found
    }

    /// The files that a module, written in a file, means.
    fn module(&self, from: u32, module: &str) -> Rc<Vec<u32>> {
        let Some(language) = self.index.language(from) else { return Rc::default() };
        let path = self.index.path(from);
        let key = (from, module.to_owned());
        if let Some(known) = self.modules.borrow().get(&key) {
            return known.clone();
        }
        let mut stems = self.stems.borrow_mut();
        let stems = stems.get_or_insert_with(|| {
            let mut stems: HashMap<String, Vec<u32>> = HashMap::new();
            for file in self.index.files() {
                for stem in modules::stems(self.index.path(file)) {
                    stems.entry(stem.to_owned()).or_default().push(file);
                }
            }
            stems
        });
        let words = modules::words(language, module);
        let candidates: Vec<u32> = if words.is_empty() {
            self.index.files().collect()
        } else {
            words.iter().filter_map(|word| stems.get(*word)).flatten().copied().collect()
        };
        let mut found: Vec<u32> = candidates
            .into_iter()
            .filter(|file| self.index.language(*file).is_some_and(|of| of.kin(language)))
            .filter(|file| modules::means(language, path, module, self.index.path(*file)))
            .collect();
        found.sort_unstable();
        found.dedup();
        let found = Rc::new(found);
        self.modules.borrow_mut().insert(key, found.clone());
        found
    }

    /// The files whose symbol of this name a module exports: the module itself, and what it re-exports.
    pub(crate) fn exporters(&self, from: u32, module: &str, name: &str) -> Rc<Vec<u32>> {
        let key = (from, (module.to_owned(), name.to_owned()));
        if let Some(known) = self.exporters.borrow().get(&key) {
            return known.clone();
        }
        let mut found = BTreeSet::new();
        self.add_exporters(from, module, name, REEXPORT_HOPS, &mut found);
        let found = Rc::new(found.into_iter().collect::<Vec<u32>>());
        self.exporters.borrow_mut().insert(key, found.clone());
        found
    }

    fn add_exporters(&self, from: u32, module: &str, name: &str, hops: usize, found: &mut BTreeSet<u32>) {
        for file in self.module(from, module).iter() {
            found.insert(*file);
            let Some(facts) = (hops > 0).then(|| self.index.facts(*file)).flatten() else { continue };
            let given = |import: &&Import| import.public && (import.name == "*" || import.alias == name);
            for import in facts.imports.iter().filter(given) {
                let name = if import.name == "*" { name } else { &import.name };
                self.add_exporters(*file, &import.module, name, hops - 1, found);
            }
        }
    }

    /// What the types of this name inherit from.
    fn bases(&self, name: &str) -> Rc<Vec<String>> {
        if let Some(known) = self.bases.borrow().get(name) {
            return known.clone();
        }
        let mut found = Vec::new();
        for id in self.index.definitions(name) {
            let Some(facts) = self.index.facts(id.file) else { continue };
            found.extend(facts.symbol(id.symbol).into_iter().flat_map(|symbol| symbol.bases.iter().cloned()));
        }
        let found = Rc::new(found);
        self.bases.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }

    /// A type and the types that it inherits from, as far as they are followed.
    fn ancestors(&self, name: &str) -> Rc<HashSet<String>> {
        if let Some(known) = self.ancestors.borrow().get(name) {
            return known.clone();
        }
        let mut left = vec![name.to_owned()];
        let mut found: HashSet<String> = HashSet::new();
        while let Some(name) = left.pop() {
            let followed = found.len() < ANCESTORS;
            if !found.insert(name.clone()) || !followed {
                continue;
            }
            left.extend(self.bases(&name).iter().cloned());
        }
        let found = Rc::new(found);
        self.ancestors.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }
}

/// What a change of a symbol may touch.
#[derive(Debug, Default)]
pub struct Impact {
    /// Distance and the call that leads on.
    pub reached: Vec<(usize, Edge)>,
    /// Callers that are not told.
    pub more: usize,
    /// Calls that only the name links and that were not followed.
    pub by_name: usize,
    /// There are callers further away.
    pub beyond: bool,
    /// Files with calls.
    pub files: usize,
}

/// True when a symbol is another or inside it.
fn within(facts: &Facts, mut symbol: u32, outer: u32) -> bool {
    loop {
        if symbol == outer {
            return true;
        }
        match facts.symbol(symbol).and_then(|symbol| symbol.parent) {
            Some(parent) => symbol = parent,
            None => return false,
        }
    }
}

/// The type that a symbol is in.
fn type_around(facts: &Facts, symbol: Option<u32>) -> Option<String> {
    let mut up = symbol;
    while let Some(symbol) = up.and_then(|up| facts.symbol(up)) {
        if !symbol.container.is_empty() {
            return Some(symbol.container.clone());
        }
        if symbol.kind.is_type() {
            return Some(symbol.name.clone());
        }
        up = symbol.parent;
    }
    None
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
