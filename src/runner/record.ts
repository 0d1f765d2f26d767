import { setImmediate as turn } from "node:timers/promises";
import { messageOf, UsageError } from "../core/errors.js";
import type { ScoringCost } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Limits } from "../core/price.js";
import { type Attempt, type ErrorCategory, type EvalRow, type Facets, makeRow, SLOW } from "../core/row.js";
import { describe } from "../core/shape.js";
import { type Output, STOP_REASONS, type TrialBill } from "../core/system.js";
import type { Tokenizer } from "../core/tokenizer.js";
import type { Trial } from "./admit.js";
import type { Attempted, Returned } from "./call.js";
import type { Ending } from "./classify.js";
import { amount, billed, spentOn, usageOf } from "./cost.js";
import { notRunNote } from "./gate.js";
import { rowGroup } from "./order.js";

import type { Graded } from "./score.js";

const UNCOUNTED = -1;

/** Counts the tokens of a system's input. If question and context are the same text, it is sent once. */
export function inputTokens(example: Example, count: (text: string) => number): number {
  const { context = "", question = "", turns = [] } = example;
  let tokens = context === "" ? 0 : count(context);
  if (question !== context && question !== "") tokens += count(question);
  for (const turn of turns) tokens += count(turn.content);
  return tokens;
}

/** Counts the tokens of inputs and outputs. */
export class TokenCounter {
  readonly #tokenizer: Tokenizer;
  /** Input tokens by example, so that a long context is counted once for all systems and trials. */
  readonly #inputs: Float64Array;

  constructor(tokenizer: Tokenizer, examples: number) {
    this.#tokenizer = tokenizer;
    this.#inputs = new Float64Array(examples).fill(UNCOUNTED);
  }

  input(exampleIndex: number, example: Example): number {
    const known = this.#inputs[exampleIndex] ?? UNCOUNTED;
    if (known !== UNCOUNTED) return known;
    const tokens = inputTokens(example, (text) => this.#count(text));
    this.#inputs[exampleIndex] = tokens;
    return tokens;
  }

  /**
   * Counts the text fields that the system added or changed; text echoed beside a response does not count. An output
   * without a response is a context passed on and counts in full: a compressor that removed nothing has saved nothing.
   * Returns a promise for long texts, so that other trials and lease renewals continue meanwhile.
   */
  output(example: Example, output: Output): number | Promise<number> {
    let tokens = 0;
    const long: string[] = [];
    for (const text of workIn(example, output)) {
      if (text.length > LONG_TEXT && this.#tokenizer.countPieces !== undefined) long.push(text);
      else tokens += this.#count(text);
    }
    return long.length === 0 ? tokens : this.#countInTurns(long, tokens);
  }

  async #countInTurns(texts: readonly string[], tokens: number): Promise<number> {
    let total = tokens;
    let since = performance.now();
    for (const text of texts) {
      for (const count of this.#piecesOf(text)) {
        total += this.#checked(count);
        if (performance.now() - since < TURN_MS) continue;
        await turn();
        since = performance.now();
      }
    }
    return total;
  }

  *#piecesOf(text: string): Generator<unknown> {
    try {
      yield* this.#tokenizer.countPieces?.(text) ?? [];
    } catch (cause) {
      throw tokenizerFailed(cause);
    }
  }

  /** Counts the tokens of any text. */
  readonly text = (text: string): number => this.#count(text);

  /** Tokenizers are often user code, and an invalid count would corrupt every total. */
  #count(text: string): number {
    return this.#checked(this.#ask(text));
  }

  #checked(count: unknown): number {
    if (typeof count === "number" && count >= 0 && count < Number.POSITIVE_INFINITY) return count;
    throw new UsageError(
      `The tokenizer counted ${describe(count)} tokens. count(text) must return a number of at least 0.`,
    );
  }

  #ask(text: string): unknown {
    try {
      return this.#tokenizer.count(text);
    } catch (cause) {
      throw tokenizerFailed(cause);
    }
  }
}

function tokenizerFailed(cause: unknown): UsageError {
  return new UsageError(`The tokenizer failed: ${messageOf(cause)}.`, { cause });
}

/** Longer texts are counted in slices between other work; shorter ones take a few milliseconds. */
const LONG_TEXT = 1 << 18;
/** How long counting may block the event loop. */
const TURN_MS = 8;

/** String fields of an output that are labels, not answers. */
const LABELS = new Set(["stopped", "id", "dataset"]);

/** The texts of an output that its system produced. */
function* workIn(example: Example, output: Output): Generator<string> {
  const handsOnContext = output.response === undefined;
  for (const field in output) {
    const value = output[field];
    if (typeof value !== "string" || LABELS.has(field)) continue;
    if (value !== example[field] || (handsOnContext && field === "context")) yield value;
  }
}

export interface Finished {
  trial: Trial;
  ending: Exclude<Ending, { kind: "skipped" }>;
  graded: Graded | null;
  threshold: number;
  tokens: TokenCounter;
  /** The limits of the trial; null if its cost is unknown. */
  limits: Limits | null;
  /** Tokens that the system produced. */
  produced: number;
  /** Failed attempts of earlier starts of the same run. */
  earlier: readonly Attempt[];
}

