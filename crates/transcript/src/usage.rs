//! Tokens of a session, counted once although records repeat them.

use sprag_protocol::transcript::{Record, Usage};
use std::collections::HashMap;

/// The sum over a session.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    answers: HashMap<String, Usage>,
    last: Option<Usage>,
}

impl Totals {
    /// Takes a record in. Of several with the same answer, the one with the most output counts.
    pub fn add(&mut self, record: &Record) {
        let Some(usage) = &record.usage else { return };
        if !record.sidechain {
            self.last = Some(usage.clone());
        }
        let known = self.answers.entry(usage.answer.clone()).or_default();
        if usage.output >= known.output {
            *known = usage.clone();
        }
    }

    /// Everything together.
    pub fn sum(&self) -> Usage {
        let mut sum = Usage::default();
        for usage in self.answers.values() {
            sum.input += usage.input;
            sum.output += usage.output;
            sum.cache_read += usage.cache_read;
            sum.cache_write += usage.cache_write;
        }
        sum
    }

    /// The latest answer of the main conversation: how full the window is now.
    pub const fn last(&self) -> Option<&Usage> {
        self.last.as_ref()
    }
}
