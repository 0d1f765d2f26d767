import { basename, resolve } from "node:path";
import {
  didYouMean,
  EXIT,
  type HistoryAdjustments,
  type LabelCorrections,
  RunFolderError,
  type RunVerdict,
  type StratifiedFigures,
  UsageError,
} from "../core/index.js";
import {
  type ComparedRun,
  compareRuns,
  describeHeadroom,
  findQualityMetric,
  judgeCandidates,
  type RunComparison,
} from "../metrics/index.js";
import {
  buildCompareReport,
  type CompareOutcome,
  type ComparisonGate,
  createLayout,
  describeDecisionCost,
  describeDrops,
  describeMigrationVerdict,
  describeRegressions,
  formatPlural,
  type GateMessages,
  renderCompareJunit,
  renderCompareMarkdown,
  renderCompareText,
  renderHistoryAdjustments,
  renderLabelCorrections,
  renderStrata,
} from "../report/index.js";
import { createNothingCountedError, describeQuarantine, readCountedRows } from "../runs/index.js";
import { findBaseline, findRun, type QuarantinedTrial, readManifest } from "../store/index.js";
import { computePairCost, correctPairs, narrowPairs, stratify } from "./compare-estimates.js";
import { checkPublishFlags, type PublishFlags, publishReports } from "./publish.js";
import { createScreenLayout } from "./screen.js";
import { printNote, writeResult } from "./streams.js";

export interface CompareFlags extends PublishFlags {
  metric?: readonly string[];
  systemA?: string;
  systemB?: string;
  failOnRegression?: boolean;
  minDifference?: number;
  maxDrop?: number;
  margin?: number;
  labels?: boolean;
  /** True for all stored runs, or the names of some. */
  useHistory?: readonly string[] | true;
  /** A facet, such as subject. */
  strata?: string;
  level?: number;
  seed: number;
  output: string;
  runsDir: string;
}

/** Without B, compares two systems of A. */
export interface CompareRequest extends CompareFlags {
  a: string;
  b?: string;
}

const FORMATS = ["table", "json", "markdown"];
const QUALITY_METRICS = ["pass_rate", "mean_score"];

export async function executeCompare(request: CompareRequest): Promise<number> {
  checkCompareFlags(request);
  checkPublishFlags(request);
  const { metric, systemA, systemB, level, seed } = request;
  const { a, b } = readComparedRuns(request);
  const compared = compareRuns(a.run, b.run, { metrics: metric, systemA, systemB, level, seed });
  const sides =
    a.run.runDir === b.run.runDir
      ? ([["A", a]] as const)
      : ([
          ["A", a],
          ["B", b],
        ] as const);
  const notes = sides.flatMap(([side, each]) => [
    ...describeMissingTrials(side, each),
    ...describeQuarantine({ rows: each.run.rows, quarantined: each.quarantined }).map((note) => `${side}: ${note}`),
  ]);
  const asked = request.margin ?? request.minDifference;
  const cost = computePairCost(compared, [a.run, b.run], seed);
  const headroom = describeHeadroom(compared, { runs: [a.run, b.run], asked });
  const isAboutQuality = compared.comparisons.some((comparison) => findQualityMetric(comparison) !== undefined);
  const told = {
    ...compared,
    ...(isAboutQuality ? { cost } : {}),
    notes: [...compared.notes, ...notes, ...headroom, ...(isAboutQuality ? describeDecisionCost(cost) : [])],
  };
  const labels = request.labels === true ? await correctPairs(compared, [a.run, b.run]) : null;
  const history = request.useHistory === undefined ? null : await narrowPairs(compared, [a.run, b.run], request);
  const strata = request.strata === undefined ? null : await stratify(compared, [a.run, b.run], request.strata);
  const gates = [...checkComparisonGates(compared, request), ...checkMargin(compared, [a.run, b.run], request.margin)];
  const outcome = { gates, verdict: judgeComparison(compared, gates, request) };
  await writeResult(renderComparison(told, { request, outcome, labels, history, strata }));
  printOutcome(compared, gates);
  await publishReports(request, {
    title: compared.b.title,
    runDir: compared.b.run,
    verdict: outcome.verdict,
    problems: gates.flatMap(({ failures, warning }) => [...failures, ...(warning === null ? [] : [warning])]),
    markdown: () => [renderCompareMarkdown(told, outcome)],
    junit: () => [renderCompareJunit(told, outcome)],
  });
  return outcome.verdict.exitCode;
}

