import type { ErrorCategory } from "./row.js";
import type { Output } from "./system.js";

/** Process exit codes, the same for every command. */
export const EXIT = {
  fine: 0,
  gateFailed: 1,
  usage: 2,
  infrastructure: 3,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

/**
 * The base class of all errors that Assay throws on purpose: a stable `code`, a message that says what happened and what
 * to do, and the exit code for the command line.
 */
export class AssayError extends Error {
  readonly code: string;
  readonly exitCode: number;

  constructor(code: string, message: string, options: { cause?: unknown; exitCode?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.exitCode = options.exitCode ?? EXIT.usage;
  }
}

/** An option, flag or argument is invalid. */
export class UsageError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("USAGE", message, options);
  }
}

/** A user-supplied object lacks a member that its interface requires. */
export class ShapeError extends AssayError {
  constructor(message: string) {
    super("SHAPE", message);
  }
}

/** A name is unknown to the registry, or already registered. */
export class RegistryError extends AssayError {
  constructor(message: string) {
    super("REGISTRY", message);
  }
}

/** A dataset or one of its rows cannot be read. */
export class DatasetError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("DATASET", message, options);
  }
}

/** A price, limit or models file is invalid. */
export class BudgetError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("BUDGET", message, options);
  }
}

/** No evaluator produces the requested score field. */
export class ScoreFieldError extends AssayError {
  constructor(message: string) {
    super("SCORE_FIELD", message);
  }
}

/** A user's module (plugin, system or config) cannot be loaded. */
export class ModuleError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("MODULE", message, options);
  }
}

/** A run folder cannot be read, is not a run folder, or does not match the request. */
export class RunFolderError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("RUN_FOLDER", message, options);
  }
}

/** The journal cannot be written (disk full, permissions). Rows written before are safe, and the run can be resumed. */
export class JournalError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("JOURNAL", message, { ...options, exitCode: EXIT.infrastructure });
  }
}

/** The queue cannot be reached, or its contents do not match the request. */
export class QueueError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("QUEUE", message, { ...options, exitCode: EXIT.infrastructure });
  }
}

/** The event loop is empty but the run is not finished: a promise will never settle. */
export class StalledError extends AssayError {
  constructor() {
    super(
      "STALLED",
      "The run cannot continue: a system or an evaluator waits for something that can no longer happen. Recorded trials are safe; fix the cause and continue with --resume.",
      { exitCode: EXIT.infrastructure },
    );
  }
}

/** No sandbox is available for untrusted programs, or the sandbox failed. Says nothing about the program. */
export class SandboxError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("SANDBOX", message, { ...options, exitCode: EXIT.infrastructure });
  }
}

/** The request leaves nothing to run; never counts as success. */
export class NothingToRunError extends AssayError {
  constructor(message: string) {
    super("NOTHING_TO_RUN", message, { exitCode: EXIT.infrastructure });
  }
}

/** A reporter failed; the run itself is stored. */
export class ReporterError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("REPORTER", message, { ...options, exitCode: EXIT.infrastructure });
  }
}

/** Error categories of the infrastructure: the trial says nothing about quality. */
export type InfrastructureCategory = Extract<ErrorCategory, "api_error" | "rate_limit" | "timeout" | "system_error">;

/** Thrown by a system that knows the category of its failure; anything else it throws is a `system_error`. */
export class TrialError extends AssayError {
  readonly category: InfrastructureCategory;
  /** Usage and cost before the failure, which are billed. */
  readonly spent?: Spent;
  /** Set if the call may be retried because nothing was received. */
  readonly retry?: Retry;
  /** Set if the failure affects other calls as well. */
  readonly outlook?: Outlook;

  constructor(
    category: InfrastructureCategory,
    message: string,
    { spent, retry, outlook, ...options }: { cause?: unknown; spent?: Spent; retry?: Retry; outlook?: Outlook } = {},
  ) {
    super("TRIAL", message, { ...options, exitCode: EXIT.infrastructure });
    this.category = category;
    if (spent !== undefined) this.spent = spent;
    if (retry !== undefined) this.retry = retry;
    if (outlook !== undefined) this.outlook = outlook;
  }
}

const INFRASTRUCTURE_CATEGORIES = new Set(["api_error", "rate_limit", "timeout", "system_error"]);

/** Checks the code instead of the class, because a system may have loaded its own copy of this package. */
export function isTrialError(error: unknown): error is TrialError {
  const { code, category } = (error ?? {}) as Partial<TrialError>;
  return code === "TRIAL" && INFRASTRUCTURE_CATEGORIES.has(String(category));
}

/**
 * What a failed call means for later calls: the endpoint refuses the system for every request (wrong key or model);
 * it rejects this request and perhaps others; or it is down.
 */
export type Outlook = "refused" | "rejected" | "down";

/** When to retry a failed call. */
export interface Retry {
  /** The wait that the endpoint requests; null if it names none. */
  readonly afterMs: number | null;
}

/**
 * The abort reason of a trial that is stopped for its cost or time. If the system returns a partial output, that is
 * graded.
 */
export class TrialStopped extends AssayError {
  readonly stopped: "cost_killed" | "time_killed";

  constructor(stopped: "cost_killed" | "time_killed") {
    super(
      stopped.toUpperCase(),
      stopped === "cost_killed" ? "The trial exceeded its cost limit." : "The trial exceeded its time limit.",
      {
        exitCode: EXIT.infrastructure,
      },
    );
    this.stopped = stopped;
  }
}

/** The measurements of an output that was never completed. */
export type Spent = Pick<
  Output,
  "usage" | "costUsd" | "partial" | "turns" | "ttftMs" | "metadata" | "trajectory" | "faults"
>;

/** Returns a message for anything that was thrown. */
export function getErrorMessage(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  return typeof thrown === "object" && thrown !== null ? describeThrownObject(thrown) : String(thrown);
}

/** Some libraries throw plain objects, and errors of other realms are not `instanceof Error`. */
function describeThrownObject(thrown: { message?: unknown }): string {
  if (typeof thrown.message === "string" && thrown.message !== "") return thrown.message;
  try {
    return JSON.stringify(thrown);
  } catch {
    return "an object";
  }
}
