//! Slices look into functions of other files: what one changes is in the slice, what it only reads is not.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test")]

use sprag_code::flow::{self, Direction, Project};
use sprag_code::{Limits, parse};

/// The backward slice of a line of the first file, with and without the others.
fn slices(files: &[(&str, &str)], line: u32) -> (Vec<u32>, Vec<u32>) {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let path = dir.path().join(files[0].0);
    let parsed = parse::file(&path, files[0].1.as_bytes(), Limits::QUICK).unwrap();
    let slice = |project: Option<&Project>| {
        let found = flow::around(&parsed, line, project).unwrap();
        found.analysis.slice(line, None, Direction::Backward).unwrap()
    };
    (slice(Some(&Project::new(&path))), slice(None))
}

#[test]
fn what_an_imported_function_of_python_changes_is_in_a_slice_and_what_it_reads_is_not() {
    let main = "from shop.cart import fill, count\nfrom shop import stock\n\n\ndef run(items):\n    total = []\n    fill(total, items)\n    count(total)\n    stock.show(total)\n    stock.tidy(total)\n    return total\n";
    let cart = "def fill(into, items):\n    for item in items:\n        into.append(item)\n\n\ndef count(items):\n    n = 0\n    for item in items:\n        n += 1\n    return n\n";
    // `tidy` is defined one file further.
    let stock = "from .order import tidy\n\n\ndef show(items):\n    return len(items)\n";
    let order = "def tidy(items):\n    items.sort()\n";
    let (with, without) = slices(
        &[
            ("main.py", main),
            ("shop/__init__.py", ""),
            ("shop/cart.py", cart),
            ("shop/stock.py", stock),
            ("shop/order.py", order),
        ],
        11,
    );
    assert_eq!(with, [5, 6, 7, 10, 11]);
    assert_eq!(without, [5, 6, 7, 8, 9, 10, 11]);
}

#[test]
fn what_an_imported_function_of_javascript_changes_is_in_a_slice_and_what_it_reads_is_not() {
    let main = "import fill, { count } from './cart.js';\n\nexport function run(items) {\n  const total = [];\n  fill(total, items);\n  count(total);\n  return total;\n}\n";
    let cart = "function fill(into, items) {\n  for (const item of items) {\n    into.push(item);\n  }\n}\nexport function count(items) {\n  return items.length;\n}\nexport default fill;\n";
    let (with, without) = slices(&[("main.mjs", main), ("cart.ts", cart)], 7);
    assert_eq!(with, [3, 4, 5, 7]);
    assert_eq!(without, [3, 4, 5, 6, 7]);
}

#[test]
fn files_that_import_one_another_come_to_an_end() {
    let a = "from b import g\n\n\ndef f(x):\n    g(x)\n    return x\n";
    let b = "from a import f\n\n\ndef g(x):\n    f(x)\n    h(x)\n\n\ndef h(x):\n    g(x)\n";
    let (with, _) = slices(&[("a.py", a), ("b.py", b)], 6);
    assert_eq!(with, [4, 5, 6]);
}
