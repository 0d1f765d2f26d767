import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { messageOf, UsageError } from "../../core/errors.js";
import { behavioursOf } from "./behaviour.js";
import { checkScript } from "./check-script.js";
import { handle } from "./handle.js";
import { type MockCounts, type MockRequest, RequestLog } from "./request-log.js";
import type { MockScript } from "./script.js";

/** A script, and where and how it is played. */
export interface MockOptions extends MockScript {
  /** A free one unless told. */
  readonly port?: number;
  /** Only this machine unless told: 127.0.0.1. */
  readonly host?: string;
  /** How many requests are remembered; the latest 10,000 unless told. */
  readonly keepRequests?: number;
  /** Remembers what was asked, too. */
  readonly keepBodies?: boolean;
  /** Called with each request when it is over. */
  readonly onRequest?: (request: MockRequest) => void;
  /** Milliseconds since 1970; the real clock unless told. */
  readonly now?: () => number;
}

/** A model endpoint that is listening. */
export interface Mock {
  /** Such as http://127.0.0.1:41234. OpenAI clients want `/v1` after it. */
  readonly url: string;
  readonly port: number;
  /** The latest requests, newest last. One that is open is still being written. */
  readonly requests: readonly MockRequest[];
  readonly counts: MockCounts;
  /** Ends what is open and frees the port. */
  close(): Promise<void>;
}

/**
 * Starts a local model endpoint that speaks four dialects and behaves as the script says.
 * @example
 * const mock = await startMock({ reply: "Paris", faults: [{ kind: 429, first: 1, retryAfter: 1 }] });
 * await fetch(`${mock.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify(request) });
 * await mock.close();
 */
export async function startMock(options: MockOptions = {}): Promise<Mock> {
  const { port = 0, host = "127.0.0.1", keepRequests = 10_000, keepBodies = false, ...rest } = options;
  const { onRequest = null, now = realTime, ...given } = rest;
  const script = checkScript(given);
  const log = new RequestLog(keepRequests);
  const desk = { script, behaviours: behavioursOf(script, now), log, now, keepBodies, onRequest };
  // Clients keep connections for as long as they like; a server that drops idle ones races with their next request.
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 }, (request, response) =>
    handle(desk, request, response),
  );
  await listening(server, port, host);
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    get requests() {
      return log.latest();
    },
    get counts() {
      return log.counts();
    },
    close: () => closed(server),
  };
}

function realTime(): number {
  return performance.timeOrigin + performance.now();
}

/** A burst of clients larger than the usual queue for new connections would wait seconds for another try. */
const BACKLOG = 4096;

async function listening(server: Server, port: number, host: string): Promise<void> {
  server.listen({ port, host, backlog: BACKLOG });
  try {
    await once(server, "listening");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why =
      code === "EADDRINUSE"
        ? "something else uses it. Give another port, or none for a free one"
        : `${messageOf(cause)}. Give another host or port`;
    throw new UsageError(`The mock cannot listen on port ${port} of ${host}: ${why}.`, { cause });
  }
}

async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  const over = once(server, "close");
  server.close();
  server.closeAllConnections();
  await over;
}
