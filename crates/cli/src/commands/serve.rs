//! `sprag serve`: the local page. It prints a link that works once, and with actions a code that only this terminal shows.

use crate::commands::project_at;
use anyhow::bail;
use sprag_base::env::Env;
use sprag_config::host::Host;
use sprag_serve::{Keys, MIN_PASSWORD, Options, ServeError};
use sprag_terminal::{Out, Problem, Tone, person};
use std::io::{BufRead as _, IsTerminal as _};
use std::net::IpAddr;
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
    /// Serve MCP clients at /mcp, with the token from a file (see `sprag mcp`)
    #[arg(long)]
    mcp: bool,
    /// Listen on another interface, such as 192.168.1.5 or 0.0.0.0; needs a password (refused inside an agent)
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<IpAddr>,
    /// A name under which a proxy serves the page, such as sprag.example; needs a password
    #[arg(long = "name", value_name = "HOST")]
    names: Vec<String>,
    /// Set the password for --listen, and exit (interactive only, refused inside an agent)
    #[arg(long, exclusive = true)]
    set_password: bool,
    /// Let the page change things: answer questions, review lessons, forget memories, cancel tasks (refused inside an agent)
    #[arg(long)]
    allow_actions: bool,
}

pub(crate) fn run(args: &ServeArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    if args.set_password {
        return set_password(host, out);
    }
    let elsewhere = args.listen.is_some() || !args.names.is_empty();
    if args.allow_actions || elsewhere {
        // Whoever starts this sees the code: an agent must not.
        person::refuse_inside_agent(host)?;
        person::require_terminal_or_quiet(host)?;
    }
    let options = Options {
        port: args.port,
        actions: args.allow_actions,
        metrics: args.metrics,
        mcp: args.mcp,
        listen: args.listen,
        names: args.names.clone(),
    };
    let listening = match sprag_serve::bind(host.clone(), project_at(host, None), &options) {
        Err(error @ ServeError::NoPassword(_)) => {
            bail!(Problem::new(
                error,
                "set one first, in a terminal of your own: `sprag serve --set-password`"
            ))
        }
        other => other?,
    };
    let keys = listening.keys();
    let link = keys.link();
    out.line(&format!("{}  {link}", out.paint(Tone::Strong, "sprag serves")));
    out.line(&out.paint(
        Tone::Dim,
        "The link works once, on this machine only; Enter prints another one, Ctrl-C ends.",
    ));
    if args.mcp {
        let port = listening.address().port();
        let file = host.paths.tilde(&sprag_serve::token_file(host));
        out.line(&format!(
            "MCP  http://127.0.0.1:{port}/mcp, with `Authorization: Bearer` and the token in {file}"
        ));
    }
    if elsewhere {
        out.line(&format!(
            "Other machines reach it on {}, with the password. It is not encrypted: whoever can read the network can read the page \
             and the password. Put a proxy with https in front, and name it with --name.",
            listening.address()
        ));
    }
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

/// Asks twice for a password and keeps its hash.
fn set_password(host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    person::refuse_inside_agent(host)?;
    if !person::at_terminal() {
        bail!(Problem::new(
            "a password is typed, and this is no terminal",
            "run it in a terminal of your own"
        ));
    }
    person::require_terminal_or_quiet(host)?;
    let (first, second) = (hidden("Password: ", out)?, hidden("Again: ", out)?);
    if first != second {
        bail!(Problem::new("the two differ", "run it again; nothing was changed"));
    }
    if first.chars().count() < MIN_PASSWORD {
        let what = format!("it has fewer than {MIN_PASSWORD} characters");
        bail!(Problem::new(what, "take a longer one; nothing was changed"));
    }
    sprag_serve::set_password(host, &first)?;
    out.line("The password is set; a page that runs already keeps the old one.");
    Ok(ExitCode::SUCCESS)
}

/// A line from the terminal that is not shown there.
fn hidden(prompt: &str, out: &Out) -> anyhow::Result<String> {
    let echo = |on: &str| Command::new("stty").arg(on).status();
    out.note(prompt);
    let quiet = echo("-echo");
    let mut line = String::new();
    let read = std::io::stdin().read_line(&mut line);
    if quiet.is_ok() {
        let _ = echo("echo");
    }
    read?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
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
