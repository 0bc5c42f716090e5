//! Makes the file: lessons by rank, their patterns as programs, and per tool a table of the words they need.

use super::{Block, Config, Entry, FORMAT, Field, Header, PRELUDE, Rule, Span, VERSION, checksum, gram};
use crate::model::{Lesson, LessonKind, Status, Target};
use crate::pattern::{Expression, PatternText};
use serde::Serialize;
use sprag_base::files::Identity;
use sprag_pattern::{Pattern, PatternError};
use std::collections::{BTreeMap, BTreeSet};

/// What goes into the file beside the lessons.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What it is made from.
    pub stamp: String,
    /// The files it is made from.
    pub inputs: Vec<(String, Option<Identity>)>,
    /// Numbers that came with the lessons.
    pub config: Config,
}

/// A pattern that does not count, and whose lesson may therefore never match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The lesson.
    pub slug: String,
    /// The pattern.
    pub pattern: String,
    /// What is wrong with it.
    pub error: String,
}

/// The file, and what did not go into it.
#[derive(Debug)]
pub struct Built {
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// How many lessons are active.
    pub lessons: usize,
    /// Patterns that do not count.
    pub faults: Vec<Fault>,
}

/// The patterns of a lesson, compiled.
struct Compiled {
    command: Vec<Expression>,
    path: Vec<Expression>,
    content: Vec<Expression>,
    model: Vec<Expression>,
}

/// Lessons with the same key are matched as one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// Guards come first, so that a deny is found before anything else is looked at.
    not_guard: bool,
    tools: BTreeSet<String>,
    target: Target,
    scope: Option<String>,
    patterns: [Vec<PatternText>; 4],
}

struct Group {
    best: u32,
    not_guard: bool,
    tools: BTreeSet<String>,
    rule: Rule,
    compiled: Compiled,
}

