//! From a tree to the structured form: what every language needs for it (scopes, steps, functions inside functions).
//! One file for each language says what its constructs mean; nothing else knows a grammar.

mod c;
mod cpp;
mod csharp;
mod curly;
mod go;
mod java;
mod php;
mod place;
mod python;
mod reads;
mod ruby;
mod rust;
mod script;
mod steps;
mod variables;

use super::ir::{Body, FieldId, FuncId, Function, Origin, Role, Step, Unit, VarId};
use crate::language::{Language, Layer, Support};
use crate::parse::Parsed;
use std::collections::HashMap;
use steps::Draft;
use tree_sitter::Node;
use variables::Scope;

/// Levels of nesting that are followed.
const DEEPEST: usize = 200;
/// Levels of a value that are looked into for what it shares.
const DEEPEST_VALUE: usize = 24;

/// Lowers one function of a parsed file; `None` when the language has no lowering.
pub(super) fn unit(parsed: &Parsed, node: Node<'_>, name: &str) -> Option<Unit> {
    let mut lower = Lower::new(parsed);
    lower.say_what_does_not_parse(node);
    Some(match parsed.language {
        Language::Python => python::unit(lower, node, name),
        Language::TypeScript | Language::Tsx | Language::JavaScript => script::unit(lower, node, name),
        Language::Rust => rust::unit(lower, node, name),
        Language::Go => go::unit(lower, node, name),
        Language::Java => java::unit(lower, node, name),
        Language::C => c::unit(lower, node, name),
        Language::Cpp => cpp::unit(lower, node, name),
        Language::CSharp => csharp::unit(lower, node, name),
        Language::Ruby => ruby::unit(lower, node, name),
        Language::Php => php::unit(lower, node, name),
        _ => return None,
    })
}

/// True for a block of Ruby that is the body of a loop, not a function.
pub(super) fn is_loop_block(
    parsed: &Parsed,
    block: Node<'_>,
    call: Option<Node<'_>>,
    around: Option<Node<'_>>,
) -> bool {
    parsed.language == Language::Ruby
        && matches!(block.kind(), "block" | "do_block")
        && call.zip(around).is_some_and(|(call, around)| ruby::is_loop(&parsed.source.text, call, around))
}

/// Languages that have a lowering: what the table says.
pub fn is_supported(language: Language) -> bool {
    language.support(Layer::Flow) != Support::No
}

/// The state of a lowering.
pub(super) struct Lower<'t> {
    text: &'t str,
    parsed: &'t Parsed,
    unit: Unit,
    func: FuncId,
    scopes: Vec<Scope>,
    bodies: Vec<Body>,
    fields: HashMap<String, FieldId>,
    outer: HashMap<String, VarId>,
    depth: usize,
    maybe: usize,
    /// Where `break` with a value puts it: the loops and blocks around, with their labels.
    values: Vec<(Option<String>, Option<VarId>)>,
    /// The loops and switches around, for languages that count them: their labels, and whether it is a switch.
    levels: Vec<(String, bool)>,
    /// The places that `retry` goes to.
    retries: Vec<String>,
    /// What each function around put off to its end.
    deferred: Vec<Vec<Step>>,
    /// Variables that no method can change, because the language says so.
    fixed: std::collections::HashSet<VarId>,
    /// For each call, by its node, the variable that stands for what it gives.
    results: HashMap<usize, VarId>,
    value_depth: usize,
}

impl<'t> Lower<'t> {
    fn new(parsed: &'t Parsed) -> Self {
        let mut unit = Unit::default();
        unit.fields.push(String::new());
        unit.fields.push(String::new());
        Self {
            text: &parsed.source.text,
            parsed,
            unit,
            func: 0,
            scopes: Vec::new(),
            bodies: Vec::new(),
            fields: HashMap::new(),
            outer: HashMap::new(),
            depth: 0,
            maybe: 0,
            values: Vec::new(),
            levels: Vec::new(),
            retries: Vec::new(),
            deferred: Vec::new(),
            fixed: std::collections::HashSet::new(),
            results: HashMap::new(),
            value_depth: 0,
        }
    }

