import { afterEach, expect, it } from "vitest";
import { startMock } from "../testing/mock/index.js";
import { openModelFixture, sendStreamedAnswer } from "./model-testing.js";

const bench = openModelFixture();
afterEach(() => bench.close());
const { signal } = new AbortController();
const messages = [{ role: "user" as const, parts: ["Is it right?"] }];
const answer = {
  name: "verdict",
  schema: { type: "object", properties: {}, required: [], additionalProperties: false },
};

it("sends the system's own prompt first, then the question's, without an example", async () => {
  const server = await bench.serve((_, response) => sendStreamedAnswer(response, ["Yes."]));
  const system = bench.system(server, { systemPrompt: "Be brief.", buildMessages: () => [] });
  const output = await system.ask({ system: "You judge.", messages, answer }, signal);
  expect(output).toMatchObject({ response: "Yes.", usage: { input: 10, output: 5 } });
  expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({
    messages: [
      { role: "system", content: "Be brief.\n\nYou judge." },
      { role: "user", content: "Is it right?" },
    ],
    response_format: { type: "json_schema" },
  });
});

it("fails like a trial, and reports what was used", async () => {
  const server = await bench.serve((_, response) => response.writeHead(429, { "retry-after": "7" }).end("{}"));
  await expect(bench.system(server).ask({ messages }, signal)).rejects.toMatchObject({
    category: "rate_limit",
    retry: { afterMs: 7000 },
  });
});

it.each(["chat", "responses", "anthropic", "gemini"] as const)(
  "reads an answer with a shape in %s",
  async (dialect) => {
    const mock = await startMock({ reply: '{"score": 4}', tools: [{ name: "verdict", arguments: { score: 4 } }] });
    const baseUrl = dialect === "anthropic" || dialect === "gemini" ? mock.url : `${mock.url}/v1`;
    const system = bench.system({ url: baseUrl }, { dialect });
    const { response = "" } = await system.ask({ messages, answer }, signal);
    expect(JSON.parse(response)).toEqual({ score: 4 });
    await mock.close();
  },
);
