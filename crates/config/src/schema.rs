//! Every key that a configuration file may hold, apart from the hooks' own settings: a struct for each table.
//! The strict reader, the commented file that `init` writes, the reference and the JSON schema are made from them.

use crate::plan::{Mode, OnError};
use crate::settings::Setting;
use crate::{setting_choice, settings};

/// A table of the file with fixed keys.
pub struct Section {
    /// Its name.
    pub name: &'static str,
    /// What it is about.
    pub doc: &'static str,
    /// Its keys.
    pub keys: &'static [Setting],
}

/// The tables with fixed keys.
pub static SECTIONS: [Section; 13] = [
    Section { name: CONTEXT, doc: "How much text reaches the model.", keys: ContextSection::SETTINGS },
    Section { name: JOURNAL, doc: "The record of every hook run.", keys: JournalSection::SETTINGS },
    Section {
        name: DISK,
        doc: "How much room sprag's own files may take. Memories, lessons and what sessions left behind are never removed for it.",
        keys: DiskSection::SETTINGS,
    },
    Section { name: AGENTS, doc: "What agents do differently.", keys: AgentsSection::SETTINGS },
    Section {
        name: APPROVALS,
        doc: "Questions that are answered from elsewhere: the page, `sprag approvals`. `sprag deploy` after a change.",
        keys: ApprovalsSection::SETTINGS,
    },
    Section {
        name: NOTIFY,
        doc: "Notifications when an agent waits, is done, was stopped or nears a limit. Off until a channel is set; your own \
              configuration alone counts. `sprag notify test` tries it.",
        keys: NotifySection::SETTINGS,
    },
    Section {
        name: TELEMETRY,
        doc: "Spans and metrics of hook runs for an OpenTelemetry collector or node_exporter, from the background. Off until set; \
              your own configuration alone counts.",
        keys: TelemetrySection::SETTINGS,
    },
    Section {
        name: STORE,
        doc: "The database behind coordination, memory and lessons.",
        keys: StoreSection::SETTINGS,
    },
    Section { name: KNOWLEDGE, doc: "What sessions leave behind.", keys: KnowledgeSection::SETTINGS },
    Section {
        name: RECALL,
        doc: "What makes memories into vectors. The encoder in the program needs no setting and no network.",
        keys: RecallSection::SETTINGS,
    },
    Section {
        name: VERIFY,
        doc: "Compilers and linters that run after edits and before a session ends.",
        keys: VerifySection::SETTINGS,
    },
    Section {
        name: WORKTREE,
        doc: "What is done in a new git worktree of a task (`sprag worktree new`, `sprag team run`).",
        keys: WorktreeSection::SETTINGS,
    },
    Section {
        name: LLM,
        doc: "The model that the background worker may ask. Nothing is spent until a backend is chosen.",
        keys: LlmSection::SETTINGS,
    },
];

pub(crate) const CONTEXT: &str = "context";
pub(crate) const JOURNAL: &str = "journal";
pub(crate) const DISK: &str = "disk";
pub(crate) const AGENTS: &str = "agents";
pub(crate) const APPROVALS: &str = "approvals";
pub(crate) const NOTIFY: &str = "notify";
pub(crate) const TELEMETRY: &str = "telemetry";
pub(crate) const STORE: &str = "store";
pub(crate) const KNOWLEDGE: &str = "knowledge";
pub(crate) const RECALL: &str = "recall";
pub(crate) const VERIFY: &str = "verify";
pub(crate) const WORKTREE: &str = "worktree";
pub(crate) const LLM: &str = "llm";

settings! {
    /// `[context]`
    pub struct ContextSection {
        /// the most characters that one answer adds to the conversation; never over the agent's own cap
        budget_chars: u32 = 9_000, min 200;
        /// one line for the user when a session starts: what is on, what was blocked, what waits
        start_line: bool = true;
    }
}

settings! {
    /// `[disk]`
    pub struct DiskSection {
        /// megabytes of the state folder; above it the background removes, oldest first and nothing of the last day: code indexes and
        /// compiled configurations, logs of dispatched agents, rotated journals, the state of sessions
        budget_mb: u64 = 2_048, min 16;
    }
}

settings! {
    /// `[journal]`
    pub struct JournalSection<'a> {
        /// a journal file is rotated at this size
        max_mb: u64 = 8, min 1;
        /// this many rotated files are kept
        keep: u32 = 5, min 1;
        /// a file outside of the state folder to which the newest seal of the journal is appended; empty: none
        seal_head: Text;
    }
}

setting_choice! {
    /// What `ask` becomes where an agent cannot prompt.
    pub enum AskFallback {
        /// A denial.
        Deny = "deny",
        /// No decision.
        Pass = "pass",
    }
}

