import { createParser, type EventSourceParser, type ParseError } from "eventsource-parser";
import { TrialError } from "../../core/index.js";
import { InvalidUtf8Error, Utf8StreamDecoder } from "./utf8.js";

/** Maximum length of a line or event, in characters. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024;

export interface SseOptions {
  /** Receives the raw `data` of one event, including `[DONE]`. Return false to stop. */
  readonly onData: (data: string) => unknown;
  readonly maxEventChars?: number;
  /** The sender, for messages. */
  readonly source?: string;
}

/**
 * Reads server-sent events from the chunks of a body. Throws a `TrialError` for invalid UTF-8 and events that are too long.
 * @example
 * const events = new SseReader({ onData: (data) => console.log(data) });
 * await answer.read((chunk) => events.push(chunk));
 * events.end();
 */
export class SseReader {
  readonly #text = new Utf8StreamDecoder();
  readonly #parser: EventSourceParser;
  readonly #source: string;
  #isFirst = true;
  #isStopped = false;
  #failure: TrialError | null = null;

  constructor({ onData, maxEventChars = MAX_EVENT_CHARS, source = "The endpoint" }: SseOptions) {
    this.#source = source;
    this.#parser = createParser({
      maxBufferSize: maxEventChars,
      onEvent: ({ data }) => {
        if (!this.#isStopped && onData(data) === false) this.#isStopped = true;
      },
      onError: (error) => {
        if (isTooLongError(error)) this.#failure = createEventTooLongError(source, maxEventChars);
      },
    });
  }

  /** Reads one chunk; returns false after `onData` stopped. */
  push(chunk: Buffer): boolean {
    try {
      this.#feed(this.#text.decode(chunk));
    } catch (error) {
      if (!(error instanceof InvalidUtf8Error)) throw error;
      this.#failAfter(error);
    }
    return !this.#isStopped;
  }

  /** Emits a last event without its closing empty line, which some servers omit. */
  end(): void {
    if (!this.#isStopped && this.#failure === null) this.#feed("\n\n");
  }

  #feed(text: string): void {
    if (this.#isStopped) return;
    this.#parser.feed(this.#stripByteOrderMark(text));
    if (this.#failure !== null) throw this.#failure;
  }

  /** Emits the events before the invalid bytes first, because callers check whether anything was received. */
  #failAfter(cause: InvalidUtf8Error): void {
    this.#feed(cause.before);
    if (this.#isStopped) return;
    throw new TrialError("api_error", `${this.#source} sent invalid UTF-8.`, { cause, retry: { afterMs: null } });
  }

  #stripByteOrderMark(text: string): string {
    if (!this.#isFirst || text === "") return text;
    this.#isFirst = false;
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  }
}

function isTooLongError({ type }: ParseError): boolean {
  return type === "max-buffer-size-exceeded";
}

function createEventTooLongError(source: string, limit: number): TrialError {
  return new TrialError("api_error", `${source} sent a line or event of more than ${limit} characters.`, {
    retry: { afterMs: null },
  });
}
