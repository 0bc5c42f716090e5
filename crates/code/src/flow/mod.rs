//! Control flow, data flow, slices: what a function does, step by step.
//! tree → `lower` → structured form (`ir`) → `graph` → `reach` (data) and `depend` (control) → `slice`, `render`.

pub mod blocks;
mod depend;
mod dominate;
mod effects;
mod find;
pub mod graph;
pub mod intent;
pub mod ir;
mod lower;
pub mod reach;
pub mod render;
mod slice;
mod table;

pub use depend::{Dependence, PointId};
pub use effects::Project;
pub use find::{FunctionError, FunctionRef, functions};
pub use lower::is_supported;
pub use slice::{Direction, SliceError};
pub use table::Table;

use crate::parse::Parsed;
use graph::Graph;
use ir::{FuncId, Unit};
use reach::Reach;

/// An outermost function, and everything inside of it, analysed.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Functions, variables, notes. The bodies moved into the graph.
    pub unit: Unit,
    /// The control flow.
    pub graph: Graph,
    /// The data flow.
    pub reach: Reach,
    /// What depends on what.
    pub dependence: Dependence,
    /// The same with what calls and shared objects change, for slices.
    seen: Option<Box<Seen>>,
}

/// Data flow and dependence with everything that a step may change.
#[derive(Clone, Debug)]
struct Seen {
    graph: Graph,
    reach: Reach,
    dependence: Dependence,
}

/// A function in its analysis.
#[derive(Clone, Debug)]
pub struct FunctionAnalysis {
    /// The analysis of the outermost function around it.
    pub analysis: Analysis,
    /// The function that was asked for.
    pub func: FuncId,
    /// Its name with the types and functions around it.
    pub name: String,
}

impl Analysis {
    /// Analyses the function at a place.
    pub fn new(parsed: &Parsed, place: &FunctionRef<'_>) -> Option<Self> {
        let mut unit = lower::unit(parsed, place.node, &place.name)?;
        let graph = Graph::new(&mut unit);
        for label in &graph.lost {
            unit.notes
                .push(format!("the label `{label}` is not in this function; the jump is taken as an end"));
        }
        let reach = Reach::new(&unit, &graph);
        let dependence = Dependence::new(&unit, &graph, &reach);
        Some(Self { unit, graph, reach, dependence, seen: None })
    }

    /// The same, with slices that see what calls change and which variables share an object.
    #[must_use]
    pub fn with_effects(
        mut self,
        parsed: &Parsed,
        place: &FunctionRef<'_>,
        project: Option<&Project>,
    ) -> Self {
        let places = functions(parsed);
        let mut known = effects::Known::new(parsed, &places, &place.qualified).of_project(project);
        let python = parsed.language == crate::Language::Python;
        let extra = effects::Effects::new(&self.unit, &self.graph, python, &mut known).extra();
        if !extra.is_empty() {
            let mut graph = self.graph.clone();
            for (node, access) in extra {
                graph.nodes[node].step.accesses.push(access);
            }
            let reach = Reach::new(&self.unit, &graph);
            let dependence = Dependence::new(&self.unit, &graph, &reach);
            self.seen = Some(Box::new(Seen { graph, reach, dependence }));
        }
        self
    }

    /// What slices follow.
    fn seen(&self) -> (&Graph, &Reach, &Dependence) {
        match &self.seen {
            Some(seen) => (&seen.graph, &seen.reach, &seen.dependence),
            None => (&self.graph, &self.reach, &self.dependence),
        }
    }

    /// The function at a place of the same file.
    pub fn function_at(&self, place: &FunctionRef<'_>) -> Option<FuncId> {
        let span = (place.node.start_byte() as u32, place.node.end_byte() as u32);
        self.unit.functions.each().find(|(_, function)| function.span == span).map(|(func, _)| func)
    }

    /// How much work the analysis was, in steps that each take about as long. The same code gives the same number.
    pub fn steps(&self) -> u64 {
        let edges: usize = self.graph.next.iter().map(Vec::len).sum();
        (self.graph.nodes.len() + edges) as u64 + self.reach.steps + self.dependence.steps
    }

    /// True when nothing had to be left out.
    pub fn is_complete(&self) -> bool {
        self.unit.notes.is_empty()
    }
}

/// The function of a name: `name`, `Type.name`, or the number of a line inside of it.
pub fn function(parsed: &Parsed, name: &str) -> Result<FunctionAnalysis, FunctionError> {
    let places = functions(parsed);
    let place = find::by_name(&places, name)?;
    let outer = find::outermost(&places, place);
    let analysis = Analysis::new(parsed, outer).ok_or(FunctionError::NotSupported(parsed.language.name()))?;
    let func = analysis.function_at(place).ok_or_else(|| FunctionError::NotRead(place.qualified.clone()))?;
    Ok(FunctionAnalysis { analysis, func, name: place.qualified.clone() })
}

/// The analysis of what is around a line: the outermost function, or the file where nothing else is. With a project, slices look
/// into functions that the file imports.
pub fn around(
    parsed: &Parsed,
    line: u32,
    project: Option<&Project>,
) -> Result<FunctionAnalysis, FunctionError> {
    if line == 0 || line > parsed.source.lines() {
        return Err(FunctionError::NoLine { line, lines: parsed.source.lines() });
    }
    let places = functions(parsed);
    let whole = find::whole(parsed);
    let place =
        find::outermost_at(&places, line).or(whole.as_ref()).ok_or(FunctionError::NoFunction(line))?;
    let analysis = Analysis::new(parsed, place).ok_or(FunctionError::NotSupported(parsed.language.name()))?;
    let analysis = analysis.with_effects(parsed, place, project);
    Ok(FunctionAnalysis { analysis, func: 0, name: place.qualified.clone() })
}
