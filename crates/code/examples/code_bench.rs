//! The figures of the code side, measured. Run it optimised:
//!
//! ```sh
//! cargo run --release -p sprag-code --example code_bench -- make /tmp/million 1000000
//! cargo run --release -p sprag-code --example code_bench -- index /tmp/million
//! cargo run --release -p sprag-code --example code_bench -- calls /some/repository
//! cargo run --release -p sprag-code --example code_bench -- many 2000
//! cargo run --release -p sprag-code --example code_bench -- reads crates /some/other/repository
//! cargo run --release -p sprag-code --example code_bench -- call-graph crates/code/tests/callgraph/python/dev
//! cargo run --release -p sprag-code --example code_bench -- edges /some/repository
//! cargo run --release -p sprag-code --example code_bench -- compare crates /some/other/repository
//! ```
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::exit,
    reason = "a program for measuring"
)]

#[path = "../tests/callgraph/score.rs"]
mod score;

use sprag_code::graph::Graph;
use sprag_code::index::{Index, Mode, build};
use sprag_code::parse::Limits;
use sprag_code::source::Source;
use sprag_code::{Facts, Language, extract, outline, parse, scanner, tokens};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["make", dir, lines] => make(Path::new(dir), lines.parse().unwrap()),
        ["index", dir] => index(Path::new(dir)),
        ["calls", dir] => calls(Path::new(dir)),
        ["many", count] => many(count.parse().unwrap()),
        ["call-graph", dirs @ ..] if !dirs.is_empty() => call_graph(dirs),
        ["edges", dir] => edges(Path::new(dir)),
        ["reads", dirs @ ..] if !dirs.is_empty() => reads(dirs),
        ["compare", dirs @ ..] if !dirs.is_empty() => compare(dirs),
        _ => {
            eprintln!(
                "make DIR LINES | index DIR | calls DIR | many COUNT | call-graph DIR… [--show] | edges DIR | reads DIR… | compare DIR…"
            );
            std::process::exit(2);
        }
    }
}

/// Writes a project of so many lines in four languages, each file with its own names and calls into another.
fn make(dir: &Path, lines: usize) {
    let mut made = 0;
    let mut number = 0;
    while made < lines {
        let (ending, text) = match number % 4 {
            0 => ("py", python(number)),
            1 => ("ts", typescript(number)),
            2 => ("rs", rust(number)),
            _ => ("go", go(number)),
        };
        let folder = dir.join(format!("part{}/unit{}", number % 40, number % 7));
        fs::create_dir_all(&folder).unwrap();
        made += text.lines().count();
        fs::write(folder.join(format!("module_{number}.{ending}")), text).unwrap();
        number += 1;
    }
    println!("{made} lines in {number} files");
}

fn python(n: usize) -> String {
    let mut text = format!(
        "import os\nfrom part{}.unit{}.module_{} import run_0\n\n",
        n % 40,
        n % 7,
        n.saturating_sub(4)
    );
    let _ = writeln!(text, "\nclass Service{n}:\n    \"\"\"Keeps entries.\"\"\"\n");
    for f in 0..14 {
        let _ = write!(
            text,
            "    def step_{f}(self, key: str, count: int = {f}) -> dict:\n        \"\"\"Does step {f}.\"\"\"\n        found = self.entries.get(key)\n        if found is None and count > {f}:\n            raise KeyError(key)\n        for entry in range(count):\n            found = self.step_{}(key, entry)\n        return helper_{f}(found, os.sep)\n\n",
            (f + 1) % 14
        );
    }
    for f in 0..14 {
        let _ = write!(
            text,
            "\ndef helper_{f}(value, separator):\n    total = 0\n    for part in str(value).split(separator):\n        total += len(part) * {f}\n    return {{\"total\": total, \"more\": run_0(value)}}\n\n"
        );
    }
    text + "\ndef run_0(value):\n    return Service0().step_0(value)\n"
}

fn typescript(n: usize) -> String {
    let mut text = format!(
        "import {{ run }} from './module_{}';\n\nexport class Store{n} {{\n  private entries: Map<string, number> = new Map();\n\n",
        n.saturating_sub(28)
    );
    for f in 0..18 {
        let _ = write!(
            text,
            "  /** Does step {f}. */\n  async step{f}(key: string, count = {f}): Promise<number> {{\n    const found = this.entries.get(key);\n    if (found === undefined || count > {f}) {{\n      throw new Error(`none: ${{key}}`);\n    }}\n    for (let i = 0; i < count; i++) {{\n      await this.step{}(key, i);\n    }}\n    return helper{f}(found);\n  }}\n\n",
            (f + 1) % 18
        );
    }
    text.push_str("}\n\n");
    for f in 0..18 {
        let _ = write!(
            text,
            "export const helper{f} = (value: number) => {{\n  const parts = [value, {f}].filter((p) => p > 0);\n  return run(parts.length);\n}};\n\n"
        );
    }
    text + "export function run(value: number): number {\n  return value + 1;\n}\n"
}

