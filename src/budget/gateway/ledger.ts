import { BudgetError } from "../../core/errors.js";
import { dollars, picoDollars } from "../price.js";
import { type Figures, isMoved } from "./figures.js";
import { RefusalError } from "./refusal.js";
import { type GatewayTotal, Tally } from "./tally.js";

/** What all requests together may use. */
export interface GatewayBudget {
  /** 0 or absent: costs are only counted. */
  readonly maxCostUsd?: number;
  /** Of all classes together, for models that have no price. */
  readonly maxTokens?: number;
}

export interface LedgerListeners {
  /** Called once. */
  readonly onExceeded: () => void;
  /** Called after every move, and after `onExceeded` when that move was the one too many. */
  readonly onSpend?: (() => void) | undefined;
}

/**
 * The one running total of a gateway, over requests of any model. Whole pico-dollars: exact up to $9,007, and a limit is
 * exceeded when the total is above it, not when it is reached.
 */
export class Ledger {
  readonly maxCostUsd: number;
  readonly #maxPico: number;
  readonly #maxTokens: number;
  readonly #listeners: LedgerListeners;
  readonly #tally = new Tally();
  #isExceeded = false;
  #killedAtPico = 0;

  constructor({ maxCostUsd = 0, maxTokens }: GatewayBudget, listeners: LedgerListeners) {
    if (!Number.isFinite(maxCostUsd) || maxCostUsd < 0)
      throw new BudgetError(`maxCostUsd must be a number of dollars and not negative, but is ${maxCostUsd}.`);
    if (maxTokens !== undefined && (!Number.isSafeInteger(maxTokens) || maxTokens < 1))
      throw new BudgetError(`maxTokens must be a whole number of at least 1, but is ${maxTokens}.`);
    this.maxCostUsd = maxCostUsd;
    this.#maxPico = maxCostUsd === 0 ? Number.POSITIVE_INFINITY : picoDollars(maxCostUsd);
    this.#maxTokens = maxTokens ?? Number.POSITIVE_INFINITY;
    this.#listeners = listeners;
  }

  /** Takes over what is now known of an answer, in place of what was known before. */
  replace(before: Figures | null, after: Figures): void {
    this.#tally.replace(before, after);
    if (!this.hasRoomFor(0, 0)) this.#exceed();
    if (isMoved(before, after)) this.#listeners.onSpend?.();
  }

  /** Of all answers, those included that are still coming. */
  total(): GatewayTotal {
    return this.#tally.total();
  }

  #exceed(): void {
    if (this.#isExceeded) return;
    this.#isExceeded = true;
    this.#killedAtPico = this.#tally.pico;
    this.#listeners.onExceeded();
  }

  /** True when this much can still be used on top of all that was. */
  hasRoomFor(pico: number, tokens: number): boolean {
    return this.#tally.pico + pico <= this.#maxPico && this.#tally.tokens + tokens <= this.#maxTokens;
  }

  /** Once true it stays so. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  /** The first total that exceeded the limit; 0 while none has. */
  get costKilledAt(): number {
    return dollars(this.#killedAtPico);
  }

  /** True when every model needs a price. */
  get needsPrices(): boolean {
    return this.maxCostUsd > 0;
  }

  /** Why nothing more is passed on. */
  refusal(): RefusalError {
    const limits = [
      ...(this.#maxPico === Number.POSITIVE_INFINITY ? [] : [`$${this.maxCostUsd}`]),
      ...(this.#maxTokens === Number.POSITIVE_INFINITY ? [] : [`${this.#maxTokens} tokens`]),
    ];
    return new RefusalError(
      "budget",
      `the budget of ${limits.join(" and ")} is spent ($${dollars(this.#tally.pico)}, ${this.#tally.tokens} tokens). Nothing more is passed on: start the gateway with a larger one to go on.`,
    );
  }
}
