//! Everyday commands that were stopped in working sessions, each beside what stays stopped.

use crate::constructs::{passes, stopped};

#[test]
fn temporary_tables_may_be_dropped_by_the_connection_that_made_them() {
    passes(&[
        "snowsql -c dev -q 'create or replace temporary table t as select 1; select * from t; drop table t;'",
        "psql -c 'create temp table t as select 1' -c 'drop table t'",
        "psql -c 'create local temporary table if not exists t (a int); drop table if exists t'",
    ]);
    stopped(&[
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
