//! Layers to chains: the preset's hooks in their order, what files switch and add, and where programs are.

use super::names::meant;
use super::parse::{ConfigError, Layer};
use super::schema::{self, AskFallback, CommonHookSettings, ExternalHookSettings, SECTIONS, Unanswered};
use super::typed;
use crate::host::Host;
use crate::plan::{EventPlan, Mode, PlannedHook, Runner};
use crate::settings::{FromSettings, Settings, Value};
use crate::spec::{Bundle, HookSpec, Preset, Sees};
use crate::trial::Trial;
use serde::{Deserialize, Serialize};
use sprag_base::env::Env;
use sprag_pattern::Matcher;
use sprag_project::Project;
use sprag_protocol::EventKind;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A hook of a chain, and why it is there.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedHook {
    /// The hook.
    pub hook: PlannedHook,
    /// Why it is in the chain, for people.
    pub why: String,
}

/// The active configuration.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// The preset.
    pub preset: Preset,
    /// The bundles that the preset or a layer has on, whatever single hooks say.
    pub bundles: Vec<Bundle>,
    /// There are guards, and none of them can stop anything.
    pub guards_off: bool,
    /// The files have errors.
    pub faulty: bool,
    /// The trial, going on or over.
    pub trial: Option<Trial>,
    /// The chains, in the order of the events. Hooks that are off are in it too, marked.
    pub chains: Vec<(EventKind, Vec<ResolvedHook>)>,
    /// The tables that are about no hook.
    pub sections: Sections,
}

/// The tables of a configuration that are about no hook. The compiled cache holds them, so that a hook which needs one
/// key of the store's does not read TOML.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sections {
    fixed: Vec<(String, Settings)>,
    /// `[profiles.<name>]`
    pub profiles: Vec<(String, Settings)>,
}

impl Sections {
    fn section<'a, T: FromSettings<'a>>(&'a self, name: &str) -> T {
        static NONE: Settings = Settings::empty();
        let section = self.fixed.iter().find(|(section, _)| *section == name);
        section.map_or(&NONE, |(_, values)| values).read()
    }

    /// `[context]`
    pub fn context(&self) -> schema::ContextSection {
        self.section(schema::CONTEXT)
    }

    /// `[journal]`
    pub fn journal(&self) -> schema::JournalSection<'_> {
        self.section(schema::JOURNAL)
    }

    /// `[agents]`
    pub fn agents(&self) -> schema::AgentsSection {
        self.section(schema::AGENTS)
    }

    /// `[approvals]`
    pub fn approvals(&self) -> schema::ApprovalsSection<'_> {
        self.section(schema::APPROVALS)
    }

    /// `[disk]`
    pub fn disk(&self) -> schema::DiskSection {
        self.section(schema::DISK)
    }

    /// `[notify]`
    pub fn notify(&self) -> schema::NotifySection<'_> {
        self.section(schema::NOTIFY)
    }

    /// `[telemetry]`
    pub fn telemetry(&self) -> schema::TelemetrySection<'_> {
        self.section(schema::TELEMETRY)
    }

    /// `[store]`
    pub fn store(&self) -> schema::StoreSection<'_> {
        self.section(schema::STORE)
    }

    /// `[knowledge]`
    pub fn knowledge(&self) -> schema::KnowledgeSection<'_> {
        self.section(schema::KNOWLEDGE)
    }

    /// `[recall]`
    pub fn recall(&self) -> schema::RecallSection<'_> {
        self.section(schema::RECALL)
    }

    /// `[verify]`
    pub fn verify(&self) -> schema::VerifySection<'_> {
        self.section(schema::VERIFY)
    }

    /// `[worktree]`
    pub fn worktree(&self) -> schema::WorktreeSection<'_> {
        self.section(schema::WORKTREE)
    }

    /// `[llm]`
    pub fn llm(&self) -> schema::LlmSection<'_> {
        self.section(schema::LLM)
    }
}

impl Resolved {
    /// The chain of an event, without hooks that are off.
    pub fn chain(&self, kind: EventKind) -> impl Iterator<Item = &ResolvedHook> {
        self.chains
            .iter()
            .find(|(event, _)| *event == kind)
            .map_or(&[][..], |(_, chain)| chain.as_slice())
            .iter()
            .filter(|hook| hook.hook.mode != Mode::Off)
    }

