//! Every pattern from its start over tool calls to its coordinator's stop, through the built program, on both
//! databases; and a test by name for each fault of the reference.

use crate::home::Home;
use serde_json::{Value, json};
use sprag_store::testing::{self, Server};
use std::path::Path;
use std::sync::Arc;

fn home(url: &str, backend: &'static str, server: Option<Arc<Server>>) -> Home {
    // A loaded machine is no slow server.
    let store =
        format!("[store]\nurl = \"{url}\"\nbudget_ms = 20000\n[hook.subagent-start]\nnews_seconds = 0\n");
    let home = Home { backend, server, ..Home::swarm(&store) };
    home.ok(&["store", "migrate"]);
    home
}

fn on_each(test: impl Fn(&Home)) {
    test(&home("sqlite", "sqlite", None));
    if let Some(server) = testing::server() {
        test(&home(&server.database(), "postgres", Some(server)));
    }
}

impl Home {
    fn starts(&self, agent: &str) -> String {
        let more = json!({ "agent_id": agent, "agent_type": "worker" });
        context(&self.event("SubagentStart", "lead", &[], &more))
    }

    fn stops(&self, agent: &str, message: &str) -> Value {
        let more = json!({ "agent_id": agent, "agent_type": "worker", "last_assistant_message": message });
        self.event("SubagentStop", "lead", &[], &more)
    }

    fn writes(&self, agent: &str, path: &str, content: &str) -> String {
        let path = self.shop().join(path);
        let more = json!({ "agent_id": agent, "agent_type": "worker", "tool_name": "Write",
            "tool_input": { "file_path": path, "content": content }, "tool_response": { "type": "create" } });
        context(&self.event("PostToolUse", "lead", &[], &more))
    }

    fn fails(&self, agent: &str) -> String {
        let more = json!({ "agent_id": agent, "agent_type": "worker", "tool_name": "Bash",
            "tool_input": { "command": "make" }, "error": "Exit code 2" });
        context(&self.event("PostToolUseFailure", "lead", &[], &more))
    }

    /// The coordinator wants to stop: why it may not.
    fn lead_stops(&self) -> Option<String> {
        blocked(&self.event("Stop", "lead", &[], &json!({ "last_assistant_message": "done" })))
    }

    fn start(&self, args: &[&str]) {
        let mut all = vec!["pattern", "start"];
        all.extend(args);
        all.extend(["--id", "r", "--session", "lead"]);
        self.ok(&all);
    }

    fn status(&self) -> Value {
        self.json(&["pattern", "status", "r", "--json"])
    }
}

