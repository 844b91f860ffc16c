// A keep-alive reverse proxy on node's http module, as small as people write them: all requests share one connection.
// The last argument is the port of the server behind it; prints its own port when it listens.

import http from "node:http";

const port = Number(process.argv.at(-1));
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

// Each chunk is an object to node, and room is counted in bytes: with the usual 64 KiB tiny chunks would fill its memory.
const proxy = http.createServer({ highWaterMark: 4096 }, (request, response) => {
  const { method, url: path, headers } = request;
  const onward = http.request({ host: "127.0.0.1", port, agent, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.on("error", () => response.destroy());
    answer.pipe(response);
  });
  onward.on("error", () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  response.on("close", () => response.writableFinished || onward.destroy());
  onward.on("socket", () => request.pipe(onward)); // before it has the connection it would keep all that comes
});

proxy.listen(0, "127.0.0.1", () => console.log(proxy.address().port));
