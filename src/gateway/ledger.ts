import { dollars, picoDollars } from "../budget/price.js";
import { BudgetError } from "../core/errors.js";
import { RefusalError } from "./refusal.js";

/** What all requests together may use. */
export interface GatewayBudget {
  /** 0 or absent: costs are only counted. */
  readonly maxCostUsd?: number;
  /** Of all classes together, for models that have no price. */
  readonly maxTokens?: number;
}

/**
 * The one running total of a gateway, over requests of any model. Whole pico-dollars: exact up to $9,007, and a limit is
 * exceeded when the total is above it, not when it is reached.
 */
export class Ledger {
  readonly maxCostUsd: number;
  readonly #maxPico: number;
  readonly #maxTokens: number;
  readonly #onExceeded: () => void;
  #pico = 0;
  #tokens = 0;
  #isExceeded = false;
  #killedAtPico = 0;

  constructor({ maxCostUsd = 0, maxTokens }: GatewayBudget, onExceeded: () => void) {
    if (!Number.isFinite(maxCostUsd) || maxCostUsd < 0)
      throw new BudgetError(`maxCostUsd must be a number of dollars and not negative, but is ${maxCostUsd}.`);
    if (maxTokens !== undefined && (!Number.isSafeInteger(maxTokens) || maxTokens < 1))
      throw new BudgetError(`maxTokens must be a whole number of at least 1, but is ${maxTokens}.`);
    this.maxCostUsd = maxCostUsd;
    this.#maxPico = maxCostUsd === 0 ? Number.POSITIVE_INFINITY : picoDollars(maxCostUsd);
    this.#maxTokens = maxTokens ?? Number.POSITIVE_INFINITY;
    this.#onExceeded = onExceeded;
  }

  /** Adds to the total, or takes back what was only estimated. */
  move(pico: number, tokens: number): void {
    this.#pico += pico;
    this.#tokens += tokens;
    if (this.#isExceeded || (this.#pico <= this.#maxPico && this.#tokens <= this.#maxTokens)) return;
    this.#isExceeded = true;
    this.#killedAtPico = this.#pico;
    this.#onExceeded();
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
      `the budget of ${limits.join(" and ")} is spent ($${dollars(this.#pico)}, ${this.#tokens} tokens). Nothing more is passed on: start the gateway with a larger one to go on.`,
    );
  }
}
