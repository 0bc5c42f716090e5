//! Rules over commands: which program, which sub-command, with which options.

use sprag_shell::{Arg, Cmd, Words, is_local};

use crate::more_ops::MORE_OPS;
use crate::ops::OPS;
use crate::{Hit, Rule, Verdict, packages, persist, services};

static KILL_ALL: Rule = Rule {
    id: "process:kill-all",
    verdict: Verdict::Deny,
    reason: "This ends every process of the user or of the machine.",
    safer: "End the one process by its id.",
};
static KILL_CRITICAL: Rule = Rule {
    id: "process:kill-critical",
    verdict: Verdict::Ask,
    reason: "This ends a process that the session or the machine depends on.",
    safer: "End only processes that you started, by their id.",
};
static CLOUD_DELETE: Rule = Rule {
    id: "cloud:delete",
    verdict: Verdict::Ask,
    reason: "This deletes a cloud resource.",
    safer: "List it first and let a person delete it.",
};
static CONTAINER_HOST: Rule = Rule {
    id: "containers:host-access",
    verdict: Verdict::Ask,
    reason: "This gives a container the whole host.",
    safer: "Mount only the project directory.",
};
static NETWORK_PROGRAM: Rule = Rule {
    id: "remote-execution:network-program",
    verdict: Verdict::Ask,
    reason: "This runs a program from the network with all rights.",
    safer: "Run it without -A, or read it first.",
};
static TUNNEL: Rule = Rule {
    id: "remote-execution:reverse-tunnel",
    verdict: Verdict::Ask,
    reason: "This gives another machine a way into this one.",
    safer: "Let a person open tunnels.",
};
static STOW: Rule = Rule {
    id: "filesystem:link-farm",
    verdict: Verdict::Ask,
    reason: "This links whatever the packages hold into the home directory, start-up files and agents' settings too.",
    safer: "Look with `stow -n -v` first, and let the user run it.",
};
static API_DELETE: Rule = Rule {
    id: "cloud:api-delete",
    verdict: Verdict::Ask,
    reason: "This deletes or opens something on the hosting service, by its interface.",
    safer: "Show the user the call, and let them make it.",
};
static INDEX_DELETE: Rule = Rule {
    id: "database:index-delete",
    verdict: Verdict::Ask,
    reason: "This deletes an index or documents of a search server.",
    safer: "Count what it would take, and let a person delete it.",
};
static DISK: Rule = Rule {
    id: "system:disk",
    verdict: Verdict::Deny,
    reason: "This formats, partitions or wipes a disk.",
    safer: "Let a person prepare disks.",
};

/// All rules of this file and of the table.
pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
    [
        &KILL_ALL, &KILL_CRITICAL, &CLOUD_DELETE, &CONTAINER_HOST, &NETWORK_PROGRAM, &TUNNEL, &STOW,
        &API_DELETE, &INDEX_DELETE, &DISK,
    ]
    .into_iter()
    .chain(OPS.iter().chain(MORE_OPS).map(|o| &o.rule))
}

pub(crate) fn check(i: usize, cmd: &Cmd, out: &mut Vec<Hit>) {
    let words = Words::of(&cmd.name, &cmd.args);
    for op in OPS.iter().chain(MORE_OPS) {
        if op.form.applies(&cmd.name, &words)
            && !(op.rule.id == "containers:remove-volumes" && is_of_list(cmd))
            && !(op.rule.pack() == "kubernetes" && on_local_cluster(cmd))
        {
            out.push(Hit { rule: &op.rule, cmd: i, what: short(cmd) });
            break;
        }
    }
    let rule = match cmd.name.as_str() {
        "kill" => kill(cmd),
        "pkill" | "killall" | "skill" => pkill(cmd),
        "killall5" => Some(&KILL_ALL),
        "aws" | "gcloud" | "az" | "doctl" | "oci" | "ibmcloud" | "hcloud" | "linode-cli" | "scw"
        | "aliyun" | "exo" | "vultr-cli" | "openstack" | "eksctl" | "kops" | "gsutil" | "bq" | "heroku"
        | "fly" | "flyctl" | "vercel" | "netlify" | "firebase" | "wrangler" | "railway" | "render"
        | "argocd" | "flux" | "rancher" | "nomad" | "rclone" | "mc" | "s3cmd" | "s5cmd" | "lxc" | "incus"
        | "virsh" | "qm" | "pct" | "govc" | "neonctl" | "neon" | "turso" | "pscale" | "koyeb" | "civo"
        | "istioctl" | "linkerd" | "cilium" | "velero" | "supabase" | "planetscale" | "eb" | "copilot"
        | "sam" | "amplify" | "cf" | "dokku" | "upctl" | "b2" => cloud(cmd, &words),
        "docker" | "podman" | "nerdctl" => container_host(cmd),
        "gh" | "glab" => api_call(cmd, &words),
        "curl" | "curlie" => search_server(cmd),
        "deno" => deno(cmd, &words),
        "ssh" | "autossh" => tunnel(cmd),
        "stow" => stow(cmd),
        "kubectl" | "oc" | "k" => services::kubectl(cmd),
        _ => disk(cmd, &words).or_else(|| services::check(cmd, &words)),
    };
    if let Some(rule) = rule {
        out.push(Hit { rule, cmd: i, what: short(cmd) });
    }
    persist::check_command(i, cmd, &words, out);
    packages::check(i, cmd, &words, out);
}

