//! What `sprag claims`, `sprag task` and `sprag agent` share: the store as of now, and who is asking.

use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_config::host::project_at;
use sprag_config::plan::Mode;
use sprag_coord::caller::CallerError;
use sprag_coord::store::micros;
use sprag_store::Store;
use sprag_terminal::explained;
use sprag_terminal::{Out, Problem};
use sprag_worker::sync;

/// The store with everything in it that waits here; `None` when there is none yet.
pub fn look(host: &Host) -> anyhow::Result<Option<Store>> {
    sync::look(host).map_err(explained)
}

/// The store, made when there is none.
pub fn open(host: &Host) -> anyhow::Result<Store> {
    sync::open(host).map_err(explained)
}

/// The hooks of these that are off here.
fn off<'a>(host: &Host, hooks: &[&'a str]) -> Vec<&'a str> {
    let resolved = sprag_config::load(host, &project_at(host, None)).resolved;
    let is_on = |name: &str| {
        let all = resolved.chains.iter().flat_map(|(_, chain)| chain);
        all.into_iter().any(|hook| hook.hook.name == name && hook.hook.mode == Mode::Enforce)
    };
    hooks.iter().copied().filter(|name| !is_on(name)).collect()
}

/// Refuses when one of the hooks that carry something out is off here.
pub fn require_on(host: &Host, hooks: &[&str]) -> anyhow::Result<()> {
    let off = off(host, hooks).join(" ");
    anyhow::ensure!(
        off.is_empty(),
        Problem::new(format!("nothing would be recorded: off here: {off}"), format!("sprag enable {off}"))
    );
    Ok(())
}

/// Says which of the hooks that carry something out are off here, and the command that switches them on.
pub fn say_if_off(host: &Host, out: &Out, hooks: &[&str], without: &str) {
    let off = off(host, hooks);
    if !off.is_empty() {
        out.note(&format!(
            "{} off here: {without}. To change that: sprag enable {}",
            match off.as_slice() {
                [one] => format!("{one} is"),
                many => format!("{} are", many.join(" and ")),
            },
            off.join(" ")
        ));
    }
}

pub use sprag_coord::caller::{Caller, calling_session};

/// Now, as the store has it.
pub fn now(host: &Host) -> i64 {
    micros(host.clock.now())
}

/// A time for JSON.
pub fn stamp(at: i64) -> String {
    Stamp(at as u64).to_string()
}

/// The first characters of a session's id.
pub fn short(session: &str) -> String {
    session.chars().take(8).collect()
}

/// The session that is named, or the one around this process, or a person.
pub fn caller(store: &mut Store, host: &Host, named: Option<&str>) -> anyhow::Result<Caller> {
    Caller::find(store, host, named).map_err(|error| match error {
        CallerError::Store(error) => explained(error),
        CallerError::Unknown(_) => {
            anyhow::anyhow!(Problem::new(&error, "`sprag status sessions` lists them"))
        }
        CallerError::Several(_, ref ids) => {
            anyhow::anyhow!(Problem::new(&error, format!("one of: {}", ids.join(", "))))
        }
    })
}
