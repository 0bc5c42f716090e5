//! A JSON text that is edited by splicing: every byte that an edit does not name stays as it is.
//! Each edit re-parses the text, so positions are never stale and a wrong splice can never be written.

use std::ops::Range;

use serde_json::Value;

use super::json::{self, Comment, Node, SettingsError, Tree, refuse};
use super::style::{Layout, Style, items, line_indent};
use sprag_protocol::agents::files::JsonSyntax;

/// One step of the path from the root to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathStep<'a> {
    Key(&'a str),
    Item(usize),
}

/// A text with its parse and its style.
#[derive(Debug, Clone)]
pub(crate) struct Doc {
    text: String,
    syntax: JsonSyntax,
    tree: Tree,
    style: Style,
    /// What was read, if it held no value.
    blank: Option<String>,
}

type Splice = (Range<usize>, String);

impl Doc {
    /// Parses `text`; a file with no value in it counts as `{}`.
    pub(crate) fn open(text: &str, syntax: JsonSyntax) -> Result<Self, SettingsError> {
        if let Some(tree) = json::parse(text, syntax)? {
            let style = Style::of(text, &tree.root);
            return Ok(Self { text: text.to_owned(), syntax, tree, style, blank: None });
        }
        // Comments before the value stay; whitespace alone is dropped.
        let kept = text.trim();
        let filled = if kept.is_empty() { "{}\n".to_owned() } else { format!("{}\n{{}}\n", text.trim_end()) };
        match json::parse(&filled, syntax)? {
            Some(tree) => {
                let style = Style::of(&filled, &tree.root);
                Ok(Self { text: filled, syntax, tree, style, blank: Some(text.to_owned()) })
            }
            None => Err(refuse(text, 0, "the file holds no JSON value", "write `{}` into it")),
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The text that was opened, if it held nothing but whitespace and comments.
    pub(crate) fn blank(&self) -> Option<&str> {
        self.blank.as_deref()
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    pub(crate) fn root(&self) -> &Node {
        &self.tree.root
    }

    /// The value at `path`.
    pub(crate) fn at(&self, path: &[PathStep<'_>]) -> Option<&Node> {
        path.iter().try_fold(&self.tree.root, |node, step| match step {
            PathStep::Key(key) => node.get(key),
            PathStep::Item(index) => node.elements()?.get(*index),
        })
    }

    /// The text of a value, byte for byte.
    pub(crate) fn raw(&self, node: &Node) -> &str {
        self.slice(node.span.clone())
    }

    /// The comments inside a container, joined: enough to see whether they are the same as before.
    pub(crate) fn comments_in(&self, node: &Node) -> String {
        self.inner_comments(&node.span).map(|comment| self.slice(comment.span.clone())).collect()
    }

    /// All comments, joined.
    pub(crate) fn all_comments(&self) -> String {
        self.inner_comments(&(0..self.text.len())).map(|comment| self.slice(comment.span.clone())).collect()
    }

    pub(crate) fn line_of(&self, node: &Node) -> usize {
        json::position(&self.text, node.span.start).0
    }

    fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    fn inner_comments(&self, range: &Range<usize>) -> impl DoubleEndedIterator<Item = &Comment> {
        let range = range.clone();
        self.tree
            .comments
            .iter()
            .filter(move |comment| comment.span.start >= range.start && comment.span.end <= range.end)
    }

    /// Adds a value at the end of the container at `path` (with a key when it is an object).
    pub(crate) fn insert(
        &mut self,
        path: &[PathStep<'_>],
        key: Option<&str>,
        value: &Value,
    ) -> Result<(), SettingsError> {
        let node = self.expect(path)?;
        let layout = self.style.layout(&self.text, node);
        let base = line_indent(&self.text, node.span.start);
        let newline = self.style.newline;
        let rendered = format!(
            "{}{}",
            key.map(|key| self.style.key(key)).unwrap_or_default(),
            self.style.render(value, &layout)
        );
        let inner = node.span.start + 1..node.span.end.saturating_sub(1);
        let last = items(node).last().cloned();
        let after = last.as_ref().map_or(inner.start, |item| item.end);
        let comment = self.inner_comments(&(after..inner.end)).next_back().cloned();
        let mut splices: Vec<Splice> = Vec::new();
        match (last, comment) {
            (None, None) => splices.push(match &layout {
                Layout::Lines(child) => (inner, format!("{newline}{child}{rendered}{newline}{base}")),
                Layout::Hugging(_) | Layout::Inline => (inner, rendered),
            }),
            (None, Some(comment)) => {
                let child = format!("{base}{}", self.style.unit);
                let rest = self.slice(comment.span.end..inner.end);
                let tail = if rest.contains('\n') { String::new() } else { format!("{newline}{base}") };
                let at = comment.span.end;
                splices.push((at..at, format!("{newline}{child}{rendered}{tail}")));
            }
            (Some(item), comment) => {
                let at = comment.as_ref().map_or(item.end, |comment| comment.span.end);
                let lead = match &layout {
                    Layout::Lines(child) => format!("{newline}{child}"),
                    Layout::Hugging(base) if comment.is_some_and(|comment| comment.line) => {
                        format!("{newline}{base}")
                    }
                    Layout::Hugging(_) | Layout::Inline => self.style.gap.clone(),
                };
                if at == item.end {
                    splices.push((at..at, format!(",{lead}{rendered}")));
                } else {
                    splices.push((item.end..item.end, ",".to_owned()));
                    splices.push((at..at, format!("{lead}{rendered}")));
                }
            }
        }
        self.splice(splices)
    }

    /// Adds a member before all others of the object at `path`.
    pub(crate) fn insert_first(
        &mut self,
        path: &[PathStep<'_>],
        key: &str,
        value: &Value,
    ) -> Result<(), SettingsError> {
        let node = self.expect(path)?;
        let Some(first) = items(node).into_iter().next() else {
            return self.insert(path, Some(key), value);
        };
        let layout = self.style.layout(&self.text, node);
        let gap = match &layout {
            Layout::Lines(child) => format!("{}{child}", self.style.newline),
            Layout::Hugging(_) | Layout::Inline => self.style.gap.clone(),
        };
        let text = format!("{}{},{gap}", self.style.key(key), self.style.render(value, &layout));
        self.splice(vec![(first.start..first.start, text)])
    }

    /// Replaces the value at `path`.
    pub(crate) fn replace(&mut self, path: &[PathStep<'_>], value: &Value) -> Result<(), SettingsError> {
        let node = self.expect(path)?;
        let parent = path.split_last().and_then(|(_, parent)| self.at(parent));
        let layout = match parent.map(|parent| self.style.layout(&self.text, parent)) {
            Some(Layout::Inline) => Layout::Inline,
            _ if self.style.one_line => Layout::Inline,
            _ => Layout::Lines(line_indent(&self.text, node.span.start).to_owned()),
        };
        let rendered = self.style.render(value, &layout);
        let span = node.span.clone();
        self.splice(vec![(span, rendered)])
    }

    /// Replaces the value at `path` by a text, which is valid JSON.
    pub(crate) fn replace_raw(&mut self, path: &[PathStep<'_>], raw: &str) -> Result<(), SettingsError> {
        let span = self.expect(path)?.span.clone();
        self.splice(vec![(span, raw.to_owned())])
    }

    /// Removes the item at `path` from its container, with its comma; comments around it stay.
    pub(crate) fn remove(&mut self, path: &[PathStep<'_>]) -> Result<(), SettingsError> {
        let Some((step, parent)) = path.split_last() else {
            return Ok(());
        };
        let container = self.expect(parent)?;
        let index = match step {
            PathStep::Item(index) => Some(*index),
            PathStep::Key(key) => container.members().and_then(|all| all.iter().position(|m| m.key == *key)),
        };
        let spans = items(container);
        let Some((index, item)) = index.and_then(|index| Some((index, spans.get(index)?.clone()))) else {
            return Err(self.bug());
        };
        let inner = container.span.start + 1..container.span.end.saturating_sub(1);
        let splices = if let Some(next) = spans.get(index + 1) {
            self.cut_before(&item, next)?
        } else if let Some(previous) = index.checked_sub(1).and_then(|before| spans.get(before)) {
            self.cut_after(previous, &item)?
        } else if self.inner_comments(&inner).any(|c| c.span.start < item.start || c.span.start >= item.end) {
            let start = self.inner_comments(&(inner.start..item.start)).next_back();
            let guard = self.guard(start, item.end);
            let start = start.map_or(inner.start, |comment| comment.span.end);
            vec![(start..item.end, guard)]
        } else {
            vec![(inner, String::new())]
        };
        self.splice(splices)
    }

    /// Cuts an item that another one follows.
    fn cut_before(&self, item: &Range<usize>, next: &Range<usize>) -> Result<Vec<Splice>, SettingsError> {
        let comma = self.comma(item.end..next.start)?;
        let rest = self.slice(comma + 1..next.start);
        let blank = rest.len() - rest.trim_start().len();
        Ok(if self.slice(item.end..comma).trim().is_empty() {
            vec![(item.start..comma + 1 + blank, String::new())]
        } else {
            vec![(item.clone(), String::new()), (comma..comma + 1 + blank, String::new())]
        })
    }

    /// Cuts the last item of several.
    fn cut_after(&self, previous: &Range<usize>, item: &Range<usize>) -> Result<Vec<Splice>, SettingsError> {
        let comma = self.comma(previous.end..item.start)?;
        let comment = self.inner_comments(&(previous.end..item.start)).next_back();
        let guard = self.guard(comment, item.end);
        Ok(match comment {
            None => vec![(previous.end..item.end, String::new())],
            Some(comment) if comma < comment.span.start => {
                vec![(comma..comma + 1, String::new()), (comment.span.end..item.end, guard)]
            }
            Some(comment) => vec![(comment.span.end..item.end, guard)],
        })
    }

    /// A newline where the text after the cut would otherwise become part of a line comment.
    fn guard(&self, comment: Option<&Comment>, end: usize) -> String {
        let rest = self.text.get(end..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        let swallows = comment.is_some_and(|comment| comment.line) && !line.trim().is_empty();
        if swallows { self.style.newline.to_owned() } else { String::new() }
    }

    /// The comma in `range`, which holds nothing but one comma, whitespace and comments.
    fn comma(&self, range: Range<usize>) -> Result<usize, SettingsError> {
        self.slice(range.clone())
            .match_indices(',')
            .map(|(at, _)| range.start + at)
            .find(|at| !self.inner_comments(&range).any(|comment| comment.span.contains(at)))
            .ok_or_else(|| self.bug())
    }

    fn expect(&self, path: &[PathStep<'_>]) -> Result<&Node, SettingsError> {
        self.at(path).ok_or_else(|| self.bug())
    }

    /// Not reachable by any file: a bug in the editor, reported instead of written.
    fn bug(&self) -> SettingsError {
        let message = "sprag could not edit this file; nothing was written";
        refuse(&self.text, 0, message, "report this as a bug, with the file if you can share it")
    }

    fn splice(&mut self, mut splices: Vec<Splice>) -> Result<(), SettingsError> {
        splices.sort_by_key(|(range, _)| range.start);
        let mut text = self.text.clone();
        for (range, with) in splices.into_iter().rev() {
            if text.get(range.clone()).is_none() {
                return Err(self.bug());
            }
            text.replace_range(range, &with);
        }
        let Ok(Some(tree)) = json::parse(&text, self.syntax) else {
            return Err(self.bug());
        };
        self.text = text;
        self.tree = tree;
        Ok(())
    }
}