settings! {
    /// `[agents]`
    pub struct AgentsSection {
        /// what to do with `ask` when the agent cannot prompt (Codex): deny or pass
        ask_fallback: AskFallback;
        /// `sprag plugin dir --agent claude` adds a module: an outline is a result, a question has a pane, any output can be replaced
        mods: bool = false;
    }
}

setting_choice! {
    /// What a question becomes that nobody answered.
    pub enum Unanswered {
        /// A denial.
        Deny = "deny",
        /// The agent's own question.
        Ask = "ask",
    }
}

settings! {
    /// `[approvals]`
    pub struct ApprovalsSection<'a> {
        /// a question of a guard waits for an answer from elsewhere instead of the agent's own dialog; also where nobody sits
        /// at the agent
        remote: bool = false;
        /// how long a question waits: `90s`, `5m`, at most an hour
        wait: Text = "5m";
        /// what a question becomes that nobody answered: deny, or ask where the agent can
        unanswered: Unanswered;
    }
}

impl ApprovalsSection<'_> {
    /// How long a question waits for an answer from elsewhere; zero when it does not.
    pub fn waits(&self) -> std::time::Duration {
        const USUAL: std::time::Duration = std::time::Duration::from_secs(300);
        const LONGEST: std::time::Duration = std::time::Duration::from_secs(3_600);
        if !self.remote {
            return std::time::Duration::ZERO;
        }
        sprag_base::time::parse_span(self.wait)
            .unwrap_or(USUAL)
            .clamp(std::time::Duration::from_secs(1), LONGEST)
    }
}

settings! {
    /// `[notify]`
    pub struct NotifySection<'a> {
        /// show it on this desktop: `notify-send`, on macOS `osascript`
        desktop: bool = false;
        /// an http or https address to which each notification is posted as JSON; empty: none
        webhook: Text;
        /// the JSON for the webhook, in whose texts `{title}`, `{text}`, `{what}`, `{agent}`, `{project}`, `{machine}`, `{rule}`,
        /// `{link}` and `{time}` are replaced; empty: an object with all of them
        template: Text;
        /// a topic of ntfy with its server, such as `https://ntfy.sh/my-topic`; empty: none
        ntfy: Text;
        /// the variable that holds the token of the webhook or of ntfy; empty: none
        key_env: Text;
        /// what is told: waits, done, stopped, limit
        on: Texts = ["waits", "done", "stopped", "limit"];
        /// percent of an account's usage limit from which it is told, once per window
        limit_percent: u64 = 90, min 1;
        /// seconds between two of the same session about the same
        every_s: u64 = 30;
        /// the most in an hour; what is left out is counted in the next one
        max_per_hour: u64 = 30, min 1;
        /// where the page is reached, such as `https://sprag.example:4717`: links lead to its approvals; empty: no links
        page: Text;
    }
}

/// Something that a person may be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeKind {
    /// An agent waits for an answer.
    Waits,
    /// An agent finished.
    Done,
    /// A call was stopped.
    Stopped,
    /// A usage limit nears.
    Limit,
}

impl NoticeKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Waits, Self::Done, Self::Stopped, Self::Limit];

    /// The word in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waits => "waits",
            Self::Done => "done",
            Self::Stopped => "stopped",
            Self::Limit => "limit",
        }
    }

    /// Its place in the set that a plan carries.
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl NotifySection<'_> {
    /// True when there is somewhere to tell it.
    pub fn has_channel(&self) -> bool {
        self.desktop || !self.webhook.is_empty() || !self.ntfy.is_empty()
    }

    /// What is told, as a set of [`NoticeKind::bit`]s; nothing without a channel.
    pub fn wanted(&self) -> u8 {
        if !self.has_channel() {
            return 0;
        }
        let named = |kind: &NoticeKind| self.on.iter().any(|word| word == kind.name());
        NoticeKind::ALL.into_iter().filter(named).fold(0, |set, kind| set | kind.bit())
    }
}

settings! {
    /// `[telemetry]`
    pub struct TelemetrySection<'a> {
        /// send spans and metrics over OTLP/HTTP
        otlp: bool = false;
        /// the collector; empty: `OTEL_EXPORTER_OTLP_ENDPOINT`, else `http://localhost:4318`
        endpoint: Text;
        /// `http/protobuf` or `http/json`; empty: `OTEL_EXPORTER_OTLP_PROTOCOL`, else `http/protobuf`
        protocol: Text;
        /// the variable that holds the collector's bearer token; empty: none (`OTEL_EXPORTER_OTLP_HEADERS` counts too)
        key_env: Text;
        /// a file in the folder of node_exporter's textfile collector, such as `/var/lib/node_exporter/sprag.prom`; empty: none
        textfile: Text;
        /// seconds that events are collected before they are sent or written
        every_s: u64 = 10, min 1;
    }
}

