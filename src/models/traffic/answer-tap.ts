import { Transform, type TransformCallback } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { TransportAnswer } from "../http/transport.js";
import type { RecordedAnswer, RecordedChunk } from "./cassette.js";
import type { TextReplacer } from "./replace-texts.js";

/** Headers that an answer is read by; all others differ each time, or are about the connection. */
const KEPT_HEADERS = [
  "content-encoding",
  "content-type",
  "location",
  "retry-after",
  "retry-after-ms",
  "x-amzn-errortype",
  "x-gemini-service-tier",
];

const EVENT_STREAM = /text\/event-stream/i;
const TEXT = /^(?:text\/|application\/(?:[\w.+-]*json|[\w.+-]*xml|x-ndjson))/i;
const EVENT_END = /\r?\n\r?\n/g;

interface AnswerTapOptions {
  readonly replacer: TextReplacer;
  /** Milliseconds since the request. */
  readonly now: () => number;
}

/** Passes an answer on and keeps what is recorded of it. */
export class AnswerTap extends Transform {
  /** True once the answer has ended. */
  isWhole = false;
  /** Called before the reader learns that the answer has ended. */
  onWhole: (recorded: RecordedAnswer) => void = () => {};
  readonly #answer: TransportAnswer;
  readonly #options: AnswerTapOptions;
  readonly #pieces: AnswerPieces;

  constructor(answer: TransportAnswer, options: AnswerTapOptions) {
    super();
    this.#answer = answer;
    this.#options = options;
    this.#pieces = openPieces(answer);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#pieces.push(chunk, Math.round(this.#options.now() * 10) / 10);
    done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    this.isWhole = true;
    this.onWhole(this.recorded);
    done();
  }

  /** What has arrived so far. */
  get recorded(): RecordedAnswer {
    const { status, headers } = this.#answer;
    const { replacer } = this.#options;
    const kept = KEPT_HEADERS.flatMap((name) => {
      const value = [headers[name] ?? []].flat().join(", ");
      return value === "" ? [] : [[name, replacer.replace(value)] as const];
    });
    return { status, headers: Object.fromEntries(kept), ...this.#pieces.finish(replacer) };
  }
}

type RecordedPieces = Pick<RecordedAnswer, "chunks" | "encoding">;

interface AnswerPieces {
  push(chunk: Buffer, ms: number): void;
  finish(replacer: TextReplacer): RecordedPieces;
}

function openPieces({ headers }: TransportAnswer): AnswerPieces {
  const type = headers["content-type"] ?? "";
  const isPlain = headers["content-encoding"] === undefined || headers["content-encoding"] === "identity";
  if (isPlain && EVENT_STREAM.test(type)) return new EventPieces();
  return isPlain && (TEXT.test(type) || type === "") ? new TextPieces() : new BinaryPieces();
}

/** Events that arrived together stay together. */
class EventPieces implements AnswerPieces {
  readonly #decoder = new StringDecoder("utf8");
  readonly #chunks: [ms: number, ...events: string[]][] = [];
  #held = "";
  #ms = 0;

  push(chunk: Buffer, ms: number): void {
    this.#ms = ms;
    const text = this.#held + this.#decoder.write(chunk);
    const events: string[] = [];
    let start = 0;
    for (const { index, 0: end } of text.matchAll(EVENT_END)) {
      events.push(text.slice(start, index + end.length));
      start = index + end.length;
    }
    this.#held = text.slice(start);
    if (events.length > 0) this.#chunks.push([ms, ...events]);
  }

  finish(replacer: TextReplacer): RecordedPieces {
    const rest = this.#held + this.#decoder.end();
    const chunks = rest === "" ? this.#chunks : [...this.#chunks, [this.#ms, rest] as const];
    const clean = replacer.replaceInEvents(chunks.flatMap(([, ...events]) => events));
    let next = 0;
    return {
      chunks: chunks.map(([ms, ...events]): RecordedChunk => {
        next += events.length;
        return [ms, ...clean.slice(next - events.length, next)];
      }),
    };
  }
}

/** An answer that is read as a whole is one piece. */
class TextPieces implements AnswerPieces {
  readonly #chunks: Buffer[] = [];
  #ms = 0;

  push(chunk: Buffer, ms: number): void {
    this.#chunks.push(chunk);
    this.#ms = ms;
  }

  finish(replacer: TextReplacer): RecordedPieces {
    const bytes = Buffer.concat(this.#chunks);
    const text = bytes.toString("utf8");
    if (bytes.length === 0) return { chunks: [] };
    if (!Buffer.from(text).equals(bytes)) return { chunks: [[this.#ms, bytes.toString("base64")]], encoding: "base64" };
    return { chunks: [[this.#ms, replacer.replace(text)]] };
  }
}

class BinaryPieces implements AnswerPieces {
  readonly #chunks: RecordedChunk[] = [];

  push(chunk: Buffer, ms: number): void {
    this.#chunks.push([ms, chunk.toString("base64")]);
  }

  finish(): RecordedPieces {
    return { chunks: this.#chunks, encoding: "base64" };
  }
}
