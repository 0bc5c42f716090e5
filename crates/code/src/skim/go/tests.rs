//! The corners of the language, each compared with what the tree gives.

use super::{lex, read, token};
use crate::extract;
use crate::facts::Facts;
use crate::language::Language;
use crate::parse::{self, Limits};
use crate::source::Source;

fn by_eye(text: &str) -> Option<Facts> {
    super::facts(&Source::of_text(text).unwrap())
}

fn tree(text: &str) -> (Facts, bool) {
    let parsed = parse::text(Language::Go, text, Limits::PATIENT).unwrap();
    (extract::facts(&parsed), parsed.tree.root_node().has_error())
}

/// Both ways give the same.
fn same(text: &str) -> Facts {
    let (wanted, broken) = tree(text);
    assert!(!broken, "the parser does not take {text}");
    let found = by_eye(text).unwrap_or_else(|| panic!("left to the parser: {text}"));
    assert_eq!(found, wanted, "{text}");
    found
}

/// The same for statements of a function.
fn same_inside(statements: &str) -> Facts {
    same(&format!("package p\n\nfunc (c *Cart) f(a *shop.Item, next Able) {{\n{statements}\n}}\n"))
}

/// It is left to the parser.
fn refused(text: &str) {
    assert!(by_eye(text).is_none(), "read: {text}");
}

fn called(facts: &Facts) -> Vec<&str> {
    facts.calls.iter().map(|call| call.name.as_str()).collect()
}

#[test]
fn declarations_of_every_kind() {
    let facts = same(
        "// Package p.\npackage p\n\nimport \"a/b/v2\"\nimport (\n\tx \"c\"\n\t. \"d\"\n\t_ \"e\"; `f`\n)\n\n\
         // Limits.\nconst (\n\tA, B = iota, 1\n\t_, C\n\tD = len(\"x\")\n)\n\n// One.\nconst One T = 1\n\n\
         var x, y = NewCart(), 2\nvar (\n\t// z is.\n\tz *Cart = &Cart{}\n\t_ = z.add()\n)\n\n\
         // Kinds.\ntype (\n\tCart struct {\n\t\tItem\n\t\t*p.Base `tag`\n\t\tList[int]\n\t\ta, b map[string]T\n\t\tc [3]int \"tag\"\n\t}\n\
         \tAble interface {\n\t\t// Does.\n\t\tDo(a int, b ...string) (c error)\n\t\tfmt.Stringer\n\t\t~int | string\n\t}\n\tAlias = Cart; F func(int) error\n)\n\
         type Pair[K comparable, V any] struct{ k K; v V }\ntype N [4]int\ntype M [len(x) + 1]T\ntype L []T\ntype P [A * B]int\n\
         func Map[K, V any](m map[K]V) []K { return nil }\nfunc (p *Pair[K, V]) Get() (k K, v V) { return p.k, p.v }\nfunc (Pair[K, V]) No()\nfunc extern(a, b int) (c, d *Cart)",
    );
    let names: Vec<&str> = facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "A", "B", "C", "D", "One", "x", "y", "z", "Cart", "Able", "Do", "Alias", "F", "Pair", "N", "M",
            "L", "P", "Map", "Get", "No", "extern"
        ]
    );
    assert_eq!(facts.imports.len(), 5);
}

#[test]
fn what_is_called_and_on_what() {
    let facts = same_inside(
        "a.Do(next.Do, f(1))\nc.item.Add(a.b.c.D())\n(c).x()\n(*a).y()\n(&Cart{}).z()\nNewCart(1).Pay()\n\
         shop.NewItem().Buy()\nfunc() { a.In() }()\n(a.Par)(1)\n(f)(2)\n( /* c */ f)(3)\n( /* c */ a).q()\n\
         this.own()\nbase.up()\nself.field.deep()\nsuper().s()\nparent.field.t()\nnil.u()\na.(*T).v()\n<-a.w()\n-a.n()\n\
         go a.g()\ndefer a.d()\nmake(chan func(q int), 3)\nnew(map[string]struct{ r T })\n[]byte(a.conv())\n\
         map[string]T{\"k\": {a.k()}, a.key(): {}}[a.i()].j()\nCart{}.m()\n[...]int{1}[0].o()",
    );
    assert!(called(&facts).contains(&"Par"), "{:?}", called(&facts));
}

