//! `sprag guard`: the guards' verdict on commands, paths and texts, outside of any session.

use anyhow::Context as _;
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_project::Project;
use sprag_protocol::{AgentId, Decision, EventKind, decode};
use sprag_replay::explain::{self, Understood};
use sprag_rules::GuardConfig;
use sprag_runtime::hook::Cx;
use sprag_runtime::message;
use sprag_runtime::session::Session;
use sprag_shell::{AnalysisMemo, Context};
use sprag_terminal::{Out, Problem, Table, Tone};
use std::io::{BufRead as _, BufWriter, Write as _};
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct GuardArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Judge JSON lines from standard input: {"command":…}, {"path":…,"tool":…}, {"tool":…,"input":{…}} or {"text":…}
    #[command(
        after_help = "Example:\n  echo '{\"command\":\"rm -rf ~\"}' | sprag guard batch\n\nEach line may have cwd, home and project_root, which need not exist. The configuration is the default one."
    )]
    Batch,
    /// Show how a command is understood: what would run, what it would do, which rule applies
    #[command(
        after_help = "Examples:\n  sprag guard explain 'git push --force'\n  sprag guard explain 'find . -delete' --cwd ~ --json"
    )]
    Explain {
        /// The command, as one argument
        command: String,
        /// Where it would run (default: here)
        #[arg(long)]
        cwd: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List the rules of command-guard
    #[command(
        after_help = "Examples:\n  sprag guard rules\n  sprag guard rules git\n  sprag guard rules --json"
    )]
    Rules {
        /// A pack, a rule, or the beginning of its name
        name: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: &GuardArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::Batch => batch(host),
        What::Explain { command, cwd, json } => explain_command(command, cwd.as_deref(), *json, host, out),
        What::Rules { name, json } => rules(name.as_deref().unwrap_or_default(), *json, out),
    }
}

/// The verdict on one line: allow, ask or deny, the rule and the reason.
struct Judged {
    verdict: &'static str,
    rule: Option<String>,
    reason: String,
}

impl Judged {
    fn allow() -> Self {
        Self { verdict: "allow", rule: None, reason: String::new() }
    }
}

/// What a line of `sprag guard batch` may be about.
const KEYS: [&str; 5] = ["command", "path", "text", "tool", "input"];

fn batch(host: &Host) -> anyhow::Result<ExitCode> {
    let here = std::env::current_dir().unwrap_or_default().to_string_lossy().into_owned();
    let project = Project::find(&here, &host.env, &host.paths.home);
    let default = sprag_guard::shell::context_at(&here, &host.paths.home, &project);
    let config = GuardConfig { now: host.clock.now().seconds() as i64, ..GuardConfig::default() };
    let mut tools = ToolGuards::new(host);
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut code = ExitCode::SUCCESS;
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line.context(Problem::new("standard input cannot be read", "give JSON lines as UTF-8"))?;
        if line.trim().is_empty() {
            continue;
        }
        let judged = match serde_json::from_str::<Value>(&line) {
            Ok(row) if !KEYS.iter().any(|key| row.get(key).is_some()) => {
                Err(format!("line {} has none of: {}", number + 1, KEYS.join(", ")))
            }
            Ok(row) => Ok(judge(&row, &default, &config, &mut tools)?),
            Err(error) => Err(format!("line {} is no JSON: {error}", number + 1)),
        };
        // A line for each line: whoever reads them counts on the order.
        let row = match judged {
            Ok(judged) => json!({"verdict": judged.verdict, "rule": judged.rule, "reason": judged.reason}),
            Err(error) => {
                code = ExitCode::FAILURE;
                json!({"verdict": null, "rule": null, "reason": "", "error": error})
            }
        };
        writeln!(out, "{row}").context("standard output is closed")?;
    }
    out.flush().context("standard output is closed")?;
    Ok(code)
}

fn judge(
    row: &Value,
    default: &Context,
    config: &GuardConfig,
    tools: &mut ToolGuards,
) -> anyhow::Result<Judged> {
    let text = |key: &str| row.get(key).and_then(Value::as_str);
    let or = |key: &str, other: &str| text(key).unwrap_or(other).to_owned();
    let cwd = or("cwd", text("project_root").unwrap_or(&default.cwd));
    let root = text("project_root").map(str::to_owned);
    let context = Context {
        home: or("home", &default.home),
        project_root: root.unwrap_or_else(|| {
            if text("cwd").is_some() { cwd.clone() } else { default.project_root.clone() }
        }),
        cwd,
    };
    if let (Some(tool), Some(input)) = (text("tool"), row.get("input")) {
        let agent = text("agent").and_then(AgentId::from_name).unwrap_or(AgentId::CANONICAL);
        return tools.judge(agent, tool, input, &context);
    }
    if let Some(command) = text("command") {
        return Ok(of_command(command, &context, config));
    }
    if let Some(path) = text("path") {
        return Ok(of_path(path, text("tool").unwrap_or("Read"), &context));
    }
    Ok(text("text").map_or_else(Judged::allow, of_text))
}

