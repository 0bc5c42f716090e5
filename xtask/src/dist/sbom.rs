//! The bill of materials of a binary: every package that is linked into it, in CycloneDX's JSON format.

use crate::deps::{is_ours, list, text};
use crate::{licenses, root};
use anyhow::Context as _;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Command;

/// The bill for one target.
pub(super) fn write(target: &str) -> anyhow::Result<String> {
    let metadata = metadata(target)?;
    let lock: toml::Table = std::fs::read_to_string(root().join("Cargo.lock"))?.parse()?;
    Ok(format!("{:#}\n", bill(&metadata, &checksums(&lock))?))
}

/// The dependency graph of one target, without the network where that is possible.
fn metadata(target: &str) -> anyhow::Result<Value> {
    let ask = |more: &[&str]| -> anyhow::Result<Value> {
        let mut cargo = Command::new("cargo");
        cargo.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", target]).args(more);
        Ok(serde_json::from_str(&super::output(cargo.current_dir(root()))?)?)
    };
    ask(&["--offline"]).or_else(|_| ask(&[]))
}

/// Checksums of the registry's packages, by name and version.
fn checksums(lock: &toml::Table) -> BTreeMap<(String, String), String> {
    let packages = lock.get("package").and_then(toml::Value::as_array).into_iter().flatten();
    packages
        .filter_map(|package| {
            let word = |key: &str| package.get(key)?.as_str().map(str::to_owned);
            Some(((word("name")?, word("version")?), word("checksum")?))
        })
        .collect()
}

fn bill(metadata: &Value, checksums: &BTreeMap<(String, String), String>) -> anyhow::Result<Value> {
    let purl = |package: &Value| format!("pkg:cargo/{}@{}", text(package, "name"), text(package, "version"));
    let mut components: Vec<Value> = licenses::linked(metadata)?
        .into_iter()
        .map(|package| {
            let key = (text(package, "name").to_owned(), text(package, "version").to_owned());
            let hashes: Vec<Value> = checksums
                .get(&key)
                .map(|sum| json!({"alg": "SHA-256", "content": sum}))
                .into_iter()
                .collect();
            json!({
                "type": "library",
                "bom-ref": purl(package),
                "name": key.0,
                "version": key.1,
                "purl": purl(package),
                "licenses": [{"expression": text(package, "license").replace('/', " OR ")}],
                "hashes": hashes,
            })
        })
        .collect();
    components.sort_by_key(|component| text(component, "purl").to_owned());
    let ours = list(metadata, "packages")
        .iter()
        .find(|package| is_ours(package) && text(package, "name") == "sprag")
        .context("no package sprag")?;
    let refs: Vec<&str> = components.iter().map(|component| text(component, "bom-ref")).collect();
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {
            "type": "application",
            "bom-ref": purl(ours),
            "name": "sprag",
            "version": text(ours, "version"),
            "purl": purl(ours),
            "licenses": [{"expression": text(ours, "license")}],
        }},
        "components": components,
        "dependencies": [{"ref": purl(ours), "dependsOn": refs}],
    }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]
    use super::*;

    #[test]
    fn the_bill_names_what_is_linked_and_nothing_else() {
        let package = |id: &str, source: Option<&str>| json!({"id": id, "name": id, "version": "1.0.0", "license": "MIT/Apache-2.0", "source": source, "targets": [{"kind": ["lib"]}]});
        let dep = |id: &str, kind: Option<&str>| json!({"pkg": id, "dep_kinds": [{"kind": kind}]});
        let registry = Some("registry+https://registry.example");
        let metadata = json!({
            "packages": [package("sprag", None), package("linked", registry), package("tested", registry), package("sprag-base", None)],
            "resolve": {"nodes": [
                {"id": "sprag", "deps": [dep("sprag-base", None), dep("tested", Some("dev"))]},
                {"id": "sprag-base", "deps": [dep("linked", None)]},
            ]},
        });
        let sums = BTreeMap::from([(("linked".to_owned(), "1.0.0".to_owned()), "ab".repeat(32))]);
        let bill = bill(&metadata, &sums).unwrap();
        let components = list(&bill, "components");
        assert_eq!(components.len(), 1, "{bill:#}");
        assert_eq!(components[0]["purl"], "pkg:cargo/linked@1.0.0");
        assert_eq!(components[0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(components[0]["hashes"][0]["content"], "ab".repeat(32));
        assert_eq!(bill["dependencies"][0]["dependsOn"], json!(["pkg:cargo/linked@1.0.0"]));
    }
}
