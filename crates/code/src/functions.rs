//! Functions of a file by name or line, with their place in the tree: where flow analysis begins.

use crate::facts::Facts;
use crate::parse::Parsed;
use tree_sitter::Node;

/// A function of a parsed file.
#[derive(Clone, Copy)]
pub struct Function<'t> {
    /// Its place in the list of symbols.
    pub symbol: u32,
    /// What declares it: the definition, or in JavaScript the declarator whose value is a function.
    pub node: Node<'t>,
}

/// The functions with this name: `add`, `Shop.add`, `Shop::add`, `outer.inner`. In the order of the text.
pub fn by_name<'t>(parsed: &'t Parsed, facts: &Facts, name: &str) -> Vec<Function<'t>> {
    let wanted = name.replace("::", ".").replace('#', ".");
    let last = wanted.rsplit('.').next().unwrap_or(&wanted);
    facts
        .symbols
        .iter()
        .enumerate()
        .filter(|(_, symbol)| symbol.kind.is_function() && symbol.name == last)
        .filter(|(number, _)| {
            let path = facts.path(*number as u32);
            path == wanted || path.ends_with(&format!(".{wanted}")) || last == wanted
        })
        .filter_map(|(number, _)| at(parsed, facts, number as u32))
        .collect()
}

/// The innermost function at a line.
pub fn by_line<'t>(parsed: &'t Parsed, facts: &Facts, line: u32) -> Option<Function<'t>> {
    let mut number = facts.at_line(line);
    while let Some(at_line) = number {
        let symbol = facts.symbol(at_line)?;
        if symbol.kind.is_function() {
            return at(parsed, facts, at_line);
        }
        number = symbol.parent;
    }
    None
}

/// The node that declares a symbol.
pub fn at<'t>(parsed: &'t Parsed, facts: &Facts, symbol: u32) -> Option<Function<'t>> {
    let (start, end) = facts.symbol(symbol)?.bytes;
    let node = parsed.tree.root_node().named_descendant_for_byte_range(start, end)?;
    Some(Function { symbol, node })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::facts;
    use crate::language::Language;
    use crate::parse::{self, Limits};

    const TEXT: &str = "class Shop:\n    def add(self):\n        def inner():\n            pass\n        return 1\n\ndef add(x):\n    return x\n";

    #[test]
    fn by_name_with_or_without_what_is_around() {
        let parsed = parse::text(Language::Python, TEXT, Limits::QUICK).unwrap();
        let facts = facts(&parsed);
        let lines = |name: &str| -> Vec<usize> {
            by_name(&parsed, &facts, name).iter().map(|f| f.node.start_position().row + 1).collect()
        };
        assert_eq!(lines("add"), [2, 7]);
        assert_eq!(lines("Shop.add"), [2]);
        assert_eq!(lines("Shop::add"), [2]);
        assert_eq!(lines("add.inner"), [3]);
        assert_eq!(lines("none"), Vec::<usize>::new());
    }

    #[test]
    fn by_line_the_innermost() {
        let parsed = parse::text(Language::Python, TEXT, Limits::QUICK).unwrap();
        let facts = facts(&parsed);
        let name = |line: u32| by_line(&parsed, &facts, line).map(|f| facts.path(f.symbol));
        assert_eq!(name(4).as_deref(), Some("Shop.add.inner"));
        assert_eq!(name(5).as_deref(), Some("Shop.add"));
        assert_eq!(name(8).as_deref(), Some("add"));
        assert_eq!(name(1), None);
        assert_eq!(by_line(&parsed, &facts, 2).unwrap().node.kind(), "function_definition");
    }
}
