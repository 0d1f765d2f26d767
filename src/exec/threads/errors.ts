import { AssayError, EXIT } from "../../core/errors.js";

/** Heavy work that took longer than it may; the thread that did it has been ended. */
export class TimeLimitError extends AssayError {
  constructor(task: string, limitMs: number) {
    super(
      "TIME_LIMIT",
      `The work "${task}" was stopped: it took longer than its limit of ${limitMs} ms. Make its input shorter or simpler, or raise the limit.`,
      { exitCode: EXIT.infrastructure },
    );
  }
}

/** Heavy work that failed: the task threw, could not be loaded, or its thread died. */
export class HeavyTaskError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("HEAVY_TASK", message, { ...options, exitCode: EXIT.infrastructure });
  }
}