fn rust(n: usize) -> String {
    let mut text = format!(
        "use std::collections::HashMap;\n\n/// Keeps entries.\npub struct Cabinet{n} {{\n    entries: HashMap<String, u64>,\n}}\n\nimpl Cabinet{n} {{\n"
    );
    for f in 0..20 {
        let _ = write!(
            text,
            "    /// Does step {f}.\n    pub fn step_{f}(&mut self, key: &str, count: u64) -> Option<u64> {{\n        let found = self.entries.get(key).copied()?;\n        if found > count {{\n            return None;\n        }}\n        for number in 0..count {{\n            self.step_{}(key, number);\n        }}\n        Some(helper_{f}(found))\n    }}\n\n",
            (f + 1) % 20
        );
    }
    text.push_str("}\n\n");
    for f in 0..20 {
        let _ = write!(
            text,
            "fn helper_{f}(value: u64) -> u64 {{\n    let mut total = value;\n    while total < {f} {{\n        total += 1;\n    }}\n    total\n}}\n\n"
        );
    }
    text
}

fn go(n: usize) -> String {
    let mut text = format!(
        "package unit{}\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n)\n\n// Keeper{n} keeps entries.\ntype Keeper{n} struct {{\n\tentries map[string]int\n}}\n\n",
        n % 7
    );
    for f in 0..20 {
        let _ = write!(
            text,
            "// Step{f} does step {f}.\nfunc (k *Keeper{n}) Step{f}(key string, count int) (int, error) {{\n\tfound, ok := k.entries[key]\n\tif !ok {{\n\t\treturn 0, fmt.Errorf(\"none: %s\", strings.ToUpper(key))\n\t}}\n\tfor i := 0; i < count; i++ {{\n\t\tif _, err := k.Step{}(key, i); err != nil {{\n\t\t\treturn 0, err\n\t\t}}\n\t}}\n\treturn found + {f}, nil\n}}\n\n",
            (f + 1) % 20
        );
    }
    text
}

