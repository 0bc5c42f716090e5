//! polling-limit: the same external thing asked again and again while nothing changes.
//! Warns, then denies with how long to wait; a changed result or a prompt of the user restarts the count.

use sprag_base::glob;
use sprag_config::settings;
use sprag_guard::shell;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::calls::{agent_of, call_without, id_of, result_of, short};
use sprag_runtime::history::POLLS;
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_shell::{Analysis, Cmd, may_match};
use std::borrow::Cow;

settings! {
    /// Limits of its own for a tool or a command.
    struct PollRule<'a> {
        /// the tool; `*` is any text
        tool: Option<Text>;
        /// the command: program, then words in order
        command: Option<Text>;
        /// polls with the same answer before a warning
        warn_at: Option<usize>, min 2;
        /// polls with the same answer before a denial
        block_at: Option<usize>, min 2;
        /// seconds within which polls are counted
        window_s: Option<u64>, min 1;
    }
}

settings! {
    struct PollingLimitSettings<'a> {
        /// polls with the same answer before a warning
        warn_at: usize = 4, min 2, tighten Lower;
        /// polls with the same answer before a denial
        block_at: usize = 8, min 2, tighten Lower;
        /// seconds within which polls are counted
        window_s: u64 = 60, min 1, tighten Raise;
        /// tools that poll; `*` is any text
        tools: Texts = TOOLS, tighten Add;
        /// commands that poll: program, then words in order; `a|b` either, `*` any
        commands: Texts = COMMANDS, tighten Add;
        /// limits of its own for a tool or a command: `{ tool = "*poll-task", block_at = 3, window_s = 600 }`
        rules: Tables<PollRule>;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "polling-limit",
        family: Family::Guard,
        bundle: Bundle::Guards,
        summary: "warns about, then denies polls of the same external thing while its answer does not change",
        sees: &[
            Sees { kind: EventKind::PreToolUse, matcher: "" },
            Sees { kind: EventKind::PostToolUse, matcher: "" },
            Sees { kind: EventKind::PostToolUseFailure, matcher: "" },
            Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Swarm]),
        settings: PollingLimitSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// Tools that ask how far something is that runs elsewhere. The output of a background command is the agent's own.
const TOOLS: &[&str] = &[
    "WebFetch", "*poll-task", "mcp__*poll*", "mcp__*__*_status", "mcp__*__get_*status*", "mcp__*__wait_for_*",
];

/// Commands that ask how far something is that runs elsewhere.
const COMMANDS: &[&str] = &[
    "gh run view|list",
    "gh pr checks|status|view|list",
    "gh workflow view|list",
    "gh api",
    "glab ci|pipeline|mr view|status|list|get",
    "kubectl|oc get|describe|top|logs",
    "kubectl|oc rollout status",
    "helm status|list",
    "docker|podman|nerdctl ps|logs|inspect|top|stats",
    "docker compose ps|logs|top",
    "aws * describe-*|get-*|list-*|ls",
    "gcloud|az * describe|show|list|get",
    "terraform|tofu show|output",
    "vercel|netlify|fly|flyctl|heroku|railway|wrangler status|inspect|logs|list|ls|ps|deployments",
    "curl|wget|http|https|xh",
    "git fetch|ls-remote",
    "npm|pnpm view|info",
    "systemctl|supervisorctl|pm2|service status|show|list|is-active",
    "journalctl",
    "squeue|sacct|qstat|bjobs",
    "redis-cli|rabbitmqctl|kafka-consumer-groups",
    "nc|ping|dig|nslookup",
];

