//! What a project knows about a name: where it is defined and who calls it. The same answer for a person, a program
//! and a model.

use crate::facts::{Symbol, SymbolKind};
use crate::graph::{Certainty, Edge, Graph};
use crate::index::{Index, SymbolId};
use crate::outline::range;
use std::fmt::Write as _;

/// A definition and its callers.
#[derive(Debug)]
pub struct About {
    /// Where it is.
    pub id: SymbolId,
    /// Its file, from the root.
    pub file: String,
    /// Its name with the names of what encloses it.
    pub path: String,
    /// What it is.
    pub symbol: Symbol,
    /// Calls of it.
    pub callers: Vec<Caller>,
}

impl About {
    /// What it is and where: `function src/cart.py:3-9 def pay(self)`.
    pub fn headline(&self) -> String {
        let symbol = &self.symbol;
        let lines = range(symbol.line, symbol.end_line);
        format!("{} {}:{lines} {}", symbol.kind.name(), self.file, symbol.signature)
    }
}

/// A call, told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Caller {
    /// The file of the call, from the root.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The function around it, with what is around that; empty for the file itself.
    pub path: String,
    /// How sure.
    pub how: Certainty,
}

impl Caller {
    /// In one line: `src/main.py:5 main`, with a mark where only the name says it.
    pub fn told(&self) -> String {
        let path = if self.path.is_empty() { String::new() } else { format!(" {}", self.path) };
        format!("{}:{}{path}{}", self.file, self.line, self.how.mark())
    }
}

/// A wanted symbol: `pay`, `Cart.pay`, `Cart::pay`, `src/cart.py:pay`, `src/cart.py:12`.
#[derive(Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    file: Option<&'a str>,
    path: String,
    line: Option<u32>,
}

impl<'a> Wanted<'a> {
    /// Reads what a person typed.
    pub fn new(text: &'a str) -> Self {
        let (file, name) = match text.rsplit_once(':') {
            // `Cart::pay` has a colon before its last one.
            Some((file, name)) if !file.ends_with(':') && file.contains(['/', '.']) => (Some(file), name),
            _ => (None, text),
        };
        let line = file.and_then(|_| name.parse().ok());
        Self { file, path: name.replace("::", ".").replace('#', "."), line }
    }

    /// The last part of the name.
    pub fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or(&self.path)
    }

    /// The symbols that are meant, in the order of files and lines. What is implemented for a type is not the type.
    pub fn find(&self, index: &Index) -> Vec<SymbolId> {
        let in_file = |file: u32| {
            self.file.is_none_or(|wanted| {
                let path = index.path(file);
                path == wanted.trim_start_matches("./") || path.ends_with(&format!("/{wanted}"))
            })
        };
        if let Some(line) = self.line {
            let files = index.files().filter(|file| in_file(*file));
            return files
                .filter_map(|file| Some(SymbolId { file, symbol: index.facts(file)?.at_line(line)? }))
                .collect();
        }
        let mut found = index.definitions(self.name());
        found.retain(|id| {
            let Some(facts) = index.facts(id.file) else { return false };
            let kind = facts.symbol(id.symbol).map(|symbol| symbol.kind);
            let path = facts.path(id.symbol);
            // `parse.text` is `text` in a file `parse`.
            let of_module = self.path.rsplit_once('.').is_some_and(|(module, _)| {
                let module = module.rsplit('.').next().unwrap_or(module);
                path == self.name() && crate::modules::stems(index.path(id.file)).contains(&module)
            });
            let named = self.path == self.name()
                || path == self.path
                || path.ends_with(&format!(".{}", self.path))
                || of_module;
            named && in_file(id.file) && kind != Some(SymbolKind::Impl)
        });
        found
    }
}

/// The symbols that a text means; where there are none, names that are nearly this one.
pub fn find(index: &Index, text: &str) -> Result<Vec<SymbolId>, Vec<String>> {
    const MAX_NAMES: usize = 5;
    let wanted = Wanted::new(text);
    let found = wanted.find(index);
    if !found.is_empty() {
        return Ok(found);
    }
    let mut near = index.names_with(wanted.name());
    near.sort_by_key(String::len);
    near.truncate(MAX_NAMES);
    Err(near)
}

