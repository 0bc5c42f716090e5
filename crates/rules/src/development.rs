//! What runs on this machine to be developed against: an emulator, a local server, the database of an environment that the
//! command names. It may lose everything; what calls itself production, and what is elsewhere or not named, may not.

use sprag_shell::{Analysis, Cmd, is_production, is_this_machine};

use crate::Hit;

/// The hit is about a service of this machine that the command names as such.
pub(crate) fn is_local(hit: &Hit, analysis: &Analysis) -> bool {
    const RULES: [&str; 5] =
        ["cloud:delete", "cloud:exposure", "cloud:rights", "database:queue", "database:reset"];
    let Some(cmd) = analysis.commands.get(hit.cmd) else { return false };
    RULES.contains(&hit.rule.id)
        && !is_elsewhere(cmd, analysis)
        && (names_this_machine(cmd) || hit.rule.id == "database:reset" && names_an_environment(cmd))
        && !cmd.args.iter().any(|arg| is_production(&arg.text))
}

/// Over ssh, or in a pod, this machine is another one.
fn is_elsewhere(cmd: &Cmd, analysis: &Analysis) -> bool {
    let in_pod = || {
        let mut outer =
            analysis.commands.iter().filter(|cmd| matches!(cmd.name.as_str(), "kubectl" | "oc" | "k"));
        outer.any(|cmd| cmd.args.iter().any(|arg| arg.text == "exec"))
    };
    cmd.reached.iter().any(|via| matches!(*via, "ssh" | "ssh input" | "fleet"))
        || cmd.reached.contains(&"container") && in_pod()
}

/// Options and variables with the address of the service.
const ADDRESSES: [&str; 9] = [
    "--endpoint-url", "--endpoint", "--bootstrap-server", "--bootstrap-servers", "--broker-list", "--server",
    "--url", "--host", "--address",
];
const VARIABLES: [&str; 8] = [
    "AWS_ENDPOINT_URL", "DATABASE_URL", "DB_HOST", "PGHOST", "MYSQL_HOST", "REDIS_URL", "MONGODB_URI",
    "NATS_URL",
];

/// Every address that the command is given is one of this machine, and there is one.
fn names_this_machine(cmd: &Cmd) -> bool {
    let options = cmd.args.iter().enumerate().filter_map(|(at, arg)| match arg.text.split_once('=') {
        Some((key, value)) if ADDRESSES.contains(&key) => Some(value),
        None if ADDRESSES.contains(&arg.text.as_str()) => cmd.args.get(at + 1).map(|next| next.text.as_str()),
        _ => None,
    });
    let variables = cmd.env.iter().filter(|(key, _)| VARIABLES.contains(&key.as_str()));
    let mut addresses = options.chain(variables.map(|(_, value)| value.as_str())).peekable();
    addresses.peek().is_some() && addresses.all(is_here) || is_emulated(cmd)
}

/// A project that starts with `demo-` is one of Firebase's emulators alone.
fn is_emulated(cmd: &Cmd) -> bool {
    let after = cmd.args.iter().skip_while(|arg| !matches!(arg.text.as_str(), "--project" | "-P"));
    let joined = cmd.args.iter().filter_map(|arg| arg.text.strip_prefix("--project="));
    let mut names = joined.chain(after.skip(1).take(1).map(|arg| arg.text.as_str()));
    cmd.name == "firebase" && names.any(|name| name.starts_with("demo-"))
}

/// `http://localhost:4566`, `localhost:9092,127.0.0.1:9093`, `postgres:///shop_dev`, `sqlite:///tmp/x`
pub(crate) fn is_here(address: &str) -> bool {
    if address.starts_with("sqlite:") || address.starts_with("file:") {
        return true;
    }
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let place = rest.split(['/', '?']).next().unwrap_or(rest);
    let host = place.rsplit('@').next().unwrap_or(place);
    !address.is_empty()
        && !address.contains("host=")
        && !is_production(address)
        && host.split(',').all(is_this_machine)
}

/// The command says that it means the database of the tests or of development, which they make again.
fn names_an_environment(cmd: &Cmd) -> bool {
    const NAMES: [&str; 8] = [
        "RAILS_ENV", "RACK_ENV", "MIX_ENV", "APP_ENV", "NODE_ENV", "ASPNETCORE_ENVIRONMENT",
        "DOTNET_ENVIRONMENT", "SPRING_PROFILES_ACTIVE",
    ];
    let passing = |value: &str| {
        matches!(
            value.to_ascii_lowercase().as_str(),
            "test" | "testing" | "dev" | "development" | "local" | "ci"
        )
    };
    let option = |at: usize, text: &str| match text.split_once('=') {
        Some(("--env" | "--environment" | "-e" | "--database", value)) => passing(value),
        _ if matches!(text, "--env" | "--environment") => {
            cmd.args.get(at + 1).is_some_and(|next| passing(&next.text))
        }
        _ => false,
    };
    let settings = |value: &str| value.rsplit('.').next().is_some_and(passing);
    cmd.env.iter().any(|(name, value)| {
        NAMES.contains(&name.as_str()) && passing(value)
            || name == "DJANGO_SETTINGS_MODULE" && settings(value)
    }) || cmd.args.iter().enumerate().any(|(at, arg)| option(at, &arg.text))
}
