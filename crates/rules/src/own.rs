//! What a session made itself, and may take away again: a database, a container, a cluster, a branch, a cloud resource.
//!
//! Every such thing has a name in which the command that makes it and the command that takes it away agree:
//! `createdb shop_copy` and `dropdb shop_copy` are about `database here/shop_copy`, `docker volume create v` and
//! `docker volume rm v` about `docker volume v`. What calls itself production is nobody's own.

use sprag_shell::{Analysis, Cmd, Context, EffectKind, HOLE, Words, is_production, normalise};

use crate::Hit;

/// Longest name that is recorded.
const MAX_NAME: usize = 200;

/// Whether a line may make something: cheap, and often right. [`made`] says what.
pub fn may_make(line: &str) -> bool {
    const WORDS: [&str; 24] = [
        "create", "CREATE", "Create", " run ", " up", "install", "launch", "clone", "mkdir", " add ",
        " new ", " mb ", " -b ", " -c ", "worktree", "git branch ", "git tag ", "declare", "migrat", "setup",
        "upgrade", "push", "database update", "db:schema:load",
    ];
    WORDS.iter().any(|word| line.contains(word))
}

/// Whether a thing counts although the output says that something was there already: migrations say so of every one that they
/// have made, and compose of every service that runs.
pub fn may_have_been_there(thing: &str) -> bool {
    thing.starts_with("migrations ") || thing.starts_with("compose ")
}

/// What a line makes, by the names under which it may be taken away. The line as a whole worked; only commands
/// count whose failure would have shown.
pub fn made(analysis: &Analysis, cwd: &str) -> Vec<String> {
    let counts = |at: usize| {
        analysis.commands.get(at).is_some_and(|cmd| {
            !is_reached_elsewhere(cmd) && (cmd.decides || !analysis.line.contains("/dev/null"))
        })
    };
    let by_effect = analysis.effects.iter().filter(|effect| counts(effect.cmd));
    let by_effect = by_effect.filter_map(|effect| match &effect.kind {
        EffectKind::Make(what) => Some(what.clone()),
        _ => None,
    });
    let by_command = analysis.commands.iter().enumerate().filter(|(at, cmd)| counts(*at) && !cmd.inert);
    let by_command = by_command.flat_map(|(_, cmd)| makes(cmd, cwd));
    let mut out: Vec<String> = by_effect.chain(by_command).filter(|name| is_name(name)).collect();
    out.dedup();
    out
}

/// Whether a stop by this rule may be about something that the session made.
pub fn may_be_own(rule: &str) -> bool {
    const PACKS: [&str; 6] = [
        "database:",
        "containers:",
        "kubernetes:",
        "cloud:delete",
        "packages:",
        "filesystem:rm-recursive-outside",
    ];
    const RULES: [&str; 4] =
        ["git:branch-delete-force", "git:delete-remote", "git:worktree-remove-force", "iac:destroy"];
    PACKS.iter().any(|pack| rule.starts_with(pack)) && rule != "packages:publish" || RULES.contains(&rule)
}

fn is_name(name: &str) -> bool {
    name.len() <= MAX_NAME && !name.contains(HOLE) && !name.contains('\n') && !is_production(name)
}

/// Over ssh, or on many machines.
pub(crate) fn is_reached_elsewhere(cmd: &Cmd) -> bool {
    cmd.reached.iter().any(|via| matches!(*via, "ssh" | "ssh input" | "fleet"))
}

