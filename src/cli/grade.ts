import "../builtins.js";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import type { ExampleSource, Metric } from "../core/index.js";
import { type Dataset, makeDataset, mapMetricChoice, omitUndefined, registry, UsageError } from "../core/index.js";
import { mapSpecPaths } from "../datasets/index.js";
import { selectMetrics } from "../metrics/index.js";
import { COLUMN_GROUPS, checkColumns } from "../report/index.js";
import { gradeRun, resolveRunMetrics } from "../runs/index.js";
import type { Manifest } from "../store/index.js";
import { findLatestRun, findRun, readManifest } from "../store/index.js";
import { loadConfig, resolveEvaluatorPath } from "./config-file.js";
import type { ExperimentRunFlags } from "./experiment.js";
import { createInterrupt } from "./interrupt.js";
import { enterFolder, type Invocation, isInvocation, mergeEvalSelection, requireTrustedRun } from "./invocation.js";
import { isModulePath } from "./load-module.js";
import { ProgressLine } from "./progress.js";
import { type PrintReport, reportResult, resolveGates } from "./report.js";
import {
  closeResources,
  collectDatasetEvaluators,
  getStoredRevisions,
  loadPlugins,
  registerNamedDatasets,
  resolveDatasets,
  resolveMetrics,
} from "./resolve.js";
import { resolveEvaluators } from "./resolve-evaluators.js";
import { DEFAULT_RUNS_DIR } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";
import { dropQueueFlags } from "./run-flags.js";
import { checkOutput, printNote } from "./streams.js";
import { requireTrustedPlugins } from "./trust.js";
import { isolateUserCode } from "./user-code.js";

export type GradeFlags = Pick<
  RunFlags,
  | "datasets"
  | "evaluators"
  | "metrics"
  | "plugins"
  | "scoreField"
  | "threshold"
  | "maxWorkers"
  | "map"
  | "runsDir"
  | "output"
  | "columns"
  | "minCoverage"
  | "failUnder"
  | "failOver"
  | "quiet"
  | "unsafeLocalExec"
  | "judge"
  | "modelsFile"
  | "maxCost"
  | "dryRun"
  | "trust"
  | "eval"
> & { resume?: string };

/** `assay grade`: scores the outputs of a stored run again. Calls no system. */
export async function executeGrade(run: string | undefined, told: GradeFlags): Promise<number> {
  const runsDir = resolve(told.runsDir ?? DEFAULT_RUNS_DIR);
  const find = (name: string) => resolve(findRun({ runsDir, name, onNote: printNote }));
  const resume = told.resume === undefined ? undefined : find(told.resume);
  const stopped = resume === undefined ? null : readManifest(resume);
  const named = run ?? stopped?.parent?.runId;
  const dir =
    named === undefined
      ? resolve(findLatestRun(runsDir, (each) => readManifest(each).parent === undefined))
      : find(named);
  const parent = readManifest(dir);
  requireTrustedRun(dir, told);
  if (resume !== undefined) requireTrustedRun(resume, told);
  requireTrustedPlugins(told.plugins, told);
  const startedIn = process.cwd();
  if (run === undefined) printNote(`Grading ${formatPathFrom(startedIn, dir)}`);
  if (resume !== undefined) requireChild(resume, parent);
  const flags = { ...getStoredGradeFlags(stopped), ...resolveGradePaths(told) };
  const invocation = recordGradeInvocation(parent, flags);
  enterFolder(invocation);
  const config = await resolveGradeFlags(invocation, flags);
  checkColumns(config.columns ?? COLUMN_GROUPS);
  const show = await isolateUserCode(() =>
    gradeStoredRun({ dir, parent, config, flags, invocation, runsDir, resume, startedIn }),
  );
  return show();
}

interface GradeRequest {
  dir: string;
  parent: Manifest;
  config: RunFlags;
  flags: GradeFlags;
  invocation: GradeInvocation;
  runsDir: string;
  resume: string | undefined;
  /** Where the command was started: paths are shown relative to it. */
  startedIn: string;
}

