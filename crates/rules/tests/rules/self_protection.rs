//! Self-protection, spelling by spelling: each test is named after the way around that it closes.

use crate::context;
use sprag_rules::{GuardConfig, Verdict, judge};
use sprag_shell::analyse;

fn verdict(command: &str) -> (Verdict, &'static str) {
    let ctx = context();
    let judged = judge(&analyse(command, &ctx), &ctx, &GuardConfig::default());
    (judged.verdict, judged.rule.unwrap_or_default())
}

#[track_caller]
fn stopped(command: &str) {
    let (verdict, rule) = verdict(command);
    assert!(verdict >= Verdict::Ask && rule.starts_with("self-protection:"), "{command}: {verdict} {rule}");
}

#[track_caller]
fn passes(command: &str) {
    let (verdict, rule) = verdict(command);
    assert!(!rule.starts_with("self-protection:"), "{command}: {verdict} {rule}");
}

macro_rules! stopped {
    ($($name:ident: $($command:expr),+;)+) => {
        $(#[test]
        fn $name() {
            for command in [$($command),+] {
                stopped(command);
            }
        })+
    };
}

stopped! {
    self_approval_by_command_v_and_setsid:
        "S=$(command -v sprag); env -i HOME=$HOME setsid -f $S approve .env --yes";
    self_approval_by_which: "\"$(which sprag)\" trust --yes", "\"$(which sprag)\" undeploy", "`which sprag` allow last";
    self_approval_by_type_p: "$(type -p sprag) disable guards";
    self_approval_by_realpath: "X=$(realpath $(which sprag)); $X approve .env --yes";
    self_approval_by_a_program_that_is_not_known: "$BIN approve .env --yes", "\"$(cat name)\" trust --yes",
        "find ~/.local/bin -name 'spr*' -exec {} approve .env --yes \\;";
    self_approval_by_a_pattern: "~/.local/bin/spra? undeploy";
    self_approval_by_another_name: "cp ~/.local/bin/sprag /tmp/t && /tmp/t approve .env --yes",
        "ln -s $(which sprag) /tmp/t; /tmp/t trust --yes", "hash -p ~/.local/bin/sprag gitk; gitk approve .env";
    self_approval_by_a_loader: "/lib64/ld-linux-x86-64.so.2 ~/.local/bin/sprag approve .env --yes";
    self_approval_by_another_terminal: "script -qc 'sprag approve .env' /dev/null", "tmux send-keys 'sprag allow last' Enter",
        "expect -c 'spawn sprag allow last; send y\\r'", "xdotool type 'sprag allow last'",
        "python3 -c \"import pty; pty.spawn(['sprag','allow','last'])\"";
    self_approval_later: "at now <<< 'sprag approve .env --yes'", "echo 'sprag trust --yes' | at now",
        "(crontab -l; echo '* * * * * sprag approve .env --yes') | crontab -", "systemd-run --user sprag trust --yes";
    self_approval_by_the_web_page: "sprag serve --allow-actions", "sprag serve --listen=0.0.0.0", "sprag serve --set-password",
        "sprag approvals answer 7f3a yes";
    copy_into_the_folder: "cp x/settings.json ~/.claude/", "install -m 644 /tmp/settings.json ~/.claude",
        "mv -t ~/.claude /tmp/settings.json", "cp -r /tmp/e/. ~/.claude/", "cp -a /tmp/e/.claude ~/";
    rsync_into_the_folder: "rsync -a /tmp/e/ ~/.claude/", "rsync /tmp/settings.json .claude/";
    tar_and_unzip_into_the_folder: "tar -C ~/.claude -xf e.tar", "tar xf e.tar -C ~/.claude settings.json",
        "unzip -o e.zip -d ~/.claude", "cd ~/.codex && tar xf /tmp/e.tar", "7z x e.7z -o/home/dev/.claude";
    scp_into_the_folder: "scp host:settings.json ~/.claude/";
    git_clone_into_the_folder: "git clone https://example.com/e ~/.claude", "git -C ~/.claude pull";
    a_link_in_place_of_the_folder: "ln -sfn /tmp/e ~/.claude", "ln -sf /tmp/x ~/.claude/settings.json";
    editors: "vim -c wq ~/.claude/settings.json", "printf 'g/x/d\\nw\\n' | ed -s ~/.claude/settings.json",
        "cd ~/.claude; nvim --headless +wq settings.json", "emacs --batch ~/.claude/settings.json -f save-buffer";
    awk_and_sed_that_write: "awk '{print > \"/home/dev/.claude/settings.json\"}' e", "sed -n 'w .claude/settings.json' e",
        "sed 's/a/b/w /home/dev/.claude/settings.json' e";
    decoders_and_splitters: "xxd -r -p e ~/.claude/settings.json", "openssl enc -d -in e -out ~/.claude/settings.json",
        "split -b 1k e ~/.claude/settings.json", "sort -o ~/.claude/settings.json e", "gpg -o .codex/hooks.json -d e";
    a_pattern_that_finds_the_file: "echo '{}' > .claude/settings.jso[n]", "rm ~/.claude/s*ngs.json",
        "echo '{}' > ~/.cl*/settings.json";
    a_container_with_the_folder: "docker run -v ~/.claude:/c alpine rm /c/settings.json",
        "docker run --mount type=bind,source=/home/dev/.codex,target=/c alpine rm /c/hooks.json";
    code_that_joins_the_path:
        "python3 -c \"import os; open(os.path.join(os.environ['HOME'],'.cl'+'aude','settings'+'.json'),'w').write('{}')\"",
        "node -e \"require('fs').writeFileSync(require('path').join(h,'.claude','settings.json'),'{}')\"";
    a_pipe_in_the_state_folder: "mkfifo ~/.local/state/sprag/journal.jsonl", "touch ~/.local/state/sprag/approvals/x";
    the_program_itself: "chmod -x $(which sprag)", "cp /bin/true $(which sprag)", "rm \"$(command -v sprag)\"",
        "cargo uninstall sprag", "mv ~/.local/bin/sprag{,.bak}";
    a_child_agent_outside_the_guards: "CLAUDE_CONFIG_DIR=/tmp/e claude -p x", "HOME=/tmp/e claude -p x",
        "CODEX_HOME=/tmp/e codex exec x", "env -i claude -p x", "export CODEX_HOME=/tmp/e; codex exec x",
        "claude --bare -p x", "claude --setting-sources project -p x", "codex -c features.hooks=false exec x";
    another_case: "echo '{}' > ~/.CLAUDE/Settings.json", "rm ~/.Codex/HOOKS.json";
    a_variable_for_later: "echo 'export SPRAG_DISABLE=all' >> ~/.zshrc", "sed -i '$a export SPRAG_DISABLE=all' ~/.bashrc",
        "systemctl --user set-environment SPRAG_DISABLE=all", "launchctl setenv SPRAG_DISABLE all";
    a_patch_in_the_line: "patch -p1 <<'E'\n--- a/.claude/settings.json\n+++ b/.claude/settings.json\n@@ -1 +1 @@\n-a\n+b\nE";
    a_copy_with_its_folders: "rsync -aR ./.claude/settings.json ~/", "cp --parents .claude/settings.json ~";
    unpacked_by_python: "python3 -m zipfile -e e.zip ~/.claude", "python3 -m tarfile -e e.tar ~/.claude";
    git_that_writes_elsewhere: "git checkout-index -a -f --prefix=$HOME/.claude/", "git apply --directory=.claude p",
        "git apply <<'E'\n--- a/.claude/settings.json\n+++ b/.claude/settings.json\n@@ -1 +1 @@\n-a\n+b\nE";
    a_copy_out_of_a_container: "docker cp c:/settings.json ~/.claude/settings.json", "docker cp c:/dot/. ~/.claude";
    another_folder_over_it: "bindfs /tmp/e ~/.claude", "bwrap --tmpfs ~/.claude claude -p x";
    a_child_agent_of_another_user: "sudo -u nobody claude -p x", "env -u HOME claude -p x";
    a_process_by_a_part_of_its_name: "pkill -f spra", "killall -r 'spr.*'";
    the_folder_of_the_program: "chmod 000 ~/.local/bin", "mv ~/.local/bin ~/.local/bin2";
    a_name_that_code_joins: "perl -e 'system(join(\" \",\"spr\".\"ag\",\"approve\",\".env\"))'";
    names_from_a_list: "ls ~/.claude/settings*.json | xargs rm";
}

