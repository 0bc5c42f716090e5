//! Installs of packages whose name is almost that of a popular one, or that come from another server.

use std::borrow::Cow;

use sprag_shell::{Arg, Cmd, HOLE, Words};

use crate::persist::foreign_index;
use crate::{Hit, Rule, Verdict};

static NEAR_NAME: Rule = Rule {
    id: "packages:near-name",
    verdict: Verdict::Ask,
    reason: "The package's name is one letter away from a very popular one; such names are how people are made to install the wrong thing.",
    safer: "Check the name; a name that is in the manifest or the lock file passes.",
};
static FOREIGN_INDEX: Rule = Rule {
    id: "packages:foreign-index",
    verdict: Verdict::Ask,
    reason: "This installs from a server that is none of the public registries; whatever it sends is run.",
    safer: "Install from the registry, or let the user name the server in the project's configuration.",
};

/// All rules of this file.
pub(crate) static RULES: &[&Rule] = &[&NEAR_NAME, &FOREIGN_INDEX];

/// Names of very popular packages, sorted, and of the real packages that are one edit away from one of them. A name that is
/// that close and in neither list is asked about.
struct Names {
    popular: &'static str,
    near: &'static str,
}

macro_rules! names {
    ($name:ident, $file:literal) => {
        static $name: Names = Names {
            popular: include_str!(concat!("../data/", $file, ".txt")),
            near: include_str!(concat!("../data/", $file, "-near.txt")),
        };
    };
}

names!(NPM, "npm");
names!(PYPI, "pypi");
names!(CRATES, "crates");

/// The names of a list; a line that starts with `#` says what it is.
fn listed(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace)
}

/// Where a package manager takes its packages from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Registry {
    Npm,
    Pypi,
    Crates,
    Other,
}

/// The packages that a command installs, as written.
struct Install<'a> {
    registry: Registry,
    packages: Vec<&'a str>,
}

/// Options that take the next word.
const VALUED: &[&str] = &[
    "-i", "--index-url", "--extra-index-url", "--index", "--default-index", "--registry", "--source", "-s",
    "-f", "--find-links", "--trusted-host", "-r", "--requirement", "-c", "--constraint", "-t", "--target",
    "--prefix", "--root", "--git", "--branch", "--tag", "--rev", "--path", "--features", "-F", "--version",
    "--vers", "--rename", "-p", "--package", "--python", "-e", "--editable", "--group", "-G", "-C", "--dir",
    "--cwd", "-w", "--workspace", "--filter", "--proxy", "--cert", "--target-dir", "--profile", "--bin",
    "--example", "--manifest-path", "--log", "--platform",
];

pub(crate) fn check(i: usize, cmd: &Cmd, words: &Words<'_>, out: &mut Vec<Hit>) {
    let Some(install) = install(cmd, words) else { return };
    let mut hit = |rule: &'static Rule, what: String| out.push(Hit { rule, cmd: i, what });
    if let Some(server) = server(cmd) {
        hit(&FOREIGN_INDEX, server.to_owned());
    }
    for package in install.packages.iter().take(64) {
        if package.contains(HOLE) {
            continue;
        }
        if foreign_archive(package) {
            hit(&FOREIGN_INDEX, (*package).to_owned());
        } else if let Some(meant) = near(install.registry, package) {
            hit(&NEAR_NAME, format!("{package}, for {meant}?"));
        }
    }
}

