import {
  type Dataset,
  type EvalConfig,
  type EvalResult,
  type EvalRow,
  EXIT,
  type Example,
  type ExampleSource,
  makeDataset,
  type Outcome,
  type Output,
  omitUndefined,
  type RunVerdict,
  registry,
  UsageError,
} from "../core/index.js";
import {
  type CandidateVerdict,
  computeDecisionCost,
  type DecisionCost,
  describeSequentialCandidates,
  judgeCandidates,
  type MigrationPair,
  type MigrationQuality,
  standardMetrics,
  type TaskPasses,
} from "../metrics/index.js";
import {
  type FlippedExample,
  type MigrationReport,
  renderMigrationHtml,
  renderMigrationJunit,
  renderMigrationMarkdown,
  renderMigrationText,
} from "../report/index.js";
import { encodeExampleKey, encodeKey, readExamples, readOutputs } from "../store/index.js";
import { ReplaySystem } from "../systems/index.js";
import { judgeGates } from "./judge-run.js";
import { publishReports, writeReportFile } from "./publish.js";
import type { ReportContext } from "./report.js";
import { resolveDatasets, withSystems } from "./resolve.js";
import { runFromSource } from "./run.js";
import type { ModelConfig } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";
import { type RunSource, settleUntil } from "./run-source.js";
import { createScreenLayout } from "./screen.js";
import { printNote, writeResult } from "./streams.js";

const DEFAULT_MARGIN = 0.02;
const QUALITIES: readonly MigrationQuality[] = ["pass_rate", "mean_score"];
const OUTPUTS = ["table", "json", "markdown", "html"];

/** Flags of `assay migrate`: those of a run, and the models. */
export interface MigrateRequest extends RunFlags {
  from?: string | undefined;
  to?: readonly string[] | undefined;
}

/** `assay migrate`: runs the old model and its candidates on the same examples, and judges each candidate. */
export function executeMigrate({ from, to, effort, ...flags }: MigrateRequest): Promise<number> {
  checkMigrationFlags(flags);
  if (flags.resume === undefined)
    return runFromSource(MIGRATE_SOURCE, {
      ...flags,
      ...selectMeasured({ from, to, ...omitUndefined({ effort }), ...flags }),
    });
  if (from !== undefined || to !== undefined || effort !== undefined)
    throw new UsageError("--resume keeps the models of the run. Remove --from, --to and --effort.");
  return runFromSource(MIGRATE_SOURCE, flags);
}

function checkMigrationFlags({ output, margin, quality }: RunFlags): void {
  if (output !== undefined && !OUTPUTS.includes(output))
    throw new UsageError(`Unknown output format "${output}". Use one of ${OUTPUTS.join(", ")}.`);
  if (margin !== undefined && !(margin > 0 && margin < 1))
    throw new UsageError(
      `--margin must be between 0 and 1, got ${margin}. It is a share, such as 0.02, not a percentage.`,
    );
  if (quality !== undefined && !QUALITIES.some((one) => one === quality))
    throw new UsageError(`Unknown --quality "${quality}". Use one of ${QUALITIES.join(", ")}.`);
}

/** A config file may describe another run: its datasets and evaluators are used, its systems are not. */
function selectMeasured(request: MigrateRequest): RunFlags {
  return { models: listModels(request), replay: request.replay ?? [], systems: [], agents: [], withoutQueue: true };
}

/** The old model first. */
function listModels({ from, to = [], replay = [], prompts, effort }: MigrateRequest): ModelConfig[] {
  if (from === undefined && replay.length === 0)
    throw new UsageError(
      "No model to move from. Add --from PROVIDER/MODEL, or --replay FILE with recorded outputs of a model that is gone.",
    );
  if (from !== undefined && replay.length > 0)
    throw new UsageError("--replay stands for --from: pass one of them, not both.");
  if (replay.length > 1) throw new UsageError("--replay is given twice, but a migration has one old model.");
  if (to.length === 0) throw new UsageError("No candidate is given. Add --to PROVIDER/MODEL; repeatable.");
  if ((prompts ?? []).length > 1) throw new UsageError("A migration has one --prompt. Compare prompts with assay run.");
  // The old model stays as it is, so with an effort it may be a candidate too.
  const old = from === undefined ? [] : [from];
  const names = effort === undefined ? [...old, ...to] : to;
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new UsageError(`${twice} is given twice. Name every model once.`);
  return [...old.map((model) => ({ model })), ...to.map((model) => ({ model, ...omitUndefined({ effort }) }))];
}