/// `docker ps --filter label=x | xargs docker rm -fv`: containers by what they are, with the volumes that have no name.
fn is_of_list(cmd: &Cmd) -> bool {
    let mut names = cmd.args.iter().filter(|arg| !arg.text.starts_with('-')).skip(1).peekable();
    names.peek().is_some() && names.all(|name| name.text == "a-listed-name")
}

/// Whether a context is named as the tools name it that run a cluster on this machine, to be thrown away.
pub fn is_local_cluster(context: &str) -> bool {
    const LOCAL: [&str; 5] = ["minikube", "docker-desktop", "rancher-desktop", "orbstack", "colima"];
    context.starts_with("kind-") || context.starts_with("k3d-") || LOCAL.contains(&context)
}

/// The command names such a cluster.
fn on_local_cluster(cmd: &Cmd) -> bool {
    let mut given = cmd.args.iter().enumerate().filter_map(|(at, arg)| match arg.text.split_once('=') {
        Some(("--context" | "--kube-context", name)) => Some(name),
        None if matches!(arg.text.as_str(), "--context" | "--kube-context") => {
            cmd.args.get(at + 1).map(|name| name.text.as_str())
        }
        _ => None,
    });
    // The last one counts; a second one is nobody's habit.
    given.next().is_some_and(is_local_cluster) && given.next().is_none()
}

fn short(cmd: &Cmd) -> String {
    cmd.to_string().chars().take(120).collect()
}

fn kill(cmd: &Cmd) -> Option<&'static Rule> {
    let mut args: Vec<&str> = cmd.args.iter().map(|a| a.text.as_str()).collect();
    if matches!(args.first(), Some(&("-l" | "-L" | "--list"))) {
        return None;
    }
    let mut signal_given = false;
    if let Some(first) = args.first().copied() {
        if matches!(first, "-s" | "--signal" | "-n") {
            args.drain(..2.min(args.len()));
            signal_given = true;
        } else if first.starts_with('-') && first != "--" && (args.len() > 1 || first != "-1") {
            args.remove(0);
            signal_given = true;
        }
    }
    // `kill -0` only asks whether a process is there.
    let probe = cmd.args.first().is_some_and(|a| a.text == "-0");
    let _ = signal_given;
    if probe {
        return None;
    }
    let targets = args.iter().filter(|a| **a != "--");
    for t in targets {
        if *t == "-1" {
            return Some(&KILL_ALL);
        }
        if *t == "1" {
            return Some(&KILL_CRITICAL);
        }
    }
    None
}

/// Processes that the session or the machine depends on.
const CRITICAL: &[&str] = &[
    "init", "systemd", "sshd", "launchd", "Xorg", "gnome-shell", "WindowServer", "loginwindow",
    "dbus-daemon", "dockerd", "containerd", "NetworkManager", "kubelet", "login",
];

