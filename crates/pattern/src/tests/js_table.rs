//! Patterns with the answer that JavaScript's `String.prototype.match` gives: pattern, flags, text, text of the first match.
//! Node 20 gives the same, but for the last group: modifiers are newer, and it counts wide characters in halves.

use super::found;

#[test]
fn the_answers_of_javascript() {
    let table: serde_json::Value = serde_json::from_str(include_str!("js_table.json")).unwrap();
    let mut count = 0;
    for (group, rows) in table.as_object().unwrap() {
        for row in rows.as_array().unwrap() {
            let text = |at: usize| row[at].as_str().unwrap();
            let (source, letters) = (text(0), text(1));
            assert_eq!(
                found(source, letters, text(2)),
                row[3].as_str(),
                "{group}: /{source}/{letters} on {row}"
            );
            count += 1;
        }
    }
    assert!(count >= 260, "{count} rows");
}
