import type { Example } from "../core/example.js";
import { type Attempt, type CostSource, type EvalRow, makeRow } from "../core/row.js";
import type { Output, Usage } from "../core/system.js";
import type { Tokenizer } from "../core/tokenizer.js";
import type { Trial } from "./admit.js";
import type { Returned } from "./attempt.js";
import type { Ending } from "./classify.js";
import type { Graded } from "./score.js";

/** Counts what a system was given and what it produced. */
export class TokenCounter {
  readonly #tokenizer: Tokenizer;
  /** Input tokens by example, so that a long context is counted once however many systems and trials see it. */
  readonly #inputs = new Map<number, number>();

  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer;
  }

  input(exampleIndex: number, example: Example): number {
    const known = this.#inputs.get(exampleIndex);
    if (known !== undefined) return known;
    const tokens = this.#countInput(example);
    this.#inputs.set(exampleIndex, tokens);
    return tokens;
  }

  release(exampleIndex: number): void {
    this.#inputs.delete(exampleIndex);
  }

  /**
   * Tokens of the text fields that the system added or changed; what it echoed beside a response was not its work. An
   * output without a response is a context handed on, and counts as a whole: a compressor that found nothing to cut
   * has not saved everything.
   */
  output(example: Example, output: Output): number {
    const handsOnContext = output.response === undefined;
    let tokens = 0;
    for (const field in output) {
      const value = output[field];
      if (typeof value !== "string" || LABELS.has(field)) continue;
      const isWork = value !== example[field] || (handsOnContext && field === "context");
      if (isWork) tokens += this.#tokenizer.count(value);
    }
    return tokens;
  }

  #countInput(example: Example): number {
    const { context = "", question = "", turns = [] } = example;
    let tokens = this.#tokenizer.count(context);
    if (question !== context) tokens += this.#tokenizer.count(question);
    for (const turn of turns) tokens += this.#tokenizer.count(String(turn.content ?? ""));
    return tokens;
  }
}

/** String fields of an output that name something instead of answering. */
const LABELS = new Set(["stopped", "id", "dataset"]);

export interface Finished {
  trial: Trial;
  ending: Exclude<Ending, { kind: "skipped" }>;
  graded: Graded | null;
  threshold: number;
  tokens: TokenCounter;
  /** Failed attempts of earlier starts of the same run. */
  earlier: readonly Attempt[];
}

/** The row of a finished trial. */
export function toRow(finished: Finished): EvalRow {
  const { trial, ending, graded, tokens, earlier } = finished;
  const about = {
    system: trial.system.name,
    exampleId: trial.example.id,
    dataset: trial.example.dataset ?? "",
    trial: trial.trial,
    inputTokens: tokens.input(trial.exampleIndex, trial.example),
  };
  if (ending.kind === "error") {
    const attempts = [...earlier, ending.attempt];
    return makeRow({
      ...about,
      outcome: "error",
      errorCategory: ending.category,
      attempts,
      durationMs: ending.attempt.durationMs,
    });
  }
  return makeRow({
    ...about,
    ...verdict(finished, graded),
    ...measured(ending.returned),
    outputTokens: tokens.output(trial.example, ending.returned.output),
    attempts: earlier,
    notes: notesOf(ending.returned, graded),
  });
}

/** The row of a trial that never started. */
export function skippedRow(trial: Omit<Trial, "index" | "wiring">, inputTokens: number): EvalRow {
  return makeRow({
    system: trial.system.name,
    exampleId: trial.example.id,
    dataset: trial.example.dataset ?? "",
    trial: trial.trial,
    outcome: "skipped",
    errorCategory: "skipped",
    inputTokens,
  });
}

type Verdict = Pick<EvalRow, "outcome" | "errorCategory" | "scores" | "primaryField" | "passed">;

/** Pass or fail by the primary field alone; why it stopped, when it did, stays visible as the category. */
function verdict({ ending, threshold, trial }: Finished, graded: Graded | null): Verdict {
  const stopped = ending.category;
  const scores = graded?.scores ?? {};
  const primaryField = graded?.primaryField ?? null;
  const value = primaryField === null ? undefined : scores[primaryField];
  if (value === undefined) {
    const undecided = trial.wiring.evaluators.length === 0 ? "none" : "grader_error";
    return {
      outcome: "unscored",
      errorCategory: stopped === "none" ? undecided : stopped,
      scores,
      primaryField: null,
      passed: null,
    };
  }
  const passed = value >= threshold;
  const category = stopped === "none" && !passed ? "logic_error" : stopped;
  return { outcome: passed ? "pass" : "fail", errorCategory: category, scores, primaryField, passed };
}

type Measured = Pick<
  EvalRow,
  | "usage"
  | "costUsd"
  | "costSource"
  | "partial"
  | "latency"
  | "durationMs"
  | "ttftMs"
  | "firstAttemptMs"
  | "successAtMs"
  | "turns"
  | "tokensPerSec"
  | "metadata"
>;

function measured({ output, latency, durationMs }: Returned): Measured {
  const costUsd = amount(output.costUsd);
  const costSource: CostSource = costUsd === null ? "unknown" : "provider";
  return {
    usage: usageOf(output.usage),
    costUsd,
    costSource,
    partial: output.partial === true,
    latency,
    durationMs,
    ttftMs: amount(output.ttftMs),
    firstAttemptMs: amount(output.firstAttemptMs),
    successAtMs: amount(output.successAtMs),
    turns: amount(output.turns),
    tokensPerSec: amount(output.tokensPerSec),
    metadata: metadataOf(output.metadata),
  };
}

/** A measured amount, or null: unknown is not zero, and nonsense is unknown. */
function amount(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

function usageOf(usage: Usage | undefined): Usage | null {
  if (usage === undefined || usage === null) return null;
  return amount(usage.input) === null || amount(usage.output) === null ? null : usage;
}

function metadataOf(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

const NO_NOTES: readonly string[] = Object.freeze([]);

function notesOf(returned: Returned, graded: Graded | null): readonly string[] {
  const notes = [...returned.log, ...(graded?.notes ?? [])];
  if (returned.cached) notes.push("output from the cache");
  if (returned.output.usage != null && usageOf(returned.output.usage) === null)
    notes.push("usage reported by the system was not usable");
  return notes.length === 0 ? NO_NOTES : notes;
}
