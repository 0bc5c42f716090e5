//! Whole projects: calls across files in every language of the table, and an index that is never behind the files.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test")]

use proptest::prelude::*;
use sprag_code::extract::Depth;
use sprag_code::graph::{Certainty, Graph};
use sprag_code::index::{Index, Mode, build};
use sprag_code::language::TABLE;
use sprag_code::{Language, Layer, Support};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

struct Shop {
    dir: TempDir,
}

impl Shop {
    fn new(files: &[(&str, &str)]) -> Self {
        let shop = Self { dir: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            shop.put(path, text);
        }
        shop
    }

    fn root(&self) -> std::path::PathBuf {
        self.dir.path().join("shop")
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn index(&self) -> Index {
        Index::open(&self.dir.path().join("state"), &self.root(), Mode::Patient).unwrap().unwrap()
    }

    /// The callers of the definition of a name: `file:caller:line how`.
    fn callers(&self, name: &str) -> Vec<String> {
        let index = self.index();
        let graph = Graph::new(&index);
        let mut told = Vec::new();
        for place in index.definitions(name) {
            for edge in graph.callers(place) {
                let caller = edge.from.and_then(|from| index.symbol(from)).map_or(String::new(), |s| s.name);
                let file = index.path(edge.file);
                let space = if edge.how == Certainty::Resolved { "" } else { " " };
                told.push(format!("{file}:{caller}:{}{space}{}", edge.line, edge.how.mark()));
            }
        }
        told
    }
}

/// A project of two files where `main` in one calls `pay` of the other.
fn pair(language: Language) -> [(&'static str, &'static str); 3] {
    match language {
        Language::Python => [
            ("shop/cart.py", "def pay():\n    pass\n"),
            ("shop/main.py", "from shop.cart import pay as settle\n\ndef main():\n    settle()\n"),
            ("other/pay.py", "def pay():\n    pass\n"),
        ],
        Language::TypeScript => [
            ("src/cart.ts", "export function pay() {}\n"),
            ("src/main.ts", "import { pay as settle } from './cart';\n\nfunction main() {\n  settle();\n}\n"),
            ("lib/cart.ts", "export function pay() {}\n"),
        ],
        Language::Tsx => [
            ("src/cart.tsx", "export const pay = () => <b/>;\n"),
            ("src/main.tsx", "import * as cart from './cart';\n\nfunction main() {\n  cart.pay();\n}\n"),
            ("lib/cart.tsx", "export function pay() {}\n"),
        ],
        Language::JavaScript => [
            ("src/cart.js", "exports.pay = function () {};\n"),
            ("src/main.js", "const { pay } = require('./cart');\n\nfunction main() {\n  pay();\n}\n"),
            ("lib/cart.js", "exports.pay = function () {};\n"),
        ],
        Language::Rust => [
            ("src/cart.rs", "pub fn pay() {}\n"),
            ("src/main.rs", "use crate::cart::pay;\nmod cart;\nfn main() {\n    pay();\n}\n"),
            ("src/other.rs", "pub fn pay() {}\n"),
        ],
        Language::Go => [
            ("cart/cart.go", "package cart\n\nfunc pay() {}\n"),
            ("cart/main.go", "package cart\n\nfunc main() {\n\tpay()\n}\n"),
            ("other/other.go", "package other\n\nfunc pay() {}\n"),
        ],
        Language::Java => [
            ("shop/Cart.java", "package shop;\nclass Cart { static void pay() {} }\n"),
            ("shop/Main.java", "package shop;\nclass Main {\n  void main() {\n    Cart.pay(); }\n}\n"),
            ("other/Other.java", "package other;\nclass Other { static void pay() {} }\n"),
        ],
        Language::C => [
            ("cart.c", "int pay(void) { return 1; }\n"),
            ("main.c", "int pay(void);\n\nint main(void) {\n  return pay(); }\n"),
            ("other.c", "int other(void) { return 1; }\n"),
        ],
        Language::Cpp => [
            ("cart.cpp", "int pay() { return 1; }\n"),
            ("main.cpp", "\n\nint main() {\n  return pay(); }\n"),
            ("other.cpp", "int other() { return 1; }\n"),
        ],
        Language::CSharp => [
            ("Cart.cs", "class Cart { public static void pay() {} }\n"),
            ("Main.cs", "class Program {\n\n  void main() {\n    Cart.pay(); }\n}\n"),
            ("Other.cs", "class Other { public static void pay() {} }\n"),
        ],
        Language::Ruby => [
            ("cart.rb", "def pay\n  1\nend\n"),
            ("main.rb", "require_relative 'cart'\n\ndef main\n  pay()\nend\n"),
            ("other.rb", "def other\nend\n"),
        ],
        Language::Php => [
            ("cart.php", "<?php\nfunction pay() {}\n"),
            ("main.php", "<?php\n\nfunction main() {\n  pay();\n}\n"),
            ("other.php", "<?php\nfunction other() {}\n"),
        ],
        Language::Bash => [
            ("cart.sh", "pay() {\n  :\n}\n"),
            ("main.sh", "source cart.sh\n\nmain() {\n  pay\n}\n"),
            ("other.sh", "other() {\n  :\n}\n"),
        ],
        Language::Lua => [
            ("cart.lua", "function pay()\n  return 1\nend\n"),
            ("main.lua", "require('cart')\n\nfunction main()\n  pay()\nend\n"),
            ("other.lua", "function other()\nend\n"),
        ],
        Language::Kotlin => [
            ("shop/Cart.kt", "package shop\n\nfun pay() {}\n"),
            ("shop/Main.kt", "package shop\n\nfun main() {\n    pay()\n}\n"),
            ("other/Other.kt", "package other\n\nfun other() {}\n"),
        ],
        Language::Swift => [
            ("Cart.swift", "func pay() {}\n"),
            ("Main.swift", "import Foundation\n\nfunc main() {\n    pay()\n}\n"),
            ("Other.swift", "func other() {}\n"),
        ],
        Language::Scala => [
            ("shop/Cart.scala", "package shop\n\nobject Cart { def pay(): Unit = () }\n"),
            ("shop/Main.scala", "package shop\nobject Main {\n  def main(): Unit =\n    Cart.pay()\n}\n"),
            ("other/Other.scala", "package other\n\nobject Other { def other(): Unit = () }\n"),
        ],
        Language::Elixir => [
            ("lib/cart.ex", "defmodule Cart do\n  def pay, do: 1\nend\n"),
            ("lib/main.ex", "defmodule Main do\n\n  def main do\n    Cart.pay()\n  end\nend\n"),
            ("lib/other.ex", "defmodule Other do\n  def other, do: 1\nend\n"),
        ],
        Language::Zig => [
            ("cart.zig", "pub fn pay() void {}\n"),
            ("main.zig", "const cart = @import(\"cart.zig\");\n\nfn main() void {\n    cart.pay();\n}\n"),
            ("other.zig", "pub fn other() void {}\n"),
        ],
    }
}

#[test]
fn calls_across_files_in_every_language() {
    for row in TABLE {
        let files = pair(row.language);
        let shop = Shop::new(&files);
        let callers = shop.callers("pay");
        let sure =
            callers.iter().filter(|caller| caller.contains(":main:4") && !caller.ends_with('?')).count();
        let any = callers.iter().filter(|caller| caller.contains(":main:4")).count();
        match row.language.support(Layer::CrossFile) {
            // Exactly one of the two with this name.
            Support::Yes => assert_eq!((sure, any), (1, 1), "{}: {callers:?}", row.name),
            Support::ByName => assert!(any >= 1, "{}: {callers:?}", row.name),
            Support::No => assert_eq!(any, 0, "{}", row.name),
        }
    }
}

/// The reference found none of 45 `self.method()` calls and 2 of 1,838 attribute calls.
#[test]
fn calls_on_self_on_what_is_inherited_and_on_typed_values_are_found() {
    let shop = Shop::new(&[
        (
            "shop/base.py",
            "class Base:\n    def save(self):\n        self.check()\n\n    def check(self):\n        pass\n",
        ),
        (
            "shop/cart.py",
            "from .base import Base\n\nclass Cart(Base):\n    def pay(self):\n        self.save()\n        super().check()\n\nclass Other:\n    def save(self):\n        pass\n",
        ),
        (
            "app.py",
            "from shop.cart import Cart\nimport shop.cart as c\n\nclass App:\n    def __init__(self):\n        self.cart = Cart()\n\n    def run(self):\n        self.cart.pay()\n        x = Cart()\n        x.save()\n        c.Cart()\n",
        ),
    ]);
    assert_eq!(shop.callers("save"), ["app.py:run:11", "shop/cart.py:pay:5"]);
    assert_eq!(shop.callers("check"), ["shop/base.py:save:3", "shop/cart.py:pay:6"]);
    assert_eq!(shop.callers("pay"), ["app.py:run:9"]);
    assert_eq!(shop.callers("Cart"), ["app.py:__init__:6", "app.py:run:10", "app.py:run:12"]);
}

/// The reference merged what has one name: three functions as callees of one.
#[test]
fn functions_with_one_name_are_kept_apart() {
    let shop = Shop::new(&[
        ("a/util.py", "def write():\n    pass\n\ndef own():\n    write()\n"),
        ("b/util.py", "def write():\n    pass\n\ndef own():\n    write()\n"),
        ("c.py", "from b.util import write\n\ndef use():\n    write()\n"),
        ("d.py", "def use():\n    write()\n"),
    ]);
    let index = shop.index();
    let graph = Graph::new(&index);
    let callers: Vec<Vec<&str>> = index
        .definitions("write")
        .into_iter()
        .map(|place| graph.callers(place).iter().map(|edge| index.path(edge.file)).collect())
        .collect();
    assert_eq!(callers, [vec!["a/util.py"], vec!["b/util.py", "c.py"]]);
}

#[test]
fn what_a_package_gives_on_is_followed() {
    let shop = Shop::new(&[
        ("shop/__init__.py", "from .cart import pay\n"),
        ("shop/cart.py", "def pay():\n    pass\n"),
        ("main.py", "from shop import pay\n\ndef main():\n    pay()\n"),
    ]);
    assert_eq!(shop.callers("pay"), ["main.py:main:4"]);
    let shop = Shop::new(&[
        ("src/index.ts", "export * from './cart';\n"),
        ("src/cart.ts", "export class Cart {\n  pay() {}\n}\nexport function make() {}\n"),
        ("main.ts", "import { make, Cart } from './src';\n\nmake();\nnew Cart().pay();\n"),
    ]);
    assert_eq!(shop.callers("make"), ["main.ts::3"]);
    assert_eq!(shop.callers("pay"), ["main.ts::4"]);
}

#[test]
fn methods_of_rust_go_and_typescript_across_files() {
    let shop = Shop::new(&[
        (
            "src/cart.rs",
            "pub struct Cart;\nimpl Cart {\n    pub fn new() -> Self { Cart }\n    pub fn pay(&self) {}\n}\n",
        ),
        ("src/main.rs", "mod cart;\nfn main() {\n    let c = cart::Cart::new();\n    c.pay();\n}\n"),
        ("src/other.rs", "struct Other;\nimpl Other {\n    fn pay(&self) {}\n}\n"),
    ]);
    assert_eq!(shop.callers("pay"), ["src/main.rs:main:4"]);
    assert_eq!(shop.callers("new"), ["src/main.rs:main:3"]);
    let shop = Shop::new(&[
        (
            "cart/cart.go",
            "package cart\n\ntype Cart struct{}\n\nfunc (c *Cart) Pay() {}\n\nfunc New() *Cart { return nil }\n",
        ),
        (
            "main.go",
            "package main\n\nimport \"example.com/shop/cart\"\n\ntype App struct {\n\tc *cart.Cart\n}\n\nfunc (a *App) Run() {\n\ta.c.Pay()\n\tcart.New()\n}\n",
        ),
    ]);
    assert_eq!(shop.callers("Pay"), ["main.go:Run:10"]);
    assert_eq!(shop.callers("New"), ["main.go:Run:11"]);
    let shop = Shop::new(&[
        ("cart.ts", "export class Cart {\n  pay() {}\n}\nexport class Other {\n  pay() {}\n}\n"),
        (
            "app.ts",
            "import { Cart } from './cart';\nclass App {\n  constructor(private cart: Cart) {}\n  run() {\n    this.cart.pay();\n  }\n}\n",
        ),
    ]);
    assert_eq!(shop.callers("pay"), ["app.ts:run:5"]);
}

#[test]
fn impact_follows_callers_breadth_first_and_says_where_it_stops() {
    let shop = Shop::new(&[(
        "a.py",
        "def a():\n    pass\n\ndef b():\n    a()\n\ndef c():\n    b()\n    a()\n\ndef d():\n    c()\n\ndef rec():\n    rec()\n    d()\n",
    )]);
    let index = shop.index();
    let graph = Graph::new(&index);
    let place = index.definitions("a")[0];
    let told = |depth: usize, most: usize| {
        let impact = graph.impact(place, depth, most, true);
        let names: Vec<String> = impact
            .reached
            .iter()
            .map(|(distance, edge)| {
                format!("{distance} {}:{}", index.symbol(edge.from.unwrap()).unwrap().name, edge.line)
            })
            .collect();
        (names, impact.more, impact.beyond)
    };
    assert_eq!(
        told(9, 99),
        (vec!["1 b:5".into(), "1 c:9".into(), "2 d:12".into(), "3 rec:16".into()], 0, false)
    );
    assert_eq!(told(1, 99), (vec!["1 b:5".into(), "1 c:9".into()], 0, true));
    assert_eq!(told(9, 1).1, 1);
}

/// The reference's order changed from run to run, and with it every hash of its output.
#[test]
fn the_order_is_the_same_whatever_was_read_first() {
    let files: Vec<(String, String)> = (0..30)
        .map(|n| (format!("m{n}.py"), format!("def run():\n    pass\n\ndef f{n}():\n    run()\n")))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let one = Shop::new(&files);
    let whole = one.callers("run");
    let two = Shop::new(&files[..10]);
    two.index();
    for (path, text) in files[10..].iter().rev() {
        two.put(path, text);
        two.index();
    }
    assert_eq!(two.callers("run"), whole);
    build(&two.dir.path().join("state"), &two.root(), Depth::Symbols).unwrap();
    assert_eq!(two.callers("run"), whole);
}

#[test]
fn an_index_that_is_broken_or_cut_off_is_made_again_or_read_as_far_as_it_goes() {
    let shop = Shop::new(&[("a.py", "def a():\n    pass\n")]);
    shop.index();
    let state = shop.dir.path().join("state");
    let place = sprag_code::index::dir(&state, &shop.root());
    for text in ["", "SPRAGCX1", "something else"] {
        fs::write(place.join("base"), text).unwrap();
        assert!(Index::open(&state, &shop.root(), Mode::Quick(9)).unwrap().is_none());
        assert_eq!(shop.index().definitions("a").len(), 1);
    }
    // A record that a crash cut off.
    shop.put("b.py", "def b():\n    pass\n");
    shop.index();
    let delta = place.join("delta");
    let whole = fs::read(&delta).unwrap();
    fs::write(&delta, &whole[..whole.len() - 3]).unwrap();
    shop.put("c.py", "def c():\n    pass\n");
    let index = shop.index();
    assert_eq!((index.definitions("b").len(), index.definitions("c").len()), (1, 1));
    let index = shop.index();
    assert_eq!(
        (index.refreshed.unread, index.definitions("b").len(), index.definitions("c").len()),
        (0, 1, 1)
    );
}

#[test]
fn the_index_of_another_release_is_made_again() {
    let shop = Shop::new(&[("src/a.py", "def pay():\n    pass\n")]);
    shop.index();
    let state = shop.dir.path().join("state");
    let base = sprag_code::index::dir(&state, &shop.root()).join("base");
    let mut bytes = fs::read(&base).unwrap();
    // The last number of the header says which release wrote it.
    bytes[64] ^= 1;
    fs::write(&base, bytes).unwrap();
    assert!(Index::open(&state, &shop.root(), Mode::Quick(8)).unwrap().is_none());
    assert_eq!(shop.index().definitions("pay").len(), 1);
}

#[test]
fn a_hook_reads_no_more_changed_files_than_it_may_and_shows_nothing_stale() {
    let files: Vec<String> = (0..20).map(|n| format!("m{n}.py")).collect();
    let shop = Shop::new(&[]);
    for file in &files {
        shop.put(file, "def old():\n    pass\n");
    }
    shop.index();
    for file in &files {
        shop.put(file, "def newer():\n    pass\n");
    }
    let state = shop.dir.path().join("state");
    let index = Index::open(&state, &shop.root(), Mode::Quick(5)).unwrap().unwrap();
    assert_eq!((index.refreshed.read, index.refreshed.unread, index.refreshed.due), (5, 15, true));
    assert_eq!((index.definitions("newer").len(), index.definitions("old").len()), (5, 0));
    assert_eq!(shop.index().definitions("newer").len(), 20);
}

#[derive(Clone, Debug)]
enum Step {
    Write(usize, Vec<usize>),
    Remove(usize),
    Rebuild,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        5 => (0_usize..6, prop::collection::vec(0_usize..8, 0..4)).prop_map(|(file, names)| Step::Write(file, names)),
        1 => (0_usize..6).prop_map(Step::Remove),
        1 => Just(Step::Rebuild),
    ];
    prop::collection::vec(step, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The reference stayed stale for ever after an edit.
    #[test]
    fn after_any_edit_the_next_question_shows_it(steps in steps()) {
        let shop = Shop::new(&[]);
        fs::create_dir_all(shop.root()).unwrap();
        shop.index();
        let mut truth: std::collections::BTreeMap<String, BTreeSet<String>> = std::collections::BTreeMap::new();
        for step in steps {
            match step {
                Step::Write(file, names) => {
                    // Folders come and go too.
                    let path = if file % 2 == 0 { format!("m{file}.py") } else { format!("d{file}/e/m.py") };
                    let names: BTreeSet<String> = names.iter().map(|name| format!("f{name}")).collect();
                    let text: String = names.iter().map(|name| format!("def {name}():\n    g()\n")).collect();
                    shop.put(&path, &text);
                    truth.insert(path, names);
                }
                Step::Remove(file) => {
                    let path = if file % 2 == 0 { format!("m{file}.py") } else { format!("d{file}/e/m.py") };
                    let _ = fs::remove_file(shop.root().join(&path));
                    truth.remove(&path);
                }
                Step::Rebuild => {
                    build(&shop.dir.path().join("state"), &shop.root(), Depth::Calls).unwrap();
                }
            }
            let index = shop.index();
            for name in 0..8 {
                let name = format!("f{name}");
                let found: BTreeSet<&str> = index.definitions(&name).iter().map(|place| index.path(place.file)).collect();
                let wanted: BTreeSet<&str> =
                    truth.iter().filter(|(_, names)| names.contains(&name)).map(|(path, _)| path.as_str()).collect();
                prop_assert_eq!(&found, &wanted, "{}", name);
            }
            let calls: usize = truth.values().map(BTreeSet::len).sum();
            prop_assert_eq!(index.calls_of("g").len(), calls);
            prop_assert_eq!(index.symbols(), calls);
        }
    }
}

#[test]
fn ignored_files_are_not_in_it() {
    let shop =
        Shop::new(&[(".gitignore", "made.py\n"), ("made.py", "def made(): pass\n"), ("a.py", "x = 1\n")]);
    assert!(shop.index().definitions("made").is_empty());
    shop.put("b.py", "def b(): pass\n");
    shop.put("sub/made.py", "def made(): pass\n");
    let index = shop.index();
    assert!(index.definitions("made").is_empty());
    assert_eq!(index.definitions("b").len(), 1);
    assert!(Path::new(&shop.root()).exists());
}

/// Calls are read where a name is, when it is asked for, and kept; the background reads the rest.
#[test]
fn a_question_parses_the_files_that_contain_the_name() {
    let shop = Shop::new(&[
        ("cart.py", "def pay():\n    pass\n"),
        ("main.py", "from cart import pay as settle\n\ndef main():\n    settle()\n"),
        ("payment.py", "def payment():\n    return repay()\n"),
        ("other.py", "def other():\n    return 1\n"),
    ]);
    let state = shop.dir.path().join("state");
    assert_eq!(build(&state, &shop.root(), Depth::Symbols).unwrap().parsed, 4);
    assert_eq!(shop.callers("pay"), ["main.py:main:4"]);
    // What was parsed for the question is kept.
    let complete = build(&state, &shop.root(), Depth::Calls).unwrap();
    assert_eq!((complete.parsed, complete.files), (2, 4));
    assert_eq!(build(&state, &shop.root(), Depth::Calls).unwrap().parsed, 0);
    assert_eq!(shop.callers("pay"), ["main.py:main:4"]);
    // A change is scanned at once, and parsed when its calls are asked for.
    shop.put("other.py", "from cart import pay\n\ndef other():\n    return pay()\n");
    assert_eq!(shop.callers("pay"), ["main.py:main:4", "other.py:other:4"]);
}

#[test]
fn a_hook_parses_so_much_and_says_what_is_missing() {
    let filler = "x = 1\n".repeat(150_000);
    let large = format!("from cart import pay\n\ndef large():\n    pay()\n\n{filler}");
    let shop = Shop::new(&[("cart.py", "def pay():\n    pass\n"), ("a.py", &large), ("b.py", &large)]);
    let state = shop.dir.path().join("state");
    build(&state, &shop.root(), Depth::Symbols).unwrap();
    let callers = |mode| {
        let index = Index::open(&state, &shop.root(), mode).unwrap().unwrap();
        let found = Graph::new(&index).callers(index.definitions("pay")[0]).len();
        (found, index.unparsed())
    };
    assert_eq!(callers(Mode::Quick(8)), (1, 1));
    assert_eq!(callers(Mode::Patient), (2, 0));
}

/// Every call of a name with many definitions is linked to its own, as if there were no others.
#[test]
fn many_definitions_of_one_name_are_told_apart() {
    let texts: Vec<(String, String)> = (0..60)
        .map(|n| {
            let text = format!(
                "class C{n}:\n    def f(self, other):\n        self.f(other)\n        other.f()\n        return C{}().f(1)\n",
                (n + 1) % 60
            );
            (format!("m{n:02}.py"), text)
        })
        .collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let shop = Shop::new(&files);
    let mut expected: Vec<String> =
        (0..60).flat_map(|n| [format!("m{n:02}.py:f:3"), format!("m{:02}.py:f:5", (n + 59) % 60)]).collect();
    let mut found = shop.callers("f");
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}
