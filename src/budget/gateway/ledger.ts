import { BudgetError } from "../../core/errors.js";
import type { CostSource } from "../../core/row.js";
import type { Usage } from "../../core/system.js";
import { dollars, picoDollars } from "../price.js";
import {
  addFigures,
  ENDINGS,
  type Ending,
  type Figures,
  isMoved,
  lineOf,
  NO_FIGURES,
  type Receipt,
  type ReceiptLine,
  SOURCES,
  tokensOf,
} from "./receipt.js";
import { RefusalError } from "./refusal.js";

/** Limits for all requests together. */
export interface GatewayBudget {
  /** 0 or absent: costs are only counted. */
  readonly maxCostUsd?: number;
  /** Of all classes together, for models that have no price. */
  readonly maxTokens?: number;
}

export interface LedgerListeners {
  /** Called once. */
  readonly onExceeded: () => void;
  /** Called after every change, and after `onExceeded` when that change exceeded the limit. */
  readonly onSpend?: (() => void) | undefined;
}

/**
 * The running total of a gateway over all models. Whole pico-dollars, exact up to $9,007. A limit is exceeded when the
 * total is above it, not when it is reached.
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
      throw new BudgetError(`maxCostUsd must be a non-negative number of dollars, but is ${maxCostUsd}.`);
    if (maxTokens !== undefined && (!Number.isSafeInteger(maxTokens) || maxTokens < 1))
      throw new BudgetError(`maxTokens must be a whole number of at least 1, but is ${maxTokens}.`);
    this.maxCostUsd = maxCostUsd;
    this.#maxPico = maxCostUsd === 0 ? Number.POSITIVE_INFINITY : picoDollars(maxCostUsd);
    this.#maxTokens = maxTokens ?? Number.POSITIVE_INFINITY;
    this.#listeners = listeners;
  }

  /** Replaces the previous figures of an answer with its latest ones. */
  replace(before: Figures | null, after: Figures): void {
    this.#tally.replace(before, after);
    if (!this.hasRoomFor(0, 0)) this.#exceed();
    if (isMoved(before, after)) this.#listeners.onSpend?.();
  }

  /** Includes answers still in progress. */
  total(): GatewayTotal {
    return this.#tally.total();
  }

  #exceed(): void {
    if (this.#isExceeded) return;
    this.#isExceeded = true;
    this.#killedAtPico = this.#tally.pico;
    this.#listeners.onExceeded();
  }

  /** True when this much can still be spent. */
  hasRoomFor(pico: number, tokens: number): boolean {
    return this.#tally.pico + pico <= this.#maxPico && this.#tally.tokens + tokens <= this.#maxTokens;
  }

  /** Never becomes false again. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  /** The first total that exceeded the limit; 0 while none has. */
  get costKilledAt(): number {
    return dollars(this.#killedAtPico);
  }

  get needsPrices(): boolean {
    return this.maxCostUsd > 0;
  }

  refusal(): RefusalError {
    const limits = [
      ...(this.#maxPico === Number.POSITIVE_INFINITY ? [] : [`$${this.maxCostUsd}`]),
      ...(this.#maxTokens === Number.POSITIVE_INFINITY ? [] : [`${this.#maxTokens} tokens`]),
    ];
    return new RefusalError(
      "budget",
      `the budget of ${limits.join(" and ")} is spent ($${dollars(this.#tally.pico)}, ${this.#tally.tokens} tokens). No more requests are forwarded: start the gateway with a larger budget to continue.`,
    );
  }
}

/** What all requests of a gateway have used so far. */
export interface GatewayTotal {
  readonly usage: Readonly<Required<Usage>>;
  /** Null when a model without a known price has answered. */
  readonly costUsd: number | null;
  /** True while part of it is estimated. */
  readonly isEstimated: boolean;
  /** The least certain source of all answers; `priced` while there are none. */
  readonly costSource: CostSource;
}

/**
 * The running sum over all answers. It is updated with every event of every stream, so it keeps only counts: the previous
 * figures of an answer are subtracted before the new ones are added.
 */
class Tally {
  readonly #usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, reasoning: 0 };
  #pico = 0;
  #unpriced = 0;
  #estimated = 0;
  /** Number of answers for each cost source. */
  readonly #sources = SOURCES.map(() => 0);

  /** Of all answers whose price is known. */
  get pico(): number {
    return this.#pico;
  }

  get tokens(): number {
    return tokensOf(this.#usage);
  }

  replace(before: Figures | null, after: Figures): void {
    if (before !== null) this.#count(before, -1);
    this.#count(after, 1);
  }

  total(): GatewayTotal {
    return {
      usage: { ...this.#usage },
      costUsd: this.#unpriced > 0 ? null : dollars(this.#pico),
      isEstimated: this.#estimated > 0,
      costSource: SOURCES[this.#sources.findIndex((answers) => answers > 0)] ?? "priced",
    };
  }

  #count({ usage, pico, costSource, isEstimated }: Figures, sign: 1 | -1): void {
    const sum = this.#usage;
    sum.input += sign * usage.input;
    sum.output += sign * usage.output;
    sum.cacheRead += sign * usage.cacheRead;
    sum.cacheWrite += sign * usage.cacheWrite;
    sum.cacheWrite1h += sign * usage.cacheWrite1h;
    sum.reasoning += sign * usage.reasoning;
    this.#pico += sign * (pico ?? 0);
    if (pico === null) this.#unpriced += sign;
    if (isEstimated) this.#estimated += sign;
    const source = SOURCES.indexOf(costSource);
    this.#sources[source] = (this.#sources[source] ?? 0) + sign;
  }
}

/** Enough to show what was not metered; this is not a log. */
const MOST_PATHS = 20;

/** An answer still in progress. */
export interface OpenAnswer {
  readonly model: string;
  /** `figures` is null until part of the answer has arrived. */
  readonly meter: { readonly figures: Figures | null };
}

interface Account {
  requests: number;
  figures: Figures;
}

/** Tracks usage per model, for finished answers and for those in progress. */
export class Accounts {
  readonly #closed = new Map<string, Account>();
  readonly #open = new Set<OpenAnswer>();
  readonly #endings = new Map<Ending, number>();
  readonly #unknownModels = new Set<string>();
  readonly #unmeteredPaths = new Set<string>();
  #requests = 0;

  arrive(): void {
    this.#requests += 1;
  }

  end(ending: Ending): void {
    this.#endings.set(ending, (this.#endings.get(ending) ?? 0) + 1);
  }

  open(answer: OpenAnswer): void {
    this.#open.add(answer);
  }

  /** Discards the answer when it is not billed. */
  close(answer: OpenAnswer, isBilled: boolean): void {
    if (this.#open.delete(answer) && isBilled) add(this.#closed, answer);
  }

  noteUnknownModel(model: string): void {
    this.#unknownModels.add(model);
  }

  noteUnmetered(path: string): void {
    if (this.#unmeteredPaths.size < MOST_PATHS) this.#unmeteredPaths.add(path);
  }

  receipt(ledger: Ledger, budget: GatewayBudget, durationMs: number): Receipt {
    const accounts = new Map([...this.#closed].map(([model, account]) => [model, { ...account }]));
    for (const answer of this.#open) add(accounts, answer);
    const lines = [...accounts].map(([model, { requests, figures }]) => lineOf(model, requests, figures));
    const total = [...accounts.values()].reduce((sum, { figures }) => addFigures(sum, figures), NO_FIGURES);
    const totalPico = lines.reduce((sum, { costPico }) => sum + (costPico ?? 0), 0);
    return {
      requests: this.#requests,
      ...this.#counts(),
      byModel: lines.sort(byCost),
      totalUsd: dollars(totalPico),
      totalPico,
      usage: total.usage,
      maxCostUsd: budget.maxCostUsd ?? null,
      maxTokens: budget.maxTokens ?? null,
      exceeded: ledger.isExceeded,
      costKilledAt: ledger.costKilledAt,
      partial: total.isEstimated || total.pico === null,
      durationMs,
      unknownModels: [...this.#unknownModels],
      unmeteredPaths: [...this.#unmeteredPaths],
    };
  }

  #counts(): Record<Ending, number> {
    const counts = ENDINGS.map((ending) => [ending, this.#endings.get(ending) ?? 0] as const);
    return Object.fromEntries(counts) as Record<Ending, number>;
  }
}

function add(accounts: Map<string, Account>, { model, meter: { figures } }: OpenAnswer): void {
  if (figures === null) return;
  const account = accounts.get(model);
  accounts.set(model, {
    requests: (account?.requests ?? 0) + 1,
    figures: addFigures(account?.figures ?? NO_FIGURES, figures),
  });
}

function byCost(a: ReceiptLine, b: ReceiptLine): number {
  return (b.costPico ?? 0) - (a.costPico ?? 0) || (a.model < b.model ? -1 : 1);
}

/** Records when a request and the text of its streamed answer arrived. Everything in one chunk has the same time. */
export class Pace {
  readonly #now: () => number;
  readonly #arrivedAt: number;
  /** Null until the first chunk of a stream. */
  #chunkAt: number | null = null;
  #firstAt: number | null = null;
  #lastAt = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#arrivedAt = now();
  }

  /** Call before reading the content of a chunk. */
  noteChunk(): void {
    this.#chunkAt = this.#now();
  }

  /** Call for text, reasoning or tool call arguments. */
  noteWords(): void {
    if (this.#chunkAt === null) return;
    this.#firstAt ??= this.#chunkAt;
    this.#lastAt = this.#chunkAt;
  }

  get elapsedMs(): number {
    return this.#now() - this.#arrivedAt;
  }

  /** From the request to the first text; null when nothing was streamed. */
  get ttftMs(): number | null {
    return this.#firstAt === null ? null : this.#firstAt - this.#arrivedAt;
  }

  /** From the first text to the last; null when all came in one chunk, which says nothing about speed. */
  get generationMs(): number | null {
    return this.#firstAt === null || this.#lastAt === this.#firstAt ? null : this.#lastAt - this.#firstAt;
  }
}
