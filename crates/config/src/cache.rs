//! The compiled configuration of a project: one file, of which a call decodes its own event's chain.
//! It is keyed by the identity of everything it was made from; a stale or broken one is rebuilt.

use crate::host::Host;
use crate::plan::EventPlan;
use crate::resolve::Sections;
use crate::{ConfigError, Loaded, schema};
use serde::{Deserialize, Serialize};
use sprag_base::files::{self, Identity};
use sprag_base::id::short_hash;
use sprag_project::Project;
use sprag_protocol::EventKind;
use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};

/// Changes with every change of what is stored.
const FORMAT: &[u8; 8] = b"sprag\0\0\x08";

#[derive(Serialize, Deserialize)]
struct Header {
    exe: Option<Identity>,
    env: Vec<(String, String)>,
    inputs: Vec<(String, Option<Identity>)>,
    chains: Vec<(EventKind, Body)>,
    sections: Option<Body>,
}

/// Where a part of the file is, behind the header.
#[derive(Serialize, Deserialize)]
struct Body {
    start: u32,
    len: u32,
    sum: u64,
}

impl Body {
    /// Adds a part.
    fn put(bodies: &mut Vec<u8>, value: &impl Serialize) -> Option<Self> {
        let bytes = postcard::to_stdvec(value).ok()?;
        let body = Self { start: bodies.len() as u32, len: bytes.len() as u32, sum: checksum(&bytes) };
        bodies.extend_from_slice(&bytes);
        Some(body)
    }

    /// The part, when every byte is what it was.
    fn read<T: for<'de> Deserialize<'de>>(&self, bodies: &[u8]) -> Option<T> {
        let bytes = bodies.get(self.start as usize..)?.get(..self.len as usize)?;
        if checksum(bytes) != self.sum {
            return None;
        }
        postcard::from_bytes(bytes).ok()
    }
}

/// A plan, and what was found on the way when it had to be compiled.
pub struct Planned {
    /// What runs.
    pub plan: EventPlan,
    /// Errors of the configuration: when it was read again, and at every start of a session.
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
        // A session's start tells the errors, whichever event met them first: they are read again until they are fixed.
        let told = plan.faulty && kind == EventKind::SessionStart;
        let errors = if told { crate::load(host, project).errors } else { Vec::new() };
        return Planned { plan, errors, compiled: false };
    }
    let loaded = compiled(host, project, &file, exe, env);
    Planned { plan: loaded.resolved.plan(kind), errors: loaded.errors, compiled: true }
}

/// The tables of the user's configuration that are about no hook: from the cache when that is true, else from the files. A
/// project has no say in them.
pub fn sections(host: &Host) -> Sections {
    let project = Project::default();
    let file = cache_file(host, &project);
    let exe = host.exe.as_deref().and_then(files::identity);
    let env = overrides(host);
    let known = files::read(&file, files::STATE).ok().and_then(|bytes| {
        let (header, bodies) = fresh(&bytes, exe.as_ref(), &env)?;
        header.sections?.read(bodies)
    });
    known.unwrap_or_else(|| compiled(host, &project, &file, exe, env).resolved.sections)
}

