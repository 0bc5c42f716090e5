//! Tools that delete, move, copy, write and pack files.

use crate::model::{Arg, EffectKind, HOLE, ModeHow, Taint, WriteHow};
use crate::paths::PathZone;
use crate::walk::{Flow, Stdin, Walk};

use super::{Split, flag, split, write};

/// The effects of a file tool; none when `name` is not one.
pub(crate) fn effects(w: &mut Walk<'_>, name: &str, args: &[Arg], stdin: &Stdin) -> Option<Flow> {
    match name {
        "rm" | "grm" | "srm" | "rmdir" | "unlink" | "rimraf" | "del" | "rd" | "Remove-Item" | "ri"
        | "rip" => delete(w, name, args),
        // Into the trash: a home directory in it is gone for every program that runs.
        "trash" | "trash-put" | "rmtrash" | "gvfs-trash" | "del-cli" => trash(w, args),
        "gio" | "kioclient"
            if args.first().is_some_and(|a| matches!(a.text.as_str(), "trash" | "remove")) =>
        {
            trash(w, args.get(1..).unwrap_or_default());
        }
        // `zip -m` takes the files away that it packed.
        "zip" if args.iter().any(|a| a.text == "--move" || is_cluster(&a.text) && a.text.contains('m')) => {
            let s = split(args, "bnptTx", &[]);
            for a in s.operands.iter().skip(1) {
                deleted(w, a, s.has('r', "recurse-paths"));
            }
        }
        "shred" | "wipe" => {
            let s = split(args, "ns", &["--iterations", "--size", "--random-source"]);
            for a in &s.operands {
                let path = w.path(a);
                w.effect(EffectKind::Write(path.clone(), WriteHow::Overwrite));
                w.effect(EffectKind::Delete { path, recursive: false, force: true, regenerable: false });
            }
        }
        "mv" | "gmv" | "move" | "Move-Item" | "rename" => move_files(w, args),
        "cp" | "gcp" | "copy" | "Copy-Item" | "install" | "ginstall" | "ditto" | "pax" => copy(w, name, args),
        "ln" | "gln" | "link" => link(w, args),
        "chmod" | "gchmod" | "chown" | "gchown" | "chgrp" | "chattr" | "setfacl" | "xattr" | "icacls" => {
            mode(w, name, args);
        }
        "dd" | "gdd" | "dcfldd" => return Some(dd(w, args, stdin)),
        "truncate" => {
            let s = split(args, "sr", &["--size", "--reference"]);
            let shrinks = s.value(&["-s", "--size"]).is_some_and(|v| !v.text.starts_with('+'));
            let how = if shrinks { WriteHow::Overwrite } else { WriteHow::Append };
            for a in &s.operands {
                write(w, a, how, Flow::default());
            }
        }
        "tee" | "sponge" => return Some(tee(w, args, stdin)),
        "touch" | "mkdir" | "mkfifo" | "mknod" => {
            let s = split(args, "mdtrZ", &["--mode", "--date", "--reference", "--time"]);
            for a in &s.operands {
                write(w, a, WriteHow::Create, Flow::default());
            }
        }
        "patch" => {
            let s = split(args, "piodDBzF", &["--strip", "--input", "--output", "--directory"]);
            if let Some(file) = s.value(&["-i", "--input"]).cloned() {
                w.read_file(&file, true);
            }
            if let Some(a) = s.operands.first() {
                write(w, a, WriteHow::InPlace, Flow::default());
            }
        }
        "tar" | "gtar" | "bsdtar" => return Some(tar(w, args, stdin)),
        "7z" | "7za" | "7zz" if args.first().is_some_and(|a| matches!(a.text.as_str(), "x" | "e")) => {
            if let Some(dir) = args.iter().find_map(|a| a.text.strip_prefix("-o").filter(|d| !d.is_empty())) {
                unpack(w, &Arg::new(dir), stdin);
            }
        }
        "unsquashfs" => {
            let s = split(args, "dp", &["-dest", "-da", "-fr"]);
            if let Some(dir) = s.value(&["-d", "-dest"]).cloned() {
                unpack(w, &dir, stdin);
            }
        }
        "cpio" => {
            let s = split(args, "CDEFHIMOR", &["--directory", "--file", "--format", "--pattern-file"]);
            let extract = s.has('i', "extract") && !s.has('t', "list");
            if extract && let Some(dir) = s.value(&["-D", "--directory"]).cloned() {
                unpack(w, &dir, stdin);
            }
            return None;
        }
        "zip" | "7z" | "7za" | "rar" => return Some(pack(w, name, args)),
        "unzip" | "gunzip" | "unxz" | "bunzip2" | "unzstd" => {
            let s = split(args, if name == "unzip" { "dxP" } else { "S" }, &[]);
            if name == "unzip"
                && let Some(dir) = s.value(&["-d"]).cloned()
            {
                unpack(w, &dir, stdin);
            }
            let mut taint = stdin.as_ref().map(|f| f.taint).unwrap_or_default();
            for a in &s.operands {
                taint = taint.and(w.read_file(a, true).taint);
            }
            return Some(Flow::unknown(taint));
        }
        "gzip" | "bzip2" | "xz" | "zstd" | "lz4" | "pigz" | "compress" => {
            let s = split(args, "SoT", &[]);
            let mut taint = stdin.as_ref().map(|f| f.taint).unwrap_or_default();
            for a in &s.operands {
                taint = taint.and(w.read_file(a, true).taint);
            }
            return Some(Flow::unknown(taint));
        }
        "split" | "csplit" => {
            let s = split(args, "abClntf", &[]);
            if let Some(a) = s.operands.first() {
                w.read_file(a, true);
            }
        }
        "mktemp" => return Some(Flow::text(format!("/tmp/tmp.{HOLE}"))),
        _ => return None,
    }
    Some(Flow::default())
}

