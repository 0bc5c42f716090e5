//! Redirections, descriptors and files: where input comes from and output goes.

use std::rc::Rc;

use crate::model::{Arg, EffectKind, Taint, WriteHow};
use crate::paths::{self, PathZone};
use crate::sensitive;
use crate::syntax::ast::{Redirect, RedirectOp, Script};

use super::state::{Fd, FileState};
use super::{Flow, Stdin, Walk};

/// Where a command's output goes.
#[derive(Default)]
pub(super) struct Outs {
    pub(super) redirected: bool,
    /// The input is another one than outside.
    pub(super) input: bool,
    pub(super) files: Vec<(String, bool)>,
    pub(super) writers: Vec<Rc<Script>>,
    pub(super) network: bool,
}

impl Walk<'_> {
    pub(super) fn redirects(&mut self, list: &[Redirect], stdin: &Stdin, keep: bool) -> (Stdin, Outs) {
        let mut input = stdin.clone();
        let mut outs = Outs::default();
        for r in list {
            let fd = r.fd.as_deref();
            match r.op {
                RedirectOp::HereDoc | RedirectOp::HereString => {
                    let mut value = match r.body.as_ref().and_then(|b| b.get()) {
                        Some(w) => self.expand_one(w),
                        None => self.expand_one(&r.target),
                    };
                    if r.op == RedirectOp::HereString {
                        value.text.push('\n');
                    }
                    let flow = Flow { text: Some(value.text), taint: value.taint };
                    outs.input |= matches!(fd, None | Some("0"));
                    self.open_in(fd, flow, keep, &mut input);
                }
                RedirectOp::In | RedirectOp::InOut => {
                    let target = self.expand_one(&r.target);
                    let mut flow = self.read_file(&target, true);
                    if self.network_path(&target) {
                        outs.network = true;
                        flow = Flow::unknown(Taint::REMOTE);
                    }
                    outs.input |= matches!(fd, None | Some("0"));
                    self.open_in(fd, flow, keep, &mut input);
                }
                RedirectOp::DupIn => {
                    let target = self.expand_one(&r.target);
                    if let Some(Fd::Data(flow)) = self.fd(&target.text).cloned() {
                        outs.input |= matches!(fd, None | Some("0"));
                        self.open_in(fd, flow, keep, &mut input);
                    }
                }
                RedirectOp::Out
                | RedirectOp::Append
                | RedirectOp::OutAndErr
                | RedirectOp::AppendOutAndErr
                | RedirectOp::DupOut => {
                    let target = self.expand_one(&r.target);
                    self.open_out(r, &target, keep, &mut outs);
                }
            }
        }
        (input, outs)
    }

    fn open_in(&mut self, fd: Option<&str>, flow: Flow, keep: bool, input: &mut Stdin) {
        match fd {
            None | Some("0") => *input = Some(flow),
            Some(name) => {
                let name = name.to_owned();
                self.name_descriptor(&name);
                self.st.fds.retain(|(n, _)| *n != name || !keep);
                self.st.fds.push((name, Fd::Data(flow)));
            }
        }
    }

    /// `{name}<file`: the variable has the number of the descriptor, which is known here by the variable's name.
    fn name_descriptor(&mut self, name: &str) {
        if !name.starts_with(|c: char| c.is_ascii_digit()) {
            self.st.set(name, Arg::new(name));
        }
    }

    fn network_path(&mut self, target: &Arg) -> bool {
        let hit = target.text.starts_with("/dev/tcp/") || target.text.starts_with("/dev/udp/");
        if hit {
            self.effect(EffectKind::Send {
                what: "-".into(),
                to: target.text.clone(),
                secret: false,
                outside: false,
            });
        }
        hit
    }

    pub(super) fn fd(&self, name: &str) -> Option<&Fd> {
        self.st.fds.iter().rev().find(|(n, _)| n == name).map(|(_, f)| f)
    }

    fn open_out(&mut self, r: &Redirect, target: &Arg, keep: bool, outs: &mut Outs) {
        let stdout = matches!(r.fd.as_deref(), None | Some("1"));
        let dup = r.op == RedirectOp::DupOut;
        if dup && (target.text == "-" || matches!(target.text.as_str(), "1" | "2")) {
            if stdout && target.text == "2" {
                outs.redirected = true;
            }
            return;
        }
        let fd_name =
            target.text.strip_prefix("/dev/fd/").or(if dup { Some(target.text.as_str()) } else { None });
        if let Some(fd) = fd_name.and_then(|n| self.fd(n).cloned()) {
            match fd {
                Fd::Writer(script) if keep => {
                    let name = r.fd.clone().unwrap_or_else(|| "1".into());
                    self.name_descriptor(&name);
                    self.st.fds.push((name, Fd::Writer(script)));
                }
                Fd::Writer(script) => {
                    outs.redirected |= stdout;
                    outs.writers.push(script);
                }
                Fd::File(path) => {
                    outs.redirected |= stdout;
                    outs.files.push((path, true));
                }
                Fd::Data(_) => outs.redirected |= stdout,
            }
            return;
        }
        if dup && target.text.bytes().all(|c| c.is_ascii_digit()) {
            outs.redirected |= stdout;
            return;
        }
        if self.network_path(target) {
            outs.network = true;
            outs.redirected |= stdout;
            return;
        }
        let append = matches!(r.op, RedirectOp::Append | RedirectOp::AppendOutAndErr);
        let path = self.path(target);
        let full = path.full.clone();
        if path.place != PathZone::Sink {
            self.effect(EffectKind::Write(path, if append { WriteHow::Append } else { WriteHow::Overwrite }));
        }
        if stdout {
            outs.redirected = true;
            outs.files.push((full.clone(), append));
        }
        if keep {
            let name = r.fd.clone().unwrap_or_else(|| "1".into());
            self.name_descriptor(&name);
            self.st.fds.push((name, Fd::File(full)));
        }
    }

    /// The program that reads what is written to `path`, when that is `>(…)`.
    pub(crate) fn writer_of(&self, path: &str) -> Option<Rc<Script>> {
        match self.fd(path.strip_prefix("/dev/fd/")?) {
            Some(Fd::Writer(script)) => Some(Rc::clone(script)),
            _ => None,
        }
    }

    /// Walk a program with this input.
    pub(crate) fn feed(&mut self, script: &Script, flow: Flow) {
        let before = self.snapshot();
        self.within_via(">()", |w| w.deciding(false, |w| w.script(script, &Some(flow))));
        self.leave(before);
    }

    /// Hand a command's output to where it goes.
    pub(super) fn deliver(&mut self, flow: Flow, outs: Outs) -> Flow {
        for (path, append) in &outs.files {
            self.st.put_file(path, flow.clone(), *append);
        }
        let kept = |path: &str| path == "/dev/null" || sensitive::of_text(path, self.ctx).is_some();
        if outs.redirected && flow.taint.is_loaded() {
            self.leaks |= outs.files.is_empty() || !outs.files.iter().all(|(path, _)| kept(path));
        }
        // A heredoc with `$TOKEN` in it is more often a template than a leak; what a program printed is the token.
        if outs.redirected && self.printed_token && flow.taint.has(Taint::TOKEN) {
            self.shows_token |= !outs.files.iter().all(|(path, _)| kept(path));
        }
        for script in &outs.writers {
            self.feed(script, flow.clone());
        }
        if outs.redirected { Flow::empty() } else { flow }
    }

    /// What reading a path gives, with the effect of reading it.
    pub(crate) fn read_file(&mut self, arg: &Arg, effect: bool) -> Flow {
        if let Some(name) =
            arg.text.strip_prefix("/dev/fd/").or_else(|| arg.text.strip_prefix("/proc/self/fd/"))
        {
            return match self.fd(name) {
                Some(Fd::Data(flow)) => flow.clone(),
                _ => Flow::default(),
            };
        }
        let path = self.path(arg);
        let mut flow = Flow::default();
        if let Some(f) = self.st.file(&path.full)
            && !f.gone
        {
            flow = f.data.clone();
        }
        if path.sensitive().is_some() {
            flow.taint = flow.taint.and(Taint::SECRET);
        }
        let foreign =
            matches!(path.place, PathZone::System | PathZone::Home | PathZone::InHome | PathZone::Root);
        if foreign && !path.full.starts_with("/usr/") && !path.full.starts_with("/opt/") {
            flow.taint = flow.taint.and(Taint::OUTSIDE);
        }
        // A directory with a sensitive file that this program put there.
        let below =
            |f: &FileState| !f.gone && f.path.len() > path.full.len() && paths::within(&f.path, &path.full);
        let hidden: Vec<String> = self.st.files.iter().filter(|f| below(f)).map(|f| f.path.clone()).collect();
        for p in hidden {
            if sensitive::of_text(&p, self.ctx).is_some() {
                flow.taint = flow.taint.and(Taint::SECRET);
            }
        }
        if effect && path.place != PathZone::Sink {
            self.effect(EffectKind::Read(path));
        }
        flow
    }
}
