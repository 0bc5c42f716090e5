//! Tools that fetch from and send to other machines.

use crate::model::{Arg, CodeFrom, EffectKind, HOLE, Taint, WriteHow};
use crate::paths::host;
use crate::walk::{Flow, Stdin, Walk, shell_name};
use sprag_sensitive::{Part, base_variable, holds_tokens_only, is_token_name, leaves, literal};

use super::{Split, split, transfer, write};

const CURL_SHORT: &str = "AbcCdDeEFHKmMoPQrtTuUwxXyYz";
const CURL_LONG: &[&str] = &[
    "--data", "--data-raw", "--data-binary", "--data-urlencode", "--data-ascii", "--json", "--form",
    "--form-string", "--output", "--output-dir", "--header", "--user", "--user-agent", "--request", "--url",
    "--upload-file", "--config", "--cookie", "--cookie-jar", "--cacert", "--capath", "--cert", "--key",
    "--proxy", "--proxy-user", "--max-time", "--connect-timeout", "--retry", "--retry-delay",
    "--retry-max-time", "--resolve", "--connect-to", "--interface", "--referer", "--write-out",
    "--dump-header", "--limit-rate", "--range", "--continue-at", "--max-redirs", "--socks5",
    "--socks5-hostname", "--netrc-file", "--oauth2-bearer", "--aws-sigv4", "--ciphers", "--dns-servers",
    "--local-port", "--max-filesize", "--noproxy", "--pinnedpubkey", "--proto", "--proto-default",
    "--stderr", "--time-cond", "--trace", "--trace-ascii", "--unix-socket", "--url-query", "--variable",
    "--cert-type", "--key-type", "--pass", "--tls-max", "--crlfile", "--engine", "--egd-file",
    "--random-file", "--hostpubmd5", "--krb", "--libcurl", "--quote", "--speed-limit", "--speed-time",
    "--telnet-option", "--tlsuser", "--tlspassword", "--parallel-max", "--doh-url", "--etag-save",
    "--etag-compare", "--happy-eyeballs-timeout-ms", "--keepalive-time", "--mail-from", "--mail-rcpt",
    "--preproxy", "--rate", "--request-target", "--service-name", "--alt-svc", "--hsts",
];
const WGET_SHORT: &str = "oaOPitTwQUeBlARDIX";
const WGET_LONG: &[&str] = &[
    "--output-document", "--output-file", "--append-output", "--directory-prefix", "--input-file", "--tries",
    "--timeout", "--wait", "--user", "--password", "--user-agent", "--header", "--post-data", "--post-file",
    "--body-data", "--body-file", "--method", "--load-cookies", "--save-cookies", "--ca-certificate",
    "--certificate", "--private-key", "--referer", "--execute", "--limit-rate", "--accept", "--reject",
    "--level", "--domains", "--quota", "--base", "--http-user", "--http-password", "--config",
    "--use-askpass",
];

/// The effects of a network tool; none when `name` is not one.
pub(crate) fn effects(w: &mut Walk<'_>, name: &str, args: &[Arg], stdin: &Stdin) -> Option<Flow> {
    Some(match name {
        "curl" | "curlie" => curl(w, args, stdin),
        "wget" | "wget2" | "aria2c" | "axel" => wget(w, args),
        "http" | "https" | "xh" | "xhs" | "httpie" => httpie(w, args, stdin),
        "Invoke-WebRequest" | "iwr" | "Invoke-RestMethod" | "irm" => Flow::unknown(Taint::REMOTE),
        "lynx" | "w3m" | "links" | "fetch" | "ftp" | "lftp"
            if args.iter().any(|a| a.text.contains("://") || a.text.contains('.')) =>
        {
            Flow::unknown(Taint::REMOTE)
        }
        "nc" | "ncat" | "netcat" | "nc.traditional" | "nc.openbsd" | "telnet" => netcat(w, name, args, stdin),
        "socat" => socat(w, args, stdin),
        "scp" | "pscp" | "rsync" | "sftp" | "rclone" | "gsutil" | "s3cmd" | "azcopy" | "mc" | "croc"
        | "magic-wormhole" | "wormhole" => transfer::copy(w, name, args, stdin),
        "dig" | "nslookup" | "host" | "ping" | "drill" | "mail" | "mailx" | "mutt" | "sendmail" | "swaks"
        | "telegram-send" | "ntfy" | "slackcat" => {
            let mail = !matches!(name, "dig" | "nslookup" | "host" | "ping" | "drill");
            let mut taint = args.iter().fold(Taint::NONE, |t, a| t.and(a.taint));
            if mail {
                taint = taint.and(stdin.as_ref().map(|f| f.taint).unwrap_or_default());
                if let Some(at) =
                    args.iter().position(|a| matches!(a.text.as_str(), "-a" | "-A" | "--attach"))
                    && let Some(file) = args.get(at + 1)
                {
                    taint = taint.and(w.read_file(file, true).taint);
                }
            }
            if taint.has(Taint::SECRET) || taint.has(Taint::OUTSIDE) || taint.has(Taint::TOKEN) {
                let to = args.last().map(|a| a.text.clone()).unwrap_or_default();
                send(w, "a secret", &to, taint);
            }
            Flow::default()
        }
        _ => return None,
    })
}

