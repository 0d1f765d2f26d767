import { EXIT } from "../core/index.js";
import { printNote } from "./streams.js";

/** npx forwards a Ctrl-C that the terminal has already sent to all processes: two within a moment count as one. */
const SAME_PRESS_MS = 500;

/** Signals that stop a command, and their exit codes. */
const STOP_SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.hungUp } as const;

type StopSignal = keyof typeof STOP_SIGNALS;

const SIGNALS = Object.keys(STOP_SIGNALS) as StopSignal[];

/** True if the exit code means that the process was stopped by a signal. */
export function isStopCode(code: number): boolean {
  return Object.values(STOP_SIGNALS).some((each) => each === code);
}

interface StopRequest {
  /** True if it was requested before. */
  again: boolean;
  exitCode: number;
}

/** Calls `stop` on Ctrl-C, SIGTERM or SIGHUP. Returns an unsubscribe function. */
export function onStopSignal(
  stop: (how: StopRequest) => void,
  clock: () => number = () => performance.now(),
): () => void {
  let last: number | null = null;
  const told = (signal: NodeJS.Signals) => {
    const again = last !== null;
    if (last !== null && clock() - last < SAME_PRESS_MS) return;
    last = clock();
    stop({ again, exitCode: STOP_SIGNALS[signal as StopSignal] });
  };
  for (const signal of SIGNALS) process.on(signal, told);
  return () => {
    for (const signal of SIGNALS) process.off(signal, told);
  };
}

interface Interrupt {
  signal: AbortSignal;
  /** Exit code of the command; null unless a stop was requested. */
  readonly exitCode: number | null;
  /** Restores the default behavior of the signals. */
  release(): void;
}

/** The first Ctrl-C (or SIGTERM, SIGHUP) stops in order, the second exits at once. */
export function createInterrupt(beforeMessage: () => void): Interrupt {
  const controller = new AbortController();
  let first: number | null = null;
  const release = onStopSignal(({ again, exitCode }) => {
    if (again) process.exit(exitCode);
    first = exitCode;
    beforeMessage();
    printNote("Stopping: saving finished trials. Press Ctrl-C again to quit at once.");
    controller.abort();
  });
  return {
    signal: controller.signal,
    get exitCode() {
      return first;
    },
    release,
  };
}

/** Turns a signal into a regular exit, so that exit handlers remove temporary files. */
export async function exitOnSignal<T>(work: () => Promise<T>): Promise<T> {
  const end = () => process.exit(EXIT.interrupted);
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  try {
    return await work();
  } finally {
    process.off("SIGINT", end);
    process.off("SIGTERM", end);
  }
}

/** Resolves on the first Ctrl-C or SIGTERM; the next one has its default effect. */
export function waitForStop(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
      resolve();
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
  });
}
