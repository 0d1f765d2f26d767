import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { answerHeaders } from "./headers.js";
import type { KeyMask } from "./key-mask.js";

/** What is to happen with an answer on its way to the client. */
export interface Carrying {
  readonly answer: IncomingMessage;
  readonly client: ServerResponse;
  /** Takes each chunk as it comes, and writes what the client is to get of it. */
  readonly onChunk: (chunk: Buffer) => void;
  /** Everything has come. */
  readonly onEnd: () => void;
  /** The upstream broke off in the middle. */
  readonly onBroken: () => void;
}

/** Carries the body of an answer, never faster than the client takes it. */
export function carry({ answer, client, onChunk, onEnd, onBroken }: Carrying): void {
  const source = unpacked(answer);
  source.on("data", (chunk: Buffer) => {
    onChunk(chunk);
    if (!client.writableNeedDrain || client.destroyed) return;
    source.pause();
    client.once("drain", () => source.resume());
  });
  source.on("end", onEnd);
  source.on("error", onBroken);
}

const UNPACKERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Some servers pack their answers though they were asked not to; packed ones cannot be metered. */
function unpacked(answer: IncomingMessage): Readable {
  const unpacker = UNPACKERS[answer.headers["content-encoding"] ?? ""];
  // The error arrives at the stream that is read.
  return unpacker === undefined ? answer : pipeline(answer, unpacker(), () => {});
}

/** How the client's answer differs from the upstream's. */
export interface Differences {
  /** It will not have the same bytes. */
  readonly isChanged?: boolean;
  readonly extraHeaders?: readonly string[];
  /** Stars out a key. */
  readonly mask?: KeyMask;
}

/** Begins the client's answer like the upstream's. */
export function beginAnswer(
  client: ServerResponse,
  answer: IncomingMessage,
  { isChanged = false, extraHeaders = [], mask }: Differences = {},
): void {
  const isPacked = answer.headers["content-encoding"] !== undefined && unpackable(answer);
  const dropped = [...(isPacked ? ["content-encoding"] : []), ...(isPacked || isChanged ? ["content-length"] : [])];
  const headers = answerHeaders(answer, dropped);
  client.writeHead(answer.statusCode ?? 502, answer.statusMessage, [
    ...(mask === undefined ? headers : headers.map((text) => mask.text(text))),
    ...extraHeaders,
  ]);
}

function unpackable({ headers }: IncomingMessage): boolean {
  return Object.hasOwn(UNPACKERS, headers["content-encoding"] ?? "");
}
