//! Who may look and who may act: the Host, the one-time link, the cookie, where a change comes from, and the code from the
//! terminal. Pure but for the random numbers; the server asks it about every request.

use crate::password::Password;
use sprag_base::id::{full_hash, keyed_hash, random_key};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Wrong secrets in this time lock the door.
const WINDOW: Duration = Duration::from_secs(60);
/// So many of them.
const MAX_WRONG: usize = 10;
/// Browsers that are known at a time; the oldest is forgotten.
const MAX_VISITORS: usize = 16;
/// A visitor is forgotten after this time.
const VISIT: Duration = Duration::from_secs(7 * 86_400);

/// What a request says of itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// It changes something.
    pub(crate) changes: bool,
    /// The Host header; `None` when there is none, or more than one.
    pub(crate) host: Option<String>,
    /// The Origin header.
    pub(crate) origin: Option<String>,
    /// The Sec-Fetch-Site header.
    pub(crate) site: Option<String>,
    /// The Sec-Fetch-Mode header.
    pub(crate) mode: Option<String>,
    /// The value of the own cookie.
    pub(crate) cookie: Option<String>,
    /// The token of the Authorization header.
    pub(crate) bearer: Option<String>,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    /// Another name leads here: DNS rebinding, or a proxy that nobody configured.
    #[error("this name is not served")]
    Host,
    /// Another site asks.
    #[error("another site asked for this")]
    Foreign,
    /// No visitor.
    #[error("the link that `sprag serve` printed opens this page, once; press Enter there for another one")]
    Unknown,
    /// Too many wrong secrets.
    #[error("too many wrong links or codes: wait a minute")]
    Locked,
    /// The form is not of this page.
    #[error("the form is out of date: reload the page")]
    Form,
    /// The code is missing or wrong.
    #[error("this needs the code from the terminal where `sprag serve --allow-actions` runs")]
    Code,
    /// The bearer's token is missing or wrong.
    #[error("this needs the token from the file that `sprag serve --mcp` named")]
    Token,
    /// The password is wrong.
    #[error("that is not the password")]
    Password,
    /// Actions are off.
    #[error("this page only shows; start it with `sprag serve --allow-actions` to act")]
    ReadOnly,
}

/// Somebody who opened the link.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    /// The hash of the cookie.
    hash: String,
    /// What every form of theirs carries.
    pub(crate) csrf: String,
    since: Instant,
}

#[derive(Debug, Default)]
struct Secrets {
    /// Hashes of links that were printed and not used.
    links: Vec<String>,
    visitors: Vec<Visitor>,
    wrong: VecDeque<Instant>,
    /// The code of actions that loosen.
    code: String,
}

/// What the server is asked under, and the secrets.
#[derive(Debug)]
pub(crate) struct Gate {
    /// The names that lead here, with the port: `127.0.0.1:4000`.
    hosts: Vec<String>,
    /// Further names, of a proxy that speaks https: `sprag.example`.
    names: Vec<String>,
    /// The hash of what MCP clients bring; `None` without MCP.
    token: Option<String>,
    /// What opens the page from elsewhere; `None` when it listens on loopback alone.
    password: Option<Password>,
    /// What forms are signed with.
    key: [u8; 32],
    actions: bool,
    secrets: Mutex<Secrets>,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// 256 random bits.
fn secret() -> String {
    hex(&random_key())
}

fn new_code() -> String {
    let number = random_key().iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    format!("{:06}", number % 1_000_000)
}

impl Gate {
    /// A gate for these names.
    pub(crate) fn new(hosts: Vec<String>, actions: bool) -> Self {
        let secrets = Secrets { code: new_code(), ..Secrets::default() };
        Self {
            hosts,
            names: Vec::new(),
            token: None,
            password: None,
            key: random_key(),
            actions,
            secrets: Mutex::new(secrets),
        }
    }

    /// The same for MCP clients with this token.
    pub(crate) fn with_token(mut self, token: Option<&str>) -> Self {
        self.token = token.map(|token| full_hash(token.as_bytes()));
        self
    }

