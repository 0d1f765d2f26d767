import "../builtins.js";
import { resolve } from "node:path";
import type { System } from "../core/index.js";
import { countExampleTrials, EXAMPLE_MODELS, EXIT, omitUndefined, registry, UsageError } from "../core/index.js";
import { type EvaluateOptions, evaluateWith } from "../evaluate.js";
import { standardMetrics } from "../metrics/index.js";
import { type Batches, resolveTokenizer } from "../models/index.js";
import { COLUMN_GROUPS, checkColumns } from "../report/index.js";
import { listPlanTerms, makePlan } from "../runner/index.js";
import { createBudgets, DEFAULT_MAX_WORKERS, resolveRunUntil } from "../runs/index.js";
import { checkTag, findRun, readManifest } from "../store/index.js";
import type { Gates } from "./gates.js";
import { createInterrupt } from "./interrupt.js";
import {
  applyResumeFlags,
  type Invocation,
  recallInvocation,
  recordInvocation,
  requireHeaders,
  resolveRunFlags,
} from "./invocation.js";
import { ProgressLine } from "./progress.js";
import type { RunQueue } from "./queue-address.js";
import { type PrintReport, type RunOutlet, reportResult, resolveGates } from "./report.js";
import { getStoredRevisions, resolveDatasets, withSystems } from "./resolve.js";
import { DEFAULT_RUNS_DIR, type RunConfig } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";
import { describesRun, isPlanOnly } from "./run-flags.js";
import {
  type RunParts,
  type RunSource,
  refuseUntil,
  registerRunEntries,
  settleUntil,
  toBudgetOptions,
  toEvaluateOptions,
  toPlanOptions,
  withRunParts,
} from "./run-source.js";
import { checkOutput, printNote, writeResult } from "./streams.js";
import { requireTrustedPlugins } from "./trust.js";
import { isolateUserCode } from "./user-code.js";

export const RUN_SOURCE: RunSource = {
  command: "run",
  metrics: standardMetrics,
  settleUntil: settleRunUntil,
  open: ({ config, revisions }, use) =>
    withSystems(registry, config, async (systems) => {
      requireSystemsAndDatasets(systems, config);
      return use({ systems, datasets: await resolveDatasets(registry, config, revisions) });
    }),
};

/** A resumed run keeps the rows of the stored run that it is compared with, wherever that is now. */
function settleRunUntil(given: RunFlags): RunFlags {
  const config = settleUntil(given);
  const { against, resume, runsDir = DEFAULT_RUNS_DIR } = config;
  if (against === undefined || resume !== undefined) return config;
  return { ...config, against: resolve(findRun({ runsDir, name: against, onNote: printNote })) };
}

/** `assay run`: the run that flags describe or that is resumed; otherwise that of the config, and eval files. */
export async function executeRun(flags: RunFlags, evals: readonly string[] = []): Promise<number> {
  const run = (one: RunFlags, outlet?: RunOutlet) => runFromSource(RUN_SOURCE, one, outlet);
  if (evals.length === 0 && (flags.resume !== undefined || (flags.config === undefined && describesRun(flags))))
    return run(flags);
  const { executeEvals } = await import("./run-evals.js");
  return executeEvals(evals, flags, run);
}

