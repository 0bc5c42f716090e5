//! The layout of a file: detection (indentation, newline, spacing) and rendering of new values in the same style.

use std::ops::Range;

use serde_json::Value;

use super::json::{JsonKind, Node};

/// The layout of a whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Style {
    /// `\n` or `\r\n`.
    pub(crate) newline: &'static str,
    /// One step of indentation.
    pub(crate) unit: String,
    /// Between key and value, with the colon.
    pub(crate) colon: String,
    /// After a comma inside one line.
    pub(crate) gap: String,
    /// The whole file is one line (minified).
    pub(crate) one_line: bool,
}

/// The layout of one container's items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Each item on its own line, with this indentation.
    Lines(String),
    /// Over several lines, but the first item follows the bracket (`[{`); new items go on with this base.
    Hugging(String),
    /// All on one line.
    Inline,
}

impl Style {
    pub(crate) fn of(text: &str, root: &Node) -> Self {
        let newline = if text.find('\n').is_some_and(|at| text.get(..at).is_some_and(|s| s.ends_with('\r'))) {
            "\r\n"
        } else {
            "\n"
        };
        let raw = text.get(root.span.clone()).unwrap_or_default();
        let one_line = !root.is_empty_container() && !raw.contains('\n');
        let colon = first_colon(text, root).unwrap_or_else(|| ": ".to_owned());
        let gap = one_line.then(|| first_gap(text, root)).flatten();
        let gap = gap.unwrap_or_else(|| if colon.ends_with(':') { String::new() } else { " ".to_owned() });
        let mut style = Self { newline, unit: "  ".to_owned(), colon, gap, one_line };
        if let Some(unit) = style.first_unit(text, root) {
            style.unit = unit;
        }
        style
    }

    /// The layout of the items of `node`, a container.
    pub(crate) fn layout(&self, text: &str, node: &Node) -> Layout {
        let base = line_indent(text, node.span.start);
        let Some(first) = items(node).into_iter().next() else {
            return if self.one_line {
                Layout::Inline
            } else {
                Layout::Lines(format!("{base}{}", self.unit))
            };
        };
        let before_first = text.get(node.span.start..first.start).unwrap_or_default();
        if before_first.contains('\n') {
            Layout::Lines(line_indent(text, first.start).to_owned())
        } else if text.get(node.span.clone()).unwrap_or_default().contains('\n') {
            Layout::Hugging(base.to_owned())
        } else {
            Layout::Inline
        }
    }

    fn first_unit(&self, text: &str, node: &Node) -> Option<String> {
        if !node.is_empty_container()
            && let Layout::Lines(child) = self.layout(text, node)
        {
            let unit = child.strip_prefix(line_indent(text, node.span.start)).unwrap_or_default();
            if !unit.is_empty() {
                return Some(unit.to_owned());
            }
        }
        children(node).into_iter().find_map(|child| self.first_unit(text, child))
    }

    /// `value` as an item of a container with this layout.
    pub(crate) fn render(&self, value: &Value, layout: &Layout) -> String {
        let mut out = String::new();
        match layout {
            Layout::Lines(indent) | Layout::Hugging(indent) => self.write(&mut out, value, Some(indent)),
            Layout::Inline => self.write(&mut out, value, None),
        }
        out
    }

    /// The style of `JSON.stringify`: it is what the agents write when they rewrite the file themselves.
    fn write(&self, out: &mut String, value: &Value, indent: Option<&str>) {
        match value {
            Value::Array(elements) => {
                let writers = elements.iter().map(|element| (None, element));
                self.write_items(out, ('[', ']'), writers, indent);
            }
            Value::Object(members) => {
                let writers = members.iter().map(|(key, element)| (Some(key.as_str()), element));
                self.write_items(out, ('{', '}'), writers, indent);
            }
            scalar => out.push_str(&scalar.to_string()),
        }
    }

    fn write_items<'a>(
        &self,
        out: &mut String,
        (open, close): (char, char),
        items: impl Iterator<Item = (Option<&'a str>, &'a Value)>,
        indent: Option<&str>,
    ) {
        let child = indent.map(|indent| format!("{indent}{}", self.unit));
        let mut empty = true;
        out.push(open);
        for (key, value) in items {
            if !empty {
                out.push(',');
            }
            match &child {
                Some(child) => {
                    out.push_str(self.newline);
                    out.push_str(child);
                }
                None if !empty => out.push_str(&self.gap),
                None => {}
            }
            if let Some(key) = key {
                out.push_str(&self.key(key));
            }
            self.write(out, value, child.as_deref());
            empty = false;
        }
        if let Some(indent) = indent
            && !empty
        {
            out.push_str(self.newline);
            out.push_str(indent);
        }
        out.push(close);
    }

    /// `"key": `
    pub(crate) fn key(&self, key: &str) -> String {
        format!("{}{}", Value::from(key), self.colon)
    }
}

/// The indentation of the line of `offset`.
pub(crate) fn line_indent(text: &str, offset: usize) -> &str {
    let before = text.get(..offset).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = text.get(start..).unwrap_or_default();
    let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..blank).unwrap_or_default()
}

/// The spans of a container's items; a member's span starts at its key.
pub(crate) fn items(node: &Node) -> Vec<Range<usize>> {
    match &node.kind {
        JsonKind::Array(elements) => elements.iter().map(|element| element.span.clone()).collect(),
        JsonKind::Object(members) => {
            members.iter().map(|member| member.key_span.start..member.value.span.end).collect()
        }
        _ => Vec::new(),
    }
}

fn children(node: &Node) -> Vec<&Node> {
    match &node.kind {
        JsonKind::Array(elements) => elements.iter().collect(),
        JsonKind::Object(members) => members.iter().map(|member| &member.value).collect(),
        _ => Vec::new(),
    }
}

fn first_colon(text: &str, node: &Node) -> Option<String> {
    if let Some(member) = node.members().and_then(<[_]>::first) {
        let between = text.get(member.key_span.end..member.value.span.start)?;
        return between.chars().all(|c| matches!(c, ' ' | ':')).then(|| between.to_owned());
    }
    children(node).into_iter().find_map(|child| first_colon(text, child))
}

fn first_gap(text: &str, node: &Node) -> Option<String> {
    if let [first, second, ..] = items(node).as_slice() {
        let between = text.get(first.end..second.start)?;
        let gap = between.trim_start().strip_prefix(',')?;
        return gap.chars().all(|c| c == ' ').then(|| gap.to_owned());
    }
    children(node).into_iter().find_map(|child| first_gap(text, child))
}
