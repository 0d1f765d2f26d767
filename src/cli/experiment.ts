import "../builtins.js";
import { resolve } from "node:path";
import type { EvalResult, System } from "../core/index.js";
import { type Dataset, EXIT, makeDataset, omitUndefined, registry, UsageError } from "../core/index.js";
import {
  type ExperimentPlan,
  type ExperimentRecord,
  formatShard,
  loadExperiment,
  type PlannedSystem,
  parseShard,
  planExperiment,
} from "../evals/index.js";
import { type EvaluateOptions, evaluate } from "../evaluate.js";
import type { JudgeModelPlace } from "../graders/index.js";
import { recallUntil, standardMetrics } from "../metrics/index.js";
import { loadTokenizer } from "../models/index.js";
import { buildExperimentReport, formatPlural, toReportedVariant } from "../report/index.js";
import { makePlan } from "../runner/index.js";
import { DEFAULT_MAX_WORKERS, resolveRunUntil } from "../runs/index.js";
import { readManifest } from "../store/index.js";
import { noteIsolation, openAgentSystem } from "./agent-systems.js";
import { describePlan } from "./dry-run.js";
import { closeGraders, selectAgentSettings } from "./eval.js";
import { toAgentConfig } from "./eval-plan.js";
import { openEvalProject } from "./eval-project.js";
import {
  checkExperimentFlags,
  chooseExperimentExit,
  type ExperimentReportFlags,
  findExperimentDir,
  readStoredRecord,
  renderExperiment,
} from "./experiment-report.js";
import { createInterrupt } from "./interrupt.js";
import { ProgressLine } from "./progress.js";
import { requireNoQueue } from "./queue-address.js";
import type { PrintReport } from "./report.js";
import { closeResources } from "./resolve.js";
import { DEFAULT_MIN_COVERAGE, type RunConfig } from "./run-config.js";
import type { SimulatedModel } from "./run-flags.js";
import { settleUntil, toOutageOptions } from "./run-source.js";
import { withMock } from "./simulate.js";
import { printNote, writeResult } from "./streams.js";
import { requireTrust } from "./trust.js";
import { isolateUserCode } from "./user-code.js";

export interface ExperimentRunFlags extends ExperimentReportFlags {
  shard?: string;
  runs?: number;
  tag?: readonly string[];
  executor?: string;
  model?: readonly string[];
  maxCost?: number;
  trialMaxCost?: number;
  workers?: number;
  maxRetries?: number;
  onOutage?: "stop" | "wait";
  minCoverage?: number;
  resume?: string;
  dryRun?: boolean;
  agentHome?: string;
  agentUrl?: string;
  /** Script for a simulated model that replaces the real ones. */
  mock?: string;
  /** The server that simulates it. */
  simulated?: SimulatedModel;
  /** Model for graders that need one. */
  judgeModel?: string;
  judgeUrl?: string;
  judgeApiKeyEnv?: string;
  agentEnv?: readonly string[];
  strictModel?: boolean;
  canary?: boolean;
  keepWorkspaces?: string;
  isolation?: RunConfig["isolation"];
  allowHosts?: readonly string[];
  allowPaths?: readonly string[];
  boxLimits?: Readonly<Record<string, number>>;
  models?: string;
  apiKeyEnv?: string;
  allowInsecure?: boolean;
  plugin?: readonly string[];
  config?: string;
  /** Allows code and commands named by files outside this folder. */
  trust?: boolean;
  quiet?: boolean;
  until?: string;
  margin?: number;
  quality?: string;
  population?: string;
  confidence?: number;
}

/** `assay experiment run`: runs all variants of an experiment, or of one shard, in one run. */
export async function executeExperimentRun(file: string, flags: ExperimentRunFlags): Promise<number> {
  checkExperimentFlags(flags);
  settleUntil(flags);
  refuseShardUntil(flags);
  return withMock(flags, (simulated) =>
    runExperiment(file, simulated === undefined ? flags : { ...flags, simulated, agentUrl: simulated.url }),
  );
}