pub(super) fn send(w: &mut Walk<'_>, what: &str, to: &str, taint: Taint) {
    w.effect(EffectKind::Send {
        what: what.to_owned(),
        to: to.to_owned(),
        secret: taint.has(Taint::SECRET) || taint.has(Taint::TOKEN),
        outside: taint.has(Taint::OUTSIDE),
    });
}

/// A secret that stands in the address itself.
fn in_address(w: &mut Walk<'_>, url: &Arg) {
    let taint = leaving(url, Part::Address, &url.text);
    if taint.has(Taint::SECRET) || taint.has(Taint::OUTSIDE) || taint.has(Taint::TOKEN) {
        send(w, "a secret in the address", &url.text, taint);
    }
}

/// What leaves with a word of a request: a token that the host is made for does not count.
fn leaving(arg: &Arg, part: Part, to: &str) -> Taint {
    let foreign = |to: &str| literal(&arg.text).is_some_and(|token| token.is_foreign(host(to)));
    if !to.is_empty() && !crate::paths::is_local(to) && !host(to).contains(HOLE) && foreign(to) {
        return arg.taint.and(Taint::TOKEN);
    }
    let word = arg.raw.as_deref().unwrap_or(&arg.text);
    if arg.taint.is_loaded() && is_used(word, part, to) {
        return arg.taint.used();
    }
    if !arg.taint.has(Taint::TOKEN) {
        return arg.taint;
    }
    let gone = !crate::paths::is_local(to) && leaves(word, part, host(to));
    if gone { arg.taint } else { arg.taint.without_token() }
}

/// Variables of an environment file that the line loaded, as the interface wants them that they are for: a token in a header, at
/// this machine, at the service that it is made for, or at the address that the same file gives; or that address itself.
fn is_used(word: &str, part: Part, to: &str) -> bool {
    match part {
        Part::Header => {
            let unknown = host(to).starts_with(HOLE);
            holds_tokens_only(word)
                && (crate::paths::is_local(to) || unknown || !leaves(word, part, host(to)))
        }
        Part::Address => {
            let plain = word.matches('$').count() == 1;
            plain && base_variable(word).is_some_and(|name| !is_token_name(name))
        }
        Part::Body => false,
    }
}

/// The file that a URL names.
fn file_of(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    path.rsplit('/').next().unwrap_or(path)
}