fn pkill(cmd: &Cmd) -> Option<&'static Rule> {
    let mut pattern: Option<&str> = None;
    let mut by_user = false;
    let mut skip = false;
    for a in &cmd.args {
        let t = a.text.as_str();
        if skip {
            skip = false;
            continue;
        }
        if t.starts_with('-') && t.len() > 1 {
            by_user |= matches!(t, "-u" | "-U" | "--euid" | "--uid" | "--user" | "-G" | "-s" | "-t")
                || t.starts_with("--user=");
            skip = matches!(
                t,
                "-u" | "-U" | "-G" | "-g" | "-s" | "-t" | "-P" | "--signal" | "--euid" | "--uid" | "--user"
            );
        } else {
            pattern = Some(t);
        }
    }
    match pattern {
        Some("." | ".*" | "" | "*" | "[a-z]" | ".+") => Some(&KILL_ALL),
        None if by_user => Some(&KILL_ALL),
        Some(p) if CRITICAL.contains(&p) => Some(&KILL_CRITICAL),
        Some("bash" | "sh" | "zsh") if cmd.args.len() > 1 => Some(&KILL_CRITICAL),
        _ => None,
    }
}

/// Words that say that something goes away.
const VERBS: &[&str] = &[
    "delete", "destroy", "purge", "terminate", "remove", "rm", "rb", "reset", "deregister", "wipe",
    "mb-delete", "drop", "del", "undefine", "uninstall",
];

fn cloud(cmd: &Cmd, w: &Words<'_>) -> Option<&'static Rule> {
    if w.options
        .iter()
        .any(|o| matches!(*o, "--dry-run" | "--dryrun" | "--generate-cli-skeleton" | "--what-if" | "--help"))
        || w.operands.contains(&"help")
    {
        return None;
    }
    let verb = w.operands.iter().take(5).any(|o| {
        let tail = o.rsplit(':').next().unwrap_or(o);
        VERBS.contains(&tail)
            || VERBS.iter().any(|v| tail.strip_prefix(v).is_some_and(|r| r.starts_with('-')) && v.len() > 2)
            || tail.ends_with("-deletion")
            || matches!(tail, "close-account" | "leave-organization" | "empty-bucket")
            || tail.strip_prefix("batch-").is_some_and(|rest| rest.starts_with("delete-"))
    });
    if !verb {
        return None;
    }
    let light = match cmd.name.as_str() {
        // One object is a file; a tree or a bucket is not.
        "aws" if w.operands.first() == Some(&"s3") => {
            w.operands.get(1) == Some(&"rm") && !w.has("--recursive")
        }
        "gsutil" => w.operands.first() == Some(&"rm") && !w.has("-r") && !w.has("-R"),
        "vercel" | "netlify" | "railway" => w.operands.first().is_some_and(|o| matches!(*o, "env" | "alias")),
        "gcloud" => w.operands.first() == Some(&"config"),
        // Without these it is the one that runs here.
        "supabase" => w.operands.first() == Some(&"db") && !w.has("--linked") && !w.has("--db-url"),
        "mc" | "s3cmd" | "s5cmd" => {
            w.operands.first().is_some_and(|o| matches!(*o, "rm" | "del"))
                && !["-r", "--recursive", "--force"].iter().any(|o| w.has(o))
                && !w.operands.iter().any(|o| o.ends_with('*'))
        }
        // Only the verb itself counts: the others name files.
        "rclone" => !w.operands.first().is_some_and(|o| matches!(*o, "purge" | "delete")),
        "lxc" | "incus" | "virsh" | "qm" | "pct" | "nomad" | "eb" | "sam" | "cf" => {
            !w.operands.iter().take(2).any(|o| VERBS.contains(o)) || w.operands.first() == Some(&"exec")
        }
        _ => false,
    };
    (!light).then_some(&CLOUD_DELETE)
}

/// A program of the network that may do everything; without these rights deno keeps it in a sandbox.
fn deno(cmd: &Cmd, w: &Words<'_>) -> Option<&'static Rule> {
    let runs = w.operands.first().is_some_and(|o| matches!(*o, "run" | "install" | "serve" | "eval"))
        || w.operands.first().is_some_and(|o| o.contains("://"));
    let free = w.options.iter().any(|o| {
        matches!(*o, "-A" | "--allow-all" | "--unstable-A")
            || ["--allow-run", "--allow-ffi"].iter().any(|right| o.starts_with(right))
            || o.starts_with('-') && !o.starts_with("--") && o.contains('A')
    });
    let foreign = cmd.args.iter().any(|a| {
        (a.text.starts_with("https://") || a.text.starts_with("http://"))
            && !["https://deno.land/", "https://jsr.io/"].iter().any(|known| a.text.starts_with(known))
            && !is_local(&a.text)
    });
    (runs && free && foreign).then_some(&NETWORK_PROGRAM)
}

/// `ssh -R 2222:localhost:22 HOST`: the other machine gets a way into this one.
fn tunnel(cmd: &Cmd) -> Option<&'static Rule> {
    // `-fNR …`: the last of several letters.
    let clustered = cmd.args.windows(2).filter_map(|pair| match pair {
        [flags, value]
            if flags.text.len() > 2
                && !flags.text.starts_with("--")
                && flags.text.starts_with('-')
                && flags.text.ends_with('R') =>
        {
            Some(value.text.as_str())
        }
        _ => None,
    });
    let opens = values(cmd, &["-R"]).into_iter().chain(clustered).any(|forward| {
        let port = forward.rsplit(':').next().unwrap_or_default();
        matches!(port, "22" | "3389" | "5900" | "2375" | "2376") || !forward.contains(':')
    });
    opens.then_some(&TUNNEL)
}

/// Links whatever the packages hold into the home directory, the agents' settings too.
fn stow(cmd: &Cmd) -> Option<&'static Rule> {
    let options = || cmd.args.iter().map(|a| a.text.as_str()).filter(|text| text.starts_with('-'));
    if options().any(|o| matches!(o, "-n" | "--no" | "--simulate" | "--help" | "-h" | "--version")) {
        return None;
    }
    let home = |to: &&str| {
        let to = to.trim_end_matches('/');
        matches!(to, "~" | "$HOME" | "${HOME}")
            || ["/home/", "/Users/"]
                .iter()
                .any(|p| to.strip_prefix(p).is_some_and(|rest| !rest.contains('/')))
            || to == "/root"
            || to == ".."
    };
    values(cmd, &["-t", "--target"]).iter().any(home).then_some(&STOW)
}