/// The hit is about something that the session, or an earlier command of the line, made.
pub(crate) fn is_own(hit: &Hit, analysis: &Analysis, ctx: &Context, made: &[String]) -> bool {
    let Some(cmd) = analysis.commands.get(hit.cmd) else { return false };
    if !may_be_own(hit.rule.id) || is_reached_elsewhere(cmd) || means_production(cmd) {
        return false;
    }
    let here = ctx.cwd.as_str();
    let before = analysis.commands.get(..hit.cmd).unwrap_or_default();
    let line: Vec<String> = before.iter().filter(|cmd| !cmd.inert).flat_map(|cmd| makes(cmd, here)).collect();
    let of_line = |name: &String, up_to: usize| {
        let effects = analysis.effects.get(..up_to).unwrap_or_default();
        effects.iter().any(|effect| matches!(&effect.kind, EffectKind::Make(made) if made == name))
    };
    let own = |name: &String, up_to: usize| {
        is_name(name) && (made.contains(name) || line.contains(name) || of_line(name, up_to))
    };
    if hit.rule.id.starts_with("database:")
        && inside_own_container(hit.cmd, analysis, here, &|name| own(name, 0))
    {
        return true;
    }
    if let Some(at) = analysis.effects.iter().position(|effect| is_about(&effect.kind, effect.cmd, hit)) {
        let kind = analysis.effects.get(at).map(|effect| &effect.kind);
        return match kind {
            Some(EffectKind::Database { takes, within, .. }) => {
                within.as_ref().is_some_and(|name| own(name, at))
                    || !takes.is_empty() && takes.iter().all(|name| own(name, at))
            }
            Some(EffectKind::Delete { path, .. }) => {
                let name = format!("folder {}", path.full);
                !path.glob && own(&name, at)
            }
            _ => false,
        };
    }
    let taken = takes(cmd, here);
    if leaves_nothing(cmd) && !is_filled_again(hit.cmd, &taken, analysis, here) {
        return false;
    }
    let of_project = |name: &String| volume_of_project(name, &|name| own(name, 0), made);
    !taken.is_empty() && taken.iter().all(|name| own(name, analysis.effects.len()) || of_project(name))
}

/// `rails db:drop`, `dotnet ef database drop`, `manage.py migrate shop zero`: the framework does not fill the database again.
fn leaves_nothing(cmd: &Cmd) -> bool {
    let empties = |word: &str| {
        let last = word.rsplit([':', '.']).next().unwrap_or(word);
        matches!(last, "drop" | "wipe" | "purge" | "zero" | "base" | "0" | "down" | "all" | "clean")
    };
    let words = Words::of(&cmd.name, &cmd.args);
    is_framework(&cmd.name) && words.operands.iter().any(|word| empties(word)) && !fills(&words)
}

/// The same command goes on to fill it: `rails db:drop db:create db:migrate`.
fn fills(words: &Words<'_>) -> bool {
    let fills = |word: &&str| matches!(*word, "db:migrate" | "db:setup" | "db:schema:load" | "db:prepare");
    words.operands.iter().any(fills)
}

/// A later command of the line brings the database back to the state of the repository.
fn is_filled_again(at: usize, taken: &[String], analysis: &Analysis, cwd: &str) -> bool {
    let after = analysis.commands.get(at + 1..).unwrap_or_default();
    after.iter().any(|cmd| {
        is_framework(&cmd.name)
            && (makes(cmd, cwd).iter().any(|made| taken.contains(made))
                || fills(&Words::of(&cmd.name, &cmd.args)))
    })
}

fn is_framework(name: &str) -> bool {
    FRAMEWORKS.iter().any(|(programs, _)| programs.contains(&name))
}

/// The command says that it means something that others depend on, or switches off the check that it does not.
pub(crate) fn means_production(cmd: &Cmd) -> bool {
    const CHECK: &str = "DISABLE_DATABASE_ENVIRONMENT_CHECK";
    // Laravel asks in production only; there is no other reason for the option.
    if cmd.name == "artisan" && cmd.args.iter().any(|arg| arg.text == "--force") {
        return true;
    }
    cmd.args.iter().any(|arg| is_production(&arg.text) || arg.text.starts_with(CHECK))
        || cmd.env.iter().any(|(key, value)| is_production(value) || key == CHECK)
}

/// The effect that a hit is about.
fn is_about(kind: &EffectKind, cmd: usize, hit: &Hit) -> bool {
    cmd == hit.cmd
        && match kind {
            EffectKind::Database { text, .. } => *text == hit.what,
            EffectKind::Delete { path, .. } => path.expanded == hit.what || path.full == hit.what,
            _ => false,
        }
}

