//! Which layer answers which question: a function is asked for how it goes, a variable for where its values go.
//! Within a budget of tokens; what does not fit is told in one line with the command that shows it.

use super::{Analysis, find, functions};
use crate::facts::Symbol;
use crate::parse::Parsed;
use crate::tokens::estimate;

/// A layer beyond outline and calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deep {
    /// Control flow.
    Control,
    /// Data flow.
    Data,
}

impl Deep {
    /// The layer that fits what was asked for; a type is told by its outline and its calls.
    pub fn of(symbol: &Symbol) -> Option<Self> {
        if symbol.kind.is_function() {
            Some(Self::Control)
        } else if symbol.kind.is_value() {
            Some(Self::Data)
        } else {
            None
        }
    }
}

/// What a layer says about a symbol, in at most so many tokens. `None` when it has nothing to say.
pub fn told(parsed: &Parsed, symbol: &Symbol, path: &str, budget: u64) -> Option<String> {
    match Deep::of(symbol)? {
        Deep::Control => control(parsed, symbol, path, budget),
        Deep::Data => data(parsed, symbol, budget),
    }
}

fn control(parsed: &Parsed, symbol: &Symbol, path: &str, budget: u64) -> Option<String> {
    let places = functions(parsed);
    let fits = |place: &&find::FunctionRef<'_>| {
        place.lines.0 >= symbol.line && place.lines.1 <= symbol.end_line && place.name == symbol.name
    };
    let place = places.iter().find(fits)?;
    let analysis = Analysis::new(parsed, find::outermost(&places, place))?;
    let func = analysis.function_at(place)?;
    let blocks = analysis.blocks(func);
    if blocks.blocks.len() < 2 {
        return None;
    }
    let text = format!("Control flow of {}", analysis.cfg_text(&parsed.source, func, &place.qualified));
    if estimate(&text) <= budget {
        return Some(text);
    }
    let short = format!(
        "Control flow of {}: {} blocks, complexity {}; `sprag code cfg {path} {}` shows it.\n",
        place.qualified,
        blocks.blocks.len(),
        blocks.complexity,
        place.qualified
    );
    (estimate(&short) <= budget).then_some(short)
}

/// A variable of a file: where its values go, also into the functions of the file.
fn data(parsed: &Parsed, symbol: &Symbol, budget: u64) -> Option<String> {
    let whole = find::whole(parsed)?;
    let analysis = Analysis::new(parsed, &whole)?;
    let own = |def: &super::reach::Definition| {
        let var = &analysis.unit.vars[def.var];
        var.name == symbol.name && var.owner == 0
    };
    let mut parts: Vec<String> = Vec::new();
    let mut forward = analysis.reach.forward();
    for (id, _) in analysis.reach.defs.each().filter(|(_, def)| own(def)) {
        let uses = forward.uses(id, super::render::USES);
        if !uses.list.is_empty() {
            let more = if uses.more { ",…" } else { "" };
            let lines = uses.list.into_iter().map(|(_, line)| line).collect();
            parts.push(format!("{}→{}{more}", analysis.def_name(id), super::render::runs(&lines)));
        }
    }
    if parts.is_empty() {
        return None;
    }
    let text = format!("Data flow of {}, definition→uses: {}\n", symbol.name, parts.join(" "));
    (estimate(&text) <= budget).then_some(text)
}