fn curl(w: &mut Walk<'_>, args: &[Arg], stdin: &Stdin) -> Flow {
    let s = split(args, CURL_SHORT, CURL_LONG);
    let mut urls: Vec<Arg> = s.operands.iter().map(|a| (*a).clone()).collect();
    urls.extend(s.values.iter().filter(|(k, _)| k == "--url").map(|(_, v)| v.clone()));
    let helps = |a: &Arg| matches!(a.text.as_str(), "--help" | "-h" | "--version" | "-V" | "--manual" | "-M");
    // Behind an address it may as well be the value of an option.
    if args.first().is_some_and(helps) || urls.is_empty() && s.options.iter().any(helps) {
        return Flow::default();
    }
    let to = urls.first().map(|a| a.text.clone()).unwrap_or_default();
    let stdin_taint = stdin.as_ref().map(|f| f.taint).unwrap_or_default();
    for (key, v) in s.values.clone() {
        let t = v.text.as_str();
        let file = match key.as_str() {
            "-d" | "--data" | "--data-binary" | "--data-ascii" | "--json" | "-H" | "--header"
            | "--data-urlencode" | "--url-query" => {
                t.find('@').filter(|at| *at == 0 || key == "--data-urlencode").and_then(|at| t.get(at + 1..))
            }
            "-F" | "--form" => {
                let value = t.split_once('=').map_or(t, |(_, v)| v);
                value.strip_prefix(['@', '<']).map(|f| f.split([';', ',']).next().unwrap_or(f))
            }
            "-T" | "--upload-file" | "-b" | "--cookie" if !t.contains('=') => Some(t),
            "-K" | "--config" | "--netrc-file" => {
                w.read_file(&v, true);
                continue;
            }
            "-o" | "--output" | "-D" | "--dump-header" | "-c" | "--cookie-jar" | "--trace" | "--stderr" => {
                let data = if matches!(key.as_str(), "-o" | "--output") {
                    fetched(&s, &urls)
                } else {
                    Flow::default()
                };
                if t != "-" {
                    write(w, &v, WriteHow::Overwrite, data);
                }
                continue;
            }
            _ => None,
        };
        let sends = [
            "-d", "--data", "--data-binary", "--data-ascii", "--json", "--data-urlencode", "-F", "--form",
            "-T", "--upload-file", "--data-raw",
        ]
        .contains(&key.as_str());
        let header = matches!(
            key.as_str(),
            "-H" | "--header" | "-u" | "--user" | "--oauth2-bearer" | "-b" | "--cookie"
        );
        let taint = leaving(&v, if header { Part::Header } else { Part::Body }, &to);
        match file {
            Some("-" | ".") => send(w, "-", &to, stdin_taint),
            Some(f) => {
                let taint = w.read_file(&Arg { text: f.to_owned(), raw: None, ..v.clone() }, true).taint;
                if sends || taint.has(Taint::SECRET) {
                    send(w, f, &to, taint);
                }
            }
            None if sends || taint.has(Taint::SECRET) || taint.has(Taint::TOKEN) => {
                send(w, "data", &to, taint);
            }
            None => {}
        }
    }
    for u in &urls {
        if let Some(path) = u.text.strip_prefix("file://") {
            let local = Arg { text: path.trim_start_matches("localhost").to_owned(), raw: None, ..u.clone() };
            w.read_file(&local, true);
        } else {
            w.effect(EffectKind::Fetch { from: u.text.clone() });
        }
        in_address(w, u);
    }
    if s.has('O', "remote-name") && !s.has('J', "remote-header-name") {
        for u in &urls {
            let name = file_of(&u.text);
            if !name.is_empty() {
                let dir = s.value(&["--output-dir"]).map(|d| format!("{}/", d.text)).unwrap_or_default();
                let data = fetched(&s, &urls);
                write(w, &Arg::new(format!("{dir}{name}")), WriteHow::Overwrite, data);
            }
        }
        return Flow::empty();
    }
    if s.has('J', "remote-header-name") || s.value(&["-o", "--output"]).is_some_and(|v| v.text != "-") {
        return Flow::empty();
    }
    if urls.is_empty() && !s.values.iter().any(|(k, _)| k == "-K" || k == "--config") {
        return Flow::default();
    }
    // Only headers or a status: nothing that could be run.
    if s.options.iter().any(|a| matches!(a.text.as_str(), "-I" | "--head")) {
        return Flow::default();
    }
    fetched(&s, &urls)
}

/// What curl prints of these addresses; with options that change who answers, nobody knows who did.
fn fetched(s: &Split<'_>, urls: &[Arg]) -> Flow {
    const OTHERS: [&str; 9] = [
        "-x", "--proxy", "--preproxy", "--socks5", "--resolve", "--connect-to", "--doh-url", "-K", "--config",
    ];
    let elsewhere = s.has('k', "insecure") || OTHERS.iter().any(|option| s.value(&[option]).is_some());
    if elsewhere { Flow::unknown(Taint::REMOTE) } else { remote_of(urls) }
}

