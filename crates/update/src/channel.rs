//! Who installed the program: read from its path and the receipt of the install script. Paths of Windows are read on every system.

use serde_json::Value;
use sprag_base::files;
use std::path::{Path, PathBuf};

/// The largest receipt.
const MAX_RECEIPT: u64 = 64 << 10;

/// What the install script noted: where the program came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The address of the release's files.
    pub base: String,
    /// The platform of the program.
    pub target: String,
}

/// How the program came here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Channel {
    /// `install.sh` or `install.ps1`.
    Script(Receipt),
    /// npm, or the package manager that uses its registry.
    Npm(&'static str),
    /// The cache of `npx`.
    Npx,
    /// pip, in a virtual environment.
    Pip,
    /// pipx.
    Pipx,
    /// `uv tool install`.
    Uv,
    /// The cache of `uvx`.
    Uvx,
    /// `cargo install` or `cargo binstall`.
    Cargo,
    /// Homebrew.
    Homebrew,
    /// Nix.
    Nix,
    /// The Debian package.
    Debian,
    /// Built from source, or copied by hand.
    Source,
}

impl Channel {
    /// The channel of a program.
    pub fn of(exe: &Path) -> Self {
        let receipt = || {
            let file = receipt_file(exe)?;
            let text = files::read_text(file, MAX_RECEIPT).ok()?;
            parse_receipt(&text)
        };
        let beside =
            |name: &str| exe.parent().and_then(Path::parent).is_some_and(|root| root.join(name).is_file());
        by_path(
            &exe.to_string_lossy(),
            beside("pyvenv.cfg"),
            Path::new("/var/lib/dpkg/info/sprag.list").is_file(),
        )
        .unwrap_or_else(|| receipt().map_or(Self::Source, Self::Script))
    }

    /// Its name, for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Script(_) => "script",
            Self::Npm(_) => "npm",
            Self::Npx => "npx",
            Self::Pip => "pip",
            Self::Pipx => "pipx",
            Self::Uv => "uv",
            Self::Uvx => "uvx",
            Self::Cargo => "cargo",
            Self::Homebrew => "homebrew",
            Self::Nix => "nix",
            Self::Debian => "debian",
            Self::Source => "source",
        }
    }

    /// The command that updates it; none where sprag does it itself.
    pub fn update(&self) -> Option<String> {
        Some(match self {
            Self::Script(receipt) if receipt.target.contains("windows") => {
                format!("irm {}/install.ps1 | iex", receipt.base)
            }
            Self::Script(_) => return None,
            Self::Npm(manager) => format!("{manager} @sprag/cli@latest"),
            Self::Npx => "npx @sprag/cli@latest".to_owned(),
            Self::Pip => "pip install --upgrade sprag-cli".to_owned(),
            Self::Pipx => "pipx upgrade sprag-cli".to_owned(),
            Self::Uv => "uv tool upgrade sprag-cli".to_owned(),
            Self::Uvx => "uvx --from sprag-cli@latest sprag".to_owned(),
            Self::Cargo => "cargo install --locked sprag".to_owned(),
            Self::Homebrew => "brew upgrade sprag".to_owned(),
            Self::Nix => "nix profile upgrade sprag".to_owned(),
            Self::Debian => "apt-get install --only-upgrade sprag".to_owned(),
            Self::Source => "git pull && ./install".to_owned(),
        })
    }

    /// The command that removes it; none where its file is all there is.
    pub fn remove(&self) -> Option<&'static str> {
        Some(match self {
            Self::Npm("pnpm add -g") => "pnpm remove -g @sprag/cli",
            Self::Npm("bun add -g") => "bun remove -g @sprag/cli",
            Self::Npm(_) => "npm uninstall -g @sprag/cli",
            Self::Npx => "npm cache clean --force",
            Self::Pip => "pip uninstall sprag-cli",
            Self::Pipx => "pipx uninstall sprag-cli",
            Self::Uv => "uv tool uninstall sprag-cli",
            Self::Uvx => "uv cache clean sprag-cli",
            Self::Cargo => "cargo uninstall sprag",
            Self::Homebrew => "brew uninstall sprag",
            Self::Nix => "nix profile remove sprag",
            Self::Debian => "apt-get remove sprag",
            Self::Script(_) | Self::Source => return None,
        })
    }

    /// The command that installs it for good, when it runs from a cache that its owner may empty.
    pub fn install_for_good(&self) -> Option<&'static str> {
        match self {
            Self::Npx => Some("npm install -g @sprag/cli"),
            Self::Uvx => Some("uv tool install sprag-cli"),
            _ => None,
        }
    }
}

/// Where the install script leaves its receipt: `PREFIX/share/sprag/installed.json` for `PREFIX/bin/sprag`.
fn receipt_file(exe: &Path) -> Option<PathBuf> {
    let folder = exe.parent()?;
    folder
        .ends_with("bin")
        .then(|| folder.parent().map(|prefix| prefix.join("share/sprag/installed.json")))?
}

fn parse_receipt(text: &str) -> Option<Receipt> {
    let value: Value = serde_json::from_str(text).ok()?;
    let word = |key: &str| value.get(key)?.as_str().map(str::to_owned);
    (word("channel")? == "script").then_some(())?;
    Some(Receipt { base: word("base")?, target: word("target")? })
}

