//! `sprag hooks new`: writes a hook that works, its place in the configuration and its first passing case.

mod prompt;

use crate::args::event;
use anyhow::{Context as _, bail};
use sprag_config::edit::{edit, push_once, subtable};
use sprag_config::host::Host;
use sprag_config::resolve::script_in;
use sprag_project::Project;
use sprag_protocol::dialect::{ContextWay, StopWay};
use sprag_protocol::{AgentId, EventKind, dialects};
use sprag_terminal::{Out, Problem, Tone};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use toml_edit::TableLike;

#[derive(clap::Args)]
pub(crate) struct NewArgs {
    /// The hook's name: small letters, digits, `_` and `-`
    name: String,
    /// A program, or a question to the model that is configured
    #[arg(long, value_enum, default_value = "command")]
    r#type: Type,
    /// The language to write a program in
    #[arg(long, value_enum, default_value = "sh")]
    lang: Lang,
    /// What to ask, for --type prompt
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// The event it runs on: PreToolUse or pre_tool_use [default: PreToolUse; Stop for --type prompt]
    #[arg(long, value_parser = event)]
    event: Option<EventKind>,
    /// Put it into this project's .sprag instead of your own configuration
    #[arg(long)]
    project: bool,
}

#[derive(Clone, Copy, clap::ValueEnum, PartialEq, Eq)]
enum Type {
    Command,
    Prompt,
}

#[derive(Clone, Copy, clap::ValueEnum, PartialEq, Eq)]
enum Lang {
    Sh,
    Py,
    Js,
    Rs,
}

impl Lang {
    const fn extension(self) -> &'static str {
        match self {
            Self::Sh => "sh",
            Self::Py => "py",
            // Always a module, whatever the package.json around it says.
            Self::Js => "mjs",
            Self::Rs => "rs",
        }
    }

    /// The hook's source; `@…@` stands for what differs.
    const fn template(self) -> &'static str {
        match self {
            Self::Sh => include_str!("hooks_new/hook.sh"),
            Self::Py => include_str!("hooks_new/hook.py"),
            Self::Js => include_str!("hooks_new/hook.mjs"),
            Self::Rs => include_str!("hooks_new/hook.rs.txt"),
        }
    }
}

/// What an event lets a hook do, and so what the first hook shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Says no to a tool call.
    Deny,
    /// Sends the agent on.
    Block,
    /// Tells the model something.
    Context,
    /// Prints text that reaches the model.
    Plain,
    /// Watches.
    Observe,
}

impl Shape {
    fn of(kind: EventKind) -> Self {
        let row = dialects::of(AgentId::CANONICAL).row(kind);
        match row.map(|row| (row.context, row.stop)) {
            _ if kind == EventKind::PreToolUse => Self::Deny,
            Some((_, StopWay::Decision)) if matches!(kind, EventKind::Stop | EventKind::SubagentStop) => {
                Self::Block
            }
            Some((ContextWay::Specific, _)) => Self::Context,
            Some((ContextWay::Plain, _)) => Self::Plain,
            _ => Self::Observe,
        }
    }

