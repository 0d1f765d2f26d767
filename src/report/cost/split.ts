import {
  type EvalRow,
  listCallUsages,
  type Output,
  type Price,
  selectRowPrice,
  type TrajectoryEvent,
  type Usage,
} from "../../core/index.js";
import { sumTokenClasses } from "../dashboard/charts/token-costs.js";
import type { TimelineStep, TokenClass } from "../dashboard/contract.js";
import { groupRequests, pairSteps, type RequestBlock, type TimelineEntry } from "../dashboard/steps.js";
import { buildTimeline } from "../dashboard/timeline.js";
import { addTimelineMarks } from "../dashboard/timeline-marks.js";
import { readTrajectory } from "../timeline.js";

/** The ways in which a bill is split. The parts of each add up to the bill. */
export const COST_SPLITS = ["class", "kind", "tool", "worker", "retries", "pass"] as const;
export type CostSplit = (typeof COST_SPLITS)[number];

/** Dollars are whole pico-dollars, so that sums are exact. */
export interface CostAmount {
  readonly pico: number;
  readonly tokens: number;
}

/** Names of parts that mean something besides themselves. */
export const PARTS = {
  unattributed: "unattributed",
  failedAttempts: "failed attempts",
  noTool: "no tool",
  mainWork: "main work",
  firstTries: "first tries",
  noPass: "no passing state known",
} as const;

/** The words of the page for the classes of tokens. */
const CLASS_NAMES: Readonly<Record<TokenClass, string>> = {
  input: "fresh input",
  cacheRead: "cache read",
  cacheWrite: "cache write",
  output: "output",
  reasoning: "reasoning",
};

/** A stored trial whose bill is split. */
export interface BilledTrial {
  readonly row: EvalRow;
  /** Null if none is stored. */
  readonly output: Output | null;
  /** True for a system that calls a model itself, so that an output without steps is one answer. */
  readonly isPlainModel: boolean;
  /** The price of the system; null if unknown. */
  readonly price: Price | null;
  /** The price of any model that its steps name; null if unknown. */
  readonly findModelPrice: (model: string) => Price | null;
}

/** Receives the parts of a bill. `count` is the number of answers, or of tool calls. */
export type AddPart = (split: CostSplit, name: string, amount: CostAmount, count: number) => void;

/** What a split could not use. */
export interface SplitRemarks {
  /** The steps cost more than the bill, so that they are not used. */
  readonly isContradictory: boolean;
  /** The trial has no steps, and what its answers were is unknown. */
  readonly hasNoSteps: boolean;
}

/**
 * Splits the bill of a trial in every way. The requests and what they led to are those of the page: its flame graph shows
 * the same amounts.
 * @example
 * splitTrialBill({ row, output, isPlainModel: true, price, findModelPrice: () => null }, add);
 */
export function splitTrialBill(trial: BilledTrial, add: AddPart): SplitRemarks {
  const bill = getBill(trial.row);
  const classes = splitClasses(trial, bill);
  for (const [name, amount] of classes) add("class", name, amount, 0);
  const found = listAnswers(trial, bill);
  let left = bill;
  for (const answer of found.answers) {
    addAnswer(answer, add);
    left = subtract(left, answer.amount);
  }
  if (left.pico !== 0 || left.tokens !== 0)
    for (const split of COST_SPLITS) if (split !== "class") add(split, found.rest, left, 0);
  return found;
}

/** What a row was billed; an unknown cost is nothing here and counted apart. */
export function getBill({ costUsd, usage }: Pick<EvalRow, "costUsd" | "usage">): CostAmount {
  return { pico: toPico(costUsd ?? 0), tokens: usage === null ? 0 : countTokens(usage) };
}

const PICO_PER_DOLLAR = 1e12;

export function toPico(usd: number): number {
  return Math.round(usd * PICO_PER_DOLLAR);
}

export function toUsd(pico: number): number {
  return pico / PICO_PER_DOLLAR;
}

function countTokens({ input, output, cacheRead = 0, cacheWrite = 0 }: Usage): number {
  return input + output + cacheRead + cacheWrite;
}

function subtract(a: CostAmount, b: CostAmount): CostAmount {
  return { pico: a.pico - b.pico, tokens: a.tokens - b.tokens };
}

