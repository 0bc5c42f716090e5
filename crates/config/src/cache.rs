//! The compiled configuration of a project: one file, of which a call decodes its own event's chain.
//! It is keyed by the identity of everything it was made from; a stale or broken one is rebuilt.

use crate::host::Host;
use crate::plan::EventPlan;
use crate::{ConfigError, Loaded, schema};
use serde::{Deserialize, Serialize};
use sprag_base::files::{self, Identity};
use sprag_base::id::short_hash;
use sprag_project::Project;
use sprag_protocol::EventKind;
use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};

/// Changes with every change of what is stored.
const FORMAT: &[u8; 8] = b"sprag\0\0\x04";

#[derive(Serialize, Deserialize)]
struct Header {
    exe: Option<Identity>,
    env: Vec<(String, String)>,
    inputs: Vec<(String, Option<Identity>)>,
    chains: Vec<Chain>,
}

#[derive(Serialize, Deserialize)]
struct Chain {
    kind: EventKind,
    start: u32,
    len: u32,
    sum: u64,
}

/// A plan, and what was found on the way when it had to be compiled.
pub struct Planned {
    /// What runs.
    pub plan: EventPlan,
    /// Errors of the configuration, when it was read again.
    pub errors: Vec<ConfigError>,
    /// True when the cache had to be made.
    pub compiled: bool,
}

/// The chain of an event: from the cache when that is true, else from the files.
pub fn plan(host: &Host, project: &Project, kind: EventKind) -> Planned {
    let file = cache_file(host, project);
    let exe = host.exe.as_deref().and_then(files::identity);
    let env = overrides(host);
    if let Ok(bytes) = files::read(&file, files::STATE)
        && let Some(plan) = lookup(&bytes, exe.as_ref(), &env, kind)
    {
        return Planned { plan, errors: Vec::new(), compiled: false };
    }
    let loaded = crate::load(host, project);
    if !loaded.user_broken {
        crate::remember_good(host);
    }
    // A cache that cannot be written costs time, not correctness.
    let _ = compile(&loaded, exe, env).map(|bytes| files::write_atomic(&file, &bytes));
    Planned { plan: loaded.resolved.plan(kind), errors: loaded.errors, compiled: true }
}

/// What the compiled configuration of a project is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// There is none yet.
    Missing,
    /// The next event uses it.
    Fresh,
    /// Something that it was made from changed, or it is damaged: the next event rebuilds it.
    Stale,
}

/// What the next event will find.
pub fn freshness(host: &Host, project: &Project) -> Freshness {
    let exe = host.exe.as_deref().and_then(files::identity);
    match files::read(cache_file(host, project), files::STATE) {
        Err(_) => Freshness::Missing,
        Ok(bytes) => match lookup(&bytes, exe.as_ref(), &overrides(host), EventKind::Unknown) {
            Some(_) => Freshness::Fresh,
            None => Freshness::Stale,
        },
    }
}

fn cache_file(host: &Host, project: &Project) -> PathBuf {
    let mut key = project.root.as_os_str().to_os_string();
    if project.sprag.is_some() {
        key.push("\0.sprag");
    }
    host.paths.cache().join(format!("{}.plan", short_hash(key.as_encoded_bytes())))
}

/// The variables that change a configuration.
fn overrides(host: &Host) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if !host.env.has_own() {
        return found;
    }
    let mut push = |name: String| {
        if let Some(value) = host.env.get(&name) {
            found.push((name, value));
        }
    };
    push("SPRAG_PRESET".to_owned());
    for section in &schema::SECTIONS {
        for setting in section.keys {
            push(schema::variable(section.name, setting.key));
        }
    }
    found
}

fn compile(loaded: &Loaded, exe: Option<Identity>, env: Vec<(String, String)>) -> Option<Vec<u8>> {
    let mut bodies = Vec::new();
    let mut chains = Vec::new();
    let mut put = |kind: EventKind| -> Option<()> {
        let body = postcard::to_stdvec(&loaded.resolved.plan(kind)).ok()?;
        chains.push(Chain { kind, start: bodies.len() as u32, len: body.len() as u32, sum: checksum(&body) });
        bodies.extend_from_slice(&body);
        Some(())
    };
    for (kind, _) in &loaded.resolved.chains {
        put(*kind)?;
    }
    // Events without a chain still have a budget and a journal.
    put(EventKind::Unknown)?;
    let inputs = loaded
        .inputs
        .iter()
        .map(|path| (path.to_string_lossy().into_owned(), files::identity(path)))
        .collect();
    let header = postcard::to_stdvec(&Header { exe, env, inputs, chains }).ok()?;
    let mut out = FORMAT.to_vec();
    out.extend_from_slice(&checksum(&header).to_le_bytes());
    out.extend_from_slice(&(header.len() as u32).to_le_bytes());
    out.extend_from_slice(&header);
    out.extend_from_slice(&bodies);
    Some(out)
}

/// The plan in the cache, when every byte and every input is what it was.
fn lookup(
    bytes: &[u8],
    exe: Option<&Identity>,
    env: &[(String, String)],
    kind: EventKind,
) -> Option<EventPlan> {
    let rest = bytes.strip_prefix(FORMAT)?;
    let (sum, rest) = rest.split_first_chunk::<8>()?;
    let (len, rest) = rest.split_first_chunk::<4>()?;
    let (header, bodies) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
    if checksum(header) != u64::from_le_bytes(*sum) {
        return None;
    }
    let header: Header = postcard::from_bytes(header).ok()?;
    let fresh = header.exe.as_ref() == exe
        && header.env == env
        && header.inputs.iter().all(|(path, known)| &files::identity(Path::new(path)) == known);
    if !fresh {
        return None;
    }
    let chain = header
        .chains
        .iter()
        .find(|chain| chain.kind == kind)
        .or_else(|| header.chains.iter().find(|chain| chain.kind == EventKind::Unknown))?;
    let body = bodies.get(chain.start as usize..)?.get(..chain.len as usize)?;
    if checksum(body) != chain.sum {
        return None;
    }
    postcard::from_bytes(body).ok()
}

/// Tells a damaged file from a whole one. No defence against a forger: the folder is the owner's. The hash may differ
/// between versions of the standard library; a file of another executable is not believed anyway.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
