import { costOf, dollars } from "../../budget/index.js";
import type { Example } from "../../core/example.js";
import type { Price } from "../../core/price.js";
import type { Output } from "../../core/system.js";
import type { Bench, Prompt, Trialled } from "./bench.js";
import type { JudgeModelSource } from "./judge-model.js";
import { turnCount, turnsOf } from "./turns.js";

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

interface Estimated {
  readonly sources: readonly JudgeModelSource[];
  readonly bench: Pick<Bench, "obstacle" | "prompts">;
  readonly perTurn: boolean;
}

/** Estimates the judge calls for one example; 0 if the judge is not asked at all. */
export function judgingCost(example: Example, judge: Estimated, options: EstimateOptions): JudgingCost {
  const prices = judge.sources.map((source) => source.limits?.price ?? null);
  const lengths = casesOf(example, judge.perTurn, options).flatMap((trialled) =>
    lengthsOf(trialled, judge.bench, options),
  );
  const sum = (of: (length: Length) => Parameters<typeof costIn>[1] | null) =>
    total(prices.flatMap((price) => lengths.map((length) => costIn(price, of(length)))));
  return {
    low: sum(({ tokens }) => ({ input: tokens, output: 0 })),
    high: sum(({ tokens, answers }) => (answers === null ? null : { input: tokens + answers, output: VERDICT_TOKENS })),
  };
}

interface Length {
  readonly tokens: number;
  /** Tokens that the answers add; null if unknown. */
  readonly answers: number | null;
}

function casesOf(original: Example, perTurn: boolean, { output }: EstimateOptions): Trialled[] {
  const turns = perTurn ? turnCount(original) : 1;
  const processed = output ?? { response: "", ...(turns > 1 ? { replies: Array<string>(turns).fill("") } : {}) };
  if (!perTurn) return [{ original, processed }];
  const cases = turnsOf({ original, processed });
  return typeof cases === "string" ? [] : cases;
}

function lengthsOf(
  trialled: Trialled,
  bench: Estimated["bench"],
  { count, answerTokens, output }: EstimateOptions,
): Length[] {
  if (bench.obstacle(trialled) !== null) return [];
  const replies = Array.isArray(trialled.processed.replies) ? trialled.processed.replies.length : 1;
  const answers = output !== undefined ? 0 : answerTokens === null ? null : answerTokens * replies;
  return bench
    .prompts(trialled)
    .map(({ system, message }: Prompt) => ({ tokens: count(system) + count(message), answers }));
}

function costIn(price: Price | null, used: { input: number; output: number } | null): number | null {
  return price === null || used === null ? null : dollars(costOf(price, used));
}

function total(costs: readonly (number | null)[]): number | null {
  return costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}
