//! Its tools' names are the canonical ones.

use crate::agents::spec::{MatcherSyntax, Tools};

pub(super) const TOOLS: Tools =
    Tools { aliases: &[], matcher: MatcherSyntax { names: |_, _| true, regex: true } };
