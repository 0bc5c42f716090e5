//! What the shell command of an event would do, analysed once for all hooks of the chain.

use sprag_project::Project;
use sprag_protocol::{Event, ToolKind};
use sprag_runtime::hook::Cx;
use sprag_shell::{Analysis, Context};
use std::path::Path;
use std::rc::Rc;

/// Where a command of this event would run.
pub fn context(event: &Event, cx: &Cx<'_>) -> Context {
    // Gemini CLI may run a command elsewhere than where it is.
    let dir = event.tool_input().and_then(|input| input.get("dir_path")).and_then(serde_json::Value::as_str);
    let cwd = match dir {
        Some(dir) => Path::new(&event.cwd).join(dir).to_string_lossy().into_owned(),
        None => event.cwd.clone(),
    };
    context_at(&cwd, &cx.host.paths.home, cx.project)
}

/// Where a command would run that is not part of an event.
pub fn context_at(cwd: &str, home: &Path, project: &Project) -> Context {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let root = if project.root.as_os_str().is_empty() { cwd.to_owned() } else { text(&project.root) };
    Context { cwd: cwd.to_owned(), home: text(home), project_root: root }
}

/// The analysis of the event's shell command; `None` when it has none.
pub fn analysis(event: &Event, cx: &Cx<'_>) -> Option<(Rc<Analysis>, Context)> {
    let tool = event.tool.as_ref().filter(|tool| tool.kind == ToolKind::Shell)?;
    let command = tool.command.as_deref()?;
    let context = context(event, cx);
    Some((cx.shell.analyse(command, &context), context))
}

/// A path of a tool call from the root, by its text alone.
pub fn full(path: &str, context: &Context) -> String {
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            sprag_shell::normalise(&format!("{}{rest}", context.home), "/")
        }
        _ => sprag_shell::normalise(path, &context.cwd),
    }
}

/// Where a path with `..` leads when what stands before them is a link: not where its text says.
pub fn through_links(path: &str, context: &Context) -> Option<String> {
    if !path.contains("..") {
        return None;
    }
    let found = sprag_base::links::real(&Path::new(&context.cwd).join(path))?;
    Some(found.to_string_lossy().into_owned())
}
