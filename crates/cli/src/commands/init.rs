//! `sprag init`: finds the agents and the project, explains what will run, lets a person choose, writes a short
//! configuration, and offers the rest. Run again, it changes only what is asked.

use crate::commands::{deploy, import, project_at, trial, trust};
use serde_json::json;
use sprag_base::{disk, files};
use sprag_config::bundles::{BundleState, switch_bundle};
use sprag_config::host::Host;
use sprag_config::inventory::Inventory;
use sprag_config::schema::LlmBackend;
use sprag_config::settings::Choice as _;
use sprag_config::spec::Bundle;
use sprag_config::trust::Trust;
use sprag_config::{edit, template, trial as trials};
use sprag_deploy::installed::{self, Installed};
use sprag_project::Project;
use sprag_terminal::person::{agent_around, at_terminal};
use sprag_terminal::{Out, Problem, Tone};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct InitArgs {
    /// Ask nothing: write the configuration only, and leave one that is there alone
    #[arg(long)]
    yes: bool,
    /// Take over the hooks that the agents' settings have now, and settings of other hook tools
    #[arg(long, conflicts_with = "json")]
    import: bool,
    /// Print JSON; asks nothing
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &InitArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let file = host.paths.config_file();
    let agents = installed::find(host);
    let project = project_at(host, None);
    // A model that answers the questions would choose its own guards.
    let ask = !args.yes && !args.json && at_terminal() && agent_around(&host.env).is_none();
    let there = file.symlink_metadata().is_ok();
    if ask {
        // What is chosen could not be written: that is said before the first question.
        refuse_broken(host)?;
    }
    if !args.json {
        explain(&agents, &project, host, out);
    }
    // Whoever leaves a question with Ctrl-C has said nothing yet: nothing is written before the last one.
    let chosen = ask.then(|| choose(host, out));
    if !there {
        files::write_durable(&file, template::text().as_bytes()).map_err(|error| {
            anyhow::anyhow!(Problem::new(
                format!("{}: {error}", file.display()),
                "check the folder's owner, or set SPRAG_CONFIG_DIR; nothing was written"
            ))
        })?;
    }
    if let Some(chosen) = chosen {
        chosen.write(host)?;
    }
    if args.json {
        out.json(&json!({
            "config": { "path": file, "written": !there },
            "agents": agents.iter().map(|found| json!({
                "agent": found.agent.name(), "program": found.program, "folder": found.folder,
            })).collect::<Vec<_>>(),
            "project": { "root": project.root, "git": project.git.is_some(), "sprag": project.sprag.is_some() },
        }));
        return Ok(ExitCode::SUCCESS);
    }
    let what = if !there {
        "written"
    } else if ask {
        "changed only where you said so"
    } else {
        "is there and was left alone"
    };
    out.line(&format!("{} {} {what}", label("Config", out), host.paths.tilde(&file)));
    let imported = if args.import { import::run(host, args.yes, out)? } else { None };
    let mut deployed = imported.is_some();
    let mut code = imported.unwrap_or(ExitCode::SUCCESS);
    if ask {
        if !deployed
            && !agents.is_empty()
            && out.agree(&format!("Register sprag with {} now?", names(&agents)))
        {
            deployed = true;
            code = deploy::run_after_init(host, out)?;
        }
        offer_trust(&project, host, out)?;
    }
    next(&agents, deployed, out);
    Ok(code)
}

/// A configuration that is no TOML is not changed.
fn refuse_broken(host: &Host) -> anyhow::Result<()> {
    let file = host.paths.config_file();
    let text = files::read_text(&file, files::STATE).unwrap_or_default();
    if let Err(error) = text.parse::<toml_edit::DocumentMut>() {
        let what = error.message().lines().next().unwrap_or("not TOML").to_owned();
        anyhow::bail!(Problem::new(
            format!("{} is not valid TOML: {what}", host.paths.tilde(&file)),
            "`sprag check` names the line; nothing was asked or changed"
        ));
    }
    Ok(())
}

fn label(text: &str, out: &Out) -> String {
    out.paint(Tone::Strong, &format!("{text:<8}"))
}

fn names(agents: &[Installed]) -> String {
    agents.iter().map(|found| found.agent.name()).collect::<Vec<_>>().join(", ")
}

/// One fact under a label.
fn fact(name: &str, text: &str, out: &Out) {
    out.labelled(&format!("{} ", label(name, out)), 9, text);
}

