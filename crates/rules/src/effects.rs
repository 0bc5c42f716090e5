//! Rules over effects: files, git, databases, foreign code, data that leaves.

use sprag_shell::{
    Analysis, CodeFrom, Context, Effect, EffectKind, GitOp, HOLE, ModeHow, Note, PathRef, PathZone,
    Statement, WriteHow, host, is_local, regenerable,
};

use crate::{Hit, Rule, Verdict};

macro_rules! rules {
    ($($name:ident = $verdict:ident, $id:literal, $reason:literal, $safer:literal;)*) => {
        $(static $name: Rule = Rule { id: $id, verdict: Verdict::$verdict, reason: $reason, safer: $safer };)*
        /// All rules of this file.
        pub(crate) static RULES: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    RM_ROOT = Deny, "filesystem:rm-root", "This deletes the root of the file system.", "Name the exact directory inside the project.";
    RM_SYSTEM = Deny, "filesystem:rm-system", "This deletes a directory of the operating system.", "Use the package manager, or name a path inside the project.";
    RM_SYSTEM_FILE = Ask, "filesystem:rm-system-file", "This deletes a file of the operating system.", "Leave system files to the package manager or to a person.";
    RM_HOME = Deny, "filesystem:rm-home", "This deletes a home directory or everything in it.", "Name the exact directory inside the project.";
    RM_PROJECT = Deny, "filesystem:rm-project", "This deletes the whole project or a directory above it.", "Delete the build output by name, or use `git clean -n` to see what is untracked.";
    RM_PROJECT_GLOB = Ask, "filesystem:rm-project-files", "This deletes every file at the top of the project.", "Name the files.";
    RM_SOURCES = Ask, "filesystem:rm-sources", "This deletes a whole top-level source directory of the project.", "Delete single files, or use `git rm` so that it can be undone.";
    RM_CREDENTIALS = Ask, "filesystem:rm-credentials", "This deletes keys or credentials in the home directory.", "Move the file aside instead (`mv FILE FILE.old`), or let a person delete it.";
    RM_OUTSIDE = Ask, "filesystem:rm-recursive-outside", "This deletes a directory outside of the project.", "Work inside the project or a temporary directory, or let a person delete it.";
    RM_UNKNOWN = Ask, "filesystem:rm-recursive-unknown", "What this deletes depends on a value that is not known here.", "Use a literal path; in front of a slash write `${var:?}`, so that an empty value is an error.";
    RM_TEMP = Ask, "filesystem:rm-temp-root", "This deletes the directory of temporary files itself, which other programs use.", "Delete your own directory below it.";
    RM_INPUT = Ask, "filesystem:rm-from-input", "This deletes every tree whose name arrives from another command.", "Print the list first, then delete the names in it.";
    RM_SWEEP = Ask, "filesystem:find-delete", "This deletes everything that a search finds.", "Run the search with -print first, and narrow it to what a build makes again.";
    SHRED = Ask, "filesystem:shred", "This overwrites files so that they cannot be recovered.", "Use `rm` on the exact file, or move it away.";
    TRUNCATE = Ask, "filesystem:truncate", "This empties an existing file.", "Write the new content, or use `git rm` if the file shall go.";
    WRITE_DEVICE = Deny, "system:write-device", "This writes to a raw device and destroys what is on it.", "Write to a file.";
    WRITE_SYSTEM = Ask, "filesystem:write-system", "This changes a file of the operating system.", "Let a person change system configuration.";
    WRITE_KEYS = Ask, "filesystem:write-authorized-keys", "This changes who may log in over ssh.", "Let a person add keys.";
    MOVE_AWAY = Deny, "filesystem:move-system", "This moves a system, home or project directory away.", "Move single files inside the project.";
    MOVE_SECRET = Ask, "secrets:moved", "This gives a file with secrets a name that no longer says so.", "Keep its name (`mv .env .env.old`), or leave it where it is.";
    MOVE_NULL = Ask, "filesystem:move-to-null", "Moving a file to /dev/null destroys it.", "Use `rm` on the exact file.";
    MODE_SYSTEM = Deny, "filesystem:mode-system", "This changes the permissions or owner of a system or home tree; programs stop working and files are exposed.", "Change the single file that needs it.";
    MODE_SYSTEM_FILE = Ask, "filesystem:mode-system-file", "This changes the permissions or owner of a system file.", "Let a person change system files.";
    MODE_OPEN = Ask, "filesystem:mode-world-writable", "This makes a whole tree writable for everyone.", "Give the one directory that needs it to its user, with 755 or 750.";
    MODE_SETUID = Ask, "filesystem:setuid", "This lets a program run with its owner's rights.", "Use sudo for the one command.";
    GIT_DIR = Deny, "git:metadata", "This destroys the repository's own data; commits that are not pushed are lost.", "Use git commands to change the repository.";
    PUSH_PROTECTED = Deny, "git:force-push-protected", "This overwrites the history of a shared main branch.", "Push a new commit (`git revert`), or ask a person.";
    PUSH_FORCE = Ask, "git:force-push", "This overwrites the remote branch; commits of others may be lost.", "Use `git push --force-with-lease` on your own branch.";
    PUSH_LEASE = Ask, "git:lease-push-protected", "This rewrites the history of a shared main branch.", "Push a new commit (`git revert`) instead.";
    PUSH_DELETE = Ask, "git:delete-remote", "This deletes a branch or tag on the remote.", "Let a person delete remote branches.";
    PUSH_MIRROR = Ask, "git:mirror-push", "This makes the remote equal to the local repository and deletes refs that are not here.", "Push the branch by name.";
    RESET_HARD = Ask, "git:reset-hard", "This throws away changes that are not committed.", "Use `git stash`, or `git reset --soft`/`--mixed`.";
    CLEAN = Ask, "git:clean", "This deletes untracked files for good.", "Look with `git clean -n` first, or use `git stash -u`.";
    DISCARD = Ask, "git:discard-changes", "This overwrites files in the work tree; changes that are not committed are lost.", "Use `git stash push -- PATH` first.";
    CHECKOUT_FORCE = Ask, "git:checkout-force", "This switches branches and throws local changes away.", "Use `git stash`, then switch without force.";
    STASH_DROP = Ask, "git:stash-drop", "This deletes stashed work.", "Use `git stash branch` to look at it, or keep it.";
    BRANCH_DELETE = Ask, "git:branch-delete-force", "This deletes a branch even when its commits are nowhere else.", "Use `git branch -d`, which refuses when work would be lost.";
    BRANCH_MOVE = Ask, "git:branch-move", "This moves a branch to another commit and may lose its commits.", "Make a new branch at that commit.";
    REFLOG = Ask, "git:reflog-expire", "This deletes the record that lost commits are recovered from.", "Leave the reflog to `git gc`.";
    PRUNE = Ask, "git:prune-objects", "This deletes objects that lost commits are recovered from.", "Run `git gc` without --prune=now.";
    REWRITE = Ask, "git:rewrite-history", "This rewrites every commit.", "Work on a fresh clone and let a person decide.";
    REF_DELETE = Ask, "git:delete-ref", "This deletes refs without any check.", "Use `git branch -d`.";
    WORKTREE = Ask, "git:worktree-remove-force", "This removes a work tree with its uncommitted changes.", "Use `git worktree remove` without force.";
    GIT_RM = Ask, "git:remove-all", "This deletes all tracked files with their local changes.", "Name the files.";
    DEINIT = Ask, "git:submodule-deinit-force", "This removes submodules with their local changes.", "Use it without force.";
    SKIP_HOOKS = Warn, "git:no-verify", "This skips the repository's own checks.", "Fix what the hook reports.";
    DB_DROP = Ask, "database:drop", "This drops a database object with all its data.", "Take a dump first, or let a person do it.";
    DB_TRUNCATE = Ask, "database:truncate", "This deletes every row of a table.", "Delete with a WHERE, inside a transaction.";
    DB_DELETE = Ask, "database:delete-all", "This deletes or changes every row, because it has no WHERE.", "Add a WHERE and run it inside a transaction.";
    DB_FLUSH = Ask, "database:flush", "This deletes all keys.", "Delete the keys by name.";
    DB_MONGO = Ask, "database:drop-collection", "This deletes a collection or database.", "Delete documents with a filter.";
    INSTALLER = Ask, "remote-execution:installer", "This runs the installer of a well-known project, which changes this machine.", "Let the user install it, or use the package manager.";
    REMOTE_CODE = Deny, "remote-execution:download-run", "This runs code from the network that nobody has read.", "Download it to a file, read it, then run it.";
    DECODED_CODE = Ask, "remote-execution:decoded-run", "This runs code that is hidden by an encoding.", "Decode it, read it, and run it in plain text.";
    FOREIGN_CODE = Ask, "remote-execution:foreign-text", "A shell runs text that somebody elsewhere wrote and nobody here has read.", "Print it into a file, read it, then run it.";
    NETWORK_SHELL = Deny, "remote-execution:network-shell", "This gives a shell to the other end of a network connection.", "Use ssh, and let a person start it.";
    DYNAMIC_SHELL = Ask, "remote-execution:input-as-code", "This runs whatever text arrives as shell code.", "Run a fixed command and pass the text as its argument.";
    SEND_SECRET = Deny, "exfiltration:secret", "This sends a secret away from the machine.", "Send only what is needed, without credentials.";
    SEND_OUTSIDE = Ask, "exfiltration:outside-file", "This sends a file from outside the project away from the machine.", "Send files of the project only.";
    SEND_RAW = Ask, "exfiltration:raw-socket", "This sends data over a raw connection.", "Use the tool's own upload command to a known host.";
    RAW_IP = Ask, "exfiltration:raw-address", "This talks to a bare public address, which hides who is there.", "Use the host's name.";
    DROP_HOST = Ask, "exfiltration:drop-host", "This host collects whatever is sent to it.", "Use the project's own service.";
    METADATA = Deny, "secrets:cloud-metadata", "This asks the machine's cloud for its own credentials.", "Use the cloud's own tool with the credentials of a person.";
    SECRET_SHOWN = Ask, "secrets:shown", "This shows a secret, which then stands in the conversation and its logs.", "Let the command that needs it take it unseen: `TOKEN=$(…) COMMAND`, or a variable of the environment.";
    UNPACK_SYSTEM = Ask, "filesystem:unpack-system", "This unpacks an archive over the system or a home directory; whatever it holds replaces what is there.", "List it (`tar tf`), and unpack it into a directory of its own.";
    SERVE_HOME = Ask, "exfiltration:serve-home", "This serves a home directory or the whole disk to whoever connects.", "Serve the one directory that is meant.";
    FORK_BOMB = Deny, "process:fork-bomb", "This starts processes without end until the machine stops.", "Limit the number of jobs and wait for them.";
    TOO_MUCH = Ask, "limits:too-much", "This command is too large or too deeply nested to be understood.", "Put it into a script file and run that.";
}

fn push(out: &mut Vec<Hit>, rule: &'static Rule, cmd: usize, what: impl Into<String>) {
    out.push(Hit { rule, cmd, what: what.into() });
}

/// Whether a move takes a secret out of sight: the new name is not one of a secret's. Aside, in the same folder, is in sight.
fn hides_secret(from: &PathRef, to: &PathRef) -> bool {
    let (folder, name) = from.full.rsplit_once('/').unwrap_or_default();
    let aside = to.full.rsplit_once('/').is_some_and(|(other, new)| other == folder && new.starts_with(name));
    from.sensitive().is_some()
        && to.sensitive().is_none()
        && !aside
        && !to.full.contains(HOLE)
        && !to.expanded.ends_with('/')
        && !to.expanded.ends_with('.')
}

pub(crate) fn check_note(note: Note, out: &mut Vec<Hit>) {
    if note == Note::TooMuch {
        push(out, &TOO_MUCH, 0, "");
    }
}

pub(crate) fn check(analysis: &Analysis, effect: &Effect, ctx: &Context, out: &mut Vec<Hit>) {
    let cmd = effect.cmd;
    let command = analysis.commands.get(cmd);
    let name = command.map_or("", |c| c.name.as_str());
    match &effect.kind {
        EffectKind::Delete { path, recursive, regenerable, .. } => {
            if *regenerable
                && matches!(
                    path.place,
                    PathZone::Project
                        | PathZone::ProjectRoot
                        | PathZone::Temp
                        | PathZone::TempRoot
                        | PathZone::Outside
                        | PathZone::InHome
                )
            {
                return;
            }
            if let Some(rule) = delete_rule(path, *recursive, name, ctx) {
                push(out, rule, cmd, as_known(path));
            }
        }
        EffectKind::DeleteFromInput { recursive } => {
            if *recursive {
                push(out, &RM_INPUT, cmd, name);
            } else if lists_every_file(analysis, cmd) {
                push(out, &RM_PROJECT_GLOB, cmd, "git ls-files");
            }
        }
        EffectKind::Write(path, how) => {
            if let Some(rule) = write_rule(analysis, effect, path, *how) {
                push(out, rule, cmd, path.expanded.clone());
            }
        }
        EffectKind::Move { from, to } => {
            let lost = matches!(
                from.place,
                PathZone::Root | PathZone::System | PathZone::Home | PathZone::ProjectRoot
            );
            if lost {
                push(out, &MOVE_AWAY, cmd, from.expanded.clone());
            } else if from.place == PathZone::GitDir && precious_git(&from.full) {
                push(out, &GIT_DIR, cmd, from.expanded.clone());
            } else if to.full == "/dev/null" {
                push(out, &MOVE_NULL, cmd, from.expanded.clone());
            } else if hides_secret(from, to) {
                push(out, &MOVE_SECRET, cmd, from.expanded.clone());
            }
        }
        EffectKind::Mode { path, recursive, how, spec } => {
            mode((path, *recursive), *how, spec, ctx, cmd, out);
        }
        EffectKind::Git { op, what, .. } => {
            push(out, git_rule(*op), cmd, what.clone());
        }
        EffectKind::Database { statement, text, .. } => {
            let rule = match statement {
                Statement::Drop | Statement::AlterDrop => &DB_DROP,
                Statement::Truncate => &DB_TRUNCATE,
                Statement::DeleteAll | Statement::UpdateAll => &DB_DELETE,
                Statement::Flush => &DB_FLUSH,
                Statement::DropCollection => &DB_MONGO,
                Statement::Shell => return,
            };
            push(out, rule, cmd, text.clone());
        }
        EffectKind::Code { from, by } => {
            let rule = match from {
                CodeFrom::Network => &REMOTE_CODE,
                CodeFrom::Installer => &INSTALLER,
                CodeFrom::Decoded => &DECODED_CODE,
                CodeFrom::NetworkShell => &NETWORK_SHELL,
                CodeFrom::Foreign => &FOREIGN_CODE,
            };
            push(out, rule, cmd, by.clone());
        }
        EffectKind::Send { what, to, secret, outside } => {
            send(analysis, cmd, (what, to), *secret, *outside, out);
        }
        EffectKind::Fetch { from } => {
            if crate::address::is_metadata(from) {
                push(out, &METADATA, cmd, from.clone());
            } else if raw_public_address(from) {
                push(out, &RAW_IP, cmd, from.clone());
            } else if drop_host(from) {
                push(out, &DROP_HOST, cmd, from.clone());
            }
        }
        EffectKind::Secret { what, shown } => {
            if *shown {
                push(out, &SECRET_SHOWN, cmd, what.clone());
            }
        }
        EffectKind::Unpack { into, foreign } => {
            let local = into.full.starts_with("/usr/local") || into.full.starts_with("/opt");
            let system = into.place == PathZone::System && (*foreign || !local);
            if matches!(into.place, PathZone::Root | PathZone::Home) || system {
                push(out, &UNPACK_SYSTEM, cmd, into.expanded.clone());
            }
        }
        EffectKind::Serve(path) => {
            if matches!(path.place, PathZone::Root | PathZone::Home) || path.full == "/etc" {
                push(out, &SERVE_HOME, cmd, path.expanded.clone());
            }
        }
        EffectKind::ForkBomb => push(out, &FORK_BOMB, cmd, name),
        EffectKind::DynamicShell => push(out, &DYNAMIC_SHELL, cmd, name),
        EffectKind::Read(_)
        | EffectKind::Use(_)
        | EffectKind::List(_)
        | EffectKind::Stage(_)
        | EffectKind::Make(_)
        | EffectKind::Checkout { .. } => {}
    }
}

/// `git ls-files | xargs rm`: what is deleted is every file of the repository.
fn lists_every_file(analysis: &Analysis, cmd: usize) -> bool {
    let before = analysis.commands.get(..cmd).unwrap_or_default();
    before.iter().any(|cmd| {
        let mut words = cmd.args.iter().map(|arg| arg.text.as_str());
        cmd.name == "git"
            && words.next() == Some("ls-files")
            && words.all(|word| matches!(word, "-z" | "-c" | "--cached" | "."))
    })
}

const fn git_rule(op: GitOp) -> &'static Rule {
    match op {
        GitOp::ForcePush => &PUSH_FORCE,
        GitOp::ForcePushProtected => &PUSH_PROTECTED,
        GitOp::LeasePushProtected => &PUSH_LEASE,
        GitOp::DeleteRemoteRef => &PUSH_DELETE,
        GitOp::MirrorPush => &PUSH_MIRROR,
        GitOp::ResetHard => &RESET_HARD,
        GitOp::Clean => &CLEAN,
        GitOp::DiscardPaths => &DISCARD,
        GitOp::ForceCheckout => &CHECKOUT_FORCE,
        GitOp::StashDrop | GitOp::StashClear => &STASH_DROP,
        GitOp::DeleteBranch => &BRANCH_DELETE,
        GitOp::MoveBranch => &BRANCH_MOVE,
        GitOp::ReflogExpire => &REFLOG,
        GitOp::PruneObjects => &PRUNE,
        GitOp::RewriteHistory => &REWRITE,
        GitOp::DeleteRef => &REF_DELETE,
        GitOp::RemoveWorktree => &WORKTREE,
        GitOp::RemoveTracked => &GIT_RM,
        GitOp::DeinitSubmodule => &DEINIT,
        GitOp::SkipHooks => &SKIP_HOOKS,
    }
}

