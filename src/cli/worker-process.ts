import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, getErrorMessage, UsageError } from "../core/index.js";
import type { TrialShare, WorkerState } from "../queue/index.js";
import type { WorkerPermissions } from "./worker-allow.js";

/** How the process of a run ended. */
export interface ProcessEnding {
  readonly kind: "over" | "refused" | "dismissed" | "gaveUp" | "crashed";
  /** Why it did not join, left, or crashed; "" if the run is over. */
  readonly why: string;
  readonly exitCode: number;
}

interface RunProcessOptions {
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

/** Request to a worker's child process to serve one run. Sent as a message, because other users can see flags. */
export interface ServeRequest {
  readonly kind: "serve";
  readonly run: string;
  readonly queue: string;
  readonly concurrency: number;
  /** Which trials it takes: those that may crash their process run in a separate one. */
  readonly share: TrialShare;
  readonly leaseSeconds: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The project folder on this machine; null for the path where the run was started, if that is in the worker's folder. */
  readonly project: string | null;
  readonly allowed: WorkerPermissions;
  /** Folder for large outputs on this machine; null for the path set by the run. */
  readonly sharedDir: string | null;
}

type ParentMessage = ServeRequest | { readonly kind: "drain" } | { readonly kind: "giveBack" };

type ChildMessage =
  | { readonly kind: "state"; readonly state: WorkerState }
  /** It does not join, was dismissed, or gave up because Redis rejects requests. */
  | { readonly kind: "refused" | "dismissed" | "gaveUp"; readonly why: string };

/** The child's side of the connection. */
export interface ParentChannel {
  readonly request: Promise<ServeRequest>;
  /** Aborted to finish running trials and take no more. */
  readonly drain: AbortSignal;
  /** Aborted to leave running trials to other workers. */
  readonly giveBack: AbortSignal;
  send(word: ChildMessage): Promise<void>;
}

/** Receives messages from the worker that started this process, and exits with it. */
export function listenToParent(): ParentChannel {
  if (process.connected === undefined)
    throw new UsageError(
      "--serve is only for processes that assay worker starts. Write: assay worker --queue redis://HOST:6379.",
    );
  // Ctrl-C in a terminal reaches every process; the worker decides what to do.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  // The worker may have exited before this process started to listen.
  if (!process.connected) process.exit(EXIT.interrupted);
  process.on("disconnect", () => process.exit(EXIT.interrupted));
  const [drain, giveBack] = [new AbortController(), new AbortController()];
  const served = new Promise<ServeRequest>((resolve) => {
    process.on("message", (order: ParentMessage) => {
      if (order.kind === "serve") resolve(order);
      else (order.kind === "drain" ? drain : giveBack).abort();
    });
  });
  const tell = (word: ChildMessage) => new Promise<void>((resolve) => process.send?.(word, () => resolve()));
  return { request: served, drain: drain.signal, giveBack: giveBack.signal, send: tell };
}
