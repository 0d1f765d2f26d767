import { resolve } from "node:path";
import "../builtins.js";
import type { Dataset } from "../core/dataset.js";
import { EXIT, messageOf, UsageError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { ExampleSource } from "../core/example.js";
import type { Metric } from "../core/metric.js";
import { type Registry, registry } from "../core/registry.js";
import type { EvalResult } from "../core/result.js";
import type { System } from "../core/system.js";
import { isDatasetFile } from "../datasets/load-dataset.js";
import { evaluate } from "../evaluate.js";
import { standardMetrics } from "../metrics/index.js";
import { plural } from "../report/format.js";
import { COLUMN_GROUPS, checkColumns } from "../report/table.js";
import { makePlan } from "../runner/plan.js";
import { readManifest } from "../store/journal.js";
import { findRun } from "../store/run-folder.js";
import { ReplaySystem } from "../systems/index.js";
import { loadTokenizer } from "../tokens/index.js";
import { findConfig, loadConfig } from "./config-file.js";
import { describePlan } from "./dry-run.js";
import { checkGates, type Gates, judge } from "./gates.js";
import { interruptible } from "./interrupt.js";
import { expectFiles, giveAway } from "./memory.js";
import type { RunFlags } from "./program.js";
import { ProgressLine } from "./progress.js";
import { loadPlugins, resolveDatasets, resolveEvaluators, resolveMetrics, resolveSystems } from "./resolve.js";
import { DEFAULT_MIN_COVERAGE, DEFAULT_RUNS_DIR, type RunConfig } from "./run-config.js";
import { say, writeResult } from "./streams.js";

/** What it takes to start a run again: the folder it was started in, its config file and its flags. */
interface Invocation {
  cwd: string;
  configFile: string | null;
  flags: RunFlags;
}

/** Everything a run is made of, resolved from its description. */
interface Parts {
  systems: System[];
  datasets: (Dataset | ExampleSource)[];
  evaluators: Evaluator[] | undefined;
  metrics: Metric[];
}

/** `assay run`: describe, resolve, run, report, judge. */
export async function runCommand(flags: RunFlags): Promise<number> {
  const resumed = flags.resume === undefined ? null : recall(flags);
  const invocation = resumed?.invocation ?? invocationOf(flags);
  const config = await describeRun(invocation, flags);
  checkColumns(config.columns ?? COLUMN_GROUPS);
  const parts = await resolveParts(registry, config);
  const gates = gatesOf(config, parts);
  try {
    if (flags.dryRun === true) return await dryRun(parts, config);
    return await runAndReport(parts, { config, gates, flags, invocation, resume: resumed?.dir });
  } finally {
    await closeAll(parts.systems);
  }
}

/** A system that cannot be closed does not take back what was measured. */
async function closeAll(systems: readonly System[]): Promise<void> {
  for (const system of systems) {
    try {
      await system.close?.();
    } catch (error) {
      say(`${system.name}: could not be closed: ${messageOf(error)}`);
    }
  }
}

function invocationOf(flags: RunFlags): Invocation {
  const { resume: _, dryRun: __, quiet: ___, verbose: ____, ...kept } = flags;
  const configFile = flags.config === undefined ? findConfig(process.cwd()) : resolve(flags.config);
  return { cwd: process.cwd(), configFile: configFile ?? null, flags: kept };
}

/** The stored run that is to go on, and how it was started. */
function recall(flags: RunFlags): { dir: string; invocation: Invocation } {
  const wanted = flags.resume === true ? undefined : flags.resume;
  const dir = resolve(findRun(flags.runsDir ?? DEFAULT_RUNS_DIR, wanted));
  const { invocation } = readManifest(dir);
  if (invocation === null) {
    throw new UsageError(
      `${dir} was started from a program, not from the command line. Resume it there with evaluate({ resume }).`,
    );
  }
  say(`Resuming ${dir}`);
  return { dir, invocation: invocation as Invocation };
}

/** Later flags win over those the run was started with, and those over the config file. */
async function describeRun({ cwd, configFile, flags: first }: Invocation, flags: RunFlags): Promise<RunConfig> {
  if (cwd !== process.cwd()) process.chdir(cwd);
  const config = configFile === null ? {} : await loadConfig(configFile);
  return { ...config, ...first, ...flags };
}

function gatesOf(config: RunConfig, { metrics, datasets }: Parts): Gates {
  const { minCoverage = DEFAULT_MIN_COVERAGE, failUnder = {}, failOver = {}, trials = 1 } = config;
  const gates = { minCoverage, failUnder, failOver };
  const names = datasets.flatMap((dataset) => ("examples" in dataset ? [dataset.name] : []));
  checkGates(gates, { trials, metrics, datasets: names });
  return gates;
}

async function resolveParts(registry: Registry, config: RunConfig): Promise<Parts> {
  await loadPlugins(registry, config.plugins ?? []);
  registry.get("reporter", config.output ?? "table");
  const systems = await resolveSystems(registry, config);
  if (systems.length === 0)
    throw new UsageError(
      "There is no system to measure. Add --system truncate:0.5, --system ./my-system.ts or --replay outputs.jsonl.",
    );
  if ((config.datasets ?? []).length === 0)
    throw new UsageError("There is no dataset. Add --dataset needle or --dataset questions.jsonl.");
  expectFiles((config.datasets ?? []).filter((spec) => typeof spec === "string" && isDatasetFile(spec)) as string[]);
  const datasets = await resolveDatasets(registry, config);
  for (const system of systems)
    if (system instanceof ReplaySystem) reportReplayCoverage(system, datasets, config.trials ?? 1);
  return {
    systems,
    datasets,
    evaluators: await resolveEvaluators(registry, config),
    metrics: withStandard(await resolveMetrics(registry, config), systems.length, datasets.length),
  };
}

/** The standard metrics and those the run names; one that is named with other options replaces the standard one. */
function withStandard(named: readonly Metric[], systems: number, datasets: number): Metric[] {
  const names = new Set(named.map(({ name }) => name));
  return [...standardMetrics(systems, datasets).filter(({ name }) => !names.has(name)), ...named];
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

async function dryRun({ systems, datasets, evaluators, metrics }: Parts, config: RunConfig): Promise<number> {
  const plan = await makePlan({
    ...planOptions(config),
    systems,
    datasets,
    metrics,
    ...(evaluators === undefined ? {} : { evaluators }),
  });
  const tokenizer = loadTokenizer(config.tokenizer ?? "cl100k_base");
  await writeResult(describePlan(plan, { tokenizer, output: config.output ?? "table" }));
  return EXIT.fine;
}

interface RunRequest {
  config: RunConfig;
  gates: Gates;
  flags: RunFlags;
  invocation: Invocation;
  resume: string | undefined;
}

async function runAndReport(parts: Parts, request: RunRequest): Promise<number> {
  const { config, gates, flags } = request;
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
      signal: interrupt.signal,
      onProgress: (state) => progress?.update(state),
      onNote: (note) => {
        progress?.clear();
        say(note);
      },
    });
    progress?.clear();
    return await report(result, { config, gates, interrupted: interrupt.signal.aborted });
  } finally {
    progress?.clear();
    interrupt.release();
  }
}

function planOptions({ scoreField, threshold, trials, seed, skipBadRows, maxWorkers, tokenizer, title }: RunConfig) {
  const given = { scoreField, threshold, trials, seed, skipBadRows, maxWorkers, tokenizer, title };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function storeOptions({ config, invocation, resume }: RunRequest) {
  return {
    ...(config.cacheDir === undefined ? {} : { cacheDir: config.cacheDir }),
    ...(resume === undefined ? { runsDir: config.runsDir ?? DEFAULT_RUNS_DIR } : { resume }),
    invocation,
  };
}

async function report(
  result: EvalResult,
  about: { config: RunConfig; gates: Gates; interrupted: boolean },
): Promise<number> {
  const { output = "table", columns } = about.config;
  await writeResult(registry.get("reporter", output).render(result, columns === undefined ? {} : { columns }));
  if (result.runDir !== null) say(`Stored in ${result.runDir}`);
  if (about.interrupted) {
    say(`Interrupted. Go on with: assay run --resume ${result.runDir}`);
    return EXIT.interrupted;
  }
  const { exitCode, messages } = judge(result, about.gates);
  for (const message of messages) say(message);
  return exitCode;
}
