//! Corners of the languages, each against the tree, and texts that must be left to the parser.
#![allow(clippy::unwrap_used, clippy::panic)]

use super::facts;
use crate::extract;
use crate::language::Language::{self, JavaScript, Tsx, TypeScript};
use crate::parse::{self, Limits};
use crate::source::Source;

/// Reads a text both ways: it parses, it is read by eye, and the facts are the same.
fn same(language: Language, text: &str) {
    let parsed = parse::text(language, text, Limits::PATIENT).unwrap();
    assert!(!parsed.tree.root_node().has_error(), "does not parse: {text}");
    let Some(skimmed) = facts(language, &Source::of_text(text).unwrap()) else { panic!("refused: {text}") };
    assert_eq!(extract::facts(&parsed), skimmed, "{text}");
}

/// A text that is left to the parser.
fn refused(language: Language, text: &str) {
    assert!(facts(language, &Source::of_text(text).unwrap()).is_none(), "{text}");
}

#[test]
fn declarations() {
    for text in [
        "/** About a. */\nexport function a(x, { y = () => {} } = {}) { b(); }\n",
        "export default function () { a(); }\n",
        "export default memo(\n  () => { a(); },\n);\n",
        "export default class extends B { m() {} }\n",
        "export default (a) => a.b();\n",
        "const a = 1, B_C = [1, 2], d = async (x) => x(), e = memo(function () {});\n",
        "var f = function () {}.bind(this), g = class extends H {}, i = function* () {};\n",
        "exports.pay = function () { b(); };\nCart.prototype.pay = async () => {};\nx = y = () => {};\n",
        "const o = { a() {}, get b() { return 1; }, async *c() {}, d: () => {}, 'e f': function () {}, [g()]: h };\n",
        "const o = { '\"': function () { a(); }, get, set, async, static: 1, 2: () => {} };\n",
        "class A extends mixin(B) { static #x = 1; y = () => {}; static { z(); } get get() {} 'q'() {} [w.v()]() {} }\n",
        "for (let i = 0, n = a(); i < n; i++) {}\nfor (const x of y()) {}\nfor (const { a } of b) {}\nfor (k in o) {}\n",
        "if (a) b(); else if (c) { d(); } else e();\ndo { a(); } while (b())\nlabel: for (;;) break label;\n",
        "switch (a()) { case b: c(); default: { d(); } }\ntry { a(); } catch { b(); } finally { c(); }\n",
        "function a() { if (b) { var c = 1; let d = () => {}; } }\n",
    ] {
        same(JavaScript, text);
        same(TypeScript, text);
        same(Tsx, text);
    }
}

#[test]
fn what_is_brought_in_and_given_on() {
    for text in [
        "import 'a';\nimport b from 'b';\nimport * as c from 'c';\nimport d, { e, f as g, default as h } from 'd';\nimport {} from 'i';\n",
        "export * from 'a';\nexport * as b from 'b';\nexport { c, d as e, default } from 'c';\nexport {} from 'f';\nexport { g };\n",
        "const a = require('a'), { b, c: d, e = 1, ...f } = require('b');\nconst g = require('g').h, i = require('i')();\n",
        "const a = import('a');\nimport.meta.b();\n",
    ] {
        same(JavaScript, text);
        same(TypeScript, text);
    }
    same(JavaScript, "#!/usr/bin/env node\r\nimport a from 'a'\r\na()\r\n");
    same(
        TypeScript,
        "import type A from 'a';\nimport { type B, type C as D } from 'b';\nexport type { E } from 'e';\n",
    );
    same(
        TypeScript,
        "import a = require('a');\nimport b = c.d;\nexport import e = c.f;\nexport = a;\nexport as namespace g;\n",
    );
    same(TypeScript, "import type from 'a';\nimport json from './a.json' with { type: 'json' };\n");
}