/// The values of an option: `--name value`, `--name=value`.
fn values<'a>(cmd: &'a Cmd, names: &[&str]) -> Vec<&'a str> {
    let mut out = Vec::new();
    for (i, arg) in cmd.args.iter().enumerate() {
        let text = arg.text.as_str();
        for name in names {
            if text == *name {
                out.extend(cmd.args.get(i + 1).map(|next| next.text.as_str()));
            } else if let Some(rest) = text.strip_prefix(name) {
                let short = !name.starts_with("--");
                out.extend(rest.strip_prefix('=').or_else(|| short.then_some(rest)));
            }
        }
    }
    out
}

/// Capabilities with which a container is the host.
const HOST_CAPABILITIES: &[&str] =
    &["ALL", "SYS_ADMIN", "SYS_MODULE", "SYS_RAWIO", "DAC_READ_SEARCH", "SYS_BOOT"];

fn container_host(cmd: &Cmd) -> Option<&'static Rule> {
    let remote = values(cmd, &["-H", "--host"]).iter().any(|to| to.starts_with("tcp://") && !is_local(to));
    let starts = cmd.args.iter().any(|a| matches!(a.text.as_str(), "run" | "create" | "exec"));
    let mounts = || {
        values(cmd, &["-v", "--volume"]).into_iter().map(|v| v.split(':').next().unwrap_or(v)).chain(
            values(cmd, &["--mount"]).into_iter().flat_map(|m| {
                m.split(',')
                    .filter_map(|pair| pair.strip_prefix("source=").or_else(|| pair.strip_prefix("src=")))
            }),
        )
    };
    let host_path = |path: &str| {
        matches!(
            path,
            "/" | "/etc" | "/root" | "/boot" | "/dev" | "/proc" | "/sys" | "/usr" | "/var" | "/home"
        ) || path.ends_with("/docker.sock")
            || path.ends_with("/containerd.sock")
            || path.ends_with("/.ssh")
            || path.ends_with("/.aws")
            || path.ends_with("/.gnupg")
    };
    let has_word = |word: &str| cmd.args.iter().any(|a| a.text == word);
    let host = starts
        && (has_word("--privileged")
            || has_word("--privileged=true")
            || values(cmd, &["--pid", "--userns"]).contains(&"host")
            || values(cmd, &["--cap-add"])
                .iter()
                .any(|c| HOST_CAPABILITIES.contains(&c.trim_start_matches("CAP_")))
            || values(cmd, &["--security-opt"]).iter().any(|o| {
                matches!(
                    *o,
                    "apparmor=unconfined"
                        | "apparmor:unconfined"
                        | "systempaths=unconfined"
                        | "label=disable"
                )
            })
            || values(cmd, &["--device"]).iter().any(|d| {
                d.starts_with("/dev/sd") || d.starts_with("/dev/nvme") || d.starts_with("/dev/mem")
            })
            || mounts().any(host_path));
    (host || remote).then_some(&CONTAINER_HOST)
}

