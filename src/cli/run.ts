import "../builtins.js";
import { dirname } from "node:path";
import { budgetsOf } from "../budgets.js";
import type { Dataset } from "../core/dataset.js";
import { EXIT, UsageError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { ExampleSource } from "../core/example.js";
import { given } from "../core/given.js";
import type { Metric } from "../core/metric.js";
import { registry } from "../core/registry.js";
import type { EvalResult } from "../core/result.js";
import type { System } from "../core/system.js";
import { pathsOf } from "../datasets/dataset-spec.js";
import { DEFAULT_WORKERS, type EvaluateOptions, evaluate } from "../evaluate.js";
import { standardMetrics } from "../metrics/index.js";
import { plural } from "../report/format.js";
import { COLUMN_GROUPS, checkColumns } from "../report/table.js";
import { makePlan } from "../runner/plan.js";
import { readManifest } from "../store/journal.js";
import { ReplaySystem } from "../systems/replay-system.js";
import { loadTokenizer } from "../tokens/index.js";
import { loadConfig } from "./config-file.js";
import { describePlan } from "./dry-run.js";
import type { Gates, Judgement } from "./gates.js";
import { guarded } from "./guard.js";
import { interruptible } from "./interrupt.js";
import { enterFolder, type Invocation, invocationOf, recall } from "./invocation.js";
import { findJudgingPrices } from "./judging-estimate.js";
import { ProgressLine } from "./progress.js";
import { expectFiles, giveAway } from "./release-examples.js";
import { gatesOf, type Report, report } from "./report-result.js";
import {
  closeAll,
  loadPlugins,
  ownEvaluators,
  type Revisions,
  registerNamed,
  resolveDatasets,
  resolveMetrics,
  revisionsOf,
  withSystems,
} from "./resolve.js";
import { resolveEvaluators } from "./resolve-evaluators.js";
import { DEFAULT_RUNS_DIR, type RunConfig } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";
import { checkOutput, say, writeResult } from "./streams.js";

/** Everything a run is made of, resolved from its description. */
interface Parts {
  systems: readonly System[];
  datasets: (Dataset | ExampleSource)[];
  evaluators: Evaluator[] | undefined;
  /** Evaluators that were made for this run, and are closed after it. */
  made: Evaluator[];
  metrics: Metric[];
}

/** How a command comes by what it measures, and by what it measures it on. */
export interface Workbench {
  readonly command: Invocation["command"];
  /** The metrics of such a run unless others are named. */
  metrics(systems: number, datasets: number): Metric[];
  /** Lends systems and datasets, and takes back the systems when `use` is over, however it ends. */
  lend<T>(wanted: Wanted, use: (lent: Lent) => Promise<T>): Promise<T>;
  /** What is done with a result besides reporting it, and what that decides. */
  conclude?(result: EvalResult, config: RunFlags): Promise<Judgement>;
}

interface Wanted {
  config: RunConfig & Pick<RunFlags, "dryRun" | "eval">;
  /** Where a run that goes on was read from. */
  revisions: Revisions;
}

interface Lent {
  systems: readonly System[];
  datasets: (Dataset | ExampleSource)[];
}

const RUN: Workbench = {
  command: "run",
  metrics: standardMetrics,
  lend: ({ config, revisions }, use) =>
    withSystems(registry, config, async (systems) => {
      requireSomething(systems, config);
      expectFiles((config.datasets ?? []).flatMap((spec) => (typeof spec === "string" ? pathsOf(spec) : [])));
      return use({ systems, datasets: await resolveDatasets(registry, config, revisions) });
    }),
};

/** `assay run`. */
export function runCommand(flags: RunFlags): Promise<number> {
  return runWith(RUN, flags);
}

/** Describe, resolve, run, report, judge. */
export async function runWith(bench: Workbench, flags: RunFlags): Promise<number> {
  if (flags.resume !== undefined && flags.config !== undefined) {
    throw new UsageError("--config says what a new run is; a run that is resumed knows. Leave one of them out.");
  }
  const resumed = flags.resume === undefined ? null : recall(flags, bench.command);
  const invocation = resumed?.invocation ?? invocationOf(flags, bench.command);
  const config = await describeRun(invocation, flags);
  checkColumns(config.columns ?? COLUMN_GROUPS);
  const report = await guarded(async () => {
    await loadPlugins(registry, config.plugins ?? []);
    registerNamed(registry, config);
    registry.get("reporter", config.output ?? "table");
    checkOutput(config.output);
    const revisions = resumed === null ? new Map() : revisionsOf(readManifest(resumed.dir));
    return bench.lend({ config, revisions }, async (lent) => {
      const parts = await resolveParts(lent, config, bench);
      try {
        const gates = gatesOf({ ...config, trials: mostTrials(parts, config) }, parts);
        if (flags.dryRun === true) return await dryRun(parts, config);
        return await measure(parts, { config, gates, flags, invocation, resume: resumed?.dir, bench });
      } finally {
        await closeAll(parts.made);
      }
    });
  });
  return report();
}

/** Datasets may have trials of their own. */
function mostTrials({ datasets }: Parts, { trials = 1 }: RunConfig): number {
  const own = datasets.map((dataset) => ("terms" in dataset ? (dataset.terms?.trials ?? trials) : trials));
  return Math.max(...own, 1);
}

/** Later flags win over those the run was started with, and those over the config file. */
async function describeRun(invocation: Invocation, flags: RunFlags): Promise<RunFlags> {
  enterFolder(invocation);
  const { configFile } = invocation;
  const config = configFile === null ? {} : await loadConfig(configFile);
  const place = configFile === null ? {} : { configDir: dirname(configFile) };
  const choice = { ...invocation.flags.eval, ...flags.eval };
  const own = { ...config, ...place, ...invocation.flags, ...flags, ...headersOf(invocation, flags) };
  return Object.keys(choice).length === 0 ? own : { ...own, eval: choice };
}

/** Headers that hold a key are given again on resume; the others are still there. */
function headersOf(invocation: Invocation, { resume, headers }: RunFlags): Pick<RunConfig, "headers"> {
  if (resume === undefined || headers === undefined) return {};
  return { headers: { ...invocation.flags.headers, ...headers } };
}

function requireSomething(systems: readonly System[], config: RunConfig): void {
  if (systems.length === 0)
    throw new UsageError(
      "There is no system to measure. Add --model openai/gpt-5, --agent claude, --proxy http://127.0.0.1:8080 --model NAME, --system ./my-system.ts, --system truncate:0.5 or --replay outputs.jsonl.",
    );
  if ((config.datasets ?? []).length === 0)
    throw new UsageError("There is no dataset. Add --dataset needle or --dataset questions.jsonl.");
}

async function resolveParts({ systems, datasets: loaded }: Lent, config: RunConfig, bench: Workbench): Promise<Parts> {
  const { datasets, evaluators, made } = await resolveEvaluators(registry, config, loaded);
  for (const system of systems)
    if (system instanceof ReplaySystem) reportReplayCoverage(system, datasets, config.trials ?? 1);
  return {
    systems,
    datasets,
    evaluators,
    made: [...made, ...ownEvaluators(config, loaded)],
    metrics: withStandard(await resolveMetrics(registry, config), bench.metrics(systems.length, datasets.length)),
  };
}

/** The standard metrics and those the run names; one that is named with other options replaces the standard one. */
function withStandard(named: readonly Metric[], standard: readonly Metric[]): Metric[] {
  const names = new Set(named.map(({ name }) => name));
  return [...standard.filter(({ name }) => !names.has(name)), ...named];
}

function reportReplayCoverage(
  system: ReplaySystem,
  datasets: readonly (Dataset | ExampleSource)[],
  trials: number,
): void {
  const ids = datasets.flatMap((dataset) => ("examples" in dataset ? dataset.examples.map(({ id }) => id) : []));
  const { missing, unknown } = system.coverage(ids, trials);
  const some = (list: readonly unknown[]) => `${list.slice(0, 5).join(", ")}${list.length > 5 ? ", …" : ""}`;
  if (missing.length > 0)
    say(
      `${system.name}: no recorded output for ${plural(missing.length, "example")} (${some(missing)}): counted as errors`,
    );
  if (unknown.length > 0)
    say(`${system.name}: ${plural(unknown.length, "recorded id")} in no dataset (${some(unknown)}): not used`);
}

async function dryRun({ systems, datasets, evaluators, metrics }: Parts, config: RunConfig): Promise<Report> {
  const plan = await makePlan({
    ...planOptions(config),
    systems,
    datasets,
    metrics,
    ...(evaluators === undefined ? {} : { evaluators }),
  });
  await findJudgingPrices(plan);
  const tokenizer = loadTokenizer(config.tokenizer ?? "cl100k_base");
  const { output = "table", maxWorkers = DEFAULT_WORKERS, maxCost = null, trialMaxCost = null } = config;
  budgetsOf(moneyOptions(config).budget, { systems, spentUsd: 0, terms: plan.wirings.map((wiring) => wiring.terms) });
  const options = { tokenizer, output, maxWorkers, maxCostUsd: maxCost, trialMaxCostUsd: trialMaxCost };
  return async () => {
    await writeResult(describePlan(plan, options));
    return EXIT.fine;
  };
}

interface RunRequest {
  config: RunFlags;
  gates: Gates;
  flags: RunFlags;
  invocation: Invocation;
  resume: string | undefined;
  bench: Workbench;
}

async function measure(parts: Parts, request: RunRequest): Promise<Report> {
  const { config, gates, flags, bench } = request;
  const progress = flags.quiet === true ? null : new ProgressLine(process.stderr);
  const interrupt = interruptible(() => progress?.clear());
  try {
    const result = await evaluate({
      ...planOptions(config),
      systems: parts.systems,
      datasets: giveAway(parts.datasets),
      ...(parts.evaluators === undefined ? {} : { evaluators: parts.evaluators }),
      metrics: parts.metrics,
      ...storeOptions(request),
      ...moneyOptions(config),
      signal: interrupt.signal,
      onProgress: (state) => progress?.update(state),
      onNote: (note) => {
        progress?.clear();
        say(note);
      },
    });
    const goOn = `assay ${request.invocation.command} --resume ${result.runDir}`;
    const interrupted = interrupt.signal.aborted;
    const also = bench.conclude === undefined ? {} : { also: async () => bench.conclude?.(result, config) };
    return () => report(result, { config, gates, interrupted, goOn, ...also });
  } finally {
    progress?.clear();
    interrupt.release();
  }
}

function planOptions({ scoreField, threshold, trials, seed, skipBadRows, maxWorkers, tokenizer, title }: RunConfig) {
  return given({ scoreField, threshold, trials, seed, skipBadRows, maxWorkers, tokenizer, title });
}

function moneyOptions({ maxCost, trialMaxCost, maxRetries }: RunConfig): Pick<EvaluateOptions, "budget" | "retry"> {
  return {
    budget: {
      ...(maxCost === undefined ? {} : { run: { maxCostUsd: maxCost } }),
      ...(trialMaxCost === undefined ? {} : { trial: { maxCostUsd: trialMaxCost } }),
    },
    ...(maxRetries === undefined ? {} : { retry: { maxRetries } }),
  };
}

function storeOptions({ config, invocation, resume }: RunRequest) {
  return {
    ...(config.cacheDir === undefined ? {} : { cacheDir: config.cacheDir }),
    ...(resume === undefined ? { runsDir: config.runsDir ?? DEFAULT_RUNS_DIR } : { resume }),
    invocation,
  };
}