/// A command that runs in a container which the session started: `docker exec NAME`, `docker compose exec SERVICE`.
fn inside_own_container(at: usize, analysis: &Analysis, cwd: &str, own: &dyn Fn(&String) -> bool) -> bool {
    let inner = analysis.commands.get(at).is_some_and(|cmd| cmd.reached.contains(&"container"));
    let before = analysis.commands.get(..at).unwrap_or_default();
    let outer = before.iter().rev().find(|cmd| !cmd.reached.contains(&"container"));
    let Some(outer) = outer.filter(|_| inner) else { return false };
    if !is_engine(&outer.name) || is_reached_elsewhere(outer) {
        return false;
    }
    let words = Words::of(&outer.name, &outer.args);
    match words.operands.as_slice() {
        ["compose", "exec" | "run", ..] => own(&compose(outer, cwd)),
        ["exec", name, ..] | ["container", "exec", name, ..] => {
            let engine = engine(outer);
            own(&format!("container {engine}{name}"))
                // Compose names containers after the project.
                || name.split(['-', '_']).next().is_some_and(|project| own(&format!("compose {engine}{project}")))
        }
        _ => false,
    }
}

/// Compose names a volume after its project: `shop_pgdata` of the project `shop`, or of the folder `/home/dev/shop`.
fn volume_of_project(name: &str, own: &dyn Fn(&String) -> bool, made: &[String]) -> bool {
    let Some((project, _)) = name.strip_prefix("volume ").and_then(|name| name.split_once('_')) else {
        return false;
    };
    let folder = |made: &String| {
        made.strip_prefix("compose /").is_some_and(|dir| dir.rsplit('/').next() == Some(project))
    };
    !project.is_empty() && (own(&format!("compose {project}")) || made.iter().any(folder))
}

pub(crate) fn is_engine(name: &str) -> bool {
    matches!(name, "docker" | "podman" | "nerdctl")
}

/// The project of a compose command: its name, or the folder.
fn compose(cmd: &Cmd, cwd: &str) -> String {
    let named = value(cmd, &["-p", "--project-name"]);
    let named = named.or_else(|| {
        cmd.env.iter().find(|(key, _)| key == "COMPOSE_PROJECT_NAME").map(|(_, value)| value.as_str())
    });
    match named {
        Some(name) => format!("compose {}{name}", engine(cmd)),
        None => format!("compose {}{}", engine(cmd), cmd.dir.as_deref().unwrap_or(cwd)),
    }
}

/// The engine that a command talks to, when it is not the usual one.
pub(crate) fn engine(cmd: &Cmd) -> String {
    // Its own options stand in front of the sub-command.
    let mut named = None;
    let mut words = cmd.args.iter().map(|arg| arg.text.as_str());
    while let Some(option) = words.next().filter(|word| word.starts_with('-')) {
        if matches!(option, "-H" | "--host" | "--context" | "-c") {
            named = words.next();
        } else if let Some((_, value)) = option.split_once('=') {
            named = named.or(Some(value));
        }
    }
    let set = || {
        cmd.env
            .iter()
            .find(|(key, _)| key == "DOCKER_HOST" || key == "DOCKER_CONTEXT")
            .map(|(_, v)| v.as_str())
    };
    named.or_else(set).map(|name| format!("{name} ")).unwrap_or_default()
}

/// The value of an option: `--name value`, `--name=value`.
fn value<'a>(cmd: &'a Cmd, names: &[&str]) -> Option<&'a str> {
    cmd.args.iter().enumerate().find_map(|(at, arg)| {
        let text = arg.text.as_str();
        if names.contains(&text) {
            return cmd.args.get(at + 1).map(|next| next.text.as_str());
        }
        text.split_once('=').filter(|(key, _)| key.starts_with("--") && names.contains(key)).map(|(_, v)| v)
    })
}

/// What a command makes.
fn makes(cmd: &Cmd, cwd: &str) -> Vec<String> {
    things(cmd, cwd, true)
}

/// What a command takes away.
fn takes(cmd: &Cmd, cwd: &str) -> Vec<String> {
    things(cmd, cwd, false)
}

/// Programs whose resources are made and deleted by sub-commands of the same form.
const SERVICES: &[&str] = &[
    "aws", "gcloud", "az", "doctl", "oci", "ibmcloud", "hcloud", "linode-cli", "scw", "aliyun", "exo",
    "vultr-cli", "openstack", "eksctl", "gsutil", "bq", "heroku", "fly", "flyctl", "k3d", "kind", "mc",
    "s3cmd", "s5cmd", "lxc", "incus", "multipass", "neonctl", "neon", "turso", "pscale", "civo", "supabase",
    "wrangler", "gh", "glab", "nats", "rabbitmqadmin", "rabbitmqctl", "conda", "mamba", "micromamba", "apt",
    "apt-get", "brew", "snap", "flatpak", "dnf", "pacman", "apk", "awslocal",
];

