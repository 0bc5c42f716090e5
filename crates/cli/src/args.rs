//! What can be typed after `sprag`. Help texts and examples live here; what a command does, in its own file.

use crate::commands;
use clap::{Parser, Subcommand};

/// Hooks for coding agents: what must happen, happens; what was learned, stays.
#[derive(Parser)]
#[command(name = "sprag", version, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Args {
    /// What was typed, for the commands that programs ask all day, without building all the others first. `None` for
    /// everything else, for what makes no sense, and for a call for help: then the whole is asked, which says it best.
    pub(crate) fn of_one() -> Option<Self> {
        fn only<T: clap::Args>(wrap: fn(T) -> Command) -> Option<Args> {
            let typed = std::env::args_os().skip(1);
            let found = T::augment_args(clap::Command::new("sprag")).try_get_matches_from(typed).ok()?;
            Some(Args { command: wrap(T::from_arg_matches(&found).ok()?) })
        }
        match std::env::args_os().nth(1)?.to_str()? {
            "code" => only(Command::Code),
            "memory" => only(Command::Memory),
            "statusline" => only(Command::Statusline),
            _ => None,
        }
    }
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Show the whole thing at work on a scratch project: no agent, no key, two seconds
    #[command(
        after_help = "Examples:\n  sprag demo\n  sprag demo --keep     leave the scratch folder for a look"
    )]
    Demo(commands::demo::DemoArgs),
    /// Set up: find the agents, write a commented configuration
    #[command(
        after_help = "Examples:\n  sprag init\n  sprag init --yes      ask nothing, write the configuration only\n  sprag init --import   take over hooks and settings that are there"
    )]
    Init(commands::init::InitArgs),
    /// Register sprag in the agents' own hook configuration
    #[command(
        after_help = "Examples:\n  sprag deploy --dry-run\n  sprag deploy --agent claude --scope project"
    )]
    Deploy(commands::deploy::DeployArgs),
    /// Remove sprag's hooks from the agents' settings
    #[command(after_help = "Example:\n  sprag undeploy --agent claude")]
    Undeploy(commands::deploy::DeployArgs),
    /// Remove sprag from every agent's settings, and its data if you want (interactive only)
    #[command(
        after_help = "Examples:\n  sprag uninstall --dry-run\n  sprag uninstall             keep the data: `sprag deploy` brings everything back\n  sprag uninstall --purge     delete the data too"
    )]
    Uninstall(commands::uninstall::UninstallArgs),
    /// See, try and switch hooks
    #[command(
        after_help = "Examples:\n  sprag hooks list\n  sprag hooks show tool-loop\n  sprag hooks run tool-loop --event PreToolUse\n  sprag hooks order --event session_start"
    )]
    Hooks(commands::hooks::HooksArgs),
    /// Run hook cases (*.hook.toml), each in a throw-away home
    #[command(after_help = "Example:\n  sprag test .sprag/tests --agent codex")]
    Test(commands::test::TestArgs),
    /// Keep the payloads of real sessions, without secrets
    #[command(after_help = "Example:\n  sprag record on && sprag record list")]
    Record(commands::record::RecordArgs),
    /// Run a recorded session against the present configuration and show what changed
    #[command(after_help = "Examples:\n  sprag replay d42fd80c\n  sprag replay --shadow --since 2d")]
    Replay(commands::replay::ReplayArgs),
    /// Ask the guards about a command, a path or a text, outside of any session
    #[command(
        after_help = "Examples:\n  sprag guard explain 'git push --force'\n  sprag guard batch < commands.jsonl"
    )]
    Guard(commands::guard::GuardArgs),
    /// Code without reading its text: outlines, calls, impact, search
    #[command(
        after_help = "Examples:\n  sprag code outline src/cart.py\n  sprag code calls Cart.pay\n  sprag code impact Cart.pay\n  sprag code search pay"
    )]
    Code(commands::code::CodeArgs),
    /// Let the model read a file blocked by privacy-block, for a while (interactive only)
    #[command(after_help = "Examples:\n  sprag approve .env --for 10m\n  sprag approve --list")]
    Approve(commands::approve::ApproveArgs),
    /// Look for faults in the configuration
    #[command(
        after_help = "Examples:\n  sprag check\n  sprag check --json\n\nExit code 1 when there are errors."
    )]
    Check(commands::check::CheckArgs),
    /// Health: agents, registration, trust, events that never came, queue, crashes
    #[command(
        after_help = "Examples:\n  sprag doctor\n  sprag doctor --json | jq '.findings[] | select(.level != \"ok\")'\n\nExit code 1 when something fails."
    )]
    Doctor(commands::doctor::DoctorArgs),
    /// What the hooks did today, and what waits in the background
    #[command(after_help = "Examples:\n  sprag status\n  sprag status sessions\n  sprag status queue --json")]
    Status(commands::status::StatusArgs),
    /// A status line: model, window, blocks, peers, unread lessons (payload on stdin)
    #[command(
        after_help = "Example, in Claude Code's settings.json:\n  \"statusLine\": { \"type\": \"command\", \"command\": \"sprag statusline\" }"
    )]
    Statusline(commands::statusline::StatuslineArgs),
    /// Numbers per hook and event: fires, times, blocks, tokens, errors
    #[command(after_help = "Examples:\n  sprag stats\n  sprag stats --since 24h --hook tool-loop")]
    Stats(commands::stats::StatsArgs),
    /// The database behind coordination and statistics: state, schema, export, import
    #[command(
        after_help = "Examples:\n  sprag store status\n  sprag store export all.jsonl\n  SPRAG_STORE_URL=postgres://me@db/sprag sprag store import all.jsonl"
    )]
    Store(commands::store::StoreArgs),
    /// Who works on which file, and letting go of a claim
    #[command(after_help = "Examples:\n  sprag claims list\n  sprag claims release src/cart.rs")]
    Claims(commands::claims::ClaimsArgs),
    /// What is to be done, who does it, how far it is; a cancelled task stops its agent
    #[command(
        after_help = "Examples:\n  sprag task create 'Port the parser' --goal 'the old one is gone'\n  sprag task start t0a1b2c3d4e\n  sprag task cancel t0a1b2c3d4e --reason 'not needed'"
    )]
    Task(commands::task::TaskArgs),
    /// Who is in the team: role, at work or not, last activity; an agent's own documents
    #[command(
        after_help = "Examples:\n  sprag agent list\n  sprag agent register ada --role lead\n  sprag agent identity log SOUL.md"
    )]
    Agent(commands::agent::AgentArgs),
    /// Background processes that end with their session
    #[command(
        after_help = "Examples:\n  cloudflared tunnel run & sprag artifact add tunnel --pid $!\n  sprag artifact list"
    )]
    Artifact(commands::artifact::ArtifactArgs),
    /// Several agents at one piece of work: juries, pipelines, swarms and more
    #[command(
        after_help = "Examples:\n  sprag pattern start jury --members 3 --task 'may this be released?'\n  sprag pattern status jury-1a2b3c\n  sprag pattern post jury-1a2b3c 'the tests are green'"
    )]
    Pattern(commands::pattern::PatternArgs),
    /// What was learned from mistakes: add, look through, match, import, check
    #[command(
        after_help = "Examples:\n  sprag lessons list\n  sprag lessons scan && sprag lessons review\n  sprag lessons match --command 'git stash'\n  sprag lessons import lesson-manifest.json"
    )]
    Lessons(commands::lessons::LessonsArgs),
    /// What sessions left: search, list, read and export it, hand off, judge a handoff
    #[command(
        after_help = "Examples:\n  sprag knowledge search cart total\n  sprag knowledge list --kind decision --here\n  sprag knowledge handoff-now\n  sprag knowledge outcome succeeded --notes 'released'\n  sprag knowledge import lazy-harness ~/notes/knowledge"
    )]
    Knowledge(commands::knowledge::KnowledgeArgs),
    /// What is remembered: keep, find by words and by meaning, change, forget
    #[command(
        after_help = "Examples:\n  sprag memory add 'Staging needs the VPN' --tag deploy\n  sprag memory recall 'cannot reach the test system'\n  sprag memory list --kind decision\n  sprag memory import notes.md --scope project"
    )]
    Memory(commands::memory::MemoryArgs),
    /// The journal, one event per line
    #[command(
        after_help = "Examples:\n  sprag logs -n 50\n  sprag logs -f --errors\n  sprag logs --hook tool-loop --json"
    )]
    Logs(commands::logs::LogsArgs),
    /// Trust a project's own hooks and settings, as they are now (interactive only)
    #[command(
        after_help = "Examples:\n  sprag trust           show what the project wants, then ask\n  sprag trust --list\n  sprag trust --revoke ~/work/shop"
    )]
    Trust(commands::trust::TrustArgs),
    /// Process background jobs (hooks start this when there is work)
    #[command(after_help = "Example:\n  sprag worker --once")]
    Worker(commands::worker::WorkerArgs),
    /// Print completions for a shell
    #[command(
        after_help = "Example:\n  sprag completions bash > ~/.local/share/bash-completion/completions/sprag"
    )]
    Completions(commands::completions::CompletionsArgs),
    /// Answer one event: payload on stdin, answer on stdout (agents call this)
    #[command(after_help = "Example:\n  sprag hook --agent claude < payload.json")]
    Hook {
        /// Who calls: claude, codex, gemini, qwen, or auto
        #[arg(long, default_value = "auto")]
        agent: String,
        /// Registered in a project's file: leaves an event to the user's own registration, where there is one
        #[arg(long, hide = true, value_parser = ["project"])]
        scope: Option<String>,
    },
}

/// An event as a person may write it: `SessionStart` or `session_start`.
pub(crate) fn event(text: &str) -> Result<sprag_protocol::EventKind, String> {
    use sprag_protocol::EventKind;
    EventKind::from_any_name(text).ok_or_else(|| {
        let known: Vec<&str> =
            EventKind::ALL.iter().flat_map(|kind| [kind.name(), kind.config_name()]).collect();
        match sprag_config::parse::nearest(text, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`sprag hooks order` lists the events".to_owned(),
        }
    })
}
