//! What each tool does with its words: reads, writes, deletes, sends.

pub(crate) mod connection;
mod database;
pub(crate) mod editor;
mod files;
mod find;
mod git;
mod git_state;
pub(crate) mod inline;
mod network;
mod printers;
mod serve;
mod text;
mod transfer;

pub(crate) use find::regenerable_name;
pub(crate) use printers::{prints_secret, prints_setting, shows_to_editor};
pub(crate) use serve::serve;
pub(crate) use text::{Prints, passes_on, prints_files, prints_instead, prints_names, selects};

use crate::model::{Arg, EffectKind, HOLE, WriteHow};
use crate::text::{items, slice};
use crate::walk::{Flow, Stdin, Walk};

/// The effects of a tool, and what it prints.
pub(crate) fn effects(w: &mut Walk<'_>, name: &str, args: &[Arg], stdin: &Stdin) -> Flow {
    let mut flow = tool(w, name, args, stdin);
    if prints_foreign(name, args) {
        flow.taint = flow.taint.and(crate::model::Taint::FOREIGN);
    }
    flow
}

/// Whether a tool prints what somebody elsewhere wrote: an issue, an object of a store, a record of a name.
fn prints_foreign(name: &str, args: &[Arg]) -> bool {
    let has = |words: &[&str]| args.iter().take(4).any(|a| words.contains(&a.text.as_str()));
    match name {
        "gh" | "glab" => has(&["view", "api", "list", "search", "diff"]),
        "aws" => has(&["s3", "s3api"]) && args.iter().any(|a| a.text == "-" || a.text == "/dev/stdout"),
        "gsutil" => has(&["cat"]),
        "gcloud" => has(&["storage"]) && has(&["cat"]),
        "kubectl" | "oc" => has(&["get", "logs"]),
        "dig" | "host" | "nslookup" | "drill" | "kdig" | "pbpaste" | "wl-paste" => true,
        "xclip" | "xsel" => has(&["-o", "--output"]),
        "npm" | "pnpm" => has(&["view", "info", "show"]),
        "redis-cli" | "valkey-cli" => args.iter().any(|a| a.text.eq_ignore_ascii_case("get")),
        _ => false,
    }
}

fn tool(w: &mut Walk<'_>, name: &str, args: &[Arg], stdin: &Stdin) -> Flow {
    if name == "git" || name == "hub" {
        return git::effects(w, args, stdin);
    }
    if matches!(name, "find" | "gfind" | "fd" | "fdfind") {
        return find::effects(w, name, args);
    }
    if matches!(name, "docker" | "podman" | "nerdctl") && lists_some(args) {
        return Flow { text: Some("a-listed-name\n".to_owned()), taint: crate::model::Taint::NONE };
    }
    if let Some(flow) = network::effects(w, name, args, stdin) {
        return flow;
    }
    if let Some(flow) = files::effects(w, name, args, stdin) {
        return flow;
    }
    if let Some(flow) = database::effects(w, name, args, stdin) {
        return flow;
    }
    if let Some(flow) = text::effects(w, name, args, stdin) {
        return flow;
    }
    if matches!(name, "gh" | "glab") {
        network::published(w, args);
    }
    serve(w, name, args);
    serve::fleet(w, name, args);
    unknown(w, name, args, stdin)
}

/// `docker ps --filter label=x`: some containers or images by what they are, which is as good as by name.
fn lists_some(args: &[Arg]) -> bool {
    let lists = args.iter().any(|a| matches!(a.text.as_str(), "ps" | "images" | "ls"));
    let filter = args.iter().position(|a| {
        matches!(a.text.as_str(), "--filter" | "-f")
            || a.text.starts_with("--filter=")
            || a.text.starts_with("-f=")
    });
    lists
        && filter.is_some_and(|at| {
            let given =
                items(args, at..).iter().take(2).map(|a| a.text.as_str()).collect::<Vec<_>>().join(" ");
            // Those that run are most of them; those of a value that is not known may be all.
            given.contains('=') && !given.contains("status=running") && !given.contains(HOLE)
        })
}