fn context(answer: &Value) -> String {
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

/// The reason of a block, as the agent reads it: nothing else stops an agent.
fn blocked(answer: &Value) -> Option<String> {
    (answer["decision"] == "block").then(|| answer["reason"].as_str().unwrap().to_owned())
}

/// A member: what it is told at its start, what it does, its last words.
struct Member {
    told: &'static str,
    act: fn(&Home, &str) -> String,
    /// What it is shown after its tool call.
    shown: &'static str,
    says: &'static str,
}

fn idle(home: &Home, agent: &str) -> String {
    home.writes(agent, "notes.txt", "a note")
}

const fn member(told: &'static str, shown: &'static str, says: &'static str) -> Member {
    Member { told, act: idle, shown, says }
}

/// Walks one run: each member starts, calls a tool and stops; the coordinator is held before the last and told after it.
fn walk(args: &[&str], members: &[Member], result: &[&str]) {
    on_each(|home| {
        let what = format!("{args:?} on {}", home.backend);
        home.start(args);
        for (at, member) in members.iter().enumerate() {
            let agent = format!("a{at}");
            let told = home.starts(&agent);
            assert!(told.contains(member.told), "{what}: {told}");
            let shown = (member.act)(home, &agent);
            assert!(shown.contains(member.shown), "{what}: {agent} was shown {shown:?}");
            let held =
                home.lead_stops().unwrap_or_else(|| panic!("{what}: not held while {agent} is at work"));
            assert!(
                held.contains("is not complete") && held.contains("sprag pattern stop r"),
                "{what}: {held}"
            );
            assert_eq!(home.stops(&agent, member.says), Value::Null, "{what}");
        }
        assert_eq!(home.status()["complete"], true, "{what}: {:#}", home.status());
        let told = home.lead_stops().unwrap_or_else(|| panic!("{what}: the coordinator was not told"));
        for part in result {
            assert!(told.contains(part), "{what}: {part:?} is not in {told}");
        }
        assert_eq!(home.lead_stops(), None, "{what}: told once");
    });
}

#[test]
fn swarm_walks_to_its_end() {
    let broadcast: fn(&Home, &str) -> String = |home, agent| {
        home.ok(&["pattern", "post", "r", "the cart is mine", "--as", "somebody"]);
        idle(home, agent)
    };
    let members = [
        Member {
            told: "agent 1 of 2 in the swarm `r`",
            act: broadcast,
            shown: "the cart is mine",
            says: "first result",
        },
        Member { told: "first result", act: idle, shown: "", says: "second result" },
    ];
    walk(&["swarm", "--members", "2"], &members, &["All 2 agents", "first result", "second result"]);
}

#[test]
fn jury_walks_to_its_end() {
    let members = [
        member("juror 1 of 3", "", "The total is right.\nVOTE: approve"),
        member("do not coordinate", "", "**Vote:** reject, tests are missing"),
        member("juror 3 of 3", "", "VOTE: approve"),
    ];
    walk(
        &["jury", "--members", "3"],
        &members,
        &["approve 2, reject 1", "The verdict is approve", "tests are missing"],
    );
}

#[test]
fn pipeline_walks_to_its_end() {
    let members = [
        member("You are first", "", "the outline"),
        Member { told: "stage 1: the outline", act: idle, shown: "", says: "the text" },
        member("You are the last", "", "the final text"),
    ];
    let args = ["pipeline", "--seat", "outline", "--seat", "write", "--seat", "polish"];
    walk(&args, &members, &["3 stages", "stage 3: the final text"]);
}

#[test]
fn generator_critic_walks_to_its_end() {
    let members = [
        member("Make a first version", "", "version one"),
        member("version one", "", "REVISE: the total is wrong"),
        member("the total is wrong", "", "version two"),
        member("You are the critic of `r`, round 2", "", "Right now.\nAPPROVED"),
    ];
    walk(&["generator-critic"], &members, &["approved in round 2", "version two"]);
}

#[test]
fn hierarchical_walks_to_its_end() {
    let members =
        [member("You are a specialist", "", "part one"), member("report to the coordinator", "", "part two")];
    walk(&["hierarchical", "--members", "2"], &members, &["All 2 specialists", "part one", "part two"]);
}

#[test]
fn map_reduce_walks_to_its_end() {
    let map: fn(&Home, &str) -> String = |home, agent| home.writes(agent, "part.md", "forty herons");
    let members = [
        Member { told: "mapper 1 of 2", act: map, shown: "", says: "" },
        member("mapper 2 of 2", "", "two storks"),
    ];
    walk(&["map-reduce"], &members, &["Reduce their outputs", "forty herons", "two storks"]);
}

#[test]
fn blackboard_walks_to_its_end() {
    let put: fn(&Home, &str) -> String = |home, agent| home.writes(agent, "blackboard/api.md", "GET /cart");
    let wrong: fn(&Home, &str) -> String = |home, agent| home.writes(agent, "blackboard/api.md", "mine now");
    let members = [
        Member { told: "write the keys: api", act: put, shown: "", says: "done" },
        Member { told: "GET /cart", act: wrong, shown: "not yours", says: "done too" },
    ];
    walk(
        &["blackboard", "--seat", "api", "--seat", "schema"],
        &members,
        &["All 2 specialists", "- api: GET /cart"],
    );
}

#[test]
fn circuit_breaker_walks_to_its_end() {
    let fail: fn(&Home, &str) -> String = |home, agent| {
        assert_eq!(home.fails(agent), "");
        assert_eq!(home.fails(agent), "");
        home.fails(agent)
    };
    let members = [
        Member { told: "Your failures are counted", act: fail, shown: "is open", says: "make does not work" },
        Member { told: "the primary failed", act: idle, shown: "", says: "the simple way" },
    ];
    walk(&["circuit-breaker"], &members, &["3 failures", "fallback answered", "the simple way"]);
}

#[test]
fn chain_of_responsibility_walks_to_its_end() {
    let members = [
        member("handler 1 of 3", "", "ESCALATE: it is a database matter"),
        member("it is a database matter", "", "Fixed the index.\nRESOLVED"),
    ];
    walk(
        &["chain-of-responsibility", "--members", "3"],
        &members,
        &["resolved by handler 2", "database matter"],
    );
}

#[test]
fn adversarial_walks_to_its_end() {
    let members = [
        member("argue for it", "", "it is fast"),
        member("it is fast", "", "it is wrong"),
        member("it is wrong", "", "it can be put right"),
        member("You are the adversary in `r`, round 2 of 2", "", "at what cost"),
    ];
    walk(
        &["adversarial", "--rounds", "2"],
        &members,
        &["argued for 2 rounds", "at what cost", "it can be put right"],
    );
}

#[test]
fn event_driven_walks_to_its_end() {
    let publish: fn(&Home, &str) -> String = |home, agent| {
        home.ok(&["pattern", "post", "r", "build 7 is red", "--topic", "build"]);
        home.ok(&["pattern", "post", "r", "nobody asked", "--topic", "weather"]);
        let shown = idle(home, agent);
        assert!(!shown.contains("nobody asked"), "{shown}");
        assert_eq!(idle(home, agent), "", "an event is shown once");
        shown
    };
    let members =
        [Member { told: "for the events: build", act: publish, shown: "build 7 is red", says: "seen" }];
    walk(&["event-driven", "--seat", "build"], &members, &["1 subscribers", "2 events were published"]);
}

/// Each agent a process of its own, with its part in the environment: what the reference has.
#[test]
fn every_pattern_works_by_its_variables_in_separate_processes() {
    type Vars = &'static [(&'static str, &'static str)];
    let runs: [(Vars, Vars, Vars, &str, &str); 11] = [
        (
            &[("PATTERN_TYPE", "swarm"), ("SWARM_ID", "r")],
            &[("AGENT_ID", "a")],
            &[],
            "in the swarm `r`",
            "All 1 agents",
        ),
        (
            &[("PATTERN_TYPE", "jury"), ("JURY_ID", "r"), ("TOTAL_JURORS", "1")],
            &[("JUROR_INDEX", "0"), ("JURY_ISOLATION", "strict")],
            &[],
            "Isolation is strict",
            "The verdict is approve",
        ),
        (
            &[("PATTERN_TYPE", "pipeline"), ("PIPELINE_ID", "r"), ("PIPELINE_TOTAL_STAGES", "1")],
            &[("PIPELINE_STAGE_INDEX", "0")],
            &[],
            "stage 1 of 1",
            "The pipeline `r` is complete",
        ),
        (
            &[("PATTERN_TYPE", "generator_critic"), ("GC_ID", "r"), ("GC_MAX_ROUNDS", "1")],
            &[("AGENT_ROLE", "critic")],
            &[("AGENT_ROLE", "coordinator")],
            "You are the critic",
            "approved in round 1",
        ),
        (
            &[("PATTERN_TYPE", "hierarchical"), ("HIERARCHY_ID", "r")],
            &[
                ("AGENT_ROLE", "specialist"),
                ("AGENT_ID", "s"),
                ("COORDINATOR_ID", "boss"),
                ("HIERARCHY_LEVEL", "2"),
            ],
            &[("AGENT_ROLE", "coordinator")],
            "level 2) in the hierarchy `r`. Do your subtask only; your last message is your report to boss",
            "All 1 specialists",
        ),
        (
            &[("PATTERN_TYPE", "map_reduce"), ("MR_ID", "r"), ("TOTAL_MAPPERS", "1")],
            &[("AGENT_ROLE", "mapper"), ("MAPPER_INDEX", "0")],
            &[("AGENT_ROLE", "reducer")],
            "mapper 1 of 1",
            "Reduce their outputs",
        ),
        (
            &[("PATTERN_TYPE", "blackboard"), ("BLACKBOARD_ID", "r")],
            &[
                ("AGENT_ROLE", "specialist"),
                ("BLACKBOARD_WRITES_TO", "api"),
                ("BLACKBOARD_READS_FROM", "schema"),
            ],
            &[("AGENT_ROLE", "controller")],
            "write the keys: api; read: schema",
            "All 1 specialists",
        ),
        (
            &[("PATTERN_TYPE", "circuit_breaker"), ("CB_ID", "r")],
            &[("AGENT_ROLE", "primary"), ("CIRCUIT_STATE", "half_open")],
            &[("AGENT_ROLE", "coordinator")],
            "half open",
            "the circuit is",
        ),
        (
            &[("PATTERN_TYPE", "chain_of_responsibility"), ("COR_ID", "r"), ("CHAIN_LENGTH", "1")],
            &[("HANDLER_PRIORITY", "0"), ("COR_ESCALATE", "true")],
            &[],
            "handler 1 of 1",
            "nobody resolved it",
        ),
        (
            &[("PATTERN_TYPE", "adversarial"), ("ADV_ID", "r"), ("ADVERSARIAL_MAX_ROUNDS", "1")],
            &[("AGENT_ROLE", "advocate"), ("ADVERSARIAL_ROUND", "1")],
            &[("AGENT_ROLE", "judge")],
            "You are the advocate",
            "",
        ),
        (
            &[("PATTERN_TYPE", "event_driven"), ("EVENT_BUS_ID", "r")],
            &[("AGENT_ROLE", "subscriber"), ("SUBSCRIBER_EVENT_TYPES", "[\"build\"]")],
            &[("AGENT_ROLE", "coordinator")],
            "for the events: build",
            "All 1 subscribers",
        ),
    ];
    on_each(|place| {
        for (common, own, lead, told, result) in runs {
            let home = home_like(place);
            let (member, lead) = ([common, own].concat(), [common, lead].concat());
            let what = format!("{common:?} on {}", place.backend);
            let start = |session: &str, env: &[(&str, &str)]| {
                context(&home.event("SessionStart", session, env, &json!({ "source": "startup" })))
            };
            assert!(start("boss", &lead).contains("You coordinate"), "{what}");
            let heard = start("one", &member);
            assert!(heard.contains(told), "{what}: {heard}");
            let stop = |session: &str, env: &[(&str, &str)], text: &str| {
                home.event("Stop", session, env, &json!({ "last_assistant_message": text }))
            };
            let held = blocked(&stop("boss", &lead, "done")).unwrap_or_else(|| panic!("{what}: not held"));
            assert!(held.contains("is not complete"), "{what}: {held}");
            assert_eq!(stop("one", &member, "my part\nVOTE: approve"), Value::Null, "{what}");
            if common[0].1 == "adversarial" {
                let other = [common, &[("AGENT_ROLE", "adversary")]].concat();
                assert!(start("two", &other).contains("my part"), "{what}: the other side is heard");
                assert_eq!(stop("two", &other, "the other part"), Value::Null);
            }
            let end = blocked(&stop("boss", &lead, "done")).unwrap_or_else(|| panic!("{what}: not told"));
            assert!(end.contains(result) && end.contains("my part"), "{what}: {end}");
            assert_eq!(stop("boss", &lead, "done"), Value::Null, "{what}: told once");
        }
    });
}

/// Another home with the same kind of database.
fn home_like(place: &Home) -> Home {
    match &place.server {
        Some(server) => home(&server.database(), "postgres", Some(server.clone())),
        None => home("sqlite", "sqlite", None),
    }
}

/// Fault: a specialist had one key at its start and another at its end, so two that were done were "waiting for 2".
#[test]
fn fault_hierarchical_each_specialist_counts_once() {
    on_each(|home| {
        home.start(&["hierarchical"]);
        for agent in ["s1", "s2"] {
            home.starts(agent);
            home.stops(agent, "report");
            // The return of the call that started it adds nobody.
            let more = json!({ "tool_name": "Agent", "tool_input": { "prompt": "p" },
                "tool_response": { "status": "completed", "agentId": agent } });
            home.event("PostToolUse", "other", &[], &more);
        }
        let status = home.status();
        assert_eq!((&status["done"], &status["needed"]), (&json!(2), &json!(2)), "{}", home.backend);
        assert_eq!(status["waiting"], json!([]));
        assert!(home.lead_stops().unwrap().contains("All 2 specialists"));
        assert_eq!(home.lead_stops(), None, "not held for ever");
    });
}

/// Fault: the end of a mapper overwrote its stored output with nothing.
#[test]
fn fault_map_reduce_an_end_without_words_keeps_the_output() {
    on_each(|home| {
        home.start(&["map-reduce", "--members", "1"]);
        home.starts("m");
        home.writes("m", "out.md", "forty herons");
        home.stops("m", "");
        assert_eq!(home.status()["members"][0]["output"], "forty herons", "{}", home.backend);
    });
}

/// Fault: votes were never stored, so the verdict was a list of "(pending)".
#[test]
fn fault_jury_votes_are_stored_and_sealed_until_all_are_in() {
    on_each(|home| {
        home.start(&["jury", "--members", "2"]);
        home.starts("j1");
        home.stops("j1", "secret reason\nVOTE: approve");
        let status = home.status();
        assert_eq!(status["members"][0]["state"], "done");
        assert!(!status.to_string().contains("secret reason"), "{}: sealed: {status}", home.backend);
        assert!(!home.ok(&["pattern", "status", "r"]).contains("approve"));
        let told = home.starts("j2");
        assert!(!told.contains("secret reason"), "{told}");
        assert_eq!(home.writes("j2", "a.txt", "x"), "", "a juror is shown nothing");
        home.stops("j2", "VOTE: approve");
        assert_eq!(home.status()["members"][0]["vote"], "approve");
        assert!(home.lead_stops().unwrap().contains("The verdict is approve"));
    });
}

/// Fault: the table of broadcasts was never made, and every error was swallowed.
#[test]
fn fault_swarm_broadcasts_are_kept() {
    on_each(|home| {
        home.start(&["swarm", "--members", "2"]);
        home.starts("a");
        home.stops("a", "what a found");
        let posts = home.status()["posts"].clone();
        assert_eq!(posts[0]["text"], "what a found", "{}: {posts}", home.backend);
        assert!(home.starts("b").contains("what a found"));
    });
}

/// Fault: the end of a stage wrote nothing, and the summary said "complete: 0/2".
#[test]
fn fault_pipeline_the_end_of_a_stage_counts_and_names_the_next() {
    on_each(|home| {
        home.start(&["pipeline", "--members", "2"]);
        home.starts("p1");
        home.stops("p1", "the outline");
        let status = home.status();
        assert_eq!(
            (&status["done"], &status["next"]),
            (&json!(1), &json!("start stage 2 of 2")),
            "{}",
            home.backend
        );
        let more = json!({ "tool_name": "Agent", "tool_input": { "prompt": "p" },
            "tool_response": { "status": "completed", "agentId": "p1" } });
        let told = context(&home.event("PostToolUse", "lead", &[], &more));
        assert!(told.contains("Next: start stage 2 of 2"), "{told}");
    });
}

#[test]
fn a_coordinator_is_told_beside_the_last_result_or_with_the_next_prompt() {
    on_each(|home| {
        home.start(&["swarm", "--members", "1"]);
        home.starts("a");
        home.stops("a", "what a found");
        let more = json!({ "tool_name": "Agent", "tool_input": { "prompt": "p" },
            "tool_response": { "status": "completed", "agentId": "a" } });
        let told = context(&home.event("PostToolUse", "lead", &[], &more));
        assert!(told.contains("All 1 agents") && told.contains("what a found"), "{}: {told}", home.backend);
        assert_eq!(home.lead_stops(), None);
        assert_eq!(
            home.event("UserPromptSubmit", "lead", &[], &json!({ "prompt": "and now?" })),
            Value::Null
        );
    });
}

#[test]
fn a_run_that_a_person_starts_goes_to_the_first_session_that_starts_a_subagent() {
    on_each(|home| {
        home.ok(&["pattern", "start", "jury", "--members", "1", "--id", "r"]);
        let told = home.starts("j1");
        assert!(told.contains("juror 1 of 1"), "{}: {told}", home.backend);
        home.stops("j1", "VOTE: reject");
        let other = json!({ "agent_id": "x", "agent_type": "worker" });
        assert_eq!(context(&home.event("SubagentStart", "another", &[], &other)).find("juror"), None);
        assert!(home.lead_stops().unwrap().contains("The verdict is reject"));
    });
}

#[test]
fn a_juror_without_a_vote_is_asked_once_and_then_abstains() {
    on_each(|home| {
        home.start(&["jury", "--members", "1"]);
        home.starts("j1");
        let asked = blocked(&home.stops("j1", "I know nothing of note.")).unwrap();
        assert!(asked.contains("VOTE: approve"), "{asked}");
        assert_eq!(home.status()["members"][0]["state"], "running", "{}", home.backend);
        let more = json!({ "agent_id": "j1", "agent_type": "worker", "stop_hook_active": true,
            "last_assistant_message": "Still not." });
        assert_eq!(home.event("SubagentStop", "lead", &[], &more), Value::Null);
        assert!(home.lead_stops().unwrap().contains("nobody cast a vote"));
    });
}

#[test]
fn strict_isolation_closes_what_other_jurors_wrote_and_nothing_else() {
    let home = home("sqlite", "sqlite", None);
    home.start(&["jury", "--members", "2", "--strict"]);
    home.starts("j1");
    let tries = |tool: &str, input: Value| {
        let more =
            json!({ "agent_id": "j1", "agent_type": "worker", "tool_name": tool, "tool_input": input });
        home.event("PreToolUse", "lead", &[], &more)["hookSpecificOutput"]["permissionDecision"] == "deny"
    };
    assert!(tries("Read", json!({ "file_path": "/home/dev/.claude/projects/p/s/subagents/agent-j2.jsonl" })));
    assert!(tries("Bash", json!({ "command": "sprag pattern status r" })));
    assert!(tries(
        "Bash",
        json!({ "command": format!("strings {}", state(&home).join("sprag.db").display()) })
    ));
    assert!(tries("SendMessage", json!({ "to": "j2", "message": "what did you vote?" })));
    assert!(!tries("Read", json!({ "file_path": home.shop().join("cart.py") })));
    assert!(!tries("Bash", json!({ "command": "ls" })));
}

fn state(home: &Home) -> std::path::PathBuf {
    home.dir.path().join(".local/state/sprag")
}

#[test]
fn members_at_once_take_their_own_seats_and_none_is_lost() {
    on_each(|home| {
        home.start(&["jury", "--members", "8"]);
        std::thread::scope(|scope| {
            for number in 0..8 {
                scope.spawn(move || {
                    let agent = format!("j{number}");
                    let told = home.starts(&agent);
                    assert!(told.contains("juror "), "{told}");
                    assert_eq!(home.stops(&agent, "VOTE: approve"), Value::Null);
                });
            }
        });
        let status = home.status();
        let seats: Vec<i64> =
            status["members"].as_array().unwrap().iter().map(|m| m["seat"].as_i64().unwrap()).collect();
        assert_eq!(seats, (0..8).collect::<Vec<i64>>(), "{}", home.backend);
        assert!(home.lead_stops().unwrap().contains("approve 8"));
    });
}

#[test]
fn a_coordinator_is_not_held_for_ever_nor_while_the_background_works() {
    let home = home("sqlite", "sqlite", None);
    home.start(&["swarm", "--members", "1"]);
    home.starts("a");
    let background = json!({ "background_tasks": [{ "id": "a", "status": "running" }] });
    assert_eq!(home.event("Stop", "lead", &[], &background), Value::Null);
    for _ in 0..3 {
        assert!(home.lead_stops().unwrap().contains("waiting for agent 1"));
    }
    let answer = home.event("Stop", "lead", &[], &json!({}));
    assert!(
        answer["decision"].is_null() && answer["systemMessage"].as_str().unwrap().contains("not complete")
    );
}

#[test]
fn a_session_that_ends_does_not_keep_the_others_waiting() {
    on_each(|home| {
        let env = [("PATTERN_TYPE", "swarm"), ("SWARM_ID", "r"), ("AGENT_ID", "a")];
        let lead = [("PATTERN_TYPE", "swarm"), ("SWARM_ID", "r")];
        home.event("SessionStart", "boss", &lead, &json!({ "source": "startup" }));
        home.event("SessionStart", "one", &env, &json!({ "source": "startup" }));
        home.event("SessionEnd", "one", &env, &json!({ "reason": "other" }));
        home.ok(&["worker", "--once"]);
        assert_eq!(home.status()["members"][0]["state"], "failed", "{}", home.backend);
        let told = blocked(&home.event("Stop", "boss", &lead, &json!({}))).unwrap();
        assert!(told.contains("agent 1 [failed]"), "{told}");
    });
}

#[test]
fn what_the_store_did_not_take_is_sent_later() {
    let home = home("sqlite", "sqlite", None);
    home.start(&["jury", "--members", "1"]);
    home.starts("j1");
    let db = state(&home).join("sprag.db");
    let aside = db.with_extension("aside");
    for (from, to) in [("db", "aside"), ("db-wal", "aside-wal"), ("db-shm", "aside-shm")] {
        let _ = std::fs::rename(db.with_extension(from), db.with_extension(to));
    }
    std::fs::create_dir(&db).unwrap();
    assert_eq!(home.stops("j1", "VOTE: approve"), Value::Null);
    std::fs::remove_dir(&db).unwrap();
    for (from, to) in [("aside", "db"), ("aside-wal", "db-wal"), ("aside-shm", "db-shm")] {
        let _ = std::fs::rename(db.with_extension(from), db.with_extension(to));
    }
    assert!(!aside.exists());
    home.ok(&["worker", "--once"]);
    assert_eq!(home.status()["complete"], true);
}

#[test]
fn variables_that_do_not_add_up_are_named_to_the_user_and_stop_nothing() {
    let home = home("sqlite", "sqlite", None);
    let env = [("PATTERN_TYPE", "jury"), ("JURY_ID", "../../x")];
    let answer = home.event("SessionStart", "one", &env, &json!({ "source": "startup" }));
    assert!(answer["systemMessage"].as_str().unwrap().contains("JURY_ID may hold"), "{answer}");
    assert_eq!(home.event("Stop", "one", &env, &json!({})), Value::Null);
    assert!(!Path::new("../../x").exists());
}

#[test]
fn the_command_says_what_is_wrong_and_lists_what_there_is() {
    let home = home("sqlite", "sqlite", None);
    assert!(home.ok(&["pattern", "list"]).contains("no runs"));
    let wrong = home.run(&["pattern", "start", "jurry"], &[], "");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("circuit-breaker"));
    home.start(&["swarm"]);
    let again = home.run(&["pattern", "start", "swarm", "--id", "r"], &[], "");
    assert!(String::from_utf8_lossy(&again.stderr).contains("already"), "{again:?}");
    assert_eq!(home.json(&["pattern", "list", "--json"])["patterns"][0]["id"], "r");
    assert!(home.ok(&["pattern", "stop", "r"]).contains("is stopped"));
    assert_eq!(home.lead_stops(), None, "a stopped run holds nobody");
    let missing = home.run(&["pattern", "status", "nothing"], &[], "");
    assert_eq!(missing.status.code(), Some(1));
}