/** One answer of a model, and what the agent did with it. */
interface Answer {
  readonly amount: CostAmount;
  /** The part of the amount that was reasoning, as far as the provider counts it. */
  readonly reasoning: CostAmount;
  readonly count: number;
  readonly kind: string;
  readonly worker: string;
  readonly pass: string;
  /** Null if it is not known which tools were called. */
  readonly calls: readonly AnswerCall[] | null;
}

interface AnswerCall {
  readonly tool: string;
  readonly retries: string;
}

function addAnswer(answer: Answer, add: AddPart): void {
  const { amount, reasoning, count, kind, worker, pass, calls } = answer;
  if (reasoning.pico > 0 || reasoning.tokens > 0) add("kind", "thinking", reasoning, 0);
  add("kind", kind, subtract(amount, reasoning), count);
  add("worker", worker, amount, count);
  add("pass", pass, amount, count);
  if (calls === null || calls.length === 0) {
    add("tool", calls === null ? PARTS.unattributed : PARTS.noTool, amount, calls === null ? 0 : count);
    add("retries", PARTS.firstTries, amount, count);
    return;
  }
  const [pico, tokens] = [divide(amount.pico, calls.length), divide(amount.tokens, calls.length)];
  for (const [index, { tool, retries }] of calls.entries()) {
    const share = { pico: pico[index] ?? 0, tokens: tokens[index] ?? 0 };
    add("tool", tool, share, 1);
    add("retries", retries, share, 1);
  }
}

/** Whole parts, as equal as possible: the first ones are larger by one. */
function divide(total: number, count: number): number[] {
  const each = Math.floor(total / count);
  return Array.from({ length: count }, (_, index) => each + (index < total - each * count ? 1 : 0));
}

interface FoundAnswers extends SplitRemarks {
  readonly answers: readonly Answer[];
  /** What the rest of the bill is. */
  readonly rest: string;
}

const NO_AMOUNT: CostAmount = { pico: 0, tokens: 0 };

function listAnswers(trial: BilledTrial, bill: CostAmount): FoundAnswers {
  const { row, output } = trial;
  const rest = row.attempts.length > 0 ? PARTS.failedAttempts : PARTS.unattributed;
  const trajectory = readTrajectory(output);
  if (trajectory !== null) {
    const steps = listTrajectoryAnswers(trial, bill);
    if (steps !== null && steps.length > 0) return { answers: steps, rest, isContradictory: false, hasNoSteps: false };
    return { answers: [], rest, isContradictory: steps === null, hasNoSteps: steps !== null };
  }
  const isNothing = bill.pico === 0 && bill.tokens === 0;
  if (!trial.isPlainModel || output === null)
    return { answers: [], rest, isContradictory: false, hasNoSteps: !isNothing && rest === PARTS.unattributed };
  const amount = subtract(bill, computeFailedAttempts(trial, bill));
  return { answers: [toModelAnswer(trial, output, amount)], rest, isContradictory: false, hasNoSteps: false };
}

/** All answers of a plain model together: it has no steps. */
function toModelAnswer(trial: BilledTrial, output: Output, amount: CostAmount): Answer {
  const { response, tool_calls: given } = output;
  const calls = Array.isArray(given) ? given.map(readToolName) : [];
  const price = findRowPrice(trial);
  const said = typeof response === "string" && response !== "" ? "text" : "answers of unknown content";
  return {
    amount,
    reasoning: computeReasoning(output.usage ?? null, amount, isPricedBy(trial.row, price) ? price : null),
    count: typeof output.turns === "number" ? output.turns : 1,
    kind: calls.length > 0 ? "tool calls" : said,
    worker: PARTS.mainWork,
    pass: PARTS.noPass,
    calls: calls.map((tool) => ({ tool, retries: PARTS.firstTries })),
  };
}

function readToolName(call: unknown): string {
  const { name, function: inner } = (call ?? {}) as { name?: unknown; function?: { name?: unknown } | null };
  const found = name ?? inner?.name;
  return typeof found === "string" && found !== "" ? found : "a tool";
}

/** The bill also has the tokens of calls that failed and were made again; the output has only its own. */
function computeFailedAttempts(trial: BilledTrial, bill: CostAmount): CostAmount {
  const { row, output } = trial;
  const price = findRowPrice(trial);
  const own = output?.usage;
  if (row.attempts.length === 0 || own === undefined || row.usage === null) return NO_AMOUNT;
  const tokens = bill.tokens - countTokens(own);
  if (tokens <= 0) return NO_AMOUNT;
  const priced = price === null ? null : priceUsages([own], price);
  const pico = priced === null || !isPricedBy(row, price) ? 0 : Math.max(0, bill.pico - sumClasses(priced));
  return { pico, tokens };
}