fn things(cmd: &Cmd, cwd: &str, make: bool) -> Vec<String> {
    let words = Words::of(&cmd.name, &cmd.args);
    match cmd.name.as_str() {
        "git" => git(cmd, &words, cwd, make),
        "docker" | "podman" | "nerdctl" => container(cmd, &words, cwd, make),
        "docker-compose" | "podman-compose" => match words.operands.first() {
            Some(&"up") if make => vec![compose(cmd, cwd)],
            Some(&"down") if !make => vec![compose(cmd, cwd)],
            _ => Vec::new(),
        },
        "kubectl" | "oc" | "k" | "helm" => cluster(cmd, &words, make),
        "kafka-topics" | "kafka-topics.sh" => {
            let verb = if make { "--create" } else { "--delete" };
            let topic = value(cmd, &["--topic"]).filter(|_| words.has(verb) && !words.has("--if-not-exists"));
            let server = value(cmd, &["--bootstrap-server", "--zookeeper"]).unwrap_or_default();
            topic.map(|topic| vec![format!("topic {server} {topic}")]).unwrap_or_default()
        }
        "vagrant" => match words.operands.as_slice() {
            ["up", names @ ..] if make => machines(cmd, cwd, names),
            ["destroy", names @ ..] if !make => machines(cmd, cwd, names),
            _ => Vec::new(),
        },
        name if migrates(name, &words) && make || !make && is_framework(name) => {
            vec![migrations(cmd, cwd)]
        }
        "mkdir" if make && !words.has("-p") && !words.has("--parents") => folders(cmd, cwd, &words.operands),
        "npm" | "pnpm" | "yarn" if words.has("-g") || words.has("--global") => resource(cmd, &words, make),
        name if SERVICES.contains(&name) => resource(cmd, &words, make),
        _ => Vec::new(),
    }
}

/// Tools that bring a database to the state of the repository, and with which words. What such a tool empties in the same
/// session, it fills again.
const FRAMEWORKS: &[(&[&str], &[&str])] = &[
    (&["rails", "rake"], &["db:migrate", "db:setup", "db:create", "db:prepare", "db:schema:load"]),
    (&["mix"], &["ecto.migrate", "ecto.setup", "ecto.create"]),
    (&["artisan"], &["migrate"]),
    (&["manage.py", "django-admin"], &["migrate"]),
    (&["alembic"], &["upgrade"]),
    (&["flask"], &["db upgrade"]),
    (&["prisma"], &["migrate dev", "migrate deploy", "db push"]),
    (&["dotnet", "dotnet-ef"], &["ef database update", "database update"]),
    (&["knex"], &["migrate:latest", "migrate:up"]),
    (&["sequelize", "sequelize-cli"], &["db:migrate", "db:create"]),
    (&["sqlx"], &["migrate run", "database create", "database setup", "db create"]),
    (&["diesel"], &["migration run", "setup", "database setup"]),
    (&["goose"], &["up"]),
    (&["dbmate"], &["up", "migrate", "create"]),
    (&["typeorm", "typeorm-ts-node-commonjs"], &["migration:run"]),
    (&["flyway"], &["migrate"]),
    (&["drizzle-kit"], &["migrate", "push"]),
    (&["sea-orm-cli"], &["migrate up"]),
];

fn migrates(name: &str, words: &Words<'_>) -> bool {
    let line = words.operands.join(" ");
    let starts =
        |form: &&str| line.strip_prefix(form).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    FRAMEWORKS.iter().any(|(programs, forms)| programs.contains(&name) && forms.iter().any(starts))
        && !words.operands.contains(&"zero")
}

/// The migrations of a folder, for the database that the command is given.
fn migrations(cmd: &Cmd, cwd: &str) -> String {
    let tool = FRAMEWORKS.iter().find(|(programs, _)| programs.contains(&cmd.name.as_str()));
    let tool = tool.and_then(|(programs, _)| programs.first()).copied().unwrap_or_default();
    let mut given = cmd.env.iter().filter(|(key, _)| key.ends_with("_URL") || key.ends_with("_ENV"));
    let given = given.next().map(|(_, value)| value.as_str()).unwrap_or_default();
    let database = value(cmd, &["--database", "--connection", "--env"]).filter(|name| *name != "default");
    format!("migrations {tool} {} {given}{}", cmd.dir.as_deref().unwrap_or(cwd), database.unwrap_or_default())
}

