//! From a tree to facts, in one walk: symbols, imports, calls, and the types of values that calls are made on.
//! The walk keeps its own stack, so that no depth of nesting can exhaust the program's.

pub(crate) mod calls;
pub(crate) mod declare;
pub(crate) mod gather;
pub(crate) mod head;
pub(crate) mod imports;
mod macros;
mod roles;
mod salvage;
pub(crate) mod types;

use crate::facts::{Facts, PackedValues, Symbol};
use crate::language::Language;
use crate::parse::{self, Limits, ParseError, Parsed};
use crate::scanner;
use crate::source::Source;
use crate::values;
use declare::Declared;
use gather::Gather;
use roles::Role;
use std::collections::HashSet;
use std::path::Path;
use tree_sitter::Node;

/// A text that was read, and its facts.
#[derive(Debug)]
pub struct Read {
    /// The language.
    pub language: Language,
    /// The text. A cut one when the file was too long or too tangled.
    pub source: Source,
    /// Its facts.
    pub facts: Facts,
    /// The calls are among them.
    pub calls: bool,
}

/// What is wanted of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Symbols and imports: a scanner is enough where there is one.
    Symbols,
    /// The calls, too: they are in the tree only.
    Calls,
}

/// The facts of a file's bytes.
pub fn file(path: &Path, bytes: &[u8], limits: Limits, depth: Depth) -> Result<Read, ParseError> {
    let source = Source::new(bytes, limits.bytes)?;
    let language = Language::of(path, &source.text).ok_or(ParseError::NoLanguage)?;
    if !language.has_tree() {
        let facts = scanner::whole(language, &source).ok_or(ParseError::Tangled)?;
        return Ok(Read { language, source, facts, calls: true });
    }
    if depth == Depth::Symbols
        && let Some(facts) = scanner::outline(language, &source)
    {
        return Ok(Read { language, source, facts, calls: false });
    }
    let parsed = parse::tree(language, source, limits)?;
    let mut facts = facts(&parsed);
    if depth == Depth::Calls && values::is_followed(language) {
        facts.values = PackedValues::new(&values::of(&parsed, &facts));
    }
    Ok(Read { language, source: parsed.source, facts, calls: true })
}

/// The facts of a text, calls included; how values move is not among them.
pub fn text(language: Language, text: &str, limits: Limits) -> Result<Facts, ParseError> {
    if language.has_tree() {
        return Ok(facts(&parse::text(language, text, limits)?));
    }
    let source = Source::new(text.as_bytes(), limits.bytes)?;
    scanner::whole(language, &source).ok_or(ParseError::Tangled)
}

/// The facts of a parsed file.
pub fn facts(parsed: &Parsed) -> Facts {
    let mut walk = Walk { parsed, gather: Gather::new(parsed.source.lines(), parsed.notes.clone()) };
    let deep = walk.tree();
    let mut facts = walk.gather.finish();
    if parsed.tree.root_node().has_error() {
        salvage::add(parsed, &mut facts);
    }
    if deep {
        facts.notes.push(format!("what is nested deeper than {} levels is left out", parsed.depth));
    }
    facts
}

struct Walk<'p> {
    parsed: &'p Parsed,
    gather: Gather,
}

