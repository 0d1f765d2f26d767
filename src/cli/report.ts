import "../builtins.js";
import { resolve } from "node:path";
import { loadModels } from "../budget/index.js";
import type { EvalResult, ExampleSource, ExpertCosts, Metric, MetricRun } from "../core/index.js";
import {
  AssayError,
  collectFacets,
  type Dataset,
  EXIT,
  getErrorMessage,
  type RenderedReport,
  ReporterError,
  type ReportOptions,
  type RunVerdict,
  registry,
  UsageError,
} from "../core/index.js";
import { COLUMN_GROUPS, checkColumns, junitReporter } from "../report/index.js";
import { loadRun } from "../runs/index.js";
import { findLatestRun, findRun, readManifest } from "../store/index.js";
import { checkHalfWidth } from "./flag-values.js";
import { checkGateFlags, type Gates } from "./gates.js";
import { type JudgeOptions, judgeRun } from "./judge-run.js";
import type { PublishedReport } from "./publish.js";
import { loadPlugins } from "./resolve.js";
import { DEFAULT_MIN_COVERAGE, type RunConfig } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";
import { detectScreen } from "./screen.js";
import { checkOutput, printNote, writeResult } from "./streams.js";
import { requireTrustedPlugins } from "./trust.js";

export interface ReportFlags {
  prices?: string;
  expertCost?: ExpertCosts;
  output?: string;
  columns?: readonly string[];
  /** True for the labels of the run, or a file. */
  labels?: string | true;
  halfWidth?: number;
  /** True for all stored runs, or the names of some. */
  useHistory?: readonly string[] | true;
  /** A facet, such as subject. */
  strata?: string;
  runsDir: string;
  plugin?: readonly string[];
  trust?: boolean;
}

/** `assay report`: reports a stored run again, optionally with other prices. Runs nothing. */
export async function executeReport(run: string | undefined, flags: ReportFlags): Promise<number> {
  const { prices, expertCost, columns, runsDir } = flags;
  checkColumns(columns ?? COLUMN_GROUPS);
  requireTrustedPlugins(flags.plugin, flags);
  await loadPlugins(registry, flags.plugin ?? []);
  if (flags.output !== undefined) registry.get("reporter", flags.output);
  checkOutput(flags.output);
  const dir = resolve(run === undefined ? findLatestRun(runsDir) : findRun({ runsDir, name: run, onNote: printNote }));
  const reporter = registry.get("reporter", flags.output ?? chooseReporter(dir));
  const result = await loadRun(dir, {
    headroom: true,
    ...(prices === undefined ? {} : { prices: await loadModels(prices) }),
    ...(expertCost === undefined ? {} : { expertCostUsd: expertCost }),
  });
  const isJunit = reporter === junitReporter;
  const added = {
    ...(await readCorrections(result, dir, flags)),
    ...(await readHistory(result, dir, flags)),
    ...(await readStrata(result, flags)),
  };
  await writeResult(
    isJunit
      ? await renderWithEvidence(result)
      : await reporter.render(result, { ...detectScreen(), ...(columns === undefined ? {} : { columns }), ...added }),
  );
  return EXIT.fine;
}

async function readCorrections(
  { rows, config }: EvalResult,
  runDir: string,
  { labels, halfWidth }: ReportFlags,
): Promise<Pick<ReportOptions, "labels">> {
  if (labels === undefined) {
    if (halfWidth !== undefined) throw new UsageError("--half-width is about labels. Add --labels, or remove it.");
    return {};
  }
  if (config.until !== undefined)
    throw new UsageError(
      "The run has --until, and labels correct runs of a fixed number of tasks only. Remove --labels.",
    );
  checkHalfWidth(halfWidth);
  return { labels: await (await import("./read-label-sets.js")).correctRun({ runDir, rows }, labels, halfWidth) };
}

async function readHistory(
  { rows, config }: EvalResult,
  runDir: string,
  { useHistory: names, runsDir }: ReportFlags,
): Promise<Pick<ReportOptions, "history">> {
  if (names === undefined) return {};
  const { adjustStoredRun } = await import("./read-history.js");
  return { history: await adjustStoredRun({ rows, config, runDir }, { runsDir, names }) };
}

async function readStrata(run: EvalResult, { strata }: ReportFlags): Promise<Pick<ReportOptions, "strata">> {
  if (strata === undefined) return {};
  return { strata: (await import("./read-strata.js")).stratifyStoredRun(run, strata) };
}

/** Stored outputs give CI more detail than rows alone. */
async function renderWithEvidence(result: EvalResult): Promise<Iterable<string>> {
  return (await import("./eval-files.js")).renderJunitFile(result);
}

/** Evals are reported by test case, as when they ran. */
function chooseReporter(dir: string): string {
  const { command, of } = (readManifest(dir).invocation ?? {}) as { command?: unknown; of?: unknown };
  return command === "eval" || of === "eval" ? "eval" : "table";
}

/** Prints the report once no user code runs any more. Returns the exit code. */
export type PrintReport = () => Promise<number>;

