import type { Turn, Usage } from "../../core/index.js";
import { describeValue, TrialError } from "../../core/index.js";
import {
  type CommandOptions,
  deriveCommandName,
  type JsonFields,
  type LineReply,
  openCommandPool,
  type ProgramPool,
} from "../../exec/index.js";
import { toProgramTrialError, toStderrMetadata } from "../command-system.js";
import type { MemoryAnswer, MemoryFactory, MemorySystem, MemoryTrial } from "./memory-system.js";

/** Options of `createCommandMemory`. */
export interface CommandMemoryOptions extends Omit<CommandOptions, "once" | "maxParallel"> {
  /** Default: the name of the script or program. */
  name?: string;
  /** Maximum time for an answer. Default: 10 minutes. */
  timeoutMs?: number;
}

/**
 * Makes memories that are programs in any language: each conversation has a process of its own.
 * @example
 * await MemoryTrials.open(createCommandMemory({ command: "python3 memory.py" }), { conversations });
 */
export function createCommandMemory(options: CommandMemoryOptions): MemoryFactory {
  return () => new CommandMemory(options);
}

const NEVER = new AbortController().signal;

class CommandMemory implements MemorySystem {
  readonly name: string;
  readonly #options: CommandMemoryOptions;
  readonly #pool: ProgramPool;
  #count = 0;
  /** What the process was told, to be told again to the next one if it ends. */
  #turns: Turn[] | null = null;
  /** The process that was told; null if none. */
  #pid: number | null = null;
  #telling: Promise<void> | null = null;

  constructor(options: CommandMemoryOptions) {
    this.#options = options;
    // It keeps a state, so there is one process, and it is kept.
    this.#pool = openCommandPool({ ...options, maxParallel: 1, once: false });
    this.name = options.name ?? deriveCommandName(options.command);
  }

  async reset(): Promise<void> {
    this.#turns = null;
    await this.#call({ op: "reset" }, NEVER);
  }

  async ingest(turns: Turn[], trial?: MemoryTrial): Promise<void> {
    const { pid } = await this.#call({ op: "ingest", turns }, trial?.signal ?? NEVER);
    this.#turns = turns;
    this.#pid = pid;
  }

  async query(question: string, trial?: MemoryTrial): Promise<MemoryAnswer> {
    const signal = trial?.signal ?? NEVER;
    await this.#tellAgain(signal);
    const date = trial?.date === undefined ? {} : { date: trial.date };
    const { fields, stderr, pid } = await this.#call({ op: "query", question, ...date }, signal);
    if (this.#turns === null || pid === this.#pid) return this.#readAnswer(fields, stderr);
    throw new TrialError(
      "system_error",
      `${this.#options.command} ended between the conversation and the question, so it answered without the conversation.`,
      { spent: toSpent(fields) },
    );
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  /** A process that ended took its memory with it. */
  async #tellAgain(signal: AbortSignal): Promise<void> {
    if (this.#turns === null || this.#pool.has(this.#pid)) return;
    const turns = this.#turns;
    this.#telling ??= this.#tell(turns, signal).finally(() => {
      this.#telling = null;
    });
    await this.#telling;
  }

  async #tell(turns: Turn[], signal: AbortSignal): Promise<void> {
    await this.#call({ op: "reset" }, signal);
    const { pid } = await this.#call({ op: "ingest", turns }, signal);
    this.#pid = pid;
  }

  async #call(fields: JsonFields, signal: AbortSignal): Promise<LineReply> {
    const { command, timeoutMs } = this.#options;
    this.#count += 1;
    try {
      const reply = await this.#pool.call(
        { id: this.#count, ...fields },
        { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
      );
      const { error } = reply.fields;
      if (error === undefined || error === null || error === "") return reply;
      const metadata = { problem: "PROGRAM_REPORTED_ERROR", ...toStderrMetadata(reply.stderr) };
      const what = typeof error === "string" ? error : describeValue(error);
      throw new TrialError("system_error", `${command} reported an error: ${what}`, {
        spent: { ...toSpent(reply.fields), metadata },
      });
    } catch (error) {
      throw toProgramTrialError(error);
    }
  }

  #readAnswer(fields: JsonFields, stderr: string): MemoryAnswer {
    const { id: _, answer, response = answer, context, context_tokens: contextTokens, metadata } = fields;
    if (typeof response !== "string")
      throw new TrialError(
        "system_error",
        `${this.#options.command} printed ${describeValue(response)} as the answer to a query. Answer with {"id": …, "answer": "…"}.`,
        { spent: { ...toSpent(fields), metadata: { problem: "PROGRAM_WRONG_ANSWER", ...toStderrMetadata(stderr) } } },
      );
    return {
      answer: response,
      ...toSpent(fields),
      // Checked with the answer.
      ...(context == null ? {} : { context: context as string }),
      ...(contextTokens == null ? {} : { contextTokens: contextTokens as number }),
      metadata: { ...(metadata as object | null | undefined), ...toStderrMetadata(stderr) },
    };
  }
}

/** What an answer cost, whatever else is wrong with it. Invalid amounts are ignored by the runner. */
function toSpent({ usage, cost_usd: costUsd }: JsonFields): Pick<MemoryAnswer, "usage" | "costUsd"> {
  return {
    ...(usage == null ? {} : { usage: usage as Usage }),
    ...(costUsd == null ? {} : { costUsd: costUsd as number }),
  };
}
