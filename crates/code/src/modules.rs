//! Which files of a project an import means. Paths are from the project's root, with `/`.

use crate::language::Language;

/// True when `module`, written in the file `from`, means the file `target`.
pub fn means(language: Language, from: &str, module: &str, target: &str) -> bool {
    match language {
        Language::Python => python(from, module, target),
        Language::TypeScript | Language::Tsx | Language::JavaScript => script(from, module, target),
        Language::Rust => rust(from, module, target),
        Language::Go => {
            let folder = folder(target);
            !folder.is_empty() && (module == folder || module.ends_with(&format!("/{folder}")))
        }
        Language::Java => {
            let path = module.replace('.', "/");
            let folder = folder(target);
            folder == path || folder.ends_with(&format!("/{path}"))
        }
        Language::C | Language::Cpp => target == module || target.ends_with(&format!("/{module}")),
        Language::Ruby | Language::Bash => {
            let module = module.trim_start_matches("./").trim_end_matches(".rb");
            let stem = without_ending(target);
            target == module
                || target.ends_with(&format!("/{module}"))
                || stem == module
                || stem.ends_with(&format!("/{module}"))
        }
        Language::Lua => {
            let path = module.replace('.', "/");
            let stem = without_ending(target);
            let stem = stem.strip_suffix("/init").unwrap_or(stem);
            stem == path || stem.ends_with(&format!("/{path}"))
        }
        Language::Zig => joined(folder(from), module).is_some_and(|wanted| wanted == target),
        Language::Kotlin | Language::Scala => {
            let path = module.replace('.', "/");
            let folder = folder(target);
            folder == path || folder.ends_with(&format!("/{path}"))
        }
        Language::CSharp | Language::Php | Language::Swift | Language::Elixir => false,
    }
}

