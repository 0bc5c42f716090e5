//! Recall on any folder of evaluation sets: dialogues in LoCoMo's JSON format (every turn a memory, the evidence turns
//! are what is to be found), and sets of memories with questions in the format of this folder.

use serde_json::Value;
use sprag_memory::recall::words::intent;
use sprag_memory::recall::{Draft, Embedder, Library, Only, Question};
use sprag_store::{Opening, Store, Target};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const NOW: i64 = 1_794_768_642_000_000;
/// As many answers are looked at for the reciprocal rank.
const MAX_ANSWERS: usize = 50;
const WAYS: [(&str, Option<Only>); 3] =
    [("BM25", Some(Only::Words)), ("vectors", Some(Only::Meaning)), ("whole ranking", None)];

/// One memory to keep: its name in the set, its text, and when and in which session it was said.
struct Item {
    name: String,
    text: String,
    session: String,
    at: i64,
}

struct Query {
    text: String,
    wanted: Vec<String>,
    category: String,
}

/// One library with its questions.
#[derive(Default)]
struct Sample {
    items: Vec<Item>,
    queries: Vec<Query>,
    unrelated: Vec<String>,
}

/// What was found, summed up: the parts of the evidence among the first 1, 3, 5 and 10, the reciprocal rank.
#[derive(Clone, Copy, Default)]
struct Figures {
    count: usize,
    sums: [f64; 5],
}

/// What is shown to somebody who did not ask.
#[derive(Default)]
struct Unasked {
    related: usize,
    right: usize,
    shown: usize,
    unrelated: usize,
    noisy: usize,
}

/// The report of a folder, or of one file.
pub(crate) fn report(path: &Path) -> String {
    let mut files: Vec<PathBuf> = if path.is_dir() {
        std::fs::read_dir(path).unwrap().flatten().map(|entry| entry.path()).collect()
    } else {
        vec![path.to_path_buf()]
    };
    files.retain(|file| file.extension().is_some_and(|ext| ext == "json"));
    files.sort();
    let mut out = String::new();
    for file in files {
        let Ok(value) = serde_json::from_slice::<Value>(&sprag_base::files::read(&file, 64 << 20).unwrap())
        else {
            continue;
        };
        let samples = samples(&value);
        if !samples.is_empty() {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            out.push_str(&report_of(&name, &samples));
        }
    }
    out
}

