//! git: what a sub-command would lose, and what it runs.

use crate::model::{Arg, EffectKind, GitOp, HOLE, WriteHow};
use crate::text::{behind, items};
use crate::walk::{Flow, Stdin, Walk, join, quote_all};

use super::{Split, git_state, is_long, regenerable_name, split, write};

const PROTECTED: &[&str] = &["main", "master", "trunk", "develop", "production", "prod", "release"];

/// A git command with its global options taken off.
struct Git<'a> {
    sub: String,
    args: &'a [Arg],
    config: Vec<(String, String)>,
}

fn parse(args: &[Arg]) -> (Vec<(String, String)>, Option<String>, &[Arg]) {
    let mut config = Vec::new();
    let mut dir = None;
    let mut i = 0;
    while let Some(a) = args.get(i) {
        let t = a.text.as_str();
        match t {
            "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" | "--super-prefix"
            | "--config-env" | "--attr-source" => {
                if t == "-C" {
                    dir = args.get(i + 1).map(|d| d.text.clone());
                }
                i += 2;
            }
            "-c" => {
                if let Some((k, v)) = args.get(i + 1).and_then(|x| x.text.split_once('=')) {
                    config.push((k.to_ascii_lowercase(), v.to_owned()));
                }
                i += 2;
            }
            _ if t.starts_with('-') => i += 1,
            _ => break,
        }
    }
    (config, dir, behind(args, i))
}

pub(crate) fn effects(w: &mut Walk<'_>, args: &[Arg], stdin: &Stdin) -> Flow {
    let (config, dir, rest) = parse(args);
    let Some((sub, tail)) = rest.split_first() else { return Flow::default() };
    let sub_name = sub.text.to_ascii_lowercase();
    for (k, v) in &config {
        if let Some(alias) = k.strip_prefix("alias.")
            && alias == sub_name
        {
            let words = quote_all(tail);
            if let Some(code) = v.strip_prefix('!') {
                return w.run_shell(&format!("{code} {words}"), "git alias", stdin);
            }
            return w.run_shell(&format!("git {v} {words}"), "git alias", stdin);
        }
        if [
            "core.sshcommand", "core.pager", "core.editor", "core.fsmonitor", "diff.external",
            "credential.helper", "sequence.editor",
        ]
        .contains(&k.as_str())
        {
            w.run_shell(v.trim_start_matches('!'), "git -c", &None);
        }
    }
    let before = w.st.cwd.clone();
    if let Some(d) = dir {
        w.st.cwd = Some(w.path(&Arg::new(d)).full);
    }
    let help = tail.iter().take_while(|a| a.text != "--").any(|a| matches!(a.text.as_str(), "--help" | "-h"));
    if !help {
        for change in git_state::changes(&sub_name, tail) {
            let at = w.st.cwd.clone().unwrap_or_else(|| HOLE.to_string());
            w.effect(EffectKind::Checkout { change, at });
        }
        let g = Git { sub: sub_name, args: tail, config };
        subcommand(w, &g);
    }
    w.st.cwd = before;
    Flow::default()
}