    /// The same under further names, with a password.
    pub(crate) fn with_password(mut self, names: Vec<String>, password: Option<Password>) -> Self {
        (self.names, self.password) = (names, password);
        self
    }

    /// True when a password opens the page.
    pub(crate) const fn has_password(&self) -> bool {
        self.password.is_some()
    }

    /// True when MCP clients are served.
    pub(crate) const fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// True for the origin of a page that is served under this name.
    fn is_own(&self, origin: &str, host: &str) -> bool {
        let named = self.names.iter().any(|known| known.eq_ignore_ascii_case(host));
        let plain = origin.strip_prefix("http://");
        let origin = plain.or_else(|| origin.strip_prefix("https://").filter(|_| named));
        origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host))
    }

    /// Whether a request of an MCP client may be answered: from a name of its own, not from a site, with the token.
    pub(crate) fn admit_client(&self, asked: &Asked) -> Result<(), Refused> {
        let host = self.own_host(asked)?;
        let foreign = asked.origin.as_deref().is_some_and(|origin| !self.is_own(origin, host))
            || asked.site.as_deref().is_some_and(|site| !matches!(site, "same-origin" | "none"));
        if foreign {
            return Err(Refused::Foreign);
        }
        let mut secrets = self.secrets();
        if secrets.is_locked() {
            return Err(Refused::Locked);
        }
        let given = asked.bearer.as_deref().map(|token| full_hash(token.as_bytes()));
        match (&self.token, given) {
            (Some(token), Some(given)) if *token == given => Ok(()),
            (_, Some(_)) => Err(secrets.wrong(Refused::Token)),
            (_, None) => Err(Refused::Token),
        }
    }

    fn own_host<'a>(&self, asked: &'a Asked) -> Result<&'a str, Refused> {
        let host = asked.host.as_deref().ok_or(Refused::Host)?;
        let known = |known: &String| known.eq_ignore_ascii_case(host);
        if self.hosts.iter().chain(&self.names).any(known) { Ok(host) } else { Err(Refused::Host) }
    }

    /// Takes the password and gives the value of a new cookie. It takes as long for a wrong one.
    pub(crate) fn log_in(&self, given: &str) -> Result<String, Refused> {
        let Some(password) = &self.password else { return Err(Refused::Unknown) };
        {
            let mut secrets = self.secrets();
            if secrets.is_locked() {
                return Err(Refused::Locked);
            }
            // Counted before it is looked at: guesses at the same time are guesses too.
            secrets.wrong.push_back(Instant::now());
        }
        if !password.matches(given) {
            return Err(Refused::Password);
        }
        let mut secrets = self.secrets();
        secrets.wrong.pop_back();
        Ok(self.welcome(&mut secrets))
    }

    /// Makes a visitor and gives the value of their cookie.
    fn welcome(&self, secrets: &mut Secrets) -> String {
        let cookie = secret();
        let hash = full_hash(cookie.as_bytes());
        let csrf = keyed_hash(&self.key, hash.as_bytes());
        secrets.visitors.push(Visitor { hash, csrf, since: Instant::now() });
        let excess = secrets.visitors.len().saturating_sub(MAX_VISITORS);
        secrets.visitors.drain(..excess);
        cookie
    }

    fn secrets(&self) -> MutexGuard<'_, Secrets> {
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True when there are actions.
    pub(crate) const fn actions(&self) -> bool {
        self.actions
    }

    /// The code of actions that loosen: for the terminal alone.
    pub(crate) fn code(&self) -> String {
        self.secrets().code.clone()
    }

    /// A token that opens the page once: for the terminal alone.
    pub(crate) fn new_link(&self) -> String {
        let token = secret();
        let mut secrets = self.secrets();
        secrets.links.push(full_hash(token.as_bytes()));
        let excess = secrets.links.len().saturating_sub(MAX_VISITORS);
        secrets.links.drain(..excess);
        token
    }

    /// Whether a request may be looked at at all, before anybody knows who asks.
    pub(crate) fn admit(&self, asked: &Asked) -> Result<(), Refused> {
        let host = self.own_host(asked)?;
        let site = asked.site.as_deref();
        let own = asked.origin.as_deref().is_some_and(|origin| self.is_own(origin, host));
        if asked.changes {
            // A browser names the origin of every form; who names none is no browser, or hides where it comes from.
            if !own || site.is_some_and(|site| site != "same-origin") {
                return Err(Refused::Foreign);
            }
        } else {
            // A link from elsewhere may lead here; the cookie does not come with it. Nothing else may.
            let navigates = asked.mode.as_deref() == Some("navigate");
            let foreign = matches!(site, Some("cross-site" | "same-site"));
            if asked.origin.is_some() && !own || foreign && !navigates {
                return Err(Refused::Foreign);
            }
        }
        Ok(())
    }

    /// The visitor whose cookie this is.
    pub(crate) fn visitor(&self, asked: &Asked) -> Result<Visitor, Refused> {
        let cookie = asked.cookie.as_deref().ok_or(Refused::Unknown)?;
        // Hashed before it is compared: how long the comparison takes says nothing about the secret.
        let hash = full_hash(cookie.as_bytes());
        let mut secrets = self.secrets();
        secrets.visitors.retain(|visitor| visitor.since.elapsed() < VISIT);
        secrets.visitors.iter().find(|visitor| visitor.hash == hash).cloned().ok_or(Refused::Unknown)
    }

    /// Takes a link's token and gives the value of a new cookie. The token is used up.
    pub(crate) fn enter(&self, token: &str) -> Result<String, Refused> {
        let hash = full_hash(token.as_bytes());
        let mut secrets = self.secrets();
        if secrets.is_locked() {
            return Err(Refused::Locked);
        }
        let Some(at) = secrets.links.iter().position(|known| *known == hash) else {
            return Err(secrets.wrong(Refused::Unknown));
        };
        secrets.links.remove(at);
        Ok(self.welcome(&mut secrets))
    }

    /// Whether a visitor may change something: actions are on, the form is theirs, and what loosens comes with the code.
    pub(crate) fn may_act(
        &self,
        visitor: &Visitor,
        csrf: &str,
        code: Option<&str>,
        loosens: bool,
    ) -> Result<(), Refused> {
        if !self.actions {
            return Err(Refused::ReadOnly);
        }
        if full_hash(csrf.as_bytes()) != full_hash(visitor.csrf.as_bytes()) {
            return Err(Refused::Form);
        }
        if !loosens {
            return Ok(());
        }
        let mut secrets = self.secrets();
        if secrets.is_locked() {
            return Err(Refused::Locked);
        }
        let given = full_hash(code.unwrap_or_default().trim().as_bytes());
        if given == full_hash(secrets.code.as_bytes()) {
            return Ok(());
        }
        Err(secrets.wrong(Refused::Code))
    }
}

