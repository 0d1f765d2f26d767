import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { TrialKey } from "../../core/index.js";

/** A request that is ready for the network: with its key, and as the endpoint gets it. */
export interface TransportRequest {
  readonly method: string;
  /** Such as `https://api.openai.com`. */
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: OutgoingHttpHeaders;
  /** A stream is sent as it arrives. */
  readonly body: string | Buffer | Readable | null;
  /** Ends the request, and its answer. */
  readonly signal: AbortSignal;
  /** The trial that it belongs to, if any. */
  readonly trial?: TrialKey | undefined;
  /** Who asks: what is measured, or who grades it. Default: system. */
  readonly by?: "system" | "judge" | "user" | undefined;
  /** Called once the endpoint has the whole request and may charge for it. */
  readonly onSent?: (() => void) | undefined;
  /** Time to connect. */
  readonly connectTimeoutMs?: number | undefined;
  /** Time from the request to the response headers. */
  readonly headersTimeoutMs?: number | undefined;
  /** Time between two chunks of the response. */
  readonly idleTimeoutMs?: number | undefined;
}

/** An answer whose headers have arrived. */
export interface TransportAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as the server spelled them. */
  readonly rawHeaders: readonly string[];
  /** As received, so it may be compressed. */
  readonly body: Readable;
}

/** What is between a request that is ready and the network. The model client and the gateway both send through one. */
export interface Transport {
  /** Resolves with the headers of the answer, for any status. Rejects with the network's own error. */
  send(request: TransportRequest): Promise<TransportAnswer>;
}

/** Puts something between a client and its network, such as a recorder. */
export type WrapTransport = (network: Transport) => Transport;

/** Headers as names and values in turn. */
export function listRawHeaders(headers: OutgoingHttpHeaders): string[] {
  return Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().flatMap((each) => [name, String(each)]),
  );
}
