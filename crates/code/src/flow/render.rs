//! How flow is shown: compact text for a model (smaller than the code it tells about), stable JSON for programs.

use super::blocks::{Block, BlockTarget, Blocks};
use super::graph::EdgeKind;
use super::ir::{FuncId, Origin, Role, Touch, VarId, WHOLE};
use super::reach::DefId;
use super::{Analysis, Direction};
use crate::source::Source;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A definition with the lines of its uses.
struct Chain {
    def: DefId,
    uses: BTreeSet<u32>,
    /// There are more uses than are told.
    more: bool,
}

/// Uses of one definition that are told. With n changes of a variable that may each be followed by any other, all of them
/// would be n times n.
pub(super) const USES: usize = 60;

/// Characters of a condition that are shown.
const SHOWN: usize = 56;

impl EdgeKind {
    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Next => "next",
            Self::Yes => "yes",
            Self::No => "no",
            Self::Each => "each",
            Self::Done => "done",
            Self::Case => "case",
            Self::Fall => "falls",
            Self::Back => "back",
            Self::Break => "break",
            Self::Continue => "continue",
            Self::Goto => "goto",
            Self::Return => "return",
            Self::Throw => "throw",
            Self::Raise => "raises",
            Self::Leave => "leaves",
        }
    }
}

const fn role_word(role: Role) -> &'static str {
    match role {
        Role::Plain => "plain",
        Role::Entry => "entry",
        Role::Test => "test",
        Role::Each => "each",
        Role::Subject => "subject",
        Role::Case => "case",
        Role::Try => "try",
        Role::Catch => "catch",
        Role::Enter => "enter",
        Role::Leave => "leave",
        Role::Return => "return",
        Role::Throw => "throw",
        Role::Break => "break",
        Role::Continue => "continue",
        Role::Goto => "goto",
        Role::Deferred => "deferred",
        Role::Declared => "declared",
        Role::Join => "join",
    }
}

fn span(first: u32, last: u32) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// Lines as runs: `3,5-7`.
pub fn runs(lines: &BTreeSet<u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == *line => *end = *line,
            _ => runs.push((*line, *line)),
        }
    }
    runs.iter().map(|(from, to)| span(*from, *to)).collect::<Vec<_>>().join(",")
}

/// One line of a step's text.
fn excerpt(source: &Source, bytes: (u32, u32)) -> String {
    let text = source.text.get(bytes.0 as usize..bytes.1 as usize).unwrap_or("");
    let mut words = String::new();
    for word in text.split_whitespace() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
        if words.len() > SHOWN * 2 {
            break;
        }
    }
    let mut words = words.trim_end_matches(['{', ':', ' ']).to_owned();
    // A head is cut before its body: close what it opened.
    let (opened, closed) = (words.matches('(').count(), words.matches(')').count());
    words.extend(std::iter::repeat_n(')', opened.saturating_sub(closed).min(3)));
    match words.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", words.get(..at).unwrap_or("")),
        None => words,
    }
}

/// Names for blocks: their first line, with a letter when several begin there.
fn names(blocks: &[Block]) -> Vec<String> {
    let mut seen: BTreeMap<u32, u32> = BTreeMap::new();
    blocks
        .iter()
        .map(|block| {
            let count = seen.entry(block.first).or_insert(0);
            *count += 1;
            match *count {
                1 => block.first.to_string(),
                more => format!(
                    "{}{}",
                    block.first,
                    char::from_u32('a' as u32 + (more - 1).min(25)).unwrap_or('z')
                ),
            }
        })
        .collect()
}

/// What must be said about an answer that is not whole.
pub fn notes(notes: &[String]) -> String {
    notes.iter().map(|note| format!("note: {note}\n")).collect()
}

