// Hands the events of the agent to sprag and applies its answers. Whatever fails here is skipped: the agent goes on.
import { spawn } from "node:child_process"

const [program, ...words] = "__COMMAND__"
const timeouts = "__TIMEOUTS__"

function ask(event, payload) {
  if (!(event in timeouts)) return Promise.resolve({})
  return new Promise((resolve) => {
    const none = () => resolve({})
    try {
      const child = spawn(program, words, { cwd: payload.cwd, stdio: ["pipe", "pipe", "ignore"] })
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
      child.stdin.end(JSON.stringify({ hook_event_name: event, plugin_of: "__AGENT__", ...payload }))
    } catch { none() }
  })
}

const context = (answer) => answer.hookSpecificOutput?.additionalContext
const blocks = (answer) => answer.decision === "block"

export const Sprag = async ({ client, directory }) => {
  const sessions = new Map()
  const of = (id) => {
    if (!sessions.has(id)) sessions.set(id, { parent: undefined, started: false, held: false })
    return sessions.get(id)
  }
  // A subagent has a session of its own; for sprag it is a part of its parent's.
  const base = (id) => {
    const parent = sessions.get(id)?.parent
    return parent ? { session_id: parent, agent_id: id, cwd: directory } : { session_id: id, cwd: directory }
  }
  const end = async (id, reason) => {
    const session = sessions.get(id)
    sessions.delete(id)
    if (session?.started && !session.parent) await ask("SessionEnd", { session_id: id, cwd: directory, reason })
  }

  return {
    "chat.message": async (input, output) => {
      const id = input.sessionID
      const session = of(id)
      const told = []
      const spoken = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = spoken.map((part) => part.text).join("\n")
      if (session.parent) {
        told.push(context(await ask("SubagentStart", { ...base(id), agent_type: input.agent ?? "" })))
      } else {
        if (!session.started) {
          session.started = true
          told.push(context(await ask("SessionStart", { ...base(id), source: "startup" })))
        }
        if (session.asked !== prompt) session.held = false
        session.asked = undefined
        const answer = await ask("UserPromptSubmit", { ...base(id), prompt })
        if (blocks(answer)) throw new Error(answer.reason)
        told.push(context(answer))
      }
      const first = output.parts[0]
      for (const text of told.filter(Boolean)) {
        const part = `prt_${Date.now().toString(36)}${Math.random().toString(36).slice(2, 12)}`
        output.parts.push({ id: part, sessionID: id, messageID: first?.messageID ?? output.message.id, type: "text", text, synthetic: true })
      }
    },

    "tool.execute.before": async (input, output) => {
      const answer = await ask("PreToolUse", {
        ...base(input.sessionID), tool_name: input.tool, tool_input: output.args, tool_use_id: input.callID,
      })
      const said = answer.hookSpecificOutput ?? {}
      if (said.permissionDecision === "deny") throw new Error(said.permissionDecisionReason)
      if (said.updatedInput) {
        for (const key of Object.keys(output.args)) delete output.args[key]
        Object.assign(output.args, said.updatedInput)
      }
    },

    "tool.execute.after": async (input, output) => {
      const answer = await ask("PostToolUse", {
        ...base(input.sessionID), tool_name: input.tool, tool_input: input.args, tool_use_id: input.callID,
        tool_response: output.output,
      })
      const changed = answer.hookSpecificOutput?.updatedToolOutput
      if (typeof changed === "string") output.output = changed
      for (const text of [blocks(answer) && answer.reason, context(answer)].filter(Boolean)) output.output += `\n\n${text}`
    },

    "experimental.session.compacting": async (input, output) => {
      const text = context(await ask("PreCompact", { ...base(input.sessionID), trigger: "auto" }))
      if (text) output.context.push(text)
    },

    event: async ({ event }) => {
      const id = event.properties?.sessionID ?? event.properties?.info?.id
      if (event.type === "session.created" && event.properties.info?.parentID) of(id).parent = event.properties.info.parentID
      if (event.type === "session.compacted") await ask("PostCompact", base(id))
      if (event.type === "session.error" && id) await ask("StopFailure", { ...base(id), error: String(event.properties.error?.name ?? "error") })
      if (event.type === "session.deleted") await end(id, "other")
      if (event.type !== "session.idle" || !sessions.has(id)) return
      const session = of(id)
      if (session.parent) {
        await ask("SubagentStop", base(id))
        return
      }
      const answer = await ask("Stop", { ...base(id), stop_hook_active: session.held })
      if (!blocks(answer)) return
      session.held = true
      session.asked = answer.reason
      await client.session.promptAsync({ path: { id }, body: { parts: [{ type: "text", text: answer.reason }] } })
    },

    dispose: async () => {
      for (const id of [...sessions.keys()]) await end(id, "other")
    },
  }
}