/// `gh api`, `glab api`: a call of the service's interface that deletes, opens or unprotects.
fn api_call(cmd: &Cmd, w: &Words<'_>) -> Option<&'static Rule> {
    if w.operands.first() != Some(&"api") {
        return None;
    }
    let method = values(cmd, &["-X", "--method"]).first().map(|m| m.to_ascii_uppercase());
    let fields = values(cmd, &["-f", "-F", "--field", "--raw-field"]);
    let opens = |field: &&str| {
        let field = field.to_ascii_lowercase();
        matches!(field.as_str(), "visibility=public" | "private=false" | "archived=true")
            || field.starts_with("query=") && field.contains("mutation") && field.contains("delete")
    };
    let protection = w
        .operands
        .iter()
        .any(|o| o.contains("/protection") || o.contains("/collaborators/") || o.ends_with("/transfer"));
    let hit = match method.as_deref() {
        Some("DELETE") => true,
        Some("PUT" | "POST" | "PATCH") => protection || fields.iter().any(opens),
        _ => fields.iter().any(opens),
    };
    hit.then_some(&API_DELETE)
}

/// A request that deletes on a search server, or one to the socket of Docker.
fn search_server(cmd: &Cmd) -> Option<&'static Rule> {
    if values(cmd, &["--unix-socket"]).iter().any(|path| path.ends_with("docker.sock")) {
        return Some(&CONTAINER_HOST);
    }
    let deletes = values(cmd, &["-X", "--request"]).iter().any(|m| m.eq_ignore_ascii_case("DELETE"));
    let hit = cmd.args.iter().any(|arg| {
        let url = arg.text.as_str();
        if !url.contains("://") && !url.contains(":9200") {
            return false;
        }
        let path = url.split_once("://").map_or(url, |(_, rest)| rest);
        let (server, path) = path.split_once('/').unwrap_or((path, ""));
        let name = server.split(':').next().unwrap_or(server);
        let search = server.ends_with(":9200")
            || name
                .split('.')
                .any(|label| matches!(label, "es" | "elastic" | "elasticsearch" | "opensearch"));
        let here = is_local(url) || matches!(name, "localhost" | "127.0.0.1");
        let all = path.starts_with('*') || path.starts_with("_all");
        // An index of this machine that calls itself one for tests is the developer's own.
        let tries = |word: &str| matches!(word, "test" | "tests" | "tmp" | "temp" | "scratch" | "dev");
        let index = path.split(['/', '?']).next().unwrap_or(path);
        let one = here && !all && index.split(|c: char| !c.is_ascii_alphanumeric()).any(tries);
        path.contains("_delete_by_query") || deletes && (search && !one || all)
    });
    hit.then_some(&INDEX_DELETE)
}

/// Options with which `sfdisk` only reads.
const SFDISK_READS: &[&str] = &[
    "-l", "--list", "-d", "--dump", "-J", "--json", "-n", "--no-act", "-s", "-V", "--verify", "-F",
    "--list-free",
];

/// Options with which `mdadm` takes a disk out of an array or writes over one.
const MDADM_CHANGES: &[&str] =
    &["--zero-superblock", "--remove", "--fail", "-f", "-r", "--stop", "-S", "--create", "-C"];

/// Whether `diskutil` erases or changes partitions.
fn diskutil_erases(w: &Words<'_>) -> bool {
    w.operands.first().is_some_and(|o| {
        let o = o.to_ascii_lowercase();
        o.starts_with("erase")
            || o.starts_with("partition")
            || o.starts_with("reformat")
            || o.starts_with("zerodisk")
            || o.starts_with("secureerase")
            || o == "randomdisk"
            || (o == "apfs"
                && w.operands.get(1).is_some_and(|x| x.to_ascii_lowercase().starts_with("delete")))
    })
}

