//! Caps of a project: set, reached, raised by a person and by nobody else.

use crate::cli_home::Home;
use serde_json::json;

#[test]
fn a_cap_is_set_and_raised_by_a_person_and_refused_inside_an_agent() {
    let home = Home::new();
    let inside = [("CLAUDECODE", "1")];
    assert!(home.run(&["limit"]).ok().contains("No cap is set"));
    for command in ["set", "raise"] {
        let refused = home.run_with(&["limit", command, "--day", "5 usd"], &inside).failed();
        assert!(refused.contains("inside an agent"), "{refused}");
    }
    assert_eq!(home.run(&["limit", "set", "--day", "lots"]).code, 2, "no amount");
    let _ = home.run(&["limit", "set", "--day", "5 usd"]).ok();
    let shown = home.run(&["limit", "--json"]).json();
    assert_eq!((&shown["on"], &shown["limits"][0]["cap"]), (&json!(true), &json!("$5.00")), "{shown:#}");
    let _ = home.run(&["limit", "raise", "--day", "9 usd"]).ok();
    let shown = home.run(&["limit", "--json"]).json();
    assert_eq!(
        (&shown["limits"][0]["cap"], &shown["limits"][0]["reached"]),
        (&json!("$9.00"), &json!(false))
    );
}
