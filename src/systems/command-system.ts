import type { Example, Output, System, TrialContext } from "../core/index.js";
import { TrialError } from "../core/index.js";
import {
  type CommandOptions,
  deriveCommandName,
  fingerprintCommand,
  openCommandPool,
  ProgramError,
  type ProgramPool,
} from "../exec/index.js";
import { readSystemReply, toSystemRequest } from "./system-request.js";

/** Options of `CommandSystem`. */
export interface CommandSystemOptions extends CommandOptions {
  /** Default: the name of the script or program. */
  name?: string;
  /** Maximum time for an answer. Default: 10 minutes. */
  timeoutMs?: number;
  /** Fields of examples that are not sent, besides those for evaluators. */
  hiddenFields?: readonly string[];
}

const CODES = { reported: "PROGRAM_REPORTED_ERROR", wrong: "PROGRAM_WRONG_ANSWER" };

/**
 * A system in any language: a program that reads one JSON object per line and prints one for each.
 * @example
 * const compressor = new CommandSystem({ command: "python3 compress.py" });
 */
export class CommandSystem implements System {
  readonly name: string;
  /** Starting a process does not count as time of the trial. */
  readonly worksInPhases = true;
  readonly #options: CommandSystemOptions;
  readonly #pool: ProgramPool;
  #fingerprint: unknown;

  constructor(options: CommandSystemOptions) {
    this.#options = options;
    this.#pool = openCommandPool(options);
    this.name = options.name ?? deriveCommandName(options.command);
  }

  async process(example: Example, trial: TrialContext): Promise<Output> {
    const { command, timeoutMs, hiddenFields } = this.#options;
    const request = toSystemRequest(example, trial, hiddenFields);
    const { signal, timed } = trial;
    try {
      const { fields, stderr, notes } = await this.#pool.call(request, {
        signal,
        timed,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
      for (const note of notes) trial.log(note);
      return readSystemReply(fields, { label: command, request, metadata: toStderrMetadata(stderr), codes: CODES });
    } catch (error) {
      throw toProgramTrialError(error);
    }
  }

  fingerprint(): unknown {
    // The first value stays: a file that changes during a run does not change what was measured.
    this.#fingerprint ??= { ...(fingerprintCommand(this.#options) as object), version: 1 };
    return this.#fingerprint;
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}

export function toStderrMetadata(stderr: string): Record<string, string> {
  return stderr === "" ? {} : { stderr };
}

/** A failure of the program is an error of the trial, with its code and stderr on the row. Other errors are returned unchanged. */
export function toProgramTrialError(error: unknown): unknown {
  if (!(error instanceof ProgramError)) return error;
  const isMissing = error.code === "PROGRAM_NOT_FOUND" || error.code === "PROGRAM_NOT_STARTED";
  return new TrialError(error.code === "PROGRAM_TIMEOUT" ? "timeout" : "system_error", error.message, {
    cause: error,
    spent: { metadata: { problem: error.code, ...toStderrMetadata(error.stderr) } },
    ...(isMissing ? { outlook: "refused" as const } : {}),
  });
}
