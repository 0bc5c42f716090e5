//! `sprag trust`: a person's word for a project's own hooks and settings, pinned by content.
//! What would be trusted is shown before it is.

use crate::commands::check::trust_word;
use crate::commands::project_at;
use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_config::schema::ExternalHookSettings;
use sprag_config::settings::Value as SettingValue;
use sprag_config::spec::{Bundle, Family};
use sprag_config::trust::{self, Trust};
use sprag_config::{Layer, parse, restrict};
use sprag_project::Project;
use sprag_terminal::person::{at_terminal, refuse_inside_agent, require_person};
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Table, Tone, visible};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct TrustArgs {
    /// The project (default: the one around the working directory)
    path: Option<PathBuf>,
    /// Do not ask (from a script outside any agent)
    #[arg(long)]
    yes: bool,
    /// Take the trust back
    #[arg(long, conflicts_with = "list")]
    revoke: bool,
    /// List the trusted projects
    #[arg(long, conflicts_with = "path")]
    list: bool,
    /// Print JSON; without --yes, show only
    #[arg(long)]
    json: bool,
}

/// What a project wants that counts only when it is trusted.
struct Wish {
    /// The pinned files with the hash of their content.
    files: std::collections::BTreeMap<String, String>,
    /// The programs it would run: hook and command.
    commands: Vec<(String, String)>,
    /// What it would loosen or add.
    loosens: Vec<String>,
    /// The guards that would stop nothing.
    off: Vec<String>,
    /// The beginning of each file, as it is.
    texts: Vec<Text>,
    state: Trust,
}

/// What is shown of a file: its lines without comments in a configuration, and how many there are beyond.
struct Text {
    file: String,
    lines: Vec<String>,
    more: usize,
}

/// Lines of a script that are shown: enough to see what it is.
const SCRIPT_LINES: usize = 12;
/// Lines of the configuration that are shown: each of them may grant something.
const CONFIG_LINES: usize = 60;
/// What is shown of one line.
const LINE_CHARS: usize = 300;
const CONFIG: &str = ".sprag/config.toml";

