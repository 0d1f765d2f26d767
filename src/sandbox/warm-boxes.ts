import type { BoxedProcess } from "./boxed-process.js";
import { Slots } from "./slots.js";

/** What came of work in a warm box. */
export interface Worked<T> {
  value: T;
  /** False when anything has happened in the box that is not ordinary. */
  isOrdinary: boolean;
}

/** Each does many times what a box for each program does: more would only take memory, and user ids from others. */
const MOST_BOXES = 8;
/** What is left behind in a box in spite of all is not there for long. */
const MOST_PROGRAMS = 100;
const IDLE_MS = 10_000;
const START_MS = 10_000;

interface WarmBox {
  process: BoxedProcess;
  programs: number;
  /** Ends it when nobody has needed it for a while. */
  idle: NodeJS.Timeout | undefined;
}

/**
 * Boxes in which JavaScript programs that can do nothing but compute are run one after the other. They only know
 * ordinary ends: a box in which anything else has happened is thrown away.
 */
export class WarmBoxes {
  readonly #start: () => Promise<BoxedProcess>;
  readonly #idleMs: number;
  readonly #slots = new Slots(MOST_BOXES);
  readonly #idle: WarmBox[] = [];
  /** False when no box came up: the limits may be too tight for one. */
  #isUsable = true;

  /** Of a process that says that it is ready, and then takes one program after the other. */
  constructor(start: () => Promise<BoxedProcess>, { idleMs = IDLE_MS }: { idleMs?: number } = {}) {
    this.#start = start;
    this.#idleMs = idleMs;
  }

  /** Does the work for one program in a box; null when there is none. */
  use<T>(work: (box: BoxedProcess) => Promise<Worked<T>>): Promise<T | null> {
    return this.#slots.use(() => this.#work(work));
  }

  async #work<T>(work: (box: BoxedProcess) => Promise<Worked<T>>): Promise<T | null> {
    const box = this.#take() ?? (await this.#fresh());
    if (box === null) return null;
    let isOrdinary = false;
    try {
      box.programs += 1;
      const worked = await work(box.process);
      isOrdinary = worked.isOrdinary && box.process.isUntouched;
      return worked.value;
    } finally {
      if (isOrdinary && box.programs < MOST_PROGRAMS) this.#keep(box);
      else box.process.stop("done");
    }
  }

  /** Ends the boxes that nobody uses. */
  async close(): Promise<void> {
    const boxes = this.#idle.splice(0);
    for (const { process, idle } of boxes) {
      clearTimeout(idle);
      process.ref();
      process.stop("done");
    }
    await Promise.allSettled(boxes.map(({ process }) => process.ended));
  }

  async #fresh(): Promise<WarmBox | null> {
    if (!this.#isUsable) return null;
    const process = await this.#start();
    const timer = setTimeout(() => process.stop("done"), START_MS);
    this.#isUsable = (await process.lines.next()) === "ready";
    clearTimeout(timer);
    if (this.#isUsable) return { process, programs: 0, idle: undefined };
    process.stop("done");
    return null;
  }

  #take(): WarmBox | undefined {
    const box = this.#idle.pop();
    clearTimeout(box?.idle);
    box?.process.ref();
    return box;
  }

  /** A sandbox that nobody closes must not keep the process from ending. */
  #keep(box: WarmBox): void {
    box.process.unref();
    this.#idle.push(box);
    box.idle = setTimeout(() => {
      this.#idle.splice(this.#idle.indexOf(box), 1);
      box.process.stop("done");
    }, this.#idleMs).unref();
  }
}
