//! `find` and `fd`: what they delete and what they run.

use crate::model::{Arg, EffectKind, HOLE};
use crate::paths::PathZone;
use crate::text::items;
use crate::walk::{Flow, Walk};

/// Names that a build makes again.
pub(crate) fn regenerable_name(pattern: &str) -> bool {
    const NAMES: &[&str] = &[
        "node_modules", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".DS_Store",
        "Thumbs.db", ".next", ".nuxt", ".turbo", ".parcel-cache", ".cache", ".gradle", ".tox", ".nyc_output",
        "coverage", ".coverage", "dist", "build", "target", "*.egg-info", ".eggs", "Pods", "DerivedData",
        ".terraform", ".ipynb_checkpoints", "core", "nohup.out", ".sass-cache", ".vite", ".svelte-kit",
        "bin", "obj", "out", ".venv", "venv", "tmp", ".tmp", "*.log.*",
    ];
    const EXTENSIONS: &[&str] = &[
        "pyc", "pyo", "o", "obj", "class", "tmp", "temp", "log", "orig", "rej", "bak", "swp", "swo", "gcda",
        "gcno", "d", "a", "so", "cache", "pid", "tsbuildinfo", "map", "snap.new", "iml", "profraw", "lcov",
        "elc", "aux", "toc", "~",
    ];
    // `.terragrunt-cache`, `.eslintcache`: a hidden folder that calls itself a cache.
    let cache = pattern.starts_with('.') && pattern.ends_with("cache") && !pattern.contains(['*', '?', '[']);
    // `tmp-*`, `temp_run`: what calls itself temporary. A bare `tmp*` may be anything.
    let temporary = ["tmp-", "tmp_", "tmp.", "temp-", "temp_"].iter().any(|start| pattern.starts_with(start));
    NAMES.contains(&pattern)
        || cache
        || temporary
        || EXTENSIONS.iter().any(|e| pattern.strip_prefix("*.").is_some_and(|p| p == *e))
        || pattern == "*~"
        || pattern.strip_prefix("*.py").is_some_and(|r| matches!(r, "[co]" | "[cod]"))
}

/// What a `find` looks for, and what it does with it.
#[derive(Default)]
struct Search {
    /// Patterns of names; empty when everything is found.
    names: Vec<String>,
    deletes: bool,
    /// Nothing but links is found: they hold nothing that could be lost.
    links_only: bool,
    /// Only the names of one or two levels come out, or none.
    shallow: bool,
    /// The commands of `-exec` and its kin.
    runs: Vec<Vec<Arg>>,
}

