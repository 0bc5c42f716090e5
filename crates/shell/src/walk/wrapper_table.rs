//! The wrappers: which options take a value, and how many words are the wrapper's own.

/// A command that runs the words behind its own options.
pub(super) struct Wrapper {
    pub(super) name: &'static str,
    /// Short options that take a value (as the rest of the word or the next word).
    pub(super) short: &'static str,
    /// Long options that take the next word as value when they have no `=`.
    pub(super) long: &'static [&'static str],
    /// Words of its own before the command (`timeout 5s cmd`).
    pub(super) skip: usize,
    /// `A=b` words before the command are its environment.
    pub(super) assigns: bool,
}

const fn plain(name: &'static str) -> Wrapper {
    Wrapper { name, short: "", long: &[], skip: 0, assigns: false }
}

const fn opts(
    name: &'static str,
    short: &'static str,
    long: &'static [&'static str],
    skip: usize,
) -> Wrapper {
    Wrapper { name, short, long, skip, assigns: false }
}

/// The table.
pub(super) static WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "sudo",
        short: "ugpCcDhrtTUR",
        long: &[
            "--user", "--group", "--prompt", "--close-from", "--chdir", "--host", "--role", "--type",
            "--chroot", "--other-user", "--command-timeout",
        ],
        skip: 0,
        assigns: true,
    },
    Wrapper { name: "doas", short: "uC", long: &[], skip: 0, assigns: true },
    Wrapper {
        name: "env",
        short: "uCS",
        long: &["--unset", "--chdir", "--split-string"],
        skip: 0,
        assigns: true,
    },
    Wrapper {
        name: "genv",
        short: "uCS",
        long: &["--unset", "--chdir", "--split-string"],
        skip: 0,
        assigns: true,
    },
    plain("nohup"),
    plain("builtin"),
    plain("command"),
    opts("exec", "a", &[], 0),
    opts("time", "fo", &["--format", "--output"], 0),
    opts("gtime", "fo", &["--format", "--output"], 0),
    opts("timeout", "ks", &["--kill-after", "--signal"], 1),
    opts("gtimeout", "ks", &["--kill-after", "--signal"], 1),
    opts("nice", "n", &["--adjustment"], 0),
    opts("ionice", "cnpPu", &["--class", "--classdata"], 0),
    opts("chrt", "pTPD", &[], 1),
    opts("taskset", "", &[], 1),
    opts("numactl", "NmCilp", &["--cpunodebind", "--membind", "--physcpubind"], 0),
    opts("stdbuf", "ioe", &["--input", "--output", "--error"], 0),
    plain("setsid"),
    plain("unbuffer"),
    plain("eatmydata"),
    plain("catchsegv"),
    plain("torsocks"),
    opts("proxychains", "f", &[], 0),
    opts("proxychains4", "f", &[], 0),
    opts("rlwrap", "abcfHlopPqsStz", &[], 0),
    opts("strace", "abeEIoOpPsSuX", &["--output", "--trace"], 0),
    opts("ltrace", "aADeFlnopsuwxX", &[], 0),
    opts("valgrind", "", &[], 0),
    opts("faketime", "", &[], 1),
    opts("xvfb-run", "enfps", &["--server-num", "--server-args", "--auth-file"], 0),
    opts("dbus-run-session", "", &["--config-file"], 0),
    opts(
        "systemd-run",
        "uprMHtEGS",
        &[
            "--unit", "--property", "--slice", "--uid", "--gid", "--description", "--setenv",
            "--working-directory", "--on-active", "--on-calendar", "--machine", "--host", "--nice",
            "--service-type", "--timer-property",
        ],
        0,
    ),
    opts("systemd-inhibit", "", &["--what", "--who", "--why", "--mode"], 0),
    opts("unshare", "RwSGl", &["--root", "--wd", "--map-users", "--setuid", "--setgid"], 0),
    opts("nsenter", "tSGW", &["--target", "--setuid", "--setgid"], 0),
    opts("chroot", "", &["--userspec", "--groups"], 1),
    opts("firejail", "", &[], 0),
    opts("runuser", "ugGsw", &["--user", "--group", "--shell"], 0),
    opts("pkexec", "", &["--user"], 0),
    opts("setpriv", "", &["--reuid", "--regid"], 0),
    opts("capsh", "", &[], 0),
    opts("setarch", "", &[], 1),
    plain("linux64"),
    plain("linux32"),
    opts("prlimit", "", &[], 0),
    opts("cpulimit", "lpe", &[], 0),
    opts("caffeinate", "tw", &[], 0),
    opts("flock", "wEx", &["--timeout", "--conflict-exit-code", "--wait"], 1),
    opts("entr", "", &[], 0),
    opts("direnv", "", &[], 2),
    opts("op", "", &["--env-file", "--account"], 1),
    opts("doppler", "pc", &["--project", "--config"], 1),
    opts("dotenv", "ef", &["--env-file"], 0),
    opts("dotenvx", "f", &[], 1),
    opts("aws-vault", "", &["--region", "--duration"], 2),
    opts("busybox", "", &[], 0),
    opts("toybox", "", &[], 0),
    opts("chpst", "ueEbnlLmdotrc", &[], 0),
    opts("gosu", "", &[], 1),
    opts("su-exec", "", &[], 1),
    opts("tini", "", &[], 0),
    opts("dumb-init", "", &[], 0),
    opts("daemonize", "acelopu", &[], 0),
    opts("fakeroot", "lsib", &[], 0),
    opts("proot", "rbwk", &[], 0),
    opts("arch", "", &[], 0),
    opts(
        "hyperfine",
        "wmMrpcSnu",
        &[
            "--warmup", "--min-runs", "--max-runs", "--runs", "--prepare", "--cleanup", "--shell",
            "--export-json", "--export-markdown",
        ],
        0,
    ),
];
