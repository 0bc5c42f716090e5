//! `sprag mcp`: the Model Context Protocol on standard input and output.

use anyhow::Context as _;
use sprag_config::host::Host;
use sprag_mcp::{Group, Options};
use sprag_terminal::Problem;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct McpArgs {
    /// Only these groups of tools: memory, code, team, guard
    #[arg(long, value_delimiter = ',', value_parser = group, value_name = "GROUPS")]
    tools: Vec<Group>,
    /// The project, where the client does not name it by its roots
    #[arg(long, value_name = "FOLDER")]
    project: Option<PathBuf>,
}

fn group(name: &str) -> Result<Group, String> {
    Group::from_name(name).ok_or_else(|| format!("one of: {}", Group::ALL.map(Group::name).join(", ")))
}

pub(crate) fn run(args: &McpArgs, host: &Host) -> anyhow::Result<ExitCode> {
    if std::io::stdin().is_terminal() {
        anyhow::bail!(Problem::new(
            "`sprag mcp` talks to an agent on standard input, and this is a terminal",
            "`sprag deploy --mcp` registers it with your agents"
        ));
    }
    let project = match &args.project {
        Some(folder) => Some(
            std::path::absolute(folder).context(Problem::new("invalid path", "give the project's folder"))?,
        ),
        None => None,
    };
    sprag_mcp::serve_stdio(host, Options { groups: args.tools.clone(), project, remote: false })
        .context(Problem::new("the MCP server ended", "the agent's own log says what it sent"))?;
    Ok(ExitCode::SUCCESS)
}