    /// The programs that chains start, where they are files.
    pub fn programs(&self) -> Vec<PathBuf> {
        let hooks = self.chains.iter().flat_map(|(_, chain)| chain);
        let argvs = hooks.filter_map(|hook| match &hook.hook.runner {
            Runner::External { argv, .. } => Some(argv),
            Runner::Builtin | Runner::As { .. } => None,
        });
        argvs.flatten().map(PathBuf::from).filter(|path| path.is_absolute()).collect()
    }

    /// The compiled plan of an event.
    pub fn plan(&self, kind: EventKind) -> EventPlan {
        let (context, journal) = (self.sections.context(), self.sections.journal());
        let all = self.chains.iter().flat_map(|(_, chain)| chain).map(|hook| &hook.hook);
        let on: BTreeSet<&str> =
            all.filter(|hook| hook.mode != Mode::Off).map(|hook| hook.name.as_str()).collect();
        EventPlan {
            hooks: self.chain(kind).map(|hook| hook.hook.clone()).collect(),
            preset: self.preset,
            budget_chars: context.budget_chars,
            ask_passes: self.sections.agents().ask_fallback == AskFallback::Pass,
            approvals_wait_s: self.sections.approvals().waits().as_secs() as u32,
            unanswered_asks: self.sections.approvals().unanswered == Unanswered::Ask,
            notify: self.sections.notify().wanted(),
            telemetry_s: self.sections.telemetry().delay(),
            trial: self.trial,
            journal_max_bytes: journal.max_mb * 1024 * 1024,
            journal_keep: journal.keep,
            hooks_on: u32::try_from(on.len()).unwrap_or(u32::MAX),
            bundles_on: self.bundles.len() as u32,
            guards_off: self.guards_off,
            faulty: self.faulty,
            start_line: context.start_line,
        }
    }
}

/// `SPRAG_PRESET` and `SPRAG_<SECTION>_<KEY>` as the last layer.
pub fn from_env(env: &Env) -> Layer {
    let mut layer = Layer { file: PathBuf::from("the environment"), ..Layer::default() };
    layer.preset = env.get("SPRAG_PRESET").and_then(|name| Preset::from_name(&name));
    for section in &SECTIONS {
        let mut settings = Settings::default();
        for setting in section.keys {
            let Some(text) = env.get(&schema::variable(section.name, setting.key)) else { continue };
            let value = match setting.kind {
                crate::settings::SettingKind::Bool(_) => {
                    Value::Bool(env.is_on(&schema::variable(section.name, setting.key)))
                }
                crate::settings::SettingKind::Int { .. } => match text.parse() {
                    Ok(number) => Value::Int(number),
                    Err(_) => continue,
                },
                _ => Value::Text(text),
            };
            settings.set(setting.key, value);
        }
        if settings.keys().next().is_some() {
            layer.sections.push((section.name, settings));
        }
    }
    layer
}

/// The chains that the layers give together; later layers win.
pub fn resolve(
    host: &Host,
    trusted_project: Option<&Project>,
    layers: &[Layer],
) -> (Resolved, Vec<ConfigError>) {
    let mut faults = Vec::new();
    let preset = layers.iter().rev().find_map(|layer| layer.preset).unwrap_or_default();
    let named = |list: &[String], bundle: Bundle| list.iter().any(|name| name == bundle.name());
    let chosen = |bundle: &Bundle| {
        let said = layers.iter().rev().find_map(|layer| match layer {
            layer if named(&layer.disable, *bundle) => Some(false),
            layer if named(&layer.enable, *bundle) => Some(true),
            _ => None,
        });
        said.unwrap_or_else(|| preset.bundles().contains(bundle))
    };
    let bundles: Vec<Bundle> = Bundle::ALL.into_iter().filter(chosen).collect();
    let builder = Builder { host, project: trusted_project, layers, preset, bundles: &bundles };
    let mut chains = Vec::new();
    for kind in EventKind::ALL {
        let chain = builder.chain(*kind, &mut faults);
        if !chain.is_empty() {
            chains.push((*kind, chain));
        }
    }
    let guards: Vec<&str> =
        host.hooks.iter().filter(|spec| spec.bundle == Bundle::Guards).map(|spec| spec.name).collect();
    let active = chains.iter().flat_map(|(_, chain)| chain).any(|hook: &ResolvedHook| {
        hook.hook.mode == Mode::Enforce && guards.contains(&hook.hook.name.as_str())
    });
    let guards_off = !guards.is_empty() && !active;
    let mut resolved = Resolved { preset, bundles, guards_off, chains, ..Resolved::default() };
    for layer in layers {
        for (name, settings) in &layer.sections {
            merge_named(&mut resolved.sections.fixed, name, settings);
        }
        for (name, settings) in &layer.profiles {
            merge_named(&mut resolved.sections.profiles, name, settings);
        }
    }
    (resolved, faults)
}