/** True if the price explains the bill. */
function isPricedBy(row: EvalRow, price: Price | null): boolean {
  if (price === null || row.usage === null || row.costUsd === null) return false;
  return sumClasses(priceUsages(listCallUsages(row, row.usage), price)) === toPico(row.costUsd);
}

function findRowPrice({ row, price }: BilledTrial): Price | null {
  return price === null ? null : selectRowPrice(price, row);
}

/** Steps that cost more than the bill by this share belong to something else. */
const MAX_EXCESS = 1.01;

/** Null if the steps contradict the bill. */
function listTrajectoryAnswers(trial: BilledTrial, bill: CostAmount): Answer[] | null {
  const { row, output } = trial;
  const trajectory = readTrajectory(output);
  if (trajectory === null) return [];
  const steps = buildTimeline(trajectory, { maxSteps: Number.POSITIVE_INFINITY, hasDiffs: false });
  const marked = addTimelineMarks(steps, row, { maxCostUsd: null, maxMs: null });
  const entries = pairSteps(marked);
  const blocks = groupRequests(entries).flatMap(({ requests }) => requests);
  const total = blocks.reduce((sum, { costUsd }) => sum + toPico(costUsd ?? 0), 0);
  if (row.costUsd !== null && total > bill.pico * MAX_EXCESS + blocks.length) return null;
  const events = matchEvents(steps, trajectory.events);
  const repeated = findRepeatedCalls(entries);
  let left = bill;
  return blocks.map((block) => {
    // A rounded bill may be a trillionth less than its parts.
    const pico = Math.min(left.pico, toPico(block.costUsd ?? 0));
    const amount = { pico, tokens: Math.min(left.tokens, block.tokens ?? 0) };
    left = subtract(left, amount);
    return toStepAnswer(block, amount, { trial, event: events.get(block.request.step), repeated, trajectory });
  });
}

/** The event of each request: both are in the same order. */
function matchEvents(
  steps: readonly TimelineStep[],
  events: readonly TrajectoryEvent[],
): ReadonlyMap<TimelineStep, TrajectoryEvent> {
  const used = events.filter(({ type }) => type === "token_usage");
  const requests = steps.filter(({ kind }) => kind === "tokens");
  return new Map(requests.flatMap((step, index) => (used[index] === undefined ? [] : [[step, used[index]]])));
}

interface AnswerContext {
  readonly trial: BilledTrial;
  readonly event: TrajectoryEvent | undefined;
  readonly repeated: ReadonlySet<TimelineEntry>;
  readonly trajectory: { readonly toolsUnseen?: boolean };
}

function toStepAnswer(block: RequestBlock, amount: CostAmount, context: AnswerContext): Answer {
  const { actions, request } = block;
  const { trial, event, repeated, trajectory } = context;
  const calls = actions.filter(({ step }) => step.kind === "call");
  const worker = nameWorker(request.step.thread);
  const usage = readUsage(event);
  return {
    amount,
    reasoning: computeReasoning(usage, amount, usage === null ? null : findEventPrice(trial, event, usage)),
    count: 1,
    kind: nameKind(actions),
    worker,
    pass: namePass(trial.row, block),
    calls:
      trajectory.toolsUnseen === true
        ? null
        : calls.map((call) => ({ tool: call.step.tool ?? "a tool", retries: nameRetry(call, repeated) })),
  };
}

function nameKind(actions: readonly TimelineEntry[]): string {
  const kinds = new Set(actions.map(({ step }) => step.kind));
  if (kinds.has("call")) return "tool calls";
  if (kinds.has("says")) return "text";
  return kinds.has("thinks") ? "thinking" : "answers of unknown content";
}

function nameWorker(thread: string | undefined): string {
  if (thread === undefined) return PARTS.mainWork;
  return thread.startsWith("side") ? "side calls" : "sub-agents";
}

function namePass({ successAtMs }: EvalRow, { isAfterPass }: RequestBlock): string {
  if (successAtMs === null) return PARTS.noPass;
  return isAfterPass ? "after the first passing state" : "until the first passing state";
}

function nameRetry(call: TimelineEntry, repeated: ReadonlySet<TimelineEntry>): string {
  if (repeated.has(call)) return "repeated calls";
  return call.result?.isSuccess === false ? "calls that failed" : PARTS.firstTries;
}

