//! Who calls whom in a project. A call is linked to a definition by what the language says: the scope, the imports, the
//! type of what it is made on. What only the name says is marked so.

use crate::facts::{Call, Facts, Import, Receiver, Symbol, SymbolKind};
use crate::index::{CallId, Index, SymbolId, called};
use crate::language::Language;
use crate::modules;
use std::cell::RefCell;
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

/// The files that a module means, by the file that names it.
type Modules = HashMap<(String, String), Rc<Vec<u32>>>;

/// Answers about calls, over an index.
pub struct Graph<'i> {
    index: &'i Index,
    modules: RefCell<Modules>,
    stems: RefCell<Option<HashMap<String, Vec<u32>>>>,
}

impl<'i> Graph<'i> {
    /// Over this index.
    pub fn new(index: &'i Index) -> Self {
        Self { index, modules: RefCell::default(), stems: RefCell::default() }
    }

    /// The calls of a definition, in the order of files and lines.
    pub fn callers(&self, to: SymbolId) -> Vec<Edge> {
        let Some(symbol) = self.index.symbol(to) else { return Vec::new() };
        let mut edges = Vec::new();
        for site in self.index.calls_of(&symbol.name) {
            let targets = self.targets(site);
            if let Some((_, how)) = targets.iter().find(|(id, _)| *id == to) {
                edges.extend(self.edge(site, to, *how));
            }
        }
        edges
    }

    /// What a definition calls, in the order of the text.
    pub fn callees(&self, from: SymbolId) -> Vec<Edge> {
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
        let count = self.index.facts(file).map_or(0, |facts| facts.calls.len());
        let sites = (0..count as u32).map(|call| CallId { file, call });
        sites
            .flat_map(|site| {
                self.targets(site).into_iter().filter_map(move |(to, how)| self.edge(site, to, how))
            })
            .collect()
    }

    fn edge(&self, site: CallId, to: SymbolId, how: Certainty) -> Option<Edge> {
        let call = self.index.call(site)?;
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
        let ids = self.index.definitions(called(facts, call));
        let at = At { graph: self, file, facts, call };
        let mut found: Vec<(SymbolId, Certainty)> = ids
            .into_iter()
            .filter_map(|id| {
                let of = self.index.facts(id.file)?;
                let symbol = of.symbol(id.symbol)?;
                Some((id, at.link(id, &of, symbol)?))
            })
            .collect();
        if found.iter().any(|(_, how)| *how == Certainty::Resolved) {
            found.retain(|(_, how)| *how == Certainty::Resolved);
        } else if found.len() > BY_NAME {
            found.clear();
        }
        found
    }

    /// The files that a module, written in a file, means.
    fn module(&self, from: u32, module: &str) -> Rc<Vec<u32>> {
        let Some(language) = self.index.language(from) else { return Rc::default() };
        let path = self.index.path(from).to_owned();
        let key = (path.clone(), module.to_owned());
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
            .filter(|file| modules::means(language, &path, module, self.index.path(*file)))
            .collect();
        found.sort_unstable();
        found.dedup();
        let found = Rc::new(found);
        self.modules.borrow_mut().insert(key, found.clone());
        found
    }

    /// True when a module exports a file's symbol under this name: it is the file, or re-exports it.
    fn exports(&self, from: u32, module: &str, name: &str, to: u32, hops: usize) -> bool {
        self.module(from, module).iter().any(|file| {
            if *file == to {
                return true;
            }
            let Some(facts) = (hops > 0).then(|| self.index.facts(*file)).flatten() else { return false };
            facts.imports.iter().any(|import| {
                import.public
                    && (import.name == "*" || import.alias == name)
                    && self.exports(*file, &import.module, &import.name, to, hops - 1)
            })
        })
    }

    /// True when a type is, or inherits from, another.
    fn is_a(&self, name: &str, other: &str) -> bool {
        let mut left = vec![name.to_owned()];
        let mut seen: HashSet<String> = HashSet::new();
        while let Some(name) = left.pop() {
            if name == other {
                return true;
            }
            if seen.len() >= ANCESTORS || !seen.insert(name.clone()) {
                continue;
            }
            for id in self.index.definitions(&name) {
                left.extend(self.index.symbol(id).into_iter().flat_map(|symbol| symbol.bases));
            }
        }
        false
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
struct At<'a> {
    graph: &'a Graph<'a>,
    file: u32,
    facts: &'a Facts,
    call: &'a Call,
}

impl At<'_> {
    fn language(&self) -> Language {
        self.graph.index.language(self.file).unwrap_or(Language::Python)
    }

    fn link(&self, id: SymbolId, of: &Facts, symbol: &Symbol) -> Option<Certainty> {
        let language = self.language();
        let theirs = self.graph.index.language(id.file)?;
        if !language.kin(theirs)
            || matches!(symbol.kind, SymbolKind::Impl | SymbolKind::Module)
            || symbol.kind.is_value()
        {
            return None;
        }
        match &self.call.on {
            Receiver::Nothing if symbol.kind == SymbolKind::Method => self.implicit(symbol),
            Receiver::Nothing => self.bare(id, of, symbol),
            Receiver::Own => self.on_type(&self.own()?, symbol, true),
            Receiver::Super => {
                let own = self.own()?;
                let above = own != symbol.container && self.graph.is_a(&own, &symbol.container);
                (symbol.kind == SymbolKind::Method && above).then_some(Certainty::Resolved)
            }
            Receiver::Type(name) => self.on_type(name, symbol, false),
            Receiver::Name(name) => self.on_name(name, id, symbol),
            Receiver::Unknown => (symbol.kind == SymbolKind::Method).then_some(Certainty::ByName),
        }
    }