/// Writes its input to files, and passes it on.
fn tee(w: &mut Walk<'_>, args: &[Arg], stdin: &Stdin) -> Flow {
    let s = split(args, "", &[]);
    let how = if s.has('a', "append") { WriteHow::Append } else { WriteHow::Overwrite };
    let flow = stdin.clone().unwrap_or_default();
    for a in &s.operands {
        if let Some(script) = w.writer_of(&a.text) {
            w.feed(&script, flow.clone());
        } else {
            write(w, a, how, flow.clone());
        }
    }
    flow
}

/// Puts files into an archive.
fn pack(w: &mut Walk<'_>, name: &str, args: &[Arg]) -> Flow {
    let s = split(args, "bniotxP", &["--exclude", "--include"]);
    if s.has('\0', "unzip-command") {
        return Flow::default();
    }
    let skip = usize::from(name != "zip");
    let mut taint = Taint::NONE;
    let mut it = s.operands.iter().skip(skip);
    let archive = it.next().copied().cloned();
    for a in it {
        taint = taint.and(w.read_file(a, true).taint);
    }
    if let Some(at) = args.iter().position(|a| matches!(a.text.as_str(), "-TT" | "--unzip-command"))
        && let Some(code) = args.get(at + 1)
    {
        w.run_shell(&code.text.clone(), "zip -TT", &None);
    }
    if let Some(a) = archive {
        write(w, &a, WriteHow::Overwrite, Flow::unknown(taint));
    }
    Flow::unknown(taint)
}

/// A path of Windows by the place that it has here: the disk, a home directory, the system.
fn windows_path(raw: &str) -> Option<String> {
    let raw = raw.trim_matches(['"', '\'']);
    let mut letters = raw.chars();
    if !letters.next()?.is_ascii_alphabetic() || letters.next() != Some(':') {
        return None;
    }
    let rest = letters.as_str();
    if !rest.starts_with(['\\', '/']) {
        return None;
    }
    let parts: Vec<&str> = rest.split(['\\', '/']).filter(|part| !part.is_empty()).collect();
    Some(match parts.as_slice() {
        [] => "/".to_owned(),
        [users, rest @ ..] if users.eq_ignore_ascii_case("users") => format!("/home/{}", rest.join("/")),
        [top, ..]
            if ["windows", "program files", "programdata"].contains(&top.to_ascii_lowercase().as_str()) =>
        {
            "/usr".to_owned()
        }
        parts => format!("/mnt/{}", parts.join("/")),
    })
}

