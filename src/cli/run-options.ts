import { given } from "../core/shape.js";
import type { EvaluateOptions } from "../evaluate.js";
import type { RunConfig } from "./run-config.js";
import type { Parts } from "./workbench.js";

/** Options for `evaluate`, and for a worker of the run. */
export function runOptions(parts: Parts, config: RunConfig): EvaluateOptions {
  return {
    ...planOptions(config),
    systems: parts.systems,
    datasets: parts.datasets,
    ...(parts.evaluators === undefined ? {} : { evaluators: parts.evaluators }),
    metrics: parts.metrics,
    ...moneyOptions(config),
    ...(config.cacheDir === undefined ? {} : { cacheDir: config.cacheDir }),
  };
}

export function planOptions(config: RunConfig) {
  const { scoreField, threshold, trials, seed, skipBadRows, maxWorkers, tokenizer, title } = config;
  return given({ scoreField, threshold, trials, seed, skipBadRows, maxWorkers, tokenizer, title });
}

export function moneyOptions(config: RunConfig): Pick<EvaluateOptions, "budget" | "retry" | "outage"> {
  const { maxCost, trialMaxCost, maxRetries, onOutage } = config;
  return {
    budget: {
      ...(maxCost === undefined ? {} : { run: { maxCostUsd: maxCost } }),
      ...(trialMaxCost === undefined ? {} : { trial: { maxCostUsd: trialMaxCost } }),
    },
    ...(maxRetries === undefined ? {} : { retry: { maxRetries } }),
    ...outageOptions(onOutage),
  };
}

export function outageOptions(action: RunConfig["onOutage"]): Pick<EvaluateOptions, "outage"> {
  return action === "wait" ? { outage: { giveUpAfterMs: Number.POSITIVE_INFINITY } } : {};
}
