import type { TokenPrices } from "../core/index.js";
import { BudgetError } from "../core/index.js";
import { createPrice, type Pricing, toDollars, toPicoDollars } from "./price.js";
import { BUDGET_RULES, requireRules } from "./rules.js";

/** The limits of one trial, as in models.yml. */
export interface Budgets {
  /** 0 for no limit. Default: computed from the price. */
  max_cost_usd?: number;
  max_tokens?: number;
  /** Default: 600. */
  hard_timeout_secs?: number;
  expected_ttft_secs?: number;
  expected_ttf_solution_secs?: number;
}

/** The rule that determined the cost limit of a trial. */
export type BudgetRule = "explicit" | "formula" | "ceiling" | "free" | "disabled" | "unpriced";

/** The resolved limits of one trial. */
export interface ResolvedBudgets {
  /** 0 for no limit, null when a limit cannot be enforced because there is no price. */
  readonly maxCostUsd: number | null;
  readonly hardTimeoutSecs: number;
  /** True when a trial is stopped at its cost limit. */
  readonly enforced: boolean;
  readonly rule: BudgetRule;
}

const MAX_DEFAULT_PICO = toPicoDollars(0.5);
const DEFAULT_TIMEOUT_SECS = 600;

/** Tokens that the default limit pays for. */
const DEFAULT_TOKENS = { input: 64_000, output: 32_000 };

/**
 * Resolves the cost limit and the timeout of one trial of a model.
 * @example
 * resolveBudgets({ pricing: { input_per_1k: 0.0003, output_per_1k: 0.0012 } });
 * // { maxCostUsd: 0.0576, hardTimeoutSecs: 600, enforced: true, rule: "formula" }
 */
export function resolveBudgets({
  pricing,
  budgets,
}: {
  pricing?: Pricing | null | undefined;
  budgets?: Budgets | null | undefined;
}): ResolvedBudgets {
  return resolveAtPrice(pricing == null ? null : createPrice(pricing, "pricing"), budgets ?? {});
}

/** The same for a known price. */
export function resolveAtPrice(price: TokenPrices | null, budgets: Budgets): ResolvedBudgets {
  requireRules("budgets", budgets, BUDGET_RULES);
  const { maxCostUsd, rule } = resolveMaxCost(price, budgets.max_cost_usd ?? null);
  const hardTimeoutSecs = budgets.hard_timeout_secs ?? DEFAULT_TIMEOUT_SECS;
  return { maxCostUsd, hardTimeoutSecs, enforced: maxCostUsd !== null && maxCostUsd > 0, rule };
}

type MaxCost = Pick<ResolvedBudgets, "maxCostUsd" | "rule">;

function resolveMaxCost(price: TokenPrices | null, given: number | null): MaxCost {
  if (given === 0) return { maxCostUsd: 0, rule: "disabled" };
  if (given !== null && price === null) throw createUnenforceableError(given);
  if (given !== null) return { maxCostUsd: given, rule: "explicit" };
  if (price === null) return { maxCostUsd: null, rule: "unpriced" };
  return price.input === 0 && price.output === 0 ? { maxCostUsd: 0, rule: "free" } : computeDefaultMaxCost(price);
}

/** Computed in whole pico-dollars. A formula result equal to the ceiling counts as "formula". */
function computeDefaultMaxCost(price: TokenPrices): MaxCost {
  const pico = price.input * DEFAULT_TOKENS.input + price.output * DEFAULT_TOKENS.output;
  if (pico > MAX_DEFAULT_PICO) return { maxCostUsd: toDollars(MAX_DEFAULT_PICO), rule: "ceiling" };
  return { maxCostUsd: toDollars(pico), rule: "formula" };
}

function createUnenforceableError(given: number): BudgetError {
  return new BudgetError(
    `budgets.max_cost_usd is ${given}, but the model has no price, so the limit can never take effect. Give pricing.input_per_1k and pricing.output_per_1k, or limit tokens with budgets.max_tokens instead.`,
  );
}