/// A command without an entry: an operand that names a sensitive file counts as read, option values do not
/// (`ssh -i key`, `docker run --env-file .env` use a file without showing it).
fn unknown(w: &mut Walk<'_>, name: &str, args: &[Arg], stdin: &Stdin) -> Flow {
    let mut flow = crate::walk::pass_through(args, stdin);
    uploads(w, name, args);
    copies_elsewhere(w, name, args);
    if NO_CONTENT.contains(&name) {
        if matches!(name, "gpg" | "gpg2")
            && args.iter().any(|a| matches!(a.text.as_str(), "-d" | "--decrypt"))
        {
            return decrypted(w, args);
        }
        find::list_tree(w, name, args);
        return Flow::default();
    }
    // `kill $(pgrep -u dev)`: every process of a user.
    if name == "pgrep" && lists_every_process(args) {
        return Flow { text: Some("-1\n".to_owned()), taint: crate::model::Taint::NONE };
    }
    let mut after_option = false;
    let mut task = TASK_RUNNERS.contains(&name);
    for a in args {
        let option = a.text.starts_with('-');
        if !option && std::mem::take(&mut task) && !a.text.contains('/') {
            continue;
        }
        if !option && !after_option && looks_like_path(&a.text) {
            let path = w.path(a);
            if path.sensitive().is_some() {
                flow.taint = flow.taint.and(w.read_file(a, true).taint);
            }
        }
        after_option = option && !a.text.contains('=');
    }
    flow
}

/// A program that sends files by its words (`upload`, `put`, `send`), given one that is sensitive as the value of an option.
fn uploads(w: &mut Walk<'_>, name: &str, args: &[Arg]) {
    let verb = |a: &Arg| {
        matches!(
            a.text.as_str(),
            "upload"
                | "put"
                | "send"
                | "share"
                | "upload-batch"
                | "put-object"
                | "put-file"
                | "paste"
                | "post"
        )
    };
    if !args.iter().take(4).any(verb) || matches!(name, "gh" | "glab" | "git" | "npm" | "cargo") {
        return;
    }
    for arg in args {
        let value = arg.text.split_once('=').filter(|(key, _)| key.starts_with('-')).map(|(_, value)| value);
        let value = value.unwrap_or(&arg.text).trim_start_matches("file://").trim_start_matches('@');
        if value.starts_with('-') || !looks_like_path(value) || !value.contains(['/', '.']) {
            continue;
        }
        let file = Arg { text: value.to_owned(), raw: None, ..arg.clone() };
        if w.path(&file).sensitive().is_some() {
            let taint = w.read_file(&file, true).taint;
            network::send(w, value, name, taint);
        }
    }
}

/// A secret that goes into a container, a pod, a cluster's object, a channel or a public store.
fn copies_elsewhere(w: &mut Walk<'_>, name: &str, args: &[Arg]) {
    let first = args.first().map_or("", |a| a.text.as_str());
    let files: Vec<Arg> = match (name, first) {
        (
            "docker" | "podman" | "nerdctl" | "kubectl" | "oc" | "lxc" | "incus" | "multipass",
            "cp" | "transfer",
        ) => {
            let mut operands: Vec<Arg> =
                args.iter().skip(1).filter(|a| !a.text.starts_with('-')).cloned().collect();
            operands.pop();
            operands.retain(|a| !a.text.contains(':'));
            operands
        }
        ("kubectl" | "oc", "create")
            if args.get(1).is_some_and(|a| matches!(a.text.as_str(), "configmap" | "cm")) =>
        {
            args.iter()
                .filter_map(|a| {
                    let value = a
                        .text
                        .strip_prefix("--from-file=")
                        .or_else(|| a.text.strip_prefix("--from-env-file="))?;
                    let value = value.rsplit('=').next().unwrap_or(value);
                    Some(Arg { text: value.to_owned(), raw: None, ..a.clone() })
                })
                .collect()
        }
        ("ipfs", "add")
        | ("hub", "gist")
        | ("slackcat" | "transfer" | "keybase" | "signal-cli" | "telegram-cli", _) => {
            args.iter().filter(|a| !a.text.starts_with('-') && a.text.contains(['/', '.'])).cloned().collect()
        }
        _ => return,
    };
    for file in files {
        // An environment file of the project belongs to its own containers.
        let env = file.text.rsplit('/').next().is_some_and(|base| base.starts_with(".env"));
        if w.path(&file).sensitive().is_some() && !(env && matches!(name, "docker" | "podman" | "nerdctl")) {
            let taint = w.read_file(&file, true).taint;
            network::send(w, &file.text, name, taint);
        }
    }
}

