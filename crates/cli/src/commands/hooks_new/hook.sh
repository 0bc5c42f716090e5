#!/bin/sh
# @NAME@: runs on @EVENT@. @SUMMARY@
#
# The payload arrives on standard input as one JSON object, in Claude Code's shape whichever agent runs:
#   {"hook_event_name":"@EVENT@","session_id":"…","cwd":"…","transcript_path":"…", …}
#   tool events add "tool_name" and "tool_input", PostToolUse also "tool_response".
#   See one: sprag record on, then sprag record show; or `recorded` in docs/testing.md.
# The answer is one JSON object on standard output, or nothing to pass:
#   say no:     {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"why"}}
#   go on:      {"decision":"block","reason":"why"}                                     (Stop, PostToolUse, …)
#   tell model: {"hookSpecificOutput":{"hookEventName":"@EVENT@","additionalContext":"text"}}
#   tell user:  {"systemMessage":"text"}
# Exit code 2 with a text on standard error says no as well; any other failure is skipped and journaled.
# SPRAG_AGENT, SPRAG_EVENT and SPRAG_HOOK are set. With jq: command=$(printf %s "$payload" | jq -r .tool_input.command)

payload=$(cat)
field='@FIELD@'
trigger='@TRIGGER@'
answer='@ANSWER@'

# Only the text of that field, up to its first quote; whatever has no such field passes.
case "$payload" in
*"$field"*) text=${payload#*"$field"} ;;
*) exit 0 ;;
esac
if [ -n "$field" ]; then
    text=${text#*\"}
    text=${text%%\"*}
fi

case "$text" in
*"$trigger"*)
    if [ -n "$answer" ]; then printf '%s\n' "$answer"; fi
    ;;
esac