/// Single letters behind one dash.
fn is_cluster(text: &str) -> bool {
    text.strip_prefix('-')
        .is_some_and(|letters| !letters.is_empty() && letters.bytes().all(|c| c.is_ascii_alphabetic()))
}

fn trash(w: &mut Walk<'_>, args: &[Arg]) {
    for a in split(args, "", &[]).operands {
        deleted(w, a, true);
    }
}

fn deleted(w: &mut Walk<'_>, a: &Arg, recursive: bool) {
    let path = w.path(a);
    // What lies in the trash or in the archive can be taken back: only what everything depends on counts.
    if matches!(path.place, PathZone::Root | PathZone::System | PathZone::Home | PathZone::ProjectRoot) {
        w.effect(EffectKind::Delete { path, recursive, force: true, regenerable: false });
    }
}

fn delete(w: &mut Walk<'_>, name: &str, args: &[Arg]) {
    let s = split(args, "", &[]);
    let powershell = matches!(name, "Remove-Item" | "ri");
    let has_word = |word: &str| args.iter().any(|a| a.text.eq_ignore_ascii_case(word));
    let recursive = match name {
        "rmdir" | "unlink" => false,
        "rimraf" => true,
        _ if powershell => args.iter().any(|a| a.text.to_ascii_lowercase().starts_with("-r")),
        "rd" | "del" => has_word("/s"),
        _ => s.options.iter().any(|a| flag(a, 'r', "recursive") || flag(a, 'R', "recursive")),
    };
    // `rm -i` asks before each file.
    let asks = s.options.iter().any(|a| flag(a, 'i', "interactive") || flag(a, 'I', "interactive"));
    let force = name == "rimraf" || has_word("-force") || s.options.iter().any(|a| flag(a, 'f', "force"));
    for a in s.operands {
        if matches!(name, "rd" | "del") && a.text.starts_with('/') && a.text.len() == 2 {
            continue;
        }
        let unix = a.raw.as_deref().and_then(windows_path).map(|text| Arg { text, ..a.clone() });
        let path = w.path(unix.as_ref().unwrap_or(a));
        let full = path.full.clone();
        w.effect(EffectKind::Delete { path, recursive, force, regenerable: asks && !force });
        w.st.drop_file(&full);
    }
}

fn move_files(w: &mut Walk<'_>, args: &[Arg]) {
    let s = split(args, "tS", &["--target-directory", "--suffix"]);
    let mut operands: Vec<Arg> = s.operands.iter().map(|a| (*a).clone()).collect();
    let target = match s.value(&["-t", "--target-directory"]).cloned() {
        Some(t) => t,
        None => match operands.pop() {
            Some(t) => t,
            None => return,
        },
    };
    let to = w.path(&target);
    // Several sources need a directory; `/dev/null` is none, so nothing moves.
    if to.place == crate::paths::PathZone::Sink && (operands.len() > 1 || operands.iter().any(|a| a.glob)) {
        return;
    }
    for a in operands {
        let from = w.path(&a);
        let state = w.st.file(&from.full).cloned();
        w.effect(EffectKind::Move { from: from.clone(), to: to.clone() });
        w.effect(EffectKind::Write(to.clone(), WriteHow::Overwrite));
        if let Some(f) = state {
            if !f.gone {
                w.st.put_file(&to.full, f.data.clone(), false);
                let inside = format!("{}/{}", to.full, from.full.rsplit('/').next().unwrap_or_default());
                w.st.put_file(&inside, f.data, false);
            }
        } else if from.sensitive().is_some() {
            let inside = format!("{}/{}", to.full, from.full.rsplit('/').next().unwrap_or_default());
            for place in [to.full.as_str(), inside.as_str()] {
                w.st.put_file(place, Flow::unknown(Taint::SECRET), false);
            }
        }
        w.st.drop_file(&from.full);
    }
}