fn remote_of(urls: &[Arg]) -> Flow {
    let here = |url: &Arg| url.text.starts_with("file:") || is_loopback(&url.text);
    let all = |is: &dyn Fn(&Arg) -> bool| !urls.is_empty() && urls.iter().all(is);
    if all(&here) {
        Flow::default()
    } else if all(&|url| is_installer(&url.text)) {
        Flow::unknown(Taint::INSTALLER)
    } else {
        Flow::unknown(Taint::REMOTE)
    }
}

/// A server of this machine, by its address: what it hands out was here before.
fn is_loopback(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let place = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    !place.contains('@')
        && !place.is_empty()
        && !place.starts_with('/')
        && super::connection::is_this_machine(place)
}

/// Where well-known projects hand out their installers: the host, and how the path begins.
const INSTALLERS: &[(&str, &str)] = &[
    ("sh.rustup.rs", ""),
    ("astral.sh", "/uv/"),
    ("astral.sh", "/ruff/"),
    ("raw.githubusercontent.com", "/nvm-sh/nvm/"),
    ("raw.githubusercontent.com", "/Homebrew/install/"),
    ("raw.githubusercontent.com", "/ohmyzsh/ohmyzsh/"),
    ("raw.githubusercontent.com", "/rbenv/rbenv-installer/"),
    ("raw.githubusercontent.com", "/helm/helm/"),
    ("raw.githubusercontent.com", "/k3d-io/k3d/"),
    ("raw.githubusercontent.com", "/asdf-vm/asdf/"),
    ("deno.land", "/install.sh"),
    ("deno.land", "/x/install/"),
    ("bun.sh", "/install"),
    ("get.pnpm.io", "/install.sh"),
    ("get.docker.com", ""),
    ("get.k3s.io", ""),
    ("get.sdkman.io", ""),
    ("get.volta.sh", ""),
    ("get.rvm.io", ""),
    ("install.python-poetry.org", ""),
    ("pyenv.run", ""),
    ("sh.brew.sh", ""),
    ("starship.rs", "/install.sh"),
    ("mise.run", ""),
    ("mise.jdx.dev", "/install.sh"),
    ("fnm.vercel.app", "/install"),
    ("ollama.com", "/install.sh"),
    ("fly.io", "/install.sh"),
    ("cli.doppler.com", "/install.sh"),
    ("get.pulumi.com", ""),
    ("bootstrap.pypa.io", "/get-pip.py"),
    ("getcomposer.org", "/installer"),
    ("nixos.org", "/nix/install"),
    ("install.determinate.systems", "/nix"),
    ("tailscale.com", "/install.sh"),
    ("zed.dev", "/install.sh"),
];

