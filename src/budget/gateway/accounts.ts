import { dollars } from "../price.js";
import { addFigures, type Figures, NO_FIGURES } from "./figures.js";
import type { GatewayBudget, Ledger } from "./ledger.js";
import { ENDINGS, type Ending, lineOf, type Receipt, type ReceiptLine } from "./receipt.js";

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
