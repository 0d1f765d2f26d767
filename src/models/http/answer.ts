import { finished, pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { messageOf, TrialError } from "../../core/errors.js";
import { codeOf } from "./errors.js";
import { type Headers, readHeader } from "./retry-after.js";
import { Utf8Pieces } from "./utf8.js";

/** A response whose body has not been read. Read it, or `discard` it: until then it holds its connection. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /**
   * Hands over the body as it comes, decompressed, and resolves at its end. Returning false stops and ends the
   * connection. Rejects when the body is cut, takes too long, or the signal is aborted (then with its reason).
   */
  read(onChunk: (chunk: Buffer) => unknown): Promise<void>;
  /** The whole body as text; rejects when it has more than `limit` bytes or is not UTF-8. */
  text(limit: number): Promise<string>;
  discard(): void;
}

export interface AnswerParts {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readable;
  /** Host and port, for messages. */
  readonly host: string;
  /** What a failure of the body means. */
  readonly explain: (error: unknown) => unknown;
}

export class Answer implements HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly #body: Readable;
  readonly #host: string;
  readonly #explain: AnswerParts["explain"];

  constructor({ status, headers, body, host, explain }: AnswerParts) {
    this.status = status;
    this.headers = headers;
    this.#body = body;
    this.#host = host;
    this.#explain = explain;
    // A body that fails while nobody reads it must not end the process; whoever reads it is told.
    body.on("error", () => {});
  }

  async read(onChunk: (chunk: Buffer) => unknown): Promise<void> {
    const body = this.#decompress();
    const failure = await new Promise<{ error: unknown } | null>((resolve) => {
      body.on("data", (chunk: Buffer) => {
        try {
          if (onChunk(chunk) !== false) return;
          resolve(null);
        } catch (error) {
          resolve({ error });
        }
        this.discard();
      });
      // Also when it failed before anybody listened.
      finished(body, (error) => resolve(error ? { error: this.#explainBody(error) } : null));
    });
    if (failure !== null) throw failure.error;
  }

  async text(limit: number): Promise<string> {
    const pieces = new Utf8Pieces();
    let text = "";
    let size = 0;
    await this.read((chunk) => {
      size += chunk.length;
      if (size > limit) throw this.#unusable(`answered with more than ${limit} bytes`);
      text += this.#decode(() => pieces.decode(chunk));
    });
    this.#decode(() => pieces.end());
    return text;
  }

  discard(): void {
    this.#body.destroy();
  }

  /** Compression is not asked for, but some proxies compress all the same. */
  #decompress(): Readable {
    const encoding = readHeader(this.headers["content-encoding"]).toLowerCase();
    if (encoding === "" || encoding === "identity") return this.#body;
    const decoder = createDecoder(encoding);
    if (decoder === null) {
      this.discard();
      throw this.#unusable(`answered in the encoding "${encoding}", which was not asked for`);
    }
    return pipeline(this.#body, decoder, () => {});
  }

  #explainBody(error: unknown): unknown {
    if (!isZlibError(error)) return this.#explain(error);
    return this.#unusable(`answered with compressed data that cannot be read (${messageOf(error)})`, error);
  }

  #decode<T>(decode: () => T): T {
    try {
      return decode();
    } catch (cause) {
      throw this.#unusable("answered with invalid UTF-8", cause);
    }
  }

  #unusable(what: string, cause?: unknown): TrialError {
    return new TrialError("api_error", `${this.#host} ${what}.`, {
      retry: { afterMs: null },
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

function createDecoder(encoding: string) {
  if (encoding === "br") return createBrotliDecompress();
  return ["gzip", "x-gzip", "deflate"].includes(encoding) ? createUnzip() : null;
}

/** The codes of zlib are Z_DATA_ERROR and the like, those of Brotli ERR__ERROR_FORMAT_… */
function isZlibError(error: unknown): boolean {
  return /^(?:Z_|ERR__)/.test(codeOf(error));
}
