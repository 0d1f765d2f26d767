import { AssayError, EXIT } from "../../core/errors.js";

/** A thread task exceeded its time limit; its thread was terminated. */
export class TimeLimitError extends AssayError {
  constructor(task: string, limitMs: number) {
    super(
      "TIME_LIMIT",
      `Task "${task}" was stopped: it exceeded its limit of ${limitMs} ms. Shorten or simplify its input, or raise the limit.`,
      { exitCode: EXIT.infrastructure },
    );
  }
}

/** A thread task failed: it threw, could not be loaded, or its thread died. */
export class ThreadTaskError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("HEAVY_TASK", message, { ...options, exitCode: EXIT.infrastructure });
  }
}