/// Where brackets could hold an index or types, the parser guesses; its guess decides what is called.
#[test]
fn calls_of_what_may_be_generic() {
    for text in [
        "F[T](x)",
        "F[T]()",
        "F[T](x, y)",
        "F[T](x...)",
        "F[K, V](x)",
        "F[K, V]()",
        "F[T,]()",
        "F[T,](x, y)",
        "F[[]int](x)",
        "F[[]int]()",
        "F[*T]()",
        "F[**T]()",
        "F[*p.T]()",
        "F[p.T]()",
        "F[p.T](x)",
        "p.F[T](x)",
        "p.F[T]()",
        "p.F[K, V]()",
        "a.b.f[i](x)",
        "a.b.f[p.T](x)",
        "a.b.f[K, V](x)",
        "m[0](x)",
        "m[i+1](x)",
        "m[\"s\"](x)",
        "m[i][j](x)",
        "m[i][p.T](x)",
        "f()[p.T](x)",
        "F[T[U]]()",
        "F[T[0]]()",
        "F[func(a int)](x)",
        "F[interface{ M() }](x)",
        "F[nil](x)",
        "F[iota]()",
        "m[f(x)](y)",
        "m[i].f(x)",
        "m[p.T].f(x)",
        "F[T](x).g()",
        "(F[T])(x)",
        "(m)[p.T]()",
        "x := NewF[T](y)\nx.g()",
        "x := NewF[T]()\nx.g()",
        "x := NewF[K, V]()\nx.g()",
        "F[T]{1}.g()",
        "p.F[K, V]{}.g()",
        "m[a:b].f()",
        "m[:].f()",
        "m[a:b:c].f()",
        "make[p.T](x)",
        "x := (*NewT[K])(a)\nx.f()",
        "x := ( /* c */ *NewT[K, V])(a)\nx.f()",
        "x := (NewT[K])()\nx.f()",
        "x := (*NewT)(a)\nx.f()",
        "x := (NewT[0])(a)\nx.f()",
        "F[chan int]()",
    ] {
        same_inside(text);
    }
    same_inside("a.f[func(a Cart) T](1, 2)\na.g()");
    for unsure in ["F[p.A | p.B]()", "F[(T)]()", "F[T[(U)]]()"] {
        let text = format!("package p\nfunc f() {{\n\t{unsure}\n}}\n");
        assert!(by_eye(&text).is_none_or(|found| found == tree(&text).0), "{text}");
    }
    for next in ["(x).f()", "{ f() }", "[]T{}.f()"] {
        refused(&format!("package p\nfunc f() {{\n\ta = b[i]\n\t{next}\n}}\n"));
        same_inside(&format!("a = b.c\n{next}"));
        same_inside(&format!("a = b[0]\n{next}\na = b[i:]\n{next}\n(*a)\n{next}"));
    }
}

#[test]
fn a_variable_is_known_from_where_it_is_made() {
    same_inside(
        "x := NewCart(x.y())\nx.z()\ny, ok := &shop.Item{}, 1\ny.a()\nok.b()\nvar z = (NewCart())\nz.c()",
    );
    same_inside(
        "for i := NewIter(); i.More(); i.Next() { i.Get() }\nif x := NewX(); x.ok() { x.f() } else if x.g() {}",
    );
    same_inside("switch x := NewX(); y := x.(type) { case *T, func(q *Cart): y.f(); q.g() }");
    same_inside(
        "select { case v := <-NewV(): v.f()\ncase c <- a.b():\ndefault: c.g() }\nfor k, v := range NewM() { v.k(k) }",
    );
    same_inside(
        "x := -^!*&NewX()\nx.f()\ny := &*&NewX()\ny.g()\nz := /* c */ NewZ()\nz.h()\nw := ( /* c */ NewW())\nw.i()",
    );
    same_inside(
        "f := func(a T, b, c *shop.U, d func(e V), g ...W) (h X) { a.m(); b.m(); c.m(); d.m(); e.m(); g.m(); h.m() }",
    );
    same_inside("var s struct { in Cart; f func(p Q) }\ns.in.m()\np.m()\nvar i interface { M(z Z) }\nz.m()");
}

#[test]
fn braces_of_blocks_and_of_literals() {
    same_inside(
        "if a == b { f() }\nfor a[i] { f() }\nswitch a.b { case T{1}: f() }\nfor range []T{{1}, {2}} { f() }",
    );
    same_inside("if (a == T{}) { f() }\nif f(T{1}) { g() }\nif x := struct{ a int }{1}; x.a == 1 { f() }");
    same_inside(
        "for _, t := range map[string]func(){\"a\": func() { f() }} { t() }\nswitch { }\nswitch x := f(); { default: }",
    );
    same_inside(
        "if func() bool { return a.b() }() { f() }\nfor ; ; { break }\nfor a.x() { continue L }\nselect {}",
    );
}

#[test]
fn statements_of_every_kind() {
    same_inside(
        "L:\n\tfor {\n\t\tgoto L\n\t}\nM:\n\t;\n;\n;;\na.b++\nc.d -= e.f()\n{ a.g() }\nx, y = y, x\nc <- d\nN:",
    );
    same_inside("switch a.b() {\ncase 1, 2:\n\tfallthrough\ncase f(3):\nL:\ndefault:\n}\nreturn a.c(), nil");
    same_inside(
        "const k = 1\nvar v Cart\nv.f()\ntype T struct { g Cart }\nvar w struct{}\nfunc() { return }()",
    );
}

