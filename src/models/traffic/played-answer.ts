import { STATUS_CODES } from "node:http";
import { Readable } from "node:stream";
import { listRawHeaders, type TransportAnswer } from "../http/transport.js";
import type { RecordedAnswer, RecordedChunk, RecordedExchange } from "./cassette.js";

/** Fills in the texts that a recording has names for. */
type FillIn = (text: string) => string;

/** Answers as recorded: at once, with the same chunks, and with the same failure. */
export function playAnswer(exchange: RecordedExchange, signal: AbortSignal, fillIn: FillIn): Promise<TransportAnswer> {
  const { answer } = exchange;
  return answer === null
    ? failWithoutAnswer(exchange, signal)
    : Promise.resolve(openAnswer(exchange, answer, { signal, fillIn }));
}

function openAnswer(
  exchange: RecordedExchange,
  { status, headers, chunks, encoding }: RecordedAnswer,
  { signal, fillIn }: { signal: AbortSignal; fillIn: FillIn },
): TransportAnswer {
  const decoded = chunks.map((chunk) => decodeChunk(chunk, encoding, fillIn));
  const body = new PlayedBody(decoded, exchange);
  const stop = () => body.destroy(toError(signal.reason));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  body.on("close", () => signal.removeEventListener("abort", stop));
  return { status, statusText: STATUS_CODES[status] ?? "", headers, rawHeaders: listRawHeaders(headers), body };
}

export function decodeChunk(
  [, ...pieces]: RecordedChunk,
  encoding: RecordedAnswer["encoding"],
  fillIn: FillIn,
): Buffer {
  const decode = (piece: string) => (encoding === "base64" ? Buffer.from(piece, "base64") : Buffer.from(fillIn(piece)));
  return Buffer.concat(pieces.map(decode));
}

/** A call that was still waiting when it was recorded waits again, until its client gives up. */
function failWithoutAnswer(exchange: RecordedExchange, signal: AbortSignal): Promise<never> {
  if (exchange.end === "broken") return Promise.reject(createRecordedError(exchange));
  return new Promise((_, reject) => {
    if (signal.aborted) reject(toError(signal.reason));
    signal.addEventListener("abort", () => reject(toError(signal.reason)), { once: true });
  });
}

/** One chunk in each turn of the event loop, so that a client reads them as separate ones. */
class PlayedBody extends Readable {
  readonly #chunks: readonly Buffer[];
  readonly #exchange: RecordedExchange;
  #next = 0;

  constructor(chunks: readonly Buffer[], exchange: RecordedExchange) {
    super();
    this.#chunks = chunks;
    this.#exchange = exchange;
    // As with an answer from the network, an error before anyone reads must not end the process.
    this.on("error", () => {});
  }

  override _read(): void {
    setImmediate(() => this.#pushNext());
  }

  #pushNext(): void {
    if (this.destroyed) return;
    const chunk = this.#chunks[this.#next];
    this.#next += 1;
    if (chunk !== undefined) this.push(chunk);
    else if (this.#exchange.end === "complete") this.push(null);
    else if (this.#exchange.end === "broken") this.destroy(createRecordedError(this.#exchange));
    // A cut answer was still open: it stays so until its client ends it again.
  }
}

function createRecordedError({ error }: RecordedExchange): Error {
  const { code = "", message = "The connection failed." } = error ?? {};
  return Object.assign(new Error(message), code === "" ? {} : { code });
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("The call was aborted.");
}
