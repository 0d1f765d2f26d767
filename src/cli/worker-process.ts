import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, getErrorMessage } from "../core/errors.js";
import type { WorkerState } from "../queue/contract.js";
import type { ChildMessage, ParentMessage, ServeRequest } from "./worker-orders.js";

/** How the process of a run ended. */
export interface ProcessEnding {
  readonly kind: "over" | "refused" | "dismissed" | "gaveUp" | "crashed";
  /** Why it did not join, left, or crashed; "" if the run is over. */
  readonly why: string;
  readonly exitCode: number;
}

export interface RunProcessOptions {
  /** The script to start, the same as of this process. */
  readonly launcher: string;
  readonly order: ServeRequest;
  /** Called with each line that it writes. */
  readonly onLine: (line: string) => void;
}

/** How long to wait for the last lines of a process that has exited. */
const LAST_LINES_MS = 1000;

/** A child process that serves one run. */
export class RunProcess {
  /** Null until the first report. */
  state: WorkerState | null = null;
  readonly ended: Promise<ProcessEnding>;
  readonly #child: ChildProcess;
  #refusal: Exclude<ChildMessage, { kind: "state" }> | null = null;

  constructor({ launcher, order, onLine }: RunProcessOptions) {
    this.#child = fork(launcher, ["worker", "--serve"], { stdio: ["ignore", "pipe", "pipe", "ipc"] });
    this.#child.on("message", (word: ChildMessage) => this.#handleMessage(word));
    const { stdout, stderr } = this.#child;
    const read = [stdout, stderr].flatMap((stream) => (stream === null ? [] : [forwardLines(stream, onLine)]));
    this.ended = this.#waitForExit(Promise.all(read));
    this.#send(order);
  }

  /** Finishes running trials, takes no more, and exits. */
  drain(): void {
    this.#send({ kind: "drain" });
  }

  /** Leaves running trials to others, and exits. */
  giveBack(): void {
    this.#send({ kind: "giveBack" });
  }

  /** Exits at once: the process exits by itself when it is disconnected. */
  quit(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  /** For a process that does not respond. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #send(order: ParentMessage): void {
    // A process that has exited gets nothing; `ended` tells how it ended.
    this.#child.send(order, () => {});
  }

  #handleMessage(word: ChildMessage): void {
    if (word.kind === "state") this.state = word.state;
    else this.#refusal = word;
  }

  /** Not "close", which is not emitted for a child that was disconnected before it exited. */
  async #waitForExit(read: Promise<unknown>): Promise<ProcessEnding> {
    try {
      const [code, signal] = (await once(this.#child, "exit")) as [number | null, NodeJS.Signals | null];
      // Processes it started may keep its streams open.
      await Promise.race([read, sleep(LAST_LINES_MS)]);
      return this.#describeExit(code, signal);
    } catch (error) {
      return { kind: "crashed", why: getErrorMessage(error), exitCode: EXIT.infrastructure };
    }
  }

  #describeExit(code: number | null, signal: NodeJS.Signals | null): ProcessEnding {
    if (this.#refusal !== null) return { ...this.#refusal, exitCode: code ?? EXIT.usage };
    if (code === EXIT.fine) return { kind: "over", why: "", exitCode: code };
    const why = signal === null ? `exit code ${code}` : signal;
    return { kind: "crashed", why, exitCode: code ?? EXIT.infrastructure };
  }
}

/** Resolves at the end of the stream. */
async function forwardLines(stream: Readable, onLine: (line: string) => void): Promise<void> {
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on("line", onLine);
  await once(lines, "close");
}
