//! What belongs to the project's own development, or comes back by itself, in a session that works in the project (ADR 0069).
//! The loss is local and small: rows of the stack that the project's compose file starts, a SQLite file of the project, containers that are
//! stopped and started again.

use sprag_shell::{
    Analysis, Cmd, Context, EffectKind, HOLE, PathRef, PathZone, Words, is_development, is_production,
    is_this_machine,
};

use crate::Hit;
use crate::development::is_here;
use crate::own::{engine, is_engine, is_reached_elsewhere, means_production};

/// The hit is about something of this kind.
pub(crate) fn is_of_project(hit: &Hit, analysis: &Analysis, ctx: &Context) -> bool {
    let Some(cmd) = analysis.commands.get(hit.cmd) else { return false };
    if is_reached_elsewhere(cmd) || means_production(cmd) {
        return false;
    }
    match hit.rule.id {
        "database:index-delete" => addresses_are_here(cmd),
        rule if rule.starts_with("database:") => {
            in_own_stack(hit.cmd, analysis, ctx) || is_file_of_project(cmd, ctx)
        }
        "containers:remove-many" | "containers:prune" => comes_back(cmd),
        "exfiltration:raw-address" => only_looks(hit.cmd, analysis),
        "git:branch-delete-force" => lists_gone_branches(hit.cmd, analysis),
        _ => false,
    }
}

/// In a container of the project: `docker compose exec`, or `docker exec` with the project's name or one for development.
fn in_own_stack(at: usize, analysis: &Analysis, ctx: &Context) -> bool {
    let before = analysis.commands.get(..at).unwrap_or_default();
    let outer = before.iter().rev().find(|cmd| !cmd.reached.contains(&"container"));
    let (Some(inner), Some(outer)) = (analysis.commands.get(at), outer) else { return false };
    let here = inner.reached.contains(&"container")
        && !is_reached_elsewhere(outer)
        && engine(outer).is_empty()
        && !outer.args.iter().any(|arg| is_production(&arg.text))
        && !names_another_server(inner);
    let words = Words::of(&outer.name, &outer.args);
    let project = ctx.project_root.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    here && match (outer.name.as_str(), words.operands.as_slice()) {
        ("docker-compose" | "podman-compose", ["exec" | "run", ..]) => true,
        (name, ["compose", "exec" | "run", ..]) => is_engine(name),
        (name, ["exec", container, ..] | ["container", "exec", container, ..]) => {
            is_engine(name) && (is_named_after(container, project) || is_development(container))
        }
        _ => false,
    }
}

/// Compose names containers after the folder: `shop-db-1` in `/home/dev/shop`.
fn is_named_after(container: &str, project: &str) -> bool {
    let rest = container.strip_prefix(project.to_ascii_lowercase().as_str());
    project.len() > 2 && rest.is_some_and(|rest| rest.starts_with(['-', '_']))
}

/// A client in a container that talks to a server of another machine: a service of the stack has a name without dots.
fn names_another_server(cmd: &Cmd) -> bool {
    let foreign = |host: &str| host.contains(['.', HOLE]) && !is_this_machine(host);
    cmd.args.iter().enumerate().any(|(at, arg)| {
        let next = || cmd.args.get(at + 1).is_some_and(|next| foreign(&next.text));
        match arg.text.as_str() {
            "-h" | "--host" | "-u" => next(),
            text if text.contains("://") => !is_here(text) && foreign(text),
            text => text.strip_prefix("--host=").is_some_and(foreign),
        }
    })
}

/// A SQLite or DuckDB file below the project's folder, which `rm` may delete as well.
fn is_file_of_project(cmd: &Cmd, ctx: &Context) -> bool {
    if !matches!(cmd.name.as_str(), "sqlite3" | "sqlite" | "duckdb" | "litecli") {
        return false;
    }
    let at = Context { cwd: cmd.dir.clone().unwrap_or_else(|| ctx.cwd.clone()), ..ctx.clone() };
    let words = Words::of(&cmd.name, &cmd.args);
    let file = words.operands.first().map(|file| PathRef::new(file, &at));
    file.is_some_and(|path| path.place == PathZone::Project && !path.full.contains(HOLE))
}

/// Every address of the request is one of this machine.
fn addresses_are_here(cmd: &Cmd) -> bool {
    let is_address =
        |text: &str| text.contains("://") || text.starts_with("localhost") || text.contains(":9200");
    let mut addresses =
        cmd.args.iter().map(|arg| arg.text.as_str()).filter(|text| is_address(text)).peekable();
    addresses.peek().is_some() && addresses.all(is_here)
}

/// Stopped containers start again, and compose makes a network again.
fn comes_back(cmd: &Cmd) -> bool {
    let words = Words::of(&cmd.name, &cmd.args);
    matches!(
        words.operands.as_slice(),
        ["stop" | "kill", ..] | ["container", "stop" | "kill", ..] | ["network", "prune", ..]
    )
}