#[test]
fn calls_and_what_they_are_on() {
    for text in [
        "a(); a.b(); a.b.c(); a.b.c.d(); this.a(); this.a.b(); super.a(); a?.b(); a?.(); a?.[0](); a[0]();\n",
        "class A extends B { constructor() { super(); super.m(); this.#p(); this.x = new Cart(); this.x.add(); } }\n",
        "new A(); new a.B(c); new A().b(); new (f())(); new this.C(); new A; new.target;\n",
        "(a).b(); (0, a.b)(); (await a).b(); (-a).b(); (/* x */ a).b(); (a, b).c(); (a || b).c();\n",
        "self.a(); parent.b(); base.c(); undefined.d(); cls.e(); f`x${g()}y`; h.i`z`;\n",
        "const c = new Cart(), d = await new Cart(), e = (new Cart()); c.add(); d.add(); e.add();\n",
        "const r = a / b / c, s = /[/]\\/x/g.test(a), t = x++ / 2, u = a[0] / 2, v = (a) / 2;\n",
        "const t = `a ${b(`c ${d()} }`)} e`;\na\n++b\nreturn1\n(c)\n",
        "const f = async x => { await g(x); for await (const y of z()) y(); };\nasync(1);\nasync.b();\n",
        "[a, b.c] = d();\n({ a, b: c.d, e = f() } = g());\nlet { h: { i = j() }, ...k } = l;\n",
        "const a = b ? c() : d ? e() : f();\nlet of = 1, as = 2, type = 3, get = 4;\nof(type); as.get();\n",
        "var a = function () { b(); }(), c = function () {};\n!function () { d(); }();\n(() => { e(); })();\n",
    ] {
        same(JavaScript, text);
        same(TypeScript, text);
        same(Tsx, text);
    }
}

#[test]
fn what_the_grammar_of_javascript_makes_of_await() {
    same(JavaScript, "const f = async () => { await (0, a.b)(); const c = await (await d()).e(); };\n");
    same(JavaScript, "const f = async () => { await (a); g(await (b), c || await (d)); };\n");
    same(TypeScript, "const f = async () => { await (0, a.b)(); const c = await (await d()).e(); };\n");
}

#[test]
fn types_say_little() {
    for text in [
        "interface A<T> extends B<T>, c.D { a: string; b?(x: X): Y; readonly [k: string]: any; (x: X): void; new (y: Y): A<T>; get c(): T }\n",
        "type A<T> = T extends (infer U extends string)[] ? { [K in keyof T as `x${K}`]-?: T[K] } : <V>(x: V) => x is V;\n",
        "type A =\n  | 'a'\n  | -1\n  | [x: string, y?: number, ...z: B[]]\n  | typeof import('a').b\n  | keyof typeof c\n  | unique symbol\n",
        "type Equal<X, Y> = (<T>() => T extends X ? 1 : 2) extends <T>() => T extends Y ? 1 : 2 ? true : false;\n",
        "abstract class A<T> extends B<T> implements C, D<T> { private readonly x: X = 1; constructor(public a: A, private b?: B) { super(); this.a.c(); this.b!.d(); }\n  abstract m(): void; get y(): Y { return 1; } static z?: Z; [k: string]: any; declare w: W; m2?(): void; n(x: string): void; n(x: any) {} }\n",
        "enum A { B = 1, C = f(), 'D' }\nconst enum E {}\ndeclare enum G { H }\n",
        "namespace a.b { export const c = 1; function d(): void {} }\ndeclare module 'e' { export function f(x: F): g.H; }\ndeclare global { interface Window { i: I } }\ndeclare module 'j';\n",
        "function a(x: string): void;\nfunction a(x: number): asserts x is A;\nfunction a(this: B, x: any, ...y: C[]): x is D { x.e(); }\ndeclare function f(): void\ndeclare const g: G, h: H;\n",
        "const a = <T>(x: T): T => x, b = async <T,>(x: T) => x, c = (x: X): ((y: Y) => Z) => y => x.z(y);\n",
        "let a: A | undefined, b: Map<string, B> = new Map(), c!: C, d = e as F as unknown, g = h satisfies I, j = <K>l;\na.m(); b.m(); c.m();\n",
        "f<T>(x); a.b<T, U>(c); new D<E>(g); a < b && c > (d); const h = i<J>; k(l < m, n > o);\n",
        "const a = x ? (y: Y): Z => y.z() : (): W => w, b = x ? (c) : d;\n",
        "@A @B() class C { @D() e: E = 1; @F.g(h()) i(@J() k: K) {} @L get m() { return 1; } }\n@N() export class O {}\n",
        "class A { using(): void {} export(): B; async: C; get: D; set() {} static: E; type = 1; declare() {} }\n",
        "let f = (cb: (err: Error, x: X) => void) => { err.a(); x.b(); };\nlet g: { m(x: X): void; n: (y: Y) => Z } = h;\n",
    ] {
        same(TypeScript, text);
    }
}