/** `outlet` takes the report, for one run of several. */
export async function runFromSource(bench: RunSource, flags: RunFlags, outlet?: RunOutlet): Promise<number> {
  if (flags.resume !== undefined && (flags.against ?? flags.againstSystem) !== undefined)
    throw new UsageError("--resume keeps the stored run that the run is compared with. Remove --against.");
  if (flags.resume !== undefined && flags.config !== undefined) {
    throw new UsageError("--config cannot be combined with --resume: a resumed run keeps its own config.");
  }
  requireNewRunForTags(flags);
  if (flags.github !== undefined) (await import("./publish.js")).checkPublishFlags(flags);
  requireTrustedPlugins(flags.plugins, flags);
  const resumed = flags.resume === undefined ? null : recallInvocation(flags, bench.command);
  const invocation = resumed?.invocation ?? recordInvocation(flags, bench.command);
  const resolved = await resolveRunFlags(invocation, flags);
  const traffic = hasTraffic(resolved) ? await import("./run-traffic.js") : null;
  const given = traffic?.settleTraffic(resolved) ?? resolved;
  const config = bench.settleUntil?.(given) ?? refuseUntil(given, bench.command);
  checkColumns(config.columns ?? COLUMN_GROUPS);
  const queue = await loadRunQueue(config);
  if (resumed !== null && !isPlanOnly(config)) requireHeaders(invocation, flags.headers);
  const report = await isolateUserCode(async () => {
    await registerRunEntries(config);
    registry.get("reporter", config.output ?? "table");
    if (config.tokenizer !== undefined) registry.get("tokenizer", config.tokenizer);
    checkOutput(config.output);
    const revisions = resumed === null ? new Map() : getStoredRevisions(readManifest(resumed.dir));
    const simulate = config.mock === undefined ? null : (await import("./simulate.js")).withSimulatedModels;
    const measure = async (given: RunFlags) => {
      const batches = hasBatchFlags(given) ? (await import("./run-batches.js")).createRunBatches(given) : null;
      const settings = batches === null ? given : { ...given, batches };
      return withRunParts(bench, { config: settings, revisions }, async (parts) => {
        if (batches !== null) (await import("./run-batches.js")).requireBatchedSystems(parts.systems);
        const gates = resolveGates({ ...config, trials: findMaxTrials(parts, config) }, parts);
        if (flags.dryRun === true)
          return dryRunPlan(parts, { ...omitUndefined({ margin: bench.margin }), ...config }, outlet);
        const request = { config, gates, flags, invocation, queue, resume: resumed?.dir, bench, outlet };
        return measureRun(parts, { ...request, batches });
      });
    };
    const start = (own: RunFlags) => (simulate === null ? measure(own) : simulate(own, measure));
    return traffic === null ? start(config) : traffic.withRunTraffic(config, start);
  });
  return report();
}

function hasTraffic({ record, replayTraffic, onMiss, replayUntil, thenModel }: RunFlags): boolean {
  return [record, replayTraffic, onMiss, replayUntil, thenModel].some((flag) => flag !== undefined);
}

function hasBatchFlags({ batch, batchDeadline, batchLate, batchNoWait }: RunFlags): boolean {
  return batch === true || [batchDeadline, batchLate, batchNoWait].some((flag) => flag !== undefined);
}

/** A tag that cannot be used is an error before anything is spent. */
function requireNewRunForTags({ resume, tags = [] }: RunFlags): void {
  if (resume !== undefined && tags.length > 0)
    throw new UsageError(
      `Only a new run can be tagged when it is started. Tag a stored one with: assay runs tag RUN ${tags.join(" ")}`,
    );
  for (const tag of tags) checkTag(tag);
}

/** A dataset, or an example, may set its own number of trials. */
function findMaxTrials({ datasets }: RunParts, { trials = 1 }: RunConfig): number {
  return datasets.reduce((most, dataset) => {
    if (!("examples" in dataset)) return Math.max(most, trials);
    return dataset.examples.reduce((max, each) => Math.max(max, countExampleTrials(each, dataset, trials)), most);
  }, 1);
}

export function requireSystemsAndDatasets(systems: readonly System[], config: RunConfig): void {
  if (systems.length === 0)
    throw new UsageError(
      `No system is given. Add --model ${EXAMPLE_MODELS.openai}, --agent claude, --proxy http://127.0.0.1:8080 --model NAME, --system ./my-system.ts, --system-command 'python my-system.py', --system-url URL, --system truncate:0.5 or --replay outputs.jsonl.`,
    );
  if ((config.datasets ?? []).length === 0)
    throw new UsageError("No dataset is given. Add --dataset needle or --dataset questions.jsonl.");
}