#[test]
fn what_the_parser_does_not_take_is_refused() {
    for text in [
        "package p\ntype T int",
        "package p\nconst (a = 1)\n",
        "package p\nvar (a int)\n",
        "package p\nfunc f() { ; x }\n",
        "package p\nconst a int\n",
        "package p\nfunc f() { x.(type) }\n",
        "package p\nfunc f() { g([]int) }\n",
        "package p\nfunc f() { new(g(x)) }\n",
        "package p\nfunc f() { L:\nM:\n}\n",
        "package p\nfunc f() { switch ; {} }\n",
        "package p\nfunc f() { a b }\n",
        "package p\nfunc f() { nil{} }\n",
        "package p\nfunc f() { x = a + b.(type) }\n",
        "package p\nfunc f() { new: }\n",
        "package p\nfunc f() { a[i+1,] }\n",
        "package p\nfunc f() { if ; x {} }\n",
        "package p\nfunc f() {\n\tg(1\n\t)\n\th[1,2](3)\n}\n",
    ] {
        let (_, broken) = tree(text);
        assert!(broken, "the parser takes {text}");
        refused(text);
    }
}

#[test]
fn numbers_runes_and_strings_are_exact() {
    let good = "0, 7, 0b01, 0B1_0, 0o17, 017, 0_7, 1_000, 0xFF_f, 0x_1, 0x1p-2, 0x.8p1, 0x1.p+3, 1., .5, 1.5e+3, 1e9, 08.5, \
                08i, 1i, 0x1i, 'a', '\\'', '\\n', '\\x41', '\\101', '\\u00e9', '\\U0001F600', 'é', '\"', \"a\\\"b\", \"\\x41\\u00e9\\\\\", \
                `raw \\ \" ' //`, \"/* no */ // no\"";
    same(&format!("package p\n\nvar x = []any{{{good}}}\n\nvar ärger = 1\n"));
    for bad in [
        "08",
        "0b2",
        "0x",
        "1__0",
        "1_",
        "1e",
        "0x1.8",
        "1a",
        "''",
        "'ab'",
        "'\\q'",
        "'\\8'",
        "\"\\xg0\"",
        "\"\n\"",
        "'",
        "\"",
        "`",
        "§",
        "#",
        "a ? b",
    ] {
        refused(&format!("package p\n\nvar x = {bad}\n"));
    }
}

#[test]
fn comments_between_and_above() {
    same(
        "//go:build x\n\n/* Package\n p. */\npackage p // p\n\n// F does.\n//\n//go:noinline\nfunc F( // c\n\ta /* c */ T, // c\n) /* c */ T /* c\n */ { // c\n\treturn /* c */ a.b( // c\n\t\t1, /* c\n\t*/ 2)\n}\r\n\r\n// G.\r\nfunc G() {}\r\n// end",
    );
}

#[test]
fn deep_and_long_texts_are_left_to_the_parser() {
    for (open, close) in [("(", ")"), ("[", "]"), ("{", "}"), ("f(", ")"), ("[]T{", "}"), ("func() { ", " }")]
    {
        let deep = |levels: usize| {
            format!("package p\n\nvar x = {}1{}\n", open.repeat(levels), close.repeat(levels))
        };
        refused(&deep(lex::DEPTH + 1));
        refused(&deep(100_000));
    }
    let chain = |links: usize, link: &str| format!("package p\n\nvar x = a{}\n", link.repeat(links));
    for link in [" + a", ".b", ".b()", "[0]"] {
        same(&chain(500, link));
        refused(&chain(10_000, link));
    }
    refused(&format!("package p\n\nvar x = {}a\n", "-".repeat(10_000)));
    same(&format!("package p\n\nvar {}z T\n", "a, ".repeat(60)));
    refused(&format!("package p\n\nvar {}z T\n", "a, ".repeat(10_000)));
    refused(&format!("package p\n\nvar x {}T\n", "*".repeat(10_000)));
    refused(&format!("package p\n\nfunc f() {{\n\t{} {{}}\n}}\n", "if a {} else ".repeat(10_000)));
    refused(&format!("package p\n\nfunc f() {{\n\t{}\n}}\n", "L: ".repeat(10_000)));
}

/// Nothing is read twice: what is found grows with the text, not faster.
#[test]
fn work_grows_with_the_text() {
    for part in
        ["a, ", "(", "a.b.", "x[p.T](1, 2), ", "F[T](a), ", "[", "a b c ", "{", "func() ", "*", "/**/"]
    {
        let counted = |times: usize| {
            let text = format!("package p\n\nvar x = []any{{{}}}\n", part.repeat(times));
            let source = Source::of_text(&text).unwrap();
            let mut lists = read::Lists::default();
            let Some(depth) = lex::tokens(&source, &mut lists.tokens) else { return 0 };
            let mut reader = read::Reader::new(&source, &mut lists, depth);
            let _ = reader.file();
            reader.events.len() + reader.types.len() + reader.declarations.len()
        };
        assert!(counted(4_000) <= counted(1_000) * 4 + 8, "{part}");
    }
    assert!(std::mem::size_of::<token::Token>() <= 16);
}