impl Search {
    /// Reads the expression that starts at word `i`.
    fn read(w: &mut Walk<'_>, args: &[Arg], mut i: usize) -> Search {
        let mut search = Search::default();
        let mut either = false;
        while let Some(a) = args.get(i) {
            i += 1;
            match a.text.as_str() {
                "-delete" => search.deletes = true,
                "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex" => {
                    let negated =
                        i >= 2 && args.get(i - 2).is_some_and(|p| matches!(p.text.as_str(), "!" | "-not"));
                    if let Some(v) = args.get(i)
                        && !negated
                        && !matches!(v.text.as_str(), "*" | "**" | "*/*")
                    {
                        search.names.push(v.text.clone());
                    }
                    i += 1;
                }
                "-empty" => search.names.push("*.tmp".to_owned()),
                // As good as `-empty`.
                "-size"
                    if args.get(i).is_some_and(|size| matches!(size.text.as_str(), "0" | "0c" | "0b")) =>
                {
                    search.names.push("*.tmp".to_owned());
                    i += 1;
                }
                "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                    if let Some(v) = args.get(i) {
                        super::write(w, v, crate::model::WriteHow::Overwrite, Flow::default());
                    }
                    i += if a.text == "-fprintf" { 2 } else { 1 };
                }
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    let mut run = Vec::new();
                    while let Some(x) = args.get(i) {
                        i += 1;
                        if x.text == ";"
                            || (x.text == "+" && run.last().is_some_and(|l: &Arg| l.text == "{}"))
                        {
                            break;
                        }
                        run.push(x.clone());
                    }
                    search.runs.push(run);
                }
                "-type" | "-xtype" => {
                    search.links_only = a.text == "-type" && args.get(i).is_some_and(|kind| kind.text == "l");
                    i += 1;
                }
                // Either side is found: what one of them says is not said of all.
                "-o" | "-or" => either = true,
                "-maxdepth" => {
                    search.shallow |= args.get(i).is_some_and(|depth| shallow(&depth.text));
                    i += 1;
                }
                "-prune" if args.get(i).is_some_and(|next| matches!(next.text.as_str(), "-o" | "-or")) => {
                    // `-path ./.venv -prune -o …`: what is left out.
                    search.names.clear();
                    search.shallow = true;
                }
                "-quit" | "-prune" => search.shallow = true,
                "-size" | "-mtime" | "-atime" | "-ctime" | "-mmin" | "-amin" | "-cmin" | "-newer"
                | "-perm" | "-user" | "-group" | "-mindepth" | "-lname" | "-ilname" | "-links" | "-inum"
                | "-printf" | "-samefile" => {
                    i += 1;
                }
                "-files0-from" => i += 1,
                _ => {}
            }
        }
        search.links_only &= !either;
        search
    }

    /// Walk a command of `-exec` on what was found below `root`.
    fn run_command(&self, w: &mut Walk<'_>, run: &[Arg], root: &Arg, place: PathZone, regenerable: bool) {
        // The found names: the root itself when nothing narrows the search.
        let stand_in = match self.names.first() {
            Some(name) => format!("{}/{HOLE}/{name}", root.text.trim_end_matches('/')),
            None => root.text.clone(),
        };
        let command: Vec<Arg> = run
            .iter()
            .map(|a| {
                let hit = a.text.contains("{}");
                Arg {
                    text: a.text.replace("{}", &stand_in),
                    glob: hit && crate::paths::has_glob(&stand_in),
                    taint: a.taint,
                    ..Arg::default()
                }
            })
            .collect();
        let before = w.out.effects.len();
        w.within_via("find -exec", |w| w.exec(command, None));
        for e in w.out.effects.iter_mut().skip(before) {
            if let EffectKind::Delete { regenerable: r, recursive, path: p, .. } = &mut e.kind {
                *r |= regenerable;
                // A tree removed for each hit of an open search is a sweep.
                if *recursive && !regenerable && p.place == PathZone::Project {
                    p.place = place;
                }
                // Temporary folders by a name of their own.
                let named = |n: &String| n.chars().filter(char::is_ascii_alphanumeric).count() >= 4;
                let temporary =
                    matches!(place, PathZone::Temp | PathZone::TempRoot) && self.names.iter().any(named);
                if *recursive && !regenerable && !temporary {
                    e.kind = EffectKind::DeleteFromInput { recursive: true };
                }
            }
            if let EffectKind::Mode { recursive, .. } = &mut e.kind {
                *recursive = true;
            }
        }
    }
}

pub(crate) fn effects(w: &mut Walk<'_>, name: &str, args: &[Arg]) -> Flow {
    if matches!(name, "fd" | "fdfind") {
        return fd(w, args);
    }
    let mut i = 0;
    while args.get(i).is_some_and(|a| {
        matches!(a.text.as_str(), "-H" | "-L" | "-P") || a.text.starts_with("-O") || a.text == "-D"
    }) {
        i += if args.get(i).is_some_and(|a| a.text == "-D") { 2 } else { 1 };
    }
    if args.get(i).is_some_and(|a| matches!(a.text.as_str(), "--help" | "-help" | "--version" | "-version")) {
        return Flow::default();
    }
    let mut roots: Vec<Arg> = Vec::new();
    while let Some(a) = args.get(i) {
        if a.text.starts_with(['-', '(', '!', ')']) {
            break;
        }
        roots.push(a.clone());
        i += 1;
    }
    if roots.is_empty() {
        roots.push(Arg::new("."));
    }
    let search = Search::read(w, args, i);
    let Search { names, deletes, links_only, shallow, runs } = &search;
    let narrowed = !names.is_empty();
    let regenerable =
        narrowed && names.iter().all(|n| regenerable_name(n.trim_start_matches("*/").trim_end_matches("/*")));
    for root in &roots {
        let mut path = w.path(root);
        if *deletes && !links_only {
            if narrowed {
                path.expanded = format!("{}/…/{}", path.expanded, names.join(" "));
            }
            w.effect(EffectKind::Delete { path: path.clone(), recursive: true, force: true, regenerable });
        }
        if !deletes && !shallow && runs.is_empty() {
            w.effect(EffectKind::List(path.clone()));
        }
        for run in runs {
            search.run_command(w, run, root, path.place, regenerable);
        }
    }
    // `find -name '*.pem' | xargs cat`: the names that come out are those searched for.
    match names.first() {
        Some(n) if names.len() == 1 => Flow {
            text: Some(format!("{}/{n}\n", roots.first().map_or(".", |r| r.text.as_str()))),
            taint: crate::model::Taint::NONE,
        },
        // Whatever is below the folders.
        _ if names.is_empty() => {
            let list: String = roots
                .iter()
                .take(8)
                .map(|r| {
                    let root = r.text.trim_end_matches('/');
                    format!("{root}/{HOLE}\n")
                })
                .collect();
            Flow { text: Some(list), taint: crate::model::Taint::NONE }
        }
        _ => Flow::default(),
    }
}