fn op(w: &mut Walk<'_>, op: GitOp, g: &Git<'_>) {
    let what =
        format!("git {} {}", g.sub, g.args.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
    let at = w.st.cwd.clone().unwrap_or_else(|| HOLE.to_string());
    w.effect(EffectKind::Git { op, what: what.trim().chars().take(120).collect(), at });
}

/// Whether an option is given, by short letter or long name; git takes long names in any case of shortening.
fn has(s: &Split<'_>, short: char, long: &str) -> bool {
    s.options.iter().any(|a| {
        let t = a.text.as_str();
        match t.strip_prefix("--") {
            Some(name) => is_long(name.split('=').next().unwrap_or(name).to_ascii_lowercase().as_str(), long),
            None => {
                short != '\0'
                    && t.len() > 1
                    && t.bytes().skip(1).take_while(u8::is_ascii_alphabetic).any(|c| char::from(c) == short)
            }
        }
    })
}

/// The effects of one sub-command; those without any are not listed.
fn subcommand(w: &mut Walk<'_>, g: &Git<'_>) {
    match g.sub.as_str() {
        "push" => push(w, g),
        "reset" => reset(w, g),
        "clean" => clean(w, g),
        "checkout" => checkout(w, g),
        "restore" => restore(w, g),
        "switch" => switch(w, g),
        "stash" => stash(w, g),
        "branch" => branch(w, g),
        "reflog" => reflog(w, g),
        "gc" => gc(w, g),
        "prune" => prune(w, g),
        "filter-branch" | "filter-repo" => filter_history(w, g),
        "update-ref" => update_ref(w, g),
        "worktree" => worktree(w, g),
        "rm" => remove(w, g),
        "mv" => rename(w, g),
        "submodule" => submodule(w, g),
        "bisect" => bisect(w, g),
        "rebase" => rebase(w, g),
        "difftool" | "mergetool" => external_tool(w, g),
        "clone" | "fetch" | "pull" | "ls-remote" => transfer(w, g),
        "read-tree" => read_tree(w, g),
        "checkout-index" => checkout_index(w, g),
        "add" | "stage" => stage(w, g),
        "hash-object" | "update-index" => stage_object(w, g),
        "commit" => commit(w, g),
        "show" | "cat-file" | "blame" | "diff" | "log" | "grep" | "annotate" => print_files(w, g),
        "apply" | "am" => patch(w, g),
        _ => {}
    }
}

/// `git reset`: local changes that a hard reset throws away.
fn reset(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "", &[]);
    if has(&s, '\0', "hard") || has(&s, '\0', "merge") || has(&s, '\0', "keep") {
        op(w, GitOp::ResetHard, g);
    }
}

/// `git clean`: untracked files, when it is forced.
fn clean(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "e", &["--exclude"]);
    let forced =
        has(&s, 'f', "force") || g.config.iter().any(|(k, v)| k == "clean.requireforce" && v == "false");
    // What git ignores, below folders that a build makes again.
    let rebuilt =
        |path: &&Arg| {
            path.text.trim_end_matches('/').rsplit('/').next().is_some_and(|name| {
                regenerable_name(name) || matches!(name, "_build" | "_site" | "generated")
            })
        };
    let rebuilt = s.options.iter().any(|a| !a.text.starts_with("--") && a.text.contains('X'))
        && !s.operands.is_empty()
        && s.operands.iter().all(rebuilt);
    if forced && !rebuilt && !has(&s, 'n', "dry-run") && !has(&s, 'i', "interactive") {
        op(w, GitOp::Clean, g);
    }
}

/// `git restore`: local changes of the named files.
fn restore(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "sU", &["--source", "--pathspec-from-file", "--conflict"]);
    let staged = has(&s, 'S', "staged");
    let worktree = has(&s, 'W', "worktree") || !staged;
    if worktree
        && !has(&s, 'p', "patch")
        && (!s.operands.is_empty() || s.value(&["--pathspec-from-file"]).is_some())
    {
        for a in &s.operands {
            write(w, a, WriteHow::Overwrite, Flow::default());
        }
        if s.operands.is_empty() || !s.operands.iter().all(|a| made_again(&a.text)) {
            op(w, GitOp::DiscardPaths, g);
        }
    }
}

