//! The administration of another machine over ssh. There a change of the system is the work that the user asked for, and it
//! can be undone: packages are installed again, services started, configuration written back, a machine comes back from a
//! restart. What destroys data, cuts the machine off or opens it is stopped wherever it runs.

use sprag_shell::{Analysis, Cmd, EffectKind, PathRef, WriteHow};

use crate::Hit;

/// The hit is about a change that is ordinary on a machine that is administered over ssh.
pub(crate) fn is_administration(hit: &Hit, analysis: &Analysis) -> bool {
    let Some(cmd) = analysis.commands.get(hit.cmd) else { return false };
    // Packages and users of a container are its own.
    let inside = cmd.reached.contains(&"container")
        && matches!(hit.rule.id, "packages:system-remove" | "system:users");
    if !is_elsewhere(cmd) && !inside {
        return false;
    }
    let has = |words: &[&str]| cmd.args.iter().any(|arg| words.contains(&arg.text.as_str()));
    match hit.rule.id {
        "system:logs" => true,
        // Services, timers and start-up files are what such a machine is set up with.
        "persistence:service"
        | "persistence:schedule"
        | "persistence:shell-startup"
        | "persistence:package-index" => true,
        "system:kernel" => cmd.name == "sysctl",
        "system:power" => cmd.name == "reboot" || has(&["reboot"]) || cmd.name == "shutdown" && has(&["-r"]),
        "system:service" => !cmd.args.iter().any(|arg| starts_with_one(&arg.text, CONNECTION)),
        "system:users" => cmd.name == "usermod" && !has(&["-L", "--lock", "-p", "--password", "-e"]),
        "packages:system-remove" => {
            let purges = has(&["purge", "autopurge", "--purge", "-P"]);
            let loses = |name: &str| {
                starts_with_one(name, CONNECTION)
                    || starts_with_one(name, NEEDED)
                    || purges && starts_with_one(name, DATA)
            };
            !cmd.args.iter().any(|arg| loses(&arg.text))
        }
        "filesystem:write-system" => {
            analysis.effects.iter().filter(|effect| effect.cmd == hit.cmd).all(|effect| match &effect.kind {
                EffectKind::Write(path, how) => path.expanded != hit.what || is_configuration(path, *how),
                _ => true,
            })
        }
        "filesystem:rm-system-file" => analysis.effects.iter().any(|effect| match &effect.kind {
            EffectKind::Delete { path, .. } => {
                effect.cmd == hit.cmd && path.expanded == hit.what && is_drop_in(path)
            }
            _ => false,
        }),
        "filesystem:mode-system-file" => analysis.effects.iter().any(|effect| match &effect.kind {
            EffectKind::Mode { path, spec, .. } => {
                let open =
                    spec.contains("+w") && !spec.starts_with('u') || spec.ends_with(['2', '3', '6', '7']);
                effect.cmd == hit.cmd
                    && path.expanded == hit.what
                    && !open
                    && is_configuration(path, WriteHow::InPlace)
            }
            _ => false,
        }),
        _ => false,
    }
}

/// Reached over ssh, on a machine that is not this one.
fn is_elsewhere(cmd: &Cmd) -> bool {
    cmd.reached.iter().any(|via| matches!(*via, "ssh" | "ssh input"))
}

fn starts_with_one(text: &str, starts: &[&str]) -> bool {
    starts.iter().any(|start| text.starts_with(start))
}

/// Services and packages without which the machine is not reached any more, or reached by everyone.
const CONNECTION: &[&str] = &[
    "ssh", "openssh", "network", "NetworkManager", "systemd-networkd", "systemd-resolved", "netplan",
    "ifupdown", "dhcp", "cloud-init", "ufw", "firewalld", "nftables", "iptables", "wireguard", "openvpn",
    "tailscale",
];
/// Packages without which it does not start or nobody becomes root.
const NEEDED: &[&str] =
    &["linux-image", "linux-generic", "kernel", "grub", "systemd", "sudo", "libc6", "glibc", "init"];
/// Packages whose configuration is people's data: to purge them deletes it.
const DATA: &[&str] = &[
    "postgresql", "mysql", "mariadb", "mongodb", "redis", "elasticsearch", "opensearch", "influxdb",
    "cassandra", "clickhouse", "rabbitmq", "docker", "containerd", "gitlab", "vault",
];

/// A file of the system's configuration whose loss does not cut the machine off.
fn is_configuration(path: &PathRef, how: WriteHow) -> bool {
    /// Who may log in and become what, and what every program loads.
    const CRITICAL: &[&str] = &[
        "/etc/passwd", "/etc/shadow", "/etc/group", "/etc/gshadow", "/etc/pam.d", "/etc/ld.so.preload",
        "/etc/crypttab",
    ];
    /// Files without which the machine does not start or is not reached: lines may be changed and added.
    const WHOLE: &[&str] = &["/etc/fstab", "/etc/ssh/sshd_config", "/etc/network/interfaces"];
    let full = path.full.as_str();
    let folder = ["/etc/", "/usr/local/", "/root/", "/usr/share/keyrings/", "/var/spool/cron"];
    folder.iter().any(|folder| full.starts_with(folder))
        && !starts_with_one(full, CRITICAL)
        && full != "/etc/sudoers"
        && !path.glob
        && !(how == WriteHow::Overwrite && WHOLE.contains(&full))
}

/// A single file in a folder of additions: `/etc/apt/sources.list.d/old.list`, `/etc/nginx/sites-enabled/default`.
fn is_drop_in(path: &PathRef) -> bool {
    let folder = path.full.rsplit('/').nth(1).unwrap_or_default();
    let additions = folder.ends_with(".d") || folder.ends_with("-enabled") || folder.ends_with("-available");
    path.full.starts_with("/etc/") && additions && folder != "pam.d" && !path.glob
}
