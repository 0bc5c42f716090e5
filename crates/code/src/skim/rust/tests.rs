//! Corners of the language, each read by eye and by the parser; and texts that must not be read by eye.

use super::token::Tok;
use super::{Reader, facts};
use crate::extract;
use crate::facts::Receiver;
use crate::language::Language;
use crate::parse::{self, Limits};
use crate::source::Source;

/// The text is read by eye, and gives what the tree gives.
fn same(text: &str) -> crate::facts::Facts {
    let parsed = parse::text(Language::Rust, text, Limits::PATIENT).unwrap();
    assert!(!parsed.tree.root_node().has_error(), "the parser calls it broken: {text}");
    let skimmed = facts(&Source::of_text(text).unwrap()).unwrap_or_else(|| panic!("refused: {text}"));
    assert_eq!(extract::facts(&parsed), skimmed, "{text}");
    skimmed
}

/// The same, of statements in a function.
fn same_in_body(body: &str) -> crate::facts::Facts {
    same(&format!("fn around(one: One, two: &Two) {{\n{body}\n}}\n"))
}

fn is_refused(text: &str) {
    assert!(facts(&Source::of_text(text).unwrap()).is_none(), "read: {text}");
}

fn names(facts: &crate::facts::Facts) -> Vec<&str> {
    facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect()
}

fn called(facts: &crate::facts::Facts) -> Vec<&str> {
    facts.calls.iter().map(|call| call.name.as_str()).collect()
}

#[test]
fn what_looks_like_code_in_strings_and_comments_is_none() {
    for text in [
        "fn a() { f(\"}\\\"{\"); g(b\"\\x41}\", c\"}\", r#\"\"}\"#, br##\"#\"#\"##, cr\"}\"); }",
        "fn a<'a>(x: &'a str) { f('\\'', '{', b'}', '\\u{7d}', '\"', 'é', \"\\u{1f600}\"); }",
        "/* { /* } */ fn no() {} */ fn yes() {} // fn no() {",
        "/*/ fn no() {} */ fn yes() {} /**/ fn too() {} /***/ fn also() {}",
        "/* //*/ fn yes() {}",
        "//! inner\n/// outer\n/** starred */\nfn a() {}\n",
        "fn a() { let s = \"one \\\n two\n three\"; f(s) }\nfn b() {}",
        "fn a() { 'out: loop { break 'out } }",
        "#!/usr/bin/env run\nfn a() {}\n",
        "fn größe(x: Größe) { x.höhe() }",
        "fn a() { r#type(r#match.r#fn()) } fn r#loop() {}",
    ] {
        same(text);
    }
}

#[test]
fn numbers_end_where_the_grammar_ends_them() {
    for body in [
        "x.0.f(); x.0.1.f(); (x.0)(1); x.0(2);",
        "1.max(2); 1..2; 1.0.floor(); 2.5e-3_f64.f(); 0x1f_u8.f(); 1_000.f(); 1e5.f(); 0b11; 0o7; 1f32;",
        "f(0..n, ..=3, 1.., ..); a[..=i]; a[1..][..n];",
    ] {
        same_in_body(body);
    }
}

#[test]
fn macros_are_called_and_their_tokens_are_not_read() {
    let read = same("thread_local! { static A: u8 = f(); }\nmod m { a::b!(fn no() {}); c![x]; }\n");
    assert_eq!(called(&read), ["thread_local", "b", "c"]);
    let read = same_in_body("vec![f(1)].len(); m! { x } n!(y) z; if let p!(a) = b {} let t: q!(u) = s!();");
    assert_eq!(called(&read), ["vec", "len", "m", "n", "p", "q", "s"]);
    let rules =
        "/// Sums.\nmacro_rules! sum {\n ($($x:expr),* $(,)?) => { 0 $(+ f($x))* };\n () => (g());\n}\n";
    assert_eq!(
        names(&same(&format!("{rules}macro_rules! b [ ($a:tt) => [$a] ];\nfn c() {{}}"))),
        ["sum", "b", "c"]
    );
    let read =
        same("#![doc = include_str!(\"a.md\")]\n#[cfg(feature = \"x\")]\n#[unsafe(no_mangle)]\nfn a() {}\n");
    assert_eq!(called(&read), ["include_str"]);
    same("struct A { #[doc = concat!(\"a\", \"b\")] a: [u8; size!()] }");
}

