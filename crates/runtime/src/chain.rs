//! Runs the hooks of an event one after another, each isolated, and merges what they say.

use crate::approvals;
use crate::broker::{self, Offered};
use crate::failures;
use crate::hook::{
    Builtin, Bundle, Cx, Family, Grounds, HookError, HookResult, Note, Repeat, Reply, priority,
};
use crate::job::Job;
use crate::journal::{self, Run};
use crate::merge::{self, Merged};
use crate::message;
use crate::panics;
use crate::session::Session;
use crate::work::{ExternalHook, Work};
use sprag_base::process::{self, Spec};
use sprag_config::host::Host;
use sprag_config::plan::{EventPlan, Mode, OnError, PlannedHook, Runner, deadline};
use sprag_config::spec::Preset;
use sprag_project::Project;
use sprag_protocol::agents::PROJECT_VARIABLE;
use sprag_protocol::kind::ChainEnd;
use sprag_protocol::{Decision, Event, EventKind, Verdict, answer, dialects};
use sprag_shell::AnalysisMemo;
use std::time::{Duration, Instant};

/// What a chain gave.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The verdict, without the context.
    pub verdict: Verdict,
    /// Who stops or asks, and why.
    pub said: Vec<merge::Said>,
    /// Parts of the line that the user sees when a session starts.
    pub status: Vec<String>,
    /// Notes for the broker.
    pub notes: Vec<Offered>,
    /// Variables for the agent's shell.
    pub env: Vec<(String, String)>,
    /// Work for the background.
    pub jobs: Vec<Job>,
    /// The journal's part.
    pub runs: Vec<Run>,
}

/// What a chain runs in.
pub struct RunContext<'a> {
    /// Paths, clock, environment.
    pub host: &'a Host,
    /// The builtins that a plan may name.
    pub builtins: &'static [Builtin],
    /// The session's state.
    pub session: &'a Session,
    /// The project.
    pub project: &'a Project,
    /// The turn ended in an API error: whatever adds tokens stays silent.
    pub recovering: bool,
    /// When the process started.
    pub started: Instant,
}

/// What one hook gave, before it is merged.
struct Said {
    reply: Reply,
    run: Run,
}

/// Runs a plan on an event.
pub fn run(plan: &EventPlan, event: &Event, around: &RunContext<'_>) -> Outcome {
    let mut chain = Chain {
        around,
        end: Instant::now() + deadline(event.kind, &plan.hooks),
        preset: plan.preset,
        disabled: around.host.env.get("SPRAG_DISABLE").unwrap_or_default(),
        trial: plan.trial.is_some_and(|trial| trial.is_on(around.host.clock.now())),
        outcome: Outcome::default(),
        merged: Merged::default(),
        shell: AnalysisMemo::default(),
        event,
        is_allowed: None,
    };
    let subjects = event.subjects().into_iter().map(str::to_owned).collect::<Vec<_>>();
    // Where the agent runs the input as it is, that is what the hooks must see.
    let can_rewrite = dialects::of(event.agent).row(event.kind).is_some_and(|row| row.rewrite);
    let mut current: Option<Event> = None;
    let mut rewritten_at = None;
    for (at, hook) in plan.hooks.iter().enumerate() {
        if !sees(hook, &subjects) {
            continue;
        }
        let now = current.as_ref().unwrap_or(event);
        let Some(said) = chain.hook(hook, now, false) else { continue };
        let said = chain.lifted(hook, said);
        // A hook in shadow mode changes nothing: neither what comes after it nor what that sees.
        let counts = hook.mode != Mode::Shadow;
        let decision = if counts { said.reply.decision } else { Decision::Pass };
        let rewrite = said.reply.rewrite.clone().filter(|_| counts);
        chain.add(hook, said);
        if decision.stops() && event.kind.facts().end == ChainEnd::FirstDeny {
            break;
        }
        if let Some(input) = rewrite.filter(|_| can_rewrite) {
            current = Some(now.with_tool_input(&input));
            rewritten_at = Some(at);
        }
    }
    if let (Some(at), Some(rewritten)) = (rewritten_at, &current)
        && !chain.merged.verdict.decision.stops()
    {
        chain.recheck(plan.hooks.get(..at).unwrap_or_default(), rewritten, &subjects);
    }
    let Chain { mut outcome, merged, .. } = chain;
    (outcome.verdict, outcome.said) = (merged.verdict, merged.said);
    outcome
}

