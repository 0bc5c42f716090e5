//! `cargo xtask docs`: the parts of docs/ that come from the code, so that they cannot go stale.

use crate::{architecture, book, config_schema, plots, root};
use anyhow::Context as _;
use sprag_config::schema::{
    ChainSettings, CommonHookSettings, ExternalHookSettings, ProfileSettings, SECTIONS, variable,
};
use sprag_config::settings::{Setting, SettingKind, Tighten};
use sprag_config::spec::{HookSpec, Preset};
use sprag_hooks::SPECS;
use sprag_protocol::EventKind;
use std::fmt::Write as _;
use std::path::PathBuf;

const BEGIN: &str = "<!-- from the code: begin -->";
const END: &str = "<!-- from the code: end -->";

pub(crate) fn run(check: bool) -> anyhow::Result<()> {
    let mut stale = Vec::new();
    let mut pages: Vec<(PathBuf, String)> = vec![(root().join("docs/reference.md"), reference()?)];
    for builtin in SPECS {
        let path = root().join(format!("docs/hooks/{}.md", builtin.name));
        let old = std::fs::read_to_string(&path)
            .with_context(|| format!("{} has no page {}", builtin.name, path.display()))?;
        pages.push((path, with_facts(&old, &facts(builtin)?)?));
    }
    pages.push((root().join("docs/hooks/README.md"), index()?));
    let path = root().join("ARCHITECTURE.md");
    let old = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    pages.push((path, with_facts(&old, &architecture::read()?.map()?)?));
    pages.push((root().join("docs/config.schema.json"), config_schema::text(&SPECS)?));
    pages.push((root().join("docs/SUMMARY.md"), book::summary::text()?));
    pages.extend(plots::all()?);
    for (path, text) in pages {
        if std::fs::read_to_string(&path).unwrap_or_default() != text {
            if check {
                stale.push(path.display().to_string());
            } else {
                std::fs::write(&path, text)?;
                println!("wrote {}", path.display());
            }
        }
    }
    anyhow::ensure!(
        stale.is_empty(),
        "out of step with the code: {}\n  run `cargo xtask docs`",
        stale.join(", ")
    );
    book::check()
}

/// A page with the part from the code replaced.
fn with_facts(page: &str, facts: &str) -> anyhow::Result<String> {
    let (before, rest) =
        page.split_once(BEGIN).with_context(|| format!("the page needs the line {BEGIN}"))?;
    let (_, after) = rest.split_once(END).with_context(|| format!("the page needs the line {END}"))?;
    Ok(format!("{before}{BEGIN}\n{facts}{END}{after}"))
}

fn facts(builtin: &HookSpec) -> anyhow::Result<String> {
    let mut out = String::new();
    let events: Vec<String> = builtin
        .sees
        .iter()
        .map(|sees| {
            if sees.matcher.is_empty() {
                sees.kind.name().to_owned()
            } else {
                format!("{} (`{}`)", sees.kind, sees.matcher)
            }
        })
        .collect();
    writeln!(out, "| | |\n|---|---|")?;
    writeln!(out, "| events | {} |", events.join(", "))?;
    writeln!(out, "| bundle | {} |", builtin.bundle.name())?;
    writeln!(out, "| on in | {} |", presets(builtin))?;
    if !builtin.settings.is_empty() {
        writeln!(out, "\n```toml\n[hook.{}]", builtin.name)?;
        for setting in builtin.settings {
            writeln!(out, "{} = {}  # {}", setting.key, setting.default_text(), setting.doc)?;
        }
        writeln!(out, "```")?;
        let tighten: Vec<String> = builtin
            .settings
            .iter()
            .filter(|s| s.tighten != Tighten::Never)
            .map(|s| format!("`{}`", s.key))
            .collect();
        if !tighten.is_empty() {
            writeln!(out, "\nA project that is not trusted may tighten {}.", tighten.join(", "))?;
        }
    }
    Ok(out)
}

fn presets(builtin: &HookSpec) -> String {
    let on = Preset::ALL.into_iter().filter(|preset| builtin.is_in(*preset));
    let on: Vec<&str> = on.map(Preset::name).collect();
    match on.as_slice() {
        [] if builtin.comes_with_bundle() => format!("no preset: `sprag enable {}`", builtin.bundle.name()),
        [] => format!("no preset: `sprag enable {}`", builtin.name),
        on => on.join(", "),
    }
}

fn index() -> anyhow::Result<String> {
    let mut out = String::from(
        "# The builtin hooks\n\nGenerated from the code by `cargo xtask docs`. The order is the order in which they run within an event.\n\n| hook | bundle | what it does | on in |\n|---|---|---|---|\n",
    );
    for builtin in SPECS {
        writeln!(
            out,
            "| [{0}]({0}.md) | {1} | {2} | {3} |",
            builtin.name,
            builtin.bundle.name(),
            builtin.summary,
            presets(builtin)
        )?;
    }
    Ok(out)
}