/// A call that polls.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Poll {
    /// The thing that is asked, as a hash.
    thing: String,
    /// The same for a person.
    shown: String,
    limits: Limits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Limits {
    warn: usize,
    block: usize,
    window: u64,
}

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    if event.kind == EventKind::UserPromptSubmit {
        if event.is_from_user() && POLLS.exists(cx) {
            POLLS.forget(cx)?;
        }
        return Ok(Reply::pass());
    }
    let Some(poll) = poll_of(event, cx) else { return Ok(Reply::pass()) };
    if event.kind != EventKind::PreToolUse {
        POLLS.add(cx, &format!("r {} {}", id_of(event), result_of(event)))?;
        return Ok(Reply::pass());
    }
    if cx.recheck {
        return Ok(Reply::pass());
    }
    let (id, agent, now) = (id_of(event), agent_of(event), cx.host.clock.now().seconds());
    // Written before it is read: of parallel polls, each sees the others.
    POLLS.add(cx, &format!("c {id} {agent} {now} {}", poll.thing))?;
    let text = POLLS.read(cx)?;
    let PollCount { polls, oldest } = count(&text, &agent, &poll.thing, now, poll.limits.window);
    let seconds = now.saturating_sub(oldest);
    let what = format!("{polls} polls of {} in {seconds} seconds, and its answer did not change", poll.shown);
    if polls >= poll.limits.block {
        POLLS.add(cx, &format!("d {id}"))?;
        let wait = poll.limits.window.saturating_sub(seconds).max(1);
        return Ok(Reply::deny(what).instead(format!(
            "Asking more often does not make it faster. Do other work first, or wait in one command that ends when it \
             is done (`gh run watch`, `kubectl wait`, a loop with `sleep`), or end your turn and say what you are \
             waiting for. The next poll is let through in {wait} seconds."
        )));
    }
    if polls >= poll.limits.warn {
        return Ok(Reply::warn(
            "polling-limit",
            format!(
                "{what}. Wait longer between polls or do other work; after {} polls they are denied.",
                poll.limits.block - 1
            ),
        ));
    }
    Ok(Reply::pass())
}

/// Knobs of a poll that do not make it another one.
const KNOBS: [&str; 7] = ["description", "timeout", "timeout_ms", "block", "wait", "prompt", "filter"];

/// The poll that a call is, if it is one. Pure but for the settings: most calls end here.
fn poll_of(event: &Event, cx: &Cx<'_>) -> Option<Poll> {
    let settings: PollingLimitSettings<'_> = cx.settings.read();
    let tool = event.tool.as_ref()?;
    let rules = settings.rules;
    let is_tool = |pattern: &str| tool.names().any(|name| glob::name(pattern, name));
    if let Some(line) = &tool.command {
        let patterns = || settings.commands.iter().chain(rules.iter().filter_map(|rule| rule.command));
        // Most lines name none of the programs: they are not analysed.
        if !may_match(line, patterns()) {
            return None;
        }
        let (line, _) = shell::analysis(event, cx)?;
        if line.local_commands().any(sleeps) {
            return None;
        }
        let is = |pattern: &str| line.local_commands().any(|command| command.matches(pattern));
        let rule = rules.iter().find(|rule| rule.command.is_some_and(is));
        let shown = thing_of(&line, &patterns().collect::<Vec<_>>())?;
        return Some(Poll { thing: short(&shown), shown, limits: limits(rule, &settings) });
    }
    let rule = rules.iter().find(|rule| rule.tool.is_some_and(is_tool));
    if rule.is_none() && !settings.tools.iter().any(is_tool) {
        return None;
    }
    Some(Poll {
        thing: call_without(event, &KNOBS),
        shown: tool.name.clone(),
        limits: limits(rule, &settings),
    })
}

/// True for a command that waits: a line with one asks at its own pace, as the advice says.
fn sleeps(command: &Cmd) -> bool {
    const LEAST_SECONDS: f64 = 10.0;
    let seconds = |word: &str| {
        let unit = match word.chars().last()? {
            'm' => 60.0,
            'h' => 3_600.0,
            'd' => 86_400.0,
            _ => 1.0,
        };
        word.trim_end_matches(['s', 'm', 'h', 'd']).parse::<f64>().ok().map(|number| number * unit)
    };
    command.name == "sleep"
        && command.args.iter().filter_map(|arg| seconds(&arg.shown())).sum::<f64>() >= LEAST_SECONDS
}

fn limits(rule: Option<PollRule<'_>>, settings: &PollingLimitSettings<'_>) -> Limits {
    Limits {
        warn: rule.and_then(|rule| rule.warn_at).unwrap_or(settings.warn_at),
        block: rule.and_then(|rule| rule.block_at).unwrap_or(settings.block_at),
        window: rule.and_then(|rule| rule.window_s).unwrap_or(settings.window_s),
    }
}

/// What a line asks about: its polling commands without their options, so that another view of the same run
/// is the same run.
fn thing_of(line: &Analysis, patterns: &[&str]) -> Option<String> {
    let polls =
        |command: &&Cmd| patterns.iter().any(|pattern| command.matches(pattern)) && only_asks(command);
    let mut things: Vec<String> = Vec::new();
    // A loop asks the same again and again.
    for thing in line.local_commands().filter(polls).map(thing) {
        if things.len() < MAX_THINGS && !things.contains(&thing) {
            things.push(thing);
        }
    }
    (!things.is_empty()).then(|| format!("`{}`", things.join("`, `")))
}