/// Symbols with `part` in their name: the exact one first, then those that begin so, then the rest.
pub fn with_part(index: &Index, part: &str) -> Vec<SymbolId> {
    let small = part.to_lowercase();
    let mut names = index.names_with(&small);
    if !small.is_empty() {
        names.sort_by_cached_key(|name| {
            let name = name.to_lowercase();
            (name != small, !name.starts_with(&small))
        });
    }
    names.iter().flat_map(|name| index.definitions(name)).collect()
}

/// A line of code with the symbol around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLine {
    /// Its file, from the root.
    pub file: String,
    /// Its number.
    pub line: u32,
    /// The symbol around it, with what is around that; empty for the file itself.
    pub within: String,
    /// The line, without indentation, cut.
    pub text: String,
}

/// Lines of the indexed files that match, in the order of files, and how many more there are.
pub fn lines(index: &Index, is_match: &dyn Fn(&str) -> bool, most: usize) -> (Vec<CodeLine>, usize) {
    /// The most bytes of a file that are searched, and characters of a line that are shown.
    const LARGEST: u64 = 8 << 20;
    const SHOWN: usize = 160;
    let mut files: Vec<u32> = index.files().collect();
    files.sort_by(|a, b| index.path(*a).cmp(index.path(*b)));
    let mut found = Vec::new();
    let mut more = 0;
    for file in files {
        let path = index.root().join(index.path(file));
        let Ok(Some(bytes)) = sprag_base::files::read_limited(&path, LARGEST) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        if !is_match(&text) {
            continue;
        }
        let facts = index.facts(file);
        for (number, line) in text.lines().enumerate().filter(|(_, line)| is_match(line)) {
            if found.len() >= most {
                more += 1;
                continue;
            }
            let number = number as u32 + 1;
            let within = facts.as_ref().and_then(|facts| Some(facts.path(facts.at_line(number)?)));
            found.push(CodeLine {
                file: index.path(file).to_owned(),
                line: number,
                within: within.unwrap_or_default(),
                text: line.trim().chars().take(SHOWN).collect(),
            });
        }
    }
    (found, more)
}

/// Tells a call.
pub fn caller(index: &Index, edge: &Edge) -> Caller {
    let path = edge.from.and_then(|from| Some(index.facts(from.file)?.path(from.symbol))).unwrap_or_default();
    Caller { file: index.path(edge.file).to_owned(), line: edge.line, path, how: edge.how }
}

/// A definition with its callers.
pub fn about(index: &Index, graph: &Graph<'_>, id: SymbolId) -> Option<About> {
    let facts = index.facts(id.file)?;
    let symbol = facts.symbol(id.symbol)?.clone();
    let callers = graph.callers(id).iter().map(|edge| caller(index, edge)).collect();
    let path = facts.path(id.symbol);
    Some(About { id, file: index.path(id.file).to_owned(), path, symbol, callers })
}

/// The text about a name for a model: definitions, then callers by file; what is left out is counted.
pub fn text(all: &[About], most_definitions: usize, most_callers: usize) -> String {
    let mut text = String::new();
    for about in all.iter().take(most_definitions) {
        text.push_str(&about.headline());
        if !about.symbol.doc.is_empty() {
            let _ = write!(text, "  # {}", about.symbol.doc);
        }
        text.push('\n');
        callers(&mut text, &about.callers, most_callers);
    }
    if all.len() > most_definitions {
        let files: Vec<String> = all
            .iter()
            .skip(most_definitions)
            .take(8)
            .map(|about| format!("{}:{}", about.file, about.symbol.line))
            .collect();
        let _ = writeln!(text, "{} more definitions: {}", all.len() - most_definitions, files.join(", "));
    }
    text
}

fn callers(text: &mut String, callers: &[Caller], most: usize) {
    if callers.is_empty() {
        return;
    }
    let told: Vec<String> = callers.iter().take(most).map(Caller::told).collect();
    let more = callers.len().saturating_sub(most);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let _ = writeln!(text, " called by {}{more}", told.join(", "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_types() {
        let of = |text| {
            let wanted = Wanted::new(text);
            (wanted.file, wanted.path.clone(), wanted.line)
        };
        assert_eq!(of("pay"), (None, "pay".into(), None));
        assert_eq!(of("Cart::pay"), (None, "Cart.pay".into(), None));
        assert_eq!(of("src/cart.py:Cart.pay"), (Some("src/cart.py"), "Cart.pay".into(), None));
        assert_eq!(of("cart.py:12").2, Some(12));
        assert_eq!(Wanted::new("Cart#pay").name(), "pay");
    }
}
