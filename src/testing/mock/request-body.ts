import type { IncomingMessage } from "node:http";
import { messageOf } from "../../core/errors.js";
import { asObject, type Json } from "./json.js";
import { BadRequest } from "./prompt.js";

/** Reads the whole body of a request. A client that goes away in the middle is never heard of again. */
export function readBody(request: IncomingMessage, done: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => done(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)));
}

export function parseBody(bytes: Buffer, { headers }: IncomingMessage): Json {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity")
    throw new BadRequest(`The body is encoded as ${encoding}; assay mock reads plain JSON only.`);
  try {
    return asObject(JSON.parse(bytes.toString("utf8")));
  } catch (cause) {
    throw new BadRequest(`The body is not valid JSON: ${messageOf(cause)}.`, { cause });
  }
}

/** True when the request carries the key, in any of the places that a dialect has for it. */
export function carriesKey({ headers }: IncomingMessage, query: string, key: string): boolean {
  const given = [headers["x-api-key"], headers["x-goog-api-key"], headers["api-key"], bearer(headers.authorization)];
  return given.includes(key) || new URLSearchParams(query).get("key") === key;
}

function bearer(authorization: string | undefined): string | undefined {
  return authorization?.replace(/^Bearer\s+/i, "");
}
