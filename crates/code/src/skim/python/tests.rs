//! The corners of Python: each small text gives the facts that the tree gives, or is left to the parser.

use super::facts;
use crate::facts::{Facts, Receiver};
use crate::language::Language;
use crate::parse::{self, Limits};
use crate::source::Source;

/// The facts of a text, which are those of its tree.
fn same(text: &str) -> Facts {
    let parsed = parse::text(Language::Python, text, Limits::PATIENT).unwrap();
    assert!(!parsed.tree.root_node().has_error(), "the parser cannot read it: {text:?}");
    let tree = crate::extract::facts(&parsed);
    let read = facts(&Source::of_text(text).unwrap());
    assert_eq!(read.as_ref(), Some(&tree), "{text:?}");
    tree
}

fn refused(text: &str) {
    assert_eq!(facts(&Source::of_text(text).unwrap()), None, "{text:?}");
}

fn names(facts: &Facts) -> Vec<&str> {
    facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect()
}

fn calls(facts: &Facts) -> Vec<&str> {
    facts.calls.iter().map(|call| call.name.as_str()).collect()
}

#[test]
fn a_block_ends_behind_the_comments_that_are_indented_like_it() {
    let text = "class A:\n    def f(self):\n        x()\n        # of f\n\n    # of A\n        # still of A\n# of nobody\n    # nor this\n\nx = 1  # no part of x\n";
    let facts = same(text);
    let ends: Vec<u32> = facts.symbols.iter().map(|symbol| symbol.end_line).collect();
    assert_eq!((names(&facts), ends), (vec!["A", "f", "x"], vec![7, 4, 11]));
    for text in [
        "def f(): return g()  # said\ny = 2\n",
        "class A(B): pass; x = 1  # said",
        "def f():\n\tx = 1\n\t# of f\n        # too\n    # not\n",
        "def f():\n    a\n\x0c\n    b\n\x0cdef g(): c\n",
        "if x:\n    def f():\n        pass\n    # not of f\n# else\nelse:\n    pass\n",
        "def f():\r\n    a()  # said\r\n    # more\r\n\r\ndef g():\r\n    \"\"\"Two.\r\n    Lines.\"\"\"\r\n",
        "def f():\n    pass\n    # at the end",
        "\u{feff}def f():\n    pass",
    ] {
        same(text);
    }
}

#[test]
fn heads_and_docstrings() {
    for text in [
        "def f(\n    a,  # one\n    b,\n):  # noqa\n    # why\n    '''Says.'''\n",
        "def f(): 'doc'; x\n",
        "def f():\n    'doc', 1\n",
        "def f():\n    'no ' 'doc'\n",
        "def f():\n    'no doc'.strip()\n",
        "def f():\n    f'a {b} doc'\n",
        "class A:\n    r\"\"\"\n    Raw.\n    \"\"\"\n    x = 1\n",
        "async def f() -> 'A[int]': ...\n",
        "class A[T: int, *Ts, **P](B[T], metaclass=M(1)): pass\n",
        "def f[T](x: T, *args: *Ts, y: list[T] | None = g(), **kw: int) -> T | None:\n    x.a(); y.b()\n",
    ] {
        same(text);
    }
}

#[test]
fn values_of_a_module() {
    let facts = same(
        "a = B = c()\nf = lambda x, y=1: g(x)\nx: int\nxs: list[int] = [\n  d(),\n]\n(p) = q, r = 1, 2\n",
    );
    assert_eq!(names(&facts), ["a", "B", "f", "x", "xs"]);
    assert_eq!(facts.symbols[1].parent, Some(0));
    for text in [
        "f = lambda: 1, 2\n",
        "f = lambda: lambda a, b: 0\n",
        "f: Callable = lambda: a if b else c\n",
        "if x:\n    a = 1; b = 2\nelse:\n    try: c = 3\n    except E: d = 4\n    finally: e = 5\n",
        "x = '''a\nb'''\ny = f'''a\n{b}\n'''\n",
        "x = a,\ny = b\n(c, [d, *e]), f[0].g = h\n(i or j).k = l\n",
        "x += 1\nx.y = 2\nx[f()] = y = 3\ndel x, y[0]\n",
        "type A[T] = list[T]\ntype B = f(x)\ntype = 3\nprint = type\nmatch = match(type)\n",
        "x: A[B] | C\ny: A[B].C = d\nz: a.B[c()] = e\n",
        "naïve = größe()\n",
    ] {
        same(text);
    }
}

