import type { Example } from "../core/example.js";
import type { Grader } from "../core/grader.js";
import type { Output } from "../core/system.js";

/** What grading one trial costs, in dollars; null where that is not known. */
export interface GradingCost {
  readonly low: number | null;
  readonly high: number | null;
}

/** What is known of a trial before it is graded. */
export interface GradingForecast {
  readonly count: (text: string) => number;
  /** The longest answer in tokens; null when it has no limit. */
  readonly answerTokens: number | null;
  /** The output, when it is there already. */
  readonly output?: Output;
}

/** A grader that knows what it will cost. */
export interface PaidGrader extends Grader {
  /** Finds what `estimate` goes by, for which no key is needed. */
  findPrice(): Promise<void>;
  estimate(example: Example, forecast: GradingForecast): GradingCost;
}

/** What is done for all graders of a list, and for all parts of one that is made of others. */
export async function prepareAll(graders: Iterable<Grader>): Promise<void> {
  for (const grader of graders) await grader.prepare?.();
}

/** All are closed even when one cannot be; that is thrown afterwards. */
export async function closeAll(graders: Iterable<Grader>): Promise<void> {
  const ends = await Promise.allSettled(Array.from(graders, async (grader) => grader.close?.()));
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** Has all graders that cost something find out what they cost. */
export async function findPrices(graders: Iterable<Grader>): Promise<void> {
  for (const grader of graders) await (grader as Partial<PaidGrader>).findPrice?.();
}

/** What all graders of a list cost together. Code costs nothing; of a model that says nothing, nobody knows. */
export function estimateAll(graders: Iterable<Grader>, example: Example, forecast: GradingForecast): GradingCost {
  const costs = Array.from(graders, (grader) => estimateOf(grader as Partial<PaidGrader>, example, forecast));
  const sum = (values: readonly (number | null)[]) =>
    values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
  return { low: sum(costs.map(({ low }) => low)), high: sum(costs.map(({ high }) => high)) };
}

function estimateOf(grader: Partial<PaidGrader>, example: Example, forecast: GradingForecast): GradingCost {
  if (grader.estimate !== undefined) return grader.estimate(example, forecast);
  return grader.kind === "llm" ? { low: null, high: null } : { low: 0, high: 0 };
}

/** True for a grader that something is to be done for besides grading. */
export function needsCare(grader: Grader): boolean {
  return grader.kind === "llm" || grader.prepare !== undefined || grader.close !== undefined;
}

/** What a grader that is made of others passes on to them; nothing when none needs it. */
export function careOf(parts: readonly Grader[]): Partial<PaidGrader> {
  if (!parts.some(needsCare)) return {};
  return {
    prepare: () => prepareAll(parts),
    close: () => closeAll(parts),
    findPrice: () => findPrices(parts),
    estimate: (example, forecast) => estimateAll(parts, example, forecast),
  };
}
