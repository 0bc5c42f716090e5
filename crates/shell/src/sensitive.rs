//! Which paths of a command hold secrets.

use sprag_sensitive::{SensitiveKind, of_path};

use crate::model::{Arg, Context, PathRef};
use crate::paths::{glob_match, has_glob, path_ref};
use crate::text::items;

impl PathRef {
    /// What the path holds, when that is secret.
    pub fn sensitive(&self) -> Option<SensitiveKind> {
        of_path(&self.full, self.glob, glob_match)
    }
}

/// Whether this path holds secrets. `path` is absolute or relative to `ctx.cwd`; it may have globs.
pub fn sensitive_path(path: &str, ctx: &Context) -> Option<SensitiveKind> {
    let text = path.trim().strip_prefix("file://").unwrap_or(path.trim());
    of_text(text, ctx)
}

pub(crate) fn of_text(text: &str, ctx: &Context) -> Option<SensitiveKind> {
    let decoded = percent_decode(text);
    let arg = Arg { glob: has_glob(&decoded), ..Arg::new(decoded) };
    path_ref(&arg, Some(&ctx.cwd), ctx).sensitive()
}

fn percent_decode(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut bytes = text.bytes().peekable();
    let mut rest = text.as_bytes();
    while let Some(c) = bytes.next() {
        rest = items(rest, 1..);
        let hex = rest
            .get(..2)
            .and_then(|h| std::str::from_utf8(h).ok())
            .and_then(|h| u8::from_str_radix(h, 16).ok());
        match (c, hex) {
            (b'%', Some(v)) => {
                out.push(v);
                bytes.next();
                bytes.next();
                rest = items(rest, 2..);
            }
            _ => out.push(c),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
