import type { Limits } from "../core/price.js";
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
  const price = await bundledPrice(wanted);
  const { maxCostUsd, hardTimeoutSecs } = resolveAtPrice(price, {});
  return { price, maxCostUsd, hardTimeoutMs: hardTimeoutSecs * 1000 };
}
