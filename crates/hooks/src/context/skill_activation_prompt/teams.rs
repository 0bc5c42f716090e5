//! How several agents could share a task, by what the prompt asks for. Pure.

/// Signals of a prompt and the way of working together that they speak for.
const WAYS: [(&str, &[&str], &str); 5] = [
    (
        "swarm",
        &["research", "investigate", "explore", "compare", "survey", "options", "alternatives"],
        "several agents look in different places at once, one puts the findings together",
    ),
    (
        "map-reduce",
        &[
            "all files", "every file", "each file", "across the codebase", "in parallel", "batch",
            "one by one",
        ],
        "one agent per part, one that joins the results",
    ),
    (
        "generator-critic",
        &["review", "critique", "improve", "iterate", "polish", "until it"],
        "one agent writes, another judges, until it holds",
    ),
    (
        "pipeline",
        &["first", "then", "after that", "finally", "stages", "step by step"],
        "one agent after another, each with the result of the one before",
    ),
    (
        "hierarchical",
        &["implement", "build", "feature", "frontend", "backend", "end to end", "full stack"],
        "one agent plans and hands parts to others",
    ),
];

/// Signals that are needed.
const ENOUGH: usize = 3;

/// A suggestion for a large task; `None` for most prompts.
pub(super) fn suggest(prompt: &str) -> Option<String> {
    // A short prompt is no large task, whatever words it has.
    if prompt.split_whitespace().count() < 12 {
        return None;
    }
    let lower = format!(" {} ", prompt.to_lowercase().replace([',', '.', ';', ':', '\n', '?', '!'], " "));
    let count = |words: &[&str]| words.iter().filter(|word| lower.contains(&format!(" {word} "))).count();
    let mut best: Option<(usize, &str, &str)> = None;
    for (name, words, how) in WAYS {
        let found = count(words);
        if found >= ENOUGH && best.is_none_or(|(most, _, _)| found > most) {
            best = Some((found, name, how));
        }
    }
    let (_, name, how) = best?;
    Some(format!(
        "The task looks like one for several agents ({name}: {how}). Ask the user before you start more than two."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_tasks_get_a_way_and_others_nothing() {
        let said = suggest(
            "Please research and compare the options for our message queue, investigate their limits, and give me a survey",
        );
        assert!(said.unwrap().contains("swarm"));
        let said = suggest(
            "Implement the feature for saved carts, backend and frontend, and build the settings page for it as well",
        );
        assert!(said.unwrap().contains("hierarchical"));
        assert_eq!(suggest("implement the feature, backend and frontend"), None, "short");
        assert_eq!(
            suggest("why does the total differ by a cent between the cart page and the invoice that we send"),
            None
        );
    }
}