/// The machines of a folder.
fn machines(cmd: &Cmd, cwd: &str, names: &[&str]) -> Vec<String> {
    let dir = cmd.dir.as_deref().unwrap_or(cwd);
    let all = if names.is_empty() { &["all"] } else { names };
    all.iter().map(|name| format!("machine {dir} {name}")).collect()
}

/// Folders by their full path.
fn folders(cmd: &Cmd, cwd: &str, names: &[&str]) -> Vec<String> {
    let dir = cmd.dir.as_deref().unwrap_or(cwd);
    names.iter().map(|name| format!("folder {}", normalise(name, dir))).collect()
}

fn git(cmd: &Cmd, words: &Words<'_>, cwd: &str, make: bool) -> Vec<String> {
    let dir = cmd.dir.as_deref().unwrap_or(cwd);
    let branch = |name: &&str| {
        format!("branch {dir} {}", name.trim_start_matches(':').trim_start_matches("refs/heads/"))
    };
    match (words.operands.as_slice(), make) {
        // Fails when the branch is there already.
        (["checkout", name, ..], true) if words.has("-b") => vec![branch(name)],
        (["switch", name, ..], true) if words.has("-c") || words.has("--create") => vec![branch(name)],
        (["branch", name, ..], true) if words.options.is_empty() => vec![branch(name)],
        // Fails when the tag is there already.
        (["tag", name, ..], true) if !words.has("-d") && !words.has("-f") && !words.has("--force") => {
            vec![format!("tag {dir} {name}")]
        }
        (["worktree", "add", rest @ ..], true) => {
            let named = value(cmd, &["-b"]).map(|name| branch(&name));
            // `-b` takes the first of them.
            let at = usize::from(named.is_some());
            let tree = rest.get(at).map(|tree| format!("worktree {tree}"));
            tree.into_iter().chain(named).collect()
        }
        (["clone", _, into, ..], true) => folders(cmd, cwd, &[into]),
        (["branch", names @ ..], false) => names.iter().map(branch).collect(),
        (["worktree", "remove", trees @ ..], false) => {
            trees.iter().map(|tree| format!("worktree {tree}")).collect()
        }
        (["push", _, refs @ ..], true) if !words.has("-f") && !words.has("--force") => {
            let plain = refs.iter().filter(|name| !name.contains([':', '+']));
            plain.map(|name| format!("pushed {dir} {name}")).collect()
        }
        // A tag of the remote: the session made it here and pushed it.
        (["push", _, refs @ ..], false) => {
            let tag = |name: &str| name.trim_start_matches(':').strip_prefix("refs/tags/").map(str::to_owned);
            let things = |name: &&str| match tag(name) {
                Some(tag) => vec![format!("tag {dir} {tag}"), format!("pushed {dir} {tag}")],
                None => vec![branch(name)],
            };
            refs.iter().flat_map(things).collect()
        }
        _ => Vec::new(),
    }
}

fn container(cmd: &Cmd, words: &Words<'_>, cwd: &str, make: bool) -> Vec<String> {
    let engine = engine(cmd);
    let all =
        |kind: &str, names: &[&str]| names.iter().map(|name| format!("{kind} {engine}{name}")).collect();
    match (words.operands.as_slice(), make) {
        (["compose", "up", ..], true) | (["compose", "down", ..], false) => vec![compose(cmd, cwd)],
        (["run" | "create", ..] | ["container", "run" | "create", ..], true) => {
            value(cmd, &["--name"]).map(|name| vec![format!("container {engine}{name}")]).unwrap_or_default()
        }
        (["volume", "create", names @ ..], true) | (["volume", "rm" | "remove", names @ ..], false) => {
            all("volume", names)
        }
        (["network", "create", names @ ..], true) | (["network", "rm" | "remove", names @ ..], false) => {
            all("network", names)
        }
        (["build", ..] | ["buildx" | "image" | "builder", "build", ..], true) => {
            value(cmd, &["-t", "--tag"]).map(|name| vec![format!("image {engine}{name}")]).unwrap_or_default()
        }
        (["rmi", names @ ..] | ["image", "rm" | "remove", names @ ..], false) => all("image", names),
        (["rm", names @ ..] | ["container", "rm" | "remove", names @ ..], false) => all("container", names),
        _ => Vec::new(),
    }
}