/// The words of a module of which a file for it has one in its name: what to look for among files. None: any file.
pub fn words(language: Language, module: &str) -> Vec<&str> {
    let mut words: Vec<&str> = match language {
        Language::Rust => {
            let parts = module.split("::").filter(|part| !matches!(*part, "crate" | "self" | "super"));
            // `sprag_shop` is in a folder `shop`, or in one of its own name.
            parts.flat_map(|part| [part, part.rsplit('_').next().unwrap_or(part)]).collect()
        }
        // The folder of a class has no name of its own in its file.
        Language::Java => module.rsplit('.').take(1).collect(),
        _ => {
            const ENDINGS: [&str; 12] =
                [".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".rb", ".sh", ".h", ".hpp", ".hh", ".zig"];
            let module = ENDINGS.iter().find_map(|ending| module.strip_suffix(ending)).unwrap_or(module);
            module.rsplit(['.', '/']).find(|part| !part.is_empty()).into_iter().collect()
        }
    };
    words.retain(|word| !word.is_empty());
    words
}

/// The word that a file is imported by: its own name, or its folder's where it stands for the folder.
pub(crate) fn stem(path: &str) -> Option<&str> {
    let name = without_ending(path);
    let (folder, own) = name.rsplit_once('/').unwrap_or(("", name));
    let stem = if matches!(own, "__init__" | "index") { folder.rsplit('/').next()? } else { own };
    Some(stem).filter(|stem| !stem.is_empty())
}

/// The last word of a module's name.
pub(crate) fn last_word(module: &str) -> Option<&str> {
    let endings = [".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs"];
    let module = endings.iter().find_map(|ending| module.strip_suffix(ending)).unwrap_or(module);
    module.rsplit(['.', '/', ':']).find(|part| !part.is_empty())
}

/// The words of a file that a module may call it by: its own, and its folder's where it stands for the folder.
pub fn stems(path: &str) -> Vec<&str> {
    let name = without_ending(path);
    let own = name.rsplit('/').next().unwrap_or(name);
    let mut words = vec![own];
    words.extend(folder(path).rsplit('/').next());
    // `crates/shop/src/lib.rs`
    words.extend(path.split("/src/").next().and_then(|head| head.rsplit('/').next()));
    words
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn without_ending(path: &str) -> &str {
    let path = path.strip_suffix(".d.ts").unwrap_or(path);
    match path.rsplit_once('.') {
        Some((stem, ending)) if !ending.contains('/') => stem,
        _ => path,
    }
}

/// A path without `.` and `..`; `None` when it leaves the project.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn python(from: &str, module: &str, target: &str) -> bool {
    let dots = module.bytes().take_while(|byte| *byte == b'.').count();
    let path = module.get(dots..).unwrap_or("").replace('.', "/");
    let target = without_ending(target);
    let target = target.strip_suffix("/__init__").unwrap_or(target);
    if dots == 0 {
        return !path.is_empty() && (target == path || target.ends_with(&format!("/{path}")));
    }
    let mut base = folder(from);
    for _ in 1..dots {
        base = folder(base);
    }
    joined(base, &path).is_some_and(|wanted| wanted == target)
}

fn script(from: &str, module: &str, target: &str) -> bool {
    let stem = without_ending(target);
    let index = stem.strip_suffix("/index").unwrap_or(stem);
    let module = match module.rsplit_once('.') {
        Some((stem, "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts")) => stem,
        _ => module,
    };
    if module.starts_with('.') {
        let Some(wanted) = joined(folder(from), module) else { return false };
        return wanted == stem || wanted == index;
    }
    // `@/cart`, `~/cart`, `src/cart`: from a root that a configuration names.
    let tail = module.trim_start_matches(['@', '~', '#']).trim_start_matches('/');
    if tail == module && !module.contains('/') {
        return false;
    }
    let tail = format!("/{tail}");
    format!("/{stem}").ends_with(&tail) || format!("/{index}").ends_with(&tail)
}

/// The crate's folder and the modules of a file.
fn rust_modules(path: &str) -> (&str, Vec<&str>) {
    let (base, inner) = match path.split_once("/src/") {
        Some((base, inner)) => (base, inner),
        None => match path.strip_prefix("src/") {
            Some(inner) => ("", inner),
            // A test or an example is a crate of its own.
            None => return (path, Vec::new()),
        },
    };
    let inner = without_ending(inner);
    let mut parts: Vec<&str> = inner.split('/').collect();
    if matches!(parts.last(), Some(&"mod" | &"lib" | &"main")) {
        parts.pop();
    }
    (base, parts)
}

fn rust(from: &str, module: &str, target: &str) -> bool {
    let (own_crate, own) = rust_modules(from);
    let (of_crate, of) = rust_modules(target);
    let mut parts = module.split("::").peekable();
    let wanted: Vec<&str> = match parts.peek().copied() {
        Some("crate") => {
            if own_crate != of_crate {
                return false;
            }
            parts.skip(1).collect()
        }
        Some("self" | "super") => {
            if own_crate != of_crate {
                return false;
            }
            let mut base = own;
            while let Some(step) = parts.next_if(|part| matches!(*part, "self" | "super")) {
                if step == "super" {
                    // From an inline module of the file it is the file itself; that is tried below.
                    base.pop();
                }
            }
            base.extend(parts);
            base
        }
        Some(first) => {
            let name = of_crate.rsplit('/').next().unwrap_or(of_crate).replace('-', "_");
            let other = !name.is_empty() && (first == name || first.ends_with(&format!("_{name}")));
            if other && of_crate != own_crate {
                parts.skip(1).collect()
            } else if own_crate == of_crate {
                // A module beside or below.
                let mut base = own;
                base.extend(parts);
                base
            } else {
                return false;
            }
        }
        None => return false,
    };
    // What is left may be modules written inside the file.
    wanted.starts_with(&of) && wanted.len() <= of.len() + 1 && (wanted.len() == of.len() || !of.is_empty())
        || wanted == of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_imports_mean() {
        let cases: &[(Language, &str, &str, &str, bool)] = &[
            (Language::Python, "src/shop/pay.py", "shop.cart", "src/shop/cart.py", true),
            (Language::Python, "src/shop/pay.py", ".cart", "src/shop/cart.py", true),
            (Language::Python, "src/shop/pay.py", "..stock", "src/stock/__init__.py", true),
            (Language::Python, "src/shop/pay.py", ".", "src/shop/__init__.py", true),
            (Language::Python, "src/shop/pay.py", "cart", "src/shop/mycart.py", false),
            (Language::Python, "a/x.py", ".cart", "b/cart.py", false),
            (Language::TypeScript, "src/pay.ts", "./cart", "src/cart.ts", true),
            (Language::TypeScript, "src/pay.ts", "./cart.js", "src/cart.ts", true),
            (Language::TypeScript, "src/a/pay.ts", "../cart", "src/cart/index.tsx", true),
            (Language::TypeScript, "src/a/pay.ts", "@/lib/cart", "src/lib/cart.ts", true),
            (Language::TypeScript, "src/pay.ts", "react", "src/react.ts", false),
            (Language::TypeScript, "src/pay.ts", "./cart", "lib/cart.ts", false),
            (Language::Rust, "crates/shop/src/pay.rs", "crate::cart", "crates/shop/src/cart.rs", true),
            (Language::Rust, "crates/shop/src/pay.rs", "crate::cart", "crates/other/src/cart.rs", false),
            (Language::Rust, "crates/shop/src/a/pay.rs", "super::cart", "crates/shop/src/a/cart.rs", true),
            (
                Language::Rust,
                "crates/cli/src/main.rs",
                "sprag_shop::cart",
                "crates/shop/src/cart/mod.rs",
                true,
            ),
            (Language::Rust, "crates/cli/src/main.rs", "sprag_shop", "crates/shop/src/lib.rs", true),
            (Language::Rust, "src/main.rs", "cart", "src/cart.rs", true),
            (Language::Rust, "src/main.rs", "std::fs", "src/fs.rs", false),
            (Language::Go, "cmd/main.go", "example.com/shop/cart", "cart/add.go", true),
            (Language::Go, "cmd/main.go", "example.com/shop/cart", "other/add.go", false),
            (Language::Rust, "src/a/pay.rs", "super", "src/a/mod.rs", true),
            (Language::Java, "a/B.java", "shop.stock", "src/main/java/shop/stock/Item.java", true),
            (Language::C, "a.c", "stock.h", "include/stock.h", true),
            (Language::Ruby, "a.rb", "./stock", "lib/stock.rb", true),
        ];
        for (language, from, module, target, wanted) in cases {
            assert_eq!(means(*language, from, module, target), *wanted, "{module} in {from} -> {target}");
            let words = words(*language, module);
            if *wanted && !words.is_empty() {
                assert!(
                    words.iter().any(|word| stems(target).contains(word)),
                    "{module}: {:?}",
                    stems(target)
                );
            }
        }
    }
}
