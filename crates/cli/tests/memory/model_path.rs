//! What the background worker makes of a model's answers: subagent-learning, session-summary and the lesson scan, as
//! processes, against a loopback endpoint.

use crate::cli_home::Home;
use serde_json::{Value, json};
use sprag_testkit::{Model, Request, Step, text};

const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
const REPORT: &str = "I looked at the payment flow for a while. Payment webhooks arrive more than once because the provider \
    retries; the handler must remember the event id, otherwise customers pay twice. Everything else was fine.";

/// A home whose model is this one.
fn home(model: &Model, more: &str) -> Home {
    let home = Home::new();
    let llm = format!("[llm]\nbackend = \"openai\"\nurl = {:?}\nmodel = \"small\"\n", model.url());
    home.write(".config/sprag/config.toml", &format!("version = 1\npreset = \"swarm\"\n{more}{llm}"));
    home
}

/// A model that always answers so.
fn answering(answer: &str) -> Model {
    let model = Model::start([text("unused")]);
    model.answer_aux(Step::from(text(answer)));
    model
}

fn learnings(home: &Home) -> Vec<String> {
    let all = home.run(&["memory", "list", "--json"]).json()["memories"].take();
    all.as_array().unwrap().iter().map(|memory| memory["text"].as_str().unwrap().to_owned()).collect()
}

fn asked(model: &Model) -> String {
    model.requests().iter().map(Request::text).collect::<Vec<_>>().join("\n----\n")
}

/// A subagent ends with these words; the worker sees to it.
fn subagent_says(home: &Home, words: &str) {
    let more = json!({"agent_id": "a1", "agent_type": "scout", "last_assistant_message": words});
    home.hook(&home.event("SubagentStop", more));
    home.run(&["worker", "--once"]).ok();
}

#[test]
fn a_subagents_learnings_are_the_models_and_its_question_holds_no_secret() {
    let model = answering(
        "Here:\n```json\n{\"learnings\": [\"The payment provider sends every webhook at least twice; keep its id.\"]}\n```",
    );
    let home = home(&model, "");
    subagent_says(&home, &format!("{REPORT} The token is {SECRET}, never print it."));
    assert_eq!(learnings(&home), ["The payment provider sends every webhook at least twice; keep its id."]);
    let asked = asked(&model);
    assert!(asked.contains("customers pay twice") && asked.contains("[secret removed]"), "{asked}");
    assert!(!asked.contains("ghp_0123"), "{asked}");
    assert_eq!(model.requests().len(), 1);
}

#[test]
fn what_the_filters_refuse_is_not_kept() {
    for answer in [
        "{\"learnings\": []}",
        "No significant learnings.",
        "{\"learnings\": [\"No significant learnings from this session, because it was short.\"]}",
        "{\"learnings\": [\"Invalid API key, you must log in again · Please run /login\", \"API Error: 529 overloaded, try later\"]}",
        "{\"learnings\": [\"\", \"short\", 7, null, \"TODO: look at the webhooks again when there is time\"]}",
    ] {
        let model = answering(answer);
        let home = home(&model, "");
        subagent_says(&home, REPORT);
        assert_eq!(learnings(&home), Vec::<String>::new(), "{answer}");
        assert_eq!(model.requests().len(), 1, "{answer}");
    }
}

#[test]
fn at_most_three_and_one_that_is_known_is_kept_once() {
    let many = [
        "The database must be migrated before the tests run.",
        "Prices are whole cents; floats lose one in rounding.",
        "The release script only works from the main branch.",
        "A fourth learning about the delta service is too many.",
    ];
    let model = answering(&json!({ "learnings": many }).to_string());
    let home = home(&model, "");
    subagent_says(&home, REPORT);
    let first = learnings(&home);
    assert!(first.len() == 3 && !first.iter().any(|text| text.contains("delta")), "{first:?}");
    subagent_says(&home, &format!("{REPORT} And again."));
    assert_eq!(learnings(&home).len(), first.len(), "met again, not kept again");
}

#[test]
fn a_model_that_fails_costs_no_learning_and_its_error_is_none() {
    let failing = Model::start([text("unused")]);
    failing.answer_aux(Step::error(500, "upstream must be restarted because it is down"));
    for model in
        [failing, answering("I'm sorry, the request could not be processed because of an outage, try again.")]
    {
        let home = home(&model, "");
        subagent_says(&home, REPORT);
        let kept = learnings(&home);
        assert_eq!(kept.len(), 1, "{kept:?}");
        assert!(kept[0].contains("the handler must remember the event id"), "by its signs: {kept:?}");
    }
}