fn merge_named(all: &mut Vec<(String, Settings)>, name: &str, settings: &Settings) {
    match all.iter_mut().find(|(known, _)| known == name) {
        Some((_, known)) => known.merge(settings),
        None => all.push((name.to_owned(), settings.clone())),
    }
}

struct Builder<'a> {
    host: &'a Host,
    project: Option<&'a Project>,
    layers: &'a [Layer],
    preset: Preset,
    bundles: &'a [Bundle],
}

impl Builder<'_> {
    /// What the layers say about one hook.
    fn settings(&self, name: &str) -> Settings {
        let mut merged = Settings::default();
        self.layers.iter().filter_map(|layer| layer.hook(name)).for_each(|settings| merged.merge(settings));
        merged
    }

    /// Whether the preset and the layers have a hook on: a later layer wins, in one layer a hook over its bundle and off
    /// over on. `None` when nothing speaks of it.
    fn switched(&self, name: &str) -> Option<(Mode, String)> {
        if self.is_required(name) {
            return Some((Mode::Enforce, "required by the policy".to_owned()));
        }
        let builtin = self.host.hook(name);
        let preset = builtin.filter(|builtin| builtin.is_in(self.preset));
        let mut state = preset.map(|_| (Mode::Enforce, format!("preset {}", self.preset)));
        for layer in self.layers {
            let file = self.host.paths.tilde(&layer.file);
            let mut set = |mode: Mode, why: String| match &mut state {
                // What was on keeps the reason why.
                Some((known, _)) if *known != Mode::Off && mode != Mode::Off => *known = mode,
                state => *state = Some((mode, why)),
            };
            if let Some(builtin) = builtin {
                let bundle = builtin.bundle.name();
                if layer.enable.iter().any(|word| word == bundle) && builtin.comes_with_bundle() {
                    set(Mode::Enforce, format!("bundle {bundle}"));
                }
                if layer.disable.iter().any(|word| word == bundle) {
                    set(Mode::Off, format!("bundle {bundle} is off in {file}"));
                }
            }
            let table = layer.hook(name).map(Settings::read::<CommonHookSettings<'_>>);
            let said = table.and_then(|table| match (table.mode, table.enabled) {
                (Some(mode), _) => Some(mode),
                (None, enabled) => enabled.map(|on| if on { Mode::Enforce } else { Mode::Off }),
            });
            match said {
                Some(Mode::Off) => set(Mode::Off, format!("off in {file}")),
                Some(mode) => set(mode, format!("switched on in [hook.{name}]")),
                None if layer.enable.iter().any(|word| word == name) => {
                    set(Mode::Enforce, format!("enabled in {file}"));
                }
                None => {}
            }
            if layer.disable.iter().any(|word| word == name) {
                set(Mode::Off, format!("off in {file}"));
            }
        }
        state
    }

    fn chain(&self, kind: EventKind, faults: &mut Vec<ConfigError>) -> Vec<ResolvedHook> {
        let edits = || {
            self.layers.iter().flat_map(|layer| layer.chains.iter().map(move |(k, edit)| (layer, k, edit)))
        };
        let replaced = edits().rfind(|(_, k, edit)| **k == kind && edit.scripts.is_some());
        let mut names: Vec<(String, String, &Path)> = Vec::new();
        match replaced {
            Some((layer, _, edit)) => {
                let why = format!("listed in [hooks.{}] of {}", kind.config_name(), layer.file.display());
                for name in edit.scripts.iter().flatten() {
                    names.push((name.clone(), why.clone(), &layer.file));
                }
            }
            None => {
                for builtin in self.host.hooks {
                    if let Some(why) = self.why_on(builtin, kind) {
                        names.push((builtin.name.to_owned(), why, Path::new("")));
                    }
                }
            }
        }
        // A chain of the user's own must not lose what a policy requires.
        let required = self.host.hooks.iter().filter(|builtin| {
            self.is_required(builtin.name)
                && builtin.sees.iter().any(|sees| sees.kind == kind)
                && !names.iter().any(|(name, _, _)| name == builtin.name)
        });
        let why = || "required by the policy".to_owned();
        let required: Vec<_> =
            required.map(|builtin| (builtin.name.to_owned(), why(), Path::new(""))).collect();
        names.splice(0..0, required);
        for (layer, _, edit) in edits().filter(|(_, k, _)| **k == kind) {
            let why = |list| format!("{list} in [hooks.{}] of {}", kind.config_name(), layer.file.display());
            for (at, name) in edit.prepend.iter().enumerate() {
                names.insert(at, (name.clone(), why("prepend"), &layer.file));
            }
            for name in &edit.append {
                names.push((name.clone(), why("append"), &layer.file));
            }
        }
        let mut chain: Vec<ResolvedHook> = Vec::new();
        for (name, why, file) in names {
            if chain.iter().any(|hook| hook.hook.name == name) {
                continue;
            }
            match self.hook(kind, &name) {
                Ok(hook) => {
                    let off = self.switched(&name).filter(|(mode, _)| *mode == Mode::Off);
                    chain.push(ResolvedHook { hook, why: off.map_or(why, |(_, off)| off) });
                }
                Err((what, hint)) => faults.push(ConfigError {
                    file: file.to_path_buf(),
                    line: line_of(file, &name),
                    what,
                    hint,
                }),
            }
        }
        chain
    }

    /// True when a managed policy requires the hook.
    fn is_required(&self, name: &str) -> bool {
        self.layers.iter().any(|layer| layer.required && layer.hook(name).is_some())
    }

    /// Why a builtin is in an event's chain; `None` when it is not.
    fn why_on(&self, builtin: &HookSpec, kind: EventKind) -> Option<String> {
        builtin.sees.iter().find(|sees| sees.kind == kind)?;
        let (mode, why) = self.switched(builtin.name)?;
        (mode != Mode::Off || builtin.is_in(self.preset)).then_some(why)
    }

    fn hook(&self, kind: EventKind, name: &str) -> Result<PlannedHook, (String, String)> {
        let own = self.host.hook(name);
        let mut settings = self.settings(name);
        let builtin = own.or_else(|| typed::behind(&settings, self.host.hooks));
        if let Some(builtin) = builtin.filter(|_| own.is_none()) {
            settings = typed::over(builtin, self.settings(builtin.name), &settings);
        }
        if let Some(why) = builtin.and_then(|builtin| typed::refused(kind, name, builtin, &settings)) {
            return Err(why);
        }
        let common: CommonHookSettings<'_> = settings.read();
        let mode = self.switched(name).map_or(Mode::Enforce, |(mode, _)| mode);
        let on_error = common.on_error;
        let matcher = match (common.matcher, builtin) {
            (Some(text), _) => text.to_owned(),
            (None, Some(builtin)) => matcher_on(builtin, kind).to_owned(),
            (None, None) => String::new(),
        };
        let parse = if kind.facts().narrow { Matcher::parse_narrow } else { Matcher::parse };
        let matcher = parse(&matcher).map_err(|error| {
            (
                format!("the matcher of `{name}` is not a valid pattern: {error}"),
                "fix it in the configuration".to_owned(),
            )
        })?;
        let default_timeout = builtin.map_or(30_000, |builtin| builtin.timeout_ms);
        let timeout_ms = common.timeout_ms.unwrap_or(default_timeout);
        let except = common.except.iter().map(|entry| entry.call.to_owned()).collect();
        let runner = match (own, builtin) {
            (Some(_), _) => Runner::Builtin,
            (None, Some(builtin)) => Runner::As { builtin: builtin.name.to_owned() },
            (None, None) => self.external(name, &settings)?,
        };
        for key in CommonHookSettings::SETTINGS.iter().map(|setting| setting.key) {
            settings.unset(key);
        }
        for setting in builtin.iter().flat_map(|builtin| builtin.settings) {
            if setting.bundle.is_some_and(|bundle| self.bundles.contains(&bundle))
                && settings.get(setting.key).is_none()
            {
                settings.set(setting.key, Value::Bool(true));
            }
        }
        let required = self.is_required(name);
        Ok(PlannedHook {
            name: name.to_owned(),
            runner,
            matcher,
            mode,
            on_error,
            timeout_ms,
            settings,
            required,
            except,
        })
    }

    fn external(&self, name: &str, settings: &Settings) -> Result<Runner, (String, String)> {
        let external: ExternalHookSettings<'_> = settings.read();
        let background = external.background;
        let env = external.env.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        if let Some(command) = external.command {
            let mut argv = command.to_owned_vec();
            if argv.is_empty() {
                return Err((format!("`command` of `{name}` is empty"), "name a program".to_owned()));
            }
            self.absolute(&mut argv);
            if let Some(program) = argv.first().map(PathBuf::from).filter(|program| program.is_absolute()) {
                argv.splice(..1, argv_of(&program, &self.host.env));
            }
            return Ok(Runner::External { argv, env, background });
        }
        let mut folders = vec![self.host.paths.hooks_dir()];
        folders
            .extend(self.project.and_then(|project| project.sprag.as_ref()).map(|sprag| sprag.join("hooks")));
        for folder in &folders {
            if let Some(file) = script_in(folder, name) {
                return Ok(Runner::External { argv: argv_of(&file, &self.host.env), env, background });
            }
        }
        let known = self.host.hooks.iter().map(|builtin| builtin.name);
        let none = format!(
            "no builtin has this name, and {} has no such file",
            self.host.paths.hooks_dir().display()
        );
        Err((format!("there is no hook `{name}`"), meant(name, known, &none)))
    }

    /// Words of a command that are files of the project are made absolute: the agent's directory moves.
    fn absolute(&self, argv: &mut [String]) {
        let Some(project) = self.project else { return };
        for word in argv {
            let path = project.root.join(word.as_str());
            if word.contains('/') && !word.starts_with('-') && path.is_file() {
                *word = path.to_string_lossy().into_owned();
            }
        }
    }
}

