//! The last analysis, shared by those who ask about the same command.

use crate::model::{Analysis, Context};
use std::cell::RefCell;
use std::rc::Rc;

/// Remembers the last analysis. The hooks of one event ask about the same command: it is analysed once. Another command
/// (a rewritten one) or another context is analysed again, so an answer is never about something else.
#[derive(Debug, Default)]
pub struct AnalysisMemo {
    last: RefCell<Option<Remembered>>,
}

#[derive(Debug)]
struct Remembered {
    command: String,
    context: Context,
    analysis: Rc<Analysis>,
}

impl AnalysisMemo {
    /// [`analyse`](crate::analyse), or what it gave when the same was asked last.
    pub fn analyse(&self, command: &str, context: &Context) -> Rc<Analysis> {
        if let Some(last) = self.last.borrow().as_ref()
            && last.command == command
            && last.context == *context
        {
            return Rc::clone(&last.analysis);
        }
        let analysis = Rc::new(crate::analyse(command, context));
        self.last.replace(Some(Remembered {
            command: command.to_owned(),
            context: context.clone(),
            analysis: Rc::clone(&analysis),
        }));
        analysis
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_command_is_analysed_once_and_another_one_again() {
        let memo = AnalysisMemo::default();
        let at = |cwd: &str| Context { cwd: cwd.into(), home: "/h".into(), project_root: "/p".into() };
        let first = memo.analyse("rm a", &at("/p"));
        assert!(Rc::ptr_eq(&first, &memo.analyse("rm a", &at("/p"))));
        assert_eq!(memo.analyse("rm b", &at("/p")).line, "rm b", "a rewritten command");
        assert!(!Rc::ptr_eq(&first, &memo.analyse("rm a", &at("/q"))), "another folder");
    }
}
