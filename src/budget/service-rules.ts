import type { Price, ServicePrice, ServiceTier, TokenPrices } from "../core/index.js";

/** The share of the standard price that a provider charges for a service tier, for all its models. */
interface ServiceRule {
  /** Of every class of tokens. */
  readonly share: number;
  /** Of cache reads, if that differs. */
  readonly cacheReadShare?: number;
  /** Where the provider says so. */
  readonly page: string;
}

/** When the rules were last compared with the providers' pages. */
const RULES_DATE = "2026-11-18";

const OPENAI_PRICES = "https://platform.openai.com/docs/pricing";
const GEMINI_TIERS = "https://ai.google.dev/gemini-api/docs/optimization";
const HALF = 0.5;

/**
 * Rules by the provider's name in the price table. Priority has no rule: its surcharge differs from model to model, so its
 * price must be in models.yml. Gemini bills cache reads of a batch at the standard price.
 */
const SERVICE_RULES: Readonly<Record<string, Partial<Record<ServiceTier, ServiceRule>>>> = {
  openai: { batch: { share: HALF, page: OPENAI_PRICES }, flex: { share: HALF, page: OPENAI_PRICES } },
  azure: { batch: { share: HALF, page: "https://learn.microsoft.com/azure/ai-foundry/openai/how-to/batch" } },
  anthropic: {
    batch: { share: HALF, page: "https://platform.claude.com/docs/en/build-with-claude/batch-processing" },
  },
  google: {
    batch: { share: HALF, cacheReadShare: 1, page: "https://ai.google.dev/gemini-api/docs/batch-api" },
    flex: { share: HALF, page: GEMINI_TIERS },
  },
};

/**
 * Adds the prices of service tiers for which the provider publishes a share of its standard price. Prices that are given
 * stay as they are.
 * @example
 * addPublishedServices(price, "openai").services?.batch?.input; // half of price.input
 */
export function addPublishedServices(price: Price, seller: string | null): Price {
  const rules = seller === null || !Object.hasOwn(SERVICE_RULES, seller) ? {} : (SERVICE_RULES[seller] ?? {});
  const published = Object.fromEntries(
    Object.entries(rules).map(([service, rule]) => [service, applyServiceRule(price, rule)]),
  );
  const services = { ...published, ...price.services };
  return Object.keys(services).length === 0 ? price : { ...price, services };
}

function applyServiceRule({ tiers, source, ...prices }: ServicePrice, rule: ServiceRule): ServicePrice {
  return {
    ...multiplyPrices(prices, rule),
    ...(tiers === undefined
      ? {}
      : { tiers: tiers.map((tier) => ({ over: tier.over, ...multiplyPrices(tier, rule) })) }),
    source: `${source}, × ${rule.share} (${rule.page}, ${RULES_DATE})`,
  };
}

function multiplyPrices(prices: TokenPrices, { share, cacheReadShare = share }: ServiceRule): TokenPrices {
  const times = (pico: number) => Math.round(pico * share);
  return {
    input: times(prices.input),
    output: times(prices.output),
    cacheRead: Math.round(prices.cacheRead * cacheReadShare),
    cacheWrite: times(prices.cacheWrite),
    cacheWrite1h: times(prices.cacheWrite1h),
  };
}
