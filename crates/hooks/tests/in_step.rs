//! A builtin is four things with one name: its file, its cases, its page and its line in the registry.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use sprag_hooks::SPECS;
use std::collections::BTreeSet;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

#[test]
fn every_builtin_has_its_file_cases_and_page() {
    for builtin in SPECS {
        let stem = builtin.name.replace('-', "_");
        let folder = root().join("crates/hooks/src").join(builtin.family.name());
        for path in [
            folder.join(format!("{stem}.rs")),
            folder.join(format!("{stem}.hook.toml")),
            root().join(format!("docs/hooks/{}.md", builtin.name)),
        ] {
            assert!(path.is_file(), "{} misses {}", builtin.name, path.display());
        }
    }
}

#[test]
fn every_file_case_and_page_has_its_builtin() {
    let names: BTreeSet<String> = SPECS.iter().map(|builtin| builtin.name.to_owned()).collect();
    for family in ["session", "context", "guard", "verify", "code", "memory", "team"] {
        let folder = root().join("crates/hooks/src").join(family);
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(stem) = name.strip_suffix(".hook.toml") {
                assert!(names.contains(&stem.replace('_', "-")), "{family}/{name} has no builtin");
            } else if let Some(stem) = name.strip_suffix(".rs")
                && std::fs::read_to_string(entry.path()).unwrap().contains("pub const HOOK: Builtin")
            {
                assert!(names.contains(&stem.replace('_', "-")), "{family}/{name} is not in the registry");
            }
        }
    }
    for entry in std::fs::read_dir(root().join("docs/hooks")).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let stem = name.strip_suffix(".md").unwrap_or_else(|| panic!("docs/hooks/{name} is no page"));
        assert!(stem == "README" || names.contains(stem), "docs/hooks/{name} has no builtin");
    }
}

#[test]
fn names_are_unique_and_settings_do_not_hide_common_keys() {
    let names: BTreeSet<&str> = SPECS.iter().map(|builtin| builtin.name).collect();
    assert_eq!(names.len(), SPECS.len());
    for builtin in SPECS {
        assert!(!builtin.summary.is_empty() && !builtin.sees.is_empty(), "{}", builtin.name);
        for setting in builtin.settings {
            let common =
                sprag_config::schema::CommonHookSettings::SETTINGS.iter().any(|key| key.key == setting.key);
            assert!(!common, "{}: `{}` is a key of every hook", builtin.name, setting.key);
        }
    }
}

/// The compiler does not warn of a field that nobody reads when a macro of another crate makes the struct.
#[test]
fn every_setting_is_read() {
    for builtin in SPECS {
        let stem = builtin.name.replace('-', "_");
        let folder = root().join("crates/hooks/src").join(builtin.family.name());
        let file = std::fs::read_to_string(folder.join(format!("{stem}.rs"))).unwrap();
        // Settings that another crate reads too are declared and read there.
        if !file.contains("\nsettings! {\n") {
            continue;
        }
        let parts = std::fs::read_dir(folder.join(&stem)).into_iter().flatten().flatten();
        let parts = parts.map(|part| std::fs::read_to_string(part.path()).unwrap());
        let text: String = std::iter::once(file).chain(parts).collect();
        let declared_here = |key: &str| text.contains(&format!("\n        {key}: "));
        for setting in builtin.settings.iter().filter(|setting| declared_here(setting.key)) {
            let read = text.match_indices(&format!(".{}", setting.key)).any(|(at, found)| {
                let next = text.get(at + found.len()..).and_then(|rest| rest.chars().next());
                !next.is_some_and(|next| next.is_alphanumeric() || matches!(next, '_' | '('))
            });
            assert!(read, "{}: nobody reads `{}`", builtin.name, setting.key);
        }
    }
}
