//! `cargo xtask dist`: packs one binary for its platform in every format that is published, then writes what is made from all
//! of them (checksums, the list of the release, formula, registry entry). Every format is written here, byte for byte the same
//! from the same binary; no packer needs to be installed.

mod facts;
mod pack;
mod sbom;

pub(crate) use facts::{Facts, NO_OWNER, PLATFORMS, Platform, template};

use crate::{root, sh};
use anyhow::Context as _;
use base64::Engine as _;
use pack::File;
use serde_json::{Value, json};
use sha2::Digest as _;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// The largest binary and the largest file that somebody downloads to get it, in bytes.
const MAX_BINARY: usize = 75_000_000;
const MAX_DOWNLOAD: usize = 35_000_000;
/// Shells, and where their completions go below `share`.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/sprag"),
    ("zsh", "zsh/site-functions/_sprag"),
    ("fish", "fish/vendor_completions.d/sprag.fish"),
];
/// The list of the release's files, for `sprag self update`.
pub(crate) const INDEX: &str = "release.json";
/// The checksums, for `install.sh` and people.
pub(crate) const SUMS: &str = "SHA256SUMS";

struct Args {
    bin: Option<PathBuf>,
    out: PathBuf,
    platform: &'static Platform,
    /// For trying: compresses quickly, and checks neither size nor linking.
    draft: bool,
}

impl Args {
    fn read(args: &[String]) -> anyhow::Result<Self> {
        let mut read =
            Self { bin: None, out: crate::target().join("dist"), platform: Platform::here()?, draft: false };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().with_context(|| format!("{arg} needs a value"));
            match arg.as_str() {
                "--bin" => read.bin = Some(value()?.into()),
                "--out" => read.out = value()?.into(),
                "--target" => read.platform = Platform::find(value()?)?,
                "--draft" => read.draft = true,
                other => anyhow::bail!("unknown argument {other}"),
            }
        }
        Ok(read)
    }
}

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    if let Some(place) = args.iter().position(|arg| arg == "--assemble") {
        let folder = args.get(place + 1).context("--assemble needs a folder")?;
        return assemble(Path::new(folder), &Facts::read()?);
    }
    let args = Args::read(args)?;
    let facts = Facts::read()?;
    let bin = match &args.bin {
        Some(bin) => bin.clone(),
        None => build(args.platform)?,
    };
    let made = Source::open(&bin, args.platform, &facts)?;
    if !args.draft {
        made.limits()?;
    }
    let level = if args.draft { 1 } else { 9 };
    std::fs::create_dir_all(&args.out)?;
    let mut downloads = Vec::new();
    // Compressing is all the work.
    std::thread::scope(|scope| -> anyhow::Result<()> {
        let formats: [Packer; 5] =
            [Source::archive, Source::npm, Source::wheel, Source::debian, Source::extension];
        let made = &made;
        let running = formats.map(|format| scope.spawn(move || format(made, level)));
        for thread in running {
            let artefact = thread.join().map_err(|_| anyhow::anyhow!("a packer panicked"))??;
            downloads.extend(artefact);
        }
        Ok(())
    })?;
    downloads.push(made.sbom()?);
    for Artefact { name, bytes } in &downloads {
        std::fs::write(args.out.join(name), bytes)?;
        anyhow::ensure!(
            args.draft || bytes.len() <= MAX_DOWNLOAD,
            "{name} has {} bytes, more than {MAX_DOWNLOAD}",
            bytes.len()
        );
    }
    assemble(&args.out, &facts)
}

/// Builds the published binary with `./install`, which knows how to link it statically.
fn build(platform: &'static Platform) -> anyhow::Result<PathBuf> {
    let scratch = tempfile::tempdir()?;
    sh(Command::new("./install").args(["--profile", "dist", "--prefix"]).arg(scratch.path()))?;
    Ok(facts::built("dist", platform))
}

/// Packs the source in one format, with this compression; none where the platform has no such package.
type Packer = fn(&Source, u32) -> anyhow::Result<Option<Artefact>>;

/// A file of a release.
struct Artefact {
    name: String,
    bytes: Vec<u8>,
}