/// Whether a file is written by a tool, from what the repository has: nothing of anybody's work is lost with it.
fn made_again(path: &str) -> bool {
    const LOCKS: &[&str] = &[
        "Cargo.lock", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock",
        "bun.lockb", "deno.lock", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock", "Gemfile.lock",
        "composer.lock", "go.sum", "flake.lock", "mix.lock", "pubspec.lock", "Podfile.lock",
        "packages.lock.json", "gradle.lockfile", ".terraform.lock.hcl", "Package.resolved",
        "MODULE.bazel.lock",
    ];
    const FOLDERS: &[&str] = &[
        "dist", "build", "target", "node_modules", "generated", "__generated__", ".next", "coverage",
        "vendor",
    ];
    if path.contains(['*', '?', '[', crate::model::HOLE]) {
        return false;
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    LOCKS.contains(&name)
        || name.ends_with(".min.js")
        || name.ends_with(".min.css")
        || !name.is_empty() && parts.iter().any(|folder| FOLDERS.contains(folder))
}

/// `git switch`: local changes, when it is forced.
fn switch(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "cC", &["--create", "--force-create", "--orphan", "--conflict"]);
    if has(&s, 'f', "force") || has(&s, '\0', "discard-changes") {
        op(w, GitOp::ForceCheckout, g);
    }
}

/// `git stash`: what was put aside.
fn stash(w: &mut Walk<'_>, g: &Git<'_>) {
    match g.args.first().map(|a| a.text.to_ascii_lowercase()).as_deref() {
        Some("drop") => op(w, GitOp::StashDrop, g),
        Some("clear") => op(w, GitOp::StashClear, g),
        _ => {}
    }
}

/// `git branch`: commits that only a deleted or moved branch holds.
fn branch(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(
        g.args,
        "u",
        &["--set-upstream-to", "--contains", "--merged", "--no-merged", "--format", "--sort", "--points-at"],
    );
    let delete = has(&s, 'd', "delete");
    let force = has(&s, 'f', "force");
    if has(&s, 'D', "\u{1}") || (delete && force) {
        op(w, GitOp::DeleteBranch, g);
    } else if force && !delete && s.operands.len() > 1 {
        op(w, GitOp::MoveBranch, g);
    }
}

/// `git reflog`: the way back to lost commits.
fn reflog(w: &mut Walk<'_>, g: &Git<'_>) {
    let verb = g.args.first().map(|a| a.text.as_str()).unwrap_or_default();
    let s = split(g.args, "", &["--expire", "--expire-unreachable"]);
    let now = s.values.iter().any(|(k, v)| {
        k.starts_with("--expire") && matches!(v.text.as_str(), "now" | "all" | "0" | "0.seconds.ago")
    });
    if verb == "expire" && now && !has(&s, 'n', "dry-run") {
        op(w, GitOp::ReflogExpire, g);
    }
}

/// `git gc`: objects that nothing refers to, when they are pruned now.
fn gc(w: &mut Walk<'_>, g: &Git<'_>) {
    let mut prune =
        g.config.iter().any(|(k, v)| k == "gc.pruneexpire" && matches!(v.as_str(), "now" | "all" | "0"));
    for a in g.args {
        if let Some(v) = a.text.strip_prefix("--prune=") {
            prune = matches!(v, "now" | "all" | "0" | "0.seconds.ago");
        } else if a.text == "--no-prune" {
            prune = false;
        }
    }
    if prune {
        op(w, GitOp::PruneObjects, g);
    }
}

/// `git prune`: objects that nothing refers to.
fn prune(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "", &["--expire"]);
    let dated = s.value(&["--expire"]).is_some_and(|v| !matches!(v.text.as_str(), "now" | "all" | "0"));
    if !has(&s, 'n', "dry-run") && !dated {
        op(w, GitOp::PruneObjects, g);
    }
}

/// `git filter-branch`, `git filter-repo`: history, and the programs that rewrite it.
fn filter_history(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(
        g.args,
        "",
        &[
            "--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--commit-filter",
            "--parent-filter", "--tag-name-filter", "--subdirectory-filter", "--setup", "--path",
            "--replace-text",
        ],
    );
    for (k, v) in s.values.clone() {
        if k.ends_with("-filter") && k != "--subdirectory-filter" || k == "--setup" {
            w.run_shell(&v.text, "git filter", &None);
        }
    }
    let dry = has(&s, '\0', "dry-run") || has(&s, '\0', "analyze");
    // A clone among temporary files is what one is told to try it in.
    let clone = w.path(&Arg::new(".")).place == crate::paths::PathZone::Temp;
    if (g.sub == "filter-branch" || has(&s, 'f', "force")) && !dry && !clone {
        op(w, GitOp::RewriteHistory, g);
    }
}

