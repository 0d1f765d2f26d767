import type { Dialect } from "../../models/dialects/dialect.js";

/** What is said of an answer that has no end. */
export const BROKEN_OFF = "The connection broke off before the answer was complete.";

/** More than any error has to say. */
const MOST_BYTES = 16 * 1024;

/** Keeps the beginning of an error's body while it passes by, for those who want to know what it said. */
export class ErrorBody {
  #chunks: Buffer[] = [];
  #bytes = 0;

  push(chunk: Buffer): void {
    if (this.#bytes >= MOST_BYTES) return;
    this.#chunks.push(chunk.subarray(0, MOST_BYTES - this.#bytes));
    this.#bytes += chunk.length;
  }

  /** In the provider's words where they are known, else the body as it is. */
  message(dialect: Dialect, status: number): string {
    const text = Buffer.concat(this.#chunks).toString("utf8");
    this.#chunks = [];
    return messageIn(dialect, text) || text.trim() || `status ${status} without a word`;
  }
}

function messageIn(dialect: Dialect, text: string): string {
  try {
    return dialect.errorIn(JSON.parse(text))?.message ?? "";
  } catch {
    return "";
  }
}
