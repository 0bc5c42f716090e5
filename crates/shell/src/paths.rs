//! Paths by their text alone: made absolute, freed of `.` and `..`, and placed.

use crate::model::{Arg, Context, HOLE, PathRef};
use crate::text::{items, slice};

/// Where a path lies, from the most to the least dangerous to lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathZone {
    /// `/` or everything in it.
    Root,
    /// A disk or other raw device.
    Device,
    /// A directory of the system (`/etc`, `/usr/lib` …) or a path inside one.
    System,
    /// The home directory, everything in it, or a directory above it.
    Home,
    /// The directory of the project, everything in it, or a directory above it.
    ProjectRoot,
    /// Inside the project's `.git`.
    GitDir,
    /// Inside the project.
    Project,
    /// Inside a directory for temporary files.
    Temp,
    /// The directory for temporary files itself.
    TempRoot,
    /// Inside home, but not in the project.
    InHome,
    /// Anywhere else.
    Outside,
    /// `/dev/null`, `/dev/stdout` and the like.
    Sink,
    /// Not known before the command runs.
    Unknown,
}

const SYSTEM: &[&str] = &[
    "bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "opt", "proc", "root", "run", "sbin",
    "srv", "sys", "usr", "var", "home", "System", "Library", "Applications", "Users", "Volumes", "private",
    "cores", "nix", "snap", "lost+found", "mnt", "media",
];

/// Make `text` absolute against `cwd` and drop `.`, `..` and doubled slashes.
pub fn normalise(text: &str, cwd: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let absolute = text.starts_with('/');
    let base = if absolute { "" } else { cwd };
    for part in base.split('/').chain(text.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            p => parts.push(p),
        }
    }
    let mut out = String::with_capacity(text.len() + base.len() + 1);
    for p in parts {
        out.push('/');
        out.push_str(p);
    }
    if out.is_empty() {
        out.push('/');
    }
    out
}

/// Whether `path` is `dir` or lies below it.
pub fn within(path: &str, dir: &str) -> bool {
    let dir = dir.trim_end_matches('/');
    path == dir || path.strip_prefix(dir).is_some_and(|r| r.starts_with('/')) || dir.is_empty()
}

fn is_device(rest: &str) -> bool {
    const PREFIXES: &[&str] = &[
        "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "loop", "md", "dm-", "mapper/", "pmem",
        "nbd", "ram", "sr", "zd", "bcache", "drbd", "rbd", "ubi", "mtd", "dasd", "zram", "mem", "kmem",
        "port", "fd0", "cciss/", "block/",
    ];
    PREFIXES.iter().any(|p| rest.starts_with(p))
}

/// Where `/dev/` with this rest lies.
fn device_zone(rest: &str) -> PathZone {
    if matches!(
        rest,
        "null" | "stdout" | "stderr" | "stdin" | "tty" | "zero" | "full" | "random" | "urandom" | "console"
    ) || rest.starts_with("fd/")
        || rest.starts_with("pts/")
        || rest.starts_with("tcp/")
        || rest.starts_with("udp/")
    {
        return PathZone::Sink;
    }
    // A serial line, a bus or a sensor takes what is written to it, and keeps nothing that could be lost.
    const LINES: &[&str] = &[
        "ttyUSB", "ttyACM", "ttyS", "ttyAMA", "rfcomm", "serial/", "cu.", "tty.", "hidraw", "i2c-", "spidev",
        "gpiochip", "usbtmc",
    ];
    if LINES.iter().any(|line| rest.starts_with(line)) {
        return PathZone::Sink;
    }
    if rest.starts_with("shm/") {
        return PathZone::Temp;
    }
    if is_device(rest) { PathZone::Device } else { PathZone::System }
}

/// Folders for what may go at any time.
const TEMPORARY: &[&str] =
    &["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm", "/var/folders"];