fn shallow(depth: &str) -> bool {
    matches!(depth, "0" | "1" | "2")
}

/// `tree` and `ls -R`: the names of everything below.
pub(crate) fn list_tree(w: &mut Walk<'_>, name: &str, args: &[Arg]) {
    let s = super::split(args, if name == "tree" { "LPIo" } else { "" }, &["--level"]);
    let whole = match name {
        "tree" => !s.value(&["-L"]).is_some_and(|depth| shallow(&depth.text)),
        "ls" | "ll" => s.has('R', "recursive"),
        "exa" | "eza" => s.has('T', "tree") || s.has('R', "recurse"),
        _ => false,
    };
    for folder in s.operands.iter().filter(|_| whole) {
        let path = w.path(folder);
        w.effect(EffectKind::List(path));
    }
}

fn fd(w: &mut Walk<'_>, args: &[Arg]) -> Flow {
    let at = args.iter().position(|a| {
        matches!(a.text.as_str(), "-x" | "--exec" | "-X" | "--exec-batch") || a.text.starts_with("--exec=")
    });
    let mut own: Vec<Arg> = items(args, ..at.unwrap_or(args.len())).to_vec();
    let mut command: Vec<Arg> = Vec::new();
    if let Some(at) = at {
        // The command ends at `;`; what follows are fd's own words again.
        let rest = items(args, at + 1..);
        let end = rest.iter().position(|a| a.text == ";").unwrap_or(rest.len());
        command.extend(items(rest, ..end).iter().cloned());
        own.extend(rest.iter().skip(end + 1).cloned());
    }
    let s = super::split(
        &own,
        "etEdSjcgobCo",
        &[
            "--extension", "--type", "--exclude", "--max-depth", "--base-directory", "--search-path",
            "--changed-within", "--changed-before", "--size", "--threads", "--color", "--owner",
        ],
    );
    let mut roots: Vec<Arg> = s.operands.iter().skip(1).map(|a| (*a).clone()).collect();
    roots.extend(s.value(&["--base-directory", "--search-path", "-C"]).cloned());
    if command.is_empty() {
        for folder in &roots {
            let path = w.path(folder);
            w.effect(EffectKind::List(path));
        }
        return Flow::default();
    }
    if roots.is_empty() {
        roots.push(Arg::new("."));
    }
    let pattern = s.operands.first().map(|a| a.text.as_str()).filter(|p| !matches!(*p, "." | "" | ".*"));
    let narrowed = pattern.is_some() || s.value(&["-e", "--extension"]).is_some();
    for root in roots {
        let base = root.text.trim_end_matches('/');
        let found = match s.value(&["-e", "--extension"]) {
            Some(end) => format!("{base}/{HOLE}.{}", end.text),
            None if narrowed => format!("{base}/{HOLE}/{HOLE}"),
            // Everything below the folder.
            None if base == "." => HOLE.to_string(),
            None => format!("{base}/*"),
        };
        let mut words = command.clone();
        let mut seen = false;
        for a in &mut words {
            for mark in ["{}", "{/}", "{//}", "{.}", "{/.}"] {
                if a.text.contains(mark) {
                    seen = true;
                    a.text = a.text.replace(mark, &found);
                    a.glob |= crate::paths::has_glob(&found);
                }
            }
        }
        if !seen {
            words.push(Arg { glob: crate::paths::has_glob(&found), ..Arg::new(found) });
        }
        w.within_via("fd -x", |w| w.exec(words, None));
    }
    Flow::default()
}