/// What is packed: the binary, what it says itself, and the texts that go with it.
struct Source {
    platform: &'static Platform,
    facts: Facts,
    values: BTreeMap<String, String>,
    program: Arc<[u8]>,
    /// Completions and manual pages, below `share`.
    share: Vec<File>,
    licences: [File; 2],
    readme: File,
    /// The hooks that `sprag deploy` would register with Gemini CLI.
    extension_hooks: String,
}

impl Source {
    fn open(bin: &Path, platform: &'static Platform, facts: &Facts) -> anyhow::Result<Self> {
        let bin = std::path::absolute(bin)?;
        let program: Arc<[u8]> = std::fs::read(&bin).with_context(|| bin.display().to_string())?.into();
        let said = output(Command::new(&bin).arg("--version"))?;
        let wanted = format!("sprag {}", facts.version);
        anyhow::ensure!(
            said.trim() == wanted,
            "{} says `{}`, Cargo.toml `{wanted}`",
            bin.display(),
            said.trim()
        );
        let mut share = Vec::new();
        for (shell, place) in COMPLETIONS {
            share.push(File::text(place, &output(Command::new(&bin).args(["completions", shell]))?));
        }
        let scratch = tempfile::tempdir()?;
        output(Command::new(&bin).arg("man").arg(scratch.path()))?;
        let mut pages: Vec<PathBuf> =
            std::fs::read_dir(scratch.path())?.map(|page| Ok(page?.path())).collect::<anyhow::Result<_>>()?;
        pages.sort();
        for page in pages {
            let name = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
            share.push(File::new(format!("man/man1/{name}"), std::fs::read(&page)?));
        }
        let of_root = |name: &str| -> anyhow::Result<File> {
            Ok(File::new(name, std::fs::read(root().join(name)).with_context(|| name.to_owned())?))
        };
        let mut values = facts.values();
        let kb = (program.len() + share.iter().map(|file| file.bytes.len()).sum::<usize>()) / 1024;
        for (name, value) in [
            ("NODE_OS", platform.node_os),
            ("NODE_CPU", platform.node_cpu),
            ("EXE", platform.exe()),
            ("DEB_ARCH", platform.debian),
            ("INSTALLED_KB", &kb.to_string()),
        ] {
            values.insert(name.to_owned(), value.to_owned());
        }
        let tags: Vec<String> = platform.wheel.iter().map(|tag| format!("Tag: py3-none-{tag}")).collect();
        values.insert("TAGS".to_owned(), tags.join("\n"));
        Ok(Self {
            platform,
            facts: facts.clone(),
            values,
            program,
            share,
            licences: [of_root("LICENSE-MIT")?, of_root("LICENSE-APACHE")?],
            readme: of_root("README.md")?,
            extension_hooks: extension_hooks(&bin, platform)?,
        })
    }

    fn limits(&self) -> anyhow::Result<()> {
        let size = self.program.len();
        anyhow::ensure!(size <= MAX_BINARY, "the binary has {size} bytes, more than {MAX_BINARY}");
        anyhow::ensure!(
            !facts::is_dynamic(&self.program),
            "the binary needs a dynamic linker: ./install builds a static one (or pack it with --draft)"
        );
        Ok(())
    }

    fn exe(&self) -> File {
        File::program(self.platform.exe(), Arc::clone(&self.program))
    }

    fn packed(&self, files: &[File], level: u32) -> anyhow::Result<Vec<u8>> {
        if self.platform.is_windows() { pack::zip(files, level) } else { pack::tar_gz(files, level) }
    }

    /// The archive for people, `install.sh`, cargo-binstall and Homebrew: the binary at its root.
    fn archive(&self, level: u32) -> anyhow::Result<Option<Artefact>> {
        let mut files = vec![self.exe(), self.readme.clone()];
        files.extend(self.licences.clone());
        files.extend(self.share.iter().map(|file| file.at(format!("share/{}", file.name))));
        Ok(Some(Artefact { name: self.platform.archive(), bytes: self.packed(&files, level)? }))
    }

