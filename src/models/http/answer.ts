import { finished, pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { getErrorMessage, TrialError } from "../../core/errors.js";
import { getNodeErrorCode } from "./errors.js";
import { type HttpHeaders, readHeader } from "./retry-after.js";
import { Utf8StreamDecoder } from "./utf8.js";

/** A response with an unread body. Read or `discard` it to free its connection. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  /**
   * Passes on decompressed chunks and resolves at the end of the body. Return false to stop and close the connection.
   * Rejects if the body is truncated, times out, or the signal is aborted (with its reason).
   */
  read(onChunk: (chunk: Buffer) => unknown): Promise<void>;
  /** Reads the whole body; rejects if it exceeds `limit` bytes or is not UTF-8. */
  text(limit: number): Promise<string>;
  discard(): void;
}

export interface HttpResponseParts {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: Readable;
  /** Host and port, for messages. */
  readonly host: string;
  /** Converts an error of the body. */
  readonly explain: (error: unknown) => unknown;
}

export class StreamedResponse implements HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly #body: Readable;
  readonly #host: string;
  readonly #explain: HttpResponseParts["explain"];

  constructor({ status, headers, body, host, explain }: HttpResponseParts) {
    this.status = status;
    this.headers = headers;
    this.#body = body;
    this.#host = host;
    this.#explain = explain;
    // An error before anyone reads must not end the process; the reader still receives it.
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
      // Also fires if it failed earlier.
      finished(body, (error) => resolve(error ? { error: this.#explainBody(error) } : null));
    });
    if (failure !== null) throw failure.error;
  }

  async text(limit: number): Promise<string> {
    const pieces = new Utf8StreamDecoder();
    let text = "";
    let size = 0;
    await this.read((chunk) => {
      size += chunk.length;
      if (size > limit) throw this.#createError(`sent more than ${limit} bytes`);
      text += this.#decode(() => pieces.decode(chunk));
    });
    this.#decode(() => pieces.end());
    return text;
  }

  discard(): void {
    this.#body.destroy();
  }

  /** Some proxies compress although it was not requested. */
  #decompress(): Readable {
    const encoding = readHeader(this.headers["content-encoding"]).toLowerCase();
    if (encoding === "" || encoding === "identity") return this.#body;
    const decoder = createDecompressor(encoding);
    if (decoder === null) {
      this.discard();
      throw this.#createError(`sent the encoding "${encoding}", which was not requested`);
    }
    return pipeline(this.#body, decoder, () => {});
  }

  #explainBody(error: unknown): unknown {
    if (!isZlibError(error)) return this.#explain(error);
    return this.#createError(`sent compressed data that cannot be decoded (${getErrorMessage(error)})`, error);
  }

  #decode<T>(decode: () => T): T {
    try {
      return decode();
    } catch (cause) {
      throw this.#createError("sent invalid UTF-8", cause);
    }
  }

  #createError(what: string, cause?: unknown): TrialError {
    return new TrialError("api_error", `${this.#host} ${what}.`, {
      retry: { afterMs: null },
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

function createDecompressor(encoding: string) {
  if (encoding === "br") return createBrotliDecompress();
  return ["gzip", "x-gzip", "deflate"].includes(encoding) ? createUnzip() : null;
}

/** Zlib codes start with Z_, such as Z_DATA_ERROR; those of Brotli with ERR__, such as ERR__ERROR_FORMAT_… */
function isZlibError(error: unknown): boolean {
  return /^(?:Z_|ERR__)/.test(getNodeErrorCode(error));
}
