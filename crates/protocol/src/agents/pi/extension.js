// Hands the events of the agent to sprag and applies its answers. Whatever fails here is skipped: the agent goes on.
import { spawn } from "node:child_process"

const [program, ...words] = "__COMMAND__"
const timeouts = "__TIMEOUTS__"

function ask(event, ctx, payload) {
  if (!(event in timeouts)) return Promise.resolve({})
  return new Promise((resolve) => {
    const none = () => resolve({})
    try {
      const base = {
        hook_event_name: event, plugin_of: "pi", session_id: ctx.sessionManager.getSessionId(), cwd: ctx.cwd,
        transcript_path: ctx.sessionManager.getSessionFile(),
      }
      const child = spawn(program, words, { cwd: ctx.cwd, stdio: ["pipe", "pipe", "ignore"] })
      const late = setTimeout(() => { child.kill(); none() }, timeouts[event] * 1000)
      let text = ""
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (more) => { text += more })
      child.on("error", () => { clearTimeout(late); none() })
      child.stdin.on("error", () => {})
      child.on("close", () => {
        clearTimeout(late)
        try { resolve(text.trim() ? JSON.parse(text) : {}) } catch { none() }
      })
      child.stdin.end(JSON.stringify({ ...base, ...payload }))
    } catch { none() }
  })
}

const context = (answer) => answer.hookSpecificOutput?.additionalContext
const blocks = (answer) => answer.decision === "block"

export default function (pi) {
  let told = []
  let held = false

  pi.on("session_start", async (event, ctx) => {
    told = [context(await ask("SessionStart", ctx, { source: event.reason }))]
  })
  pi.on("session_shutdown", async (event, ctx) => {
    await ask("SessionEnd", ctx, { reason: event.reason })
  })
  pi.on("input", async (event, ctx) => {
    held = false
    const answer = await ask("UserPromptSubmit", ctx, { prompt: event.text })
    if (blocks(answer)) {
      ctx.ui?.notify?.(answer.reason, "warning")
      return { action: "handled" }
    }
    told.push(context(answer))
  })
  pi.on("before_agent_start", async () => {
    const text = told.filter(Boolean).join("\n\n")
    told = []
    if (text) return { message: { customType: "sprag", content: text, display: false } }
  })
  pi.on("tool_call", async (event, ctx) => {
    const answer = await ask("PreToolUse", ctx, {
      tool_name: event.toolName, tool_input: event.input, tool_use_id: event.toolCallId,
    })
    const said = answer.hookSpecificOutput ?? {}
    if (said.permissionDecision === "deny") return { block: true, reason: said.permissionDecisionReason }
    if (said.updatedInput) {
      for (const key of Object.keys(event.input)) delete event.input[key]
      Object.assign(event.input, said.updatedInput)
    }
  })
  pi.on("tool_result", async (event, ctx) => {
    const shown = event.content.filter((part) => part.type === "text").map((part) => part.text).join("\n")
    const answer = await ask("PostToolUse", ctx, {
      tool_name: event.toolName, tool_input: event.input, tool_use_id: event.toolCallId, tool_response: shown,
    })
    const changed = answer.hookSpecificOutput?.updatedToolOutput
    const more = [blocks(answer) && answer.reason, context(answer)].filter(Boolean)
    if (typeof changed !== "string" && more.length === 0) return
    const kept = typeof changed === "string" ? [{ type: "text", text: changed }] : event.content
    return { content: [...kept, ...more.map((text) => ({ type: "text", text }))] }
  })
  pi.on("agent_before_settle", async (event, ctx) => {
    if (event.outcome !== "completed") return
    const answer = await ask("Stop", ctx, { stop_hook_active: held })
    if (!blocks(answer)) return
    held = true
    const entry = { type: "custom_message", customType: "sprag", content: answer.reason, display: true }
    return { continue: true, entries: [...event.entries, entry] }
  })
  pi.on("session_compact", async (_event, ctx) => {
    await ask("PostCompact", ctx, {})
  })
}
