#!/usr/bin/env node
// @NAME@: runs on @EVENT@. @SUMMARY@
//
// The payload arrives on standard input as one JSON object, in Claude Code's shape whichever agent runs:
//   {"hook_event_name":"@EVENT@","session_id":"…","cwd":"…","transcript_path":"…", …}
//   tool events add "tool_name" and "tool_input", PostToolUse also "tool_response".
//   See one: sprag record on, then sprag record show; or `recorded` in docs/testing.md.
// The answer is one JSON object on standard output, or nothing to pass:
//   say no:     {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"why"}}
//   go on:      {"decision":"block","reason":"why"}                                     (Stop, PostToolUse, …)
//   tell model: {"hookSpecificOutput":{"hookEventName":"@EVENT@","additionalContext":"text"}}
//   tell user:  {"systemMessage":"text"}
// Exit code 2 with a text on standard error says no as well; any other failure is skipped and journaled.
// SPRAG_AGENT, SPRAG_EVENT and SPRAG_HOOK are set.

import { readFileSync } from "node:fs";

const TRIGGER = "@TRIGGER@";
const ANSWER = `@ANSWER@`;

const payload = JSON.parse(readFileSync(0, "utf8"));
const text = payload.tool_input?.command ?? payload.last_assistant_message ?? "";
if (text.includes(TRIGGER) && ANSWER) {
  console.log(ANSWER);
}
