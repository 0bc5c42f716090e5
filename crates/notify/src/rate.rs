//! How often: two about the same are so far apart, and so many in an hour. What was left out is counted and told with the next.

use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_config::schema::{NoticeKind, NotifySection};
use sprag_runtime::work::Notice;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3_600);
/// What was told is remembered for as long as the longest window of a limit.
const REMEMBERED: Duration = Duration::from_secs(8 * 86_400);

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Told {
    /// When the last ones were sent.
    sent: Vec<u64>,
    /// When the last about the same was sent.
    last: BTreeMap<String, u64>,
    /// Left out since the last one.
    left_out: u64,
}

fn file(host: &Host) -> PathBuf {
    host.paths.state.join("notified.json")
}

fn read(host: &Host) -> Told {
    let text = files::read_text(file(host), files::STATE).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn key(notice: &Notice) -> String {
    short_hash(format!("{}\0{}\0{}", notice.what.name(), notice.session, notice.question).as_bytes())
}

/// True when the same was told before.
pub(crate) fn was_told(host: &Host, notice: &Notice) -> bool {
    read(host).last.contains_key(&key(notice))
}

/// Whether it may be told now: how many were left out before it, or `None`.
pub(crate) fn admit(
    host: &Host,
    settings: &NotifySection<'_>,
    notice: &Notice,
    now: Stamp,
) -> io::Result<Option<u64>> {
    let mut told = read(host);
    let recent = |at: u64, within: Duration| Stamp(at).after(within) > now;
    told.sent.retain(|at| recent(*at, HOUR));
    told.last.retain(|_, at| recent(*at, REMEMBERED));
    let key = key(notice);
    let before = told.last.get(&key).copied();
    // Who is done and then ends says nothing new.
    if notice.ended && notice.what == NoticeKind::Done && before.is_some() {
        return Ok(None);
    }
    let too_soon = before.is_some_and(|at| recent(at, Duration::from_secs(settings.every_s)));
    let allowed = !too_soon && (told.sent.len() as u64) < settings.max_per_hour;
    let left_out = told.left_out;
    if allowed {
        told.sent.push(now.0);
        told.last.insert(key, now.0);
        told.left_out = 0;
    } else {
        told.left_out += 1;
    }
    files::write_atomic(&file(host), &serde_json::to_vec(&told).map_err(io::Error::other)?)?;
    Ok(allowed.then_some(left_out))
}
