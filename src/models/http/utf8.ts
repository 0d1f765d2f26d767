import { isAscii } from "node:buffer";

export class InvalidUtf8Error extends Error {
  /** The text before the first invalid byte. */
  readonly before: string;

  constructor(before: string) {
    super("invalid UTF-8");
    this.before = before;
  }
}

/** Decodes streamed text and throws on invalid UTF-8 instead of replacing it. */
export class Utf8StreamDecoder {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  /** True if no character is incomplete. */
  #isClear = true;

  /** Fast path for ASCII, the most common case, where the decoder is up to nine times slower. */
  decode(piece: Buffer): string {
    if (this.#isClear && isAscii(piece)) return piece.toString("latin1");
    this.#isClear = (piece.at(-1) ?? 0x80) < 0x80;
    try {
      return this.#decoder.decode(piece, { stream: true });
    } catch {
      throw new InvalidUtf8Error(decodeValidPrefix(piece));
    }
  }

  /** Throws if the text ends inside a character. */
  end(): void {
    try {
      this.#decoder.decode();
    } catch {
      throw new InvalidUtf8Error("");
    }
  }
}

/** Stops at the first U+FFFD, even if it is part of the text itself. */
function decodeValidPrefix(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return text.slice(0, Math.max(0, text.indexOf("\uFFFD")));
}
