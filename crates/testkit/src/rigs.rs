//! How the further agents are installed, configured and run for one prompt: one entry each.
//! The four that every behaviour is tested with are in `agents`, `home` and `run`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::agents::{Agent, platform};
use crate::cmd::Cmd;
use crate::home::{KEY, Sandbox};
use crate::model::{Block, tool};

/// Where an agent comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// npm; with a newer Node.js of its own where it needs one.
    Npm { own_node: bool },
    /// The Python package index, into a virtual environment.
    Pip,
}

/// One agent.
pub(crate) struct Rig {
    /// The package.
    pub(crate) package: &'static str,
    /// The version that the tests run with.
    pub(crate) version: &'static str,
    pub(crate) source: Source,
    /// The program below the folder that it was installed to.
    pub(crate) program: fn(&Path) -> PathBuf,
    /// Variables, for the model at the URL.
    pub(crate) env: fn(&Sandbox, &str) -> Vec<(&'static str, String)>,
    /// Settings that no variable or argument can give.
    pub(crate) prepare: fn(&Sandbox, &str),
    /// The arguments of a run for one prompt.
    pub(crate) arguments: fn(&Sandbox, &str) -> Vec<String>,
    /// A call of its shell tool.
    pub(crate) shell: fn(&str) -> Block,
    /// A call that writes a file.
    pub(crate) write: fn(&Path) -> Block,
}

/// The folder of npm's packages.
fn modules(prefix: &Path) -> PathBuf {
    prefix.join("node_modules")
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn project(sandbox: &Sandbox) -> String {
    sandbox.project().display().to_string()
}

static COPILOT: Rig = Rig {
    package: "@github/copilot",
    version: "1.0.102",
    source: Source::Npm { own_node: false },
    program: |prefix| modules(prefix).join(format!("@github/copilot-{}/copilot", platform())),
    env: |_, url| {
        let mut env = vec![("COPILOT_PROVIDER_BASE_URL", format!("{url}/v1"))];
        env.extend(
            [
                ("COPILOT_PROVIDER_TYPE", "openai"),
                ("COPILOT_PROVIDER_API_KEY", KEY),
                ("COPILOT_MODEL", "gpt-4"),
                ("COPILOT_PROVIDER_WIRE_MODEL", "scripted"),
                ("COPILOT_ALLOW_ALL", "1"),
                ("COPILOT_OFFLINE", "true"),
            ]
            .map(|(name, value)| (name, value.to_owned())),
        );
        env
    },
    prepare: |_, _| {},
    arguments: |_, prompt| words(&["-p", prompt, "--allow-all", "--no-auto-update", "--stream", "off"]),
    shell: |command| tool("bash", json!({"command": command, "description": "a test"})),
    write: |path| tool("create", json!({"path": path, "file_text": "heron\n"})),
};

/// The settings of OpenCode and of its descendant.
fn opencode_settings(url: &str) -> String {
    json!({
        "provider": {"scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": format!("{url}/v1"), "apiKey": KEY},
            "models": {"scripted": {}},
        }},
        "autoupdate": false,
    })
    .to_string()
}

