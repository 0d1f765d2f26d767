import "../builtins.js";
import { resolve } from "node:path";
import { type Dataset, makeDataset } from "../core/dataset.js";
import { EXIT, UsageError } from "../core/errors.js";
import { registry } from "../core/registry.js";
import type { EvalResult } from "../core/result.js";
import { given } from "../core/shape.js";
import type { System } from "../core/system.js";
import {
  type ExperimentPlan,
  type ExperimentRecord,
  formatShard,
  loadExperiment,
  type PlannedSystem,
  parseShard,
  planExperiment,
} from "../evals/experiment/index.js";
import { evaluate } from "../evaluate.js";
import type { JudgeModelPlace } from "../graders/judge/register-judge-graders.js";
import { standardMetrics } from "../metrics/index.js";
import { loadTokenizer } from "../models/tokens/index.js";
import { experimentReport } from "../report/experiment.js";
import { plural } from "../report/format.js";
import { makePlan } from "../runner/plan.js";
import { DEFAULT_WORKERS } from "../runs/prepared-run.js";
import { describeAgents } from "./agent-flags.js";
import { agentSystem } from "./agent-systems.js";
import { describePlan } from "./dry-run.js";
import { agentSettings, closeGraders } from "./eval.js";
import { executorAgent } from "./eval-plan.js";
import { openProject } from "./eval-project.js";
import {
  checkFlags,
  coverageOf,
  type ExperimentReportFlags,
  findDir,
  render,
  storedExperiment,
  withPlanned,
} from "./experiment-report.js";
import { guarded } from "./guard.js";
import { interruptible } from "./interrupt.js";
import { ProgressLine } from "./progress.js";
import { requireNoQueue } from "./queue-address.js";
import type { Report } from "./report-result.js";
import { closeAll } from "./resolve.js";
import { DEFAULT_MIN_COVERAGE, type RunConfig } from "./run-config.js";
import { outageOptions } from "./run-options.js";
import { say, writeResult } from "./streams.js";
import { requireTrust } from "./trust.js";
import { withMock } from "./with-mock.js";

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
  /** Model for graders that need one. */
  judgeModel?: string;
  judgeUrl?: string;
  judgeApiKeyEnv?: string;
  agentEnv?: string;
  strictModel?: boolean;
  keepWorkspaces?: string;
  models?: string;
  apiKeyEnv?: string;
  allowInsecure?: boolean;
  plugin?: readonly string[];
  config?: string;
  /** Allows code and commands named by files outside this folder. */
  trust?: boolean;
  quiet?: boolean;
}

/** `assay experiment run`: runs all variants of an experiment, or of one shard, in one run. */
export async function experimentRunCommand(file: string, flags: ExperimentRunFlags): Promise<number> {
  checkFlags(flags);
  return withMock(flags, (url) => runExperiment(file, url === undefined ? flags : { ...flags, agentUrl: url }));
}

/** The datasets of an experiment as planned, for regrading. */
export async function experimentDatasets(file: string, flags: ExperimentRunFlags): Promise<Dataset[]> {
  const { plan } = await planned(file, flags);
  return [...plan.datasets];
}

async function planned(file: string, flags: ExperimentRunFlags): Promise<{ plan: ExperimentPlan; config: RunConfig }> {
  const { config: named, plugin: plugins, trust } = flags;
  const { config, environments } = await openProject({ config: named, plugins, trust, judges: judgePlace(flags) });
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
  const report = await guarded(async () => {
    const { plan, config } = await planned(file, flags);
    requireNoQueue(config, "assay experiment");
    // The dry run prints them itself.
    if (flags.dryRun !== true) for (const note of plan.notes) say(note);
    const systems: System[] = [];
    try {
      for (const planned of plan.variants.flatMap((variant) => variant.systems))
        systems.push(await openSystem(planned, flags, config));
      return flags.dryRun === true ? await dryRun(plan, systems, flags) : await measure({ plan, systems, flags, file });
    } finally {
      await closeAll(systems);
      await closeGraders(plan.datasets);
    }
  });
  return report();
}

/** The simulated model also serves graders, unless a judge is configured. */
function judgePlace(flags: ExperimentRunFlags): JudgeModelPlace {
  const { models: modelsFile, allowInsecure, mock, agentUrl, judgeApiKeyEnv: apiKeyEnv } = flags;
  const url = flags.judgeUrl ?? (mock === undefined ? undefined : agentUrl);
  return given({ modelsFile, allowInsecure, url, apiKeyEnv });
}

/** The system is named after the variant, so that rows show which one they belong to. */
function openSystem(
  { name, executor, model }: PlannedSystem,
  flags: ExperimentRunFlags,
  config: RunConfig,
): Promise<System> {
  if (executor === null)
    throw new UsageError(
      `No agent is set for "${name}". Add executor to the defaults of the eval file, or pass --executor claude.`,
    );
  const { agentHome, agentUrl, agentEnv, keepWorkspaces, strictModel, models, apiKeyEnv, allowInsecure, workers } =
    flags;
  const { maxCost, trialMaxCost, dryRun: isDry } = flags;
  const run = {
    ...agentSettings(config),
    ...describeAgents(agentEnv === undefined ? {} : { agentEnv }),
    ...given({ agentHome, agentUrl, keepWorkspaces, strictModel, modelsFile: models, apiKeyEnv, allowInsecure }),
    ...given({ agentParallel: workers, maxCost, trialMaxCost, dryRun: isDry }),
  };
  return agentSystem({ ...executorAgent(executor), name, ...(model === null ? {} : { model }) }, run);
}