impl<'p> Walk<'p> {
    /// Walks the whole tree; true when something was too deep.
    fn tree(&mut self) -> bool {
        let roles = roles::of(self.parsed.language);
        let mut cursor = self.parsed.tree.walk();
        let mut parents: Vec<Node<'p>> = Vec::new();
        let mut deep = false;
        loop {
            let node = cursor.node();
            let role = roles.get(node.kind_id() as usize).copied().unwrap_or(Role::None);
            if role != Role::None {
                self.visit(node, role, &parents);
            }
            deep |= parents.len() >= self.parsed.depth;
            if parents.len() < self.parsed.depth && cursor.goto_first_child() {
                parents.push(node);
                continue;
            }
            loop {
                self.gather.close(parents.len());
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return deep;
                }
                parents.pop();
            }
        }
    }

    fn visit(&mut self, node: Node<'p>, role: Role, parents: &[Node<'p>]) {
        match role {
            Role::None => {}
            Role::Declares => self.declare(node, parents),
            Role::Calls => self.call(node, parents.last().copied()),
            Role::Imports => self.gather.import(imports::of(self.parsed, node)),
            Role::Types => self.types(node),
            Role::DeclaresAndTypes => {
                self.types(node);
                self.declare(node, parents);
            }
        }
    }

    fn declare(&mut self, node: Node<'p>, parents: &[Node<'p>]) {
        if self.is_script() {
            match node.kind() {
                "variable_declarator" => self.gather.import(imports::required(self.parsed, node)),
                "export_statement" if node.child_by_field_name("source").is_some() => {
                    self.gather.import(imports::of(self.parsed, node));
                }
                _ => {}
            }
        }
        let declared = declare::of(self.parsed, node, self.gather.enclosing());
        let several = declared.len() > 1;
        for one in declared {
            self.add(node, one, parents, several);
        }
    }

    fn is_script(&self) -> bool {
        matches!(self.parsed.language, Language::TypeScript | Language::Tsx | Language::JavaScript)
    }

    fn add(&mut self, node: Node<'p>, made: Declared<'p>, parents: &[Node<'p>], several: bool) {
        let line = made.at.start_position().row as u32 + 1;
        // The comment about an exported or decorated thing is above what encloses it.
        let outer = parents.last().filter(|parent| {
            matches!(
                parent.kind(),
                "export_statement"
                    | "decorated_definition"
                    | "lexical_declaration"
                    | "variable_declaration"
                    | "type_declaration"
                    | "const_declaration"
                    | "template_declaration"
            )
        });
        let outer = match (outer, parents.iter().nth_back(1)) {
            (Some(_), Some(above)) if above.kind() == "export_statement" => Some(above),
            (outer, _) => outer,
        };
        let top = outer.filter(|outer| outer.start_position().row <= node.start_position().row);
        let first_line = top.map_or(line, |top| top.start_position().row as u32 + 1);
        let mut signature = head::signature(self.parsed, node, made.head_end, made.kind);
        // `typedef struct { … } Cart;`
        let is_named =
            signature.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == made.name);
        if node.kind() == "type_definition" && !is_named {
            signature = format!("{signature} {}", made.name);
        }
        let symbol = Symbol {
            kind: made.kind,
            line,
            end_line: (last_row(node) + 1).max(line),
            parent: None,
            signature,
            doc: head::doc(self.parsed, node, first_line.min(line)),
            bases: if made.kind.is_type() { bases(self.parsed, node) } else { Vec::new() },
            container: made.container.unwrap_or_default(),
            name: made.name,
        };
        self.gather.declare(symbol, (!several).then_some(parents.len()));
    }

    fn types(&mut self, node: Node<'p>) {
        for typed in types::of(self.parsed, node, self.gather.enclosing().in_type) {
            if typed.field {
                self.gather.field_is(&typed.name, typed.of);
            } else {
                self.gather.variable_is(&typed.name, typed.of);
            }
        }
    }

    fn call(&mut self, node: Node<'p>, parent: Option<Node<'p>>) {
        let inside = match node.kind() {
            "token_tree" => macros::in_tokens(self.parsed, node),
            "preproc_arg" if parent.is_some_and(|parent| parent.kind() != "preproc_call") => {
                macros::in_body(self.parsed, node)
            }
            "preproc_arg" => return,
            _ => Vec::new(),
        };
        for call in inside {
            self.gather.call(call.name, call.on, call.line, call.byte);
        }
        let Some(called) = calls::of(self.parsed, node, parent) else { return };
        if let Some(import) = imports::by_call(self.parsed, node, &called.name) {
            self.gather.import([import]);
            return;
        }
        let line = called.at.start_position().row as u32 + 1;
        self.gather.call(called.name, called.on, line, called.at.start_byte());
    }
}

/// The last row of a node; a line end that it swallowed is not counted.
fn last_row(node: Node<'_>) -> u32 {
    let end = node.end_position();
    let back = usize::from(end.column == 0 && end.row > node.start_position().row);
    (end.row - back) as u32
}

/// The names of what a type inherits from.
fn bases(parsed: &Parsed, node: Node<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let mut lists: Vec<Node<'_>> = Vec::new();
    for field in ["superclasses", "superclass", "interfaces", "trait", "bounds"] {
        lists.extend(node.child_by_field_name(field));
    }
    let mut cursor = node.walk();
    lists.extend(node.named_children(&mut cursor).filter(|child| {
        matches!(
            child.kind(),
            "class_heritage"
                | "extends_type_clause"
                | "extends_interfaces"
                | "base_class_clause"
                | "base_list"
                | "base_clause"
                | "class_interface_clause"
        )
    }));
    for list in lists {
        add_bases(parsed.text(list), &mut found);
    }
    found
}

/// More names than a type inherits from.
const MANY_BASES: usize = 64;

/// The names in a list of what a type inherits from, as it is written.
pub(crate) fn add_bases(list: &str, found: &mut Vec<String>) {
    let list = list.trim_start_matches(['(', '<', ':']).trim_end_matches(')');
    let mut seen: HashSet<String> = HashSet::new();
    for part in split_top(list) {
        let part = part.trim();
        let words = part.split_whitespace().filter(|word| {
            !matches!(
                *word,
                "extends" | "implements" | "public" | "private" | "protected" | "virtual" | ":" | "<"
            )
        });
        let name = types::base(&words.collect::<Vec<_>>().join(" "));
        if name.is_empty() || part.contains('=') {
            continue;
        }
        // A few names are searched; of very many, a set is kept.
        if found.len() < MANY_BASES {
            if !found.contains(&name) {
                found.push(name);
            }
            continue;
        }
        if seen.is_empty() {
            seen.extend(found.iter().cloned());
        }
        if seen.insert(name.clone()) {
            found.push(name);
        }
    }
}

/// Splits a list at its commas, pluses and the word `implements`, not inside brackets.
fn split_top(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth -= 1,
            ',' | '+' if depth <= 0 => {
                parts.push(text.get(start..at).unwrap_or(""));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(start..).unwrap_or(""));
    parts.into_iter().flat_map(|part| part.split(" implements ")).collect()
}

#[cfg(test)]
mod tests {
    use super::add_bases;

    #[test]
    fn a_base_is_listed_once_however_many_there_are() {
        let list = |names: std::ops::Range<usize>| names.map(|n| format!("B{n}")).collect::<Vec<_>>();
        let mut found = Vec::new();
        add_bases(&format!("({}, k=K, {})", list(0..200).join(", "), list(50..250).join(", ")), &mut found);
        assert_eq!(found, list(0..250));
    }
}
