//! Addresses: where a cloud hands out the machine's credentials, and what leaves the machine.

use crate::{Rule, Verdict};
use sprag_shell::{host, is_local};
use std::net::{IpAddr, Ipv4Addr};

/// A secret in the address that a tool opens: whoever finds secrets in texts decides that it applies.
pub static SECRET_IN_URL: Rule = Rule {
    id: "exfiltration:secret-in-url",
    verdict: Verdict::Ask,
    reason: "This address has a secret in it, which goes to that host and into its logs.",
    safer: "Leave the secret out, or let the user open the address.",
};

/// A secret in the values of a tool that hands them to somebody else.
pub static SECRET_IN_TOOL: Rule = Rule {
    id: "exfiltration:secret-in-tool",
    verdict: Verdict::Ask,
    reason: "This tool hands a token or a private key to somebody else.",
    safer: "Leave the secret out, or let the user send it.",
};

/// A file whose text runs later by itself, with a command that would be denied.
pub static AUTO_RUN: Rule = Rule {
    id: "persistence:auto-run",
    verdict: Verdict::Ask,
    reason: "This file runs by itself later, and has a command that would be denied.",
    safer: "Leave the command out, or show it to the user.",
};

/// A tool of a server that deletes something whole, by its name.
pub static TOOL_DESTROYS: Rule = Rule {
    id: "cloud:tool-destroys",
    verdict: Verdict::Ask,
    reason: "This tool deletes something that no file brings back.",
    safer: "Let the user delete it, or allow the rule.",
};

/// All rules of this file.
pub(crate) static RULES: &[&Rule] = &[&SECRET_IN_URL, &SECRET_IN_TOOL, &TOOL_DESTROYS, &AUTO_RUN];

/// Whether a request to this address leaves the machine and its network.
pub fn leaves_machine(address: &str) -> bool {
    let private = |ip| match ip {
        IpAddr::V4(v4) => v4.is_private() || v4.is_loopback() || v4.is_unspecified(),
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unspecified(),
    };
    !is_local(address) && !ip(host(address)).is_some_and(private)
}

/// The metadata services of the clouds, by name, by address in any spelling, and by names that resolve to the address.
pub(crate) fn is_metadata(address: &str) -> bool {
    let host = host(address).to_ascii_lowercase();
    let host = host.trim_end_matches('.');
    let named = [
        "metadata.google.internal", "metadata.goog", "metadata.azure.internal", "instance-data", "metadata",
        "instance-data.ec2.internal",
    ]
    .contains(&host);
    named || ip(host).is_some_and(serves_metadata) || stands_for(host)
}

fn serves_metadata(ip: IpAddr) -> bool {
    match ip {
        // All of the link-local range: no other service of it is reached by a URL.
        IpAddr::V4(v4) => {
            v4.is_link_local()
                || v4 == Ipv4Addr::new(100, 100, 100, 200)
                || v4 == Ipv4Addr::new(192, 0, 0, 192)
        }
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => v4.is_link_local(),
            None => v6.segments().starts_with(&[0xfd00, 0xec2]) || v6.segments().starts_with(&[0xfd20, 0xce]),
        },
    }
}

/// An address as programs read it: also as one number, and with parts in octal or hexadecimal.
fn ip(host: &str) -> Option<IpAddr> {
    if let Ok(ip) = host.parse() {
        return Some(ip);
    }
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None if text.len() > 1 && text.starts_with('0') => u32::from_str_radix(text, 8).ok(),
        None => text.parse().ok(),
    };
    let parts: Vec<u32> = host.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = parts.split_last()?;
    if first.len() > 3 || first.iter().any(|part| *part > 255) {
        return None;
    }
    let high = first.iter().zip([24, 16, 8]).fold(0_u32, |sum, (part, shift)| sum | part << shift);
    Some(IpAddr::V4(Ipv4Addr::from(high | *last)))
}

/// Services that resolve a name to the address in it.
fn stands_for(host: &str) -> bool {
    [".nip.io", ".sslip.io", ".xip.io", ".localtest.me"].iter().filter_map(|end| host.strip_suffix(end)).any(
        |name| {
            let name = name.replace('-', ".");
            let parts: Vec<&str> = name.rsplit('.').take(4).collect();
            parts.len() == 4
                && parts.into_iter().rev().collect::<Vec<_>>().join(".").parse().is_ok_and(serves_metadata)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_the_address() {
        for url in [
            "http://169.254.169.254/latest/",
            "169.254.169.254",
            "http://[fd00:ec2::254]/",
            "http://2852039166/",
            "http://0xa9fea9fe/",
            "http://0251.0376.0251.0376/",
            "http://169.254.43518/",
            "http://[::ffff:a9fe:a9fe]/x",
            "http://metadata.google.internal./",
            "http://x.169-254-169-254.nip.io/",
            "http://169.254.170.2/v2",
            "http://100.100.100.200/latest",
        ] {
            assert!(is_metadata(url), "{url}");
        }
        for url in [
            "https://example.com/169.254.169.254",
            "http://localhost:3000",
            "http://10.0.0.1",
            "https://docs.rs",
            "http://192.168.1.1/",
            "https://169.254.example.com/",
            "http://1.nip.io/",
        ] {
            assert!(!is_metadata(url), "{url}");
        }
    }
}