/// `git update-ref`: a ref.
fn update_ref(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "m", &[]);
    if has(&s, 'd', "delete") || has(&s, '\0', "stdin") {
        op(w, GitOp::DeleteRef, g);
    }
}

/// `git worktree`: a work tree with its changes.
fn worktree(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "", &["--expire", "--reason"]);
    // A checkout among the temporary files was made for a look.
    let temporary = s.operands.get(1).is_some_and(|a| w.path(a).place == crate::paths::PathZone::Temp);
    if s.operands.first().is_some_and(|a| a.text == "remove") && has(&s, 'f', "force") && !temporary {
        op(w, GitOp::RemoveWorktree, g);
    }
}

/// `git rm`: tracked files.
fn remove(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "", &["--pathspec-from-file"]);
    let cached = has(&s, '\0', "cached");
    if !cached && !has(&s, 'n', "dry-run") {
        for a in &s.operands {
            let path = w.path(a);
            let recursive = has(&s, 'r', "recursive");
            if has(&s, 'f', "force") && recursive && matches!(path.place, crate::paths::PathZone::ProjectRoot)
            {
                op(w, GitOp::RemoveTracked, g);
            }
            w.effect(EffectKind::Delete { path, recursive: false, force: false, regenerable: false });
        }
    }
}

/// `git mv`: tracked files.
fn rename(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "", &[]);
    if let [from @ .., to] = s.operands.as_slice() {
        let to = w.path(to);
        for f in from {
            let from = w.path(f);
            w.effect(EffectKind::Move { from, to: to.clone() });
        }
    }
}

/// `git submodule`: a work tree, or a command in each.
fn submodule(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "", &["--branch", "--name", "--reference"]);
    match s.operands.first().map(|a| a.text.as_str()) {
        Some("deinit") if has(&s, 'f', "force") => op(w, GitOp::DeinitSubmodule, g),
        Some("foreach") => {
            let at = g.args.iter().position(|a| a.text == "foreach").unwrap_or(0);
            let words: Vec<Arg> = g
                .args
                .iter()
                .skip(at + 1)
                .filter(|a| a.text != "--recursive" && a.text != "--quiet")
                .cloned()
                .collect();
            w.run_shell(&join(&words), "git submodule foreach", &None);
        }
        _ => {}
    }
}

/// `git bisect run`: a command.
fn bisect(w: &mut Walk<'_>, g: &Git<'_>) {
    if let Some((first, rest)) = g.args.split_first()
        && first.text == "run"
    {
        let rest = rest.to_vec();
        w.within_via("git bisect run", |w| w.exec(rest, None));
    }
}

/// `git rebase --exec`: commands.
fn rebase(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "xsX", &["--exec", "--strategy", "--onto", "--strategy-option"]);
    for (k, v) in s.values.clone() {
        if matches!(k.as_str(), "-x" | "--exec") {
            w.run_shell(&v.text, "git rebase --exec", &None);
        }
    }
}

/// `git difftool`, `git mergetool`: a program.
fn external_tool(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "xt", &["--extcmd", "--tool"]);
    if let Some(v) = s.value(&["-x", "--extcmd"]).cloned() {
        w.run_shell(&v.text, "git difftool", &None);
    }
}

/// `git clone`, `fetch`, `pull`, `ls-remote`: programs for the transport.
fn transfer(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(
        g.args,
        "bcoujU",
        &[
            "--upload-pack", "--branch", "--config", "--depth", "--origin", "--reference", "--template",
            "--jobs",
        ],
    );
    if let Some(v) = s.value(&["--upload-pack", "-u"]).cloned() {
        w.run_shell(&v.text, "git --upload-pack", &None);
    }
    for a in &s.operands {
        if let Some(code) = a.text.strip_prefix("ext::") {
            w.run_shell(code, "git ext::", &None);
        }
    }
}

