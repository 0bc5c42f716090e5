//! What the templates are filled with: facts of the workspace, written in `Cargo.toml` and nowhere else, and names of platforms.

use crate::root;
use anyhow::Context as _;
use std::collections::BTreeMap;
use std::path::Path;

/// Stands for the owner of the repository until there is one. Nothing can be published with it.
pub(crate) const NO_OWNER: &str = "OWNER";

/// What is the same for every package.
#[derive(Clone)]
pub(crate) struct Facts {
    pub(crate) version: String,
    pub(crate) repository: String,
    pub(crate) owner: String,
    pub(crate) description: String,
    pub(crate) license: String,
}

impl Facts {
    /// Reads them from the workspace's and the program's manifest.
    pub(crate) fn read() -> anyhow::Result<Self> {
        let table = |path: &str| -> anyhow::Result<toml::Table> {
            Ok(std::fs::read_to_string(root().join(path)).with_context(|| path.to_owned())?.parse()?)
        };
        let (workspace, program) = (table("Cargo.toml")?, table("crates/cli/Cargo.toml")?);
        let shared = |key: &str| {
            let value = workspace.get("workspace").and_then(|table| table.get("package")?.get(key)?.as_str());
            value.map(str::to_owned).with_context(|| format!("Cargo.toml has no workspace.package.{key}"))
        };
        let description = program.get("package").and_then(|package| package.get("description")?.as_str());
        let repository = shared("repository")?;
        let mut parts = repository.rsplit('/');
        let owner = parts.nth(1).context("the repository's address names no owner")?.to_owned();
        Ok(Self {
            version: shared("version")?,
            owner,
            description: description.context("crates/cli/Cargo.toml has no description")?.to_owned(),
            license: shared("license")?,
            repository,
        })
    }

    /// The values that every template may name.
    pub(crate) fn values(&self) -> BTreeMap<String, String> {
        let pairs = [
            ("VERSION", &self.version),
            ("REPOSITORY", &self.repository),
            ("OWNER", &self.owner),
            ("DESCRIPTION", &self.description),
            ("LICENSE", &self.license),
        ];
        pairs.map(|(name, value)| (name.to_owned(), value.clone())).into()
    }
}

/// A file of `packaging/` with its values.
pub(crate) fn template(path: &str, values: &BTreeMap<String, String>) -> anyhow::Result<String> {
    let file = root().join("packaging").join(path);
    let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    fill(&text, values).with_context(|| format!("packaging/{path}"))
}

/// Replaces every `@NAME@`. A name without a value is an error; other `@` stay.
fn fill(text: &str, values: &BTreeMap<String, String>) -> anyhow::Result<String> {
    let is_name = |text: &str| {
        let (word, rest) = text.split_once(':').unwrap_or((text, "x"));
        !word.is_empty()
            && !rest.is_empty()
            && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            && rest.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('@') {
        out.push_str(before);
        if let Some((name, later)) = after.split_once('@').filter(|(name, _)| is_name(name)) {
            out.push_str(values.get(name).with_context(|| format!("nothing is known of @{name}@"))?);
            rest = later;
        } else {
            out.push('@');
            rest = after;
        }
    }
    out.push_str(rest);
    Ok(out)
}

/// A platform that is built for, under its names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Platform {
    pub(crate) target: &'static str,
    pub(crate) node_os: &'static str,
    pub(crate) node_cpu: &'static str,
    /// The platform tags of a wheel.
    pub(crate) wheel: &'static [&'static str],
    /// Debian's name of the processor; empty where there is no package.
    pub(crate) debian: &'static str,
}

const fn platform(
    target: &'static str,
    node_os: &'static str,
    node_cpu: &'static str,
    wheel: &'static [&'static str],
    debian: &'static str,
) -> Platform {
    Platform { target, node_os, node_cpu, wheel, debian }
}

/// The platforms of a release. A static binary runs with every C library, so that its wheel has the tags of both.
pub(crate) const PLATFORMS: [Platform; 5] = [
    platform(
        "x86_64-unknown-linux-musl",
        "linux",
        "x64",
        &["manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"],
        "amd64",
    ),
    platform(
        "aarch64-unknown-linux-musl",
        "linux",
        "arm64",
        &["manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"],
        "arm64",
    ),
    platform("x86_64-apple-darwin", "darwin", "x64", &["macosx_10_12_x86_64"], ""),
    platform("aarch64-apple-darwin", "darwin", "arm64", &["macosx_11_0_arm64"], ""),
    platform("x86_64-pc-windows-msvc", "win32", "x64", &["win_amd64"], ""),
];

