//! `sprag hooks new --type prompt`: a check in words, its place in a chain, and cases with a model that answers as written.

use super::{HookTarget, Made, NewArgs, added, quoted, register};
use anyhow::bail;
use sprag_config::host::Host;
use sprag_config::settings::{Settings, Value};
use sprag_config::typed;
use sprag_protocol::EventKind;
use sprag_terminal::{Out, Problem, Tone};
use std::process::ExitCode;

/// What is asked when nobody said what.
const FIRST: &str =
    "Is everything done that was asked for? Look at the last message of the agent: $ARGUMENTS";

pub(super) fn run(args: &NewArgs, host: &Host, place: &HookTarget, out: &Out) -> anyhow::Result<ExitCode> {
    let kind = args.event.unwrap_or(EventKind::Stop);
    let asked = args.prompt.as_deref().unwrap_or(FIRST);
    let mut settings = Settings::default();
    settings.set("type", Value::Text("prompt".to_owned()));
    settings.set("prompt", Value::Text(asked.to_owned()));
    let behind = typed::behind(&settings, host.hooks);
    if let Some((what, hint)) =
        behind.and_then(|builtin| typed::refused(kind, &args.name, builtin, &settings))
    {
        bail!(Problem::new(&what, &hint));
    }
    let case_file = place.hooks.join(format!("{}.hook.toml", args.name));
    let mut made = Made(Vec::new());
    made.write(&case_file, &cases(&args.name, asked, kind), false)?;
    register(&args.name, kind, &place.config, |table| {
        table.insert("type", toml_edit::value("prompt"));
        table.insert("prompt", toml_edit::value(asked));
    })?;
    made.0.clear();
    out.line(&format!("{}  {}", out.paint(Tone::Good, "wrote"), host.paths.tilde(&case_file)));
    added(kind, place, host, out);
    out.line(&format!("  sprag test {}", quoted(&case_file)));
    out.line(if args.project { "  sprag trust" } else { "  sprag deploy" });
    Ok(ExitCode::SUCCESS)
}

/// The first cases: what a no and a yes lead to.
fn cases(name: &str, asked: &str, kind: EventKind) -> String {
    let event = kind.name();
    let asked = toml_edit::value(asked).to_string();
    format!(
        "# Cases of {name}. The model is scripted: nothing is asked outside. Every key: docs/testing.md\n\
         hook = \"{name}\"\n\
         world.config.hook.{name} = {{ type = \"prompt\", prompt = {} }}\n\n\
         [[case]]\nname = \"a no stops it, with the model's reason\"\n\
         world.model = '{{\"ok\": false, \"reason\": \"not yet\"}}'\n\
         event = \"{event}\"\nexpect = {{ reason = \"not yet\", asks = 1 }}\n\n\
         [[case]]\nname = \"a yes lets it be\"\n\
         world.model = '{{\"ok\": true}}'\n\
         event = \"{event}\"\nexpect = {{ verdict = \"pass\", asks = 1 }}\n",
        asked.trim()
    )
}