/// It would fetch the types for plugins, which no test needs.
fn no_registry() -> [(&'static str, String); 2] {
    [("npm_config_registry", "http://127.0.0.1:1/".to_owned()), ("npm_config_fetch_retries", "0".to_owned())]
}

fn opencode_arguments(sandbox: &Sandbox, prompt: &str) -> Vec<String> {
    words(&["run", "--model", "scripted/scripted", "--auto", "--dir", &project(sandbox), prompt])
}

fn opencode_shell(command: &str) -> Block {
    tool("bash", json!({"command": command, "description": "a test"}))
}

fn opencode_write(path: &Path) -> Block {
    tool("write", json!({"filePath": path, "content": "heron\n"}))
}

static OPENCODE: Rig = Rig {
    package: "opencode-ai",
    version: "1.18.33",
    source: Source::Npm { own_node: false },
    program: |prefix| modules(prefix).join(format!("opencode-{}/bin/opencode", platform())),
    env: |_, _| {
        let off =
            ["OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD"];
        off.map(|name| (name, "1".to_owned())).into_iter().chain(no_registry()).collect()
    },
    prepare: |sandbox, url| {
        sandbox.write_home(".config/opencode/opencode.json", opencode_settings(url));
    },
    arguments: opencode_arguments,
    shell: opencode_shell,
    write: opencode_write,
};

static KILO: Rig = Rig {
    package: "@kilocode/cli",
    version: "7.7.7",
    source: Source::Npm { own_node: false },
    program: |prefix| modules(prefix).join(format!("@kilocode/cli-{}/bin/kilo", platform())),
    env: |_, _| {
        let off = ["KILO_DISABLE_AUTOUPDATE", "KILO_DISABLE_MODELS_FETCH", "KILO_DISABLE_LSP_DOWNLOAD"];
        off.map(|name| (name, "1".to_owned())).into_iter().chain(no_registry()).collect()
    },
    prepare: |sandbox, url| {
        sandbox.write_home(".config/kilo/kilo.json", opencode_settings(url));
    },
    arguments: opencode_arguments,
    shell: opencode_shell,
    write: opencode_write,
};

static GROK: Rig = Rig {
    package: "@xai-official/grok",
    version: "1.0.41",
    source: Source::Npm { own_node: false },
    program: |prefix| modules(prefix).join(".bin/grok"),
    env: |_, _| {
        vec![
            ("MOCK_KEY", KEY.to_owned()),
            ("GROK_TELEMETRY_DISABLED", "1".to_owned()),
            ("GROK_DISABLE_AUTO_UPDATE", "1".to_owned()),
        ]
    },
    prepare: |sandbox, url| {
        let settings = format!(
            "[model.scripted]\nmodel = \"scripted\"\nbase_url = \"{url}/v1\"\nenv_key = \"MOCK_KEY\"\n\
             api_backend = \"responses\"\n[models]\ndefault = \"scripted\"\n"
        );
        sandbox.write_home(".grok/config.toml", settings);
    },
    arguments: |_, prompt| {
        words(&[
            "-p", prompt, "--model", "scripted", "--always-approve", "--disable-web-search", "--no-memory",
            "--max-turns", "12",
        ])
    },
    shell: |command| tool("run_terminal_command", json!({"command": command, "description": "a test"})),
    write: |path| tool("write", json!({"file_path": path, "content": "heron\n"})),
};

static KIMI: Rig = Rig {
    package: "@moonshot-ai/kimi-code",
    version: "2.1.0",
    source: Source::Npm { own_node: true },
    program: |prefix| modules(prefix).join(".bin/kimi"),
    env: |_, _| {
        ["KIMI_DISABLE_TELEMETRY", "KIMI_CLI_NO_AUTO_UPDATE"].map(|name| (name, "1".to_owned())).to_vec()
    },
    // Its hooks are in the same file.
    prepare: |sandbox, url| {
        let path = sandbox.home().join(".kimi-code/config.toml");
        let hooks = std::fs::read_to_string(&path).unwrap_or_default();
        if !hooks.contains("[providers.scripted]") {
            let settings = format!(
                "default_model = \"scripted\"\ntelemetry = false\n[providers.scripted]\ntype = \"openai\"\n\
                 base_url = \"{url}/v1\"\napi_key = \"{KEY}\"\n[models.scripted]\nprovider = \"scripted\"\n\
                 model = \"scripted\"\nmax_context_size = 100000\n{hooks}"
            );
            sandbox.write_home(".kimi-code/config.toml", settings);
        }
    },
    arguments: |_, prompt| words(&["-p", prompt]),
    shell: |command| tool("Bash", json!({"command": command, "description": "a test"})),
    write: |path| tool("Write", json!({"path": path, "content": "heron\n"})),
};

static CLINE: Rig = Rig {
    package: "cline",
    version: "3.0.65",
    source: Source::Npm { own_node: false },
    program: |prefix| modules(prefix).join(format!("@cline/cli-{}/bin/cline", platform())),
    env: |_, _| {
        ["CLINE_TELEMETRY_DISABLED", "CLINE_NO_AUTO_UPDATE"].map(|name| (name, "1".to_owned())).to_vec()
    },
    prepare: |sandbox, url| {
        let providers = json!({
            "version": 1,
            "lastUsedProvider": "openai-compatible",
            "providers": {"openai-compatible": {
                "settings": {
                    "provider": "openai-compatible", "apiKey": KEY, "model": "scripted",
                    "baseUrl": format!("{url}/v1"),
                },
                "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual",
            }},
        });
        sandbox.write_home(".cline/data/settings/providers.json", providers.to_string());
    },
    arguments: |_, prompt| {
        words(&[
            "--provider", "openai-compatible", "--key", KEY, "--model", "scripted", "--auto-approve", "true",
            prompt,
        ])
    },
    shell: |command| tool("run_commands", json!({"commands": [{"command": command}]})),
    write: |path| tool("editor", json!({"path": path, "new_text": "heron\n"})),
};

static DROID: Rig = Rig {
    package: "droid",
    version: "0.215.0",
    source: Source::Npm { own_node: false },
    program: |prefix| modules(prefix).join(format!("@factory/cli-{}/bin/droid", platform())),
    env: |_, url| {
        vec![
            ("FACTORY_API_KEY", KEY.to_owned()),
            ("FACTORY_API_BASE_URL", url.to_owned()),
            ("FACTORY_TELEMETRY_DISABLED", "1".to_owned()),
        ]
    },
    prepare: |sandbox, url| {
        let model = json!([{
            "model": "scripted", "displayName": "scripted", "baseUrl": format!("{url}/v1"), "apiKey": KEY,
            "provider": "generic-chat-completion-api", "maxOutputTokens": 1000,
        }]);
        let settings = json!({"customModels": model, "cloudSessionSync": false});
        crate::home::fill(sandbox.home().join(".factory/settings.json"), &settings);
    },
    arguments: |sandbox, prompt| {
        words(&[
            "exec",
            "--model",
            "custom:scripted-0",
            "--skip-permissions-unsafe",
            "--cwd",
            &project(sandbox),
            prompt,
        ])
    },
    shell: |command| tool("Execute", json!({"command": command, "summary": "a test"})),
    write: |path| tool("Create", json!({"file_path": path, "content": "heron\n"})),
};

static HERMES: Rig = Rig {
    package: "hermes-agent",
    version: "0.19.0",
    source: Source::Pip,
    program: |prefix| prefix.join("bin/hermes"),
    env: |sandbox, _| vec![("HERMES_HOME", sandbox.home().join(".hermes").display().to_string())],
    prepare: |sandbox, url| {
        let path = sandbox.home().join(".hermes/config.yaml");
        let hooks = std::fs::read_to_string(&path).unwrap_or_default();
        if !hooks.contains("provider: custom") {
            let settings = format!(
                "model:\n  default: scripted\n  provider: custom\n  base_url: {url}/v1\n  api_key: {KEY}\n  \
                 api_mode: chat_completions\n{hooks}"
            );
            sandbox.write_home(".hermes/config.yaml", settings);
        }
    },
    arguments: |_, prompt| {
        words(&["-z", prompt, "--provider", "custom", "--model", "scripted", "--yolo", "--accept-hooks"])
    },
    shell: |command| tool("terminal", json!({"command": command})),
    write: |path| tool("write_file", json!({"path": path, "content": "heron\n"})),
};

static PI: Rig = Rig {
    package: "@earendil-works/pi-coding-agent",
    version: "0.87.1",
    source: Source::Npm { own_node: true },
    program: |prefix| modules(prefix).join("@earendil-works/pi-coding-agent/dist/bundle/cli.js"),
    env: |_, _| ["PI_OFFLINE", "PI_SKIP_VERSION_CHECK"].map(|name| (name, "1".to_owned())).to_vec(),
    prepare: |sandbox, url| {
        let models = json!({"providers": {"scripted": {
            "baseUrl": format!("{url}/v1"), "api": "openai-completions", "apiKey": KEY,
            "models": [{"id": "scripted"}],
        }}});
        sandbox.write_home(".pi/agent/models.json", models.to_string());
    },
    arguments: |_, prompt| words(&["-p", "--provider", "scripted", "--model", "scripted", prompt]),
    shell: |command| tool("bash", json!({"command": command})),
    write: |path| tool("write", json!({"path": path, "content": "heron\n"})),
};

static AUGGIE: Rig = Rig {
    package: "@augmentcode/auggie",
    version: "0.36.0",
    source: Source::Npm { own_node: false },
    program: |prefix| modules(prefix).join(".bin/auggie"),
    // The server of the account is the scripted model.
    env: |_, url| {
        let session =
            json!({"accessToken": KEY, "tenantURL": format!("{url}/"), "scopes": ["read", "write"]});
        vec![("AUGMENT_SESSION_AUTH", session.to_string()), ("AUGMENT_DISABLE_AUTO_UPDATE", "1".to_owned())]
    },
    prepare: |_, _| {},
    arguments: |_, prompt| words(&["--print", "--quiet", prompt]),
    shell: |command| {
        tool("launch-process", json!({"command": command, "wait": true, "max_wait_seconds": 20, "cwd": "."}))
    },
    write: |path| tool("save-file", json!({"path": path, "file_content": "heron\n"})),
};

/// Its program is in a package of its own for each platform.
const GOOSE_PACKAGE: &str = if cfg!(target_os = "macos") {
    "@aaif/goose-binary-darwin-arm64"
} else if cfg!(target_arch = "aarch64") {
    "@aaif/goose-binary-linux-arm64"
} else {
    "@aaif/goose-binary-linux-x64"
};

static GOOSE: Rig = Rig {
    package: GOOSE_PACKAGE,
    version: "1.52.0",
    source: Source::Npm { own_node: false },
    program: |prefix| modules(prefix).join(GOOSE_PACKAGE).join("bin/goose"),
    env: |_, url| {
        let mut env = vec![("OPENAI_HOST", url.to_owned())];
        let fixed = [
            ("OPENAI_API_KEY", KEY),
            ("OPENAI_BASE_PATH", "v1/chat/completions"),
            ("GOOSE_PROVIDER", "openai"),
            ("GOOSE_MODEL", "scripted"),
            ("GOOSE_MODE", "auto"),
            ("GOOSE_DISABLE_KEYRING", "1"),
            ("GOOSE_DISABLE_SESSION_NAMING", "true"),
            ("GOOSE_TELEMETRY_ENABLED", "false"),
        ];
        env.extend(fixed.map(|(name, value)| (name, value.to_owned())));
        env
    },
    prepare: |_, _| {},
    arguments: |_, prompt| {
        words(&["run", "--text", prompt, "--with-builtin", "developer", "--max-turns", "12", "--quiet"])
    },
    shell: |command| tool("shell", json!({"command": command})),
    write: |path| tool("write", json!({"path": path, "content": "heron\n"})),
};

impl Agent {
    /// What there is about one of the further agents.
    pub(crate) fn rig(self) -> Option<&'static Rig> {
        Some(match self {
            Self::Claude | Self::Codex | Self::Gemini | Self::Qwen => return None,
            Self::Copilot => &COPILOT,
            Self::Opencode => &OPENCODE,
            Self::Grok => &GROK,
            Self::Kimi => &KIMI,
            Self::Cline => &CLINE,
            Self::Droid => &DROID,
            Self::Kilo => &KILO,
            Self::Hermes => &HERMES,
            Self::Pi => &PI,
            Self::Auggie => &AUGGIE,
            Self::Goose => &GOOSE,
        })
    }
}

