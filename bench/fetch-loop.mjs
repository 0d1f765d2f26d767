// The least that a client of models must do: a pool of promises around `fetch`, undici or node:http. No harness.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { request as requestUndici, Agent as UndiciAgent } from "undici";

const [client, url, input, workers] = process.argv.slice(2);
const questions = readFileSync(input, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line).question);
const agent = new Agent({ keepAlive: true, maxSockets: Number(workers) });
const dispatcher = new UndiciAgent({ connections: Number(workers) });
let next = 0;
let bytes = 0;

const bodyOf = (question) =>
  JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: question }] });

const clients = {
  async fetch(body) {
    const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    return (await answer.text()).length;
  },
  async undici(body) {
    const headers = { "content-type": "application/json" };
    const answer = await requestUndici(url, { method: "POST", dispatcher, headers, body });
    return (await answer.body.text()).length;
  },
  http: (body) =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const asked = request(url, { method: "POST", agent, headers }, (answer) => {
        let size = 0;
        answer.on("data", (chunk) => {
          size += chunk.length;
        });
        answer.on("end", () => resolve(size));
      });
      asked.on("error", reject);
      asked.end(body);
    }),
};

async function worker() {
  while (next < questions.length) bytes += await clients[client](bodyOf(questions[next++]));
}

await Promise.all(Array.from({ length: Number(workers) }, worker));
agent.destroy();
console.log(JSON.stringify({ requests: questions.length, bytes }));
process.exit(0);
