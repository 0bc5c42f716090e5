//! The file that `init` writes: what differs from the defaults, and how to find the rest.

use crate::schema::LlmBackend;
use crate::settings::Choice as _;
use crate::spec::{Bundle, Preset};

/// The file's text; everything is at its default.
pub fn text() -> String {
    format!(
        r#"# sprag: what runs on your coding agents' events. What is not here is at its default.
# Every key of a hook, with its value: `sprag hooks show NAME`. Mistakes: `sprag check`.
# Comments stay when `sprag enable`, `disable`, `trial` or `init` change this file.
version = 1

# A set of bundles: {presets}. `sprag bundles` shows what each does, costs and stores.
preset = "{preset}"

# Bundles or single hooks on top of the preset, or without them: {bundles}.
enable = []
disable = []

# `sprag trial start 7d`: for so long whatever can stop only reports what it would have stopped.

# One hook: `sprag hooks show command-guard` lists its settings.
# [hook.command-guard]
# mode = "shadow"         # enforce | shadow | off

# A hook of your own: an executable ~/.config/sprag/hooks/my_hook (.py, .js, .sh …), or `sprag hooks new my_hook`.
# [hooks.pre_tool_use]
# append = ["my_hook"]

# A model for the background worker; nothing is sent or spent until one is chosen ({backends}).
# [llm]
# backend = "none"
"#,
        presets = Preset::NAMES.join(" | "),
        preset = Preset::default(),
        bundles = Bundle::WORDS.join(", "),
        backends = LlmBackend::WORDS.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;
    use std::path::Path;

    #[test]
    fn it_says_nothing_but_the_defaults_on_at_most_40_lines() {
        let text = text();
        assert!(text.lines().count() <= 40, "{}", text.lines().count());
        assert!(text.lines().all(|line| line.chars().count() <= 130), "no line is too long to read");
        let (layer, errors) = parse(&text, Path::new("config.toml"), &[]);
        assert!(errors.is_empty(), "{errors:?}");
        assert!(layer.enable.is_empty() && layer.disable.is_empty() && layer.trial.is_none());
        assert!(
            layer.preset == Some(Preset::Standard) && layer.hooks.is_empty() && layer.sections.is_empty()
        );
    }

    #[test]
    fn its_examples_are_ones_that_the_reader_takes() {
        let open: String = text()
            .lines()
            .filter_map(|line| match line.strip_prefix("# ") {
                Some(example) if example.contains(" = ") || example.starts_with('[') => Some(example),
                Some(_) => None,
                None => Some(line),
            })
            .flat_map(|line| [line, "\n"])
            .collect();
        let (layer, errors) = parse(&open, Path::new("config.toml"), &[]);
        assert!(errors.iter().all(|error| error.what.contains("my_hook")), "{errors:?}\n{open}");
        assert!(layer.chains.len() == 1 && layer.sections.len() == 1);
    }
}
