import { UpstreamCall } from "./call.js";
import { answerHeaders, requestHeaders } from "./headers.js";
import { sendRefusal } from "./refusal.js";
import type { Upstream } from "./upstream.js";
import type { Visit } from "./visit.js";

export interface PassOnOptions {
  readonly upstream: Upstream;
  readonly headersTimeoutMs: number;
}

/** Passes a request on that no model answers, such as one for a list of models: neither it nor its answer is held. */
export function passOn(visit: Visit, { upstream, headersTimeoutMs }: PassOnOptions): void {
  const { request, client, route, dialect } = visit;
  const call = new UpstreamCall({
    upstream,
    request: {
      method: request.method ?? "GET",
      path: route.path,
      headers: requestHeaders(request, route.provider, upstream.key),
    },
    body: request,
    headersTimeoutMs,
    onAnswer: (answer) => {
      const status = answer.statusCode ?? 502;
      client.writeHead(status, answer.statusMessage, answerHeaders(answer));
      answer.on("error", () => client.destroy());
      answer.pipe(client);
      visit.endUnmetered(status);
    },
    onFailure: (refusal) => {
      sendRefusal(client, dialect, refusal);
      visit.end("failed", null);
    },
  });
  client.on("close", () => {
    if (!client.writableFinished) call.abort();
    visit.end("abandoned", null);
  });
}
