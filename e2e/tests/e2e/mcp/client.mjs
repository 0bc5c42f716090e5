// The official MCP client against `sprag mcp`: connects as asked, lists everything, makes the calls, prints what came back.
// node client.mjs CLIENT_PACKAGE REQUEST.json
import { readFileSync } from "node:fs";

const [, , packageFolder, requestFile] = process.argv;
const { Client, StreamableHTTPClientTransport } = await import(`${packageFolder}/dist/index.mjs`);
const { StdioClientTransport } = await import(`${packageFolder}/dist/stdio.mjs`);
const request = JSON.parse(readFileSync(requestFile, "utf8"));

const client = new Client(
  { name: request.name ?? "conformance", version: "1" },
  { capabilities: request.roots ? { roots: {} } : {}, versionNegotiation: { mode: request.mode } },
);
if (request.roots) {
  client.setRequestHandler("roots/list", () => ({ roots: request.roots.map((uri) => ({ uri })) }));
}
const answers = { calls: [], reads: [], prompts: [] };
const caught = async (work) => {
  try {
    return await work();
  } catch (error) {
    return { failed: String(error.message ?? error), code: error.code };
  }
};
const transport = request.url
  ? new StreamableHTTPClientTransport(new URL(request.url), { requestInit: { headers: request.headers } })
  : new StdioClientTransport({ command: request.command, args: request.args, cwd: request.cwd, env: request.env });
await client.connect(transport);
answers.version = client.getNegotiatedProtocolVersion();
answers.era = client.getProtocolEra();
answers.instructions = client.getInstructions();
answers.server = client.getServerVersion();
answers.tools = (await client.listTools()).tools;
answers.resources = (await client.listResources()).resources;
answers.templates = (await client.listResourceTemplates()).resourceTemplates;
answers.promptList = (await client.listPrompts()).prompts;
for (const call of request.calls ?? []) {
  answers.calls.push(await caught(() => client.callTool(call)));
}
for (const uri of request.reads ?? []) {
  answers.reads.push(await caught(() => client.readResource({ uri })));
}
for (const prompt of request.prompts ?? []) {
  answers.prompts.push(await caught(() => client.getPrompt(prompt)));
}
await client.close();
process.stdout.write(JSON.stringify(answers));
