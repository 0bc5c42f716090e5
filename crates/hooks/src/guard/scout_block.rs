//! scout-block: folders that fill the context and hold nothing to read (`.spragignore`), and globs that match everything.
//! Build commands pass; the search term of a grep is no path; absolute paths count from the project's root.

use sprag_base::files::read_limited;
use sprag_base::glob::{IgnoreRules, Ignored};
use sprag_config::settings;
use sprag_guard::shell;
use sprag_protocol::{Access, Event, EventKind, ToolCall, ToolKind};
use sprag_runtime::hook::{Builtin, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_shell::EffectKind;
use std::path::{Path, PathBuf};

settings! {
    struct ScoutBlockSettings<'a> {
        /// what is not read when the project has no .spragignore; writing there passes
        ignore: Texts = [
                    "node_modules",
                    "dist",
                    "build",
                    ".next",
                    ".nuxt",
                    "__pycache__",
                    ".venv",
                    "venv",
                    "vendor",
                    "target",
                    ".git",
                    "coverage",
                ], tighten Add;
        /// globs that match every file of the project are stopped
        broad_globs: bool = true, tighten ToTrue;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "scout-block",
        family: Family::Guard,
        summary: "keeps the model out of what .spragignore names and away from globs that match everything",
        sees: &[Sees { kind: EventKind::PreToolUse, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: ScoutBlockSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// The files with rules in a folder, ours first; the next is read when the one before is not there.
const IGNORE_FILES: [&str; 2] = [".spragignore", ".ckignore"];
/// At the project's root also where the reference keeps its own.
const ROOT_IGNORE_FILES: [&str; 3] = [".spragignore", ".ckignore", ".claude/.ckignore"];

/// A path that a call looks at.
struct Looked {
    /// From the root.
    path: String,
    reads: bool,
    /// It is searched through, so it is a folder.
    folder: bool,
}

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: ScoutBlockSettings<'_> = cx.settings.read();
    let Some(tool) = &event.tool else { return Ok(Reply::pass()) };
    if settings.broad_globs
        && let Some(reply) = broad(event, cx)
    {
        return Ok(reply);
    }
    let looked = match tool.kind {
        ToolKind::Shell => in_command(event, cx),
        ToolKind::Agent | ToolKind::Fetch => Vec::new(),
        _ => in_call(tool, event),
    };
    for Looked { path, reads, folder } in looked {
        if let Some(rule) = ignored(cx, &path, reads, folder) {
            let shown = Path::new(&path)
                .strip_prefix(&cx.project.root)
                .unwrap_or(Path::new(&path))
                .display()
                .to_string();
            return Ok(Reply::deny(format!(
                "{shown} is kept out of the conversation by the rule `{rule}`. Look at the project's own sources \
                 instead. If exactly this is needed, the user can add the line `!{shown}` to .spragignore. [scout:ignored]"
            )));
        }
    }
    Ok(Reply::pass())
}

/// The paths that a command shows. What a build, an install or a deletion does there is its own business.
fn in_command(event: &Event, cx: &Cx<'_>) -> Vec<Looked> {
    let Some((analysis, _)) = shell::analysis(event, cx) else { return Vec::new() };
    analysis
        .effects
        .iter()
        .filter_map(|effect| match &effect.kind {
            EffectKind::Read(path) => Some(Looked { path: path.full.clone(), reads: true, folder: false }),
            _ => None,
        })
        .collect()
}

/// The paths that a file tool names. The pattern of a Glob is one, that of a Grep is what it looks for.
fn in_call(tool: &ToolCall, event: &Event) -> Vec<Looked> {
    let folder = matches!(tool.kind, ToolKind::Glob | ToolKind::Grep);
    let mut looked: Vec<Looked> = tool
        .paths
        .iter()
        .map(|used| Looked {
            path: sprag_shell::normalise(&used.path, &event.cwd),
            reads: used.access == Access::Read,
            folder,
        })
        .collect();
    let filter = match tool.kind {
        ToolKind::Glob => "pattern",
        ToolKind::Grep => "glob",
        _ => return looked,
    };
    let filter = event.tool_input().and_then(|input| input.get(filter)).and_then(serde_json::Value::as_str);
    if let Some(folder) = filter.and_then(folder_of) {
        let base = looked.first().map_or(event.cwd.as_str(), |first| first.path.as_str());
        let path = sprag_shell::normalise(&folder, base);
        looked.push(Looked { path, reads: true, folder: true });
    }
    looked
}

/// The folder that a pattern looks into; any name stands for a `*`.
fn folder_of(pattern: &str) -> Option<String> {
    if pattern.starts_with('!') {
        return None;
    }
    let (folder, _) = pattern.rsplit_once('/')?;
    let names: Vec<&str> =
        folder.split('/').map(|name| if name.contains(['*', '?', '[', '{']) { "-" } else { name }).collect();
    Some(names.join("/"))
}

/// The rule that keeps a path out. Rules of files nearer to the path come later and win.
fn ignored(cx: &Cx<'_>, path: &str, reads: bool, is_folder: bool) -> Option<String> {
    let root = &cx.project.root;
    let relative = Path::new(path).strip_prefix(root).ok()?;
    if relative.as_os_str().is_empty() || root.as_os_str().is_empty() {
        return None;
    }
    let mut verdict = Ignored::No;
    let folders = relative.ancestors().skip(1).collect::<Vec<&Path>>();
    for folder in folders.into_iter().rev() {
        let at_root = folder.as_os_str().is_empty();
        let files: &[&str] = if at_root { &ROOT_IGNORE_FILES } else { &IGNORE_FILES };
        let rules = rules_in(&root.join(folder), files).or_else(|| {
            // A file at the root stands in place of the defaults; one further down adds to them.
            if at_root && reads { defaults(cx, relative) } else { None }
        });
        let Some(rules) = rules else { continue };
        let below = relative.strip_prefix(folder).unwrap_or(relative);
        match rules.check(&below.to_string_lossy(), is_folder) {
            Ignored::No => {}
            said => verdict = said,
        }
    }
    match verdict {
        Ignored::By(rule) => Some(rule),
        Ignored::No | Ignored::Allowed(_) => None,
    }
}

/// The rules for a project without a file of its own, when they may have something to say. Most are plain names, and
/// most paths have none of them.
fn defaults(cx: &Cx<'_>, relative: &Path) -> Option<IgnoreRules> {
    let settings: ScoutBlockSettings<'_> = cx.settings.read();
    let plain = |name: &str| !name.contains(['*', '?', '[', '\\', '/', '!', '#', ' ']);
    let speaks = |name: &str| !plain(name) || relative.iter().any(|part| part == name);
    settings.ignore.iter().any(speaks).then(|| IgnoreRules::parse(&settings.ignore.to_vec().join("\n")))
}

/// The rules of a folder's ignore file; an empty file means the defaults, as if it were not there.
fn rules_in(folder: &Path, files: &[&str]) -> Option<IgnoreRules> {
    files.iter().find_map(|name| {
        let bytes = read_limited(&folder.join(name), 256 << 10).ok()??;
        let rules = IgnoreRules::parse(&String::from_utf8_lossy(&bytes));
        (!rules.is_empty()).then_some(rules)
    })
}

/// Stops a search for every file there is, with narrower ones that would work here.
fn broad(event: &Event, cx: &Cx<'_>) -> Option<Reply> {
    let tool = event.tool.as_ref().filter(|tool| tool.kind == ToolKind::Glob)?;
    let pattern = event.tool_input()?.get("pattern")?.as_str()?;
    let root = &cx.project.root;
    let base = tool
        .paths
        .first()
        .map_or_else(|| event.cwd.clone(), |used| sprag_shell::normalise(&used.path, &event.cwd));
    let (base, pattern) = match pattern.strip_prefix('/') {
        // An absolute pattern brings its own base along.
        Some(_) => {
            let stars = pattern.find(['*', '?', '[', '{'])?;
            let cut = pattern.get(..stars)?.rfind('/')?;
            (PathBuf::from(pattern.get(..cut)?), pattern.get(cut + 1..)?)
        }
        None => (PathBuf::from(base), pattern),
    };
    let everything =
        matches!(pattern, "**" | "**/*" | "**/.*" | "**/*.*" | "**/**" | "*/**" | "./**" | "./**/*");
    let wide = base == *root || root.starts_with(&base);
    if !(everything && wide) {
        return None;
    }
    let narrower = suggestions(root);
    let instead = if narrower.is_empty() {
        "Name a folder and an ending.".to_owned()
    } else {
        format!("Try one of: {}.", narrower.join(", "))
    };
    Some(Reply::deny(format!(
        "The pattern `{pattern}` matches every file of the project. {instead} [scout:broad-glob]"
    )))
}

/// Up to four folders of the project that hold sources.
fn suggestions(root: &Path) -> Vec<String> {
    const USUAL: [&str; 14] = [
        "src", "lib", "app", "apps", "packages", "crates", "cmd", "internal", "pkg", "server", "client",
        "tests", "test", "docs",
    ];
    USUAL.iter().filter(|name| root.join(name).is_dir()).take(4).map(|name| format!("{name}/**/*")).collect()
}