#[test]
fn angles_are_generics_or_less_than() {
    for body in [
        "if a < b && c > d { f() }",
        "f::<T>(x); x.collect::<Vec<_>>().len(); Vec::<u8>::new().push(1); a::b::<C>::d::<E>(f);",
        "<T as Trait>::f(x); <T>::g(); <Vec<T> as A<B>>::C::d(); <[T]>::len(x);",
        "a << b; a >> b; a <<= 1; a >>= 1; a >= b; a <= b; a<-1; (a as usize) < b; a as u8 >> 1;",
        "let x: Vec<Vec<u8>>= f(); let y: A<{ N + 1 }, 3, 'static> = g(); let z: B<Item = C, D: E> = h();",
        "let f: Box<dyn for<'a> Fn(&'a A, B) -> C + Send + 'static> = g; let g: impl Fn(x: One) = h; x.f();",
    ] {
        same_in_body(body);
    }
}

#[test]
fn receivers_are_what_the_tree_says() {
    let read = same_in_body("one.f(); two.g(); One::new().h(); self.a.b(); Self::i();");
    let on: Vec<&Receiver> = read.calls.iter().map(|call| &call.on).collect();
    let of = |name: &str| Receiver::Type(name.to_owned());
    let wanted = [&of("One"), &of("Two"), &Receiver::Name("One".to_owned()), &of("One")];
    assert_eq!(on[..4], wanted);
    for body in [
        "self.x.y.z(); self.f().g(); a.b.c(); a.b().c(); a.b.c.d();",
        "super::f(); super::super::f(); self::f(); crate::f(); crate::a::f(); ::f(); ::a::f(); Self::C.f();",
        "(*one).f(); (&one).f(); (-one).f(); (!one.x).f(); (one).f(); ((one)).f(); (one + 1).f(); (one as T).f();",
        "(/* c */ one).f(); (*/* c */ one).f(); (/* c */ f)(); (f)(1); (one.f)(1); (A::f)(1).g(); (f())(1);",
        "one?.f(); one.await.f(); one.f()?.g()?.h(); one[0].f(); one.f()(1)(2); one().f();",
        "this.f(); base.f(); parent.f(); cls.f(); base::f(); static_.f();",
        "Foo { a: f(), ..g() }.h(); foo!().h(); \"a\".h(); [a()].h(); (a(), b()).h(); |x| x.f(); {a()}.h();",
        "A::B::new().f(); a::b().f(); A::<T>::new().f(); A::new::<T>().f(); Self::new().f(); Box::<A>::new(x).f();",
        "u8::from(1); str::from_utf8(x).f(); default().f(); union.f(); raw::f(); x.default(); x.union();",
        "if a.f() { b } else { c }.g(); match a.f() { _ => b }.g(); let x = unsafe { f() }.g();",
        "-one.f(); !one.f(); *one.f() = 1; &mut one.f(); &raw const one.x; return one.f(); &&one.f();",
    ] {
        same_in_body(body);
    }
}

