import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, messageOf } from "../core/errors.js";
import type { WorkerState } from "../queue/contract.js";
import type { Order, ServeOrder, Word } from "./worker-orders.js";

/** How the process of a run ended. */
export interface Ending {
  readonly kind: "over" | "refused" | "dismissed" | "gaveUp" | "crashed";
  /** Why it does not take part, or not any more, or how it crashed; "" when the run is over. */
  readonly why: string;
  readonly exitCode: number;
}

export interface RunProcessOptions {
  /** The program that is started, as this one was. */
  readonly launcher: string;
  readonly order: ServeOrder;
  /** Told each line that it writes. */
  readonly onLine: (line: string) => void;
}

/** How long the last lines of a process that has ended are waited for. */
const LAST_LINES_MS = 1000;

/** A process that takes part in one run. */
export class RunProcess {
  /** How it does; null before it has begun. */
  state: WorkerState | null = null;
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  #refusal: Exclude<Word, { kind: "state" }> | null = null;

  constructor({ launcher, order, onLine }: RunProcessOptions) {
    this.#child = fork(launcher, ["worker", "--serve"], { stdio: ["ignore", "pipe", "pipe", "ipc"] });
    this.#child.on("message", (word: Word) => this.#hear(word));
    const { stdout, stderr } = this.#child;
    const read = [stdout, stderr].flatMap((stream) => (stream === null ? [] : [readLines(stream, onLine)]));
    this.ended = this.#end(Promise.all(read));
    this.#tell(order);
  }

  /** Has it finish the trials under way, take no more, and end. */
  drain(): void {
    this.#tell({ kind: "drain" });
  }

  /** Has it leave the trials under way to others, and end. */
  giveBack(): void {
    this.#tell({ kind: "giveBack" });
  }

  /** Has it end at once: it ends by itself when nobody speaks to it any more. */
  quit(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  /** Ends one that does not listen. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #tell(order: Order): void {
    // One that has ended hears nothing; how it ended is told by `ended`.
    this.#child.send(order, () => {});
  }

  #hear(word: Word): void {
    if (word.kind === "state") this.state = word.state;
    else this.#refusal = word;
  }

  /** Not "close", which does not come for one that was let go of before it ended. */
  async #end(read: Promise<unknown>): Promise<Ending> {
    try {
      const [code, signal] = (await once(this.#child, "exit")) as [number | null, NodeJS.Signals | null];
      // What it has started may hold its streams open.
      await Promise.race([read, sleep(LAST_LINES_MS)]);
      return this.#ending(code, signal);
    } catch (error) {
      return { kind: "crashed", why: messageOf(error), exitCode: EXIT.infrastructure };
    }
  }

  #ending(code: number | null, signal: NodeJS.Signals | null): Ending {
    if (this.#refusal !== null) return { ...this.#refusal, exitCode: code ?? EXIT.usage };
    if (code === EXIT.fine) return { kind: "over", why: "", exitCode: code };
    const why = signal === null ? `exit code ${code}` : signal;
    return { kind: "crashed", why, exitCode: code ?? EXIT.infrastructure };
  }
}

/** Resolves when there are no more. */
async function readLines(stream: Readable, onLine: (line: string) => void): Promise<void> {
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on("line", onLine);
  await once(lines, "close");
}
