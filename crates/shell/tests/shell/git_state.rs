//! Which git commands change what a checkout's users share, and where.

use sprag_shell::{Context, EffectKind, GitChange, analyse};

fn changes(command: &str) -> Vec<(GitChange, String)> {
    let ctx = Context { cwd: "/w".into(), home: "/home/dev".into(), project_root: "/w".into() };
    let found = analyse(command, &ctx).effects;
    found
        .into_iter()
        .filter_map(|effect| match effect.kind {
            EffectKind::Checkout { change, at } => Some((change, at)),
            _ => None,
        })
        .collect()
}

#[test]
fn what_moves_head_index_stash_or_the_whole_tree_is_seen() {
    use GitChange::{Commit, Discard, Rebase, Reset, StageAll, Stash, Switch};
    for (command, change) in [
        ("git switch main", Switch),
        ("git checkout main", Switch),
        ("git checkout -b fix origin/main", Switch),
        ("git checkout --detach", Switch),
        ("git stash", Stash),
        ("git stash -u", Stash),
        ("git stash pop", Stash),
        ("git add -A", StageAll),
        ("git add .", StageAll),
        ("git add -u", StageAll),
        ("git add --all :/", StageAll),
        ("git commit -am 'all of it'", StageAll),
        ("git commit --all -m x", StageAll),
        ("git commit -m 'a change'", Commit),
        ("git reset", Reset),
        ("git reset --hard HEAD~1", Reset),
        ("git reset --soft HEAD^", Reset),
        ("git rebase main", Rebase),
        ("git rebase --continue", Rebase),
        ("git pull --rebase", Rebase),
        ("git checkout .", Discard),
        ("git checkout -- .", Discard),
        ("git restore .", Discard),
        ("git clean -fd", Discard),
        ("git merge --abort", Reset),
        ("git bisect start", Switch),
    ] {
        let found = changes(command);
        assert_eq!(found[0], (change, "/w".to_owned()), "{command}");
        let commits = found.iter().any(|(change, _)| *change == Commit);
        assert_eq!(commits, command.starts_with("git commit"), "{command}");
    }
}

#[test]
fn what_names_its_files_or_only_looks_is_not() {
    for command in [
        "git status", "git log -p", "git add src/a.rs", "git add -p", "git add -A src",
        "git checkout -- src/a.rs", "git checkout HEAD src/a.rs", "git restore src/a.rs",
        "git reset HEAD src/a.rs", "git reset -- src/a.rs", "git stash list", "git stash show -p",
        "git clean -n", "git clean -nfd", "git pull", "git merge side", "git fetch", "git push",
        "git worktree add ../x", "git commit --dry-run -am x", "git rebase --help", "echo git stash",
    ] {
        assert_eq!(changes(command), [], "{command}");
    }
}

#[test]
fn where_it_happens_is_known() {
    assert_eq!(changes("cd sub && git stash")[0].1, "/w/sub");
    assert_eq!(changes("git -C ../other reset --hard")[0].1, "/other");
    assert_eq!(changes("bash -c 'cd /x; git switch y'")[0].1, "/x");
}