/// Times the index of a project: made, unchanged, one file changed, questions.
fn index(root: &Path) {
    let state = tempfile::tempdir().unwrap();
    let ms = |began: Instant| began.elapsed().as_secs_f64() * 1_000.0;
    let (began, cpu) = (Instant::now(), cpu_ms());
    let built = build(state.path(), root, extract::Depth::Symbols).unwrap();
    println!("made:      {:>9.1} ms ({:.0} ms of processor time)  {built:?}", ms(began), cpu_ms() - cpu);
    println!("memory:    {} kB at most", peak_kb());
    let open = || Index::open(state.path(), root, Mode::Patient).unwrap().unwrap();
    let name = {
        let index = open();
        let names = index.names_with("");
        names[names.len() / 2].clone()
    };
    let mut times: Vec<f64> = (0..20)
        .map(|_| {
            let began = Instant::now();
            let index = open();
            assert!(!index.definitions(&name).is_empty());
            ms(began)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!(
        "a lookup:  {:>9.2} ms median, {:.2} most (opened, checked against every file, `{name}`)",
        times[10], times[19]
    );
    let index = open();
    let path = root.join(index.path(0));
    drop(index);
    let before = fs::read(&path).unwrap();
    let mut times: Vec<f64> = (0..10)
        .map(|round| {
            let mut text = before.clone();
            text.extend(format!("\n# {round}\n").bytes());
            fs::write(&path, text).unwrap();
            let began = Instant::now();
            assert_eq!(open().refreshed.read, 1);
            ms(began)
        })
        .collect();
    fs::write(&path, before).unwrap();
    times.sort_by(f64::total_cmp);
    println!(
        "one file:  {:>9.2} ms median, {:.2} most (changed, found, read, parsed, kept)",
        times[5], times[9]
    );
    let began = Instant::now();
    let built = build(state.path(), root, extract::Depth::Symbols).unwrap();
    println!("refreshed: {:>9.1} ms  ({} parsed)", ms(began), built.parsed);
    let (began, cpu) = (Instant::now(), cpu_ms());
    let built = build(state.path(), root, extract::Depth::Calls).unwrap();
    println!("calls:     {:>9.1} ms ({:.0} ms of processor time)  {built:?}", ms(began), cpu_ms() - cpu);
    println!("memory:    {} kB at most", peak_kb());
}

/// Who calls a name, in a project that was never indexed: fifty names, from the rarest to the most frequent.
fn calls(root: &Path) {
    let state = tempfile::tempdir().unwrap();
    build(state.path(), root, extract::Depth::Calls).unwrap();
    let index = Index::open(state.path(), root, Mode::Patient).unwrap().unwrap();
    let mut names: Vec<(usize, String)> =
        index.names_with("").into_iter().map(|name| (index.calls_of(&name).len(), name)).collect();
    names.retain(|(calls, _)| *calls > 0);
    names.sort();
    let last = names.len() - 1;
    let mut times: Vec<(f64, f64, &str)> = (0..50)
        .map(|number| {
            let (_, name) = &names[last * number / 49];
            let state = tempfile::tempdir().unwrap();
            let (began, cpu) = (Instant::now(), cpu_ms());
            ask(state.path(), root, name);
            (began.elapsed().as_secs_f64() * 1_000.0, cpu_ms() - cpu, name.as_str())
        })
        .collect();
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ((median, cpu, _), (worst, worst_cpu, name)) = (times[25], times[49]);
    println!(
        "calls: {median:.1} ms median ({cpu:.0} ms of processor time), {worst:.1} worst ({worst_cpu:.0}, `{name}`)"
    );
}

/// Definitions and callers of a name, as the command finds them; how many callers.
fn ask(state: &Path, root: &Path, name: &str) -> usize {
    let index = Index::open(state, root, Mode::Patient).unwrap().unwrap();
    let graph = Graph::new(&index);
    index.definitions(name).into_iter().take(20).map(|id| graph.callers(id).len()).sum()
}

/// Recall and precision of the calls of small programs with a known truth.
fn call_graph(dirs: &[&str]) {
    let show = dirs.contains(&"--show");
    for dir in dirs.iter().filter(|dir| **dir != "--show") {
        let score = score::folder(Path::new(dir), &mut |program, wrong, missed| {
            if show {
                println!("{}\n  wrong {wrong:?}\n  missed {missed:?}", program.display());
            }
        });
        println!(
            "{dir}: {} programs, {} calls: recall {:.3}, precision {:.3} ({} wrong, {} missed)",
            score.programs,
            score.right + score.missed,
            score.recall(),
            score.precision(),
            score.wrong,
            score.missed
        );
    }
}

/// Every link of a project, for `bench/call-truth`: where the call is, where its target is defined, how sure, the target's name.
fn edges(dir: &Path) {
    let state = tempfile::tempdir().unwrap();
    build(state.path(), dir, extract::Depth::Calls).unwrap();
    let index = Index::open(state.path(), dir, Mode::Patient).unwrap().unwrap();
    let graph = Graph::new(&index);
    for file in index.files().collect::<Vec<_>>() {
        for edge in graph.of_file(file) {
            let Some(symbol) = index.symbol(edge.to) else { continue };
            println!(
                "{}:{}\t{}:{}\t{}\t{}.{}",
                index.path(file),
                edge.line,
                index.path(edge.to.file),
                symbol.line,
                edge.how.name(),
                symbol.container,
                symbol.name
            );
        }
    }
}

/// A name with so many definitions, each called four times: once it is indexed, an answer takes this long.
fn many(count: usize) {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..count {
        let text = format!(
            "class C{number}(C{}):\n    def f(self, other, c: C{}):\n        self.f()\n        other.f()\n        c.f()\n        return C{number}().f()\n",
            number / 2,
            number * 7 % count,
        );
        fs::write(dir.path().join(format!("m{number}.py")), text).unwrap();
    }
    let state = tempfile::tempdir().unwrap();
    build(state.path(), dir.path(), extract::Depth::Calls).unwrap();
    let (began, cpu) = (Instant::now(), cpu_ms());
    let callers = ask(state.path(), dir.path(), "f");
    let ms = began.elapsed().as_secs_f64() * 1_000.0;
    println!(
        "{count} definitions: {ms:.1} ms ({:.0} ms of processor time), {callers} callers of the first 20",
        cpu_ms() - cpu
    );
}

/// Processor time of all threads so far.
fn cpu_ms() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks: Vec<f64> =
        stat.rsplit(") ").next().unwrap_or("").split(' ').filter_map(|field| field.parse().ok()).collect();
    // Fields 14 and 15; the name and the state are gone, so is whatever is no number.
    ticks.iter().skip(10).take(2).sum::<f64>() * 10.0
}

fn peak_kb() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .map_or("?".to_owned(), |rest| rest.trim().trim_end_matches(" kB").to_owned())
}

