import { EXIT } from "../core/errors.js";
import { say } from "./streams.js";

export interface Interrupt {
  signal: AbortSignal;
  /** Gives the signals back to their default behaviour. */
  release(): void;
}

/** Turns the first Ctrl-C (or SIGTERM) into an orderly stop, the second into an exit at once. */
export function interruptible(beforeMessage: () => void): Interrupt {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    beforeMessage();
    say("Stopping: writing down what is finished. Press Ctrl-C again to quit at once.");
    controller.abort();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  const release = () => {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  };
  return { signal: controller.signal, release };
}