#[test]
fn marks_and_types_of_calls_take_in_what_is_before_them() {
    for text in [
        "a - b!.c(); !b!(x); !b!.c!(); a && b.c!.d(); x = b!.c(); await b!.c(); c ? b!.d() : e!.f();\n",
        "await f<T>(x); a + f<T>(x); a && f<T>(x); !f<T>(x); await b.c<T>(x).d<U>(y);\n",
        "const a = b.c<type>((x) => x.y());\n",
        "new A!(x); new A!.b(); const c = d! / e! / f;\n",
    ] {
        same(TypeScript, text);
    }
    // The call would be the whole value, and make a function of `a`.
    refused(TypeScript, "const a = b && c!.d(() => e());\n");
    refused(TypeScript, "const a = await b<T>(() => c());\n");
}

#[test]
fn a_comment_on_the_line_of_an_end_may_belong_to_it() {
    for end in [
        " // c\n",
        " /* c */\n",
        " /* c */ ",
        "\n// c\n",
        " // c\n// d\n",
        " // c\n/* d */\n",
        " /* a */ // b\n",
        " // c\n/* d */ ",
    ] {
        for (head, tail) in [
            ("function a() {}", "b();"),
            ("function a() {}", ""),
            ("export function a() {}", "b();"),
            ("export default function a() {}", "b();"),
            ("class A { m() {}", "}"),
            ("class A { m() {}", "n() {} }"),
            ("class A {}", "b();"),
            ("var a = () => {}", "\nb();"),
            ("x.y = function () {}", "\nb();"),
            ("x = { m() {}", "}"),
            ("x = { m: function () {}", ", n() {} }"),
            ("class A { f = () => {}", "\ng = 1 }"),
        ] {
            let text = format!("{head}{end}{tail}\n");
            for language in [JavaScript, TypeScript] {
                let parsed = parse::text(language, &text, Limits::PATIENT).unwrap();
                if let Some(skimmed) = facts(language, &Source::of_text(&text).unwrap())
                    && !parsed.tree.root_node().has_error()
                {
                    assert_eq!(extract::facts(&parsed), skimmed, "{text}");
                }
            }
        }
    }
    for text in ["function a() {} // c\r\nb()\r\n", "const a = () => {} // c\r\n/* d */\r\nb()\r\n"] {
        same(JavaScript, text);
        same(TypeScript, text);
    }
    same(TypeScript, "type A = B // c\nfunction d(): void // e\nconst f = () => {} // g\n");
}

#[test]
fn elements() {
    for text in [
        "const A = () => <B.C a=\"x &amp; y\" b={c()} {...d} e-f='g'>text {h()} &lt; {/* i */}<j/><K l=<M/> /></B.C>;\n",
        "const a = b ? <C /> : <></>, d = e && <F>{g.map((h) => <I key={h} />)}</F>;\nfunction J() { return (\n  <k:l m:n=\"o\">it's {'{'} fine</k:l>\n); }\n",
        "const a = x < y, b = <div>{a < b ? <C/> : null}</div>;\n",
    ] {
        same(JavaScript, text);
        same(Tsx, text);
    }
    same(
        Tsx,
        "const a = <T,>(x: T) => x, b = <\n  T extends U = V,\n>(y: T) => <C<T> d={y} />;\nconst e = <F.G<H<I>>></F.G>;\n",
    );
}

#[test]
fn broken_and_doubtful_texts_are_left_to_the_parser() {
    for text in [
        "function (",
        "a b",
        "a = ;",
        "x = [1, 2",
        "class A { m( }",
        "const = 1",
        "`a ${b`",
        "'a\nb'",
        "/* a",
        "if (a",
        "a.",
        "f(a b)",
        "({ a b })",
        "import from 'a",
        "return1 } {",
        "a => => b",
        "x = {a: }",
        "for (;;",
        "\"\\x\"",
        "a ? b",
        "export",
        "<!-- a",
        "a\u{2028}b",
    ] {
        for language in [JavaScript, TypeScript, Tsx] {
            refused(language, text);
        }
    }
    for text in
        ["a(); new\nb().c();\n", "export\nfunction a() {}\n", "let\na = 1;\n", "x = async\nfunction f() {}\n"]
    {
        refused(JavaScript, text);
        refused(TypeScript, text);
    }
    refused(JavaScript, "// a\rb();\n");
    refused(JavaScript, "let a: string = 1;\n");
    refused(JavaScript, "interface A {}\n");
    refused(TypeScript, "a ? (b) : c => d;\n");
    refused(TypeScript, "using a = b();\n");
    refused(JavaScript, "<a>x > y</a>;\n");
    refused(JavaScript, "<a>&nothing</a>;\n");
}

