//! What an agent must be told: which events, with which matcher and timeout, so that every chain runs.

use crate::{AgentFiles, Entry, Registration};
use sprag_config::Resolved;
use sprag_config::host::Host;
use sprag_config::plan::{OnError, PlannedHook, registered_timeout};
use sprag_config::schema::NoticeKind;
use sprag_config::trust;
use sprag_pattern::Matcher;
use sprag_project::Project;
use sprag_protocol::kind::Subject;
use sprag_protocol::{AgentId, Event, EventKind, dialects};
use std::path::Path;
use std::time::Duration;

/// Events in which the runtime itself takes part, whatever their chain: a start names the failures since the
/// last session and forgets what was told before a compaction; a turn that ends in an API error silences what
/// adds tokens.
pub const RUNTIME_EVENTS: [EventKind; 2] = [EventKind::SessionStart, EventKind::StopFailure];

/// The configurations whose chains a registration must serve: the user's own and, for the user's scope, those
/// of trusted projects; for a project's file, the project's.
pub fn configurations(host: &Host, project: Option<&Project>) -> Vec<Resolved> {
    let projects = match project {
        Some(project) => vec![project.clone()],
        None => trust::list(&host.paths)
            .into_iter()
            .map(|(root, _)| Project::find(&root, &host.env, &host.paths.home))
            .collect(),
    };
    let user =
        Project::find("", &sprag_base::env::Env::Fixed(std::collections::BTreeMap::new()), Path::new("/"));
    std::iter::once(user).chain(projects).map(|project| sprag_config::load(host, &project).resolved).collect()
}

/// The configuration of somebody who has none.
pub fn defaults(host: &Host) -> Vec<Resolved> {
    let mut host = host.clone();
    for folder in [&mut host.paths.config, &mut host.paths.state, &mut host.paths.data] {
        *folder = Path::new("/dev/null/sprag").to_path_buf();
    }
    host.paths.policy = None;
    host.env = sprag_base::env::Env::Fixed(std::collections::BTreeMap::new());
    configurations(&host, None)
}

/// The registrations of one agent.
pub fn registrations(agent: AgentId, files: &AgentFiles, configurations: &[Resolved]) -> Vec<Registration> {
    let mut found = Vec::new();
    let mut serves = false;
    let rows = dialects::of(agent).rows;
    for row in rows {
        let chains: Vec<Vec<PlannedHook>> = configurations
            .iter()
            .map(|resolved| {
                let chain = resolved.chain(row.kind).map(|hook| &hook.hook);
                chain.filter(|hook| hook.is_for(agent)).cloned().collect()
            })
            .collect();
        let hooks: Vec<&PlannedHook> = chains.iter().flatten().collect();
        // What another event's hooks say may have to wait for this one.
        let waiting: Vec<(EventKind, &Matcher)> = rows
            .iter()
            .filter(|other| other.waits_for == Some(row.kind))
            .flat_map(|other| configurations.iter().map(move |resolved| (other.kind, resolved)))
            .flat_map(|(kind, resolved)| resolved.chain(kind).map(move |hook| (kind, &hook.hook.matcher)))
            .collect();
        // What the agent asks by itself may be answered from elsewhere too.
        let remote = if may_wait(row.kind) { remote_wait(configurations) } else { Duration::ZERO };
        let dialog = row.kind == EventKind::PermissionRequest && !remote.is_zero();
        let told = is_told(row.kind, configurations);
        if hooks.is_empty() && waiting.is_empty() && !dialog && !told && !RUNTIME_EVENTS.contains(&row.kind) {
            continue;
        }
        serves |= !hooks.is_empty();
        let subject = row.kind.facts().subject;
        let waiting = waiting
            .iter()
            .map(|(kind, matcher)| if kind.facts().subject == subject { *matcher } else { &Matcher::All });
        let all = (dialog || told).then_some(&Matcher::All);
        let matchers: Vec<&Matcher> =
            hooks.iter().map(|hook| &hook.matcher).chain(waiting).chain(all).collect();
        let timeout =
            chains.iter().map(|chain| registered_timeout(row.kind, chain)).max().unwrap_or(Duration::ZERO)
                + remote;
        found.push(Registration {
            event: row.native.to_owned(),
            matcher: matcher_for(agent, row.kind, &matchers),
            timeout: files.timeout(row.native, timeout),
            gate: hooks.iter().any(|hook| hook.on_error == OnError::Closed),
        });
    }
    // The runtime's own part is worth a process only beside somebody's hook.
    if !serves {
        found.clear();
    }
    found
}

