import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import type { Example, TrialContext } from "../core/index.js";
import { UrlSystem } from "./url-system.js";

/** Serves a system that answers with this id. */
async function ask(example: Example, echo: (id: unknown) => unknown): Promise<unknown> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { id } = (await json(request)) as { id: unknown };
    response.end(JSON.stringify({ id: echo(id), response: "Paris" }));
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const system = new UrlSystem({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
  onTestFinished(async () => {
    await system.close();
    server.close();
  });
  const trial = { trial: 0, seed: 0, signal: new AbortController().signal } as TrialContext;
  return system.process(example, trial);
}

it.each([
  ["a number", 7, (id: unknown) => id],
  ["a number, as text", 7, String],
  ["text", "7", (id: unknown) => id],
  ["left out", 7, () => undefined],
])("accepts the id of the request: %s", async (_, id, echo) => {
  expect(await ask({ id, question: "Capital?" }, echo)).toMatchObject({ response: "Paris" });
});

it.each([
  ["another number", 7, () => 8],
  ["an object", 7, () => ({ id: 7 })],
])("refuses an answer to another request: %s", async (_, id, echo) => {
  await expect(ask({ id, question: "Capital?" }, echo)).rejects.toThrow(/but was asked 7/);
});