#[test]
fn braces_after_a_name_are_a_struct_or_a_block() {
    for body in [
        "if a == B { f() } while c { g() } for x in y { h() } match z { W { a, .. } => i(), _ => j() }",
        "let x = A { b, c: d(), 0: e() }; f(A { b }); if f(A { b: g() }) { h() } if (A { b }) == c { i() }",
        "if let A { b, ref mut c, d: E(f) } = g() { h() } while let Some(x) = s.pop() { x.f() }",
        "if let Some(a) = b() && let Some(c) = a.d() && c.e() { f() } else if g() { h() } else { i() }",
        "let Some(x) = f() else { return g() }; let x = A::B { c } ; let y = if a { B {} } else { C };",
        "for i in 0.. { f() } for i in (0..n).rev() { g() } for (i, &x) in y.iter().enumerate() {}",
        "match x { A | B if c() => {} 1..=9 | -1 => f(), \"a\" => g()?, a::B(c, ..) => {}, [a, .., b] => (), x @ 5.. => h() }",
        "match x { A => if b { c() } else { d() } B => match e { _ => {} }, C => { f() }.g(), &D => loop {}, (E) => {} }",
    ] {
        same_in_body(body);
    }
}

#[test]
fn statements_that_begin_with_a_block_end_with_it() {
    for body in [
        "if a {} *b.f() = c; match d {} (e.f(), g) = h(); loop { break; } [i.f()]; unsafe { j() } &k.f();",
        "{ a() } -b.f(); { c() }.d(); async { e() }.await; async move { f() }; const { g() } 'a: { h() } !i.f();",
        "if a { b } else { c }.d(); match a {}?; ; ; fn inner() { f() } struct S; const C: u8 = g(); static D: u8 = h();",
        "m! { a } b.c(); m! { a }.d(); m!(a); m![a].e()",
        "#[cfg(a)] b(); #[cfg(c)] { d() } #[e] let f = g(); h(#[i] j());",
        "_ = f(); (_, a) = g(); a += h(); let _ = i(); return; ",
        "let c = move |a: A, (b, c), mut d: &D| -> E { a.f(b); d.g() }; let d = async || h(); |_| _; || i();",
    ] {
        same_in_body(body);
    }
}

#[test]
fn types_of_values_are_known_in_the_order_of_the_tree() {
    for body in [
        "let x = Foo::from(x.bar()); x.baz(); let x: Bar = x.qux(); x.quux(); let mut x = f(); x.g();",
        "let x = Foo { a: x.f() }; x.g(); let y = Foo::<T>::new(); y.f(); let z = a::Foo::new()?.await?; z.f();",
        "let x = &Foo::new(); x.f(); let y = &mut Foo::new(); y.f(); let z = (((Foo::new()))); z.f();",
        "let x = (((((Foo::new()))))); x.f(); let y = &&&&&Foo::new(); y.f(); let z = (Foo::new()?); z.f();",
        "let x = Foo::new() + 1; x.f(); let y = Foo::new().z(); y.f(); let z = Foo::new() else { return }; z.f();",
        "let x = /* c */ Foo::new(); x.f(); let y = & /* c */ Foo::new(); y.f(); let z = ::foo(); z.f();",
        "let x = Self::new(); x.f(); let y = Self {}; y.f(); let z = ::a::Foo::new(); z.f(); let w = foo {}; w.f();",
        "let f: fn(x: One, g: fn(x: Two)) = h; x.a(); g.b(); let x: fn(x: One) = y; x.c();",
        "let (a, b): (One, Two) = c; a.f(); let One = d; One.f(); let ref e: Two = g; e.f();",
        "one.f(|one: Two| one.g(), one.h()); let x: &'static mut Option<Box<dyn Foo>> = y; x.f();",
    ] {
        same_in_body(body);
    }
    same(
        "struct A { b: B, c: Option<Arc<C>> }\nimpl A { fn f(&self, mut self_: D) { self.b.f(); self.c.g(); self_.h() } }",
    );
    same(
        "enum E { V { b: B }, W(C) = 3 }\nimpl E { fn f(self: Box<Self>) { self.b.f() } }\nstatic X: T = x.f();",
    );
}