async function gradeStoredRun(request: GradeRequest): Promise<PrintReport> {
  const { config, parent, flags } = request;
  await loadPlugins(registry, config.plugins ?? []);
  registerNamedDatasets(registry, config);
  registry.get("reporter", config.output ?? "table");
  checkOutput(config.output);
  const loaded = await loadGradedDatasets(request);
  const { datasets, evaluators, made } = await resolveEvaluators(registry, config, loaded);
  const metrics = selectMetrics(await resolveMetrics(registry, config), (await resolveRunMetrics(parent)).known);
  const gates = resolveGates({ ...config, trials: parent.config.trials }, { metrics, datasets });
  const progress = flags.quiet === true ? null : new ProgressLine(process.stderr);
  const interrupt = createInterrupt(() => progress?.clear());
  try {
    if (flags.dryRun === true) {
      const { planGrading } = await import("./grade-plan.js");
      return await planGrading({ dir: request.dir, parent, config, datasets, evaluators });
    }
    const result = await gradeRun(request.dir, {
      datasets,
      metrics: { only: metrics },
      ...(evaluators === undefined ? {} : { evaluators }),
      ...omitUndefined({ scoreField: config.scoreField, threshold: config.threshold, maxWorkers: config.maxWorkers }),
      ...(config.maxCost === undefined ? {} : { maxCostUsd: config.maxCost }),
      allowChanged: flags.datasets !== undefined || flags.eval?.files !== undefined,
      ...(request.resume === undefined ? { runsDir: request.runsDir } : { resume: request.resume }),
      invocation: request.invocation,
      signal: interrupt.signal,
      onProgress: (state) => progress?.update(state),
      onNote: printNote,
    });
    const shownDir = result.runDir === null ? null : formatPathFrom(request.startedIn, result.runDir);
    const goOn = `assay grade --resume ${shownDir}`;
    const { exitCode: stopCode } = interrupt;
    const judge = request.invocation.of === "eval" ? (await import("./eval.js")).judgeEval : undefined;
    return () => reportResult(result, { config: withoutFiles(config), gates, stopCode, goOn, shownDir, judge });
  } finally {
    progress?.clear();
    interrupt.release();
    await closeResources([...made, ...collectDatasetEvaluators(config, loaded)]);
    const { of } = request.invocation;
    if (of === "eval" || of === "experiment") await (await import("./eval.js")).closeGraders(loaded);
  }
}

/** Relative if it is inside the folder. */
function formatPathFrom(folder: string, path: string): string {
  const way = relative(folder, path);
  return way === "" || way.startsWith("..") || isAbsolute(way) ? path : way;
}

/** The files that the original run wrote are its own. */
function withoutFiles({ junit: _, markdown: __, eval: choice, ...config }: RunFlags): RunFlags {
  const { outputDir: ___, ...kept } = choice ?? {};
  return { ...config, ...(choice === undefined ? {} : { eval: kept }) };
}

/** A run started from a program does not record where its examples are. */
async function loadGradedDatasets({
  dir,
  config,
  parent,
  invocation,
  flags,
}: GradeRequest): Promise<(Dataset | ExampleSource)[]> {
  const revisions = getStoredRevisions(parent);
  if (invocation.of === "memory") {
    const { loadRunMemoryDataset } = await import("./memory.js");
    return [(await loadRunMemoryDataset(config, revisions)).dataset];
  }
  if (invocation.of === "experiment" && invocation.file !== undefined) {
    const { planExperimentDatasets } = await import("./experiment.js");
    return planExperimentDatasets(invocation.file, invocation.flags as unknown as ExperimentRunFlags);
  }
  if (invocation.of === "eval" || flags.eval?.files !== undefined) {
    const { loadEvalDatasets } = await import("./eval-plan.js");
    return applyStoredTerms(parent, await loadEvalDatasets(config));
  }
  if ((config.datasets ?? []).length > 0)
    return restoreDatasetNames(await resolveDatasets(registry, config, revisions), parent);
  const names = parent.config.datasets.map(({ name }) => name || "examples").join(", ");
  throw new UsageError(
    `${dir} was started from a program and does not record where its examples are (${names}). Pass them with --dataset FILE.`,
  );
}

/** Grades what was run: the file may ask for other trials or agents by now. */
function applyStoredTerms({ config }: Manifest, datasets: readonly Dataset[]): Dataset[] {
  return datasets.map((dataset) => {
    const { terms, limits } = config.datasets.find(({ name }) => name === dataset.name) ?? {};
    if (terms === undefined) return dataset;
    const stored = new Map(limits?.examples.map(({ id, ...own }) => [id, own]));
    return makeDataset({ ...dataset, terms, limits: stored });
  });
}

/** Rows are matched by dataset name; if the run has only one dataset, its file may have been renamed. */
function restoreDatasetNames(datasets: (Dataset | ExampleSource)[], { config }: Manifest): (Dataset | ExampleSource)[] {
  const [dataset] = datasets;
  const [before] = config.datasets;
  const isOne = datasets.length === 1 && config.datasets.length === 1;
  if (!isOne || before === undefined || dataset === undefined || !("examples" in dataset)) return datasets;
  if (dataset.name === before.name) return datasets;
  const { name, fingerprint: _, examples, ...rest } = dataset;
  const renamed = examples.map((example) =>
    example.dataset === name ? { ...example, dataset: before.name } : example,
  );
  return [makeDataset({ ...rest, name: before.name, examples: renamed })];
}