#[test]
fn what_calls_are_made_on() {
    let facts = same(
        "class A(B):\n    def f(self, x: Cart, *more: Cart):\n        self.cart = shop.Cart()\n        x.a(); self.cart.b(); self.g().h(); super().i(); (x).j(); (await x).k(); Cart(1).l()\n        shop.cart.m(); a.b.c.n(); x[0].o(); 'x'.p(); f'{x}'.q(); (a or b).r(); cls.s(); (x)(); (a.b)()\n",
    );
    let on = |name: &str| &facts.calls.iter().find(|call| call.name == name).unwrap().on;
    let cart = Receiver::Type("Cart".to_owned());
    assert_eq!([on("a"), on("b"), on("j"), on("k"), on("l")], [&cart; 5]);
    assert_eq!((on("h"), on("i"), on("s")), (&Receiver::Unknown, &Receiver::Super, &Receiver::Own));
    for text in [
        "x = await (Cart())\nx.a()\ny = (  # said\n  Cart())\ny.b()\n",
        "x = Cart() or y\nx.a()\nz = [Cart()]\nz.b()\nw = Cart[int]()\nw.c()\n",
        "x = (((((Cart())))))\nx.a()\n",
        "(  # said\n x).a()\n(lambda: f())()\n(f)(g)(h)\nNone.x()\n1 .y()\n...\n",
        "a(b)(c).d(e(f=g(), *h(), **i()))\n",
        "Foo(a[0]).bar().baz()\n'%s' '[x]'.join(y).z()\n",
        "if (n := f()) > 1 and not g(h for h in i() if j()): k(n)\n",
        "for x, y in z(): a()\nelse: b()\nwith c() as d, (e()) as f: g()\nwhile h(): i()\n",
        "with (a() as b, c() as d,):\n    pass\n",
        "raise E(x) from f()\nassert a(), b()\nglobal x, y\n",
        "try:\n    a()\nexcept (A, b()) as e:\n    c()\nelse:\n    d()\nfinally:\n    e()\n",
        "try: pass\nexcept* A: pass\n",
        "x = [a() async for b in c() if d()] + [*e, f()]\ny = {**a(), 'b': c(), }\nz = {a(): b for *c, d in e}\n",
        "x = {a*b: c, d*e(): f}\n",
        "def f():\n    x = yield\n    y = yield from g()\n    (yield)\n    return *a, b()\n",
    ] {
        same(text);
    }
}

#[test]
fn a_star_is_no_part_of_what_is_called() {
    let facts = same("[*f()]\n[*a.b()]\nprint(1, *c.d.e())\n{*super().g()}\nx = *h(), 1\n");
    assert_eq!(calls(&facts), ["f", "b", "print", "e", "super", "g", "h"]);
    assert_eq!(facts.calls[1].on, Receiver::Name("a".to_owned()));
}

#[test]
fn an_assignment_to_an_attribute_of_a_type_is_no_alias() {
    let facts = same("def f(self):\n    type(self).limit = g()\n    type(self).x += 1\n");
    assert_eq!(names(&facts), ["f"]);
}

#[test]
fn decorators_call_in_the_name_of_what_is_around() {
    let facts =
        same("class A:\n    @cache\n    @a.b(c())\n    # said\n    @d.e\n    @f[0]\n    def g(self): h()\n");
    assert_eq!(calls(&facts), ["cache", "b", "c", "e", "h"]);
    assert_eq!(facts.calls[0].caller, Some(0));
}

#[test]
fn imports() {
    let facts = same(
        "import a.b, c as d\nfrom . import e\nfrom ..f . g import (h as i, # said\n  j,)\nfrom ...k import *\nfrom __future__ import l\nfrom . import(m)\n",
    );
    assert_eq!(facts.imports.len(), 7);
}

#[test]
fn strings_and_their_holes() {
    for text in [
        "a(f'{b()!r:>{c()}} {{no}} {d()=} {e[\"x\"]} \\N{DASH} \\{f()}')\n",
        "f\"{x[\"a\"]}{f'{g()}'}\"\n",
        "rf'\\{a()}' + Rb'\\'' + u'é' + br'\\\\'\n",
        "f'''\n{\n  a()\n  }\n{b():%Y-%m}'''\n",
        "f'{a, b()}{*c,}{(lambda: d())}{ {1: e()}[1] }'\n",
        "x = 'a\\\nb()' f'{c()}' \"\"\"'\"\" d()\"\"\"\n",
        "f'{a != b()}{c:{d}{e()}}{\"}\"}'\n",
    ] {
        same(text);
    }
}

#[test]
fn match_statements() {
    let facts = same(
        "match f(x), y:\n    # said\n    case A(b=C(), d=1) | [1, *_] if g(h): i()\n    case {'a': -1, **r}: pass\n    case (x.y | None) as z, \"s\" 't':\n        j()\n    case _: pass\nmatch(k)\n",
    );
    assert_eq!(calls(&facts), ["f", "g", "i", "j", "match"]);
}

#[test]
fn statements_of_python_2() {
    for text in [
        "print 'a' % f(), x,\nprint >>g(), h()\n",
        "print\nprint(i())\n",
        "exec 'x'\nexec y in z(), w\n",
        "try: a\nexcept B, c: raise D, 'e'\n",
        "x = 1L <> 0xFFL\n",
        "y = ur'\\d'\n",
    ] {
        same(text);
    }
    let facts = same("print f(x), g()\n");
    assert_eq!(calls(&facts), ["f", "g"]);
}

#[test]
fn lines_go_on() {
    for text in [
        "x = a + \\\n    b()\nif x and \\\r\n   y: z()\n",
        "x = (a\n+ b,\n\n# said\n\n  c())\n",
        "def f(a,\nb): return [\na()\n]\n",
    ] {
        same(text);
    }
}

