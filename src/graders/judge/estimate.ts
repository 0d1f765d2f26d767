import { computeCost, toDollars } from "../../budget/index.js";
import { countAskedTurns, type Example, type Output, type Price } from "../../core/index.js";
import type { JudgeModelSource } from "./judge-model.js";
import type { JudgedCase, JudgePrompt, JudgingMode } from "./judging-mode.js";
import { splitTurns } from "./turns.js";

/** The cost of judging one output in dollars; null if a price or the length of answers is unknown. */
export interface JudgingCost {
  /** The prompt without the answers. */
  readonly low: number | null;
  /** With answers of maximum length and a verdict of typical length. */
  readonly high: number | null;
}

/** What is known before there is an answer, or the answer itself. */
export interface EstimateOptions {
  readonly count: (text: string) => number;
  /** The maximum length of an answer in tokens; null if unlimited. */
  readonly answerTokens: number | null;
  /** The output, if known. Then low and high differ only by the verdict. */
  readonly output?: Output;
}

/** A few sentences inside a JSON object. */
const VERDICT_TOKENS = 300;

interface JudgingCostInput {
  readonly sources: readonly JudgeModelSource[];
  readonly bench: Pick<JudgingMode, "obstacle" | "prompts">;
  readonly perTurn: boolean;
}

/** Estimates the judge calls for one example; 0 if the judge is not asked at all. */
export function estimateJudgeCalls(example: Example, judge: JudgingCostInput, options: EstimateOptions): JudgingCost {
  const prices = judge.sources.map((source) => source.limits?.price ?? null);
  const lengths = buildCases(example, judge.perTurn, options).flatMap((trialled) =>
    measurePrompts(trialled, judge.bench, options),
  );
  const sum = (of: (length: PromptLength) => Parameters<typeof priceTokens>[1] | null) =>
    sumJudgeCosts(prices.flatMap((price) => lengths.map((length) => priceTokens(price, of(length)))));
  return {
    low: sum(({ tokens }) => ({ input: tokens, output: 0 })),
    high: sum(({ tokens, answers }) => (answers === null ? null : { input: tokens + answers, output: VERDICT_TOKENS })),
  };
}

interface PromptLength {
  readonly tokens: number;
  /** Tokens that the answers add; null if unknown. */
  readonly answers: number | null;
}

function buildCases(original: Example, perTurn: boolean, { output }: EstimateOptions): JudgedCase[] {
  const turns = perTurn ? countAskedTurns(original) : 1;
  const processed = output ?? { response: "", ...(turns > 1 ? { replies: Array<string>(turns).fill("") } : {}) };
  if (!perTurn) return [{ original, processed }];
  const cases = splitTurns({ original, processed });
  return typeof cases === "string" ? [] : cases;
}

function measurePrompts(
  trialled: JudgedCase,
  bench: JudgingCostInput["bench"],
  { count, answerTokens, output }: EstimateOptions,
): PromptLength[] {
  if (bench.obstacle(trialled) !== null) return [];
  const replies = Array.isArray(trialled.processed.replies) ? trialled.processed.replies.length : 1;
  const answers = output !== undefined ? 0 : answerTokens === null ? null : answerTokens * replies;
  return bench
    .prompts(trialled)
    .map(({ system, message }: JudgePrompt) => ({ tokens: count(system) + count(message), answers }));
}

function priceTokens(price: Price | null, used: { input: number; output: number } | null): number | null {
  return price === null || used === null ? null : toDollars(computeCost(price, used));
}

function sumJudgeCosts(costs: readonly (number | null)[]): number | null {
  return costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}
