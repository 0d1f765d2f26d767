import type { EvalResult } from "../../core/index.js";
import { type ComparedRun, compareRuns, computeReliability, type RunName } from "../../metrics/index.js";
import type { Manifest } from "../../store/index.js";
import { describeCompareVerdict } from "../compare-verdict.js";
import { describeFrontier } from "../frontier.js";
import { buildReportHead } from "../json.js";
import { describeLead } from "../lead.js";
import { buildRunCharts } from "./charts/run-charts.js";
import type { CompareView, QueueView, RunCard, RunView } from "./contract.js";
import { buildTopErrors } from "./errors.js";
import { buildEvalsView, type GraderDetails } from "./evals-view.js";
import { buildRunPicks } from "./picks.js";

interface RunViewParts {
  /** The loaded run; for a running one, its rows so far. */
  result: EvalResult;
  manifest: Manifest;
  card: RunCard;
  /** The state of its workers. Default: null. */
  queue?: QueueView | null;
  /** What is known of the graders of an eval. Default: nothing. */
  graders?: GraderDetails;
}

/**
 * Everything about a run except its rows, as plain data.
 * @example
 * const card = await runs.getCard("20261115-213334-needle");
 * if (card !== null) buildRunView({ result: await loadRun(dir), manifest: readManifest(dir), card });
 */
export function buildRunView({ result, manifest, card, queue = null, graders = new Map() }: RunViewParts): RunView {
  const { config, timing, summary, across, notes } = buildReportHead(result);
  return {
    card,
    // A run in progress has few scored trials because it is not over.
    warnings: card.status === "running" ? [] : describeLead(result).map((line) => line.replace(/^⚠ /, "")),
    picks: buildRunPicks(result),
    frontier: result.frontier === null ? null : { ...result.frontier, words: describeFrontier(result.frontier) },
    effortCurves: result.effortCurves,
    config,
    // The duration of an unfinished run means nothing.
    timing: card.wallSeconds === null ? null : timing,
    gitRevision: manifest.gitRevision ?? null,
    assayVersion: manifest.assayVersion,
    notes,
    summary,
    across,
    charts: buildRunCharts(result, manifest),
    errors: buildTopErrors(result.rows),
    queue,
    maxCostUsd: result.budget?.maxCostUsd ?? manifest.maxCostUsd ?? findInvokedBudget(manifest.invocation),
    evals: buildEvalsView({ result, manifest, card, details: graders }),
    reliability: computeReliability(result.rows, config),
  };
}

/** A run of an earlier version has its budget in the command line only, until it has ended. */
function findInvokedBudget(invocation: unknown): number | null {
  const { flags } = (invocation ?? {}) as { flags?: { maxCost?: unknown } };
  return typeof flags?.maxCost === "number" ? flags.maxCost : null;
}

interface ComparedRunView {
  card: RunCard;
  result: ComparedRun;
}

interface CompareViewRequest {
  a: ComparedRunView;
  b: ComparedRunView;
  systemA?: string | undefined;
  systemB?: string | undefined;
}

/**
 * Compares two runs, or two systems of one run. Runs are named by id, because their paths are private to the machine.
 * @example
 * buildCompareView({ a: { card, result }, b: { card: later, result: await loadRun(dir) } });
 */
export function buildCompareView({ a, b, systemA, systemB }: CompareViewRequest): CompareView {
  const compared = compareRuns(a.result, b.result, { systemA, systemB });
  const isSame = a.card.id === b.card.id;
  return {
    a: a.card,
    b: b.card,
    verdicts: compared.comparisons.map(describeCompareVerdict),
    comparison: {
      ...compared,
      a: renameRun(compared.a, a.card),
      b: renameRun(compared.b, b.card),
      notes: [
        ...compared.notes,
        ...describeUnrunTrials("A", a.card),
        ...(isSame ? [] : describeUnrunTrials("B", b.card)),
      ],
    },
  };
}

function renameRun(name: RunName, { id }: RunCard): RunName {
  return { ...name, run: id };
}

function describeUnrunTrials(side: string, { planned, done }: RunCard): string[] {
  const missing = planned - done;
  return missing > 0 ? [`planned trials of ${side} that were not run: ${missing}`] : [];
}