/// What a command installs; none when it installs nothing by name.
fn install<'a>(cmd: &'a Cmd, words: &Words<'_>) -> Option<Install<'a>> {
    let args = cmd.args.as_slice();
    let verbs = words.operands.as_slice();
    let (registry, skip) = match cmd.name.as_str() {
        "npm" | "pnpm" => match verbs {
            ["install" | "i" | "in" | "add" | "isntall" | "exec" | "x" | "dlx" | "create", ..] => {
                (Registry::Npm, 1)
            }
            _ => return None,
        },
        "yarn" | "bun" => match verbs {
            ["add" | "dlx" | "create", ..] | ["install" | "i", _, ..] => (Registry::Npm, 1),
            ["global", "add", ..] => (Registry::Npm, 2),
            _ => return None,
        },
        "npx" | "bunx" | "pnpx" => (Registry::Npm, 0),
        "pip" | "pip3" => match verbs {
            ["install", ..] => (Registry::Pypi, 1),
            _ => return None,
        },
        name if name.starts_with("python") => match verbs {
            ["pip", "install", ..] if args.first().is_some_and(|a| a.text == "-m") => (Registry::Pypi, 2),
            _ => return None,
        },
        "pipx" => match verbs {
            ["install" | "run" | "inject", ..] => (Registry::Pypi, 1),
            _ => return None,
        },
        "uv" => match verbs {
            ["pip" | "tool", "install" | "run", ..] => (Registry::Pypi, 2),
            ["add", ..] => (Registry::Pypi, 1),
            _ => return None,
        },
        "uvx" => (Registry::Pypi, 0),
        "poetry" | "pdm" | "rye" => match verbs {
            ["add", ..] => (Registry::Pypi, 1),
            _ => return None,
        },
        "cargo" => match verbs {
            ["add" | "install", ..] => (Registry::Crates, 1),
            _ => return None,
        },
        "gem" => match verbs {
            ["install", ..] => (Registry::Other, 1),
            _ => return None,
        },
        _ => return None,
    };
    let one = matches!(cmd.name.as_str(), "npx" | "bunx" | "pnpx" | "uvx")
        || matches!(verbs, ["exec" | "x" | "dlx" | "create", ..] | ["tool", "run", ..]);
    let mut packages = operands(args, skip);
    if one {
        packages.truncate(1);
    }
    Some(Install { registry, packages })
}

/// The words behind the sub-command that are no options and no values of one.
fn operands(args: &[Arg], skip: usize) -> Vec<&str> {
    let mut out = Vec::new();
    let mut i = 0;
    let mut verbs = 0;
    while let Some(arg) = args.get(i) {
        let text = arg.text.as_str();
        i += 1;
        if text == "-m" && verbs == 0 {
            continue;
        }
        if text.starts_with('-') {
            i += usize::from(VALUED.contains(&text));
        } else if verbs < skip {
            verbs += 1;
        } else {
            out.push(text);
        }
    }
    out
}

/// Where the first word stands that is no option and no value of one.
fn first_operand(args: &[Arg]) -> usize {
    let mut i = 0;
    while let Some(arg) = args.get(i).filter(|arg| arg.text.starts_with('-')) {
        i += 1 + usize::from(VALUED.contains(&arg.text.as_str()));
    }
    i
}

/// The foreign server that an option or a variable names.
fn server(cmd: &Cmd) -> Option<&str> {
    const OPTIONS: &[&str] = &[
        "-i", "--index-url", "--extra-index-url", "--index", "--default-index", "--registry", "--source",
        "--find-links", "--trusted-host",
    ];
    const VARIABLES: &[&str] = &[
        "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX",
        "UV_EXTRA_INDEX_URL", "NPM_CONFIG_REGISTRY", "npm_config_registry", "YARN_NPM_REGISTRY_SERVER",
        "YARN_REGISTRY", "BUN_CONFIG_REGISTRY", "PIP_TRUSTED_HOST",
    ];
    let address = |text: &str| text.contains("://") || text.contains('.');
    // Behind its package a runner hands every word on: `npx mmdc -i flow.mmd`.
    let runs = matches!(cmd.name.as_str(), "npx" | "bunx" | "pnpx" | "uvx");
    let own = if runs { first_operand(&cmd.args) } else { cmd.args.len() };
    for (i, arg) in cmd.args.iter().take(own).enumerate() {
        let text = arg.text.as_str();
        let value = match text.split_once('=') {
            Some((key, value)) if OPTIONS.contains(&key) => Some(value),
            None if OPTIONS.contains(&text) => cmd.args.get(i + 1).map(|next| next.text.as_str()),
            _ => None,
        };
        // `cargo install --git`, when nothing protects the way.
        let plain = match text {
            "--git" => {
                cmd.args.get(i + 1).map(|next| next.text.as_str()).filter(|url| url.starts_with("http://"))
            }
            _ => None,
        };
        if let Some(found) = value.or(plain)
            && address(found)
            && foreign_index(found)
        {
            return Some(found);
        }
    }
    let set = cmd.env.iter().find(|(name, value)| VARIABLES.contains(&name.as_str()) && foreign_index(value));
    set.map(|(_, value)| value.as_str())
}

