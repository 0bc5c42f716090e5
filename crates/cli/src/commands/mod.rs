//! One file per command. A command returns its exit code; errors are one line what and one line what to do.

pub(crate) mod allow;
pub(crate) mod approvals;
pub(crate) mod approve;
pub(crate) mod bundles;
pub(crate) mod changes;
pub(crate) mod check;
pub(crate) mod code;
pub(crate) mod completions;
pub(crate) mod data;
pub(crate) mod deploy;
pub(crate) mod doctor;
pub(crate) mod guard;
pub(crate) mod home;
pub(crate) mod hook;
pub(crate) mod hooks;
pub(crate) mod hooks_new;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod knowledge;
pub(crate) mod lessons;
pub(crate) mod licenses;
pub(crate) mod limit;
pub(crate) mod logs;
pub(crate) mod loosened;
pub(crate) mod mcp;
pub(crate) mod memory;
pub(crate) mod metrics;
pub(crate) mod notify;
pub(crate) mod plugin;
pub(crate) mod policy;
pub(crate) mod self_update;
pub(crate) mod serve;
pub(crate) mod stats;
pub(crate) mod status;
pub(crate) mod statusline;
pub(crate) mod store;
pub(crate) mod switch;
pub(crate) mod test;
pub(crate) mod trial;
pub(crate) mod trust;
pub(crate) mod uninstall;
pub(crate) mod why;
pub(crate) mod worker;

use crate::args::{Args, Command};
use sprag_config::host::Host;
pub(crate) use sprag_config::host::project_at;
use sprag_terminal::Out;
pub(crate) use sprag_terminal::counted;
use std::process::ExitCode;

/// Exit code for words that make no sense.
const USAGE: u8 = 2;

pub(crate) fn run() -> ExitCode {
    completions::answer_shell();
    let host = Host::of_process(&sprag_hooks::SPECS);
    let out = Out::new(&host.env);
    let args = match Args::parse_typed() {
        Ok(args) => args,
        Err(error) => return not_understood(&error, &out),
    };
    match dispatch(&args.command, &host, &out) {
        Ok(code) => code,
        Err(error) => {
            out.problem(&error);
            ExitCode::FAILURE
        }
    }
}

/// Help, the version, or words that make no sense.
fn not_understood(error: &clap::Error, out: &Out) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if sprag_terminal::wants_json() {
        let text = error.render().to_string();
        let (what, hint) = text.split_once("\n\n").unwrap_or((&text, ""));
        out.error(what.trim_start_matches("error: ").trim(), hint.trim());
    } else {
        let _ = error.print();
    }
    ExitCode::from(USAGE)
}

fn dispatch(command: &Command, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    match command {
        Command::Hook { agent, .. } => anyhow::bail!(hook::not_for_people(agent)),
        Command::Deploy(args) => deploy::deploy(args, host, out),
        Command::Undeploy(args) => deploy::undeploy(args, host, out),
        Command::Uninstall(args) => uninstall::run(args, host, out),
        Command::Code(args) => code::run(args, host, out),
        Command::Guard(args) => guard::run(args, host, out),
        Command::Plugin(args) => plugin::run(args, host, out),
        Command::Policy(args) => policy::run(args, host, out),
        Command::Allow(args) => allow::run(args, host, out),
        Command::Why(args) => why::run(args, host, out),
        Command::Metrics(args) => metrics::run(args, host, out),
        Command::Notify(args) => notify::run(args, host, out),
        Command::Approvals(args) => approvals::run(args, host, out),
        Command::Serve(args) => serve::run(args, host, out),
        Command::Approve(args) => approve::run(args, host, out),
        Command::Worker(args) => worker::run(args, host, out),
        Command::Test(args) => test::run(args, host, out),
        Command::Record(args) => sprag_replay::record::run(args, host, out),
        Command::Replay(args) => sprag_replay::run(args, host, out),
        Command::Demo(args) => sprag_demo::run(args, host, out),
        Command::Init(args) => init::run(args, host, out),
        Command::Bundles(args) => Ok(bundles::run(args, host, out)),
        Command::Enable(args) => switch::enable(args, host, out),
        Command::Disable(args) => switch::disable(args, host, out),
        Command::Trial(args) => trial::run(args, host, out),
        Command::Hooks(args) => hooks::run(args, host, out),
        Command::Check(args) => Ok(check::run(args, host, out)),
        Command::Doctor(args) => Ok(doctor::run(args, host, out)),
        Command::Status(args) => status::run(args, host, out),
        Command::Statusline(args) => Ok(statusline::run(args, host, out)),
        Command::Stats(args) => stats::run(args, host, out),
        Command::Store(args) => store::run(args, host, out),
        Command::Claims(args) => sprag_team::claims::run(args, host, out),
        Command::Task(args) => sprag_team::task::run(args, host, out),
        Command::Team(args) => sprag_team::run::run(args, host, out),
        Command::Limit(args) => limit::run(args, host, out),
        Command::Worktree(args) => sprag_team::worktree::run(args, host, out),
        Command::Say(args) => sprag_team::say::say(args, host, out),
        Command::Inbox(args) => sprag_team::say::inbox(args, host, out),
        Command::Agent(args) => sprag_team::agent::run(args, host, out),
        Command::Artifact(args) => sprag_team::artifact::run(args, host, out),
        Command::Pattern(args) => sprag_team::pattern::run(args, host, out),
        Command::Lessons(args) => lessons::run(args, host, out),
        Command::Knowledge(args) => knowledge::run(args, host, out),
        Command::Memory(args) => memory::run(args, host, out),
        Command::Mcp(args) => mcp::run(args, host),
        Command::Logs(args) => logs::run(args, host, out),
        Command::Trust(args) => trust::run(args, host, out),
        Command::Data(args) => data::run(args, host, out),
        Command::SelfUpdate(args) => self_update::run(args, host, out),
        Command::Completions(args) => completions::run(args, out),
        Command::Man(args) => completions::man(args, out),
        Command::Licenses(args) => Ok(licenses::run(args, out)),
    }
}