/** Every shard would be decided by itself, and their merged verdict would have no guarantee. */
function refuseShardUntil({ until, shard }: ExperimentRunFlags): void {
  if (until === undefined || until === "none" || shard === undefined) return;
  throw new UsageError(
    "--until cannot be combined with --shard: each shard would stop by itself, and together they would have no guarantee. Remove one of them.",
  );
}

/** The datasets of an experiment as planned, for regrading. */
export async function planExperimentDatasets(file: string, flags: ExperimentRunFlags): Promise<Dataset[]> {
  const { plan } = await loadExperimentPlan(file, flags);
  return [...plan.datasets];
}

async function loadExperimentPlan(
  file: string,
  flags: ExperimentRunFlags,
): Promise<{ plan: ExperimentPlan; config: RunConfig }> {
  const { config: named, plugin: plugins, trust } = flags;
  const { config, environments } = await openEvalProject({
    config: named,
    plugins,
    trust,
    judges: locateExperimentJudge(flags),
  });
  const plan = await planExperiment(await loadExperiment(file), {
    registry,
    environments,
    runs: flags.runs,
    tags: flags.tag,
    executor: flags.executor,
    models: flags.model,
    judgeModel: flags.judgeModel,
    shard: flags.shard === undefined ? undefined : parseShard(flags.shard),
  });
  return { plan, config };
}

async function runExperiment(file: string, flags: ExperimentRunFlags): Promise<number> {
  if (flags.dryRun !== true) requireTrust(file, "its evals run commands and agents", flags);
  const report = await isolateUserCode(async () => {
    const { plan, config } = await loadExperimentPlan(file, flags);
    requireNoQueue(config, "assay experiment");
    // The dry run prints them itself.
    if (flags.dryRun !== true) for (const note of plan.notes) printNote(note);
    noteIsolation({ isolation: flags.isolation ?? config.isolation, dryRun: flags.dryRun });
    const systems: System[] = [];
    try {
      for (const planned of plan.variants.flatMap((variant) => variant.systems))
        systems.push(await openVariantSystem(planned, flags, config));
      return flags.dryRun === true
        ? await dryRunExperiment(plan, systems, flags)
        : await measureExperiment({ plan, systems, flags, file });
    } finally {
      await closeResources(systems);
      await closeGraders(plan.datasets);
    }
  });
  return report();
}

/** The simulated model also serves graders, unless a judge is configured. */
function locateExperimentJudge(flags: ExperimentRunFlags): JudgeModelPlace {
  const { models: modelsFile, allowInsecure, mock, agentUrl, judgeApiKeyEnv: apiKeyEnv } = flags;
  const url = flags.judgeUrl ?? (mock === undefined ? undefined : agentUrl);
  return omitUndefined({ modelsFile, allowInsecure, url, apiKeyEnv });
}

/** The system is named after the variant, so that rows show which one they belong to. */
function openVariantSystem(
  { name, executor, model, effort }: PlannedSystem,
  flags: ExperimentRunFlags,
  config: RunConfig,
): Promise<System> {
  if (executor === null)
    throw new UsageError(
      `No agent is set for "${name}". Add executor to the defaults of the eval file, or pass --executor claude.`,
    );
  const { agentHome, agentUrl, agentEnv, keepWorkspaces, strictModel, models, apiKeyEnv, allowInsecure, workers } =
    flags;
  // A simulated model follows its script, which has no canary.
  const { mock, canary = mock === undefined ? undefined : false } = flags;
  const { maxCost, trialMaxCost, dryRun: isDry, isolation, allowHosts, allowPaths, boxLimits, simulated } = flags;
  const run = {
    ...selectAgentSettings(config),
    ...omitUndefined({
      agentHome,
      agentUrl,
      agentEnv,
      keepWorkspaces,
      strictModel,
      canary,
      isolation,
      allowHosts,
      allowPaths,
      boxLimits,
      simulated,
      modelsFile: models,
      apiKeyEnv,
      allowInsecure,
    }),
    ...omitUndefined({ agentParallel: workers, maxCost, trialMaxCost, dryRun: isDry }),
  };
  const { agent, command } = toAgentConfig(executor);
  return openAgentSystem({ name, ...omitUndefined({ agent, command, model: model ?? undefined, effort }) }, run);
}