/// What a denied read spares: for every file of code of 8,000 bytes and more, the share of tokens, and that every symbol
/// is listed or counted.
fn reads(dirs: &[&str]) {
    for dir in dirs {
        let mut saved: Vec<f64> = Vec::new();
        let (mut symbols, mut listed, mut counted) = (0, 0, 0);
        let (mut raw_all, mut outline_all) = (0, 0);
        let mut micros: Vec<u128> = Vec::new();
        for path in files(Path::new(dir)) {
            let bytes = fs::read(&path).unwrap();
            if bytes.len() < 8_000 {
                continue;
            }
            let began = Instant::now();
            let Ok(read) = extract::file(&path, &bytes, Limits::QUICK, extract::Depth::Symbols) else {
                continue;
            };
            let facts = read.facts;
            let raw = tokens::estimate(&read.source.text);
            // As the hook does it: the frame around the outline counts too.
            let frame = 70;
            let room = |most: u64| most.min(3_000).saturating_sub(frame);
            let outline = outline::fitting(&facts, read.language, room(raw * 9 / 100), room(raw / 3));
            micros.push(began.elapsed().as_micros());
            if facts.symbols.is_empty() || read.source.is_minified() {
                continue;
            }
            symbols += facts.symbols.len();
            listed += outline.listed;
            counted += outline.left_out;
            raw_all += raw;
            outline_all += outline.tokens + frame;
            saved.push(100.0 - (outline.tokens + frame) as f64 * 100.0 / raw as f64);
        }
        saved.sort_by(f64::total_cmp);
        micros.sort_unstable();
        let Some(worst) = saved.first() else { continue };
        println!(
            "{dir}: {} files, saved {:.1} % median, {worst:.1} % least, {:.1} % of all; {symbols} symbols: {listed} listed, {counted} counted, {} lost; {} µs median, {} µs most",
            saved.len(),
            saved[saved.len() / 2],
            100.0 - outline_all as f64 * 100.0 / raw_all as f64,
            symbols - listed - counted,
            micros[micros.len() / 2],
            micros[micros.len() - 1],
        );
    }
}

/// Compares the outlines of the scanners with those of the tree, and says how long each takes.
fn compare(dirs: &[&str]) {
    #[derive(Default)]
    struct Sum {
        files: usize,
        bytes: usize,
        broken: usize,
        left: usize,
        differ: usize,
        tree_ms: f64,
        scanner_ms: f64,
    }
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for path in dirs.iter().flat_map(|dir| files(Path::new(dir))) {
        let bytes = fs::read(&path).unwrap();
        let Ok(source) = Source::new(&bytes, Limits::PATIENT.bytes) else { continue };
        let Some(language) = Language::of(&path, &source.text) else { continue };
        let began = Instant::now();
        let scanned = scanner::outline(language, &source);
        let scanner_ms = began.elapsed().as_secs_f64() * 1_000.0;
        let began = Instant::now();
        let Ok(parsed) = parse::text(language, &source.text, Limits::PATIENT) else { continue };
        let tree = Facts { calls: Vec::new(), ..extract::facts(&parsed) };
        let sum = sums.entry(language.name()).or_default();
        if parsed.tree.root_node().has_error() {
            sum.broken += 1;
            continue;
        }
        sum.files += 1;
        sum.bytes += bytes.len();
        sum.tree_ms += began.elapsed().as_secs_f64() * 1_000.0;
        sum.scanner_ms += scanner_ms;
        match scanned {
            None => {
                sum.left += 1;
                if std::env::var_os("SHOW_LEFT").is_some() {
                    println!("left to the parser: {}", path.display());
                }
            }
            Some(scanned) if scanned != tree => {
                sum.differ += 1;
                let at = tree.symbols.iter().zip(&scanned.symbols).take_while(|(a, b)| a == b).count();
                let at_import = tree.imports.iter().zip(&scanned.imports).take_while(|(a, b)| a == b).count();
                println!(
                    "differs: {}\n  tree    {:?} {:?}\n  scanner {:?} {:?}",
                    path.display(),
                    tree.symbols.get(at),
                    tree.imports.get(at_import),
                    scanned.symbols.get(at),
                    scanned.imports.get(at_import),
                );
            }
            Some(_) => {}
        }
    }
    println!("language     files    bytes  syntax errors  left to the parser  differ  tree ms  scanner ms");
    for (language, sum) in sums {
        println!(
            "{language:<11}{:>7}{:>9}{:>15}{:>20}{:>8}{:>9.1}{:>12.1}",
            sum.files, sum.bytes, sum.broken, sum.left, sum.differ, sum.tree_ms, sum.scanner_ms
        );
    }
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![dir.to_path_buf()];
    while let Some(dir) = left.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && name != "node_modules" && name != "target" {
                left.push(path);
            } else if path.is_file() && Language::of_path(&path).is_some() {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