const MIGRATE_SOURCE: RunSource = {
  command: "migrate",
  metrics: standardMetrics,
  settleUntil: settleMigrationUntil,
  margin: DEFAULT_MARGIN,
  open: ({ config, revisions }, use) =>
    withSystems(registry, config, async (opened) => {
      if ((config.datasets ?? []).length === 0)
        throw new UsageError(
          "No dataset is given. Add --dataset questions.jsonl, with examples as the model gets them.",
        );
      const isRecorded = (system: object) => system instanceof ReplaySystem;
      const systems = [...opened.filter(isRecorded), ...opened.filter((system) => !isRecorded(system))];
      const datasets = await resolveDatasets(registry, config, revisions);
      const examples = datasets.flatMap((dataset) => ("examples" in dataset ? dataset.examples : []));
      requireRecordings(
        systems[0],
        examples.map(({ id }) => id),
      );
      return use({ systems, datasets: datasets.map((dataset) => keepRecorded(dataset, systems[0])) });
    }),
  report: reportMigrationRun,
};

/** The margin is part of the question, so that a resumed migration must keep it. */
function settleMigrationUntil(config: RunFlags): RunFlags {
  if (config.against !== undefined)
    throw new UsageError(
      "assay migrate compares with --from or --replay. Remove against, or compare with a stored run: assay run --until decided --against RUN.",
    );
  const { margin = DEFAULT_MARGIN, quality: _, ...others } = config;
  const { until } = config;
  if (until === undefined || until === "none") {
    settleUntil(others);
    return config;
  }
  if (until.trim().toLowerCase() !== "decided")
    throw new UsageError(
      `assay migrate asks whether each candidate is non-inferior, so it takes --until decided, got --until ${until}. Ask other questions with assay run.`,
    );
  return { ...config, margin };
}

/** Without a shared id nothing could be paired, so nothing is spent. */
function requireRecordings(system: object | undefined, ids: readonly (string | number)[]): void {
  if (!(system instanceof ReplaySystem) || ids.length === 0) return;
  const { missing, unknown } = system.coverage(ids);
  if (missing.length < ids.length) return;
  throw new UsageError(
    `${system.name} has no recorded output for any example: its ids, such as ${unknown[0] ?? "none"}, do not occur in the dataset, whose ids are such as ${ids[0]}. Give the examples of the dataset the \`id\` of the recordings.`,
  );
}

/** Examples without a recorded output cannot be paired, so candidates are not asked for them. */
function keepRecorded(dataset: Dataset | ExampleSource, system: object | undefined): Dataset | ExampleSource {
  if (!(system instanceof ReplaySystem) || !("examples" in dataset)) return dataset;
  const { examples: all, notes = [] } = dataset;
  const examples = all.filter(({ id }) => system.has(id));
  if (examples.length === all.length) return dataset;
  const missing = all.flatMap(({ id }) => (system.has(id) ? [] : [id]));
  const some = `${missing.slice(0, 5).join(", ")}${missing.length > 5 ? ", …" : ""}`;
  const left = `${missing.length} of ${all.length} examples have no recorded output of ${system.name} and were left out: ${some}`;
  return makeDataset({ ...dataset, examples, notes: [...notes, left] });
}

/** Judges the candidates, writes the reports, and chooses the exit code. */
async function reportMigrationRun(result: EvalResult, about: ReportContext): Promise<number> {
  const { config, stopCode } = about;
  const judged = judgeGates(result, about);
  const [recordings] = config.replay ?? [];
  const recorded = recordings === undefined ? null : await ReplaySystem.fromFile(recordings);
  const failed = judged.verdict.exitCode === EXIT.fine ? null : judged.verdict;
  const report = buildMigrationReport(result, { ...config, recorded, failed });
  await writeResult(renderMigration(report, config.output ?? "table"));
  if (result.runDir !== null) printNote(`Stored in ${result.runDir}`);
  if (config.html !== undefined) writeReportFile(config.html, [renderMigrationHtml(report)]);
  await publishReports(config, {
    title: report.title,
    runDir: report.run,
    verdict: report.verdict,
    problems: report.verdict.exitCode === EXIT.fine ? [] : [...judged.messages, report.verdict.words],
    markdown: () => [renderMigrationMarkdown(report)],
    junit: () => [renderMigrationJunit(report)],
  });
  if (stopCode !== null) printNote(`Interrupted. Resume with: ${about.goOn}`);
  if (judged.problem !== undefined) throw judged.problem;
  for (const message of judged.messages) printNote(message);
  return report.verdict.exitCode;
}

export function renderMigration(report: MigrationReport, output: string): string {
  if (output === "json") return `${JSON.stringify(report, null, 2)}\n`;
  if (output === "html") return renderMigrationHtml(report);
  return output === "markdown" ? renderMigrationMarkdown(report) : renderMigrationText(report, createScreenLayout());
}

interface MigrationReportOptions extends Pick<RunFlags, "margin" | "quality"> {
  /** The old model, if its outputs were recorded. */
  recorded: ReplaySystem | null;
  /** The verdict of the run, if it failed by itself. */
  failed: RunVerdict | null;
}

