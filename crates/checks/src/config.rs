//! The `[verify]` section: limits, further checkers, and whether a project's own code may run.

use super::ask::Request;
use super::place::CheckFolder;
use sprag_config::host::Host;
use sprag_config::schema::{CheckerRole, CheckerTable, RunProjectCode};
use sprag_config::settings::Texts;
use sprag_config::trust::Trust;
use sprag_project::Project;
use sprag_verify::parse::Format;
use sprag_verify::table::{CHECKERS, Checker, Execution, Role, Scope};
use std::time::Duration;

/// What the configuration says.
pub struct Config {
    /// The longest that one checker may take.
    pub deadline: Duration,
    /// The most findings at a time.
    pub most: usize,
    /// Quiet before a build.
    pub settle: Duration,
    /// Checkers of the user's own.
    pub own: Vec<Checker>,
    code: RunProjectCode,
    trusted: bool,
}

impl Config {
    /// Reads it. What an untrusted project says of it does not count.
    pub fn read(host: &Host, place: &CheckFolder) -> Self {
        let project = Project::find(&place.root.to_string_lossy(), &host.env, &host.paths.home);
        let loaded = sprag_config::load(host, &project);
        let section = loaded.resolved.sections.verify();
        Self {
            deadline: Duration::from_secs(section.deadline_s),
            most: section.max_shown,
            settle: Duration::from_millis(section.settle_ms),
            own: section.checkers.iter().filter_map(checker).collect(),
            code: section.run_project_code,
            trusted: loaded.trust == Trust::Trusted,
        }
    }

    /// True when checkers that run the project's own code may be run.
    pub fn may_run_code(&self, place: &CheckFolder, requests: &[Request]) -> bool {
        match self.code {
            RunProjectCode::Always => true,
            RunProjectCode::Never => false,
            RunProjectCode::Auto => {
                self.trusted
                    || requests.iter().any(|request| request.unasked)
                    || sprag_base::files::read_text(place.allowed(), sprag_base::files::SMALL)
                        .is_ok_and(|mark| mark == mark_of(place))
            }
        }
    }
}

/// What the mark of a project that the agent built holds: another repository at the same place is another project.
pub fn mark_of(place: &CheckFolder) -> String {
    let git = place.root.join(".git");
    let project =
        Project { root: place.root.clone(), git: git.exists().then_some(git), ..Project::default() };
    project.remote_key().unwrap_or_else(|| "here".to_owned())
}

fn checker(table: CheckerTable<'_>) -> Option<Checker> {
    let name = Some(table.name).filter(|name| !name.is_empty())?;
    let known = CHECKERS.iter().find(|row| row.name == name);
    let command = table.command?.to_owned_vec();
    let has = |word: &str| command.iter().any(|arg| arg == word);
    let scope = if has("{files}") {
        Scope::Files
    } else if has("{file}") {
        Scope::EachFile
    } else {
        Scope::Project
    };
    let role = match table.role {
        Some(CheckerRole::Build) => Role::Build,
        Some(CheckerRole::Syntax) => Role::Syntax,
        Some(CheckerRole::Lint) => Role::Lint,
        None => known.map_or(Role::Lint, |row| row.role),
    };
    let of = |texts: Option<Texts<'_>>, row: fn(&Checker) -> &Vec<String>| {
        texts.map(Texts::to_owned_vec).or_else(|| known.map(|known| row(known).clone())).unwrap_or_default()
    };
    Some(Checker {
        name: name.to_owned(),
        language: table
            .language
            .map_or_else(|| known.map(|row| row.language.clone()).unwrap_or_default(), str::to_owned),
        endings: of(table.endings, |row| &row.endings),
        markers: of(table.markers, |row| &row.markers),
        outer: known.map(|row| row.outer.clone()).unwrap_or_default(),
        command,
        scope,
        role,
        format: table
            .format
            .and_then(Format::named)
            .or_else(|| known.map(|row| row.format))
            .unwrap_or(Format::Gnu),
        // A person chose it.
        execution: Execution::ReadsOnly,
        group: known.map(|row| row.group.clone()).unwrap_or_default(),
        own: true,
        only_at_stop: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_config::settings::{Settings, Value};

    fn table(entries: &[(&str, Value)]) -> Settings {
        let mut settings = Settings::empty();
        for (key, value) in entries {
            settings.set(key, value.clone());
        }
        settings
    }

    fn checker(table: &Settings) -> Option<Checker> {
        super::checker(table.read())
    }

    fn list(words: &[&str]) -> Value {
        Value::List(words.iter().map(|word| Value::Text((*word).to_owned())).collect())
    }

    #[test]
    fn a_builtin_keeps_what_is_not_said_and_a_new_one_has_defaults() {
        let cargo = checker(&table(&[
            ("name", Value::Text("cargo".into())),
            ("command", list(&["cargo", "check", "--message-format=json"])),
        ]))
        .unwrap();
        assert_eq!((cargo.format, cargo.role, cargo.scope), (Format::Cargo, Role::Build, Scope::Project));
        assert_eq!(cargo.markers, ["Cargo.toml"]);
        let own = checker(&table(&[
            ("name", Value::Text("house".into())),
            ("command", list(&["./lint.sh", "{files}"])),
            ("endings", list(&[".foo"])),
        ]))
        .unwrap();
        assert_eq!((own.format, own.role, own.scope, own.own), (Format::Gnu, Role::Lint, Scope::Files, true));
        assert!(checker(&table(&[("name", Value::Text("x".into()))])).is_none(), "no command");
    }
}