/// Whatever is deep is refused, and the stack of a thread is enough for what is not.
#[test]
fn depth_is_bounded() {
    let deep = |open: &str, core: &str, close: &str, times: usize| {
        format!("x = {}{core}{};\n", open.repeat(times), close.repeat(times))
    };
    for (open, core, close) in [
        ("(", "a", ")"),
        ("[", "a", "]"),
        ("f(", "a", ")"),
        ("{ a: ", "b", "}"),
        ("() => ", "a", ""),
        ("() => { return ", "a", "}"),
        ("a ? ", "b", " : c"),
        ("`${", "a", "}`"),
        ("class extends ", "a", " {}"),
        ("class { a = ", "b", "}"),
        ("function () { if (a) { return ", "b", "} }"),
        ("new (", "a", ")()"),
        ("a = ", "b", ""),
        ("!", "a", ""),
    ] {
        for times in [40, 170, 2_000] {
            let text = deep(open, core, close, times);
            for language in [JavaScript, TypeScript] {
                if let Some(skimmed) = facts(language, &Source::of_text(&text).unwrap()) {
                    let parsed = parse::text(language, &text, Limits::PATIENT).unwrap();
                    assert_eq!(extract::facts(&parsed), skimmed, "{open} {times}");
                } else {
                    assert!(times > 40 || open == "class extends ", "{open}");
                }
            }
        }
        refused(JavaScript, &deep("(", "a", ")", 300_000));
    }
    for (open, core, close) in [
        ("A<", "B", ">"),
        ("(x: ", "B", ") => C"),
        ("{ a: ", "B", "}"),
        ("[", "B", "]"),
        ("A extends B ? C : ", "D", ""),
    ] {
        let of = |times: usize| format!("type T = {}{core}{};\n", open.repeat(times), close.repeat(times));
        same(TypeScript, &of(20));
        let _ = facts(TypeScript, &Source::of_text(&of(5_000)).unwrap());
    }
    // What is read in a loop is deep in the tree all the same, and a tree is walked so far only.
    for (open, link) in
        [("a", " + b"), ("a", ".b()"), ("a", " ? b : c"), ("if (a) {}", " else if (b) {}"), ("", "!")]
    {
        same(
            JavaScript,
            &format!("{open}{}x;\n", if open.is_empty() { link.repeat(300) } else { link.repeat(300) + ";" }),
        );
        refused(
            JavaScript,
            &format!(
                "{open}{}x;\n",
                if open.is_empty() { link.repeat(3_000) } else { link.repeat(3_000) + ";" }
            ),
        );
    }
    let elements = |times: usize| format!("x = {}{};\n", "<a>".repeat(times), "</a>".repeat(times));
    same(JavaScript, &elements(40));
    refused(JavaScript, &elements(5_000));
}

/// No text makes the reader look at its tokens again and again.
#[test]
fn looking_ahead_is_bounded() {
    for text in [
        "a<".repeat(50_000),
        "a<b,".repeat(50_000),
        "f((x: ".repeat(300),
        "x = a.b().c[0]".repeat(2) + &".d(e)".repeat(50_000),
        "a = ".repeat(100) + &"b.".repeat(50_000) + "c",
        format!("let x: {}{}{};", "{ m(x: ".repeat(40), "A | ".repeat(20_000) + "B", ") }".repeat(40)),
        "(".repeat(390) + &"a,".repeat(50_000),
        "a ? (b) : ".repeat(20_000),
        "// a\n".repeat(50_000) + "x",
    ] {
        for language in [JavaScript, TypeScript, Tsx] {
            let source = Source::of_text(&text).unwrap();
            let Some(tokens) = super::lex::tokens(&text, language != TypeScript, language != JavaScript)
            else {
                continue;
            };
            let count = tokens.len();
            let mut reader = super::Reader::new(language, &source, tokens);
            let _ = reader.program();
            assert!(reader.looked <= count * 6 + 2_000, "{} of {count}: {:.40}", reader.looked, text);
        }
    }
}
