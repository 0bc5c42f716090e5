//! Everyday commands that were stopped in working sessions, each beside what stays stopped.

use crate::constructs::{passes, stopped};

#[test]
fn temporary_tables_may_be_dropped_by_the_connection_that_made_them() {
    passes(&[
        "snowsql -c dev -q 'create or replace temporary table t as select 1; select * from t; drop table t;'",
        "psql -c 'create temp table t as select 1' -c 'drop table t'",
        "psql -c 'create local temporary table if not exists t (a int); drop table if exists t'",
        "psql -c 'create unlogged table scratch_ids as select id from p' -c 'drop table scratch_ids'",
        "psql -c 'drop table pgbench_accounts, pgbench_branches, pgbench_history, pgbench_tellers'",
    ]);
    stopped(&[
        "psql -c 'create temp table t as select 1; drop table users, t'",
        "psql -c 'drop table pgbench_accounts, users'",
        "psql -c 'drop table scratch_ids'",
        "snowsql -c dev -q 'create or replace table t as select 1; drop table t;'",
        "psql -c 'create temp table t as select 1' -c 'drop table users'",
        "psql -c 'create temp table t as select 1'; psql -c 'drop table t'",
    ]);
}

#[test]
fn searches_for_empty_and_temporary_files_lose_nothing() {
    passes(&[
        "find clean -size 0 -print -delete",
        "find runs -maxdepth 1 -name 'tmp-*' -mtime +1 -exec rm -r {} \\;",
        "find . -name .ipynb_checkpoints -type d -exec rm -rf {} +",
    ]);
    stopped(&[
        "find clean -size +0 -delete",
        "find clean -size 0 -o -name '*.csv' -delete",
        "find runs -name 'tmp*' -exec rm -r {} \\;",
        "find raw -name '*.csv' -delete",
    ]);
}

#[test]
fn containers_that_a_filter_lists_go_with_their_unnamed_volumes() {
    passes(&["docker ps -aq --filter label=org.testcontainers=true | xargs -r docker rm -fv"]);
    stopped(&[
        "docker ps -aq | xargs -r docker rm -fv",
        "docker rm -v database",
        "docker ps -aq --filter label=x=y | xargs docker rm -fv database",
    ]);
}

#[test]
fn packages_and_users_of_a_container_are_its_own() {
    passes(&[
        "docker run --rm -v \"$PWD/dist:/dist:ro\" debian:12 sh -ec 'apt-get install -yqq /dist/a.deb && apt-get purge -yqq a'",
        "docker run --rm -v \"$PWD:/src\" fedora:41 bash -c 'rpm -e agentd'",
        "docker exec web apk del curl",
    ]);
    stopped(&[
        "docker exec db apt-get purge -y postgresql-16",
        "docker run --rm -v \"$PWD:/src\" debian sh -c 'rm -rf /src'",
        "docker run --privileged -v /:/host debian chroot /host apt-get purge -y nano",
        "docker run --rm -v \"$PWD:/src\" debian true; sudo apt-get purge -y nano",
    ]);
}

#[test]
fn a_cluster_of_this_machine_may_be_changed_when_it_is_named() {
    passes(&[
        "kubectl --context kind-e2e delete ns try --wait=false",
        "kubectl --context=minikube -n try delete pod -l app=small",
        "helm --kube-context k3d-dev uninstall app",
    ]);
    stopped(&[
        "kubectl delete ns try",
        "kubectl --context production delete ns try",
        "kubectl --context kind-e2e --context production delete ns try",
        "kubectl --context kind-e2e get pods; kubectl delete ns try",
    ]);
}

#[test]
fn an_image_that_the_line_built_and_a_temporary_clone_are_its_own() {
    passes(&[
        "docker build -q -t gateway:sec . && docker run --rm gateway:sec node -v && docker rmi -f gateway:sec",
        "git clone -q --mirror . /tmp/mirror.git && cd /tmp/mirror.git && git filter-repo --replace-text /tmp/r.txt --force",
    ]);
    stopped(&[
        "docker build -q -t gateway:sec . && docker rmi -f gateway:latest",
        "docker rmi -f gateway:sec; docker build -t gateway:sec .",
        "git clone -q --mirror . /tmp/mirror.git && git filter-repo --replace-text /tmp/r.txt --force",
        "cd /tmp/mirror.git && git filter-repo --force && git push --force --mirror origin",
    ]);
}

#[test]
fn an_editor_that_prints_shows_what_it_is_given() {
    stopped(&[
        "EDITOR=cat bin/rails credentials:edit --environment staging",
        "EDITOR='/bin/cat' ansible-vault edit group_vars/all/vault.yml",
        "KUBE_EDITOR=cat kubectl edit secret db",
    ]);
    passes(&[
        "EDITOR=cat git rebase --continue",
        "EDITOR=true bin/rails credentials:edit",
        "EDITOR=cat kubectl edit configmap web --dry-run=client",
    ]);
}
