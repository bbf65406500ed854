// Asks an MCP server everything it offers, with the official TypeScript packages.
//
//     client.mjs MODE URL
//     client.mjs MODE COMMAND [ARGUMENT…]
//
// MODE is `legacy` (a handshake, with @modelcontextprotocol/sdk) or a version such as 2026-07-28
// (with @modelcontextprotocol/client). A URL is asked over streamable HTTP, with the token in
// MCP_TOKEN if there is one. MCP_CLIENTS is the folder in which the packages are installed. What
// came back is printed as JSON; the packages check results against their schemas.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [mode, ...words] = process.argv.slice(2);
const require = createRequire(`${process.env.MCP_CLIENTS}/`);
const isLegacy = mode === "legacy";
const packageOf = isLegacy
  ? {
      ...require("@modelcontextprotocol/sdk/client/index.js"),
      ...require("@modelcontextprotocol/sdk/client/stdio.js"),
      ...require("@modelcontextprotocol/sdk/client/streamableHttp.js"),
    }
  : {
      ...require("@modelcontextprotocol/client"),
      ...require("@modelcontextprotocol/client/stdio"),
    };

function transport() {
  if (/^https?:/.test(words[0])) {
    const token = process.env.MCP_TOKEN;
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    return new packageOf.StreamableHTTPClientTransport(new URL(words[0]), {
      requestInit: { headers },
    });
  }
  const [command, ...args] = words;
  return new packageOf.StdioClientTransport({ command, args, env: process.env });
}

const options = isLegacy ? {} : { versionNegotiation: { mode: { pin: mode } } };
const client = new packageOf.Client({ name: "check", version: "1" }, options);
await client.connect(transport());

const calls = JSON.parse(readFileSync(new URL("calls.json", import.meta.url), "utf8"));
const seen = {
  version: isLegacy ? client.transport.protocolVersion ?? null : client.getNegotiatedProtocolVersion(),
  server: client.getServerVersion().name,
  instructions: client.getInstructions(),
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name),
  calls: [],
};
for (const [name, args] of calls) {
  const result = await client.callTool({ name, arguments: args });
  seen.calls.push({
    tool: name,
    error: result.isError === true,
    structured: result.structuredContent,
    content: result.content.map((block) => block.type),
  });
}
seen.template = (await client.listResourceTemplates()).resourceTemplates[0].uriTemplate;
seen.uri = (await client.listResources()).resources[0].uri;
seen.text = (await client.readResource({ uri: seen.uri })).contents[0].text;
try {
  await client.readResource({ uri: `${seen.uri}.gone` });
} catch (error) {
  seen.gone = error.code;
}
const prompt = await client.getPrompt({ name: "answer_from_notes", arguments: { question: "Who?" } });
seen.prompt = prompt.messages[0].content.text;
await client.close();
console.log(JSON.stringify(seen));
