import { EXIT } from "../core/errors.js";
import { say } from "./streams.js";

/** npx hands a Ctrl-C on that the terminal has given to everybody already: twice within a moment is once. */
const SAME_PRESS_MS = 500;

/** What ends a command, and the exit code that says so: Ctrl-C, an orderly end, a terminal that was closed. */
const STOP_SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.hungUp } as const;

type StopSignal = keyof typeof STOP_SIGNALS;

const SIGNALS = Object.keys(STOP_SIGNALS) as StopSignal[];

/** Whether an exit code says that the process was told to stop. */
export function isStopCode(code: number): boolean {
  return Object.values(STOP_SIGNALS).some((each) => each === code);
}

/** How the process was told to stop. */
export interface Stop {
  /** True when it was told before. */
  again: boolean;
  /** What it ends with. */
  exitCode: number;
}

/** Calls when the process is told to stop, by Ctrl-C, SIGTERM or SIGHUP. Returns what ends it. */
export function onStop(stop: (how: Stop) => void, clock: () => number = () => performance.now()): () => void {
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

export interface Interrupt {
  signal: AbortSignal;
  /** What the command ends with; null while nothing has told it to stop. */
  readonly exitCode: number | null;
  /** Gives the signals back to their default behaviour. */
  release(): void;
}

/** Turns the first Ctrl-C (or SIGTERM, or SIGHUP) into an orderly stop, the second into an exit at once. */
export function interruptible(beforeMessage: () => void): Interrupt {
  const controller = new AbortController();
  let first: number | null = null;
  const release = onStop(({ again, exitCode }) => {
    if (again) process.exit(exitCode);
    first = exitCode;
    beforeMessage();
    say("Stopping: writing down what is finished. Press Ctrl-C again to quit at once.");
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
