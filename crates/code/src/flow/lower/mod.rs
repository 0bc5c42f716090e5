//! From a tree to the structured form: what every language needs for it (scopes, steps, functions inside functions).
//! One file for each language says what its constructs mean; nothing else knows a grammar.

mod c;
mod csharp;
mod curly;
mod go;
mod java;
mod php;
mod place;
mod python;
mod ruby;
mod rust;
mod script;

use super::ir::{
    Access, Body, FieldId, FuncId, Function, Origin, Role, Step, Stmt, Touch, Unit, Var, VarId, WHOLE,
};
use crate::language::Language;
use crate::parse::Parsed;
use std::collections::HashMap;
use tree_sitter::Node;

/// Reads only where the variable points: sees writes of the whole, not of its fields.
const REFERENCE: FieldId = 1;
/// Levels of nesting that are followed.
const DEEPEST: usize = 250;

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

/// Languages that have a lowering.
pub const fn is_supported(language: Language) -> bool {
    matches!(
        language,
        Language::Python
            | Language::TypeScript
            | Language::Tsx
            | Language::JavaScript
            | Language::Rust
            | Language::Go
            | Language::Java
            | Language::C
            | Language::CSharp
            | Language::Ruby
            | Language::Php
    )
}

/// A step being written.
pub(super) struct Draft {
    step: Step,
    rows: (usize, usize),
    /// Rows that belong to statements inside of it.
    holes: Vec<(usize, usize)>,
}