/// command-guard and privacy-block on a whole tool call, with the default configuration.
struct ToolGuards {
    host: Host,
    loaded: Option<sprag_config::Loaded>,
}

impl ToolGuards {
    fn new(host: &Host) -> Self {
        let mut host = host.clone();
        // Neither this user's files nor the machine's policy count.
        for folder in [&mut host.paths.config, &mut host.paths.state, &mut host.paths.data] {
            *folder = std::path::PathBuf::from("/dev/null/sprag");
        }
        host.paths.policy = None;
        host.env = sprag_base::env::Env::Fixed(std::collections::BTreeMap::new());
        Self { host, loaded: None }
    }

    fn judge(
        &mut self,
        agent: AgentId,
        tool: &str,
        input: &Value,
        context: &Context,
    ) -> anyhow::Result<Judged> {
        self.host.paths.home = context.home.clone().into();
        let name = sprag_protocol::dialects::of(agent)
            .row(EventKind::PreToolUse)
            .map_or("PreToolUse", |row| row.native);
        let payload = json!({"hook_event_name": name, "session_id": "batch", "cwd": context.cwd,
            "tool_name": tool, "tool_input": input});
        let event = decode::decode(payload.to_string().as_bytes(), Some(agent), &|_| None)
            .context("the call cannot be read")?;
        let project = Project {
            root: context.project_root.clone().into(),
            cwd: context.cwd.clone().into(),
            ..Project::default()
        };
        let host = &self.host;
        let loaded = self.loaded.get_or_insert_with(|| sprag_config::load(host, &Project::default()));
        let session = Session::new(&host.paths, "batch");
        let memo = AnalysisMemo::default();
        let mut strongest = Judged::allow();
        for hook in ["command-guard", "privacy-block"] {
            let planned = loaded.resolved.chain(event.kind).find(|planned| planned.hook.name == hook);
            let builtin = sprag_hooks::BUILTINS.iter().find(|builtin| builtin.spec.name == hook);
            let (Some(planned), Some(builtin)) = (planned, builtin) else { continue };
            let cx = Cx {
                name: hook,
                host,
                session: &session,
                project: &project,
                settings: &planned.hook.settings,
                preset: loaded.resolved.preset,
                time: Duration::from_secs(1),
                recheck: true,
                shell: &memo,
            };
            let reply =
                (builtin.run)(&event, &cx).map_err(|error| anyhow::anyhow!("{hook} failed: {error}"))?;
            let verdict = match reply.decision {
                Decision::Deny | Decision::Block => "deny",
                Decision::Ask => "ask",
                _ => continue,
            };
            if strongest.verdict != "deny" && (verdict == "deny" || strongest.verdict == "allow") {
                let reason = message::grounds(&reply).unwrap_or_default();
                strongest = Judged { verdict, rule: reply.grounds.rule, reason };
            }
        }
        Ok(strongest)
    }
}

fn of_command(command: &str, context: &Context, config: &GuardConfig) -> Judged {
    let analysis = sprag_shell::analyse(command, context);
    let judged = sprag_rules::judge(&analysis, context, config);
    let privacy = sprag_rules::sensitive_reads(&analysis).into_iter().next();
    match (judged.verdict, privacy) {
        (sprag_rules::Verdict::Deny, _) | (sprag_rules::Verdict::Ask, None) => Judged {
            verdict: if judged.verdict == sprag_rules::Verdict::Deny { "deny" } else { "ask" },
            reason: format!("{} {}", judged.reason, judged.safer).trim_end().to_owned(),
            rule: judged.rule.map(str::to_owned),
        },
        (_, Some(read)) => Judged {
            verdict: if read.staged { "ask" } else { "deny" },
            rule: Some(format!("privacy:{}", read.kind.id)),
            reason: format!("{}: {}", read.path.written, read.kind.reason),
        },
        (_, None) => Judged::allow(),
    }
}

/// Reading a secret is stopped and editing one asked about; writing a new file, deleting and listing pass.
fn of_path(path: &str, tool: &str, context: &Context) -> Judged {
    if matches!(tool, "Write" | "Glob" | "LS") {
        return Judged::allow();
    }
    let edits = matches!(tool, "Edit" | "MultiEdit" | "NotebookEdit");
    match sprag_shell::sensitive_path(path, context) {
        Some(kind) => Judged {
            verdict: if edits { "ask" } else { "deny" },
            rule: Some(format!("privacy:{}", kind.id)),
            reason: format!("{path}: {}", kind.reason),
        },
        None => Judged::allow(),
    }
}

