//! descriptive-name: how a NEW file is named: as its neighbours are, else as its language does, and not `utils2`.
//! Advice once per file; denies only when told to; never approves.

use sprag_base::glob;
use sprag_config::settings;
use sprag_protocol::edits::{self, Change};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};
use std::path::Path;

settings! {
    struct DescriptiveNameSettings<'a> {
        /// deny instead of advising
        deny: bool = false, tighten ToTrue;
        /// files beside it that show a style before one is learned
        min_siblings: usize = 3, min 1;
        /// how many of them must have it, in percent
        share_percent: usize = 70, min 51;
        /// styles by extension, over everything: `styles.ts = "camel"` (kebab, snake, pascal, camel, any)
        styles: Map;
        /// more words that say nothing as a name
        generic: Texts, tighten Add;
        /// files that may have any name: `scripts/**`, `*.gen.ts`
        exempt: Texts;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "descriptive-name",
        family: Family::Guard,
        bundle: Bundle::Advice,
        summary: "tells the model when a new file's name breaks the convention of its neighbours or says nothing",
        sees: &[Sees { kind: EventKind::PreToolUse, matcher: "Write" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict]),
        settings: DescriptiveNameSettings::SETTINGS,
        timeout_ms: 500,
    },
    run,
};

#[expect(clippy::unnecessary_wraps, reason = "the signature of every hook")]
fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: DescriptiveNameSettings<'_> = cx.settings.read();
    let mut advice: Vec<(String, String)> = Vec::new();
    for file in edits::of(event) {
        if !matches!(file.change, Change::Whole(_)) {
            continue;
        }
        let path = edits::absolute(&file.path, &cx.project.cwd);
        // Files elsewhere (a scratch folder, another project) are not this project's business.
        let Ok(inside) = path.strip_prefix(&cx.project.root) else { continue };
        let shown = inside.to_string_lossy().replace('\\', "/");
        if settings.exempt.iter().any(|pattern| glob::path(pattern, &shown)) || exempt(&shown) {
            continue;
        }
        // Overwriting is no naming.
        if path.symlink_metadata().is_ok() {
            continue;
        }
        if let Some(text) = advise(&path, &shown, cx) {
            advice.push((shown, text));
        }
    }
    if advice.is_empty() {
        return Ok(Reply::pass());
    }
    if settings.deny {
        let all: Vec<&str> = advice.iter().map(|(_, text)| text.as_str()).collect();
        return Ok(Reply::deny(all.join(" ")));
    }
    Ok(advice.into_iter().fold(Reply::pass(), |reply, (shown, text)| {
        reply.with_note(format!("descriptive-name:{shown}"), priority::REMINDER, text)
    }))
}

fn advise(path: &Path, shown: &str, cx: &Cx<'_>) -> Option<String> {
    let settings: DescriptiveNameSettings<'_> = cx.settings.read();
    let name = path.file_name()?.to_str()?;
    let (stem, extension) = name.split_once('.')?;
    let last = extension.rsplit('.').next().unwrap_or(extension).to_ascii_lowercase();
    let folder = path.parent()?;
    let chosen = match settings.styles.get(&last) {
        Some("any") => None,
        Some(word) => Style::named(word).map(|style| (vec![style], "your setting")),
        None => {
            let least = settings.min_siblings;
            let share = settings.share_percent;
            let learn = |folder: &Path| learned(&siblings(folder, &last), least, share);
            // A folder with few files is named like the one above it.
            let above = || folder.parent().filter(|above| above.starts_with(&cx.project.root));
            let own = learn(folder).map(|style| (vec![style], "the files beside it"));
            own.or_else(|| above().and_then(learn).map(|style| (vec![style], "the folder above it")))
                .or_else(|| by_language(&last).map(|styles| (styles.to_vec(), "its language's custom")))
        }
    };
    if let Some((styles, why)) = chosen
        && !styles.iter().any(|style| style.fits(stem))
    {
        let style = styles.first()?;
        return Some(format!(
            "`{shown}` is a new file whose name is not {}, as {why} would have it: `{}.{extension}`. Rename it now, \
             while nothing refers to it.",
            style.shown(),
            style.spell(&words(stem))
        ));
    }
    let says_nothing = generic(&words(stem), &settings.generic.to_vec());
    says_nothing.then(|| {
        format!(
            "`{shown}` is a new file whose name does not say what is in it. Name it after its purpose, so that someone \
             who searches for that finds it."
        )
    })
}

