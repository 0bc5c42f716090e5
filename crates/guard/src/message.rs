//! What a guard says when it stops something.

/// What, why, the safer way, and the rule's name for a person who wants to allow it.
pub fn sentence(reason: &str, safer: &str, rule: Option<&str>) -> String {
    let mut text = reason.to_owned();
    if !safer.is_empty() {
        text.push(' ');
        text.push_str(safer);
    }
    if let Some(rule) = rule {
        text.push_str(&format!(" [{rule}]"));
    }
    text
}