/// `gpg -d FILE`: shows what was encrypted, when the file's name says that it is a secret.
fn decrypted(w: &mut Walk<'_>, args: &[Arg]) -> Flow {
    let s = split(args, "oru", &["--output", "--recipient", "--local-user", "--passphrase-file"]);
    let mut flow = Flow::default();
    if s.value(&["-o", "--output"]).is_none() {
        for a in s.operands {
            if w.path(a).sensitive().is_some() {
                flow.taint = flow.taint.and(w.read_file(a, true).taint);
            }
        }
    }
    flow
}

/// `pgrep -u USER` without a pattern.
fn lists_every_process(args: &[Arg]) -> bool {
    let s = split(args, "uUGgstPd", &["--euid", "--uid", "--group", "--session", "--terminal"]);
    let by_user = s.values.iter().any(|(key, _)| matches!(key.as_str(), "-u" | "-U" | "--euid" | "--uid"));
    by_user && s.operands.iter().all(|a| matches!(a.text.as_str(), "." | ".*" | ""))
}

/// Tools whose first operand is the name of a task: `mix phx.gen.secret` reads no such file.
const TASK_RUNNERS: &[&str] = &[
    "mix", "rake", "rails", "gradle", "gradlew", "mvn", "mvnw", "just", "task", "invoke", "inv", "composer",
    "poetry", "pdm", "uv", "dotnet", "sbt", "lein", "bazel", "nx", "turbo", "ant", "pulumi", "serverless",
    "sls", "cdk", "amplify", "wp", "drush", "symfony", "mage", "nox", "tox", "grunt", "gulp", "bun", "deno",
];

/// Tools that take sensitive files as operands without showing what is in them.
const NO_CONTENT: &[&str] = &[
    "ls", "ll", "exa", "eza", "stat", "file", "test", "chmod", "chown", "chgrp", "touch", "mkdir", "rmdir",
    "du", "df", "realpath", "readlink", "basename", "dirname", "ssh-add", "ssh-keygen", "ssh-copy-id", "gpg",
    "gpg2", "kubectl", "helm", "docker", "podman", "docker-compose", "kind", "minikube", "terraform", "tofu",
    "ansible", "ansible-playbook", "lsattr", "getfacl", "tree", "sops", "age", "op", "direnv", "dotenv",
    "vercel", "netlify", "fly", "flyctl", "heroku", "npm", "yarn", "pnpm", "cargo", "make", "gh", "glab",
    "firebase", "supabase", "wrangler", "ansible-vault", "git-crypt", "shellcheck", "dotenv-linter",
    "export", "logger", "sleep", "kill", "umount", "mount", "certbot", "mkcert", "keytool", "nginx", "caddy",
    "apachectl",
];

pub(crate) fn looks_like_path(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_whitespace) && text.len() < 4096
}

/// Whether the words ask the tool only for help, its version, or a trial run by a flag every such tool has.
pub(crate) fn asks_for_help(name: &str, args: &[Arg]) -> bool {
    if ["find", "gfind", "test", "[", "expr", "dd", "xargs", "curl", "wget", "git", "tar", "ssh", "http"]
        .contains(&name)
    {
        return false;
    }
    let own = args.iter().take_while(|a| a.text != "--").count();
    args.iter().take(own).enumerate().any(|(i, a)| match a.text.as_str() {
        "--help" => true,
        // In the middle it is more likely an option with a value (`cargo yank --version 1.0.0`).
        "--version" => i == 0 || i + 1 == own,
        _ => false,
    })
}