/// How the words of a name are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Kebab,
    Snake,
    Pascal,
    Camel,
}

const STYLES: [Style; 4] = [Style::Kebab, Style::Snake, Style::Pascal, Style::Camel];

impl Style {
    fn named(word: &str) -> Option<Self> {
        STYLES.into_iter().find(|style| style.word() == word)
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Kebab => "kebab",
            Self::Snake => "snake",
            Self::Pascal => "pascal",
            Self::Camel => "camel",
        }
    }

    const fn shown(self) -> &'static str {
        match self {
            Self::Kebab => "kebab-case",
            Self::Snake => "snake_case",
            Self::Pascal => "PascalCase",
            Self::Camel => "camelCase",
        }
    }

    /// True when a name may be of the style: one small word may be of three.
    fn fits(self, stem: &str) -> bool {
        let stem = stem.trim_start_matches('_');
        let upper = stem.bytes().any(|b| b.is_ascii_uppercase());
        let first_upper = stem.starts_with(|c: char| c.is_uppercase());
        let (dash, line) = (stem.contains('-'), stem.contains('_'));
        if stem.contains(char::is_whitespace) {
            return false;
        }
        match self {
            Self::Kebab => !upper && !line,
            Self::Snake => !upper && !dash,
            Self::Pascal => first_upper && !dash && !line,
            Self::Camel => !first_upper && !dash && !line,
        }
    }

    /// The style that a name shows, when it shows one.
    fn of(stem: &str) -> Option<Self> {
        let fitting: Vec<Self> = STYLES.into_iter().filter(|style| style.fits(stem)).collect();
        match fitting.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }

    fn spell(self, words: &[String]) -> String {
        let capital = |word: &String| {
            let mut chars = word.chars();
            chars
                .next()
                .map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
        };
        match self {
            Self::Kebab => words.join("-"),
            Self::Snake => words.join("_"),
            Self::Pascal => words.iter().map(capital).collect(),
            Self::Camel => {
                let mut all: Vec<String> = words.iter().map(capital).collect();
                if let (Some(first), Some(word)) = (all.first_mut(), words.first()) {
                    first.clone_from(word);
                }
                all.concat()
            }
        }
    }
}

/// The words of a name, small.
fn words(stem: &str) -> Vec<String> {
    let mut out: Vec<String> = vec![String::new()];
    let mut before = '_';
    let chars: Vec<char> = stem.chars().collect();
    for (at, c) in chars.iter().enumerate() {
        let next_small = chars.get(at + 1).is_some_and(|next| next.is_lowercase());
        let begins = c.is_uppercase() && (!before.is_uppercase() || next_small);
        if c.is_alphanumeric() {
            if begins {
                out.push(String::new());
            }
            if let Some(word) = out.last_mut() {
                word.extend(c.to_lowercase());
            }
        } else {
            out.push(String::new());
        }
        before = *c;
    }
    out.retain(|word| !word.is_empty());
    out
}

/// The most entries of a folder that are looked at.
const LOOK_AT: usize = 400;

/// The names in a folder with the same extension, up to the first dot.
fn siblings(folder: &Path, extension: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(LOOK_AT);
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.rsplit_once('.').is_some_and(|(_, last)| last.eq_ignore_ascii_case(extension)))
        .filter(|name| !well_known(name))
        .filter_map(|name| name.split_once('.').map(|(stem, _)| stem.to_owned()))
        .collect()
}

/// The style that most names show. Names that may be of several styles tell nothing. Pure.
fn learned(stems: &[String], least: usize, share: usize) -> Option<Style> {
    let telling: Vec<Style> = stems.iter().filter_map(|stem| Style::of(stem)).collect();
    if telling.len() < least {
        return None;
    }
    STYLES.into_iter().find(|style| {
        let count = telling.iter().filter(|other| *other == style).count();
        count * 100 >= telling.len() * share
    })
}