#[derive(Default)]
struct Scope {
    names: HashMap<String, VarId>,
    /// The outermost scope of a function.
    of_function: bool,
    /// Nothing from around is known inside.
    closed: bool,
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
        }
    }

    // ── text and places ──────────────────────────────────────────────────────────────────────────────────────────

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
        const MOST: usize = 5;
        let mut open = vec![node];
        let mut count = 0;
        while let Some(at) = open.pop() {
            if at.is_error() || at.is_missing() {
                count += 1;
                if count <= MOST {
                    self.unread(at, "does not parse; what it does is not known");
                }
            } else if at.has_error() {
                let mut cursor = at.walk();
                let inside: Vec<Node<'_>> = at.children(&mut cursor).collect();
                open.extend(inside.into_iter().rev());
            }
        }
        if count > MOST {
            self.note(format!("{} more places do not parse", count - MOST));
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

    fn leave(&mut self) {
        self.depth -= 1;
    }

    // ── variables ────────────────────────────────────────────────────────────────────────────────────────────────

    fn push_scope(&mut self) {
        self.scopes.push(Scope::default());
    }

    fn pop_scope(&mut self) {
        self.scopes.pop();
    }

    /// Runs something in a scope of its own.
    fn scoped<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.push_scope();
        let value = run(self);
        self.pop_scope();
        value
    }

    fn new_var(&mut self, name: &str, origin: Origin, line: u32) -> VarId {
        self.unit.vars.push(Var { name: name.to_owned(), owner: self.func, origin, line })
    }

    /// A new variable in the innermost scope. One that is there is hidden from here on.
    fn declare(&mut self, name: &str, origin: Origin, line: u32) -> VarId {
        let var = self.new_var(name, origin, line);
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.to_owned(), var);
        }
        var
    }

    /// A new variable in the function's own scope, unless it has one of this name.
    fn declare_in_function(&mut self, name: &str, line: u32) -> VarId {
        let Some(at) = self.scopes.iter().rposition(|scope| scope.of_function) else {
            return self.declare(name, Origin::Local, line);
        };
        if let Some(var) = self.scopes.get(at).and_then(|scope| scope.names.get(name)) {
            return *var;
        }
        let var = self.new_var(name, Origin::Local, line);
        if let Some(scope) = self.scopes.get_mut(at) {
            scope.names.insert(name.to_owned(), var);
        }
        var
    }

    /// Makes a name of the innermost scope mean this variable.
    fn bind(&mut self, name: &str, var: VarId) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.to_owned(), var);
        }
    }

    /// The variable that a name means here, when it is one of the unit.
    fn known(&self, name: &str) -> Option<VarId> {
        for scope in self.scopes.iter().rev() {
            if let Some(var) = scope.names.get(name) {
                return Some(*var);
            }
            if scope.closed {
                break;
            }
        }
        None
    }

    /// Hides everything that is around the innermost scope.
    fn close_scope(&mut self) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.closed = true;
        }
    }

    /// The variable of the file, where the file is in sight; else one from outside.
    fn global(&mut self, name: &str) -> VarId {
        let own = self
            .scopes
            .first()
            .filter(|scope| !scope.closed)
            .and_then(|scope| scope.names.get(name))
            .copied();
        own.unwrap_or_else(|| self.outside(name))
    }

    /// The variable that a name means here; what nobody declared comes from outside.
    fn resolve(&mut self, name: &str) -> VarId {
        self.known(name).unwrap_or_else(|| self.outside(name))
    }

    fn outside(&mut self, name: &str) -> VarId {
        if let Some(var) = self.outer.get(name) {
            return *var;
        }
        let var =
            self.unit.vars.push(Var { name: name.to_owned(), owner: 0, origin: Origin::Outer, line: 0 });
        self.outer.insert(name.to_owned(), var);
        var
    }

    /// A variable for the value of an expression that has control flow in it.
    fn value_var(&mut self, node: Node<'_>) -> VarId {
        self.new_var("", Origin::Value, line(node))
    }

    fn field(&mut self, name: &str) -> FieldId {
        if let Some(field) = self.fields.get(name) {
            return *field;
        }
        let field = self.unit.fields.push(name.to_owned());
        self.fields.insert(name.to_owned(), field);
        field
    }

    // ── touches ──────────────────────────────────────────────────────────────────────────────────────────────────

    fn touch(&mut self, draft: &mut Draft, var: VarId, field: FieldId, touch: Touch, line: u32) {
        let touch = if self.maybe > 0 && touch == Touch::Def { Touch::May } else { touch };
        draft.step.accesses.push(Access { var, field, touch, line });
    }

    fn read(&mut self, draft: &mut Draft, node: Node<'_>) {
        let var = self.resolve(self.text(node));
        self.touch(draft, var, WHOLE, Touch::Use, line(node));
    }

    /// Reads a name only when it is a variable of the unit: a function that is called, a word in a macro.
    fn read_known(&mut self, draft: &mut Draft, node: Node<'_>) {
        if let Some(var) = self.known(self.text(node)) {
            self.touch(draft, var, WHOLE, Touch::Use, line(node));
        }
    }

    fn write(&mut self, draft: &mut Draft, node: Node<'_>) {
        let var = self.resolve(self.text(node));
        self.touch(draft, var, WHOLE, Touch::Def, line(node));
    }

    fn read_var(&mut self, draft: &mut Draft, var: VarId, line: u32) {
        self.touch(draft, var, WHOLE, Touch::Use, line);
    }

    fn write_var(&mut self, draft: &mut Draft, var: VarId, line: u32) {
        self.touch(draft, var, WHOLE, Touch::Def, line);
    }

    /// Reads `base.name`, where the base is a name.
    fn read_field(&mut self, draft: &mut Draft, base: Node<'_>, name: &str) {
        let (var, field) = (self.resolve(self.text(base)), self.field(name));
        self.touch(draft, var, field, Touch::Use, line(base));
    }

    /// Writes `base.name`, where the base is a name.
    fn write_field(&mut self, draft: &mut Draft, base: Node<'_>, name: &str, touch: Touch) {
        let (var, field) = (self.resolve(self.text(base)), self.field(name));
        self.touch(draft, var, REFERENCE, Touch::Use, line(base));
        self.touch(draft, var, field, touch, line(base));
    }

    /// Changes a part of what a variable holds: an element, something deep in it.
    fn change(&mut self, draft: &mut Draft, base: Node<'_>) {
        let var = self.resolve(self.text(base));
        self.touch(draft, var, WHOLE, Touch::Update, line(base));
    }

    /// A method is called on a variable: it may change what the variable holds. For what comes from outside (modules,
    /// types, loggers) and for the object itself, what a method does is not in sight, and it counts as a read.
    fn call_on(&mut self, draft: &mut Draft, base: Node<'_>, method: &str) {
        let name = self.text(base);
        match self.known(name) {
            Some(var) if !is_self(name) && !only_reads(method) && !self.fixed.contains(&var) => {
                self.touch(draft, var, WHOLE, Touch::Update, line(base));
            }
            Some(var) if !is_self(name) => self.touch(draft, var, WHOLE, Touch::Use, line(base)),
            _ => self.read_field(draft, base, method),
        }
    }

    /// Runs something that is not always evaluated.
    fn perhaps(&mut self, draft: &mut Draft, run: impl FnOnce(&mut Self, &mut Draft)) {
        self.maybe += 1;
        run(self, draft);
        self.maybe -= 1;
    }

    // ── steps ────────────────────────────────────────────────────────────────────────────────────────────────────

    fn draft(&self, node: Node<'_>, role: Role) -> Draft {
        self.draft_of(node, node, role)
    }

    /// A step from the beginning of one node to the end of another.
    fn draft_of(&self, from: Node<'_>, to: Node<'_>, role: Role) -> Draft {
        let mut step = Step::empty(role);
        step.span = (from.start_byte() as u32, to.end_byte() as u32);
        Draft { step, rows: (from.start_position().row, last_row(to)), holes: Vec::new() }
    }

    /// Leaves out the rows of a body inside of a step.
    fn hole(&self, draft: &mut Draft, body: Node<'_>) {
        let (first, last) = (body.start_position().row, last_row(body));
        let begins_line = self.line_before(body).trim().is_empty();
        let braced = body.child(0).is_some_and(|child| matches!(child.kind(), "{" | "do" | "begin"));
        let from = if begins_line && !braced { first } else { first + 1 };
        let to = if braced && last > first { last - 1 } else { last };
        if from <= to {
            draft.holes.push((from, to));
        }
    }

    fn line_before(&self, node: Node<'_>) -> &'t str {
        let start = node.start_byte();
        self.text.get(start - node.start_position().column.min(start)..start).unwrap_or("x")
    }

    fn finish(&self, draft: Draft) -> Step {
        let Draft { mut step, rows: (first, last), holes } = draft;
        let inside = |row: usize| holes.iter().any(|(from, to)| (*from..=*to).contains(&row));
        let says = |row: usize| {
            let text = self.parsed.source.line(row as u32 + 1).trim_start();
            !is_comment(text)
                && !(self.parsed.language == Language::Ruby && is_end(text))
                && text.chars().any(|c| c.is_alphanumeric() || matches!(c, '"' | '\'' | '`' | '_'))
        };
        let mut lines: Vec<(u32, u32)> = Vec::new();
        for row in first..=last {
            if row != first && (inside(row) || !says(row)) {
                continue;
            }
            let number = row as u32 + 1;
            match lines.last_mut() {
                Some((_, end)) if *end + 1 == number => *end = number,
                _ => lines.push((number, number)),
            }
        }
        step.lines = lines;
        step
    }

    fn emit(&mut self, stmt: Stmt) {
        if let Some(body) = self.bodies.last_mut() {
            body.push(stmt);
        }
    }

    fn emit_step(&mut self, draft: Draft) {
        let step = self.finish(draft);
        self.emit(Stmt::Step(step));
    }

    /// Emits what an expression does before its step: perhaps, where the expression is not always evaluated.
    fn emit_before(&mut self, body: Body) {
        if self.maybe > 0 {
            self.emit(Stmt::Perhaps(body));
        } else if let Some(current) = self.bodies.last_mut() {
            current.extend(body);
        }
    }

    /// Collects what is emitted.
    fn nested(&mut self, run: impl FnOnce(&mut Self)) -> Body {
        self.bodies.push(Vec::new());
        let maybe = std::mem::take(&mut self.maybe);
        run(self);
        self.maybe = maybe;
        self.bodies.pop().unwrap_or_default()
    }

    // ── functions ────────────────────────────────────────────────────────────────────────────────────────────────

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

fn is_comment(text: &str) -> bool {
    ["//", "/*", "* ", "*/"].iter().any(|mark| text.starts_with(mark))
        || (text.starts_with('#') && !text.starts_with("#[") && !text.starts_with("#!"))
}

/// Only the word that closes something.
fn is_end(text: &str) -> bool {
    text.strip_prefix("end").is_some_and(|rest| !rest.contains(|c: char| c.is_alphanumeric() || c == '_'))
}

fn is_self(name: &str) -> bool {
    matches!(name, "self" | "this" | "cls" | "super" | "$this" | "base")
}

/// Names of methods that only read, whatever the language: what they are called on stays as it was.
fn only_reads(method: &str) -> bool {
    const READS: &[&str] = &[
        "all",
        "any",
        "as_bytes",
        "as_deref",
        "as_ref",
        "as_slice",
        "as_str",
        "at",
        "bytes",
        "capacity",
        "ceil",
        "charAt",
        "charCodeAt",
        "chars",
        "clone",
        "cloned",
        "cmp",
        "codePointAt",
        "collect",
        "compareTo",
        "concat",
        "contains",
        "containsKey",
        "containsValue",
        "contains_key",
        "copied",
        "copy",
        "count",
        "decode",
        "display",
        "encode",
        "end_byte",
        "ends_with",
        "endsWith",
        "endswith",
        "entries",
        "eq",
        "equals",
        "every",
        "exists",
        "expect",
        "filter",
        "find",
        "findIndex",
        "find_map",
        "first",
        "flat",
        "flatMap",
        "flat_map",
        "floor",
        "fold",
        "format",
        "get",
        "getAttribute",
        "getClass",
        "getName",
        "getOrDefault",
        "get_or",
        "group",
        "groups",
        "has",
        "hasAttribute",
        "hasOwnProperty",
        "has_key",
        "hash",
        "hashCode",
        "includes",
        "index",
        "indexOf",
        "into_iter",
        "is_absolute",
        "is_char_boundary",
        "is_dir",
        "is_empty",
        "is_err",
        "is_file",
        "is_none",
        "is_ok",
        "is_some",
        "is_some_and",
        "isEmpty",
        "isPresent",
        "isdigit",
        "isalpha",
        "iter",
        "join",
        "joinpath",
        "keySet",
        "keys",
        "kind",
        "last",
        "lastIndexOf",
        "len",
        "length",
        "lines",
        "lower",
        "lstrip",
        "map",
        "map_err",
        "map_or",
        "map_or_else",
        "match",
        "matches",
        "max",
        "min",
        "name",
        "ok_or",
        "ok_or_else",
        "padEnd",
        "padStart",
        "parent",
        "partition",
        "path",
        "position",
        "reduce",
        "repeat",
        "replace",
        "rfind",
        "rposition",
        "rsplit",
        "rstrip",
        "saturating_sub",
        "size",
        "slice",
        "some",
        "split",
        "splitlines",
        "split_once",
        "split_whitespace",
        "startsWith",
        "start_byte",
        "starts_with",
        "startswith",
        "stream",
        "strip",
        "strip_prefix",
        "strip_suffix",
        "substr",
        "substring",
        "test",
        "then",
        "then_some",
        "title",
        "toFixed",
        "toISOString",
        "toJSON",
        "toLowerCase",
        "toString",
        "toUpperCase",
        "to_ascii_lowercase",
        "to_json",
        "to_lowercase",
        "to_owned",
        "to_path_buf",
        "to_s",
        "to_str",
        "to_string",
        "to_string_lossy",
        "to_vec",
        "trim",
        "trimEnd",
        "trimStart",
        "trim_end",
        "trim_end_matches",
        "trim_start",
        "trim_start_matches",
        "unwrap",
        "unwrap_or",
        "unwrap_or_default",
        "unwrap_or_else",
        "upper",
        "value",
        "valueOf",
        "values",
        "with_extension",
        "zip",
    ];
    READS.contains(&method)
}