fn delete_rule(path: &PathRef, recursive: bool, name: &str, ctx: &Context) -> Option<&'static Rule> {
    if matches!(name, "shred" | "wipe" | "srm") && !matches!(path.place, PathZone::Temp) {
        return Some(&SHRED);
    }
    let wide = path.glob && matches!(path.full.rsplit('/').next(), Some("*" | ".*" | "**" | "*.*"));
    match path.place {
        PathZone::Root if recursive || path.glob => Some(&RM_ROOT),
        PathZone::Device => Some(&RM_SYSTEM),
        PathZone::System if recursive => {
            let opt = ["/opt/", "/mnt/", "/media/", "/srv/", "/var/cache/", "/Volumes/"]
                .iter()
                .any(|p| path.full.starts_with(p));
            Some(if opt { &RM_OUTSIDE } else { &RM_SYSTEM })
        }
        PathZone::System => {
            let volatile = [
                "/run/", "/var/run/", "/var/lock/", "/var/cache/", "/opt/", "/mnt/", "/media/", "/srv/",
                "/var/log/", "/var/lib/", "/home/", "/Users/", "/Volumes/",
            ];
            (!volatile.iter().any(|p| path.full.starts_with(p)) || wide).then_some(&RM_SYSTEM_FILE)
        }
        PathZone::Home if recursive || path.glob => Some(&RM_HOME),
        PathZone::ProjectRoot if recursive => Some(if name == "find" { &RM_SWEEP } else { &RM_PROJECT }),
        PathZone::ProjectRoot if path.glob => Some(&RM_PROJECT_GLOB),
        PathZone::GitDir => {
            let other = !path.full.starts_with(ctx.project_root.as_str());
            if recursive && other && path.full.ends_with("/.git") && in_temp(&path.full) {
                return None;
            }
            (precious_git(&path.full) && (recursive || !path.full.ends_with(".lock"))).then_some(&GIT_DIR)
        }
        PathZone::Project if recursive => {
            if name == "find" {
                return Some(&RM_SWEEP);
            }
            let rest = path.full.strip_prefix(ctx.project_root.trim_end_matches('/')).unwrap_or_default();
            let rest = rest.trim_start_matches('/').trim_end_matches("/*");
            [
                "src", "lib", "app", "apps", "source", "sources", "crates", "packages", "pkg", "internal",
                "cmd", "docs", "tests", "test", "migrations", "include",
            ]
            .contains(&rest)
            .then_some(&RM_SOURCES)
        }
        PathZone::TempRoot if recursive && !path.glob => {
            Some(if name == "find" { &RM_SWEEP } else { &RM_TEMP })
        }
        PathZone::Temp if recursive && name == "find" => None,
        PathZone::InHome if !recursive => is_kept_in_home(path, ctx).then_some(&RM_CREDENTIALS),
        PathZone::InHome => {
            const CACHES: &[&str] = &[
                ".cache/",
                ".npm/",
                ".cargo/registry",
                ".cargo/git",
                ".gradle/caches",
                ".m2/repository",
                "Library/Caches/",
                ".local/share/Trash",
                ".pnpm-store",
                ".yarn/cache",
                ".bun/install/cache",
                ".nuget/packages",
                "go/pkg/mod",
                ".rustup/tmp",
                ".cache",
                "Library/Developer/Xcode/DerivedData",
                "Library/Developer/CoreSimulator/Caches",
                ".ivy2/cache",
                ".pub-cache",
                ".composer/cache",
                ".ccache",
                ".sccache",
                ".node-gyp",
                ".cabal/packages",
                ".hex/packages",
                ".android/cache",
                ".terraform.d/plugin-cache",
                ".gradle/daemon",
                ".yarn/berry/cache",
                ".conan2/p",
                ".npm",
            ];
            let rest = path
                .full
                .strip_prefix(ctx.home.trim_end_matches('/'))
                .unwrap_or_default()
                .trim_start_matches('/');
            let rebuilt = is_rebuilt(rest) && !rest.contains(HOLE);
            (!rebuilt && !CACHES.iter().any(|c| rest.starts_with(c))).then_some(&RM_OUTSIDE)
        }
        PathZone::Outside
            if recursive && name != "find" && path.full.rsplit('/').next().is_some_and(is_build_folder) =>
        {
            None
        }
        PathZone::Outside if recursive => Some(if name == "find" { &RM_SWEEP } else { &RM_OUTSIDE }),
        PathZone::Unknown if recursive => Some(&RM_UNKNOWN),
        _ => None,
    }
}

