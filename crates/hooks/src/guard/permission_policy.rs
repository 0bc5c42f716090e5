//! permission-policy: the user's own rules on tools, paths and commands: deny before ask before allow.
//! The one builtin that approves; `outside` is the freeze boundary (edit only inside these paths).

use sprag_base::glob;
use sprag_config::settings::{Tables, Texts};
use sprag_config::{setting_choice, settings};
use sprag_guard::links;
use sprag_guard::shell;
use sprag_protocol::{Access, Decision, Event, EventKind, ToolCall, ToolKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_shell::{Analysis, Arg, Cmd, Effect, EffectKind, HOLE, Note, PathRef, PathZone};
use std::path::Path;
use std::rc::Rc;

setting_choice! {
    /// What a rule decides.
    enum RuleDecision {
        Deny = "deny",
        Ask = "ask",
        Allow = "allow",
    }
}

settings! {
    /// A rule: what it decides, and what it is about.
    struct PolicyRule<'a> {
        /// what the rule decides
        decision: Option<RuleDecision>;
        /// tools that it is about, in the grammar of matchers
        tools: Option<Texts>;
        /// globs of paths that it is about
        paths: Option<Texts>;
        /// globs of the paths outside of which it applies
        outside: Option<Texts>;
        /// commands that it is about, by their first words
        commands: Option<Texts>;
        /// types of agents that it is about; `main` is the session itself
        agents: Option<Texts>;
        /// permission modes that it is about
        modes: Option<Texts>;
        /// what the agent is told
        reason: Option<Text>;
    }
}

settings! {
    struct PermissionPolicySettings<'a> {
        /// decision (deny, ask or allow), and what it is about: tools, paths, outside, commands, agents, modes; reason
        rules: Tables<PolicyRule>, tighten AddStops;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "permission-policy",
        family: Family::Guard,
        bundle: Bundle::Guards,
        summary: "approves, asks about or denies tool calls by the user's own rules; can freeze everything outside some paths",
        sees: &[
            Sees { kind: EventKind::PreToolUse, matcher: "" },
            Sees { kind: EventKind::PermissionRequest, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Strict, Preset::Swarm]),
        settings: PermissionPolicySettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: PermissionPolicySettings<'_> = cx.settings.read();
    let rules = settings.rules;
    let Some(tool) = event.tool.as_ref().filter(|_| !rules.is_empty()) else { return Ok(Reply::pass()) };
    let call = Call::of(event, tool, cx);
    for decision in [RuleDecision::Deny, RuleDecision::Ask, RuleDecision::Allow] {
        let mut deciding = rules.iter().filter(|rule| rule.decision == Some(decision));
        let rule = deciding.find(|rule| applies(rule, decision, &call, rules));
        let Some(rule) = rule else { continue };
        let reason = rule.reason.map_or_else(|| describe(&rule), str::to_owned);
        return Ok(match decision {
            RuleDecision::Allow => {
                Reply { decision: Decision::Allow, reason: Some(reason), ..Reply::default() }
            }
            // Before a permission dialog there is nothing to ask: the agent is at it.
            RuleDecision::Ask if event.kind == EventKind::PermissionRequest => Reply::pass(),
            RuleDecision::Ask => Reply::ask(reason).rule("policy"),
            RuleDecision::Deny => Reply::deny(reason).rule("policy"),
        });
    }
    Ok(Reply::pass())
}

/// A rule in words, when it gives no reason.
fn describe(rule: &PolicyRule<'_>) -> String {
    let list = |texts: Option<Texts<'_>>| texts.map(|texts| texts.to_vec().join(", "));
    match (list(rule.outside), list(rule.commands), list(rule.paths), list(rule.tools)) {
        (Some(inside), ..) => format!("The user's policy allows changes only in {inside}."),
        (_, Some(commands), ..) => format!("The user's policy has a rule on commands like {commands}."),
        (_, _, Some(paths), _) => format!("The user's policy has a rule on {paths}."),
        (.., Some(tools)) => format!("The user's policy has a rule on {tools}."),
        _ => "The user's policy has a rule on this.".to_owned(),
    }
}

/// What the rules look at.
struct Call<'a> {
    event: &'a Event,
    tool: &'a ToolCall,
    root: &'a Path,
    /// The root without links, when that is another path.
    real_root: Option<String>,
    home: &'a Path,
    analysis: Option<Rc<Analysis>>,
    paths: Vec<Touched>,
}

/// A path that the call reads or changes.
struct Touched {
    /// From the root, by its text.
    path: String,
    /// Where links lead from there, when that is elsewhere.
    real: Option<String>,
    changes: bool,
}

impl Touched {
    fn new(path: String, changes: bool) -> Self {
        Self { real: links::elsewhere(&path), path, changes }
    }

    /// Both names: a stop that covers one of them counts, an approval must cover both.
    fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.path.as_str()).chain(self.real.as_deref())
    }
}

