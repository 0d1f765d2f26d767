import { finished, pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { getErrorMessage, TrialError } from "../../core/index.js";
import { getNodeErrorCode } from "./errors.js";
import { Utf8StreamDecoder } from "./utf8.js";

/** Headers as in Node, with lower-case names. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Longer requested waits are capped, so that a typo in a server does not stop a run for days. */
const MAX_RETRY_AFTER_MS = 60 * 60 * 1000;

/**
 * The wait that a server requests, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date. Null if
 * absent or invalid.
 * @example
 * parseRetryAfter({ "retry-after": "1.5" }, Date.now()); // 1500
 */
export function parseRetryAfter(headers: HttpHeaders, now: number): number | null {
  return (
    limitRetryWait(parseHeaderNumber(headers["retry-after-ms"])) ?? parseSecondsOrDate(headers["retry-after"], now)
  );
}

function parseSecondsOrDate(header: HttpHeaders[string], now: number): number | null {
  const seconds = parseHeaderNumber(header);
  return seconds === null ? limitRetryWait(parseHeaderDate(header, now)) : limitRetryWait(seconds * 1000);
}

function limitRetryWait(ms: number | null): number | null {
  return ms === null || ms < 0 ? null : Math.min(Math.ceil(ms), MAX_RETRY_AFTER_MS);
}

function parseHeaderNumber(header: HttpHeaders[string]): number | null {
  const text = readHeader(header);
  return /^[+-]?\d+(?:\.\d*)?$/.test(text) ? Number(text) : null;
}

/** All three HTTP date formats start with the day's name; without this check "1 2" would be a date. */
function parseHeaderDate(header: HttpHeaders[string], now: number): number | null {
  const text = readHeader(header);
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return null;
  const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(time) ? null : time - now;
}

/** A trimmed header value: the first if there are several, "" if absent. */
export function readHeader(header: HttpHeaders[string]): string {
  return (typeof header === "string" ? header : (header?.[0] ?? "")).trim();
}

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

interface HttpResponseParts {
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