/// One screen: who is here, what will run, what is kept where.
fn explain(agents: &[Installed], project: &Project, host: &Host, out: &Out) {
    out.labelled(
        "",
        0,
        "sprag runs one small program on each event of your coding agents: it stops what destroys or leaks, checks their \
         edits, and keeps what was learned for the next session.",
    );
    out.line("");
    if agents.is_empty() {
        fact("Agents", "none found; `sprag deploy` works later too", out);
    }
    for (at, found) in agents.iter().enumerate() {
        let program = found.program.as_ref().map(|program| {
            let version = installed::version(host, found.agent, program);
            format!("{} at {}", version.as_deref().unwrap_or("of unknown version"), host.paths.tilde(program))
        });
        let folder = || found.folder.as_ref().map(|folder| host.paths.tilde(folder)).unwrap_or_default();
        let place = program.unwrap_or_else(|| format!("not on the PATH, but {} is there", folder()));
        let first = if at == 0 { "Agents" } else { "" };
        fact(first, &format!("{} {}", found.agent, out.paint(Tone::Dim, &place)), out);
    }
    let mut facts = Vec::new();
    facts.extend(project.branch().map(|branch| format!("git, {branch}")));
    facts.extend(project.sprag.as_ref().map(|_| "has .sprag (`sprag check` says what it wants)".to_owned()));
    let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join("; ")) };
    fact("Project", &format!("{}{}", host.paths.tilde(&project.root), out.paint(Tone::Dim, &facts)), out);
    fact("Runs", "about 1 ms per tool call; no daemon, a background worker only while there is work", out);
    let stored = [
        ("Stored", &host.paths.config, "configuration"),
        ("", &host.paths.data, "sessions, handoffs"),
        ("", &host.paths.state, "journal, database (memories, lessons); all readable by you alone"),
    ];
    for (name, folder, what) in stored {
        let folder = host.paths.tilde(folder);
        fact(name, &format!("{folder:<22} {}", out.paint(Tone::Dim, what)), out);
    }
    if let Some(system) = disk::network_file_system(&existing(&host.paths.state)) {
        let what = format!("it is on {system}: set SPRAG_STATE_DIR to a folder on a local disk");
        fact("", &out.paint(Tone::Warn, &what), out);
    }
    fact("Network", "nothing leaves this machine; no model is asked until you choose one", out);
    out.line("");
}

/// The nearest folder that is there: before the first run the state has none.
fn existing(folder: &Path) -> PathBuf {
    folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(folder).to_path_buf()
}

/// What a person chose; only what differs from what is so now.
#[derive(Default)]
struct Chosen {
    bundles: Vec<(Bundle, bool)>,
    trial: bool,
    backend: Option<String>,
    /// Address, model and the variable with the key, for an endpoint.
    endpoint: Option<[String; 3]>,
}

impl Chosen {
    fn write(&self, host: &Host) -> anyhow::Result<()> {
        let inventory = Inventory::new(host, project_at(host, None));
        edit::edit(&host.paths.config_file(), |document| {
            for (bundle, on) in &self.bundles {
                switch_bundle(document, &inventory, *bundle, *on);
            }
            if let Some(backend) = &self.backend
                && let Some(table) = document.entry("llm").or_insert(toml_edit::table()).as_table_mut()
            {
                edit::set_text(table, "backend", backend);
                for (key, text) in ["url", "model", "key_env"].iter().zip(self.endpoint.iter().flatten()) {
                    if !text.is_empty() {
                        edit::set_text(table, key, text);
                    }
                }
            }
        })?;
        if self.trial {
            trial::start(host, trials::USUAL)?;
        }
        Ok(())
    }
}

/// The bundles with their marks.
fn show_bundles(states: &[BundleState], switched: &[Bundle], out: &Out) {
    for (at, state) in states.iter().enumerate() {
        let on = state.is_on() != switched.contains(&state.bundle);
        let mark = match (on, state.state()) {
            (true, _) => out.paint(Tone::Good, "[x]"),
            (false, "part") => out.paint(Tone::Warn, "[-]"),
            (false, _) => "[ ]".to_owned(),
        };
        let label = format!("  {} {mark} {:<8} ", at + 1, state.bundle.name());
        out.labelled(&label, 17, &out.paint(Tone::Dim, state.bundle.facts().about));
    }
}

