//! What can be typed after `sprag`. Help texts and examples live here; what a command does, in its own file.

use crate::commands;
use clap::{CommandFactory as _, Parser, Subcommand};

/// Guardrails, checks and memory for coding agents, in one binary.
#[derive(Parser)]
#[command(name = "sprag", version, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Args {
    /// What was typed.
    pub(crate) fn parse_typed() -> Result<Self, clap::Error> {
        use clap::FromArgMatches as _;
        Self::of_one().map_or_else(|| Self::from_arg_matches(&command().try_get_matches()?), Ok)
    }

    /// What was typed, for the commands that programs ask all day, without building all the others first. `None` for
    /// everything else, for what makes no sense, and for a call for help: then the whole is asked, which says it best.
    fn of_one() -> Option<Self> {
        fn only<T: clap::Args>(wrap: fn(T) -> Command) -> Option<Args> {
            let typed = std::env::args_os().skip(1);
            let found = T::augment_args(clap::Command::new("sprag")).try_get_matches_from(typed).ok()?;
            Some(Args { command: wrap(T::from_arg_matches(&found).ok()?) })
        }
        match std::env::args_os().nth(1)?.to_str()? {
            "code" => only(Command::Code),
            "mcp" => only(Command::Mcp),
            "memory" => only(Command::Memory),
            "statusline" => only(Command::Statusline),
            _ => None,
        }
    }
}

/// The groups of the help. A command that is in none of them must be hidden; one of a later version may be named early.
const GROUPS: [(&str, &str); 6] = [
    (
        "Everyday",
        "demo init deploy undeploy uninstall status serve approvals notify allow why approve trust check doctor",
    ),
    ("Hooks", "hooks bundles enable disable trial guard policy test record replay"),
    ("Knowledge", "knowledge memory lessons"),
    ("Code", "code"),
    ("Team", "team task agent say inbox worktree claims pattern artifact"),
    ("Operate", "mcp plugin logs stats limit metrics statusline store data self completions licenses"),
];

