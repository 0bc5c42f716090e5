//! The commented configuration file that `init` writes, made from the schema so that it cannot go stale.
//! `#key = value` (no blank) is a setting at its default; `# text` is about it.

use super::schema::{
    ChainSettings, CommonHookSettings, ExternalHookSettings, LlmBackend, ProfileSettings, SECTIONS,
};
use crate::settings::{Choice as _, Setting, SettingKind};
use crate::spec::{HookSpec, Preset};
use sprag_protocol::EventKind;

/// What a person chose; everything else stays at its default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chosen {
    /// The preset.
    pub preset: Option<Preset>,
    /// The `[llm]` backend.
    pub backend: Option<LlmBackend>,
}

/// The file's text.
pub fn text(builtins: &[&HookSpec], chosen: Chosen) -> String {
    let mut out = Writer::default();
    out.doc("sprag: what runs on your coding agents' events.");
    out.doc(
        "A line `#key = value` shows a default: remove the # to change it. `sprag check` finds mistakes,",
    );
    out.doc(
        "`sprag hooks order` shows the active hooks. A project's .sprag/config.toml comes after this file.",
    );
    out.line("version = 1");
    out.line("");
    presets(&mut out, builtins, chosen.preset);
    for section in &SECTIONS {
        out.line("");
        out.doc(section.doc);
        out.line(&format!("[{}]", section.name));
        for setting in section.keys {
            let is_backend = matches!(setting.kind, SettingKind::Choice(words) if words == LlmBackend::WORDS);
            out.setting(setting, chosen.backend.filter(|_| is_backend).map(LlmBackend::word));
        }
    }
    chains(&mut out);
    hooks(&mut out, builtins);
    out.line("");
    out.doc("A profile tells one kind of work from another.");
    out.line("#[profiles.work]");
    out.settings(ProfileSettings::SETTINGS);
    out.text
}

fn presets(out: &mut Writer, builtins: &[&HookSpec], chosen: Option<Preset>) {
    out.doc("Which hooks are on:");
    for preset in Preset::ALL {
        let on: Vec<&str> = builtins.iter().filter(|b| b.presets.has(preset)).map(|b| b.name).collect();
        out.wrapped(&format!("  {preset}: "), &on.join(", "));
    }
    match chosen {
        Some(preset) => out.line(&format!("preset = \"{preset}\"")),
        None => out.line("#preset = \"standard\""),
    }
}

fn chains(out: &mut Writer) {
    out.line("");
    out.doc("An event's chain. The events:");
    for kind in EventKind::ALL {
        out.doc(&format!("  {:<22} {}", kind.config_name(), kind.summary()));
    }
    out.line("#[hooks.pre_tool_use]");
    out.settings(ChainSettings::SETTINGS);
}

fn hooks(out: &mut Writer, builtins: &[&HookSpec]) {
    out.line("");
    out.doc("A hook of your own: an executable ~/.config/sprag/hooks/my_hook (.py, .js, .sh, …), named in a chain.");
    out.doc("These keys are for every hook, builtin or own:");
    out.line("#[hook.my_hook]");
    out.settings(CommonHookSettings::SETTINGS);
    out.doc("and these for your own:");
    out.settings(ExternalHookSettings::SETTINGS);
    for builtin in builtins {
        out.line("");
        let events: Vec<&str> = builtin.sees.iter().map(|sees| sees.kind.config_name()).collect();
        if !builtin.summary.is_empty() {
            out.wrapped("", builtin.summary);
        }
        out.doc(&format!("on {}", events.join(", ")));
        out.line(&format!("[hook.{}]", builtin.name));
        out.settings(builtin.settings);
    }
}

#[derive(Default)]
struct Writer {
    text: String,
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn doc(&mut self, line: &str) {
        self.line(&format!("# {line}"));
    }

    /// A comment over several lines, the later ones below the first's text.
    fn wrapped(&mut self, label: &str, text: &str) {
        const WIDTH: usize = 100;
        let mut line = label.to_owned();
        for word in text.split(' ') {
            if line.chars().count() + word.chars().count() > WIDTH && line.trim() != label.trim() {
                self.doc(line.trim_end());
                line = " ".repeat(label.chars().count());
            }
            line.push_str(word);
            line.push(' ');
        }
        self.doc(line.trim_end());
    }

    fn settings(&mut self, settings: &[Setting]) {
        for setting in settings {
            self.setting(setting, None);
        }
    }

    fn setting(&mut self, setting: &Setting, chosen: Option<&str>) {
        let choices = match setting.kind {
            SettingKind::Choice(words) => format!(" ({})", words.join(", ")),
            SettingKind::Int { min, .. } => format!(" (at least {min})"),
            _ => String::new(),
        };
        self.wrapped("", &format!("{}{choices}", setting.doc));
        match chosen {
            Some(word) => self.line(&format!("{} = {word:?}", setting.key)),
            None => self.line(&format!("#{} = {}", setting.key, setting.default_text())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;
    use crate::settings;
    use crate::spec::{Family, Presets, Sees};
    use std::path::Path;

    settings! {
        #[expect(dead_code, reason = "only the table of keys is used")]
        struct Rule<'a> {
            /// a name
            name: Text;
        }
    }

    settings! {
        #[expect(dead_code, reason = "only the table of keys is used")]
        struct AGuardSettings<'a> {
            /// a limit
            limit: u64 = 3, min 1;
            /// some words
            words: Texts = ["a", "b"];
            /// some rules
            rules: Tables<Rule>;
            /// a table of texts
            texts: Map;
        }
    }

    static HOOKS: [&HookSpec; 1] = [&HookSpec {
        name: "a-guard",
        family: Family::Guard,
        summary: "guards",
        sees: &[Sees { kind: EventKind::PreToolUse, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict]),
        settings: AGuardSettings::SETTINGS,
        timeout_ms: 1,
    }];

    #[test]
    fn as_written_it_says_nothing_but_what_was_chosen() {
        let text = text(&HOOKS, Chosen { preset: Some(Preset::Strict), backend: Some(LlmBackend::Claude) });
        let (layer, errors) = parse(&text, Path::new("config.toml"), &HOOKS);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(layer.preset, Some(Preset::Strict));
        let set: Vec<&str> = layer.sections.iter().flat_map(|(_, settings)| settings.keys()).collect();
        assert_eq!(set, ["backend"]);
        assert!(layer.chains.is_empty() && layer.hooks.iter().all(|(_, s)| s.keys().next().is_none()));
    }

    #[test]
    fn every_default_in_it_is_one_that_the_reader_takes() {
        let text = text(&HOOKS, Chosen::default());
        let open: String = text
            .lines()
            .map(|line| match line.strip_prefix('#') {
                Some(rest) if !rest.starts_with(' ') => format!("{rest}\n"),
                _ => format!("{line}\n"),
            })
            .collect();
        let (layer, errors) = parse(&open, Path::new("config.toml"), &HOOKS);
        assert!(errors.is_empty(), "{errors:?}\n{open}");
        for section in &SECTIONS {
            let (_, found) = layer.sections.iter().find(|(name, _)| *name == section.name).unwrap();
            assert_eq!(found.keys().count(), section.keys.len(), "{}", section.name);
        }
        assert_eq!(layer.hook("a-guard").unwrap().keys().count(), 4);
        assert_eq!(
            layer.hook("my_hook").unwrap().keys().count(),
            CommonHookSettings::SETTINGS.len() + ExternalHookSettings::SETTINGS.len()
        );
        assert!(text.lines().all(|line| line.chars().count() <= 130), "no line is too long to read");
    }
}
