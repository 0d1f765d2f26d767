import { END_BYTE } from "./classes.js";

const KEPT_BYTES = 1 << 16;
const encoder = new TextEncoder();

/** Turns texts into UTF-8 closed by an END_BYTE; a lone surrogate becomes U+FFFD. */
export class Utf8Scratch {
  readonly #kept = new Uint8Array(KEPT_BYTES);

  /** The bytes are valid until the next call: most texts share one buffer, only long ones get their own. */
  encode(text: string): { readonly bytes: Uint8Array; readonly length: number } {
    const bytes = text.length * 3 < KEPT_BYTES ? this.#kept : new Uint8Array(Buffer.byteLength(text) + 1);
    const { written } = encoder.encodeInto(text, bytes);
    bytes[written] = END_BYTE;
    return { bytes, length: written };
  }
}