impl Analysis {
    /// The control flow of a function as text.
    pub fn cfg_text(&self, source: &Source, func: FuncId, name: &str) -> String {
        let Blocks { blocks, complexity } = self.blocks(func);
        let function = &self.unit.functions[func];
        let names = names(&blocks);
        let name_of = |to: &BlockTarget| match to {
            BlockTarget::Block(number) => names.get(*number as usize).map_or("?", String::as_str),
            BlockTarget::End => "end",
        };
        let mut text =
            format!("{name} {}, complexity {complexity}\n", span(function.lines.0, function.lines.1));
        for (number, (block, own)) in blocks.iter().zip(&names).enumerate() {
            let mut line = own.clone();
            for (number, (first, last)) in block.lines.iter().enumerate() {
                match number {
                    0 if last > first => line.push_str(&format!("-{last}")),
                    0 => {}
                    _ => line.push_str(&format!(",{}", span(*first, *last))),
                }
            }
            let shown = block.nodes.last().map(|node| &self.graph.nodes[*node].step).filter(|step| {
                matches!(step.role, Role::Test | Role::Each | Role::Subject | Role::Case | Role::Catch)
            });
            if let Some(step) = shown {
                line.push_str(&format!(" {}", excerpt(source, step.span)));
            }
            let falls_to = |to: &BlockTarget| *to == BlockTarget::Block(number as u32 + 1);
            let mut edges: Vec<String> = Vec::new();
            let mut next: Vec<&(EdgeKind, BlockTarget)> = block.next.iter().collect();
            next.sort_by_key(|(kind, _)| matches!(kind, EdgeKind::Raise | EdgeKind::Leave));
            for (kind, to) in next {
                edges.push(match (kind, to) {
                    (EdgeKind::Return, BlockTarget::End) => "return".to_owned(),
                    (EdgeKind::Throw, BlockTarget::End) => "throw".to_owned(),
                    (EdgeKind::Leave, BlockTarget::End) => "?".to_owned(),
                    (EdgeKind::Raise, BlockTarget::End) => continue,
                    (EdgeKind::Next | EdgeKind::Case | EdgeKind::Fall | EdgeKind::Back, to)
                        if block.next.len() == 1 && falls_to(to) =>
                    {
                        continue;
                    }
                    (EdgeKind::Next | EdgeKind::Case | EdgeKind::Fall | EdgeKind::Back, to) => {
                        format!("→{}", name_of(to))
                    }
                    (EdgeKind::Goto | EdgeKind::Return, to) => format!("→{}", name_of(to)),
                    (kind, to) => format!("{}→{}", kind.word(), name_of(to)),
                });
            }
            if !block.reached {
                edges.push("(never reached)".to_owned());
            }
            if !edges.is_empty() {
                line.push_str(if shown.is_some() { ": " } else { " " });
                line.push_str(&edges.join(" "));
            }
            text.push_str(&line);
            text.push('\n');
        }
        let deferred = self.deferred(func);
        if !deferred.is_empty() {
            let lines: Vec<String> = deferred.iter().map(u32::to_string).collect();
            text.push_str(&format!("deferred to every end, in this order: {}\n", lines.join(", ")));
        }
        text.push_str(&notes(&self.unit.notes));
        text
    }

    /// The lines of what a function puts off to its end, in the order in which it runs.
    fn deferred(&self, func: FuncId) -> Vec<u32> {
        let ends = self.graph.ends[func];
        let steps = (ends.entry..=ends.exit).map(|node| &self.graph.nodes[node].step);
        steps.filter(|step| step.role == Role::Deferred).map(super::ir::Step::line).collect()
    }

