import type { EvalResult, EvalRow } from "../../core/index.js";
import { isScored } from "../../core/index.js";
import { type ExperimentRecord, formatShard, readExperimentRecord } from "../../evals/index.js";
import type { Manifest } from "../../store/index.js";
import type { EvalPart } from "../eval/eval-part.js";
import { evalReport, listFailedChecks } from "../eval/eval-report.js";
import { buildExperimentReport } from "../experiment.js";
import type { ExperimentReport } from "../experiment-figures.js";
import { OVERALL_FIELDS } from "../lead.js";
import { toReportedVariant } from "../stored-experiment.js";
import type { CaseCell, CaseLine, EvalsView, GraderLine, RunCard } from "./contract.js";
import type { TrialFiles } from "./trial-files.js";

/** What is known of a grader besides its scores: it is stored with the outputs, not with the rows. */
export interface GraderDetail {
  readonly type: string;
  readonly kind: "code" | "llm";
  /** What it found in a trial that failed; empty when none did. */
  readonly evidence: string;
}

export type GraderDetails = ReadonlyMap<string, GraderDetail>;

interface EvalsViewParts {
  result: EvalResult;
  manifest: Manifest;
  card: RunCard;
  details?: GraderDetails;
}

/**
 * Test cases, lifts, activation and graders of a run of `assay eval` or `assay experiment`, as their reports say; null
 * for other runs.
 * @example
 * buildEvalsView({ result: await loadRun(dir), manifest: readManifest(dir), card })?.cases.length; // 12
 */
export function buildEvalsView({ result, manifest, card, details = new Map() }: EvalsViewParts): EvalsView | null {
  const record = readExperimentRecord(manifest.invocation);
  if (!isEvalRun(result, manifest)) return null;
  const parts = evalReport(result).parts.filter(({ stimuli }) => stimuli.length > 0);
  return {
    parts: parts.map(({ stimuli: _, ...part }) => part),
    systems: result.config.systems.filter((system) => parts.some((part) => part.system === system)),
    cases: buildCases(parts, record),
    experiment: record === null ? null : reportExperiment(record, result, card),
    graders: countGraders(result.rows, details),
  };
}

/** Only evals set terms for their datasets. */
export function isEvalRun(
  { config }: Pick<EvalResult, "config">,
  { invocation }: Pick<Manifest, "invocation">,
): boolean {
  return readExperimentRecord(invocation) !== null || config.datasets.some(({ terms }) => terms !== undefined);
}

function reportExperiment(
  record: ExperimentRecord,
  { rows, notes, sequential }: EvalResult,
  card: RunCard,
): ExperimentReport {
  const isComplete = card.done >= card.planned;
  const { shard } = record;
  const about = {
    ...record,
    variants: record.variants.map((variant) => toReportedVariant(variant, isComplete)),
    notes: [
      ...new Set([
        ...record.notes,
        ...notes,
        ...(shard === null ? [] : [`this is shard ${formatShard(shard)}: combine all of them with experiment merge`]),
        ...(isComplete ? [] : [`planned trials that were not run: ${card.planned - card.done}`]),
      ]),
    ],
  };
  return buildExperimentReport(about, rows, { sequential });
}

/** One line for each test case, with a cell for each system. Variants of an experiment share test cases. */
function buildCases(parts: readonly EvalPart[], record: ExperimentRecord | null): CaseLine[] {
  const lines = new Map<string, { eval: string; stimulus: string; cells: CaseCell[] }>();
  for (const part of parts) {
    const name = stripVariant(part, record);
    for (const { stimulus, ...line } of part.stimuli) {
      const key = JSON.stringify([name, stimulus]);
      const known = lines.get(key) ?? { eval: name, stimulus, cells: [] };
      lines.set(key, known);
      known.cells.push({ system: part.system, dataset: part.eval, ...line });
    }
  }
  return sortCases([...lines.values()], record);
}

function stripVariant({ eval: name, system }: EvalPart, record: ExperimentRecord | null): string {
  const variant = record?.variants.find(({ systems }) => systems.includes(system))?.name;
  return variant !== undefined && name.startsWith(`${variant}/`) ? name.slice(variant.length + 1) : name;
}

/** In the order of the eval files, where it is known. */
function sortCases(lines: CaseLine[], record: ExperimentRecord | null): CaseLine[] {
  const order = record?.order ?? [];
  const places = new Map(order.map(([name, stimulus], place) => [JSON.stringify([name, String(stimulus)]), place]));
  const placeOf = (line: CaseLine) => places.get(JSON.stringify([line.eval, line.stimulus])) ?? order.length;
  return lines.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Those that fail most come first. A check fails as in the reports of evals: a failed trial without its full score. */
function countGraders(rows: readonly EvalRow[], details: GraderDetails): GraderLine[] {
  const found = new Map<string, Map<string, { ran: number; failed: number }>>();
  for (const row of rows) {
    if (!isScored(row)) continue;
    const failed = row.passed === false ? listFailedChecks(row) : [];
    for (const grader of Object.keys(row.scores)) {
      if (OVERALL_FIELDS.has(grader)) continue;
      const systems = found.get(grader) ?? new Map<string, { ran: number; failed: number }>();
      found.set(grader, systems);
      const counts = systems.get(row.system) ?? { ran: 0, failed: 0 };
      systems.set(row.system, counts);
      counts.ran += 1;
      if (failed.includes(grader)) counts.failed += 1;
    }
  }
  const lines = Array.from(found, ([grader, systems]): GraderLine => {
    const counts = Array.from(systems, ([system, each]) => ({ system, ...each }));
    const sum = (key: "ran" | "failed") => counts.reduce((total, each) => total + each[key], 0);
    const { type = null, kind = null, evidence = "" } = details.get(grader) ?? {};
    return { grader, type, kind, evidence, ran: sum("ran"), failed: sum("failed"), systems: counts };
  });
  return lines.sort((a, b) => b.failed - a.failed || b.failed / b.ran - a.failed / a.ran);
}

/** Longer evidence is in the trial. */
const MAX_EVIDENCE = 300;

/** Reads one trial for each grader, a failed one where there is one. */
export async function readGraderDetails(
  { rows, runDir }: Pick<EvalResult, "rows" | "runDir">,
  files: Pick<TrialFiles, "readOutput">,
): Promise<Map<string, GraderDetail>> {
  const details = new Map<string, GraderDetail>();
  if (runDir === null) return details;
  for (const [grader, row] of chooseTrials(rows)) {
    const stored = await files.readOutput(runDir, row).catch(() => null);
    const grade = stored?.grades?.find(({ name }) => name === grader);
    if (grade === undefined) continue;
    const { type, kind, passed, evidence } = grade;
    details.set(grader, { type, kind, evidence: passed ? "" : evidence.slice(0, MAX_EVIDENCE) });
  }
  return details;
}

function chooseTrials(rows: readonly EvalRow[]): Map<string, EvalRow> {
  const failed = new Map<string, EvalRow>();
  const any = new Map<string, EvalRow>();
  for (const row of rows) {
    if (!isScored(row)) continue;
    for (const grader of Object.keys(row.scores)) if (!OVERALL_FIELDS.has(grader)) any.set(grader, row);
    if (row.passed === false) for (const grader of listFailedChecks(row)) failed.set(grader, row);
  }
  return new Map([...any, ...failed]);
}