async function dryRunExperiment(
  plan: ExperimentPlan,
  systems: readonly System[],
  flags: ExperimentRunFlags,
): Promise<PrintReport> {
  const { datasets, record } = plan;
  await resolveRunUntil({ ...toUntilOptions(record, flags), systems });
  const metrics = standardMetrics(systems.length, datasets.length);
  const laidOut = await makePlan({ systems, datasets, metrics, seed: flags.seed });
  const notes = [...new Set([...plan.notes, ...laidOut.notes])];
  const text = describePlan(
    { ...laidOut, notes },
    {
      output: flags.output,
      tokenizer: loadTokenizer("cl100k_base"),
      maxWorkers: flags.workers ?? DEFAULT_MAX_WORKERS,
      maxCostUsd: flags.maxCost ?? null,
      trialMaxCostUsd: flags.trialMaxCost ?? null,
    },
  );
  return async () => {
    await writeResult(
      flags.output === "json" ? addExperimentRecord(text, record) : `${describeExperiment(record)}${text}`,
    );
    return EXIT.fine;
  };
}

function addExperimentRecord(json: string, experiment: ExperimentRecord): string {
  return `${JSON.stringify({ ...(JSON.parse(json) as object), experiment }, null, 2)}\n`;
}

function describeExperiment({ name, baseline, variants, vary, shard, stimuli }: ExperimentRecord): string {
  const part = shard === null ? "" : `, of which shard ${formatShard(shard)}`;
  const lines = [
    `experiment ${name}: ${formatPlural(variants.length, "variant")}, ${formatPlural(stimuli, "test case")}${part}`,
    `varied: ${vary.join(", ")}`,
    ...variants.map((variant) => {
      const settings = Object.entries(variant.settings).map(
        ([pointer, value]) => `${pointer} ${JSON.stringify(value)}`,
      );
      const role = variant.name === baseline ? " (baseline)" : "";
      return `variant ${variant.name}${role}: ${settings.join(", ") || "the eval unchanged"}`;
    }),
  ];
  return lines.map((line) => `- ${line}\n`).join("");
}

interface ExperimentWork {
  plan: ExperimentPlan;
  systems: readonly System[];
  flags: ExperimentRunFlags;
  file: string;
}

async function measureExperiment({ plan, systems, flags, file }: ExperimentWork): Promise<PrintReport> {
  const progress = flags.quiet === true ? null : new ProgressLine(process.stderr);
  const interrupt = createInterrupt(() => progress?.clear());
  const { maxCost, trialMaxCost, maxRetries, onOutage, workers } = flags;
  try {
    const result = await evaluate({
      systems,
      datasets: trialMaxCost === undefined ? plan.datasets : plan.datasets.map(dropCostGates),
      title: formatExperimentTitle(plan.record),
      seed: flags.seed,
      budget: {
        ...(maxCost === undefined ? {} : { run: { maxCostUsd: maxCost } }),
        ...(trialMaxCost === undefined ? {} : { trial: { maxCostUsd: trialMaxCost } }),
      },
      ...(maxRetries === undefined ? {} : { retry: { maxRetries } }),
      ...toOutageOptions(onOutage),
      ...(workers === undefined ? {} : { maxWorkers: workers }),
      ...resolveStoreOptions(plan.record, flags),
      ...toUntilOptions(plan.record, flags),
      invocation: recordExperimentInvocation(file, flags, plan.record),
      signal: interrupt.signal,
      onProgress: (state) => progress?.update(state),
      onNote: (note) => {
        progress?.clear();
        printNote(note);
      },
    });
    const { exitCode: stopCode } = interrupt;
    return () => reportExperimentRun(result, { record: plan.record, flags, stopCode, file });
  } finally {
    progress?.clear();
    interrupt.release();
  }
}

