//! Rules over commands: which program, which sub-command, with which options.

use crate::model::{Arg, Cmd};

use super::ops::{OPS, Op, VALUED};
use super::{Hit, Rule, Verdict};

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
static DISK: Rule = Rule {
    id: "system:disk",
    verdict: Verdict::Deny,
    reason: "This formats, partitions or wipes a disk.",
    safer: "Let a person prepare disks.",
};

/// All rules of this file and of the table.
pub(super) fn rules() -> impl Iterator<Item = &'static Rule> {
    [&KILL_ALL, &KILL_CRITICAL, &CLOUD_DELETE, &CONTAINER_HOST, &DISK]
        .into_iter()
        .chain(OPS.iter().map(|o| &o.rule))
}

pub(super) fn check(i: usize, cmd: &Cmd, out: &mut Vec<Hit>) {
    let words = Words::of(cmd);
    for op in OPS {
        if op.programs.contains(&cmd.name.as_str())
            && applies(op, &words)
            && !(op.rule.id == "database:reset" && on_test_database(cmd, &words))
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
        | "fly" | "flyctl" | "vercel" | "netlify" | "firebase" | "wrangler" | "railway" | "render" => {
            cloud(cmd, &words)
        }
        "docker" | "podman" | "nerdctl" => container_host(cmd),
        _ => disk(cmd, &words),
    };
    if let Some(rule) = rule {
        out.push(Hit { rule, cmd: i, what: short(cmd) });
    }
}

/// The command says that it means the database of the tests, which they make again.
fn on_test_database(cmd: &Cmd, words: &Words<'_>) -> bool {
    const VARIABLES: [&str; 5] = ["RAILS_ENV", "RACK_ENV", "MIX_ENV", "APP_ENV", "NODE_ENV"];
    let test = |value: &str| matches!(value, "test" | "testing");
    cmd.env.iter().any(|(name, value)| VARIABLES.contains(&name.as_str()) && test(value))
        || words.options.iter().any(|option| option.strip_prefix("--env=").is_some_and(test))
}

fn short(cmd: &Cmd) -> String {
    cmd.to_string().chars().take(120).collect()
}

/// A command's words by kind.
struct Words<'a> {
    operands: Vec<&'a str>,
    options: Vec<&'a str>,
}

impl<'a> Words<'a> {
    fn of(cmd: &'a Cmd) -> Words<'a> {
        let valued: &[&str] =
            VALUED.iter().find(|(p, _)| p.contains(&cmd.name.as_str())).map_or(&[], |(_, v)| v);
        let mut w = Words { operands: Vec::new(), options: Vec::new() };
        let mut i = 0;
        while let Some(a) = cmd.args.get(i) {
            let t = a.text.as_str();
            if t.starts_with('-') && t.len() > 1 {
                w.options.push(t);
                // `docker compose -f x.yml down`, but `docker rm -f x`.
                let compose = matches!(w.operands.as_slice(), ["compose"])
                    || cmd.name == "docker-compose" && w.operands.is_empty();
                if valued.contains(&t) || (compose && matches!(t, "-f" | "-p")) {
                    i += 1;
                }
            } else {
                w.operands.push(t);
            }
            i += 1;
        }
        w
    }

    fn has(&self, option: &str) -> bool {
        self.options.iter().any(|o| {
            if let Some(short) = option.strip_prefix('-').filter(|s| s.len() == 1) {
                return !o.starts_with("--") && o.get(1..).is_some_and(|r| r.contains(short));
            }
            *o == option
                || o.strip_prefix(option).is_some_and(|r| r.starts_with('='))
                || (option.ends_with('=') && o.starts_with(option))
        })
    }
}

fn applies(op: &Op, w: &Words<'_>) -> bool {
    for (i, alternatives) in op.words.iter().enumerate() {
        let Some(word) = w.operands.get(i) else { return false };
        let hit = alternatives.split('|').any(|a| {
            a == "*"
                || a == *word
                || a.strip_suffix('*').is_some_and(|p| !p.is_empty() && word.starts_with(p))
        });
        if !hit {
            return false;
        }
    }
    if !op.any.is_empty()
        && !op.any.iter().any(|o| if o.starts_with('-') { w.has(o) } else { w.operands.contains(o) })
    {
        return false;
    }
    !op.unless.iter().any(|o| if o.starts_with('-') { w.has(o) } else { w.operands.contains(o) })
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
    "mb-delete", "drop", "del",
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
        _ => false,
    };
    (!light).then_some(&CLOUD_DELETE)
}

fn container_host(cmd: &Cmd) -> Option<&'static Rule> {
    if !cmd.args.iter().any(|a| matches!(a.text.as_str(), "run" | "create" | "exec")) {
        return None;
    }
    let host = cmd.args.iter().any(|a| {
        let t = a.text.trim_start_matches("-v").trim_start_matches("--volume=");
        t.starts_with("/:/") || a.text.contains("source=/,") || a.text.contains("src=/,")
    });
    host.then_some(&CONTAINER_HOST)
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
    hit.then_some(&DISK)
}
