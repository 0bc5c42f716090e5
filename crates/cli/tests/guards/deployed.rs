//! What deploy wrote stays: every file of every agent, the folders above it, and the folders above the program, against
//! the ways in which a call could write, move, lock or remove them.

use crate::cli_home::{Home, SPRAG};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const AGENTS: [&str; 13] = [
    "claude", "codex", "gemini", "qwen", "copilot", "opencode", "grok", "kimi", "cline", "droid", "kilo",
    "hermes", "pi",
];

fn files_below(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn stops(home: &Home, tool: &str, input: &Value) -> bool {
    let said = home.hook(&home.event("PreToolUse", json!({"tool_name": tool, "tool_input": input})));
    said.contains("self-protection")
}

fn is_stopped(home: &Home, command: &str) -> bool {
    stops(home, "Bash", &json!({"command": command}))
}

#[test]
fn every_file_that_deploy_wrote_is_kept() {
    let home = Home::new();
    let root = home.path();
    let mut before = Vec::new();
    files_below(&root, &mut before);
    let agents = AGENTS.iter().flat_map(|name| ["--agent", name]);
    home.run(&["deploy"].into_iter().chain(agents).collect::<Vec<_>>()).ok();
    let mut files = Vec::new();
    files_below(&root, &mut files);
    files.retain(|file| {
        !before.contains(file) && !file.starts_with(home.state()) && !file.starts_with(home.config())
    });
    // A mark for uninstall guards nothing.
    files.retain(|file| !file.to_string_lossy().ends_with(".sprag-created"));
    // One script per event is one file here.
    files.retain(|file| !file.to_string_lossy().contains("/.cline/hooks/") || file.ends_with("PreToolUse"));
    assert!(files.len() >= AGENTS.len(), "{files:?}");
    let mut passed = Vec::new();
    for file in &files {
        let (path, folder) = (file.display().to_string(), file.parent().unwrap().display().to_string());
        let name = file.file_name().unwrap().to_string_lossy();
        let (start, _) = name.split_at(4);
        let ways = [
            format!("echo '{{}}' > {path}"),
            format!("rm -f {path}"),
            format!("rm -f {folder}/{start}*"),
            format!("sed -i s/sprag/true/ {folder}/{start}*"),
            format!("mv {path} /tmp/x"),
            format!("mv {folder} /tmp/zz"),
            format!("rm -rf {folder}"),
            format!("chmod 000 {path}"),
            format!("chmod 000 {folder}"),
            format!("ln -sf /dev/null {path}"),
            format!("cp evil/* {folder}/"),
            format!("tar xf x.tar -C {folder}"),
            format!("python3 -c \"open('{path}','w').write('')\""),
        ];
        passed.extend(ways.into_iter().filter(|way| !is_stopped(&home, way)));
        if !stops(&home, "mcp__fs__write_file", &json!({"path": path, "content": ""})) {
            passed.push(format!("mcp write {path}"));
        }
    }
    assert!(passed.is_empty(), "{passed:#?}");
}

#[test]
fn folders_above_the_program_are_kept() {
    let home = Home::new();
    let folder = Path::new(SPRAG).parent().unwrap();
    for above in [folder, folder.parent().unwrap()] {
        let above = above.display();
        for way in [
            format!("mv {above} {above}.old"),
            format!("chmod 000 {above}"),
            format!("chmod -R a-x {above}"),
            format!("ln -sfn /tmp {above}"),
            format!("rm -rf {above}"),
        ] {
            assert!(is_stopped(&home, &way), "{way}");
        }
    }
    let beside = folder.join("beside");
    for ordinary in [
        format!("mv {}/a {}/b", beside.display(), beside.display()),
        format!("chmod +x {}", folder.display()),
        format!("chmod -R u+rwX {}", folder.display()),
        "mise uninstall node".to_owned(),
    ] {
        assert!(!is_stopped(&home, &ordinary), "{ordinary}");
    }
    assert!(is_stopped(&home, "mise uninstall sprag"));
}