/// The line that names a hook in a list; read again, because only a fault needs to know.
pub fn line_of(file: &Path, name: &str) -> usize {
    let text = sprag_base::files::read_text(file, crate::OWN_LIMIT).unwrap_or_default();
    let named = [format!("\"{name}\""), format!("'{name}'"), format!("[hook.{name}]")];
    text.lines()
        .position(|line| {
            !line.trim_start().starts_with('#') && named.iter().any(|name| line.contains(name.as_str()))
        })
        .map_or(1, |at| at + 1)
}

/// The matcher that a builtin has on an event, or everything when it is put on one it does not know.
fn matcher_on(builtin: &HookSpec, kind: EventKind) -> &'static str {
    builtin.sees.iter().find(|sees: &&Sees| sees.kind == kind).map_or("", |sees| sees.matcher)
}

/// A hook's file: its name, alone or with any extension.
pub fn script_in(folder: &Path, name: &str) -> Option<PathBuf> {
    if name.is_empty() || name.contains(['/', '\\']) || name.starts_with('.') {
        return None;
    }
    let plain = folder.join(name);
    if plain.is_file() {
        return Some(plain);
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && path.file_stem().is_some_and(|stem| stem == name))
        // Cases lie beside their hook.
        .filter(|path| path.extension().is_some_and(|ext| ext != "toml" && ext != "md"))
        .collect();
    found.sort();
    found.into_iter().next()
}