/// A folder of the home that a program fills again: caches by their name, what a package manager or a build made, plugins that
/// an editor or a shell loads from their repositories.
fn is_rebuilt(rest: &str) -> bool {
    const FOLDERS: [&str; 16] = [
        "tmp", "texmf-var", "cache", "caches", "node_modules", "__pycache__", ".venv", "venv", ".tox",
        ".mypy_cache", ".pytest_cache", ".ruff_cache", ".terraform", "deriveddata", "gpucache", "cacheddata",
    ];
    const PLACES: [&str; 7] = [
        "Library/Developer/Xcode/iOS DeviceSupport",
        "Library/org.swift.swiftpm",
        ".zcompdump",
        ".local/share/nvim/lazy",
        ".local/state/nvim/lazy",
        ".vim/plugged",
        ".tmux/plugins",
    ];
    let rest = rest.trim_end_matches("/*");
    PLACES.iter().any(|place| rest.starts_with(place))
        || rest.split('/').skip(1).any(|part| FOLDERS.contains(&part.to_ascii_lowercase().as_str()))
        || rest.split('/').skip(2).last().is_some_and(is_build_folder)
}

/// The output of a build, in another checkout.
fn is_build_folder(name: &str) -> bool {
    matches!(name, "target" | "build" | "dist" | "obj" | ".next" | ".gradle" | "Pods" | ".build" | "_build")
}