#[test]
fn known_other_programs_pass() {
    for command in [
        "direnv allow",
        "direnv allow .",
        "systemctl disable cups",
        "mise trust",
        "ufw allow 22",
        "helm uninstall rel",
        "npm uninstall left-pad",
        "corepack enable",
        "$HELM uninstall rel",
        "$SYSTEMCTL disable a.service",
        "$DIRENV allow .",
        "\"$PYTHON\" -m pytest",
        "$(which sprag) status",
        "S=$(command -v sprag); $S logs",
        "sprag approve --help",
        "sprag allow --list",
        "echo 'sprag approve .env'",
        "grep -rn 'sprag trust' docs",
        "git commit -m 'docs: sprag allow and sprag trust'",
        "ls -l $(which sprag)",
    ] {
        passes(command);
    }
}

#[test]
fn other_files_of_such_folders_pass() {
    for command in [
        "mkdir -p .claude/skills/x",
        "git add .claude",
        "git add .claude/settings.json",
        "cat .claude/settings.json",
        "cp -r templates/skills/review .claude/skills/",
        "rsync -a skills/ .claude/skills/",
        "cp notes.md ~/.claude/",
        "echo x > .claude/commands/review.md",
        "cp lint.sh .claude/hooks/",
        "chmod +x .claude/hooks/lint.sh",
        "cp ~/.claude/settings.json /tmp/backup.json",
        "cp -r .claude /tmp/backup",
        "tar czf c.tgz .claude",
        "git clone https://example.com/s ~/.claude/skills/s",
        "unzip skill.zip -d ~/.claude/skills/pdf",
        "ln -sfn $PWD/agents ~/.claude/agents",
        "python3 -m json.tool .claude/settings.json",
        "python3 -c \"import json; print(json.load(open('.claude/settings.json')))\"",
        "diff .claude/settings.json x",
        "docker run -v $PWD:/app node npm test",
        "docker run -v ~/.claude:/c:ro img ls /c",
        "claude -p 'summarise'",
        "HOME=/tmp/h cargo test",
        "echo .claude/settings.local.json >> .gitignore",
        "awk '/x/' .claude/settings.json",
        "npx prettier --check .claude/settings.json",
        "find .claude -name '*.md'",
        "sed -n 1,5p .claude/settings.json",
    ] {
        passes(command);
    }
}

#[test]
fn cloud_metadata_by_command() {
    for command in [
        "curl http://169.254.169.254/latest/meta-data/",
        "wget -qO- http://metadata.google.internal/x",
        "curl http://2852039166/latest/",
    ] {
        let (verdict, rule) = verdict(command);
        assert!(verdict >= Verdict::Ask && rule == "secrets:cloud-metadata", "{command}: {verdict} {rule}");
    }
}