/// How a program is started: by itself when it says how, else by the interpreter of its extension.
fn argv_of(file: &Path, env: &Env) -> Vec<String> {
    let interpreter = match file.extension().and_then(|ext| ext.to_str()) {
        Some("py") => "python3",
        Some("js" | "mjs" | "cjs") => "node",
        // Node reads it too, since 22.18.
        Some("ts" | "mts") if is_on_path("bun", env) => "bun",
        Some("ts" | "mts") => "node",
        Some("sh") => "sh",
        Some("bash") => "bash",
        Some("zsh") => "zsh",
        Some("rb") => "ruby",
        Some("pl") => "perl",
        Some("php") => "php",
        Some("lua") => "lua",
        Some("ps1") => "pwsh",
        _ => "",
    };
    let own = file.to_string_lossy().into_owned();
    if interpreter.is_empty() || starts_itself(file) { vec![own] } else { vec![interpreter.to_owned(), own] }
}

fn is_on_path(program: &str, env: &Env) -> bool {
    env.get("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

/// True for a file that may be executed and begins with `#!`.
fn starts_itself(file: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::io::Read as _;
        use std::os::unix::fs::PermissionsExt as _;
        let mut start = [0; 2];
        file.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0)
            && sprag_base::files::open(file).is_ok_and(|(mut file, _)| file.read_exact(&mut start).is_ok())
            && start == *b"#!"
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        false
    }
}
