//! `sprag notify`: whether notifications arrive.

use anyhow::bail;
use serde_json::json;
use sprag_config::host::Host;
use sprag_terminal::{Out, Problem};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct NotifyArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Send a notification by every channel of `[notify]`, and say what became of it
    #[command(after_help = "Examples:\n  sprag notify test\n  sprag notify test --json")]
    Test {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: &NotifyArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let What::Test { json: as_json } = &args.what;
    let done = sprag_notify::test(host);
    if done.is_empty() && !as_json {
        let config = host.paths.tilde(&host.paths.config_file());
        bail!(Problem::new(
            "notifications are off: [notify] names no channel",
            format!("set `desktop = true`, `webhook` or `ntfy` under [notify] in {config}"),
        ));
    }
    if *as_json {
        let channels: Vec<_> = done
            .iter()
            .map(|(channel, result)| {
                let error = result.as_ref().err().map(ToString::to_string);
                json!({ "channel": channel.name(), "sent": result.is_ok(), "error": error })
            })
            .collect();
        out.json(&json!({ "channels": channels }));
    } else {
        for (channel, result) in &done {
            match result {
                Ok(()) => out.line(&format!("{}: sent", channel.name())),
                Err(error) => out.line(&format!("{}: not sent: {error}", channel.name())),
            }
        }
    }
    let failed = done.iter().any(|(_, result)| result.is_err());
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
