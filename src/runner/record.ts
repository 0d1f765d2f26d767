import { setImmediate as turn } from "node:timers/promises";
import type { Example, Limits, ScoringCost, System, Tokenizer } from "../core/index.js";
import {
  type Attempt,
  describeValue,
  type ErrorCategory,
  type EvalRow,
  type Facets,
  getErrorMessage,
  isInjectedFault,
  makeRow,
  type Output,
  SLOW_NOTE,
  STOP_REASONS,
  type TrialBill,
  UsageError,
} from "../core/index.js";
import type { Trial } from "./admit.js";
import type { AttemptResult, AttemptSuccess, SystemCall } from "./call.js";
import type { TrialEnding } from "./classify.js";
import { computeTrialSpend, resolveCost, toAmount, validateUsage } from "./cost.js";
import type { DatasetPlan } from "./dataset-plan.js";
import { formatNotRunNote } from "./gate.js";
import { getRowGroup } from "./plan.js";

import type { Graded } from "./score.js";

const NOT_COUNTED = -1;

/** Counts the tokens of a system's input. If question and context are the same text, it is sent once. */
export function countInputTokens(
  { system, example }: { system: Pick<System, "listInputTexts">; example: Example },
  count: (text: string) => number,
): number {
  const own = system.listInputTexts?.(example);
  return own === undefined
    ? countExampleTokens(example, count)
    : own.reduce((total, text) => total + (text === "" ? 0 : count(text)), 0);
}

function countExampleTokens(example: Example, count: (text: string) => number): number {
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
    this.#inputs = new Float64Array(examples).fill(NOT_COUNTED);
  }

  countInput({ exampleIndex, example, system }: Pick<Trial, "exampleIndex" | "example" | "system">): number {
    if (system.listInputTexts !== undefined) return countInputTokens({ system, example }, (text) => this.#count(text));
    const known = this.#inputs[exampleIndex] ?? NOT_COUNTED;
    if (known !== NOT_COUNTED) return known;
    const tokens = countExampleTokens(example, (text) => this.#count(text));
    this.#inputs[exampleIndex] = tokens;
    return tokens;
  }

  /**
   * Counts the text fields that the system added or changed; text echoed beside a response does not count. An output
   * without a response is a context passed on and counts in full: a compressor that removed nothing has saved nothing.
   * Returns a promise for long texts, so that other trials and lease renewals continue meanwhile.
   */
  countOutput(example: Example, output: Output): number | Promise<number> {
    let tokens = 0;
    const long: string[] = [];
    for (const text of listProducedTexts(example, output)) {
      if (text.length > MIN_LONG_TEXT_CHARS && this.#tokenizer.countPieces !== undefined) long.push(text);
      else tokens += this.#count(text);
    }
    return long.length === 0 ? tokens : this.#countInSlices(long, tokens);
  }

  async #countInSlices(texts: readonly string[], tokens: number): Promise<number> {
    let total = tokens;
    let since = performance.now();
    for (const text of texts) {
      for (const count of this.#countPieces(text)) {
        total += this.#checkCount(count);
        if (performance.now() - since < MAX_SLICE_MS) continue;
        await turn();
        since = performance.now();
      }
    }
    return total;
  }

  *#countPieces(text: string): Generator<unknown> {
    try {
      yield* this.#tokenizer.countPieces?.(text) ?? [];
    } catch (cause) {
      throw createTokenizerError(cause);
    }
  }

  /** Counts the tokens of any text. */
  readonly text = (text: string): number => this.#count(text);

  /** Tokenizers are often user code, and an invalid count would corrupt every total. */
  #count(text: string): number {
    return this.#checkCount(this.#callTokenizer(text));
  }

  #checkCount(count: unknown): number {
    if (typeof count === "number" && count >= 0 && count < Number.POSITIVE_INFINITY) return count;
    throw new UsageError(
      `The tokenizer counted ${describeValue(count)} tokens. count(text) must return a number of at least 0.`,
    );
  }

  #callTokenizer(text: string): unknown {
    try {
      return this.#tokenizer.count(text);
    } catch (cause) {
      throw createTokenizerError(cause);
    }
  }
}

