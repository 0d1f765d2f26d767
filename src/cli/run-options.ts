import { omitUndefined } from "../core/shape.js";
import type { EvaluateOptions } from "../evaluate.js";
import type { RunConfig } from "./run-config.js";
import type { RunParts } from "./workbench.js";

/** Options for `evaluate`, and for a worker of the run. */
export function toEvaluateOptions(parts: RunParts, config: RunConfig): EvaluateOptions {
  return {
    ...toPlanOptions(config),
    systems: parts.systems,
    datasets: parts.datasets,
    ...(parts.evaluators === undefined ? {} : { evaluators: parts.evaluators }),
    metrics: parts.metrics,
    ...toBudgetOptions(config),
    ...(config.cacheDir === undefined ? {} : { cacheDir: config.cacheDir }),
  };
}

export function toPlanOptions(config: RunConfig) {
  const { scoreField, threshold, trials, seed, skipBadRows, maxWorkers, tokenizer, title } = config;
  return omitUndefined({ scoreField, threshold, trials, seed, skipBadRows, maxWorkers, tokenizer, title });
}

export function toBudgetOptions(config: RunConfig): Pick<EvaluateOptions, "budget" | "retry" | "outage"> {
  const { maxCost, trialMaxCost, maxRetries, onOutage } = config;
  return {
    budget: {
      ...(maxCost === undefined ? {} : { run: { maxCostUsd: maxCost } }),
      ...(trialMaxCost === undefined ? {} : { trial: { maxCostUsd: trialMaxCost } }),
    },
    ...(maxRetries === undefined ? {} : { retry: { maxRetries } }),
    ...toOutageOptions(onOutage),
  };
}

export function toOutageOptions(action: RunConfig["onOutage"]): Pick<EvaluateOptions, "outage"> {
  return action === "wait" ? { outage: { giveUpAfterMs: Number.POSITIVE_INFINITY } } : {};
}
