import type { CostSource, Usage } from "../../core/index.js";
import { BudgetError } from "../../core/index.js";
import { toDollars, toPicoDollars } from "../price.js";
import {
  addFigures,
  COST_SOURCES,
  countAllTokens,
  hasChangedFigures,
  REQUEST_ENDINGS,
  type Receipt,
  type ReceiptLine,
  type RequestEnding,
  type RequestFigures,
  toReceiptLine,
  ZERO_FIGURES,
} from "./receipt.js";
import { RefusalError } from "./refusal.js";

/** Limits for all requests together. */
export interface GatewayBudget {
  /** 0 or absent: costs are only counted. */
  readonly maxCostUsd?: number;
  /** Of all classes together, for models that have no price. */
  readonly maxTokens?: number;
}

export interface GatewayLedgerListeners {
  /** Called once. */
  readonly onExceeded: () => void;
  /** Called after every change, and after `onExceeded` when that change exceeded the limit. */
  readonly onSpend?: (() => void) | undefined;
}

/**
 * The running total of a gateway over all models. Whole pico-dollars, exact up to $9,007. A limit is exceeded when the
 * total is above it, not when it is reached.
 */
export class GatewayLedger {
  readonly maxCostUsd: number;
  readonly #maxPico: number;
  readonly #maxTokens: number;
  readonly #listeners: GatewayLedgerListeners;
  readonly #sum = new UsageSum();
  #isExceeded = false;
  #killedAtPico = 0;

  constructor({ maxCostUsd = 0, maxTokens }: GatewayBudget, listeners: GatewayLedgerListeners) {
    if (!Number.isFinite(maxCostUsd) || maxCostUsd < 0)
      throw new BudgetError(`maxCostUsd must be a non-negative number of dollars, but is ${maxCostUsd}.`);
    if (maxTokens !== undefined && (!Number.isSafeInteger(maxTokens) || maxTokens < 1))
      throw new BudgetError(`maxTokens must be a whole number of at least 1, but is ${maxTokens}.`);
    this.maxCostUsd = maxCostUsd;
    this.#maxPico = maxCostUsd === 0 ? Number.POSITIVE_INFINITY : toPicoDollars(maxCostUsd);
    this.#maxTokens = maxTokens ?? Number.POSITIVE_INFINITY;
    this.#listeners = listeners;
  }

  /** Replaces the previous figures of an answer with its latest ones. */
  replace(before: RequestFigures | null, after: RequestFigures): void {
    this.#sum.replace(before, after);
    if (!this.canSpend(0, 0)) this.#exceed();
    if (hasChangedFigures(before, after)) this.#listeners.onSpend?.();
  }

  /** Includes answers still in progress. */
  total(): GatewayTotal {
    return this.#sum.total();
  }

  #exceed(): void {
    if (this.#isExceeded) return;
    this.#isExceeded = true;
    this.#killedAtPico = this.#sum.pico;
    this.#listeners.onExceeded();
  }

  /** True when this much can still be spent. */
  canSpend(pico: number, tokens: number): boolean {
    return this.#sum.pico + pico <= this.#maxPico && this.#sum.tokens + tokens <= this.#maxTokens;
  }