fn samples(value: &Value) -> Vec<Sample> {
    match value {
        Value::Array(list) => list.iter().filter_map(dialogue).collect(),
        Value::Object(_) if value.get("conversation").is_some() => dialogue(value).into_iter().collect(),
        Value::Object(_) if value.get("memories").is_some() => vec![own(value)],
        _ => Vec::new(),
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// A dialogue: its turns in order, as "Speaker: text", with the date of their session.
fn dialogue(value: &Value) -> Option<Sample> {
    let conversation = value.get("conversation")?;
    let mut sample = Sample::default();
    let numbers =
        conversation.as_object()?.keys().filter_map(|key| key.strip_prefix("session_")?.parse().ok());
    let numbers: BTreeSet<u32> = numbers.collect();
    for number in numbers {
        let key = format!("session_{number}");
        let at = date(text(conversation, &format!("{key}_date_time"))).unwrap_or(NOW);
        for turn in list(conversation, &key) {
            // A picture that was sent counts by its caption.
            let caption = text(turn, "blip_caption");
            let caption = if caption.is_empty() { String::new() } else { format!(" [shares {caption}]") };
            sample.items.push(Item {
                name: text(turn, "dia_id").to_owned(),
                text: format!("{}: {}{caption}", text(turn, "speaker"), text(turn, "text")),
                session: key.clone(),
                at: at + sample.items.len() as i64,
            });
        }
    }
    for question in list(value, "qa") {
        let mut wanted: Vec<String> =
            list(question, "evidence").filter_map(Value::as_str).flat_map(turn_names).collect();
        wanted.retain(|name| sample.items.iter().any(|item| item.name == *name));
        wanted.dedup();
        if wanted.is_empty() {
            continue;
        }
        let category = match question.get("category") {
            Some(Value::Number(number)) => match number.as_u64() {
                Some(1) => "multi-hop".to_owned(),
                Some(2) => "temporal".to_owned(),
                Some(3) => "open-domain".to_owned(),
                Some(4) => "single-hop".to_owned(),
                _ => "adversarial".to_owned(),
            },
            Some(Value::String(name)) => name.clone(),
            _ => "all".to_owned(),
        };
        sample.queries.push(Query { text: text(question, "question").to_owned(), wanted, category });
    }
    Some(sample)
}

/// The turns that an entry of the evidence names. Some have several (`D8:6; D9:17`), or are spelled in another way
/// (`D30:05`, `D:11:26`).
fn turn_names(entry: &str) -> Vec<String> {
    let entries = entry.split(|c: char| c == ';' || c == ',' || c.is_whitespace());
    let name = |entry: &str| {
        let (session, turn) = entry.trim_matches(['(', ')']).strip_prefix('D')?.rsplit_once(':')?;
        let number = |text: &str| text.trim_start_matches(':').parse::<u32>().ok();
        Some(format!("D{}:{}", number(session)?, number(turn)?))
    };
    entries.filter_map(name).collect()
}

/// A set of this folder: memories by name, questions with the name of what they ask for, unrelated prompts.
fn own(value: &Value) -> Sample {
    let pair = |item: &Value| Some((item.get(0)?.as_str()?.to_owned(), item.get(1)?.as_str()?.to_owned()));
    let mut sample = Sample::default();
    for (name, text) in list(value, "memories").filter_map(pair) {
        sample.items.push(Item { name, text, session: String::new(), at: NOW });
    }
    for category in ["paraphrases", "keywords", "related"] {
        for (text, name) in list(value, category).filter_map(pair) {
            // As the hook asks.
            let text = intent(&text).to_owned();
            sample.queries.push(Query { text, wanted: vec![name], category: category.to_owned() });
        }
    }
    sample.unrelated =
        list(value, "unrelated").filter_map(|text| Some(intent(text.as_str()?).to_owned())).collect();
    sample
}

/// `1:56 pm on 8 May, 2023` in microseconds since 1970.
fn date(said: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let (_, day) = said.split_once(" on ")?;
    let words: Vec<&str> = day.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let [day, month, year] = words.as_slice() else { return None };
    let month = MONTHS.iter().position(|name| month.to_lowercase().starts_with(name))? + 1;
    let stamp = format!("{year}-{month:02}-{day:0>2}T12:00:00Z");
    sprag_base::time::Stamp::parse(&stamp).map(|at| at.0 as i64)
}

fn report_of(name: &str, samples: &[Sample]) -> String {
    let mut tables: Vec<BTreeMap<String, Figures>> = vec![BTreeMap::new(); WAYS.len()];
    let mut unasked = Unasked::default();
    let mut turns = 0;
    for sample in samples {
        turns += sample.items.len();
        let dir = tempfile::tempdir().unwrap();
        run(dir.path(), sample, &mut tables, &mut unasked);
    }
    let queries: usize = samples.iter().map(|sample| sample.queries.len()).sum();
    let mut out = format!("{name}: {} libraries, {turns} memories, {queries} questions\n", samples.len());
    let _ = writeln!(
        out,
        "  {:<14}{:<14}{:>6}{:>8}{:>8}{:>8}{:>8}{:>8}",
        "", "category", "count", "@1", "@3", "@5", "@10", "MRR"
    );
    for ((way, _), table) in WAYS.iter().zip(&tables) {
        for (category, figures) in table {
            let count = figures.count.max(1) as f64;
            let [one, three, five, ten, rank] = figures.sums.map(|sum| 100.0 * sum / count);
            let _ = writeln!(
                out,
                "  {way:<14}{category:<14}{:>6}{one:>8.1}{three:>8.1}{five:>8.1}{ten:>8.1}{:>8.3}",
                figures.count,
                rank / 100.0
            );
        }
    }
    if unasked.unrelated > 0 {
        let part = |a: usize, b: usize| 100.0 * a as f64 / b.max(1) as f64;
        let _ = writeln!(
            out,
            "  shown unasked: right {:.1} %, precision {:.1} %, unrelated prompts with something shown {:.1} % of {}",
            part(unasked.right, unasked.related),
            part(unasked.right, unasked.shown),
            part(unasked.noisy, unasked.unrelated),
            unasked.unrelated
        );
    }
    out
}

fn run(dir: &Path, sample: &Sample, tables: &mut [BTreeMap<String, Figures>], unasked: &mut Unasked) {
    let store = Store::open(&Target::Sqlite(dir.join("sprag.db")), Opening::WORKER).unwrap();
    let mut library = Library::new(store, dir, Embedder::local());
    // The same text said twice is one memory: either name stands for it.
    let mut ids: HashMap<&str, String> = HashMap::new();
    for item in &sample.items {
        let draft = Draft { text: item.text.clone(), session: item.session.clone(), ..Draft::default() };
        let kept = library.remember(&draft, item.at).unwrap();
        ids.insert(&item.name, kept.id().to_owned());
    }
    let mut ask = |text: &str, only| {
        let question = Question { text: text.to_owned(), most: MAX_ANSWERS, only, ..Question::default() };
        library.recall(&question, NOW).unwrap()
    };
    for query in &sample.queries {
        let wanted: Vec<&String> = query.wanted.iter().filter_map(|name| ids.get(name.as_str())).collect();
        for ((_, only), table) in WAYS.iter().zip(tables.iter_mut()) {
            let found = ask(&query.text, *only);
            let place = |id: &String| found.iter().position(|found| found.memory.id == *id);
            let places: Vec<Option<usize>> = wanted.iter().map(|id| place(id)).collect();
            let among = |first: usize| {
                let hits = places.iter().flatten().filter(|place| **place < first).count();
                hits as f64 / places.len().max(1) as f64
            };
            let rank = places.iter().flatten().min().map_or(0.0, |place| 1.0 / (1.0 + *place as f64));
            let row = [among(1), among(3), among(5), among(10), rank];
            for category in [query.category.as_str(), "all"] {
                let figures = table.entry(category.to_owned()).or_default();
                figures.count += 1;
                figures.sums.iter_mut().zip(row).for_each(|(sum, part)| *sum += part);
            }
            if only.is_none() && !sample.unrelated.is_empty() {
                let shown: Vec<&String> = shown(&found);
                unasked.related += 1;
                unasked.shown += shown.len();
                unasked.right += usize::from(shown.iter().any(|id| wanted.contains(id)));
            }
        }
    }
    for prompt in &sample.unrelated {
        unasked.unrelated += 1;
        unasked.noisy += usize::from(!shown(&ask(prompt, None)).is_empty());
    }
}

/// What memory-awareness would name.
fn shown(found: &[sprag_memory::recall::RecalledMemory]) -> Vec<&String> {
    found.iter().filter(|found| found.is_worth_it()).take(3).map(|found| &found.memory.id).collect()
}