    /// The text in a payload that the hook looks for; nothing means every payload.
    const fn trigger(self) -> &'static str {
        match self {
            // A word of its own: the example is active at once, and stops no ordinary work.
            Self::Deny => "example-forbidden",
            Self::Block => "TODO",
            Self::Context | Self::Plain | Self::Observe => "",
        }
    }

    /// The field of the payload that it looks at, as a shell without a JSON reader finds it.
    const fn field(self) -> &'static str {
        match self {
            Self::Deny => "\"command\":",
            Self::Block => "\"last_assistant_message\":",
            Self::Context | Self::Plain | Self::Observe => "",
        }
    }

    /// What the hook prints then.
    fn answer(self, name: &str, kind: EventKind) -> String {
        let event = kind.name();
        match self {
            Self::Deny => format!(
                r#"{{"hookSpecificOutput":{{"hookEventName":"{event}","permissionDecision":"deny","permissionDecisionReason":"This command is forbidden here"}}}}"#
            ),
            Self::Block => r#"{"decision":"block","reason":"There is still a TODO"}"#.to_owned(),
            Self::Context => format!(
                r#"{{"hookSpecificOutput":{{"hookEventName":"{event}","additionalContext":"{name} saw {event}"}}}}"#
            ),
            Self::Plain => format!("{name} saw {event}"),
            Self::Observe => String::new(),
        }
    }

    /// The first cases.
    fn cases(self, name: &str, kind: EventKind) -> String {
        let event = kind.name();
        let case = |title: &str, payload: &str, expect: &str| {
            format!("\n[[case]]\nname = \"{title}\"\nevent = \"{event}\"\n{payload}expect = {{ {expect} }}\n")
        };
        let bash = |command: &str| {
            format!("payload = {{ tool_name = \"Bash\", tool_input = {{ command = \"{command}\" }} }}\n")
        };
        let said = |text: &str| format!("payload = {{ last_assistant_message = \"{text}\" }}\n");
        match self {
            Self::Deny => {
                case(
                    "says no to what is forbidden",
                    &bash("example-forbidden --now"),
                    "verdict = \"deny\", reason = \"forbidden here\"",
                ) + &case("passes other commands", &bash("grep -rn 'status: forbidden' src"), "silent = true")
            }
            Self::Block => {
                case(
                    "goes on while something is to be done",
                    &said("TODO: tests"),
                    "verdict = \"block\", reason = \"still a TODO\"",
                ) + &case("lets a finished turn end", &said("Done."), "silent = true")
            }
            Self::Context | Self::Plain => {
                case("tells the model", "", &format!("context = \"{name} saw {event}\""))
            }
            Self::Observe => {
                case("runs and says nothing", "", &format!("silent = true, journal = \"{name}: pass\""))
            }
        }
    }
}

pub(crate) fn run(args: &NewArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    // It changes the configuration, and what runs.
    sprag_terminal::person::refuse_inside_agent(host)?;
    let place = HookTarget::of(args.project, host)?;
    check_name(&args.name, host, &place.hooks)?;
    if args.r#type == Type::Prompt {
        return prompt::run(args, host, &place, out);
    }
    if args.prompt.is_some() {
        bail!(Problem::new("--prompt goes with --type prompt", "a program asks nobody"));
    }
    let kind = args.event.unwrap_or(EventKind::PreToolUse);
    let shape = Shape::of(kind);
    let file = place.hooks.join(format!("{}.{}", args.name, args.lang.extension()));
    let case_file = place.hooks.join(format!("{}.hook.toml", args.name));
    let source = fill(args.lang, &args.name, kind, shape);
    let cases = format!(
        "# Cases of {0}. Every key: docs/testing.md\nhook = \"{0}\"\n{1}",
        args.name,
        shape.cases(&args.name, kind)
    );
    let mut made = Made(Vec::new());
    made.write(&file, &source, args.lang != Lang::Rs)?;
    made.write(&case_file, &cases, false)?;
    let built = (args.lang == Lang::Rs).then(|| build(&file, &args.name));
    if matches!(built, Some(Built::Yes)) {
        made.0.push(place.hooks.join(&args.name));
    }
    register(&args.name, kind, &place.config, |table| {
        if kind == EventKind::PreToolUse {
            table.insert("matcher", toml_edit::value("Bash"));
        }
    })?;
    made.0.clear();

    let tilde = |path: &Path| host.paths.tilde(path);
    out.line(&format!("{}  {}", out.paint(Tone::Good, "wrote"), tilde(&file)));
    out.line(&format!("{}  {}", out.paint(Tone::Good, "wrote"), tilde(&case_file)));
    added(kind, &place, host, out);
    match built {
        Some(Built::Failed(why)) => {
            out.note(&format!("it could not be built: {why}"));
            out.line(&format!("  {}", build_line(&file, &args.name)));
        }
        Some(Built::Yes) => out.note(&format!("built; after a change: {}", build_line(&file, &args.name))),
        None => {}
    }
    out.line(&format!("  sprag test {}", quoted(&case_file)));
    out.line(if args.project { "  sprag trust" } else { "  sprag deploy" });
    Ok(ExitCode::SUCCESS)
}

/// Says where the hook was added, and begins what to do next.
fn added(kind: EventKind, place: &HookTarget, host: &Host, out: &Out) {
    let (table, config) = (format!("[hooks.{}]", kind.config_name()), host.paths.tilde(&place.config));
    out.line(&format!("{}  {table} of {config}", out.paint(Tone::Good, "added to")));
    out.line("next:");
}

