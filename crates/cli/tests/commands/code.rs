//! `sprag code` through the binary: the contract of its output, faults that are said, and tokens that are counted.

use crate::cli_home::{Home, has_keys};
use serde_json::{Value, json};

const CART: &str = "LIMIT = 3\n\n\nclass Cart:\n    \"\"\"A cart.\"\"\"\n\n    def pay(self, method):\n        def inner():\n            pass\n        return total(self, method)\n\n\ndef total(cart, method):\n    return 1\n";

fn shop() -> Home {
    let home = Home::new();
    home.write("shop/src/cart.py", CART);
    home.write(
        "shop/src/main.py",
        "from src.cart import Cart\n\n\ndef main():\n    Cart().pay('card')\n\n\ndef outer():\n    main()\n",
    );
    home
}

/// Every symbol, however deep.
fn all<'a>(symbols: &'a Value, found: &mut Vec<&'a Value>) {
    for symbol in symbols.as_array().unwrap() {
        found.push(symbol);
        all(&symbol["children"], found);
    }
}

#[test]
fn an_outline_has_every_symbol_scalars_first() {
    let home = shop();
    let run = home.run(&["code", "outline", "src/cart.py", "--json"]);
    // As a reader without a parser of JSON would look for it.
    let flat = run.out.split_whitespace().collect::<String>();
    assert!(flat.contains(r#"{"name":"pay","kind":"method","line":7,"#), "{flat}");
    assert!(flat.contains(r#"{"name":"inner","kind":"function","line":8,"#), "{flat}");
    let value = run.json();
    has_keys(
        &value,
        &["file", "language", "lines", "tokens_raw", "tokens_outline", "symbols", "imports", "notes"],
    );
    let mut found = Vec::new();
    all(&value["symbols"], &mut found);
    let told: Vec<String> = found
        .iter()
        .map(|s| format!("{} {} {}", s["kind"].as_str().unwrap(), s["name"].as_str().unwrap(), s["line"]))
        .collect();
    assert_eq!(
        told,
        ["constant LIMIT 1", "class Cart 4", "method pay 7", "function inner 8", "function total 13"]
    );
    let text = home.run(&["code", "outline", "src/cart.py"]).ok();
    assert!(text.contains("src/cart.py (Python, 14 lines, about"), "{text}");
    assert!(text.contains(" 7-10 def pay(self, method)\n  8-9 def inner()\n"), "{text}");
    let text = home.run(&["code", "outline", "src/cart.py", "--budget", "5"]).ok();
    assert!(text.contains("5 of 5 symbols are counted, not named"), "{text}");
}

#[test]
fn calls_impact_symbols_and_search_without_an_index_before() {
    let home = shop();
    let value = home.run(&["code", "calls", "Cart.pay", "--json"]).json();
    has_keys(&value[0], &["symbol", "callers", "callees"]);
    assert_eq!(
        value[0]["callers"],
        json!([{"file": "src/main.py", "line": 5, "caller": "main", "how": "resolved"}])
    );
    assert_eq!(value[0]["callees"][0]["to"]["name"], "total");
    let text = home.run(&["code", "calls", "src/main.py"]).ok();
    assert!(text.contains("5 main -> Cart.pay src/cart.py:7"), "{text}");
    let text = home.run(&["code", "impact", "total"]).ok();
    assert!(
        text.contains("    src/main.py:5 main\n      src/main.py:9 outer\n  3 callers in 2 files"),
        "{text}"
    );
    let value = home.run(&["code", "impact", "total", "--json"]).json()["symbols"].take();
    assert_eq!(value[0]["callers"][2]["distance"], 3);
    let text = home.run(&["code", "symbols", "PA"]).ok();
    assert_eq!(text, "src/cart.py:7 method def pay(self, method)\n");
    assert_eq!(home.run(&["code", "symbols", "--kind", "class", "--json"]).json()["found"], 1);
    let text = home.run(&["code", "search", "total"]).ok();
    assert!(
        text.contains(
            "function src/cart.py:13-14 def total(cart, method)\n called by src/cart.py:10 Cart.pay\n"
        ),
        "{text}"
    );
    assert!(text.contains("src/cart.py:10 [Cart.pay] return total(self, method)"), "{text}");
    let value = home.run(&["code", "search", "--regex", "def \\w+er\\(", "--json"]).json();
    assert_eq!(value["matches"].as_array().unwrap().len(), 2);
    let value = home.run(&["code", "index", "--json"]).json();
    assert_eq!(
        (&value["files"], &value["symbols"], &value["complete"]),
        (&json!(2), &json!(7), &json!(true))
    );
}

#[test]
fn an_edit_is_seen_by_the_next_command() {
    let home = shop();
    home.run(&["code", "index"]).ok();
    home.write("shop/src/cart.py", &CART.replace("total", "sum_up"));
    assert!(home.run(&["code", "calls", "sum_up"]).ok().contains("called by src/cart.py:10 Cart.pay"));
    assert!(home.run(&["code", "calls", "total"]).failed().contains("no symbol `total`"));
}

#[test]
fn faults_say_what_to_do() {
    let home = shop();
    home.write("shop/notes.md", "# notes\n");
    home.write("shop/bin.py", "\0\0\0");
    assert!(home.run(&["code", "outline", "none.py"]).failed().contains("not there"));
    assert!(home.run(&["code", "outline", "notes.md"]).failed().contains("no grammar"));
    assert!(home.run(&["code", "outline", "bin.py"]).failed().contains("binary"));
    assert!(home.run(&["code", "calls", "payy"]).failed().contains("`sprag code symbols`"));
    assert!(home.run(&["code", "search", "--regex", "("]).failed().contains("invalid regular expression"));
    assert_eq!(home.run(&["code", "symbols", "--kind", "thing"]).code, 2);
}

#[test]
fn tokens_that_were_spared_are_in_the_statistics() {
    let home = Home::new();
    let text: String =
        (0..400).map(|n| format!("def heron_{n}(reeds):\n    found = reeds\n    return found\n\n")).collect();
    let path = home.write("shop/src/pond.py", &text);
    let read = json!({ "tool_name": "Read", "tool_input": { "file_path": path }, "tool_use_id": "a" });
    let answer = home.hook(&home.event("PreToolUse", read.clone()));
    assert!(answer.contains("This is its outline"), "{answer}");
    let saved = |home: &Home| {
        let value = home.run(&["stats", "--hook", "tldr-read-enforcer", "--json"]).json();
        value["hooks"][0]["tokens_saved"].as_i64().unwrap()
    };
    let first = saved(&home);
    assert!(first > 3_000, "{first}");
    assert!(home.run(&["stats"]).ok().contains("saved"));
    assert_eq!(home.hook(&home.event("PreToolUse", read)), "");
    assert!(saved(&home) < 0, "the outline was paid for, and the text after all");
}

const RATES: &str = "def rate(kind, table):\n    found = table.get(kind)\n    print(kind)\n    if found is None:\n        return 0\n    total = found * 2\n    return total\n\n\nclass A:\n    def f(self):\n        return 1\n\n\nclass B:\n    def f(self):\n        return 2\n";

#[test]
fn flow_of_a_function_as_text_and_json() {
    let home = Home::new();
    home.write("shop/rates.py", RATES);
    let text = home.run(&["code", "cfg", "rates.py", "rate"]).ok();
    assert_eq!(home.run(&["code", "cfg", "rates.py:rate"]).ok(), text, "as `calls` takes it");
    assert!(home.run(&["code", "cfg", "rates.py"]).failed().contains("rates.py:FUNCTION"));
    let slice = home.run(&["code", "slice", "rates.py", "4"]);
    assert_eq!(home.run(&["code", "slice", "rates.py:4"]).out, slice.out);
    assert_eq!(text, "rate 1-7, complexity 2\n1-4 if found is None: yes→5 no→6\n5 return\n6-7 return\n");
    let value = home.run(&["code", "cfg", "rates.py", "4", "--json"]).json();
    has_keys(
        &value,
        &[
            "function", "lines", "complexity", "complete", "notes", "entry", "blocks", "edges", "exits",
            "deferred", "file", "language",
        ],
    );
    assert_eq!(value["function"], "rate");
    assert_eq!(value["complexity"], 2);
    assert_eq!(value["edges"][0], json!({"from": 0, "to": 1, "kind": "yes"}));
    let text = home.run(&["code", "dfg", "rates.py", "rate"]).ok();
    assert!(text.contains("\nfound: 2→4,6\n") && text.contains("\ntotal: 6→7\n"), "{text}");
    let value = home.run(&["code", "dfg", "rates.py", "rate", "--json"]).json();
    let found = value["variables"].as_array().unwrap().iter().find(|var| var["name"] == "found").unwrap();
    assert_eq!(found["definitions"][0]["uses"], json!([4, 6]));
}

#[test]
fn a_slice_has_the_lines_that_matter_and_no_others() {
    let home = Home::new();
    home.write("shop/rates.py", RATES);
    let text = home.run(&["code", "slice", "rates.py", "7"]).ok();
    assert!(text.contains("7>     return total\n") && !text.contains("print(kind)"), "{text}");
    let value = home.run(&["code", "slice", "rates.py", "7", "--json"]).json();
    assert_eq!(value["lines"], json!([1, 2, 4, 5, 6, 7]));
    assert_eq!(value["direction"], "backward");
    let value = home.run(&["code", "slice", "rates.py", "6", "--forward", "--json"]).json();
    assert_eq!(value["lines"], json!([6, 7]));
    let value =
        home.run(&["code", "slice", "rates.py", "6", "--var", "found", "--backward", "--json"]).json();
    assert_eq!(value["lines"], json!([1, 2, 6]));
}

/// The reference answered all of these with an empty list or a complexity of 0.
#[test]
fn what_has_no_flow_is_said_with_what_to_do() {
    let home = Home::new();
    home.write("shop/rates.py", RATES);
    home.write("shop/run.sh", "f() { echo a; }\n");
    home.write("shop/bad.py", "def f(a):\n    b = a + )\n    return b\n");
    for (args, what) in [
        (["cfg", "rates.py", "nobody"], "no function `nobody` here; there are rate, A.f, B.f"),
        (["cfg", "rates.py", "f"], "`f` is here more than once: A.f (line 11), B.f (line 16)"),
        (["cfg", "none.py", "f"], "is no file"),
        (["dfg", "run.sh", "f"], "not known for Bash"),
        (["slice", "rates.py", "99"], "the file has 17 lines"),
        (["slice", "rates.py", "8"], "line 8 does nothing"),
    ] {
        let run = home.run(&["code", args[0], args[1], args[2]]);
        assert_eq!(run.code, 1, "{args:?}: {}", run.err);
        assert!(run.err.contains(what), "{args:?}: {}", run.err);
    }
    let value = home.run(&["code", "dfg", "bad.py", "f", "--json"]).json();
    assert_eq!(value["complete"], false);
    assert!(value["notes"][0].as_str().unwrap().contains("does not parse"), "{value}");
}

#[test]
fn the_map_names_what_is_used_most_within_its_budget() {
    let home = shop();
    let text = home.run(&["code", "map"]).ok();
    assert!(text.starts_with("2 files, 23 lines (Python 2)\nsrc/cart.py (14 lines)\n"), "{text}");
    assert!(text.contains("\n 4-10 class Cart  # A cart.\n  7-10 def pay(self, method)\n"), "{text}");
    let value = home.run(&["code", "map", "--tokens", "100", "--json"]).json();
    has_keys(&value, &["files", "symbols", "lines", "tokens", "complete", "near", "text", "ranked"]);
    assert!(value["tokens"].as_u64().unwrap() <= 100, "{value}");
    assert_eq!(value["ranked"][0]["file"], "src/cart.py");
    let near = home.run(&["code", "map", "--near", "src/main.py", "--json"]).json();
    assert_eq!(near["near"], json!(["src/main.py"]));
}

#[test]
fn a_question_finds_functions_by_words_and_after_the_background_by_meaning() {
    let home = Home::new();
    home.write(
        "shop/src/net.py",
        "def _analyze_redirects(response):\n    return 1\n\n\ndef nap(seconds):\n    return 2\n\n\ndef total(cart):\n    return 3\n",
    );
    let value = home.run(&["code", "search", "how are redirects checked", "--json"]).json();
    has_keys(&value, &["definitions", "meant", "meant_by_words_only", "matches", "left_out"]);
    assert_eq!(value["meant"][0]["symbol"]["name"], "_analyze_redirects", "{value}");
    assert_eq!(value["meant_by_words_only"], 3);
    home.run(&["worker", "--once"]).ok();
    let value = home.run(&["code", "search", "sleep for a while", "--json"]).json();
    assert_eq!(value["meant_by_words_only"], 0, "{value}");
    assert_eq!(value["meant"][0]["symbol"]["name"], "nap", "{value}");
}