async function dryRunPlan(parts: RunParts, config: RunFlags, outlet: RunOutlet | undefined): Promise<PrintReport> {
  const { systems, datasets, evaluators, metrics } = parts;
  const until = await resolveRunUntil(toEvaluateOptions(parts, config));
  const plan = await makePlan({
    ...toPlanOptions(config),
    systems,
    datasets,
    metrics,
    ...(evaluators === undefined ? {} : { evaluators }),
  });
  const { describePlan, findJudgingPrices } = await import("./dry-run.js");
  const { describePlanHeadroom } = await import("./plan-headroom.js");
  await findJudgingPrices(plan);
  const tokenizer = resolveTokenizer(config.tokenizer);
  const { output = "table", maxWorkers = DEFAULT_MAX_WORKERS, maxCost = null, trialMaxCost = null } = config;
  createBudgets(toBudgetOptions(config).budget, {
    systems,
    spentUsd: 0,
    datasets: listPlanTerms(plan),
  });
  const notes = [...plan.notes, ...describePlanHeadroom(plan, { until, config })];
  const limits = { maxWorkers, maxCostUsd: maxCost, trialMaxCostUsd: trialMaxCost };
  const options = { tokenizer, output, ...limits, isBatched: config.batch === true };
  return async () => {
    const text = describePlan({ ...plan, notes }, options);
    await (outlet === undefined ? writeResult(text) : outlet.write(text));
    return EXIT.fine;
  };
}

/** Most runs have none, and do without its code. */
async function loadRunQueue(config: RunConfig): Promise<RunQueue | null> {
  if (config.queue === undefined && config.sharedDir === undefined) return null;
  return (await import("./queue-address.js")).resolveRunQueue(config);
}

interface MeasureRequest {
  config: RunFlags;
  gates: Gates;
  flags: RunFlags;
  invocation: Invocation;
  /** Null if the trials run here. */
  queue: RunQueue | null;
  resume: string | undefined;
  bench: RunSource;
  outlet: RunOutlet | undefined;
  /** Null if requests are sent one by one. */
  batches: Batches | null;
}

async function measureRun(parts: RunParts, request: MeasureRequest): Promise<PrintReport> {
  const { config, gates, flags, bench, batches } = request;
  const progress = flags.quiet === true ? null : new ProgressLine(process.stderr);
  const interrupt = createInterrupt(() => progress?.clear());
  try {
    const result = await evaluateWith(bench.metrics, {
      ...toEvaluateOptions(parts, config),
      ...toStoreOptions(request),
      ...toQueueOptions(request),
      ...(await toBatchOptions(request, interrupt.signal, (state) => progress?.wait(state))),
      onProgress: (state) => progress?.update(state),
      onNote: (note) => {
        progress?.clear();
        printNote(note);
      },
    });
    const goOn = `assay ${request.invocation.command} --resume ${result.runDir}`;
    const { exitCode: stopCode } = interrupt;
    if (batches?.leave.aborted === true && stopCode === null)
      return (await import("./run-batches.js")).reportSubmitted(batches, goOn);
    const report = bench.report ?? reportResult;
    return () => report(result, { config, gates, stopCode, goOn, outlet: request.outlet, judge: bench.judge });
  } finally {
    batches?.close();
    progress?.clear();
    interrupt.release();
  }
}

/** Nothing is sent before every endpoint has shown that it has a batch API. */
async function toBatchOptions(
  { batches, resume }: MeasureRequest,
  signal: AbortSignal,
  onStatus: (status: string | null) => void,
): Promise<Pick<EvaluateOptions, "batches" | "maxWorkers" | "signal">> {
  if (batches === null) return { signal };
  if (resume === undefined) await batches.check(signal);
  batches.onStatus = onStatus;
  return { batches, maxWorkers: batches.maxWorkers, signal: AbortSignal.any([signal, batches.leave]) };
}

function toStoreOptions({ config, invocation, resume }: MeasureRequest) {
  const { runsDir = DEFAULT_RUNS_DIR, tags = [] } = config;
  return { ...(resume === undefined ? { runsDir, tags } : { resume }), invocation };
}

/** Workers make the same plan from the run's current invocation. */
function toQueueOptions({ queue, invocation, flags }: MeasureRequest): Pick<EvaluateOptions, "queue"> {
  if (queue === null) return {};
  return { queue: { ...queue, source: { kind: "command", invocation: applyResumeFlags(invocation, flags) } } };
}
