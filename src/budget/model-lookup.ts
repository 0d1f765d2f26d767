import type { Limits, Price } from "../core/price.js";
import { bundledPrice } from "./bundled-prices.js";
import type { ModelEntry, ModelsFile } from "./models-file.js";
import { resolveAtPrice } from "./resolve.js";

/** The model of the file that a name stands for. */
export function entryFor(model: string, file: ModelsFile | null): ModelEntry | undefined {
  const byKey = file?.models.get(model);
  return byKey ?? [...(file?.models.values() ?? [])].find(({ apiName }) => apiName === model);
}

/** What the price table says of a model. */
export async function bundledLimits(wanted: { model: string; provider?: string; baseUrl?: string }): Promise<Limits> {
  return limitsAt(await bundledPrice(wanted));
}

/** What a trial of a model is held to when nobody says. */
export function limitsAt(price: Price | null): Limits {
  const { maxCostUsd, hardTimeoutSecs } = resolveAtPrice(price, {});
  return { price, maxCostUsd, hardTimeoutMs: hardTimeoutSecs * 1000 };
}
