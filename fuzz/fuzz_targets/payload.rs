//! A payload of any agent, every answer to it, and what an external hook may print.
#![no_main]

use sprag_protocol::{AgentId, Decision, Verdict, answer, decode, dialects};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    for agent in AgentId::ALL {
        let Ok(event) = decode::decode(data, Some(agent), &|_| None) else { continue };
        let _ = (event.subjects(), event.tool_input().is_some());
        for decision in [Decision::Pass, Decision::Allow, Decision::Ask, Decision::Deny, Decision::Block] {
            let verdict = Verdict {
                decision,
                reason: Some("why".to_owned()),
                context: Some("context".to_owned()),
                ..Verdict::default()
            };
            let encoded = dialects::of(agent).answer(&event, &verdict);
            if let Some(text) = encoded.stdout.filter(|text| text.starts_with('{')) {
                serde_json::from_str::<serde_json::Value>(&text).expect("an answer is JSON");
            }
        }
        let output = String::from_utf8_lossy(data);
        for code in [0, 1, 2, 137] {
            let _ = answer::read(event.kind, &output, code, "stderr");
        }
    }
});
