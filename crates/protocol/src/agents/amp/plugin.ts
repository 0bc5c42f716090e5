// Hands the events of the agent to sprag and applies its answers. Whatever fails here is skipped: the agent goes on.
import { spawn } from "node:child_process"

const [program, ...words]: string[] = "__COMMAND__"
const timeouts: Record<string, number> = "__TIMEOUTS__"

export const description = "Guards, checks and memory by sprag"

function ask(event: string, cwd: string, payload: Record<string, unknown>): Promise<any> {
  if (!(event in timeouts)) return Promise.resolve({})
  return new Promise((resolve) => {
    const none = () => resolve({})
    try {
      const child = spawn(program, words, { cwd, stdio: ["pipe", "pipe", "ignore"] })
      const late = setTimeout(() => { child.kill(); none() }, timeouts[event] * 1000)
      let text = ""
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (more: string) => { text += more })
      child.on("error", () => { clearTimeout(late); none() })
      child.stdin.on("error", () => {})
      child.on("close", () => {
        clearTimeout(late)
        try { resolve(text.trim() ? JSON.parse(text) : {}) } catch { none() }
      })
      child.stdin.end(JSON.stringify({ hook_event_name: event, plugin_of: "amp", cwd, ...payload }))
    } catch { none() }
  })
}

const context = (answer: any) => answer.hookSpecificOutput?.additionalContext
const blocks = (answer: any) => answer.decision === "block"
const shown = (output: unknown) => (typeof output === "string" ? output : JSON.stringify(output ?? ""))

export default function (amp: any) {
  const root = () => {
    try {
      const uri = amp.system?.workspaceRoot
      return uri ? amp.helpers.filePathFromURI(uri) : process.cwd()
    } catch { return process.cwd() }
  }
  const seen = new Map<string, { told: string[]; held: boolean }>()
  const start = async (id: string) => {
    if (seen.has(id)) return
    seen.set(id, { told: [], held: false })
    const text = context(await ask("SessionStart", root(), { session_id: id, source: "startup" }))
    if (text) seen.get(id)?.told.push(text)
  }

  amp.on("session.start", async (event: any) => { await start(event.thread.id) })
  amp.on("agent.start", async (event: any) => {
    const id = event.thread.id
    await start(id)
    const session = seen.get(id)!
    const answer = await ask("UserPromptSubmit", root(), { session_id: id, prompt: event.message })
    const content = [...session.told.splice(0), context(answer)].filter(Boolean).join("\n\n")
    return content ? { message: { content, display: false } } : {}
  })
  amp.on("tool.call", async (event: any) => {
    const answer = await ask("PreToolUse", root(), {
      session_id: event.thread.id, tool_name: event.tool, tool_input: event.input, tool_use_id: event.toolUseID,
    })
    const said = answer.hookSpecificOutput ?? {}
    if (said.permissionDecision === "deny") {
      return { action: "reject-and-continue", message: said.permissionDecisionReason }
    }
    return said.updatedInput ? { action: "modify", input: said.updatedInput } : { action: "allow" }
  })
  amp.on("tool.result", async (event: any) => {
    if (event.status === "cancelled") return
    const name = event.status === "error" ? "PostToolUseFailure" : "PostToolUse"
    const answer = await ask(name, root(), {
      session_id: event.thread.id, tool_name: event.tool, tool_input: event.input, tool_use_id: event.toolUseID,
      tool_response: shown(event.output), error: event.error,
    })
    const changed = answer.hookSpecificOutput?.updatedToolOutput
    const more = [blocks(answer) && answer.reason, context(answer)].filter(Boolean)
    if (typeof changed !== "string" && more.length === 0) return
    const kept = typeof changed === "string" ? changed : shown(event.output)
    return { status: event.status, error: event.error, output: [kept, ...more].join("\n\n") }
  })
  amp.on("agent.end", async (event: any) => {
    const id = event.thread.id
    const session = seen.get(id) ?? { told: [], held: false }
    seen.set(id, session)
    if (event.status !== "done") return
    const answer = await ask("Stop", root(), { session_id: id, stop_hook_active: session.held })
    session.held = blocks(answer)
    if (session.held) return { action: "continue", userMessage: answer.reason }
  })
  amp.onDispose?.(async () => {
    const ends = [...seen.keys()].map((id) => ask("SessionEnd", root(), { session_id: id, reason: "other" }))
    await Promise.all(ends)
  })
}
