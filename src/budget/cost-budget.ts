import type { Bill, MeteredTotal, Price, TokenPrices, TrialBudget, Usage } from "../core/index.js";
import { BudgetError, countPromptTokens } from "../core/index.js";
import {
  computeTokenCost,
  createPrice,
  type Pricing,
  requireTokenCount,
  requireTokenCounts,
  selectPrices,
  selectServicePrice,
  toDollars,
  toPicoDollars,
} from "./price.js";
import { BUDGET_RULES, checkAmount, requireRule } from "./rules.js";

/** The price and the limits of one trial. */
export interface CostBudgetOptions {
  readonly price?: Price | null;
  /** Alternative to `price`. */
  readonly pricing?: Pricing;
  /** 0, null or absent: costs are only counted. */
  readonly maxCostUsd?: number | null;
  /** Limit on tokens of all classes together, for models without a price. */
  readonly maxTokens?: number;
  /** True when costs are computed elsewhere and passed to `report`; a limit then needs no price. */
  readonly isMetered?: boolean;
  /** Called once, at the moment a limit is exceeded. */
  readonly onExceeded?: () => void;
  /** Called once for each of `WARNING_SHARES` when that share of the dollar limit is exceeded. */
  readonly onShare?: (share: number) => void;
}

/** Shares of the limit at which a warning is issued. */
const WARNING_SHARES: readonly number[] = [0.5, 0.8];

/**
 * Tracks the cost of one trial. Sums are whole pico-dollars, exact up to $9,007. `add` and `estimate` run for every event
 * of a stream and allocate nothing.
 * @example
 * const budget = new CostBudget({ pricing: { input_per_1k: 0.003, output_per_1k: 0.015 }, maxCostUsd: 0.05 });
 * budget.add({ input: 1200, output: 340 }).exceeded; // false
 */
export class CostBudget implements TrialBudget {
  readonly maxCostUsd: number;
  readonly #price: Price | null;
  readonly #maxCost: number;
  readonly #maxTokens: number;
  readonly #onExceeded: (() => void) | undefined;
  readonly #onShare: ((share: number) => void) | undefined;
  readonly #bill = { costUsd: 0, exceeded: false };
  readonly #usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, reasoning: 0 };
  /** Prices for the length of the last prompt. Estimates are for an answer to it or to one of similar length. */
  #prices: TokenPrices | null;
  #cost = 0;
  #tokens = 0;
  #estimatedOutput = 0;
  #estimatedInput = 0;
  #costKilledAt = 0;
  /** True once an external meter has reported usage. */
  #isReported = false;
  #isReportEstimated = false;
  #isReportPriced = false;
  /** True once an answer came from a service tier without a known price. */
  #hasUnknownService = false;
  #shares = 0;
  #nextShare: number;