fn copy(w: &mut Walk<'_>, name: &str, args: &[Arg]) {
    let s = split(
        args,
        if name == "install" { "mogtS" } else { "tS" },
        &["--target-directory", "--suffix", "--mode", "--owner", "--group"],
    );
    if name == "install" && s.has('d', "directory") {
        for a in &s.operands {
            write(w, a, WriteHow::Create, Flow::default());
        }
        return;
    }
    let mut operands: Vec<Arg> = s.operands.iter().map(|a| (*a).clone()).collect();
    let target = match s.value(&["-t", "--target-directory"]).cloned() {
        Some(t) => t,
        None => match operands.pop() {
            Some(t) => t,
            None => return,
        },
    };
    let mut data = Flow::default();
    for a in &operands {
        let kept = w.stays_env_file(a, &target);
        data = w.read_file(a, !kept);
        if kept {
            let path = w.path(a);
            w.effect(EffectKind::List(path));
        }
        let dest = w.path(&target).full;
        let inside = format!("{dest}/{}", a.text.rsplit('/').next().unwrap_or_default());
        if data.taint != Taint::NONE || data.text.is_some() {
            w.st.put_file(&inside, data.clone(), false);
        }
        // What is copied into a folder is written there under its own name.
        let folder = target.text.ends_with('/') || dest == w.ctx.home || operands.len() > 1;
        if folder && !a.glob {
            let path = w.path(&Arg::new(inside));
            w.effect(EffectKind::Write(path, WriteHow::Overwrite));
        }
    }
    write(w, &target, WriteHow::Overwrite, data);
}

fn link(w: &mut Walk<'_>, args: &[Arg]) {
    let s = split(args, "tS", &["--target-directory", "--suffix"]);
    let mut operands: Vec<Arg> = s.operands.iter().map(|a| (*a).clone()).collect();
    let target = if operands.len() > 1 { operands.pop() } else { None };
    let mut data = Flow::default();
    for a in &operands {
        // A second name for a file is a way to read it.
        data = w.read_file(a, true);
    }
    if let Some(t) = target {
        let force = s.has('f', "force");
        write(w, &t, if force { WriteHow::Overwrite } else { WriteHow::Create }, data.clone());
        let full = w.path(&t).full;
        w.st.put_file(&full, data, false);
    }
}

fn mode(w: &mut Walk<'_>, name: &str, args: &[Arg]) {
    let how = match name {
        "chmod" | "gchmod" => ModeHow::Mode,
        "chown" | "gchown" | "chgrp" => ModeHow::Owner,
        _ => ModeHow::Attributes,
    };
    // `chmod -x file`, `chmod -rw file`: a mode, not options.
    let is_mode = |t: &str| {
        how == ModeHow::Mode
            && t.len() > 1
            && t.starts_with('-')
            && t.bytes().skip(1).all(|c| b"rwxXst".contains(&c))
    };
    let mut recursive = false;
    let mut reference = false;
    let mut operands: Vec<&Arg> = Vec::new();
    let mut spec = None;
    let is_attribute = |t: &str| {
        how == ModeHow::Attributes
            && t.len() > 1
            && t.starts_with(['-', '+', '='])
            && !matches!(t, "-R" | "-V" | "-f" | "-RV" | "-Rf")
    };
    for a in args {
        let t = a.text.as_str();
        if (is_mode(t) || is_attribute(t)) && spec.is_none() {
            spec = Some(t.to_owned());
        } else if t.starts_with("--reference") || t.starts_with("--from") {
            reference |= t.starts_with("--reference");
        } else if t.starts_with('-') && t.len() > 1 && operands.is_empty() && t != "--" {
            recursive |= flag(a, 'R', "recursive");
        } else if t == "-R" || t == "--recursive" {
            recursive = true;
        } else if t != "--" {
            operands.push(a);
        }
    }
    let mut files = operands.as_slice();
    if spec.is_none() && !reference {
        let Some((first, rest)) = operands.split_first() else { return };
        spec = Some(first.text.clone());
        files = rest;
    }
    let spec = spec.unwrap_or_default();
    for a in files {
        let path = w.path(a);
        w.effect(EffectKind::Mode { path, recursive, how, spec: spec.clone() });
    }
}

fn dd(w: &mut Walk<'_>, args: &[Arg], stdin: &Stdin) -> Flow {
    let mut flow = stdin.clone().unwrap_or_default();
    let mut written = false;
    for a in args {
        if let Some(v) = a.text.strip_prefix("if=") {
            flow = w.read_file(&Arg { text: v.to_owned(), raw: None, ..a.clone() }, true);
        }
    }
    for a in args {
        if let Some(v) = a.text.strip_prefix("of=") {
            write(w, &Arg { text: v.to_owned(), raw: None, ..a.clone() }, WriteHow::Overwrite, flow.clone());
            written = true;
        }
    }
    if written { Flow::empty() } else { flow }
}