impl Rig {
    /// How it is started; `None` when it is not there.
    pub(crate) fn argv(&self, prefix: &Path) -> Option<Vec<OsString>> {
        let program = (self.program)(prefix);
        if !program.exists() {
            return None;
        }
        let own_node = modules(prefix).join(format!("node-{}/bin/node", platform()));
        Some(match self.source {
            Source::Npm { own_node: true } => vec![own_node.into(), program.into()],
            _ => vec![program.into()],
        })
    }

    /// The version that is installed.
    pub(crate) fn version_in(&self, prefix: &Path) -> Option<String> {
        match self.source {
            Source::Npm { .. } => None,
            Source::Pip => {
                let python = std::fs::read_dir(prefix.join("lib")).ok()?.flatten().next()?.path();
                let start = format!("{}-", self.package.replace('-', "_"));
                let packages = std::fs::read_dir(python.join("site-packages")).ok()?.flatten();
                packages
                    .map(|entry| entry.file_name().to_string_lossy().into_owned())
                    .find_map(|name| Some(name.strip_prefix(&start)?.strip_suffix(".dist-info")?.to_owned()))
            }
        }
    }

    /// Packages beside its own.
    pub(crate) fn beside(&self) -> Vec<String> {
        match self.source {
            Source::Npm { own_node: true } => vec![format!("node-{}@22", platform())],
            _ => Vec::new(),
        }
    }

    /// Installs a Python package into a virtual environment.
    pub(crate) fn install_python(&self, folder: &Path, version: &str) -> Result<(), String> {
        let run = |program: &Path, args: &[&str]| {
            let output = Cmd::new(program)
                .args(args)
                .inherit_env()
                .timeout(std::time::Duration::from_secs(600))
                .try_spawn()
                .map_err(|error| error.to_string())?
                .wait();
            if output.code == Some(0) { Ok(()) } else { Err(output.stderr.trim().to_owned()) }
        };
        let spec = if version == "latest" {
            self.package.to_owned()
        } else {
            format!("{}=={version}", self.package)
        };
        run(Path::new("python3"), &["-m", "venv", &folder.display().to_string()])?;
        let python = folder.join("bin/python");
        run(
            &python,
            &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries=2", &spec],
        )
    }
}