    fn own(&self) -> Option<String> {
        type_around(self.facts, self.call.caller)
    }

    /// `add()` inside a type, where a language lets `this` be left away.
    fn implicit(&self, symbol: &Symbol) -> Option<Certainty> {
        let lets =
            matches!(self.language(), Language::Java | Language::CSharp | Language::Cpp | Language::Ruby);
        let own = self.own().filter(|_| lets)?;
        self.graph.is_a(&own, &symbol.container).then_some(Certainty::Resolved)
    }

    /// On an object or type of which the name is known.
    fn on_type(&self, name: &str, symbol: &Symbol, own: bool) -> Option<Certainty> {
        if symbol.kind != SymbolKind::Method && symbol.kind != SymbolKind::Property {
            return None;
        }
        if self.graph.is_a(name, &symbol.container) {
            return Some(Certainty::Resolved);
        }
        // What inherits from it may be meant.
        let below = !symbol.container.is_empty() && self.graph.is_a(&symbol.container, name);
        (below && !(own && self.language() == Language::Rust)).then_some(Certainty::ByName)
    }

    /// `f()`.
    fn bare(&self, id: SymbolId, of: &Facts, symbol: &Symbol) -> Option<Certainty> {
        let import = self.facts.imports.iter().find(|import| import.alias == self.call.name);
        if id.file == self.file {
            // Inside a function it is known there only.
            let parent = symbol.parent.and_then(|parent| Some((parent, of.symbol(parent)?)));
            let visible = match parent {
                Some((parent, outer)) if outer.kind.is_function() => {
                    self.call.caller.is_some_and(|caller| within(self.facts, caller, parent))
                }
                _ => true,
            };
            return (visible && import.is_none()).then_some(Certainty::Resolved);
        }
        if symbol.parent.and_then(|parent| of.symbol(parent)).is_some_and(|outer| outer.kind.is_function()) {
            return None;
        }
        if let Some(import) = import {
            return self.imported(import, id.file).then_some(Certainty::Resolved);
        }
        let everything = self.facts.imports.iter().any(|import| {
            import.name == "*"
                && self.graph.exports(self.file, &import.module, &self.call.name, id.file, REEXPORT_HOPS)
        });
        if everything {
            return Some(Certainty::Resolved);
        }
        let same_folder = folder(self.graph.index.path(self.file)) == folder(self.graph.index.path(id.file));
        match self.language() {
            Language::Go => same_folder.then_some(Certainty::Resolved),
            Language::Java if same_folder => Some(Certainty::Resolved),
            Language::Rust => (symbol.kind == SymbolKind::Macro).then_some(Certainty::ByName),
            Language::Python | Language::TypeScript | Language::Tsx | Language::JavaScript => None,
            _ => Some(Certainty::ByName),
        }
    }

    fn imported(&self, import: &Import, to: u32) -> bool {
        self.graph.exports(self.file, &import.module, &import.name, to, REEXPORT_HOPS)
    }

    /// `name.f()`: a module, a type, or a value of unknown type.
    fn on_name(&self, name: &str, id: SymbolId, symbol: &Symbol) -> Option<Certainty> {
        let last = name.rsplit(['.', ':', '\\']).next().unwrap_or(name);
        let last = last.split('<').next().unwrap_or(last);
        if symbol.kind == SymbolKind::Method {
            if last == symbol.container {
                return Some(Certainty::Resolved);
            }
            // Under another name, or through what inherits.
            let alias = self.facts.imports.iter().find(|import| import.alias == last);
            let real = alias.map_or(last, |import| import.name.as_str());
            let typed = !real.is_empty() && self.graph.is_a(real, &symbol.container);
            let module = alias.is_some_and(|import| import.name.is_empty());
            return if typed {
                Some(Certainty::Resolved)
            } else if module {
                None
            } else {
                Some(Certainty::ByName)
            };
        }
        // Of a module.
        let first = name.split(['.', ':', '\\']).next().unwrap_or(name);
        for import in &self.facts.imports {
            let whole = import.alias == name;
            if !whole && (import.alias != first || import.alias.is_empty()) {
                continue;
            }
            let rest = if whole { "" } else { name.get(first.len()..).unwrap_or("") };
            let (dot, rest) = match self.language() {
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
            if self.graph.exports(self.file, &module, &symbol.name, id.file, REEXPORT_HOPS) {
                return Some(Certainty::Resolved);
            }
        }
        match self.language() {
            // A path needs no import.
            Language::Rust if name.contains("::") || self.facts.imports.iter().all(|i| i.alias != first) => {
                self.graph
                    .exports(self.file, name, &symbol.name, id.file, REEXPORT_HOPS)
                    .then_some(Certainty::Resolved)
            }
            Language::Cpp => {
                let facts = self.graph.index.facts(id.file)?;
                let inside =
                    symbol.parent.and_then(|parent| facts.symbol(parent)).is_some_and(|p| p.name == last);
                Some(if inside { Certainty::Resolved } else { Certainty::ByName })
            }
            _ => None,
        }
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
