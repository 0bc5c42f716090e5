//! Operators and the words that stand between values or before them, and where each of them may be.
//! What cannot stand where it stands is left to the parser, which says what is wrong.

use super::Reader;
use super::token::{Kind, Token};
use super::walk::{Place, Step};

impl Reader<'_> {
    /// Operators and the words between values. The number of the token that comes next.
    pub(super) fn operator(&mut self, at: usize, token: Token, step: &mut Step) -> Option<usize> {
        let following = self.token(at + 1).kind;
        let top = self.frames.last_mut()?;
        let parameters = matches!(top.place, Place::Parameters | Place::Lambda);
        let starts = matches!(
            step.before,
            Kind::Edge
                | Kind::Comma
                | Kind::Round
                | Kind::Square
                | Kind::Curly
                | Kind::HoleOpen
                | Kind::Lambda
        );
        // The name of a parameter is alone until its annotation or its value.
        let tight = matches!(token.kind, Kind::Tilde | Kind::Sign | Kind::Await | Kind::Lambda | Kind::Not);
        if top.names_parameter() && (!step.want || tight) {
            return None;
        }
        let mut next = at + 1;
        match token.kind {
            Kind::Sign => step.want = true,
            Kind::Tilde | Kind::Await => {
                if !step.want {
                    return None;
                }
            }
            Kind::Star | Kind::Slash | Kind::Power if parameters && step.want && starts => {
                let alone = matches!(following, Kind::Comma | Kind::Colon | Kind::RoundEnd);
                let named = following == Kind::Name;
                let allowed = match token.kind {
                    Kind::Slash => alone,
                    Kind::Power => named,
                    _ => alone || named,
                };
                if !allowed {
                    return None;
                }
                top.doubled = true;
                step.want = !alone;
            }
            Kind::Star if step.want => {
                let annotates = top.place == Place::Parameters && step.before == Kind::Colon;
                // Outside of lists and arguments, only what can be assigned to is taken apart.
                let outside = matches!(
                    top.place,
                    Place::One | Place::Several | Place::Items | Place::Raise | Place::Index
                );
                if outside && following != Kind::Name {
                    return None;
                }
                if !starts && !annotates && !matches!(step.before, Kind::In | Kind::For) {
                    return None;
                }
            }
            Kind::Power if step.want => {
                let allowed = matches!(top.place, Place::Arguments | Place::Curly | Place::TypeParameters);
                if !starts || !allowed {
                    return None;
                }
                top.doubled = true;
            }
            Kind::Star | Kind::Slash | Kind::Power | Kind::Operator | Kind::Compare | Kind::At => {
                if step.want {
                    return None;
                }
                step.want = true;
            }
            Kind::And | Kind::Or => {
                if step.want {
                    return None;
                }
                step.want = true;
            }
            Kind::Not if step.want => {
                if step.before.binds() {
                    return None;
                }
            }
            Kind::Not => {
                if following != Kind::In {
                    return None;
                }
                next += 1;
                step.want = true;
            }
            Kind::In => {
                // `for x, in pairs`
                if step.want && !(top.targets && step.before == Kind::Comma) {
                    return None;
                }
                top.targets = false;
                step.want = true;
            }
            Kind::Is => {
                if step.want {
                    return None;
                }
                if following == Kind::Not {
                    next += 1;
                }
                step.want = true;
            }
            Kind::If => {
                if step.want || top.targets {
                    return None;
                }
                top.ifs += 1;
                step.want = true;
            }
            Kind::Else => {
                if step.want {
                    return None;
                }
                top.ifs = top.ifs.checked_sub(1)?;
                step.want = true;
            }
            Kind::Async => {
                if step.want || following != Kind::For {
                    return None;
                }
            }
            Kind::For => {
                let bracket =
                    matches!(top.place, Place::Arguments | Place::Group | Place::List | Place::Curly);
                if step.want || !bracket || top.targets || (top.ifs > 0 && !top.comprehends) {
                    return None;
                }
                if top.several && !top.comprehends || top.equals || top.doubled {
                    return None;
                }
                top.colons = 1;
                top.comprehends = true;
                top.targets = true;
                step.want = true;
                let mut within = at + 1;
                while !matches!(self.token(within).kind, Kind::In | Kind::Edge) {
                    within = self.behind(within);
                }
                self.targets(at + 1, within)?;
            }
            Kind::Lambda => {
                if !step.want || step.before.binds() {
                    return None;
                }
                self.enter(Place::Lambda, at);
            }
            Kind::Yield => {
                let allowed = match top.place {
                    Place::Several => step.before == Kind::Edge,
                    Place::Group => step.before == Kind::Round,
                    _ => false,
                };
                if !allowed {
                    return None;
                }
                if following == Kind::From {
                    next += 1;
                }
            }
            Kind::From => {
                if step.want || top.place != Place::Raise {
                    return None;
                }
                step.want = true;
            }
            Kind::As => {
                let with = self.frames.first().is_some_and(|first| first.place == Place::Items);
                let place = self.frames.last()?.place;
                if step.want || !with || !matches!(place, Place::Items | Place::Group) {
                    return None;
                }
                step.want = true;
            }
            Kind::Walrus => {
                let bound =
                    step.chain.checked_sub(1).is_some_and(|before| self.lexer.token(before).kind.binds());
                let named = step.before == Kind::Name && step.chain + 1 == at && !bound;
                if !named || parameters || matches!(top.place, Place::Hole | Place::Several) {
                    return None;
                }
                step.want = true;
            }
            _ => return None,
        }
        Some(next)
    }
}