/** The first system of the run is the old one. */
export function buildMigrationReport(
  result: EvalResult,
  { margin = DEFAULT_MARGIN, quality, recorded, failed }: MigrationReportOptions,
): MigrationReport {
  const { rows, config, runDir, notes, sequential } = result;
  const [from = "", ...candidates] = config.systems;
  const ofSystem = (name: string) => rows.filter(({ system }) => system === name);
  const isRecordedOnce = recorded?.hasSharedRecords ?? false;
  const pairs = candidates.map((system) => ({ system, from: ofSystem(from), to: ofSystem(system), isRecordedOnce }));
  const { scoreField, seed } = config;
  const judged =
    sequential === null
      ? judgeCandidates(pairs, { margin, quality: QUALITIES.find((one) => one === quality), scoreField, seed })
      : describeSequentialCandidates(pairs, sequential);
  const describe = createFlipReader(result);
  const cost =
    sequential === null
      ? computeMigrationCost(pairs, judged, { ...config, margin, quality, isRecorded: recorded !== null })
      : null;
  return {
    schema: "assay.migration/1",
    title: config.title,
    run: runDir,
    from,
    margin: sequential?.margin ?? margin,
    level: sequential?.level ?? 0.95,
    sequential,
    cost,
    verdict: failed ?? chooseVerdict(judged),
    candidates: judged.map(({ flips, ...candidate }) => ({
      ...candidate,
      flips: [
        ...flips.toFail.map((task) => describe(task, { from, to: candidate.system, change: "to_fail" })),
        ...flips.toPass.map((task) => describe(task, { from, to: candidate.system, change: "to_pass" })),
      ],
    })),
    notes,
  };
}

/** Verdicts of runs that may stop early come with their own costs. */
function computeMigrationCost(
  pairs: readonly MigrationPair[],
  judged: readonly CandidateVerdict[],
  {
    margin,
    quality,
    scoreField,
    seed,
    isRecorded,
  }: Pick<EvalConfig, "scoreField" | "seed"> & { margin: number; quality: string | undefined; isRecorded: boolean },
): DecisionCost {
  const paid = pairs.map(({ system, from, to }, i) => ({
    a: { key: "from", rows: from, isRecorded },
    b: { key: `to ${system}`, rows: to },
    isDecided: judged[i]?.verdict !== "undecided",
    moreTasks: judged[i]?.moreExamples ?? null,
  }));
  return computeDecisionCost(paid, {
    question: { kind: "non-inferiority", margin },
    quality: QUALITIES.find((one) => one === quality),
    scoreField,
    seed,
  });
}

interface Flip extends Pick<FlippedExample, "change"> {
  from: string;
  to: string;
}

/** Finds the question of an example, and an output of each system that shows the change. */
function createFlipReader({ rows, runDir }: EvalResult): (task: TaskPasses, flip: Flip) => FlippedExample {
  const outputs = new Map<string, string>();
  const examples = new Map<string, Example>();
  if (runDir !== null) {
    for (const stored of readOutputs(runDir)) outputs.set(encodeKey(stored), getOutputText(stored.output));
    for (const example of readExamples(runDir))
      examples.set(encodeExampleKey(example.dataset ?? "", example.id), example);
  }
  const rowsByTask = new Map<string, EvalRow[]>();
  for (const row of rows) {
    const key = `${row.system}\u0000${encodeExampleKey(row.dataset, row.exampleId)}`;
    rowsByTask.set(key, [...(rowsByTask.get(key) ?? []), row]);
  }
  return (task, { from, to, change }) => {
    const key = encodeExampleKey(task.dataset, task.exampleId);
    const findOutput = (system: string, outcome: Outcome) => {
      const row = rowsByTask.get(`${system}\u0000${key}`)?.find((one) => one.outcome === outcome);
      return row === undefined ? null : (outputs.get(encodeKey(row)) ?? null);
    };
    const example = examples.get(key);
    const isLoss = change === "to_fail";
    return {
      ...task,
      change,
      question: example?.question ?? null,
      expected: example?.answer === undefined ? null : String(example.answer),
      fromOutput: findOutput(from, isLoss ? "pass" : "fail"),
      toOutput: findOutput(to, isLoss ? "fail" : "pass"),
    };
  };
}

function getOutputText({ response, context }: Output): string {
  return response ?? context ?? "";
}

/** One non-inferior candidate is enough to move; otherwise an undecided one may still become it. */
function chooseVerdict(candidates: readonly CandidateVerdict[]): RunVerdict {
  const count = (verdict: CandidateVerdict["verdict"]) => candidates.filter((one) => one.verdict === verdict).length;
  const words = (["non-inferior", "inferior", "undecided"] as const)
    .map((verdict) => [verdict, count(verdict)] as const)
    .filter(([, number]) => number > 0)
    .map(([verdict, number]) => `${number} ${verdict}`)
    .join(", ");
  if (count("non-inferior") > 0) return { exitCode: EXIT.fine, words };
  return { exitCode: count("undecided") > 0 ? EXIT.infrastructure : EXIT.gateFailed, words };
}