/// `git read-tree`: local changes that a reset throws away.
fn read_tree(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "", &["--prefix", "--exclude-per-directory"]);
    if has(&s, '\0', "reset") && has(&s, 'u', "update") {
        op(w, GitOp::ResetHard, g);
    }
}

/// `git checkout-index`: local changes that are overwritten.
fn checkout_index(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "", &["--prefix", "--stage"]);
    if has(&s, 'f', "force") && !g.args.iter().any(|a| a.text.starts_with("--prefix")) {
        op(w, GitOp::DiscardPaths, g);
    }
}

/// `git add`: what is staged.
fn stage(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "", &["--pathspec-from-file", "--chmod"]);
    if !has(&s, 'n', "dry-run") {
        for a in &s.operands {
            let path = w.path(a);
            w.effect(EffectKind::Stage(path));
        }
    }
}

/// `git hash-object -w FILE`, `git update-index --add FILE`: the content is in the repository under another name.
fn stage_object(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "t", &["--path", "--cacheinfo", "--chmod"]);
    if has(&s, 'w', "write") || has(&s, '\0', "add") {
        for a in &s.operands {
            if w.path(a).sensitive().is_some() {
                w.read_file(a, true);
            }
        }
    }
}

/// `git commit`: a file that is read, hooks that are skipped.
fn commit(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(
        g.args,
        "mFCct",
        &[
            "--message", "--file", "--author", "--date", "--template", "--reuse-message", "--fixup",
            "--squash", "--trailer", "--cleanup", "--pathspec-from-file", "--gpg-sign",
        ],
    );
    if let Some(f) = s.value(&["-F", "--file"]).cloned()
        && f.text != "-"
    {
        w.read_file(&f, true);
    }
    if has(&s, 'n', "no-verify") && !s.options.iter().any(|a| a.text == "--no-edit") {
        op(w, GitOp::SkipHooks, g);
    }
}

/// Sub-commands that print the content of files.
fn print_files(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(
        g.args,
        "nSGLUeOC",
        &[
            "--format", "--pretty", "--since", "--until", "--author", "--grep", "--diff-filter",
            "--word-diff", "--stat", "--max-count",
        ],
    );
    let content = match g.sub.as_str() {
        "log" => has(&s, 'p', "patch"),
        _ => !has(&s, '\0', "stat") && !has(&s, '\0', "name-only") && !has(&s, '\0', "name-status"),
    };
    let skip = usize::from(g.sub == "grep");
    for a in s.operands.iter().skip(skip) {
        let file = a.text.split_once(':').map_or(a.text.as_str(), |(_, f)| f);
        let arg = Arg { text: file.to_owned(), raw: None, ..(*a).clone() };
        let path = w.path(&arg);
        let sensitive = path.sensitive().is_some();
        if sensitive && content || s.has('\0', "no-index") {
            w.read_file(&arg, true);
        }
    }
}

/// `git apply`, `git am`: patches that are read.
fn patch(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "pC", &["--directory", "--exclude", "--include"]);
    for a in &s.operands {
        w.read_file(a, true);
    }
}