/// Keys and credentials of the user: no project and no dotfile manager brings them back.
fn is_kept_in_home(path: &PathRef, ctx: &Context) -> bool {
    let rest = path.full.strip_prefix(ctx.home.trim_end_matches('/')).unwrap_or_default();
    let rest = rest.trim_start_matches('/');
    rest.starts_with('.') && (path.glob && rest.starts_with(".ssh/") || path.sensitive().is_some())
}

/// A path as a person reads it: with the variable, where its value is not known.
fn as_known(path: &PathRef) -> &str {
    let unknown = path.expanded.contains(HOLE) && !path.written.contains(HOLE);
    if unknown { path.written.trim_matches('"') } else { &path.expanded }
}

fn in_temp(full: &str) -> bool {
    full.starts_with("/tmp/") || full.starts_with("/var/tmp/")
}

/// Parts of `.git` whose loss cannot be undone.
fn precious_git(full: &str) -> bool {
    let inside = full.split_once("/.git/").map(|(_, r)| r);
    match inside {
        None => true,
        Some(r) => {
            !(r.starts_with("hooks")
                || r.ends_with(".lock")
                || r.starts_with("gc.")
                || r.starts_with("COMMIT_EDITMSG")
                || r.starts_with("rebase-")
                || r.starts_with("MERGE_")
                || r.starts_with("info/exclude")
                || r.starts_with("logs/gc"))
        }
    }
}