/// injection-scan's verdict on a text, once there is one to ask.
/// What injection-scan would warn about or take out.
fn of_text(text: &str) -> Judged {
    if let Some(finding) = sprag_scan::injection::scan(text).first() {
        return Judged {
            verdict: "ask",
            rule: Some(format!("injection:{}", finding.kind.name().replace(' ', "-"))),
            reason: format!("Line {} tries to instruct the model: {}.", finding.line, finding.kind.name()),
        };
    }
    match sprag_scan::scrub::find(text).first() {
        Some(secret) => Judged {
            verdict: "ask",
            rule: Some("secret".to_owned()),
            reason: format!("It holds a secret: {}.", secret.kind),
        },
        None => Judged::allow(),
    }
}

fn explain_command(
    command: &str,
    cwd: Option<&str>,
    json: bool,
    host: &Host,
    out: &Out,
) -> anyhow::Result<ExitCode> {
    let here = match cwd {
        Some(cwd) => std::path::absolute(cwd).context("invalid path")?,
        None => {
            std::env::current_dir().context(Problem::new("the working directory is gone", "use --cwd"))?
        }
    };
    let here = here.to_string_lossy();
    let project = Project::find(&here, &host.env, &host.paths.home);
    let said = explain::ask_guards(command, &here, &project, host)
        .with_context(|| Problem::new("the guards cannot be asked", "run `sprag doctor`"))?;
    let strongest = explain::strongest(&said);
    let explanation = Understood::of(command, &here, &project, host);
    if json {
        let (verdict, rule, reason) = strongest.map_or(("allow", None, String::new()), |(decision, said)| {
            (decision.name(), said.rule(), said.reason())
        });
        let hooks: Vec<Value> = said
            .iter()
            .map(|said| json!({"hook": said.hook, "verdict": said.word(), "rule": said.rule(), "reason": said.reason(), "shadow": said.shadow}))
            .collect();
        out.json(&json!({"verdict": verdict, "rule": rule, "reason": reason, "hooks": hooks,
            "explanation": explanation.text.lines().collect::<Vec<_>>()}));
        return Ok(ExitCode::SUCCESS);
    }
    out.line(explanation.parse());
    out.line("guards, with the active configuration");
    for said in &said {
        let shadow = if said.shadow { " (in shadow mode: it changes nothing)" } else { "" };
        let rule = said.rule().map(|rule| format!(" by {rule}")).unwrap_or_default();
        out.line(&format!("  {:<17}  {}{rule}{shadow}", said.hook, said.word()));
        if !said.reason().is_empty() {
            out.line(&format!("  {:<17}    {}", "", said.reason()));
        }
    }
    let answer = strongest.map_or_else(
        || "pass: the agent's own permissions decide".to_owned(),
        |(decision, said)| format!("{} by {}", decision.name(), said.hook),
    );
    out.line(&format!("answer: {answer}"));
    if strongest.is_some_and(|(decision, _)| decision >= Decision::Ask) {
        out.line("when an agent was stopped: `sprag allow last` lets exactly that call through, `sprag why last` explains it");
    }
    Ok(ExitCode::SUCCESS)
}

/// The packs and the rules, for completion.
pub(crate) fn rule_names() -> Vec<String> {
    let mut names: Vec<String> =
        sprag_rules::all_rules().flat_map(|rule| [rule.pack().to_owned(), rule.id.to_owned()]).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn rules(name: &str, json: bool, out: &Out) -> anyhow::Result<ExitCode> {
    let found: Vec<_> = sprag_rules::all_rules().filter(|rule| rule.id.starts_with(name)).collect();
    if found.is_empty() {
        let names = rule_names();
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        let hint = sprag_config::parse::nearest(name, &known).map_or_else(
            || "`sprag guard rules` lists them".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        anyhow::bail!(Problem::new(format!("no rule or pack `{name}`"), hint));
    }
    if json {
        let rows: Vec<Value> = found
            .iter()
            .map(|rule| json!({"id": rule.id, "pack": rule.pack(), "verdict": rule.verdict.as_str(), "safer": rule.safer}))
            .collect();
        out.json(&json!({ "rules": rows }));
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["rule", "verdict", "the safer way"]);
    for rule in found {
        let tone = if rule.verdict == sprag_rules::Verdict::Deny { Tone::Bad } else { Tone::Warn };
        table.row(vec![
            (Tone::Plain, rule.id.to_owned()),
            (tone, rule.verdict.as_str().to_owned()),
            (Tone::Plain, rule.safer.to_owned()),
        ]);
    }
    out.table(&table);
    Ok(ExitCode::SUCCESS)
}
