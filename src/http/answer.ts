import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { TrialError } from "../core/errors.js";
import type { Exchange } from "./exchange.js";
import { Utf8Pieces } from "./utf8.js";

/** A response whose body has not been read. Read it, or `discard` it: until then it holds its connection. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /**
   * Hands over the body as it comes, decompressed, and resolves at its end. Returning false stops and ends the
   * connection. Rejects when the body is cut, takes too long, or the signal is aborted (then with its reason).
   */
  read(onChunk: (chunk: Buffer) => unknown): Promise<void>;
  /** The whole body as text; rejects when it has more than `limit` bytes or is not UTF-8. */
  text(limit: number): Promise<string>;
  discard(): void;
}

export class Answer implements HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly #exchange: Exchange;
  readonly #message: IncomingMessage;

  constructor(exchange: Exchange, message: IncomingMessage) {
    this.status = message.statusCode ?? 0;
    this.headers = message.headers;
    this.#exchange = exchange;
    this.#message = message;
  }

  read(onChunk: (chunk: Buffer) => unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      const exchange = this.#exchange;
      exchange.onFailure(reject);
      const body = this.#body();
      const stop = () => {
        exchange.destroy();
        body.removeAllListeners("data");
        resolve();
      };
      body.on("data", (chunk: Buffer) => {
        exchange.progressed();
        try {
          if (onChunk(chunk) === false) stop();
        } catch (error) {
          exchange.fail(error);
        }
      });
      body.once("end", () => {
        exchange.finish();
        resolve();
      });
    });
  }

  async text(limit: number): Promise<string> {
    const pieces = new Utf8Pieces();
    let text = "";
    let size = 0;
    await this.read((chunk) => {
      size += chunk.length;
      if (size > limit) throw this.#unusable(`answered with more than ${limit} bytes`);
      text += this.#decoded(() => pieces.decode(chunk));
    });
    this.#decoded(() => pieces.end());
    return text;
  }

  discard(): void {
    this.#exchange.destroy();
  }

  /** Compression is not asked for, but some proxies compress all the same. */
  #body(): Readable {
    const encoding = this.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
    if (encoding === "identity" || encoding === "") return this.#message;
    const decoder = decoderOf(encoding);
    if (decoder === null) {
      this.#exchange.fail(this.#unusable(`answered in the encoding "${encoding}", which was not asked for`));
      return this.#message;
    }
    decoder.on("error", (cause) => this.#exchange.fail(this.#brokenBy(cause)));
    return this.#message.pipe(decoder);
  }

  #decoded<T>(decode: () => T): T {
    try {
      return decode();
    } catch (cause) {
      throw this.#unusable("answered with invalid UTF-8", cause);
    }
  }

  #brokenBy(cause: Error): TrialError {
    return this.#unusable(`answered with compressed data that cannot be read (${cause.message})`, cause);
  }

  #unusable(what: string, cause?: unknown): TrialError {
    return new TrialError("api_error", `${this.#exchange.host} ${what}.`, {
      retry: { afterMs: null },
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

function decoderOf(encoding: string) {
  if (encoding === "br") return createBrotliDecompress();
  return ["gzip", "x-gzip", "deflate"].includes(encoding) ? createUnzip() : null;
}