impl TelemetrySection<'_> {
    /// Seconds that events are collected; 0 when nobody wants them.
    pub fn delay(&self) -> u32 {
        if self.otlp || !self.textfile.is_empty() {
            u32::try_from(self.every_s).unwrap_or(u32::MAX)
        } else {
            0
        }
    }
}

settings! {
    /// `[store]`
    pub struct StoreSection<'a> {
        /// `sqlite`, or `postgres://user@host/db`
        url: Text = "sqlite";
        /// the longest that a hook waits for a server; what it could not send is sent later
        budget_ms: u64 = 100, min 1;
        /// how long counts of hook runs and sessions that ended stay
        keep_days: u64 = 90, min 1;
    }
}

settings! {
    /// What a session is by its folder: an entry of `classify_rules`.
    pub struct ClassifyRule<'a> {
        /// a part of the folder's path
        pattern: Text;
        /// whose session it is
        profile: Text;
        /// what kind of session it is
        session_type: Text;
    }
}

settings! {
    /// `[knowledge]`
    pub struct KnowledgeSection<'a> {
        /// the knowledge folder; empty is the data directory
        path: Text;
        /// also keep sessions that ran without a person (`-p`, exec)
        headless: bool = false;
        /// a document that every session is given, unless its profile has one of its own
        compass: Text;
        /// what a session is by a part of its folder's path; the first that fits counts, before the profiles' roots
        classify_rules: Tables<ClassifyRule>;
    }
}

setting_choice! {
    /// What makes memories into vectors.
    pub enum EmbedderChoice {
        /// The encoder in the program.
        Builtin = "builtin",
        /// An OpenAI-compatible endpoint.
        Endpoint = "endpoint",
    }
}

settings! {
    /// `[recall]`
    pub struct RecallSection<'a> {
        /// the encoder in the program, or an OpenAI-compatible embedding endpoint
        embedder: EmbedderChoice;
        /// the endpoint; memories and prompts are sent there
        url: Text;
        /// the model to ask the endpoint for
        model: Text;
        /// numbers per vector of that model, such as 768 or 1536
        dimensions: usize = 0;
        /// the variable that holds the endpoint's key
        key_env: Text = "OPENAI_API_KEY";
        /// the longest that a question waits for the endpoint; the background waits thirty times as long
        timeout_ms: u64 = 1_000, min 1;
    }
}

setting_choice! {
    /// Whether checkers that run a project's own code may run.
    pub enum RunProjectCode {
        /// After the agent built it, when it may do so unasked, or in a trusted project.
        Auto = "auto",
        /// Always.
        Always = "always",
        /// Never.
        Never = "never",
    }
}

setting_choice! {
    /// What a configured checker is for.
    pub enum CheckerRole {
        /// It finds what is doubtful.
        Lint = "lint",
        /// It finds whether the project builds.
        Build = "build",
        /// It finds whether a file can be parsed.
        Syntax = "syntax",
    }
}

settings! {
    /// A checker of the user's own: an entry of `checkers`.
    pub struct CheckerTable<'a> {
        /// its name; the name of a builtin checker changes that one
        name: Text;
        /// the program and its arguments; `{file}` and `{files}` stand for what was edited
        command: Option<Texts>;
        /// how its output is read
        format: Option<Text>;
        /// endings of the files that it is for
        endings: Option<Texts>;
        /// files that mark the folder in which it runs
        markers: Option<Texts>;
        /// what it is for
        role: Option<CheckerRole>;
        /// the language that it is for
        language: Option<Text>;
    }
}

settings! {
    /// `[verify]`
    pub struct VerifySection<'a> {
        /// checkers that run a project's own code (cargo, eslint, make, …): auto is after the agent itself built or tested
        /// it, when it may do so unasked, or when the project is trusted
        run_project_code: RunProjectCode;
        /// the longest that one checker may take
        deadline_s: u64 = 120, min 1;
        /// the most findings that are shown at a time
        max_shown: usize = 8, min 1;
        /// a build starts when there was no edit for this long
        settle_ms: u64 = 400;
        /// further checkers, or other commands for builtin ones of that name; an empty command is none
        checkers: Tables<CheckerTable>;
    }
}

settings! {
    /// `[worktree]`
    pub struct WorktreeSection<'a> {
        /// commands for the shell that prepare a new worktree, in order; SPRAG_CHECKOUT is the main checkout: "npm ci",
        /// "cp $SPRAG_CHECKOUT/.env.test ."
        setup: Texts = [];
    }
}

setting_choice! {
    /// Who answers what the background worker asks.
    pub enum LlmBackend {
        /// Nobody.
        None = "none",
        /// Claude Code's `-p` mode.
        Claude = "claude",
        /// Codex' `exec` mode.
        Codex = "codex",
        /// Gemini CLI's `-p` mode.
        Gemini = "gemini",
        /// An OpenAI-compatible endpoint.
        Openai = "openai",
    }
}