    /// The control flow of a function as JSON.
    pub fn cfg_json(&self, source: &Source, func: FuncId, name: &str) -> Value {
        let Blocks { blocks, complexity } = self.blocks(func);
        let function = &self.unit.functions[func];
        let mut edges = Vec::new();
        let mut exits = Vec::new();
        for (number, block) in blocks.iter().enumerate() {
            for (kind, to) in &block.next {
                let to = match to {
                    BlockTarget::Block(to) => json!(to),
                    BlockTarget::End => {
                        exits.push(json!({ "block": number, "kind": kind.word() }));
                        Value::Null
                    }
                };
                edges.push(json!({ "from": number, "to": to, "kind": kind.word() }));
            }
        }
        let shown: Vec<Value> = blocks
            .iter()
            .enumerate()
            .map(|(id, block)| {
                let mut value = json!({
                    "id": id, "kind": role_word(block.role), "lines": block.lines,
                    "reached": block.reached,
                });
                let last = block.nodes.last().map(|node| &self.graph.nodes[*node].step);
                if let (Some(step), Some(map)) = (last, value.as_object_mut())
                    && matches!(step.role, Role::Test | Role::Each | Role::Subject | Role::Case | Role::Catch)
                {
                    map.insert("text".to_owned(), json!(excerpt(source, step.span)));
                }
                value
            })
            .collect();
        json!({
            "function": name, "lines": [function.lines.0, function.lines.1], "complexity": complexity,
            "complete": self.is_complete(), "notes": self.unit.notes,
            "entry": 0, "blocks": shown, "edges": edges, "exits": exits, "deferred": self.deferred(func),
        })
    }

    /// The variables that a function touches, in the order of their first touch.
    fn touched(&self, func: FuncId) -> Vec<VarId> {
        let ends = self.graph.ends[func];
        let mut seen = BTreeSet::new();
        let mut list = Vec::new();
        for node in ends.entry..=ends.exit {
            for access in &self.graph.nodes[node].step.accesses {
                if self.unit.vars[access.var].origin != Origin::Value && seen.insert(access.var) {
                    list.push(access.var);
                }
            }
        }
        list
    }

    /// The definitions of each variable that a function touches, with the lines of their uses.
    fn chains(&self, func: FuncId) -> Vec<(VarId, Vec<Chain>)> {
        let ends = self.graph.ends[func];
        let inside = |node: u32| (ends.entry..=ends.exit).contains(&node);
        let mut forward = self.reach.forward();
        let mut of_var: BTreeMap<VarId, Vec<Chain>> = BTreeMap::new();
        for (id, def) in self.reach.defs.each() {
            let own = inside(def.node);
            let found = forward.uses(id, USES);
            let seen = found.list.into_iter().filter(|(node, _)| own || inside(*node));
            let uses: BTreeSet<u32> = seen.map(|(_, line)| line).collect();
            if own || !uses.is_empty() {
                of_var.entry(def.var).or_default().push(Chain { def: id, uses, more: found.more });
            }
        }
        self.touched(func).into_iter().map(|var| (var, of_var.remove(&var).unwrap_or_default())).collect()
    }

    /// What is said when not every use is told.
    fn cut(chains: &[(VarId, Vec<Chain>)]) -> Option<String> {
        let cut = chains.iter().flat_map(|(_, list)| list).any(|chain| chain.more);
        cut.then(|| {
            format!("`…`: of a definition that may reach more than {USES} uses, only the nearest are told")
        })
    }

    /// A definition by its line, with what kind it is and which field.
    pub(super) fn def_name(&self, def: DefId) -> String {
        let def = &self.reach.defs[def];
        let field =
            if def.field == WHOLE { String::new() } else { format!(".{}", self.unit.fields[def.field]) };
        let mark = match def.touch {
            Touch::Update => "*",
            Touch::May => "?",
            Touch::Def | Touch::Use => "",
        };
        format!("{}{mark}{field}", def.line)
    }