/// Events that may wait for a person elsewhere.
const fn may_wait(kind: EventKind) -> bool {
    matches!(kind, EventKind::PreToolUse | EventKind::PermissionRequest)
}

/// True for an event that notifications are made of, where the configuration wants them. Calls and prompts are not among them:
/// only a hook stops one.
fn is_told(kind: EventKind, configurations: &[Resolved]) -> bool {
    let needed = match kind {
        EventKind::Notification => NoticeKind::Waits.bit(),
        EventKind::Stop => NoticeKind::Done.bit() | NoticeKind::Limit.bit(),
        EventKind::SessionEnd => NoticeKind::Done.bit(),
        _ => return false,
    };
    configurations.iter().any(|resolved| resolved.sections.notify().wanted() & needed != 0)
}

/// How long a question may wait for an answer from elsewhere.
pub fn remote_wait(configurations: &[Resolved]) -> Duration {
    configurations.iter().map(|resolved| resolved.sections.approvals().waits()).max().unwrap_or_default()
}

/// True when an entry of the agent's file makes it start sprag on this event.
pub fn covers(entry: &Entry, event: &Event) -> bool {
    let matcher = entry.matcher.as_deref().map_or(Ok(Matcher::All), Matcher::parse);
    let subjects = event.subjects();
    dialects::of(event.agent).kind_of(&entry.event) == event.kind
        && (!entry.exe.is_absolute() || entry.exe.exists())
        && matcher.is_ok_and(|matcher| {
            subjects.is_empty() || subjects.iter().any(|subject| matcher.matches(subject))
        })
}