impl<'a> Call<'a> {
    fn of(event: &'a Event, tool: &'a ToolCall, cx: &'a Cx<'_>) -> Self {
        let analysis = shell::analysis(event, cx).map(|(analysis, _)| analysis);
        let context = shell::context(event, cx);
        let mut paths = Vec::new();
        for used in &tool.paths {
            let touched = Touched::new(shell::full(&used.path, &context), used.access != Access::Read);
            let real = shell::through_links(&used.path, &context);
            paths.push(Touched { real: touched.real.or(real), ..touched });
        }
        for effect in analysis.iter().flat_map(|analysis| &analysis.effects) {
            let mut push = |path: &PathRef, changes| {
                // What goes to /dev/null or the terminal changes nothing.
                if path.place != PathZone::Sink {
                    paths.push(Touched::new(path.full.clone(), changes));
                }
            };
            match &effect.kind {
                EffectKind::Read(path)
                | EffectKind::Use(path)
                | EffectKind::List(path)
                | EffectKind::Stage(path) => push(path, false),
                EffectKind::Write(path, _)
                | EffectKind::Delete { path, .. }
                | EffectKind::Mode { path, .. } => push(path, true),
                EffectKind::Move { from, to } => {
                    push(from, true);
                    push(to, true);
                }
                // Names that arrive on its input may be any.
                EffectKind::DeleteFromInput { .. } => paths.push(Touched::new(HOLE.to_string(), true)),
                _ => {}
            }
        }
        if analysis.as_ref().is_some_and(|analysis| analysis.notes.contains(&Note::TooMuch)) {
            paths.push(Touched::new(HOLE.to_string(), true));
        }
        let root = &cx.project.root;
        let real_root = links::elsewhere(&root.to_string_lossy());
        Self { event, tool, root, real_root, home: &cx.host.paths.home, analysis, paths }
    }

    /// A path as a rule's glob sees it.
    fn covered(&self, glob: &str, path: &str) -> bool {
        let whole = |pattern: &str, path: &str| {
            let pattern = pattern.trim_end_matches('/');
            glob::matches(pattern, path) || glob::matches(&format!("{pattern}/**"), path)
        };
        if let Some(rest) = glob.strip_prefix("~/") {
            return whole(&self.home.join(rest).to_string_lossy(), path);
        }
        if glob.starts_with('/') {
            return whole(glob, path);
        }
        let mut roots = std::iter::once(self.root).chain(self.real_root.as_deref().map(Path::new));
        let below = roots.find_map(|root| Path::new(path).strip_prefix(root).ok());
        below.is_some_and(|below| match glob.trim_start_matches("./") {
            "" | "." => true,
            glob => whole(glob, &below.to_string_lossy()),
        })
    }
}

fn applies(
    rule: &PolicyRule<'_>,
    decision: RuleDecision,
    call: &Call<'_>,
    rules: Tables<'_, PolicyRule<'_>>,
) -> bool {
    if [rule.tools, rule.paths, rule.outside, rule.commands].iter().all(Option::is_none) {
        return false;
    }
    if decision == RuleDecision::Allow {
        // A line does more than its paths tell: only a rule on its commands, or on the tool as a whole, approves it.
        let narrow = rule.paths.is_some() || rule.outside.is_some();
        let shell = call.tool.kind == ToolKind::Shell;
        if rule.outside.is_some() || (shell && rule.commands.is_none() && (narrow || rule.tools.is_none())) {
            return false;
        }
    }
    is_about(rule, call)
        && rule.paths.is_none_or(|globs| on_paths(globs, decision, call))
        && rule.outside.is_none_or(|inside| outside(inside, call))
        && rule.commands.is_none_or(|prefixes| on_commands(prefixes, decision, call, rules))
}

/// Whether the rule speaks of this tool, this agent and this mode.
fn is_about(rule: &PolicyRule<'_>, call: &Call<'_>) -> bool {
    let named = |names: Texts<'_>| {
        names.iter().any(|name| {
            sprag_pattern::Matcher::parse(name)
                .is_ok_and(|matcher| call.tool.names().any(|tool| matcher.matches(tool)))
        })
    };
    let agent = call.event.agent_type.as_deref().unwrap_or("main");
    let mode = call.event.text("permission_mode").unwrap_or("default");
    rule.tools.is_none_or(named)
        && rule.agents.is_none_or(|names| names.contains(agent))
        && rule.modes.is_none_or(|names| names.contains(mode))
}

/// For a stop one path is enough; an approval must cover every path, and there must be one.
fn on_paths(globs: Texts<'_>, decision: RuleDecision, call: &Call<'_>) -> bool {
    let covered = |path: &str| globs.iter().any(|glob| call.covered(glob, path));
    if decision == RuleDecision::Allow {
        !call.paths.is_empty() && call.paths.iter().all(|touched| touched.names().all(covered))
    } else {
        call.paths.iter().any(|touched| touched.names().any(covered))
    }
}

