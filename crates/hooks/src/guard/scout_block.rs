//! scout-block: folders that fill the context and hold nothing to read (`.spragignore`), and globs that match everything.
//! Build commands pass; the search term of a grep is no path; absolute paths count from the project's root.

use crate::shell;
use sprag_engine::files::read_limited;
use sprag_engine::glob::{IgnoreRules, Ignored};
use sprag_engine::hook::{Builtin, Cx, Family, HookResult, Presets, Reply, Sees};
use sprag_engine::settings::{Kind, Setting, Tighten};
use sprag_protocol::{Access, Event, EventKind, ToolKind};
use sprag_shell::EffectKind;
use std::path::{Path, PathBuf};

/// The hook.
pub const HOOK: Builtin = Builtin {
    name: "scout-block",
    family: Family::Guard,
    summary: "keeps the model out of what .spragignore names and away from globs that match everything",
    sees: &[Sees { kind: EventKind::PreToolUse, matcher: "" }],
    presets: Presets("sxw"),
    settings: &[
        Setting::new(
            "ignore",
            Kind::Texts(&[
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
            ]),
            "what is not read when the project has no .spragignore; writing there passes",
        )
        .tighten(Tighten::Add),
        Setting::new(
            "broad_globs",
            Kind::Bool(true),
            "globs that match every file of the project are stopped",
        )
        .tighten(Tighten::ToTrue),
    ],
    timeout_ms: 1_000,
    run,
};

/// The project's files with rules, ours first; the second is read when the first is not there.
const IGNORE_FILES: [&str; 2] = [".spragignore", ".ckignore"];

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let Some(tool) = &event.tool else { return Ok(Reply::pass()) };
    if cx.settings.flag("broad_globs")
        && let Some(reply) = broad(event, cx)
    {
        return Ok(reply);
    }
    let paths: Vec<(String, bool)> = match tool.kind {
        ToolKind::Shell => in_command(event, cx),
        ToolKind::Agent | ToolKind::Fetch => Vec::new(),
        _ => tool
            .paths
            .iter()
            .map(|used| (sprag_shell::normalise(&used.path, &event.cwd), used.access == Access::Read))
            .collect(),
    };
    for (path, reads) in paths {
        if let Some(rule) = ignored(cx, &path, reads) {
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
fn in_command(event: &Event, cx: &Cx<'_>) -> Vec<(String, bool)> {
    let Some((analysis, _)) = shell::analysis(event, cx) else { return Vec::new() };
    analysis
        .effects
        .iter()
        .filter_map(|effect| match &effect.kind {
            EffectKind::Read(path) => Some((path.full.clone(), true)),
            _ => None,
        })
        .collect()
}

/// The rule that keeps a path out. Rules of files nearer to the path come later and win.
fn ignored(cx: &Cx<'_>, path: &str, reads: bool) -> Option<String> {
    let root = &cx.project.root;
    let relative = Path::new(path).strip_prefix(root).ok()?;
    if relative.as_os_str().is_empty() || root.as_os_str().is_empty() {
        return None;
    }
    let mut own = false;
    let mut verdict = Ignored::No;
    let folders = relative.ancestors().skip(1).collect::<Vec<&Path>>();
    for folder in folders.into_iter().rev() {
        let Some(rules) = rules_in(&root.join(folder)) else { continue };
        own = true;
        let below = relative.strip_prefix(folder).unwrap_or(relative);
        match rules.check(&below.to_string_lossy(), false) {
            Ignored::No => {}
            said => verdict = said,
        }
    }
    if !own && reads {
        let defaults = IgnoreRules::parse(&cx.settings.texts("ignore").join("\n"));
        verdict = defaults.check(&relative.to_string_lossy(), false);
    }
    match verdict {
        Ignored::By(rule) => Some(rule),
        Ignored::No | Ignored::Allowed(_) => None,
    }
}

/// The rules of a folder's ignore file; an empty file means the defaults, as if it were not there.
fn rules_in(folder: &Path) -> Option<IgnoreRules> {
    IGNORE_FILES.iter().find_map(|name| {
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
