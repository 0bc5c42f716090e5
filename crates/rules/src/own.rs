//! What a line made itself, and may delete again.

use sprag_shell::{Analysis, Cmd, HOLE};

use crate::Hit;

/// The hit is about something that an earlier command of the same line made.
pub(crate) fn is_own(hit: &Hit, analysis: &Analysis) -> bool {
    let Some(cmd) = analysis.commands.get(hit.cmd) else { return false };
    match hit.rule.id {
        // `docker build -t try . && docker run --rm try; docker rmi -f try`
        "containers:remove-image-force" => {
            let before = analysis.commands.get(..hit.cmd).unwrap_or_default();
            let mut images = cmd.args.iter().map(|arg| arg.text.as_str()).filter(|arg| !arg.starts_with('-'));
            images.next() == Some("rmi")
                && images.clone().next().is_some()
                && images.all(|image| !image.contains(HOLE) && before.iter().any(|cmd| builds(cmd, image)))
        }
        _ => false,
    }
}

/// `docker build -t IMAGE .`, `docker buildx build --tag=IMAGE .`
fn builds(cmd: &Cmd, image: &str) -> bool {
    let mut words = cmd.args.iter().map(|arg| arg.text.as_str());
    let is_build = matches!(cmd.name.as_str(), "docker" | "podman" | "nerdctl")
        && match words.next() {
            Some("build") => true,
            Some("buildx" | "image" | "builder") => words.next() == Some("build"),
            _ => false,
        };
    let tag = |pair: &[sprag_shell::Arg]| matches!(pair, [option, value] if matches!(option.text.as_str(), "-t" | "--tag") && value.text == image);
    let joined = |arg: &sprag_shell::Arg| arg.text.strip_prefix("--tag=") == Some(image);
    is_build && (cmd.args.windows(2).any(tag) || cmd.args.iter().any(joined))
}
