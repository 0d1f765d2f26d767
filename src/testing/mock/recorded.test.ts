import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openClient, RecordedAnswers, recordTraffic } from "../../models/index.js";
import { TempProject } from "../temp-project.js";
import { type MockOptions, startMock } from "./server.js";

async function serve(options: MockOptions) {
  const mock = await startMock({ keepRequests: 0, ...options });
  onTestFinished(() => mock.close());
  return mock;
}

const ask = (content: string, stream: boolean) => ({ model: "m", stream, messages: [{ role: "user", content }] });

async function post(url: string, body: object, path = "/v1/chat/completions") {
  const answer = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
  return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
}

/** Records calls in two trials. */
async function record(bodies: readonly object[]) {
  const { dir } = new TempProject();
  const mock = await serve({ reply: "echo", chunkTokens: 1 });
  const traffic = recordTraffic({ dir, env: {} });
  const client = openClient({ wrap: traffic.wrap });
  const texts: string[] = [];
  for (const [i, body] of bodies.entries()) {
    const answer = await client.post({
      url: `${mock.url}/v1/chat/completions`,
      headers: {},
      body: JSON.stringify(body),
      signal: new AbortController().signal,
      trial: { system: "m", dataset: "", exampleId: i % 2, trial: 0 },
    });
    texts.push(await answer.text(1e6));
  }
  client.close();
  return { dir, texts };
}

describe("a mock that answers from cassettes", () => {
  it("gives the recorded bytes to any client, in their order and then again", async () => {
    const bodies = [ask("one", true), ask("two", false), ask("one", true)];
    const { dir, texts } = await record(bodies);
    expect(texts[0]).not.toBe(texts[2]);
    const { url } = await serve({ recorded: new RecordedAnswers(dir) });
    const answers = [];
    for (const body of [...bodies, ...bodies]) answers.push(await post(url, body));
    expect(answers.map(({ text }) => text)).toEqual([...texts, ...texts]);
    expect(answers.slice(0, 2).map(({ status, type }) => [status, type])).toEqual([
      [200, expect.stringContaining("text/event-stream")],
      [200, expect.stringContaining("application/json")],
    ]);
  });

  it("answers from one file, and says how another request differs", async () => {
    const { dir, texts } = await record([ask("one", true), ask("two", false)]);
    const file = readdirSync(dir).find((name) => name.startsWith("m.1.")) ?? "";
    const { url } = await serve({ recorded: new RecordedAnswers(join(dir, file)) });
    expect((await post(url, ask("two", false))).text).toBe(texts[1]);
    const { status, text } = await post(url, ask("three", false));
    expect(status).toBe(404);
    expect(JSON.parse(text).error.message).toMatch(
      /no recorded answer in .* It differs from call 1: messages\[0\]\.content: recorded "two", sent "three"/,
    );
    expect((await post(url, { model: "m", input: "x" }, "/v1/responses")).text).toContain("no call to that path");
  });

  it("answers a program that asks for no usage as the gateway would, which asks for it", async () => {
    const body = ask("one", true);
    const { dir, texts } = await record([{ ...body, stream_options: { include_usage: true } }]);
    expect(texts[0]).toContain('"choices":[]');
    const { url } = await serve({ recorded: new RecordedAnswers(dir) });
    const { status, text } = await post(url, body);
    expect(status).toBe(200);
    expect(text).not.toContain('"choices":[]');
    const events = (from = "") => from.split("\n\n").filter((event) => !event.includes('"choices":[]'));
    expect(events(text)).toEqual(events(texts[0]));
  });

  it("is refused without cassettes", () => {
    expect(() => new RecordedAnswers(new TempProject().dir)).toThrow(/has no cassettes/);
  });
});