export function toRow(finished: Finished): EvalRow {
  const { ending } = finished;
  return ending.kind === "error" ? errorRow(finished, ending) : gradedRow(finished, ending.returned);
}

function errorRow(
  { trial, tokens, earlier }: Finished,
  { category, attempt, call, spent }: Extract<Ending, { kind: "error" }>,
): EvalRow {
  return makeRow({
    ...measured(spent ?? {}),
    ...billed(spent ?? {}, call.budget),
    system: trial.system.name,
    exampleId: trial.example.id,
    dataset: trial.example.dataset ?? "",
    trial: trial.trial,
    outcome: "error",
    errorCategory: category,
    inputTokens: tokens.input(trial.exampleIndex, trial.example),
    durationMs: call.lostMs + attempt.durationMs,
    attempts: [...earlier, ...call.failed, attempt],
    notes: call.messages,
    facets: facetsOf(trial),
    group: rowGroup(trial.wiring, trial.example),
  });
}

function gradedRow(finished: Finished, returned: Returned): EvalRow {
  const { trial, tokens, graded, earlier } = finished;
  const { output, call } = returned;
  const spent = graded?.spent ?? null;
  const bill = billed(output, call.budget);
  const measurements = measured(output);
  const own = withChoiceOrder(measurements.metadata ?? null, output.choice_order ?? trial.example.choice_order);
  const row = makeRow({
    system: trial.system.name,
    exampleId: trial.example.id,
    dataset: trial.example.dataset ?? "",
    trial: trial.trial,
    outcome: "unscored",
    scores: graded?.scores ?? {},
    measures: graded?.measures ?? {},
  });
  const judged = verdict({
    stopped: finished.ending.category,
    graded,
    threshold: finished.threshold,
    isEvaluated: trial.wiring.evaluators.length > 0,
  });
  Object.assign(row, measurements, bill, judged);
  return Object.assign(row, {
    inputTokens: tokens.input(trial.exampleIndex, trial.example),
    outputTokens: finished.produced,
    latency: returned.latency,
    durationMs: returned.durationMs === null ? null : call.lostMs + returned.durationMs,
    judgeCostUsd: spent?.costUsd ?? null,
    cached: call.wasPaid,
    attempts: call.failed.length === 0 ? earlier : [...earlier, ...call.failed],
    notes: notesOf(finished, returned),
    metadata: withJudgeUsage(withPriced(own, bill, call.budget), spent),
    facets: facetsOf(trial),
    group: rowGroup(trial.wiring, trial.example),
  });
}

/** Answer letters are meaningless without the order in which the options were shown. */
function withChoiceOrder(metadata: EvalRow["metadata"], order: unknown): EvalRow["metadata"] {
  return Array.isArray(order) ? { ...metadata, choice_order: order } : metadata;
}

/** If the provider reports the cost, the cost computed from tokens is kept beside it. */
function withPriced(
  metadata: EvalRow["metadata"],
  { costSource, usage }: Pick<EvalRow, "costSource" | "usage">,
  budget: TrialBill | null,
): EvalRow["metadata"] {
  if (costSource !== "provider" || budget === null || !budget.isPriced || usage === null) return metadata;
  return { ...metadata, pricedUsd: budget.bill.costUsd };
}

/** Keeps the judge's usage apart from the system's tokens. */
function withJudgeUsage(metadata: EvalRow["metadata"], spent: ScoringCost | null): EvalRow["metadata"] {
  return spent?.usage === undefined ? metadata : { ...metadata, judgeUsage: spent.usage };
}

function measured(output: Output): Partial<EvalRow> {
  return {
    ttftMs: amount(output.ttftMs),
    firstAttemptMs: amount(output.firstAttemptMs),
    successAtMs: amount(output.successAtMs),
    turns: amount(output.turns),
    tokensPerSec: amount(output.tokensPerSec),
    metadata: metadataOf(output.metadata),
  };
}

/** The row of a trial that never started. */
export function skippedRow(trial: Omit<Trial, "index">): EvalRow {
  return makeRow({
    system: trial.system.name,
    exampleId: trial.example.id,
    dataset: trial.example.dataset ?? "",
    trial: trial.trial,
    outcome: "skipped",
    errorCategory: "skipped",
    facets: facetsOf(trial),
    group: rowGroup(trial.wiring, trial.example),
  });
}

/** The row of a trial whose system was stopped before. `attempts`: from earlier starts of the run. */
export function notRunRow(trial: Omit<Trial, "index">, reason: string, attempts: readonly Attempt[]): EvalRow {
  return { ...skippedRow(trial), attempts, notes: [notRunNote(reason)] };
}

function facetsOf({ wiring, example }: Pick<Trial, "wiring" | "example">): Facets | null {
  return wiring.facets === null ? null : wiring.facets.of(example);
}