impl Secrets {
    fn is_locked(&mut self) -> bool {
        while self.wrong.front().is_some_and(|at| at.elapsed() > WINDOW) {
            self.wrong.pop_front();
        }
        self.wrong.len() >= MAX_WRONG
    }

    fn wrong(&mut self, refused: Refused) -> Refused {
        self.wrong.push_back(Instant::now());
        refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(actions: bool) -> Gate {
        Gate::new(vec!["127.0.0.1:4000".into(), "localhost:4000".into()], actions)
    }

    fn from(host: &str) -> Asked {
        Asked { host: Some(host.into()), ..Asked::default() }
    }

    #[test]
    fn only_the_own_names_are_served() {
        let gate = gate(false);
        assert_eq!(gate.admit(&from("127.0.0.1:4000")), Ok(()));
        assert_eq!(gate.admit(&from("LOCALHOST:4000")), Ok(()));
        for host in
            ["evil.example", "127.0.0.1", "127.0.0.1:4001", "127.0.0.1:4000.evil.example", "localhost", ""]
        {
            assert_eq!(gate.admit(&from(host)), Err(Refused::Host), "{host}");
        }
        assert_eq!(gate.admit(&Asked::default()), Err(Refused::Host), "no name at all");
    }

    #[test]
    fn a_change_comes_from_the_own_page_alone() {
        let gate = gate(true);
        let change = |origin: Option<&str>, site: Option<&str>| {
            let asked = Asked {
                changes: true,
                origin: origin.map(str::to_owned),
                site: site.map(str::to_owned),
                ..from("127.0.0.1:4000")
            };
            gate.admit(&asked)
        };
        assert_eq!(change(Some("http://127.0.0.1:4000"), Some("same-origin")), Ok(()));
        assert_eq!(change(Some("http://127.0.0.1:4000"), None), Ok(()));
        for (origin, site) in [
            (None, None),
            (None, Some("same-origin")),
            (Some("null"), Some("same-origin")),
            (Some("http://evil.example"), None),
            (Some("http://localhost:4000"), None),
            (Some("https://127.0.0.1:4000"), None),
            (Some("http://127.0.0.1:4001"), Some("same-site")),
            (Some("http://127.0.0.1:4000"), Some("cross-site")),
            (Some("http://127.0.0.1:4000"), Some("none")),
        ] {
            assert_eq!(change(origin, site), Err(Refused::Foreign), "{origin:?} {site:?}");
        }
    }

    #[test]
    fn another_site_may_link_here_and_nothing_else() {
        let gate = gate(false);
        let get = |site: &str, mode: &str| {
            let (site, mode) = (Some(site.into()), Some(mode.into()));
            gate.admit(&Asked { site, mode, ..from("127.0.0.1:4000") })
        };
        assert_eq!(
            (get("cross-site", "navigate"), get("same-origin", "cors"), get("none", "navigate")),
            (Ok(()), Ok(()), Ok(()))
        );
        for mode in ["no-cors", "cors", "same-origin", "websocket"] {
            assert_eq!(get("cross-site", mode), Err(Refused::Foreign), "{mode}");
            assert_eq!(get("same-site", mode), Err(Refused::Foreign), "another port: {mode}");
        }
    }

    #[test]
    fn a_link_opens_once_and_guessing_is_stopped() {
        let gate = gate(false);
        let token = gate.new_link();
        let cookie = gate.enter(&token).unwrap();
        assert_eq!(gate.enter(&token), Err(Refused::Unknown), "used up");
        let known =
            |cookie: &str| gate.visitor(&Asked { cookie: Some(cookie.into()), ..Asked::default() }).is_ok();
        assert!(known(&cookie) && !known(&token) && !known("") && !known(&format!("{cookie}0")));
        let other = gate.new_link();
        (0..MAX_WRONG).for_each(|number| {
            let _ = gate.enter(&format!("guess {number}"));
        });
        assert_eq!(gate.enter(&other), Err(Refused::Locked), "also the right one");
        assert!(known(&cookie), "who is in stays in");
    }

    #[test]
    fn what_loosens_needs_the_code_and_every_form_its_own_mark() {
        let gate = gate(true);
        let enter = || {
            let cookie = gate.enter(&gate.new_link()).unwrap();
            gate.visitor(&Asked { cookie: Some(cookie), ..Asked::default() }).unwrap()
        };
        let (one, two) = (enter(), enter());
        assert_eq!(gate.may_act(&one, &one.csrf, None, false), Ok(()));
        assert_eq!(gate.may_act(&one, &two.csrf, None, false), Err(Refused::Form));
        assert_eq!(gate.may_act(&one, "", None, false), Err(Refused::Form));
        let code = gate.code();
        assert_eq!(gate.may_act(&one, &one.csrf, None, true), Err(Refused::Code));
        assert_eq!(gate.may_act(&one, &one.csrf, Some(""), true), Err(Refused::Code));
        assert_eq!(gate.may_act(&one, &one.csrf, Some(&code), true), Ok(()));
        (0..MAX_WRONG).for_each(|_| {
            let _ = gate.may_act(&one, &one.csrf, Some("x"), true);
        });
        assert_eq!(gate.may_act(&one, &one.csrf, Some(&code), true), Err(Refused::Locked));
        assert_eq!(gate.may_act(&one, &one.csrf, None, false), Ok(()), "a denial is always possible");
        let shown = self::gate(false);
        assert_eq!(shown.may_act(&one, &one.csrf, Some(&code), false), Err(Refused::ReadOnly));
    }
}