/// Builds the file. Lessons that are not active are left out; so is one whose patterns are all invalid.
pub fn build(lessons: &[Lesson], options: Options) -> Built {
    let mut faults = Vec::new();
    let mut active: Vec<&Lesson> = lessons.iter().filter(|lesson| lesson.status == Status::Active).collect();
    // Stable: lessons of the same priority stay in their order.
    active.sort_by_key(|lesson| std::cmp::Reverse(lesson.priority));
    let mut groups: BTreeMap<Key, Group> = BTreeMap::new();
    for (rank, lesson) in active.iter().enumerate().filter(|(_, lesson)| lesson.kind.about_calls()) {
        let rank = rank as u32;
        let Some(compiled) = compile(lesson, &mut faults) else { continue };
        let key = key_of(lesson);
        if let Some(group) = groups.get_mut(&key) {
            group.rule.lessons.push(rank);
            continue;
        }
        let rule = Rule {
            guard: lesson.kind == LessonKind::Guard,
            executable: lesson.target() == Target::Executable,
            scope: lesson.scope.clone().filter(|scope| !scope.is_empty()),
            command: patterns(&compiled.command),
            path: patterns(&compiled.path),
            content: patterns(&compiled.content),
            model: patterns(&compiled.model),
            lessons: vec![rank],
        };
        let (not_guard, tools) = (key.not_guard, key.tools.clone());
        groups.insert(key, Group { best: rank, not_guard, tools, rule, compiled });
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.sort_by_key(|group| (group.not_guard, group.best));

    let mut body = Body::default();
    let entries: Vec<Span> = active.iter().map(|lesson| body.put(&entry_of(lesson))).collect();
    let rules: Vec<Span> = groups.iter().map(|group| body.put(&group.rule)).collect();
    let mut tools: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (number, group) in groups.iter().enumerate() {
        for tool in &group.tools {
            tools.entry(tool).or_default().push(number as u32);
        }
    }
    let mut named = Vec::new();
    let mut wild = Vec::new();
    for (tool, numbers) in tools {
        let block = block_of(&groups, &numbers, &mut body);
        let span = body.put(&block);
        match tool.strip_suffix('*') {
            Some(prefix) => wild.push((prefix.to_owned(), span)),
            None => named.push((checksum(tool.as_bytes()), span)),
        }
    }
    named.sort_by_key(|(hash, _)| *hash);
    let at_start: Vec<u32> = active
        .iter()
        .enumerate()
        .filter(|(_, lesson)| !lesson.kind.about_calls())
        .map(|(rank, _)| rank as u32)
        .collect();
    let named: Vec<u8> = named
        .iter()
        .flat_map(|(hash, span)| hash.to_le_bytes().into_iter().chain(span_bytes(*span)))
        .collect();
    let mut header = Header {
        stamp: options.stamp,
        inputs: options.inputs,
        config: options.config,
        lessons: active.len() as u32,
        speaks_at_start: !at_start.is_empty(),
        tools: body.raw(&named),
        wild: if wild.is_empty() { Span::default() } else { body.put(&wild) },
        rules: body.raw(&rules.iter().flat_map(|span| span_bytes(*span)).collect::<Vec<u8>>()),
        entries: body.raw(&entries.iter().flat_map(|span| span_bytes(*span)).collect::<Vec<u8>>()),
        at_start: body.put(&at_start),
        length: 0,
    };
    header.length = body.bytes.len() as u64;
    let head = postcard::to_stdvec(&header).unwrap_or_default();
    let mut bytes = Vec::with_capacity(PRELUDE + head.len() + body.bytes.len());
    bytes.extend_from_slice(FORMAT);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(head.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&checksum(&head).to_le_bytes());
    bytes.extend_from_slice(&head);
    bytes.extend_from_slice(&body.bytes);
    Built { bytes, lessons: active.len(), faults }
}

fn key_of(lesson: &Lesson) -> Key {
    Key {
        not_guard: lesson.kind != LessonKind::Guard,
        tools: lesson
            .tool_names
            .iter()
            .map(|tool| tool.trim().to_owned())
            .filter(|t| !t.is_empty())
            .collect(),
        target: lesson.target(),
        scope: lesson.scope.clone().filter(|scope| !scope.is_empty()),
        patterns: [
            lesson.command_patterns.clone(),
            lesson.path_patterns.clone(),
            lesson.content_patterns.clone(),
            lesson.model_patterns.clone(),
        ],
    }
}

fn patterns(expressions: &[Expression]) -> Vec<Pattern> {
    expressions.iter().map(|expression| expression.pattern.clone()).collect()
}

/// The patterns that are valid. `None` when a list that had some has none left: such a lesson must never match,
/// least of all everything.
fn compile(lesson: &Lesson, faults: &mut Vec<Fault>) -> Option<Compiled> {
    let mut list = |texts: &[PatternText],
                    read: &dyn Fn(&PatternText) -> Result<Expression, PatternError>| {
        let mut good = Vec::new();
        for text in texts {
            match read(text) {
                Ok(expression) => good.push(expression),
                Err(error) => faults.push(Fault {
                    slug: lesson.slug.clone(),
                    pattern: text.source().to_owned(),
                    error: error.to_string(),
                }),
            }
        }
        (good.is_empty() == texts.is_empty()).then_some(good)
    };
    let command = list(&lesson.command_patterns, &|text| text.as_text_pattern(false));
    let path = list(&lesson.path_patterns, &PatternText::as_path_pattern);
    let content = list(&lesson.content_patterns, &|text| text.as_text_pattern(false));
    let model = list(&lesson.model_patterns, &|text| text.as_text_pattern(true));
    Some(Compiled { command: command?, path: path?, content: content?, model: model? })
}

fn entry_of(lesson: &Lesson) -> Entry {
    Entry {
        id: lesson.id.clone(),
        slug: lesson.slug.clone(),
        kind: lesson.kind,
        priority: lesson.priority,
        confidence: (lesson.confidence * 1000.0).round().clamp(0.0, 1000.0) as u16,
        message: lesson.text(),
        summary: lesson.summary.clone(),
        problem: lesson.problem.clone(),
        solution: lesson.solution.clone(),
        scope: lesson.scope.clone().filter(|scope| !scope.is_empty()),
        cooldown_minutes: lesson.cooldown_minutes,
        group: lesson.group().to_owned(),
    }
}

/// The words that lead to a rule in one kind of call: `None` means that it must always be looked at.
fn words(expressions: &[Expression]) -> Option<Vec<&str>> {
    let mut all = Vec::new();
    for expression in expressions {
        all.extend(expression.literals.as_ref()?.iter().map(String::as_str));
    }
    Some(all)
}

/// One tool's table: word → rules, in slots that are found by the word's beginning.
fn block_of(groups: &[Group], numbers: &[u32], body: &mut Body) -> Block {
    let mut leads: BTreeMap<(u8, Vec<u8>), Vec<u32>> = BTreeMap::new();
    let mut block = Block::default();
    for number in numbers {
        let Some(group) = groups.get(*number as usize) else { continue };
        let Compiled { command, path, content, .. } = &group.compiled;
        let content = if content.is_empty() { command } else { content };
        let free = command.is_empty() && path.is_empty() && group.compiled.content.is_empty();
        let mut add = |field: Field, list: &[Expression], always: usize| match words(list) {
            Some(words) if !words.is_empty() => {
                for word in words {
                    let rules = leads.entry((field as u8, word.as_bytes().to_vec())).or_default();
                    if rules.last() != Some(number) {
                        rules.push(*number);
                    }
                }
            }
            _ => {
                if let Some(rules) = block.always.get_mut(always)
                    && rules.last() != Some(number)
                {
                    rules.push(*number);
                }
            }
        };
        // A call with a command.
        if free || !command.is_empty() {
            add(Field::Text, command, 0);
        }
        // A call without one.
        if !path.is_empty() {
            add(Field::Path, path, 1);
        } else if free || !content.is_empty() {
            add(Field::Text, content, 1);
        }
    }
    let slots = (leads.len() * 2).next_power_of_two().max(16);
    let mut prints = vec![0_u16; slots];
    let mut places = vec![Span::default(); slots];
    for ((field, word), rules) in leads {
        let field = if field == 0 { Field::Text } else { Field::Path };
        let Some(class) = gram::class(&word) else { continue };
        if let Some(lengths) = block.lengths.get_mut(field as usize) {
            *lengths |= 1 << class;
        }
        let hash = gram::hash(gram::window(&word, 0), class, field);
        let mut slot = hash as usize & (slots - 1);
        while prints.get(slot).is_some_and(|print| *print != 0) {
            slot = (slot + 1) & (slots - 1);
        }
        let mut lead = vec![field as u8, class as u8];
        lead.extend_from_slice(&(word.len() as u16).to_le_bytes());
        lead.extend_from_slice(&word);
        lead.extend(rules.iter().flat_map(|rule| rule.to_le_bytes()));
        if let (Some(print), Some(place)) = (prints.get_mut(slot), places.get_mut(slot)) {
            *print = gram::print(hash);
            *place = body.raw(&lead);
        }
    }
    block.slots = slots as u32;
    block.prints = body.raw(&prints.iter().flat_map(|print| print.to_le_bytes()).collect::<Vec<u8>>());
    block.places = body.raw(&places.iter().flat_map(|span| span_bytes(*span)).collect::<Vec<u8>>());
    block
}

fn span_bytes(span: Span) -> [u8; 12] {
    let mut bytes = [0; 12];
    for (to, from) in bytes.iter_mut().zip(span.start.to_le_bytes().into_iter().chain(span.len.to_le_bytes()))
    {
        *to = from;
    }
    bytes
}

/// What follows the header.
#[derive(Default)]
struct Body {
    bytes: Vec<u8>,
}

impl Body {
    fn raw(&mut self, bytes: &[u8]) -> Span {
        let span = Span { start: self.bytes.len() as u64, len: bytes.len() as u32 };
        self.bytes.extend_from_slice(bytes);
        span
    }

    fn put(&mut self, value: &impl Serialize) -> Span {
        let bytes = postcard::to_stdvec(value).unwrap_or_default();
        self.raw(&bytes)
    }
}