/**
 * The row of an interrupted trial: it continues on resume, but its cost so far counts. Without an attempt, only the cost
 * of grading is recorded.
 */
export function interruptedRow(
  trial: Omit<Trial, "index">,
  attempted: Attempted | null,
  graded: Graded | null = null,
): EvalRow {
  const judgeCostUsd = graded?.spent?.costUsd ?? null;
  const skipped = { ...skippedRow(trial), judgeCostUsd, partial: true };
  if (attempted === null) return makeRow(skipped);
  const costUsd = spentOn(attempted);
  const { usage, costSource } = billed(attempted.kind === "returned" ? attempted.output : {}, attempted.call.budget);
  return makeRow({ ...skipped, usage, costUsd, costSource });
}

export interface Regraded {
  graded: Graded;
  threshold: number;
  isEvaluated: boolean;
  /** The notes of the row that are not about its scores. */
  notes: readonly string[];
  /** The current facets of the example; null if its dataset declares none, and the row keeps its own. */
  facets: Facets | null;
  /** Likewise for the group. */
  group: EvalRow["group"];
}

/** A stored row with new scores. Measurements stay; their cost was paid by the earlier run. */
export function regradedRow(row: EvalRow, regraded: Regraded): EvalRow {
  const { graded, threshold, isEvaluated, notes, facets, group } = regraded;
  const stopped = STOP_REASONS.find((reason) => reason === row.errorCategory) ?? "none";
  const { judgeUsage: _, ...metadata } = row.metadata ?? {};
  return {
    ...row,
    ...verdict({ stopped, graded, threshold, isEvaluated }),
    scores: graded.scores,
    measures: graded.measures,
    judgeCostUsd: graded.spent?.costUsd ?? null,
    metadata: withJudgeUsage(Object.keys(metadata).length === 0 ? null : metadata, graded.spent),
    cached: true,
    notes: [...notes, ...graded.notes],
    facets: facets ?? row.facets,
    group: group ?? row.group,
  };
}

type Verdict = Pick<EvalRow, "outcome" | "errorCategory" | "primaryField" | "passed">;

interface Judged {
  /** Why the output is incomplete, or "none". */
  stopped: ErrorCategory;
  graded: Graded | null;
  threshold: number;
  isEvaluated: boolean;
}

/** Pass or fail depends on the primary field only; the stop reason stays visible as the category. */
function verdict({ stopped, graded, threshold, isEvaluated }: Judged): Verdict {
  const primaryField = graded?.primaryField ?? null;
  const value = primaryField === null ? undefined : graded?.scores[primaryField];
  if (value === undefined) {
    const undecided = isEvaluated ? "grader_error" : "none";
    const errorCategory = stopped === "none" ? undecided : stopped;
    return { outcome: "unscored", errorCategory, primaryField: null, passed: null };
  }
  const passed = value >= threshold;
  const errorCategory = stopped === "none" && !passed ? "logic_error" : stopped;
  return { outcome: passed ? "pass" : "fail", errorCategory, primaryField, passed };
}

/** A JSON copy, so that stored and fresh rows are equal. Null if the value is cyclic or holds a BigInt. */
function metadataOf(value: unknown): Record<string, unknown> | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  try {
    return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
  } catch {
    return null;
  }
}

const NO_NOTES: readonly string[] = Object.freeze([]);

function notesOf({ graded, limits }: Finished, { call, output, durationMs }: Returned): readonly string[] {
  const unusable = output.usage != null && usageOf(output.usage) === null;
  const unwritable = output.metadata != null && metadataOf(output.metadata) === null;
  const slow = limits === null ? NO_NOTES : slowNotes(output, durationMs, limits);
  if (!unusable && !unwritable && slow.length + call.messages.length + (graded?.notes.length ?? 0) === 0)
    return NO_NOTES;
  const notes = [...call.messages, ...slow, ...(graded?.notes ?? [])];
  if (unusable) notes.push("the system reported invalid usage, which was ignored");
  if (unwritable) notes.push("the system returned metadata that is not a JSON object, which was ignored");
  return notes;
}

/** Notes that a trial was slower than expected of its model, whatever its outcome. */
function slowNotes(
  output: Output,
  durationMs: number | null,
  { expectedTtftMs, expectedSolutionMs }: Limits,
): string[] {
  const ttftMs = amount(output.ttftMs);
  const solutionMs = amount(output.successAtMs) ?? durationMs;
  const notes: string[] = [];
  if (expectedTtftMs !== undefined && ttftMs !== null && ttftMs > expectedTtftMs)
    notes.push(`${SLOW}: first token after ${seconds(ttftMs)}, expected within ${seconds(expectedTtftMs)}`);
  if (expectedSolutionMs !== undefined && solutionMs !== null && solutionMs > expectedSolutionMs)
    notes.push(`${SLOW}: done after ${seconds(solutionMs)}, expected within ${seconds(expectedSolutionMs)}`);
  return notes;
}

function seconds(ms: number): string {
  return `${Number((ms / 1000).toPrecision(3))} s`;
}