function createTokenizerError(cause: unknown): UsageError {
  return new UsageError(`The tokenizer failed: ${getErrorMessage(cause)}.`, { cause });
}

/** Longer texts are counted in slices between other work; shorter ones take a few milliseconds. */
const MIN_LONG_TEXT_CHARS = 1 << 18;
/** How long counting may block the event loop. */
const MAX_SLICE_MS = 8;

/** String fields of an output that are labels, not answers. */
const LABELS = new Set(["stopped", "id", "dataset"]);

/** The texts of an output that its system produced. */
function* listProducedTexts(example: Example, output: Output): Generator<string> {
  const handsOnContext = output.response === undefined;
  for (const field in output) {
    const value = output[field];
    if (typeof value !== "string" || LABELS.has(field)) continue;
    if (value !== example[field] || (handsOnContext && field === "context")) yield value;
  }
}

export interface TrialResult {
  trial: Trial;
  ending: Exclude<TrialEnding, { kind: "skipped" }>;
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

export function toTrialRow(finished: TrialResult): EvalRow {
  const { ending } = finished;
  return ending.kind === "error" ? toErrorRow(finished, ending) : toGradedRow(finished, ending.returned);
}

function toErrorRow(
  { trial, tokens, earlier }: TrialResult,
  { category, attempt, call, spent }: Extract<TrialEnding, { kind: "error" }>,
): EvalRow {
  const measured = readMeasurements(spent ?? {});
  // A system that does not survive injected faults has failed: its endpoint is fine.
  const isBroken = (measured.faults ?? []).length > 0;
  return makeRow({
    ...measured,
    ...resolveCost(spent ?? {}, call.budget),
    system: trial.system.name,
    exampleId: trial.example.id,
    dataset: trial.example.dataset ?? "",
    trial: trial.trial,
    ...(isBroken ? scoreBrokenTrial(trial.datasetPlan) : { outcome: "error" }),
    errorCategory: category,
    inputTokens: tokens.countInput(trial),
    durationMs: call.lostMs + attempt.durationMs,
    attempts: [...earlier, ...call.failed, attempt],
    userCostUsd: call.userMeter.spent?.costUsd ?? null,
    notes: listCallNotes(call),
    metadata: addUserUsage(measured.metadata ?? null, call),
    facets: getTrialFacets(trial),
    group: getRowGroup(trial.datasetPlan, trial.example),
  });
}

/** Without a score of 0, the pass rate would be that of the trials that survived. */
function scoreBrokenTrial({ forcedField, primaryFields }: DatasetPlan): Partial<EvalRow> & { outcome: "fail" } {
  const primaryField = forcedField ?? primaryFields?.[0];
  const score = primaryField === undefined ? {} : { scores: { [primaryField]: 0 }, primaryField };
  return { outcome: "fail", passed: false, ...score };
}

function toGradedRow(finished: TrialResult, returned: AttemptSuccess): EvalRow {
  const { trial, tokens, graded, earlier } = finished;
  const { output, call } = returned;
  const spent = graded?.spent ?? null;
  const bill = resolveCost(output, call.budget);
  const measurements = readMeasurements(output);
  const own = addChoiceOrderField(measurements.metadata ?? null, output.choice_order ?? trial.example.choice_order);
  const row = makeRow({
    system: trial.system.name,
    exampleId: trial.example.id,
    dataset: trial.example.dataset ?? "",
    trial: trial.trial,
    outcome: "unscored",
    scores: graded?.scores ?? {},
    measures: graded?.measures ?? {},
  });
  const judged = decideVerdict({
    stopped: finished.ending.category,
    graded,
    threshold: finished.threshold,
    isEvaluated: trial.datasetPlan.evaluators.length > 0,
  });
  Object.assign(row, measurements, bill, judged);
  return Object.assign(row, {
    inputTokens: tokens.countInput(trial),
    outputTokens: finished.produced,
    latency: returned.latency,
    durationMs: returned.durationMs === null ? null : call.lostMs + returned.durationMs,
    judgeCostUsd: spent?.costUsd ?? null,
    userCostUsd: call.userMeter.spent?.costUsd ?? null,
    cached: call.isFromCache,
    attempts: call.failed.length === 0 ? earlier : [...earlier, ...call.failed],
    notes: listRowNotes(finished, returned),
    metadata: addJudgeUsage(addUserUsage(addPricedCost(own, bill, call.budget), call), spent),
    facets: getTrialFacets(trial),
    group: getRowGroup(trial.datasetPlan, trial.example),
  });
}

/** Answer letters are meaningless without the order in which the options were shown. */
function addChoiceOrderField(metadata: EvalRow["metadata"], order: unknown): EvalRow["metadata"] {
  return Array.isArray(order) ? { ...metadata, choice_order: order } : metadata;
}

/** If the provider reports the cost, the cost computed from tokens is kept beside it. */
function addPricedCost(
  metadata: EvalRow["metadata"],
  { costSource, usage }: Pick<EvalRow, "costSource" | "usage">,
  budget: TrialBill | null,
): EvalRow["metadata"] {
  if (costSource !== "provider" || budget === null || !budget.isPriced || usage === null) return metadata;
  return { ...metadata, pricedUsd: budget.bill.costUsd };
}

/** Keeps the judge's usage apart from the system's tokens. */
function addJudgeUsage(metadata: EvalRow["metadata"], spent: ScoringCost | null): EvalRow["metadata"] {
  return spent?.usage === undefined ? metadata : { ...metadata, judgeUsage: spent.usage };
}

/** Keeps the usage of a simulated user apart from the system's tokens. */
function addUserUsage(metadata: EvalRow["metadata"], { userMeter: { spent } }: SystemCall): EvalRow["metadata"] {
  return spent?.usage === undefined ? metadata : { ...metadata, userUsage: spent.usage };
}

/** What the system logged, and whether the cost of its simulated user is known. */
function listCallNotes({ messages, userMeter }: SystemCall): readonly string[] {
  return userMeter.isUnknown
    ? [...messages, "the cost of the simulated user is unknown: its model has no price, or told no usage"]
    : messages;
}

function readMeasurements(output: Output): Partial<EvalRow> {
  return {
    ttftMs: toAmount(output.ttftMs),
    firstAttemptMs: toAmount(output.firstAttemptMs),
    successAtMs: toAmount(output.successAtMs),
    turns: toAmount(output.turns),
    tokensPerSec: toAmount(output.tokensPerSec),
    ...readStress(output),
    metadata: toJsonMetadata(output.metadata),
  };
}

/** Nearly all outputs have neither. Fields of the same name that mean something else are ignored. */
function readStress({ faults, confidence }: Output): Partial<EvalRow> {
  if (faults === undefined && confidence === undefined) return {};
  const share = toAmount(confidence);
  return {
    ...(share !== null && share <= 1 && { confidence: share }),
    ...(Array.isArray(faults) && faults.every(isInjectedFault) && { faults }),
  };
}

/** The row of a trial that never started. */
export function toSkippedRow(trial: Omit<Trial, "index">): EvalRow {
  return makeRow({
    system: trial.system.name,
    exampleId: trial.example.id,
    dataset: trial.example.dataset ?? "",
    trial: trial.trial,
    outcome: "skipped",
    errorCategory: "skipped",
    facets: getTrialFacets(trial),
    group: getRowGroup(trial.datasetPlan, trial.example),
  });
}

/** The row of a trial whose system was stopped before. `attempts`: from earlier starts of the run. */
export function toNotRunRow(trial: Omit<Trial, "index">, reason: string, attempts: readonly Attempt[]): EvalRow {
  return { ...toSkippedRow(trial), attempts, notes: [formatNotRunNote(reason)] };
}

function getTrialFacets({ datasetPlan, example }: Pick<Trial, "datasetPlan" | "example">): Facets | null {
  return datasetPlan.facets === null ? null : datasetPlan.facets.read(example);
}

/**
 * The row of an interrupted trial: it continues on resume, but its cost so far counts. Without an attempt, only the cost
 * of grading is recorded.
 */
export function toInterruptedRow(
  trial: Omit<Trial, "index">,
  attempted: AttemptResult | null,
  graded: Graded | null = null,
): EvalRow {
  const judgeCostUsd = graded?.spent?.costUsd ?? null;
  const skipped = { ...toSkippedRow(trial), judgeCostUsd, partial: true };
  if (attempted === null) return makeRow(skipped);
  const costUsd = computeTrialSpend(attempted);
  const { usage, costSource } = resolveCost(
    attempted.kind === "returned" ? attempted.output : {},
    attempted.call.budget,
  );
  const userCostUsd = attempted.call.userMeter.spent?.costUsd ?? null;
  return makeRow({ ...skipped, usage, costUsd, costSource, userCostUsd });
}

export interface RegradedTrial {
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
export function toRegradedRow(row: EvalRow, regraded: RegradedTrial): EvalRow {
  const { graded, threshold, isEvaluated, notes, facets, group } = regraded;
  const stopped = STOP_REASONS.find((reason) => reason === row.errorCategory) ?? "none";
  const { judgeUsage: _, ...metadata } = row.metadata ?? {};
  return {
    ...row,
    ...decideVerdict({ stopped, graded, threshold, isEvaluated }),
    scores: graded.scores,
    measures: graded.measures,
    judgeCostUsd: graded.spent?.costUsd ?? null,
    metadata: addJudgeUsage(Object.keys(metadata).length === 0 ? null : metadata, graded.spent),
    cached: true,
    notes: [...notes, ...graded.notes],
    facets: facets ?? row.facets,
    group: group ?? row.group,
  };
}

type RowVerdict = Pick<EvalRow, "outcome" | "errorCategory" | "primaryField" | "passed">;

interface VerdictInput {
  /** Why the output is incomplete, or "none". */
  stopped: ErrorCategory;
  graded: Graded | null;
  threshold: number;
  isEvaluated: boolean;
}

/** Pass or fail depends on the primary field only; the stop reason stays visible as the category. */
function decideVerdict({ stopped, graded, threshold, isEvaluated }: VerdictInput): RowVerdict {
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
function toJsonMetadata(value: unknown): Record<string, unknown> | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  try {
    return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
  } catch {
    return null;
  }
}

const NO_NOTES: readonly string[] = Object.freeze([]);

function listRowNotes(
  { graded, limits }: TrialResult,
  { call, output, durationMs }: AttemptSuccess,
): readonly string[] {
  const unusable = output.usage != null && validateUsage(output.usage) === null;
  const unwritable = output.metadata != null && toJsonMetadata(output.metadata) === null;
  const slow = limits === null ? NO_NOTES : listSlownessNotes(output, durationMs, limits);
  const logged = listCallNotes(call);
  if (!unusable && !unwritable && slow.length + logged.length + (graded?.notes.length ?? 0) === 0) return NO_NOTES;
  const notes = [...logged, ...slow, ...(graded?.notes ?? [])];
  if (unusable) notes.push("the system reported invalid usage, which was ignored");
  if (unwritable) notes.push("the system returned metadata that is not a JSON object, which was ignored");
  return notes;
}

/** Notes that a trial was slower than expected of its model, whatever its outcome. */
function listSlownessNotes(
  output: Output,
  durationMs: number | null,
  { expectedTtftMs, expectedSolutionMs }: Limits,
): string[] {
  const ttftMs = toAmount(output.ttftMs);
  const solutionMs = toAmount(output.successAtMs) ?? durationMs;
  const notes: string[] = [];
  if (expectedTtftMs !== undefined && ttftMs !== null && ttftMs > expectedTtftMs)
    notes.push(
      `${SLOW_NOTE}: first token after ${formatPreciseSeconds(ttftMs)}, expected within ${formatPreciseSeconds(expectedTtftMs)}`,
    );
  if (expectedSolutionMs !== undefined && solutionMs !== null && solutionMs > expectedSolutionMs)
    notes.push(
      `${SLOW_NOTE}: done after ${formatPreciseSeconds(solutionMs)}, expected within ${formatPreciseSeconds(expectedSolutionMs)}`,
    );
  return notes;
}

function formatPreciseSeconds(ms: number): string {
  return `${Number((ms / 1000).toPrecision(3))} s`;
}
