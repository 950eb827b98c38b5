// The TypeScript client of the Model Context Protocol against sites/exemplo: over HTTP, and over the bridge of `djo-host mcp`.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [url, host, packages] = process.argv.slice(2);
// Packages are where the script that runs this has put them.
const installed = createRequire(pathToFileURL(`${packages}/package.json`));
const load = (name) => import(pathToFileURL(installed.resolve(name)));
const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
const { StreamableHTTPClientTransport } = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");
const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");

async function converse(transport) {
  const client = new Client({ name: "doors", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert(tools.find((tool) => tool.name === "get_posts_by_id")?.outputSchema);
  // The client checks results against their schemas.
  for (const args of [{ id: "1" }, { id: "1", campos: "id,titulo" }]) {
    const result = await client.callTool({ name: "get_posts_by_id", arguments: args });
    assert.equal(result.structuredContent.id, 1);
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  }
  assert((await client.callTool({ name: "get_posts", arguments: {} })).structuredContent.resultado.length > 0);
  const refused = await client.callTool({ name: "get_posts_by_id", arguments: { numero: 1 } });
  assert(refused.isError && refused.content[0].text.includes("INVALID_ARGUMENTS"));
  await assert.rejects(client.callTool({ name: "nada_disso", arguments: {} }), { code: -32602 });
  const { resources } = await client.listResources();
  const { contents } = await client.readResource({ uri: resources[0].uri });
  assert(contents[0].text);
  assert((await client.listResourceTemplates()).resourceTemplates.length > 0);
  await client.close();
}

await converse(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
await converse(new StdioClientTransport({ command: host, args: ["mcp", url] }));
