import type { Evaluator } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output, System } from "../core/system.js";
import type { EstimateOptions, JudgingCost } from "../graders/judge/index.js";
import { formatDollars } from "../report/format.js";
import type { Plan } from "../runner/plan.js";

/** Minimum and maximum in dollars; null if a price or a limit is unknown. */
export interface CostRange {
  low: number | null;
  high: number | null;
}

/** An evaluator that can estimate its cost in advance, such as a judge. */
interface EstimatingEvaluator extends Evaluator {
  estimate(example: Example, options: EstimateOptions): JudgingCost;
}

/** Looks up prices for evaluators that call models, as far as possible. */
export async function findJudgingPrices({ wirings }: Plan): Promise<void> {
  for (const evaluator of new Set(wirings.flatMap(({ evaluators }) => evaluators)))
    await (evaluator as { findPrices?(): Promise<void> }).findPrices?.();
}

/** The cost of judging every trial of a plan. */
export function estimateJudging(
  { examples, wirings, wiringOf, systems, cells }: Plan,
  count: (text: string) => number,
): CostRange {
  const range: CostRange = { low: 0, high: 0 };
  const limits = systems.map(getMaxAnswerTokens);
  examples.forEach((example, at) => {
    const { evaluators = [] } = wirings[wiringOf[at] ?? 0] ?? {};
    const cell = cells[wiringOf[at] ?? 0];
    if (cell === undefined) return;
    for (const system of cell.systems)
      addCostRange(
        range,
        estimateScoringCost(example, evaluators, { count, answerTokens: limits[system] ?? null }),
        cell.trials,
      );
  });
  return range;
}

/** The cost of judging one stored output. */
export function estimateOutputJudging(
  { example, output }: { example: Example; output: Output },
  evaluators: readonly Evaluator[],
  count: (text: string) => number,
): CostRange {
  return estimateScoringCost(example, evaluators, { count, answerTokens: 0, output });
}

export function addCostRange(range: CostRange, { low, high }: CostRange, times = 1): void {
  range.low = range.low === null || low === null ? null : range.low + low * times;
  range.high = range.high === null || high === null ? null : range.high + high * times;
}

function estimateScoringCost(example: Example, evaluators: readonly Evaluator[], options: EstimateOptions): CostRange {
  const range: CostRange = { low: 0, high: 0 };
  for (const evaluator of evaluators.filter(({ isPaid }) => isPaid === true)) {
    addCostRange(range, canEstimate(evaluator) ? evaluator.estimate(example, options) : { low: null, high: null });
  }
  return range;
}

function canEstimate(evaluator: Evaluator): evaluator is EstimatingEvaluator {
  return "estimate" in evaluator && typeof evaluator.estimate === "function";
}

/** The answer limit is part of a model's fingerprint; null if it has none. */
function getMaxAnswerTokens(system: System): number | null {
  const { maxTokens } = Object(system.fingerprint?.()) as { maxTokens?: unknown };
  return typeof maxTokens === "number" ? maxTokens : null;
}

/** `prompts` names what the minimum covers. */
export function describeJudgingCost({ low, high }: CostRange, prompts = "its prompts without the answers"): string {
  if (low === null) return "judging costs extra; the amount is unknown, because the judge has no price";
  const least = `judging costs extra: at least ${formatDollars(low)} (${prompts})`;
  return high === null
    ? `${least}; the maximum is unknown, because answers have no length limit (--max-tokens)`
    : `${least}, about ${formatDollars(high)} at most`;
}
