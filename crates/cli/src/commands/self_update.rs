//! `sprag self update`: the newest release in place of this program, or the command of the package manager that owns it.
//! Nothing asks the network unless this command is typed.

use anyhow::Context as _;
use serde_json::json;
use sprag_config::host::Host;
use sprag_terminal::person;
use sprag_terminal::{Out, Problem};
use sprag_update::{Channel, Receipt, Release, UpdateError, Version};
use std::path::Path;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct SelfArgs {
    #[command(subcommand)]
    command: SelfCommand,
}

#[derive(clap::Subcommand)]
enum SelfCommand {
    /// Put the newest release in place of this program, or say which command does
    #[command(
        after_help = "Examples:\n  sprag self update --check\n  sprag self update\n  sprag self update --yes     from a script, outside of any agent\n\nOne that a package manager installed is left to it: the command is printed. Interactive only, refused inside an agent."
    )]
    Update(UpdateArgs),
}

#[derive(clap::Args)]
struct UpdateArgs {
    /// Only say whether there is a newer version
    #[arg(long)]
    check: bool,
    /// Do not ask (from a script, outside of any agent)
    #[arg(long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What there is to say.
struct Report<'a> {
    channel: &'a Channel,
    newest: Option<&'a Version>,
    updated: bool,
    text: String,
}

pub(crate) fn run(args: &SelfArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let SelfCommand::Update(args) = &args.command;
    let exe = host
        .exe
        .as_deref()
        .context(Problem::new("this program's own path is unknown", "start sprag by its full path"))?;
    let channel = Channel::of(exe);
    let ours = Version::parse(env!("CARGO_PKG_VERSION"))
        .context(Problem::new("this program's version is not one", "install a release"))?;
    if let Channel::Script(receipt) = &channel
        && channel.update().is_none()
    {
        return update(args, exe, &channel, receipt, &ours, host, out);
    }
    let command = channel.update().unwrap_or_default();
    let by = match &channel {
        Channel::Source => "was built from source".to_owned(),
        Channel::Script(_) => "was installed by its script".to_owned(),
        other => format!("belongs to {}", other.name()),
    };
    let text = format!("sprag {ours} {by}; update it with: {command}");
    tell(args, &Report { channel: &channel, newest: None, updated: false, text }, out);
    Ok(ExitCode::SUCCESS)
}

fn update(
    args: &UpdateArgs,
    exe: &Path,
    channel: &Channel,
    receipt: &Receipt,
    ours: &Version,
    host: &Host,
    out: &Out,
) -> anyhow::Result<ExitCode> {
    if !args.check {
        person::require_person(host, args.yes)?;
    }
    let release = Release::newest(&receipt.base).map_err(problem)?;
    let newest = &release.version;
    let report = |updated: bool, text: String| {
        tell(args, &Report { channel, newest: Some(newest), updated, text }, out);
        Ok(ExitCode::SUCCESS)
    };
    if newest <= ours {
        return report(false, format!("sprag {ours} is the newest version at {}", receipt.base));
    }
    if args.check {
        return report(false, format!("sprag {newest} is there, this is {ours}: sprag self update"));
    }
    let question = format!("Replace {} ({ours}) with sprag {newest} from {}?", exe.display(), receipt.base);
    if !args.yes && !out.confirm(&question) {
        out.line("nothing was changed");
        return Ok(ExitCode::FAILURE);
    }
    let archive = release.archive(&receipt.target).map_err(problem)?;
    sprag_update::replace(exe, &archive, newest).map_err(problem)?;
    report(true, format!("sprag {ours} was replaced by {newest}; agents use it from their next event on"))
}

fn problem(error: UpdateError) -> anyhow::Error {
    let hint = error.hint();
    Problem::new(error, hint).into()
}

fn tell(args: &UpdateArgs, report: &Report<'_>, out: &Out) {
    let Report { channel, newest, updated, text } = report;
    if args.json {
        out.json(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "channel": channel.name(),
            "command": channel.update(),
            "newest": newest.map(ToString::to_string),
            "updated": updated,
        }));
    } else {
        out.line(text);
    }
}