/// Tools that only matter with a device as operand.
fn disk(cmd: &Cmd, w: &Words<'_>) -> Option<&'static Rule> {
    let name = cmd.name.as_str();
    let device = |a: &Arg| a.text.starts_with("/dev/") && a.text.len() > 5;
    let any_device = cmd.args.iter().any(device);
    let operand = !w.operands.is_empty();
    let hit = match name {
        _ if name == "mkfs"
            || name.starts_with("mkfs.")
            || matches!(name, "mke2fs" | "mkswap" | "newfs" | "mkntfs" | "mkdosfs") =>
        {
            operand && !w.has("-n") && !w.has("-N")
        }
        "fdisk" | "gdisk" | "cfdisk" | "cgdisk" => operand && !w.has("-l") && !w.has("--list"),
        "sfdisk" => any_device && !w.options.iter().any(|o| SFDISK_READS.contains(o)),
        "sgdisk" => {
            any_device
                && !(w.has("-p")
                    || w.has("--print")
                    || w.has("-P")
                    || w.has("--pretend")
                    || w.has("-i")
                    || w.has("-v"))
        }
        "parted" => {
            any_device
                && !w.has("-l")
                && !matches!(w.operands.get(1), Some(&("print" | "help" | "unit" | "align-check")))
                && w.operands.len() > 1
        }
        "wipefs" => {
            any_device
                && (w.has("-a") || w.has("--all") || w.has("-o") || w.has("--offset"))
                && !w.has("-n")
                && !w.has("--no-act")
        }
        "fallocate" | "ddrescue" | "dc3dd" | "partclone.restore" => any_device,
        "nwipe" => any_device || w.has("--autonuke"),
        "blkdiscard" | "badblocks" => any_device && (name != "badblocks" || w.has("-w")),
        "hdparm" => w.options.iter().any(|o| {
            o.starts_with("--security-erase")
                || o.starts_with("--trim-sector")
                || o.starts_with("--make-bad-sector")
                || o.starts_with("--write-sector")
                || o.starts_with("--repair-sector")
        }),
        "nvme" => {
            matches!(
                w.operands.first(),
                Some(&("format" | "sanitize" | "delete-ns" | "write" | "write-zeroes" | "reset"))
            ) && any_device
        }
        "lvremove" | "vgremove" | "pvremove" | "lvreduce" => operand && !(w.has("--test") || w.has("-t")),
        "lvm" => {
            matches!(w.operands.first(), Some(&("lvremove" | "vgremove" | "pvremove" | "lvreduce")))
                && w.operands.len() > 1
                && !(w.has("--test") || w.has("-t"))
        }
        "zpool" => {
            matches!(w.operands.first(), Some(&("destroy" | "labelclear" | "remove" | "split")))
                && w.operands.len() > 1
                && !w.has("-n")
        }
        "zfs" => {
            matches!(w.operands.first(), Some(&("destroy" | "rollback")))
                && w.operands.len() > 1
                && !w.has("-n")
        }
        "mdadm" => w.options.iter().any(|o| MDADM_CHANGES.contains(o)) && any_device,
        "cryptsetup" => matches!(
            w.operands.first(),
            Some(&("luksFormat" | "erase" | "luksErase" | "luksKillSlot" | "luksRemoveKey" | "reencrypt"))
        ),
        "btrfs" => matches!(
            w.operands.get(..2),
            Some(["subvolume" | "sub" | "su", "delete" | "del"] | ["device" | "dev", "remove" | "delete"])
        ),
        "diskutil" => diskutil_erases(w),
        "flashrom" => w.has("-w") || w.has("-E"),
        "Format-Volume" | "Clear-Disk" | "Remove-Partition" | "Initialize-Disk" => true,
        _ => false,
    };
    // A file is no disk.
    let image = |o: &&str| {
        let name = o.rsplit('/').next().unwrap_or(o);
        let end = name.rsplit_once('.').map(|(_, end)| end);
        o.starts_with("/tmp/")
            || end.is_some_and(|e| {
                matches!(
                    e,
                    "img" | "iso" | "raw" | "qcow2" | "ext4" | "swap" | "vhd" | "vmdk" | "fat" | "bin"
                )
            })
    };
    let only_images = !any_device && w.operands.iter().any(image);
    (hit && !only_images).then_some(&DISK)
}
