//! Programs that serve a folder, and programs that run a command on many machines.

use crate::model::{Arg, EffectKind};
use crate::text::items;
use crate::walk::{Walk, join};

use super::split;

/// The folder that a server shows, when the command is one.
pub(crate) fn serve(w: &mut Walk<'_>, name: &str, args: &[Arg]) {
    let Some(dir) = folder(name, args) else { return };
    let path = w.path(&Arg::new(dir));
    w.effect(EffectKind::Serve(path));
}

fn folder(name: &str, args: &[Arg]) -> Option<String> {
    let words: Vec<&str> = args.iter().map(|a| a.text.as_str()).collect();
    let after = |keys: &[&str]| {
        words.iter().enumerate().find_map(|(i, word)| {
            let with = keys.iter().find_map(|key| word.strip_prefix(key)?.strip_prefix('='));
            with.or_else(|| keys.contains(word).then(|| words.get(i + 1).copied())?).map(str::to_owned)
        })
    };
    let operand =
        |at: usize| words.iter().filter(|word| !word.starts_with('-')).nth(at).map(|word| (*word).to_owned());
    let here = || ".".to_owned();
    match name {
        _ if name.starts_with("python") => {
            let module = words.iter().position(|word| *word == "-m").and_then(|at| words.get(at + 1))?;
            match *module {
                "http.server" | "SimpleHTTPServer" | "pyftpdlib" | "uploadserver" | "RangeHTTPServer" => {
                    Some(after(&["-d", "--directory"]).unwrap_or_else(here))
                }
                _ => None,
            }
        }
        "php" => words.contains(&"-S").then(|| after(&["-t"]).unwrap_or_else(here)),
        "ruby" => (words.contains(&"-run") && words.contains(&"httpd")).then(|| {
            let at = words.iter().position(|word| *word == "httpd").unwrap_or_default();
            words
                .get(at + 1)
                .filter(|word| !word.starts_with('-'))
                .map_or_else(here, |word| (*word).to_owned())
        }),
        "serve" | "http-server" | "live-server" | "miniserve" | "darkhttpd" | "simple-http-server"
        | "dufs" | "sfz" => Some(operand(0).unwrap_or_else(here)),
        "httpd" => after(&["-h"]),
        "caddy" => {
            (words.first() == Some(&"file-server")).then(|| after(&["--root", "-r"]).unwrap_or_else(here))
        }
        "rclone" => (words.first() == Some(&"serve")).then(|| operand(2).unwrap_or_else(here)),
        "ngrok" | "cloudflared" => {
            words.iter().find_map(|word| word.strip_prefix("file://")).map(str::to_owned)
        }
        _ => None,
    }
}

/// Commands for many machines: what each of them would run is judged like the command of an ssh.
pub(super) fn fleet(w: &mut Walk<'_>, name: &str, args: &[Arg]) {
    let line = match name {
        "ansible" => ansible(args),
        "salt" | "salt-ssh" | "salt-call" => {
            let operands: Vec<&Arg> = args.iter().filter(|a| !a.text.starts_with('-')).collect();
            let at = operands
                .iter()
                .position(|a| matches!(a.text.as_str(), "cmd.run" | "cmd.shell" | "cmd.run_all"));
            at.and_then(|at| operands.get(at + 1)).map(|code| code.text.clone())
        }
        "pdsh" | "dsh" => rest(args, "wxglutfFRmr"),
        "clush" => rest(args, "wgxXltufO"),
        "pssh" | "parallel-ssh" | "prsync" => rest(args, "hHlpoetOx"),
        "knife" => {
            let operands: Vec<&Arg> = args.iter().filter(|a| !a.text.starts_with('-')).collect();
            let ssh = operands.first().is_some_and(|a| a.text == "ssh");
            operands.get(2).filter(|_| ssh).map(|code| code.text.clone())
        }
        "fab" => args.iter().position(|a| a.text == "--").map(|at| join(items(args, at + 1..))),
        _ => None,
    };
    let Some(line) = line.filter(|line| !line.is_empty()) else { return };
    let before = w.st.clone();
    // On the other machines nothing of this one's state holds.
    w.st.vars.clear();
    w.st.files.clear();
    w.st.cwd = Some("/home/remote".to_owned());
    w.run_shell(&line, "fleet", &None);
    w.st = before;
}

/// The words behind the options of the tool.
fn rest(args: &[Arg], valued: &str) -> Option<String> {
    let (mut i, mut from) = (0, None);
    while let Some(arg) = args.get(i) {
        let text = arg.text.as_str();
        if text == "--" {
            from = Some(i + 1);
            break;
        }
        if !text.starts_with('-') {
            from = Some(i);
            break;
        }
        let takes = text.len() == 2 && text.chars().nth(1).is_some_and(|c| valued.contains(c));
        i += if takes { 2 } else { 1 };
    }
    from.map(|at| join(items(args, at..)))
}

/// The shell line that an ad-hoc task of ansible comes to.
fn ansible(args: &[Arg]) -> Option<String> {
    let s = split(
        args,
        "maiufetlMPTB",
        &[
            "--module-name", "--args", "--inventory", "--user", "--forks", "--extra-vars", "--limit",
            "--tree", "--module-path", "--poll", "--timeout", "--background",
        ],
    );
    if s.has('C', "check") || s.has('\0', "list-hosts") {
        return None;
    }
    let module = s.value(&["-m", "--module-name"]).map_or("command", |m| m.text.as_str());
    let module = module.strip_prefix("ansible.builtin.").unwrap_or(module);
    let given = s.value(&["-a", "--args"]).map_or("", |a| a.text.as_str());
    let value =
        |key: &str| given.split_whitespace().find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='));
    match module {
        "shell" | "command" | "raw" => Some(given.to_owned()),
        "reboot" => Some("reboot".to_owned()),
        "file" if value("state") == Some("absent") => {
            value("path").or_else(|| value("dest")).map(|path| format!("rm -rf {}", crate::quote(path)))
        }
        "user" if value("state") == Some("absent") => {
            value("name").map(|name| format!("userdel {}", crate::quote(name)))
        }
        "service" | "systemd" if value("state") == Some("stopped") => {
            value("name").map(|name| format!("systemctl stop {}", crate::quote(name)))
        }
        "apt" | "yum" | "dnf" | "package" if value("state") == Some("absent") => {
            value("name").map(|name| format!("apt remove {}", crate::quote(name)))
        }
        _ => None,
    }
}
