import { Transform, type TransformCallback } from "node:stream";
import type { PlannedFault } from "../../core/index.js";
import { EventSplitter } from "./relay.js";

/** An answer is broken after this many events: at least one more follows in every API format that streams. */
const EVENTS_BEFORE_FAULT = 2;

const MALFORMED_EVENT = Buffer.from('data: {"injected":,,\n\n');

export interface AnswerFaultOptions {
  readonly fault: PlannedFault;
  /** True for a stream of events. */
  readonly isEvents: boolean;
  /** Called when the fault happens. */
  readonly onFault: () => void;
}

/** True for a fault of the answer; the others replace or delay the request. */
export function isAnswerFault({ kind }: PlannedFault): boolean {
  return kind === "cut" || kind === "malformed" || kind === "stall";
}

/**
 * Passes an answer on and breaks it in the middle. Of a stream, pieces are held until the next one arrives, so that a
 * short one is broken before its end too.
 */
export class FaultyAnswer extends Transform {
  readonly #options: AnswerFaultOptions;
  readonly #splitter = new EventSplitter();
  #held: Buffer[] = [];
  #passedEvents = 0;
  #isDone = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AnswerFaultOptions) {
    super();
    this.#options = options;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#isDone) {
      done(null, chunk);
      return;
    }
    if (this.#options.isEvents) for (const { bytes } of this.#splitter.push(chunk)) this.#holdEvent(bytes);
    else this.#held.push(chunk);
    const isDue = this.#options.isEvents && this.#passedEvents === EVENTS_BEFORE_FAULT && this.#held.length > 0;
    if (isDue) this.#breakHere(done);
    else done();
  }

  override _flush(done: TransformCallback): void {
    if (this.#isDone) {
      done();
      return;
    }
    const rest = this.#splitter.end();
    if (rest !== null) this.#held.push(rest.bytes);
    const all = Buffer.concat(this.#held);
    const half = all.length >> 1;
    // A malformed end of a whole answer is still sent as a whole.
    const place = this.#options.fault.kind === "malformed" && !this.#options.isEvents ? all.length - 1 : half;
    this.push(all.subarray(0, place));
    this.#held = [all.subarray(place)];
    this.#breakHere(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    done(error);
  }

  #holdEvent(bytes: Buffer): void {
    const isPassed = this.#passedEvents < EVENTS_BEFORE_FAULT && this.#held.length > 0;
    if (isPassed) {
      this.push(this.#held.shift());
      this.#passedEvents += 1;
    }
    this.#held.push(bytes);
  }

  /** What is held comes after the fault. */
  #breakHere(done: TransformCallback): void {
    const { fault, isEvents, onFault } = this.#options;
    this.#isDone = true;
    onFault();
    if (fault.kind === "cut") {
      // The next turn, so that what was pushed has been read.
      setImmediate(() => done(new Error("The connection was cut by an injected fault.")));
      return;
    }
    if (fault.kind === "stall") {
      this.#timer = setTimeout(() => this.#passRest(done), (fault.seconds ?? 0) * 1000);
      return;
    }
    this.push(isEvents ? MALFORMED_EVENT : Buffer.from(",,"));
    if (isEvents) this.#passRest(done);
    else done();
  }

  #passRest(done: TransformCallback): void {
    for (const bytes of this.#held) this.push(bytes);
    this.#held = [];
    // Bytes of an incomplete event follow with the next chunk.
    const rest = this.#splitter.end();
    done(null, rest?.bytes);
  }
}