pub(crate) fn run(args: &TrustArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    if args.list {
        return Ok(list(args, host, out));
    }
    let project = project_at(host, args.path.as_deref());
    if args.revoke {
        return revoke(args, host, &project, out);
    }
    // Read once: what is pinned is what was shown, whatever happens to the files meanwhile.
    let wish = read(host, &project);
    if wish.files.is_empty() && !project.is_codebase(&host.paths.home) {
        bail!(Problem::new(
            format!("{} is no project", host.paths.tilde(&project.root)),
            "change to a folder with a repository or a manifest, or name it"
        ));
    }
    let already = wish.state == Trust::Trusted;
    if !args.json {
        show(host, &project, &wish, out);
    }
    if already || (args.json && !args.yes) {
        if args.json {
            out.json(&as_json(&project, &wish, already));
        } else {
            out.line(&out.paint(Tone::Good, "It is trusted as it is."));
        }
        return Ok(ExitCode::SUCCESS);
    }
    require_person(host, args.yes)?;
    let agreed = args.yes || (at_terminal() && out.confirm("Trust exactly this?"));
    if !agreed {
        out.line("Nothing was changed.");
        return Ok(ExitCode::FAILURE);
    }
    grant(host, &project, &wish)?;
    if args.json {
        out.json(&as_json(&project, &wish, true));
    } else {
        out.line(&format!("{} {}", out.paint(Tone::Good, "trusted"), host.paths.tilde(&project.root)));
        out.line(
            &out.paint(
                Tone::Dim,
                "A changed file must be trusted again. `sprag trust --revoke` takes it back.",
            ),
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Trusts a project after a yes that was given elsewhere, and shows what that covers.
pub(crate) fn grant_shown(host: &Host, project: &Project, out: &Out) -> anyhow::Result<()> {
    let wish = read(host, project);
    show(host, project, &wish, out);
    grant(host, project, &wish)?;
    out.line(&format!("{} {}", out.paint(Tone::Good, "trusted"), host.paths.tilde(&project.root)));
    Ok(())
}

fn grant(host: &Host, project: &Project, wish: &Wish) -> anyhow::Result<()> {
    trust::grant_seen(&host.paths, &project.root, wish.files.clone(), host.clock.now()).with_context(
        || {
            Problem::new(
                format!("{} cannot be written", host.paths.tilde(&host.paths.trust_file())),
                "check its owner and mode",
            )
        },
    )?;
    Ok(())
}

fn read(host: &Host, project: &Project) -> Wish {
    let files = trust::contents(&project.root);
    let layer = |file: PathBuf| -> Layer {
        let text = sprag_base::files::read_text(&file, sprag_base::files::STATE).unwrap_or_default();
        parse::parse(&text, &file, host.hooks).0
    };
    let user = layer(host.paths.config_file());
    let own = layer(project.root.join(CONFIG));
    let mut commands = Vec::new();
    for (name, settings) in &own.hooks {
        if let Some(command) = settings.read::<ExternalHookSettings<'_>>().command {
            commands.push((name.clone(), command.to_vec().join(" ")));
        }
    }
    let scripts = files.keys().filter(|name| name.starts_with(".sprag/hooks/"));
    commands.extend(scripts.map(|file| {
        let stem = std::path::Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (stem, file.clone())
    }));
    let off = switched_off(&own, host);
    let texts = files.keys().map(|name| beginning(project, name)).collect();
    let (_, loosens) = restrict::tighten_only(own, Some(&user), host.hooks);
    Wish { files, commands, loosens, off, texts, state: trust::state(&host.paths, &project.root) }
}

/// What a configuration says against the guards, in plain words.
fn switched_off(own: &Layer, host: &Host) -> Vec<String> {
    let is_guard = |name: &str| host.hook(name).is_some_and(|hook| hook.family == Family::Guard);
    let mut off = Vec::new();
    for name in &own.disable {
        if Bundle::from_name(name) == Some(Bundle::Guards) {
            off.push("this turns the guards OFF: nothing that destroys or leaks is stopped".to_owned());
        } else if is_guard(name) {
            off.push(format!("this turns the guard {name} OFF"));
        }
    }
    for (name, settings) in own.hooks.iter().filter(|(name, _)| is_guard(name)) {
        match settings.get("mode").and_then(SettingValue::as_text) {
            Some("off") => off.push(format!("this turns the guard {name} OFF")),
            Some("shadow") => off.push(format!("this lets the guard {name} only watch: it stops nothing")),
            _ if settings.get("enabled") == Some(&SettingValue::Bool(false)) => {
                off.push(format!("this turns the guard {name} OFF"));
            }
            _ => {}
        }
    }
    if let Some(until) = &own.trial {
        off.push(format!("this starts a trial: no guard stops anything until {until}"));
    }
    off
}

/// The first lines of a file that trust covers; nothing in them moves the cursor or hides.
fn beginning(project: &Project, file: &str) -> Text {
    let text = sprag_base::files::read_text(project.root.join(file), sprag_base::files::STATE);
    let Ok(text) = text else {
        let lines = vec!["(this is no text)".to_owned()];
        return Text { file: file.to_owned(), lines, more: 0 };
    };
    let config = file == CONFIG;
    let says = |line: &&str| !(line.trim().is_empty() || config && line.trim_start().starts_with('#'));
    let most = if config { CONFIG_LINES } else { SCRIPT_LINES };
    let shown = |line: &str| visible(&sprag_base::text::cut(line, LINE_CHARS));
    let lines: Vec<String> = text.lines().filter(says).take(most).map(shown).collect();
    let more = text.lines().filter(says).count() - lines.len();
    Text { file: file.to_owned(), lines, more }
}

fn as_json(project: &Project, wish: &Wish, trusted: bool) -> Value {
    let changed = match &wish.state {
        Trust::Changed(files) => files.clone(),
        _ => Vec::new(),
    };
    json!({
        "project": project.root,
        "state": if trusted { "trusted" } else { trust_word(&wish.state) },
        "changed": changed,
        "files": wish.files.iter().map(|(path, hash)| json!({ "path": path, "hash": hash })).collect::<Vec<_>>(),
        "commands": wish.commands.iter().map(|(hook, command)| json!({ "hook": hook, "command": command }))
            .collect::<Vec<_>>(),
        "loosens": wish.loosens,
        "off": wish.off,
    })
}

fn show(host: &Host, project: &Project, wish: &Wish, out: &Out) {
    out.heading(&host.paths.tilde(&project.root));
    out.line("Its own build, types and linters may be run after edits.");
    if !wish.files.is_empty() {
        out.line("Files that count from then on:");
    }
    for name in wish.files.keys() {
        let changed = matches!(&wish.state, Trust::Changed(changed) if changed.contains(name));
        let mark = if changed {
            out.paint(Tone::Warn, "  changed or new since it was trusted")
        } else {
            String::new()
        };
        out.line(&format!("  {name}{mark}"));
    }
    if !wish.commands.is_empty() {
        out.line("Programs that it may run on every event of your agents:");
        for (hook, command) in &wish.commands {
            out.line(&format!("  {hook}: {}", out.paint(Tone::Warn, command)));
        }
    }
    if !wish.loosens.is_empty() {
        out.line("What it loosens, adds or changes:");
        for what in &wish.loosens {
            out.line(&format!("  {}", out.paint(Tone::Warn, what)));
        }
    }
    for Text { file, lines, more } in &wish.texts {
        out.line(&format!("{file}:"));
        for line in lines {
            out.line(&format!("    {line}"));
        }
        if *more > 0 {
            let many = if *more == 1 { "line" } else { "lines" };
            out.line(&out.paint(Tone::Warn, &format!("    … and {more} more {many}: read {file} yourself")));
        }
    }
    for what in &wish.off {
        out.line(&out.paint(Tone::Bad, what));
    }
}

fn revoke(args: &TrustArgs, host: &Host, project: &Project, out: &Out) -> anyhow::Result<ExitCode> {
    // A trusted project may add gates of its own: taking them away is a person's word too.
    refuse_inside_agent(host)?;
    let had = trust::revoke(&host.paths, &project.root).with_context(|| {
        Problem::new(
            format!("{} cannot be written", host.paths.tilde(&host.paths.trust_file())),
            "check its owner and mode",
        )
    })?;
    if args.json {
        out.json(&json!({ "project": project.root, "revoked": had }));
    } else if had {
        out.line(&format!("{} is no longer trusted; it may only tighten.", host.paths.tilde(&project.root)));
    } else {
        out.line(&format!("{} was not trusted.", host.paths.tilde(&project.root)));
    }
    Ok(ExitCode::SUCCESS)
}

fn list(args: &TrustArgs, host: &Host, out: &Out) -> ExitCode {
    let projects: Vec<(String, String, Trust)> = trust::list(&host.paths)
        .into_iter()
        .map(|(root, at)| {
            let state = trust::state(&host.paths, std::path::Path::new(&root));
            (root, at, state)
        })
        .collect();
    if args.json {
        let rows: Vec<Value> = projects
            .iter()
            .map(|(root, at, state)| json!({ "project": root, "trusted_at": at, "state": trust_word(state) }))
            .collect();
        out.json(&json!({ "projects": rows }));
        return ExitCode::SUCCESS;
    }
    if projects.is_empty() {
        out.line("No project is trusted.");
        return ExitCode::SUCCESS;
    }
    let mut table = Table::new(&["project", "trusted", "state"]);
    for (root, at, state) in &projects {
        let (tone, word) = match state {
            Trust::Trusted => (Tone::Good, "as it was trusted"),
            Trust::Changed(_) => (Tone::Warn, "changed since: does not count"),
            Trust::Nothing => (Tone::Dim, "gone"),
            Trust::Untrusted => (Tone::Warn, "untrusted"),
        };
        let day = Stamp::parse(at).map_or_else(|| at.clone(), |at| when::ago(host.clock.now(), at));
        table.row(vec![(Tone::Plain, root.clone()), (Tone::Plain, day), (tone, word.to_owned())]);
    }
    out.table(&table);
    ExitCode::SUCCESS
}
