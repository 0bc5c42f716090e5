//! `sprag hook`: the hot path. Payload on standard input, answer on standard output, exit code 0.

use sprag_config::host::Host;
use sprag_protocol::AgentId;
use sprag_protocol::decode::MAX_PAYLOAD;
use sprag_runtime::dispatch::dispatch;
use sprag_runtime::panics;
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::process::ExitCode;

/// Runs the hook. `None` when the words are not its own (`--help`): the argument parser knows what to say.
pub(crate) fn main(words: &[OsString]) -> Option<ExitCode> {
    let agent = match words {
        [] => None,
        [flag, name] if flag == "--agent" => agent_of(name.to_str()?)?,
        [word] => agent_of(word.to_str()?.strip_prefix("--agent=")?)?,
        _ => return None,
    };
    panics::silence();
    let mut payload = Vec::with_capacity(16 * 1024);
    // One byte over the limit tells a payload that is too large from one that just fits; the rest is read
    // and thrown away, because an agent that cannot write its payload may take that for a failure.
    let limit = MAX_PAYLOAD as u64 + 1;
    let mut stdin = std::io::stdin().lock();
    let _ = stdin.by_ref().take(limit).read_to_end(&mut payload);
    if payload.len() as u64 == limit {
        let _ = std::io::copy(&mut stdin, &mut std::io::sink());
    }
    let host = Host::of_process(&sprag_hooks::SPECS);
    let answer = dispatch(&host, &sprag_hooks::BUILTINS, &payload, agent);
    if let Some(text) = answer.stdout {
        let _ = std::io::stdout().lock().write_all(text.as_bytes());
    }
    Some(ExitCode::SUCCESS)
}

/// `Some(None)` is `auto`; `None` is a name that is no agent.
fn agent_of(name: &str) -> Option<Option<AgentId>> {
    match name {
        "auto" => Some(None),
        name => AgentId::from_name(name).map(Some),
    }
}
