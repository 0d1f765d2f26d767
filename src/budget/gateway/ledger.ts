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

/** What all requests of a gateway together have used so far. */
export interface GatewayTotal {
  readonly usage: Readonly<Required<Usage>>;
  /** Null when a model has answered whose price is not known. */
  readonly costUsd: number | null;
  /** True while a part of it is only estimated. */
  readonly isEstimated: boolean;
  /** Of the least certain answer; `priced` while there is none. */
  readonly costSource: CostSource;
}

/**
 * The running sum of all answers. It is moved with every event of every stream, so that it keeps nothing but counts: an
 * answer's earlier figures are taken back when it has new ones.
 */
class Tally {
  readonly #usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, reasoning: 0 };
  #pico = 0;
  #unpriced = 0;
  #estimated = 0;
  /** How many answers have a cost of each source. */
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

/** A path is listed so that its reader knows what was not metered, not to keep a log. */
const MOST_PATHS = 20;

/** An answer that is still coming. */
export interface OpenAnswer {
  readonly model: string;
  /** Its figures are null until something of it is there. */
  readonly meter: { readonly figures: Figures | null };
}

interface Account {
  requests: number;
  figures: Figures;
}

/** Keeps what each model used, of answers that are over and of those still coming. */
export class Accounts {
  readonly #closed = new Map<string, Account>();
  readonly #open = new Set<OpenAnswer>();
  readonly #endings = new Map<Ending, number>();
  readonly #unknownModels = new Set<string>();
  readonly #unmeteredPaths = new Set<string>();
  #requests = 0;

  /** A request came in. */
  arrive(): void {
    this.#requests += 1;
  }

  end(ending: Ending): void {
    this.#endings.set(ending, (this.#endings.get(ending) ?? 0) + 1);
  }

  open(answer: OpenAnswer): void {
    this.#open.add(answer);
  }

  /** The answer is over. Nothing of it is kept when nothing is billed. */
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

/** When a request came, and when the words of its streamed answer did. All that comes in one chunk comes at one time. */
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

  /** A chunk of a stream is there; what is in it will be read now. */
  noteChunk(): void {
    this.#chunkAt = this.#now();
  }

  /** Words of the model were read: text, thoughts, or arguments of a call. */
  noteWords(): void {
    if (this.#chunkAt === null) return;
    this.#firstAt ??= this.#chunkAt;
    this.#lastAt = this.#chunkAt;
  }

  get elapsedMs(): number {
    return this.#now() - this.#arrivedAt;
  }

  /** From the request to the first words; null when none were streamed. */
  get ttftMs(): number | null {
    return this.#firstAt === null ? null : this.#firstAt - this.#arrivedAt;
  }

  /** From the first words to the last; null when they came in one piece, which says nothing about a pace. */
  get generationMs(): number | null {
    return this.#firstAt === null || this.#lastAt === this.#firstAt ? null : this.#lastAt - this.#firstAt;
  }
}