    fn text(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    fn note(&mut self, text: String) {
        if !self.unit.notes.contains(&text) {
            self.unit.notes.push(text);
        }
    }

    /// Says that a part was not read; for what a grammar could not parse and what no lowering knows.
    fn unread(&mut self, node: Node<'_>, what: &str) {
        let (from, to) = (line(node), node.end_position().row as u32 + 1);
        let place = if from == to { format!("line {from}") } else { format!("lines {from}-{to}") };
        self.note(format!("{place}: {what}"));
    }

    /// Says where the grammar gave up. What is around is still read.
    fn say_what_does_not_parse(&mut self, node: Node<'_>) {
        const MAX_NOTES: usize = 5;
        let mut open = vec![node];
        let mut count = 0;
        while let Some(at) = open.pop() {
            if at.is_error() || at.is_missing() {
                count += 1;
                if count <= MAX_NOTES {
                    self.unread(at, "does not parse; what it does is not known");
                }
            } else if at.has_error() {
                let mut cursor = at.walk();
                let inside: Vec<Node<'_>> = at.children(&mut cursor).collect();
                open.extend(inside.into_iter().rev());
            }
        }
        if count > MAX_NOTES {
            self.note(format!("{} more places do not parse", count - MAX_NOTES));
        }
    }

    /// Goes one level in; false when that is too deep, and then nothing was gone into.
    fn enter(&mut self, node: Node<'_>) -> bool {
        if self.depth >= DEEPEST {
            self.unread(node, "nested too deeply to be followed");
            return false;
        }
        self.depth += 1;
        true
    }

    /// Goes one level into a value, to see what it shares; false when that is too deep.
    fn descend(&mut self) -> bool {
        let fits = self.value_depth < DEEPEST_VALUE;
        self.value_depth += usize::from(fits);
        fits
    }

    fn ascend(&mut self) {
        self.value_depth -= 1;
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Lowers a function. `run` declares the parameters in the draft that becomes the entry, then emits the body.
    fn function(&mut self, node: Node<'_>, name: &str, run: impl FnOnce(&mut Self, &mut Draft)) -> FuncId {
        let parent = (!self.unit.functions.is_empty()).then_some(self.func);
        let lines = (line(node), last_row(node) as u32 + 1);
        let id = self.unit.functions.push(Function {
            name: name.to_owned(),
            lines,
            span: (node.start_byte() as u32, node.end_byte() as u32),
            parent,
            entry: Step::empty(Role::Entry),
            body: Vec::new(),
            results: Vec::new(),
        });
        let around = std::mem::replace(&mut self.func, id);
        self.scopes.push(Scope { of_function: true, ..Scope::default() });
        let mut entry = self.draft(node, Role::Entry);
        entry.rows.1 = entry.rows.0;
        let body = self.nested(|l| run(l, &mut entry));
        let entry = self.finish(entry);
        self.scopes.pop();
        self.func = around;
        let function = &mut self.unit.functions[id];
        function.entry = entry;
        function.body = body;
        id
    }

    /// Adds a parameter: to the entry, or as a step of its own when it has lines of its own.
    fn param(&mut self, entry: &mut Draft, node: Node<'_>, run: impl FnOnce(&mut Self, &mut Draft)) {
        if node.start_position().row == entry.rows.0 {
            run(self, entry);
        } else {
            let mut draft = self.draft(node, Role::Entry);
            run(self, &mut draft);
            self.emit_step(draft);
        }
    }

    fn declare_param(&mut self, draft: &mut Draft, node: Node<'_>) {
        let var = self.declare(self.text(node), Origin::Param, line(node));
        self.write_var(draft, var, line(node));
    }

    /// Every identifier in something that is not followed, as a read of what is known.
    fn flat(&mut self, draft: &mut Draft, node: Node<'_>) {
        draft.step.throws = true;
        let mut cursor = node.walk();
        loop {
            let at = cursor.node();
            if at.child_count() == 0 && at.kind().contains("identifier") {
                self.read_known(draft, at);
            }
            if cursor.goto_first_child() {
                continue;
            }
            loop {
                if cursor.node() == node {
                    return;
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// Something that is not followed, as one step.
    fn one_step(&mut self, node: Node<'_>) {
        let mut draft = self.draft(node, Role::Plain);
        self.flat(&mut draft, node);
        self.emit_step(draft);
    }

    fn done(self) -> Unit {
        self.unit
    }
}

fn line(node: Node<'_>) -> u32 {
    node.start_position().row as u32 + 1
}

/// The last row with text of a node: one that ends at the beginning of a row ends on the row before.
fn last_row(node: Node<'_>) -> usize {
    let (start, end) = (node.start_position(), node.end_position());
    if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row }
}

/// The named children that say something.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra() || child.is_error()).collect()
}

fn children_of<'n>(node: Node<'n>, field: &str) -> Vec<Node<'n>> {
    let mut cursor = node.walk();
    node.children_by_field_name(field, &mut cursor).filter(Node::is_named).collect()
}

/// The first named child of a kind.
fn child_of_kind<'n>(node: Node<'n>, kind: &str) -> Option<Node<'n>> {
    children(node).into_iter().find(|child| child.kind() == kind)
}

fn has_word(node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == word)
}
