import type { Evaluator } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output, System } from "../core/system.js";
import type { EstimateOptions, JudgingCost } from "../graders/judge/index.js";
import { formatDollars } from "../report/format.js";
import type { Plan } from "../runner/plan.js";

/** From the least to the most in dollars; null where a price or a limit is not known. */
export interface CostRange {
  low: number | null;
  high: number | null;
}

/** An evaluator that knows what it costs before it is asked, as a judge does. */
interface Estimating extends Evaluator {
  estimate(example: Example, options: EstimateOptions): JudgingCost;
}

/** Has evaluators that ask models find out what those cost, as far as they can. */
export async function findJudgingPrices({ wirings }: Plan): Promise<void> {
  for (const evaluator of new Set(wirings.flatMap(({ evaluators }) => evaluators)))
    await (evaluator as { findPrices?(): Promise<void> }).findPrices?.();
}

/** What judging every trial of a plan costs. */
export function judgingOf(
  { examples, wirings, wiringOf, systems, cells }: Plan,
  count: (text: string) => number,
): CostRange {
  const range: CostRange = { low: 0, high: 0 };
  const limits = systems.map(answerTokens);
  examples.forEach((example, at) => {
    const { evaluators = [] } = wirings[wiringOf[at] ?? 0] ?? {};
    const cell = cells[wiringOf[at] ?? 0];
    if (cell === undefined) return;
    for (const system of cell.systems)
      addTo(range, costOfScoring(example, evaluators, { count, answerTokens: limits[system] ?? null }), cell.trials);
  });
  return range;
}

/** What judging one stored output costs. */
export function judgingOfOutput(
  { example, output }: { example: Example; output: Output },
  evaluators: readonly Evaluator[],
  count: (text: string) => number,
): CostRange {
  return costOfScoring(example, evaluators, { count, answerTokens: 0, output });
}

/** Adds a range to another, as often as is said. */
export function addTo(range: CostRange, { low, high }: CostRange, times = 1): void {
  range.low = range.low === null || low === null ? null : range.low + low * times;
  range.high = range.high === null || high === null ? null : range.high + high * times;
}

function costOfScoring(example: Example, evaluators: readonly Evaluator[], options: EstimateOptions): CostRange {
  const range: CostRange = { low: 0, high: 0 };
  for (const evaluator of evaluators.filter(({ isPaid }) => isPaid === true)) {
    addTo(range, isEstimating(evaluator) ? evaluator.estimate(example, options) : { low: null, high: null });
  }
  return range;
}

function isEstimating(evaluator: Evaluator): evaluator is Estimating {
  return "estimate" in evaluator && typeof evaluator.estimate === "function";
}

/** How long an answer may be is a part of what identifies a model's work; null where it says nothing of it. */
function answerTokens(system: System): number | null {
  const { maxTokens } = Object(system.fingerprint?.()) as { maxTokens?: unknown };
  return typeof maxTokens === "number" ? maxTokens : null;
}

/** What judging costs, in words; `prompts` says what the least of it is for. */
export function judgingInWords({ low, high }: CostRange, prompts = "its prompts without the answers"): string {
  if (low === null) return "judging costs money besides; how much is not known, because the judge has no price";
  const least = `judging besides: at least ${formatDollars(low)} (${prompts})`;
  return high === null
    ? `${least}; how much more depends on the answers, whose length has no limit (--max-tokens)`
    : `${least}, about ${formatDollars(high)} at most`;
}