#[test]
fn items_are_declared_with_heads_bases_and_parents() {
    let read = same(
        "pub(crate) struct A<T: B = C, const N: usize = 3>(pub T, pub (u8, i8), pub(in crate::x) D) where T: E;\n\
         pub union U { a: u8 }\nimpl<'a, T> a::B<T> for Vec<&'a T> where T: C {}\nimpl () {}\nimpl !Send for A {}\n",
    );
    assert_eq!(names(&read), ["A", "U", "Vec", "A"]);
    assert_eq!(read.symbols[2].bases, ["B"]);
    for text in [
        "unsafe trait T<X>: A<X> + 'static + for<'a> B<'a> where X: C { type D: E + F; type G<'a>; const H: u8; fn i(&self); }",
        "impl T for X { type D = Y; const H: u8 = f(); fn i(&self) { fn j() { k() } const L: u8 = m(); } n! {} }",
        "extern \"C\" { fn f(a: *const u8, ...) -> !; static mut G: u8; type H; }\nunsafe extern \"C\" { fn i(); }\nextern crate a as _;",
        "pub const unsafe extern \"C\" fn f() {}\nasync fn g() {}\nconst fn h() {}\npub(super) async unsafe fn i() {}\nextern fn j() {}",
        "const _: () = assert!(f());\nconst fn g() -> u8 { const X: u8 = h(); X }\nstatic ref Y: Z = i();\n",
        "mod a;\npub mod b { mod c; fn d() { mod e { fn f() { g() } } } }\n#[path = \"x.rs\"]\nmod h;\n",
        "type A<'a, T> where T: B = dyn C<T> + 'a;\npub type D = fn(u8) -> E;\ntype F = [u8; 3 * g()];\n",
        "enum E { A, #[b] B(C, D), F { g: H }, I = -1, J = k() as isize }\nstruct K;\nstruct L {}\n",
        "/// About it.\n#[derive(A)]\n// A remark.\npub fn\n  f()\n -> A {}\n\n/** One\n * two\n */\nfn g() {}\n",
        "impl A { pub default fn f() {} default const fn g() {} }\nimpl const_::B for C {}\n",
        "fn f<T>(x: impl A + B, y: &mut dyn C, (a, b): (D, E), _: F, [g, h]: [u8; 2]) -> impl I + use<'_, T> where T: J, {}",
        "fn f(self: &Self, #[a] b: C) {} fn g(mut self) {} fn h<'a>(&'a mut self, i: &[J]) {} fn k(mut l: M) {}",
    ] {
        same(text);
    }
}

#[test]
fn what_is_brought_in_is_named_as_it_is_written() {
    let read = same(
        "use a::{self, b::{*, c as d}, // e\n f, /* g */ h as _};\npub use super::*;\nuse ::i::j;\nuse k;\n",
    );
    let imports: Vec<String> = read
        .imports
        .iter()
        .map(|import| format!("{}|{}|{}", import.module, import.name, import.alias))
        .collect();
    assert_eq!(imports, ["|a|a", "a::b|*|", "a::b|c|d", "a|f|f", "a|h|_", "super|*|", "::i|j|j", "|k|k"]);
    same(
        "use {a::b, c::{self as d}};\nuse crate::{self};\npub(crate) use self::e;\nuse a::b::\n  c;\nuse ::{f, g};\n",
    );
    same("use r#type::r#match as r#fn;\nfn f() { use a::B::*; B() }\n");
}

#[test]
fn broken_text_is_left_to_the_parser() {
    for text in [
        "fn a( {}",
        "fn a() { f( }",
        "fn a() { \"unended }",
        "/* unended",
        "fn a() { 'ab' }",
        "fn a() { b c }",
        "fn a() { b + }",
        "fn a() { let = b; }",
        "fn a() { if { } }",
        "fn a() { match b { c } }",
        "fn a() { b.; }",
        "fn a() -> io::<u8> {}",
        "fn a(b c: D) {}",
        "struct A { b C }",
        "impl {}",
        "use a b;",
        "macro_rules! { () => {} }",
        "macro_rules! a { () = {} }",
        "macro_rules! a { ($:expr) => {} }",
        "macro_rules! a { ($b: $c) => {} }",
        "macro_rules! a { ($(b)) => {} }",
        "pub(in a.b) fn c() {}",
        "fn a() { let self = b; }",
        "fn a(b: Option<(self, C)>) {}",
        "fn a() { |b, | c }",
        "fn a() { \"\\xzz\" }",
        "fn a() { 1 ~ 2 }",
        "a",
        "}",
    ] {
        let parsed = parse::text(Language::Rust, text, Limits::PATIENT).unwrap();
        assert!(parsed.tree.root_node().has_error(), "the parser reads it: {text}");
        is_refused(text);
    }
}