    /// The npm package of this platform.
    fn npm(&self, level: u32) -> anyhow::Result<Option<Artefact>> {
        let manifest = template("npm/platform/package.json", &self.values)?;
        let mut files = vec![
            File::text("package/package.json", &manifest),
            self.exe().at(format!("package/{}", self.platform.exe())),
        ];
        files.extend(self.licences.iter().map(|file| file.at(format!("package/{}", file.name))));
        let name = format!("sprag-{}-{}.tgz", self.platform.npm_name(), self.facts.version);
        Ok(Some(Artefact { name, bytes: pack::tar_gz(&files, level)? }))
    }

    /// The wheel: a folder of programs and the metadata, whose last file lists all others with their checksums.
    fn wheel(&self, level: u32) -> anyhow::Result<Option<Artefact>> {
        let base = format!("sprag_cli-{}", self.facts.version);
        let info = format!("{base}.dist-info");
        let mut files = vec![
            self.exe().at(format!("{base}.data/scripts/{}", self.platform.exe())),
            File::text(format!("{info}/METADATA"), &template("pypi/METADATA", &self.values)?),
            File::text(format!("{info}/WHEEL"), &template("pypi/WHEEL", &self.values)?),
        ];
        files.extend(self.licences.iter().map(|file| file.at(format!("{info}/licenses/{}", file.name))));
        let encoding = base64::engine::general_purpose::URL_SAFE_NO_PAD;
        let mut record = String::new();
        for file in &files {
            let digest = encoding.encode(sha2::Sha256::digest(&file.bytes));
            record.push_str(&format!("{},sha256={digest},{}\n", file.name, file.bytes.len()));
        }
        record.push_str(&format!("{info}/RECORD,,\n"));
        files.push(File::text(format!("{info}/RECORD"), &record));
        let name = self.platform.wheel_name(&self.facts.version);
        Ok(Some(Artefact { name, bytes: pack::zip(&files, level)? }))
    }

    /// The Debian package; none for other systems.
    fn debian(&self, level: u32) -> anyhow::Result<Option<Artefact>> {
        if self.platform.debian.is_empty() {
            return Ok(None);
        }
        let docs = "usr/share/doc/sprag";
        let mut files = vec![
            self.exe().at("usr/bin/sprag"),
            File::text(format!("{docs}/copyright"), &template("debian/copyright", &self.values)?),
        ];
        files.extend(self.licences.iter().map(|file| file.at(format!("{docs}/{}", file.name))));
        for file in &self.share {
            // Where Debian's zsh looks; its manual pages are compressed.
            let name = file.name.replace("zsh/site-functions", "zsh/vendor-completions");
            files.push(file.at(format!("usr/share/{name}")));
        }
        let control = [File::text("control", &template("debian/control", &self.values)?)];
        let bytes = pack::ar(&[
            ("debian-binary", b"2.0\n".to_vec()),
            ("control.tar.gz", pack::tar_gz_with_folders(&control, level)?),
            ("data.tar.gz", pack::tar_gz_with_folders(&files, level)?),
        ]);
        let name = format!("sprag_{}_{}.deb", self.facts.version, self.platform.debian);
        Ok(Some(Artefact { name, bytes }))
    }

    /// The archive that `gemini extensions install` takes from a release: the manifest at its root.
    fn extension(&self, level: u32) -> anyhow::Result<Option<Artefact>> {
        let manifest = template("gemini/gemini-extension.json", &self.values)?;
        let mut files = vec![
            File::text("gemini-extension.json", &manifest),
            File::text("hooks/hooks.json", &self.extension_hooks),
            self.exe(),
        ];
        files.extend(self.licences.clone());
        Ok(Some(Artefact { name: self.platform.extension(), bytes: self.packed(&files, level)? }))
    }

    fn sbom(&self) -> anyhow::Result<Artefact> {
        let bytes = sbom::write(self.platform.target)?.into_bytes();
        Ok(Artefact { name: format!("sprag-{}.cdx.json", self.platform.target), bytes })
    }
}