  /** Never becomes false again. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  /** The first total that exceeded the limit; 0 while none has. */
  get costKilledAt(): number {
    return toDollars(this.#killedAtPico);
  }

  get needsPrices(): boolean {
    return this.maxCostUsd > 0;
  }

  createRefusal(): RefusalError {
    const limits = [
      ...(this.#maxPico === Number.POSITIVE_INFINITY ? [] : [`$${this.maxCostUsd}`]),
      ...(this.#maxTokens === Number.POSITIVE_INFINITY ? [] : [`${this.#maxTokens} tokens`]),
    ];
    return new RefusalError(
      "budget",
      `the budget of ${limits.join(" and ")} is spent ($${toDollars(this.#sum.pico)}, ${this.#sum.tokens} tokens). No more requests are forwarded: start the gateway with a larger budget to continue.`,
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
class UsageSum {
  readonly #usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, reasoning: 0 };
  #pico = 0;
  #unpriced = 0;
  #estimated = 0;
  /** Number of answers for each cost source. */
  readonly #sources = COST_SOURCES.map(() => 0);

  /** Of all answers whose price is known. */
  get pico(): number {
    return this.#pico;
  }

  get tokens(): number {
    return countAllTokens(this.#usage);
  }

  replace(before: RequestFigures | null, after: RequestFigures): void {
    if (before !== null) this.#addFigures(before, -1);
    this.#addFigures(after, 1);
  }

  total(): GatewayTotal {
    return {
      usage: { ...this.#usage },
      costUsd: this.#unpriced > 0 ? null : toDollars(this.#pico),
      isEstimated: this.#estimated > 0,
      costSource: COST_SOURCES[this.#sources.findIndex((answers) => answers > 0)] ?? "priced",
    };
  }

  #addFigures({ usage, pico, costSource, isEstimated }: RequestFigures, sign: 1 | -1): void {
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
    const source = COST_SOURCES.indexOf(costSource);
    this.#sources[source] = (this.#sources[source] ?? 0) + sign;
  }
}

/** Enough to show what was not metered; this is not a log. */
const MAX_PATHS = 20;

/** An answer still in progress. */
export interface OpenAnswer {
  readonly model: string;
  /** `figures` is null until part of the answer has arrived. */
  readonly meter: { readonly figures: RequestFigures | null };
}

interface ModelAccount {
  requests: number;
  figures: RequestFigures;
}

/** Tracks usage per model, for finished answers and for those in progress. */
export class UsageAccounts {
  readonly #closed = new Map<string, ModelAccount>();
  readonly #open = new Set<OpenAnswer>();
  readonly #endings = new Map<RequestEnding, number>();
  readonly #unknownModels = new Set<string>();
  readonly #unmeteredPaths = new Set<string>();
  #requests = 0;

  countRequest(): void {
    this.#requests += 1;
  }

  countEnding(ending: RequestEnding): void {
    this.#endings.set(ending, (this.#endings.get(ending) ?? 0) + 1);
  }

  open(answer: OpenAnswer): void {
    this.#open.add(answer);
  }

  /** Discards the answer when it is not billed. */
  close(answer: OpenAnswer, isBilled: boolean): void {
    if (this.#open.delete(answer) && isBilled) addAnswerFigures(this.#closed, answer);
  }

  addUnknownModel(model: string): void {
    this.#unknownModels.add(model);
  }

  addUnmeteredPath(path: string): void {
    if (this.#unmeteredPaths.size < MAX_PATHS) this.#unmeteredPaths.add(path);
  }

  createReceipt(ledger: GatewayLedger, budget: GatewayBudget, durationMs: number): Receipt {
    const accounts = new Map([...this.#closed].map(([model, account]) => [model, { ...account }]));
    for (const answer of this.#open) addAnswerFigures(accounts, answer);
    const lines = [...accounts].map(([model, { requests, figures }]) => toReceiptLine(model, requests, figures));
    const total = [...accounts.values()].reduce((sum, { figures }) => addFigures(sum, figures), ZERO_FIGURES);
    const totalPico = lines.reduce((sum, { costPico }) => sum + (costPico ?? 0), 0);
    return {
      requests: this.#requests,
      ...this.#countEndings(),
      byModel: lines.sort(compareByCost),
      totalUsd: toDollars(totalPico),
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

  #countEndings(): Record<RequestEnding, number> {
    const counts = REQUEST_ENDINGS.map((ending) => [ending, this.#endings.get(ending) ?? 0] as const);
    return Object.fromEntries(counts) as Record<RequestEnding, number>;
  }
}

function addAnswerFigures(accounts: Map<string, ModelAccount>, { model, meter: { figures } }: OpenAnswer): void {
  if (figures === null) return;
  const account = accounts.get(model);
  accounts.set(model, {
    requests: (account?.requests ?? 0) + 1,
    figures: addFigures(account?.figures ?? ZERO_FIGURES, figures),
  });
}

function compareByCost(a: ReceiptLine, b: ReceiptLine): number {
  return (b.costPico ?? 0) - (a.costPico ?? 0) || (a.model < b.model ? -1 : 1);
}

/** Records when a request and the text of its streamed answer arrived. Everything in one chunk has the same time. */
export class StreamTiming {
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
  recordChunk(): void {
    this.#chunkAt = this.#now();
  }

  /** Call for text, reasoning or tool call arguments. */
  recordText(): void {
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
