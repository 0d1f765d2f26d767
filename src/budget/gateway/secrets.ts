import type { IncomingMessage } from "node:http";
import { maskKeyLike } from "../../core/index.js";
import { listQueryKeys } from "./path.js";
import type { Upstream } from "./provider.js";

/** Shorter ones are placeholders, or words such as "none" that appear in many messages. */
const MIN_SECRET_LENGTH = 6;

const MAX_MESSAGE_LENGTH = 300;

/** Shortens an error message and removes keys: some endpoints repeat the rejected key. */
export function redactMessage(text: string, secrets: readonly string[]): string {
  const clean = maskKeyLike(secrets.reduce((left, secret) => left.replaceAll(secret, "[secret]"), text));
  const line = clean.replace(/\s+/g, " ").trim();
  return line.length <= MAX_MESSAGE_LENGTH ? line : `${line.slice(0, MAX_MESSAGE_LENGTH - 1)}…`;
}

/** The keys of the client's request, the key it is forwarded with, and the secret in its URL. */
export function listSecrets({ headers, url = "" }: IncomingMessage, { provider, key }: Upstream): string[] {
  const sent = provider.keyHeaders.map((name) => String(headers[name] ?? "").replace(/^Bearer\s+/i, ""));
  const [, ofAddress = ""] = url.split("/", 2);
  return [key ?? "", ...sent, ...listQueryKeys(url), ofAddress]
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
}

const ASTERISK = 0x2a;
const EMPTY = Buffer.alloc(0);

/**
 * Masks a key in streamed bytes, however they are split. The length stays the same, so that a length sent in a header
 * stays correct.
 */
export class KeyMask {
  readonly #key: Buffer;
  /** Bytes that may be the beginning of the key. */
  #held: Buffer = EMPTY;

  constructor(key: string | null) {
    this.#key = Buffer.from(key === null || key.length < MIN_SECRET_LENGTH ? "" : key);
  }

  push(chunk: Buffer): Buffer {
    if (this.#key.length === 0) return chunk;
    const bytes = Buffer.concat([this.#held, chunk]);
    for (let at = bytes.indexOf(this.#key); at !== -1; at = bytes.indexOf(this.#key, at + this.#key.length))
      bytes.fill(ASTERISK, at, at + this.#key.length);
    const end = bytes.length - this.#measurePartialKey(bytes);
    this.#held = bytes.subarray(end);
    return bytes.subarray(0, end);
  }

  /** Returns the held bytes at the end. */
  end(): Buffer {
    const rest = this.#held;
    this.#held = EMPTY;
    return rest;
  }

  /** Masks the key in a complete text. */
  maskText(text: string): string {
    if (this.#key.length === 0) return text;
    return text.replaceAll(this.#key.toString(), "*".repeat(this.#key.length));
  }

  /** How many of the last bytes may be the beginning of the key. */
  #measurePartialKey(bytes: Buffer): number {
    for (let length = Math.min(this.#key.length - 1, bytes.length); length > 0; length--)
      if (bytes.subarray(-length).equals(this.#key.subarray(0, length))) return length;
    return 0;
  }
}