fn write_rule(analysis: &Analysis, effect: &Effect, path: &PathRef, how: WriteHow) -> Option<&'static Rule> {
    match path.place {
        PathZone::Device if how != WriteHow::Create => return Some(&WRITE_DEVICE),
        PathZone::Root if how != WriteHow::Create => return Some(&WRITE_SYSTEM),
        PathZone::System if how != WriteHow::Create => {
            let guarded = [
                "/etc/", "/usr/", "/bin/", "/sbin/", "/boot/", "/lib", "/proc/", "/sys/", "/dev/",
                "/System/", "/Library/", "/root/", "/var/spool/cron", "/private/etc/",
            ];
            let local = path.full.starts_with("/usr/local/") && !path.full.starts_with("/usr/local/etc");
            let below = format!("{}/", path.full);
            // Empties the kernel's caches before a measurement: nothing is lost.
            let switch =
                matches!(path.full.as_str(), "/proc/sys/vm/drop_caches" | "/proc/sys/vm/compact_memory");
            if !switch && guarded.iter().any(|g| below.starts_with(g)) && !(local && how == WriteHow::Create)
            {
                return Some(&WRITE_SYSTEM);
            }
        }
        PathZone::GitDir
            if how == WriteHow::Overwrite && precious_git(&path.full) && path.full.contains("/.git/") =>
        {
            return (!path.full.ends_with("/config")).then_some(&GIT_DIR);
        }
        _ => {}
    }
    if path.full.ends_with("/.ssh/authorized_keys") && how != WriteHow::Create {
        return Some(&WRITE_KEYS);
    }
    let name = path.full.rsplit('/').next().unwrap_or_default();
    // Emptied: the output of nothing goes over a file.
    if how == WriteHow::Overwrite
        && matches!(path.place, PathZone::Project | PathZone::InHome | PathZone::Outside | PathZone::Unknown)
    {
        let cmd = analysis.commands.get(effect.cmd)?;
        let nothing = match cmd.name.as_str() {
            ">" | "" => true,
            "truncate" => cmd.args.iter().any(|a| matches!(a.text.as_str(), "0" | "-s0" | "--size=0")),
            "cat" | "cp" | "install" => {
                cmd.args.iter().find(|a| !a.text.starts_with('-')).is_some_and(|a| a.text == "/dev/null")
            }
            "echo" | "printf" => {
                cmd.args.iter().all(|a| a.text.is_empty() || a.text == "-n") && !cmd.args.is_empty()
            }
            _ => false,
        };
        if nothing && !regenerable(name) && !name.contains("log") && !name.ends_with(".txt~") {
            return Some(&TRUNCATE);
        }
    }
    None
}

