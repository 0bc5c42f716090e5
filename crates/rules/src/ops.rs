//! The table of operations that are recognised by program, sub-command and options alone.

use crate::{Rule, Verdict};
use sprag_shell::Form;

/// One operation: a form of command and the rule about it.
pub(crate) struct Op {
    pub(crate) rule: Rule,
    pub(crate) form: Form,
}

macro_rules! op {
    ($verdict:ident $id:literal, [$($p:literal),+], [$($w:literal),*], any [$($a:literal),*], unless [$($u:literal),*], $reason:literal, $safer:literal) => {
        Op {
            rule: Rule { id: $id, verdict: Verdict::$verdict, reason: $reason, safer: $safer },
            form: Form {
                programs: &[$($p),+],
                words: &[$($w),*],
                any: &[$($a),*],
                unless: &[$($u),*],
            },
        }
    };
}

/// The operations; for one program the first that applies counts.
pub(crate) static OPS: &[Op] = &[
    // containers
    op!(Ask "containers:system-prune", ["docker", "podman", "nerdctl"], ["system", "prune"], any [], unless ["--help"], "This deletes stopped containers, networks and images, with --volumes also data.", "Remove the single container or image by name."),
    op!(Ask "containers:volume-remove", ["docker", "podman", "nerdctl"], ["volume", "rm|remove|prune"], any [], unless ["--help"], "This deletes volumes with their data.", "Back the volume up, or let a person delete it."),
    op!(Ask "containers:image-prune", ["docker", "podman", "nerdctl"], ["image", "prune"], any ["-a", "--all"], unless [], "This deletes every image without a container.", "Remove single images by name."),
    op!(Ask "containers:prune", ["docker", "podman", "nerdctl"], ["container|network", "prune"], any [], unless ["--help"], "This deletes every stopped container or unused network.", "Remove the single one by name."),
    // Without force, neither a running container nor an image in use goes.
    op!(Ask "containers:remove-many", ["docker", "podman", "nerdctl"], ["kill|stop", "\u{E000}*"], any [], unless [], "This removes every container or image that a list gives.", "Name the container."),
    op!(Ask "containers:remove-many", ["docker", "podman", "nerdctl"], ["rm|rmi", "\u{E000}*"], any ["-f", "--force"], unless [], "This removes every container or image that a list gives.", "Name the container."),
    op!(Ask "containers:remove-many", ["docker", "podman", "nerdctl"], ["container|image", "kill|stop", "\u{E000}*"], any [], unless [], "This removes every container or image that a list gives.", "Name the container."),
    op!(Ask "containers:remove-many", ["docker", "podman", "nerdctl"], ["container|image", "rm|remove", "\u{E000}*"], any ["-f", "--force"], unless [], "This removes every container or image that a list gives.", "Name the container."),
    op!(Ask "containers:remove-volumes", ["docker", "podman", "nerdctl"], ["rm"], any ["-v", "--volumes"], unless [], "This removes a container with its volumes.", "Leave the volumes."),
    op!(Ask "containers:remove-image-force", ["docker", "podman", "nerdctl"], ["rmi"], any ["-f", "--force"], unless [], "This removes images even when they are in use.", "Remove it without force."),
    op!(Ask "containers:compose-down-volumes", ["docker", "podman"], ["compose", "down"], any ["-v", "--volumes", "--rmi"], unless ["--dry-run"], "This deletes the services' volumes with their data.", "Use `docker compose down` without -v."),
    op!(Ask "containers:compose-down-volumes", ["docker-compose", "podman-compose"], ["down"], any ["-v", "--volumes", "--rmi"], unless [], "This deletes the services' volumes with their data.", "Use `docker-compose down` without -v."),
    op!(Ask "containers:compose-rm-volumes", ["docker", "podman"], ["compose", "rm"], any ["-v", "--volumes"], unless [], "This deletes the services' anonymous volumes.", "Leave the volumes."),
    op!(Ask "containers:swarm", ["docker"], ["swarm", "leave"], any ["-f", "--force"], unless [], "This takes a manager out of the swarm.", "Let a person do it."),
    op!(Ask "containers:stack-remove", ["docker"], ["stack|service|secret|config", "rm|remove"], any [], unless [], "This removes running services or their secrets.", "Let a person do it."),
    op!(Ask "containers:reset", ["podman"], ["system", "reset"], any [], unless [], "This deletes all containers, images and volumes.", "Remove single ones by name."),
    // kubernetes
    // A resource may be called like a kind: the kind stands first.
    op!(Ask "kubernetes:delete", ["kubectl", "oc", "k"], ["delete", "namespace|namespaces|ns|node|nodes|no|deployment|deployments|deploy|service|services|svc|pvc|pv|statefulset|statefulsets|sts|daemonset|ds|crd|secret|secrets|configmap|configmaps|cm|ingress|ing|all"], any [], unless ["--dry-run", "--dry-run=client", "--dry-run=server", "--help"], "This deletes resources of the cluster.", "Show it with --dry-run=client first and let a person delete it."),
    op!(Ask "kubernetes:delete", ["kubectl", "oc", "k"], ["delete"], any [], unless ["pod", "pods", "po", "job", "jobs", "--dry-run", "--dry-run=client", "--dry-run=server", "--help"], "This deletes resources of the cluster.", "Show it with --dry-run=client first and let a person delete it."),
    // One pod by name comes back by itself, or was made for a moment.
    op!(Ask "kubernetes:delete", ["kubectl", "oc", "k"], ["delete", "pod|pods|po|job|jobs"], any ["--all", "--all-namespaces", "-A", "-l", "--selector", "--field-selector", "--force"], unless ["--dry-run", "--dry-run=client", "--dry-run=server", "--help", "--field-selector=status.phase=Failed", "--field-selector=status.phase==Failed", "--field-selector=status.phase=Succeeded", "--field-selector=status.phase==Succeeded"], "This deletes resources of the cluster.", "Show it with --dry-run=client first and let a person delete it."),
    op!(Ask "kubernetes:delete", ["kubectl", "oc", "k"], ["delete", "pod|pods|po|job|jobs", "\u{E000}*"], any [], unless ["--dry-run", "--dry-run=client", "--dry-run=server", "--help"], "This deletes resources of the cluster.", "Show it with --dry-run=client first and let a person delete it."),
    op!(Ask "kubernetes:drain", ["kubectl", "oc", "k"], ["drain"], any [], unless ["--dry-run", "--dry-run=client", "--dry-run=server", "--help"], "This evicts everything from a node.", "Let a person drain nodes."),
    op!(Ask "kubernetes:scale-to-zero", ["kubectl", "oc", "k"], ["scale"], any ["--replicas=0"], unless ["--dry-run=client", "--dry-run=server"], "This stops every replica.", "Scale down in steps and let a person decide."),
    op!(Ask "kubernetes:replace-force", ["kubectl", "oc", "k"], ["replace|apply"], any ["--force", "--prune"], unless ["--dry-run=client", "--dry-run=server"], "This deletes resources and makes them again, or deletes what is not in the file.", "Use `kubectl apply` without it."),
    op!(Ask "kubernetes:taint", ["kubectl", "oc", "k"], ["taint"], any [], unless [], "This can evict everything from nodes.", "Let a person taint nodes."),
    op!(Ask "kubernetes:helm-uninstall", ["helm", "helmfile"], ["uninstall|delete|un|del|destroy"], any [], unless ["--dry-run"], "This removes a release with its resources.", "Show it with --dry-run first."),
    // infrastructure as code
    op!(Ask "iac:destroy", ["terraform", "tofu", "terragrunt", "cdktf", "pulumi", "cdk", "sst"], ["destroy|destroy-all|remove"], any [], unless ["-help", "--help", "--preview-only"], "This destroys infrastructure.", "Run `plan -destroy` and let a person apply it."),
    op!(Ask "iac:destroy", ["terragrunt"], ["run-all|run", "destroy"], any [], unless [], "This destroys infrastructure.", "Run a plan and let a person apply it."),
    op!(Ask "iac:apply-unseen", ["terraform", "tofu", "terragrunt"], ["apply"], any ["-auto-approve", "--auto-approve", "-destroy", "--destroy", "-replace", "--replace"], unless ["-help", "-refresh-only", "--refresh-only"], "This changes infrastructure without anyone seeing the plan.", "Run `plan -out`, read it, and apply that file."),
    op!(Ask "iac:apply-unseen", ["terragrunt"], ["run-all", "apply"], any [], unless [], "This changes infrastructure without anyone seeing the plan.", "Run a plan first."),
    op!(Ask "iac:apply-unseen", ["pulumi"], ["up|update|down|refresh"], any ["-y", "--yes", "-f", "--skip-preview"], unless [], "This changes infrastructure without anyone seeing the plan.", "Run `pulumi preview` and let a person apply it."),
    op!(Ask "iac:apply-unseen", ["cdk"], ["deploy"], any ["--require-approval=never", "never"], unless [], "This changes infrastructure without anyone seeing the plan.", "Run `cdk diff` and let a person approve it."),
    op!(Ask "iac:apply-unseen", ["cdktf"], ["deploy|apply"], any ["--auto-approve"], unless [], "This changes infrastructure without anyone seeing the plan.", "Run `cdktf diff` and let a person approve it."),
    op!(Ask "iac:apply-unseen", ["sam"], ["deploy"], any ["--no-confirm-changeset"], unless [], "This changes infrastructure without anyone seeing the plan.", "Use --confirm-changeset."),
    op!(Ask "iac:state", ["terraform", "tofu", "terragrunt"], ["state", "rm|push|replace-provider"], any [], unless ["-dry-run"], "This changes the record of what infrastructure exists.", "Use `state list`/`state show`, and let a person change it."),
    op!(Ask "iac:state", ["terraform", "tofu"], ["workspace", "delete"], any [], unless [], "This deletes a workspace with its state.", "Let a person delete workspaces."),
    op!(Ask "iac:force-unlock", ["terraform", "tofu"], ["force-unlock"], any [], unless [], "This breaks the lock that keeps two runs apart.", "Wait for the other run."),
    op!(Ask "iac:stack-remove", ["pulumi"], ["stack", "rm"], any [], unless [], "This deletes a stack and its record.", "Let a person delete stacks."),
    op!(Ask "iac:destroy", ["serverless", "sls"], ["remove"], any [], unless [], "This removes a deployed service.", "Let a person remove it."),
    op!(Ask "iac:destroy", ["vagrant"], ["destroy"], any [], unless [], "This destroys virtual machines.", "Use `vagrant halt`."),
    // packages and publishing
    op!(Ask "packages:publish", ["npm", "pnpm", "yarn", "bun"], ["publish|unpublish|deprecate"], any [], unless ["--dry-run", "--help"], "This publishes or withdraws a package for everyone.", "Use --dry-run and let a person publish."),
    op!(Ask "packages:publish", ["yarn"], ["npm", "publish"], any [], unless ["--dry-run"], "This publishes a package for everyone.", "Let a person publish."),
    op!(Ask "packages:publish", ["cargo"], ["publish|yank"], any [], unless ["--dry-run", "-n", "--help", "--list"], "This publishes or withdraws a crate; a version can never be published again.", "Use --dry-run and let a person publish."),
    op!(Ask "packages:publish", ["twine"], ["upload"], any [], unless [], "This publishes a package for everyone.", "Use `twine check` and let a person publish."),
    op!(Ask "packages:publish", ["poetry", "flit", "hatch", "uv", "pdm", "maturin", "rye"], ["publish"], any [], unless ["--dry-run", "--help"], "This publishes a package for everyone.", "Let a person publish."),
    op!(Ask "packages:publish", ["gem"], ["push|yank"], any [], unless [], "This publishes or withdraws a package for everyone.", "Let a person publish."),
    op!(Ask "packages:publish", ["mvn", "mvnw"], ["deploy|release:perform"], any [], unless [], "This publishes artifacts.", "Use `mvn verify` and let a person publish."),
    op!(Ask "packages:publish", ["gradle", "gradlew"], ["publish|publishToMavenCentral|publishPlugins"], any [], unless ["--dry-run", "-m"], "This publishes artifacts.", "Let a person publish."),
    op!(Ask "packages:publish", ["dotnet", "nuget"], ["nuget|push|delete", "push|delete|*"], any ["push", "delete"], unless [], "This publishes or withdraws a package.", "Let a person publish."),
    op!(Ask "packages:publish", ["vsce", "ovsx"], ["publish|unpublish"], any [], unless [], "This publishes an extension.", "Let a person publish."),
    op!(Ask "packages:publish", ["npm"], ["access|owner|dist-tag|token", "*"], any ["rm", "remove", "revoke", "public", "restricted", "grant", "add"], unless [], "This changes who or what a package serves.", "Let a person change registry settings."),
    op!(Ask "packages:global-remove", ["npm", "pnpm", "yarn"], ["uninstall|remove|rm|un|global"], any ["-g", "--global"], unless [], "This removes a tool for the whole machine.", "Remove project dependencies only."),
    op!(Ask "packages:system-remove", ["apt", "apt-get", "aptitude"], ["remove|purge|autoremove|autopurge"], any [], unless ["--dry-run", "-s", "--simulate"], "This removes packages of the operating system.", "Let a person remove system packages."),
    op!(Ask "packages:system-remove", ["dnf", "yum", "zypper", "microdnf"], ["remove|erase|autoremove|rm"], any [], unless ["--assumeno"], "This removes packages of the operating system.", "Let a person remove system packages."),
    op!(Ask "packages:system-remove", ["pacman", "yay", "paru"], [], any ["-R", "--remove", "-Rns", "-Rs"], unless ["-p", "--print"], "This removes packages of the operating system.", "Let a person remove system packages."),
    op!(Ask "packages:system-remove", ["apk", "snap", "flatpak", "opkg", "pkg", "port"], ["del|remove|uninstall|delete"], any [], unless ["--simulate"], "This removes packages of the machine.", "Let a person remove system packages."),
    op!(Ask "packages:system-remove", ["dpkg", "rpm"], [], any ["-r", "-P", "--purge", "--remove", "-e", "--erase"], unless ["--dry-run", "--test", "-p", "-q"], "This removes packages of the operating system.", "Let a person remove system packages."),
    op!(Ask "packages:system-remove", ["brew", "choco", "winget", "scoop"], ["uninstall|remove|rm"], any [], unless ["-n", "--dry-run"], "This removes software of the machine.", "Let a person remove it."),
    op!(Ask "packages:repository-delete", ["gh"], ["repo", "delete|archive"], any [], unless [], "This deletes or archives a repository.", "Let a person do it."),
    op!(Ask "packages:repository-delete", ["gh", "glab"], ["release|secret|variable|workflow|ssh-key|gpg-key|environment", "delete|remove|disable"], any [], unless [], "This deletes a release, secret or setting of a repository.", "Let a person do it."),
    op!(Ask "packages:repository-visibility", ["gh"], ["repo", "edit"], any ["--visibility"], unless [], "This changes who can see the repository.", "Let a person do it."),
    op!(Ask "packages:repository-visibility", ["gh", "glab"], ["repo|project", "create"], any ["--public"], unless [], "This puts a repository where everyone can see it.", "Use --private, and let a person open it."),
    op!(Ask "packages:publish", ["fastlane"], ["supply|deliver|pilot|upload_to_play_store|upload_to_app_store|upload_to_testflight|release"], any [], unless ["--validate_only"], "This uploads an app to its store.", "Let a person publish."),
    op!(Ask "cloud:delete", ["fastlane"], ["match", "nuke"], any [], unless [], "This revokes certificates and profiles of the whole team.", "Let a person do it."),
    op!(Ask "cloud:delete", ["dvc"], ["gc"], any ["-c", "--cloud"], unless ["--dry"], "This deletes data from the shared storage.", "Use --dry first, or leave out --cloud."),
    op!(Ask "packages:publish", ["xcrun", "altool"], [], any ["--upload-app", "--upload-package"], unless [], "This uploads an app to its store.", "Use --validate-app and let a person publish."),
    op!(Ask "packages:publish", ["mix"], ["hex.publish|hex.retire"], any [], unless ["--dry-run"], "This publishes or withdraws a package for everyone.", "Use --dry-run and let a person publish."),
    op!(Ask "packages:publish", ["eas"], ["submit"], any [], unless [], "This uploads an app to its store.", "Let a person publish."),
    op!(Ask "packages:publish", ["butler"], ["push"], any [], unless ["--dry-run"], "This publishes a build for everyone.", "Use --dry-run and let a person publish."),
    op!(Ask "packages:publish", ["luarocks"], ["upload"], any [], unless [], "This publishes a package for everyone.", "Let a person publish."),
    // system
    op!(Deny "system:power", ["shutdown", "reboot", "halt", "poweroff"], [], any [], unless ["-c", "--help", "-k", "--show"], "This stops or restarts the machine.", "Let a person restart it."),
    op!(Deny "system:power", ["init", "telinit"], ["0|6|1"], any [], unless [], "This stops or restarts the machine.", "Let a person restart it."),
    op!(Deny "system:power", ["systemctl", "loginctl"], ["poweroff|reboot|halt|suspend|hibernate|kexec|rescue|emergency|isolate|exit|soft-reboot"], any [], unless [], "This stops or restarts the machine.", "Let a person restart it."),
    op!(Ask "system:service", ["systemctl"], ["stop|disable|mask|kill"], any ["ssh", "sshd", "ssh.service", "sshd.service", "docker", "docker.service", "containerd", "network", "networking", "NetworkManager", "NetworkManager.service", "systemd-networkd", "systemd-resolved", "firewalld", "ufw", "ufw.service", "firewalld.service", "cron", "crond", "dbus", "systemd-journald", "auditd", "apparmor", "fail2ban", "rsyslog", "postgresql", "postgresql.service", "mysql", "mysqld", "mariadb", "mongod", "redis", "redis-server", "nginx", "apache2", "httpd", "kubelet", "k3s", "nftables", "iptables", "chronyd", "sprag"], unless ["--dry-run"], "This stops a service that the machine or others depend on.", "Let a person stop services."),
    op!(Ask "system:service", ["service"], ["ssh|sshd|docker|network|networking|cron|postgresql|mysql|nginx|apache2|redis-server|mongod", "stop"], any [], unless [], "This stops a service that the machine or others depend on.", "Let a person stop services."),
    op!(Ask "system:firewall", ["iptables", "ip6tables"], [], any ["-F", "--flush", "-X", "-P", "--policy", "--delete-chain"], unless [], "This takes the firewall down or locks the machine out.", "List the rules, and let a person change them."),
    op!(Ask "system:firewall", ["nft"], ["flush|delete"], any [], unless [], "This takes the firewall down.", "List the rules, and let a person change them."),
    op!(Ask "system:firewall", ["ufw"], ["disable|reset"], any [], unless ["--dry-run"], "This takes the firewall down.", "Let a person change the firewall."),
    op!(Ask "system:firewall", ["pfctl"], [], any ["-F", "-d"], unless [], "This takes the firewall down.", "Let a person change the firewall."),
    op!(Ask "system:security", ["setenforce"], ["0|Permissive"], any [], unless [], "This switches a protection of the system off.", "Let a person decide."),
    op!(Ask "system:security", ["csrutil", "spctl"], ["disable|*"], any ["disable", "--master-disable", "--global-disable"], unless [], "This switches a protection of the system off.", "Let a person decide."),
    op!(Ask "system:security", ["aa-disable", "aa-teardown", "auditctl"], [], any [], unless ["-l", "-s"], "This switches a protection of the system off.", "Let a person decide."),
    op!(Ask "system:crontab", ["crontab"], [], any ["-r"], unless [], "This deletes all scheduled jobs.", "Edit the one line with `crontab -l` and a file."),
    op!(Ask "system:users", ["userdel", "deluser", "groupdel", "delgroup", "dscl"], [], any [], unless ["--help", "-list", "-read", "."], "This deletes a user or group.", "Let a person manage users."),
    op!(Ask "system:users", ["usermod", "passwd", "chpasswd", "gpasswd", "visudo", "vipw"], [], any [], unless ["--help", "-S", "--status", "-c"], "This changes a user's rights or password.", "Let a person manage users."),
    op!(Ask "system:mounts", ["umount"], [], any ["-a", "--all"], unless [], "This unmounts every file system.", "Unmount the one that you mounted."),
    op!(Ask "system:swap", ["swapoff"], [], any ["-a", "--all"], unless [], "This takes the swap space away and may end programs.", "Let a person do it."),
    op!(Ask "system:kernel", ["rmmod", "insmod", "kexec"], [], any [], unless ["-p", "--help"], "This changes the running kernel.", "Let a person do it."),
    op!(Ask "system:kernel", ["modprobe"], [], any ["-r", "--remove"], unless ["-n", "--dry-run"], "This changes the running kernel.", "Let a person do it."),
    op!(Ask "system:kernel", ["sysctl"], [], any ["-w", "--write"], unless [], "This changes the running kernel.", "Let a person do it."),
    op!(Ask "system:boot", ["grub-install", "update-grub", "efibootmgr", "bcdedit", "nvram"], [], any ["-B", "-c", "-b", "/delete", "--bootloader-id", "-d"], unless [], "This changes how the machine boots.", "Let a person do it."),
    op!(Ask "system:windows", ["vssadmin", "wbadmin"], ["delete"], any [], unless [], "This deletes backups.", "Let a person do it."),
    op!(Ask "system:windows", ["reg", "sc", "net"], ["delete|user|stop", "*"], any ["/delete", "delete", "/del", "stop"], unless [], "This deletes registry keys, services or users.", "Let a person do it."),
    op!(Ask "system:windows", ["format", "diskpart"], ["*"], any [], unless [], "This formats a disk.", "Let a person do it."),
    op!(Ask "system:backups", ["tmutil"], ["delete|disable|deletelocalsnapshots"], any [], unless [], "This deletes backups.", "Let a person do it."),
    op!(Ask "system:backups", ["restic", "borg", "duplicity", "kopia"], ["forget|prune|delete|remove-all-but-n-full|remove-older-than|snapshot"], any ["--prune", "prune", "delete", "--force", "remove-older-than", "remove-all-but-n-full"], unless ["--dry-run", "-n"], "This deletes backups.", "Use --dry-run first and let a person decide."),
    op!(Ask "system:defaults", ["defaults"], ["delete|delete-all"], any [], unless [], "This deletes settings of programs.", "Let a person do it."),
    op!(Warn "system:history", ["history"], [], any ["-c", "-w", "-d"], unless [], "This removes the record of what was typed.", "Leave the history."),
    op!(Ask "system:logs", ["journalctl"], [], any ["--vacuum-time", "--vacuum-size", "--vacuum-files"], unless [], "This deletes logs of the system.", "Let a person do it."),
    // database tools of frameworks
    op!(Ask "database:reset", ["rails", "rake", "rake.rb"], ["db:drop|db:reset|db:drop:all|db:purge|db:migrate:reset|db:schema:load"], any [], unless ["-n"], "This drops or empties the database.", "Roll back one step, or use the test database."),
    op!(Ask "database:reset", ["prisma"], ["migrate|db", "reset"], any [], unless [], "This drops the database.", "Use `prisma migrate dev`."),
    op!(Ask "database:reset", ["prisma"], ["db", "push"], any ["--force-reset", "--accept-data-loss"], unless [], "This drops data.", "Use a migration."),
    op!(Ask "database:reset", ["supabase"], ["db", "reset"], any ["--linked", "--db-url"], unless ["--local"], "This drops the database.", "Reset only the local one (--local)."),
    op!(Ask "database:reset", ["typeorm", "typeorm-ts-node-commonjs"], ["schema:drop"], any [], unless [], "This drops the schema.", "Use a migration."),
    op!(Ask "database:reset", ["sequelize", "sequelize-cli"], ["db:drop"], any [], unless [], "This drops the database.", "Undo one migration."),
    op!(Ask "database:reset", ["alembic"], ["downgrade", "base"], any [], unless ["--sql"], "This undoes every migration.", "Downgrade one step."),
    op!(Ask "database:reset", ["artisan"], ["migrate:fresh|migrate:reset|db:wipe|migrate:refresh"], any [], unless ["--pretend"], "This drops all tables.", "Roll back one step."),
    op!(Ask "database:reset", ["manage.py", "django-admin"], ["migrate", "*", "zero"], any [], unless ["--plan", "--fake"], "This undoes every migration of an application, and drops its tables.", "Go back one migration."),
    op!(Ask "database:reset", ["flask"], ["db", "downgrade", "base"], any [], unless ["--sql"], "This undoes every migration.", "Downgrade one step."),
    op!(Ask "database:reset", ["dotnet"], ["ef", "database", "update", "0"], any [], unless [], "This undoes every migration.", "Go back one migration."),
    op!(Ask "database:reset", ["rails", "rake"], ["db:migrate|db:rollback", "VERSION=0"], any [], unless [], "This undoes every migration.", "Roll back one step."),
    op!(Ask "database:reset", ["manage.py", "django-admin"], ["flush|reset_db|sqlflush"], any [], unless [], "This empties the database.", "Use the test database."),
    op!(Ask "database:reset", ["mix"], ["ecto.drop|ecto.reset"], any [], unless [], "This drops the database.", "Roll back one step."),
    op!(Ask "database:reset", ["flyway"], ["clean"], any [], unless [], "This drops all objects of the schema.", "Use a migration."),
    op!(Ask "database:reset", ["pg_restore"], [], any ["-c", "--clean"], unless ["-l", "--list"], "This drops objects before it restores them.", "Restore into a new database."),
    op!(Ask "database:reset", ["influx"], ["bucket|delete|org", "*"], any ["delete", "--start"], unless [], "This deletes data.", "Let a person do it."),
    op!(Ask "database:reset", ["etcdctl"], ["del"], any ["--prefix", "--from-key"], unless [], "This deletes many keys.", "Delete the key by name."),
];

pub(crate) use op;
