//! A real event for the registered program, against a throw-away state: does it start, and does it answer?

use sprag_base::env::Env;
use sprag_base::process::{self, RunError, Spec};
use sprag_config::host::Host;
use sprag_deploy::{Command, Entry, Form};
use sprag_protocol::{AgentId, EventKind, dialects};
use std::time::{Duration, Instant};

/// Why what is registered does not answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProbeError {
    /// There is no folder to try it in.
    #[error(transparent)]
    Scratch(#[from] std::io::Error),
    /// It cannot be run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// It ran and did nothing.
    #[error("it ends without a word in the journal")]
    Silent,
    /// It failed.
    #[error("exit code {code}: {said}")]
    Failed {
        /// How it ended.
        code: i32,
        /// What it said.
        said: String,
    },
}

/// A program that takes longer is as good as none.
const PATIENCE: Duration = Duration::from_secs(5);

/// The search path of a program that was started from a desktop and not from a shell.
pub(crate) const DESKTOP_PATH: &str = if cfg!(target_os = "macos") {
    "/usr/bin:/bin:/usr/sbin:/sbin"
} else {
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
};

/// Starts what is registered as the agent would, with this search path, and looks for the journal's line. How long it
/// took, or why not.
pub(crate) fn answers(
    host: &Host,
    agent: AgentId,
    entry: &Entry,
    path: &str,
) -> Result<Duration, ProbeError> {
    let command = Command { exe: entry.exe.clone(), args: entry.args.clone() };
    let argv = match entry.form {
        Form::Exec => {
            let exe = command.exe.to_string_lossy().into_owned();
            std::iter::once(exe).chain(command.args).collect()
        }
        Form::Shell => vec!["/bin/sh".to_owned(), "-c".to_owned(), command.shell_line(entry.gate)],
    };
    let scratch = tempfile::tempdir()?;
    let native = dialects::of(agent).row(EventKind::Stop).map_or("Stop", |row| row.native);
    let payload = serde_json::json!({
        "session_id": "doctor", "cwd": scratch.path(), "hook_event_name": native,
    });
    // The user's own hooks are not for a probe: with its own configuration, none is on.
    let place = |name: &str| scratch.path().join(name).to_string_lossy().into_owned();
    let env = Env::Fixed(
        [
            ("HOME".to_owned(), host.paths.home.to_string_lossy().into_owned()),
            ("PATH".to_owned(), path.to_owned()),
            ("SPRAG_CONFIG_DIR".to_owned(), place("config")),
            ("SPRAG_STATE_DIR".to_owned(), place("state")),
            ("SPRAG_DATA_DIR".to_owned(), place("data")),
            ("SPRAG_WORKER".to_owned(), "off".to_owned()),
            ("SPRAG_DISABLE".to_owned(), "all".to_owned()),
        ]
        .into(),
    );
    let started = Instant::now();
    let finished = process::run(&Spec {
        argv: &argv,
        stdin: payload.to_string().as_bytes(),
        cwd: scratch.path(),
        inherit: &env,
        env: &[],
        timeout: PATIENCE,
    })?;
    let time = started.elapsed();
    let journaled = scratch.path().join("state/journal.jsonl").is_file();
    match (finished.code, journaled) {
        (0, true) => Ok(time),
        (0, false) => Err(ProbeError::Silent),
        (code, _) => Err(ProbeError::Failed { code, said: finished.stderr.trim().to_owned() }),
    }
}
