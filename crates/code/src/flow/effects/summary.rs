//! What the functions of a file do to what they are given, from the bottom up: computed when a call asks for it, once.

use super::Effects;
use super::elsewhere::{self, Project};
use crate::extract;
use crate::facts::Import;
use crate::flow::find::FunctionRef;
use crate::flow::graph::Graph;
use crate::flow::ir::{CallSite, Origin, Touch};
use crate::flow::lower;
use crate::language::Language;
use crate::parse::Parsed;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::rc::Rc;

/// Functions that are looked into for one answer.
const MAX_FUNCTIONS: usize = 60;

/// What a function does.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    /// Its parameters.
    pub(super) params: Vec<String>,
    /// Which of them it may change.
    pub(super) changed: Vec<bool>,
    /// Which of them it may give back, or something of them.
    pub(super) given: Vec<bool>,
    /// Names of the file that it may change.
    pub(super) outer: Vec<String>,
    /// The first parameter is the object that it is called on.
    pub(super) bound: bool,
    /// It makes an object around its arguments.
    pub(super) constructs: bool,
}

/// The functions of a file, as far as they are known.
pub(crate) struct Known<'p> {
    parsed: &'p Parsed,
    places: &'p [FunctionRef<'p>],
    /// The types and functions around the one that is looked at.
    around: String,
    found: HashMap<String, Option<Rc<Summary>>>,
    /// The files around, and which of them this one is.
    project: Option<(&'p Project, PathBuf)>,
    /// What the file imports, once a call asked for it.
    imports: Option<Vec<Import>>,
}