/// The hooks that `sprag deploy` registers in an empty home, with the extension's place for the binary's.
fn extension_hooks(bin: &Path, platform: &Platform) -> anyhow::Result<String> {
    let home = tempfile::tempdir()?;
    let mut deploy = Command::new(bin);
    deploy
        .args(["deploy", "--agent", "gemini"])
        .env_clear()
        .envs([("HOME", home.path()), ("USERPROFILE", home.path())]);
    output(deploy.env("SPRAG_WORKER", "off").current_dir(home.path()))?;
    let text = std::fs::read_to_string(home.path().join(".gemini/settings.json"))?;
    let settings: Value = serde_json::from_str(&text)?;
    let mut hooks =
        settings.get("hooks").cloned().context("sprag deploy registers no hook with Gemini CLI")?;
    let command = format!("\"${{extensionPath}}${{/}}{}\" hook --agent gemini", platform.exe());
    for handler in hooks
        .as_object_mut()
        .into_iter()
        .flat_map(|events| events.values_mut())
        .filter_map(Value::as_array_mut)
        .flatten()
        .filter_map(|group| group.get_mut("hooks")?.as_array_mut())
        .flatten()
    {
        if let Some(place) = handler.get_mut("command") {
            *place = command.clone().into();
        }
    }
    Ok(format!("{:#}\n", json!({ "hooks": hooks })))
}

/// Writes what is made from all artefacts in a folder: npm's launcher, scripts, checksums, the list, formula and entry.
fn assemble(folder: &Path, facts: &Facts) -> anyhow::Result<()> {
    let mut values = facts.values();
    let launcher = npm_launcher(facts, &values)?;
    std::fs::write(folder.join(format!("sprag-cli-{}.tgz", facts.version)), launcher)?;
    for script in ["install.sh", "install.ps1", "docker/Dockerfile", "mcp/server.json"] {
        let name = script.rsplit('/').next().unwrap_or(script);
        std::fs::write(folder.join(name), template(script, &values)?)?;
    }
    let sums = checksums(folder)?;
    for platform in &PLATFORMS {
        let name = platform.archive();
        // A formula that is made on one machine names what is still to come.
        let sum = sums.get(&name).map_or_else(|| "0".repeat(64), |(sum, _)| sum.clone());
        values.insert(format!("SHA256:{name}"), sum);
    }
    std::fs::write(folder.join("sprag.rb"), template("homebrew/sprag.rb", &values)?)?;
    let sums = checksums(folder)?;
    let target = |name: &str| {
        let mut platforms = PLATFORMS.iter();
        platforms.find(|platform| platform.archive() == name).map(|platform| platform.target)
    };
    let files: Vec<Value> = sums
        .iter()
        .map(|(name, (sum, size))| json!({"name": name, "target": target(name), "sha256": sum, "size": size}))
        .collect();
    let index = json!({"version": facts.version, "files": files});
    std::fs::write(folder.join(INDEX), format!("{index:#}\n"))?;
    let lines: String = sums.iter().map(|(name, (sum, _))| format!("{sum}  {name}\n")).collect();
    std::fs::write(folder.join(SUMS), lines)?;
    println!("xtask dist: {}", folder.display());
    for (name, (_, size)) in &sums {
        println!("  {:>10}  {name}", format!("{:.1} MB", *size as f64 / 1e6));
    }
    Ok(())
}

fn npm_launcher(facts: &Facts, values: &BTreeMap<String, String>) -> anyhow::Result<Vec<u8>> {
    let mut files = Vec::new();
    for name in ["package.json", "README.md", "bin/sprag.js"] {
        let text = template(&format!("npm/cli/{name}"), values)?;
        let file = File::text(format!("package/{name}"), &text);
        files.push(File { executable: name.starts_with("bin/"), ..file });
    }
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        files.push(File::new(format!("package/{name}"), std::fs::read(root().join(name))?));
    }
    pack::tar_gz(&files, 9).with_context(|| format!("@sprag/cli {}", facts.version))
}

/// The checksum and size of every file in a folder, but for those that list them.
pub(crate) fn checksums(folder: &Path) -> anyhow::Result<BTreeMap<String, (String, u64)>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_file() && name != SUMS && name != INDEX {
            let bytes = std::fs::read(&path)?;
            let sum = sha256(&bytes);
            found.insert(name, (sum, bytes.len() as u64));
        }
    }
    Ok(found)
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a command prints; its failure is an error with its own words.
fn output(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    let error = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "{command:?} failed ({}): {}", output.status, error.trim());
    Ok(String::from_utf8(output.stdout)?)
}
