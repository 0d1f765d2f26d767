import { bundledPrice } from "../budget/bundled-prices.js";
import type { Price } from "../core/price.js";
import type { DialectName } from "../dialects/dialect.js";
import type { Upstream } from "./upstream.js";

/** What a model costs; null when nobody knows. */
export type PriceOf = (model: string, dialect: DialectName) => Price | null | Promise<Price | null>;

export interface PriceBookOptions {
  /** Looked at first, by the model's name. */
  readonly prices?: ReadonlyMap<string, Price> | undefined;
  /** Instead of the bundled table. */
  readonly priceOf?: PriceOf | undefined;
}

/** Finds prices, each once, however many requests want to know it at the same time. */
export class PriceBook {
  readonly #options: PriceBookOptions;
  readonly #known = new Map<string, Promise<Price | null>>();

  constructor(options: PriceBookOptions) {
    this.#options = options;
  }

  find(model: string, dialect: DialectName, upstream: Upstream): Promise<Price | null> {
    const key = `${upstream.provider.name} ${dialect} ${model}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const price = this.#look(model, dialect, upstream);
    this.#known.set(key, price);
    // The next request may have more luck.
    price.catch(() => this.#known.delete(key));
    return price;
  }

  async #look(model: string, dialect: DialectName, upstream: Upstream): Promise<Price | null> {
    const { prices, priceOf = () => bundled(model, upstream) } = this.#options;
    return prices?.get(model) ?? priceOf(model, dialect);
  }
}

/** A known name at an unknown address may be sold at any price; one on this machine stands for the provider's. */
function bundled(model: string, { provider, url, isProviders }: Upstream): Promise<Price | null> {
  return bundledPrice(isProviders ? { model, provider: provider.name } : { model, baseUrl: url });
}
