import type { Dataset, EvalResult, Evaluator, ExampleSource, Metric, System } from "../core/index.js";
import { omitUndefined, registry, UsageError } from "../core/index.js";
import type { EvaluateOptions } from "../evaluate.js";
import { type StandardMetrics, selectMetrics } from "../metrics/index.js";
import type { GateJudgment } from "./gates.js";
import type { Invocation } from "./invocation.js";
import type { ReportContext } from "./report.js";
import {
  closeResources,
  collectDatasetEvaluators,
  loadPlugins,
  type Revisions,
  registerNamedDatasets,
  resolveMetrics,
} from "./resolve.js";
import { resolveEvaluators } from "./resolve-evaluators.js";
import type { RunConfig } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";

/** Options for `evaluate`, and for a worker of the run. */
export function toEvaluateOptions(parts: RunParts, config: RunConfig): EvaluateOptions {
  return {
    ...toPlanOptions(config),
    systems: parts.systems,
    datasets: parts.datasets,
    ...(config.expertCost === undefined ? {} : { expertCostUsd: config.expertCost }),
    ...(parts.evaluators === undefined ? {} : { evaluators: parts.evaluators }),
    // They include the standard ones already.
    metrics: { only: parts.metrics },
    ...toBudgetOptions(config),
    ...toUntilOptions(config),
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

/** When the run stops before its last task. */
function toUntilOptions(config: RunConfig): Pick<EvaluateOptions, "until"> {
  const { until, margin, quality, population, confidence, against, againstSystem } = config;
  if (until === undefined) return {};
  if (until === "none") return { until };
  const details = omitUndefined({ margin, quality, population, confidence, against, againstSystem });
  return { until: { question: until, ...details } };
}

type UntilFlags = Pick<
  RunConfig,
  "until" | "margin" | "quality" | "population" | "confidence" | "against" | "againstSystem"
>;

/** Checks when a run of any question stops. Details of a question that was not asked would be ignored. */
export function settleUntil<Config extends UntilFlags>(config: Config): Config {
  const { until, margin, quality, population, confidence, against, againstSystem } = config;
  if (againstSystem !== undefined && against === undefined)
    throw new UsageError(
      "--against-system names a system of a stored run. Add --against RUN, or remove --against-system.",
    );
  if (until !== undefined) return config;
  const given = {
    "--margin": margin,
    "--quality": quality,
    "--population": population,
    "--confidence": confidence,
    "--against": against,
  };
  const [flag] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (flag !== undefined)
    throw new UsageError(`${flag} needs --until. Add it, such as --until decided, or remove ${flag}.`);
  return config;
}

/** For runs whose reports need every task. */
export function refuseUntil<Config extends RunConfig>(config: Config, command: Invocation["command"]): Config {
  if (config.until === undefined) return config;
  throw new UsageError(
    `assay ${command} runs all tasks, so it cannot stop when a question is decided. Remove until from the config file. assay run and assay migrate can.`,
  );
}

export function toOutageOptions(action: RunConfig["onOutage"]): Pick<EvaluateOptions, "outage"> {
  return action === "wait" ? { outage: { giveUpAfterMs: Number.POSITIVE_INFINITY } } : {};
}

/** Provides the systems and datasets of a command. */
export interface RunSource {
  readonly command: Invocation["command"];
  /** Standard metrics of these runs. */
  readonly metrics: StandardMetrics;
  /** Checks when the run may stop before its last task, and adds the defaults of the command. Default: it may not. */
  readonly settleUntil?: (config: RunFlags) => RunFlags;
  /** The loss of quality that it asks about, if no other is given. */
  readonly margin?: number;
  /** Passes systems and datasets to `use`, and closes the systems afterwards, also after an error. */
  open<T>(wanted: RunRequest, use: (lent: RunInputs) => Promise<T>): Promise<T>;
  /** Applies gates that do not come from flags. */
  readonly judge?: (result: EvalResult) => GateJudgment;
  /** Reports the result. Default: the report of `assay run`. */
  readonly report?: (result: EvalResult, about: ReportContext) => Promise<number>;
}

interface RunRequest {
  config: RunFlags;
  /** Revisions that a resumed run was read at. */
  revisions: Revisions;
}

interface RunInputs {
  systems: readonly System[];
  datasets: (Dataset | ExampleSource)[];
}

/** Everything that a run needs, resolved from its config. */
export interface RunParts {
  systems: readonly System[];
  datasets: (Dataset | ExampleSource)[];
  evaluators: Evaluator[] | undefined;
  /** Evaluators created for this run, which are closed after it. */
  made: Evaluator[];
  metrics: Metric[];
}

/** Registers plugins and named datasets of a run. */
export async function registerRunEntries(config: RunConfig): Promise<void> {
  await loadPlugins(registry, config.plugins ?? []);
  registerNamedDatasets(registry, config);
}

/** Creates everything for a run, passes it to `use`, and closes it afterwards, also after an error. */
export function withRunParts<T>(
  bench: RunSource,
  wanted: RunRequest,
  use: (parts: RunParts) => Promise<T>,
): Promise<T> {
  return bench.open(wanted, async (lent) => {
    const parts = await resolveRunParts(lent, wanted.config, bench);
    try {
      return await use(parts);
    } finally {
      await closeResources(parts.made);
    }
  });
}

async function resolveRunParts(
  { systems, datasets: loaded }: RunInputs,
  config: RunConfig,
  bench: RunSource,
): Promise<RunParts> {
  const { datasets, evaluators, made } = await resolveEvaluators(registry, config, loaded);
  if (systems.some((system) => "coverage" in system))
    (await import("./replay-coverage.js")).reportReplayCoverage(systems, datasets, config.trials ?? 1);
  return {
    systems,
    datasets,
    evaluators,
    made: [...made, ...collectDatasetEvaluators(config, loaded)],
    metrics: selectMetrics(await resolveMetrics(registry, config), bench.metrics(systems.length, datasets.length)),
  };
}
