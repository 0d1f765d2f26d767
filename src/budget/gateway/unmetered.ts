import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { BROKEN_OFF, ErrorBody, sendRefusal } from "./refusal.js";
import { beginAnswer, carry } from "./relay.js";
import { answerHeaders, requestHeaders } from "./request.js";
import { UpstreamCall } from "./request-meter.js";
import { KeyMask } from "./secrets.js";
import type { Visit } from "./visit.js";

export interface PassOnOptions {
  readonly headersTimeoutMs: number;
  /** Sent instead of the original. */
  readonly changed?: Changed;
}

export interface Changed {
  /** Including the query. */
  readonly path: string;
  readonly body: Buffer;
  readonly headers: OutgoingHttpHeaders;
}

/** Forwards a request whose answer is not metered, such as a list of models, without buffering. */
export function passOn(visit: Visit, { headersTimeoutMs, changed }: PassOnOptions): void {
  const { request, client, route, dialect, upstream } = visit;
  const call = new UpstreamCall({
    upstream,
    request: {
      method: request.method ?? "GET",
      path: changed?.path ?? route.path + route.query,
      headers: changed?.headers ?? readableHeaders(visit),
    },
    body: changed?.body ?? request,
    headersTimeoutMs,
    onAnswer: (answer) => {
      if ((answer.statusCode ?? 502) < 400) passBack(visit, answer);
      else passErrorBack(visit, answer);
    },
    onFailure: (refusal) => {
      sendRefusal(client, dialect, refusal);
      visit.end("failed", { message: refusal.story });
    },
  });
  client.on("close", () => {
    if (!client.writableFinished) call.abort();
    visit.end("abandoned");
  });
}

/** If a key may have to be masked in an error, the error must not be compressed. */
function readableHeaders({ request, upstream }: Visit): OutgoingHttpHeaders {
  const headers = requestHeaders(request, upstream);
  return upstream.replacesKey ? { ...headers, "accept-encoding": "identity" } : headers;
}

function passBack(visit: Visit, answer: IncomingMessage): void {
  const { client } = visit;
  client.writeHead(answer.statusCode ?? 502, answer.statusMessage, answerHeaders(answer));
  answer.on("error", () => client.destroy());
  answer.pipe(client);
  visit.endUnmetered();
}

function passErrorBack(visit: Visit, answer: IncomingMessage): void {
  const { client, dialect, upstream } = visit;
  const mask = new KeyMask(upstream.key);
  const body = new ErrorBody();
  beginAnswer(client, answer, { mask });
  const onChunk = (chunk: Buffer) => {
    body.push(chunk);
    client.write(mask.push(chunk));
  };
  const onEnd = () => {
    visit.end("failed", { message: body.message(dialect, answer.statusCode ?? 0) });
    client.end(mask.end());
  };
  const onBroken = () => {
    visit.end("failed", { message: BROKEN_OFF });
    client.destroy();
  };
  carry({ answer, client, onChunk, onEnd, onBroken });
}
