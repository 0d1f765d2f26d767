import { isAscii } from "node:buffer";

/** The bytes are not text. */
export class NotUtf8 extends Error {
  /** The text before the first wrong byte. */
  readonly before: string;

  constructor(before: string) {
    super("invalid UTF-8");
    this.before = before;
  }
}

/** Decodes text that comes in pieces, and throws on bytes that are no UTF-8 instead of replacing them. */
export class Utf8Pieces {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  /** True when no character can be waiting for its rest. */
  #isClear = true;

  /** Most of what models stream is ASCII, for which the decoder takes up to nine times as long. */
  decode(piece: Buffer): string {
    if (this.#isClear && isAscii(piece)) return piece.toString("latin1");
    this.#isClear = (piece.at(-1) ?? 0x80) < 0x80;
    try {
      return this.#decoder.decode(piece, { stream: true });
    } catch {
      throw new NotUtf8(textBefore(piece));
    }
  }

  /** Throws when the text ended inside a character. */
  end(): void {
    try {
      this.#decoder.decode();
    } catch {
      throw new NotUtf8("");
    }
  }
}

/** A character that stands for a wrong byte may stand in the text itself: then what follows it is left out, too. */
function textBefore(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return text.slice(0, Math.max(0, text.indexOf("\uFFFD")));
}