fn push(w: &mut Walk<'_>, g: &Git<'_>) {
    let s = split(g.args, "o", &["--push-option", "--receive-pack", "--exec", "--repo"]);
    if has(&s, 'n', "dry-run") {
        return;
    }
    if let Some(v) = s.value(&["--receive-pack", "--exec"]).cloned() {
        w.run_shell(&v.text, "git --receive-pack", &None);
    }
    let lease = s.options.iter().any(|a| {
        a.text.to_ascii_lowercase().starts_with("--force-with") || a.text.starts_with("--force-if-includes")
    });
    let mut force = s.options.iter().any(|a| {
        let t = a.text.to_ascii_lowercase();
        matches!(t.as_str(), "--force" | "--forc" | "--for")
            || (!t.starts_with("--") && t.len() > 1 && t.bytes().skip(1).any(|c| c == b'f'))
    });
    // `--no-force` behind it takes it back.
    if g.args.iter().rposition(|a| a.text == "--no-force")
        > g.args.iter().rposition(|a| matches!(a.text.as_str(), "--force" | "-f"))
    {
        force = false;
    }
    let refs: Vec<&str> = s.operands.iter().skip(1).map(|a| a.text.as_str()).collect();
    let plus = refs.iter().any(|r| r.starts_with('+'));
    let protected = refs.iter().any(|r| {
        let r = r.trim_start_matches('+');
        let target = r.rsplit(':').next().unwrap_or(r);
        let name = target.strip_prefix("refs/heads/").unwrap_or(target);
        PROTECTED.contains(&name) || name.starts_with("release/")
    });
    if s.options.iter().any(|a| matches!(a.text.to_ascii_lowercase().as_str(), "--mirror" | "--prune")) {
        op(w, GitOp::MirrorPush, g);
    }
    if has(&s, 'd', "delete") || refs.iter().any(|r| r.starts_with(':') && r.len() > 1) {
        op(w, GitOp::DeleteRemoteRef, g);
    }
    if force || plus {
        op(w, if protected { GitOp::ForcePushProtected } else { GitOp::ForcePush }, g);
    } else if lease && protected {
        op(w, GitOp::LeasePushProtected, g);
    }
    if has(&s, '\0', "no-verify") {
        op(w, GitOp::SkipHooks, g);
    }
}

fn checkout(w: &mut Walk<'_>, g: &Git<'_>) {
    let dash = g.args.iter().position(|a| a.text == "--");
    let s = split(
        items(g.args, ..dash.unwrap_or(g.args.len())),
        "bB",
        &["--orphan", "--conflict", "--pathspec-from-file"],
    );
    if has(&s, 'f', "force") {
        op(w, GitOp::ForceCheckout, g);
        return;
    }
    if has(&s, 'p', "patch") || has(&s, 'h', "help") {
        return;
    }
    let mut paths: Vec<Arg> = match dash {
        Some(at) => items(g.args, at + 1..).to_vec(),
        None => Vec::new(),
    };
    if s.value(&["--pathspec-from-file"]).is_some() {
        op(w, GitOp::DiscardPaths, g);
        return;
    }
    let creates =
        s.value(&["-b", "-B", "--orphan"]).is_some() || has(&s, 't', "track") || has(&s, '\0', "detach");
    if dash.is_none() && !creates {
        match s.operands.as_slice() {
            // `git checkout file`: a branch has no extension of source code.
            [one]
                if one.text == "."
                    || one.text.starts_with("./")
                    || one.text.starts_with(":/")
                    || one.glob
                    || looks_like_file(&one.text) =>
            {
                paths.push((*one).clone());
            }
            // The second word can only be a path.
            [_, rest @ ..] if !rest.is_empty() => paths.extend(rest.iter().map(|a| (*a).clone())),
            _ => {}
        }
    }
    if !paths.is_empty() {
        for a in &paths {
            write(w, a, WriteHow::Overwrite, Flow::default());
        }
        if !paths.iter().all(|a| made_again(&a.text)) {
            op(w, GitOp::DiscardPaths, g);
        }
    }
}

fn looks_like_file(text: &str) -> bool {
    const EXTENSIONS: &[&str] = &[
        "rs", "py", "js", "ts", "tsx", "jsx", "go", "c", "h", "cpp", "hpp", "java", "kt", "rb", "php", "md",
        "txt", "json", "toml", "yaml", "yml", "lock", "sh", "html", "css", "scss", "sql", "vue", "swift",
        "cs", "xml", "ini", "cfg", "conf", "env",
    ];
    let name = text.rsplit('/').next().unwrap_or(text);
    name.rsplit_once('.').is_some_and(|(stem, e)| !stem.is_empty() && EXTENSIONS.contains(&e))
}