settings! {
    /// `[llm]`
    pub struct LlmSection<'a> {
        /// none, an agent's own `-p` mode, or any OpenAI-compatible endpoint
        backend: LlmBackend;
        /// the model to ask for
        model: Text = "haiku";
        /// the longest that one answer may take
        timeout_s: u64 = 120, min 1;
        /// the endpoint, for `openai`
        url: Text;
        /// the variable that holds the key, for `openai`
        key_env: Text = "OPENAI_API_KEY";
        /// the agent's program with its first arguments, when it is not on the search path
        command: Texts;
    }
}

settings! {
    /// A call that a hook does not stop: an entry of `except`.
    pub struct ExceptTable<'a> {
        /// the tool, its input and the folder, as `sprag allow ID --always` writes them: exactly this call
        call: Text;
        /// the call, for people
        shown: Text;
        /// why, and since when
        reason: Text;
    }
}

settings! {
    /// Keys that every `[hook.<name>]` may have.
    pub struct CommonHookSettings<'a> {
        /// shadow runs the hook and journals what it would have done, without effect
        mode: Option<Mode> = Mode::Enforce;
        /// `false` is the same as `mode = "off"`
        enabled: Option<bool> = true;
        /// which tools or sources it sees, in Claude Code's matcher grammar
        matcher: Option<Text> = "";
        /// the longest that it may take
        timeout_ms: Option<u32> = 30_000, min 1;
        /// `closed` makes it a gate: when it fails, the answer is deny
        on_error: OnError;
        /// calls that it does not stop; `sprag allow ID --always` writes them
        except: Tables<ExceptTable>;
    }
}

setting_choice! {
    /// What an own hook is.
    pub enum ExternalType {
        /// A program.
        Command = "command",
        /// A question to a model.
        Prompt = "prompt",
    }
}

settings! {
    /// Keys that only an own hook has.
    pub struct ExternalHookSettings<'a> {
        /// command: a program; prompt: a question to a model, with the settings of prompt-hook
        hook_type as "type": ExternalType;
        /// the program and its arguments; without it, a file in the hooks folder
        command: Option<Texts> = [];
        /// run it in the background queue: it survives the agent's exit
        background: bool = false;
        /// the agents that it runs for; empty is all
        agents: Texts;
        /// environment variables for it
        env: Map;
        /// one line for `sprag hooks list`
        description: Text;
    }
}

settings! {
    /// Keys of `[hooks.<event>]`.
    pub struct ChainSettings<'a> {
        /// the event's chain, in order; replaces the preset's chain
        scripts: Option<Texts> = [];
        /// hooks that run before the preset's chain
        prepend: Texts;
        /// hooks that run after the preset's chain
        append: Texts;
    }
}

settings! {
    /// Keys of `[profiles.<name>]`.
    pub struct ProfileSettings<'a> {
        /// projects below these folders belong to the profile
        roots: Texts;
        /// a document that every session of the profile is given
        compass: Text;
        /// the agent's own folder for this profile, when it has one: sessions whose transcript lies there belong to it
        config_dir: Text;
    }
}

/// The section with this name.
pub fn section(name: &str) -> Option<&'static Section> {
    SECTIONS.iter().find(|section| section.name == name)
}

/// The variable that overrides a section's key: `SPRAG_LLM_BACKEND`.
pub fn variable(section: &str, key: &str) -> String {
    format!("SPRAG_{section}_{key}").to_ascii_uppercase()
}

/// True for a variable that overrides some section's key. The hot path asks: no name is put together for it.
pub fn is_variable(name: &str) -> bool {
    let Some(name) = name.strip_prefix("SPRAG_") else { return false };
    let upper = |of: &str, text: &str| {
        of.len() == text.len()
            && of.bytes().zip(text.bytes()).all(|(of, byte)| of.to_ascii_uppercase() == byte)
    };
    SECTIONS.iter().any(|section| {
        let Some((own, key)) = name.split_at_checked(section.name.len()) else { return false };
        let Some(key) = key.strip_prefix('_') else { return false };
        upper(section.name, own) && section.keys.iter().any(|setting| upper(setting.key, key))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_of_settings_are_known_and_no_others() {
        for section in &SECTIONS {
            for setting in section.keys {
                let name = variable(section.name, setting.key);
                assert!(is_variable(&name), "{name}");
                assert!(
                    !is_variable(&format!("{name}X")) && !is_variable(&name.to_ascii_lowercase()),
                    "{name}"
                );
            }
        }
        for name in ["SPRAG_", "SPRAG_LLM", "SPRAG_LLM_", "LLM_BACKEND", "SPRAG_WORKER", "SPRAG_é_x"] {
            assert!(!is_variable(name), "{name}");
        }
    }
}
