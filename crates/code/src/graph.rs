//! Who calls whom in a project. A call is linked to a definition by what the language says: the scope, the imports, the
//! type of what it is made on. What only the name says is marked so.

use crate::facts::{Call, Facts, Import, Receiver, SymbolKind};
use crate::index::{CallId, Index, SymbolId, called};
use crate::language::Language;
use crate::modules;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// How sure a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// The text says so.
    Resolved,
    /// The name alone says so.
    ByName,
}

impl Certainty {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::ByName => "by-name",
        }
    }
}

/// A call that is linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The call.
    pub site: CallId,
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
        for site in self.index.calls_of(name) {
            for (to, how) in self.targets(site) {
                edges.entry(to).or_default().extend(self.edge(site, to, how));
            }
        }
        let edges = Rc::new(edges);
        self.callers.borrow_mut().insert(name.to_owned(), edges.clone());
        edges
    }

    /// What a definition calls, in the order of the text.
    pub fn callees(&self, from: SymbolId) -> Vec<Edge> {
        self.index.read_calls_of(from.file);
        let Some(facts) = self.index.facts(from.file) else { return Vec::new() };
        let mut edges = Vec::new();
        for (number, call) in facts.calls.iter().enumerate() {
            if !call.caller.is_some_and(|caller| within(&facts, caller, from.symbol)) {
                continue;
            }
            let site = CallId { file: from.file, call: number as u32 };
            for (to, how) in self.targets(site) {
                edges.extend(self.edge(site, to, how));
            }
        }
        edges
    }

    /// Every link of a file, in the order of the text.
    pub fn of_file(&self, file: u32) -> Vec<Edge> {
        self.index.read_calls_of(file);
        let count = self.index.facts(file).map_or(0, |facts| facts.calls.len());
        let sites = (0..count as u32).map(|call| CallId { file, call });
        sites
            .flat_map(|site| {
                self.targets(site).into_iter().filter_map(move |(to, how)| self.edge(site, to, how))
            })
            .collect()
    }

    fn edge(&self, site: CallId, to: SymbolId, how: Certainty) -> Option<Edge> {
        let facts = self.index.facts(site.file)?;
        let call = facts.calls.get(site.call as usize)?;
        let from = call.caller.map(|symbol| SymbolId { file: site.file, symbol });
        Some(Edge { site, from, to, line: call.line, how })
    }

    /// Everything that calls a definition, directly or through others: each with its distance and the call that leads
    /// on. Breadth first, so that the shortest path is the one that is reported.
    pub fn impact(&self, of: SymbolId, depth: usize, most: usize) -> Impact {
        let mut seen: HashSet<SymbolId> = HashSet::from([of]);
        let mut files: BTreeSet<u32> = BTreeSet::new();
        let mut impact = Impact::default();
        let mut front = vec![of];
        for distance in 1..=depth {
            let mut next = Vec::new();
            for to in front {
                for edge in self.callers(to) {
                    files.insert(edge.site.file);
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
        impact.beyond = front.iter().any(|id| !self.callers(*id).is_empty());
        impact.files = files.len();
        impact
    }

    /// What a call means. When something is sure, what is not is not told.
    pub fn targets(&self, site: CallId) -> Vec<(SymbolId, Certainty)> {
        let Some(facts) = self.index.facts(site.file) else { return Vec::new() };
        let Some(call) = facts.calls.get(site.call as usize) else { return Vec::new() };
        self.targets_of(site.file, &facts, call)
    }

    /// The same for a call of a file as it may become: a text that is not yet in it.
    pub fn targets_of(&self, file: u32, facts: &Facts, call: &Call) -> Vec<(SymbolId, Certainty)> {
        let Some(language) = self.index.language(file) else { return Vec::new() };
        let definitions = self.definitions(called(facts, call), language);
        if definitions.all.is_empty() {
            return Vec::new();
        }
        let mut link = Link {
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
        let Link { mut sure, by_name, .. } = link;
        let (numbers, how) = match (sure.is_empty(), by_name.len()) {
            (false, _) => {
                sure.sort_unstable();
                sure.dedup();
                (sure, Certainty::Resolved)
            }
            (true, 0..=BY_NAME) => (by_name, Certainty::ByName),
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
    fn exporters(&self, from: u32, module: &str, name: &str) -> Rc<Vec<u32>> {
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

/// A call that is being linked.
struct Link<'a> {
    graph: &'a Graph<'a>,
    file: u32,
    language: Language,
    facts: &'a Facts,
    call: &'a Call,
    of: &'a Definitions,
    /// What the text says, by number.
    sure: Vec<usize>,
    /// What only the name says; never many.
    by_name: Vec<usize>,
}

impl Link<'_> {
    fn find(&mut self) {
        match &self.call.on {
            Receiver::Nothing => {
                self.implicit();
                self.bare();
            }
            Receiver::Own => {
                if let Some(own) = self.own() {
                    self.on_type(&own, true);
                }
            }
            Receiver::Super => {
                if let Some(own) = self.own() {
                    self.inherited(&own, |found, own| {
                        found.container != own && found.kind == SymbolKind::Method
                    });
                }
            }
            Receiver::Type(name) => self.on_type(name, false),
            Receiver::Name(name) => self.on_name(name),
            Receiver::Unknown => self.guess(self.of.methods.iter()),
        }
    }

    /// Adds what only the name says. What is indistinguishable among many is not told, so many need not be added.
    fn guess<'n>(&mut self, numbers: impl Iterator<Item = &'n usize>) {
        let room = (BY_NAME + 1).saturating_sub(self.by_name.len());
        self.by_name.extend(numbers.take(room));
    }

    fn own(&self) -> Option<String> {
        type_around(self.facts, self.call.caller)
    }

    /// The definitions that a type has or inherits and that `wanted` takes.
    fn inherited(&mut self, name: &str, wanted: impl Fn(&Definition, &str) -> bool) {
        let of = self.of;
        for ancestor in self.graph.ancestors(name).iter().filter(|ancestor| !ancestor.is_empty()) {
            let numbers = of.by_container.get(ancestor).into_iter().flatten().copied();
            self.sure.extend(
                numbers.filter(|number| of.all.get(*number).is_some_and(|found| wanted(found, name))),
            );
        }
    }

    /// `add()` inside a type, where a language lets `this` be left away.
    fn implicit(&mut self) {
        let lets =
            matches!(self.language, Language::Java | Language::CSharp | Language::Cpp | Language::Ruby);
        if let Some(own) = self.own().filter(|_| lets) {
            self.inherited(&own, |found, _| found.kind == SymbolKind::Method);
        }
    }

    /// On an object or type of which the name is known.
    fn on_type(&mut self, name: &str, own: bool) {
        self.inherited(name, |_, _| true);
        if !self.sure.is_empty() || own && self.language == Language::Rust {
            return;
        }
        // What inherits from it may be meant.
        let of = self.of;
        let below = of.below.get_or_init(|| {
            let mut below: HashMap<String, Vec<String>> = HashMap::new();
            for container in of.by_container.keys().filter(|container| !container.is_empty()) {
                for ancestor in self.graph.ancestors(container).iter() {
                    below.entry(ancestor.clone()).or_default().push(container.clone());
                }
            }
            below
        });
        let mut numbers: Vec<usize> = below
            .get(name)
            .into_iter()
            .flatten()
            .filter_map(|container| of.by_container.get(container))
            .flatten()
            .copied()
            .collect();
        numbers.sort_unstable();
        self.guess(numbers.iter());
    }

    /// Adds those that are in one of these files and known outside of functions.
    fn in_files<'f>(&mut self, files: impl Iterator<Item = &'f u32>, wanted: impl Fn(&Definition) -> bool) {
        let of = self.of;
        for number in files.filter_map(|file| of.by_file.get(file)).flatten() {
            if of.all.get(*number).is_some_and(&wanted) {
                self.sure.push(*number);
            }
        }
    }

    /// `f()`.
    fn bare(&mut self) {
        let of = self.of;
        let import = self.facts.imports.iter().find(|import| import.alias == self.call.name);
        if import.is_none() {
            for number in of.by_file.get(&self.file).into_iter().flatten() {
                let Some(found) = of.all.get(*number) else { continue };
                // Inside a function it is known there only.
                let visible = !found.local
                    || found.parent.is_some_and(|parent| {
                        self.call.caller.is_some_and(|caller| within(self.facts, caller, parent))
                    });
                if visible && found.kind != SymbolKind::Method {
                    self.sure.push(*number);
                }
            }
        }
        let here = self.file;
        let elsewhere =
            |found: &Definition| found.id.file != here && !found.local && found.kind != SymbolKind::Method;
        if let Some(import) = import {
            let files = self.graph.exporters(self.file, &import.module, &import.name);
            self.in_files(files.iter(), elsewhere);
            return;
        }
        for import in self.facts.imports.iter().filter(|import| import.name == "*") {
            let files = self.graph.exporters(self.file, &import.module, &self.call.name);
            self.in_files(files.iter(), elsewhere);
        }
        let others = || of.global.iter().filter(|number| of.all.get(**number).is_some_and(elsewhere));
        match self.language {
            Language::Python | Language::TypeScript | Language::Tsx | Language::JavaScript => {}
            Language::Rust => {
                let is_macro =
                    |number: &&usize| of.all.get(**number).is_some_and(|f| f.kind == SymbolKind::Macro);
                self.guess(others().filter(is_macro));
            }
            Language::Go | Language::Java => {
                let same = of.by_folder.get(folder(self.graph.index.path(self.file)));
                let same = same.into_iter().flatten().copied();
                self.sure.extend(same.filter(|number| of.all.get(*number).is_some_and(elsewhere)));
                if self.language == Language::Java && self.sure.is_empty() {
                    self.guess(others());
                }
            }
            _ => self.guess(others()),
        }
    }

    /// `name.f()`: a module, a type, or a value of unknown type.
    fn on_name(&mut self, name: &str) {
        let of = self.of;
        let last = name.rsplit(['.', ':', '\\']).next().unwrap_or(name);
        let last = last.split('<').next().unwrap_or(last);
        // Under another name, or through what inherits.
        let alias = self.facts.imports.iter().find(|import| import.alias == last);
        let real = alias.map_or(last, |import| import.name.as_str());
        let is_method = |found: &Definition, _: &str| found.kind == SymbolKind::Method;
        self.inherited(real, is_method);
        if real != last {
            let numbers = of.by_container.get(last).into_iter().flatten().copied();
            self.sure
                .extend(numbers.filter(|number| of.all.get(*number).is_some_and(|f| is_method(f, last))));
        }
        if !alias.is_some_and(|import| import.name.is_empty()) {
            self.guess(of.methods.iter());
        }
        self.of_module(name, last);
    }

    /// `module.f()`.
    fn of_module(&mut self, name: &str, last: &str) {
        let of = self.of;
        let function = |found: &Definition| found.kind != SymbolKind::Method;
        let first = name.split(['.', ':', '\\']).next().unwrap_or(name);
        let symbol = called(self.facts, self.call).to_owned();
        for import in &self.facts.imports {
            let whole = import.alias == name;
            if !whole && (import.alias != first || import.alias.is_empty()) {
                continue;
            }
            let rest = if whole { "" } else { name.get(first.len()..).unwrap_or("") };
            let (dot, rest) = match self.language {
                Language::Rust => ("::", rest.to_owned()),
                Language::TypeScript | Language::Tsx | Language::JavaScript => ("/", rest.replace('.', "/")),
                _ => (".", rest.to_owned()),
            };
            let module = if import.name.is_empty() {
                format!("{}{rest}", import.module)
            } else if import.module.is_empty() {
                format!("{}{rest}", import.name)
            } else if import.module.ends_with('.') {
                format!("{}{}{rest}", import.module, import.name)
            } else {
                format!("{}{dot}{}{rest}", import.module, import.name)
            };
            let files = self.graph.exporters(self.file, &module, &symbol);
            self.in_files(files.iter(), function);
        }
        match self.language {
            // A path needs no import.
            Language::Rust if name.contains("::") || self.facts.imports.iter().all(|i| i.alias != first) => {
                let files = self.graph.exporters(self.file, name, &symbol);
                self.in_files(files.iter(), function);
            }
            Language::Cpp => {
                let functions =
                    || (0..of.all.len()).filter(|number| of.all.get(*number).is_some_and(function));
                let inside =
                    |number: &usize| of.all.get(*number).is_some_and(|found| found.parent_name == last);
                self.sure.extend(functions().filter(inside));
                let rest: Vec<usize> = functions().take(BY_NAME + 1).collect();
                self.guess(rest.iter());
            }
            _ => {}
        }
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
