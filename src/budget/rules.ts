import { BudgetError } from "../core/errors.js";
import { describe } from "../core/shape.js";

/** Says what is wrong with a value, as the end of a sentence that starts with its name; null when nothing is. */
export type Rule = (value: unknown) => string | null;

/** Above this Node's timers fire at once instead of waiting. */
const LONGEST_TIMER_SECS = 2_147_483;

/** No amount of anything measured here comes near it, and in pico-dollars it is still a number. */
const LARGEST_AMOUNT = 1e15;

/** A dollar in the unit all sums are kept in. */
export const PICO_PER_DOLLAR = 1e12;

/** From the price of a thousand tokens to pico-dollars a token. */
export const PICO_PER_1K = 1e9;

/** A number of dollars, seconds or the like: finite and not negative. */
export function amount(value: unknown): string | null {
  if (value === undefined) return "is missing";
  if (value === null) return "has no value: give it one, or remove the line";
  if (typeof value !== "number") return `must be a number, not ${describe(value)}`;
  if (!Number.isFinite(value)) return `must be a finite number, not ${value}`;
  if (value > LARGEST_AMOUNT) return `must be at most ${LARGEST_AMOUNT}, but is ${value}`;
  return value < 0 ? `must not be negative, but is ${value}` : null;
}

function tokenPrice(value: unknown): string | null {
  const problem = amount(value);
  if (problem !== null) return problem;
  const pico = Math.round(Number(value) * PICO_PER_1K);
  if (!Number.isSafeInteger(pico)) return `is too large (${String(value)}): give dollars for a thousand tokens`;
  // Rounded to 0 it would pass for free, and no limit could ever fire.
  if (pico === 0 && value !== 0) return `is too small (${String(value)}): give dollars for a thousand tokens`;
  return null;
}

function tokenCount(value: unknown): string | null {
  const problem = amount(value);
  if (problem !== null) return problem;
  if (Number.isSafeInteger(value) && value !== 0) return null;
  return `must be a whole number of at least 1, but is ${String(value)}: leave it out for no limit`;
}

function timeout(value: unknown): string | null {
  const problem = amount(value);
  if (problem !== null) return problem;
  if (value === 0) return "must be above 0: it is the safety net, and cannot be turned off";
  if (Number(value) <= LONGEST_TIMER_SECS) return null;
  return `must be at most ${LONGEST_TIMER_SECS} (24 days), but is ${String(value)}`;
}

/** What each price of `pricing` must be. */
export const PRICING_RULES = {
  input_per_1k: tokenPrice,
  output_per_1k: tokenPrice,
  cache_read_per_1k: tokenPrice,
  cache_write_per_1k: tokenPrice,
  cache_write_1h_per_1k: tokenPrice,
} as const satisfies Record<string, Rule>;

/** What each limit of `budgets` must be. */
export const BUDGET_RULES = {
  max_cost_usd: amount,
  max_tokens: tokenCount,
  hard_timeout_secs: timeout,
  expected_ttft_secs: amount,
  expected_ttf_solution_secs: amount,
} as const satisfies Record<string, Rule>;

/** Throws a BudgetError that names the value, unless the rule is kept. */
export function requireRule(name: string, value: unknown, rule: Rule): void {
  const problem = rule(value);
  if (problem !== null) throw new BudgetError(`${name} ${problem}.`);
}

/** The same for every value that is given; null counts as not given. */
export function requireRules(section: string, values: object, rules: Readonly<Record<string, Rule>>): void {
  for (const [key, value] of Object.entries(values) as [string, unknown][]) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule !== undefined && value != null) requireRule(`${section}.${key}`, value, rule);
  }
}
