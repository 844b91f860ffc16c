// A walk over a Gossamer server with the official TypeScript SDK; prints what it saw as one JSON object.
// The task, as JSON in the last argument: sdk (v1, v2), era (legacy, modern), and a command with env, or a url with a token.

const task = JSON.parse(process.argv.at(-1));

const SDKS = {
  v1: async () => {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    return {
      client: new Client(WHO),
      StdioClientTransport,
      StreamableHTTPClientTransport,
      call: (client, name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
      version: () => undefined,
    };
  },
  v2: async () => {
    const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    const mode = task.era === "modern" ? { pin: "2026-07-28" } : "legacy";
    return {
      client: new Client(WHO, { versionNegotiation: { mode } }),
      StdioClientTransport,
      StreamableHTTPClientTransport,
      call: (client, name, args, options) => client.callTool({ name, arguments: args }, options),
      version: (client) => client.getNegotiatedProtocolVersion(),
    };
  },
};
const WHO = { name: "gossamer-tests", version: "1" };

const sdk = await SDKS[task.sdk]();
const { client } = sdk;
const call = (name, args, options) => sdk.call(client, name, args, options);
const failure = (promise) =>
  promise.then(
    (result) => ({ name: "none", result }),
    (error) => ({ name: error.name, code: error.code, message: String(error.message) }),
  );

function transport() {
  if (task.url) {
    const headers = task.token ? { Authorization: `Bearer ${task.token}` } : {};
    return new sdk.StreamableHTTPClientTransport(new URL(task.url), { requestInit: { headers } });
  }
  const [command, ...args] = task.command;
  return new sdk.StdioClientTransport({ command, args, env: task.env, stderr: "inherit" });
}

const hungUp = async () => (await fetch(`${task.slow}/left`)).ok;

// Calls for a page that never comes, and leaves: how the call ended, and whether the server stopped fetching for it.
// Without a session no cancellation of the old protocol finds its call over HTTP; there it ends with its connection.
async function cancelled() {
  const stop = new AbortController();
  const ending = failure(call("web_fetch", { url: `${task.slow}/slow` }, { signal: stop.signal }));
  const asked = (await fetch(`${task.slow}/asked`)).ok;
  stop.abort("the reader left");
  const ended = { asked, error: await ending };
  return task.url && task.era === "legacy" ? ended : { ...ended, stopped: await hungUp() };
}

const seen = {};
await client.connect(transport());
seen.version = sdk.version(client);
seen.server = client.getServerVersion();
seen.capabilities = client.getServerCapabilities();
seen.instructions = client.getInstructions();
seen.tools = (await client.listTools()).tools;
seen.progress = [];
const onprogress = ({ progress, message }) => seen.progress.push({ progress, message });
seen.web_search = await call("web_search", { query: task.query, fetch_content: true }, { onprogress });
const [url] = seen.web_search.structuredContent.results.map((found) => found.url);
seen.web_fetch = await call("web_fetch", { url });
seen.web_read = await call("web_read", { urls: [url], queries: [task.query] });
seen.web_answer = await call("web_answer", { question: task.question });
seen.invalid = await call("web_search", { query: task.query, results_count: 1000 });
seen.refused = await call("web_fetch", { url: "http://169.254.169.254/latest/" });
seen.unknown = await failure(call("no_such_tool", {}));
seen.prompts = (await client.listPrompts()).prompts;
seen.prompt = await client.getPrompt({ name: "research", arguments: { topic: task.query } });
seen.resources = (await client.listResources()).resources;
seen.resource = seen.resources.length ? await client.readResource({ uri: seen.resources[0].uri }) : null;
seen.missing = await failure(client.readResource({ uri: "gossamer://page/none" }));
seen.cancelled = await cancelled();
seen.after = await call("web_fetch", { url });
await client.close();
seen.cancelled.stopped ??= await hungUp();
console.log(JSON.stringify(seen));
