//! `sprag licenses`: sprag's licence, and the notices of the software that is linked into it.

use serde_json::json;
use sprag_terminal::{Out, Table, Tone};
use std::process::ExitCode;

/// Written by `cargo xtask licenses`: a line for each package, then the texts.
const NOTICES: &str = include_str!("../../licenses.txt");

#[derive(clap::Args)]
pub(crate) struct LicensesArgs {
    /// The copyright notices and licence texts
    #[arg(long)]
    full: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "full")]
    json: bool,
}

pub(crate) fn run(args: &LicensesArgs, out: &Out) -> ExitCode {
    if args.full {
        out.raw(NOTICES);
        return ExitCode::SUCCESS;
    }
    let (packages, _) = NOTICES.split_once("\n\n").unwrap_or((NOTICES, ""));
    let rows = packages.lines().filter_map(|line| {
        let (package, licence) = line.split_once("  ")?;
        let (name, version) = package.rsplit_once(' ')?;
        Some((name, version, licence))
    });
    if args.json {
        let packages: Vec<_> = rows
            .map(|(name, version, licence)| json!({ "name": name, "version": version, "license": licence }))
            .collect();
        out.json(&json!({ "license": env!("CARGO_PKG_LICENSE"), "packages": packages }));
        return ExitCode::SUCCESS;
    }
    let mut table = Table::new(&["package", "version", "licence"]);
    for (name, version, licence) in rows {
        let cells = [(Tone::Strong, name), (Tone::Plain, version), (Tone::Plain, licence)];
        table.row(cells.map(|(tone, text)| (tone, text.to_owned())).to_vec());
    }
    out.line(&format!(
        "sprag {} is licensed under {}. It contains:",
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_LICENSE")
    ));
    out.table(&table);
    out.line(&out.paint(Tone::Dim, "`sprag licenses --full` prints the notices and the licence texts."));
    ExitCode::SUCCESS
}
