//! scout-block: keeps masses of generated or foreign text out of the conversation. What lists, searches or globs a whole
//! ignored tree is stopped; a named file of ordinary size, and whatever runs, builds or writes there, passes.

use sprag_base::files::read_limited;
use sprag_base::glob::{self, IgnoreRules, Ignored};
use sprag_config::settings;
use sprag_guard::shell;
use sprag_protocol::{Access, Event, EventKind, ToolCall, ToolKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_shell::EffectKind;
use std::path::{Path, PathBuf};

settings! {
    struct ScoutBlockSettings<'a> {
        /// trees of generated or foreign text; `.spragignore` adds to them
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
        /// globs that match every file of the project are stopped too
        broad_globs: bool = false, tighten ToTrue, with Advice;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "scout-block",
        family: Family::Guard,
        summary: "stops listings and searches of whole trees of generated or foreign text, such as node_modules",
        bundle: Bundle::Guards,
        sees: &[Sees { kind: EventKind::PreToolUse, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: ScoutBlockSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// The files with rules in a folder, the one that wins last.
const IGNORE_FILES: [&str; 2] = [".ckignore", ".spragignore"];
/// At the project's root also where ClaudeKit keeps its own.
const ROOT_IGNORE_FILES: [&str; 3] = [".claude/.ckignore", ".ckignore", ".spragignore"];
/// The largest file that is of ordinary size, and the most that the files of one glob may have together.
const ORDINARY_BYTES: u64 = 256 << 10;
/// The most entries of a folder inside of an ignored tree that is searched as a whole.
const ORDINARY_ENTRIES: usize = 300;

/// What a call would bring into the conversation.
enum Looked {
    /// The content of a file, all of it.
    File(String),
    /// Names or matches of everything below a folder, or in a file.
    Tree(String),
    /// What a pattern matches: its names, or their content.
    Glob { pattern: String, content: bool },
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
        ToolKind::Read | ToolKind::Grep | ToolKind::Glob => in_call(tool, event),
        ToolKind::Mcp | ToolKind::Other if searches(&tool.name) => in_call(tool, event),
        _ => Vec::new(),
    };
    Ok(looked.iter().find_map(|looked| stopped(looked, cx)).unwrap_or_else(Reply::pass))
}

/// What a command prints. What a build, an install or a deletion does is its own business, and so is what a redirection,
/// `head` or `wc` keeps out of the conversation.
fn in_command(event: &Event, cx: &Cx<'_>) -> Vec<Looked> {
    let Some((analysis, _)) = shell::analysis(event, cx) else { return Vec::new() };
    let looked = analysis.effects.iter().filter_map(|effect| {
        let command = analysis.commands.get(effect.cmd).filter(|command| command.shown)?;
        let path = match &effect.kind {
            EffectKind::List(path) => path,
            EffectKind::Read(path) if command.prints_files() => path,
            _ => return None,
        };
        let listed = matches!(effect.kind, EffectKind::List(_));
        let full = path.full.clone();
        Some(match (path.glob, listed || command.selects()) {
            (true, listed) => Looked::Glob { pattern: full, content: !listed },
            (false, true) => Looked::Tree(full),
            (false, false) => Looked::File(full),
        })
    });
    looked.collect()
}

/// A tool of which only the name is known.
fn searches(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["search", "grep", "glob", "tree", "find"].iter().any(|word| name.contains(word))
}

/// What a file tool shows. The pattern of a Glob is a path, that of a Grep is what it looks for.
fn in_call(tool: &ToolCall, event: &Event) -> Vec<Looked> {
    let input = |key: &str| event.tool_input().and_then(|input| input.get(key));
    let given = |key: &str| input(key).is_some_and(|value| !value.is_null());
    let named = tool.paths.iter().filter(|used| used.access == Access::Read);
    let named = named.map(|used| sprag_shell::normalise(&used.path, &event.cwd));
    let filter = match tool.kind {
        ToolKind::Read
            if tool.name == "LS" || ["limit", "end_line", "pages"].iter().any(|key| given(key)) =>
        {
            return Vec::new();
        }
        ToolKind::Read => return named.map(Looked::File).collect(),
        ToolKind::Glob => "pattern",
        _ => "glob",
    };
    let mut looked: Vec<Looked> = named.map(Looked::Tree).collect();
    let filter = input(filter).and_then(serde_json::Value::as_str).filter(|filter| !filter.starts_with('!'));
    if let Some(filter) = filter.filter(|filter| filter.contains('/')) {
        let base = match looked.first() {
            Some(Looked::Tree(base)) => base.as_str(),
            _ => event.cwd.as_str(),
        };
        let pattern = sprag_shell::normalise(filter, base);
        looked.push(Looked::Glob { pattern, content: false });
    }
    looked
}

/// The answer to what would be masses of text.
fn stopped(looked: &Looked, cx: &Cx<'_>) -> Option<Reply> {
    let (Looked::File(path) | Looked::Tree(path) | Looked::Glob { pattern: path, .. }) = looked;
    let root = &cx.project.root;
    let relative = Path::new(path).strip_prefix(root).ok()?.to_str().filter(|path| !path.is_empty())?;
    if root.as_os_str().is_empty() {
        return None;
    }
    let names: Vec<&str> = relative.split('/').collect();
    let is_pattern =
        |name: &&str| matches!(looked, Looked::Glob { .. }) && name.contains(['*', '?', '[', '{']);
    // Any name stands for a `*`.
    let plain: Vec<&str> = names.iter().map(|name| if is_pattern(name) { "-" } else { name }).collect();
    let plain = PathBuf::from(plain.join("/"));
    let ignored = Rules::load(cx, &plain).tree(&plain, !matches!(looked, Looked::File(_)))?;
    let first = |count: usize| names.get(..count).unwrap_or_default();
    let known = names.iter().take_while(|name| !is_pattern(name)).count();
    let folder = root.join(first(known).join("/"));
    let size = folder.metadata().ok().filter(std::fs::Metadata::is_file).map(|meta| meta.len());
    // A folder that is not there is no mass, unless it is the tree itself.
    let holds_many = |absent| entries(&folder, 0).map_or(absent, |count| count > ORDINARY_ENTRIES);
    let (masses, depth) = match looked {
        Looked::File(_) => (size.is_some_and(|size| size > ORDINARY_BYTES) && !is_picture(path), names.len()),
        Looked::Tree(_) => {
            (size.is_none() && (names.len() == ignored.depth || holds_many(false)), ignored.depth)
        }
        Looked::Glob { content, .. } => {
            let last = names.last().copied().unwrap_or_default();
            let masses = match names.len() - known {
                0 => false,
                1 if !last.contains("**") => many(&folder, last, *content),
                _ => known <= ignored.depth || holds_many(true),
            };
            (masses, ignored.depth)
        }
    };
    let (what, instead) = match looked {
        _ if !masses => return None,
        Looked::File(_) => (
            format!("{relative} has {} KB", size.unwrap_or(0) >> 10),
            "Read a part of it (`head -c 4000`, `grep`, or an offset and a limit)",
        ),
        _ => (
            format!("This would search or list all of {}", first(known.max(depth)).join("/")),
            "Name a file or a folder in it, or end a shell command with `| head -50`",
        ),
    };
    let line = first(depth).get(ignored.skip..).unwrap_or_default().join("/");
    let reason =
        format!("{what}, and the rule `{}` keeps masses of such text out of the conversation", ignored.rule);
    let instead = format!(
        "{instead}. If all of it is needed, the user can add the line `!{line}` to {}.",
        ignored.file
    );
    Some(Reply::deny(reason).rule("scout:ignored").instead(instead).about(relative))
}

fn is_picture(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    matches!(ending.as_str(), "png" | "jpg" | "jpeg" | "gif" | "webp" | "pdf")
}

/// True when the files of one folder that match a name are more than ordinary: in number, or in bytes.
fn many(folder: &Path, name: &str, content: bool) -> bool {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().take(ORDINARY_ENTRIES + 1);
    let matching = files.filter(|file| glob::matches(name, &file.file_name().to_string_lossy()));
    let (mut count, mut bytes) = (0, 0);
    for file in matching {
        count += 1;
        bytes += if content { file.metadata().map_or(0, |meta| meta.len()) } else { 0 };
    }
    count > ORDINARY_ENTRIES || bytes > ORDINARY_BYTES
}

/// How many entries a folder has, up to one more than is ordinary; `None`: it is not there.
fn entries(folder: &Path, before: usize) -> Option<usize> {
    let mut count = before;
    for entry in std::fs::read_dir(folder).ok()?.flatten() {
        count += 1;
        if count <= ORDINARY_ENTRIES && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            count = entries(&entry.path(), count).unwrap_or(count);
        }
        if count > ORDINARY_ENTRIES {
            break;
        }
    }
    Some(count)
}

/// The rules that may speak of one path, in the order in which later ones win.
struct Rules {
    sets: Vec<RuleSet>,
}

struct RuleSet {
    /// The folder that the rules are about, from the root.
    folder: PathBuf,
    /// The file in which a further line wins over these.
    file: String,
    rules: IgnoreRules,
}

/// Why a path is ignored, and what would change that.
struct IgnoredTree {
    rule: String,
    /// How many names the path of the uppermost ignored folder has.
    depth: usize,
    /// The file in which a line lets it through, and how many names its folder has.
    file: String,
    skip: usize,
}

impl Rules {
    fn load(cx: &Cx<'_>, relative: &Path) -> Self {
        let root = &cx.project.root;
        let mut sets = Vec::new();
        let folders: Vec<&Path> = relative.ancestors().skip(1).collect();
        for folder in folders.into_iter().rev() {
            let at_root = folder.as_os_str().is_empty();
            let files: &[&str] = if at_root { &ROOT_IGNORE_FILES } else { &IGNORE_FILES };
            let found: Vec<(&str, IgnoreRules)> = files
                .iter()
                .filter_map(|name| Some((*name, rules_in(&root.join(folder).join(name))?)))
                .collect();
            // A line in the last file wins over all others of its folder.
            let last = found.last().map_or(".spragignore", |(name, _)| name);
            let file = folder.join(last).to_string_lossy().into_owned();
            let defaults = if at_root { defaults(cx, relative) } else { None };
            let all = defaults.into_iter().chain(found.into_iter().map(|(_, rules)| rules));
            sets.extend(all.map(|rules| RuleSet { folder: folder.to_owned(), file: file.clone(), rules }));
        }
        Self { sets }
    }

    /// The uppermost folder above a path that is ignored, unless the path itself is let through.
    fn tree(&self, relative: &Path, is_folder: bool) -> Option<IgnoredTree> {
        let (mut set, mut rule) = self.check(relative, is_folder)?;
        let mut tree = relative;
        for folder in relative.ancestors().skip(1).take_while(|folder| !folder.as_os_str().is_empty()) {
            if let Some((of_set, of_rule)) = self.check(folder, true) {
                (set, rule, tree) = (of_set, of_rule, folder);
            }
        }
        let length = |path: &Path| path.iter().count();
        Some(IgnoredTree { rule, depth: length(tree), file: set.file.clone(), skip: length(&set.folder) })
    }

    fn check(&self, relative: &Path, is_folder: bool) -> Option<(&RuleSet, String)> {
        let mut verdict = None;
        for set in &self.sets {
            let Ok(below) = relative.strip_prefix(&set.folder) else { continue };
            match set.rules.check(&below.to_string_lossy(), is_folder) {
                Ignored::No => {}
                Ignored::By(rule) => verdict = Some((set, rule)),
                Ignored::Allowed(_) => verdict = None,
            }
        }
        verdict
    }
}

/// The default rules, when they may have something to say. Most are plain names, and most paths have none of them.
fn defaults(cx: &Cx<'_>, relative: &Path) -> Option<IgnoreRules> {
    let settings: ScoutBlockSettings<'_> = cx.settings.read();
    let plain = |name: &str| !name.contains(['*', '?', '[', '\\', '/', '!', '#', ' ']);
    let speaks = |name: &str| !plain(name) || relative.iter().any(|part| part == name);
    settings.ignore.iter().any(speaks).then(|| IgnoreRules::parse(&settings.ignore.to_vec().join("\n")))
}

fn rules_in(file: &Path) -> Option<IgnoreRules> {
    let bytes = read_limited(file, 256 << 10).ok()??;
    Some(IgnoreRules::parse(&String::from_utf8_lossy(&bytes)))
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
    Some(
        Reply::deny(format!("The pattern `{pattern}` matches every file of the project."))
            .rule("scout:broad-glob")
            .instead(instead)
            .about(pattern),
    )
}

/// Up to four folders of the project that hold sources.
fn suggestions(root: &Path) -> Vec<String> {
    const USUAL: [&str; 14] = [
        "src", "lib", "app", "apps", "packages", "crates", "cmd", "internal", "pkg", "server", "client",
        "tests", "test", "docs",
    ];
    USUAL.iter().filter(|name| root.join(name).is_dir()).take(4).map(|name| format!("{name}/**/*")).collect()
}