/// Resources of a cluster, by context, kind and name; files that are applied and deleted; releases.
fn cluster(cmd: &Cmd, words: &Words<'_>, make: bool) -> Vec<String> {
    let context = value(cmd, &["--context", "--kube-context"]).unwrap_or_default();
    let space = value(cmd, &["-n", "--namespace"]).unwrap_or_default();
    let key = |kind: &str, name: &str| format!("cluster {context}/{space} {kind}/{name}");
    let plural = |kind: &str| match kind {
        "ns" | "namespaces" => "namespace".to_owned(),
        "deploy" | "deployments" => "deployment".to_owned(),
        "svc" | "services" => "service".to_owned(),
        "cm" | "configmaps" => "configmap".to_owned(),
        "sa" | "serviceaccounts" => "serviceaccount".to_owned(),
        "ing" | "ingresses" => "ingress".to_owned(),
        _ => kind.strip_suffix('s').unwrap_or(kind).to_owned(),
    };
    let file = value(cmd, &["-f", "--filename"]);
    match (words.operands.as_slice(), make) {
        (["create" | "delete", ..], _)
            if file.is_some() && make == (words.operands.first() == Some(&"create")) =>
        {
            file.map(|file| vec![key("file", file)]).unwrap_or_default()
        }
        // The kind may have a kind of its own: `create secret generic x`, `create service clusterip x`.
        (["create", "secret" | "service", _, name, ..], true) if cmd.name != "helm" => {
            let kind = words.operands.get(1).copied().unwrap_or_default();
            vec![key(kind, name)]
        }
        (["create", kind, name, ..], true) if cmd.name != "helm" => vec![key(&plural(kind), name)],
        (["run", name, ..], true) if cmd.name != "helm" => vec![key("pod", name)],
        (["delete", kind, names @ ..], false) if cmd.name != "helm" && !words.has("--all") => {
            names.iter().map(|name| key(&plural(kind), name)).collect()
        }
        (["install", name, ..], true) => vec![key("release", name)],
        (["uninstall" | "delete" | "un" | "del", names @ ..], false) => {
            names.iter().map(|name| key("release", name)).collect()
        }
        _ => Vec::new(),
    }
}

