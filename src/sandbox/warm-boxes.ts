import { randomUUID } from "node:crypto";
import type { BoxedProcess } from "./boxed-process.js";
import { NEEDS_PROCESS } from "./keeper.js";

/** The ordinary end of a program. */
export interface OrdinaryEnd {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** A program for a warm box. */
export interface WarmJob {
  main: string;
  text: string;
  outputBytes: number;
  /** How long it may take here; a longer one gets a box of its own. */
  limitMs: number;
  signal?: AbortSignal;
}

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
 * Boxes in which plain JavaScript programs are run one after the other, each in a thread of its own: that takes less
 * than half of the time of a process. They only know the ordinary end. A box in which anything else has happened is
 * thrown away, and its program is to be run in one of its own.
 */
export class WarmBoxes {
  readonly #start: () => Promise<BoxedProcess>;
  readonly #idle: WarmBox[] = [];
  /** False when no box came up: the limits may be too tight for one. */
  #isUsable = true;

  /** Of a box that runs the keeper. */
  constructor(start: () => Promise<BoxedProcess>) {
    this.#start = start;
  }

  /** How the program ended; null when it is not known to have come to an ordinary end. */
  async run(job: WarmJob): Promise<OrdinaryEnd | null> {
    const box = this.#take() ?? (await this.#fresh());
    if (box === null) return null;
    const end = await endOf(box, job);
    if (end === null || box.programs >= MOST_PROGRAMS) box.process.stop("done");
    else this.#keep(box);
    job.signal?.throwIfAborted();
    return end === NEEDS_PROCESS ? null : end;
  }

  async #fresh(): Promise<WarmBox | null> {
    if (!this.#isUsable) return null;
    const process = await this.#start();
    const timer = setTimeout(() => process.stop("done"), START_MS);
    const isReady = (await process.lines.next()) === "ready";
    clearTimeout(timer);
    if (isReady) return { process, programs: 0, idle: undefined };
    this.#isUsable = false;
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
    }, IDLE_MS).unref();
  }
}

async function endOf(
  box: WarmBox,
  { limitMs, signal, ...program }: WarmJob,
): Promise<OrdinaryEnd | typeof NEEDS_PROCESS | null> {
  const { process } = box;
  const stop = () => process.stop("done");
  const timer = setTimeout(stop, limitMs);
  signal?.addEventListener("abort", stop, { once: true });
  const nonce = randomUUID();
  box.programs += 1;
  process.lines.send(JSON.stringify({ nonce, ...program }));
  const line = await process.lines.next();
  clearTimeout(timer);
  signal?.removeEventListener("abort", stop);
  return line !== null && process.isUntouched ? endIn(line, nonce) : null;
}

/** What a line says, when it holds the nonce that no program was told. */
function endIn(line: string, nonce: string): OrdinaryEnd | typeof NEEDS_PROCESS | null {
  const [said, exitCode, stdout, stderr] = parsed(line);
  if (said === nonce && exitCode === NEEDS_PROCESS) return NEEDS_PROCESS;
  if (said !== nonce || typeof exitCode !== "number") return null;
  return typeof stdout === "string" && typeof stderr === "string" ? { exitCode, stdout, stderr } : null;
}

function parsed(line: string): unknown[] {
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? (value as unknown[]) : [];
  } catch {
    return [];
  }
}
