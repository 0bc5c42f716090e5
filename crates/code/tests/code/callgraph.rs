//! Calls through values: small programs with a truth made by hand, and what must hold for any program.

use super::score;
use sprag_code::graph::{Certainty, Graph};
use sprag_code::index::{Index, Mode};
use std::fs;
use std::path::Path;

/// A set of programs is resolved at least this well.
fn floor(set: &str, recall: f64, precision: f64) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/callgraph").join(set);
    let mut told = String::new();
    let score = score::folder(&dir, &mut |program, wrong, missed| {
        told.push_str(&format!("{}\n  wrong {wrong:?}\n  missed {missed:?}\n", program.display()));
    });
    assert!(score.programs >= 17, "{} programs", score.programs);
    assert!(score.recall() >= recall && score.precision() >= precision, "{score:?}\n{told}");
}

#[test]
fn programs_of_python() {
    floor("python/dev", 0.95, 0.97);
    floor("python/blind", 0.95, 0.97);
}

#[test]
fn programs_of_javascript() {
    floor("javascript/dev", 0.95, 0.97);
    floor("javascript/blind", 0.90, 0.93);
}

/// The links of a project's file: `line caller -> path how`.
fn links(files: &[(&str, &str)], of: &str) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("project");
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let index = Index::open(&dir.path().join("state"), &root, Mode::Patient).unwrap().unwrap();
    let graph = Graph::new(&index);
    let path = |id: sprag_code::index::SymbolId| index.facts(id.file).unwrap().path(id.symbol);
    let edges = graph.of_file(index.number(of).unwrap());
    edges
        .iter()
        .map(|edge| {
            let from = edge.from.map(path).unwrap_or_default();
            format!("{} {from} -> {} {}", edge.line, path(edge.to), edge.how.name())
        })
        .collect()
}

#[test]
fn one_of_several_targets_is_marked() {
    let text = "def a():\n    pass\n\ndef b():\n    pass\n\ndef run(flag):\n    f = a if flag else b\n    f()\n    a()\n";
    assert_eq!(
        links(&[("m.py", text)], "m.py"),
        ["9 run -> a may", "9 run -> b may", "10 run -> a resolved"]
    );
}

#[test]
fn methods_of_the_language_are_no_guesses() {
    let text = "class Path:\n    def join(self, other):\n        pass\n\ndef f(words, unknown):\n    ', '.join(words)\n    unknown.join(words)\n";
    assert_eq!(links(&[("m.py", text)], "m.py"), Vec::<String>::new());
    let text =
        "class Path {\n  join(other) {}\n  walk() {}\n}\nfunction f(x) {\n  x.join(1);\n  x.walk();\n}\n";
    assert_eq!(links(&[("m.js", text)], "m.js"), ["7 f -> Path.walk by-name"]);
}

#[test]
fn a_variable_hides_a_function_of_the_same_name() {
    let text = "def pay():\n    pass\n\ndef run(pay):\n    pay()\n";
    assert_eq!(links(&[("m.py", text)], "m.py"), Vec::<String>::new());
}

#[test]
fn programs_without_end_end() {
    let partial = "from functools import partial\n\ndef f(*args):\n    g = f\n    for _ in range(3):\n        g = partial(g, 1)\n    g()\n";
    assert!(links(&[("m.py", partial)], "m.py").contains(&"7 f -> f resolved".to_owned()));
    let bases = "class A(B):\n    def f(self):\n        super().f()\n\nclass B(A):\n    def f(self):\n        self.f()\n\nB().f()\n";
    links(&[("m.py", bases)], "m.py");
    let grows = "let x = [1];\nwhile (true) {\n  x = x.map((y) => [y]).concat(x).slice(1);\n}\nfunction f() { return f.bind(f, f); }\nf()()()();\n";
    links(&[("m.js", grows)], "m.js");
}