fn is_installer(url: &str) -> bool {
    let rest = match url.split_once("://") {
        Some(("https", rest)) => rest,
        Some(_) => return false,
        None => url,
    };
    let (place, path) = match rest.find(['/', '?', '#']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    !url.contains("..")
        && INSTALLERS.iter().any(|(host, start)| place.eq_ignore_ascii_case(host) && path.starts_with(start))
}

fn wget(w: &mut Walk<'_>, args: &[Arg]) -> Flow {
    let s = split(args, WGET_SHORT, WGET_LONG);
    let helps = |a: &Arg| matches!(a.text.as_str(), "--help" | "-h" | "--version" | "-V");
    let help = args.first().is_some_and(helps) || s.operands.is_empty() && s.options.iter().any(helps);
    if help || s.has('\0', "spider") {
        return Flow::default();
    }
    let to = s.operands.first().map(|a| a.text.clone()).unwrap_or_default();
    for (key, v) in s.values.clone() {
        match key.as_str() {
            "--post-file" | "--body-file" => {
                let taint = w.read_file(&v, true).taint;
                send(w, &v.text, &to, taint);
            }
            "--post-data" | "--body-data" => send(w, "data", &to, leaving(&v, Part::Body, &to)),
            "--use-askpass" => {
                w.run_shell(&v.text, "wget", &None);
            }
            _ => {
                let taint = leaving(&v, Part::Header, &to);
                if taint.has(Taint::SECRET) || taint.has(Taint::TOKEN) {
                    send(w, "data", &to, taint);
                }
            }
        }
    }
    for u in &s.operands {
        w.effect(EffectKind::Fetch { from: u.text.clone() });
        in_address(w, u);
    }
    let urls: Vec<Arg> = s.operands.iter().map(|url| (*url).clone()).collect();
    let remote = if s.has('i', "input-file") { Flow::unknown(Taint::REMOTE) } else { remote_of(&urls) };
    match s.value(&["-O", "--output-document", "-o"]).cloned() {
        Some(v) if v.text == "-" || v.text == "/dev/stdout" => remote,
        Some(v) => {
            write(w, &v, WriteHow::Overwrite, remote);
            Flow::empty()
        }
        None => {
            let dir =
                s.value(&["-P", "--directory-prefix"]).map(|d| format!("{}/", d.text)).unwrap_or_default();
            for u in s.operands.clone() {
                let name = Some(file_of(&u.text)).filter(|name| !name.is_empty()).unwrap_or("index.html");
                write(w, &Arg::new(format!("{dir}{name}")), WriteHow::Overwrite, remote.clone());
            }
            Flow::empty()
        }
    }
}

fn httpie(w: &mut Walk<'_>, args: &[Arg], stdin: &Stdin) -> Flow {
    let s = split(
        args,
        "aopAvP",
        &[
            "--auth", "--output", "--auth-type", "--session", "--proxy", "--timeout", "--verify", "--cert",
            "--print", "--style",
        ],
    );
    if s.has('\0', "offline") || s.options.iter().any(|a| matches!(a.text.as_str(), "--help" | "--version")) {
        return Flow::default();
    }
    let mut it = s.operands.iter().filter(|a| {
        !matches!(a.text.as_str(), "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS")
    });
    let address = it.next().map(|a| (*a).clone()).unwrap_or_default();
    in_address(w, &address);
    let url = address.text;
    w.effect(EffectKind::Fetch { from: url.clone() });
    for a in it {
        if let Some((_, file)) = a.text.split_once('@') {
            let taint = w.read_file(&Arg::new(file), true).taint;
            send(w, file, &url, taint);
        } else {
            let part = if a.text.contains(':') && !a.text.contains('=') { Part::Header } else { Part::Body };
            let taint = leaving(a, part, &url);
            if taint.has(Taint::SECRET) || taint.has(Taint::TOKEN) {
                send(w, "data", &url, taint);
            }
        }
    }
    let taint = stdin.as_ref().map(|f| f.taint).unwrap_or_default();
    if taint.has(Taint::SECRET) {
        send(w, "-", &url, taint);
    }
    let remote = Flow::unknown(Taint::REMOTE);
    if let Some(v) = s.value(&["-o", "--output"]).cloned() {
        write(w, &v, WriteHow::Overwrite, remote);
        return Flow::empty();
    }
    if s.has('d', "download") {
        return Flow::empty();
    }
    remote
}

/// Files that a hosting service's own program uploads: a gist, a snippet, a part of a release.
pub(super) fn published(w: &mut Walk<'_>, args: &[Arg]) {
    let s = split(
        args,
        "dfRFntp",
        &["--desc", "--filename", "--repo", "--notes", "--title", "--notes-file", "--target"],
    );
    let words: Vec<&str> = s.operands.iter().map(|a| a.text.as_str()).collect();
    let (to, skip) = match words.as_slice() {
        ["gist" | "snippet", "create", ..] => ("a gist", 2),
        ["gist", "edit", ..] => ("a gist", 3),
        ["release", "upload" | "create", ..] => ("a release", 3),
        _ => return,
    };
    for file in s.operands.iter().skip(skip) {
        let taint = w.read_file(file, true).taint;
        send(w, &file.text, to, taint.and(file.taint));
    }
}

fn netcat(w: &mut Walk<'_>, name: &str, args: &[Arg], stdin: &Stdin) -> Flow {
    let s = split(args, "ecpswqiXxTOPIm", &["--exec", "--sh-exec", "--proxy", "--source-port", "--lua-exec"]);
    if s.options.iter().any(|a| matches!(a.text.as_str(), "--help" | "-h" | "--version")) {
        return Flow::default();
    }
    for (k, v) in s.values.clone() {
        if matches!(k.as_str(), "-e" | "-c" | "--exec" | "--sh-exec") && name != "telnet" {
            runs_shell_on_network(w, &v.text, name);
        }
    }
    let to = s.operands.iter().map(|a| a.text.as_str()).collect::<Vec<_>>().join(":");
    if let Some(f) = stdin {
        // Text that stands on the line is not a file that leaves.
        let what = if f.text.is_some() { "-" } else { "raw" };
        send(w, what, &to, f.taint);
        if f.taint.has(Taint::SHELL) {
            w.effect(EffectKind::Code { from: CodeFrom::NetworkShell, by: name.to_owned() });
        }
    }
    if s.has('z', "zero") && !s.options.iter().any(|a| a.text.starts_with("--")) {
        return Flow::default();
    }
    Flow::unknown(Taint::REMOTE)
}

fn runs_shell_on_network(w: &mut Walk<'_>, command: &str, by: &str) {
    let head = command.split_whitespace().next().unwrap_or_default();
    let base = head.rsplit('/').next().unwrap_or(head);
    if shell_name(base) && !command.contains(" -c ") {
        w.effect(EffectKind::Code { from: CodeFrom::NetworkShell, by: by.to_owned() });
    } else {
        w.run_shell(command, by_static(by), &None);
    }
}

fn by_static(by: &str) -> &'static str {
    if by == "socat" { "socat" } else { "nc -e" }
}

