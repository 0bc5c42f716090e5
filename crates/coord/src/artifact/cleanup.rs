//! The background job that ends what a session declared: by recorded ids, by pid files, by PM2's names.

use super::process::{self, Ended};
use super::{Artifact, Saved, saved_file};
use serde_json::Value;
use sprag_base::files;
use sprag_base::process::{Spec, run as run_program};
use sprag_config::host::Host;
use sprag_protocol::agents::AGENTS;
use sprag_runtime::job::JobError;
use sprag_runtime::work::Cleanup;
use std::path::Path;
use std::time::Duration;

/// The handler. It may run twice: what is gone is not there.
pub fn run(host: &Host, task: &Cleanup) -> Result<(), JobError> {
    let grace = Duration::from_millis(task.grace_ms);
    let mut saved = Saved {
        session: task.session.clone(),
        root: task.root.display().to_string(),
        at: host.clock.now().0,
        ..earlier(host, &task.session)
    };
    let from_files: Vec<Artifact> =
        task.pid_files.iter().filter_map(|path| from_pid_file(path, task.began)).collect();
    for artifact in task.declared.iter().chain(&from_files) {
        match process::end(artifact.pid, &artifact.start, grace) {
            Ended::Gone => saved.stopped.push(artifact.clone()),
            Ended::NotThere => {}
            Ended::Stays => saved.left.push(format!("{} ({}) does not end", artifact.name, artifact.pid)),
        }
    }
    if !task.pm2_prefixes.is_empty() {
        match pm2(host, task) {
            Ok(stopped) => saved.stopped.extend(stopped),
            Err(error) => saved.left.push(format!("pm2: {error}")),
        }
    }
    if saved.stopped.is_empty() && saved.left.is_empty() {
        return Ok(());
    }
    Ok(files::write_atomic(&saved_file(&host.paths, &task.session), &serde_json::to_vec_pretty(&saved)?)?)
}

/// What an earlier try of this job, or an earlier end of a resumed session, stopped.
fn earlier(host: &Host, session: &str) -> Saved {
    let text = files::read(saved_file(&host.paths, session), files::STATE).unwrap_or_default();
    let known: Saved = serde_json::from_slice(&text).unwrap_or_default();
    Saved { left: Vec::new(), ..known }
}

/// The process of a pid file, when the file was written in the session and the process is older than the file:
/// one that got the same id later is younger.
fn from_pid_file(path: &Path, began: u64) -> Option<Artifact> {
    let bytes = files::read_limited(path, 64).ok().flatten()?;
    let pid: i64 = std::str::from_utf8(&bytes).ok()?.trim().parse().ok()?;
    let modified = path.metadata().and_then(|meta| meta.modified()).ok()?;
    let written = modified.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
    let start = process::start_of(pid)?;
    let since_file = modified.elapsed().unwrap_or_default().as_secs();
    // A second either way: both are cut to seconds.
    if written + 1 < began || process::age_of(pid)? + 1 < since_file || process::is_around(pid) {
        return None;
    }
    let (command, cwd) = process::command_of(pid);
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Some(Artifact { name, how: "pid_file".to_owned(), pid, start, command, cwd })
}

/// The variables in which agents give their session's id to what they start.
fn session_variables() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().filter_map(|agent| agent.process.session_variable).chain(["SPRAG_SESSION_ID"])
}

/// Deletes this session's processes in PM2, by PM2's ids.
fn pm2(host: &Host, task: &Cleanup) -> Result<Vec<Artifact>, JobError> {
    let listed = call(host, task, &["pm2", "jlist"])?;
    let mut stopped = Vec::new();
    for artifact in of_session(&listed, &task.pm2_prefixes, &task.session) {
        call(host, task, &["pm2", "delete", &artifact.pid.to_string()])?;
        stopped.push(artifact);
    }
    Ok(stopped)
}