  constructor(options: CostBudgetOptions) {
    const { price, pricing, maxCostUsd, maxTokens, isMetered = false } = options;
    this.maxCostUsd = maxCostUsd ?? 0;
    requireRule("maxCostUsd", this.maxCostUsd, checkAmount);
    if (maxTokens !== undefined) requireRule("maxTokens", maxTokens, BUDGET_RULES.max_tokens);
    this.#price = price ?? (pricing === undefined ? null : createPrice(pricing, "pricing"));
    this.#prices = this.#price;
    if (this.maxCostUsd > 0 && this.#price === null && !isMetered) throw createUnpricedError(this.maxCostUsd);
    this.#maxCost = this.maxCostUsd > 0 ? toPicoDollars(this.maxCostUsd) : Number.POSITIVE_INFINITY;
    this.#maxTokens = maxTokens ?? Number.POSITIVE_INFINITY;
    this.#onExceeded = options.onExceeded;
    this.#onShare = options.onShare;
    this.#nextShare = this.#computeShareCost(0);
  }

  add(usage: Usage, promptTokens?: number, service: string | null = null): Bill {
    requireTokenCounts(usage);
    if (promptTokens !== undefined) requireTokenCount("promptTokens", promptTokens);
    this.#addUsage(usage);
    if (this.#price !== null) {
      const price = service === null ? this.#price : this.#findServicePrice(this.#price, service);
      this.#prices = selectPrices(price, promptTokens ?? countPromptTokens(usage));
      this.#cost += computeTokenCost(this.#prices, usage);
    }
    this.#estimatedOutput = 0;
    this.#estimatedInput = 0;
    return this.#checkLimit();
  }

  estimate(outputTokens: number, inputTokens = 0): Bill {
    requireTokenCount("outputTokens", outputTokens);
    requireTokenCount("inputTokens", inputTokens);
    this.#estimatedOutput = outputTokens;
    this.#estimatedInput = inputTokens;
    return this.#checkLimit();
  }

  report({ usage, costUsd, isEstimated }: MeteredTotal): Bill {
    requireTokenCounts(usage);
    const total = this.#usage;
    total.input = usage.input;
    total.output = usage.output;
    total.cacheRead = usage.cacheRead ?? 0;
    total.cacheWrite = usage.cacheWrite ?? 0;
    total.cacheWrite1h = usage.cacheWrite1h ?? 0;
    total.reasoning = usage.reasoning ?? 0;
    this.#tokens = countPromptTokens(usage) + usage.output;
    this.#cost = costUsd === null ? 0 : toPicoDollars(costUsd);
    this.#isReported = true;
    this.#isReportEstimated = isEstimated;
    this.#isReportPriced = costUsd !== null;
    this.#estimatedOutput = 0;
    this.#estimatedInput = 0;
    return this.#checkLimit();
  }

  get bill(): Bill {
    return this.#bill;
  }

  get usage(): Readonly<Required<Usage>> {
    return this.#usage;
  }

  get costKilledAt(): number {
    return this.#costKilledAt;
  }

  get isEstimated(): boolean {
    return this.#hasUnknownService || this.#isReportEstimated || this.#estimatedOutput + this.#estimatedInput > 0;
  }

  get isPriced(): boolean {
    return this.#isReported ? this.#isReportPriced : this.#price !== null;
  }

  /** The answer's own service tier decides. Without a known price it is billed like the requested one, as an estimate. */
  #findServicePrice(price: Price, service: string): Price {
    const found = selectServicePrice(price, service);
    if (found === null) this.#hasUnknownService = true;
    return found ?? price;
  }

  #addUsage(usage: Usage): void {
    const total = this.#usage;
    total.input += usage.input;
    total.output += usage.output;
    total.cacheRead += usage.cacheRead ?? 0;
    total.cacheWrite += usage.cacheWrite ?? 0;
    total.cacheWrite1h += usage.cacheWrite1h ?? 0;
    total.reasoning += usage.reasoning ?? 0;
    this.#tokens += countPromptTokens(usage) + usage.output;
  }

  #checkLimit(): Bill {
    const prices = this.#prices;
    const estimated = prices === null ? 0 : this.#estimatedOutput * prices.output + this.#estimatedInput * prices.input;
    const cost = this.#cost + estimated;
    this.#bill.costUsd = toDollars(cost);
    if (cost > this.#nextShare) this.#notifyShares(cost);
    const isOverCost = cost > this.#maxCost;
    if (isOverCost || this.#tokens + this.#estimatedOutput + this.#estimatedInput > this.#maxTokens) this.#exceed();
    return this.#bill;
  }

  #notifyShares(cost: number): void {
    while (cost > this.#nextShare) {
      const share = WARNING_SHARES[this.#shares] ?? 1;
      this.#shares += 1;
      this.#nextShare = this.#computeShareCost(this.#shares);
      this.#onShare?.(share);
    }
  }

  #computeShareCost(index: number): number {
    return (WARNING_SHARES[index] ?? Number.POSITIVE_INFINITY) * this.#maxCost;
  }

  #exceed(): void {
    if (this.#bill.exceeded) return;
    this.#bill.exceeded = true;
    this.#costKilledAt = this.#bill.costUsd;
    this.#onExceeded?.();
  }
}

function createUnpricedError(maxCostUsd: number): BudgetError {
  return new BudgetError(
    `A limit of $${maxCostUsd} needs a price, or it can never take effect. Give price or pricing, or limit tokens with maxTokens instead.`,
  );
}