fn reference() -> anyhow::Result<String> {
    let mut out = String::from(
        "# Reference\n\nGenerated from the code by `cargo xtask docs`. Elsewhere: [every command](commands.md), [what `--json` prints](json.md), [every hook with its settings](hooks/README.md), [files](operate.md#what-is-stored).\n\n## Configuration\n\n`~/.config/sprag/config.toml`, then `.sprag/config.toml` of the project, then variables; a managed [policy](environments.md#a-policy-for-an-organisation) is under all of them. An unknown key is an error. Editors can check the file with [config.schema.json](config.schema.json).\n\n",
    );
    writeln!(
        out,
        "| key | default | meaning |\n|---|---|---|\n| `version` | `1` | the version of the format |\n| `preset` | `\"standard\"` | minimal, standard, strict or swarm: sets of bundles |\n| `enable` | `[]` | bundles and hooks on top of the preset |\n| `disable` | `[]` | bundles and hooks that are off, whatever the preset |\n| `trial` | | `\"7d\"`, or `\"7d since 2026-11-16\"`: until its end whatever can stop only reports (`sprag trial`) |\n"
    )?;
    table(&mut out, "`[hooks.<event>]`: an event's chain", ChainSettings::SETTINGS, None)?;
    table(&mut out, "`[hook.<name>]`: any hook", CommonHookSettings::SETTINGS, None)?;
    table(&mut out, "`[hook.<name>]`: your own hook", ExternalHookSettings::SETTINGS, None)?;
    for section in &SECTIONS {
        table(&mut out, &format!("`[{}]`: {}", section.name, section.doc), section.keys, Some(section.name))?;
    }
    table(&mut out, "`[profiles.<name>]`", ProfileSettings::SETTINGS, None)?;
    writeln!(
        out,
        "## Events\n\nEither name may be written.\n\n| event | in the configuration | when |\n|---|---|---|"
    )?;
    for kind in EventKind::ALL {
        writeln!(out, "| {} | `{}` | {} |", kind.name(), kind.config_name(), kind.summary())?;
    }
    writeln!(
        out,
        "\n## Exit codes\n\n0 done, 1 failed or refused, 2 wrong usage; `sprag hook` always 0. More in [the command line](command-line.md#exit-codes)."
    )?;
    writeln!(out, "\n## Variables\n\n| variable | meaning |\n|---|---|")?;
    for (name, meaning) in VARIABLES {
        writeln!(out, "| `{name}` | {meaning} |")?;
    }
    Ok(out)
}

/// Variables that are no configuration key.
const VARIABLES: [(&str, &str); 13] = [
    ("SPRAG_CONFIG_DIR", "configuration and own hooks (default `~/.config/sprag`)"),
    ("SPRAG_DATA_DIR", "knowledge (default `~/.local/share/sprag`)"),
    ("SPRAG_STATE_DIR", "journal, queue, caches (default `~/.local/state/sprag`)"),
    ("SPRAG_DISABLE", "hooks or bundles to switch off for one run: `name,name` or `all`"),
    ("SPRAG_PRESET", "the preset, over the files"),
    ("SPRAG_TASK", "the task that the session works on, set by whoever starts the agent"),
    ("SPRAG_AGENT_NAME", "the agent's name in the team; else the program's"),
    ("SPRAG_AGENT_ROLE", "`lead` or `worker`; else what the store knows"),
    ("SPRAG_WORKER", "`off`: hooks queue, nothing is started"),
    ("SPRAG_NESTED", "set for model calls that sprag makes: every hook is a no-op"),
    ("NO_COLOR", "no colours on a terminal"),
    ("CLICOLOR", "`0`: no colours; `CLICOLOR_FORCE=1`: colours also in a pipe"),
    ("COLUMNS", "the width of the terminal, over what it says itself"),
];

fn table(out: &mut String, title: &str, settings: &[Setting], section: Option<&str>) -> anyhow::Result<()> {
    writeln!(out, "### {title}\n\n| key | default | meaning |\n|---|---|---|")?;
    for setting in settings {
        let default = match setting.kind {
            SettingKind::Choice(words) => {
                words.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(" ")
            }
            _ => format!("`{}`", setting.default_text()),
        };
        let overridden =
            section.map_or_else(String::new, |section| format!(" (`{}`)", variable(section, setting.key)));
        writeln!(out, "| `{}` | {default} | {}{overridden} |", setting.key, setting.doc)?;
    }
    writeln!(out)?;
    Ok(())
}
