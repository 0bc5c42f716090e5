#!/usr/bin/env node
// Adds --save-exact to `npm install NAME`. The answer holds the whole new input; the next hooks see it, and the guards look again.
import { readFileSync } from "node:fs";

const payload = JSON.parse(readFileSync(0, "utf8"));
const command = payload.tool_input?.command ?? "";
const install = /^npm (install|i|add) (?=[@a-z])/;

if (install.test(command) && !command.includes("--save-exact")) {
  const updatedInput = { ...payload.tool_input, command: command.replace(install, "$&--save-exact ") };
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput } }));
}
