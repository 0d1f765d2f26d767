import type { IncomingMessage } from "node:http";
import { keysInQuery } from "./path.js";
import type { Upstream } from "./provider.js";

/** Shorter ones are placeholders, or words such as "none" that appear in many messages. */
const SHORTEST_SECRET = 6;

/** The format of well-known providers' keys, also with a masked middle. */
const KEY_LIKE = /\b(?:(?:sk|rk|pk|gsk|xai)[-_]|AIza)[-_*A-Za-z0-9]{12,}/g;

const LONGEST_MESSAGE = 300;

/** Shortens an error message and removes keys: some endpoints repeat the rejected key. */
export function shortMessage(text: string, secrets: readonly string[]): string {
  const clean = secrets
    .reduce((left, secret) => left.replaceAll(secret, "[secret]"), text)
    .replace(KEY_LIKE, "[secret]");
  const line = clean.replace(/\s+/g, " ").trim();
  return line.length <= LONGEST_MESSAGE ? line : `${line.slice(0, LONGEST_MESSAGE - 1)}…`;
}

/** The keys of the client's request, the key it is forwarded with, and the secret in its URL. */
export function secretsOf({ headers, url = "" }: IncomingMessage, { provider, key }: Upstream): string[] {
  const sent = provider.keyHeaders.map((name) => String(headers[name] ?? "").replace(/^Bearer\s+/i, ""));
  const [, ofAddress = ""] = url.split("/", 2);
  return [key ?? "", ...sent, ...keysInQuery(url), ofAddress]
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
}

const STAR = 0x2a;
const NOTHING = Buffer.alloc(0);

/**
 * Masks a key in streamed bytes, however they are split. The length stays the same, so that a length sent in a header
 * stays correct.
 */
export class KeyMask {
  readonly #key: Buffer;
  /** Bytes that may be the beginning of the key. */
  #held: Buffer = NOTHING;

  constructor(key: string | null) {
    this.#key = Buffer.from(key === null || key.length < SHORTEST_SECRET ? "" : key);
  }

  push(chunk: Buffer): Buffer {
    if (this.#key.length === 0) return chunk;
    const bytes = Buffer.concat([this.#held, chunk]);
    for (let at = bytes.indexOf(this.#key); at !== -1; at = bytes.indexOf(this.#key, at + this.#key.length))
      bytes.fill(STAR, at, at + this.#key.length);
    const end = bytes.length - this.#begunAtEnd(bytes);
    this.#held = bytes.subarray(end);
    return bytes.subarray(0, end);
  }

  /** Returns the held bytes at the end. */
  end(): Buffer {
    const rest = this.#held;
    this.#held = NOTHING;
    return rest;
  }

  /** Masks the key in a complete text. */
  text(text: string): string {
    if (this.#key.length === 0) return text;
    return text.replaceAll(this.#key.toString(), "*".repeat(this.#key.length));
  }

  /** How many of the last bytes may be the beginning of the key. */
  #begunAtEnd(bytes: Buffer): number {
    for (let length = Math.min(this.#key.length - 1, bytes.length); length > 0; length--)
      if (bytes.subarray(-length).equals(this.#key.subarray(0, length))) return length;
    return 0;
  }
}
