import { EXIT } from "../core/errors.js";
import { say } from "./streams.js";

/** npx hands a Ctrl-C on that the terminal has given to everybody already: twice within a moment is once. */
const SAME_PRESS_MS = 500;

/** Calls when the process is told to stop, by Ctrl-C or SIGTERM, and says whether it was told before. Returns what ends it. */
export function onStop(stop: (again: boolean) => void, clock: () => number = () => performance.now()): () => void {
  let last: number | null = null;
  const told = () => {
    const again = last !== null;
    if (last !== null && clock() - last < SAME_PRESS_MS) return;
    last = clock();
    stop(again);
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.on(signal, told);
  return () => {
    for (const signal of signals) process.off(signal, told);
  };
}

export interface Interrupt {
  signal: AbortSignal;
  /** Gives the signals back to their default behaviour. */
  release(): void;
}

/** Turns the first Ctrl-C (or SIGTERM) into an orderly stop, the second into an exit at once. */
export function interruptible(beforeMessage: () => void): Interrupt {
  const controller = new AbortController();
  const release = onStop((again) => {
    if (again) process.exit(EXIT.interrupted);
    beforeMessage();
    say("Stopping: writing down what is finished. Press Ctrl-C again to quit at once.");
    controller.abort();
  });
  return { signal: controller.signal, release };
}
