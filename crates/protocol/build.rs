//! Lists the recorded payloads under `recordings/` so that they are found by name at run time.
#![allow(clippy::disallowed_methods, reason = "a build script reads the crate's own files")]

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("recordings");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut rows = Vec::new();
    for agent in fs::read_dir(&root)? {
        let agent = agent?;
        for file in fs::read_dir(agent.path())? {
            let path = file?.path();
            let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            rows.push((format!("{}/{stem}", agent.file_name().to_string_lossy()), path));
        }
    }
    rows.sort();
    let mut out = String::from("/// Every recording, sorted by name.\npub static ALL: &[Recording] = &[\n");
    for (name, path) in rows {
        writeln!(
            out,
            "    Recording {{ name: {name:?}, text: include_str!({:?}) }},",
            path.display().to_string()
        )
        .map_err(io::Error::other)?;
    }
    out.push_str("];\n");
    fs::write(Path::new(&env::var("OUT_DIR").map_err(io::Error::other)?).join("recordings.rs"), out)
}
