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
 * The base of every error Assay raises on purpose: a stable `code`, a message that says what happened and what to do,
 * and the exit code of a command that ends with it.
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

/** An option, flag or argument that cannot be used as given. */
export class UsageError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("USAGE", message, options);
  }
}

/** A value plugged in that lacks what its interface asks for. */
export class ShapeError extends AssayError {
  constructor(message: string) {
    super("SHAPE", message);
  }
}

/** A name that the registry does not know, or knows already. */
export class RegistryError extends AssayError {
  constructor(message: string) {
    super("REGISTRY", message);
  }
}

/** A dataset, or a row of one, that cannot be read. */
export class DatasetError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("DATASET", message, options);
  }
}

/** A price, a limit or a models file that cannot be used as it is. */
export class BudgetError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("BUDGET", message, options);
  }
}

/** A score field that no evaluator produces. */
export class ScoreFieldError extends AssayError {
  constructor(message: string) {
    super("SCORE_FIELD", message);
  }
}

/** A user's module (plugin, system, config) that cannot be loaded. */
export class ModuleError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("MODULE", message, options);
  }
}

/** A run folder that cannot be read, is not one, or does not fit what is asked of it. */
export class RunFolderError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("RUN_FOLDER", message, options);
  }
}

/** The journal cannot be written (disk full, permissions). What was written before stays and can be resumed. */
export class JournalError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("JOURNAL", message, { ...options, exitCode: EXIT.infrastructure });
  }
}

/** The queue cannot be reached, or what is in it does not fit what is asked of it. */
export class QueueError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("QUEUE", message, { ...options, exitCode: EXIT.infrastructure });
  }
}

/** The process has nothing left to do, but the run is not over: a promise was never settled and nothing is left to settle it. */
export class StalledError extends AssayError {
  constructor() {
    super(
      "STALLED",
      "The run cannot go on: a system or an evaluator is waiting for something that can no longer happen. What is recorded is kept: mend it, then go on with --resume.",
      { exitCode: EXIT.infrastructure },
    );
  }
}

/** There is no isolation to run untrusted programs in, or it failed; it says nothing about the program. */
export class SandboxError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("SANDBOX", message, { ...options, exitCode: EXIT.infrastructure });
  }
}

/** Nothing is left to be run of what was asked for: never a success. */
export class NothingToRunError extends AssayError {
  constructor(message: string) {
    super("NOTHING_TO_RUN", message, { exitCode: EXIT.infrastructure });
  }
}

/** A reporter that failed; what it was to report is stored. */
export class ReporterError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("REPORTER", message, { ...options, exitCode: EXIT.infrastructure });
  }
}

/** The error categories that mean "infrastructure": the trial says nothing about quality. */
export type InfrastructureCategory = Extract<ErrorCategory, "api_error" | "rate_limit" | "timeout" | "system_error">;

/** Thrown by a system that knows what kind of failure it met; anything else it throws is a `system_error`. */
export class TrialError extends AssayError {
  readonly category: InfrastructureCategory;
  /** What was used up before the failure: it is billed all the same. */
  readonly spent?: Spent;
  /** Present when the call may be made again: nothing had come back. */
  readonly retry?: Retry;
  /** Present when the failure says something of other calls. */
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

const INFRASTRUCTURE = new Set(["api_error", "rate_limit", "timeout", "system_error"]);

/** By its code, not its class: a system may have a copy of this package of its own. */
export function isTrialError(error: unknown): error is TrialError {
  const { code, category } = (error ?? {}) as Partial<TrialError>;
  return code === "TRIAL" && INFRASTRUCTURE.has(String(category));
}

/**
 * What a failed call says of those to come: the endpoint refuses the system, whatever is asked (a wrong key or model);
 * it rejects this request, and perhaps all; or it is not there.
 */
export type Outlook = "refused" | "rejected" | "down";

/** When a failed call may be made again. */
export interface Retry {
  /** How long the endpoint asks to wait; null when it does not say. */
  readonly afterMs: number | null;
}

/**
 * The reason of a trial's signal when the trial itself is stopped, for its cost or its time. A system that gives back
 * what it has by then is graded on that.
 */
export class TrialStopped extends AssayError {
  readonly stopped: "cost_killed" | "time_killed";

  constructor(stopped: "cost_killed" | "time_killed") {
    super(
      stopped.toUpperCase(),
      stopped === "cost_killed" ? "The trial has cost too much." : "The trial took too long.",
      {
        exitCode: EXIT.infrastructure,
      },
    );
    this.stopped = stopped;
  }
}

/** The measured part of an output that never came to be. */
export type Spent = Pick<Output, "usage" | "costUsd" | "partial" | "turns" | "ttftMs" | "metadata" | "trajectory">;

/** The text of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  return typeof thrown === "object" && thrown !== null ? textOfObject(thrown) : String(thrown);
}

/** Libraries throw plain objects, and errors of other realms are not instances of ours. */
function textOfObject(thrown: { message?: unknown }): string {
  if (typeof thrown.message === "string" && thrown.message !== "") return thrown.message;
  try {
    return JSON.stringify(thrown);
  } catch {
    return "an object";
  }
}