/// The channel that a path tells. A virtual environment and a Debian package are known by files elsewhere.
fn by_path(exe: &str, in_venv: bool, by_dpkg: bool) -> Option<Channel> {
    let path = exe.replace('\\', "/");
    let has = |part: &str| path.contains(part);
    Some(if has("/node_modules/@sprag/") || has("/node_modules/.pnpm/@sprag") {
        match () {
            () if has("/_npx/") => Channel::Npx,
            () if has("/.pnpm/") => Channel::Npm("pnpm add -g"),
            () if has("/.bun/") => Channel::Npm("bun add -g"),
            () => Channel::Npm("npm install -g"),
        }
    } else if has("/pipx/venvs/") {
        Channel::Pipx
    } else if has("/uv/tools/") {
        Channel::Uv
    } else if has("/uv/archive-") || has("/uv/environments-") || has("/uv/cache/") {
        Channel::Uvx
    } else if in_venv {
        Channel::Pip
    } else if has("/.cargo/bin/") {
        Channel::Cargo
    } else if has("/Cellar/") || has("/homebrew/") || has("/linuxbrew/") {
        Channel::Homebrew
    } else if path.starts_with("/nix/store/") {
        Channel::Nix
    } else if path == "/usr/bin/sprag" && by_dpkg {
        Channel::Debian
    } else {
        return None;
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_tells_the_package_manager() {
        for (path, name, update) in [
            (
                "/usr/lib/node_modules/@sprag/cli/node_modules/@sprag/cli-linux-x64/sprag",
                "npm",
                "npm install -g @sprag/cli@latest",
            ),
            (
                r"C:\Users\ada\AppData\Roaming\npm\node_modules\@sprag\cli-win32-x64\sprag.exe",
                "npm",
                "npm install -g @sprag/cli@latest",
            ),
            (
                "/h/.local/share/pnpm/global/5/.pnpm/@sprag+cli-linux-x64@1.0.0/node_modules/@sprag/cli-linux-x64/sprag",
                "npm",
                "pnpm add -g @sprag/cli@latest",
            ),
            ("/h/.npm/_npx/0a/node_modules/@sprag/cli-linux-x64/sprag", "npx", "npx @sprag/cli@latest"),
            ("/h/.local/share/pipx/venvs/sprag-cli/bin/sprag", "pipx", "pipx upgrade sprag-cli"),
            ("/h/.local/share/uv/tools/sprag-cli/bin/sprag", "uv", "uv tool upgrade sprag-cli"),
            (
                r"C:\Users\ada\AppData\Roaming\uv\tools\sprag-cli\Scripts\sprag.exe",
                "uv",
                "uv tool upgrade sprag-cli",
            ),
            ("/h/.cache/uv/archive-v0/x/bin/sprag", "uvx", "uvx --from sprag-cli@latest sprag"),
            ("/h/.cargo/bin/sprag", "cargo", "cargo install --locked sprag"),
            (r"C:\Users\ada\.cargo\bin\sprag.exe", "cargo", "cargo install --locked sprag"),
            ("/opt/homebrew/Cellar/sprag/1.0.0/bin/sprag", "homebrew", "brew upgrade sprag"),
            ("/home/linuxbrew/.linuxbrew/bin/sprag", "homebrew", "brew upgrade sprag"),
            ("/nix/store/abc-sprag-1.0.0/bin/sprag", "nix", "nix profile upgrade sprag"),
        ] {
            let channel = by_path(path, false, false).unwrap();
            assert_eq!((channel.name(), channel.update().as_deref()), (name, Some(update)), "{path}");
            assert!(channel.remove().is_some(), "{path}");
            assert_eq!(channel.install_for_good().is_some(), ["npx", "uvx"].contains(&name), "{path}");
        }
        assert_eq!(by_path("/srv/venv/bin/sprag", true, false), Some(Channel::Pip));
        assert_eq!(by_path("/usr/bin/sprag", false, true), Some(Channel::Debian));
        for unknown in ["/usr/bin/sprag", "/home/ada/.local/bin/sprag", r"C:\tools\bin\sprag.exe"] {
            assert_eq!(by_path(unknown, false, false), None);
        }
    }

    #[test]
    fn a_receipt_beside_the_program_tells_the_script() {
        let dir = tempfile::tempdir().unwrap();
        let exe = dir.path().join("bin/sprag");
        assert_eq!(Channel::of(&exe), Channel::Source);
        let file = dir.path().join("share/sprag/installed.json");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "{\"channel\": \"script\", \"base\": \"https://x\", \"target\": \"t\"}\n")
            .unwrap();
        let receipt = Receipt { base: "https://x".to_owned(), target: "t".to_owned() };
        assert_eq!(Channel::of(&exe), Channel::Script(receipt));
        for broken in
            ["", "[]", "{\"channel\": \"script\"}", "{\"channel\": \"x\", \"base\": \"\", \"target\": \"\"}"]
        {
            std::fs::write(&file, broken).unwrap();
            assert_eq!(Channel::of(&exe), Channel::Source, "{broken}");
        }
    }

    #[test]
    fn on_windows_the_script_replaces_the_program() {
        let receipt = Receipt { base: "https://x".to_owned(), target: "x86_64-pc-windows-msvc".to_owned() };
        assert_eq!(Channel::Script(receipt).update().unwrap(), "irm https://x/install.ps1 | iex");
    }
}