/// The freeze boundary: something would be changed that lies in none of the paths, or does so behind a link.
fn outside(inside: Texts<'_>, call: &Call<'_>) -> bool {
    let covered = |path: &str| inside.iter().any(|glob| call.covered(glob, path));
    call.paths.iter().filter(|touched| touched.changes).any(|touched| !touched.names().all(covered))
}

/// For a stop one command of the line is enough; for an approval every command must be approved by some rule,
/// and the line must do nothing beside.
fn on_commands(
    prefixes: Texts<'_>,
    decision: RuleDecision,
    call: &Call<'_>,
    rules: Tables<'_, PolicyRule<'_>>,
) -> bool {
    let Some(analysis) = &call.analysis else { return false };
    if decision != RuleDecision::Allow {
        let stops = |command: &Cmd| prefixes.iter().any(|prefix| names(prefix, command));
        return analysis.commands.iter().any(stops);
    }
    let approved = |command: &Cmd| {
        rules
            .iter()
            .filter(|rule| rule.decision == Some(RuleDecision::Allow))
            // The rule that approves another command of the line must be about this agent and mode too.
            .filter(|rule| is_about(rule, call))
            .filter_map(|rule| rule.commands)
            .any(|prefixes| prefixes.iter().any(|prefix| starts(prefix, command)))
    };
    analysis.notes.is_empty()
        && analysis.commands.iter().any(|command| prefixes.iter().any(|prefix| starts(prefix, command)))
        && analysis.commands.iter().all(|command| is_plain(command) && approved(command))
        && analysis.effects.iter().all(stays_here)
}

/// The command begins with exactly these words.
fn starts(prefix: &str, command: &Cmd) -> bool {
    let mut said =
        std::iter::once(command.name.as_str()).chain(command.args.iter().map(|arg| arg.text.as_str()));
    let mut words = prefix.split_whitespace().peekable();
    words.peek().is_some() && words.all(|word| said.next() == Some(word))
}

/// The same with options between the words, alone or with a value: `git -C d push` is a `git push`.
fn names(prefix: &str, command: &Cmd) -> bool {
    fn found(words: &[&str], args: &[Arg]) -> bool {
        let ([word, rest @ ..], [arg, after @ ..]) = (words, args) else { return words.is_empty() };
        if arg.text == *word && found(rest, after) {
            return true;
        }
        arg.text.starts_with('-')
            && (found(words, after) || after.get(1..).is_some_and(|after| found(words, after)))
    }
    let words: Vec<&str> = prefix.split_whitespace().collect();
    match words.as_slice() {
        [program, words @ ..] => {
            *program == command.name && found(words, command.args.get(..MAX_WORDS).unwrap_or(&command.args))
        }
        [] => false,
    }
}

/// Words of a command in which a stop's words are looked for; twice as many ways with every option.
const MAX_WORDS: usize = 12;

/// The program that its name says, run by this shell with nothing unknown.
fn is_plain(command: &Cmd) -> bool {
    const AROUND: [&str; 14] = [
        "( )", "loop", "case", "if", "else", "for", "function", "time", "timeout", "nice", "nohup",
        "command", "stdbuf", "$()",
    ];
    const HARMLESS: [&str; 14] = [
        "CI", "NODE_ENV", "FORCE_COLOR", "NO_COLOR", "RUST_BACKTRACE", "RUST_LOG", "DEBUG", "LANG", "LC_ALL",
        "TZ", "TERM", "COLUMNS", "PYTHONUNBUFFERED", "CARGO_TERM_COLOR",
    ];
    command.by_path.is_none()
        && command.reached.iter().all(|via| AROUND.contains(via))
        // A variable may choose which program runs (`PATH`) or what it loads (`LD_PRELOAD`).
        && command.env.iter().all(|(name, _)| HARMLESS.contains(&name.as_str()))
        && command.args.iter().all(|arg| !arg.has_hole())
}

/// A rule approves programs, not what a redirection or a pipe does beside: that must stay in the project.
fn stays_here(effect: &Effect) -> bool {
    let here = |path: &PathRef| matches!(path.place, PathZone::Project | PathZone::Temp | PathZone::Sink);
    match &effect.kind {
        EffectKind::Read(_)
        | EffectKind::Use(_)
        | EffectKind::List(_)
        | EffectKind::Stage(_)
        | EffectKind::Fetch { .. }
        | EffectKind::Secret { .. }
        | EffectKind::Git { .. }
        | EffectKind::Checkout { .. } => true,
        EffectKind::Write(path, _) | EffectKind::Delete { path, .. } | EffectKind::Mode { path, .. } => {
            here(path)
        }
        EffectKind::Move { from, to } => here(from) && here(to),
        EffectKind::Unpack { into, .. } => here(into),
        EffectKind::Send { .. }
        | EffectKind::Serve(_)
        | EffectKind::Code { .. }
        | EffectKind::Database { .. }
        | EffectKind::Make(_)
        | EffectKind::DeleteFromInput { .. }
        | EffectKind::ForkBomb
        | EffectKind::DynamicShell => false,
    }
}