#[test]
fn impact_leaves_guesses_out() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("project");
    fs::create_dir_all(&root).unwrap();
    fs::write(
        root.join("m.py"),
        "class Cart:\n    def settle(self):\n        pass\n\ndef run(x):\n    x.settle()\n\ndef main():\n    Cart().settle()\n",
    )
    .unwrap();
    let index = Index::open(&dir.path().join("state"), &root, Mode::Patient).unwrap().unwrap();
    let graph = Graph::new(&index);
    let settle = index.definitions("settle")[0];
    let impact = graph.impact(settle, 3, 100, false);
    assert_eq!((impact.reached.len(), impact.by_name), (1, 1));
    let impact = graph.impact(settle, 3, 100, true);
    assert_eq!(impact.reached.iter().filter(|(_, edge)| edge.how == Certainty::ByName).count(), 1);
}

#[test]
fn calls_in_macros_of_rust_are_seen() {
    let text = "fn tax(x: u32) -> u32 {\n    x\n}\n\nstruct Cart;\n\nimpl Cart {\n    fn total(&self) -> u32 {\n        println!(\"{}\", tax(1));\n        assert_eq!(vec![tax(2)], Vec::new());\n        custom!(a => { self.total() + Self::total(self) });\n        1\n    }\n}\n\nmacro_rules! custom {\n    ($x:ident => $y:expr) => { tax($y) };\n}\n";
    assert_eq!(
        links(&[("src/lib.rs", text)], "src/lib.rs"),
        [
            "9 Cart.total -> tax resolved",
            "10 Cart.total -> tax resolved",
            "11 Cart.total -> custom resolved",
            "11 Cart.total -> Cart.total resolved",
            "11 Cart.total -> Cart.total resolved",
            "17 custom -> tax resolved"
        ]
    );
}

#[test]
fn calls_in_macros_of_c_are_seen() {
    let text = "int tax(int x) { return x; }\n\n#define CHECK(x) \\\n    do { if (tax(x)) { tax(0); } } while (0)\n\nvoid run(void) {\n    CHECK(tax(2));\n}\n";
    assert_eq!(
        links(&[("a.c", text)], "a.c"),
        [
            "4 CHECK -> tax resolved", "4 CHECK -> tax resolved", "7 run -> CHECK resolved",
            "7 run -> tax resolved"
        ]
    );
}

#[test]
fn calls_in_templates_attributes_and_decorators_are_seen() {
    let text = "function tax(x) {}\nfunction log(t) {}\nfunction Price(p) {}\nfunction Shop() {\n  const text = `${tax(1)}`;\n  log`${tax(2)}`;\n  return <Price value={tax(3)} {...tax(4)}>{tax(5)}</Price>;\n}\n";
    let found = links(&[("a.jsx", text)], "a.jsx");
    for (count, wanted) in [
        (1, "5 Shop -> tax resolved"),
        (1, "6 Shop -> log resolved"),
        (1, "6 Shop -> tax resolved"),
        (1, "7 Shop -> Price resolved"),
        (2, "7 Shop -> tax resolved"),
    ] {
        assert_eq!(found.iter().filter(|link| *link == wanted).count(), count, "{found:?}");
    }
    let text = "function sealed(x: any) {}\nfunction tag(name: string) { return sealed; }\n@sealed\n@tag('a')\nclass Shop {\n  @sealed pay() {}\n}\n";
    let found = links(&[("a.ts", text)], "a.ts");
    for wanted in ["3 Shop -> sealed resolved", "4  -> tag resolved", "6 Shop -> sealed resolved"] {
        assert!(found.iter().any(|link| link == wanted), "{found:?}");
    }
}

#[test]
fn a_variable_holds_what_it_was_given_last() {
    let text = "def a():\n    pass\n\ndef b():\n    pass\n\ndef straight():\n    f = a\n    f = b\n    f()\n\ndef inner():\n    f = a\n    def g():\n        f()\n    f = b\n    g()\n\ndef loop():\n    f = a\n    for _ in range(2):\n        f()\n        f = b\n\ndef again():\n    f = None\n    def f():\n        pass\n    f()\n";
    assert_eq!(
        links(&[("m.py", text)], "m.py"),
        [
            "10 straight -> b resolved", "15 inner.g -> a may", "15 inner.g -> b may",
            "17 inner -> inner.g resolved", "22 loop -> a may", "22 loop -> b may",
            "29 again -> again.f resolved"
        ]
    );
}