    /// The data flow of a function as text: one line for each variable.
    pub fn dfg_text(&self, func: FuncId, name: &str) -> String {
        let function = &self.unit.functions[func];
        let mut text = format!("{name} {}: definition→uses\n", span(function.lines.0, function.lines.1));
        let mut outer: Vec<&str> = Vec::new();
        let all = self.chains(func);
        for (var, chains) in &all {
            let var = &self.unit.vars[*var];
            if chains.is_empty() {
                outer.push(&var.name);
                continue;
            }
            let mut parts: Vec<String> = Vec::new();
            let mut unused: BTreeSet<u32> = BTreeSet::new();
            let mut told: BTreeSet<String> = BTreeSet::new();
            for Chain { def, uses, more } in chains {
                if uses.is_empty() {
                    unused.insert(self.reach.defs[*def].line);
                } else {
                    let more = if *more { ",…" } else { "" };
                    let part = format!("{}→{}{more}", self.def_name(*def), runs(uses));
                    if told.insert(part.clone()) {
                        parts.push(part);
                    }
                }
            }
            if !unused.is_empty() {
                parts.push(format!("{}→-", runs(&unused)));
            }
            let mark = match var.origin {
                Origin::Param => "(param) ",
                Origin::Outer => "(outer) ",
                _ if var.owner != func => "(captured) ",
                _ => "",
            };
            text.push_str(&format!("{}: {mark}{}\n", var.name, parts.join(" ")));
        }
        if !outer.is_empty() {
            const MAX_OUTER: usize = 10;
            let more = outer.len().saturating_sub(MAX_OUTER);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let shown: Vec<&str> = outer.into_iter().take(MAX_OUTER).collect();
            text.push_str(&format!("outer, only read: {}{more}\n", shown.join(", ")));
        }
        text.push_str(&notes(&self.unit.notes));
        text.push_str(&notes(Self::cut(&all).as_slice()));
        text
    }

    /// The data flow of a function as JSON.
    pub fn dfg_json(&self, func: FuncId, name: &str) -> Value {
        let function = &self.unit.functions[func];
        let all = self.chains(func);
        let mut notes = self.unit.notes.clone();
        notes.extend(Self::cut(&all));
        let variables: Vec<Value> = all
            .iter()
            .map(|(id, chains)| {
                let var = &self.unit.vars[*id];
                let definitions: Vec<Value> = chains
                    .iter()
                    .map(|Chain { def, uses, more }| {
                        let def = &self.reach.defs[*def];
                        json!({
                            "line": def.line,
                            "kind": match def.touch {
                                Touch::Update => "update",
                                Touch::May => "perhaps",
                                Touch::Def | Touch::Use => "definition",
                            },
                            "field": (def.field != WHOLE).then(|| self.unit.fields[def.field].clone()),
                            "uses": uses, "more": more,
                        })
                    })
                    .collect();
                let origin = match var.origin {
                    Origin::Param => "param",
                    Origin::Outer => "outer",
                    _ if var.owner != func => "captured",
                    _ => "local",
                };
                json!({ "name": var.name, "line": var.line, "origin": origin, "definitions": definitions })
            })
            .collect();
        json!({
            "function": name, "lines": [function.lines.0, function.lines.1],
            "complete": notes.is_empty(), "notes": notes, "variables": variables,
        })
    }

    /// A slice's code with its line numbers.
    pub fn slice_text(
        &self,
        source: &Source,
        name: &str,
        lines: &[u32],
        line: u32,
        direction: Direction,
    ) -> String {
        let all = self.lines().len();
        let what = match direction {
            Direction::Backward => "what it depends on",
            Direction::Forward => "what depends on it",
        };
        let mut text = format!("{name}, line {line}, {what}: {} of {all} lines\n", lines.len());
        let width = lines.last().map_or(1, |last| last.to_string().len());
        let mut before = None;
        for number in lines {
            if before.is_some_and(|before| before + 1 < *number) {
                text.push_str(&format!("{:>width$} …\n", ""));
            }
            let mark = if *number == line { '>' } else { ' ' };
            text.push_str(&format!("{number:>width$}{mark} {}\n", source.line(*number)));
            before = Some(*number);
        }
        text.push_str(&notes(&self.unit.notes));
        text
    }
}