impl<'p> Known<'p> {
    /// For a function of a file.
    pub(crate) fn new(parsed: &'p Parsed, places: &'p [FunctionRef<'p>], qualified: &str) -> Self {
        let (found, project, imports) = Default::default();
        Self { parsed, places, around: around(qualified), found, project, imports }
    }

    /// The same, with functions that the file imports from others.
    pub(super) fn within(mut self, project: &'p Project, path: PathBuf) -> Self {
        self.project = Some((project, path));
        self
    }

    /// The same, for the file that a project is around.
    pub(crate) fn of_project(self, project: Option<&'p Project>) -> Self {
        match project {
            Some(project) => self.within(project, project.path().to_path_buf()),
            None => self,
        }
    }

    /// What a call of a function of the project does; `None` when it is not one. `on` is the name from outside the function that it is
    /// made on.
    pub(super) fn of(&mut self, site: &CallSite, on: Option<&str>) -> Option<Rc<Summary>> {
        let found = self.of_file(site);
        // A method of an object that is not a module is not looked for.
        if found.is_some() || site.is_loop || site.on_self || site.is_method && on.is_none() {
            return found;
        }
        self.imported(&site.name, on.filter(|_| site.is_method))
    }

    /// A function of the file, or one that it imports under this name.
    pub(super) fn named(&mut self, name: &str) -> Option<Rc<Summary>> {
        let maker = if self.parsed.language == Language::Python { "__init__" } else { "constructor" };
        let found = self.summary(name, false, false);
        let found = found.or_else(|| self.summary(&join(name, maker), true, true));
        found.or_else(|| self.imported(name, None))
    }

    /// What a function of another file does, as it is seen from here.
    fn imported(&mut self, name: &str, on: Option<&str>) -> Option<Rc<Summary>> {
        let (project, path) = self.project.clone().filter(|_| !name.is_empty())?;
        let language = self.parsed.language;
        let imports = self.imports.get_or_insert_with(|| extract::facts(self.parsed).imports);
        let (module, name) = elsewhere::imported(imports, language, name, on)?;
        let found = project.summary(&path, language, &module, &name)?;
        // The names that it changes are those of its own file; here they are known if they are imported.
        let known = |outer: &String| {
            let import = imports.iter().find(|import| import.module == module && import.name == *outer);
            import.map(|import| import.alias.clone())
        };
        let outer = found.outer.iter().filter_map(known).collect();
        Some(Rc::new(Summary { outer, ..Summary::clone(&found) }))
    }

    fn of_file(&mut self, site: &CallSite) -> Option<Rc<Summary>> {
        if site.name.is_empty() || site.is_loop {
            return None;
        }
        if site.on_self {
            let name = join(&self.around, &site.name);
            return self.summary(&name, true, false);
        }
        if site.is_method {
            return None;
        }
        // From the innermost scope to the file.
        let maker = if self.parsed.language == Language::Python { "__init__" } else { "constructor" };
        let mut scope = self.around.clone();
        loop {
            let name = join(&scope, &site.name);
            let found = self.summary(&name, false, false);
            let found = found.or_else(|| self.summary(&join(&name, maker), true, true));
            if found.is_some() || scope.is_empty() {
                return found;
            }
            scope = around(&scope);
        }
    }

    fn summary(&mut self, qualified: &str, bound: bool, constructs: bool) -> Option<Rc<Summary>> {
        if let Some(known) = self.found.get(qualified) {
            return known.clone();
        }
        let mut places = self.places.iter().filter(|place| place.qualified == qualified);
        let place = places.next().filter(|_| self.found.len() < MAX_FUNCTIONS)?;
        // Two of one name: which one is meant is not known. One that calls itself: while it is looked at, it may do everything.
        if places.next().is_some() {
            return None;
        }
        self.found.insert(qualified.to_owned(), None);
        let mut unit = lower::unit(self.parsed, place.node, &place.name)?;
        let graph = Graph::new(&mut unit);
        let scope = std::mem::replace(&mut self.around, around(qualified));
        let python = self.parsed.language == Language::Python;
        let mut effects = Effects::new(&unit, &graph, python, self);
        let params: Vec<u32> = effects.params(0);
        let changes = effects.changes.clone();
        let mut affected: BTreeSet<u32> = BTreeSet::new();
        for change in changes {
            affected.extend(effects.affected(change.var, change.deep));
        }
        let mut given: BTreeSet<u32> = BTreeSet::new();
        for node in graph.nodes.iter().filter(|node| node.func == 0) {
            for (_, var) in &node.step.gives {
                given.extend(effects.related(*var));
            }
        }
        // Who is made of `yield`s gives what it yields.
        let written = graph
            .nodes
            .iter()
            .flat_map(|node| &node.step.accesses)
            .filter(|access| access.touch != Touch::Use && unit.vars[access.var].origin == Origin::Outer);
        let mut outer: BTreeSet<u32> = written.map(|access| access.var).collect();
        outer.extend(
            affected
                .iter()
                .copied()
                .filter(|var| (*var as usize) < unit.vars.len() && unit.vars[*var].origin == Origin::Outer),
        );
        let is_script = !python && bound;
        let own = |list: &BTreeSet<u32>| {
            let this = unit.vars.each().find(|(_, var)| var.name == "this").map(|(id, _)| id);
            let this = is_script.then(|| this.is_some_and(|this| list.contains(&this)));
            this.into_iter().chain(params.iter().map(|param| list.contains(param))).collect::<Vec<bool>>()
        };
        let names = params.iter().map(|param| unit.vars[*param].name.clone());
        let written_this = graph
            .nodes
            .iter()
            .flat_map(|node| &node.step.accesses)
            .filter(|access| access.touch != Touch::Use && unit.vars[access.var].name == "this");
        let mut changed_now = affected.clone();
        changed_now.extend(written_this.map(|access| access.var));
        let summary = Rc::new(Summary {
            params: is_script.then(|| "this".to_owned()).into_iter().chain(names).collect(),
            changed: own(&changed_now),
            given: own(&given),
            outer: outer.into_iter().map(|var| unit.vars[var].name.clone()).collect(),
            bound,
            constructs,
        });
        self.around = scope;
        self.found.insert(qualified.to_owned(), Some(summary.clone()));
        Some(summary)
    }
}

/// What is around a name.
fn around(qualified: &str) -> String {
    qualified.rsplit_once('.').map_or_else(String::new, |(around, _)| around.to_owned())
}

fn join(around: &str, name: &str) -> String {
    if around.is_empty() { name.to_owned() } else { format!("{around}.{name}") }
}