/// The most things that one line is said to ask about.
const MAX_THINGS: usize = 8;

/// Options whose value says how something is shown, not what is asked.
const DISPLAY: [&str; 12] = [
    "--json", "--jq", "-q", "--template", "-t", "-o", "--output", "--format", "-n", "--tail", "--since", "-w",
];

fn thing(command: &Cmd) -> String {
    let program = command.name.as_str();
    let words: Vec<Cow<'_, str>> = command.args.iter().map(sprag_shell::Arg::shown).collect();
    let urls: Vec<&str> =
        words.iter().map(AsRef::as_ref).filter(|word: &&str| word.contains("://")).collect();
    if !urls.is_empty() {
        return format!("{program} {}", urls.join(" "));
    }
    // `kubectl -n prod` says where; `tail -n 20` says how much.
    let keeps_n = matches!(program, "kubectl" | "oc" | "helm");
    let mut kept: Vec<&str> = vec![program];
    let mut skip = false;
    for word in &words {
        if std::mem::take(&mut skip) {
            continue;
        }
        if word.starts_with('-') && word.len() > 1 {
            skip = DISPLAY.contains(&word.as_ref()) && !(word == "-n" && keeps_n);
        } else {
            kept.push(word);
        }
    }
    kept.join(" ").chars().take(120).collect()
}

/// True for a command that changes nothing elsewhere: a POST is no poll.
fn only_asks(command: &Cmd) -> bool {
    let mut words = command.args.iter().map(|arg| arg.text.as_str()).peekable();
    while let Some(word) = words.next() {
        let sends = matches!(
            word,
            "-d" | "--data"
                | "--data-raw"
                | "--data-binary"
                | "--data-urlencode"
                | "--json"
                | "-F"
                | "--form"
                | "-T"
        ) && command.name == "curl";
        let method = matches!(word, "-X" | "--request" | "--method")
            && words.peek().is_some_and(|method| !matches!(*method, "GET" | "HEAD"));
        if sends || method || word.starts_with("--post-") {
            return false;
        }
    }
    true
}

#[derive(Debug, PartialEq, Eq)]
struct PollCount {
    /// Polls of the thing with the answer it had last, the present one included.
    polls: usize,
    /// When the first of them was.
    oldest: u64,
}

