//! What the tools do: arguments in, an object out. One file per subject, over the functions that the commands call too.

pub(crate) mod code;
pub(crate) mod guard;
pub(crate) mod knowledge;
pub(crate) mod lessons;
pub(crate) mod memory;
pub(crate) mod team;

use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::projects::Known;
use serde_json::{Map, Value};
use sprag_config::host::Host;
use sprag_project::Project;

/// What a tool answers.
pub(crate) type ToolResult = Result<Map<String, Value>, ToolError>;

/// One call.
pub(crate) struct Call<'a> {
    pub(crate) host: &'a Host,
    pub(crate) arguments: &'a Arguments,
    pub(crate) known: &'a Known,
    /// What the client calls itself.
    pub(crate) client: &'a str,
}

impl Call<'_> {
    /// The project that the call is about.
    pub(crate) fn project(&self) -> Result<Project, ToolError> {
        self.known.project(self.host, self.arguments.given("project")?)
    }
}

/// An object's members.
pub(crate) fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