/// Where the hook goes.
struct HookTarget {
    hooks: PathBuf,
    config: PathBuf,
}

impl HookTarget {
    fn of(project: bool, host: &Host) -> anyhow::Result<Self> {
        if !project {
            return Ok(Self { hooks: host.paths.hooks_dir(), config: host.paths.config_file() });
        }
        let cwd = std::env::current_dir()
            .context(Problem::new("the current folder cannot be read", "change to another one"))?;
        let found = Project::find(&cwd.to_string_lossy(), &host.env, &host.paths.home);
        let own = found.sprag.unwrap_or_else(|| found.root.join(".sprag"));
        Ok(Self { hooks: own.join("hooks"), config: own.join("config.toml") })
    }
}

fn check_name(name: &str, host: &Host, hooks: &Path) -> anyhow::Result<()> {
    let letters =
        name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-'));
    if !letters || name.is_empty() || name.len() > 40 || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        bail!(Problem::new(
            format!("invalid hook name `{name}`"),
            "small letters, digits, `_` and `-`, a letter first, 40 at most"
        ));
    }
    if host.hook(name).is_some() || matches!(name, "preset" | "all") {
        bail!(Problem::new(format!("`{name}` is a name of sprag's own"), "choose another one"));
    }
    let cases = hooks.join(format!("{name}.hook.toml"));
    if let Some(file) = script_in(hooks, name).or_else(|| cases.exists().then_some(cases)) {
        bail!(Problem::new(
            format!("{} is there already", file.display()),
            "choose another name, or remove it first"
        ));
    }
    Ok(())
}

fn fill(lang: Lang, name: &str, kind: EventKind, shape: Shape) -> String {
    let answer = shape.answer(name, kind);
    lang.template()
        .replace("@NAME@", name)
        .replace("@EVENT@", kind.name())
        .replace("@SUMMARY@", kind.summary())
        .replace("@FIELD@", shape.field())
        .replace("@TRIGGER@", shape.trigger())
        .replace("@ANSWER@", &answer)
}

/// Files that were made; they go again when a later step fails.
struct Made(Vec<PathBuf>);

impl Made {
    fn write(&mut self, path: &Path, text: &str, executable: bool) -> anyhow::Result<()> {
        let hint = "check that the folder is yours; nothing was left behind";
        sprag_base::files::write_atomic(path, text.as_bytes())
            .with_context(|| Problem::new(format!("{} cannot be written", path.display()), hint))?;
        self.0.push(path.to_path_buf());
        #[cfg(unix)]
        if executable {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).with_context(|| {
                Problem::new(format!("{} cannot be made executable", path.display()), hint)
            })?;
        }
        Ok(())
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for path in &self.0 {
            let _ = sprag_base::files::remove(path);
        }
    }
}

/// Appends the hook to its event's chain and writes its table; comments stay.
fn register(
    name: &str,
    kind: EventKind,
    config: &Path,
    settings: impl FnOnce(&mut dyn TableLike),
) -> anyhow::Result<()> {
    let mut odd = false;
    edit(config, |document| {
        let Some(table) = subtable(document, "hooks", kind.config_name()) else {
            odd = true;
            return;
        };
        push_once(table, "append", name);
        let mut own = toml_edit::Table::new();
        settings(&mut own);
        if !own.is_empty()
            && let Some(table) = subtable(document, "hook", name)
        {
            for (key, item) in own {
                table.insert(&key, item);
            }
        }
    })?;
    if odd {
        bail!(Problem::new(
            format!("cannot add to `hooks` in {}: it is not a table", config.display()),
            format!("write [hooks.{}] in it", kind.config_name())
        ));
    }
    Ok(())
}

enum Built {
    Yes,
    Failed(String),
}

fn build(file: &Path, name: &str) -> Built {
    let output = Command::new("rustc")
        .args(["--edition", "2021", "-O", "-o"])
        .arg(file.with_file_name(name))
        .arg(file)
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) if output.status.success() => Built::Yes,
        Ok(output) => Built::Failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Built::Failed(format!("rustc: {error}")),
    }
}

fn build_line(file: &Path, name: &str) -> String {
    format!("rustc --edition 2021 -O -o {} {}", quoted(&file.with_file_name(name)), quoted(file))
}

/// A path that can be pasted into a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-+~".contains(&b));
    if plain { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