#[test]
fn what_is_odd_or_broken_is_left_to_the_parser() {
    for text in [
        "print -x\n",
        "print [x]\n",
        "exec x.y in z\n",
        "exec 'x' % y\n",
        "x = `y`\n",
        "x = 1.0L\n",
        "def f():\nx = 1\n",
        "def f():\n    # nothing\n",
        "if x:\n        a\n    b\n",
        "  x = 1\n",
        "x = 1\n  y = 2\n",
        "x = (1\n",
        "x = 1)\n",
        "x = (1]\n",
        "x = 'a\n",
        "x = '''a\n",
        "x = f'{a'\n",
        "x = f'{}'\n",
        "x = f'}'\n",
        "x = f'{a:=5}'\n",
        "x = '\\N{'\ny = '}'\n",
        "a,\nb = 1\n",
        "x = *None\n",
        "x: int += 1\n",
        "f(a, b for c in d)\n",
        "f(a=b for c in d)\n",
        "[a for b() in c]\n",
        "['a'] = b\n",
        "{**a, b}\n",
        "def f(**a=1): pass\n",
        "def f(*a: int = 1): pass\n",
        "x = (a + b := c)\n",
        "type[x] = 1\n",
        "type(x).y = z[0]\n",
        "x: a[0](b)\n",
        "def f() -> a[1:]: pass\n",
        "match x:\n    case a + b: y\n",
        "a b\n",
        "a = = b\n",
        "a +\n",
        "f() = 1\n",
        "1 = x\n",
        "a if b\n",
        "(a if b)\n",
        "{a: b, c}\n",
        "{a: b, *c: d}\n",
        "def f(None): pass\n",
        "return yield x\n",
        "[a for b]\n",
        "else: a\n",
        "try: a\nelif b: c\n",
        "@a\nb = 1\n",
        "@a\n",
        "class A:\n    @a\n  # said\n    def f(): pass\n",
        "class: pass\n",
        "def f: pass\n",
        "def f(a.b): pass\n",
        "def f(a + b): pass\n",
        "for f() in x: pass\n",
        "for x y: pass\n",
        "if x: if y: z\n",
        "import\n",
        "from a import\n",
        "from a import ()\n",
        "x = 1;; y\n",
        "x = a.\n",
        "x = a..b\n",
        "x = not\n",
        "x = a not b\n",
        "x: = 1\n",
        "async x\n",
        "x = 1 \\\n\ny\n",
        "x = 1 \\ y\n",
        "x = a ? b\n",
        "x = 1\ry = 2\n",
        "1if x else y\n",
        "match x:\n    y\n",
        "match x:\n    case 1 2: y\n",
        "if x:\n    f(a +\nb)\n",
    ] {
        refused(text);
    }
}

#[test]
fn as_deep_as_it_is_read_the_tree_is_walked() {
    let blocks: String =
        (0..49).map(|n| format!("{0}if x:\n{0} pass\n{0}else:\n", " ".repeat(2 * n))).collect();
    let inner = " ".repeat(98);
    for value in [
        format!("{}a()", "not ".repeat(990)),
        format!("a{}.c()", ".b[0]".repeat(490)),
        format!("{}a()", "1 if x else ".repeat(240)),
        format!("{}a(){}", "f(k=[*".repeat(24), "])".repeat(24)),
        format!("{}a(){}", "f(k={1: f'{not ".repeat(24), "}'})".repeat(24)),
    ] {
        let facts = same(&format!("{blocks}{inner}x = {value}\n"));
        assert!(facts.notes.is_empty() && !facts.calls.is_empty(), "{value}");
    }
}

#[test]
fn hostile_texts_are_refused_or_read_in_steps_that_grow_with_them() {
    const MANY: usize = 200_000;
    // What is nested deeper than the tree is walked.
    refused(&"(".repeat(MANY));
    refused(&"x = f'{".repeat(MANY));
    refused(&format!("x = {}1\n", "- ".repeat(MANY)));
    refused(&format!("x = {}1\n", "lambda: ".repeat(MANY)));
    refused(&format!("x = a{}\n", ".b".repeat(MANY)));
    refused(&format!("x = a{}\n", ".b('|')".repeat(MANY)));
    refused(&format!("{}1\n", "a = ".repeat(MANY)));
    refused(&(0..MANY / 100).map(|n| format!("{}if x:\n", " ".repeat(n))).collect::<String>());
    // What is only long.
    assert!(facts(&Source::of_text(&format!("x = [{}]\n", "a(), ".repeat(MANY))).unwrap()).is_some());
    assert!(facts(&Source::of_text(&format!("{}\n", "a(); ".repeat(MANY))).unwrap()).is_some());
    assert!(facts(&Source::of_text(&format!("x = {}\n", "'a' ".repeat(MANY))).unwrap()).is_some());
    // Chains that are read once more for each of their calls, until that is too much.
    let chain = format!("x = a{}\n", ".b('|')".repeat(40));
    assert!(facts(&Source::of_text(&chain).unwrap()).is_some());
    refused(&chain.repeat(200));
}
