//! Bundles as they are configured here, and how one is switched.

use crate::edit;
use crate::inventory::{Inventory, Known};
use crate::spec::{Bundle, HookSpec};
use toml_edit::DocumentMut;

/// A bundle with its hooks as they are configured here.
#[derive(Debug)]
pub struct BundleState {
    /// Which.
    pub bundle: Bundle,
    /// Its hooks, on or off.
    pub hooks: Vec<Known>,
    chosen: bool,
}

impl BundleState {
    /// The bundle as an inventory has it.
    pub fn of(inventory: &Inventory<'_>, bundle: Bundle) -> Self {
        let hooks = inventory.all().into_iter();
        let hooks =
            hooks.filter(|hook| hook.builtin.is_some_and(|builtin| builtin.bundle == bundle)).collect();
        Self { bundle, hooks, chosen: inventory.loaded.resolved.bundles.contains(&bundle) }
    }

    /// All of them, in the order in which people read them.
    pub fn all(inventory: &Inventory<'_>) -> Vec<Self> {
        Bundle::ALL.into_iter().map(|bundle| Self::of(inventory, bundle)).collect()
    }

    /// The hooks that are on.
    pub fn on(&self) -> impl Iterator<Item = &Known> {
        self.hooks.iter().filter(|hook| hook.on)
    }

    /// The hooks that do not come with the bundle.
    pub fn by_name(&self) -> impl Iterator<Item = &Known> {
        self.hooks.iter().filter(|hook| !hook.builtin.is_some_and(HookSpec::comes_with_bundle))
    }

    /// True when it was chosen and something of it runs.
    pub fn is_on(&self) -> bool {
        self.chosen && self.on().next().is_some()
    }

    /// `on`, `off`, or `part` when only single hooks of it are on.
    pub fn state(&self) -> &'static str {
        match (self.on().next().is_some(), self.chosen) {
            (false, _) => "off",
            (true, true) => "on",
            (true, false) => "part",
        }
    }
}

/// Writes into a configuration that a bundle is on or off; comments stay.
pub fn switch_bundle(document: &mut DocumentMut, inventory: &Inventory<'_>, bundle: Bundle, on: bool) {
    let preset = inventory.loaded.resolved.preset;
    let root = document.as_table_mut();
    if on {
        edit::remove_from(root, "disable", bundle.name());
        if !preset.bundles().contains(&bundle) {
            edit::push_once(root, "enable", bundle.name());
        }
        return;
    }
    edit::remove_from(root, "enable", bundle.name());
    if inventory.host.hooks.iter().any(|hook| hook.bundle == bundle && hook.is_in(preset)) {
        edit::push_once(root, "disable", bundle.name());
    }
}
