import type { Usage } from "../../core/system.js";
import { AnthropicReader } from "../../models/dialects/anthropic-reader.js";
import type { Finish } from "../../models/dialects/dialect.js";
import { type Fields, fieldsOf } from "../../models/dialects/fields.js";
import { RawUsage } from "../../models/dialects/raw-usage.js";
import type { AgentFigures } from "../adapter.js";

const CLASSES = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning"] as const;

type Counts = Record<(typeof CLASSES)[number], number>;

/** The names of the classes in a result's totals by model. */
const MODEL_USAGE: Readonly<Record<(typeof CLASSES)[number], string>> = {
  input: "inputTokens",
  output: "outputTokens",
  cacheRead: "cacheReadInputTokens",
  cacheWrite: "cacheCreationInputTokens",
  cacheWrite1h: "cacheCreationEphemeral1hInputTokens",
  reasoning: "thinkingTokens",
};

/** Adds up what the messages of a run used, and holds it against the totals that the run ends with. */
export class ClaudeUsage {
  readonly #messages = new Map<string, AnthropicReader>();
  #total: Counts | null = null;
  #costUsd: number | null = null;
  #isOver = false;
  #hasAbandoned = false;

  /** Takes in an event of the model's own answer. Usage is repeated and grows: inside a message the largest counts. */
  add(messageId: string, event: unknown): void {
    const message = this.#messages.get(messageId) ?? new AnthropicReader();
    this.#messages.set(messageId, message);
    message.readEvent(event);
  }

  /** How a message ended; null while it has not. */
  finishOf(messageId: string): Finish | null {
    return this.#messages.get(messageId)?.finish ?? null;
  }

  /** A message broke off: what it used in the end was never told. */
  abandon(): void {
    this.#hasAbandoned = true;
  }

  /** There is more to come after a result, as when a sub-agent in the background was waited for. */
  goOn(): void {
    this.#isOver = false;
  }

  /** Takes in the result, whose totals are of all of the run, side calls included. */
  end(result: Fields): void {
    this.#isOver = true;
    const byModel = Object.values(fieldsOf(result.modelUsage) ?? {});
    if (byModel.length > 0) this.#total = sumOf(byModel.map(countsOfModel));
    const cost = result.total_cost_usd;
    if (typeof cost === "number" && cost >= 0) this.#costUsd = cost;
  }

  get figures(): AgentFigures {
    const usage = this.#usage();
    // A cost of 0 without any usage is a cost that nobody knows.
    const costUsd = usage === null ? null : this.#costUsd;
    return { usage, costUsd, isPartial: !this.#isOver || this.#hasAbandoned };
  }

  /** Each leaves out what the other has: the totals know of side calls, the messages of answers that broke off. */
  #usage(): Usage | null {
    const told = [...this.#messages.values()].flatMap(({ usage }) => (usage === null ? [] : [usage]));
    if (told.length === 0) return this.#total === null ? null : usageOf(this.#total);
    const sum = sumOf(told);
    const total = this.#total ?? sum;
    return usageOf(countsBy((name) => Math.max(sum[name], total[name])));
  }
}

function countsOfModel(value: unknown): Counts {
  const raw = new RawUsage(fieldsOf(value) ?? {});
  return countsBy((name) => raw.count(MODEL_USAGE[name]) ?? 0);
}

function sumOf(usages: readonly Usage[]): Counts {
  return countsBy((name) => usages.reduce((sum, usage) => sum + (usage[name] ?? 0), 0));
}

function countsBy(count: (name: keyof Counts) => number): Counts {
  return {
    input: count("input"),
    output: count("output"),
    cacheRead: count("cacheRead"),
    cacheWrite: count("cacheWrite"),
    cacheWrite1h: count("cacheWrite1h"),
    reasoning: count("reasoning"),
  };
}

/** Without the classes that nothing was counted in. */
function usageOf({ input, output, ...others }: Counts): Usage {
  return { input, output, ...Object.fromEntries(Object.entries(others).filter(([, count]) => count > 0)) };
}