fn socat(w: &mut Walk<'_>, args: &[Arg], stdin: &Stdin) -> Flow {
    let s = split(args, "dlstTb", &[]);
    if s.options.iter().any(|a| matches!(a.text.as_str(), "-V" | "-h" | "-?" | "-hh" | "--help")) {
        return Flow::default();
    }
    let mut network: Option<String> = None;
    let mut taint = Taint::NONE;
    let mut programs: Vec<String> = Vec::new();
    for a in &s.operands {
        for part in a.text.split("!!") {
            let (kind, rest) = part.split_once(':').unwrap_or((part, ""));
            let kind = kind.to_ascii_uppercase();
            let path = rest.split(',').next().unwrap_or(rest);
            match kind.as_str() {
                "OPEN" | "FILE" | "GOPEN" | "RDONLY" => {
                    taint = taint.and(w.read_file(&Arg::new(path), true).taint);
                }
                "CREATE" | "CREAT" => write(w, &Arg::new(path), WriteHow::Overwrite, Flow::default()),
                "EXEC" | "SYSTEM" | "SHELL" => programs.push(path.to_owned()),
                "-" | "STDIN" | "STDIO" => {
                    taint = taint.and(stdin.as_ref().map(|f| f.taint).unwrap_or_default());
                }
                k if k.starts_with("TCP")
                    || k.starts_with("UDP")
                    || k.starts_with("OPENSSL")
                    || k.starts_with("SSL")
                    || k.starts_with("SOCKS")
                    || k.starts_with("PROXY")
                    || k.starts_with("SCTP")
                    || k.starts_with("DCCP")
                    || k.starts_with("VSOCK") =>
                {
                    network = Some(rest.to_owned());
                }
                _ if part.starts_with(['/', '.']) => {
                    taint = taint.and(w.read_file(&Arg::new(path), true).taint);
                }
                _ => {}
            }
        }
    }
    let connected = network.is_some();
    for p in programs {
        if connected {
            runs_shell_on_network(w, &p, "socat");
        } else {
            w.run_shell(&p, "socat", &None);
        }
    }
    if let Some(to) = network {
        if taint != Taint::NONE {
            send(w, "a file", &to, taint);
        }
        return Flow::unknown(Taint::REMOTE.and(taint));
    }
    Flow::unknown(taint)
}
