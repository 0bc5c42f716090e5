//! stub
use crate::ui::Out;
use sprag_engine::host::Host;
use std::process::ExitCode;
#[derive(clap::Args)]
pub(crate) struct DemoArgs {}
pub(crate) fn run(_args: &DemoArgs, _host: &Host, _out: &Out) -> anyhow::Result<ExitCode> {
    Ok(ExitCode::SUCCESS)
}
