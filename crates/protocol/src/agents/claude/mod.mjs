// Made by `sprag plugin dir` with `[agents] mods = true`. It decides nothing and loosens nothing: the hooks in hooks.json and
// in the settings are asked as without it, and what they answered is given in a form that only a module can give. Whatever
// fails here is as if it were not there.

const PANE = "sprag";

// What a hook put in the place of an output whose shape a text does not have, by call.
const outputs = new Map();
// The call that the person is asked about, and what the pane says of it.
let asked;

// The text from sprag's own words on; undefined when it is somebody else's.
function said(text, head) {
  const at = typeof text === "string" ? text.indexOf(head) : -1;
  return at >= 0 && at < 80 ? text.slice(at) : undefined;
}

// The whole explanation of a stop, with what would be lost.
async function explained($, reason) {
  const id = /sprag why ([0-9a-z]+)/.exec(reason)?.[1];
  const why = id ? await $.process.run([PROGRAM, "why", id], { timeoutMs: 2000 }) : undefined;
  return why?.exitCode === 0 && why.stdout ? why.stdout : reason;
}

export function register(on) {
  on("classic.PostToolUse", async ($, e, next) => {
    const answer = await next(e);
    if (typeof answer?.updatedToolOutput === "string") outputs.set(e.tool_use_id, answer.updatedToolOutput);
    return answer;
  }).catch(($, e, next) => next(e));

  on("tool.check", async ($, e, next) => {
    const answer = await next(e);
    const reason = answer?.decision === "ask" ? said(answer.reason, "sprag asks") : undefined;
    if (reason) {
      asked = { call: e.tool_use_id, text: await explained($, reason) };
      await $.ui.open({ id: PANE, title: "sprag" });
    }
    return answer;
  }).catch(($, e, next) => next(e));

  on("ui.render", { component: "Pane" }, async ($, e, next) => {
    if (e.requestId !== PANE || !asked) return next(e);
    const { Box, Text } = $.ui.resolve(e);
    const lines = asked.text.split("\n").map((line) => h(Text, { wrap: "wrap" }, line || " "));
    return h(Box, { flexDirection: "column" }, ...lines);
  }).catch(($, e, next) => next(e));

  on("tool.call", async ($, e, next) => {
    const done = await next(e);
    const output = outputs.get(e.tool_use_id);
    outputs.delete(e.tool_use_id);
    if (asked?.call === e.tool_use_id) {
      asked = undefined;
      await $.ui.close({ id: PANE });
    }
    const outline = e.tool === "Read" && done?.isError ? said(done.text, "sprag answered this") : undefined;
    if (outline) {
      const lines = outline.split("\n").length;
      const file = { filePath: e.file_path, content: outline, numLines: lines, startLine: 1, totalLines: lines };
      return { result: { type: "text", file } };
    }
    // Where a result is a text, the agent took this one; else it would drop it and show the output.
    const dropped = output !== undefined && typeof done?.result !== "string" && !done?.deny;
    return dropped ? { deny: output } : done;
  }).catch(($, e, next) => next(e));
}