async function dryRun(plan: ExperimentPlan, systems: readonly System[], flags: ExperimentRunFlags): Promise<Report> {
  const { datasets, record } = plan;
  const metrics = standardMetrics(systems.length, datasets.length);
  const laidOut = await makePlan({ systems, datasets, metrics, seed: flags.seed });
  const notes = [...new Set([...plan.notes, ...laidOut.notes])];
  const text = describePlan(
    { ...laidOut, notes },
    {
      output: flags.output,
      tokenizer: loadTokenizer("cl100k_base"),
      maxWorkers: flags.workers ?? DEFAULT_WORKERS,
      maxCostUsd: flags.maxCost ?? null,
      trialMaxCostUsd: flags.trialMaxCost ?? null,
    },
  );
  return async () => {
    await writeResult(flags.output === "json" ? withRecord(text, record) : `${inWords(record)}${text}`);
    return EXIT.fine;
  };
}

function withRecord(json: string, experiment: ExperimentRecord): string {
  return `${JSON.stringify({ ...(JSON.parse(json) as object), experiment }, null, 2)}\n`;
}

function inWords({ name, baseline, variants, vary, shard, stimuli }: ExperimentRecord): string {
  const part = shard === null ? "" : `, of which shard ${formatShard(shard)}`;
  const lines = [
    `experiment ${name}: ${plural(variants.length, "variant")}, ${plural(stimuli, "test case")}${part}`,
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

interface Work {
  plan: ExperimentPlan;
  systems: readonly System[];
  flags: ExperimentRunFlags;
  file: string;
}

async function measure({ plan, systems, flags, file }: Work): Promise<Report> {
  const progress = flags.quiet === true ? null : new ProgressLine(process.stderr);
  const interrupt = interruptible(() => progress?.clear());
  const { maxCost, trialMaxCost, maxRetries, onOutage, workers } = flags;
  try {
    const result = await evaluate({
      systems,
      datasets: trialMaxCost === undefined ? plan.datasets : plan.datasets.map(withoutOwnCost),
      title: titleOf(plan.record),
      seed: flags.seed,
      budget: {
        ...(maxCost === undefined ? {} : { run: { maxCostUsd: maxCost } }),
        ...(trialMaxCost === undefined ? {} : { trial: { maxCostUsd: trialMaxCost } }),
      },
      ...(maxRetries === undefined ? {} : { retry: { maxRetries } }),
      ...outageOptions(onOutage),
      ...(workers === undefined ? {} : { maxWorkers: workers }),
      ...placeOf(plan.record, flags),
      invocation: invocationOf(file, flags, plan.record),
      signal: interrupt.signal,
      onProgress: (state) => progress?.update(state),
      onNote: (note) => {
        progress?.clear();
        say(note);
      },
    });
    const { exitCode: stopCode } = interrupt;
    return () => reportRun(result, { record: plan.record, flags, stopCode, file });
  } finally {
    progress?.clear();
    interrupt.release();
  }
}

/** The command's limit applies to all trials. */
function withoutOwnCost(dataset: Dataset): Dataset {
  const { maxCostUsd: _, ...terms } = dataset.terms ?? {};
  return makeDataset({ ...dataset, terms });
}

function titleOf({ name, shard }: ExperimentRecord): string {
  return shard === null ? name : `${name} ${shard.index} of ${shard.of}`;
}

/** A resumed run must have the same plan and shard. */
function placeOf(record: ExperimentRecord, flags: ExperimentRunFlags): { runsDir: string } | { resume: string } {
  if (flags.resume === undefined) return { runsDir: flags.runsDir };
  const { dir, record: before } = storedExperiment(findDir(flags.resume, flags));
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

function invocationOf(file: string, flags: ExperimentRunFlags, experiment: ExperimentRecord): object {
  const { resume: _, quiet: __, dryRun: ___, trust: ____, ...kept } = flags;
  return { command: "experiment", cwd: process.cwd(), configFile: null, file: resolve(file), flags: kept, experiment };
}

interface Finished {
  record: ExperimentRecord;
  flags: ExperimentRunFlags;
  /** Exit code after an interrupt; null if there was none. */
  stopCode: number | null;
  file: string;
}

async function reportRun(result: EvalResult, { record, flags, stopCode, file }: Finished): Promise<number> {
  const { rows, runDir, notes } = result;
  const about = {
    ...record,
    variants: record.variants.map((variant) => withPlanned(variant, true)),
    notes: [...new Set([...record.notes, ...notes])],
  };
  const report = experimentReport(about, rows, { ...flags, runs: runDir === null ? [] : [runDir] });
  await writeResult(render(report, flags.output));
  if (runDir !== null) say(`Stored in ${runDir}`);
  if (stopCode !== null) {
    const shard = flags.shard === undefined ? "" : ` --shard ${flags.shard}`;
    say(`Interrupted. Resume with: assay experiment run ${file}${shard} --resume ${runDir}`);
    return stopCode;
  }
  return coverageOf(report, flags.minCoverage ?? DEFAULT_MIN_COVERAGE);
}
