import "../builtins.js";
import { EXIT, UsageError } from "../core/errors.js";
import { type GateVerdict, registry } from "../core/registry.js";
import type { System } from "../core/system.js";
import { type EvaluateOptions, evaluateWith } from "../evaluate.js";
import { standardMetrics } from "../metrics/index.js";
import { loadTokenizer } from "../models/tokens/index.js";
import { COLUMN_GROUPS, checkColumns } from "../report/table.js";
import { makePlan } from "../runner/plan.js";
import { budgetsOf } from "../runs/budgets.js";
import { DEFAULT_WORKERS } from "../runs/prepared-run.js";
import { readManifest } from "../store/journal.js";
import { describeRun } from "./describe-run.js";
import { describePlan } from "./dry-run.js";
import type { Gates } from "./gates.js";
import { guarded } from "./guard.js";
import { interruptible } from "./interrupt.js";
import { type Invocation, inForce, invocationOf, recall, requireHeaders } from "./invocation.js";
import { findJudgingPrices } from "./judging-estimate.js";
import { isPlannedOnly } from "./planned-only.js";
import { ProgressLine } from "./progress.js";
import { queuePlaceOf } from "./queue-address.js";
import { gatesOf, type Report, report } from "./report-result.js";
import { resolveDatasets, revisionsOf, withSystems } from "./resolve.js";
import { DEFAULT_RUNS_DIR, type RunConfig } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";
import { moneyOptions, planOptions, runOptions } from "./run-options.js";
import { checkOutput, say, writeResult } from "./streams.js";
import { requireTrustedPlugins } from "./trust.js";
import { type Parts, registerOwn, type Workbench, withParts } from "./workbench.js";

export const RUN: Workbench = {
  command: "run",
  metrics: standardMetrics,
  lend: ({ config, revisions }, use) =>
    withSystems(registry, config, async (systems) => {
      requireSomething(systems, config);
      return use({ systems, datasets: await resolveDatasets(registry, config, revisions) });
    }),
};

export function runCommand(flags: RunFlags): Promise<number> {
  return runWith(RUN, flags);
}

export async function runWith(bench: Workbench, flags: RunFlags): Promise<number> {
  if (flags.resume !== undefined && flags.config !== undefined) {
    throw new UsageError("--config cannot be combined with --resume: a resumed run keeps its own config.");
  }
  requireTrustedPlugins(flags.plugins, flags);
  const resumed = flags.resume === undefined ? null : recall(flags, bench.command);
  const invocation = resumed?.invocation ?? invocationOf(flags, bench.command);
  const config = await describeRun(invocation, flags);
  checkColumns(config.columns ?? COLUMN_GROUPS);
  const queue = queuePlaceOf(config);
  if (resumed !== null && !isPlannedOnly(config)) requireHeaders(invocation, flags.headers);
  const report = await guarded(async () => {
    await registerOwn(config);
    registry.get("reporter", config.output ?? "table");
    checkOutput(config.output);
    const revisions = resumed === null ? new Map() : revisionsOf(readManifest(resumed.dir));
    return withParts(bench, { config, revisions }, (parts) => {
      const gates = gatesOf({ ...config, trials: mostTrials(parts, config) }, parts);
      if (flags.dryRun === true) return dryRun(parts, config);
      return measure(parts, { config, gates, flags, invocation, queue, resume: resumed?.dir, bench });
    });
  });
  return report();
}

/** A dataset may set its own number of trials. */
function mostTrials({ datasets }: Parts, { trials = 1 }: RunConfig): number {
  const own = datasets.map((dataset) => ("terms" in dataset ? (dataset.terms?.trials ?? trials) : trials));
  return Math.max(...own, 1);
}

function requireSomething(systems: readonly System[], config: RunConfig): void {
  if (systems.length === 0)
    throw new UsageError(
      "No system is given. Add --model openai/gpt-5, --agent claude, --proxy http://127.0.0.1:8080 --model NAME, --system ./my-system.ts, --system truncate:0.5 or --replay outputs.jsonl.",
    );
  if ((config.datasets ?? []).length === 0)
    throw new UsageError("No dataset is given. Add --dataset needle or --dataset questions.jsonl.");
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
  /** Null if the trials run here. */
  queue: ReturnType<typeof queuePlaceOf>;
  resume: string | undefined;
  bench: Workbench;
}

async function measure(parts: Parts, request: RunRequest): Promise<Report> {
  const { config, gates, flags, bench } = request;
  const progress = flags.quiet === true ? null : new ProgressLine(process.stderr);
  const interrupt = interruptible(() => progress?.clear());
  try {
    const result = await evaluateWith(bench.metrics, {
      ...runOptions(parts, config),
      ...storeOptions(request),
      ...queueOptions(request),
      signal: interrupt.signal,
      onProgress: (state) => progress?.update(state),
      onNote: (note) => {
        progress?.clear();
        say(note);
      },
    });
    const goOn = `assay ${request.invocation.command} --resume ${result.runDir}`;
    const { exitCode: stopCode } = interrupt;
    const also =
      bench.conclude === undefined
        ? {}
        : { also: async (verdicts: readonly GateVerdict[]) => bench.conclude?.(result, { config, gates: verdicts }) };
    return () => report(result, { config, gates, stopCode, goOn, ...also });
  } finally {
    progress?.clear();
    interrupt.release();
  }
}

function storeOptions({ config, invocation, resume }: RunRequest) {
  return { ...(resume === undefined ? { runsDir: config.runsDir ?? DEFAULT_RUNS_DIR } : { resume }), invocation };
}

/** Workers make the same plan from the run's current invocation. */
function queueOptions({ queue, invocation, flags }: RunRequest): Pick<EvaluateOptions, "queue"> {
  if (queue === null) return {};
  return { queue: { ...queue, source: { kind: "command", invocation: inForce(invocation, flags) } } };
}