/** Calls with the tool and the arguments of an earlier one. */
function findRepeatedCalls(entries: readonly TimelineEntry[]): Set<TimelineEntry> {
  const seen = new Set<string>();
  const repeated = new Set<TimelineEntry>();
  for (const entry of entries) {
    const { kind, tool, thread, text, length } = entry.step;
    if (kind !== "call") continue;
    const key = JSON.stringify([thread, tool, length, text]);
    if (seen.has(key)) repeated.add(entry);
    seen.add(key);
  }
  return repeated;
}

function readUsage(event: TrajectoryEvent | undefined): Usage | null {
  const { input, output } = (event?.usage ?? {}) as Partial<Record<keyof Usage, unknown>>;
  return typeof input === "number" && typeof output === "number" ? (event?.usage as Usage) : null;
}

/** The price with which the request was billed; null if no known price explains its cost. */
function findEventPrice(trial: BilledTrial, event: TrajectoryEvent | undefined, usage: Usage): Price | null {
  if (typeof event?.costUsd !== "number") return null;
  const pico = toPico(event.costUsd);
  const model = typeof event.model === "string" ? trial.findModelPrice(event.model) : null;
  for (const price of [findRowPrice(trial), model])
    if (price !== null && sumClasses(priceUsages([usage], price)) === pico) return price;
  return null;
}

function computeReasoning(usage: Usage | null, amount: CostAmount, price: Price | null): CostAmount {
  if (usage === null || (usage.reasoning ?? 0) === 0) return NO_AMOUNT;
  const classes = priceUsages([usage], price);
  const own = classes.find(({ name }) => name === "reasoning");
  // A request that was cut to the bill has no exact parts.
  const pico = price === null ? 0 : Math.min(amount.pico, toPico(own?.costUsd ?? 0));
  return { pico, tokens: Math.min(amount.tokens, own?.tokens ?? 0) };
}

type Classes = ReturnType<typeof sumTokenClasses>;

/** The classes of the page, for usages without a row of their own. */
function priceUsages(usages: readonly Usage[], price: Price | null): Classes {
  return sumTokenClasses(
    usages.map((usage) => ({ usage, metadata: null })),
    price,
  );
}

function sumClasses(classes: Classes): number {
  return classes.reduce((sum, { costUsd }) => sum + toPico(costUsd ?? 0), 0);
}

/**
 * By class of tokens, as the page shows it, where the price of the system explains the bill. Otherwise by request, for those
 * whose model's price explains their cost; the rest is unattributed.
 */
function splitClasses(trial: BilledTrial, bill: CostAmount): [name: string, amount: CostAmount][] {
  const { row, price, output } = trial;
  const whole = sumTokenClasses([row], price);
  const isExplained = price !== null && row.costUsd !== null && sumClasses(whole) === bill.pico;
  const pico = isExplained ? toClassPico(whole) : sumEventClasses(trial, output);
  const parts = whole.map(({ name, tokens }): [string, CostAmount] => [
    CLASS_NAMES[name],
    { pico: pico.get(name) ?? 0, tokens },
  ]);
  const known = parts.reduce((sum, [, amount]) => sum + amount.pico, 0);
  if (known > bill.pico) return splitClassTokens(whole, bill);
  return known === bill.pico ? parts : [...parts, [PARTS.unattributed, { pico: bill.pico - known, tokens: 0 }]];
}

function splitClassTokens(whole: Classes, bill: CostAmount): [string, CostAmount][] {
  const tokens = whole.map((each): [string, CostAmount] => [CLASS_NAMES[each.name], { pico: 0, tokens: each.tokens }]);
  return [...tokens, [PARTS.unattributed, { pico: bill.pico, tokens: 0 }]];
}

function toClassPico(classes: Classes): Map<TokenClass, number> {
  return new Map(classes.map(({ name, costUsd }) => [name, toPico(costUsd ?? 0)]));
}

function sumEventClasses(trial: BilledTrial, output: Output | null): Map<TokenClass, number> {
  const sums = new Map<TokenClass, number>();
  for (const event of readTrajectory(output)?.events ?? []) {
    const usage = event.type === "token_usage" ? readUsage(event) : null;
    const price = usage === null ? null : findEventPrice(trial, event, usage);
    if (usage === null || price === null) continue;
    for (const [name, pico] of toClassPico(priceUsages([usage], price))) sums.set(name, (sums.get(name) ?? 0) + pico);
  }
  return sums;
}