/// A resource of a service: the words in front of the verb, and the names behind it or of an option.
fn resource(cmd: &Cmd, words: &Words<'_>, make: bool) -> Vec<String> {
    const MAKES: [&str; 9] = ["create", "mb", "new", "add", "launch", "install", "i", "declare", "init"];
    const TAKES: [&str; 12] = [
        "delete", "destroy", "remove", "rm", "rb", "del", "uninstall", "purge", "terminate", "rmuser", "un",
        "drop",
    ];
    const NAMES: [&str; 15] = [
        "-n", "--name", "--table-name", "--bucket", "--queue-name", "--function-name", "--stack-name",
        "--cluster-name", "--topic", "-a", "--app", "--group-name", "--role-name", "--repository-name",
        "--log-group-name",
    ];
    let verbs: &[&str] = if make { &MAKES } else { &TAKES };
    let verb = |word: &str| {
        let (rest, tail) = word.rsplit_once(':').unwrap_or(("", word));
        verbs.iter().find_map(|verb| {
            let more = tail.strip_prefix(verb)?;
            (more.is_empty() || more.starts_with('-'))
                .then(|| format!("{rest}{}", more.trim_start_matches('-')))
        })
    };
    let found = words.operands.iter().take(4).enumerate().find_map(|(at, word)| Some((at, verb(word)?)));
    let Some((at, kind)) = found else { return Vec::new() };
    let path = words.operands.get(..at).unwrap_or_default().iter().filter(|word| **word != "env");
    let path: Vec<&str> = path.copied().chain([kind.as_str()]).filter(|word| !word.is_empty()).collect();
    let mut names: Vec<&str> = words.operands.get(at + 1..).unwrap_or_default().to_vec();
    names.extend(NAMES.iter().filter_map(|option| value(cmd, &[option])));
    // Where it is: another account or another region has resources of the same name.
    const PLACES: [&str; 10] = [
        "--endpoint-url", "--profile", "--region", "--project", "--subscription", "-g", "--resource-group",
        "--zone", "--context", "--org",
    ];
    let place: Vec<&str> = PLACES.iter().filter_map(|option| value(cmd, &[option])).collect();
    let account = cmd.env.iter().filter(|(key, _)| key.starts_with("AWS_") || key.starts_with("CLOUDSDK_"));
    let place: Vec<&str> = place.into_iter().chain(account.map(|(_, value)| value.as_str())).collect();
    names.iter().map(|name| format!("{} {} {} {name}", cmd.name, path.join(" "), place.join(" "))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GuardConfig, Verdict, judge};
    use sprag_shell::analyse;

    fn context() -> Context {
        Context {
            cwd: "/home/dev/shop".into(),
            home: "/home/dev".into(),
            project_root: "/home/dev/shop".into(),
        }
    }

    fn after(first: &str, then: &str) -> Verdict {
        let context = context();
        let made = made(&analyse(first, &context), &context.cwd);
        assert!(made.is_empty() || may_make(first), "{first}");
        let config = GuardConfig { made, ..GuardConfig::default() };
        judge(&analyse(then, &context), &context, &config).verdict
    }

    /// What makes, what takes it away, and what takes another one away.
    const PAIRS: &[(&str, &str, &str)] = &[
        ("createdb shop_copy", "dropdb shop_copy", "dropdb shop"),
        ("createdb shop_copy", "psql shop_copy -c 'truncate users'", "psql shop -c 'truncate users'"),
        (
            "createdb shop_copy",
            "psql -d shop_copy -c 'drop table users'",
            "psql shop_copy -c 'drop role app'",
        ),
        ("psql -c 'create database a'", "psql -c 'drop database a'", "psql -c 'drop database b'"),
        (
            "psql shop -c 'create table k as select 1'",
            "psql shop -c 'drop table k'",
            "psql shop -c 'drop table k, users'",
        ),
        (
            "mysql -e 'create database c'",
            "mysql -e 'drop database c'",
            "mysql -h db.example -e 'drop database c'",
        ),
        ("docker volume create v", "docker volume rm v", "docker volume rm v w"),
        ("docker compose up -d", "docker compose down -v", "docker compose -p other down -v"),
        ("docker compose -p a up -d", "docker compose -p a down -v", "docker compose down -v"),
        (
            "docker run -d --name pg postgres:16",
            "docker exec pg psql -c 'drop table users'",
            "docker exec other psql -c 'drop table users'",
        ),
        ("kubectl create ns probe", "kubectl delete namespace probe", "kubectl delete ns shop"),
        ("helm install probe charts/shop", "helm uninstall probe", "helm uninstall shop"),
        (
            "aws dynamodb create-table --table-name t",
            "aws dynamodb delete-table --table-name t",
            "aws dynamodb delete-table --table-name u",
        ),
        (
            "az group create -n rg-probe -l westeurope",
            "az group delete -n rg-probe --yes",
            "az group delete -n rg --yes",
        ),
        (
            "gcloud compute instances create vm-probe",
            "gcloud compute instances delete vm-probe",
            "gcloud sql instances delete vm-probe",
        ),
        ("fly apps create probe", "fly apps destroy probe --yes", "fly apps destroy shop --yes"),
        ("heroku apps:create probe", "heroku apps:destroy probe", "heroku apps:destroy shop"),
        ("gh repo create probe --private", "gh repo delete probe --yes", "gh repo delete shop --yes"),
        ("git checkout -b try", "git branch -D try", "git branch -D main"),
        (
            "git switch -c try && git push -u origin try",
            "git push origin --delete try",
            "git push origin :release",
        ),
        (
            "git tag -a rc1 -m try && git push origin rc1",
            "git tag -d rc1 && git push origin :refs/tags/rc1",
            "git push origin :refs/tags/v1.0",
        ),
        (
            "git worktree add ../probe main",
            "git worktree remove --force ../probe",
            "git worktree remove --force ../other",
        ),
        ("mkdir /home/dev/probe", "rm -rf /home/dev/probe", "rm -rf /home/dev/other"),
        ("git clone https://git.example/a /home/dev/a", "rm -rf /home/dev/a", "rm -rf /home/dev/b"),
        (
            "sudo apt-get install -y pgbouncer",
            "sudo apt-get remove -y pgbouncer",
            "sudo apt-get remove -y sudo",
        ),
        ("docker compose -p a up -d", "docker volume rm a_data", "docker volume rm b_data"),
        ("docker compose up -d", "docker volume rm shop_data", "docker volume rm other_data"),
        ("bin/rails db:migrate", "bin/rails db:reset", "RAILS_ENV=production bin/rails db:reset"),
        ("mix ecto.migrate", "mix ecto.reset", "cd ../other && mix ecto.reset"),
        ("mix ecto.migrate", "mix ecto.drop && mix ecto.create && mix ecto.migrate", "mix ecto.drop"),
        (
            "dotnet ef database update",
            "dotnet ef database drop -f && dotnet ef database update",
            "dotnet ef database drop -f",
        ),
        ("php artisan migrate", "php artisan migrate:fresh --seed", "php artisan migrate:fresh --force"),
        (
            "python manage.py migrate",
            "python manage.py flush --noinput",
            "DATABASE_URL=postgres://db.example/x python manage.py flush",
        ),
        (
            "kafka-topics.sh --bootstrap-server kafka:9092 --create --topic t",
            "kafka-topics.sh --bootstrap-server kafka:9092 --delete --topic t",
            "kafka-topics.sh --bootstrap-server kafka.example:9092 --delete --topic t",
        ),
        (
            "aws s3 mb s3://probe --profile me",
            "aws s3 rb s3://probe --profile me",
            "aws s3 rb s3://probe --profile other",
        ),
        ("vagrant up web", "vagrant destroy -f web", "vagrant destroy -f"),
        ("conda create -yn probe python", "conda env remove -n probe", "conda remove -n base --all"),
    ];

    #[test]
    fn what_a_session_made_it_may_take_away() {
        for (first, own, other) in PAIRS {
            assert!(after(first, own) < Verdict::Ask, "{first} → {own}");
            assert!(after(first, other) >= Verdict::Ask || other.starts_with("conda"), "{first} → {other}");
            assert!(after("true", own) >= Verdict::Ask || own.starts_with("conda"), "{own}");
        }
    }

    #[test]
    fn what_may_have_been_there_is_not_its_own() {
        for (first, then) in [
            ("psql shop -c 'create table if not exists users (id int)'", "psql shop -c 'drop table users'"),
            ("createdb shop 2>/dev/null; true", "dropdb shop"),
            ("createdb production", "dropdb production"),
            ("mkdir -p /home/dev/data", "rm -rf /home/dev/data"),
            ("ssh db createdb shop", "dropdb shop"),
            ("git checkout -B main", "git branch -D main"),
            ("docker volume create $NAME", "docker volume rm $NAME"),
            ("docker compose up -d", "ssh host docker compose down -v"),
            ("docker compose up -d", "ssh host \"docker compose exec db psql -c 'drop table users'\""),
            ("docker compose up -d", "docker --context prod compose down -v"),
            (
                "docker compose up -d",
                "docker compose exec web rails db:drop DISABLE_DATABASE_ENVIRONMENT_CHECK=1",
            ),
            ("git tag -a v2 -m x", "git push origin :refs/tags/v2"),
            ("git push origin v2", "git push origin :refs/tags/v2"),
            ("git switch -c try", "cd ../other && git branch -D try"),
        ] {
            assert!(after(first, then) >= Verdict::Ask, "{first} → {then}");
        }
    }

    #[test]
    fn a_line_may_take_away_what_it_made() {
        for line in [
            "createdb probe && psql probe -f schema.sql && dropdb probe",
            "docker build -t try . && docker run --rm try; docker rmi -f try",
            "psql -c 'create database a; drop database a'",
            "docker volume create v && docker run --rm -v v:/d alpine true; docker volume rm v",
        ] {
            assert!(after("true", line) < Verdict::Ask, "{line}");
        }
        assert!(after("true", "dropdb probe && createdb probe") >= Verdict::Ask);
    }
}