/// A package that is an address: an archive or a clone of an unknown server.
fn foreign_archive(package: &str) -> bool {
    let address = package.rsplit_once(" @ ").map_or(package, |(_, url)| url);
    if let Some(rest) = address.strip_prefix("git+") {
        return rest.starts_with("http") && foreign_index(rest);
    }
    (address.starts_with("http://") || address.starts_with("https://")) && foreign_index(address)
}

/// The popular package that this one is one edit away from; none when it is known itself.
fn near(registry: Registry, package: &str) -> Option<&'static str> {
    let names = match registry {
        Registry::Npm => &NPM,
        Registry::Pypi => &PYPI,
        Registry::Crates => &CRATES,
        Registry::Other => return None,
    };
    let name = name_of(registry, package)?;
    let name = name.as_ref();
    if listed(names.popular).chain(listed(names.near)).any(|known| known == name) {
        return None;
    }
    listed(names.popular).find(|other| one_edit(name, other))
}

/// The bare name of a package as given: without version, extras or path; none for what is not a name of the registry.
fn name_of(registry: Registry, package: &str) -> Option<Cow<'_, str>> {
    let package = package.trim();
    let local = package.starts_with(['.', '/', '~', '@', '-']) || package.contains(['/', ':', '\\', '*']);
    if local || package.is_empty() || package.len() > 100 {
        return None;
    }
    let name = match registry {
        Registry::Npm => package.split('@').next()?,
        _ => package.split(['=', '<', '>', '~', '!', '[', ' ', ';', '@', ',']).next()?,
    };
    if name.ends_with(".whl") || name.ends_with(".tgz") || name.ends_with(".gz") || name.ends_with(".txt") {
        return None;
    }
    let changes = |c: char| c.is_ascii_uppercase() || matches!(c, '_' | '.');
    Some(match registry {
        Registry::Npm => Cow::Borrowed(name),
        _ if !name.contains(changes) => Cow::Borrowed(name),
        _ => Cow::Owned(name.to_ascii_lowercase().replace(['_', '.'], "-")),
    })
}

/// Whether one insertion, removal, replacement or swap of neighbours makes `a` into `b`.
fn one_edit(a: &str, b: &str) -> bool {
    fn tail(text: &[u8], from: usize) -> &[u8] {
        text.get(from..).unwrap_or_default()
    }
    let (long, short) =
        if a.len() >= b.len() { (a.as_bytes(), b.as_bytes()) } else { (b.as_bytes(), a.as_bytes()) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let same = long.iter().zip(short).take_while(|(x, y)| x == y).count();
    if long.len() > short.len() {
        return tail(long, same + 1) == tail(short, same);
    }
    let (Some(x), Some(y)) = (long.get(same), short.get(same)) else { return false };
    // Another number is another version, not another spelling.
    let replaced =
        tail(long, same + 1) == tail(short, same + 1) && !(x.is_ascii_digit() && y.is_ascii_digit());
    let swapped = long.get(same + 1) == Some(y)
        && short.get(same + 1) == Some(x)
        && tail(long, same + 2) == tail(short, same + 2);
    replaced || swapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_long_enough() {
        for (names, least) in [(&NPM, 900), (&PYPI, 700), (&CRATES, 300)] {
            let popular: Vec<&str> = listed(names.popular).collect();
            assert!(popular.len() >= least && popular.is_sorted());
            assert!(popular.iter().all(|name| name.len() >= 5));
            assert!(listed(names.near).all(|name| !popular.contains(&name)));
        }
    }

    #[test]
    fn names_one_edit_away() {
        for (registry, name, meant) in [
            (Registry::Pypi, "reqeusts", "requests"),
            (Registry::Pypi, "Requets==2.0", "requests"),
            (Registry::Pypi, "python_dateutils", "python-dateutil"),
            (Registry::Npm, "expresss@4", "express"),
            (Registry::Crates, "serd", "serde"),
        ] {
            assert_eq!(near(registry, name), Some(meant), "{name}");
        }
        for (registry, name) in [
            (Registry::Pypi, "requests"),
            (Registry::Pypi, "Scikit_Learn"),
            (Registry::Pypi, "./dist/app.whl"),
            (Registry::Pypi, "grequests"),
            (Registry::Npm, "preact"),
            (Registry::Npm, "@acme/lodahs"),
            (Registry::Npm, "color"),
            (Registry::Crates, "serde_json"),
        ] {
            assert_eq!(near(registry, name), None, "{name}");
        }
    }
}