/// A look at a server by its address: nothing is sent, nothing is kept, nothing is run.
fn only_looks(at: usize, analysis: &Analysis) -> bool {
    let Some(cmd) = analysis.commands.get(at) else { return false };
    let keeps = |text: &str| {
        matches!(text, "-O" | "-o" | "--output" | "--remote-name" | "-T" | "-K" | "--config")
            || text.starts_with("-o")
    };
    let shown = |address: &str| {
        let path = address.split_once("://").map_or(address, |(_, rest)| rest);
        let last = path.split_once('/').map_or("", |(_, path)| path).rsplit('/').next().unwrap_or_default();
        !address.contains(['?', HOLE])
            && (!last.contains('.') || last.ends_with(".json") || last.ends_with(".html"))
    };
    matches!(cmd.name.as_str(), "curl" | "http" | "xh")
        && !cmd.args.iter().any(|arg| keeps(&arg.text))
        && analysis.effects.iter().all(|effect| match &effect.kind {
            EffectKind::Fetch { from } => effect.cmd != at || shown(from),
            EffectKind::Send { .. } | EffectKind::Code { .. } | EffectKind::DynamicShell => false,
            _ => true,
        })
}

/// `git branch -vv | grep ': gone]' | … | xargs git branch -D`: branches whose remote branch was merged and deleted.
fn lists_gone_branches(at: usize, analysis: &Analysis) -> bool {
    let before = analysis.commands.get(..at).unwrap_or_default();
    let has = |cmd: &Cmd, word: &str| cmd.args.iter().any(|arg| arg.text.contains(word));
    let lists = before.iter().any(|cmd| {
        cmd.name == "git" && (has(cmd, "-vv") || has(cmd, "for-each-ref") || has(cmd, "--merged"))
    });
    let merged = before.iter().any(|cmd| cmd.name == "git" && has(cmd, "--merged"));
    let gone = before.iter().any(|cmd| cmd.name != "git" && has(cmd, "gone"));
    let named = |cmd: &Cmd| {
        let words = Words::of(&cmd.name, &cmd.args);
        words.operands.iter().skip(1).any(|name| *name != "a-listed-name" && !name.contains(HOLE))
    };
    lists && (merged || gone) && analysis.commands.get(at).is_some_and(|cmd| !named(cmd))
}

#[cfg(test)]
mod tests {
    use crate::{GuardConfig, Verdict, judge};
    use sprag_shell::{Context, analyse};

    fn judged(line: &str, tolerant: bool) -> Verdict {
        let ctx = Context {
            cwd: "/home/dev/shop".into(),
            home: "/home/dev".into(),
            project_root: "/home/dev/shop".into(),
        };
        let config = GuardConfig { tolerant, ..GuardConfig::default() };
        judge(&analyse(line, &ctx), &ctx, &config).verdict
    }

    #[test]
    fn a_session_may_change_what_belongs_to_the_project() {
        for line in [
            "docker compose exec -T db psql -U app shop -c 'truncate users'",
            "docker compose exec redis redis-cli FLUSHALL",
            "docker compose -f compose.dev.yml exec web rails db:reset",
            "docker exec shop-db-1 psql -U app -c 'drop table users'",
            "docker exec pg-test psql -U app -c 'drop table users'",
            "sqlite3 db.sqlite3 'delete from users'",
            "sqlite3 prisma/dev.db 'drop table users'",
            "docker stop $(docker ps -q)",
            "docker network prune -f",
            "curl -X DELETE localhost:9200/products",
            "curl -s http://34.120.1.1/health",
            "git branch -vv | grep ': gone]' | awk '{print $1}' | xargs -r git branch -D",
        ] {
            assert!(judged(line, false) >= Verdict::Ask, "{line}");
            assert!(judged(line, true) < Verdict::Ask, "{line}");
        }
    }

    #[test]
    fn what_is_elsewhere_or_of_others_is_asked_about() {
        for line in [
            "ssh host \"docker compose exec db psql -c 'drop table users'\"",
            "docker compose -f docker-compose.prod.yml exec db psql -c 'drop table users'",
            "docker --context swarm compose exec db psql -c 'drop table users'",
            "docker compose exec web psql -h db.example.com shop -c 'drop table users'",
            "docker exec nextcloud-db mysql -e 'drop database nextcloud'",
            "kubectl exec db -- psql -c 'drop table users'",
            "sqlite3 ~/.mozilla/places.sqlite 'delete from moz_places'",
            "sqlite3 data/production.sqlite 'delete from users'",
            "docker compose down -v",
            "docker rm -f $(docker ps -aq)",
            ": > src/notes.ts",
            "curl -X DELETE http://search.example:9200/products",
            "curl -s http://34.120.1.1/x.sh",
            "curl -d a=1 http://34.120.1.1/",
            "git branch -vv | grep gone; git branch -D feature",
            "git branch | xargs git branch -D",
        ] {
            assert!(judged(line, true) >= Verdict::Ask, "{line}");
        }
    }
}