fn mode(
    (path, recursive): (&PathRef, bool),
    how: ModeHow,
    spec: &str,
    ctx: &Context,
    cmd: usize,
    out: &mut Vec<Hit>,
) {
    let tree = recursive || path.glob;
    if path.full.ends_with("/docker.sock")
        && matches!(spec, "666" | "0666" | "777" | "0777" | "o+rw" | "a+rw" | "o+w" | "a+w")
    {
        push(out, &MODE_SYSTEM_FILE, cmd, path.expanded.clone());
        return;
    }
    match path.place {
        PathZone::Root | PathZone::System | PathZone::Home if tree => {
            push(out, &MODE_SYSTEM, cmd, path.expanded.clone());
        }
        PathZone::Root => push(out, &MODE_SYSTEM, cmd, path.expanded.clone()),
        PathZone::System | PathZone::Device => {
            let local = ["/usr/local/", "/opt/", "/srv/", "/mnt/", "/run/", "/var/"]
                .iter()
                .any(|p| path.full.starts_with(p));
            if !local {
                push(out, &MODE_SYSTEM_FILE, cmd, path.expanded.clone());
            }
        }
        _ => {}
    }
    // The project itself may be given to its user; what is above it, or closing it for everyone, is another matter.
    let shut = matches!(spec, "000" | "0" | "00" | "0000" | "a-rwx" | "a=" | "ugo-rwx" | "-rwx" | "u-rwx");
    if tree
        && path.place == PathZone::ProjectRoot
        && (shut || how == ModeHow::Mode && path.full != ctx.project_root.trim_end_matches('/') && !path.glob)
    {
        push(out, &MODE_SYSTEM, cmd, path.expanded.clone());
    }
    if how == ModeHow::Mode {
        let open = matches!(
            spec,
            "777" | "0777" | "a+rwx" | "ugo+rwx" | "a=rwx" | "666" | "0666" | "o+w" | "a+w" | "+rwx"
        );
        if open
            && recursive
            && matches!(
                path.place,
                PathZone::ProjectRoot | PathZone::Outside | PathZone::InHome | PathZone::Unknown
            )
        {
            push(out, &MODE_OPEN, cmd, path.expanded.clone());
        }
        let setuid = spec.contains("+s")
            || (spec.len() == 4
                && spec.starts_with(['2', '4', '6'])
                && spec.bytes().all(|c| c.is_ascii_digit()));
        if setuid && !(spec.starts_with("g+s") || spec.starts_with('2')) {
            push(out, &MODE_SETUID, cmd, path.expanded.clone());
        }
    }
}