/** The gates of a run, checked against what it will measure. */
export function resolveGates(
  config: RunConfig & Pick<RunFlags, "eval">,
  { metrics, datasets }: { metrics: readonly Metric[]; datasets: readonly (Dataset | ExampleSource)[] },
): Gates {
  const { minCoverage = DEFAULT_MIN_COVERAGE, failUnder = {}, failOver = {}, trials = 1 } = config;
  const gates = { minCoverage, failUnder, failOver, requirePass: config.eval?.requirePass ?? false };
  checkGateFlags(gates, {
    trials,
    metrics,
    datasets: () => [...new Set(datasets.flatMap(listTags))],
    facets: () => datasets.flatMap(listFacets),
  });
  return gates;
}

/** The examples' own tags, or the name of their dataset. */
function listTags(dataset: Dataset | ExampleSource): string[] {
  return "examples" in dataset ? dataset.examples.map((example) => example.dataset ?? dataset.name) : [];
}

/** Facets of the examples, as stored in their rows. */
function listFacets(dataset: Dataset | ExampleSource): NonNullable<MetricRun["facets"]> {
  if (!("examples" in dataset)) return [];
  const { examples, name } = dataset;
  return examples.map((example) => ({ dataset: example.dataset ?? name, facets: collectFacets(example, dataset) }));
}

/** Shows the result of one run among several. */
export interface RunOutlet {
  /** Takes the report instead of stdout. */
  write(report: RenderedReport): Promise<void>;
  /** Called after the report, with the failed gates. */
  finish(result: EvalResult, messages: readonly string[]): void;
  /** Takes what --junit, --markdown and --github write. */
  publish?(report: PublishedReport): void;
}

/** What a report says besides the result, and where it goes. */
export interface ReportContext {
  /** Default: stdout for the report, stderr for the rest. */
  outlet?: RunOutlet | undefined;
  config: RunConfig & Pick<RunFlags, "eval" | "github" | "margin" | "quality" | "html">;
  gates: Gates;
  /** Exit code after an interrupt; null if there was none. */
  stopCode: number | null;
  /** The folder of the run as shown to the user. Default: that of the result. */
  shownDir?: string | null;
  /** The command that resumes an interrupted run. */
  goOn: string;
  /** Applies gates that do not come from flags. */
  judge?: JudgeOptions["judge"];
}

/** Writes the report to stdout and to the requested files, and chooses the exit code. */
export async function reportResult(result: EvalResult, about: ReportContext): Promise<number> {
  const { config, stopCode } = about;
  const { output = "table", columns } = config;
  const { verdict, gates, messages, problem } = judgeRun(result, about);
  const options = { gates, verdict, ...detectScreen(), ...(columns === undefined ? {} : { columns }) };
  const outlet = about.outlet ?? STREAMS;
  await outlet.write(await renderReport(output, result, options));
  const { shownDir = result.runDir } = about;
  if (shownDir !== null && about.outlet === undefined) printNote(`Stored in ${shownDir}`);
  await writeReportFiles(result, config, { options, messages, outlet: about.outlet });
  if (stopCode !== null) printNote(`Interrupted. Resume with: ${about.goOn}`);
  if (problem !== undefined) throw problem;
  outlet.finish(result, messages);
  return verdict.exitCode;
}

const STREAMS: RunOutlet = {
  write: writeResult,
  finish: (_, messages) => {
    for (const message of messages) printNote(message);
  },
};

async function writeReportFiles(
  result: EvalResult,
  config: ReportContext["config"],
  {
    options,
    messages,
    outlet,
  }: {
    options: ReportOptions & { verdict: RunVerdict };
    messages: readonly string[];
    outlet: RunOutlet | undefined;
  },
): Promise<void> {
  const { junit, markdown, github, eval: choice } = config;
  if (choice?.outputDir !== undefined)
    (await import("./eval-files.js")).writeEvalFiles(result, choice.outputDir, options);
  if (junit === undefined && markdown === undefined && github === undefined) return;
  const { renderJunitFile, renderMarkdownFile } = await import("./eval-files.js");
  const report: PublishedReport = {
    title: result.config.title,
    runDir: result.runDir,
    verdict: options.verdict,
    problems: messages,
    markdown: () => [renderMarkdownFile(result, options)],
    junit: () => renderJunitFile(result, options),
  };
  if (outlet?.publish !== undefined) outlet.publish(report);
  else await (await import("./publish.js")).publishReports(config, report);
}

/** A custom reporter may fail; the run itself is stored. */
async function renderReport(name: string, result: EvalResult, options: ReportOptions): Promise<RenderedReport> {
  try {
    return await registry.get("reporter", name).render(result, options);
  } catch (cause) {
    if (cause instanceof AssayError) throw cause;
    throw new ReporterError(
      `The reporter "${name}" failed: ${getErrorMessage(cause)}. The run is stored in ${result.runDir}.`,
      {
        cause,
      },
    );
  }
}
