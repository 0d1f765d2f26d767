import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Price } from "../../core/price.js";
import { type DialectName, dialects } from "../../models/dialects/index.js";
import { type Gateway, type GatewayOptions, type GatewayRequest, startGateway } from "./index.js";

/** For the tests: prices that tell the classes apart. */
export const PRICE: Price = {
  input: 300_000,
  output: 1_200_000,
  cacheRead: 30_000,
  cacheWrite: 375_000,
  cacheWrite1h: 600_000,
  source: "test",
};

/** Ends what a test has started, the latest first. */
export class Closers {
  readonly #all: (() => Promise<void>)[] = [];

  add<T extends { close(): Promise<void> }>(thing: T): T {
    this.#all.push(() => thing.close());
    return thing;
  }

  async closeAll(): Promise<void> {
    for (const close of this.#all.splice(0).reverse()) await close();
  }
}

/** A gateway before one upstream that stands for all providers, and what it says of each request. */
export async function gatewayBefore(url: string, options: GatewayOptions = {}) {
  const finished: GatewayRequest[] = [];
  const gateway = await startGateway({
    upstreams: { openai: `${url}/v1`, anthropic: url, google: url },
    priceOf: () => PRICE,
    onRequest: (request) => finished.push(request),
    env: {},
    ...options,
  });
  return { gateway, finished, close: () => gateway.close() };
}

/** A request as it arrived upstream. */
export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A server that keeps what it gets and answers as it is told, byte by byte where that matters. */
export async function scriptedUpstream(answer: (response: ServerResponse, arrived: Arrived) => void) {
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
      arrived.push(one);
      answer(response, one);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

const MOUNTS = { chat: "/openai/v1", responses: "/openai/v1", anthropic: "/anthropic/v1", gemini: "/google" } as const;

/** Where a client of the dialect sends its requests. */
export function addressOf({ url }: Gateway, name: DialectName, stream: boolean, model = "m"): string {
  return url + MOUNTS[name] + dialects[name].path(model, stream).replace(/^\/v1\//, "/");
}

/** A request as a client of the dialect makes it. */
export function requestOf(name: DialectName, stream: boolean, model = "m"): RequestInit {
  const dialect = dialects[name];
  const body = dialect.body({ model, messages: [{ role: "user", parts: ["hello there"] }], maxTokens: 5000, stream });
  return {
    method: "POST",
    headers: { "content-type": "application/json", ...dialect.headers("key") },
    body: JSON.stringify(body),
  };
}

/** Asks once and waits for the whole answer. */
export async function ask(gateway: Gateway, name: DialectName, stream: boolean, model?: string) {
  const response = await fetch(addressOf(gateway, name, stream, model), requestOf(name, stream, model));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Events as they stand in a stream. */
export function sse(...events: readonly unknown[]): string {
  return events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");
}

/** Parsed `data` of all events of a stream. */
export function eventsIn(text: string): unknown[] {
  const parse = (data: string): unknown => (data === "[DONE]" ? data : JSON.parse(data));
  return [...text.matchAll(/^data: ?(.*)$/gm)].map(([, data = ""]) => parse(data));
}
