import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Price } from "../../core/price.js";
import { dialects, type GatewayDialectName } from "../../models/dialects/index.js";
import { type Gateway, type GatewayOptions, type GatewayRequest, startGateway } from "./index.js";

/** Prices that differ for every token class, for tests. */
export const TEST_PRICE: Price = {
  input: 300_000,
  output: 1_200_000,
  cacheRead: 30_000,
  cacheWrite: 375_000,
  cacheWrite1h: 600_000,
  source: "test",
};

/** Closes everything a test started, the latest first. */
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

/** Starts a gateway whose providers all use one upstream, and collects its request records. */
export async function startTestGateway(url: string, options: GatewayOptions = {}) {
  const finished: GatewayRequest[] = [];
  const gateway = await startGateway({
    upstreams: { openai: `${url}/v1`, anthropic: url, google: url },
    priceOf: () => TEST_PRICE,
    onRequest: (request) => finished.push(request),
    env: {},
    ...options,
  });
  return { gateway, finished, close: () => gateway.close() };
}

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Starts a server that records its requests and sends scripted responses, byte by byte where needed. */
export async function startScriptedUpstream(answer: (response: ServerResponse, arrived: ReceivedRequest) => void) {
  const arrived: ReceivedRequest[] = [];
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

const MOUNT_PATHS = {
  chat: "/openai/v1",
  responses: "/openai/v1",
  anthropic: "/anthropic/v1",
  gemini: "/google",
} as const;

/** The URL for a request of the dialect. */
export function buildTestUrl({ url }: Gateway, name: GatewayDialectName, stream: boolean, model = "m"): string {
  return url + MOUNT_PATHS[name] + dialects[name].path(model, stream).replace(/^\/v1\//, "/");
}

/** A request of the dialect. */
export function buildTestRequest(name: GatewayDialectName, stream: boolean, model = "m"): RequestInit {
  const dialect = dialects[name];
  const body = dialect.body({ model, messages: [{ role: "user", parts: ["hello there"] }], maxTokens: 5000, stream });
  return {
    method: "POST",
    headers: { "content-type": "application/json", ...dialect.headers("key") },
    body: JSON.stringify(body),
  };
}

/** Sends one request and reads the whole answer. */
export async function sendTestRequest(gateway: Gateway, name: GatewayDialectName, stream: boolean, model?: string) {
  const response = await fetch(buildTestUrl(gateway, name, stream, model), buildTestRequest(name, stream, model));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export function formatSse(...events: readonly unknown[]): string {
  return events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");
}

/** Parses the `data` of all events of a stream. */
export function parseSseEvents(text: string): unknown[] {
  const parse = (data: string): unknown => (data === "[DONE]" ? data : JSON.parse(data));
  return [...text.matchAll(/^data: ?(.*)$/gm)].map(([, data = ""]) => parse(data));
}