/// The narrowest matcher that the agent understands and that covers the chain; `None` is everything.
fn matcher_for(agent: AgentId, kind: EventKind, matchers: &[&Matcher]) -> Option<String> {
    if kind.facts().subject == Subject::Nothing || matchers.is_empty() {
        return None;
    }
    let syntax = &agent.spec().tools.matcher;
    match Matcher::union(matchers) {
        Matcher::Exact(names) if (syntax.names)(kind.facts().subject, &names) => Some(names.join("|")),
        Matcher::Regex { source, .. } if syntax.regex => Some(source),
        // Everything, and sprag looks itself.
        Matcher::All | Matcher::Exact(_) | Matcher::Regex { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_config::ResolvedHook;
    use sprag_config::plan::{Mode, Runner};

    /// A configuration in which one own hook is on these events.
    fn configuration(kinds: &[EventKind]) -> Resolved {
        let hook = PlannedHook {
            name: "mine".to_owned(),
            runner: Runner::External { argv: vec!["mine".to_owned()], env: Vec::new(), background: false },
            matcher: Matcher::All,
            mode: Mode::Enforce,
            on_error: OnError::Open,
            timeout_ms: 1_000,
            settings: sprag_config::settings::Settings::default(),
            required: false,
            except: Vec::new(),
        };
        let chain = vec![ResolvedHook { hook, why: String::new() }];
        Resolved { chains: kinds.iter().map(|kind| (*kind, chain.clone())).collect(), ..Resolved::default() }
    }

    #[test]
    fn an_event_that_must_carry_anothers_text_is_registered() {
        let events = |name: &str, agent, kind| -> Vec<(String, Option<String>)> {
            let mut own = configuration(&[kind]);
            for (_, chain) in &mut own.chains {
                chain[0].hook.matcher = Matcher::parse("Bash").unwrap();
            }
            let found = registrations(agent, AgentFiles::find(name).unwrap(), &[own]);
            found.into_iter().map(|entry| (entry.event, entry.matcher)).collect()
        };
        let entry = |event: &str, matcher: &Option<String>| (event.to_owned(), matcher.clone());
        assert_eq!(
            events("qwen", AgentId::Qwen, EventKind::PreToolUse),
            [
                entry("SessionStart", &None),
                entry("PreToolUse", &None),
                entry("PostToolUse", &None),
                entry("StopFailure", &None)
            ]
        );
        assert!(
            events("qwen", AgentId::Qwen, EventKind::SubagentStart).contains(&entry("PostToolUse", &None))
        );
        let gemini = events("gemini", AgentId::Gemini, EventKind::PreToolUse);
        assert!(gemini.contains(&entry("AfterTool", &None)), "{gemini:?}");
        let claude = events("claude", AgentId::Claude, EventKind::PreToolUse);
        assert!(!claude.iter().any(|(event, _)| event == "PostToolUse"), "{claude:?}");
    }

    #[test]
    fn the_runtimes_own_events_come_with_any_chain_and_never_alone() {
        let files = AgentFiles::find("claude").unwrap();
        let events = |kinds: &[EventKind]| -> Vec<String> {
            let found = registrations(AgentId::Claude, files, &[configuration(kinds)]);
            found.into_iter().map(|entry| entry.event).collect()
        };
        assert_eq!(events(&[EventKind::PreToolUse]), ["SessionStart", "PreToolUse", "StopFailure"]);
        assert_eq!(events(&[EventKind::StopFailure]), ["SessionStart", "StopFailure"]);
        assert!(events(&[]).is_empty());
    }

    #[test]
    fn a_question_that_may_wait_is_given_the_time_and_the_agents_own_dialog_is_registered() {
        let files = AgentFiles::find("claude").unwrap();
        let events = |approvals: &str| -> Vec<(String, u64)> {
            let dir = tempfile::tempdir().unwrap();
            let host = Host::in_home(dir.path(), &[]);
            let config = format!(
                "version = 1\n[hooks.pre_tool_use]\nscripts = [\"mine\"]\n[hook.mine]\ncommand = [\"true\"]\n{approvals}"
            );
            sprag_base::files::write_atomic(&host.paths.config_file(), config.as_bytes()).unwrap();
            let own = sprag_config::load(&host, &Project::default()).resolved;
            let found = registrations(AgentId::Claude, files, &[own]);
            found.into_iter().map(|entry| (entry.event, entry.timeout)).collect()
        };
        let time = |events: &[(String, u64)], name: &str| {
            events.iter().find(|(event, _)| event == name).map(|(_, timeout)| *timeout)
        };
        let (usual, waiting) = (events(""), events("[approvals]\nremote = true\nwait = \"5m\"\n"));
        assert_eq!(time(&usual, "PermissionRequest"), None, "nothing waits by default");
        let added = time(&waiting, "PreToolUse").unwrap() - time(&usual, "PreToolUse").unwrap();
        assert_eq!(added, 300);
        assert!(time(&waiting, "PermissionRequest").unwrap() >= 300);
        assert_eq!(time(&usual, "SessionStart"), time(&waiting, "SessionStart"), "others do not wait");
        let told = events("[notify]\ndesktop = true\non = [\"waits\", \"done\"]\n");
        for name in ["Notification", "Stop", "SessionEnd"] {
            assert!(time(&usual, name).is_none() && time(&told, name).is_some(), "{name}");
        }
    }

    fn union(agent: AgentId, kind: EventKind, texts: &[&str]) -> Option<String> {
        let matchers: Vec<Matcher> = texts.iter().map(|text| Matcher::parse(text).unwrap()).collect();
        matcher_for(agent, kind, &matchers.iter().collect::<Vec<_>>())
    }

    #[test]
    fn the_narrowest_matcher_that_covers_all() {
        use AgentId::{Claude, Codex, Gemini};
        use EventKind::{PreToolUse, SessionStart, Stop};
        assert_eq!(
            union(Claude, PreToolUse, &["Bash", "Edit|Write", "Write"]).as_deref(),
            Some("Bash|Edit|Write")
        );
        assert_eq!(union(Claude, PreToolUse, &["Bash", "*"]), None);
        assert_eq!(
            union(Claude, PreToolUse, &["Bash", "mcp__x__.*"]).as_deref(),
            Some("^(?:Bash)$|(?:mcp__x__.*)")
        );
        assert_eq!(union(Claude, Stop, &["Bash"]), None, "an event without a matcher gets none");
        assert_eq!(union(Codex, PreToolUse, &["Bash|Edit"]).as_deref(), Some("Bash|Edit"));
        assert_eq!(union(Codex, PreToolUse, &["my-tool"]), None);
        assert_eq!(union(Gemini, PreToolUse, &["Bash"]), None, "its tools have other names");
        assert_eq!(union(AgentId::Qwen, PreToolUse, &["Bash"]), None);
        assert_eq!(union(AgentId::Qwen, SessionStart, &["compact"]).as_deref(), Some("compact"));
    }
}