/** The command's limit applies to all trials. */
function dropCostGates(dataset: Dataset): Dataset {
  const { maxCostUsd: _, ...terms } = dataset.terms ?? {};
  const limits = [...(dataset.limits ?? [])].map(([id, { maxCostUsd: __, ...own }]) => [id, own] as const);
  return makeDataset({ ...dataset, terms, limits: new Map(limits) });
}

function formatExperimentTitle({ name, shard }: ExperimentRecord): string {
  return shard === null ? name : `${name} ${shard.index} of ${shard.of}`;
}

/** A resumed run must have the same plan and shard. */
function resolveStoreOptions(
  record: ExperimentRecord,
  flags: ExperimentRunFlags,
): { runsDir: string } | { resume: string } {
  if (flags.resume === undefined) return { runsDir: flags.runsDir };
  const dir = findExperimentDir(flags.resume, flags);
  const before = readStoredRecord(dir);
  if (before.fingerprint !== record.fingerprint)
    throw new UsageError(
      `${dir} has a different plan: the experiment, its evals or files they use have changed since.`,
    );
  const [was, is] = [before.shard, record.shard].map((shard) =>
    shard === null ? "the whole experiment" : `shard ${formatShard(shard)}`,
  );
  if (was !== is) throw new UsageError(`${dir} is ${was}, not ${is}. Pass the same --shard.`);
  return { resume: dir };
}

/** When the run may stop: the baseline is compared with every other variant. A resumed run keeps its question. */
function toUntilOptions(
  { variants, baseline }: ExperimentRecord,
  { until, margin, quality, population, confidence, resume, ...flags }: ExperimentRunFlags,
): Pick<EvaluateOptions, "until"> {
  if (until === "none") return { until };
  if (until === undefined) {
    const stored = resume === undefined ? undefined : readManifest(findExperimentDir(resume, flags)).config.until;
    return stored === undefined ? {} : { until: recallUntil(stored) };
  }
  const own = variants.map(({ name, systems }) => ({ name, systems }));
  const ordered = [...own.filter(({ name }) => name === baseline), ...own.filter(({ name }) => name !== baseline)];
  return { until: { question: until, margin, quality, population, confidence, variants: ordered } };
}

function recordExperimentInvocation(file: string, flags: ExperimentRunFlags, experiment: ExperimentRecord): object {
  const { resume: _, quiet: __, dryRun: ___, trust: ____, ...kept } = flags;
  return { command: "experiment", cwd: process.cwd(), configFile: null, file: resolve(file), flags: kept, experiment };
}

interface FinishedExperiment {
  record: ExperimentRecord;
  flags: ExperimentRunFlags;
  /** Exit code after an interrupt; null if there was none. */
  stopCode: number | null;
  file: string;
}

async function reportExperimentRun(
  result: EvalResult,
  { record, flags, stopCode, file }: FinishedExperiment,
): Promise<number> {
  const { rows, runDir, notes, sequential } = result;
  const about = {
    ...record,
    variants: record.variants.map((variant) => toReportedVariant(variant, true)),
    notes: [...new Set([...record.notes, ...notes])],
  };
  const report = buildExperimentReport(about, rows, { ...flags, sequential, runs: runDir === null ? [] : [runDir] });
  await writeResult(renderExperiment(report, flags.output));
  if (runDir !== null) printNote(`Stored in ${runDir}`);
  if (stopCode !== null) {
    const shard = flags.shard === undefined ? "" : ` --shard ${flags.shard}`;
    printNote(`Interrupted. Resume with: assay experiment run ${file}${shard} --resume ${runDir}`);
    return stopCode;
  }
  return chooseExperimentExit(report, flags.minCoverage ?? DEFAULT_MIN_COVERAGE);
}