/// Reads the files and makes the cache. One that cannot be written costs time, not correctness.
fn compiled(
    host: &Host,
    project: &Project,
    file: &Path,
    exe: Option<Identity>,
    env: Vec<(String, String)>,
) -> Loaded {
    let loaded = crate::load(host, project);
    if !loaded.user_broken {
        crate::remember_good(host);
    }
    let _ = compile(&loaded, exe, env).map(|bytes| files::write_atomic(file, &bytes));
    loaded
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

/// The variables that change a configuration, each with a hash of its value: an address may hold a password, and nothing
/// but the same value needs to be known again.
fn overrides(host: &Host) -> Vec<(String, String)> {
    let own = host.env.own();
    let counts = own.iter().filter(|(name, _)| name == "SPRAG_PRESET" || schema::is_variable(name));
    counts.map(|(name, value)| (name.clone(), short_hash(value.as_bytes()))).collect()
}

fn compile(loaded: &Loaded, exe: Option<Identity>, env: Vec<(String, String)>) -> Option<Vec<u8>> {
    let mut bodies = Vec::new();
    // Events without a chain still have a budget and a journal.
    let kinds = loaded.resolved.chains.iter().map(|(kind, _)| *kind).chain([EventKind::Unknown]);
    let chains = kinds
        .map(|kind| Some((kind, Body::put(&mut bodies, &loaded.resolved.plan(kind))?)))
        .collect::<Option<_>>()?;
    // The address of a server may hold a password, which has one place; and to read it costs nothing beside the network.
    let sections = &loaded.resolved.sections;
    let sections =
        if sections.store().url.contains("://") { None } else { Some(Body::put(&mut bodies, sections)?) };
    let inputs = loaded
        .inputs
        .iter()
        .map(|path| (path.to_string_lossy().into_owned(), files::identity(path)))
        .collect();
    let header = postcard::to_stdvec(&Header { exe, env, inputs, chains, sections }).ok()?;
    let mut out = FORMAT.to_vec();
    out.extend_from_slice(&checksum(&header).to_le_bytes());
    out.extend_from_slice(&(header.len() as u32).to_le_bytes());
    out.extend_from_slice(&header);
    out.extend_from_slice(&bodies);
    Some(out)
}

/// The header and what is behind it, when every input is what it was.
fn fresh<'b>(
    bytes: &'b [u8],
    exe: Option<&Identity>,
    env: &[(String, String)],
) -> Option<(Header, &'b [u8])> {
    let rest = bytes.strip_prefix(FORMAT)?;
    let (sum, rest) = rest.split_first_chunk::<8>()?;
    let (len, rest) = rest.split_first_chunk::<4>()?;
    let (header, bodies) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
    if checksum(header) != u64::from_le_bytes(*sum) {
        return None;
    }
    let header: Header = postcard::from_bytes(header).ok()?;
    let same = header.exe.as_ref() == exe
        && header.env == env
        && header.inputs.iter().all(|(path, known)| &files::identity(Path::new(path)) == known);
    same.then_some((header, bodies))
}

/// The plan in the cache, when every byte and every input is what it was.
fn lookup(
    bytes: &[u8],
    exe: Option<&Identity>,
    env: &[(String, String)],
    kind: EventKind,
) -> Option<EventPlan> {
    let (header, bodies) = fresh(bytes, exe, env)?;
    let of = |wanted: EventKind| header.chains.iter().find(|(kind, _)| *kind == wanted);
    let (_, body) = of(kind).or_else(|| of(EventKind::Unknown))?;
    body.read(bodies)
}

/// Tells a damaged file from a whole one. No defence against a forger: the folder is the owner's. The hash may differ
/// between versions of the standard library; a file of another executable is not believed anyway.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_about_no_hook_come_from_the_cache_while_it_is_true() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::in_home(dir.path(), &[]);
        let file = host.paths.config_file();
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let write = |text: &str| std::fs::write(&file, text).unwrap();
        write("version = 1\n[knowledge]\npath = \"~/notes\"\n[profiles.work]\nroots = [\"~/w\"]\n");
        let read = || {
            let sections = sections(&host);
            (sections.knowledge().path.to_owned(), sections.store().url.to_owned(), sections.profiles.len())
        };
        assert_eq!(read(), ("~/notes".to_owned(), "sqlite".to_owned(), 1));
        // Read from the cache: another text of the same identity would not be seen, a damaged cache is.
        let cached = cache_file(&host, &Project::default());
        let bytes = std::fs::read(&cached).unwrap();
        assert_eq!(read(), ("~/notes".to_owned(), "sqlite".to_owned(), 1));
        assert_eq!(std::fs::read(&cached).unwrap(), bytes, "it was not made again");
        std::fs::write(&cached, [&bytes[..bytes.len() - 3], b"xyz"].concat()).unwrap();
        assert_eq!(read().0, "~/notes");
        write("version = 1\n[knowledge]\npath = \"~/elsewhere\"\n");
        assert_eq!(read(), ("~/elsewhere".to_owned(), "sqlite".to_owned(), 0));
        let named = Host::in_home(dir.path(), &[("SPRAG_KNOWLEDGE_PATH", "/srv/k")]);
        assert_eq!(sections(&named).knowledge().path, "/srv/k");
    }

    #[test]
    fn the_password_of_a_server_is_in_no_cache() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::in_home(dir.path(), &[]);
        let file = host.paths.config_file();
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "version = 1\n[store]\nurl = \"postgres://me:hunter2@db/x\"\n").unwrap();
        for _ in 0..2 {
            assert_eq!(sections(&host).store().url, "postgres://me:hunter2@db/x");
        }
        let bytes = std::fs::read(cache_file(&host, &Project::default())).unwrap();
        assert!(!bytes.windows(7).any(|part| part == b"hunter2"));
    }
}
