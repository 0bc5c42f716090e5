//! A command's words: operands and options apart, and the form of a command by both.

use crate::model::Arg;

/// A form of command. `words` are the first operands in order (`a|b` = either, `*` = any, `x*` = prefix); one of `any` must
/// be there (when not empty), none of `unless`.
#[derive(Debug)]
pub struct Form {
    /// The programs.
    pub programs: &'static [&'static str],
    /// The first operands.
    pub words: &'static [&'static str],
    /// One of these is among the options and operands.
    pub any: &'static [&'static str],
    /// None of these is.
    pub unless: &'static [&'static str],
}

impl Form {
    /// Whether a command is of this form.
    pub fn applies(&self, name: &str, w: &Words<'_>) -> bool {
        if !self.programs.contains(&name) {
            return false;
        }
        for (i, alternatives) in self.words.iter().enumerate() {
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
        if !self.any.is_empty()
            && !self.any.iter().any(|o| if o.starts_with('-') { w.has(o) } else { w.operands.contains(o) })
        {
            return false;
        }
        !self.unless.iter().any(|o| if o.starts_with('-') { w.has(o) } else { w.operands.contains(o) })
    }
}

/// A command's words by kind.
#[derive(Debug)]
pub struct Words<'a> {
    /// What is no option.
    pub operands: Vec<&'a str>,
    /// What begins with a dash.
    pub options: Vec<&'a str>,
}

impl<'a> Words<'a> {
    /// The words of a command of this name.
    pub fn of(name: &str, args: &'a [Arg]) -> Words<'a> {
        let valued: &[&str] = VALUED.iter().find(|(p, _)| p.contains(&name)).map_or(&[], |(_, v)| v);
        let mut w = Words { operands: Vec::new(), options: Vec::new() };
        let mut i = 0;
        while let Some(a) = args.get(i) {
            let t = a.text.as_str();
            if t.starts_with('-') && t.len() > 1 {
                w.options.push(t);
                // `docker compose -f x.yml down`, but `docker rm -f x`.
                let compose = matches!(w.operands.as_slice(), ["compose"])
                    || name == "docker-compose" && w.operands.is_empty();
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

    /// Whether the option is there; a single letter also among others (`-rf`).
    pub fn has(&self, option: &str) -> bool {
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

/// Options that take the next word, so that it is not taken for a sub-command.
static VALUED: &[(&[&str], &[&str])] = &[
    (
        &["docker", "podman", "nerdctl", "docker-compose"],
        &[
            "-H", "--host", "--context", "-c", "--config", "--log-level", "--file", "--project-name",
            "--profile", "--env-file", "--project-directory", "--filter",
        ],
    ),
    (
        &["kubectl", "oc", "k", "helm"],
        &[
            "-n", "--namespace", "--context", "--kubeconfig", "--cluster", "--user", "-s", "--server",
            "--token", "-o", "--output", "-l", "--selector", "-f", "--filename", "--kube-context", "--as",
            "--field-selector", "-c", "--container", "--timeout", "--grace-period",
        ],
    ),
    (&["aws"], &["--profile", "--region", "--output", "--endpoint-url", "--query", "--color", "--ca-bundle"]),
    (
        &["gcloud", "gsutil", "bq"],
        &[
            "--project", "--account", "--configuration", "--region", "--zone", "--format", "--filter", "-o",
            "--project_id",
        ],
    ),
    (&["az"], &["--subscription", "-g", "--resource-group", "-n", "--name", "-o", "--output", "--query"]),
    (&["terraform", "tofu", "terragrunt"], &["--terragrunt-working-dir", "--working-dir"]),
    (
        &["npm", "pnpm", "yarn"],
        &["--prefix", "-C", "--dir", "--registry", "-w", "--workspace", "--filter", "--cwd", "--tag"],
    ),
    (
        &["cargo"],
        &[
            "--manifest-path", "-p", "--package", "--registry", "--index", "--token", "--config", "-Z",
            "--color", "-C",
        ],
    ),
    (&["systemctl"], &["-H", "-M", "-t", "--type", "-p", "--property", "-s", "--signal", "-n", "-o"]),
    (&["fly", "flyctl", "heroku"], &["-a", "--app", "-c", "--config", "-r", "--remote"]),
    (&["pulumi"], &["-s", "--stack", "-C", "--cwd", "-m", "--message"]),
    (&["iptables", "ip6tables"], &["-t", "--table", "-m", "-p", "-s", "-d", "-j", "--dport", "--sport"]),
    (&["gh", "glab"], &["-R", "--repo", "--hostname"]),
    (
        &["restic", "borg", "kopia"],
        &["-r", "--repo", "-p", "--password-file", "--password-command", "--cache-dir"],
    ),
    (
        &["lvremove", "vgremove", "pvremove", "lvreduce", "lvm"],
        &[
            "--reportformat", "--config", "--commandprofile", "--select", "-S", "--devices", "--devicesfile",
            "--journal", "-L", "--size", "-l", "--extents", "--profile",
        ],
    ),
];