/// Where an absolute, normalised path lies.
pub fn zone_of(full: &str, glob: bool, ctx: &Context) -> PathZone {
    if full.starts_with(HOLE) || full.contains("/\u{E000}/..") {
        return PathZone::Unknown;
    }
    // A glob in the last part stands for what is in the directory; `dir/*` loses as much as `dir`.
    let (dir, last) = full.rsplit_once('/').unwrap_or(("", full));
    if glob && has_glob(last) {
        let dir_full = if dir.is_empty() { "/" } else { dir };
        if is_wide(last) {
            return match zone_of(dir_full, has_glob(dir_full), ctx) {
                PathZone::Project if dir_full.ends_with("/.git") => PathZone::GitDir,
                p => p,
            };
        }
        if dir.is_empty() {
            return if SYSTEM.iter().any(|s| glob_match(last, s)) {
                PathZone::System
            } else {
                PathZone::Outside
            };
        }
    }
    if full == "/" {
        return PathZone::Root;
    }
    if full.chars().nth(1) == Some(HOLE) {
        // `/$X`: with an empty value this is the root.
        return PathZone::Unknown;
    }
    if let Some(rest) = full.strip_prefix("/dev/") {
        return device_zone(rest);
    }
    let home = ctx.home.trim_end_matches('/');
    let root = ctx.project_root.trim_end_matches('/');
    if !root.is_empty() {
        if full == root {
            return PathZone::ProjectRoot;
        }
        if let Some(rest) = full.strip_prefix(root).and_then(|r| r.strip_prefix('/')) {
            if full == home || (!home.is_empty() && within(home, full)) {
                return PathZone::Home;
            }
            if let Some(c) = rest.chars().next()
                && c == HOLE
                && rest.chars().count() == 1
            {
                return PathZone::Unknown;
            }
            if rest == ".git"
                || rest.starts_with(".git/")
                || rest.ends_with("/.git")
                || rest.contains("/.git/")
            {
                return PathZone::GitDir;
            }
            // A project that is the whole home or a temporary folder protects nothing.
            if root != home && root != "/" && !TEMPORARY.contains(&root) {
                return PathZone::Project;
            }
        }
    }
    // A home below a temporary folder (a test, a container) is a home.
    if !home.is_empty() && home != "/" && !TEMPORARY.contains(&home) {
        if within(home, full) {
            return PathZone::Home;
        }
        if let Some(rest) = full.strip_prefix(home).and_then(|r| r.strip_prefix('/')) {
            if rest.chars().all(|c| c == HOLE) {
                return PathZone::Unknown;
            }
            if within(root, full) && !root.is_empty() {
                return PathZone::ProjectRoot;
            }
            return PathZone::InHome;
        }
    }
    // A Windows user's, seen from WSL.
    if let Some((user, rest)) = full.split_once("/AppData/Local/Temp")
        && user.starts_with("/mnt/")
    {
        return match rest {
            "" => PathZone::TempRoot,
            rest if rest.starts_with('/') => PathZone::Temp,
            _ => PathZone::System,
        };
    }
    for tmp in TEMPORARY {
        if full == *tmp {
            return PathZone::TempRoot;
        }
        if full.strip_prefix(tmp).is_some_and(|r| r.starts_with('/')) {
            if within(root, full) && !root.is_empty() {
                return PathZone::ProjectRoot;
            }
            return PathZone::Temp;
        }
    }
    if !root.is_empty() && within(root, full) {
        return PathZone::ProjectRoot;
    }
    if full.ends_with("/.git") || full.contains("/.git/") {
        return PathZone::GitDir;
    }
    let top = full.split('/').nth(1).unwrap_or_default();
    if (top == "home" || top == "Users" || top == "root") && full.matches('/').count() >= 2 {
        // Another home, or something in it.
        return if full.matches('/').count() == 2 { PathZone::Home } else { PathZone::Outside };
    }
    if SYSTEM.contains(&top) || SYSTEM.iter().any(|s| glob && glob_match(top, s)) {
        PathZone::System
    } else {
        PathZone::Outside
    }
}

