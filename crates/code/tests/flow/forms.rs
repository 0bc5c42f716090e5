//! Long functions of several forms, each of about so many lines: what the growth of the analysis is tried with.

use sprag_code::language::Language;
use std::fmt::Write as _;

/// A form: its name, its language, and the text of a function `long` of about so many lines.
pub(crate) type Form = (&'static str, Language, fn(usize) -> String);

/// Every form.
pub(crate) const FORMS: &[Form] = &[
    ("straight line, few variables", Language::Python, few),
    ("straight line, many variables", Language::Python, many),
    ("many branches and loops", Language::Python, branches),
    ("nested loops", Language::Python, loops),
    ("everything in one loop", Language::Python, one_loop),
    ("everything in one try", Language::Python, one_try),
    ("many early returns", Language::Python, returns),
    ("a long elif", Language::Python, chain),
    ("a huge match", Language::Python, huge_match),
    ("a huge switch that falls", Language::C, huge_switch),
    ("a huge match with values", Language::Rust, huge_value),
    ("all written first, all read last", Language::Python, first_last),
    ("everything reads everything", Language::Python, everything),
    ("many fields of one object", Language::JavaScript, fields),
    ("many functions inside", Language::JavaScript, inside),
    ("functions inside that write", Language::JavaScript, inside_writes),
    ("begin and rescue", Language::Ruby, rescue),
    ("switch and closures", Language::Php, php),
];

fn python(lines: usize, each: usize, step: impl Fn(usize) -> String) -> String {
    let mut text = "def long(y, z, out):\n".to_owned();
    (0..lines / each).for_each(|number| text.push_str(&step(number)));
    text.push_str("    return y\n");
    text
}

fn few(lines: usize) -> String {
    python(lines, 2, |n| format!("    y = y + z * {n}\n    z = f(y)\n"))
}

fn many(lines: usize) -> String {
    python(lines, 1, |n| format!("    v{n} = v{} + y\n", n.saturating_sub(1)))
}

fn branches(lines: usize) -> String {
    python(lines, 6, |n| {
        let (a, b, c) = (n % 40, (n + 7) % 40, (n + 3) % 40);
        format!(
            "    x{a} = x{b} + {n}\n    if x{a} > y:\n        y += f(x{c})\n        out.append(y)\n    for i in out:\n        z = i\n"
        )
    })
}

fn loops(lines: usize) -> String {
    python(lines, 6, |n| {
        format!(
            "    for a in y:\n        while z:\n            for b{n} in a:\n                y = y + b{n}\n                if y > z:\n                    z = b{n}\n"
        )
    })
}

fn one_loop(lines: usize) -> String {
    let mut text = "def long(y, z, out):\n    while z:\n".to_owned();
    for n in 0..lines / 3 {
        let _ = write!(text, "        if y > v{n}:\n            v{n} = y\n        y = y + v{}\n", n / 2);
    }
    text.push_str("    return y\n");
    text
}

fn one_try(lines: usize) -> String {
    let mut text = "def long(y, z, out):\n    try:\n".to_owned();
    (0..lines / 2).for_each(|n| {
        let _ = writeln!(text, "        v{n} = f(y)");
    });
    text.push_str("    except Error:\n        pass\n");
    (0..lines / 2).for_each(|n| {
        let _ = writeln!(text, "    y = g(v{n})");
    });
    text
}

fn returns(lines: usize) -> String {
    python(lines, 4, |n| {
        format!("    v{n} = f(y)\n    if v{n} > z:\n        return v{n}\n    y = y + v{n}\n")
    })
}

fn chain(lines: usize) -> String {
    let mut text = "def long(y, z, out):\n    if y == 0:\n        w = 0\n".to_owned();
    (0..lines / 2).for_each(|n| {
        let _ = write!(text, "    elif y == {n}:\n        w = z + {n}\n");
    });
    text.push_str("    return w\n");
    text
}

fn huge_match(lines: usize) -> String {
    let mut text = "def long(y, z, out):\n    match y:\n".to_owned();
    (0..lines / 3).for_each(|n| {
        let _ = write!(text, "        case {n}:\n            z = z + {n}\n            v{n} = z\n");
    });
    (0..50).for_each(|n| {
        let _ = writeln!(text, "    out.append(v{n})");
    });
    text.push_str("    return z\n");
    text
}

fn huge_switch(lines: usize) -> String {
    let mut text = "int long_one(int y, int z) {\n    switch (y) {\n".to_owned();
    (0..lines / 3).for_each(|n| {
        let end = if n % 3 == 0 { "z++;" } else { "break;" };
        let _ = write!(text, "    case {n}:\n        z = z + {n};\n        {end}\n");
    });
    text.push_str("    }\n    return z;\n}\n");
    text
}

fn huge_value(lines: usize) -> String {
    let mut text = "fn long(y: u32, z: u32) -> u32 {\n    let w = match y {\n".to_owned();
    (0..lines / 4).for_each(|n| {
        let _ =
            write!(text, "        {n} => {{\n            let a = z + {n};\n            a * 2\n        }}\n");
    });
    text.push_str("        _ => 0,\n    };\n    w\n}\n");
    text
}

fn first_last(lines: usize) -> String {
    let mut text = "def long(y, z, out):\n".to_owned();
    (0..lines / 4).for_each(|n| {
        let _ = writeln!(text, "    v{n} = {n}");
    });
    (0..lines / 4).for_each(|n| {
        let _ = write!(text, "    if y > {n}:\n        z = {n}\n");
    });
    (0..lines / 4).for_each(|n| {
        let _ = writeln!(text, "    out.append(v{n})");
    });
    text
}

fn everything(lines: usize) -> String {
    python(lines, 2, |n| {
        let all: Vec<String> = (0..12).map(|of| format!("x{}", (n + of) % 12)).collect();
        format!("    if {}:\n        x{} = y\n", all.join(" + "), n % 12)
    })
}

fn script(lines: usize, each: usize, step: impl Fn(usize) -> String) -> String {
    let mut text = "function long(y, z) {\n    let a = 0, b = 1, c = 2;\n".to_owned();
    (0..lines / each).for_each(|number| text.push_str(&step(number)));
    text.push_str("    return a + b + c;\n}\n");
    text
}

fn fields(lines: usize) -> String {
    script(lines, 3, |n| format!("    y.f{n} = a;\n    if (y.f{} > 2) {{ a = b; }}\n    send(y);\n", n / 2))
}

fn inside(lines: usize) -> String {
    script(lines, 3, |n| {
        format!("    const f{n} = (p) => p + a + b;\n    a = f{n}(c);\n    b = a + f{}(c);\n", n / 2)
    })
}

fn inside_writes(lines: usize) -> String {
    script(lines, 3, |n| format!("    on(() => {{ a += b; c = {n}; }});\n    b = a;\n    send(c);\n"))
}

fn rescue(lines: usize) -> String {
    let mut text = "def long(y, z)\n".to_owned();
    (0..lines / 8).for_each(|n| {
        let _ = write!(
            text,
            "  begin\n    v{n} = open(y)\n    y += v{n} if z\n  rescue IOError => e\n    z ||= e\n  ensure\n    close(v{n})\n  end\n"
        );
    });
    text.push_str("  y\nend\n");
    text
}

fn php(lines: usize) -> String {
    let mut text = "<?php\nfunction long($y, $z) {\n".to_owned();
    (0..lines / 7).for_each(|n| {
        let _ = write!(
            text,
            "  switch ($y) {{\n    case {n}:\n      $z = $z + {n};\n      break;\n    default: $y .= $z;\n  }}\n  $v{n} = fn($p) => $p + $z;\n"
        );
    });
    text.push_str("  return $z;\n}\n");
    text
}
