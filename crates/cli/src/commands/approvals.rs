//! `sprag approvals`: questions of agents that wait for an answer. Answering is refused inside an agent.

use anyhow::{Context as _, bail};
use serde_json::json;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_runtime::pending::{self, Question};
use sprag_terminal::{Out, Problem, Tone, person, visible, when};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct ApprovalsArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// What waits: the call, the rule, what would be lost
    #[command(after_help = "Examples:\n  sprag approvals list\n  sprag approvals list --json")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Answer a question (interactive only, refused inside an agent)
    #[command(
        after_help = "Examples:\n  sprag approvals answer 7f3a allow\n  sprag approvals answer 7f3a deny"
    )]
    Answer {
        /// The question's id
        id: String,
        /// allow or deny
        answer: Word,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// An answer.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Word {
    /// Exactly this call may run, once
    Allow,
    /// It may not
    Deny,
}

pub(crate) fn run(args: &ApprovalsArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::List { json } => list(*json, host, out),
        What::Answer { id, answer: word, json } => answer(id, *word, *json, host, out)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(as_json: bool, host: &Host, out: &Out) {
    let found = pending::list(host);
    if as_json {
        out.json(&json!({ "approvals": found }));
        return;
    }
    if found.is_empty() {
        out.line("No agent waits for an answer.");
    }
    for question in &found {
        show(question, host, out);
    }
}

fn show(question: &Question, host: &Host, out: &Out) {
    let asked = Stamp::parse(&question.at).map(|at| when::ago(host.clock.now(), at)).unwrap_or_default();
    let who = format!(
        "{} {} in {}, {asked}",
        question.agent,
        question.tool,
        host.paths.tilde(question.cwd.as_ref())
    );
    out.line(&format!("{}  {}", out.paint(Tone::Strong, &question.id), out.paint(Tone::Dim, &who)));
    for line in visible(&question.shown).lines() {
        out.line(&format!("      {line}"));
    }
    out.line(&format!("      {}: {}", question.rules.join(", "), visible(&question.reason)));
}

fn answer(id: &str, word: Word, as_json: bool, host: &Host, out: &Out) -> anyhow::Result<()> {
    // A denial loosens nothing, but an agent that answers for others is still not asked.
    person::refuse_inside_agent(host)?;
    if word == Word::Allow {
        person::require_terminal_or_quiet(host)?;
    }
    let answered = pending::answer(host, id, word == Word::Allow, "terminal")
        .with_context(|| Problem::new("the answer cannot be written", "check that the disk is not full"))?;
    let Some(question) = answered else {
        bail!(Problem::new(
            format!("nobody waits for an answer to `{id}`"),
            "`sprag approvals list` shows who waits"
        ));
    };
    let said = if word == Word::Allow { "allowed" } else { "denied" };
    if as_json {
        out.json(&json!({"id": question.id, "answer": if word == Word::Allow { "allow" } else { "deny" }}));
    } else {
        out.line(&format!("{said}: {}", visible(&question.shown).lines().next().unwrap_or_default()));
    }
    Ok(())
}