/// Whether the text has glob characters.
pub fn has_glob(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// A glob that takes (nearly) everything: `*`, `.*`, `**`, `*.*`, `.[!.]*`, `{*,.*}`.
fn is_wide(last: &str) -> bool {
    ["*", ".*", "**", "*.*", ".[!.]*", ".[^.]*", ".??*", "?*", "*?", "[!.]*", "[a-z]*", ".[!.]?*"]
        .contains(&last)
}

/// A shell glob against a name. `?`, `*`, `[…]`; bounded backtracking (one star at a time).
pub fn glob_match(pattern: &str, name: &str) -> bool {
    let p: Vec<char> = pattern.chars().collect();
    let n: Vec<char> = name.chars().collect();
    let (mut pi, mut ni) = (0usize, 0usize);
    let mut star: Option<(usize, usize)> = None;
    while ni < n.len() {
        let step = match p.get(pi) {
            Some('*') => {
                star = Some((pi, ni));
                pi += 1;
                continue;
            }
            Some('?') => Some(1),
            Some('[') => class_match(items(&p, pi..), n.get(ni).copied().unwrap_or_default()),
            Some(c) => (n.get(ni) == Some(c)).then_some(1),
            None => None,
        };
        if let Some(len) = step {
            pi += len;
            ni += 1;
        } else if let Some((sp, sn)) = star {
            pi = sp + 1;
            ni = sn + 1;
            star = Some((sp, sn + 1));
        } else {
            return false;
        }
    }
    p.get(pi..).is_some_and(|rest| rest.iter().all(|c| *c == '*'))
}

/// Whether `[…]` at the start of `p` takes `c`: the class's length in the pattern.
fn class_match(p: &[char], c: char) -> Option<usize> {
    let mut at = 1;
    let negated = matches!(p.get(at), Some('!' | '^'));
    if negated {
        at += 1;
    }
    let start = at;
    let mut hit = false;
    loop {
        let x = *p.get(at)?;
        if x == ']' && at > start {
            return (hit != negated).then_some(at + 1);
        }
        if p.get(at + 1) == Some(&'-') && p.get(at + 2).is_some_and(|e| *e != ']') {
            let end = *p.get(at + 2)?;
            hit |= x <= c && c <= end;
            at += 3;
        } else {
            hit |= x == c;
            at += 1;
        }
    }
}

/// A path word in its place.
pub(crate) fn path_ref(arg: &Arg, cwd: Option<&str>, ctx: &Context) -> PathRef {
    let expanded = arg.text.clone();
    let tilde = expanded == "~" || expanded.starts_with("~/");
    let text = if tilde { format!("{}{}", ctx.home, slice(&expanded, 1..)) } else { expanded.clone() };
    let unknown_cwd = cwd.is_none() && !text.starts_with('/');
    let full = if text.starts_with(HOLE) || unknown_cwd {
        // The start is unknown: `..` below it must not be resolved to something harmless.
        if text.starts_with(HOLE) { text.clone() } else { format!("{HOLE}/{text}") }
    } else {
        normalise(&text, cwd.unwrap_or("/"))
    };
    let place = if text.is_empty() { PathZone::Sink } else { zone_of(&full, arg.glob, ctx) };
    let written = arg.raw.as_deref().map_or_else(|| expanded.clone(), str::to_owned);
    PathRef { written, expanded, full, glob: arg.glob, place }
}

/// The host of an address as typed: `https://user@host:1/x`, `host:1`, `[::1]:80`.
pub fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, r)| r);
    let rest = rest.strip_prefix("/dev/tcp/").or_else(|| rest.strip_prefix("/dev/udp/")).unwrap_or(rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let rest = rest.rsplit('@').next().unwrap_or(rest);
    if let Some(v6) = rest.strip_prefix('[') {
        return v6.split(']').next().unwrap_or(v6);
    }
    rest.split(':').next().unwrap_or(rest)
}

/// Whether an address is on this machine or its own network.
#[expect(clippy::case_sensitive_file_extension_comparisons, reason = "the ends of host names")]
pub fn is_local(address: &str) -> bool {
    let h = host(address);
    matches!(h, "localhost" | "127.0.0.1" | "::1" | "0.0.0.0" | "host.docker.internal")
        || h.starts_with("127.")
        || !h.contains('.')
        || h.ends_with(".local")
        || h.ends_with(".localhost")
        || h.ends_with(".internal")
        || h.ends_with(".test")
}