/** The invocation of the graded run: the original one plus the differences. */
interface GradeInvocation extends Omit<Invocation, "command"> {
  command: "grade";
  /** The command that started the original run. */
  of: "run" | "memory" | "eval" | "experiment";
  /** For an experiment: its file and plan. */
  file?: string;
  experiment?: unknown;
  /** Flags of this command, which also apply when it is resumed. */
  own: GradeFlags;
}

/** Output settings and gates of the run do not apply to its grading. */
const NOT_INHERITED_FLAGS = new Set(["output", "columns", "minCoverage", "failUnder", "failOver", "maxCost"]);

function recordGradeInvocation({ invocation }: Manifest, flags: GradeFlags): GradeInvocation {
  const before = isInvocation(invocation, ["run", "grade", "memory", "eval", "experiment", "migrate", "stress"])
    ? invocation
    : { cwd: process.cwd(), configFile: null, flags: {} };
  const { resume: _, quiet: __, trust: ___, ...kept } = flags;
  const inherited = Object.entries(before.flags).filter(([flag]) => !NOT_INHERITED_FLAGS.has(flag));
  const { cwd, configFile } = before;
  const { file, experiment } = before as Partial<GradeInvocation>;
  return {
    ...(experiment === undefined || file === undefined ? {} : { file, experiment }),
    command: "grade",
    of: findStartingCommand(invocation),
    cwd,
    configFile,
    flags: { ...Object.fromEntries(inherited), ...kept, ...mergeEvalSelection(before.flags, kept) },
    own: kept,
  };
}

/** Flags of a stopped grading. */
function getStoredGradeFlags(stopped: Manifest | null): GradeFlags {
  return isInvocation(stopped?.invocation, ["grade"])
    ? ((stopped.invocation as Partial<GradeInvocation>).own ?? {})
    : {};
}

const OTHER_COMMANDS = ["memory", "eval", "experiment"] as const;

function findStartingCommand(invocation: unknown): GradeInvocation["of"] {
  const { command, of } = (invocation ?? {}) as { command?: string; of?: string };
  return OTHER_COMMANDS.find((one) => command === one || of === one) ?? "run";
}

/** Paths of the run's own flags are relative to the folder it was started in. */
function resolveGradePaths(flags: GradeFlags): GradeFlags {
  const module = <T>(spec: T) => (typeof spec === "string" && isModulePath(spec) ? resolve(spec) : spec);
  const dataset = <T>(spec: T) => (typeof spec === "string" ? mapSpecPaths(spec, (path) => resolve(path)) : spec);
  const evaluator = <T>(spec: T) =>
    typeof spec === "string" ? resolveEvaluatorPath(spec, (path) => resolve(path)) : spec;
  const { evaluators, metrics, datasets, plugins, modelsFile, eval: choice } = flags;
  return {
    ...flags,
    ...(choice?.files && { eval: { ...choice, files: choice.files.map((path) => resolve(path)) } }),
    ...(evaluators && { evaluators: evaluators.map(evaluator) }),
    ...(metrics && { metrics: mapMetricChoice<string | Metric, string | Metric>(metrics, module) }),
    ...(datasets && { datasets: datasets.map(dataset) }),
    ...(plugins && { plugins: plugins.map((path) => resolve(path)) }),
    ...(modelsFile && { modelsFile: resolve(modelsFile) }),
  };
}

/** The default report for this kind of run. */
function selectReportOutput(of: GradeInvocation["of"]): Pick<RunFlags, "output"> {
  return of === "eval" ? { output: "eval" } : {};
}

/** The run's own settings plus the flags of this command; other evaluators bring their own primary score. */
async function resolveGradeFlags({ configFile, flags, of }: GradeInvocation, own: GradeFlags): Promise<RunFlags> {
  const config =
    configFile === null ? {} : { ...(await loadConfig(configFile, { trust: true })), configDir: dirname(configFile) };
  const {
    scoreField,
    judge,
    maxCost: _,
    ...described
  } = dropQueueFlags({ ...selectReportOutput(of), ...config, ...flags });
  const isAsBefore = own.evaluators === undefined;
  return {
    ...described,
    ...omitUndefined({
      scoreField: own.scoreField ?? (isAsBefore ? scoreField : undefined),
      // A judge is called, and paid, again only if no other evaluators are requested.
      judge: own.judge ?? (isAsBefore ? judge : undefined),
      maxCost: own.maxCost,
    }),
  };
}

function requireChild(dir: string, { runId }: Manifest): void {
  const { parent } = readManifest(dir);
  if (parent?.runId === runId) return;
  throw new UsageError(
    parent === undefined
      ? `${dir} is not a grading. Resume it with assay run --resume.`
      : `${dir} was graded from ${parent.runId}, not from ${runId}.`,
  );
}