/// Where the grammar sees what nobody meant, or says types in another order than they are read here.
#[test]
fn what_the_grammar_reads_oddly_is_left_to_the_parser() {
    for text in [
        "fn a() { loop { break &mut ::b::x() } }",
        "fn a() { 'l: loop { break 'l <Option>::b.c() } }",
        "fn a() { return &&mut (b).c(); }",
        "fn a() { || b..(c).d(); }",
        "fn a() { b += c..(d).e(); }",
        "fn a() { b || ..(c).d(); }",
        "fn a() { b..<T>::c(); }",
        "fn a() { let mut mut b: C = d; b.e(); }",
        "fn a() { b.c::<fn(b: D)>(); }",
        "fn a(b: [u8; b.c()]) {}",
        "fn a() { (return b as C.d)(e) }",
        "impl A for [u8; b!()] {}",
        "impl A for fn(b: C) {}",
    ] {
        let parsed = parse::text(Language::Rust, text, Limits::PATIENT).unwrap();
        assert!(!parsed.tree.root_node().has_error(), "the parser calls it broken: {text}");
        is_refused(text);
    }
    same("fn a() { loop { break (b).c() } loop { break -b.c() } for i in 0..(b).c() {} return (b).c(); }");
}

/// How many tokens are taken of a text before the reading ends.
fn taken(text: &str) -> usize {
    let source = Source::of_text(text).unwrap();
    let Some(mut reader) = Reader::new(&source) else { return 0 };
    let _ = reader.declarations(Tok::End);
    reader.at
}

#[test]
fn deep_and_long_texts_end_the_reading_early() {
    let many = 400_000;
    let deep = |open: &str| format!("fn a() {{ {} }}", open.repeat(many));
    for text in [deep("("), deep("[{("), "mod a {".repeat(many), "<".repeat(many), ",".repeat(many)] {
        assert!(taken(&text) <= 1, "{}", taken(&text));
    }
    for text in [
        format!("fn a() {{ a{} }}", ".b".repeat(many)),
        format!("fn a() {{ a{} }}", ".b()".repeat(many)),
        format!("fn a() {{ a{} }}", " + b".repeat(many)),
        format!("fn a() {{ {} a }}", "!".repeat(many)),
        format!("fn a() {{ a{} }}", "::a".repeat(many)),
        format!("fn a() {{ {} a }}", "|| ".repeat(many)),
        format!("fn a() {{ {} {{}} }}", "if a {} else ".repeat(many)),
        format!("fn a(b: {}c) {{}}", "&".repeat(many)),
        format!("fn a(b: {}) {{}}", "A<".repeat(many)),
        format!("fn a() {{ match a {{ {}b => c }} }}", "a | ".repeat(many)),
        format!("type A = b{};", " + c".repeat(many)),
    ] {
        assert!(taken(&text) < 10_000, "{} of {}", taken(&text), text.get(..40).unwrap_or(""));
    }
    // A long text that is not deep is read.
    same(&format!("fn a() {{ f({}) }}", "b, ".repeat(2_000)));
    same(&format!("fn a() {{ {} }}", "f(); ".repeat(2_000)));
}

#[test]
fn nesting_is_read_as_deep_as_people_write() {
    for (open, close) in [("(", ")"), ("{ ", " }"), ("f(", ")"), ("[", "]"), ("if a { ", " }"), ("|| ", "")] {
        same(&format!("fn a() {{ {}b(){} }}", open.repeat(25), close.repeat(25)));
    }
    same(&format!("type A = {}B{};", "C<".repeat(64), ">".repeat(64)));
}