function checkComparisonGates(
  { comparisons }: RunComparison,
  { failOnRegression, minDifference, maxDrop }: CompareRequest,
): ComparisonGate[] {
  const name = (gate: string) => (messages: GateMessages, i: number) => ({
    ...messages,
    gate,
    system: comparisons[i]?.systemB ?? "",
  });
  const tolerated = minDifference === undefined ? "" : ` --min-difference ${minDifference}`;
  return [
    ...(failOnRegression === true
      ? describeRegressions(comparisons, minDifference ?? 0).map(name(`--fail-on-regression${tolerated}`))
      : []),
    ...(maxDrop === undefined ? [] : describeDrops(comparisons, maxDrop).map(name(`--max-drop ${maxDrop}`))),
  ];
}

/** The verdict of `assay migrate` for stored runs. */
function checkMargin(
  { comparisons }: RunComparison,
  [a, b]: readonly [ComparedRun, ComparedRun],
  margin: number | undefined,
): ComparisonGate[] {
  if (margin === undefined) return [];
  const select = ({ rows }: ComparedRun, name: string) => rows.filter(({ system }) => system === name);
  const pairs = comparisons.map(({ systemA, systemB }) => ({
    system: systemB,
    from: select(a, systemA),
    to: select(b, systemB),
  }));
  return judgeCandidates(pairs, { margin }).map(({ system, verdict, ...rest }) => {
    const words = `${system}: ${describeMigrationVerdict({ verdict, ...rest })} (--margin ${margin})`;
    return {
      gate: `--margin ${margin}`,
      system,
      failures: verdict === "inferior" ? [words] : [],
      warning: verdict === "undecided" ? words : null,
      remarks: verdict === "non-inferior" ? [words] : [],
    };
  });
}

function checkCompareFlags({
  output,
  metric,
  failOnRegression = false,
  minDifference,
  maxDrop,
  margin,
}: CompareRequest): void {
  if (!FORMATS.includes(output))
    throw new UsageError(`Unknown output format "${output}".${didYouMean(output, FORMATS)}`);
  for (const [flag, share] of Object.entries({ "--min-difference": minDifference, "--max-drop": maxDrop }))
    if (share !== undefined && !(share >= 0 && share <= 1))
      throw new UsageError(`${flag} must be between 0 and 1, got ${share}. It is a share, not a percentage.`);
  if (margin !== undefined && !(margin > 0 && margin < 1))
    throw new UsageError(`--margin must be between 0 and 1, got ${margin}. It is a share, such as 0.02.`);
  if (minDifference !== undefined && !failOnRegression)
    throw new UsageError("--min-difference requires --fail-on-regression. Pass both, or neither.");
  if (metric === undefined || metric.some((name) => QUALITY_METRICS.includes(name))) return;
  const gate = failOnRegression ? "--fail-on-regression" : "--max-drop";
  if (failOnRegression || maxDrop !== undefined)
    throw new UsageError(`${gate} checks ${QUALITY_METRICS.join(" and ")}. Add one of them to --metric.`);
}

/** A single run of one system is compared with the baseline, if there is one. */
function readComparedRuns(request: CompareRequest): { a: ComparedStoredRun; b: ComparedStoredRun } {
  const { runsDir, systemA, systemB } = request;
  const a = readStoredRun(request.a, runsDir);
  if (request.b !== undefined) return { a, b: readStoredRun(request.b, runsDir) };
  if (a.run.config.systems.length > 1 || systemA !== undefined || systemB !== undefined) return { a, b: a };
  const baseline = findBaseline(runsDir);
  if (baseline === null)
    throw new UsageError(
      `${request.a} has one system, so it needs another run to be compared with. Name both: assay compare BEFORE AFTER. Or set a baseline first: assay baseline set BEFORE`,
    );
  printNote(`Comparing the baseline ${basename(baseline)} with ${request.a}`);
  return { a: readStoredRun(baseline, runsDir), b: a };
}