/// The questions. Enter keeps what is so now.
fn choose(host: &Host, out: &Out) -> Chosen {
    let inventory = Inventory::new(host, project_at(host, None));
    let states = BundleState::all(&inventory);
    let mut chosen = Chosen::default();
    out.heading("Which bundles?");
    show_bundles(&states, &[], out);
    if states.iter().any(|state| state.state() == "part") {
        out.line(&out.paint(Tone::Dim, "  [-]: some of its hooks are on (`sprag bundles`)"));
    }
    for _ in 0..3 {
        let answer = out.ask("Enter keeps these; numbers or names switch (for example: 8, or advice code)");
        // Who reads the list as a question says yes to it.
        let words = answer.split([' ', ',']).filter(|word| !word.is_empty() && !matches!(*word, "y" | "yes"));
        let of = |word: &str| match word.parse::<usize>() {
            Ok(number) => states.get(number.checked_sub(1)?),
            Err(_) => states.iter().find(|state| Bundle::from_name(word) == Some(state.bundle)),
        };
        let (mut found, mut unknown) = (Vec::new(), Vec::new());
        for word in words {
            match of(word) {
                Some(state) => found.push(state),
                None => unknown.push(format!("`{word}`")),
            }
        }
        if !unknown.is_empty() {
            out.line(&format!("  not in the list: {}; write numbers or names of it", unknown.join(", ")));
            continue;
        }
        chosen.bundles = found.iter().map(|state| (state.bundle, !state.is_on())).collect();
        if !found.is_empty() {
            let switched: Vec<Bundle> = found.iter().map(|state| state.bundle).collect();
            show_bundles(&states, &switched, out);
        }
        break;
    }
    let now = host.clock.now();
    chosen.trial = !inventory.loaded.resolved.trial.is_some_and(|trial| trial.is_on(now))
        && out.confirm(
            "Try it for 7 days first, so that nothing is stopped and you are told what would have been?",
        );
    let backend = inventory.loaded.resolved.sections.llm().backend;
    let agents = installed::find(host);
    // An agent that is not here cannot be asked.
    let here = |word: &str| agents.iter().any(|found| found.agent.name() == word);
    let is_agent = |word: &str| sprag_protocol::AgentId::from_name(word).is_some();
    let mut choices: Vec<(&str, String)> = LlmBackend::WORDS
        .iter()
        .filter(|word| !is_agent(word) || here(word) || **word == backend.word())
        .map(|word| {
            let what = match LlmBackend::from_word(word) {
                Some(LlmBackend::None) => "no model is asked; nothing is sent or spent",
                Some(LlmBackend::Openai) => "any OpenAI-compatible endpoint ([llm] url, key_env)",
                _ => "its own headless mode, on your account",
            };
            (*word, what.to_owned())
        })
        .collect();
    // What is so now comes first: Enter takes it.
    choices.sort_by_key(|(word, _)| *word != backend.word());
    let model = out.choose("Which model may the background worker ask to sum up sessions?", &choices);
    chosen.backend = Some(model).filter(|model| *model != backend.word());
    if chosen.backend.as_deref() == Some(LlmBackend::Openai.word()) {
        chosen.endpoint = endpoint(out);
        if chosen.endpoint.is_none() {
            // Without an address nothing can be asked; a setting that looks as if would hide that.
            out.line("  without an address no model is chosen; `sprag init` asks again");
            chosen.backend = None;
        }
    }
    chosen
}

/// What an endpoint needs; without an address there is none.
fn endpoint(out: &Out) -> Option<[String; 3]> {
    let mut url = String::new();
    for _ in 0..3 {
        url = out.ask("  Its address (for example http://localhost:11434/v1)");
        if url.is_empty() || url.starts_with("http://") || url.starts_with("https://") {
            break;
        }
        out.line("  an address begins with http:// or https://");
        url.clear();
    }
    if url.is_empty() {
        return None;
    }
    let model = out.ask("  The model");
    let key = out.ask("  The variable that holds the key (Enter: OPENAI_API_KEY)");
    Some([url, model, key])
}

/// A project's own build is run after edits only where a person trusts it.
fn offer_trust(project: &Project, host: &Host, out: &Out) -> anyhow::Result<()> {
    if !project.is_codebase(&host.paths.home)
        || sprag_config::trust::state(&host.paths, &project.root) == Trust::Trusted
    {
        return Ok(());
    }
    let root = host.paths.tilde(&project.root);
    if out.confirm(&format!("Trust {root}: may its own build and its .sprag be run after edits?")) {
        trust::grant_shown(host, project, out)?;
    }
    Ok(())
}

/// What comes next.
fn next(agents: &[Installed], deployed: bool, out: &Out) {
    out.line("");
    match (agents, deployed) {
        ([], _) => out.line("Next, when an agent is there: sprag deploy"),
        (_, false) => {
            out.line("Next: sprag deploy    (registers the hooks; --dry-run shows the change first)");
        }
        (_, true) => out.line("Next: start your agent as usual, then type `sprag` to see what happened."),
    }
    out.line(&out.paint(
        Tone::Dim,
        "`sprag demo` shows a session; `sprag bundles` what is on; `sprag doctor` whether it works.",
    ));
}
