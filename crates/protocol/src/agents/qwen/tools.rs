//! Its tools in canonical spelling, and back.

use crate::agents::shared;
use crate::agents::spec::{MatcherSyntax, Tools};
use crate::kind::Subject;
use crate::respell::NoSuchTool;
use serde_json::{Map, Value};

pub(super) const TOOLS: Tools = Tools {
    aliases: &[],
    // It knows some of the canonical tools by name; one that it does not know would never be seen.
    matcher: MatcherSyntax { names: |subject, _| subject != Subject::Tool, regex: false },
};

pub(super) fn to_canonical(raw: &mut Map<String, Value>) {
    shared::tool_name_to_canonical(&shared::TOOL_NAMES, raw);
    shared::shell_result(raw);
}

pub(super) fn from_canonical(raw: &mut Map<String, Value>) -> Result<(), NoSuchTool> {
    shared::tool_name_from_canonical(&shared::TOOL_NAMES, raw)
}
