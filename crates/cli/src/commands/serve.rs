//! `sprag serve`: the local page. It prints a link that works once, and with actions a code that only this terminal shows.

use crate::commands::project_at;
use sprag_base::env::Env;
use sprag_config::host::Host;
use sprag_serve::{Keys, Options};
use sprag_terminal::{Out, Tone, person};
use std::io::{BufRead as _, IsTerminal as _};
use std::process::{Command, ExitCode, Stdio};

#[derive(clap::Args)]
pub(crate) struct ServeArgs {
    /// The port on 127.0.0.1; by default one that is free
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Open the link in the browser
    #[arg(long)]
    open: bool,
    /// Open `/metrics` (Prometheus) to every program of this machine; otherwise it needs the page's cookie
    #[arg(long)]
    metrics: bool,
    /// Let the page change things: answer questions, review lessons, forget memories, cancel tasks (refused inside an agent)
    #[arg(long)]
    allow_actions: bool,
}

pub(crate) fn run(args: &ServeArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    if args.allow_actions {
        // Whoever starts this sees the code: an agent must not.
        person::refuse_inside_agent(host)?;
        person::require_terminal_or_quiet(host)?;
    }
    let options = Options { port: args.port, actions: args.allow_actions, metrics: args.metrics };
    let listening = sprag_serve::bind(host.clone(), project_at(host, None), &options)?;
    let keys = listening.keys();
    let link = keys.link();
    out.line(&format!("{}  {link}", out.paint(Tone::Strong, "sprag serves")));
    out.line(&out.paint(
        Tone::Dim,
        "The link works once, on this machine only; Enter prints another one, Ctrl-C ends.",
    ));
    if let Some(code) = keys.code() {
        out.line(&format!("Code for actions that let something through: {}", out.paint(Tone::Strong, &code)));
        out.line(&out.paint(
            Tone::Dim,
            "Type it into the page, and into nothing else: an agent that learns it can act in your name.",
        ));
    }
    if args.open {
        open(&link, out);
    }
    links_on_enter(keys);
    listening.run()?;
    Ok(ExitCode::SUCCESS)
}

/// Prints another link for each line on a terminal.
fn links_on_enter(keys: Keys) {
    if !std::io::stdin().is_terminal() {
        return;
    }
    std::thread::spawn(move || {
        let out = Out::new(&Env::Process);
        for _ in std::io::stdin().lock().lines().map_while(Result::ok) {
            out.line(&keys.link());
        }
    });
}

/// Hands the link to the system's opener.
fn open(link: &str, out: &Out) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started = Command::new(program)
        .arg(link)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if started.is_err() {
        out.note(&format!("{program} cannot be started: open the link yourself"));
    }
}
