import type { Price } from "../../core/price.js";
import type { DialectName } from "../../models/dialects/dialect.js";
import { bundledPrice } from "../bundled-prices.js";
import { isCoveredByUsual, tierName } from "./service-tier.js";
import type { Upstream } from "./upstream.js";

/** What a model costs; null when nobody knows. */
export type PriceOf = (model: string, dialect: DialectName) => Price | null | Promise<Price | null>;

export interface PriceBookOptions {
  /** Looked at first, by the model's name. */
  readonly prices?: ReadonlyMap<string, Price> | undefined;
  /** Instead of the bundled table. */
  readonly priceOf?: PriceOf | undefined;
}

/** Whose price is wanted. */
export interface PriceWanted {
  readonly model: string;
  /** Null for the usual one. */
  readonly tier: string | null;
  readonly dialect: DialectName;
  readonly upstream: Upstream;
}

/** Finds prices, each once, however many requests want to know it at the same time. */
export class PriceBook {
  readonly #options: PriceBookOptions;
  readonly #known = new Map<string, Promise<Price | null>>();

  constructor(options: PriceBookOptions) {
    this.#options = options;
  }

  /** A tier has the price that is listed under its own name. Without one it costs the usual price if that is enough. */
  find(wanted: PriceWanted): Promise<Price | null> {
    const { model, tier, dialect, upstream } = wanted;
    const key = `${upstream.provider.name} ${dialect} ${tierName(model, tier)}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const price = this.#look(wanted);
    this.#known.set(key, price);
    // The next request may have more luck.
    price.catch(() => this.#known.delete(key));
    return price;
  }

  async #look({ model, tier, dialect, upstream }: PriceWanted): Promise<Price | null> {
    const { prices, priceOf = () => bundled(model, upstream) } = this.#options;
    const own = prices?.get(tierName(model, tier));
    if (own !== undefined) return own;
    return isCoveredByUsual(tier) ? (prices?.get(model) ?? priceOf(model, dialect)) : null;
  }
}

/** A known name at an unknown address may be sold at any price; one on this machine stands for the provider's. */
function bundled(model: string, { provider, url, isProviders }: Upstream): Promise<Price | null> {
  return bundledPrice(isProviders ? { model, provider: provider.name } : { model, baseUrl: url });
}