interface ComparedStoredRun {
  run: ComparedRun;
  quarantined: readonly QuarantinedTrial[];
  planned: number;
}

function readStoredRun(name: string, runsDir: string): ComparedStoredRun {
  const dir = findRun({ runsDir, name, onNote: printNote });
  const manifest = readManifest(dir);
  const { rows, quarantined } = readCountedRows(dir, manifest);
  if (rows.length === 0 && quarantined.length > 0) throw createNothingCountedError(dir);
  if (rows.length === 0) throw new RunFolderError(`${dir} has no finished trials, so there is nothing to compare yet.`);
  return { run: { rows, config: manifest.config, runDir: resolve(dir) }, quarantined, planned: manifest.planned };
}

function describeMissingTrials(side: string, { run, quarantined, planned }: ComparedStoredRun): string[] {
  const missing = planned - run.rows.length - quarantined.length;
  return missing > 0 ? [`planned trials of ${side} that were not run: ${missing}`] : [];
}

interface ComparisonExtras {
  request: CompareRequest;
  outcome: CompareOutcome;
  labels: LabelCorrections | null;
  history: HistoryAdjustments | null;
  strata: StratifiedFigures | null;
}

function renderComparison(
  compared: RunComparison,
  { request, outcome, labels, history, strata }: ComparisonExtras,
): string {
  const { output } = request;
  if (output === "json") {
    const report = {
      ...buildCompareReport(compared, request),
      ...(labels === null ? {} : { labels }),
      ...(history === null ? {} : { history }),
      ...(strata === null ? {} : { strata }),
    };
    return `${JSON.stringify(report, null, 2)}\n`;
  }
  const isMarkdown = output === "markdown";
  const layout = isMarkdown ? createLayout() : createScreenLayout();
  const text = isMarkdown ? renderCompareMarkdown(compared, outcome) : renderCompareText(compared, layout);
  const sections = [
    ...(labels === null ? [] : renderLabelCorrections(labels, { figure: "difference" }, layout)),
    ...(strata === null ? [] : renderStrata(strata, { level: compared.level, layout })),
    ...(history === null ? [] : renderHistoryAdjustments(history, { level: compared.level, layout })),
  ];
  return `${[text.trimEnd(), ...sections].join("\n\n")}\n`;
}

function printOutcome({ comparisons }: RunComparison, gates: readonly ComparisonGate[]): void {
  const empty = comparisons.filter(({ tasks }) => tasks.paired === 0);
  const messages = [
    ...gates.flatMap(({ warning }) => warning ?? []),
    ...empty.map(({ systemA, systemB }) => `${systemA} and ${systemB}: no task was scored in both runs.`),
    ...gates.flatMap(({ failures }) => failures),
    ...gates.flatMap(({ remarks }) => remarks),
  ];
  for (const message of new Set(messages)) printNote(message);
}

/** Check first whether anything was compared: a gate without data decides nothing. */
function judgeComparison(
  { comparisons }: RunComparison,
  gates: readonly ComparisonGate[],
  { maxDrop }: CompareRequest,
): RunVerdict {
  if (comparisons.some(({ tasks }) => tasks.paired === 0))
    return { exitCode: EXIT.infrastructure, words: "no task was scored in both runs" };
  const failed = gates.filter(({ failures }) => failures.length > 0).length;
  if (failed > 0)
    return { exitCode: EXIT.gateFailed, words: `${failed} of ${formatPlural(gates.length, "gate")} failed` };
  // Where the test has too little data, --max-drop decides if it is set.
  if (gates.some(({ warning }) => warning !== null) && maxDrop === undefined)
    return { exitCode: EXIT.infrastructure, words: "nothing could be checked" };
  return { exitCode: EXIT.fine, words: gates.length === 0 ? "no gates" : "no regression found" };
}