/// A transcript of Claude Code with these turns.
fn transcript(session: &str, turns: &[(&str, &str)]) -> String {
    let line = |(at, (role, said)): (usize, &(&str, &str))| {
        let message = json!({"id": format!("m{at}"), "role": role, "model": "claude-sonnet-4-5",
            "content": [{"type": "text", "text": said}]});
        json!({"type": role, "uuid": format!("u{at}"), "sessionId": session, "cwd": "/p",
            "timestamp": "2026-11-15T09:00:00Z", "message": message})
        .to_string()
    };
    turns.iter().enumerate().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn a_sessions_summary_is_the_models_and_only_what_the_agent_said_is_asked_about() {
    let model = answering(
        "{\"learnings\": [\"Prices are whole cents in this project; floats lose one in rounding.\"]}",
    );
    let home = home(&model, "");
    let said = format!("{REPORT} The key {SECRET} must stay out of the log.");
    let turns = [("user", "a question of the person that is not to be sent"), ("assistant", said.as_str())];
    let file = home.write("t.jsonl", &transcript("s1", &turns));
    home.hook(&home.event("SessionEnd", json!({"reason": "other", "transcript_path": file})));
    home.run(&["worker", "--once"]).ok();
    let kept = learnings(&home);
    assert_eq!(kept, ["Prices are whole cents in this project; floats lose one in rounding."]);
    let about: Vec<String> = model
        .requests()
        .iter()
        .map(Request::text)
        .filter(|text| text.contains("Write down what later sessions"))
        .collect();
    assert_eq!(about.len(), 1, "an end is looked at once");
    assert!(
        about[0].contains("customers pay twice") && !about[0].contains("question of the person"),
        "{}",
        about[0]
    );
    assert!(about[0].contains("[secret removed]") && !asked(&model).contains("ghp_0123"));
}

fn candidates(home: &Home) -> Vec<Value> {
    home.run(&["lessons", "list", "--status", "all", "--json"]).json()["lessons"].as_array().unwrap().clone()
}

/// A session that is over, where Claude Code keeps them.
fn old_session(home: &Home) {
    let secret = format!("I use the token {SECRET} for that.");
    let turns = [
        ("user", "run the tests please"),
        ("assistant", "I ran git stash first."),
        ("user", "no, that swept up the work of the other session"),
        ("assistant", secret.as_str()),
        ("user", "commit to a branch of your own instead"),
        ("assistant", "Done, on a branch."),
    ];
    let file = home.write(".claude/projects/-p/s1.jsonl", &transcript("s1", &turns));
    let hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3_600);
    std::fs::File::options().write(true).open(file).unwrap().set_modified(hour_ago).unwrap();
}

const LESSON: &str = r#"{"candidates": [{"type": "user_correction", "scope": "project", "recommended_lesson_type": "guard",
    "confidence": 0.9, "summary": "Do not stash in a shared checkout",
    "problem": "git stash swept up the changes of another session and they were lost.",
    "solution": "Commit to a branch of your own and leave the stash alone.", "tool_names": ["Bash"],
    "command_patterns": ["\\bgit\\s+stash\\b"]}, {"problem": "half a candidate"}, "none at all"]}"#;

#[test]
fn the_scans_model_gives_candidates_that_wait_for_a_person() {
    let model = answering(LESSON);
    let home = home(&model, "[hook.session-start-scan]\nmodel = true\nheuristics = false\n");
    old_session(&home);
    home.hook(&home.event("SessionStart", json!({"source": "startup"})));
    home.run(&["worker", "--once"]).ok();
    let found = candidates(&home);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["status"], "candidate");
    assert_eq!(found[0]["summary"], "Do not stash in a shared checkout");
    let asked = asked(&model);
    assert!(
        asked.contains("swept up the work of the other session") && asked.contains("[secret removed]"),
        "{asked}"
    );
    assert!(!asked.contains("ghp_0123"), "{asked}");
    // Nothing counts before a person says so, and a session that was read is not read again.
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "git stash"}});
    assert!(!home.hook(&home.event("PreToolUse", call)).contains("stash alone"));
    home.run(&["lessons", "scan", "--model"]).ok();
    assert_eq!(model.requests().iter().filter(|request| request.text().contains("<session>")).count(), 1);
}

#[test]
fn without_being_asked_for_the_scan_asks_no_model_and_a_failing_one_is_asked_again_later() {
    let quiet = answering(LESSON);
    let home_without = home(&quiet, "[hook.session-start-scan]\nheuristics = false\n");
    old_session(&home_without);
    home_without.hook(&home_without.event("SessionStart", json!({"source": "startup"})));
    home_without.run(&["worker", "--once"]).ok();
    assert!(!asked(&quiet).contains("<session>"));
    assert!(candidates(&home_without).is_empty());

    let model = Model::start([text("unused")]);
    model.answer_aux(Step::error(500, "down"));
    let home = home(&model, "[hook.session-start-scan]\nmodel = true\nheuristics = false\n");
    old_session(&home);
    home.hook(&home.event("SessionStart", json!({"source": "startup"})));
    home.run(&["worker", "--once"]).ok();
    assert!(candidates(&home).is_empty());
    model.answer_aux(Step::from(text(LESSON)));
    home.run(&["lessons", "scan", "--model"]).ok();
    assert_eq!(candidates(&home).len(), 1);
}
