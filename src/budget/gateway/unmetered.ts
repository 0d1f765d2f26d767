import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { CONNECTION_BROKEN, ErrorBody, sendRefusal } from "./refusal.js";
import { pipeResponse, writeResponseHead } from "./relay.js";
import { buildRequestHeaders, buildResponseHeaders } from "./request.js";
import { UpstreamCall } from "./request-meter.js";
import { KeyMask } from "./secrets.js";
import type { ProxiedRequest } from "./visit.js";

export interface ForwardOptions {
  readonly headersTimeoutMs: number;
  /** Sent instead of the original. */
  readonly changed?: ForwardChanges;
}

export interface ForwardChanges {
  /** Including the query. */
  readonly path: string;
  readonly body: Buffer;
  readonly headers: OutgoingHttpHeaders;
}

/** Forwards a request whose answer is not metered, such as a list of models, without buffering. */
export function forwardRequest(proxied: ProxiedRequest, { headersTimeoutMs, changed }: ForwardOptions): void {
  const { request, client, route, dialect, upstream } = proxied;
  const call = new UpstreamCall({
    upstream,
    request: {
      method: request.method ?? "GET",
      path: changed?.path ?? route.path + route.query,
      headers: changed?.headers ?? buildReadableHeaders(proxied),
    },
    body: changed?.body ?? request,
    headersTimeoutMs,
    onAnswer: (answer) => {
      if ((answer.statusCode ?? 502) < 400) sendResponseBack(proxied, answer);
      else sendErrorBack(proxied, answer);
    },
    onFailure: (refusal) => {
      sendRefusal(client, dialect, refusal);
      proxied.end("failed", { message: refusal.story });
    },
  });
  client.on("close", () => {
    if (!client.writableFinished) call.abort();
    proxied.end("abandoned");
  });
}

/** If a key may have to be masked in an error, the error must not be compressed. */
function buildReadableHeaders({ request, upstream }: ProxiedRequest): OutgoingHttpHeaders {
  const headers = buildRequestHeaders(request, upstream);
  return upstream.replacesKey ? { ...headers, "accept-encoding": "identity" } : headers;
}

function sendResponseBack(proxied: ProxiedRequest, answer: IncomingMessage): void {
  const { client } = proxied;
  client.writeHead(answer.statusCode ?? 502, answer.statusMessage, buildResponseHeaders(answer));
  answer.on("error", () => client.destroy());
  answer.pipe(client);
  proxied.endUnmetered();
}

function sendErrorBack(proxied: ProxiedRequest, answer: IncomingMessage): void {
  const { client, dialect, upstream } = proxied;
  const mask = new KeyMask(upstream.key);
  const body = new ErrorBody();
  writeResponseHead(client, answer, { mask });
  const onChunk = (chunk: Buffer) => {
    body.push(chunk);
    client.write(mask.push(chunk));
  };
  const onEnd = () => {
    proxied.end("failed", { message: body.message(dialect, answer.statusCode ?? 0) });
    client.end(mask.end());
  };
  const onBroken = () => {
    proxied.end("failed", { message: CONNECTION_BROKEN });
    client.destroy();
  };
  pipeResponse({ answer, client, onChunk, onEnd, onBroken });
}
