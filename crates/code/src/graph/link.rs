//! What a call means by what the language says: the scope, the imports, the type of what it is made on.

use super::{BY_NAME, Definition, Definitions, Graph, folder, type_around, within};
use crate::facts::{Call, Facts, Receiver, SymbolKind};
use crate::index::called;
use crate::language::Language;
use std::collections::HashMap;

/// A call that is being linked.
pub(super) struct Link<'a> {
    pub graph: &'a Graph<'a>,
    pub file: u32,
    pub language: Language,
    pub facts: &'a Facts,
    pub call: &'a Call,
    pub of: &'a Definitions,
    /// What the text says, by number.
    pub sure: Vec<usize>,
    /// What only the name says; never many.
    pub by_name: Vec<usize>,
}

impl Link<'_> {
    pub(super) fn find(&mut self) {
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
        let lets = matches!(
            self.language,
            Language::Java
                | Language::CSharp
                | Language::Cpp
                | Language::Ruby
                | Language::Kotlin
                | Language::Swift
                | Language::Scala
                | Language::Elixir
        );
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
