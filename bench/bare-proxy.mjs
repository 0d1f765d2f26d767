// The least that a proxy must do: hands on the request and the answer, over connections that are kept.
import { Agent, createServer, request } from "node:http";

const { hostname, port } = new URL(process.argv[2]);
const agent = new Agent({ keepAlive: true });

const server = createServer((asked, answer) => {
  const { method, url, headers } = asked;
  const sent = request({ hostname, port, method, path: url, headers, agent }, (received) => {
    answer.writeHead(received.statusCode, received.headers);
    received.pipe(answer);
  });
  sent.on("error", (error) => answer.destroy(error));
  asked.pipe(sent);
});
process.on("SIGINT", () => process.exit());
server.listen(0, "127.0.0.1", () => console.log(`Listens on http://127.0.0.1:${server.address().port}/v1`));
