//! session-register: says in the store that this session is at work here, and names the others that are.

use sprag_base::text::name;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_config::settings;
use sprag_coord::claims::words::few;
use sprag_coord::store::{self, Setup, micros, spool};
use sprag_coord::{liveness, member};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::heartbeat;
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Note, Preset, Presets, Repeat, Reply, Sees, priority,
};
use sprag_runtime::interactive;
use sprag_store::{ClaimRow, Error, Op, OpKind, Registration, Role, SessionRow};
use std::fmt::Write as _;
use std::time::Duration;

settings! {
    struct SessionRegisterSettings {
        /// a session without a heartbeat for this long counts as gone
        lease_minutes: u64 = 10, min 2;
        /// this many other sessions are named; 0 names none
        max_peers: usize = 8;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-register",
        family: Family::Session,
        bundle: Bundle::Context,
        summary: "registers the session in the store with a lease; names the live sessions on the same project and the files they hold",
        sees: &[Sees { kind: EventKind::SessionStart, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: SessionRegisterSettings::SETTINGS,
        timeout_ms: 3_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SessionRegisterSettings = cx.settings.read();
    if event.session_id.is_empty() {
        return Ok(Reply::pass());
    }
    let lease = Duration::from_secs(settings.lease_minutes * 60);
    let now = cx.host.clock.now();
    let new = registration(event, cx, lease);
    let (project, own) = (new.project.clone(), new.session.clone());
    let (agent, home, name) = (new.agent.clone(), new.home.clone(), new.name.clone());
    let op = Op::new(micros(now), OpKind::Register(new));
    let sent = op.clone();
    let most = settings.max_peers;
    if let Some(process) = interactive::agent_process(&event.agent.spec().process) {
        // Without it only the lease tells that the session is over.
        let _ = liveness::remember(cx.session, process);
    }
    let host = cx.host.clone();
    let lead_is_told = cx.preset == Preset::Swarm;
    let answer = Setup::read(cx.host).and_then(|setup| {
        setup.ask(move |store| {
            store.apply(&sent)?;
            liveness::end_gone(&host, store, micros(now))?;
            // There, concurrent-context tells a lead of the others, with what they do.
            if lead_is_told && store.role(&home, &name)? == Some(Role::Lead) {
                return Ok(Vec::new());
            }
            let peers = store.peers(&project, &agent, &own, micros(now))?;
            let mut found = Vec::new();
            for (place, peer) in peers.into_iter().enumerate() {
                let held = if place < most {
                    store.claims_of(&peer.agent, &peer.session, micros(now))?
                } else {
                    Vec::new()
                };
                found.push((peer, held));
            }
            Ok(found)
        })
    });
    // Without a place for it there is no heartbeat, and the lease runs out.
    let _ = heartbeat::begin(cx.session, lease, now);
    let reply = match answer {
        Ok(peers) => peers_note(&peers, cx),
        // The others are not known then; what this session has to say is kept.
        Err(error) => later(cx.host, &op, &error),
    };
    Ok(reply.with_job(heartbeat::sync_job()))
}

/// Keeps the registration for later. The user is told of what will not pass by itself.
fn later(host: &Host, op: &Op, error: &Error) -> Reply {
    let kept = spool::keep(&host.paths, op);
    let passing = matches!(error, Error::Busy(_) | Error::Outdated { .. });
    // For the journal: a pass with a reason changes nothing for the agent.
    let pass = Reply { reason: Some(error.to_string()), ..Reply::pass() };
    match kept {
        Ok(()) if passing => pass,
        Ok(()) if matches!(error, Error::Newer { .. }) => pass.with_message(format!(
            "sprag: {error}: a newer sprag migrated it. Memories, claims and statistics are off until this one is updated \
             (`sprag doctor`)."
        )),
        Ok(()) => pass.with_message(format!(
            "sprag: {error}; this session is registered when it is back (`sprag doctor`)."
        )),
        Err(kept) => pass.with_message(format!(
            "sprag: {error}; this session is not registered ({kept}; `sprag doctor`)."
        )),
    }
}

fn registration(event: &Event, cx: &Cx<'_>, lease: Duration) -> Registration {
    Registration {
        agent: event.agent.name().to_owned(),
        session: event.session_id.clone(),
        home: store::home_id(cx.host),
        host: cx.host.machine(),
        pid: i64::from(sprag_base::pid::parent_id()),
        project: cx.project.key(&cx.host.machine()),
        root: cx.project.root.display().to_string(),
        branch: cx.project.branch().unwrap_or_default(),
        source: event.text("source").unwrap_or("startup").to_owned(),
        lease: lease.as_micros() as i64,
        name: member::name(cx.host, event.agent.name()),
        role: member::role(cx.host),
    }
}

/// What the model is told of the others. The same others are not named twice, unless it forgot.
fn peers_note(peers: &[(SessionRow, Vec<ClaimRow>)], cx: &Cx<'_>) -> Reply {
    let settings: SessionRegisterSettings = cx.settings.read();
    let most = settings.max_peers;
    if peers.is_empty() || most == 0 {
        return Reply::pass();
    }
    let mut text = match peers.len() {
        1 => "Another session is at work on this project:".to_owned(),
        count => format!("{count} other sessions are at work on this project:"),
    };
    let machine = cx.host.machine();
    for (peer, held) in peers.iter().take(most) {
        let _ = write!(text, "\n- {}", line(peer, &machine, &cx.project.root.display().to_string()));
        if !held.is_empty() {
            let _ = write!(text, "; works on {}", few(held.iter().map(|row| row.key.path.as_str()), 5));
        }
    }
    if peers.len() > most {
        let _ = write!(text, "\n- and {} more", peers.len() - most);
    }
    text.push_str(
        "\nFiles and git state (branch, index, stash) of a shared checkout may change under you: look before you \
         switch, stash, reset or stage everything.",
    );
    let note =
        Note { key: "session-register".to_owned(), priority: priority::FACTS, text, repeat: Repeat::Once };
    Reply { notes: vec![note], ..Reply::pass() }
}

fn line(peer: &SessionRow, machine: &str, root: &str) -> String {
    let id: String = peer.session.chars().take(8).collect();
    let (_, _, _, hour, minute, _) = Stamp(peer.started as u64).civil();
    let mut text = format!("{} {id}", peer.agent);
    if !peer.branch.is_empty() {
        let _ = write!(text, ", branch {}", name(&peer.branch));
    }
    let _ = write!(text, ", since {hour:02}:{minute:02} UTC");
    if peer.host != machine {
        let _ = write!(text, ", on {}", peer.host);
    } else if peer.root != root {
        let _ = write!(text, ", in {}", name(&peer.root));
    } else {
        text.push_str(", in this checkout");
    }
    text
}
