/** Sold at the usual price, which is also what no tier at all means. */
const USUAL = new Set(["auto", "default", "standard", "standard_only", "unspecified"]);

/** Sold for at most the usual price. */
const CHEAPER = new Set(["flex", "batch"]);

/** The service tier that a request asks for; null for the usual one. Anthropic's fast mode is one by another name. */
export function tierIn(json: Readonly<Record<string, unknown>>): string | null {
  for (const value of [json.service_tier, json.serviceTier, json.speed]) {
    const tier = typeof value === "string" ? value.toLowerCase().replace(/^service_tier_/, "") : "";
    if (tier !== "" && !USUAL.has(tier)) return tier;
  }
  return null;
}

/** The name that a tier of a model has in a price table and in the receipt. */
export function tierName(model: string, tier: string | null): string {
  return tier === null ? model : `${model} (${tier})`;
}

/** True when the usual price is at least what the tier costs. */
export function isCoveredByUsual(tier: string | null): boolean {
  return tier === null || CHEAPER.has(tier);
}