fn call(host: &Host, task: &Cleanup, argv: &[&str]) -> Result<String, JobError> {
    let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
    let cwd = if task.root.is_dir() { task.root.clone() } else { host.paths.home.clone() };
    let finished = run_program(&Spec {
        argv: &argv,
        stdin: b"",
        cwd: &cwd,
        inherit: &host.env,
        env: &[],
        timeout: Duration::from_secs(20),
    })?;
    match finished.code {
        0 => Ok(finished.stdout),
        code => Err(format!("`{}`: exit code {code}", argv.join(" ")).into()),
    }
}

/// The processes of a session in PM2's list: the name has the prefix, and PM2 kept the session in its environment.
/// Others of the same name belong to somebody else. PM2 prints notices before its list.
pub fn of_session(listed: &str, prefixes: &[String], session: &str) -> Vec<Artifact> {
    let list = listed.match_indices('[').find_map(|(at, _)| {
        let rest = listed.get(at..)?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Vec<Value>>();
        values.next()?.ok().filter(|list| list.iter().all(Value::is_object))
    });
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let none = Value::Null;
    list.unwrap_or_default()
        .iter()
        .filter_map(|process| {
            let name = text(process, "name");
            let about = process.get("pm2_env").unwrap_or(&none);
            let env = about.get("env").unwrap_or(&none);
            let ours = session_variables().any(|key| {
                [about, env].iter().any(|place| !session.is_empty() && text(place, key) == session)
            });
            let named = prefixes.iter().any(|prefix| !prefix.is_empty() && name.starts_with(prefix.as_str()));
            if !named || !ours {
                return None;
            }
            let args = about.get("args").and_then(Value::as_array).into_iter().flatten();
            let mut command = vec![text(about, "pm_exec_path")];
            command.extend(args.filter_map(|word| word.as_str().map(str::to_owned)));
            Some(Artifact {
                name,
                how: "pm2".to_owned(),
                pid: process.get("pm_id").and_then(Value::as_i64)?,
                start: String::new(),
                command,
                cwd: text(about, "pm_cwd"),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn process(id: i64, name: &str, session: &str) -> Value {
        json!({ "pm_id": id, "name": name, "pid": 4_000 + id, "pm2_env": { "pm_exec_path": "/bin/serve",
            "args": ["-p", "80"], "pm_cwd": "/home/dev/shop", "env": { "CLAUDE_CODE_SESSION_ID": session } } })
    }

    fn ids(listed: &str) -> Vec<i64> {
        of_session(listed, &["artifact-".to_owned()], "s1").iter().map(|artifact| artifact.pid).collect()
    }

    /// Faults of the reference: tunnels of other sessions were deleted too, and a notice before the list hid it all.
    #[test]
    fn fault_other_sessions_keep_theirs_and_notices_do_not_hide_the_list() {
        let list = json!([
            process(0, "artifact-web", "s1"),
            process(1, "artifact-web", "s2"),
            process(2, "database", "s1"),
            { "pm_id": 3, "name": "artifact-x" },
        ]);
        assert_eq!(ids(&list.to_string()), [0]);
        assert_eq!(ids(&format!("[PM2] Spawning daemon\n>>>> In-memory [1] out of date\n{list}\n")), [0]);
        assert_eq!(ids("[PM2][ERROR] nothing"), Vec::<i64>::new());
        let one = &of_session(&list.to_string(), &["artifact-".to_owned()], "s1")[0];
        assert_eq!(
            (one.command.join(" ").as_str(), one.cwd.as_str()),
            ("/bin/serve -p 80", "/home/dev/shop")
        );
        assert!(
            of_session(&list.to_string(), &["artifact-".to_owned()], "").is_empty(),
            "no session owns nothing"
        );
    }

    proptest! {
        #[test]
        fn any_output_is_read(text in "\\PC{0,200}|[\\[\\]{}\",:a-z0-9]{0,100}") {
            prop_assert!(ids(&text).is_empty());
        }
    }
}