fn sees(hook: &PlannedHook, subjects: &[String]) -> bool {
    subjects.is_empty() || subjects.iter().any(|subject| hook.matcher.matches(subject))
}

struct Chain<'a> {
    around: &'a RunContext<'a>,
    preset: Preset,
    end: Instant,
    disabled: String,
    /// What would stop is journaled and does not.
    trial: bool,
    outcome: Outcome,
    merged: Merged,
    shell: AnalysisMemo,
    /// The event as the agent sent it.
    event: &'a Event,
    /// A person let this through; not known before something would stop it.
    is_allowed: Option<bool>,
}

impl Chain<'_> {
    /// Runs one hook. `None`: it is off, and not worth a line.
    fn hook(&mut self, hook: &PlannedHook, event: &Event, recheck: bool) -> Option<Said> {
        if hook.mode == Mode::Off || !hook.is_for(event.agent) {
            return None;
        }
        let mut run = Run { hook: hook.name.clone(), shadow: hook.mode == Mode::Shadow, ..Run::default() };
        let builtin = self.behind(hook);
        if !hook.required && !self.disabled.is_empty() && self.is_disabled(hook, builtin) {
            run.skip = Some("SPRAG_DISABLE".to_owned());
            return Some(Said { reply: Reply::pass(), run });
        }
        let began = Instant::now();
        let result = match (&hook.runner, builtin) {
            (Runner::External { argv, env, background }, _) => {
                self.external(hook, argv, env, *background, event, &mut run)
            }
            (_, Some(builtin)) => self.builtin(builtin, hook, event, recheck),
            (Runner::As { builtin: name }, None) => Err(format!("there is no builtin `{name}`").into()),
            (Runner::Builtin, None) => Err(format!("there is no builtin `{}`", hook.name).into()),
        };
        run.us = began.elapsed().as_micros() as u64;
        let mut reply = result.unwrap_or_else(|error| self.failed(hook, event.kind, &error, &mut run));
        if self.around.recovering {
            // What only advises waits, whatever family it is of.
            let guard = builtin.is_some_and(|builtin| {
                builtin.spec.family == Family::Guard && builtin.spec.bundle != Bundle::Advice
            });
            hush(&mut reply, event.kind, guard, &mut run);
        }
        reply.decision.name().clone_into(&mut run.verdict);
        run.reason = message::grounds(&reply).as_deref().map(journal::keep);
        run.rule.clone_from(&reply.grounds.rule);
        run.matched = reply.grounds.matched.as_deref().map(journal::keep);
        let stops = reply.decision.stops() || reply.decision == Decision::Ask || reply.stop.is_some();
        if self.trial && stops && !hook.required {
            run.shadow = true;
            reply = Reply { decision: Decision::Pass, reason: None, stop: None, ..reply };
        }
        run.saved = if run.shadow { 0 } else { reply.saved };
        Some(Said { reply, run })
    }

    /// True when `SPRAG_DISABLE` names the hook, its bundle or all.
    fn is_disabled(&self, hook: &PlannedHook, builtin: Option<&Builtin>) -> bool {
        let bundle = builtin.map(|builtin| builtin.spec.bundle.name());
        self.disabled
            .split(',')
            .map(str::trim)
            .any(|word| word == "all" || word == hook.name || Some(word) == bundle)
    }

    /// What a hook said, or nothing when a person let through what it would stop.
    fn lifted(&mut self, hook: &PlannedHook, mut said: Said) -> Said {
        let (decision, grounds) = (said.reply.decision, &said.reply.grounds);
        if decision < Decision::Ask || grounds.firm || grounds.answers || hook.mode == Mode::Shadow {
            return said;
        }
        let RunContext { host, session, .. } = *self.around;
        let excepted = !hook.except.is_empty()
            && approvals::key(self.event).is_some_and(|key| hook.except.contains(&key));
        if excepted || *self.is_allowed.get_or_insert_with(|| approvals::lift(host, session, self.event)) {
            let by = if excepted { "by an exception in the configuration" } else { "by a person" };
            let reason = said.run.reason.take().unwrap_or_default();
            said.run.reason = Some(format!("let through {by}: {reason}"));
            Decision::Pass.name().clone_into(&mut said.run.verdict);
            said.reply = Reply {
                decision: Decision::Pass,
                reason: None,
                stop: None,
                grounds: Grounds::default(),
                ..said.reply
            };
        }
        said
    }

    /// The builtin that a hook is.
    fn behind(&self, hook: &PlannedHook) -> Option<&'static Builtin> {
        match &hook.runner {
            Runner::Builtin => self.named(&hook.name),
            Runner::As { builtin } => self.named(builtin),
            Runner::External { .. } => None,
        }
    }

    fn named(&self, name: &str) -> Option<&'static Builtin> {
        self.around.builtins.iter().find(|builtin| builtin.spec.name == name)
    }

    /// What is left for a hook: its own time, within the event's.
    fn left(&self, hook: &PlannedHook) -> Duration {
        let left = self.end.saturating_duration_since(Instant::now());
        Duration::from_millis(u64::from(hook.timeout_ms)).min(left)
    }

    fn builtin(&self, builtin: &Builtin, hook: &PlannedHook, event: &Event, recheck: bool) -> HookResult {
        let cx = Cx {
            name: &hook.name,
            host: self.around.host,
            session: self.around.session,
            project: self.around.project,
            settings: &hook.settings,
            preset: self.preset,
            time: self.left(hook),
            recheck,
            shell: &self.shell,
        };
        panics::caught(|| (builtin.run)(event, &cx))?
    }

    fn external(
        &self,
        hook: &PlannedHook,
        argv: &[String],
        env: &[(String, String)],
        background: bool,
        event: &Event,
        run: &mut Run,
    ) -> HookResult {
        let payload = serde_json::Value::Object(event.raw.clone());
        let mut vars = env.to_vec();
        vars.push(("SPRAG_AGENT".to_owned(), event.agent.name().to_owned()));
        vars.push(("SPRAG_EVENT".to_owned(), event.kind.name().to_owned()));
        vars.push(("SPRAG_HOOK".to_owned(), hook.name.clone()));
        let root = self.around.project.root.to_string_lossy().into_owned();
        if self.around.host.env.get(PROJECT_VARIABLE).is_none() && !root.is_empty() {
            vars.push((PROJECT_VARIABLE.to_owned(), root));
        }
        if background {
            let work = Work::ExternalHook(ExternalHook {
                hook: hook.name.clone(),
                argv: argv.to_vec(),
                env: vars,
                cwd: event.cwd.clone().into(),
                stdin: payload,
                timeout_ms: hook.timeout_ms.into(),
            });
            return Ok(Reply::pass().with_job(Job::new(work)));
        }
        let timeout = self.left(hook);
        if timeout.is_zero() {
            return Err("no time left before the event's deadline".into());
        }
        let finished = process::run(&Spec {
            argv,
            stdin: payload.to_string().as_bytes(),
            cwd: &self.around.project.cwd,
            inherit: &self.around.host.env,
            env: &vars,
            timeout,
        })?;
        if !finished.stderr.trim().is_empty() {
            run.stderr = Some(journal::keep(finished.stderr.trim()));
        }
        let verdict = answer::read(event.kind, &finished.stdout, finished.code, &finished.stderr)?;
        Ok(reply_of(&hook.name, verdict))
    }

    /// A failed hook is skipped; a gate's failure denies and says how to switch it off.
    fn failed(&self, hook: &PlannedHook, kind: EventKind, error: &HookError, run: &mut Run) -> Reply {
        let error = error.to_string();
        run.error = Some(journal::keep(&error));
        let _ = failures::record(&self.around.host.paths, self.around.host.clock.now(), &hook.name, &error);
        if hook.on_error == OnError::Open || hook.mode == Mode::Shadow {
            return Reply::pass();
        }
        let reason =
            format!("the gate `{}` failed ({error}), and a gate that fails lets nothing through", hook.name);
        let instead = format!(
            "A person can switch it off: `{}`, or `on_error = \"open\"` in [hook.{}].",
            message::switch_off(&hook.name),
            hook.name
        );
        Reply { decision: answer::stop_of(kind), ..Reply::deny(reason).instead(instead) }
    }

    fn add(&mut self, hook: &PlannedHook, said: Said) {
        let Said { mut reply, mut run } = said;
        if hook.mode == Mode::Shadow {
            // What it would have said; `shadow` tells that nobody heard it.
            run.chars = reply.notes.iter().map(|note| broker::length(&note.text) as u64).sum();
        } else {
            let source = (!matches!(hook.runner, Runner::External { .. })).then(|| hook.name.clone());
            reply.message = reply.message.map(|text| message::with_source(&hook.name, &text));
            if reply.stop != reply.reason {
                reply.stop = reply.stop.map(|text| message::with_source(&hook.name, &text));
            }
            self.merged.add(&hook.name, &reply);
            let place = self.outcome.runs.len();
            for note in reply.notes.drain(..) {
                self.outcome.notes.push(Offered { run: place, source: source.clone(), note });
            }
            self.outcome.status.extend(reply.status.take());
            self.outcome.env.append(&mut reply.env);
            self.outcome.jobs.append(&mut reply.jobs);
        }
        self.outcome.runs.push(run);
    }

    /// The guards before a rewrite have not seen what will run: they look once more.
    fn recheck(&mut self, hooks: &[PlannedHook], event: &Event, subjects: &[String]) {
        for hook in hooks {
            let guard = self.behind(hook).is_some_and(|builtin| builtin.spec.family == Family::Guard);
            if !(guard || hook.on_error == OnError::Closed) || !sees(hook, subjects) {
                continue;
            }
            let Some(said) = self.hook(hook, event, true) else { continue };
            let mut said = self.lifted(hook, said);
            // A second look may stop, it may not rewrite again.
            said.reply.rewrite = None;
            let stops = said.reply.decision.stops() && hook.mode != Mode::Shadow;
            if said.reply.decision == Decision::Allow {
                said.reply.decision = Decision::Pass;
            }
            said.run.hook.push_str(" (again)");
            self.add(hook, said);
            if stops {
                return;
            }
        }
    }
}

/// An external hook's verdict as a reply: its context is a note that is said every time.
fn reply_of(hook: &str, verdict: Verdict) -> Reply {
    let notes = verdict.context.into_iter().map(|text| Note {
        key: format!("external:{hook}"),
        priority: priority::OWN,
        text,
        repeat: Repeat::Always,
    });
    Reply {
        decision: verdict.decision,
        reason: verdict.reason,
        notes: notes.collect(),
        rewrite: verdict.rewrite,
        output: verdict.output,
        message: verdict.message,
        stop: verdict.stop,
        fields: verdict.fields,
        ..Reply::default()
    }
}

/// During recovery nothing is added to a conversation that may already be too long. Guards are heard, but nobody is
/// sent on.
fn hush(reply: &mut Reply, kind: EventKind, guard: bool, run: &mut Run) {
    let continues = matches!(kind, EventKind::Stop | EventKind::SubagentStop) && reply.decision.stops();
    let adds = !guard && !reply.notes.is_empty();
    if adds || continues {
        run.skip = Some("recovery".to_owned());
        if adds {
            reply.notes.clear();
        }
        if continues {
            reply.decision = Decision::Pass;
            reply.reason = None;
        }
    }
}