/// A program that tar starts; a bare shell runs whatever tar gives it.
fn runs(w: &mut Walk<'_>, code: &str) {
    if crate::walk::shell_name(code.trim()) {
        w.effect(EffectKind::DynamicShell);
    } else {
        w.run_shell(code, "tar", &None);
    }
}

/// An archive is unpacked into a folder.
fn unpack(w: &mut Walk<'_>, dir: &Arg, stdin: &Stdin) {
    let into = w.path(dir);
    let foreign = stdin.as_ref().is_some_and(|flow| flow.taint.has(Taint::REMOTE));
    w.effect(EffectKind::Unpack { into, foreign });
}

fn tar(w: &mut Walk<'_>, args: &[Arg], stdin: &Stdin) -> Flow {
    let env: Vec<Arg> = w
        .lookup("TAR_OPTIONS")
        .map(|v| v.text.split_whitespace().map(Arg::new).collect())
        .unwrap_or_default();
    let mut all = env;
    // The old style: a first word of bare letters.
    match args.first() {
        Some(a)
            if !a.text.starts_with('-')
                && !a.text.is_empty()
                && a.text.bytes().all(|c| c.is_ascii_alphabetic()) =>
        {
            all.push(Arg::new(format!("-{}", a.text)));
            all.extend(args.iter().skip(1).cloned());
        }
        _ => all.extend(args.iter().cloned()),
    }
    let s: Split<'_> = split(
        &all,
        "fCTXIbgHKLNV",
        &[
            "--file", "--directory", "--files-from", "--exclude-from", "--exclude", "--use-compress-program",
            "--checkpoint-action", "--to-command", "--rsh-command", "--transform", "--format", "--owner",
            "--group", "--mode", "--strip-components",
        ],
    );
    for (k, v) in &s.values {
        match k.as_str() {
            "--checkpoint-action" => {
                if let Some(code) = v.text.strip_prefix("exec=") {
                    runs(w, code);
                }
            }
            "-I"
            | "--use-compress-program"
            | "--to-command"
            | "--rsh-command"
            | "--info-script"
            | "--new-volume-script" => runs(w, &v.text.clone()),
            "-X" | "--exclude-from" | "-T" | "--files-from" => {
                w.read_file(&v.clone(), true);
            }
            _ => {}
        }
    }
    let extract = s.has('x', "extract") || s.has('\0', "get");
    let list = s.has('t', "list");
    let remove = s.has('\0', "remove-files");
    let archive = s.value(&["-f", "--file"]).cloned();
    let remote = archive.as_ref().is_some_and(|a| {
        a.text.split_once(':').is_some_and(|(h, _)| !h.is_empty() && !h.contains('/'))
            && !s.has('\0', "force-local")
    });
    let mut taint = Taint::NONE;
    if extract || list {
        if let Some(a) = &archive
            && a.text != "-"
        {
            taint = w.read_file(a, true).taint;
        }
        if extract {
            if let Some(dir) = s.value(&["-C", "--directory"]).cloned() {
                write(w, &dir, WriteHow::Create, Flow::default());
                unpack(w, &dir, stdin);
            }
            // Paths from the root stay paths from the root.
            if s.has('P', "absolute-names") || s.has('\0', "absolute-paths") {
                unpack(w, &Arg::new("/"), stdin);
            }
        }
        return Flow::unknown(taint);
    }
    for a in &s.operands {
        taint = taint.and(w.read_file(a, true).taint);
        if remove {
            let path = w.path(a);
            w.effect(EffectKind::Delete { path, recursive: true, force: true, regenerable: false });
        }
    }
    match archive {
        Some(a) if remote => {
            w.effect(EffectKind::Send {
                what: "archive".into(),
                to: a.text,
                secret: taint.has(Taint::SECRET),
                outside: taint.has(Taint::OUTSIDE),
            });
        }
        Some(a) if a.text != "-" => write(w, &a, WriteHow::Overwrite, Flow::unknown(taint)),
        _ => {}
    }
    Flow::unknown(taint)
}