/// Whether `arg` is the long option `long` (or a clear abbreviation), or a cluster of short options with `short`.
pub fn flag(arg: &Arg, short: char, long: &str) -> bool {
    let t = arg.text.as_str();
    if let Some(name) = t.strip_prefix("--") {
        let name = name.split('=').next().unwrap_or(name);
        return is_long(name, long);
    }
    t.len() > 1 && t.starts_with('-') && short != '\0' && t.contains(short)
}

/// `name` (without dashes) is the long option `long`, or a prefix of it of two letters or more.
pub(crate) fn is_long(name: &str, long: &str) -> bool {
    let long = long.trim_start_matches('-');
    name == long || (name.len() >= 2 && name != "no" && long.starts_with(name))
}

/// A tool's words: options and operands apart.
#[derive(Debug)]
pub struct Split<'a> {
    /// Options (`-rf`, `--force`, `--out=x`); a value that hangs on a short option is cut off.
    pub options: Vec<Arg>,
    /// Values of options that take one, with the option.
    pub values: Vec<(String, Arg)>,
    /// The rest.
    pub operands: Vec<&'a Arg>,
}

impl Split<'_> {
    /// Whether an option is there, by its letter or its long name.
    pub fn has(&self, short: char, long: &str) -> bool {
        self.options.iter().any(|a| flag(a, short, long))
    }

    /// The last value that one of these options is given.
    pub fn value(&self, keys: &[&str]) -> Option<&Arg> {
        self.values.iter().rev().find(|(k, _)| keys.contains(&k.as_str())).map(|(_, v)| v)
    }
}

/// Split words where options may stand anywhere (GNU style).
pub fn split<'a>(args: &'a [Arg], short_valued: &str, long_valued: &[&str]) -> Split<'a> {
    let mut s = Split { options: Vec::new(), values: Vec::new(), operands: Vec::new() };
    let mut i = 0;
    let mut only_operands = false;
    while let Some(a) = args.get(i) {
        i += 1;
        let t = a.text.as_str();
        if only_operands || !t.starts_with('-') || t == "-" {
            s.operands.push(a);
            continue;
        }
        if t == "--" {
            only_operands = true;
            continue;
        }
        if t.starts_with("--") {
            if let Some((k, v)) = t.split_once('=') {
                s.values.push((k.to_owned(), Arg { text: v.to_owned(), raw: None, ..a.clone() }));
                s.options.push(a.clone());
            } else if long_valued.contains(&t) {
                if let Some(v) = args.get(i) {
                    s.values.push((t.to_owned(), v.clone()));
                }
                i += 1;
            } else {
                s.options.push(a.clone());
            }
            continue;
        }
        let mut own = t.len();
        for (at, c) in t.char_indices().skip(1) {
            if short_valued.contains(c) {
                own = at + c.len_utf8();
                let rest = slice(t, at + c.len_utf8()..);
                let value = if rest.is_empty() {
                    i += 1;
                    args.get(i - 1).cloned()
                } else {
                    Some(Arg { text: rest.to_owned(), raw: None, ..a.clone() })
                };
                if let Some(v) = value {
                    s.values.push((format!("-{c}"), v));
                }
                break;
            }
        }
        s.options.push(Arg::new(t.get(..own).unwrap_or(t)));
    }
    s
}

/// The effect of writing `arg`.
pub(crate) fn write(w: &mut Walk<'_>, arg: &Arg, how: WriteHow, data: Flow) {
    if let Some(script) = w.writer_of(&arg.text) {
        w.feed(&script, data);
        return;
    }
    let path = w.path(arg);
    if path.place == crate::paths::PathZone::Sink {
        return;
    }
    let full = path.full.clone();
    w.effect(EffectKind::Write(path, how));
    if how != WriteHow::Create {
        w.st.put_file(&full, data, how == WriteHow::Append);
    }
}

/// Whether a file of this name is made again by a build or holds only passing output.
pub fn regenerable(name: &str) -> bool {
    regenerable_name(name)
        || name
            .rsplit_once('.')
            .is_some_and(|(_, e)| regenerable_name(&format!("*.{e}")) && e != "a" && e != "d")
}
