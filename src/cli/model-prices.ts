import type { Price, ServicePrice, TokenPrices } from "../core/index.js";

const PICO_PER_MTOK = 1e6;

/** Dollars per million tokens of each class. */
type PricesPerMillion = { readonly [key in keyof TokenPrices]: number };

/** The prices of one service tier for prompts of one length. */
export interface PriceLine {
  /** `standard`, `batch`, `flex` or `priority`. */
  readonly service: string;
  /** Applies to prompts with more tokens than this. */
  readonly over: number;
  readonly prices: PricesPerMillion;
}

export function toUsdPerMillion(pico: number): number {
  return pico / PICO_PER_MTOK;
}

function convertPrices(prices: TokenPrices): PricesPerMillion {
  return {
    input: toUsdPerMillion(prices.input),
    output: toUsdPerMillion(prices.output),
    cacheRead: toUsdPerMillion(prices.cacheRead),
    cacheWrite: toUsdPerMillion(prices.cacheWrite),
    cacheWrite1h: toUsdPerMillion(prices.cacheWrite1h),
  };
}

/** All prices of a model, by service tier and length of the prompt. */
export function listPriceLines({ service, services = {}, ...own }: Price): PriceLine[] {
  return Object.entries<ServicePrice>({ [service ?? "standard"]: own, ...services }).flatMap(([name, price]) => [
    { service: name, over: 0, prices: convertPrices(price) },
    ...(price.tiers ?? []).map((tier) => ({ service: name, over: tier.over, prices: convertPrices(tier) })),
  ]);
}

/** The prices of a model for JSON: those of the standard tier, of long prompts, and of the other service tiers. */
export function formatPricesPerMillion({ services = {}, ...own }: Price): object {
  const others = Object.entries(services).map(([name, price]) => [name, formatServicePrices(price)] as const);
  return {
    ...formatServicePrices(own),
    ...(others.length === 0 ? {} : { services: Object.fromEntries<object>(others) }),
  };
}

function formatServicePrices(price: ServicePrice): object {
  const tiers = (price.tiers ?? []).map((tier) => ({ over: tier.over, ...convertPrices(tier) }));
  return { ...convertPrices(price), ...(tiers.length === 0 ? {} : { tiers }) };
}