/// The command line, its help in groups.
pub(crate) fn command() -> clap::Command {
    use std::fmt::Write as _;
    let command = Args::command();
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    for (group, names) in GROUPS {
        let _ = write!(text, "\n\u{1b}[1;4m{group}:\u{1b}[0m\n");
        let known = |name| Some((name, command.find_subcommand(name)?.get_about()?));
        for (name, about) in names.split(' ').filter_map(known) {
            let _ = writeln!(text, "  \u{1b}[1m{name:<11}\u{1b}[0m  {about}");
        }
    }
    text.push_str("\n\u{1b}[1;4mOptions:\u{1b}[0m\n{options}\n\n`sprag COMMAND --help` has examples. Exit codes: 0 done, 1 failed, 2 usage.");
    command.help_template(text)
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// See sprag at work in a throw-away home: no agent, no key
    #[command(
        after_help = "Examples:\n  sprag demo\n  sprag demo --verbose     every event, hook and file\n  sprag demo --keep        leave the scratch folder for a look"
    )]
    Demo(sprag_demo::DemoArgs),
    /// Set up: find the agents, write a commented configuration
    #[command(
        after_help = "Examples:\n  sprag init\n  sprag init --yes      ask nothing, write the configuration only\n  sprag init --import   take over hooks and settings that are there"
    )]
    Init(commands::init::InitArgs),
    /// Register sprag's hooks in the agents' settings
    #[command(
        after_help = "Examples:\n  sprag deploy --dry-run\n  sprag deploy --agent claude --scope project\n  sprag deploy --mcp        the MCP server too"
    )]
    Deploy(commands::deploy::DeployArgs),
    /// Remove sprag's hooks from the agents' settings
    #[command(after_help = "Example:\n  sprag undeploy --agent claude")]
    Undeploy(commands::deploy::DeployArgs),
    /// Remove sprag from every agent's settings, and its data on request
    #[command(
        after_help = "Examples:\n  sprag uninstall --dry-run\n  sprag uninstall             keep the data: `sprag deploy` brings everything back\n  sprag uninstall --purge     delete the data too"
    )]
    Uninstall(commands::uninstall::UninstallArgs),
    /// What each bundle of hooks does, costs and stores
    #[command(after_help = "Examples:\n  sprag bundles\n  sprag bundles --json")]
    Bundles(commands::bundles::BundlesArgs),
    /// Switch bundles, hooks or rules on (refused inside an agent)
    #[command(
        after_help = "Examples:\n  sprag enable advice\n  sprag enable auto-handoff heartbeat\n  sprag enable git:reset-hard\n  sprag enable my_hook --event PreToolUse"
    )]
    Enable(commands::switch::EnableArgs),
    /// Switch bundles, hooks or rules off (refused inside an agent)
    #[command(
        after_help = "Examples:\n  sprag disable lessons\n  sprag disable scout-block\n  sprag disable git:reset-hard     one rule of command-guard\n\nFor one run only: SPRAG_DISABLE=scout-block"
    )]
    Disable(commands::switch::DisableArgs),
    /// Stop nothing for a while, and see what would have been stopped
    #[command(
        after_help = "Examples:\n  sprag trial               what it would have stopped so far\n  sprag trial start 7d\n  sprag trial end"
    )]
    Trial(commands::trial::TrialArgs),
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
    Record(sprag_replay::record::RecordArgs),
    /// Replay sessions against a configuration
    #[command(
        after_help = "Examples:\n  sprag replay d42fd80c\n  sprag replay --shadow --since 2d\n  sprag replay --real ~/.claude/projects --since 30d"
    )]
    Replay(sprag_replay::ReplayArgs),
    /// Ask the guards about a command, a path or a text
    #[command(
        after_help = "Examples:\n  sprag guard explain 'git push --force'\n  sprag guard batch < commands.jsonl"
    )]
    Guard(commands::guard::GuardArgs),
    /// A folder that is a complete plugin of an agent
    #[command(after_help = "Example:\n  sprag plugin dir --agent claude")]
    Plugin(commands::plugin::PluginArgs),
    /// The agents' own sandbox, as strict as the guards
    #[command(after_help = "Example:\n  sprag policy sandbox --agent codex --dry-run")]
    Policy(commands::policy::PolicyArgs),
    /// Outlines, calls, impact, flow and search of source code
    #[command(
        after_help = "Examples:\n  sprag code outline src/cart.py\n  sprag code calls Cart.pay\n  sprag code impact Cart.pay\n  sprag code search pay"
    )]
    Code(commands::code::CodeArgs),
    /// Let a call, a turn or a prompt through that was stopped
    #[command(
        after_help = "Examples:\n  sprag allow last                the last stop of this project, once\n  sprag allow 7f3a --session\n  sprag allow 7f3a --always       an exact exception in your configuration\n  sprag allow --list\n  sprag allow --revoke 7f3a\n\nInteractive only, refused inside an agent."
    )]
    Allow(commands::allow::AllowArgs),
    /// Explain a stop: which rule, how to allow it, how to switch it off
    #[command(after_help = "Examples:\n  sprag why last\n  sprag why 7f3a --json")]
    Why(commands::why::WhyArgs),
    /// A local page: sessions, stops, memory, lessons, tasks, cost
    #[command(
        after_help = "Examples:\n  sprag serve --open\n  sprag serve --port 4717\n  sprag serve --allow-actions     answer questions, review lessons, cancel tasks\n  sprag serve --mcp               also an MCP server over HTTP\n  sprag serve --set-password      then --listen 192.168.1.5, or --name sprag.example behind a proxy\n\nOnly this machine can reach it unless --listen or --name is given. The link works once; Enter prints another one. --allow-actions, --listen, --name and --set-password are refused inside an agent."
    )]
    Serve(commands::serve::ServeArgs),
    /// Questions of agents that wait for an answer
    #[command(
        after_help = "Examples:\n  sprag approvals list\n  sprag approvals answer 7f3a allow\n  sprag approvals answer 7f3a deny\n\nAnswering is interactive only, refused inside an agent."
    )]
    Approvals(commands::approvals::ApprovalsArgs),
    /// Numbers for Prometheus, as `/metrics` of the page has them
    #[command(
        after_help = "Examples:\n  sprag metrics\n  sprag metrics --textfile /var/lib/node_exporter/sprag.prom   for node_exporter, from cron or a timer\n\n`textfile` in [telemetry] writes the same file from the background."
    )]
    Metrics(commands::metrics::MetricsArgs),
    /// Notifications when an agent waits, is done or was stopped
    #[command(
        after_help = "Examples:\n  sprag notify test            one notification by every channel of [notify]\n  sprag notify test --json"
    )]
    Notify(commands::notify::NotifyArgs),
    /// Let the model read a file blocked by privacy-block, for a while
    #[command(
        after_help = "Examples:\n  sprag approve .env --for 10m\n  sprag approve --list\n  sprag approve --revoke .env\n\nInteractive only, refused inside an agent."
    )]
    Approve(commands::approve::ApproveArgs),
    /// Find errors in the configuration
    #[command(
        after_help = "Examples:\n  sprag check\n  sprag check --json\n\nExit code 1 when there are errors."
    )]
    Check(commands::check::CheckArgs),
    /// Check the installation: agents, registration, store, crashes
    #[command(
        after_help = "Examples:\n  sprag doctor\n  sprag doctor --json | jq '.findings[] | select(.level != \"ok\")'\n\nExit code 1 when something fails."
    )]
    Doctor(commands::doctor::DoctorArgs),
    /// What the hooks did today, sessions, background jobs
    #[command(after_help = "Examples:\n  sprag status\n  sprag status sessions\n  sprag status queue --json")]
    Status(commands::status::StatusArgs),
    /// Print an agent's status line (payload on standard input)
    #[command(
        after_help = "Example:\n  sprag statusline < payload.json\n\nIn Claude Code's settings.json:\n  \"statusLine\": { \"type\": \"command\", \"command\": \"sprag statusline\" }"
    )]
    Statusline(commands::statusline::StatuslineArgs),
    /// Numbers per hook and event: runs, times, blocks, tokens, errors
    #[command(
        after_help = "Examples:\n  sprag stats\n  sprag stats --since 24h --hook tool-loop\n  sprag stats --cost --by branch --since 30d\n\nPrices are list prices; your own are in ~/.config/sprag/prices.json."
    )]
    Stats(commands::stats::StatsArgs),
    /// The database: state, schema, export, import
    #[command(
        after_help = "Examples:\n  sprag store status\n  sprag store export all.jsonl\n  SPRAG_STORE_URL=postgres://me@db/sprag sprag store import all.jsonl"
    )]
    Store(commands::store::StoreArgs),
    /// Which session works on which file; release a claim
    #[command(
        alias = "claim",
        after_help = "Examples:\n  sprag claims list\n  sprag claims release src/cart.rs"
    )]
    Claims(sprag_team::claims::ClaimsArgs),
    /// Tasks, who does them, how far they are; cancel one
    #[command(
        alias = "tasks",
        after_help = "Examples:\n  sprag task create 'Port the parser' --goal 'the old one is gone'\n  sprag task start t0a1b2c3d4e\n  sprag task cancel t0a1b2c3d4e --reason 'not needed'"
    )]
    Task(sprag_team::task::TaskArgs),
    /// Start agents for the tasks of this project; what came out
    #[command(
        after_help = "Examples:\n  sprag team run --parallel 3\n  sprag team run --agent codex --max-cost 5\n  sprag team report --since 2d"
    )]
    Team(sprag_team::run::TeamArgs),
    /// The agents of the team: role, state, own documents
    #[command(
        alias = "agents",
        after_help = "Examples:\n  sprag agent list\n  sprag agent register ada --role lead\n  sprag agent identity log SOUL.md"
    )]
    Agent(sprag_team::agent::AgentArgs),
    /// What this project used today, and its caps; raise them
    #[command(
        alias = "limits",
        after_help = "Examples:\n  sprag limit\n  sprag limit set --day '10 usd' --session '2M tokens'\n  sprag limit raise --day '15 usd'"
    )]
    Limit(commands::limit::LimitArgs),
    /// Git worktrees and branches for tasks; remove merged ones
    #[command(
        after_help = "Examples:\n  sprag worktree new t0a1b2c3d4e\n  sprag worktree list\n  sprag worktree clean"
    )]
    Worktree(sprag_team::worktree::WorktreeArgs),
    /// Send a message to an agent, a role or all
    #[command(
        after_help = "Examples:\n  sprag say ada 'the parser is yours'\n  sprag say role:lead 'the tests are red on main'\n  sprag say all 'no pushes before noon, please'"
    )]
    Say(sprag_team::say::SayArgs),
    /// New messages for you; with --all, also what was read
    #[command(after_help = "Examples:\n  sprag inbox\n  sprag inbox --all --since 2d")]
    Inbox(sprag_team::say::InboxArgs),
    /// Background processes that end with their session
    #[command(
        alias = "artifacts",
        after_help = "Examples:\n  cloudflared tunnel run & sprag artifact add tunnel --pid $!\n  sprag artifact list"
    )]
    Artifact(sprag_team::artifact::ArtifactArgs),
    /// Several agents at one task: juries, pipelines, swarms
    #[command(
        alias = "patterns",
        after_help = "Examples:\n  sprag pattern start jury --members 3 --task 'may this be released?'\n  sprag pattern status jury-1a2b3c\n  sprag pattern post jury-1a2b3c 'the tests are green'"
    )]
    Pattern(sprag_team::pattern::PatternArgs),
    /// Lessons from mistakes: add, review, match, import
    #[command(
        alias = "lesson",
        after_help = "Examples:\n  sprag lessons list\n  sprag lessons scan && sprag lessons review\n  sprag lessons match --command 'git stash'\n  sprag lessons import lesson-manifest.json"
    )]
    Lessons(commands::lessons::LessonsArgs),
    /// What sessions left: search, list, export, hand off
    #[command(
        after_help = "Examples:\n  sprag knowledge search cart total\n  sprag knowledge list --kind decision --here\n  sprag knowledge handoff-now\n  sprag knowledge outcome succeeded --notes 'released'\n  sprag knowledge import lazy-harness ~/notes/knowledge"
    )]
    Knowledge(commands::knowledge::KnowledgeArgs),
    /// Memories: add, recall by words and meaning, edit, forget
    #[command(
        alias = "memories",
        after_help = "Examples:\n  sprag memory add 'Staging needs the VPN' --tag deploy\n  sprag memory recall 'cannot reach the test system'\n  sprag memory list --kind decision\n  sprag memory import notes.md --scope project"
    )]
    Memory(commands::memory::MemoryArgs),
    /// Serve memory, code, team and guards to agents over MCP
    #[command(
        after_help = "Examples:\n  sprag mcp                         agents start this; `sprag deploy --mcp` registers it\n  sprag mcp --tools memory,code     only these groups of tools\n  sprag mcp --project ~/work/shop"
    )]
    Mcp(commands::mcp::McpArgs),
    /// The journal: what every hook decided, event by event
    #[command(
        after_help = "Examples:\n  sprag logs -n 50\n  sprag logs -f --errors\n  sprag logs --hook tool-loop --json\n  sprag logs --findings\n  sprag logs --sarif > sprag.sarif\n  sprag logs --verify      was a line changed or removed?"
    )]
    Logs(commands::logs::LogsArgs),
    /// Trust a project's own hooks and settings as they are now
    #[command(
        after_help = "Examples:\n  sprag trust           show what the project wants, then ask\n  sprag trust --list\n  sprag trust --revoke ~/work/shop\n\nInteractive only, refused inside an agent."
    )]
    Trust(commands::trust::TrustArgs),
    /// Everything that sprag stored: where, export, delete
    #[command(
        after_help = "Examples:\n  sprag data show\n  sprag data export backup\n  sprag data delete --project"
    )]
    Data(commands::data::DataArgs),
    /// Update sprag, or say which command does
    #[command(
        name = "self",
        after_help = "Examples:\n  sprag self update --check     is there a newer version?\n  sprag self update"
    )]
    SelfUpdate(commands::self_update::SelfArgs),
    /// Print a shell's completion script
    #[command(
        after_help = "Examples:\n  sprag completions bash > ~/.local/share/bash-completion/completions/sprag\n  sprag completions zsh > ~/.zfunc/_sprag\n  sprag completions fish > ~/.config/fish/completions/sprag.fish\n\nCompletes commands, hooks, agents, events, rules, sessions and more. `./install` does this for you."
    )]
    Completions(commands::completions::CompletionsArgs),
    /// Licences of sprag and of the software it contains
    #[command(alias = "licences", after_help = "Examples:\n  sprag licenses\n  sprag licenses --full | less")]
    Licenses(commands::licenses::LicensesArgs),
    /// Process background jobs (hooks start this when there is work)
    #[command(hide = true, after_help = "Example:\n  sprag worker --once")]
    Worker(commands::worker::WorkerArgs),
    /// Write the man pages into a folder
    #[command(hide = true, after_help = "Example:\n  sprag man ~/.local/share/man/man1")]
    Man(commands::completions::ManArgs),
    /// Answer one event: payload on standard input, answer on standard output (agents call this)
    #[command(hide = true, after_help = "Example:\n  sprag hook --agent claude < payload.json")]
    Hook {
        /// Who calls: auto, or an agent by its name: claude, codex, gemini, qwen, copilot, opencode, grok, …
        #[arg(long, default_value = "auto")]
        agent: String,
        /// Registered in a project's file or by a plugin: leaves an event to the agent's own settings, where these register it too
        #[arg(long, hide = true, value_parser = ["project", "plugin"])]
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Visits every command that help shows, with the words that lead to it.
    fn visit(parent: &clap::Command, path: &str, look: &mut dyn FnMut(&str, &clap::Command)) {
        let shown = parent.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help");
        for sub in shown {
            let path = format!("{path} {}", sub.get_name());
            look(&path, sub);
            visit(sub, &path, look);
        }
    }

    /// The calls of sprag in a line of shell.
    fn calls(line: &str) -> Vec<Vec<String>> {
        let (line, _) = line.split_once("   ").unwrap_or((line, ""));
        let words = shlex::split(&line.replace("$!", "4711")).unwrap_or_default();
        let parts = words.split(|word| matches!(word.as_str(), "|" | "&&" | "&" | "<" | ">" | ";"));
        let call = |part: &[String]| {
            let start = part.iter().position(|word| !word.contains('='))?;
            part.get(start..)
                .filter(|words| words.first().is_some_and(|word| word == "sprag"))
                .map(<[_]>::to_vec)
        };
        parts.filter_map(call).collect()
    }

    #[test]
    fn every_visible_command_has_an_example_that_parses() {
        let mut faults = Vec::new();
        visit(&command(), "sprag", &mut |path, sub| {
            let help = sub.get_after_help().map(ToString::to_string).unwrap_or_default();
            let calls: Vec<_> = help.lines().filter(|line| line.starts_with("  ")).flat_map(calls).collect();
            if !calls.iter().any(|words| words.join(" ").starts_with(path)) {
                faults.push(format!("{path} has no example of its own"));
            }
            for words in calls {
                if let Err(error) = command().try_get_matches_from(&words) {
                    faults.push(format!("{path}: {words:?}: {error}"));
                }
            }
        });
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn every_visible_command_is_in_one_group_and_fits_a_narrow_terminal() {
        let names: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.split(' ')).collect();
        for sub in Args::command().get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let name = sub.get_name();
            assert_eq!(names.iter().filter(|known| **known == name).count(), 1, "{name} in GROUPS");
            let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
            assert!((10..=65).contains(&about.chars().count()), "{name}: {about}");
        }
    }

    #[test]
    fn the_definition_of_the_command_line_is_sound() {
        command().debug_assert();
    }
}