/// Counts an agent's polls of one thing within the window, back to the last change of its answer. Pure.
fn count(text: &str, agent: &str, thing: &str, now: u64, window: u64) -> PollCount {
    struct Past<'a> {
        id: &'a str,
        at: u64,
        result: Option<&'a str>,
    }
    let mut past: Vec<Past<'_>> = Vec::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        match (words.next(), words.next()) {
            (Some("c"), Some(id)) => {
                let (Some(who), Some(at), Some(what)) = (words.next(), words.next(), words.next()) else {
                    continue;
                };
                if let (true, Ok(at)) = (who == agent && what == thing, at.parse()) {
                    past.push(Past { id, at, result: None });
                }
            }
            // A denied poll never asked anything.
            (Some("d"), Some(id)) => {
                if let Some(at) = past.iter().rposition(|poll| poll.id == id) {
                    past.remove(at);
                }
            }
            (Some("r"), Some(id)) => {
                if let Some(poll) = past.iter_mut().rev().find(|poll| poll.id == id && poll.result.is_none())
                {
                    poll.result = words.next();
                }
            }
            _ => {}
        }
    }
    // The present poll is the last one.
    past.pop();
    let mut found = PollCount { polls: 1, oldest: now };
    let mut result = None;
    for poll in past.iter().rev() {
        let changed = matches!((result, poll.result), (Some(last), Some(this)) if last != this);
        if changed || now.saturating_sub(poll.at) >= window {
            break;
        }
        result = result.or(poll.result);
        found.polls += 1;
        found.oldest = poll.at;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fmt::Write as _;

    fn asked(line: &str) -> Option<String> {
        let context = sprag_shell::Context { cwd: "/p".into(), home: "/h".into(), project_root: "/p".into() };
        thing_of(&sprag_shell::analyse(line, &context), COMMANDS)
    }

    #[test]
    fn what_is_asked() {
        for (line, thing) in [
            ("gh run view 123 --json status -q .status", "`gh run view 123`"),
            ("sleep 30 && gh run view 123 --log-failed | tail -20", "`gh run view 123`"),
            ("kubectl -n prod get pods -o wide", "`kubectl prod get pods`"),
            ("curl -sf http://x.example/health | jq .ok", "`curl http://x.example/health`"),
            ("curl --retry 3 -o /dev/null http://x.example/health", "`curl http://x.example/health`"),
            ("bash -lc 'docker compose ps'", "`docker compose ps`"),
            ("gh run view $ID", "`gh run view $ID`"),
            ("ID=7; gh run view $ID", "`gh run view 7`"),
            ("for i in 1 2 3; do sleep 9; gh run view 7; done", "`gh run view 7`"),
        ] {
            assert_eq!(asked(line).as_deref(), Some(thing), "{line}");
        }
    }

    #[test]
    fn what_is_no_poll() {
        for line in [
            "ls -la",
            "sleep 60",
            "cargo test | tail -5",
            "curl -X POST http://x.example/deploy",
            "curl -d @body http://x.example/deploy",
            "gh api --method DELETE repos/x",
            "gh pr create -t x",
            "kubectl apply -f a.yaml",
            "echo 'gh run view 1'",
            "git log | tail",
            "cd a && sleep 2",
            "tail -n 20 build.log",
            "sleep 60; cat out.txt",
            "ps aux | grep vite",
            "ssh host1 systemctl status x",
        ] {
            assert_eq!(asked(line), None, "{line}");
        }
    }

    /// Plays polls `gap` seconds apart; gives the numbers of the first warning and the first denial.
    fn play(polls: usize, gap: u64, result: impl Fn(usize) -> String) -> (Option<usize>, Option<usize>) {
        let mut text = String::new();
        let (mut warned, mut denied) = (None, None);
        for number in 1..=polls {
            let now = 10_000 + number as u64 * gap;
            writeln!(text, "c i{number} main {now} t").unwrap();
            let found = count(&text, "main", "t", now, 60);
            if found.polls >= 8 {
                denied.get_or_insert(number);
                writeln!(text, "d i{number}").unwrap();
                continue;
            }
            if found.polls >= 4 {
                warned.get_or_insert(number);
            }
            writeln!(text, "r i{number} {}", result(number)).unwrap();
        }
        (warned, denied)
    }

    fn same(_: usize) -> String {
        "same".into()
    }

    #[test]
    fn polls_in_quick_succession_are_warned_about_then_denied() {
        assert_eq!(play(20, 5, same), (Some(4), Some(8)));
    }

    /// Fault of the reference: no time window. Whoever waits long enough may ask for ever.
    #[test]
    fn polls_with_a_pause_are_let_through() {
        assert_eq!(play(60, 30, same), (None, None));
        assert_eq!(play(60, 10, same).1, None);
    }

    #[test]
    fn a_changed_answer_restarts() {
        assert_eq!(play(40, 1, |number| number.to_string()), (None, None));
        assert_eq!(play(12, 1, |number| (number / 2).to_string()), (None, None));
    }

    #[test]
    fn a_denied_poll_does_not_feed_the_next_denial() {
        let mut text = String::new();
        for n in 0..7 {
            writeln!(text, "c i{n} main 10000 t\nr i{n} same").unwrap();
        }
        for n in 7..30 {
            writeln!(text, "c i{n} main 10001 t\nd i{n}").unwrap();
        }
        text.push_str("c now main 10300 t\n");
        assert_eq!(count(&text, "main", "t", 10_300, 300).polls, 1, "after the window it is free again");
    }

    #[test]
    fn agents_and_things_are_kept_apart() {
        let text = "c a main 1 t\nc b sub 1 t\nc c main 1 u\nc d main 2 t\n";
        assert_eq!(count(text, "main", "t", 2, 300), PollCount { polls: 2, oldest: 1 });
    }

    proptest! {
        #[test]
        fn any_record_is_readable(text in "([cdr] ?([a-z0-9]{0,3} ?){0,5}\n|\\PC{0,10}\n){0,40}", now in 0u64..1_000) {
            prop_assert!(count(&text, "a", "b", now, 300).polls >= 1);
        }

        #[test]
        fn any_line_is_judged(line in "[a-z/:.|;&' -]{0,60}") {
            let _ = asked(&line);
        }
    }
}
