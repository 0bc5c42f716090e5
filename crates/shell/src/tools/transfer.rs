//! Copies between machines: scp, rsync, rclone and the like.

use crate::model::{Arg, EffectKind, Taint, WriteHow};
use crate::walk::{Flow, Stdin, Walk};

use super::network::send;
use super::{split, write};

fn is_remote(name: &str, text: &str) -> bool {
    match name {
        "gsutil" => text.starts_with("gs://"),
        "s3cmd" => text.starts_with("s3://"),
        "azcopy" => text.starts_with("https://"),
        "rclone" | "mc" => text.split_once(':').is_some_and(|(h, _)| !h.is_empty() && !h.contains('/')),
        _ => {
            text.starts_with("rsync://")
                || text
                    .split_once(':')
                    .is_some_and(|(h, _)| !h.is_empty() && !h.contains('/') && !h.starts_with('.'))
        }
    }
}

/// The commands that `sftp` is given on its input.
fn batch(w: &mut Walk<'_>, s: &super::Split<'_>, stdin: &Stdin) {
    let to = s.operands.last().map_or("sftp", |a| a.text.as_str()).to_owned();
    let text = stdin.as_ref().and_then(|flow| flow.text.clone()).unwrap_or_default();
    for line in text.lines().take(64) {
        let mut words = line.split_whitespace().filter(|word| !word.starts_with('-'));
        if matches!(words.next(), Some("put" | "reput" | "mput"))
            && let Some(file) = words.next()
        {
            let taint = w.read_file(&Arg::new(file), true).taint;
            send(w, file, &to, taint);
        }
    }
}

pub(super) fn copy(w: &mut Walk<'_>, name: &str, args: &[Arg], stdin: &Stdin) -> Flow {
    let (short, long): (&str, &[&str]) = match name {
        "scp" | "sftp" => ("cDFiJloPSX", &[]),
        "rsync" => (
            "efBTM",
            &[
                "--rsh", "--exclude", "--include", "--exclude-from", "--include-from", "--files-from",
                "--filter", "--rsync-path", "--password-file", "--log-file", "--temp-dir", "--backup-dir",
                "--compare-dest", "--link-dest", "--partial-dir", "--bwlimit", "--port", "--chmod",
                "--chown", "--timeout",
            ],
        ),
        _ => ("", &["--config", "--include", "--exclude", "--filter"]),
    };
    let s = split(args, short, long);
    for (k, v) in s.values.clone() {
        match (name, k.as_str()) {
            ("rsync", "-e" | "--rsh" | "--rsync-path") => {
                w.run_shell(&v.text, "rsync -e", &None);
            }
            ("rsync", "--exclude-from" | "--include-from" | "--files-from" | "--password-file") => {
                w.read_file(&v, true);
            }
            ("scp" | "sftp", "-S") => {
                w.run_shell(&v.text, "scp -S", &None);
            }
            ("scp" | "sftp", "-o") => {
                if let Some(code) = v.text.strip_prefix("ProxyCommand=") {
                    w.run_shell(code, "ssh -o", &None);
                }
            }
            _ => {}
        }
    }
    if s.has('n', "dry-run") {
        return Flow::default();
    }
    let mut operands: Vec<Arg> = s.operands.iter().map(|a| (*a).clone()).collect();
    if matches!(name, "rclone" | "gsutil" | "s3cmd" | "azcopy" | "mc") && !operands.is_empty() {
        operands.remove(0);
    }
    if name == "sftp" {
        batch(w, &s, stdin);
    }
    let Some(target) = operands.pop() else { return Flow::default() };
    let to_remote = is_remote(name, &target.text) || matches!(name, "croc" | "wormhole" | "magic-wormhole");
    let mut taint = stdin.as_ref().map(|f| f.taint).unwrap_or_default();
    let mut from_remote = false;
    for a in &operands {
        if is_remote(name, &a.text) {
            from_remote = true;
        } else {
            taint = taint.and(w.read_file(a, true).taint);
        }
    }
    if matches!(name, "croc" | "wormhole" | "magic-wormhole") {
        taint = taint.and(w.read_file(&target, true).taint);
    }
    if s.options.iter().any(|a| matches!(a.text.as_str(), "--remove-source-files" | "--remove-sent-files")) {
        for a in operands.iter().filter(|a| !is_remote(name, &a.text)) {
            let path = w.path(a);
            w.effect(EffectKind::Delete { path, recursive: true, force: true, regenerable: false });
        }
    }
    if to_remote {
        if taint.has(Taint::SECRET) || name != "sftp" {
            send(w, operands.first().map_or("-", |a| a.text.as_str()), &target.text.clone(), taint);
        }
        return Flow::default();
    }
    let data = if from_remote { Flow::unknown(Taint::REMOTE) } else { Flow::unknown(taint) };
    let deletes = s.options.iter().any(|a| a.text.starts_with("--del"));
    if deletes {
        let path = w.path(&target);
        if path.place != crate::paths::PathZone::Project {
            w.effect(EffectKind::Delete { path, recursive: true, force: true, regenerable: false });
        }
    }
    for a in &operands {
        let inside =
            format!("{}/{}", w.path(&target).full, a.text.rsplit(['/', ':']).next().unwrap_or_default());
        w.st.put_file(&crate::paths::normalise(&inside, "/"), data.clone(), false);
    }
    write(w, &target, WriteHow::Overwrite, data);
    Flow::default()
}