/// What a language is used to; the first is the one that is advised.
fn by_language(extension: &str) -> Option<&'static [Style]> {
    Some(match extension {
        "py" | "rs" | "go" | "rb" | "ex" | "exs" | "erl" | "lua" | "dart" | "c" | "h" | "zig" | "jl" => {
            &[Style::Snake]
        }
        "java" | "cs" | "kt" | "swift" | "scala" | "fs" | "vb" => &[Style::Pascal],
        "ts" | "js" | "mts" | "cts" | "mjs" | "cjs" => &[Style::Kebab, Style::Camel],
        "tsx" | "jsx" | "vue" | "svelte" | "astro" => &[Style::Kebab, Style::Pascal, Style::Camel],
        "css" | "scss" | "sass" | "less" | "html" | "md" | "mdx" => &[Style::Kebab],
        "sh" | "bash" | "zsh" => &[Style::Kebab, Style::Snake],
        _ => return None,
    })
}

/// Names that tools and people expect as they are.
fn well_known(name: &str) -> bool {
    const STEMS: [&str; 24] = [
        "index", "main", "mod", "lib", "__init__", "__main__", "conftest", "setup", "build", "manage",
        "wsgi", "asgi", "app", "App", "Makefile", "Dockerfile", "Rakefile", "Gemfile", "Vagrantfile",
        "Jenkinsfile", "Procfile", "Program", "Package", "AssemblyInfo",
    ];
    const CONFIG: [&str; 22] = [
        "json", "jsonc", "json5", "yaml", "yml", "toml", "ini", "cfg", "conf", "lock", "xml", "env",
        "properties", "plist", "gradle", "csproj", "sln", "tf", "tfvars", "nix", "bazel", "bzl",
    ];
    let stem = name.split('.').next().unwrap_or(name);
    let extension = name.rsplit('.').next().unwrap_or_default();
    let letters = stem.chars().any(char::is_alphabetic);
    let shouted = letters && stem.chars().all(|c| !c.is_lowercase());
    !name.contains('.')
        || name.starts_with('.')
        || STEMS.contains(&stem)
        || shouted
        || CONFIG.contains(&extension)
        || name.contains(".config.")
        || name.contains(".conf.")
        || stem.ends_with("rc")
        // Names that a framework gives a meaning: `[id].tsx`, `(group)`, `+page.svelte`, `$slug`.
        || stem.starts_with(|c: char| !c.is_alphanumeric() && c != '_')
        || is_test(name)
        // Migrations and records: `0001_initial.py`, `20240101_add_x.sql`, `V2__x.sql`, `2026-01-01-notes.md`.
        || stem.bytes().take_while(u8::is_ascii_digit).count() >= 3
        || (stem.starts_with('V') && stem.contains("__"))
}

fn is_test(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    stem.starts_with("test_")
        || ["_test", "_spec", "Test", "Tests", "Spec", "IT"].iter().any(|end| stem.ends_with(end))
        || [".test.", ".spec.", ".cy.", ".e2e.", ".stories."].iter().any(|part| name.contains(part))
}

/// A file whose name is not the project's choice.
fn exempt(shown: &str) -> bool {
    const FOLDERS: [&str; 9] = [
        "node_modules", "vendor", "target", "dist", "build", "generated", "migrations", "__pycache__",
        "third_party",
    ];
    let mut parts = shown.rsplit('/');
    let name = parts.next().unwrap_or(shown);
    well_known(name) || parts.any(|folder| FOLDERS.contains(&folder) || folder.starts_with('.'))
}

/// Words that say nothing about what is in a file, alone or with a number.
const GENERIC: [&str; 30] = [
    "new", "temp", "tmp", "test", "final", "copy", "untitled", "foo", "bar", "baz", "stuff", "misc", "thing",
    "things", "file", "code", "old", "backup", "bak", "draft", "asdf", "qwerty", "script", "data", "sample",
    "scratch", "junk", "helper", "util", "class",
];

/// Words that only tell a file from another one that should not be there, at the end of a name.
const LEFTOVER: [&str; 8] = ["final", "copy", "new", "old", "backup", "bak", "fixed", "temp"];

