//! Whether the cluster that commands mean is one that a tool runs on this machine, to be thrown away.

use sprag_base::env::Env;
use sprag_base::files::read_limited;
use sprag_rules::Judgement;
use sprag_shell::{Analysis, Cmd};
use std::path::{Path, PathBuf};

/// The largest configuration that is looked at.
const MAX_BYTES: u64 = 1 << 20;

/// The rules about clusters that do not hold here: none of the commands says where it goes, and the configuration's own context
/// is a cluster of this machine.
pub fn rules_that_do_not_hold(
    judged: &Judgement,
    analysis: &Analysis,
    env: &Env,
    home: &Path,
) -> Vec<&'static str> {
    let hits = || judged.all_hits.iter().filter(|hit| hit.rule.pack() == "kubernetes");
    let here = |cmd: usize| analysis.commands.get(cmd).is_some_and(goes_where_it_is_told);
    if hits().next().is_none() || !hits().all(|hit| here(hit.cmd)) || changes_the_place(analysis) {
        return Vec::new();
    }
    let local = configuration(env, home)
        .and_then(|path| read_limited(&path, MAX_BYTES).ok().flatten())
        .is_some_and(|bytes| is_local(&String::from_utf8_lossy(&bytes)));
    if local { hits().map(|hit| hit.rule.id).collect() } else { Vec::new() }
}

/// The command takes the configuration's context, on this machine.
fn goes_where_it_is_told(cmd: &Cmd) -> bool {
    const OPTIONS: [&str; 9] = [
        "--context", "--kube-context", "--kubeconfig", "--cluster", "--server", "-s", "--user", "--token",
        "--kube-apiserver",
    ];
    let named = |text: &str| OPTIONS.contains(&text.split('=').next().unwrap_or(text));
    let elsewhere = |via: &&str| via.starts_with("ssh") || *via == "container";
    !cmd.args.iter().any(|arg| named(&arg.text)) && !cmd.reached.iter().any(elsewhere)
}

/// The line changes where commands go before they do.
fn changes_the_place(analysis: &Analysis) -> bool {
    const TOOLS: [&str; 16] = [
        "kubectx", "kubie", "kubeswitch", "switcher", "gcloud", "aws", "az", "doctl", "eksctl", "oc", "tsh",
        "source", ".", "eval", "k9s", "rancher",
    ];
    let configures = |cmd: &Cmd| {
        matches!(cmd.name.as_str(), "kubectl" | "k") && cmd.args.iter().any(|arg| arg.text == "config")
    };
    analysis.line.contains("KUBECONFIG")
        || analysis.line.contains(".kube")
        || analysis.commands.iter().any(|cmd| TOOLS.contains(&cmd.name.as_str()) || configures(cmd))
}

/// The one file that says where commands go.
fn configuration(env: &Env, home: &Path) -> Option<PathBuf> {
    match env.get("KUBECONFIG").filter(|value| !value.is_empty()) {
        Some(value) if value.contains([':', ';']) => None,
        Some(value) => Some(PathBuf::from(value)),
        None => Some(home.join(".kube/config")),
    }
}

/// By the name of its context, which such tools give, and by the address of its server. Only what these tools write is read.
fn is_local(text: &str) -> bool {
    let unquoted = |value: &str| value.trim().trim_matches(['"', '\'']).to_owned();
    let (mut section, mut current) = ("", None);
    let (mut inner, mut name) = (String::new(), String::new());
    // (name, server) of clusters and (name, cluster) of contexts
    let (mut servers, mut contexts) = (Vec::new(), Vec::new());
    for line in text.lines().chain(["end:"]) {
        let item = line.trim_start_matches("- ").trim_start();
        let Some((key, value)) = item.split_once(':') else { continue };
        if line.starts_with("- ") || !line.starts_with(' ') {
            match section {
                "clusters" => servers.push((std::mem::take(&mut name), std::mem::take(&mut inner))),
                "contexts" => contexts.push((std::mem::take(&mut name), std::mem::take(&mut inner))),
                _ => {}
            }
        }
        if !line.starts_with([' ', '-']) {
            section = key;
            if key == "current-context" {
                current = Some(unquoted(value));
            }
            continue;
        }
        match (section, key) {
            ("clusters", "server") | ("contexts", "cluster") if !value.trim().is_empty() => {
                inner = unquoted(value);
            }
            ("clusters" | "contexts", "name") => name = unquoted(value),
            _ => {}
        }
    }
    let Some(current) = current else { return false };
    let cluster = contexts.iter().find(|(name, _)| *name == current).map(|(_, cluster)| cluster);
    let mut server = servers.iter().filter(|(name, _)| Some(name) == cluster).map(|(_, server)| server);
    sprag_rules::is_local_cluster(&current)
        && server.next().is_some_and(|server| is_here(server))
        && server.next().is_none()
}

/// An address of this machine, or of the virtual machine that minikube makes.
fn is_here(server: &str) -> bool {
    let host = server.split_once("://").map_or(server, |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or(host);
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    matches!(host, "127.0.0.1" | "localhost" | "0.0.0.0" | "[::1]" | "kubernetes.docker.internal")
        || host == "k8s.orb.local"
        || ["192.168.49.", "192.168.39.", "192.168.58."].iter().any(|net| host.starts_with(net))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: &str = "apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: LS0t\n    server: https://127.0.0.1:38421\n  name: kind-dev\n- cluster:\n    server: https://api.example.com\n  name: production\ncontexts:\n- context:\n    cluster: kind-dev\n    user: kind-dev\n  name: kind-dev\n- context:\n    cluster: production\n    user: me\n  name: production\ncurrent-context: kind-dev\nkind: Config\nusers: []\n";

    #[test]
    fn a_cluster_of_this_machine_has_its_name_and_its_address() {
        assert!(is_local(KIND));
        assert!(!is_local(&KIND.replace("current-context: kind-dev", "current-context: production")));
        // A context that was given another name, or a tunnel to another machine.
        assert!(!is_local(&KIND.replace("https://127.0.0.1:38421", "https://api.example.com")));
        assert!(!is_local(&KIND.replace("kind-dev", "staging")));
        assert!(!is_local(""));
    }
}