impl Platform {
    /// The platform with this target.
    pub(crate) fn find(target: &str) -> anyhow::Result<&'static Self> {
        let known = || PLATFORMS.map(|platform| platform.target).join(", ");
        PLATFORMS
            .iter()
            .find(|platform| platform.target == target)
            .with_context(|| format!("unknown target {target}; known: {}", known()))
    }

    /// This machine's.
    pub(crate) fn here() -> anyhow::Result<&'static Self> {
        let system = match std::env::consts::OS {
            "linux" => "unknown-linux-musl",
            "macos" => "apple-darwin",
            "windows" => "pc-windows-msvc",
            other => other,
        };
        Self::find(&format!("{}-{system}", std::env::consts::ARCH))
    }

    pub(crate) fn is_windows(&self) -> bool {
        self.node_os == "win32"
    }

    /// The program's file name.
    pub(crate) fn exe(&self) -> &'static str {
        if self.is_windows() { "sprag.exe" } else { "sprag" }
    }

    /// The name of the archive, as cargo-binstall and `install.sh` make it up.
    pub(crate) fn archive(&self) -> String {
        format!("sprag-{}.{}", self.target, if self.is_windows() { "zip" } else { "tar.gz" })
    }

    /// The name of the archive that Gemini CLI looks for among a release's files.
    pub(crate) fn extension(&self) -> String {
        let kind = if self.is_windows() { "zip" } else { "tar.gz" };
        format!("{}.{}.sprag.{kind}", self.node_os, self.node_cpu)
    }

    /// The wheel's name, tags included.
    pub(crate) fn wheel_name(&self, version: &str) -> String {
        format!("sprag_cli-{version}-py3-none-{}.whl", self.wheel.join("."))
    }

    /// The npm package's name without its scope, as `npm pack` names the file of it.
    pub(crate) fn npm_name(&self) -> String {
        format!("cli-{}-{}", self.node_os, self.node_cpu)
    }
}

/// True when an ELF program needs a dynamic linker; `false` for every other format.
pub(crate) fn is_dynamic(program: &[u8]) -> bool {
    const INTERPRETER: u32 = 3;
    let number = |at: usize, bytes: usize| -> Option<u64> {
        let found = program.get(at..at + bytes)?;
        Some(found.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    };
    if program.get(..5) != Some(b"\x7fELF\x02") {
        return false;
    }
    let table = || Some((number(32, 8)?, number(54, 2)?, number(56, 2)?));
    let Some((start, size, count)) = table() else { return false };
    (0..count).any(|index| number((start + index * size) as usize, 4) == Some(u64::from(INTERPRETER)))
}

/// The profile's folder where `./install` leaves the binary.
pub(crate) fn built(profile: &str, platform: &Platform) -> std::path::PathBuf {
    let linux = platform.node_os == "linux";
    let folder = if linux { crate::target().join(platform.target) } else { crate::target() };
    folder.join(profile).join(Path::new(platform.exe()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]
    use super::*;

    #[test]
    fn templates_are_filled_and_scopes_of_npm_stay() {
        let values = BTreeMap::from([("VERSION".to_owned(), "1.2.3".to_owned())]);
        let filled = fill("\"@sprag/cli-x\": \"@VERSION@\", you@host @ @VERSION@@", &values).unwrap();
        assert_eq!(filled, "\"@sprag/cli-x\": \"1.2.3\", you@host @ 1.2.3@");
        assert!(fill("@VERSOIN@", &values).is_err());
        assert!(fill("@SHA256:a-b.tar.gz@", &values).unwrap_err().to_string().contains("SHA256:a-b.tar.gz"));
    }

    #[test]
    fn every_platform_has_its_names() {
        let here = Platform::find("x86_64-unknown-linux-musl").unwrap();
        assert_eq!(here.archive(), "sprag-x86_64-unknown-linux-musl.tar.gz");
        assert_eq!(here.extension(), "linux.x64.sprag.tar.gz");
        assert_eq!(
            here.wheel_name("1.0.0"),
            "sprag_cli-1.0.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl"
        );
        let windows = Platform::find("x86_64-pc-windows-msvc").unwrap();
        assert_eq!(
            (windows.archive().as_str(), windows.exe()),
            ("sprag-x86_64-pc-windows-msvc.zip", "sprag.exe")
        );
        assert!(Platform::find("sparc").is_err());
    }

    #[test]
    fn this_test_program_is_recognised_for_what_it_is() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(is_dynamic(&own), cfg!(all(target_os = "linux", target_env = "gnu")));
        assert!(!is_dynamic(b"\x7fELF\x02") && !is_dynamic(b"MZ"));
    }
}