/// True when a name says nothing: `utils2`, `new_file`, `test1`, `report_final`. Pure.
fn generic(words: &[String], more: &[&str]) -> bool {
    let bare = |word: &str| word.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let empty = |word: &String| {
        let bare = bare(word);
        let one = bare.strip_suffix('s').unwrap_or(&bare);
        bare.is_empty()
            || GENERIC.contains(&bare.as_str())
            || GENERIC.contains(&one)
            || more.contains(&bare.as_str())
    };
    // `utils` alone is a custom; `utils2` and `helpers2` are not.
    let custom =
        |word: &String| matches!(word.as_str(), "util" | "utils" | "helper" | "helpers" | "data" | "class");
    let last = words.last().map(|word| bare(word)).unwrap_or_default();
    let all = !words.is_empty() && words.iter().all(empty) && !(words.len() == 1 && words.iter().all(custom));
    all || (words.len() > 1 && LEFTOVER.contains(&last.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stems(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn styles_of_names() {
        assert_eq!(Style::of("user-card"), Some(Style::Kebab));
        assert_eq!(Style::of("user_card"), Some(Style::Snake));
        assert_eq!(Style::of("UserCard"), Some(Style::Pascal));
        assert_eq!(Style::of("userCard"), Some(Style::Camel));
        assert_eq!((Style::of("cart"), Style::of("user-Card")), (None, None), "may be any, is none");
        assert!(Style::Snake.fits("_private") && Style::Snake.fits("v2") && Style::Pascal.fits("Cart"));
    }

    #[test]
    fn names_are_respelled() {
        let all = |stem: &str| STYLES.map(|style| style.spell(&words(stem)));
        for stem in ["user-card2", "user_card2", "UserCard2", "userCard2"] {
            assert_eq!(all(stem), ["user-card2", "user_card2", "UserCard2", "userCard2"], "{stem}");
        }
        assert_eq!(words("HTTPServerError"), ["http", "server", "error"]);
    }

    #[test]
    fn a_style_is_learned_from_three_that_show_one() {
        assert_eq!(learned(&stems(&["a-b", "c-d", "e-f", "cart"]), 3, 70), Some(Style::Kebab));
        assert_eq!(learned(&stems(&["a-b", "c-d", "cart", "order"]), 3, 70), None, "two show nothing");
        assert_eq!(learned(&stems(&["a-b", "c-d", "e_f", "g_h"]), 3, 70), None, "half is no convention");
        assert_eq!(learned(&stems(&["AbC", "Cart", "Order", "x_y"]), 3, 70), Some(Style::Pascal));
    }

    #[test]
    fn names_that_say_nothing() {
        for stem in [
            "utils2", "new", "temp", "tmp3", "test1", "final", "copy", "new_file", "newFile", "file-2",
            "untitled", "report_final", "cart-copy", "parser_old", "script", "stuff", "helpers2",
            "reportFinal2",
        ] {
            assert!(generic(&words(stem), &[]), "{stem}");
        }
        for stem in [
            "cart", "utils", "helpers", "new-user-form", "test-runner", "copy-button", "file-watcher",
            "v2-routes", "final-score", "string_utils", "data-loader", "data",
        ] {
            assert!(!generic(&words(stem), &[]), "{stem}");
        }
        assert!(generic(&words("manager"), &["manager"]));
    }

    #[test]
    fn names_that_tools_expect() {
        for path in [
            "README.md", "docs/CHANGELOG.md", "src/index.ts", "src/main.rs", "pkg/__init__.py",
            ".eslintrc.js", "Makefile", "Dockerfile.dev", "vite.config.ts", "src/Cart.test.tsx",
            "tests/test_Cart.py", "cart_test.go", "app/migrations/Xy.py", "0001_Initial.py",
            "db/20240101120000_addX.rb", "V2__add_x.sql", "package.json", "routes/[id].tsx",
            "routes/+page.svelte", "node_modules/x/Y_z.js", ".github/x/Y_z.js", "LICENSE",
            "2026-11-15-Notes.md",
        ] {
            assert!(exempt(path), "{path}");
        }
        for path in ["src/Cart.rs", "docs/My Guide.md", "src/new.py", "lib/foo_bar.ts", "a/User-Card.tsx"] {
            assert!(!exempt(path), "{path}");
        }
    }

    proptest! {
        #[test]
        fn any_name_is_answered(stem in "\\PC{0,30}|[a-zA-Z0-9_-]{0,30}") {
            let words = words(&stem);
            let _ = (generic(&words, &[]), exempt(&stem), Style::of(&stem));
            for style in STYLES {
                let spelled = style.spell(&words);
                if stem.is_ascii() && stem.chars().any(|c| c.is_ascii_alphabetic()) && !spelled.is_empty()
                    && !spelled.starts_with(|c: char| c.is_ascii_digit()) {
                    prop_assert!(style.fits(&spelled), "{:?} {}", style, spelled);
                }
            }
        }
    }
}
