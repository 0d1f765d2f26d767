import type { Evaluator, Example, Output, ScoreContext, Scored, Usage } from "../core/index.js";
import { describeValue } from "../core/index.js";
import {
  type CommandOptions,
  deriveCommandName,
  fingerprintCommand,
  type JsonFields,
  openCommandPool,
  ProgramError,
  type ProgramPool,
} from "../exec/index.js";

/** Options of `CommandEvaluator`. */
export interface CommandEvaluatorOptions extends CommandOptions {
  /** Default: the name of the script or program. */
  name?: string;
  /** Maximum time for an answer. Default: 10 minutes. */
  timeoutMs?: number;
  /** The score fields that it may emit, best first. Default: unknown until it answers. */
  fields?: readonly string[];
}

const NEVER = new AbortController().signal;

/**
 * An evaluator in any language: a program that reads `{"id", "example", "output"}` and prints `{"id", "scores"}`, one JSON
 * object per line.
 * @example
 * const evaluator = new CommandEvaluator({ command: "python3 score.py", fields: ["kept"] });
 */
export class CommandEvaluator implements Evaluator {
  readonly name: string;
  declare readonly fields?: readonly string[];
  declare readonly primaryFields?: readonly string[];
  readonly #options: CommandEvaluatorOptions;
  readonly #pool: ProgramPool;
  #count = 0;
  #fingerprint: unknown;

  constructor(options: CommandEvaluatorOptions) {
    this.#options = options;
    this.#pool = openCommandPool(options);
    this.name = options.name ?? deriveCommandName(options.command);
    if (options.fields === undefined) return;
    this.fields = options.fields;
    this.primaryFields = options.fields;
  }

  async score(example: Example, output: Output, context?: ScoreContext): Promise<Scored> {
    const { timeoutMs } = this.#options;
    this.#count += 1;
    const { fields } = await this.#pool.call(
      { id: this.#count, example, output },
      { signal: context?.signal ?? NEVER, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
    );
    this.#meter(fields, context);
    return this.#readScores(fields);
  }

  fingerprint(): unknown {
    this.#fingerprint ??= { ...(fingerprintCommand(this.#options) as object), version: 1 };
    return this.#fingerprint;
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  #meter({ cost_usd: costUsd, usage }: JsonFields, context: ScoreContext | undefined): void {
    if (costUsd === undefined && usage === undefined) return;
    const isCost = typeof costUsd === "number" && Number.isFinite(costUsd) && costUsd >= 0;
    context?.meter?.add({
      costUsd: isCost ? costUsd : null,
      ...(typeof usage === "object" && usage !== null ? { usage: usage as Usage } : {}),
    });
  }

  #readScores({ scores = {}, measures, evidence, unscored, error }: JsonFields): Scored {
    if (error !== undefined && error !== null && error !== "")
      throw this.#fail(
        "PROGRAM_REPORTED_ERROR",
        `reported an error: ${typeof error === "string" ? error : JSON.stringify(error)}`,
      );
    const read = {
      scores: this.#readRecord("scores", scores, "number"),
      ...(measures == null ? {} : { measures: this.#readRecord("measures", measures, "number") }),
      ...(evidence == null ? {} : { evidence: this.#readRecord("evidence", evidence, "string") }),
      ...(unscored == null ? {} : { unscored: this.#readRecord("unscored", unscored, "string") }),
    };
    if (
      Object.keys(read.scores).length +
        Object.keys(read.measures ?? {}).length +
        Object.keys(read.unscored ?? {}).length >
      0
    )
      return read;
    throw this.#fail("PROGRAM_WRONG_ANSWER", `printed an answer without scores. ${ANSWER_FORM}`);
  }

  #readRecord<Kind extends keyof Kinds>(field: string, value: unknown, kind: Kind): Record<string, Kinds[Kind]> {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw this.#fail("PROGRAM_WRONG_ANSWER", `printed ${describeValue(value)} as "${field}". ${ANSWER_FORM}`);
    const wrong = Object.entries(value).find(([, each]) => typeof each !== kind);
    if (wrong === undefined) return value as Record<string, Kinds[Kind]>;
    throw this.#fail(
      "PROGRAM_WRONG_ANSWER",
      `printed ${describeValue(wrong[1])} as "${wrong[0]}" of "${field}", where a ${kind} is expected. ${ANSWER_FORM}`,
    );
  }

  #fail(code: "PROGRAM_REPORTED_ERROR" | "PROGRAM_WRONG_ANSWER", what: string): ProgramError {
    return new ProgramError(code, `${this.#options.command} ${what}`);
  }
}

interface Kinds {
  number: number;
  string: string;
}

const ANSWER_FORM = 'Answer with {"id": …, "scores": {"NAME": 0.5}}.';