fn send(
    analysis: &Analysis,
    cmd: usize,
    (what, to): (&str, &str),
    secret: bool,
    outside: bool,
    out: &mut Vec<Hit>,
) {
    if secret {
        push(out, &SEND_SECRET, cmd, format!("{what} → {to}"));
        return;
    }
    if raw_public_address(to) {
        push(out, &RAW_IP, cmd, to);
        return;
    }
    if drop_host(to) {
        push(out, &DROP_HOST, cmd, to);
        return;
    }
    if outside && !is_local(to) {
        push(out, &SEND_OUTSIDE, cmd, what);
    }
    let name = analysis.commands.get(cmd).map_or("", |c| c.name.as_str());
    if what == "raw" && matches!(name, "nc" | "ncat" | "netcat" | "telnet") && !is_local(to) {
        push(out, &SEND_RAW, cmd, to);
    }
}

fn raw_public_address(address: &str) -> bool {
    let h = host(address);
    if let Ok(v4) = h.parse::<std::net::Ipv4Addr>() {
        return !(v4.is_private()
            || v4.is_loopback()
            || v4.is_link_local()
            || v4.is_unspecified()
            || v4.is_broadcast()
            || v4.octets().first() == Some(&100)
                && v4.octets().get(1).is_some_and(|o| (64..128).contains(o)));
    }
    if address.contains('[')
        && let Ok(v6) = h.parse::<std::net::Ipv6Addr>()
    {
        let first = v6.segments().first().copied().unwrap_or(0);
        return !(v6.is_loopback()
            || v6.is_unspecified()
            || first & 0xfe00 == 0xfc00
            || first & 0xffc0 == 0xfe80);
    }
    // Addresses written as one number.
    let number =
        h.strip_prefix("0x").is_some_and(|x| x.len() == 8 && x.bytes().all(|c| c.is_ascii_hexdigit()))
            || (h.len() >= 9 && h.bytes().all(|c| c.is_ascii_digit()));
    number && address.contains("://")
}

fn drop_host(address: &str) -> bool {
    const HOSTS: &[&str] = &[
        "webhook.site", "requestbin.com", "requestbin.net", "pipedream.net", "hookbin.com", "beeceptor.com",
        "requestcatcher.com", "ngrok.io", "ngrok-free.app", "ngrok.app", "burpcollaborator.net",
        "oastify.com", "interact.sh", "interactsh.com", "oast.fun", "oast.pro", "oast.live", "oast.site",
        "oast.online", "oast.me", "dnslog.cn", "ceye.io", "transfer.sh", "file.io", "0x0.st", "termbin.com",
        "ix.io", "pastebin.com", "paste.ee", "hastebin.com", "dpaste.com", "dpaste.org", "anonfiles.com",
        "gofile.io", "temp.sh", "bashupload.com", "oshi.at", "catbox.moe", "canarytokens.com", "mockbin.org",
        "postb.in", "serveo.net", "localtunnel.me", "loca.lt", "trycloudflare.com", "ptsv2.com", "ptsv3.com",
        "webhook.cool",
    ];
    let h = host(address);
    HOSTS.iter().any(|d| h == *d || h.strip_suffix(d).is_some_and(|r| r.ends_with('.')))
}
