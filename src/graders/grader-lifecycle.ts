import type { Example, Grade, Graded, Grader, GraderSpec, Output, Verdict } from "../core/index.js";
import { describeValue } from "../core/index.js";
import { makeErrorVerdict, tryGrade } from "./built-in-grader.js";

/** Runs a grader and checks its verdict, because custom graders may return anything. */
export async function runGrader(grader: Grader, spec: GraderSpec, graded: Graded): Promise<Grade> {
  const said: unknown = await withGradingTimeout(tryGrade((each) => grader.grade(each), graded));
  const problem = findVerdictProblem(said);
  return completeGrade(grader, spec, problem === null ? (said as Verdict) : makeErrorVerdict(problem));
}

/** No built-in grader takes this long; a custom grader may never answer, and must not block the run. */
const MAX_GRADING_MS = 600_000;

async function withGradingTimeout(verdict: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Verdict>((resolve) => {
    timer = setTimeout(
      () => resolve(makeErrorVerdict(`it gave no answer within ${MAX_GRADING_MS / 60_000} minutes`)),
      MAX_GRADING_MS,
    );
  });
  try {
    return await Promise.race([verdict, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A verdict as the grade of a grader. */
export function completeGrade(grader: Grader, { name, type }: GraderSpec, verdict: Verdict): Grade {
  const { passed, evidence, score = passed ? 1 : 0, status = "ok", details } = verdict;
  return {
    name: name ?? type,
    type,
    kind: grader.kind ?? "code",
    passed,
    score,
    evidence,
    status,
    ...(details === undefined ? {} : { details }),
  };
}

function findVerdictProblem(said: unknown): string | null {
  if (typeof said !== "object" || said === null) return `it returned ${describeValue(said)} instead of a verdict`;
  const { passed, evidence, score = 0, status = "ok" } = said as Partial<Verdict>;
  if (typeof passed !== "boolean") return `it returned passed = ${describeValue(passed)}, not true or false`;
  if (typeof evidence !== "string") return `it returned ${describeValue(evidence)} as evidence, not a string`;
  if (status !== "ok" && status !== "error") return `it returned the status ${describeValue(status)}, not ok or error`;
  const isScore = typeof score === "number" && score >= 0 && score <= 1;
  return isScore ? null : `it returned the score ${describeValue(score)}, not a number from 0 to 1`;
}

/** The cost of grading one trial in dollars; null if unknown. */
export interface GradingCost {
  readonly low: number | null;
  readonly high: number | null;
}

/** What is known about a trial before it is graded. */
export interface GradingForecast {
  readonly count: (text: string) => number;
  /** The maximum length of an answer in tokens; null if unlimited. */
  readonly answerTokens: number | null;
  /** The output, if it exists already. */
  readonly output?: Output;
}

/** A grader that can estimate its cost. */
export interface PaidGrader extends Grader {
  /** Finds the prices that `estimate` needs. Requires no API key. */
  findPrice(): Promise<void>;
  estimate(example: Example, forecast: GradingForecast): GradingCost;
}

export async function prepareAllGraders(graders: Iterable<Grader>): Promise<void> {
  for (const grader of graders) await grader.prepare?.();
}

/** Closes all graders even if one fails, then throws the first error. */
export async function closeAllGraders(graders: Iterable<Grader>): Promise<void> {
  const ends = await Promise.allSettled(Array.from(graders, async (grader) => grader.close?.()));
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

export async function findPrices(graders: Iterable<Grader>): Promise<void> {
  for (const grader of graders) await (grader as Partial<PaidGrader>).findPrice?.();
}

/** Estimates all graders together. Code is free; the cost of a model without an estimate is unknown. */
export function estimateAllGraders(
  graders: Iterable<Grader>,
  example: Example,
  forecast: GradingForecast,
): GradingCost {
  const costs = Array.from(graders, (grader) => estimateGrader(grader as Partial<PaidGrader>, example, forecast));
  const sum = (values: readonly (number | null)[]) =>
    values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
  return { low: sum(costs.map(({ low }) => low)), high: sum(costs.map(({ high }) => high)) };
}

function estimateGrader(grader: Partial<PaidGrader>, example: Example, forecast: GradingForecast): GradingCost {
  if (grader.estimate !== undefined) return grader.estimate(example, forecast);
  return grader.kind === "llm" ? { low: null, high: null } : { low: 0, high: 0 };
}

/** Whether a grader has to be prepared, closed or priced. */
export function needsLifecycle(grader: Grader): boolean {
  return grader.kind === "llm" || grader.prepare !== undefined || grader.close !== undefined;
}

/** The lifecycle methods of a grader that combines others; empty if no part needs any. */
export function buildLifecycle(parts: readonly Grader[]): Partial<PaidGrader> {
  if (!parts.some(needsLifecycle)) return {};
  return {
    prepare: () => prepareAllGraders(parts),
    close: () => closeAllGraders(parts),
    findPrice: () => findPrices(parts),
    estimate: (example, forecast) => estimateAllGraders(parts, example, forecast),
  };
}
